//! The modules that come with the language, embedded.

/// The modules by name, with their texts. The prelude is always in scope, the others are
/// imported.
const TEXTS: &[(&str, &str)] = &[
    ("prelude", include_str!("../corelib/prelude.core")),
    ("float", include_str!("../corelib/float.core")),
    ("heap", include_str!("../corelib/heap.core")),
    ("map", include_str!("../corelib/map.core")),
    ("queue", include_str!("../corelib/queue.core")),
    ("set", include_str!("../corelib/set.core")),
    ("word", include_str!("../corelib/word.core")),
];

/// The names of the modules, the prelude first.
pub const MODULES: &[&str] = &["prelude", "float", "heap", "map", "queue", "set", "word"];

/// The module that is always in scope.
pub const PRELUDE: &str = "prelude";

/// The text of a module.
#[must_use]
pub fn module(name: &str) -> Option<&'static str> {
    TEXTS.iter().find(|(known, _)| *known == name).map(|&(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::name::Interner;
    use crate::base::source::SourceMap;
    use crate::syntax::ast::Ast;
    use crate::syntax::parse::parse_file;

    #[test]
    fn the_list_and_the_texts_agree() {
        assert_eq!(TEXTS.iter().map(|&(name, _)| name).collect::<Vec<_>>(), MODULES);
        assert_eq!(MODULES.first(), Some(&PRELUDE));
        assert!(module("prelud").is_none());
    }

    #[test]
    fn every_module_parses() {
        for &(name, text) in TEXTS {
            let mut sources = SourceMap::new();
            let file = sources.add(name, None, text, true).expect("small");
            let (mut names, mut ast, mut reports) = (Interner::new(), Ast::default(), Vec::new());
            parse_file(&sources, file, &mut names, &mut ast, &mut reports);
            assert_eq!(reports, [], "{name}");
        }
    }
}

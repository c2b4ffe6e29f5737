//! The modules that come with the language, embedded.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The modules by name, with their texts. The prelude is always in scope, the others are
/// imported.
const TEXTS: &[(&str, &str)] = &[
    ("prelude", include_str!("../corelib/prelude.core")),
    ("array", include_str!("../corelib/array.core")),
    ("bytes", include_str!("../corelib/bytes.core")),
    ("float", include_str!("../corelib/float.core")),
    ("heap", include_str!("../corelib/heap.core")),
    ("io", include_str!("../corelib/io.core")),
    ("map", include_str!("../corelib/map.core")),
    ("queue", include_str!("../corelib/queue.core")),
    ("set", include_str!("../corelib/set.core")),
    ("stm", include_str!("../corelib/stm.core")),
    ("system", include_str!("../corelib/system.core")),
    ("thread", include_str!("../corelib/thread.core")),
    ("word", include_str!("../corelib/word.core")),
];

/// The names of the modules, the prelude first.
pub const MODULES: &[&str] = &[
    "prelude", "array", "bytes", "float", "heap", "io", "map", "queue", "set", "stm", "system",
    "thread", "word",
];

/// The module that is always in scope.
pub const PRELUDE: &str = "prelude";

/// Returns the text of a module.
#[must_use]
pub fn module(name: &str) -> Option<&'static str> {
    TEXTS.iter().find(|(known, _)| *known == name).map(|&(_, text)| text)
}

/// Returns the module to import for a name, if one but the prelude defines it.
#[must_use]
pub fn defining(name: &str) -> Option<&'static str> {
    static MODULE_OF: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
        let mut module_of = FxHashMap::default();
        for &(module, text) in TEXTS.iter().filter(|(module, _)| *module != PRELUDE) {
            for (name, _) in definitions(text) {
                module_of.entry(name).or_insert(module);
            }
        }
        module_of
    });
    MODULE_OF.get(name).copied()
}

/// Returns the parameters, with blanks between them, of a definition for users in a module or in the
/// prelude.
#[must_use]
pub fn parameters(name: &str) -> Option<&'static str> {
    static OF_ALL: LazyLock<FxHashMap<&'static str, &'static str>> =
        LazyLock::new(|| TEXTS.iter().rev().flat_map(|&(_, text)| definitions(text)).collect());
    OF_ALL.get(name).copied()
}

/// Returns the names that a module defines for users, with their parameters.
fn definitions(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    // A definition starts its line, and what has a hyphen in its name is not for users.
    let defined = text.lines().filter_map(|line| line.strip_prefix("(defn "));
    let names = defined.filter_map(|defined| {
        let (name, rest) = defined.split_once('[')?;
        Some((name, rest.split(']').next()?))
    });
    names.filter(|(name, _)| !name.contains('-'))
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
    fn a_name_is_found_in_the_module_that_defines_it() {
        assert_eq!(defining("mapFromList"), Some("map"));
        assert_eq!(defining("mapTree-size"), None);
        assert_eq!(defining("head"), None);
        assert_eq!(defining("nothing"), None);
        assert_eq!(parameters("sortBy"), Some("cmp xs"));
        assert_eq!(parameters("mapEmpty"), Some(""));
        assert_eq!(parameters("mapTree-size"), None);
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

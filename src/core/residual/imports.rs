//! What of the corelib a program that is read back can name.

use rustc_hash::FxHashSet;

use super::is_name;
use super::occurrences::Occurrences;
use crate::base::index::Idx;
use crate::base::source::{SourceFile, SourceMap};
use crate::base::span::Span;
use crate::core::expr::{CONS, ConId, DataId, GlobalId, GlobalKind, NIL, Program};
use crate::core::scope::{Globals, Input, Lookup, PROGRAM, Target};
use crate::load::{Loaded, NoFiles, Source, load};
use crate::primitive::Primitive;
use crate::syntax::ast::ItemKind;

/// A module of the corelib, by its position in [`Corelib::modules`].
pub(super) type Module = usize;

/// Returns whether a name is that of a primitive.
pub(super) fn is_primitive(name: &str) -> bool {
    Primitive::find(name).is_some()
}

/// The corelib, as it looks from a program that imports the modules that this one uses.
pub(super) struct Corelib {
    /// The names of the modules that the program uses; the first is the prelude.
    modules: Vec<String>,
    /// For each global and constructor, the module that it comes from.
    global_modules: Vec<Option<Module>>,
    con_modules: Vec<Option<Module>>,
    /// For each global, the module if its name means it there, with as many parameters.
    known: Vec<Option<Module>>,
    /// For each constructor, whether its name means it.
    named: Vec<bool>,
    /// The names that are in scope without being defined.
    visible: Vec<String>,
}

/// Returns the name of the module whose text this is.
fn module_name(file: &SourceFile) -> String {
    file.name.trim_matches(['<', '>']).to_owned()
}

impl Corelib {
    pub(super) fn new(program: &Program, sources: &SourceMap) -> Corelib {
        let modules: Vec<String> =
            sources.files().iter().filter(|file| file.corelib).map(module_name).collect();
        let module_of = |span: Span| {
            let file = sources.file_at(span.lo).filter(|file| file.corelib && !span.is_none())?;
            modules.iter().position(|module| *module == module_name(file))
        };
        let global_modules: Vec<_> =
            program.globals.iter().map(|global| module_of(global.span)).collect();
        let con_modules: Vec<_> = program.cons.iter().map(|con| module_of(con.span)).collect();
        let imports: String = modules.iter().map(|module| format!("(import {module})")).collect();
        let loaded = load(&Source::text("", imports), &NoFiles);
        let scope = Globals::new(Input::from(&loaded), &[]);
        let own = own_names(program, &global_modules, &con_modules);
        let meanings = Meanings { loaded: &loaded, scope: &scope, own: &own };
        let known = program.globals.enumerate().map(|(id, global)| {
            let module = global_modules[id.index()]?;
            let name = &modules[module];
            let bare = global.symbol.strip_prefix(&format!("{name}.")).unwrap_or(&global.symbol);
            let is_whole = is_name(bare) && matches!(global.kind, GlobalKind::Defn { .. });
            (is_whole && meanings.defn(bare, name) == Some(program.arity(id))).then_some(module)
        });
        let known = known.collect();
        let named = program.cons.enumerate().map(|(id, con)| match con_modules[id.index()] {
            Some(module) => meanings.con(&con.name, &modules[module]),
            None => true,
        });
        let named = named.collect();
        let visible = meanings.visible();
        Corelib { modules, global_modules, con_modules, known, named, visible }
    }

    /// Returns the names that are in scope without being defined.
    pub(super) fn visible(&self) -> impl Iterator<Item = &str> {
        self.visible.iter().map(String::as_str)
    }

    /// Returns the name of a module.
    pub(super) fn name(&self, module: Module) -> &str {
        &self.modules[module]
    }

    /// Returns whether a global comes from the corelib.
    pub(super) fn is_corelib(&self, global: GlobalId) -> bool {
        self.global_modules[global.index()].is_some()
    }

    /// Returns the module that declares a constructor.
    pub(super) fn module_of_con(&self, con: ConId) -> Option<Module> {
        self.con_modules[con.index()]
    }

    /// Returns whether a constructor's name means it.
    pub(super) fn has_name(&self, con: ConId) -> bool {
        self.named[con.index()]
    }

    /// Returns for each global the module that it comes from if it need not be written out: its
    /// name means it, and it does not reach a constructor of the types in `copied`.
    pub(super) fn referable(
        &self,
        program: &Program,
        occurrences: &[Occurrences],
        copied: &FxHashSet<DataId>,
    ) -> Vec<Option<Module>> {
        let mut referable = self.known.clone();
        // Those that reach such a constructor, against the direction of the calls.
        let mut callers: Vec<Vec<GlobalId>> = vec![Vec::new(); program.globals.len()];
        let mut work = Vec::new();
        if copied.is_empty() {
            return referable;
        }
        for caller in program.globals.indices() {
            for &callee in &occurrences[caller.index()].globals {
                callers[callee.index()].push(caller);
            }
            let mut cons = occurrences[caller.index()].cons.iter();
            if cons.any(|&con| copied.contains(&program.cons[con].data)) {
                work.push(caller);
            }
        }
        let mut reaches = vec![false; program.globals.len()];
        while let Some(global) = work.pop() {
            if !std::mem::replace(&mut reaches[global.index()], true) {
                referable[global.index()] = None;
                work.append(&mut callers[global.index()]);
            }
        }
        referable
    }
}

/// The meanings of names in a program with these imports.
struct Meanings<'a> {
    loaded: &'a Loaded,
    scope: &'a Globals<'a>,
    /// Names that the program defines itself.
    own: &'a FxHashSet<&'a str>,
}

impl Meanings<'_> {
    fn lookup(&self, name: &str) -> Option<Target> {
        if self.own.contains(name) {
            return None;
        }
        match self.scope.lookup(PROGRAM, self.loaded.names.find(name)?) {
            Lookup::Found(target) => Some(target),
            Lookup::Ambiguous(..) | Lookup::Unbound => None,
        }
    }

    fn is_in(&self, target: Target, module: &str) -> bool {
        let file = self.loaded.sources.file_at(self.scope.span(target).lo);
        file.is_some_and(|file| module_name(file) == module)
    }

    /// Returns the number of parameters that the definition of this name in `module` has, if the
    /// name means that.
    fn defn(&self, name: &str, module: &str) -> Option<usize> {
        let target = self.lookup(name)?;
        let is_it = matches!(target, Target::Defn(_)) && self.is_in(target, module);
        is_it.then(|| self.scope.arity(target))
    }

    /// Returns whether this name means the constructor of that name in `module`.
    fn con(&self, name: &str, module: &str) -> bool {
        self.lookup(name)
            .is_some_and(|target| matches!(target, Target::Con(_)) && self.is_in(target, module))
    }

    /// Returns the names that definitions had better not have.
    fn visible(&self) -> Vec<String> {
        let mut names: Vec<String> =
            Primitive::ALL.iter().map(|primitive| primitive.name().to_owned()).collect();
        names.extend(["Nil", "Cons", "List"].map(str::to_owned));
        let interner = &self.loaded.names;
        for item in &self.loaded.ast.items {
            let cons = match &item.kind {
                ItemKind::Data { cons } => cons.as_slice(),
                _ => &[],
            };
            for name in item.name.into_iter().chain(cons.iter().map(|con| con.name)) {
                // What has a hyphen is private.
                let name = interner.text(name);
                if !name.contains('-') {
                    names.push(name.to_owned());
                }
            }
        }
        names
    }
}

/// Returns the names that the program defines itself or its surroundings provide.
fn own_names<'p>(
    program: &'p Program,
    modules: &[Option<Module>],
    con_modules: &[Option<Module>],
) -> FxHashSet<&'p str> {
    let mut own = FxHashSet::default();
    for (id, global) in program.globals.enumerate() {
        let is_own = match global.kind {
            GlobalKind::Defn { .. } => modules[id.index()].is_none(),
            GlobalKind::Primitive(_) | GlobalKind::Step(_) => false,
            GlobalKind::Host { .. } => true,
        };
        if is_own {
            own.insert(&*global.symbol);
        }
    }
    for (id, con) in program.cons.enumerate() {
        if con_modules[id.index()].is_none() && id != NIL && id != CONS {
            own.insert(&*con.name);
        }
    }
    own
}

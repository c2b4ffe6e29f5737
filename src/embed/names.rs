//! What the names of a program's definitions mean: to those who ask for them, and to definitions
//! that are added later.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::core::lower::Exports;
use crate::core::scope::{DataHome, Earlier, EarlierData, Meaning};
use crate::gcode::program::{ConId, DataId, GlobalId, GlobalKind, LIST, Program};

/// The most names that are compared with one that nothing has.
const SUGGESTED: usize = 10_000;

/// The names of a program. Of definitions of one name the latest has it.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    /// The functions, constants and constructors that the program itself defines.
    own: FxHashMap<Arc<str>, Meaning>,
    /// The functions and constants that can be asked for.
    globals: FxHashMap<Arc<str>, GlobalId>,
    /// The constructors of its own data types.
    cons: FxHashMap<Arc<str>, ConId>,
    /// The data types of corelib modules.
    corelib: FxHashMap<String, FxHashMap<Arc<str>, DataId>>,
}

impl Names {
    /// Returns the names of a program that comes without a source: what is called in it by a name
    /// that it prints with.
    pub(super) fn of(program: &Program) -> Names {
        let mut names = Names::default();
        for (id, global) in program.globals.enumerate() {
            if program.global_name(global).is_some() && global.kind == GlobalKind::Supercombinator {
                names.define(program, global.symbol.clone(), id, true);
            }
        }
        for id in program.datas.indices().filter(|id| *id != LIST) {
            names.declare(program, id);
        }
        names
    }

    /// Notes what a program makes known, of which `roots` and `datas` have the numbers.
    pub(super) fn add(
        &mut self,
        program: &Program,
        exports: Exports,
        roots: impl IntoIterator<Item = GlobalId>,
        datas: impl IntoIterator<Item = DataId>,
    ) {
        for (home, id) in exports.datas.into_iter().zip(datas) {
            match home {
                DataHome::Elsewhere => {}
                DataHome::Program => self.declare(program, id),
                DataHome::Corelib(module, name) => {
                    self.corelib.entry(module).or_default().insert(name, id);
                }
            }
        }
        for ((name, is_own), id) in exports.roots.into_iter().zip(roots) {
            self.define(program, name, id, is_own);
        }
    }

    /// Notes what a name means, and whether it is one of the program's own.
    pub(super) fn define(&mut self, program: &Program, name: Arc<str>, id: GlobalId, is_own: bool) {
        if is_own {
            let arity = program.globals.get(id).map_or(0, |global| global.arity);
            self.own.insert(name.clone(), Meaning::Global { global: id.0, arity });
        }
        self.globals.insert(name, id);
    }

    fn declare(&mut self, program: &Program, id: DataId) {
        let cons = program.datas.get(id).map_or(&[][..], |data| &data.cons);
        for (tag, &con) in (0..).zip(cons) {
            let Some(entry) = program.cons.get(con) else { continue };
            let name = program.written_name(entry);
            self.own.insert(name.clone(), Meaning::Con { data: id.0, tag });
            self.cons.insert(name, con);
        }
    }

    /// Returns the function or constant of this name.
    pub(super) fn global(&self, name: &str) -> Option<GlobalId> {
        self.globals.get(name).copied()
    }

    /// Returns the constructor of this name, if it is of a data type of the program's own.
    pub(super) fn con(&self, name: &str) -> Option<ConId> {
        self.cons.get(name).copied()
    }
}

/// The names of a program, and the program.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) names: &'a Names,
    pub(super) program: &'a Program,
}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.names.fmt(f)
    }
}

impl Earlier for Scope<'_> {
    fn meaning(&self, name: &str) -> Option<Meaning> {
        self.names.own.get(name).copied()
    }

    fn data(&self, data: u32) -> Option<EarlierData> {
        let data = self.program.datas.get(DataId(data))?;
        let cons = data.cons.iter().filter_map(|&con| self.program.cons.get(con));
        let cons = cons.map(|con| (self.program.written_name(con), con.symbol.clone(), con.arity));
        Some(EarlierData { symbol: data.symbol.clone(), cons: cons.collect() })
    }

    fn corelib_data(&self, module: &str, name: &str) -> Option<u32> {
        Some(self.names.corelib.get(module)?.get(name)?.0)
    }

    fn names(&self) -> Vec<Arc<str>> {
        self.names.own.keys().take(SUGGESTED).cloned().collect()
    }
}

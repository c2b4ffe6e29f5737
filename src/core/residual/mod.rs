//! Supercombinators back to CoreF: a program that parses, passes the checks, and means the
//! same.
//!
//! - What is referred to is what there is: a function of the corelib that the program can
//!   call by its name stays a reference to it. Everything else that `main` and the roots
//!   reach is written out.
//! - The program's own names stay. What the compiler made gets a name that nothing else has:
//!   `power$1` becomes `power-1`, a private `prelude.length-go` becomes `length-go`. A
//!   definition called like a primitive is renamed too, for the text itself uses primitives.
//! - What core has and CoreF has not is said in CoreF (see `to_syntax`).
//!
//! Two things print differently when the new program is run: a function that had no name has
//! one now; and where the program has a constructor of its own that hides one of the corelib,
//! and uses both, the corelib's gets another name.

mod imports;
mod occurrences;
mod to_syntax;

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::index::{Idx, List};
use crate::base::name::{Interner, Name};
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::core::expr::{CONS, ConId, DataId, GlobalId, GlobalKind, NIL, Program};
use crate::syntax::ast::{Ast, Binder, ConDecl, Item, ItemKind};
use crate::syntax::print;

use imports::{Corelib, Module};
use occurrences::{Occurrences, occurrences};

/// Returns a program as CoreF.
///
/// `program` holds what `main` and its roots reach, without errors, and performs no effect in code; `names` and `sources` are
/// those that it was made with.
#[must_use]
pub fn residual(program: &Program, names: &Interner, sources: &SourceMap) -> String {
    let (ast, names) = Residual::new(program, names, sources).build();
    print::program(&ast, &names)
}

struct Residual<'p> {
    program: &'p Program,
    source_names: &'p Interner,
    corelib: Corelib,
    occurrences: Vec<Occurrences>,
    /// For each global of the corelib that the text may refer to by its name.
    referable: Vec<Option<Module>>,
    /// Data types of the corelib that are declared anew, because their name means another.
    copied: FxHashSet<DataId>,
}

impl<'p> Residual<'p> {
    fn new(program: &'p Program, names: &'p Interner, sources: &'p SourceMap) -> Residual<'p> {
        let occurrences =
            program.globals.indices().map(|global| occurrences(program, global)).collect();
        Residual {
            program,
            source_names: names,
            corelib: Corelib::new(program, sources),
            occurrences,
            referable: Vec::new(),
            copied: FxHashSet::default(),
        }
    }

    /// Returns the definitions that are written out, in the order in which they are met, and
    /// decides which corelib definitions are referred to by name instead.
    ///
    /// A constructor that is written out but cannot be named makes its type one that is
    /// copied, and then no function that knows the type can be referred to: a value of the
    /// one type is none of the other.
    fn find_written(&mut self) -> Vec<GlobalId> {
        loop {
            self.referable = self.corelib.referable(self.program, &self.occurrences, &self.copied);
            let written = self.reached();
            let unnamed: Vec<DataId> = written
                .iter()
                .flat_map(|global| &self.occurrences[global.index()].cons)
                .filter(|&&con| !self.corelib.has_name(con))
                .map(|&con| self.program.cons[con].data)
                .filter(|data| !self.copied.contains(data))
                .collect();
            if unnamed.is_empty() {
                return written;
            }
            self.copied.extend(unnamed);
        }
    }

    /// Returns the definitions that `main` and the roots reach, not through what is referred to.
    fn reached(&self) -> Vec<GlobalId> {
        let program = self.program;
        let mut seen = vec![false; program.globals.len()];
        let mut written = Vec::new();
        let roots = program.main.into_iter().chain(program.roots.iter().copied());
        let mut work: VecDeque<GlobalId> = roots.collect();
        while let Some(global) = work.pop_front() {
            let is_body =
                matches!(program.globals[global].kind, GlobalKind::Defn { body: Some(_), .. });
            if seen[global.index()] || !is_body || self.referable[global.index()].is_some() {
                continue;
            }
            seen[global.index()] = true;
            written.push(global);
            work.extend(self.occurrences[global.index()].globals.iter().copied());
        }
        written
    }

    fn build(mut self) -> (Ast, Interner) {
        let written = self.find_written();
        let mut out = Output::new(&self.corelib);
        let mut datas: Vec<DataId> = Vec::new();
        let mut modules: Vec<Module> = Vec::new();
        let mut used = FxHashSet::default();
        for &global in &written {
            let occurrences = &self.occurrences[global.index()];
            for &con in &occurrences.cons {
                let data = self.program.cons[con].data;
                match self.corelib.module_of_con(con) {
                    _ if con == NIL || con == CONS => {}
                    Some(module) if !self.copied.contains(&data) => modules.push(module),
                    _ if used.insert(data) => datas.push(data),
                    _ => {}
                }
            }
            for &callee in &occurrences.globals {
                modules.extend(self.referable[callee.index()]);
            }
        }
        self.name(&written, &datas, &mut out);
        modules.sort_unstable();
        modules.dedup();
        for module in modules {
            let name = self.corelib.name(module);
            // That one need not be imported.
            if name != "prelude" {
                let name = Some(out.names.intern(name));
                out.item(ItemKind::ImportModule, name);
            }
        }
        for data in datas {
            self.data(data, &mut out);
        }
        for global in written {
            self.definition(global, &mut out);
        }
        (out.ast, out.names)
    }

    /// Chooses all names: first the program's own, which stay, then the others.
    fn name(&self, written: &[GlobalId], datas: &[DataId], out: &mut Output) {
        let program = self.program;
        for con in program.cons.indices() {
            if self.corelib.module_of_con(con).is_some() && self.corelib.has_name(con) {
                let name = out.names.intern(&program.cons[con].name);
                out.con(con, name);
            }
        }
        let (own, copied): (Vec<DataId>, Vec<DataId>) =
            datas.iter().partition(|data| !self.copied.contains(data));
        for &data in &own {
            for &con in &program.datas[data].cons {
                let text = &program.cons[con].name;
                let name = match imports::is_primitive(text) {
                    true => out.fresh(text),
                    false => out.take(text),
                };
                out.con(con, name);
            }
        }
        if let Some(main) = program.main {
            let name = out.names.intern("main");
            out.globals.insert(main, name);
        }
        let is_own = |global: GlobalId| {
            !self.corelib.is_corelib(global) && is_name(&program.globals[global].symbol)
        };
        for &global in written.iter().filter(|&&global| is_own(global)) {
            let symbol = &program.globals[global].symbol;
            if !imports::is_primitive(symbol) && !out.globals.contains_key(&global) {
                let name = out.take(symbol);
                out.globals.insert(global, name);
            }
        }
        for (global, known) in program.globals.enumerate() {
            let is_body = matches!(known.kind, GlobalKind::Defn { .. });
            if !is_body || self.referable[global.index()].is_some() {
                // A qualified symbol is one that the program hides with its own.
                let bare = known.symbol.rsplit('.').next().unwrap_or_default();
                let name = out.names.intern(bare);
                out.globals.insert(global, name);
            }
        }
        for &data in &copied {
            for &con in &program.datas[data].cons {
                let name = out.fresh(&program.cons[con].symbol);
                out.con(con, name);
            }
        }
        for &global in written {
            if !out.globals.contains_key(&global) {
                let name = out.fresh(&program.globals[global].symbol);
                out.globals.insert(global, name);
            }
        }
    }

    /// Writes `(data T (A) (B _ _))`.
    fn data(&self, data: DataId, out: &mut Output) {
        let known = &self.program.datas[data];
        let name = match self.copied.contains(&data) {
            // Data types have a name space of their own.
            true => Some(out.fresh(&known.symbol)),
            false => is_name(&known.symbol).then(|| out.names.intern(&known.symbol)),
        };
        let cons = known.cons.iter().map(|&con| ConDecl {
            name: out.cons[&con],
            span: Span::NONE,
            fields: out.ast.binders.add(
                (0..self.program.cons[con].arity).map(|_| Binder { name: None, span: Span::NONE }),
            ),
        });
        let kind = ItemKind::Data { cons: cons.collect() };
        out.item(kind, name);
    }

    fn definition(&self, global: GlobalId, out: &mut Output) {
        let GlobalKind::Defn { params, body: Some(body) } = self.program.globals[global].kind
        else {
            return;
        };
        let name = out.globals.get(&global).copied();
        let occurrences = &self.occurrences[global.index()];
        let (params, body) =
            to_syntax::definition(self.program, self.source_names, occurrences, out, params, body);
        out.item(ItemKind::Defn { params, body }, name);
    }
}

/// The program that is written.
struct Output {
    ast: Ast,
    names: Interner,
    /// The names of globals and constructors.
    globals: FxHashMap<GlobalId, Name>,
    cons: FxHashMap<ConId, Name>,
    con_names: FxHashSet<Name>,
    /// Names that a definition may not have: of primitives, of what the corelib has in
    /// scope, of constructors, and of definitions that have one.
    taken: FxHashSet<Name>,
}

impl Output {
    fn new(corelib: &Corelib) -> Output {
        let mut out = Output {
            ast: Ast::default(),
            names: Interner::new(),
            globals: FxHashMap::default(),
            cons: FxHashMap::default(),
            con_names: FxHashSet::default(),
            taken: FxHashSet::default(),
        };
        for name in ["Nil", "Cons"] {
            let con = if name == "Nil" { NIL } else { CONS };
            let name = out.names.intern(name);
            out.con(con, name);
        }
        for name in corelib.visible().chain(["main", "_"]) {
            out.take(name);
        }
        out
    }

    fn item(&mut self, kind: ItemKind, name: Option<Name>) {
        let span = Span::NONE;
        self.ast.items.push(Item { kind, name, name_span: span, span, file: 0 });
    }

    fn con(&mut self, con: ConId, name: Name) {
        self.cons.insert(con, name);
        self.con_names.insert(name);
    }

    /// Returns a name of the program itself, which it keeps even if it hides one of the corelib.
    fn take(&mut self, text: &str) -> Name {
        let name = self.names.intern(text);
        self.taken.insert(name);
        name
    }

    /// Returns a name after a symbol of the compiler's that nothing else has.
    fn fresh(&mut self, symbol: &str) -> Name {
        let symbol = symbol.replace('$', "-");
        let bare = symbol.rsplit('.').next().unwrap_or_default().to_owned();
        let qualified = symbol.replace('.', "-");
        let numbered = (2..).map(|number: u64| format!("{qualified}-{number}"));
        for text in [bare, qualified.clone()].into_iter().chain(numbered) {
            let name = self.names.intern(&text);
            if self.taken.insert(name) {
                return name;
            }
        }
        // The numbers have no end.
        self.names.intern(&qualified)
    }
}

/// Returns whether a symbol is one that a program can write.
fn is_name(symbol: &str) -> bool {
    !symbol.contains(['$', '.'])
}

/// Adds binders without places.
fn binders(ast: &mut Ast, names: impl IntoIterator<Item = Option<Name>>) -> List<Binder> {
    ast.binders.add(names.into_iter().map(|name| Binder { name, span: Span::NONE }))
}

//! Copies of definitions for the constants that come to their generics.

use rustc_hash::FxHashMap;

use super::infer::Found;
use super::places::{Comes, Place};
use crate::base::span::Span;
use crate::core::copy::{Copier, take_tables};
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, Program, SwitchId};
use crate::optimise::Report;
use crate::optimise::constant_fields::{define_constant, take_constant};
use crate::optimise::flow::{Atom, Constant, is_function};
use crate::optimise::versions::{Most, Versions};

/// The most copies of a definition.
const COPIES: u32 = 8;

/// Copies definitions by what has been found; takes no more copies once the program has so many expressions.
/// Returns how many copies there are.
pub(super) fn copy(program: &mut Program, found: Found, most: usize, report: &mut Report) -> u64 {
    let tables = take_tables(program);
    let mut copies = Copies {
        versions: Versions::new(program, Most { each: COPIES, expressions: most }, 'm'),
        copier: Copier::new(program, tables, &|_| false),
        found,
        names: FxHashMap::default(),
        report,
    };
    copies.run();
    let count = copies.versions.count();
    let (copied, _) = copies.copier.end();
    *program = copied;
    count
}

/// A definition, and the constants of its generics.
type Key = (GlobalId, Vec<Option<Constant>>);

/// The copies of a program's definitions.
struct Copies<'p, 'r> {
    copier: Copier<'p>,
    found: Found,
    versions: Versions<Key>,
    /// The functions that have arguments and have got names.
    names: FxHashMap<u32, GlobalId>,
    report: &'r mut Report,
}

impl Copies<'_, '_> {
    fn run(&mut self) {
        let mut next = 0;
        loop {
            if let Some((key, new)) = self.versions.next() {
                self.define(&key, new);
            } else if let Some(of) = self.copier.met(next) {
                next += 1;
                let new = self.copier.global(of);
                let generics = self.found.schemes.get(&of).map_or(0, |of| of.generics.len());
                self.define(&(of, vec![None; generics]), new);
            } else {
                return;
            }
        }
    }

    fn define(&mut self, key: &Key, new: GlobalId) {
        let old = self.copier.old;
        let GlobalKind::Defn { params, body: Some(body) } = old.globals[key.0].kind else {
            return;
        };
        let params = self.copier.parameters(&old.local_lists[params]);
        let whole = self.copier.place(body);
        while let Some((expr, to)) = self.copier.next() {
            let mark = self.copier.mark();
            let written = self.expr(expr, key);
            self.copier.write(expr, to, written, mark);
        }
        self.copier.new.globals[new].kind = GlobalKind::Defn { params, body: Some(whole) };
    }

    fn expr(&mut self, expr: ExprId, key: &Key) -> Expr {
        match self.copier.old.exprs[expr] {
            Expr::Global(global) => Expr::Global(self.mentioned(expr, global, key)),
            Expr::Switch(switch) => {
                let copy = self.copier.copy(expr);
                if let Expr::Switch(new) = copy {
                    self.take(switch, new, key);
                }
                copy
            }
            _ => self.copier.copy(expr),
        }
    }

    /// Returns the constant that comes to a place of a copy.
    fn constant(&mut self, place: Place, key: &Key) -> Option<Constant> {
        let place = self.found.places.find(place);
        let generics = self.found.schemes.get(&key.0).map(|scheme| &scheme.generics);
        let generic = generics.and_then(|generics| generics.iter().position(|&of| of == place));
        let constant = match (generic, self.found.places.known(place)) {
            (Some(at), _) => key.1.get(at).copied().flatten(),
            (None, Comes::Constant(constant)) => Some(constant),
            (None, Comes::Nothing | Comes::Any) => None,
        };
        constant.filter(|&constant| is_function(self.copier.old, constant))
    }

    /// Returns the copy that a definition mentions.
    fn mentioned(&mut self, expr: ExprId, of: GlobalId, key: &Key) -> GlobalId {
        let scheme = self.found.schemes.get(&key.0);
        let constants = match scheme.and_then(|scheme| scheme.mentions.get(&expr)) {
            Some(places) => {
                let places = places.clone();
                places.into_iter().map(|place| self.constant(place, key)).collect()
            }
            None => self.in_circle(of, key),
        };
        self.copy_of(&(of, constants)).unwrap_or_else(|| self.copier.global(of))
    }

    /// Returns the constants of a definition in one circle with another one, which are those of that.
    fn in_circle(&self, of: GlobalId, key: &Key) -> Vec<Option<Constant>> {
        let generics = |global| self.found.schemes.get(&global).map(|scheme| &scheme.generics);
        match (generics(of), generics(key.0)) {
            (Some(a), Some(b)) if a == b => key.1.clone(),
            _ => Vec::new(),
        }
    }

    fn copy_of(&mut self, key: &Key) -> Option<GlobalId> {
        let old = self.copier.old;
        if key.1.iter().all(Option::is_none) || old.arity(key.0) == 0 {
            return None;
        }
        let found = &self.found;
        self.versions.get(&mut self.copier, (key.0, key), self.report, || {
            let constants = key.1.iter().flatten();
            let mut known: Vec<String> =
                constants.map(|&constant| describe(old, found, constant)).collect();
            known.sort();
            known.dedup();
            format!("{} with {} in fields", old.globals[key.0].symbol, known.join(" and "))
        })
    }

    /// Has a switch of a copy take constants out of fields.
    fn take(&mut self, old: SwitchId, new: SwitchId, key: &Key) {
        let scheme = self.found.schemes.get(&key.0);
        let taken = scheme.and_then(|scheme| scheme.taken.get(&old)).cloned().unwrap_or_default();
        for (branch, at, place) in taken {
            let Some(constant) = self.constant(place, key) else { continue };
            let value = self.written(constant);
            take_constant(&mut self.copier.new, new, (branch, at), value);
        }
    }

    /// Returns an expression for a constant, by its name if it is a function that has arguments.
    fn written(&mut self, constant: Constant) -> ExprId {
        let expr = match constant {
            Constant::Atom(Atom::Global(global)) => Expr::Global(self.copier.global(global)),
            Constant::Atom(atom) => atom.expr(),
            Constant::Applied(number) => Expr::Global(self.named(number)),
        };
        self.copier.new.expr(expr, Span::NONE)
    }

    fn named(&mut self, number: u32) -> GlobalId {
        if let Some(&name) = self.names.get(&number) {
            return name;
        }
        let (of, given) = self.found.flow.applied(number);
        let given = given.to_vec();
        let symbol = self.versions.symbols.numbered(&self.copier.old.globals[of].symbol, 'v');
        let callee = Expr::Global(self.copier.global(of));
        let callee = self.copier.new.expr(callee, Span::NONE);
        let args: Vec<ExprId> = given.into_iter().map(|part| self.written(part)).collect();
        let args = self.copier.new.expr_lists.add(args);
        let body = self.copier.new.expr(Expr::App(callee, args), Span::NONE);
        let name = define_constant(&mut self.copier.new, symbol, body);
        self.names.insert(number, name);
        name
    }
}

/// Returns how a report calls a constant.
fn describe(program: &Program, found: &Found, constant: Constant) -> String {
    match constant {
        Constant::Atom(Atom::Global(global)) => program.globals[global].symbol.to_string(),
        Constant::Applied(number) => {
            let (of, given) = found.flow.applied(number);
            let given = given.iter().map(|&part| format!(" {}", describe(program, found, part)));
            format!("({}{})", program.globals[of].symbol, given.collect::<String>())
        }
        // What it is of a function that is given it, as a number is, tells little.
        Constant::Atom(_) => "_".to_owned(),
    }
}

//! Numbers that loops count towards what only the run knows.
//!
//! A loop from 1 to `n` has a literal for its number in the first turn, and in the next, which is computed:
//! a variant for each would be the same turn again, and what is known beside it, like a text that is gone
//! along, would be left off when there are too many. So it is not known in the calls that the functions of a
//! loop make of each other, if what it is compared with is not known there either. Where it is compared with
//! a literal, the end may be near, and each turn be worth a variant.
//!
//! What is passed for a parameter as it is, or with a number added to it or taken from it, is of one class
//! with it: what holds of one holds of all.

use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::Facts;
use super::fusible::is_comparison;
use crate::base::index::IndexVec;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, LocalId, Program};
use crate::primitive::Primitive;

/// The numbers that loops count.
#[derive(Default)]
pub(super) struct Counters {
    /// For each local one of its class; for one that stands for a class, itself.
    class: IndexVec<LocalId, LocalId>,
    /// For each class that counts, the classes that it is compared with.
    towards: FxHashMap<LocalId, FxHashSet<LocalId>>,
}

impl Counters {
    /// Returns whether a loop only counts with a parameter, and may count towards others: whether one of
    /// those is the end is for the caller to know.
    pub fn counts(&self, param: LocalId) -> bool {
        self.towards.contains_key(&self.class_of(param))
    }

    /// Returns whether a parameter is compared with another one, of which the same can be said.
    pub fn is_towards(&self, param: LocalId, end: LocalId) -> bool {
        let ends = self.towards.get(&self.class_of(param));
        ends.is_some_and(|ends| ends.contains(&self.class_of(end)))
    }

    fn class_of(&self, local: LocalId) -> LocalId {
        let mut local = local;
        while let Some(&of) = self.class.get(local)
            && of != local
        {
            local = of;
        }
        local
    }

    fn unite(&mut self, one: LocalId, other: LocalId) {
        let (one, other) = (self.shortened(one), self.shortened(other));
        self.class[one] = other;
    }

    /// Returns the class of a local, and makes the way to it half as long.
    fn shortened(&mut self, local: LocalId) -> LocalId {
        let mut local = local;
        while self.class[local] != local {
            self.class[local] = self.class[self.class[local]];
            local = self.class[local];
        }
        local
    }
}

/// Finds the numbers that loops count.
pub(super) fn counters(program: &Program, facts: &Facts) -> Counters {
    let class = program.locals.indices().collect();
    let mut scan = Scan {
        program,
        facts,
        counters: Counters { class, towards: FxHashMap::default() },
        from: FxHashMap::default(),
        stepped: Vec::new(),
        other: Vec::new(),
        compared: Vec::new(),
    };
    for (id, global) in program.globals.enumerate() {
        if let GlobalKind::Defn { params, body: Some(body) } = global.kind
            && facts.recursive[id]
        {
            scan.from =
                program.local_lists[params].iter().map(|&param| (param, (param, false))).collect();
            program.walk(body).for_each(|expr| scan.expr(id, expr));
        }
    }
    let Scan { mut counters, stepped, other, compared, .. } = scan;
    let others: FxHashSet<LocalId> =
        other.into_iter().map(|local| counters.shortened(local)).collect();
    for local in stepped {
        let class = counters.shortened(local);
        if !others.contains(&class) {
            counters.towards.entry(class).or_default();
        }
    }
    for (one, end) in compared {
        let (one, end) = (counters.shortened(one), counters.shortened(end));
        if let Some(ends) = counters.towards.get_mut(&one) {
            ends.insert(end);
        }
    }
    counters
}

struct Scan<'a> {
    program: &'a Program,
    facts: &'a Facts,
    counters: Counters,
    /// The locals of a function that are a parameter of it, or a number more or less than one; which of both.
    from: FxHashMap<LocalId, (LocalId, bool)>,
    /// Parameters that get a number more or less than one of their class.
    stepped: Vec<LocalId>,
    /// Parameters that get something else, and locals that something else decides by.
    other: Vec<LocalId>,
    /// Which are compared with which.
    compared: Vec<(LocalId, LocalId)>,
}

impl Scan<'_> {
    /// Notes what an expression does in a function; those around it have been seen.
    fn expr(&mut self, function: GlobalId, expr: ExprId) {
        let program = self.program;
        match program.exprs[expr] {
            Expr::Let(local, value, _) | Expr::Force(local, value, _) => {
                if let Some(from) = self.from(value) {
                    self.from.insert(local, from);
                }
            }
            Expr::Switch(switch) => self.other.push(program.switches[switch].scrutinee),
            Expr::App(callee, args) => {
                let Expr::Global(global) = program.exprs[callee] else { return };
                let args = &program.expr_lists[args];
                match program.globals[global].kind {
                    GlobalKind::Primitive(primitive) if is_comparison(primitive) => {
                        self.comparison(args);
                    }
                    GlobalKind::Defn { params, .. }
                        if self.facts.circle[global] == self.facts.circle[function] =>
                    {
                        for (&param, &arg) in program.local_lists[params].iter().zip(args) {
                            self.passed(arg, param);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn passed(&mut self, arg: ExprId, param: LocalId) {
        let Some((from, is_stepped)) = self.from(arg) else { return self.other.push(param) };
        if is_stepped {
            self.stepped.push(param);
        }
        self.counters.unite(from, param);
    }

    /// Returns the parameter that an expression is, or adds a literal to or takes one from, and whether it
    /// does.
    fn from(&self, expr: ExprId) -> Option<(LocalId, bool)> {
        let program = self.program;
        let Expr::App(callee, args) = program.exprs[expr] else {
            let Expr::Local(local) = program.exprs[expr] else { return None };
            return self.from.get(&local).copied();
        };
        let Expr::Global(global) = program.exprs[callee] else { return None };
        let kind = GlobalKind::Primitive;
        if ![Primitive::Add, Primitive::Sub].map(kind).contains(&program.globals[global].kind) {
            return None;
        }
        let &[one, other] = &program.expr_lists[args] else { return None };
        match (program.exprs[one], program.exprs[other]) {
            (Expr::Local(local), Expr::Lit(_)) | (Expr::Lit(_), Expr::Local(local)) => {
                Some((self.from.get(&local)?.0, true))
            }
            _ => None,
        }
    }

    fn comparison(&mut self, operands: &[ExprId]) {
        let &[one, other] = operands else { return };
        for (one, other) in [(one, other), (other, one)] {
            let Expr::Local(one) = self.program.exprs[one] else { continue };
            match self.program.exprs[other] {
                Expr::Local(other) => self.compared.push((one, other)),
                _ => self.other.push(one),
            }
        }
    }
}

//! Records of functions: the dictionaries of classes, lenses, tables of methods.
//!
//! Each that closed expressions come to is a CAF, so that whoever is given it knows which one it is. It may be
//! part of itself, as the dictionary of a class with methods that others are made of is: `(letrec ([self (MkMonad
//! .. (then self))]) self)`. No tree could be written for that.

use super::evaluator::{NodeId, Value};
use super::{PARTS, STEPS, Search, Written};
use crate::base::index::{IndexVec, List};
use crate::core::expr::{ConId, Expr, ExprId, GlobalId, Program};
use crate::optimise::drive::Head;
use crate::optimise::overloading::is_function;
use crate::optimise::selection::is_only;

/// What records there may be.
pub(super) struct Records {
    /// The constructors that are the only ones of their types, and that functions are written in.
    may_be: IndexVec<ConId, bool>,
}

impl Records {
    /// Looks for the constructors of a program's records.
    pub fn new(program: &Program) -> Records {
        let mut may_be: IndexVec<ConId, bool> = program.cons.iter().map(|_| false).collect();
        for expr in program.exprs.iter() {
            if let Expr::App(callee, args) = *expr
                && let Expr::Con(con) = program.exprs[callee]
                && is_only(program, con)
            {
                may_be[con] |= program.expr_lists[args]
                    .iter()
                    .any(|&arg| is_function(program, &program.cons, arg));
            }
        }
        Records { may_be }
    }

    /// Returns whether a constructor may be one of records of functions.
    pub fn may_be(&self, con: ConId) -> bool {
        self.may_be[con]
    }
}

impl Search<'_> {
    /// Evaluates a CAF to a record of functions, and notes what it is if there is something to evaluate. Returns
    /// whether it is one.
    pub(super) fn record_constant(&mut self, caf: GlobalId, body: ExprId, is_work: bool) -> bool {
        let Some(node) = self.evaluator.caf(caf) else { return false };
        let Some((con, items)) = self.within(STEPS, |search| search.as_record(node)) else {
            return false;
        };
        if !is_work {
            if matches!(self.program.exprs[body], Expr::App(..)) {
                self.names.insert(items, caf);
            }
            return true;
        }
        if let Some(other) = self.names.get(items) {
            self.found.push((body, Written::Atom(Expr::Global(other))));
            return true;
        }
        self.names.insert(items, caf);
        let fields = self.attempt(STEPS, |search| search.all_written(items, &mut { PARTS }));
        match fields {
            Some(fields) => self.found.push((body, Written::Application(Expr::Con(con), fields))),
            None => self.names.remove(items),
        }
        true
    }

    /// Returns the name of the record of functions that a node comes to.
    pub(super) fn record(&mut self, node: NodeId, may_be_tree: bool) -> Option<GlobalId> {
        self.attempt(self.steps(may_be_tree), |search| {
            let (con, items) = search.as_record(node)?;
            search.named(con, items)
        })
    }

    /// Evaluates something in which records are written by their names.
    fn attempt<T>(
        &mut self,
        steps: i64,
        evaluate: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let around = self.names.enter();
        let value = self.within(steps, evaluate);
        self.names.leave(around);
        value
    }

    /// Returns the record of functions that a node comes to.
    fn as_record(&mut self, node: NodeId) -> Option<(ConId, List<NodeId>)> {
        match self.evaluator.force(node)? {
            Value::Con(con, items) if self.is_record(con, items) => Some((con, items)),
            _ => None,
        }
    }

    /// Returns whether a constructor is one of records, and holds a function.
    fn is_record(&mut self, con: ConId, items: List<NodeId>) -> bool {
        self.records.may_be(con)
            && (self.names.get(items).is_some()
                || (0..items.len()).any(|at| {
                    let item = self.evaluator.items(items)[at];
                    matches!(self.evaluator.force(item), Some(Value::Partial(..)))
                }))
    }

    /// Returns whether a value is written by its name where it is part of a record.
    pub(super) fn is_part_by_name(&mut self, con: ConId, items: List<NodeId>) -> bool {
        self.names.is_within() && self.is_record(con, items)
    }

    /// Returns the name of a record.
    pub(super) fn named(&mut self, con: ConId, items: List<NodeId>) -> Option<GlobalId> {
        if let Some(name) = self.names.get(items) {
            return Some(name);
        }
        let before = self.names.count();
        let name = self.names.add(items);
        let around = self.names.enter();
        let fields = self.all_written(items, &mut { PARTS });
        self.names.leave(around);
        let Some(fields) = fields else {
            // Whoever it is a part of may go on without it.
            self.names.forget(before);
            return None;
        };
        self.names.define(name, (Head::Con(con), fields));
        Some(name)
    }
}

//! Records of functions: the dictionaries of classes, lenses, tables of methods.
//!
//! Each that closed expressions come to is a CAF, so that whoever is given it knows which one it is. It may be
//! part of itself, as the dictionary of a class with methods that others are made of is: `(letrec ([self (MkMonad
//! .. (then self))]) self)`. No tree could be written for that.
//!
//! Invariant: a name stands for one node of the evaluator, and what is written for it mentions the names of the
//! records in it. So what was one value is one value.

use rustc_hash::FxHashMap;

use super::evaluator::{NodeId, Value};
use super::{PARTS, STEPS, Search, Written, write};
use crate::base::index::{Idx, IndexVec, List};
use crate::base::span::Span;
use crate::core::expr::{ConId, Expr, ExprId, Global, GlobalId, GlobalKind, Program};
use crate::core::signature::Signature;
use crate::optimise::overloading::is_function;
use crate::optimise::selection::is_only;
use crate::optimise::symbols::Symbols;

/// A constructor with its fields.
type Record = (ConId, Vec<Written>);

/// The records that were found.
pub(super) struct Records {
    /// The constructors that are the only ones of their types, and that functions are written in.
    may_be: IndexVec<ConId, bool>,
    /// The CAF of each record, by its fields.
    names: FxHashMap<List<NodeId>, GlobalId>,
    /// How many globals there are without the new ones.
    before: usize,
    /// The new ones: by what they are known, and what they are; `None` while their fields are looked for.
    made: Vec<(List<NodeId>, Option<Record>)>,
    /// Whether the records in what is evaluated are parts of one.
    is_within: bool,
}

impl Records {
    /// Returns none.
    pub fn new(program: &Program) -> Records {
        let mut may_be: IndexVec<ConId, bool> = program.cons.iter().map(|_| false).collect();
        for expr in program.exprs.iter() {
            if let Expr::App(callee, args) = *expr
                && let Expr::Con(con) = program.exprs[callee]
                && is_only(program, con)
            {
                may_be[con] |=
                    program.expr_lists[args].iter().any(|&arg| is_function(program, arg));
            }
        }
        let before = program.globals.len();
        Records { may_be, names: FxHashMap::default(), before, made: Vec::new(), is_within: false }
    }

    /// Returns whether a constructor may be one of records of functions.
    pub fn may_be(&self, con: ConId) -> bool {
        self.may_be[con]
    }

    /// Adds the definitions of the new ones to the program.
    pub fn define(self, program: &mut Program) {
        if self.made.is_empty() {
            return;
        }
        let mut symbols = Symbols::new(program);
        let made: Vec<Record> = self.made.into_iter().filter_map(|(_, record)| record).collect();
        for (con, _) in &made {
            let symbol = symbols.numbered(&program.cons[*con].symbol, 'r');
            let kind = GlobalKind::Defn { params: List::EMPTY, body: None };
            let (display, span, signature) = (None, Span::NONE, Signature::default());
            program.globals.push(Global { symbol, display, kind, span, signature });
        }
        for (at, (con, fields)) in made.into_iter().enumerate() {
            let record = Written::Application(Expr::Con(con), fields);
            let body = Some(write(program, &record, Span::NONE));
            let id = GlobalId::new(self.before + at);
            program.globals[id].kind = GlobalKind::Defn { params: List::EMPTY, body };
        }
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
                self.records.names.insert(items, caf);
            }
            return true;
        }
        if let Some(&other) = self.records.names.get(&items) {
            self.found.push((body, Written::Atom(Expr::Global(other))));
            return true;
        }
        self.records.names.insert(items, caf);
        let fields = self.attempt(STEPS, |search| search.fields(items));
        match fields {
            Some(fields) => self.found.push((body, Written::Application(Expr::Con(con), fields))),
            // Nothing is to be that CAF but by evaluating it.
            None => _ = self.records.names.remove(&items),
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

    /// Evaluates something of records. If that fails, there are none but those that were there.
    fn attempt<T>(
        &mut self,
        steps: i64,
        evaluate: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let made = self.records.made.len();
        self.records.is_within = true;
        let value = self.within(steps, evaluate);
        self.records.is_within = false;
        if value.is_none() {
            self.forget(made);
        }
        value
    }

    /// Forgets the records that were made since there were so many.
    fn forget(&mut self, made: usize) {
        for (items, _) in self.records.made.drain(made..) {
            self.records.names.remove(&items);
        }
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
            && (self.records.names.contains_key(&items)
                || (0..items.len()).any(|at| {
                    let item = self.evaluator.items(items)[at];
                    matches!(self.evaluator.force(item), Some(Value::Partial(..)))
                }))
    }

    /// Returns whether a value is written by its name where it is part of a record.
    pub(super) fn is_part_by_name(&mut self, con: ConId, items: List<NodeId>) -> bool {
        self.records.is_within && self.is_record(con, items)
    }

    /// Returns the name of a record.
    pub(super) fn named(&mut self, con: ConId, items: List<NodeId>) -> Option<GlobalId> {
        if let Some(&name) = self.records.names.get(&items) {
            return Some(name);
        }
        let at = self.records.made.len();
        let name = GlobalId::new(self.records.before + at);
        self.records.names.insert(items, name);
        self.records.made.push((items, None));
        let Some(fields) = self.fields(items) else {
            // Whoever it is a part of may go on without it.
            self.forget(at);
            return None;
        };
        self.records.made[at].1 = Some((con, fields));
        Some(name)
    }

    fn fields(&mut self, items: List<NodeId>) -> Option<Vec<Written>> {
        let mut parts = PARTS;
        let items = self.evaluator.items(items).to_vec();
        items.into_iter().map(|item| self.written(item, &mut parts)).collect()
    }
}

//! Values that are written by their names: each is a CAF.
//!
//! Two kinds are: records of functions ([`records`](super::records)), which are to be known wherever they are given,
//! and functions that are part of themselves, `(letrec ([self (choice one (then self))]) self)`. No tree could be
//! written for those.
//!
//! Invariants:
//! - A name stands for one node of the evaluator, and what is written for it mentions the names of what is
//!   written by name in it. So what was one value is one value.
//! - A name is defined once it is written outside of what it names; what fails to be written takes the names that
//!   were given since with it.

use rustc_hash::FxHashMap;

use super::evaluator::NodeId;
use super::{Written, write};
use crate::base::index::{Idx, List};
use crate::base::span::Span;
use crate::core::expr::{Expr, Global, GlobalId, GlobalKind, Program};
use crate::core::signature::Signature;
use crate::optimise::drive::Head;
use crate::optimise::symbols::Symbols;

/// A constructor or a definition, and what it is applied to.
pub(super) type Applied = (Head, Vec<Written>);

/// Which values have names. A value is known by its arguments or fields.
pub(super) struct Names {
    of: FxHashMap<List<NodeId>, GlobalId>,
    /// How many globals there are without the new ones.
    before: usize,
    /// The new ones: the value of each, and what is written for it; `None` while that is looked for.
    made: Vec<(List<NodeId>, Option<Applied>)>,
    /// The functions that are being written, each with the CAF that it is.
    open: FxHashMap<List<NodeId>, Option<GlobalId>>,
    /// Whether what is written is part of a record.
    is_record: bool,
}

/// What is being written around a record.
pub(super) struct Around {
    open: FxHashMap<List<NodeId>, Option<GlobalId>>,
    is_record: bool,
}

impl Names {
    /// Returns no names, for a program.
    pub fn new(program: &Program) -> Names {
        let before = program.globals.len();
        let (of, open) = (FxHashMap::default(), FxHashMap::default());
        Names { of, before, made: Vec::new(), open, is_record: false }
    }

    /// Returns the name of a value.
    pub fn get(&self, items: List<NodeId>) -> Option<GlobalId> {
        self.of.get(&items).copied()
    }

    /// Names a value by the CAF that it is.
    pub fn insert(&mut self, items: List<NodeId>, caf: GlobalId) {
        self.of.insert(items, caf);
    }

    /// Takes that back: nothing is to be that CAF but by evaluating it.
    pub fn remove(&mut self, items: List<NodeId>) {
        self.of.remove(&items);
    }

    /// Gives a value a name that is new.
    pub fn add(&mut self, items: List<NodeId>) -> GlobalId {
        let name = GlobalId::new(self.before + self.made.len());
        self.of.insert(items, name);
        self.made.push((items, None));
        name
    }

    /// Notes what is written for a value with a name that is new.
    pub fn define(&mut self, name: GlobalId, value: Applied) {
        self.made[name.index() - self.before].1 = Some(value);
    }

    /// Begins to write a function, of which the CAF may be known. Returns its name if it is part of itself.
    pub fn open(&mut self, items: List<NodeId>, caf: Option<GlobalId>) -> Option<GlobalId> {
        match self.open.get(&items) {
            Some(&Some(caf)) => Some(caf),
            Some(None) => Some(self.add(items)),
            None => {
                self.open.insert(items, caf);
                None
            }
        }
    }

    /// Ends that. Returns what is written in its place, if that could be written.
    pub fn close(&mut self, items: List<NodeId>, value: Option<Applied>) -> Option<Written> {
        self.open.remove(&items);
        let value = value?;
        Some(match self.get(items) {
            Some(name) => {
                self.define(name, value);
                Written::Atom(Expr::Global(name))
            }
            None => applied(value),
        })
    }

    /// Begins to write a record: what is written by its name ends what is part of itself. Returns what is being
    /// written around it, for [`Names::leave`].
    pub fn enter(&mut self) -> Around {
        let open = std::mem::take(&mut self.open);
        Around { open, is_record: std::mem::replace(&mut self.is_record, true) }
    }

    /// Ends that.
    pub fn leave(&mut self, around: Around) {
        (self.open, self.is_record) = (around.open, around.is_record);
    }

    /// Returns whether what is written is part of a record or of a function: then a record is written by its
    /// name.
    pub fn is_within(&self) -> bool {
        self.is_record || !self.open.is_empty()
    }

    /// Returns how many names are new, to go back to ([`Names::forget`]).
    pub fn count(&self) -> usize {
        self.made.len()
    }

    /// Forgets the names that were given since there were so many.
    pub fn forget(&mut self, count: usize) {
        for (items, _) in self.made.drain(count..) {
            self.of.remove(&items);
        }
    }

    /// Adds the definitions of the new ones to the program.
    pub fn define_all(self, program: &mut Program) {
        if self.made.is_empty() {
            return;
        }
        let mut symbols = Symbols::new(program);
        let made: Vec<Applied> = self.made.into_iter().filter_map(|(_, value)| value).collect();
        for (head, _) in &made {
            let symbol = match *head {
                Head::Con(con) => symbols.numbered(&program.cons[con].symbol, 'r'),
                Head::Global(global) => symbols.numbered(&program.globals[global].symbol, 'k'),
            };
            let kind = GlobalKind::Defn { params: List::EMPTY, body: None };
            let (display, span, signature) = (None, Span::NONE, Signature::default());
            program.globals.push(Global { symbol, display, kind, span, signature });
        }
        for (at, value) in made.into_iter().enumerate() {
            let body = Some(write(program, &applied(value), Span::NONE));
            let id = GlobalId::new(self.before + at);
            program.globals[id].kind = GlobalKind::Defn { params: List::EMPTY, body };
        }
    }
}

fn applied((head, args): Applied) -> Written {
    let callee = match head {
        Head::Con(con) => Expr::Con(con),
        Head::Global(global) => Expr::Global(global),
    };
    Written::Application(callee, args)
}

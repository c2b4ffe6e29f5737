//! What the evaluator computes of known values.

use super::Driver;
use super::heap::{AbstractValue, NodeId};
use crate::base::index::List;
use crate::core::expr::{CONS, ConId, Lit, NIL, TextId};
use crate::optimise::fold::equal;
use crate::primitive::Primitive;

impl Driver<'_> {
    /// Returns whether two literals are the same value.
    pub(super) fn equal(&self, a: Lit, b: Lit) -> bool {
        equal(&self.new.bigs, a, b)
    }

    /// Returns what a known condition says; one that is neither 1 nor 0 is an error of the run.
    pub(super) fn truth(&self, node: NodeId) -> Option<bool> {
        match self.heap.get(node).value {
            AbstractValue::Lit(Lit::Int(0)) => Some(false),
            AbstractValue::Lit(Lit::Int(1)) => Some(true),
            _ => None,
        }
    }

    /// Returns the result of a primitive on values, if they are known and it has one.
    pub(super) fn fold_nodes(&mut self, primitive: Primitive, nodes: &[NodeId]) -> Option<Lit> {
        let literal = |&node| match self.heap.get(node).value {
            AbstractValue::Lit(lit) => Some(lit),
            _ => None,
        };
        let lits: Vec<Lit> = nodes.iter().map(literal).collect::<Option<_>>()?;
        self.fold(primitive, &lits)
    }

    /// Returns the result of a primitive on literals, if it has one.
    pub(super) fn fold(&mut self, primitive: Primitive, lits: &[Lit]) -> Option<Lit> {
        self.folder.fold(&mut self.new.bigs, primitive, lits)
    }

    /// Returns the first cell of a text that is not empty.
    pub(super) fn uncons(&mut self, text: TextId, at: u32) -> (ConId, List<NodeId>) {
        let rest = self.new.texts[text].get(at as usize..).unwrap_or_default();
        let Some(first) = rest.chars().next() else {
            return (NIL, self.heap.list([]));
        };
        let after = first.len_utf8();
        let is_last = rest.len() == after;
        let head = self.heap.add(AbstractValue::Lit(Lit::Char(first)));
        let tail = match is_last {
            true => {
                let none = self.heap.list([]);
                AbstractValue::Con(NIL, none)
            }
            false => AbstractValue::Text(text, at + after as u32),
        };
        let tail = self.heap.add(tail);
        (CONS, self.heap.list([head, tail]))
    }
}

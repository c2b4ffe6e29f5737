//! Literals that a value is known not to be: what the `else` of a comparison for equality knows, and the
//! default of a `case` of literals. What a value was compared with, it is not compared with again.

use super::Driver;
use super::heap::NodeId;
use crate::core::expr::{Branches, Lit, Switch};

/// How many of the last ones are looked at.
const LOOKED_AT: usize = 64;

impl Driver<'_> {
    /// Notes that a value is not a literal.
    pub(super) fn exclude(&mut self, node: NodeId, literal: Lit) {
        if self.knows() {
            let node = self.heap.resolve(node);
            self.excluded.push((node, literal));
        }
    }

    /// Returns whether a value is known not to be a literal.
    pub(super) fn is_excluded(&self, node: NodeId, literal: Lit) -> bool {
        let node = self.heap.resolve(node);
        let mut last = self.excluded.iter().rev().take(LOOKED_AT);
        last.any(|&(other, excluded)| other == node && excluded == literal)
    }

    /// Returns whether a value is known to be none of the literals of a switch.
    pub(super) fn takes_default(&self, switch: &Switch, node: NodeId) -> bool {
        match &switch.branches {
            Branches::Lits(branches) => {
                branches.iter().all(|&(literal, _)| self.is_excluded(node, literal))
            }
            Branches::Cons(_) => false,
        }
    }
}

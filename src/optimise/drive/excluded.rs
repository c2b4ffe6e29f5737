//! What a value is known not to be: the literal of a comparison for equality, in the `else`; the literals or
//! constructors of a `case`, in its default. What a value was compared with, it is not compared with again;
//! and where only one constructor is left, the value is that.

use super::Driver;
use super::heap::NodeId;
use crate::base::span::Span;
use crate::core::expr::{Branches, ConBranch, ConId, Expr, ExprId, Lit, Switch};

/// How many of the last exclusions are looked at.
const LOOKED_AT: usize = 64;
/// The most constructors without an alternative among which the only one that is left is looked for.
const LEFT: usize = 8;

/// What tells a value from others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Lit(Lit),
    Con(ConId),
}

/// What the default of a switch may be.
pub(super) enum Left {
    /// Nothing: there is an alternative for whatever it may be.
    Nothing,
    /// This constructor.
    Only(ConId),
    Several,
}

impl Driver<'_> {
    /// Notes that a value is not what is told by a tag.
    pub(super) fn exclude(&mut self, node: NodeId, tag: Tag) {
        if self.knows() {
            let node = self.heap.resolve(node);
            self.excluded.push((node, tag));
        }
    }

    /// Notes that a value takes none of some alternatives.
    pub(super) fn exclude_all(&mut self, node: NodeId, branches: &Branches) {
        for at in 0..branches.len() {
            self.exclude(node, tag(branches, at));
        }
    }

    /// Returns whether a value is known not to be what is told by a tag.
    pub(super) fn is_excluded(&self, node: NodeId, tag: Tag) -> bool {
        let node = self.heap.resolve(node);
        let mut last = self.excluded.iter().rev().take(LOOKED_AT);
        last.any(|&(other, excluded)| other == node && excluded == tag)
    }

    /// Returns whether a value is known to take none of the alternatives of a switch.
    pub(super) fn takes_default(&self, switch: &Switch, node: NodeId) -> bool {
        let branches = &switch.branches;
        (0..branches.len()).all(|at| self.is_excluded(node, tag(branches, at)))
    }

    /// Returns what a value may be that takes the default of a switch.
    pub(super) fn left(&self, switch: &Switch, node: NodeId) -> Left {
        let Branches::Cons(branches) = &switch.branches else { return Left::Several };
        let Some(first) = branches.first().filter(|_| self.knows()) else { return Left::Several };
        let all = &self.new.datas[self.new.cons[first.con].data].cons;
        if all.len() > branches.len() + LEFT {
            return Left::Several;
        }
        let mut left = all.iter().copied().filter(|&con| {
            !branches.iter().any(|branch| branch.con == con)
                && !self.is_excluded(node, Tag::Con(con))
        });
        match (left.next(), left.next()) {
            (None, _) => Left::Nothing,
            (Some(con), None) => Left::Only(con),
            _ => Left::Several,
        }
    }

    /// Returns alternatives and a default that cover their type, of those that may be taken: where some are
    /// missing and there is no default, one that does not use its fields is the default.
    pub(super) fn covering(
        &mut self,
        branches: Branches,
        default: Option<ExprId>,
        span: Span,
    ) -> (Branches, Option<ExprId>) {
        if default.is_some() {
            return (branches, default);
        }
        let mut branches = branches;
        let Branches::Cons(cons) = &mut branches else { return (branches, None) };
        let Some(first) = cons.first() else { return (branches, None) };
        if cons.len() == self.new.datas[self.new.cons[first.con].data].cons.len() {
            return (branches, None);
        }
        let is_default = |branch: &ConBranch| branch.fields.iter().all(Option::is_none);
        let default = match cons.iter().rposition(is_default) {
            Some(at) if cons.len() > 1 => cons.remove(at).body,
            _ => self.expr(Expr::NoMatch, span),
        };
        (branches, Some(default))
    }
}

/// Returns what tells the alternative at a place.
fn tag(branches: &Branches, at: usize) -> Tag {
    match branches {
        Branches::Lits(branches) => Tag::Lit(branches[at].0),
        Branches::Cons(branches) => Tag::Con(branches[at].con),
    }
}

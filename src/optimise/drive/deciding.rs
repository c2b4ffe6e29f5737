//! Comparisons of what branches: `(if (eq (if c 'a' 'b') 'a') x y)`.
//!
//! An operand is driven by itself, and what it comes to is code if it branches: so nothing is known of the
//! comparison. Where a choice is on the value and the operand is the only one that is not there yet, the
//! comparison is a frame, and each branch of the operand makes the choice by itself.

use super::eval::Operand;
use super::frame::{Action, Frames};
use super::heap::{AbstractValue, NodeId};
use super::{Attempt, Driver, Outcome};
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::expr::{Expr, GlobalId};
use crate::primitive::Primitive;

impl Driver<'_> {
    /// Returns the one operand of a primitive that is to be evaluated yet, and the others, if a choice is
    /// on what is computed. Others may not refer to the operand: what a thunk comes to has its name after
    /// the branches.
    pub(super) fn deciding_operand(
        &mut self,
        operands: &[Operand],
        frames: &Frames,
    ) -> Option<(usize, List<NodeId>)> {
        if !self.knows() || !self.rules.case_of_case || !self.is_choice(frames) {
            return None;
        }
        let mut open = (0..operands.len()).filter(|&at| !self.is_there(operands[at]));
        let at = open.next()?;
        if open.next().is_some() || self.is_shared(operands[at]) {
            return None;
        }
        let others = operands.iter().enumerate().filter(|&(of, _)| of != at);
        let others: Vec<NodeId> = others.map(|(_, &operand)| self.operand_node(operand)).collect();
        Some((at, self.heap.list(others)))
    }

    /// Returns whether an operand is a literal or evaluated.
    fn is_there(&self, operand: Operand) -> bool {
        let is_literal =
            operand.as_expr().is_some_and(|(expr, _)| matches!(self.old.exprs[expr], Expr::Lit(_)));
        is_literal
            || self.named(operand).is_some_and(|node| {
                let value = self.heap.get(node).value;
                matches!(value, AbstractValue::Lit(_) | AbstractValue::Unknown(true))
            })
    }

    fn is_shared(&self, operand: Operand) -> bool {
        let is_used_again = operand.as_expr().is_some_and(|(expr, _)| {
            matches!(self.old.exprs[expr], Expr::Local(local) if self.facts.shared[local])
        });
        is_used_again || self.named(operand).is_some_and(|node| self.heap.get(node).shared)
    }

    /// Returns the value that an operand names.
    fn named(&self, operand: Operand) -> Option<NodeId> {
        match operand {
            Operand::Expr(expr, env) => match self.old.exprs[expr] {
                Expr::Local(local) => Some(self.heap.lookup(env, self.facts.slot[local])),
                _ => None,
            },
            Operand::Node(node) => Some(node),
        }
    }

    /// Returns whether frames begin with a choice, or with primitives on whose value one is.
    fn is_choice(&self, frames: &Frames) -> bool {
        let mut frames = frames;
        while let Some(frame) = frames {
            match frame.action {
                Action::If { .. } | Action::Switch(..) => return true,
                Action::Force(local, body, _) => return self.switches_on(local, body).is_some(),
                Action::Operand { .. } => frames = &frame.next,
                _ => return false,
            }
        }
        false
    }

    /// Computes the primitive with the operand that is at this place.
    pub(super) fn decided(
        &mut self,
        outcome: Outcome,
        (primitive, global): (Primitive, GlobalId),
        at: usize,
        others: List<NodeId>,
        span: Span,
    ) -> Attempt<Outcome> {
        match outcome {
            Outcome::Node(node) => self.bind_selections_before(node),
            _ => self.bind_selections(None),
        }
        let others = self.heap.items(others).iter();
        let mut outcomes: Vec<Outcome> = others.map(|&node| Outcome::Node(node)).collect();
        outcomes.insert(at, outcome);
        self.computed(primitive, global, &outcomes, span)
    }
}

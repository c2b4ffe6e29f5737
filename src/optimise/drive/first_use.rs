//! What is done first with the value of a call, where that is reason enough to unfold it.

use super::Driver;
use super::frame::{Action, Frame, Frames};
use crate::core::expr::{Expr, ExprId, GlobalId, LocalId};

/// The most expressions of a function that makes what the next turn of a loop takes apart, and is called
/// there alone, for it to be unfolded.
const TURN: u32 = 120;

impl Driver<'_> {
    /// Returns whether what a call comes to is taken apart at once, and the function is little enough to
    /// be written there for that.
    pub(super) fn is_taken_apart(&self, global: GlobalId, frames: &Frames) -> bool {
        let is_choice = match frames.as_ref().map(|frame| &frame.action) {
            Some(Action::Switch(..) | Action::Consume(..) | Action::Select(..)) => true,
            Some(&Action::Force(local, body, _)) => {
                self.switches_on(local, body).is_some() || self.is_test(local, body)
            }
            // A truth is no value to learn from, and functions that ask for one are small without it.
            Some(Action::If { .. }) => self.rules.inline,
            _ => false,
        };
        let is_once = self.facts.mentions[global] == (1, 0)
            && !self.facts.kept[global]
            && self.facts.size[global] <= TURN;
        let is_little = self.facts.expanded[global].is_little();
        (is_choice && self.fusible.ends_known[global] && is_little
            || self.is_for_turn(frames) && (is_little || is_once))
            && self.knows()
            && self.rules.case_of_case
            && self.may_unfold()
    }

    /// Returns whether frames begin with the next turn of a loop, which takes the value apart.
    fn is_for_turn(&self, frames: &Frames) -> bool {
        matches!(frames.as_deref(), Some(&Frame { action: Action::Force(local, body, _), .. })
            if self.is_turn(local, body))
    }

    /// Returns whether an expression is a call of a function that can come to call itself, and looks at what a
    /// local is bound to.
    pub(super) fn is_turn(&self, local: LocalId, expr: ExprId) -> bool {
        let Expr::App(callee, args) = self.old.exprs[expr] else { return false };
        let Expr::Global(of) = self.old.exprs[callee] else { return false };
        let args = &self.old.expr_lists[args];
        let at = args.iter().position(|&arg| self.old.exprs[arg] == Expr::Local(local));
        self.facts.recursive[of]
            && at.is_some_and(|at| self.has(of, at, |param| self.facts.inspected[param]))
    }

    /// Returns whether an expression begins with a choice by comparing a local with a literal.
    fn is_test(&self, local: LocalId, expr: ExprId) -> bool {
        let Expr::App(callee, args) = self.old.exprs[expr] else { return false };
        let tails = self.old.tails(callee, args);
        if tails.len() != 2 {
            return false;
        }
        let Expr::App(_, operands) = self.old.exprs[self.old.expr_lists[args][0]] else {
            return false;
        };
        matches!(self.old.expr_lists[operands], [a, b]
            if matches!((self.old.exprs[a], self.old.exprs[b]),
                (Expr::Local(of), Expr::Lit(_)) | (Expr::Lit(_), Expr::Local(of)) if of == local))
    }
}

//! R: the body of a supercombinator. The value goes into the redex, and the machine goes on
//! with it: a tail call leaves nothing on the stack.

use super::Compiler;
use super::control::{Call, Scheme};
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Expr, ExprId};

impl Compiler<'_> {
    /// Emits `R[expr]`. The code ends here.
    pub(super) fn r(&mut self, expr: ExprId) {
        ensure_sufficient_stack(|| self.r_step(expr));
    }

    fn r_step(&mut self, expr: ExprId) {
        if !self.code.is_live() || self.control(Scheme::R, expr) {
            return;
        }
        let span = self.core.spans[expr];
        match self.core.exprs[expr] {
            // What is one instruction on evaluated operands is done at once.
            Expr::App(callee, args)
                if matches!(
                    self.call(callee, args.len()),
                    Call::Strict(_) | Call::Error | Call::Throw
                ) =>
            {
                self.e(expr);
            }
            _ => self.build(expr),
        }
        self.update_and_unwind(span);
    }
}

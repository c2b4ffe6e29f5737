//! R: the body of a supercombinator. The value goes into the redex, and the machine goes on
//! with it: a tail call leaves nothing on the stack.

use super::Compiler;
use super::control::{Call, Scheme};
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Expr, ExprId};
use crate::gcode::instr::Instr;

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
            // It never returns, and its failure is to be told here: the frame stays. No value comes
            // to be raised.
            _ if self.keeps_frame(expr) => {
                self.build(expr);
                self.emit(Instr::Eval, span);
                self.emit(Instr::Raise, span);
            }
            _ => self.build(expr),
        }
        self.update_and_unwind(span);
    }

    /// Returns whether an expression is a call that never returns, and not one of a circle of calls
    /// that this code is in.
    pub(super) fn keeps_frame(&self, expr: ExprId) -> bool {
        self.current.is_some_and(|caller| self.failing.keeps_frame(self.core, caller, expr))
    }
}

//! E: an expression in a strict context. Its value, in weak head normal form, is left on top
//! of the stack, and no application is built for what can be computed at once.

use super::control::{Call, Scheme};
use super::primitive::{MESSAGE_LIMIT, instr};
use super::{Compiler, Source};
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Expr, ExprId};
use crate::gcode::instr::{Instr, IntLit};
use crate::primitive::Primitive;

impl Compiler<'_> {
    /// Emits `E[expr]`.
    pub(super) fn e(&mut self, expr: ExprId) {
        ensure_sufficient_stack(|| self.e_step(expr));
    }

    fn e_step(&mut self, expr: ExprId) {
        if !self.code.is_live() || self.control(Scheme::E, expr) {
            return;
        }
        let span = self.core.spans[expr];
        if let Expr::App(callee, args) = self.core.exprs[expr] {
            let args = &self.core.expr_lists[args];
            match self.call(callee, args.len()) {
                Call::Strict(primitive) => {
                    match (primitive.walks(), args) {
                        // The instruction takes a literal as it is, without a list of it.
                        (Some(_), &[text])
                            if primitive == Primitive::BytesFromText && self.is_text(text) =>
                        {
                            self.c(text);
                        }
                        (Some(_), &[list]) => {
                            self.e(list);
                            self.walk_list(primitive, span);
                        }
                        _ => args.iter().rev().for_each(|&arg| self.e(arg)),
                    }
                    self.emit(instr(primitive), span);
                    if primitive.selects() {
                        self.emit(Instr::Eval, span);
                    }
                    return;
                }
                Call::Throw => {
                    args.iter().for_each(|&arg| self.e(arg));
                    return self.throw(span);
                }
                Call::Error => {
                    args.iter().for_each(|&arg| self.e(arg));
                    self.emit(Instr::PushInt(IntLit::Small(MESSAGE_LIMIT)), span);
                    self.push_global(Source::ErrorText, span);
                    self.apply(2, span);
                    self.emit(Instr::Eval, span);
                    return self.emit(Instr::Raise, span);
                }
                _ => {}
            }
        }
        self.build(expr);
        if self.keeps_frame(expr) {
            // It never returns, and what needs its value need not evaluate it in a place of its own.
            self.emit(Instr::Eval, span);
            return self.emit(Instr::Raise, span);
        }
        if self.is_value(expr) {
            return;
        }
        self.emit(Instr::Eval, span);
        if let Expr::Local(local) = self.core.exprs[expr]
            && self.options.eval_once
        {
            self.env.evaluate(local);
        }
    }

    fn is_text(&self, expr: ExprId) -> bool {
        matches!(self.core.exprs[expr], Expr::Text(_))
    }

    /// Returns whether the graph that C makes of an expression is in weak head normal form.
    pub(super) fn is_value(&self, expr: ExprId) -> bool {
        self.core.is_value(expr, |local| self.env.is_evaluated(local))
    }
}

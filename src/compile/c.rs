//! C: an expression in a lazy context. A graph of it is left on top of the stack; nothing is
//! evaluated.

use super::control::Call;
use super::perform::Performer;
use super::{Compiler, Source};
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Bind, Expr, ExprId, GlobalKind, LocalId, Step};
use crate::core::signature::Demand;
use crate::gcode::instr::Instr;
use crate::primitive::Primitive;

impl Compiler<'_> {
    /// Emits `C[expr]`.
    pub(super) fn c(&mut self, expr: ExprId) {
        ensure_sufficient_stack(|| self.c_step(expr));
    }

    fn c_step(&mut self, expr: ExprId) {
        if !self.code.is_live() {
            return;
        }
        let span = self.core.spans[expr];
        match self.core.exprs[expr] {
            Expr::Lit(lit) => self.push_lit(lit, span),
            Expr::Text(text) => {
                let text = self.text(text);
                self.emit(Instr::PushText(text), span);
            }
            Expr::Local(local) => self.push_local(local, span),
            Expr::Global(global) => match self.core.globals[global].kind {
                GlobalKind::Step(step) => {
                    let performer = match step {
                        Step::Put(effect) => Performer::Put(effect),
                        Step::Continue => Performer::Continue,
                        Step::GoOn => Performer::GoOn,
                        Step::Effect(_) | Step::Enter => {
                            unreachable!("effects are done and actions made in place")
                        }
                    };
                    self.push_global(Source::Performer(performer), span);
                }
                _ => self.push_global(Source::Core(global), span),
            },
            Expr::Con(con) if self.core.cons[con].arity == 0 => {
                self.emit(Instr::Pack(self.cons[con]), span);
            }
            Expr::Con(con) => self.push_global(Source::Con(con), span),
            Expr::App(callee, args) => {
                let args = &self.core.expr_lists[args];
                args.iter().rev().for_each(|&arg| self.c(arg));
                match self.call(callee, args.len()) {
                    Call::Pack(con) => self.emit(Instr::Pack(self.cons[con]), span),
                    // Nothing about these fails. An effect that does is told where its thunk is.
                    Call::Action(
                        primitive @ (Primitive::Return | Primitive::Bind | Primitive::Handle),
                    ) => self.pack_action(primitive, span),
                    Call::Enter => self.enter(span),
                    _ => {
                        self.c(callee);
                        self.apply(args.len(), span);
                    }
                }
            }
            Expr::Let(local, value, body) => {
                self.let_(local, value);
                self.c(body);
                self.emit(Instr::Slide(1), span);
            }
            Expr::Letrec(binds, body) => {
                let binds = &self.core.binds[binds];
                self.letrec(binds, expr);
                self.c(body);
                self.emit(Instr::Slide(binds.len() as u32), span);
            }
            Expr::Lam(..)
            | Expr::Perform(..)
            | Expr::Force(..)
            | Expr::Switch(_)
            | Expr::Join(..)
            | Expr::Jump(..)
            | Expr::NoMatch
            | Expr::Error => unreachable!("lifting leaves none in a lazy context; its lint checks"),
        }
    }

    /// Emits the binding of a `let`.
    pub(super) fn let_(&mut self, local: LocalId, value: ExprId) {
        let evaluated = self.options.eval_once && self.is_value(value);
        self.c(value);
        self.env.bind(local, self.code.depth() - 1, evaluated);
    }

    /// Emits an expression in a strict context, without the evaluation of what is called: its
    /// graph, but for the arguments that a known function evaluates. Those are evaluated now,
    /// and of a constructor among them the fields that the function evaluates.
    pub(super) fn build(&mut self, expr: ExprId) {
        let Expr::App(callee, args) = self.core.exprs[expr] else { return self.c(expr) };
        let args = &self.core.expr_lists[args];
        match self.call(callee, args.len()) {
            Call::Other => {}
            Call::Action(primitive) => {
                args.iter().rev().for_each(|&arg| self.c(arg));
                return self.pack_action(primitive, self.core.spans[expr]);
            }
            _ => return self.c(expr),
        }
        for (at, &arg) in args.iter().enumerate().rev() {
            match self.core.demand(callee, args.len(), at) {
                Demand::Lazy => self.c(arg),
                demand => self.demanded(arg, demand),
            }
        }
        self.c(callee);
        self.apply(args.len(), self.core.spans[expr]);
    }

    /// Emits `E[expr]` of an expression of whose value more is demanded: what is a constructor
    /// here gets those fields evaluated that are.
    fn demanded(&mut self, expr: ExprId, demand: Demand) {
        ensure_sufficient_stack(|| {
            let Expr::App(callee, args) = self.core.exprs[expr] else { return self.e(expr) };
            let Call::Pack(con) = self.call(callee, args.len()) else { return self.e(expr) };
            for (at, &field) in self.core.expr_lists[args].iter().enumerate().rev() {
                match demand.field(con, at) {
                    Demand::Lazy => self.c(field),
                    demand => self.demanded(field, demand),
                }
            }
            self.emit(Instr::Pack(self.cons[con]), self.core.spans[expr]);
        });
    }

    /// Emits the bindings of the letrec `expr`: a hole for each, then each hole's value.
    pub(super) fn letrec(&mut self, binds: &[Bind], expr: ExprId) {
        let span = self.core.spans[expr];
        let count = binds.len() as u32;
        self.emit(Instr::Alloc(count), span);
        let first = self.code.depth() - count;
        for (i, bind) in binds.iter().enumerate() {
            self.env.bind(bind.local, first + i as u32, false);
        }
        for (i, bind) in binds.iter().enumerate() {
            self.c(bind.value);
            self.emit(Instr::Update(count - 1 - i as u32), self.core.spans[bind.value]);
        }
        for (i, bind) in binds.iter().enumerate() {
            let evaluated = self.options.eval_once && self.is_value(bind.value);
            self.env.bind(bind.local, first + i as u32, evaluated);
        }
    }
}

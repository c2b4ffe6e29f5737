//! Actions in code of the program: how they are built, and effects that are done where they stand.

use super::perform::{Mode, Performer};
use super::{Compiler, Source};
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::expr as core;
use crate::core::expr::{Expr, ExprId, Step};
use crate::gcode::effect::{ActionCon, Effect, INNER};
use crate::gcode::instr::{Instr, IntLit};
use crate::primitive::Primitive;

impl Compiler<'_> {
    /// Emits the code of a primitive that is an action, as a function.
    pub(super) fn action_code(&mut self, primitive: Primitive) {
        let arity = primitive.arity() as u32;
        (0..arity).for_each(|_| self.own(Instr::Push(arity.saturating_sub(1))));
        self.pack_action(primitive, Span::NONE);
    }

    /// Emits what makes an action of the operands of a primitive that is one, the first one topmost.
    pub(super) fn pack_action(&mut self, primitive: Primitive, span: Span) {
        let con = match primitive {
            Primitive::Return => self.action(ActionCon::Return),
            Primitive::Bind => self.action(ActionCon::Bind),
            Primitive::Handle => self.action(ActionCon::Handle),
            Primitive::PutText => self.action(ActionCon::PutText),
            Primitive::PutError => self.action(ActionCon::PutError),
            _ => {
                if primitive == Primitive::Fork {
                    // The run goes on with it where there are several threads.
                    self.actions();
                    self.global(Source::Performer(Performer::Perform(Mode::InTurns)));
                }
                let Some(effect) = Effect::of(primitive) else {
                    unreachable!("every other action is the effect of a row of the table")
                };
                self.effect_con(effect)
            }
        };
        self.emit(Instr::Pack(con), span);
    }

    /// Emits what makes an action of the action and the function on top.
    pub(super) fn enter(&mut self, span: Span) {
        let con = self.action(ActionCon::Enter);
        self.emit(Instr::Pack(con), span);
    }

    /// Emits an effect of code of the program, whose result is left on the stack. Returns whether that
    /// is evaluated.
    pub(super) fn do_effect(&mut self, expr: ExprId) -> bool {
        let Some((effect, args)) = self.effect_of(expr) else {
            unreachable!("only effects are performed: the lint of core checks it")
        };
        // The run finds how to perform wherever actions are.
        self.actions();
        let span = self.core.spans[expr];
        let args = &self.core.expr_lists[args];
        let operands = || args.iter().zip(effect.operands());
        let evaluated = operands().filter(|&(&arg, &strict)| strict && !self.is_value(arg)).count();
        let operand = |compiler: &mut Self, (&arg, &strict): (&ExprId, &bool)| match strict {
            true => compiler.e(arg),
            false => compiler.c(arg),
        };
        // The first operand has to be topmost; it is also the one that is evaluated first.
        if evaluated <= 1 {
            operands().rev().for_each(|it| operand(self, it));
            self.emit(Instr::Effect(effect), span);
        } else {
            let count = effect.arity();
            operands().for_each(|it| operand(self, it));
            (0..count).for_each(|at| self.emit(Instr::Push(2 * at), span));
            self.emit(Instr::Effect(effect), span);
            self.emit(Instr::Slide(count), span);
        }
        effect.returns_evaluated()
    }

    /// Returns the effect that an expression is, and its operands.
    fn effect_of(&self, expr: ExprId) -> Option<(Effect, List<ExprId>)> {
        let Expr::App(callee, args) = self.core.exprs[expr] else { return None };
        let Expr::Global(callee) = self.core.exprs[callee] else { return None };
        match self.core.globals[callee].kind {
            core::GlobalKind::Step(Step::Effect(effect)) => Some((effect, args)),
            _ => None,
        }
    }

    /// Emits the code of a primitive with code of its own, as a function.
    pub(super) fn lazy_code(&mut self, primitive: Primitive) {
        // The run finds how to fail again, and to perform, wherever that can happen.
        self.actions();
        match primitive {
            Primitive::Throw => {
                self.own(Instr::Push(0));
                self.own(Instr::Eval);
                self.throw(Span::NONE);
            }
            Primitive::ThrowAgain => {
                self.own(Instr::Push(1));
                self.own(Instr::Eval);
                self.own(Instr::Push(1));
                self.own(Instr::Effect(Effect::FailAgain));
            }
            Primitive::RunState => {
                self.own(Instr::Effect(Effect::NewState));
                self.pack(ActionCon::ThenState);
                self.own(Instr::Push(2));
                self.push_performer(Performer::Perform(Mode::Alone));
                self.apply(3, Span::NONE);
            }
            Primitive::UnsafePerform => {
                self.own(Instr::PushInt(IntLit::Small(INNER)));
                self.pack(ActionCon::ThenState);
                self.own(Instr::Push(2));
                self.push_performer(Performer::Perform(Mode::Alone));
                self.apply(3, Span::NONE);
            }
            other => unreachable!("`{}` has another shape", other.name()),
        }
    }

    /// Emits how to fail with the value on top, which is evaluated.
    pub(super) fn throw(&mut self, span: Span) {
        self.actions();
        self.emit(Instr::Effect(Effect::Throw), span);
    }
}

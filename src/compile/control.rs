//! What R and E have in common: the expressions through which a strict context reaches its
//! parts, and what an application is a call of.
//!
//! Both schemes emit the same code up to the end of a branch. In R a branch ends in `Unwind`;
//! the `Slide` and `Jump` that E has there cannot be reached then and are not emitted.

use super::Compiler;
use crate::base::span::Span;
use crate::core::expr::{
    Branches, ConBranch, ConId, Expr, ExprId, GlobalId, GlobalKind, HostOrigin, Join, JoinId, Lit,
    LocalId, Step, Switch,
};
use crate::gcode::instr::{Instr, Jumps, Label};
use crate::primitive::{Primitive, Shape};

/// The scheme of sub-expressions in the same context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    /// The value goes into the redex.
    R,
    /// The value stays on the stack.
    E,
}

/// The destination of jumps to a join.
pub(super) struct Target {
    label: Label,
    /// The depth of the stack where the join begins; the arguments come on top of that.
    depth: u32,
    /// For each parameter, whether all jumps so far have passed a value in weak head normal
    /// form.
    values: Vec<bool>,
    /// The length of the environment's path where the join begins.
    mark: usize,
    /// The locals from outside the join that have been evaluated after `mark` on the paths of all
    /// jumps so far; `None` before the first jump.
    common: Option<Vec<LocalId>>,
}

/// The greatest number of locals that a handler knows to be evaluated because all jumps have
/// evaluated them. Each jump looks at all of them.
const COMMON: usize = 32;

/// The kind of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// A constructor with all its fields.
    Pack(ConId),
    /// A primitive that is one instruction, with all its operands.
    Strict(Primitive),
    /// `if` with all its operands.
    If,
    /// `seq` with all its operands.
    Seq,
    /// `error` with its message.
    Error,
    /// `throw` with its value.
    Throw,
    /// A primitive that is an action, with all its operands: a constructor.
    Action(Primitive),
    /// [`Step::Enter`]: an action.
    Enter,
    /// A host function with all its arguments.
    Host(GlobalId),
    /// A partial application, which is a value.
    Partial,
    /// Anything else: a callee that only the run knows, or more arguments than its arity.
    Other,
}

impl Compiler<'_> {
    /// Returns what `callee` applied to `count` arguments is a call of.
    pub(super) fn call(&self, callee: ExprId, count: usize) -> Call {
        let (arity, saturated) = match self.core.exprs[callee] {
            Expr::Con(con) => (self.core.cons[con].arity as usize, Call::Pack(con)),
            Expr::Global(global) => {
                let saturated = match self.core.globals[global].kind {
                    GlobalKind::Defn { .. }
                    | GlobalKind::Host { origin: HostOrigin::Earlier(_), .. } => Call::Other,
                    GlobalKind::Host { origin: HostOrigin::Function(_), .. } => Call::Host(global),
                    GlobalKind::Step(Step::Enter) => Call::Enter,
                    GlobalKind::Step(
                        Step::Effect(_) | Step::Put(_) | Step::Continue | Step::GoOn,
                    ) => Call::Other,
                    GlobalKind::Primitive(primitive) => match primitive.shape() {
                        Shape::Strict => Call::Strict(primitive),
                        Shape::If => Call::If,
                        Shape::Seq => Call::Seq,
                        Shape::Error => Call::Error,
                        Shape::Lazy if primitive == Primitive::Throw => Call::Throw,
                        Shape::Action => Call::Action(primitive),
                        Shape::Lazy => Call::Other,
                    },
                };
                (self.core.arity(global), saturated)
            }
            _ => return Call::Other,
        };
        match count.cmp(&arity) {
            std::cmp::Ordering::Less => Call::Partial,
            std::cmp::Ordering::Equal => saturated,
            std::cmp::Ordering::Greater => Call::Other,
        }
    }

    /// Emits code for an expression that passes its strict context on to its parts; `false`
    /// if it is no such expression.
    pub(super) fn control(&mut self, scheme: Scheme, expr: ExprId) -> bool {
        let core = self.core;
        let span = core.spans[expr];
        match core.exprs[expr] {
            Expr::App(callee, args) => {
                let args = &core.expr_lists[args];
                match (self.call(callee, args.len()), args) {
                    (Call::If, &[condition, yes, no]) => {
                        self.if_(scheme, condition, yes, no, span);
                    }
                    (Call::Seq, &[first, second]) => {
                        self.e(first);
                        self.emit(Instr::Pop(1), span);
                        self.strict(scheme, second);
                    }
                    (Call::Host(global), args) => {
                        args.iter().rev().for_each(|&arg| self.c(arg));
                        self.host_call(scheme, global, span);
                    }
                    _ => return false,
                }
            }
            Expr::Let(local, value, body) => {
                self.let_(local, value);
                self.strict(scheme, body);
                self.emit(Instr::Slide(1), span);
            }
            Expr::Letrec(binds, body) => {
                let binds = &core.binds[binds];
                self.letrec(binds, expr);
                self.strict(scheme, body);
                self.emit(Instr::Slide(binds.len() as u32), span);
            }
            Expr::Force(local, value, body) => {
                self.e(value);
                let mark = self.env.mark();
                // The value of a local that has been evaluated is found through the local too.
                if let Expr::Local(same) = core.exprs[value] {
                    self.env.evaluate(same);
                }
                self.forced(scheme, local, body, span);
                self.forget(mark);
            }
            Expr::Perform(local, value, body) => {
                let is_evaluated = self.do_effect(value);
                if self.uses[local] == 0 {
                    self.emit(Instr::Pop(1), span);
                    self.strict(scheme, body);
                } else if self.code.is_live() {
                    self.env.bind(local, self.code.depth() - 1, is_evaluated);
                    self.strict(scheme, body);
                    self.emit(Instr::Slide(1), span);
                }
            }
            Expr::Switch(switch) => {
                let switch = &core.switches[switch];
                self.push_local(switch.scrutinee, span);
                if !switch.evaluated && !self.env.is_evaluated(switch.scrutinee) {
                    self.emit(Instr::Eval, span);
                }
                let mark = self.env.mark();
                self.env.evaluate(switch.scrutinee);
                self.switch(scheme, switch, span);
                self.forget(mark);
            }
            Expr::Join(join, body) => self.join(scheme, join, body, span),
            Expr::Jump(join, args) => self.jump(join, &core.expr_lists[args], span),
            Expr::NoMatch => self.emit(Instr::NoMatch, span),
            Expr::Lit(_)
            | Expr::Text(_)
            | Expr::Local(_)
            | Expr::Global(_)
            | Expr::Con(_)
            | Expr::Lam(..)
            | Expr::Error => return false,
        }
        true
    }

    /// Emits the body of a join, and its handler if a jump to it was emitted. The handler finds
    /// the arguments of the jump above what was on the stack where the join begins.
    fn join(&mut self, scheme: Scheme, join: JoinId, body: ExprId, span: Span) {
        let Join { params, handler } = self.core.joins[join];
        let params = &self.core.local_lists[params];
        let count = params.len() as u32;
        let (label, end) = (self.code.label(), self.code.label());
        let depth = self.code.depth();
        let (values, mark) = (vec![true; params.len()], self.env.mark());
        self.joins.insert(join, Target { label, depth, values, mark, common: None });
        self.strict(scheme, body);
        self.env.undo(mark);
        let Some(target) = self.joins.remove(&join) else { return };
        if !self.code.is_used(label) {
            return;
        }
        self.emit(Instr::Jump(end), span);
        self.code.place(label);
        for ((&param, evaluated), height) in params.iter().zip(target.values).zip((0..count).rev())
        {
            self.env.bind(param, depth + height, evaluated);
        }
        target.common.into_iter().flatten().for_each(|local| self.env.evaluate(local));
        self.strict(scheme, handler);
        self.env.undo(mark);
        if count > 0 {
            self.emit(Instr::Slide(count), span);
        }
        self.code.place(end);
    }

    /// Emits a jump to a join around it.
    fn jump(&mut self, join: JoinId, args: &[ExprId], span: Span) {
        let values: Vec<bool> = args.iter().map(|&arg| self.is_value(arg)).collect();
        args.iter().rev().for_each(|&arg| self.c(arg));
        let Some(target) = self.joins.get_mut(&join) else {
            unreachable!("a jump stands in the body of its join: the lint of core checks it")
        };
        for (known, value) in target.values.iter_mut().zip(values) {
            *known &= value;
        }
        if self.options.eval_once {
            let env = &self.env;
            match &mut target.common {
                Some(common) => common.retain(|&local| env.is_evaluated(local)),
                None => {
                    let outer = |local: &&LocalId| env.height(**local) < target.depth;
                    let path = env.since(target.mark).iter().filter(outer);
                    target.common = Some(path.take(COMMON).copied().collect());
                }
            }
        }
        let (label, count) = (target.label, args.len() as u32);
        match (count, self.code.depth() - count - target.depth) {
            (_, 0) => {}
            (0, below) => self.emit(Instr::Pop(below), span),
            (1, below) => self.emit(Instr::Slide(below), span),
            (_, below) => self.emit(Instr::Squeeze(count, below), span),
        }
        self.emit(Instr::Jump(label), span);
    }

    /// Emits a part in the same context.
    fn strict(&mut self, scheme: Scheme, expr: ExprId) {
        match scheme {
            Scheme::R => self.r(expr),
            Scheme::E => self.e(expr),
        }
    }

    /// Emits one of several branches: what it evaluates, the others do not know.
    fn branch(&mut self, scheme: Scheme, expr: ExprId) {
        let mark = self.env.mark();
        self.strict(scheme, expr);
        self.env.undo(mark);
    }

    /// Forgets what has been evaluated since a mark, unless the options ask to evaluate nothing
    /// twice.
    fn forget(&mut self, mark: usize) {
        if !self.options.eval_once {
            self.env.undo(mark);
        }
    }

    fn if_(&mut self, scheme: Scheme, condition: ExprId, yes: ExprId, no: ExprId, span: Span) {
        let (at_yes, at_no, end) = (self.code.label(), self.code.label(), self.code.label());
        self.e(condition);
        self.emit(Instr::Cond(at_yes, at_no), span);
        self.code.place(at_yes);
        self.branch(scheme, yes);
        self.emit(Instr::Jump(end), span);
        self.code.place(at_no);
        self.branch(scheme, no);
        self.code.place(end);
    }

    /// Calls a host function whose arguments are on the stack.
    fn host_call(&mut self, scheme: Scheme, global: GlobalId, span: Span) {
        if !self.code.is_live() {
            return;
        }
        let arity = self.core.arity(global) as u32;
        let host = self.host(global, arity);
        self.emit(Instr::CallHost(host), span);
        match scheme {
            Scheme::R => self.update_and_unwind(span),
            Scheme::E => self.emit(Instr::Eval, span),
        }
    }

    /// Emits the body of a `Force` whose value is on top.
    fn forced(&mut self, scheme: Scheme, local: LocalId, body: ExprId, span: Span) {
        if !self.code.is_live() {
            return;
        }
        let core = self.core;
        match (self.uses[local], core.exprs[body]) {
            (0, _) => {
                self.emit(Instr::Pop(1), span);
                self.strict(scheme, body);
            }
            // Looked at once and not named again: it needs no place of its own.
            (1, Expr::Switch(switch)) if core.switches[switch].scrutinee == local => {
                self.switch(scheme, &core.switches[switch], core.spans[body]);
            }
            _ => {
                self.env.bind(local, self.code.depth() - 1, true);
                self.strict(scheme, body);
                self.emit(Instr::Slide(1), span);
            }
        }
    }

    /// Emits a switch whose scrutinee, evaluated, is on top.
    fn switch(&mut self, scheme: Scheme, switch: &Switch, span: Span) {
        match &switch.branches {
            Branches::Cons(branches) => self.con_switch(scheme, branches, switch.default, span),
            Branches::Lits(branches) => self.lit_switch(scheme, branches, switch.default, span),
        }
    }

    fn con_switch(
        &mut self,
        scheme: Scheme,
        branches: &[ConBranch],
        default: Option<ExprId>,
        span: Span,
    ) {
        let labels: Vec<Label> = branches.iter().map(|_| self.code.label()).collect();
        let all = branches
            .first()
            .map_or(0, |branch| self.core.datas[self.core.cons[branch.con].data].cons.len());
        let otherwise = (default.is_some() || branches.len() < all).then(|| self.code.label());
        let end = self.code.label();
        let cons = branches.iter().map(|branch| self.cons[branch.con]);
        let jumps =
            Jumps { branches: cons.zip(labels.iter().copied()).collect(), default: otherwise };
        self.emit(Instr::CaseJump(Box::new(jumps)), span);
        for (i, (branch, &label)) in branches.iter().zip(&labels).enumerate() {
            self.code.place(label);
            let count = branch.fields.len() as u32;
            self.emit(Instr::Split(count), span);
            for (height, field) in (0..self.code.depth()).rev().zip(&branch.fields) {
                if let Some(field) = *field {
                    self.env.bind(field, height, false);
                }
            }
            self.branch(scheme, branch.body);
            self.emit(Instr::Slide(count), span);
            if i + 1 < branches.len() || otherwise.is_some() {
                self.emit(Instr::Jump(end), span);
            }
        }
        if let Some(otherwise) = otherwise {
            self.code.place(otherwise);
            self.emit(Instr::Pop(1), span);
            self.default(scheme, default, span);
        }
        self.code.place(end);
    }

    fn lit_switch(
        &mut self,
        scheme: Scheme,
        branches: &[(Lit, ExprId)],
        default: Option<ExprId>,
        span: Span,
    ) {
        let (otherwise, end) = (self.code.label(), self.code.label());
        let jumps: Vec<_> =
            branches.iter().map(|&(lit, _)| (self.lit(lit), self.code.label())).collect();
        let targets: Vec<Label> = jumps.iter().map(|(_, label)| *label).collect();
        let jumps = Jumps { branches: jumps, default: Some(otherwise) };
        self.emit(Instr::LitJump(Box::new(jumps)), span);
        for (&(_, body), label) in branches.iter().zip(targets) {
            self.code.place(label);
            self.branch(scheme, body);
            self.emit(Instr::Jump(end), span);
        }
        self.code.place(otherwise);
        self.default(scheme, default, span);
        self.code.place(end);
    }

    /// Emits what is done when no branch fits: without a default, that is an error.
    fn default(&mut self, scheme: Scheme, default: Option<ExprId>, span: Span) {
        match default {
            Some(default) => self.branch(scheme, default),
            None => self.emit(Instr::NoMatch, span),
        }
    }
}

//! The abstract value of an expression: the rules of the analysis.
//!
//! Nearly everything is evaluated once for each time that the body around it is. A local that
//! a `let` binds stands for a variable of its own while the body of the `let` is evaluated:
//! that tells whether the body is strict in it. Then its value takes the variable's place. The
//! same is done with the parameters of a join, and their arguments at each jump.

use rustc_hash::FxHashMap;

use super::value::{Algebra, Value};
use crate::base::index::{Idx, IndexVec, List};
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Bind, Expr, ExprId, GlobalId, GlobalKind, Join, JoinId, LocalId, Program, Step, Switch,
};
use crate::primitive::Shape;

/// The number of variables in scope beside parameters. A `let` inside of more of them is not found
/// to be strict.
const VARIABLES: u32 = 4096;

/// Evaluates the bodies of a program.
pub(super) struct Evaluator<'p> {
    program: &'p Program,
    /// The present iterate of each supercombinator, as a function of its parameters.
    pub(super) functions: IndexVec<GlobalId, Value>,
    /// Of each local bound by a `let`, whether the body is strict in it; of each parameter of a
    /// join, whether the handler is.
    pub(super) strict: Vec<bool>,
    pub(super) algebra: Algebra,
    /// The work of the algebra after which everything is [`Value::ONE`].
    pub(super) limit: u64,
    locals: IndexVec<LocalId, Value>,
    /// The number of the next variable.
    next: u32,
    /// The number after that of the last variable.
    end: u32,
    /// The values of the handlers of the enclosing joins as functions of their parameters, and the
    /// variable of the first parameter.
    joins: FxHashMap<JoinId, (Value, u32)>,
}

impl<'p> Evaluator<'p> {
    /// Returns an evaluator to which every supercombinator is bottom: where a fixpoint starts.
    pub(super) fn new(program: &'p Program) -> Evaluator<'p> {
        Evaluator {
            program,
            functions: program.globals.iter().map(|_| Value::ZERO).collect(),
            strict: vec![false; program.locals.len()],
            algebra: Algebra::default(),
            limit: u64::MAX,
            // What a `letrec` binds keeps the value that it had when its body was evaluated
            // last: all else only grew since then, so that the fixpoint is above it.
            locals: program.locals.iter().map(|_| Value::ZERO).collect(),
            next: 0,
            end: 0,
            joins: FxHashMap::default(),
        }
    }

    /// Returns whether there has been more work than the limit allows. What is found then says
    /// nothing.
    pub(super) fn is_exhausted(&self) -> bool {
        self.algebra.work > self.limit
    }

    /// Returns what a supercombinator is as a function of its parameters.
    pub(super) fn body(&mut self, params: List<LocalId>, body: ExprId) -> Value {
        let params = &self.program.local_lists[params];
        for (number, &param) in params.iter().enumerate() {
            self.locals[param] = Value::variable(number as u32);
        }
        self.next = params.len() as u32;
        self.end = self.next.saturating_add(VARIABLES);
        self.expr(body)
    }

    fn expr(&mut self, expr: ExprId) -> Value {
        self.algebra.work += 1;
        match self.program.exprs[expr] {
            Expr::Lit(_) | Expr::Text(_) | Expr::Con(_) | Expr::Lam(..) => Value::ONE,
            Expr::Local(local) => self.local(local),
            Expr::Global(global) => self.global(global),
            Expr::NoMatch | Expr::Error => Value::ZERO,
            _ if self.is_exhausted() => Value::ONE,
            _ => ensure_sufficient_stack(|| self.step(expr)),
        }
    }

    /// Returns the value of an expression with parts. Each kind has a function of its own, not inlined, so that
    /// a level of a deep expression takes no more stack than its kind needs.
    fn step(&mut self, expr: ExprId) -> Value {
        match self.program.exprs[expr] {
            Expr::App(callee, args) => self.application(callee, args),
            Expr::Let(local, value, body) => self.let_(local, value, body),
            Expr::Letrec(binds, body) => {
                self.letrec(binds);
                self.expr(body)
            }
            Expr::Force(local, value, body) => self.force(local, value, body),
            Expr::Perform(local, value, body) => self.perform(local, value, body),
            Expr::Switch(switch) => self.switch(&self.program.switches[switch]),
            Expr::Join(join, body) => self.join(join, body),
            Expr::Jump(join, args) => self.jump(join, args),
            _ => Value::ONE,
        }
    }

    fn local(&mut self, local: LocalId) -> Value {
        let value = self.locals[local].clone();
        self.algebra.work += value.causes().len() as u64;
        value
    }

    /// Returns the value of a global that is not applied.
    fn global(&mut self, global: GlobalId) -> Value {
        let is_caf = matches!(self.program.globals[global].kind, GlobalKind::Defn { params, .. } if params.is_empty());
        if is_caf { self.functions[global].clone() } else { Value::ONE }
    }

    fn application(&mut self, callee: ExprId, args: List<ExprId>) -> Value {
        let program = self.program;
        let global = match program.exprs[callee] {
            Expr::Con(_) => return Value::ONE,
            Expr::Global(global) => global,
            // Of what is called nothing is known but that it is evaluated.
            _ => return self.expr(callee),
        };
        let args = &program.expr_lists[args];
        // A partial application is a value; an over-application evaluates its prefix.
        let Some(args) = args.get(..program.arity(global)) else { return Value::ONE };
        match program.globals[global].kind {
            GlobalKind::Host { .. } => Value::ONE,
            GlobalKind::Defn { .. } => self.call(global, args),
            GlobalKind::Primitive(primitive) => match (primitive.shape(), args) {
                (Shape::Error, _) => Value::ZERO,
                (Shape::Action | Shape::Lazy, _) => Value::ONE,
                (Shape::If, &[condition, yes, no]) => self.if_(condition, yes, no),
                _ => self.operands(args),
            },
            GlobalKind::Step(step) => self.step_of(step, args),
        }
    }

    /// Returns the value of a step of performing actions: the AND of what is evaluated first. What
    /// comes after may happen to be interrupted, or to be told to end.
    #[inline(never)]
    fn step_of(&mut self, step: Step, args: &[ExprId]) -> Value {
        let mut all = Value::ONE;
        for (at, &arg) in args.iter().enumerate() {
            if step.is_strict(at) {
                let arg = self.expr(arg);
                all = self.algebra.and(all, &arg);
            }
        }
        all
    }

    #[inline(never)]
    fn operands(&mut self, args: &[ExprId]) -> Value {
        let mut all = Value::ONE;
        for &arg in args {
            let arg = self.expr(arg);
            all = self.algebra.and(all, &arg);
        }
        all
    }

    #[inline(never)]
    fn if_(&mut self, condition: ExprId, yes: ExprId, no: ExprId) -> Value {
        let yes = self.expr(yes);
        let no = self.expr(no);
        let either = self.algebra.or(yes, no);
        let condition = self.expr(condition);
        self.algebra.and(either, &condition)
    }

    /// Returns the value of a supercombinator with all its arguments.
    #[inline(never)]
    fn call(&mut self, global: GlobalId, args: &[ExprId]) -> Value {
        // Taken out while it is applied, because evaluating an argument may apply it too.
        let function = self.functions[global].clone();
        let mut algebra = std::mem::take(&mut self.algebra);
        let result = algebra.apply(&function, |algebra, number| {
            std::mem::swap(&mut self.algebra, algebra);
            let value = args.get(number as usize).map_or(Value::ONE, |&arg| self.expr(arg));
            std::mem::swap(&mut self.algebra, algebra);
            value
        });
        self.algebra = algebra;
        result
    }

    #[inline(never)]
    fn force(&mut self, local: LocalId, value: ExprId, body: ExprId) -> Value {
        let value = self.expr(value);
        self.locals[local] = Value::ONE;
        let body = self.expr(body);
        self.algebra.and(body, &value)
    }

    /// Returns the value of an effect and what comes after it: nothing of that may be evaluated before
    /// the effect is done, or fail in its place.
    #[inline(never)]
    fn perform(&mut self, local: LocalId, value: ExprId, body: ExprId) -> Value {
        self.locals[local] = Value::ONE;
        // For what is found of the bindings in it.
        self.expr(body);
        self.expr(value)
    }

    #[inline(never)]
    fn let_(&mut self, local: LocalId, value: ExprId, body: ExprId) -> Value {
        if self.next >= self.end {
            self.strict[local.index()] = false;
            self.locals[local] = self.expr(value);
            return self.expr(body);
        }
        let variable = self.next;
        self.next += 1;
        self.locals[local] = Value::variable(variable);
        let body = self.expr(body);
        self.next -= 1;
        // What fails anyway is to fail in its own way.
        self.strict[local.index()] = !body.is_zero() && body.is_strict(variable);
        if !body.depends_on(variable) {
            return body;
        }
        let value = self.expr(value);
        self.algebra.substitute(body, variable, &value)
    }

    /// Computes the values of what a `letrec` binds, as a least fixpoint from below.
    #[inline(never)]
    fn letrec(&mut self, binds: List<Bind>) {
        let binds = &self.program.binds[binds];
        let mut stable = false;
        while !stable {
            stable = true;
            for bind in binds {
                let value = self.expr(bind.value);
                let before = std::mem::take(&mut self.locals[bind.local]);
                let (value, grown) = self.algebra.raise(before, value);
                self.locals[bind.local] = value;
                stable &= !grown;
            }
            if self.is_exhausted() {
                return;
            }
        }
    }

    /// Returns the value of a join. Its parameters stand for variables of their own, in the body
    /// too: there the arguments of jumps may not be taken for them.
    #[inline(never)]
    fn join(&mut self, join: JoinId, body: ExprId) -> Value {
        let Join { params, handler } = self.program.joins[join];
        let params = &self.program.local_lists[params];
        let first = self.next;
        let fits = params.len() as u64 <= u64::from(self.end - first);
        for (number, &param) in params.iter().enumerate() {
            self.locals[param] =
                if fits { Value::variable(first + number as u32) } else { Value::ONE };
        }
        if fits {
            self.next += params.len() as u32;
        }
        let handler = self.expr(handler);
        for (number, &param) in params.iter().enumerate() {
            let is_strict = fits && !handler.is_zero() && handler.is_strict(first + number as u32);
            self.strict[param.index()] = is_strict;
        }
        self.joins.insert(join, (handler, first));
        let body = self.expr(body);
        self.joins.remove(&join);
        self.next = first;
        body
    }

    /// Returns the value of the handler, its parameters bound to the arguments.
    #[inline(never)]
    fn jump(&mut self, join: JoinId, args: List<ExprId>) -> Value {
        let (mut value, first) = self.joins.get(&join).cloned().unwrap_or((Value::ONE, 0));
        self.algebra.work += value.causes().len() as u64;
        for (number, &arg) in self.program.expr_lists[args].iter().enumerate() {
            let variable = first + number as u32;
            if value.depends_on(variable) {
                let arg = self.expr(arg);
                value = self.algebra.substitute(value, variable, &arg);
            }
        }
        value
    }

    #[inline(never)]
    fn switch(&mut self, switch: &Switch) -> Value {
        let mut either = match switch.default {
            Some(default) => self.expr(default),
            None => Value::ZERO,
        };
        for field in switch.fields() {
            self.locals[field] = Value::ONE;
        }
        let branches = switch.bodies().take(switch.branches.len());
        for body in branches {
            let body = self.expr(body);
            either = self.algebra.or(either, body);
        }
        let scrutinee = self.local(switch.scrutinee);
        self.algebra.and(either, &scrutinee)
    }
}

//! Which supercombinators can only fail: no call of one returns.
//!
//! A call in last position leaves nothing of its caller on the stack, and so a failure in what is
//! called could not be told where the caller stands. A call that never returns keeps its caller's
//! frame instead; it costs one frame, once.
//!
//! A supercombinator never returns if each of its ends fails, or is a call of one that never returns,
//! or if it evaluates what never returns. Those that call each other are looked at together, and each is
//! taken not to return while they are: a call that returns does so in finitely many steps, so none of
//! them does if what each does rests on the others alone. If one of them may return, none of them
//! is taken for one that does not.
//!
//! Calls within such a circle keep no frames, so that a loop without end stays constant in stack:
//! at most as many frames are kept in a row as there are circles.

use rustc_hash::FxHashMap;

use crate::base::index::IndexVec;
use crate::base::scc::components;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, JoinId, Program};
use crate::core::traverse::Position;
use crate::primitive::{Primitive, Shape};

/// What is known of a program's supercombinators.
#[derive(Debug)]
pub(super) struct Failing {
    /// For each that never returns the circle that it is in, from 1; 0 for the others.
    circles: IndexVec<GlobalId, u32>,
}

impl Failing {
    /// Analyses all supercombinators of a program.
    pub fn of(program: &Program) -> Failing {
        let bodies: Vec<_> =
            (0..program.globals.len()).map(|at| body(program, GlobalId(at as u32))).collect();
        let calls: Vec<Vec<u32>> = bodies
            .iter()
            .map(|body| body.map_or(Vec::new(), |body| calls(program, body)))
            .collect();
        let circles = program.globals.iter().map(|_| 0).collect();
        let mut analysis =
            Analysis { program, found: Failing { circles }, joins: FxHashMap::default() };
        for (circle, members) in (1..).zip(components(&calls)) {
            let set = |analysis: &mut Analysis<'_>, to| {
                members.iter().for_each(|&member| analysis.found.circles[GlobalId(member)] = to);
            };
            set(&mut analysis, circle);
            let mut own = members.iter().map(|&member| bodies[member as usize]);
            if !own.all(|body| body.is_some_and(|body| analysis.fails(body))) {
                set(&mut analysis, 0);
            }
        }
        analysis.found
    }

    /// Returns whether an expression is a call that never returns, and not one of a circle of calls
    /// that `caller` is in.
    pub fn keeps_frame(&self, program: &Program, caller: GlobalId, expr: ExprId) -> bool {
        let Some((global, count)) = called(program, expr) else { return false };
        let circle = self.circles[global];
        self.never_returns(program, global, count)
            && (circle == 0 || circle != self.circles[caller])
    }

    /// Returns whether a global applied to `count` arguments never returns.
    fn never_returns(&self, program: &Program, global: GlobalId, count: usize) -> bool {
        count >= program.arity(global)
            && match program.globals[global].kind {
                GlobalKind::Primitive(primitive) => {
                    primitive.shape() == Shape::Error
                        || matches!(primitive, Primitive::Throw | Primitive::ThrowAgain)
                }
                GlobalKind::Defn { .. } => self.circles[global] != 0,
                GlobalKind::Step(_) | GlobalKind::Host { .. } => false,
            }
    }
}

/// Returns the body of a global that has one.
fn body(program: &Program, global: GlobalId) -> Option<ExprId> {
    match program.globals[global].kind {
        GlobalKind::Defn { body, .. } => body,
        GlobalKind::Primitive(_) | GlobalKind::Step(_) | GlobalKind::Host { .. } => None,
    }
}

/// Returns the global that an expression calls, and with how many arguments.
fn called(program: &Program, expr: ExprId) -> Option<(GlobalId, usize)> {
    let (callee, count) = match program.exprs[expr] {
        Expr::App(callee, args) => (callee, args.len()),
        _ => (expr, 0),
    };
    match program.exprs[callee] {
        Expr::Global(global) => Some((global, count)),
        _ => None,
    }
}

/// Returns the globals that a body calls in strict contexts.
fn calls(program: &Program, root: ExprId) -> Vec<u32> {
    let (mut found, mut work) = (Vec::new(), vec![root]);
    while let Some(expr) = work.pop() {
        if let Some((global, count)) = called(program, expr)
            && count >= program.arity(global)
            && body(program, global).is_some()
        {
            found.push(global.0);
        }
        let strict = program.children(expr).filter(|it| program.is_strict(expr, it.position));
        work.extend(strict.map(|child| child.expr));
    }
    found
}

struct Analysis<'p> {
    program: &'p Program,
    found: Failing,
    /// For each join around what is looked at whether its handler never returns.
    joins: FxHashMap<JoinId, bool>,
}

impl Analysis<'_> {
    /// Returns whether an expression in a strict context never returns.
    fn fails(&mut self, expr: ExprId) -> bool {
        ensure_sufficient_stack(|| self.fails_here(expr))
    }

    fn fails_here(&mut self, expr: ExprId) -> bool {
        let program = self.program;
        match program.exprs[expr] {
            Expr::NoMatch => true,
            Expr::Global(_) => self.is_failing_call(expr),
            Expr::App(callee, args) => {
                let tails = &program.expr_lists[program.tails(callee, args)];
                // Of an `if` one branch is its value, of `seq` the last operand.
                let is_tail = |position| match position {
                    Position::Argument(at) => at as usize + tails.len() >= args.len(),
                    _ => false,
                };
                let mut children = program.children(expr);
                self.is_failing_call(expr)
                    || children.any(|it| {
                        program.is_strict(expr, it.position)
                            && !is_tail(it.position)
                            && self.fails(it.expr)
                    })
                    || !tails.is_empty() && tails.iter().all(|&tail| self.fails(tail))
            }
            Expr::Let(_, _, body) | Expr::Letrec(_, body) => self.fails(body),
            Expr::Force(_, value, body) => self.fails(value) || self.fails(body),
            // What fails after an effect is no call that never returns: it may be interrupted.
            Expr::Perform(_, value, _) => self.fails(value),
            Expr::Switch(switch) => program.switches[switch].bodies().all(|body| self.fails(body)),
            Expr::Join(join, body) => {
                let handler = self.fails(program.joins[join].handler);
                self.joins.insert(join, handler);
                self.fails(body)
            }
            Expr::Jump(join, _) => self.joins.get(&join).is_some_and(|&fails| fails),
            Expr::Lit(_)
            | Expr::Text(_)
            | Expr::Local(_)
            | Expr::Con(_)
            | Expr::Lam(..)
            | Expr::Error => false,
        }
    }

    fn is_failing_call(&self, expr: ExprId) -> bool {
        called(self.program, expr)
            .is_some_and(|(global, count)| self.found.never_returns(self.program, global, count))
    }
}

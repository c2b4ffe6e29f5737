//! What is done in core with the result of the analysis: what a `let` binds and what a jump
//! passes is evaluated first.

use super::super::{Pass, Report};
use super::fixpoint::Analysis;
use crate::base::index::{Idx, List};
use crate::core::expr::{Branches, Expr, ExprId, GlobalKind, JoinId, Program};

/// In strict contexts, makes a `let` a `Force` if its body is strict in what it binds, and
/// forces an argument of a jump if the handler is strict in it. A `let` is not recursive, so
/// that this moves nothing but the evaluation.
pub(super) fn apply(program: &mut Program, analysis: &Analysis, report: &mut Report) {
    let mut given_up = vec![false; program.globals.len()];
    analysis.given_up.iter().for_each(|&global| given_up[global.index()] = true);
    for id in program.globals.indices() {
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[id].kind else { continue };
        if given_up[id.index()] {
            continue;
        }
        let mut apply = Apply { program, strict: &analysis.strict, work: vec![body], forced: 0 };
        while let Some(expr) = apply.work.pop() {
            apply.expr(expr);
        }
        let forced = apply.forced;
        report.count(Pass::Strictness, "bindings evaluated at once", forced);
        if forced > 0 {
            let symbol = &program.globals[id].symbol;
            report.decide(Pass::Strictness, || {
                format!("{symbol}: evaluates {forced} of its bindings at once")
            });
        }
    }
}

/// The change of one body.
struct Apply<'p> {
    program: &'p mut Program,
    strict: &'p [bool],
    /// Expressions in strict contexts.
    work: Vec<ExprId>,
    forced: u64,
}

impl Apply<'_> {
    fn expr(&mut self, expr: ExprId) {
        match self.program.exprs[expr] {
            Expr::Let(local, value, body) => {
                if self.strict[local.index()] {
                    self.program.exprs[expr] = Expr::Force(local, value, body);
                    self.work.push(value);
                    self.forced += 1;
                }
                self.work.push(body);
            }
            Expr::Letrec(_, body) => self.work.push(body),
            Expr::Force(_, value, body) => self.work.extend([value, body]),
            Expr::Join(join, body) => self.work.extend([body, self.program.joins[join].handler]),
            Expr::Jump(join, args) => self.jump(expr, join, args),
            Expr::Switch(switch) => {
                let switch = &self.program.switches[switch];
                match &switch.branches {
                    Branches::Cons(branches) => {
                        self.work.extend(branches.iter().map(|branch| branch.body));
                    }
                    Branches::Lits(branches) => {
                        self.work.extend(branches.iter().map(|(_, body)| body));
                    }
                }
                self.work.extend(switch.default);
            }
            Expr::App(callee, args) => {
                let args = &self.program.expr_lists[args];
                for (at, &arg) in args.iter().enumerate() {
                    if self.program.evaluates(callee, args.len(), at) {
                        self.work.push(arg);
                    }
                }
            }
            Expr::Lit(_)
            | Expr::Text(_)
            | Expr::Local(_)
            | Expr::Global(_)
            | Expr::Con(_)
            | Expr::Lam(..)
            | Expr::NoMatch
            | Expr::Error => {}
        }
    }

    /// Forces the arguments of a jump that the handler is strict in. A variable or a value is
    /// passed as it is: there is nothing to build.
    fn jump(&mut self, expr: ExprId, join: JoinId, args: List<ExprId>) {
        let program = &mut *self.program;
        let span = program.spans[expr];
        let params = program.local_lists[program.joins[join].params].to_vec();
        let mut passed = program.expr_lists[args].to_vec();
        let mut forced = Vec::new();
        for (arg, param) in passed.iter_mut().zip(params) {
            if self.strict[param.index()] && !program.is_value(*arg, |_| true) {
                let name = program.locals[param].name;
                let local = program.local(name, program.spans[*arg]);
                forced.push((local, *arg));
                self.work.push(*arg);
                *arg = program.expr(Expr::Local(local), span);
            }
        }
        if forced.is_empty() {
            return;
        }
        self.forced += forced.len() as u64;
        let jump = Expr::Jump(join, program.expr_lists.add(passed));
        let mut body = program.expr(jump, span);
        // The last argument is evaluated first, as everywhere.
        let mut rest = forced.into_iter();
        let first = rest.next();
        for (local, value) in rest {
            body = program.expr(Expr::Force(local, value, body), span);
        }
        if let Some((local, value)) = first {
            program.exprs[expr] = Expr::Force(local, value, body);
        }
    }
}

//! What is done in core with the result of the analysis: a `let` becomes a `Force`.

use super::super::{Pass, Report};
use super::fixpoint::Analysis;
use crate::base::index::Idx;
use crate::core::expr::{Branches, Expr, ExprId, GlobalId, GlobalKind, Program};
use crate::primitive::Shape;

/// Makes those `let`s `Force`s that stand in a strict context and whose body is strict in what
/// they bind. A `let` is not recursive, so that this one moves nothing but the evaluation.
pub(super) fn apply(program: &mut Program, analysis: &Analysis, report: &mut Report) {
    let mut given_up = vec![false; program.globals.len()];
    analysis.given_up.iter().for_each(|&global| given_up[global.index()] = true);
    for id in program.globals.indices() {
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[id].kind else { continue };
        if given_up[id.index()] {
            continue;
        }
        let forced = lets(program, body, &analysis.strict);
        report.count(Pass::Strictness, "bindings evaluated at once", forced);
        if forced > 0 {
            let symbol = &program.globals[id].symbol;
            report.decide(Pass::Strictness, || {
                format!("{symbol}: evaluates {forced} of its bindings at once")
            });
        }
    }
}

/// Changes the `let`s of one body; how many.
fn lets(program: &mut Program, body: ExprId, strict: &[bool]) -> u64 {
    let mut forced = 0;
    // Only expressions in strict contexts.
    let mut work = vec![body];
    while let Some(expr) = work.pop() {
        match program.exprs[expr] {
            Expr::Let(local, value, body) => {
                if strict[local.index()] {
                    program.exprs[expr] = Expr::Force(local, value, body);
                    work.push(value);
                    forced += 1;
                }
                work.push(body);
            }
            Expr::Letrec(_, body) => work.push(body),
            Expr::Force(_, first, second) | Expr::Try(first, second) => {
                work.extend([first, second]);
            }
            Expr::Switch(switch) => {
                let switch = &program.switches[switch];
                match &switch.branches {
                    Branches::Cons(branches) => {
                        work.extend(branches.iter().map(|branch| branch.body));
                    }
                    Branches::Lits(branches) => work.extend(branches.iter().map(|(_, body)| body)),
                }
                work.extend(switch.default);
            }
            Expr::App(callee, args) => {
                if let Expr::Global(global) = program.exprs[callee]
                    && evaluates_operands(program, global, args.len())
                {
                    work.extend(&program.expr_lists[args]);
                }
            }
            Expr::Lit(_)
            | Expr::Text(_)
            | Expr::Local(_)
            | Expr::Global(_)
            | Expr::Con(_)
            | Expr::Lam(..)
            | Expr::Fail
            | Expr::NoMatch
            | Expr::Error => {}
        }
    }
    forced
}

/// Whether so many operands of a global in a strict context are in a strict context too.
fn evaluates_operands(program: &Program, global: GlobalId, operands: usize) -> bool {
    match program.globals[global].kind {
        GlobalKind::Primitive(primitive) => {
            primitive.arity() == operands && primitive.shape() != Shape::Error
        }
        _ => false,
    }
}

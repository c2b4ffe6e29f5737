//! Checks that a program is made of supercombinators. A violation is a mistake of the
//! compiler, never of the program.

use super::capture::{Context, argument, is_strict_only};
use super::dependency::push_children;
use crate::core::expr::{Expr, ExprId, GlobalKind, Program};
use crate::core::lint as core_lint;

/// The violations of what core promises and of what lifting does: no `Lam` is left, no
/// supercombinator has a free variable, and `Force`, `Switch`, `Join`, `Jump` and
/// `NoMatch` stand in strict contexts only.
#[must_use]
pub fn lint(program: &Program) -> Vec<String> {
    let mut violations = core_lint::lint(program);
    if !violations.is_empty() {
        return violations;
    }
    for global in program.globals.iter() {
        let GlobalKind::Defn { body, .. } = global.kind else { continue };
        let Some(body) = body else {
            violations.push(format!("{}: has no body", global.symbol));
            continue;
        };
        let mut work: Vec<(ExprId, Context)> = vec![(body, Context::Strict)];
        while let Some((expr, context)) = work.pop() {
            let kind = program.exprs[expr];
            if context != Context::Strict && is_strict_only(kind) {
                violations.push(format!("{}: {expr:?} is in a lazy context", global.symbol));
            }
            match kind {
                Expr::Lam(..) => {
                    violations.push(format!("{}: {expr:?} is a function", global.symbol));
                }
                Expr::App(callee, args) => {
                    work.push((callee, Context::Lazy));
                    let count = args.len();
                    let args = program.expr_lists[args].iter().enumerate();
                    work.extend(
                        args.map(|(at, &arg)| (arg, argument(program, context, callee, count, at))),
                    );
                }
                Expr::Let(_, value, body) => {
                    work.extend([(body, context), (value, Context::Lazy)]);
                }
                Expr::Letrec(binds, body) => {
                    work.push((body, context));
                    let values = program.binds[binds].iter();
                    work.extend(values.map(|bind| (bind.value, Context::Lazy)));
                }
                Expr::Jump(_, args) => {
                    let args = program.expr_lists[args].iter();
                    work.extend(args.map(|&arg| (arg, Context::Lazy)));
                }
                _ => push_children(program, expr, &mut |child| work.push((child, context))),
            }
        }
    }
    violations
}

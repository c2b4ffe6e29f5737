//! Checks that a program is made of supercombinators. A violation is a mistake of the
//! compiler, never of the program.

use super::capture::{Context, is_strict_only};
use crate::core::expr::{Expr, ExprId, GlobalKind, Program};
use crate::core::lint as core_lint;

/// Returns the violations of what core promises and of what lifting does: no `Lam` is left, no
/// supercombinator has a free variable, and `Force`, `Switch`, `Join`, `Jump` and `NoMatch` stand
/// in strict contexts only.
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
            if let Expr::Lam(..) = kind {
                violations.push(format!("{}: {expr:?} is a function", global.symbol));
            }
            work.extend(
                program
                    .children(expr)
                    .map(|child| (child.expr, context.within(program, expr, child.position))),
            );
        }
    }
    violations
}

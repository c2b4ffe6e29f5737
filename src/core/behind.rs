//! Which functions stand behind an action in a `bind` or `handle`: what is told of a failure in the
//! action, once that has been taken apart, is found by them.

use super::expr::{Expr, ExprId, GlobalKind, Program};
use crate::base::span::Span;
use crate::primitive::Primitive;

/// Notes them in the program's places.
pub fn note(program: &mut Program) {
    let action = |callee: ExprId| match program.exprs[callee] {
        Expr::Global(callee) => matches!(
            program.globals[callee].kind,
            GlobalKind::Primitive(Primitive::Bind | Primitive::Handle)
        ),
        _ => false,
    };
    let mut behind: Vec<(Span, Span)> = Vec::new();
    for &expr in program.exprs.as_slice() {
        let Expr::App(callee, operands) = expr else { continue };
        if !action(callee) {
            continue;
        }
        let Some((&performed, functions)) = program.expr_lists[operands].split_first() else {
            continue;
        };
        let lambdas = functions.iter().filter(|of| matches!(program.exprs[**of], Expr::Lam(..)));
        let spans = lambdas.map(|&of| (program.spans[of], program.spans[performed]));
        behind.extend(spans.filter(|(function, _)| program.places.is_users(*function)));
    }
    program.places.set_behind(behind);
}

//! A CAF that is a knot refers to itself.
//!
//! `(defn f[] (letrec ([x (g x)]) x))`, where `g` lacks arguments, is a function that knows itself as `x`, and
//! `(defn f[] (fix g))` is the same by another name. What `x` is, `f` is: in `(defn f[] (g f))` partial
//! evaluation sees a definition with a twin that calls itself, and the recursion through the parameter is one by
//! name.
//!
//! Invariant: what the knot is tied in is a value. Nothing is evaluated to make it, so nothing can ask for it too
//! early.

use crate::core::expr::{Bind, Expr, ExprId, GlobalId, GlobalKind, LocalId, Program};

/// Unties the knots, and returns how many there were. Takes time linear in the program.
pub(super) fn write_out(program: &mut Program) -> u64 {
    let globals: Vec<GlobalId> = program.globals.indices().collect();
    globals.into_iter().map(|id| u64::from(untie(program, id).is_some())).sum()
}

fn untie(program: &mut Program, id: GlobalId) -> Option<()> {
    let GlobalKind::Defn { params, body: Some(body) } = program.globals[id].kind else {
        return None;
    };
    if !params.is_empty() {
        return None;
    }
    let value = match program.exprs[body] {
        Expr::Letrec(..) => {
            let (local, value) = knot(program, body)?;
            let is_itself = |&expr: &ExprId| program.used_local(expr) == Some(local);
            let uses: Vec<ExprId> = program.walk(value).filter(is_itself).collect();
            // What is switched on has to be a local.
            let is_plain = |&expr: &ExprId| matches!(program.exprs[expr], Expr::Local(_));
            if !lacks_arguments(program, value, 0) || !uses.iter().all(is_plain) {
                return None;
            }
            uses.into_iter().for_each(|expr| program.exprs[expr] = Expr::Global(id));
            value
        }
        Expr::App(callee, args) => {
            let Expr::Global(fix) = program.exprs[callee] else { return None };
            let &[function] = &program.expr_lists[args] else { return None };
            if !is_fixpoint(program, fix) || !lacks_arguments(program, function, 1) {
                return None;
            }
            let span = program.spans[body];
            let itself = program.expr(Expr::Global(id), span);
            let (callee, mut args) = match program.exprs[function] {
                Expr::App(callee, args) => (callee, program.expr_lists[args].to_vec()),
                _ => (function, Vec::new()),
            };
            args.push(itself);
            let args = program.expr_lists.add(args);
            program.expr(Expr::App(callee, args), span)
        }
        _ => return None,
    };
    program.globals[id].kind = GlobalKind::Defn { params, body: Some(value) };
    Some(())
}

/// Returns what a `letrec` binds that returns the one thing that it binds.
fn knot(program: &Program, expr: ExprId) -> Option<(LocalId, ExprId)> {
    let Expr::Letrec(binds, body) = program.exprs[expr] else { return None };
    let &[Bind { local, value, .. }] = &program.binds[binds] else { return None };
    (program.exprs[body] == Expr::Local(local)).then_some((local, value))
}

/// Returns whether a function returns what its parameter, applied to that itself, comes to.
fn is_fixpoint(program: &Program, global: GlobalId) -> bool {
    let GlobalKind::Defn { params, body: Some(body) } = program.globals[global].kind else {
        return false;
    };
    let &[param] = &program.local_lists[params] else { return false };
    let Some((local, value)) = knot(program, body) else { return false };
    let Expr::App(callee, args) = program.exprs[value] else { return false };
    let &[arg] = &program.expr_lists[args] else { return false };
    program.exprs[callee] == Expr::Local(param) && program.exprs[arg] == Expr::Local(local)
}

/// Returns whether an expression is a function by name, with arguments or not, that lacks some when it has
/// `more`.
pub(super) fn lacks_arguments(program: &Program, expr: ExprId, more: usize) -> bool {
    let (callee, count) = match program.exprs[expr] {
        Expr::App(callee, args) => (callee, args.len()),
        _ => (expr, 0),
    };
    matches!(program.exprs[callee], Expr::Global(of) if count + more < program.arity(of))
}

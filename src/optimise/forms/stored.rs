//! What a CAF that is a function was given is a CAF of its own.
//!
//! `(defn score[] (count (flip elem "etaoin")))` and `(defn weigh[] (compose sum (zipWith mul (cycle [1 2 3]))))`
//! are functions by another name, but what they hold is unpacked, or evaluated, once for all of their calls, so
//! partial evaluation may not write their bodies for a call. With names for what they hold it may:
//! `(defn score[] (count (flip elem score$v)))`.
//!
//! Invariants:
//! - What is named was evaluated once at most, when it was asked for first, and is so still.
//! - It lives as long as the function does that holds it.

use super::knots::lacks_arguments;
use crate::base::index::List;
use crate::core::expr::{Expr, ExprId, Global, GlobalId, GlobalKind, Program};
use crate::core::signature::Signature;
use crate::optimise::symbols::Symbols;

/// Names what CAFs hold, and returns how many names there are. Takes time linear in the program.
pub(super) fn write_out(program: &mut Program) -> u64 {
    let mut named = 0;
    let mut symbols = None;
    let globals: Vec<GlobalId> = program.globals.indices().collect();
    for id in globals {
        let GlobalKind::Defn { params, body: Some(body) } = program.globals[id].kind else {
            continue;
        };
        let is_function = params.is_empty() && lacks_arguments(program, body, 0);
        let mut work = if is_function { vec![body] } else { Vec::new() };
        while let Some(application) = work.pop() {
            let Expr::App(_, args) = program.exprs[application] else { continue };
            for at in 0..args.len() {
                let arg = program.expr_lists[args][at];
                if is_held(program, arg) {
                    work.push(arg);
                } else if !is_atom(program.exprs[arg]) {
                    let symbols = symbols.get_or_insert_with(|| Symbols::new(program));
                    name(program, id, arg, symbols);
                    named += 1;
                }
            }
        }
    }
    named
}

/// Returns whether an expression is a function or a constructor with arguments, which it holds.
fn is_held(program: &Program, expr: ExprId) -> bool {
    let Expr::App(callee, _) = program.exprs[expr] else { return false };
    matches!(program.exprs[callee], Expr::Con(_)) || lacks_arguments(program, expr, 0)
}

fn is_atom(expr: Expr) -> bool {
    matches!(expr, Expr::Local(_) | Expr::Lit(_) | Expr::Con(_) | Expr::Global(_))
}

/// Makes a CAF of an expression in another one.
fn name(program: &mut Program, of: GlobalId, expr: ExprId, symbols: &mut Symbols) {
    let Global { ref symbol, ref display, .. } = program.globals[of];
    let (symbol, display) = (symbols.fresh(symbol, 'v'), display.clone());
    let span = program.spans[expr];
    let body = program.expr(program.exprs[expr], span);
    let kind = GlobalKind::Defn { params: List::EMPTY, body: Some(body) };
    let global = Global { symbol, display, kind, span, signature: Signature::default() };
    program.exprs[expr] = Expr::Global(program.globals.push(global));
}

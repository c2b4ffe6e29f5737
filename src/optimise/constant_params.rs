//! A parameter for which every call passes the same constant is bound to that constant.
//!
//! Partial evaluation makes no variants for what only counts, and generalises what would have too many. When
//! it is done, such a parameter may have one value after all: `(defn sum-to[i n s] ..)` with one call from
//! elsewhere, `(sum-to 1 120 0)`, and one of itself that passes `n` on. What comes to it is known if every call is
//! ([`super::flow`]). A function that is given arguments is no such constant: it would be made in each call.

use rustc_hash::FxHashMap;

use super::flow::{Constant, Flow, Passed};
use super::usage::circles;
use crate::core::expr::{Expr, GlobalId, GlobalKind, LocalId, Program};

/// The most expressions of a function of which a call is rather unfolded where all of it is known.
const LITTLE: usize = 40;

/// Binds parameters to the constants that are passed for them, which are passed no more, and returns how many
/// there were. Takes time linear in the program.
pub(super) fn bind(program: &mut Program) -> u64 {
    let flow = Flow::new(program);
    let circles = circles(program);
    // Which parameters of each function go.
    let mut gone: FxHashMap<GlobalId, Vec<bool>> = FxHashMap::default();
    let mut count = 0;
    for id in program.globals.indices() {
        let GlobalKind::Defn { params, body: Some(mut body) } = program.globals[id].kind else {
            continue;
        };
        let mut params = program.local_lists[params].to_vec();
        let constant = |&param: &LocalId| match flow.local(param) {
            Passed::Constant(Constant::Atom(atom)) => Some(atom.expr()),
            _ => None,
        };
        let constants: Vec<Option<Expr>> = params.iter().map(constant).collect();
        let bound = constants.iter().flatten().count();
        let is_little = || program.walk(body).nth(LITTLE).is_none();
        // What is little is unfolded because all of a call is known.
        let is_unfolded = bound == params.len() && circles[id].is_none() && is_little();
        if bound == 0 || is_unfolded {
            continue;
        }
        for (&param, &constant) in params.iter().zip(&constants) {
            let Some(constant) = constant else { continue };
            let span = program.spans[body];
            let value = program.expr(constant, span);
            body = program.expr(Expr::Let(param, value, body), span);
        }
        let mut goes: Vec<bool> = constants.iter().map(Option::is_some).collect();
        if bound == params.len() {
            // It would become a CAF, whose value is kept: what is passed for one is not looked at.
            params[0] =
                program.local(program.locals[params[0]].name, program.locals[params[0]].span);
            goes[0] = false;
        }
        let params = program.local_lists.add(kept(&params, &goes));
        program.globals[id].kind = GlobalKind::Defn { params, body: Some(body) };
        gone.insert(id, goes);
        count += bound as u64;
    }
    for expr in program.exprs.indices() {
        if let Expr::App(callee, args) = program.exprs[expr]
            && let Expr::Global(global) = program.exprs[callee]
            && let Some(goes) = gone.get(&global)
        {
            let args = kept(&program.expr_lists[args], goes);
            program.exprs[expr] = Expr::App(callee, program.expr_lists.add(args));
        }
    }
    count
}

/// Returns what does not go.
fn kept<T: Copy>(all: &[T], goes: &[bool]) -> Vec<T> {
    let goes = goes.iter().copied().chain(std::iter::repeat(false));
    all.iter().zip(goes).filter(|&(_, goes)| !goes).map(|(&one, _)| one).collect()
}

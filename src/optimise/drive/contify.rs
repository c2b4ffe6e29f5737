//! Contification: a function that only the ends of one other function call is a join point of it.
//!
//! A local function that both branches of a choice end in is lifted to a supercombinator, and
//! nothing of that is needed to come back from it: a call of it is a jump (Maurer, Downen, Ariola and
//! Peyton Jones, "Compiling without continuations", PLDI 2017; Fluet and Weeks, "Contification using
//! dominators", ICFP 2001). The body moves into the caller, whose parameters stay what they were.
//!
//! Invariant: each mention of the function is a call with all arguments at an end of the caller's
//! body, where the value of the call is that of the body; so no jump leaves an evaluation behind.

use rustc_hash::FxHashMap;

use super::expanded::is_small_function;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, Join, Program};

/// The calls at the ends of one function of another one.
struct Calls {
    caller: GlobalId,
    ends: Vec<ExprId>,
}

/// Turns functions into join points. What was moved has no body any more, and nothing mentions it.
/// Returns how many there were. A function that takes its arguments apart is left to be `specialised`,
/// if that comes yet: an attempt to evaluate it finds more than a handler does.
pub(super) fn contify(program: &mut Program, specialised: bool) -> u64 {
    let mentions = mentions(program);
    let mut calls: FxHashMap<GlobalId, Calls> = FxHashMap::default();
    let kept = program.kept();
    for (caller, global) in program.globals.enumerate() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        for end in program.ends(body) {
            let Expr::App(callee, args) = program.exprs[end] else { continue };
            let Expr::Global(callee) = program.exprs[callee] else { continue };
            let is_call = !args.is_empty() && args.len() == program.arity(callee);
            if is_call && matches!(program.globals[callee].kind, GlobalKind::Defn { .. }) {
                let calls = calls.entry(callee).or_insert(Calls { caller, ends: Vec::new() });
                if calls.caller == caller {
                    calls.ends.push(end);
                }
            }
        }
    }
    let mut found: Vec<(GlobalId, Calls)> = calls
        .into_iter()
        .filter(|(global, calls)| {
            let all = calls.ends.len();
            // What is called once is inlined.
            all > 1
                && mentions.get(global) == Some(&all)
                && calls.caller != *global
                && !kept.contains(global)
                && !is_inlined(program, *global, calls.caller)
                && !(specialised && takes_apart(program, *global))
        })
        .collect();
    found.sort_unstable_by_key(|(global, _)| *global);
    // One whose caller moves itself would have to move with it: its turn does not come.
    let moves: Vec<GlobalId> = found.iter().map(|(global, _)| *global).collect();
    found.retain(|(_, calls)| moves.binary_search(&calls.caller).is_err());
    let count = found.len() as u64;
    for (global, calls) in found {
        move_into(program, global, &calls);
    }
    count
}

/// Returns how often each global is mentioned.
fn mentions(program: &Program) -> FxHashMap<GlobalId, usize> {
    let mut mentions = FxHashMap::default();
    for global in program.globals.iter() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        for expr in program.walk(body) {
            if let Expr::Global(global) = program.exprs[expr] {
                *mentions.entry(global).or_default() += 1;
            }
        }
    }
    mentions
}

/// Returns whether a function switches on a parameter.
fn takes_apart(program: &Program, global: GlobalId) -> bool {
    let GlobalKind::Defn { params, body: Some(body) } = program.globals[global].kind else {
        return false;
    };
    let params = &program.local_lists[params];
    program.walk(body).any(|expr| match program.exprs[expr] {
        Expr::Switch(switch) => params.contains(&program.switches[switch].scrutinee),
        _ => false,
    })
}

/// Returns whether a function is inlined at each of its calls, where more is known: it is small,
/// and not in a circle with its caller.
fn is_inlined(program: &Program, global: GlobalId, caller: GlobalId) -> bool {
    let GlobalKind::Defn { body: Some(body), .. } = program.globals[global].kind else {
        return false;
    };
    let calls_back = |expr| program.exprs[expr] == Expr::Global(caller);
    is_small_function(program, global) && !program.walk(body).any(calls_back)
}

/// Turns a function into a join point around the body of its caller.
fn move_into(program: &mut Program, global: GlobalId, calls: &Calls) {
    let GlobalKind::Defn { params, body: Some(handler) } = program.globals[global].kind else {
        return;
    };
    let caller = &program.globals[calls.caller].kind;
    let &GlobalKind::Defn { params: outer, body: Some(body) } = caller else { return };
    let join = program.joins.push(Join { params, handler });
    for &end in &calls.ends {
        let Expr::App(_, args) = program.exprs[end] else { continue };
        program.exprs[end] = Expr::Jump(join, args);
    }
    let body = program.expr(Expr::Join(join, body), program.spans[body]);
    program.globals[calls.caller].kind = GlobalKind::Defn { params: outer, body: Some(body) };
    program.globals[global].kind = GlobalKind::Defn { params, body: None };
}

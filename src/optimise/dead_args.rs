//! Dead arguments: what nothing uses is not passed.
//!
//! A parameter is dead if the body uses it nowhere, or only to pass it on for dead parameters
//! (see [`usage`]). It goes, and with it what every call passes for it: that was lazy, so no
//! work and no error of the program is lost. Calls of a supercombinator that is mentioned
//! otherwise than in calls with all its arguments, of `main` and of the roots come from where
//! nobody can see, so their parameters stay.
//!
//! A supercombinator that loses all its parameters would become a CAF: its value would be
//! kept, with all that it holds on to, where each call made one anew. So one parameter stays,
//! and 0 is passed for it.

use super::rewrite::{Plan, Rewrite, Rewritten, rewrite};
use super::usage::{Usage, usage};
use super::{Pass, Report};
use crate::base::index::Idx;
use crate::base::name::Interner;
use crate::base::quote::for_message;
use crate::core::expr::{Global, GlobalKind, LocalId, Program};

/// Takes away the parameters and bindings that nothing uses. Takes time linear in the program.
pub(super) fn dead_arguments(program: Program, names: &Interner, report: &mut Report) -> Program {
    let usage = usage(&program, true);
    let mut plan = Plan::new(&program);
    drop_unused(&usage, &mut plan);
    for (id, global) in program.globals.enumerate() {
        if let GlobalKind::Defn { params, .. } = global.kind
            && usage.globals[id.index()]
        {
            let params = &program.local_lists[params];
            supercombinator(&program, names, global, params, &usage, &mut plan, report);
        }
    }
    for (id, join) in program.joins.enumerate() {
        if usage.joins[id.index()] {
            let params = &program.local_lists[join.params];
            let unused = params.iter().filter(|param| !usage.locals[param.index()]).count();
            report.count(Pass::DeadArguments, "join parameters dropped", unused as u64);
        }
    }
    let Rewritten { program, removed, .. } = rewrite(program, &plan);
    report.count(Pass::DeadArguments, "unused bindings dropped", removed);
    program
}

fn supercombinator(
    program: &Program,
    names: &Interner,
    global: &Global,
    params: &[LocalId],
    usage: &Usage,
    plan: &mut Plan,
    report: &mut Report,
) {
    let is_unused = |param: &&LocalId| !usage.locals[param.index()];
    let unused: Vec<LocalId> = params.iter().filter(is_unused).copied().collect();
    if unused.is_empty() {
        return;
    }
    let kept = unused.len() == params.len();
    if kept {
        plan.rewrites[unused[0].index()] = Rewrite::PassZero;
        report.count(Pass::DeadArguments, "parameters left idle", 1);
    }
    let dropped = &unused[usize::from(kept)..];
    report.count(Pass::DeadArguments, "parameters dropped", dropped.len() as u64);
    report.decide(Pass::DeadArguments, || {
        let name = |&param: &LocalId| match program.locals[param].name {
            Some(name) => for_message(names.text(name)),
            None => "t".to_owned(),
        };
        let list = unused.iter().map(name).collect::<Vec<_>>().join(", ");
        let what = if kept { "is passed 0 in place of all of" } else { "loses" };
        format!("{} {what} {list}", for_message(&global.symbol))
    });
}

/// Plans the removal of all unused locals: parameters, bindings and names of fields.
pub(super) fn drop_unused(usage: &Usage, plan: &mut Plan) {
    for (rewrite, used) in plan.rewrites.iter_mut().zip(&usage.locals) {
        if !used {
            *rewrite = Rewrite::Drop;
        }
    }
}

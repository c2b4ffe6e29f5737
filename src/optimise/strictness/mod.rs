//! Strictness analysis: which arguments a supercombinator certainly evaluates.
//!
//! Boolean abstract interpretation (Mycroft, "The theory and practice of transforming
//! call-by-need into call-by-value", 1980; Clack and Peyton Jones, "Strictness analysis: a
//! practical approach", FPCA 1985). Of a value only this is asked: is it certainly bottom (0),
//! or may it be anything (1)? A supercombinator becomes a monotone boolean function of its
//! parameters: it is strict in a parameter if it is 0 when this one is 0 and all others are 1.
//! The function of recursive supercombinators is the least fixpoint, of all that call each
//! other at once.
//!
//! - A literal, a constructor whatever its fields, a function and a partial application are 1;
//!   a call of `error` and a case that nothing fits are 0.
//! - A primitive is the AND of its operands, `seq` too; `if c t e` is `c` AND (`t` OR `e`); a
//!   switch is its scrutinee AND (the OR of its branches), a missing branch 0, the fields 1.
//! - A call of a supercombinator with all its arguments is its function of theirs; with more,
//!   the same. A call of something unknown is what is called. A host function's call is 1.
//! - `let` binds the value of what is bound; a `letrec` its least fixpoint; what is forced is
//!   AND what comes after.
//! - A jump is the handler of its join, the parameters bound to the arguments.
//!
//! `value` holds the functions, `evaluate` the rules, `fixpoint` the iteration and its budget.
//! What more is certain, of the cells and elements of a list and of the fields of data with a
//! constructors, a second analysis finds from results to arguments: `backwards`. It also finds, from
//! callers down, which fields of their results supercombinators are wanted for. An argument is strict
//! if either says so.
//!
//! What is done with it here (`apply`): in a strict context, a `let` becomes a `Force` if its
//! body is strict in what it binds, and so does an argument of a jump if the handler is, and a
//! field of a constructor that whoever evaluates the constructor evaluates to a number or the like. A
//! `letrec` stays. The arguments of calls stay too: the schemes look at the signature of what
//! is called.

mod apply;
mod backwards;
mod demand;
mod evaluate;
mod fixpoint;
mod print;
mod uses;
mod value;

use super::choices::{self, Which};
use super::{Pass, Report};
use crate::base::index::Idx;
use crate::core::expr::{GlobalId, GlobalKind, Program};
use crate::core::signature::{Demand, Signature};
pub use fixpoint::Budget;
pub use print::{Row, listing, rows};

/// Returns what tells whether a supercombinator is strict in a parameter, by its number, and does not fail whatever
/// that is.
pub(super) fn strict_parameters(program: &Program) -> impl Fn(GlobalId, usize) -> bool + use<> {
    let analysis = fixpoint::analyse(program, Budget::default());
    move |of, at| {
        let function = &analysis.functions[of];
        !function.is_zero() && function.is_strict(at as u32)
    }
}

/// Analyses a lifted program: gives every supercombinator its signature, and evaluates at once
/// what a `let` binds if its body is strict in it.
#[must_use]
pub fn strictness(program: Program, report: &mut Report) -> Program {
    within(program, Budget::default(), report)
}

/// Runs [`strictness`] with a budget. The supercombinators of a component for which it does not
/// suffice are lazy, all of them. The second analysis has as much for the whole program; if it does
/// not suffice, nothing is known of data.
#[must_use]
pub fn within(program: Program, budget: Budget, report: &mut Report) -> Program {
    let mut program = program;
    let mut analysis = fixpoint::analyse(&program, budget);
    let limit = analysis.sizes.iter().sum::<u64>().saturating_mul(budget.per_expression);
    let limit = limit.saturating_add(budget.reserve);
    let failing: Vec<bool> = analysis.functions.iter().map(|function| function.is_zero()).collect();
    let data = backwards::demands(&program, &analysis.sizes, &failing, &analysis.order, limit);
    report.count(Pass::Strictness, "demands on data given up", u64::from(data.is_none()));
    let data = data.unwrap_or_default();
    data.strict.iter().for_each(|local| analysis.strict[local.index()] = true);
    let nothing = backwards::Found::default();
    let mut given_up = vec![false; program.globals.len()];
    analysis.given_up.iter().for_each(|&global| given_up[global.index()] = true);
    let mut parameters = 0;
    for id in program.globals.indices() {
        let GlobalKind::Defn { params, .. } = program.globals[id].kind else { continue };
        let function = &analysis.functions[id];
        let found = if given_up[id.index()] { None } else { data.found.get(&id) };
        let found = found.unwrap_or(&nothing);
        let fails = function.is_zero() || found.fails;
        let demand = |number: u32| match found.params.get(number as usize) {
            _ if fails => Demand::Lazy,
            use_ => demand::demand(&program, use_, function.is_strict(number)),
        };
        let demands: Vec<Demand> = (0..params.len() as u32).map(demand).collect();
        let strict = demands.iter().filter(|demand| **demand != Demand::Lazy).count();
        let global = &mut program.globals[id];
        if strict > 0 {
            parameters += strict as u64;
            report.decide(Pass::Strictness, || format!("{}: strict in {strict}", global.symbol));
        }
        global.signature = Signature { demands, fails };
    }
    report.count(Pass::Strictness, "strict parameters", parameters);
    for &global in &analysis.given_up {
        let symbol = &program.globals[global].symbol;
        report.decide(Pass::Strictness, || format!("{symbol}: given up, the budget is used up"));
    }
    report.count(Pass::Strictness, "functions given up", analysis.given_up.len() as u64);
    let globals = program.globals.indices();
    apply::apply(&mut program, &analysis, &data.fields, globals, report);
    let lifted = choices::lift(&mut program, Which::All);
    report.count(Pass::Strictness, "choices lifted", lifted.len() as u64);
    if choices::have_bindings(&program, &lifted) {
        analysis.extend(&program, &lifted, budget);
        apply::apply(&mut program, &analysis, &data.fields, lifted.into_iter(), report);
    }
    program
}

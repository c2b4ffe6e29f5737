//! A field of a constructor that is one of several constants may be one constant in each place where the constructor
//! is used: functions are copied for it.
//!
//! A program with maps of numbers and maps of texts has two comparisons, and all functions on maps are
//! called with both kinds. Which of them a call is with shows in what flows to it from elsewhere: a map that was
//! made with a comparison has it after a thousand insertions. So what flows is found once more, for each definition by
//! itself, and each mention of a definition has what flows in it anew: a flow that knows contexts, by unification
//! (Steensgaard, "Points-to analysis in almost linear time", POPL 1996; Fähndrich, Rehof and Das, "Scalable
//! context-sensitive flow analysis using instantiation constraints", PLDI 2000), as the types of Hindley and Milner are
//! inferred, but that nothing is an error: a place may be a function, a number and a list.
//!
//! Invariants:
//! - Whatever may come to a place has that place: places are one if something flows from one to the other. A place has
//!   the constant that comes to it, none where there is more than one, or what is no constant.
//! - What is given to a primitive that does not only compute, may be given anything else: nothing is known of it, and of
//!   whatever it consists of.
//! - A copy is the same code, but that some fields that switches take out are constants in it. A definition without
//!   parameters has no copy: its value is one.

mod copies;
mod infer;
mod places;

use rustc_hash::FxHashSet;

use super::Report;
use super::flow::{Flow, Passed, is_open};
use super::selection::is_only;
use crate::core::expr::{ConId, Program};

/// Copies what takes constants out of fields; takes no more copies once the program has so many expressions.
/// Returns how many copies there are.
pub(super) fn copy_for_fields(program: &mut Program, most: usize, report: &mut Report) -> u64 {
    if is_open(program) {
        return 0;
    }
    let flow = Flow::new(program);
    let split = split_fields(program, &flow);
    if split.is_empty() {
        return 0;
    }
    match infer::infer(program, flow, split) {
        Some(found) => copies::copy(program, found, most, report),
        None => 0,
    }
}

/// A field of a constructor, by its number.
type Field = (ConId, u32);

/// Returns the fields to which several functions come that are constants, or one and something else. A
/// constructor of several is passed over, and so are the pairs of the corelib: what they hold is as various as
/// programs are.
fn split_fields(program: &Program, flow: &Flow) -> FxHashSet<Field> {
    let mut split = FxHashSet::default();
    for con in program.cons.indices() {
        if !is_only(program, con) || is_pair(program, con) {
            continue;
        }
        for at in 0..program.cons[con].arity {
            if flow.field(con, at as usize) == Passed::Any && flow.has_function(con, at as usize) {
                split.insert((con, at));
            }
        }
    }
    split
}

fn is_pair(program: &Program, con: ConId) -> bool {
    matches!(&*program.cons[con].symbol, "Pair" | "Triple")
}

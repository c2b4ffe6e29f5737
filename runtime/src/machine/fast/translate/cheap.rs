//! Thunks that are cheaper computed than made.
//!
//! A thunk whose code is a few arithmetic instructions that cannot fail is computed where it
//! would be made, if what it captures are floats and integers of a word by then: that costs about
//! as much as making it. An integer that does not fit a word is left to the thunk.

use super::super::code::cheap::{is_cheap, sum_with};
use super::super::code::instr::Instr;
use super::super::code::program::{Program, Sizes, ThunkId};
use crate::base::index::Idx;

/// Marks the thunks of `program` that are cheap as computed where they would be made: of what was
/// added since its tables had the sizes `from`, which makes no thunks of before.
pub(super) fn mark(program: &mut Program, from: Sizes) {
    let thunks = program.thunks.since(from.thunks).iter();
    let cheap: Vec<bool> = thunks.map(|thunk| is_cheap(program, thunk.entry)).collect();
    let thunks = program.thunks.since(from.thunks).iter();
    let sums: Vec<Option<i32>> = thunks.map(|thunk| sum_with(program, thunk.entry)).collect();
    let is_cheap = |thunk: ThunkId| {
        let at = thunk.index().checked_sub(from.thunks);
        at.and_then(|at| cheap.get(at)).copied().unwrap_or(false)
    };
    for instr in program.code.iter_mut().skip(from.code) {
        *instr = match *instr {
            Instr::Thunk1 { d, thunk, a } if is_cheap(thunk) => {
                match sums[thunk.index() - from.thunks] {
                    Some(k) => Instr::CheapSum { d, thunk, a, k },
                    None => Instr::Cheap1 { d, thunk, a },
                }
            }
            Instr::Thunk2 { d, thunk, a, b } if is_cheap(thunk) => Instr::Cheap2 { d, thunk, a, b },
            Instr::Thunk3 { d, thunk, a, b, c } if is_cheap(thunk) => {
                Instr::Cheap3 { d, thunk, a, b, c }
            }
            Instr::ThunkN { d, thunk, args } if is_cheap(thunk) => Instr::CheapN { d, thunk, args },
            other => other,
        };
    }
}

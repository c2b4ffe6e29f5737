//! Thunks that are cheaper computed than made.
//!
//! A thunk whose code is a few arithmetic instructions that cannot fail is computed where it
//! would be made, if what it captures are integers of a word by then: that costs as much as
//! making it. What overflows a word is left to the thunk.

use super::super::code::cheap::is_cheap;
use super::super::code::instr::Instr;
use super::super::code::program::Program;

/// Has the thunks of `program` that are cheap computed where they would be made.
pub(super) fn mark(program: &mut Program) {
    let cheap: Vec<bool> =
        program.thunks.iter().map(|thunk| is_cheap(program, thunk.entry)).collect();
    for instr in &mut program.code {
        *instr = match *instr {
            Instr::Thunk1 { d, thunk, a } if cheap[thunk.0 as usize] => {
                Instr::Cheap1 { d, thunk, a }
            }
            Instr::Thunk2 { d, thunk, a, b } if cheap[thunk.0 as usize] => {
                Instr::Cheap2 { d, thunk, a, b }
            }
            Instr::Thunk3 { d, thunk, a, b, c } if cheap[thunk.0 as usize] => {
                Instr::Cheap3 { d, thunk, a, b, c }
            }
            other => other,
        };
    }
}

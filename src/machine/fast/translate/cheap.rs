//! Thunks that are cheaper computed than made.
//!
//! A thunk whose code is a few arithmetic instructions that cannot fail is computed where it
//! would be made, if what it captures are integers of a word by then: that costs as much as
//! making it. What overflows a word is left to the thunk.

use super::super::code::instr::{Forced, Instr};
use super::super::code::program::{Entry, Program};

/// The most instructions, the last one included, and the most slots of such a thunk.
const INSTRUCTIONS: usize = 5;
/// As many slots has the machine's scratch frame.
pub(in crate::machine::fast) const SLOTS: usize = 8;

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

/// Whether code computes an integer from integers and can do nothing else.
fn is_cheap(program: &Program, entry: Entry) -> bool {
    let code = program.code.get(entry.pc.0 as usize..).unwrap_or(&[]);
    let fits = entry.frame as usize <= SLOTS && (1..=3).contains(&entry.takes);
    fits && code.iter().take(INSTRUCTIONS).find_map(step) == Some(true)
}

/// Whether an instruction ends the code as it should; `None` if the next one has to tell.
fn step(instr: &Instr) -> Option<bool> {
    match *instr {
        Instr::Add { .. }
        | Instr::Sub { .. }
        | Instr::Mul { .. }
        | Instr::AddInt { .. }
        | Instr::SubFrom { .. }
        | Instr::MulInt { .. }
        | Instr::Neg { .. } => None,
        // By a constant that is not 0, so this cannot fail.
        Instr::DivInt { .. }
        | Instr::RemInt { .. }
        | Instr::FloorDivInt { .. }
        | Instr::ModInt { .. } => None,
        Instr::Eq { .. }
        | Instr::Ne { .. }
        | Instr::Lt { .. }
        | Instr::Le { .. }
        | Instr::Gt { .. }
        | Instr::Ge { .. } => None,
        Instr::Eval { a: Forced(_) } => None,
        Instr::Return { a } => Some(a.as_slot().is_some()),
        Instr::Enter { a } => Some(a.as_slot().is_some()),
        _ => Some(false),
    }
}

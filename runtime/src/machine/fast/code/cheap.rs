//! Code that is cheaper to run than to make a thunk of.

use super::instr::{Forced, Instr};
use super::program::{Entry, Program};
use crate::primitive::{Operand, Primitive};

/// The most instructions, the last one included, of such code.
const INSTRUCTIONS: usize = 7;
/// The most variables that it captures.
pub const CAPTURED: usize = 6;
/// The most slots of its frame: the machine runs it on a frame of its own of this size.
pub const SLOTS: usize = 8;

const _: () = assert!(SLOTS.is_power_of_two() && CAPTURED <= SLOTS, "slots are masked");

/// Returns whether code computes a number from a few numbers in a few instructions, and can do
/// nothing else.
#[must_use]
pub fn is_cheap(program: &Program, entry: Entry) -> bool {
    let code = program.code.get(entry.pc.0 as usize..).unwrap_or(&[]);
    let takes = entry.takes as usize;
    let fits = entry.frame as usize <= SLOTS && (1..=CAPTURED).contains(&takes);
    fits && code.iter().take(INSTRUCTIONS).find_map(|instr| step(program, instr)) == Some(true)
}

/// Returns what is added, if code only adds a constant to the one variable that it takes.
#[must_use]
pub fn sum_with(program: &Program, entry: Entry) -> Option<i32> {
    let code = program.code.get(entry.pc.0 as usize..)?;
    match *code {
        [Instr::AddInt { d, a: Forced(0), k }, Instr::Return { a }, ..]
            if entry.takes == 1 && a.as_slot() == Some(d.0) =>
        {
            Some(k)
        }
        _ => None,
    }
}

/// Returns whether an instruction ends the code as it should; `None` if the next one has to tell.
fn step(program: &Program, instr: &Instr) -> Option<bool> {
    match *instr {
        Instr::Move { a, .. } => match a.as_constant() {
            Some(constant) if !program.consts[constant].is_int() => Some(false),
            _ => None,
        },
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
        Instr::FAdd { .. }
        | Instr::FSub { .. }
        | Instr::FMul { .. }
        | Instr::FDiv { .. }
        | Instr::FAddConst { .. }
        | Instr::FSubConst { .. }
        | Instr::FSubFrom { .. }
        | Instr::FMulConst { .. }
        | Instr::FDivConst { .. }
        | Instr::FDivInto { .. } => None,
        Instr::AddI64 { .. }
        | Instr::AddI64Int { .. }
        | Instr::SubI64 { .. }
        | Instr::MulI64 { .. }
        | Instr::AddU64 { .. }
        | Instr::SubU64 { .. }
        | Instr::MulU64 { .. } => None,
        Instr::Unary { op, .. } if is_cheap_unary(op) => None,
        // What has no result is left to the thunk, as is what has one that fits no word.
        Instr::Binary { op, .. } | Instr::BinaryInt { op, .. } => {
            if op.operand() == Operand::Integer && op.result() == Operand::Integer {
                None
            } else {
                Some(false)
            }
        }
        Instr::Eval { a: Forced(_) } => None,
        Instr::Return { a } => Some(a.as_slot().is_some()),
        Instr::Enter { a } => Some(a.as_slot().is_some()),
        _ => Some(false),
    }
}

/// Returns whether a primitive on one number has a result for each, and takes a few times as long
/// as a sum at most.
fn is_cheap_unary(op: Primitive) -> bool {
    use Primitive as P;
    matches!(op, P::IToF | P::FSqrt | P::FNeg | P::FAbs | P::FSin | P::FCos | P::FExp | P::BitNot)
}

//! Cheap thunks of which all that they capture is evaluated: computed instead of built.

use super::code::cheap::SLOTS;
use super::code::instr::Instr;
use super::numbers::of_words;
use crate::machine::heap::word::Word;
use crate::primitive::Primitive;

/// What the code of a cheap thunk computes from captured integers; `Word::NOTHING` if some integer
/// on the way does not fit a word.
///
/// # Safety
/// It is such code, and takes as many, at most three.
#[inline(always)]
pub(super) unsafe fn computed<const N: usize>(pc: *const Instr, captured: [Word; N]) -> Word {
    let (mut words, mut at) = ([Word::ZERO; 3], 0);
    while at < N {
        words[at] = captured[at];
        at += 1;
    }
    // SAFETY: the caller's promise.
    unsafe { computed_of(pc, words[0], words[1], words[2]) }
}

/// [`computed`], called with words: the address of a local in who executes an instruction would
/// keep the next one from being a jump.
#[inline(never)]
unsafe fn computed_of(pc: *const Instr, a: Word, b: Word, c: Word) -> Word {
    let mut frame = [Word::ZERO; SLOTS];
    frame[..3].copy_from_slice(&[a, b, c]);
    // SAFETY: the caller's promise.
    unsafe { computed_in(pc, frame) }.unwrap_or(Word::NOTHING)
}

/// What the code computes in a frame, in which is what it takes.
///
/// # Safety
/// It is the code of a cheap thunk.
#[inline(always)]
unsafe fn computed_in(mut pc: *const Instr, mut frame: [Word; SLOTS]) -> Option<Word> {
    // Slots are below `SLOTS`; so the mask changes none.
    macro_rules! slot {
        ($at:expr) => {
            frame[$at.0 as usize & (SLOTS - 1)]
        };
    }
    macro_rules! twice {
        ($d:expr, $value:expr) => {
            slot!($d) = Word::from_bits($value as u64)
        };
    }
    loop {
        // SAFETY: such code ends in an instruction that ends this loop.
        match unsafe { *pc } {
            Instr::Add { d, a, b } => {
                twice!(d, slot!(a).twice().checked_add(slot!(b).twice())?);
            }
            Instr::Sub { d, a, b } => {
                twice!(d, slot!(a).twice().checked_sub(slot!(b).twice())?);
            }
            Instr::Mul { d, a, b } => {
                twice!(d, slot!(a).as_int().checked_mul(slot!(b).twice())?);
            }
            Instr::AddInt { d, a, k } => {
                twice!(d, slot!(a).twice().checked_add(2 * i64::from(k))?);
            }
            Instr::SubFrom { d, a, k } => {
                twice!(d, (2 * i64::from(k)).checked_sub(slot!(a).twice())?);
            }
            Instr::MulInt { d, a, k } => {
                twice!(d, slot!(a).twice().checked_mul(i64::from(k))?);
            }
            Instr::DivInt { d, a, k } => {
                slot!(d) = Word::int(slot!(a).as_int().checked_div(i64::from(k))?)?;
            }
            Instr::RemInt { d, a, k } => {
                slot!(d) = Word::int(slot!(a).as_int().checked_rem(i64::from(k))?)?;
            }
            Instr::FloorDivInt { d, a, k } if k != 0 => {
                slot!(d) = Word::int(num_integer::div_floor(slot!(a).as_int(), i64::from(k)))?;
            }
            Instr::ModInt { d, a, k } if k != 0 => {
                slot!(d) = Word::int(num_integer::mod_floor(slot!(a).as_int(), i64::from(k)))?;
            }
            Instr::Neg { d, a } => twice!(d, slot!(a).twice().checked_neg()?),
            Instr::Eq { d, a, b } => slot!(d) = Word::boolean(slot!(a) == slot!(b)),
            Instr::Ne { d, a, b } => slot!(d) = Word::boolean(slot!(a) != slot!(b)),
            Instr::Lt { d, a, b } => slot!(d) = Word::boolean(slot!(a).twice() < slot!(b).twice()),
            Instr::Le { d, a, b } => slot!(d) = Word::boolean(slot!(a).twice() <= slot!(b).twice()),
            Instr::Gt { d, a, b } => slot!(d) = Word::boolean(slot!(a).twice() > slot!(b).twice()),
            Instr::Ge { d, a, b } => slot!(d) = Word::boolean(slot!(a).twice() >= slot!(b).twice()),
            Instr::Eval { .. } => {}
            Instr::Return { a } | Instr::Enter { a } => {
                return a.as_slot().map(|at| frame[at as usize & (SLOTS - 1)]);
            }
            ref other => computed_of_words(other, &mut frame)?,
        }
        // SAFETY: as above.
        pc = unsafe { pc.add(1) };
    }
}

/// Executes an instruction of cheap code on bits or words. A function of its own, so that the
/// others are not slower for it.
#[inline(never)]
fn computed_of_words(instr: &Instr, frame: &mut [Word; SLOTS]) -> Option<()> {
    let at = |slot: u32| slot as usize & (SLOTS - 1);
    let (d, op, x, y) = match *instr {
        Instr::AddI64 { d, a, b } => (d, Primitive::AddI64, a, frame[at(b.0)]),
        Instr::SubI64 { d, a, b } => (d, Primitive::SubI64, a, frame[at(b.0)]),
        Instr::MulI64 { d, a, b } => (d, Primitive::MulI64, a, frame[at(b.0)]),
        Instr::AddU64 { d, a, b } => (d, Primitive::AddU64, a, frame[at(b.0)]),
        Instr::SubU64 { d, a, b } => (d, Primitive::SubU64, a, frame[at(b.0)]),
        Instr::MulU64 { d, a, b } => (d, Primitive::MulU64, a, frame[at(b.0)]),
        Instr::Binary { d, a, b, op } => (d, op, a, frame[at(b.0)]),
        Instr::BinaryInt { d, a, k, op } => (d, op, a, Word::of_i32(k)),
        _ => return None,
    };
    frame[at(d.0)] = of_words(op, frame[at(x.0)], y)?;
    Some(())
}

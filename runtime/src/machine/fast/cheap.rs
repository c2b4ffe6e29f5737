//! Cheap thunks of which all that they capture is evaluated: computed instead of built.

use super::code::cheap::{CAPTURED, SLOTS};
use super::code::instr::{Arg, Dst, Forced, Instr};
use super::executor::{Pool, read_arg};
use super::numbers::{of_float, of_words};
use super::state::Machine;
use crate::base::float::Float;
use crate::machine::heap::word::Word;
use crate::primitive::Primitive;

/// What is in a slot of the frame of cheap code.
trait Value: Copy {
    /// Whether it may be a float.
    const FLOATS: bool;
    /// Returns twice the integer that it is.
    fn twice(self) -> Option<i64>;
    /// Returns half of an even number.
    fn of_twice(twice: i64) -> Self;
    /// Returns a float, if it may be one.
    fn of_float(value: f64) -> Option<Self>;
    /// Returns the number that it is.
    fn number(self) -> Number;
}

/// A word that is an integer.
impl Value for Word {
    const FLOATS: bool = false;

    #[inline(always)]
    fn twice(self) -> Option<i64> {
        Some(Word::twice(self))
    }

    #[inline(always)]
    fn of_twice(twice: i64) -> Word {
        Word::from_bits(twice as u64)
    }

    #[inline(always)]
    fn of_float(_: f64) -> Option<Word> {
        None
    }

    #[inline(always)]
    fn number(self) -> Number {
        Number::Twice(Word::twice(self))
    }
}

/// An integer of a word, or any float.
#[derive(Clone, Copy)]
enum Number {
    /// Twice the integer.
    Twice(i64),
    Float(f64),
}

impl Value for Number {
    const FLOATS: bool = true;

    #[inline(always)]
    fn twice(self) -> Option<i64> {
        match self {
            Number::Twice(twice) => Some(twice),
            Number::Float(_) => None,
        }
    }

    #[inline(always)]
    fn of_twice(twice: i64) -> Number {
        Number::Twice(twice)
    }

    #[inline(always)]
    fn of_float(value: f64) -> Option<Number> {
        Some(Number::Float(value))
    }

    #[inline(always)]
    fn number(self) -> Number {
        self
    }
}

/// Returns what the code of a cheap thunk computes from what it captures; `Word::NOTHING` if that
/// are not all floats and integers of a word, or an integer on the way does not fit one, or there
/// is no room.
///
/// # Safety
/// It is such code, and takes as many, at most three; `consts` is the pool of its constants.
#[inline(always)]
pub(super) unsafe fn computed<const N: usize>(
    machine: &mut Machine,
    pc: *const Instr,
    captured: [Word; N],
    consts: Pool,
) -> Word {
    let (mut words, mut at, mut are_ints) = ([Word::ZERO; 3], 0, true);
    while at < N {
        words[at] = captured[at];
        are_ints &= captured[at].is_int();
        at += 1;
    }
    let [a, b, c] = words;
    // SAFETY: the caller's promise.
    unsafe {
        match are_ints {
            true => of_integers(machine, pc, a, b, c, consts),
            false => of_numbers(machine, pc, a, b, c, consts),
        }
    }
}

/// Returns [`computed`] of integers, called with words: the address of a local in who executes an
/// instruction would keep the next one from being a jump.
#[inline(never)]
unsafe fn of_integers(
    machine: &mut Machine,
    pc: *const Instr,
    a: Word,
    b: Word,
    c: Word,
    consts: Pool,
) -> Word {
    let mut frame = [Word::ZERO; SLOTS];
    frame[..3].copy_from_slice(&[a, b, c]);
    // SAFETY: the caller's promise.
    match unsafe { computed_in(pc, frame, consts) } {
        Some(Number::Twice(twice)) => Word::from_bits(twice as u64),
        other => machine.word_of(other),
    }
}

/// Returns [`computed`] of what need not be integers.
#[inline(never)]
unsafe fn of_numbers(
    machine: &mut Machine,
    pc: *const Instr,
    a: Word,
    b: Word,
    c: Word,
    consts: Pool,
) -> Word {
    let mut frame = [Number::Twice(0); SLOTS];
    for (slot, word) in frame.iter_mut().zip([a, b, c]) {
        let Some(number) = machine.captured(word) else { return Word::NOTHING };
        *slot = number;
    }
    // SAFETY: the caller's promise.
    let result = unsafe { computed_in(pc, frame, consts) };
    machine.word_of(result)
}

/// Returns [`computed`] of the operands of an instruction, [`CAPTURED`] at most.
///
/// # Safety
/// As there; `args` are operands of the instruction that is executed with the frame `fp`, `consts`
/// the pool of the constants among them.
#[inline(never)]
pub(super) unsafe fn computed_of_args(
    machine: &mut Machine,
    pc: *const Instr,
    args: &[Arg],
    fp: *const Word,
    consts: Pool,
) -> Word {
    let mut frame = [Number::Twice(0); SLOTS];
    for (slot, arg) in frame.iter_mut().zip(args.iter().take(CAPTURED)) {
        // SAFETY: the caller's promise.
        let word = unsafe { read_arg(*arg, fp, consts) };
        let Some(number) = machine.captured(word) else { return Word::NOTHING };
        *slot = number;
    }
    // SAFETY: the caller's promise.
    let result = unsafe { computed_in(pc, frame, consts) };
    machine.word_of(result)
}

impl Machine {
    /// Returns the number that a word is, if it is one that code can begin with.
    #[inline(always)]
    fn captured(&self, word: Word) -> Option<Number> {
        match word.is_int() {
            true => Some(Number::Twice(word.twice())),
            false => self.float(word).map(Number::Float),
        }
    }

    /// Returns the word of a number; `Word::NOTHING` if there is no number, or no room.
    #[inline(always)]
    fn word_of(&mut self, number: Option<Number>) -> Word {
        match number {
            Some(Number::Twice(twice)) => Word::from_bits(twice as u64),
            // SAFETY: there is room.
            Some(Number::Float(value)) if self.heap.fits(2) => unsafe {
                self.heap.float(Float::new(value))
            },
            _ => Word::NOTHING,
        }
    }
}

/// Returns what the code computes in a frame, in which is what it takes.
///
/// # Safety
/// It is the code of a cheap thunk, and `consts` the pool of its constants.
#[inline(always)]
unsafe fn computed_in<V: Value>(
    mut pc: *const Instr,
    mut frame: [V; SLOTS],
    consts: Pool,
) -> Option<Number> {
    // Slots are below `SLOTS`; so the mask changes none.
    macro_rules! slot {
        ($at:expr) => {
            frame[$at.0 as usize & (SLOTS - 1)]
        };
    }
    macro_rules! twice {
        ($at:expr) => {
            slot!($at).twice()?
        };
    }
    macro_rules! int {
        ($at:expr) => {
            twice!($at) >> 1
        };
    }
    macro_rules! set {
        ($d:expr, $twice:expr) => {
            slot!($d) = V::of_twice($twice)
        };
    }
    macro_rules! compare {
        ($d:expr, $a:expr, $holds:tt, $b:expr) => {
            set!($d, i64::from(twice!($a) $holds twice!($b)) << 1)
        };
    }
    macro_rules! words {
        ($d:expr, $op:expr, $a:expr, $b:expr) => {{
            let (x, y) = ($a, $b);
            set!($d, of_words($op, Word::from_bits(x as u64), Word::from_bits(y as u64))?.twice())
        }};
    }
    loop {
        // SAFETY: such code ends in an instruction that ends this loop.
        match unsafe { *pc } {
            Instr::Move { d, a } => match a.as_slot() {
                Some(at) => slot!(d) = frame[at as usize & (SLOTS - 1)],
                // SAFETY: it is a constant of the pool, and an integer.
                None => set!(d, unsafe { read_arg(a, std::ptr::null(), consts) }.twice()),
            },
            Instr::Add { d, a, b } => set!(d, twice!(a).checked_add(twice!(b))?),
            Instr::Sub { d, a, b } => set!(d, twice!(a).checked_sub(twice!(b))?),
            Instr::Mul { d, a, b } => set!(d, int!(a).checked_mul(twice!(b))?),
            Instr::AddInt { d, a, k } => set!(d, twice!(a).checked_add(2 * i64::from(k))?),
            Instr::SubFrom { d, a, k } => set!(d, (2 * i64::from(k)).checked_sub(twice!(a))?),
            Instr::MulInt { d, a, k } => set!(d, twice!(a).checked_mul(i64::from(k))?),
            Instr::DivInt { d, a, k } => {
                set!(d, int!(a).checked_div(i64::from(k))?.checked_mul(2)?);
            }
            Instr::RemInt { d, a, k } => {
                set!(d, int!(a).checked_rem(i64::from(k))?.checked_mul(2)?);
            }
            Instr::FloorDivInt { d, a, k } if k != 0 => {
                set!(d, num_integer::div_floor(int!(a), i64::from(k)).checked_mul(2)?);
            }
            Instr::ModInt { d, a, k } if k != 0 => {
                set!(d, num_integer::mod_floor(int!(a), i64::from(k)).checked_mul(2)?);
            }
            Instr::Neg { d, a } => set!(d, twice!(a).checked_neg()?),
            Instr::Eq { d, a, b } => compare!(d, a, ==, b),
            Instr::Ne { d, a, b } => compare!(d, a, !=, b),
            Instr::Lt { d, a, b } => compare!(d, a, <, b),
            Instr::Le { d, a, b } => compare!(d, a, <=, b),
            Instr::Gt { d, a, b } => compare!(d, a, >, b),
            Instr::Ge { d, a, b } => compare!(d, a, >=, b),
            Instr::AddI64 { d, a, b } => words!(d, Primitive::AddI64, twice!(a), twice!(b)),
            Instr::AddI64Int { d, a, k } => {
                words!(d, Primitive::AddI64, twice!(a), 2 * i64::from(k))
            }
            Instr::SubI64 { d, a, b } => words!(d, Primitive::SubI64, twice!(a), twice!(b)),
            Instr::MulI64 { d, a, b } => words!(d, Primitive::MulI64, twice!(a), twice!(b)),
            Instr::AddU64 { d, a, b } => words!(d, Primitive::AddU64, twice!(a), twice!(b)),
            Instr::SubU64 { d, a, b } => words!(d, Primitive::SubU64, twice!(a), twice!(b)),
            Instr::MulU64 { d, a, b } => words!(d, Primitive::MulU64, twice!(a), twice!(b)),
            Instr::Binary { d, a, b, op } => words!(d, op, twice!(a), twice!(b)),
            Instr::BinaryInt { d, a, k, op } => words!(d, op, twice!(a), 2 * i64::from(k)),
            Instr::Unary { d, a, op: Primitive::BitNot } => set!(d, !int!(a) << 1),
            Instr::Eval { .. } => {}
            Instr::Return { a } | Instr::Enter { a } => {
                return a.as_slot().map(|at| frame[at as usize & (SLOTS - 1)].number());
            }
            // From here on not all are integers.
            // SAFETY: it is the rest of such code.
            _ if !V::FLOATS => return unsafe { go_on(pc, frame.map(V::number), consts) },
            ref other => {
                let (d, value) = float_of(other, |slot| slot!(slot).number())?;
                slot!(d) = V::of_float(value)?;
            }
        }
        // SAFETY: as above.
        pc = unsafe { pc.add(1) };
    }
}

/// Calls [`computed_in`] for the rest of the code.
///
/// # Safety
/// As there.
#[inline(never)]
unsafe fn go_on(pc: *const Instr, frame: [Number; SLOTS], consts: Pool) -> Option<Number> {
    // SAFETY: the caller's promise.
    unsafe { computed_in(pc, frame, consts) }
}

/// Returns what an instruction on floats computes, and the slot for it; `number` is what is in a
/// slot.
#[inline(always)]
fn float_of(instr: &Instr, number: impl Fn(Forced) -> Number) -> Option<(Dst, f64)> {
    let float = |slot| match number(slot) {
        Number::Float(value) => Some(value),
        Number::Twice(_) => None,
    };
    Some(match *instr {
        Instr::FAdd { d, a, b } => (d, float(a)? + float(b)?),
        Instr::FSub { d, a, b } => (d, float(a)? - float(b)?),
        Instr::FMul { d, a, b } => (d, float(a)? * float(b)?),
        Instr::FDiv { d, a, b } => (d, float(a)? / float(b)?),
        Instr::FAddConst { d, a, k } => (d, float(a)? + k.get()),
        Instr::FSubConst { d, a, k } => (d, float(a)? - k.get()),
        Instr::FSubFrom { d, a, k } => (d, k.get() - float(a)?),
        Instr::FMulConst { d, a, k } => (d, float(a)? * k.get()),
        Instr::FDivConst { d, a, k } => (d, float(a)? / k.get()),
        Instr::FDivInto { d, a, k } => (d, k.get() / float(a)?),
        Instr::Unary { d, a, op: Primitive::IToF } => (d, (number(a).twice()? >> 1) as f64),
        Instr::Unary { d, a, op } => (d, of_float(op, float(a)?)?),
        _ => return None,
    })
}

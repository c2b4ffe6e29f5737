//! Floats, bits, and arithmetic modulo 2^64.

use super::code::instr::{Dst, Forced, Pc};
use super::code::program::Commuted;
use super::state::Machine;
use crate::base::allocation::is_available;
use crate::base::float::Float;
use crate::base::limbs::Written;
use crate::machine::failure::{self, Failure};
use crate::machine::heap::word::Word;
use crate::machine::heap::{Full, compute_words, integer_words};
use crate::machine::outcome::Stop;
use crate::primitive::numbers::{self, Computed, Fault, Number};
use crate::primitive::{Operand, Primitive};

/// For a result of more bytes the system is asked first whether it has them.
const PROBED: u64 = 1 << 20;

/// Returns what a primitive gives for two integers of a word, if that is one of a word too. `None`
/// says nothing: some primitives are not looked at.
#[inline(always)]
pub(super) fn of_words(primitive: Primitive, x: Word, y: Word) -> Option<Word> {
    // An unsigned result that is a word is not negative.
    let unsigned = |twice: i64| (twice >= 0).then(|| Word::from_bits(twice as u64));
    match primitive {
        Primitive::AddI64 => {
            x.twice().checked_add(y.twice()).map(|twice| Word::from_bits(twice as u64))
        }
        Primitive::SubI64 => {
            x.twice().checked_sub(y.twice()).map(|twice| Word::from_bits(twice as u64))
        }
        Primitive::MulI64 => Word::int(x.as_int().wrapping_mul(y.as_int())),
        Primitive::AddU64 => x.twice().checked_add(y.twice()).and_then(unsigned),
        Primitive::SubU64 => x.twice().checked_sub(y.twice()).and_then(unsigned),
        Primitive::MulU64 => of_unsigned(x.as_int().wrapping_mul(y.as_int()) as u64),
        Primitive::BitAnd => Some(Word::from_bits(x.bits() & y.bits())),
        Primitive::BitOr => Some(Word::from_bits(x.bits() | y.bits())),
        Primitive::BitXor => Some(Word::from_bits(x.bits() ^ y.bits())),
        Primitive::Shr => {
            let count = y.as_int();
            (count >= 0).then(|| Word::from_bits(((x.as_int() >> count.min(63)) as u64) << 1))
        }
        Primitive::ShlI64 => {
            let count = y.as_int();
            if (0..64).contains(&count) { Word::int(x.as_int() << count) } else { None }
        }
        Primitive::ShlU64 => {
            let count = y.as_int();
            if (0..64).contains(&count) { of_unsigned((x.as_int() as u64) << count) } else { None }
        }
        Primitive::Shl => {
            let count = y.as_int();
            if !(0..63).contains(&count) {
                return None;
            }
            let shifted = x.twice() << count;
            (shifted >> count == x.twice()).then(|| Word::from_bits(shifted as u64))
        }
        _ => None,
    }
}

/// Returns what a primitive gives for a number of a word, if that is one of a word too. `None` says
/// nothing.
#[inline(always)]
pub(super) fn of_word(primitive: Primitive, x: Word) -> Option<Word> {
    match primitive {
        Primitive::IToF if x.is_int() => Word::float(x.as_int() as f64),
        Primitive::FSqrt if x.is_float() => Word::float(x.as_float().sqrt()),
        Primitive::FNeg if x.is_float() => Word::float(-x.as_float()),
        Primitive::FAbs if x.is_float() => Word::float(x.as_float().abs()),
        Primitive::BitNot if x.is_int() => Word::int(!x.as_int()),
        _ => None,
    }
}

/// Returns what a primitive that a cheap thunk may have gives for a float. `None` says nothing.
pub(super) fn of_float(primitive: Primitive, x: f64) -> Option<f64> {
    match primitive {
        Primitive::FSqrt => Some(x.sqrt()),
        Primitive::FNeg => Some(-x),
        Primitive::FAbs => Some(x.abs()),
        Primitive::FSin => Some(x.sin()),
        Primitive::FCos => Some(x.cos()),
        Primitive::FExp => Some(x.exp()),
        _ => None,
    }
}

#[inline(always)]
fn of_unsigned(value: u64) -> Option<Word> {
    if value <= Word::MAX_INT as u64 { Word::int(value as i64) } else { None }
}

/// Returns what a primitive of arithmetic gives for two floats.
#[inline(always)]
pub(super) fn float_of(primitive: Primitive, x: f64, y: f64) -> f64 {
    match primitive {
        Primitive::FAdd => x + y,
        Primitive::FSub => x - y,
        Primitive::FMul => x * y,
        _ => x / y,
    }
}

/// Returns whether a comparison of floats gives 1.
#[inline(always)]
pub(super) fn float_holds(primitive: Primitive, x: f64, y: f64) -> bool {
    match primitive {
        Primitive::FEq => x == y,
        Primitive::FNeq => x != y,
        Primitive::FLt => x < y,
        Primitive::FLe => x <= y,
        Primitive::FGt => x > y,
        _ => x >= y,
    }
}

/// Returns the result of a primitive modulo 2^64, of the lowest 64 bits of its operands: whether it
/// is negative, and its magnitude. `None` if the primitive is another one.
#[inline]
fn of_low_bits(primitive: Primitive, x: u64, y: u64) -> Option<(bool, u64)> {
    let signed = |bits: u64| Some(((bits as i64) < 0, (bits as i64).unsigned_abs()));
    match primitive {
        Primitive::AddI64 => signed(x.wrapping_add(y)),
        Primitive::SubI64 => signed(x.wrapping_sub(y)),
        Primitive::MulI64 => signed(x.wrapping_mul(y)),
        Primitive::AddU64 => Some((false, x.wrapping_add(y))),
        Primitive::SubU64 => Some((false, x.wrapping_sub(y))),
        Primitive::MulU64 => Some((false, x.wrapping_mul(y))),
        _ => None,
    }
}

/// Returns the result of a primitive on integers of at most 65 bits with their sign, if it has at
/// most 128; `None` says nothing.
#[inline]
fn of_wide(primitive: Primitive, x: i128, y: i128) -> Option<i128> {
    match primitive {
        Primitive::BitAnd => Some(x & y),
        Primitive::BitOr => Some(x | y),
        Primitive::BitXor => Some(x ^ y),
        Primitive::Shr if y >= 0 => Some(x >> y.min(127)),
        Primitive::Shl if (0..=62).contains(&y) => Some(x << y),
        Primitive::ShlI64 if (0..64).contains(&y) => Some(i128::from(((x as u64) << y) as i64)),
        Primitive::ShlU64 if (0..64).contains(&y) => Some(i128::from((x as u64) << y)),
        _ => None,
    }
}

impl Machine {
    /// Returns the float that an evaluated word is, if it is one.
    #[inline]
    pub(super) fn float(&self, word: Word) -> Option<f64> {
        if word.is_float() {
            return Some(word.as_float());
        }
        if !word.is_value_pointer() {
            return None;
        }
        // SAFETY: it is a pointer.
        unsafe { self.heap.float_of(word) }
    }

    /// Returns the integer that an evaluated word is, if it is one of at most one limb.
    #[inline]
    fn wide(&self, word: Word) -> Option<i128> {
        if word.is_int() {
            return Some(i128::from(word.as_int()));
        }
        match self.big_limbs(word)? {
            limbs if limbs.magnitude.len() > 1 => None,
            limbs => {
                let magnitude = i128::from(*limbs.magnitude.first()?);
                Some(if limbs.negative { -magnitude } else { magnitude })
            }
        }
    }

    /// Returns the lowest 64 bits of an integer of few limbs.
    #[inline]
    fn low_bits(&self, word: Word) -> Option<u64> {
        if word.is_int() {
            return Some(word.as_int() as u64);
        }
        let limbs = self.big_limbs(word)?;
        let low = *limbs.magnitude.first()?;
        Some(if limbs.negative { low.wrapping_neg() } else { low })
    }

    /// Sets `d` to a float.
    #[inline]
    fn write_float(&mut self, d: Dst, value: f64) -> Result<(), Stop> {
        if !self.heap.fits(2) {
            // The instruction is executed again.
            return self.collect_for(2);
        }
        // SAFETY: there is room.
        let word = unsafe { self.heap.float(Float::new(value)) };
        self.set_slot(d.0, word);
        self.advance();
        Ok(())
    }

    /// Sets `d` to an integer of one limb.
    fn write_limb(&mut self, d: Dst, negative: bool, magnitude: u64) -> Result<(), Stop> {
        if !self.heap.fits(2) {
            return self.collect_for(2);
        }
        // SAFETY: there is room.
        let word = unsafe { self.heap.limb(negative, magnitude) };
        self.set_slot(d.0, word);
        self.advance();
        Ok(())
    }

    /// Sets `d` to an integer of up to two limbs.
    fn write_wide(&mut self, d: Dst, value: i128) -> Result<(), Stop> {
        let magnitude = value.unsigned_abs();
        if let Ok(magnitude) = u64::try_from(magnitude) {
            return self.write_limb(d, value < 0, magnitude);
        }
        let words = compute_words(2, 0);
        if !self.heap.fits(words) {
            return self.collect_for(words);
        }
        let limbs = [magnitude as u64, (magnitude >> 64) as u64];
        // SAFETY: there is room, and words that are integers are operands.
        let word = unsafe {
            self.heap.compute([Word::ZERO; 2], 2, 0, |_, out, _| {
                out.copy_from_slice(&limbs);
                Written { negative: value < 0, len: 2 }
            })
        };
        self.set_slot(d.0, word);
        self.advance();
        Ok(())
    }

    /// Sets `d` to the result of a primitive for `a`.
    pub(super) fn unary(&mut self, primitive: Primitive, d: Dst, a: Forced) -> Result<(), Stop> {
        let x = self.slot(a.0);
        // What loops over floats do.
        match primitive {
            Primitive::IToF if x.is_int() => return self.write_float(d, x.as_int() as f64),
            Primitive::FSqrt if x.is_float() => return self.write_float(d, x.as_float().sqrt()),
            _ => {}
        }
        if primitive.is_on_aggregates() {
            return self.aggregate(primitive, d, a);
        }
        if !x.is_evaluated() {
            return self.force(a);
        }
        match (primitive, self.float(x)) {
            (Primitive::FNeg, Some(x)) => return self.write_float(d, -x),
            (Primitive::FAbs, Some(x)) => return self.write_float(d, x.abs()),
            (Primitive::FSqrt, Some(x)) => return self.write_float(d, x.sqrt()),
            // Below 2^63 in magnitude a conversion is exact.
            (Primitive::FToI, Some(x)) if x.abs() < 9e18 => {
                let value = x as i64;
                return self.write_limb(d, value < 0, value.unsigned_abs());
            }
            _ => {}
        }
        if primitive.operand() == Operand::Integer
            && let Some(low) = self.low_bits(x)
        {
            let narrow = |value: i64| Some((value < 0, value.unsigned_abs()));
            let result = match primitive {
                Primitive::ToI8 => narrow(i64::from(low as i8)),
                Primitive::ToI16 => narrow(i64::from(low as i16)),
                Primitive::ToI32 => narrow(i64::from(low as i32)),
                Primitive::ToI64 => narrow(low as i64),
                Primitive::ToU8 => Some((false, low & 0xff)),
                Primitive::ToU16 => Some((false, low & 0xffff)),
                Primitive::ToU32 => Some((false, low & 0xffff_ffff)),
                Primitive::ToU64 => Some((false, low)),
                Primitive::BitNot if x.is_int() => narrow(!x.as_int()),
                Primitive::PopCount if x.is_int() && x.as_int() >= 0 => {
                    Some((false, u64::from(low.count_ones())))
                }
                _ => None,
            };
            if let Some((negative, magnitude)) = result {
                return self.write_limb(d, negative, magnitude);
            }
        }
        self.primitive(primitive, d, &[x])
    }

    /// Sets `d` to the result of a primitive for `a` and `b`.
    pub(super) fn binary(
        &mut self,
        primitive: Primitive,
        d: Dst,
        a: Forced,
        b: Forced,
    ) -> Result<(), Stop> {
        if primitive.is_on_aggregates() {
            return self.aggregate_of(primitive, d, a, b);
        }
        if self.force_one(a, b)? {
            return Ok(());
        }
        self.binary_on(primitive, d, self.slot(a.0), self.slot(b.0))
    }

    /// Sets `d` to the result of a primitive for `a` and `k`.
    pub(super) fn binary_with(
        &mut self,
        primitive: Primitive,
        d: Dst,
        a: Forced,
        k: i32,
    ) -> Result<(), Stop> {
        let x = self.slot(a.0);
        if !x.is_evaluated() {
            return self.force(a);
        }
        self.binary_on(primitive, d, x, Word::of_i32(k))
    }

    pub(super) fn binary_on(
        &mut self,
        primitive: Primitive,
        d: Dst,
        x: Word,
        y: Word,
    ) -> Result<(), Stop> {
        if primitive.operand() == Operand::Float {
            match (primitive, self.float(x), self.float(y)) {
                (
                    Primitive::FAdd | Primitive::FSub | Primitive::FMul | Primitive::FDiv,
                    Some(x),
                    Some(y),
                ) => return self.write_float(d, float_of(primitive, x, y)),
                (_, Some(x), Some(y)) if primitive.result() == Operand::Integer => {
                    self.set_slot(d.0, Word::boolean(float_holds(primitive, x, y)));
                    self.advance();
                    return Ok(());
                }
                _ => {}
            }
        } else {
            if let (Some(low), Some(other)) = (self.low_bits(x), self.low_bits(y))
                && let Some((negative, magnitude)) = of_low_bits(primitive, low, other)
            {
                return self.write_limb(d, negative, magnitude);
            }
            if let (Some(x), Some(y)) = (self.wide(x), self.wide(y))
                && let Some(value) = of_wide(primitive, x, y)
            {
                return self.write_wide(d, value);
            }
        }
        self.primitive(primitive, d, &[x, y])
    }

    /// Sets `d` to the result of a primitive for the floats `a` and `k`, in the order that
    /// `ordered` says.
    pub(super) fn float_with(
        &mut self,
        primitive: Primitive,
        d: Dst,
        a: Forced,
        k: Float,
        ordered: impl FnOnce(f64, f64) -> (f64, f64),
    ) -> Result<(), Stop> {
        let x = self.slot(a.0);
        if !x.is_evaluated() {
            return self.force(a);
        }
        let Some(value) = self.float(x) else { return Err(self.no_float(primitive, x)) };
        let (x, y) = ordered(value, k.get());
        self.write_float(d, float_of(primitive, x, y))
    }

    /// Returns the failure of an operand of the present instruction, whose other one is a constant,
    /// that is no float.
    fn no_float(&self, primitive: Primitive, x: Word) -> Stop {
        match self.mutator.image.commuted(self.at()) {
            Some(Commuted { primitive, constant_first }) => {
                self.no_result(primitive, Fault::Kind(constant_first.into()), &[x, x])
            }
            None => self.no_result(primitive, Fault::Kind(0), &[x, x]),
        }
    }

    /// Sets `d` to the result of a primitive for evaluated operands of any kind.
    #[cold]
    pub(super) fn primitive(
        &mut self,
        primitive: Primitive,
        d: Dst,
        words: &[Word],
    ) -> Result<(), Stop> {
        let (bytes, result) = {
            let integers: Vec<_> = words.iter().map(|&word| self.number(word)).collect();
            let mut operands = Vec::with_capacity(words.len());
            for (&word, integer) in words.iter().zip(&integers) {
                match (integer, self.float(word), self.bytes(word)) {
                    (Some(integer), ..) => operands.push(Number::Integer(integer)),
                    (None, Some(value), _) => operands.push(Number::Float(Float::new(value))),
                    (None, None, Some(bytes)) => operands.push(Number::Bytes(bytes)),
                    (None, None, None) => break,
                }
            }
            let bytes = numbers::bytes(primitive, &operands);
            let can_grow = self.heap.can_grow(bytes);
            if can_grow && bytes > PROBED && !is_available(bytes) {
                return Err(self.out_of_memory(Full::System));
            }
            match can_grow {
                true => (bytes, Some(numbers::compute(primitive, &operands))),
                false => (bytes, None),
            }
        };
        // Every result but a large integer takes two words.
        let words_of_it = match &result {
            Some(Ok(Computed::Integer(value))) => integer_words(value),
            _ => 2,
        };
        let Some(result) = result.filter(|_| self.heap.fits(words_of_it)) else {
            // The words may move: the instruction is executed again.
            return self.collect_for_bytes(words_of_it, bytes);
        };
        let word = match result {
            // SAFETY: there is room.
            Ok(Computed::Integer(value)) => unsafe { self.heap.int(value) },
            // SAFETY: there is room.
            Ok(Computed::Float(value)) => unsafe { self.heap.float(value) },
            Ok(Computed::Char(value)) => Word::char(value),
            Ok(Computed::Bytes(bytes)) => return self.put_bytes(d, &bytes),
            Ok(Computed::Part { from, len }) => {
                let of = words.iter().copied().find(|&word| self.bytes(word).is_some());
                return self.put_slice(d, of.unwrap_or(Word::NOTHING), from, len);
            }
            Err(fault) => return Err(self.no_result(primitive, fault, words)),
        };
        self.set_slot(d.0, word);
        self.advance();
        Ok(())
    }

    fn no_result(&self, primitive: Primitive, fault: Fault, operands: &[Word]) -> Stop {
        let name = primitive.name();
        let found = |at: usize| self.describe(operands.get(at).copied().unwrap_or(Word::NOTHING));
        match fault {
            Fault::Kind(at) => {
                let (needs, which) =
                    (failure::needs(primitive, at), failure::place(at, operands.len()));
                self.wrong_operand(
                    name,
                    needs,
                    which,
                    operands.get(at).copied().unwrap_or(Word::NOTHING),
                )
            }
            Fault::NoInteger => self.fail(Failure::no_integer(name, &found(0))),
            Fault::Negative(at) => self.fail(Failure::negative_operand(name, &found(at))),
            Fault::Index(len) => self.fail(Failure::no_element(name, &found(1), len)),
            Fault::NoText | Fault::NoNumber => self.fail(Failure::not_encoded(name)),
            Fault::TooLarge => self.out_of_memory(Full::System),
        }
    }

    /// Jumps to `to` unless a comparison of the floats `a` and `b` gives 1.
    pub(super) fn compare_floats_and_jump(
        &mut self,
        primitive: Primitive,
        a: Forced,
        b: Forced,
        to: Pc,
    ) -> Result<(), Stop> {
        if self.force_one(a, b)? {
            return Ok(());
        }
        let (x, y) = (self.slot(a.0), self.slot(b.0));
        match (self.float(x), self.float(y)) {
            (Some(x), Some(y)) => {
                if float_holds(primitive, x, y) {
                    self.advance();
                } else {
                    self.go_to(to);
                }
                Ok(())
            }
            (Some(_), None) => Err(self.no_result(primitive, Fault::Kind(1), &[x, y])),
            (None, _) => Err(self.no_result(primitive, Fault::Kind(0), &[x, y])),
        }
    }

    /// Jumps to `to` unless a comparison of the floats `a` and `k` gives 1.
    pub(super) fn compare_float_and_jump(
        &mut self,
        primitive: Primitive,
        a: Forced,
        k: Float,
        to: Pc,
    ) -> Result<(), Stop> {
        let x = self.slot(a.0);
        if !x.is_evaluated() {
            return self.force(a);
        }
        match self.float(x) {
            Some(x) if float_holds(primitive, x, k.get()) => self.advance(),
            Some(_) => self.go_to(to),
            None => return Err(self.no_float(primitive, x)),
        }
        Ok(())
    }
}

//! Exact arithmetic on integers of a few limbs, without memory of its own.
//!
//! Results are written to slices that the caller provides, and so are working copies. For more
//! limbs than [`MAX_LIMBS`], and for divisions that [are long](Limbs::division_is_long), the
//! algorithms of the library pay.

mod magnitude;

use std::cmp::Ordering;

pub use magnitude::significant;
use magnitude::{add, compare, divide, increment, mul, mul_work, scale, sub, sub_reversed};

/// The most limbs of an operand.
pub const MAX_LIMBS: usize = 4095;

/// Limbs of divisor and quotient above which a division is long.
const LONG_DIVISION: usize = 200;

/// An integer: its sign, and the limbs of its magnitude, least significant first, the last
/// one not 0. Zero has no limbs, and is not negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limbs<'a> {
    /// Whether it is below 0.
    pub negative: bool,
    /// The limbs of its magnitude.
    pub magnitude: &'a [u64],
}

/// What was written to a slice: the sign, and how many limbs. Neither is normalised: the last
/// limbs may be 0, and zero negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// Whether it is below 0, unless it is 0.
    pub negative: bool,
    /// The number of limbs.
    pub len: usize,
}

/// Which way a quotient is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Toward zero.
    Truncate,
    /// Toward minus infinity.
    Floor,
}

impl<'a> Limbs<'a> {
    /// Returns the limbs of an integer that fits a word; `limb` is where its magnitude is kept.
    #[inline]
    #[must_use]
    pub fn of(value: i64, limb: &'a mut [u64; 1]) -> Limbs<'a> {
        limb[0] = value.unsigned_abs();
        Limbs { negative: value < 0, magnitude: &limb[..usize::from(value != 0)] }
    }

    /// Returns the value, if it takes 64 bits.
    #[inline]
    #[must_use]
    pub fn to_i64(self) -> Option<i64> {
        match *self.magnitude {
            [] => Some(0),
            [limb] if self.negative => 0i64.checked_sub_unsigned(limb),
            [limb] => i64::try_from(limb).ok(),
            _ => None,
        }
    }

    /// Returns the negated value; that of zero is no more to be looked at than as an operand of
    /// `sum`.
    #[inline]
    #[must_use]
    pub fn negated(self) -> Limbs<'a> {
        Limbs { negative: !self.negative, ..self }
    }

    /// Returns the limbs that a sum or difference takes.
    #[inline]
    #[must_use]
    pub fn sum_limbs(self, other: Limbs<'_>) -> usize {
        self.magnitude.len().max(other.magnitude.len()) + 1
    }

    /// Returns the limbs that the product takes.
    #[inline]
    #[must_use]
    pub fn product_limbs(self, other: Limbs<'_>) -> usize {
        self.magnitude.len() + other.magnitude.len()
    }

    /// Returns the limbs that computing the product takes beside it.
    #[inline]
    #[must_use]
    pub fn product_work(self, other: Limbs<'_>) -> usize {
        mul_work(self.magnitude.len(), other.magnitude.len())
    }

    /// Returns the limbs that quotient or remainder by `other` takes.
    #[inline]
    #[must_use]
    pub fn division_limbs(self, other: Limbs<'_>) -> usize {
        self.sum_limbs(other)
    }

    /// Returns the limbs that computing quotient or remainder takes beside it.
    #[inline]
    #[must_use]
    pub fn division_work(self) -> usize {
        self.magnitude.len() + 1
    }

    /// Returns whether a division by `other` takes so long this way that it is worth copying the
    /// operands for the library, which has a faster one.
    #[inline]
    #[must_use]
    pub fn division_is_long(self, other: Limbs<'_>) -> bool {
        let divisor = other.magnitude.len();
        divisor > LONG_DIVISION && self.magnitude.len() > divisor + LONG_DIVISION
    }

    /// Writes the sum to `out`, which has [`sum_limbs`](Limbs::sum_limbs).
    #[inline]
    #[must_use]
    pub fn sum(self, other: Limbs<'_>, out: &mut [u64]) -> Written {
        let (a, b) = (self.magnitude, other.magnitude);
        if self.negative == other.negative {
            return Written { negative: self.negative, len: add(a, b, out) };
        }
        match compare(a, b) {
            Ordering::Less => Written { negative: other.negative, len: sub(b, a, out) },
            Ordering::Equal => Written { negative: false, len: 0 },
            Ordering::Greater => Written { negative: self.negative, len: sub(a, b, out) },
        }
    }

    /// Writes the product to `out`, which has [`product_limbs`](Limbs::product_limbs); `work`
    /// has [`product_work`](Limbs::product_work).
    #[inline]
    #[must_use]
    pub fn product(self, other: Limbs<'_>, out: &mut [u64], work: &mut [u64]) -> Written {
        let negative = self.negative != other.negative;
        Written { negative, len: mul(self.magnitude, other.magnitude, out, work) }
    }

    /// Writes the product with a word to `out`, which has a limb more than `self`.
    #[inline]
    #[must_use]
    pub fn product_with(self, word: i64, out: &mut [u64]) -> Written {
        let negative = self.negative != (word < 0);
        Written { negative, len: scale(self.magnitude, word.unsigned_abs(), out) }
    }

    /// Writes the quotient by `other`, which is not 0, to `out`, which has
    /// [`division_limbs`](Limbs::division_limbs); `work` has
    /// [`division_work`](Limbs::division_work).
    #[must_use]
    pub fn quotient(
        self,
        other: Limbs<'_>,
        rounding: Rounding,
        out: &mut [u64],
        work: &mut [u64],
    ) -> Written {
        let negative = self.negative != other.negative;
        let (mut len, rest) = divide(self.magnitude, other.magnitude, out, work);
        if rounding == Rounding::Floor && negative && rest > 0 {
            len = increment(out, len);
        }
        Written { negative, len }
    }

    /// Writes the remainder by `other`, which is not 0, to `out`; as for
    /// [`quotient`](Limbs::quotient). Truncated it has the sign of `self`, floored that of
    /// `other`.
    #[must_use]
    pub fn remainder(
        self,
        other: Limbs<'_>,
        rounding: Rounding,
        out: &mut [u64],
        work: &mut [u64],
    ) -> Written {
        let (_, len) = divide(self.magnitude, other.magnitude, work, out);
        if rounding == Rounding::Floor && self.negative != other.negative && len > 0 {
            return Written {
                negative: other.negative,
                len: sub_reversed(other.magnitude, out, len),
            };
        }
        Written { negative: self.negative, len }
    }
}

impl PartialOrd for Limbs<'_> {
    #[inline]
    fn partial_cmp(&self, other: &Limbs<'_>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Limbs<'_> {
    #[inline]
    fn cmp(&self, other: &Limbs<'_>) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => compare(self.magnitude, other.magnitude),
            (true, true) => compare(other.magnitude, self.magnitude),
        }
    }
}

#[cfg(test)]
mod tests;

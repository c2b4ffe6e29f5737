//! Exact arithmetic on integers of a few limbs, without memory of its own.
//!
//! Results are written to slices that the caller provides. The algorithms are those of the
//! classical section of Knuth, *The Art of Computer Programming*, volume 2, 4.3.1; for more
//! limbs than [`MAX_LIMBS`] the ones that are faster for large numbers pay.

use std::cmp::Ordering;

/// The most limbs of an operand.
pub const MAX_LIMBS: usize = 32;

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
    /// A word; `limb` is where its magnitude is kept.
    #[inline]
    #[must_use]
    pub fn of(value: i64, limb: &'a mut [u64; 1]) -> Limbs<'a> {
        limb[0] = value.unsigned_abs();
        Limbs { negative: value < 0, magnitude: &limb[..usize::from(value != 0)] }
    }

    /// The value, if it takes 64 bits.
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

    /// The negated value; that of zero is no more to be looked at than as an operand of `sum`.
    #[inline]
    #[must_use]
    pub fn negated(self) -> Limbs<'a> {
        Limbs { negative: !self.negative, ..self }
    }

    /// Limbs that a sum or difference takes.
    #[inline]
    #[must_use]
    pub fn sum_limbs(self, other: Limbs<'_>) -> usize {
        self.magnitude.len().max(other.magnitude.len()) + 1
    }

    /// Limbs that the product takes.
    #[inline]
    #[must_use]
    pub fn product_limbs(self, other: Limbs<'_>) -> usize {
        self.magnitude.len() + other.magnitude.len()
    }

    /// Limbs that quotient or remainder by `other` takes.
    #[inline]
    #[must_use]
    pub fn division_limbs(self, other: Limbs<'_>) -> usize {
        self.sum_limbs(other)
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

    /// Writes the product to `out`, which has [`product_limbs`](Limbs::product_limbs).
    #[inline]
    #[must_use]
    pub fn product(self, other: Limbs<'_>, out: &mut [u64]) -> Written {
        let negative = self.negative != other.negative;
        Written { negative, len: mul(self.magnitude, other.magnitude, out) }
    }

    /// Writes the quotient by `other`, which is not 0, to `out`, which has
    /// [`division_limbs`](Limbs::division_limbs).
    #[must_use]
    pub fn quotient(self, other: Limbs<'_>, rounding: Rounding, out: &mut [u64]) -> Written {
        let mut remainder = [0; MAX_LIMBS];
        let negative = self.negative != other.negative;
        let (mut len, rest) = divide(self.magnitude, other.magnitude, out, &mut remainder);
        if rounding == Rounding::Floor && negative && rest > 0 {
            len = increment(out, len);
        }
        Written { negative, len }
    }

    /// Writes the remainder by `other`, which is not 0, to `out`, which has
    /// [`division_limbs`](Limbs::division_limbs). Truncated it has the sign of `self`, floored
    /// that of `other`.
    #[must_use]
    pub fn remainder(self, other: Limbs<'_>, rounding: Rounding, out: &mut [u64]) -> Written {
        let (mut quotient, mut remainder) = ([0; MAX_LIMBS + 1], [0; MAX_LIMBS]);
        let divisor = other.magnitude;
        let (_, len) = divide(self.magnitude, divisor, &mut quotient, &mut remainder);
        if rounding == Rounding::Floor && self.negative != other.negative && len > 0 {
            return Written { negative: other.negative, len: sub(divisor, &remainder[..len], out) };
        }
        out[..len].copy_from_slice(&remainder[..len]);
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

/// How many limbs there are up to the last one that is not 0.
#[inline]
#[must_use]
pub fn significant(limbs: &[u64]) -> usize {
    limbs.iter().rposition(|limb| *limb != 0).map_or(0, |last| last + 1)
}

#[inline]
fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// `out` becomes `a + b`; the number of its limbs.
#[inline]
fn add(a: &[u64], b: &[u64], out: &mut [u64]) -> usize {
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let out = &mut out[..=a.len()];
    let (low, high) = a.split_at(b.len());
    let mut carry = false;
    for ((out, a), b) in out.iter_mut().zip(low).zip(b) {
        (*out, carry) = add_limbs(*a, *b, carry);
    }
    for (out, a) in out[b.len()..].iter_mut().zip(high) {
        (*out, carry) = add_limbs(*a, 0, carry);
    }
    out[a.len()] = u64::from(carry);
    a.len() + usize::from(carry)
}

/// `out` becomes `a - b`, which is not below 0; the number of its limbs.
#[inline]
fn sub(a: &[u64], b: &[u64], out: &mut [u64]) -> usize {
    let (low, high) = a.split_at(b.len());
    let mut borrow = false;
    for ((out, a), b) in out.iter_mut().zip(low).zip(b) {
        (*out, borrow) = sub_limbs(*a, *b, borrow);
    }
    for (out, a) in out[b.len()..].iter_mut().zip(high) {
        (*out, borrow) = sub_limbs(*a, 0, borrow);
    }
    debug_assert!(!borrow, "the larger one comes first");
    significant(&out[..a.len()])
}

#[inline(always)]
fn add_limbs(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum, first | second)
}

#[inline(always)]
fn sub_limbs(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (rest, first) = a.overflowing_sub(b);
    let (rest, second) = rest.overflowing_sub(u64::from(borrow));
    (rest, first | second)
}

/// A product and two limbs more never exceed two limbs: the low one and the high one.
#[inline(always)]
fn mul_limbs(a: u64, b: u64, more: u64, carry: u64) -> (u64, u64) {
    let all = u128::from(a) * u128::from(b) + u128::from(more) + u128::from(carry);
    (all as u64, (all >> 64) as u64)
}

/// `out` becomes `a * b`; the number of its limbs.
#[inline]
fn mul(a: &[u64], b: &[u64], out: &mut [u64]) -> usize {
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let out = &mut out[..a.len() + b.len()];
    let Some((first, rest)) = b.split_first() else { return 0 };
    let mut carry = 0;
    for (out, a) in out.iter_mut().zip(a) {
        (*out, carry) = mul_limbs(*a, *first, 0, carry);
    }
    out[a.len()] = carry;
    for (at, b) in (1..).zip(rest) {
        let mut carry = 0;
        for (out, a) in out[at..].iter_mut().zip(a) {
            (*out, carry) = mul_limbs(*a, *b, *out, carry);
        }
        out[at + a.len()] = carry;
    }
    significant(out)
}

/// `out` becomes `out + 1`, where there is room for a carry; the number of its limbs.
fn increment(out: &mut [u64], len: usize) -> usize {
    for limb in &mut out[..len] {
        let overflows;
        (*limb, overflows) = limb.overflowing_add(1);
        if !overflows {
            return len;
        }
    }
    out[len] = 1;
    len + 1
}

/// `a / b`, rounded down, and what remains; the numbers of their limbs. There is room for as
/// many limbs as the quotient can have, or `a` if that is less than `b`, and for those of `b`.
fn divide(a: &[u64], b: &[u64], quotient: &mut [u64], remainder: &mut [u64]) -> (usize, usize) {
    if compare(a, b) == Ordering::Less {
        remainder[..a.len()].copy_from_slice(a);
        return (0, a.len());
    }
    if let [divisor] = *b {
        remainder[0] = divide_by_limb(a, divisor, quotient);
        return (significant(&quotient[..a.len()]), usize::from(remainder[0] != 0));
    }
    long_division(a, b, &mut quotient[..=a.len() - b.len()], &mut remainder[..b.len()]);
    (significant(&quotient[..=a.len() - b.len()]), significant(&remainder[..b.len()]))
}

/// `quotient` becomes `a / divisor`; what remains.
fn divide_by_limb(a: &[u64], divisor: u64, quotient: &mut [u64]) -> u64 {
    let mut rest = 0;
    if divisor >> 32 == 0 {
        // Two divisions of a word cost less than one of two words.
        for (out, limb) in quotient.iter_mut().zip(a).rev() {
            let high = rest << 32 | limb >> 32;
            let low = (high % divisor) << 32 | limb & 0xffff_ffff;
            *out = ((high / divisor) << 32) | (low / divisor);
            rest = low % divisor;
        }
    } else {
        for (out, limb) in quotient.iter_mut().zip(a).rev() {
            let both = u128::from(rest) << 64 | u128::from(*limb);
            *out = (both / u128::from(divisor)) as u64;
            rest = (both % u128::from(divisor)) as u64;
        }
    }
    rest
}

/// Algorithm D. `b` has two limbs at least and is not above `a`; `quotient` has the limbs by
/// which `a` is longer and one more, `remainder` those of `b`.
fn long_division(a: &[u64], b: &[u64], quotient: &mut [u64], remainder: &mut [u64]) {
    let (mut rest, mut divisor) = ([0; MAX_LIMBS + 1], [0; MAX_LIMBS]);
    let n = b.len();
    let shift = b[n - 1].leading_zeros();
    rest[a.len()] = shift_left(a, shift, &mut rest);
    shift_left(b, shift, &mut divisor);
    let divisor = &divisor[..n];
    let (first, second) = (u128::from(divisor[n - 1]), u128::from(divisor[n - 2]));
    for (at, out) in quotient.iter_mut().enumerate().rev() {
        let rest = &mut rest[at..=at + n];
        let high = u128::from(rest[n]) << 64 | u128::from(rest[n - 1]);
        let (mut guess, mut left) = (high / first, high % first);
        while guess >> 64 != 0 || guess * second > (left << 64 | u128::from(rest[n - 2])) {
            guess -= 1;
            left += first;
            if left >> 64 != 0 {
                break;
            }
        }
        // It is right now, or one too large.
        let (mut carry, mut borrow) = (0, false);
        for (rest, limb) in rest.iter_mut().zip(divisor) {
            let product;
            (product, carry) = mul_limbs(guess as u64, *limb, 0, carry);
            (*rest, borrow) = sub_limbs(*rest, product, borrow);
        }
        (rest[n], borrow) = sub_limbs(rest[n], carry, borrow);
        if borrow {
            guess -= 1;
            let mut carry = false;
            for (rest, limb) in rest.iter_mut().zip(divisor) {
                (*rest, carry) = add_limbs(*rest, *limb, carry);
            }
            rest[n] = rest[n].wrapping_add(u64::from(carry));
        }
        *out = guess as u64;
    }
    for (at, out) in remainder.iter_mut().enumerate() {
        // A shift by all 64 bits is none.
        let high = rest[at + 1].checked_shl(64 - shift).unwrap_or(0);
        *out = rest[at] >> shift | high;
    }
}

/// `out` becomes `a`, shifted by less than a limb; the bits that are shifted out.
fn shift_left(a: &[u64], shift: u32, out: &mut [u64]) -> u64 {
    let mut carry = 0;
    for (out, limb) in out.iter_mut().zip(a) {
        *out = limb << shift | carry;
        carry = limb.checked_shr(64 - shift).unwrap_or(0);
    }
    carry
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, BigUint, Sign};
    use num_integer::Integer as _;
    use proptest::prelude::*;

    fn big(negative: bool, limbs: &[u64]) -> BigInt {
        let digits = limbs.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]).collect();
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        BigInt::from_biguint(sign, BigUint::new(digits))
    }

    /// What an operation writes to a slice of so many limbs of rubbish.
    fn result(limbs: usize, work: impl FnOnce(&mut [u64]) -> Written) -> BigInt {
        let mut out = vec![0xdead_dead_dead_dead; limbs];
        let written = work(&mut out);
        big(written.negative, &out[..written.len])
    }

    fn check(a: (bool, &[u64]), b: (bool, &[u64])) {
        let normal = |(negative, limbs): (bool, &[u64])| {
            let len = significant(limbs);
            (negative && len > 0, limbs[..len].to_vec())
        };
        let ((an, al), (bn, bl)) = (normal(a), normal(b));
        let (p, q) = (big(an, &al), big(bn, &bl));
        let x = Limbs { negative: an, magnitude: &al };
        let y = Limbs { negative: bn, magnitude: &bl };
        assert_eq!(x.cmp(&y), p.cmp(&q));
        assert_eq!(x.to_i64(), i64::try_from(&p).ok());
        assert_eq!(result(x.sum_limbs(y), |out| x.sum(y, out)), &p + &q);
        assert_eq!(result(x.sum_limbs(y), |out| x.sum(y.negated(), out)), &p - &q);
        assert_eq!(result(x.product_limbs(y), |out| x.product(y, out)), &p * &q);
        if bl.is_empty() {
            return;
        }
        let room = x.division_limbs(y);
        for (rounding, quotient, remainder) in [
            (Rounding::Truncate, &p / &q, &p % &q),
            (Rounding::Floor, p.div_floor(&q), p.mod_floor(&q)),
        ] {
            assert_eq!(result(room, |out| x.quotient(y, rounding, out)), quotient, "{p} / {q}");
            assert_eq!(result(room, |out| x.remainder(y, rounding, out)), remainder, "{p} % {q}");
        }
    }

    const EDGES: [u64; 8] =
        [0, 1, 10, u32::MAX as u64, 1 << 32, i64::MAX as u64, 1 << 63, u64::MAX];

    #[test]
    fn one_and_two_limbs_at_the_borders() {
        let mut all: Vec<Vec<u64>> = EDGES.iter().map(|limb| vec![*limb]).collect();
        for low in EDGES {
            all.extend(EDGES.iter().map(|high| vec![low, *high]));
            all.extend(EDGES.iter().map(|high| vec![low, 0, *high]));
        }
        for a in &all {
            for b in &all {
                for (an, bn) in [(false, false), (false, true), (true, false), (true, true)] {
                    check((an, a), (bn, b));
                }
            }
        }
    }

    #[test]
    fn the_guess_of_a_long_division_can_be_one_too_large() {
        // Knuth's step D6, which random operands do not reach.
        check((false, &[0, 0, 1 << 63, i64::MAX as u64]), (false, &[1, 0, 1 << 63]));
        check((true, &[3, 0, 1 << 63]), (false, &[1, 0, 1 << 61]));
        check((false, &[0, u64::MAX - 1, 1 << 63]), (true, &[u64::MAX, 1 << 63]));
    }

    #[test]
    fn words_are_limbs() {
        for value in [0, 1, -1, i64::MAX, i64::MIN] {
            assert_eq!(Limbs::of(value, &mut [7]).to_i64(), Some(value));
        }
        assert_eq!(Limbs { negative: false, magnitude: &[1 << 63] }.to_i64(), None);
    }

    fn limbs() -> impl Strategy<Value = (bool, Vec<u64>)> {
        let limb = prop_oneof![any::<u64>(), prop::sample::select(&EDGES[..])];
        (any::<bool>(), prop::collection::vec(limb, 0..=MAX_LIMBS))
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_the_library(a in limbs(), b in limbs()) {
            check((a.0, &a.1), (b.0, &b.1));
            check((a.0, &a.1), (b.0, &a.1));
        }

        #[test]
        fn division_gives_back_what_was_multiplied(a in limbs(), b in limbs(), up: bool) {
            let (a_half, b_half) = (&a.1[..a.1.len() / 2], &b.1[..b.1.len() / 2]);
            let mut product = vec![0; a_half.len() + b_half.len() + 1];
            let len = product.len() - 1;
            mul(a_half, b_half, &mut product[..len]);
            if up {
                increment(&mut product, len);
            }
            product.truncate(MAX_LIMBS);
            check((a.0, &product), (b.0, b_half));
        }
    }
}

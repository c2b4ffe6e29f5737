//! Arithmetic on magnitudes: limbs, least significant first.
//!
//! The algorithms are those of Knuth, *The Art of Computer Programming*, volume 2, 4.3.1;
//! multiplication of long ones after Karatsuba and Ofman, *Multiplication of multidigit numbers
//! on automata*, 1963; division by a limb after Möller and Granlund, *Improved division by
//! invariant integers*, 2011.

use std::cmp::Ordering;

/// Limbs of the shorter factor from which Karatsuba's algorithm pays.
pub(super) const KARATSUBA: usize = 32;

/// Returns how many limbs there are up to the last one that is not 0.
#[inline]
#[must_use]
pub fn significant(limbs: &[u64]) -> usize {
    limbs.iter().rposition(|limb| *limb != 0).map_or(0, |last| last + 1)
}

#[inline]
pub(super) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// Sets `out` to `a + b`; returns the number of its limbs.
#[inline]
pub(super) fn add(a: &[u64], b: &[u64], out: &mut [u64]) -> usize {
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let out = &mut out[..=a.len()];
    let (low, high) = a.split_at(b.len());
    let mut carry = add_equal(low, b, out);
    for (out, a) in out[b.len()..].iter_mut().zip(high) {
        (*out, carry) = a.carrying_add(0, carry);
    }
    out[a.len()] = u64::from(carry);
    a.len() + usize::from(carry)
}

/// Sets `out` to `a + b`, which have as many limbs; returns whether there is a carry.
#[inline]
fn add_equal(a: &[u64], b: &[u64], out: &mut [u64]) -> bool {
    let mut carry = false;
    // Four at a time: the carry stays in its flag.
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let (out, out_rest) = out[..4 * a.len() + a_rest.len()].as_chunks_mut::<4>();
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        (out[0], carry) = a[0].carrying_add(b[0], carry);
        (out[1], carry) = a[1].carrying_add(b[1], carry);
        (out[2], carry) = a[2].carrying_add(b[2], carry);
        (out[3], carry) = a[3].carrying_add(b[3], carry);
    }
    for ((out, a), b) in out_rest.iter_mut().zip(a_rest).zip(b_rest) {
        (*out, carry) = a.carrying_add(*b, carry);
    }
    carry
}

/// Sets `out` to `a - b`, which is not below 0; returns the number of its limbs.
#[inline]
pub(super) fn sub(a: &[u64], b: &[u64], out: &mut [u64]) -> usize {
    let (low, high) = a.split_at(b.len());
    let out = &mut out[..a.len()];
    let mut borrow = sub_equal(low, b, out);
    for (out, a) in out[b.len()..].iter_mut().zip(high) {
        (*out, borrow) = a.borrowing_sub(0, borrow);
    }
    debug_assert!(!borrow, "the larger one comes first");
    significant(out)
}

/// Sets `out` to `a - b`, which have as many limbs; returns whether there is a borrow.
#[inline]
fn sub_equal(a: &[u64], b: &[u64], out: &mut [u64]) -> bool {
    let mut borrow = false;
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let (out, out_rest) = out[..4 * a.len() + a_rest.len()].as_chunks_mut::<4>();
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        (out[0], borrow) = a[0].borrowing_sub(b[0], borrow);
        (out[1], borrow) = a[1].borrowing_sub(b[1], borrow);
        (out[2], borrow) = a[2].borrowing_sub(b[2], borrow);
        (out[3], borrow) = a[3].borrowing_sub(b[3], borrow);
    }
    for ((out, a), b) in out_rest.iter_mut().zip(a_rest).zip(b_rest) {
        (*out, borrow) = a.borrowing_sub(*b, borrow);
    }
    borrow
}

/// Adds `a` to `to`, which the sum fits.
fn add_to(to: &mut [u64], a: &[u64]) {
    let (low, high) = to.split_at_mut(a.len());
    let mut carry = false;
    for (to, a) in low.iter_mut().zip(a) {
        (*to, carry) = to.carrying_add(*a, carry);
    }
    for to in high {
        if !carry {
            return;
        }
        (*to, carry) = to.overflowing_add(1);
    }
    debug_assert!(!carry, "the sum fits");
}

/// Subtracts `a` from `to`; returns whether the difference is below 0, and `to` is too large by 2
/// to the power of all its bits.
fn sub_from(to: &mut [u64], a: &[u64]) -> bool {
    let (low, high) = to.split_at_mut(a.len());
    let mut borrow = false;
    for (to, a) in low.iter_mut().zip(a) {
        (*to, borrow) = to.borrowing_sub(*a, borrow);
    }
    for to in high {
        if !borrow {
            break;
        }
        (*to, borrow) = to.overflowing_sub(1);
    }
    borrow
}

/// Adds 1 to `out`, which has `len` limbs and room for a carry; returns the number of its limbs.
pub(super) fn increment(out: &mut [u64], len: usize) -> usize {
    out[len] = 0;
    add_to(&mut out[..=len], &[1]);
    len + usize::from(out[len] != 0)
}

/// Returns the limbs of the working copies of [`mul`], by those of the factors.
#[inline]
pub(super) fn mul_work(a: usize, b: usize) -> usize {
    let short = a.min(b);
    // Each level takes four halves, rounded up; a long factor is taken in pieces.
    if short < KARATSUBA { 0 } else { 6 * short + 64 }
}

/// Sets `out` to `a * b`; returns the number of its limbs. `work` has as many as [`mul_work`] says.
#[inline]
pub(super) fn mul(a: &[u64], b: &[u64], out: &mut [u64], work: &mut [u64]) -> usize {
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let out = &mut out[..a.len() + b.len()];
    match *b {
        [] => return 0,
        [limb] => out[a.len()] = mul_limb(a, limb, out),
        _ if b.len() < KARATSUBA => long_multiplication(a, b, out),
        _ => in_pieces(a, b, out, work),
    }
    significant(out)
}

/// Sets `out` to `a * b`; returns the number of its limbs, the last of which may be 0.
#[inline]
pub(super) fn scale(a: &[u64], b: u64, out: &mut [u64]) -> usize {
    out[a.len()] = mul_limb(a, b, out);
    a.len() + 1
}

/// Sets `out` to the lower limbs of `a * b`; returns the limb above them.
#[inline]
fn mul_limb(a: &[u64], b: u64, out: &mut [u64]) -> u64 {
    let mut carry = 0;
    for (out, a) in out.iter_mut().zip(a) {
        (*out, carry) = a.carrying_mul(b, carry);
    }
    carry
}

fn long_multiplication(a: &[u64], b: &[u64], out: &mut [u64]) {
    let Some((first, rest)) = b.split_first() else { return };
    out[a.len()] = mul_limb(a, *first, out);
    for (at, b) in (1..).zip(rest) {
        let mut carry = 0;
        for (out, a) in out[at..].iter_mut().zip(a) {
            (*out, carry) = a.carrying_mul_add(*b, *out, carry);
        }
        out[at + a.len()] = carry;
    }
}

/// Sets `out` to `a * b`, where `a` has as many limbs as `b` or more.
fn in_pieces(a: &[u64], b: &[u64], out: &mut [u64], work: &mut [u64]) {
    let n = b.len();
    if a.len() == n {
        return karatsuba(a, b, out, work);
    }
    let (first, rest) = a.split_at(n);
    karatsuba(first, b, &mut out[..2 * n], work);
    out[2 * n..].fill(0);
    for (at, piece) in rest.chunks(n).enumerate() {
        let (product, work) = work.split_at_mut(piece.len() + n);
        if piece.len() == n {
            karatsuba(piece, b, product, work);
        } else if piece.len() < KARATSUBA {
            long_multiplication(b, piece, product);
        } else {
            in_pieces(b, piece, product, work);
        }
        let to = &mut out[(at + 1) * n..];
        add_to(to, product);
    }
}

/// Sets `out` to `a * b`, which have as many limbs.
fn karatsuba(a: &[u64], b: &[u64], out: &mut [u64], work: &mut [u64]) {
    let n = a.len();
    if n < KARATSUBA {
        return long_multiplication(a, b, out);
    }
    let half = n.div_ceil(2);
    let ((a_low, a_high), (b_low, b_high)) = (a.split_at(half), b.split_at(half));
    let (differences, rest) = work.split_at_mut(2 * half);
    let (product, rest) = rest.split_at_mut(2 * half);
    let (a_part, b_part) = differences.split_at_mut(half);
    let negative = difference(a_low, a_high, a_part) != difference(b_low, b_high, b_part);
    karatsuba(a_part, b_part, product, rest);
    let (low, high) = out.split_at_mut(2 * half);
    karatsuba(a_low, b_low, low, rest);
    karatsuba(a_high, b_high, high, rest);
    // What belongs in the middle: the outer products, less that of the differences.
    let middle = differences;
    middle.copy_from_slice(low);
    let (middle_low, middle_high) = middle.split_at_mut(high.len());
    let mut carry = false;
    for (to, limb) in middle_low.iter_mut().zip(&*high) {
        (*to, carry) = to.carrying_add(*limb, carry);
    }
    for to in middle_high {
        (*to, carry) = to.overflowing_add(u64::from(carry));
    }
    let mut above = u64::from(carry);
    if negative {
        carry = false;
        for (to, limb) in middle.iter_mut().zip(&*product) {
            (*to, carry) = to.carrying_add(*limb, carry);
        }
        above += u64::from(carry);
    } else {
        above -= u64::from(sub_from(middle, product));
    }
    add_to(&mut out[half..], middle);
    add_to(&mut out[3 * half..], &[above]);
}

/// Sets `out` to the difference of `a` and `b`, which has one limb less at most; returns whether
/// `b` is the larger one.
fn difference(a: &[u64], b: &[u64], out: &mut [u64]) -> bool {
    let (low, high) = a.split_at(b.len());
    let less = high.iter().all(|limb| *limb == 0) && compare(low, b) == Ordering::Less;
    if less {
        sub_equal(b, low, out);
        out[b.len()..].fill(0);
    } else {
        sub(a, b, out);
    }
    less
}

/// Divides `a` by `b`, rounding down; returns the numbers of limbs of quotient and remainder.
/// `quotient` has room for the limbs by which `a` is longer and one more, and `rest` for those of
/// `a` and one.
pub(super) fn divide(
    a: &[u64],
    b: &[u64],
    quotient: &mut [u64],
    rest: &mut [u64],
) -> (usize, usize) {
    if compare(a, b) == Ordering::Less {
        rest[..a.len()].copy_from_slice(a);
        return (0, a.len());
    }
    let quotient = &mut quotient[..=a.len() - b.len()];
    if let [divisor] = *b {
        rest[0] = divide_by_limb(a, divisor, quotient);
        return (significant(quotient), usize::from(rest[0] != 0));
    }
    rest[..a.len()].copy_from_slice(a);
    rest[a.len()] = 0;
    long_division(&mut rest[..=a.len()], b, quotient);
    (significant(quotient), significant(&rest[..b.len()]))
}

/// Returns the uppermost bits of a limb that a shift moves into the limb above.
#[inline(always)]
fn upper(limb: u64, shift: u32) -> u64 {
    // By 64, if the shift is 0.
    limb >> 1 >> (63 - shift)
}

/// Sets `quotient` to `a / divisor`; returns the remainder.
fn divide_by_limb(a: &[u64], divisor: u64, quotient: &mut [u64]) -> u64 {
    let shift = divisor.leading_zeros();
    let divisor = Divisor::new(divisor << shift);
    let mut rest = upper(a.last().copied().unwrap_or(0), shift);
    let below = a.iter().rev().skip(1).chain([&0]);
    for ((out, limb), below) in quotient.iter_mut().rev().zip(a.iter().rev()).zip(below) {
        (*out, rest) = divisor.divide(rest, limb << shift | upper(*below, shift));
    }
    rest >> shift
}

/// A limb whose uppermost bit is set, to divide by many times.
#[derive(Clone, Copy)]
struct Divisor {
    limb: u64,
    /// What `(2^128 - 1) / limb` is above 2^64.
    inverse: u64,
}

impl Divisor {
    fn new(limb: u64) -> Divisor {
        debug_assert!(limb >> 63 == 1);
        let inverse = (u128::from(!limb) << 64 | u128::from(u64::MAX)) / u128::from(limb);
        Divisor { limb, inverse: inverse as u64 }
    }

    /// Returns quotient and remainder of two limbs, of which the upper one is below the divisor.
    #[inline(always)]
    fn divide(self, high: u64, low: u64) -> (u64, u64) {
        let both = u128::from(high) << 64 | u128::from(low);
        let guess = u128::from(self.inverse) * u128::from(high) + both;
        let mut quotient = ((guess >> 64) as u64).wrapping_add(1);
        let mut rest = low.wrapping_sub(quotient.wrapping_mul(self.limb));
        if rest > guess as u64 {
            quotient = quotient.wrapping_sub(1);
            rest = rest.wrapping_add(self.limb);
        }
        if rest >= self.limb {
            quotient = quotient.wrapping_add(1);
            rest -= self.limb;
        }
        (quotient, rest)
    }
}

/// Divides by Knuth's algorithm D. `rest` has the dividend and a 0 above it, then the remainder;
/// `b` has two limbs at least; `quotient` has the limbs by which `rest` is longer.
fn long_division(rest: &mut [u64], b: &[u64], quotient: &mut [u64]) {
    let n = b.len();
    // The quotient is guessed from what the uppermost limbs are when both are shifted, so that
    // the uppermost bit of the divisor is set; all else is computed with what is not shifted.
    let shift = b[n - 1].leading_zeros();
    let shifted = |limbs: &[u64], at: usize| {
        let below = at.checked_sub(1).map_or(0, |below| limbs[below]);
        limbs[at] << shift | upper(below, shift)
    };
    let (first, second) = (Divisor::new(shifted(b, n - 1)), u128::from(shifted(b, n - 2)));
    for (at, out) in quotient.iter_mut().enumerate().rev() {
        let rest = &mut rest[at..=at + n];
        let (high, middle, low) = (shifted(rest, n), shifted(rest, n - 1), shifted(rest, n - 2));
        let (mut guess, mut left) = if high < first.limb {
            let (guess, left) = first.divide(high, middle);
            (guess, Some(left))
        } else {
            (u64::MAX, middle.checked_add(first.limb))
        };
        while let Some(small) = left
            && u128::from(guess) * second > (u128::from(small) << 64 | u128::from(low))
        {
            guess -= 1;
            left = small.checked_add(first.limb);
        }
        // It is right now, or one too large.
        let mut carry = 0;
        for (rest, limb) in rest.iter_mut().zip(b) {
            let (product, above) = limb.carrying_mul(guess, carry);
            let borrow;
            (*rest, borrow) = rest.overflowing_sub(product);
            carry = above + u64::from(borrow);
        }
        let too_large = rest[n] < carry;
        rest[n] = rest[n].wrapping_sub(carry);
        if too_large {
            guess -= 1;
            let mut carry = false;
            for (rest, limb) in rest.iter_mut().zip(b) {
                (*rest, carry) = rest.carrying_add(*limb, carry);
            }
            rest[n] = rest[n].wrapping_add(u64::from(carry));
        }
        *out = guess;
    }
}

/// Sets `rest`, of `len` limbs, to `a - rest`, which is not below 0; returns the number of its
/// limbs.
pub(super) fn sub_reversed(a: &[u64], rest: &mut [u64], len: usize) -> usize {
    let rest = &mut rest[..a.len()];
    rest[len..].fill(0);
    let mut borrow = false;
    for (rest, a) in rest.iter_mut().zip(a) {
        (*rest, borrow) = a.borrowing_sub(*rest, borrow);
    }
    debug_assert!(!borrow, "the larger one comes first");
    significant(rest)
}

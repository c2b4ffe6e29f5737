//! Long multiplication, division and conversion in pieces, between which they can be stopped.
//!
//! Multiplication is that of Toom and Cook in three parts (Bodrato, *Towards optimal Toom-Cook
//! multiplication for univariate and multivariate polynomials*, 2007), division that of Burnikel
//! and Ziegler (*Fast recursive division*, 1998), conversion goes by halves. Pieces are left to
//! the library. The largest that it does at once are products of [`PIECE`] limbs by as many, and
//! sums, copies and shifts of the whole: some milliseconds for numbers of a hundred megabits.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::{One, Zero};

/// A long computation was stopped between two pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// What is asked before each piece of a long computation: an error stops it.
pub type Poll<'a> = &'a mut dyn FnMut() -> Result<(), Stopped>;

/// Limbs of factors that the library multiplies at once.
const PIECE: usize = 4096;

/// Limbs of a divisor up to which the library's quadratic division is used.
const DIVISOR: usize = 256;

/// Decimal digits up to which the library's quadratic conversion is the faster one.
const DIGITS: usize = 2_000;

/// Words of 64 bits that a value takes.
pub(super) fn limbs(value: &BigUint) -> usize {
    (value.bits() as usize).div_ceil(64)
}

/// The value of limbs, least significant first.
fn of_limbs(limbs: &[u64]) -> BigUint {
    BigUint::new(limbs.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]).collect())
}

/// The limbs from `at` on, `count` of them or as many as there are.
fn part(limbs: &[u64], at: usize, count: usize) -> BigUint {
    let end = limbs.len().min(at.saturating_add(count));
    of_limbs(limbs.get(at..end).unwrap_or(&[]))
}

/// Adds `value`, shifted by `at` limbs, to `sum`, which has room for it.
fn add_at(sum: &mut [u64], value: &BigUint, at: usize) {
    let mut carry = false;
    let mut digits = value.iter_u64_digits();
    for to in sum.iter_mut().skip(at) {
        match digits.next() {
            Some(digit) => (*to, carry) = to.carrying_add(digit, carry),
            None if carry => (*to, carry) = to.carrying_add(0, true),
            None => return,
        }
    }
}

/// The product.
pub(super) fn mul(a: &BigUint, b: &BigUint, poll: Poll<'_>) -> Result<BigUint, Stopped> {
    let (a, b) = if limbs(a) < limbs(b) { (b, a) } else { (a, b) };
    let (long, short) = (limbs(a), limbs(b));
    if long <= PIECE || short == 0 {
        poll()?;
        return Ok(a * b);
    }
    let third = long.div_ceil(3);
    if short > PIECE && short > 2 * third {
        return toom_cook(a, b, third, poll);
    }
    // The longer one in pieces as long as the shorter.
    let (digits, size) = (a.to_u64_digits(), short.max(PIECE));
    let mut sum = vec![0; long + short];
    for at in (0..long).step_by(size) {
        add_at(&mut sum, &mul(&part(&digits, at, size), b, poll)?, at);
    }
    Ok(of_limbs(&sum))
}

/// The product of two integers.
pub(super) fn mul_signed(a: &BigInt, b: &BigInt, poll: Poll<'_>) -> Result<BigInt, Stopped> {
    Ok(BigInt::from_biguint(a.sign() * b.sign(), mul(a.magnitude(), b.magnitude(), poll)?))
}

/// The product of factors of three parts, each of `third` limbs but for the last ones.
fn toom_cook(a: &BigUint, b: &BigUint, third: usize, poll: Poll<'_>) -> Result<BigUint, Stopped> {
    // The values of the polynomial whose coefficients are the parts, at 0, 1, -1, -2, infinity.
    let values = |of: &BigUint| {
        let digits = of.to_u64_digits();
        let part = |n: usize| BigInt::from(part(&digits, n * third, third));
        let (low, middle, high) = (part(0), part(1), part(2));
        let outer = &low + &high;
        let (one, minus_one) = (&outer + &middle, outer - middle);
        let minus_two = ((&minus_one + &high) << 1) - &low;
        [low, one, minus_one, minus_two, high]
    };
    let mut products = Vec::with_capacity(5);
    for (x, y) in values(a).into_iter().zip(values(b)) {
        products.push(mul_signed(&x, &y, poll)?);
    }
    poll()?;
    let Ok([zero, one, minus_one, minus_two, infinity]) = <[BigInt; 5]>::try_from(products) else {
        unreachable!("there are five points")
    };
    let mut third_one = (minus_two - &one) / 3;
    let mut first = (one - &minus_one) >> 1;
    let mut second = minus_one - &zero;
    third_one = ((&second - third_one) >> 1) + (&infinity << 1);
    second += &first;
    second -= &infinity;
    first -= &third_one;
    let mut sum = vec![0; limbs(a) + limbs(b)];
    for (n, coefficient) in [zero, first, second, third_one, infinity].into_iter().enumerate() {
        add_at(&mut sum, coefficient.magnitude(), n * third);
    }
    Ok(of_limbs(&sum))
}

/// Quotient and remainder; the divisor is not 0.
pub(super) fn div_rem(
    a: &BigUint,
    b: &BigUint,
    poll: Poll<'_>,
) -> Result<(BigUint, BigUint), Stopped> {
    let (long, short) = (limbs(a), limbs(b));
    // The limbs of the quotient, at most.
    let count = (long + 1).saturating_sub(short);
    if short > PIECE && 2 * (count + 1) < short {
        return short_quotient(a, b, short - count - 1, poll);
    }
    if count <= DIVISOR || long <= PIECE && short <= DIVISOR {
        poll()?;
        return Ok(a.div_rem(b));
    }
    // Blocks of the dividend, each divided behind the remainder of those before it.
    if short <= DIVISOR {
        return in_blocks(
            a,
            PIECE,
            |high, poll| {
                poll()?;
                Ok(high.div_rem(b))
            },
            poll,
        );
    }
    // A divisor whose limbs halve to no more than a block, and whose uppermost bit is set.
    let levels = short.div_ceil(DIVISOR).next_power_of_two();
    let size = short.div_ceil(levels) * levels;
    let shift = 64 * size as u64 - b.bits();
    let (a, b) = (a << shift, b << shift);
    let halves = Halves::of(&b, size);
    let (quotient, rest) = in_blocks(&a, size, |high, poll| halves.divide(high, poll), poll)?;
    Ok((quotient, rest >> shift))
}

/// Quotient and remainder where the divisor has many limbs more than the quotient: the quotient
/// is that of the operands without their lowest `dropped` limbs, or a little less.
fn short_quotient(
    a: &BigUint,
    b: &BigUint,
    dropped: usize,
    poll: Poll<'_>,
) -> Result<(BigUint, BigUint), Stopped> {
    let (mut quotient, _) = div_rem(&(a >> (64 * dropped)), &(b >> (64 * dropped)), poll)?;
    let product = mul(&quotient, b, poll)?;
    let mut rest = BigInt::from(a.clone()) - BigInt::from(product);
    while rest.sign() == Sign::Minus {
        rest += BigInt::from(b.clone());
        quotient -= 1u32;
    }
    Ok((quotient, rest.magnitude().clone()))
}

/// Divides by blocks of `size` limbs, the uppermost first: `divide` is given what remains, with
/// a block behind it.
fn in_blocks(
    a: &BigUint,
    size: usize,
    divide: impl Fn(&BigUint, Poll<'_>) -> Result<(BigUint, BigUint), Stopped>,
    poll: Poll<'_>,
) -> Result<(BigUint, BigUint), Stopped> {
    let digits = a.to_u64_digits();
    let mut quotient = vec![0; digits.len().next_multiple_of(size)];
    let mut rest = BigUint::zero();
    for at in (0..digits.len()).step_by(size).rev() {
        let block = part(&digits, at, size);
        let (digit, remainder) = divide(&((rest << (64 * size)) + block), poll)?;
        add_at(&mut quotient, &digit, at);
        rest = remainder;
    }
    Ok((of_limbs(&quotient), rest))
}

/// A divisor of `size` limbs, the uppermost bit of which is set, and its halves.
struct Halves {
    whole: BigUint,
    size: usize,
    /// The upper half, as a divisor, and the lower one; none of a divisor that the library
    /// divides by.
    halves: Option<(Box<Halves>, BigUint)>,
}

impl Halves {
    fn of(whole: &BigUint, size: usize) -> Halves {
        let halves = (size > DIVISOR && size.is_multiple_of(2)).then(|| {
            let (high, low) = split(whole, size / 2);
            (Box::new(Halves::of(&high, size / 2)), low)
        });
        Halves { whole: whole.clone(), size, halves }
    }

    /// Divides what has up to twice as many limbs, and a quotient of as many.
    fn divide(&self, a: &BigUint, poll: Poll<'_>) -> Result<(BigUint, BigUint), Stopped> {
        let Some((high, low)) = &self.halves else {
            poll()?;
            return Ok(a.div_rem(&self.whole));
        };
        let half = self.size / 2;
        let (upper, lower) = split(a, self.size);
        let (next, last) = split(&lower, half);
        let (first, rest) =
            self.divide_by_half(high, low, &((upper << (64 * half)) + next), poll)?;
        let (second, rest) =
            self.divide_by_half(high, low, &((rest << (64 * half)) + last), poll)?;
        Ok(((first << (64 * half)) + second, rest))
    }

    /// Divides what has half as many limbs more.
    fn divide_by_half(
        &self,
        high: &Halves,
        low: &BigUint,
        a: &BigUint,
        poll: Poll<'_>,
    ) -> Result<(BigUint, BigUint), Stopped> {
        let half = self.size / 2;
        let (upper, lower) = split(a, half);
        let (mut quotient, rest) = if &upper >> (64 * half) < high.whole {
            high.divide(&upper, poll)?
        } else {
            // The largest that half as many limbs hold.
            let most = (BigUint::one() << (64 * half)) - 1u32;
            let rest = upper + &high.whole - (&high.whole << (64 * half));
            (most, rest)
        };
        let rest = BigInt::from((rest << (64 * half)) + lower);
        let mut rest = rest - BigInt::from(mul(&quotient, low, poll)?);
        while rest.sign() == Sign::Minus {
            rest += BigInt::from(self.whole.clone());
            quotient -= 1u32;
        }
        Ok((quotient, rest.magnitude().clone()))
    }
}

/// What is above the lowest `count` limbs, and those.
fn split(a: &BigUint, count: usize) -> (BigUint, BigUint) {
    let digits = a.to_u64_digits();
    (part(&digits, count, usize::MAX), part(&digits, 0, count))
}

/// Powers of 10 that have `digits`, `2 * digits`, `4 * digits` ... zeros, while `goes_on` says
/// so of the last one, given its number of zeros.
fn powers(
    digits: usize,
    goes_on: impl Fn(usize, &BigUint) -> bool,
    poll: Poll<'_>,
) -> Result<Vec<BigUint>, Stopped> {
    let mut powers = Vec::new();
    let (mut zeros, mut next) = (digits, BigUint::from(10u8).pow(digits as u32));
    while goes_on(zeros, &next) {
        let square = mul(&next, &next, poll)?;
        powers.push(next);
        (zeros, next) = (2 * zeros, square);
    }
    powers.push(next);
    Ok(powers)
}

/// The value of decimal digits.
pub(super) fn parse(digits: &[u8], poll: Poll<'_>) -> Result<Option<BigUint>, Stopped> {
    if digits.len() <= DIGITS {
        return Ok(BigUint::parse_bytes(digits, 10));
    }
    // Pieces of one length, but for the uppermost, so that both halves are about as long on each
    // level and share a power.
    let pieces = digits.len().div_ceil(DIGITS).next_power_of_two();
    let piece = digits.len().div_ceil(pieces);
    let powers = powers(piece, |zeros, _| 2 * zeros < digits.len(), poll)?;
    convert(digits, piece, &powers, poll)
}

/// The value of digits by halves: the lower one has as many as the largest power has zeros.
fn convert(
    digits: &[u8],
    piece: usize,
    powers: &[BigUint],
    poll: Poll<'_>,
) -> Result<Option<BigUint>, Stopped> {
    let Some((power, smaller)) = powers.split_last() else {
        poll()?;
        return Ok(BigUint::parse_bytes(digits, 10));
    };
    let Some(high) = digits.len().checked_sub(piece << smaller.len()).filter(|high| *high > 0)
    else {
        return convert(digits, piece, smaller, poll);
    };
    let (high, low) = digits.split_at(high);
    let high = convert(high, piece, smaller, poll)?;
    let low = convert(low, piece, smaller, poll)?;
    let (Some(high), Some(low)) = (high, low) else { return Ok(None) };
    Ok(Some(mul(&high, power, poll)? + low))
}

/// The decimal digits.
pub(super) fn digits(value: &BigUint, poll: Poll<'_>) -> Result<String, Stopped> {
    /// Bits of `DIGITS` digits, and some more.
    const BITS: u64 = 20_000;
    if value.bits() <= BITS {
        return Ok(value.to_str_radix(10));
    }
    let powers = powers(DIGITS, |_, power| 2 * power.bits() <= value.bits() + 1, poll)?;
    // A digit has more than three bits.
    let mut out = String::with_capacity(value.bits() as usize / 3);
    write_digits(value, &powers, 0, &mut out, poll)?;
    Ok(out)
}

/// Appends the digits of a value below the square of the largest power, with zeros in front so
/// that there are `width` ones.
fn write_digits(
    value: &BigUint,
    powers: &[BigUint],
    width: usize,
    out: &mut String,
    poll: Poll<'_>,
) -> Result<(), Stopped> {
    let Some((power, smaller)) = powers.split_last() else {
        poll()?;
        let text = if value.is_zero() && width > 0 { String::new() } else { value.to_string() };
        out.extend(std::iter::repeat_n('0', width.saturating_sub(text.len())));
        out.push_str(&text);
        return Ok(());
    };
    if value < power {
        return write_digits(value, smaller, width, out, poll);
    }
    let zeros = DIGITS << smaller.len();
    let (high, low) = div_rem(value, power, poll)?;
    // The upper half may hold the power once more where the value is just above its square.
    let above = if high >= *power { powers } else { smaller };
    write_digits(&high, above, width.saturating_sub(zeros), out, poll)?;
    write_digits(&low, smaller, zeros, out, poll)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Limbs that tend to be all zeros or ones, where carries go far.
    fn number(limbs: usize, seed: u64) -> BigUint {
        let mut state = seed | 1;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            match state >> 61 {
                0 | 1 => 0,
                2 | 3 => u64::MAX,
                _ => state.rotate_left(31),
            }
        };
        let mut all: Vec<u64> = (0..limbs).map(|_| next()).collect();
        if let Some(last) = all.last_mut() {
            *last |= 1;
        }
        of_limbs(&all)
    }

    fn go_on() -> Result<(), Stopped> {
        Ok(())
    }

    #[test]
    fn products_in_pieces_are_those_of_the_library() {
        let sizes = [1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 7, 3 * PIECE, 5 * PIECE + 1];
        for (seed, a) in (1..).zip(sizes) {
            for b in sizes {
                let (x, y) = (number(a, seed), number(b, seed + 50));
                assert_eq!(mul(&x, &y, &mut go_on), Ok(&x * &y), "{a} by {b} limbs");
            }
        }
    }

    #[test]
    fn divisions_in_pieces_are_those_of_the_library() {
        let sizes = [1, DIVISOR, DIVISOR + 1, 3 * DIVISOR + 5, 8 * DIVISOR + 1];
        for (seed, b) in (1..).zip(sizes) {
            for a in [b + DIVISOR, b + DIVISOR + 1, 2 * b + 1, 3 * b + 300, PIECE + 3 * b] {
                let (x, y) = (number(a, seed), number(b, seed + 50));
                assert_eq!(div_rem(&x, &y, &mut go_on), Ok(x.div_rem(&y)), "{a} by {b} limbs");
                // The largest remainder, and none.
                let exact = &x * &y;
                let most = &exact + (&y - 1u32);
                for whole in [exact, most] {
                    assert_eq!(div_rem(&whole, &y, &mut go_on), Ok(whole.div_rem(&y)));
                }
            }
        }
        let long = number(2 * PIECE, 9);
        for a in [1, 2, 3, DIVISOR, 2 * DIVISOR, PIECE / 2, PIECE] {
            let factor = number(a, 10);
            for whole in [&long * &factor, &long * &factor - 1u32, &long - 1u32] {
                assert_eq!(div_rem(&whole, &long, &mut go_on), Ok(whole.div_rem(&long)));
            }
        }
    }

    #[test]
    fn a_long_computation_stops_between_any_two_pieces() {
        let (a, b) = (number(2 * PIECE, 1), number(2 * PIECE + 5, 2));
        let long = number(6 * DIVISOR, 3);
        let text = "7".repeat(5 * DIGITS);
        let product = |poll: Poll<'_>| mul(&a, &b, poll).map(drop);
        let quotient = |poll: Poll<'_>| div_rem(&a, &long, poll).map(drop);
        let printed = |poll: Poll<'_>| digits(&long, poll).map(drop);
        let read = |poll: Poll<'_>| parse(text.as_bytes(), poll).map(drop);
        type Run<'a> = &'a dyn Fn(Poll<'_>) -> Result<(), Stopped>;
        for run in [&product as Run<'_>, &quotient, &printed, &read] {
            let mut polls = 0;
            assert_eq!(
                run(&mut || {
                    polls += 1;
                    Ok(())
                }),
                Ok(())
            );
            assert!(polls > 3, "{polls}");
            for stop in [0, 1, polls / 2, polls - 1] {
                let mut left = stop;
                let result = run(&mut || match left {
                    0 => Err(Stopped),
                    _ => {
                        left -= 1;
                        Ok(())
                    }
                });
                assert_eq!(result, Err(Stopped), "after {stop} of {polls}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]
        #[test]
        fn digits_read_back(text in "[1-9][0-9]{1900,9000}", zeros in 0..3000usize) {
            let text = text + &"0".repeat(zeros);
            let value = parse(text.as_bytes(), &mut go_on).unwrap_or(None);
            prop_assert_eq!(value.as_ref().map(BigUint::to_string), Some(text.clone()));
            let value = value.unwrap_or_default();
            prop_assert_eq!(digits(&value, &mut go_on), Ok(text));
        }
    }
}

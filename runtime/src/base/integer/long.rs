//! Long multiplication, division and conversion in pieces, between which they can be stopped.
//!
//! Multiplication is left to the library up to [`TRANSFORM`] limbs, and uses transforms above;
//! division is that of Burnikel and Ziegler (*Fast recursive division*, 1998), conversion halves
//! the digits. Pieces are left to the library. The largest that it does at once are products of
//! [`PIECE`] limbs by [`TRANSFORM`], and sums, copies and shifts of the whole: some milliseconds
//! for numbers of a hundred megabits.

use super::transform::{self, Factor};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::{One, Zero};

/// A long computation was stopped between two pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// What is asked before each piece of a long computation: an error stops it.
pub type Poll<'a> = &'a mut dyn FnMut() -> Result<(), Stopped>;

/// Limbs of the shorter factor from which on transforms are used. On an AMD EPYC, factors of as many limbs
/// take, at 1000, 258 µs of the library and 292 µs by transforms; 347 and 373 at 1200, 473 and 376 at 1500.
pub(super) const TRANSFORM: usize = 1280;

/// Limbs of the shorter factor from which on transforms are used where one of the factors has been
/// transformed: 181 µs and 174 µs at 800.
const FACTOR: usize = 800;

/// Limbs of a divisor from which on multiplication by its reciprocal is the faster division.
const RECIPROCAL: usize = 256;

/// Limbs of the longer factor that the library multiplies at once.
const PIECE: usize = 4096;

/// Limbs of a divisor up to which the library's quadratic division is used.
const DIVISOR: usize = 256;

/// Decimal digits up to which the library's quadratic conversion is the faster one.
const DIGITS: usize = 2_000;

/// Returns the number of 64-bit words of a value.
pub(super) fn limbs(value: &BigUint) -> usize {
    (value.bits() as usize).div_ceil(64)
}

/// Returns the value of limbs, least significant first.
pub(super) fn of_limbs(limbs: &[u64]) -> BigUint {
    BigUint::new(limbs.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]).collect())
}

/// Returns the limbs from `at` on, `count` of them or as many as there are.
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

/// Returns the product.
pub(super) fn mul(a: &BigUint, b: &BigUint, poll: Poll<'_>) -> Result<BigUint, Stopped> {
    let (a, b) = if limbs(a) < limbs(b) { (b, a) } else { (a, b) };
    let (long, short) = (limbs(a), limbs(b));
    if short == 0 || short < TRANSFORM && long <= PIECE {
        poll()?;
        return Ok(a * b);
    }
    if short >= TRANSFORM && long <= 2 * short && short <= transform::MOST_LIMBS {
        return transform::mul(a, b, poll);
    }
    // The longer one in pieces.
    let (size, factor) = if short < TRANSFORM {
        (PIECE, None)
    } else if short > transform::MOST_LIMBS {
        (transform::MOST_LIMBS, None)
    } else {
        let size = long.div_ceil(long.div_ceil(2 * short));
        (size, Some(Factor::of(b, short + size, poll)?))
    };
    let digits = a.to_u64_digits();
    let mut sum = vec![0; long + short];
    for at in (0..long).step_by(size) {
        let piece = part(&digits, at, size);
        let product = match &factor {
            Some(factor) => factor.times(&piece, poll)?,
            None => mul(&piece, b, poll)?,
        };
        add_at(&mut sum, &product, at);
    }
    Ok(of_limbs(&sum))
}

/// Returns the product of two integers.
pub(super) fn mul_signed(a: &BigInt, b: &BigInt, poll: Poll<'_>) -> Result<BigInt, Stopped> {
    Ok(BigInt::from_biguint(a.sign() * b.sign(), mul(a.magnitude(), b.magnitude(), poll)?))
}

/// Returns quotient and remainder; the divisor is not 0.
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

/// Returns quotient and remainder where the divisor has many limbs more than the quotient: the
/// quotient is that of the operands without their lowest `dropped` limbs, or a little less.
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

/// Returns what is above the lowest `count` limbs, and those.
fn split(a: &BigUint, count: usize) -> (BigUint, BigUint) {
    let digits = a.to_u64_digits();
    (part(&digits, count, usize::MAX), part(&digits, 0, count))
}

/// A power of ten, by which digits are put together and taken apart.
struct Power {
    /// How many zeros it has: a multiple of 64, so that the power of two in it is whole limbs.
    zeros: usize,
    /// The power of five.
    five: BigUint,
    /// The transforms of the power of five.
    factor: Option<Factor>,
    /// What division by it multiplies by.
    reciprocal: Option<Reciprocal>,
}

/// A number divided by a divisor is about it times `value / 2^shift`.
struct Reciprocal {
    value: BigUint,
    shift: u64,
    factor: Option<Factor>,
}

impl Power {
    /// Returns the powers with `zeros`, `2 * zeros`, .. zeros that are below `digits`, at least
    /// one.
    fn below(digits: usize, zeros: usize, poll: Poll<'_>) -> Result<Vec<Power>, Stopped> {
        let (mut zeros, mut five) = (zeros, BigUint::from(5u8).pow(zeros as u32));
        let mut powers = Vec::new();
        loop {
            let is_last = 2 * zeros >= digits;
            let square = if is_last { BigUint::zero() } else { mul(&five, &five, poll)? };
            // The last one is a factor once.
            let factor = if limbs(&five) < FACTOR || is_last {
                None
            } else {
                Some(Factor::of(&five, limbs(&five) + limbs_of_digits(zeros) + 2, poll)?)
            };
            powers.push(Power { zeros, five, factor, reciprocal: None });
            if is_last {
                return Ok(powers);
            }
            (zeros, five) = (2 * zeros, square);
        }
    }

    /// Returns the product with the power of five.
    fn times(&self, value: &BigUint, poll: Poll<'_>) -> Result<BigUint, Stopped> {
        match &self.factor {
            Some(factor) if limbs(value) >= FACTOR / 2 => factor.times(value, poll),
            _ => mul(value, &self.five, poll),
        }
    }

    /// Returns quotient and remainder of a number below the square of the power.
    fn divide(&self, value: &BigUint, poll: Poll<'_>) -> Result<(BigUint, BigUint), Stopped> {
        let (upper, lower) = split(value, self.zeros / 64);
        let (quotient, rest) = match &self.reciprocal {
            None => div_rem(&upper, &self.five, poll)?,
            Some(reciprocal) => {
                // Barrett's division: the quotient is this or a little more.
                let cut = self.five.bits() - 1;
                let mut quotient = reciprocal.times(&(&upper >> cut), poll)?;
                quotient >>= reciprocal.shift - cut;
                let mut rest = upper - self.times(&quotient, poll)?;
                while rest >= self.five {
                    rest -= &self.five;
                    quotient += 1u32;
                }
                (quotient, rest)
            }
        };
        Ok((quotient, (rest << self.zeros) + lower))
    }

    /// Computes reciprocals of the powers for which they pay.
    fn invert(powers: &mut [Power], poll: Poll<'_>) -> Result<(), Stopped> {
        let mut above: Option<(BigUint, u64)> = None;
        for (place, power) in powers.iter_mut().rev().enumerate() {
            if limbs(&power.five) < RECIPROCAL {
                break;
            }
            // Of what is below its square, less the power of two.
            let shift = 2 * power.five.bits() + power.zeros as u64;
            let value = match above {
                None => reciprocal(&power.five, shift, poll)?,
                // 1/x is x times 1/x^2, of which as many bits matter as the result has.
                Some((of_square, of_shift)) => {
                    let bits = shift - power.five.bits() + 10;
                    let cut = of_square.bits().saturating_sub(bits);
                    power.times(&(of_square >> cut), poll)? >> (of_shift - shift - cut)
                }
            };
            // The last power divides once.
            let factor = if place == 0 {
                None
            } else {
                Some(Factor::of(&value, 2 * limbs(&value) + 1, poll)?)
            };
            above = Some((value.clone(), shift));
            power.reciprocal = Some(Reciprocal { value, shift, factor });
        }
        Ok(())
    }
}

impl Reciprocal {
    fn times(&self, value: &BigUint, poll: Poll<'_>) -> Result<BigUint, Stopped> {
        match &self.factor {
            Some(factor) => factor.times(value, poll),
            None => mul(value, &self.value, poll),
        }
    }
}

/// Returns `2^shift` divided by a number, or less by no more than three: by Newton's iteration.
fn reciprocal(of: &BigUint, shift: u64, poll: Poll<'_>) -> Result<BigUint, Stopped> {
    // The bits of the result, at most.
    let bits = shift + 2 - of.bits();
    if bits <= 64 * DIVISOR as u64 {
        poll()?;
        return Ok((BigUint::one() << shift) / of);
    }
    // One of half as many bits, from the uppermost bits of the number, rounded up.
    let half = bits / 2 + 6;
    let cut = of.bits().saturating_sub(half + 2);
    let upper = (of >> cut) + u32::from(cut > 0);
    let first = reciprocal(&upper, shift - cut - (bits - half), poll)?;
    // With x for `first` times 2^(bits - half), about 2^shift / of, and e for 2^shift - of * x,
    // of which the uppermost bits matter: x + x * e / 2^shift. That is below as x is, and the relative
    // error is squared.
    let lost = bits - half;
    let error = (BigUint::one() << (shift - lost)) - mul(of, &first, poll)?;
    let (rest, drop) = (shift - lost, (shift - lost).saturating_sub(half + lost + 8));
    let correction = mul(&first, &(error >> drop), poll)? >> (rest - drop - lost);
    Ok((first << lost) + correction)
}

/// Returns the limbs that numbers of so many digits have, at most: a digit has less than 10/3 bits.
fn limbs_of_digits(digits: usize) -> usize {
    (digits * 10).div_ceil(3 * 64)
}

/// Returns the value of decimal digits.
pub(super) fn parse(digits: &[u8], poll: Poll<'_>) -> Result<Option<BigUint>, Stopped> {
    if digits.len() <= DIGITS {
        return Ok(BigUint::parse_bytes(digits, 10));
    }
    let piece = piece(digits.len());
    let powers = Power::below(digits.len(), piece, poll)?;
    convert(digits, &powers, poll)
}

/// Returns the digits of pieces of one length, but for the uppermost, so that both halves are about
/// as long on each level and share a power.
fn piece(digits: usize) -> usize {
    digits.div_ceil(digits.div_ceil(DIGITS).next_power_of_two()).next_multiple_of(64)
}

/// Returns the value of digits by halves: the lower one has as many as the largest power has zeros.
fn convert(digits: &[u8], powers: &[Power], poll: Poll<'_>) -> Result<Option<BigUint>, Stopped> {
    let Some((power, smaller)) = powers.split_last() else {
        poll()?;
        return Ok(BigUint::parse_bytes(digits, 10));
    };
    let Some(high) = digits.len().checked_sub(power.zeros).filter(|high| *high > 0) else {
        return convert(digits, smaller, poll);
    };
    let (high, low) = digits.split_at(high);
    let high = convert(high, smaller, poll)?;
    let low = convert(low, smaller, poll)?;
    let (Some(high), Some(low)) = (high, low) else { return Ok(None) };
    Ok(Some((power.times(&high, poll)? << power.zeros) + low))
}

/// Returns the decimal digits.
pub(super) fn digits(value: &BigUint, poll: Poll<'_>) -> Result<String, Stopped> {
    /// A little less than the bits of `DIGITS` digits.
    const BITS: u64 = 3 * DIGITS as u64;
    if value.bits() <= BITS {
        return Ok(value.to_str_radix(10));
    }
    // A bit is less than 4/13 digits.
    let count = (value.bits() as usize).div_ceil(13) * 4;
    let piece = piece(count);
    let mut powers = Power::below(count, piece, poll)?;
    Power::invert(&mut powers, poll)?;
    let mut out = String::with_capacity(piece << powers.len());
    write_digits(value, &powers, piece, &mut out, poll)?;
    let zeros = out.len() - out.trim_start_matches('0').len();
    out.drain(..zeros);
    Ok(out)
}

/// Appends the digits of a value below the square of the largest power, with as many zeros before them as
/// that has digits.
fn write_digits(
    value: &BigUint,
    powers: &[Power],
    piece: usize,
    out: &mut String,
    poll: Poll<'_>,
) -> Result<(), Stopped> {
    let Some((power, smaller)) = powers.split_last() else {
        poll()?;
        let text = value.to_str_radix(10);
        out.extend(std::iter::repeat_n('0', piece.saturating_sub(text.len())));
        out.push_str(&text);
        return Ok(());
    };
    let (high, low) = power.divide(value, poll)?;
    write_digits(&high, smaller, piece, out, poll)?;
    write_digits(&low, smaller, piece, out, poll)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a random number whose limbs tend to be all zeros or all ones, where carries go far.
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
    fn products_of_any_two_lengths_are_those_of_the_library() {
        let long = number(3 * PIECE + 5, 1);
        for short in [TRANSFORM - 1, TRANSFORM, TRANSFORM + 300, 2 * TRANSFORM] {
            let short = number(short, 2);
            assert_eq!(mul(&long, &short, &mut go_on), Ok(&long * &short));
            assert_eq!(mul(&short, &long, &mut go_on), Ok(&long * &short));
        }
    }

    #[test]
    fn a_reciprocal_is_at_most_three_too_small() {
        for (limbs, bits) in
            [(1, 5), (300, 70_000), (900, 63 * 900), (900, 200_000), (4000, 300_001)]
        {
            for of in [
                number(limbs, 7),
                of_limbs(&vec![u64::MAX; limbs]),
                BigUint::one() << (64 * limbs - 1),
            ] {
                let shift = of.bits() + bits;
                let exact = (BigUint::one() << shift) / &of;
                let found = reciprocal(&of, shift, &mut go_on).expect("nothing stops it");
                assert!(
                    found <= exact && exact - found <= BigUint::from(3u8),
                    "{limbs} limbs, {bits} bits"
                );
            }
        }
    }

    #[test]
    fn a_power_divides_exactly_at_multiples() {
        let mut powers = Power::below(60_000, 960, &mut go_on).expect("nothing stops it");
        Power::invert(&mut powers, &mut go_on).expect("nothing stops it");
        assert!(powers.iter().filter(|power| power.reciprocal.is_some()).count() >= 2);
        for power in &powers {
            let ten = &power.five << power.zeros;
            let square = &ten * &ten;
            for value in [BigUint::zero(), &ten - 1u32, ten.clone(), &square - &ten, &square - 1u32]
            {
                let expected = value.div_rem(&ten);
                assert_eq!(power.divide(&value, &mut go_on), Ok(expected), "{} zeros", power.zeros);
            }
        }
    }

    #[test]
    fn powers_of_ten_print_as_such() {
        for zeros in
            (1_900..2_100).chain([DIGITS * 8 - 1, DIGITS * 8, 40_000, 40_960, 81_920, 81_921])
        {
            let power = BigUint::from(10u8).pow(zeros as u32);
            let mut expected = format!("1{}", "0".repeat(zeros));
            assert!(digits(&power, &mut go_on).as_ref() == Ok(&expected), "{zeros}");
            assert!(parse(expected.as_bytes(), &mut go_on) == Ok(Some(power.clone())), "{zeros}");
            expected = "9".repeat(zeros);
            assert!(digits(&(power - 1u32), &mut go_on) == Ok(expected), "{zeros}, less 1");
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
        let text = "7".repeat(60 * DIGITS);
        let product = |poll: Poll<'_>| mul(&a, &b, poll).map(drop);
        let quotient = |poll: Poll<'_>| div_rem(&a, &long, poll).map(drop);
        let printed = |poll: Poll<'_>| digits(&a, poll).map(drop);
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

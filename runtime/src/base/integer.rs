//! Exact integers of any size.

mod long;
mod transform;

use std::cmp::Ordering;
use std::fmt;

use super::limbs::{Limbs, Written};
pub use long::{Poll, Stopped};
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};

/// An exact integer. A value that fits a word is always [`Small`](Integer::Small), so that
/// equality is structural.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Integer {
    /// A value of 64 bits.
    Small(i64),
    /// A value outside 64 bits.
    Big(Box<BigInt>),
}

impl From<i64> for Integer {
    fn from(value: i64) -> Integer {
        Integer::Small(value)
    }
}

/// Conversions from and to the other integers of Rust.
macro_rules! conversions {
    ($($of:ident)+) => {$(
        impl From<$of> for Integer {
            fn from(value: $of) -> Integer {
                match i64::try_from(value) {
                    Ok(small) => Integer::Small(small),
                    Err(_) => BigInt::from(value).into(),
                }
            }
        }

        impl TryFrom<&Integer> for $of {
            type Error = OutOfRange;

            fn try_from(value: &Integer) -> Result<$of, OutOfRange> {
                match value {
                    Integer::Small(small) => $of::try_from(*small).map_err(|_| OutOfRange),
                    Integer::Big(big) => $of::try_from(&**big).map_err(|_| OutOfRange),
                }
            }
        }

        impl TryFrom<Integer> for $of {
            type Error = OutOfRange;

            fn try_from(value: Integer) -> Result<$of, OutOfRange> {
                $of::try_from(&value)
            }
        }
    )+};
}

conversions! { i8 i16 i32 i128 isize u8 u16 u32 u64 u128 usize }

impl TryFrom<&Integer> for i64 {
    type Error = OutOfRange;

    fn try_from(value: &Integer) -> Result<i64, OutOfRange> {
        value.to_i64().ok_or(OutOfRange)
    }
}

impl TryFrom<Integer> for i64 {
    type Error = OutOfRange;

    fn try_from(value: Integer) -> Result<i64, OutOfRange> {
        i64::try_from(&value)
    }
}

/// An integer is too large, or too small, for the type of Rust that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfRange;

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the integer is out of range")
    }
}

impl std::error::Error for OutOfRange {}

impl From<bool> for Integer {
    /// Returns 1 for true and 0 for false, the truth values of CoreF.
    fn from(value: bool) -> Integer {
        Integer::Small(value.into())
    }
}

impl From<BigInt> for Integer {
    fn from(value: BigInt) -> Integer {
        match value.to_i64() {
            Some(small) => Integer::Small(small),
            None => Integer::Big(Box::new(value)),
        }
    }
}

impl From<Limbs<'_>> for Integer {
    fn from(limbs: Limbs<'_>) -> Integer {
        if let Some(small) = limbs.to_i64() {
            return Integer::Small(small);
        }
        let halves = limbs.magnitude.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]);
        let sign = if limbs.negative { Sign::Minus } else { Sign::Plus };
        let digits: Vec<u32> = halves.collect();
        BigInt::from_slice(sign, &digits).into()
    }
}

impl From<&Integer> for BigInt {
    fn from(value: &Integer) -> BigInt {
        match value {
            Integer::Small(small) => BigInt::from(*small),
            Integer::Big(big) => (**big).clone(),
        }
    }
}

/// An operation on two words that falls back to big integers when it overflows. `$room` is how
/// many limbs the library makes room for, given those of the operands.
macro_rules! exact {
    ($(#[$doc:meta])* $name:ident, $checked:ident, $big:expr, $room:expr) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(&self, other: &Integer) -> Integer {
            if let (Integer::Small(a), Integer::Small(b)) = (self, other)
                && let Some(small) = a.$checked(*b)
            {
                return Integer::Small(small);
            }
            let operation: fn(&BigInt, &BigInt) -> BigInt = $big;
            let room: fn(usize, usize) -> usize = $room;
            let result = with_big(self, |a| with_big(other, |b| operation(a, b)));
            compact(result, room(self.limbs(), other.limbs()))
        }
    };
}

/// A division: `None` when the divisor is 0. `$of` makes the result of sign and magnitude: of
/// the operands, the truncated quotient and its remainder.
macro_rules! division {
    ($(#[$doc:meta])* $name:ident, $until:ident, $checked:expr, $of:expr) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(&self, other: &Integer) -> Option<Integer> {
            ended(self.$until(other, &mut || Ok(())))
        }

        #[doc = concat!("As [`", stringify!($name), "`](Integer::", stringify!($name), "), asking `poll` between pieces.")]
        ///
        /// # Errors
        /// When `poll` stops it.
        pub fn $until(&self, other: &Integer, poll: Poll<'_>) -> Result<Option<Integer>, Stopped> {
            if other.is_zero() {
                return Ok(None);
            }
            let word: fn(i64, i64) -> Option<i64> = $checked;
            if let (Integer::Small(a), Integer::Small(b)) = (self, other)
                && let Some(small) = word(*a, *b)
            {
                return Ok(Some(Integer::Small(small)));
            }
            let of: fn(Division<'_>) -> BigInt = $of;
            let result = with_big(self, |a| with_big(other, |b| {
                let (quotient, rest) = long::div_rem(a.magnitude(), b.magnitude(), poll)?;
                let quotient = BigInt::from_biguint(a.sign() * b.sign(), quotient);
                let rest = BigInt::from_biguint(a.sign(), rest);
                let floors = a.sign() != b.sign() && !rest.is_zero();
                Ok(of(Division { divisor: b, quotient, rest, floors }))
            }))?;
            // How much room a division leaves is anyone's guess.
            Ok(Some(compact(result, 0)))
        }
    };
}

/// A division that truncates.
struct Division<'a> {
    divisor: &'a BigInt,
    quotient: BigInt,
    rest: BigInt,
    /// Whether one that rounds toward minus infinity has another result.
    floors: bool,
}

/// Returns the result of a computation that nothing stops.
fn ended<T>(result: Result<T, Stopped>) -> T {
    result.unwrap_or_else(|Stopped| unreachable!("nothing stops it"))
}

/// Hands `value` on as a big integer, without a copy if it is one.
fn with_big<R>(value: &Integer, then: impl FnOnce(&BigInt) -> R) -> R {
    match value {
        Integer::Small(small) => then(&BigInt::from(*small)),
        Integer::Big(big) => then(big),
    }
}

/// Converts a result to an integer that takes no more memory than its limbs need: the library
/// leaves up to twice the room, and a list of such numbers would take twice what
/// [`Integer::heap_bytes`] says. `room` is how many limbs there is room for.
fn compact(value: BigInt, room: usize) -> Integer {
    let limbs = limbs(&value);
    let snug = limbs <= room && room <= limbs + 1;
    match Integer::from(value) {
        // A copy is made to measure.
        Integer::Big(big) if !snug => Integer::Big(big.clone()),
        other => other,
    }
}

/// Returns the number of 64-bit words of a value.
fn limbs(value: &BigInt) -> usize {
    long::limbs(value.magnitude())
}

/// Limbs up to which a product or a quotient is computed without working copies.
const LIMBS_IN_PLACE: usize = 32;

/// Limbs of the longer factor up to which a product is left to the library.
const LIMBS_AT_ONCE: usize = 4096;

impl Integer {
    /// Zero, CoreF's false.
    pub const ZERO: Integer = Integer::Small(0);
    /// One, CoreF's true.
    pub const ONE: Integer = Integer::Small(1);

    exact!(
        /// The sum.
        add, checked_add, |a, b| a + b, usize::max
    );
    exact!(
        /// The difference.
        sub, checked_sub, |a, b| a - b, usize::max
    );

    /// Returns the product.
    #[must_use]
    pub fn mul(&self, other: &Integer) -> Integer {
        ended(self.mul_until(other, &mut || Ok(())))
    }

    /// Multiplies as [`mul`](Integer::mul) does, asking `poll` between pieces.
    ///
    /// # Errors
    /// When `poll` stops it.
    pub fn mul_until(&self, other: &Integer, poll: Poll<'_>) -> Result<Integer, Stopped> {
        if let (Integer::Small(a), Integer::Small(b)) = (self, other)
            && let Some(small) = a.checked_mul(*b)
        {
            return Ok(Integer::Small(small));
        }
        let (a, b) = (self.limbs(), other.limbs());
        let room = if a.min(b) <= 1 { a.max(b) } else { a + b };
        let product = with_big(self, |a| with_big(other, |b| long::mul_signed(a, b, poll)))?;
        Ok(compact(product, room))
    }

    division!(
        /// The quotient truncated toward zero; `None` for a divisor of 0.
        div, div_until, i64::checked_div, |of| of.quotient
    );
    division!(
        /// The remainder that belongs to [`div`](Integer::div): it has the dividend's sign.
        rem, rem_until, i64::checked_rem, |of| of.rest
    );
    division!(
        /// The quotient rounded toward minus infinity; `None` for a divisor of 0.
        floor_div, floor_div_until,
        |a, b| (a != i64::MIN || b != -1).then(|| num_integer::div_floor(a, b)),
        |of| if of.floors { of.quotient - 1 } else { of.quotient }
    );
    division!(
        /// The remainder that belongs to [`floor_div`](Integer::floor_div): it has the
        /// divisor's sign.
        modulo, modulo_until,
        |a, b| (b != -1).then(|| num_integer::mod_floor(a, b)),
        |of| if of.floors { of.rest + of.divisor } else { of.rest }
    );

    /// Returns the negated value.
    #[must_use]
    pub fn negate(&self) -> Integer {
        Integer::ZERO.sub(self)
    }

    /// Returns whether it is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Integer::ZERO
    }

    /// Returns whether it is below 0.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match self {
            Integer::Small(small) => *small < 0,
            Integer::Big(big) => big.is_negative(),
        }
    }

    /// Returns the value, if it fits a word.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Integer::Small(small) => Some(*small),
            Integer::Big(_) => None,
        }
    }

    /// Returns the bytes of its limbs beyond the value itself: 0 for a small one.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        match self {
            Integer::Small(_) => 0,
            Integer::Big(big) => size_of::<BigInt>() + limbs(big) * 8,
        }
    }

    /// Writes the limbs of its magnitude to `out`, which has [`limbs`](Integer::limbs).
    #[must_use]
    pub fn to_limbs(&self, out: &mut [u64]) -> Written {
        match self {
            Integer::Small(small) => out.fill(small.unsigned_abs()),
            Integer::Big(big) => {
                out.iter_mut().zip(big.iter_u64_digits()).for_each(|(out, limb)| *out = limb);
            }
        }
        Written { negative: self.is_negative(), len: out.len() }
    }

    /// Returns the number of 64-bit words of its magnitude; 1 for a small one.
    #[must_use]
    pub fn limbs(&self) -> usize {
        match self {
            Integer::Small(_) => 1,
            Integer::Big(big) => limbs(big),
        }
    }

    /// Returns the bytes that a sum or difference with `other` may take, while it is computed: what
    /// a memory limit asks for before the work is begun. So do the next three, whose factors are
    /// what the library's working copies were measured to take at most.
    #[must_use]
    pub fn sum_bytes(&self, other: &Integer) -> usize {
        // The sum, and its copy made to measure.
        2 * bytes(self.limbs().max(other.limbs()) + 1)
    }

    /// Returns the bytes that the product with `other` may take, while it is computed.
    #[must_use]
    pub fn product_bytes(&self, other: &Integer) -> usize {
        let (short, long) = (self.limbs().min(other.limbs()), self.limbs().max(other.limbs()));
        let copies = match (short, long) {
            (0..=1, _) => long,
            (2..=LIMBS_IN_PLACE, _) => 0,
            // The longer one is cut into pieces of no more than twice the shorter.
            (..long::TRANSFORM, ..=LIMBS_AT_ONCE) => {
                4 * (short + long.min(2 * short)) + (short + long) / 4
            }
            // Transforms.
            _ if long <= 2 * short => 6 * (short + long),
            // Those of the shorter one, of a piece, and the sum of the products.
            _ => 21 * short + 2 * (short + long),
        };
        bytes(short + long + 1 + copies)
    }

    /// Returns the bytes that the quotient or remainder by `other` may take, while it is computed.
    #[must_use]
    pub fn quotient_bytes(&self, other: &Integer) -> usize {
        let both = self.limbs() + other.limbs();
        bytes(match other.limbs() {
            ..=LIMBS_IN_PLACE => 3 * both,
            _ if both <= LIMBS_AT_ONCE => 8 * both,
            _ => 10 * both,
        })
    }

    /// Returns the bytes that the decimal digits may take, while they are computed.
    #[must_use]
    pub fn digits_bytes(&self) -> usize {
        bytes(20 * self.limbs())
    }

    /// Returns the decimal digits, after a `-` if it is negative, asking `poll` between pieces.
    ///
    /// # Errors
    /// When `poll` stops it.
    pub fn digits_until(&self, poll: Poll<'_>) -> Result<String, Stopped> {
        match self {
            Integer::Small(small) => Ok(small.to_string()),
            Integer::Big(big) => {
                let mut digits = long::digits(big.magnitude(), poll)?;
                if big.is_negative() {
                    digits.insert(0, '-');
                }
                Ok(digits)
            }
        }
    }

    /// Reads `-?[0-9]+`; `None` for anything else. Takes time well below quadratic in the
    /// number of digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Integer> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        if let Ok(small) = text.parse::<i64>() {
            return Some(Integer::Small(small));
        }
        let magnitude = ended(long::parse(digits.as_bytes(), &mut || Ok(())))?;
        let sign = if digits.len() < text.len() { Sign::Minus } else { Sign::Plus };
        Some(BigInt::from_biguint(sign, magnitude).into())
    }
}

/// Returns the bytes that a big integer of this many limbs takes, with what its result may take
/// beside it.
fn bytes(limbs: usize) -> usize {
    size_of::<BigInt>() + 16 + limbs.saturating_mul(8)
}

/// An integer as two's complement has infinitely many bits, the sign in all those above.
impl Integer {
    /// Returns the bits that both have.
    #[must_use]
    pub fn bit_and(&self, other: &Integer) -> Integer {
        self.bitwise(other, |a, b| a & b, |a, b| a & b)
    }

    /// Returns the bits that one of them has, or both.
    #[must_use]
    pub fn bit_or(&self, other: &Integer) -> Integer {
        self.bitwise(other, |a, b| a | b, |a, b| a | b)
    }

    /// Returns the bits that one of them has, and not both.
    #[must_use]
    pub fn bit_xor(&self, other: &Integer) -> Integer {
        self.bitwise(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    fn bitwise(
        &self,
        other: &Integer,
        words: fn(i64, i64) -> i64,
        bigs: fn(&BigInt, &BigInt) -> BigInt,
    ) -> Integer {
        if let (Integer::Small(a), Integer::Small(b)) = (self, other) {
            return Integer::Small(words(*a, *b));
        }
        let result = with_big(self, |a| with_big(other, |b| bigs(a, b)));
        // How much room the library leaves depends on the operation and the signs.
        compact(result, 0)
    }

    /// Returns the bits that it has not: one less than its negation.
    #[must_use]
    pub fn bit_not(&self) -> Integer {
        match self {
            Integer::Small(small) => Integer::Small(!small),
            big @ Integer::Big(_) => Integer::Small(-1).sub(big),
        }
    }

    /// Returns it times 2 to the power of `count`; `None` if that would take more than the memory
    /// there can be. See [`shifted_bytes`](Integer::shifted_bytes).
    #[must_use]
    pub fn shift_left(&self, count: u64) -> Option<Integer> {
        if self.is_zero() {
            return Some(Integer::ZERO);
        }
        if let Integer::Small(small) = self
            && count < 63
            && let Some(result) = small.checked_mul(1 << count)
        {
            return Some(Integer::Small(result));
        }
        self.shifted_bytes(count)?;
        Some(compact(with_big(self, |big| big << count), 0))
    }

    /// Returns it divided by 2 to the power of `count`, rounded toward minus infinity.
    #[must_use]
    pub fn shift_right(&self, count: u64) -> Integer {
        match self {
            Integer::Small(small) => Integer::Small(small >> count.min(63)),
            Integer::Big(big) if count >= big.bits() => {
                Integer::Small(if big.is_negative() { -1 } else { 0 })
            }
            Integer::Big(big) => compact(&**big >> count, 0),
        }
    }

    /// Returns the bytes that a shift by so many bits to the left may take, while it is computed;
    /// `None` if no memory has as many.
    #[must_use]
    pub fn shifted_bytes(&self, count: u64) -> Option<usize> {
        let limbs = usize::try_from(count / 64).ok()?.checked_add(self.limbs() + 1)?;
        // An allocation has at most half of all addresses.
        let limit = isize::MAX as usize / 64;
        (limbs <= limit).then(|| 2 * bytes(limbs))
    }

    /// Returns how many bits of it are 1; `None` if it is negative, since then infinitely many are.
    #[must_use]
    pub fn count_ones(&self) -> Option<u64> {
        match self {
            _ if self.is_negative() => None,
            Integer::Small(small) => Some(u64::from(small.count_ones())),
            Integer::Big(big) => Some(big.magnitude().count_ones()),
        }
    }

    /// Returns its lowest 64 bits: the integer modulo 2^64.
    #[must_use]
    pub fn low_bits(&self) -> u64 {
        match self {
            Integer::Small(small) => *small as u64,
            Integer::Big(big) => {
                let low = big.iter_u64_digits().next().unwrap_or(0);
                if big.is_negative() { low.wrapping_neg() } else { low }
            }
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Integer) -> Ordering {
        match (self, other) {
            (Integer::Small(a), Integer::Small(b)) => a.cmp(b),
            _ => with_big(self, |a| with_big(other, |b| a.cmp(b))),
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Integer::Small(small) => small.fmt(f),
            Integer::Big(big) => {
                let digits = ended(long::digits(big.magnitude(), &mut || Ok(())));
                f.pad_integral(!big.is_negative(), "", &digits)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_integer::Integer as _;
    use proptest::prelude::*;

    fn int(text: &str) -> Integer {
        Integer::parse(text).expect("digits")
    }

    #[test]
    fn words_overflow_into_big_integers_and_back() {
        let max = Integer::from(i64::MAX);
        let over = max.add(&Integer::ONE);
        assert_eq!(over.to_string(), "9223372036854775808");
        assert_eq!(over.sub(&Integer::ONE), max);
        assert_eq!(Integer::from(i64::MIN).negate().to_string(), "9223372036854775808");
        assert_eq!(Integer::from(i64::MIN).div(&int("-1")), Some(over.clone()));
        assert_eq!(Integer::from(i64::MIN).rem(&int("-1")), Some(Integer::ZERO));
        assert_eq!(Integer::from(i64::MIN).floor_div(&int("-1")), Some(over));
        assert_eq!(Integer::from(i64::MIN).modulo(&int("-1")), Some(Integer::ZERO));
    }

    #[test]
    fn the_two_divisions_round_their_own_way() {
        let (minus7, two) = (int("-7"), int("2"));
        assert_eq!(minus7.div(&two), Some(int("-3")));
        assert_eq!(minus7.rem(&two), Some(int("-1")));
        assert_eq!(minus7.floor_div(&two), Some(int("-4")));
        assert_eq!(minus7.modulo(&two), Some(int("1")));
        assert_eq!(int("7").modulo(&int("-2")), Some(int("-1")));
        assert_eq!(minus7.div(&Integer::ZERO), None);
    }

    #[test]
    fn only_digits_are_integers() {
        for text in ["", "-", "+1", "1_0", "0x1", " 1", "1e3"] {
            assert_eq!(Integer::parse(text), None, "{text}");
        }
        assert_eq!(int("-0"), Integer::ZERO);
        assert_eq!(int("0000000000000000000000000007"), Integer::from(7));
    }

    #[test]
    fn shifts_by_more_than_any_memory_are_refused_but_of_zero() {
        assert_eq!(Integer::ONE.shift_left(u64::MAX), None);
        assert_eq!(Integer::ZERO.shift_left(u64::MAX), Some(Integer::ZERO));
        assert_eq!(int("-5").shift_right(u64::MAX), int("-1"));
        assert_eq!(int("-36893488147419103232").shift_right(u64::MAX), int("-1"));
    }

    #[test]
    fn a_million_digits_read_and_print() {
        let text = format!("1{}7", "0123456789".repeat(10_000));
        assert_eq!(int(&text).to_string(), text);
        let zeros = format!("-1{}", "0".repeat(50_000));
        assert_eq!(int(&zeros).to_string(), zeros);
    }

    proptest! {
        #[test]
        fn printing_reads_back(text in "-?[1-9][0-9]{0,9000}") {
            prop_assert_eq!(int(&text).to_string(), text);
        }

        #[test]
        fn bits_are_those_of_twos_complement(a: i128, b: i128, count in 0_u64..200) {
            let (x, y) = (Integer::from(a), Integer::from(b));
            prop_assert_eq!(x.bit_and(&y), Integer::from(a & b));
            prop_assert_eq!(x.bit_or(&y), Integer::from(a | b));
            prop_assert_eq!(x.bit_xor(&y), Integer::from(a ^ b));
            prop_assert_eq!(x.bit_not(), Integer::from(!a));
            prop_assert_eq!(x.low_bits(), a as u64);
            prop_assert_eq!(x.shift_right(count), Integer::from(a >> count.min(127)));
            let power = Integer::from(BigInt::from(1) << count);
            prop_assert_eq!(x.shift_left(count), Some(x.mul(&power)));
            let ones = (a >= 0).then(|| u64::from(a.count_ones()));
            prop_assert_eq!(x.count_ones(), ones);
        }

        #[test]
        fn words_agree_with_big_arithmetic(a: i64, b: i64) {
            let (x, y) = (Integer::from(a), Integer::from(b));
            let (p, q) = (BigInt::from(a), BigInt::from(b));
            prop_assert_eq!(x.add(&y).to_string(), (&p + &q).to_string());
            prop_assert_eq!(x.sub(&y).to_string(), (&p - &q).to_string());
            prop_assert_eq!(x.mul(&y).to_string(), (&p * &q).to_string());
            prop_assert_eq!(x.cmp(&y), p.cmp(&q));
            if b != 0 {
                prop_assert_eq!(x.div(&y).map(|r| r.to_string()), Some((&p / &q).to_string()));
                prop_assert_eq!(x.rem(&y).map(|r| r.to_string()), Some((&p % &q).to_string()));
                prop_assert_eq!(x.floor_div(&y).map(|r| r.to_string()), Some(p.div_floor(&q).to_string()));
                prop_assert_eq!(x.modulo(&y).map(|r| r.to_string()), Some(p.mod_floor(&q).to_string()));
            }
        }
    }
}

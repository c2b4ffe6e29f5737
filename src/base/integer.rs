//! Exact integers of any size.

use std::cmp::Ordering;
use std::fmt;

use super::limbs::{Limbs, Written};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
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
    /// 1 for true, 0 for false, as CoreF has it.
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

/// A division: `None` when the divisor is 0.
macro_rules! division {
    ($(#[$doc:meta])* $name:ident, $checked:expr, $big:expr) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(&self, other: &Integer) -> Option<Integer> {
            if other.is_zero() {
                return None;
            }
            let word: fn(i64, i64) -> Option<i64> = $checked;
            if let (Integer::Small(a), Integer::Small(b)) = (self, other)
                && let Some(small) = word(*a, *b)
            {
                return Some(Integer::Small(small));
            }
            let operation: fn(&BigInt, &BigInt) -> BigInt = $big;
            let result = with_big(self, |a| with_big(other, |b| operation(a, b)));
            // How much room a division leaves is anyone's guess.
            Some(compact(result, 0))
        }
    };
}

/// Hands `value` on as a big integer, without a copy if it is one.
fn with_big<R>(value: &Integer, then: impl FnOnce(&BigInt) -> R) -> R {
    match value {
        Integer::Small(small) => then(&BigInt::from(*small)),
        Integer::Big(big) => then(big),
    }
}

/// A result that takes no more memory than its limbs need: the library leaves up to twice the
/// room, and a list of such numbers would take twice what [`Integer::heap_bytes`] says.
/// `room` is how many limbs there is room for.
fn compact(value: BigInt, room: usize) -> Integer {
    let limbs = limbs(&value);
    let snug = limbs <= room && room <= limbs + 1;
    match Integer::from(value) {
        // A copy is made to measure.
        Integer::Big(big) if !snug => Integer::Big(big.clone()),
        other => other,
    }
}

/// Words of 64 bits that a value takes.
fn limbs(value: &BigInt) -> usize {
    (value.bits() as usize).div_ceil(64)
}

/// Limbs up to which a product or a quotient is computed without working copies.
const LIMBS_IN_PLACE: usize = 32;

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
    exact!(
        /// The product.
        mul, checked_mul, |a, b| a * b, |a, b| if a.min(b) <= 1 { a.max(b) } else { a + b }
    );
    division!(
        /// The quotient truncated toward zero; `None` for a divisor of 0.
        div, i64::checked_div, |a, b| a / b
    );
    division!(
        /// The remainder that belongs to [`div`](Integer::div): it has the dividend's sign.
        rem, i64::checked_rem, |a, b| a % b
    );
    division!(
        /// The quotient rounded toward minus infinity; `None` for a divisor of 0.
        floor_div, |a, b| (a != i64::MIN || b != -1).then(|| num_integer::div_floor(a, b)), |a, b| a.div_floor(b)
    );
    division!(
        /// The remainder that belongs to [`floor_div`](Integer::floor_div): it has the
        /// divisor's sign.
        modulo, |a, b| (b != -1).then(|| num_integer::mod_floor(a, b)), |a, b| a.mod_floor(b)
    );

    /// The negated value.
    #[must_use]
    pub fn negate(&self) -> Integer {
        Integer::ZERO.sub(self)
    }

    /// Whether it is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Integer::ZERO
    }

    /// Whether it is below 0.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match self {
            Integer::Small(small) => *small < 0,
            Integer::Big(big) => big.is_negative(),
        }
    }

    /// The value, if it fits a word.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Integer::Small(small) => Some(*small),
            Integer::Big(_) => None,
        }
    }

    /// Bytes of its limbs beyond the value itself: 0 for a small one.
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

    /// Words of 64 bits that its magnitude takes; a small one has one.
    #[must_use]
    pub fn limbs(&self) -> usize {
        match self {
            Integer::Small(_) => 1,
            Integer::Big(big) => limbs(big),
        }
    }

    /// Bytes that a sum or difference with `other` may take, while it is computed: what a
    /// memory limit asks for before the work is begun. So do the next three, whose factors
    /// are what the library's working copies were measured to take at most.
    #[must_use]
    pub fn sum_bytes(&self, other: &Integer) -> usize {
        // The sum, and its copy made to measure.
        2 * bytes(self.limbs().max(other.limbs()) + 1)
    }

    /// Bytes that the product with `other` may take, while it is computed.
    #[must_use]
    pub fn product_bytes(&self, other: &Integer) -> usize {
        let (short, long) = (self.limbs().min(other.limbs()), self.limbs().max(other.limbs()));
        let copies = match short {
            0..=1 => long,
            2..=LIMBS_IN_PLACE => 0,
            // The longer one is cut into pieces of no more than twice the shorter.
            _ => 4 * (short + long.min(2 * short)) + (short + long) / 4,
        };
        bytes(short + long + 1 + copies)
    }

    /// Bytes that quotient or remainder by `other` may take, while it is computed.
    #[must_use]
    pub fn quotient_bytes(&self, other: &Integer) -> usize {
        let both = self.limbs() + other.limbs();
        bytes(if other.limbs() <= LIMBS_IN_PLACE { 3 * both } else { 8 * both })
    }

    /// Bytes that the decimal digits may take, while they are computed.
    #[must_use]
    pub fn digits_bytes(&self) -> usize {
        bytes(14 * self.limbs())
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
        let magnitude = parse_digits(digits.as_bytes())?;
        let sign = if digits.len() < text.len() { Sign::Minus } else { Sign::Plus };
        Some(BigInt::from_biguint(sign, magnitude).into())
    }
}

/// Bytes that a big integer of this many limbs takes, and what its result may take beside.
fn bytes(limbs: usize) -> usize {
    size_of::<BigInt>() + 16 + limbs.saturating_mul(8)
}

/// Digits up to which the library's quadratic conversion is the faster one.
const DIGITS_AT_ONCE: usize = 2_000;

/// The value of decimal digits, by halves: fast multiplication makes it subquadratic.
fn parse_digits(digits: &[u8]) -> Option<BigUint> {
    if digits.len() <= DIGITS_AT_ONCE {
        return BigUint::parse_bytes(digits, 10);
    }
    // Halves of one length share their power of ten, so one squaring a level is enough.
    let mut powers = vec![(DIGITS_AT_ONCE, BigUint::from(10u8).pow(DIGITS_AT_ONCE as u32))];
    while let Some((len, power)) = powers.last().filter(|(len, _)| len * 2 < digits.len()) {
        let next = (len * 2, power * power);
        powers.push(next);
    }
    fn convert(digits: &[u8], powers: &[(usize, BigUint)]) -> Option<BigUint> {
        let fitting = powers.iter().rposition(|(len, _)| *len < digits.len());
        let Some(at) = fitting else { return BigUint::parse_bytes(digits, 10) };
        let (len, power) = &powers[at];
        let (high, low) = digits.split_at(digits.len() - len);
        Some(convert(high, &powers[..=at])? * power + convert(low, &powers[..at])?)
    }
    convert(digits, &powers)
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
                if big.is_negative() {
                    f.write_str("-")?;
                }
                f.write_str(&digits(big.magnitude()))
            }
        }
    }
}

/// Decimal digits, by halves above the size up to which the library is fast.
fn digits(value: &BigUint) -> String {
    const BITS_AT_ONCE: u64 = 20_000;
    if value.bits() <= BITS_AT_ONCE {
        return value.to_str_radix(10);
    }
    let mut powers = vec![(DIGITS_AT_ONCE, BigUint::from(10u8).pow(DIGITS_AT_ONCE as u32))];
    while let Some((len, power)) =
        powers.last().filter(|(_, power)| power.bits() * 2 <= value.bits() + 1)
    {
        let next = (len * 2, power * power);
        powers.push(next);
    }
    fn convert(value: &BigUint, powers: &[(usize, BigUint)], width: usize, out: &mut String) {
        match powers.split_last() {
            Some(((len, power), rest)) if value >= power => {
                let (high, low) = value.div_rem(power);
                convert(&high, rest_or(powers, &high, rest), width.saturating_sub(*len), out);
                convert(&low, rest, *len, out);
            }
            Some((_, rest)) if !rest.is_empty() || value.is_zero() => {
                convert(value, rest, width, out)
            }
            _ => {
                let text = if value.is_zero() && width > 0 {
                    String::new()
                } else {
                    value.to_str_radix(10)
                };
                out.extend(std::iter::repeat_n('0', width.saturating_sub(text.len())));
                out.push_str(&text);
            }
        }
    }
    /// The high half may still hold the largest power when the value is just above its square.
    fn rest_or<'a>(
        powers: &'a [(usize, BigUint)],
        high: &BigUint,
        rest: &'a [(usize, BigUint)],
    ) -> &'a [(usize, BigUint)] {
        if powers.last().is_some_and(|(_, power)| high >= power) { powers } else { rest }
    }
    let mut out = String::new();
    convert(value, &powers, 0, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
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

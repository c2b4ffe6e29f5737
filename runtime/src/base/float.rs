//! Floats: IEEE 754 binary64, with one NaN.

use std::fmt;

use num_bigint::{BigInt, BigUint};

use super::integer::Integer;

/// A float. Of the NaNs of the standard there is one, the quiet one without a payload and sign, so
/// that what a program can see of a NaN depends neither on the processor nor on what is computed
/// at compile time. Two floats are equal as [`Float`]s if they have the same bits; so `-0.0` is
/// another one than `0.0`, and the NaN is itself. (The equality of the language is IEEE's.)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Float(u64);

/// The bits of the NaN.
const NAN: u64 = 0x7ff8_0000_0000_0000;
/// Bits of the fraction.
const FRACTION: u32 = 52;
/// The difference between the field of the exponent and the exponent.
const BIAS: i32 = 1023;

impl Float {
    /// Returns the float that is this value.
    #[inline]
    #[must_use]
    pub const fn new(value: f64) -> Float {
        Float(if value.is_nan() { NAN } else { value.to_bits() })
    }

    /// Returns the value.
    #[inline]
    #[must_use]
    pub const fn get(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// Returns the bits: sign, exponent, fraction.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the float of these bits; any NaN is the one NaN.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Float {
        Float::new(f64::from_bits(bits))
    }

    /// Reads a FLOAT literal: digits, a point and digits, then perhaps an exponent of ten, or
    /// digits and an exponent; or a special value. It is the float nearest to the number, of two
    /// equally near ones the one with an even fraction. `None` if it is no such literal, or lies so
    /// far out that only an infinity is near.
    #[must_use]
    pub fn parse(text: &str) -> Option<Float> {
        match text {
            "+inf.0" => return Some(Float::new(f64::INFINITY)),
            "-inf.0" => return Some(Float::new(f64::NEG_INFINITY)),
            "+nan.0" => return Some(Float::new(f64::NAN)),
            _ => {}
        }
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (number, exponent) = match digits.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, Some(exponent)),
            None => (digits, None),
        };
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let exponent_is_sound =
            exponent.is_none_or(|text| all_digits(text.strip_prefix(['+', '-']).unwrap_or(text)));
        let number_is_sound = match number.split_once('.') {
            Some((whole, fraction)) => all_digits(whole) && all_digits(fraction),
            None => exponent.is_some() && all_digits(number),
        };
        if !exponent_is_sound || !number_is_sound {
            return None;
        }
        let value: f64 = text.parse().ok()?;
        value.is_finite().then_some(Float(value.to_bits()))
    }

    /// Returns the float nearest to an integer, of two equally near ones the one with an even
    /// fraction; an infinity, if the integer is beyond the largest float by half a step.
    #[must_use]
    pub fn from_integer(value: &Integer) -> Float {
        let big = match value {
            Integer::Small(small) => return Float::new(*small as f64),
            Integer::Big(big) => big,
        };
        let bits = big.bits();
        if bits > (BIAS + 1) as u64 {
            let infinity = if value.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY };
            return Float::new(infinity);
        }
        // The first 64 bits, of which the last one stands for all that follow: the conversion
        // rounds once, and what follows only matters in telling a tie from more.
        let shift = bits.saturating_sub(64);
        let magnitude = big.magnitude();
        let first = magnitude >> shift;
        let rest = magnitude.trailing_zeros().is_some_and(|zeros| zeros < shift);
        let first = first.iter_u64_digits().next().unwrap_or(0) | u64::from(rest);
        let scaled = first as f64 * power_of_two(shift as i32);
        Float::new(if value.is_negative() { -scaled } else { scaled })
    }

    /// Returns the integer that is left of it without its fraction; `None` for an infinity and the
    /// NaN.
    #[must_use]
    pub fn truncate(self) -> Option<Integer> {
        let value = self.get();
        if !value.is_finite() {
            return None;
        }
        // Below 2^63 in magnitude, and so the conversion is exact.
        if value.abs() < 9.2e18 {
            return Some(Integer::Small(value as i64));
        }
        let exponent = (self.0 >> FRACTION & 0x7ff) as i32 - BIAS - FRACTION as i32;
        let fraction = self.0 & ((1 << FRACTION) - 1) | 1 << FRACTION;
        let magnitude = BigUint::from(fraction) << exponent.unsigned_abs();
        let big = BigInt::from(magnitude);
        Some(Integer::from(if value < 0.0 { -big } else { big }))
    }

    /// Returns the shortest decimal number that only this float is nearest to: an integer, which
    /// has the sign, and the power of ten by which it is multiplied. `None` for an infinity and the
    /// NaN.
    #[must_use]
    pub fn decimal(self) -> Option<(i64, i64)> {
        if !self.get().is_finite() {
            return None;
        }
        let text = format!("{:e}", self.get());
        let (number, exponent) = text.split_once('e')?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        // At most 17 digits.
        let digits: i64 = format!("{whole}{fraction}").parse().ok()?;
        let exponent: i64 = exponent.parse().ok()?;
        Some((digits, exponent - fraction.len() as i64))
    }

    /// Returns the float nearest to `digits` times `exponent` powers of ten, of two equally near
    /// ones the one with an even fraction.
    #[must_use]
    pub fn from_decimal(digits: &Integer, exponent: &Integer) -> Float {
        // What is beyond decides nothing any more: no integer has as many digits.
        let limit = 1 << 60;
        let exponent = match exponent {
            Integer::Small(small) => (*small).clamp(-limit, limit),
            Integer::Big(_) if exponent.is_negative() => -limit,
            Integer::Big(_) => limit,
        };
        scaled(&digits.to_string(), exponent)
    }
}

/// Returns the float nearest to a decimal number of these digits, with a `-` if it is negative.
fn scaled(digits: &str, exponent: i64) -> Float {
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    // The standard library reads exponents of a few digits alone: so the point goes to the left
    // of the digits, and the exponent says how large the number is.
    let significant = unsigned.trim_start_matches('0');
    let sign = if unsigned.len() < digits.len() { "-" } else { "" };
    let size = exponent.saturating_add(significant.len() as i64).clamp(-10_000, 10_000);
    let text = match significant {
        "" => "0.0".to_owned(),
        _ => format!("{sign}0.{significant}e{size}"),
    };
    Float::new(text.parse().unwrap_or(f64::NAN))
}

/// Returns 2 to the power of an exponent of 0 or more; an infinity, if that is no float.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        ..=BIAS => f64::from_bits(((exponent + BIAS) as u64) << FRACTION),
        _ => f64::INFINITY,
    }
}

/// The shortest literal that reads back as the same float.
impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.get();
        if value.is_finite() {
            return fmt::Debug::fmt(&value, f);
        }
        f.write_str(match value {
            f64::INFINITY => "+inf.0",
            f64::NEG_INFINITY => "-inf.0",
            _ => "+nan.0",
        })
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<f64> for Float {
    fn from(value: f64) -> Float {
        Float::new(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn float(text: &str) -> f64 {
        Float::parse(text).expect(text).get()
    }

    #[test]
    fn literals_have_a_point_or_an_exponent() {
        assert_eq!(float("1.5"), 1.5);
        assert_eq!(float("6.02e23"), 6.02e23);
        assert_eq!(float("-0.5E-3"), -0.0005);
        assert_eq!(float("1e+5"), 100_000.0);
        assert_eq!(float("-0.0").to_bits(), 1 << 63);
        assert_eq!(float("+inf.0"), f64::INFINITY);
        assert_eq!(float("-inf.0"), f64::NEG_INFINITY);
        assert!(float("+nan.0").is_nan());
        for text in ["1", "1.", ".5", "1.e5", "e5", "1e", "1e+", "+1.5", "inf", "nan", "-", "0x1p3"]
        {
            assert_eq!(Float::parse(text), None, "{text}");
        }
        assert_eq!(Float::parse("1e309"), None);
        assert_eq!(float("1e-400"), 0.0);
    }

    #[test]
    fn there_is_one_nan() {
        for bits in [0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001, u64::MAX]
        {
            assert_eq!(Float::from_bits(bits).bits(), 0x7ff8_0000_0000_0000);
        }
        assert_eq!(Float::new(-f64::NAN).to_string(), "+nan.0");
    }

    #[test]
    fn integers_between_two_floats_go_to_the_nearer_one_and_ties_to_the_even_one() {
        let of = |text: &str| Float::from_integer(&Integer::parse(text).expect(text)).get();
        assert_eq!(of("9007199254740993"), 9_007_199_254_740_992.0);
        assert_eq!(of("9007199254740995"), 9_007_199_254_740_996.0);
        // 2^70 + 2^17 is half-way between two floats, and one more is not.
        assert_eq!(of("1180591620717411434496"), 1_180_591_620_717_411_303_424.0);
        assert_eq!(of("1180591620717411434497"), 1_180_591_620_717_411_565_568.0);
        assert_eq!(of(&format!("-1{}", "0".repeat(400))), f64::NEG_INFINITY);
        let largest = Float::new(f64::MAX).truncate().expect("finite");
        assert_eq!(Float::from_integer(&largest).get(), f64::MAX);
        assert_eq!(Float::from_integer(&largest.add(&largest)).get(), f64::INFINITY);
    }

    #[test]
    fn decimal_exponents_may_be_of_any_size() {
        let of = |digits: &str, exponent: &str| {
            let parse = |text| Integer::parse(text).expect("digits");
            Float::from_decimal(&parse(digits), &parse(exponent)).get()
        };
        assert_eq!(of("15", "-1"), 1.5);
        assert_eq!(of("-1", "99999999999999999999"), f64::NEG_INFINITY);
        assert_eq!(of("1", "-99999999999999999999"), 0.0);
        assert_eq!(of("0", "99999999999999999999"), 0.0);
        assert_eq!(of(&format!("1{}", "0".repeat(20_000)), "-20000"), 1.0);
    }

    proptest! {
        #[test]
        fn what_prints_reads_back(bits: u64) {
            let float = Float::from_bits(bits);
            prop_assert_eq!(Float::parse(&float.to_string()), Some(float));
            if let Some((digits, exponent)) = float.decimal() {
                let back = Float::from_decimal(&Integer::from(digits), &Integer::from(exponent));
                prop_assert_eq!(back.get(), float.get());
            }
        }

        #[test]
        fn integers_agree_with_decimal_reading(text in "-?[1-9][0-9]{0,330}") {
            let integer = Integer::parse(&text).expect("digits");
            let expected: f64 = text.parse().expect("a number");
            prop_assert_eq!(Float::from_integer(&integer).get(), expected);
        }

        #[test]
        fn truncation_agrees_with_printing(bits: u64) {
            let float = Float::from_bits(bits);
            let expected = float.get().is_finite().then(|| {
                let digits = format!("{:.0}", float.get().trunc());
                Integer::parse(&digits).expect("digits")
            });
            prop_assert_eq!(float.truncate(), expected);
        }
    }
}

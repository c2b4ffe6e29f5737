//! What primitives on bits, words and floats compute, of evaluated operands.
//!
//! The machines have ways of their own for what a loop does often; the rest they and the optimiser
//! compute here, so that what is folded is what a run gives. The functions of C's mathematics
//! library are those of the platform, by way of Rust's standard library; but for the inverse hyperbolic
//! ones, which it does not take from there.

use std::f64::consts::LN_2;

use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::primitive::Primitive;

/// An operand.
#[derive(Clone, Copy, Debug)]
pub enum Number<'a> {
    /// An integer.
    Integer(&'a Integer),
    /// A float.
    Float(Float),
    /// A byte string.
    Bytes(&'a [u8]),
}

/// A result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Computed {
    /// An integer.
    Integer(Integer),
    /// A float.
    Float(Float),
    /// A character.
    Char(char),
    /// A new byte string.
    Bytes(Vec<u8>),
    /// A part of the operand that is a byte string.
    Part {
        /// The offset of its first byte.
        from: usize,
        /// The number of its bytes.
        len: usize,
    },
}

/// The reason why there is no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An operand, the first or second counted from 0, is of the wrong kind, or missing.
    Kind(usize),
    /// An infinity or the NaN, of which there is no integer.
    NoInteger,
    /// This operand, counted from 0, is negative.
    Negative(usize),
    /// No memory is large enough for the result.
    TooLarge,
    /// The index is not one of so many elements or bytes.
    Index(usize),
    /// The bytes at the index are no character in UTF-8.
    NoText,
    /// The bytes are no decimal number.
    NoNumber,
}

impl From<f64> for Computed {
    fn from(value: f64) -> Computed {
        Computed::Float(Float::new(value))
    }
}

impl From<Integer> for Computed {
    fn from(value: Integer) -> Computed {
        Computed::Integer(value)
    }
}

fn integer<'a>(operands: &[Number<'a>], at: usize) -> Result<&'a Integer, Fault> {
    match operands.get(at) {
        Some(Number::Integer(value)) => Ok(value),
        _ => Err(Fault::Kind(at)),
    }
}

fn float(operands: &[Number<'_>], at: usize) -> Result<f64, Fault> {
    match operands.get(at) {
        Some(Number::Float(value)) => Ok(value.get()),
        _ => Err(Fault::Kind(at)),
    }
}

/// Returns the count of a shift, the second operand; no count is larger than the largest.
fn count(operands: &[Number<'_>]) -> Result<u64, Fault> {
    let count = integer(operands, 1)?;
    match count.is_negative() {
        true => Err(Fault::Negative(1)),
        false => Ok(u64::try_from(count).unwrap_or(u64::MAX)),
    }
}

/// Returns the bytes that computing it may take: what a memory limit asks for before the work is
/// begun. `u64::MAX`, if no memory has as many.
#[must_use]
pub fn bytes(primitive: Primitive, operands: &[Number<'_>]) -> u64 {
    let bytes = match (primitive, operands) {
        (Primitive::Shl, [Number::Integer(value), Number::Integer(_)]) => match count(operands) {
            Ok(count) if !value.is_zero() => {
                let is_word = count < 64
                    && value
                        .to_i64()
                        .is_some_and(|small| small.unsigned_abs().leading_zeros() as u64 > count);
                if is_word { Some(0) } else { value.shifted_bytes(count) }
            }
            _ => Some(0),
        },
        (Primitive::BytesFromInt, [Number::Integer(value)]) => Some(value.digits_bytes()),
        (Primitive::FDecimal, [Number::Integer(digits), _]) if digits.to_i64().is_none() => {
            Some(digits.digits_bytes())
        }
        (_, [Number::Integer(Integer::Small(_)), Number::Integer(Integer::Small(_))]) => Some(0),
        (_, [Number::Integer(a), Number::Integer(b)]) => Some(a.sum_bytes(b)),
        (_, [Number::Integer(a @ Integer::Big(_))]) => Some(a.sum_bytes(&Integer::ONE)),
        // An integer of a float has at most 1024 bits.
        (Primitive::FToI, [Number::Float(value)]) if value.get().abs() >= 9e18 => {
            Integer::ONE.shifted_bytes(1024)
        }
        _ => Some(0),
    };
    bytes.map_or(u64::MAX, |bytes| bytes as u64)
}

/// Returns what a primitive that [`computes`](Primitive::computes) gives for its operands.
///
/// # Errors
/// If it has no result. The kinds of all operands are looked at before anything else.
pub fn compute(primitive: Primitive, operands: &[Number<'_>]) -> Result<Computed, Fault> {
    use Primitive as P;
    let int = |at| integer(operands, at);
    let flt = |at| float(operands, at);
    let signed = |bits: u64| Ok(Integer::from(bits as i64).into());
    let unsigned = |bits: u64| Ok(Integer::from(bits).into());
    let float = |value: f64| Ok(Computed::from(value));
    let truth = |holds: bool| Ok(Integer::from(holds).into());
    let low = |at| int(at).map(Integer::low_bits);
    match primitive {
        P::BitAnd => Ok(int(0)?.bit_and(int(1)?).into()),
        P::BitOr => Ok(int(0)?.bit_or(int(1)?).into()),
        P::BitXor => Ok(int(0)?.bit_xor(int(1)?).into()),
        P::BitNot => Ok(int(0)?.bit_not().into()),
        P::Shl => int(0)?.shift_left(count(operands)?).map(Into::into).ok_or(Fault::TooLarge),
        P::Shr => Ok(int(0)?.shift_right(count(operands)?).into()),
        P::PopCount => match int(0)?.count_ones() {
            Some(ones) => Ok(Integer::from(ones).into()),
            None => Err(Fault::Negative(0)),
        },
        P::AddI64 => signed(low(0)?.wrapping_add(low(1)?)),
        P::SubI64 => signed(low(0)?.wrapping_sub(low(1)?)),
        P::MulI64 => signed(low(0)?.wrapping_mul(low(1)?)),
        P::ShlI64 => signed(shifted(low(0)?, count(operands)?)),
        P::AddU64 => unsigned(low(0)?.wrapping_add(low(1)?)),
        P::SubU64 => unsigned(low(0)?.wrapping_sub(low(1)?)),
        P::MulU64 => unsigned(low(0)?.wrapping_mul(low(1)?)),
        P::ShlU64 => unsigned(shifted(low(0)?, count(operands)?)),
        P::ToI8 => Ok(Integer::from(low(0)? as i8).into()),
        P::ToI16 => Ok(Integer::from(low(0)? as i16).into()),
        P::ToI32 => Ok(Integer::from(low(0)? as i32).into()),
        P::ToI64 => signed(low(0)?),
        P::ToU8 => Ok(Integer::from(low(0)? as u8).into()),
        P::ToU16 => Ok(Integer::from(low(0)? as u16).into()),
        P::ToU32 => Ok(Integer::from(low(0)? as u32).into()),
        P::ToU64 => unsigned(low(0)?),
        P::FAdd => float(flt(0)? + flt(1)?),
        P::FSub => float(flt(0)? - flt(1)?),
        P::FMul => float(flt(0)? * flt(1)?),
        P::FDiv => float(flt(0)? / flt(1)?),
        P::FRem => float(flt(0)? % flt(1)?),
        P::FPow => float(flt(0)?.powf(flt(1)?)),
        P::FAtan2 => float(flt(0)?.atan2(flt(1)?)),
        P::FHypot => float(flt(0)?.hypot(flt(1)?)),
        P::FCopySign => float(flt(0)?.copysign(flt(1)?)),
        P::FNeg => float(-flt(0)?),
        P::FAbs => float(flt(0)?.abs()),
        P::FSqrt => float(flt(0)?.sqrt()),
        P::FCbrt => float(flt(0)?.cbrt()),
        P::FExp => float(flt(0)?.exp()),
        P::FExp2 => float(flt(0)?.exp2()),
        P::FExpM1 => float(flt(0)?.exp_m1()),
        P::FLog => float(flt(0)?.ln()),
        P::FLog2 => float(flt(0)?.log2()),
        P::FLog10 => float(flt(0)?.log10()),
        P::FLog1P => float(flt(0)?.ln_1p()),
        P::FSin => float(flt(0)?.sin()),
        P::FCos => float(flt(0)?.cos()),
        P::FTan => float(flt(0)?.tan()),
        P::FAsin => float(flt(0)?.asin()),
        P::FAcos => float(flt(0)?.acos()),
        P::FAtan => float(flt(0)?.atan()),
        P::FSinh => float(flt(0)?.sinh()),
        P::FCosh => float(flt(0)?.cosh()),
        P::FTanh => float(flt(0)?.tanh()),
        P::FAsinh => float(asinh(flt(0)?)),
        P::FAcosh => float(acosh(flt(0)?)),
        P::FAtanh => float(atanh(flt(0)?)),
        P::FFloor => float(flt(0)?.floor()),
        P::FCeil => float(flt(0)?.ceil()),
        P::FTrunc => float(flt(0)?.trunc()),
        P::FRound => float(flt(0)?.round()),
        P::FRint => float(flt(0)?.round_ties_even()),
        P::FEq => truth(flt(0)? == flt(1)?),
        P::FNeq => truth(flt(0)? != flt(1)?),
        P::FLt => truth(flt(0)? < flt(1)?),
        P::FLe => truth(flt(0)? <= flt(1)?),
        P::FGt => truth(flt(0)? > flt(1)?),
        P::FGe => truth(flt(0)? >= flt(1)?),
        P::IToF => Ok(Computed::Float(Float::from_integer(int(0)?))),
        P::FToI => match Float::new(flt(0)?).truncate() {
            Some(integer) => Ok(integer.into()),
            None => Err(Fault::NoInteger),
        },
        P::FToBits => unsigned(Float::new(flt(0)?).bits()),
        P::BitsToF => Ok(Computed::Float(Float::from_bits(low(0)?))),
        P::FDigits => match Float::new(flt(0)?).decimal() {
            Some((digits, _)) => Ok(Integer::from(digits).into()),
            None => Err(Fault::NoInteger),
        },
        P::FExponent => match Float::new(flt(0)?).decimal() {
            Some((_, exponent)) => Ok(Integer::from(exponent).into()),
            None => Err(Fault::NoInteger),
        },
        P::FDecimal => Ok(Computed::Float(Float::from_decimal(int(0)?, int(1)?))),
        _ => super::bytes::compute(primitive, operands),
    }
}

/// Returns `bits` shifted to the left by any number of bits.
fn shifted(bits: u64, count: u64) -> u64 {
    if count < 64 { bits << count } else { 0 }
}

/// The float from which on `x * x + 1` and `x * x - 1` are `x * x`, to the last digit.
const LARGE: f64 = 268_435_456.0;

/// Returns the inverse hyperbolic sine, `ln(x + sqrt(x * x + 1))`, for a size that may be near 0,
/// or so large that its square is infinite.
fn asinh(x: f64) -> f64 {
    let size = x.abs();
    let value = if size > LARGE {
        size.ln() + LN_2
    } else {
        let square = size * size;
        (size + square / ((square + 1.0).sqrt() + 1.0)).ln_1p()
    };
    value.copysign(x)
}

/// Returns the inverse hyperbolic cosine, `ln(x + sqrt(x * x - 1))`, for what may be near 1, or so
/// large that its square is infinite.
fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        f64::NAN
    } else if x > LARGE {
        x.ln() + LN_2
    } else {
        let above = x - 1.0;
        (above + (above * (above + 2.0)).sqrt()).ln_1p()
    }
}

/// Returns the inverse hyperbolic tangent, `ln((1 + x) / (1 - x)) / 2`, for a size that may be near
/// 0 or 1.
fn atanh(x: f64) -> f64 {
    let size = x.abs();
    let twice = size + size;
    let ratio = match size < 0.5 {
        true => twice + twice * size / (1.0 - size),
        false => twice / (1.0 - size),
    };
    (ratio.ln_1p() * 0.5).copysign(x)
}

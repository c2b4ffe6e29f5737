//! What primitives on byte strings compute, of evaluated operands.

use std::cmp::Ordering;

use super::Primitive;
use super::numbers::{Computed, Fault, Number};
use crate::base::integer::Integer;

/// Returns whether a byte is white space of ASCII, which separates words.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Returns the byte string that an operand is.
fn bytes<'a>(operands: &[Number<'a>], at: usize) -> Result<&'a [u8], Fault> {
    match operands.get(at) {
        Some(Number::Bytes(bytes)) => Ok(bytes),
        _ => Err(Fault::Kind(at)),
    }
}

fn integer<'a>(operands: &[Number<'a>], at: usize) -> Result<&'a Integer, Fault> {
    match operands.get(at) {
        Some(Number::Integer(value)) => Ok(value),
        _ => Err(Fault::Kind(at)),
    }
}

/// Returns how many bytes of `len` a count stands for: none if it is negative, at most all.
#[must_use]
pub fn clamped(count: &Integer, len: usize) -> usize {
    match count.is_negative() {
        true => 0,
        false => usize::try_from(count).map_or(len, |count| count.min(len)),
    }
}

/// Returns the place that an index stands for, if it is one of `len`.
#[must_use]
pub fn place(index: &Integer, len: usize) -> Option<usize> {
    usize::try_from(index).ok().filter(|at| *at < len)
}

/// Returns the number of bytes before the first that is white space, or with `blank` that is none.
#[must_use]
pub fn span(bytes: &[u8], blank: bool) -> usize {
    bytes.iter().position(|&byte| is_blank(byte) != blank).unwrap_or(bytes.len())
}

/// Returns the character that begins at the start of `bytes`, if one does.
#[must_use]
pub fn first_char(bytes: &[u8]) -> Option<char> {
    let len = match bytes.first()? {
        0..=0x7f => 1,
        0x80..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    };
    std::str::from_utf8(bytes.get(..len)?).ok()?.chars().next()
}

/// Returns the integer that decimal digits stand for, with a sign before them or not.
fn decimal(bytes: &[u8]) -> Option<Integer> {
    Integer::parse(std::str::from_utf8(bytes).ok()?)
}

/// Returns a hash of bytes: FNV-1a of 64 bits (Fowler, Noll and Vo), shortened to 62 so that it is
/// a small integer.
#[must_use]
pub fn hash(bytes: &[u8]) -> i64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, step);
    ((hash >> 62) ^ (hash & ((1 << 62) - 1))) as i64
}

/// Returns the first place where `needle` is in `hay`: linear but for needles that nearly match
/// often.
#[must_use]
pub fn find(needle: &[u8], hay: &[u8]) -> Option<usize> {
    let Some((&first, rest)) = needle.split_first() else { return Some(0) };
    let mut from = 0;
    loop {
        let at = from + hay.get(from..)?.iter().position(|&byte| byte == first)?;
        if hay.get(at + 1..)?.starts_with(rest) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Returns what a primitive on byte strings gives for its operands.
///
/// # Errors
/// If it has no result. The kinds of all operands are looked at before anything else.
pub fn compute(primitive: Primitive, operands: &[Number<'_>]) -> Result<Computed, Fault> {
    use Primitive as P;
    let small = |value: usize| Ok(Integer::from(value as u64).into());
    let part = |from: usize, len: usize| Ok(Computed::Part { from, len });
    match primitive {
        P::BytesLength => small(bytes(operands, 0)?.len()),
        P::BytesHash => Ok(Integer::from(hash(bytes(operands, 0)?)).into()),
        P::BytesBlank => small(span(bytes(operands, 0)?, true)),
        P::BytesWord => small(span(bytes(operands, 0)?, false)),
        P::BytesIndex | P::BytesChar => {
            let (of, index) = (bytes(operands, 0)?, integer(operands, 1)?);
            let rest = place(index, of.len()).and_then(|at| of.get(at..));
            match (rest.ok_or(Fault::Index(of.len()))?, primitive) {
                (rest, P::BytesChar) => match first_char(rest) {
                    Some(c) => Ok(Computed::Char(c)),
                    None => Err(Fault::NoText),
                },
                (rest, _) => small(rest.first().copied().unwrap_or_default().into()),
            }
        }
        P::BytesTake => {
            let (count, of) = (integer(operands, 0)?, bytes(operands, 1)?);
            part(0, clamped(count, of.len()))
        }
        P::BytesDrop => {
            let (count, of) = (integer(operands, 0)?, bytes(operands, 1)?);
            let from = clamped(count, of.len());
            part(from, of.len() - from)
        }
        P::BytesCompare => {
            let order = bytes(operands, 0)?.cmp(bytes(operands, 1)?);
            Ok(Integer::from(match order {
                Ordering::Less => -1_i64,
                Ordering::Equal => 0,
                Ordering::Greater => 1,
            })
            .into())
        }
        P::BytesFind => match find(bytes(operands, 0)?, bytes(operands, 1)?) {
            Some(at) => small(at),
            None => Ok(Integer::from(-1_i64).into()),
        },
        P::BytesToInt => match decimal(bytes(operands, 0)?) {
            Some(value) => Ok(value.into()),
            None => Err(Fault::NoNumber),
        },
        P::BytesFromInt => Ok(Computed::Bytes(integer(operands, 0)?.to_string().into_bytes())),
        _ => Err(Fault::Kind(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searching_agrees_with_looking_at_each_place() {
        for hay in ["", "a", "aaab", "abcabd", "xyz", "ababac"] {
            for needle in ["", "a", "b", "ab", "abd", "aab", "bac", "zz"] {
                let slow = hay.find(needle);
                assert_eq!(find(needle.as_bytes(), hay.as_bytes()), slow, "{needle} in {hay}");
            }
        }
    }

    #[test]
    fn a_character_is_decoded_where_it_begins_only() {
        let text = "aé€😀".as_bytes();
        let found: Vec<_> = (0..text.len()).map(|at| first_char(&text[at..])).collect();
        let (a, e, euro, smile) = (Some('a'), Some('é'), Some('€'), Some('😀'));
        assert_eq!(found, [a, e, None, euro, None, None, smile, None, None, None]);
        assert_eq!((first_char(&[0xc3]), first_char(&[0xff, 1, 1, 1])), (None, None));
    }

    #[test]
    fn decimals_are_digits_with_a_minus_or_not() {
        assert_eq!(decimal(b"-12"), Some(Integer::from(-12_i64)));
        assert_eq!(decimal(b"007"), Some(Integer::from(7_i64)));
        for wrong in [&b""[..], b"-", b"+1", b"1 ", b"1.5", b"--1", &[0xc3, 0xa9]] {
            assert_eq!(decimal(wrong), None, "{wrong:?}");
        }
    }
}

//! What the primitives on arrays and byte strings mean, as operations on vectors.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{Halt, Outcome, Ref, Value, World, force, number};

/// The primitives, with their numbers of operands.
pub(super) const PRIMITIVES: &[(&str, usize)] = &[
    ("arrayFromList", 1),
    ("arrayLength", 1),
    ("arrayIndex", 2),
    ("bytesFromText", 1),
    ("bytesFromList", 1),
    ("bytesConcat", 1),
    ("bytesFromInt", 1),
    ("bytesToInt", 1),
    ("bytesLength", 1),
    ("bytesIndex", 2),
    ("bytesChar", 2),
    ("bytesTake", 2),
    ("bytesDrop", 2),
    ("bytesCompare", 2),
    ("bytesFind", 2),
    ("bytesHash", 1),
    ("bytesBlank", 1),
    ("bytesWord", 1),
];

fn bytes(arg: &Ref) -> Result<Rc<Vec<u8>>, Halt> {
    match force(arg)? {
        Value::Bytes(bytes) => Ok(bytes),
        _ => Err(Halt::Error),
    }
}

fn made(bytes: &[u8]) -> Outcome {
    Ok(Value::Bytes(Rc::new(bytes.to_vec())))
}

fn int(value: impl Into<BigInt>) -> Outcome {
    Ok(Value::Int(value.into()))
}

fn index(arg: &Ref, len: usize) -> Result<usize, Halt> {
    number(arg)?.to_usize().filter(|at| *at < len).ok_or(Halt::Error)
}

/// Returns how many of `len` a number says.
fn count(arg: &Ref, len: usize) -> Result<usize, Halt> {
    let count = number(arg)?;
    Ok(count.max(0.into()).min(len.into()).to_usize().unwrap_or(len))
}

impl World {
    /// Returns the elements of a list that ends.
    fn elements(&self, list: &Ref) -> Result<Vec<Ref>, Halt> {
        let (mut rest, mut elements) = (list.clone(), Vec::new());
        loop {
            self.tick()?;
            match force(&rest)? {
                Value::Con(con, fields) if con.data == self.nil.data => match fields.as_slice() {
                    [first, others] => {
                        elements.push(first.clone());
                        rest = others.clone();
                    }
                    _ => return Ok(elements),
                },
                _ => return Err(Halt::Error),
            }
        }
    }

    pub(super) fn aggregate(&self, name: &str, args: &[Ref]) -> Outcome {
        // All operands are evaluated, whatever they are.
        for arg in args {
            force(arg)?;
        }
        let array = || match force(&args[0])? {
            Value::Array(elements) => Ok(elements),
            _ => Err(Halt::Error),
        };
        let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
        match name {
            "arrayFromList" => Ok(Value::Array(Rc::new(self.elements(&args[0])?))),
            "arrayLength" => int(array()?.len()),
            "arrayIndex" => {
                let elements = array()?;
                force(&elements[index(&args[1], elements.len())?])
            }
            "bytesFromText" => {
                let mut text = String::new();
                for element in self.elements(&args[0])? {
                    let Value::Char(c) = force(&element)? else { return Err(Halt::Error) };
                    text.push(c);
                }
                made(text.as_bytes())
            }
            "bytesFromList" => {
                let elements = self.elements(&args[0])?;
                let bytes = elements.iter().map(|one| number(one)?.to_u8().ok_or(Halt::Error));
                made(&bytes.collect::<Result<Vec<u8>, Halt>>()?)
            }
            "bytesConcat" => {
                let parts = self.elements(&args[0])?;
                let parts = parts.iter().map(bytes).collect::<Result<Vec<_>, Halt>>()?;
                made(&parts.iter().flat_map(|part| part.iter().copied()).collect::<Vec<u8>>())
            }
            "bytesFromInt" => made(number(&args[0])?.to_string().as_bytes()),
            "bytesToInt" => {
                let bytes = bytes(&args[0])?;
                let text = std::str::from_utf8(&bytes).map_err(|_| Halt::Error)?;
                // The library takes a `+`, and lines between digits.
                let is_plain = text.chars().all(|c| c.is_ascii_digit() || c == '-');
                let value = text.parse::<BigInt>().ok().filter(|_| is_plain);
                value.map(Value::Int).ok_or(Halt::Error)
            }
            "bytesLength" => int(bytes(&args[0])?.len()),
            "bytesIndex" => {
                let bytes = bytes(&args[0])?;
                int(bytes[index(&args[1], bytes.len())?])
            }
            "bytesChar" => {
                let bytes = bytes(&args[0])?;
                let rest = &bytes[index(&args[1], bytes.len())?..];
                // Of the four lengths at most one is a character alone.
                let mut found = (1..=rest.len().min(4)).filter_map(|len| {
                    let text = std::str::from_utf8(&rest[..len]).ok()?;
                    text.chars().next().filter(|c| c.len_utf8() == len)
                });
                found.next().map(Value::Char).ok_or(Halt::Error)
            }
            "bytesTake" => {
                let bytes = bytes(&args[1])?;
                made(&bytes[..count(&args[0], bytes.len())?])
            }
            "bytesDrop" => {
                let bytes = bytes(&args[1])?;
                made(&bytes[count(&args[0], bytes.len())?..])
            }
            "bytesCompare" => int(bytes(&args[0])?.cmp(&bytes(&args[1])?) as i32),
            "bytesFind" => {
                let (needle, hay) = (bytes(&args[0])?, bytes(&args[1])?);
                let mut places = 0..=hay.len();
                match places.find(|&at| hay[at..].starts_with(&needle)) {
                    Some(at) => int(at),
                    None => int(-1),
                }
            }
            "bytesHash" => {
                // FNV-1a of 64 bits, the two highest folded onto the lowest.
                let mut hash = BigInt::from(0xcbf2_9ce4_8422_2325_u64);
                for &byte in bytes(&args[0])?.iter() {
                    hash =
                        (hash ^ BigInt::from(byte)) * 0x100_0000_01b3_u64 % (BigInt::from(1) << 64);
                }
                let (high, low) = (&hash >> 62, &hash % (BigInt::from(1) << 62));
                int(high ^ low)
            }
            "bytesBlank" => int(bytes(&args[0])?.iter().take_while(|byte| blank(byte)).count()),
            "bytesWord" => int(bytes(&args[0])?.iter().take_while(|byte| !blank(byte)).count()),
            _ => panic!("{name} is no primitive"),
        }
    }
}

//! Primitives on literals, with the machine's own arithmetic. Only what succeeds is folded: an error
//! stays in the program.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::base::index::IndexVec;
use crate::base::integer::Integer;
use crate::core::expr::{BigId, Lit};
use crate::primitive::Primitive;
use crate::primitive::numbers::{self, Computed, Number};

/// The most bytes of an integer that folding makes, by the estimate of a memory limit: larger ones
/// are cheaper to compute than to load.
const LARGEST: usize = 128;

/// The large integers of a program.
pub(super) type Bigs = IndexVec<BigId, Integer>;

/// Computes, and keeps of the large integers of a program which number each has.
pub(super) struct Folder {
    numbers: FxHashMap<Integer, BigId>,
}

/// Returns the value of a literal that is an integer.
fn integer(bigs: &Bigs, lit: Lit) -> Option<Integer> {
    match lit {
        Lit::Int(value) => Some(Integer::Small(value)),
        Lit::Big(big) => Some(bigs[big].clone()),
        Lit::Float(_) | Lit::Char(_) => None,
    }
}

/// Returns whether two literals are the same value.
pub(super) fn equal(bigs: &Bigs, a: Lit, b: Lit) -> bool {
    match (a, b) {
        (Lit::Big(_), _) | (_, Lit::Big(_)) => integer(bigs, a) == integer(bigs, b),
        _ => a == b,
    }
}

/// Returns whether two literals may be values of one `case`.
pub(super) fn is_one_kind(a: Lit, b: Lit) -> bool {
    match a {
        Lit::Int(_) | Lit::Big(_) => matches!(b, Lit::Int(_) | Lit::Big(_)),
        Lit::Char(_) => matches!(b, Lit::Char(_)),
        Lit::Float(_) => false,
    }
}

fn compare(bigs: &Bigs, primitive: Primitive, a: Lit, b: Lit) -> Option<Lit> {
    let order = match (a, b) {
        (Lit::Char(a), Lit::Char(b)) => a.cmp(&b),
        _ => integer(bigs, a)?.cmp(&integer(bigs, b)?),
    };
    let holds = match primitive {
        Primitive::Eq => order == Ordering::Equal,
        Primitive::Neq => order != Ordering::Equal,
        Primitive::Lt => order == Ordering::Less,
        Primitive::Le => order != Ordering::Greater,
        Primitive::Gt => order == Ordering::Greater,
        _ => order != Ordering::Less,
    };
    Some(Lit::Int(i64::from(holds)))
}

impl Folder {
    /// Returns one for a program with these large integers.
    pub fn new(bigs: &Bigs) -> Folder {
        Folder { numbers: bigs.enumerate().map(|(id, big)| (big.clone(), id)).collect() }
    }

    /// Returns the result of a primitive on literals, if it has one.
    pub fn fold(&mut self, bigs: &mut Bigs, primitive: Primitive, lits: &[Lit]) -> Option<Lit> {
        let mut operands = lits.iter().copied();
        let mut operand = || operands.next().unwrap_or(Lit::Int(0));
        let (a, b) = (operand(), operand());
        match primitive {
            Primitive::Eq
            | Primitive::Neq
            | Primitive::Lt
            | Primitive::Le
            | Primitive::Gt
            | Primitive::Ge => compare(bigs, primitive, a, b),
            Primitive::Ord => match a {
                Lit::Char(c) => Some(Lit::Int(i64::from(u32::from(c)))),
                _ => None,
            },
            Primitive::Chr => {
                let code = u32::try_from(integer(bigs, a)?.to_i64()?).ok()?;
                char::from_u32(code).map(Lit::Char)
            }
            Primitive::If | Primitive::Seq | Primitive::Error => None,
            Primitive::Add
            | Primitive::Sub
            | Primitive::Mul
            | Primitive::Div
            | Primitive::Rem
            | Primitive::FloorDiv
            | Primitive::Mod
            | Primitive::Negate => self.arithmetic(bigs, primitive, a, b),
            _ => self.numeric(bigs, primitive, lits),
        }
    }

    fn arithmetic(&mut self, bigs: &mut Bigs, primitive: Primitive, a: Lit, b: Lit) -> Option<Lit> {
        let a = integer(bigs, a)?;
        let b = integer(bigs, b)?;
        if a.product_bytes(&b) > LARGEST {
            return None;
        }
        let result = match primitive {
            Primitive::Add => a.add(&b),
            Primitive::Sub => a.sub(&b),
            Primitive::Mul => a.mul(&b),
            Primitive::Div => a.div(&b)?,
            Primitive::Rem => a.rem(&b)?,
            Primitive::FloorDiv => a.floor_div(&b)?,
            Primitive::Mod => a.modulo(&b)?,
            Primitive::Negate => a.negate(),
            _ => return None,
        };
        Some(self.integer_literal(bigs, result))
    }

    /// Returns what the machines compute for a primitive on bits, words or floats.
    fn numeric(&mut self, bigs: &mut Bigs, primitive: Primitive, lits: &[Lit]) -> Option<Lit> {
        let integers: Vec<Option<Integer>> = lits.iter().map(|&lit| integer(bigs, lit)).collect();
        let mut operands = Vec::with_capacity(lits.len());
        for (lit, integer) in lits.iter().zip(&integers) {
            operands.push(match (lit, integer) {
                (Lit::Float(value), _) => Number::Float(*value),
                (_, Some(integer)) => Number::Integer(integer),
                _ => return None,
            });
        }
        if numbers::bytes(primitive, &operands) > LARGEST as u64 {
            return None;
        }
        match numbers::compute(primitive, &operands).ok()? {
            Computed::Integer(value) => Some(self.integer_literal(bigs, value)),
            Computed::Float(value) => Some(Lit::Float(value)),
            Computed::Char(value) => Some(Lit::Char(value)),
            Computed::Bytes(_) | Computed::Part { .. } => None,
        }
    }

    fn integer_literal(&mut self, bigs: &mut Bigs, value: Integer) -> Lit {
        match value {
            Integer::Small(value) => Lit::Int(value),
            big @ Integer::Big(_) => {
                let entry = self.numbers.entry(big);
                Lit::Big(*entry.or_insert_with_key(|big| bigs.push(big.clone())))
            }
        }
    }
}

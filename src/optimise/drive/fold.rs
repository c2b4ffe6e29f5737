//! Primitives on known operands, with the machine's own arithmetic. Only what succeeds is
//! folded: an error stays in the program.

use std::cmp::Ordering;

use super::Driver;
use super::heap::{AbstractValue, NodeId};
use crate::base::index::List;
use crate::base::integer::Integer;
use crate::core::expr::{CONS, ConId, Lit, NIL, TextId};
use crate::primitive::Primitive;
use crate::primitive::numbers::{self, Computed, Number};

/// The most bytes of an integer that folding makes, by the estimate of a memory limit: larger ones
/// are cheaper to compute than to load.
const LARGEST: usize = 128;

impl Driver<'_> {
    fn integer(&self, lit: Lit) -> Option<Integer> {
        match lit {
            Lit::Int(value) => Some(Integer::Small(value)),
            Lit::Big(big) => Some(self.new.bigs[big].clone()),
            Lit::Float(_) | Lit::Char(_) => None,
        }
    }

    /// Returns whether two literals are the same value.
    pub(super) fn equal(&self, a: Lit, b: Lit) -> bool {
        match (a, b) {
            (Lit::Big(_), _) | (_, Lit::Big(_)) => self.integer(a) == self.integer(b),
            _ => a == b,
        }
    }

    /// Returns what a known condition says; one that is neither 1 nor 0 is an error of the run.
    pub(super) fn truth(&self, node: NodeId) -> Option<bool> {
        match self.heap.get(node).value {
            AbstractValue::Lit(Lit::Int(0)) => Some(false),
            AbstractValue::Lit(Lit::Int(1)) => Some(true),
            _ => None,
        }
    }

    /// Returns the result of a primitive on values, if they are known and it has one.
    pub(super) fn fold_nodes(&mut self, primitive: Primitive, nodes: &[NodeId]) -> Option<Lit> {
        let literal = |&node| match self.heap.get(node).value {
            AbstractValue::Lit(lit) => Some(lit),
            _ => None,
        };
        let lits: Vec<Lit> = nodes.iter().map(literal).collect::<Option<_>>()?;
        self.fold(primitive, &lits)
    }

    /// Returns the result of a primitive on literals, if it has one.
    pub(super) fn fold(&mut self, primitive: Primitive, lits: &[Lit]) -> Option<Lit> {
        let mut operands = lits.iter().copied();
        let mut operand = || operands.next().unwrap_or(Lit::Int(0));
        let (a, b) = (operand(), operand());
        match primitive {
            Primitive::Eq
            | Primitive::Neq
            | Primitive::Lt
            | Primitive::Le
            | Primitive::Gt
            | Primitive::Ge => self.compare(primitive, a, b),
            Primitive::Ord => match a {
                Lit::Char(c) => Some(Lit::Int(i64::from(u32::from(c)))),
                _ => None,
            },
            Primitive::Chr => {
                let code = u32::try_from(self.integer(a)?.to_i64()?).ok()?;
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
            | Primitive::Negate => self.arithmetic(primitive, a, b),
            _ => self.numeric(primitive, lits),
        }
    }

    fn compare(&self, primitive: Primitive, a: Lit, b: Lit) -> Option<Lit> {
        let order = match (a, b) {
            (Lit::Char(a), Lit::Char(b)) => a.cmp(&b),
            _ => self.integer(a)?.cmp(&self.integer(b)?),
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

    fn arithmetic(&mut self, primitive: Primitive, a: Lit, b: Lit) -> Option<Lit> {
        let a = self.integer(a)?;
        let b = self.integer(b)?;
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
        Some(self.integer_literal(result))
    }

    /// Returns what the machines compute for a primitive on bits, words or floats.
    fn numeric(&mut self, primitive: Primitive, lits: &[Lit]) -> Option<Lit> {
        let integers: Vec<Option<Integer>> = lits.iter().map(|&lit| self.integer(lit)).collect();
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
            Computed::Integer(value) => Some(self.integer_literal(value)),
            Computed::Float(value) => Some(Lit::Float(value)),
            Computed::Char(value) => Some(Lit::Char(value)),
            Computed::Bytes(_) | Computed::Part { .. } => None,
        }
    }

    fn integer_literal(&mut self, value: Integer) -> Lit {
        match value {
            Integer::Small(value) => Lit::Int(value),
            big @ Integer::Big(_) => {
                let bigs = &mut self.new.bigs;
                Lit::Big(*self.bigs.entry(big).or_insert_with_key(|big| bigs.push(big.clone())))
            }
        }
    }

    /// Returns the first cell of a text that is not empty.
    pub(super) fn uncons(&mut self, text: TextId, at: u32) -> (ConId, List<NodeId>) {
        let rest = self.new.texts[text].get(at as usize..).unwrap_or_default();
        let Some(first) = rest.chars().next() else {
            return (NIL, self.heap.list([]));
        };
        let after = first.len_utf8();
        let is_last = rest.len() == after;
        let head = self.heap.add(AbstractValue::Lit(Lit::Char(first)));
        let tail = match is_last {
            true => {
                let none = self.heap.list([]);
                AbstractValue::Con(NIL, none)
            }
            false => AbstractValue::Text(text, at + after as u32),
        };
        let tail = self.heap.add(tail);
        (CONS, self.heap.list([head, tail]))
    }
}

//! Arithmetic and comparison.

use std::cmp::Ordering;

use super::heap::node::{Addr, BIG_BYTES, Node};
use super::state::Machine;
use crate::base::allocation::{Full, is_available};
use crate::base::integer::Integer;
use crate::gcode::instr::Op;
use crate::machine::failure::Failure;
use crate::machine::outcome::Stop;
use crate::primitive::Primitive;
use crate::primitive::numbers::{self, Computed, Fault};

/// For a result of more bytes the system is asked first whether it has them.
const PROBED: u64 = 1 << 20;

/// An integer in a node: a word by value, anything larger in place.
enum Number<'a> {
    Word(Integer),
    Large(&'a Integer),
}

impl std::ops::Deref for Number<'_> {
    type Target = Integer;
    fn deref(&self) -> &Integer {
        match self {
            Number::Word(word) => word,
            Number::Large(large) => large,
        }
    }
}

impl Machine {
    fn number(&self, addr: Addr) -> Option<Number<'_>> {
        match self.heap.get(self.heap.value(addr)) {
            Node::Int(word) => Some(Number::Word(Integer::Small(*word))),
            Node::Big(large) => Some(Number::Large(large)),
            _ => None,
        }
    }

    /// `<Op : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x op y)]>`
    ///
    /// for `Add Sub Mul Div Rem FloorDiv Mod`.
    pub(super) fn arithmetic(&mut self, op: Op) -> Result<(), Stop> {
        let (a, b) = (self.item(0), self.item(1));
        let bytes = match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => result_bytes(op, &x, &y),
            (None, _) => return Err(self.wrong_operand(op, "an integer", "first", a)),
            (_, None) => return Err(self.wrong_operand(op, "an integer", "second", b)),
        };
        // What the result may need is asked for before it is computed.
        self.reserve(1, bytes)?;
        let (a, b) = (self.item(0), self.item(1));
        let result = match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => match op {
                Op::Add => Some(x.add(&y)),
                Op::Sub => Some(x.sub(&y)),
                Op::Mul => Some(self.or_interrupt(|poll| x.mul_until(&y, poll))?),
                Op::Div => self.or_interrupt(|poll| x.div_until(&y, poll))?,
                Op::Rem => self.or_interrupt(|poll| x.rem_until(&y, poll))?,
                Op::FloorDiv => self.or_interrupt(|poll| x.floor_div_until(&y, poll))?,
                _ => self.or_interrupt(|poll| x.modulo_until(&y, poll))?,
            },
            _ => None,
        };
        let Some(result) = result else {
            return Err(self.fail(Failure::division_by_zero(op.name())));
        };
        let addr = self.heap.alloc(Node::integer(result));
        self.replace(2, addr);
        Ok(())
    }

    /// `<Neg : i, a : s, d, h[a: NNum x]>  =>  <i, b : s, d, h[b: NNum (-x)]>`
    pub(super) fn negate(&mut self) -> Result<(), Stop> {
        let a = self.item(0);
        let Some(bytes) = self.number(a).map(|x| result_bytes(Op::Sub, &Integer::ZERO, &x)) else {
            return Err(self.wrong_operand(Op::Neg, "an integer", "only", a));
        };
        self.reserve(1, bytes)?;
        let result = self.number(self.item(0)).map_or(Integer::ZERO, |x| x.negate());
        let addr = self.heap.alloc(Node::integer(result));
        self.replace(1, addr);
        Ok(())
    }

    /// `<Op : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x op y)]>`
    ///
    /// for `Eq Ne Lt Le Gt Ge`, and the same for two characters.
    pub(super) fn compare(&mut self, op: Op) -> Result<(), Stop> {
        self.reserve(1, 0)?;
        let (a, b) = (self.item(0), self.item(1));
        let (x, y) = (self.heap.get(self.heap.value(a)), self.heap.get(self.heap.value(b)));
        let order = match (x, y) {
            (Node::Char(x), Node::Char(y)) => x.cmp(y),
            _ => match (self.number(a), self.number(b)) {
                (Some(x), Some(y)) => x.cmp(&y),
                _ => return Err(self.incomparable(op, a, b)),
            },
        };
        let holds = match op {
            Op::Eq => order == Ordering::Equal,
            Op::Ne => order != Ordering::Equal,
            Op::Lt => order == Ordering::Less,
            Op::Le => order != Ordering::Greater,
            Op::Gt => order == Ordering::Greater,
            _ => order != Ordering::Less,
        };
        let addr = self.heap.alloc(Node::Int(holds.into()));
        self.replace(2, addr);
        Ok(())
    }

    /// `<Unary p : i, a : s, d, h[a: number x]>  =>  <i, b : s, d, h[b: number (p x)]>`
    ///
    /// `<Binary p : i, a : b : s, d, h[a: number x, b: number y]>  =>  <i, c : s, d, h[c: number (p x y)]>`
    pub(super) fn compute(&mut self, primitive: Primitive) -> Result<(), Stop> {
        if let Some(done) = self.aggregate(primitive) {
            return done;
        }
        let arity = primitive.arity();
        let bytes = self.with_numbers(arity, |numbers| numbers::bytes(primitive, numbers));
        if bytes > PROBED && !is_available(bytes) {
            return Err(self.too_large(bytes));
        }
        self.reserve(1, if bytes == 0 { 0 } else { BIG_BYTES + bytes })?;
        let result = self.with_numbers(arity, |numbers| numbers::compute(primitive, numbers));
        let node = match result {
            Ok(Computed::Integer(value)) => Node::integer(value),
            Ok(Computed::Float(value)) => Node::Float(value),
            Ok(Computed::Char(value)) => Node::Char(value),
            Ok(Computed::Bytes(bytes)) => return self.put_bytes(arity, &bytes),
            Ok(Computed::Part { from, len }) => return self.put_part(arity, from, len),
            Err(fault) => return Err(self.no_result(primitive, fault)),
        };
        let addr = self.heap.alloc(node);
        self.replace(arity, addr);
        Ok(())
    }

    /// Returns what stops a run whose result would take so many bytes, which nobody has.
    pub(super) fn too_large(&self, bytes: u64) -> Stop {
        let is_beyond = self.heap.limit.is_some_and(|limit| bytes > limit);
        self.out_of_memory(if is_beyond { Full::Limit } else { Full::System })
    }

    /// Hands on the numbers on top of the stack, the first one topmost, up to the first that is
    /// none.
    fn with_numbers<R>(&self, count: usize, then: impl FnOnce(&[numbers::Number<'_>]) -> R) -> R {
        let words = [0, 1].map(|at| match count > at {
            true => self.number(self.item(at)),
            false => None,
        });
        let mut operands = Vec::with_capacity(count);
        for (at, integer) in words.iter().enumerate().take(count) {
            match (integer, self.heap.get(self.heap.value(self.item(at)))) {
                (Some(integer), _) => operands.push(numbers::Number::Integer(integer)),
                (None, Node::Float(value)) => operands.push(numbers::Number::Float(*value)),
                (None, Node::Bytes(bytes)) => operands.push(numbers::Number::Bytes(bytes)),
                (None, _) => break,
            }
        }
        then(&operands)
    }

    fn no_result(&self, primitive: Primitive, fault: Fault) -> Stop {
        let name = primitive.name();
        match fault {
            Fault::Kind(at) => self.wrong_kind(primitive, at),
            Fault::NoInteger => self.fail(Failure::no_integer(name, &self.describe(self.item(0)))),
            Fault::Negative(at) => {
                self.fail(Failure::negative_operand(name, &self.describe(self.item(at))))
            }
            Fault::Index(len) => {
                self.fail(Failure::no_element(name, &self.describe(self.item(1)), len))
            }
            Fault::NoText | Fault::NoNumber => self.fail(Failure::not_encoded(name)),
            Fault::TooLarge => self.too_large(u64::MAX),
        }
    }

    /// `<Ord : i, a : s, d, h[a: NChar c]>  =>  <i, b : s, d, h[b: NNum (ord c)]>`
    pub(super) fn ord(&mut self) -> Result<(), Stop> {
        self.reserve(1, 0)?;
        let a = self.item(0);
        let Node::Char(c) = *self.heap.get(self.heap.value(a)) else {
            return Err(self.wrong_operand(Op::Ord, "a character", "only", a));
        };
        let addr = self.heap.alloc(Node::Int(i64::from(u32::from(c))));
        self.replace(1, addr);
        Ok(())
    }

    /// `<Chr : i, a : s, d, h[a: NNum n]>, n a code point  =>  <i, b : s, d, h[b: NChar (chr n)]>`
    pub(super) fn chr(&mut self) -> Result<(), Stop> {
        self.reserve(1, 0)?;
        let a = self.item(0);
        let Some(code) = self.number(a).map(|n| n.to_i64()) else {
            return Err(self.wrong_operand(Op::Chr, "an integer", "only", a));
        };
        let c = code.and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32);
        let Some(c) = c else {
            return Err(self.fail(Failure::no_character(&self.describe(a))));
        };
        let addr = self.heap.alloc(Node::Char(c));
        self.replace(1, addr);
        Ok(())
    }

    pub(super) fn wrong_operand(&self, op: Op, needs: &str, which: &str, operand: Addr) -> Stop {
        self.fail(Failure::wrong_operand(op.name(), needs, which, &self.describe(operand)))
    }

    fn incomparable(&self, op: Op, a: Addr, b: Addr) -> Stop {
        self.fail(Failure::incomparable(op.name(), &self.describe(a), &self.describe(b)))
    }
}

/// Returns the bytes that an operation may need while it runs; 0 for words, which cannot overflow
/// far.
fn result_bytes(op: Op, x: &Integer, y: &Integer) -> u64 {
    if let (Integer::Small(_), Integer::Small(_)) = (x, y) {
        return 0;
    }
    let bytes = match op {
        Op::Add | Op::Sub => x.sum_bytes(y),
        Op::Mul => x.product_bytes(y),
        _ => x.quotient_bytes(y),
    };
    BIG_BYTES + bytes as u64
}

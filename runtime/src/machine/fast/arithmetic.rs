//! The slow paths of arithmetic and comparison: operands that are not evaluated, large, or no
//! integers.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::code::instr::{Dst, Forced, Op, Pc};
use super::code::program::Commuted;
use super::state::Machine;
use crate::base::integer::Integer;
use crate::base::limbs::{Limbs, MAX_LIMBS, Rounding, Written};
use crate::machine::failure::Failure;
use crate::machine::heap::word::{Tag, View, Word};
use crate::machine::heap::{Kind, compute_words};
use crate::machine::outcome::Stop;
use crate::primitive::Primitive;

impl Machine {
    /// Returns the large integer that an evaluated word leads to, if it does.
    pub(super) fn as_big(&self, word: Word) -> Option<Cow<'_, Integer>> {
        if word.view() != View::Node(Tag::Value) {
            return None;
        }
        // SAFETY: it is a pointer.
        unsafe { self.heap.integer(word) }
    }

    /// Returns the integer that an evaluated word is, if it is one.
    pub(super) fn number(&self, word: Word) -> Option<Cow<'_, Integer>> {
        match word.view() {
            View::Int(small) => Some(Cow::Owned(Integer::Small(small))),
            _ => self.as_big(word),
        }
    }

    /// Returns whether an evaluated word is an integer.
    #[inline]
    pub(super) fn is_integer(&self, word: Word) -> bool {
        match word.view() {
            View::Int(_) => true,
            View::Node(Tag::Value) => {
                // SAFETY: it is a pointer.
                matches!(unsafe { self.heap.header(word) }.kind(), Kind::Big | Kind::Huge)
            }
            _ => false,
        }
    }

    /// Returns the integer that an evaluated word is, if it is one of a few limbs; `limb` is for
    /// those of a word. Looked at before the next collection.
    #[inline]
    fn limbs<'a>(&'a self, word: Word, limb: &'a mut [u64; 1]) -> Option<Limbs<'a>> {
        if word.is_int() {
            return Some(Limbs::of(word.as_int(), limb));
        }
        self.big_limbs(word)
    }

    /// Returns the [`limbs`](Machine::limbs) of an integer that does not fit a word.
    #[inline]
    pub(super) fn big_limbs(&self, word: Word) -> Option<Limbs<'_>> {
        // SAFETY: it is a pointer.
        let is_big =
            word.is_value_pointer() && unsafe { self.heap.header(word) }.kind() == Kind::Big;
        // SAFETY: it leads to such a node.
        is_big.then(|| unsafe { self.heap.limbs(word) })
    }

    /// Evaluates the first of two operands that is not evaluated; `false` if both are.
    pub(super) fn force_one(&mut self, a: Forced, b: Forced) -> Result<bool, Stop> {
        for operand in [a, b] {
            if !self.slot(operand.0).is_evaluated() {
                self.force(operand)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sets `d` to `a op b`.
    pub(super) fn arithmetic(&mut self, op: Op, d: Dst, a: Forced, b: Forced) -> Result<(), Stop> {
        if self.force_one(a, b)? {
            return Ok(());
        }
        let (x, y) = (self.slot(a.0), self.slot(b.0));
        self.compute(op, d, x, y)
    }

    /// Sets `d` to `a op k`.
    pub(super) fn arithmetic_with(
        &mut self,
        op: Op,
        d: Dst,
        a: Forced,
        k: i32,
    ) -> Result<(), Stop> {
        let x = self.slot(a.0);
        if !x.is_evaluated() {
            return self.force(a);
        }
        if op == Op::MulInt
            && let Some(p) = self.big_limbs(x)
        {
            let limbs = p.magnitude.len() + 1;
            return self.write(d, [x, Word::ZERO], limbs, 0, |[p, _], out, _| {
                p.product_with(i64::from(k), out)
            });
        }
        let k = Word::int(i64::from(k)).unwrap_or(Word::ZERO);
        match op {
            Op::AddInt | Op::MulInt | Op::AddI64Int if !self.is_integer(x) => {
                let plain = match op {
                    Op::MulInt => Primitive::Mul,
                    Op::AddInt => Primitive::Add,
                    _ => Primitive::AddI64,
                };
                let (name, which) = match self.mutator.image.commuted(self.at()) {
                    Some(Commuted { primitive, constant_first: true }) => {
                        (primitive.name(), "second")
                    }
                    Some(Commuted { primitive, constant_first: false }) => {
                        (primitive.name(), "first")
                    }
                    None => (plain.name(), "first"),
                };
                Err(self.wrong_operand(name, "an integer", which, x))
            }
            Op::AddInt => self.compute(Op::Add, d, x, k),
            Op::AddI64Int => self.binary_on(Primitive::AddI64, d, x, k),
            Op::SubFrom => self.compute(Op::Sub, d, k, x),
            Op::MulInt => self.compute(Op::Mul, d, x, k),
            Op::DivInt => self.compute(Op::Div, d, x, k),
            Op::RemInt => self.compute(Op::Rem, d, x, k),
            Op::FloorDivInt => self.compute(Op::FloorDiv, d, x, k),
            _ => self.compute(Op::Mod, d, x, k),
        }
    }

    #[inline]
    fn compute(&mut self, op: Op, d: Dst, x: Word, y: Word) -> Result<(), Stop> {
        let (mut first, mut second) = ([0], [0]);
        if let (Some(p), Some(q)) = (self.limbs(x, &mut first), self.limbs(y, &mut second)) {
            let is_division = !matches!(op, Op::Add | Op::Sub | Op::Mul);
            if !is_division || !p.division_is_long(q) {
                let Some((limbs, work)) = limbs_of(op, p, q) else {
                    return Err(self.division_by_zero(op));
                };
                return self.write(d, [x, y], limbs, work, |[p, q], out, work| {
                    write_to(op, p, q, out, work)
                });
            }
        }
        self.compute_integers(op, d, x, y)
    }

    /// Sets `d` to the integer that `operation` computes from two operands, with that many limbs
    /// for it and for working copies. The operands are integers of a few limbs.
    #[inline]
    fn write(
        &mut self,
        d: Dst,
        operands: [Word; 2],
        limbs: usize,
        work: usize,
        operation: impl FnOnce([Limbs<'_>; 2], &mut [u64], &mut [u64]) -> Written,
    ) -> Result<(), Stop> {
        let words = compute_words(limbs, work);
        if !self.heap.fits(words) {
            // The words may move: the instruction is executed again.
            return self.collect_for(words);
        }
        // SAFETY: there is room, and the operands are what it takes.
        let word = unsafe { self.heap.compute(operands, limbs, work, operation) };
        self.set_slot(d.0, word);
        self.advance();
        Ok(())
    }

    fn division_by_zero(&self, op: Op) -> Stop {
        self.fail(Failure::division_by_zero(op.name()))
    }

    /// Sets `d` to `x op y`, if they are integers.
    fn compute_integers(&mut self, op: Op, d: Dst, x: Word, y: Word) -> Result<(), Stop> {
        let (Some(p), Some(q)) = (self.number(x), self.number(y)) else {
            let (which, operand) = if self.is_integer(x) { ("second", y) } else { ("first", x) };
            return Err(self.wrong_operand(op.name(), "an integer", which, operand));
        };
        let (p, q) = (&*p, &*q);
        let bytes = match op {
            _ if p.to_i64().is_some() && q.to_i64().is_some() => 0,
            Op::Add | Op::Sub => p.sum_bytes(q),
            Op::Mul => p.product_bytes(q),
            _ => p.quotient_bytes(q),
        } as u64;
        // Only a result of few limbs has them in its node; none has more than these and both.
        let limbs = p.limbs().max(q.limbs()) + 1;
        let words = 1 + limbs.clamp(2, MAX_LIMBS);
        if !self.heap.fits(words) || !self.heap.can_grow(bytes) {
            // The words may have moved: the instruction is executed again.
            return self.collect_for_bytes(words, bytes);
        }
        let result = match op {
            Op::Add => Some(p.add(q)),
            Op::Sub => Some(p.sub(q)),
            Op::Mul => Some(self.or_interrupt(|poll| p.mul_until(q, poll))?),
            Op::Div => self.or_interrupt(|poll| p.div_until(q, poll))?,
            Op::Rem => self.or_interrupt(|poll| p.rem_until(q, poll))?,
            Op::FloorDiv => self.or_interrupt(|poll| p.floor_div_until(q, poll))?,
            _ => self.or_interrupt(|poll| p.modulo_until(q, poll))?,
        };
        let Some(result) = result else {
            return Err(self.division_by_zero(op));
        };
        // SAFETY: there is room.
        let word = unsafe { self.heap.int(result) };
        self.set_slot(d.0, word);
        self.advance();
        Ok(())
    }

    /// Sets `d` to `-a`.
    pub(super) fn negate(&mut self, d: Dst, a: Forced) -> Result<(), Stop> {
        let x = self.slot(a.0);
        if !x.is_evaluated() {
            return self.force(a);
        }
        if !self.is_integer(x) {
            return Err(self.wrong_operand(Op::Neg.name(), "an integer", "only", x));
        }
        self.compute(Op::Sub, d, Word::ZERO, x)
    }

    /// Sets `d` to the code point of `a`.
    pub(super) fn ord(&mut self, d: Dst, a: Forced) -> Result<(), Stop> {
        let x = self.slot(a.0);
        if !x.is_evaluated() {
            return self.force(a);
        }
        let View::Char(c) = x.view() else {
            return Err(self.wrong_operand(Op::Ord.name(), "a character", "only", x));
        };
        self.set_slot(d.0, Word::int(i64::from(u32::from(c))).unwrap_or(Word::ZERO));
        self.advance();
        Ok(())
    }

    /// Sets `d` to the character of the code point `a`.
    pub(super) fn chr(&mut self, d: Dst, a: Forced) -> Result<(), Stop> {
        let x = self.slot(a.0);
        if !x.is_evaluated() {
            return self.force(a);
        }
        let Some(n) = self.number(x) else {
            return Err(self.wrong_operand(Op::Chr.name(), "an integer", "only", x));
        };
        let code = n.to_i64().and_then(|code| u32::try_from(code).ok());
        let Some(c) = code.and_then(char::from_u32) else {
            return Err(self.fail(Failure::no_character(&self.describe(x))));
        };
        self.set_slot(d.0, Word::char(c));
        self.advance();
        Ok(())
    }

    /// Returns whether `x op y`, of two evaluated words.
    fn holds(&self, op: Op, x: Word, y: Word) -> Result<bool, Stop> {
        let order = match (x.view(), y.view()) {
            (View::Char(x), View::Char(y)) => x.cmp(&y),
            _ => match (self.limbs(x, &mut [0]), self.limbs(y, &mut [0])) {
                (Some(x), Some(y)) => x.cmp(&y),
                _ => match (self.number(x), self.number(y)) {
                    (Some(x), Some(y)) => x.cmp(&y),
                    _ => return Err(self.incomparable(op.name(), x, y)),
                },
            },
        };
        Ok(match op {
            Op::Eq => order == Ordering::Equal,
            Op::Ne => order != Ordering::Equal,
            Op::Lt => order == Ordering::Less,
            Op::Le => order != Ordering::Greater,
            Op::Gt => order == Ordering::Greater,
            _ => order != Ordering::Less,
        })
    }

    /// Sets `d` to 1 if `a op b`, else to 0.
    pub(super) fn compare_into(
        &mut self,
        op: Op,
        d: Dst,
        a: Forced,
        b: Forced,
    ) -> Result<(), Stop> {
        if self.force_one(a, b)? {
            return Ok(());
        }
        let holds = self.holds(op, self.slot(a.0), self.slot(b.0))?;
        self.set_slot(d.0, Word::boolean(holds));
        self.advance();
        Ok(())
    }

    /// Jumps to `to` unless `a op b`.
    pub(super) fn compare_and_jump(
        &mut self,
        op: Op,
        a: Forced,
        b: Forced,
        to: Pc,
    ) -> Result<(), Stop> {
        if self.force_one(a, b)? {
            return Ok(());
        }
        let holds = self.holds(op, self.slot(a.0), self.slot(b.0))?;
        if holds {
            self.advance()
        } else {
            self.go_to(to)
        }
        Ok(())
    }

    /// Jumps to `to` unless `a op k`.
    pub(super) fn compare_with_and_jump(
        &mut self,
        op: Op,
        a: Forced,
        k: Word,
        to: Pc,
    ) -> Result<(), Stop> {
        let x = self.slot(a.0);
        if !x.is_evaluated() {
            return self.force(a);
        }
        let holds =
            self.holds(op, x, k).map_err(|stop| match self.mutator.image.commuted(self.at()) {
                Some(commuted) => self.incomparable(commuted.primitive.name(), k, x),
                None => stop,
            })?;
        if holds {
            self.advance()
        } else {
            self.go_to(to)
        }
        Ok(())
    }

    /// Evaluates the operand of an `Unless` that is neither 1 nor 0, or fails if it is evaluated.
    pub(super) fn condition(&mut self, a: Forced) -> Result<(), Stop> {
        let x = self.slot(a.0);
        if !x.is_evaluated() {
            return self.force(a);
        }
        Err(self.fail(Failure::no_condition(&self.describe(x))))
    }

    pub(super) fn wrong_operand(
        &self,
        name: &str,
        needs: &str,
        which: &str,
        operand: Word,
    ) -> Stop {
        self.fail(Failure::wrong_operand(name, needs, which, &self.describe(operand)))
    }

    fn incomparable(&self, name: &str, a: Word, b: Word) -> Stop {
        self.fail(Failure::incomparable(name, &self.describe(a), &self.describe(b)))
    }
}

/// Returns the limbs that `p op q` takes, and those of working copies; `None` if it divides by 0.
#[inline]
fn limbs_of(op: Op, p: Limbs<'_>, q: Limbs<'_>) -> Option<(usize, usize)> {
    match op {
        Op::Add | Op::Sub => Some((p.sum_limbs(q), 0)),
        Op::Mul => Some((p.product_limbs(q), p.product_work(q))),
        _ if q.magnitude.is_empty() => None,
        _ => Some((p.division_limbs(q), p.division_work())),
    }
}

/// Writes `p op q`.
#[inline]
fn write_to(op: Op, p: Limbs<'_>, q: Limbs<'_>, out: &mut [u64], work: &mut [u64]) -> Written {
    match op {
        Op::Add => p.sum(q, out),
        Op::Sub => p.sum(q.negated(), out),
        Op::Mul => p.product(q, out, work),
        Op::Div => p.quotient(q, Rounding::Truncate, out, work),
        Op::Rem => p.remainder(q, Rounding::Truncate, out, work),
        Op::FloorDiv => p.quotient(q, Rounding::Floor, out, work),
        _ => p.remainder(q, Rounding::Floor, out, work),
    }
}

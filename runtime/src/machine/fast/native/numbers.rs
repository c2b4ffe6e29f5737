//! Native code of instructions on numbers and characters.
//!
//! Integers are worked on as words, which are twice the number, as in `execute.rs`.

use super::super::code::instr::{Dst, Forced, Instr, Pc};
use super::assembler::{Alu, FloatOp, If, Label, Reg, Shift, Xmm};
use super::compile::{Compiler, FRAME, OTHER, SCRATCH};
use super::state::Fact;
use crate::base::float::Float;
use crate::machine::heap::word::{FLOAT, FLOAT_BASE, Word};
use crate::primitive::Primitive;

/// What an instruction computes, and a constant that it has.
const RESULT: Xmm = Xmm(0);
const K: Xmm = Xmm(1);

/// What a division gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Division {
    Quotient,
    Remainder,
    FloorQuotient,
    FloorRemainder,
}

impl Compiler<'_> {
    /// Writes an instruction on numbers; `false` if it is none, or has no code of its own.
    pub(super) fn numbers(&mut self, instr: Instr) -> bool {
        use Instr as I;
        match instr {
            I::Add { d, a, b } | I::AddI64 { d, a, b } => self.sum(Alu::Add, d, a, b),
            I::Sub { d, a, b } | I::SubI64 { d, a, b } => self.sum(Alu::Sub, d, a, b),
            I::Mul { d, a, b } | I::MulI64 { d, a, b } => self.product(d, a, b),
            I::Div { d, a, b } => self.divide(d, a, b, Division::Quotient),
            I::Rem { d, a, b } => self.divide(d, a, b, Division::Remainder),
            I::FloorDiv { d, a, b } => self.divide(d, a, b, Division::FloorQuotient),
            I::Mod { d, a, b } => self.divide(d, a, b, Division::FloorRemainder),
            I::AddInt { d, a, k } | I::AddI64Int { d, a, k } => self.sum_with(d, a, k),
            I::SubFrom { d, a, k } => self.difference_from(d, a, k),
            I::MulInt { d, a, k } => self.product_with(d, a, k),
            I::DivInt { d, a, k } => return self.divide_by(d, a, k, Division::Quotient),
            I::RemInt { d, a, k } => return self.divide_by(d, a, k, Division::Remainder),
            I::FloorDivInt { d, a, k } => return self.divide_by(d, a, k, Division::FloorQuotient),
            I::ModInt { d, a, k } => return self.divide_by(d, a, k, Division::FloorRemainder),
            I::Neg { d, a } => self.negative(d, a),
            I::Ord { d, a } => self.ord(d, a),
            I::Eq { d, a, b } => self.compare(d, a, b, If::Equal),
            I::Ne { d, a, b } => self.compare(d, a, b, If::NotEqual),
            I::Lt { d, a, b } => self.compare(d, a, b, If::Less),
            I::Le { d, a, b } => self.compare(d, a, b, If::NotGreater),
            I::Gt { d, a, b } => self.compare(d, a, b, If::Greater),
            I::Ge { d, a, b } => self.compare(d, a, b, If::NotLess),

            I::FAdd { d, a, b } => self.floats(FloatOp::Add, d, a, b),
            I::FSub { d, a, b } => self.floats(FloatOp::Sub, d, a, b),
            I::FMul { d, a, b } => self.floats(FloatOp::Mul, d, a, b),
            I::FDiv { d, a, b } => self.floats(FloatOp::Div, d, a, b),
            I::FAddConst { d, a, k } => self.float_with(FloatOp::Add, d, a, k),
            I::FSubConst { d, a, k } => self.float_with(FloatOp::Sub, d, a, k),
            I::FMulConst { d, a, k } => self.float_with(FloatOp::Mul, d, a, k),
            I::FDivConst { d, a, k } => self.float_with(FloatOp::Div, d, a, k),
            I::FSubFrom { d, a, k } => self.float_from(FloatOp::Sub, d, a, k),
            I::FDivInto { d, a, k } => self.float_from(FloatOp::Div, d, a, k),

            I::UnlessEq { a, b, to } => self.unless(a, b, If::Equal, to),
            I::UnlessNe { a, b, to } => self.unless(a, b, If::NotEqual, to),
            I::UnlessLt { a, b, to } => self.unless(a, b, If::Less, to),
            I::UnlessLe { a, b, to } => self.unless(a, b, If::NotGreater, to),
            I::UnlessGt { a, b, to } => self.unless(a, b, If::Greater, to),
            I::UnlessGe { a, b, to } => self.unless(a, b, If::NotLess, to),
            I::UnlessEqInt { a, k, to } => self.unless_int(a, k, If::Equal, to),
            I::UnlessNeInt { a, k, to } => self.unless_int(a, k, If::NotEqual, to),
            I::UnlessLtInt { a, k, to } => self.unless_int(a, k, If::Less, to),
            I::UnlessLeInt { a, k, to } => self.unless_int(a, k, If::NotGreater, to),
            I::UnlessGtInt { a, k, to } => self.unless_int(a, k, If::Greater, to),
            I::UnlessGeInt { a, k, to } => self.unless_int(a, k, If::NotLess, to),
            I::UnlessEqChar { a, k, to } => self.unless_char(a, k, If::Equal, to),
            I::UnlessNeChar { a, k, to } => self.unless_char(a, k, If::NotEqual, to),
            I::UnlessLtChar { a, k, to } => self.unless_char(a, k, If::Less, to),
            I::UnlessLeChar { a, k, to } => self.unless_char(a, k, If::NotGreater, to),
            I::UnlessGtChar { a, k, to } => self.unless_char(a, k, If::Greater, to),
            I::UnlessGeChar { a, k, to } => self.unless_char(a, k, If::NotLess, to),
            I::UnlessFloat { a, b, op, to } => {
                let (x, y) = self.read_floats(a, b);
                self.unless_floats(op, x, y, to);
            }
            I::UnlessFloatConst { a, k, op, to } => {
                let x = self.read_float(a, None);
                self.float_constant(K, k);
                self.unless_floats(op, x, K, to);
            }
            I::Unless { a, to } => self.unless_true(a, to),
            _ => return false,
        }
        true
    }

    fn sum(&mut self, op: Alu, d: Dst, a: Forced, b: Forced) {
        let (x, y) = self.read_ints(a, b);
        let (result, leave) = (self.fresh(), self.leave());
        self.asm.copy(result, x);
        self.asm.alu(op, result, y);
        self.asm.jump_if(If::Overflow, leave);
        self.write(d, result, Some(Fact::Int));
    }

    fn product(&mut self, d: Dst, a: Forced, b: Forced) {
        let (x, y) = self.read_ints(a, b);
        let (result, leave) = (self.fresh(), self.leave());
        self.asm.copy(result, x);
        self.asm.shift(Shift::Arithmetic, result, 1);
        self.asm.multiply(result, y);
        self.asm.jump_if(If::Overflow, leave);
        self.write(d, result, Some(Fact::Int));
    }

    /// `result`, a register with an integer's word, becomes its sum with a constant, or is left.
    pub(super) fn add_constant(&mut self, result: Reg, k: i32) {
        let leave = self.leave();
        match k.checked_mul(2) {
            Some(twice) => self.asm.alu_constant(Alu::Add, result, twice),
            None => {
                self.asm.constant(SCRATCH, Word::of_i32(k).bits());
                self.asm.alu(Alu::Add, result, SCRATCH);
            }
        }
        self.asm.jump_if(If::Overflow, leave);
    }

    fn sum_with(&mut self, d: Dst, a: Forced, k: i32) {
        let x = self.read_int(a);
        let result = self.fresh();
        self.asm.copy(result, x);
        self.add_constant(result, k);
        self.write(d, result, Some(Fact::Int));
    }

    fn difference_from(&mut self, d: Dst, a: Forced, k: i32) {
        let x = self.read_int(a);
        let (result, leave) = (self.fresh(), self.leave());
        self.asm.constant(result, Word::of_i32(k).bits());
        self.asm.alu(Alu::Sub, result, x);
        self.asm.jump_if(If::Overflow, leave);
        self.write(d, result, Some(Fact::Int));
    }

    fn product_with(&mut self, d: Dst, a: Forced, k: i32) {
        let x = self.read_int(a);
        let (result, leave) = (self.fresh(), self.leave());
        self.asm.multiply_constant(result, x, k);
        self.asm.jump_if(If::Overflow, leave);
        self.write(d, result, Some(Fact::Int));
    }

    fn negative(&mut self, d: Dst, a: Forced) {
        let x = self.read_int(a);
        let (result, leave) = (self.fresh(), self.leave());
        self.asm.copy(result, x);
        self.asm.negate(result);
        self.asm.jump_if(If::Overflow, leave);
        self.write(d, result, Some(Fact::Int));
    }

    /// Divides by what is in a slot, if that is positive.
    fn divide(&mut self, d: Dst, a: Forced, b: Forced, what: Division) {
        let (x, y) = self.read_ints(a, b);
        let leave = self.leave();
        self.asm.alu_constant(Alu::Cmp, y, 0);
        self.asm.jump_if(If::NotGreater, leave);
        self.quotient(d, x, y, what);
    }

    fn divide_by(&mut self, d: Dst, a: Forced, k: i32, what: Division) -> bool {
        if k <= 0 {
            return false;
        }
        let x = self.read_int(a);
        let result = self.fresh();
        match what {
            // Both are those of twos complement.
            Division::FloorQuotient if k.count_ones() == 1 => {
                self.asm.copy(result, x);
                self.asm.shift(Shift::Arithmetic, result, k.trailing_zeros() as u8 + 1);
                self.asm.alu(Alu::Add, result, result);
                self.write(d, result, Some(Fact::Int));
            }
            Division::FloorRemainder if k.count_ones() == 1 && k < 1 << 30 => {
                self.asm.copy(result, x);
                self.asm.alu_constant(Alu::And, result, 2 * k - 1);
                self.write(d, result, Some(Fact::Int));
            }
            _ => {
                self.asm.constant(result, Word::of_i32(k).bits());
                self.quotient(d, x, result, what);
            }
        }
        true
    }

    /// Sets `d` to what the division of `x` by `y`, which is positive, gives.
    fn quotient(&mut self, d: Dst, x: Reg, y: Reg, what: Division) {
        // The processor divides with the register of the frame.
        self.asm.copy(OTHER, FRAME);
        self.asm.copy(SCRATCH, x);
        self.asm.extend_sign();
        self.asm.divide(y);
        let result = self.fresh();
        if matches!(what, Division::FloorQuotient | Division::FloorRemainder) {
            // All ones if the remainder is negative.
            self.asm.copy(result, FRAME);
            self.asm.shift(Shift::Arithmetic, result, 63);
        }
        match what {
            Division::Quotient => self.asm.copy(result, SCRATCH),
            Division::Remainder => self.asm.copy(result, FRAME),
            Division::FloorQuotient => self.asm.alu(Alu::Add, result, SCRATCH),
            Division::FloorRemainder => {
                self.asm.alu(Alu::And, result, y);
                self.asm.alu(Alu::Add, result, FRAME);
            }
        }
        self.asm.copy(FRAME, OTHER);
        if matches!(what, Division::Quotient | Division::FloorQuotient) {
            // Twice it fits: the divisor is at least 1.
            self.asm.alu(Alu::Add, result, result);
        }
        self.write(d, result, Some(Fact::Int));
    }

    fn ord(&mut self, d: Dst, a: Forced) {
        let x = self.read(a.0);
        self.is_char(x, a);
        let result = self.fresh();
        self.asm.copy(result, x);
        self.asm.shift(Shift::Right, result, 32);
        self.asm.alu(Alu::Add, result, result);
        self.write(d, result, Some(Fact::Int));
    }

    /// Forces a slot, which a register has, if it has no character.
    pub(super) fn is_char(&mut self, x: Reg, a: Forced) {
        let lack = self.lack(&[a.0]);
        self.asm.compare_byte(x, Word::char('\0').bits() as u8);
        self.asm.jump_if(If::NotEqual, lack);
    }

    /// Compares two integers or two characters.
    fn relate(&mut self, a: Forced, b: Forced, condition: If) {
        let is_known = |of: Forced| self.state.fact(of.0) == Some(Fact::Int);
        // What is ordered is most often a number, and what is equal to something a character as well.
        if self.is_cheap
            || is_known(a)
            || is_known(b)
            || !matches!(condition, If::Equal | If::NotEqual)
        {
            let (x, y) = self.read_ints(a, b);
            return self.asm.alu(Alu::Cmp, x, y);
        }
        let (x, y) = (self.read(a.0), self.read(b.0));
        let back = self.asm.label();
        let characters = self.characters((x, y), [a.0, b.0], back);
        self.asm.copy(SCRATCH, x);
        self.asm.alu(Alu::Or, SCRATCH, y);
        self.asm.test_byte(SCRATCH, 1);
        self.asm.jump_if(If::NotEqual, characters);
        self.asm.place(back);
        self.asm.alu(Alu::Cmp, x, y);
    }

    fn compare(&mut self, d: Dst, a: Forced, b: Forced, condition: If) {
        self.relate(a, b, condition);
        let result = self.fresh();
        self.asm.set_if(result, condition);
        self.asm.alu(Alu::Add, result, result);
        self.write(d, result, Some(Fact::Int));
    }

    fn unless(&mut self, a: Forced, b: Forced, condition: If, to: Pc) {
        self.relate(a, b, condition);
        let target = self.target(to);
        self.asm.jump_if(condition.not(), target);
    }

    fn unless_int(&mut self, a: Forced, k: i32, condition: If, to: Pc) {
        let x = self.read_int(a);
        match k.checked_mul(2) {
            Some(twice) => self.asm.alu_constant(Alu::Cmp, x, twice),
            None => {
                self.asm.constant(SCRATCH, Word::of_i32(k).bits());
                self.asm.alu(Alu::Cmp, x, SCRATCH);
            }
        }
        let target = self.target(to);
        self.asm.jump_if(condition.not(), target);
    }

    fn unless_char(&mut self, a: Forced, k: char, condition: If, to: Pc) {
        let x = self.read(a.0);
        self.is_char(x, a);
        self.asm.copy(SCRATCH, x);
        self.asm.shift(Shift::Right, SCRATCH, 32);
        self.asm.alu_constant(Alu::Cmp, SCRATCH, k as i32);
        let target = self.target(to);
        self.asm.jump_if(condition.not(), target);
    }

    fn unless_true(&mut self, a: Forced, to: Pc) {
        let x = self.read(a.0);
        let lack = self.lack(&[a.0]);
        self.asm.alu_constant(Alu::Cmp, x, Word::ZERO.twice() as i32);
        let target = self.target(to);
        self.asm.jump_if(If::Equal, target);
        self.asm.alu_constant(Alu::Cmp, x, Word::ONE.twice() as i32);
        self.asm.jump_if(If::NotEqual, lack);
    }

    /// Jumps if a register, which is lost, has no float of a word.
    pub(super) fn not_float(&mut self, reg: Reg, to: Label) {
        self.asm.alu_constant(Alu::And, reg, FLOAT as i32);
        self.asm.alu_constant(Alu::Cmp, reg, FLOAT as i32);
        self.asm.jump_if(If::NotEqual, to);
    }

    /// Returns a register that has the float in a slot, and is not `busy`.
    fn read_float(&mut self, a: Forced, busy: Option<Xmm>) -> Xmm {
        if let Some(held) = self.state.float(a.0) {
            return held;
        }
        let x = self.read(a.0);
        if self.state.fact(a.0) != Some(Fact::Float) {
            let lack = self.lack(&[a.0]);
            self.asm.copy(SCRATCH, x);
            self.not_float(SCRATCH, lack);
            self.state.learn(a.0, Fact::Float);
        }
        let to = self.fresh_float(busy);
        self.asm.copy(SCRATCH, x);
        self.decode(to);
        self.state.hold_float(a.0, to);
        to
    }

    /// `to` becomes the float whose word the scratch register has: what `Word::as_float` does.
    pub(super) fn decode(&mut self, to: Xmm) {
        let is_zero = self.asm.label();
        self.asm.shift(Shift::Right, SCRATCH, 4);
        self.asm.alu_constant(Alu::Cmp, SCRATCH, 2);
        self.asm.jump_if(If::Below, is_zero);
        self.asm.constant(OTHER, FLOAT_BASE);
        self.asm.alu(Alu::Add, SCRATCH, OTHER);
        self.asm.place(is_zero);
        self.asm.shift(Shift::RotateRight, SCRATCH, 1);
        self.asm.float_of_bits(to, SCRATCH);
    }

    fn read_floats(&mut self, a: Forced, b: Forced) -> (Xmm, Xmm) {
        let x = self.read_float(a, None);
        (x, self.read_float(b, Some(x)))
    }

    fn float_constant(&mut self, to: Xmm, k: Float) {
        self.asm.constant(SCRATCH, k.get().to_bits());
        self.asm.float_of_bits(to, SCRATCH);
    }

    /// Writes a float, or leaves if it fits no word.
    fn write_float(&mut self, d: Dst, from: Xmm) {
        // What `Word::float` does.
        let result = self.fresh();
        let back = self.asm.label();
        let zero = self.encode_zero(result, back);
        self.asm.bits_of_float(result, from);
        self.asm.shift(Shift::RotateLeft, result, 1);
        self.asm.constant(OTHER, FLOAT_BASE.wrapping_neg());
        self.asm.alu(Alu::Add, OTHER, result);
        self.asm.copy(SCRATCH, OTHER);
        self.asm.shift(Shift::Right, SCRATCH, 60);
        self.asm.jump_if(If::NotEqual, zero);
        self.asm.alu_constant(Alu::Cmp, OTHER, 2);
        self.asm.jump_if(If::Below, zero);
        self.asm.copy(result, OTHER);
        self.asm.place(back);
        self.asm.shift(Shift::Left, result, 4);
        self.asm.alu_constant(Alu::Or, result, FLOAT as i32);
        self.write(d, result, Some(Fact::Float));
    }

    /// What is no float of a word may be a zero, rotated.
    pub(super) fn write_encoded_zero(&mut self, reg: Reg, back: Label, at: usize) {
        let leave = self.leave_of(at);
        self.asm.alu_constant(Alu::Cmp, reg, 1);
        self.asm.jump_if(If::Above, leave);
        self.asm.jump(back);
    }

    fn floats(&mut self, op: FloatOp, d: Dst, a: Forced, b: Forced) {
        let (x, y) = self.read_floats(a, b);
        self.float_of(op, d, x, y);
    }

    fn float_with(&mut self, op: FloatOp, d: Dst, a: Forced, k: Float) {
        let x = self.read_float(a, None);
        self.float_constant(K, k);
        self.float_of(op, d, x, K);
    }

    fn float_from(&mut self, op: FloatOp, d: Dst, a: Forced, k: Float) {
        let y = self.read_float(a, None);
        self.float_constant(K, k);
        self.float_of(op, d, K, y);
    }

    /// Sets `d` to what an operation gives for two registers.
    fn float_of(&mut self, op: FloatOp, d: Dst, x: Xmm, y: Xmm) {
        self.asm.copy_float(RESULT, x);
        self.asm.float(op, RESULT, y);
        self.write_float(d, RESULT);
        let held = self.fresh_float(None);
        self.asm.copy_float(held, RESULT);
        self.state.hold_float(d.0, held);
    }

    /// Goes on at `to` unless a comparison of floats holds. All are numbers: what is not one fits no word.
    fn unless_floats(&mut self, op: Primitive, x: Xmm, y: Xmm, to: Pc) {
        let holds = match op {
            Primitive::FEq => If::Equal,
            Primitive::FNeq => If::NotEqual,
            Primitive::FLt => If::Below,
            Primitive::FLe => If::NotAbove,
            Primitive::FGt => If::Above,
            _ => If::NotBelow,
        };
        let target = self.target(to);
        self.asm.compare_floats(x, y);
        self.asm.jump_if(holds.not(), target);
    }
}

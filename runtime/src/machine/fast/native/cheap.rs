//! Native code of what is computed instead of made a thunk of (`cheap.rs` of the machine).
//!
//! The code of the thunk is written in the place of the instruction that would make it, as if it were
//! that one's: its variables are the slots that it would capture, and what it computes goes to slots above
//! the frame, where the stack has always room. Where anything is missing the instruction is left to its
//! bridge, which makes the thunk.

use super::super::code::cheap::{CAPTURED, SLOTS};
use super::super::code::instr::{Arg, Dst, Forced, Instr, Operand};
use super::super::code::program::ThunkId;
use super::super::stack::SLACK;
use super::assembler::If;
use super::compile::{Compiler, SCRATCH};
use super::state::Fact;

/// The most values that cheap code computes, what it captures included.
const VALUES: usize = 16;

const _: () = assert!(VALUES < SLACK && CAPTURED < VALUES, "they have room above any frame");

impl Compiler<'_> {
    /// Writes an instruction that makes a cheap thunk; `false` if it is none, or its code has something
    /// that has no native code.
    pub(super) fn cheap(&mut self, instr: Instr) -> bool {
        match instr {
            Instr::Cheap1 { d, thunk, a } => self.computed(d, thunk, &[a]),
            Instr::Cheap2 { d, thunk, a, b } => self.computed(d, thunk, &[a, b]),
            Instr::Cheap3 { d, thunk, a, b, c } => self.computed(d, thunk, &[a, b, c]),
            Instr::CheapN { d, thunk, args } => {
                self.computed(d, thunk, &self.program.args[args].clone())
            }
            _ => false,
        }
    }

    fn computed(&mut self, d: Dst, thunk: ThunkId, args: &[Arg]) -> bool {
        let entry = self.program.thunks[thunk].entry.pc.0 as usize;
        let code = self.program.code.get(entry..).unwrap_or_default();
        let end = code.iter().position(|instr| !is_arithmetic(instr)).unwrap_or(0);
        let Some(&(Instr::Return { a } | Instr::Enter { a })) = code.get(end) else { return false };
        let Some(result) = a.as_slot() else { return false };
        if args.len() + end > VALUES {
            return false;
        }
        self.is_cheap = true;
        // Which slot of this frame, or above it, each of its own is.
        let mut slots = [0; SLOTS];
        let mut above = self.own_frame();
        for (own, arg) in slots.iter_mut().zip(args) {
            *own = arg.as_slot().unwrap_or(above);
            if arg.as_slot().is_none() {
                self.move_to(Dst(above), *arg);
                above += 1;
            }
        }
        // The interpreter computes nothing unless all that is captured are numbers.
        for (own, at) in (0..).zip(slots).take(args.len()) {
            if !is_operand(own, &code[..end]) {
                self.busy.clear();
                self.is_number(Forced(at));
            }
        }
        for instr in &code[..end] {
            self.busy.clear();
            let mut own = *instr;
            // What is read is where it was before a slot is written; that one comes first.
            let read = slots;
            let mut is_written = false;
            instr.operands(&mut |_, operand| {
                if let Operand::Dst(d) = operand {
                    is_written = true;
                    if let Some(own) = slots.get_mut(d.0 as usize) {
                        *own = above;
                    }
                }
            });
            let (to, mut is_first) = (above, is_written);
            above += u32::from(is_written);
            own.map_slots(&mut |slot| match std::mem::take(&mut is_first) {
                true => to,
                false => read.get(slot as usize).copied().unwrap_or(slot),
            });
            match own {
                Instr::Eval { a } => self.is_number(a),
                Instr::Move { d, a } => self.move_to(d, a),
                own => {
                    self.numbers(own);
                }
            }
        }
        self.busy.clear();
        let value = self.read(slots.get(result as usize).copied().unwrap_or(0));
        let fact = slots.get(result as usize).and_then(|of| self.state.fact(*of));
        self.write(d, value, fact);
        self.is_cheap = false;
        true
    }

    /// Leaves unless a slot has a number that fits a word.
    fn is_number(&mut self, a: Forced) {
        if matches!(self.state.fact(a.0), Some(Fact::Int | Fact::Float)) {
            return;
        }
        let x = self.read(a.0);
        let (leave, number) = (self.leave(), self.asm.label());
        self.asm.test_byte(x, 1);
        self.asm.jump_if(If::Equal, number);
        self.asm.copy(SCRATCH, x);
        self.not_float(SCRATCH, leave);
        self.asm.place(number);
    }
}

/// Returns whether what a slot has at first is an operand of arithmetic, which asks what it is.
fn is_operand(slot: u32, code: &[Instr]) -> bool {
    for instr in code {
        let (mut is_read, mut is_written) = (false, false);
        instr.operands(&mut |_, operand| match operand {
            Operand::Forced(of) => is_read |= of.0 == slot && !matches!(instr, Instr::Eval { .. }),
            Operand::Dst(d) => is_written |= d.0 == slot,
            _ => {}
        });
        if is_read || is_written {
            return is_read;
        }
    }
    false
}

/// Returns whether an instruction only computes a number from others, and has native code.
fn is_arithmetic(instr: &Instr) -> bool {
    use Instr as I;
    match *instr {
        I::Eval { .. } | I::Move { .. } | I::Add { .. } | I::Sub { .. } | I::Mul { .. } => true,
        I::AddInt { .. } | I::SubFrom { .. } | I::MulInt { .. } | I::Neg { .. } => true,
        I::DivInt { k, .. } | I::RemInt { k, .. } => k > 0,
        I::FloorDivInt { k, .. } | I::ModInt { k, .. } => k > 0,
        I::Eq { .. } | I::Ne { .. } | I::Lt { .. } | I::Le { .. } | I::Gt { .. } | I::Ge { .. } => {
            true
        }
        I::FAdd { .. } | I::FSub { .. } | I::FMul { .. } | I::FDiv { .. } => true,
        I::FAddConst { .. } | I::FSubConst { .. } | I::FSubFrom { .. } => true,
        I::FMulConst { .. } | I::FDivConst { .. } | I::FDivInto { .. } => true,
        I::AddI64 { .. } | I::AddI64Int { .. } | I::SubI64 { .. } | I::MulI64 { .. } => true,
        _ => false,
    }
}

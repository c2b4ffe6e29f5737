//! Code that stands apart from the way through: where an instruction is left or entered, where something
//! is missing, and what is seldom.

use std::mem::offset_of;

use super::super::code::instr::Arg;
use super::super::image::STRIDE;
use super::super::state::Machine;
use super::assembler::{Alu, If, Label, RAX, RSI, Reg};
use super::compile::{Compiler, of_machine, slot};
use super::state::{Fact, State};
use crate::gcode::program::ConId;
use crate::machine::heap::word::{Tag, Word};

/// Code that stands apart from the way through.
pub(super) enum Apart {
    /// An instruction is left to its bridge.
    Leave { at: usize },
    /// There are no ticks left: the instruction is left with the last one.
    Tick { at: usize },
    /// Where an instruction is entered from elsewhere: its assumptions are made true.
    Enter { at: usize, state: State },
    /// What is no pointer to a constructor may be the constructor without fields `con`: on at `to`.
    Nullary { of: Reg, con: Word, to: Label, otherwise: Label },
    /// Two words that are not both integers may be both characters: on at `back`.
    Characters { a: Reg, b: Reg, back: Label, otherwise: Label },
    /// One of two operands, or the one, is to be forced.
    Lack { at: usize, slots: Vec<u32> },
    /// A thunk is entered in place of the frame.
    Tail { at: usize, x: Reg },
    /// A value is returned that no frame waits for.
    Update { at: usize, x: Reg },
    /// The same of a new node.
    UpdateWith { at: usize, state: State, con: ConId, args: [Arg; 2] },
    /// A float that is no number in a word may be a zero: encoded, on at `back`.
    EncodeZero { reg: Reg, back: Label, at: usize },
}

impl Compiler<'_> {
    /// Returns where code is that stands apart from the way through.
    fn apart(&mut self, apart: Apart) -> Label {
        let label = self.asm.label();
        self.write_later(label, apart);
        label
    }

    /// Has code written at a label when the way through is.
    pub(super) fn write_later(&mut self, label: Label, apart: Apart) {
        self.apart.push((label, apart));
    }

    /// Returns where the first of these slots that is not evaluated is forced; if all are, the
    /// instruction is left.
    pub(super) fn lack(&mut self, slots: &[u32]) -> Label {
        if self.is_cheap {
            return self.leave();
        }
        self.apart(Apart::Lack { at: self.at, slots: slots.to_vec() })
    }

    /// Returns where the thunk in a register is entered in place of the frame.
    pub(super) fn tail_to(&mut self, x: Reg) -> Label {
        self.apart(Apart::Tail { at: self.at, x })
    }

    /// Returns where the value in a register is returned to what is no frame, with the control word in the
    /// other register.
    pub(super) fn update_to(&mut self, x: Reg) -> Label {
        self.apart(Apart::Update { at: self.at, x })
    }

    /// Returns where a new node is returned to what is no frame.
    pub(super) fn update_with(&mut self, con: ConId, args: [Arg; 2]) -> Label {
        self.apart(Apart::UpdateWith { at: self.at, state: self.state.clone(), con, args })
    }

    pub(super) fn leave_of(&mut self, at: usize) -> Label {
        if let Some(label) = self.leaves[at] {
            return label;
        }
        let label = self.apart(Apart::Leave { at });
        self.leaves[at] = Some(label);
        label
    }

    /// Returns where the instruction is left to its bridge. Nothing that it writes is written by then.
    pub(super) fn leave(&mut self) -> Label {
        self.leave_of(self.at)
    }

    /// Returns where the instruction is left because there are no ticks.
    pub(super) fn tick(&mut self) -> Label {
        if let Some(label) = self.ticks[self.at] {
            return label;
        }
        let label = self.apart(Apart::Tick { at: self.at });
        self.ticks[self.at] = Some(label);
        label
    }

    /// Returns where a register that has no pointer to a constructor is looked at again: on at `to` if it
    /// has the constructor without fields `con`, else where the slot is forced.
    pub(super) fn nullary(&mut self, of: Reg, slot: u32, con: Word, to: Label) -> Label {
        let otherwise = self.lack(&[slot]);
        self.apart(Apart::Nullary { of, con, to, otherwise })
    }

    /// Returns where two registers that have not both integers are looked at again: on at `back` if they
    /// have characters, else where the slots are forced.
    pub(super) fn characters(&mut self, regs: (Reg, Reg), slots: [u32; 2], back: Label) -> Label {
        let otherwise = self.lack(&slots);
        self.apart(Apart::Characters { a: regs.0, b: regs.1, back, otherwise })
    }

    pub(super) fn encode_zero(&mut self, reg: Reg, back: Label) -> Label {
        self.apart(Apart::EncodeZero { reg, back, at: self.at })
    }

    pub(super) fn write_apart(&mut self, apart: Apart) {
        match apart {
            Apart::Leave { at } => self.write_leave(at),
            Apart::Tick { at } => {
                self.asm.store_half(of_machine(offset_of!(Machine, ticks)), 1);
                let leave = self.leave_of(at);
                self.asm.jump(leave);
            }
            Apart::Enter { at, state } => {
                let leave = self.leave_of(at);
                for &(of, fact) in state.facts() {
                    match fact {
                        Fact::Int => {
                            self.asm.test_place(slot(of), 1);
                            self.asm.jump_if(If::NotEqual, leave);
                        }
                        Fact::Float => {
                            self.asm.load(RAX, slot(of));
                            self.not_float(RAX, leave);
                        }
                        Fact::Con => {
                            self.asm.load(RAX, slot(of));
                            self.asm.alu_constant(Alu::Sub, RAX, Tag::Con as i32);
                            self.asm.test_byte(RAX, 7);
                            self.asm.jump_if(If::NotEqual, leave);
                        }
                    }
                }
                for &(of, to) in state.floats() {
                    self.asm.load(RAX, slot(of));
                    self.decode(to);
                }
                for &(of, reg) in state.held() {
                    self.asm.load(reg, slot(of));
                }
                self.asm.jump(self.labels[at]);
            }
            Apart::Lack { at, slots } => self.write_lack(at, &slots),
            Apart::Tail { at, x } => self.write_tail(at, x),
            Apart::Update { at, x } => self.write_update(at, x),
            Apart::UpdateWith { at, state, con, args } => {
                self.write_update_with(at, state, con, args);
            }
            Apart::EncodeZero { reg, back, at } => self.write_encoded_zero(reg, back, at),
            Apart::Nullary { of, con, to, otherwise } => {
                self.asm.constant(RAX, con.bits());
                self.asm.alu(Alu::Cmp, of, RAX);
                self.asm.jump_if(If::Equal, to);
                self.asm.jump(otherwise);
            }
            Apart::Characters { a, b, back, otherwise } => {
                let low = Word::char('\0').bits() as u8;
                for reg in [a, b] {
                    self.asm.compare_byte(reg, low);
                    self.asm.jump_if(If::NotEqual, otherwise);
                }
                self.asm.jump(back);
            }
        }
    }

    pub(super) fn write_leave(&mut self, at: usize) {
        let op = self.program.code[at].op() as usize;
        let bridge = match self.bridges[op] {
            Some(bridge) => bridge,
            None => *self.bridges[op].insert(self.asm.label()),
        };
        self.asm.constant(RSI, at as u64 * u64::from(STRIDE));
        self.asm.jump(bridge);
    }
}

//! Native code that enters thunks and updates them.
//!
//! It does what is frequent, as `short.rs` does, with the same counts; all else is left to the
//! instruction's bridge. A kind of thunk has one piece of code that enters it. What returns has its own
//! at each place.

use std::mem::offset_of;

use super::super::code::instr::Arg;
use super::super::code::program::{Entry, Thunk};
use super::super::image::STRIDE;
use super::super::stack::{EVALUATE_BYTE, evaluate_word};
use super::super::state::Machine;
use super::assembler::{Alu, If, Label, Mem, R8, R9, R10, R11, Reg, Shift};
use super::compile::{Compiler, FRAME, OTHER, SCRATCH, WORD, of_machine, slot};
use super::state::State;
use crate::gcode::program::ConId;
use crate::machine::heap::word::Tag;
use crate::machine::heap::{Heap, Kind};
use crate::machine::outcome::Statistics;

/// The most variables of a thunk that is entered here.
const MOST: u32 = 16;

/// The thunk that is entered, a word without a tag that says more.
const THUNK: Reg = R8;
/// The control word that says what becomes of its value.
const CONTROL: Reg = R9;
/// Where that goes.
const PLACE: Reg = R10;
/// The value that is returned.
const VALUE: Reg = R8;
/// The frame below.
const BELOW: Reg = R9;
/// Where the instruction is left to its bridge.
const LEAVE: Reg = R11;

impl Compiler<'_> {
    /// Jumps to the code of the instruction of the offset in the upper half of a control word, which is in
    /// the other register.
    pub(super) fn jump_to_offset(&mut self) {
        // An offset is a multiple of 8 and 3: a division without a rest is a multiplication.
        const _: () = assert!(STRIDE == 24, "it is divided by 8 and 3");
        self.asm.shift(Shift::Right, OTHER, 32 + 3);
        self.asm.multiply_half(OTHER, 0xaaaa_aaab);
        self.asm.constant(SCRATCH, self.tables.code as u64);
        self.asm.jump_indexed(SCRATCH, OTHER);
    }

    /// Goes to a label unless the word in the scratch register is evaluated; the register is lost.
    pub(super) fn unless_evaluated(&mut self, to: Label) {
        self.asm.alu_constant(Alu::And, SCRATCH, 7);
        self.asm.alu_constant(Alu::Cmp, SCRATCH, Tag::Unknown as i32);
        self.asm.jump_if(If::Equal, to);
    }

    /// Writes what an instruction does whose operand in one of the slots, the first that is not evaluated,
    /// has to be forced. What leads to a value gives its place to that, and the instruction is executed again:
    /// here, because a jump that all share could not be predicted.
    pub(super) fn write_lack(&mut self, at: usize, slots: &[u32]) {
        let leave = self.leave_of(at);
        let base = self.program.stack_maps[self.program.stack_map_of[at]].top();
        for &of in slots {
            let Some(control) = evaluate_word(at as u32 * STRIDE, of, base) else { continue };
            let [force, enter, next] = [(); 3].map(|()| self.asm.label());
            self.asm.load(THUNK, slot(of));
            self.asm.copy(SCRATCH, THUNK);
            self.unless_evaluated(force);
            self.asm.jump(next);
            self.asm.place(force);
            self.asm.load(SCRATCH, Mem(THUNK, -(Tag::Unknown as i32)));
            self.asm.compare_byte(SCRATCH, Kind::Ind as u8);
            self.asm.jump_if(If::NotEqual, enter);
            self.asm.load(VALUE, Mem(THUNK, WORD - Tag::Unknown as i32));
            self.asm.copy(SCRATCH, VALUE);
            self.unless_evaluated(leave);
            self.asm.store(slot(of), VALUE);
            let again = self.entry(at);
            self.asm.jump(again);
            self.asm.place(enter);
            self.asm.constant(CONTROL, control.bits());
            self.asm.address(PLACE, slot(base));
            self.asm.address_of(LEAVE, leave);
            self.enter(leave);
            self.asm.place(next);
        }
        self.asm.jump(leave);
    }

    /// Writes what enters the thunk in a register in place of the frame.
    pub(super) fn write_tail(&mut self, at: usize, x: Reg) {
        let leave = self.leave_of(at);
        self.asm.copy(THUNK, x);
        self.asm.copy(CONTROL, THUNK);
        self.asm.copy(PLACE, FRAME);
        self.asm.address_of(LEAVE, leave);
        self.asm.load(SCRATCH, Mem(THUNK, -(Tag::Unknown as i32)));
        self.enter(leave);
    }

    /// Writes what returns a value, in a register, to the evaluation that waits for it, with the control
    /// word in the other register.
    pub(super) fn write_update(&mut self, at: usize, x: Reg) {
        let leave = self.leave_of(at);
        self.asm.compare_byte(OTHER, EVALUATE_BYTE);
        self.asm.jump_if(If::NotEqual, leave);
        self.asm.copy(VALUE, x);
        self.place_of_thunk();
        self.is_young(leave);
        self.update();
    }

    /// Writes what returns a new node to the evaluation that waits for it. Nothing is made before it is
    /// sure that it can be returned here: the instruction would make it again.
    pub(super) fn write_update_with(
        &mut self,
        at: usize,
        state: State,
        con: ConId,
        args: [Arg; 2],
    ) {
        let leave = self.leave_of(at);
        (self.at, self.state) = (at, state);
        self.asm.compare_byte(OTHER, EVALUATE_BYTE);
        self.asm.jump_if(If::NotEqual, leave);
        self.frame_below(SCRATCH);
        self.slot_of_control();
        self.asm.address_indexed(SCRATCH, SCRATCH, OTHER, 0);
        self.asm.load(SCRATCH, Mem(SCRATCH, 0));
        self.is_young(leave);
        self.node_of(Kind::Con, con.0, &args);
        self.asm.address(VALUE, Mem(SCRATCH, Tag::Con as i32));
        self.asm.load(OTHER, Mem(FRAME, -WORD));
        self.place_of_thunk();
        self.asm.alu_constant(Alu::And, SCRATCH, !7);
        self.update();
    }

    /// Finds what the control word of an evaluation, in the other register, says: the frame below and the
    /// place of the thunk there; the scratch register becomes the word in it.
    fn place_of_thunk(&mut self) {
        self.frame_below(BELOW);
        self.asm.copy(PLACE, OTHER);
        self.asm.shift(Shift::Right, PLACE, 8);
        self.asm.alu_constant(Alu::And, PLACE, 0xfff);
        self.asm.address_indexed(PLACE, BELOW, PLACE, 0);
        self.asm.load(SCRATCH, Mem(PLACE, 0));
    }

    /// Makes an indirection to the value of the thunk at the address in the scratch register, which is young,
    /// and goes on where it is needed.
    fn update(&mut self) {
        // Its size stays, by one access: what is written in parts is slow to be read as a whole.
        let header = LEAVE;
        self.asm.load_half(header, Mem(SCRATCH, 0));
        self.asm.alu_constant(Alu::And, header, !0xff);
        self.asm.alu_constant(Alu::Or, header, Kind::Ind as i32);
        self.asm.store(Mem(SCRATCH, 0), header);
        self.asm.store(Mem(SCRATCH, WORD), VALUE);
        self.asm.store(Mem(PLACE, 0), VALUE);
        self.count_in(offset_of!(Statistics, thunks_updated));
        self.asm.copy(FRAME, BELOW);
        self.jump_to_offset();
    }

    /// `to`, which is not the other register, becomes the frame below the control word of an evaluation.
    fn frame_below(&mut self, to: Reg) {
        self.asm.copy_half(SCRATCH, OTHER);
        self.asm.shift(Shift::Right, SCRATCH, 20);
        self.asm.negate(SCRATCH);
        self.asm.address_indexed(to, FRAME, SCRATCH, -WORD);
    }

    /// The other register becomes the slot in a control word of an evaluation.
    fn slot_of_control(&mut self) {
        self.asm.shift(Shift::Right, OTHER, 8);
        self.asm.alu_constant(Alu::And, OTHER, 0xfff);
    }

    /// The scratch register becomes the address of the node that the word in it leads to, if that is
    /// young.
    fn is_young(&mut self, otherwise: Label) {
        let nursery = |offset| of_machine(offset_of!(Machine, heap) + offset);
        self.asm.alu_constant(Alu::And, SCRATCH, !7);
        self.asm.alu_place(Alu::Sub, SCRATCH, nursery(Heap::NURSERY));
        self.asm.alu_place(Alu::Cmp, SCRATCH, nursery(Heap::NURSERY_BYTES));
        self.asm.jump_if(If::NotBelow, otherwise);
        self.asm.alu_place(Alu::Add, SCRATCH, nursery(Heap::NURSERY));
    }

    fn count_in(&mut self, offset: usize) {
        let place = of_machine(offset_of!(Machine, counts) + offset);
        self.asm.alu_place_constant(Alu::Add, place, 1);
    }

    /// Enters the thunk whose header the scratch register has, if it is one, by a jump of its own: most
    /// places enter one kind of thunk, and that is predicted.
    fn enter(&mut self, leave: Label) {
        self.asm.compare_byte(SCRATCH, Kind::Thunk as u8);
        self.asm.jump_if(If::NotEqual, leave);
        self.asm.shift(Shift::Right, SCRATCH, 32);
        self.asm.constant(OTHER, self.tables.thunks as u64);
        self.asm.jump_indexed(OTHER, SCRATCH);
    }

    /// Writes what enters a kind of thunk: for each of them, so that how much it has captured is no branch.
    pub(super) fn write_thunk(&mut self, label: Label, thunk: &Thunk) {
        let Entry { frame, takes, .. } = thunk.entry;
        let leave = self.asm.label();
        self.asm.place(leave);
        self.asm.jump_register(LEAVE);
        self.asm.place(label);
        if takes > MOST {
            return self.asm.jump(leave);
        }
        self.asm.address(SCRATCH, Mem(PLACE, (frame as i32 + 1) * WORD));
        self.asm.alu_place(Alu::Cmp, SCRATCH, of_machine(offset_of!(Machine, stack_end)));
        self.asm.jump_if(If::Above, leave);
        let ticks = of_machine(offset_of!(Machine, ticks));
        self.asm.compare_half(ticks, 1);
        self.asm.jump_if(If::NotAbove, leave);
        // Nothing is missing.
        self.asm.alu_half_constant(Alu::Sub, ticks, 1);
        self.count_in(offset_of!(Statistics, thunks_entered));
        // A black hole, by one access.
        let header = Mem(THUNK, -(Tag::Unknown as i32));
        self.asm.alu_place_constant(Alu::Add, header, Kind::Hole as i32 - Kind::Thunk as i32);
        self.asm.store(Mem(PLACE, 0), CONTROL);
        self.asm.address(FRAME, Mem(PLACE, WORD));
        for at in 0..takes {
            self.asm.load(SCRATCH, Mem(THUNK, (at as i32 + 1) * WORD - Tag::Unknown as i32));
            self.asm.store(slot(at), SCRATCH);
        }
        let to = self.beginning(thunk.entry);
        self.asm.jump(to);
    }
}

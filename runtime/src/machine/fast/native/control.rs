//! Native code of calls and returns.

use std::mem::offset_of;

use super::super::code::instr::{Arg, Base, Forced, Instr};
use super::super::code::program::{ArgsId, Entry};
use super::super::image::STRIDE;
use super::super::stack::{RETURN_BYTE, return_word};
use super::super::state::Machine;
use super::super::translate::parallel::in_order;
use super::assembler::{Alu, If, Label, Mem, Reg, Shift};
use super::compile::{Compiler, FRAME, OTHER, SCRATCH, WORD, of_machine, slot};
use super::state::State;
use crate::gcode::program::GlobalId;
use crate::machine::heap::Kind;
use crate::machine::heap::word::{Tag, Word};

impl Compiler<'_> {
    /// Writes a call, a return or a jump; `false` if it is none, or has no code of its own.
    pub(super) fn control(&mut self, instr: Instr) -> bool {
        use Instr as I;
        match instr {
            I::Jump { to } => {
                let target = self.target(to);
                self.asm.jump(target);
            }
            I::Eval { a } => self.eval(a),
            I::Call1 { base, global, a } => self.call(base, global, &[a]),
            I::Call2 { base, global, a, b } => self.call(base, global, &[a, b]),
            I::Call3 { base, global, a, b, c } => self.call(base, global, &[a, b, c]),
            I::CallN { base, global, args } => self.call(base, global, &self.list(args)),
            I::Tail1 { global, a } => self.tail(global, &[a]),
            I::Tail2 { global, a, b } => self.tail(global, &[a, b]),
            I::Tail3 { global, a, b, c } => self.tail(global, &[a, b, c]),
            I::TailN { global, args } => self.tail(global, &self.list(args)),
            I::Apply1 { base, f, a } => self.apply(base, f, &[a]),
            I::Apply2 { base, f, a, b } => self.apply(base, f, &[a, b]),
            I::Apply3 { base, f, a, b, c } => self.apply(base, f, &[a, b, c]),
            I::ApplyN { base, f, args } => self.apply(base, f, &self.list(args)),
            I::TailApply1 { f, a } => self.tail_apply(f, &[a]),
            I::TailApply2 { f, a, b } => self.tail_apply(f, &[a, b]),
            I::TailApply3 { f, a, b, c } => self.tail_apply(f, &[a, b, c]),
            I::TailApplyN { f, args } => self.tail_apply(f, &self.list(args)),
            I::Return { a } | I::Enter { a } => self.return_or_enter(a),
            I::ReturnCon2 { con, a, b } => {
                // In this order: what is left is executed again.
                let update = self.update_with(con, [a, b]);
                self.returns(update);
                self.node_of(Kind::Con, con.0, &[a, b]);
                self.asm.alu_constant(Alu::Add, SCRATCH, Tag::Con as i32);
                self.asm.load(OTHER, Mem(FRAME, -WORD));
                self.return_to(SCRATCH);
            }
            _ => return false,
        }
        true
    }

    fn list(&self, args: ArgsId) -> Box<[Arg]> {
        self.program.args[args].clone()
    }

    /// Goes to a label if a register has a word that is not evaluated.
    fn unless_value(&mut self, x: Reg, to: Label) {
        self.asm.copy(SCRATCH, x);
        self.unless_evaluated(to);
    }

    fn eval(&mut self, a: Forced) {
        if self.state.fact(a.0).is_none() {
            let x = self.read(a.0);
            let lack = self.lack(&[a.0]);
            self.unless_value(x, lack);
        }
    }

    /// Leaves if there is no room for a frame above so many words of this one, or no tick.
    fn may_enter(&mut self, entry: Entry, above: u32) {
        let leave = self.leave();
        // There was room for this frame.
        if above > 0 || entry.frame > self.own_frame() {
            self.asm.address(SCRATCH, slot(above + entry.frame));
            self.asm.alu_place(Alu::Cmp, SCRATCH, of_machine(offset_of!(Machine, stack_end)));
            self.asm.jump_if(If::Above, leave);
        }
        self.count();
    }

    /// Counts a reduction, or leaves.
    fn count(&mut self) {
        let tick = self.tick();
        self.asm.alu_half_constant(Alu::Sub, of_machine(offset_of!(Machine, ticks)), 1);
        self.asm.jump_if(If::Equal, tick);
    }

    /// Puts arguments in slots from `first` on, all at once.
    fn arguments(&mut self, first: u32, args: &[Arg]) {
        // Slots that a register holds are read from there: those that only memory has come first, in an
        // order in which none is written before it is read.
        let numbered = || (first..).zip(args);
        let moves: Vec<(u32, u32)> = numbered()
            .filter_map(|(to, arg)| Some((to, arg.as_slot()?)))
            .filter(|(_, from)| self.state.holder(*from).is_none())
            .collect();
        // By numbers of their own, so that this takes time by the arguments and not by the frame.
        let mut slots: Vec<u32> = moves.iter().flat_map(|&(to, from)| [to, from]).collect();
        slots.sort_unstable();
        slots.dedup();
        let number = |of: u32| slots.binary_search(&of).unwrap_or(0) as u32;
        let moves: Vec<(u32, u32)> =
            moves.iter().map(|&(to, from)| (number(to), number(from))).collect();
        for (to, from) in in_order(&moves, slots.len() as u32) {
            let from = from.as_slot().and_then(|from| slots.get(from as usize));
            match (slots.get(to as usize), from) {
                (Some(&to), Some(&from)) => {
                    self.asm.load(SCRATCH, slot(from));
                    self.asm.store(slot(to), SCRATCH);
                }
                // A cycle goes through the spare one.
                (None, Some(&from)) => self.asm.load(OTHER, slot(from)),
                (Some(&to), None) => self.asm.store(slot(to), OTHER),
                (None, None) => {}
            }
        }
        for (to, arg) in numbered() {
            if arg.as_slot().is_none_or(|from| from != to && self.state.holder(from).is_some()) {
                self.put_at(slot(to), *arg, SCRATCH);
            }
        }
    }

    /// Pushes the return to the next instruction and goes to the frame above.
    fn push(&mut self, base: Base) {
        let next = (self.at as u32 + 1) * STRIDE;
        self.asm.constant(SCRATCH, return_word(next, base.0).bits());
        self.asm.store(slot(base.0), SCRATCH);
        self.asm.alu_constant(Alu::Add, FRAME, (base.0 as i32 + 1) * WORD);
    }

    fn call(&mut self, base: Base, global: GlobalId, args: &[Arg]) {
        let entry = self.program.globals[global];
        self.may_enter(entry, base.0 + 1);
        self.arguments(base.0 + 1, args);
        self.push(base);
        let to = self.beginning(entry);
        self.asm.jump(to);
        // What comes back has nothing in registers.
        self.state = State::default();
    }

    fn tail(&mut self, global: GlobalId, args: &[Arg]) {
        let entry = self.program.globals[global];
        self.may_enter(entry, 0);
        self.arguments(0, args);
        let to = self.beginning(entry);
        self.asm.jump(to);
    }

    /// Leads the other register to the entry of the function that `f` is, if it takes as many
    /// arguments and there is room and a tick; else leaves.
    fn applied(&mut self, f: Arg, count: usize, above: u32) {
        let leave = self.leave();
        self.put(OTHER, f);
        self.asm.compare_byte(OTHER, Word::function(GlobalId(0)).bits() as u8);
        self.asm.jump_if(If::NotEqual, leave);
        self.asm.shift(Shift::Right, OTHER, 32);
        self.asm.multiply_constant(OTHER, OTHER, size_of::<Entry>() as i32);
        let globals = self.program.globals.as_slice().as_ptr().expose_provenance();
        self.asm.constant(SCRATCH, globals as u64);
        self.asm.alu(Alu::Add, OTHER, SCRATCH);
        self.asm.compare_half(Mem(OTHER, offset_of!(Entry, takes) as i32), count as u32);
        self.asm.jump_if(If::NotEqual, leave);
        self.asm.load_half(SCRATCH, Mem(OTHER, offset_of!(Entry, frame) as i32));
        self.asm.shift(Shift::Left, SCRATCH, 3);
        self.asm.alu(Alu::Add, SCRATCH, FRAME);
        self.asm.alu_constant(Alu::Add, SCRATCH, above as i32 * WORD);
        self.asm.alu_place(Alu::Cmp, SCRATCH, of_machine(offset_of!(Machine, stack_end)));
        self.asm.jump_if(If::Above, leave);
        self.count();
    }

    /// Goes on with the code whose entry the other register leads to.
    fn jump_to_entry(&mut self) {
        self.asm.load_half(OTHER, Mem(OTHER, offset_of!(Entry, pc) as i32));
        self.asm.constant(SCRATCH, self.tables.code as u64);
        self.asm.jump_indexed(SCRATCH, OTHER);
    }

    fn apply(&mut self, base: Base, f: Arg, args: &[Arg]) {
        self.applied(f, args.len(), base.0 + 1);
        self.unknown_arguments(base.0 + 1, args);
        self.push(base);
        self.jump_to_entry();
        self.state = State::default();
    }

    fn tail_apply(&mut self, f: Arg, args: &[Arg]) {
        self.applied(f, args.len(), 0);
        self.unknown_arguments(0, args);
        self.jump_to_entry();
    }

    /// Puts arguments in slots without the other register.
    fn unknown_arguments(&mut self, first: u32, args: &[Arg]) {
        let keeper = self.fresh();
        self.asm.copy(keeper, OTHER);
        self.arguments(first, args);
        self.asm.copy(OTHER, keeper);
    }

    /// Goes to a label unless what waits for the value is a frame; the other register gets its control word.
    fn returns(&mut self, otherwise: Label) {
        self.asm.load(OTHER, Mem(FRAME, -WORD));
        self.asm.compare_byte(OTHER, RETURN_BYTE);
        self.asm.jump_if(If::NotEqual, otherwise);
    }

    /// Returns the word in a register to the frame of the control word in the other one.
    fn return_to(&mut self, x: Reg) {
        self.asm.store(Mem(FRAME, -WORD), x);
        // The slot is in bits 8 to 31.
        self.asm.copy_half(SCRATCH, OTHER);
        self.asm.shift(Shift::Right, SCRATCH, 8);
        self.asm.negate(SCRATCH);
        self.asm.address_indexed(FRAME, FRAME, SCRATCH, -WORD);
        self.jump_to_offset();
    }

    fn return_or_enter(&mut self, a: Arg) {
        let is_value = match a.as_slot() {
            Some(of) => self.state.fact(of).is_some(),
            None => true,
        };
        let x = match a.as_slot() {
            Some(of) => self.read(of),
            None => {
                let x = self.fresh();
                self.put(x, a);
                x
            }
        };
        if !is_value {
            let tail = self.tail_to(x);
            self.unless_value(x, tail);
        }
        let update = self.update_to(x);
        self.returns(update);
        self.return_to(x);
    }
}

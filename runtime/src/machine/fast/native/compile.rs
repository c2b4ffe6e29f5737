//! Goes through compact code and writes the code of each instruction.

use std::mem::offset_of;

use super::super::code::instr::{Arg, Dst, Flow, Forced, Op, Pc};
use super::super::code::program::{Entry, Program};
use super::super::state::Machine;
use super::super::threaded::bridge;
use super::apart::Apart;
use super::assembler::{Alu, Assembler, If, Label, Mem, R8, RAX, RDI, RDX, RSI, Reg, Xmm};
use super::state::{FLOATS, Fact, HOLDING, State};
use crate::machine::heap::word::Word;

/// The machine, in all native code.
pub(super) const MACHINE: Reg = RDI;
/// The frame.
pub(super) const FRAME: Reg = RDX;
/// What an instruction needs beside what slots have: neither outlives it.
pub(super) const SCRATCH: Reg = RAX;
pub(super) const OTHER: Reg = RSI;

/// The bytes of a word.
pub(super) const WORD: i32 = size_of::<Word>() as i32;

/// Returns the place of a slot.
pub(super) fn slot(slot: u32) -> Mem {
    // A frame has at most 2^24 slots.
    Mem(FRAME, slot as i32 * WORD)
}

/// Returns the place of a field of the machine.
pub(super) fn of_machine(offset: usize) -> Mem {
    Mem(MACHINE, offset as i32)
}

/// The addresses of the tables that code jumps by.
#[derive(Clone, Copy)]
pub(super) struct Tables {
    /// For each instruction the address of its code.
    pub(super) code: usize,
    /// For each kind of thunk the address of what enters it.
    pub(super) thunks: usize,
}

/// Code, and where in it are the entries of the tables.
pub(super) struct Code {
    pub(super) bytes: Vec<u8>,
    pub(super) instructions: Vec<u32>,
    pub(super) thunks: Vec<u32>,
}

/// Compiles a program for tables that will be at these addresses.
pub(super) fn compile(program: &Program, tables: Tables) -> Option<Code> {
    let mut compiler = Compiler::new(program, tables);
    for at in 0..program.code.len() {
        compiler.at = at;
        compiler.instruction();
    }
    compiler.finish()
}

pub(super) struct Compiler<'a> {
    pub(super) program: &'a Program,
    pub(super) asm: Assembler,
    pub(super) tables: Tables,
    /// The instruction.
    pub(super) at: usize,
    pub(super) state: State,
    /// Registers that this instruction uses.
    pub(super) busy: Vec<Reg>,
    /// Which of the holding registers is given away next, and which of those for floats.
    turn: usize,
    turn_of_floats: usize,
    /// Whether this is the code of a cheap thunk: nothing is forced in it.
    pub(super) is_cheap: bool,
    /// Where each instruction is on the way through, and where it is entered from elsewhere.
    pub(super) labels: Vec<Label>,
    entries: Vec<Label>,
    /// What is known on the ways to an instruction that were met so far. Labels point forward: these are all
    /// of them, when it is come to.
    incoming: Vec<Option<State>>,
    /// Whether code begins at an instruction: from anywhere, so that nothing is known there.
    begins: Vec<bool>,
    /// The end of the frame of the code that an instruction is in, in slots.
    frames: Vec<u32>,
    /// Where each instruction is left, and where without ticks.
    pub(super) leaves: Vec<Option<Label>>,
    pub(super) ticks: Vec<Option<Label>>,
    /// Where the bridge of each kind of instruction is jumped to.
    pub(super) bridges: Vec<Option<Label>>,
    /// What is still to be written.
    pub(super) apart: Vec<(Label, Apart)>,
}

impl<'a> Compiler<'a> {
    fn new(program: &'a Program, tables: Tables) -> Compiler<'a> {
        let count = program.code.len();
        let mut asm = Assembler::default();
        let labels = (0..count).map(|_| asm.label()).collect();
        let entries = (0..count).map(|_| asm.label()).collect();
        let mut begins = vec![false; count];
        let mut frames = vec![0; count];
        for (begin, _) in &program.owners {
            begins[begin.0 as usize] = true;
        }
        for entry in program.globals.iter().chain(program.thunks.iter().map(|thunk| &thunk.entry)) {
            begins[entry.pc.0 as usize] = true;
            let frame = &mut frames[entry.pc.0 as usize];
            *frame = entry.frame.max(*frame);
        }
        for at in 1..count {
            if !begins[at] {
                frames[at] = frames[at - 1];
            }
        }
        Compiler {
            program,
            asm,
            tables,
            at: 0,
            state: State::default(),
            busy: Vec::new(),
            turn: 0,
            turn_of_floats: 0,
            is_cheap: false,
            labels,
            entries,
            incoming: vec![None; count],
            begins,
            frames,
            leaves: vec![None; count],
            ticks: vec![None; count],
            bridges: vec![None; Op::ALL.len()],
            apart: Vec::new(),
        }
    }

    fn instruction(&mut self) {
        let at = self.at;
        let falls_in =
            at > 0 && !matches!(self.program.code[at - 1].op().flow(), Flow::End | Flow::Jump);
        let mut state = match (falls_in, self.incoming[at].take()) {
            (_, _) if self.begins[at] => State::default(),
            (true, Some(mut incoming)) => {
                incoming.meet(&self.state);
                incoming
            }
            (true, None) => std::mem::take(&mut self.state),
            (false, incoming) => incoming.unwrap_or_default(),
        };
        let alive = &self.program.stack_maps[self.program.stack_map_of[at]].slots;
        state.keep(|slot| alive.binary_search(&slot).is_ok());
        self.asm.place(self.labels[at]);
        let entry = self.entries[at];
        if state.is_empty() {
            self.asm.place(entry);
        } else {
            self.write_later(entry, Apart::Enter { at, state: state.clone() });
        }
        self.state = state;
        self.busy.clear();
        let instr = self.program.code[at];
        let is_written =
            self.numbers(instr) || self.data(instr) || self.cheap(instr) || self.control(instr);
        if !is_written {
            self.leave_now();
        }
    }

    /// Writes what stands apart, and returns all code.
    fn finish(mut self) -> Option<Code> {
        let mut thunks = Vec::new();
        for thunk in self.program.thunks.iter() {
            let label = self.asm.label();
            self.write_thunk(label, thunk);
            thunks.push(label);
        }
        while let Some((label, apart)) = self.apart.pop() {
            self.asm.place(label);
            self.write_apart(apart);
        }
        for (op, label) in std::mem::take(&mut self.bridges).into_iter().enumerate() {
            let Some(label) = label else { continue };
            // The instruction's offset becomes its address, and the bridge goes on.
            self.asm.place(label);
            self.asm.alu_place(Alu::Add, RSI, of_machine(offset_of!(Machine, code)));
            self.asm.constant(RAX, bridge(Op::ALL[op]) as usize as u64);
            self.asm.jump_register(RAX);
        }
        let (bytes, labels) = self.asm.finish()?;
        let places = |of: Vec<Label>| of.into_iter().map(|label| labels[label.index()]).collect();
        Some(Code { bytes, instructions: places(self.entries), thunks: places(thunks) })
    }

    /// Leaves the instruction to its bridge, whatever it finds.
    fn leave_now(&mut self) {
        self.write_leave(self.at);
        self.state = State::default();
    }

    /// Returns a holding register that this instruction does not use yet, for a value of its own.
    pub(super) fn fresh(&mut self) -> Reg {
        let usable = |reg: &Reg| !self.busy.contains(reg);
        let free = HOLDING.into_iter().filter(usable).find(|reg| self.state.is_free(*reg));
        let reg = free.unwrap_or_else(|| {
            let mut candidates =
                (1..=HOLDING.len()).map(|by| HOLDING[(self.turn + by) % HOLDING.len()]);
            // An instruction uses fewer than there are.
            candidates.find(usable).unwrap_or(R8)
        });
        self.turn = HOLDING.iter().position(|held| *held == reg).unwrap_or(0);
        self.state.release(reg);
        self.busy.push(reg);
        reg
    }

    /// Returns a register for a float that is none of `busy`.
    pub(super) fn fresh_float(&mut self, busy: Option<Xmm>) -> Xmm {
        let mut next = || {
            self.turn_of_floats = (self.turn_of_floats + 1) % FLOATS.len();
            FLOATS[self.turn_of_floats]
        };
        let mut to = next();
        if Some(to) == busy {
            to = next();
        }
        self.state.release_float(to);
        to
    }

    /// Returns a register that has the word of a slot.
    pub(super) fn read(&mut self, of: u32) -> Reg {
        if let Some(reg) = self.state.holder(of) {
            self.busy.push(reg);
            return reg;
        }
        let reg = self.fresh();
        self.asm.load(reg, slot(of));
        self.state.hold(of, reg);
        reg
    }

    /// Puts the word of an operand in a register.
    pub(super) fn put(&mut self, to: Reg, arg: Arg) {
        match (arg.as_slot(), arg.as_constant()) {
            (Some(of), _) => match self.state.holder(of) {
                Some(reg) => self.asm.copy(to, reg),
                None => self.asm.load(to, slot(of)),
            },
            (_, Some(constant)) => self.asm.constant(to, self.program.consts[constant].bits()),
            (None, None) => {}
        }
    }

    /// Puts the word of an operand at a place, by way of a register if it takes one.
    pub(super) fn put_at(&mut self, to: Mem, arg: Arg, by: Reg) {
        if let Some(constant) = arg.as_constant() {
            let bits = self.program.consts[constant].bits();
            if let Ok(short) = i32::try_from(bits as i64) {
                return self.asm.store_constant(to, short);
            }
        } else if let Some(reg) = arg.as_slot().and_then(|of| self.state.holder(of)) {
            return self.asm.store(to, reg);
        }
        self.put(by, arg);
        self.asm.store(to, by);
    }

    /// Writes a slot, which a register, of this instruction alone, then holds.
    pub(super) fn write(&mut self, d: Dst, from: Reg, fact: Option<Fact>) {
        self.asm.store(slot(d.0), from);
        self.state.written(d.0);
        self.state.hold(d.0, from);
        if let Some(fact) = fact {
            self.state.learn(d.0, fact);
        }
    }

    /// Returns a register that has an integer of a word, or leaves.
    pub(super) fn read_int(&mut self, a: Forced) -> Reg {
        let reg = self.read(a.0);
        if self.state.fact(a.0) != Some(Fact::Int) {
            let lack = self.lack(&[a.0]);
            self.asm.test_byte(reg, 1);
            self.asm.jump_if(If::NotEqual, lack);
            self.state.learn(a.0, Fact::Int);
        }
        reg
    }

    /// Returns registers that have two integers of a word, or leaves.
    pub(super) fn read_ints(&mut self, a: Forced, b: Forced) -> (Reg, Reg) {
        let known = |state: &State, of: Forced| state.fact(of.0) == Some(Fact::Int);
        if known(&self.state, a) || known(&self.state, b) {
            return (self.read_int(a), self.read_int(b));
        }
        let (x, y) = (self.read(a.0), self.read(b.0));
        let lack = self.lack(&[a.0, b.0]);
        self.asm.copy(SCRATCH, x);
        self.asm.alu(Alu::Or, SCRATCH, y);
        self.asm.test_byte(SCRATCH, 1);
        self.asm.jump_if(If::NotEqual, lack);
        self.state.learn(a.0, Fact::Int);
        self.state.learn(b.0, Fact::Int);
        (x, y)
    }

    /// Returns where a target is on the way through, and notes what is known on the way there.
    pub(super) fn target(&mut self, to: Pc) -> Label {
        let at = to.0 as usize;
        match &mut self.incoming[at] {
            _ if self.begins[at] => {}
            Some(state) => state.meet(&self.state),
            none => *none = Some(self.state.clone()),
        }
        self.labels[at]
    }

    /// Returns where an instruction is entered from elsewhere.
    pub(super) fn entry(&self, at: usize) -> Label {
        self.entries[at]
    }

    /// Returns where the code of a function begins.
    pub(super) fn beginning(&self, entry: Entry) -> Label {
        self.labels[entry.pc.0 as usize]
    }

    /// Returns how many slots the frame of this code has.
    pub(super) fn own_frame(&self) -> u32 {
        self.frames[self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gcode::Verified;
    use crate::gcode::parse::parse;
    use crate::machine::fast::translate::translate;

    /// Returns how long the code of a function is that computes so many numbers, all of which stay
    /// alive until the last one is there.
    fn bytes(count: usize) -> usize {
        let mut lines = vec!["Push 0".to_owned(), "Eval".to_owned()];
        for number in 0..count {
            lines.extend(["Push 0".to_owned(), format!("PushInt {number}"), "Add".to_owned()]);
        }
        lines.extend(vec!["Add".to_owned(); count]);
        lines.extend(["Update 1", "Pop 1", "Unwind"].map(str::to_owned));
        let lines: String =
            lines.iter().enumerate().map(|(at, line)| format!("{at} {line}\n")).collect();
        let listing = format!("data List = Nil/0 Cons/2\nsupercombinator f/1\n{lines}");
        let program = parse(&listing).unwrap_or_else(|wrong| panic!("a listing: {wrong:?}"));
        let program =
            translate(Verified::new(program).expect("valid code")).expect("not too large");
        compile(&program, Tables { code: 0, thunks: 0 }).expect("all labels are placed").bytes.len()
    }

    #[test]
    fn code_grows_with_the_length_of_a_function_and_not_with_its_square() {
        let (one, two) = (bytes(1_000), bytes(2_000));
        assert!(two <= 2 * one + one / 10, "{one} bytes, and {two} for twice the source");
    }
}

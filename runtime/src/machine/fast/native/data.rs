//! Native code of instructions that make nodes and take them apart.

use std::mem::offset_of;

use super::super::code::instr::{Arg, Dst, Forced, Instr, Pc, Slot};
use super::super::code::program::{CaseId, LitCaseId};
use super::super::state::Machine;
use super::assembler::{Alu, If, Label, Mem, Reg, Shift};
use super::compile::{Compiler, OTHER, SCRATCH, WORD, of_machine, slot};
use super::state::Fact;
use crate::base::index::Idx;
use crate::gcode::program::{CONS, ConId, NIL};
use crate::machine::heap::word::{Tag, Word};
use crate::machine::heap::{Header, Heap, Kind, Size};
use crate::machine::outcome::Statistics;

/// The most fields of a node that is made here: more are written by a loop.
const MOST: usize = 12;

/// Returns the place of a field of the node that a register, tagged as a constructor's, leads to.
fn field(of: Reg, index: u32) -> Mem {
    Mem(of, (index as i32 + 1) * WORD - Tag::Con as i32)
}

/// Returns the place of the upper half of its header: the constructor.
fn info(of: Reg) -> Mem {
    Mem(of, 4 - Tag::Con as i32)
}

impl Compiler<'_> {
    /// Writes an instruction on nodes; `false` if it is none, or has no code of its own.
    pub(super) fn data(&mut self, instr: Instr) -> bool {
        use Instr as I;
        match instr {
            I::Move { d, a } => self.move_to(d, a),
            I::Con1 { d, con, a } => self.make(d, Kind::Con, con.0, &[a]),
            I::Con2 { d, con, a, b } => self.make(d, Kind::Con, con.0, &[a, b]),
            I::Con3 { d, con, a, b, c } => self.make(d, Kind::Con, con.0, &[a, b, c]),
            I::Thunk1 { d, thunk, a } => self.make(d, Kind::Thunk, thunk.0, &[a]),
            I::Thunk2 { d, thunk, a, b } => self.make(d, Kind::Thunk, thunk.0, &[a, b]),
            I::Thunk3 { d, thunk, a, b, c } => self.make(d, Kind::Thunk, thunk.0, &[a, b, c]),
            I::ConN { d, con, args } => return self.make_many(d, Kind::Con, con.0, args.index()),
            I::ThunkN { d, thunk, args } => {
                return self.make_many(d, Kind::Thunk, thunk.0, args.index());
            }
            I::Pap { d, global, args } => {
                return self.make_many(d, Kind::Pap, global.0, args.index());
            }
            I::CheapSum { d, a, k, .. } => self.cheap_sum(d, a, k),
            I::CaseList { a, head, tail, nil } => self.case_list(a, head, tail, nil),
            I::Case1 { a, con } => {
                let x = self.read(a.0);
                self.only(x, a, con);
            }
            I::Unpack2 { d, e, a, con } => {
                let x = self.read(a.0);
                self.only(x, a, con);
                self.fields(x, &[Some(d.0), Some(e.0)]);
            }
            I::Case2 { a, con, to } => self.case_of_two(a, con, to),
            I::Case { a, case } => self.case(a, case),
            I::LitCase { a, case } => self.literal_case(a, case),
            I::Field { d, a, index } => {
                let x = self.node(a);
                let result = self.fresh();
                self.asm.load(result, field(x, index as u32));
                self.write(d, result, None);
            }
            I::Fields2 { d, e, a } => self.fields_of(a, &[Some(d.0), Some(e.0)]),
            I::Fields3 { d, e, f, a } => self.fields_of(a, &[Some(d.0), Some(e.0), Some(f.0)]),
            I::Fields4 { d, e, f, g, a } => {
                self.fields_of(a, &[Some(d.0), Some(e.0), Some(f.0), Some(g.0)]);
            }
            I::FieldsN { a, slots } => {
                let slots = self.program.slots[slots].clone();
                self.fields_of(a, &slots);
            }
            _ => return false,
        }
        true
    }

    pub(super) fn move_to(&mut self, d: Dst, a: Arg) {
        let Some(from) = a.as_slot() else {
            self.put_at(slot(d.0), a, SCRATCH);
            self.state.written(d.0);
            let word = a.as_constant().map(|constant| self.program.consts[constant]);
            if word.is_some_and(Word::is_int) {
                self.state.learn(d.0, Fact::Int);
            }
            return;
        };
        let reg = self.read(from);
        let fact = self.state.fact(from);
        self.write(d, reg, fact);
    }

    fn make_many(&mut self, d: Dst, kind: Kind, info: u32, args: usize) -> bool {
        let args = self.program.args.as_slice()[args].clone();
        if args.is_empty() || args.len() > MOST {
            return false;
        }
        self.make(d, kind, info, &args);
        true
    }

    /// Sets `d` to a new node, if there is room.
    fn make(&mut self, d: Dst, kind: Kind, info: u32, args: &[Arg]) {
        self.node_of(kind, info, args);
        if kind == Kind::Thunk {
            let made = offset_of!(Machine, counts) + offset_of!(Statistics, thunks_made);
            self.asm.alu_place_constant(Alu::Add, of_machine(made), 1);
        }
        let result = self.fresh();
        let tag = match kind {
            Kind::Con => Tag::Con,
            Kind::Pap => Tag::Value,
            _ => Tag::Unknown,
        };
        self.asm.address(result, Mem(SCRATCH, tag as i32));
        self.write(d, result, (tag == Tag::Con).then_some(Fact::Con));
    }

    /// Puts the address of a new node in the scratch register, if there is room.
    pub(super) fn node_of(&mut self, kind: Kind, info: u32, args: &[Arg]) {
        let leave = self.leave();
        let (next, limit) = (of_machine(next()), of_machine(limit()));
        self.asm.load(SCRATCH, next);
        self.asm.address(OTHER, Mem(SCRATCH, (args.len() as i32 + 1) * WORD));
        self.asm.alu_place(Alu::Cmp, OTHER, limit);
        self.asm.jump_if(If::Above, leave);
        self.asm.store(next, OTHER);
        let size = Size::new(args.len()).map_or(0, |size| Header::new(kind, size, info).bits());
        self.asm.constant(OTHER, size);
        self.asm.store(Mem(SCRATCH, 0), OTHER);
        for (at, arg) in (1..).zip(args) {
            self.put_at(Mem(SCRATCH, at * WORD), *arg, OTHER);
        }
    }

    fn cheap_sum(&mut self, d: Dst, a: Arg, k: i32) {
        let result = self.fresh();
        self.put(result, a);
        let is_int = a.as_slot().is_some_and(|of| self.state.fact(of) == Some(Fact::Int));
        if !is_int {
            let leave = self.leave();
            self.asm.test_byte(result, 1);
            self.asm.jump_if(If::NotEqual, leave);
        }
        self.add_constant(result, k);
        self.write(d, result, Some(Fact::Int));
    }

    /// Goes to a label if a register has no pointer that is tagged as a constructor's.
    fn unless_con(&mut self, x: Reg, to: Label) {
        self.asm.address(SCRATCH, Mem(x, -(Tag::Con as i32)));
        self.asm.test_byte(SCRATCH, 7);
        self.asm.jump_if(If::NotEqual, to);
    }

    fn has_fields(&self, con: ConId) -> bool {
        self.program.gcode.cons.get(con).is_some_and(|con| con.arity > 0)
    }

    fn case_list(&mut self, a: Forced, head: Dst, tail: Dst, nil: Pc) {
        let x = self.read(a.0);
        let leave = self.leave();
        if self.state.fact(a.0) != Some(Fact::Con) {
            let target = self.target(nil);
            let nullary = self.nullary(x, a.0, Word::con(NIL), target);
            self.unless_con(x, nullary);
            self.state.learn(a.0, Fact::Con);
        } else {
            // It is no `Nil` then, but who counts ways to an instruction counts this one.
            let _ = self.target(nil);
        }
        self.asm.compare_half(info(x), CONS.0);
        self.asm.jump_if(If::NotEqual, leave);
        let (first, second) = (self.fresh(), self.fresh());
        self.asm.load(first, field(x, 0));
        self.asm.load(second, field(x, 1));
        self.write(head, first, None);
        self.write(tail, second, None);
        self.asm.prefetch(second);
    }

    /// Leaves unless a register has this constructor.
    fn only(&mut self, x: Reg, a: Forced, con: ConId) {
        let leave = self.leave();
        if self.has_fields(con) {
            if self.state.fact(a.0) != Some(Fact::Con) {
                let lack = self.lack(&[a.0]);
                self.unless_con(x, lack);
                self.state.learn(a.0, Fact::Con);
            }
            self.asm.compare_half(info(x), con.0);
        } else {
            let lack = self.lack(&[a.0]);
            self.asm.constant(SCRATCH, Word::con(con).bits());
            self.asm.alu(Alu::Cmp, x, SCRATCH);
            return self.asm.jump_if(If::NotEqual, lack);
        }
        self.asm.jump_if(If::NotEqual, leave);
    }

    fn case_of_two(&mut self, a: Forced, con: ConId, to: Pc) {
        let other = ConId(con.0 + 1);
        let x = self.read(a.0);
        let leave = self.leave();
        match (self.has_fields(con), self.has_fields(other)) {
            (true, false) => {
                let target = self.target(to);
                let nullary = self.nullary(x, a.0, Word::con(other), target);
                self.unless_con(x, nullary);
                self.state.learn(a.0, Fact::Con);
                self.asm.compare_half(info(x), con.0);
                self.asm.jump_if(If::NotEqual, leave);
            }
            (true, true) => {
                let lack = self.lack(&[a.0]);
                self.unless_con(x, lack);
                self.state.learn(a.0, Fact::Con);
                let target = self.target(to);
                let next = self.asm.label();
                self.asm.compare_half(info(x), con.0);
                self.asm.jump_if(If::Equal, next);
                self.asm.compare_half(info(x), other.0);
                self.asm.jump_if(If::Equal, target);
                self.asm.jump(leave);
                self.asm.place(next);
            }
            (false, has_fields) => {
                let next = self.asm.label();
                self.asm.constant(SCRATCH, Word::con(con).bits());
                self.asm.alu(Alu::Cmp, x, SCRATCH);
                self.asm.jump_if(If::Equal, next);
                let target = self.target(to);
                let lack = self.lack(&[a.0]);
                if has_fields {
                    self.unless_con(x, lack);
                    self.asm.compare_half(info(x), other.0);
                } else {
                    self.asm.constant(SCRATCH, Word::con(other).bits());
                    self.asm.alu(Alu::Cmp, x, SCRATCH);
                }
                self.asm.jump_if(If::Equal, target);
                self.asm.jump(if has_fields { leave } else { lack });
                self.asm.place(next);
            }
        }
    }

    fn case(&mut self, a: Forced, case: CaseId) {
        let case = self.program.cases[case].clone();
        let x = self.read(a.0);
        let leave = self.leave();
        let targets = (case.first.0..).map(ConId).zip(&case.targets);
        let (with, without): (Vec<_>, Vec<_>) = targets.partition(|(con, _)| self.has_fields(*con));
        // Some alternatives are reached with fields, some without: nothing that all of them know.
        let mut labels = |ways: Vec<(ConId, &Pc)>| -> Vec<(u64, Label)> {
            ways.into_iter().map(|(con, to)| (u64::from(con.0), self.target(*to))).collect()
        };
        let (with, without) = (labels(with), labels(without));
        let no_pointer = self.asm.label();
        let lack = self.lack(&[a.0]);
        self.unless_con(x, if without.is_empty() { lack } else { no_pointer });
        self.asm.load_half(SCRATCH, info(x));
        self.search(SCRATCH, &with, leave);
        if without.is_empty() {
            return;
        }
        self.asm.place(no_pointer);
        self.asm.compare_byte(x, Word::con(ConId(0)).bits() as u8);
        self.asm.jump_if(If::NotEqual, lack);
        self.asm.copy(SCRATCH, x);
        self.asm.shift(Shift::Right, SCRATCH, 32);
        self.search(SCRATCH, &without, leave);
    }

    fn literal_case(&mut self, a: Forced, case: LitCaseId) {
        let case = self.program.lit_cases[case].clone();
        let x = match case.chars {
            true => {
                let x = self.read(a.0);
                self.is_char(x, a);
                x
            }
            false => self.read_int(a),
        };
        let default = self.target(case.default);
        let mut ways: Vec<(u64, Label)> = Vec::new();
        for &(word, to) in &case.words {
            let key = if case.chars { word.bits() >> 32 } else { word.bits() };
            let label = self.target(to);
            ways.push((key, label));
        }
        // What is large is no integer of a word, and left to the bridge.
        for &(_, to) in &case.bigs {
            let _ = self.target(to);
        }
        self.asm.copy(SCRATCH, x);
        if case.chars {
            self.asm.shift(Shift::Right, SCRATCH, 32);
        }
        self.search(SCRATCH, &ways, default);
    }

    /// Goes on at the label of the number that a register has, else at `other`. They are in order: of
    /// many, halves are left out.
    fn search(&mut self, x: Reg, ways: &[(u64, Label)], other: Label) {
        /// As many are gone along.
        const FEW: usize = 4;
        let Some((middle, upper)) =
            ways.get(ways.len() / 2..).and_then(|upper| upper.split_first())
        else {
            return self.asm.jump(other);
        };
        if ways.len() <= FEW {
            for (key, label) in ways {
                self.compare_with(x, *key);
                self.asm.jump_if(If::Equal, *label);
            }
            return self.asm.jump(other);
        }
        let below = self.asm.label();
        self.compare_with(x, middle.0);
        self.asm.jump_if(If::Equal, middle.1);
        self.asm.jump_if(If::Below, below);
        self.search(x, upper, other);
        self.asm.place(below);
        self.search(x, &ways[..ways.len() / 2], other);
    }

    fn compare_with(&mut self, x: Reg, key: u64) {
        match i32::try_from(key as i64) {
            Ok(short) => self.asm.alu_constant(Alu::Cmp, x, short),
            Err(_) => {
                self.asm.constant(OTHER, key);
                self.asm.alu(Alu::Cmp, x, OTHER);
            }
        }
    }

    /// Returns a register with the pointer to the constructor in a slot, tagged as one.
    fn node(&mut self, a: Slot) -> Reg {
        let x = self.read(a.0);
        if self.state.fact(a.0) == Some(Fact::Con) {
            return x;
        }
        // The tag may say less.
        self.asm.copy(OTHER, x);
        self.asm.alu_constant(Alu::And, OTHER, !7);
        self.asm.alu_constant(Alu::Or, OTHER, Tag::Con as i32);
        OTHER
    }

    fn fields_of(&mut self, a: Slot, slots: &[Option<u32>]) {
        let x = self.node(a);
        self.fields(x, slots);
    }

    /// Puts the fields of a constructor in slots: also in that of the constructor itself, which a
    /// register has.
    fn fields(&mut self, x: Reg, slots: &[Option<u32>]) {
        for (index, to) in (0..).zip(slots) {
            let Some(to) = to else { continue };
            // Two registers for the first ones; the others are loaded where they are needed.
            if index < 2 {
                let reg = self.fresh();
                self.asm.load(reg, field(x, index));
                self.write(Dst(*to), reg, None);
            } else {
                self.asm.load(SCRATCH, field(x, index));
                self.asm.store(slot(*to), SCRATCH);
                self.state.written(*to);
            }
        }
    }
}

fn next() -> usize {
    offset_of!(Machine, heap) + Heap::NEXT
}

fn limit() -> usize {
    offset_of!(Machine, heap) + Heap::LIMIT
}

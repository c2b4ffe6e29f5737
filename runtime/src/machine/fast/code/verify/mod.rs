//! What the machine may rely on: the checks that compact code passes.
//!
//! - Every operand names something; a call has as many arguments as its global takes, a
//!   constructor as many as it has fields, a thunk as many as its code takes. Constants are
//!   immediate words, and a function among them takes arguments.
//! - Sizes fit the bits that hold them: slots of a frame and arguments those of a control word,
//!   fields that of a header, positions those of an offset.
//! - Every slot is below the size of the frame; the frame of a call begins above all slots that
//!   are alive during it, and its arguments are still within the frame.
//! - Targets lie ahead and in the same piece of code, which does not run past its end.
//! - What is read, or counts as alive, has been written on every path.
//! - What is read later counts as alive.
//! - What a `Fill` fills is, on every path, a hole that a `Hole` has made in this slot, with room
//!   for the fields, and that has not been filled. Each hole is filled before the code ends or
//!   branches.
//! - What a `Field`, `Fields2`, `Fields3`, `Fields4` or `FieldsN` reads is, on every path, a
//!   pointer to a constructor that has the field.
//! - A thunk that is computed where it would be made has code that can do nothing but compute.

mod operands;
mod state;

use std::collections::HashMap;
use std::fmt;

use super::super::translate::Limits;
use super::access::{Access, accesses};
use super::instr::{Base, Dst, Flow, Instr, Operand, Pc, Slot};
use super::listing;
use super::program::{Entry, Owner, Program, Sizes};
use crate::gcode::program::{CONS, ConId, NIL};
use crate::machine::heap::word::{View, Word};
use state::{Bits, Fact, State};

/// Something that compact code must not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The position in the code.
    pub at: Pc,
    /// What is wrong, and with which instruction.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at.0, self.message)
    }
}

/// Returns what is wrong with a program; empty if nothing is.
#[must_use]
pub fn verify(program: &Program) -> Vec<Violation> {
    verify_pieces(program, usize::MAX)
}

/// Verifies as [`verify`] does, but only the pieces of code whose slots times instructions are no
/// more than `most`: that is what the time may be in proportion to.
#[must_use]
pub fn verify_pieces(program: &Program, most: usize) -> Vec<Violation> {
    verify_from(program, Sizes::default(), most)
}

/// Verifies as [`verify_pieces`] does, what a program has had since its tables had these sizes.
pub(in crate::machine::fast) fn verify_from(
    program: &Program,
    from: Sizes,
    most: usize,
) -> Vec<Violation> {
    let mut check = Check {
        program,
        limits: Limits::MACHINE,
        found: Vec::new(),
        end: 0,
        start: 0,
        frame: 0,
        clearing: 0,
        before: Bits::default(),
    };
    check.tables(from);
    for (at, &(pc, owner)) in program.owners.iter().enumerate().skip(from.owners) {
        let end = program.owners.get(at + 1).map_or(program.code.len(), |(pc, _)| pc.0 as usize);
        if owner == Owner::Machine {
            continue;
        }
        match check.entry(owner) {
            Some(entry) if entry.pc == pc => {
                let work = (end - pc.0 as usize).saturating_mul(1 + entry.frame as usize);
                if work <= most {
                    check.piece(entry, end);
                }
            }
            _ => check.report(pc.0, "a piece begins here that nobody enters"),
        }
    }
    check.found
}

struct Check<'a> {
    program: &'a Program,
    limits: Limits,
    found: Vec<Violation>,
    /// Where the piece of code begins and ends.
    start: usize,
    end: usize,
    frame: u32,
    /// How many instructions at the beginning of the piece clear slots. Between them nothing
    /// can happen, so that what they have cleared need not count as alive yet.
    clearing: usize,
    /// The slots that are alive before the instruction that is checked; else empty.
    before: Bits,
}

impl Check<'_> {
    fn report(&mut self, at: u32, message: impl Into<String>) {
        self.found.push(Violation { at: Pc(at), message: message.into() });
    }

    fn tables(&mut self, from: Sizes) {
        let Program { gcode, code, origins, stack_map_of, globals, thunks, .. } = self.program;
        if code.len() != origins.len() || code.len() != stack_map_of.len() {
            self.report(0, "there are not as many origins and stack maps as instructions");
        }
        if globals.len() != gcode.globals.len() {
            self.report(0, "there are not as many globals as in G-code");
        }
        for (entry, global) in
            globals.since(from.globals).iter().zip(gcode.globals.since(from.globals))
        {
            if entry.takes != global.arity {
                self.report(entry.pc.0, "it does not take what its global takes");
            }
        }
        if code.len() > self.limits.instructions as usize {
            self.report(0, "there are more instructions than an offset can reach");
        }
        let arity = |con: ConId| gcode.cons.get(con).map(|con| con.arity);
        if (arity(CONS), arity(NIL)) != (Some(2), Some(0)) {
            self.report(0, "the constructors of lists are not there");
        }
        let immediate = |word: &Word| match word.view() {
            View::Int(_) | View::Float(_) | View::Char(_) | View::Nothing => true,
            View::Con(con) => arity(con) == Some(0),
            View::Function(id) => globals.get(id).is_some_and(|entry| entry.takes > 0),
            View::Node(_) => false,
        };
        if !self.program.consts.since(from.consts).iter().all(immediate) {
            self.report(0, "a constant is no immediate word of the program");
        }
        let selects = |row: &(ConId, u32)| arity(row.0).is_some_and(|fields| row.1 < fields);
        let thunks = || thunks.since(from.thunks).iter();
        if !thunks().all(|thunk| {
            thunk.selects.is_empty() || thunk.entry.takes == 1 && thunk.selects.iter().all(selects)
        }) {
            self.report(0, "a thunk selects a field that its constructor does not have");
        }
        for thunk in thunks() {
            let pc = thunk.entry.pc;
            let owners = &self.program.owners;
            let at = owners.binary_search_by_key(&pc, |(pc, _)| *pc);
            let owner = at.ok().and_then(|at| owners.get(at));
            if owner.and_then(|(_, owner)| self.entry(*owner)) != Some(thunk.entry) {
                self.report(pc.0, "a thunk enters what is no beginning, or has another frame");
            }
        }
    }

    /// Returns where a piece of code is entered.
    fn entry(&self, owner: Owner) -> Option<Entry> {
        match owner {
            Owner::Global(id) => self.program.globals.get(id).copied(),
            Owner::Thunk(id) => self.program.thunks.get(id).map(|thunk| thunk.entry),
            Owner::Machine => None,
        }
    }

    /// Checks a piece of code, in the order of its instructions: targets lie ahead.
    fn piece(&mut self, entry: Entry, end: usize) {
        (self.start, self.end, self.frame) = (entry.pc.0 as usize, end, entry.frame);
        if entry.takes > entry.frame || entry.frame > self.limits.frame {
            self.report(entry.pc.0, "its frame is smaller than what it takes, or too large");
            return;
        }
        let clears = |instr: &&Instr| match instr {
            Instr::Move { a, .. } => a
                .as_constant()
                .and_then(|id| self.program.consts.get(id))
                .is_some_and(|word| *word == Word::NOTHING),
            _ => false,
        };
        let code = self.program.code.get(self.start..end).unwrap_or_default();
        self.clearing = code.iter().take_while(clears).count();
        self.before = Bits::new(entry.frame);
        let mut ways: HashMap<usize, State> = HashMap::new();
        ways.insert(self.start, State::new(entry.takes, entry.frame));
        for pc in self.start..end {
            let Some(state) = ways.remove(&pc) else {
                self.report(pc as u32, "nothing leads here");
                continue;
            };
            if self.operands(pc) {
                self.step(pc, state, &mut ways);
            }
        }
    }

    fn here(&mut self, pc: usize, message: &str) {
        let text = listing::instr(self.program, &self.program.code[pc], self.start as u32);
        self.report(pc as u32, format!("{text}: {message}"));
    }

    /// Checks an instruction in the state before it, and hands the state after it on.
    fn step(&mut self, pc: usize, mut state: State, ways: &mut HashMap<usize, State>) {
        let program = self.program;
        let instr = &program.code[pc];
        let Some(alive) = program.stack_map_of.get(pc).and_then(|id| program.stack_maps.get(*id))
        else {
            return self.here(pc, "it has no stack map");
        };
        if alive.slots.windows(2).any(|pair| pair[0] >= pair[1]) {
            self.here(pc, "its live slots are not in order");
        }
        if alive.slots.iter().any(|&slot| !state.written.has(slot)) {
            self.here(pc, "what is not written on every way counts as alive");
        }
        alive.slots.iter().for_each(|&slot| self.before.put(slot));
        let writes = self.slots(pc, instr, &state);
        if let Err(message) = effect(program, instr, &mut state, &writes) {
            self.here(pc, message);
        }
        let follow = self.follow(instr, pc);
        self.liveness(pc, instr, &state, &writes, &follow);
        alive.slots.iter().for_each(|&slot| self.before.take(slot));
        self.lead(instr, state, follow, ways);
    }

    /// Checks the slots that an instruction names; those that it writes.
    fn slots(&mut self, pc: usize, instr: &Instr, state: &State) -> Vec<u32> {
        let program = self.program;
        let (mut problem, frame) = (None, self.frame);
        let mut note = |message: &'static str| _ = problem.get_or_insert(message);
        let mut writes = Vec::new();
        let (mut base, mut arguments) = (None, 0);
        instr.operands(&mut |_, operand| match operand {
            Operand::Base(Base(slot)) => base = Some(slot),
            Operand::Arg(_) => arguments += 1,
            Operand::Args(id) => arguments += program.args[id].len(),
            _ => {}
        });
        if let Instr::Apply1 { .. }
        | Instr::Apply2 { .. }
        | Instr::Apply3 { .. }
        | Instr::ApplyN { .. } = instr
        {
            arguments -= 1;
        }
        if base.is_some_and(|base| base as usize + 1 + arguments > frame as usize) {
            note("its arguments are not in the frame");
        }
        accesses(instr, &program.args, &program.slots, |access, slot| {
            if slot >= frame {
                note("a slot is not in the frame");
            }
            match access {
                Access::Write => writes.push(slot),
                Access::Read | Access::Force if !state.written.has(slot) => {
                    note("it reads what is not written on every way");
                }
                Access::Read | Access::Force if !self.before.has(slot) => {
                    note("it reads what does not count as alive");
                }
                Access::Read | Access::Force => {}
            }
        });
        if let Some(message) = problem {
            self.here(pc, message);
        }
        writes
    }

    /// Returns where an instruction leads, each place once, with the fields that the constructor
    /// that it has tested has there.
    fn follow(&self, instr: &Instr, pc: usize) -> Vec<(usize, u32)> {
        let program = self.program;
        let mut follow = Vec::new();
        let fields = |con: ConId| program.gcode.cons.get(con).map_or(0, |con| con.arity);
        if matches!(instr.op().flow(), Flow::Next | Flow::Branch) {
            let has = match *instr {
                Instr::CaseList { .. } => 2,
                Instr::Case1 { con, .. }
                | Instr::Case2 { con, .. }
                | Instr::Unpack2 { con, .. } => fields(con),
                _ => 0,
            };
            follow.push((pc + 1, has));
        }
        let other = match *instr {
            Instr::Case2 { con, .. } => fields(ConId(con.0 + 1)),
            _ => 0,
        };
        instr.operands(&mut |_, operand| match operand {
            Operand::To(Pc(to)) => follow.push((to as usize, other)),
            Operand::Case(id) => {
                let case = &program.cases[id];
                for (con, Pc(to)) in (case.first.0..).zip(&case.targets) {
                    follow.push((*to as usize, fields(ConId(con))));
                }
            }
            Operand::LitCase(id) => {
                let case = &program.lit_cases[id];
                follow.extend(case.words.iter().map(|(_, to)| (to.0 as usize, 0)));
                follow.extend(case.bigs.iter().map(|(_, to)| (to.0 as usize, 0)));
                follow.push((case.default.0 as usize, 0));
            }
            _ => {}
        });
        // The least number of fields first.
        follow.sort_unstable();
        follow.dedup_by_key(|(to, _)| *to);
        follow
    }

    /// Checks that what is alive after an instruction was alive before it, or is written by it.
    fn liveness(
        &mut self,
        pc: usize,
        instr: &Instr,
        state: &State,
        writes: &[u32],
        follow: &[(usize, u32)],
    ) {
        let (mut problem, mut base) = (None, None);
        let mut note = |message: &'static str| _ = problem.get_or_insert(message);
        instr.operands(&mut |_, operand| {
            if let Operand::Base(Base(slot)) = operand {
                base = Some(slot);
            }
        });
        for &(to, _) in follow {
            if to >= self.end {
                note("the code goes on past its end");
                continue;
            }
            // On the other path of a branch nothing has been written; it may not rely on that.
            let after =
                self.program.stack_map_of.get(to).and_then(|id| self.program.stack_maps.get(*id));
            for &slot in after.iter().flat_map(|live| &live.slots) {
                let cleared = to <= self.start + self.clearing && state.written.has(slot);
                if !writes.contains(&slot) && !self.before.has(slot) && !cleared {
                    note("what is alive after it and not written by it is not alive before it");
                }
                if base.is_some_and(|base| slot > base) {
                    note("a slot above its frame's beginning is alive during the call");
                }
            }
        }
        if let Some(message) = problem {
            self.here(pc, message);
        }
    }

    /// Propagates the state after an instruction to where control goes.
    fn lead(
        &mut self,
        instr: &Instr,
        state: State,
        follow: Vec<(usize, u32)>,
        ways: &mut HashMap<usize, State>,
    ) {
        let mut scrutinee = None;
        if let Instr::Case { a, .. }
        | Instr::Case1 { a, .. }
        | Instr::Case2 { a, .. }
        | Instr::Unpack2 { a, .. }
        | Instr::CaseList { a, .. } = instr
        {
            scrutinee = Some(a.0);
        }
        let mut written = Bits::default();
        let mut written_any = false;
        if let Instr::CaseList { head: Dst(head), tail: Dst(tail), .. }
        | Instr::Unpack2 { d: Dst(head), e: Dst(tail), .. } = instr
        {
            (written, written_any) = (Bits::new(self.frame), true);
            written.put(*head);
            written.put(*tail);
        }
        let (mut state, count) = (Some(state), follow.len());
        for (at, (to, fields)) in follow.into_iter().enumerate() {
            let next = if at + 1 == count { state.take() } else { state.clone() };
            let Some(mut next) = next else { return };
            if to >= self.end {
                continue;
            }
            if let (Some(slot), 1..) = (scrutinee, fields)
                && !(written_any && written.has(slot))
            {
                next.learn(slot, Fact::Con(fields));
            }
            match ways.get_mut(&to) {
                Some(others) => others.meet(&next),
                None => _ = ways.insert(to, next),
            }
        }
    }
}

/// Updates what is known of the slots by an instruction. An error if it takes a slot for what it is
/// not known to hold.
fn effect(
    program: &Program,
    instr: &Instr,
    state: &mut State,
    writes: &[u32],
) -> Result<(), &'static str> {
    let arity = |con: ConId| program.gcode.cons.get(con).map_or(0, |con| con.arity);
    let mut learned = None;
    match *instr {
        Instr::Hole { d: Dst(d), words } => learned = Some((d, Fact::Hole(words.max(0) as u32))),
        Instr::Con1 { d: Dst(d), con, .. }
        | Instr::Con2 { d: Dst(d), con, .. }
        | Instr::Con3 { d: Dst(d), con, .. }
        | Instr::ConN { d: Dst(d), con, .. } => learned = Some((d, Fact::Con(arity(con)))),
        Instr::Move { d: Dst(d), a } => {
            let fields = a.as_slot().map_or(0, |slot| state.fields(slot));
            learned = Some((d, Fact::Con(fields)));
        }
        Instr::FillCon { a: Slot(a), con, args } => {
            fill(state, a, program.args[args].len())?;
            learned = Some((a, Fact::Con(arity(con))));
        }
        Instr::FillThunk { a: Slot(a), args, .. } | Instr::FillPap { a: Slot(a), args, .. } => {
            fill(state, a, program.args[args].len())?;
        }
        Instr::FillInd { a: Slot(a), .. } => fill(state, a, 1)?,
        Instr::Field { a, index, .. } => has_field(state, a, index.into())?,
        Instr::Fields2 { a, .. } => has_field(state, a, 1)?,
        Instr::Fields3 { a, .. } => has_field(state, a, 2)?,
        Instr::Fields4 { a, .. } => has_field(state, a, 3)?,
        Instr::FieldsN { a, slots } => has_field(state, a, program.slots[slots].len() as i64 - 1)?,
        _ => {}
    }
    if state.unfilled > 0 && instr.op().flow() != Flow::Next {
        return Err("a hole has not been filled");
    }
    writes.iter().for_each(|&slot| state.write(slot));
    match learned {
        Some((slot, fact)) if fact != Fact::Con(0) => state.learn(slot, fact),
        _ => {}
    }
    Ok(())
}

/// Notes that a hole becomes something else.
fn fill(state: &mut State, slot: u32, fields: usize) -> Result<(), &'static str> {
    match state.fill(slot) {
        Some(words) if fields <= words as usize => Ok(()),
        Some(_) => Err("it fills a hole that is too small"),
        None => Err("it fills what is no hole on every way, or has been filled"),
    }
}

fn has_field(state: &State, Slot(slot): Slot, field: i64) -> Result<(), &'static str> {
    match (0..i64::from(state.fields(slot))).contains(&field) {
        true => Ok(()),
        false => Err("it reads a field of what is not known to have it"),
    }
}

//! What the machine may rely on: the checks that compact code passes.
//!
//! - Every operand names something; a call has as many arguments as its global takes, a
//!   constructor as many as it has fields, a thunk as many as its code takes.
//! - Every slot is below the size of the frame; the frame of a call begins above all slots
//!   that are alive during it, and its arguments are still in the caller's frame size.
//! - Targets lie ahead and in the same piece of code, which does not run past its end.
//! - What is read, or counts as alive, has been written on every way.
//! - What is read later counts as alive.

use std::collections::HashMap;
use std::fmt;

use super::access::{Access, accesses};
use super::instr::{Base, Flow, Instr, Operand, Pc};
use super::listing;
use super::program::{Entry, Owner, Program};
use crate::gcode::instr::Arities;
use crate::machine::heap::word::Word;

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

/// What is wrong with a program; empty if nothing is.
#[must_use]
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut check = Check { program, found: Vec::new(), end: 0, start: 0, frame: 0, clearing: 0 };
    check.tables();
    for (at, &(pc, owner)) in program.owners.iter().enumerate() {
        let end = program.owners.get(at + 1).map_or(program.code.len(), |(pc, _)| pc.0 as usize);
        let entry = match owner {
            Owner::Global(id) => program.globals.get(id),
            Owner::Thunk(id) => program.thunks.get(id).map(|thunk| &thunk.entry),
        };
        match entry {
            Some(entry) if entry.pc == pc => check.piece(*entry, end),
            _ => check.report(pc.0, "a piece begins here that nobody enters"),
        }
    }
    check.found
}

struct Check<'a> {
    program: &'a Program,
    found: Vec<Violation>,
    /// Where the piece of code begins and ends.
    start: usize,
    end: usize,
    frame: u32,
    /// How many instructions at the beginning of the piece clear slots. Between them nothing
    /// can happen, so that what they have cleared need not count as alive yet.
    clearing: usize,
}

/// A set of slots as bits.
type Bits = Vec<u64>;

fn has(bits: &Bits, slot: u32) -> bool {
    bits.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
}

fn put(bits: &mut Bits, slot: u32) {
    if let Some(word) = bits.get_mut(slot as usize / 64) {
        *word |= 1 << (slot % 64);
    }
}

impl Check<'_> {
    fn report(&mut self, at: u32, message: impl Into<String>) {
        self.found.push(Violation { at: Pc(at), message: message.into() });
    }

    fn tables(&mut self) {
        let Program { gcode, code, origins, live, globals, thunks, .. } = self.program;
        if code.len() != origins.len() || code.len() != live.len() {
            self.report(0, "there are not as many origins and live sets as instructions");
        }
        if globals.len() != gcode.globals.len() {
            self.report(0, "there are not as many globals as in G-code");
        }
        for (entry, global) in globals.iter().zip(gcode.globals.iter()) {
            if entry.takes != global.arity {
                self.report(entry.pc.0, "it does not take what its global takes");
            }
        }
        let entries: HashMap<Pc, Entry> = globals
            .iter()
            .chain(thunks.iter().map(|thunk| &thunk.entry))
            .map(|entry| (entry.pc, *entry))
            .collect();
        for thunk in thunks.iter() {
            let pc = thunk.entry.pc;
            let begins = self.program.owners.binary_search_by_key(&pc, |(pc, _)| *pc).is_ok();
            if !begins || entries.get(&pc) != Some(&thunk.entry) {
                self.report(pc.0, "a thunk enters what is no beginning, or has another frame");
            }
        }
    }

    fn piece(&mut self, entry: Entry, end: usize) {
        (self.start, self.end, self.frame) = (entry.pc.0 as usize, end, entry.frame);
        if entry.takes > entry.frame {
            self.report(entry.pc.0, "its frame is smaller than what it takes");
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
        let words = entry.frame as usize / 64 + 1;
        let mut ways: HashMap<usize, Bits> = HashMap::new();
        let mut first: Bits = vec![0; words];
        (0..entry.takes).for_each(|slot| put(&mut first, slot));
        ways.insert(self.start, first);
        for pc in self.start..end {
            let Some(written) = ways.remove(&pc) else {
                self.report(pc as u32, "nothing leads here");
                continue;
            };
            if self.operands(pc) {
                self.step(pc, written, &mut ways);
            }
        }
    }

    fn here(&mut self, pc: usize, message: &str) {
        let text = listing::instr(self.program, &self.program.code[pc], self.start as u32);
        self.report(pc as u32, format!("{text}: {message}"));
    }

    /// Whether every operand names something; checks how many there are.
    fn operands(&mut self, pc: usize) -> bool {
        let program = self.program;
        let gcode = &program.gcode;
        let instr = &program.code[pc];
        let (mut known, mut count, mut expected) = (true, 0, None);
        let mut targets = Vec::new();
        instr.operands(|_, operand| match operand {
            Operand::Arg(arg) => {
                count += 1;
                if let Some(id) = arg.as_constant() {
                    known &= program.consts.get(id).is_some();
                }
            }
            Operand::Args(id) => match program.args.get(id) {
                Some(list) => {
                    count += list.len();
                    for id in list.iter().filter_map(|arg| arg.as_constant()) {
                        known &= program.consts.get(id).is_some();
                    }
                }
                None => known = false,
            },
            Operand::Slots(id) => known &= program.slots.get(id).is_some(),
            Operand::To(pc) => targets.push(pc),
            Operand::Case(id) => match program.cases.get(id) {
                Some(case) => {
                    targets.extend(&case.targets);
                    let last = case.first.0 as usize + case.targets.len();
                    known &= last <= gcode.cons.len();
                }
                None => known = false,
            },
            Operand::LitCase(id) => match program.lit_cases.get(id) {
                Some(case) => {
                    targets.extend(case.words.iter().map(|(_, pc)| *pc));
                    targets.extend(case.bigs.iter().map(|(_, pc)| *pc));
                    targets.push(case.default);
                    known &= case.words.windows(2).all(|w| w[0].0.bits() < w[1].0.bits());
                    known &= case.bigs.iter().all(|(big, _)| program.bigs.get(*big).is_some());
                }
                None => known = false,
            },
            Operand::Global(id) => match program.globals.get(id) {
                Some(entry) => expected = Some(entry.takes as usize),
                None => known = false,
            },
            Operand::Thunk(id) => match program.thunks.get(id) {
                Some(thunk) => expected = Some(thunk.entry.takes as usize),
                None => known = false,
            },
            Operand::Con(id) => match gcode.cons.get(id) {
                Some(con) => expected = Some(con.arity as usize),
                None => known = false,
            },
            Operand::Text(id) => known &= gcode.texts.get(id).is_some(),
            Operand::Big(id) => known &= program.bigs.get(id).is_some(),
            Operand::Host(id) => match gcode.hosts.get(id) {
                Some(_) => expected = Some(gcode.host_arity(id) as usize),
                None => known = false,
            },
            Operand::Dst(_)
            | Operand::Forced(_)
            | Operand::Slot(_)
            | Operand::Base(_)
            | Operand::Int(_) => {}
        });
        if !known {
            self.report(pc as u32, format!("{instr:?} names nothing"));
            return false;
        }
        match instr {
            Instr::Pap { .. } | Instr::FillPap { .. } => {
                if expected.is_none_or(|takes| count == 0 || count >= takes) {
                    self.here(pc, "it is no partial application");
                }
            }
            _ => {
                if expected.is_some_and(|takes| takes != count) {
                    self.here(pc, "it has not as many operands as it takes");
                }
            }
        }
        let ahead = |Pc(to): &Pc| (*to as usize) > pc && (*to as usize) < self.end;
        if !targets.iter().all(ahead) {
            self.here(pc, "it goes back, or out of its code");
            return false;
        }
        true
    }

    /// Checks an instruction, given the slots written before it, and hands on those written
    /// after it.
    fn step(&mut self, pc: usize, mut written: Bits, ways: &mut HashMap<usize, Bits>) {
        let program = self.program;
        let instr = &program.code[pc];
        let (mut problem, frame) = (None, self.frame);
        let mut note = |message: &'static str| _ = problem.get_or_insert(message);
        let mut before: Bits = vec![0; written.len()];
        let Some(alive) = program.live.get(pc).and_then(|id| program.lives.get(*id)) else {
            return self.here(pc, "it has no live set");
        };
        if alive.slots.windows(2).any(|pair| pair[0] >= pair[1]) {
            note("its live slots are not in order");
        }
        for &slot in &alive.slots {
            put(&mut before, slot);
            if !has(&written, slot) {
                note("what is not written on every way counts as alive");
            }
        }
        let (mut writes, mut base) = (Vec::new(), None);
        instr.operands(|_, operand| {
            if let Operand::Base(Base(slot)) = operand {
                base = Some(slot);
            }
        });
        accesses(instr, &program.args, &program.slots, |access, slot| {
            if slot >= frame {
                note("a slot is not in the frame");
            }
            match access {
                Access::Write => writes.push(slot),
                Access::Read | Access::Force if !has(&written, slot) => {
                    note("it reads what is not written on every way");
                }
                Access::Read | Access::Force if !has(&before, slot) => {
                    note("it reads what does not count as alive");
                }
                Access::Read | Access::Force => {}
            }
        });
        writes.iter().for_each(|&slot| put(&mut written, slot));
        let mut follow = Vec::new();
        if matches!(instr.op().flow(), Flow::Next | Flow::Branch) {
            follow.push(pc + 1);
        }
        instr.operands(|_, operand| match operand {
            Operand::To(Pc(to)) => follow.push(to as usize),
            Operand::Case(id) => {
                follow.extend(program.cases[id].targets.iter().map(|to| to.0 as usize));
            }
            Operand::LitCase(id) => {
                let case = &program.lit_cases[id];
                follow.extend(case.words.iter().map(|(_, to)| to.0 as usize));
                follow.extend(case.bigs.iter().map(|(_, to)| to.0 as usize));
                follow.push(case.default.0 as usize);
            }
            _ => {}
        });
        for to in follow {
            if to >= self.end {
                note("the code goes on past its end");
                continue;
            }
            // On the other way of a branch nothing has been written; it may not rely on that.
            let after = program.live.get(to).and_then(|id| program.lives.get(*id));
            for &slot in after.iter().flat_map(|live| &live.slots) {
                let cleared = to <= self.start + self.clearing && has(&written, slot);
                if !writes.contains(&slot) && !has(&before, slot) && !cleared {
                    note("what is alive after it and not written by it is not alive before it");
                }
                if base.is_some_and(|base| slot > base) {
                    note("a slot above its frame's beginning is alive during the call");
                }
            }
            match ways.get_mut(&to) {
                Some(others) => {
                    others.iter_mut().zip(&written).for_each(|(word, other)| *word &= other);
                }
                None => _ = ways.insert(to, written.clone()),
            }
        }
        if let Some(message) = problem {
            self.here(pc, message);
        }
    }
}

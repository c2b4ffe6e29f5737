//! Operands: that they name something, and that there are as many as an instruction takes.

use super::super::cheap::{is_cheap, sum_with};
use super::super::instr::{Instr, Operand, Pc};
use super::Check;
use crate::gcode::instr::Arities;
use crate::gcode::program::ConId;

impl Check<'_> {
    /// Returns whether every operand names something; checks how many there are, and how large.
    pub(super) fn operands(&mut self, pc: usize) -> bool {
        let program = self.program;
        let gcode = &program.gcode;
        let instr = &program.code[pc];
        let (mut known, mut count, mut expected) = (true, 0, None);
        let mut targets = Vec::new();
        instr.operands(&mut |_, operand| match operand {
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
                    let bigs = case.bigs.iter().map(|(id, _)| program.bigs.get(*id));
                    known &= bigs.clone().all(|big| big.is_some());
                    known &= bigs.clone().zip(bigs.skip(1)).all(|(a, b)| a < b);
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
            Operand::Effect(effect) => expected = Some(effect.arity() as usize),
            Operand::Dst(_)
            | Operand::Forced(_)
            | Operand::Slot(_)
            | Operand::Base(_)
            | Operand::Int(_)
            | Operand::Char(_)
            | Operand::Float(_)
            | Operand::Primitive(_) => {}
        });
        if !known {
            self.report(pc as u32, format!("{instr:?} names nothing"));
            return false;
        }
        self.counts(pc, instr, count, expected);
        let ahead = |Pc(to): &Pc| (*to as usize) > pc && (*to as usize) < self.end;
        if !targets.iter().all(ahead) {
            self.here(pc, "it goes back, or out of its code");
            return false;
        }
        true
    }

    /// Returns the constructors of a constructor's data type.
    fn siblings(&self, con: ConId) -> &[ConId] {
        let gcode = &self.program.gcode;
        let data = gcode.cons.get(con).and_then(|con| gcode.datas.get(con.data));
        data.map_or(&[], |data| &data.cons)
    }

    /// Checks that an instruction with `count` operands that are read has as many as it takes.
    fn counts(&mut self, pc: usize, instr: &Instr, count: usize, expected: Option<usize>) {
        let most = self.limits.frame as usize;
        match *instr {
            Instr::Pap { .. } | Instr::FillPap { .. }
                if expected.is_none_or(|takes| count == 0 || count >= takes) =>
            {
                self.here(pc, "it is no partial application");
            }
            Instr::Pap { .. } | Instr::FillPap { .. } => {}
            // The function is an operand, too.
            Instr::ApplyN { .. } | Instr::TailApplyN { .. } if !(2..=most + 1).contains(&count) => {
                self.here(pc, "it has no arguments, or too many");
            }
            Instr::Case1 { con, .. } | Instr::Unpack2 { con, .. }
                if self.siblings(con) != [con] =>
            {
                self.here(pc, "it goes by the only constructor of a data type that has others");
            }
            Instr::Case2 { con, .. } if !matches!(self.siblings(con), [first, _] if *first == con) =>
            {
                self.here(pc, "it goes by the first of two constructors, and there are not two");
            }
            Instr::Unpack2 { .. } if expected != Some(2) => {
                self.here(pc, "it reads a field that its constructor does not have");
            }
            Instr::Case1 { .. } | Instr::Case2 { .. } | Instr::Unpack2 { .. } => {}
            Instr::Hole { words, .. } if words < 1 || words > self.limits.fields as i32 => {
                self.here(pc, "a node has no such number of fields");
            }
            Instr::Halt {} => self.here(pc, "it is the machine's own"),
            Instr::CheapSum { thunk, k, .. }
                if sum_with(self.program, self.program.thunks[thunk].entry) != Some(k) =>
            {
                self.here(pc, "the code of the thunk does something else than to add that");
            }
            Instr::Cheap1 { thunk, .. }
            | Instr::Cheap2 { thunk, .. }
            | Instr::Cheap3 { thunk, .. }
            | Instr::CheapN { thunk, .. }
                if !is_cheap(self.program, self.program.thunks[thunk].entry) =>
            {
                self.here(pc, "the code of the thunk may do something else than to compute");
            }
            _ if expected.is_some_and(|takes| takes != count) => {
                self.here(pc, "it has not as many operands as it takes");
            }
            _ => {}
        }
    }
}

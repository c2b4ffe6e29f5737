//! Blocks to code: variables get slots.
//!
//! Blocks are taken in order. At each point the slots of the variables that are alive are
//! known; a variable that is born takes the lowest other one. The value of a call is born at
//! the first slot above all that are alive, where the call's frame begins. A variable of a join
//! takes the slot of what first moves there, if that is free.

use std::mem;

use super::super::code::instr::{Arg, Base, Dst, Instr, Operand, Pc, Slot};
use super::super::code::program::{Entry, Origin, Owner, StackMapId};
use super::bits::Bits;
use super::live::Liveness;
use super::order::order;
use super::output::Output;
use super::parallel::in_order;
use super::tidy::tidy;
use super::unit::{Move, NONE, Source, Term, Unit};
use super::{FRAME, FUNCTION, INSTRUCTIONS, Limits, TooLarge, Translator, too_large};
use crate::machine::heap::word::Word;

/// The slot above all others, where calls begin, if live sets are coarse.
const TOP: u32 = (1 << 31) - 1;
/// The stack maps of coarse live sets: all slots; and those and the one above.
const ALL: StackMapId = StackMapId(0);
const WITH_TOP: StackMapId = StackMapId(1);

/// What is used again from unit to unit.
#[derive(Default)]
pub(super) struct Scratch {
    live: Liveness,
    /// The slot of each variable.
    slots: Vec<u32>,
    code: Vec<Instr>,
    origins: Vec<Origin>,
    maps: Vec<StackMapId>,
    /// Where each block begins.
    places: Vec<u32>,
    active: Bits,
}

struct Emitter<'a> {
    limits: Limits,
    unit: &'a Unit,
    out: &'a mut Output,
    scratch: &'a mut Scratch,
    /// How many slots the frame has so far.
    frame: u32,
    /// How many more calls take, if live sets are coarse.
    over: u32,
    /// The last set of live slots, and its stack map.
    last: (Bits, StackMapId),
}

impl Translator<'_> {
    /// Emits the code of the unit.
    pub(super) fn emit(&mut self, owner: Owner) -> Result<Entry, TooLarge> {
        let order = order(&self.unit, &self.out);
        let mut scratch = mem::take(&mut self.scratch);
        scratch.live.analyse(&self.unit, &self.out, &self.globals, &order);
        let (unit, out) = (&self.unit, &mut self.out);
        let empty = out.stack_map(&[]);
        let mut emitter = Emitter {
            limits: self.limits,
            unit,
            out,
            scratch: &mut scratch,
            frame: unit.takes,
            over: 0,
            last: (Bits::default(), empty),
        };
        let entry = emitter.unit(&order, owner);
        self.scratch = scratch;
        entry
    }
}

impl Emitter<'_> {
    fn unit(&mut self, order: &[u32], owner: Owner) -> Result<Entry, TooLarge> {
        let scratch = &mut *self.scratch;
        scratch.slots.clear();
        scratch.slots.resize(self.unit.vars() as usize, NONE);
        scratch.places.clear();
        scratch.places.resize(self.unit.blocks.len(), 0);
        scratch.active.clear();
        for parameter in 0..self.unit.takes {
            scratch.slots[parameter as usize] = parameter;
            scratch.active.insert(parameter);
        }
        for (at, &block) in order.iter().enumerate() {
            self.block(block, order.get(at + 1).copied());
        }
        self.place(owner)
    }

    /// Appends the code to the program's.
    fn place(&mut self, owner: Owner) -> Result<Entry, TooLarge> {
        let Emitter { out, scratch, frame, over, unit, limits, .. } = self;
        let (frame, over, takes) = (*frame, *over, unit.takes);
        if frame.saturating_add(over) > limits.frame {
            return Err(too_large(FRAME));
        }
        let pc = out.program.code.len();
        if scratch.code.iter().any(|instr| matches!(instr, Instr::Jump { .. })) {
            let program = &out.program;
            let stays = tidy(&scratch.code, &mut scratch.places, |instr, visit| {
                instr.operands(&mut |_, operand| match operand {
                    Operand::To(Pc(to)) => visit(to),
                    Operand::Case(case) => {
                        program.cases[case].targets.iter().for_each(|to| visit(to.0));
                    }
                    Operand::LitCase(case) => {
                        let case = &program.lit_cases[case];
                        case.words.iter().for_each(|(_, to)| visit(to.0));
                        case.bigs.iter().for_each(|(_, to)| visit(to.0));
                        visit(case.default.0);
                    }
                    _ => {}
                });
            });
            let mut at = stays.iter();
            scratch.code.retain(|_| at.next().copied().unwrap_or(true));
            let mut at = stays.iter();
            scratch.origins.retain(|_| at.next().copied().unwrap_or(true));
            let mut at = stays.iter();
            scratch.maps.retain(|_| at.next().copied().unwrap_or(true));
        }
        if scratch.live.coarse {
            // Every slot counts as alive, so every one holds something from the start.
            let nothing = out.constant(Word::NOTHING);
            let mut taken = Bits::default();
            (0..takes).for_each(|slot| taken.insert(slot));
            let at_first = out.stack_map(taken.words());
            (takes..frame).for_each(|slot| taken.insert(slot));
            let all = out.stack_map(taken.words());
            taken.insert(frame);
            let with_top = out.stack_map(taken.words());
            for slot in takes..frame {
                out.program.code.push(Instr::Move { d: Dst(slot), a: nothing });
                out.program.origins.push(Origin::NONE);
                out.program.stack_map_of.push(at_first);
            }
            for (instr, map) in scratch.code.iter_mut().zip(&mut scratch.maps) {
                *map = if *map == WITH_TOP { with_top } else { all };
                instr.map_slots(&mut |slot| if slot == TOP { frame } else { slot });
            }
        }
        let frame = frame + over;
        let start = out.program.code.len() as u32;
        let mut place = |Pc(block): Pc| Pc(start + scratch.places[block as usize]);
        for instr in &mut scratch.code {
            instr.map_targets(&mut place);
            match *instr {
                Instr::Case { case, .. } => {
                    let case = &mut out.program.cases[case];
                    case.targets.iter_mut().for_each(|to| *to = place(*to));
                }
                Instr::LitCase { case, .. } => {
                    let case = &mut out.program.lit_cases[case];
                    case.words.iter_mut().for_each(|(_, to)| *to = place(*to));
                    case.bigs.iter_mut().for_each(|(_, to)| *to = place(*to));
                    case.default = place(case.default);
                }
                _ => {}
            }
        }
        out.program.code.append(&mut scratch.code);
        out.program.origins.append(&mut scratch.origins);
        out.program.stack_map_of.append(&mut scratch.maps);
        if out.program.code.len() > limits.instructions as usize {
            return Err(too_large(INSTRUCTIONS));
        }
        if out.program.consts.len() > limits.function as usize {
            return Err(too_large(FUNCTION));
        }
        let pc = Pc(pc as u32);
        out.program.owners.push((pc, owner));
        Ok(Entry { pc, frame, takes })
    }

    fn slot(&self, var: u32) -> u32 {
        self.scratch.slots[var as usize]
    }

    /// Appends an instruction whose slots are assigned, with the stack map before it.
    fn push(&mut self, instr: Instr, origin: Origin, map: StackMapId) {
        self.scratch.code.push(instr);
        self.scratch.origins.push(origin);
        self.scratch.maps.push(map);
    }

    /// Returns the stack map of the slots that are alive now.
    fn map_here(&mut self) -> StackMapId {
        if self.scratch.live.coarse {
            return ALL;
        }
        if self.last.0.words() != self.scratch.active.words() {
            self.last.0.assign(&self.scratch.active);
            self.last.1 = self.out.stack_map(self.last.0.words());
        }
        self.last.1
    }

    fn take(&mut self, var: u32, slot: u32) {
        self.scratch.slots[var as usize] = slot;
        self.scratch.active.insert(slot);
        self.frame = self.frame.max(slot + 1);
    }

    fn block(&mut self, id: u32, next: Option<u32>) {
        let unit = self.unit;
        let block = &unit.blocks[id as usize];
        self.scratch.places[id as usize] = self.scratch.code.len() as u32;
        if !self.scratch.live.coarse {
            let scratch = &mut *self.scratch;
            scratch.active.clear();
            for &var in scratch.live.at(id) {
                scratch.active.insert(scratch.slots[var as usize]);
            }
        }
        for at in block.start as usize..block.end as usize {
            if !self.scratch.live.unneeded[at] {
                self.instr(unit.instrs[at], unit.origins[at], at);
            }
        }
        let point = unit.instrs.len() + id as usize;
        let target = |edge: u32| unit.edges[edge as usize].to;
        let fallthrough = match block.term {
            Term::Open => None,
            Term::Goto(edge) => {
                self.moves(block.moves, target(edge), point);
                Some(target(edge))
            }
            Term::Branch(mut instr, edge) => {
                instr.map_targets(&mut |Pc(edge)| Pc(target(edge)));
                self.instr(instr, block.origin, point);
                Some(target(edge))
            }
            Term::Case(instr, case) => {
                let targets = &mut self.out.program.cases[case].targets;
                targets.iter_mut().for_each(|Pc(to)| *to = target(*to));
                self.instr(instr, block.origin, point);
                None
            }
            Term::LitCase(instr, case) => {
                let case = &mut self.out.program.lit_cases[case];
                case.words.iter_mut().for_each(|(_, Pc(to))| *to = target(*to));
                case.bigs.iter_mut().for_each(|(_, Pc(to))| *to = target(*to));
                case.default.0 = target(case.default.0);
                self.instr(instr, block.origin, point);
                None
            }
            Term::End(instr) => {
                self.instr(instr, block.origin, point);
                None
            }
        };
        if let Some(to) = fallthrough
            && next != Some(to)
        {
            let map = self.entering(to);
            self.push(Instr::Jump { to: Pc(to) }, block.origin.span.into(), map);
        }
    }

    /// Returns the stack map where a block begins.
    fn entering(&mut self, block: u32) -> StackMapId {
        if self.scratch.live.coarse {
            return ALL;
        }
        let mut alive = Bits::default();
        for &var in self.scratch.live.at(block) {
            alive.insert(self.slot(var));
        }
        self.out.stack_map(alive.words())
    }

    /// Emits an instruction on variables: those that it uses last give their slots up, those that
    /// it writes get one.
    fn instr(&mut self, mut instr: Instr, origin: Origin, point: usize) {
        let map = self.map_here();
        let deaths = self.scratch.live.deaths(point).to_vec();
        let (mut died, mut stillborn) = (Vec::new(), Vec::new());
        for &var in &deaths {
            match self.slot(var) {
                NONE => stillborn.push(var),
                slot => {
                    self.scratch.active.remove(slot);
                    died.push(slot);
                }
            }
        }
        // In coarse sets what is read and written last here has its slot taken already.
        let mut born = Vec::new();
        match instr {
            Instr::CaseList { head: Dst(d), tail: Dst(e), .. }
            | Instr::Unpack2 { d: Dst(d), e: Dst(e), .. } => born.extend([d, e]),
            Instr::FieldsN { slots, .. } => {
                born.extend(self.out.program.slots[slots].iter().flatten());
            }
            _ => instr.operands(&mut |_, operand| {
                if let Operand::Dst(Dst(d)) | Operand::Base(Base(d)) = operand {
                    born.push(d);
                }
            }),
        }
        if !stillborn.is_empty() {
            stillborn.sort_unstable();
            let dead = |var: &u32| stillborn.binary_search(var).is_ok();
            instr = self.without(instr, &dead);
            // Those that live get the lower slots.
            born.sort_by_key(|var| dead(var));
        }
        if let (Some(arguments), &[value]) = (self.calls(&instr), &born[..]) {
            if self.scratch.live.coarse {
                self.over = self.over.max(1 + arguments);
                self.scratch.slots[value as usize] = TOP;
            } else {
                let base = self.scratch.active.top();
                self.frame = self.frame.max(base + 1 + arguments);
                self.take(value, base);
            }
        } else {
            for var in born {
                let slot = self.free(var);
                self.take(var, slot);
            }
        }
        for &var in &stillborn {
            let slot = self.slot(var);
            self.scratch.active.remove(slot);
            died.push(slot);
        }
        let slots = &self.scratch.slots;
        instr.map_slots(&mut |var| slots[var as usize]);
        self.lists(&instr);
        self.push(instr, origin, map);
        if self.scratch.live.coarse && point < self.unit.instrs.len() {
            self.after_coarse(&instr, point, died);
        }
    }

    /// Moves, in coarse sets and after an instruction, the value of a call down from the top of the
    /// frame, and clears the slots of what has died.
    fn after_coarse(&mut self, instr: &Instr, point: usize, mut died: Vec<u32>) {
        if self.calls(instr).is_some()
            && let Some(slot) = self.move_value_down(point)
            && died.contains(&TOP)
        {
            // Nothing uses the value.
            self.scratch.active.remove(slot);
            died.push(slot);
        }
        self.clear_dead(died);
    }

    /// Moves the value of the call at a point from the top of the frame to a slot of its own,
    /// which is returned.
    fn move_value_down(&mut self, point: usize) -> Option<u32> {
        let mut value = None;
        self.unit.instrs[point].operands(&mut |_, operand| {
            if let Operand::Base(Base(var)) = operand {
                value = Some(var);
            }
        });
        let var = value?;
        let slot = self.free(var);
        self.take(var, slot);
        let down = Instr::Move { d: Dst(slot), a: Arg::slot(TOP) };
        self.push(down, Origin::NONE, WITH_TOP);
        Some(slot)
    }

    /// Clears slots, unless something else has taken them.
    fn clear_dead(&mut self, mut died: Vec<u32>) {
        let nothing = self.out.constant(Word::NOTHING);
        let active = &self.scratch.active;
        died.retain(|&slot| slot != TOP && !active.contains(slot));
        for slot in died {
            self.push(Instr::Move { d: Dst(slot), a: nothing }, Origin::NONE, ALL);
        }
    }

    /// Returns how many arguments a call copies, and its return.
    fn calls(&self, instr: &Instr) -> Option<u32> {
        Some(match *instr {
            Instr::Call1 { .. } | Instr::Try { .. } => 1,
            Instr::Call2 { .. } => 2,
            Instr::Call3 { .. } => 3,
            Instr::CallN { args, .. } | Instr::TryCall { args, .. } => {
                self.out.program.args[args].len() as u32
            }
            Instr::Apply1 { .. } => 2,
            Instr::Apply2 { .. } => 3,
            Instr::Apply3 { .. } => 4,
            Instr::ApplyN { args, .. } => 1 + self.out.program.args[args].len() as u32,
            _ => return None,
        })
    }

    /// Returns a free slot for a variable.
    fn free(&self, var: u32) -> u32 {
        let active = &self.scratch.active;
        let meant = self.unit.goes_to(var);
        if meant != NONE {
            let slot = self.slot(meant);
            if slot != NONE && !active.contains(slot) {
                return slot;
            }
        }
        active.lowest_free()
    }

    /// Returns an instruction that writes several slots, without those that nothing uses.
    fn without(&mut self, instr: Instr, dead: &dyn Fn(&u32) -> bool) -> Instr {
        match instr {
            Instr::Fields2 { d, e, a } if dead(&d.0) => Instr::Field { d: e, a, index: 1 },
            Instr::Fields2 { d, e, a } if dead(&e.0) => Instr::Field { d, a, index: 0 },
            Instr::Fields3 { d, e, f, a } => {
                let slots = self.out.slots([d.0, e.0, f.0]);
                self.without(Instr::FieldsN { a, slots }, dead)
            }
            Instr::Fields4 { d, e, f, g, a } => {
                let slots = self.out.slots([d.0, e.0, f.0, g.0]);
                self.without(Instr::FieldsN { a, slots }, dead)
            }
            Instr::FieldsN { a: Slot(a), slots } => {
                let list = &mut self.out.program.slots[slots];
                for field in list.iter_mut() {
                    *field = field.filter(|var| !dead(var));
                }
                let mut left = (0..).zip(list.iter()).filter_map(|(at, var)| Some((at, (*var)?)));
                match (left.next(), left.next()) {
                    (Some((index, d)), None) => Instr::Field { d: Dst(d), a: Slot(a), index },
                    _ => instr,
                }
            }
            _ => instr,
        }
    }

    /// Gives the slots in the lists of an instruction their numbers.
    fn lists(&mut self, instr: &Instr) {
        let (program, slots) = (&mut self.out.program, &self.scratch.slots);
        instr.operands(&mut |_, operand| match operand {
            Operand::Args(id) => {
                for arg in &mut program.args[id] {
                    if let Some(var) = arg.as_slot() {
                        *arg = Arg::slot(slots[var as usize]);
                    }
                }
            }
            Operand::Slots(id) => {
                for var in program.slots[id].iter_mut().flatten() {
                    *var = slots[*var as usize];
                }
            }
            _ => {}
        });
    }

    /// Emits what the only edge of a block moves into the variables of a join.
    fn moves(&mut self, (start, end): (u32, u32), to: u32, point: usize) {
        let moves = &self.unit.moves[start as usize..end as usize];
        if moves.is_empty() {
            return;
        }
        let needed = &self.scratch.live.needed_moves[start as usize..end as usize];
        let needed = moves.iter().zip(needed).filter(|(_, needed)| **needed);
        let moves: Vec<Move> = needed.map(|(step, _)| *step).collect();
        let mut taken = self.taken_at(to);
        let code = self.join_code(&moves, &mut taken);
        let maps = self.maps_before(&code, taken);
        let origin = self.unit.blocks[point - self.unit.instrs.len()].origin;
        for (instr, map) in code.into_iter().zip(maps) {
            self.push(instr, origin, map);
        }
        if self.scratch.live.coarse {
            let deaths = self.scratch.live.deaths(point).to_vec();
            for var in deaths {
                let slot = self.slot(var);
                self.scratch.active.remove(slot);
            }
        }
    }

    /// Returns the slots that are taken where a join begins, as far as its variables have slots.
    fn taken_at(&self, join: u32) -> Bits {
        if self.scratch.live.coarse {
            return self.scratch.active.clone();
        }
        let mut taken = Bits::default();
        for &var in self.scratch.live.at(join) {
            if self.slot(var) != NONE {
                taken.insert(self.slot(var));
            }
        }
        taken
    }

    /// Returns instructions that do moves into the variables of a join at once; variables without a
    /// slot get one.
    fn join_code(&mut self, moves: &[Move], taken: &mut Bits) -> Vec<Instr> {
        let (mut slots, mut others) = (Vec::new(), Vec::new());
        for step in moves {
            let source = match step.from {
                Source::Arg(arg) => arg.as_slot().map(|var| self.slot(var)),
                Source::Caf(_) => None,
            };
            if self.slot(step.to) == NONE {
                let kept = source.filter(|&slot| !taken.contains(slot));
                let slot = kept.unwrap_or_else(|| taken.lowest_free());
                self.take(step.to, slot);
                taken.insert(slot);
            }
            let target = self.slot(step.to);
            match (source, step.from) {
                (Some(from), _) => slots.push((target, from)),
                (None, Source::Arg(a)) => others.push(Instr::Move { d: Dst(target), a }),
                (None, Source::Caf(global)) => others.push(Instr::Caf { d: Dst(target), global }),
            }
        }
        let named = slots.iter().map(|&(to, from)| to.max(from) + 1).max().unwrap_or(0);
        let spare = taken.top().max(named);
        let mut code: Vec<Instr> = Vec::new();
        for (to, a) in in_order(&slots, spare) {
            self.frame = self.frame.max(to + 1);
            code.push(Instr::Move { d: Dst(to), a });
        }
        code.extend(others);
        code
    }

    /// Returns the stack map before each of some moves, after which the slots in `alive` are alive.
    fn maps_before(&mut self, code: &[Instr], mut alive: Bits) -> Vec<StackMapId> {
        let mut maps = Vec::with_capacity(code.len());
        for instr in code.iter().rev() {
            match *instr {
                Instr::Move { d: Dst(d), a } => {
                    alive.remove(d);
                    if let Some(slot) = a.as_slot() {
                        alive.insert(slot);
                    }
                }
                Instr::Caf { d: Dst(d), .. } => alive.remove(d),
                _ => {}
            }
            let coarse = self.scratch.live.coarse;
            maps.push(if coarse { ALL } else { self.out.stack_map(alive.words()) });
        }
        maps.reverse();
        maps
    }
}

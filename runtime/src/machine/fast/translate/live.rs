//! What is alive where; and what nothing uses goes.
//!
//! A pass backwards over the blocks. Where sets of variables would take too much room, in
//! functions with very many variables alive at very many places, a variable counts as alive
//! from its first entry in the order of the code to the last one: coarse, and right,
//! because no edge leads back.

use super::super::code::access::{Access, accesses};
use super::super::code::instr::{Arg, Forced, Instr};
use super::known::Globals;
use super::output::Output;
use super::unit::{NONE, Source, Term, Unit};

/// The most variables that may be alive, in the mean, at a place of a function; and how many more
/// the sets of a function may have in all.
const MEAN: usize = 64;
const SPARE: usize = 1 << 16;

/// What is alive where. A *point* is an instruction of the unit, or, behind those, the end
/// of a block.
#[derive(Default)]
pub(super) struct Liveness {
    /// For each block where in `sets` the variables are that are alive where it begins.
    blocks: Vec<(u32, u32)>,
    sets: Vec<u32>,
    /// For each point where in `deaths` the variables are that it uses last, or writes for
    /// nothing.
    points: Vec<(u32, u32)>,
    deaths: Vec<u32>,
    /// The instructions that are not needed, and for each move of a join whether it is.
    pub unneeded: Vec<bool>,
    pub needed_moves: Vec<bool>,
    /// Whether this is coarse: then there are no sets.
    pub coarse: bool,
    set: Set,
    /// For each variable since when it is known to be forced later.
    forced: Vec<u32>,
}

/// A set of variables that is cleared in the time that it took to fill it.
#[derive(Default)]
struct Set {
    members: Vec<u32>,
    /// For each variable its place among the members, plus 1; 0 for others.
    places: Vec<u32>,
}

impl Set {
    fn clear(&mut self, vars: u32) {
        for &member in &self.members {
            self.places[member as usize] = 0;
        }
        self.members.clear();
        if self.places.len() < vars as usize {
            self.places.resize(vars as usize, 0);
        }
    }

    fn insert(&mut self, var: u32) -> bool {
        let place = &mut self.places[var as usize];
        let new = *place == 0;
        if new {
            self.members.push(var);
            *place = self.members.len() as u32;
        }
        new
    }

    fn remove(&mut self, var: u32) -> bool {
        let place = std::mem::replace(&mut self.places[var as usize], 0);
        if place == 0 {
            return false;
        }
        self.members.swap_remove(place as usize - 1);
        if let Some(&moved) = self.members.get(place as usize - 1) {
            self.places[moved as usize] = place;
        }
        true
    }

    fn contains(&self, var: u32) -> bool {
        self.places[var as usize] != 0
    }
}

/// Returns whether an instruction does nothing but write its slots.
fn is_pure(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::Move { .. }
            | Instr::Caf { .. }
            | Instr::Big { .. }
            | Instr::Float { .. }
            | Instr::Text { .. }
            | Instr::Con1 { .. }
            | Instr::Con2 { .. }
            | Instr::Con3 { .. }
            | Instr::ConN { .. }
            | Instr::Thunk1 { .. }
            | Instr::Thunk2 { .. }
            | Instr::Thunk3 { .. }
            | Instr::ThunkN { .. }
            | Instr::Pap { .. }
            | Instr::Hole { .. }
            | Instr::Field { .. }
            | Instr::Fields2 { .. }
            | Instr::Fields3 { .. }
            | Instr::Fields4 { .. }
            | Instr::FieldsN { .. }
    )
}

/// Returns whether an instruction runs other code, whatever its operands are.
fn is_call(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::Call1 { .. }
            | Instr::Call2 { .. }
            | Instr::Call3 { .. }
            | Instr::CallN { .. }
            | Instr::Apply1 { .. }
            | Instr::Apply2 { .. }
            | Instr::Apply3 { .. }
            | Instr::ApplyN { .. }
            | Instr::Try { .. }
            | Instr::TryCall { .. }
            | Instr::Effect { .. }
            | Instr::CallHost { .. }
    )
}

impl Liveness {
    /// Returns the variables that are alive where a block begins; none if this is coarse.
    pub fn at(&self, block: u32) -> &[u32] {
        let (start, end) = self.blocks[block as usize];
        &self.sets[start as usize..end as usize]
    }

    /// Returns the variables that a point uses last, or writes for nothing.
    pub fn deaths(&self, point: usize) -> &[u32] {
        let (start, end) = self.points[point];
        &self.deaths[start as usize..end as usize]
    }

    /// Computes the liveness of a unit whose blocks are in order.
    pub fn analyse(&mut self, unit: &Unit, out: &Output, globals: &Globals, order: &[u32]) {
        let points = unit.instrs.len() + unit.blocks.len();
        self.sets.clear();
        self.deaths.clear();
        self.blocks.clear();
        self.blocks.resize(unit.blocks.len(), (0, 0));
        self.points.clear();
        self.points.resize(points, (0, 0));
        self.unneeded.clear();
        self.unneeded.resize(unit.instrs.len(), false);
        self.needed_moves.clear();
        self.needed_moves.resize(unit.moves.len(), false);
        self.forced.clear();
        self.forced.resize(unit.vars() as usize, 0);
        // Places in the sets are numbers of 32 bits.
        let room = (SPARE + MEAN * points).min(u32::MAX as usize);
        self.coarse = !self.precise(unit, out, globals, order, room);
        if self.coarse {
            self.roughly(unit, out, order);
        }
    }

    /// Computes exact live sets in a pass backwards; false if the sets get larger than `room` in
    /// all.
    fn precise(
        &mut self,
        unit: &Unit,
        out: &Output,
        globals: &Globals,
        order: &[u32],
        room: usize,
    ) -> bool {
        let (mut total, mut epoch) = (0, 0);
        for &id in order.iter().rev() {
            let block = &unit.blocks[id as usize];
            epoch += 1;
            self.leaving(unit, out, id);
            let point = unit.instrs.len() + id as usize;
            if let Term::Branch(instr, _)
            | Term::Case(instr, _)
            | Term::LitCase(instr, _)
            | Term::End(instr) = &block.term
            {
                self.visit(instr, out, point, epoch);
                self.evaluated_by_callee(instr, out, globals, point, epoch);
            }
            for at in (block.start as usize..block.end as usize).rev() {
                let instr = &unit.instrs[at];
                total += self.set.members.len();
                if self.is_unneeded(instr, out, epoch) {
                    self.unneeded[at] = true;
                    continue;
                }
                epoch += u32::from(is_call(instr));
                self.visit(instr, out, at, epoch);
                self.evaluated_by_callee(instr, out, globals, at, epoch);
            }
            total += self.set.members.len();
            if total > room {
                return false;
            }
            let start = self.sets.len() as u32;
            self.sets.extend(&self.set.members);
            self.blocks[id as usize] = (start, self.sets.len() as u32);
        }
        true
    }

    /// Sets out with what is alive at the end of a block, before what its edge moves.
    fn leaving(&mut self, unit: &Unit, out: &Output, id: u32) {
        self.set.clear(unit.vars());
        let Self { set, sets, blocks, needed_moves, .. } = self;
        unit.successors(id, out, |to| {
            let (start, end) = blocks[to as usize];
            sets[start as usize..end as usize].iter().for_each(|&var| _ = set.insert(var));
        });
        let (start, end) = unit.blocks[id as usize].moves;
        for at in start..end {
            needed_moves[at as usize] = set.remove(unit.moves[at as usize].to);
        }
        for at in start..end {
            if let (true, Source::Arg(arg)) =
                (needed_moves[at as usize], unit.moves[at as usize].from)
                && let Some(var) = arg.as_slot()
            {
                set.insert(var);
            }
        }
    }

    /// Returns whether an instruction before what is alive now has no effect; or evaluates what an
    /// instruction after it evaluates, without a call or another use between.
    fn is_unneeded(&self, instr: &Instr, out: &Output, epoch: u32) -> bool {
        if let Instr::Eval { a: Forced(a) } = *instr {
            return self.forced[a as usize] == epoch;
        }
        if !is_pure(instr) {
            return false;
        }
        let (mut used, program) = (false, &out.program);
        accesses(instr, &program.args, &program.slots, |access, var| {
            used |= access == Access::Write && self.set.contains(var);
        });
        !used
    }

    /// Notes the arguments that a call evaluates first and that nothing uses after it: they need
    /// not be evaluated before.
    fn evaluated_by_callee(
        &mut self,
        instr: &Instr,
        out: &Output,
        globals: &Globals,
        point: usize,
        epoch: u32,
    ) {
        let (one, two, three);
        let (global, args): (_, &[Arg]) = match *instr {
            Instr::Call1 { global, a, .. } | Instr::Tail1 { global, a } => {
                one = [a];
                (global, &one)
            }
            Instr::Call2 { global, a, b, .. } | Instr::Tail2 { global, a, b } => {
                two = [a, b];
                (global, &two)
            }
            Instr::Call3 { global, a, b, c, .. } | Instr::Tail3 { global, a, b, c } => {
                three = [a, b, c];
                (global, &three)
            }
            Instr::CallN { global, args, .. }
            | Instr::TailN { global, args }
            | Instr::TryCall { global, args, .. } => (global, &out.program.args[args]),
            _ => return,
        };
        let (start, end) = self.points[point];
        let dying = &self.deaths[start as usize..end as usize];
        for (at, arg) in args.iter().enumerate().take(64) {
            if let Some(var) = arg.as_slot()
                && globals.evaluates_first(global, at)
                && dying.contains(&var)
            {
                self.forced[var as usize] = epoch;
            }
        }
    }

    fn visit(&mut self, instr: &Instr, out: &Output, point: usize, epoch: u32) {
        let start = self.deaths.len() as u32;
        let Self { set, deaths, forced, .. } = self;
        let program = &out.program;
        accesses(instr, &program.args, &program.slots, |access, var| {
            if access == Access::Write && !set.remove(var) {
                deaths.push(var);
            }
        });
        accesses(instr, &program.args, &program.slots, |access, var| {
            if access != Access::Write && set.insert(var) {
                deaths.push(var);
            }
            match access {
                Access::Write => {}
                Access::Read => forced[var as usize] = 0,
                Access::Force => forced[var as usize] = epoch,
            }
        });
        self.points[point] = (start, self.deaths.len() as u32);
    }

    /// Computes coarse sets: a variable is alive from where it first occurs to where it last does.
    fn roughly(&mut self, unit: &Unit, out: &Output, order: &[u32]) {
        self.unneeded.fill(false);
        self.needed_moves.fill(true);
        self.sets.clear();
        self.deaths.clear();
        self.blocks.fill((0, 0));
        let program = &out.program;
        let mut last = vec![NONE; unit.vars() as usize];
        for &id in order {
            let block = &unit.blocks[id as usize];
            for at in block.start..block.end {
                accesses(&unit.instrs[at as usize], &program.args, &program.slots, |_, var| {
                    last[var as usize] = at;
                });
            }
            let end = unit.instrs.len() as u32 + id;
            for at in block.moves.0..block.moves.1 {
                let step = unit.moves[at as usize];
                last[step.to as usize] = end;
                if let Source::Arg(arg) = step.from
                    && let Some(var) = arg.as_slot()
                {
                    last[var as usize] = end;
                }
            }
            if let Term::Branch(instr, _)
            | Term::Case(instr, _)
            | Term::LitCase(instr, _)
            | Term::End(instr) = &block.term
            {
                accesses(instr, &program.args, &program.slots, |_, var| last[var as usize] = end);
            }
        }
        // Sorted by points, counting.
        let mut ends = vec![0u32; self.points.len() + 1];
        let known = || last.iter().enumerate().filter(|(_, point)| **point != NONE);
        known().for_each(|(_, &point)| ends[point as usize + 1] += 1);
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        for (at, range) in self.points.iter_mut().enumerate() {
            *range = (ends[at], ends[at + 1]);
        }
        self.deaths.resize(last.len(), 0);
        for (var, &point) in known() {
            let at = &mut ends[point as usize];
            self.deaths[*at as usize] = var as u32;
            *at += 1;
        }
    }
}

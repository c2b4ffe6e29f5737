//! The probe of instructions: what counts the instructions of a run, and what does nothing.
//!
//! The arms are compiled once for each, so a run that nobody watches has no instruction for it.
//! There is a counter for each instruction, global and kind of thunk; a slow path is seen by what
//! the machine's own counts are before and after it. The events of a run (`events.rs`) come through
//! it as well.

use super::code::instr::{Instr, Op};
use super::code::program::{Program, ThunkId};
use super::events::Listener;
use super::executor::node_at;
use super::image::{STRIDE, index};
use super::stack::Control;
use super::state::Machine;
use crate::base::index::Idx;
use crate::gcode::program::GlobalId;
use crate::machine::heap::word::Word;
use crate::machine::heap::{Header, Kind};

/// What is told of the instructions that are executed.
pub(super) trait Probe {
    /// Whether it is to be told anything.
    const ACTIVE: bool;

    /// Notes that an instruction is executed, with so many words of the stack below its frame.
    fn executed(&mut self, machine: &mut Machine, at: u32, op: Op, depth: u64);
    /// Notes that it has allocated a node.
    fn allocated(&mut self, at: u32, words: usize);
    /// Notes that it has built a thunk.
    fn made(&mut self, thunk: ThunkId);
    /// Notes that it has entered a global.
    fn called(&mut self, global: GlobalId);
    /// Notes that a thunk was entered, whose frame the machine stands at.
    fn entered(&mut self, machine: &mut Machine);
    /// Notes that the function whose code begins at this offset was applied to all its arguments.
    fn applied(&mut self, at: u32);
    /// Notes that the thunk that was under evaluation in this node is about to be updated with a
    /// value.
    fn updated(&mut self, machine: &mut Machine, hole: Header, thunk: Word, value: Word);
    /// Notes that a slow path follows, which may update what waits for a value.
    fn expect_updates(&mut self, machine: &mut Machine);
    /// Returns the counts at the beginning of a slow path.
    fn before(&self, machine: &Machine) -> Before;
    /// Notes that the slow path has ended.
    fn after(&mut self, machine: &mut Machine, before: &Before);
}

/// The machine's counts before a slow path.
#[derive(Default)]
pub(super) struct Before {
    at: u32,
    instructions: u64,
    bytes: u64,
    reductions: u64,
    made: u64,
    entered: u64,
    updated: u64,
}

/// The probe of a run that nobody watches.
pub(super) struct Unwatched;

impl Probe for Unwatched {
    const ACTIVE: bool = false;

    fn executed(&mut self, _: &mut Machine, _: u32, _: Op, _: u64) {}
    fn allocated(&mut self, _: u32, _: usize) {}
    fn made(&mut self, _: ThunkId) {}
    fn called(&mut self, _: GlobalId) {}
    fn entered(&mut self, _: &mut Machine) {}
    fn applied(&mut self, _: u32) {}
    fn updated(&mut self, _: &mut Machine, _: Header, _: Word, _: Word) {}
    fn expect_updates(&mut self, _: &mut Machine) {}
    fn before(&self, _: &Machine) -> Before {
        Before::default()
    }
    fn after(&mut self, _: &mut Machine, _: &Before) {}
}

/// What is counted of an instruction. As large as one, so that an offset in code is one among these.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Site {
    /// How often it was executed.
    pub(super) executed: u64,
    /// Bytes that it has allocated.
    pub(super) bytes: u64,
    /// Applications by it that made a partial application.
    pub(super) partial: u64,
}

const _: () = assert!(size_of::<Site>() == STRIDE as usize, "a site is as large as an instruction");

/// What is counted of the thunks of a kind.
#[derive(Clone, Copy, Default)]
pub(super) struct ThunkCounts {
    /// How many were built.
    pub(super) made: u64,
    /// How many were entered.
    pub(super) entered: u64,
    /// How many got their value.
    pub(super) updated: u64,
}

/// Updates that a slow path does at most, and that are told apart.
const EXPECTED: usize = 8;

/// The counters of a profiled run.
#[derive(Default)]
pub(super) struct Counters {
    /// The counts of each instruction, by its number.
    pub(super) sites: Vec<Site>,
    /// For each instruction the global that begins with it.
    starts: Vec<Option<GlobalId>>,
    /// How often each global was entered.
    pub(super) calls: Vec<u64>,
    /// The counts of each kind of thunk.
    pub(super) thunks: Vec<ThunkCounts>,
    /// The kinds of the thunks that the next slow path may update, in the order in which it does.
    expected: [u32; EXPECTED],
    expected_len: usize,
}

impl Counters {
    /// Grows with the program.
    pub(super) fn fit(&mut self, program: &Program) {
        self.sites.resize(program.code.len(), Site::default());
        self.thunks.resize(program.thunks.len(), ThunkCounts::default());
        let known = self.calls.len();
        self.calls.resize(program.globals.len(), 0);
        self.starts.resize(program.code.len(), None);
        for global in program.globals.indices().skip(known) {
            let entry = program.globals.get(global).map(|entry| entry.pc.0 as usize);
            if let Some(start) = entry.and_then(|at| self.starts.get_mut(at)) {
                *start = Some(global);
            }
        }
    }

    /// Returns the global whose code begins at an instruction.
    pub(super) fn start(&self, index: usize) -> Option<GlobalId> {
        *self.starts.get(index)?
    }

    /// Adds what was counted elsewhere of the same program.
    pub(super) fn add(&mut self, other: &Counters) {
        for (to, from) in self.sites.iter_mut().zip(&other.sites) {
            to.executed += from.executed;
            to.bytes += from.bytes;
            to.partial += from.partial;
        }
        for (to, from) in self.calls.iter_mut().zip(&other.calls) {
            *to += from;
        }
        for (to, from) in self.thunks.iter_mut().zip(&other.thunks) {
            to.made += from.made;
            to.entered += from.entered;
            to.updated += from.updated;
        }
    }

    /// Returns the site of the instruction at an offset.
    ///
    /// # Safety
    /// It is the offset of an instruction of the program that the counters [fit](Counters::fit).
    #[inline(always)]
    unsafe fn site(&mut self, at: u32) -> &mut Site {
        debug_assert!(index(at) < self.sites.len());
        // SAFETY: there is a site for each instruction, and it is as large as one.
        unsafe { &mut *self.sites.as_mut_ptr().byte_add(at as usize) }
    }

    fn thunk(&mut self, thunk: u32) -> Option<&mut ThunkCounts> {
        self.thunks.get_mut(thunk as usize)
    }
}

/// What listens. One type for all, because each type is one more copy of the loop.
pub(super) enum Watch<'a> {
    /// Instructions by their kind, and how far the stack grows.
    Instructions,
    /// All that a profile says.
    Profile(&'a mut Counters),
    /// What happens to each node.
    Events(&'a mut Listener),
}

impl Probe for Watch<'_> {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn executed(&mut self, machine: &mut Machine, at: u32, op: Op, depth: u64) {
        if let Some(executed) = machine.executed.get_mut(op as usize) {
            *executed += 1;
        }
        match self {
            Watch::Instructions => {
                machine.counts.peak_stack = machine.counts.peak_stack.max(depth);
            }
            Watch::Profile(counters) => counters.executed(at),
            Watch::Events(listener) => {
                machine.counts.peak_stack = machine.counts.peak_stack.max(depth);
                listener.executed(machine, at);
            }
        }
    }

    #[inline(always)]
    fn allocated(&mut self, at: u32, words: usize) {
        if let Watch::Profile(counters) = self {
            counters.allocated(at, words);
        }
    }

    #[inline(always)]
    fn made(&mut self, thunk: ThunkId) {
        if let Watch::Profile(counters) = self {
            counters.made(thunk);
        }
    }

    #[inline(always)]
    fn called(&mut self, global: GlobalId) {
        if let Watch::Profile(counters) = self {
            counters.called(global);
        }
    }

    #[inline]
    fn entered(&mut self, machine: &mut Machine) {
        match self {
            Watch::Instructions => {}
            Watch::Profile(counters) => {
                if let Some(thunk) = machine.entered_kind().and_then(|id| counters.thunk(id)) {
                    thunk.entered += 1;
                }
            }
            Watch::Events(listener) => listener.entered(machine),
        }
    }

    #[inline]
    fn applied(&mut self, at: u32) {
        if let Watch::Profile(counters) = self
            && let Some(global) = counters.start(index(at))
        {
            counters.called(global);
        }
    }

    #[inline(always)]
    fn updated(&mut self, machine: &mut Machine, hole: Header, thunk: Word, value: Word) {
        match self {
            Watch::Instructions => {}
            Watch::Profile(counters) => counters.updated(hole),
            Watch::Events(listener) => listener.updated(machine, thunk, value),
        }
    }

    fn expect_updates(&mut self, machine: &mut Machine) {
        match self {
            Watch::Instructions => {}
            Watch::Profile(counters) => counters.expect_updates(machine),
            Watch::Events(_) => machine.expect_updates(),
        }
    }

    #[inline]
    fn before(&self, machine: &Machine) -> Before {
        match self {
            Watch::Instructions => Before::default(),
            Watch::Profile(_) | Watch::Events(_) => Before::of(machine),
        }
    }

    #[inline]
    fn after(&mut self, machine: &mut Machine, before: &Before) {
        match self {
            Watch::Instructions => {}
            Watch::Profile(counters) => counters.after(machine, before),
            Watch::Events(listener) => {
                let entered = machine.counts.thunks_entered - before.entered;
                listener.after(machine, entered);
            }
        }
    }
}

impl Before {
    fn of(machine: &Machine) -> Before {
        Before {
            at: machine.at(),
            instructions: machine.counts.instructions,
            bytes: machine.heap.allocated_bytes(),
            reductions: machine.reductions(),
            made: machine.counts.thunks_made,
            entered: machine.counts.thunks_entered,
            updated: machine.counts.thunks_updated,
        }
    }
}

impl Counters {
    #[inline(always)]
    fn executed(&mut self, at: u32) {
        // SAFETY: it is an instruction that the loop executes.
        unsafe { self.site(at).executed += 1 };
    }

    #[inline(always)]
    fn allocated(&mut self, at: u32, words: usize) {
        // SAFETY: it is an instruction that the loop executes.
        unsafe { self.site(at).bytes += words as u64 * 8 };
    }

    #[inline(always)]
    fn made(&mut self, thunk: ThunkId) {
        if let Some(thunk) = self.thunk(thunk.0) {
            thunk.made += 1;
        }
    }

    #[inline(always)]
    fn called(&mut self, global: GlobalId) {
        if let Some(calls) = self.calls.get_mut(global.index()) {
            *calls += 1;
        }
    }

    #[inline(always)]
    fn updated(&mut self, hole: Header) {
        if let Some(thunk) = self.thunk(hole.info()) {
            thunk.updated += 1;
        }
    }

    fn expect_updates(&mut self, machine: &Machine) {
        self.expected_len = 0;
        machine.for_each_update(|_, kind| {
            let place = self.expected.get_mut(self.expected_len);
            self.expected_len += usize::from(place.is_some());
            place.map(|place| *place = kind).is_some()
        });
    }

    fn after(&mut self, machine: &Machine, before: &Before) {
        let counts = &machine.counts;
        let expected = std::mem::take(&mut self.expected_len);
        let entered = counts.thunks_entered - before.entered;
        let updated = counts.thunks_updated - before.updated;
        let made = counts.thunks_made - before.made;
        let bytes = machine.heap.allocated_bytes() - before.bytes;
        let called = machine.reductions() - before.reductions - entered;
        if machine.hosts.is_some() && machine.calls_host_at(before.at) {
            // What the host evaluates is counted by a loop of its own.
            return;
        }
        if entered > 0
            && let Some(thunk) = machine.entered_kind().and_then(|id| self.thunk(id))
        {
            thunk.entered += entered;
        }
        if bytes > 0 || called > 0 || counts.instructions < before.instructions {
            // A function was entered, unless all that were applied have got too few arguments.
            let start = self.start(index(machine.at())).filter(|_| called > 0 && entered == 0);
            if let Some(calls) = start.and_then(|global| self.calls.get_mut(global.index())) {
                *calls += 1;
            }
            // SAFETY: it is the instruction that has called the slow path.
            let site = unsafe { self.site(before.at) };
            site.bytes += bytes;
            site.partial += called - u64::from(start.is_some());
            // One that is executed again counts then.
            site.executed -= u64::from(counts.instructions < before.instructions);
        }
        if made > 0
            && let Some(thunk) = machine.built_at(before.at).and_then(|id| self.thunk(id.0))
        {
            thunk.made += made;
        }
        if updated > 0 {
            for at in 0..expected.min(updated as usize) {
                let expected = self.expected.get(at).copied();
                if let Some(thunk) = expected.and_then(|thunk| self.thunk(thunk)) {
                    thunk.updated += 1;
                }
            }
        }
    }
}

impl Machine {
    /// Returns the reductions so far, printed values included.
    #[inline]
    pub(super) fn reductions(&self) -> u64 {
        self.counts.reductions + u64::from(self.spent())
    }

    /// Returns the kind of thunk that the instruction at an offset builds, if it builds one.
    fn built_at(&self, at: u32) -> Option<ThunkId> {
        match self.mutator.image.program.code.get(index(at))? {
            Instr::ThunkN { thunk, .. } | Instr::FillThunk { thunk, .. } => Some(*thunk),
            _ => None,
        }
    }

    /// Returns whether the instruction at an offset calls a host function.
    fn calls_host_at(&self, at: u32) -> bool {
        let instr = self.mutator.image.program.code.get(index(at));
        matches!(instr, Some(Instr::CallHost { .. }))
    }

    /// Returns the kind of the thunk whose evaluation has just begun.
    fn entered_kind(&self) -> Option<u32> {
        self.under_evaluation(self.entered_thunk()?)
    }

    /// Returns the thunk whose evaluation has just begun.
    pub(super) fn entered_thunk(&self) -> Option<Word> {
        // SAFETY: below the frame of the thunk's code is what becomes of its value.
        let (control, below) = unsafe {
            let control = Control::read(self.fp.0);
            (control, self.fp.0.sub(control.span()))
        };
        match control {
            Control::Update(thunk) => Some(thunk),
            // SAFETY: the frame below begins there, and has the slot.
            Control::Evaluate { slot, .. } => Some(unsafe { *below.add(slot as usize) }),
            _ => None,
        }
    }

    /// Returns the kind of a thunk under evaluation.
    pub(super) fn under_evaluation(&self, thunk: Word) -> Option<u32> {
        if !thunk.is_pointer() {
            return None;
        }
        // SAFETY: it is a pointer to a node.
        let (header, _) = unsafe { node_at(thunk) };
        (header.kind() == Kind::Hole).then_some(header.info())
    }

    /// Calls `each` with each thunk that a value returned now would update, and its kind, until it
    /// returns false or the value goes to a frame.
    pub(super) fn for_each_update(&self, mut each: impl FnMut(Word, u32) -> bool) {
        let mut end = self.fp.0;
        loop {
            let (control, span) = self.control_below(end);
            let below = end.wrapping_sub(span);
            let thunk = match control {
                Control::Update(thunk) => thunk,
                Control::Evaluate { slot, .. } => {
                    // SAFETY: the frame below begins there, and has the slot.
                    let thunk = unsafe { *below.add(slot as usize) };
                    self.under_evaluation(thunk).map(|kind| each(thunk, kind));
                    return;
                }
                Control::Apply { .. } => {
                    end = below;
                    continue;
                }
                _ => return,
            };
            match self.under_evaluation(thunk) {
                Some(kind) if each(thunk, kind) => end = below,
                _ => return,
            }
        }
    }
}

//! The state of the machine, and the room in it.

use std::sync::Arc;

use super::code::{Code, Position};
use super::freeze::Frozen;
use super::heap::Heap;
use super::heap::mark::Marker;
use super::heap::node::{Addr, Node, Site};
use super::liveness::Liveness;
use crate::base::allocation::{Full, fallible};
use crate::gcode::instr::Instr;
use crate::gcode::program::GlobalId;
use crate::machine::config::Refusal;
use crate::machine::handles::Handle;
use crate::machine::handles::HandleTable;
use crate::machine::host::Hosts;
use crate::machine::interrupt::{Clock, Interrupt};
use crate::machine::opaque::Opaques;
use crate::machine::outcome::{Input, Limit, Statistics, Stop};
use crate::machine::pauses::Pauses;
use crate::machine::print::Printer;
use crate::machine::world::{Mode, World};

/// The `redex` of a frame that has none, or has updated it.
pub(super) const NO_REDEX: u32 = u32::MAX;

/// A piece of the stack and the code that works on it: an evaluation that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The instruction that waits: an `Eval`, or a `CallHost` whose function calls back.
    pub(super) at: Position,
    /// Where the piece starts.
    pub(super) base: u32,
    /// Where in it the redex is that the code will update.
    pub(super) redex: u32,
}

/// The textbook machine: code, stack, dump, heap, globals, output, statistics.
///
/// It runs verified programs (see [`verify`](crate::gcode)): of what the verifier excludes,
/// such as taking from an empty stack, it may panic.
pub struct Machine {
    pub(super) code: Arc<Code>,
    /// The position in the code. While unwinding: of the instruction that began it.
    pub(super) at: Position,
    pub(super) unwinding: bool,
    pub(super) stack: Vec<Addr>,
    /// Where the present piece of the stack starts, and its redex.
    pub(super) base: u32,
    pub(super) redex: u32,
    /// While unwinding: where the last call outside of the corelib stands that has led here.
    pub(super) outside: Site,
    pub(super) dump: Vec<Frame>,
    pub(super) heap: Heap,
    /// The node of each global that has one.
    pub(super) globals: Vec<Addr>,
    pub(super) handles: HandleTable<Addr>,
    /// Values of the embedding program, with the nodes that stand for them.
    pub(super) opaques: Opaques<Addr>,
    pub(super) frozen: Frozen,
    pub(super) liveness: Liveness,
    pub(super) input: Option<Box<dyn Input>>,
    /// What effects of the program change outside of the heap.
    pub(super) world: World,
    /// What is done with the value to be printed.
    pub(super) mode: Mode,
    /// The value of an action that was performed.
    pub(super) value: Option<Handle>,
    pub(super) printer: Option<Printer>,
    pub(super) hosts: Option<Arc<dyn Hosts>>,
    /// How many calls of host functions wait for each other.
    pub(super) nesting: u32,
    pub(super) interrupt: Interrupt,
    /// The fuel that was given, and the instruction count at which it is used up.
    pub(super) fuel: Option<(u64, u64)>,
    pub(super) stress: bool,
    pub(super) refuse: Refusal,
    pub(super) counts: Statistics,
    /// What times pauses, and the pauses so far.
    pub(super) clock: Option<Clock>,
    pub(super) pauses: Pauses,
    /// How often each instruction was executed, by its number, if that is counted.
    pub(super) executed: Option<Box<[u64]>>,
    pub(super) tested: Option<Tested>,
}

/// What the last jump by a value has tested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    /// The jump.
    pub(super) at: Position,
    pub(super) value: Addr,
    /// The instructions that were executed before it.
    pub(super) instructions: u64,
}

/// Where it stands; heap and stack are seen through its views.
impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut machine = f.debug_struct("Machine");
        machine.field("at", &self.at).field("unwinding", &self.unwinding);
        machine.field("stack", &self.stack.len()).field("dump", &self.dump.len());
        machine.finish_non_exhaustive()
    }
}

impl Machine {
    /// Returns the item `n` below the top. The verifier has checked that there is one.
    #[inline]
    pub(super) fn item(&self, n: usize) -> Addr {
        self.stack[self.stack.len() - 1 - n]
    }

    /// Replaces the `n` items on top by one.
    #[inline]
    pub(super) fn replace(&mut self, n: usize, addr: Addr) {
        self.stack.truncate(self.stack.len() - n);
        self.stack.push(addr);
    }

    /// Ensures that there are `nodes` free nodes, and room for `bytes` that they will own. Rules
    /// call it before they change anything: here is where a collection happens.
    #[inline]
    pub(super) fn reserve(&mut self, nodes: usize, bytes: u64) -> Result<(), Stop> {
        if self.heap.is_ready(nodes, bytes) && !self.stress {
            return Ok(());
        }
        self.make_ready(nodes, bytes)
    }

    #[cold]
    fn make_ready(&mut self, nodes: usize, bytes: u64) -> Result<(), Stop> {
        if !self.stress && !self.heap.is_due(nodes, bytes) && self.heap.secure(nodes, bytes).is_ok()
        {
            return Ok(());
        }
        self.collect();
        self.may_grow()?;
        if self.heap.is_exhausted(nodes, bytes) {
            return Err(self.out_of_memory(Full::Limit));
        }
        self.heap.secure(nodes, bytes).map_err(|full| self.out_of_memory(full))
    }

    /// Ensures that the stack has room for `items` more.
    #[inline]
    pub(super) fn stack_check(&mut self, items: usize) -> Result<(), Stop> {
        if self.stack.capacity() - self.stack.len() >= items && !self.stress {
            return Ok(());
        }
        self.make_room(items)
    }

    #[cold]
    fn make_room(&mut self, items: usize) -> Result<(), Stop> {
        if self.stress {
            self.collect();
        }
        self.may_grow()?;
        if self.stack.capacity() - self.stack.len() >= items {
            return Ok(());
        }
        if grow(&mut self.stack, items, &self.heap).is_err() {
            self.collect();
            grow(&mut self.stack, items, &self.heap).map_err(|full| self.out_of_memory(full))?;
        }
        self.count_side();
        Ok(())
    }

    /// Ensures that the dump has room for one more frame.
    #[inline]
    pub(super) fn dump_room(&mut self) -> Result<(), Stop> {
        if self.dump.len() < self.dump.capacity() {
            return Ok(());
        }
        self.make_dump_room()
    }

    #[cold]
    fn make_dump_room(&mut self) -> Result<(), Stop> {
        self.may_grow()?;
        if grow(&mut self.dump, 1, &self.heap).is_err() {
            self.collect();
            grow(&mut self.dump, 1, &self.heap).map_err(|full| self.out_of_memory(full))?;
        }
        self.count_side();
        Ok(())
    }

    /// Tells the heap how much stack, dump and frozen stacks take.
    pub(super) fn count_side(&mut self) {
        let stack = self.stack.capacity() * size_of::<Addr>();
        let dump = self.dump.capacity() * size_of::<Frame>();
        self.heap.side = (stack + dump) as u64 + self.frozen.bytes() + self.opaques.bytes();
    }

    /// Stops the run if this request for room is one that a test refuses.
    fn may_grow(&mut self) -> Result<(), Stop> {
        match self.refuse.meets() {
            true => Err(self.out_of_memory(Full::System)),
            false => Ok(()),
        }
    }

    /// Returns what stops a run that is out of memory. What does not fit its own tables has reached
    /// a limit too, which is the memory in use.
    pub(super) fn out_of_memory(&self, full: Full) -> Stop {
        self.limit(match full {
            Full::Limit => Limit::Heap(self.heap.limit.unwrap_or(self.heap.footprint())),
            Full::System => Limit::System(self.heap.footprint()),
        })
    }

    /// Collects: what neither the stack, the dump, a handle nor code still to run can reach
    /// becomes free.
    pub fn collect(&mut self) {
        let start = self.clock.as_ref().map(|clock| clock());
        self.collect_now();
        if let (Some(start), Some(clock)) = (start, &self.clock) {
            let length = clock().saturating_sub(start);
            self.pauses.add(length, Some(self.heap.live_bytes()));
        }
    }

    fn collect_now(&mut self) {
        let code = self.code.clone();
        self.counts.collections += 1;
        let mut marker =
            Marker::new(&mut self.heap, &code, &self.globals, &mut self.frozen, &mut self.liveness);
        // The applications that an unwinding goes through stay applications: those below the
        // redex of each frame, or all of a piece without redex.
        let here = Frame { at: self.at, base: self.base, redex: self.redex };
        let end = self.stack.len() as u32;
        for (frame, end, _) in frames(&self.dump, here, end) {
            let pinned = frame.base..if frame.redex == NO_REDEX { end } else { frame.redex };
            for at in pinned {
                if let Some(slot) = self.stack.get_mut(at as usize) {
                    marker.pinned(slot);
                }
            }
        }
        for (frame, end, waits) in frames(&self.dump, here, end) {
            if frame.redex == NO_REDEX {
                continue;
            }
            // Whoever waits at an `Eval` waits for the bottom item of the next piece.
            let shared = waits && matches!(code.instr(frame.at), Some(Instr::Eval | Instr::Try));
            let piece = frame.redex as usize..end as usize;
            if let Some(items) = self.stack.get_mut(piece) {
                marker.clear(frame.at, items, shared);
            }
        }
        self.stack.iter_mut().for_each(|slot| marker.root(slot));
        // The value that a case has tested is no longer on the stack where that comes to fail.
        let next = |at: Position| code.instr(at);
        let fails = match next(self.at) {
            Some(Instr::NoMatch) => true,
            Some(Instr::Pop(1)) => matches!(next(self.at.next()), Some(Instr::NoMatch)),
            _ => false,
        };
        self.tested = self.tested.filter(|_| fails);
        if let Some(tested) = &mut self.tested {
            marker.root(&mut tested.value);
        }
        self.handles.live().for_each(|slot| marker.root(slot));
        if !self.unwinding {
            marker.position(self.at);
        }
        for frame in &self.dump {
            marker.position(frame.at.next());
        }
        marker.run();
        for addr in &mut self.globals {
            if *addr != Addr::NONE {
                // What leads to the value may have been shortened past the node of the CAF.
                let value = self.heap.value(*addr);
                *addr = if self.heap.was_marked(value) { value } else { Addr::NONE };
            }
        }
        let heap = &self.heap;
        self.opaques.sweep(|addr| heap.was_marked(*addr));
        self.heap.sweep(&mut self.frozen);
        self.frozen.pack(&mut self.heap);
        self.count_side();
        self.counts.peak_live_bytes = self.counts.peak_live_bytes.max(self.heap.live_bytes());
        self.opaques.drop_dead();
    }

    /// Returns the node of a global; the caller has reserved one.
    pub(super) fn global_node(&mut self, global: GlobalId) -> Addr {
        let known = self.globals.get(global.0 as usize).copied().unwrap_or(Addr::NONE);
        if known != Addr::NONE {
            return known;
        }
        let addr = self.heap.alloc(Node::Global(global));
        if let Some(slot) = self.globals.get_mut(global.0 as usize) {
            *slot = addr;
        }
        addr
    }

    /// Checks heap, stack and dump. For tests.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn verify(&self) -> Result<(), String> {
        self.heap.verify(self.code.size)?;
        for &addr in self.stack.iter().filter(|addr| **addr != Addr::NONE) {
            if matches!(self.heap.node_at(addr)?, Node::Free(_)) {
                return Err(format!("the stack leads to {}, which is free", addr.0));
            }
        }
        let here = Frame { at: self.at, base: self.base, redex: self.redex };
        for (frame, _, _) in frames(&self.dump, here, self.stack.len() as u32) {
            if frame.redex == NO_REDEX {
                continue;
            }
            let redex = self.stack.get(frame.redex as usize).ok_or("a redex off the stack")?;
            if !matches!(self.heap.get(*redex), Node::BlackHole { .. }) {
                return Err(format!("the redex {} is no black hole", redex.0));
            }
        }
        for addr in self.globals.iter().filter(|addr| **addr != Addr::NONE) {
            if matches!(self.heap.node_at(*addr)?, Node::Free(_)) {
                return Err(format!("a global is {}, which is free", addr.0));
            }
        }
        Ok(())
    }
}

/// Returns all frames from the outermost, the present one last, each with the end of its piece and
/// whether it waits.
fn frames(dump: &[Frame], here: Frame, end: u32) -> impl Iterator<Item = (Frame, u32, bool)> {
    (0..=dump.len()).map(move |at| {
        let frame = dump.get(at).copied().unwrap_or(here);
        let next = dump.get(at + 1).copied().unwrap_or(here);
        let waits = at < dump.len();
        (frame, if waits { next.base } else { end }, waits)
    })
}

/// Grows a vector to twice its size, to make room for `more` items; near the limit
/// by less, and in the end by no more than it takes.
fn grow<T>(vec: &mut Vec<T>, more: usize, heap: &Heap) -> Result<(), Full> {
    let need = vec.len() + more;
    // Offsets in the stack are words of 32 bits.
    if need >= NO_REDEX as usize {
        return Err(Full::Limit);
    }
    let (ample, modest) = (need + need.min(vec.capacity()), need + need / 64);
    // What is left is for the heap as well: no more than a quarter of it at once.
    let quarter = heap.left() / 4;
    let fair = usize::try_from(quarter / size_of::<T>() as u64).unwrap_or(usize::MAX);
    let fair = ample.min(vec.capacity().saturating_add(fair));
    let mut full = Full::Limit;
    for wanted in [fair.max(modest).max(256), modest, need] {
        let bytes = wanted.saturating_sub(vec.capacity()) * size_of::<T>();
        if heap.fits(bytes as u64).is_ok() {
            if fallible(|| vec.try_reserve_exact(wanted - vec.len())).is_ok() {
                return Ok(());
            }
            full = Full::System;
        }
    }
    Err(full)
}

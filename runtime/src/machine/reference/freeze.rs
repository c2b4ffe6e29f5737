//! Frozen stacks: evaluations that were stopped and can go on.
//!
//! When an evaluation stops, its stack and dump become one record, and the redex of every
//! frame a `Suspended` node that knows its frame in the record. So stopping allocates next
//! to nothing, however deep the evaluation was, and leaves no black hole behind.

use super::checkpoint::with_capacity_of;
use super::code::Position;
use super::heap::Heap;
use super::heap::node::{Addr, Node, Site};
use super::state::{Frame, NO_REDEX};

/// A frame of a frozen stack: where the redex is, where the stack above it ends, and where
/// its code goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrozenFrame {
    pub(super) at: Position,
    redex: u32,
    end: u32,
}

impl FrozenFrame {
    fn of(frame: &Frame) -> FrozenFrame {
        FrozenFrame { at: frame.at, redex: frame.redex, end: frame.base }
    }

    /// Returns the places of the stack above the redex.
    pub(super) fn range(self) -> std::ops::Range<u32> {
        (self.redex + 1).min(self.end)..self.end
    }
}

/// The stack of evaluations that were stopped together (an `AP_STACK`, as GHC calls it).
#[derive(Debug)]
struct SavedStack {
    stack: Vec<Addr>,
    /// The frames, each with the end of its piece of the stack for its `base`: so they are
    /// the dump itself, and freezing a deep one takes no room.
    frames: Vec<Frame>,
    /// How many nodes refer to it.
    live: usize,
}

impl SavedStack {
    fn copied(&self) -> SavedStack {
        SavedStack {
            stack: with_capacity_of(&self.stack),
            frames: with_capacity_of(&self.frames),
            live: self.live,
        }
    }

    fn bytes(&self) -> u64 {
        let stack = self.stack.capacity() * size_of::<Addr>();
        (stack + self.frames.capacity() * size_of::<Frame>()) as u64
    }
}

/// All frozen stacks.
#[derive(Debug, Default)]
pub(super) struct Frozen {
    records: Vec<Option<SavedStack>>,
    /// The places in `records` that are free.
    free: Vec<u32>,
    bytes: u64,
}

impl Frozen {
    /// Copies all of it.
    pub(super) fn copied(&self) -> Frozen {
        let records = self.records.iter().map(|record| record.as_ref().map(SavedStack::copied));
        Frozen { records: records.collect(), free: self.free.clone(), bytes: self.bytes }
    }

    /// Returns bytes of all records.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Freezes these frames with their stack, which ends with the last frame. Frames without
    /// a redex leave nothing to go on with.
    pub(super) fn freeze(&mut self, heap: &mut Heap, stack: Vec<Addr>, mut frames: Vec<Frame>) {
        let slot = self.free.last().copied().unwrap_or(self.records.len() as u32);
        for at in 0..frames.len() {
            // A frame that waits holds the item that it waits for, the bottom of the next.
            let end = frames.get(at + 1).map_or(stack.len() as u32, |next| next.base + 1);
            if let Some(frame) = frames.get_mut(at) {
                frame.base = end;
            }
        }
        frames.retain(|frame| frame.redex != NO_REDEX);
        for (index, frame) in frames.iter().enumerate() {
            let Some(&redex) = stack.get(frame.redex as usize) else { continue };
            let site = match heap.get(redex) {
                Node::BlackHole { site, .. } => *site,
                _ => Site::NONE,
            };
            heap.set(redex, Node::Suspended { record: slot, index: index as u32, site });
        }
        if frames.is_empty() {
            return;
        }
        let record = SavedStack { stack, live: frames.len(), frames };
        self.bytes += record.bytes();
        self.free.pop();
        match self.records.get_mut(slot as usize) {
            Some(free) => *free = Some(record),
            None => self.records.push(Some(record)),
        }
    }

    fn record(&self, record: u32) -> Option<&SavedStack> {
        self.records.get(record as usize)?.as_ref()
    }

    pub(super) fn frame(&self, record: u32, index: u32) -> Option<FrozenFrame> {
        let frame = self.record(record)?.frames.get(index as usize)?;
        Some(FrozenFrame::of(frame))
    }

    pub(super) fn slot(&self, record: u32, at: u32) -> Option<Addr> {
        self.record(record)?.stack.get(at as usize).copied()
    }

    pub(super) fn set_slot(&mut self, record: u32, at: u32, addr: Addr) {
        if let Some(Some(record)) = self.records.get_mut(record as usize)
            && let Some(slot) = record.stack.get_mut(at as usize)
        {
            *slot = addr;
        }
    }

    /// Returns the stack above a suspended redex.
    pub(super) fn segment(&self, record: u32, frame: FrozenFrame) -> &[Addr] {
        let range = frame.range();
        let stack = self.record(record).map_or(&[][..], |record| &record.stack);
        stack.get(range.start as usize..range.end as usize).unwrap_or(&[])
    }

    /// Notes that a node no longer refers to a record; the last one drops it.
    pub(super) fn release(&mut self, record: u32) {
        if let Some(slot) = self.records.get_mut(record as usize)
            && let Some(of) = slot
        {
            of.live = of.live.saturating_sub(1);
            if of.live == 0 {
                self.bytes -= of.bytes();
                *slot = None;
                self.free.push(record);
            }
        }
    }

    /// Packs records that are mostly empty, so that one suspended node does not keep a deep
    /// stack.
    pub(super) fn pack(&mut self, heap: &mut Heap) {
        for (number, slot) in self.records.iter_mut().enumerate() {
            let Some(record) = slot else { continue };
            if record.frames.len() < 64 || record.live > record.frames.len() / 4 {
                continue;
            }
            let mut packed = SavedStack { stack: Vec::new(), frames: Vec::new(), live: 0 };
            for (old, frame) in record.frames.iter().enumerate() {
                let Some(&redex) = record.stack.get(frame.redex as usize) else { continue };
                let site = match heap.get(redex) {
                    Node::Suspended { record, index, site }
                        if *record as usize == number && *index as usize == old =>
                    {
                        *site
                    }
                    _ => continue,
                };
                let index = packed.frames.len() as u32;
                heap.set(redex, Node::Suspended { record: number as u32, index, site });
                let start = packed.stack.len() as u32;
                packed.stack.push(redex);
                let range = FrozenFrame::of(frame).range();
                let segment = record.stack.get(range.start as usize..range.end as usize);
                packed.stack.extend_from_slice(segment.unwrap_or(&[]));
                let end = packed.stack.len() as u32;
                packed.frames.push(Frame { at: frame.at, redex: start, base: end });
                packed.live += 1;
            }
            self.bytes = self.bytes - record.bytes() + packed.bytes();
            *record = packed;
        }
    }
}

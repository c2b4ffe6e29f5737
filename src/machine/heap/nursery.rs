//! The nursery: one piece of memory for what is young.
//!
//! In its middle is *Eden*, where nodes are allocated one after the other; before and after it
//! are two equal rooms for *survivors*, one of which is in use. A minor collection moves what
//! lives of Eden to the other room, and what lives of the room in use to the old space: what
//! gets old has survived two collections. So what is not in the new room afterwards is one
//! range of addresses, and everything young is in one too. (After Ungar, *Generation
//! scavenging*, 1984.)

use std::alloc::{Layout, alloc_zeroed, dealloc};

/// Of Eden's size the part that each room for survivors has.
const ROOM: usize = 4;

/// A piece of memory in which nodes are allocated one after the other.
#[derive(Debug)]
pub(super) struct Nursery {
    base: *mut u64,
    /// All bytes, and those of a room for survivors.
    bytes: usize,
    room: usize,
    /// Whether the room in use is the one after Eden, and where its nodes end.
    upper: bool,
    survivors_end: usize,
}

impl Default for Nursery {
    fn default() -> Nursery {
        Nursery { base: std::ptr::null_mut(), bytes: 0, room: 0, upper: false, survivors_end: 0 }
    }
}

impl Nursery {
    /// A nursery with an Eden of that many bytes, a multiple of 8 and not 0. `None` if the
    /// system gives no memory.
    pub(super) fn new(eden: usize) -> Option<Nursery> {
        let bytes = Nursery::total(eden);
        let layout = Layout::array::<u64>(bytes / 8).ok()?;
        debug_assert!(eden > 0 && eden.is_multiple_of(8));
        // Written memory, so that what a number is computed in is one. SAFETY: the layout has
        // bytes.
        let base = unsafe { alloc_zeroed(layout) }.cast::<u64>();
        if base.is_null() {
            return None;
        }
        let start = base.expose_provenance();
        let room = Nursery::room(eden);
        Some(Nursery { base, bytes, room, upper: false, survivors_end: start })
    }

    fn room(eden: usize) -> usize {
        (eden / ROOM) & !7
    }

    /// The bytes that a nursery takes, by those of its Eden.
    pub(super) fn total(eden: usize) -> usize {
        eden + 2 * Nursery::room(eden)
    }

    /// The bytes that can live in it at the same time: one room is empty.
    pub(super) fn most(eden: usize) -> usize {
        eden + Nursery::room(eden)
    }

    /// The first word of Eden.
    pub(super) fn eden(&self) -> *mut u64 {
        self.base.wrapping_byte_add(self.room)
    }

    /// Where Eden begins.
    #[inline(always)]
    pub(super) fn start(&self) -> usize {
        self.base.addr() + self.room
    }

    /// Where Eden ends.
    #[inline(always)]
    pub(super) fn end(&self) -> usize {
        self.base.addr() + self.bytes - self.room
    }

    /// Bytes of all of it.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes of Eden.
    pub(super) fn eden_bytes(&self) -> usize {
        self.bytes - 2 * self.room
    }

    /// Whether an address is in it.
    #[inline(always)]
    pub(super) fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.base.addr()) < self.bytes
    }

    /// Where the room in use begins, or the other one.
    fn room_start(&self, upper: bool) -> usize {
        self.base.addr() + if upper { self.bytes - self.room } else { 0 }
    }

    /// The nodes in the room in use, as addresses.
    pub(super) fn survivors(&self) -> std::ops::Range<usize> {
        self.room_start(self.upper)..self.survivors_end
    }

    /// What a collection moves: Eden and the room in use.
    pub(super) fn moving(&self) -> Moving {
        let start = if self.upper { self.start() } else { self.base.addr() };
        Moving {
            start,
            bytes: self.bytes - self.room,
            aged: self.survivors().start,
            room: self.room,
        }
    }

    /// The room that is not in use.
    pub(super) fn other_room(&self) -> std::ops::Range<usize> {
        let start = self.room_start(!self.upper);
        start..start + self.room
    }

    /// The room that was not in use is, and its nodes end there.
    pub(super) fn swap(&mut self, survivors_end: usize) {
        self.upper = !self.upper;
        self.survivors_end = survivors_end;
    }
}

/// The addresses that a minor collection moves nodes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    start: usize,
    bytes: usize,
    aged: usize,
    room: usize,
}

impl Moving {
    /// Whether an address is among them.
    #[inline(always)]
    pub(super) fn holds(self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.bytes
    }

    /// Whether one that is among them has survived a collection.
    #[inline(always)]
    pub(super) fn is_aged(self, address: usize) -> bool {
        address.wrapping_sub(self.aged) < self.room
    }

    /// All of them.
    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start..self.start + self.bytes
    }
}

impl Drop for Nursery {
    fn drop(&mut self) {
        if self.bytes > 0
            && let Ok(layout) = Layout::array::<u64>(self.bytes / 8)
        {
            // SAFETY: `base` came from `alloc` with this layout.
            unsafe { dealloc(self.base.cast(), layout) }
        }
    }
}

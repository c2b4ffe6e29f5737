//! The nursery: one piece of memory for the young generation.
//!
//! In its middle is *Eden*, where nodes are bump-allocated; before and after it are two equal
//! *survivor spaces*, one of which is in use. A minor collection copies the live nodes of Eden
//! to the survivor space that is not in use, and those of the one in use to the old space: a
//! node is promoted when it has survived two collections. So what is evacuated is one range of
//! addresses, and so is everything young. (After Ungar, *Generation scavenging*, 1984.)

use std::alloc::{Layout, alloc_zeroed, dealloc};

use super::asan;
use crate::base::allocation::fallible;

/// Each survivor space has this fraction of Eden's size.
const ROOM: usize = 4;

/// The memory of the young generation. It owns it.
#[derive(Debug)]
pub(super) struct Nursery {
    base: *mut u64,
    /// The bytes of all of it, and those of a survivor space.
    bytes: usize,
    room: usize,
    /// Whether the survivor space in use is the one after Eden, and where its nodes end.
    upper: bool,
    survivors_end: usize,
}

// SAFETY: `base` is memory that the nursery owns, and that the heap with this nursery alone reads
// and writes.
unsafe impl Send for Nursery {}

impl Default for Nursery {
    fn default() -> Nursery {
        Nursery { base: std::ptr::null_mut(), bytes: 0, room: 0, upper: false, survivors_end: 0 }
    }
}

/// Where its parts are in it, in bytes.
#[cfg(gmachine_native)]
impl Nursery {
    pub(super) const BASE: usize = std::mem::offset_of!(Nursery, base);
    pub(super) const BYTES: usize = std::mem::offset_of!(Nursery, bytes);
}

impl Nursery {
    /// Returns a nursery with an Eden of `eden` bytes, a multiple of 8; `None` if the system has no
    /// memory.
    pub(super) fn new(eden: usize) -> Option<Nursery> {
        debug_assert!(eden.is_multiple_of(8));
        let bytes = Nursery::total(eden)?;
        let layout = Layout::array::<u64>(bytes / 8).ok()?;
        if bytes == 0 {
            return None;
        }
        // Zeroed, because `Heap::compute` makes slices of what is free.
        // SAFETY: the layout is not of size 0.
        let base = fallible(|| unsafe { alloc_zeroed(layout) }).cast::<u64>();
        if base.is_null() {
            return None;
        }
        let start = base.expose_provenance();
        let room = Nursery::room(eden);
        asan::poison(start, bytes);
        Some(Nursery { base, bytes, room, upper: false, survivors_end: start })
    }

    /// Returns the bytes of a survivor space, by those of Eden.
    fn room(eden: usize) -> usize {
        (eden / ROOM) & !7
    }

    /// Returns the bytes of a nursery, by those of its Eden; `None` if they are more than can be.
    pub(super) fn total(eden: usize) -> Option<usize> {
        eden.checked_add(2 * Nursery::room(eden))
    }

    /// Returns the most bytes of live nodes in a nursery, by those of its Eden: one survivor space
    /// is empty.
    pub(super) fn most(eden: usize) -> usize {
        eden.saturating_add(Nursery::room(eden))
    }

    /// Returns the first word of Eden.
    pub(super) fn eden(&self) -> *mut u64 {
        self.base.wrapping_byte_add(self.room)
    }

    /// Returns the address where it begins.
    pub(super) fn base(&self) -> usize {
        self.base.addr()
    }

    /// Returns the address where Eden begins.
    #[inline(always)]
    pub(super) fn start(&self) -> usize {
        self.base.addr() + self.room
    }

    /// Returns the address where Eden ends.
    #[inline(always)]
    pub(super) fn end(&self) -> usize {
        self.base.addr() + self.bytes - self.room
    }

    /// Returns the bytes of all of it.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the bytes of Eden.
    pub(super) fn eden_bytes(&self) -> usize {
        self.bytes - 2 * self.room
    }

    /// Returns whether an address is in the nursery.
    #[inline(always)]
    pub(super) fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.base.addr()) < self.bytes
    }

    /// Returns where a survivor space begins: the one after Eden, or the one before it.
    fn room_start(&self, upper: bool) -> usize {
        self.base.addr() + if upper { self.bytes - self.room } else { 0 }
    }

    /// Returns the addresses of the nodes in the survivor space in use.
    pub(super) fn survivors(&self) -> std::ops::Range<usize> {
        self.room_start(self.upper)..self.survivors_end
    }

    /// Returns the addresses that a collection evacuates: Eden and the survivor space in use.
    pub(super) fn moving(&self) -> Moving {
        let start = if self.upper { self.start() } else { self.base.addr() };
        Moving {
            start,
            bytes: self.bytes - self.room,
            aged: self.survivors().start,
            room: self.room,
        }
    }

    /// Returns the addresses of the survivor space that is not in use.
    pub(super) fn other_room(&self) -> std::ops::Range<usize> {
        let start = self.room_start(!self.upper);
        start..start + self.room
    }

    /// Swaps the survivor spaces; the nodes in the one now in use end at `survivors_end`.
    pub(super) fn swap(&mut self, survivors_end: usize) {
        debug_assert!(survivors_end - self.room_start(!self.upper) <= self.room);
        self.upper = !self.upper;
        self.survivors_end = survivors_end;
    }
}

/// The addresses that a minor collection evacuates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    start: usize,
    bytes: usize,
    aged: usize,
    room: usize,
}

impl Moving {
    /// Returns whether it evacuates a node at this address.
    #[inline(always)]
    pub(super) fn holds(self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.bytes
    }

    /// Returns whether a node that it evacuates has survived a collection before.
    #[inline(always)]
    pub(super) fn is_aged(self, address: usize) -> bool {
        address.wrapping_sub(self.aged) < self.room
    }

    /// Returns all of the addresses.
    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start..self.start + self.bytes
    }
}

impl Drop for Nursery {
    fn drop(&mut self) {
        if self.bytes > 0
            && let Ok(layout) = Layout::array::<u64>(self.bytes / 8)
        {
            asan::unpoison(self.base.addr(), self.bytes);
            // SAFETY: `base` came from `alloc_zeroed` with this layout.
            unsafe { dealloc(self.base.cast(), layout) }
        }
    }
}

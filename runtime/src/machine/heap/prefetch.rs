//! Prefetching: the cache lines that will be read soon, and the queue of a full collection.
//!
//! Between finding a pointer and following it, marking handles a few others, and the memory that
//! it will read comes to the cache in the meantime. (Cher, Hosking and Vitek, *Software
//! prefetching for mark-sweep garbage collection*, 2004: a queue, because a stack returns first
//! what was pushed last.)

use super::chunk::block_of;
use super::word::Word;

/// Prefetches the cache line at `address`, which may be that of a pointer, or a word's bits.
#[inline(always)]
pub fn prefetch(address: u64) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch is a hint, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(address as usize));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

/// The capacity of the queue.
const PLACES: usize = 16;

/// A pointer, and the address of the field of a marked node where it was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) field: usize,
    pub(super) word: Word,
}

/// A queue of pointers that are to be followed, whose cache lines are prefetched: a ring buffer.
#[derive(Debug)]
pub(super) struct PrefetchQueue {
    found: [Found; PLACES],
    first: usize,
    len: usize,
}

impl PrefetchQueue {
    /// Returns an empty queue.
    pub(super) fn new() -> PrefetchQueue {
        PrefetchQueue { found: [Found { field: 0, word: Word::NOTHING }; PLACES], first: 0, len: 0 }
    }

    /// Adds a pointer and prefetches its node and mark bits. If the queue is full, removes and
    /// returns its oldest pointer.
    #[inline(always)]
    pub(super) fn push(&mut self, found: Found) -> Option<Found> {
        let address = found.word.address();
        prefetch(address as u64);
        prefetch(block_of(address).addr() as u64);
        let place = &mut self.found[(self.first + self.len) % PLACES];
        let oldest = std::mem::replace(place, found);
        if self.len < PLACES {
            self.len += 1;
            return None;
        }
        self.first = (self.first + 1) % PLACES;
        Some(oldest)
    }

    /// Returns whether the queue is empty.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes and returns the oldest pointer.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<Found> {
        if self.len == 0 {
            return None;
        }
        let oldest = self.found[self.first];
        self.first = (self.first + 1) % PLACES;
        self.len -= 1;
        Some(oldest)
    }
}

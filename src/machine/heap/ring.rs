//! The words that a full collection has found and will soon follow.
//!
//! Between finding a pointer and looking at what it leads to, some others are looked at, and
//! the memory that will be read comes in the meantime. (Cher, Hosking and Vitek, *Software
//! prefetching for mark-sweep garbage collection*, 2004: a queue, because a stack returns
//! first what was pushed last.)

use super::chunk::block_of;
use super::prefetch;
use super::word::Word;

/// How many words wait.
const PLACES: usize = 16;

/// A pointer, and the address of the field of a marked node that it was found in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) field: usize,
    pub(super) word: Word,
}

/// A queue of a few.
#[derive(Debug)]
pub(super) struct Ring {
    found: [Found; PLACES],
    first: usize,
    len: usize,
}

impl Ring {
    pub(super) fn new() -> Ring {
        Ring { found: [Found { field: 0, word: Word::NOTHING }; PLACES], first: 0, len: 0 }
    }

    /// Adds a pointer; the one that has waited longest, if there was no place.
    #[inline(always)]
    pub(super) fn put(&mut self, found: Found) -> Option<Found> {
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

    /// Whether nothing waits.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes the one that has waited longest.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Option<Found> {
        if self.len == 0 {
            return None;
        }
        let oldest = self.found[self.first];
        self.first = (self.first + 1) % PLACES;
        self.len -= 1;
        Some(oldest)
    }
}

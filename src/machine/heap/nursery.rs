//! The nursery: one piece of memory.

use std::alloc::{Layout, alloc, dealloc};

/// A piece of memory in which nodes are allocated one after the other.
#[derive(Debug)]
pub(super) struct Nursery {
    base: *mut u64,
    bytes: usize,
}

impl Default for Nursery {
    fn default() -> Nursery {
        Nursery { base: std::ptr::null_mut(), bytes: 0 }
    }
}

impl Nursery {
    /// A nursery of that many words, at least one. `None` if the system gives no memory.
    pub(super) fn new(words: usize) -> Option<Nursery> {
        let layout = Layout::array::<u64>(words).ok()?;
        debug_assert!(words > 0);
        // SAFETY: the layout has bytes.
        let base = unsafe { alloc(layout) }.cast::<u64>();
        if base.is_null() {
            return None;
        }
        base.expose_provenance();
        Some(Nursery { base, bytes: layout.size() })
    }

    /// Its first word.
    pub(super) fn base(&self) -> *mut u64 {
        self.base
    }

    /// Where it begins.
    #[inline(always)]
    pub(super) fn start(&self) -> usize {
        self.base.addr()
    }

    /// Where it ends.
    #[inline(always)]
    pub(super) fn end(&self) -> usize {
        self.start() + self.bytes
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether an address is in it.
    #[inline(always)]
    pub(super) fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.start()) < self.bytes
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

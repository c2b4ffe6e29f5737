//! Memory of which the processor executes what is in it.

use memmap2::{Mmap, MmapMut};

/// Code in memory that is executed and never written: it is either the one or the other.
pub(super) struct Pages(Mmap);

impl Pages {
    /// Puts code in memory of its own; `None` if the system has none, or executes nothing that a program
    /// has written.
    pub(super) fn of(code: &[u8]) -> Option<Pages> {
        let mut pages = MmapMut::map_anon(code.len().max(1)).ok()?;
        pages.get_mut(..code.len())?.copy_from_slice(code);
        Some(Pages(pages.make_exec().ok()?))
    }

    /// Returns the address of the first byte, which others may jump to.
    pub(super) fn base(&self) -> usize {
        self.0.as_ptr().expose_provenance()
    }
}

//! Chunks: the memory of the old space (GHC: megablocks).
//!
//! A chunk is aligned to [`ALIGN`], so the address of a node gives its chunk. It begins with a
//! table of blocks of 64 words: the mark bits of the words, and where the nodes that begin in
//! the block go when a full collection moves them.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use super::asan;
use crate::base::allocation::fallible;

/// The alignment of chunks, and the largest size of one that is not for a single node, in
/// bytes. In tests it is small, so that there are many.
pub(super) const ALIGN: usize = if cfg!(test) { 8 << 10 } else { 256 << 10 };
/// The smallest size of a chunk, in bytes.
pub(super) const MIN_BYTES: usize = if cfg!(test) { 4 << 10 } else { 16 << 10 };
/// The chunk of a single node of more words has one block only, because the node may extend
/// past the next multiple of [`ALIGN`].
pub(super) const LARGE_WORDS: usize = large_words(ALIGN);
/// Words of a block: one for each mark bit.
pub(super) const BLOCK_WORDS: usize = 64;
/// Bytes of a block.
pub(super) const BLOCK_BYTES: usize = BLOCK_WORDS * 8;

/// Returns the largest node, in words, that goes to a chunk of `bytes` bytes with others. A larger
/// one gets a chunk of its own, so that at most an eighth of a chunk is left at its end.
pub(super) const fn large_words(bytes: usize) -> usize {
    bytes / 8 / 8
}

/// The header of a chunk, before its blocks.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Head {
    /// Whether the mark stack had no place for some marked node of this chunk, whose children
    /// are still to be marked.
    pub(super) rescan: bool,
    blocks: [Block; 0],
}

/// The table entry of 64 words of a chunk.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Block {
    /// The mark bits: for each word whether it belongs to a live node.
    pub(super) live: u64,
    /// The forwarding base: a node that begins in this block goes to this address and 8 for
    /// each live word of the block below it. While nodes are marked: how many words of the
    /// block belong to a node that begins in an earlier one.
    pub(super) to: usize,
}

const HEAD_BYTES: usize = 64;
const _: () = assert!(size_of::<Head>() <= HEAD_BYTES, "the blocks begin after the head");

/// Returns the address of the chunk of the node at an address. (A large node begins in the first
/// [`ALIGN`] bytes of its chunk.)
#[inline]
pub(super) const fn chunk_of(address: usize) -> usize {
    address & !(ALIGN - 1)
}

/// Returns the block of the node at an address.
#[inline]
pub(super) fn block_of(address: usize) -> *mut Block {
    let (chunk, offset) = (chunk_of(address), address & (ALIGN - 1));
    let at = chunk + HEAD_BYTES + offset / BLOCK_BYTES * size_of::<Block>();
    std::ptr::with_exposed_provenance_mut(at)
}

/// Returns the header of the chunk of the node at an address.
#[inline]
pub(super) fn head_of(address: usize) -> *mut Head {
    std::ptr::with_exposed_provenance_mut(chunk_of(address))
}

/// A chunk. It owns its memory.
#[derive(Debug)]
pub(super) struct Chunk {
    base: NonNull<u8>,
    layout: Layout,
    is_large: bool,
    blocks: usize,
    /// The address where its nodes end.
    pub(super) top: usize,
}

// SAFETY: `base` is memory that the chunk owns, and that the heap with this chunk alone reads
// and writes.
unsafe impl Send for Chunk {}

impl Chunk {
    /// Returns a chunk of `bytes` bytes, a power of two between [`MIN_BYTES`] and [`ALIGN`]; `None`
    /// if the system has no memory.
    pub(super) fn new(bytes: usize) -> Option<Chunk> {
        debug_assert!(bytes.is_power_of_two() && (MIN_BYTES..=ALIGN).contains(&bytes));
        Chunk::with_blocks(bytes, bytes / BLOCK_BYTES, false)
    }

    /// Returns a chunk for a single node of `words` words; `None` if the system has no memory.
    pub(super) fn large(words: usize) -> Option<Chunk> {
        #[cfg(test)]
        if REFUSE_LARGE.get() > 0 {
            REFUSE_LARGE.set(REFUSE_LARGE.get() - 1);
            return None;
        }
        Chunk::with_blocks(Chunk::large_bytes(words), Chunk::large_blocks(words), true)
    }

    /// Returns the bytes of a chunk for a single node.
    pub(super) const fn large_bytes(words: usize) -> usize {
        HEAD_BYTES + Chunk::large_blocks(words) * size_of::<Block>() + words * 8
    }

    /// Returns the number of blocks of a chunk for a single node.
    const fn large_blocks(words: usize) -> usize {
        if words > LARGE_WORDS {
            return 1;
        }
        // As many as there are from the beginning of the chunk to its end, themselves included.
        (HEAD_BYTES + words * 8).div_ceil(BLOCK_BYTES - size_of::<Block>())
    }

    fn with_blocks(bytes: usize, blocks: usize, is_large: bool) -> Option<Chunk> {
        let layout = Layout::from_size_align(bytes, ALIGN).ok()?;
        debug_assert!(HEAD_BYTES + blocks * size_of::<Block>() < bytes);
        // SAFETY: no chunk has 0 bytes.
        let base = NonNull::new(fallible(|| unsafe { alloc(layout) }))?;
        base.as_ptr().expose_provenance();
        let mut chunk = Chunk { base, layout, is_large, blocks, top: 0 };
        chunk.top = if is_large { chunk.end() } else { chunk.first() };
        // SAFETY: head and blocks are in the chunk, which nothing else refers to.
        unsafe {
            base.cast::<Head>().write(Head { rescan: false, blocks: [] });
            base.as_ptr().add(HEAD_BYTES).cast::<Block>().write_bytes(0, blocks);
        }
        asan::poison(chunk.first(), chunk.end() - chunk.first());
        Some(chunk)
    }

    /// Returns where it begins.
    pub(super) fn address(&self) -> usize {
        self.base.addr().get()
    }

    /// Returns its size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.layout.size()
    }

    /// Returns where it ends.
    pub(super) fn end(&self) -> usize {
        self.address() + self.bytes()
    }

    /// Returns whether it is for a single node.
    pub(super) fn is_large(&self) -> bool {
        self.is_large
    }

    /// Returns its table of blocks.
    pub(super) fn blocks(&mut self) -> &mut [Block] {
        // SAFETY: they are in the chunk, were written when it was made, and are referred to
        // through `&mut self` or, during a collection, by raw pointers only.
        unsafe {
            let first = self.base.as_ptr().add(HEAD_BYTES).cast::<Block>();
            std::slice::from_raw_parts_mut(first, self.blocks)
        }
    }

    /// Returns where the first node of a chunk of many nodes is.
    pub(super) fn first(&self) -> usize {
        self.address() + HEAD_BYTES + self.blocks * size_of::<Block>()
    }

    /// Returns where the node of a chunk for a single node is.
    pub(super) fn only(&self) -> usize {
        self.first()
    }
}

#[cfg(test)]
thread_local! {
    static REFUSE_LARGE: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Has the next `count` chunks of large nodes refused, in this thread. Returns how many of those
/// that were to be refused before were not.
#[cfg(test)]
pub(super) fn refuse_large(count: u32) -> u32 {
    REFUSE_LARGE.replace(count)
}

impl Drop for Chunk {
    fn drop(&mut self) {
        asan::unpoison(self.address(), self.bytes());
        // SAFETY: `base` came from `alloc` with this layout.
        unsafe { dealloc(self.base.as_ptr(), self.layout) }
    }
}

//! Chunks: the memory of the old space.
//!
//! A chunk is aligned to [`ALIGN`], so that the address of a node gives its chunk. It begins
//! with a table of blocks of 64 words: which words live, and where the nodes that begin in
//! the block go when a full collection moves them.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

/// What addresses of chunks are multiples of, and the bytes of a chunk at most, unless it
/// holds a single node. Tests make it small, to have many.
pub(super) const ALIGN: usize = if cfg!(test) { 8 << 10 } else { 256 << 10 };
/// The bytes of a chunk at least.
pub(super) const MIN_BYTES: usize = if cfg!(test) { 4 << 10 } else { 16 << 10 };
/// A node of more words is in a chunk of its own, which has one block only: the node may go on
/// where another chunk could begin.
pub(super) const LARGE_WORDS: usize = large_words(ALIGN);
/// Words of a block: one for each bit.
pub(super) const BLOCK_WORDS: usize = 64;
/// Bytes of a block.
pub(super) const BLOCK_BYTES: usize = BLOCK_WORDS * 8;

/// The most words of a node that goes to a chunk of that many bytes: a larger one gets a chunk
/// of its own, so that little of a chunk is left when the next node does not fit.
pub(super) const fn large_words(bytes: usize) -> usize {
    bytes / 8 / 8
}

/// What stands at the beginning of a chunk, before its blocks.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Head {
    /// Whether it holds marked nodes whose children are not marked.
    pub(super) rescan: bool,
    blocks: [Block; 0],
}

/// 64 words of a chunk.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Block {
    /// A bit for each word: whether it belongs to a node that lives.
    pub(super) live: u64,
    /// Where the nodes that begin in this block go, as an address: that of a node is this and
    /// 8 for each live word of the block below it. While nodes are marked: how many words of
    /// the block belong to a node that begins in a block before.
    pub(super) to: usize,
}

const HEAD_BYTES: usize = 64;
const _: () = assert!(size_of::<Head>() <= HEAD_BYTES, "the blocks begin after the head");

/// The chunk of the node at an address. A node of a chunk of its own is at its beginning.
#[inline]
pub(super) const fn chunk_of(address: usize) -> usize {
    address & !(ALIGN - 1)
}

/// The block that an address of a chunk is in.
#[inline]
pub(super) fn block_of(address: usize) -> *mut Block {
    let (chunk, offset) = (chunk_of(address), address & (ALIGN - 1));
    let at = chunk + HEAD_BYTES + offset / BLOCK_BYTES * size_of::<Block>();
    std::ptr::with_exposed_provenance_mut(at)
}

/// The head of the chunk of an address.
#[inline]
pub(super) fn head_of(address: usize) -> *mut Head {
    std::ptr::with_exposed_provenance_mut(chunk_of(address))
}

/// A chunk; its memory is freed with it.
#[derive(Debug)]
pub(super) struct Chunk {
    base: NonNull<u8>,
    layout: Layout,
    is_large: bool,
    blocks: usize,
    /// Where its nodes end: an address.
    pub(super) top: usize,
}

// SAFETY: a chunk owns its memory.
unsafe impl Send for Chunk {}

impl Chunk {
    /// A chunk of this many bytes, a power of two between [`MIN_BYTES`] and [`ALIGN`]. `None`
    /// if the system gives no memory.
    pub(super) fn new(bytes: usize) -> Option<Chunk> {
        debug_assert!(bytes.is_power_of_two() && (MIN_BYTES..=ALIGN).contains(&bytes));
        Chunk::with_blocks(bytes, bytes / BLOCK_BYTES, false)
    }

    /// A chunk for a single node of this many words.
    pub(super) fn large(words: usize) -> Option<Chunk> {
        Chunk::with_blocks(Chunk::large_bytes(words), Chunk::large_blocks(words), true)
    }

    /// Bytes of a chunk for a single node.
    pub(super) const fn large_bytes(words: usize) -> usize {
        HEAD_BYTES + Chunk::large_blocks(words) * size_of::<Block>() + words * 8
    }

    /// Blocks of a chunk for a single node.
    const fn large_blocks(words: usize) -> usize {
        if words > LARGE_WORDS {
            return 1;
        }
        // As many as there are from the beginning of the chunk to its end, themselves included.
        (HEAD_BYTES + words * 8).div_ceil(BLOCK_BYTES - size_of::<Block>())
    }

    fn with_blocks(bytes: usize, blocks: usize, is_large: bool) -> Option<Chunk> {
        let layout = Layout::from_size_align(bytes, ALIGN).ok()?;
        // SAFETY: no chunk has 0 bytes.
        let base = NonNull::new(unsafe { alloc(layout) })?;
        base.as_ptr().expose_provenance();
        let mut chunk = Chunk { base, layout, is_large, blocks, top: 0 };
        chunk.top = if is_large { chunk.end() } else { chunk.first() };
        // SAFETY: head and blocks are in the chunk, which nothing else refers to.
        unsafe {
            base.as_ptr().cast::<Head>().write(Head { rescan: false, blocks: [] });
            base.as_ptr().add(HEAD_BYTES).cast::<Block>().write_bytes(0, blocks);
        }
        Some(chunk)
    }

    /// Where it begins.
    pub(super) fn address(&self) -> usize {
        self.base.addr().get()
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> usize {
        self.layout.size()
    }

    /// Where it ends.
    pub(super) fn end(&self) -> usize {
        self.address() + self.bytes()
    }

    /// Whether it is for a single node.
    pub(super) fn is_large(&self) -> bool {
        self.is_large
    }

    /// Its blocks.
    pub(super) fn blocks(&mut self) -> &mut [Block] {
        // SAFETY: they are in the chunk, and were written when it was made.
        unsafe {
            let first = self.base.as_ptr().add(HEAD_BYTES).cast::<Block>();
            std::slice::from_raw_parts_mut(first, self.blocks)
        }
    }

    /// Where the first node of a chunk of many nodes is.
    pub(super) fn first(&self) -> usize {
        self.address() + HEAD_BYTES + self.blocks * size_of::<Block>()
    }

    /// Where the node of a chunk for a single node is.
    pub(super) fn only(&self) -> usize {
        self.first()
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: `base` came from `alloc` with this layout.
        unsafe { dealloc(self.base.as_ptr(), self.layout) }
    }
}

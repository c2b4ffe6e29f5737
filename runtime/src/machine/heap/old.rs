//! The old space: chunks that nodes are promoted to, one after the other.

use std::alloc::{Layout, handle_alloc_error};

use super::chunk::{ALIGN, Chunk, LARGE_WORDS, MIN_BYTES, large_words};
use super::{asan, node_at};

/// No full collection is due while the old space has fewer bytes.
pub(super) const MIN_DUE: u64 = 16 << 20;

/// The old generation.
#[derive(Debug, Default)]
pub(super) struct Old {
    /// Chunks with nodes. All but the last one are full.
    pub(super) chunks: Vec<Chunk>,
    /// Chunks of a single, large node.
    pub(super) large: Vec<Chunk>,
    /// The reserve: chunks without nodes, for the survivors of the nursery.
    pub(super) spare: Vec<Chunk>,
    /// The addresses of the free part of the last chunk.
    pub(super) next: usize,
    pub(super) end: usize,
    pub(super) chunk_bytes: u64,
    pub(super) large_bytes: u64,
    pub(super) spare_bytes: u64,
    /// Bytes of the nodes in full chunks and in `large`.
    pub(super) filled: u64,
    /// How many nodes were ever allocated in `large`.
    pub(super) large_made: u64,
}

impl Old {
    /// Returns bytes of the chunks with nodes.
    pub(super) fn used_bytes(&self) -> u64 {
        self.chunk_bytes + self.large_bytes
    }

    /// Returns bytes of the reserve.
    pub(super) fn spare_bytes(&self) -> u64 {
        self.spare_bytes
    }

    /// Returns bytes of all nodes.
    pub(super) fn node_bytes(&self) -> u64 {
        let last = self.chunks.last().map_or(0, |chunk| self.next - chunk.first());
        self.filled + last as u64
    }

    /// Allocates a node of `words` words, header included, which the caller writes. It does not
    /// fail: see [`reserve`](Old::reserve).
    #[inline(always)]
    pub(super) fn allocate(&mut self, words: usize) -> *mut u64 {
        let address = self.next;
        if words * 8 <= self.end - address && words <= LARGE_WORDS {
            self.next = address + words * 8;
            asan::unpoison(address, words * 8);
            return node_at(address);
        }
        self.allocate_elsewhere(words)
    }

    #[cold]
    #[inline(never)]
    fn allocate_elsewhere(&mut self, words: usize) -> *mut u64 {
        // Little of a chunk must be left when a node does not fit any more.
        let bytes = self.spare.last().map_or(MIN_BYTES, Chunk::bytes);
        if words > large_words(bytes) {
            let chunk = self.large_chunk(words);
            return self.add_large(chunk, words);
        }
        let chunk = match self.spare.pop() {
            Some(chunk) => {
                self.spare_bytes -= chunk.bytes() as u64;
                chunk
            }
            None => Chunk::new(MIN_BYTES).unwrap_or_else(|| refused(MIN_BYTES)),
        };
        self.close();
        self.open(chunk);
        self.allocate(words)
    }

    /// Allocates a large node between collections, which the caller writes; `None` if the system
    /// has no memory.
    pub(super) fn allocate_large(&mut self, words: usize) -> Option<*mut u64> {
        let chunk = Chunk::large(words)?;
        Some(self.add_large(chunk, words))
    }

    /// Adds the chunk of a single node.
    fn add_large(&mut self, chunk: Chunk, words: usize) -> *mut u64 {
        let address = chunk.only();
        self.large_bytes += chunk.bytes() as u64;
        self.filled += words as u64 * 8;
        self.large.push(chunk);
        self.large_made += 1;
        asan::unpoison(address, words * 8);
        node_at(address)
    }

    /// Returns a chunk for a single node. The reserve has as many bytes for it; if the system has
    /// no others, they are given back to it first.
    fn large_chunk(&mut self, words: usize) -> Chunk {
        loop {
            if let Some(chunk) = Chunk::large(words) {
                return chunk;
            }
            match self.spare.pop() {
                Some(spare) => self.spare_bytes -= spare.bytes() as u64,
                None => refused(Chunk::large_bytes(words)),
            }
        }
    }

    /// Closes the last chunk: no more nodes go there.
    fn close(&mut self) {
        if let Some(last) = self.chunks.last_mut() {
            last.top = self.next;
            self.filled += (last.top - last.first()) as u64;
            self.next = 0;
            self.end = 0;
        }
    }

    /// Opens a chunk without nodes: the next ones go there.
    fn open(&mut self, chunk: Chunk) {
        (self.next, self.end) = (chunk.first(), chunk.end());
        self.chunk_bytes += chunk.bytes() as u64;
        self.chunks.push(chunk);
    }

    /// Fills the reserve for the survivors of a nursery with at most `nursery` bytes of live
    /// nodes, from chunks of `chunk` bytes, and gives back what is above that and `kept` bytes.
    /// Returns whether the system had the memory. If so, promoting these survivors needs no
    /// other: that is why no collection fails half-way.
    pub(super) fn reserve(&mut self, nursery: usize, chunk: usize, kept: u64) -> bool {
        let bytes = Old::reserve_bytes(nursery, chunk);
        let most = bytes.saturating_add(kept);
        while let Some(last) = self.spare.last()
            && (self.spare_bytes - last.bytes() as u64 >= most
                || self.spare_bytes > bytes && last.bytes() > chunk)
        {
            self.spare_bytes -= last.bytes() as u64;
            self.spare.pop();
        }
        while self.spare_bytes < bytes {
            let Some(new) = Chunk::new(chunk) else { return false };
            self.spare_bytes += new.bytes() as u64;
            self.spare.push(new);
        }
        true
    }

    /// Returns bytes of the reserve for a nursery with at most `nursery` bytes of live nodes.
    pub(super) fn reserve_bytes(nursery: usize, chunk: usize) -> u64 {
        // Of a chunk its table and the end that no node fits in are not for nodes, an eighth at
        // most; and the last chunk may be full.
        let bytes = (nursery as u64).saturating_add(nursery as u64 / 4);
        bytes.checked_next_multiple_of(chunk as u64).unwrap_or(u64::MAX)
    }

    /// Returns the size of chunks in bytes under a limit: small enough to keep it.
    pub(super) fn chunk_size(limit: Option<u64>) -> usize {
        let share = limit.map_or(ALIGN, |limit| (limit / 128).min(ALIGN as u64) as usize);
        let power = share.checked_ilog2().map_or(0, |log| 1 << log);
        power.clamp(MIN_BYTES, ALIGN)
    }
}

/// Ends the process: the system has no memory in the middle of a collection, which cannot be
/// undone. Only a node that is as large as all of the reserve can come here.
#[cold]
fn refused(bytes: usize) -> ! {
    handle_alloc_error(Layout::from_size_align(bytes, ALIGN).unwrap_or(Layout::new::<u64>()))
}

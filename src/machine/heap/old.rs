//! The old space: chunks that nodes are copied to, one after the other.

use std::alloc::{Layout, handle_alloc_error};

use super::chunk::{ALIGN, Chunk, LARGE_WORDS, MIN_BYTES, large_words};
use super::node_at;

/// Bytes in the old space below which no full collection is due.
pub(super) const MIN_DUE: u64 = 16 << 20;

/// The old space.
#[derive(Debug, Default)]
pub(super) struct Old {
    /// Chunks with nodes. All but the last one are as full as they get.
    pub(super) chunks: Vec<Chunk>,
    /// Chunks of a single node.
    pub(super) large: Vec<Chunk>,
    /// Chunks without nodes: room for what lives of the nursery.
    pub(super) spare: Vec<Chunk>,
    /// Where the next node goes in the last chunk, and where that chunk ends.
    pub(super) next: usize,
    pub(super) end: usize,
    pub(super) chunk_bytes: u64,
    pub(super) large_bytes: u64,
    pub(super) spare_bytes: u64,
    /// Bytes of nodes in the chunks that are full, and of those in `large`.
    pub(super) filled: u64,
    /// How many nodes were ever put in `large`.
    pub(super) large_made: u64,
}

impl Old {
    /// Bytes of the chunks with nodes.
    pub(super) fn used_bytes(&self) -> u64 {
        self.chunk_bytes + self.large_bytes
    }

    /// Bytes of the spare chunks.
    pub(super) fn spare_bytes(&self) -> u64 {
        self.spare_bytes
    }

    /// Bytes of all nodes.
    pub(super) fn node_bytes(&self) -> u64 {
        let last = self.chunks.last().map_or(0, |chunk| self.next - chunk.first());
        self.filled + last as u64
    }

    /// Room for a node of that many words.
    #[inline(always)]
    pub(super) fn claim(&mut self, words: usize) -> *mut u64 {
        let address = self.next;
        if words * 8 <= self.end - address && words <= LARGE_WORDS {
            self.next = address + words * 8;
            return node_at(address);
        }
        self.claim_elsewhere(words)
    }

    #[cold]
    #[inline(never)]
    fn claim_elsewhere(&mut self, words: usize) -> *mut u64 {
        // Of a chunk that is begun little must be left when a node does not fit any more.
        let bytes = self.spare.last().map_or(MIN_BYTES, Chunk::bytes);
        if words > large_words(bytes) {
            let chunk = Chunk::large(words).unwrap_or_else(|| refused(Chunk::large_bytes(words)));
            let address = chunk.only();
            self.large_bytes += chunk.bytes() as u64;
            self.filled += words as u64 * 8;
            self.large.push(chunk);
            self.large_made += 1;
            return node_at(address);
        }
        // `reserve` has put as many there as the nursery can need.
        let chunk = match self.spare.pop() {
            Some(chunk) => {
                self.spare_bytes -= chunk.bytes() as u64;
                chunk
            }
            None => Chunk::new(MIN_BYTES).unwrap_or_else(|| refused(MIN_BYTES)),
        };
        self.close();
        self.open(chunk);
        self.claim(words)
    }

    /// Notes where the nodes of the last chunk end.
    pub(super) fn close(&mut self) {
        if let Some(last) = self.chunks.last_mut() {
            last.top = self.next;
            self.filled += (last.top - last.first()) as u64;
            self.next = 0;
            self.end = 0;
        }
    }

    /// Makes a chunk without nodes the last one.
    fn open(&mut self, chunk: Chunk) {
        (self.next, self.end) = (chunk.first(), chunk.end());
        self.chunk_bytes += chunk.bytes() as u64;
        self.chunks.push(chunk);
    }

    /// Has as many spare chunks as a nursery of that many bytes can need, and no more than that
    /// and `kept` bytes. Whether the system gave them.
    pub(super) fn reserve(&mut self, nursery: usize, chunk: usize, kept: u64) -> bool {
        let bytes = Old::reserve_bytes(nursery, chunk);
        let most = bytes + kept;
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

    /// Bytes of spare chunks for a nursery of that many bytes.
    pub(super) fn reserve_bytes(nursery: usize, chunk: usize) -> u64 {
        // Beside its table and the end that no node fits in, an eighth at most, and the first
        // one may be begun when the last chunk is as good as full.
        (nursery + nursery / 4).next_multiple_of(chunk) as u64
    }

    /// How large chunks are under a limit: small enough that it can be kept.
    pub(super) fn chunk_size(limit: Option<u64>) -> usize {
        let share = limit.map_or(ALIGN, |limit| (limit / 128).min(ALIGN as u64) as usize);
        let power = share.checked_ilog2().map_or(0, |log| 1 << log);
        power.clamp(MIN_BYTES, ALIGN)
    }
}

/// The system gave no memory in the middle of a collection, where nothing can be undone.
#[cold]
fn refused(bytes: usize) -> ! {
    handle_alloc_error(Layout::from_size_align(bytes, ALIGN).unwrap_or(Layout::new::<u64>()))
}

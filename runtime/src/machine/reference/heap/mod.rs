//! The heap: nodes in chunks, a free list, and the count of bytes.

pub(super) mod mark;
pub mod node;
pub(super) mod sweep;

use node::NODE_BYTES;

use crate::base::allocation::{Full, fallible};
pub use node::{Addr, Node, Site};

/// Nodes of a chunk, as a power of two.
const CHUNK_BITS: u32 = 12;
/// Nodes of a chunk.
const CHUNK: usize = 1 << CHUNK_BITS;
/// Bytes of a chunk, with its mark bits.
const CHUNK_BYTES: u64 = CHUNK as u64 * NODE_BYTES + CHUNK as u64 / 8;
/// The fewest bytes that may be allocated between two collections.
const MIN_ALLOWANCE: u64 = 4 << 20;

/// A stretch of nodes. Chunks are never moved nor given back, so growing copies nothing.
#[derive(Clone, Debug)]
struct Chunk {
    nodes: Vec<Node>,
    marks: Box<[u64; CHUNK / 64]>,
}

/// The heap.
#[derive(Clone, Debug)]
pub struct Heap {
    chunks: Vec<Chunk>,
    free: Addr,
    free_count: usize,
    /// Bytes that live or dead nodes own beyond themselves.
    owned: u64,
    /// Bytes of stack, dump and frozen stacks: the machine tells.
    pub(super) side: u64,
    /// The limit on all of it.
    pub(super) limit: Option<u64>,
    /// Bytes allocated since the last collection, and how many may be.
    debt: u64,
    allowance: u64,
    /// Nodes allocated in all.
    pub(super) allocations: u64,
    /// Bytes allocated before the last collection.
    paid: u64,
    /// Nodes that changed, if someone wants to know.
    pub(super) log: Option<Vec<Addr>>,
    /// Selections that collections have reduced, each with its field, if someone wants to know.
    pub(super) selected: Option<Vec<(Addr, Addr)>>,
    /// How many nodes a mark stack holds before it gives up and scans; `None`: a share of
    /// the heap. Tests make it small.
    pub(super) mark_capacity: Option<usize>,
}

impl Heap {
    pub(super) fn new(limit: Option<u64>) -> Heap {
        Heap {
            chunks: Vec::new(),
            free: Addr::NONE,
            free_count: 0,
            owned: 0,
            side: 0,
            limit,
            debt: 0,
            allowance: MIN_ALLOWANCE,
            allocations: 0,
            paid: 0,
            log: None,
            selected: None,
            mark_capacity: None,
        }
    }

    /// Returns the node at an address.
    #[must_use]
    #[inline]
    pub fn get(&self, addr: Addr) -> &Node {
        &self.chunks[(addr.0 >> CHUNK_BITS) as usize].nodes[addr.0 as usize & (CHUNK - 1)]
    }

    /// Returns the node at an address, to be changed by the collector.
    #[inline]
    fn cell(&mut self, addr: Addr) -> &mut Node {
        &mut self.chunks[(addr.0 >> CHUNK_BITS) as usize].nodes[addr.0 as usize & (CHUNK - 1)]
    }

    /// Returns whether a node can be there.
    pub(super) fn is_valid(&self, addr: Addr) -> bool {
        (addr.0 as usize) < self.chunks.len() * CHUNK
    }

    /// Returns where an address leads through indirections.
    #[must_use]
    #[inline]
    pub fn value(&self, mut addr: Addr) -> Addr {
        // `Update` closes no circle of indirections, so this ends.
        while let Node::Ind(next) = self.get(addr) {
            addr = *next;
        }
        addr
    }

    /// Overwrites a node.
    #[inline]
    pub(super) fn set(&mut self, addr: Addr, node: Node) {
        let more = node.owned_bytes();
        let old = std::mem::replace(self.cell(addr), node);
        self.owned = self.owned + more - old.owned_bytes();
        self.debt += more;
        if let Some(log) = &mut self.log {
            log.push(addr);
        }
    }

    /// Writes elements of an array, from an index on; it has them.
    pub(super) fn write_elements(&mut self, addr: Addr, at: usize, values: &[Addr]) {
        if let Node::Array(elements) = self.cell(addr)
            && let Some(part) = elements.get_mut(at..at + values.len())
        {
            part.copy_from_slice(values);
        }
        if let Some(log) = &mut self.log {
            log.push(addr);
        }
    }

    /// Allocates a node. The rule has reserved it, so there is a free cell; if one had not, the
    /// heap would grow past its limit by a chunk.
    #[inline]
    pub(super) fn alloc(&mut self, node: Node) -> Addr {
        if self.free == Addr::NONE {
            self.add_unreserved();
        }
        let addr = self.free;
        let owned = node.owned_bytes();
        if let Node::Free(next) = std::mem::replace(self.cell(addr), node) {
            self.free = next;
        }
        self.free_count -= 1;
        self.owned += owned;
        self.debt += NODE_BYTES + owned;
        self.allocations += 1;
        if let Some(log) = &mut self.log {
            log.push(addr);
        }
        addr
    }

    #[cold]
    fn add_unreserved(&mut self) {
        let chunk = Chunk::free(self.chunks.len(), Vec::with_capacity(CHUNK), Addr::NONE);
        self.add_chunk(chunk);
    }

    fn add_chunk(&mut self, chunk: Chunk) {
        self.free = Addr((self.chunks.len() << CHUNK_BITS) as u32);
        self.free_count += CHUNK;
        self.chunks.push(chunk);
    }

    /// Returns the bytes allocated in all, limbs of big integers included.
    pub(super) fn allocated_bytes(&self) -> u64 {
        self.paid + self.debt
    }

    /// Returns whether it is time for a collection before this is allocated.
    #[inline]
    pub(super) fn is_due(&self, nodes: usize, bytes: u64) -> bool {
        self.debt + nodes as u64 * NODE_BYTES + bytes > self.allowance
    }

    /// Returns whether this can be allocated at once: no chunk is to be added, nothing to be
    /// collected, no limit to be looked at.
    #[inline]
    pub(super) fn is_ready(&self, nodes: usize, bytes: u64) -> bool {
        bytes == 0 && nodes <= self.free_count && !self.is_due(nodes, 0)
    }

    /// Makes sure of free nodes and of bytes that they will own.
    pub(super) fn secure(&mut self, nodes: usize, bytes: u64) -> Result<(), Full> {
        if bytes > 0 {
            self.fits(bytes)?;
        }
        while self.free_count < nodes {
            self.fits(CHUNK_BYTES + bytes)?;
            if self.chunks.len() >= (u32::MAX as usize >> CHUNK_BITS) {
                return Err(Full::Limit);
            }
            let mut cells = Vec::new();
            fallible(|| cells.try_reserve_exact(CHUNK)).map_err(|_| Full::System)?;
            fallible(|| self.chunks.try_reserve(1)).map_err(|_| Full::System)?;
            let chunk = Chunk::free(self.chunks.len(), cells, self.free);
            self.add_chunk(chunk);
        }
        Ok(())
    }

    /// Checks that that much more stays within the limit.
    #[inline]
    pub(super) fn fits(&self, bytes: u64) -> Result<(), Full> {
        match self.limit {
            Some(limit) if self.footprint().saturating_add(bytes) > limit => Err(Full::Limit),
            _ => Ok(()),
        }
    }

    /// Returns the bytes that the limit leaves.
    pub(super) fn left(&self) -> u64 {
        self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.footprint()))
    }

    /// Returns the bytes in use: chunks, what nodes own, stack and dump.
    #[must_use]
    pub fn footprint(&self) -> u64 {
        self.chunks.len() as u64 * CHUNK_BYTES + self.owned + self.side
    }

    /// Returns the bytes in use without the free cells.
    #[must_use]
    pub fn live_bytes(&self) -> u64 {
        (self.node_count() as u64) * NODE_BYTES + self.owned + self.side
    }

    /// Returns the number of nodes that are not free.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.chunks.len() * CHUNK - self.free_count
    }

    /// Returns whether a heap that was just collected is so full that going on would be collecting
    /// and little else.
    pub(super) fn is_exhausted(&self, nodes: usize, bytes: u64) -> bool {
        let need = nodes as u64 * NODE_BYTES + bytes;
        self.limit.is_some_and(|limit| self.live_bytes().saturating_add(need) > limit - limit / 50)
    }

    /// Returns the addresses of all nodes that are not free.
    pub(super) fn addresses(&self) -> impl Iterator<Item = Addr> {
        let all = (0..(self.chunks.len() * CHUNK) as u32).map(Addr);
        all.filter(|&addr| !matches!(self.get(addr), Node::Free(_)))
    }
}

impl Chunk {
    /// Returns the chunk of this index, its cells linked in order and followed by `next`.
    fn free(index: usize, mut nodes: Vec<Node>, next: Addr) -> Chunk {
        let base = (index << CHUNK_BITS) as u32;
        nodes.extend((1..CHUNK as u32).map(|at| Node::Free(Addr(base + at))));
        nodes.push(Node::Free(next));
        Chunk { nodes, marks: Box::new([0; CHUNK / 64]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nodes_own_is_counted_and_given_back() {
        let mut heap = Heap::new(None);
        let unit = heap.alloc(Node::Int(1));
        let large = heap.alloc(Node::constr(crate::gcode::program::ConId(7), &[unit; 100]));
        assert!(heap.owned >= 400);
        heap.set(large, Node::Ind(unit));
        assert_eq!(heap.owned, 0);
        assert_eq!(heap.value(large), unit);
        assert_eq!((heap.node_count(), heap.allocations), (2, 2));
    }

    #[test]
    fn a_limit_is_refused_before_it_is_passed() {
        let mut heap = Heap::new(Some(CHUNK_BYTES * 3));
        assert_eq!(heap.secure(CHUNK * 3, 0), Ok(()));
        assert_eq!(heap.secure(CHUNK * 3 + 1, 0), Err(Full::Limit));
        assert_eq!(heap.secure(0, 1), Err(Full::Limit));
        assert!(heap.footprint() <= CHUNK_BYTES * 3);
    }
}

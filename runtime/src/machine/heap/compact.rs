//! Sliding compaction of the old space, in place.
//!
//! After Kermany and Petrank, *The Compressor: concurrent, incremental, and parallel
//! compaction* (2006): where a node goes follows from the mark bits before it, so one word for
//! each block of 64 is all that has to be stored. The nodes that begin in a block go to one
//! place together; if they do not fit in the rest of a chunk, they go to the next one. The
//! order of nodes stays the same, so no node is moved to where a later one still is.

use super::chunk::{BLOCK_BYTES, BLOCK_WORDS, Block, Chunk, block_of};
use super::mark::{bit, for_each_live, is_marked};
use super::old::Old;
use super::word::Word;
use super::{Header, Kind, Mutator, asan, node_at, overwrite};

/// Returns the word after compaction.
///
/// # Safety
/// If `word` is a pointer, it leads to a marked node, and [`plan`](Old::plan) was called.
#[inline(always)]
pub(super) unsafe fn moved(word: Word) -> Word {
    if !word.is_pointer() {
        return word;
    }
    // SAFETY: the caller says that it is a pointer to a node of the old space.
    Word::from_bits(unsafe { place(word.address()) } as u64 | word.bits() & 0b111)
}

/// Returns the address of a marked node after compaction.
///
/// # Safety
/// There is such a node, and [`plan`](Old::plan) was called.
#[inline(always)]
pub(super) unsafe fn place(address: usize) -> usize {
    // SAFETY: a node of the old space has a block, and nothing else refers to that now.
    unsafe {
        let block = &*block_of(address);
        let (at, below) = (address / 8 % BLOCK_WORDS, bit(address) - 1);
        // Mostly all of them live, and need not be counted.
        let all = block.live & below == below;
        let before = if all { at } else { (block.live & below).count_ones() as usize };
        block.to.wrapping_add(before * 8)
    }
}

/// The place for the next nodes: a chunk, and a free address in it.
struct Target {
    chunk: usize,
    next: usize,
}

impl Old {
    /// Clears all mark bits.
    pub(super) fn begin_marking(&mut self) {
        if let Some(last) = self.chunks.last_mut() {
            last.top = self.next;
        }
        for chunk in self.chunks.iter_mut().chain(&mut self.large) {
            chunk.blocks().fill(Block { live: 0, to: 0 });
        }
    }

    /// Computes where each marked node goes. Frees the chunks of large nodes that are not
    /// marked.
    ///
    /// # Safety
    /// All live nodes are marked.
    pub(super) unsafe fn plan(&mut self) -> Plan {
        // SAFETY: as the caller says; each chunk is that of its nodes.
        unsafe {
            self.large.retain(|chunk| is_marked(chunk.only()));
            for chunk in &mut self.large {
                (*block_of(chunk.only())).to = chunk.only();
            }
            let mut tops: Vec<usize> = Vec::new();
            let mut target = Target { chunk: 0, next: self.chunks.first().map_or(0, Chunk::first) };
            for chunk in &self.chunks {
                self.plan_chunk(chunk, &mut target, &mut tops);
            }
            Plan { tops, next: target.next }
        }
    }

    /// Computes where the marked nodes of one chunk go.
    ///
    /// # Safety
    /// As for [`plan`](Old::plan).
    unsafe fn plan_chunk(&self, chunk: &Chunk, target: &mut Target, tops: &mut Vec<usize>) {
        let mut at = chunk.address();
        while at < chunk.top {
            let block = block_of(at);
            let below = at + BLOCK_BYTES;
            // SAFETY: the blocks are of this chunk, and marking has noted in each how many of
            // its words belong to a node that began before it.
            unsafe {
                let carried = (*block).to;
                let mut words = (*block).live.count_ones() as usize - carried;
                // The last node that begins here may go on.
                let mut next = below;
                while words > 0 && next < chunk.top {
                    let more = (*block_of(next)).to;
                    words += more;
                    if more < BLOCK_WORDS {
                        break;
                    }
                    next += BLOCK_BYTES;
                }
                while target.next + words * 8 > self.chunks[target.chunk].end() {
                    tops.push(target.next);
                    target.chunk += 1;
                    target.next = self.chunks[target.chunk].first();
                }
                (*block).to = target.next.wrapping_sub(carried * 8);
                target.next += words * 8;
            }
            at = below;
        }
    }

    /// Moves the marked nodes, and updates the pointers in them. Returns how many words were
    /// moved.
    ///
    /// # Safety
    /// [`plan`](Old::plan) was called, and nothing has changed since.
    pub(super) unsafe fn slide(&mut self, mutator: &mut impl Mutator) -> u64 {
        let mut words = 0;
        for chunk in &self.large {
            // SAFETY: those that are left are marked, and stay where they are.
            unsafe { move_node(chunk.only(), chunk.only(), mutator) };
        }
        for chunk in &self.chunks {
            // SAFETY: where a node goes is no node that was not moved, see the module.
            unsafe {
                for_each_live(chunk, |address| {
                    let to = place(address);
                    let moved = move_node(address, to, mutator);
                    if to != address {
                        words += moved as u64;
                    }
                });
            }
        }
        words
    }

    /// Notes where the nodes of each chunk end now, and adds the chunks without nodes to the
    /// reserve.
    ///
    /// # Safety
    /// `plan` is what [`plan`](Old::plan) has returned, and [`slide`](Old::slide) has moved the
    /// nodes.
    pub(super) unsafe fn finish(&mut self, plan: Plan, poison: bool) {
        let used = plan.tops.len() + 1;
        let tops = plan.tops.iter().copied().chain([plan.next]);
        let mut filled = 0;
        for (chunk, top) in self.chunks.iter_mut().zip(tops) {
            // SAFETY: no node is there any more, between the new end and the old one.
            unsafe { vacate(top, chunk.top, poison) };
            chunk.top = top;
            filled += (top - chunk.first()) as u64;
        }
        for mut chunk in self.chunks.drain(used.min(self.chunks.len())..).rev() {
            self.chunk_bytes -= chunk.bytes() as u64;
            self.spare_bytes += chunk.bytes() as u64;
            // SAFETY: no node is in the chunk any more.
            unsafe { vacate(chunk.first(), chunk.top, poison) };
            chunk.top = chunk.first();
            self.spare.push(chunk);
        }
        self.large_bytes = self.large.iter().map(|chunk| chunk.bytes() as u64).sum();
        filled += self.large.iter().map(|chunk| (chunk.end() - chunk.only()) as u64).sum::<u64>();
        if let Some(last) = self.chunks.last() {
            filled -= (last.top - last.first()) as u64;
            (self.next, self.end) = (last.top, last.end());
        }
        self.filled = filled;
    }
}

/// Where the nodes of each chunk but the last one will end, and those of the last one.
pub(super) struct Plan {
    tops: Vec<usize>,
    next: usize,
}

/// Moves a node, and updates the pointers in it. Returns its words.
///
/// # Safety
/// There is a marked node at `from`, and [`place`] says `to`; the nodes before it were moved.
#[inline(always)]
unsafe fn move_node(from: usize, to: usize, mutator: &mut impl Mutator) -> usize {
    let (old, new) = (node_at(from), node_at(to));
    // SAFETY: `to` is not above `from`, so words are read before they are overwritten; the
    // payload of these kinds are words whose pointers lead to marked nodes.
    unsafe {
        let header = Header::from_bits(*old);
        let words = header.node_words();
        asan::unpoison(to, words * 8);
        match header.kind() {
            Kind::Con | Kind::Thunk | Kind::Pap | Kind::Array | Kind::Bytes => {
                *new = header.bits();
                for at in 1..words {
                    *new.add(at) = moved(Word::from_bits(*old.add(at))).bits();
                }
            }
            kind => {
                if kind == Kind::Suspended {
                    let id = Word::from_bits(*old.add(1)).as_int();
                    mutator.suspended(id, &mut |word| *word = moved(*word));
                }
                std::ptr::copy(old, new, words);
            }
        }
        words
    }
}

/// Gives up the nodes between two addresses.
///
/// # Safety
/// They are in one chunk, and no live node is there.
unsafe fn vacate(from: usize, to: usize, poison: bool) {
    if poison {
        // SAFETY: the caller's obligation.
        unsafe { overwrite(from, to) };
    }
    asan::poison(from, to.saturating_sub(from));
}

//! Sliding what lives of the old space together, in place.
//!
//! After Kermany and Petrank, *The Compressor: concurrent, incremental, and parallel
//! compaction* (2006): where a node goes follows from the live words before it, so that a
//! word for each block of 64 is all that has to be remembered. The nodes that begin in a
//! block go to one place together; if they do not fit in what is left of a chunk, they go to
//! the next one. The order of nodes stays, so none goes to where a later one still is.

use super::chunk::{BLOCK_BYTES, BLOCK_WORDS, Block, Chunk, block_of};
use super::mark::{bit, for_each_live, is_marked};
use super::old::Old;
use super::word::Word;
use super::{Header, Kind, Mutator, POISON, node_at};

/// Where a pointer leads when the live nodes have moved.
///
/// # Safety
/// If `word` is a pointer, it is one to a marked node, and places were worked out.
#[inline(always)]
pub(super) unsafe fn moved(word: Word) -> Word {
    if !word.is_pointer() {
        return word;
    }
    // SAFETY: the caller says that it is a pointer to a node of the old space.
    Word::from_bits(unsafe { place(word.address()) } as u64 | word.bits() & 0b111)
}

/// Where a marked node goes.
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

/// Where nodes go: the chunk and the next free address in it.
struct Target {
    chunk: usize,
    next: usize,
}

impl Old {
    /// Unmarks all nodes, and notes where those of the last chunk end.
    pub(super) fn begin_marking(&mut self) {
        if let Some(last) = self.chunks.last_mut() {
            last.top = self.next;
        }
        for chunk in self.chunks.iter_mut().chain(&mut self.large) {
            chunk.blocks().fill(Block { live: 0, to: 0 });
        }
    }

    /// Works out where each marked node goes. Frees chunks of single nodes that are not
    /// marked.
    ///
    /// # Safety
    /// Everything that lives is marked.
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

    /// Works out where the nodes of one chunk go.
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

    /// Moves the marked nodes to their places, and all their pointers with them. Words that
    /// were moved.
    ///
    /// # Safety
    /// Places were worked out, and nothing has changed since.
    pub(super) unsafe fn slide(&mut self, mutator: &mut impl Mutator) -> u64 {
        let mut words = 0;
        for chunk in &self.large {
            // SAFETY: those that are left are marked, and stay where they are.
            unsafe { move_node(chunk.only(), chunk.only(), mutator) };
        }
        for chunk in &self.chunks {
            // SAFETY: a node goes to where no node is that has not gone, see the module.
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

    /// Gives the chunks their new ends, and makes those without nodes spare ones.
    pub(super) fn finish(&mut self, plan: Plan, poison: bool) {
        let used = plan.tops.len() + 1;
        let tops = plan.tops.iter().copied().chain([plan.next]);
        let mut filled = 0;
        for (chunk, top) in self.chunks.iter_mut().zip(tops) {
            if poison {
                overwrite(top, chunk.top);
            }
            chunk.top = top;
            filled += (top - chunk.first()) as u64;
        }
        for mut chunk in self.chunks.drain(used.min(self.chunks.len())..).rev() {
            self.chunk_bytes -= chunk.bytes() as u64;
            self.spare_bytes += chunk.bytes() as u64;
            if poison {
                overwrite(chunk.first(), chunk.top);
            }
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

/// Where the nodes of each chunk but the last will end, and those of the last.
pub(super) struct Plan {
    tops: Vec<usize>,
    next: usize,
}

/// Moves a node, and what it points to with it. Its words.
#[inline(always)]
unsafe fn move_node(from: usize, to: usize, mutator: &mut impl Mutator) -> usize {
    let (old, new) = (node_at(from), node_at(to));
    // SAFETY: `to` is not above `from`, so words are read before they are overwritten; the
    // payload of these kinds are words whose pointers lead to marked nodes.
    unsafe {
        let header = Header::from_bits(*old);
        let words = header.words() + 1;
        match header.kind() {
            Kind::Con | Kind::Thunk | Kind::Pap => {
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

/// Overwrites memory that nodes have left.
fn overwrite(from: usize, to: usize) {
    for at in (from..to).step_by(8) {
        // SAFETY: the caller has moved all nodes away.
        unsafe { *node_at(at) = POISON };
    }
}

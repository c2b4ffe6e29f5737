//! Collections: when there is one, and the minor one.
//!
//! A minor collection copies what lives of the nursery to the old space, by Cheney's
//! algorithm (*A nonrecursive list compacting algorithm*, 1970): the copies that were made but
//! not scanned are the queue.

use super::chunk::MIN_BYTES;
use super::nursery::Nursery;
use super::old::{MIN_DUE, Old};
use super::word::Word;
use super::{Full, Header, Heap, Kind, Mutator, Need, Stress, YOUNG_BIG_BYTES};
use super::{big_bytes, drop_big, node_at, tag_of};

/// The smallest nursery, in bytes.
const MIN_NURSERY: usize = 4 << 10;
/// What is written over memory that nodes have left: as a word it is no value, as a header no
/// kind.
const POISON: u64 = 0xdead_dead_dead_de07;

impl Heap {
    /// Makes room, by a minor collection, a full one if enough has come into the old space or
    /// the limit is near, and a smaller nursery if that is what the limit leaves. Afterwards
    /// the words that are needed fit and the bytes may be taken.
    ///
    /// # Errors
    /// [`Full`] if there is no room after a full collection, or so little that going on would
    /// be collecting and nothing else. The heap is as usable as before, except that nothing
    /// may fit in the nursery.
    pub fn collect(&mut self, need: Need, mutator: &mut impl Mutator) -> Result<(), Full> {
        self.minor(mutator);
        if self.old_live() > self.due || self.config.stress == Stress::Full {
            self.full(mutator);
            return self.prepare(need, true);
        }
        self.prepare(need, false).or_else(|Full| {
            self.full(mutator);
            self.prepare(need, true)
        })
    }

    /// A minor and then a full collection.
    ///
    /// # Errors
    /// As [`collect`](Heap::collect).
    pub fn collect_full(&mut self, need: Need, mutator: &mut impl Mutator) -> Result<(), Full> {
        self.minor(mutator);
        self.full(mutator);
        self.prepare(need, true)
    }

    fn full(&mut self, _mutator: &mut impl Mutator) {
        self.due = (2 * self.old_live()).max(MIN_DUE);
        self.survived = self.old_live();
    }

    /// Gets the nursery, which is empty, and the room for what will live of it ready.
    /// `cleaned` says that a full collection could not help any more.
    fn prepare(&mut self, need: Need, cleaned: bool) -> Result<(), Full> {
        (self.next, self.end) = (self.nursery.base(), self.nursery.base());
        let needed = need.words.checked_mul(8).ok_or(Full)?;
        let wanted = (self.config.nursery_words * 8).max(needed).max(MIN_NURSERY);
        let chunk = Old::chunk_size(self.config.limit);
        let mut bytes = wanted;
        let mut big_allowance = YOUNG_BIG_BYTES;
        if let Some(limit) = self.config.limit {
            let left = limit.saturating_sub(self.used()).checked_sub(need.bytes).ok_or(Full)?;
            // A full collection is worth while if there may be garbage, and before going on
            // in small steps.
            let grown = self.old_live() - self.survived.min(self.old_live());
            let worth = !cleaned && grown > limit / 64;
            let least = if worth { (wanted as u64).min(limit / 32) as usize } else { MIN_NURSERY };
            while bytes as u64 + Old::reserve_bytes(bytes, chunk) > left {
                bytes = (bytes - bytes / 8) & !7;
                if bytes < least.max(needed) {
                    return Err(Full);
                }
            }
            if left < limit / 50 {
                return Err(Full);
            }
            let rest = left - bytes as u64 - Old::reserve_bytes(bytes, chunk);
            big_allowance = big_allowance.min(rest);
        }
        if self.nursery.bytes() != bytes {
            self.nursery = Nursery::default();
            (self.next, self.end) = (self.nursery.base(), self.nursery.base());
            self.nursery = Nursery::new(bytes / 8).ok_or(Full)?;
        }
        (self.next, self.end) = (self.nursery.base(), self.nursery.base());
        if !self.old.reserve(bytes, chunk) {
            return Err(Full);
        }
        self.young_big_allowance = big_allowance + need.bytes;
        let open = match self.config.stress {
            Stress::None => bytes,
            Stress::Minor | Stress::Full => needed,
        };
        self.end = self.next.wrapping_byte_add(open);
        self.counters.peak_bytes = self.counters.peak_bytes.max(self.footprint());
        Ok(())
    }

    /// Copies what lives of the nursery to the old space. Afterwards it is empty, and has no
    /// room.
    fn minor(&mut self, mutator: &mut impl Mutator) {
        self.counters.minor += 1;
        self.counters.words_allocated += (self.next.addr() - self.nursery.start()) as u64 / 8;
        self.counters.peak_bytes = self.counters.peak_bytes.max(self.footprint());
        let remembered = self.remembered.len() as u64;
        self.counters.longest_remembered = self.counters.longest_remembered.max(remembered);
        let before = self.old.node_bytes();
        let mut queue = Queue {
            chunk: self.old.chunks.len().saturating_sub(1),
            at: self.old.next,
            large: self.old.large.len(),
        };
        // SAFETY: the mutator's words are words of this heap, and so are those of the nodes
        // that are remembered.
        unsafe {
            mutator.young(&mut |word| *word = self.forward(*word));
            for at in 0..self.remembered.len() {
                let address = self.remembered[at];
                self.scan(address);
            }
            self.scan_copies(&mut queue);
        }
        self.remembered.clear();
        self.sort_bigs();
        self.counters.words_promoted += (self.old.node_bytes() - before) / 8;
        self.counters.peak_live_bytes =
            self.counters.peak_live_bytes.max(self.old_live() + self.outside);
        if self.config.poison {
            for at in (self.nursery.start()..self.nursery.end()).step_by(8) {
                // SAFETY: nothing lives in the nursery.
                unsafe { *node_at(at) = POISON };
            }
        }
        (self.next, self.end) = (self.nursery.base(), self.nursery.base());
    }

    /// Drops the big integers of the nursery that nothing has copied; the others are old.
    fn sort_bigs(&mut self) {
        let mut young = std::mem::take(&mut self.young_bigs);
        for address in young.drain(..) {
            // SAFETY: the node is as it was, or has its new address in place of its header.
            unsafe {
                let first = *node_at(address);
                if first & 1 == 0 {
                    let moved = Word::from_bits(first | 1).address();
                    let value = &*node_at(moved).add(1).cast();
                    self.old_big_bytes += big_bytes(value);
                    self.old_bigs.push(moved);
                } else {
                    drop_big(address);
                }
            }
        }
        self.young_bigs = young;
        self.young_big_bytes = 0;
    }

    /// Scans the copies that were not scanned, until there are no more.
    unsafe fn scan_copies(&mut self, queue: &mut Queue) {
        loop {
            if let Some(chunk) = self.old.chunks.get(queue.chunk) {
                let is_last = queue.chunk + 1 == self.old.chunks.len();
                let top = if is_last { self.old.next } else { chunk.top };
                queue.at = queue.at.max(chunk.first());
                if queue.at < top {
                    while queue.at < top {
                        // SAFETY: a copy is a node.
                        queue.at += unsafe { self.scan(queue.at) };
                    }
                    continue;
                }
                if !is_last {
                    (queue.chunk, queue.at) = (queue.chunk + 1, 0);
                    continue;
                }
            }
            let Some(chunk) = self.old.large.get(queue.large) else { return };
            let address = chunk.only();
            queue.large += 1;
            // SAFETY: as above.
            unsafe { self.scan(address) };
        }
    }

    /// Forwards the words of a node; its size in bytes.
    #[inline(always)]
    unsafe fn scan(&mut self, address: usize) -> usize {
        let node = node_at(address);
        // SAFETY: the address is that of a node.
        unsafe {
            let header = Header::from_bits(*node);
            let pointers = match header.kind() {
                Kind::Con | Kind::Thunk | Kind::Pap => header.words(),
                Kind::Ind => 1,
                _ => 0,
            };
            for at in 1..=pointers {
                let word = Word::from_bits(*node.add(at));
                if word.is_pointer() {
                    *node.add(at) = self.forward(word).bits();
                }
            }
            (header.words() + 1) * 8
        }
    }

    /// Where a word leads to when all that is young has moved.
    #[inline]
    unsafe fn forward(&mut self, mut word: Word) -> Word {
        while word.is_pointer() {
            let node = node_at(word.address());
            // SAFETY: a pointer leads to a node, or to one that has moved.
            unsafe {
                let first = *node;
                if first & 1 == 0 {
                    return Word::from_bits(first | 1);
                }
                let header = Header::from_bits(first);
                if header.kind() == Kind::Ind {
                    word = Word::from_bits(*node.add(1));
                    continue;
                }
                let tag = tag_of(header.kind());
                if !self.is_young(word) {
                    return word.with_tag(tag);
                }
                let words = header.words() + 1;
                let copy = self.old.claim(words);
                copy.copy_from_nonoverlapping(node, words);
                let moved = Word::pointer(copy.expose_provenance(), tag);
                *node = moved.bits() & !1;
                return moved;
            }
        }
        word
    }
}

/// Where the copies begin that were not scanned.
struct Queue {
    chunk: usize,
    at: usize,
    large: usize,
}

const _: () = assert!(MIN_NURSERY <= MIN_BYTES * 2, "a limit leaves room for both");

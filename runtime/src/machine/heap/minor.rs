//! The minor collection.
//!
//! Live nodes of Eden are copied to the other survivor space, as far as there is room, and those
//! of the survivor space in use to the old space (they are promoted), by Cheney's algorithm (*A
//! nonrecursive list compacting algorithm*, 1970): the copies that were not scanned yet are its
//! queue.
//!
//! A node that is promoted while it leads to a young one is added to the remembered set. If
//! nodes were promoted at their first collection, a lazy list that is consumed as it is produced
//! would be promoted as a whole: its last cell is promoted, is updated with the next one when it
//! is dead already, and keeps all that follows alive until the next full collection.

use super::nursery::{Moving, Nursery};
use super::short_circuit::{Rules, follow, reduce};
use super::word::{Tag, Word};
use super::{
    Free, Header, Heap, Kind, Mutator, Size, asan, big_bytes_at, drop_big, node_at, overwrite,
    tag_of,
};

impl Heap {
    /// Evacuates Eden and the survivor space in use. Afterwards Eden is empty, and nothing fits
    /// in it; with `all`, nothing is young.
    ///
    /// # Safety
    /// The words that `mutator` visits are words of this heap.
    pub(super) unsafe fn minor(&mut self, all: bool, mutator: &mut impl Mutator) {
        // SAFETY: all nodes are written before a collection.
        unsafe { self.before_minor() };
        self.counters.minor += 1;
        self.counters.words_allocated += (self.free.next.addr() - self.nursery.start()) as u64 / 8;
        self.counters.peak_bytes = self.counters.peak_bytes.max(self.footprint());
        let remembered = self.remembered.len() as u64;
        self.counters.longest_remembered = self.counters.longest_remembered.max(remembered);
        self.counters.remembered += remembered;
        let before = self.old.node_bytes();
        self.moving = self.nursery.moving();
        let room = self.nursery.other_room();
        self.survivor = room.start;
        self.survivors_end = if all { room.start } else { room.end };
        let mut queue = Queue {
            chunk: self.old.chunks.len().saturating_sub(1),
            at: self.old.next,
            large: self.old.large.len(),
            survivor: room.start,
        };
        // SAFETY: the mutator's words are words of this heap, and so are those of the nodes
        // of the remembered set.
        unsafe {
            mutator.young(&mut |word| {
                *word = self.forward(*word);
                word.is_pointer() && self.is_young(*word)
            });
            for address in std::mem::take(&mut self.remembered) {
                self.scan::<true>(address);
            }
            self.scan_copies(&mut queue);
            self.sort_bigs();
        }
        self.counters.words_survived += (self.survivor - room.start) as u64 / 8;
        self.nursery.swap(self.survivor);
        self.counters.words_promoted += (self.old.node_bytes() - before) / 8;
        self.counters.peak_live_bytes =
            self.counters.peak_live_bytes.max(self.old_live() + self.outside);
        // SAFETY: what was alive is elsewhere.
        unsafe { self.after_minor() };
        let evacuated = self.moving.range();
        if self.config.poison {
            // SAFETY: no live node is there any more.
            unsafe { overwrite(evacuated.start, evacuated.end) };
        }
        asan::poison(evacuated.start, evacuated.len());
        self.free = Free::none(self.nursery.eden());
    }

    /// Drops the young big integers that were not evacuated.
    ///
    /// # Safety
    /// All live nodes were evacuated, and nothing was written to where they were.
    unsafe fn sort_bigs(&mut self) {
        self.young_big_bytes = 0;
        for address in std::mem::take(&mut self.young_bigs) {
            // SAFETY: the node is as it was, or has a forwarding address instead of a header.
            unsafe {
                let first = *node_at(address);
                if first & 1 == 0 {
                    let moved = Word::from_bits(first | 1).address();
                    let bytes = big_bytes_at(moved);
                    if self.nursery.holds(moved) {
                        self.young_big_bytes += bytes;
                        self.young_bigs.push(moved);
                    } else {
                        self.old_big_bytes += bytes;
                        self.old_bigs.push(moved);
                    }
                } else {
                    self.counters.bigs_dropped += 1;
                    drop_big(address);
                }
            }
        }
    }

    /// Scans the copies that were not scanned yet, until there are no more.
    ///
    /// # Safety
    /// From where `queue` begins on there are copies, which were not scanned.
    unsafe fn scan_copies(&mut self, queue: &mut Queue) {
        loop {
            while queue.survivor < self.survivor {
                // SAFETY: a copy is a node.
                queue.survivor += unsafe { self.scan::<false>(queue.survivor) };
            }
            if let Some(chunk) = self.old.chunks.get(queue.chunk) {
                let is_last = queue.chunk + 1 == self.old.chunks.len();
                let top = if is_last { self.old.next } else { chunk.top };
                queue.at = queue.at.max(chunk.first());
                if queue.at < top {
                    while queue.at < top {
                        // SAFETY: a copy is a node.
                        queue.at += unsafe { self.scan::<true>(queue.at) };
                    }
                    continue;
                }
                if !is_last {
                    (queue.chunk, queue.at) = (queue.chunk + 1, 0);
                    continue;
                }
            }
            let Some(chunk) = self.old.large.get(queue.large) else {
                if queue.survivor == self.survivor {
                    return;
                }
                continue;
            };
            let address = chunk.only();
            queue.large += 1;
            // SAFETY: as above.
            unsafe { self.scan::<true>(address) };
        }
    }

    /// Evacuates what the fields of a node lead to. If the node is old and leads to young ones,
    /// adds it to the remembered set. Returns its size in bytes.
    ///
    /// # Safety
    /// There is a node at `address`, which was not evacuated.
    #[inline(always)]
    unsafe fn scan<const OLD: bool>(&mut self, address: usize) -> usize {
        let node = node_at(address);
        // SAFETY: the address is that of a node.
        unsafe {
            let header = Header::from_bits(*node);
            let pointers = match header.kind() {
                Kind::Con | Kind::Thunk | Kind::Pap | Kind::Bytes => header.words(),
                Kind::Array if OLD => return self.scan_array(address),
                // The cards of a young array are clean, which reads as integers.
                Kind::Array => header.words(),
                Kind::Ind => 1,
                _ => 0,
            };
            if self.scan_words::<OLD>(node.add(1), pointers) {
                self.remembered.push(address);
            }
            header.node_words() * 8
        }
    }

    /// Evacuates what words lead to. Returns whether the node is old and one of them leads to a
    /// young one now.
    ///
    /// # Safety
    /// `count` words of nodes of this heap are at `first`, which were not evacuated.
    #[inline(always)]
    pub(super) unsafe fn scan_words<const OLD: bool>(
        &mut self,
        first: *mut u64,
        count: usize,
    ) -> bool {
        let mut young = false;
        for at in 0..count {
            // SAFETY: the caller's obligation.
            unsafe {
                let word = Word::from_bits(*first.add(at));
                if word.is_pointer() {
                    let moved = self.forward(word);
                    young |= OLD && moved.is_pointer() && self.is_young(moved);
                    *first.add(at) = moved.bits();
                }
            }
        }
        young
    }

    /// Evacuates the node that a word leads to, and returns the word to use instead.
    ///
    /// # Safety
    /// `word` is a word of this heap.
    #[inline(always)]
    unsafe fn forward(&mut self, word: Word) -> Word {
        if !word.is_pointer() {
            return word;
        }
        // SAFETY: a pointer leads to a node, or to one that has moved.
        unsafe {
            if self.moving.holds(word.address()) {
                let first = *node_at(word.address());
                if first & 1 == 0 { Word::from_bits(first | 1) } else { self.promote(word) }
            } else if word.is_evaluated() {
                word
            } else {
                self.forward_old(word)
            }
        }
    }

    /// Forwards, as [`forward`](Heap::forward) does, a pointer to an old, unknown node.
    ///
    /// # Safety
    /// As for [`forward`](Heap::forward).
    unsafe fn forward_old(&mut self, word: Word) -> Word {
        // SAFETY: a pointer leads to a node.
        unsafe {
            match Header::from_bits(*node_at(word.address())).kind() {
                Kind::Ind => self.promote(word),
                kind => word.with_tag(tag_of(kind)),
            }
        }
    }

    /// Forwards, as [`forward`](Heap::forward) does, any pointer, without recursion.
    ///
    /// # Safety
    /// As for [`forward`](Heap::forward).
    unsafe fn promote(&mut self, mut word: Word) -> Word {
        while word.is_pointer() {
            let node = node_at(word.address());
            // SAFETY: a pointer leads to a node, or to one that has moved.
            unsafe {
                let first = *node;
                if first & 1 == 0 {
                    return Word::from_bits(first | 1);
                }
                let header = Header::from_bits(first);
                let kind = header.kind();
                if kind == Kind::Ind {
                    self.counters.indirections += 1;
                    let next = Word::from_bits(*node.add(1));
                    // A chain of several is rare.
                    word = if next.is_evaluated() {
                        next
                    } else {
                        follow(word, &Young(self.moving, &self.nursery))
                    };
                    continue;
                }
                if !self.moving.holds(word.address()) {
                    return word.with_tag(tag_of(kind));
                }
                let mut words = header.node_words();
                if kind == Kind::Thunk && words == 2 && self.selectors.is_selector(header.info()) {
                    let short = reduce(word, &self.selectors, &Young(self.moving, &self.nursery));
                    if short != word.with_tag(Tag::Unknown) {
                        word = short;
                        continue;
                    }
                }
                let mut header = header;
                if kind == Kind::Hole && header.info() != Header::UNFILLED {
                    // All that will ever be written to it is an indirection.
                    header = Header::new(Kind::Hole, Size::ONE, header.info());
                    words = 2;
                }
                let aged = self.moving.is_aged(word.address());
                let copy = if !aged && words * 8 <= self.survivors_end - self.survivor {
                    let copy = node_at(self.survivor);
                    asan::unpoison(self.survivor, words * 8);
                    self.survivor += words * 8;
                    copy
                } else {
                    self.old.allocate(words)
                };
                copy_payload(node, copy, words);
                *copy = header.bits();
                let moved = Word::pointer(copy.expose_provenance(), tag_of(kind));
                *node = moved.bits() & !1;
                return moved;
            }
        }
        word
    }
}

/// Copies the payload of a node of `words` words, header included. Most nodes are small, and for
/// these a call of `memcpy` costs more than the copy.
///
/// # Safety
/// Both nodes have so many words, at least 2, and do not overlap.
#[inline(always)]
unsafe fn copy_payload(from: *const u64, to: *mut u64, words: usize) {
    // SAFETY: the caller's obligation.
    unsafe {
        *to.add(1) = *from.add(1);
        match words {
            0..=2 => {}
            3 => *to.add(2) = *from.add(2),
            4 => to.add(2).cast::<[u64; 2]>().write(from.add(2).cast::<[u64; 2]>().read()),
            5 => to.add(2).cast::<[u64; 3]>().write(from.add(2).cast::<[u64; 3]>().read()),
            _ => to.add(2).copy_from_nonoverlapping(from.add(2), words - 2),
        }
    }
}

/// The rules of a minor collection: it changes the nodes that it evacuates, and no old node must
/// come to lead to a young one.
struct Young<'a>(Moving, &'a Nursery);

impl Rules for Young<'_> {
    #[inline]
    unsafe fn may_replace(&self, address: usize) -> bool {
        self.0.holds(address)
    }

    #[inline]
    fn may_redirect(&self, address: usize, end: Word) -> bool {
        self.0.holds(address) || !end.is_pointer() || !self.1.holds(end.address())
    }
}

/// Cheney's scan pointers: where the copies begin that were not scanned, in the old space's
/// chunks, its large nodes, and the survivor space.
struct Queue {
    chunk: usize,
    at: usize,
    large: usize,
    survivor: usize,
}

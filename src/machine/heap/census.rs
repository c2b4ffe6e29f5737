//! A walk through what is alive, for a profile: each node once, by who leads to it first.
//!
//! It begins when a full collection has ended, so everything is old and no mark is in use; it
//! changes nothing but the marks.

use super::chunk::block_of;
use super::mark::bit;
use super::old::Old;
use super::word::Word;
use super::{Header, Heap, Kind, big_bytes_at, node_at};

/// A walk under way.
pub struct Walk<'a> {
    _old: &'a mut Old,
    /// Nodes that were reached and whose children are still to be.
    pending: Vec<usize>,
    /// Numbers of stopped evaluations that were reached, whose words nobody has visited yet.
    pub suspended: Vec<i64>,
}

impl Heap {
    /// Begins a walk; nothing was reached yet.
    ///
    /// # Safety
    /// Nothing is young, and no collection is under way.
    pub unsafe fn walk_live(&mut self) -> Walk<'_> {
        self.old.begin_marking();
        Walk { _old: &mut self.old, pending: Vec::new(), suspended: Vec::new() }
    }

    /// Bytes of nodes and big integers in the old space.
    #[must_use]
    pub fn old_bytes(&self) -> u64 {
        self.old_live()
    }

    /// Bytes of nodes and big integers that were allocated since the heap was made.
    #[inline]
    #[must_use]
    pub fn allocated_bytes(&self) -> u64 {
        let young = (self.free.next.addr() - self.nursery.start()) as u64;
        self.counters.words_allocated * 8 + young + self.counters.big_bytes_allocated
    }
}

impl Walk<'_> {
    /// Calls `each` with the header and the bytes of every node that can be reached from `word` and
    /// that no earlier visit has reached.
    ///
    /// # Safety
    /// It is a word of the heap, which has not changed since the walk began.
    pub unsafe fn visit(&mut self, word: Word, each: &mut impl FnMut(Header, u64)) {
        // SAFETY: the caller's promise; pointers in nodes lead to nodes, all of them old.
        unsafe {
            self.reach(word, each);
            while let Some(address) = self.pending.pop() {
                let node = node_at(address);
                let header = Header::from_bits(*node);
                let pointers = match header.kind() {
                    Kind::Con | Kind::Thunk | Kind::Pap | Kind::Array | Kind::Bytes => {
                        header.words()
                    }
                    Kind::Ind => 1,
                    Kind::Suspended => {
                        self.suspended.push(Word::from_bits(*node.add(1)).as_int());
                        0
                    }
                    _ => 0,
                };
                for at in (1..=pointers).rev() {
                    self.reach(Word::from_bits(*node.add(at)), each);
                }
            }
        }
    }

    /// Notes the node that a word leads to, if it is reached for the first time.
    ///
    /// # Safety
    /// As for [`visit`](Walk::visit).
    unsafe fn reach(&mut self, word: Word, each: &mut impl FnMut(Header, u64)) {
        if !word.is_pointer() {
            return;
        }
        let address = word.address();
        // SAFETY: there is an old node, whose block nothing else refers to.
        unsafe {
            let block = block_of(address);
            if (*block).live & bit(address) != 0 {
                return;
            }
            (*block).live |= bit(address);
            let header = Header::from_bits(*node_at(address));
            let mut bytes = header.node_words() as u64 * 8;
            if header.kind() == Kind::Huge {
                bytes += big_bytes_at(address);
            }
            if header.kind() != Kind::Ind {
                each(header, bytes);
            }
        }
        self.pending.push(address);
    }
}

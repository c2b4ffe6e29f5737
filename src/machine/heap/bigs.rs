//! Integers that do not fit a word.
//!
//! Those of up to [`MAX_LIMBS`] limbs have them in their node, so that they cost what other
//! nodes cost: results are written where the nursery goes on, and nothing is allocated or freed
//! elsewhere. Larger ones have them outside, because other algorithms pay for them, and moving
//! them does not; the collector drops what nothing leads to.

use std::borrow::Cow;

use super::node::{HUGE_PAYLOAD, node_words};
use super::word::{Tag, Word};
use super::{Header, Heap, Kind, big_bytes, node_at};
use crate::base::integer::Integer;
use crate::base::limbs::{Limbs, MAX_LIMBS, Written, significant};

/// Words that the node of an integer takes at most.
#[inline]
#[must_use]
pub fn integer_words(value: &Integer) -> usize {
    let limbs = value.limbs();
    node_words(if limbs > MAX_LIMBS { HUGE_PAYLOAD } else { limbs.max(HUGE_PAYLOAD) })
}

impl Heap {
    /// An integer: a word if it fits one, else a new node.
    ///
    /// # Safety
    /// Room for [`integer_words`] was made sure of.
    pub unsafe fn int(&mut self, value: Integer) -> Word {
        if value.limbs() > MAX_LIMBS {
            // SAFETY: the caller's obligation.
            return unsafe { self.new_huge(value) };
        }
        // SAFETY: as above.
        unsafe { self.compute(value.limbs(), 0, |out, _| value.to_limbs(out)) }
    }

    /// The integer that `operation` writes to a slice of so many limbs, with another one for
    /// working copies, which both hold anything: a word if it fits one, else a new node of no
    /// more words than limbs and one.
    ///
    /// # Safety
    /// Room for all these limbs and one more was made sure of, and for a node of an
    /// [`Integer`].
    #[inline]
    pub unsafe fn compute(
        &mut self,
        limbs: usize,
        work: usize,
        operation: impl FnOnce(&mut [u64], &mut [u64]) -> Written,
    ) -> Word {
        let node = self.next;
        debug_assert!(node.addr() + (1 + limbs + work) * 8 <= self.nursery.end());
        // SAFETY: there is room, which nothing else refers to, and all words of the nursery
        // were written when it was made.
        let (out, work) = unsafe {
            let all = std::slice::from_raw_parts_mut(node.add(1), limbs + work);
            all.split_at_mut_unchecked(limbs)
        };
        let Written { negative, len } = operation(out, work);
        let magnitude = &out[..len];
        let magnitude = &magnitude[..significant(magnitude)];
        let value = Limbs { negative, magnitude };
        if let Some(word) = value.to_i64().and_then(Word::int) {
            return word;
        }
        if magnitude.len() > MAX_LIMBS {
            let value = Integer::from(value);
            // SAFETY: as the caller says.
            return unsafe { self.new_huge(value) };
        }
        let words = magnitude.len();
        // SAFETY: as above.
        unsafe {
            *node = Header::new(Kind::Big, words, u32::from(negative)).bits();
            self.next = node.add(1 + words);
        }
        Word::pointer(node.expose_provenance(), Tag::Value)
    }

    /// A new node for an integer with its limbs outside.
    unsafe fn new_huge(&mut self, value: Integer) -> Word {
        let bytes = big_bytes(&value);
        let node = self.next;
        debug_assert!(node.addr() + (1 + HUGE_PAYLOAD) * 8 <= self.nursery.end());
        // SAFETY: there is room for the node, and its payload is as large as an integer.
        unsafe {
            *node = Header::new(Kind::Huge, HUGE_PAYLOAD, 0).bits();
            node.add(1).cast::<Integer>().write(value);
            self.next = node.add(1 + HUGE_PAYLOAD);
        }
        let address = node.expose_provenance();
        self.young_bigs.push(address);
        self.young_big_bytes += bytes;
        self.counters.big_bytes_allocated += bytes;
        if self.young_big_bytes > self.young_big_allowance {
            // What was reserved is still there; the next reservation collects.
            self.end = self.next;
        }
        Word::pointer(address, Tag::Value)
    }

    /// The value of a [`Big`](Kind::Big) node.
    ///
    /// # Safety
    /// `node` is a pointer to one. What is returned is looked at before the next collection.
    #[inline]
    #[must_use]
    pub unsafe fn limbs<'a>(&self, node: Word) -> Limbs<'a> {
        // SAFETY: the payload of such a node are limbs, which do not change.
        unsafe {
            let header = self.header(node);
            let first = node_at(node.address()).add(1);
            let magnitude = std::slice::from_raw_parts(first.cast_const(), header.words());
            Limbs { negative: header.info() != 0, magnitude }
        }
    }

    /// The integer of a node, if it has one.
    ///
    /// # Safety
    /// `node` is a pointer.
    #[must_use]
    pub unsafe fn integer(&self, node: Word) -> Option<Cow<'_, Integer>> {
        // SAFETY: a pointer leads to a node, and the payload of the second kind is an integer.
        unsafe {
            match self.header(node).kind() {
                Kind::Big => Some(Cow::Owned(Integer::from(self.limbs(node)))),
                Kind::Huge => Some(Cow::Borrowed(&*node_at(node.address()).add(1).cast())),
                _ => None,
            }
        }
    }
}

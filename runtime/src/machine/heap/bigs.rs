//! Integers and floats that do not fit a word.
//!
//! Up to [`MAX_LIMBS`] limbs they are in the node ([`Kind::Big`]), so such integers cost what
//! other nodes cost: results are written to the free part of Eden, and nothing is allocated or
//! freed elsewhere. Larger ones ([`Kind::Huge`]) have their limbs outside of the heap, because
//! other algorithms pay for them, and moving them does not; the collector drops the dead ones.

use std::borrow::Cow;

use super::node::{HUGE_PAYLOAD, HUGE_SIZE, node_words};
use super::word::{Tag, Word};
use super::{Header, Heap, Kind, Size, asan, big_bytes, huge_at, node_at};
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::limbs::{Limbs, MAX_LIMBS, Written, significant};

/// Returns the words that the node of an integer takes at most.
#[inline]
#[must_use]
pub fn integer_words(value: &Integer) -> usize {
    let limbs = value.limbs();
    node_words(if limbs > MAX_LIMBS { HUGE_PAYLOAD } else { limbs.max(HUGE_PAYLOAD) })
}

/// Returns the words that [`Heap::compute`] needs for a result of at most `limbs` limbs and `work`
/// limbs of working copies.
#[inline]
#[must_use]
pub const fn compute_words(limbs: usize, work: usize) -> usize {
    let limbs = if limbs < HUGE_PAYLOAD { HUGE_PAYLOAD } else { limbs };
    limbs.saturating_add(work).saturating_add(1)
}

impl Heap {
    /// Makes a word of an integer: an immediate one if it fits, else a pointer to a new node.
    ///
    /// # Safety
    /// [`integer_words`] words fit.
    pub unsafe fn int(&mut self, value: Integer) -> Word {
        if value.limbs() > MAX_LIMBS {
            // SAFETY: the caller's obligation.
            return unsafe { self.new_huge(value) };
        }
        // SAFETY: as above; integers of a word are words of every heap.
        unsafe { self.compute([Word::ZERO; 2], value.limbs(), 0, |_, out, _| value.to_limbs(out)) }
    }

    /// Makes a word of the integer that `operation` computes from two others: it writes the
    /// limbs of the result to the first slice, of `limbs` limbs, and working copies to the
    /// second one, of `work` limbs. Both are initialised with anything.
    ///
    /// # Safety
    /// [`compute_words`] words fit. Each operand is an integer of a word, or a pointer to a
    /// [`Big`](Kind::Big) node of this heap.
    #[inline]
    pub unsafe fn compute(
        &mut self,
        operands: [Word; 2],
        limbs: usize,
        work: usize,
        operation: impl FnOnce([Limbs<'_>; 2], &mut [u64], &mut [u64]) -> Written,
    ) -> Word {
        let node = self.free.next;
        let words = limbs + work;
        debug_assert!(words < (self.nursery.end() - node.addr()) / 8, "room was made sure of");
        asan::unpoison(node.addr(), (1 + words) * 8);
        let (mut first, mut second) = ([0], [0]);
        // SAFETY: the operands are what the caller says. Behind `next` there is room, which no
        // node is in, and which was initialised when the nursery was made.
        let (operands, out, work) = unsafe {
            let all = std::slice::from_raw_parts_mut(node.add(1), words);
            let (out, work) = all.split_at_mut_unchecked(limbs);
            let operands =
                [self.operand(operands[0], &mut first), self.operand(operands[1], &mut second)];
            (operands, out, work)
        };
        let Written { negative, len } = operation(operands, out, work);
        let magnitude = &out[..len];
        let magnitude = &magnitude[..significant(magnitude)];
        let value = Limbs { negative, magnitude };
        let word = if let Some(word) = value.to_i64().and_then(Word::int) {
            word
        } else if let Some(size) = Size::new(magnitude.len())
            && size.words() <= MAX_LIMBS
        {
            // SAFETY: the node are words of the slice and the one before it.
            unsafe {
                *node = Header::new(Kind::Big, size, u32::from(negative)).bits();
                self.free.next = node.add(1 + size.words());
            }
            Word::pointer(node.expose_provenance(), Tag::Value)
        } else {
            let value = Integer::from(value);
            // SAFETY: there is room for the node, as the caller says.
            unsafe { self.new_huge(value) }
        };
        let end = node.addr() + (1 + words) * 8;
        asan::poison(self.free.next.addr(), end.saturating_sub(self.free.next.addr()));
        word
    }

    /// Returns the limbs of an operand; `limb` is for those of an integer that fits a word.
    ///
    /// # Safety
    /// As for [`compute`](Heap::compute).
    #[inline(always)]
    unsafe fn operand<'a>(&'a self, word: Word, limb: &'a mut [u64; 1]) -> Limbs<'a> {
        if word.is_int() {
            return Limbs::of(word.as_int(), limb);
        }
        // SAFETY: the caller says that it leads to such a node.
        unsafe { self.limbs(word) }
    }

    /// Makes a word of an integer of one limb: an immediate one if it fits, else a pointer to a new
    /// node.
    ///
    /// # Safety
    /// Two words fit.
    #[inline]
    pub unsafe fn limb(&mut self, negative: bool, magnitude: u64) -> Word {
        let value = Limbs { negative, magnitude: &[magnitude] };
        if let Some(word) = value.to_i64().and_then(Word::int) {
            return word;
        }
        // SAFETY: there is room, and the payload of such a node are limbs.
        unsafe { self.alloc(Kind::Big, u32::from(negative), &[Word::from_bits(magnitude)]) }
    }

    /// Makes a word of a float: an immediate one if it fits, else a pointer to a new node.
    ///
    /// # Safety
    /// Two words fit.
    #[inline]
    pub unsafe fn float(&mut self, value: Float) -> Word {
        if let Some(word) = Word::float(value.get()) {
            return word;
        }
        // SAFETY: there is room, and the payload of such a node are bits.
        unsafe { self.alloc(Kind::Float, 0, &[Word::from_bits(value.bits())]) }
    }

    /// Returns the float of a node, if it has one.
    ///
    /// # Safety
    /// `node` is a pointer to a node of this heap.
    #[inline]
    #[must_use]
    pub unsafe fn float_of(&self, node: Word) -> Option<f64> {
        // SAFETY: a pointer leads to a node, and every node has a payload word.
        unsafe {
            let is_float = self.header(node).kind() == Kind::Float;
            is_float.then(|| f64::from_bits(*node_at(node.address()).add(1)))
        }
    }

    /// Allocates a node for an integer with its limbs outside.
    ///
    /// # Safety
    /// There is room for it.
    unsafe fn new_huge(&mut self, value: Integer) -> Word {
        let bytes = big_bytes(&value);
        // SAFETY: there is room for the node, and its payload is as large as an integer.
        let address = unsafe {
            let node = self.take(1 + HUGE_PAYLOAD);
            *node = Header::new(Kind::Huge, HUGE_SIZE, 0).bits();
            huge_at(node.addr()).write(value);
            node.expose_provenance()
        };
        self.young_bigs.push(address);
        self.young_big_bytes += bytes;
        self.counters.big_bytes_allocated += bytes;
        if self.young_big_bytes > self.young_big_allowance {
            // What was reserved is still there; the next reservation collects.
            self.free.limit = self.free.next;
        }
        Word::pointer(address, Tag::Value)
    }

    /// Returns the value of a [`Big`](Kind::Big) node. It can be looked at until the heap changes.
    ///
    /// # Safety
    /// `node` is a pointer to such a node of this heap.
    #[inline]
    #[must_use]
    pub unsafe fn limbs(&self, node: Word) -> Limbs<'_> {
        // SAFETY: the payload of such a node are limbs.
        unsafe {
            let header = self.header(node);
            debug_assert_eq!(header.kind(), Kind::Big);
            let first = node_at(node.address()).add(1);
            let magnitude = std::slice::from_raw_parts(first.cast_const(), header.words());
            Limbs { negative: header.info() != 0, magnitude }
        }
    }

    /// Returns the integer of a node, if it has one.
    ///
    /// # Safety
    /// `node` is a pointer to a node of this heap.
    #[must_use]
    pub unsafe fn integer(&self, node: Word) -> Option<Cow<'_, Integer>> {
        // SAFETY: a pointer leads to a node, and the payload of the second kind is an integer.
        unsafe {
            match self.header(node).kind() {
                Kind::Big => Some(Cow::Owned(Integer::from(self.limbs(node)))),
                Kind::Huge => Some(Cow::Borrowed(&*huge_at(node.address()))),
                _ => None,
            }
        }
    }
}

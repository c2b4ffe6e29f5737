//! Nodes: a header word, then at least one payload word.

use crate::base::integer::Integer;
use crate::base::limbs::MAX_LIMBS;

/// What a node is. The numbers are odd, so that the address that the collector leaves in
/// place of the header of a node it has moved differs from every header.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// A constructor with fields: the payload. Info: its `ConId`.
    Con = 1,
    /// An expression that nobody has asked for: the payload is what it captured. Info: its
    /// `ThunkId`.
    Thunk = 3,
    /// A thunk under evaluation (info: its `ThunkId`), or a name of a `letrec` before it is
    /// filled (info: [`Header::UNFILLED`]). The payload means nothing.
    Hole = 5,
    /// An indirection: the first payload word in place of this node.
    Ind = 7,
    /// An integer that does not fit a word: the payload are the limbs of its magnitude, at
    /// most [`MAX_LIMBS`], least significant first, the last one not 0. Info: 1 if it is
    /// negative, else 0.
    Big = 9,
    /// A function and fewer arguments than it takes: the payload. Info: its `GlobalId`.
    Pap = 11,
    /// What is left of a string literal from a byte offset on, an integer in the payload:
    /// unpacks into a cell when it is evaluated. Info: its `TextId`.
    Text = 13,
    /// What is left of standard input: reads when it is evaluated. The payload means nothing.
    Input = 15,
    /// An evaluation that was stopped. The payload is a number by which the machine finds
    /// its words, which live outside of the heap.
    Suspended = 17,
    /// An [`Integer`] of more limbs, which are outside of the heap.
    Huge = 19,
}

impl Kind {
    /// The one with the largest number.
    pub(super) const LAST: Kind = Kind::Huge;
}

/// The first word of a node: its kind (8 bits), the number of payload words (24 bits), and 32
/// bits of information that depends on the kind.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Header(u64);

impl Header {
    /// The info of a [`Hole`](Kind::Hole) that a `Fill` will make something of.
    pub const UNFILLED: u32 = u32::MAX;
    /// The most payload words that a node can have.
    pub const MAX_WORDS: usize = (1 << 24) - 1;

    /// A header of a node of `words` payload words, at least 1 and at most
    /// [`MAX_WORDS`](Header::MAX_WORDS).
    #[inline]
    #[must_use]
    pub const fn new(kind: Kind, words: usize, info: u32) -> Header {
        debug_assert!(words >= 1 && words <= Header::MAX_WORDS);
        Header(kind as u64 | (words as u64) << 8 | (info as u64) << 32)
    }

    /// Its bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The header of these bits.
    ///
    /// # Safety
    /// They are the [`bits`](Header::bits) of a header.
    #[inline]
    #[must_use]
    pub const unsafe fn from_bits(bits: u64) -> Header {
        debug_assert!(bits & 1 == 1 && bits & 0xff <= Kind::LAST as u64);
        Header(bits)
    }

    /// What the node is.
    #[inline]
    #[must_use]
    pub const fn kind(self) -> Kind {
        // SAFETY: the low byte of a header is that of a kind: `new` has put it there.
        unsafe { std::mem::transmute::<u8, Kind>(self.0 as u8) }
    }

    /// The number of payload words.
    #[inline]
    #[must_use]
    pub const fn words(self) -> usize {
        (self.0 as u32 >> 8) as usize
    }

    /// What the kind says it is.
    #[inline]
    #[must_use]
    pub const fn info(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// A header of the same size.
    #[inline]
    #[must_use]
    pub(super) const fn with(self, kind: Kind, info: u32) -> Header {
        Header::new(kind, self.words(), info)
    }
}

impl std::fmt::Debug for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}/{} {}", self.kind(), self.words(), self.info())
    }
}

/// Words that a node of this many fields takes: one that has none still takes a payload word,
/// so that it can become an indirection.
#[inline]
#[must_use]
pub const fn node_words(fields: usize) -> usize {
    1 + if fields == 0 { 1 } else { fields }
}

/// Payload words of an integer whose limbs are outside of the heap.
pub(super) const HUGE_PAYLOAD: usize = size_of::<Integer>() / 8;

const _: () = assert!(size_of::<Integer>() == 8 * HUGE_PAYLOAD, "an integer is a few words");
const _: () = assert!(HUGE_PAYLOAD <= MAX_LIMBS, "a large integer's node is a small one");
const _: () = assert!(align_of::<Integer>() <= 8, "a node is aligned to a word");

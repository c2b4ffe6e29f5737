//! Nodes: a header word, then at least one payload word.

use super::word::Word;
use crate::base::integer::Integer;
use crate::base::limbs::MAX_LIMBS;

/// What a node is (GHC: its closure type). The numbers are odd and addresses are even, so the
/// forwarding address that a collection leaves in place of a header differs from every header.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// A constructor; the payload are its fields. Info: its `ConId`.
    Con = 1,
    /// A suspended computation; the payload are its captured variables. Info: its `ThunkId`.
    Thunk = 3,
    /// A black hole: a thunk under evaluation (info: its `ThunkId`), or a name of a `letrec`
    /// that was not filled yet (info: [`Header::UNFILLED`]). The payload is unused.
    Hole = 5,
    /// An indirection to the first payload word.
    Ind = 7,
    /// An integer that does not fit a word: the payload are the limbs of its magnitude, at
    /// most [`MAX_LIMBS`], least significant first, the last one not 0. Info: 1 if it is
    /// negative, else 0.
    Big = 9,
    /// A partial application; the payload are its arguments, fewer than the function takes.
    /// Info: the function's `GlobalId`.
    Pap = 11,
    /// The rest of a string literal from a byte offset on, which is the payload, an integer.
    /// Evaluating it makes a list cell and the rest after that. Info: its `TextId`.
    Text = 13,
    /// The rest of standard input, which is read when it is evaluated. The payload is unused.
    Input = 15,
    /// A stopped evaluation (GHC: `AP_STACK`). The payload is a number by which the machine
    /// finds the saved stack, which is outside of the heap.
    Suspended = 17,
    /// An [`Integer`] of more than [`MAX_LIMBS`] limbs, which are outside of the heap; the
    /// payload is the `Integer` itself.
    Huge = 19,
    /// A float that does not fit a word; the payload are its bits.
    Float = 21,
    /// An array; the payload are its elements, and card words after them (`array.rs`). Info: the
    /// number of elements, and whether it is in the remembered set.
    Array = 23,
    /// A byte string: a slice of a buffer. The payload are a pointer to the buffer, the offset of
    /// the first byte there, and the length.
    Bytes = 25,
    /// The bytes of byte strings: no value of a program.
    Buffer = 27,
}

impl Kind {
    /// The kind with the largest number.
    pub(super) const LAST: Kind = Kind::Buffer;
}

/// The number of payload words of a node: at least 1, so that every node can become an
/// indirection, and at most [`Size::MAX`], the 24 bits that a [`Header`] has for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Size(u32);

impl Size {
    /// The most payload words of a node.
    pub const MAX: usize = (1 << 24) - 1;
    /// One payload word.
    pub const ONE: Size = Size(1);

    /// Returns the size of a node of `words` payload words; `None` if that is 0 or more than
    /// [`MAX`](Size::MAX).
    #[inline(always)]
    #[must_use]
    pub const fn new(words: usize) -> Option<Size> {
        if words == 0 || words > Size::MAX { None } else { Some(Size(words as u32)) }
    }

    /// Returns the size of a node of `fields` fields, which has a payload word even without fields;
    /// `None` if they are more than [`MAX`](Size::MAX).
    #[inline(always)]
    #[must_use]
    pub const fn of_fields(fields: usize) -> Option<Size> {
        Size::new(if fields == 0 { 1 } else { fields })
    }

    /// Returns the number of payload words.
    #[inline(always)]
    #[must_use]
    pub const fn words(self) -> usize {
        self.0 as usize
    }
}

/// The fields of a node that is to be allocated, few enough for a [`Header`].
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(&'a [Word]);

impl<'a> Fields<'a> {
    /// Returns these fields; `None` if they are more than [`Size::MAX`].
    #[inline(always)]
    #[must_use]
    pub const fn new(words: &'a [Word]) -> Option<Fields<'a>> {
        if words.len() <= Size::MAX { Some(Fields(words)) } else { None }
    }

    /// Returns the words.
    #[inline(always)]
    #[must_use]
    pub const fn words(self) -> &'a [Word] {
        self.0
    }

    /// Returns the size of a node with these fields.
    #[inline(always)]
    #[must_use]
    pub const fn size(self) -> Size {
        // The constructor has checked the number.
        Size(if self.0.is_empty() { 1 } else { self.0.len() as u32 })
    }
}

impl<'a, const N: usize> From<&'a [Word; N]> for Fields<'a> {
    #[inline(always)]
    fn from(words: &'a [Word; N]) -> Fields<'a> {
        const { assert!(N <= Size::MAX, "more fields than a header can count") }
        Fields(words)
    }
}

/// The first word of a node: its kind (8 bits), the number of payload words (24 bits), and 32
/// bits of information that depends on the kind.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Header(u64);

impl Header {
    /// The info of a [`Hole`](Kind::Hole) that a `Fill` will make something of.
    pub const UNFILLED: u32 = u32::MAX;

    /// Returns the header of a node of that size.
    #[inline(always)]
    #[must_use]
    pub const fn new(kind: Kind, size: Size, info: u32) -> Header {
        Header(kind as u64 | (size.0 as u64) << 8 | (info as u64) << 32)
    }

    /// Returns its bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the header of these bits.
    ///
    /// # Safety
    /// They are the [`bits`](Header::bits) of a header.
    #[inline]
    #[must_use]
    pub const unsafe fn from_bits(bits: u64) -> Header {
        debug_assert!(Header::is_valid(bits));
        Header(bits)
    }

    /// Returns whether these are the bits of a header.
    #[inline]
    #[must_use]
    pub(super) const fn is_valid(bits: u64) -> bool {
        bits & 1 == 1 && bits & 0xff <= Kind::LAST as u64 && bits >> 8 & 0xff_ffff != 0
    }

    /// Returns what the node is.
    #[inline]
    #[must_use]
    pub const fn kind(self) -> Kind {
        // SAFETY: the low byte of a header is that of a kind: `new` has put it there, and
        // `from_bits` asks for bits that `new` has made.
        unsafe { std::mem::transmute::<u8, Kind>(self.0 as u8) }
    }

    /// Returns the number of payload words.
    #[inline]
    #[must_use]
    pub const fn words(self) -> usize {
        (self.0 as u32 >> 8) as usize
    }

    /// Returns the words of the node, header included.
    #[inline]
    #[must_use]
    pub(super) const fn node_words(self) -> usize {
        self.words() + 1
    }

    /// Returns the information that the kind gives a meaning to.
    #[inline]
    #[must_use]
    pub const fn info(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Returns a header of the same size.
    #[inline]
    #[must_use]
    pub(super) const fn with(self, kind: Kind, info: u32) -> Header {
        Header(self.0 & 0xffff_ff00 | kind as u64 | (info as u64) << 32)
    }
}

impl std::fmt::Debug for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}/{} {}", self.kind(), self.words(), self.info())
    }
}

/// Returns the words of a node of `fields` fields, header included: one without fields still has a
/// payload word, so that it can become an indirection.
#[inline]
#[must_use]
pub const fn node_words(fields: usize) -> usize {
    if fields == 0 { 2 } else { fields.saturating_add(1) }
}

/// The payload of a [`Huge`](Kind::Huge) node, in words.
pub(super) const HUGE_PAYLOAD: usize = HUGE_SIZE.words();
/// The size of a [`Huge`](Kind::Huge) node.
pub(super) const HUGE_SIZE: Size = match Size::new(size_of::<Integer>().div_ceil(8)) {
    Some(size) => size,
    None => Size::ONE,
};

const _: () = assert!(size_of::<Integer>() <= 8 * HUGE_PAYLOAD, "the payload holds an integer");
const _: () = assert!(HUGE_PAYLOAD <= MAX_LIMBS, "the node of a huge integer is a small one");
const _: () = assert!(align_of::<Integer>() <= 8, "a node is aligned to a word");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_keeps_the_largest_of_each_of_its_parts() {
        for words in [1, 2, 255, 256, Size::MAX - 1, Size::MAX] {
            let size = Size::new(words).expect("a size");
            for info in [0, 1, u32::MAX] {
                for kind in [Kind::Con, Kind::Pap, Kind::LAST] {
                    let header = Header::new(kind, size, info);
                    assert!(Header::is_valid(header.bits()));
                    assert_eq!((header.kind(), header.words(), header.info()), (kind, words, info));
                    let other = header.with(Kind::Ind, !info);
                    assert_eq!((other.kind(), other.words()), (Kind::Ind, words));
                    assert_eq!(other.info(), !info);
                }
            }
        }
    }

    #[test]
    fn more_words_than_a_header_counts_are_no_size() {
        for words in [0, Size::MAX + 1, (1 << 24) + 5, 1 << 32 | 1, usize::MAX] {
            assert_eq!(Size::new(words), None, "{words}");
        }
        assert_eq!(Size::of_fields(0), Some(Size::ONE));
        assert_eq!(Size::of_fields(Size::MAX + 1), None);
        assert_eq!(Fields::from(&[]).size(), Size::ONE);
    }

    #[test]
    #[cfg_attr(miri, ignore = "too large")]
    fn a_node_has_at_most_as_many_fields_as_its_header_counts() {
        let most = vec![Word::ZERO; Size::MAX + 1];
        assert!(Fields::new(&most).is_none());
        let fields = Fields::new(&most[1..]).expect("as many as there may be");
        assert_eq!((fields.size().words(), fields.words().len()), (Size::MAX, Size::MAX));
    }
}

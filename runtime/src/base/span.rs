//! A stretch of source text.

/// A half-open range of byte positions in a [`SourceMap`](super::source::SourceMap): `lo..hi`.
///
/// Positions are global to the map (every file has a range of its own), so a span alone
/// tells its file, and fits eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Position of the first byte.
    pub lo: u32,
    /// Position after the last byte.
    pub hi: u32,
}

impl Span {
    /// The span of what no source text stands for: the primitives' own code, generated code.
    pub const NONE: Span = Span { lo: 0, hi: 0 };

    /// Returns the span `lo..hi`.
    #[must_use]
    pub const fn new(lo: u32, hi: u32) -> Span {
        Span { lo, hi }
    }

    /// Returns the span from the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span::new(self.lo, other.hi)
    }

    /// Returns the span that stands for a number and no stretch of text: see
    /// [`Places`](super::places::Places).
    pub(super) const fn numbered(number: u32) -> Span {
        Span { lo: u32::MAX - number, hi: 0 }
    }

    /// Returns the number that the span stands for, if it does.
    pub(super) const fn number(self) -> Option<u32> {
        if self.lo > self.hi { Some(u32::MAX - self.lo) } else { None }
    }

    /// Returns whether no source text stands behind this span.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Span::NONE
    }

    /// Returns the length in bytes.
    #[must_use]
    pub fn len(self) -> u32 {
        self.hi.saturating_sub(self.lo)
    }

    /// Returns whether the span holds no byte.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.hi <= self.lo
    }
}

//! What a heap counts.

/// Counters since the heap was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Minor collections, those at the beginning of full ones included.
    pub minor: u64,
    /// Full collections.
    pub full: u64,
    /// Words of nodes that were allocated.
    pub words_allocated: u64,
    /// Bytes of big integers beside their nodes that were allocated.
    pub big_bytes_allocated: u64,
    /// Words that minor collections have copied to the old space.
    pub words_promoted: u64,
    /// Words that full collections have moved (compaction).
    pub words_moved: u64,
    /// The maximum over all collections of the live bytes after a full one, or of the bytes in
    /// use after a minor one.
    pub peak_live_bytes: u64,
    /// The largest footprint at a collection, in bytes.
    pub peak_bytes: u64,
    /// The largest size of the remembered set.
    pub longest_remembered: u64,
    /// Passes over chunks after the mark stack had overflowed.
    pub rescans: u64,
    /// Words that minor collections have copied to a survivor space.
    pub words_survived: u64,
    /// The sizes of the remembered sets at all minor collections, added up.
    pub remembered: u64,
    /// Large nodes that were copied to the old space, each to a chunk of its own.
    pub large: u64,
    /// Selector thunks that the collector has reduced.
    pub selections: u64,
    /// Pointers to an indirection that the collector has redirected past it.
    pub indirections: u64,
    /// Integers with limbs outside of the heap that were found dead and dropped.
    pub bigs_dropped: u64,
}

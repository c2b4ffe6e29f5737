//! The settings of a heap, and what is asked of it.

/// How often the collector runs; more often than it pays is for tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stress {
    /// When the nursery is full.
    #[default]
    None,
    /// A minor collection at each reservation.
    Minor,
    /// A full collection at each reservation.
    Full,
}

/// The settings of a heap.
#[derive(Clone, Debug)]
pub struct Config {
    /// The most bytes that heap and machine together may take.
    pub limit: Option<u64>,
    /// The size of Eden, in words.
    pub nursery_words: usize,
    /// How often the collector runs.
    pub stress: Stress,
    /// Whether memory that nodes have left is overwritten: for tests.
    pub poison: bool,
    /// The capacity of the mark stack, in nodes; `None`: a share of the old space.
    pub mark_stack: Option<usize>,
}

impl Config {
    /// The default size of Eden in words: 1 MB. Twice as many are no faster. (In Miri, which takes
    /// long to overwrite memory, 8 KB.)
    pub const NURSERY_WORDS: usize = if cfg!(miri) { 1 << 10 } else { (1 << 20) / 8 };
}

impl Default for Config {
    fn default() -> Config {
        Config {
            limit: None,
            nursery_words: Config::NURSERY_WORDS,
            stress: Stress::None,
            poison: false,
            mark_stack: None,
        }
    }
}

/// The room that an allocation needs (GHC: what a heap check asks for).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Need {
    /// Words in the nursery.
    pub words: usize,
    /// Bytes outside of the nursery: limbs of big integers, stack.
    pub bytes: u64,
}

impl Need {
    /// Returns the need of `words` words in the nursery.
    #[must_use]
    pub const fn words(words: usize) -> Need {
        Need { words, bytes: 0 }
    }
}

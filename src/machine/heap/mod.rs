//! The heap of the fast machine: nodes in memory that a generational collector moves.
//!
//! A node is a [`Header`] word and payload words. New ones are bumped off the *nursery*, a
//! contiguous piece of about cache size; a *minor* collection copies what lives of it to the
//! *old space*, so that afterwards nothing is young. A *full* collection marks the old space
//! and slides it together in place (`mark.rs`, `compact.rs`).
//!
//! Everything is counted: chunks with their tables, nursery, what the survivors of the
//! nursery will take, limbs of big integers, the collector's own lists, and what the machine
//! says that it has outside of the heap. (Integers of a few limbs are nodes like others:
//! `bigs.rs`.)

mod bigs;
mod chunk;
mod collect;
mod compact;
mod mark;
mod minor;
pub mod mutator;
pub mod node;
mod nursery;
mod old;
mod ring;
mod shorten;
#[cfg(test)]
mod tests;
mod verify;
pub mod word;

pub use bigs::integer_words;
pub use mutator::{Code, Mutator, Selectors};
pub use node::{Header, Kind, node_words};

use std::ptr::with_exposed_provenance_mut;

use crate::base::integer::Integer;
use nursery::{Moving, Nursery};
use old::Old;
use word::{Tag, Word};

/// No memory, by the limit or by the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// How often the collector runs: for tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stress {
    /// As it pays.
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
    /// Words of the nursery.
    pub nursery_words: usize,
    /// How often the collector runs.
    pub stress: Stress,
    /// Whether memory that nodes have left is overwritten.
    pub poison: bool,
    /// How many nodes a full collection keeps in mind at once; `None`: a share of the heap.
    pub mark_stack: Option<usize>,
}

impl Config {
    /// Words of the nursery, unless someone knows better. Twice as many are no faster.
    pub const NURSERY_WORDS: usize = (1 << 20) / 8;
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

/// What is to be made room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Need {
    /// Words of the nursery.
    pub words: usize,
    /// Bytes outside of it: limbs of big integers, stack.
    pub bytes: u64,
}

impl Need {
    /// Words of the nursery, and nothing else.
    #[must_use]
    pub const fn words(words: usize) -> Need {
        Need { words, bytes: 0 }
    }
}

/// What has been counted since the heap was made.
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
    /// Words that minor collections have copied.
    pub words_promoted: u64,
    /// Words that full collections have moved.
    pub words_moved: u64,
    /// The most bytes that were found alive by a full collection or, where there was none,
    /// were in use after a minor one.
    pub peak_live_bytes: u64,
    /// The largest footprint that was seen at a collection.
    pub peak_bytes: u64,
    /// The most old nodes that were remembered at once.
    pub longest_remembered: u64,
    /// How often a full collection looked again for nodes that the mark stack had no room for.
    pub rescans: u64,
    /// Words that minor collections have copied and left young.
    pub words_survived: u64,
    /// Old nodes that were remembered when a minor collection began.
    pub remembered: u64,
    /// Nodes that got a chunk of their own.
    pub large: u64,
    /// Selections that were reduced.
    pub selections: u64,
    /// Pointers to an indirection that were made to lead past it.
    pub indirections: u64,
    /// Big integers that were found dead.
    pub bigs_dropped: u64,
}

/// The heap. See the module.
///
/// A `Word` that is handed in and said to be a pointer has to be one to a node of this heap,
/// and to have been visited by every collection since it was obtained.
#[derive(Debug)]
pub struct Heap {
    /// Where the next node goes. The machine may allocate itself: it writes a header and all
    /// payload words and moves `next` past them, as long as it stays below [`end`](Heap::end).
    pub next: *mut u64,
    /// Where the nursery ends. If a node does not fit, the machine calls
    /// [`collect`](Heap::collect).
    pub end: *mut u64,
    nursery: Nursery,
    /// During a minor collection: what it moves nodes from, and the space for survivors.
    moving: Moving,
    survivor: usize,
    survivors_end: usize,
    old: Old,
    /// Addresses of old nodes that may point to young ones.
    remembered: Vec<usize>,
    /// Addresses of integers with limbs outside, in the nursery and in the old space.
    young_bigs: Vec<usize>,
    old_bigs: Vec<usize>,
    /// Bytes of big integers beside their nodes, and how many of them may be young.
    young_big_bytes: u64,
    old_big_bytes: u64,
    young_big_allowance: u64,
    /// Bytes of the machine's own.
    outside: u64,
    /// Bytes of nodes and big integers in the old space that make a full collection due, and
    /// what the last one has left.
    due: u64,
    survived: u64,
    config: Config,
    selectors: Selectors,
    counters: Counters,
}

// SAFETY: the pointers are into memory that the heap owns.
unsafe impl Send for Heap {}

/// Bytes of young big integers that make a minor collection due.
const YOUNG_BIG_BYTES: u64 = 4 << 20;
/// What an allocator takes for itself of each piece of memory, with rounding.
const ALLOCATION: u64 = 16;

/// What is written over memory that nodes have left: a pointer to nowhere, and no header.
const POISON: u64 = 0xdead_dead_dead_de19;

/// Says that what is at an address, a pointer's or a word's bits, will be read soon.
#[inline(always)]
pub fn prefetch(address: u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it reads nothing, wherever that is.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(address as usize));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// A pointer to the words of the node at an address.
#[inline(always)]
fn node_at(address: usize) -> *mut u64 {
    with_exposed_provenance_mut(address)
}

/// Bytes of a big integer beside its node: it is in two pieces.
#[inline]
fn big_bytes(value: &Integer) -> u64 {
    value.heap_bytes() as u64 + 2 * ALLOCATION
}

impl Heap {
    /// An empty heap. It has no memory before the first collection.
    #[must_use]
    pub fn new(config: Config, selectors: Selectors) -> Heap {
        Heap {
            next: std::ptr::null_mut(),
            end: std::ptr::null_mut(),
            moving: Nursery::default().moving(),
            survivor: 0,
            survivors_end: 0,
            nursery: Nursery::default(),
            old: Old::default(),
            remembered: Vec::new(),
            young_bigs: Vec::new(),
            old_bigs: Vec::new(),
            young_big_bytes: 0,
            old_big_bytes: 0,
            young_big_allowance: 0,
            outside: 0,
            due: old::MIN_DUE,
            survived: 0,
            config,
            selectors,
            counters: Counters::default(),
        }
    }

    /// The header of a node.
    ///
    /// # Safety
    /// `node` is a pointer.
    #[inline(always)]
    #[must_use]
    pub unsafe fn header(&self, node: Word) -> Header {
        debug_assert!(node.is_pointer());
        // SAFETY: a pointer leads to a node, whose first word is a header.
        unsafe { Header::from_bits(*node_at(node.address())) }
    }

    /// A payload word of a node.
    ///
    /// # Safety
    /// `node` is a pointer to a node of more than `index` payload words that mean something.
    #[inline(always)]
    #[must_use]
    pub unsafe fn field(&self, node: Word, index: usize) -> Word {
        // SAFETY: the caller's obligation.
        unsafe {
            debug_assert!(index < self.header(node).words());
            Word::from_bits(*node_at(node.address()).add(1 + index))
        }
    }

    /// The payload of a node.
    ///
    /// # Safety
    /// `node` is a pointer to a constructor, thunk, partial application or text.
    #[inline(always)]
    #[must_use]
    pub unsafe fn fields(&self, node: Word) -> &[Word] {
        // SAFETY: the payload are words; it changes only through `&mut self`.
        unsafe {
            let words = self.header(node).words();
            std::slice::from_raw_parts(node_at(node.address()).add(1).cast::<Word>(), words)
        }
    }

    /// Whether that many words can be allocated without a collection.
    #[inline(always)]
    #[must_use]
    pub fn fits(&self, words: usize) -> bool {
        words <= (self.end.addr() - self.next.addr()) / 8
    }

    /// A new node with these fields, of [`node_words`] words. The pointer to it says what is
    /// known of it.
    ///
    /// # Safety
    /// Room was made sure of, and the fields are words that `kind` has.
    #[inline]
    pub unsafe fn alloc(&mut self, kind: Kind, info: u32, fields: &[Word]) -> Word {
        let node = self.next;
        let words = node_words(fields.len());
        debug_assert!(node.addr() + words * 8 <= self.nursery.end(), "room was made sure of");
        // SAFETY: there is room for the node from `next` on.
        unsafe {
            *node = Header::new(kind, words - 1, info).bits();
            let payload = node.add(1).cast::<Word>();
            if fields.is_empty() {
                *payload = Word::NOTHING;
            }
            payload.copy_from_nonoverlapping(fields.as_ptr(), fields.len());
            self.next = node.add(words);
        }
        Word::pointer(node.expose_provenance(), tag_of(kind))
    }

    /// A new node of this many payload words whose fields mean nothing: a
    /// [`Hole`](Kind::Hole) that is to be filled, or a thunk without fields.
    ///
    /// # Safety
    /// Room for one word more was made sure of; there is at least one.
    #[inline]
    pub unsafe fn alloc_empty(&mut self, kind: Kind, info: u32, words: usize) -> Word {
        let node = self.next;
        debug_assert!(node.addr() + (words + 1) * 8 <= self.nursery.end());
        // SAFETY: there is room for the node from `next` on.
        unsafe {
            *node = Header::new(kind, words, info).bits();
            for at in 1..=words {
                *node.add(at) = Word::NOTHING.bits();
            }
            self.next = node.add(words + 1);
        }
        Word::pointer(node.expose_provenance(), Tag::Unknown)
    }

    /// What a word leads to through indirections: an immediate word, or a pointer that says
    /// all that is known of its node.
    ///
    /// # Safety
    /// If `word` is a pointer, it is one to a node of this heap.
    #[inline]
    #[must_use]
    pub unsafe fn resolve(&self, mut word: Word) -> Word {
        while word.is_pointer() {
            // SAFETY: it is a pointer; and an indirection has a payload word.
            unsafe {
                let header = self.header(word);
                if header.kind() != Kind::Ind {
                    return word.with_tag(tag_of(header.kind()));
                }
                word = self.field(word, 0);
            }
        }
        word
    }

    /// Makes a node an indirection to `value`, which does not lead back to it.
    ///
    /// # Safety
    /// `node` is a pointer to a node that is no value; `value` is a word of this heap.
    #[inline(always)]
    pub unsafe fn update(&mut self, node: Word, value: Word) {
        let pointer = node_at(node.address());
        // SAFETY: every node has a payload word.
        unsafe {
            *pointer = self.header(node).with(Kind::Ind, 0).bits();
            *pointer.add(1) = value.bits();
        }
        if !self.is_young(node) && value.is_pointer() && self.is_young(value) {
            self.remember(node.address());
        }
    }

    /// Notes that the evaluation of a thunk has begun: what it captured means nothing now.
    ///
    /// # Safety
    /// `thunk` is a pointer to a node that is no value.
    #[inline(always)]
    pub unsafe fn black_hole(&mut self, thunk: Word) {
        // SAFETY: a pointer leads to a node.
        unsafe {
            let header = self.header(thunk);
            *node_at(thunk.address()) = header.with(Kind::Hole, header.info()).bits();
        }
    }

    /// Makes something else of a node, and returns the pointer that says so.
    ///
    /// # Safety
    /// `node` is a pointer to a node that is no value and has at least as many payload words
    /// as there are fields; the fields are words that `kind` has.
    pub unsafe fn fill(&mut self, node: Word, kind: Kind, info: u32, fields: &[Word]) -> Word {
        let pointer = node_at(node.address());
        // SAFETY: the caller says that there is room for the fields.
        unsafe {
            let words = self.header(node).words();
            debug_assert!(fields.len() <= words);
            *pointer = Header::new(kind, words, info).bits();
            let payload = pointer.add(1).cast::<Word>();
            payload.copy_from_nonoverlapping(fields.as_ptr(), fields.len());
            for at in fields.len()..words {
                *payload.add(at) = Word::NOTHING;
            }
        }
        if !self.is_young(node)
            && fields.iter().any(|field| field.is_pointer() && self.is_young(*field))
        {
            self.remember(node.address());
        }
        node.with_tag(tag_of(kind))
    }

    /// Whether a pointer leads to the nursery.
    #[inline(always)]
    #[must_use]
    pub fn is_young(&self, node: Word) -> bool {
        self.nursery.holds(node.address())
    }

    #[cold]
    #[inline(never)]
    fn remember(&mut self, address: usize) {
        self.remembered.push(address);
    }

    /// Tells how many bytes the machine has outside of the heap: its stack, suspended
    /// evaluations, tables that grow.
    pub fn set_outside(&mut self, bytes: u64) {
        self.outside = bytes;
    }

    /// Bytes in use. See the module for what is counted.
    #[must_use]
    pub fn footprint(&self) -> u64 {
        self.used() + self.nursery.bytes() as u64 + self.old.spare_bytes()
    }

    /// The footprint without nursery and reserve.
    fn used(&self) -> u64 {
        let lists =
            self.remembered.capacity() + self.young_bigs.capacity() + self.old_bigs.capacity();
        let bigs = self.young_big_bytes + self.old_big_bytes;
        self.old.used_bytes() + bigs + (lists * size_of::<usize>()) as u64 + self.outside
    }

    /// Whether that many bytes more stay within the limit, as things are. If not, a
    /// [`collect`](Heap::collect) that needs them may help.
    #[inline]
    #[must_use]
    pub fn can_grow(&self, bytes: u64) -> bool {
        self.config.limit.is_none_or(|limit| self.footprint().saturating_add(bytes) <= limit)
    }

    /// The limit, in bytes.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.config.limit
    }

    /// Changes the limit; the next collection looks at it.
    pub fn set_limit(&mut self, limit: Option<u64>) {
        self.config.limit = limit;
        // A nursery that is too large now is given back by that collection.
        self.end = self.next;
    }

    /// Bytes of nodes and big integers in use, dead ones included, and of what the machine has
    /// outside.
    #[must_use]
    pub fn live_bytes(&self) -> u64 {
        let eden = (self.next.addr() - self.nursery.start()) as u64;
        let young = eden + self.nursery.survivors().len() as u64;
        young + self.young_big_bytes + self.old_live() + self.outside
    }

    /// Bytes of nodes and big integers in the old space.
    fn old_live(&self) -> u64 {
        self.old.node_bytes() + self.old_big_bytes
    }

    /// What has been counted, up to now.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let young = (self.next.addr() - self.nursery.start()) as u64 / 8;
        Counters {
            words_allocated: self.counters.words_allocated + young,
            large: self.old.large_made,
            selections: self.selectors.reduced(),
            ..self.counters
        }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        let all = self.young_bigs.drain(..).chain(self.old_bigs.drain(..));
        for address in all {
            // SAFETY: the lists hold each big integer once.
            unsafe { drop_big(address) };
        }
    }
}

/// Drops the value of a big integer's node.
///
/// # Safety
/// It has not been dropped.
unsafe fn drop_big(address: usize) {
    // SAFETY: the payload of such a node is an integer.
    unsafe { std::ptr::drop_in_place(node_at(address).add(1).cast::<Integer>()) }
}

/// The best tag for a pointer to a node.
#[inline(always)]
fn tag_of(kind: Kind) -> Tag {
    match kind {
        Kind::Con => Tag::Con,
        Kind::Big | Kind::Huge | Kind::Pap => Tag::Value,
        _ => Tag::Unknown,
    }
}

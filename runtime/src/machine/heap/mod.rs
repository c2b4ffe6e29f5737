//! The heap of the fast machine: nodes in memory that a generational collector moves.
//!
//! A node is a [`Header`] word and payload words. New nodes are bump-allocated in the
//! *nursery*, one piece of memory of about the size of a cache. A *minor* collection copies
//! its live nodes, to a survivor space first and to the *old space* the second time. A *full*
//! collection marks the old space and compacts it in place (`mark.rs`, `compact.rs`).
//!
//! The footprint counts everything: chunks with their mark tables, the nursery, the reserve
//! that the nursery's survivors will take, limbs of big integers, the collector's own lists,
//! and what the machine has outside of the heap. (Integers of a few limbs are nodes like
//! others: `bigs.rs`.)
//!
//! # Safety
//!
//! Words do not know which heap they belong to, and a collection moves what they point to. So
//! all that reads or writes a node is `unsafe`, with one contract: a word that is a pointer
//! leads to a node of this heap, and every collection since it was obtained has visited it.
//! The collections themselves are `unsafe` as to the words that the [`Mutator`] shows them,
//! and what a mutator has to visit is the contract of that `unsafe` trait. The safe functions
//! only count.
//!
//! # Provenance
//!
//! A word is an integer, so a pointer among words has no provenance of its own. Each piece of
//! memory (nursery, chunk) exposes the provenance of its allocation when it is made, and
//! `node_at` takes it up again; nothing else turns integers into pointers. That is what
//! `std::ptr` calls exposed provenance, and Miri `-Zmiri-permissive-provenance`.

pub mod array;
mod asan;
mod bigs;
pub mod bytes;
mod census;
mod chunk;
mod collect;
mod compact;
mod config;
mod counters;
mod identity;
mod mark;
mod minor;
pub mod mutator;
pub mod node;
mod nursery;
mod old;
mod prefetch;
mod short_circuit;
#[cfg(test)]
mod tests;
mod verify;
pub mod word;

pub use bigs::{compute_words, integer_words};
pub use census::Walk;
pub use config::{Config, Need, Stress};
pub use counters::Counters;
pub use identity::Told;
pub use mutator::{Code, Mutator, Selectors};
pub use node::{Fields, Header, Kind, Size, node_words};
pub use prefetch::prefetch;

#[cfg(gmachine_native)]
use std::mem::offset_of;
use std::ptr::with_exposed_provenance_mut;

pub use crate::base::allocation::Full;
use crate::base::integer::Integer;
use crate::gcode::program::{CONS, ConId};
use nursery::{Moving, Nursery};
use old::Old;
use word::{Tag, Word};

/// The header of a list cell that was made as one. (A hole that has become one may be larger.)
const CELL: u64 = match Size::new(2) {
    Some(size) => Header::new(Kind::Con, size, CONS.0).bits(),
    None => 0,
};

/// The heap. See the module for the contract of its `unsafe` functions.
#[derive(Debug)]
pub struct Heap {
    free: Free,
    nursery: Nursery,
    /// During a minor collection: the addresses that are evacuated.
    moving: Moving,
    /// During a minor collection: the free part of the survivor space that is copied to.
    survivor: usize,
    survivors_end: usize,
    old: Old,
    /// The remembered set: addresses of old nodes that may point to young ones.
    remembered: Vec<usize>,
    /// Addresses of [`Kind::Huge`] nodes, in the nursery and in the old space.
    young_bigs: Vec<usize>,
    old_bigs: Vec<usize>,
    /// Bytes of the limbs of these, and how many bytes of young ones make the next reservation
    /// collect.
    young_big_bytes: u64,
    old_big_bytes: u64,
    young_big_allowance: u64,
    /// Bytes that the machine has outside of the heap.
    outside: u64,
    /// Bytes of nodes and big integers in the old space above which a full collection is due.
    due: u64,
    /// Bytes of nodes and big integers in the old space after the last full collection.
    survived: u64,
    config: Config,
    selectors: Selectors,
    counters: Counters,
    /// The names of its nodes, if somebody watches.
    identities: Option<Box<identity::Identities>>,
}

/// The free part of Eden: the heap pointer and its limit (GHC: `Hp` and `HpLim`).
#[derive(Debug)]
struct Free {
    /// Where the next node goes.
    next: *mut u64,
    /// Below here nodes may be allocated without a collection.
    limit: *mut u64,
}

// SAFETY: both pointers lead into the nursery of the heap that has this value, which is sent
// with it; they are read and written through `&Heap` and `&mut Heap` alone.
unsafe impl Send for Free {}

impl Free {
    /// Returns room of which nothing is free, from `next` on.
    fn none(next: *mut u64) -> Free {
        Free { next, limit: next }
    }
}

const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Heap>();
};

/// Bytes of the limbs of young big integers that make a minor collection due.
const YOUNG_BIG_BYTES: u64 = 4 << 20;
/// The allocator's overhead for each allocation, in bytes, with rounding.
const ALLOCATION: u64 = 16;

/// Overwrites memory that nodes have left, in tests: an unaligned pointer, and no header.
const POISON: u64 = 0xdead_dead_dead_de19;

/// Returns the node at an address.
#[inline(always)]
fn node_at(address: usize) -> *mut u64 {
    with_exposed_provenance_mut(address)
}

/// Returns the bytes of an integer's limbs outside of its node, with the allocator's overhead for
/// the two allocations that they are in.
#[inline]
fn big_bytes(value: &Integer) -> u64 {
    value.heap_bytes() as u64 + 2 * ALLOCATION
}

/// Where its parts are in it, in bytes: for code that allocates and updates by itself.
#[cfg(gmachine_native)]
impl Heap {
    /// The heap pointer, and its limit.
    pub(in crate::machine) const NEXT: usize = offset_of!(Heap, free.next);
    pub(in crate::machine) const LIMIT: usize = offset_of!(Heap, free.limit);
    /// The address and the bytes of the nursery.
    pub(in crate::machine) const NURSERY: usize = offset_of!(Heap, nursery) + Nursery::BASE;
    pub(in crate::machine) const NURSERY_BYTES: usize = offset_of!(Heap, nursery) + Nursery::BYTES;
}

impl Heap {
    /// Returns an empty heap. It has no memory before the first collection.
    #[must_use]
    pub fn new(config: Config, selectors: Selectors) -> Heap {
        Heap {
            free: Free::none(std::ptr::null_mut()),
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
            identities: None,
        }
    }

    /// Notes which of the thunks that a program has been given in addition are selectors.
    pub fn add_selectors<'a>(&mut self, of_thunks: impl IntoIterator<Item = &'a [(ConId, u32)]>) {
        self.selectors.extend(of_thunks);
    }

    /// Returns the header of a node.
    ///
    /// # Safety
    /// `node` is a pointer to a node of this heap.
    #[inline(always)]
    #[must_use]
    pub unsafe fn header(&self, node: Word) -> Header {
        debug_assert!(node.is_pointer());
        // SAFETY: a pointer leads to a node, whose first word is a header.
        unsafe { Header::from_bits(*node_at(node.address())) }
    }

    /// Returns a payload word of a node.
    ///
    /// # Safety
    /// `node` is a pointer to a node of this heap that has more than `index` payload words,
    /// which are words (not limbs).
    #[inline(always)]
    #[must_use]
    pub unsafe fn field(&self, node: Word, index: usize) -> Word {
        // SAFETY: the caller's obligation.
        unsafe {
            debug_assert!(index < self.header(node).words());
            Word::from_bits(*node_at(node.address()).add(1 + index))
        }
    }

    /// Returns the payload of a node. It can be looked at until the heap changes.
    ///
    /// # Safety
    /// `node` is a pointer to a constructor, thunk, partial application or text of this heap.
    #[inline(always)]
    #[must_use]
    pub unsafe fn fields(&self, node: Word) -> &[Word] {
        // SAFETY: the payload of these kinds are words, all of which were written when the node
        // was; nodes change only through `&mut self`.
        unsafe {
            let words = self.header(node).words();
            std::slice::from_raw_parts(node_at(node.address()).add(1).cast::<Word>(), words)
        }
    }

    /// Returns whether `words` words can be allocated without a collection.
    #[inline(always)]
    #[must_use]
    pub fn fits(&self, words: usize) -> bool {
        words <= (self.free.limit.addr() - self.free.next.addr()) / 8
    }

    /// Allocates a node with these fields, of [`node_words`] words, and returns a pointer with
    /// the best tag for it.
    ///
    /// # Safety
    /// So many words [`fit`](Heap::fits), or did when they were reserved; the fields are words
    /// of this heap, such as `kind` has (not `Big` and `Huge`).
    #[inline(always)]
    pub unsafe fn alloc<'a>(
        &mut self,
        kind: Kind,
        info: u32,
        fields: impl Into<Fields<'a>>,
    ) -> Word {
        let fields = fields.into();
        let size = fields.size();
        let fields = fields.words();
        // SAFETY: there is room for the node, as the caller says.
        let node = unsafe { self.take(size.words() + 1) };
        // SAFETY: as above; the fields are elsewhere.
        unsafe {
            *node = Header::new(kind, size, info).bits();
            let payload = node.add(1).cast::<Word>();
            if fields.is_empty() {
                *payload = Word::NOTHING;
            }
            payload.copy_from_nonoverlapping(fields.as_ptr(), fields.len());
        }
        Word::pointer(node.expose_provenance(), tag_of(kind))
    }

    /// Allocates a node whose fields are not written, and returns where they are, too.
    ///
    /// # Safety
    /// As [`alloc`](Heap::alloc); the caller writes them at once.
    #[inline(always)]
    pub unsafe fn alloc_unwritten(
        &mut self,
        kind: Kind,
        info: u32,
        size: Size,
    ) -> (Word, *mut Word) {
        // SAFETY: there is room for the node, as the caller says.
        unsafe {
            let node = self.take(size.words() + 1);
            *node = Header::new(kind, size, info).bits();
            (Word::pointer(node.expose_provenance(), tag_of(kind)), node.add(1).cast())
        }
    }

    /// Allocates a node whose payload words are all [`Word::NOTHING`]: a [`Kind::Hole`] that is
    /// to be filled, or a node whose fields the caller writes at once.
    ///
    /// # Safety
    /// Room for `size` and one word more was made sure of. If `kind` has fields, they are
    /// written before the next collection.
    #[inline]
    pub unsafe fn alloc_empty(&mut self, kind: Kind, info: u32, size: Size) -> Word {
        // SAFETY: there is room for the node, as the caller says.
        let node = unsafe { self.take(size.words() + 1) };
        // SAFETY: as above.
        unsafe {
            *node = Header::new(kind, size, info).bits();
            for at in 1..=size.words() {
                *node.add(at) = Word::NOTHING.bits();
            }
        }
        Word::pointer(node.expose_provenance(), Tag::Unknown)
    }

    /// Takes `words` words of Eden.
    ///
    /// # Safety
    /// There are so many before Eden's end.
    #[inline(always)]
    unsafe fn take(&mut self, words: usize) -> *mut u64 {
        let node = self.free.next;
        debug_assert!(words <= (self.nursery.end() - node.addr()) / 8, "room was made sure of");
        asan::unpoison(node.addr(), words * 8);
        // SAFETY: the caller says that they are in the nursery.
        self.free.next = unsafe { node.add(words) };
        node
    }

    /// Follows indirections: returns an immediate word, or a pointer to a node that is no
    /// indirection, with the best tag for it.
    ///
    /// # Safety
    /// `word` is a word of this heap.
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

    /// Appends the characters that a list begins with to `text`, as far as they are evaluated,
    /// until it has `most` bytes or a few more. Returns the rest of the list.
    ///
    /// # Safety
    /// `list` is a word of this heap.
    #[must_use]
    pub unsafe fn append_text(&self, mut list: Word, text: &mut String, most: usize) -> Word {
        while text.len() < most {
            // ASCII is copied in pieces: a string looks at its room and at the encoding for each character.
            let mut piece = [0; 256];
            let room = piece.len().min(most - text.len());
            let mut len = 0;
            for byte in piece.iter_mut().take(room) {
                // SAFETY: `list` is a word of the heap, and a list cell has two fields.
                let (header, fields) = unsafe {
                    if !list.is_con_pointer() {
                        list = self.resolve(list);
                        if !list.is_con_pointer() {
                            break;
                        }
                    }
                    let node = node_at(list.address());
                    (*node, node.add(1))
                };
                if header != CELL {
                    break;
                }
                // SAFETY: as above.
                let (head, tail) = unsafe { (Word::from_bits(*fields), *fields.add(1)) };
                // SAFETY: as above.
                let c = head.as_ascii().or_else(|| unsafe { self.resolve(head) }.as_ascii());
                let Some(c) = c else { break };
                *byte = c;
                len += 1;
                list = Word::from_bits(tail);
            }
            text.push_str(str::from_utf8(&piece[..len]).unwrap_or_default());
            if len == room {
                continue;
            }
            // What follows is another cell, another character, or the end.
            // SAFETY: as above.
            unsafe {
                list = self.resolve(list);
                if !list.is_con_pointer() || self.header(list).info() != CONS.0 {
                    break;
                }
                let Some(c) = self.resolve(self.field(list, 0)).as_char() else { break };
                text.push(c);
                list = self.field(list, 1);
            }
        }
        list
    }

    /// Updates a node with `value`: makes it an indirection.
    ///
    /// # Safety
    /// `node` is a pointer to a thunk, black hole or stopped evaluation of this heap; `value` is
    /// a word of this heap that does not lead back to it through indirections.
    #[inline(always)]
    pub unsafe fn update(&mut self, node: Word, value: Word) {
        // SAFETY: the caller's promise.
        unsafe { self.write_indirection(node, value) }
        if !self.is_young(node) && value.is_pointer() && self.is_young(value) {
            self.remember(node.address());
        }
    }

    /// Updates, as [`update`](Heap::update) does, a node of the nursery, which nothing need
    /// remember; returns false, having changed nothing, if it is an older one.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub unsafe fn update_young(&mut self, node: Word, value: Word) -> bool {
        let is_young = self.is_young(node);
        if is_young {
            // SAFETY: the caller's promise.
            unsafe { self.write_indirection(node, value) }
        }
        is_young
    }

    /// Turns a node into an indirection.
    ///
    /// # Safety
    /// As for [`update`](Heap::update).
    #[inline(always)]
    unsafe fn write_indirection(&mut self, node: Word, value: Word) {
        let pointer = node_at(node.address());
        // SAFETY: every node has a payload word.
        unsafe {
            *pointer = self.header(node).with(Kind::Ind, 0).bits();
            *pointer.add(1) = value.bits();
        }
    }

    /// Writes a field of a mutable node, such as a cell.
    ///
    /// # Safety
    /// `node` is a pointer to a node of this heap that has the field; `value` is a word of this heap.
    pub unsafe fn write_field(&mut self, node: Word, index: usize, value: Word) {
        // SAFETY: the caller's promise; the fields follow the header.
        unsafe { *node_at(node.address()).add(1 + index) = value.bits() }
        if !self.is_young(node) && value.is_pointer() && self.is_young(value) {
            self.remember(node.address());
        }
    }

    /// Turns a thunk that is entered into a black hole, which keeps nothing alive.
    ///
    /// # Safety
    /// `thunk` is a pointer to a thunk, text, input or stopped evaluation of this heap.
    #[inline(always)]
    pub unsafe fn black_hole(&mut self, thunk: Word) {
        // SAFETY: a pointer leads to a node.
        unsafe {
            let header = self.header(thunk);
            *node_at(thunk.address()) = header.with(Kind::Hole, header.info()).bits();
        }
    }

    /// Turns a hole into a node of another kind, and returns a pointer with the best tag for it.
    ///
    /// # Safety
    /// `node` is a pointer to a hole of this heap that nobody has filled, with at least as many
    /// payload words as there are fields; the fields are words of this heap, such as `kind`
    /// has.
    pub unsafe fn fill(&mut self, node: Word, kind: Kind, info: u32, fields: &[Word]) -> Word {
        let pointer = node_at(node.address());
        // SAFETY: the caller says that there is room for the fields.
        unsafe {
            let header = self.header(node);
            debug_assert!(fields.len() <= header.words());
            *pointer = header.with(kind, info).bits();
            let payload = pointer.add(1).cast::<Word>();
            payload.copy_from_nonoverlapping(fields.as_ptr(), fields.len());
            for at in fields.len()..header.words() {
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

    /// Returns whether a pointer leads into the nursery.
    #[inline(always)]
    #[must_use]
    pub fn is_young(&self, node: Word) -> bool {
        self.nursery.holds(node.address())
    }

    /// Adds an old node to the remembered set.
    #[cold]
    #[inline(never)]
    fn remember(&mut self, address: usize) {
        // A loop may write one cell again and again.
        if self.remembered.last() != Some(&address) {
            self.remembered.push(address);
        }
    }

    /// Sets how many bytes the machine has outside of the heap: its stack, saved stacks, tables
    /// that grow.
    pub fn set_outside(&mut self, bytes: u64) {
        self.outside = bytes;
    }

    /// Returns the footprint in bytes. See the module for what is counted.
    #[must_use]
    pub fn footprint(&self) -> u64 {
        self.used() + self.nursery.bytes() as u64 + self.old.spare_bytes()
    }

    /// Returns the footprint without nursery and reserve.
    fn used(&self) -> u64 {
        let lists =
            self.remembered.capacity() + self.young_bigs.capacity() + self.old_bigs.capacity();
        let bigs = self.young_big_bytes + self.old_big_bytes;
        self.old.used_bytes() + bigs + (lists * size_of::<usize>()) as u64 + self.outside
    }

    /// Returns whether `bytes` more stay within the limit without a collection. If not, a
    /// [`collect`](Heap::collect) for them may help.
    #[inline]
    #[must_use]
    pub fn can_grow(&self, bytes: u64) -> bool {
        self.config.limit.is_none_or(|limit| self.footprint().saturating_add(bytes) <= limit)
    }

    /// Returns whether a heap in which nothing is alive would stay within the limit beside `bytes`
    /// outside: if not, a collection ends in [`Full::Limit`].
    #[must_use]
    pub fn fits_beside(&self, bytes: u64) -> bool {
        self.config.limit.is_none_or(|limit| bytes <= limit - limit / collect::LEAST_LEFT)
    }

    /// Returns the limit, in bytes.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.config.limit
    }

    /// Changes the limit, in bytes; the next collection observes it.
    pub fn set_limit(&mut self, limit: Option<u64>) {
        self.config.limit = limit;
        // A nursery that is too large now is given back by that collection.
        self.free.limit = self.free.next;
    }

    /// Returns the bytes of nodes and big integers, dead ones that were not collected yet included,
    /// and of what the machine has outside.
    #[must_use]
    pub fn live_bytes(&self) -> u64 {
        let eden = (self.free.next.addr() - self.nursery.start()) as u64;
        let young = eden + self.nursery.survivors().len() as u64;
        young + self.young_big_bytes + self.old_live() + self.outside
    }

    /// Returns the bytes of nodes and big integers in the old space.
    fn old_live(&self) -> u64 {
        self.old.node_bytes() + self.old_big_bytes
    }

    /// Returns the counters.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let young = (self.free.next.addr() - self.nursery.start()) as u64 / 8;
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
            // SAFETY: the lists hold each node of a huge integer once.
            unsafe { drop_big(address) };
        }
    }
}

/// Returns the integer of the [`Kind::Huge`] node at an address.
#[inline(always)]
fn huge_at(address: usize) -> *mut Integer {
    node_at(address).wrapping_add(1).cast()
}

/// Returns the bytes of the limbs of the [`Kind::Huge`] node at an address.
///
/// # Safety
/// There is such a node, whose integer was not dropped.
unsafe fn big_bytes_at(address: usize) -> u64 {
    // SAFETY: the payload of such a node is an integer.
    big_bytes(unsafe { &*huge_at(address) })
}

/// Drops the integer of the [`Kind::Huge`] node at an address.
///
/// # Safety
/// There is such a node, whose integer was not dropped.
unsafe fn drop_big(address: usize) {
    // SAFETY: the payload of such a node is an integer.
    unsafe { std::ptr::drop_in_place(huge_at(address)) }
}

/// Overwrites the memory between two addresses with [`POISON`].
///
/// # Safety
/// It is memory of this heap, and no live node is there.
unsafe fn overwrite(from: usize, to: usize) {
    asan::unpoison(from, to.saturating_sub(from));
    for at in (from..to).step_by(8) {
        // SAFETY: the caller's obligation.
        unsafe { *node_at(at) = POISON };
    }
}

/// Returns the best tag for a pointer to a node of that kind.
#[inline(always)]
fn tag_of(kind: Kind) -> Tag {
    match kind {
        Kind::Con => Tag::Con,
        Kind::Big | Kind::Huge | Kind::Float | Kind::Pap => Tag::Value,
        Kind::Array | Kind::Bytes | Kind::Buffer => Tag::Value,
        _ => Tag::Unknown,
    }
}

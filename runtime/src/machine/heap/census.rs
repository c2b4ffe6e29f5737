//! A walk through what is alive, for a profile: each node once, by who leads to it first.
//!
//! It goes through young and old nodes where they are. No node is moved, promoted or written to, so
//! a run that is looked at collects when the same run does that nobody looks at. (If a census began
//! with a collection, each would promote what is young: the cells of a stream that is being consumed
//! get old, and their dead copies keep all that follows them alive.)
//!
//! What is alive is what a full collection would leave: an indirection is no node of its own, a
//! selection from an evaluated constructor stands for the field, and what a thunk under evaluation
//! held is gone.

use super::array::array_len;
use super::chunk::{BLOCK_BYTES, MIN_BYTES, block_of, large_words};
use super::mark::{bit, is_marked};
use super::mutator::{Code, Selectors};
use super::old::Old;
use super::prefetch::prefetch;
use super::short_circuit::end_of;
use super::word::{View, Word};
use super::{Header, Heap, Kind, big_bytes_at, node_at};
use crate::base::bit_set::BitSet;
use crate::gcode::program::{ConId, GlobalId};

/// Nodes that were found before the oldest of them is looked at, so that its cache lines have come.
const AHEAD: usize = 8;
/// How many selections, each from what the next one selects, are looked through at once, and how
/// many steps that may take.
const DEPTH: usize = 64;
const STEPS: usize = 256;

/// A node that was found, and the place of what leads to it.
type Found = (usize, u32);

/// A walk under way. What is reached has a *place*: a number that the caller gives it.
pub struct Walk<'a> {
    selectors: &'a Selectors,
    old: &'a mut Old,
    /// Where the nursery begins, its bytes, and its mark bits.
    nursery: usize,
    nursery_bytes: usize,
    young: Vec<u64>,
    /// Nodes that are to be looked at: a stack, and before it a queue whose nodes are prefetched.
    pending: Vec<Found>,
    capacity: usize,
    ahead: [Found; AHEAD],
    first: usize,
    len: usize,
    /// Whether the stack had no room for a node.
    overflowed: bool,
    thunks: BitSet,
    functions: BitSet,
    /// Code that was reached, and that nobody has gone through.
    pub codes: Vec<Code>,
    /// Numbers of stopped evaluations that were reached, with their places, whose words nobody has
    /// visited.
    pub suspended: Vec<(i64, u32)>,
    /// What it has taken: the nodes that were visited, and the tables in cache lines.
    pub work: u64,
}

impl Heap {
    /// Begins a walk; nothing was reached yet. The heap must not change until it has ended.
    pub fn walk_live(&mut self) -> Walk<'_> {
        let capacity = self.mark_stack_capacity().max(1);
        let old = &mut self.old;
        old.begin_marking();
        let nursery_bytes = self.nursery.bytes();
        // It need not begin with a block.
        let young = vec![0; nursery_bytes / BLOCK_BYTES + 2];
        let lines = young.len() as u64 / 8 + old.used_bytes() / BLOCK_BYTES as u64 / 4;
        Walk {
            selectors: &self.selectors,
            old,
            nursery: self.nursery.base(),
            nursery_bytes,
            young,
            pending: Vec::new(),
            capacity,
            ahead: [(0, 0); AHEAD],
            first: 0,
            len: 0,
            overflowed: false,
            thunks: BitSet::EMPTY,
            functions: BitSet::EMPTY,
            codes: Vec::new(),
            suspended: Vec::new(),
            work: lines,
        }
    }

    /// Returns the bytes of nodes and big integers in the old space, dead ones that were not
    /// collected yet included.
    #[must_use]
    pub fn old_bytes(&self) -> u64 {
        self.old_live()
    }

    /// Returns the bytes of nodes and big integers that were allocated since the heap was made.
    #[inline]
    #[must_use]
    pub fn allocated_bytes(&self) -> u64 {
        let young = (self.free.next.addr() - self.nursery.start()) as u64;
        self.counters.words_allocated * 8 + young + self.counters.big_bytes_allocated
    }
}

impl Walk<'_> {
    /// Goes through every node that can be reached from `word`, and that no earlier visit has
    /// reached, but not through code and stopped evaluations. `each` gets the place of what leads
    /// to the node, `place` for the first one, its header and its bytes, and returns its place.
    ///
    /// # Safety
    /// It is a word of the heap, which has not changed since the walk began.
    pub unsafe fn visit(
        &mut self,
        word: Word,
        place: u32,
        each: &mut impl FnMut(u32, Header, u64) -> u32,
    ) {
        // SAFETY: the caller's promise; pointers in nodes lead to nodes.
        unsafe {
            self.reach(word, place);
            self.trace(each);
            while std::mem::take(&mut self.overflowed) {
                self.rescan(place, each);
            }
        }
    }

    /// Notes what a word leads to.
    #[inline]
    fn reach(&mut self, word: Word, place: u32) {
        if word.is_pointer() {
            if self.pending.len() < self.capacity {
                self.pending.push((word.address(), place));
            } else {
                self.overflowed = true;
            }
        } else if let View::Function(global) = word.view() {
            self.reach_function(global);
        }
    }

    #[inline]
    fn reach_function(&mut self, global: GlobalId) {
        if self.functions.insert(global.0) {
            self.codes.push(Code::Function(global));
        }
    }

    /// Returns the next node to look at.
    #[inline]
    fn next(&mut self) -> Option<Found> {
        while let Some(found) = self.pending.pop() {
            if self.len < AHEAD && self.pending.is_empty() && self.len == 0 {
                // Nothing else is known that could be looked at in the meantime.
                return Some(found);
            }
            prefetch(found.0 as u64);
            if !self.is_young(found.0) {
                prefetch(block_of(found.0).addr() as u64);
            }
            let oldest = std::mem::replace(&mut self.ahead[(self.first + self.len) % AHEAD], found);
            if self.len == AHEAD {
                self.first = (self.first + 1) % AHEAD;
                return Some(oldest);
            }
            self.len += 1;
        }
        self.len = self.len.checked_sub(1)?;
        let oldest = self.ahead[self.first];
        self.first = (self.first + 1) % AHEAD;
        Some(oldest)
    }

    /// Goes through what waits.
    ///
    /// # Safety
    /// As for [`visit`](Walk::visit).
    unsafe fn trace(&mut self, each: &mut impl FnMut(u32, Header, u64) -> u32) {
        while let Some((address, place)) = self.next() {
            // SAFETY: what waits are nodes.
            unsafe { self.look(address, place, each) };
        }
    }

    /// Looks at a node: counts it, if it was not met before, and notes what it leads to.
    ///
    /// # Safety
    /// There is a node at `address`.
    #[inline]
    unsafe fn look(
        &mut self,
        mut address: usize,
        place: u32,
        each: &mut impl FnMut(u32, Header, u64) -> u32,
    ) {
        // SAFETY: as the caller says; what an indirection leads to is a word of the heap.
        unsafe {
            while self.mark(address) {
                self.work += 1;
                let header = Header::from_bits(*node_at(address));
                let Some(word) = self.stands_for(address, header) else {
                    let place = each(place, header, self.bytes(address, header));
                    self.reach_fields(address, header, place);
                    return;
                };
                if !word.is_pointer() {
                    return self.reach(word, place);
                }
                address = word.address();
            }
        }
    }

    /// Marks a node. Returns whether it was not marked before.
    ///
    /// # Safety
    /// There is a node at `address`.
    #[inline]
    unsafe fn mark(&mut self, address: usize) -> bool {
        let bits = if self.is_young(address) {
            &mut self.young[address / BLOCK_BYTES - self.nursery / BLOCK_BYTES]
        } else {
            // SAFETY: an old node has a block, which nothing else refers to.
            unsafe { &mut (*block_of(address)).live }
        };
        let before = *bits;
        *bits |= bit(address);
        *bits != before
    }

    #[inline]
    fn is_young(&self, address: usize) -> bool {
        address.wrapping_sub(self.nursery) < self.nursery_bytes
    }

    /// Returns what a node stands for that is none of its own.
    ///
    /// # Safety
    /// There is a node with this header at `address`.
    #[inline]
    unsafe fn stands_for(&self, address: usize, header: Header) -> Option<Word> {
        match header.kind() {
            // SAFETY: an indirection has a payload word.
            Kind::Ind => Some(unsafe { Word::from_bits(*node_at(address).add(1)) }),
            Kind::Thunk if header.words() == 1 && self.selectors.is_selector(header.info()) => {
                // SAFETY: it is a thunk of one captured variable.
                unsafe { self.selected(address, header) }
            }
            _ => None,
        }
    }

    /// Returns the field that a selection stands for, if what it selects from is evaluated, or is
    /// itself a selection from something that is. The collector would put it in the selection's
    /// place (`short_circuit.rs`).
    ///
    /// # Safety
    /// There is a thunk of one captured variable with this header at `address`.
    unsafe fn selected(&self, address: usize, header: Header) -> Option<Word> {
        let mut infos = [0; DEPTH];
        let (mut depth, mut info) = (0, header.info());
        // SAFETY: as the caller says; what follows are words of the heap.
        unsafe {
            let mut word = Word::from_bits(*node_at(address).add(1));
            for _ in 0..STEPS {
                (word, _) = end_of(word);
                if !word.is_pointer() {
                    return None;
                }
                let from = node_at(word.address());
                let header = Header::from_bits(*from);
                match header.kind() {
                    Kind::Con => {
                        let field = self.selectors.selected(info, ConId(header.info()))?;
                        if field >= header.words() {
                            return None;
                        }
                        (word, _) = end_of(Word::from_bits(*from.add(1 + field)));
                        if depth == 0 {
                            // A value that is its own field depends on itself.
                            let is_itself = word.is_pointer() && word.address() == address;
                            return (!is_itself).then_some(word);
                        }
                        depth -= 1;
                        info = infos[depth];
                    }
                    Kind::Thunk
                        if header.words() == 1
                            && self.selectors.is_selector(header.info())
                            && depth < DEPTH =>
                    {
                        infos[depth] = info;
                        depth += 1;
                        info = header.info();
                        word = Word::from_bits(*from.add(1));
                    }
                    _ => return None,
                }
            }
        }
        None
    }

    /// Notes what the fields of a node lead to, and its code.
    ///
    /// # Safety
    /// There is a node with this header at `address`.
    #[inline]
    unsafe fn reach_fields(&mut self, address: usize, header: Header, place: u32) {
        let node = node_at(address);
        match header.kind() {
            Kind::Con | Kind::Array | Kind::Bytes => {}
            Kind::Thunk => {
                if self.thunks.insert(header.info()) {
                    self.codes.push(Code::Thunk(header.info()));
                }
            }
            Kind::Pap => self.reach_function(GlobalId(header.info())),
            Kind::Suspended => {
                // SAFETY: its payload is its number.
                let number = unsafe { Word::from_bits(*node.add(1)).as_int() };
                self.suspended.push((number, place));
                return;
            }
            Kind::Hole
            | Kind::Ind
            | Kind::Big
            | Kind::Huge
            | Kind::Float
            | Kind::Text
            | Kind::Input
            | Kind::Buffer => return,
        }
        // The last one that is noted is looked at first: of a cell its head, so that lists of lists
        // need little of the stack.
        for at in (1..=fields(header)).rev() {
            // SAFETY: the fields of these kinds are words.
            self.reach(unsafe { Word::from_bits(*node.add(at)) }, place);
        }
    }

    /// Goes on where the stack had no room: from all nodes that were met, as if they had `place`.
    /// What earlier visits have met leads to nothing new.
    ///
    /// # Safety
    /// As for [`visit`](Walk::visit).
    unsafe fn rescan(&mut self, place: u32, each: &mut impl FnMut(u32, Header, u64) -> u32) {
        for at in 0..self.young.len() {
            let bits = self.young[at];
            // SAFETY: marked addresses are those of nodes.
            unsafe { self.rescan_block(self.nursery / BLOCK_BYTES + at, bits, place, each) };
        }
        for at in 0..self.old.chunks.len() {
            let chunk = &mut self.old.chunks[at];
            let (first, blocks) = (chunk.address() / BLOCK_BYTES, chunk.blocks().len());
            for block in 0..blocks {
                let bits = self.old.chunks[at].blocks()[block].live;
                // SAFETY: as above.
                unsafe { self.rescan_block(first + block, bits, place, each) };
            }
        }
        for at in 0..self.old.large.len() {
            let address = self.old.large[at].only();
            // SAFETY: there is a node.
            unsafe {
                if is_marked(address) {
                    self.rescan_node(address, place, each);
                }
            }
        }
    }

    /// Goes on from the marked nodes of a block.
    ///
    /// # Safety
    /// As for [`visit`](Walk::visit); the bits are mark bits of this block, counted from address 0.
    unsafe fn rescan_block(
        &mut self,
        block: usize,
        mut bits: u64,
        place: u32,
        each: &mut impl FnMut(u32, Header, u64) -> u32,
    ) {
        while bits != 0 {
            let address = block * BLOCK_BYTES + bits.trailing_zeros() as usize * 8;
            bits &= bits - 1;
            // SAFETY: a marked address is that of a node.
            unsafe { self.rescan_node(address, place, each) };
        }
    }

    /// Goes on from a marked node.
    ///
    /// # Safety
    /// As for [`visit`](Walk::visit); there is a node at `address`.
    unsafe fn rescan_node(
        &mut self,
        address: usize,
        place: u32,
        each: &mut impl FnMut(u32, Header, u64) -> u32,
    ) {
        self.work += 1;
        // SAFETY: as the caller says.
        unsafe {
            let header = Header::from_bits(*node_at(address));
            let has_fields = matches!(
                header.kind(),
                Kind::Con | Kind::Array | Kind::Bytes | Kind::Thunk | Kind::Pap
            );
            // What it stands for was followed at once.
            if !has_fields || self.stands_for(address, header).is_some() {
                return;
            }
            for at in (1..=fields(header)).rev() {
                self.reach(Word::from_bits(*node_at(address).add(at)), place);
                self.trace(each);
            }
        }
    }

    /// Returns the bytes of a node, with the limbs that it has elsewhere.
    ///
    /// # Safety
    /// There is a node with this header at `address`.
    unsafe fn bytes(&self, address: usize, header: Header) -> u64 {
        let is_small = |words| self.is_young(address) || words < large_words(MIN_BYTES);
        let words = match header.kind() {
            // All that will ever be written to it is an indirection, and it becomes as small as one
            // when it moves; in a chunk of its own it does not.
            Kind::Hole if header.info() != Header::UNFILLED && is_small(header.words()) => 2,
            _ => header.node_words(),
        };
        let limbs = match header.kind() {
            // SAFETY: it is a node with limbs.
            Kind::Huge => unsafe { big_bytes_at(address) },
            _ => 0,
        };
        words as u64 * 8 + limbs
    }
}

/// Returns how many payload words of a node lead to others. Cards of an old array do not, and may
/// be dirty.
fn fields(header: Header) -> usize {
    match header.kind() {
        Kind::Array => array_len(header),
        _ => header.words(),
    }
}

//! Marking of the old space.
//!
//! Every pointer is short-circuited before it is followed: past indirections and reduced
//! selector thunks. So the pointers of a marked node lead to marked nodes, and none of these is
//! an indirection.
//!
//! A pointer waits in a prefetch queue before it is followed (`prefetch.rs`), so several paths
//! are followed at once.
//!
//! The mark stack is bounded. Once it is half full, one path is followed at a time: a node all
//! of whose children but one are marked goes on with that child, and a node without pointers is
//! done when it is marked. So lists and chains need no stack, and a list of lists one place.
//! When the stack overflows, the chunk of the node is scanned again later.

use super::chunk::{
    BLOCK_BYTES, BLOCK_WORDS, Chunk, LARGE_WORDS, MIN_BYTES, block_of, head_of, large_words,
};
use super::mutator::{Code, Selectors};
use super::old::Old;
use super::prefetch::{Found, PrefetchQueue};
use super::short_circuit::{Rules, follow, reduce};
use super::word::{View, Word};
use super::{Header, Kind, Mutator, Size, node_at, tag_of};
use crate::base::bit_set::BitSet;
use crate::gcode::program::GlobalId;

/// The rules of a full collection: a node that is marked stays what it is.
pub(super) struct Unmarked;

impl Rules for Unmarked {
    #[inline]
    unsafe fn may_replace(&self, address: usize) -> bool {
        // SAFETY: the caller says that there is a node, and all nodes are old.
        unsafe { !is_marked(address) }
    }

    #[inline]
    fn may_redirect(&self, _: usize, _: Word) -> bool {
        true
    }
}

/// Returns whether the node at an address is marked.
///
/// # Safety
/// There is a node at that address, in the old space.
#[inline]
pub(super) unsafe fn is_marked(address: usize) -> bool {
    // SAFETY: a node of the old space has a block, and nothing else refers to that now.
    let live = unsafe { (*block_of(address)).live };
    live & bit(address) != 0
}

/// Returns the bit of an address in its block.
#[inline]
pub(super) const fn bit(address: usize) -> u64 {
    1 << (address / 8 % BLOCK_WORDS)
}

/// The marking phase of a full collection.
pub(super) struct Marker<'a> {
    selectors: &'a Selectors,
    /// The mark stack: marked nodes whose children are to be marked.
    pending: Vec<usize>,
    capacity: usize,
    /// Pointers in marked nodes that are to be followed.
    queue: PrefetchQueue,
    /// Whether the mark stack had no place for a node.
    overflowed: bool,
    /// Code that was reached, and the code whose CAFs are still to be marked.
    thunks: BitSet,
    functions: BitSet,
    codes: Vec<Code>,
    /// Saved stacks whose words are still to be marked.
    suspended: Vec<i64>,
    /// Passes over the chunks after the mark stack had overflowed.
    pub(super) rescans: u64,
    /// Pointers to an indirection that were redirected past it.
    pub(super) indirections: u64,
}

impl<'a> Marker<'a> {
    /// Returns a marker with a mark stack of `capacity` nodes.
    pub(super) fn new(selectors: &'a Selectors, capacity: usize) -> Marker<'a> {
        Marker {
            selectors,
            pending: Vec::new(),
            capacity,
            queue: PrefetchQueue::new(),
            overflowed: false,
            thunks: BitSet::EMPTY,
            functions: BitSet::EMPTY,
            codes: Vec::new(),
            suspended: Vec::new(),
            rescans: 0,
            indirections: 0,
        }
    }

    /// Marks all live nodes.
    ///
    /// # Safety
    /// All live nodes are in the old space, no node is marked, and the words that `mutator`
    /// visits are words of this heap.
    pub(super) unsafe fn run(&mut self, old: &mut Old, mutator: &mut impl Mutator) {
        // SAFETY: as the caller says.
        unsafe {
            mutator.roots(&mut |word| *word = self.visit(*word));
            loop {
                self.trace();
                if let Some(code) = self.codes.pop() {
                    mutator.code(code, &mut |word| *word = self.visit(*word));
                } else if let Some(id) = self.suspended.pop() {
                    mutator.suspended(id, &mut |word| *word = self.visit(*word));
                } else if self.overflowed {
                    self.rescan(old);
                } else {
                    return;
                }
            }
        }
    }

    /// Marks the node that a word leads to, and sooner or later what is reachable from there.
    /// Returns the word to use instead, which is past indirections.
    ///
    /// # Safety
    /// As for [`run`](Marker::run); `word` is a word of this heap.
    #[inline]
    unsafe fn visit(&mut self, word: Word) -> Word {
        // SAFETY: as for `run`.
        unsafe {
            let short = self.short_circuit(word);
            if short.is_pointer() && self.mark(short.address()) {
                self.push(short.address());
                if self.is_half_full() {
                    self.trace();
                }
            }
            short
        }
    }

    /// Returns whether the mark stack is more than half full.
    #[inline(always)]
    fn is_half_full(&self) -> bool {
        self.pending.len() > self.capacity / 2
    }

    /// Short-circuits a word: returns one that is past indirections and reducible selections.
    /// Notes the code of functions.
    ///
    /// # Safety
    /// As for [`visit`](Marker::visit).
    #[inline(always)]
    unsafe fn short_circuit(&mut self, word: Word) -> Word {
        match word.bits() & 0b111 {
            // A pointer tagged as a value does not lead to an indirection.
            0b011 | 0b101 => word,
            // SAFETY: as for `run`.
            0b001 => unsafe { self.short_circuit_unknown(word) },
            0b111 => {
                if let View::Function(global) = word.view() {
                    self.reach_function(global);
                }
                word
            }
            _ => word,
        }
    }

    /// Notes that a function was reached.
    #[inline]
    fn reach_function(&mut self, global: GlobalId) {
        if self.functions.insert(global.0) {
            self.codes.push(Code::Function(global));
        }
    }

    /// Short-circuits, as [`short_circuit`](Marker::short_circuit) does, a pointer to an unknown
    /// node.
    ///
    /// # Safety
    /// As for [`visit`](Marker::visit).
    #[inline]
    unsafe fn short_circuit_unknown(&mut self, word: Word) -> Word {
        // SAFETY: as for `run`.
        unsafe {
            let header = Header::from_bits(*node_at(word.address()));
            match header.kind() {
                // It may lead to a function, or to a selection.
                Kind::Ind => self.short_circuit_ind(word),
                Kind::Thunk
                    if header.words() == 1
                        && self.selectors.is_selector(header.info())
                        && !is_marked(word.address()) =>
                {
                    let short = reduce(word, self.selectors, &Unmarked);
                    if let View::Function(global) = short.view() {
                        self.reach_function(global);
                    }
                    short
                }
                kind => word.with_tag(tag_of(kind)),
            }
        }
    }

    /// Short-circuits, as [`short_circuit`](Marker::short_circuit) does, a pointer to an
    /// indirection.
    ///
    /// # Safety
    /// As for [`visit`](Marker::visit).
    unsafe fn short_circuit_ind(&mut self, word: Word) -> Word {
        self.indirections += 1;
        // SAFETY: as for `run`. What is at the end of the chain is no indirection, so this is
        // no recursion.
        unsafe {
            let end = follow(word, &Unmarked);
            self.short_circuit(end)
        }
    }

    /// Marks a node. Returns whether it has children that are to be marked.
    ///
    /// # Safety
    /// There is a node at `address`, in the old space.
    #[inline(always)]
    unsafe fn mark(&mut self, address: usize) -> bool {
        let block = block_of(address);
        // SAFETY: it is a node of the old space, whose block nothing else refers to.
        unsafe {
            let first = bit(address);
            if (*block).live & first != 0 {
                return false;
            }
            let node = node_at(address);
            let mut header = Header::from_bits(*node);
            let is_small = header.words() < large_words(MIN_BYTES);
            if header.kind() == Kind::Hole && header.info() != Header::UNFILLED && is_small {
                // All that will ever be written to it is an indirection. (The chunk of a single
                // node would not become smaller.)
                header = Header::new(Kind::Hole, Size::ONE, header.info());
                *node = header.bits();
            }
            let words = header.node_words();
            if words as u32 <= (first.leading_zeros() + 1) {
                // `words` ones from `first` on; 64 of them do not come from a shift.
                (*block).live |= (first << (words - 1)) | ((first << (words - 1)) - first);
            } else if words > LARGE_WORDS {
                (*block).live |= first;
            } else {
                mark_long(address, words);
            }
            match header.kind() {
                Kind::Con if words <= 4 => (1..words).any(|at| leads_on(*node.add(at))),
                Kind::Con | Kind::Pap | Kind::Thunk | Kind::Suspended => true,
                Kind::Array | Kind::Bytes => true,
                Kind::Hole | Kind::Ind | Kind::Big | Kind::Huge | Kind::Float => false,
                Kind::Text | Kind::Input | Kind::Buffer => false,
            }
        }
    }

    /// Marks everything that is reachable from the mark stack and the queue, but not through
    /// code and saved stacks.
    ///
    /// # Safety
    /// As for [`run`](Marker::run).
    unsafe fn trace(&mut self) {
        loop {
            // SAFETY: what waits are marked nodes, and fields of marked nodes.
            unsafe {
                if self.is_half_full() {
                    let mut at = self.pending.pop();
                    while let Some(node) = at {
                        at = self.children(node);
                    }
                } else if let Some(node) = self.pending.pop() {
                    self.scan(node);
                } else if let Some(found) = self.queue.pop() {
                    self.follow(found);
                } else {
                    return;
                }
            }
        }
    }

    /// Enqueues the pointers in a marked node.
    ///
    /// # Safety
    /// There is a marked node at `address`.
    #[inline(always)]
    unsafe fn scan(&mut self, address: usize) {
        let node = node_at(address);
        // SAFETY: it is a node.
        unsafe {
            // The last one to be enqueued is the first to be followed if nothing waits: of a
            // cell its head, so that lists of lists are followed list by list.
            let mut last = None;
            for at in (1..=self.pointers(address)).rev() {
                let field = node.add(at);
                let word = Word::from_bits(*field);
                if word.is_pointer() {
                    if let Some(found) = last.replace(Found { field: field.addr(), word }) {
                        self.enqueue(found);
                    }
                } else if let View::Function(global) = word.view() {
                    self.reach_function(global);
                }
            }
            match last {
                None => {}
                // There is nothing to do until its cache line has come.
                Some(found) if self.pending.is_empty() && self.queue.is_empty() => {
                    self.follow(found);
                }
                Some(found) => self.enqueue(found),
            }
        }
    }

    /// Enqueues a pointer, and follows the oldest one if the queue is full.
    ///
    /// # Safety
    /// It was found in a marked node.
    #[inline(always)]
    unsafe fn enqueue(&mut self, found: Found) {
        if let Some(oldest) = self.queue.push(found) {
            // SAFETY: all pointers in the queue were found in marked nodes.
            unsafe { self.follow(oldest) }
        }
    }

    /// Short-circuits a pointer, and marks the node that it leads to.
    ///
    /// # Safety
    /// It was found in a marked node.
    #[inline(always)]
    unsafe fn follow(&mut self, found: Found) {
        // SAFETY: the word is that of a field of a marked node.
        unsafe {
            let short = self.short_circuit(found.word);
            if short != found.word {
                *node_at(found.field) = short.bits();
            }
            if short.is_pointer() && self.mark(short.address()) {
                self.push(short.address());
            }
        }
    }

    /// Returns how many payload words of a marked node may be pointers. Notes the code that it
    /// leads to.
    ///
    /// # Safety
    /// There is a marked node at `address`.
    #[inline(always)]
    unsafe fn pointers(&mut self, address: usize) -> usize {
        // SAFETY: it is a node.
        unsafe {
            let node = node_at(address);
            let header = Header::from_bits(*node);
            match header.kind() {
                Kind::Con | Kind::Array | Kind::Bytes => {}
                Kind::Thunk => {
                    if self.thunks.insert(header.info()) {
                        self.codes.push(Code::Thunk(header.info()));
                    }
                }
                Kind::Pap => self.reach_function(GlobalId(header.info())),
                Kind::Suspended => {
                    self.suspended.push(Word::from_bits(*node.add(1)).as_int());
                    return 0;
                }
                Kind::Hole
                | Kind::Ind
                | Kind::Big
                | Kind::Huge
                | Kind::Float
                | Kind::Text
                | Kind::Input
                | Kind::Buffer => {
                    return 0;
                }
            }
            header.words()
        }
    }

    /// Marks the children of a marked node. Returns the first of those that have children
    /// themselves, and pushes the others: so a list of whatever needs one place.
    ///
    /// # Safety
    /// There is a marked node at `address`.
    #[inline(always)]
    unsafe fn children(&mut self, address: usize) -> Option<usize> {
        let node = node_at(address);
        // SAFETY: it is a node, and its payload are words.
        unsafe {
            let mut next = None;
            for at in 1..=self.pointers(address) {
                let bits = *node.add(at);
                if !leads_on(bits) {
                    continue;
                }
                let short = self.short_circuit(Word::from_bits(bits));
                *node.add(at) = short.bits();
                if short.is_pointer() && self.mark(short.address()) {
                    match next {
                        None => next = Some(short.address()),
                        Some(_) => self.push(short.address()),
                    }
                }
            }
            next
        }
    }

    /// Pushes a node on the mark stack, or has its chunk scanned again if there is no place.
    ///
    /// # Safety
    /// There is a marked node at `address`.
    #[inline]
    unsafe fn push(&mut self, address: usize) {
        if self.pending.len() < self.capacity {
            self.pending.push(address);
        } else {
            self.overflowed = true;
            // SAFETY: a node of the old space is in a chunk.
            unsafe { (*head_of(address)).rescan = true };
        }
    }

    /// Marks the children of all marked nodes of the chunks where the mark stack has overflowed.
    ///
    /// # Safety
    /// As for [`run`](Marker::run).
    unsafe fn rescan(&mut self, old: &mut Old) {
        self.overflowed = false;
        self.rescans += 1;
        for chunk in old.chunks.iter().chain(&old.large) {
            let head = head_of(chunk.address());
            // SAFETY: every chunk has a head; the nodes that are visited are marked.
            unsafe {
                if std::mem::take(&mut (*head).rescan) {
                    for_each_live(chunk, |address| {
                        let mut at = Some(address);
                        while let Some(node) = at {
                            at = self.children(node);
                        }
                        self.trace();
                    });
                }
            }
        }
    }
}

/// Returns whether these are the bits of a pointer or a function: something may be reachable from
/// it.
#[inline(always)]
fn leads_on(bits: u64) -> bool {
    let word = Word::from_bits(bits);
    !word.is_int() && (word.is_pointer() || matches!(word.view(), View::Function(_)))
}

/// Marks the words of a node that is in several blocks, and notes in each how many they are.
///
/// # Safety
/// There is a node of `words` words at `address`, not in a chunk of its own.
#[cold]
unsafe fn mark_long(address: usize, words: usize) {
    let (mut at, end) = (address, address + words * 8);
    while at < end {
        let next = end.min((at | (BLOCK_BYTES - 1)) + 1);
        let ones = u64::MAX >> (64 - (next - at) / 8);
        // SAFETY: all of the node is in its chunk, whose blocks nothing else refers to.
        unsafe {
            let block = block_of(at);
            (*block).live |= ones * bit(at);
            if at != address {
                (*block).to = (next - at) / 8;
            }
        }
        at = next;
    }
}

/// Calls `then` with the address of each marked node of a chunk, in order. It may mark more.
///
/// # Safety
/// The marked words of the chunk are those of nodes.
pub(super) unsafe fn for_each_live(chunk: &Chunk, mut then: impl FnMut(usize)) {
    let mut at = chunk.address();
    // SAFETY: `at` is below the end of the nodes, and a marked word that belongs to no node
    // before it is a header.
    unsafe {
        if chunk.is_large() {
            if is_marked(chunk.only()) {
                then(chunk.only());
            }
            return;
        }
        while at < chunk.top {
            let rest = (*block_of(at)).live & !(bit(at) - 1);
            if rest == 0 {
                at = (at | (BLOCK_WORDS * 8 - 1)) + 1;
                continue;
            }
            at = (at & !(BLOCK_WORDS * 8 - 1)) + rest.trailing_zeros() as usize * 8;
            let address = at;
            at += Header::from_bits(*node_at(address)).node_words() * 8;
            then(address);
        }
    }
}

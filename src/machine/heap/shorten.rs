//! What a pointer may point to instead of an indirection or of a selection.

use super::mutator::Selectors;
use super::word::{Tag, Word};
use super::{Header, Kind, node_at, tag_of};
use crate::gcode::program::ConId;

/// How many selections waiting for one another are followed at once.
const DEPTH: usize = 64;

/// What a collection may change.
pub(super) trait Rules {
    /// Whether the thunk at an address may become an indirection.
    fn may_replace(&self, address: usize) -> bool;
    /// Whether the indirection at an address may lead to `end`.
    fn may_redirect(&self, address: usize, end: Word) -> bool;
}

/// The end of a chain of indirections, with the best tag; a node that has moved is found at
/// its new place. All of the chain then leads there at once, so that many pointers into one
/// chain cost no more than its length.
///
/// # Safety
/// `word` is a word of the heap.
pub(super) unsafe fn follow(word: Word, rules: &impl Rules) -> Word {
    // SAFETY: as the caller says; what an indirection leads to is a word of the heap.
    unsafe {
        let (end, steps) = end_of(word);
        if steps > 1 {
            let mut at = word;
            for _ in 1..steps {
                let node = node_at(at.address());
                at = Word::from_bits(*node.add(1));
                if rules.may_redirect(node.addr(), end) {
                    *node.add(1) = end.bits();
                }
            }
        }
        end
    }
}

/// The end of a chain of indirections, and how many there are.
unsafe fn end_of(mut word: Word) -> (Word, usize) {
    let mut steps = 0;
    // No chain of indirections leads back to itself, so this ends.
    while word.is_pointer() {
        let node = node_at(word.address());
        // SAFETY: a pointer leads to a node, or to one that has moved.
        unsafe {
            let first = *node;
            if first & 1 == 0 {
                return (Word::from_bits(first | 1), steps);
            }
            match Header::from_bits(first).kind() {
                Kind::Ind => word = Word::from_bits(*node.add(1)),
                kind => return (word.with_tag(tag_of(kind)), steps),
            }
            steps += 1;
        }
    }
    (word, steps)
}

/// What a pointer to a thunk of one captured variable may point to instead: if it selects a
/// field of an evaluated constructor, that field.
///
/// # Safety
/// `thunk` is a pointer to such a node, which may be replaced.
pub(super) unsafe fn shorten(thunk: Word, selectors: &Selectors, rules: &impl Rules) -> Word {
    let mut at = thunk;
    let mut waiting = [Word::NOTHING; DEPTH];
    let mut depth = 0;
    // SAFETY: only pointers to nodes come into `at` and `waiting`.
    unsafe {
        loop {
            match select(at, selectors, rules) {
                Selection::Field(field) => {
                    selectors.note();
                    let node = node_at(at.address());
                    *node = Header::new(Kind::Ind, 1, 0).bits();
                    *node.add(1) = field.bits();
                    at = field;
                    if is_candidate(at, selectors, rules) {
                        continue;
                    }
                }
                Selection::Waits(inner) if depth < DEPTH => {
                    waiting[depth] = at;
                    depth += 1;
                    at = inner;
                    continue;
                }
                Selection::Waits(_) | Selection::None => {}
            }
            // What waits is tried again only if it waits for a constructor by now.
            if depth == 0 || !at.is_con_pointer() {
                return follow(thunk, rules);
            }
            depth -= 1;
            at = waiting[depth];
        }
    }
}

/// What [`select`] finds.
enum Selection {
    /// The thunk is this field.
    Field(Word),
    /// What it selects from may be a selection itself.
    Waits(Word),
    /// It is to be left as it is.
    None,
}

/// Whether a word leads to a selection that may be changed.
unsafe fn is_candidate(word: Word, selectors: &Selectors, rules: &impl Rules) -> bool {
    if word.view() != super::word::View::Node(Tag::Unknown) {
        return false;
    }
    // SAFETY: a pointer leads to a node, or to one that has moved.
    unsafe {
        let first = *node_at(word.address());
        if first & 1 == 0 {
            return false;
        }
        let header = Header::from_bits(first);
        header.kind() == Kind::Thunk
            && selectors.is_selector(header.info())
            && rules.may_replace(word.address())
    }
}

/// What a thunk of one captured variable is, if it is a selection.
unsafe fn select(thunk: Word, selectors: &Selectors, rules: &impl Rules) -> Selection {
    let node = node_at(thunk.address());
    // SAFETY: a thunk has a payload word; a constructor has the fields that are selected.
    unsafe {
        let info = Header::from_bits(*node).info();
        if !selectors.is_selector(info) {
            return Selection::None;
        }
        let from = follow(Word::from_bits(*node.add(1)), rules);
        *node.add(1) = from.bits();
        if !from.is_con_pointer() {
            return match is_candidate(from, selectors, rules) {
                true => Selection::Waits(from),
                false => Selection::None,
            };
        }
        let constructor = node_at(from.address());
        let header = Header::from_bits(*constructor);
        let field = selectors.selected(info, ConId(header.info()));
        match field.filter(|field| *field < header.words()) {
            Some(field) => {
                let field = follow(Word::from_bits(*constructor.add(1 + field)), rules);
                // A value that is its own field stays: it depends on itself.
                let is_itself = field.is_pointer() && field.address() == thunk.address();
                if is_itself { Selection::None } else { Selection::Field(field) }
            }
            None => Selection::None,
        }
    }
}

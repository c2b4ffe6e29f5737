//! Short-circuiting pointers: past indirections, and to the fields that selector thunks select
//! (Wadler, *Fixing some space leaks with a garbage collector*, 1987). For both collections.

use super::mutator::Selectors;
use super::word::{Tag, Word};
use super::{Header, Kind, Size, node_at, tag_of};
use crate::gcode::program::ConId;

/// How many selections, each from what the next one selects, are reduced at once.
const DEPTH: usize = 64;

/// The nodes that a collection may change.
pub(super) trait Rules {
    /// Returns whether the thunk at an address may become an indirection.
    ///
    /// # Safety
    /// There is a node at that address.
    unsafe fn may_replace(&self, address: usize) -> bool;
    /// Returns whether the indirection at an address may lead to `end`.
    fn may_redirect(&self, address: usize, end: Word) -> bool;
}

/// Returns the word at the end of a chain of indirections, with the best tag, and past a
/// forwarding address. All indirections of the chain then lead there (path compression), so many
/// pointers into one chain cost no more than its length.
///
/// # Safety
/// `word` is a word of the heap, and `rules` are those of the collection.
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

/// Returns the word at the end of a chain of indirections, and how many these are.
///
/// # Safety
/// As for [`follow`].
pub(super) unsafe fn end_of(mut word: Word) -> (Word, usize) {
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

/// Reduces a selector thunk, if it selects from an evaluated constructor: it becomes an
/// indirection to the field. So do the selections that it selects from in turn. Returns the word
/// to use instead of the pointer to it.
///
/// # Safety
/// `thunk` is a pointer to a thunk of one captured variable, which may be replaced; `rules` are
/// those of the collection.
pub(super) unsafe fn reduce(thunk: Word, selectors: &Selectors, rules: &impl Rules) -> Word {
    let mut at = thunk;
    let mut waiting = [Word::NOTHING; DEPTH];
    let mut depth = 0;
    // SAFETY: `at` and `waiting` are pointers to thunks of one captured variable that may be
    // replaced: the one that the caller names, and those that `is_candidate` has found.
    unsafe {
        loop {
            match select(at, selectors, rules) {
                Selection::Field(field) => {
                    selectors.count_reduced();
                    let node = node_at(at.address());
                    *node = Header::new(Kind::Ind, Size::ONE, 0).bits();
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

/// The state of a selection.
enum Selection {
    /// It selects this field.
    Field(Word),
    /// It selects from what this selection will be.
    Waits(Word),
    /// It cannot be reduced.
    None,
}

/// Returns whether a word leads to a selection that may be replaced.
///
/// # Safety
/// As for [`follow`].
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
            && header.words() == 1
            && selectors.is_selector(header.info())
            && rules.may_replace(word.address())
    }
}

/// Returns the state of a thunk of one captured variable.
///
/// # Safety
/// As for [`reduce`].
unsafe fn select(thunk: Word, selectors: &Selectors, rules: &impl Rules) -> Selection {
    let node = node_at(thunk.address());
    // SAFETY: a thunk has a payload word; that the constructor has the field is checked.
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

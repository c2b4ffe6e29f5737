//! The same graph twice: in a heap, and in plain tables that nothing collects.

use std::collections::HashMap;

use super::*;
use crate::machine::heap::word::View;

/// A node of the table.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Fields(Kind, u32, Vec<Value>),
    Ind(Value),
    Hole(u32, usize),
    Big(Integer),
    Text(u32, i64),
    Array(Vec<Value>),
    Bytes(Vec<u8>),
}

/// A word of the table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Value {
    Is(Word),
    Node(usize),
}

/// A heap, and the same in tables.
pub(super) struct Mirror {
    pub(super) machine: Machine,
    pub(super) nodes: Vec<Node>,
    pub(super) stack: Vec<Value>,
}

impl Mirror {
    /// What a value is without indirections and selections. `None` if it depends on itself, or
    /// might.
    pub(super) fn value(&self, mut value: Value) -> Option<Value> {
        let mut waiting = Vec::new();
        for _ in 0..STEPS {
            let Value::Node(at) = value else { return Some(outermost(&waiting, value)) };
            match &self.nodes[at] {
                Node::Ind(to) => value = *to,
                Node::Fields(Kind::Thunk, FST | SND, fields) => {
                    waiting.push(value);
                    value = fields[0];
                }
                Node::Fields(Kind::Con, con, fields) => {
                    let Some(selection) = waiting.pop() else { return Some(value) };
                    let Value::Node(selector) = selection else { return None };
                    let Node::Fields(_, selector, _) = self.nodes[selector] else { return None };
                    match selected(selector, *con).and_then(|field| fields.get(field)) {
                        Some(field) => value = *field,
                        None => return Some(outermost(&waiting, selection)),
                    }
                }
                _ => return Some(outermost(&waiting, value)),
            }
        }
        None
    }

    /// What a word of the heap is without indirections and selections.
    fn word(&self, word: Word) -> Option<Word> {
        let mut waiting = Vec::new();
        let mut at = self.machine.resolve(word);
        for _ in 0..STEPS {
            if !at.is_pointer() {
                return Some(outermost(&waiting, at));
            }
            let header = self.machine.header(at);
            match header.kind() {
                Kind::Thunk if matches!(header.info(), FST | SND) => {
                    waiting.push(at);
                    at = self.machine.resolve(self.machine.field(at, 0));
                }
                Kind::Con => {
                    let Some(selection) = waiting.pop() else { return Some(at) };
                    let selector = self.machine.header(selection).info();
                    match selected(selector, header.info()).filter(|f| *f < header.words()) {
                        Some(field) => at = self.machine.resolve(self.machine.field(at, field)),
                        None => return Some(outermost(&waiting, selection)),
                    }
                }
                _ => return Some(outermost(&waiting, at)),
            }
        }
        None
    }

    /// Checks that both are the same graph, sharing included.
    #[track_caller]
    pub(super) fn compare(&self) {
        assert_eq!(self.stack.len(), self.machine.words.stack.len());
        let mut places: HashMap<usize, usize> = HashMap::new();
        let mut back: HashMap<usize, usize> = HashMap::new();
        let both = self.stack.iter().copied().zip(self.machine.words.stack.iter().copied());
        let mut pending: Vec<(Value, Word)> = both.collect();
        while let Some((value, word)) = pending.pop() {
            let (value, word) = match (self.value(value), self.word(word)) {
                (Some(value), Some(word)) => (value, word),
                (None, None) => continue,
                (value, word) => panic!("{value:?} is {word:?}"),
            };
            let at = match value {
                Value::Is(is) => {
                    assert_eq!(is, word);
                    continue;
                }
                Value::Node(at) => at,
            };
            assert!(matches!(word.view(), View::Node(_)), "{word:?} for {:?}", self.nodes[at]);
            let seen = places.insert(at, word.address());
            assert_eq!(back.insert(word.address(), at).unwrap_or(at), at, "two became one");
            if let Some(seen) = seen {
                assert_eq!(seen, word.address(), "one became two");
                continue;
            }
            let header = self.machine.header(word);
            match &self.nodes[at] {
                Node::Fields(kind, info, fields) => {
                    assert_eq!((header.kind(), header.info()), (*kind, *info));
                    assert_eq!(header.words(), fields.len().max(1));
                    let words = (0..fields.len()).map(|n| self.machine.field(word, n));
                    pending.extend(fields.iter().copied().zip(words));
                }
                Node::Hole(info, words) => {
                    assert_eq!((header.kind(), header.info()), (Kind::Hole, *info));
                    let may_shrink = *info != Header::UNFILLED;
                    assert!(header.words() == *words || may_shrink && header.words() == 1);
                }
                Node::Big(value) => {
                    // SAFETY: it is a pointer.
                    assert_eq!(unsafe { self.machine.heap.integer(word) }.as_deref(), Some(value));
                }
                Node::Text(info, offset) => {
                    assert_eq!((header.kind(), header.info()), (Kind::Text, *info));
                    assert_eq!(self.machine.field(word, 0), int(*offset));
                }
                Node::Array(elements) => {
                    let words = self.machine.elements(word);
                    assert_eq!(words.len(), elements.len());
                    pending.extend(elements.iter().copied().zip(words.iter().copied()));
                }
                Node::Bytes(bytes) => assert_eq!(self.machine.bytes(word), bytes),
                Node::Ind(_) => panic!("an indirection is no value"),
            }
        }
    }
}

/// More than any chain of indirections and selections takes that does not lead back.
const STEPS: usize = 10_000;

/// What stands for selections that wait for one another, the last one for what is stuck: the
/// first one, which is as good as stuck.
fn outermost<T: Copy>(waiting: &[T], stuck: T) -> T {
    waiting.first().copied().unwrap_or(stuck)
}

/// The field that a selector selects.
fn selected(selector: u32, con: u32) -> Option<usize> {
    match (selector, con) {
        (FST, con) if con == PAIR.0 => Some(0),
        (SND, con) if con == PAIR.0 || con == CONS.0 => Some(1),
        _ => None,
    }
}

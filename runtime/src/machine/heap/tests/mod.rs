//! The heap under a machine that is made of tables.

mod array;
#[cfg(gmachine_asan)]
mod asan;
mod census;
mod collect;
mod limit;
mod mark;
mod mirror;
mod random;
mod select;

use std::collections::BTreeMap;

use super::array::array_need;
use super::bytes::{SLICE_WORDS, bytes_need};
use super::word::Word;
use super::{
    Code, Config, Fields, Full, Header, Heap, Kind, Mutator, Need, Selectors, Size, Stress,
    integer_words, node_words,
};
use crate::base::integer::Integer;
use crate::gcode::program::ConId;

/// The words of a machine.
#[derive(Default)]
struct Words {
    /// A stack; below `clean` nothing is young.
    stack: Vec<Word>,
    clean: usize,
    cafs: BTreeMap<u32, Word>,
    /// The CAFs that code can reach.
    reaches: BTreeMap<u32, Vec<u32>>,
    records: BTreeMap<i64, Vec<Word>>,
    /// What a full collection has reached so far.
    asked: Vec<i64>,
    codes: Vec<Code>,
}

impl Words {
    /// The words from there on are others now.
    fn changed(&mut self, at: usize) {
        self.clean = self.clean.min(at);
    }
}

// SAFETY: each function visits all words of the table that it is about, and the tests use no
// others after a collection.
unsafe impl Mutator for Words {
    fn young(&mut self, visit: &mut impl FnMut(&mut Word) -> bool) {
        let is_young: Vec<bool> = self.stack[self.clean..].iter_mut().map(&mut *visit).collect();
        self.clean += is_young.iter().position(|is| *is).unwrap_or(is_young.len());
        for word in self.cafs.values_mut().chain(self.records.values_mut().flatten()) {
            visit(word);
        }
    }

    fn roots(&mut self, visit: &mut impl FnMut(&mut Word)) {
        self.stack.iter_mut().for_each(visit);
    }

    fn code(&mut self, code: Code, visit: &mut impl FnMut(&mut Word)) {
        assert!(!self.codes.contains(&code), "{code:?} is told once a collection");
        self.codes.push(code);
        let (Code::Thunk(id) | Code::Function(crate::gcode::program::GlobalId(id))) = code;
        for caf in self.reaches.get(&id).into_iter().flatten() {
            self.cafs.get_mut(caf).into_iter().for_each(&mut *visit);
        }
    }

    fn suspended(&mut self, id: i64, visit: &mut impl FnMut(&mut Word)) {
        self.asked.push(id);
        self.records.get_mut(&id).expect("a record").iter_mut().for_each(visit);
    }

    fn sweep(&mut self, is_live: &mut impl FnMut(&mut Word) -> bool) {
        self.cafs.retain(|_, word| is_live(word));
        self.records.retain(|id, _| self.asked.contains(id));
        self.asked.clear();
        self.codes.clear();
    }

    fn cafs(&mut self, visit: &mut impl FnMut(&mut Word)) {
        self.cafs.values_mut().for_each(visit);
    }
}

/// A heap and a machine.
struct Machine {
    heap: Heap,
    words: Words,
}

impl Machine {
    fn new(config: Config, selectors: Selectors) -> Machine {
        Machine { heap: Heap::new(config, selectors), words: Words::default() }
    }

    fn small(nursery_words: usize) -> Machine {
        Machine::new(Config { nursery_words, poison: true, ..Config::default() }, selectors())
    }

    fn reserve(&mut self, words: usize) -> Result<(), Full> {
        if !self.heap.fits(words) {
            self.collect(Need::words(words))?;
        }
        Ok(())
    }

    fn collect(&mut self, need: Need) -> Result<(), Full> {
        // SAFETY: the words are words of this heap.
        unsafe { self.heap.collect(need, &mut self.words) }
    }

    fn full(&mut self) {
        // SAFETY: as for `collect`.
        unsafe { self.heap.collect_full(Need::default(), &mut self.words) }.expect("room");
    }

    fn minor(&mut self) {
        self.collect(Need::default()).expect("room");
    }

    /// Makes everything old.
    fn tenure(&mut self) {
        // SAFETY: as for `collect`.
        unsafe { self.heap.tenure(&mut self.words) }.expect("room");
    }

    #[track_caller]
    fn verify(&mut self) {
        // SAFETY: as for `collect`.
        if let Err(wrong) = unsafe { self.heap.verify(&mut self.words) } {
            panic!("{wrong}");
        }
        self.words.asked.clear();
    }

    fn push(&mut self, word: Word) {
        self.words.stack.push(word);
    }

    fn pop(&mut self) -> Word {
        let word = self.words.stack.pop().expect("a word");
        self.words.changed(self.words.stack.len());
        word
    }

    fn top(&self) -> Word {
        *self.words.stack.last().expect("a word")
    }

    fn set(&mut self, at: usize, word: Word) {
        self.words.stack[at] = word;
        self.words.changed(at);
    }

    /// Replaces the uppermost words of the stack by a node with them as its fields.
    fn build(&mut self, kind: Kind, info: u32, fields: usize) -> Result<(), Full> {
        self.reserve(node_words(fields))?;
        let rest = self.words.stack.len() - fields;
        // SAFETY: room was made, the words of the stack are words of the heap.
        let node = unsafe {
            let fields = Fields::new(&self.words.stack[rest..]).expect("not too many");
            self.heap.alloc(kind, info, fields)
        };
        self.words.stack.truncate(rest);
        self.words.changed(rest);
        self.push(node);
        Ok(())
    }

    /// Makes room that may be outside of the nursery.
    fn make_room(&mut self, need: Need) {
        if !self.heap.fits(need.words) {
            self.collect(need).expect("room");
        }
    }

    /// Replaces the uppermost word by an array of `len` elements which are that.
    fn build_array(&mut self, len: usize) {
        self.make_room(array_need(len).expect("not too many"));
        let fill = self.pop();
        // SAFETY: room was made, and the words of the stack are words of the heap.
        let array = unsafe { self.heap.new_array(len, fill) }.expect("memory");
        self.push(array);
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        self.make_room(bytes_need(bytes.len()).expect("not too many"));
        // SAFETY: room was made.
        let word = unsafe { self.heap.new_bytes(bytes.len(), |to| to.copy_from_slice(bytes)) };
        self.push(word.expect("memory"));
    }

    fn elements(&self, array: Word) -> &[Word] {
        assert_eq!(self.kind(array), Kind::Array);
        // SAFETY: it is an array.
        unsafe { self.heap.elements(array) }
    }

    fn write(&mut self, array: Word, index: usize, value: Word) {
        assert!(index < self.elements(array).len());
        // SAFETY: it is an array with such an element.
        unsafe { self.heap.write_element(array, index, value) };
    }

    fn bytes(&self, bytes: Word) -> &[u8] {
        assert_eq!(self.kind(bytes), Kind::Bytes);
        // SAFETY: it is a byte string.
        unsafe { self.heap.bytes(bytes) }
    }

    fn push_big(&mut self, power: u32) {
        let mut value = Integer::from(i64::MAX);
        (0..power).for_each(|_| value = value.add(&value));
        self.reserve(integer_words(&value)).expect("room");
        // SAFETY: room was made.
        let node = unsafe { self.heap.int(value) };
        self.push(node);
    }

    fn header(&self, word: Word) -> Header {
        assert!(word.is_pointer(), "{word:?}");
        // SAFETY: the words of the tests lead to nodes.
        unsafe { self.heap.header(word) }
    }

    fn kind(&self, word: Word) -> Kind {
        self.header(word).kind()
    }

    fn field(&self, word: Word, index: usize) -> Word {
        assert!(word.is_pointer() && index < self.header(word).words());
        // SAFETY: as for `header`.
        unsafe { self.heap.field(word, index) }
    }

    fn resolve(&self, word: Word) -> Word {
        // SAFETY: as for `header`.
        unsafe { self.heap.resolve(word) }
    }

    fn update(&mut self, node: Word, value: Word) {
        assert!(matches!(self.kind(node), Kind::Thunk | Kind::Hole | Kind::Suspended));
        // SAFETY: it is no value.
        unsafe { self.heap.update(node, value) };
    }

    /// A list of the numbers below `len` on the stack.
    fn push_list(&mut self, len: i64) -> Result<(), Full> {
        self.push(Word::con(NIL));
        for n in (0..len).rev() {
            let tail = self.pop();
            self.push(int(n));
            self.push(tail);
            self.build(Kind::Con, CONS.0, 2)?;
        }
        Ok(())
    }

    /// The numbers of a list.
    fn list(&self, mut word: Word) -> Vec<i64> {
        let mut out = Vec::new();
        loop {
            word = self.resolve(word);
            if word == Word::con(NIL) {
                return out;
            }
            assert!(word.is_con_pointer());
            out.push(self.field(word, 0).as_int());
            word = self.field(word, 1);
        }
    }
}

const NIL: ConId = ConId(0);
const CONS: ConId = ConId(1);
const PAIR: ConId = ConId(2);
/// Thunks that select from a pair.
const FST: u32 = 1;
const SND: u32 = 2;
/// A thunk that does something else.
const OTHER: u32 = 0;

fn selectors() -> Selectors {
    Selectors::new([&[][..], &[(PAIR, 0)], &[(PAIR, 1), (CONS, 1)]])
}

fn size(words: usize) -> Size {
    Size::new(words).expect("at least one word, and not too many")
}

fn int(value: i64) -> Word {
    Word::int(value).expect("63 bits")
}

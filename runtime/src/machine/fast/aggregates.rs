//! Primitives on arrays and byte strings.

use super::code::instr::{Dst, Forced};
use super::state::Machine;
use crate::base::integer::Integer;
use crate::gcode::program::{CONS, NIL};
use crate::machine::chains::Circle;
use crate::machine::failure::{self, Failure};
use crate::machine::heap::array::array_need;
use crate::machine::heap::bytes::{SLICE_WORDS, bytes_need};
use crate::machine::heap::word::{View, Word};
use crate::machine::heap::{Full, Kind, Need};
use crate::machine::outcome::Stop;
use crate::primitive::Primitive;
use crate::primitive::bytes::{clamped, find, first_char, hash, place, span};

/// What the elements of a list say that a byte string is made of.
enum Element {
    /// A character, in UTF-8.
    Char(char),
    /// A byte.
    Byte(u8),
    /// A byte string.
    Bytes(Word),
}

impl Machine {
    /// Makes sure of room. Returns whether there was a collection: then the instruction is to be
    /// executed again.
    pub(super) fn room_for(&mut self, need: Option<Need>) -> Result<bool, Stop> {
        let Some(need) = need else { return Err(self.out_of_memory(Full::System)) };
        if self.heap.fits(need.words) && self.heap.can_grow(need.bytes) {
            return Ok(false);
        }
        self.collect_for_bytes(need.words, need.bytes)?;
        Ok(true)
    }

    /// Returns the elements of an array, if an evaluated word is one.
    pub(super) fn elements(&self, word: Word) -> Option<&[Word]> {
        if !word.is_value_pointer() {
            return None;
        }
        // SAFETY: a pointer leads to a node.
        unsafe {
            let is_array = self.heap.header(word).kind() == Kind::Array;
            is_array.then(|| self.heap.elements(word))
        }
    }

    /// Returns the bytes of a byte string, if an evaluated word is one.
    pub(super) fn bytes(&self, word: Word) -> Option<&[u8]> {
        if !word.is_value_pointer() {
            return None;
        }
        // SAFETY: a pointer leads to a node.
        unsafe {
            let is_bytes = self.heap.header(word).kind() == Kind::Bytes;
            is_bytes.then(|| self.heap.bytes(word))
        }
    }

    pub(super) fn wrong_kind(&self, primitive: Primitive, at: usize, word: Word) -> Stop {
        let (needs, which) = (failure::needs(primitive, at), failure::place(at, primitive.arity()));
        self.wrong_operand(primitive.name(), needs, which, word)
    }

    fn no_element(&self, primitive: Primitive, index: Word, len: usize) -> Stop {
        self.fail(Failure::no_element(primitive.name(), &self.describe(index), len))
    }

    fn done(&mut self, d: Dst, word: Word) -> Result<(), Stop> {
        self.set_slot(d.0, word);
        self.advance();
        Ok(())
    }

    /// Sets `d` to the result of a primitive for `a`.
    pub(super) fn aggregate(&mut self, p: Primitive, d: Dst, a: Forced) -> Result<(), Stop> {
        let x = self.slot(a.0);
        if p == Primitive::BytesFromText
            && let Some(literal) = self.literal(x)
        {
            let text = literal.as_bytes().to_vec();
            return self.put_bytes(d, &text);
        }
        if !x.is_evaluated() {
            return self.force(a);
        }
        match p {
            Primitive::ArrayFromList => self.array_from_list(d, x),
            Primitive::BytesFromText | Primitive::BytesFromList | Primitive::BytesConcat => {
                self.bytes_from_list(p, d, x)
            }
            Primitive::ArrayLength => match self.elements(x) {
                Some(elements) => {
                    let len = Word::int(elements.len() as i64).unwrap_or(Word::ZERO);
                    self.done(d, len)
                }
                None => Err(self.wrong_kind(p, 0, x)),
            },
            Primitive::BytesLength
            | Primitive::BytesBlank
            | Primitive::BytesWord
            | Primitive::BytesHash => {
                let Some(bytes) = self.bytes(x) else { return Err(self.wrong_kind(p, 0, x)) };
                let count = match p {
                    Primitive::BytesLength => bytes.len() as i64,
                    Primitive::BytesHash => hash(bytes),
                    p => span(bytes, p == Primitive::BytesBlank) as i64,
                };
                self.done(d, Word::int(count).unwrap_or(Word::ZERO))
            }
            p => self.primitive(p, d, &[x]),
        }
    }

    /// Sets `d` to the result of a primitive for `a` and `b`.
    pub(super) fn aggregate_of(
        &mut self,
        p: Primitive,
        d: Dst,
        a: Forced,
        b: Forced,
    ) -> Result<(), Stop> {
        if self.force_one(a, b)? {
            return Ok(());
        }
        self.aggregate_on(p, d, self.slot(a.0), self.slot(b.0))
    }

    /// Sets `d` to the result of a primitive for evaluated operands.
    pub(super) fn aggregate_on(
        &mut self,
        p: Primitive,
        d: Dst,
        x: Word,
        y: Word,
    ) -> Result<(), Stop> {
        // All indices and counts of anything that there is are integers of a word.
        let small = |word: Word| word.is_int().then(|| Integer::Small(word.as_int()));
        match p {
            Primitive::ArrayIndex => {
                let Some(elements) = self.elements(x) else {
                    return Err(self.wrong_kind(p, 0, x));
                };
                let found = small(y).and_then(|index| place(&index, elements.len()));
                match found.and_then(|at| elements.get(at)) {
                    Some(&element) => self.done(d, element),
                    None if self.number(y).is_some() => Err(self.no_element(p, y, elements.len())),
                    None => Err(self.wrong_kind(p, 1, y)),
                }
            }
            Primitive::BytesIndex if y.is_int() && self.bytes(x).is_some() => {
                let bytes = self.bytes(x).unwrap_or_default();
                let found = small(y).and_then(|index| place(&index, bytes.len()));
                match found.and_then(|at| bytes.get(at)) {
                    Some(&byte) => self.done(d, Word::of_i32(byte.into())),
                    None => Err(self.no_element(p, y, bytes.len())),
                }
            }
            Primitive::BytesChar
                if let Some(c) = self.bytes(x).and_then(|bytes| char_at(bytes, small(y)?)) =>
            {
                self.done(d, Word::char(c))
            }
            Primitive::BytesTake | Primitive::BytesDrop if x.is_int() => {
                let Some(bytes) = self.bytes(y) else { return Err(self.wrong_kind(p, 1, y)) };
                let count = clamped(&Integer::Small(x.as_int()), bytes.len());
                let (from, len) = match p {
                    Primitive::BytesTake => (0, count),
                    _ => (count, bytes.len() - count),
                };
                self.put_slice(d, y, from, len)
            }
            Primitive::BytesCompare | Primitive::BytesFind
                if let (Some(x), Some(y)) = (self.bytes(x), self.bytes(y)) =>
            {
                let result = match p {
                    Primitive::BytesCompare => x.cmp(y) as i64,
                    _ => find(x, y).map_or(-1, |at| at as i64),
                };
                self.done(d, Word::int(result).unwrap_or(Word::ZERO))
            }
            p => self.primitive(p, d, &[x, y]),
        }
    }

    /// Sets `d` to a part of a byte string.
    pub(super) fn put_slice(
        &mut self,
        d: Dst,
        of: Word,
        from: usize,
        len: usize,
    ) -> Result<(), Stop> {
        if !self.heap.fits(SLICE_WORDS) {
            return self.collect_for(SLICE_WORDS);
        }
        // SAFETY: there is room, and `of` is a byte string that has this part.
        let word = unsafe { self.heap.slice_bytes(of, from, len) };
        self.done(d, word)
    }

    /// Sets `d` to a new byte string.
    pub(super) fn put_bytes(&mut self, d: Dst, bytes: &[u8]) -> Result<(), Stop> {
        if self.room_for(bytes_need(bytes.len()))? {
            return Ok(());
        }
        // SAFETY: there is room.
        let made = unsafe { self.heap.new_bytes(bytes.len(), |to| to.copy_from_slice(bytes)) };
        let word = made.map_err(|full| self.out_of_memory(full))?;
        self.done(d, word)
    }

    /// Returns the rest of a string literal, if a word leads to one that is not unpacked.
    pub(super) fn literal(&self, word: Word) -> Option<&str> {
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(word) };
        let (id, at) = self.as_text(word)?;
        self.mutator.image.program.gcode.texts.get(id)?.get(at..)
    }

    /// Calls `visit` with the elements of a list whose cells are evaluated, until it returns `false`;
    /// returns where that was, or what the list ends in if that is not the empty list. What the
    /// compiler makes has walked along the list before; other code may give a circle.
    fn each_element(&self, list: Word, mut visit: impl FnMut(Word) -> bool) -> Option<Word> {
        let mut at = list;
        let mut circle = Circle::default();
        loop {
            // SAFETY: it is a word of the heap.
            at = unsafe { self.heap.resolve(at) };
            if circle.closes(at) {
                return Some(at);
            }
            if at.as_con() == Some(NIL) {
                return None;
            }
            if !at.is_con_pointer() {
                return Some(at);
            }
            // SAFETY: a constructor with fields; a list cell has two.
            unsafe {
                if self.heap.header(at).info() != CONS.0 || !visit(self.heap.field(at, 0)) {
                    return Some(at);
                }
                at = self.heap.field(at, 1);
            }
        }
    }

    fn array_from_list(&mut self, d: Dst, list: Word) -> Result<(), Stop> {
        let mut len = 0;
        let end = self.each_element(list, |_| {
            len += 1;
            true
        });
        if end.is_some() {
            return Err(self.wrong_kind(Primitive::ArrayFromList, 0, list));
        }
        if self.room_for(array_need(len))? {
            return Ok(());
        }
        // SAFETY: there is room, and integers are words of every heap.
        let made = unsafe { self.heap.new_array(len, Word::ZERO) };
        let array = made.map_err(|full| self.out_of_memory(full))?;
        let mut at = list;
        for index in 0..len {
            // SAFETY: `at` leads to a cell, as was seen above; the array has so many elements.
            unsafe {
                at = self.heap.resolve(at);
                let element = self.heap.resolve(self.heap.field(at, 0));
                self.heap.write_element(array, index, element);
                at = self.heap.field(at, 1);
            }
        }
        self.done(d, array)
    }

    fn bytes_from_list(&mut self, p: Primitive, d: Dst, list: Word) -> Result<(), Stop> {
        let mut len = 0_usize;
        let mut wrong = None;
        let end = self.each_element(list, |word| {
            let size = match self.element(p, word) {
                Some(Element::Char(c)) => c.len_utf8(),
                Some(Element::Byte(_)) => 1,
                Some(Element::Bytes(word)) => self.bytes(word).map_or(0, <[u8]>::len),
                None => {
                    wrong = Some(word);
                    return false;
                }
            };
            len = len.saturating_add(size);
            true
        });
        if let Some(wrong) = wrong {
            return Err(self.fail(Failure::no_part(p.name(), &self.describe(wrong))));
        }
        // A literal of which only the first characters are unpacked.
        let rest = end.filter(|_| p == Primitive::BytesFromText).and_then(|end| self.literal(end));
        if end.is_some() && rest.is_none() {
            return Err(self.wrong_kind(p, 0, list));
        }
        len = len.saturating_add(rest.map_or(0, str::len));
        // They are put together outside of the heap first.
        let need = bytes_need(len).map(|need| Need { bytes: need.bytes + len as u64, ..need });
        if self.room_for(need)? {
            return Ok(());
        }
        let mut all: Vec<u8> = Vec::with_capacity(len);
        let end = self.each_element(list, |word| {
            match self.element(p, word) {
                Some(Element::Char(c)) => {
                    all.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(Element::Byte(byte)) => all.push(byte),
                Some(Element::Bytes(word)) => {
                    all.extend_from_slice(self.bytes(word).unwrap_or_default());
                }
                None => {}
            }
            true
        });
        all.extend_from_slice(end.and_then(|end| self.literal(end)).unwrap_or("").as_bytes());
        self.put_bytes(d, &all)
    }

    /// Returns what an element of a list stands for, if a primitive can use it.
    fn element(&self, p: Primitive, word: Word) -> Option<Element> {
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(word) };
        match (p, word.view()) {
            (Primitive::BytesFromText, View::Char(c)) => Some(Element::Char(c)),
            (Primitive::BytesFromList, View::Int(value)) => {
                u8::try_from(value).ok().map(Element::Byte)
            }
            (Primitive::BytesConcat, _) => self.bytes(word).map(|_| Element::Bytes(word)),
            _ => None,
        }
    }
}

/// Returns the character that begins at an index of `bytes`, if one does.
fn char_at(bytes: &[u8], index: Integer) -> Option<char> {
    first_char(bytes.get(place(&index, bytes.len())?..)?)
}

//! Primitives on arrays and byte strings. A part of a byte string is a copy here.

use super::heap::node::{Addr, Node, array_bytes, buffer_bytes};
use super::state::Machine;
use crate::base::allocation::is_available;
use crate::gcode::program::{CONS, NIL};
use crate::machine::chains::Circle;
use crate::machine::failure::{self, Failure};
use crate::machine::outcome::Stop;
use crate::primitive::Primitive;

/// For more bytes the system is asked first whether it has them.
const PROBED: u64 = 1 << 20;

impl Machine {
    /// `<Unary arrayFromList : i, a : s, d, h[a: list of a1 .. an]>  =>  <i, b : s, d, h[b: NArray a1 .. an]>`
    ///
    /// `<Binary arrayIndex : i, a : b : s, d, h[a: NArray a0 .. an, b: NNum k]>  =>  <i, ak : s, d, h>`
    ///
    /// Byte strings are made of lists in the same way. `None` if the primitive is another one.
    pub(super) fn aggregate(&mut self, primitive: Primitive) -> Option<Result<(), Stop>> {
        match primitive {
            Primitive::ArrayFromList => Some(self.array_from_list()),
            Primitive::ArrayLength => Some(self.array_length()),
            Primitive::ArrayIndex => Some(self.array_index()),
            Primitive::BytesFromText | Primitive::BytesFromList | Primitive::BytesConcat => {
                Some(self.bytes_from_list(primitive))
            }
            _ => None,
        }
    }

    pub(super) fn wrong_kind(&self, primitive: Primitive, at: usize) -> Stop {
        let (needs, which) = (failure::needs(primitive, at), failure::place(at, primitive.arity()));
        let found = self.describe(self.item(at));
        self.fail(Failure::wrong_operand(primitive.name(), needs, which, &found))
    }

    /// Ensures that there are so many free nodes, and room for the bytes that they will own.
    pub(super) fn reserve_owned(&mut self, nodes: usize, bytes: u64) -> Result<(), Stop> {
        if bytes > PROBED && !is_available(bytes) {
            return Err(self.too_large(bytes));
        }
        self.reserve(nodes, bytes)
    }

    /// Replaces the operands by a new byte string.
    pub(super) fn put_bytes(&mut self, operands: usize, bytes: &[u8]) -> Result<(), Stop> {
        self.reserve_owned(1, buffer_bytes(bytes.len()))?;
        let addr = self.heap.alloc(Node::Bytes(Box::new(bytes.into())));
        self.replace(operands, addr);
        Ok(())
    }

    /// Replaces the operands by a part of the one that is a byte string.
    pub(super) fn put_part(
        &mut self,
        operands: usize,
        from: usize,
        len: usize,
    ) -> Result<(), Stop> {
        let bytes =
            (0..operands).find_map(|at| match self.heap.get(self.heap.value(self.item(at))) {
                Node::Bytes(bytes) => bytes.get(from..from + len).map(<[u8]>::to_vec),
                _ => None,
            });
        self.put_bytes(operands, &bytes.unwrap_or_default())
    }

    /// Calls `visit` with the elements of the list on top, whose cells are evaluated, until it
    /// returns `false`; returns where that was, or what the list ends in if that is not the empty
    /// list. What the compiler makes has walked along the list before; other code may give a circle.
    fn each_element(&self, mut visit: impl FnMut(Addr) -> bool) -> Option<Addr> {
        let mut at = self.item(0);
        let mut circle = Circle::default();
        loop {
            at = self.heap.value(at);
            if circle.closes(at) {
                return Some(at);
            }
            match self.heap.get(at).as_constr() {
                Some((NIL, _)) => return None,
                Some((CONS, &[head, tail])) if visit(self.heap.value(head)) => at = tail,
                _ => return Some(at),
            }
        }
    }

    fn array_from_list(&mut self) -> Result<(), Stop> {
        let mut len = 0;
        let end = self.each_element(|_| {
            len += 1;
            true
        });
        if end.is_some() {
            return Err(self.wrong_kind(Primitive::ArrayFromList, 0));
        }
        self.reserve_owned(1, array_bytes(len))?;
        // A collection may have shortened the chains of indirections.
        let mut elements = Vec::with_capacity(len);
        self.each_element(|element| {
            elements.push(element);
            true
        });
        let addr = self.heap.alloc(Node::Array(Box::new(elements.into())));
        self.replace(1, addr);
        Ok(())
    }

    fn array_length(&mut self) -> Result<(), Stop> {
        self.reserve(1, 0)?;
        let Node::Array(elements) = self.heap.get(self.heap.value(self.item(0))) else {
            return Err(self.wrong_kind(Primitive::ArrayLength, 0));
        };
        let len = elements.len() as i64;
        let addr = self.heap.alloc(Node::Int(len));
        self.replace(1, addr);
        Ok(())
    }

    fn array_index(&mut self) -> Result<(), Stop> {
        let (array, index) = (self.heap.value(self.item(0)), self.heap.value(self.item(1)));
        let Node::Array(elements) = self.heap.get(array) else {
            return Err(self.wrong_kind(Primitive::ArrayIndex, 0));
        };
        let at = match self.heap.get(index) {
            Node::Int(at) => usize::try_from(*at).ok(),
            Node::Big(_) => None,
            _ => return Err(self.wrong_kind(Primitive::ArrayIndex, 1)),
        };
        let Some(&element) = at.and_then(|at| elements.get(at)) else {
            let (name, found) = (Primitive::ArrayIndex.name(), self.describe(index));
            return Err(self.fail(Failure::no_element(name, &found, elements.len())));
        };
        self.replace(2, element);
        Ok(())
    }

    /// Returns what is not unpacked yet of a literal.
    fn literal(&self, addr: Addr) -> Option<&str> {
        let Node::Text { text, at } = *self.heap.get(self.heap.value(addr)) else { return None };
        self.code.program.texts.get(text)?.get(at as usize..)
    }

    fn bytes_from_list(&mut self, primitive: Primitive) -> Result<(), Stop> {
        let mut all: Vec<u8> = Vec::new();
        let mut wrong = None;
        let end = self.each_element(|element| {
            match (primitive, self.heap.get(element)) {
                (Primitive::BytesFromText, Node::Char(c)) => {
                    all.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                (Primitive::BytesFromList, &Node::Int(byte @ 0..=255)) => all.push(byte as u8),
                (Primitive::BytesConcat, Node::Bytes(bytes)) => all.extend_from_slice(bytes),
                _ => wrong = Some(element),
            }
            wrong.is_none()
        });
        if let Some(wrong) = wrong {
            let found = self.describe(wrong);
            return Err(self.fail(Failure::no_part(primitive.name(), &found)));
        }
        // A literal is unpacked when its characters are taken, or as a whole here.
        let text = primitive == Primitive::BytesFromText;
        match end.map(|end| text.then(|| self.literal(end)).flatten()) {
            None => {}
            Some(Some(rest)) => all.extend_from_slice(rest.as_bytes()),
            Some(None) => return Err(self.wrong_kind(primitive, 0)),
        }
        self.put_bytes(1, &all)
    }
}

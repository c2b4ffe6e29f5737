//! The header, the tables and the top level of a compiled module.

use std::sync::Arc;

use logos::Logos as _;
use rustc_hash::FxHashSet;

use super::bytes::{Mistake, Reader, check_sum};
use super::{
    Body, BodyId, Constructor, Entry, EntryKind, HEADER, MAGIC, Module, Reference, ReferenceId,
    ReferenceKind, TopLevel, VERSION, item, reference,
};
use crate::base::index::{Idx, IndexVec};
use crate::base::integer::Integer;
use crate::base::limbs::Limbs;
use crate::base::name::{Interner, Name};
use crate::base::origin::Origin;
use crate::base::span::Span;
use crate::syntax::token::Tok;

type Read<T> = Result<T, Mistake>;

/// Returns whether a file begins as a compiled module, or is the beginning of the beginning of one.
#[must_use]
pub fn is_module(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || (!bytes.is_empty() && MAGIC.starts_with(bytes))
}

/// Reads the header of a compiled module, then the name and the text of its source. The reader that
/// is returned has the rest.
///
/// # Errors
/// The first thing that is wrong.
pub fn open(bytes: &[u8]) -> Read<(Reader<'_>, &str, &str)> {
    let mut reader = Reader::new(bytes, 0..bytes.len());
    if reader.take(MAGIC.len())? != MAGIC {
        return reader.wrong(MAGIC.len(), "it does not begin as one");
    }
    let fixed = |reader: &mut Reader<'_>| {
        let bytes = reader.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().unwrap_or_default()))
    };
    if fixed(&mut reader)? != VERSION {
        return reader.wrong(4, "another version of gmachine wrote it");
    }
    let length = fixed(&mut reader)?;
    let sum = fixed(&mut reader)?;
    if length as usize != reader.left() {
        return reader.wrong(8, "it has been cut off, or more stands after it");
    }
    if sum != check_sum(&bytes[HEADER..]) {
        return reader.wrong(4, "its bytes have changed since it was written");
    }
    let name = reader.string()?;
    if name.is_empty() || name.len() > 4096 || name.chars().any(char::is_control) {
        return reader.wrong(name.len(), "the name of its source is none");
    }
    let text = reader.string()?;
    Ok((reader, name, text))
}

/// Reads the rest of a compiled module, whose text has been added to the source map at `base`. It
/// is called `name` and imported at `at`.
///
/// # Errors
/// The first thing that is wrong.
pub fn read<'b>(
    mut reader: Reader<'b>,
    (name, at): (&str, Span),
    bytes: &Arc<[u8]>,
    (text, base): (&'b Arc<str>, u32),
    interner: &mut Interner,
) -> Read<(Module, TopLevel)> {
    reader.text = &text[..];
    reader.base = base;
    let (names, is_plain, texts) = (Vec::new(), Vec::new(), Vec::new());
    let mut tables = Tables { reader, names, is_plain, texts };
    tables.strings(interner)?;
    let bigs = tables.bigs()?;
    let mut top = TopLevel::default();
    tables.origins(&mut top)?;
    tables.labels(&mut top, interner)?;
    let layouts = tables.layouts()?;
    let references = tables.references(&layouts)?;
    let count = tables.reader.count(1)?;
    let variables = (0..count).map(|_| tables.name()).collect::<Read<_>>()?;
    tables.reader.last = 0;
    let bodies = tables.items(&mut top, &references)?;
    if tables.reader.left() > 0 {
        return tables.reader.wrong(0, "more stands after its last item");
    }
    let Tables { names, is_plain, texts, .. } = tables;
    let module = Module {
        name: name.to_owned(),
        at,
        text: text.clone(),
        base,
        bytes: bytes.clone(),
        names,
        is_plain,
        texts,
        bigs,
        layouts,
        references,
        variables,
        bodies,
    };
    Ok((module, top))
}

/// The tables so far.
struct Tables<'b> {
    reader: Reader<'b>,
    names: Vec<Name>,
    /// Which of those can name a definition.
    is_plain: Vec<bool>,
    texts: Vec<Arc<str>>,
}

impl Tables<'_> {
    fn strings(&mut self, interner: &mut Interner) -> Read<()> {
        for _ in 0..self.reader.count(1)? {
            let text = self.reader.string()?;
            let mut tokens = Tok::lexer(text);
            let is_plain = match tokens.next() {
                Some(Ok(Tok::Name)) => true,
                Some(Ok(Tok::Primitive)) => false,
                _ => return self.reader.wrong(text.len(), "a name is none of the language"),
            };
            if tokens.slice().len() != text.len() {
                return self.reader.wrong(text.len(), "a name is none of the language");
            }
            self.names.push(interner.intern(text));
            self.is_plain.push(is_plain);
        }
        for _ in 0..self.reader.count(1)? {
            let text = self.reader.string()?;
            self.texts.push(text.into());
        }
        Ok(())
    }

    /// Reads a name that something may be defined by.
    fn name(&mut self) -> Read<Name> {
        match self.optional_name()? {
            Some(name) => Ok(name),
            None => self.reader.wrong(1, "a name is missing"),
        }
    }

    /// Reads such a name, or that there is none.
    fn optional_name(&mut self) -> Read<Option<Name>> {
        let at = self.reader.optional(self.names.len())?;
        match at.is_some_and(|at| !self.is_plain[at]) {
            true => self.reader.wrong(1, "only a primitive has a `#` before its name"),
            false => Ok(at.map(|at| self.names[at])),
        }
    }

    fn text(&mut self) -> Read<&Arc<str>> {
        Ok(&self.texts[self.reader.index(self.texts.len())?])
    }

    fn bigs(&mut self) -> Read<Vec<Integer>> {
        let mut bigs = Vec::new();
        let mut seen = FxHashSet::default();
        for _ in 0..self.reader.count(2)? {
            let start = self.reader.at();
            let negative = self.reader.flag()?;
            let limbs = self.reader.count(8)?;
            let (words, _) = self.reader.take(8 * limbs)?.as_chunks::<8>();
            let magnitude: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
            let limbs = Limbs { negative, magnitude: &magnitude };
            let is_normal = magnitude.last().is_some_and(|&limb| limb != 0);
            if !is_normal || limbs.to_i64().is_some() {
                return self.reader.wrong(self.reader.at() - start, "an integer is not large");
            }
            let value = Integer::from(limbs);
            if !seen.insert(value.clone()) {
                return self.reader.wrong(self.reader.at() - start, "an integer is there twice");
            }
            bigs.push(value);
        }
        Ok(bigs)
    }

    fn origins(&mut self, top: &mut TopLevel) -> Read<()> {
        top.is_hidden = self.reader.flag()?;
        for _ in 0..self.reader.count(1)? {
            let name = self.reader.string()?;
            if name.is_empty() {
                return self.reader.wrong(1, "a name is empty");
            }
            top.originals.push(name.into());
        }
        let mut last = None;
        for _ in 0..self.reader.count(2)? {
            let start = self.reader.at();
            let position = self.reader.number()?;
            if last >= Some(position) {
                return self.reader.wrong(self.reader.at() - start, "places are not in order");
            }
            last = Some(position);
            let origin = match self.reader.optional(top.originals.len())? {
                Some(file) => {
                    let place = |reader: &mut Reader<'_>| {
                        let (line, column) = (reader.number()?, reader.number()?);
                        if line == 0 || column == 0 {
                            return reader.wrong(1, "lines and columns begin with 1");
                        }
                        Ok((line, column))
                    };
                    let start = place(&mut self.reader)?;
                    let end = match self.reader.flag()? {
                        true => Some(place(&mut self.reader)?),
                        false => None,
                    };
                    if end.is_some_and(|end| end < start) {
                        return self.reader.wrong(1, "a place ends before it starts");
                    }
                    Some(Origin { file: file as u32, start, end })
                }
                None => None,
            };
            top.points.push((position, origin));
        }
        Ok(())
    }

    fn labels(&mut self, top: &mut TopLevel, interner: &Interner) -> Read<()> {
        for _ in 0..self.reader.count(3)? {
            let is_type = self.reader.flag()?;
            let name = interner.shared(self.name()?);
            let label = self.text()?.clone();
            let labels = &mut top.labels;
            let table = if is_type { &mut labels.types } else { &mut labels.definitions };
            table.insert(name, label);
        }
        Ok(())
    }

    fn layouts(&mut self) -> Read<Vec<Vec<(Name, u32)>>> {
        let mut layouts = Vec::new();
        for _ in 0..self.reader.count(1)? {
            let count = self.reader.count(2)?;
            let constructor = |_| Ok((self.name()?, self.reader.number()?));
            layouts.push((0..count).map(constructor).collect::<Read<_>>()?);
        }
        Ok(layouts)
    }

    fn references(
        &mut self,
        layouts: &[Vec<(Name, u32)>],
    ) -> Read<IndexVec<ReferenceId, Reference>> {
        let mut references: IndexVec<ReferenceId, Reference> = IndexVec::new();
        for _ in 0..self.reader.count(3)? {
            let at = self.reader.index(self.names.len())?;
            let name = self.names[at];
            let kind = match self.reader.byte()? {
                reference::VALUE => ReferenceKind::Value,
                reference::SAME => {
                    let other = ReferenceId::new(self.reader.index(references.len())?);
                    if references[other].kind != ReferenceKind::Value {
                        return self.reader.wrong(1, "a name is another one for no value");
                    }
                    ReferenceKind::Same(other)
                }
                reference::CONSTRUCTOR => {
                    let layout = self.reader.index(layouts.len())?;
                    let tag = self.reader.index(layouts[layout].len())?;
                    if layouts[layout][tag].0 != name {
                        return self.reader.wrong(1, "a constructor has another name");
                    }
                    ReferenceKind::Constructor { layout: layout as u32, tag: tag as u32 }
                }
                _ => return self.reader.wrong(1, "there is no such kind of a reference"),
            };
            let span = self.reader.span()?;
            references.push(Reference { name, kind, span });
        }
        Ok(references)
    }

    fn items(
        &mut self,
        top: &mut TopLevel,
        references: &IndexVec<ReferenceId, Reference>,
    ) -> Read<IndexVec<BodyId, Body>> {
        let mut bodies = IndexVec::new();
        for _ in 0..self.reader.count(4)? {
            let kind = self.reader.byte()?;
            let span = self.reader.span()?;
            let name_span = self.reader.span()?;
            let (name, kind) = match kind {
                item::DEFINITION => {
                    let name = self.name()?;
                    bodies.push(self.body(references)?);
                    (Some(name), EntryKind::Definition)
                }
                item::DATA => (self.optional_name()?, EntryKind::Data(self.constructors()?)),
                item::FILE => (None, EntryKind::File(self.text()?.to_string())),
                item::MODULE => (Some(self.name()?), EntryKind::Module),
                _ => return self.reader.wrong(1, "there is no such kind of an item"),
            };
            top.items.push(Entry { name, name_span, span, kind });
        }
        Ok(bodies)
    }

    fn constructors(&mut self) -> Read<Vec<Constructor>> {
        let mut constructors = Vec::new();
        for _ in 0..self.reader.count(3)? {
            let (name, span) = (self.name()?, self.reader.span()?);
            let count = self.reader.count(1)?;
            let fields = (0..count).map(|_| self.optional_name()).collect::<Read<_>>()?;
            constructors.push(Constructor { name, span, fields });
        }
        Ok(constructors)
    }

    fn body(&mut self, references: &IndexVec<ReferenceId, Reference>) -> Read<Body> {
        let count = self.reader.count(1)?;
        let mut mentions = Vec::new();
        for _ in 0..count {
            let id = ReferenceId::new(self.reader.index(references.len())?);
            if references[id].kind != ReferenceKind::Value {
                return self.reader.wrong(1, "what a body mentions is no value");
            }
            mentions.push(id);
        }
        let start = self.reader.last;
        let params = self.reader.count(2)? as u32;
        let count = self.reader.count(1)?;
        let from = self.reader.at();
        self.reader.take(count)?;
        if (params as usize) * 2 > count {
            return self.reader.wrong(count, "a body is shorter than its parameters");
        }
        Ok(Body { mentions, params, start, bytes: from..self.reader.at() })
    }
}

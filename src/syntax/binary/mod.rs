//! Compiled modules: the definitions of one file as core, in bytes. `docs/modules.md` describes the
//! format.
//!
//! Here is what stands around the bodies of definitions: the header, the tables, the top level.
//! The bodies are read where core is made (`core/binary/`). Nothing that is read is believed:
//! numbers are looked at before they are used, and what is allocated is in proportion to the bytes
//! that are there.

mod bytes;
mod read;

pub use bytes::{Mistake, Reader, Writer, check_sum};
pub use read::{is_module, open, read};

use std::ops::Range;
use std::sync::Arc;

use crate::base::index::IndexVec;
use crate::base::integer::Integer;
use crate::base::label::Labels;
use crate::base::name::Name;
use crate::base::origin::Origin;
use crate::base::span::Span;

crate::define_index! {
    /// A compiled module of a program.
    pub ModuleId;
    /// A body in a compiled module.
    pub BodyId;
    /// A name that a module mentions without binding it.
    pub ReferenceId;
}

/// The first bytes of a compiled module. The first one begins no UTF-8 text; a transfer that changes
/// ends of lines changes the others.
pub const MAGIC: [u8; 8] = *b"\x93gmod\r\n\x1a";
/// The version of the format: a change that a reader can notice is a new one.
pub const VERSION: u32 = 1;
/// The bytes before the check sum's: magic, version, number of bytes after the header, check sum.
pub const HEADER: usize = 8 + 4 + 4 + 4;

/// The kinds of items.
pub mod item {
    /// A definition.
    pub const DEFINITION: u8 = 0;
    /// A data type.
    pub const DATA: u8 = 1;
    /// An import of a file.
    pub const FILE: u8 = 2;
    /// An import of a module of the corelib.
    pub const MODULE: u8 = 3;
}

/// The kinds of references.
pub mod reference {
    /// A function or constant.
    pub const VALUE: u8 = 0;
    /// What another reference means.
    pub const SAME: u8 = 1;
    /// A constructor.
    pub const CONSTRUCTOR: u8 = 2;
}

/// The kinds of expressions in bodies.
pub mod tag {
    /// An integer of 64 bits.
    pub const INT: u8 = 0;
    /// A larger integer.
    pub const BIG: u8 = 1;
    /// A float.
    pub const FLOAT: u8 = 2;
    /// A character.
    pub const CHAR: u8 = 3;
    /// A text.
    pub const TEXT: u8 = 4;
    /// A local variable.
    pub const LOCAL: u8 = 5;
    /// A function or constant.
    pub const VALUE: u8 = 6;
    /// A constructor.
    pub const CONSTRUCTOR: u8 = 7;
    /// An application.
    pub const APPLY: u8 = 8;
    /// `let`, of one variable.
    pub const LET: u8 = 9;
    /// `letrec`.
    pub const LETREC: u8 = 10;
    /// A function.
    pub const FUNCTION: u8 = 11;
    /// An evaluation whose value gets a name.
    pub const FORCE: u8 = 12;
    /// A choice by constructors.
    pub const CONSTRUCTORS: u8 = 13;
    /// A choice by integers or characters.
    pub const LITERALS: u8 = 14;
    /// A join point.
    pub const JOIN: u8 = 15;
    /// A jump to one.
    pub const JUMP: u8 = 16;
    /// The failure of a case.
    pub const NO_MATCH: u8 = 17;
}

/// What a name referred to when the module was compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReferenceKind {
    /// A function or constant.
    Value,
    /// What an earlier reference means, by another name: `#add` is the primitive `add`.
    Same(ReferenceId),
    /// A constructor: its data type, by its place in [`Module::layouts`], and its number there.
    Constructor {
        /// The data type.
        layout: u32,
        /// The number of the constructor.
        tag: u32,
    },
}

/// A name that a module mentions without binding it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reference {
    /// The name.
    pub name: Name,
    /// What it was when the module was compiled.
    pub kind: ReferenceKind,
    /// Where it is mentioned first.
    pub span: Span,
}

/// The body of a definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// The functions and constants that it mentions, in the order of their first mention.
    pub mentions: Vec<ReferenceId>,
    /// Number of parameters.
    pub params: u32,
    /// The position before the first span, from the start of the text.
    pub start: u32,
    /// Its bytes.
    pub bytes: Range<usize>,
}

/// A compiled module that was read.
#[derive(Clone, Debug)]
pub struct Module {
    /// How messages call the file.
    pub name: String,
    /// Where it is imported.
    pub at: Span,
    /// The text that it was compiled from.
    pub text: Arc<str>,
    /// The position of that text in the source map.
    pub base: u32,
    /// The whole file.
    pub bytes: Arc<[u8]>,
    /// Its names.
    pub names: Vec<Name>,
    /// Which of those can name a definition or a local: not `#add`.
    pub is_plain: Vec<bool>,
    /// Its STRING literals.
    pub texts: Vec<Arc<str>>,
    /// Its integers of more than 64 bits, each once.
    pub bigs: Vec<Integer>,
    /// The data types that its code relies on: names and numbers of fields of all constructors.
    pub layouts: Vec<Vec<(Name, u32)>>,
    /// What it mentions.
    pub references: IndexVec<ReferenceId, Reference>,
    /// The names that its patterns bind, which are no constructors.
    pub variables: Vec<Name>,
    /// The bodies of its definitions.
    pub bodies: IndexVec<BodyId, Body>,
}

/// An item of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What it defines.
    pub name: Option<Name>,
    /// Where the name stands.
    pub name_span: Span,
    /// Where the item stands.
    pub span: Span,
    /// What it is.
    pub kind: EntryKind,
}

/// A constructor in a data declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: Name,
    /// Where that stands.
    pub span: Span,
    /// The names of its fields.
    pub fields: Vec<Option<Name>>,
}

/// The kind of an item of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// A definition; its body is the next one.
    Definition,
    /// A data type.
    Data(Vec<Constructor>),
    /// An import of a file.
    File(String),
    /// An import of a module of the corelib.
    Module,
}

/// What a module says beside its bodies.
#[derive(Clone, Debug, Default)]
pub struct TopLevel {
    /// Its items.
    pub items: Vec<Entry>,
    /// Its display names.
    pub labels: Labels,
    /// Whether its text was made from another form.
    pub is_hidden: bool,
    /// The files that its text was generated from.
    pub originals: Vec<Box<str>>,
    /// From which position of the text on which origin holds.
    pub points: Vec<(u32, Option<Origin>)>,
}

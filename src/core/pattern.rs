//! Patterns with their names resolved, one level at a time.

use super::expr::{CONS, ConId, DataId, NIL};
use super::scope::{Globals, UnitId};
use crate::base::index::List;
use crate::base::integer::Integer;
use crate::base::name::Name;
use crate::base::span::Span;
use crate::syntax::ast::{Pat, PatId, TextId};

/// A pattern: one of the syntax tree, or the rest of a STRING pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PatRef {
    /// A pattern of the syntax tree.
    Ast(PatId),
    /// The characters of a text from a byte position on; the pattern that it comes from.
    Text(TextId, u32, PatId),
    /// A character of a STRING pattern; the pattern that it comes from.
    Char(char, PatId),
    /// Matches anything.
    Any,
}

/// A literal, comparable by value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key<'a> {
    /// An integer of 64 bits.
    Int(i64),
    /// A larger one.
    Big(&'a Integer),
    /// A character.
    Char(char),
}

/// The fields of a constructor pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fields {
    /// As written.
    Pats(List<PatId>),
    /// The first character of a text, and the rest of it.
    Text(char, TextId, u32, PatId),
}

/// The outermost level of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View<'a> {
    /// Matches anything, forces nothing; binds the value if there is a name.
    Any(Option<Name>),
    /// A constructor with as many fields as it has.
    Con(ConId, Fields),
    /// A literal.
    Lit(Key<'a>),
}

/// What a pattern asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A value of a data type.
    Data(DataId),
    /// An integer.
    Int,
    /// A character.
    Char,
}

/// The patterns of one part of the source.
#[derive(Clone, Copy)]
pub struct Patterns<'a> {
    globals: &'a Globals<'a>,
    unit: UnitId,
}

impl<'a> Patterns<'a> {
    /// Returns the patterns of `unit`.
    #[must_use]
    pub fn new(globals: &'a Globals<'a>, unit: UnitId) -> Patterns<'a> {
        Patterns { globals, unit }
    }

    /// Returns the outermost level. A pattern with a mistake in it (reported elsewhere) matches
    /// anything.
    #[must_use]
    pub fn view(&self, pattern: PatRef) -> View<'a> {
        let ast = self.globals.input.ast;
        match pattern {
            PatRef::Any => View::Any(None),
            PatRef::Char(c, _) => View::Lit(Key::Char(c)),
            PatRef::Text(text, at, pat) => self.text(text, at, pat),
            PatRef::Ast(pat) => match ast.pats[pat] {
                Pat::Wildcard | Pat::Error => View::Any(None),
                Pat::Int(value) => View::Lit(Key::Int(value)),
                Pat::Big(big) => View::Lit(Key::Big(&ast.bigs[big])),
                Pat::Char(c) => View::Lit(Key::Char(c)),
                Pat::Text(text) => self.text(text, 0, pat),
                Pat::Name(name) => match self.globals.con(self.unit, name) {
                    Some(con) if self.globals.cons[con].arity == 0 => {
                        View::Con(con, Fields::Pats(List::EMPTY))
                    }
                    Some(_) => View::Any(None),
                    None => View::Any(Some(name)),
                },
                Pat::Con(name, _, fields) => match self.globals.con(self.unit, name) {
                    Some(con) if self.globals.cons[con].arity as usize == fields.len() => {
                        View::Con(con, Fields::Pats(fields))
                    }
                    _ => View::Any(None),
                },
            },
        }
    }

    fn text(&self, text: TextId, at: u32, pat: PatId) -> View<'a> {
        let rest = self.globals.input.ast.texts[text].get(at as usize..).unwrap_or("");
        match rest.chars().next() {
            Some(c) => View::Con(CONS, Fields::Text(c, text, at + c.len_utf8() as u32, pat)),
            None => View::Con(NIL, Fields::Pats(List::EMPTY)),
        }
    }

    /// Appends the fields to `to`, the last one first.
    pub fn push_reversed(&self, fields: Fields, to: &mut Vec<PatRef>) {
        match fields {
            Fields::Pats(pats) => {
                to.extend(
                    self.globals.input.ast.pat_lists[pats].iter().rev().map(|&p| PatRef::Ast(p)),
                );
            }
            Fields::Text(c, text, next, pat) => {
                to.push(PatRef::Text(text, next, pat));
                to.push(PatRef::Char(c, pat));
            }
        }
    }

    /// Returns the name that a pattern gives to what it matches, if it is a variable.
    #[must_use]
    pub fn variable(&self, pattern: PatRef) -> Option<Name> {
        match self.view(pattern) {
            View::Any(name) => name,
            _ => None,
        }
    }

    /// Returns where a pattern stands.
    #[must_use]
    pub fn span(&self, pattern: PatRef) -> Span {
        match pattern {
            PatRef::Ast(pat) | PatRef::Text(_, _, pat) | PatRef::Char(_, pat) => {
                self.globals.input.ast.pat_spans[pat]
            }
            PatRef::Any => Span::NONE,
        }
    }

    /// Returns what a pattern asks for; `None` if it matches anything.
    #[must_use]
    pub fn kind(&self, pattern: PatRef) -> Option<Kind> {
        match self.view(pattern) {
            View::Any(_) => None,
            View::Con(con, _) => Some(Kind::Data(self.globals.cons[con].data)),
            View::Lit(Key::Char(_)) => Some(Kind::Char),
            View::Lit(Key::Int(_) | Key::Big(_)) => Some(Kind::Int),
        }
    }

    /// Returns the number of fields of a constructor.
    #[must_use]
    pub fn arity(&self, con: ConId) -> usize {
        self.globals.cons[con].arity as usize
    }

    /// Returns how many constructors its data type has.
    #[must_use]
    pub fn siblings(&self, con: ConId) -> usize {
        self.constructors(con).len()
    }

    /// Returns the constructors of its data type, in the order of their declaration.
    #[must_use]
    pub fn constructors(&self, con: ConId) -> &'a [ConId] {
        &self.globals.datas[self.globals.cons[con].data].cons
    }

    /// Returns the name of a constructor.
    #[must_use]
    pub fn name(&self, con: ConId) -> &'a str {
        &self.globals.cons[con].name
    }

    /// Returns its number among the constructors of its type.
    #[must_use]
    pub fn tag(&self, con: ConId) -> u32 {
        self.globals.cons[con].tag
    }
}

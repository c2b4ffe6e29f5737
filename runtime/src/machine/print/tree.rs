//! The formats that read back: expressions and JSON.
//!
//! A list is walked to its end before it is written, since only the end tells whether it is
//! a proper one. On the way the elements wait on the machine's stack; while all of them are
//! characters they are evaluated and kept here instead, because that makes a string.

use super::{Line, Move, PrintError, Shape, byte_string};
use crate::base::code::Code;
use crate::base::quote::{char_literal, for_message, json_string, string_literal};
use crate::machine::outcome::Output;
use crate::primitive::advice::Given;

/// Which of the two formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    Sexpr,
    Json,
}

/// A list whose end is not known yet.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Spine {
    /// The characters that it starts with.
    chars: String,
    /// How many elements after those wait on the stack. With one, no later character joins
    /// `chars`.
    waiting: usize,
}

/// What the next value is to the text around it, or text to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Context {
    /// A value.
    Value,
    /// An element of a list that had only characters so far; its `Tail` is below.
    Head,
    /// The rest of a list.
    Tail(Box<Spine>),
    /// This many values, each but the first after a separator.
    Row { first: bool, left: usize },
    /// This many elements of an improper list, each in a `Cons` of its own.
    Cells(usize),
    /// No value: this text, so many times.
    Close(&'static str, usize),
}

#[derive(Clone, Debug)]
pub(super) struct Automaton {
    style: Style,
    contexts: Vec<Context>,
}

impl Automaton {
    pub(super) fn new(style: Style) -> Automaton {
        Automaton { style, contexts: vec![Context::Value] }
    }

    pub(super) fn is_done(&self) -> bool {
        self.contexts.is_empty()
    }

    pub(super) fn value(
        &mut self,
        shape: Shape<'_>,
        line: &mut Line,
        out: &mut dyn Output,
    ) -> Result<Move, PrintError> {
        let mut text = String::new();
        let next = match self.contexts.pop() {
            Some(Context::Head) => self.head(shape),
            Some(Context::Tail(spine)) => self.tail(spine, shape, &mut text),
            Some(Context::Row { first, left }) => {
                if !first {
                    text.push(self.style.separator());
                }
                if left > 1 {
                    self.contexts.push(Context::Row { first: false, left: left - 1 });
                }
                self.write(shape, &mut text)?
            }
            Some(Context::Cells(left)) => {
                text.push_str(self.style.cell());
                if left > 1 {
                    self.contexts.push(Context::Cells(left - 1));
                }
                self.contexts.push(Context::Close(self.style.cell_separator(), 1));
                self.write(shape, &mut text)?
            }
            Some(Context::Value) => self.write(shape, &mut text)?,
            Some(Context::Close(..)) | None => Move::Drop,
        };
        self.write_closings(&mut text);
        line.write(&text, out)?;
        Ok(next)
    }

    /// Writes what closes the values that have been written: the texts on top of the contexts.
    fn write_closings(&mut self, text: &mut String) {
        while let Some(Context::Close(close, times)) = self.contexts.last() {
            text.push_str(&close.repeat(*times));
            self.contexts.pop();
        }
    }

    fn head(&mut self, shape: Shape<'_>) -> Move {
        let Some(Context::Tail(spine)) = self.contexts.last_mut() else { return Move::Drop };
        if let Shape::Char(c) = shape {
            spine.chars.push(c);
            return Move::Drop;
        }
        spine.waiting = 1;
        Move::Under
    }

    fn tail(&mut self, mut spine: Box<Spine>, shape: Shape<'_>, text: &mut String) -> Move {
        match shape {
            Shape::Cons if spine.waiting == 0 => {
                self.contexts.extend([Context::Tail(spine), Context::Head]);
                Move::Fields
            }
            Shape::Cons => {
                spine.waiting += 1;
                self.contexts.push(Context::Tail(spine));
                Move::Backward
            }
            Shape::Nil if spine.waiting == 0 => {
                text.push_str(&self.style.string(&spine.chars));
                Move::Drop
            }
            Shape::Nil => {
                text.push('[');
                for c in spine.chars.chars() {
                    text.push_str(&self.style.character(c));
                    text.push(self.style.separator());
                }
                self.contexts.push(Context::Close("]", 1));
                self.contexts.push(Context::Row { first: true, left: spine.waiting });
                Move::Reverse { keep: false, count: spine.waiting }
            }
            _ => {
                for c in spine.chars.chars() {
                    text.push_str(self.style.cell());
                    text.push_str(&self.style.character(c));
                    text.push_str(self.style.cell_separator());
                }
                let cells = spine.chars.chars().count() + spine.waiting;
                self.contexts.push(Context::Close(self.style.cell_end(), cells));
                self.contexts.push(Context::Value);
                if spine.waiting > 0 {
                    self.contexts.push(Context::Cells(spine.waiting));
                }
                Move::Reverse { keep: true, count: spine.waiting }
            }
        }
    }

    /// Prints a value that begins here.
    fn write(&mut self, shape: Shape<'_>, text: &mut String) -> Result<Move, PrintError> {
        let json = self.style == Style::Json;
        match shape {
            Shape::Int(value) => text.push_str(&value.to_string()),
            Shape::Digits(digits) => text.push_str(digits),
            Shape::Float(value) if json && !value.get().is_finite() => {
                text.push_str("{\"float\":\"");
                text.push_str(&value.to_string());
                text.push_str("\"}");
            }
            Shape::Float(value) => text.push_str(&value.to_string()),
            Shape::Char(c) => text.push_str(&self.style.character(c)),
            Shape::Nil => text.push_str("[]"),
            Shape::Cons => {
                self.contexts.extend([Context::Tail(Box::default()), Context::Head]);
                return Ok(Move::Fields);
            }
            Shape::Con { name, fields, .. } if json => {
                text.push_str("{\"con\":");
                text.push_str(&json_string(name));
                text.push_str(",\"fields\":[");
                self.row("]}", true, fields);
                return Ok(Move::Fields);
            }
            Shape::Action { name } if json => {
                text.push_str("{\"opaque\":");
                text.push_str(&json_string(name));
                text.push('}');
            }
            Shape::Action { name } => {
                let message = format!("no expression is the value of this {name}");
                return Err(PrintError::Value(Code::Unprintable, message, Given::Other));
            }
            Shape::Array { len } => {
                text.push_str(if json { "[" } else { "(arrayFromList [" });
                self.row(if json { "]" } else { "])" }, true, len);
                return Ok(Move::Fields);
            }
            Shape::Bytes(bytes) if json => match std::str::from_utf8(bytes) {
                Ok(string) => text.push_str(&json_string(string)),
                Err(_) => {
                    let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
                    text.push_str(&format!("{{\"bytes\":[{}]}}", bytes.join(",")));
                }
            },
            Shape::Bytes(bytes) => text.push_str(&byte_string(bytes)),
            Shape::Opaque { name } if json => {
                text.push_str("{\"host\":");
                text.push_str(&json_string(name));
                text.push('}');
            }
            Shape::Opaque { name } => {
                let message = format!("no expression is the host value `{}`", for_message(name));
                return Err(PrintError::Value(Code::Unprintable, message, Given::Other));
            }
            Shape::Function { name, .. } if json => {
                text.push_str("{\"function\":");
                text.push_str(&name.map_or("null".to_owned(), json_string));
                text.push('}');
            }
            Shape::Con { fields, readable: Some(name), .. }
            | Shape::Function { name: Some(_), arguments: fields, readable: Some(name) } => {
                if fields == 0 {
                    text.push_str(name);
                } else {
                    text.push('(');
                    text.push_str(name);
                    self.row(")", false, fields);
                }
                return Ok(Move::Fields);
            }
            Shape::Con { name, .. } => {
                let name = for_message(name);
                let message = format!("no expression is a `{name}` that the program shadows");
                return Err(PrintError::Value(Code::Unprintable, message, Given::Other));
            }
            Shape::Function { name: None, .. } => {
                let message = "no expression is a function without a name".to_owned();
                return Err(PrintError::Value(Code::Unprintable, message, Given::Other));
            }
            Shape::Function { name: Some(name), .. } => {
                let message = format!("no expression is the function `{}`", for_message(name));
                return Err(PrintError::Value(Code::Unprintable, message, Given::Other));
            }
        }
        Ok(Move::Drop)
    }

    /// Opens a row of values that are printed one after the other, with what closes it.
    fn row(&mut self, close: &'static str, first: bool, fields: usize) {
        self.contexts.push(Context::Close(close, 1));
        if fields > 0 {
            self.contexts.push(Context::Row { first, left: fields });
        }
    }
}

impl Style {
    fn separator(self) -> char {
        match self {
            Style::Sexpr => ' ',
            Style::Json => ',',
        }
    }

    /// Returns what a list cell is written with when the list is no proper one.
    fn cell(self) -> &'static str {
        match self {
            Style::Sexpr => "(Cons ",
            Style::Json => "{\"con\":\"Cons\",\"fields\":[",
        }
    }

    fn cell_separator(self) -> &'static str {
        match self {
            Style::Sexpr => " ",
            Style::Json => ",",
        }
    }

    fn cell_end(self) -> &'static str {
        match self {
            Style::Sexpr => ")",
            Style::Json => "]}",
        }
    }

    fn string(self, text: &str) -> String {
        match self {
            Style::Sexpr => string_literal(text),
            Style::Json => json_string(text),
        }
    }

    fn character(self, c: char) -> String {
        match self {
            Style::Sexpr => char_literal(c),
            Style::Json => json_string(c.encode_utf8(&mut [0; 4])),
        }
    }
}

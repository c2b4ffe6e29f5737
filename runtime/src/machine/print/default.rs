//! The default format: tokens, or raw text.

use super::{Line, Move, PrintError, Shape, byte_string, no_end_of_text, not_text};
use crate::base::quote::{char_literal, escape_char};
use crate::machine::outcome::Output;

/// What the next value is to the text around it, or text to be written once the values
/// before it are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Context {
    /// The value that is printed.
    Main,
    /// The first element of that value: it decides between text and tokens.
    MainHead,
    /// An element of raw text.
    RawHead,
    /// The rest of raw text.
    RawTail,
    /// A value among the tokens of the top level.
    Token,
    /// The first element of a list among them: a character makes it a STRING.
    TokenHead,
    /// The rest of a list on the top level.
    TokenTail,
    /// A value inside parentheses or brackets, after a blank.
    Field,
    /// The first element of an array.
    Element,
    /// The first element of a list there.
    ListHead,
    /// The rest of such a list.
    ListTail,
    /// An element of a STRING.
    QuoteHead,
    /// The rest of a STRING.
    QuoteTail,
    /// No value: this text.
    Close(&'static str),
}

#[derive(Clone, Debug)]
pub(super) struct Automaton {
    contexts: Vec<Context>,
}

impl Automaton {
    pub(super) fn new() -> Automaton {
        Automaton { contexts: vec![Context::Main] }
    }

    pub(super) fn is_done(&self) -> bool {
        self.contexts.is_empty()
    }

    /// Returns whether the next value is the rest of raw text.
    pub(super) fn is_in_text(&self) -> bool {
        self.contexts.last() == Some(&Context::RawTail)
    }

    pub(super) fn value(
        &mut self,
        shape: Shape<'_>,
        line: &mut Line,
        out: &mut dyn Output,
    ) -> Result<Move, PrintError> {
        let Some(context) = self.contexts.pop() else { return Ok(Move::Drop) };
        if let (Context::Main, Shape::Bytes(bytes)) = (context, shape) {
            line.write_bytes(bytes, out)?;
            return Ok(Move::Drop);
        }
        let mut text = String::new();
        let next = self.step(context, shape, line.open, &mut text)?;
        while let Some(&Context::Close(close)) = self.contexts.last() {
            text.push_str(close);
            self.contexts.pop();
        }
        line.write(&text, out)?;
        Ok(next)
    }

    /// Writes what is known of a value into `text`. `open` says whether something stands on
    /// the line, so that tokens need a blank between them.
    fn step(
        &mut self,
        context: Context,
        shape: Shape<'_>,
        open: bool,
        text: &mut String,
    ) -> Result<Move, PrintError> {
        match (context, shape) {
            (Context::Main, Shape::Cons) => {
                self.contexts.extend([Context::TokenTail, Context::MainHead]);
                Ok(Move::Fields)
            }
            (Context::MainHead, Shape::Char(c)) => {
                self.rest_is(Context::RawTail);
                text.push(c);
                Ok(Move::Drop)
            }
            (Context::RawHead, Shape::Char(c)) => {
                text.push(c);
                Ok(Move::Drop)
            }
            (Context::RawTail, Shape::Cons) => {
                self.contexts.extend([Context::RawTail, Context::RawHead]);
                Ok(Move::Fields)
            }
            (Context::RawTail, Shape::Nil) => Ok(Move::Drop),
            (Context::TokenHead, Shape::Char(c)) => {
                self.rest_is(Context::QuoteTail);
                blank(open, text);
                text.push('"');
                escape_char(text, c, '"');
                Ok(Move::Drop)
            }
            (Context::TokenTail, Shape::Cons) => {
                self.contexts.extend([Context::TokenTail, Context::Token]);
                Ok(Move::Fields)
            }
            (Context::Token | Context::TokenHead | Context::MainHead, Shape::Cons) => {
                self.contexts.extend([Context::TokenTail, Context::TokenHead]);
                Ok(Move::Fields)
            }
            (
                Context::Main
                | Context::MainHead
                | Context::Token
                | Context::TokenHead
                | Context::TokenTail,
                shape,
            ) => {
                blank(open, text);
                if shape == Shape::Nil {
                    text.push_str("Nil");
                    return Ok(Move::Drop);
                }
                Ok(self.inner(shape, text))
            }
            (Context::QuoteHead, Shape::Char(c)) => {
                escape_char(text, c, '"');
                Ok(Move::Drop)
            }
            (Context::QuoteTail, Shape::Cons) => {
                self.contexts.extend([Context::QuoteTail, Context::QuoteHead]);
                Ok(Move::Fields)
            }
            (Context::QuoteTail, Shape::Nil) => {
                text.push('"');
                Ok(Move::Drop)
            }
            (Context::RawHead | Context::QuoteHead, shape) => Err(not_text(shape)),
            (Context::RawTail | Context::QuoteTail, shape) => Err(no_end_of_text(shape)),
            (Context::ListHead, Shape::Char(c)) => {
                self.rest_is(Context::QuoteTail);
                text.push('"');
                escape_char(text, c, '"');
                Ok(Move::Drop)
            }
            (Context::ListHead, shape) => {
                text.push('[');
                Ok(self.inner(shape, text))
            }
            (Context::ListTail, Shape::Nil) => {
                text.push(']');
                Ok(Move::Drop)
            }
            (Context::ListTail, Shape::Cons) => {
                self.contexts.extend([Context::ListTail, Context::Field]);
                Ok(Move::Fields)
            }
            (Context::ListTail, shape) => {
                text.push_str(" | ");
                self.contexts.push(Context::Close("]"));
                Ok(self.inner(shape, text))
            }
            (Context::Element, shape) => Ok(self.inner(shape, text)),
            (Context::Field, shape) => {
                text.push(' ');
                Ok(self.inner(shape, text))
            }
            (Context::Close(_), _) => Ok(Move::Drop),
        }
    }

    /// Prints a value inside parentheses or brackets, or a token that is no list.
    fn inner(&mut self, shape: Shape<'_>, text: &mut String) -> Move {
        match shape {
            Shape::Int(value) => text.push_str(&value.to_string()),
            Shape::Digits(digits) => text.push_str(digits),
            Shape::Float(value) => text.push_str(&value.to_string()),
            Shape::Char(c) => text.push_str(&char_literal(c)),
            Shape::Nil => text.push_str("[]"),
            Shape::Cons => {
                self.contexts.extend([Context::ListTail, Context::ListHead]);
                return Move::Fields;
            }
            Shape::Bytes(bytes) => text.push_str(&byte_string(bytes)),
            Shape::Array { len } => {
                text.push_str("(arrayFromList [");
                self.contexts.push(Context::Close("])"));
                if len > 0 {
                    self.contexts.extend(std::iter::repeat_n(Context::Field, len - 1));
                    self.contexts.push(Context::Element);
                }
                return Move::Fields;
            }
            Shape::Con { name, fields: 0, .. } => text.push_str(name),
            Shape::Con { name, fields, .. } => {
                text.push('(');
                text.push_str(name);
                self.contexts.push(Context::Close(")"));
                self.contexts.extend(std::iter::repeat_n(Context::Field, fields));
                return Move::Fields;
            }
            Shape::Function { name: Some(name), .. } => {
                text.push_str("<function ");
                text.push_str(name);
                text.push('>');
            }
            Shape::Function { name: None, .. } => text.push_str("<function>"),
            Shape::Action { name } => {
                text.push('<');
                text.push_str(name);
                text.push('>');
            }
            Shape::Opaque { name } => {
                text.push_str("<host ");
                text.push_str(name);
                text.push('>');
            }
        }
        Move::Drop
    }

    /// Decides how the rest of the list prints whose first element is at hand.
    fn rest_is(&mut self, context: Context) {
        if let Some(rest) = self.contexts.last_mut() {
            *rest = context;
        }
    }
}

/// Writes the blank between two tokens.
fn blank(open: bool, text: &mut String) {
    if open {
        text.push(' ');
    }
}

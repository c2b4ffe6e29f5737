//! Printing of values: an automaton that every machine drives.
//!
//! The machine evaluates a value and passes its [`Shape`]; the [`Printer`] writes what can be
//! written by then, and returns as a [`Move`] of the machine's stack which values come next. What
//! is still to be written is on a stack of the printer's own, so depth costs no native stack. The
//! printer knows nothing of any heap.
//!
//! # The formats
//!
//! **Default**: for people, as the language reference describes under "What a run prints". It
//! says nothing of a text that ends in something else than `Nil`: that is the same error as an
//! element that is no character.
//!
//! **Sexpr**: one expression that reads back as the same value. A list is a STRING if all its
//! elements are characters, else a list literal; an improper one is written with `Cons`. So
//! a list is evaluated to its end before it is written. A function is written as its name, a
//! partial application as one; what has no name that the program could use has no such form.
//!
//! **Json**: integers are numbers with all their digits, floats numbers with a point or an
//! exponent, those that are no JSON numbers `{"float": "+inf.0"}`, lists arrays, a list of characters a
//! string, the empty list `[]`, a character a string of one character, any other value
//! `{"con": "Node", "fields": [..]}`, so too an improper list, and a function
//! `{"function": "name"}` or `{"function": null}`, a host value
//! `{"host": "name"}`, and an action or a cell `{"opaque": "action"}`. Without blanks, on one line.

mod default;
mod tree;

use crate::base::code::Code;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::quote::string_literal;
use crate::machine::outcome::{Output, OutputError};
use crate::primitive::advice::Given;

/// The format of a printed value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Tokens, or raw text.
    #[default]
    Default,
    /// An expression that reads back.
    Sexpr,
    /// JSON.
    Json,
}

/// The outermost constructor of an evaluated value, as far as the printer has to know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape<'a> {
    /// An integer.
    Int(&'a Integer),
    /// An integer, by its decimal digits: what takes long to compute is the machine's work.
    Digits(&'a str),
    /// A float.
    Float(Float),
    /// A character.
    Char(char),
    /// The empty list.
    Nil,
    /// A list cell: two fields.
    Cons,
    /// Any other constructor.
    Con {
        /// The name that it prints with.
        name: &'a str,
        /// Number of fields.
        fields: usize,
        /// The name by which the program means it, if there is one.
        readable: Option<&'a str>,
    },
    /// An array of so many elements, which are its fields.
    Array {
        /// Number of elements.
        len: usize,
    },
    /// A byte string.
    Bytes(&'a [u8]),
    /// A value of the embedding program.
    Opaque {
        /// The name of its type.
        name: &'a str,
    },
    /// An action, or a cell.
    Action {
        /// Which of the two.
        name: &'a str,
    },
    /// A function or partial application, whose fields are its arguments so far.
    Function {
        /// The name that it prints with.
        name: Option<&'a str>,
        /// The number of its arguments so far.
        arguments: usize,
        /// The name by which the program means it, if there is one.
        readable: Option<&'a str>,
    },
}

/// What the machine does with the value that it has passed, and has popped off its stack, before
/// it evaluates the top of the stack and passes that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// Nothing: the value is not needed any more.
    Drop,
    /// Push its fields, the first one on top.
    Fields,
    /// Push its fields, the last one on top.
    Backward,
    /// Put it back, below the top.
    Under,
    /// Put it back if `keep`, then reverse it and the `count` items below.
    Reverse {
        /// Whether the value is put back.
        keep: bool,
        /// How many items that were on the stack take part.
        count: usize,
    },
}

/// The reason why a value cannot be printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PrintError {
    /// The output has failed.
    Output(OutputError),
    /// The value has no form in this format: a program error with this code and message, and what
    /// was given.
    Value(Code, String, Given),
}

impl From<OutputError> for PrintError {
    fn from(error: OutputError) -> PrintError {
        PrintError::Output(error)
    }
}

/// The printer of one value.
#[derive(Clone, Debug)]
pub struct Printer {
    state: State,
    line: Line,
    /// An empty string with room.
    text: String,
}

#[derive(Clone, Debug)]
enum State {
    Default(default::Automaton),
    Tree(tree::Automaton),
}

/// The state of the output's last line.
#[derive(Clone, Debug, Default)]
struct Line {
    /// Whether the line is not empty.
    open: bool,
}

impl Line {
    fn write(&mut self, text: &str, out: &mut dyn Output) -> Result<(), OutputError> {
        let Some(last) = text.chars().next_back() else { return Ok(()) };
        out.write(text)?;
        self.open = last != '\n';
        Ok(())
    }

    fn write_bytes(&mut self, bytes: &[u8], out: &mut dyn Output) -> Result<(), OutputError> {
        let Some(&last) = bytes.last() else { return Ok(()) };
        out.write_bytes(bytes)?;
        self.open = last != b'\n';
        Ok(())
    }
}

impl Printer {
    /// Returns a printer that waits for the value.
    #[must_use]
    pub fn new(format: Format) -> Printer {
        let state = match format {
            Format::Default => State::Default(default::Automaton::new()),
            Format::Sexpr => State::Tree(tree::Automaton::new(tree::Style::Sexpr)),
            Format::Json => State::Tree(tree::Automaton::new(tree::Style::Json)),
        };
        Printer { state, line: Line::default(), text: String::new() }
    }

    /// Prints as much as the next evaluated value allows, and returns how the machine goes on,
    /// unless the printer [`is_done`](Printer::is_done).
    ///
    /// # Errors
    /// If the output fails, or the value has no form in this format.
    pub fn value(&mut self, shape: Shape<'_>, out: &mut dyn Output) -> Result<Move, PrintError> {
        match &mut self.state {
            State::Default(automaton) => automaton.value(shape, &mut self.line, out),
            State::Tree(automaton) => automaton.value(shape, &mut self.line, out),
        }
    }

    /// Returns an empty string if the next value is the rest of raw text, for as many of its
    /// characters as the machine may know at once. [`write_text`](Printer::write_text) writes them.
    #[must_use]
    pub fn take_text(&mut self) -> Option<String> {
        match &self.state {
            State::Default(automaton) if automaton.is_in_text() => {
                Some(std::mem::take(&mut self.text))
            }
            _ => None,
        }
    }

    /// Writes characters of raw text.
    ///
    /// # Errors
    /// If the output fails.
    pub fn write_text(
        &mut self,
        mut text: String,
        out: &mut dyn Output,
    ) -> Result<(), OutputError> {
        let written = self.line.write(&text, out);
        text.clear();
        self.text = text;
        written
    }

    /// Returns whether everything is printed but the end of the line.
    #[must_use]
    pub fn is_done(&self) -> bool {
        match &self.state {
            State::Default(automaton) => automaton.is_done(),
            State::Tree(automaton) => automaton.is_done(),
        }
    }

    /// Ends the line, unless it is empty.
    ///
    /// # Errors
    /// If the output fails.
    pub fn end_line(&mut self, out: &mut dyn Output) -> Result<(), OutputError> {
        if self.line.open { self.line.write("\n", out) } else { Ok(()) }
    }
}

/// Returns the call that makes a byte string, as an expression.
fn byte_string(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("(bytesFromText {})", string_literal(text)),
        Err(_) => {
            let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
            format!("(bytesFromList [{}])", bytes.join(" "))
        }
    }
}

/// Returns the error of an element of a text that is no character.
fn not_text(shape: Shape<'_>) -> PrintError {
    let (what, given) = kind(shape);
    let message = format!("a text has {what} where a character must be");
    PrintError::Value(Code::NotText, message, given)
}

/// Returns the error of a text that does not end in `Nil`.
fn no_end_of_text(shape: Shape<'_>) -> PrintError {
    let (what, given) = kind(shape);
    PrintError::Value(Code::NotText, format!("a text ends in {what}, which is no list"), given)
}

fn kind(shape: Shape<'_>) -> (&'static str, Given) {
    match shape {
        Shape::Int(_) | Shape::Digits(_) => ("an integer", Given::Integer),
        Shape::Float(_) => ("a float", Given::Float),
        Shape::Char(_) => ("a character", Given::Character),
        Shape::Nil | Shape::Cons => ("a list", Given::List),
        Shape::Con { .. } => ("a constructor", Given::Other),
        Shape::Array { .. } => ("an array", Given::Array),
        Shape::Bytes(_) => ("a byte string", Given::Bytes),
        Shape::Opaque { .. } => ("a host value", Given::Other),
        Shape::Action { .. } => ("an action", Given::Action),
        Shape::Function { .. } => ("a function", Given::Function),
    }
}

#[cfg(test)]
mod tests;

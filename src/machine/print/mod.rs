//! How a value prints: an automaton that every machine drives.
//!
//! The machine evaluates a value and hands its [`Shape`] over; the [`Printer`] writes what is
//! known by then and answers which values come next, as a [`Move`] of the machine's stack.
//! What is still to be written is on a stack of its own, so depth costs no native stack. It
//! knows nothing of any heap.
//!
//! # The formats
//!
//! **Default**: what a person reads, as the language reference says under "What a run
//! prints". Where that says nothing: a text that ends in something else than `Nil` is the
//! same error as one with an element that is no character.
//!
//! **Sexpr**: one expression that reads back as the same value. A list is a STRING if all its
//! elements are characters, else a list literal; an improper one is written with `Cons`. So
//! a list is evaluated to its end before it is written. A function is written as its name, a
//! partial application as one; what has no name that the program could use has no such form.
//!
//! **Json**: integers are numbers with all their digits, lists arrays, a list of characters a
//! string, the empty list `[]`, a character a string of one character, any other value
//! `{"con": "Node", "fields": [..]}`, so too an improper list, and a function
//! `{"function": "name"}` or `{"function": null}`. Without blanks, on one line.

mod default;
mod tree;

use crate::base::code::Code;
use crate::base::integer::Integer;
use crate::machine::outcome::{Output, OutputError};

/// How a value is written.
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

/// What the automaton wants to know of an evaluated value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape<'a> {
    /// An integer.
    Int(&'a Integer),
    /// An integer, by its decimal digits: what takes long to compute is the machine's work.
    Digits(&'a str),
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
        /// Whether the program can use that name for it.
        readable: bool,
    },
    /// A function. Its fields are the arguments that it has been given.
    Function {
        /// The name that it prints with.
        name: Option<&'a str>,
        /// How many arguments it has been given; fewer than it takes.
        arguments: usize,
        /// Whether the program can use that name for it.
        readable: bool,
    },
}

/// What the machine does with the value that it handed over, before it evaluates the top of
/// its stack and hands that over. The value itself is off the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// Nothing.
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

/// Why a value cannot be printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The output takes no more.
    Output(OutputError),
    /// The value has no such form: a program error with this code and message.
    Value(Code, String),
}

impl From<OutputError> for Trouble {
    fn from(error: OutputError) -> Trouble {
        Trouble::Output(error)
    }
}

/// The automaton.
#[derive(Debug)]
pub struct Printer {
    state: State,
    line: Line,
}

#[derive(Debug)]
enum State {
    Default(default::Automaton),
    Tree(tree::Automaton),
}

/// Where the output stands.
#[derive(Debug, Default)]
struct Line {
    /// Whether something stands on the present line.
    open: bool,
}

impl Line {
    fn write(&mut self, text: &str, out: &mut dyn Output) -> Result<(), OutputError> {
        let Some(last) = text.chars().next_back() else { return Ok(()) };
        out.write(text)?;
        self.open = last != '\n';
        Ok(())
    }
}

impl Printer {
    /// An automaton that waits for the value to be printed.
    #[must_use]
    pub fn new(format: Format) -> Printer {
        let state = match format {
            Format::Default => State::Default(default::Automaton::new()),
            Format::Sexpr => State::Tree(tree::Automaton::new(tree::Style::Sexpr)),
            Format::Json => State::Tree(tree::Automaton::new(tree::Style::Json)),
        };
        Printer { state, line: Line::default() }
    }

    /// Takes the next value, which is evaluated, and tells how the machine goes on; nothing
    /// is left to do once [`is_done`](Printer::is_done).
    ///
    /// # Errors
    /// When the output takes no more, or the value has no form in this format.
    pub fn value(&mut self, shape: Shape<'_>, out: &mut dyn Output) -> Result<Move, Trouble> {
        match &mut self.state {
            State::Default(automaton) => automaton.value(shape, &mut self.line, out),
            State::Tree(automaton) => automaton.value(shape, &mut self.line, out),
        }
    }

    /// Whether all is printed, but for the end of the line.
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
    /// When the output takes no more.
    pub fn end_line(&mut self, out: &mut dyn Output) -> Result<(), OutputError> {
        if self.line.open { self.line.write("\n", out) } else { Ok(()) }
    }
}

/// What is no character in a text.
fn not_text(shape: Shape<'_>) -> Trouble {
    let what = kind(shape);
    Trouble::Value(Code::NotText, format!("a text has {what} where a character must be"))
}

/// What is no rest of a text.
fn no_end_of_text(shape: Shape<'_>) -> Trouble {
    let what = kind(shape);
    Trouble::Value(Code::NotText, format!("a text ends in {what}, which is no list"))
}

fn kind(shape: Shape<'_>) -> &'static str {
    match shape {
        Shape::Int(_) | Shape::Digits(_) => "an integer",
        Shape::Char(_) => "a character",
        Shape::Nil | Shape::Cons => "a list",
        Shape::Con { .. } => "a constructor",
        Shape::Function { .. } => "a function",
    }
}

#[cfg(test)]
mod tests;

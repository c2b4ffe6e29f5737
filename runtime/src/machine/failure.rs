//! What failures say: the same words on every machine, for the same reasons. Which failure it
//! is, of what values and where, each machine finds out by itself.

use super::host::HOST_DEPTH;
use crate::base::code::Code;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::quote::{char_for_message, counted, for_message, short_text};
use crate::base::span::Span;
use crate::gcode::effect::{self, ActionKind};
use crate::gcode::program::{Con, LIST};
use crate::machine::outcome::{Chain, Refused, RunError, Stop};
use crate::machine::system::SystemError;
pub(in crate::machine) use crate::primitive::advice::place;
use crate::primitive::advice::{Given, NO_ACTION_BUT_LIST, THEN};
use crate::primitive::{Operand, Primitive};

/// The most bytes of an integer that is shown in a message.
const SHOWN_BYTES: usize = 64;

/// The most bytes of a path that are shown: of a longer one the last.
const SHOWN_PATH: usize = 200;

/// The most elements of a mutable array that a program can make.
pub(in crate::machine) const MAX_ARRAY: usize = 16_000_000;

/// A failure of the program, but for its place.
#[derive(Clone, Debug)]
pub(in crate::machine) struct Failure {
    code: Code,
    message: String,
    label: &'static str,
    help: Option<String>,
    refused: Option<Refused>,
}

impl Failure {
    fn new(code: Code, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), label: "", help: None, refused: None }
    }

    fn labelled(self, label: &'static str) -> Failure {
        Failure { label, ..self }
    }

    fn helped(self, help: Option<impl Into<String>>) -> Failure {
        Failure { help: help.map(Into::into), ..self }
    }

    /// Returns the stop that the failure is, at a source expression for which `chain` waits.
    pub fn at(self, span: Span, chain: Chain) -> Stop {
        let Failure { code, message, label, help, refused } = self;
        let (label, place, thrown) = (label.to_owned(), None, None);
        Stop::Error(Box::new(RunError {
            code,
            message,
            span,
            place,
            label,
            chain,
            help,
            refused,
            thrown,
        }))
    }

    /// Returns its message.
    pub fn message(self) -> String {
        self.message
    }

    pub fn missing_main() -> Failure {
        Failure::new(Code::MissingMain, "the program has no `main`")
    }

    pub fn main_parameters() -> Failure {
        Failure::new(Code::MainParameters, "`main` takes two or more arguments")
    }

    /// Returns the failure of a call of `error` with this text.
    fn error_called(text: &str) -> Failure {
        let message = match text {
            "" => "the program called error with an empty message".to_owned(),
            text => format!("the program called error: {text}"),
        };
        Failure::new(Code::ErrorCalled, message)
    }

    /// Returns the failure of `error`, or of an action that writes a text, whose text has something
    /// else in it.
    pub fn no_text(name: &str, found: &Found) -> Failure {
        let message = match name {
            "error" => format!("`error` needs a text, and its message has {found} in it"),
            name => format!("`{name}` needs a text, and this one has {found} in it"),
        };
        Failure::new(Code::WrongKind, message).helped(found.kind.as_text())
    }

    /// Returns the failure of performing what is no action.
    pub fn no_action(found: &Found) -> Failure {
        let help = match found.kind {
            Given::Function => {
                Some(found.still_takes().unwrap_or_else(|| "it still takes arguments".to_owned()))
            }
            Given::List => Some(NO_ACTION_BUT_LIST.to_owned()),
            _ => Some("the action whose value is x is `(return x)`".to_owned()),
        };
        Failure::new(Code::WrongKind, format!("an action is needed here, and this is {found}"))
            .helped(help)
    }

    /// Returns the failure of a program that throws a value.
    pub fn thrown(found: &str) -> Failure {
        Failure::new(Code::Uncaught, format!("the program threw {found}, and nothing caught it"))
    }

    /// Returns the failure of throwing an exception again that was never caught.
    pub fn no_exception(found: &str) -> Failure {
        let message = format!("`throwAgain` needs what a handler was given, and has {found}");
        Failure::new(Code::WrongKind, message)
    }

    /// Returns the failure of an effect of input or output in a state thread.
    pub fn outside(name: &str) -> Failure {
        Failure::new(Code::ForeignEffect, format!("`{name}` is no action of a state thread"))
            .labelled("a state thread has cells and arrays, and no input or output")
    }

    /// Returns the failure of an effect that lets another thread run, in an expression that
    /// performs an action.
    pub fn no_turns(name: &str) -> Failure {
        let message =
            format!("`{name}` would let another thread run, and an expression cannot wait for it");
        Failure::new(Code::ForeignEffect, message)
            .labelled("what `unsafePerform` performs has no other threads beside it")
    }

    /// Returns the failure of an effect that needs a cell and is given something else.
    pub fn no_cell(name: &str, found: &str) -> Failure {
        Failure::new(Code::WrongKind, format!("`{name}` needs a cell, and is given {found}"))
    }

    /// Returns the failure of an effect on a cell of another thread.
    pub fn foreign_cell(name: &str) -> Failure {
        let message = format!("`{name}` is given a cell that another thread has made");
        Failure::new(Code::ForeignEffect, message)
            .labelled("the cells of a state thread are its own")
    }

    /// Returns the failure of an effect that needs a mutable array and is given something else.
    pub fn no_mutable_array(name: &str, found: &str) -> Failure {
        let message = format!("`{name}` needs a mutable array, and is given {found}");
        Failure::new(Code::WrongKind, message)
    }

    /// Returns the failure of an effect on an array of another thread.
    pub fn foreign_array(name: &str) -> Failure {
        let message = format!("`{name}` is given an array that another thread has made");
        Failure::new(Code::ForeignEffect, message)
            .labelled("the arrays of a state thread are its own")
    }

    /// Returns the failure of making an array of a number of elements that no array has.
    pub fn no_size(name: &str, found: &str) -> Failure {
        let message =
            format!("`{name}` makes an array of 0 to {MAX_ARRAY} elements, and is given {found}");
        Failure::new(Code::WrongKind, message)
    }

    /// Returns the failure of copying elements that an array does not have.
    pub fn no_part_of_array(name: &str, at: &str, count: &str, len: usize) -> Failure {
        let of = array(len);
        let message = format!("`{name}` is given {count} elements from index {at} on, of {of}");
        Failure::new(Code::NoElement, message).labelled("the array does not have these elements")
    }

    /// Returns the failure of reading the input where it is read as a list already.
    pub fn input_taken(name: &str) -> Failure {
        let message = format!("`{name}` reads the input, which is read as a list already");
        Failure::new(Code::InputTaken, message)
    }

    /// Returns the failure of an effect that the system refuses or fails at; `subject` is the path
    /// or name that it was asked for.
    pub fn of_system(name: &str, subject: Option<&[u8]>, error: &SystemError) -> Failure {
        let of = subject.map(shown_bytes).unwrap_or_default();
        match error {
            SystemError::NotGranted(by) => {
                let by = by.as_ref().map(|by| format!(" ({by})")).unwrap_or_default();
                Failure::new(Code::NotGranted, format!("`{name}`{of} is not granted{by}"))
                    .labelled("the program may not do this")
            }
            SystemError::Missing => {
                Failure::new(Code::NoFile, format!("`{name}`{of}: there is no such file"))
            }
            SystemError::Failed(why) => {
                Failure::new(Code::SystemFailed, format!("`{name}`{of}: {}", for_message(why)))
            }
            SystemError::Stopped => {
                Failure::new(Code::SystemFailed, format!("`{name}`{of} stopped"))
            }
        }
    }

    /// Returns the failure of an effect that needs an `MVar` and is given something else.
    pub fn no_var(name: &str, found: &str) -> Failure {
        Failure::new(Code::WrongKind, format!("`{name}` needs an MVar, and is given {found}"))
    }

    /// Returns the failure of an effect that needs a thread and is given something else.
    pub fn no_thread(name: &str, found: &str) -> Failure {
        Failure::new(Code::WrongKind, format!("`{name}` needs a thread, and is given {found}"))
    }

    /// Returns the failure of a thread that does not catch what another thread throws to it.
    pub fn thrown_to(found: &str) -> Failure {
        let message = format!("{found} was thrown to the thread, and nothing caught it");
        Failure::new(Code::ThrownTo, message)
    }

    /// Returns the failure of a program in which `main` waits, and so do so many other threads:
    /// none can run.
    pub fn blocked(others: usize) -> Failure {
        let others = match others {
            0 => "there is no other thread".to_owned(),
            _ => format!("so do all others: {}", counted(others, "thread")),
        };
        Failure::new(Code::Blocked, format!("`main` waits for an MVar for ever, and {others}"))
    }

    /// Returns the failure of an exit with what is no exit status.
    pub fn no_status(found: &str) -> Failure {
        let message = format!("an exit status is an integer from 0 to 255, and this is {found}");
        Failure::new(Code::WrongKind, message)
    }

    /// Returns the failure of a primitive that needs a list and is given none, or one that does not
    /// end in a list.
    pub fn no_list(primitive: Option<&str>, found: &Found) -> Failure {
        match primitive.unwrap_or("error") {
            name @ ("error" | "putText" | "putError") => Failure::no_text(name, found),
            name => {
                let message =
                    format!("`{name}` needs a list, and is given {found}, or a list that ends so");
                Failure::new(Code::WrongKind, message)
            }
        }
    }

    /// Returns the failure of an operand of the wrong kind: `which` is the word for its place.
    pub fn wrong_operand(instruction: &str, needs: &str, which: &str, found: &Found) -> Failure {
        let name = primitive(instruction);
        let message = format!("`{name}` needs {needs}, and its {which} operand is {found}");
        let failure = Failure::new(Code::WrongKind, message);
        let Some(primitive) = Primitive::find(name) else { return failure };
        let at = (0..primitive.arity()).find(|&at| place(at, primitive.arity()) == which);
        let refused = Some(Refused { primitive, given: found.kind });
        let help = primitive.instead(at.unwrap_or(0), found.kind);
        let failure = failure.helped(help.or_else(|| found.still_takes()));
        Failure { refused, ..failure }
    }

    pub fn incomparable(instruction: &str, a: &Found, b: &Found) -> Failure {
        let name = primitive(instruction);
        let message =
            format!("`{name}` compares two integers or two characters, and was given {a} and {b}");
        let failure = Failure::new(Code::WrongKind, message);
        let Some(primitive) = Primitive::find(name) else { return failure };
        let is_wrong = |found: &&Found| !matches!(found.kind, Given::Integer | Given::Character);
        let Some(wrong) = [a, b].into_iter().find(is_wrong) else { return failure };
        let refused = (a.kind == b.kind).then_some(Refused { primitive, given: wrong.kind });
        // What is told is how two values of one kind are compared.
        let help = (a.kind == b.kind).then(|| primitive.instead(0, wrong.kind)).flatten();
        let help = help.or_else(|| wrong.still_takes());
        Failure { refused, ..failure.helped(help) }
    }

    pub fn division_by_zero(instruction: &str) -> Failure {
        let message = format!("`{}` by zero", primitive(instruction));
        Failure::new(Code::DivisionByZero, message).labelled("the divisor is 0")
    }

    pub fn no_integer(primitive: &str, found: &str) -> Failure {
        Failure::new(Code::NoInteger, format!("`{primitive}` is given {found}, which has none"))
            .labelled("only finite floats have integers and digits")
    }

    pub fn negative_operand(primitive: &str, found: &str) -> Failure {
        let message = match primitive {
            "popcount" => format!("in {found} infinitely many bits are 1"),
            _ => format!("`{primitive}` cannot shift by {found}"),
        };
        Failure::new(Code::NegativeOperand, message)
    }

    /// Returns the failure of an index that is not one of `len` elements or bytes.
    pub fn no_element(primitive: &str, found: &str, len: usize) -> Failure {
        let message = match len {
            0 => format!("`{primitive}` is given {found}, and there is nothing to index"),
            _ => format!("`{primitive}` is given {found}, and the indices are 0 to {}", len - 1),
        };
        Failure::new(Code::NoElement, message).labelled("no element has this index")
    }

    /// Returns the failure of a primitive on bytes of which it can make nothing.
    pub fn not_encoded(primitive: &str) -> Failure {
        let message = match primitive {
            "bytesChar" => "no character in UTF-8 begins at this byte",
            _ => "these bytes are no decimal number",
        };
        Failure::new(Code::NotEncoded, message)
    }

    /// Returns the failure of an element of a list that a byte string cannot be made of.
    pub fn no_part(primitive: &str, found: &str) -> Failure {
        let needs = match primitive {
            "bytesFromText" => "characters",
            "bytesFromList" => "integers from 0 to 255",
            _ => "byte strings",
        };
        let message = format!("`{primitive}` needs a list of {needs}, and in it is {found}");
        Failure::new(Code::WrongKind, message)
    }

    pub fn no_character(found: &str) -> Failure {
        let message = format!("{found} is the code point of no character");
        Failure::new(Code::ChrOutOfRange, message)
    }

    pub fn no_condition(found: &str) -> Failure {
        let message = format!("a condition must be 1 or 0, and is {found}");
        Failure::new(Code::NotBoolean, message)
    }

    pub fn wrong_scrutinee(expected: &str, found: &str) -> Failure {
        let message = format!("a case expects {expected}, and was given {found}");
        Failure::new(Code::WrongScrutinee, message)
    }

    /// Returns the failure of a case that no alternative matches; `found` is the value in a few
    /// words, if it is known.
    pub fn no_alternative(found: Option<&str>) -> Failure {
        let message = match found {
            Some(found) => format!("no alternative matches `{found}`"),
            None => "no alternative matches".to_owned(),
        };
        Failure::new(Code::NoAlternative, message)
            .labelled("this case has no alternative for the value")
    }

    /// Returns the failure of applying a value that is no function to `given` arguments, by the
    /// code of the performer that `symbol` names; `None` if that applies nothing.
    pub fn applied_by_performer(symbol: &str, found: &Found, given: usize) -> Option<Failure> {
        let operand = effect::applied_operand(symbol, given)?;
        let message = format!("{operand} must be a function, and is {found}");
        let (code, help) = match found.kind {
            Given::Action => (Code::OverappliedConstructor, Some(THEN)),
            _ => (Code::AppliedNonFunction, None),
        };
        Some(Failure::new(code, message).helped(help))
    }

    /// Returns the failure of a constructor that `has` so many fields and is given more. `found` is
    /// the value.
    pub fn overapplied(con: Option<&Con>, found: &Found, has: usize, given: usize) -> Failure {
        let message = match con {
            _ if found.kind == Given::Action => {
                let more = counted(given.saturating_sub(has), "argument");
                format!("an action is applied to {more}, and is no function")
            }
            Some(con) if con.data == LIST && has > 0 => {
                let more = counted(given.saturating_sub(has), "argument");
                format!("a list is applied to {more}, and is no function")
            }
            con => {
                let name = con.map_or("?".into(), |con| for_message(&con.name));
                format!("`{name}` has {}, and is given {given}", counted(has, "field"))
            }
        };
        Failure::new(Code::OverappliedConstructor, message)
    }

    pub fn no_function(found: &str) -> Failure {
        let message = format!("{found} is applied to an argument, and is no function");
        Failure::new(Code::AppliedNonFunction, message)
    }

    /// Returns the failure of a value that depends on itself; `caf` is the name of its constant, if
    /// it is one.
    pub fn self_dependent(caf: Option<&str>) -> Failure {
        let message = match caf {
            Some(caf) => format!("the value of `{caf}` depends on itself"),
            None => "a value depends on itself".to_owned(),
        };
        Failure::new(Code::SelfDependent, message)
            .labelled("its own value is needed here to compute it")
    }

    /// Returns the failure of printing what has no printed form.
    pub fn unprintable(code: Code, message: String, given: Given) -> Failure {
        let help = given.as_text().unwrap_or("a text is a list of characters");
        let help = (code == Code::NotText).then_some(help);
        Failure::new(code, message).labelled("this is printed").helped(help)
    }

    pub fn host_missing(name: &str) -> Failure {
        let message = format!("the host function `{}` is not there", for_message(name));
        Failure::new(Code::HostFailed, message)
    }

    pub fn host_failed(name: &str, why: &str) -> Failure {
        let message =
            format!("the host function `{}` failed: {}", for_message(name), for_message(why));
        Failure::new(Code::HostFailed, message)
    }

    pub fn host_depth() -> Failure {
        let message = format!("more than {HOST_DEPTH} host functions wait for each other");
        Failure::new(Code::HostDepth, message)
    }
}

/// The text that a program calls `error` with, as far as it is evaluated.
pub(in crate::machine) struct Message {
    text: String,
    /// How many characters more are shown: all that the code of `error` evaluates, and one.
    left: usize,
}

impl Message {
    pub fn new() -> Message {
        Message { text: String::new(), left: 10_001 }
    }

    /// Appends a character; `false` if there is no room for it.
    #[must_use]
    pub fn push(&mut self, c: char) -> bool {
        let room = self.left > 0;
        if room {
            self.left -= 1;
            self.text.push_str(&for_message(c.encode_utf8(&mut [0; 4])));
        }
        room
    }

    /// Returns the text, at its end.
    pub fn ended(self) -> Shown {
        Shown(self.text)
    }

    /// Returns the text, where it goes on and is not shown.
    pub fn cut(mut self) -> Shown {
        self.text.push('…');
        self.ended()
    }
}

/// How messages show lists that are no texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Lists {
    /// As the cells that patterns take apart.
    Cells,
    /// As their elements.
    Elements,
}

/// A text, as far as it is evaluated.
pub(in crate::machine) struct Shown(String);

impl Shown {
    /// Returns the failure of a program that calls `error` with it.
    pub fn error(self) -> Failure {
        Failure::error_called(&self.0)
    }

    /// Returns it as a literal, cut to a few words.
    pub fn quoted(self) -> String {
        short_text(&self.0)
    }
}

/// Why a host function failed that returned a value of another store.
pub(in crate::machine) const FOREIGN: &str = "it returned a value of another store";

/// A value in a few words, and its kind.
pub(in crate::machine) struct Found {
    words: String,
    kind: Given,
    /// The name of a function, fit for a message, and how many more arguments it takes.
    waits: Option<(String, usize)>,
}

impl Found {
    fn new(words: impl Into<String>, kind: Given) -> Found {
        Found { words: words.into(), kind, waits: None }
    }

    /// Returns what to say of a function where something else is needed.
    fn still_takes(&self) -> Option<String> {
        let (name, more) = self.waits.as_ref()?;
        Some(format!("`{name}` still takes {}", counted(*more, "argument")))
    }
}

impl std::ops::Deref for Found {
    type Target = str;

    fn deref(&self) -> &str {
        &self.words
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)
    }
}

/// Describes a node that is no value.
pub(in crate::machine) fn unevaluated() -> Found {
    Found::new("an expression that is not evaluated", Given::Other)
}

/// Describes an integer in a few words.
pub(in crate::machine) fn integer(value: &Integer) -> Found {
    let words = match value.heap_bytes() <= SHOWN_BYTES {
        true => format!("the integer {value}"),
        false => "a large integer".to_owned(),
    };
    Found::new(words, Given::Integer)
}

/// Describes a float in a few words.
pub(in crate::machine) fn float(value: Float) -> Found {
    Found::new(format!("the float {value}"), Given::Float)
}

/// Returns what an operand of a primitive, counted from 0, must be, with an article.
pub(in crate::machine) fn needs(primitive: Primitive, at: usize) -> &'static str {
    match primitive.operand_at(at) {
        Operand::Array => "an array",
        Operand::Bytes => "a byte string",
        Operand::List => "a list",
        Operand::Float => "a float",
        Operand::Character => "a character",
        Operand::Integer | Operand::Comparable | Operand::Any => "an integer",
    }
}

/// Describes an array in a few words.
pub(in crate::machine) fn array(len: usize) -> Found {
    Found::new(format!("an array of {}", counted(len, "element")), Given::Array)
}

/// Describes a byte string in a few words.
pub(in crate::machine) fn bytes(len: usize) -> Found {
    Found::new(format!("a byte string of {}", counted(len, "byte")), Given::Bytes)
}

/// Returns a path or a name as a message has it, after ` of `: the end of a long one.
fn shown_bytes(bytes: &[u8]) -> String {
    let from = bytes.len().saturating_sub(SHOWN_PATH);
    let text = String::from_utf8_lossy(bytes.get(from..).unwrap_or_default());
    format!(" of `{}{}`", if from > 0 { "…" } else { "" }, for_message(&text))
}

/// Describes a character in a few words.
pub(in crate::machine) fn character(c: char) -> Found {
    Found::new(format!("the character {}", char_for_message(c)), Given::Character)
}

/// Describes a constructed value in a few words; `action` is its kind if it is of the data type of
/// actions.
pub(in crate::machine) fn constructed(con: &Con, action: Option<ActionKind>) -> Found {
    if let Some(action) = action {
        let kind = if action.is_action() { Given::Action } else { Given::Other };
        return Found::new(action.noun(), kind);
    }
    match con.arity {
        0 if con.data == LIST => Found::new("the empty list", Given::List),
        _ if con.data == LIST => Found::new("a list", Given::List),
        arity => {
            let kind = match (&*con.name, arity) {
                ("Nothing", 0) | ("Just", 1) => Given::Maybe,
                _ => Given::Other,
            };
            let article = if arity == 0 { "" } else { "a " };
            Found::new(format!("{article}`{}`", for_message(&con.name)), kind)
        }
    }
}

/// Describes a value of the embedding program in a few words.
pub(in crate::machine) fn opaque(name: &str) -> Found {
    Found::new(format!("the host value `{}`", for_message(name)), Given::Other)
}

/// Describes a function that has so many arguments, in a few words; its name is fit for a message.
/// `arity` is its number of parameters, if the name is its own and not that of the definition that
/// it is in.
pub(in crate::machine) fn function(name: &str, arguments: usize, arity: Option<usize>) -> Found {
    let Some(arity) = arity else {
        return Found::new(format!("a function in `{name}`"), Given::Function);
    };
    let words = match arguments {
        0 => format!("the function `{name}`"),
        _ => format!("a partial application of `{name}`"),
    };
    let waits = arity.checked_sub(arguments).filter(|more| *more > 0);
    Found { waits: waits.map(|more| (name.to_owned(), more)), ..Found::new(words, Given::Function) }
}

/// Returns what a program calls the primitive of an instruction of this name.
fn primitive(instruction: &str) -> &str {
    match instruction {
        "Add" => "add",
        "Sub" => "sub",
        "Mul" => "mul",
        "Div" => "div",
        "Rem" => "rem",
        "FloorDiv" => "floordiv",
        "Mod" => "mod",
        "Neg" => "negate",
        "Eq" => "eq",
        "Ne" => "neq",
        "Lt" => "lt",
        "Le" => "le",
        "Gt" => "gt",
        "Ge" => "ge",
        "Ord" => "ord",
        "Chr" => "chr",
        other => other,
    }
}

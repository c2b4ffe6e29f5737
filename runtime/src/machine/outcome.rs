//! How an evaluation stops and what it counted, for every machine.

use std::sync::Arc;

use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::machine::handles::Handle;
use crate::primitive::Primitive;
use crate::primitive::advice::Given;

/// Why an evaluation stopped without a value. Whatever the reason, the thunks that were
/// under evaluation are left evaluable: forced again they go on from where they stopped
/// (and fail again, if the program failed).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program failed.
    Error(Box<RunError>),
    /// A limit was reached.
    Limit(Box<LimitReached>),
    /// Someone asked for it.
    Interrupted(Box<Interruption>),
    /// Standard input could not be read, or is not text.
    Input(InputError),
    /// The output took no more.
    Output(OutputError),
    /// The program ended itself, by the action `exit` with this status.
    Exit(u8),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Error(error) => error.fmt(f),
            Stop::Limit(reached) => reached.fmt(f),
            Stop::Interrupted(at) => {
                if let Some(place) = &at.place {
                    write!(f, "{place}: ")?;
                }
                f.write_str("interrupted")
            }
            Stop::Input(error) => f.write_str(&error.message),
            Stop::Output(error) => f.write_str(&error.message),
            Stop::Exit(status) => write!(f, "the program ended with exit status {status}"),
        }
    }
}

impl std::error::Error for Stop {}

impl Stop {
    /// Resolves the span of where it stopped, so that its text says file, line and column.
    #[doc(hidden)]
    pub fn locate(&mut self, sources: &SourceMap) {
        let (span, place) = match self {
            Stop::Error(error) => (error.span, &mut error.place),
            Stop::Limit(reached) => (reached.span, &mut reached.place),
            Stop::Interrupted(at) => (at.span, &mut at.place),
            Stop::Input(_) | Stop::Output(_) | Stop::Exit(_) => return,
        };
        if place.is_none() {
            *place = sources.place(span).map(|place| Location {
                file: place.file.into(),
                line: place.line,
                column: place.column,
            });
        }
    }
}

/// A place in a source text, as people count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The file, as messages call it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl std::fmt::Display for RunError {
    /// Writes `file:line:column: error[G0502]: message`; without a place `G0502: message`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: error[{}]: {}", self.code, self.message),
            None => write!(f, "{}: {}", self.code, self.message),
        }
    }
}

impl std::fmt::Display for LimitReached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        self.limit.fmt(f)
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::Heap(bytes) => write!(f, "the memory limit of {bytes} bytes is reached"),
            Limit::System(bytes) => {
                write!(f, "the system has no more memory beside {bytes} bytes in use")
            }
            Limit::Fuel(fuel) => write!(f, "the limit of {fuel} steps is reached"),
            Limit::Time(time) => write!(f, "the time limit of {time:?} is reached"),
        }
    }
}

/// A failure of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunError {
    /// Which kind; `G05..` or `G08..`.
    pub code: Code,
    /// One sentence, no full stop.
    pub message: String,
    /// The source expression that failed; [`Span::NONE`] if it has none.
    pub span: Span,
    /// Where that expression begins, once a `Store` has looked it up.
    pub place: Option<Location>,
    /// A few words for that place; may be empty.
    pub label: String,
    /// What waited for the failing expression, innermost first.
    pub chain: Chain,
    /// What to do, if that is known.
    pub help: Option<String>,
    /// The primitive that was given an operand of the wrong kind, if one was.
    #[doc(hidden)]
    pub refused: Option<Refused>,
    /// The value that was thrown, if one was.
    #[doc(hidden)]
    pub thrown: Option<Thrown>,
}

/// What a primitive was given that it does not take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The primitive.
    pub primitive: Primitive,
    /// The kind of the operand.
    pub given: Given,
}

/// A handle on a value that was thrown.
#[derive(Clone, Debug)]
pub struct Thrown(pub(crate) Handle);

impl RunError {
    /// Returns whether it is a value that was thrown.
    pub(in crate::machine) fn was_thrown(&self) -> bool {
        matches!(self.code, Code::Uncaught | Code::ThrownTo)
    }
}

/// Whatever was thrown: two failures are equal if they say the same.
impl PartialEq for Thrown {
    fn eq(&self, _: &Thrown) -> bool {
        true
    }
}

impl Eq for Thrown {}

/// The evaluations that waited, innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Chain {
    /// The innermost of them, at most [`Chain::SHOWN`].
    pub frames: Vec<Waiting>,
    /// How many more there were.
    pub more: usize,
    /// If neither the place that failed nor one of `frames` is outside of the corelib: the
    /// innermost evaluation whose place is, or else the definition that was asked for.
    pub outer: Option<Waiting>,
}

impl Chain {
    /// How many evaluations a chain names.
    pub const SHOWN: usize = 10;
}

/// An evaluation that waits for another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The function or CAF whose code waits.
    pub name: Arc<str>,
    /// The source expression that it waits for.
    pub span: Span,
    /// How many evaluations wait so, one for the other.
    pub times: usize,
    /// Whether its code has gone on by a tail call, so that nothing of it waits but its value. How many
    /// of these are known differs among machines; at most one is named.
    pub is_tail: bool,
}

impl Waiting {
    /// Makes an evaluation that waits, one of its kind.
    #[doc(hidden)]
    #[must_use]
    pub fn new(name: Arc<str>, span: Span) -> Waiting {
        Waiting { name, span, times: 1, is_tail: false }
    }
}

/// What was under evaluation when someone asked for a stop; nothing, if it is not known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interruption {
    /// The source expression under evaluation.
    pub span: Span,
    /// Where that expression begins, once a `Store` has looked it up.
    pub place: Option<Location>,
    /// What waited for it.
    pub chain: Chain,
}

impl Interruption {
    /// Returns the report of it.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(Code::Interrupted, self.span, "interrupted").label("under evaluation")
    }
}

/// A limit that was reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LimitReached {
    /// Which.
    pub limit: Limit,
    /// The source expression under evaluation.
    pub span: Span,
    /// Where that expression begins, once a `Store` has looked it up.
    pub place: Option<Location>,
    /// What waited for it.
    pub chain: Chain,
}

/// Which limit, and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Bytes of heap, stack and big integers.
    Heap(u64),
    /// The system refused memory below that limit. The bytes that the machine had.
    System(u64),
    /// Steps: instructions of the reference machine, reductions and printed values of the
    /// fast one.
    Fuel(u64),
    /// Time: a deadline that has passed.
    Time(std::time::Duration),
}

/// Standard input failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputError {
    /// [`Code::InputNotUtf8`] or [`Code::InputFailed`].
    pub code: Code,
    /// One sentence, no full stop.
    pub message: String,
}

/// The output took no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputError {
    /// What the system calls it; a closed pipe is
    /// [`BrokenPipe`](std::io::ErrorKind::BrokenPipe).
    pub kind: std::io::ErrorKind,
    /// One sentence, no full stop.
    pub message: String,
}

impl Stop {
    /// Returns the report of it; `None` for an exit, which is no mistake.
    #[must_use]
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        Some(match self {
            Stop::Error(error) => error.diagnostic(),
            Stop::Limit(reached) => reached.diagnostic(),
            Stop::Interrupted(at) => at.diagnostic(),
            Stop::Exit(_) => return None,
            Stop::Input(error) => Diagnostic::error(error.code, Span::NONE, &error.message),
            Stop::Output(error) => {
                Diagnostic::error(Code::OutputFailed, Span::NONE, &error.message)
            }
        })
    }

    /// Returns what waited for the expression at which it stopped, if it stopped at one.
    #[must_use]
    pub fn chain(&self) -> Option<&Chain> {
        match self {
            Stop::Error(error) => Some(&error.chain),
            Stop::Limit(reached) => Some(&reached.chain),
            Stop::Interrupted(at) => Some(&at.chain),
            Stop::Input(_) | Stop::Output(_) | Stop::Exit(_) => None,
        }
    }
}

impl LimitReached {
    /// Returns the report of this limit.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let code = match self.limit {
            Limit::Heap(_) | Limit::System(_) => Code::HeapLimit,
            Limit::Fuel(_) => Code::FuelLimit,
            Limit::Time(_) => Code::TimeLimit,
        };
        let message = self.limit.to_string();
        Diagnostic::error(code, self.span, message).label("under evaluation")
    }
}

impl RunError {
    /// Returns the report of this failure.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let mut report = Diagnostic::error(self.code, self.span, &self.message).label(&self.label);
        report.help.clone_from(&self.help);
        report
    }
}

/// Where a program's `input` comes from: characters, one by one, as they are demanded.
pub trait Input: Send {
    /// Returns the next character; `None` at the end.
    ///
    /// # Errors
    /// When the source fails or is no text. The error is returned again if it is asked again.
    fn next(&mut self) -> Result<Option<char>, InputError>;

    /// Returns whether the next character, or the end, is known without waiting for anybody. If
    /// not, what the program has written so far is handed to the output before it is asked for.
    fn is_ready(&self) -> bool {
        false
    }

    /// Takes characters that come next and are known without waiting for anybody, as many as there is
    /// room for or fewer, and returns how many. The program may not have asked for them yet; none are
    /// taken where it matters when they are.
    fn take_ready(&mut self, into: &mut [char]) -> usize {
        let _ = into;
        0
    }

    /// Appends at most `most` of the bytes that come next, and none only at the end or if `most` is
    /// 0; what is left comes with the next call, of either kind. What is not told how to read bytes
    /// gives its characters in UTF-8; the last one may be longer than the room for it.
    ///
    /// # Errors
    /// When the source fails. The error is returned again if it is asked again.
    fn read_bytes(&mut self, most: usize, into: &mut Vec<u8>) -> Result<(), InputError> {
        let end = into.len().saturating_add(most);
        while into.len() < end
            && let Some(c) = self.next()?
        {
            into.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(())
    }

    /// Returns an input of its own that gives what this one still has to give; `None` if there is
    /// none, as for what is read from somewhere as it is asked for.
    fn try_clone(&self) -> Option<Box<dyn Input>> {
        None
    }
}

/// Where a program's printed value goes.
pub trait Output {
    /// Takes a piece of text. What is taken may be held back until
    /// [`flush`](Output::flush).
    ///
    /// # Errors
    /// When the text cannot be written.
    fn write(&mut self, text: &str) -> Result<(), OutputError>;

    /// Takes bytes, which need not be text: the value of a program that is a byte string. An output
    /// that takes text only gets U+FFFD in place of what is none.
    ///
    /// # Errors
    /// When they cannot be written.
    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.write(&String::from_utf8_lossy(bytes))
    }

    /// Writes all that is held back.
    ///
    /// # Errors
    /// When it cannot be written.
    fn flush(&mut self) -> Result<(), OutputError>;

    /// Takes a piece of text for people who watch the program (the standard error of a command).
    /// What is not told where such text goes drops it.
    ///
    /// # Errors
    /// When the text cannot be written.
    fn write_error(&mut self, text: &str) -> Result<(), OutputError> {
        let _ = text;
        Ok(())
    }
}

impl Output for String {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.push_str(text);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

/// What a run counted. All of it depends on the program and its input alone, never on the
/// clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Instructions executed.
    pub instructions: u64,
    /// Supercombinators and primitives entered: graph reductions.
    pub reductions: u64,
    /// Nodes allocated.
    pub allocations: u64,
    /// Bytes allocated, limbs of big integers included.
    pub allocated_bytes: u64,
    /// Applications built: the thunks.
    pub thunks_made: u64,
    /// Redexes entered.
    pub thunks_entered: u64,
    /// Redexes overwritten with their value.
    pub thunks_updated: u64,
    /// Collections.
    pub collections: u64,
    /// Largest amount of live data found by a collection, in bytes.
    pub peak_live_bytes: u64,
    /// Largest number of items on the stack.
    pub peak_stack: u64,
    /// Largest number of evaluations that waited at once; `None` where a machine does not count
    /// them: the fast one.
    pub peak_dump: Option<u64>,
}

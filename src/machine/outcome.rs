//! How an evaluation stops and what it counted, for every machine.

use std::sync::Arc;

use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::span::Span;

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
    Interrupted,
    /// Standard input could not be read, or is not text.
    Input(InputError),
    /// The output took no more.
    Output(OutputError),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Error(error) => write!(f, "{}: {}", error.code, error.message),
            Stop::Limit(reached) => match reached.limit {
                Limit::Heap(bytes) => write!(f, "the memory limit of {bytes} bytes is reached"),
                Limit::System(bytes) => {
                    write!(f, "the system has no more memory beside {bytes} bytes in use")
                }
                Limit::Fuel(fuel) => write!(f, "the limit of {fuel} steps is reached"),
                Limit::Time(time) => write!(f, "the time limit of {time:?} is reached"),
            },
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Input(error) => f.write_str(&error.message),
            Stop::Output(error) => f.write_str(&error.message),
        }
    }
}

impl std::error::Error for Stop {}

/// A failure of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunError {
    /// Which kind; `G05..` or `G08..`.
    pub code: Code,
    /// One sentence, no full stop.
    pub message: String,
    /// The source expression that failed; [`Span::NONE`] if it has none.
    pub span: Span,
    /// A few words for that place; may be empty.
    pub label: String,
    /// What waited for the failing expression, innermost first.
    pub chain: Chain,
    /// What to do, if that is known.
    pub help: Option<String>,
}

/// The evaluations that waited, innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Chain {
    /// The innermost of them, at most [`Chain::SHOWN`].
    pub shown: Vec<Waiting>,
    /// How many more there were.
    pub more: usize,
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
}

/// A limit that was reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LimitReached {
    /// Which.
    pub limit: Limit,
    /// The source expression under evaluation.
    pub span: Span,
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
    /// Time; told from outside.
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

impl RunError {
    /// The report of this failure.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let mut report = Diagnostic::error(self.code, self.span, &self.message).label(&self.label);
        report.help.clone_from(&self.help);
        report
    }
}

/// Where a program's `input` comes from: characters, one by one, as they are demanded.
pub trait Input: Send {
    /// The next character; `None` at the end.
    ///
    /// # Errors
    /// When the source fails or is no text. The error is returned again if it is asked again.
    fn next(&mut self) -> Result<Option<char>, InputError>;
}

/// Where a program's printed value goes.
pub trait Output {
    /// Takes a piece of text. What is taken may be held back until
    /// [`flush`](Output::flush).
    ///
    /// # Errors
    /// When the text cannot be written.
    fn write(&mut self, text: &str) -> Result<(), OutputError>;

    /// Writes all that is held back.
    ///
    /// # Errors
    /// When it cannot be written.
    fn flush(&mut self) -> Result<(), OutputError>;
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

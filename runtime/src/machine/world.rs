//! What effects change outside of the heap: output that is held back, the input, the arguments.

use std::sync::Arc;

use super::failure::Failure;
use super::handles::Handle;
use super::interface::Machine;
use super::opaque::Opaque;
use super::outcome::{Input, InputError, Output, OutputError, RunError, Stop};
use super::performing::Performing;
use super::system::{Answer, Outside};
use super::threads::Threads;
use crate::base::code::Code;
use crate::gcode::effect::{ActionCon, Actions, PIECE};

/// Bytes of output after which a text that is being written is interrupted.
const FULL: usize = 1 << 15;

/// What a machine does with the value that it is to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::machine) enum Mode {
    /// Prints it.
    #[default]
    Print,
    /// Performs it if it is an action, else prints it.
    Main,
    /// Performs it.
    Perform,
}

/// The streams that text goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Stream {
    /// The output of the run.
    Output,
    /// The output of messages.
    Error,
}

/// Something that is still to be written.
#[derive(Clone, Debug)]
enum Piece {
    Text(Stream, String),
    /// Bytes of the output.
    Bytes(Vec<u8>),
}

/// An answer of the system that is kept, and what it was asked.
#[derive(Clone, Debug)]
pub(in crate::machine) struct Kept {
    /// What [`asked`](super::system::asked) says of it: another effect, which is performed while the
    /// one that was stopped waits, gets no answer to this.
    pub asked: u64,
    pub answer: Result<Answer, Failure>,
}

/// What effects change outside of the heap.
#[derive(Debug, Default)]
pub(in crate::machine) struct World {
    /// What is still to be written, in order.
    pieces: Vec<Piece>,
    /// The bytes of all pieces.
    held: usize,
    /// An empty text with room, for the next piece.
    spare: String,
    /// Whether the last line of the output is not ended.
    open: bool,
    /// Whether an embedder performs an action.
    is_embedders: bool,
    /// Whether the input is read as a list.
    pub taken: bool,
    /// Whether what is held back is to be written before the evaluation goes on.
    pub is_due: bool,
    /// A line that was read and has not been returned.
    line: Option<String>,
    /// Bytes that were read and have not been returned.
    bytes: Vec<u8>,
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// How many state threads there were.
    threads: i64,
    /// The threads of the program.
    pub program: Threads,
    /// Where the actions come from that are being performed.
    pub performing: Performing,
    /// Files and the like.
    pub system: Outside,
    /// What the system has answered to the effect that is being done, where memory for its value, or
    /// for the exception, was missing: it is not asked twice.
    pub answer: Option<Kept>,
}

impl World {
    /// Copies it; `None` if a system was granted.
    pub fn try_clone(&self) -> Option<World> {
        Some(World {
            pieces: self.pieces.clone(),
            held: self.held,
            spare: String::new(),
            open: self.open,
            is_embedders: self.is_embedders,
            taken: self.taken,
            is_due: self.is_due,
            line: self.line.clone(),
            bytes: self.bytes.clone(),
            arguments: self.arguments.clone(),
            threads: self.threads,
            program: self.program.clone(),
            performing: self.performing.clone(),
            system: self.system.try_clone()?,
            answer: self.answer.clone(),
        })
    }

    /// Forgets what belongs to the run before, but for the arguments and the system.
    pub fn start(&mut self, taken: bool) {
        let (arguments, threads) = (std::mem::take(&mut self.arguments), self.threads);
        let system = std::mem::take(&mut self.system);
        *self = World { taken, arguments, threads, system, ..World::default() };
    }

    /// Forgets what belongs to the run before, for an action that an embedder performs: a stop does
    /// not end the line, in which it may go on.
    pub fn start_action(&mut self) {
        self.start(false);
        self.is_embedders = true;
    }

    /// Buffers a character.
    #[inline(always)]
    pub fn put(&mut self, stream: Stream, c: char) {
        self.piece(stream).push(c);
        self.held += c.len_utf8();
    }

    /// Returns the text of a stream that is held back, to be appended to, if nothing of others has
    /// come since; else an empty one behind that.
    #[inline(always)]
    fn piece(&mut self, stream: Stream) -> &mut String {
        let is_last = matches!(self.pieces.last(), Some(Piece::Text(of, _)) if *of == stream);
        if !is_last {
            let text = std::mem::take(&mut self.spare);
            self.pieces.push(Piece::Text(stream, text));
        }
        match self.pieces.last_mut() {
            Some(Piece::Text(_, text)) => text,
            _ => unreachable!("a text was found, or made, last"),
        }
    }

    /// Lets `append` append to the buffered text of a stream; it is told how many bytes the text
    /// may have then.
    pub fn append<R>(&mut self, stream: Stream, append: impl FnOnce(&mut String, usize) -> R) -> R {
        let held = self.held;
        let text = self.piece(stream);
        let before = text.len();
        let result = append(text, before + FULL.saturating_sub(held));
        let added = text.len() - before;
        self.held += added;
        result
    }

    /// Returns whether what is held back is to be written before there is more.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.held >= FULL
    }

    /// Returns whether something is held back.
    pub fn holds(&self) -> bool {
        self.held > 0
    }

    /// Returns whether what is held back ends a line.
    pub fn ends_line(&self) -> bool {
        matches!(self.pieces.last(), Some(Piece::Text(_, text)) if text.ends_with('\n'))
    }

    /// Buffers bytes of the output.
    pub fn put_bytes(&mut self, bytes: Vec<u8>) {
        self.held += bytes.len();
        self.pieces.push(Piece::Bytes(bytes));
    }

    /// Writes what is held back.
    pub fn write(&mut self, out: &mut dyn Output) -> Result<(), OutputError> {
        self.held = 0;
        for piece in self.pieces.drain(..) {
            match piece {
                Piece::Text(Stream::Output, mut text) => {
                    out.write(&text)?;
                    self.open = !text.ends_with('\n');
                    text.clear();
                    self.spare = text;
                }
                Piece::Text(Stream::Error, text) => out.write_error(&text)?,
                Piece::Bytes(bytes) => {
                    out.write_bytes(&bytes)?;
                    self.open = bytes.last().map_or(self.open, |&last| last != b'\n');
                }
            }
        }
        Ok(())
    }

    /// Writes what is held back, and ends the line, but not an embedder's.
    pub fn end_line(&mut self, out: &mut dyn Output) -> Result<(), OutputError> {
        self.write(out)?;
        if self.is_embedders {
            return Ok(());
        }
        if std::mem::take(&mut self.open) { out.write("\n") } else { Ok(()) }
    }

    /// Reads a line, without its end; `None` at the end of the input. It is read again until
    /// [`line_is_returned`](World::line_is_returned) is called.
    pub fn line(&mut self, input: &mut Option<Box<dyn Input>>) -> Result<Option<&str>, InputError> {
        self.is_at_character()?;
        if self.line.is_none()
            && let Some(input) = input
            && let Some(first) = input.next()?
        {
            // A failure loses what was read before it: it comes again whenever more is read.
            let mut line = String::new();
            let mut next = Some(first);
            while let Some(c) = next.filter(|&c| c != '\n') {
                line.push(c);
                next = input.next()?;
            }
            self.line = Some(line);
        }
        Ok(self.line.as_deref())
    }

    /// Forgets the line that was read.
    pub fn line_is_returned(&mut self) {
        self.line = None;
    }

    /// Reads bytes until there are `most`, or the input ends; they are at hand as
    /// [`bytes`](World::bytes). Returns `false` where `fits` says that there is no room for so many:
    /// then it can be asked again, and goes on.
    pub fn read(
        &mut self,
        input: &mut Option<Box<dyn Input>>,
        most: usize,
        fits: impl Fn(usize) -> bool,
    ) -> Result<bool, InputError> {
        let Some(input) = input else { return Ok(true) };
        while self.bytes.len() < most {
            if !fits(self.bytes.len() + PIECE) {
                return Ok(false);
            }
            let before = self.bytes.len();
            input.read_bytes((most - before).min(PIECE), &mut self.bytes)?;
            if self.bytes.len() == before {
                break;
            }
        }
        Ok(true)
    }

    /// Returns the bytes that were read, at most so many.
    pub fn bytes(&self, most: usize) -> &[u8] {
        self.bytes.get(..most).unwrap_or(&self.bytes)
    }

    /// Forgets the first of the bytes that were read.
    pub fn bytes_are_returned(&mut self, count: usize) {
        self.bytes.drain(..count.min(self.bytes.len()));
        // What was read at once may have been all of the input.
        self.bytes.shrink_to(PIECE);
    }

    /// Fails within a character, of which the first bytes were read as bytes.
    pub fn is_at_character(&self) -> Result<(), InputError> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let message = "standard input is read on from within a character".to_owned();
        Err(InputError { code: Code::InputNotUtf8, message })
    }

    /// Returns the number of a new state thread.
    pub fn new_thread(&mut self) -> i64 {
        self.threads += 1;
        self.threads
    }
}

/// What is known of a failure that was caught, for whoever lets it fail again.
pub(in crate::machine) struct Trace(pub RunError);

/// The name of the type of [`Trace`].
pub(in crate::machine) const TRACE: &str = "trace";

/// Returns the message of a failure as the program is told it. What people are told of a value shows
/// how far it has been evaluated, or what has been evaluated last, which depends on machine and
/// passes: a program that goes on with the text must not.
fn told(error: &RunError) -> &str {
    match error.code {
        Code::NoAlternative => "no alternative matches",
        Code::SelfDependent => "a value depends on itself",
        _ => &error.message,
    }
}

/// Makes an exception: of a value that was thrown, that and what is known of the failure; else the
/// code, the message and what is known.
///
/// # Errors
/// When memory is used up.
pub(in crate::machine) fn exception(
    machine: &mut dyn Machine,
    actions: Actions,
    thrown: Option<Handle>,
    error: RunError,
) -> Result<Handle, Stop> {
    let (code, message) = (error.code.to_string(), told(&error).to_owned());
    let trace = machine.new_opaque(Opaque { name: TRACE, value: Arc::new(Trace(error)) })?;
    let (con, fields) = match thrown {
        Some(value) => (ActionCon::Thrown, vec![value, trace]),
        None => {
            let (code, message) = (machine.new_text(&code)?, machine.new_text(&message)?);
            (ActionCon::Failed, vec![code, message, trace])
        }
    };
    match machine.new_con(actions.con(con), &fields) {
        Some(exception) => exception,
        None => unreachable!("the fields are this machine's, and as many as it has"),
    }
}

//! What effects change outside of the heap: output that is held back, the input, the arguments.

use super::failure::Failure;
use super::outcome::{Input, InputError, Output, OutputError, RunError};
use super::system::{Answer, Outside};
use super::threads::Threads;
use crate::base::code::Code;
use crate::gcode::effect::PIECE;

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

/// What effects change outside of the heap.
#[derive(Debug, Default)]
pub(in crate::machine) struct World {
    /// What is still to be written, in order.
    pieces: Vec<Piece>,
    /// The bytes of all pieces.
    held: usize,
    /// Whether the last line of the output is not ended.
    open: bool,
    /// Whether an embedder performs an action.
    is_embedders: bool,
    /// Whether the input is read as a list.
    pub taken: bool,
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
    /// Files and the like.
    pub system: Outside,
    /// What the system has answered to the effect that is being done, where memory for its value, or
    /// for the exception, was missing: it is not asked twice.
    pub answer: Option<Result<Answer, Failure>>,
}

impl World {
    /// Copies it; `None` if a system was granted.
    pub fn try_clone(&self) -> Option<World> {
        Some(World {
            pieces: self.pieces.clone(),
            held: self.held,
            open: self.open,
            is_embedders: self.is_embedders,
            taken: self.taken,
            line: self.line.clone(),
            bytes: self.bytes.clone(),
            arguments: self.arguments.clone(),
            threads: self.threads,
            program: self.program.clone(),
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

    /// The same, for an action that an embedder performs: a stop does not end the line, in which it
    /// may go on.
    pub fn start_action(&mut self) {
        self.start(false);
        self.is_embedders = true;
    }

    /// Holds a character back; returns whether there is room for more. While the input is read as a
    /// list there is none: what follows may wait for somebody who reads this.
    pub fn put(&mut self, stream: Stream, c: char) -> bool {
        match self.pieces.last_mut() {
            Some(Piece::Text(of, text)) if *of == stream => text.push(c),
            _ => self.pieces.push(Piece::Text(stream, c.into())),
        }
        self.held += c.len_utf8();
        !self.is_full()
    }

    /// Takes what is held back of a stream, if nothing of others has come since, to be appended
    /// to; also returns how many bytes it may have then. [`put_piece`](World::put_piece) gives it
    /// back.
    pub fn take_piece(&mut self, stream: Stream) -> (String, usize) {
        let piece = match self.pieces.last_mut() {
            Some(Piece::Text(of, text)) if *of == stream => std::mem::take(text),
            _ => {
                self.pieces.push(Piece::Text(stream, String::new()));
                String::new()
            }
        };
        self.held -= piece.len();
        let most = FULL.saturating_sub(self.held);
        (piece, most)
    }

    /// Holds the text back that was taken last.
    pub fn put_piece(&mut self, stream: Stream, text: String) {
        self.held += text.len();
        match self.pieces.last_mut() {
            Some(Piece::Text(of, piece)) if *of == stream => *piece = text,
            _ => self.pieces.push(Piece::Text(stream, text)),
        }
    }

    /// Returns whether what is held back is to be written before there is more.
    pub fn is_full(&self) -> bool {
        self.held >= FULL || self.taken
    }

    /// Holds bytes of the output back.
    pub fn put_bytes(&mut self, bytes: Vec<u8>) {
        self.held += bytes.len();
        self.pieces.push(Piece::Bytes(bytes));
    }

    /// Writes what is held back.
    pub fn write(&mut self, out: &mut dyn Output) -> Result<(), OutputError> {
        self.held = 0;
        for piece in self.pieces.drain(..) {
            match piece {
                Piece::Text(Stream::Output, text) => {
                    out.write(&text)?;
                    self.open = !text.ends_with('\n');
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

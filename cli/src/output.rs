//! Standard output: what a program prints, streamed.
//!
//! Text is held back until the buffer fills, 100 ms have passed, or (to a terminal) a line
//! is complete. A thread watches the clock, so that a write costs no look at it. There is one
//! standard output, so there is one [`Stream`]; whoever ends the process early can
//! [`rescue`] what it holds.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gmachine::{Output, OutputError};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// The most bytes that are held back.
const BUFFER: usize = 64 * 1024;
/// The longest time that something is held back.
const DELAY: Duration = Duration::from_millis(100);

/// Standard output.
#[derive(Clone)]
pub struct Stdout {
    stream: Arc<Stream<Patient>>,
}

/// A file that is waited for where it does not block: a full pipe that someone has set so takes
/// no more for now, and loses nothing.
pub struct Patient {
    file: File,
    /// Whether it waits.
    waits: bool,
}

impl Patient {
    /// Writes to `file`, for as long as that takes.
    pub fn new(file: File) -> Patient {
        Patient { file, waits: true }
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        loop {
            match self.file.write(bytes) {
                Err(error) if self.waits && error.kind() == ErrorKind::WouldBlock => {
                    let mut fds = [PollFd::new(&self.file, PollFlags::OUT)];
                    match poll(&mut fds, None) {
                        Ok(_) | Err(Errno::INTR) => {}
                        Err(failed) => return Err(failed.into()),
                    }
                }
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

static STDOUT: OnceLock<Stdout> = OnceLock::new();

/// Returns standard output.
///
/// # Errors
/// When the process has none.
pub fn stdout() -> Result<Stdout, OutputError> {
    if let Some(stdout) = STDOUT.get() {
        return Ok(stdout.clone());
    }
    let standard = std::io::stdout();
    let terminal = standard.is_terminal();
    let file = standard.as_fd().try_clone_to_owned().map_err(|error| failed(&error))?;
    let stdout = Stdout { stream: Arc::new(Stream::new(Patient::new(File::from(file)), terminal)) };
    Ok(STDOUT.get_or_init(|| stdout).clone())
}

/// Writes what standard output still holds back, if that can be done within a moment. For
/// whoever ends the process from outside the program's own thread; allocates nothing.
pub fn rescue() {
    let Some(stdout) = STDOUT.get() else { return };
    let deadline = Instant::now() + DELAY;
    loop {
        match stdout.stream.state.try_lock() {
            Ok(mut state) => {
                state.writer.waits = false;
                let _ = state.write_out();
                return;
            }
            Err(std::sync::TryLockError::Poisoned(_)) => return,
            Err(std::sync::TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(std::sync::TryLockError::WouldBlock) => return,
        }
    }
}

impl Output for Stdout {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        Stream::write(&self.stream, text.as_bytes())
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        Stream::write(&self.stream, bytes)
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        self.stream.lock().write_out()
    }

    fn write_error(&mut self, text: &str) -> Result<(), OutputError> {
        std::io::stderr().write_all(text.as_bytes()).map_err(|error| failed(&error))
    }
}

/// For artefacts, whose printers want a [`Write`].
impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match Stream::write(&self.stream, bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => Err(std::io::Error::new(error.kind, error.message)),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Output::flush(self).map_err(|error| std::io::Error::new(error.kind, error.message))
    }
}

/// A writer with its buffer, and the thread that empties it in time.
struct Stream<W> {
    state: Mutex<State<W>>,
    /// Told when an empty buffer gets its first byte.
    filled: Condvar,
}

struct State<W> {
    writer: W,
    buffer: Vec<u8>,
    /// Whether a complete line is written at once.
    lines: bool,
    /// The first failure; nothing is written after it.
    failure: Option<OutputError>,
    /// Whether the thread runs; started by the first byte that is held back.
    watched: Watched,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Watched {
    NotYet,
    Yes,
    /// The system gives no thread: nothing is held back.
    Never,
}

impl<W: Write + Send + 'static> Stream<W> {
    fn new(writer: W, lines: bool) -> Stream<W> {
        let state = State {
            writer,
            buffer: Vec::with_capacity(BUFFER + 1024),
            lines,
            failure: None,
            watched: Watched::NotYet,
        };
        Stream { state: Mutex::new(state), filled: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        // A holder that panicked left at worst a buffer that is written again.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(stream: &Arc<Stream<W>>, bytes: &[u8]) -> Result<(), OutputError> {
        let mut state = stream.lock();
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let first = state.buffer.is_empty();
        state.buffer.extend_from_slice(bytes);
        if state.buffer.len() >= BUFFER || (state.lines && bytes.contains(&b'\n')) {
            return state.write_out();
        }
        if state.watched == Watched::NotYet {
            let watching = stream.clone();
            let thread = std::thread::Builder::new().name("output".into()).stack_size(64 * 1024);
            state.watched = match thread.spawn(move || watching.watch()) {
                Ok(_) => Watched::Yes,
                Err(_) => Watched::Never,
            };
        }
        if state.watched == Watched::Never {
            return state.write_out();
        }
        if first {
            stream.filled.notify_one();
        }
        Ok(())
    }

    /// Writes the buffer out some time after it got its first byte, for ever.
    fn watch(&self) {
        loop {
            let mut state = self.lock();
            while state.buffer.is_empty() {
                state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            drop(state);
            std::thread::sleep(DELAY);
            let _ = self.lock().write_out();
        }
    }
}

impl<W: Write> State<W> {
    /// Writes what is held back; remembers a failure.
    fn write_out(&mut self) -> Result<(), OutputError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        if self.buffer.is_empty() {
            return Ok(());
        }
        let written = self.writer.write_all(&self.buffer).and_then(|()| self.writer.flush());
        self.buffer.clear();
        written.map_err(|error| {
            let failure = failed(&error);
            self.failure = Some(failure.clone());
            failure
        })
    }
}

/// Returns what the system says, as an outcome.
fn failed(error: &std::io::Error) -> OutputError {
    let kind = error.kind();
    let message = match kind {
        ErrorKind::StorageFull => "standard output cannot be written: the disk is full".to_owned(),
        _ => format!("standard output cannot be written: {}", super::files::reason(error)),
    };
    OutputError { kind, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Sends every piece that is really written.
    struct Pieces(Sender<Vec<u8>>);

    impl Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            match self.0.send(bytes.to_vec()) {
                Ok(()) => Ok(bytes.len()),
                Err(_) => Err(ErrorKind::BrokenPipe.into()),
            }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn stream(lines: bool) -> (Arc<Stream<Pieces>>, Receiver<Vec<u8>>) {
        let (sender, receiver) = channel();
        (Arc::new(Stream::new(Pieces(sender), lines)), receiver)
    }

    #[test]
    fn text_appears_within_a_moment_though_nothing_follows() {
        let (stream, pieces) = stream(false);
        for text in ["0 ", "1 "] {
            Stream::write(&stream, text.as_bytes()).expect("open");
            let piece = pieces.recv_timeout(DELAY * 20).expect("written in time");
            assert_eq!(piece, text.as_bytes());
        }
    }

    #[test]
    fn a_terminal_gets_a_line_at_a_time_and_a_pipe_a_buffer() {
        let (terminal, pieces) = stream(true);
        Stream::write(&terminal, b"a\n").expect("open");
        assert_eq!(pieces.try_recv().expect("at once"), b"a\n");
        let (pipe, pieces) = stream(false);
        Stream::write(&pipe, b"a\n").expect("open");
        assert!(pieces.try_recv().is_err());
        Stream::write(&pipe, &[b'x'; BUFFER]).expect("open");
        assert_eq!(pieces.try_recv().expect("full").len(), BUFFER + 2);
    }

    #[test]
    fn a_failure_stays() {
        let (stream, pieces) = stream(true);
        drop(pieces);
        for _ in 0..2 {
            let error = Stream::write(&stream, b"a\n").expect_err("closed");
            assert_eq!(error.kind, ErrorKind::BrokenPipe);
        }
    }
}

//! Standard input, which a session and the actions that it performs read in turn.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Result};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gmachine::Interrupt;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// How long it takes at most to notice a Ctrl-C while the input is waited for.
const GLANCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
/// The bytes that are read at once.
const PIECE: usize = 64 * 1024;

/// Ctrl-C: stops what the session's machine evaluates, or what waits for input.
#[derive(Clone, Default)]
pub struct CtrlC {
    /// What the machine looks at.
    pub machine: Interrupt,
    asked: Arc<AtomicBool>,
}

impl CtrlC {
    /// Notes that somebody has pressed it, and interrupts the machine.
    pub fn press(&self) {
        self.asked.store(true, Ordering::SeqCst);
        self.machine.interrupt();
    }

    /// Forgets what was asked before.
    pub fn clear(&self) {
        self.asked.store(false, Ordering::SeqCst);
        self.machine.clear();
    }

    /// Returns whether it has been pressed since it was cleared.
    pub fn is_pressed(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Standard input by lines. Clones read the same input: whoever reads a line, the next one is for
/// whoever asks next.
#[derive(Clone)]
pub struct Lines {
    shared: Arc<Mutex<Buffer>>,
    ctrl_c: CtrlC,
}

struct Buffer {
    file: File,
    /// What was read, and nobody had yet.
    bytes: VecDeque<u8>,
    ended: bool,
}

impl Lines {
    /// Returns the lines of standard input.
    ///
    /// # Errors
    /// When the process has none.
    pub fn stdin(ctrl_c: CtrlC) -> Result<Lines> {
        let file = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
        let buffer = Buffer { file, bytes: VecDeque::new(), ended: false };
        Ok(Lines { shared: Arc::new(Mutex::new(buffer)), ctrl_c })
    }

    /// Returns the next line with its end; empty at the end of the input.
    ///
    /// # Errors
    /// When the input fails, or the wait for it ends by a Ctrl-C.
    pub fn line(&self) -> Result<Vec<u8>> {
        let mut buffer = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut looked = 0;
        loop {
            if let Some(at) = buffer.bytes.iter().skip(looked).position(|byte| *byte == b'\n') {
                return Ok(buffer.bytes.drain(..=looked + at).collect());
            }
            if buffer.ended {
                return Ok(buffer.bytes.drain(..).collect());
            }
            looked = buffer.bytes.len();
            buffer.fill(&self.ctrl_c)?;
        }
    }
}

impl Buffer {
    /// Reads what there is to read, and waits until there is something.
    fn fill(&mut self, ctrl_c: &CtrlC) -> Result<()> {
        loop {
            let mut fds = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut fds, Some(&GLANCE)) {
                Ok(0) | Err(Errno::INTR) if ctrl_c.is_pressed() => {
                    return Err(std::io::Error::other("the input is not waited for any more"));
                }
                Ok(0) | Err(Errno::INTR) => {}
                // What cannot be waited for can be read.
                Ok(_) | Err(_) => break,
            }
        }
        let mut piece = vec![0; PIECE];
        match self.file.read(&mut piece) {
            Ok(0) => self.ended = true,
            Ok(count) => self.bytes.extend(&piece[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// The input of one action: it takes no more than the lines that it asks for.
pub struct Reader {
    lines: Lines,
    /// The rest of a line that was larger than what was asked for.
    rest: VecDeque<u8>,
}

impl Reader {
    pub fn new(lines: Lines) -> Reader {
        Reader { lines, rest: VecDeque::new() }
    }
}

impl Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.lines.line()?.into();
        }
        self.rest.read(out)
    }
}

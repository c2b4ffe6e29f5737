//! What the worker gives the program: where its output goes, its input, a clock.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gmachine::{Input, InputError, Loader, Output, OutputError};

/// How many bytes of output are held back at most.
const BUFFER: usize = 1 << 16;
/// How long they are held back at most, in milliseconds, as long as the machine runs.
const DELAY: f64 = 30.0;

#[link(wasm_import_module = "playground")]
unsafe extern "C" {
    /// Takes `length` bytes of UTF-8 that were printed.
    fn output(at: *const u8, length: usize);
    /// Returns the milliseconds since some fixed moment.
    fn milliseconds() -> f64;
}

/// Returns the time since some fixed moment.
pub fn now() -> Duration {
    Duration::from_secs_f64(read_clock().max(0.0) / 1000.0)
}

fn read_clock() -> f64 {
    // SAFETY: the import takes nothing and returns a number.
    unsafe { milliseconds() }
}

/// What a program prints. Clones share what is held back.
#[derive(Clone, Default)]
pub struct Printed(Arc<Mutex<Held>>);

#[derive(Default)]
struct Held {
    text: String,
    /// When it was sent last, by [`read_clock`].
    sent: f64,
}

impl Held {
    fn send(&mut self, now: f64) {
        if !self.text.is_empty() {
            // SAFETY: the bytes are those of a text that lives until the import has returned.
            unsafe { output(self.text.as_ptr(), self.text.len()) };
            self.text.clear();
        }
        self.sent = now;
    }
}

impl Printed {
    fn with(&self, action: impl FnOnce(&mut Held)) {
        action(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes a text.
    pub fn push(&self, text: &str) {
        self.with(|held| {
            held.text.push_str(text);
            if held.text.len() >= BUFFER {
                held.send(read_clock());
            }
        });
    }

    /// Sends what is held back.
    pub fn send(&self) {
        self.with(|held| held.send(read_clock()));
    }

    /// A clock that sends what has been held back for long: the machine looks at it now and then
    /// while it runs.
    pub fn clock(&self) -> impl Fn() -> Duration + Send + Sync + 'static {
        let printed = self.clone();
        move || {
            printed.with(|held| {
                let now = read_clock();
                if now - held.sent > DELAY {
                    held.send(now);
                }
            });
            now()
        }
    }
}

impl Output for Printed {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.push(text);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        self.send();
        Ok(())
    }
}

/// Output that nobody wants.
pub struct Nowhere;

impl Output for Nowhere {
    fn write(&mut self, _: &str) -> Result<(), OutputError> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

/// The input that was typed before the run.
pub struct Typed(std::vec::IntoIter<char>);

impl Typed {
    pub fn new(text: &str) -> Typed {
        Typed(text.chars().collect::<Vec<_>>().into_iter())
    }
}

impl Input for Typed {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        Ok(self.0.next())
    }
}

/// A page has no files.
pub struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::NotFound, "the playground has no files"))
    }
}

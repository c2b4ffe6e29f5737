//! Where actions that a session performs read and write.

use gmachine::{Input, Output, OutputError};

use super::input::{Lines, Reader};
use crate::input::Decoder;
use crate::output::Stdout;

/// Returns the input of an action: the lines that come next.
pub fn input(lines: Lines) -> Box<dyn Input> {
    Box::new(Decoder::new(Reader::new(lines)))
}

/// Standard output that knows whether its last line has ended.
pub struct Ended {
    stdout: Stdout,
    is_open: bool,
}

impl Ended {
    pub fn new(stdout: Stdout) -> Ended {
        Ended { stdout, is_open: false }
    }

    /// Ends the last line, and flushes.
    pub fn end(mut self) -> Result<(), OutputError> {
        if self.is_open {
            self.stdout.write("\n")?;
        }
        Output::flush(&mut self.stdout)
    }
}

impl Output for Ended {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.write_bytes(text.as_bytes())
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        if let Some(last) = bytes.last() {
            self.is_open = *last != b'\n';
        }
        self.stdout.write_bytes(bytes)
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Output::flush(&mut self.stdout)
    }

    fn write_error(&mut self, text: &str) -> Result<(), OutputError> {
        self.stdout.write_error(text)
    }
}

//! Standard input as a program sees it: characters, decoded as they are demanded.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};

use gmachine::diagnostic::Code;
use gmachine::{Input, InputError, Output};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::interrupt::Stopper;
use super::output::Stdout;

/// The bytes that are read at once.
const BUFFER: usize = 64 * 1024;

/// Bytes decoded one piece at a time. A piece is what one read gives, so that a terminal's
/// line is there as soon as it is typed.
#[derive(Clone)]
pub struct Decoder<R> {
    reader: R,
    /// Bytes read and not yet decoded; at the end of a piece, the start of a character.
    bytes: Vec<u8>,
    /// How many of [`bytes`](Self::bytes) are valid and wait to be handed out.
    valid: usize,
    /// How many of those have been handed out.
    taken: usize,
    /// The position of the first of [`bytes`](Self::bytes) in the input.
    offset: u64,
    /// What follows the valid bytes.
    then: Then,
}

/// What a read that may wait for someone needs.
struct Patience {
    /// Flushed before.
    stdout: Stdout,
    /// Ends the waiting.
    stopper: Stopper,
}

/// How long it takes at most to notice that nobody wants the input any more.
const GLANCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

impl Patience {
    /// Waits until `stdin` has something to read, or is at its end, or the run is stopped.
    fn wait(&mut self, stdin: BorrowedFd<'_>) -> std::io::Result<()> {
        // A failure is reported where the program writes next.
        let _ = Output::flush(&mut self.stdout);
        loop {
            let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
            match poll(&mut fds, Some(&GLANCE)) {
                Ok(0) | Err(Errno::INTR) if self.stopper.is_asked() => {
                    return Err(std::io::Error::other("the run is stopped"));
                }
                Ok(0) | Err(Errno::INTR) => {}
                // What cannot be waited for can be read.
                Ok(_) | Err(_) => return Ok(()),
            }
        }
    }
}

/// What follows the bytes that are decoded.
#[derive(Clone)]
enum Then {
    Read,
    End,
    Fail(InputError),
}

/// Opens standard input; `stdout` is flushed before a read that may wait for someone, and `stopper`
/// ends the waiting.
///
/// # Errors
/// [`Code::InputFailed`] when the process has none.
pub fn stdin(stdout: Stdout, stopper: Stopper) -> Result<Decoder<Stdin>, InputError> {
    let file = std::io::stdin().as_fd().try_clone_to_owned().map_err(|error| failed(&error))?;
    let patience = Patience { stdout, stopper };
    Ok(Decoder::new(Stdin { file: File::from(file), patience }))
}

/// Standard input as it is read: with patience.
pub struct Stdin {
    file: File,
    patience: Patience,
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.patience.wait(self.file.as_fd())?;
        self.file.read(buffer)
    }
}

impl<R: Read> Decoder<R> {
    /// Returns the text that `reader` gives.
    pub fn new(reader: R) -> Decoder<R> {
        Decoder { reader, bytes: Vec::new(), valid: 0, taken: 0, offset: 0, then: Then::Read }
    }

    /// Reads and decodes another piece.
    fn read(&mut self) {
        self.bytes.drain(..self.valid);
        self.offset += self.valid as u64;
        (self.valid, self.taken) = (0, 0);
        let kept = self.bytes.len();
        self.bytes.resize(kept + BUFFER, 0);
        let read = loop {
            match self.reader.read(&mut self.bytes[kept..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.bytes.truncate(kept + *read.as_ref().unwrap_or(&0));
        match read {
            Err(error) => self.then = Then::Fail(failed(&error)),
            Ok(0) if kept == 0 => self.then = Then::End,
            Ok(0) => self.then = Then::Fail(no_text(self.offset)),
            Ok(_) => self.decode(),
        }
    }

    /// Finds how far [`bytes`](Self::bytes) are text.
    fn decode(&mut self) {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => self.valid = text.len(),
            Err(error) => {
                self.valid = error.valid_up_to();
                if error.error_len().is_some() {
                    self.then = Then::Fail(no_text(self.offset + self.valid as u64));
                }
            }
        }
    }
}

impl<R: Read + Send> Input for Decoder<R> {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        loop {
            let waiting = &self.bytes[self.taken..self.valid];
            if let Some(&byte) = waiting.first() {
                let length = match byte {
                    0..=0x7F => {
                        self.taken += 1;
                        return Ok(Some(byte.into()));
                    }
                    0x80..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0.. => 4,
                };
                // The bytes up to `valid` are whole characters.
                let text = waiting.get(..length).and_then(|c| std::str::from_utf8(c).ok());
                self.taken += length;
                return Ok(text.and_then(|text| text.chars().next()));
            }
            match &self.then {
                Then::Read => self.read(),
                Then::End => return Ok(None),
                Then::Fail(error) => return Err(error.clone()),
            }
        }
    }

    fn is_ready(&self) -> bool {
        self.taken < self.valid || !matches!(self.then, Then::Read)
    }

    fn take_ready(&mut self, into: &mut [char]) -> usize {
        let waiting = &self.bytes[self.taken..self.valid];
        let ascii = waiting.iter().take_while(|byte| byte.is_ascii());
        let count = into.iter_mut().zip(ascii).map(|(to, &byte)| *to = byte.into()).count();
        self.taken += count;
        count
    }

    fn read_bytes(&mut self, most: usize, into: &mut Vec<u8>) -> Result<(), InputError> {
        let waiting = &self.bytes[self.taken..];
        if !waiting.is_empty() {
            let count = most.min(waiting.len());
            into.extend_from_slice(&waiting[..count]);
            self.taken += count;
            // Bytes may have been taken up to within a character.
            let is_within = self.bytes.get(self.taken).is_some_and(|byte| byte & 0xC0 == 0x80);
            if is_within || self.taken > self.valid || self.taken == self.bytes.len() {
                // What is left may be text again, or no text any more.
                self.offset += self.taken as u64;
                self.bytes.drain(..self.taken);
                (self.valid, self.taken) = (0, 0);
                if matches!(&self.then, Then::Fail(error) if error.code == Code::InputNotUtf8) {
                    self.then = Then::Read;
                }
                self.decode();
            }
            return Ok(());
        }
        match &self.then {
            Then::End => return Ok(()),
            Then::Fail(error) => return Err(error.clone()),
            Then::Read if most == 0 => return Ok(()),
            Then::Read => {}
        }
        let before = into.len();
        into.resize(before + most, 0);
        let read = loop {
            match self.reader.read(&mut into[before..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let count = *read.as_ref().unwrap_or(&0);
        into.truncate(before + count);
        self.offset += count as u64;
        match read {
            Err(error) => {
                self.then = Then::Fail(failed(&error));
                Err(failed(&error))
            }
            Ok(0) => {
                self.then = Then::End;
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }
}

/// Standard input that there is none of: it fails when it is asked.
pub struct Broken(pub InputError);

impl Input for Broken {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        Err(self.0.clone())
    }

    fn read_bytes(&mut self, _: usize, _: &mut Vec<u8>) -> Result<(), InputError> {
        Err(self.0.clone())
    }
}

/// Returns the error of bytes that are no text.
fn no_text(offset: u64) -> InputError {
    let message =
        format!("standard input is not UTF-8: the byte at offset {offset} starts no character");
    InputError { code: Code::InputNotUtf8, message }
}

/// Returns the error of a read that failed.
fn failed(error: &std::io::Error) -> InputError {
    let message = format!("standard input cannot be read: {}", super::files::reason(error));
    InputError { code: Code::InputFailed, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives a few bytes at a time.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    #[test]
    fn what_is_there_is_taken_up_to_the_next_read() {
        let mut input = Decoder::new(Slowly("abcd\u{e9}f".as_bytes(), 5));
        let mut taken = ['-'; 3];
        assert_eq!(input.take_ready(&mut taken), 0, "nothing is read for it");
        assert_eq!(input.next(), Ok(Some('a')));
        assert_eq!((input.take_ready(&mut taken[..2]), taken), (2, ['b', 'c', '-']));
        assert_eq!((input.take_ready(&mut taken), taken), (1, ['d', 'c', '-']));
        assert_eq!((input.next(), input.next()), (Ok(Some('\u{e9}')), Ok(Some('f'))));
        assert_eq!((input.take_ready(&mut taken), input.next()), (0, Ok(None)));
    }

    fn all(bytes: &[u8], step: usize) -> (String, Option<InputError>) {
        let mut input = Decoder::new(Slowly(bytes, step));
        let mut text = String::new();
        loop {
            match input.next() {
                Ok(Some(c)) => text.push(c),
                Ok(None) => return (text, None),
                Err(error) => {
                    assert_eq!(input.next(), Err(error.clone()), "it fails again");
                    return (text, Some(error));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn text_arrives_whole_however_it_is_cut(text in "\\PC{0,40}", step in 1usize..7) {
            prop_assert_eq!(all(text.as_bytes(), step), (text, None));
        }

        #[test]
        fn the_first_bad_byte_is_named(text in "\\PC{0,20}", step in 1usize..7) {
            let mut bytes = text.clone().into_bytes();
            bytes.push(0xFF);
            let (read, error) = all(&bytes, step);
            prop_assert_eq!(&read, &text);
            let message = error.expect("bad").message;
            let offset = format!("offset {} ", text.len());
            prop_assert!(message.contains(&offset), "{}", message);
        }
    }

    /// Reads all bytes, so many at a time, with a character in between now and then where one is.
    fn bytes(input: &mut dyn Input, most: usize, with_characters: bool) -> Vec<u8> {
        let mut all = Vec::new();
        for turn in 1.. {
            if with_characters
                && turn % 3 == 0
                && let Ok(Some(c)) = input.next()
            {
                all.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            let before = all.len();
            input.read_bytes(most, &mut all).expect("nothing fails");
            assert!(all.len() <= before + most, "{most} were asked for");
            if all.len() == before {
                break;
            }
        }
        all
    }

    proptest! {
        #[test]
        fn bytes_arrive_whole_whatever_they_are(
            wanted in proptest::collection::vec(any::<u8>(), 0..60),
            text in "\\PC{0,20}",
            (step, most) in (1usize..7, 1usize..9),
        ) {
            for wanted in [wanted, text.into_bytes()] {
                for with_characters in [false, true] {
                    let mut input = Decoder::new(Slowly(&wanted, step));
                    prop_assert_eq!(bytes(&mut input, most, with_characters), wanted.clone());
                }
            }
        }
    }

    #[test]
    fn a_character_cut_off_at_the_end_is_an_error() {
        let (text, error) = all(b"ab\xE2\x82", 1);
        assert_eq!(text, "ab");
        assert!(error.expect("cut").message.contains("offset 2 "));
    }
}

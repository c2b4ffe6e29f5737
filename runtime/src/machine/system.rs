//! What actions reach outside of the machine, beyond its streams: files, the environment, clocks,
//! random bytes. The embedding program grants it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::handles::Handle;
use super::interface::Machine;
use super::outcome::Stop;
use crate::base::integer::Integer;
use crate::gcode::effect::Effect;
use crate::primitive::bytes::clamped;

/// Why a [`System`] does not do what it is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SystemError {
    /// It was not granted; in a few words what would grant it (`--allow-read DIR`), if anything.
    NotGranted(Option<String>),
    /// There is no file or directory of this name.
    Missing,
    /// The system failed: in a few words, how.
    Failed(String),
    /// The run is to stop, as for an interrupt.
    Stopped,
}

/// What is at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Nothing.
    Missing,
    /// A file.
    File,
    /// A directory.
    Directory,
    /// Something else, such as a device.
    Other,
}

/// What actions of a program reach outside of the machine, beyond its streams.
///
/// A store has none unless `Store::set_system` gives it one, and each
/// method that is not written refuses: so a program has what it was granted and nothing else. Paths
/// and names are bytes, as the program gives them; what they mean is the implementation's to say.
pub trait System: Send {
    /// Returns at most `most` bytes of a file, from the byte `from` on; fewer only at its end.
    /// `fits` says whether there is room for so many bytes, and is asked before each piece.
    ///
    /// # Errors
    /// When it is not granted or fails; [`SystemError::Stopped`] after `fits` has refused.
    fn read(
        &mut self,
        path: &[u8],
        from: u64,
        most: u64,
        fits: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, SystemError> {
        let _ = (path, from, most, fits);
        Err(SystemError::NotGranted(None))
    }

    /// Returns the number of bytes of a file.
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn size(&mut self, path: &[u8]) -> Result<u64, SystemError> {
        let _ = path;
        Err(SystemError::NotGranted(None))
    }

    /// Returns what is at a path.
    ///
    /// # Errors
    /// When it is not granted or fails. That nothing is there is none.
    fn kind(&mut self, path: &[u8]) -> Result<FileKind, SystemError> {
        let _ = path;
        Err(SystemError::NotGranted(None))
    }

    /// Returns the names of what a directory holds, in any order, but for `.` and `..`.
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn list(&mut self, path: &[u8]) -> Result<Vec<Vec<u8>>, SystemError> {
        let _ = path;
        Err(SystemError::NotGranted(None))
    }

    /// Writes bytes to a file, which is made if it is not there: in place of what it holds, or
    /// behind that if `appends`. If it fails, a part of the bytes may have been written.
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn write(&mut self, path: &[u8], bytes: &[u8], appends: bool) -> Result<(), SystemError> {
        let _ = (path, bytes, appends);
        Err(SystemError::NotGranted(None))
    }

    /// Removes a file.
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn remove(&mut self, path: &[u8]) -> Result<(), SystemError> {
        let _ = path;
        Err(SystemError::NotGranted(None))
    }

    /// Gives a file or directory another path, in place of a file that is there.
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), SystemError> {
        let _ = (from, to);
        Err(SystemError::NotGranted(None))
    }

    /// Makes a directory.
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn make_directory(&mut self, path: &[u8]) -> Result<(), SystemError> {
        let _ = path;
        Err(SystemError::NotGranted(None))
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn remove_directory(&mut self, path: &[u8]) -> Result<(), SystemError> {
        let _ = path;
        Err(SystemError::NotGranted(None))
    }

    /// Returns a variable of the environment; `None` if there is none of this name.
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn variable(&mut self, name: &[u8]) -> Result<Option<Vec<u8>>, SystemError> {
        let _ = name;
        Err(SystemError::NotGranted(None))
    }

    /// Returns the time since 1970 began (UTC, without leap seconds).
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn wall_clock(&mut self) -> Result<Duration, SystemError> {
        Err(SystemError::NotGranted(None))
    }

    /// Returns the time since a fixed moment: no later reading is less.
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn monotonic_clock(&mut self) -> Result<Duration, SystemError> {
        Err(SystemError::NotGranted(None))
    }

    /// Fills a buffer with random bytes.
    ///
    /// # Errors
    /// When it is not granted or fails.
    fn random(&mut self, buffer: &mut [u8]) -> Result<(), SystemError> {
        let _ = buffer;
        Err(SystemError::NotGranted(None))
    }
}

/// The system of a machine that was given none.
struct Nothing;

impl System for Nothing {}

/// The system of a machine.
#[derive(Default)]
pub(in crate::machine) enum Outside {
    /// None: everything is refused.
    #[default]
    Nothing,
    Given(Box<dyn System>),
    /// One whose answers are kept, and how many of them there were.
    Recorded(Recorded, usize),
}

/// A system whose answers are kept, so that runs of one program that do the same can be made one
/// after the other: what a run before has done is not done again, and has the same answer.
///
/// A copy begins with the first answer.
#[derive(Clone)]
pub struct Recorded(Arc<Mutex<Record>>);

/// What was asked of a system so far.
struct Record {
    system: Box<dyn System>,
    requests: Vec<Request>,
}

/// One of the things that were asked of a system.
struct Request {
    /// For how many bytes room was looked for meanwhile: a machine may collect then.
    rooms: Vec<usize>,
    answer: Result<Answer, SystemError>,
}

impl Recorded {
    /// Keeps the answers of this system.
    #[must_use]
    pub fn new(system: impl System + 'static) -> Recorded {
        Recorded(Arc::new(Mutex::new(Record { system: Box::new(system), requests: Vec::new() })))
    }
}

impl std::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recorded")
    }
}

impl Record {
    fn ask(
        &mut self,
        at: usize,
        effect: Effect,
        operands: &[Operand<'_>],
        fits: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Answer, SystemError> {
        if let Some(request) = self.requests.get(at) {
            request.rooms.iter().for_each(|&len| _ = fits(len));
            return request.answer.clone();
        }
        let mut rooms = Vec::new();
        let answer = ask(&mut *self.system, effect, operands, &mut |len| {
            rooms.push(len);
            fits(len)
        });
        self.requests.push(Request { rooms, answer: answer.clone() });
        answer
    }
}

impl Outside {
    /// Returns a system that was given.
    pub fn new(system: Box<dyn System>) -> Outside {
        Outside::Given(system)
    }

    /// Returns a system whose answers are kept.
    pub fn recorded(system: Recorded) -> Outside {
        Outside::Recorded(system, 0)
    }

    /// Returns a copy that is in the same state; `None` for a system that was given, which has a
    /// state of its own.
    pub fn try_clone(&self) -> Option<Outside> {
        match self {
            Outside::Nothing => Some(Outside::Nothing),
            Outside::Given(_) => None,
            Outside::Recorded(system, at) => Some(Outside::Recorded(system.clone(), *at)),
        }
    }
}

impl std::fmt::Debug for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outside")
    }
}

/// An evaluated operand of an effect on the system.
#[derive(Hash, Debug)]
pub(in crate::machine) enum Operand<'a> {
    Bytes(&'a [u8]),
    Integer(Integer),
}

/// What the system has answered.
#[derive(Clone, Debug)]
pub(in crate::machine) enum Answer {
    Done,
    Integer(Integer),
    Bytes(Vec<u8>),
    List(Vec<Vec<u8>>),
}

/// Returns the path or name that an effect is asked for, if it has one.
pub(in crate::machine) fn subject<'a>(operands: &[Operand<'a>]) -> Option<&'a [u8]> {
    match operands.first() {
        Some(Operand::Bytes(bytes)) => Some(*bytes),
        _ => None,
    }
}

/// Returns a number that tells one request from others: what is written to a file may be too long to
/// be kept for comparing.
pub(in crate::machine) fn asked(effect: Effect, operands: &[Operand<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (effect, operands).hash(&mut hasher);
    hasher.finish()
}

/// The largest request for random bytes that is made at once.
const RANDOM_PIECE: usize = 1 << 16;

impl Outside {
    /// Performs an effect on the system. The operands are as many and of such kinds as its
    /// primitive says; `fits` says whether there is room for so many bytes.
    pub fn ask(
        &mut self,
        effect: Effect,
        operands: &[Operand<'_>],
        fits: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Answer, SystemError> {
        match self {
            Outside::Nothing => ask(&mut Nothing, effect, operands, fits),
            Outside::Given(system) => ask(&mut **system, effect, operands, fits),
            Outside::Recorded(Recorded(record), at) => {
                // Whoever panicked with it left it as it was.
                let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
                *at += 1;
                record.ask(*at - 1, effect, operands, fits)
            }
        }
    }
}

/// Performs an effect on a system.
fn ask(
    system: &mut dyn System,
    effect: Effect,
    operands: &[Operand<'_>],
    fits: &mut dyn FnMut(usize) -> bool,
) -> Result<Answer, SystemError> {
    let bytes = |at: usize| match operands.get(at) {
        Some(Operand::Bytes(bytes)) => *bytes,
        _ => &[],
    };
    let number = |at: usize| match operands.get(at) {
        Some(Operand::Integer(value)) => clamped(value, usize::MAX) as u64,
        _ => 0,
    };
    let done = |()| Answer::Done;
    let time = |time: Duration| Answer::Integer(Integer::from(time.as_nanos()));
    match effect {
        Effect::FileRead => system.read(bytes(0), number(1), number(2), fits).map(Answer::Bytes),
        Effect::FileSize => system.size(bytes(0)).map(|size| Answer::Integer(size.into())),
        Effect::FileKind => {
            let kind = system.kind(bytes(0))?;
            Ok(Answer::Integer(Integer::Small(kind as i64)))
        }
        Effect::FileWrite => system.write(bytes(0), bytes(1), false).map(done),
        Effect::FileAppend => system.write(bytes(0), bytes(1), true).map(done),
        Effect::FileRemove => system.remove(bytes(0)).map(done),
        Effect::FileRename => system.rename(bytes(0), bytes(1)).map(done),
        Effect::DirectoryList => {
            let mut names = system.list(bytes(0))?;
            names.sort();
            Ok(Answer::List(names))
        }
        Effect::DirectoryMake => system.make_directory(bytes(0)).map(done),
        Effect::DirectoryRemove => system.remove_directory(bytes(0)).map(done),
        Effect::EnvironmentVariable => {
            Ok(Answer::List(system.variable(bytes(0))?.into_iter().collect()))
        }
        Effect::WallClock => system.wall_clock().map(time),
        Effect::MonotonicClock => system.monotonic_clock().map(time),
        Effect::RandomBytes => {
            let count = number(0) as usize;
            let mut made = Vec::new();
            // Asked for none, it says whether it is granted.
            system.random(&mut [])?;
            while made.len() < count {
                let piece = RANDOM_PIECE.min(count - made.len());
                if !fits(made.len() + piece) {
                    return Err(SystemError::Stopped);
                }
                let from = made.len();
                made.resize(from + piece, 0);
                system.random(made.get_mut(from..).unwrap_or_default())?;
            }
            Ok(Answer::Bytes(made))
        }
        _ => Err(SystemError::NotGranted(None)),
    }
}

impl Answer {
    /// Makes a value of it.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn value(&self, machine: &mut dyn Machine) -> Result<Handle, Stop> {
        match self {
            Answer::Done => list(machine, &[]),
            Answer::Integer(value) => machine.new_int(value.clone()),
            Answer::Bytes(bytes) => machine.new_bytes(bytes),
            Answer::List(items) => {
                let items = items.iter().map(|item| machine.new_bytes(item));
                let items = items.collect::<Result<Vec<_>, Stop>>()?;
                list(machine, &items)
            }
        }
    }
}

/// Makes a list of a machine's own values.
fn list(machine: &mut dyn Machine, items: &[Handle]) -> Result<Handle, Stop> {
    match machine.new_list(items) {
        Some(list) => list,
        None => unreachable!("the elements are this machine's"),
    }
}

//! What a program may be granted: directories, variables of the environment, clocks, random bytes
//! (feature `grants`).
//!
//! A [`Grants`] is a [`System`] for a store. It grants nothing by itself:
//!
//! ```
//! use gmachine::Engine;
//! use gmachine::grants::Grants;
//!
//! let text = "(import system) (defn main[] (bind (fileExists \"Cargo.toml\") return))";
//! let mut store = Engine::new().compile("exists", text)?.store();
//! let mut grants = Grants::new();
//! grants.allow_read(env!("CARGO_MANIFEST_DIR").as_ref())?;
//! store.set_system(grants);
//! store.run_main(None, &mut String::new(), gmachine::Format::Default)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod beneath;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::machine::{FileKind, System, SystemError};
use beneath::{Directory, Place};

/// What grants each kind of action, as messages say it: the options of the command.
const READ: &str = "--allow-read DIR";
const WRITE: &str = "--allow-write DIR";
const VARIABLE: &str = "--allow-env NAME";
const TIME: &str = "--allow-time";
const RANDOM: &str = "--allow-random";

/// Bytes that are read at once.
const PIECE: usize = 1 << 18;

/// What a program is granted; nothing to begin with.
///
/// A path of a program is taken from the working directory that the process has when this is made,
/// and `..` in it as text goes: `a/../b` is `b`. It has to lead into a directory that was granted,
/// and is opened from the open handle of that one: a symbolic link that leads out of it is not
/// followed, whenever it is made.
#[derive(Debug, Default)]
pub struct Grants {
    /// The names that lead from the root to the working directory, if it is known.
    from: Option<Vec<Vec<u8>>>,
    read: Vec<Directory>,
    write: Vec<Directory>,
    variables: Vec<OsString>,
    start: Option<Instant>,
    random: Option<File>,
}

impl Grants {
    /// Returns a system that grants nothing.
    #[must_use]
    pub fn new() -> Grants {
        let from = std::env::current_dir().ok();
        let from = from.map(|path| beneath::names(Vec::new(), path.as_os_str().as_bytes()));
        Grants { from, ..Grants::default() }
    }

    /// Lets programs read the files in a directory, and see what there is in it, at any depth.
    ///
    /// # Errors
    /// When it is no directory that can be opened.
    pub fn allow_read(&mut self, path: &Path) -> io::Result<()> {
        self.read.push(Directory::open(path, self.from.clone())?);
        Ok(())
    }

    /// Lets programs write, make, rename and remove files and directories in a directory, at any
    /// depth. That does not let them read.
    ///
    /// # Errors
    /// When it is no directory that can be opened.
    pub fn allow_write(&mut self, path: &Path) -> io::Result<()> {
        self.write.push(Directory::open(path, self.from.clone())?);
        Ok(())
    }

    /// Lets programs read a variable of the environment.
    pub fn allow_variable(&mut self, name: &OsStr) {
        self.variables.push(name.to_owned());
    }

    /// Lets programs read the clocks.
    pub fn allow_time(&mut self) {
        self.start = Some(Instant::now());
    }

    /// Lets programs have random bytes, those of the system.
    ///
    /// # Errors
    /// When the system has none.
    pub fn allow_random(&mut self) -> io::Result<()> {
        self.random = Some(File::open("/dev/urandom")?);
        Ok(())
    }

    /// Returns the place that a path leads to, in one of the directories.
    fn place<'a>(
        &self,
        granted: &'a [Directory],
        path: &[u8],
        by: &str,
    ) -> Result<Place<'a>, SystemError> {
        if path.contains(&0) {
            return Err(SystemError::Failed("a path has no NUL in it".to_owned()));
        }
        let from = match (path.first(), &self.from) {
            (Some(b'/'), _) => Vec::new(),
            (_, Some(from)) => from.clone(),
            (_, None) => return Err(SystemError::NotGranted(Some(by.to_owned()))),
        };
        let names = beneath::names(from, path);
        let place = granted.iter().find_map(|directory| directory.place(&names));
        place.ok_or_else(|| SystemError::NotGranted(Some(by.to_owned())))
    }

    fn to_read(&self, path: &[u8]) -> Result<Place<'_>, SystemError> {
        self.place(&self.read, path, READ)
    }

    fn to_write(&self, path: &[u8]) -> Result<Place<'_>, SystemError> {
        self.place(&self.write, path, WRITE)
    }
}

impl System for Grants {
    fn read(
        &mut self,
        path: &[u8],
        from: u64,
        most: u64,
        fits: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, SystemError> {
        let file = self.to_read(path)?.open(OFlags::RDONLY, Mode::empty());
        let file = file.map_err(|error| failed(error, READ))?;
        let stat = rustix::fs::fstat(&file).map_err(|error| failed(error, READ))?;
        let mut most = usize::try_from(most).unwrap_or(usize::MAX);
        let size = if is_file(&stat)? { u64::try_from(stat.st_size).unwrap_or(0) } else { 0 };
        let mut bytes = Vec::new();
        // A file of the kernel's own has no size, and something in it.
        if size > 0 {
            // What is there now fits or does not: so that it is read once, that is asked first.
            let rest = usize::try_from(size.saturating_sub(from)).unwrap_or(usize::MAX);
            most = most.min(rest);
            if !fits(most) {
                return Err(SystemError::Stopped);
            }
            bytes.reserve_exact(most);
        }
        while bytes.len() < most {
            let (len, piece) = (bytes.len(), PIECE.min(most - bytes.len()));
            if !fits(len + piece) {
                return Err(SystemError::Stopped);
            }
            bytes.resize(len + piece, 0);
            let into = bytes.get_mut(len..).unwrap_or_default();
            let read = read_at(&file, into, from.saturating_add(len as u64), &stat);
            let read = read.map_err(|error| failed(error, READ));
            bytes.truncate(len + read.as_ref().map_or(0, |read| *read));
            if read? == 0 {
                break;
            }
        }
        Ok(bytes)
    }

    fn size(&mut self, path: &[u8]) -> Result<u64, SystemError> {
        let stat = self.to_read(path)?.stat().map_err(|error| failed(error, READ))?;
        is_file(&stat)?;
        Ok(u64::try_from(stat.st_size).unwrap_or(0))
    }

    fn kind(&mut self, path: &[u8]) -> Result<FileKind, SystemError> {
        let stat = match self.to_read(path)?.stat() {
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(FileKind::Missing),
            stat => stat.map_err(|error| failed(error, READ))?,
        };
        Ok(match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => FileKind::File,
            FileType::Directory => FileKind::Directory,
            _ => FileKind::Other,
        })
    }

    fn list(&mut self, path: &[u8]) -> Result<Vec<Vec<u8>>, SystemError> {
        let failed = |error| failed(error, READ);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let directory = self.to_read(path)?.open(flags, Mode::empty()).map_err(failed)?;
        let mut names = Vec::new();
        for entry in Dir::new(directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b"..") {
                names.push(name.to_vec());
            }
        }
        Ok(names)
    }

    fn write(&mut self, path: &[u8], bytes: &[u8], appends: bool) -> Result<(), SystemError> {
        let failed = |error| failed(error, WRITE);
        let how = if appends { OFlags::APPEND } else { OFlags::TRUNC };
        let flags = OFlags::WRONLY | OFlags::CREATE | how;
        let file = self.to_write(path)?.open(flags, Mode::from_raw_mode(0o666)).map_err(failed)?;
        is_file(&rustix::fs::fstat(&file).map_err(failed)?)?;
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(&file, rest) {
                Err(Errno::INTR) => {}
                written => match rest.get(written.map_err(failed)?..) {
                    Some(left) if left.len() < rest.len() => rest = left,
                    _ => return Err(SystemError::Failed("it takes no more".to_owned())),
                },
            }
        }
        Ok(())
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), SystemError> {
        let (parent, name) = self.to_write(path)?.entry().map_err(|error| failed(error, WRITE))?;
        rustix::fs::unlinkat(parent, name, AtFlags::empty()).map_err(|error| failed(error, WRITE))
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), SystemError> {
        let failed = |error| failed(error, WRITE);
        let (from, old) = self.to_write(from)?.entry().map_err(failed)?;
        let (to, new) = self.to_write(to)?.entry().map_err(failed)?;
        match rustix::fs::renameat(from, old, to, new) {
            // Here it says that the two are on different devices.
            Err(Errno::XDEV) => Err(SystemError::Failed("it is on another device".to_owned())),
            renamed => renamed.map_err(failed),
        }
    }

    fn make_directory(&mut self, path: &[u8]) -> Result<(), SystemError> {
        let (parent, name) = self.to_write(path)?.entry().map_err(|error| failed(error, WRITE))?;
        let made = rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o777));
        made.map_err(|error| failed(error, WRITE))
    }

    fn remove_directory(&mut self, path: &[u8]) -> Result<(), SystemError> {
        let (parent, name) = self.to_write(path)?.entry().map_err(|error| failed(error, WRITE))?;
        let removed = rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR);
        removed.map_err(|error| failed(error, WRITE))
    }

    fn variable(&mut self, name: &[u8]) -> Result<Option<Vec<u8>>, SystemError> {
        let name = OsStr::from_bytes(name);
        if !self.variables.iter().any(|granted| granted == name) {
            return Err(SystemError::NotGranted(Some(VARIABLE.to_owned())));
        }
        Ok(std::env::var_os(name).map(OsString::into_vec))
    }

    fn wall_clock(&mut self) -> Result<Duration, SystemError> {
        if self.start.is_none() {
            return Err(SystemError::NotGranted(Some(TIME.to_owned())));
        }
        Ok(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
    }

    fn monotonic_clock(&mut self) -> Result<Duration, SystemError> {
        let start = self.start.ok_or_else(|| SystemError::NotGranted(Some(TIME.to_owned())))?;
        Ok(start.elapsed())
    }

    fn random(&mut self, buffer: &mut [u8]) -> Result<(), SystemError> {
        let Some(source) = &mut self.random else {
            return Err(SystemError::NotGranted(Some(RANDOM.to_owned())));
        };
        source.read_exact(buffer).map_err(|error| SystemError::Failed(reason(&error)))
    }
}

/// Reads bytes at a position; a device has none, and gives what comes next.
fn read_at(
    file: &impl std::os::fd::AsFd,
    into: &mut [u8],
    at: u64,
    stat: &Stat,
) -> Result<usize, Errno> {
    loop {
        let read = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => rustix::io::pread(file, &mut *into, at),
            _ => rustix::io::read(file, &mut *into),
        };
        if read != Err(Errno::INTR) {
            return read;
        }
    }
}

/// Returns whether it is a file, and not a device that can be read and written like one.
fn is_file(stat: &Stat) -> Result<bool, SystemError> {
    let why = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => return Ok(true),
        FileType::CharacterDevice => return Ok(false),
        FileType::Directory => "it is a directory",
        _ => "it is no file",
    };
    Err(SystemError::Failed(why.to_owned()))
}

/// Returns what an error of the system means for who asked for something that `by` grants.
fn failed(error: Errno, by: &str) -> SystemError {
    match error {
        Errno::NOENT => SystemError::Missing,
        // What is opened beneath a directory is not in it.
        Errno::XDEV | Errno::LOOP => SystemError::NotGranted(Some(by.to_owned())),
        error => SystemError::Failed(reason(&error.into())),
    }
}

fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

#[cfg(test)]
mod tests;

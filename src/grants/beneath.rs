//! Opening what is beneath a directory, and nothing else, from its open handle.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, Stat, openat};
use rustix::io::Errno;

/// The flags that open a handle on something that is neither read nor written. Linux refuses other
/// flags beside these.
#[cfg(target_os = "linux")]
const HANDLE: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const HANDLE: OFlags = OFlags::RDONLY.union(ALWAYS);

/// The flags that all that is read or written is opened with: nothing waits for another process,
/// becomes the terminal of this one, or is handed to a child.
const ALWAYS: OFlags = OFlags::CLOEXEC.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Appends the names in a path to those that lead to where it begins. `..` takes the last name
/// away, whatever is there.
pub(super) fn names(mut from: Vec<Vec<u8>>, path: &[u8]) -> Vec<Vec<u8>> {
    for name in path.split(|&byte| byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => {
                from.pop();
            }
            name => from.push(name.to_vec()),
        }
    }
    from
}

/// A directory that was granted.
#[derive(Debug)]
pub(super) struct Directory {
    handle: OwnedFd,
    /// The names that lead to it from the root: as it was called, and without symbolic links.
    paths: Vec<Vec<Vec<u8>>>,
}

impl Directory {
    /// Opens a directory; `from` leads to where its path begins.
    pub fn open(path: &Path, from: Option<Vec<Vec<u8>>>) -> io::Result<Directory> {
        let handle = openat(CWD, path, HANDLE | OFlags::DIRECTORY, Mode::empty())?;
        let real = path.canonicalize()?;
        let mut paths = vec![names(Vec::new(), real.as_os_str().as_bytes())];
        let called = path.as_os_str().as_bytes();
        match from {
            _ if path.is_absolute() => paths.push(names(Vec::new(), called)),
            Some(from) => paths.push(names(from, called)),
            None => {}
        }
        Ok(Directory { handle, paths })
    }

    /// Returns the place that some names lead to from the root, if it is in this directory.
    pub fn place(&self, names: &[Vec<u8>]) -> Option<Place<'_>> {
        let beneath = self.paths.iter().find_map(|path| names.strip_prefix(&path[..]))?;
        Some(Place { handle: self.handle.as_fd(), names: beneath.to_vec() })
    }
}

/// A place beneath a directory.
pub(super) struct Place<'a> {
    handle: BorrowedFd<'a>,
    /// The names that lead to it from there, none of which is `..`.
    names: Vec<Vec<u8>>,
}

impl Place<'_> {
    /// Opens what is there.
    pub fn open(&self, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        open_beneath(self.handle, &self.names, flags | ALWAYS, mode)
    }

    /// Tells what is there.
    pub fn stat(&self) -> Result<Stat, Errno> {
        rustix::fs::fstat(open_beneath(self.handle, &self.names, HANDLE, Mode::empty())?)
    }

    /// Opens the directory that it is in, and returns its name there.
    pub fn entry(&self) -> Result<(OwnedFd, OsString), Errno> {
        // The granted directory itself is in none that is granted.
        let (name, parents) = self.names.split_last().ok_or(Errno::XDEV)?;
        let flags = HANDLE | OFlags::DIRECTORY;
        let parent = open_beneath(self.handle, parents, flags, Mode::empty())?;
        Ok((parent, OsString::from_vec(name.clone())))
    }
}

/// Opens what is beneath a directory. The kernel sees to it that symbolic links do not lead out,
/// also while somebody else moves directories.
#[cfg(target_os = "linux")]
fn open_beneath(
    handle: BorrowedFd<'_>,
    names: &[Vec<u8>],
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};

    /// How often the kernel is asked again: directories that are moved at the same time may make it
    /// give up.
    const ATTEMPTS: u32 = 64;

    let path = if names.is_empty() { b".".to_vec() } else { names.join(&b'/') };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..ATTEMPTS {
        match openat2(handle, OsStr::from_bytes(&path), flags, mode, resolve) {
            Err(Errno::AGAIN) => {}
            // An old kernel, or one that may not be asked.
            Err(Errno::NOSYS | Errno::PERM) => return walk(handle, names, flags, mode),
            opened => return opened,
        }
    }
    Err(Errno::AGAIN)
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(
    handle: BorrowedFd<'_>,
    names: &[Vec<u8>],
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    walk(handle, names, flags, mode)
}

/// Opens a path name by name, without following any symbolic link.
pub(super) fn walk(
    handle: BorrowedFd<'_>,
    names: &[Vec<u8>],
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    let Some((last, parents)) = names.split_last() else {
        return openat(handle, ".", flags, mode);
    };
    let mut at: Option<OwnedFd> = None;
    for name in parents {
        let from = at.as_ref().map_or(handle, AsFd::as_fd);
        let flags = HANDLE | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        at = Some(openat(from, OsStr::from_bytes(name), flags, Mode::empty())?);
    }
    let from = at.as_ref().map_or(handle, AsFd::as_fd);
    openat(from, OsStr::from_bytes(last), flags | OFlags::NOFOLLOW, mode)
}

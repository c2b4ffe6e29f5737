//! A system of files in memory, a clock that counts, and bytes that only look random: the same for
//! every run.

use std::collections::BTreeMap;
use std::time::Duration;

use gmachine::machine::{FileKind, System, SystemError};

/// What of it fails, for tests of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// Bytes that can be written before the disk is full; a write of more writes a part.
    pub room: Option<usize>,
    /// How many requests for a file are answered before all files have gone.
    pub gone_after: Option<u64>,
}

/// Files and directories by their names in the one directory that is granted: `None` is a
/// directory. Paths that begin with `/` or have `..` in them are not granted.
#[derive(Clone, Debug)]
pub struct Memory {
    nodes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    faults: Faults,
    requests: u64,
    readings: u32,
    dice: u64,
}

/// The file that is there to begin with.
const NOTES: (&str, &str) = ("notes.txt", "buy milk\ncall Ann\n");

impl Default for Memory {
    fn default() -> Memory {
        Memory::new(Faults::default())
    }
}

impl Memory {
    /// Returns the files that there are to begin with.
    #[must_use]
    pub fn new(faults: Faults) -> Memory {
        let notes = (NOTES.0.as_bytes().to_vec(), Some(NOTES.1.as_bytes().to_vec()));
        let root = (Vec::new(), None);
        Memory { nodes: [root, notes].into(), faults, requests: 0, readings: 0, dice: 1 }
    }

    /// Returns the name that a path leads to.
    fn name(&mut self, path: &[u8], by: &str) -> Result<Vec<u8>, SystemError> {
        let parts: Vec<&[u8]> =
            path.split(|&b| b == b'/').filter(|part| !matches!(*part, b"" | b".")).collect();
        if path.first() == Some(&b'/') || parts.contains(&&b".."[..]) {
            return Err(SystemError::NotGranted(Some(by.to_owned())));
        }
        self.requests += 1;
        if self.faults.gone_after.is_some_and(|after| self.requests > after) {
            self.nodes.retain(|name, _| name.is_empty());
        }
        Ok(parts.join(&b'/'))
    }

    fn file(&mut self, path: &[u8]) -> Result<&Vec<u8>, SystemError> {
        let name = self.name(path, "--allow-read DIR")?;
        match self.nodes.get(&name) {
            None => Err(SystemError::Missing),
            Some(None) => Err(SystemError::Failed("it is a directory".to_owned())),
            Some(Some(bytes)) => Ok(bytes),
        }
    }

    /// Returns the name of something to be made, whose directory is there.
    fn new_name(&mut self, path: &[u8]) -> Result<Vec<u8>, SystemError> {
        let name = self.name(path, "--allow-write DIR")?;
        let parent = name.iter().rposition(|&b| b == b'/').map_or(&b""[..], |at| &name[..at]);
        match self.nodes.get(parent) {
            Some(None) => Ok(name),
            Some(Some(_)) => Err(SystemError::Failed("not a directory".to_owned())),
            None => Err(SystemError::Missing),
        }
    }

    fn has_children(&self, name: &[u8]) -> bool {
        let inside = [name, b"/"].concat();
        self.nodes.keys().any(|other| match name {
            b"" => !other.is_empty(),
            _ => other.starts_with(&inside),
        })
    }
}

impl System for Memory {
    fn read(
        &mut self,
        path: &[u8],
        from: u64,
        most: u64,
        fits: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, SystemError> {
        let bytes = self.file(path)?;
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(bytes.len());
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(bytes.len() - from);
        if !fits(most) {
            return Err(SystemError::Stopped);
        }
        Ok(bytes[from..from + most].to_vec())
    }

    fn size(&mut self, path: &[u8]) -> Result<u64, SystemError> {
        self.file(path).map(|bytes| bytes.len() as u64)
    }

    fn kind(&mut self, path: &[u8]) -> Result<FileKind, SystemError> {
        let name = self.name(path, "--allow-read DIR")?;
        Ok(match self.nodes.get(&name) {
            None => FileKind::Missing,
            Some(None) => FileKind::Directory,
            Some(Some(_)) => FileKind::File,
        })
    }

    fn list(&mut self, path: &[u8]) -> Result<Vec<Vec<u8>>, SystemError> {
        let name = self.name(path, "--allow-read DIR")?;
        match self.nodes.get(&name) {
            None => return Err(SystemError::Missing),
            Some(Some(_)) => return Err(SystemError::Failed("not a directory".to_owned())),
            Some(None) => {}
        }
        let inside = if name.is_empty() { name } else { [&name[..], b"/"].concat() };
        let names = self.nodes.keys().filter_map(|other| other.strip_prefix(&inside[..]));
        let names = names.filter(|rest| !rest.is_empty() && !rest.contains(&b'/'));
        // In any order, as a disk has them.
        Ok(names.map(<[u8]>::to_vec).rev().collect())
    }

    fn write(&mut self, path: &[u8], bytes: &[u8], appends: bool) -> Result<(), SystemError> {
        let name = self.new_name(path)?;
        if let Some(None) = self.nodes.get(&name) {
            return Err(SystemError::Failed("it is a directory".to_owned()));
        }
        let room = self.faults.room.unwrap_or(usize::MAX).min(bytes.len());
        self.faults.room = self.faults.room.map(|left| left - room);
        let file = self.nodes.entry(name).or_default().get_or_insert_default();
        if !appends {
            file.clear();
        }
        file.extend_from_slice(&bytes[..room]);
        if room < bytes.len() {
            return Err(SystemError::Failed("no space left on device".to_owned()));
        }
        Ok(())
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), SystemError> {
        let name = self.new_name(path)?;
        match self.nodes.get(&name) {
            None => Err(SystemError::Missing),
            Some(None) => Err(SystemError::Failed("it is a directory".to_owned())),
            Some(Some(_)) => {
                self.nodes.remove(&name);
                Ok(())
            }
        }
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), SystemError> {
        let (from, to) = (self.new_name(from)?, self.new_name(to)?);
        let Some(node) = self.nodes.get(&from).cloned() else { return Err(SystemError::Missing) };
        let is_taken = self.nodes.get(&to).is_some_and(|old| old.is_none() || node.is_none());
        if self.has_children(&from) || (is_taken && from != to) {
            return Err(SystemError::Failed("it cannot be moved there".to_owned()));
        }
        self.nodes.remove(&from);
        self.nodes.insert(to, node);
        Ok(())
    }

    fn make_directory(&mut self, path: &[u8]) -> Result<(), SystemError> {
        let name = self.new_name(path)?;
        if self.nodes.contains_key(&name) {
            return Err(SystemError::Failed("file exists".to_owned()));
        }
        self.nodes.insert(name, None);
        Ok(())
    }

    fn remove_directory(&mut self, path: &[u8]) -> Result<(), SystemError> {
        let name = self.new_name(path)?;
        match self.nodes.get(&name) {
            None => Err(SystemError::Missing),
            Some(Some(_)) => Err(SystemError::Failed("not a directory".to_owned())),
            Some(None) if name.is_empty() || self.has_children(&name) => {
                Err(SystemError::Failed("directory not empty".to_owned()))
            }
            Some(None) => {
                self.nodes.remove(&name);
                Ok(())
            }
        }
    }

    fn variable(&mut self, name: &[u8]) -> Result<Option<Vec<u8>>, SystemError> {
        match name {
            b"HOME" => Ok(Some(b"/home/ann".to_vec())),
            b"UNSET" => Ok(None),
            _ => Err(SystemError::NotGranted(Some("--allow-env NAME".to_owned()))),
        }
    }

    fn wall_clock(&mut self) -> Result<Duration, SystemError> {
        Ok(Duration::from_secs(1_700_000_000))
    }

    fn monotonic_clock(&mut self) -> Result<Duration, SystemError> {
        self.readings += 1;
        Ok(Duration::from_micros(7) * self.readings)
    }

    fn random(&mut self, buffer: &mut [u8]) -> Result<(), SystemError> {
        for byte in buffer {
            self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = (self.dice >> 56) as u8;
        }
        Ok(())
    }
}

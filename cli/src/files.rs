//! Files, and what the system says of them.

use std::fs::File;
use std::io::{self, Error, ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gmachine::diagnostic::quote::for_message;
use gmachine::diagnostic::{Code, normal_path};
use gmachine::{Loader, MainFile, Source};

use super::args::{Form, Program};
use super::{Context, Failure};

/// The most bytes that a program's sources can have.
const LARGEST: u64 = 4 << 30;

/// The files of the system.
pub struct Files;

impl Loader for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_all(File::open(path)?)
    }

    fn identity(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| normal_path(path))
    }
}

/// Returns all that a file holds, unless that is more than any source.
fn read_all(mut file: File) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(size.min(LARGEST) as usize);
    if size <= LARGEST {
        Read::take(&mut file, LARGEST + 1).read_to_end(&mut bytes)?;
    }
    if size > LARGEST || bytes.len() as u64 > LARGEST {
        return Err(Error::new(ErrorKind::FileTooLarge, "it is larger than 4 GiB"));
    }
    Ok(bytes)
}

/// Returns the program in `path`, in some form; `-` is standard input.
pub fn root(path: &Path, form: Form, context: &Context) -> Result<Source, Failure> {
    let source = written(path, form, context)?;
    let file = match source.file {
        Some(MainFile::Text { name, text, directory }) if form == Form::Json => {
            Some(MainFile::Json { name, text, directory })
        }
        file => file,
    };
    Ok(Source { file, ..source })
}

/// Returns the text in `path`, if it has to be read at once.
fn written(path: &Path, form: Form, context: &Context) -> Result<Source, Failure> {
    if path.as_os_str() != "-" && form == Form::Coref {
        return Ok(Source::path(path));
    }
    if path.as_os_str() != "-" {
        let name = path.display().to_string();
        let read =
            Files.read(path).with_context(|| format!("cannot read `{}`", for_message(&name)));
        // Joined to the directory, the name is the path.
        let directory = Some(PathBuf::new());
        return match read {
            Ok(text) => {
                let file = MainFile::Text { name, text, directory };
                Ok(Source { file: Some(file), expression: None })
            }
            Err(error) => Err(context.system(Code::CannotRead, &error)),
        };
    }
    let read = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned();
    let text = read.and_then(|stdin| read_all(File::from(stdin)));
    match text.context("standard input cannot be read") {
        Ok(text) => {
            let file = MainFile::Text {
                name: "<stdin>".to_owned(),
                text,
                directory: Some(PathBuf::new()),
            };
            Ok(Source { file: Some(file), expression: None })
        }
        Err(error) => Err(context.system(Code::CannotRead, &error)),
    }
}

/// Returns the program that a command is asked for.
pub fn program(args: &Program, form: Form, context: &Context) -> Result<Source, Failure> {
    let root = match &args.file {
        Some(path) => root(path, form, context)?,
        None => Source::default(),
    };
    Ok(Source { expression: args.expr.clone(), ..root })
}

/// Writes an artefact to a file.
///
/// # Errors
/// When it cannot be written, which is reported.
pub fn write(path: &Path, content: impl AsRef<[u8]>, context: &Context) -> Result<(), Failure> {
    reported(path, std::fs::write(path, content), context)
}

/// Makes sure that a file can be written, and leaves what is in it.
pub fn append_nothing(path: &Path, context: &Context) -> Result<(), Failure> {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
    reported(path, opened.map(drop), context)
}

fn reported(path: &Path, result: std::io::Result<()>, context: &Context) -> Result<(), Failure> {
    let written = result.map_err(|error| {
        let name = for_message(&path.to_string_lossy());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        match folder.filter(|folder| error.kind() == ErrorKind::NotFound && !folder.exists()) {
            Some(folder) => {
                let folder = for_message(&folder.to_string_lossy());
                let reason = anyhow::anyhow!("there is no folder `{folder}`");
                reason.context(format!("`{name}` cannot be written"))
            }
            None => anyhow::Error::new(error).context(format!("`{name}` cannot be written")),
        }
    });
    written.map_err(|error| context.system(Code::OutputFailed, &error))
}

/// Returns in words why an operation on a file failed.
pub fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        ErrorKind::IsADirectory => "it is a directory".to_owned(),
        ErrorKind::FileTooLarge => "it is larger than 4 GiB".to_owned(),
        ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or(&text);
            let mut letters = text.chars();
            letters
                .next()
                .map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_words_without_numbers() {
        assert_eq!(reason(&Error::from_raw_os_error(2)), "there is no such file");
        assert_eq!(reason(&Error::from_raw_os_error(5)), "input/output error");
    }
}

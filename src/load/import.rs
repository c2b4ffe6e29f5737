//! Imports: files beside the one that imports them, and modules of the corelib.

use std::io;
use std::path::{Path, PathBuf};

use super::{Load, Loaded};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::base::suggest::nearest;
use crate::corelib;
use crate::syntax::ast::{Expr, Item, ItemKind};

impl Load<'_> {
    /// Loads what the files imported that wait on the work list, and what those import.
    pub(super) fn imports(&mut self) {
        let mut next = 0;
        while let Some(items) = self.work.get(next).cloned() {
            next += 1;
            for index in items {
                let Item { name, name_span, file, ref kind, .. } = self.out.ast.items[index];
                match kind {
                    ItemKind::ImportFile { path } => {
                        let path = path.clone();
                        self.import_file(&path, name_span, file);
                    }
                    ItemKind::ImportModule => {
                        let name = name.map(|name| self.out.names.shared(name));
                        self.import_module(name.as_deref().unwrap_or_default(), name_span, file);
                    }
                    ItemKind::Defn { .. } | ItemKind::Data { .. } => {}
                }
            }
        }
        self.work.clear();
    }

    fn import_file(&mut self, path: &str, at: Span, from: usize) {
        let Some(importing) = &self.out.sources.files()[from].path else {
            let message =
                format!("cannot import `{}` here: this text is no file", for_message(path));
            let help = "only a file can import files; they are looked up beside it";
            self.report(Diagnostic::error(Code::CannotRead, at, message).help(help));
            return;
        };
        let path = match importing.parent() {
            Some(directory) => directory.join(path),
            None => PathBuf::from(path),
        };
        self.path(&path, at);
    }

    /// Loads the file `path`, which is imported at `at`, unless it is there.
    pub(super) fn path(&mut self, path: &Path, at: Span) {
        if self.files.insert(self.loader.identity(path), ()).is_some() {
            return;
        }
        match self.loader.read(path) {
            Ok(bytes) => {
                self.bytes(path.display().to_string(), Some(path.to_path_buf()), bytes, at)
            }
            Err(error) => {
                if error.kind() == io::ErrorKind::NotFound
                    && !at.is_none()
                    && self.compiled_instead(path, at)
                {
                    return;
                }
                let message = format!("cannot read `{}`: {}", shown_path(path), reason(&error));
                let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                let help = corelib::module(name).filter(|_| !at.is_none()).map(|_| {
                    format!("the module of the corelib is imported without quotes: (import {name})")
                });
                self.report(Diagnostic::error(Code::CannotRead, at, message).maybe_help(help));
            }
        }
    }

    /// Loads the compiled module that stands in the place of an imported source which is not
    /// there. Returns whether there is one.
    fn compiled_instead(&mut self, source: &Path, at: Span) -> bool {
        if source.extension().is_none_or(|extension| extension != "core") {
            return false;
        }
        let path = source.with_extension("gm");
        let identity = self.loader.identity(&path);
        if self.files.contains_key(&identity) {
            return true;
        }
        let Ok(bytes) = self.loader.read(&path) else { return false };
        self.files.insert(identity, ());
        self.bytes(path.display().to_string(), Some(path), bytes, at);
        true
    }

    fn import_module(&mut self, name: &str, at: Span, from: usize) {
        let Some(index) = self.module(name) else {
            let mut report = Diagnostic::error(
                Code::UnknownModule,
                at,
                format!("there is no module `{}`", for_message(name)),
            );
            report = match nearest(name, corelib::MODULES.iter().copied()) {
                Some(meant) => report.help(format!("did you mean `{meant}`?")),
                None => report.help(format!(
                    "the modules are {}; a file is imported as (import \"file.core\")",
                    corelib::MODULES.join(", ")
                )),
            };
            self.report(report);
            return;
        };
        let imports = match self.out.modules.iter_mut().find(|module| module.file == from) {
            Some(module) => &mut module.imports,
            None => &mut self.out.imports,
        };
        if !imports.contains(&index) {
            imports.push(index);
        }
    }

    /// Imports the modules that define the names in the expressions from `first` on.
    pub(super) fn import_what_is_named(&mut self, first: usize, file: usize) {
        let Loaded { ast, names, .. } = &self.out;
        let named = ast.exprs.iter().skip(first).filter_map(|expr| match expr {
            Expr::Name(name) => corelib::defining(names.text(*name)),
            _ => None,
        });
        let modules: Vec<&str> = named.collect();
        for module in modules {
            self.import_module(module, Span::NONE, file);
        }
        self.imports();
    }
}

/// Returns a path as a message shows it.
fn shown_path(path: &Path) -> String {
    for_message(&path.display().to_string())
}

/// Returns in plain words why a file cannot be read.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::PermissionDenied => "it may not be read (permission denied)".to_string(),
        io::ErrorKind::IsADirectory => "it is a directory".to_string(),
        io::ErrorKind::InvalidInput => "this is no path of a file".to_string(),
        _ => {
            // Without the system's number, which says nothing to most.
            let text = error.to_string();
            for_message(text.split(" (os error").next().unwrap_or(&text))
        }
    }
}

//! Texts: what is added to the sources and parsed, and what directives in them say.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::{Load, Loaded};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::name::Name;
use crate::base::origin::{Original, Origins};
use crate::base::quote::for_message;
use crate::base::source::SourceFile;
use crate::base::span::Span;
use crate::syntax::ast::ItemKind;
use crate::syntax::binary;
use crate::syntax::directive::{Directives, DisplayName};
use crate::syntax::json;
use crate::syntax::machine_code;
use crate::syntax::parse::parse_file;

impl Load<'_> {
    /// Adds and parses a text that is imported at `at`.
    pub(super) fn bytes(&mut self, name: String, path: Option<PathBuf>, bytes: Vec<u8>, at: Span) {
        if binary::is_module(&bytes) {
            return self.compiled(&name, path, bytes, at);
        }
        let (text, bad) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let bytes = error.into_bytes();
                let byte = bytes.get(valid).copied().unwrap_or_default();
                // The text up to the bad byte is as it was, so places in it are right.
                (String::from_utf8_lossy(&bytes).into_owned(), Some((valid, byte)))
            }
        };
        let skipped = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let shown_name = name.clone();
        let added = match skipped {
            0 => self.out.sources.add(name, path, text, false),
            _ => self.out.sources.add(name, path, &text[skipped..], false),
        };
        let Ok(file) = added else {
            return self.too_large(&shown_name, at);
        };
        let Some((valid, byte)) = bad else { return self.parse(file) };
        let start = self.out.sources.files()[file].base + (valid - skipped) as u32;
        // The replacement character, which stands for the bad bytes.
        let span = Span::new(start, start + '\u{FFFD}'.len_utf8() as u32);
        let message = format!("this source is not UTF-8: byte {} is 0x{byte:02X}", valid + 1);
        self.report(
            Diagnostic::error(Code::InvalidUtf8, span, message)
                .label("the first bytes that are no character")
                .help("save the file as UTF-8"),
        );
    }

    /// Adds a program in JSON.
    pub(super) fn json(&mut self, name: &str, path: Option<PathBuf>, bytes: &[u8]) {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return self.bytes(name.to_owned(), path, bytes.to_vec(), Span::NONE);
        };
        match json::to_text(name, text) {
            Ok(code) => {
                self.json = Some(SourceFile::apart(name, text));
                self.bytes(name.to_owned(), path, code.into_bytes(), Span::NONE);
                self.json = None;
            }
            Err(json::Mistake { span, message }) => {
                let Ok(file) = self.out.sources.add(name, path, text, false) else {
                    return self.bytes(name.to_owned(), None, Vec::new(), Span::NONE);
                };
                let base = self.out.sources.files()[file].base;
                let span = Span::new(base + span.lo, base + span.hi);
                self.report(
                    Diagnostic::error(Code::BadJson, span, message)
                        .help("docs/targeting.md has the schema `gmachine-program`"),
                );
            }
        }
    }

    pub(super) fn too_large(&mut self, name: &str, at: Span) {
        let name = for_message(name);
        let message = format!("`{name}` is too large: all sources together may have 4 GiB");
        self.report(Diagnostic::error(Code::TooLarge, at, message));
    }

    pub(super) fn parse(&mut self, file: usize) {
        let from = self.out.ast.items.len();
        let out = &mut self.out;
        let before = out.diagnostics.len();
        let directives =
            parse_file(&out.sources, file, &mut out.names, &mut out.ast, &mut out.diagnostics);
        if out.diagnostics.iter().skip(before).any(Diagnostic::is_error)
            && let Some(report) = out.sources.files().get(file).and_then(of_listing)
        {
            out.diagnostics.truncate(before);
            out.diagnostics.push(report);
            out.ast.items.truncate(from);
            return;
        }
        self.work.push(from..self.out.ast.items.len());
        self.display_names(from, &directives.names);
        if !directives.origins.is_empty() {
            self.origins(file, directives);
        }
    }

    /// Notes the display names of the items from `from` on.
    fn display_names(&mut self, from: usize, names: &[DisplayName]) {
        if names.is_empty() {
            return;
        }
        let Loaded { ast, names: interner, labels, diagnostics, .. } = &mut self.out;
        let mut named: FxHashMap<u32, (Name, bool)> = FxHashMap::default();
        for item in ast.items.get(from..).unwrap_or_default() {
            let cons = match &item.kind {
                ItemKind::Data { cons } => cons.as_slice(),
                ItemKind::Defn { .. } => &[],
                ItemKind::ImportFile { .. } | ItemKind::ImportModule => continue,
            };
            let is_type = matches!(item.kind, ItemKind::Data { .. });
            named.extend(item.name.map(|name| (item.span.lo, (name, is_type))));
            named.extend(cons.iter().map(|con| (con.span.lo, (con.name, false))));
        }
        for DisplayName { text, span, at, inner } in names {
            let name = named.get(at).or_else(|| named.get(inner.as_ref()?));
            let Some(&(name, is_type)) = name else {
                let message = "what stands after this directive has no name to be shown";
                diagnostics.push(
                    Diagnostic::error(Code::BadDirective, *span, message)
                        .help("a display name stands before a defn, a data or a constructor"),
                );
                continue;
            };
            let table = if is_type { &mut labels.types } else { &mut labels.definitions };
            table.insert(interner.shared(name), (**text).into());
        }
    }

    /// Reads the texts that a file says it comes from; one that cannot be read has no excerpts.
    fn origins(&mut self, file: usize, directives: Directives) {
        let Some(source) = self.out.sources.files().get(file) else { return };
        let directory = source.path.as_ref().map(|path| path.parent().unwrap_or(Path::new("")));
        let files = directives.files.into_iter();
        let originals = files.map(|name| self.original(name, directory)).collect();
        let mut origins = Origins::new(originals, &directives.origins);
        origins.is_hidden = self.json.is_some();
        self.out.sources.set_origins(file, origins);
    }

    /// Returns an original text that is called `name`, read if it can be.
    pub(super) fn original(&self, name: Box<str>, directory: Option<&Path>) -> Original {
        if let Some(json) = self.json.as_ref().filter(|json| *json.name == *name) {
            return Original { file: Some(json.clone()), name };
        }
        let bytes = directory.and_then(|at| self.loader.read(&at.join(&*name)).ok());
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        // More than positions can count is taken for unreadable.
        let text = text.filter(|text| u32::try_from(text.len()).is_ok());
        let file = text.map(|text| SourceFile::apart(&*name, text));
        Original { name, file }
    }
}

/// Returns the report that a file is no source but a listing of code, if it is one.
fn of_listing(file: &SourceFile) -> Option<Diagnostic> {
    let listing = machine_code::find(&file.text)?;
    let [lo, hi] = [listing.at.start, listing.at.end].map(|at| file.base + at as u32);
    let message = format!("this is a listing of {}, not a program", listing.of);
    let help = match listing.of {
        "G-code" => {
            "run the program that it was made of; a program in Rust runs G-code: `Module::from_gcode`"
        }
        _ => "run the program that it was made of",
    };
    Some(Diagnostic::error(Code::ExpectedItem, Span::new(lo, hi), message).help(help))
}

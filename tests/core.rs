//! Names, patterns, core and supercombinators, from source text.
#![allow(clippy::unwrap_used, missing_docs)]

mod diagnostics;
mod dumps;
mod generate;
mod interpret;
mod large;
mod partial;
mod properties;

use std::io;
use std::path::Path;

use gmachine::base::diagnostic::{Diagnostic, Severity};
use gmachine::core::expr::Program;
use gmachine::core::lower::lower;
use gmachine::core::options::{Mode, Options};
use gmachine::core::scope::HostDecl;
use gmachine::load::{Loaded, Loader, Source, load};

/// Files given as text.
struct Files<'a>(&'a [(&'a str, &'a str)]);

impl Loader for Files<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let found = self.0.iter().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or(io::ErrorKind::NotFound.into())
    }
}

fn load_text(text: &str) -> Loaded {
    load(&Source::text("main.core", text), &Files(&[]))
}

/// Loads the first of some files.
fn load_files(files: &[(&str, &str)]) -> Loaded {
    load(&Source::path(files[0].0), &Files(files))
}

fn run_options() -> Options {
    Options::RUN
}

fn check_options() -> Options {
    Options { mode: Mode::Check, needs_main: false, ..Options::RUN }
}

/// Lowers and lifts; panics on a report of an error or a violated invariant.
fn compile(text: &str) -> (Loaded, Program, Program) {
    let loaded = load_text(text);
    assert_eq!(loaded.diagnostics, []);
    let (core, reports) = lower(&loaded, &[], &run_options());
    let errors: Vec<&Diagnostic> = reports.iter().filter(|report| report.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let violations = gmachine::core::lint::lint(&core);
    assert!(violations.is_empty(), "{violations:?}\n{text}");
    let lifted = gmachine::lift::lift(core.clone()).expect("few captures");
    let violations = gmachine::lift::lint::lint(&lifted);
    assert!(
        violations.is_empty(),
        "{violations:?}\n{text}\n{}",
        gmachine::core::print::program(&lifted, &loaded.names)
    );
    (loaded, core, lifted)
}

/// Reports as text: code, place, message, and each further line of a report indented.
fn reports(loaded: &Loaded, hosts: &[HostDecl], options: &Options) -> String {
    let (_, found) = lower(loaded, hosts, options);
    let mut out = String::new();
    for report in loaded.diagnostics.iter().chain(&found) {
        let place = |span| match loaded.sources.place(span) {
            Some(place) => {
                format!("{}:{} `{}`", place.line, place.column, loaded.sources.text(span))
            }
            None => "-".to_owned(),
        };
        let severity = if report.severity == Severity::Error { "error" } else { "warning" };
        out.push_str(&format!("{severity}[{}] {}\n", report.code, report.message));
        out.push_str(&format!("  at {} {}\n", place(report.primary.span), report.primary.text));
        for label in &report.secondary {
            out.push_str(&format!("  and {} {}\n", place(label.span), label.text));
        }
        for note in &report.notes {
            out.push_str(&format!("  note: {note}\n"));
        }
        if let Some(help) = &report.help {
            out.push_str(&format!("  help: {help}\n"));
        }
    }
    out
}

//! Reports on standard error: for people, for editors, for programs.

mod excerpt;
mod human;
mod json;

pub use json::span as json_span;

use std::io::{IsTerminal, Write};

use gmachine::base::diagnostic::{Diagnostic, Severity};
use gmachine::base::quote::needs_escape;
use gmachine::base::source::SourceMap;
use gmachine::base::span::Span;
use gmachine::machine::outcome::{Chain, Waiting};

use super::args::{Color, ErrorFormat, Global};

/// How many reports people get to see.
const SHOWN: usize = 100;

/// Writes reports, and counts them.
pub struct Reporter {
    format: ErrorFormat,
    color: bool,
    quiet: bool,
}

/// A report, and for a failure at run time what waited for the failing expression.
#[derive(Clone, Copy)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    chain: Option<&'a Chain>,
    sources: &'a SourceMap,
}

impl Reporter {
    /// A reporter as the command line asks for it.
    pub fn new(global: &Global) -> Reporter {
        let color = use_color(global.color, std::io::stderr().is_terminal());
        Reporter { format: global.error_format, color, quiet: global.quiet }
    }

    /// Writes the reports about a program, then how many they were.
    pub fn all(&self, diagnostics: &[Diagnostic], sources: &SourceMap) {
        let wanted: Vec<&Diagnostic> =
            diagnostics.iter().filter(|report| !self.quiet || report.is_error()).collect();
        let shown = match self.format {
            ErrorFormat::Human => SHOWN,
            ErrorFormat::Short | ErrorFormat::Json => usize::MAX,
        };
        let mut out = String::new();
        for diagnostic in wanted.iter().take(shown) {
            self.render(&mut out, Report { diagnostic, chain: None, sources });
        }
        if self.format == ErrorFormat::Human
            && let Some(total) = total(&wanted)
        {
            if wanted.len() > shown {
                out.push_str(&format!("the first {shown} of "));
            }
            out.push_str(&total);
            out.push('\n');
        }
        write(&out);
    }

    /// Writes one report.
    pub fn one(&self, diagnostic: &Diagnostic, sources: &SourceMap) {
        self.with_chain(diagnostic, None, sources);
    }

    /// Writes the report of a run that stopped.
    pub fn with_chain(&self, diagnostic: &Diagnostic, chain: Option<&Chain>, sources: &SourceMap) {
        let mut out = String::new();
        self.render(&mut out, Report { diagnostic, chain, sources });
        write(&out);
    }

    fn render(&self, out: &mut String, report: Report<'_>) {
        match self.format {
            ErrorFormat::Human => human::render(out, report, self.color),
            ErrorFormat::Short => short(out, report),
            ErrorFormat::Json => json::render(out, report),
        }
    }
}

/// Writes to standard error; that it fails cannot be reported anywhere.
pub fn write(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Whether a stream is coloured.
pub fn use_color(choice: Color, terminal: bool) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if set("NO_COLOR") => false,
        Color::Auto
            if std::env::var_os("CLICOLOR_FORCE").is_some_and(|v| !v.is_empty() && v != "0") =>
        {
            true
        }
        Color::Auto => terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// `file:line:col: error[G0201]: message`
fn short(out: &mut String, report: Report<'_>) {
    let diagnostic = report.diagnostic;
    if let Some(place) = place(report.sources, diagnostic.primary.span) {
        out.push_str(&place);
        out.push_str(": ");
    }
    let message = one_line(&diagnostic.message);
    out.push_str(&format!("{}[{}]: {message}\n", severity(diagnostic.severity), diagnostic.code));
}

/// `2 errors, 1 warning`, if they are more than one.
fn total(reports: &[&Diagnostic]) -> Option<String> {
    if reports.len() < 2 {
        return None;
    }
    let errors = reports.iter().filter(|report| report.is_error()).count();
    let count = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let parts = [count(errors, "error"), count(reports.len() - errors, "warning")];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// The word for how bad it is.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// `file:line:col`
pub fn place(sources: &SourceMap, span: Span) -> Option<String> {
    let place = sources.place(span)?;
    Some(format!("{}:{}:{}", one_line(place.file), place.line, place.column))
}

/// How many characters of an expression are shown in a line of text.
const EXPRESSION: usize = 40;

/// What one evaluation waits for: ``take waits for `(f x)` at file:line:col``.
fn waiting(waiting: &Waiting, sources: &SourceMap) -> String {
    let mut line = one_line(&waiting.name);
    let text = sources.text(waiting.span);
    if !text.is_empty() {
        line.push_str(&format!(" waits for `{}`", short_expression(text)));
    }
    if let Some(place) = place(sources, waiting.span) {
        line.push_str(" at ");
        line.push_str(&place);
    }
    line
}

/// An expression in one line, blanks made one, its end left away if it is long.
pub fn short_expression(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split_ascii_whitespace() {
        if length > 0 {
            out.push(' ');
        }
        for c in word.chars() {
            if length == EXPRESSION {
                out.push('…');
                return out;
            }
            push_plain(&mut out, c);
            length += 1;
        }
    }
    out
}

/// Text that cannot drive a terminal, and stays on its line.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_plain(&mut out, c));
    out
}

/// Text that cannot drive a terminal; it keeps its lines.
fn plain(text: &str) -> String {
    text.split('\n').map(one_line).collect::<Vec<_>>().join("\n")
}

/// Appends `c`, or its escape if a terminal would act on it.
fn push_plain(out: &mut String, c: char) {
    if needs_escape(c) {
        out.push_str(&format!("\\u{{{:X}}}", c as u32));
    } else {
        out.push(c);
    }
}

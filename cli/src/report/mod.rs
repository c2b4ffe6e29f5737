//! Reports on standard error: for people, for editors, for programs.

mod json;

pub use json::{
    Object as JsonReport, Place as JsonPlace, object as json_report, span as json_span,
    text as json_text,
};

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;

use gmachine::Chain;
use gmachine::diagnostic::{Code, Diagnostic, Severity, SourceMap, Span};
use gmachine::render::{Renderer, one_line, outside_corelib, place};

use super::args::{Color, ErrorFormat, Global};
use super::output::Patient;

/// How many reports people get to see.
const SHOWN: usize = 100;

/// Writes reports, and counts them.
pub struct Reporter {
    format: ErrorFormat,
    color: bool,
    quiet: bool,
    /// The places that people were warned of.
    warned: RefCell<HashSet<Span>>,
    /// Those of them that are operands which do not fit.
    operands: RefCell<Vec<Span>>,
    /// The help that they were given.
    helped: RefCell<HashSet<String>>,
}

/// A report, and for a failure at run time what waited for the failing expression.
#[derive(Clone, Copy)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    chain: Option<&'a Chain>,
    sources: &'a SourceMap,
}

impl Reporter {
    /// Makes a reporter as the command line asks for it.
    pub fn new(global: &Global) -> Reporter {
        let color = use_color(global.color, std::io::stderr().is_terminal());
        Reporter {
            format: global.error_format,
            color,
            quiet: global.quiet,
            warned: RefCell::default(),
            operands: RefCell::default(),
            helped: RefCell::default(),
        }
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
            self.warned.borrow_mut().insert(diagnostic.primary.span);
            if diagnostic.code == Code::OperandKind {
                self.operands.borrow_mut().push(diagnostic.primary.span);
            }
            self.helped.borrow_mut().extend(diagnostic.help.clone());
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

    /// Forgets what people were warned of: by now other lines may stand above what is reported.
    pub fn forget(&self) {
        self.warned.borrow_mut().clear();
        self.operands.borrow_mut().clear();
        self.helped.borrow_mut().clear();
    }

    /// Writes one report.
    pub fn one(&self, diagnostic: &Diagnostic, sources: &SourceMap) {
        self.with_chain(diagnostic, None, sources);
    }

    /// Writes the report of a run that stopped. People who were warned of its place are shown the
    /// source there once.
    pub fn with_chain(&self, diagnostic: &Diagnostic, chain: Option<&Chain>, sources: &SourceMap) {
        let mut out = String::new();
        let diagnostic = &*outside_corelib(diagnostic, chain, sources);
        let span = diagnostic.primary.span;
        let shown = self.format == ErrorFormat::Human && self.is_warned(span, sources);
        let short;
        // That the program needs what the warning was about says nothing new.
        let is_new = |chain: &&Chain| {
            !shown || chain.frames.iter().any(|one| one.span != span || one.times > 1)
        };
        let chain = chain.filter(is_new);
        let diagnostic = match place(sources, span).filter(|_| shown) {
            Some(place) => {
                let Diagnostic { code, message, help, primary, .. } = diagnostic.clone();
                let help = help.filter(|help| !self.helped.borrow().contains(help));
                let short_form =
                    Diagnostic { help, ..Diagnostic::error(code, Span::NONE, message) };
                // Of the corelib it says which function.
                let who = primary.text.strip_suffix("fails in here");
                let who = who.map_or_else(String::new, |who| format!("{who}fails "));
                short = short_form.note(format!("{who}at {place}, which the warning is about"));
                &short
            }
            None => diagnostic,
        };
        self.render(&mut out, Report { diagnostic, chain, sources });
        write(&out);
    }

    /// Returns whether somebody was warned of a place, or of an operand of the application there.
    fn is_warned(&self, span: Span, sources: &SourceMap) -> bool {
        let is_operand = |warned: &Span| {
            let before = Span::new((span.lo + 1).min(warned.lo), warned.lo);
            let depth = sources.text(before).chars().map(|c| match c {
                '(' | '[' => 1,
                ')' | ']' => -1,
                _ => 0,
            });
            span.lo < warned.lo && warned.hi <= span.hi && depth.sum::<i32>() == 0
        };
        let is_known = self.warned.borrow().contains(&span);
        is_known || !span.is_none() && self.operands.borrow().iter().any(is_operand)
    }

    fn render(&self, out: &mut String, report: Report<'_>) {
        match self.format {
            ErrorFormat::Human => {
                let Report { diagnostic, chain, sources } = report;
                let renderer = if self.color { Renderer::styled() } else { Renderer::plain() };
                out.push_str(&renderer.with_chain(diagnostic, chain, sources));
            }
            ErrorFormat::Short => short(out, report),
            ErrorFormat::Json => json::render(out, report),
        }
    }
}

/// Writes to standard error; that it fails cannot be reported anywhere.
pub fn write(text: &str) {
    let stderr = std::io::stderr();
    let _ = match stderr.as_fd().try_clone_to_owned() {
        Ok(file) => Patient::new(File::from(file)).write_all(text.as_bytes()),
        Err(_) => stderr.lock().write_all(text.as_bytes()),
    };
}

/// Returns whether a stream is coloured.
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

/// Writes `file:line:col: error[G0201]: message`.
fn short(out: &mut String, report: Report<'_>) {
    let diagnostic = report.diagnostic;
    if let Some(place) = place(report.sources, diagnostic.primary.span) {
        out.push_str(&place);
        out.push_str(": ");
    }
    let message = one_line(&diagnostic.message);
    out.push_str(&format!("{}[{}]: {message}\n", severity(diagnostic.severity), diagnostic.code));
}

/// Returns `2 errors, 1 warning`, if they are more than one.
fn total(reports: &[&Diagnostic]) -> Option<String> {
    if reports.len() < 2 {
        return None;
    }
    let of = |severity| reports.iter().filter(|report| report.severity == severity).count();
    let count = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let parts = [
        count(of(Severity::Error), "error"),
        count(of(Severity::Warning), "warning"),
        count(of(Severity::Hint), "hint"),
    ];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// Returns the word for how bad it is.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "hint",
    }
}

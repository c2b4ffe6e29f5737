//! Reports about a program: what, where, what to do.

use super::code::Code;
use super::source::SourceMap;
use super::span::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// What could be faster: the optimiser says why it left something as it is.
    Hint,
    /// Legal, and probably not meant.
    Warning,
    /// The program cannot be used.
    Error,
}

/// A marked stretch of source with what there is to say of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The stretch.
    pub span: Span,
    /// A few words; may be empty.
    pub text: String,
}

/// One report. It renders nothing itself: the command line and embedders do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Which kind of mistake; `gmachine explain` tells more of it.
    pub code: Code,
    /// One sentence, no full stop. User text in it has gone through
    /// [`for_message`](super::quote::for_message).
    pub message: String,
    /// The place that the report is about. [`Span::NONE`] for the program as a whole.
    pub primary: Label,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// What else is known, a sentence each.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Returns whether another report says the same, of another place.
    #[must_use]
    pub fn is_same_elsewhere(&self, other: &Diagnostic) -> bool {
        let what = |report: &Diagnostic| {
            let Diagnostic { code, message, notes, help, .. } = report;
            (*code, message.clone(), notes.clone(), help.clone())
        };
        other.secondary.is_empty() && what(self) == what(other)
    }

    /// Returns an error of kind `code` at `span`.
    #[must_use]
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Returns a warning of kind `code` at `span`.
    #[must_use]
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// Returns a hint of kind `code` at `span`.
    #[must_use]
    pub fn hint(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Hint, ..Diagnostic::error(code, span, message) }
    }

    /// Adds words at the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a further fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds advice on what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// Adds advice on what to do, if there is any and none so far.
    #[must_use]
    pub fn maybe_help(self, help: Option<String>) -> Diagnostic {
        Diagnostic { help: self.help.or(help), ..self }
    }

    /// Returns the report in one line: `file:line:column: error[G0301]: message`.
    #[must_use]
    pub fn line(&self, sources: &SourceMap) -> String {
        let place = sources.place(self.primary.span).map(|place| format!("{place}: "));
        let severity = match self.severity {
            Severity::Hint => "hint",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        format!("{}{severity}[{}]: {}", place.unwrap_or_default(), self.code, self.message)
    }

    /// Returns whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

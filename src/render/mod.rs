//! Reports for people: the message, an excerpt of the source with marks, notes and help.
//!
//! ```
//! use gmachine::{Engine, render::Renderer};
//!
//! let error = Engine::new().compile("six", "(defn six[] (triple 2))").unwrap_err();
//! let text = Renderer::plain().diagnostics(&error.diagnostics, &error.sources);
//! assert!(text.starts_with("error[G0301]: "), "{text}");
//! assert!(text.contains("1 | (defn six[] (triple 2))"), "{text}");
//! ```

mod excerpt;
mod human;
mod outside;
mod text;

pub use outside::outside_corelib;
pub use text::{grouped, one_line, place, short_expression};

use crate::base::diagnostic::Diagnostic;
use crate::base::source::SourceMap;
use crate::machine::outcome::{Chain, Stop};

/// Renders reports, in colour or not. Whatever a source holds, the text does not drive a
/// terminal but by the renderer's own colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Renderer {
    color: bool,
}

/// A report, and for a failure at run time what waited for the failing expression.
#[derive(Clone, Copy)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    chain: Option<&'a Chain>,
    sources: &'a SourceMap,
}

impl Renderer {
    /// Returns a renderer of text without colours.
    #[must_use]
    pub fn plain() -> Renderer {
        Renderer { color: false }
    }

    /// Returns a renderer of text with colours, as escapes of ANSI terminals.
    #[must_use]
    pub fn styled() -> Renderer {
        Renderer { color: true }
    }

    /// Renders one report, which an empty line ends.
    #[must_use]
    pub fn diagnostic(self, diagnostic: &Diagnostic, sources: &SourceMap) -> String {
        self.with_chain(diagnostic, None, sources)
    }

    /// Renders reports one after another.
    #[must_use]
    pub fn diagnostics(self, diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
        diagnostics.iter().map(|diagnostic| self.diagnostic(diagnostic, sources)).collect()
    }

    /// Renders why an evaluation stopped: where, and what waited there. `sources` are those of
    /// the module ([`Module::sources`](crate::Module::sources)).
    #[must_use]
    pub fn stop(self, stop: &Stop, sources: &SourceMap) -> String {
        match stop.diagnostic() {
            Some(diagnostic) => self.with_chain(&diagnostic, stop.chain(), sources),
            None => format!("{stop}\n\n"),
        }
    }

    /// Renders a report with the evaluations that waited for the expression it is about.
    #[must_use]
    pub fn with_chain(
        self,
        diagnostic: &Diagnostic,
        chain: Option<&Chain>,
        sources: &SourceMap,
    ) -> String {
        let mut out = String::new();
        let diagnostic = &*outside_corelib(diagnostic, chain, sources);
        human::render(&mut out, Report { diagnostic, chain, sources }, self.color);
        out
    }
}

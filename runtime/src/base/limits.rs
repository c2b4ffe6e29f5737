//! The limit on what one function takes, which the checks of sources, lifting and G-code share.

use super::code::Code;
use super::diagnostic::Diagnostic;
use super::span::Span;

/// The most parameters of a function, fields of a constructor and arguments of a host function.
pub const MAX_ARITY: u32 = 1 << 20;

/// Returns the sentence that `what` has `count` of the things `of`, which are too many.
#[must_use]
pub fn exceeds_arity(what: &str, count: usize, of: &str) -> String {
    format!("{what} has {count} {of}, and {MAX_ARITY} are the most")
}

/// Returns the report with such a sentence.
#[must_use]
pub fn too_many(span: Span, sentence: String) -> Diagnostic {
    Diagnostic::error(Code::TooManyParameters, span, sentence)
        .help("hand over one structure that holds them, like a list")
}

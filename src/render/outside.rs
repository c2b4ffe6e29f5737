//! Failures in the corelib, told at the place in the program that needs what fails.

use std::borrow::Cow;

use super::text::{place, short_expression};
use crate::base::diagnostic::{Diagnostic, Label};
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::machine::outcome::Chain;

/// The report of a failure as its reader is to see it. If it failed in the corelib, the place is the
/// innermost one outside of it that waited, and where in the corelib it was is a note: what can be
/// changed is the program.
#[must_use]
pub fn outside_corelib<'a>(
    diagnostic: &'a Diagnostic,
    chain: Option<&Chain>,
    sources: &SourceMap,
) -> Cow<'a, Diagnostic> {
    match chain.and_then(|chain| moved(diagnostic, chain, sources)) {
        Some(moved) => Cow::Owned(moved),
        None => Cow::Borrowed(diagnostic),
    }
}

fn moved(diagnostic: &Diagnostic, chain: &Chain, sources: &SourceMap) -> Option<Diagnostic> {
    let Label { span: inner, text: label } = &diagnostic.primary;
    let is_corelib = |span: Span| sources.file_at(span.lo).map(|file| file.corelib);
    if is_corelib(*inner) != Some(true) {
        return None;
    }
    let outer = chain.frames.iter().chain(&chain.outer);
    let outer = outer.map(|waits| waits.span).find(|span| is_corelib(*span) == Some(false))?;
    let what = match definition(*inner, sources) {
        Some(name) => format!("`{name}` of the corelib"),
        None => "the corelib".to_owned(),
    };
    let is_stopped = label == "under evaluation";
    let mut note = format!("`{}`", short_expression(sources.text(*inner)));
    if let Some(place) = place(sources, *inner) {
        note.push_str(&format!(" at {place}"));
    }
    if !label.is_empty() && !is_stopped {
        note.push_str(&format!(": {label}"));
    }
    let mut moved = diagnostic.clone();
    let text = match is_stopped {
        true => format!("in here {what} is under evaluation"),
        false => format!("{what} fails in here"),
    };
    moved.primary = Label { span: outer, text };
    moved.notes.insert(0, note);
    Some(moved)
}

/// The definition of the corelib that a place is in.
fn definition(span: Span, sources: &SourceMap) -> Option<String> {
    let file = sources.file_at(span.lo)?;
    let before = file.text.get(..(span.lo - file.base) as usize)?;
    let (_, after) = before.rsplit_once("\n(defn ")?;
    let end = after.find(|c: char| c.is_whitespace() || "()[]".contains(c))?;
    let name = after.get(..end)?;
    // A helper goes by the function that it helps.
    Some(name.strip_suffix("-go").unwrap_or(name).to_owned())
}

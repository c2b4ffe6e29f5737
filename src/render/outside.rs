//! Failures in the corelib, or in what else of a program nobody has written who reads a report, told at
//! the place in the program that needs what fails.

use std::borrow::Cow;

use super::text::{place, short_expression};
use crate::base::diagnostic::{Diagnostic, Label};
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::machine::outcome::Chain;

/// Returns the report of a failure as its reader is to see it. If it failed in the corelib, the
/// place is the innermost one outside of it that waited, and where in the corelib it was is a note:
/// what can be changed is the program.
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
    let is_users = |span: &Span| !span.is_none() && !sources.is_library(*span);
    if inner.is_none() || is_users(inner) {
        return None;
    }
    let outer = chain.frames.iter().chain(&chain.outer);
    let outer = outer.map(|waits| waits.span).find(is_users)?;
    let is_corelib = sources.file_at(inner.lo).is_some_and(|file| file.corelib);
    let what = match definition(*inner, sources) {
        Some(name) if is_corelib => format!("`{name}` of the corelib"),
        Some(name) => format!("`{name}`"),
        None if is_corelib => "the corelib".to_owned(),
        None => "what it calls".to_owned(),
    };
    let is_stopped = label == "under evaluation";
    let mut note = String::new();
    if is_corelib {
        note = format!("`{}`", short_expression(sources.text(*inner)));
        if let Some(place) = place(sources, *inner) {
            note.push_str(&format!(" at {place}"));
        }
    }
    if !label.is_empty() && !is_stopped {
        note.push_str(if note.is_empty() { "" } else { ": " });
        note.push_str(label);
    }
    let mut moved = diagnostic.clone();
    let text = match is_stopped {
        true => format!("in here {what} is under evaluation"),
        false => format!("{what} fails in here"),
    };
    moved.primary = Label { span: outer, text };
    if !note.is_empty() {
        moved.notes.insert(0, note);
    }
    Some(moved)
}

/// Returns the definition that a place is in, by its display name if it has one.
fn definition(span: Span, sources: &SourceMap) -> Option<String> {
    let file = sources.file_at(span.lo)?;
    let before = file.text.get(..(span.lo - file.base) as usize)?;
    let (before, after) = before.rsplit_once(if file.corelib { "\n(defn " } else { "(defn " })?;
    if let Some((_, directive)) = before.trim_end().rsplit_once("{name ")
        && let Some(name) = directive.strip_suffix("\"}").and_then(|text| text.strip_prefix('"'))
    {
        return Some(name.to_owned());
    }
    let end = after.find(|c: char| c.is_whitespace() || "()[]".contains(c))?;
    let name = after.get(..end)?;
    // A helper is named after the function that it helps.
    Some(name.strip_suffix("-go").unwrap_or(name).to_owned())
}

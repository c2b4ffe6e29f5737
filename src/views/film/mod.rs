//! A run as one page, in which one can go back and forth.

mod record;

pub use record::Recorder;

use crate::machine::outcome::Stop;
use crate::render::grouped;

/// The page, with `@NAME@` where its parts come.
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Returns what the film shows of the run, in a sentence or two.
#[must_use]
pub fn note(recorder: &Recorder<'_>, result: &Result<(), Stop>) -> String {
    let events = grouped(recorder.count() as u64);
    let (first, last) = recorder.steps();
    let shown = match last.checked_sub(first) {
        Some(more) if first > 1 => {
            format!("{events} events: the reductions {first} to {}", first + more)
        }
        _ => format!("{events} events, {} reductions", grouped(last)),
    };
    match result {
        Err(Stop::Error(error)) => format!("{shown}; then the run fails: {}", error.message),
        Err(_) => format!("{shown}; then the run is stopped"),
        Ok(()) if !recorder.has_ended() => {
            format!("{shown}; the run goes on, --from {} shows what follows", last + 1)
        }
        Ok(()) => format!("{shown}; then the run ends"),
    }
}

/// Returns the page of a film, whose data are `data`: it asks for nothing else.
#[must_use]
pub fn page(title: &str, mut data: String) -> String {
    // Nothing in it ends the element that it stands in.
    data = data.replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let mut out = String::new();
    for (number, part) in PAGE.split('@').enumerate() {
        out.push_str(match (number % 2, part) {
            (1, "TITLE") => &title,
            (1, "STYLE") => STYLE,
            (1, "SCRIPT") => SCRIPT,
            (1, "DATA") => &data,
            (_, part) => part,
        });
    }
    out
}

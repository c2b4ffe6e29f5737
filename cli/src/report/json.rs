//! Reports for programs: one JSON object a line.

use gmachine::Chain;
use gmachine::diagnostic::{Diagnostic, Label, SourceMap, Span};
use serde::Serialize;

use super::{Report, severity};

/// The name of the format, and its version: a change that a reader can notice is a new one.
const SCHEMA: &str = "gmachine-diagnostic";
const VERSION: u32 = 1;

// In every object the fields are in the order of their names.

/// A report.
#[derive(Serialize)]
pub struct Object<'a> {
    code: &'a str,
    help: Option<&'a str>,
    message: &'a str,
    notes: &'a [String],
    schema: &'a str,
    severity: &'a str,
    spans: Vec<Labelled<'a>>,
    version: u32,
    waiting: Option<Waits<'a>>,
}

/// A labelled place.
#[derive(Serialize)]
struct Labelled<'a> {
    end: Point,
    file: &'a str,
    label: &'a str,
    primary: bool,
    start: Point,
}

/// What waited, innermost first.
#[derive(Serialize)]
struct Waits<'a> {
    more: usize,
    outer: Option<Waiting<'a>>,
    shown: Vec<Waiting<'a>>,
}

#[derive(Serialize)]
struct Waiting<'a> {
    name: &'a str,
    span: Option<Place<'a>>,
    times: usize,
}

/// A place: lines and columns from 1, columns in characters; offsets in bytes from 0.
#[derive(Serialize)]
pub struct Place<'a> {
    end: Point,
    file: &'a str,
    start: Point,
}

#[derive(Serialize)]
struct Point {
    column: u32,
    line: u32,
    offset: Option<u32>,
}

/// Appends a report and a line end.
pub fn render(out: &mut String, report: Report<'_>) {
    let Report { diagnostic, chain, sources } = report;
    let waiting = chain.map(|chain| waiting(chain, sources));
    out.push_str(&text(&Object { waiting, ..object(diagnostic, sources) }));
    out.push('\n');
}

/// Returns a report as an object.
pub fn object<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Object<'a> {
    let mut spans = Vec::new();
    spans.extend(label(&diagnostic.primary, true, sources));
    spans.extend(diagnostic.secondary.iter().filter_map(|l| label(l, false, sources)));
    Object {
        code: diagnostic.code.id(),
        help: diagnostic.help.as_deref(),
        message: &diagnostic.message,
        notes: &diagnostic.notes,
        schema: SCHEMA,
        severity: severity(diagnostic.severity),
        spans,
        version: VERSION,
        waiting: None,
    }
}

/// Returns a value as JSON.
pub fn text(value: &impl Serialize) -> String {
    // Only a map with keys that are no texts, or a serialiser of one's own, fails.
    serde_json::to_string(value).unwrap_or_default()
}

fn label<'a>(label: &'a Label, primary: bool, sources: &'a SourceMap) -> Option<Labelled<'a>> {
    let Place { end, file, start } = span(label.span, sources)?;
    Some(Labelled { end, file, label: &label.text, primary, start })
}

/// Returns where a span is.
pub fn span(span: Span, sources: &SourceMap) -> Option<Place<'_>> {
    if span.is_none() {
        return None;
    }
    if let Some((original, origin)) = sources.origin(span) {
        // Of a text that was not read only lines and columns are known.
        let range = original.range(origin);
        let (start, end) = match (&original.file, range) {
            (Some(file), Some(range)) => {
                let point = |offset: usize| {
                    let (line, column) = file.line_column(offset as u32);
                    Point { column, line, offset: Some(offset as u32) }
                };
                (point(range.start), point(range.end))
            }
            _ => {
                let point = |(line, column)| Point { column, line, offset: None };
                (point(origin.start), point(origin.end.unwrap_or(origin.start)))
            }
        };
        return Some(Place { end, file: &original.name, start });
    }
    let file = sources.file_at(span.lo)?;
    let point = |at: u32| {
        let offset = at.saturating_sub(file.base).min(file.text.len() as u32);
        let (line, column) = file.line_column(offset);
        Point { column, line, offset: Some(offset) }
    };
    Some(Place { end: point(span.hi), file: &file.name, start: point(span.lo) })
}

fn waiting<'a>(chain: &'a Chain, sources: &'a SourceMap) -> Waits<'a> {
    let waiting = |one: &'a gmachine::Waiting| Waiting {
        name: &one.name,
        span: span(one.span, sources),
        times: one.times,
    };
    let shown = chain.frames.iter().map(waiting).collect();
    Waits { more: chain.more, outer: chain.outer.as_ref().map(waiting), shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gmachine::diagnostic::{Code, Diagnostic};
    use serde_json::{Value, json};

    #[test]
    fn a_report_is_one_line_that_says_all() {
        let mut sources = SourceMap::new();
        sources.add("a\n.core", None, "λ x\n", false).expect("small");
        let diagnostic = Diagnostic::error(Code::UnboundName, Span::new(4, 5), "no `x`")
            .label("here")
            .help("bind it");
        let mut out = String::new();
        render(&mut out, Report { diagnostic: &diagnostic, chain: None, sources: &sources });
        assert_eq!(out.matches('\n').count(), 1);
        let value: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(value["code"], "G0301");
        assert_eq!(value["spans"][0]["start"], json!({"line": 1, "column": 3, "offset": 3}));
        assert_eq!(value["spans"][0]["file"], "a\n.core");
        assert_eq!(value["help"], "bind it");
    }
}

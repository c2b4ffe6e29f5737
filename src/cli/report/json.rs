//! Reports for programs: one JSON object a line.

use gmachine::base::diagnostic::Label;
use gmachine::base::source::SourceMap;
use gmachine::base::span::Span;
use gmachine::machine::outcome::Chain;
use serde_json::{Value, json};

use super::{Report, severity};

/// The name of the format, and its version: a change that a reader can notice is a new one.
const SCHEMA: &str = "gmachine-diagnostic";
const VERSION: u32 = 1;

/// Appends a report and a line end.
pub fn render(out: &mut String, report: Report<'_>) {
    let Report { diagnostic, chain, sources } = report;
    let mut spans = Vec::new();
    spans.extend(label(&diagnostic.primary, true, sources));
    spans.extend(diagnostic.secondary.iter().filter_map(|l| label(l, false, sources)));
    let object = json!({
        "schema": SCHEMA,
        "version": VERSION,
        "code": diagnostic.code.id(),
        "severity": severity(diagnostic.severity),
        "message": diagnostic.message,
        "spans": spans,
        "notes": diagnostic.notes,
        "help": diagnostic.help,
        "waiting": chain.map(|chain| waiting(chain, sources)),
    });
    out.push_str(&object.to_string());
    out.push('\n');
}

/// A labelled place.
fn label(label: &Label, primary: bool, sources: &SourceMap) -> Option<Value> {
    let mut object = span(label.span, sources)?;
    object["label"] = label.text.as_str().into();
    object["primary"] = primary.into();
    Some(object)
}

/// A place: lines and columns from 1, columns in characters; offsets in bytes from 0.
pub fn span(span: Span, sources: &SourceMap) -> Option<Value> {
    if span.is_none() {
        return None;
    }
    let file = sources.file_at(span.lo)?;
    let point = |at: u32| {
        let offset = at.saturating_sub(file.base).min(file.text.len() as u32);
        let (line, column) = file.line_column(offset);
        json!({"line": line, "column": column, "offset": offset})
    };
    Some(json!({"file": file.name, "start": point(span.lo), "end": point(span.hi)}))
}

/// What waited, innermost first.
fn waiting(chain: &Chain, sources: &SourceMap) -> Value {
    let shown: Vec<Value> = chain
        .shown
        .iter()
        .map(|waiting| json!({"name": &*waiting.name, "span": span(waiting.span, sources)}))
        .collect();
    json!({"shown": shown, "more": chain.more})
}

#[cfg(test)]
mod tests {
    use super::*;
    use gmachine::base::code::Code;
    use gmachine::base::diagnostic::Diagnostic;

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

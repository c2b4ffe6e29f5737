//! Reports with their places in the editor.

use gmachine::diagnostic::{Diagnostic, SourceMap, Span};
use gmachine::render::Renderer;
use gmachine::{Chain, Engine, EntryPoints, Stop};
use serde_json::{Value, json};

use crate::host::NoFiles;
use crate::{PROGRAM, Request};

/// Finds the mistakes of a program.
pub fn check(request: &Request) -> Value {
    let mut engine = Engine::new();
    engine.set_entry_points(EntryPoints::Main);
    let checked = engine.check(&request.source(), &NoFiles);
    json!({"reports": all(&checked.diagnostics, &checked.sources)})
}

/// Reports in the order of the source.
pub fn all(diagnostics: &[Diagnostic], sources: &SourceMap) -> Value {
    diagnostics.iter().map(|diagnostic| one(diagnostic, None, sources)).collect()
}

/// Why a run stopped; `null` if the program asked for it.
pub fn stop(stop: &Stop, sources: &SourceMap) -> Value {
    match stop.diagnostic() {
        Some(diagnostic) => one(&diagnostic, stop.chain(), sources),
        None => Value::Null,
    }
}

fn one(diagnostic: &Diagnostic, chain: Option<&Chain>, sources: &SourceMap) -> Value {
    let waiting = chain.iter().flat_map(|chain| chain.frames.iter().chain(&chain.outer));
    let mut spans =
        std::iter::once(diagnostic.primary.span).chain(waiting.map(|waiting| waiting.span));
    let severity = if diagnostic.is_error() { "error" } else { "warning" };
    json!({
        "severity": severity,
        "code": diagnostic.code.to_string(),
        "message": diagnostic.message,
        "help": diagnostic.help,
        "place": spans.find_map(|span| place(span, sources)),
        "text": Renderer::plain().with_chain(diagnostic, chain, sources),
    })
}

/// Where a stretch of the editor's text is, in UTF-16 units as the page counts; `None` if it is
/// elsewhere.
fn place(span: Span, sources: &SourceMap) -> Option<Value> {
    let file = sources.file_at(span.lo).filter(|file| !file.corelib && file.name == PROGRAM)?;
    let start = usize::try_from(span.lo.checked_sub(file.base)?).ok()?;
    let end = usize::try_from(span.hi.checked_sub(file.base)?).ok()?;
    let before = file.text.get(..start)?;
    let within = file.text.get(start..end)?;
    let units = |text: &str| text.encode_utf16().count();
    let from = units(before);
    Some(json!({"from": from, "to": from + units(within)}))
}

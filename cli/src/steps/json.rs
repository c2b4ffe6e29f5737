//! Events as JSON: `docs/seeing.md` has the schema.

use gmachine::diagnostic::SourceMap;
use gmachine::gcode::program::{GlobalId, Program};
use gmachine::inspect::events::{Content, Moment, NodeEvent};
use serde_json::{Value, json};

use crate::report::json_span;

/// Returns the first line: which schema the others follow.
pub fn header() -> Value {
    json!({"schema": "gmachine-events", "version": 1})
}

/// Returns an event as JSON. `step` counts the updates so far.
pub fn event(
    event: &NodeEvent,
    moment: Moment,
    step: u64,
    program: &Program,
    sources: &SourceMap,
) -> Value {
    let mut object = match event {
        NodeEvent::Born { node, content: what, span, by } => json!({
            "event": "born", "node": node, "content": content(what, program), "by": by,
            "span": json_span(*span, sources),
        }),
        NodeEvent::Filled { node, with } => json!({"event": "filled", "node": node, "with": with}),
        NodeEvent::Demanded { node, by } => json!({"event": "demanded", "node": node, "by": by}),
        NodeEvent::Shared { node, by } => json!({"event": "shared", "node": node, "by": by}),
        NodeEvent::Entered { node, global, arguments } => json!({
            "event": "entered", "node": node, "function": global.map(|global| name(program, global)),
            "arguments": arguments,
        }),
        NodeEvent::Updated { node, with } => {
            json!({"event": "updated", "node": node, "with": with, "step": step})
        }
        NodeEvent::Selected { node, with } => {
            json!({"event": "selected", "node": node, "with": with})
        }
        NodeEvent::Printed { node, text } => {
            json!({"event": "printed", "node": node, "text": text})
        }
        NodeEvent::Dead { node } => json!({"event": "dead", "node": node}),
    };
    object["instructions"] = moment.instructions.into();
    object["depth"] = moment.depth.into();
    object
}

fn name(program: &Program, global: GlobalId) -> String {
    let global = program.globals.get(global);
    global.map_or_else(|| "?".to_owned(), |global| program.display_name(global).to_string())
}

fn content(content: &Content, program: &Program) -> Value {
    match content {
        Content::Application { function, argument } => {
            json!({"kind": "application", "function": function, "argument": argument})
        }
        Content::Constructor { con, fields } => {
            let name = program.cons.get(*con).map_or("?", |con| &con.name);
            json!({"kind": "constructor", "name": name, "fields": fields})
        }
        Content::Integer(value) => json!({"kind": "integer", "value": value.to_string()}),
        Content::Float(value) => json!({"kind": "float", "value": value.to_string()}),
        Content::Character(c) => json!({"kind": "character", "value": c.to_string()}),
        Content::Global(id) => {
            let global = program.globals.get(*id);
            let name = global.map_or_else(|| "?".into(), |global| program.display_name(global));
            let arity = global.map_or(0, |global| global.arity);
            json!({"kind": "global", "name": &*name, "arity": arity})
        }
        Content::Text { text, at } => {
            let literal = program.texts.get(*text);
            let rest = literal.and_then(|text| text.get(*at as usize..)).unwrap_or("");
            json!({"kind": "text", "value": rest})
        }
        Content::Input => json!({"kind": "input"}),
        Content::Thunk { owner, captured } => {
            json!({"kind": "thunk", "function": name(program, *owner), "captured": captured})
        }
        Content::Partial { function, arguments } => json!({
            "kind": "partial", "function": name(program, *function), "arguments": arguments,
        }),
        Content::Array(elements) => json!({"kind": "array", "elements": elements}),
        Content::Bytes(length) => json!({"kind": "bytes", "length": length}),
        Content::Host => json!({"kind": "host"}),
        Content::Hole => json!({"kind": "hole"}),
    }
}

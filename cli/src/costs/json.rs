//! A profile as JSON: schema `gmachine-profile`, see `docs/seeing.md`.

use gmachine::inspect::costs::Holder;
use serde_json::{Value, json};

use super::Report;
use crate::stats::{counts_json, pauses_json};

/// Returns the whole profile.
pub fn of(report: &Report<'_>) -> Value {
    let costs = &report.costs;
    let functions: Vec<Value> = costs
        .functions
        .iter()
        .map(|function| {
            json!({
                "name": &*function.name,
                "calls": function.calls,
                "reductions": function.reductions,
                "instructions": function.own.instructions,
                "allocated_bytes": function.own.bytes,
                "inherited_instructions": function.inherited.instructions,
                "inherited_allocated_bytes": function.inherited.bytes,
                "thunks_made": function.own.thunks_made,
                "thunks_entered": function.own.thunks_entered,
                "thunks_updated": function.own.thunks_updated,
                "inherited_thunks_made": function.inherited.thunks_made,
                "inherited_thunks_entered": function.inherited.thunks_entered,
                "inherited_thunks_updated": function.inherited.thunks_updated,
            })
        })
        .collect();
    let stacks: Vec<Value> = costs
        .stacks
        .iter()
        .map(|node| json!([node.parent, node.function, node.cost.instructions, node.cost.bytes]))
        .collect();
    let holders: Vec<Value> = costs
        .holders
        .iter()
        .map(|holder| match holder {
            Holder::Constant(function) => json!({"kind": "constant", "function": function}),
            Holder::Function(function) => json!({"kind": "function", "function": function}),
            Holder::Handles => json!({"kind": "handles", "function": null}),
            Holder::Output => json!({"kind": "output", "function": null}),
        })
        .collect();
    let contents: Vec<Value> = costs
        .contents
        .iter()
        .zip(&report.contents)
        .map(|(content, name)| {
            json!({
                "name": name,
                "kind": content.kind.name(),
                "constructor": content.constructor.as_deref(),
                "function": content.function,
                "place": gmachine::render::place(report.sources, content.span),
            })
        })
        .collect();
    let censuses: Vec<Value> = costs
        .censuses
        .iter()
        .map(|census| {
            let live: Vec<Value> = census
                .live
                .iter()
                .map(|live| json!([live.holder, live.content, live.nodes, live.bytes]))
                .collect();
            json!({
                "instructions": census.at.instructions,
                "allocated_bytes": census.at.bytes,
                "live_bytes": census.bytes(),
                "live": live,
            })
        })
        .collect();
    let paths: Vec<Value> = costs
        .paths
        .iter()
        .map(|path| json!([path.parent, path.holder, path.content, path.nodes, path.bytes]))
        .collect();
    json!({
        "schema": "gmachine-profile",
        "version": 1,
        "program": report.title,
        "verdict": report.verdict,
        "ended": report.ended,
        "totals": counts_json(&costs.totals),
        "functions": functions,
        "samples": costs.samples,
        "stacks": stacks,
        "holders": holders,
        "contents": contents,
        "censuses": censuses,
        "paths": paths,
        "live_bytes_after_full_collections": report.pauses.live_bytes,
        "clocks": {"pauses": pauses_json(&report.pauses)},
    })
}

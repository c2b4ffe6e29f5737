//! Signatures as text.

use std::fmt::Write;

use crate::base::name::Interner;
use crate::base::quote::for_message;
use crate::core::expr::{GlobalId, GlobalKind, Program};
use crate::core::signature::Demand;

/// What is known of one supercombinator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row<'p> {
    /// Its global.
    pub global: GlobalId,
    /// Its name in listings.
    pub symbol: &'p str,
    /// Its parameters: the name, if the source gives one, and the demand.
    pub params: Vec<(Option<&'p str>, Demand)>,
    /// Whether a call with all arguments always diverges or fails.
    pub fails: bool,
}

/// Returns what is known of the supercombinators of a program, in the order of its globals. The
/// signatures are those that [`strictness`](super::strictness) has left; without it, all parameters
/// are lazy.
#[must_use]
pub fn rows<'p>(program: &'p Program, names: &'p Interner) -> Vec<Row<'p>> {
    let row = |(id, global): (_, &'p crate::core::expr::Global)| {
        let GlobalKind::Defn { params, body: Some(_) } = global.kind else { return None };
        let param = |(at, &local): (usize, _)| {
            let name = program.locals[local].name.map(|name| names.text(name));
            (name, global.signature.demand(at))
        };
        let params = program.local_lists[params].iter().enumerate().map(param).collect();
        Some(Row { global: id, symbol: &global.symbol, params, fails: global.signature.fails })
    };
    program.globals.enumerate().filter_map(row).collect()
}

/// Returns a line for each supercombinator: its name, and each parameter with its demand.
///
/// ```text
/// take: n lazy, l strict
/// sum: l fully strict
/// fibs: no parameters
/// never: x lazy; always fails
/// ```
#[must_use]
pub fn listing(program: &Program, names: &Interner) -> String {
    let mut out = String::new();
    for row in rows(program, names) {
        let _ = write!(out, "{}: ", for_message(row.symbol));
        if row.params.is_empty() {
            out.push_str("no parameters");
        }
        for (at, (name, demand)) in row.params.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let name = name.map_or("_".into(), for_message);
            let _ = write!(out, "{comma}{name} {}", demand.words(program));
        }
        out.push_str(if row.fails { "; always fails\n" } else { "\n" });
    }
    out
}

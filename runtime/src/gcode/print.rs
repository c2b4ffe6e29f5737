//! G-code as text: the listing.
//!
//! A listing is a whole program, and [`parse`](super::parse::parse) reads it back. First the
//! tables, a line each; then the globals, a block each:
//!
//! ```text
//! data List = Nil/0 Cons/2
//! main main
//!
//! supercombinator tail/1 [l]
//!    0  Push 0
//!    1  Eval
//!    2  CaseJump Cons:3 _:7
//!    ...
//! ```
//!
//! - `data TYPE = CON/ARITY ..`; `CON/ARITY as NAME` if the constructor prints with another
//!   name than it is listed under. `host NAME/ARITY` is a host function that is called.
//! - A global is its kind (`supercombinator`, `primitive`, `constructor`, `host-function`),
//!   its symbol and arity; its parameters in brackets, `_` for one without a name, with `!`
//!   before one whose argument known calls evaluate; `of` and the constructor or host
//!   function that it stands for; `as NAME` if it prints with another
//!   name, `unnamed` if it has none.
//! - An instruction is its number, its name and its operands. A label is the number of an
//!   instruction. `Pack` has the tag and the arity of the constructor before its symbol.
//! - A name that could be read as something else is written as a STRING. `;` starts a comment.

use std::fmt::Write;
use std::sync::Arc;

use super::instr::{Instr, IntLit, Jumps, Label, Lit, Operand};
use super::program::{BigId, ConId, GlobalId, GlobalKind, HostId, Program, TextId};
use crate::base::label::Labels;
use crate::base::quote::{char_literal, string_literal};
use crate::base::span::Span;

/// What a listing shows in its margin for a span; `None` for nothing.
pub type Margin<'a> = dyn FnMut(Span) -> Option<String> + 'a;

/// The column at which the margin starts, unless an instruction is longer.
const MARGIN: usize = 40;

/// Returns the listing of a program. An instruction of another source expression than the one
/// before it has `margin`'s text for that expression beside it, as a comment.
#[must_use]
pub fn program(program: &Program, margin: &mut Margin) -> String {
    let mut out = String::new();
    tables(program, &mut out);
    for id in program.globals.indices() {
        out.push('\n');
        write_global(program, id, margin, &mut out);
    }
    out
}

/// Returns the listing of one global; empty if there is none of this number.
#[must_use]
pub fn global(program: &Program, id: GlobalId, margin: &mut Margin) -> String {
    let mut out = String::new();
    write_global(program, id, margin, &mut out);
    out
}

/// Returns no margin.
#[must_use]
pub fn bare(_: Span) -> Option<String> {
    None
}

/// Returns one instruction, as in a listing. A number that the program gives no meaning to is shown
/// as `?` and the number.
#[must_use]
pub fn instr(program: &Program, instr: &Instr) -> String {
    let mut out = String::from(instr.op().name());
    for operand in instr.operands() {
        let text = match operand {
            Operand::Number(number) => number.to_string(),
            Operand::Label(Label(to)) => to.to_string(),
            Operand::Global(global) => global_name(program, global),
            Operand::Int(int) => int_text(program, int),
            Operand::Float(value) => value.to_string(),
            Operand::Primitive(primitive) => primitive.name().to_owned(),
            Operand::Effect(effect) => effect.name().to_owned(),
            Operand::Char(c) => char_literal(c),
            Operand::Text(text) => text_literal(program, text),
            Operand::Con(con) => tag_arity_name(program, con),
            Operand::Host(host) => host_name(program, host),
            Operand::ConJumps(jumps) => jumps_text(&jumps, |con| con_name(program, con)),
            Operand::LitJumps(jumps) => jumps_text(&jumps, |lit| lit_text(program, lit)),
        };
        out.push(' ');
        out.push_str(&text);
    }
    out
}

/// Returns a name as the listing has it: as it is, if that reads as a name, else as a STRING.
#[must_use]
pub fn name(name: &str) -> String {
    let mut chars = name.chars();
    let reserved = matches!(name, "_" | "as");
    let bare = !reserved && chars.next().is_some_and(starts_name) && chars.all(continues_name);
    if bare { name.to_owned() } else { string_literal(name) }
}

/// Returns whether a bare name may start with `c`.
pub(super) fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// Returns whether a bare name may go on with `c`.
pub(super) fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '\'' | '?' | '!' | '.' | '$')
}

fn tables(program: &Program, out: &mut String) {
    for data in program.datas.iter() {
        let _ = write!(out, "data {} =", name(&data.symbol));
        for &id in &data.cons {
            match program.cons.get(id) {
                Some(con) => {
                    let _ = write!(out, " {}/{}", name(&con.symbol), con.arity);
                    if con.name != con.symbol {
                        let _ = write!(out, " as {}", name(&con.name));
                    }
                }
                None => {
                    let _ = write!(out, " ?{}", id.0);
                }
            }
        }
        out.push('\n');
    }
    let Labels { definitions, types } = &program.labels;
    for (kind, labels) in [("label", definitions), ("label-type", types)] {
        for (symbol, label) in labels {
            let _ = writeln!(out, "{kind} {} as {}", name(symbol), name(label));
        }
    }
    for host in program.hosts.iter() {
        let _ = writeln!(out, "host {}/{}", name(&host.name), host.arity);
    }
    if let Some(main) = program.main {
        let _ = writeln!(out, "main {}", global_name(program, main));
    }
}

fn write_global(program: &Program, id: GlobalId, margin: &mut Margin, out: &mut String) {
    let Some(global) = program.globals.get(id) else { return };
    let kind = match global.kind {
        GlobalKind::Supercombinator => "supercombinator",
        GlobalKind::Primitive => "primitive",
        GlobalKind::Constructor(_) => "constructor",
        GlobalKind::Host(_) => "host-function",
    };
    let _ = write!(out, "{kind} {}/{}", name(&global.symbol), global.arity);
    if !global.params.is_empty() {
        let param = |(at, param): (usize, &Option<Arc<str>>)| {
            let bang = if global.strict.get(at) == Some(&true) { "!" } else { "" };
            bang.to_owned() + &param.as_ref().map_or("_".into(), |param| name(param))
        };
        let params: Vec<String> = global.params.iter().enumerate().map(param).collect();
        let _ = write!(out, " [{}]", params.join(" "));
    }
    match global.kind {
        GlobalKind::Constructor(con) => {
            let _ = write!(out, " of {}", con_name(program, con));
        }
        GlobalKind::Host(host) => {
            let _ = write!(out, " of {}", host_name(program, host));
        }
        GlobalKind::Supercombinator | GlobalKind::Primitive => {}
    }
    match &global.display {
        None => out.push_str(" unnamed"),
        Some(display) if *display != global.symbol => {
            let _ = write!(out, " as {}", name(display));
        }
        Some(_) => {}
    }
    out.push('\n');

    let span = |at: usize| program.places.text(global.spans.get(at).copied().unwrap_or_default());
    let lines = global.code.iter().enumerate();
    lines_of_code(lines.map(|(at, code)| (instr(program, code), span(at))), MARGIN, margin, out);
}

/// Appends instructions, one to a line, each with its number, and from a column on the source
/// expression, where a new one begins.
pub fn lines_of_code(
    lines: impl ExactSizeIterator<Item = (String, Span)>,
    column: usize,
    margin: &mut Margin,
    out: &mut String,
) {
    let width = lines.len().saturating_sub(1).to_string().len().max(3);
    let mut last = Span::NONE;
    for (at, (instr, span)) in lines.enumerate() {
        let mut line = format!(" {at:>width$}  {instr}");
        if span != last
            && let Some(text) = margin(span)
        {
            let pad = column.saturating_sub(line.chars().count());
            let text = text.replace(['\n', '\r'], " ");
            let _ = write!(line, "{:pad$}  ; {text}", "");
        }
        last = span;
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn unknown(number: u32) -> String {
    format!("?{number}")
}

fn global_name(program: &Program, id: GlobalId) -> String {
    program.globals.get(id).map_or_else(|| unknown(id.0), |global| name(&global.symbol))
}

fn con_name(program: &Program, id: ConId) -> String {
    program.cons.get(id).map_or_else(|| unknown(id.0), |con| name(&con.symbol))
}

fn tag_arity_name(program: &Program, id: ConId) -> String {
    program.cons.get(id).map_or_else(
        || unknown(id.0),
        |con| format!("{} {} {}", con.tag, con.arity, name(&con.symbol)),
    )
}

fn host_name(program: &Program, id: HostId) -> String {
    program.hosts.get(id).map_or_else(|| unknown(id.0), |host| name(&host.name))
}

fn text_literal(program: &Program, id: TextId) -> String {
    program.texts.get(id).map_or_else(|| unknown(id.0), |text| string_literal(text))
}

fn big_text(program: &Program, id: BigId) -> String {
    program.bigs.get(id).map_or_else(|| unknown(id.0), |big| big.to_string())
}

fn int_text(program: &Program, int: IntLit) -> String {
    match int {
        IntLit::Small(small) => small.to_string(),
        IntLit::Big(big) => big_text(program, big),
    }
}

fn lit_text(program: &Program, lit: Lit) -> String {
    match lit {
        Lit::Int(int) => int_text(program, int),
        Lit::Char(c) => char_literal(c),
    }
}

fn jumps_text<K: Copy>(jumps: &Jumps<K>, key: impl Fn(K) -> String) -> String {
    let mut parts: Vec<String> =
        jumps.branches.iter().map(|(k, Label(to))| format!("{}:{to}", key(*k))).collect();
    parts.extend(jumps.default.map(|Label(to)| format!("_:{to}")));
    parts.join(" ")
}

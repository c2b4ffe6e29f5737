//! Compact code as text.
//!
//! ```text
//! nfib/1 frame 5
//!    0  UnlessLtInt s0! 2 else 2            ; (lt n 2)
//!    1  Return 1
//!    2  s1 <- AddInt s0! -2                 ; (sub n 2)
//!    3  s1 <- Call1 nfib s1                 ; (nfib (sub n 2))
//! ```
//!
//! A global has its arity and the slots of its frame; the thunks that it builds follow, each
//! with a number, the variables that it captures and its frame. What is written stands before
//! an arrow; for a call that is also where the frame of what is called begins. A slot that is
//! evaluated first has a `!`. Targets are counted from the beginning of the piece of code.

use std::fmt::Write;

use super::instr::{Arg, Instr, Operand, Pc};
use super::program::{Entry, Owner, Program, ThunkId};
use crate::base::quote::{char_literal, string_literal};
use crate::gcode::print::{Margin, lines_of_code, name};
use crate::gcode::program::{BigId, ConId, GlobalId};
use crate::machine::heap::word::{View, Word};

/// The column at which the margin starts, unless an instruction is longer.
const MARGIN: usize = 44;

/// Returns the listing of a program.
#[must_use]
pub fn program(program: &Program, margin: &mut Margin) -> String {
    let mut out = String::new();
    for at in 0..program.owners.len() {
        piece(program, at, margin, &mut out);
    }
    out
}

/// Returns the listing of a global and of the thunks that it builds; empty if there is none of this
/// number.
#[must_use]
pub fn global(program: &Program, id: GlobalId, margin: &mut Margin) -> String {
    let mut out = String::new();
    // The pieces of a global stand together, its own code first.
    let start = program.globals.get(id).map(|entry| entry.pc);
    let first = program.owners.partition_point(|(pc, _)| Some(*pc) < start);
    for (at, (_, owner)) in program.owners.iter().enumerate().skip(first) {
        if owner_of(program, *owner) != Some(id) {
            break;
        }
        piece(program, at, margin, &mut out);
    }
    out
}

/// Returns the global in whose code a piece is built.
fn owner_of(program: &Program, owner: Owner) -> Option<GlobalId> {
    match owner {
        Owner::Global(id) => Some(id),
        Owner::Thunk(id) => program.thunks.get(id).map(|thunk| thunk.owner),
        Owner::Machine => None,
    }
}

/// Appends a piece of the code.
fn piece(program: &Program, at: usize, margin: &mut Margin, out: &mut String) {
    let Some(&(Pc(start), owner)) = program.owners.get(at) else { return };
    let end = program.owners.get(at + 1).map_or(program.code.len(), |(pc, _)| pc.0 as usize);
    if !out.is_empty() && owner != Owner::Machine {
        out.push('\n');
    }
    let entry = match owner {
        Owner::Global(id) => {
            out.push_str(&symbol(program, id));
            program.globals.get(id).copied()
        }
        Owner::Thunk(id) => {
            out.push_str(&thunk_name(program, id));
            program.thunks.get(id).map(|thunk| thunk.entry)
        }
        Owner::Machine => return,
    };
    if let Some(Entry { frame, takes, .. }) = entry {
        let _ = write!(out, "/{takes} frame {frame}");
    }
    out.push('\n');
    let Some(code) = program.code.get(start as usize..end) else { return };
    let span = |at: usize| {
        program
            .gcode
            .places
            .text(program.origins.get(start as usize + at).copied().unwrap_or_default().span)
    };
    let lines = code.iter().enumerate();
    lines_of_code(
        lines.map(|(at, code)| (instr(program, code, start), span(at))),
        MARGIN,
        margin,
        out,
    );
}

/// Returns one instruction as text; its targets are counted from `start`.
#[must_use]
pub fn instr(program: &Program, instr: &Instr, start: u32) -> String {
    let (mut written, mut rest) = (String::new(), String::new());
    let to = |Pc(to): Pc| i64::from(to) - i64::from(start);
    instr.operands(&mut |field, operand| {
        let mut read = |text: &str| {
            rest.push(' ');
            rest.push_str(text);
        };
        match operand {
            Operand::Dst(slot) => _ = write!(written, "s{} ", slot.0),
            Operand::Base(slot) => _ = write!(written, "s{} ", slot.0),
            Operand::Slots(id) => {
                for slot in program.slots.get(id).iter().flat_map(|list| list.iter()) {
                    match slot {
                        Some(slot) => _ = write!(written, "s{slot} "),
                        None => written.push_str("_ "),
                    }
                }
            }
            Operand::Forced(slot) => read(&format!("s{}!", slot.0)),
            Operand::Slot(slot) => read(&format!("s{}", slot.0)),
            Operand::Arg(a) => read(&arg(program, a)),
            Operand::Args(id) => {
                program.args.get(id).iter().flat_map(|list| list.iter()).for_each(|&a| {
                    read(&arg(program, a));
                });
            }
            Operand::To(pc) => read(&match field {
                "nil" => format!("nil {}", to(pc)),
                _ if instr.op().name().starts_with("Unless") => format!("else {}", to(pc)),
                _ => to(pc).to_string(),
            }),
            Operand::Case(id) => {
                if let Some(case) = program.cases.get(id) {
                    for (con, &pc) in (case.first.0..).zip(&case.targets) {
                        read(&format!("{}:{}", con_name(program, ConId(con)), to(pc)));
                    }
                }
            }
            Operand::LitCase(id) => {
                if let Some(case) = program.lit_cases.get(id) {
                    for &(value, pc) in &case.words {
                        read(&format!("{}:{}", word(program, value), to(pc)));
                    }
                    for &(big, pc) in &case.bigs {
                        read(&format!("{}:{}", big_text(program, big), to(pc)));
                    }
                    read(&format!("_:{}", to(case.default)));
                }
            }
            Operand::Int(int) => read(&int.to_string()),
            Operand::Global(id) => read(&symbol(program, id)),
            Operand::Thunk(id) => read(&thunk_name(program, id)),
            Operand::Con(id) => read(&con_name(program, id)),
            Operand::Text(id) => {
                let text = program.gcode.texts.get(id);
                read(&text.map_or_else(|| unknown(id.0), |text| string_literal(text)));
            }
            Operand::Char(c) => read(&char_literal(c)),
            Operand::Float(value) => read(&value.to_string()),
            Operand::Primitive(primitive) => read(primitive.name()),
            Operand::Effect(effect) => read(effect.name()),
            Operand::Big(id) => read(&big_text(program, id)),
            Operand::Host(id) => {
                let host = program.gcode.hosts.get(id);
                read(&host.map_or_else(|| unknown(id.0), |host| name(&host.name)));
            }
        }
    });
    let arrow = if written.is_empty() { "" } else { "<- " };
    format!("{written}{arrow}{}{rest}", instr.op().name())
}

fn unknown(number: u32) -> String {
    format!("?{number}")
}

fn symbol(program: &Program, id: GlobalId) -> String {
    let global = program.gcode.globals.get(id);
    global.map_or_else(|| unknown(id.0), |global| name(&global.symbol))
}

fn con_name(program: &Program, id: ConId) -> String {
    program.gcode.cons.get(id).map_or_else(|| unknown(id.0), |con| name(&con.symbol))
}

fn big_text(program: &Program, id: BigId) -> String {
    program.bigs.get(id).map_or_else(|| unknown(id.0), ToString::to_string)
}

/// Returns the name of a thunk in a listing. One that is the call of a function is
/// named after the function.
fn thunk_name(program: &Program, id: ThunkId) -> String {
    let Some(thunk) = program.thunks.get(id) else { return unknown(id.0) };
    let at = program.owners.binary_search_by_key(&thunk.entry.pc, |(pc, _)| *pc);
    match at.ok().and_then(|at| program.owners.get(at)) {
        Some((_, Owner::Global(global))) => format!("({})", symbol(program, *global)),
        _ => format!("{}.{}", symbol(program, thunk.owner), id.0),
    }
}

fn arg(program: &Program, arg: Arg) -> String {
    match (arg.as_slot(), arg.as_constant()) {
        (Some(slot), _) => format!("s{slot}"),
        (_, Some(id)) => {
            program.consts.get(id).map_or_else(|| unknown(id.0), |&value| word(program, value))
        }
        _ => String::new(),
    }
}

fn word(program: &Program, word: Word) -> String {
    match word.view() {
        View::Int(int) => int.to_string(),
        View::Float(value) => value.to_string(),
        View::Char(c) => char_literal(c),
        View::Con(con) => con_name(program, con),
        View::Function(id) => symbol(program, id),
        View::Node(_) | View::Nothing => "nothing".into(),
    }
}

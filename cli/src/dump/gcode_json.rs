//! G-code as JSON.

use gmachine::diagnostic::SourceMap;
use gmachine::gcode::instr::{Instr, IntLit, Jumps, Lit, Operand};
use gmachine::gcode::program::{ConId, GlobalId, GlobalKind, Program};
use serde::Serialize;
use serde_json::{Value, json};

use super::super::report::{JsonPlace, JsonReport, json_span, json_text};
use super::VERSION;
use super::json::Array;

// In every object the fields are in the order of their names.

#[derive(Serialize)]
struct Document<'a, D, G, H> {
    data: D,
    globals: G,
    hints: Vec<JsonReport<'a>>,
    hosts: H,
    main: Option<&'a str>,
    schema: &'a str,
    version: u32,
}

#[derive(Serialize)]
struct Data<'a, C> {
    constructors: C,
    symbol: &'a str,
}

#[derive(Serialize)]
struct Constructor<'a> {
    arity: u32,
    name: &'a str,
    symbol: &'a str,
    tag: u32,
}

#[derive(Serialize)]
struct Host<'a> {
    arity: u32,
    name: &'a str,
}

#[derive(Serialize)]
struct Code<'a, C> {
    arity: u32,
    code: C,
    display: Option<&'a str>,
    kind: &'a str,
    params: Vec<Option<&'a str>>,
    span: Option<JsonPlace<'a>>,
    strict: &'a [bool],
    symbol: &'a str,
}

#[derive(Serialize)]
struct Instruction<'a> {
    instruction: &'a str,
    operands: Vec<Value>,
    span: Option<JsonPlace<'a>>,
}

/// Returns the globals in `wanted`, and the tables of the program: a document.
pub fn render(
    program: &Program,
    wanted: &[GlobalId],
    hints: Vec<JsonReport<'_>>,
    sources: &SourceMap,
) -> String {
    let symbol = |id: GlobalId| program.globals.get(id).map(|global| &*global.symbol);
    let constructor = |con: &ConId| {
        let con = program.cons.get(*con)?;
        Some(Constructor { arity: con.arity, name: &con.name, symbol: &con.symbol, tag: con.tag })
    };
    let document = Document {
        data: Array(|| {
            program.datas.iter().map(|data| Data {
                constructors: Array(move || data.cons.iter().filter_map(constructor)),
                symbol: &data.symbol,
            })
        }),
        globals: Array(|| {
            wanted.iter().filter_map(|&id| program.globals.get(id)).map(|global| Code {
                arity: global.arity,
                code: Array(move || {
                    global.code.iter().enumerate().map(move |(at, instr)| Instruction {
                        instruction: instr.op().name(),
                        operands: operands(program, instr),
                        span: global
                            .spans
                            .get(at)
                            .and_then(|&span| json_span(program.places.text(span), sources)),
                    })
                }),
                display: global.display.as_deref(),
                kind: kind(global.kind),
                params: global.params.iter().map(|name| name.as_deref()).collect(),
                span: json_span(global.span, sources),
                strict: &global.strict,
                symbol: &global.symbol,
            })
        }),
        hints,
        hosts: Array(|| {
            program.hosts.iter().map(|host| Host { arity: host.arity, name: &host.name })
        }),
        main: program.main.and_then(symbol),
        schema: "gmachine-gcode",
        version: VERSION,
    };
    json_text(&document) + "\n"
}

fn kind(kind: GlobalKind) -> &'static str {
    match kind {
        GlobalKind::Supercombinator => "supercombinator",
        GlobalKind::Primitive => "primitive",
        GlobalKind::Constructor(_) => "constructor",
        GlobalKind::Host(_) => "host-function",
    }
}

/// Returns the operands of an instruction; of what they refer to, the symbol.
fn operands(program: &Program, instr: &Instr) -> Vec<Value> {
    instr.operands().iter().map(|operand| value(program, operand)).collect()
}

fn value(program: &Program, operand: &Operand) -> Value {
    let con = |id| program.cons.get(id).map(|con| &*con.symbol);
    match operand {
        Operand::Number(number) => (*number).into(),
        Operand::Global(id) => json!(program.globals.get(*id).map(|global| &*global.symbol)),
        Operand::Int(literal) => int(program, *literal),
        Operand::Float(value) => json!({"float": value.to_string()}),
        Operand::Primitive(primitive) => json!(primitive.name()),
        Operand::Effect(effect) => json!(effect.name()),
        Operand::Char(c) => json!({"char": c}),
        Operand::Text(id) => json!({"text": program.texts.get(*id).map(|text| &**text)}),
        Operand::Con(id) => json!(con(*id)),
        Operand::Host(id) => json!(program.hosts.get(*id).map(|host| &*host.name)),
        Operand::Label(label) => label.0.into(),
        Operand::ConJumps(jumps) => branches(jumps, |id| json!(con(*id))),
        Operand::LitJumps(jumps) => branches(jumps, |literal| match literal {
            Lit::Int(literal) => int(program, *literal),
            Lit::Char(c) => json!({"char": c}),
        }),
    }
}

/// Returns an integer; one that other readers of JSON would round is its digits.
fn int(program: &Program, literal: IntLit) -> Value {
    match literal {
        IntLit::Small(small) => small.into(),
        IntLit::Big(id) => json!(program.bigs.get(id).map(ToString::to_string)),
    }
}

fn branches<K>(jumps: &Jumps<K>, key: impl Fn(&K) -> Value) -> Value {
    let branches: Vec<Value> =
        jumps.branches.iter().map(|(of, to)| json!({"of": key(of), "to": to.0})).collect();
    json!({"branches": branches, "default": jumps.default.map(|label| label.0)})
}

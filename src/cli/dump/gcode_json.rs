//! G-code as JSON.

use gmachine::base::source::SourceMap;
use gmachine::gcode::instr::{Instr, IntLit, Jumps, Lit, Operand};
use gmachine::gcode::program::{GlobalId, GlobalKind, Program};
use serde_json::{Value, json};

use super::super::report::json_span;
use super::json::{array, object};
use super::{schema, version};

/// The globals in `wanted`, and the tables of the program: a document.
pub fn render(program: &Program, wanted: &[GlobalId], sources: &SourceMap) -> String {
    let symbol = |id: GlobalId| program.globals.get(id).map(|global| &*global.symbol);
    let datas = program.datas.iter().map(|data| {
        let cons = data.cons.iter().filter_map(|&con| program.cons.get(con)).map(|con| {
            json!({"symbol": &*con.symbol, "name": &*con.name, "tag": con.tag, "arity": con.arity})
        });
        let data = json!({"symbol": &*data.symbol, "constructors": cons.collect::<Vec<_>>()});
        data.to_string()
    });
    let hosts = program.hosts.iter().map(|host| {
        let host = json!({"name": &*host.name, "arity": host.arity});
        host.to_string()
    });
    let globals = wanted.iter().filter_map(|&id| program.globals.get(id)).map(|global| {
        let code = global.code.iter().enumerate().map(|(at, instr)| {
            let span = global.spans.get(at).and_then(|&span| json_span(span, sources));
            let instr = json!({
                "instruction": instr.op().name(),
                "operands": operands(program, instr),
                "span": span,
            });
            instr.to_string()
        });
        let params: Vec<Option<&str>> = global.params.iter().map(|name| name.as_deref()).collect();
        object([
            ("symbol", json!(&*global.symbol).to_string()),
            ("display", json!(global.display.as_deref()).to_string()),
            ("kind", json!(kind(global.kind)).to_string()),
            ("arity", json!(global.arity).to_string()),
            ("params", json!(params).to_string()),
            ("strict", json!(global.strict).to_string()),
            ("span", json!(json_span(global.span, sources)).to_string()),
            ("code", array(code)),
        ])
    });
    object([
        schema("gcode"),
        version(),
        ("main", json!(program.main.and_then(symbol)).to_string()),
        ("data", array(datas)),
        ("hosts", array(hosts)),
        ("globals", array(globals)),
    ]) + "\n"
}

fn kind(kind: GlobalKind) -> &'static str {
    match kind {
        GlobalKind::Supercombinator => "supercombinator",
        GlobalKind::Primitive => "primitive",
        GlobalKind::Constructor(_) => "constructor",
        GlobalKind::Host(_) => "host-function",
    }
}

/// The operands of an instruction; of what they refer to, the symbol.
fn operands(program: &Program, instr: &Instr) -> Vec<Value> {
    instr.operands().iter().map(|operand| value(program, operand)).collect()
}

fn value(program: &Program, operand: &Operand) -> Value {
    let con = |id| program.cons.get(id).map(|con| &*con.symbol);
    match operand {
        Operand::Number(number) => (*number).into(),
        Operand::Global(id) => json!(program.globals.get(*id).map(|global| &*global.symbol)),
        Operand::Int(literal) => int(program, *literal),
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

/// An integer; one that other readers of JSON would round is its digits.
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

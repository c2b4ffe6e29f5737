//! The call graph, for Graphviz.

use gmachine::gcode::instr::Operand;
use gmachine::gcode::program::{Global, GlobalId, GlobalKind, Program};

use gmachine::render::one_line;

/// Returns the graph of which global's code mentions which, of those in `wanted`, and what they
/// mention themselves. Primitives that the code has as instructions are no nodes.
pub fn render(program: &Program, wanted: &[GlobalId]) -> String {
    let mut out = String::from(
        "digraph calls {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n",
    );
    for &id in wanted {
        let Some(global) = program.globals.get(id) else { continue };
        out.push_str(&format!("  {}{};\n", quoted(&global.symbol), style(global)));
        for callee in callees(global) {
            let Some(callee) = program.globals.get(callee) else { continue };
            out.push_str(&format!("  {} -> {};\n", quoted(&global.symbol), quoted(&callee.symbol)));
        }
    }
    out.push_str("}\n");
    out
}

/// Returns the globals that the code of one mentions, each once, in the order of first mention.
pub fn callees(global: &Global) -> Vec<GlobalId> {
    let mut seen = Vec::new();
    let mut known = std::collections::HashSet::new();
    for operand in global.code.iter().flat_map(|instr| instr.operands()) {
        if let Operand::Global(callee) = operand
            && known.insert(callee)
        {
            seen.push(callee);
        }
    }
    seen
}

/// Returns how the kinds of globals differ in looks.
fn style(global: &Global) -> &'static str {
    match global.kind {
        GlobalKind::Supercombinator if global.arity == 0 => " [style=rounded]",
        GlobalKind::Supercombinator => "",
        GlobalKind::Primitive | GlobalKind::Constructor(_) | GlobalKind::Host(_) => {
            " [style=dashed]"
        }
    }
}

/// Returns a name as a string of the format.
fn quoted(name: &str) -> String {
    format!("\"{}\"", one_line(name).replace('\\', "\\\\").replace('"', "\\\""))
}

//! The reference page of compact code, `docs/compact-code.md`: a hand-written part, and the
//! instructions as the table has them.

use std::fmt::Write;

use super::instr::{Flow, Op};

/// The hand-written part; the instructions come where it says [`PLACE`].
const PAGE: &str = include_str!("compact-code.md");
const PLACE: &str = "<!-- instructions -->\n";

/// Returns the page, in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut table = String::from("| instruction | operands | does | then |\n|---|---|---|---|\n");
    for op in Op::ALL {
        let operands: Vec<String> =
            op.operands().iter().map(|(name, kind)| format!("`{name}` {}", words(kind))).collect();
        let doc: Vec<&str> = op.doc().iter().map(|line| line.trim()).collect();
        let then = match op.flow() {
            Flow::Next => "the next one",
            Flow::Branch => "the next one, or a target",
            Flow::Jump => "a target",
            Flow::End => "",
        };
        let (operands, doc) = (operands.join(", "), doc.join(" "));
        let _ = writeln!(table, "| `{}` | {operands} | {doc} | {then} |", op.name());
    }
    PAGE.replace(PLACE, &table)
}

/// Returns what the type of an operand is called on the page.
fn words(kind: &str) -> &'static str {
    match kind {
        "Dst" => "written",
        "Forced" => "forced",
        "Slot" => "read",
        "Arg" => "operand",
        "ArgsId" => "operands",
        "SlotsId" => "written, several",
        "Base" => "frame",
        "Pc" => "target",
        "CaseId" | "LitCaseId" => "targets",
        "i32" => "number",
        "GlobalId" => "global",
        "ThunkId" => "thunk",
        "ConId" => "constructor",
        "TextId" => "string",
        "BigId" => "integer",
        "char" => "character",
        "Float" => "float",
        "Primitive" => "primitive",
        "Effect" => "effect",
        "HostId" => "host function",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_an_operand_is_in_words_of_the_reader() {
        for op in Op::ALL {
            assert!(op.operands().iter().all(|(_, kind)| words(kind) != "?"), "{}", op.name());
        }
        assert!(PAGE.contains(PLACE));
    }

    #[test]
    fn the_page_in_docs_is_the_one_made_here() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/compact-code.md");
        let made = markdown();
        if std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1") {
            std::fs::write(path, &made).expect("docs can be written");
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(found == made, "docs/compact-code.md is stale: run the tests with UPDATE_DOCS=1");
    }
}

//! The reference page of G-code, `docs/gcode.md`: a hand-written part on the machine and the
//! schemes, and the instructions as the table has them.

use std::fmt::Write;

use super::instr::{Flow, Op};

/// The hand-written part; the instructions come where it says [`PLACE`].
const PAGE: &str = include_str!("gcode.md");
const PLACE: &str = "<!-- instructions -->\n";

/// Returns the page, in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::new();
    for &op in Op::ALL {
        instruction(op, &mut out);
    }
    PAGE.replace(PLACE, out.trim_start())
}

fn instruction(op: Op, out: &mut String) {
    let _ = write!(out, "\n### `{}", op.name());
    for (name, _) in op.operands() {
        let _ = write!(out, " {name}");
    }
    let (takes, leaves) = op.effect();
    let then = match op.flow() {
        Flow::Next => "then the next instruction",
        Flow::Jump => "then a label",
        Flow::End => "the end of the code",
    };
    let _ = writeln!(out, "`\n\nTakes {}, leaves {}; {then}.\n", amount(takes), amount(leaves));
    // The summary, up to the blank line, and then the rules, each a code span.
    for line in op.doc() {
        let line = line.trim();
        match line.strip_prefix('`').and_then(|line| line.strip_suffix('`')) {
            Some(rule) if line.starts_with("`<") => {
                let _ = writeln!(out, "    {rule}");
            }
            _ => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
}

/// Returns a number of stack items, as the table computes it, in the words of the page.
fn amount(expression: &str) -> String {
    if let Some(number) = expression.strip_prefix('*') {
        return number.into();
    }
    if expression.starts_with("ids.con_arity") {
        return "the fields of the constructor".into();
    }
    if expression.starts_with("ids.host_arity") {
        return "the arguments of the host function".into();
    }
    if expression.starts_with("effect.arity") {
        return "the operands of the effect".into();
    }
    expression.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_amount_is_in_words_of_the_reader() {
        for op in Op::ALL {
            let (takes, leaves) = op.effect();
            for expression in [takes, leaves] {
                let amount = amount(expression);
                assert!(!amount.contains(['*', '.', '(']), "{}: {amount}", op.name());
            }
        }
    }

    #[test]
    fn every_instruction_has_a_summary_and_a_rule() {
        for op in Op::ALL {
            let rules = op.doc().iter().filter(|line| line.trim().starts_with("`<")).count();
            assert!(rules > 0 && !op.doc()[0].trim().starts_with('`'), "{}", op.name());
        }
        assert!(PAGE.contains(PLACE));
    }

    #[test]
    fn the_page_in_docs_is_the_one_made_here() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/gcode.md");
        let made = markdown();
        if std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1") {
            std::fs::write(path, &made).expect("docs can be written");
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(found == made, "docs/gcode.md is stale: run the tests with UPDATE_DOCS=1");
    }
}

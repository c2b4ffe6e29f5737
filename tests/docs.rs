//! The examples of the pages are true. A block of CoreF is a program; the block after it
//! tells what becomes of it: `output`, or `report` with the code. One that is followed by
//! neither has to pass the checks.

mod common;

use std::path::Path;

#[derive(Debug)]
struct Block {
    kind: String,
    line: usize,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (at, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(kind)) => {
                open = Some(Block { kind: kind.trim().into(), line: at + 1, text: String::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

fn check(page: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let blocks = blocks(&std::fs::read_to_string(path).expect("the page"));
    let mut checked = 0;
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.kind == "coref") {
        let run = common::run(&block.text, "");
        let place = format!("{page}:{}", block.line);
        match blocks.get(at + 1) {
            Some(next) if next.kind == "output" => {
                assert_eq!((&run.output, &run.failure), (&next.text, &None), "{place}");
            }
            Some(next) if next.kind == "report" => {
                let failure = run.failure.unwrap_or_else(|| panic!("{place}: does not fail"));
                assert_eq!(failure.code, next.text.trim(), "{place}");
            }
            _ => assert_eq!(common::check(&block.text), Vec::<String>::new(), "{place}"),
        }
        checked += 1;
    }
    checked
}

#[test]
fn the_language_reference_is_true() {
    assert!(check("docs/language.md") >= 10);
}

//! The examples of the pages are true. A block of CoreF is a program; the block after it
//! tells what becomes of it: `output`, or `report` with the code. One that is followed by
//! neither has to pass the checks.

use gmachine_testing::common;
use std::path::Path;

use crate::PROJECT;

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
    let path = Path::new(PROJECT).join(page);
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

/// Runs the commands of the page's console blocks, in the project's folder. With
/// `UPDATE_DOCS` set, their output is written into the page.
fn sessions(page: &str) -> usize {
    let path = Path::new(PROJECT).join(page);
    let text = std::fs::read_to_string(&path).expect("the page");
    let own = Path::new(env!("CARGO_BIN_EXE_gmachine")).parent().expect("a folder").display();
    let search = format!("{own}:{}", std::env::var("PATH").unwrap_or_default());
    let mut commands = 0;
    let mut made = String::new();
    let mut in_session = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_session = line == "```console";
        }
        let command = line.strip_prefix("$ ").filter(|_| in_session);
        if command.is_some() || !in_session || line.starts_with("```") {
            made.push_str(line);
            made.push('\n');
        }
        if let Some(command) = command {
            commands += 1;
            let output = std::process::Command::new("sh")
                .args(["-c", command])
                .current_dir(PROJECT)
                .env("PATH", &search)
                .output()
                .expect("a shell");
            made.push_str(&String::from_utf8_lossy(&output.stdout));
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).expect("the page can be written");
    } else {
        assert!(made == text, "{page} is not true any more; UPDATE_DOCS=1 writes it anew:\n{made}");
    }
    commands
}

#[test]
fn the_tutorial_is_true() {
    assert!(sessions("docs/tutorial.md") >= 12);
}

#[test]
fn the_page_on_partial_evaluation_is_true() {
    assert!(sessions("docs/specialising.md") >= 20);
}

#[test]
fn the_page_on_seeing_programs_run_is_true() {
    assert!(sessions("docs/seeing.md") >= 5);
}

#[test]
fn the_page_for_front_ends_is_true() {
    assert!(check("docs/targeting.md") >= 2);
}

#[test]
fn the_language_reference_is_true() {
    assert!(check("docs/language.md") >= 10);
}

//! Every program in `examples/` and `benches/programs/` is free of warnings and does what its first comment says:
//! `; prints: LINE` is all that it prints, `; prints (first line): LINE` how that begins, and
//! `; with input: "TEXT"` its standard input, as a STRING literal.

mod common;

use std::path::{Path, PathBuf};

use gmachine::load::{Loader, Root, load};
use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;

/// Instructions: many times what the longest of them takes.
const FUEL: u64 = 30_000_000;

struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

/// The text that a STRING literal stands for.
fn text(literal: &str) -> String {
    let root = Root::text("literal", format!("(defn main[] {literal})"));
    let loaded = load(&root, &NoFiles);
    assert_eq!(loaded.diagnostics, [], "{literal}");
    loaded.ast.texts.as_slice().last().expect("a literal").to_string()
}

fn examples(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "core"));
    paths.sort();
    paths
}

#[test]
fn the_examples_print_what_they_say() {
    let (examples, programs) = (examples("examples"), examples("benches/programs"));
    assert!(examples.len() >= 12, "only {} examples were found", examples.len());
    assert!(programs.len() >= 9, "only {} programs were found", programs.len());
    for path in examples.into_iter().chain(programs) {
        let name = path.display();
        let program = std::fs::read_to_string(&path).expect("the example");
        assert_eq!(common::check(&program), Vec::<String>::new(), "{name}");
        let comment = |label: &str| {
            let prefix = format!("; {label}: ");
            program.lines().find_map(|line| line.strip_prefix(&prefix).map(str::to_owned))
        };
        let input = comment("with input").map(|literal| text(&literal)).unwrap_or_default();
        let config = Config { fuel: Some(FUEL), ..Config::default() };
        let run = common::run_with(&program, &input, Format::Default, config);
        match (comment("prints"), comment("prints (first line)")) {
            (Some(all), None) => {
                assert_eq!((run.output, run.failure), (format!("{all}\n"), None), "{name}");
            }
            (None, Some(first)) => {
                assert_eq!(run.output.lines().next(), Some(first.as_str()), "{name}");
                if let Some(failure) = run.failure {
                    // One without end runs until it is stopped.
                    assert!(failure.message.contains("Fuel"), "{name}: {failure:?}");
                }
            }
            other => panic!("{name} says {other:?}"),
        }
    }
}

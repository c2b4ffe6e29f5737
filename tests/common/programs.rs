//! The programs in `examples/` and what their first comments say of them.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::{Path, PathBuf};

use gmachine::load::{Loader, Root, load};

/// A program with what it says of itself.
pub struct Example {
    pub name: String,
    pub text: String,
    /// Its standard input.
    pub input: String,
    /// All that it prints, but the last newline.
    pub prints: Option<String>,
    /// The first line that it prints.
    pub prints_first: Option<String>,
}

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

/// The programs, by name.
pub fn examples() -> Vec<Example> {
    let folders = ["examples", "benches/programs"];
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in folders.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) {
        let entries = std::fs::read_dir(folder).expect("the folder");
        paths.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "core"));
    paths.sort();
    let read = |path: &PathBuf| {
        let program = std::fs::read_to_string(path).expect("the example");
        let comment = |label: &str| {
            let prefix = format!("; {label}: ");
            program.lines().find_map(|line| line.strip_prefix(&prefix).map(str::to_owned))
        };
        Example {
            name: path.display().to_string(),
            input: comment("with input").map(|literal| text(&literal)).unwrap_or_default(),
            prints: comment("prints"),
            prints_first: comment("prints (first line)"),
            text: program,
        }
    };
    paths.iter().map(read).collect()
}

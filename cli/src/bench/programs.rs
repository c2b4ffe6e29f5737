//! The programs that are measured: those that come with the command, and files.

use crate::args::Form;
use std::path::Path;

use gmachine::Source;
use gmachine::diagnostic::nearest;
use gmachine::diagnostic::quote::for_message;

use crate::{Context, Failure, files, usage};

/// A program that comes with the command.
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    text: &'static str,
}

macro_rules! built_in {
    ($($name:literal)*) => {
        /// All of them, by name.
        pub const BUILT_IN: &[BuiltIn] = &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../../benches/programs/", $name, ".core")),
        }),*];
    };
}

built_in! {
    "accumulate" "deforest" "exp3" "fibs" "fibs-big" "hamming" "interpreter" "matcher" "msort"
    "nfib" "pi-digits" "pipeline" "queens" "sieve" "tak" "tree"
}

impl BuiltIn {
    /// Returns what a line of its first comment says.
    fn says(&self, label: &str) -> Option<&'static str> {
        self.text
            .lines()
            .find_map(|line| line.strip_prefix("; ")?.strip_prefix(label)?.strip_prefix(": "))
    }
}

/// A program to measure.
pub struct Subject {
    /// What the tables call it.
    pub name: String,
    /// The program.
    pub root: Source,
    /// What it prints, if that is known.
    pub prints: Option<&'static str>,
}

/// Returns the programs of these names, all that come with the command if there are none.
pub fn subjects(names: &[String], full: bool, context: &Context) -> Result<Vec<Subject>, Failure> {
    if names.is_empty() {
        return Ok(BUILT_IN.iter().map(|program| built_in(program, full)).collect());
    }
    names.iter().map(|name| subject(name, full, context)).collect()
}

fn subject(name: &str, full: bool, context: &Context) -> Result<Subject, Failure> {
    if let Some(program) = BUILT_IN.iter().find(|program| program.name == name) {
        return Ok(built_in(program, full));
    }
    let path = Path::new(name);
    let is_path = name == "-" || path.extension().is_some() || path.components().count() > 1;
    if !is_path && !path.exists() {
        let known = || BUILT_IN.iter().map(|program| program.name);
        let message = format!("there is neither a program nor a file `{}`", for_message(name));
        let tip = match nearest(name, known()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the programs are {}", known().collect::<Vec<_>>().join(", ")),
        };
        return Err(usage("bench", message, &tip));
    }
    let name = path.file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
    Ok(Subject {
        name: for_message(&name),
        root: files::root(path, Form::Coref, context)?,
        prints: None,
    })
}

fn built_in(program: &BuiltIn, full: bool) -> Subject {
    let root = Source::text(format!("{}.core", program.name), program.text);
    let name = program.name.to_owned();
    match program.says("full size").filter(|_| full) {
        Some(expression) => Subject {
            name,
            root: root.with_expression(expression),
            prints: program.says("full size prints"),
        },
        None => Subject { name, root, prints: program.says("prints") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_of_the_folder_is_built_in_and_says_what_it_prints() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/programs");
        let entries = std::fs::read_dir(folder).expect("the folder");
        let stem = |path: std::path::PathBuf| path.file_stem().map(|stem| stem.to_owned());
        let names = entries.filter_map(|entry| stem(entry.expect("an entry").path()));
        let mut names: Vec<String> =
            names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        assert_eq!(names, BUILT_IN.iter().map(|program| program.name).collect::<Vec<_>>());
        for program in BUILT_IN {
            for full in [false, true] {
                assert!(built_in(program, full).prints.is_some(), "{}", program.name);
            }
        }
        let full = BUILT_IN.iter().filter(|program| program.says("full size").is_some());
        assert_eq!(full.count(), 12);
    }
}

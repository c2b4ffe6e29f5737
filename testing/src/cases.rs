//! Reads `tests/language/*.cases`; the `README.md` there describes the format.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use gmachine::optimise::Passes;

use crate::common::{Failure, Mode, Run, run_in};
use crate::project;
use crate::tally::Tally;

/// What a case expects.
pub enum Expected {
    /// This, and no failure.
    Prints(String),
    /// A report, after this much if that is told.
    Fails { output: Option<String>, code: String, words: String },
}

impl Expected {
    /// Returns whether a run is what is expected.
    #[must_use]
    pub fn is_met(&self, run: &Run) -> bool {
        match self {
            Expected::Prints(output) => run.failure.is_none() && run.output == *output,
            Expected::Fails { output, code, words } => {
                let printed = output.as_ref().is_none_or(|output| run.output == *output);
                let is_same =
                    |failure: &Failure| failure.code == *code && failure.message.contains(words);
                printed && run.failure.as_ref().is_some_and(is_same)
            }
        }
    }
}

/// Returns the text with its final newline.
pub fn line(text: &str) -> String {
    let text = text.replace('⏎', "\n");
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}

/// A line of a file.
pub struct Case {
    pub line: usize,
    pub expression: String,
    pub expected: Expected,
}

/// Cases that share definitions.
pub struct Section {
    pub title: String,
    pub definitions: String,
    pub cases: Vec<Case>,
}

/// Reads the sections of a file.
fn read(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut in_definition = false;
    for (at, row) in text.lines().enumerate() {
        if let Some(title) = row.strip_prefix("## ") {
            sections.push(Section {
                title: title.into(),
                definitions: String::new(),
                cases: vec![],
            });
            continue;
        }
        if row.trim().is_empty() || row.starts_with('#') {
            continue;
        }
        let section = sections.last_mut().expect("a section before the first case");
        let defines = ["(defn ", "(data ", "(import "].iter().any(|item| row.starts_with(item));
        in_definition = defines || (in_definition && row.starts_with(' '));
        if in_definition {
            writeln!(section.definitions, "{row}").expect("a string");
            continue;
        }
        let failure = |failure: &str, output| {
            let (code, words) = failure.split_once(' ').unwrap_or((failure, ""));
            Expected::Fails { output, code: code.into(), words: words.into() }
        };
        let (expression, expected) = match (row.rsplit_once(" => "), row.rsplit_once(" !! ")) {
            (Some((expression, right)), _) => match right.split_once(" !! ") {
                Some((output, report)) => (expression, failure(report, Some(line(output)))),
                None => (expression, Expected::Prints(line(right))),
            },
            (None, Some((expression, report))) => (expression, failure(report, None)),
            (None, None) => panic!("a case has => or !!: {row}"),
        };
        section.cases.push(Case { line: at + 1, expression: expression.into(), expected });
    }
    sections
}

/// Returns the sections of every file, with the file's name.
pub fn all() -> Vec<(String, Section)> {
    let folder = project().join("tests/language");
    let entries = std::fs::read_dir(folder).expect("the folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cases"));
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("the cases can be read");
        all.extend(read(&text).into_iter().map(|section| (path.display().to_string(), section)));
    }
    all
}

impl Section {
    /// Returns the program that a case is.
    #[must_use]
    pub fn program(&self, case: &Case) -> String {
        format!("{}(defn main[] {})\n", self.definitions, case.expression)
    }
}

static ALL: LazyLock<Vec<(String, Section)>> = LazyLock::new(all);

/// Tries the case of a number in the mode and at the level of the number: so many numbers as
/// there are of all three try each combination.
///
/// # Errors
/// With what became of it, if that is not what it expects.
pub fn wrong(seed: u64) -> Result<Tally, String> {
    let cases = || ALL.iter().flat_map(|(_, of)| of.cases.iter().map(move |case| (of, case)));
    let count = cases().count();
    let (section, case) = cases().nth(seed as usize % count).ok_or("there are no cases")?;
    let modes: Vec<Mode> = Mode::all().collect();
    let round = seed as usize / count;
    let mode = modes[(seed as usize + round) % modes.len()];
    let level = (round / modes.len() % 3) as u8;
    let run = run_in(mode, &section.program(case), "", Passes::level(level));
    if case.expected.is_met(&run) {
        return Ok(Tally { cases: 1, ..Tally::default() });
    }
    let (output, failure) = (run.output, run.failure);
    Err(format!("{}: {mode:?} at -O{level} got {output:?} {failure:?}", case.expression))
}

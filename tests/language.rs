//! What programs mean: the cases under `tests/language/`, each run on every engine there is.

mod common;

use std::fmt::Write as _;
use std::path::Path;

/// What a case expects.
enum Expected {
    Prints(String),
    Fails { code: String, words: String },
}

struct Case {
    line: usize,
    expression: String,
    expected: Expected,
}

struct Section {
    title: String,
    definitions: String,
    cases: Vec<Case>,
}

/// Reads a `.cases` file; `tests/language/README.md` describes the format.
fn read(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut in_definition = false;
    for (at, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push(Section {
                title: title.into(),
                definitions: String::new(),
                cases: vec![],
            });
            continue;
        }
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let section = sections.last_mut().expect("a section before the first case");
        let defines = ["(defn ", "(data ", "(import "].iter().any(|item| line.starts_with(item));
        in_definition = defines || (in_definition && line.starts_with(' '));
        if in_definition {
            writeln!(section.definitions, "{line}").expect("a string");
            continue;
        }
        let (expression, expected) = if let Some((expression, output)) = line.rsplit_once(" => ") {
            (expression, Expected::Prints(output.replace('⏎', "\n")))
        } else {
            let (expression, failure) = line.rsplit_once(" !! ").expect("a case has => or !!");
            let (code, words) = failure.split_once(' ').unwrap_or((failure, ""));
            (expression, Expected::Fails { code: code.into(), words: words.into() })
        };
        section.cases.push(Case { line: at + 1, expression: expression.into(), expected });
    }
    sections
}

/// Runs the cases of a file and returns what went wrong, a line each.
fn failures(path: &Path) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(path).expect("the cases can be read");
    let mut count = 0;
    let mut failures = Vec::new();
    for section in read(&text) {
        for case in section.cases {
            count += 1;
            let program = format!("{}(defn main[] {})\n", section.definitions, case.expression);
            let run = common::run(&program, "");
            let right = match &case.expected {
                Expected::Prints(output) => {
                    let line =
                        if output.ends_with('\n') { output.clone() } else { format!("{output}\n") };
                    run.failure.is_none() && run.output == line
                }
                Expected::Fails { code, words } => run.failure.as_ref().is_some_and(|failure| {
                    failure.code == *code && failure.message.contains(words)
                }),
            };
            if !right {
                failures.push(format!(
                    "{}:{} ({}) {}\n    got {:?} {:?}",
                    path.display(),
                    case.line,
                    section.title,
                    case.expression,
                    run.output,
                    run.failure
                ));
            }
        }
    }
    (count, failures)
}

#[test]
fn every_case_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let mut total = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "cases") {
            let (count, failures) = failures(&path);
            total += count;
            wrong.extend(failures);
        }
    }
    assert!(total >= 500, "only {total} cases were read");
    assert!(wrong.is_empty(), "{} of {total} cases fail:\n{}", wrong.len(), wrong.join("\n"));
}

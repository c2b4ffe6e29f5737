//! The examples in the corelib's comments are true, and every public function has one.

mod common;

use std::path::Path;

/// An example: `;;   > EXPR` (going on in `;;   | ..` lines), then what it prints, or
/// `! words` of its failure.
struct Example {
    line: usize,
    expression: String,
    result: Vec<String>,
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut open = false;
    for (at, line) in text.lines().enumerate() {
        let Some(comment) = line.strip_prefix(";;") else {
            open = false;
            continue;
        };
        if let Some(expression) = comment.strip_prefix("   > ") {
            let expression = expression.to_string();
            examples.push(Example { line: at + 1, expression, result: Vec::new() });
            open = true;
        } else if let Some(more) = comment.strip_prefix("   | ").filter(|_| open) {
            let example = examples.last_mut().expect("open");
            example.expression.push('\n');
            example.expression.push_str(more);
        } else if let Some(result) = comment.strip_prefix("   ").filter(|_| open) {
            examples.last_mut().expect("open").result.push(result.to_string());
        } else {
            open = false;
        }
    }
    examples
}

fn modules() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corelib");
    let mut modules: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the corelib")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "core"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a module"))
        })
        .collect();
    modules.sort();
    modules
}

#[test]
fn the_examples_in_the_comments_are_true() {
    let mut wrong = Vec::new();
    let mut total = 0;
    for (module, text) in modules() {
        let import =
            if module == "prelude" { String::new() } else { format!("(import {module})\n") };
        for example in examples(&text) {
            total += 1;
            let run = common::run(&format!("{import}(defn main[] {})\n", example.expression), "");
            let expected = example.result.join("\n");
            let right = match expected.strip_prefix("! ") {
                Some(words) => run.failure.as_ref().is_some_and(|f| f.message.contains(words)),
                None => run.failure.is_none() && run.output.trim_end_matches('\n') == expected,
            };
            if !right {
                wrong.push(format!(
                    "{module}.core:{}: {}\n    expected {expected:?}\n    got {:?} {:?}",
                    example.line, example.expression, run.output, run.failure
                ));
            }
        }
    }
    assert!(total >= 200, "only {total} examples were read");
    assert!(wrong.is_empty(), "{} of {total} examples fail:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_public_function_has_an_example() {
    for (module, text) in modules() {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(definition) = line.strip_prefix("(defn ") else { continue };
            let name = definition.split(['[', ' ']).next().unwrap_or_default();
            let comment: Vec<&str> = lines[..at]
                .iter()
                .rev()
                .take_while(|line| line.starts_with(';'))
                .copied()
                .collect();
            let private = comment.first().is_some_and(|line| line.contains("private"));
            let example = comment.iter().any(|line| line.starts_with(";;   > "));
            assert!(private || example, "{module}.core:{}: {name} has no example", at + 1);
        }
    }
}

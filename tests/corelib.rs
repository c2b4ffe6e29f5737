//! The examples in the corelib's comments are true, and every public function has one.

use gmachine_testing::common;
use gmachine_testing::documented::{examples, modules};

#[test]
fn the_examples_in_the_comments_are_true() {
    let mut wrong = Vec::new();
    let mut total = 0;
    for (module, text) in modules() {
        for example in examples(&module, &text) {
            total += 1;
            let run = common::run(&example.program, "");
            if !example.is_met(&run) {
                wrong.push(format!(
                    "{module}.core:{}: {}\n    expected {:?}\n    got {:?} {:?}",
                    example.line, example.expression, example.result, run.output, run.failure
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

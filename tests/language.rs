//! What programs mean: the cases under `tests/language/`, each run on every engine there is.

#[path = "common/cases.rs"]
mod cases;
mod common;

use cases::Expected;

#[test]
fn every_case_holds() {
    let mut total = 0;
    let mut wrong = Vec::new();
    for (file, section) in cases::all() {
        for case in section.cases {
            total += 1;
            let program = format!("{}(defn main[] {})\n", section.definitions, case.expression);
            let run = common::run(&program, "");
            let right = match &case.expected {
                Expected::Prints(output) => run.failure.is_none() && run.output == *output,
                Expected::Fails { output, code, words } => {
                    let printed = output.as_ref().is_none_or(|output| run.output == *output);
                    printed
                        && run.failure.as_ref().is_some_and(|failure| {
                            failure.code == *code && failure.message.contains(words)
                        })
                }
            };
            if !right {
                let (line, title) = (case.line, &section.title);
                let (expression, output, failure) = (case.expression, run.output, run.failure);
                wrong.push(format!(
                    "{file}:{line} ({title}) {expression}\n    got {output:?} {failure:?}"
                ));
            }
        }
    }
    assert!(total >= 500, "only {total} cases were read");
    assert!(wrong.is_empty(), "{} of {total} cases fail:\n{}", wrong.len(), wrong.join("\n"));
}

//! Programs that people wrote keep what they print, at every level of optimisation.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;

use super::cases;
use super::common::{Run, run_optimised};
use super::{documented, programs};

/// The levels that are tried, beside the one that the other tests run.
const LEVELS: &[u8] = &[1, 2];

fn run(source: &str, input: &str, level: u8) -> Run {
    let config = Config { heap_limit: Some(1 << 30), fuel: Some(500_000_000), ..Config::default() };
    run_optimised(source, input, Format::Default, config, Passes::level(level))
}

#[test]
fn every_case_holds_at_every_level() {
    let (mut wrong, mut total) = (Vec::new(), 0);
    for (file, section) in cases::all() {
        let name = file.rsplit('/').next().unwrap_or_default();
        for case in &section.cases {
            let program = section.program(case);
            for &level in LEVELS {
                total += 1;
                let run = run(&program, "", level);
                if !case.expected.is_met(&run) {
                    let (line, expression) = (case.line, &case.expression);
                    let (output, failure) = (run.output, run.failure);
                    wrong.push(format!(
                        "{name}:{line} {expression}\n    at level {level}: {output:?} {failure:?}"
                    ));
                }
            }
        }
    }
    assert!(total >= 1_000, "only {total} runs");
    assert!(wrong.is_empty(), "{} of {total} runs fail:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_examples_of_the_corelib_hold_at_every_level() {
    let (mut wrong, mut total) = (Vec::new(), 0);
    for (module, text) in documented::modules() {
        for example in documented::examples(&module, &text) {
            for &level in LEVELS {
                total += 1;
                let run = run(&example.program, "", level);
                if !example.is_met(&run) {
                    wrong.push(format!(
                        "{module}.core:{}: {} at level {level}\n    got {:?} {:?}",
                        example.line, example.expression, run.output, run.failure
                    ));
                }
            }
        }
    }
    assert!(total >= 400, "only {total} runs");
    assert!(wrong.is_empty(), "{} of {total} runs fail:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_examples_print_what_they_say_at_every_level() {
    for example in programs::examples() {
        for &level in LEVELS {
            let config = Config { fuel: Some(30_000_000), ..Config::default() };
            let passes = Passes::level(level);
            let run = run_optimised(&example.text, &example.input, Format::Default, config, passes);
            example.check(&format!("at level {level}"), &run);
        }
    }
}

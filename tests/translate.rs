//! The translation of G-code to compact code: what it makes passes the verifier.

#[path = "common/cases.rs"]
mod cases;
mod common;
#[path = "common/documented.rs"]
mod documented;
#[path = "translate/naive.rs"]
mod naive;
#[path = "common/programs.rs"]
mod programs;

use std::sync::Arc;

use gmachine::gcode::program::Program as Gcode;
use gmachine::machine::fast::code::listing;
use gmachine::machine::fast::code::program::Program;
use gmachine::machine::fast::code::verify::verify;
use gmachine::machine::fast::translate::translate;
use gmachine::optimise::Passes;

/// Translates and verifies.
fn translated(gcode: Arc<Gcode>) -> Program {
    let program = translate(gcode).expect("small enough");
    let found = verify(&program);
    if let Some(first) = found.first() {
        panic!("{first}\n{}", listing::program(&program, &mut |_| None));
    }
    program
}

/// Steps of a naive run; what takes longer is not compared.
const FUEL: u64 = 3_000_000;

/// Translates without passes and with all of them, and compares with the reference machine.
/// Returns how many runs came to their end.
fn levels(source: &str, input: &str) -> usize {
    let mut ended = 0;
    for passes in [Passes::NONE, Passes::ALL] {
        let Some(gcode) = common::compile_after(source, passes) else { continue };
        let program = Arc::new(translated(gcode));
        let (output, result) = naive::run(program.clone(), input, FUEL);
        if result == Err(naive::Stop::Fuel) {
            continue;
        }
        ended += 1;
        let expected = common::run_after(source, input, passes);
        let fails = matches!(result, Err(naive::Stop::Fails(_)));
        let same = fails == expected.failure.is_some() && (fails || output == expected.output);
        if !same || matches!(result, Err(naive::Stop::Broken(_))) {
            let listing = listing::program(&program, &mut |_| None);
            panic!(
                "{source}\n{listing}\n{output}{result:?}\nnot {}{:?}",
                expected.output, expected.failure
            );
        }
    }
    ended
}

#[test]
fn every_case_means_the_same_in_compact_code() {
    let mut ended = 0;
    for (_, section) in cases::all() {
        for case in &section.cases {
            let main = format!("{}\n(defn main[] {})\n", section.definitions, case.expression);
            ended += levels(&main, "");
        }
    }
    assert!(ended > 1000, "{ended}");
}

#[test]
fn the_examples_mean_the_same_in_compact_code() {
    let examples = programs::examples();
    let ended: usize = examples.iter().map(|example| levels(&example.text, &example.input)).sum();
    assert!(ended > 20, "{ended}");
}

#[test]
fn the_corelib_means_the_same_in_compact_code() {
    for (module, text) in documented::modules() {
        for example in documented::examples(&module, &text) {
            levels(&example.program, "");
        }
    }
}

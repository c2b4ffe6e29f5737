//! The translation of G-code to compact code: what it makes passes the verifier.

#[path = "common/cases.rs"]
mod cases;
mod common;
#[path = "common/documented.rs"]
mod documented;
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

/// Without passes and with all of them.
fn levels(source: &str) {
    for passes in [Passes::NONE, Passes::ALL] {
        if let Some(gcode) = common::compile_after(source, passes) {
            translated(gcode);
        }
    }
}

#[test]
fn the_code_of_every_case_passes_the_verifier() {
    for (_, section) in cases::all() {
        for case in &section.cases {
            levels(&format!("{}\n(defn main[] {})\n", section.definitions, case.expression));
        }
    }
}

#[test]
fn the_code_of_the_examples_passes_the_verifier() {
    let examples = programs::examples();
    assert!(examples.len() > 20);
    examples.iter().for_each(|example| levels(&example.text));
}

#[test]
fn the_code_of_the_corelib_passes_the_verifier() {
    for (module, text) in documented::modules() {
        for example in documented::examples(&module, &text) {
            levels(&example.program);
        }
    }
}

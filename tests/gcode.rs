//! G-code and the schemes: what is emitted, that it verifies, and that listings read back.
#![allow(clippy::unwrap_used)]

mod deep;
mod golden;
mod joins;
mod mutation;
mod random;
mod sequences;
mod strict;
mod text;

use gmachine::compile::compile;
use gmachine::gcode::print::{bare, instr};
use gmachine::gcode::program::Program;
use gmachine::gcode::{parse, print, verify};
use gmachine_testing::read;

/// What a text of lifted core compiles to. It verifies, and its listing reads back.
fn compiled(text: &str) -> Program {
    let (core, names) = read::read(text);
    let program = compile(&core, &names);
    check(&program);
    program
}

/// Checks that a program verifies and that its listing reads back.
fn check(program: &Program) {
    let violations: Vec<String> = verify::verify(program).iter().map(ToString::to_string).collect();
    let listing = print::program(program, &mut bare);
    assert!(violations.is_empty(), "{violations:#?}\n{listing}");
    let back = parse::parse(&listing).unwrap_or_else(|error| panic!("{error}\n{listing}"));
    assert_eq!(back, without_spans(program.clone()), "{listing}");
}

fn without_spans(mut program: Program) -> Program {
    for global in program.globals.iter_mut() {
        global.span = Default::default();
        global.spans.fill(Default::default());
    }
    program
}

/// The instructions of a global, one text.
fn code(program: &Program, symbol: &str) -> String {
    let global = &program.globals[program.find(symbol).expect(symbol)];
    let code: Vec<String> = global.code.iter().map(|i| instr(program, i)).collect();
    code.join("; ")
}

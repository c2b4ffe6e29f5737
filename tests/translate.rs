//! The translation of G-code to compact code: what it makes passes the verifier.

mod golden;
mod odd;
mod tampered;

use std::sync::Arc;

use common::Mode;

use gmachine::gcode::Verified;
use gmachine::gcode::instr::Instr;
use gmachine::machine::fast::code::listing;
use gmachine::machine::fast::code::program::Program;
use gmachine::machine::fast::code::verify::verify;
use gmachine::machine::fast::translate::translate;
use gmachine::machine::heap::word::Word;
use gmachine::machine::{MachineKind, Stress};
use gmachine::optimise::Passes;
use gmachine_testing::{cases, common, dice, documented, naive, programs, typed};

/// Translates and verifies.
fn translated(gcode: Verified) -> Program {
    let program = translate(gcode).expect("small enough");
    let found = verify(&program);
    if let Some(first) = found.first() {
        panic!("{first}\n{}", listing::program(&program, &mut |_| None));
    }
    program
}

/// Steps of a naive run; what takes longer is not compared.
const FUEL: u64 = 500_000;

/// Translates without passes and with all of them, and compares with the reference machine.
/// Returns how many runs came to their end.
fn levels(source: &str, input: &str) -> usize {
    let mut ended = 0;
    for passes in [Passes::NONE, Passes::ALL] {
        let Some(gcode) = common::compile_after(source, passes) else { continue };
        let instructions = gcode.globals.iter().flat_map(|global| &global.code);
        let mut computed = instructions.filter_map(Instr::computes).map(|of| of.name());
        let has_aggregates =
            computed.any(|name| name.starts_with("array") || name.starts_with("bytes"));
        let has_actions = gcode.action_data().is_some();
        let program = Arc::new(translated(gcode));
        if has_actions || has_aggregates {
            // The naive interpreter performs no actions, and has neither arrays nor byte strings.
            continue;
        }
        let (output, result) = naive::run(program.clone(), input, FUEL);
        if result == Err(naive::Stop::Fuel) {
            continue;
        }
        ended += 1;
        // A program that may fail in several ways may fail in another one on another machine.
        let mode = Mode { machine: MachineKind::Reference, stress: Stress::None };
        let expected = common::run_in(mode, source, input, passes);
        if expected.failure.as_ref().is_some_and(|failure| failure.code == "stop") {
            continue;
        }
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

#[test]
fn random_programs_mean_the_same_in_compact_code() {
    let (first, count) = (dice::number("GMACHINE_SEED", 0), dice::number("GMACHINE_CASES", 100));
    let ended: usize =
        (first..first + count).map(|seed| levels(&typed::program(seed), "some input\n")).sum();
    assert!(ended as u64 > count / 2, "{ended}");
}

/// A chain of `count` bindings, all of which are used at the end.
fn chain(count: usize, open: impl Fn(usize) -> String, close: &str) -> String {
    let opened: String = (1..=count).map(open).collect();
    let used: String = (1..=count).map(|i| format!("(add x{i} ")).collect();
    format!(
        "(defn f[x] (add x 1))\n(data Box (Box inside))\n(defn main[] (g 1))\n\
         (defn g[x0] {opened}{used}0{}{})\n",
        ")".repeat(count),
        close.repeat(count)
    )
}

#[test]
fn so_many_variables_that_live_sets_are_coarse() {
    const COUNT: usize = 1200;
    let lazy = chain(COUNT, |i| format!("(let ([x{i} (f x{})]) ", i - 1), ")");
    let strict = chain(COUNT, |i| format!("(let ([x{i} (f x{})]) (seq x{i} ", i - 1), "))");
    let cased = chain(COUNT, |i| format!("(case (Box (f x{})) [(Box x{i}) ", i - 1), "])");
    let branches = chain(COUNT, |i| format!("(let ([x{i} (f x0)]) (if (eq x0 {i}) x{i} "), "))");
    for source in [lazy, strict, cased, branches] {
        assert!(levels(&source, "") > 0);
        let code = translated(common::compile(&source));
        assert!(code.consts.iter().any(|word| *word == Word::NOTHING), "slots are cleared");
    }
}

#[test]
fn a_group_of_names_that_refer_to_each_other_in_any_order() {
    for count in [1, 2, 7, 300] {
        for (at, value) in
            ["(Cons I xJ)", "xJ", "(add I xJ)", "(fn [a] (add a xJ))", "[]", "(f xJ)"]
                .into_iter()
                .enumerate()
        {
            let others = ["(Cons I xJ)", "(add I xJ)", "3", "xJ", "(f xJ)"];
            let binds: String = (0..count)
                .map(|i| {
                    let value = if i % 3 == 0 { value } else { others[(i + at) % others.len()] };
                    let value = value.replace('I', &i.to_string());
                    format!("[x{i} {}]", value.replace('J', &((i * 7 + 1) % count).to_string()))
                })
                .collect();
            levels(
                &format!("(defn f[x] (Cons x x))\n(defn main[] (letrec ({binds}) (seq x0 1)))\n"),
                "",
            );
        }
    }
}

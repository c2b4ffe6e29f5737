//! The programs of `benches/styles`, `benches/others`, `benches/ordinary` and `benches/unseen`: each prints the same at `-O0` and
//! `-O2`, and what is written in some style costs about what it costs written out.

use std::fs;
use std::path::Path;

use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind};
use gmachine::optimise::Passes;
use gmachine_testing::project;

use super::common::{Text, compile_after, machine};

/// What a program prints, and its reductions, at `-O0` and `-O2`.
fn run(path: &Path) -> [(String, u64); 2] {
    let text = fs::read_to_string(path).expect("a program");
    // Few read something.
    let input = fs::read_to_string(path.with_extension("in")).unwrap_or_default();
    [0, 2].map(|level| {
        let program = compile_after(&text, Passes::level(level)).expect("a program");
        let mut machine = machine(MachineKind::Fast, &program, Config::default());
        let mut output = String::new();
        let started = machine.start(Format::Default, Some(Box::new(Text::new(&input))));
        let result = started.and_then(|()| machine.run(&mut output));
        assert!(result.is_ok(), "{} at -O{level}: {result:?}", path.display());
        (output, machine.statistics().reductions)
    })
}

/// How many pairs a folder has, what the styled programs of them take in the mean, as ratio to those written
/// out, and how many take over a quarter more.
fn pairs(folder: &str) -> (u32, f64, u32) {
    let folder = project().join(folder);
    let (mut pairs, mut logarithms, mut dear) = (0, 0.0, 0);
    for entry in fs::read_dir(&folder).expect("the folder") {
        let styled = entry.expect("a file").path();
        let name = styled.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(name) = name.strip_suffix(".styled.core") else { continue };
        let plain = run(&folder.join(format!("{name}.plain.core")));
        let styled = run(&styled);
        let outputs = [&styled[0], &styled[1], &plain[0], &plain[1]].map(|(output, _)| output);
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{name}: {outputs:?}");
        let ratio = (styled[1].1 + 20) as f64 / (plain[1].1 + 20) as f64;
        pairs += 1;
        logarithms += ratio.ln();
        dear += u32::from(ratio > 1.25);
    }
    (pairs, (logarithms / f64::from(pairs)).exp(), dear)
}

#[test]
fn what_is_written_in_a_style_costs_about_what_it_costs_written_out() {
    let (pairs, mean, dear) = pairs("benches/styles");
    assert!(pairs >= 130, "{pairs}");
    assert!(mean < 1.30 && dear <= 30, "{mean:.3} in the mean, {dear} over 1.25");
}

/// Their authors did not know what the optimiser does. Many go along a list more often than the program that is
/// written out.
#[test]
fn what_others_have_written_costs_no_more_than_it_did() {
    let (pairs, mean, dear) = pairs("benches/others");
    assert!(pairs >= 132, "{pairs}");
    assert!(mean < 2.24 && dear <= 85, "{mean:.3} in the mean, {dear} over 1.25");
}

/// Returns how many programs a folder has, of those whose names are told, and the mean of what they take at `-O2`
/// of the reductions of `-O0`. They print the same.
fn mean(folder: &str, is_one: impl Fn(&str) -> bool) -> (u32, f64) {
    let (mut programs, mut logarithms) = (0, 0.0);
    for entry in fs::read_dir(project().join(folder)).expect("the folder") {
        let path = entry.expect("a file").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !name.ends_with(".core") || !is_one(name) {
            continue;
        }
        let [plain, optimised] = run(&path);
        assert_eq!(plain.0, optimised.0, "{}", path.display());
        programs += 1;
        logarithms += (optimised.1 as f64 / plain.1 as f64).ln();
    }
    (programs, (logarithms / f64::from(programs)).exp())
}

#[test]
fn ordinary_programs_print_the_same_and_cost_less() {
    let (programs, mean) = mean("benches/ordinary", |_| true);
    assert!(programs >= 91 && mean < 0.24, "{mean:.3} in the mean of {programs}");
}

/// Returns whether a program computes with numbers, has effects or is large: specialising brings less there.
fn is_heavy(name: &str) -> bool {
    ["numeric-", "effect-", "large-"].iter().any(|group| name.starts_with(group))
}

#[test]
fn programs_whose_authors_did_not_know_the_optimiser_cost_less() {
    let (programs, mean) = mean("benches/unseen", |name| !is_heavy(name));
    assert!(programs >= 132 && mean < 0.30, "{mean:.3} in the mean of {programs}");
}

#[test]
fn programs_of_numbers_with_effects_and_large_ones_cost_less() {
    let (programs, mean) = mean("benches/unseen", is_heavy);
    assert!(programs >= 46 && mean < 0.41, "{mean:.3} in the mean of {programs}");
}

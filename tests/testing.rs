//! What finds mistakes finds them: a few cases of each kind of the long runs, and that the
//! random programs are what they should be.

use std::collections::BTreeSet;

use gmachine::optimise::strictness::Budget;
use gmachine::optimise::{Pass, Passes, Report};
use gmachine_testing::command::kinds::KINDS;
use gmachine_testing::common::{check, compile_after, compiled_after, compiled_within};
use gmachine_testing::dice::{Dice, number};
use gmachine_testing::hunt::hunter;
use gmachine_testing::metamorphic::{self, REWRITINGS};
use gmachine_testing::tally::Tally;
use gmachine_testing::{calls, corpus, mutants, sexpr, typed, wild};

/// Cases of a kind that is tried fully.
const CASES: u64 = 25;

#[test]
fn a_few_cases_of_every_kind_are_right() {
    let (first, cases) = (number("GMACHINE_SEED", 0), number("GMACHINE_CASES", CASES));
    let workers: Vec<_> = (0..2)
        .map(|worker| {
            hunter(move || {
                let mut results = Vec::new();
                for kind in KINDS.iter().skip(worker).step_by(2) {
                    let (mut seen, mut wrong) = (Tally::default(), Vec::new());
                    for seed in first..first + (cases * kind.share / 100).max(2) {
                        match (kind.check)(seed, &mut Vec::new()) {
                            Ok(found) => seen.add(&found),
                            Err(found) => wrong.push(format!("{} {seed}: {found}", kind.name)),
                        }
                    }
                    results.push((kind.name, seen, wrong));
                }
                results
            })
        })
        .collect();
    let known: BTreeSet<(&str, &str)> =
        Report::KINDS.iter().map(|(pass, what)| (pass.name(), *what)).collect();
    let mut all = Tally::default();
    let results = workers.into_iter().flat_map(|worker| worker.join().expect("panics are caught"));
    for (name, seen, wrong) in results {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(seen.cases > 0, "{name}: {seen:?}");
        // Of the kinds with few cases here, one may be many.
        assert!(seen.discarded * 10 <= seen.cases + 10, "{name}: {seen:?}");
        all.add(&seen);
    }
    for kind in all.rewrites.keys() {
        assert!(known.contains(kind), "{kind:?} is not in the list of what passes do");
    }
    // What machines count by kind is what they count altogether.
    let executed = |name: &str| {
        let found = all.fast.instructions.iter().find(|(op, _)| *op == name);
        found.map_or(0, |(_, times)| *times)
    };
    for name in ["Tail1", "CaseList", "CallHost"] {
        assert!(executed(name) > 0, "{name}: {:?}", all.fast);
    }
}

/// Each rewriting is found a place for, and changes the program.
#[test]
fn every_rewriting_is_done() {
    for (name, rewriting) in REWRITINGS {
        let mut done = 0;
        for seed in 0..60 {
            let text = typed::program(seed);
            let Some(mut program) = metamorphic::read(&text) else {
                panic!("{seed} has no scopes: {text}")
            };
            let before = program.clone();
            if rewriting(&mut program, &mut Dice::new(seed)) && program != before {
                done += 1;
            }
        }
        assert!(done > 1, "{name} was done {done} times");
    }
}

/// A program that is read with its scopes and written again is the same but for names, and
/// then it is the same.
#[test]
fn scopes_are_written_as_they_are_read() {
    for seed in 0..100 {
        let once = metamorphic::read(&typed::program(seed)).expect("a program").write();
        let twice = metamorphic::read(&once).expect("a program").write();
        assert_eq!(once, twice, "{seed}");
    }
}

#[test]
fn generators_are_total_and_the_same_for_the_same_bytes() {
    for seed in 0..40_u64 {
        let mut dice = Dice::new(seed);
        let bytes: Vec<u8> = (0..seed * 3).map(|_| dice.roll(256) as u8).collect();
        for make in [typed::of, wild::of] {
            let text = make(Dice::of_bytes(&bytes));
            assert_eq!(text, make(Dice::of_bytes(&bytes)));
            assert!(sexpr::try_read(&text).is_some(), "{text}");
        }
        calls::wrong(Dice::of_bytes(&bytes)).expect("the library does what it should");
    }
    // All the same bytes.
    for byte in [0, 1, 7, 255] {
        let bytes = [byte; 3_000];
        assert!(sexpr::try_read(&typed::of(Dice::of_bytes(&bytes))).is_some());
        assert!(sexpr::try_read(&wild::of(Dice::of_bytes(&bytes))).is_some());
    }
}

#[test]
fn the_corpus_has_forms_and_its_mutants_are_other_programs() {
    let all = corpus::Corpus::read();
    assert!(all.forms.len() > 150, "{} of {} texts", all.forms.len(), all.texts.len());
    let mutants: BTreeSet<String> = (0..200).map(corpus::mutant).collect();
    assert!(mutants.len() > 190, "{} different ones", mutants.len());
}

/// However it is changed, what people wrote stays a program: names are bound, patterns are of
/// one data type.
#[test]
fn mutants_of_programs_are_programs() {
    let all = corpus::Corpus::read();
    let [short, long] = &all.programs;
    assert!(short.len() > 90 && !long.is_empty(), "{} and {}", short.len(), long.len());
    let mut changed = BTreeSet::new();
    for seed in 0..150_usize {
        let of = &short[seed % short.len()];
        let text = mutants::mutant(&mut Dice::new(seed as u64), of, short);
        let built = compile_after(&text, Passes::NONE);
        assert!(built.is_some(), "{seed}: {:?}\n{text}", check(&text));
        changed.insert(text);
    }
    assert!(changed.len() > 130, "{} different ones", changed.len());
}

/// Some programs hold what is broad, of every form, and are right.
#[test]
fn broad_programs_are_made_and_compile() {
    let mut forms: BTreeSet<&str> = BTreeSet::new();
    let mut found = 0;
    for seed in 0..1_500 {
        let text = typed::program(seed);
        if !text.contains("around'") {
            continue;
        }
        found += 1;
        let form = ["(data Broad", "(across' (add n -1)", "(fn [y] (across'", "(fn [y] (if (gt y"];
        forms.extend(form.into_iter().filter(|form| text.contains(form)));
        assert!(compile_after(&text, Passes::NONE).is_some(), "{seed}: {:?}", check(&text));
    }
    assert!(found > 8 && forms.len() == 4, "{found} programs: {forms:?}");
}

/// With a budget of nothing the analysis gives up, says so, and what is left is a program.
#[test]
fn the_analysis_of_strictness_gives_up_within_no_budget() {
    let budget = Budget { per_expression: 0, reserve: 0 };
    let text = typed::program(3);
    let (_, report) = compiled_within(&text, Passes::ALL, budget).expect("a program");
    for what in ["functions given up", "demands on data given up"] {
        let found = report
            .counts()
            .iter()
            .any(|(pass, kind, _)| *pass == Pass::Strictness && *kind == what);
        assert!(found, "{what}: {:?}", report.counts());
    }
    let within = compiled_within(&text, Passes::ALL, Budget::default()).expect("a program");
    let after = compiled_after(&text, Passes::ALL).expect("a program");
    assert_eq!(within.0, after.0, "with the usual budget it is the usual code");
}

/// What is wrong is made as small as it can be, and stays wrong in the same way.
#[test]
fn a_failing_program_is_made_smaller() {
    let text = typed::program(3);
    let fails = |text: &str| text.contains("case") && text.contains("main");
    let small = sexpr::shrink(&text, &fails);
    assert!(fails(&small) && small.len() < 40, "{small}");
}

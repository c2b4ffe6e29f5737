//! Single passes of the optimiser: what each makes of a program, and that the program does the
//! same with no more work.
#![allow(clippy::unwrap_used, missing_docs)]

mod dead_args;
mod float_in;
mod joins;
mod selection;

use gmachine::core::expr::Program;
use gmachine::core::print;
use gmachine::driver::{Built, Options, Stage, build};
use gmachine::load::Source;
use gmachine::machine::Stress;
use gmachine::machine::outcome::{Statistics, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::optimise::{self, Pass, Passes};
use gmachine_testing::common::NoFiles;
use gmachine_testing::{common, read, typed};

use crate::work::is_linear;

fn built(text: &str, passes: Passes, until: Stage) -> Built {
    let optimise = optimise::Options { passes, verbose: true };
    let options = Options { optimise, until, ..Options::RUN };
    let built = build(&Source::text("test.core", text), &NoFiles, &options);
    assert!(!built.has_errors(), "{:?}\n{text}", built.diagnostics);
    built
}

/// The program's own definitions after one pass, without line breaks; and what the pass did.
fn after(text: &str, pass: Pass) -> (String, Vec<String>) {
    let built = built(text, Passes::NONE.with(pass), Stage::Optimised);
    let counts = built.report.counts().iter();
    let counts = counts.map(|(of, what, times)| {
        assert_eq!(*of, pass);
        format!("{times} {what}")
    });
    let counts = counts.collect();
    (shown(&built), counts)
}

fn shown(built: &Built) -> String {
    let program: &Program = built.core.as_ref().unwrap();
    let mut out = String::new();
    for (id, global) in program.globals.enumerate() {
        let file = built.loaded.sources.file_at(global.span.lo);
        if file.is_some_and(|file| !file.corelib) {
            print::definition(program, &built.loaded.names, id, &mut out);
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a program prints, or that it fails, and what the run took.
fn run(text: &str, passes: Passes, fuel: u64, stress: bool) -> (Result<String, Stop>, Statistics) {
    let program = built(text, passes, Stage::Gcode).gcode.unwrap();
    let config = Config {
        fuel: Some(fuel),
        stress: if stress { Stress::Full } else { Stress::None },
        ..Config::default()
    };
    let mut machine = Machine::new(program, config);
    let mut out = String::new();
    let input = Box::new(common::Text::new("input"));
    let result = machine.start(Format::Default, Some(input)).and_then(|()| machine.run(&mut out));
    (result.map(|()| out), machine.statistics())
}

/// Checks that a program does the same after a pass, with no more work.
#[track_caller]
fn same(text: &str, pass: Pass) {
    let ((before, work), (found, less)) = (
        run(text, Passes::NONE, 10_000_000, false),
        run(text, Passes::NONE.with(pass), 10_000_000, false),
    );
    match (&before, &found) {
        (Ok(before), Ok(found)) => assert_eq!(before, found, "{text}"),
        (Err(Stop::Error(_)), Err(Stop::Error(_))) => {}
        _ => panic!("{before:?}, then {found:?}\n{text}"),
    }
    assert!(
        less.reductions <= work.reductions,
        "{} reductions, then {}\n{text}",
        work.reductions,
        less.reductions
    );
}

/// Checks random programs.
fn random(pass: Pass, count: u64) {
    const FUEL: u64 = 300_000;
    let mut changed = 0;
    for seed in 0..count {
        let text = typed::program(seed);
        let (before, work) = run(&text, Passes::NONE, FUEL, false);
        let (found, less) = run(&text, Passes::NONE.with(pass), FUEL, seed % 16 == 0);
        match (&before, &found) {
            (Ok(before), Ok(found)) => {
                assert_eq!(before, found, "program {seed}\n{text}");
                assert!(less.reductions <= work.reductions, "program {seed}\n{text}");
            }
            (Err(Stop::Limit(_)), _) | (Err(Stop::Error(_)), Err(_)) => {}
            _ => panic!("program {seed}: {before:?}, then {found:?}\n{text}"),
        }
        changed += u64::from(before.is_ok() && less.instructions < work.instructions);
    }
    assert!(changed > count / 20, "{changed} programs got better");
}

/// Checks that the work on a program of any size, up to this, grows with the size.
#[track_caller]
fn compiles_linearly(size: usize, text: impl Fn(usize) -> String, passes: Passes) {
    let (small, large) = (text(size / 4), text(size));
    is_linear(size, |of| {
        built(if of == size { &large } else { &small }, passes, Stage::Gcode);
    });
}

/// A list that is consumed as it is produced takes no more work if the producer's arguments are
/// literals than if they are parameters; so behind a function that does nothing but call it.
#[test]
fn a_list_that_is_long_or_endless_is_fused_though_all_is_known_of_it() {
    let rows = [
        "(sum (map square (range K N)))",
        "(sum (take N (map square (from K))))",
        "(sum (map fst (zip (range K N) (range K N))))",
        "(sum (map square (upto N)))",
        "(sum (take N (iterate (add 1) K)))",
    ];
    for row in rows {
        let with = |n: &str, k: &str| row.replace('N', n).replace('K', k);
        let literal = |n: u64| format!("(defn main[] {})", with(&n.to_string(), "1"));
        let parameter = |n: u64| {
            let go = format!("(defn go[n k] {})", with("n", "k"));
            format!(
                "{go} (defn main[input] (go (add {n} (length (drop 5 input))) (length (drop 4 input))))"
            )
        };
        let work = |text: &str, passes| {
            let text = format!("{text} (defn upto[n] (range 1 n))");
            let (printed, work) = run(&text, passes, 10_000_000, false);
            (printed.expect(row), work.allocations)
        };
        let slope = |text: &dyn Fn(u64) -> String, passes| {
            let (less, more) = (work(&text(1_000), passes), work(&text(3_000), passes));
            assert_eq!(more.0, work(&text(3_000), Passes::NONE).0, "{row}");
            more.1 - less.1
        };
        let (fused, plain) = (slope(&literal, Passes::ALL), slope(&literal, Passes::NONE));
        let parameters = slope(&parameter, Passes::ALL);
        // A variant for one literal may leave a tenth more.
        assert!(10 * fused <= 11 * parameters, "{row}: {fused} nodes, not {parameters}");
        assert!(3 * fused < 2 * plain, "{row}: {fused} nodes, of {plain} without passes");
    }
}

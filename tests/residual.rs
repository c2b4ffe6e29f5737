//! A program of supercombinators, printed as CoreF, means the same when it is read back.

mod common;
#[path = "differential/dice.rs"]
mod dice;
#[path = "differential/generate.rs"]
mod generate;

use std::path::Path;
use std::sync::Arc;

use gmachine::core::residual::residual;
use gmachine::driver::{Options, Stage, build};
use gmachine::gcode::program::Program;
use gmachine::load::{Loader, Root};
use gmachine::machine::outcome::{Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::optimise::{self, Passes};

const INPUT: &str = "input\n of two lines";

/// Instructions.
const FUEL: u64 = 1_000_000;

/// Files are looked up beside the examples.
struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn options(until: Stage, passes: Passes) -> Options<'static> {
    let optimise = optimise::Options { passes, verbose: false };
    Options { until, optimise, ..Options::RUN }
}

/// A program as CoreF, after these passes.
fn printed(text: &str, passes: Passes) -> String {
    let root = Root::text("program.core", text);
    let built = build(&root, &NoFiles, &options(Stage::Optimised, passes));
    let core = built.core.unwrap_or_else(|| panic!("{text}: {:?}", built.diagnostics));
    residual(&core, &built.loaded.names, &built.loaded.sources)
}

fn compiled(text: &str) -> Arc<Program> {
    let root = Root::text("program.core", text);
    let built = build(&root, &NoFiles, &Options::RUN);
    let errors: Vec<_> = built.diagnostics.iter().filter(|report| report.is_error()).collect();
    Arc::new(built.gcode.unwrap_or_else(|| panic!("{errors:?}\n{text}")))
}

/// What a program prints, without the names of functions, and how it ends.
fn meaning(text: &str, input: &str, fuel: u64) -> (String, &'static str) {
    let config = Config { fuel: Some(fuel), ..Config::default() };
    let mut machine = Machine::new(compiled(text), config);
    let mut out = String::new();
    let input = Box::new(common::Text::new(input));
    let end = machine.start(Format::Default, Some(input)).and_then(|()| machine.run(&mut out));
    let end = match end {
        Ok(()) => "value",
        Err(Stop::Error(_)) => "error",
        Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Fuel(_)) => "fuel",
        Err(other) => panic!("{other}"),
    };
    (without_names(&out), end)
}

/// A function without a name gets one when it is written out.
fn without_names(text: &str) -> String {
    let mut pieces = text.split("<function");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str("<function");
        out.push_str(piece.find('>').map_or(piece, |end| &piece[end..]));
    }
    out
}

/// Checks that a program and what is printed of it mean the same.
fn check(text: &str, input: &str, passes: Passes, fuel: u64) {
    let again = printed(text, passes);
    let wanted = meaning(text, input, fuel);
    let found = meaning(&again, input, 2 * fuel);
    if wanted.1 == "fuel" || found.1 == "fuel" {
        let shorter = wanted.0.len().min(found.0.len()).saturating_sub(1);
        assert_eq!(wanted.0[..shorter], found.0[..shorter], "{text}\n\n{again}");
        assert!(wanted.1 != "value" || found.1 == "value", "{text}\n\n{again}");
        return;
    }
    assert_eq!(wanted, found, "{text}\n\n{again}");
    // What is printed of that is as good.
    if text.len() < 20_000 {
        assert_eq!(meaning(&printed(&again, Passes::NONE), input, 2 * fuel), found, "{again}");
    }
}

#[test]
fn random_programs_read_back() {
    let (first, count) = (dice::number("GMACHINE_SEED", 0), dice::number("GMACHINE_CASES", 600));
    for seed in first..first + count {
        let text = generate::program(seed);
        let passes = if seed % 2 == 0 { Passes::NONE } else { Passes::ALL };
        check(&text, INPUT, passes, FUEL);
    }
}

#[test]
fn examples_read_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "core") {
            let text = std::fs::read_to_string(&path).expect("the example");
            for passes in [Passes::NONE, Passes::ALL] {
                check(&text, "some words\nin two lines\n", passes, 2_000_000);
            }
            count += 1;
        }
    }
    assert!(count >= 15, "{count} examples");
}

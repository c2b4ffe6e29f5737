//! One program, with and without passes.

use gmachine::compile::compile;
use gmachine::core::expr;
use gmachine::driver::{Options, Stage, build};
use gmachine::gcode::Verified;
use gmachine::gcode::program::Program;
use gmachine::lift::lint::lint;
use gmachine::load::{Loaded, Source};
use gmachine::machine::outcome::Statistics;
use gmachine::machine::reference::Config;
use gmachine::optimise::{self, ORDER, Pass, Passes, optimise};

use crate::common::{NoFiles, first_mistake, names, subset};
use crate::dice::Dice;
use crate::ends::{End, Meaning, ended, machine, meaning};

/// What standard input is, in turn.
const INPUTS: &[&str] = &["input\n of two lines", "", "abcab"];

/// Instructions of the run without passes.
const FUEL: u64 = 400_000;

/// Bytes of a run: far more than so many instructions need.
const HEAP: u64 = 1 << 30;

/// A run of more instructions has its live data not measured.
const MEASURED: u64 = 40_000;

/// Collections come after so many instructions where live data is measured.
const SLICE: u64 = 64;

/// How many times as many instructions a program may come to have, and how many more: the
/// optimiser's work is in proportion to what it makes.
const GROWTH: usize = 8;
const GROWTH_BASE: usize = 25_000;

/// How many times its instructions a program may have that takes nearly as many reductions as
/// before, and how many more.
const SWOLLEN: u64 = 3;
const SWOLLEN_BASE: u64 = 3_000;

/// What has been tried.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    pub values: u64,
    pub errors: u64,
    pub endless: u64,
    /// Programs that came out of some passes as no others did.
    pub residuals: u64,
    /// Reductions of all programs that have values, without passes and with all of them.
    pub reductions: [u64; 2],
    /// Instructions of their code, likewise.
    pub lengths: [u64; 2],
    /// How many have come to more than three times their code though that does not save as much work.
    pub swollen: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.values += other.values;
        self.errors += other.errors;
        self.endless += other.endless;
        self.residuals += other.residuals;
        self.reductions[0] += other.reductions[0];
        self.reductions[1] += other.reductions[1];
        self.lengths[0] += other.lengths[0];
        self.lengths[1] += other.lengths[1];
        self.swollen += other.swollen;
    }

    /// Returns whether one program has come to more than three times its code though that does not
    /// save as much work.
    fn is_swollen(&self) -> bool {
        let [before, after] = self.lengths;
        let [work, left] = self.reductions;
        after > SWOLLEN * before + SWOLLEN_BASE && after * left > before * work
    }
}

/// Which subsets of the passes are tried: all passes come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subsets {
    /// All passes, each pass alone, all but each, and a subset that depends on the number: so
    /// many numbers as there are subsets try all of them.
    Some,
    /// Every one.
    Every,
}

/// Returns the subsets for a number.
pub fn subsets(which: Subsets, seed: u64) -> Vec<Passes> {
    if which == Subsets::Every {
        return (0..1 << Pass::ALL.len()).rev().map(subset).collect();
    }
    let alone = Pass::ALL.iter().map(|&pass| Passes::NONE.with(pass));
    let without = Pass::ALL.iter().map(|&pass| Passes::ALL.without(pass));
    [Passes::ALL].into_iter().chain(alone).chain(without).chain([subset(seed)]).collect()
}

/// A run.
struct Ran {
    meaning: Meaning,
    statistics: Statistics,
}

fn run(program: &Verified, input: &str, fuel: u64) -> Result<Ran, String> {
    let config = Config { fuel: Some(fuel), heap_limit: Some(HEAP), ..Config::default() };
    let mut machine = machine(program, input, config)?;
    let mut out = String::new();
    let end = ended(machine.run(&mut out))?;
    machine.verify()?;
    Ok(Ran { meaning: meaning(&out, end), statistics: machine.statistics() })
}

/// Returns the most live data that there is after any [`SLICE`] of instructions.
fn live(program: &Verified, input: &str) -> Result<u64, String> {
    let mut machine = machine(program, input, Config::default())?;
    let mut out = String::new();
    for _ in 0..4 * MEASURED / SLICE {
        machine.set_fuel(Some(SLICE));
        let end = ended(machine.run(&mut out))?;
        machine.collect();
        if end != End::Fuel {
            break;
        }
    }
    Ok(machine.statistics().peak_live_bytes)
}

/// Returns the program after some passes, linted and verified.
fn residual(lifted: &expr::Program, loaded: &Loaded, passes: Passes) -> Result<Verified, String> {
    let options = optimise::Options { passes, ..optimise::Options::default() };
    if !cfg!(debug_assertions) {
        // Where the optimiser does not itself check what each step returns.
        let mut program = lifted.clone();
        for step in ORDER {
            let steps = step.iter().filter(|&&pass| passes.has(pass));
            let passes = steps.fold(Passes::NONE, |set, &pass| set.with(pass));
            let options = optimise::Options { passes, ..options };
            program = optimise(program, &loaded.names, options).0;
            lints(&program, passes)?;
        }
    }
    let (program, _) = optimise(lifted.clone(), &loaded.names, options);
    lints(&program, passes)?;
    let code = compile(&program, &loaded.names);
    let invalid = |found| format!("the code is not valid: [{}] {found:?}", names(passes));
    Verified::new(code).map_err(invalid)
}

/// Returns the number of instructions of all code.
#[must_use]
pub fn length(program: &Program) -> usize {
    program.globals.iter().map(|global| global.code.len()).sum()
}

fn lints(program: &expr::Program, passes: Passes) -> Result<(), String> {
    let found = lint(program);
    if found.is_empty() {
        return Ok(());
    }
    Err(format!("no supercombinators: [{}] {found:?}", names(passes)))
}

/// Checks what the optimiser makes of a program.
pub fn wrong(text: &str, seed: u64, which: Subsets) -> Result<Tally, String> {
    let options = Options { until: Stage::Lifted, ..Options::RUN };
    let built = build(&Source::text("random.core", text), &NoFiles, &options);
    let mistake = first_mistake(&built);
    let lifted = built.core.ok_or(mistake)?;
    let loaded = built.loaded;
    let plain = residual(&lifted, &loaded, Passes::NONE)?;
    let inputs = if text.contains("input") { INPUTS } else { &INPUTS[..1] };
    let mut wanted = Vec::new();
    for input in inputs {
        let ran = run(&plain, input, FUEL)?;
        // One node that is as large as all the rest says nothing of what is kept.
        let is_even = !text.contains("huge'") && !text.contains("broad'");
        let measured = ran.meaning.1 == End::Value && ran.statistics.instructions <= MEASURED;
        let measured = measured && is_even;
        let live = if measured { Some(live(&plain, input)?) } else { None };
        wanted.push((*input, ran, live));
    }
    let mut seen = Tally::default();
    match wanted[0].1.meaning.1 {
        End::Value => seen.values = 1,
        End::Error => seen.errors = 1,
        End::Fuel => seen.endless = 1,
    }
    let mut tried = vec![plain];
    // Of each program that is tried, with the first input.
    let mut counts = vec![wanted[0].1.statistics.reductions];
    let mut levels = [None; 2];
    // What lives is measured after all passes, and after one of the other subsets.
    let subsets = subsets(which, seed);
    let chosen = Dice::new(seed).roll(subsets.len());
    for (at, passes) in subsets.into_iter().enumerate() {
        let code = residual(&lifted, &loaded, passes)?;
        let (before, after) = (length(&tried[0]), length(&code));
        if after > GROWTH * before + GROWTH_BASE {
            return Err(format!("large: [{}] {before} instructions, then {after}", names(passes)));
        }
        let mut count = tried.iter().position(|other| *other == code).map(|at| counts[at]);
        if count.is_none() {
            for (input, wanted, live_data) in &wanted {
                let live_data = live_data.filter(|_| at == 0 || at == chosen);
                let found = compare(&code, input, wanted, live_data).map_err(|(what, how)| {
                    format!("{what}: [{}] {input:?}: {how}", names(passes))
                })?;
                count = count.or(Some(found));
            }
            tried.push(code);
            counts.extend(count);
        }
        if passes == Passes::ALL {
            levels[1] = count;
            seen.lengths = [before as u64, after as u64];
        } else if passes == Passes::level(1) {
            levels[0] = count;
        }
    }
    if seen.values == 1 {
        seen.reductions = [counts[0], levels[1].unwrap_or(0)];
        if let [Some(first), Some(second)] = levels
            && second > first + first / 10 + 50
        {
            return Err(format!(
                "more work than without partial evaluation: {first}, then {second}"
            ));
        }
    }
    seen.residuals = tried.len() as u64 - 1;
    seen.swollen = u64::from(seen.is_swollen());
    Ok(seen)
}

/// Compares a run with that of the program as it was; returns the number of its reductions. An
/// error says what is wrong, and how.
fn compare(
    code: &Verified,
    input: &str,
    wanted: &Ran,
    wanted_live: Option<u64>,
) -> Result<u64, (&'static str, String)> {
    let stopped = |stop: String| ("the machine", stop);
    let found = run(code, input, 2 * FUEL).map_err(stopped)?;
    let both = format!("wanted {:?}, found {:?}", wanted.meaning, found.meaning);
    let (output, wanted_output) = (&found.meaning.0, &wanted.meaning.0);
    let right = match (wanted.meaning.1, found.meaning.1) {
        // An error or no end: a run may show either.
        (End::Error, End::Fuel) => wanted_output.starts_with(output.as_str()),
        (End::Fuel, _) => {
            wanted_output.starts_with(output.as_str()) || output.starts_with(wanted_output)
        }
        _ => found.meaning == wanted.meaning,
    };
    if !right {
        return Err(("another result", both));
    }
    let (before, after) = (wanted.statistics.reductions, found.statistics.reductions);
    if wanted.meaning.1 != End::Value {
        return Ok(after);
    }
    if after > before + before / 10 + 50 {
        return Err(("more work", format!("{before} reductions, then {after}")));
    }
    if let Some(before) = wanted_live {
        let after = live(code, input).map_err(stopped)?;
        if after > before + before / 4 + 4096 {
            return Err(("more live data", format!("{before} bytes, then {after}")));
        }
    }
    Ok(after)
}

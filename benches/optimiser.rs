//! What the optimiser's passes add to the time of a compilation, as a table.
//!
//! ```text
//! cargo bench --bench optimiser              # 1 and 10 MB of which `main` reaches everything
//! cargo bench --bench optimiser -- 3
//! cargo bench --bench optimiser -- growth             # every shape of program, doubled
//! cargo bench --bench optimiser -- growth 16 pair     # up to 16 kB, names with `pair` in them
//! ```
//!
//! A row is a set of passes: the seconds that they take on a lifted program (median of three),
//! those of the whole compilation with them, its ratio to that without passes, how many times
//! its size the program is after them (in bytes of its text), the instructions in its code.
//!
//! With `growth`, a row is a shape of program (`gmachine_testing::growth`) at a level: for
//! sources of 1, 2, 4 and so on kilobytes, the milliseconds of the whole compilation, the
//! steps that the optimiser counts and the instructions of the code. Behind a row stands what
//! of it grew by more than 2.2 times when the source doubled.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::time::{Duration, Instant};

use gmachine::compile::compile;
use gmachine::core::expr::Program;
use gmachine::core::print;
use gmachine::driver::{Built, Options, Stage, build};
use gmachine::gcode;
use gmachine::load::{Loader, Root};
use gmachine::optimise::{self, Pass, Passes, optimise};
use gmachine_testing::growth::{self, Growth};
use gmachine_testing::shapes::Shape;

struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if words.first().is_some_and(|word| word == "growth") {
        return growth(&words[1..]);
    }
    let sizes: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    for &size in if sizes.is_empty() { &[1, 10] } else { sizes.as_slice() } {
        measure(size);
    }
}

fn measure(megabytes: usize) {
    let source = Shape::Reached.program(megabytes * 1_000_000);
    let start = Instant::now();
    let options = Options { until: Stage::Lifted, ..Options::RUN };
    let built = build(&Root::text("generated.core", source), &NoFiles, &options);
    let front = start.elapsed();
    let lifted = built.core.as_ref().unwrap();
    let start = Instant::now();
    drop(compile(lifted, &built.loaded.names));
    let back = start.elapsed();
    let plain = (front + back).as_secs_f64();
    println!(
        "{megabytes} MB: {:.2} s to supercombinators, {back:.2?} to code",
        front.as_secs_f64()
    );
    let heads = ["seconds", "all", "ratio", "text", "code"];
    println!(
        "{:<28} {:>8} {:>8} {:>6} {:>6} {:>6}",
        "passes", heads[0], heads[1], heads[2], heads[3], heads[4]
    );
    let size = (text(lifted, &built), instructions(&compile(lifted, &built.loaded.names)));
    let each = Pass::ALL.iter().map(|&pass| (pass.name(), Passes::NONE.with(pass)));
    let levels = [("-O1", Passes::level(1)), ("-O2", Passes::level(2))];
    for (name, passes) in each.chain(levels) {
        let (took, residual) = median(lifted, &built, passes);
        let start = Instant::now();
        let code = compile(&residual, &built.loaded.names);
        let back = start.elapsed();
        let all = (front + took + back).as_secs_f64();
        println!(
            "{name:<28} {:>8.2} {all:>8.2} {:>6.2} {:>6.2} {:>6.2}",
            took.as_secs_f64(),
            all / plain,
            text(&residual, &built) as f64 / size.0 as f64,
            instructions(&code) as f64 / size.1 as f64,
        );
    }
    println!();
}

/// The median of three times, and the program that comes out.
fn median(lifted: &Program, built: &Built, passes: Passes) -> (Duration, Program) {
    let options = optimise::Options { passes, ..optimise::Options::default() };
    let mut runs = Vec::new();
    loop {
        let program = lifted.clone();
        let start = Instant::now();
        let (residual, _) = optimise(program, &built.loaded.names, options);
        runs.push(start.elapsed());
        if runs.len() == 3 {
            runs.sort();
            return (runs[1], residual);
        }
    }
}

fn text(program: &Program, built: &Built) -> usize {
    print::program(program, &built.loaded.names).len()
}

fn instructions(code: &gcode::program::Program) -> usize {
    code.globals.iter().map(|global| global.code.len()).sum()
}

/// Compilations that take less are not compared by their time.
const NOISE: f64 = 10.0;
/// Nothing larger is compiled once a compilation has taken so many milliseconds.
const ENOUGH: f64 = 400.0;

/// What a compilation took.
struct Cost {
    milliseconds: f64,
    steps: u64,
    instructions: usize,
}

fn cost(source: &str, level: u8) -> Cost {
    let passes = Passes::level(level);
    let optimise = optimise::Options { passes, ..optimise::Options::default() };
    let start = Instant::now();
    let options = Options { optimise, ..Options::RUN };
    let built = build(&Root::text("generated.core", source.to_owned()), &NoFiles, &options);
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let Some(code) = &built.gcode else {
        panic!("{:?}: {}", built.diagnostics.first(), &source[..source.len().min(400)])
    };
    Cost { milliseconds, steps: built.report.steps(), instructions: instructions(code) }
}

fn growth(words: &[String]) {
    let most = words.iter().find_map(|word| word.parse().ok()).unwrap_or(4usize);
    let names: Vec<&String> = words.iter().filter(|word| word.parse::<usize>().is_err()).collect();
    let chosen = |growth: &Growth| {
        names.is_empty() || names.iter().any(|name| growth.name.contains(name.as_str()))
    };
    let mut flagged = 0;
    let mut shapes = 0;
    for growth in growth::all().filter(chosen) {
        shapes += 1;
        for level in 0..=2 {
            let mut row = format!("{:<30} -O{level}", growth.name);
            let mut last: Option<Cost> = None;
            let mut flags = String::new();
            let mut size = 512;
            while size <= most * 1024 {
                let cost = cost(&growth.program(growth.repetitions(size)), level);
                row += &format!(
                    " | {:7.1} ms {:8} {:6}",
                    cost.milliseconds, cost.steps, cost.instructions
                );
                if let Some(before) = &last {
                    let much = |now: f64, before: f64| now > 2.2 * before;
                    if cost.milliseconds > NOISE && much(cost.milliseconds, before.milliseconds) {
                        flags += " time";
                    }
                    if much(cost.steps as f64, before.steps as f64) {
                        flags += " steps";
                    }
                    if much(cost.instructions as f64, before.instructions as f64) {
                        flags += " code";
                    }
                }
                let enough = cost.milliseconds > ENOUGH;
                last = Some(cost);
                if enough {
                    break;
                }
                size *= 2;
            }
            flagged += u32::from(!flags.is_empty());
            println!("{row}{}{flags}", if flags.is_empty() { "" } else { " !!" });
        }
    }
    println!("{shapes} shapes, {flagged} rows grow faster than their source");
}

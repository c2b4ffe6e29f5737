//! What the optimiser's passes add to the time of a compilation, as a table.
//!
//! ```text
//! cargo bench --bench optimiser              # 1 and 10 MB of which `main` reaches everything
//! cargo bench --bench optimiser -- 3
//! ```
//!
//! A row is a set of passes: the seconds that they take on a lifted program (median of three),
//! those of the whole compilation with them, its ratio to that without passes, how many times
//! its size the program is after them (in bytes of its text), the instructions in its code.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::time::{Duration, Instant};

use gmachine::compile::compile;
use gmachine::core::expr::Program;
use gmachine::core::print;
use gmachine::driver::{Built, Options, Stage, build};
use gmachine::gcode;
use gmachine::load::{Loader, Source};
use gmachine::optimise::{self, Pass, Passes, optimise};
use gmachine_testing::shapes::Shape;

struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let sizes: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    for &size in if sizes.is_empty() { &[1, 10] } else { sizes.as_slice() } {
        measure(size);
    }
}

fn measure(megabytes: usize) {
    let source = Shape::Reached.program(megabytes * 1_000_000);
    let start = Instant::now();
    let options = Options { until: Stage::Lifted, ..Options::RUN };
    let built = build(&Source::text("generated.core", source), &NoFiles, &options);
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

//! What collections cost: the programs that have a Haskell peer, at their full size, with the
//! nursery as it is and with one that is hardly ever full. As a Markdown table.
//!
//! ```text
//! cargo bench --bench nursery                   # takes 7 GB
//! cargo bench --bench nursery -- queens msort
//! ```
//!
//! Times are the least of runs that take turns, without compilation, on machines whose memory
//! has been used before: else the large nursery would be measured by what the system takes to
//! hand out pages. They are the processor's where the system tells (Linux), else the clock's.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use gmachine::driver::{Options, build};
use gmachine::load::{Loader, Source};
use gmachine::machine::print::Format;
use gmachine::machine::{Config, Machine, MachineKind};
use gmachine::optimise::{self, Passes};

/// Bytes of the large nursery.
const LARGE: usize = 4 << 30;
/// How often each program is run in each nursery.
const RUNS: u32 = 5;

struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &std::path::Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn main() {
    let names: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    println!("| program | default s | collections | large nursery s | collections | ratio |");
    println!("|---|---:|---:|---:|---:|---:|");
    let optimise = optimise::Options { passes: Passes::ALL, ..optimise::Options::default() };
    let options = Options { optimise, ..Options::RUN };
    let mut ratios = Vec::new();
    for peer in gmachine_testing::programs::peers() {
        if !names.is_empty() && !names.contains(&peer.name) {
            continue;
        }
        let text = std::fs::read_to_string(&peer.core).unwrap();
        // A function, so that nothing remembers its value.
        let expression = format!("(fn [_] {})", peer.full);
        let root = Source::text(&*peer.name, text).with_expression(expression);
        let built = build(&root, &NoFiles, &options);
        let image = MachineKind::Fast.load(built.gcode.unwrap());
        let mut machines = [None, Some(LARGE)]
            .map(|nursery| image.machine(Config { nursery, ..Config::default() }));
        let mut best = [Duration::MAX; 2];
        let mut collections = [0; 2];
        for _ in 0..=RUNS {
            for (at, machine) in machines.iter_mut().enumerate() {
                let (time, count) = run(&mut **machine, &peer.full_prints);
                best[at] = best[at].min(time);
                collections[at] = count;
            }
        }
        let [default, large] = best.map(|time| time.as_secs_f64());
        let ratio = default / large;
        ratios.push(ratio);
        let [few, many] = [collections[1], collections[0]];
        println!("| {} | {default:.3} | {many} | {large:.3} | {few} | {ratio:.2} |", peer.name);
    }
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
    println!("\nThe geometric mean of the ratios is {:.2}.", mean.exp());
}

/// The time of a call of `main`, and its collections.
fn run(machine: &mut dyn Machine, prints: &str) -> (Duration, u64) {
    machine.collect();
    let main = machine.global_root(machine.program().main.unwrap()).unwrap();
    let argument = machine.new_int(0.into()).unwrap();
    let call = machine.apply(&main, &[argument]).unwrap().unwrap();
    let before = machine.statistics().collections;
    let mut printed = String::new();
    let start = clock();
    machine.print_root(&call, Format::Default, &mut printed).unwrap().unwrap();
    let time = clock() - start;
    assert_eq!(printed.trim_end(), prints);
    (time, machine.statistics().collections - before)
}

/// The time that this process has had, or else that has passed.
fn clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

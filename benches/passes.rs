//! What the optimiser's passes are good for: the examples and the programs of
//! `benches/programs`, run with no pass, with strictness analysis alone, with everything but
//! it (partial evaluation and what goes with it), and with all. As Markdown tables.
//!
//! ```text
//! cargo bench --bench passes                # counts and times
//! cargo bench --bench passes -- counts      # what is the same every time
//! cargo bench --bench passes -- nfib tak
//! ```
//!
//! A program's output is compared before anything is measured. Counts are those of the
//! reference machine; a time is the median of runs that take turns, without compilation.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gmachine::driver::{Options, build};
use gmachine::gcode::Verified;
use gmachine::load::{Loader, Source, load};
use gmachine::machine::outcome::{Input, InputError, Limit, Statistics, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::optimise::{self, Pass, Passes};

/// What is compared.
const SETTINGS: [&str; 4] = ["neither", "strictness", "partial evaluation", "both"];

/// The passes of each setting.
fn passes() -> [Passes; 4] {
    let strictness = Pass::Strictness;
    [Passes::NONE, Passes::NONE.with(strictness), Passes::ALL.without(strictness), Passes::ALL]
}

/// Instructions. What needs more never ends.
const FUEL: u64 = 50_000_000;

/// How often each program is run in each setting, an odd number for the median's sake.
const RUNS: usize = 17;

struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

/// An input whose text is known.
struct Text(std::vec::IntoIter<char>);

impl Input for Text {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        Ok(self.0.next())
    }
}

/// A program, compiled in each setting.
struct Subject {
    name: String,
    input: String,
    programs: [Verified; 4],
}

/// What came of a run.
struct Ran {
    output: String,
    statistics: Statistics,
    time: Duration,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let counts_only = words.iter().any(|word| word == "counts");
    let names: Vec<&String> = words.iter().filter(|word| *word != "counts").collect();
    let mut subjects = Vec::new();
    for folder in ["examples", "benches/programs"] {
        for path in programs(folder) {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if names.is_empty() || names.contains(&&name) {
                subjects.push(subject(name, &path));
            }
        }
    }
    let mut measured: Vec<(String, [Statistics; 4], [Duration; 4])> = Vec::new();
    for subject in &subjects {
        if let Some((statistics, times)) = measure(subject, if counts_only { 1 } else { RUNS }) {
            measured.push((subject.name.clone(), statistics, times));
        }
    }
    let count = |title: &str, of: fn(&Statistics) -> u64| {
        let rows = measured.iter().map(|(name, all, _)| {
            let base = of(&all[0]) as f64;
            let cells = all.each_ref().map(|one| {
                let ratio = if base > 0.0 { of(one) as f64 / base } else { 1.0 };
                format!("{} ({:.0} %)", grouped(of(one)), 100.0 * ratio)
            });
            (name.clone(), cells)
        });
        table(title, rows);
    };
    count("Instructions", |statistics| statistics.instructions);
    count("Reductions", |statistics| statistics.reductions);
    count("Nodes allocated", |statistics| statistics.allocations);
    if !counts_only {
        let rows = measured.iter().map(|(name, _, times)| {
            let base = times[0].as_secs_f64();
            let cells = times.each_ref().map(|time| {
                let seconds = time.as_secs_f64();
                format!("{:.2} ms ({:.0} %)", 1000.0 * seconds, 100.0 * seconds / base)
            });
            (name.clone(), cells)
        });
        table("Time on the machine", rows);
    }
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "core"));
    paths.sort();
    paths
}

/// Compiles a program in each setting. `; with input: "TEXT"` in it is its standard input.
fn subject(name: String, path: &Path) -> Subject {
    let text = std::fs::read_to_string(path).unwrap();
    let literal = text.lines().find_map(|line| line.strip_prefix("; with input: "));
    let input = literal.map_or(String::new(), |literal| {
        let loaded = load(&Source::text("input", format!("(defn main[] {literal})")), &NoFiles);
        loaded.ast.texts.as_slice().last().unwrap().to_string()
    });
    let programs = passes().map(|passes| {
        let optimise = optimise::Options { passes, verbose: false };
        let options = Options { optimise, ..Options::RUN };
        let built = build(&Source::text(&*name, &*text), &NoFiles, &options);
        built.gcode.unwrap_or_else(|| panic!("{name}: {:?}", built.diagnostics))
    });
    Subject { name, input, programs }
}

/// Runs a program; `None` if it never ends.
fn run(program: &Verified, input: &str) -> Option<Ran> {
    let mut machine =
        Machine::new(program.clone(), Config { fuel: Some(FUEL), ..Config::default() });
    let input = Box::new(Text(input.chars().collect::<Vec<_>>().into_iter()));
    machine.start(Format::Default, Some(input)).unwrap();
    let mut output = String::new();
    let start = Instant::now();
    match machine.run(&mut output) {
        Ok(()) => {}
        Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Fuel(_)) => return None,
        Err(stop) => panic!("{stop}"),
    }
    Some(Ran { output, statistics: machine.statistics(), time: start.elapsed() })
}

/// The counts and the median times of a program in each setting.
fn measure(subject: &Subject, runs: usize) -> Option<([Statistics; 4], [Duration; 4])> {
    let mut statistics = [Statistics::default(); 4];
    let mut times: [Vec<Duration>; 4] = Default::default();
    let expected = run(&subject.programs[0], &subject.input)?.output;
    for round in 0..runs {
        for turn in 0..SETTINGS.len() {
            // What a run leaves in the allocator can favour the next one: each setting comes
            // after each other one as often.
            let step =
                if (round / SETTINGS.len()).is_multiple_of(2) { 1 } else { SETTINGS.len() - 1 };
            let at = (round + turn * step) % SETTINGS.len();
            let ran = run(&subject.programs[at], &subject.input)?;
            assert_eq!(ran.output, expected, "{} with {}", subject.name, SETTINGS[at]);
            statistics[at] = ran.statistics;
            times[at].push(ran.time);
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    Some((statistics, times.map(median)))
}

/// Digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn table(title: &str, rows: impl Iterator<Item = (String, [String; 4])>) {
    let head = SETTINGS.map(str::to_owned);
    let mut lines = vec![("program".to_owned(), head)];
    lines.extend(rows);
    let first = lines.iter().map(|(name, _)| name.len()).max().unwrap();
    let widths: [usize; 4] =
        std::array::from_fn(|at| lines.iter().map(|(_, cells)| cells[at].len()).max().unwrap());
    println!("## {title}\n");
    for (at, (name, cells)) in lines.iter().enumerate() {
        let cells: Vec<String> =
            cells.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        println!("| {name:first$} | {} |", cells.join(" | "));
        if at == 0 {
            let rules: Vec<String> =
                widths.iter().map(|&width| format!("{}:", "-".repeat(width - 1))).collect();
            println!("| {} | {} |", "-".repeat(first), rules.join(" | "));
        }
    }
    println!();
}

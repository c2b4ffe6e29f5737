//! The programs of published tables at each level of optimisation: `benches/compare --published`.

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::contestant::Ghc;
use crate::measure::{Measured, Ran, run};
use crate::{Args, from_caller, note_load};
use gmachine_testing::programs::{self, Peer, TABLES};

/// The levels of optimisation.
const LEVELS: [u8; 3] = [0, 1, 2];

/// Counts below this are taken for this in ratios: a program that allocates nothing would make
/// every mean nothing.
const LEAST: f64 = 1_000.0;

/// What is measured of a program at a level.
struct Row {
    name: String,
    /// For each level: in the order of [`MEASURES`].
    levels: Vec<[f64; MEASURES.len()]>,
    /// Seconds of GHC's program.
    ghc: Option<f64>,
}

/// A table.
struct Measure {
    title: &'static str,
    /// Digits after the point.
    digits: usize,
    /// Smaller values are taken for this one in ratios.
    least: f64,
}

const MEASURES: [Measure; 6] = [
    Measure { title: "Reductions", digits: 0, least: 1.0 },
    Measure { title: "Bytes allocated", digits: 0, least: LEAST },
    Measure { title: "Seconds in the machine", digits: 3, least: 0.001 },
    Measure { title: "Peak of live data, bytes", digits: 0, least: LEAST },
    Measure { title: "Instructions of G-code", digits: 0, least: 1.0 },
    Measure { title: "Seconds of compilation", digits: 4, least: 0.000_1 },
];
const REDUCTIONS: usize = 0;
const BYTES: usize = 1;
/// The time that GHC's is compared with.
const TIME: usize = 2;
const PEAK: usize = 3;
const CODE: usize = 4;
const COMPILATION: usize = 5;

/// Measures what is asked for and prints the tables; whether all was solved.
///
/// # Errors
/// When a program cannot be run.
pub fn compare(args: &Args) -> Result<bool, String> {
    let mut chosen = programs::published();
    for name in &args.names {
        if chosen.iter().all(|(peer, _)| peer.name != *name) {
            let known: Vec<&str> = chosen.iter().map(|(peer, _)| &*peer.name).collect();
            return Err(format!("there is no program `{name}`; there are {}", known.join(", ")));
        }
    }
    chosen.retain(|(peer, _)| args.names.is_empty() || args.names.contains(&peer.name));
    let ghc = Ghc::find();
    let peers: Vec<Peer> = chosen.iter().map(|(peer, _)| peer.clone()).collect();
    if let Some(ghc) = &ghc {
        ghc.build([2].into_iter(), &peers)?;
    }
    let version = ghc.as_ref().map_or("no ghc".to_owned(), |ghc| format!("ghc {}", ghc.version));
    println!("gmachine {}, {version}; {} runs each", env!("CARGO_PKG_VERSION"), args.runs);
    note_load();
    let gmachine = match &args.gmachine {
        Some(path) => from_caller(path),
        None => PathBuf::from(env!("CARGO_BIN_EXE_gmachine")),
    };
    let timeout = Duration::from_secs(args.timeout);
    let mut rows = Vec::new();
    let mut all_well = true;
    for (peer, input) in &chosen {
        eprintln!("{} ...", peer.name);
        let subject = Subject { peer, input: input.as_deref(), runs: args.runs, timeout };
        match subject.row(&gmachine, ghc.as_ref()) {
            Ok(row) => rows.push(row),
            Err(trouble) => {
                eprintln!("{}: {trouble}", peer.name);
                all_well = false;
            }
        }
    }
    for (at, measure) in MEASURES.iter().enumerate() {
        table(measure, at, &rows);
    }
    Ok(all_well)
}

/// Returns the statistics that a run has written.
fn statistics(run: &Ran) -> Result<Value, String> {
    let line = run.said.lines().find(|line| line.starts_with('{'));
    let said = line.and_then(|line| serde_json::from_str(line).ok());
    said.ok_or_else(|| "the statistics are not JSON".to_owned())
}

/// A program and how it is measured.
struct Subject<'a> {
    peer: &'a Peer,
    input: Option<&'a str>,
    runs: u32,
    timeout: Duration,
}

impl Subject<'_> {
    fn row(&self, gmachine: &Path, ghc: Option<&Ghc>) -> Result<Row, String> {
        let mut levels = Vec::new();
        for level in LEVELS {
            let level = format!("-O{level}");
            let command = |format| {
                let mut command = Command::new(gmachine);
                command.args(["run", "--quiet", "--stats-format", format, &level]);
                command.arg(&self.peer.core);
                if self.input.is_none() {
                    command.args(["-e", &self.peer.full]);
                }
                command
            };
            let mut columns: [Vec<f64>; MEASURES.len()] = Default::default();
            let instructions = self.instructions(gmachine, &level)?;
            let mut note = |run: &Ran, of: &str, values: &[(usize, &str)]| {
                let said = statistics(run)?;
                for (column, name) in values {
                    columns[*column].push(said[of][name].as_f64().ok_or("a count is missing")?);
                }
                Ok::<(), String>(())
            };
            for run in &self.measured(1, || command("json"))?.runs {
                let counts = [
                    (REDUCTIONS, "reductions"),
                    (BYTES, "allocated_bytes"),
                    (PEAK, "peak_live_bytes"),
                ];
                note(run, "counts", &counts)?;
            }
            // Times are those of runs in which nothing is counted: that takes time.
            for run in &self.measured(self.runs, || command("clocks"))?.runs {
                let clocks = [(TIME, "run_seconds"), (COMPILATION, "compile_seconds")];
                note(run, "clocks", &clocks)?;
            }
            columns[CODE].push(instructions.as_f64().ok_or("a count is missing")?);
            levels.push(columns.map(median));
        }
        let ghc = match ghc {
            None => None,
            Some(ghc) => {
                let program = ghc.program(2, &self.peer.name);
                let measured = self.measured(self.runs, || Command::new(&program))?;
                measured.median().map(|time| time.as_secs_f64())
            }
        };
        Ok(Row { name: self.peer.name.clone(), levels, ghc })
    }

    /// So many runs of a command, which has to print what the program says.
    fn measured(&self, runs: u32, command: impl Fn() -> Command) -> Result<Measured, String> {
        let mut measured = Measured::default();
        for _ in 0..runs {
            let ran = run(command(), self.stdin()?, self.timeout)?;
            measured.add(ran.checked(&self.peer.full_prints));
        }
        match measured.trouble() {
            Some(trouble) => Err(trouble.to_owned()),
            None => Ok(measured),
        }
    }

    fn stdin(&self) -> Result<Stdio, String> {
        let Some(text) = self.input else { return Ok(Stdio::null()) };
        let failed = |error: std::io::Error| format!("a file for the input: {error}");
        let mut file = tempfile::tempfile().map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.rewind().map_err(failed)?;
        Ok(file.into())
    }

    /// The number of instructions in the G-code.
    fn instructions(&self, gmachine: &Path, level: &str) -> Result<Value, String> {
        let mut command = Command::new(gmachine);
        command.args(["dump", "--quiet", "--format", "json", level]).arg(&self.peer.core);
        if self.input.is_none() {
            command.args(["-e", &self.peer.full]);
        }
        let output = command.output().map_err(|error| error.to_string())?;
        let code: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
        let globals = code["globals"].as_array().ok_or("the listing has no globals")?;
        let lengths = globals.iter().filter_map(|global| global["code"].as_array());
        Ok(lengths.map(Vec::len).sum::<usize>().into())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A measure of all programs, and the geometric means of its ratios in each table.
fn table(measure: &Measure, at: usize, rows: &[Row]) {
    let value = |row: &Row, level: usize| row.levels.get(level).map_or(f64::NAN, |all| all[at]);
    let ratio = |row: &Row, of: usize, to: usize| {
        value(row, of).max(measure.least) / value(row, to).max(measure.least)
    };
    let to_ghc = |row: &Row| Some(value(row, 2).max(measure.least) / row.ghc?);
    let with_ghc = at == TIME;
    println!("\n## {}\n", measure.title);
    let mut lines: Vec<Vec<String>> = Vec::new();
    let heads = ["program", "-O0", "-O1", "-O2", "-O1/-O0", "-O2/-O0", "-O2/-O1"];
    let mut head: Vec<String> = heads.map(str::to_owned).to_vec();
    if with_ghc {
        head.extend(["ghc -O2", "-O2/ghc"].map(str::to_owned));
    }
    lines.push(head);
    let optional = |value: Option<f64>, digits: usize| {
        value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
    };
    const PAIRS: [(usize, usize); 3] = [(1, 0), (2, 0), (2, 1)];
    for row in rows {
        let mut line = vec![row.name.clone()];
        line.extend((0..LEVELS.len()).map(|level| {
            let digits = measure.digits;
            format!("{:.digits$}", value(row, level))
        }));
        line.extend(PAIRS.map(|(of, to)| format!("{:.2}", ratio(row, of, to))));
        if with_ghc {
            line.extend([optional(row.ghc, measure.digits), optional(to_ghc(row), 2)]);
        }
        lines.push(line);
    }
    let all = ("all", &[][..]);
    for (name, members) in TABLES.iter().copied().chain([all]) {
        let own: Vec<&Row> =
            rows.iter().filter(|row| members.is_empty() || members.contains(&&*row.name)).collect();
        if own.is_empty() {
            continue;
        }
        let mut line = vec![format!("mean of {name}, {}", own.len())];
        line.extend(LEVELS.map(|_| String::new()));
        line.extend(
            PAIRS.map(|(of, to)| {
                optional(mean(own.iter().map(|row| ratio(row, of, to)).collect()), 3)
            }),
        );
        if with_ghc {
            let known = own.iter().filter_map(|row| to_ghc(row)).collect();
            line.extend([String::new(), optional(mean(known), 3)]);
        }
        lines.push(line);
    }
    print_lines(&lines);
}

/// The geometric mean; `None` of nothing.
fn mean(ratios: Vec<f64>) -> Option<f64> {
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp())
}

/// Prints a Markdown table; the first line is its head.
fn print_lines(lines: &[Vec<String>]) {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for (at, line) in lines.iter().enumerate() {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, &width))| match column {
                0 => format!("{cell:width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        println!("| {} |", cells.join(" | "));
        if at == 0 {
            let rules: Vec<String> = widths
                .iter()
                .enumerate()
                .map(|(column, &width)| match column {
                    0 => "-".repeat(width),
                    _ => format!("{}:", "-".repeat(width - 1)),
                })
                .collect();
            println!("| {} |", rules.join(" | "));
        }
    }
}

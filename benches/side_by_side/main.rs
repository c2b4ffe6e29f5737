//! The programs that have a Haskell peer, side by side with it: `benches/compare`.
//!
//! Everybody solves each program at its full size, in turns; what it prints is compared with
//! what the program's first comment says. Tables of median seconds, of ratios with their
//! geometric means, and of peak memory. With `--published` it is the programs of other work's
//! tables, and what each level of optimisation is worth.

#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

mod contestant;
mod measure;
mod published;
mod tables;

use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use clap::Parser;
use serde_json::{Value, json};

use contestant::{Contestant, Ghc, parse_contestant};
use gmachine_testing::programs::{self, Peer};
use measure::{Measured, Ran, run};

/// Run gmachine side by side with GHC on the same programs
#[derive(Parser)]
#[command(
    name = "benches/compare",
    after_help = "Examples:
  benches/compare
  benches/compare nfib queens --runs 5
  benches/compare --set game
  benches/compare --set untuned
  benches/compare --published
  benches/compare msort --with ghc-O2,reference-O2,reference-O0 --json msort.json

Everybody is named after who runs and how much is optimised: ghc-O0, reference-O2.
Times are those of the wall clock: measure on a machine that does nothing else."
)]
struct Args {
    /// The programs, all of them if none is named
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The programs: the twelve with a peer, those of the Computer Language Benchmarks Game, or
    /// ordinary ones for which nothing was tuned
    #[arg(long, value_enum, default_value_t = Set::Peers)]
    set: Set,
    /// How often each is run
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Who takes part [default: ghc-O2, ghc-O0 and gmachine as it runs by default]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = parse_contestant)]
    with: Vec<Contestant>,
    /// Seconds after which a run is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    timeout: u64,
    /// Write all that was measured to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The programs of published tables instead, at -O0, -O1 and -O2: time, reductions, bytes
    /// allocated, peak of live data, code size and compile time, as Markdown
    #[arg(long, conflicts_with_all = ["with", "json"])]
    published: bool,
    /// The command gmachine to measure with --published [default: the one built for it]
    #[arg(long, value_name = "FILE", requires = "published")]
    gmachine: Option<PathBuf>,
    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// Programs that belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Set {
    /// The twelve of benches/peers.
    Peers,
    /// Those of benches/game.
    Game,
    /// Those of benches/untuned.
    Untuned,
}

impl Set {
    fn peers(self) -> Vec<Peer> {
        match self {
            Set::Peers => programs::peers(),
            Set::Game => programs::game().into_iter().map(|(peer, _)| peer).collect(),
            Set::Untuned => programs::untuned().into_iter().map(|(peer, _)| peer).collect(),
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    match if args.published { published::compare(&args) } else { compare(&args) } {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures what is asked for; whether everybody has solved everything.
fn compare(args: &Args) -> Result<bool, String> {
    let peers = chosen(args.set, &args.names)?;
    let ghc = Ghc::find();
    let contestants = contestants(args.set, &args.with, ghc.as_ref())?;
    if let Some(ghc) = &ghc {
        let levels = contestants.iter().filter_map(|one| one.ghc_level());
        ghc.build(levels, &peers)?;
    }
    let version = ghc.as_ref().map_or("no ghc".to_owned(), |ghc| format!("ghc {}", ghc.version));
    println!("gmachine {}, {version}; {} runs each", env!("CARGO_PKG_VERSION"), args.runs);
    note_load();
    let timeout = Duration::from_secs(args.timeout);
    let mut rows = Vec::new();
    for peer in &peers {
        eprintln!("{} ...", peer.name);
        rows.push(solve(peer, &contestants, ghc.as_ref(), args.runs, timeout)?);
    }
    let names: Vec<String> = contestants.iter().map(Contestant::to_string).collect();
    tables::print(&peers, &names, &rows);
    if let Some(path) = &args.json {
        let text = format!("{:#}\n", report(&peers, &contestants, &rows, args.runs, &version));
        std::fs::write(from_caller(path), text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let mut all_well = true;
    for (peer, row) in peers.iter().zip(&rows) {
        for (name, trouble) in names.iter().zip(row).filter_map(|(n, m)| Some((n, m.trouble()?))) {
            eprintln!("{} by {name}: {trouble}", peer.name);
            all_well = false;
        }
    }
    Ok(all_well)
}

/// The programs of these names.
fn chosen(set: Set, names: &[String]) -> Result<Vec<Peer>, String> {
    let peers = set.peers();
    if let Some(name) = names.iter().find(|name| peers.iter().all(|peer| peer.name != **name)) {
        let known: Vec<&str> = peers.iter().map(|peer| &*peer.name).collect();
        return Err(format!("there is no program `{name}`; there are {}", known.join(", ")));
    }
    Ok(peers.into_iter().filter(|peer| names.is_empty() || names.contains(&peer.name)).collect())
}

/// Who takes part. In the table of the game GHC has its columns even where it is missing.
fn contestants(
    set: Set,
    named: &[Contestant],
    ghc: Option<&Ghc>,
) -> Result<Vec<Contestant>, String> {
    if ghc.is_none() && set == Set::Game && named.is_empty() {
        eprintln!("GHC is not installed: its columns are `-`, and so are the ratios.");
        return Ok(Contestant::defaults(true));
    }
    if ghc.is_none() {
        eprintln!(
            "GHC is not installed (apt-get install ghc, or https://www.haskell.org/ghcup/): \
             gmachine is compared with itself."
        );
        if named.iter().any(|one| one.ghc_level().is_some()) {
            return Err("without GHC its programs cannot be built".into());
        }
    }
    if named.is_empty() { Ok(Contestant::defaults(ghc.is_some())) } else { Ok(named.to_vec()) }
}

/// Everybody's runs of a program, in turns.
fn solve(
    peer: &Peer,
    contestants: &[Contestant],
    ghc: Option<&Ghc>,
    runs: u32,
    timeout: Duration,
) -> Result<Vec<Measured>, String> {
    let mut measured = vec![Measured::default(); contestants.len()];
    for round in 0..runs as usize {
        for turn in 0..contestants.len() {
            // Nobody comes first in every round.
            let at = (round + turn) % contestants.len();
            let (Some(one), Some(measured)) = (contestants.get(at), measured.get_mut(at)) else {
                continue;
            };
            if measured.trouble().is_some() || (one.ghc_level().is_some() && ghc.is_none()) {
                continue;
            }
            let ran = run(one.command(peer, ghc)?, Stdio::null(), timeout)?;
            measured.add(ran.checked(&peer.full_prints));
        }
    }
    Ok(measured)
}

/// Where others work, times mean little.
fn note_load() {
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    let load = load.and_then(|load| load.split(' ').next()?.parse::<f64>().ok());
    if let Some(load) = load.filter(|load| *load > 0.5) {
        println!("This machine is busy (load average {load}): its times mean little.");
    }
}

/// A path as whoever called the script means it.
fn from_caller(path: &Path) -> PathBuf {
    let folder = std::env::var_os("COMPARE_FROM").map(PathBuf::from).unwrap_or_default();
    folder.join(path)
}

fn report(
    peers: &[Peer],
    contestants: &[Contestant],
    rows: &[Vec<Measured>],
    runs: u32,
    version: &str,
) -> Value {
    let ran = |ran: &Ran| {
        json!({
            "seconds": ran.wall.as_secs_f64(),
            "cpu_seconds": ran.cpu.as_secs_f64(),
            "peak_bytes": ran.peak,
        })
    };
    let result = |(one, measured): (&Contestant, &Measured)| {
        json!({
            "by": one.to_string(),
            "median_seconds": measured.median().map(|median| median.as_secs_f64()),
            "peak_bytes": measured.peak(),
            "trouble": measured.trouble(),
            "runs": measured.runs.iter().map(ran).collect::<Vec<_>>(),
        })
    };
    let programs: Vec<Value> = peers
        .iter()
        .zip(rows)
        .map(|(peer, row)| {
            let results: Vec<Value> = contestants.iter().zip(row).map(result).collect();
            json!({"name": peer.name, "expression": peer.full, "results": results})
        })
        .collect();
    json!({
        "schema": "gmachine-comparison",
        "version": 1,
        "gmachine": env!("CARGO_PKG_VERSION"),
        "ghc": version.strip_prefix("ghc "),
        "runs": runs,
        "programs": programs,
    })
}

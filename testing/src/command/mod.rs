//! The command for long runs, `hunt`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

pub mod kinds;
mod report;

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::Parser;

use crate::hunt::hunter;
use crate::tally::Tally;
use kinds::{KINDS, Kind};

/// Looks for mistakes of gmachine: tries cases of many kinds, shows what is wrong as small as
/// it can be, and tells what the cases have reached.
#[derive(Parser, Clone, Debug)]
#[command(name = "hunt", after_help = about_kinds())]
struct Args {
    /// Cases of each kind that is tried fully; the others have their share of it.
    #[arg(long, default_value_t = 1_000)]
    cases: u64,
    /// The number of the first case of each kind.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many threads try them.
    #[arg(long, default_value_t = 2)]
    threads: u64,
    /// Kinds of cases, separated by commas.
    #[arg(long, value_delimiter = ',', value_parser = kind_names())]
    only: Vec<String>,
    /// Ends after so many minutes, whether all cases were tried or not (a minute later, what is
    /// tried then is given up).
    #[arg(long)]
    minutes: Option<f64>,
    /// What fired less often than this is listed.
    #[arg(long, default_value_t = 1_000)]
    rare: u64,
}

fn kind_names() -> clap::builder::PossibleValuesParser {
    KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().into()
}

fn about_kinds() -> String {
    let kinds = KINDS.iter().map(|kind| format!("  {:<12} {}\n", kind.name, kind.about));
    format!("Kinds:\n{}", kinds.collect::<String>())
}

/// What the threads share.
struct Hunt {
    /// The kinds that are tried, each with its share of the cases.
    kinds: Vec<&'static Kind>,
    /// The turns: each is a case of one kind.
    turns: Vec<usize>,
    next: AtomicU64,
    /// Turns to take.
    end: u64,
    seed: u64,
    until: Option<Instant>,
    state: Mutex<State>,
}

/// What the threads have found.
struct State {
    seen: Vec<Tally>,
    wrong: Vec<u64>,
    times: Vec<Duration>,
    /// The case of each kind that took longest.
    slowest: Vec<(Duration, u64)>,
    /// What each thread tries now: the kind, the number, since when, whether that was shown.
    now: Vec<Option<Now>>,
}

/// A case that is tried.
struct Now {
    kind: usize,
    seed: u64,
    start: Instant,
    shown: bool,
}

/// The time beyond which a case is shown, even if it never ends.
const SLOW: Duration = Duration::from_secs(30);

/// The time between two messages of how many cases there were.
const TOLD: Duration = Duration::from_secs(300);

/// The time after the last minute for which a case that has not ended is waited for.
const GRACE: Duration = Duration::from_secs(60);

/// Returns the kinds in turn, each as often as its share says: one round.
fn turns(kinds: &[&Kind]) -> Vec<usize> {
    let least = 10;
    let most = kinds.iter().map(|kind| kind.share).max().unwrap_or(1);
    let mut turns = Vec::new();
    for round in 0..most / least {
        for (at, kind) in kinds.iter().enumerate() {
            // Evenly through the round.
            let due = |round: u64| round * kind.share / most;
            turns.extend((due(round)..due(round + 1)).map(|_| at));
        }
    }
    // A kind of a small share has its turns at the end.
    for (at, kind) in kinds.iter().enumerate() {
        let count = turns.iter().filter(|&&turn| turn == at).count() as u64;
        turns.extend((count..kind.share / least).map(|_| at));
    }
    turns
}

/// Runs the command.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    let chosen = |kind: &&Kind| args.only.is_empty() || args.only.iter().any(|n| n == kind.name);
    let kinds: Vec<&'static Kind> = KINDS.iter().filter(chosen).collect();
    let turns = turns(&kinds);
    let most = kinds.iter().map(|kind| kind.share).max().unwrap_or(1) / 10;
    let start = Instant::now();
    let threads = args.threads.max(1) as usize;
    let hunt = Arc::new(Hunt {
        end: args.cases.saturating_mul(turns.len() as u64) / most,
        seed: args.seed,
        until: args.minutes.map(|minutes| start + Duration::from_secs_f64(minutes * 60.0)),
        next: AtomicU64::new(0),
        state: Mutex::new(State {
            seen: kinds.iter().map(|_| Tally::default()).collect(),
            wrong: kinds.iter().map(|_| 0).collect(),
            times: kinds.iter().map(|_| Duration::ZERO).collect(),
            slowest: kinds.iter().map(|_| (Duration::ZERO, 0)).collect(),
            now: (0..threads).map(|_| None).collect(),
        }),
        kinds,
        turns,
    });
    let workers: Vec<_> = (0..threads)
        .map(|thread| {
            let hunt = hunt.clone();
            hunter(move || hunt.work(thread))
        })
        .collect();
    let mut is_wrong = !hunt.wait(&workers);
    for worker in workers.into_iter().filter(JoinHandle::is_finished) {
        if worker.join().is_err() {
            eprintln!("a thread ended before its time");
            return ExitCode::from(2);
        }
    }
    if std::io::stderr().is_terminal() {
        eprint!("\r{:60}\r", "");
    }
    let state = hunt.state();
    let mut out = String::new();
    for now in state.now.iter().flatten() {
        let _ = writeln!(out, "{} {} was given up", hunt.kinds[now.kind].name, now.seed);
    }
    report::write(&mut out, &hunt.kinds, &state, start.elapsed(), args.rare);
    let _ = std::io::stdout().write_all(out.as_bytes());
    is_wrong |= state.wrong.iter().any(|&wrong| wrong > 0);
    ExitCode::from(u8::from(is_wrong))
}

impl Hunt {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the threads; returns whether all of them have ended. Shows what takes long.
    fn wait(&self, workers: &[JoinHandle<()>]) -> bool {
        let (start, mut told) = (Instant::now(), 0);
        while !workers.iter().all(JoinHandle::is_finished) {
            if self.until.is_some_and(|until| Instant::now() >= until + GRACE) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(100));
            let times = start.elapsed().as_secs() / TOLD.as_secs();
            let mut state = self.state();
            if times > told {
                told = times;
                let cases: u64 = state.seen.iter().map(|seen| seen.cases).sum();
                let wrong: u64 = state.wrong.iter().sum();
                println!("{} minutes: {cases} cases, {wrong} wrong\n", times * TOLD.as_secs() / 60);
            }
            for now in state.now.iter_mut().flatten() {
                if !now.shown && now.start.elapsed() >= SLOW {
                    now.shown = true;
                    let name = self.kinds[now.kind].name;
                    println!("{name} {} has not ended after {} s\n", now.seed, SLOW.as_secs());
                }
            }
        }
        true
    }

    /// Takes turns until there are no more.
    fn work(&self, thread: usize) {
        let mut known = Vec::new();
        loop {
            let turn = self.next.fetch_add(1, Ordering::Relaxed);
            if turn >= self.end || self.until.is_some_and(|until| Instant::now() >= until) {
                return;
            }
            let round = self.turns.len() as u64;
            let (at, place) = (turn / round, (turn % round) as usize);
            let kind = self.turns[place];
            let in_round = |to: usize| self.turns[..to].iter().filter(|&&t| t == kind).count();
            let (before, all) = (in_round(place) as u64, in_round(self.turns.len()) as u64);
            let seed = self.seed + at * all + before;
            let start = Instant::now();
            self.state().now[thread] = Some(Now { kind, seed, start, shown: false });
            let result = (self.kinds[kind].check)(seed, &mut known);
            self.note(thread, kind, seed, start.elapsed(), result);
            if turn.is_multiple_of(64) && std::io::stderr().is_terminal() {
                eprint!("\r{turn} of {} cases", self.end);
            }
        }
    }

    fn note(
        &self,
        thread: usize,
        kind: usize,
        seed: u64,
        time: Duration,
        result: Result<Tally, String>,
    ) {
        let mut state = self.state();
        state.now[thread] = None;
        state.times[kind] += time;
        state.slowest[kind] = state.slowest[kind].max((time, seed));
        match result {
            Ok(seen) => state.seen[kind].add(&seen),
            Err(wrong) => {
                state.seen[kind].cases += 1;
                state.wrong[kind] += 1;
                // One like those before is only counted.
                if !wrong.is_empty() {
                    println!("{} {seed}: {wrong}\n", self.kinds[kind].name);
                }
            }
        }
    }
}

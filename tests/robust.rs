//! Whatever the text, something sensible comes of it: sources and listings that were tampered
//! with go through the whole chain without a panic, without an endless stage, and end in one
//! of the ways that a program may end in.
//!
//! `GMACHINE_CASES` is how many are tried, `GMACHINE_SEED` the first one's number.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gmachine::driver::{Options, build};
use gmachine::gcode;
use gmachine::gcode::Verified;
use gmachine::load::Source;
use gmachine::machine::Stress;
use gmachine::machine::outcome::{Input, InputError, Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::optimise::Passes;
use gmachine_testing::common::NoFiles;
use gmachine_testing::corpus::{mutate_pieces, pieces, sources};
use gmachine_testing::dice::{Dice, number};
use gmachine_testing::ends::is_json;
use gmachine_testing::harness::code;

/// Instructions of a run.
const FUEL: u64 = 100_000;

/// Bytes of a run.
const HEAP: u64 = 8 << 20;

/// An endless input.
struct Always(u32);

impl Input for Always {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        self.0 = self.0 % 1000 + 1;
        Ok(char::from_u32(self.0))
    }
}

/// Runs a program; what is wrong with its end, if anything is.
fn run(program: Verified, format: Format, stress: bool) -> Result<(), String> {
    let config = Config {
        fuel: Some(if stress { 2_000 } else { FUEL }),
        heap_limit: Some(HEAP),
        stress: if stress { Stress::Full } else { Stress::None },
        ..Config::default()
    };
    // What an action writes is what the program says.
    let prints_a_value = program.action_data().is_none();
    let mut machine = Machine::new(program, config);
    let mut out = String::new();
    let end = machine.start(format, Some(Box::new(Always(0)))).and_then(|()| machine.run(&mut out));
    machine.verify()?;
    if prints_a_value && !out.is_empty() && !out.ends_with('\n') {
        return Err(format!("the line is not ended: {out:?}"));
    }
    let code = |code: String| code.starts_with("G05").then_some(()).ok_or(code);
    match end {
        Ok(()) if !prints_a_value => Ok(()),
        Ok(()) if format == Format::Json => is_json(&out),
        Ok(()) if format == Format::Sexpr => {
            let built = build(
                &Source::text("out", format!("(defn main[] {out})")),
                &NoFiles,
                &Options { until: gmachine::driver::Stage::Syntax, ..Options::CHECK },
            );
            match built.diagnostics.first() {
                None => Ok(()),
                Some(report) => Err(format!("{}: {out}", report.message)),
            }
        }
        Ok(()) => Ok(()),
        Err(Stop::Error(error)) => code(error.code.to_string()),
        // Some of the sources end themselves when they are given what they do not like.
        Err(Stop::Exit(_)) => Ok(()),
        Err(Stop::Limit(reached)) if !matches!(reached.limit, Limit::Time(_)) => Ok(()),
        Err(other) => Err(other.to_string()),
    }
}

fn source(dice: &mut Dice, text: &[u8]) -> Result<bool, String> {
    let Some(program) = code(text, Passes::ALL)? else { return Ok(false) };
    let format = [Format::Default, Format::Sexpr, Format::Json][dice.roll(3)];
    let stress = dice.one_in(10);
    run(program, format, stress)?;
    Ok(true)
}

/// Tries `work` with the dice of each case; it says whether the case got far.
fn try_all(count: u64, work: impl Fn(&mut Dice) -> (String, Result<bool, String>)) -> u64 {
    let first = number("GMACHINE_SEED", 0);
    let mut far = 0;
    for seed in first..first + number("GMACHINE_CASES", count) {
        let (text, result) = work(&mut Dice::new(seed));
        match result {
            Ok(got_far) => far += u64::from(got_far),
            Err(wrong) => panic!("case {seed}: {wrong}\n{text}"),
        }
    }
    far
}

fn caught(work: impl FnOnce() -> Result<bool, String>) -> Result<bool, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(format!("panic: {}", panic.downcast_ref::<String>().cloned().unwrap_or_default()))
    })
}

#[test]
fn tampered_sources_end_in_a_report_or_a_run() {
    let sources = sources();
    let all: Vec<Vec<String>> = sources.iter().map(|text| pieces(text)).collect();
    let ran = try_all(1_500, |dice| {
        let mut pieces = all[dice.roll(all.len())].clone();
        mutate_pieces(dice, &mut pieces, &all);
        let text = pieces.concat();
        let mut bytes = text.clone().into_bytes();
        if dice.one_in(20) && !bytes.is_empty() {
            let at = dice.roll(bytes.len());
            bytes[at] = dice.roll(256) as u8;
        }
        let result = caught(|| source(dice, &bytes));
        (String::from_utf8_lossy(&bytes).into_owned(), result)
    });
    assert!(ran > 50, "only {ran} programs ran");
}

/// Lines of a listing, changed; the instructions are numbered anew.
fn mutate_listing(dice: &mut Dice, lines: &mut Vec<String>, others: &[Vec<String>]) {
    for _ in 0..1 + dice.roll(4) {
        let at = dice.roll(lines.len());
        match dice.roll(6) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = dice.roll(lines.len());
                lines.swap(at, other);
            }
            // Another number somewhere in the line.
            3 | 4 => {
                let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
                let word = dice.roll(words.len());
                let digits = |c: char| c.is_ascii_digit();
                if words[word].contains(digits) {
                    let new = dice.roll(6).to_string();
                    words[word] = words[word].trim_end_matches(digits).to_owned() + &new;
                    lines[at] = words.join(" ");
                }
            }
            _ => {
                let other = &others[dice.roll(others.len())];
                let line = other[dice.roll(other.len())].clone();
                if dice.one_in(2) { lines[at] = line } else { lines.insert(at, line) }
            }
        }
    }
    let mut next = 0;
    for line in lines {
        match line.trim_start().split_once(' ') {
            Some((number, rest)) if number.parse::<u32>().is_ok() => {
                *line = format!("  {next} {rest}");
                next += 1;
            }
            _ if line.trim_start().chars().all(|c| c.is_ascii_digit()) => {}
            _ => next = 0,
        }
    }
}

#[test]
fn tampered_listings_that_verify_run_without_a_panic() {
    let programs = [
        "(data Tree (Leaf) (Node l v r))
         (defn main[input] (Pair (walk (grow 3)) (take 4 (words input))))
         (defn grow[n] (if (le n 0) Leaf (Node (grow (sub n 1)) n (grow (sub n 2)))))
         (defn walk[t] (case t [Leaf Nil] [(Node l v r) (append (walk l) (Cons v (walk r)))]))",
        "(defn main[] (letrec ([xs (Cons 1 ys)] [ys (Cons 2 xs)]) (Pair (take 3 xs) (f 'a' \"ab\"))))
         (defn f[c s] (case s [\"ab\" (ord c)] [(Cons 'a' _) 2] [_ (error \"no\")]))",
        "(defn main[] [(g 7) (g -7) (add 100000000000000000000 1) (seq (h 2) (h 1 2))])
         (defn g[n] (if (lt n 0) (floordiv n 2) (mul (rem n 4) (negate (mod n 3)))))
         (defn h[n] (if n add (fn [x] (sub x n))))",
    ];
    let listings: Vec<Vec<String>> = programs
        .iter()
        .map(|text| {
            let built = build(&Source::text("listing.core", *text), &NoFiles, &Options::RUN);
            let listing =
                gcode::print::program(&built.gcode.expect("right"), &mut gcode::print::bare);
            listing.lines().map(str::to_owned).collect()
        })
        .collect();
    let ran = try_all(1_500, |dice| {
        let mut lines = listings[dice.roll(listings.len())].clone();
        mutate_listing(dice, &mut lines, &listings);
        let text = lines.join("\n");
        let result = caught(|| {
            let Ok(program) = gcode::parse::parse(&text) else { return Ok(false) };
            if program.main.is_none() {
                return Ok(false);
            }
            let Ok(program) = Verified::new(program) else { return Ok(false) };
            let stress = dice.one_in(4);
            run(program, Format::Default, stress)?;
            Ok(true)
        });
        (text, result)
    });
    assert!(ran > 100, "only {ran} listings were valid");
}

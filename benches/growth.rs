//! What programs of one shape cost to compile as they grow, as a table: time, peak memory and code of
//! the families of programs whose counted work the tests hold (a nest of each form, chains of
//! definitions that call the ones before them, rows of one thing).
//!
//! ```text
//! cargo bench --bench growth                  # 4, 16 and 64 kB; the families that cost most
//! cargo bench --bench growth -- classes zip   # every row of these
//! cargo bench --bench growth -- 4 8 16        # other sizes
//! ```
//!
//! Seconds are those of `gmachine dump`, the least of three runs. A ratio is that of the last two
//! sizes, for twice the source; what is too short to be measured has none.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

mod peak;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gmachine_testing::growth::{self, Growth};
use peak::peak;

/// How often the peak is looked up.
const GLANCE: Duration = Duration::from_micros(500);
/// What a source of 4 kB may take, in seconds and megabytes.
const MOST: [f64; 2] = [0.5, 200.0];
/// How much more twice the source may cost.
const STEEP: f64 = 2.2;
/// Seconds that are the process's own rather than the program's.
const SHORT: f64 = 0.02;

/// What compiling a program took.
struct Cost {
    seconds: f64,
    megabytes: f64,
    lines: usize,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let mut sizes: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let named: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| word.parse::<usize>().is_err()).collect();
    if sizes.is_empty() {
        sizes = vec![4, 16, 64];
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("generated.core");
    println!("{:<32} level  kB: seconds, MB, lines of code ...  for twice the source", "family");
    let (mut families, mut large, mut steep) = (0, 0, 0);
    let mut most = MOST.map(|_| (0.0, String::new()));
    for family in growth::all() {
        if !named.is_empty() && !named.contains(&&*family.name) {
            continue;
        }
        families += 1;
        for level in ["-O0", "-O1", "-O2"] {
            let costs: Vec<Cost> =
                sizes.iter().map(|&size| measure(&family, size, level, &path)).collect();
            let mut is_large = false;
            for (_, cost) in sizes.iter().zip(&costs).filter(|&(&size, _)| size <= 4) {
                let found = [cost.seconds, cost.megabytes];
                is_large |= found.iter().zip(MOST).any(|(&found, most)| found > most);
                for (most, found) in most.iter_mut().zip(found) {
                    if found > most.0 {
                        *most = (found, format!("{} {level}", family.name));
                    }
                }
            }
            let ratio = ratio(&sizes, &costs);
            let is_steep = ratio.is_some_and(|ratio| ratio > STEEP);
            large += usize::from(is_large);
            steep += usize::from(is_steep);
            if is_large || is_steep || !named.is_empty() {
                row(&family.name, level, &sizes, &costs, ratio);
            }
        }
    }
    let [seconds, megabytes] = most;
    println!(
        "{families} families at three levels: up to 4 kB at most {:.2} s ({}) and {:.0} MB ({}), \
         {large} times over {} s or {} MB; {steep} times over {STEEP} for twice the source",
        seconds.0, seconds.1, megabytes.0, megabytes.1, MOST[0], MOST[1]
    );
}

fn row(name: &str, level: &str, sizes: &[usize], costs: &[Cost], ratio: Option<f64>) {
    print!("{name:<32} {level}");
    for (size, cost) in sizes.iter().zip(costs) {
        print!("  {size:>3}: {:.3} {:>4.0} {:>7}", cost.seconds, cost.megabytes, cost.lines);
    }
    println!("  {}", ratio.map_or("-".into(), |ratio| format!("{ratio:.2}")));
}

/// How much more twice the source costs, by the last two sizes.
fn ratio(sizes: &[usize], costs: &[Cost]) -> Option<f64> {
    let ([.., small, large], [.., before, after]) = (sizes, costs) else { return None };
    let doublings = (*large as f64 / *small as f64).log2();
    let times = after.seconds / before.seconds.max(SHORT);
    (after.seconds > 2.0 * SHORT && doublings > 0.0).then(|| times.powf(1.0 / doublings))
}

/// Compiles the program of so many kilobytes three times.
fn measure(family: &Growth, kilobytes: usize, level: &str, path: &Path) -> Cost {
    std::fs::write(path, family.program(family.repetitions(kilobytes * 1000))).unwrap();
    let mut cost = Cost { seconds: f64::INFINITY, megabytes: 0.0, lines: 0 };
    for _ in 0..3 {
        let start = Instant::now();
        let mut child = dump(path, level).stdout(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() {
            cost.megabytes = cost.megabytes.max(peak(&child).unwrap_or(0.0));
            std::thread::sleep(GLANCE);
        }
        cost.seconds = cost.seconds.min(start.elapsed().as_secs_f64());
    }
    let listing = dump(path, level).output().unwrap();
    assert!(listing.status.success(), "{} {level}: it compiles", family.name);
    cost.lines = listing.stdout.iter().filter(|&&byte| byte == b'\n').count();
    cost
}

fn dump(path: &Path, level: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gmachine"));
    command.arg("dump").arg(level).arg(path).stderr(Stdio::null());
    command
}

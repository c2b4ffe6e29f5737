//! `gmachine check` on sources of 1, 10 and 100 MB: seconds and peak memory, as a table.
//!
//! ```text
//! cargo bench --bench sizes              # 1 and 10 MB of every shape, 100 MB of the plain one
//! cargo bench --bench sizes -- 100       # only 100 MB, of every shape
//! cargo bench --bench sizes -- deep 1 10
//! ```

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

mod peak;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gmachine_testing::shapes::Shape;
use peak::peak;

/// How often the peak is looked up.
const GLANCE: Duration = Duration::from_millis(2);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let sizes: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let named: Vec<&str> = words.iter().map(String::as_str).collect();
    let directory = tempfile::tempdir().unwrap();
    println!("{:<10} {:>6} {:>9} {:>9}", "shape", "MB", "seconds", "peak MB");
    for &(name, shape) in Shape::ALL {
        if words.len() > sizes.len() && !named.contains(&name) {
            continue;
        }
        let default: &[usize] = if shape == Shape::Plain { &[1, 10, 100] } else { &[1, 10] };
        for &size in if sizes.is_empty() { default } else { &sizes } {
            let path = directory.path().join("generated.core");
            std::fs::write(&path, shape.program(size * 1_000_000)).unwrap();
            let (mut runs, peak) = three_runs(&path);
            runs.sort();
            println!("{name:<10} {size:>6} {:>9.2} {peak:>9.0}", runs[1].as_secs_f64());
        }
    }
}

/// The times of three runs, and the highest peak in megabytes.
fn three_runs(path: &Path) -> (Vec<Duration>, f64) {
    let mut highest = 0.0f64;
    let runs = (0..3).map(|_| {
        let start = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_gmachine"))
            .arg("check")
            .arg(path)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() {
            highest = highest.max(peak(&child).unwrap_or(0.0));
            std::thread::sleep(GLANCE);
        }
        assert!(child.wait().unwrap().success());
        start.elapsed()
    });
    (runs.collect(), highest)
}

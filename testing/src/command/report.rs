//! What a long run tells at its end.

use std::fmt::Write;
use std::time::Duration;

use gmachine::optimise::Report;

use super::State;
use super::kinds::Kind;
use crate::tally::Tally;

/// Writes the report.
pub fn write(out: &mut String, kinds: &[&Kind], state: &State, time: Duration, rare: u64) {
    let mut all = Tally::default();
    state.seen.iter().for_each(|seen| all.add(seen));
    let _ = cases(out, kinds, state);
    let _ = writeln!(out, "{:.0} seconds", time.as_secs_f64());
    let rewrites: Vec<(String, u64)> = Report::KINDS
        .iter()
        .map(|&(pass, what)| {
            let times = all.rewrites.get(&(pass.name(), what)).copied().unwrap_or_default();
            (format!("{}: {what}", pass.name()), times)
        })
        .collect();
    let named = |counts: &[(&'static str, u64)]| -> Vec<(String, u64)> {
        counts.iter().map(|&(name, times)| (name.to_owned(), times)).collect()
    };
    let tables = [
        ("compact code", named(&all.fast.instructions)),
        ("G-code", named(&all.reference.instructions)),
        ("rewritings", rewrites),
        ("the fast machine's collector, stack and stops", named(&all.fast.events)),
    ];
    for (title, counts) in &tables {
        table(out, title, counts);
    }
    let few: Vec<(&str, &(String, u64))> = tables
        .iter()
        .flat_map(|(title, counts)| counts.iter().map(move |count| (*title, count)))
        .filter(|(_, (_, times))| *times < rare)
        .collect();
    let _ = writeln!(out, "\nfewer than {rare} times: {}", few.len());
    for (title, (name, times)) in few {
        let _ = writeln!(out, "  {times:>6}  {name} ({title})");
    }
}

fn cases(out: &mut String, kinds: &[&Kind], state: &State) -> std::fmt::Result {
    writeln!(
        out,
        "{:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9}  slowest",
        "kind", "cases", "discarded", "values", "errors", "endless", "wrong", "a minute"
    )?;
    for (at, kind) in kinds.iter().enumerate() {
        let (seen, time) = (&state.seen[at], state.times[at].as_secs_f64().max(1e-9));
        writeln!(
            out,
            "{:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9.0}  {:.2} s: {}",
            kind.name,
            seen.cases,
            seen.discarded,
            seen.values,
            seen.errors,
            seen.endless,
            state.wrong[at],
            seen.cases as f64 * 60.0 / time,
            state.slowest[at].0.as_secs_f64(),
            state.slowest[at].1
        )?;
    }
    writeln!(out, "(a minute: of one thread)")
}

/// Writes names and counts, the most frequent first, in columns.
fn table(out: &mut String, title: &str, counts: &[(String, u64)]) {
    if counts.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    let mut sorted: Vec<&(String, u64)> = counts.iter().collect();
    sorted.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let width = sorted.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let columns = (96 / (width + 16)).max(1);
    for row in sorted.chunks(columns) {
        for (name, times) in row {
            let _ = write!(out, "  {name:<width$} {times:>12} ");
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
}

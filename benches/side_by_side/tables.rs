//! The tables.

use crate::measure::Measured;
use gmachine_testing::programs::Peer;

/// Prints seconds, ratios and memory. A ratio is that of each of gmachine's columns to each
/// of GHC's; of the others to the first, where there is no GHC.
pub fn print(peers: &[Peer], names: &[String], rows: &[Vec<Measured>]) {
    let seconds = |measured: &Measured| Some(measured.median()?.as_secs_f64());
    let cells = |of: &dyn Fn(&Measured) -> Option<String>| -> Vec<Vec<String>> {
        let cell = |measured: &Measured| {
            let none = if measured.trouble().is_some() { "fails" } else { "-" };
            of(measured).unwrap_or_else(|| none.to_owned())
        };
        rows.iter().map(|row| row.iter().map(cell).collect()).collect()
    };
    table("Seconds, median", peers, names, &cells(&|one| Some(format!("{:.2}", seconds(one)?))));

    let is_ghc = |at: &usize| names.get(*at).is_some_and(|name| name.starts_with("ghc"));
    let all = || 0..names.len();
    let mut bases: Vec<usize> = all().filter(is_ghc).collect();
    if bases.is_empty() || bases.len() == names.len() {
        bases = vec![0];
    }
    let others: Vec<usize> = all().filter(|at| !bases.contains(at)).collect();
    let pairs: Vec<(usize, usize)> =
        others.iter().flat_map(|&own| bases.iter().map(move |&base| (own, base))).collect();
    if !pairs.is_empty() {
        let ratio = |row: &Vec<Measured>, (own, base): (usize, usize)| {
            Some(seconds(row.get(own)?)? / seconds(row.get(base)?)?)
        };
        let shown =
            |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let mut lines: Vec<Vec<String>> = rows
            .iter()
            .map(|row| pairs.iter().map(|&pair| shown(ratio(row, pair))).collect())
            .collect();
        let mean = |&pair: &(usize, usize)| {
            let known: Vec<f64> = rows.iter().filter_map(|row| ratio(row, pair)).collect();
            let logarithms: f64 = known.iter().map(|ratio| ratio.ln()).sum();
            shown((!known.is_empty()).then(|| (logarithms / known.len() as f64).exp()))
        };
        lines.push(pairs.iter().map(mean).collect());
        let name = |at: usize| names.get(at).map_or("", String::as_str);
        let heads: Vec<String> =
            pairs.iter().map(|&(own, base)| format!("{} / {}", name(own), name(base))).collect();
        table("Ratio of the medians", peers, &heads, &lines);
    }

    let megabytes = |one: &Measured| Some(format!("{:.0}", one.peak()? as f64 / 1e6));
    table("Peak memory, MB", peers, names, &cells(&megabytes));
}

/// A line for each program; a line more is that of the geometric means.
fn table(title: &str, peers: &[Peer], heads: &[String], lines: &[Vec<String>]) {
    const MEAN: &str = "geometric mean";
    let first = peers.iter().map(|peer| peer.name.len()).max().unwrap_or(0).max(MEAN.len());
    let line = |name: &str, cells: &[String]| {
        let mut out = format!("{name:first$}");
        for (cell, head) in cells.iter().zip(heads) {
            out.push_str(&format!("  {cell:>width$}", width = head.len().max(8)));
        }
        out
    };
    println!("\n{title}\n{}", line("", heads));
    let names = peers.iter().map(|peer| &*peer.name).chain([MEAN]);
    for (name, cells) in names.zip(lines) {
        println!("{}", line(name, cells));
    }
}

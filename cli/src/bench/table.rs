//! What was measured, as a table and as JSON.

use std::time::Duration;

use serde_json::{Value, json};

use super::measure::Column;
use crate::quantity::show_size;
use crate::stats::counts_json;
use gmachine::MachineKind;
use gmachine::render::grouped;

/// The heads of the columns but the first, with their widths.
const HEADS: [(&str, usize); 10] = [
    ("engine", 9),
    ("level", 5),
    ("median", 8),
    ("spread", 6),
    ("ratio", 5),
    ("instructions", 14),
    ("reductions", 12),
    ("allocated", 9),
    ("collections", 11),
    ("peak live", 9),
];

/// A table that is printed program by program.
pub struct Table {
    /// The width of the first column.
    width: usize,
    /// The ratios of each row of the programs so far.
    ratios: Vec<Vec<f64>>,
}

impl Table {
    /// Returns a table of programs with these names.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Table {
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0).max(MEAN.len());
        Table { width, ratios: Vec::new() }
    }

    /// Returns the line of heads.
    pub fn head(&self) -> String {
        self.line("program", &HEADS.map(|(head, _)| head.to_owned()))
    }

    /// Returns the rows of a program.
    pub fn rows(&mut self, name: &str, columns: &[Column]) -> String {
        let median = |column: &Column| column.median().as_secs_f64();
        let base = columns.first().map_or(0.0, median);
        let ratio = |column: &Column| if base > 0.0 { median(column) / base } else { 1.0 };
        let mut out = String::new();
        for (at, column) in columns.iter().enumerate() {
            let median = column.median();
            let part = column
                .spread()
                .map(|spread| spread.as_secs_f64() / median.as_secs_f64().max(f64::MIN_POSITIVE));
            let counts = &column.statistics;
            let cells = [
                column.machine.to_string(),
                format!("-O{}", column.level),
                show_time(median),
                part.map_or("-".to_owned(), |part| format!("{:.0} %", 100.0 * part)),
                format!("{:.2}", ratio(column)),
                // Only the reference machine counts them.
                match column.machine {
                    MachineKind::Reference => grouped(counts.instructions),
                    _ => "-".to_owned(),
                },
                grouped(counts.reductions),
                show_size(counts.allocated_bytes),
                grouped(counts.collections),
                // Only a collection knows it.
                match counts.collections {
                    0 => "-".to_owned(),
                    _ => show_size(counts.peak_live_bytes),
                },
            ];
            out.push_str(&self.line(if at == 0 { name } else { "" }, &cells));
        }
        self.ratios.push(columns.iter().map(ratio).collect());
        out
    }

    /// Returns the geometric means of the ratios of all programs, if there are several.
    pub fn means(&self, columns: &[Column]) -> String {
        let mut out = String::new();
        if self.ratios.len() < 2 {
            return out;
        }
        for (at, column) in columns.iter().enumerate() {
            let logarithms = self.ratios.iter().filter_map(|row| row.get(at)).map(|r| r.ln());
            let mean = (logarithms.sum::<f64>() / self.ratios.len() as f64).exp();
            let cells = [
                column.machine.to_string(),
                format!("-O{}", column.level),
                String::new(),
                String::new(),
                format!("{mean:.2}"),
            ];
            out.push_str(&self.line(if at == 0 { MEAN } else { "" }, &cells));
        }
        out
    }

    /// Returns a line: words to the left, numbers to the right.
    fn line(&self, name: &str, cells: &[String]) -> String {
        let mut line = format!("{name:width$}", width = self.width);
        for (at, (cell, (_, width))) in cells.iter().zip(HEADS).enumerate() {
            line.push_str("  ");
            match at {
                0 | 1 => line.push_str(&format!("{cell:width$}")),
                _ => line.push_str(&format!("{cell:>width$}")),
            }
        }
        line.truncate(line.trim_end().len());
        line + "\n"
    }
}

/// What the means are called.
const MEAN: &str = "geometric mean";

/// Returns a time in the unit that suits it, with three digits or more.
pub fn show_time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds < 1e-3 => format!("{:.0} µs", seconds * 1e6),
        _ if seconds < 1e-2 => format!("{:.2} ms", seconds * 1e3),
        _ if seconds < 1e-1 => format!("{:.1} ms", seconds * 1e3),
        _ if seconds < 1.0 => format!("{:.0} ms", seconds * 1e3),
        _ if seconds < 10.0 => format!("{seconds:.2} s"),
        _ => format!("{seconds:.1} s"),
    }
}

/// Returns a row as JSON, for programs.
pub fn json(name: &str, column: &Column) -> Value {
    json!({
        "program": name,
        "engine": column.machine.name(),
        "level": column.level,
        "compile_seconds": column.compile.as_secs_f64(),
        "median_seconds": column.median().as_secs_f64(),
        "spread_seconds": column.spread().map(|spread| spread.as_secs_f64()),
        "runs_seconds": column.runs.iter().map(Duration::as_secs_f64).collect::<Vec<_>>(),
        "counts": counts(column),
    })
}

/// Returns what a run counted; `null` for what its machine does not count unless it is asked to.
fn counts(column: &Column) -> Value {
    let mut counts = counts_json(&column.statistics);
    if column.machine != MachineKind::Reference {
        for key in ["instructions", "allocations"] {
            counts[key] = Value::Null;
        }
    }
    counts
}

/// Returns the line of heads of comma-separated values.
pub fn csv_head() -> String {
    "program,engine,level,compile_seconds,median_seconds,spread_seconds,instructions,reductions,\
     allocated_bytes,collections,peak_live_bytes\n"
        .to_owned()
}

/// Returns a line of comma-separated values; what is not known is empty.
pub fn csv(name: &str, column: &Column) -> String {
    let name = match name.contains([',', '"', '\n']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    };
    let counts = counts(column);
    let count = |key: &str| counts[key].as_u64().map_or(String::new(), |count| count.to_string());
    let spread = column.spread().map(|spread| spread.as_secs_f64().to_string());
    format!(
        "{name},{},{},{},{},{},{},{},{},{},{}\n",
        column.machine.name(),
        column.level,
        column.compile.as_secs_f64(),
        column.median().as_secs_f64(),
        spread.unwrap_or_default(),
        count("instructions"),
        count("reductions"),
        count("allocated_bytes"),
        count("collections"),
        count("peak_live_bytes"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_that_suits_it() {
        let shown = |nanos| show_time(Duration::from_nanos(nanos));
        assert_eq!(shown(812_400), "812 µs");
        assert_eq!(shown(7_412_000), "7.41 ms");
        assert_eq!(shown(12_340_000), "12.3 ms");
        assert_eq!(shown(612_000_000), "612 ms");
        assert_eq!(shown(1_234_000_000), "1.23 s");
        assert_eq!(shown(61_000_000_000), "61.0 s");
    }
}

//! A profile for the terminal.

use gmachine::inspect::costs::{Cost, FunctionCosts};
use gmachine::render::grouped;

use super::Report;
use super::live::{By, divided, paths, peak};
use crate::quantity::show_size;

/// Rows of a table, at most.
const ROWS: usize = 15;
/// Parts of live memory that are shown of each division, at most.
const PARTS: usize = 5;
/// Steps of the paths to live memory that are shown, at most, and the part of it that one has to
/// lead to, in percent.
const STEPS: usize = 12;
const STEP_SHARE: u64 = 5;
/// Columns of a sparkline.
const SPARKS: usize = 32;

impl Report<'_> {
    /// Returns the verdict, live memory over time, and a table of functions.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.verdict);
        if let Some(ended) = &self.ended {
            out.push_str(&format!("note: {ended}\n"));
        }
        self.live(&mut out);
        self.paths(&mut out);
        self.functions(&mut out);
        self.totals(&mut out);
        out
    }

    fn live(&self, out: &mut String) {
        let costs = &self.costs;
        let Some(peak) = peak(costs) else { return };
        let all = peak.bytes();
        let totals: Vec<u64> = costs.censuses.iter().map(|census| census.bytes()).collect();
        out.push_str(&format!(
            "\nLive memory while {} instructions are executed: {} censuses; at the peak {}\n",
            grouped(costs.totals.instructions),
            grouped(costs.censuses.len() as u64),
            show_size(all),
        ));
        out.push_str(&format!("  {:<38}  {}\n", "all", self.sparks(&totals, all)));
        for by in By::ALL {
            let parts = divided(costs, peak, by);
            if parts.is_empty() {
                continue;
            }
            out.push_str(&format!("by {}\n", by.name()));
            let few = parts.iter().take(PARTS).enumerate();
            let worth = few.filter(|(at, (_, amount))| *at == 0 || 100 * amount.bytes >= all);
            for (_, (name, amount)) in worth {
                let series: Vec<u64> = costs
                    .censuses
                    .iter()
                    .map(|census| {
                        let live = census.live.iter();
                        let of = live.filter(|live| by.group(costs, **live).as_ref() == Some(name));
                        of.map(|live| live.bytes).sum()
                    })
                    .collect();
                let part = 100.0 * amount.bytes as f64 / all.max(1) as f64;
                out.push_str(&format!(
                    "  {:<22} {:>9} {part:>3.0} %  {}\n",
                    cut(name, 22),
                    show_size(amount.bytes),
                    self.sparks(&series, all)
                ));
            }
        }
    }

    /// Draws a line that shows how an amount of memory changes while the program runs; `most` is as
    /// high as a line goes.
    fn sparks(&self, series: &[u64], most: u64) -> String {
        const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let end = self.costs.totals.instructions.max(1);
        let mut line = String::new();
        for column in 0..SPARKS {
            // The first census after the time of the column; after the last one nothing is known.
            let time = (end as u128 * column as u128 / SPARKS as u128) as u64;
            let found = self.costs.censuses.iter().zip(series);
            let found = found.into_iter().find(|(census, _)| census.at.instructions >= time);
            line.push(match found {
                None | Some((_, 0)) => ' ',
                Some((_, &bytes)) => {
                    let level = bytes as u128 * LEVELS.len() as u128 / u128::from(most.max(1));
                    LEVELS.get(level as usize).copied().unwrap_or('█')
                }
            });
        }
        line.truncate(line.trim_end().len());
        line
    }

    /// Writes what leads from those who hold memory to what fills it.
    fn paths(&self, out: &mut String) {
        let Some(peak) = peak(&self.costs) else { return };
        let all = peak.bytes().max(1);
        let steps = paths(&self.costs, &self.contents, all / (100 / STEP_SHARE));
        if steps.is_empty() {
            return;
        }
        out.push_str("by path: who holds what, and what only that leads to\n");
        for step in steps.iter().take(STEPS) {
            let width = 48_usize.saturating_sub(2 * step.depth).max(16);
            let count = match step.nodes {
                0 => String::new(),
                nodes => format!("  {} ×", grouped(nodes)),
            };
            out.push_str(&format!(
                "  {:indent$}{:<width$} {:>9} {:>3.0} %{count}\n",
                "",
                cut(&step.name, width),
                show_size(step.bytes),
                100.0 * step.bytes as f64 / all as f64,
                indent = 2 * step.depth,
            ));
        }
    }

    fn functions(&self, out: &mut String) {
        let heads = [
            ("function", ""),
            ("calls", ""),
            ("own", "%"),
            ("with", "%"),
            ("allocates", ""),
            ("with", "%"),
            ("thunks", ""),
            ("with", "%"),
            ("never", "entered"),
            ("with", "%"),
            ("updates", ""),
            ("with", "%"),
        ];
        let heads: [Vec<String>; 2] = [
            heads.iter().map(|(upper, _)| (*upper).to_owned()).collect(),
            heads.iter().map(|(_, lower)| (*lower).to_owned()).collect(),
        ];
        out.push('\n');
        heads.iter().for_each(|cells| row(out, cells));
        let total = self.costs.functions.iter().fold(Thunks::default(), |sum, function| Thunks {
            made: sum.made + Thunks::of(function.own).made,
            never: sum.never + Thunks::of(function.own).never,
        });
        let totals = &self.costs.totals;
        let mut rows: Vec<&FunctionCosts> = self.costs.functions.iter().collect();
        rows.retain(|row| row.own != Default::default() || row.calls > 0);
        rows.sort_by_key(|row| std::cmp::Reverse(row.own.instructions));
        for function in rows.iter().take(ROWS) {
            let FunctionCosts { name, calls, own, inherited, .. } = *function;
            let (thunks, with) = (Thunks::of(*own), Thunks::of(*inherited));
            row(
                out,
                &[
                    cut(name, 20),
                    grouped(*calls),
                    part(own.instructions, totals.instructions),
                    part(inherited.instructions, totals.instructions),
                    show_size(own.bytes).replace(" bytes", "").replace(" byte", ""),
                    part(inherited.bytes, totals.allocated_bytes),
                    grouped(thunks.made),
                    part(with.made, total.made),
                    grouped(thunks.never),
                    part(with.never, total.never),
                    grouped(own.thunks_updated),
                    part(inherited.thunks_updated, totals.thunks_updated),
                ],
            );
        }
        if let Some(more) = rows.len().checked_sub(ROWS + 1) {
            out.push_str(&format!("and {} more\n", grouped(more as u64 + 1)));
        }
    }

    fn totals(&self, out: &mut String) {
        let totals = &self.costs.totals;
        out.push_str(&format!(
            "\n{}, {}, {} allocated; {} of the stack\n",
            many(totals.instructions, "instruction"),
            many(totals.reductions, "reduction"),
            show_size(totals.allocated_bytes),
            many(self.costs.samples, "sample"),
        ));
        let full = &self.pauses.live_bytes;
        let left = match full.last() {
            None => String::new(),
            Some(last) => format!(
                ", {} full, after the last of which {} were alive",
                grouped(full.len() as u64),
                show_size(*last)
            ),
        };
        out.push_str(&format!("{}{left}\n", many(self.pauses.count, "collection")));
    }
}

/// Returns how many of something there are.
fn many(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// The thunks of a cost, and those of them that nobody has entered.
#[derive(Clone, Copy, Default)]
struct Thunks {
    made: u64,
    never: u64,
}

impl Thunks {
    fn of(cost: Cost) -> Thunks {
        let never = cost.thunks_made.saturating_sub(cost.thunks_entered);
        Thunks { made: cost.thunks_made, never }
    }
}

/// Returns a part in percent.
fn part(part: u64, all: u64) -> String {
    format!("{:.1}", 100.0 * part as f64 / all.max(1) as f64)
}

/// Adds a row of the table of functions.
fn row(out: &mut String, cells: &[String]) {
    const WIDTHS: [usize; 12] = [20, 11, 5, 5, 9, 5, 11, 5, 9, 5, 11, 5];
    let mut line = String::new();
    for (at, (cell, width)) in cells.iter().zip(WIDTHS).enumerate() {
        match at {
            0 => line.push_str(&format!("{cell:<width$}")),
            _ => line.push_str(&format!(" {cell:>width$}")),
        }
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Returns a name cut to at most so many characters.
fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

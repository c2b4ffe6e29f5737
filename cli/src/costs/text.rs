//! A profile for the terminal.

use gmachine::inspect::costs::FunctionCosts;
use gmachine::render::grouped;

use super::Report;
use super::live::{By, divided, peak};
use crate::quantity::show_size;

/// Rows of a table, at most.
const ROWS: usize = 15;
/// Parts of live memory that are shown of each division, at most.
const PARTS: usize = 5;
/// Columns of a sparkline.
const SPARKS: usize = 32;

impl Report<'_> {
    /// The verdict, live memory over time, and a table of functions.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.verdict);
        if let Some(ended) = &self.ended {
            out.push_str(&format!("note: {ended}\n"));
        }
        self.live(&mut out);
        self.functions(&mut out);
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

    /// A line that shows how an amount of memory changes while the program runs; `most` is as
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

    fn functions(&self, out: &mut String) {
        let totals = &self.costs.totals;
        out.push_str(&format!(
            "\n{:<20} {:>12} {:>5} {:>5} {:>9} {:>5} {:>12} {:>12} {:>12}\n",
            "function", "calls", "own", "with", "allocates", "with", "thunks", "never", "updates"
        ));
        out.push_str(&format!(
            "{:<20} {:>12} {:>5} {:>5} {:>9} {:>5} {:>12} {:>12} {:>12}\n",
            "", "", "%", "%", "", "%", "", "entered", ""
        ));
        let mut rows: Vec<&FunctionCosts> = self.costs.functions.iter().collect();
        rows.retain(|row| row.own != Default::default() || row.calls > 0 || row.thunks_made > 0);
        rows.sort_by_key(|row| std::cmp::Reverse(row.own.instructions));
        for row in rows.iter().take(ROWS) {
            let part =
                |part: u64, all: u64| format!("{:.1}", 100.0 * part as f64 / all.max(1) as f64);
            out.push_str(&format!(
                "{:<20} {:>12} {:>5} {:>5} {:>9} {:>5} {:>12} {:>12} {:>12}\n",
                cut(&row.name, 20),
                grouped(row.calls),
                part(row.own.instructions, totals.instructions),
                part(row.inherited.instructions, totals.instructions),
                show_size(row.own.bytes).replace(" bytes", "").replace(" byte", ""),
                part(row.inherited.bytes, totals.allocated_bytes),
                grouped(row.thunks_made),
                grouped(row.thunks_made.saturating_sub(row.thunks_entered)),
                grouped(row.thunks_updated),
            ));
        }
        if let Some(more) = rows.len().checked_sub(ROWS + 1) {
            out.push_str(&format!("and {} more\n", grouped(more as u64 + 1)));
        }
        out.push_str(&format!(
            "\n{} instructions, {} reductions, {} allocated; {} samples of the stack\n",
            grouped(totals.instructions),
            grouped(totals.reductions),
            show_size(totals.allocated_bytes),
            grouped(self.costs.samples),
        ));
    }
}

/// A name of at most so many characters.
fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

//! `--baseline`: what was measured before, and what has changed since.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use gmachine::diagnostic::Code;
use gmachine::diagnostic::quote::for_message;
use serde_json::Value;

use super::measure::Column;
use super::table::show_time;
use crate::{Context, Failure};
use std::time::Duration;

/// The least relative difference that counts, however little runs differ.
const LEAST: f64 = 0.03;

/// What `bench --format json` wrote before.
pub struct Baseline {
    results: Vec<Value>,
    slower: u32,
    faster: u32,
    same: u32,
    unknown: u32,
}

/// What a comparison has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Slower,
    Faster,
    Same,
}

impl Baseline {
    /// Reads a file; it must have been measured in the way that `settings`, an object, says.
    ///
    /// # Errors
    /// When it cannot be read, or is something else.
    pub fn read(path: &Path, settings: &Value, context: &Context) -> Result<Baseline, Failure> {
        let name = for_message(&path.to_string_lossy());
        let read = || -> anyhow::Result<Vec<Value>> {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("`{name}` cannot be read"))?;
            let cannot = || format!("`{name}` cannot be compared with");
            let all: Value = serde_json::from_str(&text).with_context(cannot)?;
            if all["schema"] != "gmachine-bench" || all["version"] != 1 {
                return Err(anyhow!("it was not written by bench --format json").context(cannot()));
            }
            for (key, value) in settings.as_object().into_iter().flatten() {
                // What an older version did not write was as it is without options.
                let was = all.get(key);
                if was.is_some_and(|was| was != value) {
                    return Err(anyhow!("it was measured with another value of \"{key}\"")
                        .context(cannot()));
                }
            }
            Ok(all["results"].as_array().cloned().unwrap_or_default())
        };
        match read() {
            Ok(results) => Ok(Baseline { results, slower: 0, faster: 0, same: 0, unknown: 0 }),
            Err(error) => Err(context.system(Code::CannotRead, &error)),
        }
    }

    /// Returns a line for each machine and level of a program.
    pub fn rows(&mut self, name: &str, columns: &[Column]) -> String {
        let mut out = String::new();
        for column in columns {
            let row = format!("{name}, {}", column.name());
            let known = self.results.iter().find(|result| {
                result["program"] == name
                    && result["engine"] == column.machine.name()
                    && result["level"] == column.level
            });
            let seconds = |key: &str| known.and_then(|known| known[key].as_f64());
            let Some(before) = seconds("median_seconds").filter(|before| *before > 0.0) else {
                self.unknown += 1;
                out.push_str(&format!("{row}: not in the baseline\n"));
                continue;
            };
            let now = column.median().as_secs_f64();
            let spread = column.spread().unwrap_or_default().as_secs_f64();
            let spreads = seconds("spread_seconds").unwrap_or_default() + spread;
            let verdict = verdict(before, now, spreads);
            let count = match verdict {
                Verdict::Slower => &mut self.slower,
                Verdict::Faster => &mut self.faster,
                Verdict::Same => &mut self.same,
            };
            *count += 1;
            let change = 100.0 * (now / before - 1.0);
            let said = match verdict {
                Verdict::Slower => format!("{change:.0} % slower"),
                Verdict::Faster => format!("{:.0} % faster", -change),
                Verdict::Same => "the same".to_owned(),
            };
            let (now, before) = (Duration::from_secs_f64(now), Duration::from_secs_f64(before));
            out.push_str(&format!(
                "{row}: {said}, {} after {}\n",
                show_time(now),
                show_time(before)
            ));
        }
        out
    }

    /// Returns the verdict on all.
    pub fn summary(&self) -> String {
        let mut said =
            format!("{} slower, {} faster, {} the same", self.slower, self.faster, self.same);
        if self.unknown > 0 {
            said.push_str(&format!(", {} not in the baseline", self.unknown));
        }
        said + "\n"
    }
}

/// Compares two medians: a change counts if it is larger than what runs differ by.
fn verdict(before: f64, now: f64, spreads: f64) -> Verdict {
    let noise = spreads.max(LEAST * before);
    match now - before {
        change if change > noise => Verdict::Slower,
        change if change < -noise => Verdict::Faster,
        _ => Verdict::Same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_counts_if_it_is_larger_than_the_spread_of_the_runs() {
        assert_eq!(verdict(1.0, 1.02, 0.0), Verdict::Same);
        assert_eq!(verdict(1.0, 1.05, 0.0), Verdict::Slower);
        assert_eq!(verdict(1.0, 1.05, 0.1), Verdict::Same);
        assert_eq!(verdict(1.0, 0.8, 0.1), Verdict::Faster);
    }
}

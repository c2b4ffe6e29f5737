//! Collecting the reports of one file.

use crate::base::diagnostic::Diagnostic;

/// How many mistakes of one file are reported; of the others, the number.
pub const SHOWN: usize = 100;

/// The first reports of one stage, and how many there were.
#[derive(Debug, Default)]
pub struct Reports {
    kept: Vec<Diagnostic>,
    total: usize,
}

impl Reports {
    /// Adds a report. It is made only if it will be kept, so that a million mistakes cost
    /// no memory.
    pub fn add(&mut self, make: impl FnOnce() -> Diagnostic) {
        self.total += 1;
        if self.kept.len() < SHOWN {
            self.kept.push(make());
        }
    }

    /// Number of reports so far.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }

    /// The reports of all stages in the order of their places, the surplus counted.
    pub fn merge(stages: impl IntoIterator<Item = Reports>, out: &mut Vec<Diagnostic>) {
        let start = out.len();
        let mut total = 0;
        for stage in stages {
            total += stage.total;
            out.extend(stage.kept);
        }
        out[start..].sort_by_key(|report| report.primary.span.lo);
        out.truncate(start + SHOWN);
        let more = total - (out.len() - start);
        if more > 0
            && let Some(last) = out.last_mut()
        {
            let mistakes = if more == 1 { "mistake" } else { "mistakes" };
            last.notes.push(format!("{more} more {mistakes} in this file are not shown"));
        }
    }
}

//! Collecting the reports of one file.

use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::span::Span;

/// The number of mistakes of one file that are reported; the others are counted.
pub const SHOWN: usize = 100;
/// The number of reports that a stage keeps: more than are shown, for those that turn out to be
/// consequences.
const KEPT: usize = 1000;

/// The first reports of one stage, and how many there were.
#[derive(Debug, Default)]
pub struct Reports {
    kept: Vec<Diagnostic>,
    total: usize,
    /// The last place that a kept one is about.
    last: u32,
}

impl Reports {
    /// Adds a report. It is made only if it will be kept, so that a million mistakes cost
    /// no memory.
    pub fn add(&mut self, make: impl FnOnce() -> Diagnostic) {
        self.total += 1;
        if self.kept.len() < KEPT {
            let report = make();
            self.last = self.last.max(report.primary.span.lo);
            self.kept.push(report);
        }
    }

    /// Returns the number of reports so far.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }

    /// Returns whether something after a place has been reported.
    #[must_use]
    pub fn reach(&self, lo: u32) -> bool {
        self.last > lo
    }

    /// Returns where the mistakes with this code are.
    pub fn places(&self, code: Code) -> impl Iterator<Item = Span> {
        let found = self.kept.iter().filter(move |report| report.code == code);
        found.map(|report| report.primary.span)
    }

    /// Returns whether there are reports whose places are in `region`.
    #[must_use]
    pub fn has_inside(&self, region: Span) -> bool {
        let mut places = self.kept.iter().map(|report| report.primary.span.lo);
        places.any(|at| region.lo <= at && at < region.hi)
    }

    /// Returns the reports with this code.
    pub fn of(&mut self, code: Code) -> impl Iterator<Item = &mut Diagnostic> {
        self.kept.iter_mut().filter(move |report| report.code == code)
    }

    /// Drops the reports with this code whose places are in `region`; returns whether there are any.
    pub fn drop_of(&mut self, code: Code, region: Span) -> bool {
        let before = self.kept.len();
        self.kept.retain(|report| {
            let at = report.primary.span.lo;
            report.code != code || at < region.lo || at >= region.hi
        });
        let dropped = before - self.kept.len();
        self.total -= dropped;
        dropped > 0
    }

    /// Drops the reports whose places are in `regions`, which are in order.
    pub fn drop_inside(&mut self, regions: &[Span]) {
        if regions.first().is_none_or(|first| first.lo > self.last) {
            return;
        }
        let before = self.kept.len();
        self.kept.retain(|report| {
            let at = report.primary.span.lo;
            let next = regions.partition_point(|region| region.lo <= at);
            next == 0 || regions.get(next - 1).is_none_or(|region| at >= region.hi)
        });
        self.total -= before - self.kept.len();
    }

    /// Adds the reports of all stages in the order of their places, the surplus counted.
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

//! What the passes did.

use super::Pass;

/// What the passes did, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    verbose: bool,
    /// For each pass that ran and each kind of thing that it did, how often.
    counts: Vec<(Pass, &'static str, u64)>,
    /// Single decisions, if they were asked for.
    decisions: Vec<(Pass, String)>,
}

impl Report {
    /// An empty report; whether it is to list decisions.
    #[must_use]
    pub fn new(verbose: bool) -> Report {
        Report { verbose, ..Report::default() }
    }

    /// Counts something that a pass did, like "calls inlined".
    pub fn count(&mut self, pass: Pass, what: &'static str, times: u64) {
        if times == 0 {
            return;
        }
        match self.counts.iter_mut().find(|(of, kind, _)| (*of, *kind) == (pass, what)) {
            Some((_, _, sum)) => *sum += times,
            None => self.counts.push((pass, what, times)),
        }
    }

    /// Whether decisions are asked for.
    #[must_use]
    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Notes a decision, if decisions are asked for; the text is made only then.
    pub fn decide(&mut self, pass: Pass, text: impl FnOnce() -> String) {
        if self.verbose {
            self.decisions.push((pass, text()));
        }
    }

    /// Takes back the decisions after the first so many.
    pub fn forget(&mut self, decisions: usize) {
        self.decisions.truncate(decisions);
    }

    /// How often each kind of thing was done, by pass, in the order of its first time.
    #[must_use]
    pub fn counts(&self) -> &[(Pass, &'static str, u64)] {
        &self.counts
    }

    /// The decisions in order; none unless they were asked for.
    #[must_use]
    pub fn decisions(&self) -> &[(Pass, String)] {
        &self.decisions
    }
}

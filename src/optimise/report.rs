//! What the passes did.

use super::Pass;
use super::left::{self, Noted, Source};
use crate::base::diagnostic::Diagnostic;
use crate::base::name::Interner;
use crate::core::expr::Program;

/// A record of what the passes did, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    verbose: bool,
    /// The number of times that each pass did each kind of thing.
    counts: Vec<(Pass, &'static str, u64)>,
    /// Single decisions, if they were asked for.
    decisions: Vec<(Pass, String)>,
    /// What the steps saw of calls that they left, if decisions were asked for.
    noted: Vec<Noted>,
    /// Why calls are left, if decisions were asked for.
    hints: Vec<Diagnostic>,
}

impl Report {
    /// All kinds of things that passes do, in the order of the passes.
    pub const KINDS: &[(Pass, &str)] = &[
        (Pass::Inline, "wrappers written out"),
        (Pass::Inline, "knots untied"),
        (Pass::Specialise, "things that constants hold named"),
        (Pass::Inline, "eliminators written out"),
        (Pass::KnownCase, "tests and selections made cases"),
        (Pass::Inline, "loops over records split"),
        (Pass::CaseOfCase, "choices made before a turn"),
        (Pass::CaseOfCase, "values built again of their fields"),
        (Pass::CaseOfCase, "thunks made join points"),
        (Pass::Specialise, "fields found constant"),
        (Pass::Specialise, "copies for fields"),
        (Pass::Specialise, "constants evaluated"),
        (Pass::Specialise, "copies for dictionaries"),
        (Pass::Specialise, "parameters found constant"),
        (Pass::Specialise, "variants made"),
        (Pass::Specialise, "calls unfolded"),
        (Pass::Specialise, "patterns generalised"),
        (Pass::Inline, "calls inlined"),
        (Pass::Inline, "needed calls inlined"),
        (Pass::Inline, "functions made join points of loops"),
        (Pass::KnownCase, "primitives folded"),
        (Pass::KnownCase, "branches decided"),
        (Pass::CaseOfCase, "continuations moved into branches"),
        (Pass::CaseOfCase, "join points made"),
        (Pass::CaseOfCase, "functions made join points"),
        (Pass::Project, "functions projected"),
        (Pass::Project, "calls projected"),
        (Pass::FloatIn, "copies and constants put in place"),
        (Pass::FloatIn, "bindings put in the place of their use"),
        (Pass::FloatIn, "bindings moved inwards"),
        (Pass::FloatIn, "unused bindings dropped"),
        (Pass::DeadArguments, "join parameters dropped"),
        (Pass::DeadArguments, "parameters dropped"),
        (Pass::DeadArguments, "parameters left idle"),
        (Pass::DeadArguments, "unused bindings dropped"),
        (Pass::Perform, "effects done in place"),
        (Pass::Perform, "binds that go on in place"),
        (Pass::MergeEnds, "ends written once"),
        (Pass::Strictness, "strict parameters"),
        (Pass::Strictness, "bindings evaluated at once"),
        (Pass::Strictness, "choices lifted"),
        (Pass::Strictness, "demands on data given up"),
        (Pass::Strictness, "functions given up"),
    ];

    /// Returns an empty report, which lists decisions if `explain` says so.
    #[must_use]
    pub fn new(verbose: bool) -> Report {
        Report { verbose, ..Report::default() }
    }

    /// Counts something that a pass did, like "calls inlined": one of [`KINDS`](Report::KINDS), which a debug
    /// build checks.
    pub fn count(&mut self, pass: Pass, what: &'static str, times: u64) {
        if times == 0 {
            return;
        }
        debug_assert!(Report::KINDS.contains(&(pass, what)), "{what} of {}", pass.name());
        match self.counts.iter_mut().find(|(of, kind, _)| (*of, *kind) == (pass, what)) {
            Some((_, _, sum)) => *sum += times,
            None => self.counts.push((pass, what, times)),
        }
    }

    /// Returns whether decisions are asked for.
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

    /// Adds what a step saw of calls that it left.
    pub(super) fn note(&mut self, noted: Vec<Noted>) {
        self.noted.extend(noted);
    }

    /// Tells the calls that are left in a program, with the reasons that steps have noted.
    pub(super) fn settle(&mut self, source: &Source, program: &Program, names: &Interner) {
        let noted = std::mem::take(&mut self.noted);
        self.hints = left::hints(&noted, source, program, names);
    }

    /// Returns why calls of the program were not specialised, inlined or fused, in the order of the
    /// source; none unless decisions were asked for.
    #[must_use]
    pub fn hints(&self) -> &[Diagnostic] {
        &self.hints
    }

    /// Returns how often each kind of thing was done, by pass, in the order of its first time.
    #[must_use]
    pub fn counts(&self) -> &[(Pass, &'static str, u64)] {
        &self.counts
    }

    /// Returns the decisions in order; none unless they were asked for.
    #[must_use]
    pub fn decisions(&self) -> &[(Pass, String)] {
        &self.decisions
    }
}

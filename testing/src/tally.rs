//! What many checks have tried.

use std::collections::BTreeMap;

use gmachine::machine::outcome::Statistics;
use gmachine::machine::{Coverage, Machine, MachineKind, Stress};
use gmachine::optimise::Report;

use crate::ends::End;

/// What has been tried, and what that has reached.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Inputs that were checked.
    pub cases: u64,
    /// Of these, the ones that say nothing: they do not compile, or take too long.
    pub discarded: u64,
    /// How the reference machine ended: with a value, an error, not at all.
    pub values: u64,
    pub errors: u64,
    pub endless: u64,
    /// Runs of the fast machine in each mode of the collector.
    pub modes: [u64; Stress::ALL.len()],
    /// Stops in the midst of an evaluation.
    pub stops: u64,
    /// Collections of the fast machine.
    pub collections: u64,
    /// What the machines have been through, as far as it was counted.
    pub fast: Coverage,
    pub reference: Coverage,
    /// How often each rewriting of the optimiser was done, by pass and kind.
    pub rewrites: BTreeMap<(&'static str, &'static str), u64>,
}

impl Tally {
    /// Adds what others have tried.
    pub fn add(&mut self, other: &Tally) {
        self.cases += other.cases;
        self.discarded += other.discarded;
        self.values += other.values;
        self.errors += other.errors;
        self.endless += other.endless;
        self.modes.iter_mut().zip(other.modes).for_each(|(sum, runs)| *sum += runs);
        self.stops += other.stops;
        self.collections += other.collections;
        self.fast.add(&other.fast);
        self.reference.add(&other.reference);
        for (kind, times) in &other.rewrites {
            *self.rewrites.entry(*kind).or_default() += times;
        }
    }

    /// Notes how a run of the reference machine ended.
    pub fn ended(&mut self, end: End) {
        match end {
            End::Value => self.values += 1,
            End::Error => self.errors += 1,
            End::Fuel => self.endless += 1,
        }
    }

    /// Notes what a machine has been through.
    pub fn machine(&mut self, kind: MachineKind, machine: &dyn Machine) {
        self.went(kind, &machine.coverage(), &machine.statistics());
    }

    /// Notes what a machine of this kind has been through.
    pub fn went(&mut self, kind: MachineKind, coverage: &Coverage, counts: &Statistics) {
        match kind {
            MachineKind::Reference => self.reference.add(coverage),
            _ => {
                self.fast.add(coverage);
                self.collections += counts.collections;
            }
        }
    }

    /// Notes what the passes did.
    pub fn report(&mut self, report: &Report) {
        for &(pass, what, times) in report.counts() {
            *self.rewrites.entry((pass.name(), what)).or_default() += times;
        }
    }
}

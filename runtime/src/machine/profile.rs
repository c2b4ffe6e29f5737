//! Where a run spends its time, and what it allocates: by the supercombinators that wait for
//! each other.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks a machine for samples, from any thread: whoever calls [`sample`](Sampler::sample) a
/// thousand times a second gets a profile of time. Without calls there is one of allocation
/// only.
#[derive(Clone, Debug, Default)]
pub struct Sampler(Arc<AtomicBool>);

impl Sampler {
    /// Asks for a sample at the next safe point.
    pub fn sample(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether a sample is asked for; it is asked for no longer.
    pub(in crate::machine) fn take(&self) -> bool {
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Relaxed)
    }
}

/// What was found at one stack of supercombinators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Share {
    /// Samples that were taken there.
    pub samples: u64,
    /// Bytes that were allocated there, as far as each collection can tell: all since the
    /// last one count for where the nursery was full.
    pub bytes: u64,
}

/// A profile: supercombinators that wait for each other, the outermost first, and what was
/// found there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    stacks: BTreeMap<Vec<Arc<str>>, Share>,
}

impl Profile {
    /// How many supercombinators of a stack are kept, the innermost ones.
    pub const DEPTH: usize = 100;

    pub(in crate::machine) fn add(&mut self, stack: Vec<Arc<str>>, share: Share) {
        let all = self.stacks.entry(stack).or_default();
        all.samples += share.samples;
        all.bytes += share.bytes;
    }

    /// Returns all stacks, in the order of their names.
    pub fn stacks(&self) -> impl Iterator<Item = (&[Arc<str>], Share)> {
        self.stacks.iter().map(|(stack, share)| (&**stack, *share))
    }

    /// Returns the profile as folded stacks, one a line, for the tools that draw them: names with
    /// semicolons between, a space, the number that `weigh` takes from the share. Lines of 0 are
    /// left out.
    #[must_use]
    pub fn folded(&self, weigh: impl Fn(Share) -> u64) -> String {
        let mut text = String::new();
        for (stack, share) in self.stacks() {
            let weight = weigh(share);
            if weight > 0 {
                let names: Vec<&str> = stack.iter().map(|name| &**name).collect();
                let _ = writeln!(text, "{} {weight}", names.join(";"));
            }
        }
        text
    }
}

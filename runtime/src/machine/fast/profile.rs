//! Samples for a profile: which supercombinators wait for which.

use std::sync::Arc;

use super::eval::Entering;
use super::fail::Waits;
use super::state::Machine;
use crate::machine::profile::{Profile, Share};

impl Machine {
    /// Returns the supercombinators that wait, the outermost first and the present one last. One
    /// that waits for itself is there once.
    fn names(&self) -> Vec<Arc<str>> {
        let waiting = self.waiting().filter_map(|waits| match waits {
            Waits::Code(at) | Waits::Performer { at, .. } => self.mutator.image.owner(at),
            Waits::Thunk(_) => None,
        });
        let mut owners = Vec::new();
        for owner in self.mutator.image.owner(self.at()).into_iter().chain(waiting) {
            if owners.last() != Some(&owner) {
                owners.push(owner);
            }
            if owners.len() == Profile::DEPTH {
                break;
            }
        }
        owners.iter().rev().map(|owner| self.mutator.image.name(*owner)).collect()
    }

    /// Looks at the run from time to time: for a sample that is asked for, for the profile of
    /// costs.
    #[cold]
    pub(super) fn observe(&mut self, entering: Option<Entering>) {
        self.sample_time();
        self.observe_costs(entering);
    }

    /// Takes a sample, if one is asked for.
    fn sample_time(&mut self) {
        if self.profile.as_ref().is_some_and(|(sampler, _)| sampler.take()) {
            self.sample(Share { samples: 1, bytes: 0 });
        }
    }

    /// Notes what was allocated since the last time.
    pub(super) fn sample_allocation(&mut self) {
        if self.profile.is_some() {
            let words = self.heap.counters().words_allocated;
            let bytes = (words - self.sampled_words) * 8;
            self.sampled_words = words;
            self.sample(Share { samples: 0, bytes });
        }
    }

    fn sample(&mut self, share: Share) {
        let names = self.names();
        if let Some((_, profile)) = &mut self.profile {
            profile.add(names, share);
        }
    }
}

//! Who pays for a variant.
//!
//! A supercombinator has a number of variants, whatever it is used for, which keeps what no other limit foresees
//! from being written out. That is enough for a short program. In a long one each part has its own: what a
//! variant is made for allows it some more, in proportion to the source.

use super::Driver;
use super::heap::{Head, NodeId};
use super::history::VARIANTS_AGAIN;
use super::pattern::{Key, Pattern};
use crate::core::expr::GlobalId;

/// What a variant of a supercombinator is made for, so that a long program has as many for each of its
/// parts as a short one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Payer {
    /// The supercombinator.
    Function,
    /// The constant of which the patterns have a part.
    Constant(NodeId),
    /// The function of the source that led to it, by its variant with nothing known.
    Account(u32),
    /// The variant of another function in which it is called.
    Caller(u32),
    /// The places that mention it.
    Mentions,
}

/// The most variants of one supercombinator: fewer if they are of more expressions than these
/// together, but so many in any case.
const VARIANTS: u32 = 40;
const VARIANTS_SIZE: u32 = 1_600;
const FEW_VARIANTS: u32 = 10;
/// How many variants more one may have for each place that mentions it: one for what a loop begins with,
/// and one for how it goes on.
const VARIANTS_OF_MENTION: u32 = 2;
/// The most parts of the patterns of one of these.
const PARTS_OF_MENTION: usize = 12;
/// How often a function may be in its own arguments there.
const NESTED_IN_MENTION: usize = 2;
/// How many parts of a constant allow it one variant more, and the most variants that they allow it.
const PARTS_PER_VARIANT: u32 = 3;
const VARIANTS_OF_CONSTANTS: u32 = 400;

impl Driver<'_> {
    /// Counts a variant for a key, if the supercombinator may have another one: for itself, for what it goes
    /// along as an interpreter does along its programs, for who calls it, or for the places that mention it.
    pub(super) fn allows_variant(&mut self, key: &Key) -> bool {
        let of = key.of;
        if self.history.is_specialised(of) {
            return self.counts_variant(of, Payer::Function, VARIANTS_AGAIN);
        }
        if let Some((whole, root)) = self.largest_constant(key) {
            let parts = (whole / PARTS_PER_VARIANT).min(VARIANTS_OF_CONSTANTS);
            if self.counts_variant(of, Payer::Constant(root), FEW_VARIANTS + parts) {
                return true;
            }
        }
        let fitting = VARIANTS_SIZE / self.facts.size[of].max(1);
        let fitting = fitting.clamp(FEW_VARIANTS, VARIANTS);
        let account = self.variants[self.current as usize].account;
        if self.counts_variant(of, Payer::Function, fitting)
            || self.counts_variant(of, Payer::Account(account), FEW_VARIANTS)
        {
            return true;
        }
        if !is_use(key) {
            return false;
        }
        let caller = &self.variants[self.current as usize].key;
        let is_outside = self.facts.circle[caller.of] != self.facts.circle[of];
        if is_outside
            && !self.is_itself(caller)
            && self.counts_variant(of, Payer::Caller(self.current), VARIANTS_OF_MENTION)
        {
            return true;
        }
        let (calls, others) = self.facts.mentions[of];
        self.counts_variant(of, Payer::Mentions, VARIANTS_OF_MENTION * (calls + others))
    }

    /// Counts a variant for who pays for it, if there are fewer than `most`.
    fn counts_variant(&mut self, of: GlobalId, payer: Payer, most: u32) -> bool {
        let count = self.per_function.get(&(of, payer)).copied().unwrap_or(0);
        if count < most {
            self.per_function.insert((of, payer), count + 1);
        }
        count < most
    }

    /// Returns the largest constant that a key has a part of, with its size before it.
    fn largest_constant(&self, key: &Key) -> Option<(u32, NodeId)> {
        let mut largest = None;
        let mut work: Vec<&Pattern> = key.args.iter().collect();
        while let Some(pattern) = work.pop() {
            if let Pattern::Constant(node) = *pattern {
                largest = largest.max(Some(self.constants.root(node)));
            }
            work.extend(pattern.parts());
        }
        largest
    }
}

/// Returns whether a key is that of a use of a function with others, none of them often in itself: in a nest of
/// calls each pattern has the next one in it, and data and numbers that a program goes through have many states.
fn is_use(key: &Key) -> bool {
    fn is_flat(pattern: &Pattern, outer: &mut Vec<GlobalId>) -> bool {
        let head = match *pattern {
            Pattern::Partial(Head::Global(of), _) | Pattern::Call(of, _) => of,
            Pattern::Hole | Pattern::Lit(_) | Pattern::Caf(_) => return true,
            _ => return false,
        };
        if outer.iter().filter(|&&of| of == head).count() >= NESTED_IN_MENTION {
            return false;
        }
        outer.push(head);
        let is_flat = pattern.parts().iter().all(|part| is_flat(part, outer));
        outer.pop();
        is_flat
    }
    let mut outer = vec![key.of];
    let has_function = |pattern: &Pattern| !matches!(pattern, Pattern::Hole | Pattern::Lit(_));
    key.args.iter().map(Pattern::size).sum::<usize>() <= PARTS_OF_MENTION
        && key.args.iter().any(has_function)
        && key.args.iter().all(|pattern| is_flat(pattern, &mut outer))
}

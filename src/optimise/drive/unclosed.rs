//! Fusions that do not close.
//!
//! What a loop consumes is fused with it because the consumer of what the producer goes on with is the same again:
//! there is a loop of both. Not so where a producer's value comes from a consumer of its own call: `(toList (Node l x
//! r))` is `(append (toList l) (Cons x (toList r)))`, so what takes the list apart comes to `(append (append (toList l)
//! ..) ..)` and, turn by turn, to one more `append` around it. The whistle ends that, and leaves code for each depth
//! that gains nothing. Then the driver goes back to the beginning of its step, and that parameter does not consume
//! that producer's calls: what led to the growth is made general, not what it grew to (as the upward generalisation of
//! Sørensen and Glück, "An algorithm of generalization in positive supercompilation", 1995, and the rollback of
//! Bolingbroke, *Call-by-need supercompilation*, 2013).
//!
//! Invariant: a step begins again a few times at most, each time with more that is not consumed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Driver;
use super::heap::NodeId;
use super::pattern::{Key, Pattern};
use crate::core::expr::{GlobalId, GlobalKind, LocalId, SwitchId};

/// How often a step begins again at most.
pub(super) const RESTARTS: u32 = 3;
/// How often in itself a consumption may grow: what comes back to itself does so after one or two.
const NESTED: u32 = 2;

/// Parameters, and the producers whose calls they do not consume.
pub(super) type Unclosed = FxHashSet<(LocalId, GlobalId)>;

impl Driver<'_> {
    /// Notes which consumptions have grown in a key, in which that of a variant that led to it is embedded.
    pub(super) fn note_unclosed(&mut self, before: u32, key: &Key) {
        if !self.may_restart {
            return;
        }
        let begun = &self.variants[before as usize].key;
        let (mut few, mut many) = (FxHashMap::default(), FxHashMap::default());
        self.count_consumed(begun.of, &begun.args, &mut few);
        self.count_consumed(key.of, &key.args, &mut many);
        let has_grown = |&(pair, count): &((LocalId, GlobalId), u32)| {
            count > NESTED && count > few.get(&pair).copied().unwrap_or(0)
        };
        self.grown.extend(many.into_iter().filter(has_grown).map(|(pair, _)| pair));
    }

    /// Counts which parameters consume the calls of which producers in patterns.
    fn count_consumed(
        &self,
        of: GlobalId,
        args: &[Pattern],
        counts: &mut FxHashMap<(LocalId, GlobalId), u32>,
    ) {
        let GlobalKind::Defn { params, .. } = self.old.globals[of].kind else { return };
        for (&param, pattern) in self.old.local_lists[params].iter().zip(args) {
            let Pattern::Call(producer, parts) = pattern else { continue };
            if self.fusible.is_consumed(param) && !self.fusible.returned[param] {
                *counts.entry((param, *producer)).or_insert(0) += 1;
            }
            self.count_consumed(*producer, parts, counts);
        }
    }

    /// Returns whether a parameter does not consume a call of a producer that nothing has evaluated.
    pub(super) fn is_unclosed(&self, param: LocalId, arg: NodeId) -> bool {
        !self.unclosed.is_empty()
            && self.producer_of(arg).is_some_and(|of| self.unclosed.contains(&(param, of)))
    }

    /// Returns whether a switch does not consume calls of a producer.
    pub(super) fn is_unclosed_at(&self, switch: SwitchId, producer: GlobalId) -> bool {
        if self.unclosed.is_empty() {
            return false;
        }
        let Some(consumer) = self.fusible.consumers.get(&switch) else { return false };
        self.has(consumer.global, consumer.at, |param| self.unclosed.contains(&(param, producer)))
    }
}

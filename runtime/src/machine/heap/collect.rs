//! Scheduling: when there is which collection, and how large the nursery is after it.

use super::compact::{moved, place};
use super::mark::{Marker, Unmarked, is_marked};
use super::nursery::Nursery;
use super::old::{MIN_DUE, Old};
use super::short_circuit::follow;
use super::{Free, Full, Heap, Mutator, Need, Stress, YOUNG_BIG_BYTES, big_bytes_at, drop_big};

/// The mark stack has a place for each so many words of the old space, and a least capacity.
const MARK_STACK_SHARE: u64 = 256;
const MIN_MARK_STACK: usize = 4096;
/// The part of the limit that has to be left after a full collection: with less a program would
/// do nothing but collect.
pub(super) const LEAST_LEFT: u64 = 50;
/// The smallest nursery, in bytes.
const MIN_NURSERY: usize = 4 << 10;

impl Heap {
    /// Makes room: by a minor collection, by a full one if the old space has grown enough or
    /// the limit is near, and by a smaller nursery if the limit leaves no more. Afterwards the
    /// words that are needed fit, and the bytes may be taken.
    ///
    /// # Errors
    /// [`Full`] if there is no room after a full collection, or so little that the program
    /// would do nothing but collect, or if the system refused memory. The heap is as usable as
    /// before, except that nothing may fit in the nursery.
    ///
    /// # Safety
    /// The words that `mutator` visits are words of this heap.
    pub unsafe fn collect(&mut self, need: Need, mutator: &mut impl Mutator) -> Result<(), Full> {
        // A nursery of another size can only be made when nothing is young.
        let resized = self.wanted(need) != self.nursery.eden_bytes();
        // SAFETY: the caller's obligation.
        unsafe { self.minor(resized, mutator) };
        let due = self.old_live() > self.due || self.config.stress == Stress::Full;
        if !due && self.prepare(need, false).is_ok() {
            return Ok(());
        }
        // SAFETY: the caller's obligation.
        unsafe { self.collect_full(need, mutator) }
    }

    /// Promotes everything that is young and alive.
    ///
    /// # Errors
    /// As [`collect`](Heap::collect); nothing is young all the same.
    ///
    /// # Safety
    /// The words that `mutator` visits are words of this heap.
    pub unsafe fn tenure(&mut self, mutator: &mut impl Mutator) -> Result<(), Full> {
        // SAFETY: the caller's obligation.
        unsafe { self.minor(true, mutator) };
        self.prepare(Need::default(), false)
    }

    /// Collects all that is dead, by a minor and a full collection.
    ///
    /// # Errors
    /// As [`collect`](Heap::collect).
    ///
    /// # Safety
    /// The words that `mutator` visits are words of this heap.
    pub unsafe fn collect_full(
        &mut self,
        need: Need,
        mutator: &mut impl Mutator,
    ) -> Result<(), Full> {
        // SAFETY: the caller's obligation; after the first nothing is young.
        unsafe {
            self.minor(true, mutator);
            self.full(mutator);
        }
        self.prepare(need, true)
    }

    /// Collects the old space.
    ///
    /// # Safety
    /// Nothing is young, and the words that `mutator` visits are words of this heap.
    unsafe fn full(&mut self, mutator: &mut impl Mutator) {
        self.counters.full += 1;
        self.old.begin_marking();
        let mut marker = Marker::new(&self.selectors, self.mark_stack_capacity());
        // SAFETY: all live nodes are old; the mutator's words are words of this heap, and after
        // marking they, and the big integers that are left, lead to marked nodes.
        unsafe {
            marker.run(&mut self.old, mutator);
            self.counters.rescans += marker.rescans;
            self.counters.indirections += marker.indirections;
            mutator.sweep(&mut |word| {
                *word = follow(*word, &Unmarked);
                !word.is_pointer() || is_marked(word.address())
            });
            self.sweep_bigs();
            self.after_marking();
            let plan = self.old.plan();
            self.after_planning();
            mutator.roots(&mut |word| *word = moved(*word));
            mutator.cafs(&mut |word| *word = moved(*word));
            self.old_bigs.iter_mut().for_each(|address| *address = place(*address));
            self.counters.words_moved += self.old.slide(mutator);
            self.old.finish(plan, self.config.poison);
        }
        self.survived = self.old_live();
        self.due = (2 * self.survived).max(MIN_DUE);
        let live = self.survived + self.outside;
        self.counters.peak_live_bytes = self.counters.peak_live_bytes.max(live);
    }

    /// Returns how many nodes wait at most while live ones are marked.
    pub(super) fn mark_stack_capacity(&self) -> usize {
        let share = (self.old.node_bytes() / 8 / MARK_STACK_SHARE) as usize;
        self.config.mark_stack.unwrap_or(share.max(MIN_MARK_STACK))
    }

    /// Drops the big integers that are not marked.
    ///
    /// # Safety
    /// All live nodes are marked, and none has moved.
    unsafe fn sweep_bigs(&mut self) {
        let mut dropped = 0;
        self.old_bigs.retain(|&address| {
            // SAFETY: the list holds each big integer of the old space once.
            let is_live = unsafe { is_marked(address) };
            if !is_live {
                // SAFETY: its node is as it was, and the list has forgotten it.
                unsafe {
                    dropped += big_bytes_at(address);
                    self.counters.bigs_dropped += 1;
                    drop_big(address);
                }
            }
            is_live
        });
        self.old_big_bytes -= dropped;
    }

    /// Returns the size of Eden in bytes while there is enough memory: a small part of a small
    /// limit.
    fn wanted(&self, need: Need) -> usize {
        let limited = self.config.limit.map_or(u64::MAX, |limit| limit / 16);
        let limited = usize::try_from(limited).unwrap_or(usize::MAX);
        let usual = self.config.nursery_words.saturating_mul(8).min(limited);
        usual.max(MIN_NURSERY).max(need.words.saturating_mul(8)) & !7
    }

    /// Sizes the nursery, in which only survivors are, and fills the reserve. `cleaned` says that
    /// there was a full collection, so another one would not help.
    fn prepare(&mut self, need: Need, cleaned: bool) -> Result<(), Full> {
        self.free = Free::none(self.nursery.eden());
        let needed = need.words.checked_mul(8).ok_or(Full::Limit)?;
        let wanted = self.wanted(need);
        let chunk = Old::chunk_size(self.config.limit);
        let takes = |eden| {
            let nursery = Nursery::total(eden).unwrap_or(usize::MAX) as u64;
            nursery.saturating_add(Old::reserve_bytes(Nursery::most(eden), chunk))
        };
        let mut bytes = wanted;
        let mut big_allowance = YOUNG_BIG_BYTES;
        // How far the old space grows before the next full collection is due: chunks for that
        // are not given back only to be asked for again.
        let mut kept = self.due.saturating_sub(self.old_live());
        if let Some(limit) = self.config.limit {
            let left =
                limit.saturating_sub(self.used()).checked_sub(need.bytes).ok_or(Full::Limit)?;
            // A full collection is worth while if there may be garbage, and before the nursery
            // gets very small.
            let grown = self.old_live() - self.survived.min(self.old_live());
            let worth = !cleaned && grown > limit / 64;
            let least = if worth { (wanted as u64).min(limit / 32) as usize } else { MIN_NURSERY };
            while takes(bytes) > left {
                bytes = (bytes - bytes / 8) & !7;
                if bytes < least.max(needed) {
                    return Err(Full::Limit);
                }
            }
            if left < limit / LEAST_LEFT {
                return Err(Full::Limit);
            }
            let spared = left - takes(bytes);
            big_allowance = big_allowance.min(spared);
            kept = kept.min((spared - big_allowance) / 2);
        }
        if self.nursery.eden_bytes() != bytes {
            if !self.nursery.survivors().is_empty() {
                return Err(Full::Limit);
            }
            self.nursery = Nursery::default();
            self.free = Free::none(self.nursery.eden());
            self.nursery = Nursery::new(bytes).ok_or(Full::System)?;
        }
        self.free = Free::none(self.nursery.eden());
        if !self.old.reserve(Nursery::most(bytes), chunk, kept) {
            return Err(Full::System);
        }
        self.young_big_allowance =
            self.young_big_bytes.saturating_add(big_allowance).saturating_add(need.bytes);
        let open = match self.config.stress {
            Stress::None => bytes,
            Stress::Minor | Stress::Full => needed,
        };
        self.free.limit = self.free.next.wrapping_byte_add(open);
        self.counters.peak_bytes = self.counters.peak_bytes.max(self.footprint());
        Ok(())
    }
}

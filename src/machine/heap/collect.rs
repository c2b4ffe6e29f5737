//! When there is a collection, of which kind, and how large the nursery is after it.

use super::compact::{moved, place};
use super::mark::{Marker, Unmarked, is_marked};
use super::nursery::Nursery;
use super::old::{MIN_DUE, Old};
use super::shorten::follow;
use super::{Full, Heap, Mutator, Need, Stress, YOUNG_BIG_BYTES, big_bytes, drop_big, node_at};

/// The mark stack has a place for one of so many words of the old space, and so many at least.
const MARK_STACK_SHARE: u64 = 256;
const MIN_MARK_STACK: usize = 4096;
/// The smallest nursery, in bytes.
const MIN_NURSERY: usize = 4 << 10;

impl Heap {
    /// Makes room, by a minor collection, a full one if enough has come into the old space or
    /// the limit is near, and a smaller nursery if that is what the limit leaves. Afterwards
    /// the words that are needed fit and the bytes may be taken.
    ///
    /// # Errors
    /// [`Full`] if there is no room after a full collection, or so little that going on would
    /// be collecting and nothing else. The heap is as usable as before, except that nothing
    /// may fit in the nursery.
    pub fn collect(&mut self, need: Need, mutator: &mut impl Mutator) -> Result<(), Full> {
        // A nursery of another size can only be made when nothing is young.
        let resized = self.wanted(need) != self.nursery.eden_bytes();
        self.minor(resized, mutator);
        let due = self.old_live() > self.due || self.config.stress == Stress::Full;
        if !due && self.prepare(need, false).is_ok() {
            return Ok(());
        }
        self.minor(true, mutator);
        self.full(mutator);
        self.prepare(need, true)
    }

    /// A minor collection after which nothing is young.
    ///
    /// # Errors
    /// As [`collect`](Heap::collect); nothing is young all the same.
    pub fn tenure(&mut self, mutator: &mut impl Mutator) -> Result<(), Full> {
        self.minor(true, mutator);
        self.prepare(Need::default(), false)
    }

    /// A minor and then a full collection.
    ///
    /// # Errors
    /// As [`collect`](Heap::collect).
    pub fn collect_full(&mut self, need: Need, mutator: &mut impl Mutator) -> Result<(), Full> {
        self.minor(true, mutator);
        self.full(mutator);
        self.prepare(need, true)
    }

    /// Reclaims what is dead in the old space. Nothing is young.
    fn full(&mut self, mutator: &mut impl Mutator) {
        self.counters.full += 1;
        self.old.begin_marking();
        let share = (self.old.node_bytes() / 8 / MARK_STACK_SHARE) as usize;
        let capacity = self.config.mark_stack.unwrap_or(share.max(MIN_MARK_STACK));
        let mut marker = Marker::new(&self.selectors, capacity);
        // SAFETY: all that lives was promoted; the mutator's words are words of this heap, and
        // after marking all of them, and the big integers that are left, lead to marked nodes.
        unsafe {
            marker.run(&mut self.old, mutator);
            self.counters.rescans += marker.rescans;
            self.counters.indirections += marker.indirections;
            mutator.sweep(&mut |word| {
                *word = follow(*word, &Unmarked);
                !word.is_pointer() || is_marked(word.address())
            });
            self.sweep_bigs();
            let plan = self.old.plan();
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

    /// Drops the big integers that are not marked.
    unsafe fn sweep_bigs(&mut self) {
        let mut dropped = 0;
        self.old_bigs.retain(|&address| {
            let lives = is_marked(address);
            if !lives {
                // SAFETY: the list holds each big integer once, and its node is as it was.
                unsafe {
                    dropped += big_bytes(&*node_at(address).add(1).cast());
                    self.counters.bigs_dropped += 1;
                    drop_big(address);
                }
            }
            lives
        });
        self.old_big_bytes -= dropped;
    }

    /// Bytes of Eden, if nothing is short: of a small limit it is a small part.
    fn wanted(&self, need: Need) -> usize {
        let limited = self.config.limit.map_or(u64::MAX, |limit| (limit / 16) & !7);
        let usual = (self.config.nursery_words as u64 * 8).min(limited) as usize;
        usual.max(MIN_NURSERY).max(need.words.saturating_mul(8))
    }

    /// Gets the nursery, in which only survivors are, and the room for what will live of it ready.
    /// `cleaned` says that a full collection could not help any more.
    fn prepare(&mut self, need: Need, cleaned: bool) -> Result<(), Full> {
        (self.next, self.end) = (self.nursery.eden(), self.nursery.eden());
        let needed = need.words.checked_mul(8).ok_or(Full)?;
        let wanted = self.wanted(need);
        let chunk = Old::chunk_size(self.config.limit);
        let takes =
            |eden| Nursery::total(eden) as u64 + Old::reserve_bytes(Nursery::most(eden), chunk);
        let mut bytes = wanted;
        let mut big_allowance = YOUNG_BIG_BYTES;
        // What will be old before the next full collection is due: chunks for that are not
        // given back only to be asked for again.
        let mut kept = self.due.saturating_sub(self.old_live());
        if let Some(limit) = self.config.limit {
            let left = limit.saturating_sub(self.used()).checked_sub(need.bytes).ok_or(Full)?;
            // A full collection is worth while if there may be garbage, and before going on
            // in small steps.
            let grown = self.old_live() - self.survived.min(self.old_live());
            let worth = !cleaned && grown > limit / 64;
            let least = if worth { (wanted as u64).min(limit / 32) as usize } else { MIN_NURSERY };
            while takes(bytes) > left {
                bytes = (bytes - bytes / 8) & !7;
                if bytes < least.max(needed) {
                    return Err(Full);
                }
            }
            if left < limit / 50 {
                return Err(Full);
            }
            let spared = left - takes(bytes);
            big_allowance = big_allowance.min(spared);
            kept = kept.min((spared - big_allowance) / 2);
        }
        if self.nursery.eden_bytes() != bytes {
            if !self.nursery.survivors().is_empty() {
                return Err(Full);
            }
            self.nursery = Nursery::default();
            (self.next, self.end) = (self.nursery.eden(), self.nursery.eden());
            self.nursery = Nursery::new(bytes).ok_or(Full)?;
        }
        (self.next, self.end) = (self.nursery.eden(), self.nursery.eden());
        if !self.old.reserve(Nursery::most(bytes), chunk, kept) {
            return Err(Full);
        }
        self.young_big_allowance = self.young_big_bytes + big_allowance + need.bytes;
        let open = match self.config.stress {
            Stress::None => bytes,
            Stress::Minor | Stress::Full => needed,
        };
        self.end = self.next.wrapping_byte_add(open);
        self.counters.peak_bytes = self.counters.peak_bytes.max(self.footprint());
        Ok(())
    }
}

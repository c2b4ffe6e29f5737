//! Sets of slots.

/// A set of slots. Its last word is not 0.
#[derive(Clone, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub fn clear(&mut self) {
        self.words.clear();
    }

    pub fn insert(&mut self, slot: u32) {
        debug_assert!(slot != u32::MAX, "a variable that is alive has a slot");
        let at = slot as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (slot % 64);
    }

    pub fn remove(&mut self, slot: u32) {
        if let Some(word) = self.words.get_mut(slot as usize / 64) {
            *word &= !(1 << (slot % 64));
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    pub fn contains(&self, slot: u32) -> bool {
        self.words.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// Returns the lowest slot that is not in the set.
    pub fn lowest_free(&self) -> u32 {
        let at = self.words.iter().position(|&word| word != u64::MAX);
        let at = at.unwrap_or(self.words.len());
        at as u32 * 64 + self.words.get(at).map_or(0, |word| word.trailing_ones())
    }

    /// Returns the first slot above all in the set.
    pub fn top(&self) -> u32 {
        let last = self.words.last().map_or(0, |word| 64 - word.leading_zeros());
        (self.words.len() as u32).saturating_sub(1) * 64 + last
    }

    /// Returns the set as words of 64 slots; the last one is not 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn assign(&mut self, other: &Bits) {
        self.words.clone_from(&other.words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_slot_and_the_top_are_found() {
        let mut bits = Bits::default();
        assert_eq!((bits.lowest_free(), bits.top()), (0, 0));
        (0..130).for_each(|slot| bits.insert(slot));
        assert_eq!((bits.lowest_free(), bits.top()), (130, 130));
        bits.remove(64);
        assert_eq!((bits.lowest_free(), bits.top()), (64, 130));
        (65..130).for_each(|slot| bits.remove(slot));
        assert_eq!((bits.lowest_free(), bits.top(), bits.words().len()), (64, 64, 1));
        assert!(bits.contains(63) && !bits.contains(64));
    }
}

//! What is known of a frame's slots where control is.

use rustc_hash::FxHashMap;

/// A set of slots as bits.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Returns the empty set of slots below `frame`.
    pub fn new(frame: u32) -> Bits {
        Bits(vec![0; frame as usize / 64 + 1])
    }

    pub fn has(&self, slot: u32) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// Adds a slot; one outside of the frame is left out.
    pub fn put(&mut self, slot: u32) {
        if let Some(word) = self.0.get_mut(slot as usize / 64) {
            *word |= 1 << (slot % 64);
        }
    }

    pub fn take(&mut self, slot: u32) {
        if let Some(word) = self.0.get_mut(slot as usize / 64) {
            *word &= !(1 << (slot % 64));
        }
    }
}

/// What a slot is known to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fact {
    /// The hole that an instruction of this code has made, of so many fields, which nothing has
    /// filled.
    Hole(u32),
    /// A pointer to a constructor with at least so many fields, 1 or more.
    Con(u32),
}

/// What is known on every path that leads to an instruction.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The slots that have been written.
    pub written: Bits,
    facts: FxHashMap<u32, Fact>,
    /// How many holes have been made and not filled.
    pub unfilled: u32,
}

impl State {
    /// Returns the state in which the first `takes` slots are written.
    pub fn new(takes: u32, frame: u32) -> State {
        let mut written = Bits::new(frame);
        (0..takes).for_each(|slot| written.put(slot));
        State { written, facts: FxHashMap::default(), unfilled: 0 }
    }

    /// Notes that a slot holds something of which nothing is known.
    pub fn write(&mut self, slot: u32) {
        self.written.put(slot);
        self.facts.remove(&slot);
    }

    /// Notes that a slot that is written holds this.
    pub fn learn(&mut self, slot: u32, fact: Fact) {
        if let Fact::Hole(_) = fact {
            self.unfilled += 1;
        }
        self.facts.insert(slot, fact);
    }

    /// Returns the fields of the constructor that a slot points to, as far as it is known; 0 if it
    /// is not.
    pub fn fields(&self, slot: u32) -> u32 {
        match self.facts.get(&slot) {
            Some(Fact::Con(fields)) => *fields,
            _ => 0,
        }
    }

    /// Notes that a slot that holds a hole holds something else in its place. Returns the fields of
    /// the hole; `None` if the slot is not known to hold one.
    pub fn fill(&mut self, slot: u32) -> Option<u32> {
        match self.facts.remove(&slot) {
            Some(Fact::Hole(words)) => {
                self.unfilled -= 1;
                Some(words)
            }
            _ => None,
        }
    }

    /// Keeps only what is known on another path too.
    pub fn meet(&mut self, other: &State) {
        for (word, other) in self.written.0.iter_mut().zip(&other.written.0) {
            *word &= other;
        }
        self.unfilled = self.unfilled.max(other.unfilled);
        self.facts.retain(|slot, fact| match (fact, other.facts.get(slot)) {
            (Fact::Con(fields), Some(Fact::Con(others))) => {
                *fields = (*fields).min(*others);
                true
            }
            // No path leads on from an instruction with a hole that is not filled.
            _ => false,
        });
    }
}

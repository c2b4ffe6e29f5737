//! What native code knows where it stands: which registers hold which slots, and what is in slots.

use super::assembler::{R8, R9, R10, R11, Reg, Xmm};

/// The registers that hold slots. All others are the machine's, or an instruction's own.
pub(super) const HOLDING: [Reg; 4] = [R8, R9, R10, R11];

/// The registers that hold floats. They are given away in turn: an instruction uses fewer.
pub(super) const FLOATS: [Xmm; 6] = [Xmm(2), Xmm(3), Xmm(4), Xmm(5), Xmm(6), Xmm(7)];

/// Of how many slots something is known, and how many are held, at most: the latest. All of it is written
/// out where an instruction is entered, so without a limit code would grow with the square of a
/// function's length.
const MOST: usize = 8;

/// What is known of the word in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fact {
    /// It is an integer of a word.
    Int,
    /// It is a float of a word.
    Float,
    /// It is a pointer, tagged as one to a constructor.
    Con,
}

/// What is known before an instruction. All of it is checked or loaded where the instruction is entered
/// from elsewhere, so it may be anything that is true on the way through native code.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct State {
    held: Vec<(u32, Reg)>,
    facts: Vec<(u32, Fact)>,
    /// Slots with floats that registers hold as such.
    floats: Vec<(u32, Xmm)>,
}

impl State {
    /// Returns whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.facts.is_empty() && self.floats.is_empty()
    }

    /// Returns the slots whose floats registers hold.
    pub(super) fn floats(&self) -> &[(u32, Xmm)] {
        &self.floats
    }

    /// Returns the register that holds the float in a slot.
    pub(super) fn float(&self, slot: u32) -> Option<Xmm> {
        self.floats.iter().find(|held| held.0 == slot).map(|held| held.1)
    }

    /// Notes that a register holds the float in a slot.
    pub(super) fn hold_float(&mut self, slot: u32, reg: Xmm) {
        self.floats.retain(|held| held.0 != slot);
        push(&mut self.floats, (slot, reg));
    }

    /// Forgets whose float a register holds.
    pub(super) fn release_float(&mut self, reg: Xmm) {
        self.floats.retain(|held| held.1 != reg);
    }

    /// Returns the slots that registers hold.
    pub(super) fn held(&self) -> &[(u32, Reg)] {
        &self.held
    }

    /// Returns the slots of which something is known.
    pub(super) fn facts(&self) -> &[(u32, Fact)] {
        &self.facts
    }

    /// Returns the register that holds a slot.
    pub(super) fn holder(&self, slot: u32) -> Option<Reg> {
        self.held.iter().find(|held| held.0 == slot).map(|held| held.1)
    }

    /// Returns what is known of a slot.
    pub(super) fn fact(&self, slot: u32) -> Option<Fact> {
        self.facts.iter().find(|fact| fact.0 == slot).map(|fact| fact.1)
    }

    /// Notes that a register holds a slot, and nothing else, unless it is one of several.
    pub(super) fn hold(&mut self, slot: u32, reg: Reg) {
        self.held.retain(|held| held.0 != slot);
        push(&mut self.held, (slot, reg));
    }

    /// Notes what is in a slot.
    pub(super) fn learn(&mut self, slot: u32, fact: Fact) {
        self.facts.retain(|known| known.0 != slot);
        push(&mut self.facts, (slot, fact));
    }

    /// Forgets what was in a slot, since it is written.
    pub(super) fn written(&mut self, slot: u32) {
        self.held.retain(|held| held.0 != slot);
        self.facts.retain(|known| known.0 != slot);
        self.floats.retain(|held| held.0 != slot);
    }

    /// Forgets which slots a register holds.
    pub(super) fn release(&mut self, reg: Reg) {
        self.held.retain(|held| held.1 != reg);
    }

    /// Returns whether a register holds nothing.
    pub(super) fn is_free(&self, reg: Reg) -> bool {
        self.held.iter().all(|held| held.1 != reg)
    }

    /// Forgets all of which a slot is not alive.
    pub(super) fn keep(&mut self, is_alive: impl Fn(u32) -> bool) {
        self.held.retain(|held| is_alive(held.0));
        self.facts.retain(|known| is_alive(known.0));
        self.floats.retain(|held| is_alive(held.0));
    }

    /// Keeps what is known on another way, too.
    pub(super) fn meet(&mut self, other: &State) {
        self.held.retain(|held| other.held.contains(held));
        self.facts.retain(|fact| other.facts.contains(fact));
        self.floats.retain(|held| other.floats.contains(held));
    }
}

/// Adds an entry; of too many the oldest one goes.
fn push<T>(entries: &mut Vec<T>, entry: T) {
    if entries.len() == MOST {
        entries.remove(0);
    }
    entries.push(entry);
}

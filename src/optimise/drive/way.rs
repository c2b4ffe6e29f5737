//! The way to a call: the unfoldings that it is in.
//!
//! That a function can come to call itself is read off the definitions. A parser that is made of itself, or a
//! function that is given itself, calls itself all the same, by what it is given: unfolding would write it out
//! as long as there are steps. What shows it is a call that is met, with the same patterns, within an unfolding
//! of one like it, within another. From then on it is left to a variant, in which it finds itself again.
//!
//! Where there are no variants, a call with the same functions and data as one in whose end it is, is a turn of a
//! loop at once, and is left.
//!
//! Invariant: an unfolding is on the way until a frame is done that was there before it, by the number of frames
//! ([`depth`]) in its run of the driver: calls that follow each other are no turns, and what a run within another
//! one does ends nothing around it.

use std::rc::Rc;

use super::Driver;
use super::frame::{Frames, depth};
use super::heap::{AbstractValue, NodeId};
use super::pattern::Pattern;
use super::transaction::Revert;
use crate::core::expr::GlobalId;

/// How often a call is unfolded within itself.
const ROUNDS: usize = 3;
/// The most parts of what is given to a call that may come back to itself where there are no variants.
const GIVEN: u32 = 40;
/// The most unfoldings that are looked at.
const WAY: usize = 200;

/// The unfoldings, the innermost first.
#[derive(Clone, Default)]
pub(super) struct Way {
    last: Option<Rc<Unfolded>>,
    /// How many runs of the driver are in each other.
    runs: u32,
}

struct Unfolded {
    of: GlobalId,
    key: Vec<Pattern>,
    /// In how many runs it is, and how many frames were there in the innermost.
    depth: (u32, u32),
    outer: Option<Rc<Unfolded>>,
}

impl Way {
    /// Notes that a run begins within the one before.
    pub fn begin(&mut self) {
        self.runs += 1;
    }

    /// Notes that a call is unfolded, with its patterns and what is to be done with its value.
    pub fn enter(&mut self, of: GlobalId, key: &[Pattern], frames: &Frames) {
        let (key, depth, outer) = (key.to_vec(), (self.runs, depth(frames)), self.last.take());
        self.last = Some(Rc::new(Unfolded { of, key, depth, outer }));
    }

    /// Notes that a frame is done after which there are so many, itself among them: what it was to be done
    /// with has come to its value.
    pub fn leave(&mut self, depth: u32) {
        while let Some(unfolded) = &self.last
            && unfolded.depth >= (self.runs, depth)
        {
            self.last = unfolded.outer.clone();
        }
    }

    /// Returns how often a call is unfolded on the way.
    fn turns(&self, of: GlobalId, key: &[Pattern]) -> usize {
        self.met(of, key, (0, 0))
    }

    /// Returns how often a call is unfolded on the way with the same to be done with its value.
    fn tail_turns(&self, of: GlobalId, key: &[Pattern], frames: &Frames) -> usize {
        self.met(of, key, (self.runs, depth(frames)))
    }

    fn met(&self, of: GlobalId, key: &[Pattern], least: (u32, u32)) -> usize {
        let mut next = &self.last;
        let way = std::iter::from_fn(|| {
            let unfolded = next.as_ref()?;
            next = &unfolded.outer;
            Some(unfolded)
        });
        way.take(WAY)
            .take_while(|unfolded| unfolded.depth >= least)
            .filter(|unfolded| unfolded.of == of && unfolded.key == key)
            .count()
    }
}

impl Revert for Way {
    type Mark = Way;

    fn mark(&self) -> Way {
        self.clone()
    }

    fn revert(&mut self, mark: Way) {
        *self = mark;
    }
}

impl Drop for Unfolded {
    fn drop(&mut self) {
        // One after the other: a way may be long.
        let mut next = self.outer.take();
        while let Some(mut unfolded) = next.and_then(Rc::into_inner) {
            next = unfolded.outer.take();
        }
    }
}

impl Driver<'_> {
    /// Returns whether what is inlined wherever it is called comes back to itself by the functions and the data
    /// that it is given: each turn would be written out after the other. Where there are variants, the call that
    /// it comes back by has one.
    pub(super) fn is_wound(&mut self, global: GlobalId, args: &[NodeId], frames: &Frames) -> bool {
        if self.rules.specialise || self.unfolded == 0 || self.facts.recursive[global] {
            return false;
        }
        let mut parts = GIVEN;
        let key: Option<Vec<Pattern>> =
            args.iter().map(|&arg| self.sketch(arg, &mut parts)).collect();
        let Some(key) = key.filter(|key| key.iter().any(|part| *part != Pattern::Hole)) else {
            return false;
        };
        if self.way.tail_turns(global, &key, frames) > 0 {
            return true;
        }
        self.way.enter(global, &key, frames);
        false
    }

    /// Returns the constructors and functions that a value is made of, of at most so many parts, with no look
    /// at anything else.
    fn sketch(&self, node: NodeId, parts: &mut u32) -> Option<Pattern> {
        *parts = parts.checked_sub(1)?;
        let mut all = |of| -> Option<Vec<Pattern>> {
            self.heap.items(of).iter().map(|&part| self.sketch(part, parts)).collect()
        };
        Some(match self.heap.get(node).value {
            AbstractValue::Con(con, fields) => Pattern::Con(con, all(fields)?),
            AbstractValue::Partial(head, args) => Pattern::Partial(head, all(args)?),
            AbstractValue::Lit(lit) => Pattern::Lit(lit),
            AbstractValue::Alias(other) => self.sketch(other, parts)?,
            _ => Pattern::Hole,
        })
    }

    /// Returns whether a call comes back to itself by what it is given, or has a variant for its patterns since
    /// that was found.
    pub(super) fn comes_back(
        &mut self,
        global: GlobalId,
        key: &[Pattern],
        args: &[NodeId],
    ) -> bool {
        if self.unwriting > 0 {
            return false;
        }
        if self.way.turns(global, key) >= ROUNDS {
            self.round.insert(global);
            return true;
        }
        self.round.contains(&global) && {
            let key = self.exact_key(global, key, args);
            self.memo.get(&key).is_some()
        }
    }
}

//! The way to a call: the unfoldings that it is in.
//!
//! That a function can come to call itself is read off the definitions. A parser that is made of itself, or a
//! function that is given itself, calls itself all the same, by what it is given: unfolding would write it out
//! as long as there are steps. What shows it is a call that is met, with the same patterns, within an unfolding
//! of one like it, within another. From then on it is left to a variant, in which it finds itself again.
//!
//! Invariant: an unfolding is on the way until a frame is done that was there before it, by the number of frames
//! ([`depth`]): calls that follow each other are no turns.

use std::rc::Rc;

use super::Driver;
use super::frame::{Frames, depth};
use super::heap::NodeId;
use super::pattern::Pattern;
use super::transaction::Revert;
use crate::core::expr::GlobalId;

/// How often a call is unfolded within itself.
const ROUNDS: usize = 3;
/// The most unfoldings that are looked at.
const WAY: usize = 200;

/// The unfoldings, the innermost first.
#[derive(Clone, Default)]
pub(super) struct Way(Option<Rc<Unfolded>>);

struct Unfolded {
    of: GlobalId,
    key: Vec<Pattern>,
    /// How many frames were there.
    depth: u32,
    outer: Way,
}

impl Way {
    /// Notes that a call is unfolded, with its patterns and what is to be done with its value.
    pub fn enter(&mut self, of: GlobalId, key: &[Pattern], frames: &Frames) {
        let (key, depth, outer) = (key.to_vec(), depth(frames), std::mem::take(self));
        self.0 = Some(Rc::new(Unfolded { of, key, depth, outer }));
    }

    /// Notes that a frame is done after which there are so many, itself among them: what it was to be done
    /// with has come to its value.
    pub fn leave(&mut self, depth: u32) {
        while let Some(unfolded) = &self.0
            && unfolded.depth >= depth
        {
            *self = unfolded.outer.clone();
        }
    }

    /// Returns how often a call is unfolded on the way.
    fn turns(&self, of: GlobalId, key: &[Pattern]) -> usize {
        let (mut turns, mut way) = (0, self);
        for _ in 0..WAY {
            let Some(unfolded) = &way.0 else { break };
            turns += usize::from(unfolded.of == of && unfolded.key == key);
            way = &unfolded.outer;
        }
        turns
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

impl Drop for Way {
    fn drop(&mut self) {
        // One after the other: a way may be long.
        let mut next = self.0.take();
        while let Some(unfolded) = next.and_then(|unfolded| Rc::try_unwrap(unfolded).ok()) {
            let mut unfolded = unfolded;
            next = unfolded.outer.0.take();
        }
    }
}

impl Driver<'_> {
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

//! What a function is with others in place of their calls, told before anything is written.
//!
//! Where each of a chain of functions calls the next one twice, what is written in place of a call is
//! without number: the size of the function itself says nothing of it.

use crate::core::expr::{GlobalId, GlobalKind, Program};

/// The most expressions, and three more for each parameter, of a supercombinator that is inlined
/// wherever it is called.
const SMALL: usize = 8;
/// The most expressions of it, after all small ones that it calls have been inlined in it; fewer if
/// they are nested in each other more than a few deep, as in a chain, or if most are copies.
const EXPANDED: u32 = 500;
const CHAINED: u32 = 80;
const UNCHAINED: u32 = 6;
const COPIED: u32 = 3;
/// The largest size up to which what is not recursive is unfolded for its known arguments.
const UNFOLDED: u32 = 120;
/// The most expressions of it, after all such ones that it calls have been unfolded in it.
const UNFOLDED_WITH_ITS_CALLS: u32 = 400;
/// The most expressions of it, with those, where it is written because what it comes to is taken apart
/// at once, and of one that leads to a producer in patterns of calls.
const TAKEN_APART: u32 = 50;
const LEADING: u32 = 120;

/// What a function is with others in place of their calls.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Expanded {
    /// How many expressions it has with small functions in their places.
    pub all: u32,
    /// How many of these there are with a function that it mentions more than once counted once.
    apart: u32,
    /// How deep the small functions are nested.
    nested: u32,
    /// How many it has with all in their places that may be unfolded for their arguments.
    unfolded: u32,
}

impl Expanded {
    /// Returns what a function of so many expressions is by itself.
    pub fn alone(size: u32) -> Expanded {
        Expanded { all: size, apart: size, nested: 0, unfolded: size }
    }

    /// Adds what is unfolded in it in place of a call.
    pub fn unfold(&mut self, inner: Expanded) {
        self.unfolded = self.unfolded.saturating_add(inner.unfolded);
    }

    /// Adds what is inlined in it in place of a call: because it is small, or because there is no other
    /// call of it. `is_first` if the function has no such call already.
    pub fn inline(&mut self, inner: Expanded, is_small: bool, is_first: bool) {
        self.all = self.all.saturating_add(inner.all);
        self.nested = self.nested.max(inner.nested + u32::from(is_small));
        if is_first {
            self.apart = self.apart.saturating_add(inner.apart);
        }
    }

    /// Returns whether it is little to write, of a function of so many expressions, for the known
    /// arguments of a call.
    pub fn may_be_unfolded(self, size: u32) -> bool {
        is_unfolded(size) && self.unfolded <= UNFOLDED_WITH_ITS_CALLS
    }

    /// Returns whether it is little enough to be written where the constructor, or the truth, that it
    /// comes to is asked for: with all in their places that may be unfolded in it in turn.
    pub fn is_little(self) -> bool {
        self.unfolded <= TAKEN_APART
    }

    /// Returns whether it may stand in patterns of calls for what it leads to: what it may come to is
    /// written in each of its branches, and so on for those that it leads to in turn.
    pub fn may_lead(self) -> bool {
        self.unfolded <= LEADING
    }

    /// Returns whether it has no more than so many expressions with all in their places that may be unfolded.
    pub fn is_within(self, most: u32) -> bool {
        self.unfolded <= most
    }

    /// Returns whether it is too much to be written wherever the function is called.
    pub fn is_long(self) -> bool {
        let is_chain = self.nested > UNCHAINED || self.all / COPIED > self.apart;
        self.all > EXPANDED || self.all > CHAINED && is_chain
    }
}

/// Returns whether a body of so many expressions is unfolded for known arguments, by itself.
pub(super) fn is_unfolded(size: u32) -> bool {
    size <= UNFOLDED
}

/// Returns whether a body of so many expressions, of a function of so many parameters, is not much
/// more than a call.
pub(in crate::optimise) fn is_small(size: usize, arity: usize) -> bool {
    size <= SMALL + 3 * arity
}

/// Returns whether a supercombinator is not much more than a call of it. Looks at no more than that.
pub(in crate::optimise) fn is_small_function(program: &Program, global: GlobalId) -> bool {
    let GlobalKind::Defn { params, body: Some(body) } = program.globals[global].kind else {
        return false;
    };
    let arity = program.local_lists[params].len();
    let enough = SMALL + 3 * arity + 1;
    is_small(program.walk(body).take(enough).count(), arity)
}

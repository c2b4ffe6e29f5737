//! Where the actions come from that are being performed.
//!
//! An action is a value, so an effect that fails does not stand in the code of the program: the
//! performer's code runs. Its place is that of the expression whose value the action is. So it is
//! noted where the performer evaluates an action (the thunk that it is) and where it gets the value
//! (the code that has returned it). An action that was a value before stands within one that was
//! performed before it, or is what that one's function has returned.

use std::collections::BTreeMap;

use crate::base::places::Places;
use crate::base::span::Span;
use crate::gcode::effect::Effect;
use crate::gcode::program::GlobalId;

/// The expression whose value an action is, and the thunk of the source that it was, with the definition
/// in which that stands.
pub(in crate::machine) type Place = (Span, Option<(Span, GlobalId)>);

/// What is known of an action that is performed.
#[derive(Clone, Copy, Debug, Default)]
struct Origin {
    /// The thunk that it was: the expression, and the definition in which that stands.
    thunk: Option<(Span, GlobalId)>,
    /// The expression in the code that has returned it.
    returned: Span,
    /// Whether the evaluation under way is that of a thunk of the source.
    is_thunk: bool,
}

/// The actions that are being performed: an expression may perform one within another.
#[derive(Clone, Debug, Default)]
pub(in crate::machine) struct Performing {
    /// How deep the stack is where each is performed, the innermost last.
    actions: Vec<(usize, Origin)>,
    /// Whether a place is known of what was evaluated last: else that of what was performed before
    /// stands for it.
    is_known: bool,
    /// Of each thread that does not run, what it has performed last.
    parked: BTreeMap<i64, Origin>,
}

impl Performing {
    /// Notes that an action is about to be evaluated, where the stack is `depth` deep; `thunk` is
    /// the thunk of the source that it is, if it is one.
    pub fn evaluates(&mut self, depth: usize, thunk: Option<(Span, GlobalId)>) {
        while self.actions.last().is_some_and(|&(at, _)| at > depth) {
            self.actions.pop();
        }
        match self.actions.last_mut() {
            // A thread that goes on.
            Some((at @ 0, _)) => *at = depth,
            Some((at, _)) if *at == depth => {}
            _ => self.actions.push((depth, Origin::default())),
        }
        self.is_known = thunk.is_some();
        if let Some((_, origin)) = self.actions.last_mut() {
            origin.is_thunk = thunk.is_some();
            if thunk.is_some() {
                (origin.thunk, origin.returned) = (thunk, Span::NONE);
            }
        }
    }

    /// Notes that an action was evaluated: the code of the expression at `returned` has come to it.
    pub fn evaluated(&mut self, depth: usize, returned: Span) {
        if let Some((at, origin)) = self.actions.last_mut()
            && *at == depth
            && !returned.is_none()
        {
            self.is_known = true;
            origin.returned = returned;
            if !origin.is_thunk {
                origin.thunk = None;
            }
        }
    }

    /// Returns whether what fails at an effect, if one is done, is an action whose place is known.
    /// That of the innermost action is not if it has been performed already: what fails then is
    /// what comes next. Nor is that of what turns out to be no action, if it has no place of its
    /// own.
    pub fn is_placed(&self, effect: Option<Effect>) -> bool {
        match effect {
            Some(Effect::NoAction) => self.is_known,
            effect => effect.is_some(),
        }
    }

    /// Notes that the thread that runs lets another one run.
    pub fn park(&mut self, thread: i64) {
        if let Some(&(_, origin)) = self.actions.first() {
            self.parked.insert(thread, origin);
        }
        self.actions.clear();
    }

    /// Notes that a thread goes on.
    pub fn resume(&mut self, thread: i64) {
        self.actions.clear();
        self.actions.extend(self.parked.remove(&thread).map(|origin| (0, origin)));
    }

    /// Returns the place of the action that is performed where the stack is `depth` deep.
    pub fn place(&self, places: &Places, depth: usize) -> Option<Place> {
        let found = self.actions.iter().rev().find(|(at, _)| *at == depth || *at == 0);
        let &(_, Origin { thunk, returned, .. }) = found?;
        let is_known = places.is_users(returned) || places.inlined(returned).is_some();
        match thunk {
            Some((span, _)) if !is_known => Some((span, thunk)),
            _ => (!returned.is_none()).then_some((returned, thunk)),
        }
    }
}

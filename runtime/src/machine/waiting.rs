//! What is said of the evaluations that wait, in the same words for both machines.

use std::sync::Arc;

use crate::base::places::Places;
use crate::base::span::Span;
use crate::machine::outcome::{Chain, Waiting};

/// Collects a [`Chain`] from what waits, innermost first.
pub(in crate::machine) struct Collector<'a> {
    places: &'a Places,
    /// The expression that failed, as code has it.
    failing: Span,
    /// Whether nothing has been collected.
    is_first: bool,
    /// Whether the place that failed, or one that is shown, is the user's.
    has_users: bool,
    chain: Chain,
}

/// How many continuations of the performer are looked through for one of the user's.
pub(in crate::machine) const CONTINUATIONS: usize = 256;

impl<'a> Collector<'a> {
    /// Returns a collector for what waits for the expression at `failing`.
    pub fn new(places: &'a Places, failing: Span) -> Collector<'a> {
        let has_users = places.is_users(failing);
        let chain = Chain::default();
        let mut collector = Collector { places, failing, is_first: true, has_users, chain };
        if let Some(inlined) = places.inlined(failing) {
            collector.push(inlined.caller.clone(), inlined.call);
        }
        collector
    }

    /// Adds code of a function that waits for the expression at `span`.
    pub fn code(&mut self, name: impl FnOnce() -> Arc<str>, span: Span) {
        if std::mem::take(&mut self.is_first) && span == self.failing {
            // The failing expression itself.
            return;
        }
        match self.places.inlined(span) {
            Some(inlined) => self.push(inlined.caller.clone(), inlined.call),
            None => self.push(name(), span),
        }
    }

    /// Adds a thunk under evaluation, made for the expression at `span` in a function. It is
    /// mentioned only if no other place is the user's: its code went on by a tail call.
    pub fn thunk(&mut self, name: impl FnOnce() -> Arc<str>, span: Span) {
        if self.is_placed() {
            return;
        }
        let found = match self.places.inlined(span) {
            Some(inlined) => Waiting::new(inlined.caller.clone(), inlined.call),
            None if self.places.is_users(span) => Waiting::new(name(), span),
            None => return,
        };
        let Chain { frames, more, outer } = &mut self.chain;
        if *more == 0 && frames.len() < Chain::SHOWN {
            frames.push(Waiting { is_tail: true, ..found });
            self.has_users = true;
        } else {
            *outer = Some(found);
        }
    }

    /// Adds a function that the performer goes on with once an action has been performed. Where it
    /// stands behind that action in the source, the action is the place; like a thunk it is mentioned
    /// only if no other place is the user's.
    pub fn continuation(&mut self, name: impl FnOnce() -> Arc<str>, function: Span) {
        match self.places.action_before(function) {
            Some(action) => self.thunk(name, action),
            None if self.places.inlined(function).is_some() => self.thunk(name, function),
            None => {}
        }
    }

    /// Returns whether a place of the user is known: continuations and thunks are no longer asked for.
    pub fn is_placed(&self) -> bool {
        self.has_users || self.chain.outer.is_some()
    }

    fn push(&mut self, name: Arc<str>, span: Span) {
        let Chain { frames, more, outer } = &mut self.chain;
        if *more == 0
            && let Some(last) = frames.last_mut()
            && last.span == span
            && last.name == name
        {
            // What waits for the value of a thunk may be code at the same place.
            last.times += usize::from(!last.is_tail);
            last.is_tail = false;
        } else if frames.len() < Chain::SHOWN {
            frames.push(Waiting::new(name, span));
            self.has_users |= self.places.is_users(span);
        } else {
            *more += 1;
            if !self.has_users && outer.is_none() && self.places.is_users(span) {
                *outer = Some(Waiting::new(name, span));
            }
        }
    }

    /// Returns the chain.
    pub fn finish(self) -> Chain {
        self.chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::places::Inlined;

    const USERS: Span = Span::new(80, 85);
    const LIBRARY: Span = Span::new(7, 9);

    fn name(text: &str) -> Arc<str> {
        text.into()
    }

    #[test]
    fn neighbours_that_are_the_same_are_counted() {
        let places = Places::new(vec![Span::new(1, 50)]);
        let mut collector = Collector::new(&places, USERS);
        for _ in 0..1_000 {
            collector.code(|| name("f"), USERS);
        }
        collector.code(|| name("main"), Span::new(90, 95));
        let chain = collector.finish();
        let found: Vec<_> = chain.frames.iter().map(|one| (&*one.name, one.times)).collect();
        // The first is the expression that failed.
        assert_eq!((found, chain.more), (vec![("f", 999), ("main", 1)], 0));
    }

    #[test]
    fn the_innermost_place_of_the_user_is_named_however_deep_it_is() {
        let places = Places::new(vec![Span::new(1, 50)]);
        let mut collector = Collector::new(&places, LIBRARY);
        for at in 0..1_000 {
            collector.code(|| name("foldr"), Span::new(10 + at % 2, 30));
        }
        collector.thunk(|| name("thunk"), LIBRARY);
        collector.code(|| name("sum3"), USERS);
        collector.thunk(|| name("main"), Span::new(90, 91));
        let chain = collector.finish();
        let outer = chain.outer.expect("a place of the user");
        assert_eq!((&*outer.name, outer.span, chain.more), ("sum3", USERS, 991));
    }

    #[test]
    fn what_went_on_by_a_tail_call_is_named_before_what_waits_for_it() {
        let places = Places::new(vec![Span::new(1, 50)]);
        let (tail, call) = (Span::new(60, 70), Span::new(90, 95));
        let mut collector = Collector::new(&places, LIBRARY);
        collector.thunk(|| name("first"), tail);
        collector.thunk(|| name("main"), call);
        collector.code(|| name("main"), call);
        let chain = collector.finish();
        assert_eq!(
            chain.frames,
            [
                Waiting { is_tail: true, ..Waiting::new(name("first"), tail) },
                Waiting::new(name("main"), call)
            ]
        );
        assert_eq!(chain.outer, None);
        // A thunk and the code that waits for its value are one evaluation.
        let mut collector = Collector::new(&places, LIBRARY);
        collector.thunk(|| name("main"), call);
        collector.code(|| name("main"), call);
        assert_eq!(collector.finish().frames, [Waiting::new(name("main"), call)]);
    }

    #[test]
    fn inlined_code_is_the_callers() {
        let mut places = Places::new(vec![Span::new(1, 50)]);
        let span = places.add(Inlined { at: LIBRARY, call: USERS, caller: name("first") });
        let mut collector = Collector::new(&places, span);
        collector.code(|| name("main"), span);
        let chain = collector.finish();
        assert_eq!(chain.frames, [Waiting::new(name("first"), USERS)]);
    }
}

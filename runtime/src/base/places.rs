//! Which source texts are the corelib's, and where code that was inlined was called.
//!
//! The optimiser copies the body of a corelib function to where a program calls it. What fails
//! there stands in the corelib, and the program's author wants the call. So the span of such code
//! is a number of an [`Inlined`], which has both (debuggers know the same as `inlinedAt`: LLVM,
//! *Source Level Debugging*, `DILocation`). Code of the program itself keeps its own span, however
//! often it is inlined.

use std::sync::Arc;

use super::span::Span;

/// Code of the corelib in the place of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inlined {
    /// Where it stands in the corelib.
    pub at: Span,
    /// The innermost call outside of the corelib through which it was reached.
    pub call: Span,
    /// The definition in which that call stands.
    pub caller: Arc<str>,
}

/// What a number stands for that is a span.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Place {
    Inlined(Inlined),
    /// A case, at this span, that has no alternative for a value that is known before the run: in
    /// the words of a message.
    Unmatched(Span, Arc<str>),
}

/// The parts of the source texts that are the corelib's, and what was inlined.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places {
    /// In the order of their positions.
    corelib: Vec<Span>,
    numbered: Vec<Place>,
    /// The functions that stand behind an action in the same `bind` or `handle`, in the order of their
    /// positions, and that action.
    behind: Vec<(Span, Span)>,
}

impl Places {
    /// Returns places without inlined code. `corelib` has the texts of the corelib, in the order
    /// of their positions.
    #[must_use]
    pub fn new(corelib: Vec<Span>) -> Places {
        Places { corelib, numbered: Vec::new(), behind: Vec::new() }
    }

    /// Notes the functions that stand behind an action in the same `bind` or `handle`, each with that
    /// action.
    pub fn set_behind(&mut self, mut behind: Vec<(Span, Span)>) {
        behind.sort_unstable_by_key(|(function, _)| (function.lo, function.hi));
        behind.dedup();
        self.behind = behind;
    }

    /// Returns the action behind which a function stands in a `bind` or `handle`: what goes on with the
    /// function waits for that.
    #[must_use]
    pub fn action_before(&self, function: Span) -> Option<Span> {
        let key = (function.lo, function.hi);
        let at = self.behind.binary_search_by_key(&key, |(span, _)| (span.lo, span.hi)).ok()?;
        self.behind.get(at).map(|&(_, action)| action)
    }

    /// Returns whether an expression stands outside of the corelib, in a text.
    #[must_use]
    pub fn is_users(&self, span: Span) -> bool {
        let span = self.case(span);
        let after = self.corelib.partition_point(|text| text.lo <= span.lo);
        let text = after.checked_sub(1).and_then(|at| self.corelib.get(at));
        !span.is_none() && self.inlined(span).is_none() && text.is_none_or(|text| text.hi < span.lo)
    }

    /// Returns whether an expression stands outside of the corelib, or is one of the corelib that was
    /// inlined there.
    #[must_use]
    pub fn is_outside(&self, span: Span) -> bool {
        self.is_users(span) || self.inlined(span).is_some()
    }

    #[inline]
    fn place(&self, span: Span) -> Option<&Place> {
        self.numbered.get(span.number()? as usize)
    }

    /// Returns the span of the case, if it stands for one with a value that it does not match.
    #[inline]
    fn case(&self, span: Span) -> Span {
        match self.place(span) {
            Some(&Place::Unmatched(case, _)) => case,
            _ => span,
        }
    }

    /// Returns the call that a span stands for, if it is that of inlined code.
    #[inline]
    #[must_use]
    pub fn inlined(&self, span: Span) -> Option<&Inlined> {
        match self.place(self.case(span))? {
            Place::Inlined(inlined) => Some(inlined),
            Place::Unmatched(..) => None,
        }
    }

    /// Returns the expression outside of the corelib that a span stands for: its own, or the call through
    /// which code of the corelib was inlined.
    #[must_use]
    pub fn users_call(&self, span: Span) -> Option<Span> {
        match self.inlined(span) {
            Some(inlined) => Some(inlined.call),
            None => self.is_users(span).then_some(span),
        }
    }

    /// Returns the value that the case at a span does not match, if it was known before the run.
    #[must_use]
    pub fn unmatched(&self, span: Span) -> Option<&Arc<str>> {
        match self.place(span)? {
            Place::Unmatched(_, value) => Some(value),
            Place::Inlined(_) => None,
        }
    }

    /// Returns the stretch of text that a span stands for.
    #[must_use]
    pub fn text(&self, span: Span) -> Span {
        let span = self.case(span);
        match span.number() {
            Some(_) => self.inlined(span).map_or(Span::NONE, |inlined| inlined.at),
            None => span,
        }
    }

    /// Adds inlined code and returns the span that stands for it.
    pub fn add(&mut self, inlined: Inlined) -> Span {
        self.numbered.push(Place::Inlined(inlined));
        Span::numbered(self.numbered.len() as u32 - 1)
    }

    /// Adds a case that does not match a value and returns the span that stands for both.
    pub fn add_unmatched(&mut self, case: Span, value: Arc<str>) -> Span {
        self.numbered.push(Place::Unmatched(self.case(case), value));
        Span::numbered(self.numbered.len() as u32 - 1)
    }

    /// Gives the definitions that call inlined code their display names.
    pub fn name_callers(&mut self, shown: impl Fn(&str) -> Option<Arc<str>>) {
        for place in &mut self.numbered {
            if let Place::Inlined(inlined) = place
                && let Some(shown) = shown(&inlined.caller)
            {
                inlined.caller = shown;
            }
        }
    }

    /// Adds the places of another program, whose texts come after those of this one or are among
    /// them. [`Places::moved`] gives its spans.
    pub fn append(&mut self, other: Places) {
        for text in other.corelib {
            let at = self.corelib.partition_point(|known| known.lo < text.lo);
            if self.corelib.get(at) != Some(&text) {
                self.corelib.insert(at, text);
            }
        }
        if !other.behind.is_empty() {
            let known = std::mem::take(&mut self.behind);
            self.set_behind(known.into_iter().chain(other.behind).collect());
        }
        let before = self.numbered.len();
        self.numbered.extend(other.numbered.into_iter().map(|place| match place {
            Place::Unmatched(case, value) => Place::Unmatched(Places::moved(case, before), value),
            inlined => inlined,
        }));
    }

    /// Returns how many spans stand for more than a stretch of text.
    #[must_use]
    pub fn count(&self) -> usize {
        self.numbered.len()
    }

    /// Drops what spans stand for after so many.
    pub fn truncate(&mut self, len: usize) {
        self.numbered.truncate(len);
    }

    /// Returns a span of places that are appended to `before` others.
    #[must_use]
    pub fn moved(span: Span, before: usize) -> Span {
        span.number().map_or(span, |number| Span::numbered(number + before as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inlined(at: u32) -> Inlined {
        let at = Span::new(at, at + 1);
        Inlined { at, call: Span::new(90, 99), caller: "main".into() }
    }

    #[test]
    fn inlined_code_has_a_text_and_a_call() {
        let mut places = Places::new(vec![Span::new(1, 50)]);
        let span = places.add(inlined(7));
        assert_eq!(places.text(span), Span::new(7, 8));
        assert_eq!(places.inlined(span).map(|inlined| inlined.call), Some(Span::new(90, 99)));
        let own = Span::new(90, 99);
        assert_eq!((places.text(own), places.inlined(own)), (own, None));
        assert!(places.is_users(own));
        for other in [span, Span::NONE, Span::new(1, 2), Span::new(50, 50)] {
            assert!(!places.is_users(other), "{other:?}");
        }
    }

    #[test]
    fn places_that_are_appended_keep_what_their_spans_stand_for() {
        let mut all = Places::new(vec![Span::new(1, 50)]);
        let first = all.add(inlined(7));
        let mut more = Places::new(vec![Span::new(1, 50), Span::new(60, 70)]);
        let second = more.add(inlined(8));
        let before = all.count();
        all.append(more);
        assert_eq!(all.text(first), Span::new(7, 8));
        assert_eq!(all.text(Places::moved(second, before)), Span::new(8, 9));
        assert!(!all.is_users(Span::new(65, 66)) && all.is_users(Span::new(55, 56)));
    }

    #[test]
    fn a_case_with_a_value_is_the_case_and_keeps_the_value() {
        let mut more = Places::new(vec![Span::new(1, 50)]);
        let library = more.add(inlined(7));
        let inner = more.add_unmatched(library, "`Nil`".into());
        let users = more.add_unmatched(Span::new(90, 99), "`3`".into());
        assert!(more.is_users(users) && !more.is_users(inner) && more.inlined(users).is_none());
        let mut all = Places::new(Vec::new());
        all.add(inlined(9));
        all.append(more);
        let [inner, users] = [inner, users].map(|span| Places::moved(span, 1));
        assert_eq!((all.text(inner), all.text(users)), (Span::new(7, 8), Span::new(90, 99)));
        assert_eq!(all.inlined(inner).map(|inlined| inlined.at), Some(Span::new(7, 8)));
        let found = [inner, users, library].map(|span| all.unmatched(span).map(|value| &**value));
        assert_eq!(found, [Some("`Nil`"), Some("`3`"), None]);
    }
}

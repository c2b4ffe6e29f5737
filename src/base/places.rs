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

/// The parts of the source texts that are the corelib's, and what was inlined.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places {
    /// In the order of their positions.
    corelib: Vec<Span>,
    inlined: Vec<Inlined>,
}

impl Places {
    /// Returns places without inlined code. `corelib` has the texts of the corelib, in the order
    /// of their positions.
    #[must_use]
    pub fn new(corelib: Vec<Span>) -> Places {
        Places { corelib, inlined: Vec::new() }
    }

    /// Returns whether an expression stands outside of the corelib, in a text.
    #[must_use]
    pub fn is_users(&self, span: Span) -> bool {
        let after = self.corelib.partition_point(|text| text.lo <= span.lo);
        let text = after.checked_sub(1).and_then(|at| self.corelib.get(at));
        !span.is_none() && self.inlined(span).is_none() && text.is_none_or(|text| text.hi < span.lo)
    }

    /// Returns what a span stands for, if it is a number and no stretch of text.
    #[must_use]
    pub fn inlined(&self, span: Span) -> Option<&Inlined> {
        self.inlined.get(span.number()? as usize)
    }

    /// Returns the stretch of text that a span stands for.
    #[must_use]
    pub fn text(&self, span: Span) -> Span {
        match span.number() {
            Some(_) => self.inlined(span).map_or(Span::NONE, |inlined| inlined.at),
            None => span,
        }
    }

    /// Adds inlined code and returns the span that stands for it.
    pub fn add(&mut self, inlined: Inlined) -> Span {
        self.inlined.push(inlined);
        Span::numbered(self.inlined.len() as u32 - 1)
    }

    /// Gives the definitions that call inlined code their display names.
    pub fn name_callers(&mut self, shown: impl Fn(&str) -> Option<Arc<str>>) {
        for inlined in &mut self.inlined {
            if let Some(shown) = shown(&inlined.caller) {
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
        self.inlined.extend(other.inlined);
    }

    /// Returns the number of pieces of inlined code.
    #[must_use]
    pub fn count(&self) -> usize {
        self.inlined.len()
    }

    /// Drops the pieces of inlined code after so many.
    pub fn truncate(&mut self, len: usize) {
        self.inlined.truncate(len);
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
}

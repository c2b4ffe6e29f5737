//! What mistakes leave in doubt.
//!
//! Which names a form was to bind is not known if it cannot be read. So nothing is said of the names
//! around a mistake of the syntax: of those in the innermost brackets that hold it, of those on its line
//! outside of all brackets, and of all in an item whose brackets do not match. The next look at the
//! program, without the mistake, tells more.

use rustc_hash::FxHashSet;

use super::lex::{Lexer, is_name};
use super::token::{Tok, continues_name};
use crate::base::diagnostic::Diagnostic;
use crate::base::name::{Interner, Name};
use crate::base::span::Span;

/// What the mistakes of the syntax leave in doubt.
#[derive(Clone, Default, Debug)]
pub struct Doubts {
    names: FxHashSet<Name>,
    /// The places of these names, in order and apart.
    places: Vec<Span>,
}

/// A bracket that is open while the places of mistakes are looked for.
struct Open {
    lo: u32,
    /// Where what belongs to it begins: `f` in `f(x)` and in `f [x]`.
    from: u32,
    has_names: bool,
    /// The furthest end of the mistakes that begin directly in it, if there are any.
    mistake: Option<u32>,
}

/// Returns the places around mistakes, which are in order, in a text that begins at `base`.
fn places(text: &str, base: u32, mistakes: &[Span]) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut mistakes = mistakes.iter().copied().peekable();
    let mut before = (base, base, false);
    for (lo, tok, hi) in Lexer::new(text, base) {
        let opens = matches!(tok, Tok::LParen | Tok::LSquare);
        while let Some(mistake) = mistakes.next_if(|one| one.lo < lo || one.lo == lo && !opens) {
            note(&mut open, &mut found, text, base, mistake);
        }
        if opens {
            let belongs = before.2 && (tok == Tok::LSquare || before.1 == lo);
            let from = if belongs { before.0 } else { lo };
            open.push(Open { lo, from, has_names: belongs, mistake: None });
            while let Some(mistake) = mistakes.next_if(|one| one.lo == lo) {
                note(&mut open, &mut found, text, base, mistake);
            }
        } else if matches!(tok, Tok::RParen | Tok::RSquare)
            && let Some(form) = open.pop()
        {
            // A mistake that is longer than the form it begins with is one of what is around.
            let is_longer = form.mistake.is_some_and(|end| end > hi);
            if form.mistake.is_some() {
                found.push(Span::new(form.from, hi));
            }
            if let Some(end) = form.mistake.filter(|_| is_longer || !form.has_names) {
                note(&mut open, &mut found, text, base, Span::new(form.lo, end));
            }
            if let Some(outer) = open.last_mut() {
                outer.has_names |= form.has_names;
            }
        } else if let Some(form) = open.last_mut() {
            form.has_names |= matches!(tok, Tok::Name | Tok::Bad);
        }
        before = (lo, hi, tok == Tok::Name);
    }
    for mistake in mistakes {
        note(&mut open, &mut found, text, base, mistake);
    }
    let end = base + text.len() as u32;
    found.extend(
        open.iter().filter(|form| form.mistake.is_some()).map(|form| Span::new(form.from, end)),
    );
    found
}

/// Notes a mistake in the innermost bracket that is open, or that its line is in doubt.
fn note(open: &mut [Open], found: &mut Vec<Span>, text: &str, base: u32, mistake: Span) {
    match open.last_mut() {
        Some(form) => form.mistake = form.mistake.max(Some(mistake.hi)),
        None => {
            let at = |position: u32| position.saturating_sub(base) as usize;
            let before = text.get(..at(mistake.lo)).unwrap_or_default();
            let after = text.get(at(mistake.hi)..).unwrap_or_default();
            let start = before.rfind('\n').map_or(0, |end| end + 1);
            let end = after.find('\n').unwrap_or(after.len());
            found.push(Span::new(base + start as u32, mistake.hi + end as u32));
        }
    }
}

impl Doubts {
    /// Notes what the mistakes of a text, which begins at `base`, leave in doubt; all that is in the
    /// regions that are `broken` is.
    pub fn note(
        &mut self,
        text: &str,
        base: u32,
        mistakes: &[Diagnostic],
        broken: &[Span],
        names: &mut Interner,
    ) {
        let mut spans: Vec<Span> = mistakes.iter().map(|report| report.primary.span).collect();
        spans.sort_by_key(|span| span.lo);
        let end = base + text.len() as u32;
        let mut found = places(text, base, &spans);
        found.extend(broken.iter().map(|region| Span::new(region.lo, region.hi.min(end))));
        found.sort_by_key(|span| span.lo);
        for span in found {
            match self.places.last_mut() {
                Some(last) if span.lo <= last.hi => last.hi = last.hi.max(span.hi),
                _ => self.places.push(span),
            }
        }
        let first = self.places.partition_point(|span| span.lo < base);
        for span in &self.places[first..] {
            let at = |position: u32| position.saturating_sub(base) as usize;
            let part = text.get(at(span.lo)..at(span.hi)).unwrap_or_default();
            let words =
                part.split(|c| !continues_name(c)).map(|word| word.trim_start_matches('\''));
            let words = words.filter(|word| is_name(word));
            self.names.extend(words.map(|word| names.intern(word)));
        }
    }

    /// Returns whether it is not known what a name means.
    #[must_use]
    pub fn has_name(&self, name: Name) -> bool {
        self.names.contains(&name)
    }

    /// Returns whether a mistake is in something, or around it.
    #[must_use]
    pub fn has_place(&self, span: Span) -> bool {
        let next = self.places.partition_point(|place| place.hi <= span.lo);
        self.places.get(next).is_some_and(|place| place.lo < span.hi)
    }
}

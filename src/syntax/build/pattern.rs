//! Patterns, and the names that are bound.

use super::{Builder, Shape};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::index::List;
use crate::base::integer::Integer;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::syntax::ast::{Binder, Pat, PatId};
use crate::syntax::lex::is_name;

/// The most signs of a pattern like `(x : y : rest)` that it is made sense of with.
const INFIX: usize = 20;
/// The longest pattern, in bytes, that is repeated in a message.
const REPEATED: usize = 60;

/// Returns how what stands in brackets in the place of a parameter is written as a pattern.
fn as_pattern(text: &str) -> Option<String> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    if text.len() > REPEATED || text.contains('\n') {
        return None;
    }
    let parts = |sign: char| {
        let parts: Vec<&str> = inner.split(sign).map(str::trim).collect();
        parts.iter().all(|part| is_name(part)).then_some(parts)
    };
    if let Some([first @ .., last]) = parts(':').as_deref()
        && !first.is_empty()
    {
        let cons = |tail: String, head: &&str| format!("(Cons {head} {tail})");
        return Some(first.iter().rev().fold((*last).to_owned(), cons));
    }
    match parts(',').as_deref() {
        Some([first, second]) => Some(format!("(Pair {first} {second})")),
        Some([first, second, third]) => Some(format!("(Triple {first} {second} {third})")),
        _ => {
            let is_con = inner.starts_with(char::is_uppercase) && !inner.contains([':', ',']);
            is_con.then(|| for_message(text))
        }
    }
}

impl Builder<'_> {
    fn pat(&mut self, lo: u32, hi: u32, pat: Pat) -> PatId {
        self.ast.pat(pat, Span::new(lo, hi))
    }

    /// Builds NAME.
    pub fn pat_name(&mut self, lo: u32, hi: u32) -> PatId {
        let name = self.intern(lo, hi);
        self.pat(lo, hi, Pat::Name(name))
    }

    /// Builds `_`.
    pub fn pat_wildcard(&mut self, lo: u32, hi: u32) -> PatId {
        self.pat(lo, hi, Pat::Wildcard)
    }

    /// Builds INT.
    pub fn pat_int(&mut self, lo: u32, hi: u32) -> PatId {
        let pat = match self.integer(lo, hi) {
            Some(Integer::Small(small)) => Pat::Int(small),
            Some(big) => Pat::Big(self.ast.bigs.push(big)),
            // Not reached: an INT is a sign and digits.
            None => Pat::Error,
        };
        self.pat(lo, hi, pat)
    }

    /// Builds CHAR.
    pub fn pat_char(&mut self, lo: u32, hi: u32) -> PatId {
        let pat = self.unquote_char(lo, hi).map_or(Pat::Error, Pat::Char);
        self.pat(lo, hi, pat)
    }

    /// Builds STRING.
    pub fn pat_text(&mut self, lo: u32, hi: u32) -> PatId {
        let text = self.unquote(lo, hi);
        let text = self.ast.texts.push(text.into());
        self.pat(lo, hi, Pat::Text(text))
    }

    /// Builds an error pattern for a token that has been reported.
    pub fn pat_error(&mut self) -> PatId {
        let at = self.bad.last().copied().unwrap_or(self.base);
        self.pat(at, at, Pat::Error)
    }

    /// Adds an element to a list of patterns and returns its length.
    pub fn push_pat(&mut self, n: u32, pat: PatId) -> u32 {
        self.pats.push(pat);
        n + 1
    }

    /// Builds `(Con pat ..)`.
    pub fn pat_con(&mut self, lo: u32, hi: u32, name_lo: u32, name_hi: u32, n: u32) -> PatId {
        let clean = self.end_form(lo);
        let at = self.pats.len().saturating_sub(n as usize);
        if !clean && let Some(pat) = self.infix_pat(lo, hi, (name_lo, name_hi), at) {
            return pat;
        }
        let name = self.intern(name_lo, name_hi);
        let fields = self.ast.pat_lists.add(self.pats.drain(at..));
        self.pat(lo, hi, Pat::Con(name, Span::new(name_lo, name_hi), fields))
    }

    /// Builds what `(x : xs)` and `(a, b)` are meant for, whose sign has been reported; the patterns
    /// after the name are on the stack from `at`.
    fn infix_pat(&mut self, lo: u32, hi: u32, name: (u32, u32), at: usize) -> Option<PatId> {
        let found = self.pats.get(at..)?;
        let mut parts = Vec::with_capacity(found.len());
        let mut end = name.1;
        let mut signs = Vec::new();
        for pair in found.chunks(2) {
            let &[sign, part] = pair else { return None };
            let span = self.ast.pat_spans[part];
            if !matches!(self.ast.pats[sign], Pat::Error) {
                return None;
            }
            signs.push(self.slice(end, span.lo).trim());
            end = span.hi;
            parts.push(part);
        }
        let sign = *signs.first()?;
        if parts.len() > INFIX || signs.iter().any(|other| *other != sign) {
            return None;
        }
        self.pats.truncate(at);
        let first = self.pat_name(name.0, name.1);
        let con = |builder: &mut Self, con: &str, fields: &[PatId]| {
            let con = builder.names.intern(con);
            let fields = builder.ast.pat_lists.add(fields.iter().copied());
            builder.pat(lo, hi, Pat::Con(con, Span::new(lo, hi), fields))
        };
        Some(match (sign, parts.as_slice()) {
            (",", [second]) => con(self, "Pair", &[first, *second]),
            (",", [second, third]) => con(self, "Triple", &[first, *second, *third]),
            (":", [middle @ .., last]) => {
                let mut heads = vec![first];
                heads.extend(middle);
                heads.iter().rev().fold(*last, |tail, &head| con(self, "Cons", &[head, tail]))
            }
            _ => self.pat(lo, hi, Pat::Error),
        })
    }

    /// Reports what stands where a pattern is due; `n` patterns of it are on the stack.
    pub fn bad_pat(&mut self, lo: u32, hi: u32, n: u32, shape: Shape) -> PatId {
        let at = self.pats.len().saturating_sub(n as usize);
        self.pats.truncate(at);
        if self.end_form(lo) {
            let text = self.slice(lo, hi);
            self.report(Code::ExpectedPattern, Span::new(lo, hi), |report| {
                let message = match shape {
                    Shape::EmptyPattern => "empty parentheses are no pattern".to_string(),
                    Shape::ListPattern => "a list literal is no pattern".to_string(),
                    Shape::KeywordPattern => {
                        format!("`{}` is a keyword, no pattern", for_message(text))
                    }
                    Shape::PrimitivePattern => {
                        format!("`{}` is a primitive, no pattern", for_message(text))
                    }
                    Shape::FloatPattern => "a float is no pattern".to_string(),
                    _ => "this pattern does not start with a constructor".to_string(),
                };
                Diagnostic { message, ..report }.help(shape.form())
            });
        }
        self.pat(lo, hi, Pat::Error)
    }

    /// Builds `(head pat ..)` where `head` is no name.
    pub fn bad_pat_head(&mut self, lo: u32, hi: u32, head: PatId, n: u32) -> PatId {
        if matches!(self.ast.pats[head], Pat::Error) {
            self.bad(lo);
        }
        self.bad_pat(lo, hi, n, Shape::PatternHead)
    }

    /// Builds NAME, where it is bound.
    pub fn binder(&mut self, lo: u32, hi: u32) -> Binder {
        Binder { name: Some(self.intern(lo, hi)), span: Span::new(lo, hi) }
    }

    /// Builds `_`, where a name may be bound.
    pub fn wildcard_binder(&mut self, lo: u32, hi: u32) -> Binder {
        Binder { name: None, span: Span::new(lo, hi) }
    }

    /// Builds a binder without a name for a token that has been reported.
    pub fn unknown_binder(&mut self) -> Binder {
        let at = self.bad.last().copied().unwrap_or(self.base);
        Binder { name: None, span: Span::new(at, at) }
    }

    /// Reports what is no name where one is due.
    pub fn bad_binder(&mut self, lo: u32, hi: u32) -> Binder {
        let text = self.slice(lo, hi);
        let help = match text.as_bytes().first() {
            Some(b'(' | b'[') => {
                let pattern = as_pattern(text);
                let pattern = pattern.as_deref().unwrap_or("pattern");
                self.no_name(
                    lo,
                    hi,
                    &format!(
                        "here stands a name; (case value [{pattern} body] ..) takes a value apart"
                    ),
                );
                if text.contains([':', ',']) {
                    self.covered.push(Span::new(lo, hi));
                }
                return Binder { name: None, span: Span::new(lo, hi) };
            }
            Some(b'-' | b'0'..=b'9' | b'\'' | b'"') => {
                "here stands a name; (case value [0 body] [n body]) tells values apart"
            }
            _ => "a name starts with a letter or `_` and is no keyword",
        };
        self.no_name(lo, hi, help);
        Binder { name: None, span: Span::new(lo, hi) }
    }

    /// Reports that `lo..hi` is no name.
    pub(super) fn no_name(&mut self, lo: u32, hi: u32, help: &str) {
        let text = self.slice(lo, hi);
        self.report(Code::ExpectedName, Span::new(lo, hi), |report| {
            let message = match text.bytes().next() {
                Some(b'(' | b'[') => "a name is due here, not a form in brackets".to_string(),
                Some(b'-' | b'0'..=b'9') => {
                    format!("a name is due here, not the integer {}", for_message(text))
                }
                Some(b'\'') => "a name is due here, not a character".to_string(),
                Some(b'"') => "a name is due here, not a string".to_string(),
                Some(b'#') => {
                    format!("`{}` is a primitive and cannot be defined", for_message(text))
                }
                _ => format!("`{}` is a keyword and cannot be a name", for_message(text)),
            };
            Diagnostic { message, ..report }.help(help)
        });
        self.suspect(lo);
    }

    /// Begins a list of parameters or fields. They do not nest.
    pub fn start_binders(&mut self) {
        self.binders.clear();
    }

    /// Adds a parameter.
    pub fn push_name(&mut self, lo: u32, hi: u32) {
        let binder = self.binder(lo, hi);
        self.binders.push(binder);
    }

    /// Builds `_` among parameters.
    pub fn push_wildcard(&mut self, lo: u32, hi: u32) {
        let binder = self.wildcard_binder(lo, hi);
        self.binders.push(binder);
    }

    /// Reports what is no name among parameters.
    pub fn push_bad_binder(&mut self, lo: u32, hi: u32) {
        let binder = self.bad_binder(lo, hi);
        self.binders.push(binder);
    }

    /// Adds a parameter without a name for a token that has been reported.
    pub fn push_unknown_binder(&mut self) {
        let binder = self.unknown_binder();
        self.binders.push(binder);
    }

    /// Builds `[x ..]`.
    pub fn params(&mut self, lo: u32, hi: u32) -> List<Binder> {
        if !self.end_form(lo) {
            self.suspect(lo);
            self.joined(lo, hi);
        }
        self.ast.binders.add(self.binders.drain(..))
    }

    /// Reports `[x:xs]`: makes one parameter without a name of each `x:xs`.
    fn joined(&mut self, lo: u32, hi: u32) {
        let mut binders: Vec<Binder> = Vec::with_capacity(self.binders.len());
        let mut joins = false;
        for binder in std::mem::take(&mut self.binders) {
            let is_colon = binder.name.is_none()
                && binder.span.lo == binder.span.hi
                && self.slice(binder.span.lo, binder.span.lo + 1) == ":";
            match binders.last_mut() {
                Some(last) if is_colon || joins => {
                    *last = Binder { name: None, span: last.span.to(binder.span) };
                }
                _ => binders.push(binder),
            }
            joins = is_colon;
        }
        let is_joined = |binder: &&Binder| binder.name.is_none() && binder.span.lo < binder.span.hi;
        let joined = binders.iter().find(is_joined).map(|binder| binder.span);
        self.binders = binders;
        let text = joined.map(|span| self.slice(span.lo, span.hi)).filter(|it| it.contains(':'));
        if let Some(text) = text {
            let pattern = as_pattern(&format!("({text})")).unwrap_or_else(|| "pattern".to_owned());
            self.report_all(Code::ExpectedName, Span::new(lo, hi), |report| {
                let message = "parameters are names, not patterns".to_owned();
                Diagnostic { message, ..report }
                    .help(format!("write (case value [{pattern} body] ..) in the body"))
            });
        }
    }
}

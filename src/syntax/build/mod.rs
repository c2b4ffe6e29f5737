//! What the grammar's rules do: they build the tree and judge the shape of the forms.

mod expr;
mod item;
mod pattern;
mod shape;

use std::convert::Infallible;

use lalrpop_util::ParseError;

pub use shape::Shape;

use super::ast::{Alt, Ast, Binder, Binding, ConDecl, Expr, ExprId, ItemKind, PatId};
use super::literal::decode;
use super::report::Reports;
use super::token::Tok;
use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Label};
use crate::base::integer::Integer;
use crate::base::name::{Interner, Name};
use crate::base::span::Span;

/// A list under construction: the number of valid elements on the stack, and whether the last
/// thing read was none.
#[derive(Clone, Copy, Debug)]
pub struct Seq {
    len: u32,
    junk: bool,
    /// Whether there was junk anywhere.
    tainted: bool,
}

impl Seq {
    /// A sequence without elements.
    pub const EMPTY: Seq = Seq { len: 0, junk: false, tainted: false };

    /// Returns the sequence with one more element.
    #[must_use]
    pub fn good(self) -> Seq {
        Seq { len: self.len + 1, junk: false, tainted: self.tainted }
    }

    /// Returns the sequence with junk after it.
    #[must_use]
    fn bad(self) -> Seq {
        Seq { junk: true, tainted: true, ..self }
    }
}

/// The most forms without their first bracket, and closing brackets that close nothing, that are made
/// sense of.
const UNOPENED: usize = 100;

/// The most items, the last ones, that a bracket which closes nothing may be one of.
const ITEMS: usize = 10_000;

/// What a text has to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Items.
    File,
    /// One expression.
    Expression,
}

/// Builds the tree of one text.
///
/// The elements of lists that are not complete yet lie on stacks, one for each kind: lists
/// nest, so the elements of the innermost are on top.
pub struct Builder<'s> {
    text: &'s str,
    base: u32,
    file: usize,
    wanted: Wanted,
    names: &'s mut Interner,
    ast: &'s mut Ast,
    exprs: Vec<ExprId>,
    pats: Vec<PatId>,
    binders: Vec<Binder>,
    bindings: Vec<Binding>,
    alts: Vec<Alt>,
    cons: Vec<ConDecl>,
    /// The positions of reported tokens that no finished bracketed form holds.
    bad: Vec<u32>,
    /// The position of the last list or name whose mistake may explain that something is missing.
    suspect: u32,
    /// What a report about a form says all of, also of the characters in it that start no token.
    covered: Vec<Span>,
    /// What reports about the top level say all of, in order: nothing in it is reported.
    lines: Vec<Span>,
    /// Where keywords stand that lack the bracket before them.
    unopened: Vec<u32>,
    /// Where the last keyword stands that begins no form.
    loose: Option<u32>,
    /// What was found.
    pub reports: Reports,
}

impl<'s> Builder<'s> {
    /// Returns a builder for `text`, whose first byte has position `base`, of file `file`.
    #[must_use]
    pub fn new(
        text: &'s str,
        base: u32,
        file: usize,
        wanted: Wanted,
        names: &'s mut Interner,
        ast: &'s mut Ast,
    ) -> Builder<'s> {
        Builder {
            text,
            base,
            file,
            wanted,
            names,
            ast,
            exprs: Vec::new(),
            pats: Vec::new(),
            binders: Vec::new(),
            bindings: Vec::new(),
            alts: Vec::new(),
            cons: Vec::new(),
            bad: Vec::new(),
            suspect: 0,
            covered: Vec::new(),
            lines: Vec::new(),
            unopened: Vec::new(),
            loose: None,
            reports: Reports::default(),
        }
    }

    /// Returns the text between two positions.
    fn slice(&self, lo: u32, hi: u32) -> &'s str {
        let at = |position: u32| position.saturating_sub(self.base) as usize;
        self.text.get(at(lo)..at(hi)).unwrap_or_default()
    }

    /// Returns the line from a position on, or so many characters of it.
    fn line_from(&self, lo: u32, count: usize) -> &'s str {
        let at = lo.saturating_sub(self.base) as usize;
        let rest = self.text.get(at..).unwrap_or_default();
        let mut ends = rest.char_indices().enumerate();
        let end = ends.find(|&(number, (_, c))| number == count || c == '\n');
        end.map_or(rest, |(_, (end, _))| &rest[..end])
    }

    fn intern(&mut self, lo: u32, hi: u32) -> Name {
        let text = self.slice(lo, hi);
        self.names.intern(text)
    }

    fn report(&mut self, code: Code, span: Span, make: impl FnOnce(Diagnostic) -> Diagnostic) {
        self.reports.add(|| make(Diagnostic::error(code, span, String::new())));
    }

    /// Notes a token that has been reported already.
    pub fn bad(&mut self, lo: u32) {
        self.bad.push(lo);
    }

    /// Ends a bracketed form that starts at `lo`. Returns whether no reported token stands directly
    /// in it: if one does, the form is known to be broken and its shape is not judged.
    fn end_form(&mut self, lo: u32) -> bool {
        if self.bad.is_empty() {
            return true;
        }
        let before = self.bad.len();
        let kept = self.bad.partition_point(|&at| at < lo);
        self.bad.truncate(kept);
        kept == before
    }

    /// Reports a form in the place of all that has been found in it, characters included.
    fn report_all(&mut self, code: Code, span: Span, make: impl FnOnce(Diagnostic) -> Diagnostic) {
        self.reports.drop_inside(&[span]);
        self.report(code, span, make);
        self.covered.push(span);
    }

    /// Returns the stretches in which reports of characters say nothing new, in order and apart.
    #[must_use]
    pub fn covered(&self) -> Vec<Span> {
        let mut spans = self.covered.clone();
        spans.extend(&self.lines);
        spans.sort_by_key(|span| (span.lo, std::cmp::Reverse(span.hi)));
        let mut apart: Vec<Span> = Vec::new();
        for span in spans {
            if apart.last().is_none_or(|last| last.hi <= span.lo) {
                apart.push(span);
            }
        }
        apart
    }

    /// Ends a bracketed stretch that is not judged.
    pub fn junk(&mut self, lo: u32) {
        self.end_form(lo);
    }

    /// Notes that something was reported at `lo` that may explain what else a form lacks.
    fn suspect(&mut self, lo: u32) {
        self.suspect = self.suspect.max(lo);
    }

    /// Returns whether something in the form that starts at `lo` explains what it lacks.
    fn is_suspect(&self, lo: u32) -> bool {
        self.suspect > lo
    }

    /// Returns the value of an INT.
    fn integer(&self, lo: u32, hi: u32) -> Option<Integer> {
        let text = self.slice(lo, hi);
        // Up to 18 digits fit a word.
        if text.len() <= 18
            && let Ok(small) = text.parse::<i64>()
        {
            return Some(Integer::Small(small));
        }
        Integer::parse(text)
    }

    /// Returns the text inside a CHAR or a STRING.
    fn unquote(&self, lo: u32, hi: u32) -> String {
        let body = self.slice(lo + 1, hi.saturating_sub(1));
        if !body.contains('\\') {
            return body.to_string();
        }
        // The lexer has reported bad escapes and let none pass.
        decode(body).filter_map(|(c, _)| c.ok()).collect()
    }

    /// Returns the character of a CHAR.
    fn unquote_char(&self, lo: u32, hi: u32) -> Option<char> {
        let body = self.slice(lo + 1, hi.saturating_sub(1));
        decode(body).next().and_then(|(c, _)| c.ok())
    }

    /// Returns the expression that a text of one expression holds; reports another number of them,
    /// unless `silent`: a mistake has been reported that may explain it.
    pub fn the_expression(&mut self, whole: Span, silent: bool) -> ExprId {
        let found = std::mem::take(&mut self.exprs);
        match found.as_slice() {
            [one] => return *one,
            _ if silent => {}
            [] => self.report(Code::ExpectedExpression, whole, |report| Diagnostic {
                message: "an expression is missing".to_string(),
                ..report.help("write a name, a literal or an application, as in (add 1 2)")
            }),
            [_, second, ..] => {
                let span = self.ast.expr_spans[*second];
                self.report(Code::ExpectedExpression, span, |report| Diagnostic {
                    message: "one expression is due, and here a second one starts".to_string(),
                    ..report.help("an application stands in parentheses: (f x)")
                });
            }
        }
        self.ast.expr(Expr::Error, whole)
    }

    /// Removes what is said of forms at the top level that stand between an item and a bracket that closes
    /// nothing: the item is likely to end too early, and the report of the bracket shows where.
    pub fn judge_extra(&mut self, brackets: &mut Reports) {
        let items = self.ast.items.iter().rev().take_while(|item| item.file == self.file);
        let ends: Vec<u32> = items.map(|item| item.span.hi).take(ITEMS).collect();
        for report in brackets.of(Code::ExtraBracket).take(UNOPENED) {
            let at = report.primary.span.lo;
            let Some(&end) = ends.iter().find(|end| **end <= at) else { continue };
            let between = Span::new(end, at);
            let is_dropped = self.reports.drop_of(Code::ExpectedItem, between);
            let last = Span::new(end - 1, end);
            // An item that is never closed ends in something else.
            if is_dropped && report.secondary.is_empty() && self.slice(last.lo, last.hi) == ")" {
                let text = "this one may be too many".to_owned();
                report.secondary.push(Label { span: last, text });
            }
        }
    }

    /// Returns where forms begin that lack their first bracket, each up to the next item: their last bracket
    /// closes nothing.
    #[must_use]
    pub fn unopened(&self) -> Vec<Span> {
        let items = || self.ast.items.iter().rev().take_while(|item| item.file == self.file);
        let next = |at: u32| items().map(|item| item.span.lo).filter(|lo| *lo > at).min();
        let found = self.unopened.iter().map(|&at| Span::new(at, next(at).unwrap_or(u32::MAX)));
        found.collect()
    }

    /// Removes the reports about the rest of a line of which all has been said.
    pub fn judge_lines(&mut self) {
        self.reports.drop_inside(&self.lines);
    }

    /// Removes the reports about regions whose brackets do not match: their shapes are not what was
    /// meant. Definitions there keep their names and lose their bodies.
    pub fn distrust(&mut self, broken: &[Span]) {
        if broken.is_empty() {
            return;
        }
        self.reports.drop_inside(broken);
        let Ast { items, exprs, expr_spans, .. } = &mut *self.ast;
        for item in items.iter_mut().rev().take_while(|item| item.file == self.file) {
            let next = broken.partition_point(|region| region.lo <= item.span.lo);
            let region = next.checked_sub(1).and_then(|at| broken.get(at));
            if region.is_some_and(|region| item.span.lo < region.hi)
                && let ItemKind::Defn { body, .. } = &mut item.kind
            {
                expr_spans.push(item.span);
                *body = exprs.push(Expr::Error);
            }
        }
    }

    /// Reports a token that the grammar does not derive. The balancer makes sure that there is none.
    pub fn unexpected(&mut self, error: ParseError<u32, Tok, Infallible>) {
        let span = match error {
            ParseError::InvalidToken { location: at }
            | ParseError::UnrecognizedEof { location: at, .. } => Span::new(at, at),
            ParseError::UnrecognizedToken { token: (lo, _, hi), .. }
            | ParseError::ExtraToken { token: (lo, _, hi) } => Span::new(lo, hi),
            ParseError::User { error } => match error {},
        };
        self.report(Code::ExpectedExpression, span, |report| Diagnostic {
            message: "this does not belong here".to_string(),
            ..report
        });
    }
}

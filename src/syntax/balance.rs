//! Brackets that match: an adaptor between the lexer and the grammar.
//!
//! What leaves it is balanced, and `(` before `defn`, `data` or `import` stands at the top
//! level only, whatever went in: so the grammar never sees a bracket mistake, and such a
//! mistake is one report. Where a bracket is supplied, a [`Tok::Bad`] stands before it: the
//! form is known to be broken, and its shape is not judged.
//!
//! The text falls into regions: an item with what stands outside items after it, if its
//! brackets do not match. Inside one region, a bracket that was opened before a repair proves nothing any more:
//! mistakes about it are taken for consequences and not reported, and when it is closed a
//! [`Tok::Bad`] goes before. [`Balancer::finish`] tells which regions are broken: what is in
//! them is not judged any further.
//!
//! Where a bracket is missing or too many, only its writer knows. How the lines are indented tells,
//! mostly: what is inside of a bracket stands to the right of it. The first line of a region that
//! does not goes with the report of a mistake. What a function does may begin left of the function, on the line after
//! its parameters, though not left of their line: callbacks are written so, `(bind ask (fn [answer]`.

use super::directive::Directives;
use super::lex::Lexer;
use super::report::Reports;
use super::token::{Spanned, Tok};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::span::Span;

/// An open bracket.
#[derive(Clone, Copy)]
struct Open {
    at: u32,
    square: bool,
    /// Its line, by where that begins, and where the first token of that stands.
    line: u32,
    first: u32,
    /// Whether it opens a function.
    is_fn: bool,
}

impl Open {
    fn span(self) -> Span {
        Span::new(self.at, self.at + 1)
    }

    fn sign(self) -> char {
        if self.square { '[' } else { '(' }
    }

    fn closer(self) -> Tok {
        if self.square { Tok::RSquare } else { Tok::RParen }
    }
}

/// Returns how a closing bracket is written.
fn closing_sign(square: bool) -> char {
    if square { ']' } else { ')' }
}

/// Adds a label for one bracket.
fn also(report: Diagnostic, label: Option<(u32, &str)>) -> Diagnostic {
    match label {
        Some((at, text)) => report.also(Span::new(at, at + 1), text),
        None => report,
    }
}

/// The balanced tokens of a text.
pub struct Balancer<'s> {
    lexer: Lexer<'s>,
    /// A token to be read (again) before the one ahead.
    again: Option<Spanned>,
    /// One token ahead; the outer `None` if it has not been read.
    ahead: Option<Option<Spanned>>,
    open: Vec<Open>,
    /// The number of open brackets down to which brackets are being supplied.
    keep: usize,
    /// The position of the supplied brackets.
    supply_at: u32,
    /// Whether the `Bad` before the next supplied bracket has been returned.
    marked: bool,
    /// Brackets opened before this position are not to be trusted; 0 if nothing of this
    /// region was repaired.
    repaired: u32,
    /// Where the present region starts.
    region: u32,
    /// Whether the present region is a complete item, so that what comes next starts another.
    complete: bool,
    /// The regions with a mistake: where each starts, and where the next one does.
    broken: Vec<Span>,
    /// After a definition inside another one: how many brackets of the outer one are still
    /// to be closed. Until then what stands outside definitions is dropped.
    wreck: usize,
    /// How many extra closing brackets an earlier report explains.
    excused: usize,
    /// Where the line of the last token begins, where its first token stands, and where the last one ends and
    /// what it is.
    line: u32,
    first: u32,
    seen: u32,
    last: Tok,
    /// The first bracket of this region that is open where a line begins to the left of it.
    left_open: Option<u32>,
    /// The last closing bracket of the last line, if it closes one of an earlier line; and the first
    /// one of this region that a line follows which begins to the right of what it closes.
    closed: Option<(Open, u32)>,
    closed_early: Option<u32>,
    /// The first comment of this region that stands after code of its line and has more closing brackets
    /// than opening ones: where it begins.
    swallowed: Option<u32>,
    /// Stretches in which a report about brackets says all.
    explained: Vec<Span>,
    /// What was found.
    pub reports: Reports,
}

impl<'s> Balancer<'s> {
    /// Balances the tokens of `lexer`.
    #[must_use]
    pub fn new(lexer: Lexer<'s>) -> Balancer<'s> {
        let start = lexer.start();
        Balancer {
            lexer,
            again: None,
            ahead: None,
            open: Vec::new(),
            keep: usize::MAX,
            supply_at: 0,
            marked: false,
            repaired: 0,
            region: 0,
            complete: true,
            broken: Vec::new(),
            wreck: 0,
            excused: 0,
            line: start,
            first: start,
            seen: start,
            last: Tok::Bad,
            left_open: None,
            closed: None,
            closed_early: None,
            swallowed: None,
            explained: Vec::new(),
            reports: Reports::default(),
        }
    }

    /// Returns the directives of the text, once all tokens have been read.
    #[must_use]
    pub fn take_directives(&mut self) -> Directives {
        std::mem::take(&mut self.lexer.directives)
    }

    /// Returns what the lexer and the balancer found, and the regions whose brackets did not match,
    /// in the order of their places.
    #[must_use]
    pub fn finish(mut self) -> (Reports, Reports, Vec<Span>) {
        self.lexer.reports.drop_inside(&self.explained);
        (self.lexer.reports, self.reports, self.broken)
    }

    /// Adds a report about the brackets of this region.
    fn report(&mut self, make: impl FnOnce() -> Diagnostic) {
        if self.broken.last().is_none_or(|last| last.lo != self.region) {
            self.broken.push(Span::new(self.region, u32::MAX));
        }
        self.reports.add(make);
    }

    /// Begins a region at `lo`.
    fn begin(&mut self, lo: u32) {
        if let Some(last) = self.broken.last_mut() {
            last.hi = last.hi.min(lo);
        }
        self.region = lo;
        self.complete = false;
        self.repaired = 0;
        (self.left_open, self.closed, self.closed_early) = (None, None, None);
        self.swallowed = None;
    }

    /// Notes where a token of the text stands: whether its line goes with the brackets.
    fn place(&mut self, (lo, tok, hi): Spanned) {
        if lo < self.seen {
            // It is read again.
            return;
        }
        if self.swallowed.is_none() && !self.open.is_empty() {
            self.swallowed = self.lexer.swallowed_between(self.seen, lo);
        }
        if let Some(line) = self.lexer.line_between(self.seen, lo) {
            let column = lo - line;
            if let Some(&open) = self.open.last() {
                let hangs = open.is_fn && self.last == Tok::RSquare && open.line == self.line;
                let least = if hangs { open.first } else { open.at } - open.line;
                if least > column {
                    self.left_open.get_or_insert(open.at);
                }
            }
            (self.line, self.first) = (line, lo);
            if let Some((open, at)) = self.closed.take()
                && open.at - open.line < column
            {
                self.closed_early.get_or_insert(at);
            }
        }
        if tok == Tok::Fn
            && self.last == Tok::LParen
            && let Some(open) = self.open.last_mut()
        {
            open.is_fn = true;
        }
        (self.seen, self.last) = (hi, tok);
    }

    /// Returns what the indentation tells of a bracket that is missing, beside the one that is
    /// named.
    fn hint(&self, named: u32) -> Option<(u32, &'static str)> {
        let at = self.left_open.filter(|at| *at != named)?;
        Some((at, "this one may lack its end: a line after it begins left of it"))
    }

    fn read(&mut self) -> Option<Spanned> {
        if let Some(token) = self.again.take() {
            return Some(token);
        }
        match self.ahead.take() {
            Some(token) => token,
            None => self.lexer.next(),
        }
    }

    fn peek(&mut self) -> Option<Tok> {
        if self.ahead.is_none() {
            self.ahead = Some(self.lexer.next());
        }
        self.ahead.flatten().map(|(_, tok, _)| tok)
    }

    /// Closes all brackets but the outermost `keep`, then reads `again`.
    fn close_down_to(&mut self, keep: usize, at: u32, again: Option<Spanned>) {
        self.keep = keep;
        self.supply_at = at;
        self.marked = false;
        self.again = again;
    }

    /// Returns the next supplied token, while brackets are being closed.
    fn supplied(&mut self) -> Option<Spanned> {
        if self.open.len() <= self.keep {
            self.keep = usize::MAX;
            return None;
        }
        let at = self.supply_at;
        self.marked = !self.marked;
        if self.marked {
            return Some((at, Tok::Bad, at));
        }
        self.open.pop().map(|open| (at, open.closer(), at))
    }

    /// Reports the innermost open bracket as never closed.
    fn report_unclosed(&mut self, definition: Option<Span>) {
        let (Some(&last), Some(&first)) = (self.open.last(), self.open.first()) else { return };
        if last.at < self.repaired {
            return;
        }
        let more = self.open.len() - 1;
        // What stands before the next definition has been looked at.
        let rest = || self.lexer.swallowed_between(self.seen, self.lexer.end());
        let comment = self.swallowed.or_else(|| if definition.is_none() { rest() } else { None });
        if let Some(at) = comment.filter(|&at| at > last.at && self.lexer.is_line(last.at, at)) {
            self.explained.push(Span::new(last.at, at));
            return self.report(|| {
                let message = "`;` begins a comment, and the brackets after it close nothing";
                Diagnostic::error(Code::UnclosedBracket, Span::new(at, at + 1), message)
                    .also(last.span(), format!("this `{}` is never closed", last.sign()))
                    .help(
                        "what follows one another is separated by blanks, and an alternative is \
                         written [pattern body]",
                    )
            });
        }
        let hint = self.hint(last.at);
        self.report(|| {
            let message = format!("this `{}` is never closed", last.sign());
            let mut report = Diagnostic::error(Code::UnclosedBracket, last.span(), message);
            if more > 0 {
                report = report.also(first.span(), "the outermost bracket that is open here");
                report = report.note(match more {
                    1 => "1 more bracket, opened before it, is not closed either".to_string(),
                    _ => format!("{more} more brackets, opened before it, are not closed either"),
                });
            }
            if let Some(span) = definition {
                report = report
                    .also(span, "a definition starts here")
                    .note("definitions stand at the top level only");
            }
            also(report, hint).help(format!("close it with `{}`", closing_sign(last.square)))
        });
    }

    /// Handles an opening bracket; `None` if it is dropped or to be read again.
    fn opening(&mut self, token: Spanned, square: bool) -> Option<Spanned> {
        let (lo, _, hi) = token;
        if self.open.is_empty() {
            if !square && self.peek().is_some_and(Tok::starts_item) {
                self.begin(lo);
                if lo != self.supply_at {
                    self.excused = 0;
                }
            } else if self.wreck > 0 {
                self.wreck += 1;
                return None;
            } else if self.complete {
                self.begin(lo);
            }
        } else if !square && self.peek().is_some_and(Tok::starts_item) {
            self.report_unclosed(Some(Span::new(lo, hi)));
            // At the start of a line it is the next definition, else one inside another.
            self.wreck = if self.lexer.starts_line(lo) { 0 } else { self.open.len() };
            self.excused = self.open.len();
            self.close_down_to(0, lo, Some(token));
            return None;
        }
        self.open.push(Open { at: lo, square, line: self.line, first: self.first, is_fn: false });
        Some(token)
    }

    /// Handles a closing bracket; `None` if it is dropped or to be read again.
    fn closing(&mut self, token: Spanned, square: bool) -> Option<Spanned> {
        match self.open.last().copied() {
            None => {
                self.extra(token, square);
                None
            }
            // The form is not what was meant: it is marked first.
            Some(top) if top.square == square && top.at < self.repaired && !self.marked => {
                self.marked = true;
                self.again = Some(token);
                Some((token.0, Tok::Bad, token.0))
            }
            Some(top) if top.square == square => {
                self.marked = false;
                self.open.pop();
                if top.line != self.line {
                    self.closed = Some((top, token.0));
                }
                self.complete = self.open.is_empty() && self.repaired == 0;
                Some(token)
            }
            Some(top) => self.mismatch(top, token, square),
        }
    }

    /// Handles a closing bracket where none is open.
    fn extra(&mut self, (lo, _, hi): Spanned, square: bool) {
        if self.repaired == 0 && self.excused == 0 {
            let sign = closing_sign(square);
            let early = self.closed_early.map(|at| {
                (at, "this one may be too many: the next line is indented as if it were inside")
            });
            self.report(|| {
                let report = Diagnostic::error(
                    Code::ExtraBracket,
                    Span::new(lo, hi),
                    format!("this `{sign}` closes nothing"),
                );
                also(report, early).help("remove it, or open a bracket before it")
            });
        }
        self.wreck = self.wreck.saturating_sub(1);
        self.excused = self.excused.saturating_sub(1);
        self.repaired = hi;
    }

    /// Handles `]` where `)` is due, or the other way round: the bracket is of the wrong kind, or
    /// one is missing before it, or it is one too many. Returns the right one, or `None` if the
    /// bracket is dropped or to be read again.
    fn mismatch(&mut self, top: Open, token: Spanned, square: bool) -> Option<Spanned> {
        let (lo, _, hi) = token;
        self.report_mismatch(top, Span::new(lo, hi), square);
        self.repaired = hi;
        let next = self.peek();
        let depth = self.open.len();
        match self.kind_below(2) {
            Some(outer) if outer == square && !self.is_mistyped(top, next) => {
                // The right one is missing before it.
                self.close_down_to(depth - 1, lo, Some(token));
                None
            }
            // With no bracket around, the right one follows: this one is too many.
            None if next == Some(top.closer()) => None,
            _ => {
                self.open.pop();
                Some((lo, top.closer(), hi))
            }
        }
    }

    /// Reports a closing bracket at `span` that does not match the open one `top`, unless that
    /// was opened before a repair.
    fn report_mismatch(&mut self, top: Open, span: Span, square: bool) {
        if top.at < self.repaired {
            return;
        }
        let (found, due) = (closing_sign(square), closing_sign(top.square));
        let hint = self.hint(top.at);
        self.report(|| {
            let message = format!("`{found}` where `{due}` is due");
            let report = Diagnostic::error(Code::MismatchedBracket, span, message)
                .also(top.span(), format!("this `{}` is open", top.sign()));
            also(report, hint)
                .help(format!("close it with `{due}`; ( ) and [ ] are different brackets"))
        });
    }

    /// Returns whether the open bracket `count` from the innermost one, which is 1, is square.
    fn kind_below(&self, count: usize) -> Option<bool> {
        let at = self.open.len().checked_sub(count)?;
        self.open.get(at).map(|open| open.square)
    }

    /// Returns whether a closing bracket that would match the second innermost open bracket, but
    /// not the innermost `top`, is taken for a mistyped one of `top`. What comes next tells.
    fn is_mistyped(&self, top: Open, next: Option<Tok>) -> bool {
        if top.square {
            // Mistyped, unless it ends the item and another one follows.
            let line = self.ahead.flatten().is_none_or(|(at, _, _)| self.lexer.starts_line(at));
            return self.open.len() > 2 || !line || !matches!(next, None | Some(Tok::LParen));
        }
        let beyond = self.kind_below(3);
        next == Some(Tok::RParen) && beyond == Some(true)
            || next == Some(Tok::RSquare) && beyond != Some(true)
    }
}

impl Iterator for Balancer<'_> {
    type Item = Spanned;

    fn next(&mut self) -> Option<Spanned> {
        loop {
            if let Some(token) = self.supplied() {
                return Some(token);
            }
            let Some(token) = self.read() else {
                if self.open.is_empty() {
                    return None;
                }
                if !self.lexer.comment_unclosed {
                    self.report_unclosed(None);
                }
                self.close_down_to(0, self.lexer.end(), None);
                continue;
            };
            self.place(token);
            let kept = match token.1 {
                Tok::LParen => self.opening(token, false),
                Tok::LSquare => self.opening(token, true),
                Tok::RParen => self.closing(token, false),
                Tok::RSquare => self.closing(token, true),
                _ if !self.open.is_empty() => Some(token),
                _ if self.wreck > 0 => None,
                _ => {
                    if self.complete {
                        self.begin(token.0);
                    }
                    Some(token)
                }
            };
            if kept.is_some() {
                return kept;
            }
        }
    }
}

//! Text to tokens. What is no token is reported, and lexing goes on after it.

mod mistakes;

use logos::{Lexer as Scanner, Logos};

use super::directive::{Directives, Malformed};
use super::literal::decode;
use super::report::Reports;
use super::token::{Spanned, Tok};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::float::Float;
use crate::base::quote::for_message;
use crate::base::span::Span;
use mistakes::{
    LOOKED_AT, ONCE_A_LINE, bad_characters, bad_escape, bad_number, belongs_to_run, comma,
    definition, is_import, large_float, no_token, quoted_run, quoted_text,
};

/// Returns whether `text` is one NAME and nothing else: what a definition can be called.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let mut tokens = Tok::lexer(text);
    tokens.next() == Some(Ok(Tok::Name)) && tokens.slice() == text
}

/// The tokens of one source text, with global positions. A mistake becomes a
/// [`Tok::Bad`] and one report.
pub struct Lexer<'s> {
    scanner: Scanner<'s, Tok>,
    base: u32,
    /// A token that was read while a run of bad characters was gathered.
    held: Option<Spanned>,
    /// The number of reported opening braces, whose closing braces are the same mistake.
    braces: usize,
    /// The last sign that is reported once a line, where it stands.
    sign: (usize, usize),
    /// Whether the last string without an end may be ended by the next one.
    text_open: bool,
    /// Whether a block comment swallowed the rest of the file.
    pub comment_unclosed: bool,
    /// What the text says about where it comes from.
    pub directives: Directives,
    /// What was found.
    pub reports: Reports,
}

impl<'s> Lexer<'s> {
    /// Returns the tokens of `text`, whose first byte has position `base`.
    #[must_use]
    pub fn new(text: &'s str, base: u32) -> Lexer<'s> {
        Lexer {
            scanner: Tok::lexer(text),
            base,
            held: None,
            braces: 0,
            sign: (0, 0),
            text_open: false,
            comment_unclosed: false,
            directives: Directives::default(),
            reports: Reports::default(),
        }
    }

    /// Returns the position of the first byte of the text.
    #[must_use]
    pub fn start(&self) -> u32 {
        self.base
    }

    /// Returns the position after the last byte of the text.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.base + self.scanner.source().len() as u32
    }

    /// Returns whether a line starts at position `at`.
    #[must_use]
    pub fn starts_line(&self, at: u32) -> bool {
        let before = (at.saturating_sub(self.base) as usize).checked_sub(1);
        before.is_none_or(|before| self.scanner.source().as_bytes().get(before) == Some(&b'\n'))
    }

    /// Returns where the last line begins that begins between two positions, or at the second one.
    #[must_use]
    pub fn line_between(&self, lo: u32, hi: u32) -> Option<u32> {
        let at = |position: u32| position.saturating_sub(self.base) as usize;
        let text = self.scanner.source().as_bytes().get(at(lo)..at(hi))?;
        let last = text.iter().rposition(|byte| *byte == b'\n')?;
        Some(lo + last as u32 + 1)
    }

    /// Returns where the comment begins between two tokens that stands after code on its line, if it has
    /// more closing brackets than opening ones.
    #[must_use]
    pub fn swallowed_between(&self, lo: u32, hi: u32) -> Option<u32> {
        // Mostly it is one blank, or nothing.
        if hi.saturating_sub(lo) < 2 {
            return None;
        }
        let at = |position: u32| position.saturating_sub(self.base) as usize;
        let text = self.scanner.source().get(at(lo)..at(hi))?;
        let line = text.lines().next()?;
        let comment = line.trim_start();
        let brackets = |signs: [char; 2]| comment.matches(signs).count();
        let is_swallowed = comment.starts_with(';') && brackets([')', ']']) > brackets(['(', '[']);
        is_swallowed.then(|| lo + (line.len() - comment.len()) as u32)
    }

    /// Returns whether no line ends between two positions.
    #[must_use]
    pub fn is_line(&self, lo: u32, hi: u32) -> bool {
        self.line_between(lo, hi).is_none()
    }

    /// Returns the place of the bytes `lo..hi` of the text.
    fn span(&self, lo: usize, hi: usize) -> Span {
        Span::new(self.base + lo as u32, self.base + hi as u32)
    }

    fn spanned(&self, tok: Tok) -> Spanned {
        let range = self.scanner.span();
        (self.base + range.start as u32, tok, self.base + range.end as u32)
    }

    /// Continues at byte `at`.
    fn restart(&mut self, at: usize) {
        self.scanner = Tok::lexer(self.scanner.source());
        self.scanner.bump(at);
    }

    /// Checks the escapes between the quotes of the present token.
    fn check_escapes(&mut self, tok: Tok) -> Tok {
        let slice = self.scanner.slice();
        if !slice.contains('\\') {
            return tok;
        }
        let start = self.scanner.span().start;
        // The quotes are one byte each, and the expression for the token has both.
        if self.report_escapes(start + 1, &slice[1..slice.len() - 1]) { Tok::Bad } else { tok }
    }

    /// Reports the bad escapes of `body`, which starts at byte `start`; returns whether there are
    /// any.
    fn report_escapes(&mut self, start: usize, body: &str) -> bool {
        let mut any = false;
        for (result, range) in decode(body) {
            let Err(error) = result else { continue };
            any = true;
            let span = self.span(start + range.start, start + range.end);
            let text = &body[range];
            self.reports.add(|| bad_escape(error, span, text));
        }
        any
    }

    /// Reports a quote that starts no valid CHAR: empty, several characters, or not closed.
    fn bad_quote(&mut self) -> Tok {
        let start = self.scanner.span().start;
        let rest = self.scanner.remainder();
        if let Some(after) = rest.strip_prefix('\'') {
            let len = if after.starts_with('\'') { 2 } else { 1 };
            self.scanner.bump(len);
            let span = self.span(start, start + 1 + len);
            self.reports.add(|| {
                if len == 2 {
                    Diagnostic::error(
                        Code::BadCharacter,
                        span,
                        "a quote in a CHAR literal needs a backslash",
                    )
                    .help("write '\\''")
                } else {
                    Diagnostic::error(Code::BadCharacter, span, "this CHAR literal is empty")
                        .help("a CHAR is one character, as 'a'; the empty text is \"\"")
                }
            });
            return Tok::Bad;
        }
        if let Some(after) = rest.trim_start_matches('\r').strip_prefix("\n'") {
            self.scanner.bump(rest.len() - after.len());
            let span = self.span(start, start + 1);
            self.reports.add(|| {
                let message = "this CHAR literal is not closed on its line";
                Diagnostic::error(Code::UnclosedQuote, span, message)
                    .help("the character of a line break is '\\n'")
            });
            return Tok::Bad;
        }
        let (len, closed) = match quoted_text(rest) {
            Some(len) => (len, true),
            None => quoted_run(rest),
        };
        self.scanner.bump(len);
        let span = self.span(start, start + 1 + len);
        if !closed {
            self.reports.add(|| {
                let help = match rest.starts_with(['(', '[']) {
                    true => "nothing is quoted: a list is written [1 2 3]",
                    false => "a CHAR is one character between two quotes, as 'a' or '\\n'",
                };
                Diagnostic::error(Code::UnclosedQuote, span, "this CHAR literal is not closed")
                    .help(help)
            });
            return Tok::Bad;
        }
        let body = &rest[..len - 1];
        if !self.report_escapes(start + 1, body) {
            let count = decode(body).count();
            self.reports.add(|| {
                let message = format!("this CHAR literal has {count} characters");
                Diagnostic::error(Code::BadCharacter, span, message).help(format!(
                    "a text is written with double quotes: \"{}\"",
                    for_message(body)
                ))
            });
        }
        Tok::Bad
    }

    /// Reports a string that its line does not close. The brackets that end the line are taken for
    /// code, so that a forgotten quote does not unbalance them.
    fn open_text(&mut self) -> Tok {
        let range = self.scanner.span();
        let slice = self.scanner.slice();
        let kept = slice.trim_end_matches([')', ']', ' ', '\t', '\r']).len().max(1);
        let end = range.start + kept;
        if kept < slice.len() {
            self.restart(end);
        }
        // Of a text over several lines the first quote is reported and the last is not.
        self.text_open = !self.text_open;
        if self.text_open {
            let span = self.span(range.start, end);
            let before = self.source(range.start.saturating_sub(LOOKED_AT), range.start);
            let line = before.rsplit('\n').next().unwrap_or_default();
            self.reports.add(|| {
                let report = Diagnostic::error(
                    Code::UnclosedQuote,
                    span,
                    "this STRING literal is not closed on its line",
                )
                .help("close it with \"; a line break in a text is written \\n");
                match line.contains('"') {
                    true => {
                        report.note("it may be a text before it on the line that lacks a quote")
                    }
                    false => report,
                }
            });
        }
        self.held = Some((self.base + range.start as u32, Tok::Bad, self.base + end as u32));
        Tok::Bad
    }

    /// Skips a block comment; comments nest.
    fn skip_comment(&mut self) {
        let start = self.scanner.span().start;
        let rest = self.scanner.remainder().as_bytes();
        let mut depth = 1usize;
        let mut innermost = start;
        let mut at = 0;
        while depth > 0 {
            match (rest.get(at), rest.get(at + 1)) {
                (Some(b'#'), Some(b'|')) => {
                    depth += 1;
                    innermost = start + 2 + at;
                    at += 2;
                }
                (Some(b'|'), Some(b'#')) => {
                    depth -= 1;
                    at += 2;
                }
                (Some(_), _) => at += 1,
                (None, _) => {
                    self.comment_unclosed = true;
                    let (span, last) =
                        (self.span(start, start + 2), self.span(innermost, innermost + 2));
                    self.reports.add(|| {
                        let report = Diagnostic::error(
                            Code::UnclosedComment,
                            span,
                            "this block comment is never closed",
                        )
                        .help("close it with |#; block comments nest, each #| needs its |#");
                        if last == span {
                            report
                        } else {
                            report.also(last, "the last one opened inside it")
                        }
                    });
                    break;
                }
            }
        }
        self.scanner.bump(at);
    }

    /// Reads a directive; returns whether the brace starts one, well-formed or not.
    fn directive(&mut self) -> bool {
        let range = self.scanner.span();
        let lo = self.base + range.start as u32;
        match self.directives.read(self.scanner.remainder(), lo) {
            None => false,
            Some(Ok(len)) => {
                self.scanner.bump(len);
                true
            }
            Some(Err(Malformed { message, len })) => {
                self.scanner.bump(len);
                let span = self.span(range.start, range.end + len);
                self.reports.add(|| {
                    Diagnostic::error(Code::BadDirective, span, message)
                        .help("write {at \"FILE\" LINE COLUMN} or {name \"TEXT\"}")
                });
                true
            }
        }
    }

    /// Notes the next token for the directives before it.
    fn follow(&mut self, token: Option<Spanned>) {
        for span in self.directives.token(token) {
            self.reports.add(|| {
                let message = "nothing stands after this directive";
                Diagnostic::error(Code::BadDirective, span, message)
                    .help("a directive stands before the form that it is about")
            });
        }
    }

    /// Reports a brace. Of a pair only the first is reported.
    fn brace(&mut self) -> Tok {
        let opens = self.scanner.slice() == "{";
        if !opens && self.braces > 0 {
            self.braces -= 1;
            return Tok::Bad;
        }
        self.braces += usize::from(opens);
        let range = self.scanner.span();
        let span = self.span(range.start, range.end);
        let after = self.scanner.remainder().trim_start();
        self.reports.add(|| {
            Diagnostic::error(Code::ReservedBrace, span, "braces are reserved").help(
                match opens && after.starts_with([':', '"', '\'']) {
                    true => "a map of the module map is (mapFromList [(Pair key value) ..])",
                    false => {
                        "use ( ) for applications and forms, [ ] for lists, parameters and bindings"
                    }
                },
            )
        });
        Tok::Bad
    }

    /// Returns the text between two bytes.
    fn source(&self, start: usize, end: usize) -> &'s str {
        self.scanner.source().get(start..end).unwrap_or_default()
    }

    /// Returns whether a sign like `,` has been reported on its line.
    fn is_repeated(&mut self, start: usize, end: usize) -> bool {
        let (before, at) = self.sign;
        let text = self.source(start, end);
        if !ONCE_A_LINE.contains(&text) {
            return false;
        }
        self.sign = (start, end);
        self.source(before, at) == text && !self.source(at, start).contains('\n')
    }

    /// Reports a run of characters that start no token: one report.
    fn bad_run(&mut self) -> Spanned {
        let range = self.scanner.span();
        let (start, mut end) = (range.start, range.end);
        let more = belongs_to_run(self.scanner.slice(), self.scanner.remainder());
        if more > 0 {
            self.scanner.bump(more);
            end += more;
        }
        loop {
            match self.scanner.next() {
                Some(Err(())) if self.scanner.span().start == end => end = self.scanner.span().end,
                Some(result) => {
                    let tok = result.unwrap_or(Tok::Bad);
                    if result.is_err() {
                        // Not adjacent: a run of its own, read again.
                        let at = self.scanner.span().start;
                        self.restart(at);
                    } else {
                        self.held = Some(self.spanned(tok));
                    }
                    break;
                }
                None => break,
            }
        }
        let span = self.span(start, end);
        // What stands in braces is not written so anyway.
        let is_braced = self.braces > 0 && matches!(self.source(start, end), ":" | "," | "=");
        if self.is_repeated(start, end) || is_braced {
            return (span.lo, Tok::Bad, span.hi);
        }
        let source = self.scanner.source();
        let text = source.get(start..end).unwrap_or_default();
        let after = source.get(end..).unwrap_or_default();
        self.reports.add(|| match (text, source.get(..start)) {
            ("=", Some(before)) if before.ends_with('(') => {
                no_token(span, text).help("whether two are equal is (eq a b)")
            }
            ("=" | ":=", Some(before)) => definition(span, text, before),
            (",", Some(before)) => no_token(span, text).help(comma(before)),
            (".", Some(before)) if before.ends_with(' ') && after.starts_with(' ') => no_token(
                span, text,
            )
            .help("two functions are joined by (compose f g); a list cell is (Cons head tail)"),
            (":", _) if after.lines().next().is_none_or(|line| line.trim().is_empty()) => {
                no_token(span, text)
                    .help("a body stands in the brackets of its form, as in (defn name[x ..] body)")
            }
            (":", Some(before)) if before.trim_end().ends_with(']') && after.starts_with(' ') => {
                no_token(span, text).help("a body follows its parameters: (defn name[x ..] body)")
            }
            ("#", _) if after.starts_with('(') => {
                no_token(span, text).help("a function is written (fn [x] body)")
            }
            ("*", Some(before)) if before.ends_with("(let") => {
                no_token(span, text).help("write `let`: each of its bindings sees those before it")
            }
            (".", Some(before)) if is_import(before) => no_token(span, text)
                .help("a module is imported by its name in parentheses: (import list)"),
            (".", Some(before)) if before.ends_with(|c: char| c.is_alphanumeric()) => {
                no_token(span, text)
                    .help("a field is taken out by a pattern: (case value [(Con x y) x])")
            }
            _ => bad_characters(span, text),
        });
        (span.lo, Tok::Bad, span.hi)
    }

    /// Handles a token that is a mistake or starts a comment; returns `None` for a comment.
    fn special(&mut self, tok: Tok) -> Option<Spanned> {
        let tok = match tok {
            Tok::Char | Tok::Text => self.check_escapes(tok),
            Tok::BadNumber => {
                let range = self.scanner.span();
                let span = self.span(range.start, range.end);
                let text = self.scanner.slice();
                self.reports.add(|| bad_number(span, text));
                Tok::Bad
            }
            Tok::Float => {
                let text = self.scanner.slice();
                if Float::parse(text).is_some() {
                    return Some(self.spanned(tok));
                }
                let range = self.scanner.span();
                let span = self.span(range.start, range.end);
                self.reports.add(|| large_float(span, text));
                Tok::Bad
            }
            Tok::BadQuote => self.bad_quote(),
            Tok::OpenText => {
                self.open_text();
                return self.held.take();
            }
            Tok::Brace if self.scanner.slice() == "{" && self.directive() => return None,
            Tok::Brace => self.brace(),
            Tok::OpenComment => {
                self.skip_comment();
                return None;
            }
            tok => tok,
        };
        Some(self.spanned(tok))
    }
}

impl Iterator for Lexer<'_> {
    type Item = Spanned;

    fn next(&mut self) -> Option<Spanned> {
        let token = self.token();
        if !self.directives.is_idle() {
            self.follow(token);
        }
        token
    }
}

impl Lexer<'_> {
    /// Returns the next token.
    fn token(&mut self) -> Option<Spanned> {
        loop {
            // A held token starts where the scanner stands, so that both paths treat alike.
            let tok = match self.held.take() {
                Some((_, tok, _)) => tok,
                None => match self.scanner.next()? {
                    Ok(tok) => tok,
                    Err(()) => return Some(self.bad_run()),
                },
            };
            match tok {
                Tok::Char
                | Tok::Text
                | Tok::Float
                | Tok::BadNumber
                | Tok::BadQuote
                | Tok::OpenText
                | Tok::OpenComment
                | Tok::Brace => {
                    if let Some(token) = self.special(tok) {
                        return Some(token);
                    }
                }
                tok => return Some(self.spanned(tok)),
            }
        }
    }
}

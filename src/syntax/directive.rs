//! Directives: what a front end says about the code that it has generated. `{at "Main.hs" 12 5}`
//! says where in the original text the form after it comes from, and `{name "Data.Map.insert"}`
//! what the definition after it is called there.
//!
//! They are trivia: the lexer takes them out and notes which form follows. A form is one token, or
//! a bracket with all up to the bracket that closes it.

use logos::Logos;
use rustc_hash::FxHashMap;

use super::literal::decode;
use super::token::{Spanned, Tok};
use crate::base::origin::Origin;
use crate::base::span::Span;

/// A directive that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    At(Origin),
    Name(Box<str>),
}

/// A display name, and the form that stands after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DisplayName {
    /// The name.
    pub text: Box<str>,
    /// Where the directive stands.
    pub span: Span,
    /// Where the form starts.
    pub at: u32,
    /// Where the token after its bracket starts, if it begins with one.
    pub inner: Option<u32>,
}

/// The directives of one text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Directives {
    /// The files that are named, in the order of their first mention.
    pub files: Vec<Box<str>>,
    /// The forms whose origin is said, by their starts, each before those in it.
    pub origins: Vec<(Span, Origin)>,
    /// The display names.
    pub names: Vec<DisplayName>,
    /// The number of each file.
    numbers: FxHashMap<Box<str>, u32>,
    /// The file that was named last.
    file: Option<u32>,
    /// The directives before the next form.
    pending: Vec<(Span, Kind)>,
    /// The forms that are open: their index in `origins`, and how many brackets were open before.
    open: Vec<(usize, u32)>,
    /// The number of open brackets, counted while a form is open.
    depth: u32,
    /// Whether the last token was the bracket of a form with a display name.
    entered: bool,
}

/// Why a directive is none.
pub(super) struct Malformed {
    /// What is wrong.
    pub message: &'static str,
    /// How many bytes of the text after the brace belong to it.
    pub len: usize,
}

impl Directives {
    /// Reads the directive whose brace stands at `lo` before `rest`, which begins at `base`. Returns
    /// the number of bytes after the brace; `None` if no word of a directive follows the brace.
    pub(super) fn read(&mut self, rest: &str, lo: u32) -> Option<Result<usize, Malformed>> {
        let mut tokens = Tok::lexer(rest);
        let is_word = tokens.next() == Some(Ok(Tok::Name));
        let word = tokens.slice();
        if !is_word || !matches!(word, "at" | "name") {
            return None;
        }
        let mut arguments: Vec<(Tok, &str)> = Vec::new();
        let mut end = tokens.span().end;
        let closed = loop {
            match tokens.next() {
                Some(Ok(Tok::Brace)) if tokens.slice() == "}" => break true,
                Some(Ok(tok @ (Tok::Int | Tok::Text))) if arguments.len() < 6 => {
                    arguments.push((tok, tokens.slice()));
                }
                Some(Ok(Tok::Int | Tok::Text)) => {}
                _ => break false,
            }
            end = tokens.span().end;
        };
        let fail = |message, len| Some(Err(Malformed { message, len }));
        if !closed {
            return fail("this directive is not closed, or holds what does not belong in it", end);
        }
        let end = tokens.span().end;
        let kind = match word {
            "at" => self.origin(&arguments).map(Kind::At),
            _ => display_name(&arguments).map(Kind::Name),
        };
        match kind {
            Ok(kind) => {
                self.pending.push((Span::new(lo, lo + 1 + end as u32), kind));
                Some(Ok(end))
            }
            Err(message) => fail(message, end),
        }
    }

    /// Returns the origin that the arguments of `at` say.
    fn origin(&mut self, arguments: &[(Tok, &str)]) -> Result<Origin, &'static str> {
        let numbers = match arguments {
            [(Tok::Text, file), numbers @ ..] => {
                self.file = Some(self.file_number(&text(file)?));
                numbers
            }
            numbers => numbers,
        };
        let numbers: Option<Vec<u32>> = numbers
            .iter()
            .map(|(tok, text)| (*tok == Tok::Int).then(|| text.parse().ok()).flatten())
            .map(|number| number.filter(|&number| number > 0))
            .collect();
        let form =
            "`at` has a file, a line and a column, and may have a line and a column of the end";
        let (start, end) = match numbers.as_deref() {
            Some(&[line, column]) => ((line, column), None),
            Some(&[line, column, last, end]) => ((line, column), Some((last, end))),
            _ => return Err(form),
        };
        if end.is_some_and(|end| end < start) {
            return Err("this directive ends before it starts");
        }
        let file = self.file.ok_or("no directive before this one has named a file")?;
        Ok(Origin { file, start, end })
    }

    fn file_number(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let number = self.files.len() as u32;
        self.files.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// Returns whether the next token means nothing here.
    pub(super) fn is_idle(&self) -> bool {
        self.pending.is_empty() && self.open.is_empty() && !self.entered
    }

    /// Notes the next token, `None` at the end of the text. Returns the directives that stand
    /// before no form.
    pub(super) fn token(&mut self, token: Option<Spanned>) -> Vec<Span> {
        let mut lost = Vec::new();
        let (lo, tok, hi) = token.unwrap_or((u32::MAX, Tok::RParen, u32::MAX));
        if std::mem::take(&mut self.entered)
            && let Some(name) = self.names.last_mut()
        {
            name.inner = Some(lo);
        }
        let opens = matches!(tok, Tok::LParen | Tok::LSquare);
        let closes = matches!(tok, Tok::RParen | Tok::RSquare);
        for (span, kind) in self.pending.drain(..) {
            match kind {
                _ if closes => lost.push(span),
                Kind::At(origin) => {
                    self.origins.push((Span::new(lo, hi), origin));
                    if opens {
                        self.open.push((self.origins.len() - 1, self.depth));
                    }
                }
                Kind::Name(text) => {
                    self.names.push(DisplayName { text, span, at: lo, inner: None });
                    self.entered = opens;
                }
            }
        }
        if opens && !self.open.is_empty() {
            self.depth += 1;
        } else if closes {
            self.depth = self.depth.saturating_sub(1);
            while let Some(&(at, depth)) = self.open.last()
                && (depth == self.depth || token.is_none())
            {
                if let Some((span, _)) = self.origins.get_mut(at)
                    && token.is_some()
                {
                    span.hi = hi;
                }
                self.open.pop();
            }
        }
        lost
    }
}

/// Returns the text of a STRING.
fn text(literal: &str) -> Result<String, &'static str> {
    let body = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    let text: Option<String> = decode(body).map(|(c, _)| c.ok()).collect();
    text.filter(|text| !text.is_empty()).ok_or("this text is empty or has an escape that is none")
}

/// Returns the display name that the arguments of `name` say.
fn display_name(arguments: &[(Tok, &str)]) -> Result<Box<str>, &'static str> {
    match arguments {
        [(Tok::Text, name)] => text(name).map(String::into_boxed_str),
        _ => Err("`name` has one STRING, the name that is shown"),
    }
}

//! The dump that MicroHs writes of its desugared core: an index of its definitions, and the parser
//! of their bodies.
//!
//! ```text
//! line ::= NAME = e
//! e    ::= NAME | {LINE COLUMN}NAME | (e e) | (\x. e) | (let x = e in e)
//!        | #INT | ##INT | &FLOAT | &&FLOAT | "TEXT" | ^"BYTES" | ^CNAME
//! ```
//!
//! A name ends at a blank or at a bracket that closes none of its own; it may hold balanced brackets
//! and quoted texts.

use std::collections::HashMap;
use std::fmt;

/// A position of an expression in [`Terms`].
pub type TermId = u32;

/// A line and a column of the original text, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// An expression of the dump.
#[derive(Clone, PartialEq, Debug)]
pub enum Term<'a> {
    /// A name: of a variable, of a definition or of a primitive.
    Name(&'a str, Option<Place>),
    /// A word, by its digits.
    Int(&'a str),
    /// A float, as Haskell writes it.
    Double(&'a str),
    /// A float of single precision.
    Float(&'a str),
    /// A text.
    Text(String),
    /// A byte string, a character for each byte.
    Bytes(String),
    /// A function of C.
    Foreign(&'a str),
    /// An application.
    Apply(TermId, TermId),
    /// A function.
    Lambda(&'a str, TermId),
    /// A binding, not recursive.
    Let(&'a str, TermId, TermId),
}

/// Expressions, which refer to each other by position.
pub type Terms<'a> = Vec<Term<'a>>;

/// A definition of the dump.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a> {
    /// The module that it is in.
    pub module: &'a str,
    /// The text of its body.
    pub body: &'a str,
    /// The line of the dump that it is on.
    pub line: usize,
}

/// The definitions of one dump or several.
#[derive(Default, Debug)]
pub struct Dump<'a> {
    /// All definitions by name; the last one of a name counts.
    pub definitions: HashMap<&'a str, Definition<'a>>,
    /// The names in the order of the dump; one that is defined again is there again, like a class
    /// that was dumped in part before, because modules import each other.
    pub names: Vec<&'a str>,
}

/// What is wrong with a dump.
#[derive(Debug)]
pub struct DumpError {
    /// The line of the dump.
    pub line: usize,
    /// What was expected there.
    pub message: String,
}

impl fmt::Display for DumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the dump: {}", self.line, self.message)
    }
}

impl std::error::Error for DumpError {}

impl<'a> Dump<'a> {
    /// Adds the definitions of a text. Lines that are no definitions are passed over.
    pub fn add(&mut self, text: &'a str) {
        let mut module = "";
        for (at, line) in text.lines().enumerate() {
            if let Some(name) = line.strip_prefix("Tmodule ") {
                module = name;
            } else if let Some((name, body)) = line.split_once(" = ")
                && !name.is_empty()
                && !name.starts_with(' ')
            {
                let definition = Definition { module, body, line: at + 1 };
                self.definitions.insert(name, definition);
                self.names.push(name);
            }
        }
    }
}

impl<'a> Definition<'a> {
    /// Parses the body into `terms`.
    ///
    /// # Errors
    /// When it is not of the grammar.
    pub fn parse(&self, terms: &mut Terms<'a>) -> Result<TermId, DumpError> {
        let mut parser = Parser { text: self.body, at: 0, line: self.line, terms };
        let term = parser.term()?;
        if parser.at < self.body.len() {
            return Err(parser.error("nothing more is due here"));
        }
        Ok(term)
    }
}

struct Parser<'a, 't> {
    text: &'a str,
    at: usize,
    line: usize,
    terms: &'t mut Terms<'a>,
}

impl<'a> Parser<'a, '_> {
    fn error(&self, message: &str) -> DumpError {
        let rest = self.rest().chars().take(30).collect::<String>();
        DumpError { line: self.line, message: format!("{message}, before `{rest}`") }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn take(&mut self, wanted: &str) -> Result<(), DumpError> {
        if !self.rest().starts_with(wanted) {
            return Err(self.error(&format!("`{wanted}` is due")));
        }
        self.at += wanted.len();
        Ok(())
    }

    fn push(&mut self, term: Term<'a>) -> TermId {
        self.terms.push(term);
        self.terms.len() as TermId - 1
    }

    /// Reads a bound name, and what ends it.
    fn bound(&mut self, end: &str) -> Result<&'a str, DumpError> {
        let rest = self.rest();
        let len = rest.find(end).ok_or_else(|| self.error("a bound name is due"))?;
        self.at += len + end.len();
        Ok(&rest[..len])
    }

    fn term(&mut self) -> Result<TermId, DumpError> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.term_here())
    }

    fn term_here(&mut self) -> Result<TermId, DumpError> {
        let rest = self.rest();
        if rest.starts_with("(let ") {
            self.at += 5;
            let name = self.bound(" = ")?;
            let value = self.term()?;
            self.take(" in ")?;
            let body = self.term()?;
            self.take(")")?;
            return Ok(self.push(Term::Let(name, value, body)));
        }
        if rest.starts_with("(\\") {
            self.at += 2;
            let name = self.bound(". ")?;
            let body = self.term()?;
            self.take(")")?;
            return Ok(self.push(Term::Lambda(name, body)));
        }
        if rest.starts_with('(') {
            self.at += 1;
            let function = self.term()?;
            self.take(" ")?;
            let argument = self.term()?;
            self.take(")")?;
            return Ok(self.push(Term::Apply(function, argument)));
        }
        if rest.starts_with('"') {
            let text = self.quoted()?;
            return Ok(self.push(Term::Text(text)));
        }
        if rest.starts_with("^\"") {
            self.at += 1;
            let bytes = self.quoted()?;
            return Ok(self.push(Term::Bytes(bytes)));
        }
        let place = self.place();
        let word = self.word()?;
        let is_number = |text: &str| {
            text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
                || matches!(text, "NaN" | "Infinity" | "-Infinity")
        };
        let term = if let Some(digits) = word.strip_prefix("##").filter(|text| is_number(text)) {
            Term::Int(digits)
        } else if let Some(digits) = word.strip_prefix('#').filter(|text| is_number(text)) {
            Term::Int(digits)
        } else if let Some(digits) = word.strip_prefix("&&").filter(|text| is_number(text)) {
            Term::Float(digits)
        } else if let Some(digits) = word.strip_prefix('&').filter(|text| is_number(text)) {
            Term::Double(digits)
        } else if let Some(name) = word.strip_prefix('^').filter(|name| !name.is_empty()) {
            Term::Foreign(name)
        } else {
            Term::Name(word, place)
        };
        Ok(self.push(term))
    }

    /// Reads the place before a name.
    fn place(&mut self) -> Option<Place> {
        let (inside, _) = self.rest().strip_prefix('{')?.split_once('}')?;
        let (line, column) = inside.split_once(' ')?;
        let place = Place { line: line.parse().ok()?, column: column.parse().ok()? };
        self.at += inside.len() + 2;
        Some(place)
    }

    /// Reads a token, up to a blank or a bracket that closes none of its own.
    fn word(&mut self) -> Result<&'a str, DumpError> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let (mut depth, mut end) = (0usize, 0);
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' if depth == 0 => break,
                b')' | b']' => depth = depth.saturating_sub(1),
                b' ' if depth == 0 => break,
                b'"' => {
                    end += 1;
                    while bytes.get(end).is_some_and(|&byte| byte != b'"') {
                        end += if bytes[end] == b'\\' { 2 } else { 1 };
                    }
                }
                _ => {}
            }
            end += 1;
        }
        if end == 0 || end > rest.len() {
            return Err(self.error("an expression is due"));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// Reads a text, with the escapes of Haskell.
    fn quoted(&mut self) -> Result<String, DumpError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(self.error("the end of a text is due"));
            };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(text),
                '\\' => text.extend(self.escape()?),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<Option<char>, DumpError> {
        const NAMES: [&str; 34] = [
            "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF",
            "CR", "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM",
            "SUB", "ESC", "FS", "GS", "RS", "US", "SP", "DEL",
        ];
        let rest = self.rest();
        if let Some(c) = rest.chars().next() {
            let simple = match c {
                'n' => Some('\n'),
                't' => Some('\t'),
                'r' => Some('\r'),
                'a' => Some('\x07'),
                'b' => Some('\x08'),
                'f' => Some('\x0c'),
                'v' => Some('\x0b'),
                '"' | '\\' | '\'' => Some(c),
                _ => None,
            };
            if simple.is_some() {
                self.at += 1;
                return Ok(simple);
            }
            if c == '&' {
                self.at += 1;
                return Ok(None);
            }
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let code = rest[..digits].parse().map_err(|_| self.error("a code point is due"))?;
            self.at += digits;
            // A surrogate, which a text of Haskell may hold, is no character here.
            return Ok(Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)));
        }
        // `SOH` goes before `SO`: the longest name counts.
        let named = NAMES.iter().zip(0u8..).filter(|(name, _)| rest.starts_with(**name));
        let Some((name, code)) = named.max_by_key(|(name, _)| name.len()) else {
            return Err(self.error("an escape is due"));
        };
        self.at += name.len();
        Ok(Some(char::from(if *name == "DEL" { 127 } else { code })))
    }
}

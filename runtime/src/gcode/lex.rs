//! The tokens of a listing.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

use super::print::{continues_name, starts_name};
use crate::base::float::Float;
use crate::base::quote::for_message;

/// A listing that cannot be read, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
    /// One sentence, no full stop.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A bare name.
    Name(String),
    /// An integer: digits, perhaps after a minus sign.
    Number(String),
    /// A FLOAT.
    Float(Float),
    /// A CHAR.
    Char(char),
    /// A STRING: a text, or a name that is not bare.
    Text(String),
    /// One of `/ : = [ ]`.
    Mark(char),
}

/// A token and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub line: u32,
    pub column: u32,
    /// The column after it.
    pub end: u32,
}

/// Returns the tokens of `text`.
///
/// # Errors
/// The first character that starts no token, or the first bad literal.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer { chars: text.chars().peekable(), line: 1, column: 1 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'a> {
    chars: Peekable<Chars<'a>>,
    line: u32,
    column: u32,
}

impl Lexer<'_> {
    fn bump(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        if c == '\n' {
            self.line = self.line.saturating_add(1);
            self.column = 1;
        } else {
            self.column = self.column.saturating_add(1);
        }
        Some(c)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { line: self.line, column: self.column, message: message.into() })
    }

    fn token(&mut self) -> Result<Option<Token>, ParseError> {
        while let Some(&c) = self.chars.peek() {
            if c == ';' {
                while self.chars.peek().is_some_and(|&c| c != '\n') {
                    self.bump();
                }
            } else if c.is_whitespace() {
                self.bump();
            } else {
                break;
            }
        }
        let (line, column) = (self.line, self.column);
        let Some(&first) = self.chars.peek() else { return Ok(None) };
        let kind = match first {
            '/' | ':' | '=' | '[' | ']' | '!' => {
                self.bump();
                Kind::Mark(first)
            }
            '"' => Kind::Text(self.quoted('"')?),
            '\'' => {
                let text = self.quoted('\'')?;
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => Kind::Char(c),
                    _ => return self.error("a CHAR has one character"),
                }
            }
            '-' | '+' | '0'..='9' => {
                self.bump();
                let mut text = String::from(first);
                // A sign goes on with a special value, or with digits; after `e` comes another.
                let mut is_float = first == '+';
                while let Some(c) = self.chars.next_if(|&c| {
                    let exponent_sign = matches!(c, '+' | '-') && text.ends_with(['e', 'E']);
                    c.is_ascii_alphanumeric() || c == '.' || exponent_sign
                }) {
                    self.column = self.column.saturating_add(1);
                    is_float |= !c.is_ascii_digit();
                    text.push(c);
                }
                if text == "-" {
                    return self.error("expected a digit");
                }
                match Float::parse(&text) {
                    _ if !is_float => Kind::Number(text),
                    Some(float) => Kind::Float(float),
                    None => return self.error("this is no number"),
                }
            }
            first if starts_name(first) => {
                let mut name = String::new();
                while self.chars.peek().is_some_and(|&c| continues_name(c)) {
                    name.extend(self.bump());
                }
                Kind::Name(name)
            }
            other => {
                return self
                    .error(format!("no token starts with {}", for_message(&other.to_string())));
            }
        };
        Ok(Some(Token { kind, line, column, end: self.column }))
    }

    /// Returns what stands between two `quote`s, escapes resolved.
    fn quoted(&mut self, quote: char) -> Result<String, ParseError> {
        self.bump();
        let mut text = String::new();
        loop {
            match self.chars.peek() {
                None | Some('\n') => return self.error("the quote is not closed on this line"),
                Some('\\') => {
                    self.bump();
                    text.push(self.escape()?);
                }
                Some(&c) => {
                    self.bump();
                    if c == quote {
                        return Ok(text);
                    }
                    text.push(c);
                }
            }
        }
    }

    /// Reads an escape sequence, after its backslash.
    fn escape(&mut self) -> Result<char, ParseError> {
        Ok(match self.chars.peek() {
            Some('u') => {
                self.bump();
                return self.code_point();
            }
            Some('n') => self.escaped('\n'),
            Some('t') => self.escaped('\t'),
            Some('r') => self.escaped('\r'),
            Some('0') => self.escaped('\0'),
            Some(&c @ ('\\' | '\'' | '"')) => self.escaped(c),
            _ => return self.error("this is no escape"),
        })
    }

    fn escaped(&mut self, c: char) -> char {
        self.bump();
        c
    }

    /// Reads a code point in hexadecimal, `{HEX}`.
    fn code_point(&mut self) -> Result<char, ParseError> {
        let mut digits = String::new();
        if self.chars.peek() == Some(&'{') {
            self.bump();
            while let Some(&c) = self.chars.peek()
                && c.is_ascii_hexdigit()
                && digits.len() <= 6
            {
                digits.push(c);
                self.bump();
            }
            if self.chars.peek() == Some(&'}')
                && let Some(c) = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)
            {
                self.bump();
                return Ok(c);
            }
        }
        self.error("\\u is followed by the number of a character, in hexadecimal, in braces")
    }
}

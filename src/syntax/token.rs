//! Tokens.

use logos::{Lexer, Logos};
use unicode_ident::{is_xid_continue, is_xid_start};

/// A token. It has no fields: the text of a literal or a name is read from the source text
/// when the tree is built.
///
/// The expressions know the letters of ASCII alone, and functions read on where others follow:
/// tables of all letters would make the automaton the largest function of the library by far.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+")]
#[logos(skip(r";[^\n]*", allow_greedy = true))]
pub enum Tok {
    /// `(`
    #[token("(")]
    LParen,
    /// `)`
    #[token(")")]
    RParen,
    /// `[`
    #[token("[")]
    LSquare,
    /// `]`
    #[token("]")]
    RSquare,
    /// An integer.
    #[regex("-?[0-9]+", |lexer| number(lexer, Tok::Int), priority = 30)]
    Int,
    /// A float.
    #[regex(r"-?[0-9]+\.[0-9]+([eE][+\-]?[0-9]+)?", |lexer| number(lexer, Tok::Float), priority = 40)]
    #[regex(r"-?[0-9]+[eE][+\-]?[0-9]+", |lexer| number(lexer, Tok::Float), priority = 40)]
    #[token("+inf.0", priority = 40)]
    #[token("-inf.0", priority = 40)]
    #[token("+nan.0", priority = 40)]
    Float,
    /// A character; its escapes are sound.
    #[regex(r"'([^'\\\n]|\\[^\nu]|\\u\{[^'}\n]*\})'")]
    Char,
    /// A string; its escapes are sound.
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    /// A name.
    #[regex(r"[A-Za-z_][A-Za-z0-9_\-'?!]*", |lexer| name(lexer, Tok::Name))]
    #[regex(r"[^\x00-\x7F]", |lexer| initial(lexer, Tok::Name))]
    Name,
    /// A primitive by the name that nothing hides: `#add`.
    #[regex(r"#[A-Za-z_][A-Za-z0-9_\-'?!]*", |lexer| primitive(lexer))]
    #[regex(r"#[^\x00-\x7F]", |lexer| initial(lexer, Tok::Primitive))]
    Primitive,
    /// `_` alone.
    #[token("_", |lexer| name(lexer, Tok::Underscore), priority = 10)]
    Underscore,
    /// `defn`
    #[token("defn", |lexer| name(lexer, Tok::Defn), priority = 20)]
    Defn,
    /// `data`
    #[token("data", |lexer| name(lexer, Tok::Data), priority = 20)]
    Data,
    /// `import`
    #[token("import", |lexer| name(lexer, Tok::Import), priority = 20)]
    Import,
    /// `let`
    #[token("let", |lexer| name(lexer, Tok::Let), priority = 20)]
    Let,
    /// `letrec`
    #[token("letrec", |lexer| name(lexer, Tok::Letrec), priority = 20)]
    Letrec,
    /// `fn`
    #[token("fn", |lexer| name(lexer, Tok::Fn), priority = 20)]
    Fn,
    /// `case`
    #[token("case", |lexer| name(lexer, Tok::Case), priority = 20)]
    Case,
    /// A token that has been reported. The grammar takes it for anything.
    Bad,
    /// A number that runs into a name or another number. Inside the lexer only.
    #[regex(r"-?[0-9]+([A-Za-z0-9_\-'?!.]|[eE]\+[0-9])+", |lexer| number(lexer, Tok::BadNumber))]
    BadNumber,
    /// A quote that starts no sound CHAR. Inside the lexer only.
    #[token("'")]
    BadQuote,
    /// A string up to the end of its line. Inside the lexer only.
    #[regex(r#""([^"\\\n]|\\[^\n])*\\?"#)]
    OpenText,
    /// The start of a block comment. Inside the lexer only.
    #[token("#|")]
    OpenComment,
    /// A brace. Inside the lexer only.
    #[regex(r"[{}]")]
    Brace,
}

/// Returns whether a name goes on with `c`.
pub(super) fn continues_name(c: char) -> bool {
    matches!(c, '-' | '\'' | '?' | '!') || is_xid_continue(c)
}

/// Reads on to the end of a name, whose ASCII letters so far are those of `token`.
fn name(lexer: &mut Lexer<'_, Tok>, token: Tok) -> Tok {
    let rest = lexer.remainder();
    let len = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
    lexer.bump(len);
    if len == 0 { token } else { Tok::Name }
}

/// Reads on to the end of the name of a primitive.
fn primitive(lexer: &mut Lexer<'_, Tok>) -> Tok {
    name(lexer, Tok::Primitive);
    Tok::Primitive
}

/// Reads a name or a primitive whose name begins with the last character read.
fn initial(lexer: &mut Lexer<'_, Tok>, token: Tok) -> Result<Tok, ()> {
    if !lexer.slice().chars().next_back().is_some_and(is_xid_start) {
        return Err(());
    }
    name(lexer, token);
    Ok(token)
}

/// Reads on to the end of what a number runs into; returns `token` if there is none of that.
fn number(lexer: &mut Lexer<'_, Tok>, token: Tok) -> Tok {
    let mut rest = lexer.remainder();
    let len = rest.len();
    loop {
        rest = match rest.as_bytes() {
            [b'e' | b'E', b'+', b'0'..=b'9', ..] => &rest[3..],
            _ => match rest.strip_prefix(|c| c == '.' || continues_name(c)) {
                Some(after) => after,
                None => break,
            },
        };
    }
    lexer.bump(len - rest.len());
    if len == rest.len() { token } else { Tok::BadNumber }
}

/// A token and the global positions where it starts and ends.
pub type Spanned = (u32, Tok, u32);

impl Tok {
    /// Returns what a listing calls the kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Tok::LParen => "left-paren",
            Tok::RParen => "right-paren",
            Tok::LSquare => "left-square",
            Tok::RSquare => "right-square",
            Tok::Int => "integer",
            Tok::Float => "float",
            Tok::Char => "character",
            Tok::Text => "string",
            Tok::Name => "name",
            Tok::Primitive => "primitive",
            Tok::Underscore => "underscore",
            Tok::Defn | Tok::Data | Tok::Import => "keyword",
            Tok::Let | Tok::Letrec | Tok::Fn | Tok::Case => "keyword",
            Tok::Bad | Tok::BadNumber | Tok::BadQuote => "error",
            Tok::OpenText | Tok::OpenComment | Tok::Brace => "error",
        }
    }

    /// Returns whether it is the keyword of something at the top level.
    #[must_use]
    pub const fn starts_item(self) -> bool {
        matches!(self, Tok::Defn | Tok::Data | Tok::Import)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Tok, &str)> {
        Tok::lexer(text)
            .spanned()
            .map(|(tok, range)| (tok.unwrap_or(Tok::Bad), &text[range]))
            .collect()
    }

    #[test]
    fn the_longest_token_wins() {
        assert_eq!(
            kinds("letrec let letter"),
            [(Tok::Letrec, "letrec"), (Tok::Let, "let"), (Tok::Name, "letter"),]
        );
        assert_eq!(
            kinds("_ _x __ x'"),
            [(Tok::Underscore, "_"), (Tok::Name, "_x"), (Tok::Name, "__"), (Tok::Name, "x'"),]
        );
        assert_eq!(
            kinds("-5 5-3 12ab -"),
            [(Tok::Int, "-5"), (Tok::BadNumber, "5-3"), (Tok::BadNumber, "12ab"), (Tok::Bad, "-"),]
        );
        assert_eq!(
            kinds("letrecé défn _λ #é ζ-1 12ab€ 12é. 1.5é 1e5e+5é3e+5 1ée+x"),
            [
                (Tok::Name, "letrecé"),
                (Tok::Name, "défn"),
                (Tok::Name, "_λ"),
                (Tok::Primitive, "#é"),
                (Tok::Name, "ζ-1"),
                (Tok::BadNumber, "12ab"),
                (Tok::Bad, "€"),
                (Tok::BadNumber, "12é."),
                (Tok::BadNumber, "1.5é"),
                (Tok::BadNumber, "1e5e+5é3e+5"),
                (Tok::BadNumber, "1ée"),
                (Tok::Bad, "+"),
                (Tok::Name, "x"),
            ]
        );
        assert_eq!(
            kinds("1.5 6.02e23 -0.5E-3 1e+5 +inf.0 -inf.0 +nan.0"),
            [
                (Tok::Float, "1.5"),
                (Tok::Float, "6.02e23"),
                (Tok::Float, "-0.5E-3"),
                (Tok::Float, "1e+5"),
                (Tok::Float, "+inf.0"),
                (Tok::Float, "-inf.0"),
                (Tok::Float, "+nan.0"),
            ]
        );
        for text in
            ["1.", "1.5.2", "1.5x", "1e", "1.e5", "1e5-3", "1e+5x", "1.5e", "12.ab", "1e+5.2"]
        {
            assert_eq!(kinds(text), [(Tok::BadNumber, text)]);
        }
        assert_eq!(kinds(".5"), [(Tok::Bad, "."), (Tok::Int, "5")]);
        assert_eq!(
            kinds("foldl' 'a' empty? set! add-1 λ"),
            [
                (Tok::Name, "foldl'"),
                (Tok::Char, "'a'"),
                (Tok::Name, "empty?"),
                (Tok::Name, "set!"),
                (Tok::Name, "add-1"),
                (Tok::Name, "λ"),
            ]
        );
    }

    #[test]
    fn a_number_sign_and_a_name_are_a_primitive() {
        assert_eq!(
            kinds("#add #x' # add"),
            [
                (Tok::Primitive, "#add"),
                (Tok::Primitive, "#x'"),
                (Tok::Bad, "#"),
                (Tok::Name, "add"),
            ]
        );
    }

    #[test]
    fn quotes_close_on_their_line() {
        assert_eq!(kinds("'\\'' '\\u{41}' '\"'").len(), 3);
        assert_eq!(kinds("\"a\\\"b\" \"\""), [(Tok::Text, "\"a\\\"b\""), (Tok::Text, "\"\"")]);
        assert_eq!(kinds("\"ab\nc"), [(Tok::OpenText, "\"ab"), (Tok::Name, "c")]);
        assert_eq!(kinds("\"ab\\\nc"), [(Tok::OpenText, "\"ab\\"), (Tok::Name, "c")]);
    }

    #[test]
    fn a_token_is_a_byte() {
        assert_eq!(size_of::<Tok>(), 1);
    }
}

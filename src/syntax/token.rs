//! Tokens.

use logos::Logos;

/// A token. It has no fields: the text of a literal or a name is read from the source text
/// when the tree is built.
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
    #[regex("-?[0-9]+", priority = 30)]
    Int,
    /// A float.
    #[regex(r"-?[0-9]+\.[0-9]+([eE][+\-]?[0-9]+)?", priority = 40)]
    #[regex(r"-?[0-9]+[eE][+\-]?[0-9]+", priority = 40)]
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
    #[regex(r"[\p{XID_Start}_][\p{XID_Continue}\-'?!]*")]
    Name,
    /// A primitive by the name that nothing hides: `#add`.
    #[regex(r"#[\p{XID_Start}_][\p{XID_Continue}\-'?!]*")]
    Primitive,
    /// `_` alone.
    #[token("_", priority = 10)]
    Underscore,
    /// `defn`
    #[token("defn", priority = 20)]
    Defn,
    /// `data`
    #[token("data", priority = 20)]
    Data,
    /// `import`
    #[token("import", priority = 20)]
    Import,
    /// `let`
    #[token("let", priority = 20)]
    Let,
    /// `letrec`
    #[token("letrec", priority = 20)]
    Letrec,
    /// `fn`
    #[token("fn", priority = 20)]
    Fn,
    /// `case`
    #[token("case", priority = 20)]
    Case,
    /// A token that has been reported. The grammar takes it for anything.
    Bad,
    /// A number that runs into a name or another number. Inside the lexer only.
    #[regex(r"-?[0-9]+([\p{XID_Continue}\-'?!.]|[eE]\+[0-9])+")]
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

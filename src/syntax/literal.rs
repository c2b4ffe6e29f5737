//! The inside of CHAR and STRING literals.

use std::ops::Range;

/// What is wrong with an escape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EscapeError {
    /// `\q`, or a backslash at the end.
    Unknown,
    /// `\u` that is not followed by `{`, hexadecimal digits and `}`.
    Malformed,
    /// A surrogate, which is no character.
    Surrogate,
    /// A number above 10FFFF.
    TooLarge,
}

/// Returns the characters of a literal, given its text between the quotes, or for a bad escape
/// its error, each with the range of `body` that it takes.
pub fn decode(body: &str) -> impl Iterator<Item = (Result<char, EscapeError>, Range<usize>)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = body.get(at..)?;
        let first = rest.chars().next()?;
        let (result, len) =
            if first == '\\' { escape(rest) } else { (Ok(first), first.len_utf8()) };
        let range = at..at + len;
        at += len;
        Some((result, range))
    })
}

/// Returns the escape at the start of `text`, and its length.
fn escape(text: &str) -> (Result<char, EscapeError>, usize) {
    let Some(letter) = text.chars().nth(1) else { return (Err(EscapeError::Unknown), 1) };
    let simple = match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        '\\' | '\'' | '"' => letter,
        'u' => return code_point(text),
        _ => return (Err(EscapeError::Unknown), 1 + letter.len_utf8()),
    };
    (Ok(simple), 2)
}

/// Returns the `\u{HEX}` at the start of `text`, and its length.
fn code_point(text: &str) -> (Result<char, EscapeError>, usize) {
    let Some(inner) = text.strip_prefix("\\u{") else { return (Err(EscapeError::Malformed), 2) };
    let digits = inner.bytes().take_while(u8::is_ascii_hexdigit).count();
    let (hex, after) = inner.split_at(digits);
    if digits == 0 || !after.starts_with('}') {
        let len = match after.find(['}', '\\', '"', '\'', ' ']) {
            Some(end) if after[end..].starts_with('}') => 3 + digits + end + 1,
            Some(end) => 3 + digits + end,
            None => text.len(),
        };
        return (Err(EscapeError::Malformed), len);
    }
    // A number of any length: what is too large stays so.
    let value = hex.bytes().fold(0u32, |value, digit| {
        let digit = char::from(digit).to_digit(16).unwrap_or(0);
        value.saturating_mul(16).saturating_add(digit)
    });
    let result = match char::from_u32(value) {
        Some(c) => Ok(c),
        None if value > 0x10FFFF => Err(EscapeError::TooLarge),
        None => Err(EscapeError::Surrogate),
    };
    (result, 3 + digits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_characters() {
        let text: String = decode(r#"a\n\t\r\0\\\'\"\u{3bb}\u{0000041}λ"#)
            .map(|(c, _)| c.expect("sound"))
            .collect();
        assert_eq!(text, "a\n\t\r\0\\'\"λAλ");
    }

    #[test]
    fn bad_escapes_are_found_where_they_stand() {
        let bad =
            |body| decode(body).filter_map(|(c, at)| c.err().map(|e| (e, at))).collect::<Vec<_>>();
        assert_eq!(bad(r"a\qb"), [(EscapeError::Unknown, 1..3)]);
        assert_eq!(bad(r"\u41"), [(EscapeError::Malformed, 0..2)]);
        assert_eq!(bad(r"\u{}x"), [(EscapeError::Malformed, 0..4)]);
        assert_eq!(bad(r"\u{4g}x"), [(EscapeError::Malformed, 0..6)]);
        assert_eq!(bad(r"\u{41 x"), [(EscapeError::Malformed, 0..5)]);
        assert_eq!(bad(r"\u{D800}"), [(EscapeError::Surrogate, 0..8)]);
        assert_eq!(bad(r"\u{110000}"), [(EscapeError::TooLarge, 0..10)]);
        assert_eq!(bad(r"\u{fffffffffffffffffffff}").len(), 1);
        assert_eq!(bad("\\λ\\"), [(EscapeError::Unknown, 0..3), (EscapeError::Unknown, 3..4)]);
    }
}

//! CHAR and STRING literals as text, and user text in messages.

/// Appends `c` as it stands inside a literal whose quote is `quote`: the backslash, that
/// quote and control characters escaped, everything else as it is.
pub fn escape_char(out: &mut String, c: char, quote: char) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\0' => out.push_str("\\0"),
        c if c == quote => {
            out.push('\\');
            out.push(c);
        }
        c if c.is_control() => out.push_str(&format!("\\u{{{:X}}}", c as u32)),
        c => out.push(c),
    }
}

/// `c` as a CHAR literal.
#[must_use]
pub fn char_literal(c: char) -> String {
    let mut out = String::from("'");
    escape_char(&mut out, c, '\'');
    out.push('\'');
    out
}

/// `text` as a STRING literal.
#[must_use]
pub fn string_literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    text.chars().for_each(|c| escape_char(&mut out, c, '"'));
    out.push('"');
    out
}

/// How many characters of a user's text a message shows.
const SHOWN: usize = 60;

/// Text of a user as a message shows it: control characters and what would change the
/// terminal or the direction of the text escaped, long text cut with an ellipsis.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == SHOWN {
            out.push('…');
            break;
        }
        if drives_display(c) {
            out.push_str(&format!("\\u{{{:X}}}", c as u32));
        } else {
            out.push(c);
        }
    }
    out
}

/// `no fields`, `1 field`, `2 fields`.
#[must_use]
pub fn counted(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Whether `c` shows nothing by itself but changes what a terminal shows: control characters,
/// and what joins, hides or turns round its neighbours.
#[must_use]
pub fn drives_display(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_escape_their_own_quote_only() {
        assert_eq!(char_literal('"'), "'\"'");
        assert_eq!(char_literal('\''), "'\\''");
        assert_eq!(string_literal("a\"'\\\n\u{1b}λ"), "\"a\\\"'\\\\\\n\\u{1B}λ\"");
    }

    #[test]
    fn shown_text_cannot_drive_a_terminal() {
        assert_eq!(shown("a\u{1b}[31mb\u{202E}"), "a\\u{1B}[31mb\\u{202E}");
        assert_eq!(shown(&"x".repeat(100)).chars().count(), SHOWN + 1);
    }
}

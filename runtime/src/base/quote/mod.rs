//! CHAR and STRING literals as text, and user text in messages.

mod escaped;

use escaped::ESCAPED;

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

/// Returns `c` as a CHAR literal.
#[must_use]
pub fn char_literal(c: char) -> String {
    let mut out = String::from("'");
    escape_char(&mut out, c, '\'');
    out.push('\'');
    out
}

/// Returns `text` as a STRING literal.
#[must_use]
pub fn string_literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    text.chars().for_each(|c| escape_char(&mut out, c, '"'));
    out.push('"');
    out
}

/// The greatest number of characters of a user's text in a message.
const SHOWN: usize = 60;

/// Returns a text as a JSON string.
#[must_use]
pub fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns text of a user for a message: characters that [`needs_escape`] are escaped, and
/// text of more than 60 characters is cut and ends in an ellipsis.
#[must_use]
pub fn for_message(text: &str) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == SHOWN {
            out.push('…');
            break;
        }
        if needs_escape(c) {
            out.push_str(&format!("\\u{{{:X}}}", c as u32));
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns `c` as a CHAR literal for a message: escaped too if it [`needs_escape`].
#[must_use]
pub fn char_for_message(c: char) -> String {
    // A literal has control characters escaped anyway, some with a letter.
    match needs_escape(c) && !c.is_control() {
        true => format!("'{}'", for_message(c.encode_utf8(&mut [0; 4]))),
        false => char_literal(c),
    }
}

/// How deep a constructed value is shown in a message about it.
pub const SHOWN_DEPTH: u32 = 3;

/// Characters of a text in a message about a value.
const SHOWN_CHARACTERS: usize = 60;

/// Returns a text as a literal, cut to a few words.
#[must_use]
pub fn short_text(text: &str) -> String {
    let short: String = text.chars().take(SHOWN_CHARACTERS).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("\"{short}{more}\"")
}

/// Characters of all fields of a constructor in a message about a value.
const SHOWN_FIELDS: usize = 120;

/// Returns a constructor with its fields, in a few words, fit for a message.
#[must_use]
pub fn constructed(name: &str, fields: impl Iterator<Item = String>) -> String {
    let mut shown = for_message(name);
    let mut any = false;
    for field in fields {
        any = true;
        if shown.len() > SHOWN_FIELDS {
            shown.push_str(" ..");
            break;
        }
        shown.push(' ');
        shown.push_str(&field);
    }
    if any { format!("({shown})") } else { shown }
}

/// The elements of a list in a few words, fit for a message.
#[derive(Default)]
pub struct Elements(String);

impl Elements {
    /// Returns whether another element is shown.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.0.len() <= SHOWN_FIELDS
    }

    /// Appends an element.
    pub fn push(&mut self, element: &str) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        self.0.push_str(element);
    }

    /// Returns the list; `is_all` says whether these are all of its elements.
    #[must_use]
    pub fn end(mut self, is_all: bool) -> String {
        if !is_all {
            self.push("..");
        }
        format!("[{}]", self.0)
    }
}

/// Returns a number with its noun: `no fields`, `1 field`, `2 fields`.
#[must_use]
pub fn counted(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Returns whether `c` is escaped in messages, because a reader does not see it or a terminal
/// acts on it: by General_Category a control, format, line or paragraph separator, private-use
/// or unassigned character, or a Default_Ignorable_Code_Point, or a Bidi_Control.
#[must_use]
pub fn needs_escape(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let after = ESCAPED.partition_point(|&(first, _)| first <= c);
    after.checked_sub(1).is_some_and(|at| c <= ESCAPED[at].1)
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
        assert_eq!(for_message("a\u{1b}[31mb\u{202E}"), "a\\u{1B}[31mb\\u{202E}");
        assert_eq!(for_message(&"x".repeat(100)).chars().count(), SHOWN + 1);
    }

    #[test]
    fn a_character_in_a_message_cannot_drive_a_terminal_and_reads_back() {
        assert_eq!(char_for_message('\u{202E}'), "'\\u{202E}'");
        assert_eq!(char_for_message('\u{1b}'), "'\\u{1B}'");
        assert_eq!(char_for_message('\n'), "'\\n'");
        assert_eq!(char_for_message('\''), "'\\''");
        assert_eq!(char_for_message('λ'), "'λ'");
    }

    #[test]
    fn invisible_characters_are_escaped_and_letters_of_all_scripts_are_not() {
        let steering = "\u{61C}\u{2028}\u{2029}\u{206A}\u{206F}\u{FFF9}\u{FFFB}\u{AD}\u{180E}\
                        \u{34F}\u{115F}\u{3164}\u{E0001}\u{E007F}\u{200D}\u{2066}\u{FEFF}\u{E000}\u{378}";
        assert_eq!(steering.chars().find(|&c| !needs_escape(c)), None);
        assert_eq!("aZ _-λžŠאع中か한ä́😀€".chars().find(|&c| needs_escape(c)), None);
    }

    /// The table agrees with the Unicode Character Database, as another crate has it.
    #[test]
    fn the_escaped_characters_are_those_of_the_named_unicode_properties() {
        let class = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]";
        let hir = regex_syntax::parse(class).expect("the class is well-formed");
        let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) =
            hir.kind()
        else {
            panic!("a class is parsed as one");
        };
        let ranges: Vec<(char, char)> =
            class.iter().map(|range| (range.start(), range.end())).collect();
        let is_escaped = |c: char| ranges.iter().any(|&(first, last)| first <= c && c <= last);
        let edges = ranges.iter().chain(ESCAPED).flat_map(|&(first, last)| {
            let around =
                [u32::from(first).wrapping_sub(1), first.into(), last.into(), u32::from(last) + 1];
            around.into_iter().filter_map(char::from_u32)
        });
        for c in edges {
            assert_eq!(needs_escape(c), is_escaped(c), "{c:?}");
        }
    }
}

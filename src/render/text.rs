//! Pieces of text that are safe to show.

use crate::base::quote::needs_escape;
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::machine::outcome::Waiting;

/// Returns `file:line:col`, if the span is a place.
#[must_use]
pub fn place(sources: &SourceMap, span: Span) -> Option<String> {
    let place = sources.place(span)?;
    Some(format!("{}:{}:{}", one_line(place.file), place.line, place.column))
}

/// How many characters of an expression are shown in a line of text.
const EXPRESSION: usize = 40;

/// Returns what one evaluation waits for: ``take waits for `(f x)` at file:line:col``.
pub(super) fn waiting(waiting: &Waiting, sources: &SourceMap) -> String {
    let mut line = one_line(&waiting.name);
    let text = sources.text(waiting.span);
    if !text.is_empty() {
        line.push_str(&format!(" waits for `{}`", short_expression(text)));
    }
    if let Some(place) = place(sources, waiting.span) {
        line.push_str(" at ");
        line.push_str(&place);
    }
    if waiting.times > 1 {
        line.push_str(&format!(" ({} times)", grouped(waiting.times as u64)));
    }
    line
}

/// Returns what asked for what failed: as [`waiting`], or ``main, defined at file:line:col``.
pub(super) fn asking(outer: &Waiting, sources: &SourceMap) -> String {
    match place(sources, outer.span) {
        Some(place) if sources.text(outer.span) == &*outer.name => {
            format!("{}, defined at {place}", one_line(&outer.name))
        }
        _ => waiting(outer, sources),
    }
}

/// Returns an expression in one line, blanks made one, its end left away if it is long.
#[must_use]
pub fn short_expression(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split_ascii_whitespace() {
        if length > 0 {
            out.push(' ');
        }
        for c in word.chars() {
            if length == EXPRESSION {
                out.push('…');
                return out;
            }
            push_plain(&mut out, c);
            length += 1;
        }
    }
    out
}

/// Returns text that cannot drive a terminal, and stays on its line.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_plain(&mut out, c));
    out
}

/// Returns text that cannot drive a terminal; it keeps its lines.
pub(super) fn plain(text: &str) -> String {
    text.split('\n').map(one_line).collect::<Vec<_>>().join("\n")
}

/// Appends `c`, or its escape if a terminal would act on it.
pub(super) fn push_plain(out: &mut String, c: char) {
    if needs_escape(c) {
        out.push_str(&format!("\\u{{{:X}}}", c as u32));
    } else {
        out.push(c);
    }
}

/// Returns a number with commas between groups of three digits.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_in_groups_of_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}

//! The lines of source that a report shows: only those that are needed, long lines cut to
//! what is around the marks, what would drive a terminal escaped.

use std::ops::Range;

use crate::base::diagnostic::Label;
use crate::base::source::{SourceFile, SourceMap};

use super::text::push_plain;

/// Marks in one file whose lines are no further apart than this share an excerpt.
const NEAR: u32 = 40;
/// A mark over more lines than this is cut to its first line.
const TALL: u32 = 12;
/// How many characters of a line are shown.
const WIDE: usize = 120;
/// How many of them before the first mark.
const BEFORE: usize = 40;

/// Some lines of a file with marks in them.
pub struct Excerpt<'a> {
    /// The file's name.
    pub file: &'a str,
    /// Where the first mark stands: line and column as people count.
    pub place: (u32, u32),
    /// The number of the first line.
    pub first_line: u32,
    /// The lines as they are shown.
    pub text: String,
    /// The marks.
    pub marks: Vec<Mark<'a>>,
    /// Whether there is no text to show: an original that could not be read.
    pub unread: bool,
}

/// A mark in an excerpt.
pub struct Mark<'a> {
    /// The stretch of the excerpt's text, in bytes.
    pub range: Range<usize>,
    /// What there is to say of it.
    pub label: &'a str,
    /// Whether it is what the report is about.
    pub primary: bool,
}

/// A label with the place it has in its file.
struct Placed<'a> {
    /// The number of its file, and of the original that it was generated from.
    file: (usize, usize),
    source: &'a SourceFile,
    lines: Range<u32>,
    /// Byte offsets in the file.
    bytes: Range<usize>,
    label: &'a str,
    primary: bool,
}

/// Returns the excerpts that show `primary` and `secondary`, that of `primary` first.
pub fn excerpts<'a>(
    sources: &'a SourceMap,
    primary: &'a Label,
    secondary: &'a [Label],
) -> Vec<Excerpt<'a>> {
    let labels = std::iter::once((primary, true)).chain(secondary.iter().map(|l| (l, false)));
    let mut placed: Vec<Placed<'a>> = Vec::new();
    let mut unread: Vec<Excerpt<'a>> = Vec::new();
    for (label, primary) in labels {
        match unread_original(sources, label, primary) {
            Some(excerpt) => unread.push(excerpt),
            None => placed.extend(place(sources, label, primary)),
        }
    }
    placed.sort_by_key(|mark| (mark.file, mark.bytes.start, mark.bytes.end));
    let near = |a: &Placed<'_>, b: &Placed<'_>| {
        a.file == b.file && b.lines.start.saturating_sub(a.lines.end) <= NEAR
    };
    let mut excerpts: Vec<Excerpt<'a>> =
        placed.chunk_by(near).map(|marks| excerpt(marks[0].source, marks)).collect();
    excerpts.append(&mut unread);
    excerpts.sort_by_key(|excerpt| !excerpt.marks.iter().any(|mark| mark.primary));
    excerpts
}

/// Returns the excerpt for a label of generated code whose original has no such text to show.
fn unread_original<'a>(
    sources: &'a SourceMap,
    label: &'a Label,
    primary: bool,
) -> Option<Excerpt<'a>> {
    let (original, origin) = sources.origin(label.span)?;
    if original.range(origin).is_some() {
        return None;
    }
    Some(Excerpt {
        file: &original.name,
        place: origin.start,
        first_line: origin.start.0,
        text: String::new(),
        marks: vec![Mark { range: 0..0, label: &label.text, primary }],
        unread: true,
    })
}

/// Finds the file of a label and its place there; of generated code, in the original.
fn place<'a>(sources: &'a SourceMap, label: &'a Label, primary: bool) -> Option<Placed<'a>> {
    if label.span.is_none() {
        return None;
    }
    let base = sources.file_at(label.span.lo)?.base;
    let index = sources.files().iter().position(|file| file.base == base)?;
    let original = sources.origin(label.span);
    let original =
        original.and_then(|(original, origin)| Some((original, origin, original.range(origin)?)));
    let (file, number, range) = match original {
        Some((original, origin, range)) => {
            (original.file.as_ref()?, origin.file as usize + 1, range)
        }
        None => {
            let lo = label.span.lo - base;
            let file = &sources.files()[index];
            (file, 0, lo as usize..label.span.hi.saturating_sub(base) as usize)
        }
    };
    let length = file.text.len();
    let start = floor(&file.text, range.start.min(length));
    let end = floor(&file.text, range.end.clamp(start, length));
    let first = file.line_column(start as u32).0;
    // The last byte decides: a mark that ends with a line end does not reach the next line.
    let mut last = file.line_column(end.saturating_sub(1).max(start) as u32).0;
    let mut end = end;
    if last - first >= TALL {
        last = first;
        end = file.line_start(first) as usize + file.line(first).len();
    }
    Some(Placed {
        file: (index, number),
        source: file,
        lines: first..last,
        bytes: start..end,
        label: &label.text,
        primary,
    })
}

/// Returns the greatest character boundary up to `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Builds the excerpt of some marks, ordered by their starts, all of one file.
fn excerpt<'a>(file: &'a SourceFile, marks: &[Placed<'a>]) -> Excerpt<'a> {
    let first_line = marks.iter().map(|mark| mark.lines.start).min().unwrap_or(1);
    let last_line = marks.iter().map(|mark| mark.lines.end).max().unwrap_or(first_line);
    let mut text = String::new();
    let mut ranges: Vec<Range<usize>> = marks.iter().map(|_| 0..0).collect();
    for number in first_line..=last_line {
        if number > first_line {
            text.push('\n');
        }
        let line = Line::new(file, number, marks);
        for (mark, range) in marks.iter().zip(&mut ranges) {
            if mark.lines.start == number {
                range.start = text.len() + line.position(mark.bytes.start);
            }
            if mark.lines.end == number {
                range.end = text.len() + line.position(mark.bytes.end);
            }
        }
        text.push_str(&line.text);
    }
    let about = marks.iter().find(|mark| mark.primary).or(marks.first());
    let place = about.map_or((1, 1), |mark| file.line_column(mark.bytes.start as u32));
    let marks = marks
        .iter()
        .zip(ranges)
        .map(|(mark, range)| Mark {
            range: range.start..range.end.max(range.start),
            label: mark.label,
            primary: mark.primary,
        })
        .collect();
    Excerpt { file: &file.name, place, first_line, text, marks, unread: false }
}

/// A line as it is shown.
struct Line {
    text: String,
    /// Where the shown part starts in the file.
    start: usize,
    /// For each byte of the shown part, and its end, the position in `text`.
    positions: Vec<usize>,
}

impl Line {
    /// Returns the line `number`, cut to what is around the marks that start or end in it.
    fn new(file: &SourceFile, number: u32, marks: &[Placed<'_>]) -> Line {
        let line = file.line(number);
        let start = file.line_start(number) as usize;
        let edges = marks.iter().flat_map(|mark| {
            let starts = (mark.lines.start == number).then_some(mark.bytes.start);
            let ends = (mark.lines.end == number).then_some(mark.bytes.end);
            [starts, ends].into_iter().flatten()
        });
        let first_edge = edges.min().map_or(0, |edge| edge.saturating_sub(start).min(line.len()));
        let window = window(line, first_edge);
        let mut text = String::new();
        if window.start > 0 {
            text.push('…');
        }
        let mut positions = Vec::with_capacity(window.len() + 1);
        for c in line[window.clone()].chars() {
            positions.extend(std::iter::repeat_n(text.len(), c.len_utf8()));
            if c == '\t' { text.push('\t') } else { push_plain(&mut text, c) }
        }
        positions.push(text.len());
        if window.end < line.len() {
            text.push('…');
        }
        Line { text, start: start + window.start, positions }
    }

    /// Returns where the byte at `offset` of the file stands in the shown text; the nearer end, if
    /// it is not shown.
    fn position(&self, offset: usize) -> usize {
        let at = offset.saturating_sub(self.start).min(self.positions.len() - 1);
        self.positions[at]
    }
}

/// Returns the stretch of a line that is shown: all of it, or as much as fits around `edge`.
fn window(line: &str, edge: usize) -> Range<usize> {
    if line.len() <= WIDE || line.chars().nth(WIDE).is_none() {
        return 0..line.len();
    }
    let edge = floor(line, edge);
    let before = line[..edge].char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
    let after = line[before..].char_indices().nth(WIDE).map_or(line.len(), |(at, _)| before + at);
    before..after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::span::Span;

    fn show(text: &str, range: Range<u32>) -> (String, String) {
        let mut sources = SourceMap::new();
        sources.add("f", None, text, false).expect("small");
        let label = Label { span: Span::new(range.start + 1, range.end + 1), text: String::new() };
        let found = excerpts(&sources, &label, &[]);
        let marked = found[0].text[found[0].marks[0].range.clone()].to_owned();
        (found[0].text.clone(), marked)
    }

    #[test]
    fn what_drives_a_terminal_is_escaped_and_still_marked() {
        let (text, marked) = show("a\u{1b}[1m\u{202e}b", 1..2);
        assert_eq!(text, "a\\u{1B}[1m\\u{202E}b");
        assert_eq!(marked, "\\u{1B}");
        assert_eq!(show("a\u{1b}[1m\u{202e}b", 8..9).1, "b");
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut_around_the_mark() {
        let line = format!("{}λ{}", "x".repeat(500_000), "y".repeat(500_000));
        let (text, marked) = show(&line, 500_000..500_002);
        assert_eq!(marked, "λ");
        assert!(text.starts_with("…x") && text.ends_with("y…"));
        assert_eq!(text.chars().count(), WIDE + 2);
    }

    #[test]
    fn a_mark_over_very_many_lines_is_its_first_line() {
        let text = format!("ab(c\n{})", "d\n".repeat(1000));
        assert_eq!(show(&text, 2..text.len() as u32), ("ab(c".to_owned(), "(c".to_owned()));
    }

    #[test]
    fn the_end_of_a_file_can_be_marked() {
        assert_eq!(show("", 0..0), (String::new(), String::new()));
        assert_eq!(show("a\n", 2..2), (String::new(), String::new()));
        assert_eq!(show("a", 1..1), ("a".to_owned(), String::new()));
    }

    #[test]
    fn any_span_in_any_text_gives_an_excerpt() {
        let text = "aλ\r\n\t\u{0}b\n\nc";
        for lo in 0..=text.len() as u32 + 2 {
            for hi in 0..=text.len() as u32 + 2 {
                let mut sources = SourceMap::new();
                sources.add("f", None, text, false).expect("small");
                sources.add("g", None, text, false).expect("small");
                let label = Label { span: Span::new(lo + 1, hi + 1), text: String::new() };
                for excerpt in excerpts(&sources, &label, &[]) {
                    assert!(excerpt.text.get(excerpt.marks[0].range.clone()).is_some());
                }
            }
        }
    }
}

//! Where generated code comes from: places in the texts that a front end has translated.
//!
//! Spans go on pointing into the code that was generated. What shows a place to a person asks the
//! [`SourceMap`](super::source::SourceMap), which looks up here what the place is in the original.

use std::ops::Range;

use super::source::SourceFile;
use super::span::Span;

/// A place in an original text. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The index of the file among those that directives name.
    pub file: u32,
    /// Line and column of the first character.
    pub start: (u32, u32),
    /// Line and column after the last character, if that was said.
    pub end: Option<(u32, u32)>,
}

/// An original text.
#[derive(Clone, Debug)]
pub struct Original {
    /// Its name, as the directives give it.
    pub name: Box<str>,
    /// The text, if it could be read. Its positions are of no map: the first one is 0.
    pub file: Option<SourceFile>,
}

impl Original {
    /// Returns the bytes of the text that an origin marks: up to its end, or the word or sign that
    /// starts there. `None` if the text was not read or has no such place.
    #[must_use]
    pub fn range(&self, origin: &Origin) -> Option<Range<usize>> {
        let file = self.file.as_ref()?;
        let start = offset(file, origin.start)?;
        let end = match origin.end {
            Some(end) => offset(file, end)?,
            None => start + word(file.text.get(start..)?),
        };
        Some(start..end.max(start))
    }
}

/// Returns the offset of a line and column; the end of the line may be one.
fn offset(file: &SourceFile, (line, column): (u32, u32)) -> Option<usize> {
    if line > file.line_column(file.text.len() as u32).0 {
        return None;
    }
    let start = file.line_start(line) as usize;
    let text = file.line(line);
    let before = column.saturating_sub(1) as usize;
    match text.char_indices().nth(before) {
        Some((at, _)) => Some(start + at),
        None => (text.chars().count() == before).then_some(start + text.len()),
    }
}

/// Returns the length of the word that a text starts with, or of its first character.
fn word(text: &str) -> usize {
    let continues = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
    match text.find(|c| !continues(c)).unwrap_or(text.len()) {
        0 => text.chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8),
        length => length,
    }
}

/// The origins of one generated text.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Whether nobody sees the text that the origins are of: it was made from another form.
    pub is_hidden: bool,
    originals: Vec<Original>,
    /// From which position on which origin holds, by the positions.
    points: Vec<(u32, Option<Origin>)>,
}

impl Origins {
    /// Returns the origins of a text of which `forms` says where each form comes from: by their
    /// starts, each before those in it. Of two directives for one form the second holds.
    #[must_use]
    pub fn new(originals: Vec<Original>, forms: &[(Span, Origin)]) -> Origins {
        let mut points: Vec<(u32, Option<Origin>)> = Vec::with_capacity(2 * forms.len());
        let mut open: Vec<(u32, Origin)> = Vec::new();
        let mut push = |at: u32, origin: Option<Origin>| match points.last_mut() {
            Some(last) if last.0 == at => last.1 = origin,
            _ => points.push((at, origin)),
        };
        let close = |open: &mut Vec<(u32, Origin)>, before: u32| {
            let mut closed = Vec::new();
            while let Some(&(end, _)) = open.last()
                && end <= before
            {
                open.pop();
                closed.push((end, open.last().map(|&(_, origin)| origin)));
            }
            closed
        };
        for &(span, origin) in forms {
            close(&mut open, span.lo).into_iter().for_each(|(at, origin)| push(at, origin));
            open.push((span.hi, origin));
            push(span.lo, Some(origin));
        }
        close(&mut open, u32::MAX).into_iter().for_each(|(at, origin)| push(at, origin));
        Origins { is_hidden: false, originals, points }
    }

    /// Returns origins of which it is known from which position on which one holds; positions are
    /// in order.
    #[must_use]
    pub fn from_points(originals: Vec<Original>, points: Vec<(u32, Option<Origin>)>) -> Origins {
        Origins { is_hidden: false, originals, points }
    }

    /// Returns the files that the text was generated from.
    #[must_use]
    pub fn originals(&self) -> &[Original] {
        &self.originals
    }

    /// Returns from which position on which origin holds.
    #[must_use]
    pub fn points(&self) -> &[(u32, Option<Origin>)] {
        &self.points
    }

    /// Returns what the form at a position comes from, if that was said.
    #[must_use]
    pub fn at(&self, position: u32) -> Option<(&Original, &Origin)> {
        let index = self.points.partition_point(|&(from, _)| from <= position).checked_sub(1)?;
        let origin = self.points.get(index)?.1.as_ref()?;
        Some((self.originals.get(origin.file as usize)?, origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(line: u32) -> Origin {
        Origin { file: 0, start: (line, 1), end: None }
    }

    #[test]
    fn the_innermost_form_says_where_a_place_comes_from() {
        let originals = vec![Original { name: "a".into(), file: None }];
        let forms = [
            (Span::new(10, 50), origin(1)),
            (Span::new(12, 20), origin(2)),
            (Span::new(20, 30), origin(3)),
            (Span::new(22, 30), origin(4)),
            (Span::new(60, 70), origin(5)),
        ];
        let origins = Origins::new(originals, &forms);
        let line = |at| origins.at(at).map(|(_, origin)| origin.start.0);
        for (at, expected) in [
            (9, None),
            (10, Some(1)),
            (12, Some(2)),
            (19, Some(2)),
            (20, Some(3)),
            (22, Some(4)),
            (29, Some(4)),
            (30, Some(1)),
            (49, Some(1)),
            (50, None),
            (60, Some(5)),
            (70, None),
        ] {
            assert_eq!(line(at), expected, "at {at}");
        }
    }

    #[test]
    fn a_place_without_an_end_is_a_word_or_a_sign() {
        let file = Some(SourceFile::apart("a", "λx = foldr' (+)\n"));
        let original = Original { name: "a".into(), file };
        let text = |start, end| {
            let range = original.range(&Origin { file: 0, start, end })?;
            Some(&original.file.as_ref()?.text[range])
        };
        assert_eq!(text((1, 6), None), Some("foldr'"));
        assert_eq!(text((1, 13), None), Some("("));
        assert_eq!(text((1, 1), Some((1, 3))), Some("λx"));
        assert_eq!(text((1, 16), None), Some(""));
        assert_eq!(text((1, 17), None), None);
        assert_eq!(text((7, 1), None), None);
        assert_eq!(text((u32::MAX, u32::MAX), None), None);
    }
}

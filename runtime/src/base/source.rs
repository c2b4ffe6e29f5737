//! Source files and the positions in them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;

use super::origin::{Origin, Original, Origins};
use super::span::Span;

/// What messages call the text of an expression that is given beside the files.
pub const EXPRESSION: &str = "<expression>";

/// One loaded source text.
#[derive(Clone)]
pub struct SourceFile {
    /// How messages call the file: the path as the user gave it, `<stdin>`, `<prelude>`.
    pub name: String,
    /// Where imports of this file are looked up; `None` for a text that is no file.
    pub path: Option<PathBuf>,
    /// The text, without a byte-order mark.
    pub text: Arc<str>,
    /// The global position of the first byte.
    pub base: u32,
    /// Whether it is part of the corelib, whose names a program may shadow.
    pub corelib: bool,
    /// Where its forms come from, if it was generated and says so.
    origins: Option<Arc<Origins>>,
    line_starts: OnceLock<Arc<[u32]>>,
    /// How many characters start before each [`BLOCK`] of bytes.
    block_starts: OnceLock<Arc<[u32]>>,
}

/// The bytes of a block. A column is counted from the start of its block, so a place on a line
/// of any length takes bounded time.
const BLOCK: usize = 1024;

/// Returns how many characters start in a stretch of UTF-8.
fn characters(bytes: &[u8]) -> u32 {
    // All bytes but those that go on with a character; counted this way the compiler
    // takes many at a time.
    bytes.iter().map(|&byte| u32::from(byte & 0xC0 != 0x80)).sum()
}

/// Its name and its size: the text may be large.
impl std::fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} ({} bytes)", self.name, self.text.len())
    }
}

impl SourceFile {
    /// Returns a text that is of no map: its first position is 0.
    #[must_use]
    pub fn apart(name: impl Into<String>, text: impl Into<Arc<str>>) -> SourceFile {
        SourceFile {
            name: name.into(),
            path: None,
            text: text.into(),
            base: 0,
            corelib: false,
            origins: None,
            line_starts: OnceLock::new(),
            block_starts: OnceLock::new(),
        }
    }

    /// Returns where its forms come from, if it says so.
    #[must_use]
    pub fn origins(&self) -> Option<&Origins> {
        self.origins.as_deref()
    }

    /// Returns the span of the whole text.
    #[must_use]
    pub fn span(&self) -> Span {
        Span::new(self.base, self.base + self.text.len() as u32)
    }

    /// Returns the byte offsets of the line starts, which are computed at the first call.
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = self.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect()
        })
    }

    /// Returns the number of characters that start before the byte at `offset`.
    fn characters_before(&self, offset: usize) -> u32 {
        let bytes = self.text.as_bytes();
        let blocks = self.block_starts.get_or_init(|| {
            let mut sum = 0;
            let counted = bytes.chunks(BLOCK).map(|block| {
                let before = sum;
                sum += characters(block);
                before
            });
            counted.collect()
        });
        let block = (offset / BLOCK).min(blocks.len().saturating_sub(1));
        blocks.get(block).copied().unwrap_or(0) + characters(&bytes[block * BLOCK..offset])
    }

    /// Returns the line and column, both from 1, of the byte at `offset` in this file. The column
    /// counts characters. An offset past the end is taken for the end.
    #[must_use]
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let offset = (offset as usize).min(self.text.len());
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start as usize <= offset).max(1);
        let start = starts[line - 1] as usize;
        let mut end = offset;
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let column = match end - start {
            0..=BLOCK => characters(&self.text.as_bytes()[start..end]),
            _ => self.characters_before(end) - self.characters_before(start),
        };
        (line as u32, column + 1)
    }

    /// Returns the text of line `line` (from 1), without its line end; empty past the last line.
    #[must_use]
    pub fn line(&self, line: u32) -> &str {
        let starts = self.line_starts();
        let Some(&start) = starts.get((line as usize).wrapping_sub(1)) else { return "" };
        let end = starts.get(line as usize).map_or(self.text.len(), |&next| next as usize - 1);
        self.text[start as usize..end].trim_end_matches('\r')
    }

    /// Returns the byte offset at which line `line` (from 1) starts.
    #[must_use]
    pub fn line_start(&self, line: u32) -> u32 {
        let starts = self.line_starts();
        starts.get((line as usize).wrapping_sub(1)).copied().unwrap_or(self.text.len() as u32)
    }
}

/// A place as a person reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file.
    pub file: &'a str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
}

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// All source texts of a program. Position 0 belongs to no file, so that [`Span::NONE`] is
/// never a place.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// No text that is added begins before this position.
    from: u32,
}

/// The texts together are larger than positions can count (4 GiB).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceTooLarge;

impl SourceMap {
    /// Returns a map without files.
    #[must_use]
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a text and returns its index.
    ///
    /// # Errors
    /// [`SourceTooLarge`] when positions would no longer fit 32 bits.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        path: Option<PathBuf>,
        text: impl Into<Arc<str>>,
        corelib: bool,
    ) -> Result<usize, SourceTooLarge> {
        let text = text.into();
        let base = self.end();
        let end = base as usize + text.len() + 1;
        if u32::try_from(end).is_err() {
            return Err(SourceTooLarge);
        }
        self.files.push(SourceFile { path, base, corelib, ..SourceFile::apart(name, text) });
        Ok(self.files.len() - 1)
    }

    /// Returns the position at which the next text will begin.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.files.last().map_or(1, |last| last.span().hi + 1).max(self.from)
    }

    /// Has the texts that are added from now on begin at a position or after it.
    pub fn skip_to(&mut self, position: u32) {
        self.from = position;
    }

    /// Adds a text of another map, where it stands there: after all that are in this one.
    pub fn share(&mut self, file: &SourceFile) {
        debug_assert!(file.base >= self.files.last().map_or(1, |last| last.span().hi + 1));
        self.files.push(file.clone());
    }

    /// Returns the files, in the order in which they were added.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Returns the parts of it that the corelib's texts take, in the order of their positions.
    #[must_use]
    pub fn corelib(&self) -> Vec<Span> {
        self.files.iter().filter(|file| file.corelib).map(SourceFile::span).collect()
    }

    /// Returns the file that holds the global position `at`.
    #[must_use]
    pub fn file_at(&self, at: u32) -> Option<&SourceFile> {
        let index = self.files.partition_point(|file| file.base <= at).checked_sub(1)?;
        let file = &self.files[index];
        (at <= file.span().hi).then_some(file)
    }

    /// Says where the forms of a file come from.
    pub fn set_origins(&mut self, file: usize, origins: Origins) {
        if let Some(file) = self.files.get_mut(file) {
            file.origins = Some(Arc::new(origins));
        }
    }

    /// Returns the place in an original text that the code at a span was generated from, if the
    /// code says so.
    #[must_use]
    pub fn origin(&self, span: Span) -> Option<(&Original, &Origin)> {
        self.file_at(span.lo).filter(|_| !span.is_none())?.origins.as_ref()?.at(span.lo)
    }

    /// Returns whether nobody sees the text that a span points into, but only what that was made
    /// from.
    #[must_use]
    pub fn is_hidden(&self, span: Span) -> bool {
        let file = self.file_at(span.lo);
        file.and_then(|file| file.origins.as_ref()).is_some_and(|origins| origins.is_hidden)
    }

    /// Returns where a span starts, or for generated code what that comes from; `None` for
    /// [`Span::NONE`].
    #[must_use]
    pub fn place(&self, span: Span) -> Option<Place<'_>> {
        match self.origin(span) {
            Some((original, &Origin { start: (line, column), .. })) => {
                Some(Place { file: &original.name, line, column })
            }
            None => self.written_place(span),
        }
    }

    /// Returns where a span starts in the text that it points into, generated or not.
    #[must_use]
    pub fn written_place(&self, span: Span) -> Option<Place<'_>> {
        if span.is_none() {
            return None;
        }
        let file = self.file_at(span.lo)?;
        let (line, column) = file.line_column(span.lo - file.base);
        Some(Place { file: &file.name, line, column })
    }

    /// Returns the text of a span, or for generated code that of what it comes from; empty if there
    /// is none.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        let Some((original, origin)) = self.origin(span) else { return self.written_text(span) };
        let range = original.range(origin).zip(original.file.as_ref());
        range.and_then(|(range, file)| file.text.get(range)).unwrap_or("")
    }

    /// Returns the text of a span as it stands there; empty if it is no stretch of one file.
    #[must_use]
    pub fn written_text(&self, span: Span) -> &str {
        let Some(file) = self.file_at(span.lo) else { return "" };
        let range =
            span.lo.saturating_sub(file.base) as usize..span.hi.saturating_sub(file.base) as usize;
        file.text.get(range).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(texts: &[&str]) -> SourceMap {
        let mut map = SourceMap::new();
        for (i, text) in texts.iter().enumerate() {
            map.add(format!("f{i}"), None, *text, false).expect("small");
        }
        map
    }

    #[test]
    fn places_count_characters_not_bytes() {
        let map = map(&["ab\nλx", "z"]);
        let file = &map.files()[0];
        let x = file.base + 5;
        assert_eq!(map.place(Span::new(x, x + 1)).expect("place").to_string(), "f0:2:2");
        let z = map.files()[1].base;
        assert_eq!(map.place(Span::new(z, z + 1)).expect("place").to_string(), "f1:1:1");
    }

    #[test]
    fn places_on_a_long_line_are_counted_the_same() {
        let map = map(&["x\n", &"aλ€".repeat(3 * BLOCK)]);
        let file = &map.files()[1];
        for (at, (offset, _)) in file.text.char_indices().enumerate() {
            assert_eq!(file.line_column(offset as u32), (1, at as u32 + 1));
        }
        assert_eq!(file.line_column(u32::MAX), (1, 9 * BLOCK as u32 + 1));
    }

    #[test]
    fn the_end_of_a_file_belongs_to_it() {
        let map = map(&["a\n", "b"]);
        let end = map.files()[0].span().hi;
        assert_eq!(map.place(Span::new(end, end)).expect("place").to_string(), "f0:2:1");
        assert!(map.place(Span::NONE).is_none());
    }

    #[test]
    fn lines_have_no_line_end() {
        let map = map(&["one\r\ntwo\n"]);
        let file = &map.files()[0];
        assert_eq!(
            (file.line(1), file.line(2), file.line(3), file.line(9)),
            ("one", "two", "", "")
        );
    }
}

//! What is drawn: rows of characters, some of them bold or reversed, and the areas that they are in.

use std::io::{self, Write};

use crossterm::cursor::MoveTo;
use crossterm::queue;
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{Clear, ClearType};
use unicode_width::UnicodeWidthChar;

/// How a character is shown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Style {
    #[default]
    Plain,
    Bold,
    Reversed,
}

impl Style {
    fn attribute(self) -> Attribute {
        match self {
            Style::Plain => Attribute::Reset,
            Style::Bold => Attribute::Bold,
            Style::Reversed => Attribute::Reverse,
        }
    }
}

/// Pieces of text beside each other.
pub type Line = Vec<(String, Style)>;

/// Returns a line of one style.
pub fn line(text: impl Into<String>, style: Style) -> Line {
    vec![(text.into(), style)]
}

/// A rectangle of the terminal, in columns and rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area {
    pub column: u16,
    pub row: u16,
    pub width: u16,
    pub height: u16,
}

impl Area {
    /// Cuts off the `height` uppermost rows, or as many as there are: those, and the rest.
    pub fn split_top(self, height: u16) -> (Area, Area) {
        let height = height.min(self.height);
        let rest = Area { row: self.row + height, height: self.height - height, ..self };
        (Area { height, ..self }, rest)
    }

    /// Cuts off the `width` columns on the left, or as many as there are: those, and the rest.
    pub fn split_left(self, width: u16) -> (Area, Area) {
        let width = width.min(self.width);
        let rest = Area { column: self.column + width, width: self.width - width, ..self };
        (Area { width, ..self }, rest)
    }
}

/// One column of one row.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Cell {
    /// A character and the marks above and below it; empty for a blank and for the right half of a
    /// wide character.
    text: String,
    style: Style,
    is_right_half: bool,
}

/// A picture as large as the terminal.
pub struct Canvas {
    width: u16,
    rows: Vec<Vec<Cell>>,
}

impl Canvas {
    /// Makes an empty canvas.
    pub fn new(width: u16, height: u16) -> Canvas {
        let row = vec![Cell::default(); usize::from(width)];
        Canvas { width, rows: vec![row; usize::from(height)] }
    }

    /// Returns the whole of it.
    pub fn area(&self) -> Area {
        Area { column: 0, row: 0, width: self.width, height: self.rows.len() as u16 }
    }

    /// Writes a line from the left of the uppermost row of an area; what does not fit is left out.
    pub fn write(&mut self, area: Area, line: &Line) {
        if area.height == 0 {
            return;
        }
        let Some(row) = self.rows.get_mut(usize::from(area.row)) else { return };
        let end = usize::from(area.column + area.width).min(row.len());
        let mut at = usize::from(area.column);
        for (text, style) in line {
            for c in text.chars() {
                match c.width().unwrap_or(0) {
                    0 => {
                        // A mark belongs to the character before it, if that is in the area.
                        let before = row.get_mut(area.column.into()..at).and_then(|cells| {
                            cells.iter_mut().rev().find(|cell| !cell.is_right_half)
                        });
                        if let Some(cell) = before {
                            cell.text.push(c);
                        }
                    }
                    width => {
                        if at + width > end {
                            return;
                        }
                        // Half of a wide character cannot stay.
                        if row.get(at).is_some_and(|cell| cell.is_right_half) {
                            row[at - 1].text.clear();
                        }
                        if let Some(cell) = row.get_mut(at + width)
                            && cell.is_right_half
                        {
                            *cell = Cell::default();
                        }
                        for (half, cell) in row.iter_mut().skip(at).take(width).enumerate() {
                            let text = if half == 0 { c.to_string() } else { String::new() };
                            *cell = Cell { text, style: *style, is_right_half: half > 0 };
                        }
                        at += width;
                    }
                }
            }
        }
    }

    /// Draws a frame with a title, and lines in it. What was there before is gone.
    pub fn panel(&mut self, area: Area, title: &str, lines: &[Line]) {
        let width = usize::from(area.width.saturating_sub(2));
        for number in 0..area.height {
            let (_, row) = area.split_top(number);
            let border = match number {
                0 => format!("\u{250C}{}\u{2510}", "\u{2500}".repeat(width)),
                _ if number + 1 == area.height => {
                    format!("\u{2514}{}\u{2518}", "\u{2500}".repeat(width))
                }
                _ => format!("\u{2502}{}\u{2502}", " ".repeat(width)),
            };
            self.write(row, &line(border, Style::Plain));
        }
        let (_, inside) = area.split_left(1);
        let inside = Area { width: width as u16, ..inside };
        self.write(inside, &line(format!(" {title} "), Style::Plain));
        let (_, inside) = inside.split_top(1);
        let rows = inside.height.saturating_sub(1);
        for (number, line) in (0..rows).zip(lines) {
            self.write(inside.split_top(number).1, line);
        }
    }

    /// Writes the rows that differ from what is on the terminal; all of them if that is not known, or
    /// of another size.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub fn show(&self, before: Option<&Canvas>, out: &mut impl Write) -> io::Result<()> {
        let before = before.filter(|before| before.area() == self.area());
        if before.is_none() {
            queue!(out, SetAttribute(Attribute::Reset), Clear(ClearType::All))?;
        }
        for (number, row) in self.rows.iter().enumerate() {
            if before.is_some_and(|before| before.rows.get(number) == Some(row)) {
                continue;
            }
            queue!(out, MoveTo(0, number as u16))?;
            let mut style = Style::Plain;
            for cell in row.iter().filter(|cell| !cell.is_right_half) {
                if cell.style != style {
                    queue!(
                        out,
                        SetAttribute(Attribute::Reset),
                        SetAttribute(cell.style.attribute())
                    )?;
                    style = cell.style;
                }
                queue!(out, Print(if cell.text.is_empty() { " " } else { &cell.text }))?;
            }
            queue!(out, SetAttribute(Attribute::Reset))?;
        }
        out.flush()
    }

    /// Returns its characters, row by row, without blanks at the ends.
    #[cfg(test)]
    pub fn text(&self) -> String {
        let row = |row: &Vec<Cell>| {
            let cells = row.iter().filter(|cell| !cell.is_right_half);
            let text = cells.map(|cell| if cell.text.is_empty() { " " } else { &cell.text });
            text.collect::<String>().trim_end().to_owned()
        };
        self.rows.iter().map(row).collect::<Vec<_>>().join("\n")
    }
}

/// Returns a text in lines of at most `width` columns, broken after blanks where it can be.
pub fn wrapped(text: &str, width: u16) -> Vec<String> {
    let width = usize::from(width).max(1);
    let columns = |text: &str| text.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
    let mut lines = vec![String::new()];
    let mut filled = 0;
    for word in text.split_inclusive(' ') {
        let length = columns(word);
        // A blank at its end may be left out at the end of a line.
        let needed = length - usize::from(word.ends_with(' '));
        if filled > 0 && filled + needed > width {
            lines.push(String::new());
            filled = 0;
        }
        for c in word.chars() {
            let wide = c.width().unwrap_or(0);
            if filled + wide > width {
                if c == ' ' {
                    continue;
                }
                lines.push(String::new());
                filled = 0;
            }
            filled += wide;
            lines.last_mut().expect("there is one from the beginning").push(c);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_has_a_title_and_what_fits_of_its_lines() {
        let mut canvas = Canvas::new(9, 4);
        canvas.write(canvas.area(), &line("xxxxxxxxx", Style::Plain));
        let lines = ["one", "more than fits", "three"].map(|text| line(text, Style::Plain));
        canvas.panel(canvas.area(), "a", &lines);
        assert_eq!(canvas.text(), "┌ a ────┐\n│one    │\n│more th│\n└───────┘");
    }

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        let mut canvas = Canvas::new(5, 1);
        canvas.write(canvas.area(), &line("e\u{301}漢字x", Style::Plain));
        assert_eq!(canvas.text(), "e\u{301}漢字");
        canvas.write(canvas.area(), &line("ab", Style::Plain));
        assert_eq!(canvas.text(), "ab 字");
        canvas.write(canvas.area().split_left(4).1, &line("\u{301}c", Style::Plain));
        assert_eq!(canvas.text(), "ab  c");
    }

    #[test]
    fn only_rows_that_changed_are_written() {
        let mut before = Canvas::new(4, 2);
        before.write(before.area(), &line("same", Style::Plain));
        let mut after = Canvas::new(4, 2);
        after.write(after.area(), &line("same", Style::Plain));
        after.write(after.area().split_top(1).1, &line("new", Style::Bold));
        let mut out = Vec::new();
        after.show(Some(&before), &mut out).expect("it is written");
        let out = String::from_utf8(out).expect("text");
        assert!(out.contains("new") && !out.contains("same"), "{out:?}");
        let mut all = Vec::new();
        after.show(Some(&Canvas::new(5, 2)), &mut all).expect("it is written");
        assert!(String::from_utf8(all).expect("text").contains("same"));
    }

    #[test]
    fn texts_are_broken_after_blanks_and_long_words_anywhere() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one, two", 4), ["one,", "two"]);
        assert_eq!(wrapped("abcdefgh i", 3), ["abc", "def", "gh ", "i"]);
        assert_eq!(wrapped("漢字漢", 4), ["漢字", "漢"]);
    }
}

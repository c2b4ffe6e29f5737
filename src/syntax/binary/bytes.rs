//! Numbers, texts and places as bytes.

use std::ops::Range;

use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::quote::for_message;
use crate::base::span::Span;

/// Why bytes are no compiled module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The first byte that makes no sense, from 0.
    pub at: usize,
    /// What is wrong with it.
    pub message: &'static str,
}

impl Mistake {
    /// Returns the report that a file, which is imported at `span`, is no compiled module.
    #[must_use]
    pub fn report(&self, file: &str, span: Span) -> Diagnostic {
        let Mistake { at, message } = self;
        let file = for_message(file);
        let message =
            format!("`{file}` cannot be read as a compiled module: {message} (byte {at})");
        Diagnostic::error(Code::BadModule, span, message)
            .help("compile it again: gmachine compile SOURCE -o FILE.gm")
    }
}

/// Reads bytes from the first one on, and never beyond the last one.
#[derive(Clone, Debug)]
pub struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    end: usize,
    /// The text that places are in.
    pub text: &'b str,
    /// The position of that text in the source map.
    pub base: u32,
    /// Where the place that was read last starts in the text.
    pub last: u32,
}

impl<'b> Reader<'b> {
    /// Returns a reader of a part of the bytes.
    #[must_use]
    pub fn new(bytes: &'b [u8], part: Range<usize>) -> Reader<'b> {
        let end = part.end.min(bytes.len());
        Reader { bytes, at: part.start.min(end), end, text: "", base: 0, last: 0 }
    }

    /// Returns the mistake that what begins `back` bytes before is wrong.
    pub fn wrong<T>(&self, back: usize, message: &'static str) -> Result<T, Mistake> {
        Err(Mistake { at: self.at.saturating_sub(back), message })
    }

    /// Returns the number of bytes that have been read.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the number of bytes that are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.end - self.at
    }

    /// Returns the next byte, which stays the next one.
    #[must_use]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied().filter(|_| self.at < self.end)
    }

    /// Reads a byte.
    pub fn byte(&mut self) -> Result<u8, Mistake> {
        let Some(byte) = self.peek() else { return self.wrong(0, "it ends too early") };
        self.at += 1;
        Ok(byte)
    }

    /// Reads so many bytes.
    pub fn take(&mut self, count: usize) -> Result<&'b [u8], Mistake> {
        if count > self.left() {
            return self.wrong(0, "it ends too early");
        }
        self.at += count;
        Ok(&self.bytes[self.at - count..self.at])
    }

    /// Reads a number of up to 64 bits: seven bits in a byte, the lowest first, the highest bit of
    /// a byte set if more follow.
    pub fn long(&mut self) -> Result<u64, Mistake> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        self.wrong(1, "a number has more than 64 bits")
    }

    /// Reads a number of up to 32 bits.
    pub fn number(&mut self) -> Result<u32, Mistake> {
        let start = self.at;
        let value = self.long()?;
        match u32::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => self.wrong(self.at - start, "a number has more than 32 bits"),
        }
    }

    /// Reads a number with a sign: 0, -1, 1, -2 and so on as 0, 1, 2, 3.
    pub fn signed(&mut self) -> Result<i64, Mistake> {
        let value = self.long()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Reads a number of things, each of which takes a number of bytes at least.
    pub fn count(&mut self, least: usize) -> Result<usize, Mistake> {
        let start = self.at;
        let count = self.number()? as usize;
        match count.checked_mul(least) {
            Some(bytes) if bytes <= self.left() => Ok(count),
            _ => self.wrong(self.at - start, "there are more things than bytes for them"),
        }
    }

    /// Reads the number of one of `len` things.
    pub fn index(&mut self, len: usize) -> Result<usize, Mistake> {
        let start = self.at;
        let index = self.number()? as usize;
        match index < len {
            true => Ok(index),
            false => self.wrong(self.at - start, "a number is larger than the table that it is of"),
        }
    }

    /// Reads the number of one of `len` things, or that there is none.
    pub fn optional(&mut self, len: usize) -> Result<Option<usize>, Mistake> {
        Ok(self.index(len + 1)?.checked_sub(1))
    }

    /// Reads a flag.
    pub fn flag(&mut self) -> Result<bool, Mistake> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => self.wrong(1, "a flag is neither 0 nor 1"),
        }
    }

    /// Reads a text.
    pub fn string(&mut self) -> Result<&'b str, Mistake> {
        let count = self.count(1)?;
        let bytes = self.take(count)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(error) => self.wrong(count - error.valid_up_to(), "a text is not UTF-8"),
        }
    }

    /// Reads a character.
    pub fn char(&mut self) -> Result<char, Mistake> {
        let start = self.at;
        let code = self.number()?;
        match char::from_u32(code) {
            Some(c) => Ok(c),
            None => self.wrong(self.at - start, "a number is no character"),
        }
    }

    /// Reads a place in the text.
    pub fn span(&mut self) -> Result<Span, Mistake> {
        let start = self.at;
        let Some(len) = self.number()?.checked_sub(1) else { return Ok(Span::NONE) };
        let lo = i64::from(self.last).checked_add(self.signed()?);
        let lo = lo.and_then(|lo| u32::try_from(lo).ok());
        let ends = lo.and_then(|lo| Some((lo, lo.checked_add(len)?)));
        let is_boundary = |at: u32| self.text.is_char_boundary(at as usize);
        match ends.filter(|&(lo, hi)| is_boundary(lo) && is_boundary(hi)) {
            Some((lo, hi)) => {
                self.last = lo;
                Ok(Span::new(self.base + lo, self.base + hi))
            }
            None => self.wrong(self.at - start, "a place is not in the text"),
        }
    }
}

/// Writes what a [`Reader`] reads.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// The bytes so far.
    pub bytes: Vec<u8>,
    /// The position of the text in the source map.
    pub base: u32,
    /// Where the place that was written last starts in the text.
    pub last: u32,
}

impl Writer {
    /// Writes a number.
    pub fn long(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Writes a number of things, or that of one of them.
    pub fn number(&mut self, value: usize) {
        self.long(value as u64);
    }

    /// Writes a number with a sign.
    pub fn signed(&mut self, value: i64) {
        self.long(((value << 1) ^ (value >> 63)) as u64);
    }

    /// Writes the number of a thing, or that there is none.
    pub fn optional(&mut self, value: Option<usize>) {
        self.number(value.map_or(0, |value| value + 1));
    }

    /// Writes a text.
    pub fn string(&mut self, text: &str) {
        self.number(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Writes a place in the text.
    pub fn span(&mut self, span: Span) {
        if span.is_none() {
            return self.number(0);
        }
        self.number(span.len() as usize + 1);
        let lo = span.lo - self.base;
        self.signed(i64::from(lo) - i64::from(self.last));
        self.last = lo;
    }
}

/// The tables of [`check_sum`]: what a byte, with so many zero bytes after it, adds.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 };
            bit += 1;
        }
        tables[0][byte] = sum;
        byte += 1;
    }
    let mut zeros = 1;
    while zeros < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[zeros - 1][byte];
            tables[zeros][byte] = before >> 8 ^ tables[0][(before & 0xFF) as usize];
            byte += 1;
        }
        zeros += 1;
    }
    tables
}

/// Returns the CRC-32 of bytes (ISO 3309, as in PNG and zlib), eight bytes at a time (Kounavis and
/// Berry, "A systematic approach to building high performance software-based CRC generators", ISCC
/// 2005).
#[must_use]
pub fn check_sum(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    let (pieces, rest) = bytes.as_chunks::<8>();
    for piece in pieces {
        let [a, b, c, d, e, f, g, h] = *piece;
        let [i, j, k, l] = (sum ^ u32::from_le_bytes([a, b, c, d])).to_le_bytes();
        let row = [i, j, k, l, e, f, g, h];
        sum = row
            .iter()
            .zip(TABLES.iter().rev())
            .fold(0, |sum, (&byte, table)| sum ^ table[byte as usize]);
    }
    for byte in rest {
        sum = sum >> 8 ^ TABLES[0][((sum ^ u32::from(*byte)) & 0xFF) as usize];
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sum_is_that_of_the_standard() {
        assert_eq!(check_sum(b""), 0);
        assert_eq!(check_sum(b"123456789"), 0xCBF4_3926);
        let text = b"The quick brown fox jumps over the lazy dog";
        assert_eq!(check_sum(text), 0x414F_A339);
    }

    #[test]
    fn numbers_read_back() {
        let mut writer = Writer::default();
        let longs = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let signed = [0, -1, 1, 63, -64, 64, i64::MAX, i64::MIN];
        longs.iter().for_each(|&value| writer.long(value));
        signed.iter().for_each(|&value| writer.signed(value));
        let mut reader = Reader::new(&writer.bytes, 0..writer.bytes.len());
        assert_eq!(longs.map(|_| reader.long()), longs.map(Ok));
        assert_eq!(signed.map(|_| reader.signed()), signed.map(Ok));
        assert_eq!(reader.left(), 0);
        assert!(reader.byte().is_err());
    }

    #[test]
    fn numbers_that_are_too_large_are_refused() {
        let read = |bytes: &[u8]| Reader::new(bytes, 0..bytes.len()).long();
        assert_eq!(read(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]), Ok(u64::MAX));
        assert!(read(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2]).is_err());
        assert!(read(&[0x80; 11]).is_err());
        assert!(Reader::new(&[0xFF, 0xFF, 0xFF, 0xFF, 0x10], 0..5).number().is_err());
        assert!(Reader::new(&[5, 0, 0, 0, 0], 0..5).count(1).is_err());
    }

    #[test]
    fn places_are_in_the_text() {
        let span = |len: usize, delta: i64| {
            let mut writer = Writer::default();
            writer.number(len);
            writer.signed(delta);
            let mut reader = Reader::new(&writer.bytes, 0..writer.bytes.len());
            (reader.text, reader.base) = ("aλb", 10);
            reader.span()
        };
        assert_eq!(span(3, 1), Ok(Span::new(11, 13)));
        assert_eq!(span(5, 0), Ok(Span::new(10, 14)));
        for (len, delta) in [(6, 0), (1, -1), (2, 1), (2, 2), (1, i64::MIN), (1, i64::MAX)] {
            assert!(span(len, delta).is_err(), "{len} {delta}");
        }
    }
}

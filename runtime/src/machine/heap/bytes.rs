//! Byte strings.
//!
//! A byte string is a slice ([`Kind::Bytes`]): its fields are a pointer to a buffer, the offset of
//! its first byte there, and its length. The buffer ([`Kind::Buffer`]) holds the bytes, and no
//! pointers. So a part of a byte string is made in constant time and shares the buffer, which lives
//! as long as one of its slices. A large buffer is allocated in the old space.

use super::array::need;
use super::word::{Tag, Word};
use super::{Full, Header, Heap, Kind, Need, Size, node_at, node_words};

/// The most bytes of a buffer.
pub const MAX_BYTES: usize = Size::MAX * 8;
/// The words of a slice's node.
pub const SLICE_WORDS: usize = node_words(3);

/// Returns the size of the node of a buffer; `None` if it has more than [`MAX_BYTES`].
fn buffer_size(len: usize) -> Option<Size> {
    Size::of_fields(len.div_ceil(8))
}

/// Returns the room that a new byte string takes; `None` if it has more than [`MAX_BYTES`].
#[must_use]
pub fn bytes_need(len: usize) -> Option<Need> {
    let Need { words, bytes } = need(buffer_size(len)?);
    Some(Need { words: words + SLICE_WORDS, bytes })
}

impl Heap {
    /// Allocates a byte string of `len` bytes, which `write` writes: it gets zeroes.
    ///
    /// # Errors
    /// [`Full::System`] if the system has no memory for a large buffer.
    ///
    /// # Safety
    /// There is room for what [`bytes_need`] says. What else was reserved is not there any more.
    pub unsafe fn new_bytes(
        &mut self,
        len: usize,
        write: impl FnOnce(&mut [u8]),
    ) -> Result<Word, Full> {
        let Some(size) = buffer_size(len) else { return Err(Full::System) };
        // SAFETY: there is room; the payload are `len` bytes or some more, which are written here.
        unsafe {
            let node = self.take_any(size)?;
            *node = Header::new(Kind::Buffer, size, 0).bits();
            node.add(1).write_bytes(0, size.words());
            write(std::slice::from_raw_parts_mut(node.add(1).cast::<u8>(), len));
            let buffer = Word::pointer(node.expose_provenance(), Tag::Value);
            let bytes = self.new_slice(buffer, 0, len);
            self.collect_if_due();
            Ok(bytes)
        }
    }

    /// Allocates a slice of a buffer.
    ///
    /// # Safety
    /// [`SLICE_WORDS`] words fit; `buffer` is a pointer to a buffer of this heap that has the bytes.
    unsafe fn new_slice(&mut self, buffer: Word, offset: usize, len: usize) -> Word {
        // Offsets in memory are less than 2^62.
        let int = |number: usize| Word::int(number as i64).unwrap_or(Word::ZERO);
        // SAFETY: the caller's obligation.
        unsafe { self.alloc(Kind::Bytes, 0, &[buffer, int(offset), int(len)]) }
    }

    /// Allocates the part of a byte string from `from` on, `len` bytes long.
    ///
    /// # Safety
    /// [`SLICE_WORDS`] words fit; `bytes` is a pointer to a byte string of this heap, with so many
    /// bytes there.
    pub unsafe fn slice_bytes(&mut self, bytes: Word, from: usize, len: usize) -> Word {
        // SAFETY: the caller's obligation.
        unsafe {
            debug_assert!(from + len <= self.bytes(bytes).len());
            let (buffer, offset) = (self.field(bytes, 0), self.field(bytes, 1).as_int() as usize);
            self.new_slice(buffer, offset + from, len)
        }
    }

    /// Returns the bytes of a byte string. They can be looked at until the heap changes.
    ///
    /// # Safety
    /// `bytes` is a pointer to a byte string of this heap.
    #[must_use]
    pub unsafe fn bytes(&self, bytes: Word) -> &[u8] {
        // SAFETY: a slice leads to a buffer that has its bytes.
        unsafe {
            let buffer = self.field(bytes, 0);
            debug_assert_eq!(self.header(buffer).kind(), Kind::Buffer);
            let (offset, len) = (self.field(bytes, 1).as_int(), self.field(bytes, 2).as_int());
            let first = node_at(buffer.address()).add(1).cast::<u8>().cast_const();
            std::slice::from_raw_parts(first.add(offset as usize), len as usize)
        }
    }
}

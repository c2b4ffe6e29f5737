//! Arrays: nodes whose elements can be written, with a write barrier and a card table.
//!
//! The payload of a [`Kind::Array`] node are its elements; an array of more than `CARD` elements
//! has card words after them, one bit for each card of `CARD` elements (as GHC's
//! `MutableArray#`; Wilson and Moher, *A card-marking scheme for controlling intergenerational
//! references*, 1989). A card is dirty if one of its elements may lead to a young node. Only cards
//! of old arrays are ever dirty, and such an array is in the remembered set, once: its info has a
//! bit for that. So a minor collection costs what has changed of a large array, not its size.
//!
//! A full collection begins when nothing is young, so all cards are clean then, and a clean card
//! word reads as the integer 0: marking and compaction need not know where the elements end.
//!
//! A large array is allocated in a chunk of its own in the old space, and never moves.

use super::chunk::{Chunk, LARGE_WORDS};
use super::word::{Tag, Word};
use super::{Full, Header, Heap, Kind, Need, Size, node_at};

/// Elements of a card. In tests they are few, so that small arrays have cards.
const CARD: usize = if cfg!(test) { 8 } else { 128 };
/// Elements that the bits of a card word stand for.
const CARD_WORD: usize = CARD * 64;
/// The bit of an array's info that says that it is in the remembered set.
const REMEMBERED: u32 = 1 << 31;

/// The most elements of an array.
pub const MAX_ELEMENTS: usize = Size::MAX - Size::MAX.div_ceil(CARD_WORD);

/// Returns the card words of an array of so many elements.
const fn card_words(len: usize) -> usize {
    if len <= CARD { 0 } else { len.div_ceil(CARD_WORD) }
}

/// Returns the size of an array's node; `None` if it has more than [`MAX_ELEMENTS`] elements.
const fn array_size(len: usize) -> Option<Size> {
    if len > MAX_ELEMENTS { None } else { Size::of_fields(len + card_words(len)) }
}

/// Returns the room that an array of so many elements takes; `None` if it has more than
/// [`MAX_ELEMENTS`].
#[must_use]
pub fn array_need(len: usize) -> Option<Need> {
    Some(need(array_size(len)?))
}

/// Returns the room that a node takes which may go to the old space at once.
pub(super) fn need(size: Size) -> Need {
    let words = size.words() + 1;
    match words > LARGE_WORDS {
        true => Need { words: 0, bytes: Chunk::large_bytes(words) as u64 },
        false => Need::words(words),
    }
}

/// Returns whether an array's header has the size that goes with its elements.
pub(super) fn is_consistent(header: Header) -> bool {
    array_size(array_len(header)).is_some_and(|size| size.words() == header.words())
}

/// Returns the number of elements of the array with this header.
#[inline(always)]
pub(super) const fn array_len(header: Header) -> usize {
    (header.info() & !REMEMBERED) as usize
}

impl Heap {
    /// Allocates an array of `len` elements, all of which are `fill`.
    ///
    /// # Errors
    /// [`Full::System`] if the system has no memory for a large array.
    ///
    /// # Safety
    /// There is room for what [`array_need`] says, and `fill` is a word of this heap. What else was
    /// reserved is not there any more.
    pub unsafe fn new_array(&mut self, len: usize, fill: Word) -> Result<Word, Full> {
        let Some(size) = array_size(len) else { return Err(Full::System) };
        // SAFETY: the caller says that there is room.
        let node = unsafe { self.take_any(size)? };
        let info = len as u32;
        // SAFETY: the node has so many payload words; an empty array has one without an element.
        unsafe {
            *node = Header::new(Kind::Array, size, info).bits();
            *node.add(1) = Word::NOTHING.bits();
            for at in 1..=len {
                *node.add(at) = fill.bits();
            }
            for at in len.max(1) + 1..=size.words() {
                *node.add(at) = Word::ZERO.bits();
            }
        }
        let array = Word::pointer(node.expose_provenance(), Tag::Value);
        if !self.is_young(array) && fill.is_pointer() && self.is_young(fill) {
            // SAFETY: the array is as it was made.
            unsafe { (0..len).step_by(CARD).for_each(|at| self.soil(array, at)) };
        }
        self.collect_if_due();
        Ok(array)
    }

    /// Takes room for a node: in Eden, or for a large one in the old space.
    ///
    /// # Safety
    /// There is room for what [`need`] says.
    pub(super) unsafe fn take_any(&mut self, size: Size) -> Result<*mut u64, Full> {
        let words = size.words() + 1;
        if words <= LARGE_WORDS {
            // SAFETY: the caller's obligation.
            return Ok(unsafe { self.take(words) });
        }
        let node = self.old.allocate_large(words).ok_or(Full::System)?;
        self.counters.words_allocated += words as u64;
        Ok(node)
    }

    /// Has the next reservation collect if large nodes have made that due. Until then nothing
    /// more is to be taken.
    pub(super) fn collect_if_due(&mut self) {
        if self.old_live() > self.due {
            self.free.limit = self.free.next;
        }
    }

    /// Returns the number of elements of an array.
    ///
    /// # Safety
    /// `array` is a pointer to an array of this heap.
    #[inline(always)]
    #[must_use]
    pub unsafe fn array_len(&self, array: Word) -> usize {
        // SAFETY: the caller's obligation.
        array_len(unsafe { self.header(array) })
    }

    /// Returns the elements of an array. They can be looked at until the heap changes.
    ///
    /// # Safety
    /// `array` is a pointer to an array of this heap.
    #[inline(always)]
    #[must_use]
    pub unsafe fn elements(&self, array: Word) -> &[Word] {
        // SAFETY: the first payload words are the elements, all of which were written.
        unsafe {
            let len = self.array_len(array);
            std::slice::from_raw_parts(node_at(array.address()).add(1).cast::<Word>(), len)
        }
    }

    /// Writes an element: the write barrier.
    ///
    /// # Safety
    /// `array` is a pointer to an array of this heap that has more than `index` elements, and
    /// `value` is a word of this heap.
    #[inline(always)]
    pub unsafe fn write_element(&mut self, array: Word, index: usize, value: Word) {
        // SAFETY: the caller's obligation.
        unsafe {
            debug_assert!(index < self.array_len(array));
            *node_at(array.address()).add(1 + index) = value.bits();
            if !self.is_young(array) && value.is_pointer() && self.is_young(value) {
                self.soil(array, index);
            }
        }
    }

    /// Copies `count` elements of an array to another one, or to another place of the same one.
    ///
    /// # Safety
    /// Both are pointers to arrays of this heap that have so many elements there.
    pub unsafe fn copy_elements(&mut self, from: (Word, usize), to: (Word, usize), count: usize) {
        let ((source, first), (target, start)) = (from, to);
        // SAFETY: the caller's obligation.
        unsafe {
            debug_assert!(count <= self.array_len(source).saturating_sub(first));
            debug_assert!(count <= self.array_len(target).saturating_sub(start));
            let elements = node_at(source.address()).add(1 + first);
            std::ptr::copy(elements, node_at(target.address()).add(1 + start), count);
            if !self.is_young(target) {
                for at in start..start + count {
                    let word = Word::from_bits(*node_at(target.address()).add(1 + at));
                    if word.is_pointer() && self.is_young(word) {
                        self.soil(target, at);
                    }
                }
            }
        }
    }

    /// Marks the card of an element dirty, and remembers the array.
    ///
    /// # Safety
    /// `array` is a pointer to an old array that has more than `index` elements.
    #[cold]
    #[inline(never)]
    unsafe fn soil(&mut self, array: Word, index: usize) {
        let node = node_at(array.address());
        // SAFETY: the card words are behind the elements.
        unsafe {
            let header = self.header(array);
            let len = array_len(header);
            if card_words(len) > 0 {
                let card = index / CARD;
                *node.add(1 + len + card / 64) |= 1 << (card % 64);
            }
            if header.info() & REMEMBERED == 0 {
                *node = header.with(Kind::Array, header.info() | REMEMBERED).bits();
                self.remembered.push(array.address());
            }
        }
    }

    /// Evacuates what the elements of an old array lead to: those of its dirty cards if it was
    /// remembered, or all if it has just been promoted. It is remembered again if some are young
    /// still. Returns its size in bytes.
    ///
    /// # Safety
    /// During a minor collection; there is such a node at `address`.
    pub(super) unsafe fn scan_array(&mut self, address: usize) -> usize {
        let node = node_at(address);
        // SAFETY: the payload is as the module says.
        unsafe {
            let header = Header::from_bits(*node);
            let len = array_len(header);
            let was_remembered = header.info() & REMEMBERED != 0;
            let mut dirty = false;
            if card_words(len) == 0 {
                dirty = self.scan_words::<true>(node.add(1), len);
            }
            for word in 0..card_words(len) {
                let cards = node.add(1 + len + word);
                let mut pending = if was_remembered { *cards } else { u64::MAX };
                let mut still = 0;
                while pending != 0 {
                    let bit = pending & pending.wrapping_neg();
                    pending &= !bit;
                    let first = word * CARD_WORD + bit.trailing_zeros() as usize * CARD;
                    if first >= len {
                        break;
                    }
                    if self.scan_words::<true>(node.add(1 + first), CARD.min(len - first)) {
                        still |= bit;
                    }
                }
                *cards = still;
                dirty |= still != 0;
            }
            let flag = if dirty { REMEMBERED } else { 0 };
            *node = header.with(Kind::Array, len as u32 | flag).bits();
            if dirty {
                self.remembered.push(address);
            }
            header.node_words() * 8
        }
    }

    /// Returns whether the card of an element of an old array is dirty, and the array knows that it
    /// is in the remembered set.
    ///
    /// # Safety
    /// There is an array at `address` that has more than `index` elements.
    pub(super) unsafe fn is_soiled(&self, address: usize, index: usize) -> bool {
        // SAFETY: the card words are behind the elements.
        unsafe {
            let header = Header::from_bits(*node_at(address));
            let (len, card) = (array_len(header), index / CARD);
            let is_dirty = card_words(len) == 0
                || *node_at(address).add(1 + len + card / 64) >> (card % 64) & 1 == 1;
            is_dirty && header.info() & REMEMBERED != 0
        }
    }
}

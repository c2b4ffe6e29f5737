//! The machine's stack: frames, and the control words between them.
//!
//! It grows upwards. A frame is a run of slots; the word below its first slot is a control
//! word, which says what becomes of the value that the frame's code returns, and where the
//! frame below begins. So a stack is walked from its top, and needs no other links.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ptr::NonNull;

use crate::base::allocation::fallible;
use crate::machine::heap::word::{Tag, Word};

/// What becomes of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Control {
    /// It goes to slot `base` of the frame below, where this word is, and that frame's code
    /// goes on at `at`.
    Return {
        /// The instruction, as an offset in the code in bytes.
        at: u32,
        /// The slot.
        base: u32,
    },
    /// It becomes the value of the thunk in `slot` of the frame below and takes its place
    /// there, and the instruction at `at`, which needs it, is executed again.
    Evaluate {
        /// The instruction, as an offset in the code in bytes.
        at: u32,
        /// The slot of the thunk.
        slot: u32,
        /// The slot that this word, the upper of one or two, ends.
        base: u32,
    },
    /// It becomes the value of this thunk, and goes on to the control word below.
    Update(Word),
    /// It is applied to the `count` arguments below, the first of which is topmost: what is
    /// used up comes off the top.
    Apply {
        /// The instruction that left them, as an offset in the code in bytes.
        at: u32,
        /// How many.
        count: u32,
    },
    /// It is dropped, and the frame below executes the instruction at `at`: where an
    /// evaluation was stopped.
    Resume {
        /// The instruction, as an offset in the code in bytes.
        at: u32,
        /// The slot that this word is in.
        base: u32,
    },
    /// It goes to slot `base` of the frame below, and the evaluation ends. That frame's code
    /// stands at `at`.
    Stop {
        /// The instruction, as an offset in the code in bytes.
        at: u32,
        /// The slot.
        base: u32,
    },
    /// It, or the exception if the evaluation fails, goes to slot `base` of the frame below, where
    /// this word is, and that frame's code goes on at `at`.
    Try {
        /// The instruction, as an offset in the code in bytes.
        at: u32,
        /// The slot.
        base: u32,
    },
    /// The word that belongs here is kept elsewhere: the frames below hold nothing young.
    Mark,
}

const IMMEDIATE: u64 = 0b111;
const RETURN: u64 = 16;
const EVALUATE: u64 = 17;
const EVALUATE_FAR: u64 = 18;
const APPLY: u64 = 19;
const RESUME: u64 = 20;
const STOP: u64 = 21;
const MARK: u64 = 22;
const TRY: u64 = 23;

/// The lowest byte of a [`Control::Return`].
#[cfg(gmachine_native)]
pub(super) const RETURN_BYTE: u8 = (RETURN << 3 | IMMEDIATE) as u8;

/// The lowest byte of a [`Control::Evaluate`] of one word.
#[cfg(gmachine_native)]
pub(super) const EVALUATE_BYTE: u8 = (EVALUATE << 3 | IMMEDIATE) as u8;

/// Slots up to which one word is enough for [`Control::Evaluate`].
const NEAR: u32 = 1 << 12;

/// The most slots of a frame: so that a base fits a control word.
pub(super) const MAX_FRAME: u32 = 1 << 24;

const fn word(kind: u64, middle: u32, at: u32) -> Word {
    Word::from_bits((at as u64) << 32 | (middle as u64) << 8 | kind << 3 | IMMEDIATE)
}

/// Returns the word for [`Control::Return`].
#[inline(always)]
pub(super) const fn return_word(at: u32, base: u32) -> Word {
    word(RETURN, base, at)
}

/// Returns where to return to and the slot, if `control` is a return.
#[inline(always)]
pub(super) const fn as_return(control: Word) -> Option<(u32, u32)> {
    let bits = control.bits();
    if bits & 0xff == RETURN << 3 | IMMEDIATE {
        Some(((bits >> 32) as u32, (bits >> 8) as u32 & (MAX_FRAME - 1)))
    } else {
        None
    }
}

/// Returns the instruction, the slot of the operand and its own, if `control` is an evaluation of
/// an operand in one word.
#[inline(always)]
pub(super) const fn as_evaluate(control: Word) -> Option<(u32, u32, u32)> {
    let bits = control.bits();
    if bits & 0xff == EVALUATE << 3 | IMMEDIATE {
        let (slot, base) = ((bits >> 8) as u32 & (NEAR - 1), (bits >> 20) as u32 & (NEAR - 1));
        Some(((bits >> 32) as u32, slot, base))
    } else {
        None
    }
}

/// Returns the word for [`Control::Evaluate`], if one is enough.
#[inline(always)]
pub(super) const fn evaluate_word(at: u32, slot: u32, base: u32) -> Option<Word> {
    if slot < NEAR && base < NEAR { Some(word(EVALUATE, base << 12 | slot, at)) } else { None }
}

/// Returns where to return to and the slot, if `control` is a `Try`.
#[inline(always)]
pub(super) const fn as_try(control: Word) -> Option<(u32, u32)> {
    let bits = control.bits();
    if bits & 0xff == TRY << 3 | IMMEDIATE {
        Some(((bits >> 32) as u32, (bits >> 8) as u32 & (MAX_FRAME - 1)))
    } else {
        None
    }
}

/// Returns whether `control` is the last word of an evaluation of an operand.
#[inline]
pub(super) const fn is_evaluate(control: Word) -> bool {
    let kind = control.bits() & 0xff;
    kind == EVALUATE << 3 | IMMEDIATE || kind == EVALUATE_FAR << 3 | IMMEDIATE
}

/// Returns the thunk, if `control` is an update.
#[inline(always)]
pub(super) const fn as_update(control: Word) -> Option<Word> {
    if control.is_evaluated() { None } else { Some(control) }
}

impl Control {
    /// Writes it at `to`, as one word or two.
    ///
    /// # Safety
    /// `to` and the word after it are in the stack.
    #[inline]
    pub(super) unsafe fn push(self, to: *mut Word) -> *mut Word {
        // SAFETY: the caller's promise.
        unsafe {
            *to = match self {
                Control::Return { at, base } => word(RETURN, base, at),
                Control::Evaluate { at, slot, base } => {
                    if let Some(control) = evaluate_word(at, slot, base) {
                        *to = control;
                        return to.add(1);
                    }
                    // Two numbers of 24 bits fit an integer of 63.
                    let both = u64::from(slot) << 32 | u64::from(base + 1) << 1;
                    *to = Word::from_bits(both);
                    *to.add(1) = word(EVALUATE_FAR, 0, at);
                    return to.add(2);
                }
                Control::Update(thunk) => thunk.with_tag(Tag::Unknown),
                Control::Apply { at, count } => word(APPLY, count, at),
                Control::Resume { at, base } => word(RESUME, base, at),
                Control::Stop { at, base } => word(STOP, base, at),
                Control::Try { at, base } => word(TRY, base, at),
                Control::Mark => word(MARK, 0, 0),
            };
            to.add(1)
        }
    }

    /// Reads the one whose last word is right below `end`.
    ///
    /// # Safety
    /// A control word is there, and all of what is below it.
    #[inline]
    pub(super) unsafe fn read(end: *const Word) -> Control {
        // SAFETY: the caller's promise.
        let control = unsafe { *end.sub(1) };
        if let Some(thunk) = as_update(control) {
            return Control::Update(thunk);
        }
        let bits = control.bits();
        let (at, middle) = ((bits >> 32) as u32, (bits >> 8) as u32 & (MAX_FRAME - 1));
        match bits >> 3 & 0b11111 {
            RETURN => Control::Return { at, base: middle },
            EVALUATE => Control::Evaluate { at, slot: middle & (NEAR - 1), base: middle >> 12 },
            EVALUATE_FAR => {
                // SAFETY: the lower of the two words.
                let both = unsafe { *end.sub(2) }.bits();
                let (slot, base) = ((both >> 32) as u32, (both >> 1) as u32 & (2 * MAX_FRAME - 1));
                Control::Evaluate { at, slot, base }
            }
            APPLY => Control::Apply { at, count: middle },
            RESUME => Control::Resume { at, base: middle },
            STOP => Control::Stop { at, base: middle },
            TRY => Control::Try { at, base: middle },
            _ => Control::Mark,
        }
    }

    /// Returns how many words lie between the end of its word and the first slot of the frame
    /// below, or the end of the control word below if there is no frame between.
    pub(super) fn span(self) -> usize {
        match self {
            Control::Return { base, .. }
            | Control::Evaluate { base, .. }
            | Control::Resume { base, .. }
            | Control::Try { base, .. }
            | Control::Stop { base, .. } => base as usize + 1,
            Control::Apply { count, .. } => count as usize + 1,
            Control::Update(_) | Control::Mark => 1,
        }
    }
}

/// Words that are always free above the limit that the loop checks: for what is pushed
/// without a check of its own.
pub(super) const SLACK: usize = 64;

/// The memory of the stack.
pub(super) struct Stack {
    base: NonNull<Word>,
    /// The number of words that it has room for.
    capacity: usize,
}

// SAFETY: the memory belongs to the stack alone.
unsafe impl Send for Stack {}

impl Stack {
    const FIRST: usize = 4096;

    fn layout(words: usize) -> Option<Layout> {
        Layout::array::<Word>(words).ok()
    }

    pub(super) fn new() -> Stack {
        match Stack::with_capacity(Self::FIRST) {
            Some(stack) => stack,
            None => std::alloc::handle_alloc_error(Layout::new::<[Word; Self::FIRST]>()),
        }
    }

    /// Allocates a stack of at least this many words; `None` if the system has no memory.
    pub(super) fn with_capacity(words: usize) -> Option<Stack> {
        let capacity = words.max(Self::FIRST);
        // SAFETY: the layout is not of size 0.
        let base = fallible(|| unsafe { Some(alloc(Self::layout(capacity)?)) })?;
        let base = NonNull::new(base.cast())?;
        Some(Stack { base, capacity })
    }

    /// Returns its first word.
    #[inline]
    pub(super) fn base(&self) -> *mut Word {
        self.base.as_ptr()
    }

    /// Returns where the loop has to ask for more room.
    pub(super) fn limit(&self) -> *mut Word {
        // SAFETY: the capacity is never below the slack.
        unsafe { self.base().add(self.capacity - SLACK) }
    }

    /// Returns the bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        (self.capacity * size_of::<Word>()) as u64
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Changes the capacity, at least to what is in use; `false` if the system has no memory.
    pub(super) fn resize(&mut self, words: usize) -> bool {
        let (Some(old), Some(new)) = (Self::layout(self.capacity), Self::layout(words)) else {
            return false;
        };
        // SAFETY: allocated with this layout; the new size is not 0.
        let moved = fallible(|| unsafe { realloc(self.base.as_ptr().cast(), old, new.size()) });
        match NonNull::new(moved.cast()) {
            Some(base) => {
                (self.base, self.capacity) = (base, words);
                true
            }
            None => false,
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.capacity) {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.base.as_ptr().cast(), layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_word_is_read_as_it_was_pushed() {
        let thunk = Word::pointer(0x7000_1230, Tag::Unknown);
        let all = [
            Control::Return { at: u32::MAX, base: MAX_FRAME - 1 },
            Control::Evaluate { at: 7, slot: NEAR - 1, base: NEAR - 1 },
            Control::Update(thunk),
            Control::Apply { at: 9, count: 3 },
            Control::Resume { at: 1, base: 2 },
            Control::Stop { at: 0, base: 0 },
            Control::Try { at: 3, base: 4 },
            Control::Mark,
        ];
        for control in all {
            let mut words = [Word::NOTHING; 4];
            // SAFETY: there are four words.
            let read = unsafe {
                let end = control.push(words.as_mut_ptr());
                assert_eq!(end.offset_from(words.as_ptr()), 1);
                Control::read(end)
            };
            assert_eq!(read, control);
        }
        let mut words = [Word::NOTHING; 4];
        let far = Control::Evaluate { at: 5, slot: MAX_FRAME - 1, base: NEAR };
        // SAFETY: there are four words.
        unsafe {
            let end = far.push(words.as_mut_ptr());
            assert_eq!(end.offset_from(words.as_ptr()), 2);
            // The second word is at the slot after the one that it was pushed to.
            assert_eq!(
                Control::read(end),
                Control::Evaluate { at: 5, slot: MAX_FRAME - 1, base: NEAR + 1 }
            );
        }
    }
}

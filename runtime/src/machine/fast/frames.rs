//! The stack as who looks at a run sees it: frames and what waits between them, from the top down.

use super::image::Image;
use super::stack::Control;
use super::state::{Machine, MutatorState};
use crate::machine::heap::word::Word;

/// Something on the stack.
pub(super) enum Part {
    /// A frame.
    Frame(Frame),
    /// A thunk that is updated with the value of the frame above.
    Thunk(Word),
    /// Arguments that wait for the value of the frame above.
    Arguments {
        /// The first one.
        first: *const Word,
        /// How many there are.
        count: usize,
    },
}

/// A frame.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// Its first slot.
    slots: *const Word,
    /// Where its code stands.
    pub(super) at: u32,
    /// The slot that a value is still to be put in.
    skip: Option<u32>,
    /// Words that it and the control words above it take.
    pub(super) words: usize,
}

impl Frame {
    /// Returns the words in its slots that its code may still read.
    pub(super) fn live(self, image: &Image) -> impl Iterator<Item = Word> + '_ {
        let slots = image.live_slots(self.at).iter().filter(move |slot| self.skip != Some(**slot));
        // SAFETY: slots that are alive are slots of the frame, and written (rules of compact code).
        slots.map(move |&slot| unsafe { *self.slots.add(slot as usize) })
    }
}

/// A place in the stack, from which its parts are gone through downwards.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    /// Where the words end that were not returned.
    end: *mut Word,
    /// The frame that comes next.
    next: Option<Frame>,
    /// Words of the control words since the last frame.
    words: usize,
}

impl Machine {
    /// Returns the parts of the stack.
    pub(super) fn stack_parts(&self) -> Parts {
        let words = self.top() as usize;
        let next = Frame { slots: self.fp.0, at: self.at(), skip: None, words };
        Parts { end: self.fp.0, next: Some(next), words: 0 }
    }

    /// Returns the control word below a frame or a control word, and what it spans; what it was
    /// before the mark took its place.
    pub(super) fn control_below(&self, end: *mut Word) -> (Control, usize) {
        self.mutator.control_below(end)
    }
}

impl MutatorState {
    /// Returns the control word below `end` and its words, see [`Machine::control_below`].
    fn control_below(&self, end: *mut Word) -> (Control, usize) {
        // SAFETY: a control word ends where each frame, and each control word, begins.
        let mut control = unsafe { Control::read(end) };
        if let (Control::Mark, Some((_, word))) = (control, self.mark) {
            // The second word of two stays where it is.
            let below = end.wrapping_sub(2);
            let is_in = below >= self.stack.base();
            // SAFETY: the word below is in the stack, or not looked at.
            let lower = if is_in { unsafe { *below } } else { Word::ZERO };
            // SAFETY: two words.
            control = unsafe { Control::read([lower, word].as_ptr().add(2)) };
        }
        (control, control.span())
    }
}

impl Parts {
    /// Returns the next part; the stack is as it was.
    pub(super) fn next(&mut self, mutator: &MutatorState) -> Option<Part> {
        if let Some(frame) = self.next.take() {
            return Some(Part::Frame(frame));
        }
        let base = mutator.stack.base();
        while self.end > base {
            let (control, span) = mutator.control_below(self.end);
            let below = self.end.wrapping_sub(span);
            self.end = below;
            self.words += span;
            let (at, skip) = match control {
                Control::Update(thunk) => return Some(Part::Thunk(thunk)),
                Control::Apply { count, .. } => {
                    return Some(Part::Arguments { first: below, count: count as usize });
                }
                Control::Mark => continue,
                Control::Return { at, base } | Control::Try { at, base } => (at, Some(base)),
                Control::Evaluate { at, .. }
                | Control::Resume { at, .. }
                | Control::Stop { at, .. } => (at, None),
            };
            if self.end > base {
                let words = std::mem::take(&mut self.words);
                return Some(Part::Frame(Frame { slots: below, at, skip, words }));
            }
        }
        None
    }
}

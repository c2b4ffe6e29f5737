//! Evaluations that were stopped and can continue.
//!
//! When an evaluation stops, the stack above the frame that asked for it is saved
//! ([`saved`](super::saved)), and each thunk that was under evaluation becomes a `Suspended` node that
//! knows its segment of the saved stack: from the control word that its value was to go through
//! to that of the next one above, which is the thunk that it awaits. So stopping allocates next
//! to nothing, however deep the evaluation was, and leaves no hole behind. (The idea is that of
//! asynchronous exceptions in GHC: Marlow and others, *Asynchronous Exceptions in Haskell*, 2001;
//! Reid, *Putting the Spine Back in the Spineless Tagless G-Machine*, 1998.)

use std::mem::MaybeUninit;

use super::saved::{Awaits, Memory, StackId};
use super::stack::{Control, SLACK, Stack};
use super::state::Machine;
use crate::base::allocation::Full;
use crate::machine::heap::Kind;
use crate::machine::heap::word::Word;
use crate::machine::outcome::Stop;

/// What a stack that stops is cut into.
struct Cut {
    /// Words that stay, and words that are saved.
    below: usize,
    len: usize,
    part: Part,
}

/// Which part of a stack moves to other memory when it is cut.
enum Part {
    /// What is saved: to a copy made to measure.
    Saved(Vec<MaybeUninit<Word>>),
    /// What stays: to this stack.
    Rest(Stack),
}

impl Machine {
    /// Ends the evaluation that the innermost [`Control::Stop`] waits for: what it was
    /// evaluating becomes suspended, and the frame that waits is the present one.
    pub(super) fn freeze(&mut self) {
        // Minor collections do not look at saved stacks, so nothing in one may be young.
        let _ = self.tenure();
        // Without a mark nobody notes how far the stack is unwound from here on.
        self.mutator.clear_mark();
        self.mutator.clean = 0;
        let (at, base) = (self.at(), self.top());
        // SAFETY: there is slack above each frame.
        let top = unsafe { Control::Resume { at, base }.push(self.fp.0.add(base as usize)) };
        let (stop, stop_at, stop_base, any) = self.innermost_stop(top);
        let below = self.depth_of(stop);
        let cut = if any { self.prepare_cut(below, self.depth_of(top) - below) } else { None };
        if any {
            let id = cut.as_ref().and_then(|cut| self.mutator.saved.next(cut.len));
            self.suspend(top, stop, id.unwrap_or(StackId::LOST));
        }
        if let Some(cut) = cut {
            self.cut(cut);
        }
        // SAFETY: the frame that waits begins below the word that says so, which is in the part
        // of the stack that stays.
        self.fp.0 = unsafe { self.mutator.stack.base().add(below - (stop_base as usize + 1)) };
        self.pc.0 = self.instr(stop_at);
        self.count_outside();
    }

    /// Returns where the innermost [`Control::Stop`] below `top` ends, its instruction and its
    /// slot, and whether a thunk is under evaluation above it.
    fn innermost_stop(&self, top: *mut Word) -> (*mut Word, u32, u32, bool) {
        let (mut end, mut any) = (top, false);
        loop {
            // SAFETY: a control word ends where each frame, and each control word, begins; the
            // lowest one is a stop.
            let control = unsafe { Control::read(end) };
            match control {
                Control::Stop { at, base } => return (end, at, base, any),
                Control::Update(_) | Control::Evaluate { .. } => any = true,
                _ => {}
            }
            // SAFETY: what a control word spans is in the stack.
            end = unsafe { end.sub(control.span()) };
        }
    }

    /// Makes a suspended node of each thunk under evaluation between `stop` and `top`, whose
    /// words will be the saved stack `id`.
    fn suspend(&mut self, top: *mut Word, stop: *mut Word, id: StackId) {
        let (mut end, mut segment) = (top, top);
        while end != stop {
            // SAFETY: as in `innermost_stop`.
            let (control, below) = unsafe {
                let control = Control::read(end);
                (control, end.sub(control.span()))
            };
            let thunk = match control {
                Control::Update(thunk) => Some(thunk),
                // SAFETY: the frame below begins there, and has the slot.
                Control::Evaluate { slot, .. } => Some(unsafe { *below.add(slot as usize) }),
                _ => None,
            };
            if let Some(thunk) = thunk {
                let place = self.depth_of(segment) - self.depth_of(stop) - 1;
                let number = match id {
                    StackId::LOST => id.node(0),
                    id => id.node(place),
                };
                // Its code stays known: a profile counts what becomes of it.
                // SAFETY: the thunk to be updated is a hole, and a hole has a payload word.
                unsafe {
                    let info = self.heap.header(thunk).info();
                    self.heap.fill(thunk, Kind::Suspended, info, &[number]);
                }
                // The next segment ends below the control word, or with it:
                // `SavedStacks::segment` sees which.
                // SAFETY: the control word takes a word at least.
                segment = unsafe { end.sub(1) };
                self.rare.suspended += 1;
            }
            end = below;
        }
    }

    /// Gets the memory to save the `len` words above the lowest `below`; `None` if it cannot be
    /// had, or there are too many saved stacks. The smaller part will be copied: a deep stack
    /// leaves as a whole, unless it takes a small part of its memory.
    fn prepare_cut(&self, below: usize, len: usize) -> Option<Cut> {
        if !self.refuse.keeps_stacks() {
            return None;
        }
        self.mutator.saved.next(len)?;
        let part = match len > below && 4 * len >= self.mutator.stack.capacity() {
            true => Part::Rest(Stack::with_capacity(below + 4 * SLACK)?),
            false => Part::Saved(Memory::for_copy(len)?),
        };
        Some(Cut { below, len, part })
    }

    /// Saves the upper part of the stack.
    fn cut(&mut self, Cut { below, len, part }: Cut) {
        let base = self.mutator.stack.base();
        let memory = match part {
            Part::Rest(mut rest) => {
                // SAFETY: these words are in use, and the other stack has room for them.
                unsafe { std::ptr::copy_nonoverlapping(base, rest.base(), below) }
                std::mem::swap(&mut self.mutator.stack, &mut rest);
                self.stack_end.0 = self.mutator.stack.limit();
                Memory::Whole { stack: rest, from: below, len }
            }
            Part::Saved(mut words) => {
                // SAFETY: these words are in use, and the vector has room for them; what of them
                // was not written stays so.
                unsafe {
                    base.add(below)
                        .cast::<MaybeUninit<Word>>()
                        .copy_to_nonoverlapping(words.as_mut_ptr(), len);
                    words.set_len(len);
                }
                Memory::Copy(words)
            }
        };
        self.mutator.saved.add(memory);
    }

    /// Returns how many words of the stack are below.
    pub(super) fn depth_of(&self, place: *const Word) -> usize {
        (place.addr() - self.mutator.stack.base().addr()) / size_of::<Word>()
    }

    /// Continues a suspended evaluation, `base` words above the frame; `control` says what
    /// becomes of its value.
    ///
    /// # Errors
    /// When its words could not be kept, or there is no room for them: then nothing has changed,
    /// and it is so whenever it is forced.
    pub(super) fn resume(&mut self, node: Word, control: Control, base: usize) -> Result<(), Stop> {
        // SAFETY: such a node has its number for a field.
        let number = unsafe { self.heap.field(node, 0) }.as_int();
        let size = self.mutator.saved.segment(number).map(|(words, _)| words.len());
        let room = base + size.unwrap_or(0) + 3 + SLACK;
        if !self.has_room(room) {
            return self.grow_stack(room);
        }
        let Some((words, awaits)) = self.mutator.saved.segment(number) else {
            return Err(self.out_of_memory(Full::System));
        };
        self.rare.resumed += 1;
        // SAFETY: room was made for the control word and the words.
        self.fp.0 = unsafe {
            self.heap.black_hole(node);
            let to = control.push(self.fp.0.add(base));
            std::ptr::copy_nonoverlapping(words.as_ptr().cast(), to, words.len());
            to.add(words.len())
        };
        match awaits {
            Awaits::Thunk(thunk) => {
                self.set_slot(0, thunk);
                self.pc.0 = self.instr(self.mutator.image.enter);
                Ok(())
            }
            Awaits::Operand => {
                // SAFETY: the words were copied, and the last ones are a control word.
                let control = unsafe { Control::read(self.fp.0) };
                if let Control::Evaluate { at, .. } = control {
                    // SAFETY: the frame that it spans was copied.
                    self.fp.0 = unsafe { self.fp.0.sub(control.span()) };
                    self.pc.0 = self.instr(at);
                }
                Ok(())
            }
            Awaits::Nothing => self.return_value(Word::ZERO),
        }
    }

    /// Returns whether there are `words` words above the frame.
    pub(super) fn has_room(&self, words: usize) -> bool {
        self.fp.0.addr() + words * size_of::<Word>() < self.stack_end.0.addr()
    }

    /// Makes sure of `words` words above the frame. That may collect: words that were read
    /// before are to be read again.
    pub(super) fn stack_check(&mut self, words: usize) -> Result<(), Stop> {
        if self.has_room(words) { Ok(()) } else { self.grow_stack(words) }
    }
}

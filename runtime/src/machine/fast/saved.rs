//! The stacks of evaluations that were stopped: what GHC calls an `AP_STACK`.
//!
//! A [`Suspended`](crate::machine::heap::Kind::Suspended) node holds a number: which saved stack
//! its evaluation is in, and where in it the evaluation's words end. Several nodes share a saved
//! stack, each with a segment of its own.

use std::mem::MaybeUninit;

use super::image::Image;
use super::stack::{Control, Stack, is_evaluate};
use crate::machine::heap::word::Word;

/// Bits of a node's number that say where in the saved stack its segment ends, in words.
const PLACE_BITS: u32 = 38;

/// The most saved stacks: with the place, their numbers fit an integer of 63 bits.
const MOST: usize = (1 << 24) - 1;

const _: () = assert!((MOST as i64) << PLACE_BITS <= Word::MAX_INT, "a number fits a word");

/// The number of a saved stack; 0 for one that could not be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StackId(usize);

impl StackId {
    /// The number of every evaluation whose stack could not be kept: it is out of memory whenever
    /// it is forced.
    pub(super) const LOST: StackId = StackId(0);

    /// Returns what a suspended node holds whose segment's last word is the one at `place`.
    pub(super) fn node(self, place: usize) -> Word {
        debug_assert!((place as u64) < 1 << PLACE_BITS);
        let number = (self.0 as i64) << PLACE_BITS | place as i64;
        Word::int(number).unwrap_or(Word::ZERO)
    }

    /// Returns the saved stack and the place that a suspended node's number stands for.
    fn parts(number: i64) -> (StackId, usize) {
        (StackId((number >> PLACE_BITS) as usize), (number & ((1 << PLACE_BITS) - 1)) as usize)
    }

    fn index(self) -> Option<usize> {
        self.0.checked_sub(1)
    }
}

/// The memory of saved words. Slots that the code has not written are not initialised.
pub(super) enum Memory {
    /// A stack that was left as a whole; the saved words are `len` ones from `from` on.
    Whole { stack: Stack, from: usize, len: usize },
    /// A copy made to measure.
    Copy(Vec<MaybeUninit<Word>>),
}

impl Memory {
    /// Reserves memory for a copy of `len` words; `None` if the system has none.
    pub(super) fn for_copy(len: usize) -> Option<Vec<MaybeUninit<Word>>> {
        let mut words = Vec::new();
        words.try_reserve_exact(len).ok()?;
        Some(words)
    }

    fn words(&self) -> &[MaybeUninit<Word>] {
        match self {
            // SAFETY: the words are in the memory of the stack, which nothing else refers to.
            Memory::Whole { stack, from, len } => unsafe {
                std::slice::from_raw_parts(stack.base().add(*from).cast(), *len)
            },
            Memory::Copy(words) => words,
        }
    }

    fn words_mut(&mut self) -> &mut [MaybeUninit<Word>] {
        match self {
            // SAFETY: as above, and `self` is borrowed mutably.
            Memory::Whole { stack, from, len } => unsafe {
                std::slice::from_raw_parts_mut(stack.base().add(*from).cast(), *len)
            },
            Memory::Copy(words) => words,
        }
    }

    fn bytes(&self) -> u64 {
        let memory = match self {
            Memory::Whole { stack, .. } => stack.bytes(),
            Memory::Copy(words) => (words.capacity() * size_of::<Word>()) as u64,
        };
        memory + size_of::<Option<SavedStack>>() as u64
    }
}

struct SavedStack {
    memory: Memory,
    /// Whether the full collection under way has met a node with a segment of it.
    marked: bool,
}

/// What a suspended evaluation waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaits {
    /// Nothing: it was stopped itself.
    Nothing,
    /// The value of this thunk becomes its own.
    Thunk(Word),
    /// An operand of its topmost frame: the last control word says which.
    Operand,
}

/// All saved stacks of a machine.
pub(super) struct SavedStacks {
    stacks: Vec<Option<SavedStack>>,
    /// Numbers of `stacks` that are `None`.
    free: Vec<usize>,
    bytes: u64,
    /// The most stacks: lower in tests alone.
    most: usize,
}

impl Default for SavedStacks {
    fn default() -> SavedStacks {
        SavedStacks { stacks: Vec::new(), free: Vec::new(), bytes: 0, most: MOST }
    }
}

impl SavedStacks {
    /// Returns bytes of all saved stacks.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number that the next saved stack gets; `None` if there are too many, or if it
    /// has more words than a number can say.
    pub(super) fn next(&self, len: usize) -> Option<StackId> {
        if len as u64 >= 1 << PLACE_BITS {
            return None;
        }
        let at = self.free.last().copied().unwrap_or(self.stacks.len());
        (at < self.most).then_some(StackId(at + 1))
    }

    /// Keeps a stack, which gets the number that [`next`](SavedStacks::next) has told.
    pub(super) fn add(&mut self, memory: Memory) {
        self.bytes += memory.bytes();
        let stack = Some(SavedStack { memory, marked: false });
        match self.free.pop().and_then(|at| self.stacks.get_mut(at)) {
            Some(place) => *place = stack,
            None => self.stacks.push(stack),
        }
    }

    /// Clears the marks, at the beginning of a full collection.
    pub(super) fn clear_marks(&mut self) {
        self.stacks.iter_mut().flatten().for_each(|stack| stack.marked = false);
    }

    /// Drops the stacks that no node was met for.
    pub(super) fn sweep(&mut self) {
        for (at, place) in self.stacks.iter_mut().enumerate() {
            if place.as_ref().is_some_and(|stack| !stack.marked)
                && let Some(stack) = place.take()
            {
                self.bytes -= stack.memory.bytes();
                self.free.push(at);
            }
        }
    }

    fn get_mut(&mut self, id: StackId) -> Option<&mut SavedStack> {
        self.stacks.get_mut(id.index()?)?.as_mut()
    }

    /// Returns the words of a suspended evaluation, its last control word included, and what it
    /// awaits. `None` if its stack was not kept.
    pub(super) fn segment(&mut self, number: i64) -> Option<(&[MaybeUninit<Word>], Awaits)> {
        let (id, last) = StackId::parts(number);
        let stack = self.get_mut(id)?;
        stack.marked = true;
        let words = stack.memory.words();
        let (last, awaits) = awaited(words, last);
        let end = last + 1;
        let start = segment_start(words, end, awaits);
        Some((words.get(start..end)?, awaits))
    }

    /// Visits for the collector what a suspended evaluation needs, and tells `code` the positions
    /// in its code.
    pub(super) fn visit(
        &mut self,
        number: i64,
        image: &Image,
        mut code: impl FnMut(u32),
        visit: &mut impl FnMut(&mut Word),
    ) {
        let (id, place) = StackId::parts(number);
        let Some((segment, awaits)) = self.segment(number) else { return };
        let len = segment.len();
        let Some(stack) = self.get_mut(id) else { return };
        let words = stack.memory.words_mut();
        if let (Awaits::Thunk(_), Some(thunk)) = (awaits, words.get_mut(place + 1)) {
            // SAFETY: the word above the segment is the control word of the update of the
            // awaited thunk.
            visit(unsafe { thunk.assume_init_mut() });
        }
        let end = place + 1 + usize::from(awaits == Awaits::Operand);
        let Some(words) = words.get_mut(end - len..end) else { return };
        let mut top = len;
        while top > 0 {
            // SAFETY: a control word ends at `top`, and all that it spans is in the segment.
            let control = unsafe { Control::read(words.as_ptr().add(top).cast()) };
            let below = top.saturating_sub(control.span());
            let (at, skip) = match control {
                Control::Return { at, base } | Control::Try { at, base } => (at, Some(base)),
                Control::Evaluate { at, .. } | Control::Resume { at, .. } => (at, None),
                Control::Apply { .. } => {
                    for argument in words.get_mut(below..top - 1).into_iter().flatten() {
                        // SAFETY: the words below it are its arguments.
                        visit(unsafe { argument.assume_init_mut() });
                    }
                    top = below;
                    continue;
                }
                Control::Update(_) | Control::Stop { .. } | Control::Mark => return,
            };
            code(at);
            for &slot in image.live_slots(at) {
                if skip != Some(slot)
                    && let Some(word) = words.get_mut(below + slot as usize)
                {
                    // SAFETY: a slot that is alive has been written (a rule of compact code).
                    visit(unsafe { word.assume_init_mut() });
                }
            }
            top = below;
        }
    }
}

/// Returns what the evaluation awaits whose segment ends at `last`, and where its last control word
/// is.
fn awaited(words: &[MaybeUninit<Word>], last: usize) -> (usize, Awaits) {
    match words.get(last + 1) {
        None => (last, Awaits::Nothing),
        Some(above) => {
            // SAFETY: above a segment is the control word of the evaluation that it awaits.
            let above = unsafe { above.assume_init() };
            match is_evaluate(above) {
                true => (last + 1, Awaits::Operand),
                false => (last, Awaits::Thunk(above)),
            }
        }
    }
}

/// Returns where the segment begins that ends before `end`: above the control word through which
/// its value goes, which is that of an update or of an operand's evaluation.
fn segment_start(words: &[MaybeUninit<Word>], end: usize, awaits: Awaits) -> usize {
    let mut at = end.min(words.len());
    while at > 0 {
        // SAFETY: a control word ends at `at`, and all below it is saved: the stack was cut
        // off above the control word of whoever asked for the evaluation.
        match unsafe { Control::read(words.as_ptr().add(at).cast()) } {
            Control::Update(_) => break,
            // The uppermost control word is the segment's own where it awaits an operand.
            Control::Evaluate { .. } if awaits != Awaits::Operand || at < end => break,
            control => at = at.saturating_sub(control.span()),
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(len: usize) -> Memory {
        Memory::Copy(vec![MaybeUninit::new(Word::ZERO); len])
    }

    #[test]
    fn a_stack_too_many_is_not_kept_and_a_place_that_is_free_again_is_used() {
        let mut saved = SavedStacks { most: 3, ..SavedStacks::default() };
        for n in 1..=3 {
            assert_eq!(saved.next(1), Some(StackId(n)));
            saved.add(copy(1));
        }
        assert_eq!(saved.next(1), None);
        saved.clear_marks();
        if let Some(stack) = saved.get_mut(StackId(3)) {
            stack.marked = true;
        }
        saved.sweep();
        assert_eq!((saved.next(1), saved.free.len()), (Some(StackId(2)), 2));
        saved.add(copy(1));
        saved.add(copy(1));
        assert_eq!(saved.next(1), None);
    }

    #[test]
    fn the_largest_number_is_read_as_it_was_made() {
        let (id, place) = (StackId(MOST), (1 << PLACE_BITS) - 1);
        assert_eq!(StackId::parts(id.node(place).as_int()), (id, place));
        assert_eq!(StackId::parts(StackId::LOST.node(5).as_int()), (StackId::LOST, 5));
        let mut saved = SavedStacks { stacks: vec![], free: vec![], bytes: 0, most: MOST };
        assert_eq!(saved.next(1 << PLACE_BITS), None);
        assert!(saved.segment(StackId::LOST.node(0).as_int()).is_none());
    }

    #[test]
    fn saved_stacks_count_the_bytes_of_their_words() {
        let mut saved = SavedStacks::default();
        for _ in 0..1000 {
            saved.add(copy(10));
        }
        assert!(saved.bytes() < 1000 * 160, "{}", saved.bytes());
        saved.clear_marks();
        saved.sweep();
        assert_eq!(saved.bytes(), 0);
    }
}

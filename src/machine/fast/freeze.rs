//! Evaluations that were stopped and can go on.
//!
//! When an evaluation stops, the stack above the frame that asked for it becomes a record,
//! and each thunk that was under evaluation a `Suspended` node that knows its piece of the
//! record: from the control word that its value was to go through to that of the next one
//! above, which is the thunk that it waits for. So stopping allocates next to nothing, however
//! deep the evaluation was, and leaves no hole behind. (The idea is that of asynchronous
//! exceptions in GHC: Marlow and others, *Asynchronous Exceptions in Haskell*, 2001; Reid,
//! *Putting the Spine Back in the Spineless Tagless G-Machine*, 1998.)

use super::image::Image;
use super::stack::{Control, SLACK, Stack, is_evaluate};
use super::state::Machine;
use crate::machine::heap::Kind;
use crate::machine::heap::word::Word;
use crate::machine::outcome::Stop;

/// A stack that was stopped.
struct Record {
    /// A memory that holds the words; none if the system had no room for it: then there are
    /// no words, and what was suspended is out of memory whenever it is forced.
    stack: Option<Stack>,
    /// Where in it they begin, and how many there are.
    from: usize,
    len: usize,
    /// Whether the collector has met a node that needs it.
    used: bool,
}

impl Record {
    fn words(&mut self) -> &mut [Word] {
        let Some(stack) = &self.stack else { return &mut [] };
        // SAFETY: these words of the memory were written before it became a record.
        unsafe { std::slice::from_raw_parts_mut(stack.base().add(self.from), self.len) }
    }

    fn bytes(&self) -> u64 {
        self.stack.as_ref().map_or(0, Stack::bytes)
    }
}

/// What a suspended evaluation waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// Nothing: it was stopped itself.
    Nothing,
    /// The value of this thunk becomes its own.
    Thunk(Word),
    /// An operand of its topmost frame: the last control word says which.
    Operand,
}

/// All of them.
#[derive(Default)]
pub(super) struct Records {
    records: Vec<Option<Record>>,
    bytes: u64,
}

/// Bits for the place in a record, in the number of a suspended evaluation.
const PLACE: u32 = 38;

/// The record and the place in it of a suspended evaluation.
fn parts(id: i64) -> (usize, usize) {
    ((id >> PLACE) as usize, (id & ((1 << PLACE) - 1)) as usize)
}

impl Records {
    /// Bytes of all records.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn add(&mut self, stack: Option<Stack>, from: usize, len: usize) {
        let record = Record { stack, from, len, used: false };
        self.bytes += record.bytes();
        let record = Some(record);
        match self.records.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => *slot = record,
            None => self.records.push(record),
        }
    }

    fn next(&self) -> usize {
        self.records.iter().position(Option::is_none).unwrap_or(self.records.len())
    }

    pub(super) fn begin(&mut self) {
        self.records.iter_mut().flatten().for_each(|record| record.used = false);
    }

    pub(super) fn sweep(&mut self) {
        for slot in &mut self.records {
            if let Some(record) = slot
                && !record.used
            {
                self.bytes -= record.bytes();
                *slot = None;
            }
        }
    }

    /// The words of a suspended evaluation, its last control word included, and what it waits
    /// for.
    fn piece(&mut self, id: i64) -> Option<(&mut [Word], Waits)> {
        let (record, end) = parts(id);
        let record = self.records.get_mut(record)?.as_mut()?;
        record.used = true;
        let words = record.words();
        let (end, waits) = match words.get(end + 1) {
            None => (end, Waits::Nothing),
            Some(control) if is_evaluate(*control) => (end + 1, Waits::Operand),
            Some(thunk) => (end, Waits::Thunk(*thunk)),
        };
        let words = words.get_mut(..=end)?;
        let mut at = words.len();
        while at > 0 {
            // SAFETY: a control word ends at `at`, and all below it is in the record: it
            // was cut off above the control word of whoever asked.
            match unsafe { Control::read(words.as_ptr().add(at)) } {
                Control::Update(_) => break,
                Control::Evaluate { .. } if waits != Waits::Operand || at <= end => break,
                control => at = at.saturating_sub(control.span()),
            }
        }
        Some((words.get_mut(at..)?, waits))
    }

    /// Visits what a suspended evaluation needs, and hands on the positions in its code.
    pub(super) fn visit(
        &mut self,
        id: i64,
        image: &Image,
        mut code: impl FnMut(u32),
        visit: &mut impl FnMut(&mut Word),
    ) {
        let (record, end) = parts(id);
        let Some((words, waits)) = self.piece(id) else { return };
        let mut top = words.len();
        while top > 0 {
            // SAFETY: as in `piece`.
            let control = unsafe { Control::read(words.as_ptr().add(top)) };
            let below = top.saturating_sub(control.span());
            let (at, skip) = match control {
                Control::Return { at, base } => (at, Some(base)),
                Control::Evaluate { at, .. } | Control::Resume { at, .. } => (at, None),
                Control::Apply { .. } => {
                    if let Some(args) = words.get_mut(below..top - 1) {
                        args.iter_mut().for_each(&mut *visit);
                    }
                    top = below;
                    continue;
                }
                Control::Update(_) | Control::Stop { .. } | Control::Mark => return,
            };
            code(at);
            for &slot in image.live(at) {
                if skip != Some(slot)
                    && let Some(word) = words.get_mut(below + slot as usize)
                {
                    visit(word);
                }
            }
            top = below;
        }
        if let Waits::Thunk(_) = waits
            && let Some(Some(record)) = self.records.get_mut(record)
            && let Some(word) = record.words().get_mut(end + 1)
        {
            visit(word);
        }
    }
}

impl Machine {
    /// Ends the evaluation that the innermost [`Control::Stop`] waits for: what it was
    /// evaluating becomes suspended, and the frame that waits is the present one.
    pub(super) fn freeze(&mut self) {
        // What is in a record is not looked at by minor collections, so nothing in it may be
        // young.
        let _ = self.tenure();
        // Without a mark nobody notes how far the stack is unwound from here on.
        self.outer.clear_mark();
        self.outer.clean = 0;
        let (at, base) = (self.at(), self.top());
        // SAFETY: there is slack above each frame.
        let top = unsafe { Control::Resume { at, base }.push(self.fp.add(base as usize)) };
        // SAFETY: a control word ends where each frame, and each control word, begins; the
        // lowest one is a stop.
        let control =
            |end: *mut Word| unsafe { (Control::read(end), end.sub(Control::read(end).span())) };
        let mut stop = top;
        let (stop_at, stop_base) = loop {
            match control(stop) {
                (Control::Stop { at, base }, _) => break (at, base),
                (_, below) => stop = below,
            }
        };
        // SAFETY: both are in the stack, the first one above.
        let place = |end: *mut Word| unsafe { end.offset_from(stop) };
        let record = self.outer.records.next();
        let (mut end, mut piece, mut any) = (top, top, false);
        while end != stop {
            let (control, below) = control(end);
            let thunk = match control {
                Control::Update(thunk) => Some(thunk),
                // SAFETY: the frame below begins there, and has the slot.
                Control::Evaluate { slot, .. } => Some(unsafe { *below.add(slot as usize) }),
                _ => None,
            };
            if let Some(thunk) = thunk {
                let id = (record as i64) << PLACE | (place(piece) as i64 - 1);
                let id = Word::int(id).unwrap_or(Word::ZERO);
                // SAFETY: the thunk to be updated is a hole, and a hole has a payload word.
                unsafe { self.heap.fill(thunk, Kind::Suspended, 0, &[id]) };
                // The next piece ends below the control word, or with it: `piece` sees which.
                (piece, any) = (end.wrapping_sub(1), true);
                self.rare.suspended += 1;
            }
            end = below;
        }
        let below = self.depth_of(stop);
        if any {
            self.cut(below, place(top) as usize);
        }
        let base = self.outer.stack.base();
        let stop = base.wrapping_add(below);
        // SAFETY: the frame that waits begins below the word that says so.
        self.fp = unsafe { stop.sub(stop_base as usize + 1) };
        self.pc = self.instr(stop_at);
        self.count_outside();
    }

    /// Makes a record of the `len` words above the lowest `below`. The smaller part is copied:
    /// a deep stack leaves as a whole.
    fn cut(&mut self, below: usize, len: usize) {
        let whole = len > below;
        let copied = if whole { below } else { len };
        let other = match self.refuse.keeps_stacks() {
            true => Stack::with_capacity(copied + 4 * SLACK),
            false => None,
        };
        let Some(mut other) = other else {
            return self.outer.records.add(None, 0, 0);
        };
        let from = if whole { 0 } else { below };
        // SAFETY: these words are in use, and the other stack has room for them.
        unsafe {
            let from = self.outer.stack.base().add(from);
            std::ptr::copy_nonoverlapping(from, other.base(), copied);
        }
        if whole {
            std::mem::swap(&mut self.outer.stack, &mut other);
            self.stack_end = self.outer.stack.limit();
            self.outer.records.add(Some(other), below, len);
        } else {
            self.outer.records.add(Some(other), 0, len);
        }
    }

    /// How many words of the stack are below.
    fn depth_of(&self, place: *const Word) -> usize {
        (place.addr() - self.outer.stack.base().addr()) / size_of::<Word>()
    }

    /// Goes on with a suspended evaluation, `base` words above the frame; `control` says what
    /// becomes of its value.
    ///
    /// # Errors
    /// When its words could not be kept, or there is no room for them: then nothing has changed,
    /// and it is so whenever it is forced.
    pub(super) fn resume(&mut self, node: Word, control: Control, base: usize) -> Result<(), Stop> {
        // SAFETY: such a node has its number for a field.
        let id = unsafe { self.heap.field(node, 0) }.as_int();
        let size = self.outer.records.piece(id).map(|(words, _)| words.len());
        let room = base + size.unwrap_or(0) + 3 + SLACK;
        if !self.has_room(room) {
            return self.grow_stack(room);
        }
        let Some((words, waits)) = self.outer.records.piece(id) else {
            return Err(self.heap_limit());
        };
        self.rare.resumed += 1;
        // SAFETY: room was made for the control word and the words.
        self.fp = unsafe {
            self.heap.black_hole(node);
            let to = control.push(self.fp.add(base));
            std::ptr::copy_nonoverlapping(words.as_ptr(), to, words.len());
            to.add(words.len())
        };
        match waits {
            Waits::Thunk(thunk) => {
                self.set_slot(0, thunk);
                self.pc = self.instr(self.image.enter);
                Ok(())
            }
            Waits::Operand => {
                // SAFETY: the words were copied, and the last ones are a control word.
                let control = unsafe { Control::read(self.fp) };
                if let Control::Evaluate { at, .. } = control {
                    (self.fp, self.pc) = (self.fp.wrapping_sub(control.span()), self.instr(at));
                }
                Ok(())
            }
            Waits::Nothing => self.give(Word::ZERO),
        }
    }

    /// Whether there are `words` words above the frame.
    pub(super) fn has_room(&self, words: usize) -> bool {
        self.fp.wrapping_add(words) < self.stack_end
    }

    /// Makes sure of `words` words above the frame. That may collect: words that were read
    /// before are to be read again.
    pub(super) fn room(&mut self, words: usize) -> Result<(), Stop> {
        if self.has_room(words) { Ok(()) } else { self.grow_stack(words) }
    }
}

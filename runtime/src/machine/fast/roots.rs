//! What the collector goes through outside of the heap: the stack, CAFs, handles, and the
//! evaluations that were stopped.
//!
//! What a frame holds gets old, so it is not looked at again by a minor collection until the
//! frame has run. At each collection a control word some way down the stack is taken away and
//! a mark put in its place; whoever returns through the mark puts the word back and sets the
//! mark further down. So what is below the mark at the next collection has not run in between,
//! and of that what held nothing young after the last one is clean. (After Cheng, Harper and
//! Lee, *Generational stack collection and profile-driven pretenuring*, 1998.)

use super::code::program::ThunkId;
use super::image::{STRIDE, index};
use super::stack::Control;
use super::state::{MutatorState, Phase};
use crate::gcode::program::GlobalId;
use crate::machine::Handle;
use crate::machine::handles::HandleTable;
use crate::machine::heap::word::Word;
use crate::machine::heap::{Code, Mutator};

/// How many control words below the top, or below the last mark, the mark is set.
const UNMARKED: usize = 64;

/// Positions of frames whose code was gone through last: a deep recursion has few of them.
const RECENT: usize = 4;

/// The handles whose words may lead to the nursery: minor collections visit no others, so that
/// a store with many values is stopped and continued in constant time.
#[derive(Default)]
pub(super) struct YoungHandles {
    numbers: Vec<u32>,
    /// For each number of a handle, whether it is among `numbers`.
    noted: Vec<bool>,
}

impl YoungHandles {
    fn note(&mut self, number: u32) {
        let at = number as usize;
        if at >= self.noted.len() {
            self.noted.resize(at + 1, false);
        }
        if let Some(noted) = self.noted.get_mut(at)
            && !std::mem::replace(noted, true)
        {
            self.numbers.push(number);
        }
    }

    /// Visits the words; keeps the handles for which `visit` returns whether they stay young.
    fn visit(&mut self, roots: &mut HandleTable<Word>, visit: &mut impl FnMut(&mut Word) -> bool) {
        roots.reclaim();
        let noted = &mut self.noted;
        self.numbers.retain(|&number| {
            let young = roots.get_mut(number).is_some_and(&mut *visit);
            if let (false, Some(noted)) = (young, noted.get_mut(number as usize)) {
                *noted = false;
            }
            young
        });
    }
}

impl MutatorState {
    /// Makes a new handle on a value.
    pub(super) fn handle(&mut self, word: Word) -> Handle {
        let root = self.handles.add(word);
        if word.is_pointer() {
            self.young_handles.note(root.index());
        }
        root
    }

    /// Puts the word back that the mark has taken the place of.
    pub(super) fn clear_mark(&mut self) {
        if let Some((at, word)) = self.mark.take() {
            // SAFETY: the place was in use when it was marked; who returns past it comes here.
            unsafe { *self.stack.base().add(at) = word }
        }
    }

    /// Marks the control word some way below the present frame.
    pub(super) fn set_mark(&mut self) {
        self.clear_mark();
        let base = self.stack.base();
        let mut end = self.fp.0;
        for _ in 0..UNMARKED {
            // SAFETY: a control word ends where each frame, and each control word, begins;
            // the lowest one leads to the base.
            unsafe {
                end = end.sub(Control::read(end).span());
                if end == base {
                    self.clean = 0;
                    return;
                }
            }
        }
        // SAFETY: as above: there is a control word below `end`.
        unsafe {
            let place = end.sub(1);
            let at = place.offset_from(base) as usize;
            self.mark = Some((at, *place));
            self.clean = self.clean.min(at);
            Control::Mark.push(place);
        }
    }

    /// Notes that there was a collection, before which the mark was `marked`: what is below
    /// that has not run. [`young`](Mutator::young) has found out how much of it is clean.
    pub(super) fn collected(&mut self, marked: Option<usize>) {
        self.phase = Phase::Idle;
        self.clean = self.clean.min(marked.unwrap_or(0));
        self.set_mark();
    }

    /// Visits the stack from the top down to its lowest `clean` words: what its frames still
    /// need, thunks to be updated, arguments. Returns how many words at the bottom no visit
    /// was true for.
    fn walk(&mut self, clean: usize, visit: &mut impl FnMut(&mut Word) -> bool) -> usize {
        let image = self.image.clone();
        let base = self.stack.base();
        let clean = base.wrapping_add(clean);
        let (mut at, mut fp, mut skip) = (self.at, self.fp.0, None);
        let index_of = |fp: *mut Word| (fp.addr() - base.addr()) / size_of::<Word>();
        let mut lowest = index_of(fp);
        let (mut recent, mut oldest) = ([None; RECENT], 0);
        loop {
            let mut found = false;
            for &slot in image.live_slots(at) {
                if skip != Some(slot) {
                    // SAFETY: slots that are alive are slots of the frame, and written (rules of
                    // compact code).
                    found |= unsafe { visit(&mut *fp.add(slot as usize)) };
                }
            }
            if self.phase == Phase::Marking && !recent.contains(&Some(at)) {
                recent[oldest] = Some(at);
                oldest = (oldest + 1) % RECENT;
                self.mark_code(index(at) as u32, &mut |word| _ = visit(word));
            }
            loop {
                // SAFETY: below a frame or a control word is a control word.
                let control = unsafe { Control::read(fp) };
                match control {
                    Control::Update(_) => {
                        // SAFETY: its word is the thunk.
                        found |= unsafe { visit(&mut *fp.sub(1)) };
                    }
                    Control::Apply { count, .. } => {
                        for n in 0..count as usize {
                            // SAFETY: the arguments are below the word.
                            found |= unsafe { visit(&mut *fp.sub(2 + n)) };
                        }
                    }
                    _ => {}
                }
                if std::mem::take(&mut found) {
                    // The next walk has to come here again.
                    lowest = index_of(fp) - 1;
                }
                // SAFETY: as above.
                fp = unsafe { fp.sub(control.span()) };
                if fp <= clean {
                    return lowest;
                }
                (at, skip) = match control {
                    Control::Return { at, base } | Control::Try { at, base } => (at, Some(base)),
                    Control::Evaluate { at, slot, .. } => {
                        // The thunk is visited because the instruction needs its slot.
                        debug_assert!(image.live_slots(at).contains(&slot));
                        (at, None)
                    }
                    Control::Resume { at, .. } | Control::Stop { at, .. } => (at, None),
                    _ => continue,
                };
                break;
            }
        }
    }

    /// Goes through the code from an instruction to the end of its piece, and through the code
    /// that it refers to: visits the CAFs that it can reach.
    fn mark_code(&mut self, from: u32, visit: &mut impl FnMut(&mut Word)) {
        let image = self.image.clone();
        let cafs = &mut self.cafs;
        image.reach(from, &mut self.visited, &mut |global| match cafs.get_mut(global.0 as usize) {
            Some(word) if *word != Word::NOTHING => {
                // Marked once; visited again it stays so.
                visit(word);
                true
            }
            _ => false,
        });
    }
}

// SAFETY: the words outside of the heap are those of the stack, as far as its frames need them,
// of CAFs, handles, the printer and saved stacks, and each function visits those that it says.
unsafe impl Mutator for MutatorState {
    fn young(&mut self, visit: &mut impl FnMut(&mut Word) -> bool) {
        self.clear_mark();
        self.clean = self.walk(self.clean, visit);
        let cafs = &mut self.cafs;
        self.young_cafs.retain(|GlobalId(at)| cafs.get_mut(*at as usize).is_some_and(&mut *visit));
        self.young_handles.visit(&mut self.handles, visit);
        let opaques = &mut self.opaques;
        self.young_opaques.retain(|&at| opaques.node_mut(at).is_some_and(&mut *visit));
        for word in &mut self.printing {
            visit(word);
        }
    }

    fn roots(&mut self, visit: &mut impl FnMut(&mut Word)) {
        if self.phase == Phase::Idle {
            self.phase = Phase::Marking;
            self.visited.clear();
            self.visited.resize(self.image.program.owners.len(), u32::MAX);
            self.saved.clear_marks();
        } else {
            self.phase = Phase::Idle;
        }
        self.clear_mark();
        self.walk(0, &mut |word| {
            visit(word);
            false
        });
        self.handles.live().for_each(&mut *visit);
        self.printing.iter_mut().for_each(visit);
    }

    fn code(&mut self, code: Code, visit: &mut impl FnMut(&mut Word)) {
        let entry = match code {
            Code::Thunk(thunk) => {
                self.image.program.thunks.get(ThunkId(thunk)).map(|thunk| thunk.entry)
            }
            Code::Function(global) => self.image.program.globals.get(global).copied(),
        };
        if let Some(entry) = entry {
            self.mark_code(entry.pc.0, visit);
        }
    }

    fn cafs(&mut self, visit: &mut impl FnMut(&mut Word)) {
        self.cafs.iter_mut().filter(|word| **word != Word::NOTHING).for_each(&mut *visit);
        self.opaques.nodes().for_each(visit);
    }

    fn suspended(&mut self, id: i64, visit: &mut impl FnMut(&mut Word)) {
        let image = self.image.clone();
        let mut codes = Vec::new();
        self.saved.visit(id, &image, |at| codes.push(at), visit);
        if self.phase == Phase::Marking {
            codes.into_iter().for_each(|at| self.mark_code(at / STRIDE, visit));
        }
    }

    fn sweep(&mut self, is_live: &mut impl FnMut(&mut Word) -> bool) {
        self.phase = Phase::Updating;
        for word in &mut self.cafs {
            if *word != Word::NOTHING && !is_live(word) {
                *word = Word::NOTHING;
                self.cafs_collected += 1;
            }
        }
        self.opaques.sweep(is_live);
        self.saved.sweep();
    }
}

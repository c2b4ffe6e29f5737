//! Application of what only the run knows (eval/apply: Marlow and Peyton Jones, *Making a fast
//! curry: push/enter vs. eval/apply for higher-order languages*, 2004).

use super::code::instr::{Arg, Base};
use super::code::program::{ArgsId, Entry};
use super::run::{node_at, read_arg};
use super::stack::{Control, SLACK};
use super::state::Machine;
use crate::gcode::program::GlobalId;
use crate::machine::heap::word::{Tag, View, Word};
use crate::machine::heap::{Fields, Kind, Size};
use crate::machine::outcome::Stop;

/// What an application is to.
enum Callee {
    /// A function that has been given the first `held` arguments.
    Function(GlobalId, usize),
    /// What is to be evaluated first.
    Unknown,
    /// No function.
    Other,
}

impl Machine {
    /// The word that an operand stands for.
    #[inline]
    pub(super) fn arg(&self, arg: Arg) -> Word {
        // SAFETY: operands are slots of the frame and written, or constants (the verifier of
        // compact code).
        unsafe { read_arg(arg, self.fp, self.image.program.consts.as_slice().as_ptr()) }
    }

    /// Operands of an instruction. What they are borrowed from lives as long as the machine.
    pub(super) fn args(&self, args: ArgsId) -> impl ExactSizeIterator<Item = Word> + '_ {
        let args = self.image.program.args.get(args).map_or(&[][..], |args| args);
        args.iter().map(|arg| self.arg(*arg))
    }

    fn callee(&self, word: Word) -> Callee {
        match word.view() {
            View::Function(global) => Callee::Function(global, 0),
            View::Node(Tag::Unknown) => Callee::Unknown,
            View::Node(Tag::Value) => {
                // SAFETY: a pointer leads to a node.
                let (header, _) = unsafe { node_at(word) };
                match header.kind() {
                    Kind::Pap => Callee::Function(GlobalId(header.info()), header.words()),
                    _ => Callee::Other,
                }
            }
            _ => Callee::Other,
        }
    }

    fn entry(&self, global: GlobalId) -> Entry {
        match self.image.program.globals.get(global) {
            Some(entry) => *entry,
            None => unreachable!("a function is a global of the program"),
        }
    }

    /// Makes sure of what an application takes: room above `above` words of the frame and in
    /// the heap. Collections happen here: words that were read before are to be read again.
    fn prepare(
        &mut self,
        callee: &Callee,
        count: usize,
        above: usize,
        at: u32,
        f: Word,
    ) -> Result<bool, Stop> {
        let (frame, heap) = match *callee {
            Callee::Function(global, held) => {
                let entry = self.entry(global);
                let partial = held + count < entry.takes as usize;
                if partial && Size::new(held + count).is_none() {
                    // More arguments than a partial application can hold.
                    return Err(self.heap_limit());
                }
                (held + entry.frame as usize, if partial { 1 + held + count } else { 0 })
            }
            Callee::Unknown => (0, 0),
            Callee::Other => return Err(self.applied_value(at, f, count)),
        };
        // Room first: an instruction that is executed again after a collection is no reduction.
        self.room(above + count + frame + SLACK)?;
        if !self.heap.fits(heap) {
            self.collect_for(heap)?;
            return Ok(false);
        }
        // What is to be evaluated first counts when it is entered: going on with an evaluation
        // that was stopped in the midst of many such is no reduction.
        if let Callee::Function(..) = callee {
            self.ticks = self.ticks.wrapping_sub(1);
            if self.ticks == 0 {
                self.tick()?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls whatever `f` evaluates to.
    pub(super) fn call_unknown(&mut self, base: Base, f: Arg, args: ArgsId) -> Result<(), Stop> {
        let (callee, count) = (self.callee(self.arg(f)), self.args(args).len());
        let at = self.at();
        if !self.prepare(&callee, count, base.0 as usize + 1, at, self.arg(f))? {
            return Ok(());
        }
        let next = at + super::image::STRIDE;
        let f = self.arg(f);
        // Operands may stand where the control word is to be.
        self.put_args(base.0 as usize + 1, args);
        // SAFETY: room was made.
        unsafe {
            let to = self.fp.add(base.0 as usize);
            self.fp = Control::Return { at: next, base: base.0 }.push(to);
        }
        self.apply(f, callee, count, at)
    }

    /// Goes on with whatever `f` evaluates to, in place of the present frame.
    pub(super) fn tail_unknown(&mut self, f: Arg, args: ArgsId) -> Result<(), Stop> {
        let (callee, count) = (self.callee(self.arg(f)), self.args(args).len());
        let at = self.at();
        if !self.prepare(&callee, count, 0, at, self.arg(f))? {
            return Ok(());
        }
        let f = self.arg(f);
        self.put_args(0, args);
        self.apply(f, callee, count, at)
    }

    /// Goes on with a global, in place of the present frame.
    pub(super) fn tail_call(&mut self, global: GlobalId, args: ArgsId) -> Result<(), Stop> {
        self.ticks = self.ticks.wrapping_sub(1);
        if self.ticks == 0 {
            return self.tick();
        }
        let Entry { pc, frame, .. } = self.entry(global);
        self.room(frame as usize)?;
        self.put_args(0, args);
        self.go_to(pc);
        Ok(())
    }

    /// Calls a global.
    pub(super) fn call(&mut self, base: Base, global: GlobalId, args: ArgsId) -> Result<(), Stop> {
        self.ticks = self.ticks.wrapping_sub(1);
        if self.ticks == 0 {
            return self.tick();
        }
        let Entry { pc, frame, .. } = self.entry(global);
        let first = base.0 as usize + 1;
        self.room(first + frame as usize)?;
        self.put_args(first, args);
        let next = self.at() + super::image::STRIDE;
        // SAFETY: room was made.
        unsafe {
            let to = self.fp.add(base.0 as usize);
            self.fp = Control::Return { at: next, base: base.0 }.push(to);
        }
        self.go_to(pc);
        Ok(())
    }

    /// Puts operands in the slots from `first` on; all are read before one is written.
    fn put_args(&mut self, first: usize, args: ArgsId) {
        let mut few = [Word::ZERO; 8];
        let count = self.args(args).len();
        let many: Vec<Word>;
        let words = match few.get_mut(..count) {
            Some(words) => {
                for (to, word) in words.iter_mut().zip(self.args(args)) {
                    *to = word;
                }
                &*words
            }
            None => {
                many = self.args(args).collect();
                &many
            }
        };
        // SAFETY: the room for them was made; nothing else borrows the stack.
        unsafe { self.fp.add(first).copy_from_nonoverlapping(words.as_ptr(), words.len()) }
    }

    /// Applies the evaluated word in slot 0 to the arguments that wait below the frame.
    pub(super) fn apply_waiting(&mut self, at: u32, count: usize) -> Result<(), Stop> {
        let f = self.slot(0);
        let callee = self.callee(f);
        if !self.prepare(&callee, count, 1, at, f)? {
            return Ok(());
        }
        let f = self.slot(0);
        self.fp = self.fp.wrapping_sub(count + 1);
        self.apply(f, callee, count, at)
    }

    /// Applies `f` to the `count` words in the first slots of the frame, above which there is
    /// room. It is no error: that has been checked.
    fn apply(&mut self, f: Word, callee: Callee, count: usize, at: u32) -> Result<(), Stop> {
        let to = self.fp;
        let (global, held) = match callee {
            Callee::Function(global, held) => (global, held),
            Callee::Unknown | Callee::Other => {
                // SAFETY: room was made.
                unsafe {
                    self.fp = Control::Apply { at, count: count as u32 }.push(to.add(count));
                    *self.fp = f;
                }
                self.pc = self.instr(self.image.enter);
                return Ok(());
            }
        };
        let entry = self.entry(global);
        let takes = entry.takes as usize;
        // SAFETY: a partial application holds these words; there is room for all arguments.
        unsafe {
            let held = match held {
                0 => &[],
                _ => std::slice::from_raw_parts(node_at(f).1, held),
            };
            if held.len() + count < takes {
                let given = std::slice::from_raw_parts(to, count);
                let all: Vec<Word> = held.iter().chain(given).copied().collect();
                let Some(all) = Fields::new(&all) else { return Err(self.heap_limit()) };
                let pap = self.heap.alloc(Kind::Pap, global.0, all);
                return self.give(pap);
            }
            let used = takes - held.len();
            let rest = count - used;
            let mut frame = to;
            if rest > 0 {
                // The rest goes below, in its order, and what is used now above.
                let given: Vec<Word> = std::slice::from_raw_parts(to, used).to_vec();
                std::ptr::copy(to.add(used), to, rest);
                frame = Control::Apply { at, count: rest as u32 }.push(to.add(rest));
                frame.add(held.len()).copy_from_nonoverlapping(given.as_ptr(), used);
            } else if !held.is_empty() {
                std::ptr::copy(to, to.add(held.len()), used);
            }
            frame.copy_from_nonoverlapping(held.as_ptr(), held.len());
            self.fp = frame;
        }
        self.go_to(entry.pc);
        Ok(())
    }
}

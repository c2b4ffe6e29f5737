//! Application of what only the run knows (eval/apply: Marlow and Peyton Jones, *Making a fast
//! curry: push/enter vs. eval/apply for higher-order languages*, 2004).

use super::code::instr::{Arg, Base};
use super::code::program::{ArgsId, Entry};
use super::eval::Entering;
use super::executor::{Pool, node_at, read_arg};
use super::short::put_args;
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

/// The operands of an application beside the function.
#[derive(Clone, Copy)]
pub(super) enum Operands<'a> {
    /// Those of the instruction itself.
    Few(&'a [Arg]),
    /// A list of the program's.
    List(ArgsId),
}

impl Machine {
    /// Returns the word that an operand stands for.
    #[inline]
    pub(super) fn arg(&self, arg: Arg) -> Word {
        // SAFETY: operands are slots of the frame and written, or constants (rules of
        // compact code).
        unsafe { read_arg(arg, self.fp.0, Pool::new(self.mutator.image.program.consts.as_slice())) }
    }

    /// Returns the operands of an instruction. What they are borrowed from lives as long as the
    /// machine.
    #[inline]
    pub(super) fn args(&self, args: ArgsId) -> impl ExactSizeIterator<Item = Word> + '_ {
        self.arg_list(args).iter().map(|arg| self.arg(*arg))
    }

    #[inline]
    pub(super) fn arg_list(&self, args: ArgsId) -> &[Arg] {
        self.mutator.image.program.args.get(args).map_or(&[][..], |args| args)
    }

    fn operands<'a>(&'a self, args: Operands<'a>) -> &'a [Arg] {
        match args {
            Operands::Few(args) => args,
            Operands::List(args) => self.arg_list(args),
        }
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

    pub(super) fn entry(&self, global: GlobalId) -> Entry {
        match self.mutator.image.program.globals.get(global) {
            Some(entry) => *entry,
            None => unreachable!("a function is a global of the program"),
        }
    }

    /// Ensures what an application takes: room above `above` words of the frame and in the heap.
    /// Collections happen here: words that were read before are to be read again.
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
        self.stack_check(above + count + frame + SLACK)?;
        if !self.heap.fits(heap) {
            self.collect_for(heap)?;
            return Ok(false);
        }
        // What is to be evaluated first counts when it is entered: going on with an evaluation
        // that was stopped in the midst of many such is no reduction.
        if let Callee::Function(global, _) = *callee {
            self.ticks = self.ticks.wrapping_sub(1);
            if self.ticks == 0 {
                let pc = self.entry(global).pc;
                self.tick_and_retry(Some(Entering { pc, in_place: above == 0 }))?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls whatever `f` evaluates to.
    ///
    /// # Errors
    /// When `f` is no function, or something is used up.
    pub(super) fn call_unknown(
        &mut self,
        base: Base,
        f: Arg,
        args: Operands<'_>,
    ) -> Result<(), Stop> {
        let (callee, count) = (self.callee(self.arg(f)), self.operands(args).len());
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
            let to = self.fp.0.add(base.0 as usize);
            self.fp.0 = Control::Return { at: next, base: base.0 }.push(to);
        }
        self.apply(f, callee, count, at)
    }

    /// Continues with whatever `f` evaluates to, in place of the present frame.
    ///
    /// # Errors
    /// As [`call_unknown`](Machine::call_unknown).
    pub(super) fn tail_unknown(&mut self, f: Arg, args: Operands<'_>) -> Result<(), Stop> {
        let (callee, count) = (self.callee(self.arg(f)), self.operands(args).len());
        let at = self.at();
        if !self.prepare(&callee, count, 0, at, self.arg(f))? {
            return Ok(());
        }
        let f = self.arg(f);
        self.put_args(0, args);
        self.apply(f, callee, count, at)
    }

    /// Tail-calls a global, in place of the present frame.
    pub(super) fn tail_call(&mut self, global: GlobalId, args: ArgsId) -> Result<(), Stop> {
        let Entry { pc, frame, .. } = self.entry(global);
        self.ticks = self.ticks.wrapping_sub(1);
        if self.ticks == 0 {
            return self.tick_and_retry(Some(Entering { pc, in_place: true }));
        }
        self.stack_check(frame as usize)?;
        self.put_args(0, Operands::List(args));
        self.go_to(pc);
        Ok(())
    }

    /// Calls a global.
    pub(super) fn call(&mut self, base: Base, global: GlobalId, args: ArgsId) -> Result<(), Stop> {
        self.enter_global(base, global, args, |at, base| Control::Return { at, base })
    }

    /// Enters a global with `control`, of the next instruction and the slot, below its frame.
    ///
    /// # Errors
    /// When something is used up.
    pub(super) fn enter_global(
        &mut self,
        base: Base,
        global: GlobalId,
        args: ArgsId,
        control: impl FnOnce(u32, u32) -> Control,
    ) -> Result<(), Stop> {
        let Entry { pc, frame, .. } = self.entry(global);
        self.ticks = self.ticks.wrapping_sub(1);
        if self.ticks == 0 {
            return self.tick_and_retry(Some(Entering { pc, in_place: false }));
        }
        let first = base.0 as usize + 1;
        self.stack_check(first + frame as usize)?;
        self.put_args(first, Operands::List(args));
        let next = self.at() + super::image::STRIDE;
        // SAFETY: room was made.
        unsafe {
            let to = self.fp.0.add(base.0 as usize);
            self.fp.0 = control(next, base.0).push(to);
        }
        self.go_to(pc);
        Ok(())
    }

    /// Puts operands in the slots from `first` on; all are read before one is written.
    fn put_args(&mut self, first: usize, args: Operands<'_>) {
        let consts = Pool::new(self.mutator.image.program.consts.as_slice());
        // SAFETY: the operands are the instruction's, and the room for them was made.
        unsafe {
            let to = self.fp.0.add(first);
            put_args(self.operands(args), self.fp.0, consts, to);
        }
    }

    /// Applies the evaluated word in slot 0 to the `count` arguments that wait below the frame,
    /// the first one topmost ([`Control::Apply`]). Returns the value if the application is
    /// partial, and so is one; else the registers are where the evaluation continues.
    ///
    /// # Errors
    /// When the word is no function, or something is used up.
    pub(super) fn apply_waiting(&mut self, at: u32, count: usize) -> Result<Option<Word>, Stop> {
        let f = self.slot(0);
        let callee = self.callee(f);
        if !self.prepare(&callee, count, 1, at, f)? {
            return Ok(None);
        }
        let Callee::Function(global, held) = callee else {
            unreachable!("slot 0 holds a value, and `prepare` has refused what is no function")
        };
        let f = self.slot(0);
        let entry = self.entry(global);
        let used = count.min(entry.takes as usize - held);
        // SAFETY: the arguments are below the control word, and written; a partial application
        // holds `held` fields; `prepare` has made room for a frame with all its arguments.
        unsafe {
            // Above the first argument.
            let top = self.fp.0.sub(1);
            let (mut few, mut many) = ([Word::ZERO; 8], Vec::new());
            let all = match few.get_mut(..held + used) {
                Some(few) => few,
                None => {
                    many.resize(held + used, Word::ZERO);
                    &mut many[..]
                }
            };
            let (first, second) = all.split_at_mut(held);
            for (n, to) in first.iter_mut().enumerate() {
                *to = *node_at(f).1.add(n);
            }
            for (n, to) in (1..).zip(second) {
                *to = *top.sub(n);
            }
            let rest = top.sub(used);
            if held + used < entry.takes as usize {
                self.fp.0 = rest;
                let Some(all) = Fields::new(all) else { return Err(self.heap_limit()) };
                return Ok(Some(self.heap.alloc(Kind::Pap, global.0, all)));
            }
            self.fp.0 = match count - used {
                0 => rest,
                left => Control::Apply { at, count: left as u32 }.push(rest),
            };
            self.fp.0.copy_from_nonoverlapping(all.as_ptr(), all.len());
        }
        self.go_to(entry.pc);
        Ok(None)
    }

    /// Applies `f` to the `count` words in the first slots of the frame, above which there is
    /// room. It is no error: that has been checked.
    fn apply(&mut self, f: Word, callee: Callee, count: usize, at: u32) -> Result<(), Stop> {
        let to = self.fp.0;
        let (global, held) = match callee {
            Callee::Function(global, held) => (global, held),
            Callee::Unknown | Callee::Other => {
                // SAFETY: room was made, and the arguments are written.
                unsafe {
                    reverse(to, count);
                    self.fp.0 = Control::Apply { at, count: count as u32 }.push(to.add(count));
                    *self.fp.0 = f;
                }
                self.pc.0 = self.instr(self.mutator.image.enter);
                return Ok(());
            }
        };
        let entry = self.entry(global);
        let takes = entry.takes as usize;
        // SAFETY: a partial application holds `held` fields; the arguments are written, and
        // there is room for all.
        unsafe {
            let fields = if held > 0 { node_at(f).1 } else { std::ptr::null() };
            if held + count < takes {
                let held = (0..held).map(|n| *fields.add(n));
                let all: Vec<Word> = held.chain((0..count).map(|n| *to.add(n))).collect();
                let Some(all) = Fields::new(&all) else { return Err(self.heap_limit()) };
                let value = self.heap.alloc(Kind::Pap, global.0, all);
                return self.return_value(value);
            }
            let used = takes - held;
            let rest = count - used;
            let mut frame = to;
            if rest > 0 {
                // The rest waits below, and what is used now goes above.
                let given: Vec<Word> = (0..used).map(|n| *to.add(n)).collect();
                std::ptr::copy(to.add(used), to, rest);
                reverse(to, rest);
                frame = Control::Apply { at, count: rest as u32 }.push(to.add(rest));
                frame.add(held).copy_from_nonoverlapping(given.as_ptr(), used);
            } else if held > 0 {
                std::ptr::copy(to, to.add(held), used);
            }
            if held > 0 {
                frame.copy_from_nonoverlapping(fields, held);
            }
            self.fp.0 = frame;
        }
        self.go_to(entry.pc);
        Ok(())
    }
}

/// Reverses the `count` words from `first` on.
///
/// # Safety
/// They are written, and nothing else refers to them.
unsafe fn reverse(first: *mut Word, count: usize) {
    if count > 1 {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(first, count) }.reverse();
    }
}

//! The registers of the machine while it executes instructions, and what instructions have in
//! common. Every method is inlined, so that the registers are locals of who executes.

use super::cheap::{computed, computed_of_args};
use super::code::instr::{Arg, Base, Dst, Forced, Instr, Pc, Slot};
use super::code::program::{ArgsId, Case, Entry, Program, ThunkId};
use super::numbers::of_words;
use super::probe::Probe;
use super::short::put_args;
use super::stack::{Control, as_evaluate, as_return, as_try, as_update, return_word};
use super::state::Machine;
use crate::base::index::Idx;
use crate::gcode::effect::Effect;
use crate::gcode::program::{ConId, GlobalId};
use crate::machine::heap::word::Word;
use crate::machine::heap::{Header, Kind, Size};
use crate::primitive::Primitive;

/// What comes after an instruction, or before it is executed again.
#[derive(Clone, Copy)]
pub(super) enum Next {
    /// It is done; the registers are at the next one.
    Done,
    /// The value of what is in this slot is needed, if it is not evaluated; if it is, the slow
    /// path knows what to do with it.
    Force(u32),
    /// The value of the first of two slots that is not evaluated is needed, in the same way.
    ForceEither(u32, u32),
    /// This word, which is not evaluated, is to be evaluated in place of the frame.
    Enter(Word),
    /// What the instruction applies is no function as it stands.
    Apply,
    /// This value is returned to what is no frame.
    Return(Word),
    /// The slow path of the instruction finds out what is missing.
    General,
    /// The evaluation ends.
    Halt,
}

/// The registers of the machine, and who listens.
pub(super) struct Executor<'a, P> {
    pub(super) machine: &'a mut Machine,
    pub(super) probe: P,
    /// The instruction.
    pub(super) pc: *const Instr,
    /// The frame.
    pub(super) fp: *mut Word,
    /// The constants of the program.
    pub(super) consts: Pool,
}

impl<'a, P: Probe> Executor<'a, P> {
    /// Makes an executor at the machine's registers.
    pub(super) fn new(machine: &'a mut Machine, probe: P) -> Executor<'a, P> {
        let program = &machine.mutator.image.program;
        let consts = Pool::new(program.consts.as_slice());
        machine.code.0 = program.code.as_ptr();
        machine.cases.0 = program.cases.as_slice().as_ptr();
        machine.globals.0 = program.globals.as_slice().as_ptr();
        let (pc, fp) = (machine.pc.0, machine.fp.0);
        Executor { machine, probe, pc, fp, consts }
    }

    #[inline(always)]
    pub(super) fn program(&self) -> &Program {
        &self.machine.mutator.image.program
    }

    /// Returns the word in a slot.
    #[inline(always)]
    pub(super) fn slot(&self, slot: u32) -> Word {
        // SAFETY: the code reads slots of its frame that are written.
        unsafe { *self.fp.add(slot as usize) }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, d: Dst, word: Word) {
        // SAFETY: the code writes slots of its frame.
        unsafe { *self.fp.add(d.0 as usize) = word }
    }

    #[inline(always)]
    pub(super) fn arg(&self, arg: Arg) -> Word {
        // SAFETY: the code reads slots that are written, and constants of the pool.
        unsafe { read_arg(arg, self.fp, self.consts) }
    }

    /// Returns the words of operands. By a loop: a function that is given a local, and may not be
    /// inlined, would keep the next instruction from being a jump.
    #[inline(always)]
    fn read<const N: usize>(&self, args: [Arg; N]) -> [Word; N] {
        let mut words = [Word::ZERO; N];
        let mut at = 0;
        while at < N {
            words[at] = self.arg(args[at]);
            at += 1;
        }
        words
    }

    /// Returns the offset of an instruction in the code, in bytes.
    #[inline(always)]
    pub(super) fn offset(&self, pc: *const Instr) -> u32 {
        (pc.addr() - self.machine.code.0.addr()) as u32
    }

    /// Advances to the next instruction.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Next {
        // SAFETY: this instruction is not the last of its piece of code.
        self.pc = unsafe { self.pc.add(1) };
        Next::Done
    }

    #[inline(always)]
    pub(super) fn jump(&mut self, to: Pc) -> Next {
        // SAFETY: targets and entries are in the code.
        self.pc = unsafe { self.machine.code.0.add(to.0 as usize) };
        Next::Done
    }

    /// Jumps to the target of a case for a constructor of its data type, by its number there. For
    /// the first ones by branches, which are predicted: what follows does not wait for the
    /// constructor.
    #[inline(always)]
    pub(super) fn branch_of(&mut self, case: &Case, at: usize) -> Next {
        macro_rules! predict {
            ($($at:literal)+) => {
                $(if at == $at {
                    return match case.targets.get($at) {
                        Some(to) => self.jump(*to),
                        None => Next::General,
                    };
                }
                predicted();)+
            };
        }
        predict! { 0 1 2 3 }
        match case.targets.get(at) {
            Some(to) => self.jump(*to),
            None => Next::General,
        }
    }

    /// Continues with the next instruction if `holds`, else at `to`.
    #[inline(always)]
    pub(super) fn branch(&mut self, holds: bool, to: Pc) -> Next {
        if holds {
            predicted();
            self.next()
        } else {
            self.jump(to)
        }
    }

    #[inline(always)]
    pub(super) fn result(&mut self, d: Dst, word: Word) -> Next {
        self.set(d, word);
        self.next()
    }

    /// Allocates a node, if there is room.
    #[inline(always)]
    pub(super) fn node<const N: usize>(
        &mut self,
        kind: Kind,
        info: u32,
        args: [Arg; N],
    ) -> Option<Word> {
        if !self.machine.heap.fits(N + 1) {
            return None;
        }
        let fields = self.read(args);
        if P::ACTIVE {
            self.machine.counts.allocations += 1;
            self.probe.allocated(self.offset(self.pc), N + 1);
        }
        // SAFETY: there is room, and the operands are as many as `kind` has fields.
        Some(unsafe { self.machine.heap.alloc(kind, info, &fields) })
    }

    #[inline(always)]
    pub(super) fn con<const N: usize>(&mut self, d: Dst, con: ConId, args: [Arg; N]) -> Next {
        match self.node(Kind::Con, con.0, args) {
            Some(node) => self.result(d, node),
            None => Next::General,
        }
    }

    #[inline(always)]
    pub(super) fn thunk<const N: usize>(&mut self, d: Dst, thunk: ThunkId, args: [Arg; N]) -> Next {
        let Some(node) = self.node(Kind::Thunk, thunk.0, args) else { return Next::General };
        self.machine.counts.thunks_made += 1;
        if P::ACTIVE {
            self.probe.made(thunk);
        }
        self.result(d, node)
    }

    /// Sets `d` to the value of a cheap thunk, or to the thunk.
    #[inline(always)]
    pub(super) fn cheap<const N: usize>(&mut self, d: Dst, thunk: ThunkId, args: [Arg; N]) -> Next {
        let captured = self.read(args);
        let pc = self.code_of(thunk);
        // SAFETY: the operand names the code of a thunk, which is cheap, and takes what is captured.
        let value = unsafe { computed(self.machine, pc, captured, self.consts) };
        match value == Word::NOTHING {
            true => self.thunk(d, thunk, args),
            false => self.result(d, value),
        }
    }

    /// Sets `d` to the sum of an integer and a constant, or as [`cheap`](Executor::cheap) does.
    #[inline(always)]
    pub(super) fn cheap_sum(&mut self, d: Dst, thunk: ThunkId, a: Arg, k: i32) -> Next {
        let [x] = self.read([a]);
        if x.is_int()
            && let Some(twice) = x.twice().checked_add(2 * i64::from(k))
        {
            return self.result(d, Word::from_bits(twice as u64));
        }
        self.cheap(d, thunk, [a])
    }

    /// Computes a cheap thunk as [`cheap`](Executor::cheap) does, with more captured variables.
    #[inline(always)]
    pub(super) fn cheap_of(&mut self, d: Dst, thunk: ThunkId, args: ArgsId) -> Next {
        // SAFETY: as there.
        let value = unsafe {
            let (pc, args) = (self.code_of(thunk), self.args(args));
            computed_of_args(self.machine, pc, args, self.fp, self.consts)
        };
        match value == Word::NOTHING {
            true => self.node_of(Kind::Thunk, thunk.0, d, args),
            false => self.result(d, value),
        }
    }

    /// Returns where the code of a thunk begins.
    #[inline(always)]
    fn code_of(&self, thunk: ThunkId) -> *const Instr {
        // SAFETY: the operand names the code of a thunk.
        unsafe {
            let thunk = self.program().thunks.as_slice().get_unchecked(thunk.index());
            self.machine.code.0.add(thunk.entry.pc.0 as usize)
        }
    }

    /// Allocates a node of as many fields as there are operands.
    #[inline(always)]
    pub(super) fn node_of(&mut self, kind: Kind, info: u32, d: Dst, args: ArgsId) -> Next {
        let args = self.args(args);
        if P::ACTIVE || !self.machine.heap.fits(args.len() + 1) {
            return Next::General;
        }
        let Some(size) = Size::new(args.len()) else { return Next::General };
        // SAFETY: there is room, and `size` operands, which are written at once.
        let (node, fields) = unsafe { self.machine.heap.alloc_unwritten(kind, info, size) };
        // SAFETY: the node has a field for each operand.
        unsafe {
            match *args {
                // So many are the most frequent: without a loop.
                [a, b, c, d] => fields.cast::<[Word; 4]>().write(self.read([a, b, c, d])),
                [a, b, c, d, e] => fields.cast::<[Word; 5]>().write(self.read([a, b, c, d, e])),
                _ => {
                    for (at, arg) in args.iter().enumerate() {
                        *fields.add(at) = self.arg(*arg);
                    }
                }
            }
        }
        self.machine.counts.thunks_made += u64::from(kind == Kind::Thunk);
        self.result(d, node)
    }

    /// Returns a list of operands.
    #[inline(always)]
    fn args(&self, args: ArgsId) -> &'a [Arg] {
        // SAFETY: the operand names a list.
        let args: *const [Arg] =
            unsafe { &**self.program().args.as_slice().get_unchecked(args.index()) };
        // SAFETY: whoever executes instructions holds the image.
        unsafe { &*args }
    }

    /// Puts the fields of a constructor in slots.
    #[inline(always)]
    pub(super) fn fields<const N: usize>(&mut self, a: Slot, slots: [Dst; N]) -> Next {
        // SAFETY: what the code reads fields of is a constructor that has them. They are all read
        // before one is written, since the constructor itself may be in one of the slots.
        let words: [Word; N] = unsafe { *node_at(self.slot(a.0)).1.cast() };
        let mut at = 0;
        while at < N {
            self.set(slots[at], words[at]);
            at += 1;
        }
        self.next()
    }

    /// Computes with two integers of a word; `compute` gives twice the result, if that is one.
    #[inline(always)]
    pub(super) fn integers(
        &mut self,
        d: Dst,
        a: Forced,
        b: Forced,
        compute: impl FnOnce(Word, Word) -> Option<i64>,
    ) -> Next {
        let (x, y) = (self.slot(a.0), self.slot(b.0));
        if x.is_int()
            && y.is_int()
            && let Some(twice) = compute(x, y)
        {
            return self.result(d, Word::from_bits(twice as u64));
        }
        Next::ForceEither(a.0, b.0)
    }

    /// Computes with an integer of a word and a constant.
    #[inline(always)]
    pub(super) fn with_constant(
        &mut self,
        d: Dst,
        a: Forced,
        k: i32,
        compute: impl FnOnce(Word, i64) -> Option<i64>,
    ) -> Next {
        let x = self.slot(a.0);
        if x.is_int()
            && let Some(twice) = compute(x, i64::from(k))
        {
            return self.result(d, Word::from_bits(twice as u64));
        }
        Next::Force(a.0)
    }

    #[inline(always)]
    pub(super) fn floats(
        &mut self,
        d: Dst,
        a: Forced,
        b: Forced,
        compute: impl FnOnce(f64, f64) -> f64,
    ) -> Next {
        let (x, y) = (self.slot(a.0), self.slot(b.0));
        if x.are_floats(y)
            && let Some(word) = Word::float(compute(x.as_float(), y.as_float()))
        {
            return self.result(d, word);
        }
        Next::ForceEither(a.0, b.0)
    }

    /// Computes with a float of a word and a constant.
    #[inline(always)]
    pub(super) fn float_with(
        &mut self,
        d: Dst,
        a: Forced,
        compute: impl FnOnce(f64) -> f64,
    ) -> Next {
        let x = self.slot(a.0);
        if x.is_float()
            && let Some(word) = Word::float(compute(x.as_float()))
        {
            return self.result(d, word);
        }
        Next::Force(a.0)
    }

    /// Sets `d` to the result of a primitive for two integers that fit a word. It computes modulo
    /// 2^64: a result that fits a word is the same so.
    #[inline(always)]
    pub(super) fn words(&mut self, op: Primitive, d: Dst, a: Forced, b: Forced) -> Next {
        let (x, y) = (self.slot(a.0), self.slot(b.0));
        if x.is_int()
            && y.is_int()
            && let Some(word) = of_words(op, x, y)
        {
            return self.result(d, word);
        }
        Next::ForceEither(a.0, b.0)
    }

    /// Returns whether two integers of a word, or two characters, are so related.
    #[inline(always)]
    fn related(&self, a: Forced, b: Forced, holds: impl FnOnce(i64, i64) -> bool) -> Option<bool> {
        let (x, y) = (self.slot(a.0), self.slot(b.0));
        // The code point is the upper half of a character's word, the lower half is the same in all.
        let comparable = x.is_int() && y.is_int() || x.is_char() && y.is_char();
        comparable.then(|| holds(x.twice(), y.twice()))
    }

    #[inline(always)]
    pub(super) fn compare(
        &mut self,
        d: Dst,
        a: Forced,
        b: Forced,
        holds: impl FnOnce(i64, i64) -> bool,
    ) -> Next {
        match self.related(a, b, holds) {
            Some(holds) => self.result(d, Word::boolean(holds)),
            None => Next::ForceEither(a.0, b.0),
        }
    }

    #[inline(always)]
    pub(super) fn unless(
        &mut self,
        a: Forced,
        b: Forced,
        to: Pc,
        holds: impl FnOnce(i64, i64) -> bool,
    ) -> Next {
        match self.related(a, b, holds) {
            Some(holds) => self.branch(holds, to),
            None => Next::ForceEither(a.0, b.0),
        }
    }

    #[inline(always)]
    pub(super) fn unless_int(
        &mut self,
        a: Forced,
        k: i32,
        to: Pc,
        holds: impl FnOnce(i64, i64) -> bool,
    ) -> Next {
        let x = self.slot(a.0);
        if x.is_int() {
            return self.branch(holds(x.twice(), i64::from(k) * 2), to);
        }
        Next::Force(a.0)
    }

    #[inline(always)]
    pub(super) fn unless_char(
        &mut self,
        a: Forced,
        k: char,
        to: Pc,
        holds: impl FnOnce(i64, i64) -> bool,
    ) -> Next {
        let x = self.slot(a.0);
        if x.is_char() {
            return self.branch(holds(x.twice(), Word::char(k).twice()), to);
        }
        Next::Force(a.0)
    }

    /// Counts a call, and makes sure of room for the frame above so many words.
    #[inline(always)]
    fn may_enter(&mut self, entry: Entry, above: u32) -> bool {
        // By addresses: a pointer that far above may be outside of the stack.
        let words = above as usize + entry.frame as usize;
        if self.fp.addr() + words * size_of::<Word>() > self.machine.stack_end.0.addr() {
            return false;
        }
        self.machine.ticks = self.machine.ticks.wrapping_sub(1);
        if self.machine.ticks == 0 {
            self.machine.ticks = 1;
            return false;
        }
        true
    }

    #[inline(always)]
    fn entry(&self, global: GlobalId) -> Entry {
        // SAFETY: the operand names a global.
        unsafe { *self.machine.globals.0.add(global.index()) }
    }

    #[inline(always)]
    pub(super) fn call<const N: usize>(
        &mut self,
        base: Base,
        global: GlobalId,
        args: [Arg; N],
    ) -> Next {
        let entry = self.entry(global);
        if !self.may_enter(entry, base.0 + 1) {
            return Next::General;
        }
        if P::ACTIVE {
            self.probe.called(global);
        }
        let words = self.read(args);
        // SAFETY: there is room for the frame of the callee, which has its parameters first.
        unsafe { self.fp.add(base.0 as usize + 1).cast::<[Word; N]>().write(words) }
        self.enter(entry, base)
    }

    #[inline(always)]
    pub(super) fn call_many(&mut self, base: Base, global: GlobalId, args: ArgsId) -> Next {
        let entry = self.entry(global);
        if P::ACTIVE || !self.may_enter(entry, base.0 + 1) {
            return Next::General;
        }
        // SAFETY: as in `call`.
        unsafe {
            let to = self.fp.add(base.0 as usize + 1);
            match *self.args(args) {
                // So many are the most frequent: without a call.
                [a, b, c, d] => to.cast::<[Word; 4]>().write(self.read([a, b, c, d])),
                ref args => put_args(args, self.fp, self.consts, to),
            }
        }
        self.enter(entry, base)
    }

    /// Enters a global whose arguments are in the frame above `base`.
    #[inline(always)]
    fn enter(&mut self, entry: Entry, base: Base) -> Next {
        // SAFETY: the frame is there, and the word below it; a call is not the last instruction.
        unsafe {
            let to = self.fp.add(base.0 as usize + 1);
            *to.sub(1) = return_word(self.offset(self.pc.add(1)), base.0);
            self.fp = to;
        }
        self.jump(entry.pc)
    }

    /// Tail-calls a global in place of the frame.
    #[inline(always)]
    pub(super) fn tail<const N: usize>(&mut self, global: GlobalId, args: [Arg; N]) -> Next {
        let entry = self.entry(global);
        if !self.may_enter(entry, 0) {
            return Next::General;
        }
        if P::ACTIVE {
            self.probe.called(global);
        }
        let words = self.read(args);
        // SAFETY: there is room for the frame, which has its parameters first.
        unsafe { self.fp.cast::<[Word; N]>().write(words) }
        self.jump(entry.pc)
    }

    #[inline(always)]
    pub(super) fn tail_many(&mut self, global: GlobalId, args: ArgsId) -> Next {
        let entry = self.entry(global);
        if P::ACTIVE || !self.may_enter(entry, 0) {
            return Next::General;
        }
        // SAFETY: there is room for the frame, which has its parameters first.
        unsafe { put_args(self.args(args), self.fp, self.consts, self.fp) }
        self.jump(entry.pc)
    }

    /// Returns the code of the function that `f` is, if it takes `count` arguments and there is room for its
    /// frame `above` words from this one on; else what is to be done instead.
    #[inline(always)]
    fn applied(&mut self, f: Arg, count: usize, above: u32) -> Result<Entry, Next> {
        // A partial application, most probably.
        let Some(global) = self.arg(f).as_function() else { return Err(Next::Apply) };
        let entry = self.entry(global);
        if entry.takes as usize != count || !self.may_enter(entry, above) {
            return Err(Next::General);
        }
        if P::ACTIVE {
            self.probe.called(global);
        }
        Ok(entry)
    }

    #[inline(always)]
    pub(super) fn apply<const N: usize>(&mut self, base: Base, f: Arg, args: [Arg; N]) -> Next {
        let entry = match self.applied(f, N, base.0 + 1) {
            Ok(entry) => entry,
            Err(next) => return next,
        };
        let words = self.read(args);
        // SAFETY: there is room for the frame of the callee, which has its parameters first.
        unsafe { self.fp.add(base.0 as usize + 1).cast::<[Word; N]>().write(words) }
        self.enter(entry, base)
    }

    #[inline(always)]
    pub(super) fn apply_many(&mut self, base: Base, f: Arg, args: ArgsId) -> Next {
        let args = self.args(args);
        let entry = match self.applied(f, args.len(), base.0 + 1) {
            Ok(entry) => entry,
            Err(next) => return next,
        };
        // SAFETY: as in `apply`.
        unsafe { put_args(args, self.fp, self.consts, self.fp.add(base.0 as usize + 1)) }
        self.enter(entry, base)
    }

    #[inline(always)]
    pub(super) fn tail_apply<const N: usize>(&mut self, f: Arg, args: [Arg; N]) -> Next {
        let entry = match self.applied(f, N, 0) {
            Ok(entry) => entry,
            Err(next) => return next,
        };
        let words = self.read(args);
        // SAFETY: there is room for the frame, which has its parameters first.
        unsafe { self.fp.cast::<[Word; N]>().write(words) }
        self.jump(entry.pc)
    }

    #[inline(always)]
    pub(super) fn tail_apply_many(&mut self, f: Arg, args: ArgsId) -> Next {
        let args = self.args(args);
        let entry = match self.applied(f, args.len(), 0) {
            Ok(entry) => entry,
            Err(next) => return next,
        };
        // SAFETY: as in `tail_apply`.
        unsafe { put_args(args, self.fp, self.consts, self.fp) }
        self.jump(entry.pc)
    }

    /// Evaluates a word under a `Try`.
    #[inline(always)]
    pub(super) fn try_to(&mut self, base: Base, a: Arg) -> Next {
        if P::ACTIVE {
            return Next::General;
        }
        let word = self.arg(a);
        // SAFETY: the registers are at a `Try` with this slot, and at its frame.
        let (pc, fp) = unsafe { self.machine.try_at(self.pc, self.fp, base, word) };
        if pc.is_null() {
            return Next::General;
        }
        (self.pc, self.fp) = (pc, fp);
        Next::Done
    }

    /// Calls a global under a `Try`.
    #[inline(always)]
    pub(super) fn try_call(&mut self, base: Base, global: GlobalId, args: ArgsId) -> Next {
        let entry = self.entry(global);
        if P::ACTIVE || !self.may_enter(entry, base.0 + 1) {
            return Next::General;
        }
        self.machine.tries_called(self.fp);
        // SAFETY: as in `call`; the control word is below the frame.
        unsafe {
            let place = self.fp.add(base.0 as usize);
            let to = place.add(1);
            put_args(self.args(args), self.fp, self.consts, to);
            let at = self.offset(self.pc.add(1));
            Control::Try { at, base: base.0 }.push(place);
            self.fp = to;
        }
        self.jump(entry.pc)
    }

    /// Performs an effect.
    #[inline(always)]
    pub(super) fn effect(&mut self, d: Dst, effect: Effect, args: ArgsId) -> Next {
        if P::ACTIVE {
            return Next::General;
        }
        let args = self.args(args);
        // SAFETY: they are the operands of the instruction.
        let result = unsafe { self.machine.effect_at(effect, args, self.fp, self.consts) };
        if result == Word::NOTHING { Next::General } else { self.result(d, result) }
    }

    #[inline(always)]
    pub(super) fn return_or_enter(&mut self, a: Arg) -> Next {
        let word = self.arg(a);
        if word.is_evaluated() { self.return_value(word) } else { Next::Enter(word) }
    }

    /// Returns a value to the frame below.
    #[inline(always)]
    pub(super) fn return_value(&mut self, value: Word) -> Next {
        // SAFETY: a control word ends where a frame begins.
        let Some((at, base)) = as_return(unsafe { *self.fp.sub(1) }) else {
            return Next::Return(value);
        };
        // SAFETY: the value takes the place of the control word, which spans what is above the frame
        // below; that frame goes on in the code.
        unsafe {
            *self.fp.sub(1) = value;
            self.fp = self.fp.sub(base as usize + 1);
            self.pc = self.machine.code.0.byte_add(at as usize);
        }
        Next::Done
    }

    /// Updates the thunks that wait for a value, and returns it to the frame below them.
    #[inline(always)]
    pub(super) fn update(&mut self, value: Word) -> Next {
        loop {
            // SAFETY: a control word ends where a frame begins.
            let control = unsafe { *self.fp.sub(1) };
            if let Some(thunk) = as_update(control) {
                // SAFETY: a thunk under evaluation is a node that is no value; the control word was
                // below the frame.
                unsafe {
                    self.update_thunk(thunk, value);
                    self.fp = self.fp.sub(1);
                }
            } else if let Some((at, slot, base)) = as_evaluate(control) {
                // SAFETY: the control word spans what is above the frame below, which has the slot
                // of the thunk and goes on in the code.
                unsafe {
                    self.fp = self.fp.sub(base as usize + 1);
                    let place = self.fp.add(slot as usize);
                    self.update_thunk(*place, value);
                    *place = value;
                    self.pc = self.machine.code.0.byte_add(at as usize);
                }
                return Next::Done;
            } else if !P::ACTIVE
                && let Some((at, base)) = as_try(control)
            {
                let returned = self.offset(self.pc);
                // SAFETY: as for a return.
                unsafe {
                    *self.fp.sub(1) = value;
                    self.fp = self.fp.sub(base as usize + 1);
                    self.machine.has_tried(self.fp, returned);
                    self.pc = self.machine.code.0.byte_add(at as usize);
                }
                return Next::Done;
            } else {
                return self.return_value(value);
            }
        }
    }

    /// Updates a thunk of the nursery that alone waits for a value, under a control word of an
    /// evaluation, and goes on where the value is needed; `false`, and nothing has changed, if something
    /// else waits.
    #[inline(always)]
    pub(super) fn update_young(&mut self, value: Word) -> bool {
        // SAFETY: as in `update`.
        unsafe {
            let Some((at, slot, base)) = as_evaluate(*self.fp.sub(1)) else { return false };
            let frame = self.fp.sub(base as usize + 1);
            let place = frame.add(slot as usize);
            if P::ACTIVE || !self.machine.heap.update_young(*place, value) {
                return false;
            }
            *place = value;
            self.machine.counts.thunks_updated += 1;
            self.fp = frame;
            self.pc = self.machine.code.0.byte_add(at as usize);
        }
        true
    }

    /// Updates a thunk with its value.
    ///
    /// # Safety
    /// `thunk` is under evaluation.
    #[inline(always)]
    unsafe fn update_thunk(&mut self, thunk: Word, value: Word) {
        self.machine.counts.thunks_updated += 1;
        // SAFETY: a thunk under evaluation is a node that is no value.
        unsafe {
            if P::ACTIVE {
                self.probe.updated(self.machine, node_at(thunk).0, thunk, value);
            }
            self.machine.heap.update(thunk, value);
        }
    }
}

/// Makes a branch of a choice. The compiler would compute which instruction is next, and the
/// processor wait for what that depends on instead of predicting it.
#[inline(always)]
fn predicted() {
    #[cfg(gmachine_threaded)]
    // SAFETY: it does nothing.
    #[allow(unsafe_code, reason = "no other way is stable")]
    unsafe {
        std::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}

/// The constants of a program: the address from which the signed number of an operand leads to its
/// constant. So an operand is read by one addition, whichever it is.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Pool(*const Word);

impl Pool {
    /// Returns the pool of these constants.
    #[inline(always)]
    pub(super) fn new(consts: &[Word]) -> Pool {
        Pool(consts.as_ptr().wrapping_add(1 << 31))
    }
}

/// Returns the word that an operand stands for.
///
/// # Safety
/// `fp` is a frame that has the slot and has it written, `consts` a pool with the constant.
#[inline(always)]
pub(super) unsafe fn read_arg(arg: Arg, fp: *const Word, consts: Pool) -> Word {
    let number = arg.signed() as isize;
    let from = if number < 0 { consts.0 } else { fp };
    // SAFETY: the caller's promise: the slot is of the frame, or the constant of the pool.
    unsafe { *from.wrapping_offset(number) }
}

/// Returns the constructor that an evaluated word is, if it is one.
///
/// # Safety
/// If `word` is a pointer, it is one to a node.
#[inline(always)]
pub(super) unsafe fn con_of(word: Word) -> Option<ConId> {
    if word.is_con_pointer() {
        // SAFETY: the caller's promise.
        return Some(ConId(unsafe { node_at(word) }.0.info()));
    }
    word.as_con()
}

/// Returns the header and the fields of a node.
///
/// # Safety
/// `word` is a pointer to a node.
#[inline(always)]
pub(super) unsafe fn node_at(word: Word) -> (Header, *const Word) {
    let node: *const u64 = std::ptr::with_exposed_provenance(word.address());
    // SAFETY: the caller's promise; the fields follow the header.
    unsafe { (Header::from_bits(*node), node.add(1).cast()) }
}

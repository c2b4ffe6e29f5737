//! Shortcuts: what most slow paths come to, with the registers as arguments and results.
//!
//! Entering a thunk and applying a function to exactly what it takes are as frequent as calls.
//! The slow paths (`eval.rs`, `apply.rs`) go through the machine's fields and a `Result`; these
//! do the common case, and leave everything else, changing nothing, to those.

use super::code::instr::{Arg, Base, Instr};
use super::executor::{Pool, node_at, read_arg};
use super::image::STRIDE;
use super::stack::{Control, evaluate_word, return_word};
use super::state::Machine;
use crate::gcode::effect::{ActionCon, Effect, thread_of};
use crate::gcode::program::NIL;
use crate::machine::heap::bytes::SLICE_WORDS;
use crate::machine::heap::word::{Tag, Word};
use crate::machine::heap::{Header, Kind};
use crate::primitive::Primitive;
use crate::primitive::bytes::span;

/// Where it goes on: the instruction and its frame. A pair of pointers comes back in
/// registers, which an `Option` of one does not.
pub(super) type Registers = (*const Instr, *mut Word);

/// The registers that say that a shortcut does not apply: nothing has changed.
pub(super) const NOT_DONE: Registers = (std::ptr::null(), std::ptr::null_mut());

/// The most words that a shortcut puts in a frame: more are copied by a call, for which every
/// register would be saved.
const FEW: usize = 8;

impl Machine {
    /// Forces an operand that is not evaluated: puts it in its slot, or enters the thunk there,
    /// whose value will go to the slot.
    ///
    /// # Safety
    /// The instruction at `pc`, of this machine's code, is executed with the frame `fp`, in which
    /// the slot is written.
    #[inline(always)]
    pub(super) unsafe fn force_at(
        &mut self,
        pc: *const Instr,
        fp: *mut Word,
        slot: u32,
    ) -> Registers {
        // SAFETY: the slot is written; a word that is not evaluated leads to a node.
        unsafe {
            let place = fp.add(slot as usize);
            let word = *place;
            if word.is_evaluated() {
                return NOT_DONE;
            }
            let (header, fields) = node_at(word);
            match header.kind() {
                Kind::Thunk => {}
                Kind::Ind if (*fields).is_evaluated() => {
                    *place = *fields;
                    return (pc, fp);
                }
                Kind::Con => {
                    *place = word.with_tag(Tag::Con);
                    return (pc, fp);
                }
                kind @ (Kind::Text | Kind::Input) => {
                    let cell = self.next_cell(word, kind);
                    if cell == Word::NOTHING {
                        return NOT_DONE;
                    }
                    *place = cell;
                    return (pc, fp);
                }
                _ => return NOT_DONE,
            }
            let image = &self.mutator.image;
            let at = pc.addr() - image.program.code.as_ptr().addr();
            let Some(&base) = image.tops.get(at / STRIDE as usize) else { return NOT_DONE };
            let Some(control) = evaluate_word(at as u32, slot, base) else { return NOT_DONE };
            self.enter_thunk(word, header, fields, control, fp.add(base as usize))
        }
    }

    /// Forces, as [`force_at`](Machine::force_at) does, the first of two operands that is not
    /// evaluated.
    ///
    /// # Safety
    /// As there, of both slots.
    #[inline(always)]
    pub(super) unsafe fn force_either(
        &mut self,
        pc: *const Instr,
        fp: *mut Word,
        a: u32,
        b: u32,
    ) -> Registers {
        // SAFETY: the caller's promise.
        unsafe {
            let evaluated = (*fp.add(a as usize)).is_evaluated();
            self.force_at(pc, fp, if evaluated { b } else { a })
        }
    }

    /// Enters a thunk in place of the present frame, if `word` is one that is not evaluated.
    ///
    /// # Safety
    /// `fp` is the frame, and nothing in it is used any more; `word` is not evaluated.
    #[inline(always)]
    pub(super) unsafe fn enter_at(&mut self, fp: *mut Word, word: Word) -> Registers {
        // SAFETY: a word that is not evaluated leads to a node; the control word of an update is
        // the thunk, with the tag of what is not evaluated.
        unsafe {
            let (header, fields) = node_at(word);
            if header.kind() != Kind::Thunk {
                return NOT_DONE;
            }
            self.enter_thunk(word, header, fields, word, fp)
        }
    }

    /// Evaluates a word under a `Try`: goes on where the value is needed if it is there, or enters the
    /// thunk.
    ///
    /// # Safety
    /// The instruction at `pc`, of this machine's code, is a `Try` with the slot `base`, and is executed
    /// with the frame `fp`.
    #[inline(never)]
    pub(super) unsafe fn try_at(
        &mut self,
        pc: *const Instr,
        fp: *mut Word,
        base: Base,
        word: Word,
    ) -> Registers {
        // The `Try` is a reduction, as is what enters a thunk.
        if self.ticks <= 2 {
            return NOT_DONE;
        }
        // SAFETY: a word that is not evaluated leads to a node; above the slot nothing is alive.
        unsafe {
            let place = fp.add(base.0 as usize);
            let (value, thunk) = match word.is_evaluated() {
                true => (word, None),
                false => match node_at(word) {
                    (header, fields) if header.kind() == Kind::Thunk => {
                        (word, Some((header, fields)))
                    }
                    (header, fields) if header.kind() == Kind::Ind && (*fields).is_evaluated() => {
                        (*fields, None)
                    }
                    (header, _) if header.kind() == Kind::Con => (word.with_tag(Tag::Con), None),
                    _ => return NOT_DONE,
                },
            };
            let (next, depth) = (pc.add(1), self.depth_of(fp));
            let Some((header, fields)) = thunk else {
                self.ticks -= 1;
                self.world.performing.evaluates(depth, None);
                *place = value;
                return (next, fp);
            };
            let image = &self.mutator.image;
            let at = next.addr() - image.program.code.as_ptr().addr();
            let code = image.program.thunks.as_slice().get_unchecked(header.info() as usize);
            let source = (!code.span.is_none()).then_some((code.span, code.owner));
            let to = Control::Try { at: at as u32, base: base.0 }.push(place);
            let registers = self.enter_thunk(word, header, fields, word, to);
            if !registers.0.is_null() {
                self.ticks -= 1;
                self.world.performing.evaluates(depth, source);
            }
            registers
        }
    }

    /// Notes that what is called under a `Try` of the frame `fp` is no thunk of the source.
    #[inline(never)]
    pub(super) fn tries_called(&mut self, fp: *const Word) {
        let depth = self.depth_of(fp);
        self.world.performing.evaluates(depth, None);
    }

    /// Notes that an action that was evaluated under a `Try` of the frame `fp` has its value, to
    /// which the instruction at the offset `returned` has come.
    #[inline(never)]
    pub(super) fn has_tried(&mut self, fp: *const Word, returned: u32) {
        let span = self.mutator.image.span(returned);
        let depth = self.depth_of(fp);
        self.world.performing.evaluated(depth, span);
    }

    /// Reads or writes a cell or an element of a mutable array, if the thread's is what its number says:
    /// what the effect gives. `Word::NOTHING` says nothing.
    ///
    /// # Safety
    /// `args` are the operands of the instruction that is executed with the frame `fp`, `consts` the
    /// pool of the constants among them.
    #[inline(never)]
    pub(super) unsafe fn effect_at(
        &mut self,
        effect: Effect,
        args: &[Arg],
        fp: *const Word,
        consts: Pool,
    ) -> Word {
        let Some(actions) = self.mutator.image.actions else { return Word::NOTHING };
        let (con, index, value) = match effect {
            Effect::ReadCell => (ActionCon::Cell, None, None),
            Effect::WriteCell => (ActionCon::Cell, None, args.get(1)),
            Effect::ReadArray => (ActionCon::Array, args.get(1), None),
            Effect::WriteArray => (ActionCon::Array, args.get(1), args.get(2)),
            _ => return Word::NOTHING,
        };
        let (Some(of), Some(thread)) = (args.first(), args.last()) else { return Word::NOTHING };
        // SAFETY: operands of the instruction; what is evaluated and leads to a cell or a mutable array
        // leads to a constructor of two fields.
        unsafe {
            let (of, thread) = (read_arg(*of, fp, consts), read_arg(*thread, fp, consts));
            if !of.is_con_pointer() || !thread.is_int() {
                return Word::NOTHING;
            }
            let (header, fields) = node_at(of);
            if header.info() != actions.con(con).0 {
                return Word::NOTHING;
            }
            let owner = *fields.add(1);
            if !owner.is_int() || thread_of(owner.as_int()) != thread_of(thread.as_int()) {
                return Word::NOTHING;
            }
            let value = value.map(|value| self.heap.resolve(read_arg(*value, fp, consts)));
            let Some(index) = index else {
                let Some(value) = value else { return *fields };
                self.heap.write_field(of, 0, value);
                return Word::con(NIL);
            };
            let (array, index) = (*fields, read_arg(*index, fp, consts));
            if !index.is_int()
                || !array.is_value_pointer()
                || node_at(array).0.kind() != Kind::Array
            {
                return Word::NOTHING;
            }
            let Some(&element) = self.heap.elements(array).get(index.as_int() as usize) else {
                return Word::NOTHING;
            };
            let Some(value) = value else { return element };
            self.heap.write_element(array, index.as_int() as usize, value);
            Word::con(NIL)
        }
    }

    /// Enters a thunk with `control` at `to` and its frame above that.
    ///
    /// # Safety
    /// `word` leads to this header and these fields, of a thunk. From `to` on the stack is free.
    #[inline(always)]
    unsafe fn enter_thunk(
        &mut self,
        word: Word,
        header: Header,
        fields: *const Word,
        control: Word,
        to: *mut Word,
    ) -> Registers {
        let program = &self.mutator.image.program;
        // SAFETY: the info of a thunk is the number of its code.
        let entry =
            unsafe { program.thunks.as_slice().get_unchecked(header.info() as usize).entry };
        // By addresses: a pointer that far above may be outside of the stack.
        let end = to.addr() + (entry.frame as usize + 1) * size_of::<Word>();
        let takes = entry.takes as usize;
        if end > self.stack_end.0.addr() || self.ticks <= 1 || takes > FEW {
            return NOT_DONE;
        }
        // SAFETY: entries are in the code.
        let pc = unsafe { program.code.as_ptr().add(entry.pc.0 as usize) };
        self.ticks -= 1;
        self.counts.thunks_entered += 1;
        // SAFETY: there is room; a thunk has the fields that its code takes.
        unsafe {
            self.heap.black_hole(word);
            *to = control;
            let frame = to.add(1);
            copy_few(fields, frame, takes);
            (pc, frame)
        }
    }

    /// Applies a partial application to exactly the arguments that it lacks, for the instruction at
    /// `pc`.
    ///
    /// # Safety
    /// The instruction, of this machine's code, applies what only the run knows, and is executed with the
    /// frame `fp`; `consts` is the pool of the constants among its operands.
    #[inline(never)]
    pub(super) unsafe fn apply_held(
        &mut self,
        pc: *const Instr,
        fp: *mut Word,
        consts: Pool,
    ) -> Registers {
        // SAFETY: the caller's promise.
        let (base, f, [a, b, c], given) = match unsafe { *pc } {
            Instr::Apply1 { base, f, a } => (Some(base), f, [a; 3], 1),
            Instr::Apply2 { base, f, a, b } => (Some(base), f, [a, b, b], 2),
            Instr::Apply3 { base, f, a, b, c } => (Some(base), f, [a, b, c], 3),
            Instr::TailApply1 { f, a } => (None, f, [a; 3], 1),
            Instr::TailApply2 { f, a, b } => (None, f, [a, b, b], 2),
            Instr::TailApply3 { f, a, b, c } => (None, f, [a, b, c], 3),
            _ => return NOT_DONE,
        };
        // SAFETY: it is an operand; a pointer leads to a node; the info of a partial application is a
        // global of the program.
        let (entry, held, fields) = unsafe {
            let f = read_arg(f, fp, consts);
            if !f.is_value_pointer() {
                return NOT_DONE;
            }
            let (header, fields) = node_at(f);
            if header.kind() != Kind::Pap {
                return NOT_DONE;
            }
            (*self.globals.0.add(header.info() as usize), header.words(), fields)
        };
        let first = base.map_or(0, |Base(base)| base as usize + 1);
        let to = fp.wrapping_add(first);
        let end = to.addr() + entry.frame as usize * size_of::<Word>();
        if held + given != entry.takes as usize
            || held > FEW
            || end > self.stack_end.0.addr()
            || self.ticks <= 1
        {
            return NOT_DONE;
        }
        self.ticks -= 1;
        // SAFETY: there is room for the frame, which has its parameters first: what is held, and the
        // operands; and beyond it for more words than these three, at which nobody looks. The operands,
        // which may stand there, are read before. The code of an entry is the program's.
        unsafe {
            let operand = |arg| read_arg(arg, fp, consts);
            let (a, b, c) = (operand(a), operand(b), operand(c));
            if let Some(Base(base)) = base {
                let next = pc.add(1).addr() - self.code.0.addr();
                *to.sub(1) = return_word(next as u32, base);
            }
            copy_few(fields, to, held);
            let rest = to.add(held);
            *rest = a;
            *rest.add(1) = b;
            *rest.add(2) = c;
            (self.code.0.add(entry.pc.0 as usize), to)
        }
    }

    /// Returns the number that a primitive gives for an array or a byte string. `Word::NOTHING`
    /// says nothing.
    ///
    /// # Safety
    /// `x` is a pointer to a node.
    #[inline(never)]
    pub(super) unsafe fn number_of(&self, primitive: Primitive, x: Word) -> Word {
        // SAFETY: `x` is a pointer, and the header says to what.
        let number = unsafe {
            match (primitive, node_at(x).0.kind()) {
                (Primitive::ArrayLength, Kind::Array) => self.heap.elements(x).len(),
                (Primitive::BytesLength, Kind::Bytes) => self.heap.bytes(x).len(),
                (Primitive::BytesBlank | Primitive::BytesWord, Kind::Bytes) => {
                    span(self.heap.bytes(x), primitive == Primitive::BytesBlank)
                }
                _ => return Word::NOTHING,
            }
        };
        Word::int(number as i64).unwrap_or(Word::NOTHING)
    }

    /// Returns what a comparison of two byte strings gives. `Word::NOTHING` says nothing.
    ///
    /// # Safety
    /// `x` and `y` are pointers to nodes.
    #[inline(never)]
    pub(super) unsafe fn compared(&self, primitive: Primitive, x: Word, y: Word) -> Word {
        if primitive != Primitive::BytesCompare {
            return Word::NOTHING;
        }
        // SAFETY: they are pointers, and the headers say to what.
        unsafe {
            if node_at(x).0.kind() != Kind::Bytes || node_at(y).0.kind() != Kind::Bytes {
                return Word::NOTHING;
            }
            Word::of_i32(self.heap.bytes(x).cmp(self.heap.bytes(y)) as i32)
        }
    }

    /// Returns the part of a byte string that a primitive gives for a count of a word.
    /// `Word::NOTHING` says nothing.
    ///
    /// # Safety
    /// `y` is a pointer to a node.
    #[inline(never)]
    pub(super) unsafe fn part_of(&mut self, primitive: Primitive, count: Word, y: Word) -> Word {
        // SAFETY: `y` is a pointer, and the header says to what; there is room for a slice.
        unsafe {
            if node_at(y).0.kind() != Kind::Bytes || !self.heap.fits(SLICE_WORDS) {
                return Word::NOTHING;
            }
            let len = self.heap.bytes(y).len();
            let count = usize::try_from(count.as_int()).map_or(0, |count| count.min(len));
            match primitive {
                Primitive::BytesTake => self.heap.slice_bytes(y, 0, count),
                Primitive::BytesDrop => self.heap.slice_bytes(y, count, len - count),
                _ => Word::NOTHING,
            }
        }
    }

    /// Returns the element of an array, or the byte of a byte string, at an index of a word: what
    /// the primitive gives. `Word::NOTHING` says nothing.
    ///
    /// # Safety
    /// `x` is a pointer to a node.
    #[inline(never)]
    pub(super) unsafe fn element_at(&self, primitive: Primitive, x: Word, index: Word) -> Word {
        // SAFETY: `x` is a pointer, and the header says to what.
        unsafe {
            let (header, _) = node_at(x);
            let at = index.as_int() as usize;
            match (primitive, header.kind()) {
                (Primitive::ArrayIndex, Kind::Array) => {
                    self.heap.elements(x).get(at).copied().unwrap_or(Word::NOTHING)
                }
                (Primitive::BytesIndex, Kind::Bytes) => match self.heap.bytes(x).get(at) {
                    Some(&byte) => Word::of_i32(byte.into()),
                    None => Word::NOTHING,
                },
                _ => Word::NOTHING,
            }
        }
    }
}

/// Copies a few words, without a call.
///
/// # Safety
/// So many, at most [`FEW`], are readable at `from` and writable at `to`, and they do not overlap.
#[inline(always)]
unsafe fn copy_few(from: *const Word, to: *mut Word, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match count {
            0 => {}
            1 => to.copy_from_nonoverlapping(from, 1),
            2 => to.copy_from_nonoverlapping(from, 2),
            3 => to.copy_from_nonoverlapping(from, 3),
            4 => to.copy_from_nonoverlapping(from, 4),
            5 => to.copy_from_nonoverlapping(from, 5),
            6 => to.copy_from_nonoverlapping(from, 6),
            7 => to.copy_from_nonoverlapping(from, 7),
            _ => to.copy_from_nonoverlapping(from, 8),
        }
    }
}

/// Puts operands in the slots from `to` on; all are read before one is written.
///
/// # Safety
/// They are operands of the instruction that is executed with the frame `fp`, `consts` the pool of
/// the constants among them; there is room for them.
#[inline]
pub(super) unsafe fn put_args(args: &[Arg], fp: *const Word, consts: Pool, to: *mut Word) {
    // A number that the compiler knows is so many loads and stores, and no copying of memory.
    macro_rules! put {
        ($($arg:ident)*) => {{
            // SAFETY: the caller's promise.
            let words = unsafe { [$(read_arg(*$arg, fp, consts)),*] };
            // SAFETY: as above.
            unsafe { to.copy_from_nonoverlapping(words.as_ptr(), words.len()) }
        }};
    }
    match args {
        [a] => put!(a),
        [a, b] => put!(a b),
        [a, b, c] => put!(a b c),
        [a, b, c, d] => put!(a b c d),
        [a, b, c, d, e] => put!(a b c d e),
        [a, b, c, d, e, f] => put!(a b c d e f),
        [a, b, c, d, e, f, g] => put!(a b c d e f g),
        [a, b, c, d, e, f, g, h] => put!(a b c d e f g h),
        // SAFETY: the caller's promise.
        many => unsafe { put_many(many, fp, consts, to) },
    }
}

/// Puts operands in slots as [`put_args`] does, however many they are.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe fn put_many(args: &[Arg], fp: *const Word, consts: Pool, to: *mut Word) {
    // SAFETY: the caller's promise.
    let words: Vec<Word> = args.iter().map(|arg| unsafe { read_arg(*arg, fp, consts) }).collect();
    // SAFETY: as above.
    unsafe { to.copy_from_nonoverlapping(words.as_ptr(), words.len()) }
}

//! The fast path of each instruction: what it does if all it needs is there.
//!
//! An instruction that cannot do its work at once (an operand is not evaluated, there is no room,
//! an integer is large) changes nothing and says what it lacks ([`Next`]); whoever executes
//! instructions (`run.rs`) sees to that.
//!
//! What `unsafe` relies on here are the rules of compact code (`code::verify` has them all):
//! translation makes no other code, and with debug assertions the verifier looks at what it has
//! made. Beside them: the room for a frame is made before it is entered; pointers among words
//! lead to nodes, and are not kept over a collection but in slots.

use std::hint::unreachable_unchecked;

use super::code::instr::{Instr, number};
use super::executor::{Executor, Next, con_of, node_at};
use super::numbers::{float_holds, of_word, of_words};
use super::probe::Probe;
use crate::base::index::Idx;
use crate::gcode::program::{CONS, NIL};
use crate::machine::heap::word::Word;
use crate::machine::heap::{Kind, prefetch};
use crate::primitive::Primitive;

const NIL_WORD: Word = Word::con(NIL);

impl<P: Probe> Executor<'_, P> {
    /// Executes the instruction at `pc`, of the number `OP`: a constant, so that nothing is compiled
    /// of the other arms.
    ///
    /// # Safety
    /// `pc` is at an instruction of this number, of the machine's program, and `fp` its frame.
    #[inline(always)]
    pub(super) unsafe fn execute<const OP: u8>(&mut self) -> Next {
        macro_rules! instructions {
            ($($name:ident { $($field:ident),* } => $next:expr,)+) => {
                match OP {
                    $(number::$name => {
                        // SAFETY: the caller says that it is this one.
                        let Instr::$name { $($field,)* .. } = (unsafe { *self.pc }) else {
                            // SAFETY: as above.
                            unsafe { unreachable_unchecked() }
                        };
                        $next
                    })+
                    number::Halt => Next::Halt,
                    // The others are not in a hurry.
                    _ => Next::General,
                }
            };
        }
        instructions! {
            Move { d, a } => self.result(d, self.arg(a)),
            Caf { d, global } => {
                // SAFETY: there is a word for each global.
                let word = unsafe { *self.machine.mutator.cafs.get_unchecked(global.index()) };
                if word == Word::NOTHING { Next::General } else { self.result(d, word) }
            },
            Text { d, text } => {
                if !self.machine.heap.fits(2) {
                    return Next::General;
                }
                if P::ACTIVE {
                    self.probe.allocated(self.offset(self.pc), 2);
                }
                // SAFETY: there is room, and a text has its position for a field.
                let node = unsafe { self.machine.heap.alloc(Kind::Text, text.0, &[Word::ZERO]) };
                self.result(d, node)
            },
            Float { d, value } => {
                if !self.machine.heap.fits(2) {
                    return Next::General;
                }
                // SAFETY: there is room.
                let word = unsafe { self.machine.heap.float(value) };
                self.result(d, word)
            },

            Con1 { d, con, a } => self.con(d, con, [a]),
            Con2 { d, con, a, b } => self.con(d, con, [a, b]),
            Con3 { d, con, a, b, c } => self.con(d, con, [a, b, c]),
            ConN { d, con, args } => self.node_of(Kind::Con, con.0, d, args),
            Thunk1 { d, thunk, a } => self.thunk(d, thunk, [a]),
            Thunk2 { d, thunk, a, b } => self.thunk(d, thunk, [a, b]),
            Thunk3 { d, thunk, a, b, c } => self.thunk(d, thunk, [a, b, c]),
            Cheap1 { d, thunk, a } => self.cheap(d, thunk, [a]),
            CheapSum { d, thunk, a, k } => self.cheap_sum(d, thunk, a, k),
            Cheap2 { d, thunk, a, b } => self.cheap(d, thunk, [a, b]),
            Cheap3 { d, thunk, a, b, c } => self.cheap(d, thunk, [a, b, c]),
            CheapN { d, thunk, args } => self.cheap_of(d, thunk, args),
            ThunkN { d, thunk, args } => self.node_of(Kind::Thunk, thunk.0, d, args),
            Pap { d, global, args } => self.node_of(Kind::Pap, global.0, d, args),

            // The lowest bit of an integer's word is 0, so that sums, differences and
            // comparisons work on the words themselves.
            Add { d, a, b } => self.integers(d, a, b, |x, y| x.twice().checked_add(y.twice())),
            Sub { d, a, b } => self.integers(d, a, b, |x, y| x.twice().checked_sub(y.twice())),
            Mul { d, a, b } => self.integers(d, a, b, |x, y| x.as_int().checked_mul(y.twice())),
            Div { d, a, b } => self.integers(d, a, b, |x, y| {
                if y == Word::ZERO { None } else { (x.twice() / y.twice()).checked_mul(2) }
            }),
            Rem { d, a, b } => self.integers(d, a, b, |x, y| {
                if y == Word::ZERO { None } else { Some(x.twice() % y.twice()) }
            }),
            FloorDiv { d, a, b } => self.integers(d, a, b, |x, y| {
                if y == Word::ZERO {
                    None
                } else {
                    num_integer::div_floor(x.twice(), y.twice()).checked_mul(2)
                }
            }),
            Mod { d, a, b } => self.integers(d, a, b, |x, y| {
                if y == Word::ZERO {
                    None
                } else {
                    Some(num_integer::mod_floor(x.twice(), y.twice()))
                }
            }),
            AddInt { d, a, k } => self.with_constant(d, a, k, |x, k| x.twice().checked_add(2 * k)),
            SubFrom { d, a, k } => self.with_constant(d, a, k, |x, k| (2 * k).checked_sub(x.twice())),
            MulInt { d, a, k } => self.with_constant(d, a, k, |x, k| x.twice().checked_mul(k)),
            DivInt { d, a, k } => self.with_constant(d, a, k, |x, k| {
                x.as_int().checked_div(k).and_then(|n| n.checked_mul(2))
            }),
            RemInt { d, a, k } => self.with_constant(d, a, k, |x, k| {
                x.as_int().checked_rem(k).map(|n| 2 * n)
            }),
            FloorDivInt { d, a, k } => self.with_constant(d, a, k, |x, k| {
                if k == 0 { None } else { num_integer::div_floor(x.as_int(), k).checked_mul(2) }
            }),
            ModInt { d, a, k } => self.with_constant(d, a, k, |x, k| {
                if k == 0 { None } else { Some(2 * num_integer::mod_floor(x.as_int(), k)) }
            }),
            Neg { d, a } => self.with_constant(d, a, 0, |x, _| x.twice().checked_neg()),
            Ord { d, a } => match self.slot(a.0).as_char() {
                Some(c) => self.result(d, Word::of_i32(c as i32)),
                None => Next::Force(a.0),
            },
            Eq { d, a, b } => self.compare(d, a, b, |x, y| x == y),
            Ne { d, a, b } => self.compare(d, a, b, |x, y| x != y),
            Lt { d, a, b } => self.compare(d, a, b, |x, y| x < y),
            Le { d, a, b } => self.compare(d, a, b, |x, y| x <= y),
            Gt { d, a, b } => self.compare(d, a, b, |x, y| x > y),
            Ge { d, a, b } => self.compare(d, a, b, |x, y| x >= y),

            FAdd { d, a, b } => self.floats(d, a, b, |x, y| x + y),
            FSub { d, a, b } => self.floats(d, a, b, |x, y| x - y),
            FMul { d, a, b } => self.floats(d, a, b, |x, y| x * y),
            FDiv { d, a, b } => self.floats(d, a, b, |x, y| x / y),
            FAddConst { d, a, k } => self.float_with(d, a, |x| x + k.get()),
            FSubConst { d, a, k } => self.float_with(d, a, |x| x - k.get()),
            FSubFrom { d, a, k } => self.float_with(d, a, |x| k.get() - x),
            FMulConst { d, a, k } => self.float_with(d, a, |x| x * k.get()),
            FDivConst { d, a, k } => self.float_with(d, a, |x| x / k.get()),
            FDivInto { d, a, k } => self.float_with(d, a, |x| k.get() / x),
            AddI64 { d, a, b } => self.words(Primitive::AddI64, d, a, b),
            AddI64Int { d, a, k } => {
                self.with_constant(d, a, k, |x, k| x.twice().checked_add(2 * k))
            },
            SubI64 { d, a, b } => self.words(Primitive::SubI64, d, a, b),
            MulI64 { d, a, b } => self.words(Primitive::MulI64, d, a, b),
            AddU64 { d, a, b } => self.words(Primitive::AddU64, d, a, b),
            SubU64 { d, a, b } => self.words(Primitive::SubU64, d, a, b),
            MulU64 { d, a, b } => self.words(Primitive::MulU64, d, a, b),
            Unary { d, a, op } => {
                let x = self.slot(a.0);
                if let Some(word) = of_word(op, x) {
                    return self.result(d, word);
                }
                if x.is_value_pointer() {
                    // SAFETY: it is a pointer to a node.
                    let number = unsafe { self.machine.number_of(op, x) };
                    if number != Word::NOTHING {
                        return self.result(d, number);
                    }
                }
                Next::Force(a.0)
            },
            Binary { d, a, b, op } => {
                let (x, y) = (self.slot(a.0), self.slot(b.0));
                // SAFETY: what is no integer of a word is a pointer to a node.
                let word = unsafe {
                    match (x.is_value_pointer(), y.is_value_pointer()) {
                        (true, true) => self.machine.compared(op, x, y),
                        (true, false) if y.is_int() => self.machine.element_at(op, x, y),
                        // A probe is told what is allocated.
                        (false, true) if !P::ACTIVE && x.is_int() => {
                            self.machine.part_of(op, x, y)
                        }
                        _ => return self.words(op, d, a, b),
                    }
                };
                if word == Word::NOTHING {
                    return Next::ForceEither(a.0, b.0);
                }
                self.result(d, word)
            },
            BinaryInt { d, a, k, op } => {
                let x = self.slot(a.0);
                if x.is_int()
                    && let Some(word) = of_words(op, x, Word::of_i32(k))
                {
                    return self.result(d, word);
                }
                Next::Force(a.0)
            },

            UnlessEq { a, b, to } => self.unless(a, b, to, |x, y| x == y),
            UnlessNe { a, b, to } => self.unless(a, b, to, |x, y| x != y),
            UnlessLt { a, b, to } => self.unless(a, b, to, |x, y| x < y),
            UnlessLe { a, b, to } => self.unless(a, b, to, |x, y| x <= y),
            UnlessGt { a, b, to } => self.unless(a, b, to, |x, y| x > y),
            UnlessGe { a, b, to } => self.unless(a, b, to, |x, y| x >= y),
            UnlessEqInt { a, k, to } => self.unless_int(a, k, to, |x, k| x == k),
            UnlessNeInt { a, k, to } => self.unless_int(a, k, to, |x, k| x != k),
            UnlessLtInt { a, k, to } => self.unless_int(a, k, to, |x, k| x < k),
            UnlessLeInt { a, k, to } => self.unless_int(a, k, to, |x, k| x <= k),
            UnlessGtInt { a, k, to } => self.unless_int(a, k, to, |x, k| x > k),
            UnlessGeInt { a, k, to } => self.unless_int(a, k, to, |x, k| x >= k),
            UnlessEqChar { a, k, to } => self.unless_char(a, k, to, |x, k| x == k),
            UnlessNeChar { a, k, to } => self.unless_char(a, k, to, |x, k| x != k),
            UnlessLtChar { a, k, to } => self.unless_char(a, k, to, |x, k| x < k),
            UnlessLeChar { a, k, to } => self.unless_char(a, k, to, |x, k| x <= k),
            UnlessGtChar { a, k, to } => self.unless_char(a, k, to, |x, k| x > k),
            UnlessGeChar { a, k, to } => self.unless_char(a, k, to, |x, k| x >= k),
            UnlessFloat { a, b, op, to } => {
                let (x, y) = (self.slot(a.0), self.slot(b.0));
                if x.are_floats(y) {
                    return self.branch(float_holds(op, x.as_float(), y.as_float()), to);
                }
                Next::ForceEither(a.0, b.0)
            },
            UnlessFloatConst { a, k, op, to } => {
                let x = self.slot(a.0);
                if x.is_float() {
                    return self.branch(float_holds(op, x.as_float(), k.get()), to);
                }
                Next::Force(a.0)
            },
            Unless { a, to } => match self.slot(a.0) {
                x @ (Word::ONE | Word::ZERO) => self.branch(x == Word::ONE, to),
                _ => Next::Force(a.0),
            },
            Jump { to } => self.jump(to),

            CaseList { a, head, tail, nil } => {
                let x = self.slot(a.0);
                if x.is_con_pointer() {
                    // SAFETY: it is a pointer to a node.
                    let (header, fields) = unsafe { node_at(x) };
                    if header.info() == CONS.0 {
                        // SAFETY: a list cell has two fields.
                        let (first, second) = unsafe { (*fields, *fields.add(1)) };
                        self.set(head, first);
                        self.set(tail, second);
                        prefetch(second.bits());
                        return self.next();
                    }
                } else if x == NIL_WORD {
                    return self.jump(nil);
                }
                Next::Force(a.0)
            },
            Case1 { a, con } => {
                // SAFETY: the slot is written.
                match unsafe { con_of(self.slot(a.0)) } {
                    Some(found) if found == con => self.next(),
                    _ => Next::Force(a.0),
                }
            },
            Case2 { a, con, to } => {
                // SAFETY: the slot is written.
                match unsafe { con_of(self.slot(a.0)) } {
                    Some(found) if found == con => self.next(),
                    Some(found) if found.0 == con.0 + 1 => self.jump(to),
                    _ => Next::Force(a.0),
                }
            },
            Unpack2 { d, e, a, con } => {
                let x = self.slot(a.0);
                if x.is_con_pointer() {
                    // SAFETY: it is a pointer to a node.
                    let (header, fields) = unsafe { node_at(x) };
                    if header.info() == con.0 {
                        // SAFETY: the constructor has two fields.
                        let (first, second) = unsafe { (*fields, *fields.add(1)) };
                        self.set(d, first);
                        self.set(e, second);
                        return self.next();
                    }
                }
                Next::Force(a.0)
            },
            Case { a, case } => {
                // SAFETY: the slot is written.
                let Some(con) = (unsafe { con_of(self.slot(a.0)) }) else {
                    return Next::Force(a.0);
                };
                // SAFETY: the operand names branches.
                let case = unsafe { &*self.machine.cases.0.add(case.index()) };
                self.branch_of(case, con.0.wrapping_sub(case.first.0) as usize)
            },
            LitCase { a, case } => {
                let x = self.slot(a.0);
                // SAFETY: the operand names branches.
                let case =
                    unsafe { self.program().lit_cases.as_slice().get_unchecked(case.index()) };
                if if case.chars { x.is_char() } else { x.is_int() } {
                    return self.jump(case.target(x));
                }
                Next::Force(a.0)
            },
            Field { d, a, index } => {
                // SAFETY: what the code reads a field of is a constructor that has it.
                let field = unsafe { *node_at(self.slot(a.0)).1.add(index as usize) };
                self.result(d, field)
            },
            Fields2 { d, e, a } => self.fields(a, [d, e]),
            Fields3 { d, e, f, a } => self.fields(a, [d, e, f]),
            Fields4 { d, e, f, g, a } => self.fields(a, [d, e, f, g]),
            FieldsN { a, slots } => {
                // SAFETY: as for `Field`.
                let (_, fields) = unsafe { node_at(self.slot(a.0)) };
                // SAFETY: the operand names a list of slots.
                let slots = unsafe { self.program().slots.as_slice().get_unchecked(slots.index()) };
                // SAFETY: the slot is of the frame, the field of the constructor.
                let put = |slot: Option<u32>, at: usize| unsafe {
                    if let Some(slot) = slot {
                        let field = *fields.add(at);
                        *self.fp.add(slot as usize) = field;
                        // What a tree leads to is mostly not in the cache, and looked at soon.
                        if field.is_pointer() {
                            prefetch(field.bits());
                        }
                    }
                };
                match **slots {
                    // The node of a balanced tree has so many: without a loop.
                    [a, b, c, d, e] => {
                        put(a, 0);
                        put(b, 1);
                        put(c, 2);
                        put(d, 3);
                        put(e, 4);
                    }
                    _ => (0..).zip(slots.iter()).for_each(|(at, slot)| put(*slot, at)),
                }
                self.next()
            },

            Eval { a } => {
                if self.slot(a.0).is_evaluated() { self.next() } else { Next::Force(a.0) }
            },
            Call1 { base, global, a } => self.call(base, global, [a]),
            Call2 { base, global, a, b } => self.call(base, global, [a, b]),
            Call3 { base, global, a, b, c } => self.call(base, global, [a, b, c]),
            CallN { base, global, args } => self.call_many(base, global, args),
            Apply1 { base, f, a } => self.apply(base, f, [a]),
            Apply2 { base, f, a, b } => self.apply(base, f, [a, b]),
            Apply3 { base, f, a, b, c } => self.apply(base, f, [a, b, c]),
            ApplyN { base, f, args } => self.apply_many(base, f, args),

            Try { base, a } => self.try_to(base, a),
            TryCall { base, global, args } => self.try_call(base, global, args),
            Effect { d, effect, args } => self.effect(d, effect, args),

            Return { a } => self.return_or_enter(a),
            Enter { a } => self.return_or_enter(a),
            ReturnCon2 { con, a, b } => match self.node(Kind::Con, con.0, [a, b]) {
                Some(node) => self.return_value(node),
                None => Next::General,
            },
            Tail1 { global, a } => self.tail(global, [a]),
            Tail2 { global, a, b } => self.tail(global, [a, b]),
            Tail3 { global, a, b, c } => self.tail(global, [a, b, c]),
            TailN { global, args } => self.tail_many(global, args),
            TailApply1 { f, a } => self.tail_apply(f, [a]),
            TailApply2 { f, a, b } => self.tail_apply(f, [a, b]),
            TailApply3 { f, a, b, c } => self.tail_apply(f, [a, b, c]),
            TailApplyN { f, args } => self.tail_apply_many(f, args),
        }
    }
}

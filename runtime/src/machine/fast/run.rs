//! The loop: one instruction after another, until an evaluation ends or something stops it.
//!
//! The registers are the instruction and the frame. An instruction that cannot do its work at
//! once (an operand is not evaluated, there is no room, an integer is large) calls a slow path,
//! which either does it or sees to what is missing and leaves the registers where they are, so
//! that the instruction is executed again.
//!
//! What `unsafe` relies on here are the rules of compact code (`code::verify` has them all):
//! translation makes no other code, and with debug assertions the verifier looks at what it has
//! made. Beside them: the room for a frame is made before it is entered; pointers among words
//! lead to nodes, and are not kept over a collection but in slots.

use super::cheap::computed;
use super::code::instr::{Arg, Instr, Op, Pc};
use super::code::program::Entry;
use super::numbers::{float_holds, of_word, of_words};
use super::probe::{Probe, Unwatched, Watch};
use super::short::put_args;
use super::stack::{as_evaluate, as_return, as_update, return_word};
use super::state::Machine;
use crate::base::index::Idx;
use crate::gcode::program::{CONS, NIL};
use crate::machine::heap::word::Word;
use crate::machine::heap::{Header, Kind, Size, prefetch};
use crate::machine::outcome::Stop;
use crate::primitive::Primitive;

const NIL_WORD: Word = Word::con(NIL);

impl Machine {
    /// Executes instructions until an evaluation ends.
    ///
    /// # Errors
    /// When something stops it. The registers are at the instruction that could not be executed.
    pub(super) fn go(&mut self) -> Result<(), Stop> {
        if self.count { self.go_counted() } else { self.instructions(Unwatched) }
    }

    /// [`go`](Machine::go) where instructions are counted.
    #[cold]
    fn go_counted(&mut self) -> Result<(), Stop> {
        let Some(mut counters) = self.take_counters() else {
            return self.instructions(Watch::Instructions);
        };
        let result = self.instructions(Watch::Profile(&mut counters));
        self.give_counters(counters);
        result
    }

    #[allow(clippy::too_many_lines, reason = "one arm an instruction, in one loop")]
    fn instructions<P: Probe>(&mut self, mut probe: P) -> Result<(), Stop> {
        let image = self.mutator.image.clone();
        let program = &image.program;
        let code: *const Instr = program.code.as_ptr();
        let consts: *const Word = program.consts.as_slice().as_ptr();
        let globals: *const Entry = program.globals.as_slice().as_ptr();
        let mut pc = self.pc.0;
        let mut fp = self.fp.0;

        macro_rules! slot {
            ($at:expr) => {
                // SAFETY: the code reads slots of its frame that are written.
                unsafe { *fp.add($at as usize) }
            };
        }
        macro_rules! set {
            ($d:expr, $value:expr) => {{
                let value: Word = $value;
                // SAFETY: the code writes slots of its frame.
                unsafe { *fp.add($d.0 as usize) = value }
            }};
        }
        macro_rules! arg {
            ($arg:expr) => {
                // SAFETY: the code reads slots that are written, and constants of the pool.
                unsafe { read_arg($arg, fp, consts) }
            };
        }
        macro_rules! offset {
            ($pc:expr) => {
                (($pc).addr() - code.addr()) as u32
            };
        }
        macro_rules! next {
            () => {{
                // SAFETY: this instruction is not the last of its piece of code.
                pc = unsafe { pc.add(1) };
                continue;
            }};
        }
        macro_rules! jump {
            ($to:expr) => {{
                let Pc(to) = $to;
                // SAFETY: targets and entries are in the code.
                pc = unsafe { code.add(to as usize) };
                continue;
            }};
        }
        // Leaves the loop's registers to a slow path, and goes on where that says.
        macro_rules! slow {
            ($call:expr) => {{
                (self.pc.0, self.fp.0) = (pc, fp);
                if P::ACTIVE {
                    let before = probe.before(self);
                    let result = $call;
                    probe.after(self, &before);
                    result?;
                } else {
                    $call?;
                }
                (pc, fp) = (self.pc.0, self.fp.0);
                continue;
            }};
        }
        // A slow path that may return a value, and so update thunks.
        macro_rules! slow_return {
            ($call:expr) => {{
                if P::ACTIVE {
                    (self.pc.0, self.fp.0) = (pc, fp);
                    probe.expect_updates(self);
                }
                slow!($call)
            }};
        }
        // Goes a short way, if that leads somewhere: to the value of a thunk, or into it.
        macro_rules! short {
            ($call:expr) => {
                let entered = if P::ACTIVE { self.counts.thunks_entered } else { 0 };
                // SAFETY: the registers are the instruction and its frame, in which operands are
                // written.
                let (next, frame) = unsafe { $call };
                if !next.is_null() {
                    if P::ACTIVE && self.counts.thunks_entered != entered {
                        self.fp.0 = frame;
                        probe.entered(self);
                    }
                    (pc, fp) = (next, frame);
                    continue;
                }
            };
        }
        macro_rules! list {
            ($args:expr) => {{
                // SAFETY: the operand names a list.
                let list: &[Arg] = unsafe { program.args.as_slice().get_unchecked($args.index()) };
                list
            }};
        }
        macro_rules! heap_check {
            ($words:expr) => {
                if !self.heap.fits($words) {
                    slow!(self.collect_for($words));
                }
            };
        }
        macro_rules! return_value {
            ($value:expr) => {{
                let value: Word = $value;
                loop {
                    // SAFETY: a control word ends where a frame begins.
                    let control = unsafe { *fp.sub(1) };
                    if let Some((at, base)) = as_return(control) {
                        // SAFETY: the value takes the place of the control word, which spans what is
                        // above the frame below; that frame goes on in the code.
                        unsafe {
                            *fp.sub(1) = value;
                            fp = fp.sub(base as usize + 1);
                            pc = code.byte_add(at as usize);
                        }
                        break;
                    }
                    if let Some(thunk) = as_update(control) {
                        self.counts.thunks_updated += 1;
                        if P::ACTIVE {
                            // SAFETY: a thunk under evaluation is a node.
                            probe.updated(unsafe { node_at(thunk) }.0);
                        }
                        // SAFETY: a thunk under evaluation is a node that is no value.
                        unsafe { self.heap.update(thunk, value) };
                        // SAFETY: the control word was there.
                        fp = unsafe { fp.sub(1) };
                        continue;
                    }
                    if let Some((at, slot, base)) = as_evaluate(control) {
                        self.counts.thunks_updated += 1;
                        // SAFETY: the control word spans what is above the frame below, which has the
                        // slot of the thunk and goes on in the code.
                        unsafe {
                            fp = fp.sub(base as usize + 1);
                            let place = fp.add(slot as usize);
                            if P::ACTIVE {
                                probe.updated(node_at(*place).0);
                            }
                            self.heap.update(*place, value);
                            *place = value;
                            pc = code.byte_add(at as usize);
                        }
                        break;
                    }
                    (self.pc.0, self.fp.0) = (pc, fp);
                    if P::ACTIVE {
                        probe.expect_updates(self);
                        let before = probe.before(self);
                        let result = self.return_value(value);
                        probe.after(self, &before);
                        result?;
                    } else {
                        self.return_value(value)?;
                    }
                    (pc, fp) = (self.pc.0, self.fp.0);
                    break;
                }
                continue;
            }};
        }
        // Looks at fuel and interrupt now and then, and makes sure of room for a frame.
        macro_rules! check {
            ($frame:expr, $above:expr) => {
                self.ticks = self.ticks.wrapping_sub(1);
                if self.ticks == 0 {
                    slow!(self.tick_and_retry());
                }
                // By addresses: a pointer that far above may be outside of the stack.
                let words = $above as usize + $frame as usize;
                if fp.addr() + words * size_of::<Word>() > self.stack_end.0.addr() {
                    if P::ACTIVE {
                        // Before the probe looks: no reductions are taken back under its eyes.
                        self.ticks += 1;
                        slow!(self.grow_stack(words));
                    }
                    slow!(self.grow_stack_for_call(words));
                }
            };
        }
        macro_rules! call {
            ($base:expr, $global:expr, |$to:ident| $fill:expr) => {{
                // SAFETY: the operand names a global.
                let entry = unsafe { *globals.add($global.index()) };
                check!(entry.frame, $base.0 + 1);
                if P::ACTIVE {
                    probe.called($global);
                }
                // SAFETY: there is room for the frame of the callee from there on.
                let $to = unsafe { fp.add($base.0 as usize + 1) };
                $fill;
                // SAFETY: the word is below that frame, and a call is not the last instruction.
                unsafe { *$to.sub(1) = return_word(offset!(pc.add(1)), $base.0) };
                fp = $to;
                jump!(entry.pc)
            }};
        }
        macro_rules! tail {
            ($global:expr, [$($arg:expr),*]) => {{
                // SAFETY: the operand names a global.
                let entry = unsafe { *globals.add($global.index()) };
                check!(entry.frame, 0);
                if P::ACTIVE {
                    probe.called($global);
                }
                let args = [$(arg!($arg)),*];
                // SAFETY: there is room for the frame, which has its parameters first.
                unsafe { fp.copy_from_nonoverlapping(args.as_ptr(), args.len()) };
                jump!(entry.pc)
            }};
        }
        macro_rules! node {
            ($kind:expr, $info:expr, [$($arg:expr),*]) => {{
                let fields = [$(arg!($arg)),*];
                heap_check!(fields.len() + 1);
                if P::ACTIVE {
                    self.counts.allocations += 1;
                    probe.allocated(offset!(pc), fields.len() + 1);
                }
                // SAFETY: there is room, and the operands are as many as `$kind` has fields.
                unsafe { self.heap.alloc($kind, $info, &fields) }
            }};
        }
        // A node of as many fields as there are operands.
        macro_rules! many {
            ($kind:expr, $info:expr, $d:expr, $args:expr) => {{
                let args = list!($args);
                if !P::ACTIVE
                    && self.heap.fits(args.len() + 1)
                    && let Some(size) = Size::new(args.len())
                {
                    let write = |fields: *mut Word| {
                        for (at, arg) in args.iter().enumerate() {
                            let word = arg!(*arg);
                            // SAFETY: the node has a field for each operand.
                            unsafe { *fields.add(at) = word }
                        }
                    };
                    // SAFETY: there is room, and `size` operands.
                    let node = unsafe { self.heap.alloc_written($kind, $info, size, write) };
                    self.counts.thunks_made += u64::from($kind == Kind::Thunk);
                    set!($d, node);
                    next!();
                }
                slow!(self.new_node($kind, $info, $d, $args))
            }};
        }
        macro_rules! made {
            ($thunk:expr) => {
                self.counts.thunks_made += 1;
                if P::ACTIVE {
                    probe.made($thunk);
                }
            };
        }
        macro_rules! cheap {
            ($d:expr, $thunk:expr, [$($arg:expr),*]) => {{
                let captured = [$(arg!($arg)),*];
                if captured.iter().all(|word| word.is_int()) {
                    // SAFETY: the operand names the code of a thunk.
                    let thunk = unsafe { program.thunks.as_slice().get_unchecked($thunk.index()) };
                    // SAFETY: entries are in the code.
                    let code = unsafe { code.add(thunk.entry.pc.0 as usize) };
                    // SAFETY: the code of such a thunk is cheap, and takes what is captured.
                    if let Some(value) = unsafe { computed(code, &captured) } {
                        set!($d, value);
                        next!();
                    }
                }
                let node = node!(Kind::Thunk, $thunk.0, [$($arg),*]);
                made!($thunk);
                set!($d, node);
                next!()
            }};
        }
        macro_rules! arithmetic {
            ($op:ident, $d:expr, $a:expr, $b:expr, |$x:ident, $y:ident| $fast:expr) => {{
                let ($x, $y) = (slot!($a.0), slot!($b.0));
                if $x.is_int() && $y.is_int() {
                    let result: Option<i64> = $fast;
                    if let Some(twice) = result {
                        set!($d, Word::from_bits(twice as u64));
                        next!();
                    }
                }
                short!(self.force_either(pc, fp, $a.0, $b.0));
                slow!(self.arithmetic(Op::$op, $d, $a, $b))
            }};
        }
        macro_rules! with_constant {
            ($op:ident, $d:expr, $a:expr, $k:expr, |$x:ident, $y:ident| $fast:expr) => {{
                let $x = slot!($a.0);
                if $x.is_int() {
                    let $y = i64::from($k);
                    let result: Option<i64> = $fast;
                    if let Some(twice) = result {
                        set!($d, Word::from_bits(twice as u64));
                        next!();
                    }
                }
                short!(self.force_at(pc, fp, $a.0));
                slow!(self.arithmetic_with(Op::$op, $d, $a, $k))
            }};
        }
        macro_rules! float_arithmetic {
            ($op:ident, $d:expr, $a:expr, $b:expr, $rel:tt) => {{
                let (x, y) = (slot!($a.0), slot!($b.0));
                if x.are_floats(y)
                    && let Some(word) = Word::float(x.as_float() $rel y.as_float())
                {
                    set!($d, word);
                    next!();
                }
                short!(self.force_either(pc, fp, $a.0, $b.0));
                slow!(self.binary(Primitive::$op, $d, $a, $b))
            }};
        }
        // Modulo 2^64: what fits a word is the same without.
        macro_rules! wrapping {
            ($op:ident, $d:expr, $a:expr, $b:expr) => {{
                let (x, y) = (slot!($a.0), slot!($b.0));
                if x.is_int()
                    && y.is_int()
                    && let Some(word) = of_words(Primitive::$op, x, y)
                {
                    set!($d, word);
                    next!();
                }
                slow!(self.binary(Primitive::$op, $d, $a, $b))
            }};
        }
        macro_rules! compare {
            ($op:ident, $d:expr, $a:expr, $b:expr, $rel:tt) => {{
                let (x, y) = (slot!($a.0), slot!($b.0));
                if x.is_int() && y.is_int() {
                    set!($d, Word::boolean(x.twice() $rel y.twice()));
                    next!();
                }
                short!(self.force_either(pc, fp, $a.0, $b.0));
                slow!(self.compare_into(Op::$op, $d, $a, $b))
            }};
        }
        macro_rules! unless {
            ($op:ident, $a:expr, $b:expr, $to:expr, $rel:tt) => {{
                let (x, y) = (slot!($a.0), slot!($b.0));
                if x.is_int() && y.is_int() {
                    if x.twice() $rel y.twice() {
                        next!();
                    }
                    jump!($to);
                }
                short!(self.force_either(pc, fp, $a.0, $b.0));
                slow!(self.compare_and_jump(Op::$op, $a, $b, $to))
            }};
        }
        macro_rules! unless_int {
            ($op:ident, $a:expr, $k:expr, $to:expr, $rel:tt) => {{
                let x = slot!($a.0);
                if x.is_int() {
                    if x.twice() $rel i64::from($k) * 2 {
                        next!();
                    }
                    jump!($to);
                }
                short!(self.force_at(pc, fp, $a.0));
                slow!(self.compare_int_and_jump(Op::$op, $a, $k, $to))
            }};
        }

        loop {
            if P::ACTIVE {
                self.counts.instructions += 1;
                // SAFETY: `pc` is at an instruction.
                let op = unsafe { &*pc }.op();
                let depth = depth_of(fp, self);
                probe.executed(self, offset!(pc), op, depth);
            }
            // SAFETY: `pc` is at an instruction.
            match *unsafe { &*pc } {
                Instr::Move { d, a } => {
                    set!(d, arg!(a));
                    next!()
                }
                Instr::Caf { d, global } => {
                    // SAFETY: there is a word for each global.
                    let word = unsafe { *self.mutator.cafs.get_unchecked(global.index()) };
                    if word != Word::NOTHING {
                        set!(d, word);
                        next!();
                    }
                    slow!(self.caf(global))
                }
                Instr::Big { d, big } => slow!(self.big_literal(d, big)),
                Instr::Text { d, text } => {
                    heap_check!(2);
                    if P::ACTIVE {
                        probe.allocated(offset!(pc), 2);
                    }
                    // SAFETY: there is room, and a text has its position for a field.
                    let node = unsafe { self.heap.alloc(Kind::Text, text.0, &[Word::ZERO]) };
                    set!(d, node);
                    next!()
                }

                Instr::Con1 { d, con, a } => {
                    let node = node!(Kind::Con, con.0, [a]);
                    set!(d, node);
                    next!()
                }
                Instr::Con2 { d, con, a, b } => {
                    let node = node!(Kind::Con, con.0, [a, b]);
                    set!(d, node);
                    next!()
                }
                Instr::Con3 { d, con, a, b, c } => {
                    let node = node!(Kind::Con, con.0, [a, b, c]);
                    set!(d, node);
                    next!()
                }
                Instr::ConN { d, con, args } => many!(Kind::Con, con.0, d, args),
                Instr::Thunk1 { d, thunk, a } => {
                    let node = node!(Kind::Thunk, thunk.0, [a]);
                    made!(thunk);
                    set!(d, node);
                    next!()
                }
                Instr::Thunk2 { d, thunk, a, b } => {
                    let node = node!(Kind::Thunk, thunk.0, [a, b]);
                    made!(thunk);
                    set!(d, node);
                    next!()
                }
                Instr::Thunk3 { d, thunk, a, b, c } => {
                    let node = node!(Kind::Thunk, thunk.0, [a, b, c]);
                    made!(thunk);
                    set!(d, node);
                    next!()
                }
                Instr::Cheap1 { d, thunk, a } => cheap!(d, thunk, [a]),
                Instr::Cheap2 { d, thunk, a, b } => cheap!(d, thunk, [a, b]),
                Instr::Cheap3 { d, thunk, a, b, c } => cheap!(d, thunk, [a, b, c]),
                Instr::ThunkN { d, thunk, args } => many!(Kind::Thunk, thunk.0, d, args),
                Instr::Pap { d, global, args } => many!(Kind::Pap, global.0, d, args),
                Instr::Hole { d, words } => slow!(self.new_hole(d, words)),
                Instr::FillCon { a, con, args } => slow!(self.fill(a, Kind::Con, con.0, args)),
                Instr::FillThunk { a, thunk, args } => {
                    slow!(self.fill(a, Kind::Thunk, thunk.0, args))
                }
                Instr::FillPap { a, global, args } => {
                    slow!(self.fill(a, Kind::Pap, global.0, args))
                }
                Instr::FillInd { a, b } => slow!(self.fill_indirection(a, b)),

                // The lowest bit of an integer's word is 0, so that sums, differences and
                // comparisons work on the words themselves.
                Instr::Add { d, a, b } => {
                    arithmetic!(Add, d, a, b, |x, y| x.twice().checked_add(y.twice()))
                }
                Instr::Sub { d, a, b } => {
                    arithmetic!(Sub, d, a, b, |x, y| x.twice().checked_sub(y.twice()))
                }
                Instr::Mul { d, a, b } => {
                    arithmetic!(Mul, d, a, b, |x, y| x.as_int().checked_mul(y.twice()))
                }
                Instr::Div { d, a, b } => {
                    arithmetic!(Div, d, a, b, |x, y| {
                        if y == Word::ZERO { None } else { (x.twice() / y.twice()).checked_mul(2) }
                    })
                }
                Instr::Rem { d, a, b } => {
                    arithmetic!(Rem, d, a, b, |x, y| {
                        if y == Word::ZERO { None } else { Some(x.twice() % y.twice()) }
                    })
                }
                Instr::FloorDiv { d, a, b } => {
                    arithmetic!(FloorDiv, d, a, b, |x, y| {
                        if y == Word::ZERO {
                            None
                        } else {
                            num_integer::div_floor(x.twice(), y.twice()).checked_mul(2)
                        }
                    })
                }
                Instr::Mod { d, a, b } => {
                    arithmetic!(Mod, d, a, b, |x, y| {
                        if y == Word::ZERO {
                            None
                        } else {
                            Some(num_integer::mod_floor(x.twice(), y.twice()))
                        }
                    })
                }
                Instr::AddInt { d, a, k } => {
                    with_constant!(AddInt, d, a, k, |x, y| x.twice().checked_add(2 * y))
                }
                Instr::SubFrom { d, a, k } => {
                    with_constant!(SubFrom, d, a, k, |x, y| (2 * y).checked_sub(x.twice()))
                }
                Instr::MulInt { d, a, k } => {
                    with_constant!(MulInt, d, a, k, |x, y| x.twice().checked_mul(y))
                }
                Instr::DivInt { d, a, k } => {
                    with_constant!(DivInt, d, a, k, |x, y| {
                        x.as_int().checked_div(y).and_then(|n| n.checked_mul(2))
                    })
                }
                Instr::RemInt { d, a, k } => {
                    with_constant!(RemInt, d, a, k, |x, y| {
                        x.as_int().checked_rem(y).map(|n| 2 * n)
                    })
                }
                Instr::FloorDivInt { d, a, k } => {
                    with_constant!(FloorDivInt, d, a, k, |x, y| {
                        if y == 0 {
                            None
                        } else {
                            num_integer::div_floor(x.as_int(), y).checked_mul(2)
                        }
                    })
                }
                Instr::ModInt { d, a, k } => {
                    with_constant!(ModInt, d, a, k, |x, y| {
                        if y == 0 { None } else { Some(2 * num_integer::mod_floor(x.as_int(), y)) }
                    })
                }
                Instr::Neg { d, a } => {
                    let x = slot!(a.0);
                    if x.is_int()
                        && let Some(twice) = x.twice().checked_neg()
                    {
                        set!(d, Word::from_bits(twice as u64));
                        next!();
                    }
                    slow!(self.negate(d, a))
                }
                Instr::Ord { d, a } => {
                    if let Some(c) = slot!(a.0).as_char() {
                        set!(d, Word::of_i32(c as i32));
                        next!();
                    }
                    slow!(self.ord(d, a))
                }
                Instr::Chr { d, a } => slow!(self.chr(d, a)),
                Instr::Eq { d, a, b } => compare!(Eq, d, a, b, ==),
                Instr::Ne { d, a, b } => compare!(Ne, d, a, b, !=),
                Instr::Lt { d, a, b } => compare!(Lt, d, a, b, <),
                Instr::Le { d, a, b } => compare!(Le, d, a, b, <=),
                Instr::Gt { d, a, b } => compare!(Gt, d, a, b, >),
                Instr::Ge { d, a, b } => compare!(Ge, d, a, b, >=),

                Instr::Float { d, value } => {
                    heap_check!(2);
                    // SAFETY: there is room.
                    let word = unsafe { self.heap.float(value) };
                    set!(d, word);
                    next!()
                }
                Instr::FAdd { d, a, b } => float_arithmetic!(FAdd, d, a, b, +),
                Instr::FSub { d, a, b } => float_arithmetic!(FSub, d, a, b, -),
                Instr::FMul { d, a, b } => float_arithmetic!(FMul, d, a, b, *),
                Instr::FDiv { d, a, b } => float_arithmetic!(FDiv, d, a, b, /),
                Instr::AddI64 { d, a, b } => wrapping!(AddI64, d, a, b),
                Instr::SubI64 { d, a, b } => wrapping!(SubI64, d, a, b),
                Instr::MulI64 { d, a, b } => wrapping!(MulI64, d, a, b),
                Instr::AddU64 { d, a, b } => wrapping!(AddU64, d, a, b),
                Instr::SubU64 { d, a, b } => wrapping!(SubU64, d, a, b),
                Instr::MulU64 { d, a, b } => wrapping!(MulU64, d, a, b),
                Instr::Unary { d, a, op } => {
                    if let Some(word) = of_word(op, slot!(a.0)) {
                        set!(d, word);
                        next!();
                    }
                    slow!(self.unary(op, d, a))
                }
                Instr::Binary { d, a, b, op } => {
                    let (x, y) = (slot!(a.0), slot!(b.0));
                    if x.is_int()
                        && y.is_int()
                        && let Some(word) = of_words(op, x, y)
                    {
                        set!(d, word);
                        next!();
                    }
                    if x.is_value_pointer() && y.is_int() {
                        // SAFETY: it is a pointer to a node.
                        let element = unsafe { self.element_at(op, x, y) };
                        if element != Word::NOTHING {
                            set!(d, element);
                            next!();
                        }
                    }
                    short!(self.force_either(pc, fp, a.0, b.0));
                    slow!(self.binary(op, d, a, b))
                }
                Instr::BinaryInt { d, a, k, op } => {
                    let x = slot!(a.0);
                    if x.is_int()
                        && let Some(word) = of_words(op, x, Word::of_i32(k))
                    {
                        set!(d, word);
                        next!();
                    }
                    slow!(self.binary_with(op, d, a, k))
                }

                Instr::UnlessEq { a, b, to } => unless!(Eq, a, b, to, ==),
                Instr::UnlessNe { a, b, to } => unless!(Ne, a, b, to, !=),
                Instr::UnlessLt { a, b, to } => unless!(Lt, a, b, to, <),
                Instr::UnlessLe { a, b, to } => unless!(Le, a, b, to, <=),
                Instr::UnlessGt { a, b, to } => unless!(Gt, a, b, to, >),
                Instr::UnlessGe { a, b, to } => unless!(Ge, a, b, to, >=),
                Instr::UnlessEqInt { a, k, to } => unless_int!(Eq, a, k, to, ==),
                Instr::UnlessNeInt { a, k, to } => unless_int!(Ne, a, k, to, !=),
                Instr::UnlessLtInt { a, k, to } => unless_int!(Lt, a, k, to, <),
                Instr::UnlessLeInt { a, k, to } => unless_int!(Le, a, k, to, <=),
                Instr::UnlessGtInt { a, k, to } => unless_int!(Gt, a, k, to, >),
                Instr::UnlessGeInt { a, k, to } => unless_int!(Ge, a, k, to, >=),
                Instr::UnlessFloat { a, b, op, to } => {
                    let (x, y) = (slot!(a.0), slot!(b.0));
                    if x.are_floats(y) {
                        if float_holds(op, x.as_float(), y.as_float()) {
                            next!();
                        }
                        jump!(to);
                    }
                    short!(self.force_either(pc, fp, a.0, b.0));
                    slow!(self.compare_floats_and_jump(op, a, b, to))
                }
                Instr::Unless { a, to } => {
                    let x = slot!(a.0);
                    if x == Word::ONE {
                        next!();
                    }
                    if x == Word::ZERO {
                        jump!(to);
                    }
                    slow!(self.condition(a))
                }
                Instr::Jump { to } => jump!(to),

                Instr::CaseList { a, head, tail, nil } => {
                    let x = slot!(a.0);
                    if x.is_con_pointer() {
                        // SAFETY: it is a pointer to a node.
                        let (header, fields) = unsafe { node_at(x) };
                        if header.info() == CONS.0 {
                            // SAFETY: a list cell has two fields.
                            let (first, second) = unsafe { (*fields, *fields.add(1)) };
                            set!(head, first);
                            set!(tail, second);
                            prefetch(second.bits());
                            next!();
                        }
                    } else if x == NIL_WORD {
                        jump!(nil);
                    }
                    short!(self.force_at(pc, fp, a.0));
                    slow!(self.scrutinise_list(a))
                }
                Instr::Case { a, case } => {
                    let x = slot!(a.0);
                    let con = if x.is_con_pointer() {
                        // SAFETY: it is a pointer to a node.
                        unsafe { node_at(x) }.0.info()
                    } else if let Some(con) = x.as_con() {
                        con.0
                    } else {
                        short!(self.force_at(pc, fp, a.0));
                        slow!(self.scrutinise(a, case))
                    };
                    // SAFETY: the operand names branches.
                    let case = unsafe { program.cases.as_slice().get_unchecked(case.index()) };
                    match case.targets.get(con.wrapping_sub(case.first.0) as usize) {
                        Some(to) => jump!(*to),
                        None => slow!(self.wrong_data(a, case)),
                    }
                }
                Instr::LitCase { a, case } => {
                    let x = slot!(a.0);
                    // SAFETY: the operand names branches.
                    let lits = unsafe { program.lit_cases.as_slice().get_unchecked(case.index()) };
                    if if lits.chars { x.is_char() } else { x.is_int() } {
                        jump!(lits.target(x));
                    }
                    short!(self.force_at(pc, fp, a.0));
                    slow!(self.literal_case(a, case))
                }
                Instr::Field { d, a, index } => {
                    let x = slot!(a.0);
                    // SAFETY: what the code reads a field of is a constructor that has it.
                    let (_, fields) = unsafe { node_at(x) };
                    // SAFETY: as above.
                    set!(d, unsafe { *fields.add(index as usize) });
                    next!()
                }
                Instr::Fields2 { d, e, a } => {
                    let x = slot!(a.0);
                    // SAFETY: what the code reads a field of is a constructor that has it.
                    let (_, fields) = unsafe { node_at(x) };
                    // SAFETY: as above: of both fields.
                    let (first, second) = unsafe { (*fields, *fields.add(1)) };
                    set!(d, first);
                    set!(e, second);
                    next!()
                }
                Instr::FieldsN { a, slots } => {
                    let x = slot!(a.0);
                    // SAFETY: what the code reads a field of is a constructor that has it.
                    let (_, fields) = unsafe { node_at(x) };
                    // SAFETY: the operand names a list of slots.
                    let slots = unsafe { program.slots.as_slice().get_unchecked(slots.index()) };
                    for (at, slot) in slots.iter().enumerate() {
                        if let Some(slot) = *slot {
                            // SAFETY: the slot is of the frame, the field of the constructor.
                            unsafe { *fp.add(slot as usize) = *fields.add(at) };
                        }
                    }
                    next!()
                }

                Instr::Eval { a } => {
                    if slot!(a.0).is_evaluated() {
                        next!();
                    }
                    short!(self.force_at(pc, fp, a.0));
                    slow!(self.force(a))
                }
                Instr::Call1 { base, global, a } => call!(base, global, |to| {
                    let a = arg!(a);
                    // SAFETY: there is room for the frame of the callee.
                    unsafe { *to = a };
                }),
                Instr::Call2 { base, global, a, b } => call!(base, global, |to| {
                    let (a, b) = (arg!(a), arg!(b));
                    // SAFETY: as for `Call1`.
                    unsafe {
                        *to = a;
                        *to.add(1) = b;
                    }
                }),
                Instr::Call3 { base, global, a, b, c } => call!(base, global, |to| {
                    let (a, b, c) = (arg!(a), arg!(b), arg!(c));
                    // SAFETY: as for `Call1`.
                    unsafe {
                        *to = a;
                        *to.add(1) = b;
                        *to.add(2) = c;
                    }
                }),
                Instr::CallN { base, global, args } => {
                    if P::ACTIVE {
                        slow!(self.call(base, global, args));
                    }
                    let args = list!(args);
                    call!(base, global, |to| {
                        // SAFETY: as for `Call1`.
                        unsafe { put_args(args, fp, consts, to) }
                    })
                }
                Instr::Apply { base, f, args } => {
                    let function = arg!(f);
                    // SAFETY: above the base nothing is alive but the operands.
                    let (next, frame) =
                        unsafe { self.apply_at(fp, function, args, base.0 as usize + 1) };
                    if !next.is_null() {
                        if P::ACTIVE {
                            probe.applied(offset!(next));
                        }
                        // SAFETY: the word is below that frame, and an application of this kind is
                        // not the last instruction.
                        unsafe { *frame.sub(1) = return_word(offset!(pc.add(1)), base.0) };
                        (pc, fp) = (next, frame);
                        continue;
                    }
                    slow!(self.call_unknown(base, f, args))
                }
                Instr::Try { base, a } => slow!(self.try_to(base, a)),
                Instr::Effect { d, effect, args } => slow!(self.effect(d, effect, args)),
                Instr::CallHost { d, host, args } => slow!(self.call_host(d, host, args)),

                Instr::Return { a } => {
                    let value = arg!(a);
                    if value.is_evaluated() {
                        return_value!(value);
                    }
                    short!(self.enter_at(fp, value));
                    slow_return!(self.enter(value))
                }
                Instr::Enter { a } => {
                    let value = arg!(a);
                    if value.is_evaluated() {
                        return_value!(value);
                    }
                    short!(self.enter_at(fp, value));
                    slow_return!(self.enter(value))
                }
                Instr::ReturnCon2 { con, a, b } => {
                    let node = node!(Kind::Con, con.0, [a, b]);
                    return_value!(node)
                }
                Instr::Tail1 { global, a } => tail!(global, [a]),
                Instr::Tail2 { global, a, b } => tail!(global, [a, b]),
                Instr::Tail3 { global, a, b, c } => tail!(global, [a, b, c]),
                Instr::TailN { global, args } => {
                    if P::ACTIVE {
                        slow!(self.tail_call(global, args));
                    }
                    let args = list!(args);
                    // SAFETY: the operand names a global.
                    let entry = unsafe { *globals.add(global.index()) };
                    check!(entry.frame, 0);
                    // SAFETY: there is room for the frame, which has its parameters first.
                    unsafe { put_args(args, fp, consts, fp) };
                    jump!(entry.pc)
                }
                Instr::TailApply { f, args } => {
                    let function = arg!(f);
                    // SAFETY: nothing but the operands is used any more.
                    let (next, frame) = unsafe { self.apply_at(fp, function, args, 0) };
                    if !next.is_null() {
                        if P::ACTIVE {
                            probe.applied(offset!(next));
                        }
                        (pc, fp) = (next, frame);
                        continue;
                    }
                    slow_return!(self.tail_unknown(f, args))
                }
                Instr::Raise { a } => slow!(self.raise(a)),
                Instr::NoMatch { a } => slow!(self.no_match(a)),
                Instr::Halt {} => {
                    (self.pc.0, self.fp.0) = (pc, fp);
                    return Ok(());
                }
            }
        }
    }
}

/// Words of the stack below a frame.
fn depth_of(fp: *const Word, machine: &Machine) -> u64 {
    ((fp.addr() - machine.mutator.stack.base().addr()) / size_of::<Word>()) as u64
}

/// The word that an operand stands for.
///
/// # Safety
/// `fp` is a frame that has the slot and has it written, `consts` a pool with the constant.
#[inline(always)]
pub(super) unsafe fn read_arg(arg: Arg, fp: *const Word, consts: *const Word) -> Word {
    // SAFETY: the caller's promise.
    unsafe {
        match (arg.as_slot(), arg.as_constant()) {
            (Some(slot), _) => *fp.add(slot as usize),
            (None, id) => *consts.add(id.map_or(0, |id| id.index())),
        }
    }
}

/// The header and the fields of a node.
///
/// # Safety
/// `word` is a pointer to a node.
#[inline(always)]
pub(super) unsafe fn node_at(word: Word) -> (Header, *const Word) {
    let node: *const u64 = std::ptr::with_exposed_provenance(word.address());
    // SAFETY: the caller's promise; the fields follow the header.
    unsafe { (Header::from_bits(*node), node.add(1).cast()) }
}

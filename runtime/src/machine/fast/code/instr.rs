//! The instruction set of the fast machine: one table.
//!
//! A row is an instruction's name and its operands, its doc comment says what it does. The
//! type of an operand says what is done with it; enum, listing, verifier and liveness come
//! from that.
//!
//! An operand of type [`Forced`] that is not evaluated is evaluated first: the machine
//! evaluates it, puts the value in its slot, and executes the instruction again. So an
//! operation on evaluated operands costs one check of their tags, which it needs anyway.
//!
//! *Where a frame ends.* What an instruction evaluates or calls gets a frame above the slots
//! that are alive there (the `base` of a call, [`StackMap::top`](super::program::StackMap) elsewhere).
//! The word at `base` holds the return; the value of a call is found there.

use super::program::{ArgsId, CaseId, ConstId, LitCaseId, SlotsId, ThunkId};
use crate::base::float::Float;
use crate::gcode::effect::Effect;
use crate::gcode::program::{BigId, ConId, GlobalId, HostId, TextId};
use crate::primitive::Primitive;

/// A position in the code of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pc(pub u32);

/// A slot that is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dst(pub u32);

/// A slot that is read, and evaluated first if it is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Forced(pub u32);

/// A slot that is read as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub u32);

/// The first slot above all that stay alive during a call: the return goes there, then the
/// value. The arguments are copied to the slots after it, which the callee numbers from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Base(pub u32);

/// A slot that is read as it is, or a constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arg(u32);

impl Arg {
    const CONST: u32 = 1 << 31;

    /// Returns the operand that is a slot, below 2^31.
    #[must_use]
    pub const fn slot(slot: u32) -> Arg {
        Arg(slot & !Self::CONST)
    }

    /// Returns the operand that is a constant of the program's pool.
    #[must_use]
    pub const fn constant(id: ConstId) -> Arg {
        Arg(id.0 | Self::CONST)
    }

    /// Returns the number of the slot, or that of the constant less 2^31.
    #[inline(always)]
    #[must_use]
    pub const fn signed(self) -> i32 {
        self.0 as i32
    }

    /// Returns the slot, if it is one.
    #[inline]
    #[must_use]
    pub const fn as_slot(self) -> Option<u32> {
        if self.0 & Self::CONST == 0 { Some(self.0) } else { None }
    }

    /// Returns the constant, if it is one.
    #[inline]
    #[must_use]
    pub const fn as_constant(self) -> Option<ConstId> {
        if self.0 & Self::CONST == 0 { None } else { Some(ConstId(self.0 & !Self::CONST)) }
    }
}

impl std::fmt::Debug for Arg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.as_slot(), self.as_constant()) {
            (Some(slot), _) => write!(f, "s{slot}"),
            (_, id) => write!(f, "{id:?}"),
        }
    }
}

/// How control leaves an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// To the next one.
    Next,
    /// To the next one, or to one of its targets.
    Branch,
    /// To one of its targets.
    Jump,
    /// Out of this code.
    End,
}

/// What an operand has in common with the others: numbers that can be given anew.
trait OperandType {
    /// Renumbers its slot, if it is one.
    fn map_slot(&mut self, _map: &mut dyn FnMut(u32) -> u32) {}
    /// Moves its target to another position, if it is one.
    fn map_target(&mut self, _map: &mut dyn FnMut(Pc) -> Pc) {}
}

macro_rules! slot_types {
    ($($type:ident)+) => {
        $(impl OperandType for $type {
            fn map_slot(&mut self, map: &mut dyn FnMut(u32) -> u32) {
                self.0 = map(self.0);
            }
        })+
    };
}

macro_rules! other_types {
    ($($type:ident)+) => { $(impl OperandType for $type {})+ };
}

slot_types! { Dst Forced Slot Base }
other_types! { ArgsId SlotsId CaseId LitCaseId i32 GlobalId ThunkId ConId TextId BigId HostId Float Primitive Effect char }

impl OperandType for Arg {
    fn map_slot(&mut self, map: &mut dyn FnMut(u32) -> u32) {
        if let Some(slot) = self.as_slot() {
            *self = Arg::slot(map(slot));
        }
    }
}

impl OperandType for Pc {
    fn map_target(&mut self, map: &mut dyn FnMut(Pc) -> Pc) {
        *self = map(*self);
    }
}

macro_rules! operands {
    ($($(#[$doc:meta])* $kind:ident($type:ty);)+) => {
        /// An operand of an instruction.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Operand { $($(#[$doc])* $kind($type),)+ }
        $(impl From<$type> for Operand {
            fn from(value: $type) -> Operand { Operand::$kind(value) }
        })+
    };
}

operands! {
    /// A slot that is written.
    Dst(Dst);
    /// A slot that is read, evaluated.
    Forced(Forced);
    /// A slot that is read.
    Slot(Slot);
    /// A slot that is read, or a constant.
    Arg(Arg);
    /// Slots that are read, or constants.
    Args(ArgsId);
    /// Slots that are written.
    Slots(SlotsId);
    /// Where the frame of a call begins.
    Base(Base);
    /// A target in the code.
    To(Pc);
    /// Branches by constructor.
    Case(CaseId);
    /// Branches by literal.
    LitCase(LitCaseId);
    /// An immediate integer or a count.
    Int(i32);
    /// A global.
    Global(GlobalId);
    /// The code of a thunk.
    Thunk(ThunkId);
    /// A constructor.
    Con(ConId);
    /// A string.
    Text(TextId);
    /// A large integer.
    Big(BigId);
    /// A character.
    Char(char);
    /// A float.
    Float(Float);
    /// A primitive.
    Primitive(Primitive);
    /// An effect.
    Effect(Effect);
    /// A host function.
    Host(HostId);
}

macro_rules! instructions {
    ($d:tt $($(#[doc = $doc:literal])+ $name:ident { $($field:ident: $type:ty),* } $flow:ident;)+) => {
        /// An instruction.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs, reason = "operands are named in the instruction's own comment")]
        pub enum Instr { $($(#[doc = $doc])+ $name { $($field: $type),* },)+ }

        /// An instruction without operands.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Op { $(#[doc = concat!("`", stringify!($name), "`")] $name,)+ }

        /// The number of each instruction, by its name: what code that is compiled for one
        /// instruction alone is a constant of.
        #[allow(non_upper_case_globals, missing_docs, reason = "they are called as instructions are")]
        pub mod number {
            $(pub const $name: u8 = super::Op::$name as u8;)+
        }

        /// Calls a macro with the names of all instructions, in the order of the table.
        macro_rules! with_instructions {
            ($d macro:ident) => { $d macro! { $($name)+ } };
        }
        pub(in crate::machine::fast) use with_instructions;

        impl Op {
            /// All instructions, in the order of the table.
            pub const ALL: &[Op] = &[$(Op::$name),+];

            /// Returns its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Op::$name => stringify!($name),)+ }
            }

            /// Returns what it does, as lines of documentation.
            #[must_use]
            pub const fn doc(self) -> &'static [&'static str] {
                match self { $(Op::$name => &[$($doc),+],)+ }
            }

            /// Returns the names and types of its operands.
            #[must_use]
            pub const fn operands(self) -> &'static [(&'static str, &'static str)] {
                match self {
                    $(Op::$name => &[$((stringify!($field), stringify!($type))),*],)+
                }
            }

            /// Returns how control leaves it.
            #[must_use]
            pub const fn flow(self) -> Flow {
                match self { $(Op::$name => Flow::$flow,)+ }
            }
        }

        impl Instr {
            /// Returns which instruction it is.
            #[inline(always)]
            #[must_use]
            pub const fn op(&self) -> Op {
                match self { $(Instr::$name { .. } => Op::$name,)+ }
            }

            /// Calls `visit` with each operand and its name. The calls are dynamic: a copy of this
            /// for each caller would be a twelfth of the library.
            pub fn operands(&self, visit: &mut dyn FnMut(&'static str, Operand)) {
                match *self {
                    $(Instr::$name { $($field),* } => { $(visit(stringify!($field), $field.into());)* })+
                }
            }

            /// Renumbers the slots that it names itself; those in lists stay.
            pub fn map_slots(&mut self, map: &mut dyn FnMut(u32) -> u32) {
                let _ = &map;
                match self {
                    $(Instr::$name { $($field),* } => { $($field.map_slot(map);)* })+
                }
            }

            /// Moves the targets that it names itself to other positions; those in lists stay.
            pub fn map_targets(&mut self, map: &mut dyn FnMut(Pc) -> Pc) {
                let _ = &map;
                match self {
                    $(Instr::$name { $($field),* } => { $($field.map_target(map);)* })+
                }
            }
        }
    };
}

instructions! { $
    /// `d` becomes `a`.
    Move { d: Dst, a: Arg } Next;
    /// `d` becomes the node of a CAF.
    Caf { d: Dst, global: GlobalId } Next;
    /// `d` becomes a large integer.
    Big { d: Dst, big: BigId } Next;
    /// `d` becomes a float that does not fit a word.
    Float { d: Dst, value: Float } Next;
    /// `d` becomes a string that unpacks as it is evaluated.
    Text { d: Dst, text: TextId } Next;

    /// `d` becomes a new constructor of one field.
    Con1 { d: Dst, con: ConId, a: Arg } Next;
    /// `d` becomes a new constructor of two fields.
    Con2 { d: Dst, con: ConId, a: Arg, b: Arg } Next;
    /// `d` becomes a new constructor of three fields.
    Con3 { d: Dst, con: ConId, a: Arg, b: Arg, c: Arg } Next;
    /// `d` becomes a new constructor.
    ConN { d: Dst, con: ConId, args: ArgsId } Next;
    /// `d` becomes a new thunk of one captured variable.
    Thunk1 { d: Dst, thunk: ThunkId, a: Arg } Next;
    /// `d` becomes a new thunk of two captured variables.
    Thunk2 { d: Dst, thunk: ThunkId, a: Arg, b: Arg } Next;
    /// `d` becomes a new thunk of three captured variables.
    Thunk3 { d: Dst, thunk: ThunkId, a: Arg, b: Arg, c: Arg } Next;
    /// `d` becomes a new thunk.
    ThunkN { d: Dst, thunk: ThunkId, args: ArgsId } Next;
    /// As `Thunk1`, but if `a` is a float or an integer of a word and the code of the thunk, which
    /// does nothing but arithmetic, computes one from it, `d` becomes that. That takes about as long
    /// as making the thunk, and keeps lazy sums from growing into chains (Faxén, *Cheap eagerness:
    /// speculative evaluation in a lazy functional language*, 2000).
    Cheap1 { d: Dst, thunk: ThunkId, a: Arg } Next;
    /// As `Cheap1`, where the code of the thunk is a sum with `k`: what counts is counted at once.
    CheapSum { d: Dst, thunk: ThunkId, a: Arg, k: i32 } Next;
    /// As `Cheap1`, with two captured variables.
    Cheap2 { d: Dst, thunk: ThunkId, a: Arg, b: Arg } Next;
    /// As `Cheap1`, with three captured variables.
    Cheap3 { d: Dst, thunk: ThunkId, a: Arg, b: Arg, c: Arg } Next;
    /// As `Cheap1`, with more captured variables.
    CheapN { d: Dst, thunk: ThunkId, args: ArgsId } Next;
    /// `d` becomes a new partial application of a global to fewer arguments than it takes.
    Pap { d: Dst, global: GlobalId, args: ArgsId } Next;
    /// `d` becomes a new node, of `words` fields, that a `Fill` will make something of: a name
    /// of a `letrec`. Whoever evaluates it before meets a value that depends on itself.
    Hole { d: Dst, words: i32 } Next;
    /// The hole in `a` becomes a constructor, and the pointer in `a` says so.
    FillCon { a: Slot, con: ConId, args: ArgsId } Next;
    /// The hole in `a` becomes a thunk.
    FillThunk { a: Slot, thunk: ThunkId, args: ArgsId } Next;
    /// The hole in `a` becomes a partial application, and the pointer in `a` says so.
    FillPap { a: Slot, global: GlobalId, args: ArgsId } Next;
    /// The hole in `a` becomes an indirection to `b`; if `b` leads to that hole, it stays.
    FillInd { a: Slot, b: Arg } Next;

    /// `d` becomes `a + b`.
    Add { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a - b`.
    Sub { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a * b`.
    Mul { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes the quotient of `a` and `b`, truncated toward zero.
    Div { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes the remainder of `Div`.
    Rem { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes the quotient of `a` and `b`, rounded toward minus infinity.
    FloorDiv { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes the remainder of `FloorDiv`.
    Mod { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a + k`; a subtraction of a constant is one too.
    AddInt { d: Dst, a: Forced, k: i32 } Next;
    /// `d` becomes `k - a`.
    SubFrom { d: Dst, a: Forced, k: i32 } Next;
    /// `d` becomes `a * k`.
    MulInt { d: Dst, a: Forced, k: i32 } Next;
    /// `d` becomes the quotient of `a` and `k`, which is not 0, truncated toward zero.
    DivInt { d: Dst, a: Forced, k: i32 } Next;
    /// `d` becomes the remainder of `DivInt`.
    RemInt { d: Dst, a: Forced, k: i32 } Next;
    /// `d` becomes the quotient of `a` and `k`, which is not 0, rounded toward minus infinity.
    FloorDivInt { d: Dst, a: Forced, k: i32 } Next;
    /// `d` becomes the remainder of `FloorDivInt`.
    ModInt { d: Dst, a: Forced, k: i32 } Next;
    /// `d` becomes `-a`.
    Neg { d: Dst, a: Forced } Next;
    /// `d` becomes the code point of the character `a`.
    Ord { d: Dst, a: Forced } Next;
    /// `d` becomes the character with the code point `a`.
    Chr { d: Dst, a: Forced } Next;
    /// `d` becomes 1 if `a = b`, else 0.
    Eq { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes 1 if `a /= b`, else 0.
    Ne { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes 1 if `a < b`, else 0.
    Lt { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes 1 if `a <= b`, else 0.
    Le { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes 1 if `a > b`, else 0.
    Gt { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes 1 if `a >= b`, else 0.
    Ge { d: Dst, a: Forced, b: Forced } Next;

    /// `d` becomes `a + b`, of floats.
    FAdd { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a - b`, of floats.
    FSub { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a * b`, of floats.
    FMul { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a / b`, of floats.
    FDiv { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a + k`, of floats.
    FAddConst { d: Dst, a: Forced, k: Float } Next;
    /// `d` becomes `a - k`, of floats.
    FSubConst { d: Dst, a: Forced, k: Float } Next;
    /// `d` becomes `k - a`, of floats.
    FSubFrom { d: Dst, a: Forced, k: Float } Next;
    /// `d` becomes `a * k`, of floats.
    FMulConst { d: Dst, a: Forced, k: Float } Next;
    /// `d` becomes `a / k`, of floats.
    FDivConst { d: Dst, a: Forced, k: Float } Next;
    /// `d` becomes `k / a`, of floats.
    FDivInto { d: Dst, a: Forced, k: Float } Next;
    /// `d` becomes `a + b` modulo 2^64, signed.
    AddI64 { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a - b` modulo 2^64, signed.
    SubI64 { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a * b` modulo 2^64, signed.
    MulI64 { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a + k` modulo 2^64, signed; a subtraction of a constant is one too.
    AddI64Int { d: Dst, a: Forced, k: i32 } Next;
    /// `d` becomes `a + b` modulo 2^64, unsigned.
    AddU64 { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a - b` modulo 2^64, unsigned.
    SubU64 { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes `a * b` modulo 2^64, unsigned.
    MulU64 { d: Dst, a: Forced, b: Forced } Next;
    /// `d` becomes what the primitive `op` gives for `a`.
    Unary { d: Dst, a: Forced, op: Primitive } Next;
    /// `d` becomes what the primitive `op` gives for `a` and `b`.
    Binary { d: Dst, a: Forced, b: Forced, op: Primitive } Next;
    /// `d` becomes what the primitive `op`, of integers, gives for `a` and `k`.
    BinaryInt { d: Dst, a: Forced, k: i32, op: Primitive } Next;

    /// Goes on at `to` unless `a = b`.
    UnlessEq { a: Forced, b: Forced, to: Pc } Branch;
    /// Goes on at `to` unless `a /= b`.
    UnlessNe { a: Forced, b: Forced, to: Pc } Branch;
    /// Goes on at `to` unless `a < b`.
    UnlessLt { a: Forced, b: Forced, to: Pc } Branch;
    /// Goes on at `to` unless `a <= b`.
    UnlessLe { a: Forced, b: Forced, to: Pc } Branch;
    /// Goes on at `to` unless `a > b`.
    UnlessGt { a: Forced, b: Forced, to: Pc } Branch;
    /// Goes on at `to` unless `a >= b`.
    UnlessGe { a: Forced, b: Forced, to: Pc } Branch;
    /// Goes on at `to` unless `a = k`.
    UnlessEqInt { a: Forced, k: i32, to: Pc } Branch;
    /// Goes on at `to` unless `a /= k`.
    UnlessNeInt { a: Forced, k: i32, to: Pc } Branch;
    /// Goes on at `to` unless `a < k`.
    UnlessLtInt { a: Forced, k: i32, to: Pc } Branch;
    /// Goes on at `to` unless `a <= k`.
    UnlessLeInt { a: Forced, k: i32, to: Pc } Branch;
    /// Goes on at `to` unless `a > k`.
    UnlessGtInt { a: Forced, k: i32, to: Pc } Branch;
    /// Goes on at `to` unless `a >= k`.
    UnlessGeInt { a: Forced, k: i32, to: Pc } Branch;
    /// Goes on at `to` unless `a = k`, of characters.
    UnlessEqChar { a: Forced, k: char, to: Pc } Branch;
    /// Goes on at `to` unless `a /= k`, of characters.
    UnlessNeChar { a: Forced, k: char, to: Pc } Branch;
    /// Goes on at `to` unless `a < k`, of characters.
    UnlessLtChar { a: Forced, k: char, to: Pc } Branch;
    /// Goes on at `to` unless `a <= k`, of characters.
    UnlessLeChar { a: Forced, k: char, to: Pc } Branch;
    /// Goes on at `to` unless `a > k`, of characters.
    UnlessGtChar { a: Forced, k: char, to: Pc } Branch;
    /// Goes on at `to` unless `a >= k`, of characters.
    UnlessGeChar { a: Forced, k: char, to: Pc } Branch;
    /// Goes on at `to` unless the comparison `op` of the floats `a` and `b` gives 1.
    UnlessFloat { a: Forced, b: Forced, op: Primitive, to: Pc } Branch;
    /// Goes on at `to` unless the comparison `op` of the floats `a` and `k` gives 1.
    UnlessFloatConst { a: Forced, k: Float, op: Primitive, to: Pc } Branch;
    /// Goes on at `to` if `a` is 0, at the next instruction if it is 1. Anything else is an
    /// error.
    Unless { a: Forced, to: Pc } Branch;
    /// Goes on at `to`.
    Jump { to: Pc } Jump;

    /// If `a` is a list cell, its fields go to `head` and `tail`; if it is `Nil`, the code
    /// goes on at `nil`. Anything else is an error.
    CaseList { a: Forced, head: Dst, tail: Dst, nil: Pc } Branch;
    /// Goes on if `a` is the constructor `con`, the only one of its data type. Anything else is an
    /// error.
    Case1 { a: Forced, con: ConId } Next;
    /// Goes on if `a` is the constructor `con`, the first of the two of its data type, and at `to` if it
    /// is the other one. Anything else is an error.
    Case2 { a: Forced, con: ConId, to: Pc } Branch;
    /// The two fields of `a`, the constructor `con`, the only one of its data type, go to `d` and `e`.
    /// Anything else is an error.
    Unpack2 { d: Dst, e: Dst, a: Forced, con: ConId } Next;
    /// Branches on the constructor of `a`. A value of another data type is an error.
    Case { a: Forced, case: CaseId } Jump;
    /// Branches on the integer or character `a`. A value of another kind is an error.
    LitCase { a: Forced, case: LitCaseId } Jump;
    /// `d` becomes field `index` of the constructor `a`, which has it.
    Field { d: Dst, a: Slot, index: i32 } Next;
    /// The two fields of the constructor `a` go to `d` and `e`.
    Fields2 { d: Dst, e: Dst, a: Slot } Next;
    /// The three fields of the constructor `a` go to `d`, `e` and `f`.
    Fields3 { d: Dst, e: Dst, f: Dst, a: Slot } Next;
    /// The four fields of the constructor `a` go to `d`, `e`, `f` and `g`.
    Fields4 { d: Dst, e: Dst, f: Dst, g: Dst, a: Slot } Next;
    /// The fields of the constructor `a` go to the slots.
    FieldsN { a: Slot, slots: SlotsId } Next;

    /// Evaluates `a`.
    Eval { a: Forced } Next;
    /// Calls a global that takes one argument.
    Call1 { base: Base, global: GlobalId, a: Arg } Next;
    /// Calls a global that takes two arguments.
    Call2 { base: Base, global: GlobalId, a: Arg, b: Arg } Next;
    /// Calls a global that takes three arguments.
    Call3 { base: Base, global: GlobalId, a: Arg, b: Arg, c: Arg } Next;
    /// Calls a global.
    CallN { base: Base, global: GlobalId, args: ArgsId } Next;
    /// Applies whatever `f` evaluates to, to one argument.
    Apply1 { base: Base, f: Arg, a: Arg } Next;
    /// Applies whatever `f` evaluates to, to two arguments.
    Apply2 { base: Base, f: Arg, a: Arg, b: Arg } Next;
    /// Applies whatever `f` evaluates to, to three arguments.
    Apply3 { base: Base, f: Arg, a: Arg, b: Arg, c: Arg } Next;
    /// Applies whatever `f` evaluates to.
    ApplyN { base: Base, f: Arg, args: ArgsId } Next;
    /// Evaluates `a`, which need not have a slot; the value, or the exception if the program fails
    /// meanwhile, is found at `base`.
    Try { base: Base, a: Arg } Next;
    /// As `Try`, of a global applied to all its arguments.
    TryCall { base: Base, global: GlobalId, args: ArgsId } Next;
    /// Does an effect with the operands; `d` becomes its result.
    Effect { d: Dst, effect: Effect, args: ArgsId } Next;
    /// Hands the arguments to a function of the embedding program; `d` becomes its result.
    CallHost { d: Dst, host: HostId, args: ArgsId } Next;

    /// Returns `a`, which is evaluated.
    Return { a: Arg } End;
    /// Returns the value of `a`; what evaluates it takes the place of this frame.
    Enter { a: Arg } End;
    /// Returns a new constructor of two fields.
    ReturnCon2 { con: ConId, a: Arg, b: Arg } End;
    /// Goes on with a global that takes one argument, in place of this frame.
    Tail1 { global: GlobalId, a: Arg } End;
    /// Goes on with a global that takes two arguments, in place of this frame.
    Tail2 { global: GlobalId, a: Arg, b: Arg } End;
    /// Goes on with a global that takes three arguments, in place of this frame.
    Tail3 { global: GlobalId, a: Arg, b: Arg, c: Arg } End;
    /// Goes on with a global, in place of this frame.
    TailN { global: GlobalId, args: ArgsId } End;
    /// Goes on with whatever `f` evaluates to, applied to one argument, in place of this frame.
    TailApply1 { f: Arg, a: Arg } End;
    /// Goes on with whatever `f` evaluates to, applied to two arguments, in place of this frame.
    TailApply2 { f: Arg, a: Arg, b: Arg } End;
    /// Goes on with whatever `f` evaluates to, applied to three arguments, in place of this frame.
    TailApply3 { f: Arg, a: Arg, b: Arg, c: Arg } End;
    /// Goes on with whatever `f` evaluates to, applied to the arguments, in place of this frame.
    TailApplyN { f: Arg, args: ArgsId } End;
    /// Stops the program with the text `a` as its message; the text is fully evaluated.
    Raise { a: Slot } End;
    /// Stops the program: no alternative of a case matches `a`, which is no value if it is not known
    /// here.
    NoMatch { a: Arg } End;
    /// Ends an evaluation. It stands in the machine's own code alone.
    Halt { } End;
}

const _: () = assert!(size_of::<Instr>() <= 24, "code is walked instruction by instruction");

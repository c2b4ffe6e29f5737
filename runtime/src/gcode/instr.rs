//! The instruction set: one table.
//!
//! Each row is an instruction's name, its operands, and how many stack items it takes and
//! leaves; its doc comment is its transition rule. The enum, the listing, its parser, the
//! verifier and `docs/gcode.md` all come from these rows.
//!
//! The rules read `<code, stack, dump, heap>`, the top of the stack at the left, `h[a: N]`
//! for a heap in which `a` is the node `N`; an address that stands for a value may reach it
//! through indirections. The set is that of the G-machine tutorial (Johnsson 1984; Peyton
//! Jones and Lester, *Implementing Functional Languages*, chapter 3), with `PushFloat`,
//! `PushChar`, `PushText`, `FloorDiv`, `Mod`, `Ord`, `Chr`, `Unary`, `Binary`, `LitJump`, `Jump`, `NoMatch`, `Raise`,
//! `Try`, `Effect` and `CallHost` for what CoreF adds, and `Squeeze` (Peyton Jones, *The Implementation of
//! Functional Programming Languages*, 1987, chapter 20) for jumps with arguments.

use crate::base::float::Float;
use crate::primitive::Primitive;

use super::effect::Effect;
use super::id::{BigId, ConId, GlobalId, HostId, TextId};

/// A position in the code of a global: the number of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label(pub u32);

/// An integer literal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntLit {
    /// Of 64 bits.
    Small(i64),
    /// Larger.
    Big(BigId),
}

/// An integer or character literal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lit {
    /// An integer.
    Int(IntLit),
    /// A character.
    Char(char),
}

/// The targets of a jump by value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jumps<K> {
    /// Value and target, at least one, no value twice.
    pub branches: Vec<(K, Label)>,
    /// Where every other value goes; `None` if there is none.
    pub default: Option<Label>,
}

impl<K> Jumps<K> {
    /// Returns all targets.
    #[inline]
    pub fn targets(&self) -> impl Iterator<Item = Label> {
        self.branches.iter().map(|(_, label)| *label).chain(self.default)
    }

    /// Returns all targets, to be changed.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Label> {
        self.branches.iter_mut().map(|(_, label)| label).chain(&mut self.default)
    }
}

/// How control leaves an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// To the next one.
    Next,
    /// To one of its labels.
    Jump,
    /// Nowhere in this code.
    End,
}

/// Makes a kind-tagged operand type: [`Operand`] and [`OperandKind`] name the same kinds.
macro_rules! operands {
    ($($(#[$doc:meta])* $kind:ident($type:ty);)+) => {
        /// What an instruction has for operands; the listing's parser goes by this.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum OperandKind { $($(#[$doc])* $kind,)+ }

        /// An operand, as the listing shows it and its parser reads it.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum Operand { $($(#[$doc])* $kind($type),)+ }

        $(impl OperandType for $type {
            const KIND: OperandKind = OperandKind::$kind;
            fn wrap(&self) -> Operand { Operand::$kind(self.clone()) }
            fn unwrap(operand: Operand) -> Option<Self> {
                match operand { Operand::$kind(value) => Some(value), _ => None }
            }
        })+
    };
}

/// An operand type: into the common form and back.
trait OperandType: Sized {
    const KIND: OperandKind;
    fn wrap(&self) -> Operand;
    fn unwrap(operand: Operand) -> Option<Self>;
}

operands! {
    /// A count or a stack offset.
    Number(u32);
    /// A global.
    Global(GlobalId);
    /// An integer.
    Int(IntLit);
    /// A float.
    Float(Float);
    /// A character.
    Char(char);
    /// A primitive on numbers.
    Primitive(Primitive);
    /// An effect.
    Effect(Effect);
    /// A string.
    Text(TextId);
    /// A constructor.
    Con(ConId);
    /// A host function.
    Host(HostId);
    /// A label.
    Label(Label);
    /// Branches by constructor, and perhaps a default.
    ConJumps(Box<Jumps<ConId>>);
    /// Branches by literal, and perhaps a default.
    LitJumps(Box<Jumps<Lit>>);
}

/// Facts about the ids in operands that stack effects depend on.
pub trait Arities {
    /// Returns the number of fields of a constructor.
    fn con_arity(&self, con: ConId) -> u32;
    /// Returns the number of arguments of a host function.
    fn host_arity(&self, host: HostId) -> u32;
}

/// Makes the instruction set. A row: doc comment (summary, blank line, transition rule),
/// name, operands, `takes => leaves`, flow.
macro_rules! instructions {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident $(($($operand:ident: $type:ty),+))? [$ids:ident] $takes:expr => $leaves:expr, $flow:ident;
    )+) => {
        /// An instruction.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum Instr {
            $($(#[doc = $doc])+ $name $(($($type),+))?,)+
        }

        /// An instruction without operands.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Op {
            $(#[doc = concat!("`", stringify!($name), "`")] $name,)+
        }

        impl Op {
            /// All instructions, in the order of the table.
            pub const ALL: &[Op] = &[$(Op::$name),+];

            /// Returns its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Op::$name => stringify!($name),)+ }
            }

            /// Returns what it does and its transition rule, as lines of documentation.
            #[must_use]
            pub const fn doc(self) -> &'static [&'static str] {
                match self { $(Op::$name => &[$($doc),+],)+ }
            }

            /// Returns the names and kinds of its operands.
            #[must_use]
            pub const fn operands(self) -> &'static [(&'static str, OperandKind)] {
                match self {
                    $(Op::$name => &[$($((stringify!($operand), <$type as OperandType>::KIND)),+)?],)+
                }
            }

            /// Returns how control leaves it.
            #[must_use]
            pub const fn flow(self) -> Flow {
                match self { $(Op::$name => Flow::$flow,)+ }
            }

            /// Returns how many stack items it takes and leaves, as the table has it: an expression
            /// of its operands.
            #[must_use]
            pub const fn effect(self) -> (&'static str, &'static str) {
                match self { $(Op::$name => (stringify!($takes), stringify!($leaves)),)+ }
            }

            /// Returns the instruction with these operands, if they are of its kinds.
            #[must_use]
            #[allow(unused_mut, unused_variables, reason = "for instructions without operands")]
            pub fn with(self, operands: Vec<Operand>) -> Option<Instr> {
                let mut operands = operands.into_iter();
                let instr = match self {
                    $(Op::$name => Instr::$name $(($(<$type as OperandType>::unwrap(operands.next()?)?),+))?,)+
                };
                operands.next().is_none().then_some(instr)
            }
        }

        impl Instr {
            /// Returns which instruction it is.
            #[must_use]
            pub const fn op(&self) -> Op {
                match self { $(instructions!(@pattern $name $(($($operand),+))?) => Op::$name,)+ }
            }

            /// Returns its operands.
            #[must_use]
            pub fn operands(&self) -> Vec<Operand> {
                let mut operands = Vec::new();
                self.each_operand(|operand| operands.push(operand));
                operands
            }

            /// Calls a function with each of its operands.
            #[allow(unused_variables, unused_mut, reason = "for instructions without operands")]
            pub fn each_operand(&self, mut visit: impl FnMut(Operand)) {
                match self {
                    $(Instr::$name $(($($operand),+))? => { $($(visit($operand.wrap());)+)? })+
                }
            }

            /// Returns how many stack items it takes and how many it leaves in their place.
            #[must_use]
            #[allow(unused_variables, reason = "not every effect depends on the operands")]
            pub fn effect(&self, ids: &impl Arities) -> (u32, u32) {
                match self {
                    $(Instr::$name $(($($operand),+))? => { let $ids = ids; ($takes, $leaves) })+
                }
            }
        }
    };
    (@pattern $name:ident) => { Instr::$name };
    (@pattern $name:ident ($($operand:ident),+)) => { Instr::$name(..) };
}

instructions! {
    /// Depends on the node on top: an application puts its function on the stack, an indirection
    /// is replaced by its target, a function with enough arguments is entered with those
    /// arguments (not the applications) on the stack above the redex, and a value is returned
    /// to whoever asked for it.
    ///
    /// `<Unwind : [], a : s, d, h[a: NApp f x]>  =>  <Unwind : [], f : a : s, d, h>`
    /// `<Unwind : [], a : s, d, h[a: NInd b]>  =>  <Unwind : [], b : s, d, h>`
    /// `<Unwind : [], f : a1 : .. : an : s, d, h[f: NGlobal n c, ai: NApp _ xi]>  =>  <c, x1 : .. : xn : an : s, d, h>`
    /// `<Unwind : [], f : a1 : .. : ak : [], <i, s> : d, h[f: NGlobal n c]>, k < n  =>  <i, ak : s, d, h>`
    /// `<Unwind : [], a : [], <i, s> : d, h[a: value]>  =>  <i, a : s, d, h>`
    Unwind [_ids] 1 => 0, End;
    /// Pushes the node of a global.
    ///
    /// `<PushGlobal f : i, s, d, h>, f at a  =>  <i, a : s, d, h>`
    PushGlobal(global: GlobalId) [_ids] 0 => 1, Next;
    /// Pushes a new integer.
    ///
    /// `<PushInt n : i, s, d, h>  =>  <i, a : s, d, h[a: NNum n]>`
    PushInt(value: IntLit) [_ids] 0 => 1, Next;
    /// Pushes a new float.
    ///
    /// `<PushFloat x : i, s, d, h>  =>  <i, a : s, d, h[a: NFloat x]>`
    PushFloat(value: Float) [_ids] 0 => 1, Next;
    /// Pushes a new character.
    ///
    /// `<PushChar c : i, s, d, h>  =>  <i, a : s, d, h[a: NChar c]>`
    PushChar(value: char) [_ids] 0 => 1, Next;
    /// Pushes a new string: the suffix, from character 0, of a literal. It unpacks into cells
    /// one by one as it is evaluated.
    ///
    /// `<PushText t : i, s, d, h>  =>  <i, a : s, d, h[a: NText t 0]>`
    PushText(text: TextId) [_ids] 0 => 1, Next;
    /// Pushes the item that is `n` below the top.
    ///
    /// `<Push n : i, a0 : .. : an : s, d, h>  =>  <i, an : a0 : .. : an : s, d, h>`
    Push(n: u32) [_ids] n + 1 => n + 2, Next;
    /// Makes an application of the top to the item below it.
    ///
    /// `<MkApp : i, f : x : s, d, h>  =>  <i, a : s, d, h[a: NApp f x]>`
    MkApp [_ids] 2 => 1, Next;
    /// Drops `n` items below the top.
    ///
    /// `<Slide n : i, a0 : a1 : .. : an : s, d, h>  =>  <i, a0 : s, d, h>`
    Slide(n: u32) [_ids] n + 1 => 1, Next;
    /// Drops `m` items below the `n` on top.
    ///
    /// `<Squeeze n m : i, a1 : .. : an : b1 : .. : bm : s, d, h>  =>  <i, a1 : .. : an : s, d, h>`
    Squeeze(n: u32, m: u32) [_ids] n + m => *n, Next;
    /// Takes the top and makes the item `n` below the next an indirection to it. An item that
    /// would become an indirection to itself stays what it is, a hole or a redex under
    /// evaluation: whoever evaluates it meets a value that depends on itself.
    ///
    /// `<Update n : i, a : a0 : .. : an : s, d, h>  =>  <i, a0 : .. : an : s, d, h[an: NInd a]>`
    /// `<Update n : i, a : a0 : .. : an : s, d, h>, a reaches an by indirections  =>  <i, a0 : .. : an : s, d, h>`
    Update(n: u32) [_ids] n + 2 => n + 1, Next;
    /// Drops `n` items.
    ///
    /// `<Pop n : i, a1 : .. : an : s, d, h>  =>  <i, s, d, h>`
    Pop(n: u32) [_ids] *n => 0, Next;
    /// Pushes `n` new nodes that `Update` will fill: the names of a `letrec`.
    ///
    /// `<Alloc n : i, s, d, h>  =>  <i, a1 : .. : an : s, d, h[ai: NHole]>`
    Alloc(n: u32) [_ids] 0 => *n, Next;
    /// Evaluates the top to weak head normal form.
    ///
    /// `<Eval : i, a : s, d, h>  =>  <Unwind : [], a : [], <i, s> : d, h>`
    Eval [_ids] 1 => 1, Next;
    /// Adds two integers. The first operand is on top, here and in all that follow.
    ///
    /// `<Add : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x + y)]>`
    Add [_ids] 2 => 1, Next;
    /// Subtracts the second from the first.
    ///
    /// `<Sub : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x - y)]>`
    Sub [_ids] 2 => 1, Next;
    /// Multiplies two integers.
    ///
    /// `<Mul : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x * y)]>`
    Mul [_ids] 2 => 1, Next;
    /// Divides the first by the second, rounding toward zero. A divisor of 0 is an error.
    ///
    /// `<Div : i, a : b : s, d, h[a: NNum x, b: NNum y]>, y /= 0  =>  <i, c : s, d, h[c: NNum (trunc (x / y))]>`
    Div [_ids] 2 => 1, Next;
    /// The remainder of `Div`: it has the sign of the first. A divisor of 0 is an error.
    ///
    /// `<Rem : i, a : b : s, d, h[a: NNum x, b: NNum y]>, y /= 0  =>  <i, c : s, d, h[c: NNum (x - y * trunc (x / y))]>`
    Rem [_ids] 2 => 1, Next;
    /// Divides the first by the second, rounding toward minus infinity. A divisor of 0 is an
    /// error.
    ///
    /// `<FloorDiv : i, a : b : s, d, h[a: NNum x, b: NNum y]>, y /= 0  =>  <i, c : s, d, h[c: NNum (floor (x / y))]>`
    FloorDiv [_ids] 2 => 1, Next;
    /// The remainder of `FloorDiv`: it has the sign of the second. A divisor of 0 is an error.
    ///
    /// `<Mod : i, a : b : s, d, h[a: NNum x, b: NNum y]>, y /= 0  =>  <i, c : s, d, h[c: NNum (x - y * floor (x / y))]>`
    Mod [_ids] 2 => 1, Next;
    /// Negates an integer.
    ///
    /// `<Neg : i, a : s, d, h[a: NNum x]>  =>  <i, b : s, d, h[b: NNum (-x)]>`
    Neg [_ids] 1 => 1, Next;
    /// 1 if two integers or two characters are equal, else 0.
    ///
    /// `<Eq : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x = y)]>`
    Eq [_ids] 2 => 1, Next;
    /// 1 if two integers or two characters differ, else 0.
    ///
    /// `<Ne : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x /= y)]>`
    Ne [_ids] 2 => 1, Next;
    /// 1 if the first of two integers or two characters is less, else 0.
    ///
    /// `<Lt : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x < y)]>`
    Lt [_ids] 2 => 1, Next;
    /// 1 if the first of two integers or two characters is less or equal, else 0.
    ///
    /// `<Le : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x <= y)]>`
    Le [_ids] 2 => 1, Next;
    /// 1 if the first of two integers or two characters is greater, else 0.
    ///
    /// `<Gt : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x > y)]>`
    Gt [_ids] 2 => 1, Next;
    /// 1 if the first of two integers or two characters is greater or equal, else 0.
    ///
    /// `<Ge : i, a : b : s, d, h[a: NNum x, b: NNum y]>  =>  <i, c : s, d, h[c: NNum (x >= y)]>`
    Ge [_ids] 2 => 1, Next;
    /// The code point of a character.
    ///
    /// `<Ord : i, a : s, d, h[a: NChar c]>  =>  <i, b : s, d, h[b: NNum (ord c)]>`
    Ord [_ids] 1 => 1, Next;
    /// The character of a code point. A number that is none is an error.
    ///
    /// `<Chr : i, a : s, d, h[a: NNum n]>, n a code point  =>  <i, b : s, d, h[b: NChar (chr n)]>`
    Chr [_ids] 1 => 1, Next;
    /// Computes a primitive of one operand that has no instruction of its own.
    ///
    /// `<Unary p : i, a : s, d, h[a: number x]>  =>  <i, b : s, d, h[b: number (p x)]>`
    Unary(primitive: Primitive) [_ids] 1 => 1, Next;
    /// Computes a primitive of two operands that has no instruction of its own.
    ///
    /// `<Binary p : i, a : b : s, d, h[a: number x, b: number y]>  =>  <i, c : s, d, h[c: number (p x y)]>`
    Binary(primitive: Primitive) [_ids] 2 => 1, Next;
    /// Goes on at `yes` if the top is 1, at `no` if it is 0. Anything else is an error.
    ///
    /// `<Cond yes no : i, a : s, d, h[a: NNum 1]>  =>  <code at yes, s, d, h>`
    /// `<Cond yes no : i, a : s, d, h[a: NNum 0]>  =>  <code at no, s, d, h>`
    Cond(yes: Label, no: Label) [_ids] 1 => 0, Jump;
    /// Makes a constructor of the items on top, the first field topmost.
    ///
    /// `<Pack t n : i, a1 : .. : an : s, d, h>  =>  <i, a : s, d, h[a: NConstr t [a1 .. an]]>`
    Pack(con: ConId) [ids] ids.con_arity(*con) => 1, Next;
    /// Goes on at the branch of the constructor on top, which stays there for `Split`; at the
    /// default, if no branch is its. A value of another data type is an error.
    ///
    /// `<CaseJump [.. t -> l ..] : i, a : s, d, h[a: NConstr t as]>  =>  <code at l, a : s, d, h>`
    CaseJump(branches: Box<Jumps<ConId>>) [_ids] 1 => 1, Jump;
    /// Goes on at the branch of the integer or character on top, and drops it; at the default,
    /// if no branch is its. A value of another kind is an error.
    ///
    /// `<LitJump [.. k -> l ..] : i, a : s, d, h[a: NNum k]>  =>  <code at l, s, d, h>`
    LitJump(branches: Box<Jumps<Lit>>) [_ids] 1 => 0, Jump;
    /// Replaces a constructor of `n` fields by its fields, the first topmost.
    ///
    /// `<Split n : i, a : s, d, h[a: NConstr t [a1 .. an]]>  =>  <i, a1 : .. : an : s, d, h>`
    Split(n: u32) [_ids] 1 => *n, Next;
    /// Goes on at a label further down.
    ///
    /// `<Jump l : i, s, d, h>  =>  <code at l, s, d, h>`
    Jump(to: Label) [_ids] 0 => 0, Jump;
    /// Stops the program: no alternative of a case matches.
    ///
    /// `<NoMatch : i, s, d, h>  =>  error`
    NoMatch [_ids] 0 => 0, End;
    /// Stops the program with the text on top as its message; the text is fully evaluated.
    ///
    /// `<Raise : i, a : s, d, h>  =>  error`
    Raise [_ids] 1 => 0, End;
    /// Evaluates the top to weak head normal form. If the program fails meanwhile, its exception
    /// is the value instead, a constructor of the data type of actions; and each redex that was
    /// under evaluation fails again with that exception when it is evaluated.
    ///
    /// `<Try : i, a : s, d, h>  =>  <Unwind : [], a : [], <i, s> : d, h>`
    /// `<fails with e, s', .. : <i, a : s> : d, h>  =>  <i, b : s, d, h[b: exception e, redexes: NApp again b]>`
    Try [_ids] 1 => 1, Next;
    /// Does an effect with the operands on top, the first topmost, and pushes its result. The code
    /// of the performer has this instruction, and what the optimiser makes of code that has actions
    /// performed.
    ///
    /// `<Effect e : i, a1 : .. : an : s, d, h, w>  =>  <i, a : s, d, h[a: result of e], w changed by e>`
    Effect(effect: Effect) [_ids] effect.arity() => 1, Next;
    /// Hands the arguments on top, the first topmost, to a function of the embedding program
    /// and pushes its result.
    ///
    /// `<CallHost f : i, a1 : .. : an : s, d, h>  =>  <i, a : s, d, h[a: f a1 .. an]>`
    CallHost(host: HostId) [ids] ids.host_arity(*host) => 1, Next;
    /// Prints the value on top. Of a constructor it prints what goes before the fields, pushes
    /// those and goes on with `Eval, Print` for each.
    ///
    /// `<Print : i, a : s, d, h[a: NNum n], o>  =>  <i, s, d, h, o n>`
    /// `<Print : i, a : s, d, h[a: NConstr t [a1 .. an]], o>  =>  <Eval : Print : .. : i, a1 : .. : an : s, d, h, o>`
    Print [_ids] 1 => 0, Next;
}

/// Makes the two directions between primitives and the instructions that compute them.
macro_rules! computations {
    ($($name:ident => $primitive:ident;)+) => {
        impl Instr {
            /// Returns the instruction that computes a primitive; `None` if it takes more than one.
            #[must_use]
            pub fn computing(primitive: Primitive) -> Option<Instr> {
                match primitive {
                    $(Primitive::$primitive => Some(Instr::$name),)+
                    _ if !primitive.computes() => None,
                    _ if primitive.arity() == 1 => Some(Instr::Unary(primitive)),
                    _ => Some(Instr::Binary(primitive)),
                }
            }

            /// Returns the primitive that it computes, if it computes one.
            #[must_use]
            pub fn computes(&self) -> Option<Primitive> {
                match *self {
                    $(Instr::$name => Some(Primitive::$primitive),)+
                    Instr::Unary(primitive) | Instr::Binary(primitive) => Some(primitive),
                    _ => None,
                }
            }
        }
    };
}

computations! {
    Add => Add;
    Sub => Sub;
    Mul => Mul;
    Div => Div;
    Rem => Rem;
    FloorDiv => FloorDiv;
    Mod => Mod;
    Neg => Negate;
    Eq => Eq;
    Ne => Neq;
    Lt => Lt;
    Le => Le;
    Gt => Gt;
    Ge => Ge;
    Ord => Ord;
    Chr => Chr;
}

impl Instr {
    /// Returns the labels it may jump to.
    #[inline]
    pub fn labels(&self) -> impl Iterator<Item = Label> {
        let (mut written, mut by_con, mut by_literal) = ([None, None], None, None);
        match self {
            Instr::Cond(yes, no) => written = [Some(*yes), Some(*no)],
            Instr::Jump(to) => written[0] = Some(*to),
            Instr::CaseJump(jumps) => by_con = Some(jumps),
            Instr::LitJump(jumps) => by_literal = Some(jumps),
            _ => {}
        }
        let written = written.into_iter().flatten();
        let by_con = by_con.into_iter().flat_map(|jumps| jumps.targets());
        written.chain(by_con).chain(by_literal.into_iter().flat_map(|jumps| jumps.targets()))
    }

    /// Returns the labels it may jump to, to be changed.
    #[must_use]
    pub fn labels_mut(&mut self) -> Vec<&mut Label> {
        match self {
            Instr::Cond(yes, no) => vec![yes, no],
            Instr::Jump(to) => vec![to],
            Instr::CaseJump(jumps) => jumps.targets_mut().collect(),
            Instr::LitJump(jumps) => jumps.targets_mut().collect(),
            _ => Vec::new(),
        }
    }
}

const _: () = assert!(size_of::<Instr>() <= 24, "code is walked instruction by instruction");

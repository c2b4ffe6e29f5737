//! A program in compact code.

use super::instr::{Arg, Instr, Pc};
use crate::base::index::IndexVec;
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::define_index;
use crate::gcode::Verified;
use crate::gcode::program::{self as gcode, ConId, GlobalId};
use crate::machine::heap::word::Word;
use crate::primitive::Primitive;

define_index! {
    /// The code of a kind of thunk.
    pub ThunkId;
    /// A constant.
    pub ConstId;
    /// Operands that are read.
    pub ArgsId;
    /// Slots that are written.
    pub SlotsId;
    /// Branches by constructor.
    pub CaseId;
    /// Branches by literal.
    pub LitCaseId;
    /// Which slots are alive.
    pub StackMapId;
}

/// Where the code of a function or of a thunk begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its first instruction.
    pub pc: Pc,
    /// The most slots that its frame takes, arguments of calls and their returns included.
    pub frame: u32,
    /// How many slots are filled on entry: arguments of a function, captured variables of a
    /// thunk.
    pub takes: u32,
}

/// The code of a kind of thunk. Entered with its captured variables in slots 0, 1, ...
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thunk {
    /// Its code; that of a function for the call of a function with all its arguments.
    pub entry: Entry,
    /// The source expression that it stands for.
    pub span: Span,
    /// The global in whose code it is built.
    pub owner: GlobalId,
    /// The constructor and field, if it selects a field of its only captured variable and
    /// does nothing else (Wadler, *Fixing some space leaks with a garbage collector*, 1987).
    pub selects: Box<[(ConId, u32)]>,
}

/// Branches by constructor: `targets[con - first]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The first constructor of the data type.
    pub first: ConId,
    /// A target for each constructor of the data type.
    pub targets: Box<[Pc]>,
}

/// Branches by literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LitCase {
    /// Whether they are on characters, not integers.
    pub chars: bool,
    /// Immediate words and their targets, in the order of the bits.
    pub words: Box<[(Word, Pc)]>,
    /// Integers that take a node of their own, ascending, and their targets.
    pub bigs: Box<[(gcode::BigId, Pc)]>,
    /// Where every other value goes.
    pub default: Pc,
    /// For each value from the least of the words on, by how much it is greater, the number of its
    /// word, counted from 1, or 0; empty if there are few words, or they are far apart.
    numbers: Box<[u16]>,
}

/// The most words that are gone along one by one.
const FEW: usize = 3;
/// The most values for which there is a number, for each word.
const SPREAD: u64 = 8;

impl LitCase {
    /// Returns the branches for words in the order of their bits, and for large integers, ascending.
    #[must_use]
    pub fn new(
        chars: bool,
        words: Box<[(Word, Pc)]>,
        bigs: Box<[(gcode::BigId, Pc)]>,
        default: Pc,
    ) -> LitCase {
        let mut case = LitCase { chars, words, bigs, default, numbers: Box::default() };
        let (Some(first), Some(last)) = (case.words.first(), case.words.last()) else {
            return case;
        };
        let count = case.words.len();
        let span = case.value(last.0).wrapping_sub(case.value(first.0));
        if count > FEW && count < usize::from(u16::MAX) && span < SPREAD * count as u64 {
            let mut numbers = vec![0; span as usize + 1];
            for (number, &(word, _)) in (1..).zip(&case.words) {
                numbers[case.value(word).wrapping_sub(case.value(first.0)) as usize] = number;
            }
            case.numbers = numbers.into();
        }
        case
    }

    /// Returns the integer or the code point that a word is.
    #[inline(always)]
    fn value(&self, word: Word) -> u64 {
        word.bits() >> if self.chars { 32 } else { 1 }
    }

    /// Returns where a word goes that is immediate, and a character or an integer as the branches
    /// are.
    #[inline]
    #[must_use]
    pub fn target(&self, word: Word) -> Pc {
        if let (false, Some(&(first, _))) = (self.numbers.is_empty(), self.words.first()) {
            let at = self.value(word).wrapping_sub(self.value(first));
            let number = self.numbers.get(at as usize).copied().unwrap_or(0);
            let branch = self.words.get(usize::from(number).wrapping_sub(1));
            return branch.map_or(self.default, |(_, to)| *to);
        }
        // Going along a few is shorter than searching by halves.
        if self.words.len() <= 8 {
            let found = self.words.iter().find(|(own, _)| own.bits() == word.bits());
            return found.map_or(self.default, |(_, to)| *to);
        }
        let found = self.words.binary_search_by_key(&word.bits(), |(word, _)| word.bits());
        let branch = found.ok().and_then(|at| self.words.get(at));
        branch.map_or(self.default, |(_, to)| *to)
    }
}

/// A stack map: which slots of a frame code may still read, so that the collector keeps what they
/// hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct StackMap {
    /// The slots, in order.
    pub slots: Box<[u32]>,
}

impl StackMap {
    /// Returns the first slot above all of them: where the frame of an evaluation begins.
    #[must_use]
    pub fn top(&self) -> u32 {
        self.slots.last().map_or(0, |last| last + 1)
    }
}

/// What a piece of the code belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The body of a global.
    Global(GlobalId),
    /// The code of a thunk.
    Thunk(ThunkId),
    /// Code that the machine begins with or waits in: of no program.
    Machine,
}

/// What an instruction comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// The source expression.
    pub span: Span,
    /// What that has, where an instruction has its operands commuted: for messages.
    pub commuted: Option<Commuted>,
}

impl Origin {
    /// The origin of code that stands for no expression.
    pub const NONE: Origin = Origin { span: Span::NONE, commuted: None };
}

impl From<Span> for Origin {
    fn from(span: Span) -> Origin {
        Origin { span, commuted: None }
    }
}

/// The operation of the source that an instruction with a constant computes with its operands
/// commuted, or another way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Commuted {
    /// The operation.
    pub primitive: Primitive,
    /// Whether the constant stands in front of the other operand.
    pub constant_first: bool,
}

/// A program in compact code. It grows at its end; everything is indexed by what stands in the
/// code.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it is made from: names, constructors, texts, large integers.
    pub gcode: Verified,
    /// All code, function after function.
    pub code: Vec<Instr>,
    /// For each instruction what it comes from.
    pub origins: Vec<Origin>,
    /// For each instruction the stack map before it.
    pub stack_map_of: Vec<StackMapId>,
    /// Stack maps, none twice in what is translated at once.
    pub stack_maps: IndexVec<StackMapId, StackMap>,
    /// Where pieces of code begin, in order, and what they belong to.
    pub owners: Vec<(Pc, Owner)>,
    /// For each global its code; that of a CAF takes nothing.
    pub globals: IndexVec<GlobalId, Entry>,
    /// All kinds of thunks.
    pub thunks: IndexVec<ThunkId, Thunk>,
    /// The constants: immediate words, none twice in what is translated at once.
    pub consts: IndexVec<ConstId, Word>,
    /// The large integers: those of `gcode`, then those that fit 64 bits and no word; then the
    /// same of each addition.
    pub bigs: IndexVec<gcode::BigId, Integer>,
    /// Lists of operands.
    pub args: IndexVec<ArgsId, Box<[Arg]>>,
    /// Lists of slots; `None` for a field that nothing uses.
    pub slots: IndexVec<SlotsId, Box<[Option<u32>]>>,
    /// Branches by constructor.
    pub cases: IndexVec<CaseId, Case>,
    /// Branches by literal.
    pub lit_cases: IndexVec<LitCaseId, LitCase>,
}

/// The numbers of entries in the tables of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::machine::fast) struct Sizes {
    pub code: usize,
    pub owners: usize,
    pub thunks: usize,
    pub bigs: usize,
    pub globals: usize,
    stack_maps: usize,
    pub consts: usize,
    args: usize,
    slots: usize,
    cases: usize,
    lit_cases: usize,
}

impl Program {
    /// Returns a program without code.
    pub(in crate::machine::fast) fn without_code(gcode: Verified) -> Program {
        Program {
            gcode,
            code: Vec::new(),
            origins: Vec::new(),
            stack_map_of: Vec::new(),
            stack_maps: IndexVec::new(),
            owners: Vec::new(),
            globals: IndexVec::new(),
            thunks: IndexVec::new(),
            consts: IndexVec::new(),
            bigs: IndexVec::new(),
            args: IndexVec::new(),
            slots: IndexVec::new(),
            cases: IndexVec::new(),
            lit_cases: IndexVec::new(),
        }
    }

    /// Returns the sizes of its tables.
    pub(in crate::machine::fast) fn sizes(&self) -> Sizes {
        Sizes {
            code: self.code.len(),
            owners: self.owners.len(),
            thunks: self.thunks.len(),
            bigs: self.bigs.len(),
            globals: self.globals.len(),
            stack_maps: self.stack_maps.len(),
            consts: self.consts.len(),
            args: self.args.len(),
            slots: self.slots.len(),
            cases: self.cases.len(),
            lit_cases: self.lit_cases.len(),
        }
    }

    /// Drops what its tables have beyond these sizes; of its G-code nothing.
    pub(in crate::machine::fast) fn truncate(&mut self, sizes: Sizes) {
        self.code.truncate(sizes.code);
        self.origins.truncate(sizes.code);
        self.stack_map_of.truncate(sizes.code);
        self.owners.truncate(sizes.owners);
        self.thunks.truncate(sizes.thunks);
        self.bigs.truncate(sizes.bigs);
        self.globals.truncate(sizes.globals);
        self.stack_maps.truncate(sizes.stack_maps);
        self.consts.truncate(sizes.consts);
        self.args.truncate(sizes.args);
        self.slots.truncate(sizes.slots);
        self.cases.truncate(sizes.cases);
        self.lit_cases.truncate(sizes.lit_cases);
    }
}

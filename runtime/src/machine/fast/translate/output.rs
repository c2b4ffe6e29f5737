//! The program in the making: its pools.

use rustc_hash::FxHashMap;

use super::super::code::instr::{Arg, Pc};
use super::super::code::program::{
    ArgsId, ConstId, Entry, Program, Sizes, SlotsId, StackMap, StackMapId, Thunk, ThunkId,
};
use crate::base::index::Idx;
use crate::base::integer::Integer;
use crate::gcode::instr::IntLit;
use crate::gcode::program::{BigId, GlobalId};
use crate::machine::heap::word::Word;

/// An entry that is still to be made.
pub(super) const NO_ENTRY: Entry = Entry { pc: Pc(0), frame: 0, takes: 0 };

/// An integer in a program.
#[derive(Clone, Copy)]
pub(super) enum Int {
    /// It fits a word.
    Word(Word),
    /// It takes a node.
    Big(BigId),
}

/// The program in the making.
pub(super) struct Output {
    pub program: Program,
    /// The sizes that it began with.
    pub from: Sizes,
    /// The number in G-code of the large integer that came first after those.
    first_big: usize,
    consts: FxHashMap<u64, ConstId>,
    /// Integers of 64 bits that do not fit a word.
    bigs: FxHashMap<i64, BigId>,
    /// Stack maps of the first 64 slots, as bits, and others.
    small: FxHashMap<u64, StackMapId>,
    large: FxHashMap<Box<[u64]>, StackMapId>,
    /// Thunks that are calls of a function: they share its code.
    pub calls: Vec<(ThunkId, GlobalId)>,
}

impl Output {
    /// Begins the code for the globals that `program` has none for yet, which mention no large
    /// integer of its G-code before `first_big`.
    pub fn onto(mut program: Program, first_big: usize) -> Output {
        let from = program.sizes();
        let Program { gcode, bigs, .. } = &mut program;
        bigs.extend(gcode.bigs.since(first_big).iter().cloned());
        let (consts, bigs, small, large) = Default::default();
        Output { program, from, first_big, consts, bigs, small, large, calls: Vec::new() }
    }

    pub fn constant(&mut self, word: Word) -> Arg {
        let consts = &mut self.program.consts;
        Arg::constant(*self.consts.entry(word.bits()).or_insert_with(|| consts.push(word)))
    }

    pub fn args(&mut self, args: impl IntoIterator<Item = Arg>) -> ArgsId {
        self.program.args.push(args.into_iter().collect())
    }

    pub fn slots(&mut self, slots: impl IntoIterator<Item = u32>) -> SlotsId {
        self.program.slots.push(slots.into_iter().map(Some).collect())
    }

    pub fn thunk(&mut self, thunk: Thunk) -> ThunkId {
        self.program.thunks.push(thunk)
    }

    /// Returns an integer literal, as words and nodes hold it.
    pub fn int(&mut self, int: IntLit) -> Int {
        let small = match int {
            IntLit::Big(big) => {
                return Int::Big(BigId::new(big.index() - self.first_big + self.from.bigs));
            }
            IntLit::Small(small) => small,
        };
        if let Some(word) = Word::int(small) {
            return Int::Word(word);
        }
        let bigs = &mut self.program.bigs;
        Int::Big(*self.bigs.entry(small).or_insert_with(|| bigs.push(Integer::Small(small))))
    }

    /// Returns the set of the slots whose bits are set; the last word has one.
    pub fn stack_map(&mut self, bits: &[u64]) -> StackMapId {
        let maps = &mut self.program.stack_maps;
        match bits {
            [] => *self.small.entry(0).or_insert_with(|| maps.push(StackMap::default())),
            [bits] => *self.small.entry(*bits).or_insert_with(|| maps.push(set(&[*bits]))),
            _ => match self.large.get(bits) {
                Some(id) => *id,
                None => {
                    let id = maps.push(set(bits));
                    self.large.insert(bits.into(), id);
                    id
                }
            },
        }
    }
}

fn set(bits: &[u64]) -> StackMap {
    let mut slots = Vec::new();
    for (at, &word) in bits.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            slots.push(at as u32 * 64 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
    StackMap { slots: slots.into() }
}

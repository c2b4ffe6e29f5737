//! G-code to compact code.
//!
//! The code of each global is run on symbols (`walk`, `control`): an abstract stack holds
//! variables, constants, and expressions that are not built before something needs them as
//! nodes (`value`). What is consumed where it is made is never built: an application that is
//! evaluated is a call, one that is passed on is a thunk with code of its own (`build`). What
//! comes out are blocks of instructions on variables (`unit`), which are put in order
//! (`order`), relieved of what nothing uses (`live`), and given slots (`slots`).
//!
//! Everything is linear in the code, but for logarithms, with two bounds that see to it: an
//! expression of more than `EMBEDDED` parts becomes a node of its own instead of a part of a
//! larger thunk, and a function in which too many variables are alive at too many places gets
//! coarse live sets (`live`).

mod bits;
mod build;
mod cheap;
mod control;
mod emit;
mod ends;
mod known;
mod live;
mod order;
mod output;
pub(super) mod parallel;
mod stack;
mod tidy;
mod unit;
mod value;
mod walk;

use std::fmt;

use rustc_hash::FxHashMap;

use super::code::program::{Entry, Owner, Program};
use super::image::STRIDE;
use super::stack::MAX_FRAME;
use crate::base::span::Span;
use crate::gcode::Verified;
use crate::gcode::program::{self as gcode, GlobalId};
use crate::machine::heap::Size;
pub(super) use known::Globals;
use output::Output;
use stack::{Stack, Stacks};
use unit::Unit;
use value::{Lazy, ValueId, Values};

/// The most parts of an expression that becomes a part of another one.
const EMBEDDED: u32 = 64;

/// What compact code can number. A program that takes more is refused ([`TooLarge`]).
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Slots of a frame, and arguments of an application: control words have 24 bits for them.
    pub frame: u32,
    /// Fields of a node: its header has 24 bits for them.
    pub fields: u32,
    /// Instructions of a program: positions are offsets in bytes, of 32 bits.
    pub instructions: u32,
    /// Variables, instructions, branches and everything else of one function: so the numbers
    /// of all its parts, and sums of some of them, fit 32 bits.
    pub function: u32,
    /// Values that branches bring to where they meet, for each instruction of a function: code
    /// is to be linear in the program's text.
    pub moves: u64,
}

impl Limits {
    /// What the machine can hold.
    pub const MACHINE: Limits = Limits {
        frame: MAX_FRAME - 1,
        fields: Size::MAX as u32,
        instructions: u32::MAX / STRIDE - BOOT,
        function: 1 << 28,
        moves: 1 << 10,
    };
}

/// The most instructions that an image appends to a program's.
const BOOT: u32 = 16;

const _: () = assert!(
    Limits::MACHINE.frame as usize <= Size::MAX,
    "a partial application \
    has fewer fields than its function has slots"
);
const _: () = assert!(Limits::MACHINE.function < 1 << 30, "an operand has a bit for constants");

/// A program has more of something than compact code can number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// What there is too much of.
    pub what: &'static str,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the program is too large: {}", self.what)
    }
}

impl std::error::Error for TooLarge {}

/// Translates a program within the limits of the machine.
///
/// # Errors
/// As [`translate_within`].
pub fn translate(program: Verified) -> Result<Program, TooLarge> {
    translate_within(program, Limits::MACHINE)
}

/// Translates a program.
///
/// # Errors
///
/// If the program has more of something than the limits allow.
pub fn translate_within(gcode: Verified, limits: Limits) -> Result<Program, TooLarge> {
    let (program, known) = (Program::without_code(gcode), Globals::default());
    let (program, _, result) = translate_onto(program, known, gcode::Sizes::default(), limits);
    result.map(|()| program)
}

/// Translates the globals of a program that it has no code for yet, of which `known` need not
/// know: what its G-code has had since its tables had the sizes `first`. Takes time in proportion
/// to that.
///
/// The result is an error if the program would have more of something than the limits allow. What
/// the tables have beyond what they had is not to be used then.
pub(super) fn translate_onto(
    program: Program,
    mut known: Globals,
    first: gcode::Sizes,
    limits: Limits,
) -> (Program, Globals, Result<(), TooLarge>) {
    let gcode = program.gcode.clone();
    let mut cons = gcode.cons.since(first.cons).iter();
    if cons.any(|con| con.arity > limits.fields) {
        return (program, known, Err(too_large(FIELDS)));
    }
    known.learn(&gcode);
    let mut translator = Translator {
        gcode: &gcode,
        limits,
        moved: 0,
        globals: known,
        out: Output::onto(program, first.bigs),
        global: GlobalId(0),
        values: Values::default(),
        stacks: Stacks::new(),
        stack: Stacks::EMPTY,
        updated: None,
        unit: Unit::default(),
        lazies: Vec::new(),
        in_thunk: false,
        locals: Vec::new(),
        seen: Vec::new(),
        stamp: 0,
        incoming: Vec::new(),
        preceding: Vec::new(),
        holes: FxHashMap::default(),
        carried: FxHashMap::default(),
        tested: FxHashMap::default(),
        scratch: emit::Scratch::default(),
    };
    let result = translator.rest();
    (translator.out.program, translator.globals, result)
}

fn too_large(what: &'static str) -> TooLarge {
    TooLarge { what }
}

/// The reasons for which a program is refused: what is too large.
const FRAME: &str = "a function has more variables than a frame has slots";
const ARGUMENTS: &str = "an application has more arguments than a frame has slots";
const FIELDS: &str = "a node has more fields than its header can say";
const INSTRUCTIONS: &str = "it has more instructions than an offset can reach";
const FUNCTION: &str = "a function has too many parts";
const MOVES: &str = "branches of a function bring too many values to where they meet";

/// The state of a translation.
struct Translator<'a> {
    gcode: &'a gcode::Program,
    limits: Limits,
    /// Values that the branches of this function have brought to where they meet.
    moved: u64,
    globals: Globals,
    out: Output,
    /// The global whose code is translated.
    global: GlobalId,
    values: Values,
    stacks: Stacks,
    /// The abstract stack; its lowest item, the redex, is never looked at.
    stack: Stack,
    /// What the redex has been updated with.
    updated: Option<ValueId>,
    unit: Unit,
    /// The thunks of this global whose code is still to be made.
    lazies: Vec<Lazy>,
    /// Whether `unit` is a thunk, not the global's own code.
    in_thunk: bool,
    /// In a thunk: for each variable of the global's own code the captured one.
    locals: Vec<u32>,
    /// For each variable of the global's own code the last search that has met it.
    seen: Vec<u32>,
    stamp: u32,
    /// For each instruction of G-code the last edge to it, and how many edges lead to it.
    incoming: Vec<u32>,
    preceding: Vec<u32>,
    /// For each name of a `letrec` that waits for its value the instruction that makes it.
    holes: FxHashMap<u32, usize>,
    /// For an edge that is the only one to where it leads: what is still to be built there.
    carried: FxHashMap<u32, Vec<ValueId>>,
    /// For the beginning of a branch that one edge leads to: by which value it is chosen, in the
    /// case at this place.
    tested: FxHashMap<u32, (ValueId, Span)>,
    scratch: emit::Scratch,
}

impl Translator<'_> {
    /// Translates the globals that have no code yet.
    fn rest(&mut self) -> Result<(), TooLarge> {
        for global in self.gcode.globals.indices_from(self.out.from.globals) {
            self.global(global)?;
        }
        self.finish();
        Ok(())
    }

    /// Translates the code of a global, and of the thunks in it.
    fn global(&mut self, id: GlobalId) -> Result<(), TooLarge> {
        self.global = id;
        let entry = self.with_thunks(id)?;
        self.out.program.globals.push(entry);
        Ok(())
    }

    fn with_thunks(&mut self, id: GlobalId) -> Result<Entry, TooLarge> {
        self.in_thunk = false;
        self.body(id)?;
        let entry = self.emit(Owner::Global(id))?;
        self.in_thunk = true;
        let names = self.unit.vars() as usize;
        if self.locals.len() < names {
            self.locals.resize(names, 0);
        }
        while let Some(lazy) = self.lazies.pop() {
            self.thunk(&lazy)?;
            let entry = self.emit(Owner::Thunk(lazy.thunk))?;
            self.out.program.thunks[lazy.thunk].entry = entry;
        }
        Ok(entry)
    }

    /// Translates the code of a thunk, which evaluates an expression of captured variables.
    fn thunk(&mut self, lazy: &Lazy) -> Result<(), TooLarge> {
        self.unit.begin(lazy.captured.len() as u32);
        for (slot, &(name, evaluated)) in (0..).zip(&lazy.captured) {
            self.locals[name as usize] = slot;
            if evaluated {
                self.unit.evaluated(slot);
            }
        }
        let span = self.out.program.thunks[lazy.thunk].span;
        let root = self.values.add(lazy.root);
        self.finish_with(root, span)
    }

    /// Finishes the thunks that have been made.
    fn finish(&mut self) {
        for (thunk, global) in std::mem::take(&mut self.out.calls) {
            self.out.program.thunks[thunk].entry = self.out.program.globals[global];
        }
        cheap::mark(&mut self.out.program, self.out.from);
    }
}

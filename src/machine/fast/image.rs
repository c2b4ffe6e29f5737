//! A program made ready to run: its compact code, the machine's own code behind it, and what
//! the collector asks of code.

use std::sync::Arc;

use super::code::instr::{Arg, Instr, Operand, Pc};
use super::code::program::{Commuted, Entry, Origin, Owner, Program, StackMap, Thunk, ThunkId};
use super::code::verify::verify_pieces;
use super::translate::{TooLarge, translate};
use crate::base::index::IndexVec;
use crate::base::span::Span;
use crate::gcode::Verified;
use crate::gcode::program::{Global, GlobalId, GlobalKind};
use crate::machine::heap::word::{View, Word};

/// An entry of the static reference table: what code refers to, of what the collector follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SrtEntry {
    /// A CAF.
    Caf(GlobalId),
    /// The code of a function.
    Function(GlobalId),
    /// The code of a thunk.
    Thunk(ThunkId),
}

/// Slots times instructions of the largest piece of code that is verified when an image is made:
/// that is what verifying it takes. Larger ones stand in tests, which verify them.
const VERIFIED: usize = 1 << 26;

/// Bytes of an instruction: positions in code are kept as offsets in bytes.
pub(super) const STRIDE: u32 = size_of::<Instr>() as u32;

/// A program that machines can run: immutable, shared between them.
#[derive(Debug)]
pub struct Image {
    pub(super) program: Program,
    /// For each instruction the first slot above those that are alive.
    pub(super) tops: Vec<u32>,
    /// For each global without parameters the thunk that it begins as.
    pub(super) cafs: IndexVec<GlobalId, Option<ThunkId>>,
    /// The thunk of `main` applied to its input.
    pub(super) start: Option<ThunkId>,
    /// The thunk of a function applied to one argument, both captured.
    pub(super) apply: ThunkId,
    /// The code that evaluates slot 0.
    pub(super) enter: u32,
    /// The code that ends an evaluation.
    pub(super) halt: u32,
    /// Where in `srt` those of each instruction begin.
    srt_starts: Vec<u32>,
    /// The static reference table: what instructions refer to, one after the other.
    srt: Vec<SrtEntry>,
}

impl Image {
    /// Translates a program in G-code.
    ///
    /// # Errors
    /// When some function is too large for compact code.
    pub fn new(gcode: Verified) -> Result<Image, TooLarge> {
        Image::of(translate(gcode)?)
    }

    /// A program in compact code, made ready to run.
    ///
    /// # Errors
    /// When its code refers to more than can be numbered.
    ///
    /// # Panics
    /// With debug assertions, when it does not pass the verifier: a mistake of the translation.
    pub(super) fn of(mut program: Program) -> Result<Image, TooLarge> {
        if cfg!(debug_assertions)
            && let Some(violation) = verify_pieces(&program, VERIFIED).first()
        {
            panic!("compact code: {violation}");
        }
        let mut boot = |instr: Instr, live: &[u32]| {
            let pc = program.code.len() as u32;
            program.code.push(instr);
            program.origins.push(Origin::NONE);
            let id = program.stack_maps.push(StackMap { slots: live.into() });
            program.stack_map_of.push(id);
            pc
        };
        let enter = boot(Instr::Enter { a: Arg::slot(0) }, &[0]);
        let halt = boot(Instr::Halt {}, &[]);
        let args = program.args.push([Arg::slot(1)].into());
        let mut boot = |instr: Instr, live: &[u32]| {
            let pc = program.code.len() as u32;
            program.code.push(instr);
            program.origins.push(Origin::NONE);
            let id = program.stack_maps.push(StackMap { slots: live.into() });
            program.stack_map_of.push(id);
            pc
        };
        let apply = boot(Instr::TailApply { f: Arg::slot(0), args }, &[0, 1]);
        let owner = program.gcode.main.unwrap_or(GlobalId(0));
        let mut thunk = |entry: Entry| {
            let selects = Box::default();
            program.thunks.push(Thunk { entry, span: Span::NONE, owner, selects })
        };
        let apply = thunk(Entry { pc: Pc(apply), frame: 2, takes: 2 });
        let main = program.gcode.main.and_then(|main| program.globals.get(main)).copied();
        let start = main.filter(|main| main.takes == 1).map(&mut thunk);
        let mut cafs = IndexVec::new();
        for (_, entry) in program.globals.enumerate() {
            cafs.push((entry.takes == 0).then(|| thunk(*entry)));
        }
        let tops = program.stack_map_of.iter().map(|id| program.stack_maps[*id].top()).collect();
        let (srt_starts, srt) =
            srt(&program).ok_or(TooLarge { what: "its code refers to too much" })?;
        Ok(Image {
            program,
            tops,
            cafs,
            start,
            apply,
            enter: enter * STRIDE,
            halt: halt * STRIDE,
            srt_starts,
            srt,
        })
    }

    /// The slots that code may read from an instruction on.
    pub(super) fn live_slots(&self, at: u32) -> &[u32] {
        let index = (at / STRIDE) as usize;
        let id = self.program.stack_map_of.get(index);
        id.and_then(|id| self.program.stack_maps.get(*id)).map_or(&[], |live| &live.slots)
    }

    /// The entries of the static reference table of the instructions in a range.
    pub(super) fn srt(&self, range: std::ops::Range<u32>) -> &[SrtEntry] {
        let first = |at: u32| {
            let first = self.srt_starts.get(at as usize).copied();
            first.map_or(self.srt.len(), |first| first as usize)
        };
        self.srt.get(first(range.start)..first(range.end)).unwrap_or(&[])
    }

    /// The piece of code that an instruction stands in: its number, the position after its
    /// last instruction, and what it belongs to. `None` for the machine's own.
    pub(super) fn piece(&self, pc: u32) -> Option<(usize, u32, Owner)> {
        let owners = &self.program.owners;
        let at = owners.partition_point(|(start, _)| start.0 <= pc).checked_sub(1)?;
        let (_, owner) = owners.get(at)?;
        let own = self.enter / STRIDE;
        let end = owners.get(at + 1).map_or(own, |(next, _)| next.0);
        (pc < end).then_some((at, end, *owner))
    }

    /// The source expression of the instruction at an offset.
    pub(super) fn span(&self, at: u32) -> Span {
        self.origin(at).span
    }

    /// The operation of the source, where the instruction at an offset has its operands commuted.
    pub(super) fn commuted(&self, at: u32) -> Option<Commuted> {
        self.origin(at).commuted
    }

    fn origin(&self, at: u32) -> Origin {
        self.program.origins.get(index(at)).copied().unwrap_or_default()
    }

    /// The global in whose code, or in the code of whose thunks, an instruction stands.
    pub(super) fn owner(&self, at: u32) -> Option<GlobalId> {
        match self.piece(at / STRIDE)?.2 {
            Owner::Global(global) => Some(global),
            Owner::Thunk(thunk) => self.program.thunks.get(thunk).map(|thunk| thunk.owner),
        }
    }

    pub(super) fn global(&self, global: GlobalId) -> Option<&Global> {
        self.program.gcode.globals.get(global)
    }

    /// How messages and chains call a global: the name that it prints with; a function
    /// without one goes by the definition that it was lifted out of.
    pub(super) fn name(&self, global: GlobalId) -> Arc<str> {
        match self.global(global) {
            None => "main".into(),
            Some(Global { display: Some(name), .. }) => name.clone(),
            Some(Global { symbol, .. }) => match symbol.split_once('$') {
                Some((stem, _)) if !stem.is_empty() => stem.into(),
                _ => symbol.clone(),
            },
        }
    }

    /// Whether the code at an offset is written in no source: a primitive's, the machine's.
    pub(super) fn is_hidden(&self, at: u32) -> bool {
        let global = self.owner(at).and_then(|global| self.global(global));
        self.span(at).is_none() || global.is_none_or(|global| global.kind == GlobalKind::Primitive)
    }
}

/// The static reference table: for each instruction where its entries begin, and all entries.
///
/// `None` if that is more than 32 bits can number.
fn srt(program: &Program) -> Option<(Vec<u32>, Vec<SrtEntry>)> {
    let mut first = Vec::with_capacity(program.code.len());
    let mut all = Vec::new();
    for instr in &program.code {
        first.push(u32::try_from(all.len()).ok()?);
        let caf = matches!(instr, Instr::Caf { .. });
        let constant = |arg: Arg, all: &mut Vec<SrtEntry>| {
            let word = arg.as_constant().and_then(|id| program.consts.get(id));
            if let Some(View::Function(global)) = word.map(|word: &Word| word.view()) {
                all.push(SrtEntry::Function(global));
            }
        };
        instr.operands(|_, operand| match operand {
            Operand::Global(global) if caf => all.push(SrtEntry::Caf(global)),
            Operand::Global(global) => all.push(SrtEntry::Function(global)),
            Operand::Thunk(thunk) => all.push(SrtEntry::Thunk(thunk)),
            Operand::Arg(arg) => constant(arg, &mut all),
            Operand::Args(args) => {
                let args = program.args.get(args).map_or(&[][..], |args| args);
                args.iter().for_each(|arg| constant(*arg, &mut all));
            }
            _ => {}
        });
    }
    Some((first, all))
}

/// The index of an instruction that an offset in bytes leads to.
pub(super) fn index(at: u32) -> usize {
    (at / STRIDE) as usize
}

const _: () = assert!(STRIDE.is_multiple_of(4), "instructions are aligned");

//! A program made ready to run: its compact code, the machine's own code behind it, and what
//! the collector asks of code.

use std::sync::Arc;

use super::code::instr::{Arg, Instr, Operand, Pc};
use super::code::program::{
    Commuted, Entry, Origin, Owner, Program, Sizes, StackMap, Thunk, ThunkId,
};
use super::code::verify::verify_from;
use super::translate::{Globals, Limits, TooLarge, translate, translate_onto};
use crate::base::index::IndexVec;
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::gcode::Verified;
use crate::gcode::effect::Actions;
use crate::gcode::link::{Addition, LinkError, Linked};
use crate::gcode::program::{Global, GlobalId, GlobalKind};
use crate::machine::heap::word::{View, Word};

/// An entry of the static reference table: what code refers to, of what the collector follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SrtEntry {
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

/// A program that machines can run, shared between them. It grows at its end: what one of its
/// numbers stands for stays so.
#[derive(Clone, Debug)]
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
    /// What the program has for actions.
    pub(super) actions: Option<Actions>,
    /// The thunk that fails again with an exception, which it captures.
    pub(super) again: ThunkId,
    /// The code that evaluates slot 0.
    pub(super) enter: u32,
    /// The code that ends an evaluation.
    pub(super) halt: u32,
    /// Where in `srt` the entries of each instruction begin.
    srt_starts: Vec<u32>,
    /// The static reference table: what instructions refer to, one after the other.
    srt: Vec<SrtEntry>,
    /// What the translation knows of the globals; empty before the first addition.
    known: Globals,
}

impl Image {
    /// Translates a program in G-code.
    ///
    /// # Errors
    /// When some function is too large for compact code.
    pub fn new(gcode: Verified) -> Result<Image, TooLarge> {
        // A small thread has too little stack even for what is not recursive.
        ensure_sufficient_stack(|| Image::of(translate(gcode)?))
    }

    /// Makes a program in compact code ready to run.
    ///
    /// # Errors
    /// When its code refers to more than can be numbered.
    ///
    /// # Panics
    /// With debug assertions, when it does not pass the verifier: a mistake of the translation.
    pub(super) fn of(program: Program) -> Result<Image, TooLarge> {
        let mut image = Image {
            program,
            tops: Vec::new(),
            cafs: IndexVec::new(),
            start: None,
            apply: ThunkId(0),
            actions: None,
            again: ThunkId(0),
            enter: 0,
            halt: 0,
            srt_starts: Vec::new(),
            srt: Vec::new(),
            known: Globals::default(),
        };
        image.verify(Sizes::default());
        image.enter = image.boot(Instr::Enter { a: Arg::slot(0) }, &[0]) * STRIDE;
        image.halt = image.boot(Instr::Halt {}, &[]) * STRIDE;
        let args = image.program.args.push([Arg::slot(1)].into());
        let apply = image.boot(Instr::TailApplyN { f: Arg::slot(0), args }, &[0, 1]);
        image.apply = image.thunk(Entry { pc: Pc(apply), frame: 2, takes: 2 }, None);
        image.prepare()?;
        Ok(image)
    }

    /// Adds definitions to the program. Takes time in proportion to them; the first time, to the
    /// program.
    ///
    /// # Errors
    /// When the verifier refuses them, or there is too much of something. Then the image is as it
    /// was.
    ///
    /// # Panics
    /// As [`of`](Image::of).
    pub(super) fn extend(&mut self, addition: Addition) -> Result<Linked, LinkError> {
        let (before, first) = (self.program.sizes(), self.program.gcode.sizes());
        let (start, references) = (self.start, self.srt.len());
        let (actions, again) = (self.actions, self.again);
        let linked = self.program.gcode.extend(addition)?;
        // The program is moved and comes back; in its place is an empty one.
        let empty = Program::without_code(self.program.gcode.clone());
        let program = std::mem::replace(&mut self.program, empty);
        let known = std::mem::take(&mut self.known);
        let prepared = ensure_sufficient_stack(|| {
            let (program, known, result) = translate_onto(program, known, first, Limits::MACHINE);
            (self.program, self.known) = (program, known);
            result?;
            self.verify(before);
            self.prepare()
        });
        let Err(TooLarge { what }) = prepared else { return Ok(linked) };
        self.program.truncate(before);
        self.known.truncate(first.globals);
        self.cafs.truncate(first.globals);
        self.tops.truncate(before.code);
        self.srt_starts.truncate(before.code);
        self.srt.truncate(references);
        self.start = start;
        (self.actions, self.again) = (actions, again);
        self.program.gcode.undo();
        Err(LinkError::TooLarge(format!("the program would be too large: {what}")))
    }

    /// Verifies with debug assertions what the program has had since its tables had these sizes.
    fn verify(&self, from: Sizes) {
        if cfg!(debug_assertions)
            && let Some(violation) = verify_from(&self.program, from, VERIFIED).first()
        {
            panic!("compact code: {violation}");
        }
    }

    /// Appends an instruction of the machine's own, with the slots that are alive before it.
    fn boot(&mut self, instr: Instr, live: &[u32]) -> u32 {
        let program = &mut self.program;
        let pc = program.code.len() as u32;
        program.owners.push((Pc(pc), Owner::Machine));
        program.code.push(instr);
        program.origins.push(Origin::NONE);
        let id = program.stack_maps.push(StackMap { slots: live.into() });
        program.stack_map_of.push(id);
        pc
    }

    /// Adds a thunk that no code builds: of the machine's own code, or for the call of a global.
    fn thunk(&mut self, entry: Entry, global: Option<GlobalId>) -> ThunkId {
        let span = global.and_then(|global| self.global(global)).map(|global| global.span);
        let owner = global.or(self.program.gcode.main).unwrap_or(GlobalId(0));
        let (span, selects) = (span.unwrap_or(Span::NONE), Box::default());
        self.program.thunks.push(Thunk { entry, span, owner, selects })
    }

    /// Makes ready to run what has been translated since the last time, and `main`.
    fn prepare(&mut self) -> Result<(), TooLarge> {
        if self.actions.is_none()
            && let Some(actions) = Actions::find(&self.program.gcode)
        {
            if let Some(entry) = self.program.globals.get(actions.fail_again).copied() {
                self.again = self.thunk(entry, Some(actions.fail_again));
            }
            self.actions = Some(actions);
        }
        let main = self.program.gcode.main;
        let entry = main.and_then(|main| self.program.globals.get(main)).copied();
        self.start = entry.filter(|main| main.takes == 1).map(|entry| self.thunk(entry, main));
        for global in self.program.globals.indices_from(self.cafs.len()) {
            let entry = self.program.globals[global];
            let thunk = (entry.takes == 0).then(|| self.thunk(entry, Some(global)));
            self.cafs.push(thunk);
        }
        let program = &self.program;
        let maps = program.stack_map_of.iter().skip(self.tops.len());
        self.tops.extend(maps.map(|id| program.stack_maps[*id].top()));
        self.refer().ok_or(TooLarge { what: "its code refers to too much" })
    }

    /// Appends the entries of new code to the static reference table; `None` if there are more
    /// than 32 bits can number.
    fn refer(&mut self) -> Option<()> {
        let Image { program, srt_starts, srt, .. } = self;
        for instr in program.code.iter().skip(srt_starts.len()) {
            srt_starts.push(u32::try_from(srt.len()).ok()?);
            let caf = matches!(instr, Instr::Caf { .. });
            let constant = |arg: Arg, srt: &mut Vec<SrtEntry>| {
                let word = arg.as_constant().and_then(|id| program.consts.get(id));
                if let Some(View::Function(global)) = word.map(|word: &Word| word.view()) {
                    srt.push(SrtEntry::Function(global));
                }
            };
            instr.operands(&mut |_, operand| match operand {
                Operand::Global(global) if caf => srt.push(SrtEntry::Caf(global)),
                Operand::Global(global) => srt.push(SrtEntry::Function(global)),
                Operand::Thunk(thunk) => srt.push(SrtEntry::Thunk(thunk)),
                Operand::Arg(arg) => constant(arg, srt),
                Operand::Args(args) => {
                    let args = program.args.get(args).map_or(&[][..], |args| args);
                    args.iter().for_each(|arg| constant(*arg, srt));
                }
                _ => {}
            });
        }
        Some(())
    }

    /// Returns the slots that code may read from an instruction on.
    pub(super) fn live_slots(&self, at: u32) -> &[u32] {
        let index = (at / STRIDE) as usize;
        let id = self.program.stack_map_of.get(index);
        id.and_then(|id| self.program.stack_maps.get(*id)).map_or(&[], |live| &live.slots)
    }

    /// Returns the entries of the static reference table of the instructions in a range.
    fn srt(&self, range: std::ops::Range<u32>) -> &[SrtEntry] {
        let first = |at: u32| {
            let first = self.srt_starts.get(at as usize).copied();
            first.map_or(self.srt.len(), |first| first as usize)
        };
        self.srt.get(first(range.start)..first(range.end)).unwrap_or(&[])
    }

    /// Goes through the code from an instruction to the end of its piece, and through the code that
    /// it refers to. `visited` says, for each piece, from which instruction on it was gone through
    /// before, and is kept. `has_value` is told of the CAFs, and returns whether one has a node: if
    /// not, it still needs what its code refers to.
    pub(super) fn reach(
        &self,
        from: u32,
        visited: &mut [u32],
        has_value: &mut impl FnMut(GlobalId) -> bool,
    ) {
        let mut todo = vec![from];
        while let Some(from) = todo.pop() {
            let Some((piece, end, _)) = self.piece(from) else { continue };
            let Some(visited) = visited.get_mut(piece) else { continue };
            let until = end.min(*visited);
            if from >= until {
                continue;
            }
            *visited = from;
            for entry in self.srt(from..until) {
                let entry = match *entry {
                    SrtEntry::Caf(global) if has_value(global) => None,
                    SrtEntry::Caf(global) | SrtEntry::Function(global) => {
                        self.program.globals.get(global).copied()
                    }
                    SrtEntry::Thunk(thunk) => {
                        self.program.thunks.get(thunk).map(|thunk| thunk.entry)
                    }
                };
                todo.extend(entry.map(|entry| entry.pc.0));
            }
        }
    }

    /// Returns the piece of code that an instruction stands in: its number, the position after its
    /// last instruction, and what it belongs to. `None` for the machine's own.
    pub(super) fn piece(&self, pc: u32) -> Option<(usize, u32, Owner)> {
        let owners = &self.program.owners;
        let at = owners.partition_point(|(start, _)| start.0 <= pc).checked_sub(1)?;
        let (_, owner) = owners.get(at)?;
        let end = owners.get(at + 1).map_or(self.program.code.len() as u32, |(next, _)| next.0);
        (pc < end && *owner != Owner::Machine).then_some((at, end, *owner))
    }

    /// Returns the source expression of the instruction at an offset.
    pub(super) fn span(&self, at: u32) -> Span {
        self.origin(at).span
    }

    /// Returns the operation of the source, where the instruction at an offset has its operands
    /// commuted.
    pub(super) fn commuted(&self, at: u32) -> Option<Commuted> {
        self.origin(at).commuted
    }

    fn origin(&self, at: u32) -> Origin {
        self.program.origins.get(index(at)).copied().unwrap_or_default()
    }

    /// Returns the global in whose code, or in the code of whose thunks, an instruction stands.
    pub(super) fn owner(&self, at: u32) -> Option<GlobalId> {
        match self.piece(at / STRIDE)?.2 {
            Owner::Global(global) => Some(global),
            Owner::Thunk(thunk) => self.program.thunks.get(thunk).map(|thunk| thunk.owner),
            Owner::Machine => None,
        }
    }

    pub(super) fn global(&self, global: GlobalId) -> Option<&Global> {
        self.program.gcode.globals.get(global)
    }

    /// Returns how messages and chains call a global: by the name that it prints with, a function
    /// without one by the name of the definition that it was lifted out of.
    pub(super) fn name(&self, global: GlobalId) -> Arc<str> {
        match self.global(global) {
            None => "main".into(),
            Some(Global { display: Some(name), .. }) => name.clone(),
            Some(Global { symbol, .. }) => {
                let label = self.program.gcode.labels.of(symbol).map(|(label, _)| label.clone());
                label.unwrap_or_else(|| match symbol.split_once('$') {
                    Some((stem, _)) if !stem.is_empty() => stem.into(),
                    _ => symbol.clone(),
                })
            }
        }
    }

    /// Returns whether the code at an offset is written in no source: a primitive's, the machine's.
    pub(super) fn is_hidden(&self, at: u32) -> bool {
        let global = self.owner(at).and_then(|global| self.global(global));
        self.span(at).is_none() || global.is_none_or(|global| global.kind == GlobalKind::Primitive)
    }
}

/// Returns the index of an instruction that an offset in bytes leads to.
pub(super) fn index(at: u32) -> usize {
    (at / STRIDE) as usize
}

const _: () = assert!(STRIDE.is_multiple_of(4), "instructions are aligned");

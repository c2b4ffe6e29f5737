//! A program made ready to run: positions, sites, the boot code, selectors.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::heap::node::Site;
use super::selector::{self, Selector};
use crate::base::index::{Idx, IndexVec};
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::gcode::Verified;
use crate::gcode::effect::Actions;
use crate::gcode::instr::{Instr, IntLit, Label, Lit};
use crate::gcode::link::{Addition, LinkError, Linked};
use crate::gcode::program::{ConId, Global, GlobalId, GlobalKind, Program};

/// A position in code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// Whose code; [`Position::RUN`] and [`Position::FORCE`] are the machine's own.
    pub global: GlobalId,
    /// Number of the instruction.
    pub pc: u32,
}

impl Position {
    /// The code that prints `main`: `PushGlobal main, Eval, Print`.
    pub const RUN: GlobalId = GlobalId(u32::MAX);
    /// The code that forces one value: `Eval`.
    pub const FORCE: GlobalId = GlobalId(u32::MAX - 1);

    pub(super) fn start(global: GlobalId) -> Position {
        Position { global, pc: 0 }
    }

    pub(super) fn next(self) -> Position {
        self.to(self.pc + 1)
    }

    pub(super) fn to(self, pc: u32) -> Position {
        Position { global: self.global, pc }
    }

    /// Returns whether it is in the machine's own code.
    #[must_use]
    pub fn is_boot(self) -> bool {
        self.global == Position::RUN || self.global == Position::FORCE
    }
}

/// What a branch of a jump is for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Choice {
    Con(ConId),
    Char(char),
    Int(i64),
    Big(Integer),
}

/// The most branches that are looked through one by one.
const SEARCHED: usize = 16;

/// Returns the branches of a jump by what they are for, if there are many.
fn table(program: &Program, instr: &Instr) -> Option<FxHashMap<Choice, Label>> {
    let literal = |lit: Lit| match lit {
        Lit::Char(c) => Some(Choice::Char(c)),
        Lit::Int(IntLit::Small(n)) => Some(Choice::Int(n)),
        Lit::Int(IntLit::Big(big)) => program.bigs.get(big).cloned().map(Choice::Big),
    };
    match instr {
        Instr::CaseJump(jumps) if jumps.branches.len() > SEARCHED => {
            Some(jumps.branches.iter().map(|&(con, to)| (Choice::Con(con), to)).collect())
        }
        Instr::LitJump(jumps) if jumps.branches.len() > SEARCHED => {
            let branches = jumps.branches.iter();
            Some(branches.filter_map(|&(lit, to)| Some((literal(lit)?, to))).collect())
        }
        _ => None,
    }
}

/// A program and what the machine derives from it once.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) program: Verified,
    run: Vec<Instr>,
    force: Vec<Instr>,
    /// Where each global's code starts when all are laid end to end.
    starts: IndexVec<GlobalId, u32>,
    /// For each instruction of all laid end to end whether it is of an expression outside of the
    /// corelib.
    outside: Vec<bool>,
    /// Number of instructions in all.
    pub(super) size: usize,
    /// For globals that select a field of their only argument: which, by constructor.
    selectors: IndexVec<GlobalId, Option<Selector>>,
    /// What the program has for actions.
    pub(super) actions: Option<Actions>,
    /// Tables of the jumps that have too many branches to look through.
    jumps: FxHashMap<Position, FxHashMap<Choice, Label>>,
}

impl Code {
    pub(super) fn new(program: Verified) -> Code {
        let mut code = Code {
            program,
            run: Vec::new(),
            force: vec![Instr::Eval],
            starts: IndexVec::new(),
            outside: Vec::new(),
            size: 0,
            selectors: IndexVec::new(),
            actions: None,
            jumps: FxHashMap::default(),
        };
        code.prepare();
        code
    }

    /// Adds definitions to the program.
    pub(super) fn extend(&mut self, addition: Addition) -> Result<Linked, LinkError> {
        let linked = self.program.extend(addition)?;
        self.prepare();
        Ok(linked)
    }

    /// Derives what the machine needs of the globals that it has not seen yet, and of `main`.
    fn prepare(&mut self) {
        let program = &self.program;
        for global in program.globals.since(self.starts.len()) {
            self.starts.push(self.size as u32);
            self.size += global.code.len();
            let spans = global.spans.iter().map(|&span| program.places.is_outside(span));
            self.outside.extend(spans.take(global.code.len()));
            self.outside.resize(self.size, false);
            self.selectors.push(selector::analyse(global, program));
            let id = GlobalId::new(self.starts.len() - 1);
            for (pc, instr) in global.code.iter().enumerate() {
                let position = Position { global: id, pc: pc as u32 };
                self.jumps.extend(table(program, instr).map(|table| (position, table)));
            }
        }
        self.actions = self.actions.or_else(|| Actions::find(program));
        self.run = program.main.map(Instr::PushGlobal).into_iter().collect();
        if program.main.is_some_and(|main| program.globals.get(main).is_some_and(|g| g.arity > 0)) {
            self.run.push(Instr::MkApp);
        }
        self.run.extend([Instr::Eval, Instr::Print]);
    }

    /// Returns the branches of the jump at a position, of which there are `count`, if it has a
    /// table.
    #[inline]
    pub(super) fn table(&self, at: Position, count: usize) -> Option<&FxHashMap<Choice, Label>> {
        if count > SEARCHED { self.jumps.get(&at) } else { None }
    }

    /// Returns the instructions of a global or of the machine's own code.
    #[inline]
    pub(super) fn code(&self, global: GlobalId) -> &[Instr] {
        match self.program.globals.get(global) {
            Some(global) => &global.code,
            None if global == Position::RUN => &self.run,
            None => &self.force,
        }
    }

    /// Returns the instruction at a position; `None` past the end.
    #[inline]
    pub(super) fn instr(&self, at: Position) -> Option<&Instr> {
        self.code(at.global).get(at.pc as usize)
    }

    pub(super) fn global(&self, global: GlobalId) -> Option<&Global> {
        self.program.globals.get(global)
    }

    /// Returns the source expression of an instruction.
    pub(super) fn span(&self, at: Position) -> Span {
        self.program.places.text(self.place(at))
    }

    /// Returns the source expression of an instruction, and if it is inlined, the call: see
    /// [`Places`](crate::base::places::Places).
    pub(super) fn place(&self, at: Position) -> Span {
        let spans = self.global(at.global).map(|global| &global.spans);
        spans.and_then(|spans| spans.get(at.pc as usize)).copied().unwrap_or(Span::NONE)
    }

    /// Returns the site of the instruction at a position.
    #[inline]
    pub(super) fn site(&self, at: Position) -> Site {
        self.starts.get(at.global).map_or(Site::NONE, |start| Site(start + at.pc))
    }

    /// Returns the number of an instruction of the program, of all laid end to end.
    pub(super) fn flat(&self, at: Position) -> Option<usize> {
        self.starts.get(at.global).map(|start| (*start + at.pc) as usize)
    }

    /// Returns the source expression that a site stands for.
    pub(super) fn site_span(&self, site: Site) -> Span {
        self.program.places.text(self.site_place(site))
    }

    /// Returns the source expression that a site stands for, and if it is inlined, the call.
    pub(super) fn site_place(&self, site: Site) -> Span {
        let Some(global) = self.site_global(site) else { return Span::NONE };
        let pc = site.0 - self.starts.get(global).copied().unwrap_or(site.0);
        self.place(Position { global, pc })
    }

    /// Returns whether a site is of an expression outside of the corelib, or of one of the corelib
    /// that was inlined there.
    #[inline]
    pub(super) fn is_outside(&self, site: Site) -> bool {
        self.outside.get(site.0 as usize).is_some_and(|outside| *outside)
    }

    /// Returns the global in whose code a site is.
    pub(super) fn site_global(&self, site: Site) -> Option<GlobalId> {
        if site == Site::NONE {
            return None;
        }
        let after = self.starts.as_slice().partition_point(|start| *start <= site.0);
        after.checked_sub(1).map(GlobalId::new)
    }

    /// Returns which field of its argument a selector returns.
    pub(super) fn selected(&self, global: GlobalId, con: ConId) -> Option<usize> {
        let table = self.selectors.get(global)?.as_ref()?;
        let (_, field) = table.iter().find(|(of, _)| *of == con)?;
        Some(*field as usize)
    }

    pub(super) fn is_selector(&self, global: GlobalId) -> bool {
        self.selectors.get(global).is_some_and(Option::is_some)
    }

    /// Returns how messages and chains call a global: by the name that it prints with, a function
    /// without one by the name of the definition that it was lifted out of.
    pub(super) fn name(&self, global: GlobalId) -> Arc<str> {
        match self.global(global) {
            None => "main".into(),
            Some(Global { display: Some(name), .. }) => name.clone(),
            Some(Global { symbol, .. }) => {
                let label = self.program.labels.of(symbol).map(|(label, _)| label.clone());
                label.unwrap_or_else(|| match symbol.split_once('$') {
                    Some((stem, _)) if !stem.is_empty() => stem.into(),
                    _ => symbol.clone(),
                })
            }
        }
    }

    /// Returns whether the code at a position is written in no source: a primitive's, the
    /// machine's.
    pub(super) fn is_hidden(&self, at: Position) -> bool {
        self.span(at).is_none()
            || self.global(at.global).is_none_or(|global| global.kind == GlobalKind::Primitive)
    }
}

//! A function or a thunk in the making: blocks of instructions on variables.
//!
//! Instructions are those of compact code with variables for slots and edges for targets. A
//! variable is written in one place, but for those of a join, which every edge to it writes.
//! Blocks form a graph without cycles.

use super::stack::Stack;
use super::value::ValueId;
use crate::base::span::Span;
use crate::gcode::program::{ConId, GlobalId};

use super::super::code::instr::{Arg, Instr, Operand, Pc};
use super::super::code::program::{CaseId, LitCaseId, Origin};
use super::output::Output;

pub(super) const NONE: u32 = u32::MAX;

/// How a block ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Term {
    /// It is not finished.
    Open,
    /// It goes on along an edge.
    Goto(u32),
    /// An instruction that goes on along an edge, or along the one in its operands.
    Branch(Instr, u32),
    /// An instruction with branches by constructor.
    Case(Instr, CaseId),
    /// An instruction with branches by literal.
    LitCase(Instr, LitCaseId),
    /// An instruction that ends the code.
    End(Instr),
}

/// A run of instructions.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub start: u32,
    pub end: u32,
    pub term: Term,
    /// What its end comes from.
    pub origin: Origin,
    /// What its only edge writes: a range of [`Unit::moves`].
    pub moves: (u32, u32),
    /// The immediate dominator; the block itself for the first.
    parent: u32,
    /// An ancestor far up in the tree of dominators (Myers 1983).
    far: u32,
    rank: u32,
}

/// The knowledge that a variable is a constructor; its fields are in the variables from `fields`
/// on, if that is not [`NONE`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub var: u32,
    pub con: ConId,
    pub fields: u32,
}

/// An edge from a block to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub from: u32,
    pub to: u32,
    pub stack: Stack,
    /// What the redex has been updated with.
    pub updated: Option<ValueId>,
    /// What is known on this edge.
    pub shape: Option<Shape>,
    /// Another edge to the same label.
    pub next: u32,
}

/// What an edge writes into a variable of a join.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub to: u32,
    pub from: Source,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Arg(Arg),
    Caf(GlobalId),
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug)]
struct Var {
    /// The block from which on it is evaluated.
    evaluated: u32,
    /// The block from which on its shape is known.
    shaped: u32,
    con: ConId,
    fields: u32,
    /// The variable of a join that it goes to.
    goes_to: u32,
}

/// A function or a thunk in the making.
#[derive(Default)]
pub(super) struct Unit {
    /// Variables that are there from the start.
    pub takes: u32,
    pub instrs: Vec<Instr>,
    pub origins: Vec<Origin>,
    pub blocks: Vec<Block>,
    pub edges: Vec<Edge>,
    pub moves: Vec<Move>,
    vars: Vec<Var>,
    /// The block that grows.
    pub current: u32,
}

impl Unit {
    /// Starts the unit with its first block.
    pub fn begin(&mut self, takes: u32) {
        self.takes = takes;
        self.instrs.clear();
        self.origins.clear();
        self.blocks.clear();
        self.edges.clear();
        self.moves.clear();
        self.vars.clear();
        for _ in 0..takes {
            self.var();
        }
        self.open(NONE);
    }

    /// Adds a variable.
    pub fn var(&mut self) -> u32 {
        let shape = (NONE, ConId(0), NONE);
        let (shaped, con, fields) = shape;
        self.vars.push(Var { evaluated: NONE, shaped, con, fields, goes_to: NONE });
        self.vars.len() as u32 - 1
    }

    /// Returns how many variables there are.
    pub fn vars(&self) -> u32 {
        self.vars.len() as u32
    }

    /// Returns how many there are of what there are most: variables, instructions, blocks, edges or
    /// moves.
    pub fn parts(&self) -> usize {
        let Unit { vars, instrs, blocks, edges, moves, .. } = self;
        let code = vars.len().max(instrs.len()).max(blocks.len());
        code.max(edges.len()).max(moves.len())
    }

    /// Returns the variable of a join that a variable goes to, or [`NONE`].
    pub fn goes_to(&self, var: u32) -> u32 {
        self.vars[var as usize].goes_to
    }

    pub fn emit(&mut self, instr: Instr, origin: impl Into<Origin>) {
        self.instrs.push(instr);
        self.origins.push(origin.into());
    }

    /// Begins a block whose immediate dominator is `parent`.
    pub fn open(&mut self, parent: u32) -> u32 {
        let id = self.blocks.len() as u32;
        let start = self.instrs.len() as u32;
        let (parent, far, rank) = match self.blocks.get(parent as usize) {
            None => (id, id, 0),
            Some(above) => {
                let far = &self.blocks[above.far as usize];
                let joins = above.rank - far.rank == far.rank - self.blocks[far.far as usize].rank;
                (parent, if joins && above.rank > 0 { far.far } else { parent }, above.rank + 1)
            }
        };
        let (term, origin, moves) = (Term::Open, Origin::NONE, (0, 0));
        self.blocks.push(Block { start, end: start, term, origin, moves, parent, far, rank });
        self.current = id;
        id
    }

    /// Ends the block that grows.
    pub fn close(&mut self, term: Term, origin: impl Into<Origin>) {
        let end = self.instrs.len() as u32;
        let block = &mut self.blocks[self.current as usize];
        (block.end, block.term, block.origin) = (end, term, origin.into());
    }

    /// Returns whether something grows.
    pub fn is_open(&self) -> bool {
        self.blocks.get(self.current as usize).is_some_and(|b| matches!(b.term, Term::Open))
    }

    /// Returns the last instruction of the block that grows.
    pub fn last(&self) -> Option<Instr> {
        let start = self.blocks[self.current as usize].start as usize;
        self.instrs.get(start..)?.last().copied()
    }

    /// Returns the expression that the last instruction comes from.
    pub fn last_span(&self) -> Span {
        self.origins.last().map_or(Span::NONE, |origin| origin.span)
    }

    /// Removes the last instruction of the block that grows.
    pub fn unemit(&mut self) -> Option<Origin> {
        self.instrs.pop();
        self.origins.pop()
    }

    fn ancestor(&self, mut block: u32, rank: u32) -> u32 {
        loop {
            let at = &self.blocks[block as usize];
            if at.rank <= rank {
                return block;
            }
            block = if self.blocks[at.far as usize].rank >= rank { at.far } else { at.parent };
        }
    }

    /// Returns whether block `a` dominates block `b`.
    fn dominates(&self, a: u32, b: u32) -> bool {
        a == b || self.ancestor(b, self.blocks[a as usize].rank) == a
    }

    /// Returns the nearest common dominator of two blocks.
    pub fn common(&self, a: u32, b: u32) -> u32 {
        let rank = self.blocks[a as usize].rank.min(self.blocks[b as usize].rank);
        let (mut a, mut b) = (self.ancestor(a, rank), self.ancestor(b, rank));
        while a != b {
            let (x, y) = (&self.blocks[a as usize], &self.blocks[b as usize]);
            // Of equal ranks the far ones have equal ranks too.
            (a, b) = if x.far == y.far { (x.parent, y.parent) } else { (x.far, y.far) };
        }
        a
    }

    /// Returns whether a variable is known to be evaluated at the end of a block.
    pub fn is_evaluated_in(&self, var: u32, block: u32) -> bool {
        let since = self.vars[var as usize].evaluated;
        since != NONE && self.dominates(since, block)
    }

    /// Returns whether a variable is known to be evaluated here.
    pub fn is_evaluated(&self, var: u32) -> bool {
        self.is_evaluated_in(var, self.current)
    }

    /// Notes that from here on a variable is evaluated.
    pub fn evaluated(&mut self, var: u32) {
        if !self.is_evaluated(var) {
            self.vars[var as usize].evaluated = self.current;
        }
    }

    /// Notes that from here on the shape of a variable is known.
    pub fn shaped(&mut self, shape: Shape) {
        let var = &mut self.vars[shape.var as usize];
        (var.shaped, var.con, var.fields) = (self.current, shape.con, shape.fields);
    }

    /// Returns what shape a variable is known to have here.
    pub fn shape(&self, var: u32) -> Option<Shape> {
        let Var { shaped, con, fields, .. } = self.vars[var as usize];
        (shaped != NONE && self.dominates(shaped, self.current)).then_some(Shape {
            var,
            con,
            fields,
        })
    }

    /// Notes that a variable goes to one of a join.
    pub fn goes(&mut self, var: u32, to: u32) {
        self.vars[var as usize].goes_to = to;
    }

    /// Adds an edge from the block that grows.
    pub fn edge(&mut self, stack: Stack, updated: Option<ValueId>, shape: Option<Shape>) -> u32 {
        let from = self.current;
        self.edges.push(Edge { from, to: NONE, stack, updated, shape, next: NONE });
        self.edges.len() as u32 - 1
    }

    /// Visits the blocks that a block leads to, some of them perhaps several times; where it falls
    /// through comes last.
    pub fn successors(&self, block: u32, out: &Output, mut visit: impl FnMut(u32)) {
        let mut edge = |edge: u32| visit(self.edges[edge as usize].to);
        match &self.blocks[block as usize].term {
            Term::Open | Term::End(_) => {}
            Term::Goto(to) => edge(*to),
            Term::Branch(instr, next) => {
                instr.operands(&mut |_, operand| {
                    if let Operand::To(Pc(to)) = operand {
                        edge(to);
                    }
                });
                edge(*next);
            }
            Term::Case(_, case) => {
                out.program.cases[*case].targets.iter().rev().for_each(|to| edge(to.0));
            }
            Term::LitCase(_, case) => {
                let case = &out.program.lit_cases[*case];
                edge(case.default.0);
                case.bigs.iter().rev().for_each(|(_, to)| edge(to.0));
                case.words.iter().rev().for_each(|(_, to)| edge(to.0));
            }
        }
    }
}

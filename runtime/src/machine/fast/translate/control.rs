//! Branches and where they meet.

use super::super::code::instr::{Arg, Dst, Forced, Instr, Pc};
use super::super::code::program::{Case, Commuted, LitCase, Origin};
use super::output::Int;
use super::stack::Stack;
use super::unit::{Edge, Move, NONE, Shape, Source, Term};
use super::value::{Value, ValueId};
use super::{MOVES, TooLarge, Translator, too_large};
use crate::base::span::Span;
use crate::gcode::instr::{IntLit, Jumps, Label, Lit};
use crate::gcode::program::{CONS, ConId, LIST, NIL};
use crate::machine::heap::word::{View, Word};
use crate::primitive::Primitive;

/// What an instruction that compares can hold.
#[derive(Clone, Copy)]
enum Constant {
    Int(i32),
    Char(char),
}

impl Translator<'_> {
    /// Adds an edge from the block that grows to an instruction of G-code.
    fn leave(&mut self, to: u32, shape: Option<Shape>) -> u32 {
        let edge = self.unit.edge(self.stack, self.updated, shape);
        self.unit.edges[edge as usize].next = self.incoming[to as usize];
        self.incoming[to as usize] = edge;
        edge
    }

    /// Jumps to an instruction, to which other paths may lead as well.
    pub(super) fn goto(&mut self, to: usize, span: Span) -> Result<(), TooLarge> {
        if self.preceding[to] > 1 {
            self.build_pending()?;
        }
        let edge = self.leave(to as u32, None);
        let pending = self.values.take_pending();
        if !pending.is_empty() {
            self.carried.insert(edge, pending);
        }
        self.unit.close(Term::Goto(edge), span);
        Ok(())
    }

    /// Begins the block at an instruction; returns false if no path leads there.
    pub(super) fn arrive(&mut self, at: usize) -> Result<bool, TooLarge> {
        if self.unit.is_open() {
            self.goto(at, Span::NONE)?;
        }
        let mut edges = Vec::new();
        let mut edge = self.incoming[at];
        while let Some(&Edge { next, .. }) = self.unit.edges.get(edge as usize) {
            edges.push(edge);
            edge = next;
        }
        edges.reverse();
        self.values.set_pending(Vec::new());
        match edges[..] {
            [] => return Ok(false),
            [only] => {
                let Edge { from, stack, updated, shape, .. } = self.unit.edges[only as usize];
                let block = self.unit.open(from);
                self.unit.edges[only as usize].to = block;
                (self.stack, self.updated) = (stack, updated);
                self.values.set_pending(self.carried.remove(&only).unwrap_or_default());
                if let Some(shape) = shape {
                    self.unit.shaped(shape);
                }
            }
            _ => self.join(edges)?,
        }
        Ok(true)
    }

    /// Begins a block that several edges lead to.
    fn join(&mut self, mut edges: Vec<u32>) -> Result<(), TooLarge> {
        for edge in &mut edges {
            let Edge { from, stack, updated, .. } = self.unit.edges[*edge as usize];
            if !matches!(self.unit.blocks[from as usize].term, Term::Goto(_)) {
                // A block of its own, for what this edge alone moves.
                let between = self.unit.open(from);
                self.unit.edges[*edge as usize].to = between;
                *edge = self.unit.edge(stack, updated, None);
                self.unit.close(Term::Goto(*edge), Span::NONE);
            }
        }
        let from = |edge: &u32| self.unit.edges[*edge as usize].from;
        let parent = edges.iter().map(from).reduce(|a, b| self.unit.common(a, b));
        let block = self.unit.open(parent.unwrap_or(NONE));
        for &edge in &edges {
            self.unit.edges[edge as usize].to = block;
        }
        self.merge(&edges)
    }

    /// Makes one stack of those that the edges bring.
    fn merge(&mut self, edges: &[u32]) -> Result<(), TooLarge> {
        let tops: Vec<Stack> =
            edges.iter().map(|&edge| self.unit.edges[edge as usize].stack).collect();
        let Some((&first, others)) = tops.split_first() else { return Ok(()) };
        // All of one depth: verified.
        let mut common = first;
        for &(mut other) in others {
            let depth = self.stacks.depth(common);
            other = self.stacks.drop(other, self.stacks.depth(other) - depth);
            while common != other {
                common = self.stacks.drop(common, 1);
                other = self.stacks.drop(other, 1);
            }
        }
        let height = self.stacks.depth(common);
        let count = (self.stacks.depth(first) - height) as usize;
        self.moved += edges.len() as u64 * count as u64;
        if self.moved > (1 << 20) + self.limits.moves * self.incoming.len() as u64 {
            return Err(too_large(MOVES));
        }
        // For each item above, from the lowest, what each edge brings.
        let columns: Vec<Vec<ValueId>> = tops
            .iter()
            .map(|&top| {
                let (mut items, mut at) = (Vec::with_capacity(count), top);
                while let Some((id, below)) = self.stacks.pop(at)
                    && self.stacks.depth(at) > height
                {
                    items.push(id);
                    at = below;
                }
                items.reverse();
                items
            })
            .collect();
        let updated: Option<Vec<ValueId>> =
            edges.iter().map(|&edge| self.unit.edges[edge as usize].updated).collect();
        let mut moves: Vec<Vec<Move>> = edges.iter().map(|_| Vec::new()).collect();
        self.stack = common;
        for at in 0..count {
            let ids: Vec<ValueId> = columns.iter().map(|column| column[at]).collect();
            let id = self.meet(edges, &ids, &mut moves);
            self.stack = self.stacks.push(self.stack, id);
        }
        self.updated = updated.map(|ids| self.meet(edges, &ids, &mut moves));
        for (&edge, moves) in edges.iter().zip(moves) {
            let from = self.unit.edges[edge as usize].from;
            let start = self.unit.moves.len() as u32;
            self.unit.moves.extend(moves);
            self.unit.blocks[from as usize].moves = (start, self.unit.moves.len() as u32);
        }
        Ok(())
    }

    /// Returns one value for what each edge brings: the value, if it is the same, or a new
    /// variable.
    fn meet(&mut self, edges: &[u32], ids: &[ValueId], moves: &mut [Vec<Move>]) -> ValueId {
        let first = ids[0];
        let value = self.values.get(first);
        if ids.iter().all(|&id| id == first || self.values.get(id).is_same(value)) {
            return first;
        }
        let to = self.unit.var();
        let mut evaluated = true;
        for ((&edge, &id), moves) in edges.iter().zip(ids).zip(moves) {
            let end = self.unit.edges[edge as usize].from;
            let from = match self.values.get(id) {
                Value::Var(v) => {
                    evaluated &= self.unit.is_evaluated_in(v, end);
                    self.unit.goes(v, to);
                    Source::Arg(Arg::slot(v))
                }
                Value::Const(word) => Source::Arg(self.out.constant(word)),
                Value::Caf(global) => {
                    evaluated = false;
                    Source::Caf(global)
                }
                _ => unreachable!("before a way that is not the only one, all has been built"),
            };
            moves.push(Move { to, from });
        }
        if evaluated {
            self.unit.evaluated(to);
        }
        self.values.add(Value::Var(to))
    }

    /// Translates a `Cond` with no comparison before it.
    pub(super) fn cond(&mut self, yes: Label, no: Label, span: Span) -> Result<(), TooLarge> {
        let id = self.pop();
        match self.values.get(id) {
            Value::Const(Word::ONE) => return self.goto(yes.0 as usize, span),
            Value::Const(Word::ZERO) => return self.goto(no.0 as usize, span),
            _ => {}
        }
        let a = Forced(self.forced(id)?);
        self.branch(|to| Instr::Unless { a, to }, &[a], yes, no, span)
    }

    /// Translates a comparison and the `Cond` after it. Returns false if the primitive is no
    /// comparison.
    pub(super) fn compare(
        &mut self,
        primitive: Primitive,
        yes: Label,
        no: Label,
        span: Span,
    ) -> Result<bool, TooLarge> {
        use Primitive as P;
        let of_floats = match primitive {
            P::Eq | P::Neq | P::Lt | P::Le | P::Gt | P::Ge => false,
            P::FEq | P::FNeq | P::FLt | P::FLe | P::FGt | P::FGe => true,
            _ => return Ok(false),
        };
        let (first, second) = (self.pop(), self.pop());
        let with_constant = match (self.constant(first), self.constant(second)) {
            _ if of_floats => None,
            (_, Some(k)) => Some((primitive, first, k, None)),
            (Some(k), _) => {
                let commuted = Commuted { primitive, constant_first: true };
                Some((swapped(primitive), second, k, Some(commuted)))
            }
            _ => None,
        };
        if let Some((primitive, id, k, commuted)) = with_constant {
            let a = Forced(self.forced(id)?);
            let instr = |to| match (k, primitive) {
                (Constant::Int(k), P::Eq) => Instr::UnlessEqInt { a, k, to },
                (Constant::Int(k), P::Neq) => Instr::UnlessNeInt { a, k, to },
                (Constant::Int(k), P::Lt) => Instr::UnlessLtInt { a, k, to },
                (Constant::Int(k), P::Le) => Instr::UnlessLeInt { a, k, to },
                (Constant::Int(k), P::Gt) => Instr::UnlessGtInt { a, k, to },
                (Constant::Int(k), _) => Instr::UnlessGeInt { a, k, to },
                (Constant::Char(k), P::Eq) => Instr::UnlessEqChar { a, k, to },
                (Constant::Char(k), P::Neq) => Instr::UnlessNeChar { a, k, to },
                (Constant::Char(k), P::Lt) => Instr::UnlessLtChar { a, k, to },
                (Constant::Char(k), P::Le) => Instr::UnlessLeChar { a, k, to },
                (Constant::Char(k), P::Gt) => Instr::UnlessGtChar { a, k, to },
                (Constant::Char(k), _) => Instr::UnlessGeChar { a, k, to },
            };
            self.branch(instr, &[a], yes, no, Origin { span, commuted })?;
            return Ok(true);
        }
        let with_float = match (self.small_float(first), self.small_float(second)) {
            (_, Some(k)) => Some((primitive, first, k, None)),
            (Some(k), None) => {
                let commuted = Commuted { primitive, constant_first: true };
                Some((swapped(primitive), second, k, Some(commuted)))
            }
            (None, None) => None,
        };
        if let Some((op, id, k, commuted)) = with_float.filter(|_| of_floats) {
            let a = Forced(self.forced(id)?);
            let instr = |to| Instr::UnlessFloatConst { a, k, op, to };
            self.branch(instr, &[a], yes, no, Origin { span, commuted })?;
            return Ok(true);
        }
        let a = Forced(self.forced(first)?);
        let b = Forced(self.forced(second)?);
        let instr = |to| match primitive {
            P::Eq => Instr::UnlessEq { a, b, to },
            P::Neq => Instr::UnlessNe { a, b, to },
            P::Lt => Instr::UnlessLt { a, b, to },
            P::Le => Instr::UnlessLe { a, b, to },
            P::Gt => Instr::UnlessGt { a, b, to },
            P::Ge => Instr::UnlessGe { a, b, to },
            op => Instr::UnlessFloat { a, b, op, to },
        };
        self.branch(instr, &[a, b], yes, no, span)?;
        Ok(true)
    }

    /// Returns what a value is if an instruction that compares can hold it.
    fn constant(&self, id: ValueId) -> Option<Constant> {
        match self.values.get(id) {
            Value::Const(word) if word.is_char() => word.as_char().map(Constant::Char),
            _ => self.small(id).map(Constant::Int),
        }
    }

    fn branch(
        &mut self,
        instr: impl Fn(Pc) -> Instr,
        operands: &[Forced],
        Label(yes): Label,
        Label(no): Label,
        origin: impl Into<Origin>,
    ) -> Result<(), TooLarge> {
        self.build_pending()?;
        operands.iter().for_each(|operand| self.unit.evaluated(operand.0));
        let next = self.leave(yes, None);
        let to = self.leave(no, None);
        self.unit.close(Term::Branch(instr(Pc(to)), next), origin);
        Ok(())
    }

    /// Notes that the branches of a case are chosen by this value.
    fn tests<T>(&mut self, id: ValueId, jumps: &Jumps<T>, span: Span) {
        let targets = jumps.branches.iter().map(|(_, to)| *to).chain(jumps.default);
        self.tested.extend(targets.map(|Label(to)| (to, (id, span))));
    }

    pub(super) fn case_jump(&mut self, jumps: &Jumps<ConId>, span: Span) -> Result<(), TooLarge> {
        let gcode = self.gcode;
        let data = jumps.branches.first().map_or(LIST, |(con, _)| gcode.cons[*con].data);
        let target = |con: ConId| {
            let branch = jumps.branches.iter().find(|(of, _)| *of == con).map(|(_, to)| *to);
            branch.or(jumps.default).map_or(0, |Label(to)| to)
        };
        let id = self.pop();
        self.tests(id, jumps, span);
        if let Some(con) = self.known_con(id)
            && gcode.cons[con].data == data
        {
            self.push_again(id);
            return self.goto(target(con) as usize, span);
        }
        let var = self.forced(id)?;
        self.push(Value::Var(var));
        self.build_pending()?;
        self.unit.evaluated(var);
        let a = Forced(var);
        if data == LIST {
            let fields = self.unit.var();
            let tail = self.unit.var();
            let cell = self.leave(target(CONS), Some(Shape { var, con: CONS, fields }));
            let nil = self.leave(target(NIL), Some(Shape { var, con: NIL, fields: NONE }));
            let (head, tail) = (Dst(fields), Dst(tail));
            let instr = Instr::CaseList { a, head, tail, nil: Pc(nil) };
            self.unit.close(Term::Branch(instr, cell), span);
            return Ok(());
        }
        let cons = &gcode.datas[data].cons;
        match cons[..] {
            [con] => {
                let mut fields = NONE;
                if gcode.cons[con].arity == 2 {
                    fields = self.unit.var();
                    let (d, e) = (Dst(fields), Dst(self.unit.var()));
                    self.emitted(Instr::Unpack2 { d, e, a, con }, span);
                } else {
                    self.emitted(Instr::Case1 { a, con }, span);
                }
                let next = self.leave(target(con), Some(Shape { var, con, fields }));
                self.unit.close(Term::Goto(next), span);
                return Ok(());
            }
            [first, second] => {
                let mut leave =
                    |con| self.leave(target(con), Some(Shape { var, con, fields: NONE }));
                let (next, to) = (leave(first), leave(second));
                let instr = Instr::Case2 { a, con: first, to: Pc(to) };
                self.unit.close(Term::Branch(instr, next), span);
                return Ok(());
            }
            _ => {}
        }
        let mut targets = vec![NONE; cons.len()];
        for &(con, Label(to)) in &jumps.branches {
            let shape = Shape { var, con, fields: NONE };
            targets[gcode.cons[con].tag as usize] = self.leave(to, Some(shape));
        }
        if let Some(Label(to)) = jumps.default
            && targets.contains(&NONE)
        {
            let edge = self.leave(to, None);
            targets.iter_mut().filter(|to| **to == NONE).for_each(|to| *to = edge);
        }
        let first = cons.first().copied().unwrap_or(NIL);
        let targets = targets.into_iter().map(Pc).collect();
        let case = self.out.program.cases.push(Case { first, targets });
        self.unit.close(Term::Case(Instr::Case { a, case }, case), span);
        Ok(())
    }

    pub(super) fn lit_jump(&mut self, jumps: &Jumps<Lit>, span: Span) -> Result<(), TooLarge> {
        let id = self.pop();
        self.tests(id, jumps, span);
        let default = jumps.default.map_or(0, |Label(to)| to);
        let chars = matches!(jumps.branches.first(), Some((Lit::Char(_), _)));
        if let Value::Const(word) = self.values.get(id)
            && matches!((word.view(), chars), (View::Char(_), true) | (View::Int(_), false))
        {
            let is_word = |lit: Lit| match lit {
                Lit::Char(c) => Word::char(c) == word,
                Lit::Int(IntLit::Small(small)) => Word::int(small) == Some(word),
                Lit::Int(IntLit::Big(_)) => false,
            };
            let branch = jumps.branches.iter().find(|(lit, _)| is_word(*lit));
            return self.goto(branch.map_or(default, |(_, to)| to.0) as usize, span);
        }
        let a = Forced(self.forced(id)?);
        self.build_pending()?;
        self.unit.evaluated(a.0);
        let (mut words, mut bigs) = (Vec::new(), Vec::new());
        for &(lit, Label(to)) in &jumps.branches {
            let to = Pc(self.leave(to, None));
            match lit {
                Lit::Char(c) => words.push((Word::char(c), to)),
                Lit::Int(int) => match self.out.int(int) {
                    Int::Word(word) => words.push((word, to)),
                    Int::Big(big) => bigs.push((big, to)),
                },
            }
        }
        words.sort_unstable_by_key(|(word, _)| word.bits());
        let pool = &self.out.program.bigs;
        bigs.sort_by(|(a, _), (b, _)| pool[*a].cmp(&pool[*b]));
        let default = Pc(self.leave(default, None));
        let lit_case = LitCase::new(chars, words.into(), bigs.into(), default);
        let case = self.out.program.lit_cases.push(lit_case);
        self.unit.close(Term::LitCase(Instr::LitCase { a, case }, case), span);
        Ok(())
    }
}

/// Returns the comparison that holds of the same operands in the other order.
fn swapped(primitive: Primitive) -> Primitive {
    match primitive {
        Primitive::Lt => Primitive::Gt,
        Primitive::Le => Primitive::Ge,
        Primitive::Gt => Primitive::Lt,
        Primitive::Ge => Primitive::Le,
        Primitive::FLt => Primitive::FGt,
        Primitive::FLe => Primitive::FGe,
        Primitive::FGt => Primitive::FLt,
        Primitive::FGe => Primitive::FLe,
        same => same,
    }
}

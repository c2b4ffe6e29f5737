//! The code of a global, run on symbols.

use super::super::code::instr::{Base, Dst, Instr as Compact, Slot};
use super::build::Node;
use super::known::Known;
use super::output::Int;
use super::stack::Stacks;
use super::unit::{NONE, Shape, Term};
use super::value::{Args, Value, ValueId};
use super::{EMBEDDED, FRAME, FUNCTION, TooLarge, Translator, too_large};
use crate::base::span::Span;
use crate::gcode::instr::{Arities, Flow, Instr, IntLit, Label};
use crate::gcode::program::{ConId, GlobalId};
use crate::machine::heap::word::{View, Word};
use crate::primitive::Primitive;

impl Translator<'_> {
    /// Translates the code of a global to blocks.
    pub(super) fn body(&mut self, id: GlobalId) -> Result<(), TooLarge> {
        let gcode = self.gcode;
        let global = &gcode.globals[id];
        self.begin(global.arity)?;
        self.count_ways(&global.code);
        let mut code = global.code.iter().enumerate();
        while let Some((at, instr)) = code.next() {
            let span = global.spans.get(at).copied().unwrap_or(Span::NONE);
            if (self.incoming[at] != NONE || !self.unit.is_open()) && !self.arrive(at)? {
                continue;
            }
            let branch = global.code.get(at + 1).filter(|_| self.preceding[at + 1] == 1);
            match (instr.computes(), branch) {
                (Some(primitive), Some(&Instr::Cond(yes, no)))
                    if self.compare(primitive, yes, no, span)? =>
                {
                    code.next();
                }
                (Some(primitive), _) => self.computation(primitive, span)?,
                _ if *instr == Instr::NoMatch => self.no_match(&global.code, at, span)?,
                _ => self.step(instr, span)?,
            }
            self.within_limits()?;
        }
        Ok(())
    }

    /// Checks that the numbers of the function's parts have room for those of the next instruction:
    /// it adds no more than a frame has slots, or as many as there are.
    fn within_limits(&self) -> Result<(), TooLarge> {
        let parts = [self.unit.parts(), self.values.parts(), self.stacks.parts()];
        match parts.into_iter().max() {
            Some(parts) if parts > self.limits.function as usize => Err(too_large(FUNCTION)),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, arity: u32) -> Result<(), TooLarge> {
        if arity > self.limits.frame {
            return Err(too_large(FRAME));
        }
        self.moved = 0;
        self.values.clear();
        self.stacks.clear();
        self.holes.clear();
        self.carried.clear();
        self.tested.clear();
        self.lazies.clear();
        self.updated = None;
        self.unit.begin(arity);
        self.stack = Stacks::EMPTY;
        self.push(Value::Const(Word::NOTHING));
        (0..arity).rev().for_each(|parameter| self.push(Value::Var(parameter)));
        Ok(())
    }

    /// Counts the edges to each instruction.
    fn count_ways(&mut self, code: &[Instr]) {
        self.incoming.clear();
        self.incoming.resize(code.len() + 1, NONE);
        self.preceding.clear();
        self.preceding.resize(code.len() + 1, 0);
        for (at, instr) in code.iter().enumerate() {
            match instr.op().flow() {
                Flow::Next => self.preceding[at + 1] += 1,
                Flow::Jump => {
                    instr.labels().for_each(|to| self.preceding[to.0 as usize] += 1);
                }
                Flow::End => {}
            }
        }
    }

    pub(super) fn push(&mut self, value: Value) {
        let id = self.values.add(value);
        self.stack = self.stacks.push(self.stack, id);
    }

    pub(super) fn push_again(&mut self, id: ValueId) {
        self.values.release(id);
        self.stack = self.stacks.push(self.stack, id);
    }

    /// Takes the top off the stack, which has one: the verifier of G-code sees to it.
    pub(super) fn pop(&mut self) -> ValueId {
        let Some((id, rest)) = self.stacks.pop(self.stack) else {
            unreachable!("verified code finds its operands on the stack")
        };
        self.stack = rest;
        self.values.own(id);
        id
    }

    /// Returns the item `n` below the top.
    fn item(&self, n: u32) -> ValueId {
        self.stacks
            .item(self.stack, n)
            .unwrap_or_else(|| unreachable!("verified code finds its operands on the stack"))
    }

    fn drop(&mut self, count: u32) {
        self.stack = self.stacks.drop(self.stack, count);
    }

    /// Builds all that is to be built on the stack.
    pub(super) fn build_pending(&mut self) -> Result<(), TooLarge> {
        if !self.in_thunk {
            for id in self.values.take_pending() {
                self.variable(id)?;
            }
        }
        Ok(())
    }

    /// Translates an instruction that computes on evaluated operands.
    fn computation(&mut self, primitive: Primitive, span: Span) -> Result<(), TooLarge> {
        let a = self.pop();
        let b = (primitive.arity() > 1).then(|| self.pop());
        let d = self.compute(primitive, a, b, span)?;
        self.push(Value::Var(d));
        Ok(())
    }

    /// Translates `NoMatch`, with the scrutinee of the case, if that leads here and
    /// nowhere else.
    fn no_match(&mut self, code: &[Instr], at: usize, span: Span) -> Result<(), TooLarge> {
        let drops = |at: usize| matches!(code.get(at), Some(Instr::Pop(_) | Instr::Split(_)));
        let mut start = at;
        while self.preceding[start] == 1 && start > 0 && drops(start - 1) {
            start -= 1;
        }
        let text = |span| self.gcode.places.text(span);
        let tested = self.tested.get(&(start as u32)).filter(|_| self.preceding[start] == 1);
        let a = match tested.copied().filter(|(_, case)| text(*case) == text(span)) {
            Some((id, _)) => self.arg(id)?,
            None => self.out.constant(Word::NOTHING),
        };
        self.unit.close(Term::End(Compact::NoMatch { a }), span);
        Ok(())
    }

    fn step(&mut self, instr: &Instr, span: Span) -> Result<(), TooLarge> {
        match *instr {
            Instr::Unwind => {
                let top = self.pop();
                let value = self.updated.take().unwrap_or(top);
                self.values.own(value);
                self.finish_with(value, span)?;
            }
            Instr::PushGlobal(global) => {
                let value = self.global_value(global);
                self.push(value);
            }
            Instr::PushInt(int) => {
                let value = self.int(int);
                self.push(value);
            }
            Instr::PushFloat(value) => self.push(match Word::float(value.get()) {
                Some(word) => Value::Const(word),
                None => Value::Float(value),
            }),
            Instr::PushChar(c) => self.push(Value::Const(Word::char(c))),
            Instr::PushText(text) => self.push(Value::Text(text)),
            Instr::Push(n) => {
                let id = self.item(n);
                if !self.values.get(id).is_atom() {
                    self.variable(id)?;
                }
                self.stack = self.stacks.push(self.stack, id);
            }
            Instr::MkApp => self.apply_top(span)?,
            Instr::Slide(n) => {
                let top = self.pop();
                self.drop(n);
                self.push_again(top);
            }
            Instr::Squeeze(n, m) => {
                let kept: Vec<ValueId> = (0..n).map(|_| self.pop()).collect();
                self.drop(m);
                kept.into_iter().rev().for_each(|id| self.push_again(id));
            }
            Instr::Update(n) => self.update(n, span)?,
            Instr::Pop(n) => self.drop(n),
            Instr::Alloc(n) => {
                if n > self.limits.frame {
                    return Err(too_large(FRAME));
                }
                for _ in 0..n {
                    let d = self.unit.var();
                    self.holes.insert(d, self.unit.instrs.len());
                    self.emitted(Compact::Hole { d: Dst(d), words: 1 }, span);
                    self.push(Value::Var(d));
                }
            }
            Instr::Eval => {
                let id = self.pop();
                match self.evaluate(id, span)? {
                    Some(v) => self.push(Value::Var(v)),
                    None => self.push_again(id),
                }
            }
            Instr::Pack(con) => self.pack(con, span)?,
            Instr::Split(n) => self.split(n, span)?,
            Instr::Cond(yes, no) => self.cond(yes, no, span)?,
            Instr::CaseJump(ref jumps) => self.case_jump(jumps, span)?,
            Instr::LitJump(ref jumps) => self.lit_jump(jumps, span)?,
            Instr::Jump(Label(to)) => self.goto(to as usize, span)?,
            Instr::NoMatch => unreachable!("`body` has seen to it"),
            Instr::Raise => {
                let id = self.pop();
                let a = Slot(self.variable(id)?);
                self.unit.close(Term::End(Compact::Raise { a }), span);
            }
            Instr::Try => {
                let id = self.pop();
                self.build_pending()?;
                let base = match self.called(id) {
                    Some((global, list)) => {
                        let args = self.args(&list)?;
                        let args = self.arguments(args)?;
                        let base = self.unit.var();
                        let instr = Compact::TryCall { base: Base(base), global, args };
                        self.emitted(instr, span);
                        base
                    }
                    None => {
                        let a = self.arg(id)?;
                        let base = self.unit.var();
                        self.emitted(Compact::Try { base: Base(base), a }, span);
                        base
                    }
                };
                self.unit.evaluated(base);
                self.push(Value::Var(base));
            }
            Instr::Effect(effect) => {
                let list: Vec<ValueId> = (0..effect.arity()).map(|_| self.pop()).collect();
                self.build_pending()?;
                let args = self.args(&list)?;
                let (d, args) = (self.unit.var(), self.out.args(args));
                self.emitted(Compact::Effect { d: Dst(d), effect, args }, span);
                self.push(Value::Var(d));
            }
            Instr::CallHost(host) => {
                let arity = self.gcode.host_arity(host);
                let list: Vec<ValueId> = (0..arity).map(|_| self.pop()).collect();
                self.build_pending()?;
                let args = self.args(&list)?;
                let (d, args) = (self.unit.var(), self.out.args(args));
                self.emitted(Compact::CallHost { d: Dst(d), host, args }, span);
                self.push(Value::Var(d));
            }
            Instr::Add
            | Instr::Sub
            | Instr::Mul
            | Instr::Div
            | Instr::Rem
            | Instr::FloorDiv
            | Instr::Mod
            | Instr::Neg
            | Instr::Eq
            | Instr::Ne
            | Instr::Lt
            | Instr::Le
            | Instr::Gt
            | Instr::Ge
            | Instr::Ord
            | Instr::Chr
            | Instr::Unary(_)
            | Instr::Binary(_) => unreachable!("they compute, and `body` has seen to them"),
            Instr::Print => unreachable!("verified: only the initial code prints"),
        }
        Ok(())
    }

    fn global_value(&self, id: GlobalId) -> Value {
        match (self.gcode.globals[id].arity, self.globals.known(id)) {
            (0, Known::Con(con)) => Value::Const(Word::con(con)),
            (0, _) => Value::Caf(id),
            _ => Value::Const(Word::function(id)),
        }
    }

    fn int(&mut self, int: IntLit) -> Value {
        match self.out.int(int) {
            Int::Word(word) => Value::Const(word),
            Int::Big(big) => Value::Big(big),
        }
    }

    /// Makes a part of an expression a node if it is too large for a part; and if it selects a
    /// field of a variable, so that the collector can put the field in its place.
    fn part(&mut self, id: ValueId) -> Result<(), TooLarge> {
        let selects = match self.values.get(id) {
            Value::App { callee, args, .. } => self.selection(callee, args).is_some(),
            _ => false,
        };
        if selects || self.values.size(id) > EMBEDDED {
            self.variable(id)?;
        }
        Ok(())
    }

    /// Translates `MkApp`: applications are kept flat.
    fn apply_top(&mut self, span: Span) -> Result<(), TooLarge> {
        let (f, x) = (self.pop(), self.pop());
        self.part(x)?;
        let (callee, args) = match self.values.get(f) {
            Value::App { callee, args, .. } => (callee, args),
            value => {
                if !value.is_atom() {
                    self.variable(f)?;
                }
                (f, Args::EMPTY)
            }
        };
        let args = self.values.append(args, x);
        self.push(Value::App { callee, args, span });
        Ok(())
    }

    fn pack(&mut self, con: ConId, span: Span) -> Result<(), TooLarge> {
        let arity = self.gcode.con_arity(con);
        if arity == 0 {
            self.push(Value::Const(Word::con(con)));
            return Ok(());
        }
        let mut args = Args::EMPTY;
        for _ in 0..arity {
            let field = self.pop();
            self.part(field)?;
            args = self.values.append(args, field);
        }
        self.push(Value::Con { con, args, span });
        Ok(())
    }

    /// Returns the constructor that a value is known to be.
    pub(super) fn known_con(&self, id: ValueId) -> Option<ConId> {
        match self.values.get(id) {
            Value::Con { con, .. } => Some(con),
            Value::Const(word) => match word.view() {
                View::Con(con) => Some(con),
                _ => None,
            },
            Value::Var(v) => self.unit.shape(v).map(|shape| shape.con),
            _ => None,
        }
    }

    fn split(&mut self, n: u32, span: Span) -> Result<(), TooLarge> {
        let id = self.pop();
        if let Value::Con { args, .. } = self.values.get(id) {
            self.values.list(args).into_iter().rev().for_each(|field| self.push_again(field));
            return Ok(());
        }
        if n == 0 {
            return Ok(());
        }
        let a = self.variable(id)?;
        let known = self.unit.shape(a);
        let first = match known {
            Some(Shape { fields, .. }) if fields != NONE => fields,
            _ => {
                let first = self.unit.vars();
                (0..n).for_each(|_| _ = self.unit.var());
                let (d, slot) = (Dst(first), Slot(a));
                let instr = match n {
                    1 => Compact::Field { d, a: slot, index: 0 },
                    2 => Compact::Fields2 { d, e: Dst(first + 1), a: slot },
                    3 => Compact::Fields3 { d, e: Dst(first + 1), f: Dst(first + 2), a: slot },
                    4 => {
                        let (e, f, g) = (Dst(first + 1), Dst(first + 2), Dst(first + 3));
                        Compact::Fields4 { d, e, f, g, a: slot }
                    }
                    _ => Compact::FieldsN { a: slot, slots: self.out.slots(first..first + n) },
                };
                self.emitted(instr, span);
                if let Some(shape) = known {
                    self.unit.shaped(Shape { fields: first, ..shape });
                }
                first
            }
        };
        (first..first + n).rev().for_each(|field| self.push(Value::Var(field)));
        Ok(())
    }

    /// Translates `Update`: of the redex, which has no slot; or of a hole.
    fn update(&mut self, n: u32, span: Span) -> Result<(), TooLarge> {
        let value = self.pop();
        if self.stacks.depth(self.stack) == n + 1 {
            self.values.release(value);
            self.updated = Some(value);
            return Ok(());
        }
        let target = self.item(n);
        let hole = self.variable(target)?;
        let a = Slot(hole);
        let node = self.node(value)?;
        let Some(at) = self.holes.remove(&hole) else {
            unreachable!("verified code fills each hole that it makes, once")
        };
        self.unit.instrs[at] = Compact::Hole { d: Dst(hole), words: node.words() as i32 };
        let evaluated = matches!(node, Node::Con(..) | Node::Pap(..));
        let instr = match node {
            Node::Con(con, args) => Compact::FillCon { a, con, args: self.out.args(args) },
            Node::Pap(global, args) => Compact::FillPap { a, global, args: self.out.args(args) },
            Node::Thunk(thunk, args) => Compact::FillThunk { a, thunk, args: self.out.args(args) },
            Node::Other(b) => Compact::FillInd { a, b },
        };
        self.emitted(instr, span);
        if evaluated {
            self.unit.evaluated(hole);
        }
        Ok(())
    }
}

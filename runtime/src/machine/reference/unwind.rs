//! Unwinding: going by the node on top of the stack.

use super::code::Position;
use super::heap::node::{Addr, Node, Site};
use super::state::{Machine, NO_REDEX};
use crate::gcode::program::{CONS, GlobalId, NIL, TextId};
use crate::machine::failure::Failure;
use crate::machine::outcome::Stop;

impl Machine {
    /// `<Unwind : [], s, d, h>`: one step of it. Which rule, the node on top says.
    pub(super) fn unwind(&mut self) -> Result<(), Stop> {
        let top = self.item(0);
        match *self.heap.get(top) {
            Node::App { fun, .. } => self.unwind_application(fun),
            Node::Ind(to) => {
                self.unwind_indirection(to);
                Ok(())
            }
            Node::Global(global) => self.unwind_global(global),
            Node::Int(_)
            | Node::Big(_)
            | Node::Float(_)
            | Node::Char(_)
            | Node::Constr { .. }
            | Node::Large(..)
            | Node::Array(_)
            | Node::Bytes(_)
            | Node::Opaque(_) => self.unwind_value(top),
            Node::Text { text, at } => self.unwind_text(top, text, at),
            Node::Input => self.unwind_input(top),
            Node::Hole => Err(self.self_dependent(None)),
            Node::BlackHole { global, .. } => Err(self.self_dependent(Some(global))),
            Node::Suspended { record, index, .. } => self.unwind_suspended(top, record, index),
            Node::Free(_) => unreachable!("the collector keeps what the stack leads to"),
        }
    }

    /// `<Unwind : [], a : s, d, h[a: NApp f x]>  =>  <Unwind : [], f : a : s, d, h>`
    ///
    /// An application whose function is, in the end, that application is an error.
    fn unwind_application(&mut self, fun: Addr) -> Result<(), Stop> {
        if self.spine_repeats() {
            return Err(self.self_dependent(None));
        }
        self.stack_check(1)?;
        // A collection may have shortened the chain to the function.
        let fun = match *self.heap.get(self.item(0)) {
            Node::App { fun, .. } => fun,
            _ => fun,
        };
        self.stack.push(fun);
        Ok(())
    }

    /// Returns whether the node on top was met before on this spine. Only one item is looked at,
    /// the one at the last power of two: a spine that repeats comes by it again (Brent, *An
    /// improved Monte Carlo factorization algorithm*, 1980, section 2).
    fn spine_repeats(&self) -> bool {
        let below = self.stack.len() - 1 - self.base as usize;
        let Some(log) = below.checked_ilog2() else { return false };
        self.stack[self.base as usize + (1 << log) - 1] == self.item(0)
    }

    /// `<Unwind : [], a : s, d, h[a: NInd b]>  =>  <Unwind : [], b : s, d, h>`
    fn unwind_indirection(&mut self, to: Addr) {
        self.replace(1, to);
    }

    /// `<Unwind : [], f : a1 : .. : an : s, d, h[f: NGlobal n c, ai: NApp _ xi]>  =>  <c, x1 : .. : xn : an : s, d, h[an: NBlackHole]>`
    ///
    /// and with too few arguments, for a value:
    ///
    /// `<Unwind : [], f : a1 : .. : ak : [], <i, s> : d, h[f: NGlobal n c]>, k < n  =>  <i, ak : s, d, h>`
    fn unwind_global(&mut self, global: GlobalId) -> Result<(), Stop> {
        let arity = self.code.global(global).map_or(0, |global| global.arity as usize);
        let top = self.stack.len() - 1;
        if top - (self.base as usize) < arity {
            self.return_value(self.stack[self.base as usize]);
            return Ok(());
        }
        let redex = top - arity;
        let mut site = Site::NONE;
        if let Node::App { site: built, .. } = *self.heap.get(self.stack[redex]) {
            site = built;
        }
        // From the top down, so that each application is read before its place is taken.
        for at in (redex + 1..=top).rev() {
            let Node::App { arg, .. } = *self.heap.get(self.stack[at - 1]) else {
                unreachable!("an unwinding leaves applications below its top; they are pinned")
            };
            self.stack[at] = arg;
        }
        let outside = std::mem::replace(&mut self.outside, Site::NONE);
        self.heap.set(self.stack[redex], Node::BlackHole { global, site, outside });
        self.redex = redex as u32;
        self.unwinding = false;
        self.at = Position::start(global);
        self.counts.reductions += 1;
        self.counts.thunks_entered += 1;
        Ok(())
    }

    /// `<Unwind : [], a : [], <i, s> : d, h[a: value]>  =>  <i, a : s, d, h>`
    ///
    /// A value with arguments waiting for it is an error.
    fn unwind_value(&mut self, value: Addr) -> Result<(), Stop> {
        let waiting = self.stack.len() - 1 - self.base as usize;
        if waiting > 0 {
            return Err(self.applied_value(value, waiting));
        }
        self.return_value(value);
        Ok(())
    }

    /// `<Unwind : [], a : s, d, h[a: NText t k]>  =>  <Unwind : [], a : s, d, h[a: NConstr Cons [c, b], c: NChar .., b: NText t (k + 1)]>`
    ///
    /// and at the end of the text `h[a: NConstr Nil []]`.
    fn unwind_text(&mut self, node: Addr, text: TextId, at: u32) -> Result<(), Stop> {
        self.reserve(2, 0)?;
        let rest = self.code.program.texts.get(text).and_then(|text| text.get(at as usize..));
        let cell = match rest.and_then(|rest| rest.chars().next()) {
            Some(c) => {
                let head = self.heap.alloc(Node::Char(c));
                let tail = self.heap.alloc(Node::Text { text, at: at + c.len_utf8() as u32 });
                Node::constr(CONS, &[head, tail])
            }
            None => Node::constr(NIL, &[]),
        };
        self.unpacked(node, cell);
        Ok(())
    }

    /// `<Unwind : [], a : s, d, h[a: NInput], c : in>  =>  <Unwind : [], a : s, d, h[a: NConstr Cons [b, a'], b: NChar c, a': NInput], in>`
    ///
    /// and at the end of the input `h[a: NConstr Nil []]`. Nothing is read ahead.
    fn unwind_input(&mut self, node: Addr) -> Result<(), Stop> {
        self.reserve(2, 0)?;
        let next = match &mut self.input {
            Some(input) => input.next().map_err(Stop::Input)?,
            None => None,
        };
        let cell = match next {
            Some(c) => {
                let head = self.heap.alloc(Node::Char(c));
                let tail = self.heap.alloc(Node::Input);
                Node::constr(CONS, &[head, tail])
            }
            None => Node::constr(NIL, &[]),
        };
        self.unpacked(node, cell);
        Ok(())
    }

    fn unpacked(&mut self, node: Addr, cell: Node) {
        self.heap.set(node, cell);
        self.counts.thunks_entered += 1;
        self.counts.thunks_updated += 1;
    }

    /// `<Unwind : [], a : s, d, h[a: NSuspended i s']>  =>  <i, s' : a : s, d, h[a: NBlackHole]>`
    ///
    /// An evaluation that was stopped goes on.
    fn unwind_suspended(&mut self, node: Addr, record: u32, index: u32) -> Result<(), Stop> {
        let Some(frame) = self.frozen.frame(record, index) else {
            unreachable!("a record lives as long as a node refers to it")
        };
        self.stack_check(frame.range().len())?;
        // A collection may have packed the record.
        let Node::Suspended { record, index, site } = *self.heap.get(node) else {
            unreachable!("a collection leaves a suspended node what it is")
        };
        let frame = self.frozen.frame(record, index).unwrap_or(frame);
        self.redex = self.stack.len() as u32 - 1;
        self.stack.extend_from_slice(self.frozen.segment(record, frame));
        let outside = std::mem::replace(&mut self.outside, Site::NONE);
        self.heap.set(node, Node::BlackHole { global: frame.at.global, site, outside });
        self.frozen.release(record);
        self.count_side();
        self.at = frame.at;
        self.unwinding = false;
        Ok(())
    }

    /// Gives a value to whoever asked for it: drops the present piece of the stack but for
    /// the value, and goes on after the `Eval` on top of the dump.
    fn return_value(&mut self, value: Addr) {
        self.stack.truncate(self.base as usize);
        self.stack.push(value);
        let Some(frame) = self.dump.pop() else {
            unreachable!("an unwinding begins with an `Eval`, which leaves a frame")
        };
        self.world.performing.evaluated(self.dump.len(), self.code.place(self.at));
        self.at = frame.at.next();
        self.base = frame.base;
        self.redex = frame.redex;
        self.unwinding = false;
    }

    /// Executes the instruction `Unwind`, the end of a code.
    ///
    /// Code that has not updated its redex by now does it here, so that no code leaves a
    /// black hole behind.
    pub(super) fn begin_unwind(&mut self) -> Result<(), Stop> {
        if self.redex != NO_REDEX {
            let (value, redex) = (self.item(0), self.redex as usize);
            self.stack.truncate(redex + 1);
            self.outside = self.called_from(self.item(0));
            self.update_with(self.item(0), value);
            self.redex = NO_REDEX;
        }
        self.unwinding = true;
        self.unwind()
    }

    fn self_dependent(&self, global: Option<GlobalId>) -> Stop {
        let caf = global.filter(|global| {
            self.code
                .global(*global)
                .is_some_and(|global| global.arity == 0 && global.display.is_some())
        });
        let name = caf.map(|caf| self.shown_name(caf));
        self.fail(Failure::self_dependent(name.as_deref()))
    }
}

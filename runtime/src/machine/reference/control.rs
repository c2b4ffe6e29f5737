//! Evaluation, jumps, and the ends that are no value.

use super::code::Position;
use super::heap::node::{Addr, Node, Site};
use super::state::{Frame, Machine, NO_REDEX};
use crate::gcode::instr::Label;
use crate::gcode::program::{CONS, NIL};
use crate::machine::failure::{Failure, Message, Shown};
use crate::machine::outcome::Stop;

impl Machine {
    /// `<Eval : i, a : s, d, h>  =>  <Unwind : [], a : [], <i, s> : d, h>`
    pub(super) fn eval(&mut self) -> Result<(), Stop> {
        self.dump_room()?;
        self.dump.push(Frame { at: self.at, base: self.base, redex: self.redex });
        self.base = self.stack.len() as u32 - 1;
        self.redex = NO_REDEX;
        self.outside = Site::NONE;
        self.unwinding = true;
        Ok(())
    }

    /// `<Cond yes no : i, a : s, d, h[a: NNum 1]>  =>  <code at yes, s, d, h>`
    ///
    /// `<Cond yes no : i, a : s, d, h[a: NNum 0]>  =>  <code at no, s, d, h>`
    pub(super) fn cond(&mut self, yes: Label, no: Label) -> Result<(), Stop> {
        let top = self.item(0);
        let label = match self.heap.get(self.heap.value(top)) {
            Node::Int(1) => yes,
            Node::Int(0) => no,
            _ => {
                let found = self.describe(top);
                return Err(self.fail(Failure::no_condition(&found)));
            }
        };
        self.stack.pop();
        self.jump(label);
        Ok(())
    }

    /// `<Jump l : i, s, d, h>  =>  <code at l, s, d, h>`
    pub(super) fn jump(&mut self, label: Label) {
        self.at = Position { global: self.at.global, pc: label.0 };
    }

    /// `<Raise : i, a : s, d, h>  =>  error`
    ///
    /// The message is the text on top. What of it is not evaluated is not shown.
    pub(super) fn raise(&self) -> Stop {
        self.fail(self.text_so_far(self.item(0)).error())
    }

    pub(super) fn text_so_far(&self, mut at: Addr) -> Shown {
        let mut message = Message::new();
        loop {
            let (head, tail) = match *self.heap.get(self.heap.value(at)) {
                Node::Constr { con: CONS, fields: [head, tail], .. } => (head, tail),
                Node::Constr { con: NIL, .. } => return message.ended(),
                Node::Text { text: id, at } => {
                    let literal = self.code.program.texts.get(id);
                    let rest = literal.and_then(|text| text.get(at as usize..)).unwrap_or("");
                    return match rest.chars().all(|c| message.push(c)) {
                        true => message.ended(),
                        false => message.cut(),
                    };
                }
                _ => return message.cut(),
            };
            match *self.heap.get(self.heap.value(head)) {
                Node::Char(c) if message.push(c) => at = tail,
                _ => return message.cut(),
            }
        }
    }
}

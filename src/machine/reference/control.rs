//! Evaluation, jumps, and the ends that are no value.

use super::code::Position;
use super::heap::node::{Addr, Node};
use super::state::{Frame, Machine, NO_REDEX};
use crate::base::code::Code;
use crate::gcode::instr::Label;
use crate::gcode::program::{CONS, NIL};
use crate::machine::outcome::Stop;

/// How many characters of its message a call of `error` shows: all that the code of `error`
/// evaluates, and its ellipsis.
const MESSAGE: usize = 10_001;

impl Machine {
    /// `<Eval : i, a : s, d, h>  =>  <Unwind : [], a : [], <i, s> : d, h>`
    pub(super) fn eval(&mut self) -> Result<(), Stop> {
        self.dump_room()?;
        self.dump.push(Frame { at: self.at, base: self.base, redex: self.redex });
        self.base = self.stack.len() as u32 - 1;
        self.redex = NO_REDEX;
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
                let message = format!("a condition must be 1 or 0, and is {found}");
                return Err(self.fail(Code::NotBoolean, message, ""));
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
        let text = self.text_so_far(self.item(0));
        let message = match text.as_str() {
            "" => "the program called error with an empty message".to_owned(),
            text => format!("the program called error: {text}"),
        };
        self.fail(Code::ErrorCalled, message, "")
    }

    /// The evaluated part of a text, escaped and cut at [`MESSAGE`] characters.
    fn text_so_far(&self, mut at: Addr) -> String {
        let mut text = String::new();
        for _ in 0..MESSAGE {
            let (head, tail) = match *self.heap.get(self.heap.value(at)) {
                Node::Constr { con: CONS, fields: [head, tail], .. } => (head, tail),
                Node::Constr { con: NIL, .. } => return text,
                Node::Text { text: id, at } => {
                    let literal = self.code.program.texts.get(id);
                    let rest = literal.and_then(|text| text.get(at as usize..)).unwrap_or("");
                    let room = MESSAGE.saturating_sub(text.chars().count());
                    rest.chars().take(room).for_each(|c| push_shown(&mut text, c));
                    if rest.chars().nth(room).is_some() {
                        text.push('…');
                    }
                    return text;
                }
                _ => break,
            };
            let Node::Char(c) = *self.heap.get(self.heap.value(head)) else { break };
            push_shown(&mut text, c);
            at = tail;
        }
        text.push('…');
        text
    }
}

/// Appends a character as messages show it.
fn push_shown(text: &mut String, c: char) {
    text.push_str(&crate::base::quote::shown(c.encode_utf8(&mut [0; 4])));
}

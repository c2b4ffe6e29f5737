//! The functions of effects, which the performer calls.

use super::Compiler;
use super::perform::Performer;
use crate::base::span::Span;
use crate::gcode::effect::{ActionCon, Effect, PIECE};
use crate::gcode::instr::{Instr, IntLit};
use crate::gcode::program::{CONS, NIL};
use crate::primitive::Primitive;

impl Compiler<'_> {
    /// Emits the function of an effect: evaluates the operands that are to be, the first one first.
    pub(super) fn effect_function(&mut self, effect: Effect) {
        let arity = effect.arity();
        for (at, &strict) in (0..).zip(effect.operands()) {
            self.push_at(arity - at);
            if strict {
                self.own(Instr::Eval);
            }
        }
        // The last one is topmost now, and the first one has to be.
        (0..arity).for_each(|at| self.push_at(2 * arity - at));
        self.own(Instr::Effect(effect));
        if !effect.is_of_threads() {
            self.pack(ActionCon::Return);
        }
        self.update_and_unwind(Span::NONE);
    }

    /// Emits the function that writes a byte string, in pieces that the output takes one by one:
    ///
    /// ```text
    /// put b id = if the first piece, which is written, is all of b
    ///            then Return Nil else PutBytes (b without that piece)
    /// ```
    pub(super) fn put_bytes(&mut self) {
        let (b, id) = (2, 1);
        let (whole, part) = (self.code.label(), self.code.label());
        for operand in [b, id] {
            self.push_at(operand);
            self.own(Instr::Eval);
        }
        let (b, id) = (3, 4);
        self.push_at(id);
        self.push_at(b);
        self.own(Instr::Effect(Effect::PutBytes));
        self.own(Instr::Cond(whole, part));
        self.code.place(whole);
        self.own(Instr::Pack(NIL));
        self.pack(ActionCon::Return);
        self.update_and_unwind(Span::NONE);
        self.code.place(part);
        self.push_at(b);
        self.own(Instr::PushInt(IntLit::Small(PIECE as i64)));
        self.own(Instr::Binary(Primitive::BytesDrop));
        let again = self.effect_con(Effect::PutBytes);
        self.own(Instr::Pack(again));
        self.update_and_unwind(Span::NONE);
    }

    /// Emits the function that writes a text as it is evaluated:
    ///
    /// ```text
    /// put s id = case s of
    ///   Nil       -> Return Nil, and the text is ended
    ///   Cons c cs -> case c and the evaluated characters of cs, which are written, of
    ///     Put rest -> put rest id
    ///     other    -> other, which is Return Nil
    /// ```
    pub(super) fn put(&mut self, effect: Effect) {
        let (s, id, c, cs) = (2, 1, 4, 3);
        let again = self.action(match effect {
            Effect::PutErrorCharacters => ActionCon::PutError,
            _ => ActionCon::PutText,
        });
        let (empty, cell) = (self.code.label(), self.code.label());
        let (more, other) = (self.code.label(), self.code.label());
        self.push_at(s);
        self.own(Instr::Eval);
        self.case(vec![(NIL, empty), (CONS, cell)], None);
        self.code.place(empty);
        // The number of the thread is looked at for an empty text, too.
        self.own(Instr::Pop(1));
        self.push_at(id);
        self.own(Instr::Eval);
        self.own(Instr::Pack(NIL));
        self.own(Instr::PushInt(IntLit::Small(-1)));
        self.own(Instr::Effect(effect));
        self.own(Instr::Pop(1));
        self.own(Instr::Pack(NIL));
        self.pack(ActionCon::Return);
        self.update_and_unwind(Span::NONE);
        self.code.place(cell);
        self.own(Instr::Split(2));
        self.push_at(id);
        self.own(Instr::Eval);
        self.push_at(cs);
        self.push_at(c);
        self.own(Instr::Eval);
        self.own(Instr::Effect(effect));
        self.case(vec![(again, more)], Some(other));
        self.code.place(more);
        self.own(Instr::Split(1));
        let rest = self.code.depth() - 1;
        self.push_at(id);
        self.push_at(rest);
        self.tail(Performer::Put(effect), 2);
        self.code.place(other);
        self.update_and_unwind(Span::NONE);
    }
}

//! The code of what no definition stands behind: primitives, constructors and host functions
//! as functions.

use std::sync::Arc;

use super::{Compiler, Source};
use crate::base::span::Span;
use crate::core::expr as core;
use crate::gcode::instr::{Instr, IntLit, Jumps, Lit};
use crate::gcode::program::{CONS, ConId, Global, GlobalKind, HostId, NIL};
use crate::primitive::{Primitive, Shape, Walk};

/// How many characters of an error's message are evaluated and shown; what follows is cut,
/// so that a message without end is reported too.
pub const MESSAGE_LIMIT: i64 = 10_000;

/// Returns the instruction of a primitive of [`Shape::Strict`].
pub(super) fn instr(primitive: Primitive) -> Instr {
    match Instr::computing(primitive) {
        Some(instr) => instr,
        None => unreachable!("its shape is not Strict"),
    }
}

impl Compiler<'_> {
    fn generated(&mut self, instr: Instr) {
        self.emit(instr, Span::NONE);
    }

    /// Emits the code of a primitive as a function.
    pub(super) fn primitive_code(&mut self, primitive: Primitive) {
        let arity = primitive.arity() as u32;
        match primitive.shape() {
            Shape::Action => self.action_code(primitive),
            Shape::Lazy => self.lazy_code(primitive),
            Shape::Strict => {
                // Each push finds the next operand, the last first, at one and the same place.
                for _ in 0..arity {
                    self.generated(Instr::Push(arity - 1));
                    self.generated(Instr::Eval);
                }
                if primitive.walks().is_some() {
                    self.walk_list(primitive, Span::NONE);
                }
                self.generated(instr(primitive));
                if primitive.selects() {
                    self.generated(Instr::Eval);
                }
            }
            Shape::If => {
                let (yes, no, end) = (self.code.label(), self.code.label(), self.code.label());
                self.generated(Instr::Push(0));
                self.generated(Instr::Eval);
                self.generated(Instr::Cond(yes, no));
                self.code.place(yes);
                self.generated(Instr::Push(1));
                self.generated(Instr::Jump(end));
                self.code.place(no);
                self.generated(Instr::Push(2));
                self.code.place(end);
            }
            Shape::Seq => {
                self.generated(Instr::Push(0));
                self.generated(Instr::Eval);
                self.generated(Instr::Pop(1));
                self.generated(Instr::Push(1));
            }
            Shape::Error => {
                self.generated(Instr::Push(0));
                self.generated(Instr::PushInt(IntLit::Small(MESSAGE_LIMIT)));
                self.push_global(Source::ErrorText, Span::NONE);
                self.apply(2, Span::NONE);
                self.generated(Instr::Eval);
                self.generated(Instr::Raise);
            }
        }
        self.update_and_unwind(Span::NONE);
    }

    /// Returns a constructor as a function of its fields.
    pub(super) fn con_function(&mut self, con: core::ConId) -> Global {
        let core::Con { name, symbol, arity, span, .. } = self.core.cons[con].clone();
        let con: ConId = self.cons[con];
        self.start(arity);
        self.push_arguments(arity);
        self.generated(Instr::Pack(con));
        self.update_and_unwind(Span::NONE);
        let symbol = self.unique(&symbol);
        self.finish(symbol, Some(name), GlobalKind::Constructor(con), arity, Vec::new(), span)
    }

    /// Emits the code of a host function, and returns its number.
    pub(super) fn host_code(&mut self, id: core::GlobalId, arity: u32) -> HostId {
        let host = self.host(id, arity);
        self.push_arguments(arity);
        self.generated(Instr::CallHost(host));
        self.update_and_unwind(Span::NONE);
        host
    }

    /// Emits the push of the arguments of a global, the first topmost.
    fn push_arguments(&mut self, arity: u32) {
        for _ in 0..arity {
            self.generated(Instr::Push(arity - 1));
        }
    }

    /// Returns the function that evaluates a message to its end before it is raised: a copy of the
    /// list `s`, evaluated up to `n` elements; if it is longer, it ends in an ellipsis.
    ///
    /// ```text
    /// text n s = case s of
    ///   Nil       -> Nil
    ///   Cons c cs -> if n is 0 then "…"
    ///                else case c of a character -> Cons c (text (n - 1) cs), text forced
    /// ```
    ///
    /// No other code without spans but that which walks lists has `CaseJump` or `LitJump`: one that
    /// fails here tells a machine that the message is no text.
    pub(super) fn error_text(&mut self) -> Global {
        let (n, s, arity) = (2, 1, 2);
        self.start(arity);
        let (empty, cell) = (self.code.label(), self.code.label());
        let (cut, more, character) = (self.code.label(), self.code.label(), self.code.label());

        self.push_height(s, Span::NONE);
        self.generated(Instr::Eval);
        let branches = vec![(NIL, empty), (CONS, cell)];
        self.generated(Instr::CaseJump(Box::new(Jumps { branches, default: None })));

        self.code.place(empty);
        self.generated(Instr::Split(0));
        self.generated(Instr::Pack(NIL));
        self.update_and_unwind(Span::NONE);

        self.code.place(cell);
        self.generated(Instr::Split(2));
        let (cs, c) = (3, 4);
        self.push_height(n, Span::NONE);
        self.generated(Instr::Eval);
        let branches = vec![(Lit::Int(IntLit::Small(0)), cut)];
        self.generated(Instr::LitJump(Box::new(Jumps { branches, default: Some(more) })));

        self.code.place(cut);
        self.generated(Instr::Pack(NIL));
        self.generated(Instr::PushChar('…'));
        self.generated(Instr::Pack(CONS));
        self.update_and_unwind(Span::NONE);

        self.code.place(more);
        self.push_height(c, Span::NONE);
        self.generated(Instr::Eval);
        // Whichever character it is: this drops it, and fails on anything else.
        let branches = vec![(Lit::Char('\0'), character)];
        self.generated(Instr::LitJump(Box::new(Jumps { branches, default: Some(character) })));
        self.code.place(character);
        self.push_height(cs, Span::NONE);
        self.generated(Instr::PushInt(IntLit::Small(1)));
        self.push_height(n, Span::NONE);
        self.generated(Instr::Sub);
        self.push_global(Source::ErrorText, Span::NONE);
        self.apply(2, Span::NONE);
        self.generated(Instr::Eval);
        self.push_height(c, Span::NONE);
        self.generated(Instr::Pack(CONS));
        self.update_and_unwind(Span::NONE);

        let symbol = self.unique("error$text");
        let params = ["n", "s"].map(|name| Some(Arc::from(name))).into();
        let display = Some(Arc::from("error"));
        self.finish(symbol, display, GlobalKind::Primitive, arity, params, Span::NONE)
    }

    /// Emits the evaluation of the list on top, as far as a primitive [walks](Primitive::walks).
    pub(super) fn walk_list(&mut self, primitive: Primitive, span: Span) {
        self.emit(Instr::Push(0), span);
        self.push_global(Source::Walked(primitive), span);
        self.apply(2, span);
        self.emit(Instr::Eval, span);
    }

    /// Returns the function that evaluates the cells of the list `s`, and if the primitive walks
    /// them, the elements. Its value is `all`, of which `s` is the rest that is still to be
    /// evaluated.
    ///
    /// ```text
    /// walked s all = case s of
    ///   Nil       -> all
    ///   Cons c cs -> walked cs all, after c
    /// ```
    pub(super) fn walked(&mut self, primitive: Primitive) -> Global {
        let (all, s, arity) = (1, 2, 2);
        self.start(arity);
        let (empty, cell) = (self.code.label(), self.code.label());
        self.push_height(s, Span::NONE);
        self.generated(Instr::Eval);
        let branches = vec![(NIL, empty), (CONS, cell)];
        self.generated(Instr::CaseJump(Box::new(Jumps { branches, default: None })));

        self.code.place(empty);
        self.generated(Instr::Split(0));
        self.push_height(all, Span::NONE);
        self.update_and_unwind(Span::NONE);

        self.code.place(cell);
        self.generated(Instr::Split(2));
        let (cs, c) = (3, 4);
        if primitive.walks() == Some(Walk::Elements) {
            self.push_height(c, Span::NONE);
            self.generated(Instr::Eval);
            self.generated(Instr::Pop(1));
        }
        self.push_height(all, Span::NONE);
        self.push_height(cs, Span::NONE);
        self.push_global(Source::Walked(primitive), Span::NONE);
        self.apply(2, Span::NONE);
        self.update_and_unwind(Span::NONE);

        let symbol = self.unique(&format!("{}$list", primitive.name()));
        let params = ["s", "all"].map(|name| Some(Arc::from(name))).into();
        let display = Some(Arc::from(primitive.name()));
        self.finish(symbol, display, GlobalKind::Primitive, arity, params, Span::NONE)
    }

    fn start(&mut self, arity: u32) {
        self.code = super::Code::new(arity);
    }
}

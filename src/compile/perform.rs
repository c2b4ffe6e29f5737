//! The performer: the code that performs actions.
//!
//! An action is a constructor of the data type of actions, with lazy fields; it does nothing by
//! itself. One function performs all of them, and calls nothing but in its tail:
//!
//! ```text
//! perform m ks id = case try m of
//!   Return x     -> resume x ks id
//!   Bind m k     -> perform m (ThenBind k ks) id
//!   Enter m k    -> perform m (ThenEnter k ks) id
//!   Handle m f g -> perform m (ThenHandle f g ks) id
//!   Park         -> Parked ks
//!   exception e  -> unwind e ks id
//!   no action    -> perform (a failure that says so) ks id
//!   an effect    -> case try (the function of the effect, of its operands and id) of
//!                     Return x    -> resume x ks id
//!                     exception e -> unwind e ks id
//!   one on threads, and what writes a text -> perform (its function, of the same) ks id
//! resume x ks id = case ks of
//!   ThenBind k ks     -> perform (k x) ks id
//!   ThenEnter k ks    -> perform (k x id) ks id
//!   ThenHandle _ _ ks -> resume x ks id
//!   ThenDone, ThenEnd -> Done x
//!   ThenState         -> x
//! unwind e ks id = case ks of
//!   ThenBind _ ks     -> unwind e ks id
//!   ThenEnter _ ks    -> unwind e ks id
//!   ThenHandle f g ks -> case e of
//!     Thrown x t   -> perform (f x t) ks id
//!     Failed c s t -> perform (g c s t) ks id
//!   ThenEnd           -> Ended e
//!   another end       -> fails with e again
//! ```
//!
//! Where there are several threads (`Mode::InTurns`), a bind that ends a turn is `Yield m ks`. An
//! effect on threads gives the action to go on with, which is `Park` if another one is to run.
//!
//! What the optimiser makes of code that makes actions does the effects itself, as far as it can see
//! them, and comes to the action that is left (`optimise::perform`):
//!
//! ```text
//! continue r k id = case r of
//!   Return x -> k x id
//!   r        -> Enter r k
//! goOn k x id = k x
//! ```
//!
//! So what waits for an action is on the heap, and fuel, interrupts, suspension and collection are
//! those of all code. `id` is the number of the thread. A failure in `m`, or in the function of an
//! effect, comes from `try` as a value. As the optimiser sees nothing of this code, no effect is
//! doubled, dropped or moved by it.

use std::sync::Arc;

use super::{Code, Compiler, Source};
use crate::base::span::Span;
use crate::gcode::effect::{
    ACTION, ActionCon, ActionKind, CONTINUE, Effect, FAIL_AGAIN, GO_ON, PERFORM, PERFORM_IN_TURNS,
    RESUME, UNWIND, action_cons,
};
use crate::gcode::instr::{Instr, Jumps, Label};
use crate::gcode::program::{Con, ConId, Data, Global, GlobalKind};
use crate::primitive::Primitive;

/// Whether threads take turns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mode {
    /// There is one thread.
    Alone,
    /// Each bind is counted, and the performer returns to the run when a turn is over.
    InTurns,
}

/// A function of the performer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Performer {
    Perform(Mode),
    Resume(Mode),
    Unwind(Mode),
    /// Does an effect, with its operands and the number of the thread.
    Effect(Effect),
    /// Writes a text: a piece of it, and then the action that writes the rest.
    Put(Effect),
    /// Goes on with an action that code of the program has performed as far as it could.
    Continue,
    /// Goes on with a function of the value alone.
    GoOn,
    /// Fails again with an exception.
    FailAgain,
    /// Fails because what is to be performed is no action.
    NoAction,
}

impl Compiler<'_> {
    /// Returns the first constructor of the data type of actions, which is made when it is first
    /// asked for.
    pub(super) fn actions(&mut self) -> u32 {
        if let Some(first) = self.actions {
            return first;
        }
        let data = self.out.datas.next_index();
        let first = self.out.cons.len() as u32;
        let mut cons = Vec::new();
        for (tag, (name, arity)) in (0..).zip(action_cons()) {
            let symbol = format!("{name}$").into();
            let name = name.into();
            cons.push(self.out.cons.push(Con { symbol, name, data, tag, arity }));
        }
        self.out.datas.push(Data { symbol: ACTION.into(), cons });
        self.actions = Some(first);
        // What performs actions is there wherever actions are.
        self.global(Source::Performer(Performer::Perform(Mode::Alone)));
        self.global(Source::Performer(Performer::FailAgain));
        first
    }

    pub(super) fn action(&mut self, con: ActionCon) -> ConId {
        ConId(self.actions() + con.tag())
    }

    pub(super) fn effect_con(&mut self, effect: Effect) -> ConId {
        ConId(self.actions() + ActionCon::ALL.len() as u32 + effect as u32)
    }

    pub(super) fn own(&mut self, instr: Instr) {
        self.emit(instr, Span::NONE);
    }

    pub(super) fn push_at(&mut self, height: u32) {
        self.push_height(height, Span::NONE);
    }

    pub(super) fn pack(&mut self, con: ActionCon) {
        let con = self.action(con);
        self.own(Instr::Pack(con));
    }

    pub(super) fn push_performer(&mut self, performer: Performer) {
        self.push_global(Source::Performer(performer), Span::NONE);
    }

    /// Emits a tail call of a function of the performer with the topmost items, the first topmost.
    pub(super) fn tail(&mut self, performer: Performer, count: usize) {
        self.push_performer(performer);
        self.apply(count, Span::NONE);
        self.update_and_unwind(Span::NONE);
    }

    pub(super) fn case(&mut self, branches: Vec<(ConId, Label)>, default: Option<Label>) {
        self.own(Instr::CaseJump(Box::new(Jumps { branches, default })));
    }

    /// Returns a function of the performer.
    pub(super) fn performer(&mut self, performer: Performer) -> Global {
        let (symbol, params): (String, &[&str]) = match performer {
            Performer::Perform(Mode::Alone) => (PERFORM.into(), &["m", "ks", "id"]),
            Performer::Perform(Mode::InTurns) => (PERFORM_IN_TURNS.into(), &["m", "ks", "id"]),
            Performer::Resume(Mode::Alone) => (RESUME[0].into(), &["x", "ks", "id"]),
            Performer::Resume(Mode::InTurns) => (RESUME[1].into(), &["x", "ks", "id"]),
            Performer::Unwind(Mode::Alone) => (UNWIND[0].into(), &["e", "ks", "id"]),
            Performer::Unwind(Mode::InTurns) => (UNWIND[1].into(), &["e", "ks", "id"]),
            Performer::Continue => (CONTINUE.into(), &["r", "k", "id"]),
            Performer::GoOn => (GO_ON.into(), &["k", "x", "id"]),
            Performer::FailAgain => (FAIL_AGAIN.into(), &["e"]),
            Performer::NoAction => ("no$action".into(), &["m"]),
            Performer::Put(effect) => (format!("{}$", effect.name()), &["s", "id"]),
            Performer::Effect(effect) => (format!("{}$", effect.name()), &[]),
        };
        let arity = match performer {
            Performer::Effect(effect) => effect.arity(),
            _ => params.len() as u32,
        };
        self.code = Code::new(arity);
        match performer {
            Performer::Perform(mode) => self.perform(mode),
            Performer::Resume(mode) => self.resume(mode),
            Performer::Unwind(mode) => self.unwind(mode),
            Performer::Continue => self.continue_(),
            Performer::GoOn => {
                self.push_at(2);
                self.push_at(3);
                self.apply(1, Span::NONE);
                self.update_and_unwind(Span::NONE);
            }
            Performer::FailAgain => {
                self.own(Instr::Push(0));
                self.own(Instr::Eval);
                self.fail_again();
            }
            Performer::NoAction => {
                self.own(Instr::Push(0));
                self.own(Instr::Eval);
                self.own(Instr::Effect(Effect::NoAction));
                self.update_and_unwind(Span::NONE);
            }
            Performer::Effect(Effect::PutBytes) => self.put_bytes(),
            Performer::Effect(effect) => self.effect_function(effect),
            Performer::Put(effect) => self.put(effect),
        }
        let display = match performer {
            Performer::Effect(effect) => effect.primitive().map(Primitive::name),
            Performer::Put(Effect::PutErrorCharacters) => Some(Primitive::PutError.name()),
            Performer::Put(_) => Some(Primitive::PutText.name()),
            _ => None,
        };
        let display = Some(Arc::from(display.unwrap_or("main")));
        let params = params.iter().map(|&name| Some(Arc::from(name))).collect();
        let symbol = self.unique(&symbol);
        self.finish(symbol, display, GlobalKind::Primitive, arity, params, Span::NONE)
    }

    fn perform(&mut self, mode: Mode) {
        const KS: u32 = 2;
        const ID: u32 = 1;
        // Where what comes from `try` is, and what is above it.
        const V: u32 = 4;
        self.own(Instr::Push(0));
        self.own(Instr::Try);
        let first = self.actions();
        let mut branches = Vec::new();
        let mut bodies = Vec::new();
        for tag in 0..action_cons().count() as u32 {
            let Some(kind) = ActionKind::of_tag(tag) else { continue };
            let performed = match kind {
                ActionKind::Con(con) => {
                    kind.is_action() || matches!(con, ActionCon::Thrown | ActionCon::Failed)
                }
                ActionKind::Effect(effect) => effect.primitive().is_some(),
            };
            if performed {
                let label = self.code.label();
                branches.push((ConId(first + tag), label));
                bodies.push((kind, label));
            }
        }
        let (other, done) = (self.code.label(), self.code.label());
        self.case(branches, Some(other));
        for (kind, label) in bodies {
            self.code.place(label);
            match kind {
                ActionKind::Con(ActionCon::Thrown | ActionCon::Failed) => {
                    self.push_at(ID);
                    self.push_at(KS);
                    self.push_at(V);
                    self.tail(Performer::Unwind(mode), 3);
                }
                ActionKind::Con(ActionCon::Return) => {
                    self.own(Instr::Split(1));
                    self.push_at(ID);
                    self.push_at(KS);
                    self.push_at(V);
                    self.tail(Performer::Resume(mode), 3);
                }
                ActionKind::Con(ActionCon::Park) => {
                    self.own(Instr::Pop(1));
                    self.push_at(KS);
                    self.pack(ActionCon::Parked);
                    self.update_and_unwind(Span::NONE);
                }
                ActionKind::Con(con @ (ActionCon::Bind | ActionCon::Enter | ActionCon::Handle)) => {
                    // The fields go from the last one up to the action, the first one.
                    self.own(Instr::Split(con.arity()));
                    let action = V + con.arity() - 1;
                    self.push_at(ID);
                    self.push_at(KS);
                    (V..action).for_each(|field| self.push_at(field));
                    self.pack(match con {
                        ActionCon::Bind => ActionCon::ThenBind,
                        ActionCon::Enter => ActionCon::ThenEnter,
                        _ => ActionCon::ThenHandle,
                    });
                    if mode == Mode::InTurns && con != ActionCon::Handle {
                        let (goes_on, is_over) = (self.code.label(), self.code.label());
                        self.own(Instr::Effect(Effect::Tick));
                        self.own(Instr::Cond(goes_on, is_over));
                        self.code.place(is_over);
                        self.push_at(action);
                        self.pack(ActionCon::Yield);
                        self.update_and_unwind(Span::NONE);
                        self.code.place(goes_on);
                    }
                    self.push_at(action);
                    self.tail(Performer::Perform(mode), 3);
                }
                ActionKind::Con(con) => {
                    self.own(Instr::Split(1));
                    let effect = match con {
                        ActionCon::PutError => Effect::PutErrorCharacters,
                        _ => Effect::PutCharacters,
                    };
                    self.perform_function(mode, Performer::Put(effect), 1);
                }
                ActionKind::Effect(effect) => {
                    let fields = effect.arity() - 1;
                    self.own(Instr::Split(fields));
                    if effect.is_of_threads() || effect == Effect::PutBytes {
                        self.perform_function(mode, Performer::Effect(effect), fields);
                        continue;
                    }
                    self.push_at(ID);
                    (V..V + fields).for_each(|field| self.push_at(field));
                    self.push_performer(Performer::Effect(effect));
                    self.apply(fields as usize + 1, Span::NONE);
                    self.own(Instr::Try);
                    self.own(Instr::Slide(fields));
                    self.own(Instr::Jump(done));
                }
            }
        }
        self.code.place(done);
        let cons = [ActionCon::Return, ActionCon::Thrown, ActionCon::Failed];
        let labels = cons.map(|_| self.code.label());
        let none = self.code.label();
        let branches = cons.map(|con| self.action(con)).into_iter().zip(labels).collect();
        self.case(branches, Some(none));
        for (con, label) in cons.into_iter().zip(labels) {
            self.code.place(label);
            let next = match con {
                ActionCon::Return => {
                    self.own(Instr::Split(1));
                    Performer::Resume(mode)
                }
                _ => Performer::Unwind(mode),
            };
            self.push_at(ID);
            self.push_at(KS);
            self.push_at(V);
            self.tail(next, 3);
        }
        self.code.place(none);
        self.own(Instr::Pop(1));
        self.own(Instr::NoMatch);
        self.code.place(other);
        self.own(Instr::Pop(1));
        self.push_at(ID);
        self.push_at(KS);
        self.push_at(V - 1);
        self.push_performer(Performer::NoAction);
        self.apply(1, Span::NONE);
        self.tail(Performer::Perform(mode), 3);
    }

    /// Emits how to go on with the function of an effect, whose `fields` operands are topmost.
    fn perform_function(&mut self, mode: Mode, performer: Performer, fields: u32) {
        let top = 4 + fields;
        // id, ks, then the function applied to the fields and id.
        self.push_at(1);
        self.push_at(2);
        self.push_at(1);
        (4..top).for_each(|field| self.push_at(field));
        self.push_performer(performer);
        self.apply(fields as usize + 1, Span::NONE);
        self.tail(Performer::Perform(mode), 3);
    }

    /// Emits the choice by a continuation, which is at height 2 of a function of three parameters.
    /// Returns the labels of the branches, where it is on top.
    fn by_continuation(&mut self) -> [Label; 6] {
        self.push_at(2);
        self.own(Instr::Eval);
        let cons = [
            ActionCon::ThenBind,
            ActionCon::ThenEnter,
            ActionCon::ThenHandle,
            ActionCon::ThenDone,
            ActionCon::ThenEnd,
            ActionCon::ThenState,
        ];
        let cons = cons.map(|con| self.action(con));
        let labels = cons.map(|_| self.code.label());
        let other = self.code.label();
        let branches = cons.into_iter().zip(labels).collect();
        self.case(branches, Some(other));
        self.code.place(other);
        self.own(Instr::Pop(1));
        self.own(Instr::NoMatch);
        labels
    }

    fn resume(&mut self, mode: Mode) {
        const X: u32 = 3;
        const ID: u32 = 1;
        let [bind, enter, handle, done, end, state] = self.by_continuation();
        for (then, args) in [(bind, &[X][..]), (enter, &[ID, X])] {
            self.code.place(then);
            self.own(Instr::Split(2));
            let (k, ks) = (5, 4);
            self.push_at(ID);
            self.push_at(ks);
            args.iter().for_each(|&arg| self.push_at(arg));
            self.push_at(k);
            self.apply(args.len(), Span::NONE);
            self.tail(Performer::Perform(mode), 3);
        }

        self.code.place(handle);
        self.own(Instr::Split(3));
        self.push_at(ID);
        self.push_at(4);
        self.push_at(X);
        self.tail(Performer::Resume(mode), 3);

        for end in [done, end] {
            self.code.place(end);
            self.own(Instr::Pop(1));
            self.push_at(X);
            self.pack(ActionCon::Done);
            self.update_and_unwind(Span::NONE);
        }

        self.code.place(state);
        self.own(Instr::Pop(1));
        self.push_at(X);
        self.update_and_unwind(Span::NONE);
    }

    fn unwind(&mut self, mode: Mode) {
        const E: u32 = 3;
        const ID: u32 = 1;
        let [bind, enter, handle, done, end, state] = self.by_continuation();
        for then in [bind, enter] {
            self.code.place(then);
            self.own(Instr::Split(2));
            self.push_at(ID);
            self.push_at(4);
            self.push_at(E);
            self.tail(Performer::Unwind(mode), 3);
        }

        self.code.place(handle);
        self.own(Instr::Split(3));
        let (thrown, failed, ks) = (6, 5, 4);
        self.by_exception(E, |compiler, con| {
            // Above the three fields are those of the exception.
            compiler.push_at(ID);
            compiler.push_at(ks);
            let fields = con.arity();
            (7..7 + fields).for_each(|field| compiler.push_at(field));
            compiler.push_at(if con == ActionCon::Thrown { thrown } else { failed });
            compiler.apply(fields as usize, Span::NONE);
            compiler.tail(Performer::Perform(mode), 3);
        });
        self.code.place(end);
        self.own(Instr::Pop(1));
        self.push_at(E);
        self.pack(ActionCon::Ended);
        self.update_and_unwind(Span::NONE);

        for end in [done, state] {
            self.code.place(end);
            self.own(Instr::Pop(1));
            self.push_at(E);
            self.fail_again();
        }
    }

    fn continue_(&mut self) {
        const R: u32 = 3;
        const K: u32 = 2;
        const ID: u32 = 1;
        let (value, other) = (self.code.label(), self.code.label());
        let return_ = self.action(ActionCon::Return);
        self.push_at(R);
        self.own(Instr::Eval);
        self.case(vec![(return_, value)], Some(other));
        self.code.place(value);
        self.own(Instr::Split(1));
        self.push_at(ID);
        self.push_at(4);
        self.push_at(K);
        self.apply(2, Span::NONE);
        self.update_and_unwind(Span::NONE);
        self.code.place(other);
        self.push_at(K);
        self.push_at(4);
        self.pack(ActionCon::Enter);
        self.update_and_unwind(Span::NONE);
    }

    /// Emits the choice by the exception at a height, and each branch with its fields split.
    fn by_exception(&mut self, height: u32, mut branch: impl FnMut(&mut Self, ActionCon)) {
        self.push_at(height);
        self.own(Instr::Eval);
        let cons = [ActionCon::Thrown, ActionCon::Failed];
        let labels = cons.map(|_| self.code.label());
        let other = self.code.label();
        let branches = cons.map(|con| self.action(con)).into_iter().zip(labels).collect();
        self.case(branches, Some(other));
        self.code.place(other);
        self.own(Instr::Pop(1));
        self.own(Instr::NoMatch);
        for (con, label) in cons.into_iter().zip(labels) {
            self.code.place(label);
            self.own(Instr::Split(con.arity()));
            branch(self, con);
        }
    }

    /// Emits how to fail with the exception on top, and the end of the code.
    fn fail_again(&mut self) {
        let e = self.code.depth() - 1;
        self.by_exception(e, |compiler, con| {
            let last = compiler.code.depth() - con.arity();
            // The value, or the code of the failure, is topmost; what is known is the last field.
            compiler.push_at(last);
            compiler.own(Instr::Eval);
            compiler.push_at(last + con.arity() - 1);
            compiler.own(Instr::Effect(Effect::FailAgain));
            compiler.update_and_unwind(Span::NONE);
        });
    }
}

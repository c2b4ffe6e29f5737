//! Effects on threads, and how the next one goes on.

use super::code::program::ArgsId;
use super::state::Machine;
use crate::gcode::effect::{ActionCon, ActionKind, Actions, Effect, INNER};
use crate::gcode::program::{CONS, NIL};
use crate::machine::Machine as _;
use crate::machine::failure::Failure;
use crate::machine::handles::Handle;
use crate::machine::heap::word::{View, Word};
use crate::machine::heap::{Kind, node_words};
use crate::machine::outcome::Stop;
use crate::machine::threads::{Next, Wait};
use crate::machine::world::exception;

impl Machine {
    /// Performs an effect on threads; returns the action to go on with.
    ///
    /// # Errors
    /// When it fails, or something is used up. Then nothing has changed.
    pub(super) fn thread_effect(&mut self, effect: Effect, args: ArgsId) -> Result<Word, Stop> {
        // A value, a list around it, and the action.
        self.reserve(3 * node_words(2))?;
        let nil = Word::con(NIL);
        let value = match effect {
            Effect::Fork => {
                self.has_turns(effect, args)?;
                let action = self.mutator.handle(self.operand(args, 0));
                let number = self.world.program.fork(action);
                let thread = self.thread_word(number);
                let thread = self.mutator.handle(thread);
                self.world.program.resume(Next::Value(thread));
                return Ok(self.park());
            }
            Effect::MyThread => self.thread_word(self.world.program.current()),
            Effect::ThreadNumber => {
                Word::int(self.thread_number(effect, args)?).unwrap_or(Word::ZERO)
            }
            Effect::Yield => {
                self.has_turns(effect, args)?;
                self.world.program.yields(Next::Nil);
                return Ok(self.park());
            }
            Effect::NewMVar => {
                let number = Word::int(self.world.program.new_var()).unwrap_or(Word::ZERO);
                let con = self.action_con(ActionCon::MVar);
                let empty = Word::con(self.action_con(ActionCon::Empty));
                // SAFETY: room was made sure of.
                unsafe { self.heap.alloc(Kind::Con, con.0, &[empty, number]) }
            }
            Effect::TakeMVar | Effect::TryTakeMVar => {
                let (var, number) = self.var(effect, args)?;
                let Some(value) = self.content(var) else {
                    if effect == Effect::TryTakeMVar {
                        return Ok(self.return_action(nil));
                    }
                    self.has_turns(effect, args)?;
                    self.world.program.wait(Wait::Take(number));
                    return Ok(self.park());
                };
                let next = match self.world.program.emptied(number) {
                    Some(next) => self.mutator.handles.get(&next).unwrap_or(nil),
                    None => Word::con(self.action_con(ActionCon::Empty)),
                };
                // SAFETY: an `MVar` has its value for its first field; the value is a word of the heap.
                unsafe { self.heap.write_field(var, 0, next) };
                match effect {
                    Effect::TakeMVar => value,
                    // SAFETY: room was made sure of.
                    _ => unsafe { self.heap.alloc(Kind::Con, CONS.0, &[value, nil]) },
                }
            }
            Effect::ReadMVar | Effect::TryReadMVar => {
                let (var, number) = self.var(effect, args)?;
                let Some(value) = self.content(var) else {
                    if effect == Effect::TryReadMVar {
                        return Ok(self.return_action(nil));
                    }
                    self.has_turns(effect, args)?;
                    self.world.program.wait(Wait::Read(number));
                    return Ok(self.park());
                };
                match effect {
                    Effect::ReadMVar => value,
                    // SAFETY: room was made sure of.
                    _ => unsafe { self.heap.alloc(Kind::Con, CONS.0, &[value, nil]) },
                }
            }
            Effect::PutMVar | Effect::TryPutMVar => {
                let (var, number) = self.var(effect, args)?;
                let value = self.operand(args, 1);
                if self.content(var).is_some() {
                    if effect == Effect::TryPutMVar {
                        return Ok(self.return_action(Word::ZERO));
                    }
                    self.has_turns(effect, args)?;
                    let value = self.mutator.handle(value);
                    self.world.program.wait(Wait::Put(number, value));
                    return Ok(self.park());
                }
                let mut is_taken = false;
                if self.world.program.wants(number) {
                    let value = self.mutator.handle(value);
                    is_taken = self.world.program.filled(number, &value);
                }
                if !is_taken {
                    // SAFETY: as above.
                    unsafe { self.heap.write_field(var, 0, value) };
                }
                if effect == Effect::PutMVar { nil } else { Word::ONE }
            }
            Effect::ThrowTo => return self.throw_to(effect, args),
            _ => {
                let is_masked = match self.operand(args, 0).view() {
                    View::Int(is_masked @ 0..=1) => is_masked == 1,
                    _ => {
                        let found = self.describe(self.operand(args, 0));
                        return Err(self.fail(Failure::no_condition(&found)));
                    }
                };
                let was_masked = self.world.program.set_mask(is_masked);
                // In an expression it stays pending until that has its value.
                if self.has_turns(effect, args).is_ok()
                    && let Some(exception) = self.world.program.pending()
                {
                    self.world.program.resume(Next::Fail(exception));
                    return Ok(self.park());
                }
                Word::boolean(was_masked)
            }
        };
        Ok(self.return_action(value))
    }

    /// Refuses what lets another thread run in an expression that performs an action.
    fn has_turns(&self, effect: Effect, args: ArgsId) -> Result<(), Stop> {
        let thread = self.operand(args, effect.arity() as usize - 1).view();
        match effect.primitive() {
            Some(primitive) if thread == View::Int(INNER) => {
                Err(self.fail(Failure::no_turns(primitive.name())))
            }
            _ => Ok(()),
        }
    }

    fn park(&self) -> Word {
        Word::con(self.action_con(ActionCon::Park))
    }

    /// Returns the action that has a value. Room for it was made sure of.
    fn return_action(&mut self, value: Word) -> Word {
        let con = self.action_con(ActionCon::Return);
        // SAFETY: who calls has made sure of room.
        unsafe { self.heap.alloc(Kind::Con, con.0, &[value]) }
    }

    /// Allocates a thread. Room for it was made sure of.
    fn thread_word(&mut self, number: i64) -> Word {
        let con = self.action_con(ActionCon::Thread);
        let number = Word::int(number).unwrap_or(Word::ZERO);
        // SAFETY: who calls has made sure of room.
        unsafe { self.heap.alloc(Kind::Con, con.0, &[number]) }
    }

    /// Returns the `MVar` that is the first operand, and its number.
    fn var(&self, effect: Effect, args: ArgsId) -> Result<(Word, i64), Stop> {
        let var = self.operand(args, 0);
        if self.action_kind(var) != Some(ActionKind::Con(ActionCon::MVar)) {
            let name = effect.primitive().map_or("", |primitive| primitive.name());
            return Err(self.fail(Failure::no_var(name, &self.describe(var))));
        }
        // SAFETY: an `MVar` has its number for its second field.
        match unsafe { self.heap.field(var, 1) }.view() {
            View::Int(number) => Ok((var, number)),
            _ => Ok((var, 0)),
        }
    }

    /// Returns the value of an `MVar`, if it has one.
    fn content(&self, var: Word) -> Option<Word> {
        // SAFETY: an `MVar` has its value for its first field.
        let value = unsafe { self.heap.field(var, 0) };
        (value != Word::con(self.action_con(ActionCon::Empty))).then_some(value)
    }

    /// Returns the number of the thread that is the first operand.
    fn thread_number(&self, effect: Effect, args: ArgsId) -> Result<i64, Stop> {
        let thread = self.operand(args, 0);
        if self.action_kind(thread) != Some(ActionKind::Con(ActionCon::Thread)) {
            let name = effect.primitive().map_or("", |primitive| primitive.name());
            return Err(self.fail(Failure::no_thread(name, &self.describe(thread))));
        }
        // SAFETY: a thread has its number for its only field.
        match unsafe { self.heap.field(thread, 0) }.view() {
            View::Int(number) => Ok(number),
            _ => Ok(-1),
        }
    }

    fn throw_to(&mut self, effect: Effect, args: ArgsId) -> Result<Word, Stop> {
        let number = self.thread_number(effect, args)?;
        let value = self.operand(args, 1);
        let Stop::Error(error) = self.fail(Failure::thrown_to(&self.thrown(value))) else {
            unreachable!("a failure is an error")
        };
        let value = self.mutator.handle(value);
        let actions = self.actions();
        let exception = exception(self, actions, Some(value), *error)?;
        self.reserve(node_words(2))?;
        if number == self.world.program.current() {
            self.has_turns(effect, args)?;
            self.world.program.resume(Next::Fail(exception));
            return Ok(self.park());
        }
        self.world.program.throw_to(number, exception);
        Ok(self.return_action(Word::con(NIL)))
    }

    /// Returns what the thread that was chosen performs, and its continuation; it runs from now on.
    /// There is room for three nodes of two words.
    pub(super) fn chosen(&mut self, actions: Actions) -> Result<(Word, Word), Stop> {
        let Some((next, then)) = self.world.program.chosen() else {
            unreachable!("a thread was chosen before")
        };
        self.world.performing.resume(self.world.program.current());
        let action = match next {
            Next::Perform(action) | Next::Fail(action) => action,
            Next::Blocked => {
                let others = self.world.program.waiting();
                let waits = self.world.performing.place(self.places(), 0);
                let waits = waits.map_or_else(|| self.main_span(), |(span, _)| span);
                match self.fail_at(waits, Failure::blocked(others)) {
                    Stop::Error(error) => exception(self, actions, None, *error)?,
                    stop => return Err(stop),
                }
            }
            Next::Value(_) | Next::Nil => {
                let value = match next {
                    Next::Value(value) => value,
                    _ => self.mutator.handle(Word::con(NIL)),
                };
                match self.new_con(actions.con(ActionCon::Return), &[value]) {
                    Some(action) => action?,
                    None => unreachable!("the value is this machine's"),
                }
            }
        };
        self.reserve(3 * node_words(2))?;
        self.world.program.started();
        let get = |handle: &Handle| self.mutator.handles.get(handle);
        let then =
            then.as_ref().and_then(get).unwrap_or(Word::con(actions.con(ActionCon::ThenEnd)));
        Ok((get(&action).unwrap_or(Word::con(NIL)), then))
    }
}

//! Effects on threads, and how the next one goes on.

use super::heap::node::{Addr, Node};
use super::state::Machine;
use crate::gcode::effect::{ActionCon, ActionKind, Actions, Effect, INNER};
use crate::gcode::program::CONS;
use crate::machine::failure::Failure;
use crate::machine::outcome::Stop;
use crate::machine::threads::{Next, Wait};
use crate::machine::world::exception;

impl Machine {
    /// Performs an effect on threads, whose operands are on the stack; returns the action to go on
    /// with.
    ///
    /// # Errors
    /// When it fails, or memory is used up. Then nothing has changed.
    pub(super) fn thread_effect(&mut self, effect: Effect) -> Result<Addr, Stop> {
        self.reserve(6, 0)?;
        let value = match effect {
            Effect::Fork => {
                self.has_turns(effect)?;
                let action = self.handles.add(self.item(0));
                let number = self.world.program.fork(action);
                let thread = self.thread_node(number);
                let thread = self.handles.add(thread);
                self.world.program.resume(Next::Value(thread));
                return Ok(self.park());
            }
            Effect::MyThread => self.thread_node(self.world.program.current()),
            Effect::ThreadNumber => {
                let number = self.thread_number(effect)?;
                self.heap.alloc(Node::Int(number))
            }
            Effect::Yield => {
                self.has_turns(effect)?;
                self.world.program.yields(Next::Nil);
                return Ok(self.park());
            }
            Effect::NewMVar => {
                let number = self.world.program.new_var();
                let number = self.heap.alloc(Node::Int(number));
                let empty = self.empty();
                let con = self.action_con(ActionCon::MVar);
                self.heap.alloc(Node::constr(con, &[empty, number]))
            }
            Effect::TakeMVar | Effect::TryTakeMVar => {
                let (var, number) = self.var(effect)?;
                let Some(value) = self.content(var) else {
                    if effect == Effect::TryTakeMVar {
                        let nil = self.nil();
                        return Ok(self.return_action(nil));
                    }
                    self.has_turns(effect)?;
                    self.world.program.wait(Wait::Take(number));
                    return Ok(self.park());
                };
                let next = match self.world.program.emptied(number) {
                    Some(next) => self.handles.get(&next).unwrap_or(Addr::NONE),
                    None => self.empty(),
                };
                self.set_content(var, next);
                match effect {
                    Effect::TakeMVar => value,
                    _ => {
                        let nil = self.nil();
                        self.heap.alloc(Node::constr(CONS, &[value, nil]))
                    }
                }
            }
            Effect::ReadMVar | Effect::TryReadMVar => {
                let (var, number) = self.var(effect)?;
                let Some(value) = self.content(var) else {
                    if effect == Effect::TryReadMVar {
                        let nil = self.nil();
                        return Ok(self.return_action(nil));
                    }
                    self.has_turns(effect)?;
                    self.world.program.wait(Wait::Read(number));
                    return Ok(self.park());
                };
                match effect {
                    Effect::ReadMVar => value,
                    _ => {
                        let nil = self.nil();
                        self.heap.alloc(Node::constr(CONS, &[value, nil]))
                    }
                }
            }
            Effect::PutMVar | Effect::TryPutMVar => {
                let (var, number) = self.var(effect)?;
                let value = self.item(1);
                if self.content(var).is_some() {
                    if effect == Effect::TryPutMVar {
                        let no = self.heap.alloc(Node::Int(0));
                        return Ok(self.return_action(no));
                    }
                    self.has_turns(effect)?;
                    let value = self.handles.add(value);
                    self.world.program.wait(Wait::Put(number, value));
                    return Ok(self.park());
                }
                let handle = self.handles.add(value);
                if !self.world.program.filled(number, &handle) {
                    self.set_content(var, value);
                }
                match effect {
                    Effect::PutMVar => self.nil(),
                    _ => self.heap.alloc(Node::Int(1)),
                }
            }
            Effect::ThrowTo => return self.throw_to(effect),
            _ => {
                let is_masked = match self.heap.get(self.heap.value(self.item(0))) {
                    Node::Int(is_masked @ 0..=1) => *is_masked == 1,
                    _ => {
                        let found = self.describe(self.item(0));
                        return Err(self.fail(Failure::no_condition(&found)));
                    }
                };
                let was_masked = self.world.program.set_mask(is_masked);
                // In an expression it stays pending until that has its value.
                if self.has_turns(effect).is_ok()
                    && let Some(exception) = self.world.program.pending()
                {
                    self.world.program.resume(Next::Fail(exception));
                    return Ok(self.park());
                }
                self.heap.alloc(Node::Int(i64::from(was_masked)))
            }
        };
        Ok(self.return_action(value))
    }

    /// Refuses what lets another thread run in an expression that performs an action.
    fn has_turns(&self, effect: Effect) -> Result<(), Stop> {
        let thread = self.heap.get(self.heap.value(self.item(effect.arity() as usize - 1)));
        match effect.primitive() {
            Some(primitive) if matches!(thread, Node::Int(INNER)) => {
                Err(self.fail(Failure::no_turns(primitive.name())))
            }
            _ => Ok(()),
        }
    }

    fn park(&mut self) -> Addr {
        let con = self.action_con(ActionCon::Park);
        self.heap.alloc(Node::constr(con, &[]))
    }

    fn empty(&mut self) -> Addr {
        let con = self.action_con(ActionCon::Empty);
        self.heap.alloc(Node::constr(con, &[]))
    }

    fn return_action(&mut self, value: Addr) -> Addr {
        let con = self.action_con(ActionCon::Return);
        self.heap.alloc(Node::constr(con, &[value]))
    }

    fn thread_node(&mut self, number: i64) -> Addr {
        let con = self.action_con(ActionCon::Thread);
        let number = self.heap.alloc(Node::Int(number));
        self.heap.alloc(Node::constr(con, &[number]))
    }

    /// Returns the `MVar` on top, and its number.
    fn var(&self, effect: Effect) -> Result<(Addr, i64), Stop> {
        let var = self.heap.value(self.item(0));
        if self.action_kind(var) == Some(ActionKind::Con(ActionCon::MVar))
            && let Some((_, &[_, number])) = self.heap.get(var).as_constr()
            && let Node::Int(number) = self.heap.get(self.heap.value(number))
        {
            return Ok((var, *number));
        }
        let name = effect.primitive().map_or("", |primitive| primitive.name());
        Err(self.fail(Failure::no_var(name, &self.describe(var))))
    }

    /// Returns the value of an `MVar`, if it has one.
    fn content(&self, var: Addr) -> Option<Addr> {
        let (_, fields) = self.heap.get(var).as_constr()?;
        let value = *fields.first()?;
        (self.action_kind(value) != Some(ActionKind::Con(ActionCon::Empty))).then_some(value)
    }

    fn set_content(&mut self, var: Addr, value: Addr) {
        if let Some((con, &[_, number])) = self.heap.get(var).as_constr() {
            self.heap.set(var, Node::constr(con, &[value, number]));
        }
    }

    /// Returns the number of the thread that is the first operand.
    fn thread_number(&self, effect: Effect) -> Result<i64, Stop> {
        let thread = self.heap.value(self.item(0));
        let is_thread = self.action_kind(thread) == Some(ActionKind::Con(ActionCon::Thread));
        match self.heap.get(thread).as_constr() {
            Some((_, &[number])) if is_thread => match self.heap.get(self.heap.value(number)) {
                Node::Int(number) => Ok(*number),
                _ => Ok(-1),
            },
            _ => {
                let name = effect.primitive().map_or("", |primitive| primitive.name());
                Err(self.fail(Failure::no_thread(name, &self.describe(thread))))
            }
        }
    }

    fn throw_to(&mut self, effect: Effect) -> Result<Addr, Stop> {
        let number = self.thread_number(effect)?;
        let value = self.item(1);
        let Stop::Error(error) = self.fail(Failure::thrown_to(&self.thrown(value))) else {
            unreachable!("a failure is an error")
        };
        let value = self.handles.add(value);
        let actions = self.actions();
        let exception = exception(self, actions, Some(value), *error)?;
        self.reserve(4, 0)?;
        if number == self.world.program.current() {
            self.has_turns(effect)?;
            self.world.program.resume(Next::Fail(exception));
            return Ok(self.park());
        }
        self.world.program.throw_to(number, exception);
        let nil = self.nil();
        Ok(self.return_action(nil))
    }

    /// Returns what the thread that was chosen performs, and its continuation; it runs from now on.
    /// There is room for eight nodes.
    pub(super) fn chosen(&mut self, actions: Actions) -> Result<(Addr, Addr), Stop> {
        let Some((next, then)) = self.world.program.chosen() else {
            unreachable!("a thread was chosen before")
        };
        self.world.performing.resume(self.world.program.current());
        let action = match next {
            Next::Perform(action) | Next::Fail(action) => action,
            Next::Blocked => {
                let others = self.world.program.waiting();
                let waits = self.world.performing.place(&self.code.program.places, 0);
                let waits = waits.map_or_else(|| self.main_span(), |(span, _)| span);
                match self.fail_at(waits, Failure::blocked(others)) {
                    Stop::Error(error) => exception(self, actions, None, *error)?,
                    stop => return Err(stop),
                }
            }
            Next::Value(_) | Next::Nil => {
                let value = match next {
                    Next::Value(value) => value,
                    _ => {
                        self.reserve(1, 0)?;
                        let nil = self.nil();
                        self.handles.add(nil)
                    }
                };
                match self.new_con(actions.con(ActionCon::Return), &[value]) {
                    Some(action) => action?,
                    None => unreachable!("the value is this machine's"),
                }
            }
        };
        self.reserve(9, 0)?;
        self.world.program.started();
        let then = match then.and_then(|then| self.handles.get(&then)) {
            Some(then) => then,
            None => self.heap.alloc(Node::constr(actions.con(ActionCon::ThenEnd), &[])),
        };
        Ok((self.handles.get(&action).unwrap_or(then), then))
    }
}

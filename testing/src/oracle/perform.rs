//! What actions do, told plainly: one after the other, with the cells and the output at hand.

use std::cell::RefCell;
use std::rc::Rc;

use num_traits::ToPrimitive;

use super::{Halt, Outcome, Ref, Value, World, delay, done, force};

/// The primitives that are actions or run them.
pub(super) const ACTIONS: &[(&str, usize)] = &[
    ("return", 1),
    ("bind", 2),
    ("handle", 3),
    ("newCell", 1),
    ("readCell", 1),
    ("writeCell", 2),
    ("sameCell", 2),
    ("putText", 1),
    ("putError", 1),
    ("inputLine", 0),
    ("inputText", 0),
    ("arguments", 0),
    ("exit", 1),
    ("throw", 1),
    ("throwAgain", 2),
    ("runState", 1),
];

/// What waits for the value of an action.
enum Waits {
    For(Ref),
    Handler(Ref, Ref),
}

impl World {
    /// Performs a value that is an action, else prints it; whether it was performed.
    pub(super) fn finish(&self, value: &Ref, out: &mut String) -> Result<bool, Halt> {
        let found = force(value);
        // A handler may be in a part of the value that is printed.
        if let Ok(Value::Action(..)) = found {
            self.perform(value.clone(), 0, out)?;
            return Ok(true);
        }
        self.print(value, out).map(|()| false)
    }

    /// A primitive that is an action, or runs one.
    pub(super) fn action(&self, name: &'static str, args: &[Ref]) -> Outcome {
        match name {
            "throw" => {
                force(&args[0])?;
                Err(Halt::Thrown(args[0].clone()))
            }
            "throwAgain" => match force(&args[1])? {
                Value::Trace(halt) => Err(*halt),
                _ => Err(Halt::Error),
            },
            "runState" => {
                self.threads.set(self.threads.get() + 1);
                let thread = self.threads.get();
                force(&self.perform(args[0].clone(), thread, &mut String::new())?)
            }
            _ => Ok(Value::Action(name, args.to_vec())),
        }
    }

    /// Performs an action to its end; its value.
    fn perform(&self, action: Ref, thread: u64, out: &mut String) -> Result<Ref, Halt> {
        let mut waiting: Vec<Waits> = Vec::new();
        let mut next = Ok(action);
        loop {
            self.tick()?;
            let done = next.and_then(|action| self.step(&action, thread, &mut waiting, out));
            next = match done {
                Ok(Step::Perform(action)) => Ok(action),
                Ok(Step::Value(value)) => loop {
                    match waiting.pop() {
                        None => return Ok(value),
                        Some(Waits::Handler(..)) => {}
                        Some(Waits::For(k)) => break Ok(self.applied(&k, vec![value])),
                    }
                },
                Err(halt @ (Halt::Fuel | Halt::Exit)) => return Err(halt),
                Err(halt) => loop {
                    match waiting.pop() {
                        None => return Err(halt),
                        Some(Waits::For(_)) => {}
                        Some(Waits::Handler(thrown, failed)) => {
                            let trace = super::done(Value::Trace(Box::new(halt.clone())));
                            break Ok(match halt {
                                Halt::Thrown(value) => self.applied(&thrown, vec![value, trace]),
                                // Which failure it is does not matter.
                                _ => {
                                    let unknown = || super::done(self.text("?"));
                                    self.applied(&failed, vec![unknown(), unknown(), trace])
                                }
                            });
                        }
                    }
                },
            };
        }
    }

    fn applied(&self, function: &Ref, args: Vec<Ref>) -> Ref {
        let outcome = force(function).and_then(|function| self.apply(function, args));
        delay(move || outcome)
    }

    fn step(
        &self,
        action: &Ref,
        thread: u64,
        waiting: &mut Vec<Waits>,
        out: &mut String,
    ) -> Result<Step, Halt> {
        let Value::Action(name, args) = force(action)? else { return Err(Halt::Error) };
        let nil = || Ok(Step::Value(done(Value::Con(self.nil.clone(), Vec::new()))));
        let cell = |at: usize| match force(&args[at])? {
            Value::Cell(cell, owner) if owner == thread => Ok(cell),
            _ => Err(Halt::Error),
        };
        let outside = !matches!(
            name,
            "return" | "bind" | "handle" | "newCell" | "readCell" | "writeCell" | "sameCell"
        );
        if outside && thread != 0 {
            return Err(Halt::Error);
        }
        match name {
            "return" => Ok(Step::Value(args[0].clone())),
            "bind" => {
                waiting.push(Waits::For(args[1].clone()));
                Ok(Step::Perform(args[0].clone()))
            }
            "handle" => {
                waiting.push(Waits::Handler(args[1].clone(), args[2].clone()));
                Ok(Step::Perform(args[0].clone()))
            }
            "newCell" => {
                let cell = Rc::new(RefCell::new(args[0].clone()));
                Ok(Step::Value(done(Value::Cell(cell, thread))))
            }
            "readCell" => Ok(Step::Value(cell(0)?.borrow().clone())),
            "writeCell" => {
                *cell(0)?.borrow_mut() = args[1].clone();
                nil()
            }
            "sameCell" => {
                let same = Rc::ptr_eq(&cell(0)?, &cell(1)?);
                Ok(Step::Value(done(Value::Int(u8::from(same).into()))))
            }
            "putText" | "putError" => {
                let mut rest = args[0].clone();
                loop {
                    self.tick()?;
                    let Value::Con(con, fields) = force(&rest)? else { return Err(Halt::Error) };
                    match fields.as_slice() {
                        [] if con.data == self.nil.data => return nil(),
                        [first, others] if con.data == self.nil.data => {
                            let Value::Char(c) = force(first)? else { return Err(Halt::Error) };
                            match name {
                                "putText" => out.push(c),
                                _ if self.messages.get() => out.extend([super::MESSAGE, c]),
                                _ => {}
                            }
                            rest = others.clone();
                        }
                        _ => return Err(Halt::Error),
                    }
                }
            }
            "inputLine" | "inputText" if self.taken.get() => Err(Halt::Error),
            "inputLine" => {
                let mut input = self.input.borrow_mut();
                if input.is_empty() {
                    return nil();
                }
                let (line, rest) = input.split_once('\n').unwrap_or((&input, ""));
                let (line, rest) = (line.to_owned(), rest.to_owned());
                *input = rest;
                let nil = done(Value::Con(self.nil.clone(), Vec::new()));
                let fields = vec![done(self.text(&line)), nil];
                Ok(Step::Value(done(Value::Con(self.cons.clone(), fields))))
            }
            "inputText" => {
                self.taken.set(true);
                let text = std::mem::take(&mut *self.input.borrow_mut());
                Ok(Step::Value(done(self.text(&text))))
            }
            "arguments" => nil(),
            "exit" => match force(&args[0])? {
                Value::Int(status) if status.to_u8().is_some() => Err(Halt::Exit),
                _ => Err(Halt::Error),
            },
            _ => panic!("{name} is no action"),
        }
    }
}

enum Step {
    Value(Ref),
    Perform(Ref),
}

//! What actions do, told plainly: one after the other, with the cells and the output at hand.

use std::cell::RefCell;
use std::rc::Rc;

use gmachine::machine::System;
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
    ("newArray", 2),
    ("readArray", 2),
    ("writeArray", 3),
    ("sizeOfArray", 1),
    ("freezeArray", 1),
    ("thawArray", 1),
    ("copyArray", 5),
    ("putText", 1),
    ("putError", 1),
    ("inputLine", 0),
    ("inputText", 0),
    ("putBytes", 1),
    ("inputBytes", 1),
    ("arguments", 0),
    ("exit", 1),
    ("fileRead", 3),
    ("fileSize", 1),
    ("fileKind", 1),
    ("fileWrite", 2),
    ("fileAppend", 2),
    ("fileRemove", 1),
    ("fileRename", 2),
    ("directoryList", 1),
    ("directoryMake", 1),
    ("directoryRemove", 1),
    ("environmentVariable", 1),
    ("wallClock", 0),
    ("monotonicClock", 0),
    ("randomBytes", 1),
    ("fork", 1),
    ("myThread", 0),
    ("threadNumber", 1),
    ("yield", 0),
    ("newMVar", 0),
    ("takeMVar", 1),
    ("putMVar", 2),
    ("readMVar", 1),
    ("tryTakeMVar", 1),
    ("tryReadMVar", 1),
    ("tryPutMVar", 2),
    ("throwTo", 2),
    ("setMask", 1),
    ("throw", 1),
    ("throwAgain", 2),
    ("runState", 1),
    ("unsafePerform", 1),
];

/// Who performs an action.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Performer {
    /// The program, whose threads take turns.
    Program,
    /// An expression, which has no other threads beside it.
    Expression,
    /// A state thread.
    State(u64),
}

impl Performer {
    /// Returns the number of whom its cells and arrays are.
    fn owner(self) -> u64 {
        match self {
            Performer::Program | Performer::Expression => 0,
            Performer::State(number) => number,
        }
    }
}

/// What waits for the value of an action.
pub(super) enum Waits {
    For(Ref),
    Handler(Ref, Ref),
}

impl World {
    /// Performs a value that is an action, else prints it; returns whether it was performed.
    pub(super) fn finish(&self, value: &Ref, out: &mut String) -> Result<bool, Halt> {
        let found = force(value);
        // A handler may be in a part of the value that is printed.
        if let Ok(Value::Action(..)) = found {
            let ended = self.perform(value.clone(), Performer::Program);
            out.push_str(&self.written.take());
            return ended.map(|_| true);
        }
        self.print(value, out).map(|()| false)
    }

    /// Computes a primitive that is an action, or runs one.
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
                let state = Performer::State(self.threads.get());
                force(&self.perform(args[0].clone(), state)?)
            }
            "unsafePerform" => force(&self.perform(args[0].clone(), Performer::Expression)?),
            _ => Ok(Value::Action(name, args.to_vec())),
        }
    }

    /// Performs an action to its end; returns its value.
    fn perform(&self, action: Ref, by: Performer) -> Result<Ref, Halt> {
        let mut waiting: Vec<Waits> = Vec::new();
        let is_whole = || by != Performer::Program || self.program.borrow().is_main();
        let mut next = Ok(action);
        loop {
            self.tick()?;
            let done = next.and_then(|action| self.step(&action, by, &mut waiting));
            next = match done {
                Ok(Step::Perform(action)) => Ok(action),
                Ok(Step::Park) => self.program.borrow_mut().switch(&mut waiting, true),
                Ok(Step::Value(value)) => loop {
                    match waiting.pop() {
                        None if is_whole() => return Ok(value),
                        None => break self.program.borrow_mut().end(&mut waiting),
                        Some(Waits::Handler(..)) => {}
                        Some(Waits::For(k)) => break Ok(self.applied(&k, vec![value])),
                    }
                },
                Err(halt @ (Halt::Fuel | Halt::Exit)) => return Err(halt),
                Err(halt) => loop {
                    match waiting.pop() {
                        // Which ends the thread, and nothing else.
                        None if !is_whole() && matches!(halt, Halt::ThrownTo(_)) => {
                            break self.program.borrow_mut().end(&mut waiting);
                        }
                        None => return Err(halt),
                        Some(Waits::For(_)) => {}
                        Some(Waits::Handler(thrown, failed)) => {
                            let trace = super::done(Value::Trace(Box::new(halt.clone())));
                            break Ok(match halt {
                                Halt::Thrown(value) | Halt::ThrownTo(value) => {
                                    self.applied(&thrown, vec![value, trace])
                                }
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

    fn step(&self, action: &Ref, by: Performer, waiting: &mut Vec<Waits>) -> Result<Step, Halt> {
        let thread = by.owner();
        let Value::Action(name, args) = force(action)? else { return Err(Halt::Error) };
        let nil = || Ok(Step::Value(done(Value::Con(self.nil.clone(), Vec::new()))));
        let cell = |at: usize| match force(&args[at])? {
            Value::Cell(cell, owner) if owner == thread => Ok(cell),
            _ => Err(Halt::Error),
        };
        let outside = !matches!(name, "return" | "bind" | "handle")
            && !name.ends_with("Cell")
            && !name.ends_with("Array");
        if outside && thread != 0 {
            // What an effect needs is evaluated before it is asked who performs it.
            for at in needed(name, args.len()) {
                force(&args[at])?;
            }
            if let "putText" | "putError" = name
                && let Value::Con(_, fields) = force(&args[0])?
                && let Some(first) = fields.first()
            {
                force(first)?;
            }
            return Err(Halt::Error);
        }
        let array = |at: usize| match force(&args[at])? {
            Value::Mutable(array, owner) if owner == thread => Ok(array),
            _ => Err(Halt::Error),
        };
        let number = |at: usize| super::number(&args[at]).map(|of| of.to_usize());
        match name {
            "return" => Ok(Step::Value(args[0].clone())),
            "bind" => {
                waiting.push(Waits::For(args[1].clone()));
                if by == Performer::Program && self.program.borrow_mut().is_over(&args[0]) {
                    return Ok(Step::Park);
                }
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
            "newArray" => {
                let len = number(0)?.filter(|len| *len <= 16_000_000).ok_or(Halt::Error)?;
                let elements = Rc::new(RefCell::new(vec![args[1].clone(); len]));
                Ok(Step::Value(done(Value::Mutable(elements, thread))))
            }
            "thawArray" => match force(&args[0])? {
                Value::Array(elements) => {
                    let elements = Rc::new(RefCell::new(elements.to_vec()));
                    Ok(Step::Value(done(Value::Mutable(elements, thread))))
                }
                _ => Err(Halt::Error),
            },
            "freezeArray" => {
                let elements = array(0)?.borrow().clone();
                Ok(Step::Value(done(Value::Array(Rc::new(elements)))))
            }
            "sizeOfArray" => {
                let len = array(0)?.borrow().len();
                Ok(Step::Value(done(Value::Int(len.into()))))
            }
            "readArray" => {
                let (array, at) = (array(0)?, number(1)?);
                let found = at.and_then(|at| array.borrow().get(at).cloned());
                found.map(Step::Value).ok_or(Halt::Error)
            }
            "writeArray" => {
                let (array, at) = (array(0)?, number(1)?);
                let mut elements = array.borrow_mut();
                let place = at.and_then(|at| elements.get_mut(at)).ok_or(Halt::Error)?;
                *place = args[2].clone();
                nil()
            }
            "copyArray" => {
                // All operands are evaluated before any is looked at.
                for arg in &args {
                    force(arg)?;
                }
                let (source, target) = (array(0)?, array(2)?);
                let [from, to, count] = [number(1)?, number(3)?, number(4)?];
                let (Some(from), Some(to), Some(count)) = (from, to, count) else {
                    return Err(Halt::Error);
                };
                let part = source
                    .borrow()
                    .get(from..)
                    .and_then(|rest| rest.get(..count))
                    .map(<[_]>::to_vec);
                let mut elements = target.borrow_mut();
                let place = elements.get_mut(to..).and_then(|rest| rest.get_mut(..count));
                let (Some(place), Some(part)) = (place, part) else { return Err(Halt::Error) };
                place.clone_from_slice(&part);
                nil()
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
                                "putText" => self.written.borrow_mut().push(c),
                                _ if self.messages.get() => {
                                    self.written.borrow_mut().extend([super::MESSAGE, c]);
                                }
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
                let end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
                let taken = (end + 1).min(input.len());
                let mut line: Vec<u8> = input.drain(..taken).collect();
                line.truncate(end);
                let line = String::from_utf8(line).expect("a text is read as text");
                let nil = done(Value::Con(self.nil.clone(), Vec::new()));
                let fields = vec![done(self.text(&line)), nil];
                Ok(Step::Value(done(Value::Con(self.cons.clone(), fields))))
            }
            "inputText" => {
                self.taken.set(true);
                let text = std::mem::take(&mut *self.input.borrow_mut());
                let text = String::from_utf8(text).expect("a text is read as text");
                Ok(Step::Value(done(self.text(&text))))
            }
            "inputBytes" if self.taken.get() => Err(Halt::Error),
            "inputBytes" => {
                let most = super::number(&args[0])?.max(0.into());
                let mut input = self.input.borrow_mut();
                let most = most.to_usize().map_or(input.len(), |most| most.min(input.len()));
                let bytes: Vec<u8> = input.drain(..most).collect();
                Ok(Step::Value(done(Value::Bytes(Rc::new(bytes)))))
            }
            "putBytes" => match force(&args[0])? {
                Value::Bytes(bytes) => {
                    self.written.borrow_mut().push_str(&String::from_utf8_lossy(&bytes));
                    nil()
                }
                _ => Err(Halt::Error),
            },
            "arguments" => nil(),
            "fork" | "myThread" | "threadNumber" | "yield" | "newMVar" | "takeMVar" | "putMVar"
            | "readMVar" | "tryTakeMVar" | "tryReadMVar" | "tryPutMVar" | "throwTo" | "setMask" => {
                self.on_threads(name, &args, by)
            }
            "fileRead"
            | "fileSize"
            | "fileKind"
            | "fileWrite"
            | "fileAppend"
            | "fileRemove"
            | "fileRename"
            | "directoryList"
            | "directoryMake"
            | "directoryRemove"
            | "environmentVariable"
            | "wallClock"
            | "monotonicClock"
            | "randomBytes" => self.system(name, &args).map(Step::Value),
            "exit" => match force(&args[0])? {
                Value::Int(status) if status.to_u8().is_some() => Err(Halt::Exit),
                _ => Err(Halt::Error),
            },
            _ => panic!("{name} is no action"),
        }
    }
}

/// Returns which operands an effect of input and output, or on threads, needs evaluated.
fn needed(name: &str, arity: usize) -> std::ops::Range<usize> {
    match name {
        "fork" => 0..0,
        "putMVar" | "tryPutMVar" => 0..1,
        _ => 0..arity,
    }
}

impl World {
    /// Returns what the system answers.
    fn system(&self, name: &str, args: &[Ref]) -> Result<Ref, Halt> {
        // All operands are evaluated before any is looked at.
        for arg in args {
            force(arg)?;
        }
        let bytes = |at: usize| match force(&args[at])? {
            Value::Bytes(bytes) => Ok(bytes.to_vec()),
            _ => Err(Halt::Error),
        };
        let count = |at: usize| {
            let count = super::number(&args[at])?.max(0.into());
            Ok::<_, Halt>(count.to_u64().unwrap_or(u64::MAX))
        };
        let string = |bytes: Vec<u8>| done(Value::Bytes(Rc::new(bytes)));
        let nil = || done(Value::Con(self.nil.clone(), Vec::new()));
        let int = |value: u128| done(Value::Int(value.into()));
        let list = |items: Vec<Vec<u8>>| {
            items.into_iter().rev().fold(nil(), |rest, item| {
                done(Value::Con(self.cons.clone(), vec![string(item), rest]))
            })
        };
        let mut system = self.system.borrow_mut();
        let fits = &mut |_| true;
        // Which failure it is does not matter.
        let answer = match name {
            "fileRead" => {
                let (path, from, most) = (bytes(0)?, count(1)?, count(2)?);
                system.read(&path, from, most, fits).map(string)
            }
            "fileSize" => system.size(&bytes(0)?).map(|size| int(size.into())),
            "fileKind" => system.kind(&bytes(0)?).map(|kind| int(kind as u128)),
            "fileWrite" => {
                let (path, of) = (bytes(0)?, bytes(1)?);
                system.write(&path, &of, false).map(|()| nil())
            }
            "fileAppend" => {
                let (path, of) = (bytes(0)?, bytes(1)?);
                system.write(&path, &of, true).map(|()| nil())
            }
            "fileRemove" => system.remove(&bytes(0)?).map(|()| nil()),
            "fileRename" => {
                let (from, to) = (bytes(0)?, bytes(1)?);
                system.rename(&from, &to).map(|()| nil())
            }
            "directoryList" => system.list(&bytes(0)?).map(|mut names| {
                names.sort();
                list(names)
            }),
            "directoryMake" => system.make_directory(&bytes(0)?).map(|()| nil()),
            "directoryRemove" => system.remove_directory(&bytes(0)?).map(|()| nil()),
            "environmentVariable" => {
                system.variable(&bytes(0)?).map(|found| list(found.into_iter().collect()))
            }
            "wallClock" => system.wall_clock().map(|time| int(time.as_nanos())),
            "monotonicClock" => system.monotonic_clock().map(|time| int(time.as_nanos())),
            _ => {
                let mut bytes = vec![0; count(0)?.min(1 << 24) as usize];
                system.random(&mut bytes).map(|()| string(bytes))
            }
        };
        answer.map_err(|_| Halt::Error)
    }
}

pub(super) enum Step {
    Value(Ref),
    Perform(Ref),
    /// Another thread runs; this one knows how it goes on.
    Park,
}

//! Threads of a program, one at a time: who runs, who waits where, in which order.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use super::perform::{Performer, Step, Waits};
use super::{Halt, Ref, Value, World, done, force};

/// Binds until it is the next one's turn.
const TURN: u32 = 32;

/// An `MVar`: its value, and who waits there.
pub(super) struct Var {
    content: RefCell<Option<Ref>>,
    queue: RefCell<Vec<(u64, Want)>>,
}

#[derive(Clone)]
enum Want {
    Take,
    Read,
    Put(Ref),
}

/// How a thread goes on.
enum Go {
    Perform(Ref),
    Value(Ref),
    Fail(Halt),
}

#[derive(Default)]
struct Thread {
    go: Option<Go>,
    waiting: Vec<Waits>,
    at: Option<Rc<Var>>,
    is_masked: bool,
    pending: VecDeque<Halt>,
}

/// All threads of a run.
#[derive(Default)]
pub(super) struct Threads {
    current: u64,
    last: u64,
    left: u32,
    all: BTreeMap<u64, Thread>,
    ready: VecDeque<u64>,
}

impl Threads {
    fn own(&mut self) -> &mut Thread {
        self.all.entry(self.current).or_default()
    }

    pub fn is_main(&self) -> bool {
        self.current == 0
    }

    /// Returns, after a bind, whether another thread has its turn, and the one that runs goes on
    /// later with an action.
    pub fn is_over(&mut self, action: &Ref) -> bool {
        if self.last == 0 {
            return false;
        }
        self.left = self.left.saturating_sub(1);
        if self.ready.is_empty() {
            self.left = TURN;
        }
        if self.left > 0 {
            return false;
        }
        self.later(Go::Perform(action.clone()));
        true
    }

    fn later(&mut self, go: Go) {
        self.own().go = Some(go);
        self.ready.push_back(self.current);
    }

    fn now(&mut self, go: Go) -> Step {
        self.own().go = Some(go);
        self.ready.push_front(self.current);
        Step::Park
    }

    fn wake(&mut self, number: u64, go: Go) {
        let thread = self.all.get_mut(&number).expect("it waits");
        (thread.go, thread.at) = (Some(go), None);
        self.ready.push_back(number);
    }

    fn wait(&mut self, var: &Rc<Var>, want: Want) -> Step {
        if let Some(halt) = self.own().pending.pop_front() {
            return self.now(Go::Fail(halt));
        }
        let mut queue = var.queue.borrow_mut();
        let readers = queue.iter().take_while(|(_, want)| matches!(want, Want::Read)).count();
        let at = if matches!(want, Want::Read) { readers } else { queue.len() };
        queue.insert(at, (self.current, want));
        self.own().at = Some(var.clone());
        Step::Park
    }

    /// Ends the thread that runs, and goes to the next one.
    pub fn end(&mut self, waiting: &mut Vec<Waits>) -> Result<Ref, Halt> {
        self.all.remove(&self.current);
        self.switch(waiting, false)
    }

    /// Keeps what waits in the thread that runs, and goes to the next one.
    pub fn switch(&mut self, waiting: &mut Vec<Waits>, keeps: bool) -> Result<Ref, Halt> {
        if keeps {
            self.own().waiting = std::mem::take(waiting);
        }
        self.left = TURN;
        self.current = self.ready.pop_front().unwrap_or(0);
        let current = self.current;
        let own = self.own();
        *waiting = std::mem::take(&mut own.waiting);
        let go = own.go.take();
        if matches!(go, Some(Go::Perform(_) | Go::Value(_)))
            && !own.is_masked
            && let Some(halt) = own.pending.pop_front()
        {
            return Err(halt);
        }
        match go {
            Some(Go::Perform(action)) => Ok(action),
            Some(Go::Value(value)) => Ok(done(Value::Action("return", vec![value]))),
            Some(Go::Fail(halt)) => Err(halt),
            None => {
                // Main waits for ever.
                if let Some(var) = own.at.take() {
                    var.queue.borrow_mut().retain(|(number, _)| *number != current);
                }
                Err(Halt::Error)
            }
        }
    }
}

impl World {
    /// Performs an action on threads.
    pub(super) fn on_threads(&self, name: &str, args: &[Ref], by: Performer) -> Result<Step, Halt> {
        let nil = || done(Value::Con(self.nil.clone(), Vec::new()));
        let int = |value: u8| Ok(Step::Value(done(Value::Int(value.into()))));
        let thread = |number| done(Value::Thread(number));
        let var = || match force(&args[0])? {
            Value::MVar(var) => Ok(var),
            _ => Err(Halt::Error),
        };
        // An expression has no turns to give away.
        let has_turns = || if by == Performer::Program { Ok(()) } else { Err(Halt::Error) };
        let program = || self.program.borrow_mut();
        match name {
            "fork" => {
                has_turns()?;
                let mut threads = program();
                threads.last += 1;
                let go = Some(Go::Perform(args[0].clone()));
                let forked = threads.last;
                threads.all.insert(forked, Thread { go, ..Thread::default() });
                threads.ready.push_back(forked);
                Ok(threads.now(Go::Value(thread(forked))))
            }
            "myThread" => Ok(Step::Value(thread(program().current))),
            "threadNumber" => match force(&args[0])? {
                Value::Thread(number) => Ok(Step::Value(done(Value::Int(number.into())))),
                _ => Err(Halt::Error),
            },
            "yield" => {
                has_turns()?;
                program().later(Go::Value(nil()));
                Ok(Step::Park)
            }
            "newMVar" => {
                let var = Var { content: RefCell::default(), queue: RefCell::default() };
                Ok(Step::Value(done(Value::MVar(Rc::new(var)))))
            }
            "takeMVar" | "tryTakeMVar" => {
                let var = var()?;
                let Some(value) = var.content.take() else {
                    return match name {
                        "takeMVar" => has_turns().map(|()| program().wait(&var, Want::Take)),
                        _ => Ok(Step::Value(nil())),
                    };
                };
                let mut queue = var.queue.borrow_mut();
                if let Some((number, Want::Put(next))) = queue.first().cloned() {
                    queue.remove(0);
                    var.content.replace(Some(next));
                    program().wake(number, Go::Value(nil()));
                }
                Ok(Step::Value(match name {
                    "takeMVar" => value,
                    _ => done(Value::Con(self.cons.clone(), vec![value, nil()])),
                }))
            }
            "readMVar" => {
                let var = var()?;
                let content = var.content.borrow().clone();
                match content {
                    Some(content) => Ok(Step::Value(content)),
                    None => has_turns().map(|()| program().wait(&var, Want::Read)),
                }
            }
            "tryReadMVar" => {
                let content = var()?.content.borrow().clone();
                Ok(Step::Value(content.map_or_else(nil, |value| {
                    done(Value::Con(self.cons.clone(), vec![value, nil()]))
                })))
            }
            "putMVar" | "tryPutMVar" => {
                let (var, value) = (var()?, args[1].clone());
                if var.content.borrow().is_some() {
                    return match name {
                        "putMVar" => has_turns().map(|()| program().wait(&var, Want::Put(value))),
                        _ => int(0),
                    };
                }
                let mut queue = var.queue.borrow_mut();
                let mut is_taken = false;
                while !is_taken && !queue.is_empty() {
                    let (number, want) = queue.remove(0);
                    is_taken = matches!(want, Want::Take);
                    program().wake(number, Go::Value(value.clone()));
                }
                if !is_taken {
                    var.content.replace(Some(value));
                }
                match name {
                    "putMVar" => Ok(Step::Value(nil())),
                    _ => int(1),
                }
            }
            "throwTo" => {
                let to = force(&args[0])?;
                force(&args[1])?;
                let Value::Thread(number) = to else { return Err(Halt::Error) };
                let halt = Halt::ThrownTo(args[1].clone());
                let mut threads = program();
                if number == threads.current {
                    has_turns()?;
                    return Ok(threads.now(Go::Fail(halt)));
                }
                if let Some(thread) = threads.all.get_mut(&number) {
                    match thread.at.take() {
                        Some(var) => {
                            var.queue.borrow_mut().retain(|(waiting, _)| *waiting != number);
                            threads.wake(number, Go::Fail(halt));
                        }
                        None => thread.pending.push_back(halt),
                    }
                }
                Ok(Step::Value(nil()))
            }
            _ => {
                let is_masked = match force(&args[0])? {
                    Value::Int(value) if value == 0.into() => false,
                    Value::Int(value) if value == 1.into() => true,
                    _ => return Err(Halt::Error),
                };
                let mut threads = program();
                let own = threads.own();
                let was = std::mem::replace(&mut own.is_masked, is_masked);
                // In an expression it stays pending until that has its value.
                if has_turns().is_ok()
                    && !is_masked
                    && let Some(halt) = own.pending.pop_front()
                {
                    return Ok(threads.now(Go::Fail(halt)));
                }
                int(was.into())
            }
        }
    }
}

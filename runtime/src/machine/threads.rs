//! The threads of a program and what they wait for; which of them runs next.
//!
//! One thread runs at a time. It is the turn of the next one when it waits, yields or has performed
//! [`TURN`] binds while others could run: what the optimiser does and which machine it is changes
//! none of that, so each run takes the turns of every other. A thread is switched only between two
//! actions, so nothing is under evaluation in one that does not run.

use std::collections::{BTreeMap, VecDeque};

use super::handles::Handle;

/// How many binds a thread performs before the next one has its turn.
const TURN: u32 = 32;

/// The number of the thread that `main` is.
pub(in crate::machine) const MAIN: i64 = 0;

/// What a thread waits for at an `MVar` of a number.
#[derive(Clone, Debug)]
pub(in crate::machine) enum Wait {
    /// A value, which it takes.
    Take(i64),
    /// A value, which it leaves there.
    Read(i64),
    /// Room for its value.
    Put(i64, Handle),
}

/// How a thread goes on.
#[derive(Clone, Debug)]
pub(in crate::machine) enum Next {
    /// It performs an action.
    Perform(Handle),
    /// The action that it was performing has this value.
    Value(Handle),
    /// The action has `Nil` for its value.
    Nil,
    /// The action fails with this exception, a value that was thrown.
    Fail(Handle),
    /// The action waits for ever: no thread can run.
    Blocked,
}

/// A thread that does not run.
#[derive(Clone, Debug)]
struct Thread {
    /// How it goes on; `None` if it waits.
    next: Option<Next>,
    /// Its continuation; `None` at its beginning.
    then: Option<Handle>,
    /// What it waits for.
    waits: Option<Wait>,
    is_masked: bool,
    /// Exceptions that other threads have thrown to it, the first one first.
    pending: VecDeque<Handle>,
}

impl Thread {
    fn new(next: Option<Next>) -> Thread {
        let (waits, pending) = (None, VecDeque::new());
        Thread { next, then: None, waits, is_masked: false, pending }
    }
}

/// The threads of a run.
#[derive(Clone, Debug, Default)]
pub(in crate::machine) struct Threads {
    /// The one that runs.
    current: i64,
    /// The number of the last one that was made.
    last: i64,
    /// The number of the last `MVar` that was made.
    last_var: i64,
    /// All that have not ended, once there is another one than `main`, or one has waited.
    all: BTreeMap<i64, Thread>,
    /// Those that can run, in the order of their turns.
    ready: VecDeque<i64>,
    /// Those that wait at an `MVar`, the first one first.
    waiting: BTreeMap<i64, VecDeque<i64>>,
    /// Binds that are left of the turn.
    left: u32,
    /// How the thread that is to run goes on, and its continuation, until that has been made.
    chosen: Option<(Next, Option<Handle>)>,
}

impl Threads {
    /// Returns the number of the thread that runs.
    pub fn current(&self) -> i64 {
        self.current
    }

    /// Returns whether the thread that runs is the one that `main` is.
    pub fn is_main(&self) -> bool {
        self.current == MAIN
    }

    /// Returns whether there is or was another thread than `main`.
    pub fn is_forked(&self) -> bool {
        self.last > 0
    }

    /// Returns the thread that runs.
    fn own(&mut self) -> &mut Thread {
        self.all.entry(self.current).or_insert_with(|| Thread::new(None))
    }

    /// Makes a thread that performs an action, last in turn; returns its number. The thread that
    /// runs goes on with it.
    pub fn fork(&mut self, action: Handle) -> i64 {
        self.last += 1;
        self.all.insert(self.last, Thread::new(Some(Next::Perform(action))));
        self.ready.push_back(self.last);
        self.last
    }

    /// Returns the number of a new `MVar`.
    pub fn new_var(&mut self) -> i64 {
        self.last_var += 1;
        self.last_var
    }

    /// Counts a bind of the thread that runs; returns whether it goes on, because its turn is not
    /// over or no other thread can run.
    pub fn tick(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
        }
        if self.ready.is_empty() {
            self.left = TURN;
        }
        self.left > 0
    }

    /// Returns whether the turn of the thread that runs is over.
    pub fn is_over(&self) -> bool {
        self.left == 0 && !self.ready.is_empty()
    }

    /// Makes the thread that runs go on so, before all others.
    pub fn resume(&mut self, next: Next) {
        let current = self.current;
        self.own().next = Some(next);
        self.ready.push_front(current);
    }

    /// Makes the thread that runs go on so when all others have had their turns.
    pub fn yields(&mut self, next: Next) {
        let current = self.current;
        self.own().next = Some(next);
        self.ready.push_back(current);
    }

    /// Makes the thread that runs wait. What another thread has thrown to it arrives there instead,
    /// masked or not: it could wait for ever.
    pub fn wait(&mut self, wait: Wait) {
        if let Some(exception) = self.own().pending.pop_front() {
            return self.resume(Next::Fail(exception));
        }
        let current = self.current;
        let (Wait::Take(var) | Wait::Read(var) | Wait::Put(var, _)) = wait;
        let queue = self.waiting.entry(var).or_default();
        // Who reads, and leaves the value, is served before all who take it.
        let reads = |number: &&i64| {
            let of = self.all.get(*number);
            of.is_some_and(|of| matches!(of.waits, Some(Wait::Read(_))))
        };
        let at = match wait {
            Wait::Read(_) => queue.iter().take_while(reads).count(),
            _ => queue.len(),
        };
        queue.insert(at, current);
        let own = self.own();
        (own.next, own.waits) = (None, Some(wait));
    }

    /// Lets a thread that waited go on, last in turn.
    fn wake(&mut self, number: i64, next: Next) {
        if let Some(thread) = self.all.get_mut(&number) {
            (thread.next, thread.waits) = (Some(next), None);
            self.ready.push_back(number);
        }
    }

    /// Returns the first that waits at an `MVar`, if `is` says so of what it waits for.
    fn first(&mut self, var: i64, is: impl FnOnce(&Wait) -> bool) -> Option<i64> {
        let queue = self.waiting.get_mut(&var)?;
        let number = *queue.front()?;
        let waits = self.all.get(&number)?.waits.as_ref()?;
        if !is(waits) {
            return None;
        }
        queue.pop_front();
        if queue.is_empty() {
            self.waiting.remove(&var);
        }
        Some(number)
    }

    /// Wakes, where an `MVar` has become empty, the first thread that waits to put a value there;
    /// returns that value.
    pub fn emptied(&mut self, var: i64) -> Option<Handle> {
        let number = self.first(var, |waits| matches!(waits, Wait::Put(..)))?;
        let value = match &self.all.get(&number)?.waits {
            Some(Wait::Put(_, value)) => value.clone(),
            _ => return None,
        };
        self.wake(number, Next::Nil);
        Some(value)
    }

    /// Wakes, where a value is put into an empty `MVar`, all that wait to read it, and the first
    /// that waits to take it. Returns whether it is taken.
    pub fn filled(&mut self, var: i64, value: &Handle) -> bool {
        while let Some(number) = self.first(var, |waits| matches!(waits, Wait::Read(_))) {
            self.wake(number, Next::Value(value.clone()));
        }
        let taker = self.first(var, |waits| matches!(waits, Wait::Take(_)));
        if let Some(number) = taker {
            self.wake(number, Next::Value(value.clone()));
        }
        taker.is_some()
    }

    /// Returns whether somebody waits at an `MVar` for a value.
    pub fn wants(&self, var: i64) -> bool {
        let first = self.waiting.get(&var).and_then(|queue| queue.front());
        let waits = first.and_then(|number| self.all.get(number)?.waits.as_ref());
        waits.is_some_and(|waits| !matches!(waits, Wait::Put(..)))
    }

    /// Throws an exception to another thread: at once if it waits or has masked none, else when it
    /// is to wait or unmasks. One that has ended gets none.
    pub fn throw_to(&mut self, number: i64, exception: Handle) {
        let Some(thread) = self.all.get_mut(&number) else { return };
        match thread.waits.take() {
            Some(Wait::Take(var) | Wait::Read(var) | Wait::Put(var, _)) => {
                if let Some(queue) = self.waiting.get_mut(&var) {
                    queue.retain(|waiting| *waiting != number);
                    if queue.is_empty() {
                        self.waiting.remove(&var);
                    }
                }
                self.wake(number, Next::Fail(exception));
            }
            None => thread.pending.push_back(exception),
        }
    }

    /// Masks exceptions of other threads, or unmasks them; returns whether they were masked.
    pub fn set_mask(&mut self, is_masked: bool) -> bool {
        std::mem::replace(&mut self.own().is_masked, is_masked)
    }

    /// Returns the first exception that another thread has thrown to the one that runs, if it masks
    /// none.
    pub fn pending(&mut self) -> Option<Handle> {
        let own = self.own();
        if own.is_masked { None } else { own.pending.pop_front() }
    }

    /// Chooses the next thread, where the one that runs has stopped running, with this
    /// continuation.
    pub fn switch(&mut self, then: Handle) {
        self.own().then = Some(then);
        self.choose();
    }

    /// Chooses the next thread, where the one that runs has ended.
    pub fn ended(&mut self) {
        self.all.remove(&self.current);
        self.choose();
    }

    fn choose(&mut self) {
        self.left = TURN;
        self.current = self.ready.pop_front().unwrap_or(MAIN);
        let own = self.own();
        let next = match own.next.take() {
            // One after the other: none that was thrown is lost.
            Some(Next::Fail(exception)) => Next::Fail(exception),
            // What another thread has thrown comes first, and what was to be done is not.
            Some(_) if !own.is_masked && !own.pending.is_empty() => {
                own.pending.pop_front().map_or(Next::Nil, Next::Fail)
            }
            Some(next) => next,
            None => Next::Blocked,
        };
        let then = own.then.take();
        if let (Next::Blocked, Some(Wait::Take(var) | Wait::Read(var) | Wait::Put(var, _))) =
            (&next, own.waits.take())
            && let Some(queue) = self.waiting.get_mut(&var)
        {
            queue.retain(|waiting| *waiting != MAIN);
        }
        self.chosen = Some((next, then));
    }

    /// Returns how the thread that was chosen goes on, and its continuation; the same until
    /// [`started`](Threads::started) is called.
    pub fn chosen(&self) -> Option<(Next, Option<Handle>)> {
        self.chosen.clone()
    }

    /// Notes that the thread that was chosen runs.
    pub fn started(&mut self) {
        self.chosen = None;
    }

    /// Returns how many threads wait, but for the one that runs.
    pub fn waiting(&self) -> usize {
        self.all
            .iter()
            .filter(|(number, of)| **number != self.current && of.waits.is_some())
            .count()
    }
}

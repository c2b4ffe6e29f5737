//! Configuration: limits and host functions.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::call::{Call, HostError, HostFunction};
use super::eval::Value;
use crate::core::options::EntryPoints;
use crate::machine::{Clock, MachineKind};
use crate::optimise::Passes;
use crate::primitive::Primitive;
use crate::syntax::lex;

/// What a store may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Bytes of heap, stack and big integers; `None`: what the system gives.
    pub heap: Option<u64>,
    /// Steps: reductions of the fast machine, instructions of the reference machine; `None`: as
    /// many as it takes.
    pub fuel: Option<u64>,
    /// Time from when the store is made, or the limit is set; `None`: as much as it takes. When
    /// it is up, whatever is evaluated stops with [`Limit::Time`](super::Limit::Time), within
    /// some ten thousand steps, until the limit is set again. Where Rust has no clock, as on
    /// `wasm32-unknown-unknown`, it is up at once unless [`Engine::set_clock`] gives one.
    pub time: Option<Duration>,
}

/// A host function.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) name: Arc<str>,
    pub(super) arity: u32,
    pub(super) function: HostFunction,
}

/// The configuration that modules are compiled with: limits of their stores, and the
/// functions of the embedding program that they may call.
#[derive(Clone)]
pub struct Engine {
    pub(super) hosts: Vec<Entry>,
    pub(super) limits: Limits,
    pub(super) passes: Passes,
    pub(super) machine: MachineKind,
    pub(super) count: bool,
    pub(super) entry_points: EntryPoints,
    pub(super) explain: bool,
    pub(super) clock: Option<Clock>,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine {
            hosts: Vec::new(),
            limits: Limits::default(),
            passes: Passes::ALL,
            machine: MachineKind::default(),
            count: false,
            entry_points: EntryPoints::All,
            explain: false,
            clock: super::clock::system(),
        }
    }
}

/// Why a host function cannot be registered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RegisterError {
    /// There is one of this name.
    Taken(String),
    /// A program could not write the name.
    NoName(String),
    /// A primitive has this name, or a constructor of lists: programs could not tell whether
    /// they have the function.
    Reserved(String),
    /// It has no arguments, or more than 255.
    Arity(u32),
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterError::Taken(name) => write!(f, "there is a host function `{name}` already"),
            RegisterError::NoName(name) => write!(f, "`{name}` is no name of the language"),
            RegisterError::Reserved(name) => {
                write!(f, "`{name}` is a primitive of the language or a constructor of its lists")
            }
            RegisterError::Arity(arity) => {
                write!(f, "a host function has 1 to 255 arguments, not {arity}")
            }
        }
    }
}

impl std::error::Error for RegisterError {}

impl Engine {
    /// Returns an engine without limits or host functions, which optimises as much as it can.
    #[must_use]
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Sets the limits that stores of its modules start with.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Sets the optimiser's passes for the modules that are compiled from now on:
    /// [`Passes::ALL`] unless it is set, [`Passes::NONE`] for the textbook's code,
    /// [`Passes::level`] for what `-O` means on the command line. Whatever they are, a
    /// program means the same.
    ///
    /// ```
    /// use gmachine::Engine;
    /// use gmachine::{Pass, Passes};
    ///
    /// let mut engine = Engine::new();
    /// engine.set_passes(Passes::ALL.without(Pass::Specialise));
    /// assert_eq!(engine.passes(), Passes::level(1));
    /// ```
    pub fn set_passes(&mut self, passes: Passes) {
        self.passes = passes;
    }

    /// Returns the optimiser's passes for the modules that are compiled from now on.
    #[must_use]
    pub fn passes(&self) -> Passes {
        self.passes
    }

    /// Sets the machine that stores of the modules that are compiled from now on run on.
    /// Whichever it is, a program means the same.
    pub fn set_machine(&mut self, machine: MachineKind) {
        self.machine = machine;
    }

    /// Returns the machine that stores of the modules that are compiled from now on run on.
    #[must_use]
    pub fn machine(&self) -> MachineKind {
        self.machine
    }

    /// Sets whether stores of the modules that are compiled from now on count each instruction
    /// by its kind, which takes time. [`Store::coverage`](super::Store::coverage) tells.
    pub fn set_count(&mut self, count: bool) {
        self.count = count;
    }

    /// Sets which definitions the modules that are compiled from now on keep, and
    /// [`global`](super::Eval::global) finds: [`EntryPoints::All`] of the program's own unless it is
    /// set. With [`EntryPoints::InScope`] it is the prelude's too, and those of imported modules; with
    /// [`EntryPoints::Main`] a program must have a `main`, and what that does not reach is left out.
    ///
    /// ```
    /// use gmachine::{Engine, Eval, EntryPoints};
    ///
    /// let mut engine = Engine::new();
    /// engine.set_entry_points(EntryPoints::InScope);
    /// let mut store = engine.compile("empty", "")?.store();
    /// let product = store.global("product")?;
    /// let numbers = store.value(vec![2, 3, 7])?;
    /// let value = store.call(&product, &[numbers])?;
    /// assert_eq!(store.get::<i32>(&value)?, 42);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_entry_points(&mut self, entry_points: EntryPoints) {
        self.entry_points = entry_points;
    }

    /// Sets whether the optimiser lists its single decisions in
    /// [`Module::report`](super::Module::report).
    pub fn set_explain(&mut self, explain: bool) {
        self.explain = explain;
    }

    /// Sets the clock of [`Limits::time`]: the time since some fixed moment. Unless it is set,
    /// it is the monotonic clock of the system, where Rust has one.
    pub fn set_clock(&mut self, clock: impl Fn() -> Duration + Send + Sync + 'static) {
        self.clock = Some(Arc::new(clock));
    }

    /// Makes a function of the embedding program known to the modules that are compiled from
    /// now on. It gets its arguments unevaluated. It should depend on nothing but them: like
    /// any other expression a call is evaluated at most once and only when needed, and after
    /// a stop inside it it is called again.
    ///
    /// What the prelude or a module calls by the same name is shadowed in the program, as it
    /// would be by a definition; a definition of the program shadows the host function.
    ///
    /// A panic in the function goes on in whoever asked for the value, after the machine has
    /// stopped as for an interrupt: the store stays usable and every value evaluable.
    ///
    /// # Errors
    /// When the name is taken, no NAME of the language, that of a constructor of lists or of a
    /// primitive on exact integers and characters, or the number of arguments is 0 or above 255.
    /// A primitive on bits, words or floats of that name is hidden from the program, as a
    /// definition hides it.
    pub fn register<F>(&mut self, name: &str, arity: u32, function: F) -> Result<(), RegisterError>
    where
        F: Fn(&mut Call<'_>) -> Result<Value, HostError> + Send + Sync + 'static,
    {
        if self.hosts.iter().any(|entry| &*entry.name == name) {
            return Err(RegisterError::Taken(name.to_owned()));
        }
        if !lex::is_name(name) {
            return Err(RegisterError::NoName(name.to_owned()));
        }
        let is_reserved = Primitive::find(name).is_some_and(Primitive::is_reserved);
        if is_reserved || matches!(name, "Nil" | "Cons") {
            return Err(RegisterError::Reserved(name.to_owned()));
        }
        if !(1..=255).contains(&arity) {
            return Err(RegisterError::Arity(arity));
        }
        self.hosts.push(Entry { name: name.into(), arity, function: Arc::new(function) });
        Ok(())
    }

    /// Returns the names and numbers of arguments of the host functions.
    pub(super) fn host_names(&self) -> impl Iterator<Item = (&str, u32)> {
        self.hosts.iter().map(|entry| (&*entry.name, entry.arity))
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<_> = self.hosts.iter().map(|entry| &entry.name).collect();
        let mut engine = f.debug_struct("Engine");
        engine.field("hosts", &hosts).field("limits", &self.limits);
        engine.field("passes", &self.passes).field("machine", &self.machine).finish_non_exhaustive()
    }
}

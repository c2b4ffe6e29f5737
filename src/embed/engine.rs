//! Configuration: limits and host functions.

use std::fmt;
use std::sync::Arc;

use super::call::{Call, HostError, HostFunction};
use super::eval::Value;
use crate::machine::MachineKind;
use crate::optimise::Passes;

/// What a store may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Bytes of heap, stack and big integers; `None`: what the system gives.
    pub heap: Option<u64>,
    /// Steps: reductions of the fast machine, instructions of the reference machine; `None`: as
    /// many as it takes.
    pub fuel: Option<u64>,
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
}

impl Default for Engine {
    fn default() -> Engine {
        Engine {
            hosts: Vec::new(),
            limits: Limits::default(),
            passes: Passes::ALL,
            machine: MachineKind::default(),
            count: false,
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
    /// It has no arguments, or more than 255.
    Arity(u32),
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterError::Taken(name) => write!(f, "there is a host function `{name}` already"),
            RegisterError::NoName(name) => write!(f, "`{name}` is no name of the language"),
            RegisterError::Arity(arity) => {
                write!(f, "a host function has 1 to 255 arguments, not {arity}")
            }
        }
    }
}

impl std::error::Error for RegisterError {}

impl Engine {
    /// An engine without limits or host functions, which optimises as much as it can.
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
    /// use gmachine::optimise::{Pass, Passes};
    ///
    /// let mut engine = Engine::new();
    /// engine.set_passes(Passes::ALL.without(Pass::Specialise));
    /// assert_eq!(engine.passes(), Passes::level(1));
    /// ```
    pub fn set_passes(&mut self, passes: Passes) {
        self.passes = passes;
    }

    /// The optimiser's passes for the modules that are compiled from now on.
    #[must_use]
    pub fn passes(&self) -> Passes {
        self.passes
    }

    /// Sets the machine that stores of the modules that are compiled from now on run on.
    /// Whichever it is, a program means the same.
    pub fn set_machine(&mut self, machine: MachineKind) {
        self.machine = machine;
    }

    /// The machine that stores of the modules that are compiled from now on run on.
    #[must_use]
    pub fn machine(&self) -> MachineKind {
        self.machine
    }

    /// Sets whether stores of the modules that are compiled from now on count each instruction
    /// by its kind, which takes time. [`Store::coverage`](super::Store::coverage) tells.
    pub fn set_count(&mut self, count: bool) {
        self.count = count;
    }

    /// Makes a function of the embedding program known to the modules that are compiled from
    /// now on. It gets its arguments unevaluated. It should depend on nothing but them: like
    /// any other expression a call is evaluated at most once and only when needed, and after
    /// a stop inside it it is called again.
    ///
    /// # Errors
    /// When the name is taken or no NAME of the language, or the number of arguments is 0 or
    /// above 255.
    pub fn register<F>(&mut self, name: &str, arity: u32, function: F) -> Result<(), RegisterError>
    where
        F: Fn(&mut Call<'_>) -> Result<Value, HostError> + Send + Sync + 'static,
    {
        if self.hosts.iter().any(|entry| &*entry.name == name) {
            return Err(RegisterError::Taken(name.to_owned()));
        }
        if !is_name(name) {
            return Err(RegisterError::NoName(name.to_owned()));
        }
        if !(1..=255).contains(&arity) {
            return Err(RegisterError::Arity(arity));
        }
        self.hosts.push(Entry { name: name.into(), arity, function: Arc::new(function) });
        Ok(())
    }

    /// Names and numbers of arguments of the host functions.
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

/// Whether a program can write this name and the name is no keyword.
fn is_name(name: &str) -> bool {
    let keywords = ["defn", "data", "import", "let", "letrec", "fn", "case", "_"];
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c == '_' || c.is_alphabetic());
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'' | '?' | '!');
    starts && chars.all(goes_on) && !keywords.contains(&name)
}

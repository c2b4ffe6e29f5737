//! A call of a host function.

use std::fmt;
use std::sync::Arc;

use super::access::{Access, Key, Session, Shared};
use super::engine::Engine;
use super::error::Error;
use super::eval::Value;
use super::module::ModuleError;
use crate::gcode::program::{HostId, Program};
use crate::machine::host::{HostFailure, Hosts};
use crate::machine::outcome::Stop;
use crate::machine::{Handle, Machine};

/// What a host function gets: its arguments, not evaluated, and through
/// [`Eval`](super::Eval) the means to force them and to make its result.
pub struct Call<'a> {
    machine: &'a mut dyn Machine,
    shared: &'a Shared,
    args: Vec<Value>,
}

impl Call<'_> {
    /// Returns the arguments, as many as were registered.
    #[must_use]
    pub fn args(&self) -> &[Value] {
        &self.args
    }

    /// Returns argument `n`, counted from 0.
    ///
    /// # Errors
    /// When the function was registered with fewer.
    pub fn arg(&self, n: usize) -> Result<Value, HostError> {
        let arg = self.args.get(n).cloned();
        arg.ok_or_else(|| HostError::new(format!("it has no argument {n}")))
    }
}

impl Access for Call<'_> {
    fn session(&mut self, _: Key) -> Session<'_> {
        Session { machine: &mut *self.machine, shared: self.shared }
    }
}

/// Why a host function gives no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostError(Why);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Why {
    Failed(String),
    Stopped(Stop),
}

impl HostError {
    /// Makes the failure of a function, which says why in one sentence. For the program that is the
    /// error G0801.
    pub fn new(message: impl Into<String>) -> HostError {
        HostError(Why::Failed(message.into()))
    }
}

/// A stop inside the function becomes a stop of whoever called it; everything else is a
/// failure.
impl From<Error> for HostError {
    fn from(error: Error) -> HostError {
        match error {
            Error::Stop(stop) => HostError(Why::Stopped(stop)),
            other => HostError::new(other.to_string()),
        }
    }
}

impl From<String> for HostError {
    fn from(message: String) -> HostError {
        HostError::new(message)
    }
}

impl From<&str> for HostError {
    fn from(message: &str) -> HostError {
        HostError::new(message)
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Why::Failed(message) => f.write_str(message),
            Why::Stopped(stop) => Error::Stop(stop.clone()).fmt(f),
        }
    }
}

impl std::error::Error for HostError {}

/// A function of the embedding program.
pub(super) type HostFunction = Arc<dyn Fn(&mut Call<'_>) -> Result<Value, HostError> + Send + Sync>;

/// The host functions of a module, by their numbers in its program.
pub(super) struct HostTable(pub(super) Vec<HostFunction>);

impl HostTable {
    /// Returns the functions of an engine that a program calls.
    pub(super) fn of(engine: &Engine, program: &Program) -> Result<HostTable, ModuleError> {
        let function = |name: &Arc<str>, arity: u32| {
            let entry = engine.hosts.iter().find(|entry| entry.name == *name);
            let entry = entry.filter(|entry| entry.arity == arity);
            let missing = || ModuleError::UnknownHost { name: name.clone(), arity };
            entry.map(|entry| entry.function.clone()).ok_or_else(missing)
        };
        let hosts = program.hosts.iter().map(|host| function(&host.name, host.arity));
        Ok(HostTable(hosts.collect::<Result<_, _>>()?))
    }
}

/// The host functions of a module as a store calls them.
struct StoreHosts {
    table: Arc<HostTable>,
    shared: Arc<Shared>,
}

impl Shared {
    /// Returns these functions, as the machine of the store calls them.
    pub(super) fn hosts(self: &Arc<Shared>, table: Arc<HostTable>) -> Arc<dyn Hosts> {
        Arc::new(StoreHosts { table, shared: self.clone() })
    }
}

impl Hosts for StoreHosts {
    fn call(
        &self,
        machine: &mut dyn Machine,
        host: HostId,
        args: &[Handle],
    ) -> Result<Handle, HostFailure> {
        let Some(function) = self.table.0.get(host.0 as usize) else {
            return Err(HostFailure::Failed("it is not there".into()));
        };
        let args = args.iter().cloned().map(Value).collect();
        let mut call = Call { machine, shared: &self.shared, args };
        match self.shared.catch(|| function(&mut call)) {
            Some(Ok(value)) => Ok(value.0),
            Some(Err(HostError(Why::Failed(message)))) => Err(HostFailure::Failed(message)),
            Some(Err(HostError(Why::Stopped(stop)))) => Err(HostFailure::Stopped(stop)),
            None => Err(HostFailure::Stopped(Stop::Interrupted(Box::default()))),
        }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("args", &self.args).finish_non_exhaustive()
    }
}

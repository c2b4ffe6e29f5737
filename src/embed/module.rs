//! A compiled program.

use std::fmt;
use std::sync::Arc;

use super::call::HostTable;
use super::engine::{Engine, Limits};
use crate::base::diagnostic::Diagnostic;
use crate::base::source::SourceMap;
use crate::gcode::Verified;
use crate::gcode::program::Program;
use crate::gcode::verify::Violation;
use crate::machine::{Config, Loaded, Machine};

/// A compiled program: immutable, cheap to clone, shareable between threads.
#[derive(Clone)]
pub struct Module {
    program: Verified,
    hosts: Arc<HostTable>,
    limits: Limits,
    count: bool,
    loaded: Loaded,
    warnings: Arc<[Diagnostic]>,
    sources: Arc<SourceMap>,
}

/// Why G-code makes no module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModuleError {
    /// The verifier has found this, at least one thing.
    Invalid(Vec<Violation>),
    /// The program calls a host function that the engine does not have, or with another
    /// number of arguments.
    UnknownHost {
        /// Its name.
        name: Arc<str>,
        /// The number of arguments in the program.
        arity: u32,
    },
}

impl fmt::Display for ModuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModuleError::Invalid(violations) => {
                f.write_str("the G-code is not valid")?;
                violations.first().map_or(Ok(()), |first| write!(f, ": {first}"))
            }
            ModuleError::UnknownHost { name, arity } => {
                write!(f, "there is no host function `{name}` of {arity} arguments")
            }
        }
    }
}

impl std::error::Error for ModuleError {}

impl Module {
    /// The module of a program in G-code, which is verified first.
    ///
    /// # Errors
    /// When the verifier rejects it, or it calls a host function that `engine` has not.
    pub fn from_gcode(engine: &Engine, program: Program) -> Result<Module, ModuleError> {
        let program = Verified::new(program).map_err(ModuleError::Invalid)?;
        Module::from_verified(engine, program)
    }

    /// The module of a program that has passed the verifier.
    pub(super) fn from_verified(engine: &Engine, program: Verified) -> Result<Module, ModuleError> {
        let function = |name: &Arc<str>, arity: u32| {
            let entry = engine.hosts.iter().find(|entry| entry.name == *name);
            let entry = entry.filter(|entry| entry.arity == arity);
            let missing = || ModuleError::UnknownHost { name: name.clone(), arity };
            entry.map(|entry| entry.function.clone()).ok_or_else(missing)
        };
        let hosts = program.hosts.iter().map(|host| function(&host.name, host.arity));
        let hosts = Arc::new(HostTable(hosts.collect::<Result<_, _>>()?));
        Ok(Module {
            loaded: engine.machine.load(program.clone()),
            program,
            hosts,
            limits: engine.limits,
            count: engine.count,
            warnings: Arc::default(),
            sources: Arc::default(),
        })
    }

    pub(super) fn with_sources(self, warnings: Vec<Diagnostic>, sources: SourceMap) -> Module {
        Module { warnings: warnings.into(), sources: Arc::new(sources), ..self }
    }

    /// What there was to say of its source.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The texts that the spans of warnings and run-time errors point into; empty for a
    /// module of G-code.
    #[must_use]
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Its G-code.
    #[must_use]
    pub fn program(&self) -> &Verified {
        &self.program
    }

    /// A machine for it.
    pub(super) fn machine(&self) -> Box<dyn Machine> {
        let Limits { heap: heap_limit, fuel } = self.limits;
        let config = Config { heap_limit, fuel, count: self.count, ..Config::default() };
        let mut machine = self.loaded.machine(config);
        machine.set_hosts(self.hosts.clone());
        machine
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("limits", &self.limits).finish_non_exhaustive()
    }
}

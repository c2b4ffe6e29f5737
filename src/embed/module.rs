//! A compiled program.

use std::fmt;
use std::sync::Arc;

use super::access::Shared;
use super::call::{HostTable, StoreHosts};
use super::engine::{Engine, Limits};
use crate::base::diagnostic::Diagnostic;
use crate::base::source::SourceMap;
use crate::gcode::program::Program;
use crate::gcode::verify::{Violation, verify};
use crate::machine::profile::Sampler;
use crate::machine::{Clock, Config, Interrupt, Loaded, Machine, MachineKind};
use crate::optimise::Report;

/// A compiled program: immutable, cheap to clone, shareable between threads.
#[derive(Clone)]
pub struct Module {
    program: Arc<Program>,
    hosts: Arc<HostTable>,
    limits: Limits,
    count: bool,
    clock: Option<Clock>,
    loaded: Loaded,
    warnings: Arc<[Diagnostic]>,
    sources: Arc<SourceMap>,
    report: Arc<Report>,
}

/// How a store runs: what its engine says, unless it is changed.
#[derive(Clone, Debug, Default)]
pub struct StoreOptions {
    /// What it may use.
    pub limits: Limits,
    /// Whether each instruction is counted by its kind, which takes time.
    pub count: bool,
    /// What asks for samples, if what it evaluates is to be profiled. The reference machine
    /// takes none.
    pub sampler: Option<Sampler>,
    /// What stops it from outside, if that is to exist before the store.
    pub interrupt: Interrupt,
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
        let violations = verify(&program);
        if !violations.is_empty() {
            return Err(ModuleError::Invalid(violations));
        }
        let function = |name: &Arc<str>, arity: u32| {
            let entry = engine.hosts.iter().find(|entry| entry.name == *name);
            let entry = entry.filter(|entry| entry.arity == arity);
            let missing = || ModuleError::UnknownHost { name: name.clone(), arity };
            entry.map(|entry| entry.function.clone()).ok_or_else(missing)
        };
        let hosts = program.hosts.iter().map(|host| function(&host.name, host.arity));
        let hosts = Arc::new(HostTable(hosts.collect::<Result<_, _>>()?));
        let program = Arc::new(program);
        Ok(Module {
            loaded: engine.machine.load(program.clone()),
            program,
            hosts,
            limits: engine.limits,
            count: engine.count,
            clock: engine.clock.clone(),
            warnings: Arc::default(),
            sources: Arc::default(),
            report: Arc::default(),
        })
    }

    pub(super) fn with_sources(
        self,
        warnings: Vec<Diagnostic>,
        sources: SourceMap,
        report: Report,
    ) -> Module {
        let (sources, report) = (Arc::new(sources), Arc::new(report));
        Module { warnings: warnings.into(), sources, report, ..self }
    }

    /// The same program, for another machine.
    #[must_use]
    pub fn for_machine(&self, machine: MachineKind) -> Module {
        Module { loaded: machine.load(self.program.clone()), ..self.clone() }
    }

    /// How its stores run unless they are told otherwise.
    #[must_use]
    pub fn store_options(&self) -> StoreOptions {
        StoreOptions { limits: self.limits, count: self.count, ..StoreOptions::default() }
    }

    /// What the optimiser did; empty for a module of G-code.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
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
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The clock of its time limits.
    pub(super) fn clock(&self) -> Option<Clock> {
        self.clock.clone()
    }

    /// A machine for it, and what the machine's store shares with its host functions.
    pub(super) fn machine(&self, options: StoreOptions) -> (Box<dyn Machine>, Arc<Shared>) {
        let StoreOptions { limits, count, sampler, interrupt } = options;
        let Limits { heap: heap_limit, fuel, time: _ } = limits;
        let config = Config { heap_limit, fuel, count, sampler, interrupt, ..Config::default() };
        let mut machine = self.loaded.machine(config);
        let shared = Arc::new(Shared::new(self.sources.clone()));
        let hosts = StoreHosts { table: self.hosts.clone(), shared: shared.clone() };
        machine.set_hosts(Arc::new(hosts));
        (machine, shared)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("limits", &self.limits).finish_non_exhaustive()
    }
}

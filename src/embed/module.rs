//! A compiled program.

use std::fmt;
use std::sync::Arc;

use super::access::Shared;
use super::call::HostTable;
use super::define::Origin;
use super::engine::{Engine, Limits};
use super::names::Names;
use crate::base::diagnostic::Diagnostic;
use crate::base::source::SourceMap;
use crate::core::lower::Partial;
use crate::driver::Built;
use crate::gcode::Verified;
use crate::gcode::program::Program;
use crate::gcode::verify::Violation;
use crate::load::Loaded as Texts;
use crate::machine::profile::Sampler;
use crate::machine::{Clock, Config, Interrupt, Loaded, Machine, MachineKind};
use crate::optimise::Report;

/// A compiled program: immutable, cheap to clone, shareable between threads.
#[derive(Clone)]
pub struct Module {
    program: Verified,
    hosts: Arc<HostTable>,
    engine: Arc<Engine>,
    /// What the names of its definitions mean.
    names: Arc<Names>,
    origin: Arc<Origin>,
    loaded: Loaded,
    warnings: Arc<[Diagnostic]>,
    sources: Arc<SourceMap>,
    partial: Arc<[Partial]>,
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
    /// Whether the pauses for the collector are timed ([`Store::pauses`](super::Store::pauses)).
    pub pauses: bool,
    /// Whether the costs of functions and what is alive over time are recorded
    /// ([`Store::costs`](super::Store::costs)), which takes up to as much time again. The reference
    /// machine records none.
    pub costs: bool,
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
    /// Returns the module of a program in G-code, which is verified first.
    ///
    /// # Errors
    /// When the verifier rejects it, or it calls a host function that `engine` has not.
    pub fn from_gcode(engine: &Engine, program: Program) -> Result<Module, ModuleError> {
        let program = Verified::new(program).map_err(ModuleError::Invalid)?;
        Module::from_verified(engine, program)
    }

    /// Returns the module of a program that has passed the verifier.
    pub(super) fn from_verified(engine: &Engine, program: Verified) -> Result<Module, ModuleError> {
        let hosts = Arc::new(HostTable::of(engine, &program)?);
        let names = Arc::new(Names::of(&program));
        Ok(Module {
            loaded: engine.machine.load(program.clone()),
            program,
            hosts,
            engine: Arc::new(engine.clone()),
            names,
            origin: Arc::default(),
            warnings: Arc::default(),
            sources: Arc::default(),
            partial: Arc::default(),
            report: Arc::default(),
        })
    }

    /// Returns the module of what an engine has built; `None` if that has no code.
    pub(super) fn from_built(engine: &Engine, built: &mut Built) -> Option<Module> {
        let program = built.gcode.take()?;
        // The program calls functions that the engine has declared, so it is never refused.
        let module = Module::from_verified(engine, program).ok()?;
        let mut names = Names::default();
        let exports = std::mem::take(&mut built.exports);
        let datas = module.program.datas.indices();
        names.add(&module.program, exports, built.roots.iter().copied(), datas);
        if let Some(main) = module.program.main {
            names.define(&module.program, "main".into(), main, true);
        }
        let Texts { sources, modules, imports, .. } = std::mem::take(&mut built.loaded);
        Some(Module {
            names: Arc::new(names),
            warnings: std::mem::take(&mut built.diagnostics).into(),
            sources: Arc::new(sources),
            partial: std::mem::take(&mut built.partial).into(),
            report: Arc::new(std::mem::take(&mut built.report)),
            origin: Arc::new(Origin { modules, imports }),
            ..module
        })
    }

    /// Returns the same program, for another machine.
    #[must_use]
    pub fn for_machine(&self, machine: MachineKind) -> Module {
        Module { loaded: machine.load(self.program.clone()), ..self.clone() }
    }

    /// Returns how its stores run unless they are told otherwise.
    #[must_use]
    pub fn store_options(&self) -> StoreOptions {
        StoreOptions {
            limits: self.engine.limits,
            count: self.engine.count,
            ..StoreOptions::default()
        }
    }

    /// Returns what the optimiser did; empty for a module of G-code.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns what there was to say of its source.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Returns the texts that the spans of warnings and run-time errors point into; empty for a
    /// module of G-code.
    #[must_use]
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Returns its G-code.
    #[must_use]
    pub fn program(&self) -> &Verified {
        &self.program
    }

    /// Returns the engine that has compiled it.
    pub(super) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Returns how it was made.
    pub(super) fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// Returns the clock of its time limits.
    pub(super) fn clock(&self) -> Option<Clock> {
        self.engine.clock.clone()
    }

    /// Returns a machine for it, and what the machine's store shares with its host functions.
    pub(super) fn machine(&self, options: StoreOptions) -> (Box<dyn Machine>, Arc<Shared>) {
        let StoreOptions { limits, count, sampler, pauses, costs, interrupt } = options;
        let Limits { heap: heap_limit, fuel, time: _ } = limits;
        let shared = Shared::new(self.sources.clone(), self.names.clone());
        shared.add_partial(&self.partial);
        let shared = Arc::new(shared);
        let clock = self.clock().filter(|_| pauses);
        let clock = clock.map(|clock| shared.guarded_clock(clock));
        let config = Config {
            heap_limit,
            fuel,
            count,
            sampler,
            clock,
            costs,
            interrupt,
            ..Config::default()
        };
        let mut machine = self.loaded.machine(config);
        machine.set_hosts(shared.hosts(self.hosts.clone()));
        (machine, shared)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("limits", &self.engine.limits).finish_non_exhaustive()
    }
}

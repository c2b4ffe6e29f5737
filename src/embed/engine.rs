//! Configuration: limits and host functions.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::call::{Call, HostError, HostFunction};
use super::eval::Value;
use super::module::{CompileError, Module};
use crate::compile::compile_roots;
use crate::core::expr::{Global, GlobalId, GlobalKind};
use crate::core::lower::{self, Roots};
use crate::core::scope::HostDecl;
use crate::driver::{self, Stage};
use crate::load::{Loader, Root, RootFile};

/// What a store may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Bytes of heap, stack and big integers; `None`: what the system gives.
    pub heap: Option<u64>,
    /// Instructions; `None`: as many as it takes.
    pub fuel: Option<u64>,
}

/// A host function.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) name: Arc<str>,
    pub(super) arity: u32,
    pub(super) function: HostFunction,
}

/// The configuration that modules are compiled with: limits of their stores, the functions
/// of the embedding program that they may call, and where imported files come from.
#[derive(Clone, Default)]
pub struct Engine {
    pub(super) hosts: Vec<Entry>,
    pub(super) limits: Limits,
    loader: Option<Arc<dyn Loader + Send + Sync>>,
}

/// For engines without a loader: there are no files.
struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::NotFound, "no files can be imported here"))
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
    /// An engine without limits or host functions.
    #[must_use]
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Sets the limits that stores of its modules start with.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Says where imported files come from; without it only corelib modules can be imported.
    /// The paths that it is asked for are those of the imports, relative to nothing.
    pub fn set_loader(&mut self, loader: impl Loader + Send + Sync + 'static) {
        self.loader = Some(Arc::new(loader));
    }

    /// Compiles a program. `name` is how messages call it. A `main` is not needed: every
    /// definition of the program can be had by its name.
    ///
    /// # Errors
    /// When there are mistakes in it: all that can be found at once.
    pub fn compile(&self, name: &str, text: &str) -> Result<Module, CompileError> {
        let directory = self.loader.is_some().then(PathBuf::new);
        let file = RootFile::Text { name: name.to_owned(), text: text.into(), directory };
        let root = Root { file: Some(file), expression: None };
        let hosts: Vec<HostDecl> = self
            .hosts
            .iter()
            .map(|entry| HostDecl { name: entry.name.to_string(), arity: entry.arity })
            .collect();
        let wanted = lower::Options { needs_main: false, roots: Roots::All, ..lower::Options::RUN };
        let options = driver::Options { until: Stage::Lifted, hosts: &hosts, lower: wanted };
        let built = match &self.loader {
            Some(loader) => driver::build(&root, &**loader, &options),
            None => driver::build(&root, &NoFiles, &options),
        };
        let diagnostics = built.diagnostics;
        let (names, sources) = (built.loaded.names, built.loaded.sources);
        let Some(lifted) = built.core else {
            return Err(CompileError { diagnostics, sources, invalid: None });
        };
        let is_defined = |(id, global): (GlobalId, &Global)| {
            matches!(global.kind, GlobalKind::Defn { body: Some(_), .. }).then_some(id)
        };
        let defined = lifted.globals.enumerate().filter_map(is_defined);
        let mut roots: Vec<GlobalId> = lifted.main.into_iter().collect();
        roots.extend(defined.filter(|id| lifted.main != Some(*id)));
        let program = compile_roots(&lifted, &names, &roots);
        match Module::from_gcode(self, program) {
            Ok(module) => Ok(module.with_sources(diagnostics, sources)),
            Err(invalid) => Err(CompileError { diagnostics, sources, invalid: Some(invalid) }),
        }
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
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<_> = self.hosts.iter().map(|entry| &entry.name).collect();
        let mut engine = f.debug_struct("Engine");
        engine.field("hosts", &hosts).field("limits", &self.limits).finish_non_exhaustive()
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

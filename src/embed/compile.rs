//! Source text to a module: the chain of stages, with the engine's host functions.

use std::fmt;

use super::engine::Engine;
use super::module::Module;
use crate::base::diagnostic::Diagnostic;
use crate::base::source::SourceMap;
use crate::core::options::{self, EntryPoints, Mode};
use crate::core::scope::HostDecl;
use crate::driver::{self, Options};
use crate::load::{Loader, NoFiles, Source};
use crate::optimise;

/// Why a program does not compile.
#[derive(Clone)]
pub struct CompileError {
    /// What there is to say of it, in the order of the source. At least one is an error.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the spans refer to.
    pub sources: SourceMap,
}

impl fmt::Display for CompileError {
    /// Writes a line for each report: `file:line:column: error[G0301]: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, report) in self.diagnostics.iter().enumerate() {
            let end = if at == 0 { "" } else { "\n" };
            write!(f, "{end}{}", report.line(&self.sources))?;
        }
        Ok(())
    }
}

/// As it is displayed, below its name: `main` prints errors so, and the sources are large.
impl fmt::Debug for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CompileError\n{self}")
    }
}

impl std::error::Error for CompileError {}

/// Two are equal if they say the same, of places of the same names.
impl PartialEq for CompileError {
    fn eq(&self, other: &CompileError) -> bool {
        self.diagnostics == other.diagnostics && self.to_string() == other.to_string()
    }
}

impl Eq for CompileError {}

/// What there is to say of a program, whether it compiles or not.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Errors and warnings, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the spans refer to.
    pub sources: SourceMap,
}

impl Checked {
    /// Returns whether there is an error among the diagnostics.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

impl Engine {
    /// Compiles a program that is one text; `name` is what messages call it. It can import
    /// modules of the corelib, but no files. It need not have a `main`: every definition of
    /// it is in the module.
    ///
    /// ```
    /// use gmachine::{Engine, Eval};
    ///
    /// let module = Engine::new().compile("squares", "(defn squares[] (map square (from 1)))")?;
    /// let mut store = module.store();
    /// let squares = store.global("squares")?;
    /// let first: Vec<_> = store.items(&squares).take(3).collect::<Result<_, _>>()?;
    /// assert_eq!(store.to_integer(&first[2])?, 9.into());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the program has mistakes: all that can be found at once.
    pub fn compile(&self, name: &str, text: &str) -> Result<Module, CompileError> {
        self.compile_source(&Source::text(name, text), &NoFiles)
    }

    /// Compiles a program whose files `loader` reads.
    ///
    /// # Errors
    /// When the program has mistakes, or a file of it cannot be read.
    pub fn compile_source(
        &self,
        root: &Source,
        loader: &dyn Loader,
    ) -> Result<Module, CompileError> {
        let hosts = self.declarations();
        let mut built = driver::build(root, loader, &self.options(&hosts, Mode::Run));
        Module::from_built(self, &mut built)
            .ok_or(CompileError { diagnostics: built.diagnostics, sources: built.loaded.sources })
    }

    /// Finds the mistakes of a program, and compiles nothing.
    #[must_use]
    pub fn check(&self, root: &Source, loader: &dyn Loader) -> Checked {
        let hosts = self.declarations();
        let built = driver::build(root, loader, &self.options(&hosts, Mode::Check));
        Checked { diagnostics: built.diagnostics, sources: built.loaded.sources }
    }

    pub(super) fn declarations(&self) -> Vec<HostDecl> {
        let declare = |(name, arity): (&str, u32)| HostDecl { name: name.to_owned(), arity };
        self.host_names().map(declare).collect()
    }

    pub(super) fn options<'a>(&self, hosts: &'a [HostDecl], mode: Mode) -> Options<'a> {
        Options {
            hosts,
            lower: options::Options {
                mode,
                needs_main: self.entry_points == EntryPoints::Main,
                roots: self.entry_points.clone(),
                ..options::Options::RUN
            },
            optimise: optimise::Options { passes: self.passes(), verbose: self.explain },
            ..Options::RUN
        }
    }
}

//! Source text to a module.

use std::fmt;
use std::io;
use std::path::Path;

use super::engine::Engine;
use super::module::Module;
use crate::base::diagnostic::Diagnostic;
use crate::base::source::SourceMap;
use crate::core::lower::{self, Roots};
use crate::core::scope::HostDecl;
use crate::driver::{self, Options};
use crate::load::{Loader, Root};

/// A program that compiles, and what else there is to say of it.
#[derive(Clone)]
pub struct Compiled {
    /// The program. All its own definitions are in it, reached by `main` or not.
    pub module: Module,
    /// What is legal and probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// The texts that positions refer to, those of a failing run too.
    pub sources: SourceMap,
}

/// Why a program does not compile.
#[derive(Clone, Debug)]
pub struct CompileError {
    /// The mistakes, warnings among them, in the order of the source. At least one is an
    /// error.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that their positions refer to.
    pub sources: SourceMap,
}

impl fmt::Display for CompileError {
    /// The first mistake, in a line: `file:line:col: error[CODE]: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.diagnostics.iter().find(|report| report.is_error()) else {
            return f.write_str("the program does not compile");
        };
        if let Some(place) = self.sources.place(first.primary.span) {
            write!(f, "{place}: ")?;
        }
        write!(f, "error[{}]: {}", first.code, first.message)
    }
}

impl std::error::Error for CompileError {}

/// For programs that are one text.
struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Engine {
    /// Compiles a program; `loader` reads the files that it imports. It need not have a
    /// `main`.
    ///
    /// # Errors
    /// When it has a mistake.
    pub fn compile(&self, root: &Root, loader: &dyn Loader) -> Result<Compiled, CompileError> {
        let hosts: Vec<HostDecl> = self
            .hosts
            .iter()
            .map(|host| HostDecl { name: host.name.to_string(), arity: host.arity })
            .collect();
        let options = Options {
            hosts: &hosts,
            lower: lower::Options { needs_main: false, roots: Roots::All, ..lower::Options::RUN },
            ..Options::RUN
        };
        let built = driver::build(root, loader, &options);
        let (diagnostics, sources) = (built.diagnostics, built.loaded.sources);
        // The chain verifies what it makes, so the module is never refused.
        match built.gcode.map(|program| Module::from_gcode(self, program)) {
            Some(Ok(module)) => Ok(Compiled { module, warnings: diagnostics, sources }),
            Some(Err(_)) | None => Err(CompileError { diagnostics, sources }),
        }
    }

    /// Compiles a program that is one text and imports no files; `name` is what messages
    /// call it.
    ///
    /// ```
    /// use gmachine::embed::{Engine, Eval, Store};
    ///
    /// let engine = Engine::new();
    /// let compiled = engine.compile_text("squares", "(defn squares[] (map square (from 1)))")?;
    /// let mut store = Store::new(&compiled.module);
    /// let squares = store.global("squares")?;
    /// let first: Vec<_> = store.items(&squares).take(3).collect::<Result<_, _>>()?;
    /// let third = store.int(&first[2])?;
    /// assert_eq!(third, 9.into());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When it has a mistake.
    pub fn compile_text(&self, name: &str, text: &str) -> Result<Compiled, CompileError> {
        self.compile(&Root::text(name, text), &NoFiles)
    }
}

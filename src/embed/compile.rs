//! Source text to a module: the chain of stages, with the engine's host functions.

use std::fmt;
use std::io;
use std::path::Path;

use super::engine::Engine;
use super::module::Module;
use crate::base::diagnostic::Diagnostic;
use crate::base::source::SourceMap;
use crate::core::options::{self, Entries};
use crate::core::scope::HostDecl;
use crate::driver::{self, Options};
use crate::load::{Loader, Root};
use crate::optimise;

/// Why a program does not compile.
#[derive(Clone, Debug)]
pub struct CompileError {
    /// What there is to say of it, in the order of the source. At least one is an error.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the spans refer to.
    pub sources: SourceMap,
}

impl fmt::Display for CompileError {
    /// A line for each report: `file:line:column: error[G0301]: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, report) in self.diagnostics.iter().enumerate() {
            let end = if at == 0 { "" } else { "\n" };
            write!(f, "{end}{}", report.line(&self.sources))?;
        }
        Ok(())
    }
}

impl std::error::Error for CompileError {}

/// For programs that are one text.
struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this program has no access to files"))
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
        self.compile_root(&Root::text(name, text), &NoFiles)
    }

    /// Compiles a program whose files `loader` reads.
    ///
    /// # Errors
    /// When the program has mistakes, or a file of it cannot be read.
    pub fn compile_root(&self, root: &Root, loader: &dyn Loader) -> Result<Module, CompileError> {
        let declare = |(name, arity): (&str, u32)| HostDecl { name: name.to_owned(), arity };
        let hosts: Vec<HostDecl> = self.host_names().map(declare).collect();
        let options = Options {
            hosts: &hosts,
            lower: options::Options {
                needs_main: false,
                entries: Entries::All,
                ..options::Options::RUN
            },
            optimise: optimise::Options { passes: self.passes(), verbose: false },
            ..Options::RUN
        };
        let built = driver::build(root, loader, &options);
        let (diagnostics, sources) = (built.diagnostics, built.loaded.sources);
        // The schemes make valid code, so a module is never refused.
        match built.gcode.map(|program| Module::from_gcode(self, program)) {
            Some(Ok(module)) => Ok(module.with_sources(diagnostics, sources)),
            Some(Err(_)) | None => Err(CompileError { diagnostics, sources }),
        }
    }
}

//! Definitions that are added to a store.

use std::sync::Arc;

use super::call::HostTable;
use super::compile::CompileError;
use super::engine::Engine;
use super::error::Error;
use super::eval::Value;
use super::names::Scope;
use super::store::Store;
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::core::options::{EntryPoints, Mode};
use crate::core::scope::HostDecl;
use crate::driver::{self, Built};
use crate::gcode::link::LinkError;
use crate::gcode::program::GlobalId;
use crate::load::{self, Loaded, NoFiles, Source, load_onto};

/// What a store needs to compile definitions that are added to it.
pub(super) struct Additions {
    engine: Arc<Engine>,
    origin: Arc<Origin>,
    /// What each addition is compiled with; `None` before the first one.
    base: Option<Base>,
}

/// What each addition is compiled with.
struct Base {
    hosts: Vec<HostDecl>,
    /// The corelib modules of the program, parsed.
    corelib: Loaded,
}

/// What additions need to know of how a program was made.
#[derive(Clone, Default)]
pub(super) struct Origin {
    /// Its corelib modules; none if it was made of G-code.
    pub(super) modules: Vec<load::Module>,
    /// Those of them that the program itself imports.
    pub(super) imports: Vec<usize>,
}

impl Additions {
    pub(super) fn new(engine: Arc<Engine>, origin: Arc<Origin>) -> Additions {
        Additions { engine, origin, base: None }
    }

    fn base(&mut self, sources: &SourceMap) -> &mut Base {
        let Additions { engine, origin, base } = self;
        base.get_or_insert_with(|| {
            let corelib = Loaded::corelib(sources, &origin.modules, &origin.imports);
            Base { hosts: engine.declarations(), corelib }
        })
    }
}

impl Store {
    /// Adds definitions to the store's program: functions, data types, imports of modules; `name`
    /// is what messages call the text. It is compiled against what is there: it can name all that
    /// the program's own text and earlier additions define, as far as
    /// [`Engine::set_entry_points`](Engine::set_entry_points) has kept it, and their imports hold for it. Values
    /// stay what they are, what was evaluated stays evaluated, and what was stopped can go on.
    ///
    /// A definition may hide an earlier one of its name, for what is compiled or asked for from
    /// now on: what was compiled before keeps the earlier one. So a function that is to call
    /// another one is added after that, or together with it.
    ///
    /// Adding takes time in proportion to the text and what it uses of the corelib, however much
    /// was added before. (The first addition also copies the module, which other stores may run.)
    /// What is added stays until the store is dropped; the value of a constant is freed when
    /// neither a handle nor code that may still run can reach it, and computed anew if it is asked
    /// for again: keep its [`global`](super::Eval::global) to keep it.
    ///
    /// ```
    /// use gmachine::{Engine, Eval};
    ///
    /// let mut store = Engine::new().compile("session", "")?.store();
    /// store.define("1", "(defn double[x] (mul 2 x))")?;
    /// store.define("2", "(defn quadruple[x] (double (double x)))")?;
    /// let value = store.eval("(map quadruple [1 2 3])")?;
    /// assert_eq!(store.get::<Vec<i32>>(&value)?, [4, 8, 12]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Returns the warnings; their positions are in [`sources`](Store::sources).
    ///
    /// # Errors
    /// When there are mistakes in the text: all that can be found at once. Then the store is as it
    /// was.
    pub fn define(&mut self, name: &str, text: &str) -> Result<Vec<Diagnostic>, CompileError> {
        let loaded = self.load(&Source::text(name, text));
        let (warnings, _) = self.add(loaded, EntryPoints::All)?;
        Ok(warnings)
    }

    /// Returns the value of an expression, in which all may be named that a text given to
    /// [`define`](Store::define) could name. Nothing is evaluated yet.
    ///
    /// # Errors
    /// [`Error::Compile`] when there are mistakes in it. Then the store is as it was.
    pub fn eval(&mut self, expression: &str) -> Result<Value, Error> {
        let mut loaded = self.load(&Source::default().with_expression(expression));
        loaded.name_expression(EXPRESSION);
        let added = self.add(loaded, EntryPoints::Named(vec![EXPRESSION.to_owned()]));
        let (_, roots) = added.map_err(|error| Error::Compile(Arc::new(error)))?;
        let Some(&value) = roots.first() else {
            return Err(Error::UnknownGlobal(EXPRESSION.into()));
        };
        Ok(Value(self.machine.global_handle(value)?))
    }

    /// Returns the texts that the spans of warnings and run-time errors point into: those of the
    /// module, and those that were added.
    #[must_use]
    pub fn sources(&self) -> Arc<SourceMap> {
        self.shared.sources()
    }

    /// Loads what is to be added.
    fn load(&mut self, root: &Source) -> Loaded {
        let sources = self.shared.sources();
        let base = self.additions.base(&sources);
        load_onto(&base.corelib, sources.end(), root, &NoFiles)
    }

    /// Compiles and adds what has been loaded. Returns the warnings, and the numbers of the roots.
    fn add(
        &mut self,
        loaded: Loaded,
        roots: EntryPoints,
    ) -> Result<(Vec<Diagnostic>, Vec<GlobalId>), CompileError> {
        let sources = self.shared.sources();
        let engine = self.additions.engine.clone();
        let base = self.additions.base(&sources);
        drop(sources);
        let mut options = engine.options(&base.hosts, Mode::Run);
        options.lower.needs_main = false;
        options.lower.roots = roots;
        let names = self.shared.names();
        let scope = Scope { names: &names, program: self.machine.program() };
        options.earlier = Some(&scope);
        let built = driver::build_loaded(loaded, &options);
        let Built { loaded, mut diagnostics, partial, addition, exports, roots, .. } = built;
        drop(names);
        let Some(addition) = addition else {
            return Err(CompileError { diagnostics, sources: loaded.sources });
        };
        let linked = match self.machine.extend(addition) {
            Ok(linked) => linked,
            Err(error) => {
                diagnostics.push(refusal(&error));
                return Err(CompileError { diagnostics, sources: loaded.sources });
            }
        };
        let program = self.machine.program();
        let roots = roots.iter().filter_map(|&root| linked.globals.get(root).copied());
        let roots: Vec<GlobalId> = roots.collect();
        // An expression is nothing that can be named.
        let mut exports = exports;
        exports.roots.retain(|(name, _)| **name != *EXPRESSION);
        let datas = linked.datas.iter().copied();
        let named = roots.iter().copied();
        self.shared.change_names(|names| names.add(program, exports, named, datas));
        let known = &base.corelib;
        let first = known.sources.files().len();
        self.shared.add_partial(&partial);
        self.shared.add_sources(loaded.sources.files().get(first..).unwrap_or_default());
        if known.modules.len() < loaded.modules.len() || known.imports != loaded.imports {
            base.corelib = Loaded::corelib(&loaded.sources, &loaded.modules, &loaded.imports);
        }
        if program.hosts.len() > self.hosts {
            self.hosts = program.hosts.len();
            // All of them are the engine's: it has declared them.
            if let Ok(hosts) = HostTable::of(&engine, program) {
                self.machine.set_hosts(self.shared.hosts(Arc::new(hosts)));
            }
        }
        Ok((diagnostics, roots))
    }
}

/// The name of an expression that is evaluated: no name of the language.
const EXPRESSION: &str = "<expression>";

/// Returns the report that a store does not take definitions that have no mistakes.
fn refusal(error: &LinkError) -> Diagnostic {
    let message = match error {
        LinkError::TooLarge(why) => why.clone(),
        LinkError::Running => "definitions are added only while nothing is evaluated".to_owned(),
        LinkError::Invalid(violations) => {
            unreachable!("the schemes make valid code, not {violations:?}")
        }
    };
    Diagnostic::error(Code::TooManyParameters, Span::NONE, message)
}

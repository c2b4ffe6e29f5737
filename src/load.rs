//! A root file to the syntax tree of all its files.
//!
//! The prelude is loaded first, then the root, then what they import, each file once. The
//! library does not touch the file system: a [`Loader`] does.

mod compiled;
mod import;
#[cfg(test)]
mod tests;
mod text;

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::index::{IndexVec, List};
use crate::base::label::Labels;
use crate::base::name::Interner;
use crate::base::source::{EXPRESSION, SourceFile, SourceMap};
use crate::base::span::Span;
use crate::corelib;
use crate::syntax::ast::{Ast, ExprId, Item, ItemKind};
use crate::syntax::binary::{self, ModuleId};
use crate::syntax::parse::{parse_expression, parse_file};

/// Where source files come from.
pub trait Loader {
    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// Whatever keeps the file from being read; it is reported in plain words.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Returns what two paths of the same file have in common. Of its own accord a path is made
    /// normal by its text alone; a loader that has a file system can follow links.
    fn identity(&self, path: &Path) -> PathBuf {
        normal(path)
    }
}

/// Reads no file: for programs that are one text.
pub struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this program has no access to files"))
    }
}

/// Returns `path` without `.`, and without `..` where the text tells what it leads to.
#[must_use]
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match out.components().next_back() {
                Some(Component::Normal(_)) => drop(out.pop()),
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => out.push(".."),
            },
            other => out.push(other),
        }
    }
    out
}

/// The file that a program starts from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MainFile {
    /// A file that the loader reads.
    Path(PathBuf),
    /// A text: standard input, or a program that an embedder has.
    Text {
        /// How messages call it.
        name: String,
        /// The text, which ought to be UTF-8.
        text: Vec<u8>,
        /// Where its imports of files are looked up; `None` if it can have none.
        directory: Option<PathBuf>,
    },
    /// A program in JSON, of the schema `gmachine-program` (`docs/targeting.md`).
    Json {
        /// How messages call it.
        name: String,
        /// The text, which ought to be UTF-8.
        text: Vec<u8>,
        /// Where its imports of files, and the texts that it comes from, are looked up; `None` if
        /// it can have none.
        directory: Option<PathBuf>,
    },
}

/// What is loaded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// The program's file.
    pub file: Option<MainFile>,
    /// An expression that is `main` in the scope of that file, whose own `main` is set aside. One
    /// without a file has the names of all corelib modules in scope.
    pub expression: Option<String>,
}

impl Source {
    /// Returns the program in the file `path`.
    #[must_use]
    pub fn path(path: impl Into<PathBuf>) -> Source {
        Source { file: Some(MainFile::Path(path.into())), expression: None }
    }

    /// Returns the program `text`, which imports no files.
    #[must_use]
    pub fn text(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Source {
        let file = MainFile::Text { name: name.into(), text: text.into(), directory: None };
        Source { file: Some(file), expression: None }
    }

    /// Returns the source with `expression` as `main`.
    #[must_use]
    pub fn with_expression(mut self, expression: impl Into<String>) -> Source {
        self.expression = Some(expression.into());
        self
    }
}

/// A corelib module that is part of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its name.
    pub name: &'static str,
    /// The index of its text in the source map.
    pub file: usize,
    /// The modules that it imports, as indices of [`Loaded::modules`], in the order of the
    /// imports. The prelude is in scope without being listed.
    pub imports: Vec<usize>,
}

/// The files of a program.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// All texts.
    pub sources: SourceMap,
    /// All names.
    pub names: Interner,
    /// The items of all files, each with the index of its file.
    pub ast: Ast,
    /// The corelib modules that are loaded. The first is the prelude.
    pub modules: Vec<Module>,
    /// The modules that the program's own files import, as indices of
    /// [`modules`](Loaded::modules), in the order of the imports. All files of a program
    /// share one namespace, so what one of them imports is there for all.
    pub imports: Vec<usize>,
    /// The compiled modules among the program's own files.
    pub compiled: IndexVec<ModuleId, Arc<binary::Module>>,
    /// What people see definitions called, where the source says so.
    pub labels: Labels,
    /// The expression of [`Source::expression`]. It is also the body of an item `main`, the
    /// last one.
    pub expression: Option<ExprId>,
    /// Mistakes found so far, file by file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads a program: all that it needs of the corelib, and its files.
#[must_use]
pub fn load(root: &Source, loader: &dyn Loader) -> Loaded {
    let mut load = Load::new(loader, Loaded::with_prelude());
    load.has_all_modules = root.file.is_none();
    load.program(root)
}

/// Loads what is added to a program, of which `base` has the corelib modules: texts that the
/// loader reads now, and modules that the program does not have. They begin at `position`.
#[must_use]
pub fn load_onto(base: &Loaded, position: u32, root: &Source, loader: &dyn Loader) -> Loaded {
    let mut out = base.clone();
    out.sources.skip_to(position);
    let mut load = Load::new(loader, out);
    load.module(corelib::PRELUDE);
    load.program(root)
}

/// The prelude as parsed, for the second program that a process loads and all later ones.
static PRELUDE: OnceLock<Loaded> = OnceLock::new();

impl Loaded {
    /// Returns the prelude alone, parsed.
    fn with_prelude() -> Loaded {
        // Most processes load one program: they neither copy the prelude nor keep it.
        static HAS_LOADED: AtomicBool = AtomicBool::new(false);
        let parsed = || {
            let mut load = Load::new(&NoFiles, Loaded::default());
            load.module(corelib::PRELUDE);
            load.imports();
            load.out
        };
        if HAS_LOADED.swap(true, Ordering::Relaxed) {
            PRELUDE.get_or_init(parsed).clone()
        } else {
            parsed()
        }
    }

    /// Gives the item that an expression has become this name in place of `main`.
    pub fn name_expression(&mut self, name: &str) {
        let name = self.names.intern(name);
        if self.expression.is_some()
            && let Some(item) = self.ast.items.last_mut()
        {
            item.name = Some(name);
        }
    }

    /// Returns the corelib modules alone, parsed again.
    #[must_use]
    pub fn corelib(sources: &SourceMap, modules: &[Module], imports: &[usize]) -> Loaded {
        let mut out = Loaded { imports: imports.to_vec(), ..Loaded::default() };
        for module in modules {
            let Some(file) = sources.files().get(module.file) else { continue };
            let at = out.sources.files().len();
            out.sources.share(file);
            parse_file(&out.sources, at, &mut out.names, &mut out.ast, &mut out.diagnostics);
            out.modules.push(Module { file: at, ..module.clone() });
        }
        out
    }
}

/// Loading under way.
struct Load<'l> {
    loader: &'l dyn Loader,
    out: Loaded,
    /// The files seen so far, by identity.
    files: FxHashMap<PathBuf, ()>,
    /// The modules seen so far, as indices of `out.modules`.
    module_of: FxHashMap<&'static str, usize>,
    /// The text in JSON that the file comes from which is being parsed.
    json: Option<SourceFile>,
    /// Parsed files whose imports have not been looked at: the items `from..to`.
    work: Vec<std::ops::Range<usize>>,
    /// Whether the expression imports the modules of the names that are in it.
    has_all_modules: bool,
}

impl<'l> Load<'l> {
    /// Starts loading with corelib modules that are parsed.
    fn new(loader: &'l dyn Loader, out: Loaded) -> Load<'l> {
        let module_of = out.modules.iter().enumerate().map(|(at, module)| (module.name, at));
        let module_of = module_of.collect();
        let (files, json, work) = (FxHashMap::default(), None, Vec::new());
        Load { loader, out, files, module_of, json, work, has_all_modules: false }
    }

    /// Loads a program's own files, and what they import.
    fn program(mut self, root: &Source) -> Loaded {
        let load = &mut self;
        load.imports();
        match &root.file {
            Some(MainFile::Path(path)) => load.path(path, Span::NONE),
            Some(MainFile::Text { name, text, directory }) => {
                // Imports are looked up beside this file, which need not exist.
                let path = directory.as_ref().map(|directory| directory.join(name));
                load.bytes(name.clone(), path, text.clone(), Span::NONE);
            }
            Some(MainFile::Json { name, text, directory }) => {
                let path = directory.as_ref().map(|directory| directory.join(name));
                load.json(name, path, text);
            }
            None => {}
        }
        load.imports();
        if let Some(expression) = &root.expression {
            load.expression(expression);
        }
        self.out
    }

    fn report(&mut self, report: Diagnostic) {
        self.out.diagnostics.push(report);
    }

    /// Loads the corelib module `name` unless it is there; returns its index.
    fn module(&mut self, name: &str) -> Option<usize> {
        let &name = corelib::MODULES.iter().find(|&&known| known == name)?;
        if let Some(&index) = self.module_of.get(name) {
            return Some(index);
        }
        let text = corelib::module(name)?;
        let file = self.out.sources.add(format!("<{name}>"), None, text, true).ok()?;
        let index = self.out.modules.len();
        self.out.modules.push(Module { name, file, imports: Vec::new() });
        self.module_of.insert(name, index);
        self.parse(file);
        Some(index)
    }

    /// Makes `text` the program's `main`.
    fn expression(&mut self, text: &str) {
        let out = &mut self.out;
        let Ok(file) = out.sources.add(EXPRESSION, None, text, false) else {
            let message = "the expression is too large: all sources together may have 4 GiB";
            self.report(Diagnostic::error(Code::TooLarge, Span::NONE, message));
            return;
        };
        let first = out.ast.exprs.len();
        let body = parse_expression(
            &out.sources,
            file,
            &mut out.names,
            &mut out.ast,
            &mut out.diagnostics,
        );
        if self.has_all_modules {
            self.import_what_is_named(first, file);
        }
        let out = &mut self.out;
        let main = out.names.intern("main");
        let files = out.sources.files();
        out.ast.items.retain(|item| {
            files[item.file].corelib
                || item.name != Some(main)
                || !matches!(item.kind, ItemKind::Defn { .. })
        });
        let span = files[file].span();
        out.ast.items.push(Item {
            kind: ItemKind::Defn { params: List::EMPTY, body },
            name: Some(main),
            name_span: span,
            span,
            file,
        });
        out.expression = Some(body);
    }
}

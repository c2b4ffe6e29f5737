//! A root file to the syntax tree of all its files.
//!
//! The prelude is loaded first, then the root, then what they import, each file once. The
//! library does not touch the file system: a [`Loader`] does.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::index::{Idx, IndexVec, List};
use crate::base::label::Labels;
use crate::base::name::{Interner, Name};
use crate::base::origin::{Original, Origins};
use crate::base::quote::for_message;
use crate::base::source::{EXPRESSION, SourceFile, SourceMap};
use crate::base::span::Span;
use crate::base::suggest::nearest;
use crate::corelib;
use crate::syntax::ast::{Ast, Binder, ConDecl, Expr, ExprId, Item, ItemKind};
use crate::syntax::binary::{self, BodyId, EntryKind, ModuleId, TopLevel};
use crate::syntax::directive::{Directives, DisplayName};
use crate::syntax::json;
use crate::syntax::machine_code;
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

    /// Loads the file `path`, which is imported at `at`, unless it is there.
    fn path(&mut self, path: &Path, at: Span) {
        if self.files.insert(self.loader.identity(path), ()).is_some() {
            return;
        }
        match self.loader.read(path) {
            Ok(bytes) => {
                self.bytes(path.display().to_string(), Some(path.to_path_buf()), bytes, at)
            }
            Err(error) => {
                if error.kind() == io::ErrorKind::NotFound
                    && !at.is_none()
                    && self.compiled_instead(path, at)
                {
                    return;
                }
                let message = format!("cannot read `{}`: {}", shown_path(path), reason(&error));
                let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                let help = corelib::module(name).filter(|_| !at.is_none()).map(|_| {
                    format!("the module of the corelib is imported without quotes: (import {name})")
                });
                self.report(Diagnostic::error(Code::CannotRead, at, message).maybe_help(help));
            }
        }
    }

    /// Loads the compiled module that stands in the place of an imported source which is not
    /// there. Returns whether there is one.
    fn compiled_instead(&mut self, source: &Path, at: Span) -> bool {
        if source.extension().is_none_or(|extension| extension != "core") {
            return false;
        }
        let path = source.with_extension("gm");
        let identity = self.loader.identity(&path);
        if self.files.contains_key(&identity) {
            return true;
        }
        let Ok(bytes) = self.loader.read(&path) else { return false };
        self.files.insert(identity, ());
        self.bytes(path.display().to_string(), Some(path), bytes, at);
        true
    }

    /// Adds the items of a compiled module.
    fn compiled(&mut self, name: &str, path: Option<PathBuf>, bytes: Vec<u8>, at: Span) {
        let bytes: Arc<[u8]> = bytes.into();
        let opened = match binary::open(&bytes) {
            Ok(opened) => opened,
            Err(mistake) => return self.report(mistake.report(name, at)),
        };
        let (reader, source, text) = opened;
        let text: Arc<str> = text.into();
        let directory = path.as_ref().map(|path| path.parent().unwrap_or(Path::new("")).to_owned());
        let Ok(file) = self.out.sources.add(source, path, text.clone(), false) else {
            return self.too_large(name, at);
        };
        let base = self.out.sources.files()[file].base;
        let names = &mut self.out.names;
        match binary::read(reader, (name, at), &bytes, (&text, base), names) {
            Ok((module, top)) => self.compiled_items(module, top, file, directory.as_deref()),
            Err(mistake) => self.report(mistake.report(name, at)),
        }
    }

    fn compiled_items(
        &mut self,
        module: binary::Module,
        top: TopLevel,
        file: usize,
        directory: Option<&Path>,
    ) {
        let base = module.base;
        let id = self.out.compiled.next_index();
        let ast = &mut self.out.ast;
        let from = ast.items.len();
        let mut bodies = 0;
        let unnamed = |name: Option<Name>| Binder { name, span: Span::NONE };
        for entry in top.items {
            let kind = match entry.kind {
                EntryKind::Definition => {
                    let body_id = BodyId::new(bodies);
                    bodies += 1;
                    let params = module.bodies.get(body_id).map_or(0, |body| body.params as usize);
                    let params = ast.binders.add(std::iter::repeat_n(unnamed(None), params));
                    let body = ast.expr(Expr::Compiled(id, body_id), entry.span);
                    ItemKind::Defn { params, body }
                }
                EntryKind::Data(cons) => {
                    let con = |con: binary::Constructor| ConDecl {
                        name: con.name,
                        span: con.span,
                        fields: ast.binders.add(con.fields.into_iter().map(unnamed)),
                    };
                    ItemKind::Data { cons: cons.into_iter().map(con).collect() }
                }
                EntryKind::File(path) => ItemKind::ImportFile { path },
                EntryKind::Module => ItemKind::ImportModule,
            };
            let (name, name_span, span) = (entry.name, entry.name_span, entry.span);
            ast.items.push(Item { kind, name, name_span, span, file });
        }
        self.work.push(from..ast.items.len());
        self.out.compiled.push(Arc::new(module));
        self.out.labels.extend(top.labels);
        if !top.points.is_empty() {
            let originals = top.originals.into_iter();
            let originals = originals.map(|name| self.original(name, directory)).collect();
            let points = top.points.into_iter();
            let points = points.map(|(at, origin)| (base.saturating_add(at), origin)).collect();
            let mut origins = Origins::from_points(originals, points);
            origins.is_hidden = top.is_hidden;
            self.out.sources.set_origins(file, origins);
        }
    }

    /// Adds a program in JSON.
    fn json(&mut self, name: &str, path: Option<PathBuf>, bytes: &[u8]) {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return self.bytes(name.to_owned(), path, bytes.to_vec(), Span::NONE);
        };
        match json::to_text(name, text) {
            Ok(code) => {
                self.json = Some(SourceFile::apart(name, text));
                self.bytes(name.to_owned(), path, code.into_bytes(), Span::NONE);
                self.json = None;
            }
            Err(json::Mistake { span, message }) => {
                let Ok(file) = self.out.sources.add(name, path, text, false) else {
                    return self.bytes(name.to_owned(), None, Vec::new(), Span::NONE);
                };
                let base = self.out.sources.files()[file].base;
                let span = Span::new(base + span.lo, base + span.hi);
                self.report(
                    Diagnostic::error(Code::BadJson, span, message)
                        .help("docs/targeting.md has the schema `gmachine-program`"),
                );
            }
        }
    }

    /// Adds and parses a text that is imported at `at`.
    fn bytes(&mut self, name: String, path: Option<PathBuf>, bytes: Vec<u8>, at: Span) {
        if binary::is_module(&bytes) {
            return self.compiled(&name, path, bytes, at);
        }
        let (text, bad) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let bytes = error.into_bytes();
                let byte = bytes.get(valid).copied().unwrap_or_default();
                // The text up to the bad byte is as it was, so places in it are right.
                (String::from_utf8_lossy(&bytes).into_owned(), Some((valid, byte)))
            }
        };
        let skipped = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let shown_name = name.clone();
        let added = match skipped {
            0 => self.out.sources.add(name, path, text, false),
            _ => self.out.sources.add(name, path, &text[skipped..], false),
        };
        let Ok(file) = added else {
            return self.too_large(&shown_name, at);
        };
        let Some((valid, byte)) = bad else { return self.parse(file) };
        let start = self.out.sources.files()[file].base + (valid - skipped) as u32;
        // The replacement character, which stands for the bad bytes.
        let span = Span::new(start, start + '\u{FFFD}'.len_utf8() as u32);
        let message = format!("this source is not UTF-8: byte {} is 0x{byte:02X}", valid + 1);
        self.report(
            Diagnostic::error(Code::InvalidUtf8, span, message)
                .label("the first bytes that are no character")
                .help("save the file as UTF-8"),
        );
    }

    fn too_large(&mut self, name: &str, at: Span) {
        let name = for_message(name);
        let message = format!("`{name}` is too large: all sources together may have 4 GiB");
        self.report(Diagnostic::error(Code::TooLarge, at, message));
    }

    fn parse(&mut self, file: usize) {
        let from = self.out.ast.items.len();
        let out = &mut self.out;
        let before = out.diagnostics.len();
        let directives =
            parse_file(&out.sources, file, &mut out.names, &mut out.ast, &mut out.diagnostics);
        if out.diagnostics.iter().skip(before).any(Diagnostic::is_error)
            && let Some(report) = out.sources.files().get(file).and_then(of_listing)
        {
            out.diagnostics.truncate(before);
            out.diagnostics.push(report);
            out.ast.items.truncate(from);
            return;
        }
        self.work.push(from..self.out.ast.items.len());
        self.display_names(from, &directives.names);
        if !directives.origins.is_empty() {
            self.origins(file, directives);
        }
    }

    /// Notes the display names of the items from `from` on.
    fn display_names(&mut self, from: usize, names: &[DisplayName]) {
        if names.is_empty() {
            return;
        }
        let Loaded { ast, names: interner, labels, diagnostics, .. } = &mut self.out;
        let mut named: FxHashMap<u32, (Name, bool)> = FxHashMap::default();
        for item in ast.items.get(from..).unwrap_or_default() {
            let cons = match &item.kind {
                ItemKind::Data { cons } => cons.as_slice(),
                ItemKind::Defn { .. } => &[],
                ItemKind::ImportFile { .. } | ItemKind::ImportModule => continue,
            };
            let is_type = matches!(item.kind, ItemKind::Data { .. });
            named.extend(item.name.map(|name| (item.span.lo, (name, is_type))));
            named.extend(cons.iter().map(|con| (con.span.lo, (con.name, false))));
        }
        for DisplayName { text, span, at, inner } in names {
            let name = named.get(at).or_else(|| named.get(inner.as_ref()?));
            let Some(&(name, is_type)) = name else {
                let message = "what stands after this directive has no name to be shown";
                diagnostics.push(
                    Diagnostic::error(Code::BadDirective, *span, message)
                        .help("a display name stands before a defn, a data or a constructor"),
                );
                continue;
            };
            let table = if is_type { &mut labels.types } else { &mut labels.definitions };
            table.insert(interner.shared(name), (**text).into());
        }
    }

    /// Reads the texts that a file says it comes from; one that cannot be read has no excerpts.
    fn origins(&mut self, file: usize, directives: Directives) {
        let Some(source) = self.out.sources.files().get(file) else { return };
        let directory = source.path.as_ref().map(|path| path.parent().unwrap_or(Path::new("")));
        let files = directives.files.into_iter();
        let originals = files.map(|name| self.original(name, directory)).collect();
        let mut origins = Origins::new(originals, &directives.origins);
        origins.is_hidden = self.json.is_some();
        self.out.sources.set_origins(file, origins);
    }

    /// Returns an original text that is called `name`, read if it can be.
    fn original(&self, name: Box<str>, directory: Option<&Path>) -> Original {
        if let Some(json) = self.json.as_ref().filter(|json| *json.name == *name) {
            return Original { file: Some(json.clone()), name };
        }
        let bytes = directory.and_then(|at| self.loader.read(&at.join(&*name)).ok());
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        // More than positions can count is taken for unreadable.
        let text = text.filter(|text| u32::try_from(text.len()).is_ok());
        let file = text.map(|text| SourceFile::apart(&*name, text));
        Original { name, file }
    }

    /// Loads what the files imported that wait on the work list, and what those import.
    fn imports(&mut self) {
        let mut next = 0;
        while let Some(items) = self.work.get(next).cloned() {
            next += 1;
            for index in items {
                let Item { name, name_span, file, ref kind, .. } = self.out.ast.items[index];
                match kind {
                    ItemKind::ImportFile { path } => {
                        let path = path.clone();
                        self.import_file(&path, name_span, file);
                    }
                    ItemKind::ImportModule => {
                        let name = name.map(|name| self.out.names.shared(name));
                        self.import_module(name.as_deref().unwrap_or_default(), name_span, file);
                    }
                    ItemKind::Defn { .. } | ItemKind::Data { .. } => {}
                }
            }
        }
        self.work.clear();
    }

    fn import_file(&mut self, path: &str, at: Span, from: usize) {
        let Some(importing) = &self.out.sources.files()[from].path else {
            let message =
                format!("cannot import `{}` here: this text is no file", for_message(path));
            let help = "only a file can import files; they are looked up beside it";
            self.report(Diagnostic::error(Code::CannotRead, at, message).help(help));
            return;
        };
        let path = match importing.parent() {
            Some(directory) => directory.join(path),
            None => PathBuf::from(path),
        };
        self.path(&path, at);
    }

    fn import_module(&mut self, name: &str, at: Span, from: usize) {
        let Some(index) = self.module(name) else {
            let mut report = Diagnostic::error(
                Code::UnknownModule,
                at,
                format!("there is no module `{}`", for_message(name)),
            );
            report = match nearest(name, corelib::MODULES.iter().copied()) {
                Some(meant) => report.help(format!("did you mean `{meant}`?")),
                None => report.help(format!(
                    "the modules are {}; a file is imported as (import \"file.core\")",
                    corelib::MODULES.join(", ")
                )),
            };
            self.report(report);
            return;
        };
        let imports = match self.out.modules.iter_mut().find(|module| module.file == from) {
            Some(module) => &mut module.imports,
            None => &mut self.out.imports,
        };
        if !imports.contains(&index) {
            imports.push(index);
        }
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

    /// Imports the modules that define the names in the expressions from `first` on.
    fn import_what_is_named(&mut self, first: usize, file: usize) {
        let Loaded { ast, names, .. } = &self.out;
        let named = ast.exprs.iter().skip(first).filter_map(|expr| match expr {
            Expr::Name(name) => corelib::defining(names.text(*name)),
            _ => None,
        });
        let modules: Vec<&str> = named.collect();
        for module in modules {
            self.import_module(module, Span::NONE, file);
        }
        self.imports();
    }
}

/// Returns the report that a file is no source but a listing of code, if it is one.
fn of_listing(file: &SourceFile) -> Option<Diagnostic> {
    let listing = machine_code::find(&file.text)?;
    let [lo, hi] = [listing.at.start, listing.at.end].map(|at| file.base + at as u32);
    let message = format!("this is a listing of {}, not a program", listing.of);
    let help = match listing.of {
        "G-code" => {
            "run the program that it was made of; a program in Rust runs G-code: `Module::from_gcode`"
        }
        _ => "run the program that it was made of",
    };
    Some(Diagnostic::error(Code::ExpectedItem, Span::new(lo, hi), message).help(help))
}

/// Returns a path as a message shows it.
fn shown_path(path: &Path) -> String {
    for_message(&path.display().to_string())
}

/// Returns in plain words why a file cannot be read.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::PermissionDenied => "it may not be read (permission denied)".to_string(),
        io::ErrorKind::IsADirectory => "it is a directory".to_string(),
        io::ErrorKind::InvalidInput => "this is no path of a file".to_string(),
        _ => {
            // Without the system's number, which says nothing to most.
            let text = error.to_string();
            for_message(text.split(" (os error").next().unwrap_or(&text))
        }
    }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;

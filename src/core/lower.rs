//! Syntax tree to core.
//!
//! The program's own definitions are all checked. Then, unless that found an error or only a
//! check was asked for, what `main` and the other roots reach is lowered, definition by
//! definition; the corelib costs what a program uses of it.

mod expr;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::binary::{self, Linked, Mentions};
pub use super::check::Partial;
use super::check::{self, Checked};
use super::expr::{
    BigId, Branches, ConId, ExprId, Global, GlobalId, GlobalKind, HostOrigin, LocalId, Program,
    TextId,
};
use super::matching::BigTable;
use super::options::{EntryPoints, Mode, Options};
use super::scope::{DataHome, Earlier, Globals, HostDecl, Input, Lookup, PROGRAM, Target, UnitId};
use super::signature::Signature;
use crate::base::diagnostic::Diagnostic;
use crate::base::index::{Idx, List};
use crate::base::name::Name;
use crate::load::Loaded;
use crate::syntax::ast::{self, Ast, Binder, ItemKind};
use crate::syntax::binary::{BodyId, Module, ModuleId, ReferenceId};

/// Lowers a program that has been loaded. The diagnostics do not repeat those of loading. If
/// there is an error among either, the program is not to be used.
#[must_use]
pub fn lower(loaded: &Loaded, hosts: &[HostDecl], options: &Options) -> (Program, Vec<Diagnostic>) {
    let Lowered { program, diagnostics, .. } = lower_added(loaded, hosts, None, options);
    (program, diagnostics)
}

/// What has become of a program that was loaded.
#[derive(Debug, Default)]
pub struct Lowered {
    /// Its core.
    pub program: Program,
    /// What it makes known to those who use it.
    pub exports: Exports,
    /// The mistakes in it.
    pub diagnostics: Vec<Diagnostic>,
    /// Its cases that do not match all values.
    pub partial: Vec<Partial>,
    /// What each definition mentions, if that was asked for.
    pub mentions: Mentions,
}

/// What a program makes known to those who use it.
#[derive(Clone, Debug, Default)]
pub struct Exports {
    /// For each of [`Program::roots`] its name, and whether the program defines it itself.
    pub roots: Vec<(Arc<str>, bool)>,
    /// For each data type the part of the source that declares it.
    pub datas: Vec<DataHome>,
}

/// Lowers as [`lower`] does, a program that is added to an earlier one.
#[must_use]
pub fn lower_added(
    loaded: &Loaded,
    hosts: &[HostDecl],
    earlier: Option<&dyn Earlier>,
    options: &Options,
) -> Lowered {
    lower_input(Input { earlier, ..Input::from(loaded) }, hosts, options)
}

/// Lowers a program whose parts are known.
pub(super) fn lower_input(input: Input<'_>, hosts: &[HostDecl], options: &Options) -> Lowered {
    let globals = Globals::new(input, hosts);
    let mut diagnostics = Vec::new();
    let mut linked = Vec::new();
    for module in globals.input.compiled {
        if let Err(mistake) = binary::verify(module) {
            diagnostics.push(mistake.report(&module.name, module.at));
        }
        linked.push(binary::link(&globals, module, &mut diagnostics));
    }
    let Checked { diagnostics: found, partial } = check::check(&globals, options);
    diagnostics.extend(found);
    let mut lowered = Lowered { diagnostics, partial, ..Lowered::default() };
    if options.mode == Mode::Run && !lowered.diagnostics.iter().any(Diagnostic::is_error) {
        let (datas, cons) = (globals.datas.clone(), globals.cons.clone());
        let program = Program { datas, cons, ..Program::default() };
        let mut lowerer = Lowerer::new(&globals, program);
        lowerer.linked = linked;
        lowerer.mentions = options.mentions.then(Mentions::default);
        lowerer.roots(options);
        lowerer.reachable();
        lowered.exports = Exports { roots: lowerer.exported, datas: globals.homes() };
        lowered.program = lowerer.program;
        lowered.mentions = lowerer.mentions.unwrap_or_default();
    }
    lowered
}

/// One step of lowering a definition. Steps are kept on a stack of their own, so that depth
/// costs no native stack.
enum Task {
    /// Lowers an expression to a place.
    Lower(ast::ExprId, ExprId),
    /// Binds a name to a local.
    Bind(Name, LocalId),
    /// Undoes all bindings but the first ones, of this number.
    Unbind(usize),
}

struct Lowerer<'a> {
    globals: &'a Globals<'a>,
    ast: &'a Ast,
    unit: UnitId,
    program: Program,
    /// The globals that have been met, and the definitions among them in that order.
    met: FxHashMap<Target, GlobalId>,
    definitions: Vec<(GlobalId, u32)>,
    /// The local that each name is bound to at present, if any.
    env: Vec<Option<LocalId>>,
    /// The bindings that were replaced, the innermost last.
    undo: Vec<(Name, Option<LocalId>)>,
    /// Whether each local is used in what has been lowered so far.
    used: Vec<bool>,
    tasks: Vec<Task>,
    bigs: BigTable<'a>,
    /// The texts of the program, each once.
    texts: FxHashMap<Arc<str>, TextId>,
    /// For each root its name, and whether the program defines it itself.
    exported: Vec<(Arc<str>, bool)>,
    /// What the compiled modules mention.
    linked: Vec<Linked>,
    /// The compiled module whose body is read.
    module: ModuleId,
    /// What each definition mentions, if that is asked for.
    mentions: Option<Mentions>,
    /// What the present definition has mentioned, in order.
    mentioned: Vec<(GlobalId, Name)>,
    seen: FxHashSet<(GlobalId, Name)>,
}

impl<'a> Lowerer<'a> {
    fn new(globals: &'a Globals<'a>, program: Program) -> Lowerer<'a> {
        Lowerer {
            globals,
            ast: globals.input.ast,
            unit: PROGRAM,
            program,
            met: FxHashMap::default(),
            definitions: Vec::new(),
            env: vec![None; globals.input.names.len()],
            undo: Vec::new(),
            used: Vec::new(),
            tasks: Vec::new(),
            bigs: BigTable::default(),
            texts: FxHashMap::default(),
            exported: Vec::new(),
            linked: Vec::new(),
            module: ModuleId(0),
            mentions: None,
            mentioned: Vec::new(),
            seen: FxHashSet::default(),
        }
    }

    fn roots(&mut self, options: &Options) {
        let names = self.globals.input.names;
        // One of two or more parameters cannot be run: it is a function like any other.
        if let Some(main) = names.find("main")
            && let Some(target @ Target::Defn(_)) = self.globals.own(PROGRAM, main)
            && self.globals.arity(target) <= 1
        {
            self.program.main = Some(self.global(target, main));
        }
        match &options.roots {
            EntryPoints::Main => {}
            EntryPoints::Named(roots) => {
                for entry in roots {
                    if let Some(name) = names.find(entry)
                        && let Lookup::Found(target) = self.globals.lookup(PROGRAM, name)
                        && !matches!(target, Target::Con(_))
                    {
                        self.root(target, name);
                    }
                }
            }
            EntryPoints::InScope => {
                for (at, item) in self.ast.items.iter().enumerate() {
                    if let Some(name) = item.name
                        && let Lookup::Found(target) = self.globals.lookup(PROGRAM, name)
                        && target == Target::Defn(at as u32)
                    {
                        self.root(target, name);
                    }
                }
            }
            EntryPoints::All => {
                for (at, item) in self.ast.items.iter().enumerate() {
                    let target = Target::Defn(at as u32);
                    if let Some(name) = item.name
                        && self.globals.own(PROGRAM, name) == Some(target)
                    {
                        self.root(target, name);
                    }
                }
            }
        }
    }

    /// Keeps what a name means to the program.
    fn root(&mut self, target: Target, name: Name) {
        let global = self.global(target, name);
        self.program.roots.push(global);
        let is_own = self.globals.own(PROGRAM, name) == Some(target);
        self.exported.push((self.globals.input.names.shared(name), is_own));
    }

    fn global(&mut self, target: Target, name: Name) -> GlobalId {
        if let Some(&global) = self.met.get(&target) {
            return global;
        }
        let kind = match target {
            Target::Defn(_) | Target::Con(_) => {
                GlobalKind::Defn { params: List::EMPTY, body: None }
            }
            Target::Host(index) => GlobalKind::Host {
                origin: HostOrigin::Function(index),
                arity: self.globals.arity(target) as u32,
            },
            Target::Earlier(at) => {
                let known = self.globals.earlier_globals.get(at as usize);
                let (number, arity) = known.copied().unwrap_or_default();
                GlobalKind::Host { origin: HostOrigin::Earlier(number), arity }
            }
            Target::Primitive(primitive) => GlobalKind::Primitive(primitive),
        };
        let global = self.program.globals.push(Global {
            symbol: self.globals.symbol(target, name),
            display: Some(match target {
                Target::Primitive(primitive) => primitive.name().into(),
                _ => self.globals.input.names.shared(name),
            }),
            kind,
            span: self.globals.span(target),
            signature: Signature::default(),
        });
        self.met.insert(target, global);
        if let Target::Defn(item) = target {
            self.definitions.push((global, item));
        }
        global
    }

    /// Lowers the definitions that have been met, and those that they meet.
    fn reachable(&mut self) {
        let mut next = 0;
        while let Some(&(global, item)) = self.definitions.get(next) {
            next += 1;
            self.definition(global, item);
        }
    }

    fn definition(&mut self, global: GlobalId, item: u32) {
        let Some(item) = self.ast.items.get(item as usize) else { return };
        let ItemKind::Defn { params, body } = item.kind else { return };
        if let ast::Expr::Compiled(module, body) = self.ast.exprs[body] {
            return self.compiled(global, module, body);
        }
        self.unit = self.globals.input.unit(item.file);
        let params = self.binders(params);
        let params = self.program.local_lists.add(params);
        let first = self.program.switches.len();
        let to = self.place(body);
        while let Some(task) = self.tasks.pop() {
            self.step(task);
        }
        self.unbind(0);
        self.forget_unused_fields(first);
        self.program.globals[global].kind = GlobalKind::Defn { params, body: Some(to) };
        if let Some(mentions) = &mut self.mentions {
            mentions.insert(global, std::mem::take(&mut self.mentioned));
            self.seen.clear();
        }
    }

    /// Takes over a definition of a compiled module.
    fn compiled(&mut self, global: GlobalId, module: ModuleId, body: BodyId) {
        let Some(found) = self.globals.input.compiled.get(module.index()) else { return };
        self.module = module;
        // In the order in which lowering its source meets them.
        for &mention in &found.bodies[body].mentions {
            binary::Builder::value(self, mention);
        }
        let (params, body) = binary::body(found, body, self)
            .unwrap_or_else(|mistake| unreachable!("it has been verified, {mistake:?}"));
        self.program.globals[global].kind = GlobalKind::Defn { params, body: Some(body) };
    }

    /// Returns the compiled module whose body is read.
    fn read(&self) -> &'a Module {
        &self.globals.input.compiled[self.module.index()]
    }

    fn step(&mut self, task: Task) {
        match task {
            Task::Lower(expr, to) => self.lower(expr, to),
            Task::Bind(name, local) => self.bind(name, local),
            Task::Unbind(len) => self.unbind(len),
        }
    }

    fn bind(&mut self, name: Name, local: LocalId) {
        let slot = &mut self.env[name.index()];
        self.undo.push((name, slot.replace(local)));
    }

    fn unbind(&mut self, len: usize) {
        for (name, before) in self.undo.drain(len..).rev() {
            self.env[name.index()] = before;
        }
    }

    /// Adds locals for parameters and brings them into scope.
    fn binders(&mut self, binders: List<Binder>) -> Vec<LocalId> {
        let binders = &self.ast.binders[binders];
        let mut locals = Vec::with_capacity(binders.len());
        for binder in binders {
            let local = self.program.local(binder.name, binder.span);
            if let Some(name) = binder.name {
                self.bind(name, local);
            }
            locals.push(local);
        }
        locals
    }

    /// Removes the locals of fields that no body uses from the switches from `first` on.
    fn forget_unused_fields(&mut self, first: usize) {
        let used = &self.used;
        for switch in self.program.switches.iter_mut().skip(first) {
            if let Branches::Cons(branches) = &mut switch.branches {
                for field in branches.iter_mut().flat_map(|branch| &mut branch.fields) {
                    *field = field.filter(|local| used.get(local.index()) == Some(&true));
                }
            }
        }
    }

    fn use_local(&mut self, local: LocalId) {
        if self.used.len() <= local.index() {
            self.used.resize(local.index() + 1, false);
        }
        self.used[local.index()] = true;
    }
}

impl binary::Builder for Lowerer<'_> {
    fn program(&mut self) -> &mut Program {
        &mut self.program
    }

    fn value(&mut self, reference: ReferenceId) -> GlobalId {
        match self.linked[self.module.index()].target(reference) {
            Some(target) => self.global(target, self.read().references[reference].name),
            None => unreachable!("what is not found has been reported"),
        }
    }

    fn constructor(&mut self, reference: ReferenceId) -> ConId {
        match self.linked[self.module.index()].target(reference) {
            Some(Target::Con(con)) => con,
            found => unreachable!("what is no constructor has been reported, {found:?}"),
        }
    }

    fn big(&mut self, big: usize) -> BigId {
        let value = &self.read().bigs[big];
        self.bigs.id(&mut self.program, value)
    }

    fn text(&mut self, text: usize) -> TextId {
        let text = self.read().texts[text].clone();
        self.text_id(&text)
    }
}

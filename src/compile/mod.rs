//! The schemes: supercombinators to G-code.
//!
//! `r` compiles a body: it leaves the value in the redex and goes on with it. `e` leaves
//! the value of an expression, evaluated, on the stack. `c` leaves a graph of it and
//! evaluates nothing. What R and E have in common is in `control`: they go through the same
//! expressions and differ in what a branch ends in. (Johnsson, *Efficient compilation of lazy
//! evaluation*, 1984; Peyton Jones and Lester, *Implementing Functional Languages*, chapter 3.)
//! `docs/gcode.md` has the schemes as equations.
//!
//! Invariants:
//! - What comes in holds no `Lam`, `Error` or definition without a body that can be reached:
//!   lifting's lint sees to it.
//! - Globals, and the texts and big integers in them, are numbered in the order in which the
//!   code first mentions them, from `main` on. What is not mentioned is not compiled.
//! - Time and code are linear in the size of the program.

mod actions;
mod c;
mod control;
mod e;
mod effects;
mod env;
mod failing;
mod perform;
mod primitive;
mod r;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::index::IndexVec;
use crate::base::integer::Integer;
use crate::base::name::Interner;
use crate::base::span::Span;
use crate::core::expr as core;
use crate::core::expr::{ExprId, HostOrigin, LocalId};
use crate::gcode::instr::{Instr, IntLit, Lit};
use crate::gcode::link::{Addition, Links};
use crate::gcode::program::{
    BigId, Con, ConId, Data, DataId, Global, GlobalId, GlobalKind, Host, HostId, Program, TextId,
};
use crate::primitive::Primitive;
use env::{Code, Env};
use failing::Failing;
use perform::Performer;

/// The options of the compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whether what is known to have been evaluated is not evaluated again: a local that any
    /// code on the way here has evaluated, one that a `let` binds to a value. Without, only
    /// what `force` and `switch` look at is known in what comes after them, as the tutorial's
    /// listings have it.
    pub eval_once: bool,
}

/// Compiles `main` and the program's other roots, and what they reach; `main` comes first.
/// Of a program with neither, every definition is compiled. The code is the tutorial's.
#[must_use]
pub fn compile(program: &core::Program, names: &Interner) -> Program {
    compile_with(program, names, Options::default())
}

/// Compiles as [`compile`] does, with options.
#[must_use]
pub fn compile_with(program: &core::Program, names: &Interner, options: Options) -> Program {
    compile_entries(program, names, options).addition.program
}

/// What a program has been compiled to.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Its code, and what of it stands for parts of the program that it is added to.
    pub addition: Addition,
    /// What has become of each of [`core::Program::roots`].
    pub roots: Vec<GlobalId>,
}

/// Compiles as [`compile_with`] does; returns also what has become of the roots.
#[must_use]
pub fn compile_entries(program: &core::Program, names: &Interner, options: Options) -> Compiled {
    let mut compiler = Compiler::new(program, names, options);
    for entry in program.kept() {
        let id = compiler.global(Source::Core(entry));
        if program.main == Some(entry) {
            compiler.out.main = Some(id);
        }
    }
    let roots = program.roots.iter().map(|&root| compiler.global(Source::Core(root))).collect();
    compiler.run();
    // Data types keep their numbers.
    let datas = program.datas.iter().map(|data| data.earlier.map(DataId)).collect();
    let links = Links { datas, hosts: compiler.stand_ins };
    Compiled { addition: Addition { program: compiler.out, links }, roots }
}

/// What a global of the output is made from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    /// A global of core.
    Core(core::GlobalId),
    /// A constructor as a function.
    Con(core::ConId),
    /// The function that evaluates the message of the primitive `error`.
    ErrorText,
    /// A function that performs actions.
    Performer(Performer),
    /// The function that evaluates a list before a primitive is computed of it.
    Walked(Primitive),
}

/// The state of a compilation.
struct Compiler<'a> {
    core: &'a core::Program,
    names: &'a Interner,
    options: Options,
    failing: Failing,
    /// The definition whose code is made.
    current: Option<core::GlobalId>,
    out: Program,
    /// The globals that the code refers to so far.
    globals: FxHashMap<Source, GlobalId>,
    /// What those globals are made from, in order: the code of those after `out.globals` is still
    /// to be made.
    mentioned: IndexVec<GlobalId, Source>,
    /// The symbols of all globals, so that those made here differ.
    symbols: FxHashSet<Arc<str>>,
    cons: IndexVec<core::ConId, ConId>,
    hosts: FxHashMap<core::GlobalId, HostId>,
    /// For each host function the global that it stands for.
    stand_ins: IndexVec<HostId, Option<GlobalId>>,
    /// The texts so far, by their content and by their number in core.
    texts: FxHashMap<Arc<str>, TextId>,
    known_texts: FxHashMap<core::TextId, TextId>,
    bigs: FxHashMap<Integer, BigId>,
    /// The first constructor of the data type of actions, once one is mentioned.
    actions: Option<u32>,
    env: Env,
    /// The number of uses of each local.
    uses: IndexVec<LocalId, u32>,
    code: Code,
    /// The joins whose body is being compiled, or has been.
    joins: FxHashMap<core::JoinId, control::Target>,
}

impl<'a> Compiler<'a> {
    fn new(program: &'a core::Program, names: &'a Interner, options: Options) -> Compiler<'a> {
        let (mut out, cons) = data_tables(program);
        out.places = program.places.clone();
        Compiler {
            core: program,
            names,
            options,
            failing: Failing::of(program),
            current: None,
            out,
            globals: FxHashMap::default(),
            mentioned: IndexVec::new(),
            symbols: program.globals.iter().map(|global| global.symbol.clone()).collect(),
            cons,
            hosts: FxHashMap::default(),
            stand_ins: IndexVec::new(),
            texts: FxHashMap::default(),
            known_texts: FxHashMap::default(),
            bigs: FxHashMap::default(),
            actions: None,
            env: Env::new(program.locals.len()),
            uses: program.locals.iter().map(|_| 0).collect(),
            code: Code::new(0),
            joins: FxHashMap::default(),
        }
    }

    /// Compiles all globals that are referred to, and those that they refer to.
    fn run(&mut self) {
        while let Some(&source) = self.mentioned.get(self.out.globals.next_index()) {
            let global = match source {
                Source::Core(id) => self.core_global(id),
                Source::Con(con) => self.con_function(con),
                Source::ErrorText => self.error_text(),
                Source::Performer(performer) => self.performer(performer),
                Source::Walked(primitive) => self.walked(primitive),
            };
            self.out.globals.push(global);
        }
    }

    /// Returns the global made from `source`; its code will be made.
    fn global(&mut self, source: Source) -> GlobalId {
        let mentioned = &mut self.mentioned;
        *self.globals.entry(source).or_insert_with(|| mentioned.push(source))
    }

    fn core_global(&mut self, id: core::GlobalId) -> Global {
        let global = &self.core.globals[id];
        let arity = self.core.arity(id) as u32;
        self.code = Code::new(arity);
        let (kind, params) = match global.kind {
            core::GlobalKind::Defn { params, body } => {
                let Some(body) = body else {
                    unreachable!("what is reached has a body: the lint of lifting checks it")
                };
                let params = &self.core.local_lists[params];
                self.count_uses(body);
                self.env.undo(0);
                for (i, &param) in params.iter().enumerate() {
                    self.env.bind(param, arity - i as u32, false);
                }
                self.current = Some(id);
                self.r(body);
                self.current = None;
                let name = |&param: &LocalId| {
                    self.core.locals[param].name.map(|name| self.names.shared(name))
                };
                (GlobalKind::Supercombinator, params.iter().map(name).collect())
            }
            core::GlobalKind::Primitive(primitive) => {
                self.primitive_code(primitive);
                (GlobalKind::Primitive, Vec::new())
            }
            core::GlobalKind::Step(_) => {
                unreachable!(
                    "effects are done and actions made in place; `continue` is the performer's"
                )
            }
            core::GlobalKind::Host { origin: HostOrigin::Function(_), .. } => {
                let host = self.host_code(id, arity);
                (GlobalKind::Host(host), Vec::new())
            }
            core::GlobalKind::Host { origin: HostOrigin::Earlier(_), .. } => {
                (GlobalKind::Host(self.host(id, arity)), Vec::new())
            }
        };
        let (symbol, display) = (global.symbol.clone(), global.display.clone());
        let strict: Vec<bool> =
            (0..params.len()).map(|at| global.signature.is_strict(at)).collect();
        let mut made = self.finish(symbol, display, kind, arity, params, global.span);
        if strict.contains(&true) {
            made.strict = strict;
        }
        made
    }

    /// Returns the global whose code has just been emitted.
    fn finish(
        &mut self,
        symbol: Arc<str>,
        display: Option<Arc<str>>,
        kind: GlobalKind,
        arity: u32,
        params: Vec<Option<Arc<str>>>,
        span: Span,
    ) -> Global {
        let (code, spans) = std::mem::replace(&mut self.code, Code::new(0)).finish();
        Global { symbol, display, kind, arity, params, strict: Vec::new(), code, spans, span }
    }

    /// Returns `symbol`, or if it is taken, one made from it that is no NAME.
    fn unique(&mut self, symbol: &str) -> Arc<str> {
        let mut symbol: Arc<str> = symbol.into();
        while !self.symbols.insert(symbol.clone()) {
            symbol = format!("{symbol}$").into();
        }
        symbol
    }

    fn emit(&mut self, instr: Instr, span: Span) {
        self.code.emit(&self.out, instr, span);
    }

    /// Emits `PushGlobal` of what is made from `source`. Unreachable code refers to nothing.
    fn push_global(&mut self, source: Source, span: Span) {
        if self.code.is_live() {
            let global = self.global(source);
            self.emit(Instr::PushGlobal(global), span);
        }
    }

    /// Emits `Push` of the item that is `height` above the redex.
    fn push_height(&mut self, height: u32, span: Span) {
        if self.code.is_live() {
            self.emit(Instr::Push(self.code.depth() - 1 - height), span);
        }
    }

    /// Emits `Push` of a local.
    fn push_local(&mut self, local: LocalId, span: Span) {
        self.push_height(self.env.height(local), span);
    }

    /// Emits the application of the function on top to the `count` arguments below it.
    fn apply(&mut self, count: usize, span: Span) {
        for _ in 0..count {
            self.emit(Instr::MkApp, span);
        }
    }

    /// Emits the update of the redex with the value on top, and its unwinding.
    fn update_and_unwind(&mut self, span: Span) {
        if self.code.is_live() {
            let above = self.code.depth() - 2;
            self.emit(Instr::Update(above), span);
            self.emit(Instr::Pop(above), span);
            self.emit(Instr::Unwind, span);
        }
    }

    /// Emits the push of a literal.
    fn push_lit(&mut self, lit: core::Lit, span: Span) {
        let instr = match lit {
            core::Lit::Int(small) => Instr::PushInt(IntLit::Small(small)),
            core::Lit::Big(big) => Instr::PushInt(self.big(big)),
            core::Lit::Float(value) => Instr::PushFloat(value),
            core::Lit::Char(c) => Instr::PushChar(c),
        };
        self.emit(instr, span);
    }

    /// Returns the literal of a switch's branch.
    fn lit(&mut self, lit: core::Lit) -> Lit {
        match lit {
            core::Lit::Int(small) => Lit::Int(IntLit::Small(small)),
            core::Lit::Big(big) => Lit::Int(self.big(big)),
            core::Lit::Char(c) => Lit::Char(c),
            core::Lit::Float(_) => unreachable!("no switch goes by a float: the lint sees to it"),
        }
    }

    fn big(&mut self, big: core::BigId) -> IntLit {
        match &self.core.bigs[big] {
            Integer::Small(small) => IntLit::Small(*small),
            big @ Integer::Big(_) => {
                let bigs = &mut self.out.bigs;
                let id = self.bigs.entry(big.clone()).or_insert_with(|| bigs.push(big.clone()));
                IntLit::Big(*id)
            }
        }
    }

    fn text(&mut self, text: core::TextId) -> TextId {
        *self.known_texts.entry(text).or_insert_with(|| {
            let text = &self.core.texts[text];
            let texts = &mut self.out.texts;
            *self.texts.entry(text.clone()).or_insert_with(|| texts.push(text.clone()))
        })
    }

    fn host(&mut self, id: core::GlobalId, arity: u32) -> HostId {
        let global = &self.core.globals[id];
        let (hosts, stand_ins) = (&mut self.out.hosts, &mut self.stand_ins);
        *self.hosts.entry(id).or_insert_with(|| {
            let name = global.display.as_ref().unwrap_or(&global.symbol).clone();
            stand_ins.push(match global.kind {
                core::GlobalKind::Host { origin: HostOrigin::Earlier(number), .. } => {
                    Some(GlobalId(number))
                }
                _ => None,
            });
            hosts.push(Host { name, arity })
        })
    }

    /// Counts the uses of every local bound in a body.
    fn count_uses(&mut self, body: ExprId) {
        let core = self.core;
        for local in core.walk(body).filter_map(|expr| core.used_local(expr)) {
            self.uses[local] += 1;
        }
    }
}

/// Returns a program that has the data types of core and nothing else, and what each constructor is
/// in it. Constructors are numbered type by type.
fn data_tables(core: &core::Program) -> (Program, IndexVec<core::ConId, ConId>) {
    let mut out = Program::default();
    let mut cons: IndexVec<_, _> = core.cons.iter().map(|_| ConId(0)).collect();
    for data in core.datas.iter() {
        let id = out.datas.next_index();
        let mut of_data = Vec::with_capacity(data.cons.len());
        for &con in &data.cons {
            let core::Con { name, symbol, tag, arity, .. } = core.cons[con].clone();
            cons[con] = out.cons.push(Con { symbol, name, data: id, tag, arity });
            of_data.push(cons[con]);
        }
        out.datas.push(Data { symbol: data.symbol.clone(), cons: of_data });
    }
    (out, cons)
}

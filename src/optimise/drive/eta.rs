//! Eta-expansion: definitions that come to functions of more arguments than they have parameters.
//!
//! Of `(defn incs[] (map (add 1)))` nothing can be unfolded: it is a constant, and its value is a
//! partial application. So each definition whose body is an application that lacks arguments has a
//! *twin* that takes them as well, `(defn incs$a[xs] (map (add 1) xs))`: what a call with all of
//! them comes to. Parsers, state threads and continuations that are written as combinators are
//! such definitions one and all.
//!
//! Invariants:
//! - No work is done twice: what stands in the body is made anew by each call of the twin, so it
//!   consists of names, literals, constructors and applications that lack arguments. A text is
//!   none of these: it is unpacked once.
//! - The twin is as much a bottom as its origin: a definition is expanded through an application
//!   that lacks arguments alone, not through a condition, because `seq` tells a function from what
//!   fails to become one.
//! - A twin that lacks arguments is never written: its origin is ([`Driver::unexpanded`]).

use rustc_hash::FxHashMap;

use super::Driver;
use super::heap::{AbstractValue, Head, Name, NodeId};
use crate::base::index::{Idx, List};
use crate::base::name::Name as Identifier;
use crate::base::scc::components;
use crate::base::span::Span;
use crate::core::expr::{Expr, ExprId, Global, GlobalId, GlobalKind, LocalId, Program};
use crate::core::signature::Signature;
use crate::optimise::symbols::Symbols;

/// The most expressions of a body that is expanded: its twin is unfolded wherever it is called.
const SIZE: u32 = 40;
/// The most parameters of a twin.
const PARAMETERS: usize = 40;
/// How often the definitions of a circle are looked through: if it is not clear then which have twins, none has.
const ROUNDS: u32 = 4;

/// The twins of a program.
#[derive(Default)]
pub(super) struct Twins {
    /// The twin of a definition.
    of: FxHashMap<GlobalId, GlobalId>,
    /// The definition of a twin.
    origin: FxHashMap<GlobalId, GlobalId>,
}

impl Twins {
    /// Returns the definition that takes all arguments of what a global comes to: its twin, or
    /// itself.
    pub fn expanded(&self, global: GlobalId) -> GlobalId {
        self.of.get(&global).copied().unwrap_or(global)
    }

    /// Returns the definition of which a global is the twin.
    pub fn origin(&self, global: GlobalId) -> Option<GlobalId> {
        self.origin.get(&global).copied()
    }

    /// Returns the definitions that have twins, and these.
    pub fn iter(&self) -> impl Iterator<Item = (GlobalId, GlobalId)> {
        self.of.iter().map(|(&of, &twin)| (of, twin))
    }

    /// Returns whether a global is a twin.
    pub fn is_one(&self, global: GlobalId) -> bool {
        self.origin.contains_key(&global)
    }
}

/// Adds the twins of a program's definitions. What was applied to as many arguments as the twin
/// takes is a call of the twin.
pub(super) fn expand(program: &mut Program) -> Twins {
    let takes = Expansion::new(program).takes;
    let mut twins = Twins::default();
    if takes.is_empty() {
        return twins;
    }
    let mut symbols = Symbols::new(program);
    let mut of: Vec<GlobalId> = takes.keys().copied().collect();
    of.sort_unstable_by_key(|global| global.index());
    for &global in &of {
        let Global { symbol, display, span, .. } = program.globals[global].clone();
        let name = symbols.fresh(&symbol, 'a');
        let kind = GlobalKind::Defn { params: List::EMPTY, body: None };
        let signature = Signature::default();
        let twin = program.globals.push(Global { symbol: name, display, kind, span, signature });
        twins.of.insert(global, twin);
        twins.origin.insert(twin, global);
    }
    for &global in &of {
        define(program, &takes, global, twins.of[&global]);
    }
    for at in program.exprs.indices() {
        if let Expr::App(callee, args) = program.exprs[at]
            && let Expr::Global(global) = program.exprs[callee]
            && takes.get(&global).is_some_and(|&takes| args.len() >= takes)
        {
            let callee = program.expr(Expr::Global(twins.of[&global]), program.spans[callee]);
            program.exprs[at] = Expr::App(callee, args);
        }
    }
    twins
}

/// Gives a twin its parameters and its body.
fn define(program: &mut Program, takes: &FxHashMap<GlobalId, usize>, of: GlobalId, twin: GlobalId) {
    let GlobalKind::Defn { params, body: Some(body) } = program.globals[of].kind else { return };
    let (callee, args) = application(program, body);
    let span = program.spans[body];
    let more = takes[&of] - params.len();
    let mut names: Vec<(Option<Identifier>, Span)> = Vec::new();
    for &param in &program.local_lists[params] {
        names.push((program.locals[param].name, program.locals[param].span));
    }
    names.extend(missing(program, callee, args.len(), more));
    let olds = program.local_lists[params].to_vec();
    let news: Vec<LocalId> =
        names.into_iter().map(|(name, span)| program.local(name, span)).collect();
    let renamed: FxHashMap<LocalId, LocalId> =
        olds.iter().copied().zip(news.iter().copied()).collect();
    let mut all: Vec<ExprId> = args.into_iter().map(|arg| copied(program, arg, &renamed)).collect();
    for &local in &news[olds.len()..] {
        all.push(program.expr(Expr::Local(local), span));
    }
    let callee = program.expr(program.exprs[callee], program.spans[callee]);
    let all = program.expr_lists.add(all);
    let body = program.expr(Expr::App(callee, all), span);
    let params = program.local_lists.add(news);
    program.globals[twin].kind = GlobalKind::Defn { params, body: Some(body) };
}

/// Returns how the arguments are called that an application lacks: as the parameters of what is
/// applied.
fn missing(
    program: &Program,
    callee: ExprId,
    given: usize,
    more: usize,
) -> Vec<(Option<Identifier>, Span)> {
    let params = match program.exprs[callee] {
        Expr::Global(global) => match program.globals[global].kind {
            GlobalKind::Defn { params, .. } => &program.local_lists[params],
            _ => &[],
        },
        _ => &[],
    };
    let named = |at: usize| params.get(given + at).and_then(|&param| program.locals[param].name);
    (0..more).map(|at| (named(at), Span::NONE)).collect()
}

/// Returns the callee and the arguments of a body.
fn application(program: &Program, body: ExprId) -> (ExprId, Vec<ExprId>) {
    match program.exprs[body] {
        Expr::App(callee, args) => (callee, program.expr_lists[args].to_vec()),
        _ => (body, Vec::new()),
    }
}

/// Returns a copy of an argument, which is small.
fn copied(program: &mut Program, expr: ExprId, renamed: &FxHashMap<LocalId, LocalId>) -> ExprId {
    let span = program.spans[expr];
    let copy = match program.exprs[expr] {
        Expr::Local(local) => Expr::Local(renamed.get(&local).copied().unwrap_or(local)),
        Expr::App(callee, args) => {
            let args = program.expr_lists[args].to_vec();
            let callee = copied(program, callee, renamed);
            let args: Vec<ExprId> =
                args.into_iter().map(|arg| copied(program, arg, renamed)).collect();
            Expr::App(callee, program.expr_lists.add(args))
        }
        other => other,
    };
    program.expr(copy, span)
}

/// Which definitions have twins.
struct Expansion<'p> {
    program: &'p Program,
    /// How many arguments the twin of a definition takes.
    takes: FxHashMap<GlobalId, usize>,
}

impl Expansion<'_> {
    fn new(program: &Program) -> Expansion<'_> {
        let mut expansion = Expansion { program, takes: FxHashMap::default() };
        let edges: Vec<Vec<u32>> =
            program.globals.indices().map(|global| expansion.needs(global)).collect();
        for component in components(&edges) {
            expansion.decide(component.into_iter().map(GlobalId).collect());
        }
        expansion
    }

    /// Returns the definitions of which it matters whether they have a twin.
    fn needs(&self, global: GlobalId) -> Vec<u32> {
        let program = self.program;
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[global].kind else {
            return Vec::new();
        };
        let mut needs = Vec::new();
        if let Expr::Global(alias) = program.exprs[body] {
            needs.push(alias.0);
        }
        let mut size = 0;
        let mut work = vec![body];
        while let Some(expr) = work.pop() {
            size += 1;
            match program.exprs[expr] {
                Expr::App(callee, args) if size <= SIZE => {
                    if let Expr::Global(callee) = program.exprs[callee] {
                        needs.push(callee.0);
                    }
                    work.extend(&program.expr_lists[args]);
                }
                Expr::Local(_) | Expr::Lit(_) | Expr::Con(_) | Expr::Global(_) if size <= SIZE => {}
                _ => return Vec::new(),
            }
        }
        needs
    }

    /// Returns how many arguments the twin of a definition would take whose body is an application that
    /// lacks arguments, and those that it has.
    fn application(&self, global: GlobalId) -> Option<(usize, Vec<ExprId>)> {
        let program = self.program;
        let GlobalKind::Defn { params, body: Some(body) } = program.globals[global].kind else {
            return None;
        };
        let (callee, args) = application(program, body);
        let lacks = self.full(callee)?.checked_sub(args.len()).filter(|&lacks| lacks > 0)?;
        let takes = params.len() + lacks;
        (takes <= PARAMETERS).then_some((takes, args))
    }

    /// Decides for the definitions of a circle. A call of one of them for another one lacks arguments if that
    /// has a twin: so all are taken to have one, until it turns out what has not.
    fn decide(&mut self, members: Vec<GlobalId>) {
        let mut members = members;
        // What one comes to may be known only after another one.
        let passes = if members.len() > 1 { 2 } else { 1 };
        for _ in 0..passes {
            for &member in &members {
                if let Some((takes, _)) = self.application(member) {
                    self.takes.insert(member, takes);
                }
            }
        }
        for _ in 0..ROUNDS {
            let before = members.len();
            members.retain(|&member| {
                let is_kept = self.has_values(member);
                if !is_kept {
                    self.takes.remove(&member);
                }
                is_kept
            });
            if members.len() == before {
                return;
            }
        }
        for member in members {
            self.takes.remove(&member);
        }
    }

    /// Returns whether a definition has a twin by what is known of the others: its arguments are values.
    fn has_values(&self, global: GlobalId) -> bool {
        let mut size = SIZE;
        self.application(global).is_some_and(|(takes, args)| {
            self.takes.get(&global) == Some(&takes)
                && args.into_iter().all(|arg| self.is_value(arg, &mut size))
        })
    }

    /// Returns how many arguments a callee takes, as far as that is known.
    fn full(&self, callee: ExprId) -> Option<usize> {
        match self.program.exprs[callee] {
            Expr::Global(global) => {
                Some(self.takes.get(&global).copied().unwrap_or(self.program.arity(global)))
            }
            Expr::Con(con) => Some(self.program.cons[con].arity as usize),
            _ => None,
        }
    }

    /// Returns whether an argument is a name or is made without work: then a copy of it does none
    /// either.
    fn is_value(&self, expr: ExprId, size: &mut u32) -> bool {
        let Some(left) = size.checked_sub(1) else { return false };
        *size = left;
        let program = self.program;
        match program.exprs[expr] {
            Expr::Local(_) | Expr::Lit(_) | Expr::Con(_) | Expr::Global(_) => true,
            Expr::App(callee, args) => {
                let Some(full) = self.full(callee) else { return false };
                let is_built = matches!(program.exprs[callee], Expr::Con(_)) && args.len() == full;
                (is_built || args.len() < full)
                    && program.expr_lists[args].iter().all(|&arg| self.is_value(arg, size))
            }
            _ => false,
        }
    }
}

impl Driver<'_> {
    /// Returns what takes all arguments of a global, and how many these are.
    pub(super) fn expanded(&self, global: GlobalId) -> (GlobalId, usize) {
        let global = self.twins.expanded(global);
        (global, self.old.arity(global))
    }

    /// Returns what is written for a function that lacks arguments.
    pub(super) fn unexpanded(&self, global: GlobalId) -> GlobalId {
        self.twins.origin(global).unwrap_or(global)
    }

    /// Returns the value of a CAF that is a function.
    pub(super) fn function_caf(&mut self, global: GlobalId) -> Option<NodeId> {
        let (twin, _) = self.expanded(global);
        if twin == global {
            return None;
        }
        let none = self.heap.list([]);
        let value = AbstractValue::Partial(Head::Global(twin), none);
        Some(self.heap.named(value, Name::Caf(global)))
    }

    /// Returns whether a global is a twin that is not recursive: calls of it are calls of what it
    /// forwards to.
    pub(super) fn is_forwarding_twin(&self, global: GlobalId) -> bool {
        self.twins.is_one(global) && !self.facts.recursive[global]
    }

    /// Returns code for a function that lacks arguments, of which it has some, if it is what a
    /// small definition comes to: the body, in which nothing is left to be done.
    pub(super) fn written_twin(
        &mut self,
        head: Head,
        args: &[NodeId],
        span: Span,
    ) -> Option<ExprId> {
        let Head::Global(global) = head else { return None };
        let of = self.twins.origin(global)?;
        let GlobalKind::Defn { params, body: Some(body) } = self.old.globals[of].kind else {
            return None;
        };
        if args.len() < params.len() || !self.is_small(of) || self.facts.recursive[of] {
            return None;
        }
        let (bound, rest) = args.split_at(params.len());
        let env = self.heap.activation(self.facts.locals[of] as usize, self.users_call(span));
        for (&param, &arg) in self.old.local_lists[params].iter().zip(bound) {
            self.bind(param, env, arg);
        }
        let callee = self.lazy(body, env);
        let rest: Vec<ExprId> = rest.iter().map(|&arg| self.atom(arg, span)).collect();
        Some(if rest.is_empty() { callee } else { self.merged(callee, rest, span) })
    }
}

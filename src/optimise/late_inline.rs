//! Inlining where strictness analysis has found out that a value is needed.
//!
//! The driver inlines what is evaluated, and writes a call that may never be as it is: there a body
//! with branches would have to become a function again. An argument that the callee certainly
//! evaluates is such a call until the analysis has run. Here its body takes its place: of a small
//! function as a copy, of one that is called nowhere else as it is. Parameters that the function is
//! strict in are evaluated first, as for the call; others are bound.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::drive::{callers, is_small};
use super::rewrite::{Plan, rewrite};
use super::{Pass, Report};
use crate::base::index::{Idx, IndexVec, List};
use crate::base::places::Inlined;
use crate::base::scc::components;
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Bind, Branches, ConBranch, Expr, ExprId, GlobalId, GlobalKind, Join, JoinId, LocalId, Program,
    Switch,
};

/// The most expressions of which a body may have copies, and how many more for each of its own.
const COPIED: usize = 40;
const COPIED_PER_EXPRESSION: usize = 1;

/// Puts bodies in the place of calls in strict contexts. Takes time linear in the program.
pub(super) fn inline(program: Program, report: &mut Report) -> Program {
    let mut program = program;
    let callers = callers(&program, &program.places);
    let facts = Facts::new(&program);
    let mut late = Late { program: &mut program, facts, callers, spans: FxHashMap::default() };
    let (mut copied, mut moved) = (0, 0);
    for id in late.program.globals.indices() {
        let (copies, moves) = late.body(id);
        copied += copies;
        moved += moves;
    }
    report.count(Pass::Inline, "needed calls inlined", copied + moved);
    match moved {
        0 => program,
        // What has been moved is no definition any more.
        _ => {
            let plan = Plan::new(&program);
            rewrite(program, &plan).0
        }
    }
}

/// What is known of each definition.
struct Facts {
    size: IndexVec<GlobalId, usize>,
    /// Whether it can come to call itself by name.
    recursive: IndexVec<GlobalId, bool>,
    /// Whether it is mentioned in one place, and is neither `main` nor a root.
    once: IndexVec<GlobalId, bool>,
}

impl Facts {
    fn new(program: &Program) -> Facts {
        let count = program.globals.len();
        let mut size: IndexVec<GlobalId, usize> = program.globals.iter().map(|_| 0).collect();
        let mut mentions = vec![0_usize; count];
        let mut edges = vec![Vec::new(); count];
        for (id, global) in program.globals.enumerate() {
            let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
            for expr in program.walk(body) {
                size[id] += 1;
                if let Expr::Global(of) = program.exprs[expr] {
                    mentions[of.index()] += 1;
                    edges[id.index()].push(of.0);
                }
            }
        }
        let mut recursive: IndexVec<GlobalId, bool> =
            program.globals.iter().map(|_| false).collect();
        for component in components(&edges) {
            let cyclic = match component.as_slice() {
                [one] => edges[*one as usize].contains(one),
                _ => true,
            };
            component.into_iter().for_each(|member| recursive[GlobalId(member)] = cyclic);
        }
        for kept in program.kept() {
            mentions[kept.index()] = usize::MAX;
        }
        let once = mentions.into_iter().map(|mentions| mentions == 1).collect();
        Facts { size, recursive, once }
    }
}

/// The transformation.
struct Late<'p> {
    program: &'p mut Program,
    facts: Facts,
    callers: Vec<(Span, Arc<str>)>,
    /// The places of expressions of the corelib for calls.
    spans: FxHashMap<(Span, Span), Span>,
}

/// New names for what a copy binds.
#[derive(Default)]
struct Names {
    locals: FxHashMap<LocalId, LocalId>,
    joins: FxHashMap<JoinId, JoinId>,
}

impl Late<'_> {
    /// Inlines calls in a body, and in what has been inlined. Returns how many bodies were copied
    /// and how many moved.
    fn body(&mut self, id: GlobalId) -> (u64, u64) {
        let GlobalKind::Defn { body: Some(body), .. } = self.program.globals[id].kind else {
            return (0, 0);
        };
        let mut left = COPIED + COPIED_PER_EXPRESSION * self.facts.size[id];
        let (mut copied, mut moved) = (0, 0);
        let mut work = vec![body];
        while let Some(expr) = work.pop() {
            if let Some((global, args)) = self.call(expr) {
                let size = self.facts.size[global];
                if self.facts.once[global] {
                    self.put_body(expr, global, args, false);
                    self.facts.size[id] += size;
                    moved += 1;
                } else if is_small(size, args.len()) && size <= left {
                    left -= size;
                    self.put_body(expr, global, args, true);
                    self.facts.size[id] += size;
                    copied += 1;
                }
            }
            let program = &*self.program;
            let children = program.children(expr);
            let strict = children.filter(|child| program.is_strict(expr, child.position));
            work.extend(strict.map(|child| child.expr));
        }
        (copied, moved)
    }

    /// Returns the callee and the arguments of a call whose body may take its place.
    fn call(&self, expr: ExprId) -> Option<(GlobalId, List<ExprId>)> {
        let program = &*self.program;
        let Expr::App(callee, args) = program.exprs[expr] else { return None };
        let Expr::Global(global) = program.exprs[callee] else { return None };
        let callee = &program.globals[global];
        let GlobalKind::Defn { params, body: Some(_) } = callee.kind else { return None };
        let is_inlined =
            params.len() == args.len() && !callee.signature.fails && !self.facts.recursive[global];
        is_inlined.then_some((global, args))
    }

    /// Puts a body, or a copy of it, in the place of a call.
    fn put_body(&mut self, call: ExprId, global: GlobalId, args: List<ExprId>, is_copied: bool) {
        let GlobalKind::Defn { params, body: Some(body) } = self.program.globals[global].kind
        else {
            return;
        };
        let at = self.program.spans[call];
        let params = self.program.local_lists[params].to_vec();
        let args = self.program.expr_lists[args].to_vec();
        let mut names = Names::default();
        let (params, mut out) = match is_copied {
            true => {
                let params = params.into_iter().map(|param| self.renamed(param, &mut names));
                (params.collect(), self.copy(body, at, &mut names))
            }
            false => {
                self.program.globals[global].kind =
                    GlobalKind::Defn { params: List::EMPTY, body: None };
                let exprs: Vec<ExprId> = self.program.walk(body).collect();
                for expr in exprs {
                    self.program.spans[expr] = self.place(self.program.spans[expr], at);
                }
                (params, body)
            }
        };
        // The last argument is evaluated first, as everywhere; what is bound is bound after that.
        let signature = self.program.globals[global].signature.clone();
        for is_strict in [false, true] {
            for (number, (&param, &arg)) in params.iter().zip(&args).enumerate() {
                let is_value = self.program.is_value(arg, |_| false);
                if is_strict != (signature.is_strict(number) && !is_value) {
                    continue;
                }
                let bound = match is_strict {
                    true => Expr::Force(param, arg, out),
                    false => Expr::Let(param, arg, out),
                };
                out = self.program.expr(bound, at);
            }
        }
        self.program.exprs[call] = self.program.exprs[out];
    }

    fn renamed(&mut self, local: LocalId, names: &mut Names) -> LocalId {
        let (name, span) = (self.program.locals[local].name, self.program.locals[local].span);
        let new = self.program.local(name, span);
        names.locals.insert(local, new);
        new
    }

    fn renamed_all(&mut self, locals: List<LocalId>, names: &mut Names) -> List<LocalId> {
        let locals = self.program.local_lists[locals].to_vec();
        let locals: Vec<LocalId> =
            locals.into_iter().map(|local| self.renamed(local, names)).collect();
        self.program.local_lists.add(locals)
    }

    /// Copies an expression of a body that is inlined for a call.
    fn copy(&mut self, expr: ExprId, call: Span, names: &mut Names) -> ExprId {
        ensure_sufficient_stack(|| {
            let copied = self.copied(expr, call, names);
            let span = self.place(self.program.spans[expr], call);
            self.program.expr(copied, span)
        })
    }

    fn copied(&mut self, expr: ExprId, call: Span, names: &mut Names) -> Expr {
        let local = |names: &Names, local: LocalId| *names.locals.get(&local).unwrap_or(&local);
        match self.program.exprs[expr] {
            Expr::Local(old) => Expr::Local(local(names, old)),
            Expr::App(callee, args) => {
                let callee = self.copy(callee, call, names);
                Expr::App(callee, self.copy_all(args, call, names))
            }
            Expr::Let(old, value, body) => {
                let value = self.copy(value, call, names);
                let new = self.renamed(old, names);
                Expr::Let(new, value, self.copy(body, call, names))
            }
            Expr::Force(old, value, body) => {
                let value = self.copy(value, call, names);
                let new = self.renamed(old, names);
                Expr::Force(new, value, self.copy(body, call, names))
            }
            Expr::Letrec(binds, body) => {
                let binds = self.program.binds[binds].to_vec();
                for bind in &binds {
                    self.renamed(bind.local, names);
                }
                let binds: Vec<Bind> = binds
                    .into_iter()
                    .map(|bind| Bind {
                        local: local(names, bind.local),
                        value: self.copy(bind.value, call, names),
                    })
                    .collect();
                let binds = self.program.binds.add(binds);
                Expr::Letrec(binds, self.copy(body, call, names))
            }
            Expr::Switch(switch) => {
                let Switch { scrutinee, evaluated, branches, default } =
                    self.program.switches[switch].clone();
                let branches = match branches {
                    Branches::Lits(branches) => Branches::Lits(
                        branches
                            .into_iter()
                            .map(|(lit, body)| (lit, self.copy(body, call, names)))
                            .collect(),
                    ),
                    Branches::Cons(branches) => Branches::Cons(
                        branches
                            .into_iter()
                            .map(|ConBranch { con, fields, body }| ConBranch {
                                con,
                                fields: fields
                                    .into_iter()
                                    .map(|field| field.map(|old| self.renamed(old, names)))
                                    .collect(),
                                body: self.copy(body, call, names),
                            })
                            .collect(),
                    ),
                };
                let default = default.map(|default| self.copy(default, call, names));
                let scrutinee = local(names, scrutinee);
                let copy = Switch { scrutinee, evaluated, branches, default };
                Expr::Switch(self.program.switches.push(copy))
            }
            Expr::Join(join, body) => {
                let Join { params, handler } = self.program.joins[join];
                let params = self.renamed_all(params, names);
                let handler = self.copy(handler, call, names);
                let new = self.program.joins.push(Join { params, handler });
                names.joins.insert(join, new);
                Expr::Join(new, self.copy(body, call, names))
            }
            Expr::Jump(join, args) => {
                let new = *names.joins.get(&join).unwrap_or(&join);
                Expr::Jump(new, self.copy_all(args, call, names))
            }
            Expr::Lam(..) => unreachable!("lifting leaves none: its lint checks it"),
            Expr::Global(global) => {
                self.facts.once[global] = false;
                Expr::Global(global)
            }
            same @ (Expr::Lit(_) | Expr::Text(_) | Expr::Con(_) | Expr::NoMatch | Expr::Error) => {
                same
            }
        }
    }

    fn copy_all(&mut self, exprs: List<ExprId>, call: Span, names: &mut Names) -> List<ExprId> {
        let exprs = self.program.expr_lists[exprs].to_vec();
        let exprs: Vec<ExprId> =
            exprs.into_iter().map(|expr| self.copy(expr, call, names)).collect();
        self.program.expr_lists.add(exprs)
    }

    /// Returns the place of an expression that is inlined for a call: that of the corelib says
    /// which call of the program it stands for.
    fn place(&mut self, at: Span, call: Span) -> Span {
        let places = &mut self.program.places;
        let call = match places.inlined(call) {
            Some(inlined) => inlined.call,
            None if places.is_users(call) => call,
            None => return at,
        };
        let is_told =
            places.is_users(at) || places.inlined(at).is_some() || places.unmatched(at).is_some();
        if at.is_none() || is_told {
            return at;
        }
        if let Some(&known) = self.spans.get(&(at, call)) {
            return known;
        }
        let after = self.callers.partition_point(|(name, _)| name.lo <= call.lo);
        let Some((_, caller)) = after.checked_sub(1).and_then(|at| self.callers.get(at)) else {
            return at;
        };
        let span = places.add(Inlined { at, call, caller: caller.clone() });
        self.spans.insert((at, call), span);
        span
    }
}

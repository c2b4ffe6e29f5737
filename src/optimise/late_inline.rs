//! Inlining where strictness analysis has found out that a value is needed.
//!
//! The driver inlines what is evaluated, and writes a call that may never be as it is: there a body
//! with branches would have to become a function again. An argument that the callee certainly
//! evaluates is such a call until the analysis has run. Here its body takes its place: of a small
//! function as a copy, of one that is called nowhere else as it is. Parameters that the function is
//! strict in are evaluated first, as for the call; others are bound.

use super::drive::is_small;
use super::places::InlinedPlaces;
use super::rewrite::{Plan, rewrite};
use super::usage::circles;
use super::{Pass, Report};
use crate::base::index::{Idx, IndexVec, List};
use crate::core::duplicate::Duplicate;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, Program};

/// The most expressions, and how many more for each parameter, of a function that calls none, of which there are
/// copies: more than of any other, since nothing else is written where it is.
const LEAF: usize = 28;
const LEAF_PER_PARAMETER: usize = 3;
/// The most expressions of which a body may have copies, and how many more for each of its own.
const COPIED: usize = 40;
const COPIED_PER_EXPRESSION: usize = 1;

/// Puts bodies in the place of calls in strict contexts. Takes time linear in the program.
pub(super) fn inline(program: Program, report: &mut Report) -> Program {
    let mut program = program;
    let facts = Facts::new(&program);
    let places = InlinedPlaces::new(&program, &program.places);
    let mut late = Late { program: &mut program, facts, places };
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
            rewrite(program, &plan).program
        }
    }
}

/// What is known of each definition.
struct Facts {
    size: IndexVec<GlobalId, usize>,
    /// Whether it calls nothing but primitives.
    leaf: IndexVec<GlobalId, bool>,
    /// Whether it can come to call itself by name.
    recursive: IndexVec<GlobalId, bool>,
    /// Whether it is mentioned in one place, and is neither `main` nor a root.
    once: IndexVec<GlobalId, bool>,
}

impl Facts {
    fn new(program: &Program) -> Facts {
        let mut size: IndexVec<GlobalId, usize> = program.globals.iter().map(|_| 0).collect();
        let mut leaf: IndexVec<GlobalId, bool> = program.globals.iter().map(|_| true).collect();
        let mut mentions = vec![0_usize; program.globals.len()];
        for (id, global) in program.globals.enumerate() {
            let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
            for expr in program.walk(body) {
                size[id] += 1;
                match program.exprs[expr] {
                    Expr::Global(of) => {
                        mentions[of.index()] += 1;
                        leaf[id] &= matches!(program.globals[of].kind, GlobalKind::Primitive(_));
                    }
                    Expr::App(callee, _) => {
                        leaf[id] &= !matches!(program.exprs[callee], Expr::Local(_));
                    }
                    _ => {}
                }
            }
        }
        let recursive = circles(program).iter().map(Option::is_some).collect();
        for kept in program.kept() {
            mentions[kept.index()] = usize::MAX;
        }
        let once = mentions.into_iter().map(|mentions| mentions == 1).collect();
        Facts { size, leaf, recursive, once }
    }

    /// Returns whether there are copies of a function of so many parameters.
    fn is_copied(&self, global: GlobalId, arity: usize) -> bool {
        let size = self.size[global];
        is_small(size, arity) || self.leaf[global] && size <= LEAF + LEAF_PER_PARAMETER * arity
    }
}

/// The transformation.
struct Late<'p> {
    program: &'p mut Program,
    facts: Facts,
    places: InlinedPlaces,
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
                } else if self.facts.is_copied(global, args.len()) && size <= left {
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
        let (params, mut out) = match is_copied {
            true => {
                let Late { program, places, facts, .. } = &mut *self;
                let mut copy = Duplicate::new(program, |program, span| {
                    places.of(&mut program.places, span, at)
                });
                let params = params.into_iter().map(|param| copy.bind(param)).collect();
                let body = copy.expr(body);
                copy.mentioned.into_iter().for_each(|global| facts.once[global] = false);
                (params, body)
            }
            false => {
                self.program.globals[global].kind =
                    GlobalKind::Defn { params: List::EMPTY, body: None };
                let exprs: Vec<ExprId> = self.program.walk(body).collect();
                for expr in exprs {
                    let Program { spans, places, .. } = &mut *self.program;
                    spans[expr] = self.places.of(places, spans[expr], at);
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
}

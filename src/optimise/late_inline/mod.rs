//! Inlining where strictness analysis has found out that a value is needed.
//!
//! The driver inlines what is evaluated, and writes a call that may never be as it is: there a body
//! with branches would have to become a function again. An argument that the callee certainly
//! evaluates is such a call until the analysis has run. Here its body takes its place: of a small
//! function as a copy, of one that is called nowhere else as it is. Parameters that the function is
//! strict in are evaluated first, as for the call; others are bound.
//!
//! A second sweep puts more into loops, where a call costs once for each turn: copies of what is not
//! small, if there would be few (`loops.rs`). It comes second, so that what is copied has its own calls
//! in it, and what is called from one place has moved there and is not copied.
//!
//! Of the functions of a loop one is enough that is not inlined: the others are, as if they were not
//! recursive (`loop_breakers`).

mod chosen;
mod facts;
mod known;
mod loops;

use super::places::InlinedPlaces;
use super::rewrite::{Plan, rewrite};
use super::{Pass, Report};
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, LocalId, Program, Switch};
use crate::core::traverse::Position;
use facts::Facts;
use known::Done;
use loops::Loops;

/// The most expressions of which a body may have copies, and how many more for each of its own, in a sweep.
const COPIED: usize = 40;
const COPIED_PER_EXPRESSION: usize = 1;

/// Puts bodies in the place of calls in strict contexts, and makes choices on what is known there if `known_case`
/// says so. Takes time linear in the program.
pub(super) fn inline(program: Program, known_case: bool, report: &mut Report) -> Program {
    let mut program = program;
    let facts = Facts::new(&program);
    let places = InlinedPlaces::new(&program, &program.places);
    let mut late = Late { program: &mut program, facts, places, inlined: 0, joins: 0 };
    for id in late.program.globals.indices() {
        late.body(id, None);
    }
    let loops = Loops::new(late.program);
    for id in late.program.globals.indices() {
        if loops.has(id) {
            late.body(id, Some(&loops));
        }
    }
    let bodies: Vec<ExprId> =
        late.program.globals.indices().filter_map(|id| late.definition(id)).collect();
    let Late { inlined, joins, .. } = late;
    report.count(Pass::Inline, "needed calls inlined", inlined);
    report.count(Pass::Inline, "functions made join points of loops", joins);
    if known_case {
        let Done { folded, decided } = known::simplify(&mut program, &bodies);
        report.count(Pass::KnownCase, "primitives folded", folded);
        report.count(Pass::KnownCase, "branches decided", decided);
    }
    match inlined + joins {
        0 => program,
        // What has been moved is no definition any more, and what has been copied may be mentioned nowhere.
        _ => {
            let plan = Plan::new(&program);
            rewrite(program, &plan).program
        }
    }
}

/// The transformation.
struct Late<'p> {
    program: &'p mut Program,
    facts: Facts,
    places: InlinedPlaces,
    /// How many calls are replaced, and how many join points made.
    inlined: u64,
    joins: u64,
}

impl Late<'_> {
    /// Inlines calls in a body, and in what has been inlined; in the second sweep as in a loop.
    fn body(&mut self, id: GlobalId, loops: Option<&Loops>) {
        let Some(body) = self.definition(id) else { return };
        let mut left = COPIED + COPIED_PER_EXPRESSION * self.facts.size[id];
        let going_on = loops.map(|loops| loops.going_on(self.program, id, body));
        if going_on.is_some() {
            self.join_ends(id, body, &mut left);
        }
        // With the join points around it.
        let Some(body) = self.definition(id) else { return };
        let mut work = vec![(body, going_on.is_some())];
        while let Some((expr, in_loop)) = work.pop() {
            if let Some((global, args)) = self.call(expr) {
                let size = self.facts.size[global];
                let is_copied = self.facts.is_copied(global, args.len())
                    || in_loop && self.facts.is_copied_in_loops(global);
                if self.facts.mentions[global] == 1 {
                    self.put_body(expr, global, args, false);
                    self.grow(id, size);
                } else if in_loop && self.facts.takes_one_loop(global) {
                    self.put_body(expr, global, args, true);
                    self.grow(id, size);
                } else if is_copied && size <= left {
                    left -= size;
                    self.put_body(expr, global, args, true);
                    self.grow(id, size);
                }
            }
            let program = &*self.program;
            let children = program.children(expr);
            let strict = children.filter(|child| program.is_strict(expr, child.position));
            work.extend(strict.map(|child| {
                let in_loop = match (child.position, &going_on) {
                    (Position::Branch(_) | Position::Default | Position::Handler(_), Some(on)) => {
                        on.contains(&child.expr)
                    }
                    _ => in_loop,
                };
                (child.expr, in_loop)
            }));
        }
    }

    /// Returns the body of a supercombinator.
    fn definition(&self, id: GlobalId) -> Option<ExprId> {
        match self.program.globals[id].kind {
            GlobalKind::Defn { body, .. } => body,
            _ => None,
        }
    }

    /// Notes that a body has another one of a size in it.
    fn grow(&mut self, id: GlobalId, size: usize) {
        self.facts.size[id] += size;
        self.inlined += 1;
    }

    /// Returns the callee and the arguments of a call whose body may take its place.
    fn call(&self, expr: ExprId) -> Option<(GlobalId, List<ExprId>)> {
        let program = &*self.program;
        let Expr::App(callee, args) = program.exprs[expr] else { return None };
        let Expr::Global(global) = program.exprs[callee] else { return None };
        let callee = &program.globals[global];
        let GlobalKind::Defn { params, body: Some(_) } = callee.kind else { return None };
        let is_inlined = params.len() == args.len()
            && !callee.signature.fails
            && !self.facts.is_loop_breaker[global];
        is_inlined.then_some((global, args))
    }

    /// Puts a body, or a copy of it, in the place of a call.
    fn put_body(&mut self, call: ExprId, global: GlobalId, args: List<ExprId>, is_copied: bool) {
        let GlobalKind::Defn { params, body: Some(body) } = self.program.globals[global].kind
        else {
            return;
        };
        let at = self.program.spans[call];
        let (params, mut out) = match is_copied {
            true => self.copy(params, body, at),
            false => {
                self.program.globals[global].kind =
                    GlobalKind::Defn { params: List::EMPTY, body: None };
                let exprs: Vec<ExprId> = self.program.walk(body).collect();
                for expr in exprs {
                    let Program { spans, places, .. } = &mut *self.program;
                    spans[expr] = self.places.of(places, spans[expr], at);
                }
                (self.program.local_lists[params].to_vec(), body)
            }
        };
        let args = self.program.expr_lists[args].to_vec();
        let mut forced: Vec<bool> =
            (0..args.len()).map(|number| self.is_evaluated(global, number, args[number])).collect();
        // The first one is evaluated last, where the body begins.
        if let Some(first) = forced.iter().position(|&is_forced| is_forced)
            && self.is_taken_apart(params[first], args[first], out)
        {
            forced[first] = false;
        }
        // The last argument is evaluated first, as everywhere; what is bound is bound after that.
        for is_strict in [false, true] {
            for (number, (&param, &arg)) in params.iter().zip(&args).enumerate() {
                if is_strict != forced[number] {
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

    /// Returns whether a call evaluates an argument.
    fn is_evaluated(&self, global: GlobalId, number: usize, arg: ExprId) -> bool {
        self.program.globals[global].signature.is_strict(number)
            && !self.program.is_value(arg, |_| false)
    }

    /// Returns whether an argument is a variable that a body evaluates at once, to take it apart: so it is
    /// known where the variable is.
    fn is_taken_apart(&self, param: LocalId, arg: ExprId, body: ExprId) -> bool {
        let Expr::Switch(switch) = self.program.exprs[body] else { return false };
        let Switch { scrutinee, evaluated, .. } = self.program.switches[switch];
        let is_variable = matches!(self.program.exprs[arg], Expr::Local(_));
        is_variable && scrutinee == param && !evaluated
    }

    /// Returns copies of the parameters and the body of a function for a call that stands `at` a place.
    fn copy(&mut self, params: List<LocalId>, body: ExprId, at: Span) -> (Vec<LocalId>, ExprId) {
        let (params, body, mentioned) = self.places.copy(self.program, params, body, at);
        for global in mentioned {
            let mentions = &mut self.facts.mentions[global];
            *mentions = mentions.saturating_add(1);
        }
        (params, body)
    }
}

//! What is inlined in loops.
//!
//! A function that a loop calls in each turn costs a call for each. If few loops call it, and it is
//! not large, each has a copy: partial evaluation makes variants of a loop, and what was called from one
//! place, and inlined there, is called from each of them. A loop that calls it at several of its ends has
//! one copy, a join point (Maurer, Downen, Ariola and Peyton Jones, "Compiling without continuations",
//! PLDI 2017).
//!
//! A branch in which the loop does not go on runs once, and is left alone.

use rustc_hash::FxHashSet;

use super::Late;
use crate::base::index::IndexVec;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, Join, Program};
use crate::optimise::usage::circles;

/// The functions that can come to call themselves by name.
pub struct Loops {
    circles: IndexVec<GlobalId, Option<u32>>,
}

impl Loops {
    /// Finds them.
    pub fn new(program: &Program) -> Loops {
        Loops { circles: circles(program) }
    }

    /// Returns whether a function is one.
    pub fn has(&self, global: GlobalId) -> bool {
        self.circles[global].is_some()
    }

    /// Returns the expressions of a body in which its loop goes on.
    pub fn going_on(&self, program: &Program, id: GlobalId, body: ExprId) -> FxHashSet<ExprId> {
        // Each after the one that it is part of, a handler after what jumps to it.
        let mut exprs = Vec::new();
        let mut work = vec![(body, body)];
        while let Some((expr, whole)) = work.pop() {
            exprs.push((expr, whole));
            let parts = work.len();
            work.extend(program.children(expr).exprs().map(|part| (part, expr)));
            work[parts..].reverse();
        }
        let mut going_on = FxHashSet::default();
        for &(expr, whole) in exprs.iter().rev() {
            let goes_on = match program.exprs[expr] {
                Expr::Global(global) => self.circles[global] == self.circles[id],
                Expr::Jump(join, _) => going_on.contains(&program.joins[join].handler),
                _ => going_on.contains(&expr),
            };
            if goes_on {
                going_on.insert(expr);
                going_on.insert(whole);
            }
        }
        going_on
    }
}

impl Late<'_> {
    /// Makes join points of the functions that several ends of a loop's body call.
    pub(super) fn join_ends(&mut self, id: GlobalId, body: ExprId, left: &mut usize) {
        let is_joined = |global: GlobalId| {
            self.facts.is_copied_in_loops(global)
                && !self.facts.is_copied(global, self.program.arity(global))
        };
        let mut calls: Vec<(GlobalId, ExprId)> = self
            .program
            .ends(body)
            .into_iter()
            .filter_map(|end| Some((self.call(end)?.0, end)))
            .filter(|&(global, _)| is_joined(global))
            .collect();
        calls.sort_unstable();
        for calls in calls.chunk_by(|(one, _), (other, _)| one == other) {
            let (global, _) = calls[0];
            let size = self.facts.size[global];
            if calls.len() > 1 && size <= *left {
                *left -= size;
                self.facts.size[id] += size;
                self.joins += 1;
                self.join(id, global, calls.iter().map(|&(_, end)| end));
            }
        }
    }

    /// Puts a copy of a function around a body, and jumps in the place of calls of it at ends of that.
    fn join(&mut self, id: GlobalId, global: GlobalId, ends: impl Iterator<Item = ExprId>) {
        let GlobalKind::Defn { params, body: Some(handler) } = self.program.globals[global].kind
        else {
            return;
        };
        let GlobalKind::Defn { params: own, body: Some(body) } = self.program.globals[id].kind
        else {
            return;
        };
        let (params, handler) = self.copy(params, handler, self.program.spans[body]);
        let list = self.program.local_lists.add(params.iter().copied());
        let join = self.program.joins.push(Join { params: list, handler });
        for end in ends {
            let Expr::App(_, args) = self.program.exprs[end] else { continue };
            let at = self.program.spans[end];
            let mut args = self.program.expr_lists[args].to_vec();
            let mut evaluated = Vec::new();
            for (number, (arg, &param)) in args.iter_mut().zip(&params).enumerate() {
                if self.is_evaluated(global, number, *arg) {
                    let local = self.program.locals.push(self.program.locals[param]);
                    let value = std::mem::replace(arg, self.program.expr(Expr::Local(local), at));
                    evaluated.push((local, value));
                }
            }
            // The last argument is evaluated first, as everywhere.
            let mut out = Expr::Jump(join, self.program.expr_lists.add(args));
            for (local, value) in evaluated {
                out = Expr::Force(local, value, self.program.expr(out, at));
            }
            self.program.exprs[end] = out;
        }
        let body = self.program.expr(Expr::Join(join, body), self.program.spans[body]);
        self.program.globals[id].kind = GlobalKind::Defn { params: own, body: Some(body) };
    }
}

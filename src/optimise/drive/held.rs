//! Calls of whose value a field is applied.
//!
//! A monad in a newtype is `(defn tick[] (State (fn [s] ..)))`, and what runs it takes the function out and
//! applies it: `(case (count n) [(State f) (f s)])`. To know the function at compile time `count` would have
//! to be unfolded for ever. So the selection goes into the variant of the call, and what the field is applied
//! to after it: each way through the body ends in taking the constructor apart that it makes, and nothing is
//! built that is only taken apart. It is what [`super::over_applied`] does for functions that nothing holds.
//!
//! A selection stands among the arguments of the call, after those that the callee takes
//! ([`AbstractValue::Select`]): it is known, and no parameter.
//!
//! Invariant: the call is evaluated where it was, and nothing else refers to its value; the alternative
//! evaluates the field first of all, so that between the two there is nothing that could be done before.

use rustc_hash::FxHashMap;

use super::Driver;
use super::eval::State;
use super::facts::Facts;
use super::frame::{Action, Frame, Frames, push};
use super::heap::{AbstractValue, EnvId, NodeId};
use super::over_applied::application;
use super::{Attempt, Outcome};
use crate::base::index::IndexVec;
use crate::base::span::Span;
use crate::core::expr::{
    Branches, ConId, Expr, ExprId, GlobalId, GlobalKind, LocalId, Program, SwitchId,
};
use crate::optimise::selection::is_only;

/// The most functions that are told apart of those that the constructors hold that a definition comes to.
const HELD: usize = 6;
/// The most parts of arguments that are looked through for calls that functions hold.
const HOLDERS: usize = 32;

/// A function in a field of a constructor that a definition comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Held {
    con: ConId,
    at: usize,
    /// The function, which lacks some of its arguments.
    pub of: GlobalId,
    /// How many it lacks.
    pub lacks: usize,
}

/// What is known of fields that are applied.
#[derive(Default)]
pub(super) struct Fields {
    /// The functions that are held by what a definition comes to.
    held: IndexVec<GlobalId, Vec<Held>>,
    /// The switches with one alternative that begins with applying a field, or returns it, and mentions none
    /// other.
    first: FxHashMap<SwitchId, First>,
}

/// A field that is evaluated first in the alternative of a switch.
#[derive(Clone, Copy)]
struct First {
    at: usize,
    /// What the switch is written as.
    switch: ExprId,
    /// What applies the field.
    applied: ExprId,
}

/// Finds them in a program, whose constructors are those of `new`.
pub(super) fn fields(program: &Program, new: &Program, facts: &Facts) -> Fields {
    let first = program.exprs.enumerate().filter_map(|(expr, &of)| {
        let Expr::Switch(switch) = of else { return None };
        Some((switch, first_field(program, new, facts, (switch, expr))?))
    });
    Fields { held: held(program, new), first: first.collect() }
}

/// Returns the field that a switch applies first.
fn first_field(
    program: &Program,
    new: &Program,
    facts: &Facts,
    (switch, expr): (SwitchId, ExprId),
) -> Option<First> {
    let case = &program.switches[switch];
    let Branches::Cons(branches) = &case.branches else { return None };
    let [branch] = branches.as_slice() else { return None };
    let mut used = (0..).zip(&branch.fields).filter_map(|(at, &field)| {
        let uses = facts.uses[field?];
        (uses > 0).then_some((at, field?, uses))
    });
    let Some((at, local, 1)) = used.next() else { return None };
    if used.next().is_some() || case.default.is_some() || !is_only(new, branch.con) {
        return None;
    }
    let (first, applied) = first_local(program, branch.body)?;
    (first == local).then_some(First { at, switch: expr, applied })
}

/// Returns the local that evaluating an expression begins with, if it is applied there or all that there is
/// to it, and what it is the first part of.
fn first_local(program: &Program, expr: ExprId) -> Option<(LocalId, ExprId)> {
    let mut expr = expr;
    let mut applied = Some(expr);
    loop {
        (expr, applied) = match program.exprs[expr] {
            Expr::Local(local) => return Some((local, applied?)),
            Expr::App(callee, _) => (callee, Some(expr)),
            Expr::Force(_, value, _) => (value, None),
            Expr::Let(_, _, body) => (body, applied.map(|_| body)),
            _ => return None,
        }
    }
}

/// Finds the functions that are held by what definitions come to: by a constructor that one ends in, or one
/// that a call which it ends in comes to.
fn held(program: &Program, new: &Program) -> IndexVec<GlobalId, Vec<Held>> {
    let mut held: IndexVec<GlobalId, Vec<Held>> =
        program.globals.iter().map(|_| Vec::new()).collect();
    let mut enders: IndexVec<GlobalId, Vec<GlobalId>> =
        program.globals.iter().map(|_| Vec::new()).collect();
    for (id, global) in program.globals.enumerate() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        for end in program.ends(body) {
            let (callee, args) = match program.exprs[end] {
                Expr::App(callee, args) => (callee, &program.expr_lists[args]),
                _ => (end, [].as_slice()),
            };
            match program.exprs[callee] {
                Expr::Global(callee) if program.arity(callee) == args.len() => {
                    enders[callee].push(id);
                }
                Expr::Con(con) if is_only(new, con) => {
                    let args = args.iter().enumerate();
                    held[id].extend(args.filter_map(|(at, &arg)| function(program, con, at, arg)));
                }
                _ => {}
            }
        }
        held[id].truncate(HELD);
    }
    let mut work: Vec<GlobalId> = program.globals.indices().collect();
    while let Some(id) = work.pop() {
        for &ender in &enders[id] {
            let before = held[ender].len();
            for one in held[id].clone() {
                if held[ender].len() < HELD && !held[ender].contains(&one) {
                    held[ender].push(one);
                }
            }
            if held[ender].len() > before {
                work.push(ender);
            }
        }
    }
    held
}

/// Returns the function that an expression is, if it is one that lacks arguments.
fn function(program: &Program, con: ConId, at: usize, expr: ExprId) -> Option<Held> {
    let (callee, given) = match program.exprs[expr] {
        Expr::App(callee, args) => (callee, args.len()),
        _ => (expr, 0),
    };
    let Expr::Global(of) = program.exprs[callee] else { return None };
    let lacks = program.arity(of).checked_sub(given).filter(|&lacks| lacks > 0)?;
    Some(Held { con, at, of, lacks })
}

impl Driver<'_> {
    /// Returns the frames of a switch that begins with applying a field, the selection by itself: what the field
    /// is applied to comes after it. `None` if it is another one.
    pub(super) fn selection_frames(
        &mut self,
        switch: SwitchId,
        env: EnvId,
        frames: &Frames,
        span: Span,
    ) -> Option<Frames> {
        if !self.knows() || !self.fields.first.contains_key(&switch) {
            return None;
        }
        let Branches::Cons(branches) = &self.old.switches[switch].branches else { return None };
        let frames = self.unwound(branches[0].body, env, frames);
        application(&frames)?;
        Some(push(Action::Select(switch, span), &frames))
    }

    /// Returns the frames of a body that begins with evaluating the local to which a value is bound, and does
    /// not mention it again: what is done with the value. `None` if it is another one.
    pub(super) fn frames_of_use(
        &mut self,
        local: LocalId,
        body: ExprId,
        env: EnvId,
        frames: &Frames,
    ) -> Option<Frames> {
        let is_first = self.knows()
            && self.facts.uses[local] == 1
            && first_local(self.old, body).is_some_and(|(first, _)| first == local);
        is_first.then(|| self.unwound(body, env, frames))
    }

    /// Adds what is done around the expression that evaluating another one begins with.
    fn unwound(&mut self, expr: ExprId, env: EnvId, frames: &Frames) -> Frames {
        let (mut expr, mut frames) = (expr, frames.clone());
        loop {
            let span = self.span(expr, env);
            expr = match self.old.exprs[expr] {
                Expr::App(callee, args) => {
                    let (nodes, _) = self.arguments(&self.old.expr_lists[args], env);
                    let nodes = self.heap.list(nodes);
                    frames = push(Action::Apply(nodes, span), &frames);
                    callee
                }
                Expr::Force(local, value, body) => {
                    frames = push(Action::Force(local, body, env), &frames);
                    value
                }
                Expr::Let(local, value, body) => {
                    let node = self.bound(local, value, env);
                    self.bind(local, env, node);
                    body
                }
                _ => return frames,
            };
        }
    }

    /// Takes the field out of a value.
    pub(super) fn select_field(
        &mut self,
        switch: SwitchId,
        outcome: Outcome,
        next: &Frames,
        span: Span,
    ) -> Attempt<State> {
        let node = self.bound_value(None, outcome, span)?;
        let node = self.heap.resolve(node);
        let (at, con) = self.field_of_switch(switch);
        let known = self.heap.get(node);
        match known.value {
            AbstractValue::Con(of, fields) if of == con => {
                let field = self.heap.items(fields)[at];
                if known.shared || known.name.is_some() {
                    self.heap.share(field);
                }
                self.tally.decided += 1;
                Ok(self.demand(field, next.clone()))
            }
            _ => self.dynamic_selection(switch, at, node, next, span),
        }
    }

    /// Returns which field a switch takes out, and of which constructor.
    fn field_of_switch(&self, switch: SwitchId) -> (usize, ConId) {
        let Branches::Cons(branches) = &self.old.switches[switch].branches else {
            unreachable!("a switch that takes a field out is one on constructors")
        };
        (self.fields.first[&switch].at, branches[0].con)
    }

    /// Returns where a switch that takes a field out is written, and where the field is applied.
    pub(super) fn places_of_selection(&self, switch: SwitchId) -> [Span; 2] {
        let First { switch, applied, .. } = self.fields.first[&switch];
        [switch, applied].map(|expr| self.old.spans[expr])
    }

    /// Returns the functions in fields of what a call comes to.
    pub(super) fn held_of(&self, global: GlobalId, args: &[NodeId]) -> Vec<Held> {
        if self.outlined.contains(&global) {
            return Vec::new();
        }
        let mut of = self.ended_by(global, args);
        of.push(global);
        of.into_iter().flat_map(|of| self.held_in(of)).copied().collect()
    }

    /// Returns the functions in fields of what a definition comes to.
    pub(super) fn held_in(&self, global: GlobalId) -> &[Held] {
        &self.fields.held[global]
    }

    /// Returns whether a switch begins with applying a function that what a call comes to holds.
    pub(super) fn is_held(&self, switch: SwitchId, global: GlobalId, args: &[NodeId]) -> bool {
        self.fields.first.contains_key(&switch)
            && !self.taken_by(switch, &self.held_of(global, args)).is_empty()
    }

    /// Returns those of some functions that are in the field which a switch takes out.
    fn taken_by(&self, switch: SwitchId, held: &[Held]) -> Vec<Held> {
        let (at, con) = self.field_of_switch(switch);
        held.iter().filter(|held| (held.con, held.at) == (con, at)).copied().collect()
    }

    /// Returns the selection that frames begin with, which of some functions it takes out of a constructor,
    /// and the other frames, if these apply what is taken out, and the functions take all of the arguments.
    pub(super) fn held_selection(
        &self,
        held: &[Held],
        frames: &Frames,
    ) -> Option<(SwitchId, Vec<Held>, Frames)> {
        let Frame { action: Action::Select(switch, _), next, .. } = frames.as_deref()? else {
            return None;
        };
        let taken = self.taken_by(*switch, held);
        let (list, _) = application(next)?;
        let most = taken.iter().map(|held| held.lacks).max()?;
        (list.len() <= most).then(|| (*switch, taken, next.clone()))
    }

    /// Returns whether all that a function does is to take a field out, and it is applied there or after the
    /// call: what runs a monad.
    pub(super) fn is_selection(&self, global: GlobalId, frames: &Frames) -> bool {
        let is_applied = |is_all: bool| application(frames).is_some() || !is_all;
        self.selecting(global).is_some_and(|(_, is_all)| is_applied(is_all))
    }

    /// Returns the switch that is all of a function, if it takes a field out to evaluate it first, and whether it
    /// does nothing else.
    fn selecting(&self, global: GlobalId) -> Option<(SwitchId, bool)> {
        let GlobalKind::Defn { body: Some(body), .. } = self.old.globals[global].kind else {
            return None;
        };
        let Expr::Switch(switch) = self.old.exprs[body] else { return None };
        let Branches::Cons(branches) = &self.old.switches[switch].branches else { return None };
        let is_all = || matches!(self.old.exprs[branches[0].body], Expr::Local(_));
        self.fields.first.contains_key(&switch).then(|| (switch, is_all()))
    }

    /// Returns code for a selection that is not demanded, of a function in what a call comes to, applied to
    /// arguments: a call of a variant that takes both.
    pub(super) fn lazy_selection(
        &mut self,
        selector: GlobalId,
        args: &[NodeId],
        span: Span,
    ) -> Option<ExprId> {
        let (&holder, more) = args.split_first()?;
        if !self.rules.specialise || !self.knows() || self.old.arity(selector) != 1 {
            return None;
        }
        let (switch, true) = self.selecting(selector)? else { return None };
        let (of, mut all) = self.sole_call(holder)?;
        let taken = self.taken_by(switch, &self.held_of(of, &all));
        let most = taken.iter().map(|held| held.lacks).max()?;
        if !self.facts.recursive[of] || most < more.len() {
            return None;
        }
        all.push(self.heap.add(AbstractValue::Select(switch)));
        all.extend(more);
        let key = self.call_key(of, &all, false);
        self.variant_call(of, &all, 0, key, span)
    }

    /// Returns whether functions among the arguments of a call hold calls, which nothing else refers to, that come
    /// to functions or to what holds some: a variant would have what they are as parameters, and what applies
    /// them would know nothing of it.
    pub(super) fn hold_calls_to_functions(&self, args: &[NodeId]) -> bool {
        let comes_to_function = |node: NodeId| {
            let known = self.heap.get(node);
            let of = match known.value {
                _ if known.shared || known.name.is_some() => return false,
                AbstractValue::Call(of, _) => of,
                AbstractValue::Thunk(expr, _) => {
                    let Expr::App(callee, _) = self.old.exprs[expr] else { return false };
                    let Expr::Global(of) = self.old.exprs[callee] else { return false };
                    of
                }
                _ => return false,
            };
            self.facts.recursive[of]
                && (self.results.takes[of] > 0 || !self.fields.held[of].is_empty())
        };
        let mut work: Vec<NodeId> = args.to_vec();
        let mut left = HOLDERS;
        while let Some(node) = work.pop() {
            let known = self.heap.get(node);
            let (AbstractValue::Partial(_, parts) | AbstractValue::Con(_, parts)) = known.value
            else {
                continue;
            };
            let parts = self.heap.items(parts);
            if matches!(known.value, AbstractValue::Partial(..))
                && parts.iter().any(|&part| comes_to_function(part))
            {
                return true;
            }
            if left < parts.len() {
                return false;
            }
            left -= parts.len();
            work.extend(parts);
        }
        false
    }

    /// Returns whether a selection is among the arguments of a call beyond the callee's parameters.
    pub(super) fn has_selection(&self, args: &[NodeId]) -> bool {
        args.iter().any(|&arg| matches!(self.heap.get(arg).value, AbstractValue::Select(_)))
    }
}

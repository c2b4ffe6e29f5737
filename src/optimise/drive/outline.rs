//! Outlining: a `case` of what a loop comes to is a function of its own while the driver runs, so that
//! the loop can be specialised with it.
//!
//! Of `(case (go 1 0 0) [(Pair a b) (sub a b)])` the function is `(defn k[p] (case p ..))`, and the call
//! `(k (go 1 0 0))` is fused like any other of a consumer and a producer (`fuse.rs`): what was done
//! with the pair is done where the loop ends, and no pair is made. A call that is not fused is unfolded
//! at once, as if the function had never been.
//!
//! Invariants:
//! - The function's parameters are the free variables of the `case` and, as the last one, what it takes
//!   apart. Its body is the `case`, moved there: no expression has two parents.
//! - It jumps nowhere: of a join around the `case`, as one that the first turns of the loop jump to as well, it
//!   has a copy in place of the jump, if that is small and jumps nowhere either. Else the `case` stays where it is.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::eval::State;
use super::facts::Facts;
use super::frame::Frames;
use super::fuse::is_for_call;
use super::fusible::{Fusible, called, only_loops};
use super::heap::{AbstractValue, NodeId};
use super::pattern::Pattern;
use super::{Attempt, Driver};
use crate::base::span::Span;
use crate::core::duplicate::Duplicate;
use crate::core::expr::{
    Branches, ConId, Expr, ExprId, Global, GlobalId, GlobalKind, JoinId, LocalId, Program, Switch,
    SwitchId,
};
use crate::core::signature::Signature;
use crate::optimise::selection::is_only;
use crate::optimise::symbols::Symbols;

/// The most places in which a loop is called of which there is a copy in each.
const COPIES: u32 = 3;
/// The most parameters of such a function, and the most expressions.
const PARAMETERS: usize = 12;
const SIZE: usize = 500;
/// The most jumps of a `case` to joins around it, and the most expressions of a handler that is copied for one.
const JUMPS: usize = 4;
const LANDED: usize = 60;

/// Makes the functions; returns them. `types` has the constructors and data types.
pub(super) fn outline(
    program: &mut Program,
    types: &Program,
    facts: &Facts,
    fusible: &Fusible,
) -> FxHashSet<GlobalId> {
    let mut found = Vec::new();
    for (id, global) in program.globals.enumerate() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        for expr in program.walk(body) {
            if let Expr::Force(local, value, body) = program.exprs[expr]
                && let Expr::Switch(switch) = program.exprs[body]
                && program.switches[switch].scrutinee == local
                && facts.uses[local] == 1
                && (!facts.recursive[id] || is_of_loop(program, facts, value))
                && is_worth_it(program, types, (facts, fusible), value, switch)
            {
                found.push((id, expr));
            }
        }
    }
    let mut outlined = FxHashSet::default();
    if found.is_empty() {
        return outlined;
    }
    // Of what is in a field of what another one makes there would be the calls of both.
    let fields: FxHashSet<LocalId> = program.switches.iter().flat_map(Switch::fields).collect();
    let mut symbols = Symbols::new(program);
    // The outermost first: what is in it is part of another function then.
    for (of, expr) in found {
        let Expr::Force(local, value, body) = program.exprs[expr] else { continue };
        let is_field = |expr| program.used_local(expr).is_some_and(|used| fields.contains(&used));
        let Some(Held { locals: held, jumps }) = held(program, body, local) else { continue };
        if program.walk(value).any(is_field) && !is_of_loop(program, facts, value) {
            continue;
        }
        for jump in jumps {
            land(program, jump);
        }
        let name = symbols.fresh(&program.globals[of].symbol, 'k');
        let function = moved(program, of, name, (local, body), &held);
        let span = program.spans[expr];
        let callee = program.expr(Expr::Global(function), span);
        let mut args: Vec<ExprId> =
            held.iter().map(|&held| program.expr(Expr::Local(held), span)).collect();
        args.push(value);
        let args = program.expr_lists.add(args);
        program.exprs[expr] = Expr::App(callee, args);
        outlined.insert(function);
    }
    outlined
}

/// What a `case` needs of what is around it.
#[derive(Default)]
struct Held {
    /// Its free variables, but for what it takes apart.
    locals: Vec<LocalId>,
    /// Its jumps to joins that are not in it.
    jumps: Vec<ExprId>,
}

/// Returns what a `case` needs; `None` if that is much, the `case` is large, or what it jumps to is, or that
/// jumps on.
fn held(program: &Program, body: ExprId, scrutinee: LocalId) -> Option<Held> {
    let mut held = Held::default();
    let mut bound: FxHashSet<LocalId> = FxHashSet::default();
    bound.insert(scrutinee);
    let mut joins: FxHashSet<JoinId> = FxHashSet::default();
    look_into(program, body, SIZE, (&mut bound, &mut joins), &mut held)?;
    if held.jumps.len() > JUMPS {
        return None;
    }
    for jump in held.jumps.clone() {
        let Expr::Jump(join, _) = program.exprs[jump] else { return None };
        bound.extend(&program.local_lists[program.joins[join].params]);
        let handler = program.joins[join].handler;
        let jumps = held.jumps.len();
        look_into(program, handler, LANDED, (&mut bound, &mut joins), &mut held)?;
        if held.jumps.len() > jumps {
            return None;
        }
    }
    held.locals.sort_unstable();
    held.locals.dedup();
    held.locals.retain(|local| !bound.contains(local));
    (held.locals.len() < PARAMETERS).then_some(held)
}

/// Adds what an expression uses, what it binds and the jumps that lead out of it; `None` if it is large.
fn look_into(
    program: &Program,
    root: ExprId,
    most: usize,
    (bound, joins): (&mut FxHashSet<LocalId>, &mut FxHashSet<JoinId>),
    held: &mut Held,
) -> Option<()> {
    for (count, expr) in program.walk(root).enumerate() {
        if count > most {
            return None;
        }
        held.locals.extend(program.used_local(expr));
        for child in program.children(expr) {
            bound.extend(program.scope(expr, child.position));
        }
        match program.exprs[expr] {
            Expr::Join(join, _) => drop(joins.insert(join)),
            Expr::Jump(join, _) if !joins.contains(&join) => held.jumps.push(expr),
            _ => {}
        }
    }
    Some(())
}

/// Puts a copy of the handler in the place of a jump.
fn land(program: &mut Program, jump: ExprId) {
    let Expr::Jump(join, args) = program.exprs[jump] else { return };
    let args = program.expr_lists[args].to_vec();
    let params = program.local_lists[program.joins[join].params].to_vec();
    let handler = program.joins[join].handler;
    let mut copy = Duplicate::new(program, |_, span| span);
    let mut bound = Vec::new();
    for (&param, &arg) in params.iter().zip(&args) {
        match copy.program.exprs[arg] {
            Expr::Local(local) => copy.rename(param, local),
            _ => bound.push((copy.bind(param), arg)),
        }
    }
    let mut landed = copy.expr(handler);
    for (param, arg) in bound {
        landed = program.expr(Expr::Let(param, arg, landed), program.spans[jump]);
    }
    program.exprs[jump] = program.exprs[landed];
}

/// Returns whether a `case` is of a call that it may be fused with: of a loop that ends in a constructor
/// which is the only one of its type, or of what makes a structure of which the `case` passes a part to
/// what goes on along it.
fn is_worth_it(
    program: &Program,
    types: &Program,
    (facts, fusible): (&Facts, &Fusible),
    value: ExprId,
    switch: SwitchId,
) -> bool {
    let Some(of) = called(program, value) else { return false };
    let GlobalKind::Defn { body: Some(body), .. } = program.globals[of].kind else { return false };
    if !facts.recursive[of] || !fusible.produces[of] {
        return false;
    }
    let Branches::Cons(branches) = &program.switches[switch].branches else { return false };
    let is_only = |con: ConId| is_only(types, con);
    match only_loops(program, facts, of, body) {
        true => {
            facts.in_circle[of] == 1
                && is_seldom_called(facts, program, of, body)
                && branches.iter().all(|branch| is_only(branch.con))
        }
        false => fusible.one_by_one[of] && fusible.goes_along(facts, branches),
    }
}

/// Returns whether an expression calls a function that does nothing but go on and end.
fn is_of_loop(program: &Program, facts: &Facts, expr: ExprId) -> bool {
    let Some(of) = called(program, expr) else { return false };
    let GlobalKind::Defn { body: Some(body), .. } = program.globals[of].kind else { return false };
    only_loops(program, facts, of, body)
}

/// Returns whether a function is called in few other places: in each of them there is a copy of it.
fn is_seldom_called(facts: &Facts, program: &Program, of: GlobalId, body: ExprId) -> bool {
    let own = program.walk(body).filter(|&expr| program.exprs[expr] == Expr::Global(of)).count();
    facts.mentions[of].0 <= own as u32 + COPIES
}

/// Makes a function of an expression: its parameters are new locals for those that it holds, and the
/// one that is bound for it.
fn moved(
    program: &mut Program,
    of: GlobalId,
    symbol: Arc<str>,
    (local, body): (LocalId, ExprId),
    held: &[LocalId],
) -> GlobalId {
    let mut params: Vec<LocalId> = held
        .iter()
        .map(|&held| program.local(program.locals[held].name, program.locals[held].span))
        .collect();
    let renamed: FxHashMap<LocalId, LocalId> =
        held.iter().copied().zip(params.iter().copied()).collect();
    let all: Vec<ExprId> = program.walk(body).collect();
    for expr in all {
        match program.exprs[expr] {
            Expr::Local(local) => {
                let new = renamed.get(&local).copied().unwrap_or(local);
                program.exprs[expr] = Expr::Local(new);
            }
            Expr::Switch(switch) => {
                let scrutinee = &mut program.switches[switch].scrutinee;
                *scrutinee = renamed.get(scrutinee).copied().unwrap_or(*scrutinee);
            }
            _ => {}
        }
    }
    params.push(local);
    let params = program.local_lists.add(params);
    let Global { display, span, .. } = program.globals[of].clone();
    let kind = GlobalKind::Defn { params, body: Some(body) };
    program.globals.push(Global { symbol, display, kind, span, signature: Signature::default() })
}

impl Driver<'_> {
    /// Drives the call of a function that was made of a `case`: with the call that the `case` takes
    /// apart if that is what is known, and otherwise in place.
    pub(super) fn outlined_call(
        &mut self,
        global: GlobalId,
        args: Vec<NodeId>,
        key: Option<Vec<Pattern>>,
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        let mut args = args;
        if let Some(key) = key.filter(|key| is_for_call(key, args.len() - 1)) {
            match self.attempt_argument(&args, span)? {
                Some(value) => {
                    args.pop();
                    args.push(value);
                }
                None => return self.fused_call(global, &args, Some(key), frames, span),
            }
        }
        // The `case` stood there: that is no step.
        let (fuel, unfolded) = (self.fuel, self.unfolded);
        let state = self.unfold(global, &args, frames, span);
        (self.fuel, self.unfolded) = (fuel, unfolded);
        Ok(state)
    }

    /// Unfolds the call that is the last argument of a consumer to its end, if something of it is known
    /// and that takes no branching.
    fn attempt_argument(&mut self, args: &[NodeId], span: Span) -> Attempt<Option<NodeId>> {
        let Some(&last) = args.last() else { return Ok(None) };
        let AbstractValue::Call(of, args) = self.heap.get(last).value else { return Ok(None) };
        let args = self.heap.items(args).to_vec();
        let Some(key) = self.call_key(of, &args, true) else { return Ok(None) };
        let is_static = |pattern| !matches!(pattern, &Pattern::Hole | &Pattern::Call(..));
        if !self.facts.recursive[of]
            || !key.iter().any(is_static)
            || !self.is_worth_attempting(of, &key)
            || self.is_made_or_branches(of, &key, &args)
        {
            return Ok(None);
        }
        match self.attempt(of, &args, &key, span)? {
            Some(outcome) => self.bound_value(None, outcome, span).map(Some),
            None => Ok(None),
        }
    }
}

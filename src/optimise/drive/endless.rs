//! Lists without an end: what is known of one is never all of it, so nobody goes along it to find out.

use rustc_hash::FxHashMap;

use super::Driver;
use super::facts::Facts;
use super::fusible::called;
use super::heap::{AbstractValue, EnvId, NodeId};
use crate::base::index::{IndexVec, List};
use crate::core::expr::{Branches, Expr, ExprId, GlobalId, GlobalKind, Program};
use crate::primitive::Shape;

/// Through how many calls and elements it is found out that a list has no end.
const NEST: usize = 24;

/// Which functions make lists that have no end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Endless {
    /// The list ends somewhere, perhaps.
    No,
    /// It does not, as what `iterate` makes.
    Always,
    /// It does not if the argument at this place does not, as what `map` makes.
    With(usize),
}

/// Finds out which functions make lists that have no end: each way through one comes to an element and
/// goes on with such a function, or is a call of one.
pub(super) fn endless(program: &Program, facts: &Facts) -> IndexVec<GlobalId, Endless> {
    let mut callers: FxHashMap<GlobalId, Vec<GlobalId>> = FxHashMap::default();
    let mut endless: IndexVec<GlobalId, Endless> =
        program.globals.iter().map(|_| Endless::No).collect();
    let mut ending = Vec::new();
    for (id, global) in program.globals.enumerate() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        if !facts.recursive[id] {
            continue;
        }
        endless[id] = with(program, id, body).map_or(Endless::No, Endless::With);
        let calls = next_calls(program, &program.ends(body)).unwrap_or_default();
        let next: Option<Vec<GlobalId>> = calls.iter().map(|&call| called(program, call)).collect();
        if let Some(next) = next.filter(|next| !next.is_empty()) {
            endless[id] = Endless::Always;
            next.into_iter().for_each(|of| callers.entry(of).or_default().push(id));
        }
    }
    // What goes on with a function that ends does too.
    ending.extend(callers.keys().copied().filter(|&of| endless[of] != Endless::Always));
    while let Some(id) = ending.pop() {
        for caller in callers.remove(&id).unwrap_or_default() {
            if std::mem::replace(&mut endless[caller], Endless::No) == Endless::Always {
                ending.push(caller);
            }
        }
    }
    endless
}

/// Returns the calls that what ends so goes on with, one for each end that is a value; `None` if one of
/// them goes on with nothing.
fn next_calls(program: &Program, ends: &[ExprId]) -> Option<Vec<ExprId>> {
    let mut calls = Vec::new();
    for &end in ends {
        let Expr::App(callee, args) = program.exprs[end] else {
            match program.exprs[end] {
                Expr::NoMatch | Expr::Jump(..) => continue,
                _ => return None,
            }
        };
        match program.exprs[callee] {
            Expr::Con(_) => calls.push(*program.expr_lists[args].last()?),
            Expr::Global(of) => match program.globals[of].kind {
                GlobalKind::Primitive(primitive) if primitive.shape() == Shape::Error => {}
                _ => calls.push(end),
            },
            _ => return None,
        }
    }
    (!calls.is_empty()).then_some(calls)
}

/// Returns the place of the parameter that a function begins by taking apart and goes along, if it ends
/// nowhere but where that does.
fn with(program: &Program, id: GlobalId, body: ExprId) -> Option<usize> {
    let GlobalKind::Defn { params, .. } = program.globals[id].kind else { return None };
    let Expr::Switch(switch) = program.exprs[body] else { return None };
    let switch = &program.switches[switch];
    let Branches::Cons(branches) = &switch.branches else { return None };
    let mut params = program.local_lists[params].iter();
    let at = params.position(|&param| param == switch.scrutinee)?;
    for branch in branches.iter().filter(|branch| !branch.fields.is_empty()) {
        let rest = (*branch.fields.last()?)?;
        let is_rest = |&call: &ExprId| {
            let Expr::App(_, args) = program.exprs[call] else { return false };
            let arg = program.expr_lists[args].get(at);
            called(program, call) == Some(id)
                && arg.is_some_and(|&arg| program.exprs[arg] == Expr::Local(rest))
        };
        if !next_calls(program, &program.ends(branch.body))?.iter().all(is_rest) {
            return None;
        }
    }
    switch.default.is_none().then_some(at)
}

impl Driver<'_> {
    /// Returns whether a constructor with these fields is the beginning of a list that has no end.
    pub(super) fn is_endless(&self, fields: List<NodeId>) -> bool {
        self.is_endless_beginning(fields, NEST)
    }

    fn is_endless_beginning(&self, fields: List<NodeId>, nest: usize) -> bool {
        let rest = self.heap.items(fields).last();
        rest.is_some_and(|&rest| self.is_endless_node(rest, nest))
    }

    fn is_endless_expr(&self, expr: ExprId, env: EnvId, nest: usize) -> bool {
        if let Expr::Local(local) = self.old.exprs[expr] {
            return self.is_endless_node(self.heap.lookup(env, self.facts.slot[local]), nest);
        }
        let Some(of) = called(self.old, expr) else { return false };
        let Expr::App(_, args) = self.old.exprs[expr] else { return false };
        match self.endless[of] {
            Endless::No => false,
            Endless::Always => true,
            Endless::With(at) => {
                let arg = self.old.expr_lists[args][at];
                nest > 0 && self.is_endless_expr(arg, env, nest - 1)
            }
        }
    }

    fn is_endless_node(&self, node: NodeId, nest: usize) -> bool {
        let Some(nest) = nest.checked_sub(1) else { return false };
        match self.heap.get(node).value {
            AbstractValue::Thunk(expr, env) => self.is_endless_expr(expr, env, nest),
            AbstractValue::Call(of, args) => match self.endless[of] {
                Endless::No => false,
                Endless::Always => true,
                Endless::With(at) => {
                    let arg = self.heap.items(args).get(at);
                    arg.is_some_and(|&arg| self.is_endless_node(arg, nest))
                }
            },
            AbstractValue::Con(_, fields) => self.is_endless_beginning(fields, nest),
            _ => false,
        }
    }
}

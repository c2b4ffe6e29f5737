//! Producers and consumers for fusion: functions that end in constructors, and parameters that
//! are only taken apart.

use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::Facts;
use crate::base::index::IndexVec;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Branches, ConBranch, Expr, ExprId, GlobalId, GlobalKind, Lit, LocalId, Program, SwitchId,
};
use crate::optimise::selection::is_only;
use crate::primitive::{Primitive, Shape};

/// Facts about which calls produce and which consume constructors one by one.
pub struct Fusible {
    /// Whether nothing is done with a local but that its value is taken apart, once.
    pub taken_apart: IndexVec<LocalId, bool>,
    /// Whether nothing is done with a local but that its value is applied, once.
    pub applied: IndexVec<LocalId, bool>,
    /// Through which parameter a local comes to be taken apart or applied, if that is not done where it
    /// is bound.
    pub passed_to: IndexVec<LocalId, Option<LocalId>>,
    /// The switches that take a parameter apart of which that is so.
    pub consumers: FxHashMap<SwitchId, Consumer>,
    /// Whether a function may end in a constructor with fields, or in a call of one that does, and
    /// is not large.
    pub produces: IndexVec<GlobalId, bool>,
    /// Which parameter a function passes on, if it makes nothing by itself: it takes the parameter apart,
    /// and ends in it or in a field of it, as `drop` does. It produces what the argument does.
    pub passes: IndexVec<GlobalId, Option<usize>>,
    /// Whether a function ends in a constructor with a call of itself in a field.
    pub one_by_one: IndexVec<GlobalId, bool>,
    /// Whether a function that cannot come to call itself, or is part of another one's body, ends in a
    /// constructor, a literal or a comparison, on each way through it on which it comes to a value.
    pub ends_known: IndexVec<GlobalId, bool>,
    /// Whether a function that cannot come to call itself may end in a call of a producer that does, or
    /// in a constructor with such a call for a field.
    pub leads: IndexVec<GlobalId, bool>,
    /// Whether nothing is done with a parameter but that its value is the function's at the end, as
    /// with the second list of `append`: who consumes what the function produces consumes it too.
    pub returned: IndexVec<LocalId, bool>,
    /// How often a function may call one of its circle on one way through it, if it ends in no such call.
    pub turns: IndexVec<GlobalId, u32>,
    /// Whether a function calls itself with something else for a parameter.
    pub counts: IndexVec<LocalId, bool>,
    /// Whether a function that calls itself passes nothing for a parameter but what it was passed or,
    /// at least once, less.
    pub falls: IndexVec<LocalId, bool>,
}

impl Fusible {
    /// Returns whether branches pass a field to a function that goes along it, and do nothing else with
    /// it.
    pub fn goes_along(&self, facts: &Facts, branches: &[ConBranch]) -> bool {
        let goes_along = |&field: &LocalId| {
            let param = self.passed_to[field].filter(|_| self.is_consumed(field));
            let switch = param.and_then(|param| facts.switch[param]);
            let consumer = switch.and_then(|switch| self.consumers.get(&switch));
            consumer.is_some_and(|consumer| facts.recursive[consumer.global])
        };
        branches.iter().flat_map(|branch| &branch.fields).flatten().any(goes_along)
    }

    /// Returns whether a local's value is taken apart or applied, once, and nothing else.
    pub fn is_consumed(&self, local: LocalId) -> bool {
        self.taken_apart[local] || self.applied[local]
    }
}

/// A switch on a parameter.
#[derive(Clone, Copy)]
pub struct Consumer {
    /// Whose parameter.
    pub global: GlobalId,
    /// Which one.
    pub at: usize,
    /// Whether the function does nothing before.
    pub first: bool,
    /// In how many constructors with fields one of its alternatives may end.
    pub values: usize,
}

/// Finds out which calls produce and which consume constructors one by one.
pub fn fusible(program: &Program, types: &Program, facts: &Facts) -> Fusible {
    let mut fusible = Fusible {
        taken_apart: program.locals.iter().map(|_| false).collect(),
        applied: applied(program, facts),
        passed_to: program.locals.iter().map(|_| None).collect(),
        consumers: FxHashMap::default(),
        produces: program.globals.iter().map(|_| false).collect(),
        ends_known: program
            .globals
            .enumerate()
            .map(|(id, _)| ends_known(program, facts, id))
            .collect(),
        leads: program.globals.iter().map(|_| false).collect(),
        one_by_one: program
            .globals
            .enumerate()
            .map(|(id, _)| makes_one_by_one(program, facts, id))
            .collect(),
        turns: program.globals.enumerate().map(|(id, _)| turns(program, facts, id)).collect(),
        passes: program.globals.iter().map(|_| None).collect(),
        returned: program.locals.iter().map(|_| false).collect(),
        counts: program.locals.iter().map(|_| false).collect(),
        falls: program.locals.iter().map(|_| false).collect(),
    };
    produce(program, types, facts, &mut fusible.produces);
    lead(program, facts, &mut fusible);
    for (id, global) in program.globals.enumerate() {
        let GlobalKind::Defn { params, body: Some(body) } = global.kind else { continue };
        parameters(program, facts, id, &mut fusible);
        let mut ends_of = None;
        for (at, &param) in program.local_lists[params].iter().enumerate() {
            let Some(switch) = facts.switch[param] else { continue };
            let Branches::Cons(branches) = &program.switches[switch].branches else { continue };
            let ends = ends_of.get_or_insert_with(|| program.ends(body));
            let is = |end: &ExprId, local| program.exprs[*end] == Expr::Local(local);
            let returns = ends.iter().filter(|&end| is(end, param)).count() as u32;
            let is_field = |end: &&ExprId| {
                let mut fields = branches.iter().flat_map(|branch| &branch.fields).flatten();
                fields.any(|&field| is(end, field))
            };
            // It is taken apart or returned, on each path one of both.
            if facts.uses[param] == 1 + returns && !facts.shared[param] {
                if !fusible.produces[id]
                    && facts.size[id] <= PRODUCER
                    && (returns > 0 || ends.iter().any(|end| is_field(&end)))
                {
                    fusible.passes[id] = Some(at);
                }
                fusible.taken_apart[param] = true;
                let first = program.exprs[body] == Expr::Switch(switch);
                let values = values(program, switch);
                fusible.consumers.insert(switch, Consumer { global: id, at, first, values });
            }
        }
    }
    pass_on(facts, &mut fusible.taken_apart, &mut fusible.passed_to);
    pass_on(facts, &mut fusible.applied, &mut fusible.passed_to);
    fusible
}

/// The most expressions of a producer that is written where it is consumed.
pub(super) const PRODUCER: u32 = 60;
/// The same of a loop that comes to a record: it is left in one place, and consumed in one.
const LOOP: u32 = 100;

/// Finds out which functions may come to a constructor with fields, by what they end in.
fn produce(
    program: &Program,
    types: &Program,
    facts: &Facts,
    produces: &mut IndexVec<GlobalId, bool>,
) {
    let mut callers: FxHashMap<GlobalId, Vec<GlobalId>> = FxHashMap::default();
    let mut work = Vec::new();
    for (id, global) in program.globals.enumerate() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        let is_loop = facts.recursive[id]
            && ends_in_records(program, types, body)
            && only_loops(program, facts, id, body);
        let most = if is_loop { LOOP } else { PRODUCER };
        if facts.size[id] > most {
            continue;
        }
        for end in program.ends(body) {
            let (callee, args) = match program.exprs[end] {
                Expr::App(callee, args) => (callee, args),
                // It is a list that is not empty.
                Expr::Text(_) => {
                    work.push(id);
                    continue;
                }
                _ => continue,
            };
            match program.exprs[callee] {
                Expr::Con(_) => work.push(id),
                Expr::Global(of) if program.arity(of) == args.len() => {
                    callers.entry(of).or_default().push(id);
                }
                _ => {}
            }
        }
    }
    while let Some(id) = work.pop() {
        if !std::mem::replace(&mut produces[id], true) {
            work.extend(callers.remove(&id).unwrap_or_default());
        }
    }
}

/// Returns whether the constructors that an expression ends in are the only ones of their types.
fn ends_in_records(program: &Program, types: &Program, body: ExprId) -> bool {
    program.ends(body).iter().all(|&end| match program.exprs[end] {
        Expr::App(callee, _) => match program.exprs[callee] {
            Expr::Con(con) => is_only(types, con),
            _ => true,
        },
        _ => true,
    })
}

/// Returns whether a function ends in a constructor with a call of itself in a field.
fn makes_one_by_one(program: &Program, facts: &Facts, id: GlobalId) -> bool {
    let GlobalKind::Defn { body: Some(body), .. } = program.globals[id].kind else { return false };
    if !facts.recursive[id] || facts.size[id] > PRODUCER {
        return false;
    }
    let mut work = Vec::new();
    for end in program.ends(body) {
        if let Expr::App(callee, args) = program.exprs[end]
            && let Expr::Con(_) = program.exprs[callee]
        {
            work.extend(&program.expr_lists[args]);
        }
    }
    while let Some(expr) = work.pop() {
        if let Expr::Global(global) = program.exprs[expr]
            && facts.circle[global] == facts.circle[id]
        {
            return true;
        }
        program.push_children(expr, &mut work);
    }
    false
}

/// Returns whether a function that cannot come to call itself, or is part of another one's body, ends in
/// what a choice is decided by.
fn ends_known(program: &Program, facts: &Facts, id: GlobalId) -> bool {
    let GlobalKind::Defn { body: Some(body), .. } = program.globals[id].kind else { return false };
    if facts.recursive[id] && !facts.is_part[id] {
        return false;
    }
    let mut is_any_known = false;
    for end in program.ends(body) {
        let callee = match program.exprs[end] {
            Expr::App(callee, _) => program.exprs[callee],
            end => end,
        };
        is_any_known |= match callee {
            Expr::Con(_) | Expr::Lit(_) => true,
            // It comes to no value, or to that of the handler.
            Expr::NoMatch | Expr::Jump(..) => continue,
            Expr::Global(of) => match program.globals[of].kind {
                GlobalKind::Primitive(primitive) if primitive.shape() == Shape::Error => continue,
                GlobalKind::Primitive(primitive) if is_comparison(primitive) => true,
                _ => return false,
            },
            _ => return false,
        };
    }
    is_any_known
}

fn is_comparison(primitive: Primitive) -> bool {
    use Primitive::{Eq, Ge, Gt, Le, Lt, Neq};
    matches!(primitive, Eq | Neq | Lt | Le | Gt | Ge)
}

/// Returns the function that an expression calls with all its arguments.
pub(super) fn called(program: &Program, expr: ExprId) -> Option<GlobalId> {
    let Expr::App(callee, args) = program.exprs[expr] else { return None };
    let Expr::Global(of) = program.exprs[callee] else { return None };
    (program.arity(of) == args.len()).then_some(of)
}

/// Finds out which functions lead to a producer that calls itself.
fn lead(program: &Program, facts: &Facts, fusible: &mut Fusible) {
    let mut callers: FxHashMap<GlobalId, Vec<GlobalId>> = FxHashMap::default();
    let mut work = Vec::new();
    for (id, global) in program.globals.enumerate() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        if !fusible.produces[id] {
            continue;
        }
        if facts.recursive[id] {
            if !only_loops(program, facts, id, body) {
                work.push(id);
            }
            continue;
        }
        for end in program.ends(body) {
            let Expr::App(callee, args) = program.exprs[end] else { continue };
            let calls: Vec<GlobalId> = match program.exprs[callee] {
                Expr::Con(_) => program.expr_lists[args]
                    .iter()
                    .filter_map(|&arg| called(program, arg))
                    .collect(),
                _ => called(program, end).into_iter().collect(),
            };
            calls.into_iter().for_each(|of| callers.entry(of).or_default().push(id));
        }
    }
    while let Some(id) = work.pop() {
        for caller in callers.remove(&id).unwrap_or_default() {
            if !std::mem::replace(&mut fusible.leads[caller], true) {
                work.push(caller);
            }
        }
    }
}

/// Returns whether the functions of a circle call each other in a function as the last thing that it
/// does, and nowhere else: then it makes what it comes to when it ends.
pub(super) fn only_loops(program: &Program, facts: &Facts, id: GlobalId, body: ExprId) -> bool {
    let is_call = |expr: &ExprId| {
        let Expr::App(callee, _) = program.exprs[*expr] else { return false };
        matches!(program.exprs[callee], Expr::Global(of) if facts.circle[of] == facts.circle[id])
    };
    let tails = program.ends(body).iter().filter(|end| is_call(end)).count();
    program.walk(body).filter(is_call).count() == tails
}

/// Returns how often a function may call one of its circle on one way through it, and 0 if it may end in such a
/// call.
fn turns(program: &Program, facts: &Facts, id: GlobalId) -> u32 {
    let GlobalKind::Defn { body: Some(body), .. } = program.globals[id].kind else { return 0 };
    let is_turn = |expr: ExprId| matches!(program.exprs[expr], Expr::Global(of) if facts.circle[of] == facts.circle[id]);
    let is_tail = |&end: &ExprId| match program.exprs[end] {
        Expr::App(callee, _) => is_turn(callee),
        _ => false,
    };
    match facts.recursive[id] && !program.ends(body).iter().any(is_tail) {
        true => most_on_a_way(program, body, &is_turn),
        false => 0,
    }
}

/// Returns how many expressions of a kind are on a way through an expression, at most.
fn most_on_a_way(program: &Program, expr: ExprId, is_one: &dyn Fn(ExprId) -> bool) -> u32 {
    let parts = program.children(expr).exprs();
    let parts = parts.map(|part| ensure_sufficient_stack(|| most_on_a_way(program, part, is_one)));
    let all: u32 = match program.exprs[expr] {
        Expr::Switch(_) => parts.max().unwrap_or(0),
        _ => parts.sum(),
    };
    all + u32::from(is_one(expr))
}

/// Returns of each local whether nothing is done with it but that it is applied, once.
fn applied(program: &Program, facts: &Facts) -> IndexVec<LocalId, bool> {
    let mut applied: IndexVec<LocalId, bool> = program.locals.iter().map(|_| false).collect();
    for &expr in program.exprs.iter() {
        if let Expr::App(callee, _) = expr
            && let Expr::Local(local) = program.exprs[callee]
        {
            applied[local] = facts.uses[local] == 1;
        }
    }
    applied
}

/// Adds what is only passed on to what is consumed, once on each path: to that itself, or round a loop
/// first.
fn pass_on(
    facts: &Facts,
    consumed: &mut IndexVec<LocalId, bool>,
    passed_to: &mut IndexVec<LocalId, Option<LocalId>>,
) {
    let mut sources: FxHashMap<LocalId, Vec<LocalId>> = FxHashMap::default();
    let mut is_passed: IndexVec<LocalId, bool> = consumed.iter().map(|_| false).collect();
    for (local, passed) in facts.passed.enumerate() {
        is_passed[local] = !consumed[local]
            && !passed.is_empty()
            && !facts.shared[local]
            && facts.uses[local] as usize == passed.len();
        if is_passed[local] {
            passed.iter().for_each(|&to| sources.entry(to).or_default().push(local));
        }
    }
    // All that it is passed for is consumed, or passed on in the same way ..
    let mut work: Vec<LocalId> =
        sources.keys().copied().filter(|&to| !consumed[to] && !is_passed[to]).collect();
    while let Some(to) = work.pop() {
        for &from in sources.get(&to).into_iter().flatten() {
            if std::mem::replace(&mut is_passed[from], false) {
                work.push(from);
            }
        }
    }
    // .. and comes to be consumed somewhere.
    let mut work: Vec<LocalId> = sources.keys().copied().filter(|&to| consumed[to]).collect();
    while let Some(to) = work.pop() {
        for &from in sources.get(&to).into_iter().flatten() {
            if std::mem::replace(&mut is_passed[from], false) {
                consumed[from] = true;
                passed_to[from] = Some(to);
                work.push(from);
            }
        }
    }
}

/// Returns in how many constructors with fields an alternative of a switch may end, at most.
fn values(program: &Program, switch: SwitchId) -> usize {
    let is_made = |end: &ExprId| match program.exprs[*end] {
        Expr::App(callee, _) => matches!(program.exprs[callee], Expr::Con(_)),
        _ => false,
    };
    let made = |body| program.ends(body).iter().filter(|end| is_made(end)).count();
    let Branches::Cons(branches) = &program.switches[switch].branches else { return 0 };
    branches.iter().map(|branch| made(branch.body)).max().unwrap_or(0)
}

/// Finds out what a function that calls itself does with its parameters.
fn parameters(program: &Program, facts: &Facts, id: GlobalId, fusible: &mut Fusible) {
    let GlobalKind::Defn { params, body: Some(body) } = program.globals[id].kind else { return };
    if !facts.recursive[id] {
        return;
    }
    let params = &program.local_lists[params];
    // How often each is passed to the function itself for the same parameter, or is an end.
    let mut uses: FxHashMap<LocalId, u32> = FxHashMap::default();
    let mut grows: FxHashSet<LocalId> = FxHashSet::default();
    for expr in program.walk(body) {
        let Expr::App(callee, args) = program.exprs[expr] else { continue };
        if program.exprs[callee] != Expr::Global(id) {
            continue;
        }
        for (&param, &arg) in params.iter().zip(&program.expr_lists[args]) {
            match program.exprs[arg] == Expr::Local(param) {
                true => *uses.entry(param).or_default() += 1,
                false => {
                    fusible.counts[param] = true;
                    match is_less(program, arg, param) {
                        true => fusible.falls[param] = true,
                        false => drop(grows.insert(param)),
                    }
                }
            }
        }
    }
    grows.into_iter().for_each(|param| fusible.falls[param] = false);
    if !fusible.produces[id] {
        return;
    }
    let mut is_end: FxHashSet<LocalId> = FxHashSet::default();
    for end in program.ends(body) {
        if let Expr::Local(local) = program.exprs[end] {
            *uses.entry(local).or_default() += 1;
            is_end.insert(local);
        }
    }
    for &param in params {
        let all = uses.get(&param).copied().unwrap_or_default();
        let is_only_passed = all == facts.uses[param] && !facts.shared[param];
        fusible.returned[param] = is_only_passed && is_end.contains(&param);
    }
}

/// Returns whether an expression is a local less a literal that is positive.
fn is_less(program: &Program, expr: ExprId, local: LocalId) -> bool {
    let Expr::App(callee, args) = program.exprs[expr] else { return false };
    let Expr::Global(global) = program.exprs[callee] else { return false };
    let operands: Vec<Expr> =
        program.expr_lists[args].iter().map(|&arg| program.exprs[arg]).collect();
    program.globals[global].kind == GlobalKind::Primitive(Primitive::Sub)
        && matches!(operands[..], [Expr::Local(of), Expr::Lit(Lit::Int(1..))] if of == local)
}

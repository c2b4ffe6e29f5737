//! A loop over a record is a loop over its fields.
//!
//! A machine, a game or a turtle is most often written as a loop over one record of its state, with
//! functions from states to states and selectors: `(defn run[s] (if (eq (left s) 0) s (run (step s))))`. As it
//! stands, each of its steps builds the next state from thunks of selections from the last one. So the loop
//! becomes a *worker* with a parameter for each field, and a *wrapper* that takes the record apart for it (the
//! worker/wrapper split: Peyton Jones and Launchbury, "Unboxed values as first class citizens in a non-strict
//! functional language", 1991):
//!
//! `(defn run[s] (case s [(State l p) (run$w l p)]))` and
//! `(defn run$w[l p] (let ([s (State l p)]) (if (eq (left s) 0) s (case (step s) [(State l p) (run$w l p)]))))`.
//!
//! Invariants:
//! - The loop certainly evaluates the record, by the analysis of [strictness](super::super::strictness): taking it
//!   apart first evaluates nothing that would not be.
//! - The record is looked at more than once: what is used once is consumed as it is by partial evaluation.
//! - The record itself is wanted for the next state and at the end of the loop alone, so hardly one is built again.

use rustc_hash::FxHashSet;

use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Branches, ConBranch, ConId, Expr, ExprId, Global, GlobalId, GlobalKind, LocalId, Program,
    Switch,
};
use crate::core::signature::Signature;
use crate::core::traverse::Position;
use crate::optimise::selection::{Field, is_only, projection};
use crate::optimise::strictness::strict_parameters;
use crate::optimise::symbols::Symbols;

/// The most fields of a record.
const FIELDS: usize = 12;
/// The most parameters of a loop that are looked at.
const TRIED: usize = 4;

/// A loop over a record.
struct Loop {
    of: GlobalId,
    /// The number of the parameter that is the record.
    at: usize,
    con: ConId,
    /// Its calls of itself that are evaluated where they stand.
    steps: Vec<ExprId>,
}

/// Makes loops over records loops over their fields, and returns how many there were. Takes time linear in the
/// program.
pub(super) fn write_out(program: &mut Program) -> u64 {
    let mut loops: Vec<Loop> =
        program.globals.indices().filter_map(|id| record_loop(program, id)).collect();
    if loops.is_empty() {
        return 0;
    }
    let strict = strict_parameters(program);
    loops.retain(|found| strict(found.of, found.at));
    let mut symbols = Symbols::new(program);
    loops.iter().for_each(|found| found.split(program, &mut symbols));
    loops.len() as u64
}

/// Returns the loop over a record that a function is.
fn record_loop(program: &Program, of: GlobalId) -> Option<Loop> {
    let GlobalKind::Defn { params, body: Some(body) } = program.globals[of].kind else {
        return None;
    };
    let params = &program.local_lists[params];
    let mut steps = FxHashSet::default();
    let mut work = vec![body];
    while let Some(expr) = work.pop() {
        if let Expr::App(callee, args) = program.exprs[expr]
            && program.exprs[callee] == Expr::Global(of)
            && args.len() == params.len()
        {
            steps.insert(expr);
        }
        let children = program.children(expr);
        let children = children.filter(|child| program.is_strict(expr, child.position));
        work.extend(children.map(|child| child.expr));
    }
    if steps.is_empty() {
        return None;
    }
    let taken_apart = taken_apart(program, body);
    let places = (0..params.len()).filter(|&at| taken_apart.contains(&params[at]));
    let is_stepped = |&at: &usize| steps.iter().any(|&step| is_made(program, step, at));
    let found = places.filter(is_stepped).take(TRIED).find_map(|at| {
        let con = record(program, body, params[at], at, &steps)?;
        Some((at, con))
    });
    found.map(|(at, con)| {
        let mut steps: Vec<ExprId> = steps.into_iter().collect();
        steps.sort_unstable();
        Loop { of, at, con, steps }
    })
}

/// Returns the locals of a body that are taken apart in it, or selected from.
fn taken_apart(program: &Program, body: ExprId) -> FxHashSet<LocalId> {
    let taken_apart = |expr| match program.exprs[expr] {
        Expr::Switch(switch) => Some(program.switches[switch].scrutinee),
        _ => selected_from(program, expr).map(|(local, _)| local),
    };
    program.walk(body).filter_map(taken_apart).collect()
}

/// Returns the local that a field is selected from, and the field.
fn selected_from(program: &Program, expr: ExprId) -> Option<(LocalId, Field)> {
    let Expr::App(callee, args) = program.exprs[expr] else { return None };
    let Expr::Global(selector) = program.exprs[callee] else { return None };
    let &[arg] = &program.expr_lists[args] else { return None };
    let Expr::Local(local) = program.exprs[arg] else { return None };
    projection(program, selector).map(|field| (local, field))
}

/// Returns whether the loop goes on with what a function makes, for an argument.
fn is_made(program: &Program, step: ExprId, at: usize) -> bool {
    let Expr::App(_, args) = program.exprs[step] else { return false };
    let Expr::App(callee, _) = program.exprs[program.expr_lists[args][at]] else { return false };
    matches!(program.exprs[callee], Expr::Global(_))
}

/// Returns the constructor that a parameter is taken apart as, if that is all that is done with it but for what
/// the loop goes on with and ends in.
fn record(
    program: &Program,
    body: ExprId,
    param: LocalId,
    at: usize,
    steps: &FxHashSet<ExprId>,
) -> Option<ConId> {
    let mut con = None;
    let mut is_same = |found: ConId| is_only(program, found) && *con.get_or_insert(found) == found;
    // Whether it is what the expression around comes to.
    let mut work = vec![(body, true)];
    while let Some((expr, is_end)) = work.pop() {
        match program.exprs[expr] {
            Expr::Local(local) if local == param && !is_end => return None,
            Expr::App(_, args) if steps.contains(&expr) => {
                let others = program.expr_lists[args].iter().enumerate();
                work.extend(others.filter(|&(other, _)| other != at).map(|(_, &arg)| (arg, false)));
            }
            Expr::App(..)
                if let Some((local, field)) = selected_from(program, expr)
                    && local == param =>
            {
                if !is_same(field.con) {
                    return None;
                }
            }
            Expr::Switch(switch) if program.switches[switch].scrutinee == param => {
                let Branches::Cons(branches) = &program.switches[switch].branches else {
                    return None;
                };
                if !is_same(branches[0].con) {
                    return None;
                }
                work.extend(branches.iter().map(|branch| (branch.body, is_end)));
            }
            _ => {
                for child in program.children(expr) {
                    work.push((child.expr, is_end && is_tail(program, expr, child.position)));
                }
            }
        }
    }
    let con = con.filter(|&con| (1..=FIELDS).contains(&(program.cons[con].arity as usize)))?;
    (uses(program, body, param) > 1).then_some(con)
}

/// Returns how often a local is used on the way through an expression on which that is most often. What is
/// used once is consumed by partial evaluation as it is.
fn uses(program: &Program, expr: ExprId, local: LocalId) -> u32 {
    let of = |expr| ensure_sufficient_stack(|| uses(program, expr, local));
    let own = u32::from(program.used_local(expr) == Some(local));
    let (mut all, mut most) = (own, 0);
    for child in program.children(expr) {
        let is_branch = match child.position {
            Position::Branch(_) | Position::Default => true,
            Position::Argument(at) => match program.exprs[expr] {
                Expr::App(callee, args) => at > 0 && program.tails(callee, args).len() == 2,
                _ => false,
            },
            _ => false,
        };
        let count: u32 = of(child.expr);
        match is_branch {
            true => most = count.max(most),
            false => all = all.saturating_add(count),
        }
    }
    all.saturating_add(most)
}

/// Returns whether an expression comes to what it has in a place.
fn is_tail(program: &Program, expr: ExprId, position: Position) -> bool {
    match position {
        Position::Body | Position::Handler(_) | Position::Branch(_) | Position::Default => true,
        Position::Argument(at) => match program.exprs[expr] {
            Expr::App(callee, args) => at > 0 && !program.tails(callee, args).is_empty(),
            _ => false,
        },
        _ => false,
    }
}

impl Loop {
    /// Makes the loop a worker, and itself the wrapper.
    fn split(&self, program: &mut Program, symbols: &mut Symbols) {
        let Global { ref symbol, ref display, kind, span, .. } = program.globals[self.of];
        let GlobalKind::Defn { params, body: Some(body) } = kind else { return };
        let (symbol, display) = (symbols.fresh(symbol, 'w'), display.clone());
        let signature = Signature::default();
        let worker = program.globals.push(Global { symbol, display, kind, span, signature });
        for &step in &self.steps {
            let Expr::App(_, args) = program.exprs[step] else { continue };
            let (args, span) = (program.expr_lists[args].to_vec(), program.spans[step]);
            let next = program.local(None, span);
            let call = self.call(program, worker, (next, true), &args, span);
            program.exprs[step] = Expr::Force(next, args[self.at], call);
        }
        let own = program.local_lists[params].to_vec();
        let outer: Vec<LocalId> =
            own.iter().map(|&param| program.local(program.locals[param].name, span)).collect();
        let args: Vec<ExprId> =
            outer.iter().map(|&param| program.expr(Expr::Local(param), span)).collect();
        let call = self.call(program, worker, (outer[self.at], false), &args, span);
        let params = program.local_lists.add(outer);
        program.globals[self.of].kind = GlobalKind::Defn { params, body: Some(call) };

        let (fields, parts) = self.fields(program, span);
        let callee = program.expr(Expr::Con(self.con), span);
        let parts = program.expr_lists.add(parts);
        let record = program.expr(Expr::App(callee, parts), span);
        let body = program.expr(Expr::Let(own[self.at], record, body), span);
        let params = program.local_lists.add(self.with_fields(&own, &fields));
        program.globals[worker].kind = GlobalKind::Defn { params, body: Some(body) };
    }

    /// Returns the call of the worker with the fields of a record, which may have been evaluated.
    fn call(
        &self,
        program: &mut Program,
        worker: GlobalId,
        (scrutinee, evaluated): (LocalId, bool),
        args: &[ExprId],
        span: Span,
    ) -> ExprId {
        let (fields, parts) = self.fields(program, span);
        let callee = program.expr(Expr::Global(worker), span);
        let args = program.expr_lists.add(self.with_fields(args, &parts));
        let body = program.expr(Expr::App(callee, args), span);
        let fields = fields.into_iter().map(Some).collect();
        let branches = Branches::Cons(vec![ConBranch { con: self.con, fields, body }]);
        let switch = Switch { scrutinee, evaluated, branches, default: None };
        let switch = program.switches.push(switch);
        program.expr(Expr::Switch(switch), span)
    }

    /// Adds a local for each field of the record, and a use of each.
    fn fields(&self, program: &mut Program, span: Span) -> (Vec<LocalId>, Vec<ExprId>) {
        let count = program.cons[self.con].arity;
        let field = |_| {
            let local = program.local(None, span);
            (local, program.expr(Expr::Local(local), span))
        };
        (0..count).map(field).unzip()
    }

    /// Returns what stands for the parameters, with that for the fields in the place of the record's.
    fn with_fields<T: Copy>(&self, all: &[T], fields: &[T]) -> Vec<T> {
        [&all[..self.at], fields, &all[self.at + 1..]].concat()
    }
}

//! What a case has taken apart is built again where an alternative uses it as a whole.
//!
//! `(case t [(Leaf _) t] [(Branch l r) ..])` is `(case t [(Leaf n) (Leaf n)] [(Branch l r) ..])`: nothing is
//! done with `t` but that it is taken apart, so a call that makes it is fused with the case. Where none
//! is, partial evaluation finds that the value is there (`drive::wholes`), and nothing is built.
//!
//! A loop that looks at two elements at a time goes on with the rest, which it has looked into: `(case xs [(Cons x t)
//! (case t [(Cons y _) (if (le x y) (sorted t) 0)] ..)] ..)`. It goes on with `(Cons y u)` then: its variant for that
//! has what the rest begins with (Peyton Jones, "Call-pattern specialisation for Haskell programs", ICFP 2007,
//! section 2).

use rustc_hash::{FxHashMap, FxHashSet};

use super::discriminators::other;
use crate::core::expr::{
    Branches, ConBranch, ConId, Expr, ExprId, GlobalId, GlobalKind, Local, LocalId, Program,
    SwitchId,
};
use crate::core::traverse::Position;

/// The most places in which a variable is built again.
const PLACES: usize = 8;

/// Builds values again, and returns in how many places. Takes time linear in the program.
pub(super) fn write_out(program: &mut Program) -> u64 {
    let mut count = 0;
    for id in program.globals.indices() {
        let GlobalKind::Defn { params, body: Some(body) } = program.globals[id].kind else {
            continue;
        };
        for Use { expr, known } in uses(program, id, &program.local_lists[params], body) {
            build(program, expr, known);
            count += 1;
        }
    }
    count
}

/// In which alternative of a case of it a variable is known.
#[derive(Clone, Copy)]
struct Known {
    switch: SwitchId,
    con: ConId,
}

/// A use of a variable as a whole.
struct Use {
    expr: ExprId,
    known: Known,
}

/// What is left to do.
enum Work {
    Expr(ExprId),
    /// What is known of a variable from here on.
    Known(LocalId, Option<Known>),
}

/// Returns the uses as a whole of the parameters, and of their fields, that are used in alternatives of cases of
/// them alone. What is passed to a function is no such use, unless the function goes on with a field in the place of
/// the parameter: a merge of two lists would have a variant for each that it knows the first element of.
fn uses(program: &Program, id: GlobalId, params: &[LocalId], body: ExprId) -> Vec<Use> {
    // `None` of what is used elsewhere too.
    let mut uses: FxHashMap<LocalId, Option<Vec<Use>>> =
        params.iter().map(|&param| (param, Some(Vec::new()))).collect();
    // The place of the parameter that each field is of.
    let mut rests: FxHashMap<LocalId, usize> = FxHashMap::default();
    let mut turns: FxHashSet<ExprId> = FxHashSet::default();
    let mut known: FxHashMap<LocalId, Known> = FxHashMap::default();
    let mut work = vec![Work::Expr(body)];
    while let Some(next) = work.pop() {
        let expr = match next {
            Work::Expr(expr) => expr,
            Work::Known(local, now) => {
                match now {
                    Some(now) => known.insert(local, now),
                    None => known.remove(&local),
                };
                continue;
            }
        };
        let before = program.used_local(expr).and_then(|local| known.get(&local).copied());
        match program.exprs[expr] {
            Expr::Local(local) => {
                let Some(all) = uses.get_mut(&local) else { continue };
                match (before, &mut *all) {
                    (Some(of), Some(all))
                        if all.len() < PLACES && !is_any_known(program, of, &known) =>
                    {
                        all.push(Use { expr, known: of });
                    }
                    _ => *all = None,
                }
            }
            Expr::Switch(switch) => {
                let scrutinee = program.switches[switch].scrutinee;
                if before.is_some() {
                    uses.insert(scrutinee, None);
                }
                if let Some(at) = params.iter().position(|&param| param == scrutinee) {
                    for field in program.switches[switch].fields() {
                        rests.insert(field, at);
                        uses.entry(field).or_insert_with(|| Some(Vec::new()));
                    }
                }
                for child in program.children(expr) {
                    let con = match (&program.switches[switch].branches, child.position) {
                        (Branches::Cons(branches), Position::Branch(at)) => {
                            Some(branches[at as usize].con)
                        }
                        (Branches::Cons(branches), _) => other(program, branches),
                        (Branches::Lits(_), _) => None,
                    };
                    work.push(Work::Known(scrutinee, before));
                    work.push(Work::Expr(child.expr));
                    work.push(Work::Known(scrutinee, con.map(|con| Known { switch, con })));
                }
            }
            Expr::App(callee, args) => {
                if program.exprs[callee] == Expr::Global(id) {
                    let is_rest = |(at, arg): (usize, &ExprId)| {
                        let local = program.used_local(*arg)?;
                        let goes_on = rests.get(&local) == Some(&at) && known.contains_key(&local);
                        goes_on.then_some(*arg)
                    };
                    turns.extend(program.expr_lists[args].iter().enumerate().filter_map(is_rest));
                }
                let is_passed = matches!(program.exprs[callee], Expr::Global(of)
                    if matches!(program.globals[of].kind, GlobalKind::Defn { .. }));
                if is_passed {
                    let args = program.expr_lists[args].iter();
                    let passed = args.filter(|arg| !turns.contains(arg));
                    let locals = passed.filter_map(|&arg| program.used_local(arg));
                    locals.for_each(|local| drop(uses.insert(local, None)));
                }
                work.extend(program.children(expr).map(|child| Work::Expr(child.expr)));
            }
            _ => work.extend(program.children(expr).map(|child| Work::Expr(child.expr))),
        }
    }
    let mut all: Vec<Use> = uses.into_values().flatten().flatten().collect();
    all.sort_unstable_by_key(|found| found.expr);
    all
}

/// Returns whether a field of a value that is known has itself been taken apart.
fn is_any_known(program: &Program, of: Known, known: &FxHashMap<LocalId, Known>) -> bool {
    let Branches::Cons(branches) = &program.switches[of.switch].branches else { return false };
    let branch = branches.iter().find(|branch| branch.con == of.con);
    let mut fields = branch.into_iter().flat_map(|branch| branch.fields.iter().flatten());
    fields.any(|field| known.contains_key(field))
}

/// Builds a value in the place of a use.
fn build(program: &mut Program, expr: ExprId, Known { switch, con }: Known) {
    let span = program.spans[expr];
    let fields = fields(program, switch, con);
    if fields.is_empty() {
        program.exprs[expr] = Expr::Con(con);
        return;
    }
    let args: Vec<ExprId> =
        fields.into_iter().map(|field| program.expr(Expr::Local(field), span)).collect();
    let callee = program.expr(Expr::Con(con), span);
    program.exprs[expr] = Expr::App(callee, program.expr_lists.add(args));
}

/// Returns the fields of a constructor in the branch for it, which the default becomes if there is none.
fn fields(program: &mut Program, switch: SwitchId, con: ConId) -> Vec<LocalId> {
    let Program { switches, locals, cons, .. } = program;
    let (tag, arity) = (cons[con].tag, cons[con].arity as usize);
    let switch = &mut switches[switch];
    let Branches::Cons(branches) = &mut switch.branches else { return Vec::new() };
    if let Some(body) = switch.default
        && branches.iter().all(|branch| branch.con != con)
    {
        let at = branches.iter().filter(|branch| cons[branch.con].tag < tag).count();
        branches.insert(at, ConBranch { con, fields: vec![None; arity], body });
        switch.default = None;
    }
    let Some(branch) = branches.iter_mut().find(|branch| branch.con == con) else {
        return Vec::new();
    };
    let unnamed = Local { name: None, span: locals[switch.scrutinee].span };
    let named = |field: &mut Option<LocalId>| *field.get_or_insert_with(|| locals.push(unnamed));
    branch.fields.iter_mut().map(named).collect()
}

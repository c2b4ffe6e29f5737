//! A case of what is a case that comes to constructors is that case.
//!
//! `(case (case xs [Nil Nothing] [(Cons x _) (Just x)]) [Nothing A] [(Just y) B])`, as a function to `Maybe`
//! or a type of truths of the program's own leaves it, is `(case xs [Nil A] [(Cons x _) B])`: no alternative
//! is written twice, and the function around takes `xs` apart by itself.

use crate::base::index::IndexVec;
use crate::core::expr::{
    Branches, ConBranch, ConId, Expr, ExprId, GlobalKind, LocalId, Program, SwitchId,
};
use crate::primitive::Shape;

/// The most ends of what is taken apart.
const ENDS: usize = 16;

/// Decides cases of constructors that cases come to, and returns how many there were. Takes time linear
/// in the program.
pub(super) fn write_out(program: &mut Program) -> u64 {
    let mut uses: IndexVec<LocalId, u32> = program.locals.iter().map(|_| 0).collect();
    for global in program.globals.iter() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        for local in program.walk(body).filter_map(|expr| program.used_local(expr)) {
            uses[local] += 1;
        }
    }
    let mut count = 0;
    for id in program.globals.indices() {
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[id].kind else { continue };
        let mut work = vec![body];
        while let Some(expr) = work.pop() {
            while decide(program, expr, &uses) {
                count += 1;
            }
            work.extend(program.children(expr).map(|child| child.expr));
        }
    }
    count
}

/// Puts the alternatives of a case where what it takes apart ends in their constructors, if each of them
/// is chosen once.
fn decide(program: &mut Program, expr: ExprId, uses: &IndexVec<LocalId, u32>) -> bool {
    let Expr::Force(local, value, body) = program.exprs[expr] else { return false };
    let Expr::Switch(switch) = program.exprs[body] else { return false };
    // What was made here is used by what it was made for.
    let is_only = program.switches[switch].scrutinee == local && uses.get(local) == Some(&1);
    let Branches::Cons(branches) = &program.switches[switch].branches else { return false };
    if !is_only || branches.is_empty() {
        return false;
    }
    let Some(ends) = ends(program, value) else { return false };
    let mut chosen = Vec::with_capacity(ends.len());
    for &(end, con) in &ends {
        let Some(alternative) = alternative(program, switch, con) else { return false };
        if chosen.iter().any(|&(_, other)| other == alternative) {
            return false;
        }
        chosen.push((end, alternative));
    }
    for (end, alternative) in chosen {
        put(program, switch, end, alternative);
    }
    program.exprs[expr] = program.exprs[value];
    true
}

/// Returns the ends of an expression with the constructor that each comes to; `None` if there is another
/// one, or but one.
fn ends(program: &Program, value: ExprId) -> Option<Vec<(ExprId, ConId)>> {
    let mut ends = Vec::new();
    let mut work = vec![value];
    while let Some(expr) = work.pop() {
        if ends.len() + work.len() > ENDS {
            return None;
        }
        match program.exprs[expr] {
            Expr::Con(con) if program.cons[con].arity == 0 => ends.push((expr, con)),
            Expr::Switch(switch) => {
                work.extend(program.switches[switch].bodies());
            }
            Expr::Let(_, _, body) | Expr::Force(_, _, body) => work.push(body),
            Expr::App(callee, args) => {
                let args = &program.expr_lists[args];
                match program.exprs[callee] {
                    Expr::Con(con) if program.cons[con].arity as usize == args.len() => {
                        ends.push((expr, con));
                    }
                    Expr::Global(global) => match (&program.globals[global].kind, args) {
                        (GlobalKind::Primitive(primitive), &[_, yes, no])
                            if primitive.shape() == Shape::If =>
                        {
                            work.extend([yes, no]);
                        }
                        _ => return None,
                    },
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
    (ends.len() > 1).then_some(ends)
}

/// Returns which alternative of a switch is that of a constructor: the number of its branch, or that of all
/// branches for the default.
fn alternative(program: &Program, switch: SwitchId, con: ConId) -> Option<usize> {
    let switch = &program.switches[switch];
    let Branches::Cons(branches) = &switch.branches else { return None };
    let at = branches.iter().position(|branch| branch.con == con);
    at.or(switch.default.map(|_| branches.len()))
}

/// Puts an alternative in the place of the constructor that it is chosen by.
fn put(program: &mut Program, switch: SwitchId, end: ExprId, alternative: usize) {
    let switch = &program.switches[switch];
    let Branches::Cons(branches) = &switch.branches else { return };
    let (fields, mut out) = match branches.get(alternative) {
        Some(ConBranch { fields, body, .. }) => (fields.clone(), *body),
        None => (Vec::new(), switch.default.unwrap_or(end)),
    };
    let args = match program.exprs[end] {
        Expr::App(_, args) => program.expr_lists[args].to_vec(),
        _ => Vec::new(),
    };
    let span = program.spans[end];
    for (field, arg) in fields.into_iter().zip(args).rev() {
        if let Some(field) = field {
            out = program.expr(Expr::Let(field, arg, out), span);
        }
    }
    program.exprs[end] = program.exprs[out];
    program.spans[end] = program.spans[out];
}

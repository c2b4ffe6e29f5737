//! Programs nested as deeply as a source can be compile, verify and read back, with work that
//! grows with their size.

use super::read::Reader;
use super::{check, compile};
use crate::work::is_linear;
use gmachine::base::index::List;
use gmachine::base::span::Span;
use gmachine::core::expr::*;
use gmachine::primitive::Primitive;

/// Checks `(def main () BODY)`, where `body` makes the expression, of a depth at which recursion would not fit the
/// stack.
fn nested(body: impl Fn(&mut Reader, usize) -> ExprId) {
    is_linear(40_000, |depth| {
        let mut reader = Reader::default();
        let body = Some(body(&mut reader, depth));
        let params = List::EMPTY;
        reader.global("main", GlobalKind::Defn { params, body }, Span::NONE);
        let Reader { program, names, .. } = reader;
        check(&compile(&program, &names));
    });
}

fn add(reader: &mut Reader, expr: Expr) -> ExprId {
    reader.program.expr(expr, Span::NONE)
}

fn int(reader: &mut Reader, value: i64) -> ExprId {
    add(reader, Expr::Lit(Lit::Int(value)))
}

fn call(reader: &mut Reader, primitive: Primitive, args: &[ExprId]) -> ExprId {
    let at = Primitive::ALL.iter().position(|&p| p == primitive).expect("a primitive");
    let callee = add(reader, Expr::Global(GlobalId(at as u32)));
    let args = reader.program.expr_lists.add(args.iter().copied());
    add(reader, Expr::App(callee, args))
}

fn cons(reader: &mut Reader, head: ExprId, tail: ExprId) -> ExprId {
    let callee = add(reader, Expr::Con(CONS));
    let args = reader.program.expr_lists.add([head, tail]);
    add(reader, Expr::App(callee, args))
}

fn local(reader: &mut Reader) -> LocalId {
    reader.program.local(None, Span::NONE)
}

#[test]
fn sums() {
    nested(|r, depth| {
        (0..depth).fold(int(r, 0), |sum, _| {
            let one = int(r, 1);
            call(r, Primitive::Add, &[sum, one])
        })
    });
}

#[test]
fn lists() {
    nested(|r, depth| {
        (0..depth).fold(add(r, Expr::Con(NIL)), |tail, _| {
            let head = int(r, 1);
            cons(r, head, tail)
        })
    });
}

#[test]
fn conditions_in_r_and_in_e() {
    for strict in [false, true] {
        nested(|r, depth| {
            let inner = (0..depth).fold(int(r, 0), |no, _| {
                let (condition, yes) = (int(r, 1), int(r, 2));
                call(r, Primitive::If, &[condition, yes, no])
            });
            if strict { call(r, Primitive::Negate, &[inner]) } else { inner }
        });
    }
}

/// `let x1 = 1 in let x2 = x1 in .. if xn then x1 else ..`: every branch of a deep stack.
#[test]
fn lets_around_conditions_in_all_contexts() {
    for context in 0..3 {
        nested(|r, depth| {
            let locals: Vec<LocalId> = (0..depth).map(|_| local(r)).collect();
            let first = locals[0];
            let end = add(r, Expr::Local(first));
            let inner = locals.iter().enumerate().rev().fold(end, |body, (i, &x)| {
                let value = match i.checked_sub(1) {
                    Some(before) => add(r, Expr::Local(locals[before])),
                    None => int(r, 1),
                };
                let (condition, yes) = (add(r, Expr::Local(x)), add(r, Expr::Local(first)));
                let body = call(r, Primitive::If, &[condition, yes, body]);
                add(r, Expr::Let(x, value, body))
            });
            match context {
                0 => inner,
                1 => call(r, Primitive::Negate, &[inner]),
                _ => {
                    let nil = add(r, Expr::Con(NIL));
                    cons(r, inner, nil)
                }
            }
        });
    }
}

#[test]
fn switches_and_joins() {
    nested(|r, depth| {
        let l = local(r);
        let inner = (0..depth).fold(add(r, Expr::NoMatch), |handler, i| {
            let (x, value) = (local(r), int(r, i as i64));
            let join = r.program.joins.push(Join { params: List::EMPTY, handler });
            let jump = add(r, Expr::Jump(join, List::EMPTY));
            let body = add(r, Expr::Local(x));
            let branches =
                Branches::Cons(vec![ConBranch { con: CONS, fields: vec![Some(x), None], body }]);
            let switch =
                Switch { scrutinee: l, evaluated: i + 1 < depth, branches, default: Some(jump) };
            let switch = r.program.switches.push(switch);
            let body = add(r, Expr::Switch(switch));
            let body = call(r, Primitive::Seq, &[value, body]);
            add(r, Expr::Join(join, body))
        });
        let value = add(r, Expr::Con(NIL));
        add(r, Expr::Let(l, value, inner))
    });
}

#[test]
fn one_letrec_and_one_call_of_many() {
    nested(|r, depth| {
        let locals: Vec<LocalId> = (0..depth).map(|_| local(r)).collect();
        let next = locals.iter().cycle().skip(1);
        let binds: Vec<Bind> = locals
            .iter()
            .zip(next)
            .map(|(&local, &next)| {
                let tail = add(r, Expr::Local(next));
                let head = int(r, 1);
                Bind { local, value: cons(r, head, tail) }
            })
            .collect();
        let binds = r.program.binds.add(binds);
        let args: Vec<ExprId> = locals.iter().map(|&x| add(r, Expr::Local(x))).collect();
        let callee = args[0];
        let args = r.program.expr_lists.add(args);
        let body = add(r, Expr::App(callee, args));
        add(r, Expr::Letrec(binds, body))
    });
}

#[test]
fn one_switch_of_many_literals() {
    nested(|r, depth| {
        let n = local(r);
        let branches = (0..depth).map(|i| (Lit::Int(i as i64), int(r, 1))).collect();
        let branches = Branches::Lits(branches);
        let default = Some(int(r, 0));
        let switch = Switch { scrutinee: n, evaluated: false, branches, default };
        let switch = r.program.switches.push(switch);
        let body = add(r, Expr::Switch(switch));
        let value = int(r, 5);
        add(r, Expr::Let(n, value, body))
    });
}

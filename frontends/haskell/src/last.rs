//! Last actions that keep their places. What fails in an action of the library is told at the action
//! of the program that it is part of, which is found by the function that goes on after it. Nothing
//! goes on after the last action of a function, and nothing can be made to: a loop that ends in itself
//! would grow. But `main` is performed once, and after a choice that is no last action, after what is
//! handled, and after what handles it, something goes on in any case: there a function that only returns
//! is put behind the last action.

use std::collections::HashSet;

use crate::core::{Expr, ExprId, GlobalId, Meaning, Program};
use crate::dump::Place;
use crate::resolve::rewrite;

/// What performs its operands within something that goes on: for each operand after the dictionaries
/// of how many values it is a function that comes to an action.
const AROUND: [(&str, usize, &[usize]); 8] = [
    ("h_catchOf", 1, &[0, 1]),
    ("h_onException", 0, &[0, 0]),
    ("Control.Exception.handle", 1, &[1, 0]),
    ("Control.Exception.try", 1, &[0]),
    ("Control.Exception.finally", 0, &[0, 0]),
    ("Control.Exception.Internal.bracket", 0, &[0, 1, 1]),
    ("Control.Exception.bracket_", 0, &[0, 0, 0]),
    ("Control.Exception.bracketOnError", 0, &[0, 1, 1]),
];

/// Puts a function behind last actions of the modules for which `is_own` holds.
pub fn keep(program: &mut Program<'_>, main: GlobalId, is_own: &dyn Fn(&str) -> bool) {
    let is_again = program.exprs.contains(&Expr::Global(main));
    let own: HashSet<GlobalId> = (0..)
        .zip(&program.globals)
        .filter_map(|(id, global)| is_own(&global.module).then_some(id))
        .collect();
    for id in 0..program.globals.len() as GlobalId {
        let Some(&Meaning::Defined(expr)) = program.meaning(id) else { continue };
        if !own.contains(&id) {
            continue;
        }
        let mut expr = within(program, expr);
        if id == main && !is_again {
            expr = action(program, expr, None);
        }
        program.globals[id as usize].meaning = Some(Meaning::Defined(expr));
    }
}

/// Rewrites the operands of what goes on after them, in an expression.
fn within(program: &mut Program<'_>, id: ExprId) -> ExprId {
    rewrite(program, id, &mut |program, id| {
        let Expr::Apply(f, args, place) = program.exprs[id as usize].clone() else { return None };
        if let (Expr::Code(code), &[first, rest]) = (&program.exprs[f as usize], args.as_slice())
            && ["#bind", "h_then"].contains(&code.as_str())
        {
            let (first, rest) = (within(program, first), within(program, rest));
            let first = match program.exprs[first as usize] {
                // An action that is no choice has its place by the function that stands behind it.
                Expr::If(..) | Expr::Case(..) | Expr::Let(..) | Expr::Letrec(..) => {
                    action(program, first, place)
                }
                _ => first,
            };
            return Some(program.push(Expr::Apply(f, vec![first, rest], place)));
        }
        let functions = around(program, f, args.len())?;
        let dictionaries = args.len() - functions.len();
        let mut rewritten = Vec::new();
        for (at, arg) in args.into_iter().enumerate() {
            let arg = within(program, arg);
            rewritten.push(match at.checked_sub(dictionaries).and_then(|at| functions.get(at)) {
                Some(0) => action(program, arg, place),
                Some(_) => function(program, arg, place),
                None => arg,
            });
        }
        Some(program.push(Expr::Apply(f, rewritten, place)))
    })
}

/// Returns of how many values each operand of an application is a function that comes to an action, if
/// all operands are there.
fn around(program: &Program<'_>, f: ExprId, given: usize) -> Option<&'static [usize]> {
    let name = match &program.exprs[f as usize] {
        Expr::Code(code) => code,
        Expr::Global(id) => match program.meaning(*id)? {
            Meaning::Code(code) => code,
            _ => &program.globals[*id as usize].name,
        },
        _ => return None,
    };
    // What was specialised has no dictionary left.
    let (name, is_specialised) = match name.split_once('@') {
        Some((name, _)) => (name, true),
        None => (name.as_str(), false),
    };
    let &(_, dictionaries, functions) = AROUND.iter().find(|(of, ..)| *of == name)?;
    let dictionaries = if is_specialised { 0 } else { dictionaries };
    (given == dictionaries + functions.len()).then_some(functions)
}

/// Rewrites a function that comes to an action.
fn function(program: &mut Program<'_>, id: ExprId, place: Option<Place>) -> ExprId {
    let (locals, body) = match program.exprs[id as usize].clone() {
        Expr::Lambda(locals, body) if locals.len() == 1 => (locals, body),
        Expr::Lambda(..) => return id,
        _ => {
            let local = program.local("e");
            let arg = program.push(Expr::Local(local));
            (vec![local], program.apply(id, vec![arg], place))
        }
    };
    let body = action(program, body, place);
    program.push(Expr::Lambda(locals, body))
}

/// Rewrites an action; `place` is for one that has none of its own.
fn action(program: &mut Program<'_>, id: ExprId, place: Option<Place>) -> ExprId {
    stacker::maybe_grow(64 << 10, 1 << 20, || {
        let rewritten = match program.exprs[id as usize].clone() {
            Expr::Apply(f, args, own) => match (&program.exprs[f as usize], args.as_slice()) {
                (Expr::Code(code), &[first, rest]) if code == "#bind" => {
                    let rest = function(program, rest, own.or(place));
                    Expr::Apply(f, vec![first, rest], own)
                }
                (Expr::Code(code), &[first, rest]) if code == "h_then" => {
                    let rest = action(program, rest, place);
                    Expr::Apply(f, vec![first, rest], own)
                }
                (Expr::Code(code), _) if code == "#return" => return id,
                _ => return ended(program, id, own.or(place)),
            },
            Expr::Let(local, value, body) => Expr::Let(local, value, action(program, body, place)),
            Expr::Letrec(bindings, body) => Expr::Letrec(bindings, action(program, body, place)),
            Expr::Case(scrutinee, alternatives, other) => {
                let alternatives = alternatives
                    .into_iter()
                    .map(|(pattern, locals, body)| (pattern, locals, action(program, body, place)))
                    .collect();
                let other = other.map(|other| action(program, other, place));
                Expr::Case(scrutinee, alternatives, other)
            }
            Expr::If(c, t, e) => Expr::If(c, action(program, t, place), action(program, e, place)),
            _ => return ended(program, id, place),
        };
        program.push(rewritten)
    })
}

/// Puts a function behind an action, if the action has a place.
fn ended(program: &mut Program<'_>, id: ExprId, place: Option<Place>) -> ExprId {
    if place.is_none() {
        return id;
    }
    let value = program.local("e");
    let [bind, end] = ["#bind", "#return"].map(|code| program.push(Expr::Code(code.into())));
    let arg = program.push(Expr::Local(value));
    let body = program.apply(end, vec![arg], None);
    let after = program.push(Expr::Lambda(vec![value], body));
    program.apply(bind, vec![id, after], place)
}

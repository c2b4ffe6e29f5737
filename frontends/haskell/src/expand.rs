//! Definitions get the parameters that they only pass on: `and = foldr (&&) True` becomes
//! `and xs = foldr (&&) True xs`, and a function that ends in a local function takes its parameters.
//! So calls know their functions. Nothing is computed twice by that: what stands before the new
//! parameters is atoms, functions and partial applications alone.

use rustc_hash::FxHashMap;

use crate::core::{Expr, ExprId, GlobalId, Local, Meaning, Program};
use crate::resolve::substitute;

/// How often parameters of one definition may bring others in.
const ROUNDS: usize = 8;

/// Gives the definitions of a program more parameters.
pub fn expand(program: &mut Program<'_>) {
    let mut arities: Vec<usize> =
        (0..program.globals.len()).map(|id| program.arity(id as GlobalId)).collect();
    for _ in 0..ROUNDS {
        let mut is_changed = false;
        for id in 0..program.globals.len() {
            let Some(&Meaning::Defined(expr)) = program.meaning(id as GlobalId) else { continue };
            let (mut parameters, body) = match &program.exprs[expr as usize] {
                Expr::Lambda(parameters, body) => (parameters.clone(), *body),
                _ => (Vec::new(), expr),
            };
            let locals = &mut FxHashMap::default();
            let more = Expansion { program, arities: &arities }.missing(body, locals);
            if more == 0 {
                continue;
            }
            let added: Vec<Local> = (0..more).map(|_| program.local("e")).collect();
            let body = applied(program, body, &added);
            parameters.extend(added);
            arities[id] = parameters.len();
            let expr = program.push(Expr::Lambda(parameters, body));
            program.globals[id].meaning = Some(Meaning::Defined(expr));
            is_changed = true;
        }
        if !is_changed {
            return;
        }
    }
}

struct Expansion<'p, 'a> {
    program: &'p Program<'a>,
    arities: &'p [usize],
}

impl Expansion<'_, '_> {
    /// Returns how many arguments an expression takes before it computes anything.
    fn missing(&self, id: ExprId, locals: &mut FxHashMap<Local, usize>) -> usize {
        let mut at = id;
        loop {
            match &self.program.exprs[at as usize] {
                Expr::Lambda(parameters, _) => return parameters.len(),
                Expr::Local(local) => return locals.get(local).copied().unwrap_or(0),
                Expr::Apply(f, args, _) => {
                    let of = match &self.program.exprs[*f as usize] {
                        Expr::Global(global) => self.arity(*global),
                        Expr::Local(local) => locals.get(local).copied().unwrap_or(0),
                        _ => 0,
                    };
                    let is_free = of > args.len() && args.iter().all(|&arg| self.is_cheap(arg));
                    return if is_free { of - args.len() } else { 0 };
                }
                Expr::Let(local, value, body) => {
                    if !self.is_cheap(*value) {
                        return 0;
                    }
                    let arity = self.missing(*value, locals);
                    locals.insert(*local, arity);
                    at = *body;
                }
                Expr::Letrec(bindings, body) => {
                    for (local, value) in bindings {
                        let Expr::Lambda(parameters, _) = &self.program.exprs[*value as usize]
                        else {
                            return 0;
                        };
                        locals.insert(*local, parameters.len());
                    }
                    at = *body;
                }
                _ => return 0,
            }
        }
    }

    fn arity(&self, global: GlobalId) -> usize {
        self.arities.get(global as usize).copied().unwrap_or(0)
    }

    /// Returns whether an expression may be computed again: it is an atom, a function, a
    /// construction or a partial application.
    fn is_cheap(&self, id: ExprId) -> bool {
        stacker::maybe_grow(64 << 10, 1 << 20, || match &self.program.exprs[id as usize] {
            Expr::Local(_) | Expr::Global(_) | Expr::Lambda(..) => true,
            Expr::Code(code) => !code.starts_with('('),
            Expr::Apply(f, args, _) => {
                let is_free = match &self.program.exprs[*f as usize] {
                    Expr::Global(global) => match self.program.meaning(*global) {
                        Some(Meaning::Con { strict, .. }) => !strict.contains(&true),
                        Some(Meaning::Class { .. }) => true,
                        _ => self.arity(*global) > args.len(),
                    },
                    _ => false,
                };
                is_free && args.iter().all(|&arg| self.is_cheap(arg))
            }
            _ => false,
        })
    }
}

/// Applies an expression of the forms above to variables.
fn applied(program: &mut Program<'_>, id: ExprId, to: &[Local]) -> ExprId {
    match program.exprs[id as usize].clone() {
        Expr::Let(local, value, body) => {
            let body = applied(program, body, to);
            program.push(Expr::Let(local, value, body))
        }
        Expr::Letrec(bindings, body) => {
            let body = applied(program, body, to);
            program.push(Expr::Letrec(bindings, body))
        }
        Expr::Lambda(parameters, body) => {
            parameters.iter().zip(to).fold(body, |body, (&parameter, &local)| {
                let by = program.push(Expr::Local(local));
                substitute(program, body, parameter, by)
            })
        }
        _ => {
            let args = to.iter().map(|&local| program.push(Expr::Local(local))).collect();
            program.apply(id, args, None)
        }
    }
}

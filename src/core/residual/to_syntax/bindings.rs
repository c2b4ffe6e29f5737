//! Bindings and evaluations that follow each other.

use super::{ToSyntax, binding};
use crate::core::expr::{Expr, ExprId, GlobalKind, LocalId};
use crate::primitive::Shape;
use crate::syntax::ast;

/// The number of expressions that are searched for a demand on a variable.
const LOOK: usize = 64;

impl ToSyntax<'_> {
    /// Writes bindings and evaluations that follow each other as one `let`, and after it what is
    /// evaluated before the body. What nothing uses is not written; what has no name in the source and
    /// is used once stands where it is used, which does no work twice, for there is no function
    /// around that place.
    pub(super) fn bindings(&mut self, expr: ExprId) -> ast::ExprId {
        let program = self.program;
        let (mut expr, mut bindings, mut bound, mut forced) =
            (expr, Vec::new(), Vec::new(), Vec::new());
        let body = loop {
            match program.exprs[expr] {
                Expr::Let(local, value, body) => {
                    expr = body;
                    if self.alias(local, value) {
                        bound.push(local);
                        continue;
                    }
                    match self.uses(local) {
                        0 => {}
                        1 if self.is_unnamed(local) => {
                            let value = self.expr(value);
                            self.inlined.insert(local, value);
                        }
                        _ => {
                            let value = self.expr(value);
                            bindings.push(binding(self.bind(local), value));
                            bound.push(local);
                        }
                    }
                }
                Expr::Force(local, value, body) => {
                    if let Expr::Switch(switch) = program.exprs[body]
                        && program.switches[switch].scrutinee == local
                        && self.uses(local) == 1
                    {
                        let scrutinee = self.expr(value);
                        break self.switch(switch, scrutinee);
                    }
                    expr = body;
                    let is_demanded = self.demands(body, local);
                    if self.alias(local, value) {
                        bound.push(local);
                        if !is_demanded {
                            forced.push(self.local(local));
                        }
                        continue;
                    }
                    let value = self.expr(value);
                    match self.uses(local) {
                        0 => forced.push(value),
                        1 if is_demanded && self.is_unnamed(local) => {
                            self.inlined.insert(local, value);
                        }
                        _ => {
                            let name = self.bind(local);
                            bindings.push(binding(name, value));
                            bound.push(local);
                            if !is_demanded {
                                forced.push(self.named(name));
                            }
                        }
                    }
                }
                _ => break self.expr(expr),
            }
        };
        for local in bound {
            self.unbind(local);
        }
        let body = forced.into_iter().rev().fold(body, |body, value| {
            let seq = self.known("seq");
            self.apply(seq, vec![value, body])
        });
        self.let_(bindings, body)
    }

    /// Makes a local another name for the one that its value is, if it is one.
    pub(super) fn alias(&mut self, local: LocalId, value: ExprId) -> bool {
        let Expr::Local(other) = self.program.exprs[value] else { return false };
        // The other's scope is the wider one.
        let Some(&(name, _)) = self.locals.get(&other) else { return false };
        self.locals.insert(local, (name, name));
        self.aliases.insert(local);
        true
    }

    fn uses(&self, local: LocalId) -> u32 {
        self.uses.get(&local).copied().unwrap_or(0)
    }

    fn is_unnamed(&self, local: LocalId) -> bool {
        self.program.locals.get(local).is_some_and(|local| local.name.is_none())
    }

    /// Returns whether an expression certainly evaluates a local, as far as a short look tells:
    /// then it need not be said that it is evaluated before.
    fn demands(&self, expr: ExprId, local: LocalId) -> bool {
        let program = self.program;
        let mut work = vec![expr];
        for _ in 0..LOOK {
            let Some(expr) = work.pop() else { return false };
            match program.exprs[expr] {
                Expr::Local(other) if other == local => return true,
                Expr::App(callee, args) => {
                    let args = &program.expr_lists[args];
                    let Expr::Global(global) = program.exprs[callee] else {
                        work.push(callee);
                        continue;
                    };
                    let GlobalKind::Primitive(primitive) = program.globals[global].kind else {
                        continue;
                    };
                    if args.len() >= primitive.arity() {
                        match primitive.shape() {
                            Shape::Strict | Shape::Seq => {
                                work.extend(args.iter().take(primitive.arity()).rev());
                            }
                            Shape::If => work.extend(args.first()),
                            Shape::Error | Shape::Action | Shape::Lazy => {}
                        }
                    }
                }
                Expr::Let(_, _, body) | Expr::Letrec(_, body) | Expr::Join(_, body) => {
                    work.push(body);
                }
                Expr::Force(_, value, body) => work.extend([body, value]),
                Expr::Switch(switch) if program.switches[switch].scrutinee == local => {
                    return true;
                }
                _ => {}
            }
        }
        false
    }
}

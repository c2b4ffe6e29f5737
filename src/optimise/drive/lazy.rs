//! Code for what is not demanded: expressions of the old program in lazy contexts.

use super::Driver;
use super::heap::{AbstractValue, EnvId, Head, NodeId};
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, Lit};
use crate::primitive::{Primitive, Shape};

/// An `if` between two functions.
struct Choice {
    global: GlobalId,
    /// The condition and the branches.
    parts: [ExprId; 3],
    env: EnvId,
}

impl Driver<'_> {
    /// Returns code for an expression of the old program where it is not demanded.
    pub(super) fn lazy(&mut self, expr: ExprId, env: EnvId) -> ExprId {
        ensure_sufficient_stack(|| self.lazy_step(expr, env))
    }

    fn lazy_step(&mut self, expr: ExprId, env: EnvId) -> ExprId {
        let old = self.old;
        let mut expr = expr;
        loop {
            let span = self.span(expr, env);
            return match old.exprs[expr] {
                Expr::Lit(lit) => self.expr(Expr::Lit(lit), span),
                Expr::Text(text) => self.expr(Expr::Text(text), span),
                Expr::Con(con) => self.expr(Expr::Con(con), span),
                Expr::Global(global) => {
                    let lit = self.literal(global).map(Expr::Lit);
                    let value = lit.unwrap_or_else(|| Expr::Global(self.global(global)));
                    self.expr(value, span)
                }
                Expr::Local(local) => {
                    let node = self.lookup(local, env);
                    self.atom(node, span)
                }
                Expr::App(callee, args) => {
                    if let Some(field) = self.selected(expr, env) {
                        self.tally.decided += 1;
                        return self.atom(field, span);
                    }
                    self.lazy_application(callee, &old.expr_lists[args], env, span)
                }
                Expr::Let(local, value, body) => {
                    let node = self.bound(local, value, env);
                    self.bind(local, env, node);
                    expr = body;
                    continue;
                }
                Expr::Letrec(binds, body) => {
                    self.letrec(&old.binds[binds], env);
                    expr = body;
                    continue;
                }
                Expr::Force(..)
                | Expr::Perform(..)
                | Expr::Switch(_)
                | Expr::Join(..)
                | Expr::Jump(..)
                | Expr::NoMatch
                | Expr::Lam(..)
                | Expr::Error => {
                    unreachable!("none is in a lazy context: lifting's lint checks it")
                }
            };
        }
    }

    fn lazy_application(
        &mut self,
        callee: ExprId,
        args: &[ExprId],
        env: EnvId,
        span: Span,
    ) -> ExprId {
        let old = self.old;
        match old.exprs[callee] {
            Expr::Con(con) => {
                let callee = self.expr(Expr::Con(con), span);
                self.lazy_apply(callee, args, env, span)
            }
            Expr::Global(global) => {
                let arity = old.arity(global);
                match old.globals[global].kind {
                    GlobalKind::Primitive(primitive) if args.len() == arity => {
                        self.lazy_primitive(primitive, global, args, env, span)
                    }
                    GlobalKind::Defn { .. } if args.len() == arity && arity > 0 => {
                        let (nodes, fresh) = self.arguments(args, env);
                        self.lazy_call(global, nodes, fresh, span)
                    }
                    GlobalKind::Defn { .. }
                        if arity == 1
                            && args.len() > 1
                            && let Some(function) = self.selected_from(global, args[0], env) =>
                    {
                        let (nodes, fresh) = self.arguments(&args[1..], env);
                        self.lazy_unknown(function, nodes, fresh, span)
                    }
                    GlobalKind::Defn { .. } if args.len() > arity && arity > 0 => {
                        let (nodes, fresh) = self.arguments(args, env);
                        self.lazy_beyond(global, nodes, fresh, span)
                    }
                    GlobalKind::Defn { .. } if args.len() < arity => {
                        let (nodes, fresh) = self.arguments(args, env);
                        self.lambda(Head::Global(global), &nodes, fresh, span)
                    }
                    kind => {
                        if kind == GlobalKind::Primitive(Primitive::If)
                            && let Some((own, more)) = args.split_at_checked(arity)
                            && let Some(choice) = self.of_functions(callee, own, env)
                        {
                            let (nodes, fresh) = self.arguments(more, env);
                            if let Some(code) = self.lazy_choice(&choice, &nodes, fresh, span) {
                                return code;
                            }
                        }
                        let callee = self.global(global);
                        let callee = self.expr(Expr::Global(callee), span);
                        self.lazy_apply(callee, args, env, span)
                    }
                }
            }
            Expr::Local(local) => {
                let function = self.lookup(local, env);
                let (nodes, fresh) = self.arguments(args, env);
                self.lazy_unknown(function, nodes, fresh, span)
            }
            _ => {
                let callee = self.lazy(callee, env);
                let args = args.iter().map(|&arg| self.lazy(arg, env)).collect();
                self.merged(callee, args, span)
            }
        }
    }

    /// Returns, for an application of a choice to what can be copied, a choice of two applications.
    fn lazy_choice(
        &mut self,
        choice: &Choice,
        args: &[NodeId],
        fresh: u64,
        span: Span,
    ) -> Option<ExprId> {
        let &Choice { global, parts: [condition, yes, no], env } = choice;
        let is_atom = |(at, &arg): (u32, &NodeId)| {
            fresh.checked_shr(at).is_none_or(|fresh| fresh & 1 == 0)
                || matches!(self.heap.get(arg).value, AbstractValue::Lit(_))
        };
        if !(0..).zip(args).all(is_atom) {
            return None;
        }
        let functions = [yes, no].map(|function| self.node(function, env));
        let condition = self.lazy(condition, env);
        let mut parts = vec![condition];
        for function in functions {
            parts.push(self.lazy_unknown(function, args.to_vec(), 0, span));
        }
        let callee = self.global(global);
        let callee = self.expr(Expr::Global(callee), span);
        Some(self.application(callee, parts, span))
    }

    /// Returns the choice between two known functions that an expression is, if it is one.
    fn of_functions(&self, callee: ExprId, args: &[ExprId], env: EnvId) -> Option<Choice> {
        let Expr::Global(global) = self.old.exprs[callee] else { return None };
        let is_if = self.old.globals[global].kind == GlobalKind::Primitive(Primitive::If);
        let parts = <[ExprId; 3]>::try_from(args).ok()?;
        let is_choice = self.rules.known_case
            && is_if
            && parts[1..].iter().all(|&function| self.is_function(function, env));
        is_choice.then_some(Choice { global, parts, env })
    }

    /// Returns the choice between two known functions that a value is, if nothing has evaluated it and nothing else refers to it.
    fn chosen(&self, node: NodeId) -> Option<Choice> {
        let known = self.heap.get(node);
        let AbstractValue::Thunk(expr, env) = known.value else { return None };
        if known.shared || known.busy || known.name.is_some() {
            return None;
        }
        let Expr::App(callee, args) = self.old.exprs[expr] else { return None };
        self.of_functions(callee, &self.old.expr_lists[args], env)
    }

    /// Returns whether an expression is known to be a function with fewer arguments than it takes.
    fn is_function(&self, expr: ExprId, env: EnvId) -> bool {
        let old = self.old;
        match old.exprs[expr] {
            Expr::Global(global) => self.expanded(global).1 > 0,
            Expr::App(callee, args) => match old.exprs[callee] {
                Expr::Global(global) => args.len() < self.expanded(global).1,
                _ => false,
            },
            Expr::Local(local) => {
                let node = self.heap.lookup(env, self.facts.slot[local]);
                matches!(self.heap.get(node).value, AbstractValue::Partial(Head::Global(_), _))
            }
            _ => false,
        }
    }

    /// Returns an application of a function that the heap may know.
    fn lazy_unknown(
        &mut self,
        function: NodeId,
        args: Vec<NodeId>,
        fresh: u64,
        span: Span,
    ) -> ExprId {
        if self.rules.known_case
            && let AbstractValue::Partial(Head::Global(global), _) = self.heap.get(function).value
            && matches!(self.old.globals[global].kind, GlobalKind::Defn { .. })
        {
            let mut all = self.heap.given(function);
            let fresh = fresh.checked_shl(all.len() as u32).unwrap_or(0);
            all.extend(&args);
            if all.len() == self.old.arity(global) {
                return self.lazy_call(global, all, fresh, span);
            }
            if all.len() > self.old.arity(global) {
                return self.lazy_beyond(global, all, fresh, span);
            }
            return self.lambda(Head::Global(global), &all, fresh, span);
        }
        if let Some(choice) = self.chosen(function)
            && let Some(code) = self.lazy_choice(&choice, &args, fresh, span)
        {
            return code;
        }
        if let Some((global, given)) = self.applied_call(function, args.len()) {
            let fresh = fresh.checked_shl(given.len() as u32).unwrap_or(0);
            let all: Vec<NodeId> = given.into_iter().chain(args).collect();
            return self.lazy_over_call(global, &all, fresh, span);
        }
        let known = self.heap.get(function);
        let callee = match known.value {
            AbstractValue::Partial(head, given) if self.rules.known_case && !given.is_empty() => {
                let given = self.heap.items(given).to_vec();
                let callee = self.head(head, span);
                let mut all: Vec<ExprId> =
                    given.into_iter().map(|node| self.atom(node, span)).collect();
                all.extend(self.written(&args, fresh, span));
                return self.application(callee, all, span);
            }
            AbstractValue::Partial(head, _) if self.rules.known_case => self.head(head, span),
            _ => self.atom(function, span),
        };
        let args = self.written(&args, fresh, span);
        self.application(callee, args, span)
    }

    /// Returns a call with more arguments than parameters: of a variant that takes them, or of one that
    /// comes to the function that they are for.
    fn lazy_beyond(
        &mut self,
        global: GlobalId,
        args: Vec<NodeId>,
        fresh: u64,
        span: Span,
    ) -> ExprId {
        if self.takes_more(global, args.len()) {
            return self.lazy_over_call(global, &args, fresh, span);
        }
        if let Some(code) = self.lazy_selection(global, &args, span) {
            return code;
        }
        let mut own = args;
        let arity = self.old.arity(global);
        let more = own.split_off(arity);
        let function = self.lazy_call(global, own, fresh, span);
        let more = self.written(&more, fresh.checked_shr(arity as u32).unwrap_or(0), span);
        self.merged(function, more, span)
    }

    fn lazy_apply(&mut self, callee: ExprId, args: &[ExprId], env: EnvId, span: Span) -> ExprId {
        let args = args.iter().map(|&arg| self.lazy(arg, env)).collect();
        self.application(callee, args, span)
    }

    fn lazy_primitive(
        &mut self,
        primitive: Primitive,
        global: GlobalId,
        args: &[ExprId],
        env: EnvId,
        span: Span,
    ) -> ExprId {
        if self.rules.known_case
            && let (Primitive::If, &[condition, yes, no]) = (primitive, args)
        {
            let differs = self.differs_lazily(condition, env);
            let condition = self.node(condition, env);
            if let Some(holds) = differs.or_else(|| self.truth(condition)) {
                self.tally.decided += 1;
                return self.lazy(if holds { yes } else { no }, env);
            }
        }
        let args: Vec<ExprId> = args.iter().map(|&arg| self.lazy(arg, env)).collect();
        if self.rules.known_case && primitive.shape() == Shape::Strict {
            // Written first, as an operand may be a primitive that was folded.
            let literal = |&arg| match self.new.exprs[arg] {
                Expr::Lit(lit) => Some(lit),
                _ => None,
            };
            if let Some(lits) = args.iter().map(literal).collect::<Option<Vec<Lit>>>()
                && let Some(lit) = self.fold(primitive, &lits)
            {
                self.tally.folded += 1;
                return self.expr(Expr::Lit(lit), span);
            }
        }
        let callee = self.global(global);
        let callee = self.expr(Expr::Global(callee), span);
        self.application(callee, args, span)
    }
}

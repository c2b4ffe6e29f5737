//! Letrecs: what is bound, and what their bodies know of it.

use super::heap::{AbstractValue, EnvId, Head, Name, NodeId};
use super::{Driver, Statement};
use crate::base::index::List;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Bind, Expr, ExprId, LocalId};

impl Driver<'_> {
    /// Writes the bindings of a letrec. What they are is known in its body, not in the bindings:
    /// no value of the heap is part of itself.
    pub(super) fn letrec(&mut self, binds: &[Bind], env: EnvId) {
        let start = self.block.len();
        let locals: Vec<LocalId> = binds
            .iter()
            .map(|bind| {
                let span = self.span(bind.value, env);
                let local = self.fresh(Some(bind.local), span);
                let node = self.heap.named(AbstractValue::Unknown(false), Name::Local(local));
                self.bind(bind.local, env, node);
                local
            })
            .collect();
        let mut group: Vec<Bind> = Vec::new();
        let mut known: Vec<(LocalId, NodeId)> = Vec::new();
        for (bind, local) in binds.iter().zip(locals) {
            // Naming its parts is for a body that looks at it.
            let built = match self.facts.inspected[bind.local] {
                true => self.built(bind.value, env, &mut group),
                false => None,
            };
            let value = match built {
                Some((code, value)) => {
                    known.push((bind.local, self.heap.named(value, Name::Local(local))));
                    code
                }
                None => self.lazy(bind.value, env),
            };
            group.push(Bind { local, value });
        }
        // What the values need is bound with them: it may need them.
        for statement in self.block.split_off(start) {
            match statement {
                Statement::Let(local, value) => group.push(Bind { local, value }),
                Statement::Letrec(inner) => group.extend(inner),
                Statement::Force(..) => unreachable!("nothing is forced in a lazy context"),
            }
        }
        self.block.push(Statement::Letrec(group));
        for (local, node) in known {
            self.bind(local, env, node);
        }
    }

    /// Returns code that builds a constructor of a letrec, and what is known of it. Its parts that
    /// are not atoms are bound in the group too, so that the body can name them.
    fn built(
        &mut self,
        expr: ExprId,
        env: EnvId,
        group: &mut Vec<Bind>,
    ) -> Option<(ExprId, AbstractValue)> {
        let old = self.old;
        let Expr::App(callee, args) = old.exprs[expr] else { return None };
        let Expr::Con(con) = old.exprs[callee] else { return None };
        if !self.knows() || old.expr_lists[args].len() != self.new.cons[con].arity as usize {
            return None;
        }
        let (codes, nodes) = self.built_parts(args, env, group);
        let span = self.span(expr, env);
        let callee = self.expr(Expr::Con(con), span);
        let value = AbstractValue::Con(con, self.heap.list(nodes));
        Some((self.application(callee, codes, span), value))
    }

    /// Returns code for what such a value is made of, and what is known of it.
    fn built_parts(
        &mut self,
        parts: List<ExprId>,
        env: EnvId,
        group: &mut Vec<Bind>,
    ) -> (Vec<ExprId>, Vec<NodeId>) {
        let old = self.old;
        old.expr_lists[parts].iter().map(|&part| self.built_part(part, env, group)).unzip()
    }

    /// Returns code for one part of it, an atom, and what is known of it.
    fn built_part(&mut self, expr: ExprId, env: EnvId, group: &mut Vec<Bind>) -> (ExprId, NodeId) {
        ensure_sufficient_stack(|| {
            let old = self.old;
            let span = self.span(expr, env);
            if let Expr::Lit(_) | Expr::Local(_) | Expr::Con(_) | Expr::Global(_) = old.exprs[expr]
            {
                let node = self.node(expr, env);
                return (self.atom(node, span), node);
            }
            let local = self.fresh(None, span);
            let (value, known) = match self.built(expr, env, group) {
                Some(built) => built,
                None => match self.built_function(expr, env, group) {
                    Some(built) => built,
                    None => (self.lazy(expr, env), AbstractValue::Unknown(false)),
                },
            };
            group.push(Bind { local, value });
            let node = self.heap.named(known, Name::Local(local));
            (self.local(local, span), node)
        })
    }

    /// Returns code for a function with fewer arguments than it takes in a letrec, and what is
    /// known of it.
    fn built_function(
        &mut self,
        expr: ExprId,
        env: EnvId,
        group: &mut Vec<Bind>,
    ) -> Option<(ExprId, AbstractValue)> {
        let old = self.old;
        let Expr::App(callee, args) = old.exprs[expr] else { return None };
        let Expr::Global(global) = old.exprs[callee] else { return None };
        let (head, arity) = self.expanded(global);
        if old.expr_lists[args].len() >= arity {
            return None;
        }
        let (codes, nodes) = self.built_parts(args, env, group);
        let span = self.span(expr, env);
        let callee = self.head(Head::Global(head), span);
        let value = self.applied(Head::Global(head), true, nodes);
        Some((self.application(callee, codes, span), value))
    }
}

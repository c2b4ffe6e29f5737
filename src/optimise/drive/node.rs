//! The values of expressions that are not demanded: thunks of compile time, constructors, functions.

use super::Driver;
use super::heap::{AbstractValue, EnvId, Head, Name, NodeId};
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{ConId, Expr, ExprId, GlobalId};

impl Driver<'_> {
    /// Returns the value of an expression that is not demanded.
    pub(super) fn node(&mut self, expr: ExprId, env: EnvId) -> NodeId {
        let old = self.old;
        if let Some(node) = self.selection(expr, env) {
            return node;
        }
        let value = match old.exprs[expr] {
            Expr::Lit(lit) => AbstractValue::Lit(lit),
            Expr::Text(text) => AbstractValue::Text(text, 0),
            Expr::Local(local) => return self.lookup(local, env),
            Expr::Con(con) => self.constructor(con),
            // A CAF may be part of itself.
            Expr::Global(global) if self.in_caf && old.arity(global) == 0 => {
                AbstractValue::Thunk(expr, env)
            }
            Expr::Global(global) => return self.global_node(global),
            Expr::App(callee, args) => {
                if let Some(constant) = self.constants.of(expr) {
                    return constant;
                }
                let args = &old.expr_lists[args];
                let partial = match old.exprs[callee] {
                    Expr::Con(con) => {
                        let arity = self.new.cons[con].arity as usize;
                        (args.len() <= arity).then_some((Head::Con(con), args.len() < arity))
                    }
                    Expr::Global(global) => {
                        let (global, arity) = self.expanded(global);
                        (args.len() < arity).then_some((Head::Global(global), true))
                    }
                    _ => None,
                };
                match partial {
                    None => AbstractValue::Thunk(expr, env),
                    Some((head, partial)) => {
                        let nodes: Vec<NodeId> = args
                            .iter()
                            .map(|&arg| ensure_sufficient_stack(|| self.node(arg, env)))
                            .collect();
                        self.applied(head, partial, nodes)
                    }
                }
            }
            _ => AbstractValue::Thunk(expr, env),
        };
        self.heap.add(value)
    }

    /// Returns a constructor with its fields, or a function with fewer arguments than it takes.
    pub(super) fn applied(
        &mut self,
        head: Head,
        partial: bool,
        nodes: Vec<NodeId>,
    ) -> AbstractValue {
        match head {
            // Whoever refers to a constructor has its fields from a switch, and shares them then.
            Head::Con(con) if !partial => AbstractValue::Con(con, self.heap.list(nodes)),
            // Whoever applies one to which others refer shares its arguments then.
            _ => AbstractValue::Partial(head, self.heap.list(nodes)),
        }
    }

    /// Returns a constructor by itself: a value, or a function of its fields.
    pub(super) fn constructor(&mut self, con: ConId) -> AbstractValue {
        let none = self.heap.list([]);
        match self.new.cons[con].arity {
            0 => AbstractValue::Con(con, none),
            _ => AbstractValue::Partial(Head::Con(con), none),
        }
    }

    /// Returns the value of a global by itself.
    pub(super) fn global_node(&mut self, global: GlobalId) -> NodeId {
        if self.old.arity(global) > 0 {
            let none = self.heap.list([]);
            let (global, _) = self.expanded(global);
            return self.heap.add(AbstractValue::Partial(Head::Global(global), none));
        }
        if let Some(function) = self.function_caf(global) {
            return function;
        }
        let value = self.caf(global).unwrap_or(AbstractValue::Unknown(false));
        self.heap.named(value, Name::Caf(global))
    }
}

//! Selections that nothing has evaluated yet (see [`super::super::selection`]).
//!
//! While `(snd p)` is a thunk of compile time, the code written so far knows nothing of it, and
//! the code to come needs `p`. So before anything is evaluated it is bound by a `let`: from
//! then on only the thunk refers to `p`. Where `p` is known by then, or is what is evaluated,
//! no thunk is needed: the selection is a field of it.

use std::rc::Rc;

use super::Driver;
use super::heap::{AbstractValue, EnvId, NodeId};
use crate::base::span::Span;
use crate::core::expr::{Expr, ExprId, GlobalId};
use crate::optimise::selection::selected;

/// The most selections that are remembered at once.
const PENDING: usize = 64;

/// A selection.
#[derive(Clone, Copy)]
pub(super) struct Selection {
    /// Its value.
    node: NodeId,
    selector: GlobalId,
    /// What it selects from.
    from: NodeId,
}

/// The selections of which something is not known yet, the oldest first. Many places keep
/// what it was.
pub(super) type Pending = Rc<Vec<Selection>>;

impl Driver<'_> {
    /// Returns the value of an expression that is a selection, if it is one. Nothing is evaluated.
    pub(super) fn selection(&mut self, expr: ExprId, env: EnvId) -> Option<NodeId> {
        let (selector, from) = self.selectors.selection(self.old, expr)?;
        let from = self.node(from, env);
        if let Some(field) = self.field(selector, from) {
            self.heap.share(field);
            return Some(field);
        }
        let node = self.heap.add(AbstractValue::Thunk(expr, env));
        let pending = Rc::make_mut(&mut self.pending);
        if pending.len() == PENDING {
            pending.remove(0);
        }
        pending.push(Selection { node, selector, from });
        Some(node)
    }

    /// Returns the field that an expression selects, if what it selects from is known.
    pub(super) fn selected(&mut self, expr: ExprId, env: EnvId) -> Option<NodeId> {
        let (selector, from) = self.selectors.selection(self.old, expr)?;
        let from = self.node(from, env);
        let field = self.field(selector, from)?;
        self.heap.share(field);
        Some(field)
    }

    /// Returns the field that a selector returns of an atom or of a constructor, if that is known.
    pub(super) fn selected_from(
        &mut self,
        selector: GlobalId,
        from: ExprId,
        env: EnvId,
    ) -> Option<NodeId> {
        if !self.selectors.has(selector) {
            return None;
        }
        let old = self.old;
        let from = match old.exprs[from] {
            Expr::Local(_) => self.node(from, env),
            // A CAF may be part of itself.
            Expr::Global(global) if old.arity(global) == 0 && !self.in_caf => self.node(from, env),
            Expr::App(callee, _) if matches!(old.exprs[callee], Expr::Con(_)) => {
                self.node(from, env)
            }
            _ => return None,
        };
        let field = self.field(selector, from)?;
        self.heap.share(field);
        Some(field)
    }

    /// Returns the field that a selector returns of a value, if that is known.
    fn field(&self, selector: GlobalId, from: NodeId) -> Option<NodeId> {
        if !self.knows() {
            return None;
        }
        let AbstractValue::Con(con, fields) = self.heap.get(from).value else { return None };
        let at = selected(self.old, selector, con)?;
        self.heap.items(fields).get(at).copied()
    }

    /// Prepares for code that evaluates something, `evaluated` if that is a value: binds the
    /// selections that would be left to what comes after it.
    pub(super) fn bind_selections(&mut self, evaluated: Option<NodeId>) {
        if self.pending.is_empty() || self.unwriting > 0 {
            return;
        }
        let evaluated = evaluated.map(|node| self.heap.resolve(node));
        let before = self.pending.clone();
        for selection in before.iter() {
            let Selection { node, selector, from } = *selection;
            let known = self.heap.get(node);
            if known.busy
                || known.name.is_some()
                || !matches!(known.value, AbstractValue::Thunk(..))
            {
                continue;
            }
            if let Some(field) = self.field(selector, from) {
                self.heap.share(field);
                self.heap.set(node, AbstractValue::Alias(field), None);
                continue;
            }
            let from = self.heap.resolve(from);
            // What nothing has begun to evaluate is not kept alive by its selections.
            let at_risk = matches!(self.heap.get(from).value, AbstractValue::Unknown(_))
                && !(self.knows() && evaluated == Some(from));
            if at_risk {
                self.atom(node, Span::NONE);
            }
        }
    }

    /// Binds the selections before code that evaluates a value, if that is not evaluated yet.
    pub(super) fn bind_selections_before(&mut self, node: NodeId) {
        if let AbstractValue::Unknown(false) = self.heap.get(node).value {
            self.bind_selections(Some(node));
        }
    }

    /// Replaces the selections from a value that has become known by the fields that they select.
    pub(super) fn select_from(&mut self, from: NodeId) {
        if self.pending.is_empty() {
            return;
        }
        let from = self.heap.resolve(from);
        let before = self.pending.clone();
        for selection in before.iter() {
            if self.heap.resolve(selection.from) != from {
                continue;
            }
            let known = self.heap.get(selection.node);
            let is_thunk = match known.value {
                AbstractValue::Thunk(..) => !known.busy,
                AbstractValue::Unknown(evaluated) => !evaluated,
                _ => false,
            };
            if is_thunk && let Some(field) = self.field(selection.selector, from) {
                self.heap.share(field);
                self.heap.set(selection.node, AbstractValue::Alias(field), None);
            }
        }
    }
}

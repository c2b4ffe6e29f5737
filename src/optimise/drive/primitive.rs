//! Primitives in strict contexts: computed of what is known, or written.

use super::eval::{Later, Operand, State};
use super::excluded::Tag;
use super::frame::{Action, Frames, push};
use super::heap::{AbstractValue, EnvId, NodeId};
use super::{Attempt, Driver, Outcome};
use crate::base::span::Span;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, Lit};
use crate::primitive::{Primitive, Shape};

/// A comparison of a variable and a literal.
struct Equality {
    node: NodeId,
    literal: Lit,
    /// Whether it holds if they are equal.
    equal: bool,
}

impl Driver<'_> {
    pub(super) fn primitive(
        &mut self,
        primitive: Primitive,
        global: GlobalId,
        operands: &[Operand],
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        match (primitive.shape(), operands) {
            (Shape::If, &[condition, yes, no]) => {
                let action = Action::If { yes, no, global, span };
                Ok(self.operand(condition, push(action, &frames)))
            }
            (Shape::Seq, &[first, second]) => {
                Ok(self.operand(first, push(Action::Seq(second), &frames)))
            }
            (Shape::Error, &[message]) => {
                self.may_write()?;
                let message = self.operand_node(message);
                let callee = self.global(global);
                let callee = self.expr(Expr::Global(callee), span);
                self.in_message += 1;
                let message = self.argument(message, true, span);
                self.in_message -= 1;
                let code = self.application(callee, vec![message], span);
                Ok(State::Value(Outcome::Ends(code), None))
            }
            (Shape::Action | Shape::Lazy, operands) => {
                let nodes = operands.iter().map(|&operand| self.operand_node(operand)).collect();
                self.call(global, nodes, 0, frames, span)
            }
            _ => {
                if let Some((at, others)) = self.deciding_operand(operands, &frames) {
                    let action = Action::Operand { primitive, global, at, others, span };
                    return Ok(self.operand(operands[at], push(action, &frames)));
                }
                let strict =
                    |driver: &mut Self| driver.strict(primitive, global, operands, &frames, span);
                let outcome = self.followed_by(&frames, strict)?;
                Ok(State::Value(outcome, frames))
            }
        }
    }

    /// Drives a primitive that is strict in all operands, and that frames follow.
    fn strict(
        &mut self,
        primitive: Primitive,
        global: GlobalId,
        operands: &[Operand],
        frames: &Frames,
        span: Span,
    ) -> Attempt<Outcome> {
        let before = self.later.len();
        self.later.push(Later::Frames(frames.clone()));
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(operands.len());
        // The last operand first, as the schemes have it.
        for at in (0..operands.len()).rev() {
            let around = self.later.len();
            self.later.extend(operands[..at].iter().copied().map(Later::Operand));
            let state = self.operand(operands[at], None);
            let outcome = self.run(state)?;
            self.forget_later(around);
            match outcome {
                Outcome::Ends(_) => {
                    self.forget_later(before);
                    return Ok(outcome);
                }
                Outcome::Code(_) | Outcome::Test { .. } => self.bind_selections(None),
                Outcome::Node(node) => self.bind_selections_before(node),
            }
            outcomes.push(outcome);
        }
        self.forget_later(before);
        outcomes.reverse();
        self.computed(primitive, global, &outcomes, span)
    }

    /// Forgets what was to come after what has been driven.
    fn forget_later(&mut self, from: usize) {
        self.later.truncate(from);
        self.later_bound = self.later_bound.min(from);
    }

    /// Computes a primitive of operands that are evaluated, or writes it.
    pub(super) fn computed(
        &mut self,
        primitive: Primitive,
        global: GlobalId,
        outcomes: &[Outcome],
        span: Span,
    ) -> Attempt<Outcome> {
        let nodes: Vec<NodeId> = outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Node(node) => Some(*node),
                _ => None,
            })
            .collect();
        if self.knows()
            && nodes.len() == outcomes.len()
            && let Some(lit) = self.fold_nodes(primitive, &nodes)
        {
            self.tally.folded += 1;
            return Ok(Outcome::Node(self.heap.add(AbstractValue::Lit(lit))));
        }
        if let Some(holds) = self.differs(primitive, &nodes) {
            self.tally.folded += 1;
            let lit = Lit::Int(i64::from(holds));
            return Ok(Outcome::Node(self.heap.add(AbstractValue::Lit(lit))));
        }
        self.may_write()?;
        let args: Vec<ExprId> = outcomes
            .iter()
            .map(|&outcome| match outcome {
                Outcome::Node(node) => self.atom(node, span),
                Outcome::Code(code) | Outcome::Test { code, .. } | Outcome::Ends(code) => code,
            })
            .collect();
        let callee = self.global(global);
        let callee = self.expr(Expr::Global(callee), span);
        let code = self.application(callee, args, span);
        Ok(self.test(primitive, &nodes, code))
    }

    /// Returns the outcome of a primitive as code; one of a comparison for equality of a variable
    /// and a literal says so.
    fn test(&self, primitive: Primitive, nodes: &[NodeId], code: ExprId) -> Outcome {
        match self.equality(primitive, nodes) {
            Some(Equality { node, literal, equal }) => Outcome::Test { code, node, literal, equal },
            None => Outcome::Code(code),
        }
    }

    /// Returns what is compared, if that is a variable and a literal, for equality.
    fn equality(&self, primitive: Primitive, nodes: &[NodeId]) -> Option<Equality> {
        let equal = match primitive {
            Primitive::Eq => true,
            Primitive::Neq => false,
            _ => return None,
        };
        let &[a, b] = nodes else { return None };
        let (node, literal) = match (self.heap.get(a).value, self.heap.get(b).value) {
            (AbstractValue::Unknown(_), AbstractValue::Lit(literal)) => (a, literal),
            (AbstractValue::Lit(literal), AbstractValue::Unknown(_)) => (b, literal),
            _ => return None,
        };
        // What is compared with a float fails.
        (!matches!(literal, Lit::Float(_))).then_some(Equality { node, literal, equal })
    }

    /// Returns what a comparison for equality gives of a value and a literal that it is known not to be.
    fn differs(&self, primitive: Primitive, nodes: &[NodeId]) -> Option<bool> {
        let Equality { node, literal, equal } = self.equality(primitive, nodes)?;
        self.is_excluded(node, Tag::Lit(literal)).then_some(!equal)
    }

    /// Returns what [`differs`](Self::differs) does, of an expression that is not evaluated.
    pub(super) fn differs_lazily(&mut self, condition: ExprId, env: EnvId) -> Option<bool> {
        if self.excluded.is_empty() {
            return None;
        }
        let old = self.old;
        let Expr::App(callee, args) = old.exprs[condition] else { return None };
        let Expr::Global(global) = old.exprs[callee] else { return None };
        let GlobalKind::Primitive(primitive) = old.globals[global].kind else { return None };
        let mut nodes = Vec::new();
        for &arg in &old.expr_lists[args] {
            nodes.push(match old.exprs[arg] {
                Expr::Local(local) => self.lookup(local, env),
                Expr::Lit(literal) => self.heap.add(AbstractValue::Lit(literal)),
                _ => return None,
            });
        }
        self.differs(primitive, &nodes)
    }
}

//! Choices by tests on a number: what follows a comparison.
//!
//! Of `(let ([c (compare x y)]) (if (lt c 0) A (if (gt c 0) B C)))` the comparison has three ends, each a
//! literal, and each goes on with one of the expressions. So the tests are taken as one choice, as a switch is:
//! `A`, `B` and `C` are written once each, a branch that comes with a literal jumps to one of them, and what comes
//! with an unknown number is tested first ([`share`](super::share)).

use std::rc::Rc;

use super::branch::Choice;
use super::eval::{Operand, State};
use super::frame::{Action, Brings, Entry, Shared};
use super::heap::{AbstractValue, EnvId, NodeId};
use super::{Attempt, Driver, Outcome};
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, Lit, LocalId};
use crate::primitive::{Primitive, Shape};

/// The most tests of a choice.
const TESTS: usize = 4;
/// The most literals for which an expression that mentions the number is written.
const LITERALS: usize = 4;

/// The tests that shared frames begin with.
#[derive(Clone, Copy)]
pub(super) struct Tests<'s> {
    /// What is tested.
    pub local: LocalId,
    pub env: EnvId,
    pub shared: &'s Rc<Shared>,
    /// How many more may follow.
    pub left: usize,
}

impl<'s> Tests<'s> {
    /// Returns the tests of a local.
    pub fn new(local: LocalId, env: EnvId, shared: &'s Rc<Shared>) -> Tests<'s> {
        Tests { local, env, shared, left: TESTS }
    }
}

/// A test of a number.
#[derive(Clone, Copy)]
struct Test {
    condition: ExprId,
    primitive: Primitive,
    literal: i64,
    /// Whether the literal is the first operand.
    is_swapped: bool,
    /// Its alternatives.
    yes: ExprId,
    no: ExprId,
    /// The `if`.
    global: GlobalId,
}

impl Test {
    /// Returns the alternative that a number takes.
    fn of(&self, number: i64) -> ExprId {
        let (a, b) = match self.is_swapped {
            true => (self.literal, number),
            false => (number, self.literal),
        };
        let holds = match self.primitive {
            Primitive::Eq => a == b,
            Primitive::Neq => a != b,
            Primitive::Lt => a < b,
            Primitive::Le => a <= b,
            Primitive::Gt => a > b,
            _ => a >= b,
        };
        if holds { self.yes } else { self.no }
    }
}

impl Driver<'_> {
    /// Returns the test of a local that an expression is.
    fn test_of(&self, local: LocalId, expr: ExprId) -> Option<Test> {
        let old = self.old;
        let primitive = |callee: ExprId| match old.exprs[callee] {
            Expr::Global(global) => match old.globals[global].kind {
                GlobalKind::Primitive(primitive) => Some((primitive, global)),
                _ => None,
            },
            _ => None,
        };
        let Expr::App(callee, args) = old.exprs[expr] else { return None };
        let (choice, global) = primitive(callee)?;
        let &[condition, yes, no] = &old.expr_lists[args] else { return None };
        let Expr::App(callee, operands) = old.exprs[condition] else { return None };
        let (primitive, _) = primitive(callee)?;
        let is_comparison = matches!(
            primitive,
            Primitive::Eq
                | Primitive::Neq
                | Primitive::Lt
                | Primitive::Le
                | Primitive::Gt
                | Primitive::Ge
        );
        let &[a, b] = &old.expr_lists[operands] else { return None };
        let (literal, is_swapped) = match (old.exprs[a], old.exprs[b]) {
            (Expr::Local(of), Expr::Lit(Lit::Int(literal))) if of == local => (literal, false),
            (Expr::Lit(Lit::Int(literal)), Expr::Local(of)) if of == local => (literal, true),
            _ => return None,
        };
        (matches!(choice.shape(), Shape::If) && is_comparison).then_some(Test {
            condition,
            primitive,
            literal,
            is_swapped,
            yes,
            no,
            global,
        })
    }

    /// Returns whether a body begins with a test of the local that it is bound to.
    pub(super) fn begins_with_test(&self, local: LocalId, body: ExprId) -> bool {
        self.test_of(local, body).is_some()
    }

    /// Returns the alternative that a literal takes of the tests that a body begins with, and how it is
    /// entered.
    pub(super) fn tested(
        &mut self,
        local: LocalId,
        body: ExprId,
        node: NodeId,
        shared: &Shared,
    ) -> Option<(ExprId, Entry)> {
        let AbstractValue::Lit(lit @ Lit::Int(number)) = self.heap.get(node).value else {
            return None;
        };
        let mut at = self.test_of(local, body)?.of(number);
        for _ in 1..TESTS {
            let Some(test) = self.test_of(local, at) else { break };
            at = test.of(number);
        }
        let brings = match self.mentions(at, local) {
            false => Brings::Nothing,
            true if shared.entries.borrow().len() < LITERALS => Brings::Lit(lit),
            true => Brings::Value,
        };
        Some((at, Entry::Tested(at, brings)))
    }

    /// Tests an unknown number, between jumps to the alternatives.
    pub(super) fn choose_by_tests(
        &mut self,
        expr: ExprId,
        node: NodeId,
        tests: &Tests<'_>,
    ) -> Attempt<State> {
        let test = match tests.left {
            0 => None,
            _ => self.test_of(tests.local, expr),
        };
        let Some(test) = test else {
            let brings = match self.mentions(expr, tests.local) {
                true => Brings::Value,
                false => Brings::Nothing,
            };
            return self.enter_by(Entry::Tested(expr, brings), node, tests.shared);
        };
        let env = tests.env;
        let condition = self.run(State::Eval(test.condition, env, None))?;
        let inner = Tests { left: tests.left - 1, ..*tests };
        // What an earlier test has found out may decide it.
        if let Outcome::Node(outcome) = condition
            && let Some(holds) = self.truth(outcome)
        {
            let taken = if holds { test.yes } else { test.no };
            return self.choose_by_tests(taken, node, &inner);
        }
        let parts = (Operand::Expr(test.yes, env), Operand::Expr(test.no, env), test.global);
        let span = self.span(expr, env);
        self.choose(condition, parts, &None, span, Some(Choice::Tests(node, &inner)))
    }

    /// Goes on with an alternative of the tests that shared frames begin with.
    pub(super) fn alternative_of_tests(
        &mut self,
        expr: ExprId,
        node: NodeId,
        shared: &Rc<Shared>,
    ) -> State {
        let Some(frame) = &shared.frames else { unreachable!("they begin with tests") };
        let Action::Force(local, _, env) = frame.action else {
            unreachable!("tests are of what is bound")
        };
        self.bind(local, env, node);
        State::Eval(expr, env, frame.next.clone())
    }

    fn mentions(&mut self, expr: ExprId, local: LocalId) -> bool {
        self.free_locals(expr).is_none_or(|free| free.contains(&local))
    }
}

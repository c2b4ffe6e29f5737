//! Choices on what other choices come to.
//!
//! `(if (gt (if (lt a b) -1 1) 0) P Q)` is `(if (lt a b) Q P)`: a primitive on what one of several literals
//! is is computed in the place of each, and of a choice on that the alternatives stand in these places. One
//! that several would go on with is a join point. So nothing is copied but names and literals, and what is
//! evaluated, and in which order, stays.

use rustc_hash::FxHashMap;

use super::known::{Known, Value};
use crate::base::index::List;
use crate::core::expr::{Expr, ExprId, Join, JoinId, Lit, LocalId};
use crate::primitive::Primitive;

/// The most ways through a choice on which another one is made.
const WAYS: usize = 16;

impl Known<'_> {
    /// Computes a primitive on literals and one choice at the ends of that, and returns whether it could.
    pub(super) fn compute_at_ends(
        &mut self,
        expr: ExprId,
        primitive: Primitive,
        operands: &[ExprId],
    ) -> bool {
        let literal = |known: &Known<'_>, operand: ExprId| match known.program.exprs[operand] {
            Expr::Lit(lit) => Some(lit),
            _ => None,
        };
        let mut others = (0..operands.len()).filter(|&at| literal(self, operands[at]).is_none());
        let (Some(at), None) = (others.next(), others.next()) else { return false };
        let Some(ends) = self.ends(operands[at]) else { return false };
        let mut results = Vec::with_capacity(ends.len());
        for &end in &ends {
            let lits = operands.iter().enumerate().map(|(number, &operand)| {
                literal(self, if number == at { end } else { operand })
            });
            let Some(lits) = lits.collect::<Option<Vec<Lit>>>() else { return false };
            let Some(lit) = self.folder.fold(&mut self.program.bigs, primitive, &lits) else {
                return false;
            };
            results.push(lit);
        }
        for (end, lit) in ends.into_iter().zip(results) {
            self.program.exprs[end] = Expr::Lit(lit);
            self.done.folded += 1;
        }
        self.replace(expr, operands[at]);
        true
    }

    /// Goes on with one of two at the ends of a condition that is a choice of truths itself, and returns
    /// whether it is one.
    pub(super) fn decide_at_ends(
        &mut self,
        expr: ExprId,
        condition: ExprId,
        [yes, no]: [ExprId; 2],
    ) -> bool {
        let Some(ends) = self.ends(condition) else { return false };
        let target = |&end: &ExprId| match self.program.exprs[end] {
            Expr::Lit(Lit::Int(1)) => Some(yes),
            Expr::Lit(Lit::Int(0)) => Some(no),
            _ => None,
        };
        match ends.iter().map(target).collect::<Option<Vec<ExprId>>>() {
            Some(targets) => self.go_on(expr, condition, &ends, &targets),
            None => return false,
        }
        true
    }

    /// Goes on with the alternatives of a switch at the ends of what it takes apart, which is bound to nothing
    /// but its scrutinee, and returns whether those are literals and constructors without fields.
    pub(super) fn switch_at_ends(
        &mut self,
        expr: ExprId,
        local: LocalId,
        value: ExprId,
        body: ExprId,
    ) -> bool {
        let Expr::Switch(switch) = self.program.exprs[body] else { return false };
        if self.program.switches[switch].scrutinee != local || self.mentioned.contains(&local) {
            return false;
        }
        let Some(ends) = self.ends(value) else { return false };
        let mut targets = Vec::with_capacity(ends.len());
        for &end in &ends {
            let known = match self.program.exprs[end] {
                Expr::Lit(lit) if lit.is_immediate() => Value::Lit(lit),
                Expr::Con(con) if self.program.cons[con].arity == 0 => Value::Con(con, local, end),
                _ => return false,
            };
            let Some(target) = self.taken(switch, known) else { return false };
            targets.push(target);
        }
        self.go_on(expr, value, &ends, &targets);
        true
    }

    /// Returns the ends of a choice, without its jumps to its own joins: several, and not too many.
    fn ends(&self, value: ExprId) -> Option<Vec<ExprId>> {
        let mut ends = self.program.ends_up_to(value, WAYS)?;
        ends.retain(|&end| !matches!(self.program.exprs[end], Expr::Jump(..)));
        (ends.len() > 1).then_some(ends)
    }

    /// Puts what is gone on with in the places of the ends of a choice, which takes the place of an expression.
    fn go_on(&mut self, expr: ExprId, value: ExprId, ends: &[ExprId], targets: &[ExprId]) {
        let mut ways: FxHashMap<ExprId, u32> = FxHashMap::default();
        targets.iter().for_each(|&target| *ways.entry(target).or_default() += 1);
        let mut joins: FxHashMap<ExprId, JoinId> = FxHashMap::default();
        let mut all = value;
        for (&end, &target) in ends.iter().zip(targets) {
            if ways[&target] == 1 || self.is_atom(target) {
                self.replace(end, target);
                self.expr(end);
                continue;
            }
            let join = *joins.entry(target).or_insert_with(|| {
                let join = Join { params: List::EMPTY, handler: target };
                let join = self.program.joins.push(join);
                all = self.program.expr(Expr::Join(join, all), self.program.spans[expr]);
                join
            });
            self.program.exprs[end] = Expr::Jump(join, List::EMPTY);
        }
        for (target, join) in joins {
            self.jumped.insert(join);
            self.expr(target);
        }
        self.replace(expr, all);
        self.done.decided += 1;
    }
}

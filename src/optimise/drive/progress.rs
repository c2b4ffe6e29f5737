//! How far a loop that is being unfolded still has to go.
//!
//! A loop from 1 to a million takes all steps of an attempt, and nothing comes of it. Once it has been around
//! some times it is known what a turn takes and which numbers it counts: if none of them comes to a number
//! that it could be compared with in the steps that are left, the attempt ends there.
//!
//! - *A guess.* That a loop ends at one of those numbers is likely, not certain. Nothing depends on it but
//!   whether it is unfolded: what is given up here is left to the run.

use super::Driver;
use super::heap::{AbstractValue, EnvId};
use super::pattern::Pattern;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, Lit};
use crate::primitive::Primitive;

/// Each time after so many turns the end of a loop is looked for.
const TURNS: usize = 2;
/// A loop is given up if the steps that it needs, times the turns that it has taken, are more than so many
/// times those that are left: after few turns it has to have much farther to go.
const SURE: i64 = 32;

/// A call that is being unfolded.
pub(super) struct Unfolding {
    /// The function.
    pub(super) of: GlobalId,
    /// What is known of its arguments.
    pub(super) key: Vec<Pattern>,
    /// The steps that were left then.
    pub(super) left: i64,
    /// In how many speculations it is: each counts steps of its own.
    pub(super) speculations: u32,
}

impl Driver<'_> {
    /// Returns whether a call is a turn of a loop that counts, and will not come to its end with the steps
    /// that the attempt has left.
    pub(super) fn is_far_from_end(&self, global: GlobalId, key: &[Pattern]) -> bool {
        let is_turn = |unfolding: &&Unfolding| {
            unfolding.of == global && unfolding.speculations == self.unwriting
        };
        let turns = || self.unfolding.iter().filter(is_turn);
        let Some(last) = turns().next_back() else { return false };
        let taken = turns().count();
        if taken % TURNS != 0 {
            return false;
        }
        let pairs = || last.key.iter().zip(key);
        // What goes along a structure ends with it.
        let is_along = |(before, now): (&Pattern, &Pattern)| match now {
            Pattern::Text(..) | Pattern::Caf(_) | Pattern::Constant(_) => before != now,
            _ => now.size() < before.size(),
        };
        if pairs().any(is_along) {
            return false;
        }
        let ends = self.numbers_of(global).chain(pairs().filter_map(|(before, now)| match now {
            Pattern::Lit(Lit::Int(number)) if before == now => Some(*number),
            _ => None,
        }));
        let ends: Vec<i64> = ends.collect();
        let counted = pairs().filter_map(|pair| match pair {
            (&Pattern::Lit(Lit::Int(before)), &Pattern::Lit(Lit::Int(now))) => Some((before, now)),
            _ => None,
        });
        let to_come = counted.flat_map(|(before, now)| {
            ends.iter().filter_map(move |&end| turns_to(before, now, end))
        });
        let steps = (last.left - self.attempt).saturating_mul(taken as i64);
        to_come.min().is_some_and(|turns| turns.saturating_mul(steps) / SURE > self.attempt)
    }

    /// Returns whether a thunk goes on with what a producer makes that counts, and that will not come to its
    /// end in so many parts.
    pub(super) fn is_long(&self, expr: ExprId, env: EnvId, parts: u32) -> bool {
        let Expr::App(callee, args) = self.old.exprs[expr] else { return false };
        let Expr::Global(of) = self.old.exprs[callee] else { return false };
        let args = &self.old.expr_lists[args];
        let counted: Vec<(i64, i64)> =
            args.iter().filter_map(|&arg| self.counted_number(arg, env)).collect();
        if counted.is_empty() || !self.is_producer(of) {
            return false;
        }
        let ends = args.iter().filter_map(|&arg| self.number(arg, env)).chain(self.numbers_of(of));
        let turns = ends.flat_map(|end| {
            counted.iter().filter_map(move |&(before, now)| turns_to(before, now, end))
        });
        turns.min().is_some_and(|turns| turns > i64::from(parts))
    }

    /// Returns the number that an expression is.
    fn number(&self, expr: ExprId, env: EnvId) -> Option<i64> {
        let lit = match self.old.exprs[expr] {
            Expr::Lit(lit) => lit,
            Expr::Local(local) => {
                match self.heap.get(self.heap.lookup(env, self.facts.slot[local])).value {
                    AbstractValue::Lit(lit) => lit,
                    _ => return None,
                }
            }
            _ => return None,
        };
        match lit {
            Lit::Int(number) => Some(number),
            _ => None,
        }
    }

    /// Returns a number and what it is counted to, if an expression does that.
    fn counted_number(&self, expr: ExprId, env: EnvId) -> Option<(i64, i64)> {
        let Expr::App(callee, args) = self.old.exprs[expr] else { return None };
        let Expr::Global(callee) = self.old.exprs[callee] else { return None };
        let GlobalKind::Primitive(primitive) = self.old.globals[callee].kind else { return None };
        let &[first, second] = &self.old.expr_lists[args] else { return None };
        let (number, step) = (self.number(first, env)?, self.number(second, env)?);
        match primitive {
            Primitive::Add => Some((number, number.checked_add(step)?)),
            Primitive::Sub => Some((number, number.checked_sub(step)?)),
            _ => None,
        }
    }

    /// Returns the numbers in the body of a function.
    fn numbers_of(&self, global: GlobalId) -> impl Iterator<Item = i64> {
        let body = match self.old.globals[global].kind {
            GlobalKind::Defn { body, .. } => body,
            _ => None,
        };
        let parts = body.into_iter().flat_map(|body| self.old.walk(body));
        parts.filter_map(|expr| match self.old.exprs[expr] {
            Expr::Lit(Lit::Int(number)) => Some(number),
            _ => None,
        })
    }
}

/// Returns after how many more turns a number that was `before` in one and is `now` in the next comes to an
/// end or past it, if each changes it by as much; `None` if it does not.
fn turns_to(before: i64, now: i64, end: i64) -> Option<i64> {
    let (step, way) = (i128::from(now) - i128::from(before), i128::from(end) - i128::from(now));
    let comes = step != 0 && way.signum() != -step.signum();
    comes.then(|| i64::try_from(way / step).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::turns_to;

    #[test]
    fn a_number_comes_to_what_lies_ahead() {
        assert_eq!(turns_to(1, 2, 10), Some(8));
        assert_eq!(turns_to(10, 7, 0), Some(2));
        assert_eq!(turns_to(4, 5, 5), Some(0));
        assert_eq!(turns_to(4, 5, 4), None);
        assert_eq!(turns_to(4, 4, 9), None);
        assert_eq!(turns_to(i64::MAX, i64::MAX - 1, i64::MIN), Some(i64::MAX));
    }
}

//! Abstract values: monotone boolean functions of variables.
//!
//! A value is kept as the sets of variables that make it bottom: a *cause* is a set such that,
//! all its variables bottom, the value is bottom too. Only causes that contain no other one are
//! kept, so that equal functions look equal: it is the conjunctive normal form of the function,
//! each cause a clause. Causes of one variable are those in which the value is strict; they are
//! kept apart, in one set.
//!
//! A value may have more causes than it pays to keep. The larger ones then are forgotten, which
//! makes the function larger: it claims less.

use crate::base::bit_set::BitSet;

/// The number of causes of more than one variable that a value keeps.
const CAUSES: usize = 64;
/// The number of pairs of causes that the alternative of two values looks at.
const PAIRS: usize = 1024;

/// An abstract value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Value {
    /// Whether it is bottom whatever the variables are.
    zero: bool,
    /// The causes of one variable.
    strict: BitSet,
    /// The other ones, the smallest first; none of them contains another, nor a variable of
    /// `strict`.
    causes: Vec<BitSet>,
}

impl Value {
    /// The value that is certainly bottom.
    pub(super) const ZERO: Value = Value { zero: true, strict: BitSet::EMPTY, causes: Vec::new() };
    /// The value of which nothing is known.
    pub(super) const ONE: Value = Value { zero: false, strict: BitSet::EMPTY, causes: Vec::new() };

    /// Returns what a variable is.
    pub(super) fn variable(number: u32) -> Value {
        Value { zero: false, strict: BitSet::of(number), causes: Vec::new() }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.zero
    }

    /// Returns whether nothing makes it bottom.
    pub(super) fn is_one(&self) -> bool {
        !self.zero && self.strict.is_empty() && self.causes.is_empty()
    }

    /// Returns whether it is bottom if this one variable is.
    pub(super) fn is_strict(&self, number: u32) -> bool {
        self.zero || self.strict.contains(number)
    }

    /// Returns whether the variable is in any of its causes.
    pub(super) fn depends_on(&self, number: u32) -> bool {
        self.strict.contains(number) || self.causes.iter().any(|cause| cause.contains(number))
    }

    /// Returns the causes of more than one variable.
    pub(super) fn causes(&self) -> &[BitSet] {
        &self.causes
    }

    /// Returns whether it is bottom if these variables are.
    fn is_caused_by(&self, cause: &BitSet) -> bool {
        self.zero
            || self.strict.intersects(cause)
            || self.causes.iter().any(|own| own.is_subset(cause))
    }

    /// Returns all causes that are not such of `other`, of them at most [`CAUSES`] of one variable;
    /// the others go to `kept`.
    fn apart_from(&self, other: &Value, kept: &mut Vec<BitSet>) -> Vec<BitSet> {
        let singles = self.strict.without(&other.strict);
        let mut apart: Vec<BitSet> = singles.iter().take(CAUSES).map(BitSet::of).collect();
        for cause in &self.causes {
            let to = if other.is_caused_by(cause) { &mut *kept } else { &mut apart };
            to.push(cause.clone());
        }
        apart
    }
}

/// The operations on values; counts the words that they look at.
#[derive(Default)]
pub(super) struct Algebra {
    /// The number of words looked at so far.
    pub(super) work: u64,
}

impl Algebra {
    /// Returns the value that is bottom if either is.
    pub(super) fn and(&mut self, one: Value, other: &Value) -> Value {
        if one.zero || other.zero {
            return Value::ZERO;
        }
        if other.is_one() {
            return one;
        }
        self.work += (one.strict.words() + other.strict.words()) as u64;
        let strict = one.strict.union(&other.strict);
        if one.causes.is_empty() && other.causes.is_empty() {
            return Value { zero: false, strict, causes: Vec::new() };
        }
        let mut causes = one.causes;
        causes.extend_from_slice(&other.causes);
        self.value(strict, causes)
    }

    /// Returns the value that is bottom if both are.
    pub(super) fn or(&mut self, one: Value, other: Value) -> Value {
        if one.zero || other.is_one() {
            return other;
        }
        if other.zero || one.is_one() {
            return one;
        }
        self.work += (one.strict.words() + other.strict.words()) as u64;
        let strict = one.strict.intersection(&other.strict);
        // A cause of both is one of the result, and its pairs with others contain it.
        let mut causes = Vec::new();
        let ones = one.apart_from(&other, &mut causes);
        let others = other.apart_from(&one, &mut causes);
        let words = one.strict.words().max(other.strict.words());
        self.work += ((one.causes.len() + 1) * (other.causes.len() + 1) * words) as u64;
        self.work += (words * (ones.len() + others.len()) + ones.len() * others.len()) as u64;
        let pairs = ones.iter().flat_map(|a| others.iter().map(move |b| a.union(b)));
        causes.extend(pairs.take(PAIRS));
        self.value(strict, causes)
    }

    /// Returns the value with these causes.
    fn value(&mut self, strict: BitSet, mut causes: Vec<BitSet>) -> Value {
        causes.retain(|cause| !cause.intersects(&strict));
        causes.sort_unstable_by(BitSet::by_size);
        causes.dedup();
        let mut least: Vec<BitSet> = Vec::with_capacity(causes.len().min(CAUSES));
        for cause in causes {
            if least.len() == CAUSES {
                break;
            }
            self.work += (1 + least.len() * cause.words()) as u64;
            if !least.iter().any(|smaller| smaller.is_subset(&cause)) {
                least.push(cause);
            }
        }
        Value { zero: false, strict, causes: least }
    }

    /// Returns whether `one` is bottom whenever `other` is.
    pub(super) fn is_below(&mut self, one: &Value, other: &Value) -> bool {
        if one.zero || other.zero {
            return one.zero;
        }
        let words = one.strict.words().max(other.strict.words());
        self.work += (words * (1 + other.causes.len() * (1 + one.causes.len()))) as u64;
        other.strict.is_subset(&one.strict)
            && other.causes.iter().all(|cause| one.is_caused_by(cause))
    }

    /// Returns the next step of a fixpoint from below, and whether it goes on: `before`, raised to
    /// `found`. That is `found` itself, unless something was forgotten on the way.
    pub(super) fn raise(&mut self, before: Value, found: Value) -> (Value, bool) {
        if self.is_below(&found, &before) {
            return (before, false);
        }
        let raised = match self.is_below(&before, &found) {
            true => found,
            false => self.or(before, found),
        };
        (raised, true)
    }

    /// Returns `value` with a variable replaced by `by`.
    pub(super) fn substitute(&mut self, value: Value, variable: u32, by: &Value) -> Value {
        self.work += (value.strict.words() * (1 + value.causes.len())) as u64;
        let without = BitSet::of(variable);
        if value.strict.contains(variable) {
            let strict = value.strict.without(&without);
            return self.and(Value { strict, ..value }, by);
        }
        if !value.causes.iter().any(|cause| cause.contains(variable)) {
            return value;
        }
        let (with, causes) = value.causes.into_iter().partition(|cause| cause.contains(variable));
        let mut result = Value { zero: value.zero, strict: value.strict, causes };
        let with: Vec<BitSet> = with;
        for cause in with {
            let rest = cause.without(&without);
            let rest = match rest.len() {
                1 => Value { strict: rest, ..Value::ONE },
                _ => Value { causes: vec![rest], ..Value::ONE },
            };
            let either = self.or(rest, by.clone());
            result = self.and(result, &either);
        }
        result
    }

    /// Returns a function of variables 0, 1, .. applied to arguments. Asks for each argument at
    /// most once, and for none that it does not depend on.
    pub(super) fn apply(
        &mut self,
        function: &Value,
        mut argument: impl FnMut(&mut Algebra, u32) -> Value,
    ) -> Value {
        let mut result = Value { zero: function.zero, ..Value::ONE };
        for number in function.strict.iter() {
            let value = argument(self, number);
            result = self.and(result, &value);
        }
        let mut known: Vec<(u32, Value)> = Vec::new();
        for cause in &function.causes {
            let mut either = Value::ZERO;
            for number in cause.iter() {
                let at = match known.iter().position(|&(of, _)| of == number) {
                    Some(at) => at,
                    None => {
                        let value = argument(self, number);
                        known.push((number, value));
                        known.len() - 1
                    }
                };
                self.work += 1 + known.len() as u64;
                either = self.or(either, known[at].1.clone());
            }
            result = self.and(result, &either);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a monotone function of three variables as a table over the eight points: bit `p`
    /// says whether the function is 1 at the point whose bit `i` says whether variable `i` is 1.
    fn table(value: &Value) -> u8 {
        (0..8u32)
            .filter(|point| is_one_at(value, *point))
            .fold(0, |table, point| table | 1 << point)
    }

    fn is_one_at(value: &Value, point: u32) -> bool {
        let bottom = |number: &u32| point & 1 << number == 0;
        !value.zero
            && !value.strict.iter().any(|number| bottom(&number))
            && !value.causes.iter().any(|cause| cause.iter().all(|number| bottom(&number)))
    }

    /// Returns all monotone functions of three variables: there are 20.
    fn all() -> Vec<Value> {
        let mut algebra = Algebra::default();
        let mut found = vec![Value::ZERO, Value::ONE];
        found.extend((0..3).map(Value::variable));
        loop {
            let before = found.len();
            for a in 0..before {
                for b in 0..before {
                    let and = algebra.and(found[a].clone(), &found[b]);
                    let or = algebra.or(found[a].clone(), found[b].clone());
                    for value in [and, or] {
                        if !found.contains(&value) {
                            found.push(value);
                        }
                    }
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    #[test]
    fn operations_are_those_of_boolean_functions() {
        let all = all();
        assert_eq!(all.len(), 20, "one form for each function");
        let mut algebra = Algebra::default();
        for a in &all {
            for b in &all {
                assert_eq!(table(&algebra.and(a.clone(), b)), table(a) & table(b));
                assert_eq!(table(&algebra.or(a.clone(), b.clone())), table(a) | table(b));
                assert_eq!(algebra.is_below(a, b), table(a) & !table(b) == 0, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn substitution_and_application_are_composition() {
        let all = all();
        let mut algebra = Algebra::default();
        let at = |value: &Value, point: u32| is_one_at(value, point);
        for f in &all {
            for a in &all {
                let substituted = algebra.substitute(f.clone(), 1, a);
                for b in &all {
                    let args = [a, b, &Value::ONE];
                    let mut asked = [0; 3];
                    let applied = algebra.apply(f, |_, number| {
                        asked[number as usize] += 1;
                        args[number as usize].clone()
                    });
                    assert!(asked.iter().all(|&times| times <= 1));
                    for point in 0..8 {
                        let inner = (0..3).filter(|&i| at(args[i as usize], point));
                        let inner = inner.fold(0, |bits, i| bits | 1 << i);
                        assert_eq!(at(&applied, point), at(f, inner), "{f:?} of {a:?} {b:?}");
                        let inner = point & !2 | u32::from(at(a, point)) << 1;
                        assert_eq!(at(&substituted, point), at(f, inner), "{f:?} {a:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_too_large_claims_less() {
        let mut algebra = Algebra::default();
        let side = |algebra: &mut Algebra, from: u32| {
            (from..from + 100).fold(Value::ONE, |sum, i| algebra.and(sum, &Value::variable(i)))
        };
        let (one, other) = (side(&mut algebra, 0), side(&mut algebra, 100));
        let either = algebra.or(one.clone(), other.clone());
        assert_eq!(either.causes.len(), CAUSES);
        assert!(algebra.is_below(&one, &either) && algebra.is_below(&other, &either));
    }
}

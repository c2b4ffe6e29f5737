//! Sets of small numbers: bits, the first 64 in place.

use std::cmp::Ordering;

/// A set of numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct BitSet {
    low: u64,
    /// The bits from 64 on; its last word is not 0.
    high: Vec<u64>,
}

impl BitSet {
    /// The empty set.
    pub const EMPTY: BitSet = BitSet { low: 0, high: Vec::new() };

    /// Returns the set of one number.
    #[inline]
    #[must_use]
    pub fn of(number: u32) -> BitSet {
        let mut set = BitSet::EMPTY;
        set.insert(number);
        set
    }

    /// Returns how many words the set takes, which is what an operation on it costs.
    #[inline]
    #[must_use]
    pub fn words(&self) -> usize {
        1 + self.high.len()
    }

    #[inline]
    fn word(&self, at: usize) -> u64 {
        match at {
            0 => self.low,
            _ => self.high.get(at - 1).copied().unwrap_or(0),
        }
    }

    /// Returns the set whose words `of` makes of those of two sets.
    fn zip(&self, other: &BitSet, of: impl Fn(u64, u64) -> u64) -> BitSet {
        let len = self.high.len().max(other.high.len());
        let mut high: Vec<u64> = Vec::new();
        if len > 0 {
            high.extend((1..=len).map(|at| of(self.word(at), other.word(at))));
            while high.last() == Some(&0) {
                high.pop();
            }
        }
        BitSet { low: of(self.low, other.low), high }
    }

    /// Adds a number, and returns whether it is new.
    #[inline]
    pub fn insert(&mut self, number: u32) -> bool {
        let at = (number / 64) as usize;
        if at > self.high.len() {
            self.high.resize(at, 0);
        }
        let word = match at {
            0 => &mut self.low,
            _ => &mut self.high[at - 1],
        };
        let before = *word;
        *word |= 1 << (number % 64);
        *word != before
    }

    /// Returns whether a number is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.word((number / 64) as usize) & 1 << (number % 64) != 0
    }

    /// Returns whether the set has no element.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.low.count_ones() + self.high.iter().map(|word| word.count_ones()).sum::<u32>()
    }

    /// Returns what is in either set.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &BitSet) -> BitSet {
        self.zip(other, |a, b| a | b)
    }

    /// Returns what is in both sets.
    #[inline]
    #[must_use]
    pub fn intersection(&self, other: &BitSet) -> BitSet {
        self.zip(other, |a, b| a & b)
    }

    /// Returns what is in this set and not in the other.
    #[must_use]
    pub fn without(&self, other: &BitSet) -> BitSet {
        self.zip(other, |a, b| a & !b)
    }

    /// Returns whether the sets have an element in common.
    #[inline]
    #[must_use]
    pub fn intersects(&self, other: &BitSet) -> bool {
        self.low & other.low != 0 || self.high.iter().zip(&other.high).any(|(a, b)| a & b != 0)
    }

    /// Returns whether all elements are in the other set too.
    #[inline]
    #[must_use]
    pub fn is_subset(&self, of: &BitSet) -> bool {
        self.low & !of.low == 0
            && self.high.len() <= of.high.len()
            && self.high.iter().zip(&of.high).all(|(a, b)| a & !b == 0)
    }

    /// Returns the elements in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.words()).flat_map(|at| {
            let mut word = self.word(at);
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                (bit < 64).then(|| {
                    word &= word - 1;
                    at as u32 * 64 + bit
                })
            })
        })
    }

    /// Compares by size, then by the bits.
    #[must_use]
    pub fn by_size(&self, other: &BitSet) -> Ordering {
        let len = self.len().cmp(&other.len());
        len.then_with(|| self.low.cmp(&other.low)).then_with(|| self.high.cmp(&other.high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn set(numbers: &[u32]) -> BitSet {
        let mut set = BitSet::EMPTY;
        for &number in numbers {
            set.insert(number);
        }
        set
    }

    #[test]
    fn operations_are_those_of_sets_on_both_sides_of_a_word() {
        let samples: &[&[u32]] =
            &[&[], &[0], &[63], &[64], &[0, 64], &[1, 63, 64, 200], &[200], &[128, 5], &[1, 5]];
        for a in samples {
            for b in samples {
                let (x, y) = (set(a), set(b));
                let (a, b): (BTreeSet<u32>, BTreeSet<u32>) =
                    (a.iter().copied().collect(), b.iter().copied().collect());
                let list = |set: &BitSet| set.iter().collect::<BTreeSet<u32>>();
                assert_eq!(list(&x.union(&y)), &a | &b);
                assert_eq!(list(&x.intersection(&y)), &a & &b);
                assert_eq!(list(&x.without(&y)), &a - &b);
                assert_eq!(x.intersects(&y), !a.is_disjoint(&b));
                assert_eq!(x.is_subset(&y), a.is_subset(&b));
                assert_eq!(x == y, a == b);
                assert_eq!(x.without(&y) == x, a.is_disjoint(&b), "no empty words are kept");
                assert_eq!(x.len() as usize, a.len());
                assert_eq!(x.is_empty(), a.is_empty());
                assert!(a.iter().all(|&number| x.contains(number)));
                assert!(!x.contains(1000));
            }
        }
    }
}

//! The order in which variants are driven: the innermost loops come first, and of those that are as deep what was
//! asked for first, but nobody may spend what all have together before the others have had their share.
//!
//! The limits of a program (its steps, its expressions, the variants of a function) are common to all of its
//! parts. Where they do not suffice for all, they are to serve what runs most often: a loop in a loop (Wu and Larus,
//! "Static branch frequency and program profile analysis", 1994). Deeper than a few, there is nothing to tell how often.
//!
//! A part that unfolds without end would use up the limits, and leave nothing to those that come after it. So each
//! variant is made on account of the function of the source that led to it, and the variants of an account that
//! has spent much are put off until all others are driven; then the account that has spent least comes first, as
//! in fair queueing (Demers, Keshav and Shenker, "Analysis and simulation of a fair queueing algorithm", 1989).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

/// What an account may spend before others come first, in steps.
const SHARE: i64 = 16_000;

/// The most loops in each other that are told apart.
const LOOPS: u32 = 3;

/// The variants that are to be driven.
#[derive(Default)]
pub(super) struct Agenda {
    /// By how many loops they are in, the most first.
    first: BinaryHeap<(u32, Reverse<u32>)>,
    /// Those that are put off, of each account that has any.
    later: FxHashMap<u32, BinaryHeap<Reverse<u32>>>,
    /// These accounts, by what they had spent when they were last looked at.
    waiting: BinaryHeap<Reverse<(i64, u32)>>,
    /// The steps that each account has spent.
    spent: FxHashMap<u32, i64>,
}

impl Agenda {
    /// Adds a variant that is made on an account, in so many loops.
    pub fn add(&mut self, variant: u32, account: u32, loops: u32) {
        match self.spent(account) {
            few if few < SHARE => self.first.push((loops.min(LOOPS), Reverse(variant))),
            _ => self.put_off(variant, account),
        }
    }

    /// Returns the variant that is driven next; `account` tells on which account one is made.
    pub fn next(&mut self, account: impl Fn(u32) -> u32) -> Option<u32> {
        while let Some((_, Reverse(variant))) = self.first.pop() {
            let account = account(variant);
            if self.spent(account) < SHARE {
                return Some(variant);
            }
            self.put_off(variant, account);
        }
        while let Some(Reverse((before, account))) = self.waiting.pop() {
            let spent = self.spent(account);
            if spent > before {
                self.waiting.push(Reverse((spent, account)));
                continue;
            }
            let variants = self.later.get_mut(&account)?;
            let Reverse(variant) = variants.pop()?;
            match variants.is_empty() {
                true => _ = self.later.remove(&account),
                false => self.waiting.push(Reverse((spent, account))),
            }
            return Some(variant);
        }
        None
    }

    fn put_off(&mut self, variant: u32, account: u32) {
        let spent = self.spent(account);
        let variants = self.later.entry(account).or_default();
        if variants.is_empty() {
            self.waiting.push(Reverse((spent, account)));
        }
        variants.push(Reverse(variant));
    }

    /// Takes steps from an account.
    pub fn spend(&mut self, account: u32, steps: i64) {
        *self.spent.entry(account).or_insert(0) += steps;
    }

    fn spent(&self, account: u32) -> i64 {
        self.spent.get(&account).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::FUEL;
    use super::{Agenda, LOOPS, SHARE};

    #[test]
    fn who_has_spent_what_two_bodies_may_comes_after_the_others_however_deep_its_loops() {
        let mut agenda = Agenda::default();
        [(0, LOOPS), (1, 0), (2, LOOPS)]
            .into_iter()
            .for_each(|(variant, loops)| agenda.add(variant, variant % 2, loops));
        agenda.spend(0, 2 * FUEL);
        let order: Vec<u32> = std::iter::from_fn(|| agenda.next(|variant| variant % 2)).collect();
        assert_eq!(order, [1, 0, 2]);
    }

    #[test]
    fn those_of_an_account_that_has_spent_much_come_last_and_in_order() {
        let mut agenda = Agenda::default();
        // The even ones are on account 0, the odd ones on account 1.
        (0..8).for_each(|variant| agenda.add(variant, variant % 2, 0));
        agenda.spend(0, SHARE);
        let mut order = Vec::new();
        while let Some(variant) = agenda.next(|variant| variant % 2) {
            order.push(variant);
            // From now on account 1 has spent more.
            agenda.spend(1, if variant == 7 { 2 * SHARE } else { 0 });
        }
        assert_eq!(order, [1, 3, 5, 7, 0, 2, 4, 6]);
    }

    #[test]
    fn who_has_spent_least_comes_first_of_those_that_are_put_off() {
        let mut agenda = Agenda::default();
        [(0, 3), (1, 2), (2, 1)].into_iter().for_each(|(account, shares)| {
            agenda.spend(account, shares * SHARE);
            [account, account + 3].into_iter().for_each(|variant| agenda.add(variant, account, 0));
        });
        let mut order = Vec::new();
        while let Some(variant) = agenda.next(|variant| variant % 3) {
            order.push(variant);
            agenda.spend(variant % 3, SHARE + 1);
        }
        assert_eq!(order, [2, 1, 5, 0, 4, 3]);
    }

    #[test]
    fn the_innermost_loops_come_first_as_far_as_they_are_told_apart() {
        let mut agenda = Agenda::default();
        let loops = [0, 1, LOOPS + 2, 1, LOOPS, LOOPS + 1];
        (0..).zip(loops).for_each(|(variant, loops)| agenda.add(variant, 0, loops));
        let order: Vec<u32> = std::iter::from_fn(|| agenda.next(|_| 0)).collect();
        assert_eq!(order, [2, 4, 5, 1, 3, 0]);
    }

    #[test]
    fn what_waits_is_not_looked_at_again_for_each_that_is_driven() {
        const VARIANTS: u32 = 1_000;
        let mut agenda = Agenda::default();
        agenda.spend(0, SHARE);
        (0..VARIANTS).for_each(|variant| agenda.add(variant, 0, 0));
        let looks = Cell::new(0);
        let account = |_| {
            looks.set(looks.get() + 1);
            0
        };
        let mut driven = 0;
        while agenda.next(account).is_some() {
            driven += 1;
            agenda.spend(0, 1);
        }
        assert_eq!(driven, VARIANTS);
        assert!(looks.get() <= 2 * VARIANTS, "{}", looks.get());
    }
}

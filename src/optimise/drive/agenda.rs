//! The order in which variants are driven: what was asked for first comes first, but nobody may spend what all
//! have together before the others have had their share.
//!
//! The limits of a program (its steps, its expressions, the variants of a function) are common to all of its
//! parts. One that unfolds without end would use them up, and leave nothing to those that come after it. So each
//! variant is made on account of the function of the source that led to it, and the variants of an account that
//! has spent much are put off until all others are driven; then the account that has spent least comes first, as
//! in fair queueing (Demers, Keshav and Shenker, "Analysis and simulation of a fair queueing algorithm", 1989).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;

/// What an account may spend before others come first, in steps.
const SHARE: i64 = 16_000;

/// The variants that are to be driven.
#[derive(Default)]
pub(super) struct Agenda {
    first: VecDeque<u32>,
    /// Those that are put off, by what their account had spent when they were.
    later: BinaryHeap<Reverse<(i64, u32)>>,
    /// The steps that each account has spent.
    spent: FxHashMap<u32, i64>,
}

impl Agenda {
    /// Adds a variant that is made on an account.
    pub fn add(&mut self, variant: u32, account: u32) {
        match self.spent(account) {
            few if few < SHARE => self.first.push_back(variant),
            spent => self.later.push(Reverse((spent, variant))),
        }
    }

    /// Returns the variant that is driven next; `account` tells on which account one is made.
    pub fn next(&mut self, account: impl Fn(u32) -> u32) -> Option<u32> {
        while let Some(variant) = self.first.pop_front() {
            match self.spent(account(variant)) {
                few if few < SHARE => return Some(variant),
                spent => self.later.push(Reverse((spent, variant))),
            }
        }
        while let Some(Reverse((before, variant))) = self.later.pop() {
            match self.spent(account(variant)) {
                spent if spent > before => self.later.push(Reverse((spent, variant))),
                _ => return Some(variant),
            }
        }
        None
    }

    /// Takes steps from an account.
    pub fn spend(&mut self, account: u32, steps: i64) {
        *self.spent.entry(account).or_insert(0) += steps;
    }

    fn spent(&self, account: u32) -> i64 {
        self.spent.get(&account).copied().unwrap_or(0)
    }
}

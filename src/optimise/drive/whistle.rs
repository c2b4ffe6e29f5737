//! The whistle: a pattern in which one that led to it is embedded has grown, and is made more general.

use std::borrow::Cow;

use super::Driver;
use super::pattern::{Key, Parts, Pattern, generalise, is_embedded, selects_alike};
use crate::core::expr::{GlobalId, LocalId};

/// The most patterns that led to one and are compared with it.
const ANCESTORS: usize = 200;
/// The most patterns that led to one and are embedded in what calls in it end in.
const EMBEDDED_ENDS: u32 = 4;

impl Driver<'_> {
    /// Returns what a pattern has in common with one that led to it and is embedded in it, and the variant of that.
    ///
    /// A producer that ends in a call of another one, as `concatMap` does, makes patterns in which
    /// the one that led to it is what another call ends in, before it comes back to that one. So a
    /// few such embeddings are no growth yet: in an endless sequence of patterns there are chains of
    /// any length of which each is embedded in the next.
    pub(super) fn whistle(&self, key: &Key) -> Option<(u32, Vec<Pattern>)> {
        let mut at = self.current;
        let mut ends = 0;
        let now = self.in_step(key.of, &key.args);
        let parts: Vec<Parts> = now.iter().map(Parts::of).collect();
        for _ in 0..ANCESTORS {
            let number = at;
            let variant = &self.variants[number as usize];
            let before = &variant.key;
            at = variant.parent;
            // There is one variant without a pattern of each function, so that no endless
            // chain goes through them.
            if before.is_general() {
                return None;
            }
            let is_other = before.of != key.of || !selects_alike(&before.args, &key.args);
            let mut pairs = variant.parts.iter().zip(&parts);
            if is_other || !pairs.clone().all(|(before, now)| before.are_within(now)) {
                continue;
            }
            let are_many = pairs.any(|(before, now)| before.are_many(now));
            let begun = self.in_step(before.of, &before.args);
            if !are_many && !is_embedded(&begun, &now, &|_, _, _| false) {
                continue;
            }
            let is_end = |before: &Pattern, now: &Pattern, at| match now {
                Pattern::Call(of, _) => self.is_end(*of, at),
                // What a call makes goes on with it.
                Pattern::Con(_, parts) => {
                    matches!(before, Pattern::Call(..)) && at + 1 == parts.len()
                }
                _ => false,
            };
            let is_in_end = || !are_many && !is_embedded(&begun, &now, &is_end);
            if ends < EMBEDDED_ENDS && is_in_end() {
                ends += 1;
                continue;
            }
            let general = generalise(&before.args, &key.args);
            if general != key.args {
                return Some((number, general));
            }
        }
        None
    }

    /// Returns the patterns without the literals that a loop begins to collect in: what it goes on with has
    /// none of them, and is to be found like it.
    pub(super) fn in_step<'k>(&self, of: GlobalId, patterns: &'k [Pattern]) -> Cow<'k, [Pattern]> {
        let mut patterns = Cow::Borrowed(patterns);
        for at in 0..patterns.len() {
            let is_collected = |param: LocalId| self.accumulators.contains(param);
            if matches!(patterns[at], Pattern::Lit(_)) && self.has(of, at, is_collected) {
                patterns.to_mut()[at] = Pattern::Hole;
            }
        }
        patterns
    }

    /// Returns how many of the variants of a function that led to the call were made more general.
    pub(super) fn generalised_before(&self, of: GlobalId) -> usize {
        let mut at = self.current;
        let mut count = 0;
        for _ in 0..ANCESTORS {
            let variant = &self.variants[at as usize];
            if variant.key.is_general() {
                break;
            }
            count += usize::from(variant.is_general && variant.key.of == of);
            at = variant.parent;
        }
        count
    }
}

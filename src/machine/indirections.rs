//! Chains of indirections: what verifying a heap looks at.

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// The indirections that have been found to lead to something else, by their addresses.
pub(in crate::machine) struct Ending<A>(FxHashSet<A>);

impl<A> Default for Ending<A> {
    fn default() -> Ending<A> {
        Ending(FxHashSet::default())
    }
}

impl<A: Copy + Eq + Hash> Ending<A> {
    /// Follows a chain up to where its end is known. `next` says where an indirection leads,
    /// and `None` of what is none; it is asked once about each indirection, however many
    /// chains go through it, and once about the end of each chain.
    ///
    /// # Errors
    /// When the chain leads back to itself, and what `next` finds wrong.
    pub fn follow(
        &mut self,
        from: A,
        mut next: impl FnMut(A) -> Result<Option<A>, String>,
    ) -> Result<(), String> {
        let mut path = FxHashSet::default();
        let mut at = from;
        while !self.0.contains(&at)
            && let Some(to) = next(at)?
        {
            if !path.insert(at) {
                return Err("indirections form a circle".into());
            }
            at = to;
        }
        self.0.extend(path);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: u32 = 1000;

    /// Follows the chains 0 → 1 → … → `LENGTH` that begin at some places; how often it was
    /// asked where one leads.
    fn asked(from: impl Iterator<Item = u32>) -> u32 {
        let (mut ending, mut asked) = (Ending::default(), 0);
        for from in from {
            let next = |at| {
                asked += 1;
                Ok((at < LENGTH).then_some(at + 1))
            };
            ending.follow(from, next).expect("an end");
        }
        asked
    }

    #[test]
    fn each_indirection_of_a_chain_is_followed_once() {
        assert_eq!(asked(0..LENGTH), LENGTH + 1);
        assert_eq!(asked((0..LENGTH).rev()), LENGTH + 1);
        assert_eq!(asked((0..LENGTH).step_by(7).chain(0..LENGTH)), LENGTH + 1);
    }

    #[test]
    fn a_circle_of_indirections_is_found_from_everywhere() {
        for from in 0..20 {
            let next = |at| Ok(Some(if at == 19 { 12 } else { at + 1 }));
            assert!(Ending::default().follow(from, next).is_err(), "{from}");
        }
    }
}

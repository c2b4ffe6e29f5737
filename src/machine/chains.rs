//! Chains of indirections, for the verifiers of both heaps: a chain must not be a cycle.

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// The addresses of indirections whose chains were found to end.
pub(in crate::machine) struct Acyclic<A>(FxHashSet<A>);

impl<A> Default for Acyclic<A> {
    fn default() -> Acyclic<A> {
        Acyclic(FxHashSet::default())
    }
}

impl<A: Copy + Eq + Hash> Acyclic<A> {
    /// Follows a chain until it ends, or meets one that does. `next` returns where an indirection
    /// leads, and `None` for anything else; it is called once for each indirection, however many
    /// chains go through it, and once for the end of each chain.
    ///
    /// # Errors
    /// If the chain is a cycle, and the errors of `next`.
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

    /// Follows the chains 0 → 1 → … → `LENGTH` that begin at some places, and returns how often
    /// `next` was called.
    fn asked(from: impl Iterator<Item = u32>) -> u32 {
        let (mut ending, mut asked) = (Acyclic::default(), 0);
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
            assert!(Acyclic::default().follow(from, next).is_err(), "{from}");
        }
    }
}

//! Chains that must end: of indirections, for the verifiers of both heaps, and of list cells, for
//! primitives that take a list whole.

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

/// Finds out whether a walk goes in a circle, in constant space and within three times the steps
/// that it takes to the circle and around it (Brent, *An improved Monte Carlo factorization
/// algorithm*, 1980).
pub(in crate::machine) struct Circle<A> {
    /// A place of the walk, and how many steps ago that was.
    anchor: Option<A>,
    steps: u64,
    /// After how many steps there is a new one.
    limit: u64,
}

impl<A> Default for Circle<A> {
    fn default() -> Circle<A> {
        Circle { anchor: None, steps: 0, limit: 1 }
    }
}

impl<A: Copy + Eq> Circle<A> {
    /// Takes the next place of the walk, and returns whether it is known to go in a circle.
    pub fn closes(&mut self, at: A) -> bool {
        if self.anchor == Some(at) {
            return true;
        }
        self.steps += 1;
        if self.steps >= self.limit {
            (self.anchor, self.steps, self.limit) = (Some(at), 0, self.limit.saturating_mul(2));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_in_a_circle_is_noticed_soon() {
        for (before, around) in [(0_u32, 1_u32), (0, 2), (5, 1), (100, 7), (3, 1000)] {
            let mut circle = Circle::default();
            let place = |step| if step < before { step } else { before + (step - before) % around };
            let most = 3 * (before + around) + 3;
            assert!((0..most).any(|step| circle.closes(place(step))), "{before} {around}");
        }
        let mut circle = Circle::default();
        assert!(!(0..100_000).any(|step| circle.closes(step)));
    }

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

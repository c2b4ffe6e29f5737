//! Which uses of a variable exclude each other: those in different branches of one branching.

use crate::base::index::IndexVec;

crate::define_index! {
    /// A branch of a body, or all of it.
    pub ArmId;
}

struct Arm {
    parent: ArmId,
    /// The branching, by a number of its own.
    of: u32,
    depth: u32,
}

/// The branches of bodies, as trees.
pub struct Paths {
    arms: IndexVec<ArmId, Arm>,
    branchings: u32,
}

/// The depth of branches in others beyond which they are not told apart.
const DEEPEST: u32 = 64;

impl Paths {
    /// Returns paths without bodies.
    pub fn new() -> Paths {
        Paths { arms: IndexVec::new(), branchings: 0 }
    }

    /// Adds a body.
    pub fn body(&mut self) -> ArmId {
        let own = self.arms.next_index();
        self.arms.push(Arm { parent: own, of: 0, depth: 0 })
    }

    /// Returns the number of a new branching.
    pub fn branching(&mut self) -> u32 {
        self.branchings += 1;
        self.branchings
    }

    /// Returns a branch of a branching.
    pub fn inside(&mut self, parent: ArmId, of: u32) -> ArmId {
        let depth = self.arms[parent].depth + 1;
        match depth > DEEPEST {
            true => parent,
            false => self.arms.push(Arm { parent, of, depth }),
        }
    }

    /// Returns whether what is in the one is never executed together with what is in the other.
    pub fn exclude(&self, a: ArmId, b: ArmId) -> bool {
        let (mut a, mut b) = (a, b);
        let depth = self.arms[a].depth.min(self.arms[b].depth);
        while self.arms[a].depth > depth {
            a = self.arms[a].parent;
        }
        while self.arms[b].depth > depth {
            b = self.arms[b].parent;
        }
        while a != b && self.arms[a].parent != self.arms[b].parent {
            (a, b) = (self.arms[a].parent, self.arms[b].parent);
        }
        a != b && self.arms[a].of == self.arms[b].of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_of_one_branching_exclude_each_other_and_no_others_do() {
        let mut paths = Paths::new();
        let body = paths.body();
        let (first, second) = (paths.branching(), paths.branching());
        let (a, b) = (paths.inside(body, first), paths.inside(body, first));
        let c = paths.inside(body, second);
        let inner = paths.branching();
        let (d, e) = (paths.inside(a, inner), paths.inside(a, inner));
        assert!(paths.exclude(a, b) && paths.exclude(d, e) && paths.exclude(d, b));
        assert!(!paths.exclude(a, a) && !paths.exclude(a, d) && !paths.exclude(a, body));
        assert!(!paths.exclude(a, c) && !paths.exclude(c, e));
    }
}

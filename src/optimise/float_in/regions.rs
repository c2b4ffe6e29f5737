//! The regions of a supercombinator: what of it is executed together.
//!
//! A region is a part of the body that is entered at one place, its root, once at most each
//! time the body is executed. Regions form a tree. Where several of them need something, it
//! can be made in the innermost region around them all. That is found by way of pointers to
//! regions far above (Myers, "An applicative random-access stack", 1983), in logarithmic time.

use crate::base::index::IndexVec;
use crate::core::expr::ExprId;

crate::define_index! {
    /// A region.
    pub RegionId;
}

struct Region {
    root: ExprId,
    parent: RegionId,
    far: RegionId,
    depth: u32,
    /// The innermost region from this one outwards that is a goal.
    goal: RegionId,
}

/// Regions, each with those around it.
#[derive(Default)]
pub(super) struct Regions {
    regions: IndexVec<RegionId, Region>,
}

impl Regions {
    /// The region of a whole body.
    pub fn outermost(&mut self, root: ExprId) -> RegionId {
        let own = self.regions.next_index();
        self.regions.push(Region { root, parent: own, far: own, depth: 0, goal: own })
    }

    /// A region in another one; whether it is a goal, a place that bindings move to.
    pub fn inside(&mut self, parent: RegionId, root: ExprId, is_goal: bool) -> RegionId {
        let own = self.regions.next_index();
        let around = &self.regions[parent];
        let far = &self.regions[around.far];
        // Skips of equal length join to one of twice that length.
        let joins = around.depth - far.depth == far.depth - self.regions[far.far].depth;
        let region = Region {
            root,
            parent,
            far: if joins { far.far } else { parent },
            depth: around.depth + 1,
            goal: if is_goal { own } else { around.goal },
        };
        self.regions.push(region)
    }

    /// The expression through which a region is entered.
    pub fn root(&self, region: RegionId) -> ExprId {
        self.regions[region].root
    }

    /// The goal for something that is needed in `region` and stands in `from`, a region around
    /// it or the same: `from` if there is none in between.
    pub fn goal(&self, region: RegionId, from: RegionId) -> RegionId {
        let goal = self.regions[region].goal;
        if self.regions[goal].depth > self.regions[from].depth { goal } else { from }
    }

    /// The innermost region around two regions of one body.
    pub fn meet(&self, a: RegionId, b: RegionId) -> RegionId {
        let (mut a, mut b) = (a, b);
        if self.regions[a].depth < self.regions[b].depth {
            std::mem::swap(&mut a, &mut b);
        }
        let depth = self.regions[b].depth;
        while self.regions[a].depth > depth {
            let Region { far, parent, .. } = self.regions[a];
            a = if self.regions[far].depth >= depth { far } else { parent };
        }
        // At one depth, the pointers are of one length.
        while a != b {
            let (x, y) = (&self.regions[a], &self.regions[b]);
            (a, b) = if x.far == y.far { (x.parent, y.parent) } else { (x.far, y.far) };
        }
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_meet_where_their_paths_part() {
        let mut regions = Regions::default();
        let root = ExprId(0);
        let mut parents = vec![regions.outermost(root)];
        for at in 1..400_u32 {
            // Long paths with many branches.
            let parent = parents[(at - 1 - (at * at) % 7 % at) as usize];
            parents.push(regions.inside(parent, root, at % 3 == 0));
        }
        let path = |mut at: RegionId| {
            let mut path = vec![at];
            while regions.regions[at].depth > 0 {
                at = regions.regions[at].parent;
                path.push(at);
            }
            path
        };
        for &a in &parents {
            for &b in parents.iter().step_by(7) {
                let around = path(b);
                let expected = path(a).into_iter().find(|region| around.contains(region));
                assert_eq!(Some(regions.meet(a, b)), expected);
            }
        }
    }

    #[test]
    fn a_goal_is_never_outside_of_where_it_is_sought_from() {
        let mut regions = Regions::default();
        let root = ExprId(0);
        let outer = regions.outermost(root);
        let goal = regions.inside(outer, root, true);
        let plain = regions.inside(goal, root, false);
        let inner = regions.inside(plain, root, false);
        assert_eq!(regions.goal(inner, outer), goal);
        assert_eq!(regions.goal(inner, goal), goal);
        assert_eq!(regions.goal(inner, plain), plain);
        assert_eq!(regions.goal(outer, outer), outer);
    }
}

//! The regions of a supercombinator: what of it is executed together.
//!
//! A region is a part of the body that is entered at one place, its root, once at most each
//! time the body is executed. Regions form a tree. What several of them need can be built in
//! the innermost region around them all.

use crate::base::index::IndexVec;
use crate::base::skip_tree::SkipTree;
use crate::core::expr::ExprId;

crate::define_index! {
    /// A region.
    pub RegionId;
}

struct Region {
    root: ExprId,
    /// The innermost region from this one outwards that is a goal.
    goal: RegionId,
    /// What is executed next after this one, if it comes to a value.
    next: Option<RegionId>,
}

/// Regions, each with those around it.
#[derive(Default)]
pub(super) struct Regions {
    regions: IndexVec<RegionId, Region>,
    tree: SkipTree<RegionId>,
}

impl Regions {
    /// Adds the region of a whole body.
    pub fn outermost(&mut self, root: ExprId) -> RegionId {
        let own = self.tree.root();
        self.regions.push(Region { root, goal: own, next: None })
    }

    /// Adds a region in another one, and what is executed next after it. A goal is a region that bindings may
    /// move to.
    pub fn inside(
        &mut self,
        parent: RegionId,
        root: ExprId,
        is_goal: bool,
        next: Option<RegionId>,
    ) -> RegionId {
        let own = self.tree.child(parent);
        let goal = if is_goal { own } else { self.regions[parent].goal };
        self.regions.push(Region { root, goal, next })
    }

    /// Returns a region and what is executed after it, the next first.
    pub fn from(&self, region: RegionId) -> impl Iterator<Item = RegionId> {
        std::iter::successors(Some(region), |&region| self.regions[region].next)
    }

    /// Returns the expression through which a region is entered.
    pub fn root(&self, region: RegionId) -> ExprId {
        self.regions[region].root
    }

    /// Returns where a binding that stands in `from` and is needed in `region`, which is in
    /// `from` or the same, may move to: a goal, or `from` if there is none in between.
    pub fn goal(&self, region: RegionId, from: RegionId) -> RegionId {
        let goal = self.regions[region].goal;
        if self.tree.depth(goal) > self.tree.depth(from) { goal } else { from }
    }

    /// Returns the innermost region around two regions of one body.
    pub fn meet(&self, a: RegionId, b: RegionId) -> RegionId {
        self.tree.meet(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_never_outside_of_where_it_is_sought_from() {
        let mut regions = Regions::default();
        let root = ExprId(0);
        let outer = regions.outermost(root);
        let goal = regions.inside(outer, root, true, None);
        let plain = regions.inside(goal, root, false, None);
        let inner = regions.inside(plain, root, false, None);
        assert_eq!(regions.goal(inner, outer), goal);
        assert_eq!(regions.goal(inner, goal), goal);
        assert_eq!(regions.goal(inner, plain), plain);
        assert_eq!(regions.goal(outer, outer), outer);
    }
}

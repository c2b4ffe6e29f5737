//! A tree that grows at its leaves and finds ancestors in logarithmic time.
//!
//! Each node has, besides its parent, a pointer to an ancestor further out: the skips are
//! chosen like the digits of a skew-binary number (Myers, "An applicative random-access
//! stack", Information Processing Letters 17, 1983), so adding a node takes constant time.

use super::index::{Idx, IndexVec};

/// A forest whose nodes have indices of type `I`, in the order in which they were added.
#[derive(Clone, Debug)]
pub struct SkipTree<I> {
    nodes: IndexVec<I, Node<I>>,
}

#[derive(Clone, Debug)]
struct Node<I> {
    /// The node itself, if it is a root.
    parent: I,
    /// An ancestor; the node itself, if it is a root.
    skip: I,
    depth: u32,
}

impl<I: Idx> Default for SkipTree<I> {
    fn default() -> Self {
        SkipTree { nodes: IndexVec::new() }
    }
}

impl<I: Idx> SkipTree<I> {
    /// Adds a root.
    pub fn root(&mut self) -> I {
        let own = self.nodes.next_index();
        self.nodes.push(Node { parent: own, skip: own, depth: 0 })
    }

    /// Adds a child of `parent`.
    pub fn child(&mut self, parent: I) -> I {
        let around = &self.nodes[parent];
        let skip = &self.nodes[around.skip];
        // Two skips of equal length join to one of that length twice and one.
        let joins = around.depth - skip.depth == skip.depth - self.nodes[skip.skip].depth;
        let skip = if joins { skip.skip } else { parent };
        let depth = around.depth + 1;
        self.nodes.push(Node { parent, skip, depth })
    }

    /// Returns how many ancestors a node has.
    #[must_use]
    pub fn depth(&self, node: I) -> u32 {
        self.nodes[node].depth
    }

    /// Returns the parent of a node; of a root, the node itself.
    #[must_use]
    pub fn parent(&self, node: I) -> I {
        self.nodes[node].parent
    }

    /// Returns the outermost of `node` and its ancestors for which `holds` is true. It is true
    /// of `node`, and where it is false it is false of all further out.
    #[must_use]
    pub fn outermost(&self, node: I, holds: impl Fn(I) -> bool) -> I {
        let mut at = node;
        loop {
            let Node { parent, skip, .. } = self.nodes[at];
            if skip != at && holds(skip) {
                at = skip;
            } else if parent != at && holds(parent) {
                at = parent;
            } else {
                return at;
            }
        }
    }

    /// Returns the innermost node that is `a` or an ancestor of it and `b` or an ancestor of
    /// it. Both are in one tree.
    #[must_use]
    pub fn meet(&self, a: I, b: I) -> I {
        let depth = self.depth(a).min(self.depth(b));
        let mut a = self.outermost(a, |node| self.depth(node) >= depth);
        let mut b = self.outermost(b, |node| self.depth(node) >= depth);
        // Nodes of one depth have skips of one length.
        while a != b {
            let (x, y) = (&self.nodes[a], &self.nodes[b]);
            (a, b) = if x.skip == y.skip { (x.parent, y.parent) } else { (x.skip, y.skip) };
        }
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::define_index! {
        /// A node.
        pub NodeId;
    }

    /// Returns a tree with long paths and many branches, and its nodes.
    fn trees() -> (SkipTree<NodeId>, Vec<NodeId>) {
        let mut tree = SkipTree::default();
        let mut nodes = vec![tree.root()];
        for at in 1..400_u32 {
            let parent = nodes[(at - 1 - (at * at) % 7 % at) as usize];
            nodes.push(tree.child(parent));
        }
        (tree, nodes)
    }

    fn path(tree: &SkipTree<NodeId>, node: NodeId) -> Vec<NodeId> {
        let mut path = vec![node];
        while let Some(&last) = path.last()
            && tree.parent(last) != last
        {
            path.push(tree.parent(last));
        }
        path
    }

    #[test]
    fn nodes_meet_where_their_paths_part() {
        let (tree, nodes) = trees();
        for &a in &nodes {
            for &b in nodes.iter().step_by(7) {
                let around = path(&tree, b);
                let expected = path(&tree, a).into_iter().find(|node| around.contains(node));
                assert_eq!(Some(tree.meet(a, b)), expected);
            }
        }
    }

    #[test]
    fn an_ancestor_is_found_in_a_logarithmic_number_of_steps() {
        let mut tree = SkipTree::<NodeId>::default();
        let mut leaf = tree.root();
        for _ in 0..1 << 16 {
            leaf = tree.child(leaf);
        }
        for depth in [0, 1, 2, 77, 1000, 40_000, (1 << 16) - 1, 1 << 16] {
            let steps = std::cell::Cell::new(0);
            let found = tree.outermost(leaf, |node| {
                steps.set(steps.get() + 1);
                tree.depth(node) >= depth
            });
            assert_eq!((tree.depth(found), steps.get() <= 100), (depth, true), "{}", steps.get());
        }
    }
}

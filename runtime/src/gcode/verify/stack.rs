//! The abstract stacks of the verifier: what kind of item is where.
//!
//! Stacks share their lower parts, so that a branch costs what it adds, not what it finds. A
//! segment is a run of items of one kind; each knows, besides the segment below it, one far
//! below (Myers, *An applicative random-access stack*, 1983), so that finding an item takes
//! logarithmic time. A program with deeply nested bindings is verified in little more than
//! linear time.

use super::super::program::ConId;

/// What is known of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    /// The redex that the code updates.
    Redex,
    /// A value of this constructor, at the branch of a `CaseJump`.
    Of(ConId),
    /// Anything.
    Value,
}

/// A stack: the number of its topmost segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stack(u32);

#[derive(Clone, Copy)]
struct Segment {
    item: Item,
    /// Items on the stack up to and with this segment.
    depth: u64,
    below: Stack,
    far: Stack,
    /// How many segments there are below.
    rank: u32,
}

/// All segments of a verification.
pub(super) struct Stacks {
    segments: Vec<Segment>,
}

impl Stacks {
    /// The empty stack.
    pub const EMPTY: Stack = Stack(0);

    pub fn new() -> Stacks {
        // The empty stack stands below itself.
        let (below, far) = (Self::EMPTY, Self::EMPTY);
        Stacks { segments: vec![Segment { item: Item::Value, depth: 0, below, far, rank: 0 }] }
    }

    fn segment(&self, stack: Stack) -> Segment {
        self.segments[stack.0 as usize]
    }

    /// Returns the number of items on the stack.
    pub fn depth(&self, stack: Stack) -> u64 {
        self.segment(stack).depth
    }

    /// Returns `stack` with `count` more items.
    pub fn push(&mut self, stack: Stack, item: Item, count: u64) -> Stack {
        if count == 0 {
            return stack;
        }
        let below = self.segment(stack);
        let far = self.segment(below.far);
        // Skips of equal length join to one of twice that length.
        let joins = below.rank - far.rank == far.rank - self.segment(far.far).rank;
        self.segments.push(Segment {
            item,
            depth: below.depth.saturating_add(count),
            below: stack,
            far: if joins && stack != Self::EMPTY { far.far } else { stack },
            rank: below.rank + 1,
        });
        Stack(self.segments.len() as u32 - 1)
    }

    /// Returns the lowest part of `stack` that holds `depth` items or more.
    fn down(&self, stack: Stack, depth: u64) -> Stack {
        let mut at = stack;
        loop {
            let segment = self.segment(at);
            if self.depth(segment.far) >= depth && segment.far != at {
                at = segment.far;
            } else if self.depth(segment.below) >= depth && segment.below != at {
                at = segment.below;
            } else {
                return at;
            }
        }
    }

    /// Returns the lowest `depth` items of a stack that has as many.
    pub fn lowest(&mut self, stack: Stack, depth: u64) -> Stack {
        let at = self.down(stack, depth);
        let segment = self.segment(at);
        match segment.depth > depth {
            // Only a part of the run is left.
            true => {
                let rest = depth - self.depth(segment.below);
                self.push(segment.below, segment.item, rest)
            }
            false => at,
        }
    }

    /// Returns the item that is `height` above the lowest; `None` if the stack has no such item.
    pub fn item(&self, stack: Stack, height: u64) -> Option<Item> {
        (height < self.depth(stack)).then(|| self.segment(self.down(stack, height + 1)).item)
    }

    /// Returns what is known of the items if the stack is either of two of one depth.
    pub fn join(&mut self, a: Stack, b: Stack) -> Stack {
        let (mut a, mut b) = (a, b);
        let mut joined = Vec::new();
        while a != b {
            let (x, y) = (self.segment(a), self.segment(b));
            let item = if x.item == y.item { x.item } else { Item::Value };
            let depth = self.depth(x.below).max(self.depth(y.below));
            joined.push((item, x.depth - depth));
            a = self.lowest(a, depth);
            b = self.lowest(b, depth);
            let (x, y) = (self.segment(a), self.segment(b));
            if (x.item, x.depth, x.below) == (y.item, y.depth, y.below) {
                b = a;
            }
        }
        joined.into_iter().rev().fold(a, |stack, (item, count)| self.push(stack, item, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(stacks: &Stacks, stack: Stack) -> Vec<Item> {
        (0..stacks.depth(stack)).filter_map(|height| stacks.item(stack, height)).collect()
    }

    #[test]
    fn every_item_is_found_where_it_was_pushed() {
        let mut stacks = Stacks::new();
        let mut stack = Stacks::EMPTY;
        for i in 0..500 {
            stack = stacks.push(stack, Item::Of(ConId(i)), u64::from(i % 3));
        }
        let expected: Vec<Item> =
            (0..500).flat_map(|i| (0..i % 3).map(move |_| Item::Of(ConId(i)))).collect();
        assert_eq!(items(&stacks, stack), expected);
        for depth in 0..expected.len() {
            let low = stacks.lowest(stack, depth as u64);
            assert_eq!(items(&stacks, low), expected[..depth]);
        }
    }

    #[test]
    fn a_join_keeps_what_both_sides_agree_on() {
        let mut stacks = Stacks::new();
        let base = stacks.push(Stacks::EMPTY, Item::Redex, 1);
        let a = stacks.push(base, Item::Of(ConId(7)), 3);
        let b = stacks.push(base, Item::Of(ConId(7)), 1);
        let b = stacks.push(b, Item::Value, 2);
        let joined = stacks.join(a, b);
        assert_eq!(
            items(&stacks, joined),
            [Item::Redex, Item::Of(ConId(7)), Item::Value, Item::Value]
        );
        assert_eq!(stacks.join(a, a), a);
    }

    #[test]
    fn a_huge_count_takes_no_room() {
        let mut stacks = Stacks::new();
        let mut stack = Stacks::EMPTY;
        for _ in 0..10 {
            stack = stacks.push(stack, Item::Of(ConId(7)), u64::MAX / 2);
        }
        assert_eq!(stacks.depth(stack), u64::MAX);
        assert_eq!(stacks.item(stack, 5), Some(Item::Of(ConId(7))));
    }
}

//! The abstract stacks of the translation: which value is where.
//!
//! Stacks share their lower parts, so that a branch costs what it adds. Each cell knows,
//! besides the one below it, one far below (Myers, *An applicative random-access stack*,
//! 1983): an item deep in the stack is found in logarithmic time.

use super::value::ValueId;

/// A stack: its topmost cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stack(u32);

#[derive(Clone, Copy)]
struct Cell {
    value: ValueId,
    /// Items up to and with this one.
    depth: u32,
    below: Stack,
    far: Stack,
}

/// All cells of the translation of a function.
pub(super) struct Stacks {
    cells: Vec<Cell>,
}

impl Stacks {
    /// The empty stack.
    pub const EMPTY: Stack = Stack(0);

    pub fn new() -> Stacks {
        // The empty stack stands below itself.
        let end = Cell { value: ValueId(0), depth: 0, below: Self::EMPTY, far: Self::EMPTY };
        Stacks { cells: vec![end] }
    }

    /// Forgets all stacks but the empty one.
    pub fn clear(&mut self) {
        self.cells.truncate(1);
    }

    /// Returns how many cells there are.
    pub fn parts(&self) -> usize {
        self.cells.len()
    }

    fn cell(&self, stack: Stack) -> Cell {
        self.cells[stack.0 as usize]
    }

    /// Returns the number of items on the stack.
    pub fn depth(&self, stack: Stack) -> u32 {
        self.cell(stack).depth
    }

    /// Returns `stack` with one more item.
    pub fn push(&mut self, stack: Stack, value: ValueId) -> Stack {
        let below = self.cell(stack);
        let far = self.cell(below.far);
        // Skips of equal length join to one of twice that length.
        let joins = below.depth - far.depth == far.depth - self.cell(far.far).depth;
        let far = if joins && stack != Self::EMPTY { far.far } else { stack };
        self.cells.push(Cell { value, depth: below.depth + 1, below: stack, far });
        Stack(self.cells.len() as u32 - 1)
    }

    /// Returns the topmost item and what is below it; `None` of an empty stack.
    pub fn pop(&self, stack: Stack) -> Option<(ValueId, Stack)> {
        let cell = self.cell(stack);
        (cell.depth > 0).then_some((cell.value, cell.below))
    }

    /// Returns `stack` without the topmost `count` items.
    pub fn drop(&self, stack: Stack, count: u32) -> Stack {
        let depth = self.depth(stack).saturating_sub(count);
        let mut at = stack;
        while self.depth(at) > depth {
            let cell = self.cell(at);
            at = if self.depth(cell.far) >= depth { cell.far } else { cell.below };
        }
        at
    }

    /// Returns the item `n` below the top; `None` if the stack is not that deep.
    pub fn item(&self, stack: Stack, n: u32) -> Option<ValueId> {
        self.pop(self.drop(stack, n)).map(|(value, _)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_found_where_it_was_pushed() {
        let mut stacks = Stacks::new();
        let mut stack = Stacks::EMPTY;
        for i in 0..1000 {
            stack = stacks.push(stack, ValueId(i));
        }
        for n in 0..1000 {
            assert_eq!(stacks.item(stack, n), Some(ValueId(999 - n)));
            assert_eq!(stacks.depth(stacks.drop(stack, n)), 1000 - n);
        }
        assert_eq!(stacks.item(stack, 1000), None);
        assert_eq!(stacks.drop(stack, 5000), Stacks::EMPTY);
    }
}

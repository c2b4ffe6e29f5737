//! The order of blocks: each after all that lead to it, and where a block falls through next
//! to it, if nothing else leads there.

use super::output::Output;
use super::unit::Unit;

/// Returns the blocks that can be reached, in order.
pub(super) fn order(unit: &Unit, out: &Output) -> Vec<u32> {
    let mut ways = vec![0u32; unit.blocks.len()];
    let reached = |block: u32, ways: &mut Vec<u32>| {
        unit.successors(block, out, |to| ways[to as usize] += 1);
    };
    // What is made is reached; blocks are made when an edge to them is.
    for block in 0..unit.blocks.len() as u32 {
        reached(block, &mut ways);
    }
    let mut order = Vec::with_capacity(unit.blocks.len());
    let mut ready = vec![0];
    while let Some(block) = ready.pop() {
        order.push(block);
        unit.successors(block, out, |to| {
            ways[to as usize] -= 1;
            if ways[to as usize] == 0 {
                ready.push(to);
            }
        });
    }
    order
}

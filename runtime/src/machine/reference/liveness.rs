//! Which stack items are dead, remembered by position.
//!
//! A scheme leaves an item on the stack until the end of its scope, long after its last use.
//! The collector clears such items, in every frame at every collection; so the answer for a
//! position is worked out once, and a stack of millions of frames is a table look-up each.

use super::code::{Code, Position};
use crate::gcode::live::live;

/// Entries that all the lists together may have before they are forgotten: half a megabyte.
const KEPT: usize = 1 << 17;
/// No list is known for a position.
const UNKNOWN: (u32, u32) = (u32::MAX, 0);

/// For the positions that were asked for, the heights above the redex of the items that code
/// from there on does not use.
#[derive(Debug, Default)]
pub(super) struct Liveness {
    /// For each instruction of all code laid end to end: its part of `heights`, as start and
    /// end.
    lists: Vec<(u32, u32)>,
    heights: Vec<u32>,
}

impl Liveness {
    /// Returns the heights of the items that the code at a position does not use any more, of a
    /// stack of `depth` items with the redex, of height 0, at the bottom. The redex is never among
    /// them: a stop would make it a suspension. The verifier has checked that `depth` is the same
    /// whenever the position is reached.
    pub(super) fn dead(&mut self, code: &Code, at: Position, depth: usize) -> &[u32] {
        // The machine's own code has no redex.
        let Some(flat) = code.flat(at) else { return &[] };
        if self.lists.len() < code.size {
            self.lists.resize(code.size, UNKNOWN);
        }
        let known = self.lists.get(flat).copied().unwrap_or(UNKNOWN);
        let (start, end) = if known == UNKNOWN { self.find(code, at, flat, depth) } else { known };
        self.heights.get(start as usize..end as usize).unwrap_or(&[])
    }

    fn find(&mut self, code: &Code, at: Position, flat: usize, depth: usize) -> (u32, u32) {
        if self.heights.len() > KEPT {
            self.heights.clear();
            self.lists.fill(UNKNOWN);
        }
        let live = live(&code.program, code.code(at.global), at.pc as usize, depth);
        let start = self.heights.len() as u32;
        let dead = live.iter().enumerate().skip(1).filter(|(_, live)| !**live);
        self.heights.extend(dead.map(|(height, _)| height as u32));
        let list = (start, self.heights.len() as u32);
        if let Some(slot) = self.lists.get_mut(flat) {
            *slot = list;
        }
        list
    }
}

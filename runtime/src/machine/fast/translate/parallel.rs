//! Moves that happen at once, as moves one after the other.

use super::super::code::instr::Arg;

/// Orders moves between slots, each written at most once, so that each reads what was there
/// before all of them. `spare` is a slot that none of them names; a cycle goes through it.
pub(in crate::machine::fast) fn in_order(moves: &[(u32, u32)], spare: u32) -> Vec<(u32, Arg)> {
    let moves = moves.iter().filter(|(to, from)| to != from);
    let most = moves.clone().map(|&(to, from)| to.max(from)).max();
    let Some(most) = most else { return Vec::new() };
    let none = u32::MAX;
    // How many moves still read a slot, and what is to be written to it.
    let mut readers = vec![0u32; most as usize + 1];
    let mut source = vec![none; most as usize + 1];
    let mut targets = Vec::new();
    for &(to, from) in moves {
        readers[from as usize] += 1;
        source[to as usize] = from;
        targets.push(to);
    }
    let mut out = Vec::with_capacity(targets.len() + 1);
    let mut ready: Vec<u32> =
        targets.iter().copied().filter(|&to| readers[to as usize] == 0).collect();
    let mut rest = targets.into_iter();
    loop {
        while let Some(to) = ready.pop() {
            let from = std::mem::replace(&mut source[to as usize], none);
            out.push((to, Arg::slot(from)));
            let Some(readers) = readers.get_mut(from as usize) else { continue };
            *readers -= 1;
            if *readers == 0 && source[from as usize] != none {
                ready.push(from);
            }
        }
        // What is left are cycles. What one of their slots holds is put aside, and the one
        // move that reads it reads that instead.
        let Some(to) = rest.find(|&to| source[to as usize] != none) else { return out };
        out.push((spare, Arg::slot(to)));
        let mut at = to;
        while source[at as usize] != to {
            at = source[at as usize];
        }
        source[at as usize] = spare;
        readers[to as usize] = 0;
        ready.push(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks all moves of slots 0 to 4 into 0 to 4, each slot written or not.
    #[test]
    fn every_slot_gets_what_was_there_before() {
        for code in 0..6u32.pow(5) {
            let from = |to: u32| code / 6u32.pow(to) % 6;
            let moves: Vec<(u32, u32)> =
                (0..5).filter(|&to| from(to) < 5).map(|to| (to, from(to))).collect();
            let mut slots: Vec<u32> = (0..5).chain([99]).collect();
            for (to, from) in in_order(&moves, 5) {
                slots[to as usize] = slots[from.as_slot().expect("a slot") as usize];
            }
            for to in 0..5 {
                let expected = if from(to) < 5 { from(to) } else { to };
                assert_eq!(slots[to as usize], expected, "{moves:?}");
            }
        }
    }
}

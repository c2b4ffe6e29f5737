//! Jumps that lead to jumps, or to where the code goes on anyway.

use super::super::code::instr::{Flow, Instr, Pc};

/// Shortens code. `places` says where each target is; targets that a jump stands at go where
/// it leads. Returns for each instruction whether it stays: `places` counts only those.
pub(super) fn tidy(
    code: &[Instr],
    places: &mut [u32],
    targets: impl Fn(&Instr, &mut dyn FnMut(u32)),
) -> Vec<bool> {
    // For each position with a jump where that leads in the end: a jump leads forward.
    let mut leads: Vec<u32> = (0..code.len() as u32).collect();
    for (at, instr) in code.iter().enumerate().rev() {
        if let Instr::Jump { to: Pc(target) } = instr {
            leads[at] = leads[places[*target as usize] as usize];
        }
    }
    for place in places.iter_mut() {
        if let Some(&to) = leads.get(*place as usize) {
            *place = to;
        }
    }
    let mut stays = vec![false; code.len()];
    if let Some(first) = stays.first_mut() {
        *first = true;
    }
    for (at, instr) in code.iter().enumerate() {
        if stays[at] {
            targets(instr, &mut |target| stays[places[target as usize] as usize] = true);
            if matches!(instr.op().flow(), Flow::Next | Flow::Branch)
                && let Some(next) = stays.get_mut(at + 1)
            {
                *next = true;
            }
        }
    }
    // What is next to come, looking back from the end.
    let mut next = code.len();
    for (at, instr) in code.iter().enumerate().rev() {
        if !stays[at] {
            continue;
        }
        match instr {
            Instr::Jump { to: Pc(target) } if places[*target as usize] as usize == next => {
                stays[at] = false;
            }
            _ => next = at,
        }
    }
    // A place at an instruction that went is that of the next one that stays.
    let mut kept = 0;
    let numbers: Vec<u32> = stays
        .iter()
        .map(|&stays| {
            kept += u32::from(stays);
            kept - u32::from(stays)
        })
        .collect();
    for place in places {
        *place = numbers.get(*place as usize).copied().unwrap_or(kept);
    }
    stays
}

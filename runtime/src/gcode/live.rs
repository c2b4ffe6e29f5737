//! Which stack items code may still use: what a collector need keep of a frame.
//!
//! A scheme leaves an item on the stack until the end of its scope, long after its last use.
//! `add (length xs) 1` has `xs` on the stack while `length` runs along it; a collector that
//! keeps every item keeps the whole list. What is only dropped is not used.

use super::instr::{Flow, Instr, Label};
use super::program::Program;

/// What is known before an instruction.
#[derive(Clone, Copy)]
struct State {
    depth: usize,
    /// Below this depth, items are still those that were there at the start.
    old: usize,
}

/// Returns for each item of a stack of `depth` items, the lowest (the redex) first, whether the
/// code from instruction `at` on may still use it. `code` has passed
/// [`verify`](super::verify::verify), and `depth` is the depth that the stack has there; of
/// anything else every item is said to be used.
///
/// Takes time in proportion to the code from `at` on.
#[must_use]
pub fn live(program: &Program, code: &[Instr], at: usize, depth: usize) -> Vec<bool> {
    used(program, code, at, depth).unwrap_or_else(|| vec![true; depth])
}

fn used(program: &Program, code: &[Instr], at: usize, depth: usize) -> Option<Vec<bool>> {
    let code = code.get(at..)?;
    let mut live = vec![false; depth];
    let mut states = vec![None; code.len()];
    *states.first_mut()? = Some(State { depth, old: depth });
    for (offset, instr) in code.iter().enumerate() {
        let Some(State { depth, old }) = states[offset] else { continue };
        let mut uses = |from_top: usize| {
            let height = depth.checked_sub(from_top + 1)?;
            if height < old {
                live[height] = true;
            }
            Some(())
        };
        if let Instr::Push(n) | Instr::Slide(n) | Instr::Update(n) | Instr::Pop(n) = *instr
            && n as usize > depth
        {
            return None;
        }
        if let Instr::Squeeze(n, m) = *instr
            && n as usize + m as usize > depth
        {
            return None;
        }
        let (takes, leaves) = instr.effect(program);
        let (takes, leaves) = (takes as usize, leaves as usize);
        match *instr {
            Instr::Pop(_) => {}
            Instr::Slide(_) => uses(0)?,
            Instr::Squeeze(n, _) => (0..n as usize).try_for_each(&mut uses)?,
            Instr::Push(n) => uses(n as usize)?,
            Instr::Update(n) => {
                uses(0)?;
                uses(n as usize + 1)?;
            }
            _ => (0..takes).try_for_each(&mut uses)?,
        }
        let rest = depth.checked_sub(takes)?;
        // What `Push` and `Update` reach below the top stays what it is.
        let old = match instr {
            Instr::Push(_) => old,
            Instr::Update(_) => old.min(depth - 1),
            _ => old.min(rest),
        };
        let next = State { depth: rest + leaves, old };
        let mut lead = |to: usize| {
            if to <= offset {
                return None;
            }
            let state: &mut Option<State> = states.get_mut(to)?;
            let old = state.map_or(next.old, |before| before.old.max(next.old));
            *state = Some(State { old, ..next });
            Some(())
        };
        match instr.op().flow() {
            Flow::End => {}
            Flow::Next => lead(offset + 1)?,
            Flow::Jump => {
                instr.labels().try_for_each(|Label(to)| lead((to as usize).checked_sub(at)?))?
            }
        }
    }
    Some(live)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gcode::parse::parse;
    use crate::gcode::program::GlobalId;

    /// Returns the items in use before each instruction of a function of two arguments, as a
    /// picture with the redex at the left; unused ones are dots.
    fn pictures(listing: &str, depths: &[usize]) -> Vec<String> {
        let text = format!("data List = Nil/0 Cons/2\nsupercombinator f/2\n{listing}");
        let program = parse(&text).expect("a listing");
        let code = &program.globals[GlobalId(0)].code;
        let picture = |(at, &depth)| {
            let live = live(&program, code, at, depth);
            live.iter().map(|&live| if live { '#' } else { '.' }).collect()
        };
        depths.iter().enumerate().map(picture).collect()
    }

    #[test]
    fn an_argument_is_used_up_to_its_last_push() {
        let add_length = "0 PushInt 1\n 1 Push 1\n 2 PushGlobal f\n 3 MkApp\n 4 Eval\n 5 Add\n\
                          6 Update 2\n 7 Pop 2\n 8 Unwind";
        let found = pictures(add_length, &[3, 4, 5, 6, 5, 5, 4, 3, 1]);
        let expected = ["#.#", "#.##", "#..##", "#..###", "#..##", "#..##", "#..#", "#..", "#"];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_branch_that_uses_an_item_keeps_it_before_the_jump() {
        let listing = "0 Push 0\n 1 Eval\n 2 CaseJump Nil:3 Cons:7\n 3 Split 0\n 4 Push 1\n\
                       5 Slide 0\n 6 Jump 9\n 7 Split 2\n 8 Slide 1\n 9 Update 2\n 10 Pop 2\n\
                       11 Unwind";
        let found = pictures(listing, &[3, 4, 4, 4, 3, 4, 4, 4]);
        assert_eq!(found, ["###", "##.#", "##.#", "##.#", "##.", "#..#", "#..#", "#..#"]);
    }

    #[test]
    fn an_item_in_the_place_of_another_is_not_the_other() {
        let listing = "0 Pop 1\n 1 PushInt 1\n 2 Push 0\n 3 Update 2\n 4 Pop 2\n 5 Unwind";
        assert_eq!(pictures(listing, &[3]), ["#.."]);
    }

    #[test]
    fn of_code_that_makes_no_sense_everything_is_used() {
        assert_eq!(pictures("0 Pop 9", &[2]), ["##"]);
        assert_eq!(pictures("0 Jump 0", &[2]), ["##"]);
        assert_eq!(pictures("0 Eval", &[1, 1]), ["#", "#"]);
        assert_eq!(pictures("0 Push 4294967295", &[1]), ["#"]);
    }
}

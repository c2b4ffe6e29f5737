//! The verifier notices code that has been tampered with.

use gmachine::base::index::IndexVec;
use gmachine::machine::fast::code::instr::{Dst, Instr, Pc};
use gmachine::machine::fast::code::program::{Live, LiveId, Program};
use gmachine::machine::fast::code::verify::verify;
use gmachine::machine::fast::translate::translate;

use super::common;

const PROGRAM: &str = "
(defn main[] (sum [1 2 (f 3 4 5)]))
(defn sum[xs] (case xs [(Nil) 0] [(Cons x rest) (add x (sum rest))]))
(defn f[a b c] (if (lt a b) (f b c (f a b c)) (letrec ([xs (Cons a ys)] [ys (Cons c xs)]) xs)))
";

fn program() -> Program {
    let program = translate(common::compile(PROGRAM)).expect("small");
    assert_eq!(verify(&program), []);
    program
}

/// What is wrong after a change.
fn found(change: impl Fn(&mut Program)) -> Vec<String> {
    let mut program = program();
    change(&mut program);
    verify(&program).iter().map(ToString::to_string).collect()
}

fn position(program: &Program, is: impl Fn(&Instr) -> bool) -> usize {
    program.code.iter().position(is).expect("an instruction of this kind")
}

/// Lives of the program, with one more.
fn with(program: &mut Program, slots: Vec<u32>) -> LiveId {
    let mut lives: IndexVec<LiveId, Live> = program.lives.iter().cloned().collect();
    let id = lives.push(Live { slots: slots.into() });
    program.lives = lives;
    id
}

#[test]
fn a_live_slot_more_or_less_is_noticed_everywhere() {
    let program = program();
    for at in 0..program.code.len() {
        let slots = program.lives[program.live[at]].slots.to_vec();
        for without in 0..slots.len() {
            let mut fewer = slots.clone();
            fewer.remove(without);
            let wrong = found(|program| program.live[at] = with(program, fewer.clone()));
            assert!(!wrong.is_empty(), "{at} without slot {}", slots[without]);
        }
        let more: Vec<u32> = slots.iter().copied().chain([1000]).collect();
        let wrong = found(|program| program.live[at] = with(program, more.clone()));
        assert!(
            wrong.iter().any(|message| message.contains("not written on every way")),
            "{at}: {wrong:?}"
        );
    }
}

#[test]
fn a_slot_out_of_the_frame_is_noticed_everywhere() {
    let program = program();
    let mut tried = 0;
    for at in 0..program.code.len() {
        let mut changed = program.code[at];
        changed.map_slots(|slot| slot + 500);
        if changed != program.code[at] {
            tried += 1;
            let wrong = found(|program| program.code[at] = changed);
            assert!(!wrong.is_empty(), "{at}: {changed:?}");
        }
    }
    assert!(tried > 10);
}

#[test]
fn a_target_behind_or_outside_is_noticed() {
    let branch = |instr: &Instr| matches!(instr, Instr::CaseList { .. } | Instr::UnlessLt { .. });
    for to in [0, 1_000_000] {
        let wrong = found(|program| {
            let at = position(program, branch);
            program.code[at].map_targets(|_| Pc(to));
        });
        assert!(wrong[0].contains("out of its code"), "{wrong:?}");
    }
}

#[test]
fn code_that_runs_past_its_end_or_that_nothing_leads_to_is_noticed() {
    let wrong = found(|program| {
        let at = program.code.len() - 1;
        program.code[at] = Instr::Hole { d: Dst(0), words: 1 };
    });
    assert!(wrong.iter().any(|message| message.contains("past its end")), "{wrong:?}");
    let wrong = found(|program| program.code[0] = Instr::NoMatch {});
    assert!(wrong.iter().any(|message| message.contains("nothing leads here")), "{wrong:?}");
}

#[test]
fn a_call_with_other_arguments_than_it_takes_is_noticed() {
    let wrong = found(|program| {
        let call = |instr: &Instr| matches!(instr, Instr::Call1 { .. });
        let at = position(program, call);
        let Instr::Call1 { base, global, a } = program.code[at] else { return };
        program.code[at] = Instr::Call2 { base, global, a, b: a };
    });
    assert!(wrong[0].contains("not as many operands"), "{wrong:?}");
}

#[test]
fn a_frame_that_begins_too_low_is_noticed() {
    let wrong = found(|program| {
        let call = |instr: &Instr| matches!(instr, Instr::Call1 { .. });
        let at = position(program, call);
        // `x` is in slot 0 while the sum of the rest is computed.
        if let Instr::Call1 { base, .. } = &mut program.code[at] {
            base.0 = 0;
        }
    });
    assert!(!wrong.is_empty());
}

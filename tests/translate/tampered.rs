//! The verifier notices code that has been tampered with.

use gmachine::base::index::IndexVec;
use gmachine::gcode::program::{CONS, ConId, GlobalId};
use gmachine::machine::fast::code::instr::{Arg, Dst, Instr, Pc};
use gmachine::machine::fast::code::program::{Program, StackMap, StackMapId};
use gmachine::machine::fast::code::verify::verify;
use gmachine::machine::fast::translate::translate;
use gmachine::machine::heap::word::{Tag, Word};
use gmachine::optimise::Passes;

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
fn with(program: &mut Program, slots: Vec<u32>) -> StackMapId {
    let mut lives: IndexVec<StackMapId, StackMap> = program.stack_maps.iter().cloned().collect();
    let id = lives.push(StackMap { slots: slots.into() });
    program.stack_maps = lives;
    id
}

#[test]
fn a_live_slot_more_or_less_is_noticed_everywhere() {
    let program = program();
    for at in 0..program.code.len() {
        let slots = program.stack_maps[program.stack_map_of[at]].slots.to_vec();
        for without in 0..slots.len() {
            let mut fewer = slots.clone();
            fewer.remove(without);
            let wrong = found(|program| program.stack_map_of[at] = with(program, fewer.clone()));
            assert!(!wrong.is_empty(), "{at} without slot {}", slots[without]);
        }
        let more: Vec<u32> = slots.iter().copied().chain([1000]).collect();
        let wrong = found(|program| program.stack_map_of[at] = with(program, more.clone()));
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
        changed.map_slots(&mut |slot| slot + 500);
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
            program.code[at].map_targets(&mut |_| Pc(to));
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
    let wrong = found(|program| program.code[0] = Instr::NoMatch { a: Arg::slot(0) });
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

#[test]
fn a_hole_that_is_filled_twice_or_is_none_is_noticed() {
    let fill = |instr: &Instr| matches!(instr, Instr::FillCon { .. });
    let wrong = found(|program| {
        let first = position(program, fill);
        let Instr::FillCon { a, .. } = program.code[first] else { return };
        for at in first + 1..program.code.len() {
            if let Instr::FillCon { a: second, .. } = &mut program.code[at] {
                *second = a;
            }
        }
    });
    assert!(wrong.iter().any(|message| message.contains("has been filled")), "{wrong:?}");
    let wrong = found(|program| {
        let at = position(program, |instr| matches!(instr, Instr::Hole { .. }));
        let Instr::Hole { d, .. } = program.code[at] else { return };
        program.code[at] = Instr::Move { d, a: Arg::slot(0) };
    });
    assert!(wrong.iter().any(|message| message.contains("what is no hole")), "{wrong:?}");
}

#[test]
fn a_hole_with_too_few_fields_is_noticed() {
    let hole = |instr: &Instr| matches!(instr, Instr::Hole { .. });
    for (fields, message) in [(1, "too small"), (0, "no such number"), (1 << 24, "no such number")]
    {
        let wrong = found(|program| {
            let at = position(program, hole);
            if let Instr::Hole { words, .. } = &mut program.code[at] {
                *words = fields;
            }
        });
        assert!(wrong.iter().any(|found| found.contains(message)), "{wrong:?}");
    }
}

/// A program that goes by three constructors, of which one has three fields.
const CASES: &str = "
(data T (A) (B x y z) (C x))
(defn main[] (t (B 1 2 3)))
(defn t[v] (case v [(A) 0] [(B x y z) (add x (add y z))] [(C x) x]))
";

/// What is wrong with that after a change.
fn found_in_cases(change: impl Fn(&mut Program)) -> Vec<String> {
    let gcode = common::compile_after(CASES, Passes::NONE).expect("no mistake");
    let mut program = translate(gcode).expect("small");
    assert_eq!(verify(&program), []);
    change(&mut program);
    verify(&program).iter().map(ToString::to_string).collect()
}

#[test]
fn a_field_of_what_may_not_have_it_is_noticed() {
    let case = |instr: &Instr| matches!(instr, Instr::Case { .. });
    for (from, to) in [(0, 1), (2, 1), (0, 2)] {
        let wrong = found_in_cases(|program| {
            let at = position(program, case);
            let Instr::Case { case, .. } = program.code[at] else { return };
            let targets = &mut program.cases[case].targets;
            targets[from] = targets[to];
        });
        assert!(wrong.iter().any(|found| found.contains("reads a field")), "{wrong:?}");
    }
    for field in [-1, 1] {
        let wrong = found_in_cases(|program| {
            let at = position(program, |instr| matches!(instr, Instr::Field { .. }));
            if let Instr::Field { index, .. } = &mut program.code[at] {
                *index = field;
            }
        });
        assert!(wrong.iter().any(|found| found.contains("reads a field")), "{wrong:?}");
    }
}

#[test]
fn a_constant_that_is_a_pointer_or_names_nothing_is_noticed() {
    let words = [
        Word::pointer(0x1000, Tag::Con),
        Word::function(GlobalId(100_000)),
        Word::con(ConId(100_000)),
        Word::con(CONS),
    ];
    for word in words {
        let wrong = found(|program| _ = program.consts.push(word));
        assert!(wrong[0].contains("no immediate word"), "{word:?}: {wrong:?}");
    }
}

#[test]
fn a_thunk_that_is_computed_and_may_do_something_else_is_noticed() {
    let wrong = found(|program| {
        for at in 0..program.code.len() {
            program.code[at] = match program.code[at] {
                Instr::Thunk3 { d, thunk, a, b, c } => Instr::Cheap3 { d, thunk, a, b, c },
                Instr::Thunk2 { d, thunk, a, b } => Instr::Cheap2 { d, thunk, a, b },
                other => other,
            };
        }
    });
    assert!(wrong.iter().any(|found| found.contains("something else")), "{wrong:?}");
}

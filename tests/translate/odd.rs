//! G-code that no scheme makes: changed at random, as far as it still verifies, it means the
//! same in compact code.

use std::sync::Arc;

use gmachine::base::code::Code;
use gmachine::gcode::Verified;
use gmachine::gcode::instr::{Instr, IntLit, Label};
use gmachine::gcode::print;
use gmachine::gcode::program::{CONS, GlobalId, NIL, Program};
use gmachine::gcode::verify::{depths, verify};
use gmachine::machine::MachineKind;
use gmachine::machine::outcome::Stop;
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::optimise::Passes;

use super::dice::{Dice, number};
use super::{common, naive, translated};

const PROGRAM: &str = "
(data Shape (Dot) (Line length) (Box width height))
(defn main[]
  [(join 1 2) (calls 1 2 3) (sum (take 3 (group 1))) (shape (Box 1 2)) (letter 'b')
   (over id) (both (Pair 1 2)) (sum (map (partial 1) [4])) (lazy 4)])
(defn join[a b] (mul 2 (if (lt a b) a (if (lt 5 b) 7 b))))
(defn calls[a b c] (if (lt 20 a) 1 (add (calls (add b 9) c a) (calls (add c 9) a b))))
(defn sum[xs] (case xs [(Nil) 0] [(Cons x rest) (add x (sum rest))]))
(defn group[n] (letrec ([ones (Cons n twos)] [twos (Cons (add n 1) ones)]) ones))
(defn shape[s] (case s [(Dot) 0] [(Line l) l] [(Box w h) (add w (shape (Line h)))]))
(defn letter[c] (case c ['a' 1] ['b' 2] [_ (ord c)]))
(defn over[f] (id f 1))
(defn both[p] (case p [(Pair a b) (sub b a)]))
(defn partial[n] (add n))
(defn lazy[n] (let ([x (sum [n 1])] [y (add n n)]) (add (if (eq n 4) x y) (id x))))
";

/// The code with other instructions in the place of `old` ones at `at`; labels go on pointing
/// to what they pointed to.
fn splice(
    code: &mut Vec<Instr>,
    spans_of: &mut Program,
    id: GlobalId,
    at: usize,
    old: usize,
    new: Vec<Instr>,
) {
    let (count, end) = (new.len(), at + old);
    let moved = |Label(to): Label| {
        let to = to as usize;
        Label(if to >= end && to > at { to + count - old } else { to } as u32)
    };
    for instr in code.iter_mut() {
        for label in instr.labels_mut() {
            *label = moved(*label);
        }
    }
    code.splice(at..end, new);
    let span = spans_of.globals[id].span;
    spans_of.globals[id].spans.splice(at..end, std::iter::repeat_n(span, count));
}

/// Changes a program somewhere.
fn change(program: &mut Program, dice: &mut Dice) {
    let id = GlobalId(dice.roll(program.globals.len()) as u32);
    let mut code = program.globals[id].code.clone();
    let at = dice.roll(code.len());
    let depth = depths(program, id)[at].unwrap_or(1) as usize - 1;
    let k = dice.roll(depth.max(1)) as u32;
    let int = |n| Instr::PushInt(IntLit::Small(n));
    let other = GlobalId(dice.roll(program.globals.len()) as u32);
    let (old, new) = match dice.roll(20) {
        0 => (0, vec![Instr::Push(k), Instr::Pop(1)]),
        1 => (0, vec![Instr::Push(k), Instr::Eval, Instr::Pop(1)]),
        2 => (0, vec![int(3), Instr::Push(k + 1), Instr::MkApp, Instr::Pop(1)]),
        3 => (0, vec![int(3), int(4), Instr::Pack(CONS), Instr::Push(0), Instr::Pop(2)]),
        4 => (0, vec![Instr::Alloc(1), int(5), Instr::Update(0), Instr::Pop(1)]),
        5 => (0, vec![Instr::Alloc(2), Instr::Push(0), Instr::Update(1), Instr::Pop(2)]),
        6 => (
            0,
            vec![Instr::Alloc(1), Instr::Push(k + 1), Instr::Update(0), Instr::Eval, Instr::Pop(1)],
        ),
        7 => (
            0,
            vec![
                Instr::Alloc(1),
                Instr::Push(0),
                int(1),
                Instr::Pack(CONS),
                Instr::Update(0),
                int(2),
                Instr::Update(0),
                Instr::Pop(1),
            ],
        ),
        8 => {
            let to = at as u32;
            (0, vec![int(1), int(2), Instr::Lt, Instr::Cond(Label(to + 4), Label(to + 4))])
        }
        9 => {
            // Both ways build something and drop it where they meet.
            let to = at as u32;
            let two = vec![
                int(1),
                Instr::Cond(Label(to + 2), Label(to + 4)),
                int(7),
                Instr::Jump(Label(to + 7)),
                int(8),
                int(9),
                Instr::Pack(CONS),
                Instr::Pop(1),
            ];
            (0, two)
        }
        10 => (0, vec![Instr::Push(k), Instr::Push(k + 1), Instr::Squeeze(1, 1), Instr::Pop(1)]),
        11 => (0, vec![Instr::PushGlobal(other), Instr::Pop(1)]),
        12 => (0, vec![int(2), Instr::PushGlobal(other), Instr::MkApp, Instr::Pop(1)]),
        13 => (1, vec![]),
        14 => (1, vec![Instr::Push(k)]),
        15 => (1, vec![int(k.into())]),
        16 if at + 1 < code.len() => (2, vec![code[at + 1].clone(), code[at].clone()]),
        17 => (1, vec![Instr::Add]),
        18 => (0, vec![Instr::Push(k), Instr::Slide(1)]),
        _ => (1, vec![Instr::Eval, code[at].clone()]),
    };
    splice(&mut code, program, id, at, old, new);
    program.globals[id].code = code;
}

/// What the reference machine prints; `None` if it fails.
fn reference(program: &Verified) -> Option<String> {
    let config = Config { fuel: Some(200_000), ..Config::default() };
    let mut machine = Machine::new(program.clone(), config);
    let mut out = String::new();
    let input = Box::new(common::Text::new(""));
    machine.start(Format::Default, Some(input)).and_then(|()| machine.run(&mut out)).ok()?;
    Some(out)
}

#[test]
fn code_that_no_scheme_makes_means_the_same() {
    let (first, count) = (number("GMACHINE_SEED", 0), number("GMACHINE_CASES", 20) * 100);
    let (mut verified, mut compared) = (0, 0);
    for passes in [Passes::NONE, Passes::ALL] {
        let original = common::compile_after(PROGRAM, passes).expect("a program");
        for seed in first..first + count {
            let mut dice = Dice::new(seed);
            let mut program = (*original).clone();
            for _ in 0..1 + dice.roll(4) {
                let before = program.clone();
                change(&mut program, &mut dice);
                if !verify(&program).is_empty() {
                    program = before;
                }
            }
            if program == *original {
                continue;
            }
            verified += 1;
            let program = Verified::new(program).expect("checked after each change");
            let Some(expected) = reference(&program) else {
                translated(program);
                continue;
            };
            let code = Arc::new(translated(program.clone()));
            let (found, result) = naive::run(code, "", 1_000_000);
            compared += 1;
            assert!(
                result == Ok(()) && found == expected,
                "{seed}: {result:?} {found} not {expected}\n{}",
                print::program(&program, &mut print::bare)
            );
        }
    }
    assert!(verified as u64 > count / 2 && compared as u64 > count / 4, "{verified} {compared}");
}

#[test]
fn what_is_made_by_what_is_no_thread_belongs_to_none() {
    let text = "(defn main[] (bind (newArray 1 0) (fn [a] (writeArray a 0 5))))";
    let original = common::compile_after(text, Passes::NONE).expect("a program");
    let mut program = (*original).clone();
    let ids = program.globals.indices();
    let made_by = ids.into_iter().find(|&id| &*program.globals[id].symbol == "NewArray$");
    let code = &mut program.globals[made_by.expect("what makes an array")].code;
    // The thread is the operand that is evaluated last.
    let at = code.iter().rposition(|instr| *instr == Instr::Eval).expect("an evaluation") - 1;
    assert_eq!(code[at], Instr::Push(4));
    code[at] = Instr::Pack(NIL);
    let program = Verified::new(program).expect("it verifies");
    for &kind in MachineKind::ALL {
        let mut machine = common::machine(kind, &program, Config::default());
        let started = machine.start(Format::Default, Some(Box::new(common::Text::new(""))));
        let result = started.and_then(|()| machine.run(&mut String::new()));
        let Err(Stop::Error(error)) = result else { panic!("{kind:?}: {result:?}") };
        assert_eq!(error.code, Code::ForeignEffect, "{kind:?}");
    }
}

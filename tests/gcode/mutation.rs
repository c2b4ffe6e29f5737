//! Code that has been tampered with does not verify.

use super::compiled;
use super::golden::TUTORIAL;
use gmachine::gcode::instr::{Flow, Instr, Jumps, Label};
use gmachine::gcode::print::{bare, global};
use gmachine::gcode::program::{ConId, GlobalId, Program};
use gmachine::gcode::verify::{depths, verify};

/// Programs that between them use every instruction that code may have.
fn samples() -> Vec<Program> {
    let everything = "(data Tree (Leaf) (Node l v r)) (host put 2)
        (def main (input) (force s (f input 1) (switch! s (Leaf s) ((Node l v r) (Cons l (put r v))))))
        (def f (a b) (letrec ((x (Cons a y)) (y (Node b x Leaf)))
          (join (j)
                (negate (join (k p q) (seq a (add p q))
                              (if (lt b 2) (chr (ord b)) (let u 1 (switch b ('a' (jump k u b)) ('b' 2) (_ (error \"no\")))))))
                (switch a ((Cons h _) (switch b (0 h) (99999999999999999999 y) (_ (jump j)))) (_ (jump j))))))
        (def g (n) (mul (div n 2) (let z (rem n 3) (add z (sub n (if z n 0))))))
        (def h () (add (force w (g 1) (switch! w (Nil 1) ((Cons _ t) t))) (put h \"x\")))
        (def all () (Cons (f g) (Cons h (Cons error Node))))";
    vec![compiled(TUTORIAL), compiled(&everything.replace("input 1", "input all"))]
}

/// Checks that every change to the code of a global that `mutate` makes is found.
fn all_found(mutate: impl Fn(&Program, GlobalId, usize) -> Vec<Program>) {
    let mut tried = 0;
    for program in samples() {
        for id in program.globals.indices() {
            for at in 0..program.globals[id].code.len() {
                for mutant in mutate(&program, id, at) {
                    tried += 1;
                    assert!(
                        !verify(&mutant).is_empty(),
                        "instruction {at} was changed:\n{}\n{}",
                        global(&program, id, &mut bare),
                        global(&mutant, id, &mut bare)
                    );
                }
            }
        }
    }
    assert!(tried > 10, "{tried} mutants");
}

/// Whether the code from `at` on does nothing but stop the program: then it does not matter
/// how deep the stack is.
fn stops(program: &Program, id: GlobalId, at: usize) -> bool {
    let code = &program.globals[id].code[at..];
    let last = code.iter().find(|instr| instr.op().flow() != Flow::Next);
    matches!(last, Some(Instr::NoMatch | Instr::Raise))
}

/// The program with another instruction in one place.
fn with(program: &Program, id: GlobalId, at: usize, instr: Instr) -> Program {
    let mut mutant = program.clone();
    mutant.globals[id].code[at] = instr;
    mutant
}

#[test]
fn an_instruction_that_is_missing() {
    all_found(|program, id, at| {
        let (takes, leaves) = program.globals[id].code[at].effect(program);
        if takes == leaves || stops(program, id, at) {
            return Vec::new();
        }
        let mut mutant = program.clone();
        let global = &mut mutant.globals[id];
        global.code.remove(at);
        global.spans.remove(at);
        for label in global.code.iter_mut().flat_map(Instr::labels_mut) {
            label.0 -= u32::from(label.0 as usize > at);
        }
        vec![mutant]
    });
}

#[test]
fn an_instruction_that_is_there_twice() {
    all_found(|program, id, at| {
        let instr = program.globals[id].code[at].clone();
        let (takes, leaves) = instr.effect(program);
        if takes == leaves || stops(program, id, at) {
            return Vec::new();
        }
        let mut mutant = program.clone();
        let global = &mut mutant.globals[id];
        global.spans.insert(at, Default::default());
        global.code.insert(at, instr);
        for label in global.code.iter_mut().flat_map(Instr::labels_mut) {
            label.0 += u32::from(label.0 as usize > at);
        }
        vec![mutant]
    });
}

#[test]
fn a_count_that_is_off_by_one() {
    all_found(|program, id, at| {
        let change = |n: u32, make: fn(u32) -> Instr| {
            let fewer = n.checked_sub(1).map(make);
            let changed = fewer.into_iter().chain([make(n + 1)]);
            changed.map(|instr| with(program, id, at, instr)).collect()
        };
        if stops(program, id, at) {
            return Vec::new();
        }
        let code = &program.globals[id].code;
        match code[at] {
            Instr::Pop(n) => change(n, Instr::Pop),
            Instr::Slide(n) => change(n, Instr::Slide),
            Instr::Squeeze(n, m) => {
                let fewer = with(program, id, at, Instr::Squeeze(n, m - 1));
                vec![fewer, with(program, id, at, Instr::Squeeze(n, m + 1))]
            }
            Instr::Alloc(n) => change(n, Instr::Alloc),
            Instr::Split(n) => change(n, Instr::Split),
            // The redex is updated before the rest is dropped.
            Instr::Update(n) if matches!(code[at + 1], Instr::Pop(_)) => change(n, Instr::Update),
            _ => Vec::new(),
        }
    });
}

#[test]
fn an_offset_below_the_arguments() {
    all_found(|program, id, at| {
        let depth = depths(program, id)[at].expect("every instruction is reached") as u32;
        match program.globals[id].code[at] {
            Instr::Push(_) => vec![
                with(program, id, at, Instr::Push(depth - 1)),
                with(program, id, at, Instr::Push(u32::MAX)),
            ],
            Instr::MkApp => vec![with(program, id, at, Instr::Pop(depth))],
            _ => Vec::new(),
        }
    });
}

#[test]
fn a_label_to_another_depth_or_out_of_the_code() {
    all_found(|program, id, at| {
        let depths = depths(program, id);
        let labels: Vec<_> = program.globals[id].code[at].labels().collect();
        let mut mutants = Vec::new();
        for (number, label) in labels.into_iter().enumerate() {
            let end = depths.len() as u32;
            for to in [0, at as u32, label.0 - 1, label.0 + 1, end, u32::MAX] {
                if depths.get(to as usize) == depths.get(label.0 as usize) && to as usize > at {
                    continue;
                }
                let mut mutant = program.clone();
                *mutant.globals[id].code[at].labels_mut()[number] = Label(to);
                mutants.push(mutant);
            }
        }
        mutants
    });
}

#[test]
fn a_constructor_of_another_arity() {
    all_found(|program, id, at| {
        let Instr::Pack(con) = program.globals[id].code[at] else { return Vec::new() };
        let arity = program.cons[con].arity;
        let others = program.cons.enumerate().filter(|(_, other)| other.arity != arity);
        others.map(|(other, _)| with(program, id, at, Instr::Pack(other))).collect()
    });
}

#[test]
fn an_arity_that_is_off_by_one() {
    all_found(|program, id, at| {
        let arity = program.globals[id].arity;
        // Code that stops the program does not care.
        let unwinds = program.globals[id].code.contains(&Instr::Unwind);
        if at > 0 || !unwinds {
            return Vec::new();
        }
        let changed = arity.checked_sub(1).into_iter().chain([arity + 1]);
        let change = |arity| {
            let mut mutant = program.clone();
            mutant.globals[id].arity = arity;
            mutant.globals[id].params.clear();
            mutant
        };
        changed.map(change).collect()
    });
}

#[test]
fn branches_that_are_double_mixed_or_missing() {
    all_found(|program, id, at| {
        let mut mutants = Vec::new();
        let mut change = |instr| mutants.push(with(program, id, at, instr));
        match &program.globals[id].code[at] {
            Instr::CaseJump(jumps) => {
                let (con, label) = jumps.branches[0];
                let changed = |changed: &dyn Fn(&mut Jumps<ConId>)| {
                    let mut jumps = jumps.clone();
                    changed(&mut jumps);
                    Instr::CaseJump(jumps)
                };
                change(changed(&|jumps| jumps.branches.push((con, label))));
                change(changed(&|jumps| jumps.branches[0].0 = ConId(u32::MAX)));
                change(changed(&|jumps| jumps.branches.clear()));
                let data = program.cons[con].data;
                for (other, _) in program.cons.enumerate().filter(|(_, con)| con.data != data) {
                    change(changed(&|jumps| jumps.branches.push((other, label))));
                }
                if jumps.default.is_none() {
                    change(changed(&|jumps| _ = jumps.branches.pop()));
                }
            }
            Instr::LitJump(jumps) => {
                let mut double = jumps.clone();
                double.branches.push(jumps.branches[0]);
                change(Instr::LitJump(double));
                let mut missing = jumps.clone();
                missing.default = None;
                change(Instr::LitJump(missing));
            }
            _ => {}
        }
        mutants
    });
}

#[test]
fn tables_that_disagree() {
    let change = |change: fn(&mut Program)| {
        let mut mutant = compiled(TUTORIAL);
        change(&mut mutant);
        assert!(!verify(&mutant).is_empty());
    };
    change(|p| p.cons[ConId(0)].arity = 1);
    change(|p| p.cons[ConId(1)].tag = 0);
    change(|p| p.cons[ConId(1)].symbol = "Nil".into());
    change(|p| p.datas.truncate(0));
    change(|p| p.main = Some(GlobalId(99)));
    change(|p| p.main = p.find("zipWith"));
    change(|p| p.globals[GlobalId(0)].symbol = "take".into());
    change(|p| p.globals[GlobalId(0)].code.clear());
    change(|p| _ = p.globals[GlobalId(0)].spans.pop());
    change(|p| p.globals[GlobalId(2)].params.truncate(1));
    change(|p| p.globals[GlobalId(2)].strict = vec![true]);
    change(|p| p.globals[GlobalId(2)].strict = vec![false; 2]);
    change(|p| _ = p.texts.push("unused".into()));
    change(|p| _ = p.bigs.push(1.into()));
}

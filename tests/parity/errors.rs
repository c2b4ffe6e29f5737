//! What a failing program reports is the same on both machines: code, sentence, place, and who
//! waited.

use std::collections::BTreeSet;

use gmachine::machine::MachineKind;
use gmachine::machine::outcome::Waiting;
use gmachine::machine::print::Format;
use gmachine::optimise::Passes;

use super::cases::{self, Expected};
use super::common::{Failure, code_in, compile_after, limits};

/// A value that depends on itself: which of the places where it is asked for shows it, and
/// whether it is known by a name, depends on what is a node of its own.
const SELF_DEPENDENT: &str = "G0508";

/// Cases whose reports differ, and why.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "(letrec ([x (error \"first\")]) (seq x x))",
        "a value that is returned anyway is not awaited",
    ),
    (
        "(arrayIndex (arrayFromList [1 (error \"second\")]) 1)",
        "an element is evaluated after the instruction that finds it",
    ),
];

/// The functions that waited, without those that do so in a row.
fn names(failure: &Failure) -> Vec<&str> {
    // Which of those that went on by a tail call are known differs.
    let waiting = failure.chain.frames.iter().filter(|waiting| !waiting.is_tail);
    let mut names: Vec<&str> = waiting.map(|Waiting { name, .. }| &**name).collect();
    names.dedup();
    names
}

#[test]
fn every_failing_case_is_reported_alike() {
    let (mut total, mut wrong) = (0, Vec::new());
    let mut known: BTreeSet<&(&str, &str)> = BTreeSet::new();
    for (file, section) in cases::all() {
        for case in section.cases {
            if !matches!(case.expected, Expected::Fails { .. }) {
                continue;
            }
            let text = format!("{}(defn main[] {})\n", section.definitions, case.expression);
            let Some(program) = compile_after(&text, Passes::NONE) else { continue };
            let run = |kind| {
                code_in(kind, &program, "", Format::Default, limits()).failure.expect("a failure")
            };
            let (wanted, found) = (run(MachineKind::Reference), run(MachineKind::Fast));
            total += 1;
            let place =
                |failure: &Failure| (failure.code.clone(), failure.message.clone(), failure.span);
            let is_alike = place(&wanted) == place(&found) && names(&wanted) == names(&found);
            let is_alike =
                is_alike || (wanted.code == SELF_DEPENDENT && found.code == SELF_DEPENDENT);
            let expected = DIFFERENT.iter().find(|(expression, _)| *expression == case.expression);
            known.extend(expected);
            if is_alike == expected.is_some() {
                wrong.push(format!(
                    "{file}:{} {}\n    {wanted:?}\n    {found:?}",
                    case.line, case.expression
                ));
            }
        }
    }
    assert!(total > 100, "only {total} cases fail");
    assert!(wrong.is_empty(), "{} of {total}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(known.len(), DIFFERENT.len(), "there are cases of these alone: {known:?}");
}

/// Instructions with a constant say what was written: a subtraction as one, the operands in
/// their order.
#[test]
fn operands_of_instructions_with_a_constant_are_reported_as_written() {
    let integer =
        ["add", "sub", "mul", "div", "rem", "floordiv", "mod", "addi64", "subi64", "muli64"];
    for primitive in integer.into_iter().chain(["eq", "neq", "lt", "le", "gt", "ge"]) {
        for operands in ["3 Nil", "Nil 3"] {
            let text = format!("(defn main[] (if ({primitive} {operands}) 1 2))");
            for passes in [Passes::NONE, Passes::ALL] {
                let program = compile_after(&text, passes).expect("a program");
                let message = |kind| {
                    let run = code_in(kind, &program, "", Format::Default, limits());
                    run.failure.expect("a failure").message
                };
                let (wanted, found) = (message(MachineKind::Reference), message(MachineKind::Fast));
                assert_eq!(wanted, found, "{text}");
                assert!(found.starts_with(&format!("`{primitive}` ")), "{text}: {found}");
            }
        }
    }
}

/// So they do where one expression has become several instructions, with the constant on
/// either side.
#[test]
fn an_expression_that_was_unfolded_twice_is_reported_as_each_place_has_it() {
    for primitive in
        ["add", "sub", "mul", "div", "addi64", "subi64", "eq", "neq", "lt", "le", "gt", "ge"]
    {
        let text = format!(
            "(defn f[x y] (if (eq ({primitive} x y) 1) 1 2))
             (defn g[x y] (if ({primitive} x y) 1 2))
             (defn main[input] (case input
               [(Cons 'a' cs) (f 5 cs)] [(Cons 'b' cs) (f cs 5)]
               [(Cons 'c' cs) (g 5 cs)] [(Cons 'd' cs) (g cs 5)]))"
        );
        let program = compile_after(&text, Passes::ALL).expect("a program");
        let mut messages = BTreeSet::new();
        for input in ["a", "b", "c", "d"] {
            let message = |kind| {
                let run = code_in(kind, &program, input, Format::Default, limits());
                run.failure.expect("a failure").message
            };
            let (wanted, found) = (message(MachineKind::Reference), message(MachineKind::Fast));
            assert_eq!(wanted, found, "{input}: {text}");
            messages.insert(found);
        }
        assert_eq!(
            messages.len(),
            2,
            "one with the constant first, one with it last: {messages:?}"
        );
    }
}

/// A case goes by the constructors of one data type; there are ways of their own for those with one
/// and with two. What is of another type has a constructor before or after these, or none.
#[test]
fn a_case_of_another_data_type_is_reported_as_by_the_reference_machine() {
    let data = "(data Zero (Z)) (data One (O x)) (data Two (T x y)) (data Both (L) (R x))
                (data Three (A) (B x) (C x y)) (data Last (E) (F x))";
    let values = ["Z", "(O 1)", "(T 1 2)", "L", "(R 1)", "A", "(B 1)", "(C 1 2)", "E", "(F 1)"];
    let others = ["5", "'a'", "Nil", "(Cons 1 Nil)", "(Pair 1 2)", "id", "1.5", "(take 1)"];
    let types: [(&str, &[&str]); 5] = [
        ("[Z 1]", &["Z"]),
        ("[(O x) x]", &["(O 1)"]),
        ("[(T x y) (sub x y)]", &["(T 1 2)"]),
        ("[L 1] [(R x) (add x 1)]", &["L", "(R 1)"]),
        ("[A 1] [(B x) x] [(C x y) y]", &["A", "(B 1)", "(C 1 2)"]),
    ];
    for (alternatives, own) in types {
        for value in values.iter().chain(&others) {
            let text = format!(
                "{data} (defn main[] (f {value})) (defn f[v] (seq (g v) (case v {alternatives})))
                 (defn g[v] (if (eq (length [v]) 1) 1 2))"
            );
            let program = compile_after(&text, Passes::NONE).expect("a program");
            let run = |kind| {
                let run = code_in(kind, &program, "", Format::Default, limits());
                (run.output, run.failure.map(|failure| (failure.code, failure.message)))
            };
            let (wanted, found) = (run(MachineKind::Reference), run(MachineKind::Fast));
            assert_eq!(wanted, found, "{text}");
            assert_eq!(found.1.is_none(), own.contains(value), "{text}: {found:?}");
        }
    }
}

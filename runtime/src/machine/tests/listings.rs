//! What every machine does, on listings.

use crate::gcode::Verified;
use crate::gcode::parse::parse;
use crate::machine::outcome::{Limit, Stop};
use crate::machine::print::Format;
use crate::machine::{Config, MachineKind};

fn program(text: &str) -> Verified {
    let program = parse(&format!("data List = Nil/0 Cons/2\nmain main\n{text}"));
    Verified::new(program.expect("a listing")).expect("valid code")
}

/// What a machine prints, or its error.
fn run(kind: MachineKind, text: &str) -> String {
    let config = Config { fuel: Some(100_000), ..Config::default() };
    let mut machine = kind.load(program(text)).machine(config);
    let mut out = String::new();
    match machine.start(Format::Default, None).and_then(|()| machine.run(&mut out)) {
        Ok(()) => out,
        Err(Stop::Error(error)) => error.message,
        Err(stop) => stop.to_string(),
    }
}

/// How often `f` calls itself below. Miri takes a thousand times as long for each instruction.
const CALLS: u64 = if cfg!(miri) { 12 } else { 300 };

/// `f n` is `f (n - 1) + 1`, and `f 0` is 7; `main` is `f CALLS`.
const DEEP: &str = "supercombinator main/0
  0 PushInt CALLS
  1 PushGlobal f
  2 MkApp
  3 Eval
  4 Update 0
  5 Unwind
supercombinator f/1
  0 PushInt 0
  1 Push 1
  2 Eval
  3 Eq
  4 Cond 5 9
  5 PushInt 7
  6 Update 1
  7 Pop 1
  8 Unwind
  9 PushInt 1
 10 Push 1
 11 Eval
 12 Sub
 13 PushGlobal f
 14 MkApp
 15 Eval
 16 PushInt 1
 17 Add
 18 Update 1
 19 Pop 1
 20 Unwind
";

/// What is forced again goes on from where it was, which takes none of its fuel.
#[test]
fn an_evaluation_gets_on_with_any_fuel_at_a_time() {
    let deep = DEEP.replace("CALLS", &CALLS.to_string());
    for &kind in MachineKind::ALL {
        for fuel in [1, 2, 3, 10] {
            let mut machine = kind.load(program(&deep)).machine(Config::default());
            let main = machine.program().main.expect("a main");
            let root = machine.global_handle(main).expect("room");
            let mut slices = 0;
            loop {
                machine.set_fuel(Some(fuel));
                slices += 1;
                match machine.force(&root).expect("a handle of its own") {
                    Ok(()) => break,
                    Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Fuel(_)) => {}
                    Err(stop) => panic!("{kind}: {stop}"),
                }
                assert!(slices < CALLS * 21 / fuel + 100, "{kind} in slices of {fuel}");
            }
            machine.set_fuel(None);
            let mut out = String::new();
            let printed = machine.print_root(&root, Format::Default, &mut out);
            let value = format!("{}\n", CALLS + 7);
            assert_eq!((printed, out), (Some(Ok(())), value), "{kind}");
        }
    }
}

/// Evaluated, or described in a report, it has no end to come to.
#[test]
fn a_function_that_is_an_application_of_itself_depends_on_itself() {
    let cyclic = |rest: &str| {
        format!(
            "supercombinator main/0\n0 Alloc 1\n1 PushInt 1\n2 Push 1\n3 MkApp\n4 Update 0\n{rest}"
        )
    };
    let evaluated = cyclic("5 Eval\n6 Update 0\n7 Unwind");
    for &kind in MachineKind::ALL {
        assert_eq!(run(kind, &evaluated), "a value depends on itself", "{kind}");
    }
    // The reference machine evaluates no operand, but says what it is.
    let taken = run(MachineKind::Reference, &cyclic("5 Chr\n6 Update 0\n7 Unwind"));
    assert!(taken.contains("an expression that is not evaluated"), "{taken}");
    // So does one that comes to the circle by way of others.
    let mut code = vec!["Alloc 2", "PushInt 1", "Push 1", "MkApp", "Update 1"];
    code.extend(["PushInt 1", "Push 2", "MkApp", "Update 0"]);
    code.extend(["PushInt 1", "Push 1", "MkApp", "Ord", "Update 2", "Pop 2", "Unwind"]);
    let lines: String = (0..).zip(&code).map(|(at, line)| format!("{at} {line}\n")).collect();
    let taken = run(MachineKind::Reference, &format!("supercombinator main/0\n{lines}"));
    assert!(taken.contains("an expression that is not evaluated"), "{taken}");
}

/// A hole that is filled with itself stays one.
#[test]
fn a_name_that_is_bound_to_itself_depends_on_itself() {
    let itself = "0 Alloc 1\n1 Push 0\n2 Update 0\n3 Eval\n4 Update 0\n5 Unwind";
    let each_other =
        "0 Alloc 2\n1 Push 0\n2 Update 1\n3 Push 1\n4 Update 0\n5 Slide 1\n6 Update 0\n7 Unwind";
    for code in [itself, each_other] {
        for &kind in MachineKind::ALL {
            let said = run(kind, &format!("supercombinator main/0\n{code}"));
            assert!(said.contains("depends on itself"), "{kind}: {said}\n{code}");
        }
    }
}

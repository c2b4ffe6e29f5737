//! Every rule, by the value that it leaves.

use gmachine::gcode::program::Program;
use gmachine::machine::outcome::Statistics;
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Rule};

use super::programs::{Chars, apply, lines, listing, machine, prints, program, run, stressed};

#[test]
fn unwind_enters_with_the_arguments_on_the_stack() {
    let main = apply("take", &[&["PushInt 20"], &["PushGlobal fibs"]]);
    assert_eq!(
        prints(&lines(&main)),
        "0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987 1597 2584 4181 Nil\n"
    );
}

#[test]
fn unwind_keeps_a_redex_with_too_few_arguments() {
    assert_eq!(prints(&lines(&apply("add", &[&["PushInt 1"]]))), "<function add>\n");
    assert_eq!(prints(&["PushGlobal tail"]), "<function tail>\n");
    // (let ([add1 (add 1)]) (add1 1))
    let add1 = ["PushInt 1", "PushGlobal add", "MkApp", "PushInt 1", "Push 1", "MkApp", "Slide 1"];
    assert_eq!(prints(&add1), "2\n");
}

#[test]
fn unwind_goes_on_with_more_arguments_than_a_function_takes() {
    // ((fst (Pair add 0)) 2 3)
    let main = [
        "PushInt 3",
        "PushInt 2",
        "PushInt 0",
        "PushGlobal add",
        "Pack 0 2 Pair",
        "PushGlobal fst",
        "MkApp",
        "MkApp",
        "MkApp",
    ];
    assert_eq!(prints(&main), "5\n");
}

#[test]
fn a_constructor_function_takes_its_fields_one_by_one() {
    let main = apply("Node", &[&["PushInt 1"], &["Pack 0 0 Leaf"], &["PushInt 3"]]);
    assert_eq!(prints(&lines(&main)), "(Node 1 Leaf 3)\n");
    assert_eq!(prints(&lines(&apply("Node", &[&["PushInt 1"]]))), "<function Node>\n");
}

fn binary(op: &str, first: &str, second: &str) -> String {
    prints(&[second, first, op])
}

#[test]
fn arithmetic_is_exact() {
    let max = "PushInt 9223372036854775807";
    let min = "PushInt -9223372036854775808";
    let big = "PushInt 100000000000000000000";
    let cases = [
        ("Add", "PushInt 2", "PushInt 40", "42\n"),
        ("Add", max, "PushInt 1", "9223372036854775808\n"),
        ("Add", big, "PushInt 1", "100000000000000000001\n"),
        ("Sub", "PushInt 4", "PushInt 5", "-1\n"),
        ("Sub", big, big, "0\n"),
        ("Mul", max, max, "85070591730234615847396907784232501249\n"),
        ("Div", "PushInt -7", "PushInt 2", "-3\n"),
        ("Div", min, "PushInt -1", "9223372036854775808\n"),
        ("Rem", "PushInt -7", "PushInt 2", "-1\n"),
        ("FloorDiv", "PushInt -7", "PushInt 2", "-4\n"),
        ("Mod", "PushInt -7", "PushInt 2", "1\n"),
        ("Eq", "PushInt 3", "PushInt 3", "1\n"),
        ("Eq", big, big, "1\n"),
        ("Ne", "PushChar 'a'", "PushChar 'b'", "1\n"),
        ("Lt", "PushInt 1", big, "1\n"),
        ("Lt", "PushChar 'b'", "PushChar 'a'", "0\n"),
        ("Le", "PushInt 1", "PushInt 1", "1\n"),
        ("Gt", "PushInt 1", "PushInt 1", "0\n"),
        ("Ge", "PushInt 1", "PushInt 1", "1\n"),
    ];
    for (op, first, second, printed) in cases {
        assert_eq!(binary(op, first, second), printed, "{op} {first} {second}");
    }
    assert_eq!(prints(&[min, "Neg"]), "9223372036854775808\n");
    assert_eq!(prints(&["PushChar 'a'", "Ord"]), "97\n");
    assert_eq!(prints(&["PushInt 955", "Chr"]), "'λ'\n");
}

#[test]
fn cond_and_jumps_take_their_branch() {
    let cond = |n: &str| prints(&[n, "Cond 2 4", "PushInt 10", "Jump 5", "PushInt 20"]);
    assert_eq!((cond("PushInt 1"), cond("PushInt 0")), ("10\n".into(), "20\n".into()));
    let lit = |n: &str| {
        let table = "LitJump 7:2 100000000000000000000:4 _:6";
        prints(&[n, table, "PushInt 10", "Jump 7", "PushInt 20", "Jump 7", "PushInt 30"])
    };
    assert_eq!(lit("PushInt 7"), "10\n");
    assert_eq!(lit("PushInt 100000000000000000000"), "20\n");
    assert_eq!(lit("PushInt 8"), "30\n");
    let lit = |n: &str| prints(&[n, "LitJump 'a':2 _:4", "PushInt 10", "Jump 5", "PushInt 20"]);
    assert_eq!((lit("PushChar 'a'"), lit("PushChar 'b'")), ("10\n".into(), "20\n".into()));
}

#[test]
fn case_jump_and_split_take_apart_what_pack_made() {
    let code = |make: &[&'static str]| {
        let from = make.len();
        let mut code = make.to_vec();
        let jump = format!("CaseJump Node:{} _:{}", from + 1, from + 5);
        let over = format!("Jump {}", from + 7);
        let rest = ["Split 3", "Push 2", "Slide 3", &over, "Pop 1", "PushInt 0"];
        code.push(Box::leak(jump.into_boxed_str()));
        prints(&code.into_iter().chain(rest).collect::<Vec<_>>())
    };
    assert_eq!(code(&["PushInt 3", "PushInt 2", "PushInt 1", "Pack 1 3 Node"]), "3\n");
    assert_eq!(code(&["Pack 0 0 Leaf"]), "0\n");
}

#[test]
fn squeeze_keeps_the_top_and_drops_what_is_below() {
    let code = |squeeze| {
        let push = ["PushInt 5", "PushInt 4", "PushInt 3", "PushInt 2", "PushInt 1"];
        prints(&[&push[..], &[squeeze, "Add", "Sub"]].concat())
    };
    assert_eq!(code("Squeeze 2 2"), "-2\n");
    assert_eq!(code("Squeeze 3 2"), "0\n");
}

#[test]
fn alloc_and_update_tie_a_knot() {
    // (letrec ([ones (Cons 1 ones)]) (take 3 ones))
    let main = [
        "Alloc 1",
        "Push 0",
        "PushInt 1",
        "Pack 1 2 Cons",
        "Update 0",
        "Push 0",
        "PushInt 3",
        "PushGlobal take",
        "MkApp",
        "MkApp",
        "Slide 1",
    ];
    assert_eq!(prints(&main), "1 1 1 Nil\n");
}

#[test]
fn a_text_unpacks_as_it_is_demanded() {
    assert_eq!(prints(&["PushText \"hé\\nλ\""]), "hé\nλ\n");
    assert_eq!(prints(&["PushText \"\""]), "Nil\n");
    assert_eq!(prints(&lines(&apply("tail", &[&["PushText \"abc\""]]))), "bc\n");
}

#[test]
fn a_caf_is_evaluated_once() {
    let main = [
        "PushGlobal fibs",
        "PushInt 9",
        "PushGlobal nth",
        "MkApp",
        "MkApp",
        "Eval",
        "PushGlobal fibs",
        "PushInt 9",
        "PushGlobal nth",
        "MkApp",
        "MkApp",
        "Eval",
        "Add",
    ];
    let mut once = machine(program(&main[..6]), Config::default());
    let mut twice = machine(program(&main), Config::default());
    let mut out = String::new();
    for machine in [&mut once, &mut twice] {
        machine.start(Format::Default, None).unwrap();
        machine.run(&mut out).unwrap();
    }
    assert_eq!(out, "34\n68\n");
    // The second walk over the evaluated list makes no additions.
    let additions = twice.statistics().reductions - once.statistics().reductions;
    assert_eq!(additions, 10, "ten steps of nth and nothing else");
}

#[test]
fn input_is_read_as_it_is_demanded() {
    struct Counting(Chars, std::sync::Arc<std::sync::atomic::AtomicUsize>);
    impl gmachine::machine::outcome::Input for Counting {
        fn next(&mut self) -> Result<Option<char>, gmachine::machine::outcome::InputError> {
            self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            self.0.next()
        }
    }
    let take = |n: &'static str| -> Program {
        let code =
            ["Push 0", n, "PushGlobal take", "MkApp", "MkApp", "Update 1", "Pop 1", "Unwind"];
        listing(&code, "main/1 [input]")
    };
    for (n, printed, reads) in [("PushInt 2", "he\n", 3), ("PushInt 9", "hello\n", 6)] {
        let read = std::sync::Arc::default();
        let mut machine = machine(take(n), stressed());
        let input = Box::new(Counting(Chars::new("hello"), std::sync::Arc::clone(&read)));
        machine.start(Format::Default, Some(input)).unwrap();
        let mut out = String::new();
        machine.run(&mut out).unwrap();
        assert_eq!(out, printed);
        assert_eq!(read.load(std::sync::atomic::Ordering::Relaxed), reads);
    }
}

#[test]
fn each_format_prints() {
    let code = apply("Node", &[&["PushInt 1"], &["PushText \"ab\""], &["PushInt 3"]]);
    for (format, expected) in [
        (Format::Default, "(Node 1 \"ab\" 3)\n"),
        (Format::Sexpr, "(Node 1 \"ab\" 3)\n"),
        (Format::Json, "{\"con\":\"Node\",\"fields\":[1,\"ab\",3]}\n"),
    ] {
        let mut machine = machine(program(&lines(&code)), stressed());
        let mut out = String::new();
        machine.start(format, None).unwrap();
        machine.run(&mut out).unwrap();
        assert_eq!(out, expected);
    }
    let list = apply("take", &[&["PushInt 4"], &["PushGlobal fibs"]]);
    let mut machine = machine(program(&lines(&list)), stressed());
    let mut out = String::new();
    machine.start(Format::Sexpr, None).unwrap();
    machine.run(&mut out).unwrap();
    assert_eq!(out, "[0 1 1 2]\n");
}

#[test]
fn statistics_depend_on_the_program_alone() {
    let count = || {
        let code = apply("nth", &[&["PushInt 300"], &["PushGlobal fibs"]]);
        let mut machine = machine(program(&lines(&code)), Config::default());
        let mut out = String::new();
        machine.start(Format::Default, None).unwrap();
        machine.run(&mut out).unwrap();
        machine.statistics()
    };
    let first: Statistics = count();
    assert_eq!(first, count());
    assert!(first.instructions > first.reductions && first.reductions > 300, "{first:?}");
    assert!(first.allocated_bytes >= first.allocations * 16);
    assert_eq!(first.thunks_entered, first.thunks_updated);
}

#[test]
fn a_trace_shows_rules_and_changes() {
    let mut machine = machine(program(&["PushInt 2", "PushInt 40", "Add"]), Config::default());
    let mut out = String::new();
    machine.start(Format::Default, None).unwrap();
    let mut rules = Vec::new();
    while let Some(event) = machine.step(&mut out).unwrap() {
        let changed: Vec<String> =
            event.changed.iter().map(|addr| machine.view(*addr).text).collect();
        rules.push(format!("{} {}", event.rule.name(), changed.join(", ")).trim_end().to_owned());
    }
    machine.end_line(&mut out).unwrap();
    assert_eq!(
        rules,
        [
            "PushGlobal NGlobal main",
            "Eval",
            "Unwind enter NBlackHole main",
            "PushInt NNum 2",
            "PushInt NNum 40",
            "Add NNum 42",
            "Update NInd #3",
            "Pop",
            "Unwind indirection",
            "Unwind value",
            "Print",
        ]
    );
    assert_eq!(out, "42\n");
    assert_eq!(Rule::Enter.name(), "Unwind enter");
}

#[test]
fn running_and_stepping_are_the_same() {
    let code = apply("take", &[&["PushInt 6"], &["PushGlobal fibs"]]);
    let (out, _) = run(program(&lines(&code)), Config::default());
    let mut machine = machine(program(&lines(&code)), stressed());
    let mut stepped = String::new();
    machine.start(Format::Default, None).unwrap();
    while machine.step(&mut stepped).unwrap().is_some() {
        assert_eq!(machine.verify(), Ok(()));
        let _ = (machine.piece(), machine.frames(3), machine.redex());
    }
    machine.end_line(&mut stepped).unwrap();
    assert_eq!(stepped, out);
}

//! Every error, by name.

use gmachine::base::code::Code;
use gmachine::gcode::Verified;
use gmachine::gcode::instr::Instr;
use gmachine::gcode::program::Program;
use gmachine::machine::outcome::{InputError, Output, OutputError, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine_testing::common::compile;

use super::programs::{Chars, apply, fails, lines, listing, machine, program, run};

fn check(main: &[&str], code: Code, message: &str) {
    let error = fails(main);
    assert_eq!((error.code, error.message.as_str()), (code, message));
}

#[test]
fn g0501_error_called() {
    let raise = |text| fails(&[text, "Raise"]).message;
    assert_eq!(raise("PushText \"no\\u{1B}luck\""), "the program called error: no\\u{1B}luck");
    assert_eq!(raise("PushText \"\""), "the program called error with an empty message");
    // An unevaluated message shows that it goes on.
    assert_eq!(raise("PushGlobal fibs"), "the program called error: …");
}

#[test]
fn g0502_division_by_zero() {
    for (op, name) in [("Div", "div"), ("Rem", "rem"), ("FloorDiv", "floordiv"), ("Mod", "mod")] {
        check(&["PushInt 0", "PushInt 1", op], Code::DivisionByZero, &format!("`{name}` by zero"));
    }
}

#[test]
fn g0503_wrong_kind() {
    let code = Code::WrongKind;
    check(
        &["PushChar 'a'", "PushInt 1", "Add"],
        code,
        "`add` needs an integer, and its second operand is the character 'a'",
    );
    check(
        &["PushInt 1", "Pack 0 0 Nil", "Mul"],
        code,
        "`mul` needs an integer, and its first operand is the empty list",
    );
    check(
        &["PushInt 1", "PushChar 'a'", "Eq"],
        code,
        "`eq` compares two integers or two characters, and was given the character 'a' and the integer 1",
    );
    check(
        &["PushInt 1", "Ord"],
        code,
        "`ord` needs a character, and its only operand is the integer 1",
    );
    check(
        &["PushGlobal add", "Neg"],
        code,
        "`negate` needs an integer, and its only operand is the function `add`",
    );
    check(
        &["Pack 0 0 Leaf", "Chr"],
        code,
        "`chr` needs an integer, and its only operand is `Leaf`",
    );
}

#[test]
fn g0504_applied_non_function() {
    let message = "the integer 3 is applied to an argument, and is no function";
    check(&["PushInt 4", "PushInt 3", "MkApp"], Code::AppliedNonFunction, message);
    let message = "the integer 5 is applied to an argument, and is no function";
    let code = apply("add", &[&["PushInt 2"], &["PushInt 3"], &["PushInt 4"]]);
    check(&lines(&code), Code::AppliedNonFunction, message);
}

#[test]
fn g0505_no_alternative() {
    check(&["NoMatch"], Code::NoAlternative, "no alternative matches");
    let code = apply("tail", &[&["Pack 0 0 Nil"]]);
    check(&lines(&code), Code::NoAlternative, "no alternative matches `Nil`");
}

#[test]
fn g0506_overapplied_constructor() {
    check(
        &["PushInt 1", "Pack 0 0 Leaf", "MkApp"],
        Code::OverappliedConstructor,
        "`Leaf` has no fields, and is given 1",
    );
    let four: Vec<&[&str]> = vec![&["PushInt 1"]; 4];
    check(
        &lines(&apply("Node", &four)),
        Code::OverappliedConstructor,
        "`Node` has 3 fields, and is given 4",
    );
}

#[test]
fn g0507_chr_out_of_range() {
    for n in ["-1", "1114112", "55296", "100000000000000000000"] {
        let message = format!("the integer {n} is the code point of no character");
        check(&[&format!("PushInt {n}"), "Chr"], Code::ChrOutOfRange, &message);
    }
}

#[test]
fn g0508_self_dependent() {
    // (defn main[] (add main 1))
    let code = Code::SelfDependent;
    check(
        &["PushInt 1", "PushGlobal main", "Eval", "Add"],
        code,
        "the value of `main` depends on itself",
    );
    check(&["PushGlobal main"], code, "the value of `main` depends on itself");
    // (letrec ([x x]) x), (letrec ([x y] [y x]) x)
    check(
        &["Alloc 1", "Push 0", "Update 0", "Push 0", "Slide 1"],
        code,
        "a value depends on itself",
    );
    let two = ["Alloc 2", "Push 0", "Update 1", "Push 1", "Update 0", "Push 1", "Slide 2"];
    check(&two, code, "a value depends on itself");
    // (letrec ([x (add x 1)]) x)
    let add = [
        "Alloc 1",
        "PushInt 1",
        "Push 1",
        "PushGlobal add",
        "MkApp",
        "MkApp",
        "Update 0",
        "Push 0",
        "Slide 1",
    ];
    check(&add, code, "a value depends on itself");
}

#[test]
fn g0509_not_text() {
    let mixed = ["Pack 0 0 Nil", "PushInt 1", "Pack 1 2 Cons", "PushChar 'a'", "Pack 1 2 Cons"];
    let error = fails(&mixed);
    assert_eq!(error.code, Code::NotText);
    assert_eq!(run(program(&mixed), Config::default()).0, "a\n");
}

#[test]
fn g0510_wrong_scrutinee() {
    let code = Code::WrongScrutinee;
    let of = |arg: &'static str| lines(&apply("fst", &[&[arg]])).join("\n");
    for (arg, found) in [
        ("PushInt 3", "the integer 3"),
        ("Pack 0 0 Leaf", "`Leaf`"),
        ("PushGlobal add", "the function `add`"),
    ] {
        let main = of(arg);
        let main: Vec<&str> = main.lines().collect();
        check(
            &main,
            code,
            &format!("a case expects a value of type `Pair`, and was given {found}"),
        );
    }
    check(
        &["PushChar 'a'", "LitJump 1:2 _:4", "PushInt 1", "Jump 5", "PushInt 2"],
        code,
        "a case expects an integer, and was given the character 'a'",
    );
    check(
        &["PushInt 1", "LitJump 'a':2 _:4", "PushInt 1", "Jump 5", "PushInt 2"],
        code,
        "a case expects a character, and was given the integer 1",
    );
}

#[test]
fn g0511_not_boolean() {
    let cond = |value| {
        [
            "PushInt 0",
            value,
            "Cond 3 6",
            "Update 0",
            "Pop 0",
            "Unwind",
            "Update 0",
            "Pop 0",
            "Unwind",
        ]
    };
    check(&cond("PushInt 2"), Code::NotBoolean, "a condition must be 1 or 0, and is the integer 2");
    check(
        &cond("Pack 0 0 Nil"),
        Code::NotBoolean,
        "a condition must be 1 or 0, and is the empty list",
    );
}

#[test]
fn g0512_unprintable() {
    let mut text = super::programs::SHARED.to_owned();
    text.push_str(
        "supercombinator main/0\n 0 PushGlobal main$1\n 1 Update 0\n 2 Pop 0\n 3 Unwind\n",
    );
    text.push_str(
        "supercombinator main$1/1 [x] unnamed\n 0 Push 0\n 1 Update 1\n 2 Pop 1\n 3 Unwind\n",
    );
    let mut machine = machine(super::programs::raw(&text), Config::default());
    machine.start(Format::Sexpr, None).unwrap();
    let mut out = String::new();
    let Err(Stop::Error(error)) = machine.run(&mut out) else { panic!("{out}") };
    assert_eq!(error.code, Code::Unprintable);
    assert_eq!(out, "");
}

#[test]
fn missing_or_wrong_main_is_reported() {
    let mut without = program(&["PushInt 1"]).into_program();
    without.main = None;
    let without = Verified::new(without).unwrap();
    assert!(
        matches!(run(without, Config::default()).1, Err(Stop::Error(error)) if error.code == Code::MissingMain)
    );
    let mut binary = program(&["PushInt 1"]).into_program();
    binary.main = binary.find("take");
    let refused = Verified::new(binary).unwrap_err();
    assert_eq!(refused[0].to_string(), "main has more than one parameter");
}

#[test]
fn a_failing_input_stops_and_is_asked_again() {
    let code = ["Push 0", "Update 1", "Pop 1", "Unwind"];
    let bad = InputError { code: Code::InputNotUtf8, message: "byte 3 is no UTF-8".into() };
    let mut machine = machine(listing(&code, "main/1 [input]"), Config::default());
    let input = Chars("ab".chars().collect::<Vec<_>>().into_iter(), Some(bad.clone()));
    machine.start(Format::Default, Some(Box::new(input))).unwrap();
    let mut out = String::new();
    assert_eq!(machine.run(&mut out), Err(Stop::Input(bad.clone())));
    assert_eq!(out, "ab\n");
    assert_eq!(machine.run(&mut out), Err(Stop::Input(bad)));
}

#[test]
fn a_closed_output_stops() {
    struct Closed(usize);
    impl Output for Closed {
        fn write(&mut self, _: &str) -> Result<(), OutputError> {
            if self.0 == 0 {
                let kind = std::io::ErrorKind::BrokenPipe;
                return Err(OutputError { kind, message: "closed".into() });
            }
            self.0 -= 1;
            Ok(())
        }
        fn flush(&mut self) -> Result<(), OutputError> {
            Ok(())
        }
    }
    let mut machine = machine(program(&["PushGlobal fibs"]), Config::default());
    machine.start(Format::Default, None).unwrap();
    assert!(
        matches!(machine.run(&mut Closed(10)), Err(Stop::Output(error)) if error.message == "closed")
    );
    assert_eq!(machine.verify(), Ok(()));
}

#[test]
fn what_waits_is_named_innermost_first_and_cut() {
    // sum of 30 elements whose end is no list
    let mut code = vec!["PushInt 0".to_owned()];
    for _ in 0..30 {
        code.extend(["PushInt 1".to_owned(), "Pack 1 2 Cons".to_owned()]);
    }
    code.extend(["PushGlobal sum".to_owned(), "MkApp".to_owned()]);
    let mut program = program(&lines(&code)).into_program();
    // Listings have no spans: give each instruction its own.
    let mut at = 1;
    for global in program.globals.iter_mut() {
        for span in &mut global.spans {
            *span = gmachine::base::span::Span::new(at, at + 1);
            at += 1;
        }
    }
    let (_, result) = run(Verified::new(program).unwrap(), Config::default());
    let Err(Stop::Error(error)) = result else { panic!("{result:?}") };
    assert_eq!(error.code, Code::WrongScrutinee);
    // Those that wait in the same place are counted.
    assert_eq!(error.chain.frames.len() + error.chain.more, 1);
    assert_eq!(error.chain.frames[0].times, 30);
    assert!(error.chain.frames.iter().all(|waiting| &*waiting.name == "sum"));
}

#[test]
fn an_error_in_a_primitive_names_the_application() {
    let mut program =
        program(&["PushChar 'a'", "PushInt 1", "PushGlobal add", "MkApp", "MkApp"]).into_program();
    let main = program.main.unwrap();
    let span = gmachine::base::span::Span::new(7, 9);
    program.globals[main].spans[4] = span;
    let (_, result) = run(Verified::new(program).unwrap(), Config::default());
    let Err(Stop::Error(error)) = result else { panic!("{result:?}") };
    assert_eq!((error.code, error.span), (Code::WrongKind, span));
}

/// Code that no scheme makes gives a primitive a list that comes round to itself: no machine walks
/// along it for ever.
#[test]
fn a_list_without_end_that_a_primitive_takes_whole_is_of_the_wrong_kind() {
    use gmachine::machine::MachineKind;
    use gmachine_testing::common;

    for (primitive, element) in [
        ("arrayFromList", "PushInt 1"),
        ("bytesFromList", "PushInt 1"),
        ("bytesFromText", "PushChar 'a'"),
    ] {
        let unary = format!("Unary {primitive}");
        let code = [
            "Alloc 1",
            "Push 0",
            element,
            "Pack 1 2 Cons",
            "Update 0",
            "Push 0",
            "Eval",
            &unary,
            "Slide 1",
        ];
        let program = program(&code);
        for kind in MachineKind::ALL {
            let mut machine = common::machine(*kind, &program, Config::default());
            let started = machine.start(Format::Default, None);
            let ended = started.and_then(|()| machine.run(&mut String::new()));
            let Err(Stop::Error(error)) = ended else { panic!("{kind} {primitive}: {ended:?}") };
            assert_eq!(error.code, Code::WrongKind, "{kind} {primitive}");
        }
    }
}

/// The performer has a branch for what is no action. Only a value can be none.
#[test]
fn what_the_performer_goes_by_is_evaluated() {
    let mut code = Program::clone(&compile("(defn main[] (putText \"a\"))"));
    let performer = code.globals.iter_mut().find(|global| global.performs()).unwrap();
    let evaluates = performer.code.iter().position(|instr| matches!(instr, Instr::Try)).unwrap();
    performer.code[evaluates] = Instr::Slide(0);
    let (output, result) = run(Verified::new(code).unwrap(), Config::default());
    let Err(Stop::Error(error)) = result else { panic!("{output} {result:?}") };
    assert!(error.message.contains("an expression that is not evaluated"), "{error}");
}

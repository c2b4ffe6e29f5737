use super::*;
use crate::gcode::Verified;
use crate::gcode::limits::{ITEMS_PER_INSTRUCTION, MAX_ARITY, MAX_ITEMS};
use crate::gcode::parse::parse;

/// What is wrong with a `main` of these instructions, separated by semicolons.
fn found(code: &str) -> Vec<String> {
    let lines = code.split(';').enumerate().map(|(at, line)| format!("{at} {}\n", line.trim()));
    let code: String = lines.collect();
    let text = format!(
        "data List = Nil/0 Cons/2\nmain main\nsupercombinator main/0\n{code}\n\
         supercombinator f/1\n0 Push 0\n1 Update 1\n2 Pop 1\n3 Unwind\n"
    );
    refused(&text)
}

fn refused(text: &str) -> Vec<String> {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    match Verified::new(program) {
        Ok(_) => Vec::new(),
        Err(violations) => violations.iter().map(ToString::to_string).collect(),
    }
}

/// Checks that code is refused, and what is said of it first.
#[track_caller]
fn is_refused(code: &str, message: &str) {
    let found = found(code);
    assert_eq!(found.first().map(String::as_str), Some(message), "{code}: {found:?}");
}

#[track_caller]
fn is_accepted(code: &str) {
    assert_eq!(found(code), Vec::<String>::new(), "{code}");
}

#[test]
fn a_hole_that_is_filled_once_before_anything_runs_is_accepted() {
    is_accepted("Alloc 1; PushInt 5; Update 0; Push 0; Eval; Slide 1; Update 0; Unwind");
    // In any order, with other things built between, and other holes within.
    is_accepted(
        "Alloc 2; PushInt 1; Push 2; MkApp; Update 0; Push 0; Alloc 1; Push 3; Update 0; Slide 1; \
         Update 1; Push 1; Slide 2; Update 0; Unwind",
    );
    // With itself or another hole: evaluating that is the program's mistake.
    is_accepted("Alloc 1; Push 0; Update 0; Update 0; Unwind");
    is_accepted("Alloc 2; Push 0; Update 1; Push 1; Update 0; Pop 1; Update 0; Unwind");
    // Through branches, when it is filled.
    is_accepted(
        "Alloc 1; PushInt 1; Update 0; PushInt 1; Cond 5 7; PushInt 2; Jump 8; PushInt 3; \
         Slide 1; Update 0; Unwind",
    );
    is_accepted("Alloc 0; PushInt 1; Eval; Update 0; Unwind");
}

#[test]
fn a_hole_that_is_filled_twice_is_refused() {
    let message = "it updates neither the redex nor a hole that is not filled";
    is_refused(
        "Alloc 1; PushInt 5; Update 0; PushInt 6; Update 0; Update 0; Unwind",
        &format!("main 4: {message}"),
    );
    // Whatever is done between.
    is_refused(
        "Alloc 1; PushInt 5; Update 0; Push 0; Eval; Pop 1; PushInt 6; Update 0; Pop 1; PushInt 0; \
         Update 0; Pop 0; Unwind",
        &format!("main 7: {message}"),
    );
    // On one of two ways.
    is_refused(
        "Alloc 1; PushInt 1; Update 0; PushInt 1; Cond 5 8; PushInt 2; Update 0; Jump 8; Update 0; \
         Unwind",
        &format!("main 6: {message}"),
    );
    // By way of a copy, which is no hole; an argument or a field is none either.
    is_refused(
        "Alloc 1; Push 0; PushInt 5; Update 0; Pop 1; PushInt 5; Update 0; Update 0; Unwind",
        &format!("main 3: {message}"),
    );
    is_refused("PushInt 1; PushInt 2; Update 0; Update 0; Unwind", &format!("main 2: {message}"));
}

#[test]
fn nothing_is_evaluated_before_a_hole_is_filled() {
    let end = "PushInt 1; Update 0; Update 0; Unwind";
    for (instr, what) in [
        ("Push 0; Eval; Pop 1", "2: Eval"),
        ("PushInt 1; Eval; Pop 1", "2: Eval"),
        ("Push 0; Neg; Pop 1", "2: Neg"),
        ("PushInt 1; PushInt 2; Add; Pop 1", "3: Add"),
        ("PushInt 1; PushInt 2; Lt; Pop 1", "3: Lt"),
        ("Jump 2", "1: Jump"),
        ("PushInt 1; Cond 3 3", "2: Cond"),
        ("PushInt 1; LitJump 1:3 _:3", "2: LitJump"),
        ("Pack 0 0 Nil; CaseJump Nil:3 Cons:3; Pop 1", "2: CaseJump"),
    ] {
        is_refused(
            &format!("Alloc 1; {instr}; {end}"),
            &format!("main {what} comes before a hole is filled"),
        );
    }
    is_refused("Alloc 1; NoMatch", "main 1: NoMatch comes before a hole is filled");
    is_refused("Alloc 1; Push 0; Raise", "main 2: Raise comes before a hole is filled");
    // Another hole being filled is not enough.
    is_refused(
        "Alloc 2; PushInt 1; Update 0; Push 0; Eval; Update 1; Pop 1; Update 0; Unwind",
        "main 4: Eval comes before a hole is filled",
    );
}

#[test]
fn a_hole_that_is_never_filled_is_refused() {
    let taken = "it takes a hole that is not filled from the stack";
    is_refused("Alloc 1; Pop 1; PushInt 1; Update 0; Unwind", &format!("main 1: {taken}"));
    is_refused("Alloc 1; Push 0; Slide 1; Update 0; Unwind", &format!("main 2: {taken}"));
    is_refused("PushInt 1; Alloc 1; Slide 1; Update 0; Unwind", &format!("main 2: {taken}"));
    is_refused("Alloc 1; PushGlobal f; MkApp; Update 0; Unwind", &format!("main 2: {taken}"));
    is_refused("Alloc 2; Pack 1 2 Cons; Update 0; Unwind", &format!("main 1: {taken}"));
    is_refused("PushInt 1; Alloc 1; Squeeze 1 1; Update 0; Unwind", &format!("main 2: {taken}"));
    // The redex does not become one, and is no way out.
    is_refused("Alloc 1; Update 0; Unwind", &format!("main 1: {taken}"));
    is_refused(
        "Alloc 1; Push 0; Update 1; PushInt 1; Update 0; Pop 1; Unwind",
        "main 2: the redex is updated before a hole is filled",
    );
}

#[test]
fn no_way_leads_past_the_making_of_a_hole_to_its_filling() {
    is_refused(
        "PushInt 1; Cond 2 5; PushInt 1; Jump 6; NoMatch; Alloc 1; PushInt 1; Update 0; Update 0; \
         Unwind",
        "main 4: nothing leads here",
    );
    is_refused(
        "PushInt 1; Cond 2 4; PushInt 1; Jump 5; Alloc 1; PushInt 1; Update 0; Update 0; Unwind",
        "main 4: a label leads to where a hole is not filled",
    );
}

#[test]
fn nothing_runs_after_the_update_of_the_redex() {
    let code = |instr: &str| format!("PushInt 1; Update 0; {instr}; Unwind");
    let after = "comes after the update of the redex";
    is_refused(&code("PushGlobal main; Eval; Pop 1"), &format!("main 3: Eval {after}"));
    is_refused(&code("PushInt 1; Neg; Pop 1"), &format!("main 3: Neg {after}"));
    is_refused("PushInt 1; Update 0; NoMatch", &format!("main 2: NoMatch {after}"));
    is_accepted(&code("PushInt 1; Pop 1"));
    is_accepted(&code("Jump 3"));
}

/// A machine may make a constructor without running the code of its function.
#[test]
fn the_function_of_a_constructor_has_its_code_and_no_other() {
    let head = "data List = Nil/0 Cons/2\nconstructor Cons/2 of Cons\n";
    let of = |code: &str| refused(&format!("{head}{code}"));
    assert_eq!(
        of("0 Push 1\n1 Push 1\n2 Pack 1 2 Cons\n3 Update 2\n4 Pop 2\n5 Unwind\n"),
        Vec::<String>::new()
    );
    for code in [
        "0 PushInt 0\n1 Update 2\n2 Pop 2\n3 Unwind\n",
        "0 Push 0\n1 Push 2\n2 Pack 1 2 Cons\n3 Update 2\n4 Pop 2\n5 Unwind\n",
        "0 Push 1\n1 Push 1\n2 Pack 1 2 Cons\n3 Eval\n4 Update 2\n5 Pop 2\n6 Unwind\n",
        "0 NoMatch\n",
    ] {
        assert_eq!(of(code), ["Cons: its code is not that of what it stands for"], "{code}");
    }
}

#[test]
fn what_a_listing_may_ask_for_is_limited() {
    let head = "data List = Nil/0 Cons/2\nmain m\nsupercombinator m/0\n0 PushInt 1\n";
    let end = "1 Update 0\n2 Unwind\n";
    let of = |arity: u32| {
        let code = format!("0 PushInt 1\n1 Update {arity}\n2 Pop {arity}\n3 Unwind");
        format!("{head}{end}supercombinator f/{arity}\n{code}\n")
    };
    assert_eq!(refused(&of(MAX_ARITY)), Vec::<String>::new());
    for arity in [MAX_ARITY + 1, 500_000_000, u32::MAX] {
        let message = format!("function `f` has {arity} parameters, and {MAX_ARITY} are the most");
        assert_eq!(refused(&of(arity)), [message]);
    }
    let holes =
        |count: u64| format!("{head}1 Alloc {count}\n2 Squeeze 0 {count}\n3 Update 0\n4 Unwind");
    let too_many = "up to `m`, code of this size makes too many stack items";
    for count in [200_000_000, u64::from(u32::MAX), MAX_ITEMS + 5 * ITEMS_PER_INSTRUCTION + 1] {
        assert_eq!(refused(&holes(count)), [too_many]);
    }
    // At the limit it is looked at: these holes are not filled.
    let found = refused(&holes(MAX_ITEMS + 5 * ITEMS_PER_INSTRUCTION));
    assert_eq!(found, ["m 2: it takes a hole that is not filled from the stack"]);
    let con = |arity: u32| format!("data List = Nil/0 Cons/2\ndata T = K/{arity}\n");
    let message = format!("constructor `K` has 1048577 fields, and {MAX_ARITY} are the most");
    assert_eq!(refused(&con(MAX_ARITY + 1)), [message]);
    assert_eq!(refused(&con(MAX_ARITY)), Vec::<String>::new());
}

/// Parameters with names are as long as the program.
#[test]
fn parameters_that_have_names_do_not_count() {
    let count = u64::from(MAX_ARITY);
    let mut text = "data List = Nil/0 Cons/2\n".to_owned();
    for number in 0..MAX_ITEMS / count + 1 {
        text += &format!("supercombinator f{number}/{count}\n0 NoMatch\n");
    }
    let mut program = parse(&text).expect("a listing");
    let last = program.globals.as_slice().len() as u32 - 1;
    assert_eq!(
        verify(&program).iter().map(ToString::to_string).collect::<Vec<_>>(),
        [format!("up to `f{last}`, code of this size makes too many stack items")]
    );
    program.globals[GlobalId(last)].params = vec![None; count as usize];
    assert_eq!(verify(&program), []);
}

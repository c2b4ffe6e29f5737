//! The code of what is known to be strict and of what is known to be evaluated.

use super::{check, code, compiled, read};
use gmachine::compile::{Options, compile_with};
use gmachine::gcode::print::{bare, global};
use gmachine::lift::lint::lint;

const OTHERS: &str = "(def g (a !b !c) (add b c)) (def lazy (a) a) (def h (!x) (lazy x)) \
    (data Pair (Pair a b))";

/// Checks the code of `(def f PARAMS BODY)` if nothing is evaluated twice.
#[track_caller]
fn once(params: &str, body: &str, expected: &str) {
    let (core, names) = read::read(&format!("{OTHERS} (def main () f) (def f ({params}) {body})"));
    assert_eq!(lint(&core), Vec::<String>::new(), "{body}");
    let program = compile_with(&core, &names, Options { eval_once: true });
    check(&program);
    assert_eq!(code(&program, "f"), expected, "{body}");
}

/// Checks the plain code.
#[track_caller]
fn plain(params: &str, body: &str, expected: &str) {
    let program = compiled(&format!("{OTHERS} (def main () f) (def f ({params}) {body})"));
    assert_eq!(code(&program, "f"), expected, "{body}");
}

#[test]
fn a_strict_argument_is_evaluated_before_the_call() {
    plain(
        "x y",
        "(g (add x 1) (add y 1) (lazy x))",
        "Push 0; PushGlobal lazy; MkApp; Eval; PushInt 1; Push 3; Eval; Add; \
         PushInt 1; Push 3; PushGlobal add; MkApp; MkApp; PushGlobal g; MkApp; MkApp; MkApp; \
         Update 2; Pop 2; Unwind",
    );
    plain(
        "x",
        "(add 1 (h (add x 1)))",
        "PushInt 1; Push 1; Eval; Add; PushGlobal h; MkApp; Eval; PushInt 1; Add; \
         Update 1; Pop 1; Unwind",
    );
}

#[test]
fn in_a_lazy_context_the_graph_is_built() {
    plain(
        "x",
        "(Cons (h (add x 1)) Nil)",
        "Pack 0 0 Nil; PushInt 1; Push 2; PushGlobal add; MkApp; MkApp; PushGlobal h; MkApp; \
         Pack 1 2 Cons; Update 1; Pop 1; Unwind",
    );
    plain(
        "x",
        "(let y (h (add x 1)) (Cons y y))",
        "PushInt 1; Push 1; PushGlobal add; MkApp; MkApp; PushGlobal h; MkApp; \
         Push 0; Push 1; Pack 1 2 Cons; Update 2; Pop 2; Unwind",
    );
}

#[test]
fn a_call_that_lacks_arguments_evaluates_none_and_one_with_too_many_those_of_its_own() {
    plain(
        "x",
        "(g 1 (lazy x))",
        "Push 0; PushGlobal lazy; MkApp; PushInt 1; PushGlobal g; MkApp; MkApp; \
         Update 1; Pop 1; Unwind",
    );
    plain(
        "x",
        "(h (lazy x) (lazy x))",
        "Push 0; PushGlobal lazy; MkApp; Push 1; PushGlobal lazy; MkApp; Eval; \
         PushGlobal h; MkApp; MkApp; Update 1; Pop 1; Unwind",
    );
}

#[test]
fn a_strict_argument_that_is_a_value_is_passed_as_it_is() {
    plain("x", "(h 1)", "PushInt 1; PushGlobal h; MkApp; Update 1; Pop 1; Unwind");
    plain(
        "x",
        "(h (Pair x (lazy x)))",
        "Push 0; PushGlobal lazy; MkApp; Push 1; Pack 0 2 Pair; PushGlobal h; MkApp; \
         Update 1; Pop 1; Unwind",
    );
    plain(
        "x",
        "(h (g x))",
        "Push 0; PushGlobal g; MkApp; PushGlobal h; MkApp; Update 1; Pop 1; Unwind",
    );
    once(
        "x",
        "(seq x (h x))",
        "Push 0; Eval; Pop 1; Push 0; PushGlobal h; MkApp; Update 1; Pop 1; Unwind",
    );
}

#[test]
fn an_argument_in_a_strict_context_may_be_a_case() {
    plain(
        "x",
        "(h (switch x (1 2) (_ 3)))",
        "Push 0; Eval; LitJump 1:3 _:5; PushInt 2; Jump 6; PushInt 3; \
         PushGlobal h; MkApp; Update 1; Pop 1; Unwind",
    );
}

#[test]
fn what_a_path_has_evaluated_is_not_evaluated_again() {
    once(
        "x",
        "(add x (mul x x))",
        "Push 0; Eval; Push 1; Mul; Push 1; Add; Update 1; Pop 1; Unwind",
    );
    plain(
        "x",
        "(add x (mul x x))",
        "Push 0; Eval; Push 1; Eval; Mul; Push 1; Eval; Add; Update 1; Pop 1; Unwind",
    );
    once(
        "x y",
        "(if (eq x 0) y (h (sub x 1)))",
        "PushInt 0; Push 1; Eval; Eq; Cond 5 9; Push 1; Update 2; Pop 2; Unwind; \
         PushInt 1; Push 1; Sub; PushGlobal h; MkApp; Update 2; Pop 2; Unwind",
    );
    once(
        "l",
        "(add (switch l (Nil 0) ((Cons _ _) 1)) (switch l (Nil 1) ((Cons _ _) 2)))",
        "Push 0; Eval; CaseJump Nil:3 Cons:7; Split 0; PushInt 1; Slide 0; Jump 10; Split 2; \
         PushInt 2; Slide 2; Push 1; CaseJump Nil:12 Cons:16; Split 0; PushInt 0; Slide 0; \
         Jump 19; Split 2; PushInt 1; Slide 2; Add; Update 1; Pop 1; Unwind",
    );
}

#[test]
fn what_a_let_binds_to_a_value_is_evaluated() {
    once(
        "x",
        "(let y (Pair x x) (switch y ((Pair a _) a)))",
        "Push 0; Push 1; Pack 0 2 Pair; Push 0; CaseJump Pair:5; Split 2; Push 0; Update 4; \
         Pop 4; Unwind",
    );
    once(
        "x",
        "(letrec ((y (Cons x y))) (switch y ((Cons a _) a) (_ 1)))",
        "Alloc 1; Push 0; Push 2; Pack 1 2 Cons; Update 0; Push 0; CaseJump Cons:7 _:12; \
         Split 2; Push 0; Update 4; Pop 4; Unwind; Pop 1; PushInt 1; Update 2; Pop 2; Unwind",
    );
    once(
        "x",
        "(let y (lazy x) (add y 1))",
        "Push 0; PushGlobal lazy; MkApp; PushInt 1; Push 1; Eval; Add; Update 2; Pop 2; Unwind",
    );
}

#[test]
fn one_branch_does_not_know_what_another_has_evaluated() {
    once(
        "l x",
        "(switch l (Nil (add x 1)) ((Cons _ _) (add x 2)))",
        "Push 0; Eval; CaseJump Nil:3 Cons:11; Split 0; PushInt 1; Push 2; Eval; Add; Update 2; \
         Pop 2; Unwind; Split 2; PushInt 2; Push 4; Eval; Add; Update 4; Pop 4; Unwind",
    );
    // After the branches, only the condition is known.
    once(
        "c x",
        "(add (if c x 1) (if c 1 x))",
        "Push 0; Eval; Cond 3 5; PushInt 1; Jump 7; Push 1; Eval; \
         Push 1; Cond 9 12; Push 2; Eval; Jump 13; PushInt 1; Add; Update 2; Pop 2; Unwind",
    );
    once(
        "c x",
        "(switch c (1 (add x x)) (_ x))",
        "Push 0; Eval; LitJump 1:3 _:10; Push 1; Eval; Push 2; Add; Update 2; Pop 2; Unwind; \
         Push 1; Update 2; Pop 2; Unwind",
    );
}

#[test]
fn a_handler_knows_what_all_jumps_have_evaluated() {
    let body = |left: &str, right: &str| {
        format!("(join (j) (add x y) (if c (seq {left} (jump j)) (seq {right} (jump j))))")
    };
    let program = |body: &str| {
        let (core, names) = read::read(&format!("(def main () f) (def f (c x y) {body})"));
        assert_eq!(lint(&core), Vec::<String>::new());
        let program = compile_with(&core, &names, Options { eval_once: true });
        check(&program);
        let code = code(&program, "f");
        let handler = code.rfind("Jump").map_or("", |at| &code[at..]);
        handler.split_once("; ").map_or(String::new(), |(_, handler)| handler.to_owned())
    };
    let end = "Add; Update 3; Pop 3; Unwind";
    assert_eq!(program(&body("x", "x")), format!("Push 2; Eval; Push 2; {end}"));
    assert_eq!(program(&body("x", "y")), format!("Push 2; Eval; Push 2; Eval; {end}"));
    assert_eq!(program(&body("(add x y)", "y")), format!("Push 2; Push 2; Eval; {end}"));
    assert_eq!(program(&body("(add x y)", "(add y x)")), format!("Push 2; Push 2; {end}"));
}

#[test]
fn a_listing_marks_strict_parameters() {
    let program = compiled(&format!("{OTHERS} (def main () (Cons g lazy))"));
    let head = |symbol: &str| {
        let text = global(&program, program.find(symbol).unwrap(), &mut bare);
        text.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(head("g"), "supercombinator g/3 [a !b !c]");
    assert_eq!(head("lazy"), "supercombinator lazy/1 [a]");
    assert_eq!(program.globals[program.find("g").unwrap()].strict, [false, true, true]);
    assert!(program.globals[program.find("lazy").unwrap()].strict.is_empty());
}

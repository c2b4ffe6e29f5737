//! The code of every construct, exactly.

use super::{code, compiled};
use gmachine::gcode::instr::Instr;
use gmachine::gcode::program::{GlobalKind, Program};

/// Checks the code of `(def f PARAMS BODY)`, beside definitions that it may use.
#[track_caller]
fn body_with(definitions: &str, params: &str, body: &str, expected: &str) -> Program {
    let program = compiled(&format!("{definitions} (def main () f) (def f ({params}) {body})"));
    assert_eq!(code(&program, "f"), expected);
    program
}

#[track_caller]
fn body(params: &str, text: &str, expected: &str) -> Program {
    body_with("", params, text, expected)
}

/// Checks the code of a global that `(def main () BODY)` mentions.
#[track_caller]
fn mentioned(main: &str, symbol: &str, expected: &str) -> Program {
    let program = compiled(&format!("(data Pair (Pair a b)) (host put 2) (def main () {main})"));
    assert_eq!(code(&program, symbol), expected);
    program
}

#[test]
fn primitives_as_functions_are_the_tutorials() {
    mentioned("add", "add", "Push 1; Eval; Push 1; Eval; Add; Update 2; Pop 2; Unwind");
    mentioned("negate", "negate", "Push 0; Eval; Neg; Update 1; Pop 1; Unwind");
    mentioned(
        "if",
        "if",
        "Push 0; Eval; Cond 3 5; Push 1; Jump 6; Push 2; Update 3; Pop 3; Unwind",
    );
    mentioned("seq", "seq", "Push 0; Eval; Pop 1; Push 1; Update 2; Pop 2; Unwind");
}

#[test]
fn error_evaluates_its_message_before_it_is_raised() {
    let program = mentioned(
        "error",
        "error",
        "Push 0; PushInt 10000; PushGlobal error$text; MkApp; MkApp; Eval; Raise",
    );
    assert_eq!(
        code(&program, "error$text"),
        "Push 1; Eval; CaseJump Nil:3 Cons:8; \
         Split 0; Pack 0 0 Nil; Update 2; Pop 2; Unwind; \
         Split 2; Push 2; Eval; LitJump 0:12 _:18; \
         Pack 0 0 Nil; PushChar '…'; Pack 1 2 Cons; Update 4; Pop 4; Unwind; \
         Push 0; Eval; LitJump '\\0':21 _:21; Push 1; PushInt 1; Push 4; Sub; PushGlobal error$text; \
         MkApp; MkApp; Eval; Push 1; Pack 1 2 Cons; Update 4; Pop 4; Unwind"
    );
}

#[test]
fn constructors_and_host_functions_as_functions() {
    let program =
        mentioned("Pair", "Pair", "Push 1; Push 1; Pack 0 2 Pair; Update 2; Pop 2; Unwind");
    let pair = &program.globals[program.find("Pair").unwrap()];
    assert!(matches!(pair.kind, GlobalKind::Constructor(_)));
    mentioned("put", "put", "Push 1; Push 1; CallHost put; Update 2; Pop 2; Unwind");
}

#[test]
fn strict_arithmetic_builds_nothing() {
    body(
        "",
        "(add 3 (mul 4 5))",
        "PushInt 5; PushInt 4; Mul; PushInt 3; Add; Update 0; Pop 0; Unwind",
    );
    body("x", "(sub x 1)", "PushInt 1; Push 1; Eval; Sub; Update 1; Pop 1; Unwind");
    body("c", "(chr (ord c))", "Push 0; Eval; Ord; Chr; Update 1; Pop 1; Unwind");
}

#[test]
fn lazy_arithmetic_is_an_application() {
    body(
        "x",
        "(Cons (add x 1) Nil)",
        "Pack 0 0 Nil; PushInt 1; Push 2; PushGlobal add; MkApp; MkApp; Pack 1 2 Cons; \
         Update 1; Pop 1; Unwind",
    );
    body(
        "x",
        "(Cons (if x 1 2) Nil)",
        "Pack 0 0 Nil; PushInt 2; PushInt 1; Push 3; PushGlobal if; MkApp; MkApp; MkApp; \
         Pack 1 2 Cons; Update 1; Pop 1; Unwind",
    );
}

#[test]
fn values_are_not_evaluated_again() {
    body("", "5", "PushInt 5; Update 0; Pop 0; Unwind");
    body("", "'λ'", "PushChar 'λ'; Update 0; Pop 0; Unwind");
    body("", "Nil", "Pack 0 0 Nil; Update 0; Pop 0; Unwind");
    body("x xs", "(Cons x xs)", "Push 1; Push 1; Pack 1 2 Cons; Update 2; Pop 2; Unwind");
    let forced = |what: &str| format!("(force y {what} 1)");
    body(
        "",
        &forced("(add 1)"),
        "PushInt 1; PushGlobal add; MkApp; Pop 1; PushInt 1; Update 0; Pop 0; Unwind",
    );
    body(
        "",
        &forced("(Cons 1)"),
        "PushInt 1; PushGlobal Cons; MkApp; Pop 1; PushInt 1; Update 0; Pop 0; Unwind",
    );
    body("x", &forced("f"), "PushGlobal f; Pop 1; PushInt 1; Update 1; Pop 1; Unwind");
    body("", &forced("f"), "PushGlobal f; Eval; Pop 1; PushInt 1; Update 0; Pop 0; Unwind");
    body("", &forced("\"a\""), "PushText \"a\"; Eval; Pop 1; PushInt 1; Update 0; Pop 0; Unwind");
}

#[test]
fn big_integers_and_texts_are_in_tables() {
    let program = body(
        "",
        "(Cons 99999999999999999999 (Cons \"a\" (Cons 99999999999999999999 \"a\")))",
        "PushText \"a\"; PushInt 99999999999999999999; Pack 1 2 Cons; PushText \"a\"; Pack 1 2 Cons; \
         PushInt 99999999999999999999; Pack 1 2 Cons; Update 0; Pop 0; Unwind",
    );
    assert_eq!((program.bigs.len(), program.texts.len()), (1, 1));
}

#[test]
fn calls_are_applications_and_tail_calls_leave_nothing() {
    body("g x", "(g x 1)", "PushInt 1; Push 2; Push 2; MkApp; MkApp; Update 2; Pop 2; Unwind");
    body(
        "g x",
        "(add (g x) 1)",
        "PushInt 1; Push 2; Push 2; MkApp; Eval; Add; Update 2; Pop 2; Unwind",
    );
    // More arguments than a primitive or constructor takes are the business of run time.
    body(
        "x",
        "(add 1 2 x)",
        "Push 0; PushInt 2; PushInt 1; PushGlobal add; MkApp; MkApp; MkApp; Update 1; Pop 1; Unwind",
    );
    body("x", "(Nil x)", "Push 0; Pack 0 0 Nil; MkApp; Update 1; Pop 1; Unwind");
}

#[test]
fn if_branches_end_in_their_own_tail_call() {
    body(
        "n",
        "(if (eq n 0) 1 (mul n (f (sub n 1))))",
        "PushInt 0; Push 1; Eval; Eq; Cond 5 9; \
         PushInt 1; Update 1; Pop 1; Unwind; \
         PushInt 1; Push 1; PushGlobal sub; MkApp; MkApp; PushGlobal f; MkApp; Eval; \
         Push 1; Eval; Mul; Update 1; Pop 1; Unwind",
    );
    body(
        "n",
        "(add (if n 1 2) 3)",
        "PushInt 3; Push 1; Eval; Cond 4 6; PushInt 1; Jump 7; PushInt 2; Add; Update 1; Pop 1; Unwind",
    );
}

#[test]
fn seq_drops_its_first_and_tail_calls_its_second() {
    body("a b", "(seq a b)", "Push 0; Eval; Pop 1; Push 1; Update 2; Pop 2; Unwind");
    body(
        "a b",
        "(negate (seq a b))",
        "Push 0; Eval; Pop 1; Push 1; Eval; Neg; Update 2; Pop 2; Unwind",
    );
}

#[test]
fn let_is_lazy_and_its_body_strict() {
    body(
        "x",
        "(let y (f x) (add y y))",
        "Push 0; PushGlobal f; MkApp; Push 0; Eval; Push 1; Eval; Add; Update 2; Pop 2; Unwind",
    );
    body(
        "x",
        "(negate (let y (f x) y))",
        "Push 0; PushGlobal f; MkApp; Push 0; Eval; Slide 1; Neg; Update 1; Pop 1; Unwind",
    );
    body(
        "x",
        "(Cons (let y (f x) y) x)",
        "Push 0; Push 1; PushGlobal f; MkApp; Push 0; Slide 1; Pack 1 2 Cons; Update 1; Pop 1; Unwind",
    );
}

#[test]
fn letrec_fills_holes() {
    body(
        "",
        "(letrec ((x (Cons 1 y)) (y (Cons 2 x))) x)",
        "Alloc 2; Push 0; PushInt 1; Pack 1 2 Cons; Update 1; \
         Push 1; PushInt 2; Pack 1 2 Cons; Update 0; Push 1; Update 2; Pop 2; Unwind",
    );
    body(
        "g",
        "(Cons (letrec ((x (g x))) x) Nil)",
        "Pack 0 0 Nil; Alloc 1; Push 0; Push 3; MkApp; Update 0; Push 0; Slide 1; Pack 1 2 Cons; \
         Update 1; Pop 1; Unwind",
    );
}

#[test]
fn a_case_splits_and_slides() {
    body(
        "l",
        "(switch l (Nil 0) ((Cons x xs) (add 1 (f xs))))",
        "Push 0; Eval; CaseJump Nil:3 Cons:8; \
         Split 0; PushInt 0; Update 1; Pop 1; Unwind; \
         Split 2; Push 1; PushGlobal f; MkApp; Eval; PushInt 1; Add; Update 3; Pop 3; Unwind",
    );
    body(
        "l",
        "(negate (switch l (Nil 0) ((Cons _ xs) (f xs))))",
        "Push 0; Eval; CaseJump Nil:3 Cons:7; \
         Split 0; PushInt 0; Slide 0; Jump 13; \
         Split 2; Push 1; PushGlobal f; MkApp; Eval; Slide 2; Neg; Update 1; Pop 1; Unwind",
    );
}

#[test]
fn a_scrutinee_that_is_looked_at_once_has_no_place() {
    body(
        "g l",
        "(force s (g l) (switch! s (Nil 0) ((Cons x _) x)))",
        "Push 1; Push 1; MkApp; Eval; CaseJump Nil:5 Cons:10; \
         Split 0; PushInt 0; Update 2; Pop 2; Unwind; \
         Split 2; Push 0; Update 4; Pop 4; Unwind",
    );
    // Named again, it has one; it is evaluated, and so is the variable it came from.
    body(
        "l",
        "(force s l (switch! s (Nil (seq l s)) ((Cons x _) s)))",
        "Push 0; Eval; Push 0; CaseJump Nil:4 Cons:11; \
         Split 0; Push 1; Pop 1; Push 0; Update 2; Pop 2; Unwind; \
         Split 2; Push 2; Update 4; Pop 4; Unwind",
    );
    // Not named at all, it is dropped.
    body("l", "(force s l 1)", "Push 0; Eval; Pop 1; PushInt 1; Update 1; Pop 1; Unwind");
}

#[test]
fn a_default_drops_a_constructor_but_no_literal() {
    body(
        "l",
        "(switch l ((Cons x _) x) (_ 0))",
        "Push 0; Eval; CaseJump Cons:3 _:8; Split 2; Push 0; Update 3; Pop 3; Unwind; \
         Pop 1; PushInt 0; Update 1; Pop 1; Unwind",
    );
    body(
        "n",
        "(switch n (0 1) (-5 2) (_ n))",
        "Push 0; Eval; LitJump 0:3 -5:7 _:11; PushInt 1; Update 1; Pop 1; Unwind; \
         PushInt 2; Update 1; Pop 1; Unwind; Push 0; Update 1; Pop 1; Unwind",
    );
    body(
        "c",
        "(negate (switch c ('a' 1) (_ 2)))",
        "Push 0; Eval; LitJump 'a':3 _:5; PushInt 1; Jump 6; PushInt 2; Neg; Update 1; Pop 1; Unwind",
    );
    // Without one, what is not named is an error.
    body(
        "l",
        "(switch l (Nil 0))",
        "Push 0; Eval; CaseJump Nil:3 _:8; Split 0; PushInt 0; Update 1; Pop 1; Unwind; Pop 1; NoMatch",
    );
}

#[test]
fn a_switched_local_is_evaluated_in_the_branches_only() {
    body(
        "l",
        "(switch l (Nil (seq l 1)) (_ (switch! l ((Cons x _) x) (_ 2))))",
        "Push 0; Eval; CaseJump Nil:3 _:10; \
         Split 0; Push 0; Pop 1; PushInt 1; Update 1; Pop 1; Unwind; \
         Pop 1; Push 0; CaseJump Cons:13 _:18; Split 2; Push 0; Update 3; Pop 3; Unwind; \
         Pop 1; PushInt 2; Update 1; Pop 1; Unwind",
    );
    body(
        "l",
        "(add (switch l (Nil 1) (_ 2)) l)",
        "Push 0; Eval; Push 1; Eval; CaseJump Nil:5 _:9; Split 0; PushInt 1; Slide 0; Jump 11; \
         Pop 1; PushInt 2; Add; Update 1; Pop 1; Unwind",
    );
}

#[test]
fn a_jump_goes_on_at_the_depth_of_the_join() {
    body(
        "a b",
        "(join (j) 0 (switch a ((Cons x _) (switch b ((Cons _ _) x) (_ (jump j)))) (_ (jump j))))",
        "Push 0; Eval; CaseJump Cons:3 _:15; \
         Split 2; Push 3; Eval; CaseJump Cons:7 _:12; \
         Split 2; Push 2; Update 6; Pop 6; Unwind; \
         Pop 1; Pop 2; Jump 17; \
         Pop 1; Jump 17; \
         PushInt 0; Update 2; Pop 2; Unwind",
    );
    body(
        "a",
        "(negate (join (j) nomatch (switch a (Nil 1) (_ (jump j)))))",
        "Push 0; Eval; CaseJump Nil:3 _:7; Split 0; PushInt 1; Slide 0; Jump 9; \
         Pop 1; Jump 10; Jump 11; NoMatch; Neg; Update 1; Pop 1; Unwind",
    );
    // Nothing is emitted for what nothing jumps to.
    body("a", "(join (j x) x a)", "Push 0; Update 1; Pop 1; Unwind");
}

#[test]
fn code_that_is_not_reached_is_not_emitted() {
    let program = body("a", "(add (f (f a)) (seq nomatch (if a (f 1) (mul 2 3))))", "NoMatch");
    assert!(program.find("mul").is_none());
    body(
        "a",
        "(add 1 (error \"no\"))",
        "PushText \"no\"; Eval; PushInt 10000; PushGlobal error$text; MkApp; MkApp; Eval; Raise",
    );
}

#[test]
fn lazy_calls_of_error_and_host_functions_are_applications() {
    body_with(
        "(host put 2)",
        "a",
        "(Cons (error a) (put a))",
        "Push 0; PushGlobal put; MkApp; Push 1; PushGlobal error; MkApp; Pack 1 2 Cons; Update 1; Pop 1; Unwind",
    );
    body_with(
        "(host put 2) (host now 0)",
        "a",
        "(add (put a 1) now)",
        "PushGlobal now; Eval; PushInt 1; Push 2; CallHost put; Eval; Add; Update 1; Pop 1; Unwind",
    );
    body_with("(host put 1)", "a", "(put a)", "Push 0; CallHost put; Update 1; Pop 1; Unwind");
}

#[test]
fn globals_are_those_reached_in_order_of_first_mention() {
    let program = compiled(
        "(def unused () (sub 1 2)) (def b () a) (def a () (Cons b (Cons 1)))
         (def main (input) (Cons a (mul input)))",
    );
    let symbols: Vec<&str> = program.globals.iter().map(|global| &*global.symbol).collect();
    assert_eq!(symbols, ["main", "mul", "a", "Cons", "b"]);
}

#[test]
fn a_run_starts_with_main() {
    let initial = |text| {
        let program = compiled(text);
        program.initial_code().map(|code| (program.main, code))
    };
    let (main, code) = initial("(def main () 1)").unwrap();
    let main = main.unwrap();
    assert_eq!(code, [Instr::PushGlobal(main), Instr::Eval, Instr::Print]);
    let (_, code) = initial("(def main (input) 1)").unwrap();
    assert_eq!(code, [Instr::PushGlobal(main), Instr::MkApp, Instr::Eval, Instr::Print]);
    assert_eq!(initial("(def other () 1)"), None);
}

#[test]
fn a_program_without_main_is_all_its_definitions() {
    let program = compiled("(def one () 1) (def two () (f 2)) (def f (x) x)");
    let symbols: Vec<&str> = program.globals.iter().map(|global| &*global.symbol).collect();
    assert_eq!(symbols, ["one", "two", "f"]);
    assert_eq!(program.main, None);
}

#[test]
fn symbols_made_here_differ_from_all_others() {
    let program =
        compiled("(def error$text () 1) (def Cons () (Cons 1)) (def main () (error Cons))");
    let mut symbols: Vec<&str> = program.globals.iter().map(|global| &*global.symbol).collect();
    symbols.sort_unstable();
    symbols.dedup();
    assert_eq!(symbols.len(), program.globals.len());
}

#[test]
fn each_instruction_has_the_span_of_its_expression() {
    let text = "(def main (x) (switch x (Nil (add 1 (main x))) (_ nomatch)))";
    let program = compiled(text);
    let main = &program.globals[program.find("main").unwrap()];
    let shown: Vec<(String, &str)> = main
        .code
        .iter()
        .zip(&main.spans)
        .map(|(instr, span)| {
            let name = instr.op().name().to_owned();
            (name, &text[span.lo as usize - 1..span.hi as usize - 1])
        })
        .collect();
    let switch = &text[14..text.len() - 1];
    let expected = [
        ("Push", switch),
        ("Eval", switch),
        ("CaseJump", switch),
        ("Split", switch),
        ("Push", "x"),
        ("PushGlobal", "main"),
        ("MkApp", "(main x)"),
        ("Eval", "(main x)"),
        ("PushInt", "1"),
        ("Add", "(add 1 (main x))"),
        ("Update", "(add 1 (main x))"),
        ("Pop", "(add 1 (main x))"),
        ("Unwind", "(add 1 (main x))"),
        ("Pop", switch),
        ("NoMatch", "nomatch"),
    ];
    let expected: Vec<_> = expected.map(|(name, text)| (name.to_owned(), text)).into();
    assert_eq!(shown, expected);
}

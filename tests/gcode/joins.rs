//! Join points: what the lint demands of them, their code, and what that does.

use super::read::read;
use super::{code, compiled};
use gmachine::base::index::List;
use gmachine::core::expr::{Expr, JoinId, Lit, Program};
use gmachine::gcode::Verified;
use gmachine::lift::lint::lint;
use gmachine::machine::Stress;
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};

/// The core of `(def main () 0) (def f (a b) BODY)`.
fn core(body: &str) -> Program {
    read(&format!("(def main () (f Nil 1)) (def f (a b) {body})")).0
}

#[track_caller]
fn is_fine(body: &str) {
    assert_eq!(lint(&core(body)), Vec::<String>::new(), "{body}");
}

#[track_caller]
fn is_wrong(program: &Program, expected: &str) {
    let found = lint(program).join("; ");
    assert!(found.contains(expected), "{found:?}");
}

#[test]
fn a_jump_stands_in_a_tail_of_the_body() {
    for tail in [
        "(jump j)",
        "(let x 1 (jump j))",
        "(letrec ((x (Cons 1 x))) (jump j))",
        "(force x (add b 1) (jump j))",
        "(switch a (Nil (jump j)) (_ 2))",
        "(switch a (Nil 2) (_ (jump j)))",
        "(switch b (1 (jump j)) (_ 2))",
        "(if b 1 (jump j))",
        "(if b (jump j) 1)",
        "(seq b (jump j))",
        "(join (k) 2 (if b (jump k) (jump j)))",
        "(join (k) (jump j) (jump k))",
    ] {
        is_fine(&format!("(join (j) 0 {tail})"));
        is_fine(&format!("(negate (join (j) 0 {tail}))"));
    }
    for no_tail in [
        "(negate (jump j))",
        "(if (jump j) 1 2)",
        "(seq (jump j) 1)",
        "(force x (jump j) 1)",
        "(force x (join (k) 2 (jump j)) 1)",
        "(f (jump j) 1)",
        "(let x (jump j) 1)",
        "(if b (jump j) 1 2)",
    ] {
        is_wrong(&core(&format!("(join (j) 0 {no_tail})")), "stands in no tail");
    }
}

#[test]
fn a_handler_does_not_jump_to_its_own_join() {
    let mut program = core("(join (j) 0 (jump j))");
    let handler = program.joins[JoinId(0)].handler;
    program.exprs[handler] = Expr::Jump(JoinId(0), List::EMPTY);
    is_wrong(&program, "stands in no tail");
}

#[test]
fn a_jump_has_as_many_arguments_as_parameters() {
    is_fine("(join (j x y) (add x y) (jump j 1 (f a b)))");
    is_wrong(&core("(join (j x y) (add x y) (jump j 1))"), "wrong number of arguments");
    is_wrong(&core("(join (j) 0 (jump j 1))"), "wrong number of arguments");
    let args = "(join (j x) 0 (jump j (switch a (Nil 1) (_ 2))))";
    is_wrong(&core(args), "is in a lazy context");
}

#[test]
fn parameters_are_in_scope_in_the_handler_alone() {
    let mut program = core("(join (j x) x (jump j 1))");
    let body = program.exprs.indices().find(|&e| program.exprs[e] == Expr::Lit(Lit::Int(1)));
    let param = program.local_lists[program.joins[JoinId(0)].params][0];
    for expr in program.exprs.iter_mut() {
        if *expr == Expr::Lit(Lit::Int(1)) {
            *expr = Expr::Local(param);
        }
    }
    assert!(body.is_some());
    is_wrong(&program, "used outside its scope");
}

#[test]
fn a_join_stands_in_one_place() {
    let mut program = core("(if b (join (j) 1 2) (join (k) 3 4))");
    for expr in program.exprs.iter_mut() {
        if let Expr::Join(join, _) = expr {
            *join = JoinId(0);
        }
    }
    is_wrong(&program, "joined twice");
    for expr in program.exprs.iter_mut() {
        if let Expr::Join(join, _) = expr {
            *join = JoinId(7);
        }
    }
    is_wrong(&program, "does not exist");
}

#[test]
fn a_join_stands_in_strict_contexts_only() {
    is_wrong(&core("(Cons (join (j) 0 (jump j)) Nil)"), "is in a lazy context");
}

#[test]
fn something_jumps_to_every_join() {
    is_wrong(&core("(join (j) 0 1)"), "nothing jumps to");
    is_wrong(&core("(join (j) 0 (join (k) (jump j) 1))"), "nothing jumps to JoinId(1)");
}

#[test]
fn a_handler_knows_what_every_jump_has_forced() {
    let handler = "(switch! a (Nil 1) (_ 2))";
    let join = |body: &str| format!("(join (j) {handler} {body})");
    for known in [
        "(switch a (Nil (jump j)) (_ (jump j)))",
        "(switch a (Nil 1) (_ (switch b (1 (jump j)) (_ (if b (jump j) 1)))))",
        // By way of another join, and past it.
        "(join (k) (jump j) (switch a (Nil (jump k)) (_ (seq b (jump k)))))",
        "(join (k) (jump j) (switch a (Nil (jump k)) (_ (jump j))))",
    ] {
        is_fine(&join(known));
    }
    for unknown in [
        "(jump j)",
        "(if b (switch a (Nil (jump j)) (_ 1)) (jump j))",
        "(if b (jump j) (switch a (Nil (jump j)) (_ 1)))",
        "(if b (switch a (Nil (jump j)) (_ 1)) (switch b (1 (jump j)) (_ 1)))",
        "(join (k) (jump j) (if b (switch a (Nil (jump k)) (_ 1)) (jump k)))",
    ] {
        is_wrong(&core(&join(unknown)), "may not be evaluated");
    }
    let param = "(join (j x) (switch! x (Nil 1) (_ 2))";
    is_fine(&format!(
        "{param} (if b (jump j Nil) (switch a (Nil (jump j a)) (_ (jump j (Cons 1)))))))"
    ));
    is_wrong(&core(&format!("{param} (if b (jump j a) (jump j Nil)))")), "may not be evaluated");
}

#[track_caller]
fn body(text: &str, expected: &str) {
    let program = compiled(&format!("(def main () f) (def f (a b) {text})"));
    assert_eq!(code(&program, "f"), expected);
}

#[test]
fn arguments_go_where_the_join_began() {
    // No move where nothing is in between.
    body(
        "(join (j x y) (Cons x y) (if a (jump j 1 b) (jump j b Nil)))",
        "Push 0; Eval; Cond 3 6; Push 1; PushInt 1; Jump 9; Pack 0 0 Nil; Push 2; Jump 9; \
         Push 1; Push 1; Pack 1 2 Cons; Update 4; Pop 4; Unwind",
    );
    body(
        "(join (j x) (Cons x Nil) (let y (f 1) (jump j y)))",
        "PushInt 1; PushGlobal f; MkApp; Push 0; Slide 1; Jump 6; \
         Pack 0 0 Nil; Push 1; Pack 1 2 Cons; Update 3; Pop 3; Unwind",
    );
    body(
        "(negate (join (j x y) (sub x y) (switch a (Nil 1) ((Cons p q) (jump j q p)))))",
        "Push 0; Eval; CaseJump Nil:3 Cons:7; Split 0; PushInt 1; Slide 0; Jump 12; \
         Split 2; Push 0; Push 2; Squeeze 2 2; Jump 13; Jump 19; \
         Push 1; Eval; Push 1; Eval; Sub; Slide 2; Neg; Update 2; Pop 2; Unwind",
    );
}

#[test]
fn a_parameter_is_evaluated_if_every_argument_is_a_value() {
    let code = |first: &str, second: &str| {
        let text = format!("(join (j x) (add x 1) (if b (jump j {first}) (jump j {second})))");
        let program = compiled(&format!("(def main () f) (def f (a b) {text})"));
        code(&program, "f")
    };
    assert!(code("5", "6").contains("PushInt 1; Push 1; Add"));
    assert!(code("5", "(f 1)").contains("PushInt 1; Push 1; Add"));
    assert!(code("5", "a").contains("PushInt 1; Push 1; Eval; Add"));
    assert!(code("(f 1 2)", "5").contains("PushInt 1; Push 1; Eval; Add"));
}

/// What a program prints, the same with a collection before every allocation.
#[track_caller]
fn prints(text: &str, expected: &str) {
    let (core, _) = read(text);
    assert_eq!(lint(&core), Vec::<String>::new());
    let program = Verified::new(compiled(text)).unwrap();
    for stress in [Stress::None, Stress::Full] {
        let config = Config { stress, ..Config::default() };
        let mut machine = Machine::new(program.clone(), config);
        let mut out = String::new();
        let result = machine.start(Format::Default, None).and_then(|()| machine.run(&mut out));
        assert_eq!((out.as_str(), result), (expected, Ok(())), "stress: {stress:?}");
        assert_eq!(machine.verify(), Ok(()));
    }
}

/// Three joins in each other; jumps from every depth, with what lies on the stack there.
const NESTED: &str = "
    (data T (A) (B x) (C x y))
    (def nested (t n)
      (join (out r s)
            (Cons r (Cons s Nil))
        (let big (mul n 100)
          (join (mid x)
                (if (lt x 10) (jump out x big) (let z (add x 1) (jump out z x)))
            (join (in p q r)
                  (seq p (if (eq q 7) (jump mid r) (jump out q (add r p))))
              (switch t
                (A (jump mid n))
                ((B x) (force y (add x big) (jump in y x (add n x))))
                ((C x y) (letrec ((u (Cons x v)) (v (Cons y u)))
                           (switch u ((Cons h _) (switch h (1 (jump out u v)) (_ (jump in h y n))))
                                     (_ nomatch))))))))))
    (def first (n l) (switch l (Nil Nil) ((Cons x xs) (if (le n 0) Nil (Cons x (first (sub n 1) xs))))))
    (def lists (l) (switch l (Nil Nil) ((Cons x xs) (Cons (first 3 x) (lists xs)))))";

#[test]
fn joins_in_each_other_in_a_body() {
    let run = |call: &str, expected: &str| {
        prints(&format!("{NESTED} (def main () {call})"), expected);
    };
    run("(nested A 5)", "5 500 Nil\n");
    run("(nested A 50)", "51 50 Nil\n");
    run("(nested (B 7) 2)", "9 200 Nil\n");
    run("(nested (B 7) 3)", "11 10 Nil\n");
    run("(nested (B 8) 3)", "8 319 Nil\n");
    run("(lists (nested (C 1 2) 3))", "1 2 1 Nil 2 1 2 Nil Nil\n");
    run("(nested (C 2 3) 4)", "3 6 Nil\n");
    run("(nested (C 2 7) 4)", "4 400 Nil\n");
}

#[test]
fn joins_in_each_other_in_an_operand() {
    let run = |call: &str, expected: &str| {
        let operand = "(def main () (add (sum CALL) 1))
             (def sum (l) (switch l (Nil 0) ((Cons x xs) (add x (sum xs)))))";
        let operand = operand.replace("CALL", call);
        prints(&format!("{NESTED} {operand}"), expected);
    };
    run("(nested A 5)", "506\n");
    run("(nested (B 8) 3)", "328\n");
    // The same with the joins themselves in E.
    let strict = "(def f (t n)
        (add n (join (out r s) (sub r s)
          (let big (mul n 100)
            (join (in p q) (if (eq q 7) (jump out p q) (add p big))
              (switch t (0 5) (1 (jump out n big)) (2 (jump in n t))
                (_ (seq n (let u 1 (jump in u t))))))))))";
    for (t, expected) in
        [("0", "8\n"), ("1", "-294\n"), ("2", "306\n"), ("7", "-3\n"), ("9", "304\n")]
    {
        prints(&format!("{strict} (def main () (f {t} 3))"), expected);
    }
}

/// The arguments of a jump are lazy: what the handler does not use may fail.
#[test]
fn arguments_are_lazy_and_shared() {
    prints("(def main () (join (j x y) y (jump j (div 1 0) 2)))", "2\n");
    let loops = "(def count (n l) (if (eq n 0) l (join (j m k) (count m k)
        (if (eq (rem n 2) 0) (jump j (sub n 1) (Cons n l)) (let h (sub n 1) (jump j h l))))))
        (def main () (count 9 Nil))";
    prints(loops, "2 4 6 8 Nil\n");
}

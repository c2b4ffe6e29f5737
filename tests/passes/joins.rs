//! The passes on programs with joins that have parameters: such come from other passes.

use super::read::read;
use gmachine::compile::compile;
use gmachine::core::expr::GlobalId;
use gmachine::core::print;
use gmachine::gcode::Verified;
use gmachine::lift::lint::lint;
use gmachine::machine::Stress;
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::optimise::{Options, Pass, Passes, optimise};

/// Checks what `f` becomes, and that `main` prints the same.
#[track_caller]
fn becomes(pass: Pass, text: &str, expected: &str) {
    let (core, names) = read(text);
    assert_eq!(lint(&core), Vec::<String>::new());
    let options = Options { passes: Passes::NONE.with(pass), verbose: false };
    let (after, _) = optimise(core.clone(), &names, options);
    assert_eq!(lint(&after), Vec::<String>::new());
    let f = after.globals.enumerate().find(|(_, global)| &*global.symbol == "f");
    let mut shown = String::new();
    print::definition(&after, &names, f.map_or(GlobalId(0), |(id, _)| id), &mut shown);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&shown), words(expected));
    let run = |core| {
        let code = compile(core, &names);
        let code = Verified::new(code).unwrap();
        let mut machine = Machine::new(code, Config { stress: Stress::Full, ..Config::default() });
        let mut out = String::new();
        let result = machine.start(Format::Default, None).and_then(|()| machine.run(&mut out));
        (out, result)
    };
    assert_eq!(run(&core), run(&after));
}

#[test]
fn unused_parameters_of_joins_go() {
    becomes(
        Pass::DeadArguments,
        "(def main () (Cons (f 1 2) (Cons (f 0 3) Nil)))
         (def f (a b) (join (j x y z) (add x z) (if a (jump j b (div b 0) 1) (jump j 5 b a))))",
        "(defn f[a b] (join [(j x z) (add x z)] (if a (jump j b 1) (jump j 5 a))))",
    );
    // Through one join to another, and to a call.
    becomes(
        Pass::DeadArguments,
        "(def main () (f 4 2 9))
         (def f (a b c)
           (join (j x y) (if (eq a 0) b (f (sub a 1) b y))
             (join (k z) (jump j 1 z) (if (eq a 1) (jump k c) (jump j c a)))))",
        "(defn f[a b]
           (join [(j) (if (eq a 0) b (f (sub a 1) b))]
             (join [(j'1) (jump j)] (if (eq a 1) (jump j'1) (jump j)))))",
    );
}

#[test]
fn bindings_move_into_handlers_and_arguments_of_jumps() {
    becomes(
        Pass::FloatIn,
        "(def main () (Cons (f 1 2) (Cons (f 0 3) Nil)))
         (def f (a b)
           (let u (mul b b) (let v (add b 1) (let w (sub b 1) (let y (add a b)
             (join (j x) (add x (add u u))
               (if a (jump j (add v 1)) (force t (add y y) (jump j (add w (add w t)))))))))))",
        "(defn f[a b]
           (join [(j x) (let ([u (mul b b)]) (add x (add u u)))]
             (if a
               (jump j (add (add b 1) 1))
               (let ([y (add a b)])
                 (force [t (add y y)]
                   (let ([w (sub b 1)]) (jump j (add w (add w t)))))))))",
    );
    // Both the body and the handler use it: it stays around them.
    becomes(
        Pass::FloatIn,
        "(def main () (f 0 3))
         (def f (a b)
           (let u (mul b b)
             (join (j x) (add x u) (if a (jump j 1) (jump j (add u 1))))))",
        "(defn f[a b]
           (let ([u (mul b b)])
             (join [(j x) (add x u)] (if a (jump j 1) (jump j (add u 1))))))",
    );
    // A join in an operand.
    becomes(
        Pass::FloatIn,
        "(def main () (f 0 3))
         (def f (a b)
           (let u (mul b b)
             (negate (join (j x) (add x (add u u)) (if a (jump j 1) (jump j b))))))",
        "(defn f[a b]
           (negate (join [(j x) (let ([u (mul b b)]) (add x (add u u)))]
             (if a (jump j 1) (jump j b)))))",
    );
}

#[test]
fn thunks_that_only_ends_evaluate_become_join_points() {
    // The last binding's value ends in the one before.
    becomes(
        Pass::CaseOfCase,
        "(def main () (Cons (f 1 2) (Cons (f 0 3) Nil)))
         (def f (a b)
           (let o (if (eq a b) (f (add a 1) (mul b a)) (div (mul a a) (add b b)))
             (let p (if (eq a 3) (if (eq b 7) o (mul (add a b) a)) o)
               (if (eq a 0) (if (eq b 1) 5 p) p))))",
        "(defn f[a b]
           (join [(j) (if (eq a b) (f (add a 1) (mul b a)) (div (mul a a) (add b b)))]
             (join [(j'1) (if (eq a 3) (if (eq b 7) (jump j) (mul (add a b) a)) (jump j))]
               (if (eq a 0) (if (eq b 1) 5 (jump j'1)) (jump j'1)))))",
    );
    // One that a constructor holds too, one in a thunk, one that is evaluated before the end.
    for (body, expected) in [
        (
            "(let o (f (div a b) (mul b b)) (if a (if b o (Cons o Nil)) o))",
            "(defn f[a b]
               (if a
                 (if b (f (div a b) (mul b b)) (let ([t (f (div a b) (mul b b))]) (Cons t Nil)))
                 (f (div a b) (mul b b))))",
        ),
        (
            "(let o (f (div a b) (mul b b)) (Cons (let p o (if a (if b 1 p) p)) Nil))",
            "(defn f[a b]
               (let ([t (f (div a b) (mul b b))] [t'1 (if a (if b 1 t) t)]) (Cons t'1 Nil)))",
        ),
        (
            "(let o (f (div a b) (mul b b)) (if a (if b 1 (add o 1)) o))",
            "(defn f[a b] (if a (if b 1 (add (f (div a b) (mul b b)) 1)) (f (div a b) (mul b b))))",
        ),
        (
            "(let q (let o (f (div a b) (mul b b)) (if a (if b 1 o) o)) (Cons q (Cons q Nil)))",
            "(defn f[a b]
               (let ([t (f (div a b) (mul b b))] [t'1 (if a (if b 1 t) t)] [t'2 (Cons t'1 Nil)])
                 (Cons t'1 t'2)))",
        ),
    ] {
        let text = format!("(def main () (f 1 2)) (def f (a b) {body})");
        becomes(Pass::CaseOfCase, &text, expected);
    }
}

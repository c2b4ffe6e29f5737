//! Dead arguments.

use super::{after, compiles_linearly, random, run, same};
use gmachine::optimise::{Pass, Passes};

const PASS: Pass = Pass::DeadArguments;

#[track_caller]
fn becomes(text: &str, expected: &str) {
    let expected = expected.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(after(text, PASS).0, expected);
    same(text, PASS);
}

#[test]
fn what_a_body_does_not_use_is_not_passed() {
    becomes(
        "(defn main[] (f 1 (add 2 3) 4)) (defn f[x y z] (add x z))",
        "(defn main[] (f 1 4)) (defn f[x z] (add x z))",
    );
    let (_, counts) = after("(defn main[] (f 1 2)) (defn f[x y] x)", PASS);
    assert_eq!(counts, ["1 parameters dropped"]);
}

#[test]
fn what_is_only_passed_on_is_not_used() {
    becomes(
        "(defn main[] (f 3 4 5))
         (defn f[n x acc] (if (eq n 0) acc (g (sub n 1) acc (add x 1))))
         (defn g[n acc x] (f n x (add acc 1)))",
        "(defn main[] (f 3 5))
         (defn f[n acc] (if (eq n 0) acc (g (sub n 1) acc)))
         (defn g[n acc] (f n (add acc 1)))",
    );
    // In a structure it may be found again.
    becomes(
        "(defn main[] (f 3 4)) (defn f[n x] (if (eq n 0) Nil (Cons n (f (sub n 1) x))))",
        "(defn main[] (f 3)) (defn f[n] (if (eq n 0) Nil (Cons n (f (sub n 1)))))",
    );
    becomes(
        "(defn main[] (f 3 4)) (defn f[n x] (if (eq n 0) Nil (Cons x (f (sub n 1) x))))",
        "(defn main[] (f 3 4)) (defn f[n x] (if (eq n 0) Nil (Cons x (f (sub n 1) x))))",
    );
}

#[test]
fn what_is_used_in_what_is_not_used_goes_too() {
    becomes(
        "(defn main[] (let ([a (add 1 2)] [b (add a 3)]) (f 1 b)))
         (defn f[x y] (let ([z (mul y y)] [u (g z)]) (g x)))
         (defn g[x] (add x 1))",
        "(defn main[] (f 1)) (defn f[x] (g x)) (defn g[x] (add x 1))",
    );
    becomes(
        "(defn main[] (f [1 2] 7))
         (defn f[l y] (letrec ([u (Cons y v)] [v (Cons 1 u)]) (case l [(Cons x xs) x] [_ 0])))",
        "(defn main[] (f (Cons 1 (Cons 2 Nil))))
         (defn f[l] (switch (force l) [(Cons x _) x] [else 0]))",
    );
    let (_, counts) = after("(defn main[] (let ([x 1]) (letrec ([y (Cons 1 y)]) 2)))", PASS);
    assert_eq!(counts, ["2 unused bindings dropped"]);
}

/// Without a parameter it would be a CAF, which keeps its value.
#[test]
fn one_parameter_stays() {
    becomes(
        "(defn main[] (add (f (add 1 2) 5) (f 3 4))) (defn f[x y] (sum (range 1 10)))",
        "(defn main[] (add (f 0) (f 0))) (defn f[x] (sum (range 1 10)))",
    );
    let long =
        "(defn main[] (add (length (nats 1)) (length (nats 2)))) (defn nats[x] (range 1 30000))";
    let live = |passes| run(long, passes, 100_000_000, false).1.peak_live_bytes;
    assert!(live(Passes::NONE.with(PASS)) < 2 * live(Passes::NONE).max(200_000));
}

#[test]
fn what_may_be_called_from_elsewhere_keeps_its_parameters() {
    for kept in [
        "(defn main[] (map (f 1) (Cons 2 Nil))) (defn f[x y] y) (defn map[g l] (case l [(Cons x _) (g x)] [_ 0]))",
        "(defn main[input] 1)",
        "(defn main[] (Cons f Nil)) (defn f[x] 1)",
        "(defn main[] (case (f 1) [g (g 1)])) (defn f[x y] y)",
    ] {
        let (_, counts) = after(kept, PASS);
        assert_eq!(counts, Vec::<String>::new(), "{kept}");
        same(kept, PASS);
    }
    // More arguments than it takes are passed to the result.
    becomes("(defn main[] (f 1 2 3)) (defn f[x y] I)", "(defn main[] (f 0 3)) (defn f[x] I)");
}

#[test]
fn an_argument_that_fails_or_never_ends_goes() {
    becomes(
        "(defn main[] (const' 1 (loop 0))) (defn loop[x] (loop x)) (defn const'[x y] x)",
        "(defn main[] (const' 1)) (defn const'[x] x)",
    );
    same("(defn main[] (f (error \"no\") 1)) (defn f[x y] (div y 0))", PASS);
}

#[test]
fn names_of_unused_fields_go() {
    becomes(
        "(defn main[] (f [1 2] 3))
         (defn f[l n] (case l [(Cons x xs) (g n x xs)] [_ 0]))
         (defn g[n x xs] (if (eq n 0) x (g (sub n 1) x xs)))",
        "(defn main[] (f (Cons 1 (Cons 2 Nil)) 3))
         (defn f[l n] (switch (force l) [(Cons x _) (g n x)] [else 0]))
         (defn g[n x] (if (eq n 0) x (g (sub n 1) x)))",
    );
}

#[test]
fn decisions_name_what_goes() {
    let built = super::built(
        "(defn main[] (f 1 2 (g 3))) (defn f[a b c] b) (defn g[x] 1)",
        Passes::NONE.with(PASS),
        gmachine::driver::Stage::Optimised,
    );
    let decisions: Vec<&str> =
        built.report.decisions().iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(decisions, ["f loses a, c"]);
}

#[test]
fn random_programs_do_the_same() {
    random(PASS, 200);
}

/// Each level uses what the level around it is done without.
#[test]
fn long_chains_take_linear_time() {
    let links = |length: usize, link: fn(usize, usize) -> String| -> String {
        (0..length).map(|at| link(at, (at + 1) % length)).collect()
    };
    let call = |at: usize, next: usize| {
        format!("(defn f{at}[n x] (if (eq n 0) n (f{next} (sub n 1) (add x n))))\n")
    };
    let calls = |length| format!("(defn main[] (f0 1 2)){}", links(length, call));
    compiles_linearly(20_000, calls, Passes::NONE.with(PASS));
    let binding = |at: usize, next: usize| format!("\n[x{next} (g 1 x{at})]");
    let lets = |length| {
        let bindings = links(length, binding);
        format!("(defn g[a b] a) (defn main[] (let ([x0 1]{bindings}) 5))")
    };
    compiles_linearly(20_000, lets, Passes::NONE.with(PASS));
}

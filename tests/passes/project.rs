//! Projections.

use super::{after, compiles_linearly, random, run, same};
use gmachine::optimise::{Pass, Passes};

const PASS: Pass = Pass::Project;

#[track_caller]
fn becomes(text: &str, expected: &str) {
    let expected = expected.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(after(text, PASS).0, expected);
    same(text, PASS);
}

/// A list up to an element that is larger, and the rest.
const CUT: &str = "(defn cut[n xs] (case xs [Nil (Pair Nil Nil)] [(Cons x t)
    (if (lt n x) (Pair Nil xs) (let ([p (cut n t)]) (Pair (Cons x (fst p)) (snd p))))]))";
const CUT_AFTER: &str = "(defn cut[n xs] (switch (force xs) [(Nil) (Pair Nil Nil)] [(Cons x t)
    (if (lt n x) (Pair Nil xs) (let ([p (cut n t)]) (Pair (Cons x (fst p)) (snd p))))]))";

#[test]
fn a_field_that_a_selection_wants_is_computed_alone() {
    let rest = "(defn cut$f2[n xs] (switch (force xs) [(Nil) Nil] [(Cons x t)
        (if (lt n x) xs (cut$f2 n t))]))";
    becomes(
        &format!("(defn main[i] (snd (cut 'm' i))) {CUT}"),
        &format!("(defn main[i] (cut$f2 'm' i)) {CUT_AFTER} {rest}"),
    );
    becomes(
        &format!("(defn main[i] (let ([p (cut 'm' i)]) (Cons 1 (snd p)))) {CUT}"),
        &format!("(defn main[i] (Cons 1 (cut$f2 'm' i))) {CUT_AFTER} {rest}"),
    );
    becomes(
        &format!("(defn main[i] (fst (cut 'm' i))) {CUT}"),
        &format!(
            "(defn main[i] (cut$f1 'm' i)) {CUT_AFTER}
             (defn cut$f1[n xs] (switch (force xs) [(Nil) Nil] [(Cons x t)
               (if (lt n x) Nil (Cons x (cut$f1 n t)))]))"
        ),
    );
    let (_, counts) = after(&format!("(defn main[i] (snd (cut 'm' i))) {CUT}"), PASS);
    assert_eq!(counts, ["1 functions projected", "2 calls projected"]);
}

#[test]
fn a_field_that_a_case_evaluates_is_computed_alone() {
    let go = "(defn go[a n] (if (eq n 0) (Pair a n) (go (add a n) (sub n 1))))";
    let projected = "(defn go$f1[a n] (if (eq n 0) a (go$f1 (add a n) (sub n 1))))";
    becomes(
        &format!("(defn main[] (case (go 1 9) [(Pair a _) (add a 1)])) {go}"),
        &format!("(defn main[] (force [a (go$f1 1 9)] (add a 1))) {go} {projected}"),
    );
    // Whether it is evaluated is for the run: the call may fail where nothing needs its field.
    for lazy in ["[a]", "(if (eq 1 2) a 3)"] {
        let text = format!("(defn main[] (case (go 1 9) [(Pair a _) {lazy}])) {go}");
        assert!(!after(&text, PASS).0.contains("$f"), "{text}");
        same(&text, PASS);
    }
}

#[test]
fn what_is_no_constructor_in_a_tail_is_taken_apart_there() {
    becomes(
        "(defn main[i] (fst (go 1 i)))
         (defn go[a xs] (case xs [Nil (head a)] [(Cons 'p' _) (Pair a 1)] [(Cons 'q' _) (error a)]
            [(Cons x t) (go [(Pair x t)] t)]))",
        "(defn main[i] (go$f1 1 i))
         (defn go[a xs] (switch (force xs) [(Nil) (head a)] [(Cons t t'1) (switch (force t)
            ['p' (Pair a 1)] ['q' (error a)] [else (go (Cons (Pair t t'1) Nil) t'1)])]))
         (defn go$f1[a xs] (switch (force xs)
            [(Nil) (force [t (head a)] (switch t [(Pair t'1 _) t'1]))]
            [(Cons t'2 t'3) (switch (force t'2)
              ['p' a] ['q' (error a)] [else (go$f1 (Cons (Pair t'2 t'3) Nil) t'3)])]))",
    );
}

#[test]
fn what_needs_the_whole_value_is_not_projected() {
    let texts = [
        // The other field decides.
        "(defn main[i] (fst (f i))) (defn f[xs] (case xs [Nil (Pair 1 2)] [(Cons _ t)
            (case (f t) [(Pair a b) (if (gt b 9) (Pair b a) (Pair (add a 1) b))])]))",
        // Both are wanted.
        "(defn main[i] (let ([p (f i)]) (add (fst p) (snd p))))
         (defn f[xs] (case xs [Nil (Pair 1 2)] [(Cons _ t) (f t)]))",
        // A type with another constructor, and a function that builds none.
        "(defn main[i] (tail (f i))) (defn f[xs] (case xs [Nil [1 2]] [(Cons _ t) (f t)]))",
        "(defn main[i] (fst (f i head))) (defn f[xs g] (case xs [Nil (g [(Pair 1 2)])] [(Cons _ t) (f t g)]))",
        // It is not recursive, and others need all of it.
        "(defn main[i] [(fst (f i)) (case (f i) [(Pair a b) (add a b)])])
         (defn f[xs] (case xs [Nil (Pair 1 2)] [_ (Pair 3 4)]))",
    ];
    for text in texts {
        assert!(!after(text, PASS).0.contains("$f"), "{text}");
        same(text, PASS);
    }
}

/// For each element there was a pair, a cell of a list, and what was to select from them.
#[test]
fn a_projection_builds_nothing_of_the_other_field() {
    let text = format!("(defn main[] (snd (cut 20000 (range 1 10000)))) {CUT}");
    let [whole, projected] = [Passes::level(1).without(PASS), Passes::level(1)].map(|passes| {
        let (value, work) = run(&text, passes, 10_000_000, false);
        assert_eq!(value.unwrap(), "Nil\n");
        work
    });
    let [less, fewer] =
        [whole.allocations - projected.allocations, whole.reductions - projected.reductions];
    assert!(less >= 30_000 && fewer >= 10_000, "{less} nodes, {fewer} reductions");
}

#[test]
fn random_programs_do_the_same() {
    random(PASS, 400);
}

#[test]
fn projecting_takes_time_linear_in_the_program() {
    let text = |n: usize| {
        let definitions: String = (0..n)
            .map(|at| {
                format!(
                    "(defn f{at}[xs] (case xs [Nil (Pair Nil Nil)] [(Cons x t)
                       (let ([p (f{at} t)]) (Pair (Cons x (fst p)) (snd p)))]))
                     (defn g{at}[xs] (Pair (fst (f{at} xs)) (snd (f{} xs))))",
                    (at + 1) % n
                )
            })
            .collect();
        let calls: String = (0..n).map(|at| format!("(fst (g{at} i)) ")).collect();
        format!("(defn main[i] [{calls}]) {definitions}")
    };
    compiles_linearly(400, text, Passes::NONE.with(PASS));
}

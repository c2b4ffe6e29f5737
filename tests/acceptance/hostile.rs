//! Programs that a careless optimiser does not come back from, or comes back from with a
//! program that is many times as large.

use std::fmt::Write as _;

use gmachine::core::expr::{GlobalKind, Program};
use gmachine::machine::outcome::Statistics;
use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::{Pass, Passes};

use super::common::run_optimised;
use super::inspect::children;
use super::row::specialised;
use crate::work::allocated;

/// Bytes that may be allocated in a compilation, in all.
const ALLOCATED: u64 = 8 << 30;

/// How many times its size a program may grow to, and by how much more.
const GROWTH: usize = 8;
const GROWTH_BASE: usize = 25_000;

/// Instructions of a run.
const FUEL: u64 = 200_000;

/// The number of expressions in all bodies.
fn size(program: &Program) -> usize {
    let bodies = program.globals.indices().filter_map(|id| match program.globals[id].kind {
        GlobalKind::Defn { body, .. } => body,
        _ => None,
    });
    let mut work: Vec<_> = bodies.collect();
    let mut count = 0;
    while let Some(expr) = work.pop() {
        count += 1;
        work.extend(children(program, expr));
    }
    count
}

/// Checks that a program is compiled with bounded work, does not grow beyond its bound, and means the
/// same; the statistics of its runs without and with all passes.
#[track_caller]
fn survives(source: &str) -> [Statistics; 2] {
    let head = &source[..source.len().min(200)];
    let plain = size(&specialised(source, &[], Passes::NONE).core.expect("a program"));
    let engine = [Pass::Specialise, Pass::Inline];
    let alone = engine.map(|pass| Passes::NONE.with(pass));
    for passes in [Passes::ALL].into_iter().chain(alone) {
        let (built, bytes) = allocated(|| specialised(source, &[], passes));
        assert!(bytes < ALLOCATED, "{bytes} bytes for {passes:?}: {head}");
        let after = size(&built.core.expect("a program"));
        let most = GROWTH * plain + GROWTH_BASE;
        assert!(after <= most, "{plain} expressions, then {after} with {passes:?}: {head}");
    }
    let run = |passes| {
        let config = Config { fuel: Some(FUEL), heap_limit: Some(1 << 23), ..Config::default() };
        run_optimised(source, "abc", Format::Default, config, passes)
    };
    let (before, after) = (run(Passes::NONE), run(Passes::ALL));
    let outputs = [&before.output, &after.output];
    match &before.failure {
        None => {
            assert_eq!(after.failure, None, "{head}");
            assert_eq!(outputs[0], outputs[1], "{head}");
            let (before, after) = (before.statistics.reductions, after.statistics.reductions);
            assert!(after <= before + before / 10 + 50, "{before}, then {after}: {head}");
        }
        Some(failure) if failure.code != "stop" => {
            assert!(after.failure.is_some() && outputs[0] == outputs[1], "{head}: {outputs:?}");
        }
        // It was given no more time or room: the other run may come further, or not so far.
        Some(_) => {
            let [one, other] = outputs.map(|output| output.trim_end());
            assert!(one.starts_with(other) || other.starts_with(one), "{head}: {outputs:?}");
        }
    }
    [before.statistics, after.statistics]
}

/// Thirty definitions, each calling the one before it twice.
fn doubling(body: &str, last: &str) -> String {
    let mut out = format!("(defn f0[x] {last})");
    for at in 1..=30 {
        let body = body.replace('F', &format!("f{}", at - 1));
        let _ = writeln!(out, "(defn f{at}[x] {body})");
    }
    out
}

#[test]
fn functions_that_call_the_one_before_them_twice() {
    // 2^30 calls: what is demanded is one of them.
    let head = "(defn main[input] (case (f30 (length input)) [(Pair a b) 1]))";
    survives(&format!("{head}{}", doubling("(Pair (F x) (F x))", "(Pair x x)")));
    survives(&format!("{head}{}", doubling("(Pair (F (add x 1)) (F (mul x 2)))", "(Pair x x)")));
    let head = "(defn main[input] (f30 (length input)))";
    survives(&format!("{head}{}", doubling("(F (F x))", "(add x 1)")));
    survives(&format!("{head}{}", doubling("(add (F x) (F x))", "(add x 1)")));
    survives(&format!("{head}{}", doubling("(if (eq x 3) (F x) (add 1 (F x)))", "x")));
    survives(&format!("(defn main[] (f30 1)){}", doubling("(F (F x))", "(add x 1)")));
    // Functions that take functions.
    let twice = doubling("(fn [y] (F (F x) y))", "(fn [y] (x (x y)))");
    survives(&format!("(defn main[input] (f30 (add 1) (length input))){twice}"));
}

#[test]
fn recursion_that_never_ends() {
    survives("(defn main[] (loop 0)) (defn loop[n] (loop (add n 1)))");
    survives("(defn main[] (loop 0)) (defn loop[n] (add 1 (loop (add n 1))))");
    survives("(defn main[] (loop Nil)) (defn loop[l] (loop (Cons 1 l)))");
    survives("(defn main[] (loop (fn [x] x))) (defn loop[f] (loop (fn [x] (f (f x)))))");
    survives("(defn main[] (loop 1)) (defn loop[n] (loop (mul n n)))");
    survives("(defn main[] (loop 1)) (defn loop[n] (Cons n (loop (mul 3 n))))");
    survives("(defn main[] (letrec ([x x]) x))");
    survives("(defn main[] (letrec ([f (fn [x] (g x))] [g (fn [x] (f x))]) (f 1)))");
    survives("(defn main[input] (loop (length input))) (defn loop[n] (if (eq n 0) 7 (loop n)))");
}

#[test]
fn recursion_through_a_data_type() {
    // A definition of `f` that calls itself without a recursive definition.
    survives("(data U (MkU f)) (defn f[x] (case x [(MkU y) (y x)])) (defn main[] (f (MkU f)))");
    survives(
        "(data U (MkU f)) (defn main[]
           (let ([f (fn [x] (case x [(MkU y) (y x)]))]) (f (MkU f))))",
    );
    survives(
        "(data U (MkU f)) (defn f[x n] (case x [(MkU y) (y x (add n 1))]))
         (defn main[] (f (MkU f) 0))",
    );
    survives(
        "(data U (MkU f)) (defn f[x n] (case x [(MkU y) (if (eq n 0) 1 (mul n (y x (sub n 1))))]))
         (defn main[input] (f (MkU f) (length input)))",
    );
    survives("(defn w[x] (x x)) (defn main[] (w w))");
    survives("(defn y[f] (h f (h f))) (defn h[f x] (f (x x))) (defn main[] (y (Cons 1)))");
}

#[test]
fn lists_without_end_that_are_known() {
    survives("(defn main[] (length (from 0)))");
    survives("(defn main[] (take 2000 (from 0)))");
    survives("(defn main[input] (sum (take (length input) (from 1))))");
    survives("(defn ones[] (Cons 1 ones)) (defn main[input] (take (length input) ones))");
    survives("(defn main[input] (letrec ([o (Cons 1 (map (add 1) o))]) (take (length input) o)))");
    survives("(defn main[] (nth 1000 (iterate (mul 3) 1)))");
    survives("(defn main[] (head (filter (lt 5000) (from 0))))");
}

#[test]
fn mutual_recursion_whose_arguments_grow() {
    survives(
        "(defn main[input] (p (length input) Nil Nil))
         (defn p[n a b] (if (eq n 0) (length a) (q (sub n 1) (Cons 1 b) a)))
         (defn q[n a b] (if (eq n 0) (length b) (p (sub n 1) (Cons 2 (Cons 3 a)) b)))",
    );
    survives(
        "(defn main[] (p 1 Nil)) (defn p[n a] (q (add n 1) (Cons n a)))
         (defn q[n a] (r (add n 2) (Cons a Nil))) (defn r[n a] (p (mul n n) (Cons a a)))",
    );
    survives(
        "(defn main[input] (p (length input) (fn [x] x)))
         (defn p[n k] (if (eq n 0) (k 0) (q (sub n 1) (fn [x] (k (add x 1))))))
         (defn q[n k] (if (eq n 0) (k 1) (p (sub n 1) (fn [x] (k (k x))))))",
    );
    survives(
        "(data N (Z) (S n))
         (defn main[input] (p Z (length input)))
         (defn p[n k] (if (eq k 0) (count n) (p (S n) (sub k 1))))
         (defn count[n] (case n [Z 0] [(S m) (add 1 (count m))]))",
    );
}

#[test]
fn large_known_data() {
    let mut list = String::from("[");
    for at in 0..10_000 {
        let _ = write!(list, "{} ", at * 7 % 1009);
    }
    list.push(']');
    survives(&format!("(defn main[] (sum {list}))"));
    survives(&format!("(defn main[input] (length (map (add (length input)) {list})))"));
    survives(&format!("(defn main[] (length (sort {list})))"));
    survives(&format!("(defn main[input] (nth (mul 100 (length input)) {list}))"));
    survives(&format!("(defn table[] {list}) (defn main[input] (nth (length input) table))"));
    let text: String = "all work and no play ".repeat(500);
    survives(&format!("(defn main[input] (length (append \"{text}\" input)))"));
    survives("(defn main[] (length (showInt (pow 7 3000)))) ");
    survives("(defn main[] (length (range 1 30000)))");
}

#[test]
fn thousands_of_variants() {
    let go = "(defn go[k n] (if (eq n 0) k (add k (go k (sub n 1)))))";
    let mut calls = String::from("[");
    for at in 0..1_000 {
        let _ = write!(calls, "(go {at} (length input)) ");
    }
    survives(&format!("{go}(defn main[input] (sum {calls}]))"));
    // Variants that make variants.
    survives(
        "(defn main[input] (go 0 0 (length input)))
         (defn go[a b n] (if (eq n 0) (add a b)
           (add (go (add a 1) b (sub n 1)) (go a (add b 1) (sub n 1)))))",
    );
    survives(
        "(defn main[input] (collatz 97 (length input)))
         (defn collatz[k n] (if (eq k 1) n
           (if (eq (rem k 2) 0) (collatz (div k 2) (add n 1)) (collatz (add 1 (mul 3 k)) n))))",
    );
}

#[test]
fn a_long_chain_of_variants() {
    // Each variant is compared with those that led to it.
    let mut text = String::from("(defn main[input] (f0 3 (length input)))");
    for at in 0..4_000 {
        let next = at + 1;
        let _ = writeln!(
            text,
            "(defn f{at}[k x] (if (eq x 0) k (add k (f{next} (add k 1) (sub x 1)))))"
        );
    }
    text += "(defn f4000[k x] (add k x))";
    survives(&text);
}

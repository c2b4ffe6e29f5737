//! A parameter is taken for the constant that is passed for it only where nothing else is.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;

use super::common::run_optimised;

/// What else there is that is passed, the programs, and what they print for "abc".
const SAME: &[(&str, &str, &str)] = &[
    (
        "main calls itself with a constant",
        "(defn main[i] (if (isNil i) 7 (add (length i) (main Nil))))",
        "10",
    ),
    (
        "main calls itself with a constant that only an unknown function looks at",
        "(defn total[n t] (if (eq n 0) t (total (sub n 1) (add t n))))
         (defn pick[] (nth (rem (total 9000 0) 2)
           [(fn [x] (case x [Nil 1] [_ 0])) (fn [x] (if (null x) 1 0))]))
         (defn main[i] (if (pick i) 1 (add 1 (main Nil))))",
        "2",
    ),
    (
        "a function of functions has one of those that are called with constants",
        "(defn turn[n k xs] (case xs [Nil (add n k)] [(Cons x t) (turn n (add k (ord x)) t)]))
         (defn main[i] (add (turn 1 0 i) (sum (map (fn [f] (f 0 i)) [(turn 2) (turn 3)]))))",
        "888",
    ),
    (
        "two loops in a circle, and another constant for one of them",
        "(defn up[n k xs] (case xs [Nil (mul n k)] [(Cons x t) (down n (add k (ord x)) t)]))
         (defn down[n k xs] (case xs [Nil (sub n k)] [(Cons x t) (up n (add k 1) t)]))
         (defn main[i] [(up 5 0 i) (down 5 0 i) (up 6 1 (tail i)) (down 5 1 Nil)])",
        "-192 500 600 4 Nil",
    ),
    (
        "a constant that is passed on, and changed on the way round",
        "(defn go[n m xs] (case xs [Nil (add n m)] [(Cons x t) (back m n t)]))
         (defn back[n m xs] (case xs [Nil (mul n m)] [(Cons _ t) (go m (add n 1) t)]))
         (defn main[i] [(go 3 4 i) (go 3 4 Nil) (back 3 4 i)])",
        "15 7 9 Nil",
    ),
    (
        "a function and a constructor for constants",
        "(data M (Add) (Mul)) (defn fold'[m f z xs] (case xs [Nil (f z)]
           [(Cons x t) (fold' m f (case m [Add (add z (ord x))] [Mul (mul z (ord x))]) t)]))
         (defn main[i] [(fold' Mul negate 1 i) (fold' Mul negate 1 (tail i))])",
        "-941094 -9702 Nil",
    ),
];

#[test]
fn a_parameter_is_a_constant_only_if_each_call_passes_it() {
    for (what, source, printed) in SAME {
        for level in 0..=2 {
            let config = Config { fuel: Some(1_000_000), ..Config::default() };
            let run = run_optimised(source, "abc", Format::Default, config, Passes::level(level));
            assert_eq!((run.failure, run.output.trim_end()), (None, *printed), "{what}, -O{level}");
        }
    }
}

//! A list that is made of what is known is as well known as one that is written out.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;

use super::common::{Run, run_optimised};

fn run(source: &str) -> Run {
    let config = Config { fuel: Some(100_000), ..Config::default() };
    run_optimised(source, "abc", Format::Default, config, Passes::level(2))
}

/// How a list is made, with what, and what it is written out.
const MADE: &[(&str, &str, &str, &str)] = &[
    (
        "by two functions, of which one ends",
        "(defn these[n] (if (le n 0) Nil (Cons n (those (sub n 1)))))
         (defn those[n] (Cons 7 (these (sub n 1))))",
        "(these 4)",
        "[4 7 2 7]",
    ),
    (
        "of one without an end, up to a number",
        "",
        "(takeWhile (gt 20) (map (mul 3) (iterate (mul 2) 1)))",
        "[3 6 12]",
    ),
    ("of one without an end, so many", "", "(take 4 (scanl add 0 (from 1)))", "[0 1 3 6]"),
    ("of two, of which one ends", "", "(zipWith mul [3 1 4] (from 5))", "[15 6 28]"),
    (
        "by a function that ends in another one's beginning",
        "(defn up[n m] (if (eq n m) (down n) (Cons n (up (add n 1) m))))
         (defn down[n] (if (eq n 0) Nil (Cons n (down (sub n 1)))))",
        "(up 1 3)",
        "[1 2 3 2 1]",
    ),
];

#[test]
fn a_list_that_is_made_of_what_is_known_is_known() {
    for (what, definitions, made, written) in MADE {
        let run = |list| {
            run(&format!(
                "{definitions}
                 (defn go[m xs] (case xs [Nil m]
                   [(Cons x r) (if (lt m x) (add x (go (add m 1) r)) (go (rem (mul m 2) 7) r))]))
                 (defn main[i] (go (length i) {list}))"
            ))
        };
        let (made, written) = (run(made), run(written));
        assert_eq!(made.output, written.output, "{what}");
        let (made, written) = (made.statistics.reductions, written.statistics.reductions);
        assert!(made <= written, "{what}: {made} reductions, {written} written out");
    }
}

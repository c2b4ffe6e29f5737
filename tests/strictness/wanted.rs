//! What the results of functions are wanted for, and what is evaluated for it where it is built.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::{Pass, Passes};

use super::common::run_optimised;
use super::{analysed, strict_in};

/// Checks which of their parameters functions are strict in.
#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let (program, names) = analysed(text);
    for &(symbol, strict) in expected {
        assert_eq!(strict_in(&program, &names, symbol), strict, "{symbol} of {text}");
    }
}

/// Runs a program after strictness analysis alone, and returns what it prints and how many thunks it
/// has taken reductions for.
#[track_caller]
fn run(text: &str) -> (String, u64) {
    let passes = Passes::NONE.with(Pass::Strictness);
    let run = run_optimised(text, "", Format::Default, Config::default(), passes);
    let printed = match run.failure {
        None => run.output,
        Some(failure) => format!("{failure:?}"),
    };
    (printed, run.statistics.reductions)
}

#[test]
fn what_every_caller_evaluates_is_wanted() {
    let pair = "(defn mk[x y] (Pair x y))";
    check(
        &format!("{pair} (defn main[input] (case (mk (length input) 2) [(Pair a b) (add a b)]))"),
        &[("mk", "x y")],
    );
    // One of two callers has no use for the second field.
    check(
        &format!(
            "{pair} (defn f[p] (case p [(Pair a _) (add a 1)]))
             (defn main[input]
               (add (f (mk 1 (error \"none\"))) (case (mk (length input) 2) [(Pair a b) (add a b)])))"
        ),
        &[("mk", "x")],
    );
    // A choice may leave a field alone.
    check(
        &format!(
            "{pair} (defn main[input] (case (mk (length input) 2) [(Pair a b) (if (gt a 3) b 0)]))"
        ),
        &[("mk", "x")],
    );
}

#[test]
fn what_unknown_callers_want_is_nothing() {
    let uses = "(case (mk 1 2) [(Pair a b) (add a b)])";
    for other in [
        // Passed as a function, with and without an argument.
        "(length (map (mk 1) input))",
        "(length (zipWith mk input input))",
        // What says what is wrong evaluates what it likes, and so does what comes after an effect.
        "(error (case (mk 3 4) [(Pair _ _) \"none\"]))",
        "(case (mk 3 4) [p (length (Cons p Nil))])",
    ] {
        let text = format!("(defn mk[x y] (Pair x y)) (defn main[input] (add {uses} {other}))");
        let (program, names) = analysed(&text);
        assert_eq!(strict_in(&program, &names, "mk"), "", "{other}");
    }
}

#[test]
fn what_is_too_large_to_be_looked_at_wants_nothing() {
    // It comes to more expressions than are analysed, and has no use for either field.
    let sum = "(add n ".repeat(2_100) + "n" + &")".repeat(2_100);
    check(
        &format!(
            "(defn mk[x y] (Pair x y))
             (defn large[n] (case (mk n (error \"none\")) [(Pair _ _) {sum}]))
             (defn main[input]
               (add (large (length input)) (case (mk (length input) 2) [(Pair a b) (add a b)])))"
        ),
        &[("mk", "")],
    );
}

#[test]
fn only_numbers_and_their_like_are_wanted_before_they_are_asked_for() {
    // All of the list would be there at once.
    check(
        "(defn cell[x t] (Cons x t)) (defn up[a b] (if (gt a b) Nil (cell a (up (add a 1) b))))
         (defn total[l s] (case l [Nil s] [(Cons x t) (total t (add x s))]))
         (defn main[] (total (up 1 9) 0))",
        &[("cell", "x")],
    );
    check(
        "(data Box (Box items n)) (defn box[items n] (Box items n))
         (defn all[b] (case b [(Box items n) (add n (sum items))]))
         (defn main[input] (all (box (map ord input) (length input))))",
        &[("box", "n")],
    );
    // What is chosen by is a constructor without fields, or a character.
    check(
        "(data Way (Up) (Down)) (data Step (Step way by sign)) (defn step[w b s] (Step w b s))
         (defn go[n p] (case p [(Step w b s)
           (case w [Up (case s ['+' (add n b)] [_ n])] [Down (case s ['-' b] [_ 0])])]))
         (defn main[input] (go (length input) (step Up 2 '+')))",
        &[("step", "w s")],
    );
}

#[test]
fn what_is_wanted_goes_by_constructor() {
    check(
        "(data R (Bad code at) (Good value)) (defn bad[c a] (Bad c a)) (defn good[v] (Good v))
         (defn value[r] (case r [(Bad c _) (negate c)] [(Good v) (add v 1)]))
         (defn f[n] (if (gt n 3) (bad n (error \"nowhere\")) (good n)))
         (defn main[input] (value (f (length input))))",
        &[("bad", "c"), ("good", "v")],
    );
    // Of more fields than there are bits nothing is said.
    let names: Vec<String> = (0..33).map(|number| format!("x{number}")).collect();
    let names = names.join(" ");
    check(
        &format!(
            "(data Wide (Wide {names})) (data Other (Other y))
             (defn wide[{names}] (Wide {names}))
             (defn main[] (case (wide {names_of}) [(Wide {names}) (add x0 x32)]))",
            names_of = "1 ".repeat(33)
        ),
        &[("wide", "")],
    );
}

#[test]
fn what_fails_once_its_fields_are_asked_for_fails_there() {
    let text = "(defn bad[n] (Pair n (error \"the second\")))
         (defn main[] (case (bad (error \"the first\")) [(Pair a b) (add b a)]))";
    // It is the operand on the right that goes first, as it does without the analysis.
    let run = |passes| run_optimised(text, "", Format::Default, Config::default(), passes).failure;
    assert_eq!(run(Passes::NONE.with(Pass::Strictness)), run(Passes::NONE));
}

#[test]
fn an_alternative_that_fails_wants_nothing() {
    // What it says is all that it asks for.
    let text = |fails: &str| {
        format!(
            "(data Res (Ok v) (Bad line msg)) (defn fail[l m] (error m))
             (defn loop[n] (loop (add n 1)))
             (defn chk[n] (if (lt n 1) (Bad (loop 0) \"empty\") (if (lt n 5) (Ok n) (chk (sub n 5)))))
             (defn main[input] (case (chk (length input)) [(Ok v) (add v 1)] {fails}))"
        )
    };
    let run = |text: &str, passes| {
        let config = Config { fuel: Some(100_000), ..Config::default() };
        let failure = run_optimised(text, "", Format::Default, config, passes).failure;
        failure.map(|failure| failure.message)
    };
    for fails in ["[(Bad l m) (error m)]", "[(Bad l m) (fail l m)]", "[_ (error \"empty\")]"] {
        let text = text(fails);
        let wanted = run(&text, Passes::NONE);
        for passes in [Passes::NONE.with(Pass::Strictness), Passes::level(1), Passes::level(2)] {
            assert_eq!(run(&text, passes), wanted, "{fails}");
        }
    }
}

#[test]
fn nothing_is_built_for_what_is_wanted() {
    // Each takes a call for an element and no more: no sum and no selection waits.
    for (text, printed, most) in [
        (
            "(defn go[k n] (if (gt k n) (Pair 0 0)
               (let ([r (go (add k 1) n)]) (Pair (add k (fst r)) (add k (snd r))))))
             (defn main[] (case (go 1 100) [(Pair a b) (add a b)]))",
            "10100",
            310,
        ),
        (
            "(defn go[k n] (if (gt k n) Nothing
               (case (go (add k 1) n) [Nothing (Just (mul k k))] [(Just y) (Just (add (rem k 7) y))])))
             (defn main[] (case (go 1 100) [Nothing 0] [(Just x) (add x 1)]))",
            "10296",
            110,
        ),
        (
            "(defn sq[k n] (if (gt k n) Nil (Cons (mul k k) (sq (add k 1) n))))
             (defn total[l s] (case l [Nil s] [(Cons x t) (total t (add x s))]))
             (defn main[] (total (sq 1 100) 0))",
            "338350",
            310,
        ),
    ] {
        let (found, reductions) = run(text);
        assert_eq!(found.trim(), printed, "{text}");
        assert!(reductions <= most, "{reductions} reductions: {text}");
    }
}

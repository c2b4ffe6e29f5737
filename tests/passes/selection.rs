//! Selections of fields: where they stand and what becomes of them.

use super::{built, compiles_linearly, run, same, shown};
use gmachine::driver::Stage;
use gmachine::optimise::{Pass, Passes};

/// The driving passes, each of which must keep selections in their place.
const DRIVING: [Pass; 4] = [Pass::Specialise, Pass::Inline, Pass::KnownCase, Pass::CaseOfCase];

#[test]
fn a_selection_is_bound_before_what_is_evaluated_after_it() {
    let text = "(defn main[input] (f (break (eq 'p') input)))
        (defn f[p] (let ([a (fst p)] [b (snd p)])
          (let ([n (length a)]) (seq n (add n (length b))))))";
    for pass in DRIVING {
        let found = shown(&built(text, Passes::NONE.with(pass), Stage::Optimised));
        let bound = found.find("(snd ").expect("a selection");
        let evaluated = found.find("(force").or(found.find("(seq")).expect("an evaluation");
        assert!(bound < evaluated, "{pass:?}: {found}");
        same(text, pass);
    }
}

/// Two selections that a call does not evaluate keep it from nothing: the call is one of the function by name.
#[test]
fn a_call_that_evaluates_no_selection_is_written_as_it_is() {
    let text = "(defn main[i] (map summary [i i]))
        (defn summary[xs] (foldl' (fn [acc x] (case acc [(Pair lo s) (Pair (min lo x) (add s x))]))
          (Pair (head xs) (add (head xs) 1)) xs))";
    let found = shown(&built(text, Passes::ALL, Stage::Optimised));
    assert!(found.contains("(foldl'$s1 (head xs) (add (head xs) 1) xs)"), "{found}");
    assert_eq!(
        run(text, Passes::ALL, 1_000_000, false).0,
        run(text, Passes::NONE, 1_000_000, false).0
    );
}

#[test]
fn a_selection_of_what_is_known_is_the_field() {
    let text =
        "(defn main[] (f 3)) (defn f[x] (let ([p (Pair x (add x 1))]) (add (fst p) (snd p))))";
    let found = shown(&built(text, Passes::ALL, Stage::Optimised));
    assert!(!found.contains("Pair") && !found.contains("fst"), "{found}");
    // One that comes to be known by another selection.
    let text = "(defn main[] (f (quotient 7 3))) (defn quotient[x y] (Pair (div x y) (rem x y)))
        (defn f[p] (let ([a (fst p)] [b (snd p)]) (seq a (add a b))))";
    let found = shown(&built(text, Passes::ALL, Stage::Optimised));
    assert!(!found.contains("fst") && !found.contains("snd"), "{found}");
}

#[test]
fn a_field_that_is_selected_twice_is_evaluated_once() {
    let text = "(defn main[] (g (f 20))) (defn g[x] x)
        (defn fib[n] (if (lt n 2) n (add (fib (sub n 1)) (fib (sub n 2)))))
        (defn keep[x y] (if (lt x 0) (keep y x) (Cons x y)))
        (defn f[n] (let ([x (fib n)] [p (Pair x (sub n 1))])
          (keep (fst p) (keep (fst p) (Cons x Nil)))))";
    let plain = run(text, Passes::NONE, 10_000_000, false);
    for passes in DRIVING.map(|pass| Passes::NONE.with(pass)).into_iter().chain([Passes::ALL]) {
        let found = run(text, passes, 10_000_000, false);
        assert_eq!(found.0.as_ref().ok(), plain.0.as_ref().ok());
        assert!(found.1.reductions <= plain.1.reductions, "{passes:?}");
    }
}

#[test]
fn what_a_loop_counts_in_pairs_is_evaluated_as_it_goes() {
    // Selections that are passed on by a loop must not become chains of thunks.
    let text = "(defn main[] (go 30000 0 1))
        (defn go[n a b] (if (eq n 0) (rem a 97) (let ([q (step n a b)])
          (go (sub n 1) (fst q) (snd q)))))
        (defn step[n a b] (if (eq (rem n 7) 8) (step (sub n 1) b a)
          (seq a (seq b (Pair (rem b 97) (rem (add a b) 97))))))";
    let (result, statistics) = run(text, Passes::ALL, 50_000_000, false);
    assert!(result.is_ok());
    assert!(statistics.peak_live_bytes < 100_000, "{statistics:?}");
    assert!(statistics.peak_stack < 200, "{statistics:?}");
}

#[test]
fn many_selections_are_worked_on_in_linear_time() {
    let many = |size: usize| {
        let mut text = String::from("(defn main[] (f (Pair 1 2) (I 3))) (defn f[p q] (let (");
        (0..size).for_each(|at| text += &format!("[x{at} (fst p)] [y{at} (add (I q) (snd p))]"));
        text += ") (add 0 ";
        (0..size).for_each(|at| text += &format!("(if (eq x{at} q) 1 (add y{at} "));
        text + "0" + &"))".repeat(size) + ")))"
    };
    compiles_linearly(20_000, many, Passes::ALL);
}

#[test]
fn a_field_that_two_switches_take_is_evaluated_once() {
    const SLOW: &str = "(defn slow[n] (if (lt n 1) 1 (add (slow (sub n 1)) (slow (sub n 2)))))
        (defn wrap[x] (if (eq x x) (Pair (slow x) 1) (Pair 0 0)))
        (defn pack[x] (Pair (slow x) x))";
    let first = "(case p [(Pair a _) a])";
    for bound in ["(Pair (slow n) 1)", "(pack n)", "(pack (add n 1))", "(wrap n)", "(I (pack n))"] {
        for body in [
            format!("(add {first} {first})"),
            format!("(seq p (add {first} {first}))"),
            format!("(let ([q (I p)]) (add {first} (case q [(Pair a b) (add a b)])))"),
            format!("(if (gt n 3) (add {first} {first}) {first})"),
            format!("(case p [(Pair a b) (add a (add b {first}))])"),
            "(case (Pair p p) [(Pair u v)
                   (add (case u [(Pair a _) a]) (case v [(Pair a _) a]))])"
                .to_string(),
        ] {
            let text = format!(
                "(defn main[input] (f (add 12 (length input))))
                 (defn f[n] (let ([p {bound}]) {body})) {SLOW}"
            );
            let plain = run(&text, Passes::NONE, 10_000_000, false);
            assert!(plain.0.is_ok(), "{text}");
            // Strict loops are so much less work that it would hide some done twice.
            let all = [Passes::ALL, Passes::level(1)].map(|it| it.without(Pass::Strictness));
            for passes in DRIVING.map(|pass| Passes::NONE.with(pass)).into_iter().chain(all) {
                let found = run(&text, passes, 10_000_000, false);
                assert_eq!(found.0.as_ref().ok(), plain.0.as_ref().ok(), "{text}");
                assert!(found.1.reductions <= plain.1.reductions, "{passes:?} {text}");
            }
        }
    }
}

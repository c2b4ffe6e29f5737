//! What is known only once strictness analysis has run, or of a value that is part of itself.

use gmachine::driver::Stage;
use gmachine::optimise::Passes;

use super::{built, run, same_after, shown};

/// Reductions and the nodes that are allocated for 3,000 rounds more, after all passes; the value is
/// that without passes.
#[track_caller]
fn rounds(text: &str, passes: Passes) -> (u64, u64) {
    let of = |n: u64| {
        let text = text.replace('N', &n.to_string());
        let plain = run(&text, Passes::NONE, 10_000_000, false).0.expect("a value");
        let (value, work) = run(&text, passes, 10_000_000, false);
        assert_eq!(value.expect("a value"), plain, "{text}");
        work
    };
    let [less, more] = [of(1_000), of(4_000)];
    (more.reductions - less.reductions, more.allocations - less.allocations)
}

const GO: &str = "(defn main[i] (go (add N (length i)) 0))";

/// The only mention of one is in a body that there are several copies of.
#[test]
fn a_function_that_copies_mention_stays_a_definition() {
    let text = format!(
        "{GO} (defn go[n s] (if (eq n 0) s (go (sub n 1) (add (f (add s n)) (mul (f n) (f s))))))
         (defn f[x] (rem (g x) 97))
         (defn g[x] (if (lt x 50) (add (mul x x) (sub x 7)) (if (lt x 1000) (sub x 3) (div x 3))))"
    );
    rounds(&text, Passes::level(1));
    rounds(&text, Passes::ALL);
}

/// A parameter that is used in one branch only is bound where that is.
#[test]
fn what_is_inlined_late_is_given_no_thunk_for_one_branch() {
    let text = "(defn main[i] (go (add 300 (length i)) 0))
        (defn go[n s] (if (eq n 0) s (go (sub n 1) (rem (add s (any (odd n) (down s))) 101))))
        (defn any[x y] (if x 3 (if y 2 1)))
        (defn down[n] (if (lt n 2) n (down (sub n 2))))";
    let program = shown(&built(text, Passes::ALL, Stage::Optimised));
    assert!(program.contains("(if (down s) 2 1)"), "{program}");
    same_after(text, &[Passes::ALL]);
}

/// What is built for a call that may never be done holds numbers that are there, not how to compute them.
#[test]
fn what_is_computed_for_a_lazy_call_stays_before_it() {
    let text = "(defn main[i] (go (add 300 (length i)) 0 i))
        (defn go[n m i] (if (eq n 0) (if (null i) m 0)
          (let ([x (rem n 100)]) (go (sub n 1) (if (gt m x) m x) i))))";
    let program = shown(&built(text, Passes::ALL, Stage::Optimised));
    assert!(program.contains("(let ([t (rem n 100)]) (go "), "{program}");
}

#[test]
fn what_a_letrec_binds_is_known_in_its_body_and_made_once() {
    let text = format!(
        "{GO} (defn go[n s] (if (eq n 0) s (go (sub n 1) (letrec
           ([r (Pair n (fn [x] (add (fst r) x)))]) (add s ((snd r) 1))))))"
    );
    assert_eq!(rounds(&text, Passes::ALL).0, 3_000);
    // A field that is not evaluated yet is one thunk, whoever asks for it.
    let text = "(defn main[i] (go (length i)))
        (defn go[k] (letrec ([p (Pair (slow 50 k) p)]) (add (fst p) (fst (snd p)))))
        (defn slow[n k] (if (eq n 0) k (slow (sub n 1) (add k 1))))";
    let (plain, work) = run(text, Passes::NONE, 100_000, false);
    let (found, less) = run(text, Passes::ALL, 100_000, false);
    assert_eq!(found.expect("a value"), plain.expect("a value"));
    assert!(less.reductions < 60 && less.reductions < work.reductions, "{}", less.reductions);
}

/// Knowing them would be to unfold them without end.
#[test]
fn values_that_are_part_of_themselves_end() {
    let rows = [
        "(letrec ([d (Pair (fn [n] (if (eq n 0) 0 ((fst d) (sub n 1)))) d)]) ((fst (snd d)) k))",
        "(letrec ([xs (Cons k (Cons 2 xs))]) (sum (take 7 (tail xs))))",
        "(letrec ([a (Pair k b)] [b (Pair (fn [x] (add (fst a) x)) a)]) ((fst (snd (snd b))) 1))",
        "(letrec ([e (Cons (Pair 1 (fn [n] (if (eq n 0) (length e)
           ((snd (head e)) (sub n 1))))) Nil)]) ((snd (head e)) k))",
    ];
    for row in rows {
        let text = format!("(defn main[i] (go (length i))) (defn go[k] {row})");
        let plain = run(&text, Passes::NONE, 100_000, false).0.map_err(drop);
        let found = run(&text, Passes::ALL, 100_000, false).0.map_err(drop);
        assert_eq!(found, plain, "{text}");
    }
}

/// Which of the literals of a call becomes a parameter: not one that the function only counts down.
#[test]
fn a_call_of_literals_is_specialised_to_its_small_counters() {
    let text = "(defn main[] (ack 2 N)) (defn ack[m n] (if (eq m 0) (add n 1)
        (if (eq n 0) (ack (sub m 1) 1) (ack (sub m 1) (ack m (sub n 1))))))";
    let of = |n: u64, passes| {
        run(&text.replace('N', &n.to_string()), passes, 10_000_000, false).1.reductions
    };
    let (plain, found) = (of(100, Passes::level(1)), of(100, Passes::ALL));
    assert!(10 * found < 6 * plain, "{plain} reductions, then {found}");
}

//! Effects are done where their actions would be made: once, in order, with no work done twice.

use gmachine::machine::MachineKind;
use gmachine::machine::print::Format;
use gmachine::optimise::{Pass, Passes};
use gmachine_testing::common::{code_in, compiled, limits};

use super::{after, run, same};

/// The reductions of a program with `io` and `array` before and after passes: after this one alone, which is
/// given all that the others would compute beforehand, and after all. The value must be the same.
#[track_caller]
fn reductions(text: &str) -> (u64, [u64; 2]) {
    let text = format!("(import io) (import array) {text}");
    let (plain, work) = run(&text, Passes::NONE, 10_000_000, false);
    let plain = plain.expect("a value");
    let after = [Passes::NONE.with(Pass::Perform), Passes::ALL].map(|passes| {
        let (found, less) = run(&text, passes, 10_000_000, false);
        assert_eq!(found.expect("a value"), plain, "{text}");
        less.reductions
    });
    (work.reductions, after)
}

/// Checks that a program takes so many reductions at most, and no more than before the passes.
#[track_caller]
fn takes_at_most(most: u64, text: &str) {
    let (before, after) = reductions(text);
    for found in after {
        assert!(found <= before && found < most, "{found} reductions, {before} before: {text}");
    }
}

/// What a program prints after no pass, after these, and at each level; it must be the same.
#[track_caller]
fn prints(text: &str) -> String {
    let text = format!("(import io) (import array) {text}");
    let strict = Passes::NONE.with(Pass::Perform).with(Pass::Strictness);
    let [plain, found @ ..] =
        [Passes::NONE, Passes::NONE.with(Pass::Perform), strict, Passes::level(1), Passes::ALL]
            .map(|passes| {
                let found = run(&text, passes, 10_000_000, false).0;
                found.unwrap_or_else(|stop| panic!("{stop:?} after {passes:?}: {text}"))
            });
    for found in found {
        assert_eq!(plain, found, "{text}");
    }
    plain
}

#[test]
fn effects_are_done_in_the_code_of_a_loop() {
    let text = "(import array)
        (defn main[] (runState (bind (newArray 9 1) (go 5))))
        (defn go[i a] (if (eq i 0) (return 7) (bind (writeArray a i 0) (next i a))))
        (defn next[i a _] (go (sub i 1) a))";
    let (code, counts) = after(text, Pass::Perform);
    assert!(code.contains(
        "(defn go$p[i a t] (if (eq i 0) (return 7) \
         (perform [t'1 (do$WriteArray a i 0 t)] (next$p i a t'1 t))))"
    ));
    assert!(counts.contains(&"2 effects done in place".to_owned()), "{counts:?}");
    same(text, Pass::Perform);
    let of = |n: u64| reductions(&text.replace("5", &n.to_string()).replace("9", "3000")).1[1];
    // A round is a call and a comparison: 27 reductions before.
    assert!(of(2_000) - of(1_000) <= 3_000, "{}", of(2_000) - of(1_000));
}

/// What a function needs after an effect is not evaluated before it.
#[test]
fn nothing_fails_before_the_effects_that_come_first() {
    let rest = [
        "(if (lt x 0) (return 1) (return 2))",
        "(seq x (return x))",
        "(bind (newArray x 0) (fn [a] (return Nil)))",
        "(if (lt x 0) (writeCell c 2) (writeCell c 3))",
        "(bind (readCell c) (fn [y] (let ([z (add x y)]) (seq z (return z)))))",
        "(go x c)",
    ];
    for rest in rest {
        let text = format!(
            "(defn main[] (bind (newCell 0) (fn [c]
               (then (catch (CALL) (fn [_] (return Nil))) (bind (readCell c) printInt)))))
             (defn one[c] (bind (readCell c) (fn [_] (two c (error \"late\")))))
             (defn two[c x] (then (writeCell c 1) {rest}))
             (defn go[n c] (if (eq n 0) (return 0) (then (writeCell c 5) (go (sub n 1) c))))"
        );
        // Called by a thunk, and by code that performs, which evaluates what `two` is strict in.
        for call in ["two c (error \"late\")", "one c"] {
            assert_eq!(prints(&text.replace("CALL", call)), "1\n", "{rest}, {call}");
        }
    }
}

/// The same of a loop, which is called where it stands, and of what only the analysis of data finds.
#[test]
fn what_a_loop_needs_at_its_end_is_not_evaluated_before_it() {
    for (x, end) in [("(div 1 n)", "(lt x 0)"), ("[n (div 1 n)]", "(lt (sum x) 0)")] {
        let text = format!(
            "(defn main[] (bind (newCell 0) (fn [c]
               (then (catch (one c) (fn [_] (return Nil))) (bind (readCell c) printInt)))))
             (defn one[c] (bind (readCell c) (fn [n] (go 3 {x} c))))
             (defn go[k x c] (then (writeCell c 7)
               (if (eq k 0) (if {end} (return 1) (return 2)) (go (sub k 1) x c))))"
        );
        assert_eq!(prints(&text), "7\n", "{x}");
    }
}

/// A loop without end is no failure to which what comes before it may be changed: its effects are seen.
#[test]
fn a_loop_of_effects_without_end_makes_nothing_certain() {
    let text = "(defn main[] (bind (newCell 0) (fn [c]
            (then (catch (go c [1 (error \"second\")]) (fn [_] (return Nil)))
                  (bind (readCell c) printInt)))))
        (defn go[c xs] (then (writeCell c (add 10 (head xs))) (more c xs)))
        (defn more[c xs] (bind (readCell c) (fn [n] (seq n
            (if (lt n 13) (then (writeCell c (add n 1)) (more c xs)) (more (seq (head (tail xs)) c) xs))))))";
    assert_eq!(prints(text), "13\n");
}

/// What an action shares stays shared by all that perform it.
#[test]
fn an_action_that_is_performed_often_does_its_work_once() {
    let slow = "(defn slow[n] (if (eq n 0) 5 (slow (sub n 1))))";
    // The number is read from a cell, so that nothing is computed of it beforehand. The work is before the
    // first effect, in an operand, in a binding, in what comes after an effect.
    let texts = [
        "(defn main[] (number (fn [n c] (often (act n c) c))))
         (defn act[n c] (if (eq (slow n) 5) (writeCell c n) (return Nil)))",
        "(defn main[] (number (fn [n c] (often (both n c) c))))
         (defn both[n c] (then (writeCell c 1) (act n c)))
         (defn act[n c] (if (eq (slow n) 5) (writeCell c n) (return Nil)))",
        "(defn main[] (number (fn [n c] (often (both n c) c))))
         (defn both[n c] (bind (writeCell c 1) (K (act n c))))
         (defn act[n c] (if (eq (slow n) 5) (writeCell c n) (return Nil)))",
        "(defn main[] (number (fn [n c] (often (both n c) c))))
         (defn both[n c] (bind (writeCell c 1) (K (act n c))))
         (defn act[n c] (let ([m (slow n)]) (if (lt m 0) (return Nil) (writeCell c m))))",
        "(defn main[] (number (fn [n c] (often (act (slow n) c) c))))
         (defn act[n c] (then (writeCell c n) (act1 n c)))
         (defn act1[n c] (bind (readCell c) (fn [m] (writeCell c (add m n)))))",
        "(defn main[] (number (fn [n c] (often (act n c) c))))
         (defn act[n c] (let ([m (slow n)]) (then (writeCell c m) (act1 m c))))
         (defn act1[n c] (if (lt n 9) (writeCell c n) (return Nil)))",
        "(defn main[] (number (fn [n c] (often (then (writeCell c 1) (act n c)) c))))
         (defn act[n c] (if (eq (slow n) 5) (writeCell c n) (return Nil)))",
        "(defn main[] (number (fn [n c] (often (then (writeCell c 1) (act n c)) c))))
         (defn act[n c] (let ([m (slow n)]) (if (lt m 0) (return Nil) (writeCell c m))))",
        "(defn main[] (number (fn [n c] (often (then (writeCell c 1) (act (slow n) c)) c))))
         (defn act[n c] (if (lt n 9) (writeCell c n) (return Nil)))",
    ];
    for text in texts {
        let text = format!(
            "{text} {slow}
             (defn number[f] (bind (newCell 3000) (fn [c] (bind (readCell c) (fn [n] (f n c))))))
             (defn often[m c] (then (repeat 40 m) (bind (readCell c) printInt)))
             (defn repeat[n m] (if (eq n 0) (return Nil) (then m (repeat (sub n 1) m))))"
        );
        takes_at_most(12_000, &text);
    }
}

/// A `main` that is mentioned is a constant that others share, and one that may be something else is
/// no action to begin with.
#[test]
fn main_performs_if_it_is_an_action_for_itself() {
    let text = "(import io) (defn main[] (bind (newCell 3) (fn [c] (bind (readCell c) printInt))))";
    assert!(after(text, Pass::Perform).0.contains("(defn main[] (enter$ (return$ Nil) main$p1))"));
    same(text, Pass::Perform);
    let text = "(import io)
        (defn main[] (if (lt 1 2) 7 (bind (newCell 1) (fn [c] (writeCell c 1)))))";
    assert!(after(text, Pass::Perform).0.contains("(defn main[] (if"));
    assert_eq!(
        prints("(defn main[] (if (lt 1 2) 7 (bind (newCell 1) (fn [c] (writeCell c 1)))))"),
        "7\n"
    );
    let text = "(defn main[] (let ([m (slow 2000)]) (bind inputLine (fn [l]
            (seq m (case l [(Nil) (printInt m)] [_ main]))))))
        (defn slow[n] (if (eq n 0) 5 (slow (sub n 1))))";
    takes_at_most(5_000, text);
}

#[test]
fn handlers_find_what_fails_in_the_code_of_loops() {
    let text = "(defn main[] (bind (newArray 4 1) (fn [a]
            (then (catch (fill 0 a) (fn [e] (putLine (exceptionText e))))
            (then (handle (fill 2 a) (fn [v _] (printInt v)) (fn [_ t _] (putLine t)))
            (then (catch (stop 3 a) (fn [e] (case e [(Thrown n _) (printInt n)] [_ (return Nil)])))
                  (bind (readArray a 3) printInt)))))))
        (defn fill[i a] (then (writeArray a i (mul i i)) (fill (add i 1) a)))
        (defn stop[i a] (if (eq i 0) (throw 8) (then (writeArray a i i) (stop (sub i 1) a))))";
    assert!(prints(text).ends_with("\n8\n3\n"));
}

/// A continuation of which nothing is known, and effects in every place of a bind.
#[test]
fn what_is_not_seen_is_left_to_the_performer() {
    let text = "(defn main[] (bind (newCell 1) (fn [c]
            (then (twice (step c) c) (then (choose (bind (readCell c) return) c)
            (bind (join (return (readCell c))) (fn [n]
            (then (printInt n) (forM_ [1 2 3] (fn [i] (bind (bump i c) printInt)))))))))))
        (defn step[c n] (then (writeCell c (add n 1)) (readCell c)))
        (defn twice[k c] (bind (bind (readCell c) k) k))
        (defn choose[m c] (bind m (fn [n] (if (gt n 2) (putLine \"more\") (writeCell c 0)))))
        (defn bump[i c] (bind (bind (readCell c) (fn [n] (then (writeCell c (add n i)) (return n))))
            (fn [n] (bind (readCell c) (fn [m] (return (add m n)))))))";
    assert_eq!(prints(text), "more\n3\n7\n10\n15\n");
}

/// An action that a function makes of others is seen where nothing demands it yet.
#[test]
fn what_makes_actions_of_actions_costs_no_more_than_they_do() {
    let program = |next: &str| {
        format!(
            "(import io) (defn main[] (bind (newCell 0) (fn [c] (go c 1000))))
             (defn after[a b] (bind a (fn [_] b)))
             (defn bump[c n] (bind (readCell c) (fn [x] (writeCell c (rem (add x n) 1009)))))
             (defn go[c n] (if (eq n 0) (readCell c) {next}))"
        )
    };
    let pairs = [
        (
            "(after (bump c n) (after (bump c 1) (go c (sub n 1))))",
            "(bind (bump c n) (fn [_] (bind (bump c 1) (fn [_] (go c (sub n 1))))))",
        ),
        // Of the literal there would be a variant, which is called from two places.
        (
            "(bind (mapAction (add 7) (readCell c)) (fn [x] (bind (mapAction (add 7) (bump c x)) (fn [_] (go c (sub n 1))))))",
            "(bind (bind (readCell c) (fn [y] (return (add 7 y)))) (fn [x]
               (bind (bind (bump c x) (fn [y] (return (add 7 y)))) (fn [_] (go c (sub n 1))))))",
        ),
    ];
    for (made, written) in pairs {
        for level in [1, 2] {
            let of = |next: &str| {
                run(&program(next), Passes::level(level), 10_000_000, false).1.reductions
            };
            let (made, written) = (of(made), of(written));
            assert!(4 * made <= 5 * written, "-O{level}: {made} reductions, {written} written out");
        }
    }
}

/// The continuation of an action is a function that is entered much later.
#[test]
fn what_a_loop_of_actions_is_given_is_known_in_each_turn() {
    let program = |params: &str, act: &str, given: &str| {
        let text = format!(
            "(import io)
             (defn main[] (bind (newCell 0) (fn [c] (then (each {given} (range 1 1000)) (readCell c)))))
             (defn bump[c n] (bind (readCell c) (fn [x] (writeCell c (rem (add x n) 1009)))))
             (defn each[{params} xs] (case xs
               [Nil (return Nil)] [(Cons x t) (bind {act} (fn [_] (each {params} t)))]))"
        );
        run(&text, Passes::ALL, 10_000_000, false).1.reductions
    };
    let given = program("f", "(f x)", "(fn [i] (bump c i))");
    let written = program("c", "(bump c x)", "c");
    assert!(10 * given <= 11 * written, "{given} reductions, {written} written out");
}

/// What a function's action ends in goes on there, as if it were written in the bind.
#[test]
fn what_functions_do_goes_on_where_it_ends() {
    let program = |act: &str| {
        format!(
            "(data Node (Leaf) (Node keys size))
             (defn key[node i] (case node [(Node keys _) (readArray keys i)]))
             (defn odd'[c i] (if (eq (rem i 2) 0) (readCell c) (if (gt i 7) (return i) (bind (key (Node c 1) 0) return))))
             (defn find[node n i] (if (ge i n) (return i) (bind {act} (fn [x] (if (gt x 990) (return i) (find node n (add i 1)))))))
             (defn main[] (bind (newArray 1000 5) (fn [a] (then (writeArray a 998 999) (bind (newCell 3) (fn [c]
               (bind (find (Node a 1000) 1000 0) printInt)))))))"
        )
    };
    let of = |act: &str| {
        let text = format!("(import io) (import array) {}", program(act));
        let (found, work) = run(&text, Passes::level(1), 10_000_000, false);
        assert_eq!(found.expect("a value"), "998\n", "{act}");
        work.reductions
    };
    let written = of("(case node [(Node keys _) (readArray keys i)])");
    for act in [
        "(key node i)",
        "(bind (key node i) return)",
        "(bind (key node i) (fn [x] (key node (add i (mul 0 x)))))",
    ] {
        let made = of(act);
        assert!(10 * made <= 11 * written, "{act}: {made} reductions, {written} written out");
    }
}

/// An action that ends in several ways, in one of which another one is left.
#[test]
fn each_end_of_an_action_is_followed_by_what_comes_next() {
    let text = "(defn main[] (bind (newCell 5) (fn [c] (mapM_ (fn [i] (bind (act c i) printInt)) (range 0 7)))))
        (defn act[c i] (bind (pick c i) (fn [x] (then (modifyCell c (add x)) (readCell c)))))
        (defn pick[c i] (if (eq i 0) (readCell c) (if (eq i 1) (return 10) (if (eq i 2) (then (writeCell c 1) (return 2))
          (if (lt i 5) (other c i) (handle (let ([q (div i (sub i 5))]) (seq q (return q))) (fn [_ _] (return -1)) (fn [_ _ _] (return -2))))))))
        (defn other[c i] (if (eq i 3) (slow c 9) (return 3)))
        (defn slow[c n] (if (eq n 0) (readCell c) (bind (modifyCell c (add 1)) (fn [_] (slow c (sub n 1))))))";
    assert_eq!(prints(text), "10\n20\n3\n24\n27\n25\n31\n34\n");
    let small = "(defn main[] (bind (newCell 5) (fn [c] (mapM_ (fn [i] (bind (act c i) printInt)) (range 0 2)))))
        (defn act[c i] (bind (pick c i) (fn [x] (then (modifyCell c (add x)) (readCell c)))))
        (defn pick[c i] (if (eq i 0) (readCell c) (if (eq i 1) (return 10) (return 2))))";
    assert_eq!(prints(small), "10\n20\n22\n");
}

/// A function that performs nothing is a call where its action waits for another one.
#[test]
fn what_performs_nothing_stays_where_nothing_demands_it() {
    let text = "(defn main[] (bind (newCell 5) (fn [c] (bind (both c 3) printInt))))
        (defn both[c n] (then (loop c n) (same (add n 4))))
        (defn loop[c n] (if (eq n 0) (return 0) (bind (modifyCell c (add n)) (fn [_] (loop c (sub n 1))))))
        (defn same[n] (case n [0 (return 1)] [_ (return n)]))";
    assert_eq!(prints(text), "7\n");
}

/// Programs with threads take turns as before: they are counted in binds.
#[test]
fn threads_take_the_same_turns() {
    let text =
        "(import io) (defn main[] (bind (newCell 0) (fn [c] (then (fork (go 9 c)) (go 9 c)))))
        (defn go[n c] (if (eq n 0) (return Nil) (bind (readCell c) (fn [m]
            (then (writeCell c (add m 1)) (then (printInt m) (go (sub n 1) c)))))))";
    assert_eq!(after(text, Pass::Perform).1, Vec::<String>::new());
    same(text, Pass::Perform);
}

/// Actions that lead to each other from the constant `main` on live until a full collection; calls in place
/// of them leave nothing.
#[test]
fn a_loop_that_writes_leaves_nothing_to_collect() {
    for act in ["(putText \"a\")", "(putBytes (bytesFromText \"a\"))"] {
        let text = format!(
            "(import io) (defn main[] (go 40000))
             (defn go[n] (if (eq n 0) (return Nil) (then {act} (go (sub n 1)))))"
        );
        let peak = |passes| {
            let program = compiled(&text, passes).unwrap_or_else(|run| panic!("{:?}", run.failure));
            let run = code_in(MachineKind::Fast, &program, "", Format::Default, limits());
            assert_eq!(run.output.len(), 40_000, "{act}");
            run.statistics.peak_live_bytes
        };
        let (before, after) = (peak(Passes::NONE), peak(Passes::ALL));
        assert!(after < 100_000 && before > 10 * after, "{after}, {before} before: {act}");
    }
}

#[test]
fn sequences_of_any_length_compile_in_time_and_code_of_their_size() {
    let texts: [fn(usize) -> String; 2] = [
        |n| {
            let acts: String = (0..n).map(|at| format!("(then (writeCell c {at}) ")).collect();
            format!(
                "(import io) (defn main[] (bind (newCell 0) (fn [c] {acts} (readCell c){})))",
                ")".repeat(n)
            )
        },
        |n| {
            let acts: String = (0..n).map(|_| "(bind (readCell c) (fn [c] ").collect();
            format!("(import io) (defn main[i] (go i)) (defn go[c] {acts} c{})", "))".repeat(n))
        },
    ];
    for text in texts {
        super::compiles_linearly(1_000, text, Passes::NONE.with(Pass::Perform));
    }
}

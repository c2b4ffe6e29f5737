//! Space is part of what a program means: what must run flat, and how deep recursion may go.

mod common;

use common::{Run, run};

/// Peak live data of a program with its size put in for `SIZE`, in bytes.
fn live(program: &str, size: u64) -> u64 {
    let Run { failure, statistics, output } = run(&program.replace("SIZE", &size.to_string()), "");
    assert_eq!(failure, None, "{program} printed {output:?}");
    statistics.peak_live_bytes
}

/// What flat means: four times the work in no more than half as much again, beside what
/// collections leave to chance.
#[track_caller]
fn is_flat(program: &str, size: u64) {
    let (one, four) = (live(program, size), live(program, 4 * size));
    assert!(four <= one + one / 2 + 100_000, "{program}: {one} bytes at {size}, {four} at 4 times");
}

#[test]
fn a_list_that_is_a_caf_is_collected_as_it_is_consumed() {
    // Each element is forced on the way: an element that is not is a chain of additions as
    // long as the list, in every lazy machine that adds nothing before it is asked to.
    is_flat(
        "(defn main[] (nth' SIZE fibs))
         (defn nth'[n l] (case l [(Cons x xs) (seq x (if (eq n 0) x (nth' (sub n 1) xs)))]))
         (defn fibs[] (Cons 0 (Cons 1 (zipWith addm fibs (tail fibs)))))
         (defn addm[x y] (rem (add x y) 1000000007))",
        20_000,
    );
}

#[test]
fn a_caf_is_collected_while_code_that_never_uses_it_again_runs() {
    is_flat("(defn nats[] (from 0)) (defn main[] (add 1 (nth SIZE nats)))", 20_000);
    is_flat(
        "(defn nats[] (from 0)) (defn main[] (let ([x (nth SIZE nats)]) (seq x (count 40000))))
         (defn count[n] (if (eq n 0) 0 (count (sub n 1))))",
        20_000,
    );
}

#[test]
fn a_pipeline_of_lists_is_flat() {
    is_flat("(defn main[] (foldl' add 0 (map square (filter even (range 1 SIZE)))))", 20_000);
    is_flat("(defn main[] (sum (take SIZE (iterate (add 1) 0))))", 20_000);
    is_flat("(defn main[] (length (concatMap (fn [x] [x x]) (range 1 SIZE))))", 10_000);
}

#[test]
fn a_list_bound_by_a_let_is_collected_as_its_last_use_consumes_it() {
    is_flat("(defn main[] (let ([xs (range 1 SIZE)]) (add 0 (length xs))))", 20_000);
    is_flat("(defn main[] (let ([xs (range 1 SIZE)]) (length xs)))", 20_000);
    is_flat("(defn main[] (twice' (range 1 SIZE))) (defn twice'[xs] (add (length xs) 1))", 20_000);
}

#[test]
fn both_parts_of_a_broken_list_are_consumed_in_turn() {
    // Both parts are named before the first is consumed: from then on nothing but the two
    // selections refers to the pair.
    is_flat(
        "(defn main[] (let ([p (break (lt SIZE) (range 1 (mul 2 SIZE)))] [a (fst p)] [b (snd p)])
           (let ([n (length a)]) (seq n (add n (length b))))))",
        10_000,
    );
}

#[test]
fn tail_calls_run_in_constant_space() {
    let programs = [
        "(defn main[] (ping SIZE)) (defn ping[n] (if (eq n 0) 0 (pong (sub n 1))))
         (defn pong[n] (if (eq n 0) 1 (ping (sub n 1))))",
        "(defn main[] (go SIZE)) (defn go[n] (case n [0 'x'] [_ (let ([m (sub n 1)]) (go m))]))",
        "(defn main[] (go SIZE)) (defn go[n] (seq n (if (eq n 0) 0 (letrec ([m (sub n 1)]) (go m)))))",
        "(defn main[] (go SIZE Nil)) (defn go[n l] (case (Pair n l) [(Pair 0 l) l] [(Pair n l) (go (sub n 1) l)]))",
    ];
    for program in programs {
        let run = run(&program.replace("SIZE", "250000"), "");
        assert_eq!(run.failure, None, "{program}");
        let statistics = run.statistics;
        assert!(statistics.peak_stack < 100, "{program}: {} items", statistics.peak_stack);
        assert!(statistics.peak_dump < 20, "{program}: {} frames", statistics.peak_dump);
        assert!(statistics.peak_live_bytes < 200_000, "{program}: {statistics:?}");
    }
}

#[test]
fn an_infinite_list_prints_flat() {
    is_flat("(defn main[] (take SIZE (from 0)))", 20_000);
    is_flat("(defn main[] (take SIZE (cycle \"ab\")))", 20_000);
}

#[test]
fn input_is_read_flat() {
    let sum = |lines: usize| {
        let text = "some words on a line\n".repeat(lines);
        let run = run("(defn main[input] (length (lines input)))", &text);
        assert_eq!((run.failure, run.output), (None, format!("{lines}\n")));
        run.statistics.peak_live_bytes
    };
    let (one, four) = (sum(2_000), sum(8_000));
    assert!(four <= one + one / 2 + 100_000, "{one} bytes, then {four}");
}

#[test]
fn deep_recursion_needs_memory_only() {
    // On a thread with a small stack: the machine must not use it.
    let deep = || {
        for program in [
            "(defn main[] (foldr add 0 (range 1 1000000)))",
            "(defn main[] (foldl add 0 (range 1 1000000)))",
            "(defn main[] (chain 1000000 0))
             (defn chain[n x] (if (eq n 0) x (chain (sub n 1) (add x 1))))",
        ] {
            let run = run(program, "");
            assert_eq!(run.failure, None, "{program}");
            assert!(["500000500000\n", "1000000\n"].contains(&&*run.output), "{}", run.output);
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(deep);
    thread.expect("a thread").join().expect("no overflow");
}

#[test]
fn a_deep_value_prints_and_drops() {
    let program = "(data T (L) (N t)) (defn main[] (deep 200000 L))
        (defn deep[n t] (if (eq n 0) t (deep (sub n 1) (N t))))";
    let run = run(program, "");
    assert_eq!(run.failure, None);
    assert_eq!(run.output.len(), "(N ".len() * 200_000 + "L".len() + 200_000 + 1);
}

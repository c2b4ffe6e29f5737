//! What is written out in the place of a call evaluates nothing more, and nothing more often.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::{Pass, Passes};

use super::common::{Run, run_optimised};

fn run(source: &str, input: &str, level: u8) -> Run {
    let config = Config { fuel: Some(1_000_000), ..Config::default() };
    run_optimised(source, input, Format::Default, config, Passes::level(level))
}

/// What it is, the program, its input and what it prints.
const SAME: &[(&str, &str, &str, &str)] = &[
    (
        "cases of cases: a field that fails and is not used, an alternative that is chosen twice, a default",
        "(data T (A) (B x y) (C z)) (defn f[n] (if (gt n 1) (B n (error \"no\")) (if (gt n 0) A (C n))))
         (defn g[xs] (case xs [Nil A] [(Cons x t) (case t [Nil (C x)] [_ A])]))
         (defn one[n] (case (f n) [A 1] [(B x _) (add x 10)] [(C z) (sub z 1)]))
         (defn two[xs] (case (g xs) [A 5] [(C z) z] [(B _ _) 6])) (defn three[xs] (case (g xs) [(C z) z] [_ 7]))
         (defn main[i] (let ([n (length i)])
           (append (map one [(sub n 3) (sub n 2) n]) (append (map two [Nil [n] [n n]]) (map three [Nil [n] [n n]])))))",
        "abc",
        "-1 1 13 5 3 5 7 3 7 Nil",
    ),
    (
        "a case of what is known again, with other names of its fields and with a default",
        "(defn f[xs] (case xs [Nil 0] [(Cons x t) (case xs [Nil 1] [(Cons y u) (add y (case t [Nil x] [_ (case t [Nil 2]
           [(Cons z _) (mul z (length u))])]))])])) (defn g[xs] (case xs [(Cons _ _) (case xs [Nil 3] [_ 4])] [_ (case xs [Nil 5] [_ 6])]))
         (defn main[i] (let ([n (length i)]) [(f Nil) (f [n]) (f [n 5 7]) (g Nil) (g i)]))",
        "ab",
        "0 4 12 5 4 Nil",
    ),
    (
        "constants with a part that fails, that does not end, or that is the constant itself",
        "(data R (R f x)) (defn make[f x] (R f x)) (defn use[r n] (case r [(R f _) (f n)]))
         (defn fails[] (make (add 1) (error \"no\"))) (defn circles[] (make (mul 2) (loop 1)))
         (defn loop[n] (loop n)) (defn ones[] (id (Cons 1 ones)))
         (defn self[] (make (fn [n] (case self [(R _ m) (add n m)])) 5))
         (defn main[i] (let ([n (length i)]) (append [(use fails n) (use circles n) (use self n)] (take n ones))))",
        "ab",
        "3 4 7 1 1 Nil",
    ),
    (
        "a wrapper that does not use an argument that fails",
        "(defn first'[a b] a) (defn main[i] (Pair (first' 1 (error \"no\")) i))",
        "",
        "(Pair 1 [])",
    ),
    (
        "a wrapper that is called with more arguments, and with fewer",
        "(defn turn[f a b] (f b a)) (defn with[f] (turn f 1))
         (defn main[i] (let ([n (length i)]) [(turn const n add 10 3) (with sub n) (turn sub n 2)]))",
        "abc",
        "13 2 -1 Nil",
    ),
    (
        "a wrapper in a circle that builds no end of a list",
        "(defn from'[n] (Cons n (step n))) (defn step[n] (from' (add n 1)))
         (defn main[i] (take 3 (from' (length i))))",
        "ab",
        "2 3 4 Nil",
    ),
    (
        "a test of one of three constructors, and a selection where it holds",
        "(data T (A) (B x) (C y)) (defn is-b[t] (case t [(B _) 1] [_ 0]))
         (defn x[t] (case t [(B x) x] [_ 0])) (defn y[t] (case t [(C y) y] [_ 7]))
         (defn f[t] (if (is-b t) (x t) (y t)))
         (defn main[i] (map f [A (B (length i)) (C 5)]))",
        "abcd",
        "7 4 5 Nil",
    ),
    (
        "a test that holds of two of three constructors",
        "(data T (A) (B x) (C y)) (defn is-full[t] (case t [A 0] [_ 1]))
         (defn x[t] (case t [(B x) x] [(C y) (mul 10 y)] [A 0]))
         (defn f[t] (if (is-full t) (x t) -1)) (defn g[t] (if (is-full t) 1 (x t)))
         (defn main[i] (append (map f [A (B (length i)) (C 5)]) (map g [A (B 2)])))",
        "abcd",
        "-1 4 50 0 1 Nil",
    ),
    (
        "a selection in the default of a case, and beyond it",
        "(defn f[xs] (case xs [Nil 0] [_ (add (head xs) (length (tail xs)))]))
         (defn g[xs] (if (isNil xs) 0 (if (isNil (tail xs)) (head xs) (head (tail xs)))))
         (defn main[i] (let ([n (length i)]) [(f [n n n]) (f Nil) (g [n]) (g [n 1]) (g Nil)]))",
        "abc",
        "5 0 3 1 0 Nil",
    ),
    (
        "a test in a place where it may not be needed",
        "(defn f[xs ys] (Pair (if (isNil xs) ys (Cons (head xs) ys)) 1))
         (defn main[i] (case (f (error \"no\") i) [(Pair _ n) (case (f i i) [(Pair zs _) (add n (length zs))])]))",
        "ab",
        "4",
    ),
    (
        "an eliminator whose branches fail, and one that is not needed",
        "(defn both[p f] (case p [(Pair a b) (f a b)]))
         (defn main[i] (let ([n (length i)]) [(both (Pair n (error \"no\")) const)
           (length [(both (error \"no\") add)])]))",
        "abc",
        "3 1 Nil",
    ),
    (
        "loops over records: one that may not look at it, one whose step is not needed at once, one that fails",
        "(data S (S n x)) (defn n[s] (case s [(S n _) n])) (defn x[s] (case s [(S _ x) x]))
         (defn step[s] (S (sub (n s) 1) (add (x s) 2)))
         (defn perhaps[k s] (if (eq k 0) 7 (if (eq (n s) 0) (x s) (perhaps (sub k 1) (step s)))))
         (defn many[s] (if (eq (n s) 0) [(x s)] (Cons (x s) (many (step s)))))
         (defn fails[s] (if (eq (n s) 0) (error \"end\") (fails (step s))))
         (defn last'[s t] (if (eq (n s) 0) s (last' (step s) (add t (n s)))))
         (defn main[i] (let ([k (length i)]) (append (many (S k 1))
           [(perhaps 0 (error \"no\")) (perhaps 9 (S k 0)) (x (last' (S k 5) (error \"no\")))
            (length [(fails (S k 0)) (fails (error \"no\"))])])))",
        "abc",
        "1 3 5 7 7 6 11 2 Nil",
    ),
    (
        "a loop over what is no record, for there is another constructor",
        "(data T (S n x) (E)) (defn step[t] (case t [(S n x) (if (eq n 0) E (S (sub n 1) (add x 2)))] [E E]))
         (defn run[t k] (case t [(S n x) (run (step t) (add k x))] [E k]))
         (defn main[i] [(run (S (length i) 1) 0) (run E 5)])",
        "abc",
        "16 5 Nil",
    ),
    (
        "what a case has taken apart as a whole: returned, in a field, in a default, twice, beyond the case",
        "(data T (A) (B x y) (C z)) (defn size[t] (case t [A 0] [(B x y) (add x (size y))] [(C z) z]))
         (defn end[t] (case t [(B x y) (if (gt x 1) t (end y))] [_ t]))
         (defn both[t] (case t [(B _ _) (Pair t (Cons t Nil))] [(C z) (Pair (B z t) Nil)] [A (Pair t [t t])]))
         (defn other[t] (case t [A (C 7)] [(B x (C _)) (B x t)] [(C _) t] [_ (error \"other\")]))
         (defn main[i] (let ([n (length i)] [b (B 1 (B n (C 4)))]) (append
           (map size [(end b) (end (C n)) (end A) (other (C n)) (other A) (other (B 3 (C 6)))])
           (concatMap (fn [t] (case (both t) [(Pair a b) (Cons (size a) (map size b))])) [A b (C 5)]))))",
        "ab",
        "6 2 0 2 7 12 0 0 0 7 7 10 Nil",
    ),
];

#[test]
fn what_is_written_out_means_the_same() {
    for (what, source, input, printed) in SAME {
        for level in 0..=2 {
            let run = run(source, input, level);
            assert_eq!((run.failure, run.output.trim_end()), (None, *printed), "{what}, -O{level}");
        }
    }
}

#[test]
fn what_is_written_out_is_done_once() {
    // A parameter that stands in two places, or is taken apart and passed on, is evaluated once.
    let source =
        "(defn two[x] (Pair x x)) (defn pick[m z] (case m [Nothing z] [(Just x) (add x z)]))
        (defn slow[n] (if (eq n 0) 1 (slow (sub n 1))))
        (defn main[i] (case (two (slow (add 500 (length i)))) [(Pair a b)
          (add (add a b) (pick (Just (slow (add 500 a))) (slow (add 500 b))))]))";
    for level in 1..=2 {
        let run = run(source, "", level);
        assert_eq!(run.output.trim_end(), "4");
        assert!(run.statistics.reductions < 1_540, "{}", run.statistics.reductions);
    }
}

#[test]
fn a_record_that_is_kept_elsewhere_is_not_built_again() {
    let source = "(data S (S n x y)) (defn n[s] (case s [(S n _ _) n]))
        (defn walk[s table all] (if (eq (n s) 0) all (walk (nth (n s) table) table (Cons s all))))
        (defn state[k m] (S (if (gt m 140) 0 (add m 1)) m k))
        (defn main[i] (length (walk (S 1 1 1) (map (state (length i)) (range 1 150)) Nil)))";
    // What a variable names is no step that a function makes: this one is no candidate.
    let named = source.replace(
        "(walk (nth (n s) table) table (Cons s all))",
        "(let ([t (nth (n s) table)]) (walk t table (Cons s all)))",
    );
    assert_ne!(named, source);
    let [kept, named] = [source, &named].map(|source| run(source, "", 2));
    assert_eq!((kept.output.trim_end(), named.output.trim_end()), ("71", "71"));
    let (kept, named) = (kept.statistics.allocations, named.statistics.allocations);
    assert!(kept <= named + 10, "{kept} nodes, {named} if the next one has a name");
}

#[test]
fn what_a_case_has_taken_apart_is_not_built_again() {
    let source = "(defn beyond[k xs] (case xs [Nil Nil] [(Cons x t) (if (lt x k) (beyond k t) xs)]))
        (defn tails[k xs] (case (beyond k xs) [Nil 0] [(Cons x t) (add x (tails (add x 2) t))]))
        (defn main[i] (let ([xs (map square (range 1 200))]) (add (length xs) (tails (length i) xs))))";
    // Without the pass nothing is written out as a whole.
    let all = Passes::level(2);
    let [built, kept] = [all, all.without(Pass::CaseOfCase)].map(|passes| {
        let run = run_optimised(source, "", Format::Default, Config::default(), passes);
        assert_eq!(run.output.trim_end(), "2686900");
        run.statistics.allocations
    });
    assert!(built <= kept, "{built} nodes, {kept} where nothing is written out");
}

/// What a function of the corelib computes by a choice is inlined in it, and called by name elsewhere.
#[test]
fn what_nothing_demands_yet_is_no_more_calls_than_it_was() {
    let source = "(data Ratio (Ratio a b))
        (defn ratio[a b] (let ([d (gcd a b)]) (if (lt b 0) (Ratio (div (negate a) d) (div (negate b) d)) (Ratio (div a d) (div b d)))))
        (defn go[n r] (if (eq n 0) r (go (sub n 1) (case r [(Ratio a b) (ratio (add a n) (add b 1))]))))
        (defn main[i] (go (add 100 (length i)) (Ratio 1 1)))";
    let [first, second] = [1, 2].map(|level| run(source, "", level));
    assert_eq!(first.output, second.output);
    let [first, second] = [first, second].map(|run| run.statistics.reductions);
    // 903 and 707 if `abs` is called for each number of a fraction.
    assert!(second <= first, "{second} reductions at -O2, {first} at -O1");
}

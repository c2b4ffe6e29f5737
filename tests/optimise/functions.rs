//! Functions that functions make: what is written with combinators costs what it costs written out,
//! and is as lazy.

use std::fs;

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;
use gmachine_testing::project;

use super::common::{Run, run_optimised};

fn run(source: &str, level: u8) -> Run {
    let config = Config { fuel: Some(5_000_000), ..Config::default() };
    run_optimised(source, "", Format::Default, config, Passes::level(level))
}

/// Parsers of a list of characters, which come to a value and the rest, or to nothing.
macro_rules! parsers {
    () => {
        "(defn ret[x s] (Just (Pair x s)))
         (defn bind[p f s] (case (p s) [Nothing Nothing] [(Just (Pair x t)) (f x t)]))
         (defn orP[p q s] (case (p s) [Nothing (q s)] [(Just r) (Just r)]))
         (defn sat[f s] (case s [Nil Nothing] [(Cons c t) (if (f c) (Just (Pair c t)) Nothing)]))
         (defn digit[] (bind (sat isDigit) (fn [c] (ret (sub (ord c) 48)))))"
    };
}

/// What it is, with combinators, written out.
const PAIRS: &[(&str, &str, &str)] = &[
    (
        "constants that are partial applications",
        "(defn main[] (go 2000)) (defn incs[] (map (add 1))) (defn total[] (foldl' add 0))
         (defn go[n] (total (incs (range 1 n))))",
        "(defn main[] (go 2000)) (defn go[n] (foldl' add 0 (map (add 1) (range 1 n))))",
    ),
    (
        "a loop of actions of a state",
        "(defn main[] (snd (count 2000 0)))
         (defn ret[x s] (Pair x s)) (defn bind[m f s] (case (m s) [(Pair x t) (f x t)]))
         (defn tick[] (bind (fn [s] (Pair s s)) (fn [n] (fn [_] (Pair 0 (add n 1))))))
         (defn count[n] (if (eq n 0) (ret 0) (bind tick (fn [_] (count (sub n 1))))))",
        "(defn main[] (snd (count 2000 0)))
         (defn next[n s] (again n (add s 1))) (defn again[n s] (count (sub n 1) s))
         (defn count[n s] (if (eq n 0) (Pair 0 s) (next n s)))",
    ),
    (
        "a parser of a number",
        concat!(
            parsers!(),
            "(defn main[] (go (replicate 300 '7')))
         (defn go[s] (case (number s) [Nothing 0] [(Just (Pair n _)) (rem n 1000)]))
         (defn digits[n] (orP (bind digit (fn [d] (digits (add (mul 10 n) d)))) (ret n)))
         (defn number[] (bind digit digits))"
        ),
        "(defn main[] (go (replicate 300 '7')))
         (defn go[s] (case (number s) [Nothing 0] [(Just (Pair n _)) (rem n 1000)]))
         (defn digit[s] (case s [Nil Nothing]
           [(Cons c t) (if (isDigit c) (Just (Pair (sub (ord c) 48) t)) Nothing)]))
         (defn digits[n s] (case (more n s) [Nothing (Just (Pair n s))] [(Just r) (Just r)]))
         (defn more[n s] (case (digit s) [Nothing Nothing]
           [(Just (Pair d t)) (digits (add (mul 10 n) d) t)]))
         (defn number[s] (case (digit s) [Nothing Nothing] [(Just (Pair d t)) (digits d t)]))",
    ),
    (
        "two parsers that are made of each other",
        concat!(
            parsers!(),
            "(defn main[] (go (replicate 300 '7')))
         (defn go[s] (case (items s) [Nothing 0] [(Just (Pair xs _)) (rem (sum xs) 1000)]))
         (defn mapP[f p s] (case (p s) [Nothing Nothing] [(Just (Pair x t)) (Just (Pair (f x) t))]))
         (defn ap[p q s] (case (p s) [Nothing Nothing] [(Just (Pair f t)) (mapP f q t)]))
         (defn many[p] (orP (some p) (ret Nil))) (defn some[p] (ap (mapP Cons p) (many p)))
         (defn items[] (many digit))"
        ),
        "(defn main[] (go (replicate 300 '7')))
         (defn go[s] (case (items s) [Nothing 0] [(Just (Pair xs _)) (rem (sum xs) 1000)]))
         (defn digit[s] (case s [Nil Nothing]
           [(Cons c t) (if (isDigit c) (Just (Pair (sub (ord c) 48) t)) Nothing)]))
         (defn items[s] (case (some s) [Nothing (Just (Pair Nil s))] [(Just r) (Just r)]))
         (defn some[s] (case (digit s) [Nothing Nothing] [(Just (Pair d t)) (case (items t)
           [Nothing Nothing] [(Just (Pair ds u)) (Just (Pair (Cons d ds) u))])]))",
    ),
    (
        "records of functions that hold records",
        "(data Ord (Ord less eqs)) (data Eq (Eq same other))
         (defn eqInt[] (Eq eq neq)) (defn ordInt[] (Ord lt eqInt))
         (defn less[d] (case d [(Ord f _) f])) (defn eqs[d] (case d [(Ord _ e) e]))
         (defn same[e] (case e [(Eq f _) f]))
         (defn place[d x xs] (case xs [Nil 0] [(Cons y t) (if ((same (eqs d)) x y) 0
           (if ((less d) x y) 1 (add 1 (place d x t))))]))
         (defn main[] (go (range 1 500)))
         (defn go[xs] (place ordInt 499 (reverse (reverse xs))))",
        "(defn place[x xs] (case xs [Nil 0] [(Cons y t) (if (eq x y) 0
           (if (lt x y) 1 (add 1 (place x t))))]))
         (defn main[] (go (range 1 500)))
         (defn go[xs] (place 499 (reverse (reverse xs))))",
    ),
    (
        "what follows is a function",
        "(defn main[] (sumk (reverse (range 1 1000)) id))
         (defn sumk[xs] (case xs [Nil (fn [k] (k 0))]
           [(Cons x t) (fn [k] (sumk t (fn [s] (k (add x s)))))]))",
        "(defn main[] (sumk (reverse (range 1 1000)) id))
         (defn sumk[xs k] (case xs [Nil (k 0)] [(Cons x t) (sumk t (fn [s] (k (add x s))))]))",
    ),
];

#[test]
fn what_is_written_with_combinators_takes_no_more_than_written_out() {
    for (what, combined, plain) in PAIRS {
        let (combined, plain) = (run(combined, 2), run(plain, 2));
        assert_eq!(combined.failure, None, "{what}");
        assert_eq!(combined.output, plain.output, "{what}");
        let (all, few) = (combined.statistics.reductions, plain.statistics.reductions);
        assert!(all <= few + few / 50 + 10, "{what}: {all}, written out {few}");
    }
}

/// What it is, the program, what it prints at each level, or the code of its failure.
const LAZY: &[(&str, &str, &str)] = &[
    (
        "a function that fails to become one is told from one",
        "(defn main[] (seq (f 0) 1)) (defn f[x] (if (eq x 0) (error \"none\") (add 1)))",
        "G0501",
    ),
    (
        "a function is one without its arguments",
        "(defn main[] (seq (f 0) (seq k 1)))
         (defn f[x] (g (div 1 x))) (defn g[a b] (add a b)) (defn k[] (g (div 1 0)))",
        "1",
    ),
    (
        "what a partial application holds fails where it is needed",
        "(defn main[] (h (f 0))) (defn h[p] (if (eq (p 1) 3) (p 2) 0))
         (defn f[x] (g (div 1 x))) (defn g[a b] (if (eq b 1) 3 a))",
        "G0502",
    ),
    (
        "a record of records may hold itself",
        "(data D (D f d)) (defn main[] (add (go a 5) (go b 4)))
         (defn a[] (D (add 1) b)) (defn b[] (D (mul 2) a))
         (defn go[d n] (if (eq n 0) 0 (case d [(D f e) (f (go e (sub n 1)))])))",
        "13",
    ),
    (
        "what a turn may not need is not evaluated before it",
        "(defn go[n b] (if (eq n 0) 1 (go (sub n 1) (if (eq n 2) (error \"none\") (add b 1)))))
         (defn main[] (go (length [1 2 3 4 5]) 0))",
        "1",
    ),
    (
        "a constant is no function because another one is",
        "(defn main[] (seq a 1)) (defn a[] b) (defn b[] a)",
        "G0508",
    ),
];

#[test]
fn combinators_are_as_lazy_as_they_are_written() {
    for (what, source, expected) in LAZY {
        for level in [0, 1, 2] {
            let run = run(source, level);
            let found = match &run.failure {
                Some(failure) => failure.code.to_string(),
                None => run.output.trim().to_owned(),
            };
            assert_eq!(found, *expected, "{what}, at level {level}");
        }
    }
}

/// What it is, and a program in which work stands before a function that is applied many times.
const SHARED: &[(&str, &str)] = &[
    (
        "an argument of a partial application",
        "(defn main[] (sum (map (f 3) (range 1 50))))
         (defn f[n] (add (slow n))) (defn slow[n] (sum (range n 100)))",
    ),
    (
        "a let before a function",
        "(defn main[] (sum (map (f 3) (range 1 50))))
         (defn f[n] (let ([s (slow n)]) (fn [x] (add s x)))) (defn slow[n] (sum (range n 100)))",
    ),
    (
        "a constant that is a function",
        "(defn main[] (sum (map k (range 1 50))))
         (defn k[] (add (slow 3))) (defn slow[n] (sum (range n 100)))",
    ),
    (
        "a function that is stored and applied",
        "(defn main[] (let ([p (f 3 4)]) (add (p 1) (add (p 2) (p 3)))))
         (defn f[n m] (if (gt n 2) (add (slow n m)) (mul (slow n m))))
         (defn slow[n m] (sum (range n (mul m 100))))",
    ),
    (
        "a field of what a letrec binds",
        "(defn main[] (go 3))
         (defn go[n] (letrec ([r (Pair (slow n) (fn [x] (add (fst r) x)))])
           (add ((snd r) 1) ((snd r) (fst r)))))
         (defn slow[n] (sum (range n 100)))",
    ),
    (
        "lists that a letrec ties to each other",
        "(defn main[] (go 3))
         (defn go[n] (letrec ([xs (Cons (slow n) ys)] [ys (Cons 2 xs)])
           (add (sum (take 7 xs)) (head (tail ys)))))
         (defn slow[n] (sum (range n 100)))",
    ),
    (
        "two functions that are made of each other and of what takes long",
        "(defn main[] (sum (map (f 3) (range 1 50))))
         (defn choice[a b x] (if (lt x 9) (a x) (b (sub x 9))))
         (defn f[n] (choice (add (slow n)) (g n))) (defn g[n] (choice (mul (slow n)) (f n)))
         (defn slow[n] (sum (range n 100)))",
    ),
    (
        "a text that a constant holds",
        "(defn main[] (sum (map k (range 1 50))))
         (defn k[] (size \"a text of some length\"))
         (defn size[t n] (if (gt (length t) n) 1 0))",
    ),
];

#[test]
fn what_a_function_holds_is_evaluated_once() {
    for (what, source) in SHARED {
        let [plain, first, second] = [0, 1, 2].map(|level| run(source, level));
        assert_eq!((&plain.output, &first.output), (&second.output, &second.output), "{what}");
        let [plain, second] = [plain, second].map(|run| run.statistics.reductions);
        assert!(second <= plain, "{what}: {plain}, then {second}");
    }
}

/// The list that a function holds is too long for a pattern; the function is known all the same.
#[test]
fn a_function_that_holds_what_is_too_long_is_known() {
    let source = "(data C (C re im))
        (defn picture[f xs ys] (map (fn [y] (map (fn [x] (f (C x y))) xs)) ys))
        (defn dist[c z] (case c [(C a b) (case z [(C x y) (add (mul a x) (mul b y))])]))
        (defn steps[n] (map (fn [k] (rem (mul k k) n)) (range 1 300)))
        (defn line[xs] (append xs [0]))
        (defn main[i] (sum (concatMap line (append
          (picture (dist (C 1 2)) (steps 101) (range 1 (add 20 (length i))))
          (picture (dist (C 3 4)) (steps 103) (range 1 10))))))";
    let run = run(source, 2);
    assert_eq!(run.output, "915200\n");
    // 16,618 if it is not.
    assert!(run.statistics.reductions < 12_000, "{}", run.statistics.reductions);
}

/// The functions of a lens that is made of two are large, and known only beside what they are applied to.
#[test]
fn lenses_that_are_put_together_in_a_loop_are_seen_through() {
    let source = "(data Lens (Lens get set)) (data P (P x y)) (data W (W pos score))
        (defn view[l s] (case l [(Lens g _) (g s)]))
        (defn over[l f s] (case l [(Lens g p) (p (f (g s)) s)]))
        (defn dot[a b] (Lens (fn [s] (view b (view a s)))
          (fn [v s] (over a (fn [t] (case b [(Lens _ p) (p v t)])) s))))
        (defn pos[] (Lens (fn [w] (case w [(W p _) p])) (fn [p w] (case w [(W _ s) (W p s)]))))
        (defn score[] (Lens (fn [w] (case w [(W _ s) s])) (fn [s w] (case w [(W p _) (W p s)]))))
        (defn px[] (Lens (fn [p] (case p [(P x _) x])) (fn [x p] (case p [(P _ y) (P x y)]))))
        (defn py[] (Lens (fn [p] (case p [(P _ y) y])) (fn [y p] (case p [(P x _) (P x y)]))))
        (defn step[n w] (over score (add (view (dot pos px) w))
          (over (dot pos py) (add 2) (over (dot pos px) (fn [x] (rem (add x n) 101)) w))))
        (defn run[n w] (if (eq n 0) w (run (sub n 1) (step n w))))
        (defn main[i] (case (run (add 2000 (length i)) (W (P 1 2) 0)) [(W (P x y) s) (add x (add y s))]))";
    let run = run(source, 2);
    assert_eq!(run.output, "113926\n");
    // The fast machine took nine times as many (17,992) before they were.
    assert!(run.statistics.reductions < 8_000, "{}", run.statistics.reductions);
}

/// Each element filters what follows, so what is consumed grows, and is a parameter: but for the last of the
/// filters, which is there when all have been told apart.
#[test]
fn a_list_that_filters_itself_is_filtered_by_who_consumes_it() {
    let source =
        "(defn unique[xs] (case xs [Nil Nil] [(Cons x t) (Cons x (unique (filter (neq x) t)))]))
        (defn main[] (sum (unique (map (fn [k] (rem k 60)) (range 1 600)))))";
    let run = run(source, 2);
    assert_eq!(run.output, "1770\n");
    // 18,951 with a list between.
    assert!(run.statistics.reductions < 18_500, "{}", run.statistics.reductions);
}

/// What draws a picture is given the functions that make it, and partial evaluation knows them once it has been
/// put beside what takes the rows together: the second time.
#[test]
fn functions_are_known_beside_what_is_fused_later() {
    let source = "(data C (C re im))
        (defn norm[k z] (case z [(C a b) (add k (add (mul a a) (mul b b)))]))
        (defn size[k z] (case z [(C a b) (if (gt a b) (sub a k) b)]))
        (defn steps[a b n] (map (fn [i] (add a (mul (sub b a) i))) (range 0 (sub n 1))))
        (defn picture[f xs ys] (map (fn [y] (map (fn [x] (f (C x y))) xs)) ys))
        (defn main[] (length (unlines (append
          (picture (compose (fn [n] (add 65 (rem n 7))) (norm 3)) (steps 1 2 50) (steps 2 3 20))
          (picture (size 2) (steps 1 3 50) (steps 2 4 15))))))";
    let run = run(source, 2);
    assert_eq!(run.output, "1785\n");
    // 3,912 if they are parameters there.
    assert!(run.statistics.reductions < 2_500, "{}", run.statistics.reductions);
}

#[test]
fn what_takes_a_known_choice_apart_is_unfolded_at_the_end_of_a_body() {
    let path = project().join("benches/styles/dlist-flatten.styled.core");
    let source = fs::read_to_string(path).expect("the program");
    let reductions = run(&source, 2).statistics.reductions;
    // 9,673 if the choice is built.
    assert!(reductions < 9_200, "{reductions} reductions");
}

/// A constant that a letrec ties to itself, and one that holds such a function.
#[test]
fn parsers_that_a_letrec_ties_to_each_other_are_known() {
    let chain = "
        (defn main[] (go (intersperse '+' (replicate 300 '7'))))
        (defn go[s] (case (total s) [Nothing 0] [(Just (Pair n _)) (rem n 1000)]))
        (defn chain[p o f] (letrec ([all (bind p rest)] [rest (fn [x]
          (orP (bind o (fn [_] (bind all (fn [y] (ret (f x y)))))) (ret x)))]) LAST))
        (defn total[] (chain digit (sat (eq '+')) add))";
    for last in ["all", "(bind all ret)"] {
        let run = run(&format!("{} {}", parsers!(), chain.replace("LAST", last)), 2);
        assert_eq!(run.output, "100\n", "{last}");
        // 6,001 if they are not.
        assert!(run.statistics.reductions < 2_000, "{last}: {}", run.statistics.reductions);
    }
}

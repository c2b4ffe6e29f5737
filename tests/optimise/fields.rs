//! A field is taken for the constant that it is made with only where nothing else is, and then what is called
//! through it costs what it costs written out.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;

use super::common::{Run, run_optimised};

fn run(source: &str, level: u8) -> Run {
    let config = Config { fuel: Some(5_000_000), ..Config::default() };
    run_optimised(source, "abc", Format::Default, config, Passes::level(level))
}

/// Tables with their comparison, which a loop makes, a list holds, and another loop looks things up in.
fn tables(same: &str, made: &str, find: &str) -> String {
    format!(
        "{same}
         (defn pairs[n] (if (eq n 0) Nil (Cons (Pair n (mul n n)) (pairs (sub n 1)))))
         (defn all[n] (if (eq n 0) Nil (Cons {made} (all (sub n 1)))))
         {find}
         (defn go[i n ts] (if (eq n 0) 0
           (add (sum (map (find (rem n 9)) ts)) (go i (sub n 1) (if (eq n i) Nil ts)))))
         (defn main[i] (go (length i) 50 (all 12)))"
    )
}

#[test]
fn a_comparison_that_all_tables_have_costs_what_it_costs_written_out() {
    let field = tables(
        "(data Table (Table same pairs))",
        "(Table SAME (pairs n))",
        "(defn find[k t] (case t [(Table same ps) (among same k ps)]))
         (defn among[same k ps] (case ps [Nil 0]
           [(Cons (Pair a b) r) (if (same a k) b (among same k r))]))",
    );
    let written = tables(
        "(data Table (Table pairs))",
        "(Table (pairs n))",
        "(defn find[k t] (case t [(Table ps) (among k ps)]))
         (defn among[k ps] (case ps [Nil 0]
           [(Cons (Pair a b) r) (if (SAME a k) b (among k r))]))",
    );
    for (same, by_hand) in [
        ("eq", "eq"),
        ("(fn [a b] (eq (rem a 7) (rem b 7)))", "(fn [a b] (eq (rem a 7) (rem b 7)))"),
        // A function that has been given something.
        ("(modulo 7)", "modulo 7"),
    ] {
        let modulo = "(defn modulo[m a b] (eq (rem a m) (rem b m)))";
        let [field, written] = [(&field, same), (&written, by_hand)]
            .map(|(source, same)| run(&format!("{modulo} {}", source.replace("SAME", same)), 2));
        assert_eq!(field.output, written.output, "{same}");
        let [taken, hand] = [&field, &written].map(|run| run.statistics.reductions);
        assert!(taken <= hand + hand / 20, "{same}: {taken}, written out {hand}");
    }
}

#[test]
fn a_map_with_one_comparison_in_the_program_compares_by_it() {
    let source = "(import map) (defn ins[m k] (mapInsert (rem (mul k 7919) 1009) k m))
        (defn main[i] (let ([m (foldl' ins mapEmpty (range 1 (mul 100 (length i))))])
          (sum (map (fn [k] (mapFindWithDefault 0 k m)) (range 1 400)))))";
    let [none, all] = [1, 2].map(|level| run(source, level));
    assert_eq!(none.output, all.output);
    // A comparison that is not known is a call, and another one to compare.
    let [none, all] = [none, all].map(|run| run.statistics.reductions);
    assert!(all < none * 2 / 3, "{all}, at -O1 {none}");
}

/// Each program prints what stands beside it, at every level.
fn must_print(cases: &[(&str, &str, &str)]) {
    for (what, source, printed) in cases {
        for level in 0..=2 {
            let run = run(source, level);
            assert_eq!((run.failure, run.output.trim_end()), (None, *printed), "{what}, -O{level}");
        }
    }
}

/// What else comes to a field, the programs, and what they print for "abc".
const SAME: &[(&str, &str, &str)] = &[
    (
        "two constants",
        "(data Step (Step f x)) (defn apply[s] (case s [(Step f x) (f x)]))
         (defn main[i] (map apply [(Step (add 1) (length i)) (Step (mul 2) 5)]))",
        "4 10 Nil",
    ),
    (
        "a constructor that is a function",
        "(data Step (Step f x)) (defn apply[s] (case s [(Step f x) (f x)]))
         (defn main[i] (map apply (Cons (Step (add 1) (length i)) (zipWith Step [(mul 2) negate] [5 6]))))",
        "4 10 -6 Nil",
    ),
    (
        "a constructor that lacks arguments",
        "(data Step (Step f x)) (defn apply[s] (case s [(Step f x) (f x)]))
         (defn main[i] (map apply (Cons (Step (add 1) (length i)) (map (Step (mul 2)) [5 6]))))",
        "4 10 12 Nil",
    ),
    (
        "what a call comes to",
        "(data Step (Step f x)) (defn apply[s] (case s [(Step f x) (f x)]))
         (defn chosen[n] (if (gt n 2) (mul 2) (add 1)))
         (defn main[i] (map apply [(Step (chosen (length i)) 5) (Step (mul 2) 6) (Step (chosen 1) 5)]))",
        "10 12 6 Nil",
    ),
    (
        "a field of the same constructor, with another one put in",
        "(data Step (Step f x)) (defn apply[s] (case s [(Step f x) (f x)]))
         (defn next[s] (case s [(Step f x) (Step (compose f f) x)])) (defn same[s] (case s [(Step f x) (Step f x)]))
         (defn main[i] (let ([s (Step (add 1) (length i))]) (map apply [s (same s) (next (same s)) (next (next s))])))",
        "4 4 5 7 Nil",
    ),
    (
        "numbers that are the same, and one that is not",
        "(data Box (Box w h)) (defn area[b] (case b [(Box w h) (mul w h)]))
         (defn main[i] (map area [(Box 3 (length i)) (Box 3 4) (Box (length (tail i)) 5)]))",
        "9 12 10 Nil",
    ),
    (
        "what a jump brings",
        "(data Step (Step f x)) (defn apply[s] (case s [(Step f x) (f x)]))
         (defn picked[n] (case (case n [3 (Pair (mul 2) 5)] [2 (Pair negate 6)] [_ (Pair (add 1) n)])
           [(Pair f x) (Step f x)]))
         (defn main[i] (map (compose apply picked) [(length i) 2 1]))",
        "10 -6 2 Nil",
    ),
    (
        "what is put in by a selector, and taken out by one",
        "(data Step (Step f x)) (defn f[s] (case s [(Step f _) f])) (defn x[s] (case s [(Step _ x) x]))
         (defn swap[s t] (Step (f s) (x t)))
         (defn main[i] (let ([s (Step (add 1) 2)] [t (Step (mul 5) (length i))])
           (map (fn [s] (f s (x s))) [(swap s t) (swap t s)])))",
        "4 10 Nil",
    ),
];

#[test]
fn a_field_is_a_constant_only_if_it_is_made_with_nothing_else() {
    must_print(SAME);
}

/// Programs with tables of two kinds in one structure or function, what they print for "abc".
const KINDS: &[(&str, &str, &str)] = &[
    (
        "a function that is called with both kinds",
        "(data Table (Table same pairs)) (defn empty[same] (Table same Nil))
         (defn put[k v t] (case t [(Table same ps) (Table same (Cons (Pair k v) ps))]))
         (defn find[k t] (case t [(Table same ps) (go same k ps)]))
         (defn go[same k ps] (case ps [Nil 0] [(Cons (Pair a b) r) (if (same a k) b (go same k r))]))
         (defn main[i] (let ([t (put 1 10 (put 2 20 (empty eq)))] [u (put \"ab\" 1 (put i 2 (empty eqString)))])
           [(find 2 t) (find \"abc\" u) (find \"x\" u)]))",
        "20 2 0 Nil",
    ),
    (
        "both kinds in one list",
        "(data Table (Table same pairs)) (defn empty[same] (Table same Nil))
         (defn put[k v t] (case t [(Table same ps) (Table same (Cons (Pair k v) ps))]))
         (defn find[k t] (case t [(Table same ps) (go same k ps)]))
         (defn go[same k ps] (case ps [Nil 0] [(Cons (Pair a b) r) (if (same a k) b (go same k r))]))
         (defn parity[a b] (eq (rem a 2) (rem b 2)))
         (defn main[i] (map (find 4) (map (put (length i) 9) (map (put 4 5) [(empty eq) (empty parity) (empty lt)]))))",
        "5 5 9 Nil",
    ),
    (
        "a visitor that comes to another one, in a recursion with both",
        "(data Visitor (Visitor leaf both))
         (defn leaf[n v] (case v [(Visitor f _) (f n)]))
         (defn both[a b v] (case v [(Visitor _ g) (g (a v) (b v))]))
         (defn twice[k] (Visitor (compose leaf (mul k)) both))
         (defn total[] (Visitor id add)) (defn most[] (Visitor id max)) (defn count[] (Visitor (const 1) add))
         (defn picture[n s] (if (eq n 0) (leaf (rem s 9))
           (both (picture (sub n 1) (rem (add (mul s 5) 3) 97)) (picture (sub n 1) (add s 1) (twice 2)))))
         (defn main[i] (map (picture 4 (length i)) [total most count]))",
        "394 112 16 Nil",
    ),
    (
        "what is passed through an array and an action",
        "(data Step (Step f x)) (defn apply[s] (case s [(Step f x) (f x)]))
         (defn main[] (let ([a (arrayFromList [(Step (add 1) 2) (Step (mul 5) 3)])])
           (bind (return (Step negate 4)) (fn [s] (putText (showInt (sum
             [(apply s) (apply (arrayIndex a 0)) (apply (arrayIndex a 1))])))))))",
        "14",
    ),
    (
        "what is given to a function of another one",
        "(data Step (Step f x)) (defn apply[s] (case s [(Step f x) (f x)]))
         (defn with[k s] (k (case s [(Step f x) (Step f (add x 1))]))) (defn both[k] [(with k (Step (add 1) 2)) (with k (Step (mul 3) 4))])
         (defn main[i] (concat [(both apply) (both (fn [s] (case s [(Step f x) (f (f x))]))) [(with apply (Step negate (length i)))]]))",
        "4 15 5 45 -4 Nil",
    ),
    (
        "what an unknown function comes to that is given too little",
        "(data Step (Step f x)) (defn apply[s] (case s [(Step f x) (f x)]))
         (defn give[f x y] (Step (f x) y))
         (defn main[i] (map apply [(give add (length i) 1) (give mul 5 6) (Step negate 4)]))",
        "4 30 -4 Nil",
    ),
    (
        "a chain of functions of functions, of which the last is given another kind",
        "(data Step (Step f x)) (defn apply[s] (case s [(Step f x) (f x)]))
         (defn deep[n k] (if (eq n 0) k (deep (sub n 1) (fn [s] (k (case s [(Step f x) (Step f (add x n))])))))) 
         (defn main[i] [(deep 3 apply (Step (add 1) 0)) (deep (length i) apply (Step (mul 2) 1)) (deep 0 apply (Step negate 7))])",
        "7 14 -7 Nil",
    ),
];

#[test]
fn a_field_is_known_in_a_context_only_if_that_has_no_other() {
    must_print(KINDS);
}

#[test]
fn maps_of_two_kinds_cost_what_each_costs_alone() {
    let numbers = "(defn number[m k] (mapInsertWith add (rem (mul k 7919) 1009) k m))
        (defn numbers[i] (let ([m (foldl' number mapEmpty (range 1 (mul 100 (length i))))])
          (sum (map (fn [k] (mapFindWithDefault 0 k m)) (range 1 400)))))";
    let texts = "(defn text[m k] (mapInsertWith add (showInt (rem (mul k 31) 89)) k m))
        (defn texts[i] (let ([m (foldl' text (mapEmptyBy compareString) (range 1 (mul 100 (length i))))])
          (sum (map (fn [k] (mapFindWithDefault 0 (showInt k) m)) (range 1 100)))))";
    let reductions = |main: &str| {
        let source = format!("(import map) {numbers} {texts} (defn main[i] {main})");
        let run = run(&source, 2);
        assert_eq!(run.failure, None, "{main}");
        run.statistics.reductions
    };
    let alone = reductions("(numbers i)") + reductions("(texts i)");
    let both = reductions("[(numbers i) (texts i)]");
    assert!(both <= alone + alone / 20, "{both}, each by itself {alone}");
}

/// A recursion takes the function out of its record in each turn.
#[test]
fn loops_over_records_of_two_kinds_cost_what_each_costs_alone() {
    let source = |main: &str| {
        format!(
            "(data Op (Op f n)) (defn plus[a b] (rem (add (mul 3 a) b) 1009)) (defn times[a b] (rem (mul (add a 1) b) 997))
             (defn go[n o s] (if (eq n 0) s (go (sub n 1) o (case o [(Op f m) (f s (add m n))]))))
             (defn all[f n] (if (eq n 0) Nil (Cons (Op f n) (all f (sub n 1)))))
             (defn each[k os] (if (eq k 0) (length os) (add (sum (map (fn [o] (go k o 1)) os)) (each (sub k 1) os))))
             (defn pluses[i] (each (mul 9 (length i)) (all plus (length i))))
             (defn products[i] (each (mul 9 (length i)) (all times (length i))))
             (defn main[i] {main})"
        )
    };
    let reductions = |main: &str| run(&source(main), 2).statistics.reductions;
    let alone = reductions("(pluses i)") + reductions("(products i)");
    let both = reductions("[(pluses i) (products i)]");
    assert!(both <= alone + alone / 20, "{both}, each by itself {alone}");
}

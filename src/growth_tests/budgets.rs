//! Programs that exploded in the optimiser once, each with the budget or the rule that bounds it now.

use std::fs;
use std::path::Path;

use gmachine_testing::growth::{self, Growth};

use super::{chain, cost, nest, work};
use crate::optimise::Passes;

#[test]
fn what_calls_a_function_twice_again_and_again_is_not_written_out() {
    let programs = [
        // A local function is unfolded for what is known of each of its arguments.
        nest(
            36,
            "(case (let ([f (fn [x] (case ",
            "(i k)",
            " [(Pair a b) (add a x)]))]) (Pair (f 3) (f k))) [(Pair a b) (Pair (add a b) a)])",
        ),
        // Each function is mentioned once, and small, but for one that is mentioned twice.
        nest(
            16,
            "(S (K succ) (let ([f (fn [x] (case (let ([f ",
            "(add k)",
            "]) (Pair (f 3) (f k))) [(Pair a b) (add a x)]))]) (fn [x] (f (f x)))))",
        ),
        // Functions of functions, in each other.
        nest(16, "(twice (compose succ ", "(add k)", "))"),
        nest(23, "(fn [x] (add x ((twice ", "(add k)", ") 3)))"),
    ];
    let mut wrong = Vec::new();
    for nest in programs {
        let program = format!("(defn main[i] (go (length i) i))(defn go[k i] ({nest} k))");
        let [plain, first, second] = [0, 1, 2].map(|level| cost(&program, Passes::level(level)).1);
        if first > 3 * plain + 500 || second > first {
            wrong.push(format!("{plain} instructions, {first}, {second}: {program}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Wrappers of which each has what follows an element in both of its branches, used for more than one
/// element: definitions, a wrapper around a middle, the middle, what is done with the nest.
const WRAPPERS: &[(&str, &str, &str, &str)] = &[
    (
        "(defn w[n c x r] (if (gt x n) (c x r) r))",
        "(w # ",
        "add",
        "(let ([c !]) (c k (c (mul k k) 1)))",
    ),
    ("(defn w[n c r x] (if (gt x n) (c r x) r))", "(w # ", "add", "(let ([t !]) (t (t 0 1) k))"),
    (
        "(defn w[n g s] (g (fn [x st] (if (gt x n) (s x st) st))))
         (defn run[xs s st] (foldr s st xs))",
        "(w # ",
        "(run [1 k 3])",
        "(! add 0)",
    ),
    // Lists as their folds.
    (
        "(defn nl[c n] n)(defn cs[x l c n] (c x (l c n)))
         (defn fl[m l c n] (l (fn [x r] (if (neq m x) (c x r) r)) n))
         (defn w[m l] (cs m (fl m l)))",
        "(w # ",
        "nl",
        "(! add 0)",
    ),
    (
        "(defn w[m l c n] (l (fn [x r] (if (gt x m) (c (add x 1) r) r)) n))
         (defn cs[x l c n] (c x (l c n)))(defn nl[c n] n)",
        "(w # ",
        "(cs k (cs 2 (cs 3 nl)))",
        "(! Cons Nil)",
    ),
];

#[test]
fn nobody_goes_along_a_list_without_an_end() {
    let sift = "(defn sift[xs] (case xs [(Cons p rest) (filter (fn [x] (neq (rem x p) 0)) rest)]))";
    let pairs =
        "(defn these[n] (Cons n (those (add n 2)))) (defn those[n] (Cons 0 (these (mul n 3))))";
    let lists = [
        ("made by one function", "", "LIST", "(from 2)"),
        ("made by two functions", pairs, "(tail LIST)", "(these 2)"),
        (
            "gone along",
            "",
            "(scanl add 0 (map (mul 3) (filter (lt 5) LIST)))",
            "(iterate (mul 2) 1)",
        ),
        (
            "gone along in a loop",
            "(defn go[k xs]
               (case xs [(Cons p rest) (if (eq (rem p k) 1) p (go (add k 1) rest))]))",
            "[(go n (map (mul 3) (map (add 1) (map (mul 7) LIST))))]",
            "(from 2)",
        ),
        ("of lists", sift, "(map head (iterate sift LIST))", "(from 2)"),
    ];
    let passes = Passes::level(2);
    let mut wrong = Vec::new();
    for (name, definitions, list, source) in lists {
        let work = |source| {
            let list = list.replace("LIST", source);
            work(&format!("{definitions} (defn main[n] (nth n {list}))"), passes)
        };
        let (endless, ending) = (work(source), work("(range 2 n)"));
        if endless * 2 > ending * 3 {
            wrong.push(format!("{name}: {endless} accesses, {ending} for one that ends"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_loop_that_counts_far_takes_few_more_steps_than_one_to_an_unknown_end() {
    let loops = [
        (
            "up",
            "(defn go[i n acc] (if (gt i n) acc (go (add i 1) n (add acc (mul i i)))))",
            "(go 1 N 0)",
        ),
        ("down", "(defn go[n] (if (eq n 0) 0 (add n (go (sub n 1)))))", "(go N)"),
        (
            "by thousands",
            "(defn go[i n] (if (ge i n) i (go (add i 1000) n)))",
            "(go 0 (mul 1000 N))",
        ),
        ("of a range", "", "(sum (map (fn [x] (mul x x)) (range 1 N)))"),
        ("to an element", "", "(nth N (iterate (fn [x] (rem (mul x 7) 11)) 3))"),
        (
            "of pairs",
            "(defn go[p n] (case p [(Pair a b) (if (eq n 0) a (go (Pair b (rem (add a b) 97)) (sub n 1)))]))",
            "(go (Pair 0 1) N)",
        ),
    ];
    let passes = Passes::level(2);
    let mut wrong = Vec::new();
    for (name, definitions, call) in loops {
        let known =
            work(&format!("{definitions} (defn main[] {})", call.replace('N', "1000000")), passes);
        let unknown =
            work(&format!("{definitions} (defn main[n] {})", call.replace('N', "n")), passes);
        if known > 3 * unknown {
            wrong.push(format!("{name}: {unknown} accesses, {known} with a number"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_of_a_nest_are_not_looked_for_again_in_each_turn() {
    let nest = nest(60, "(go ", "(add i 1)", " n)");
    let program = |end| {
        format!("(defn go[i n] (if (gt i n) Nil (Cons i {nest}))) (defn main[n] (go 1 {end}))")
    };
    let [unknown, known] = ["n", "1000000"].map(|end| work(&program(end), Passes::level(2)));
    assert!(known <= 12 * unknown, "{unknown} accesses, {known} with a number");
}

/// A loop that hands on what it does next, with `n` calls of itself in each other for one argument, called with one
/// argument more than it has parameters.
fn loop_of_calls_in_each_other(n: usize) -> String {
    let open = "(let ([m (div (add a b) 2)]) (walk a (sub ";
    let close = " 1) acc (fn [x] (walk (add m 1) b (rem (add (mul x 3) m) 10007) k))))";
    format!(
        "(defn walk[a b acc k] (if (gt a b) (k acc) {}))
        (defn main[i] (walk 1 1 (add 2500 (length i)) 0 id))",
        nest(n, open, "m", close),
    )
}

#[test]
fn what_is_written_in_the_place_that_uses_it_is_not_bound_as_well() {
    let [few, many] = [18, 36].map(|n| work(&loop_of_calls_in_each_other(n), Passes::level(2)));
    assert!(many <= 3 * few, "{few} accesses, {many} for twice as much");
}

#[test]
fn variants_are_calls_of_the_function_where_too_much_is_written_already() {
    let program = loop_of_calls_in_each_other(35);
    let [plain, both] = [0, 2].map(|level| cost(&program, Passes::level(level)).1);
    assert!(both <= 16 * plain, "{plain} instructions, then {both}");
}

#[test]
fn variants_outside_of_loops_are_calls_of_the_function_sooner() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/ordinary/elevator.core");
    let program = fs::read_to_string(path).expect("a program");
    let [plain, code] = [0, 2].map(|level| cost(&program, Passes::level(level)).1);
    // 19 tenths if they are written as long as those in loops are.
    assert!(code * 10 <= plain * 18, "{code} instructions, {plain} at -O0");
}

#[test]
fn patterns_are_small_where_no_variant_is_made_any_more() {
    let nest = nest(220, "(binary ", "(binary '*')", ")");
    let program = format!(
        "(defn bind[p f s] (case (p s) [(Nothing) Nothing] [(Just (Pair x t)) (f x t)]))
        (defn pure[x s] (Just (Pair x s)))
        (defn satisfy[f s] (case s
          [(Nil) Nothing]
          [(Cons c t) (if (f c) (Just (Pair c t)) Nothing)]))
        (defn skip[p q] (bind p (fn [x] (bind q (fn [_] (pure x))))))
        (defn alt[p q s] (case (p s) [(Nothing) (q s)] [r r]))
        (defn some[p] (bind p (fn [x] (bind (many p) (fn [xs] (pure (Cons x xs)))))))
        (defn many[p] (alt (some p) (pure Nil)))
        (defn symbol[c] (skip (satisfy (eq c)) (many (satisfy isSpace))))
        (defn binary[c] (bind (symbol c) (fn [_] (pure (Pair c)))))
        (defn main[i] (alt {nest} (binary '/') i))"
    );
    let accesses = work(&program, Passes::level(2));
    assert!(accesses <= 45_000_000, "{accesses} accesses");
}

#[test]
fn small_patterns_are_paid_for_as_large_ones_are() {
    let order = "BABBCCAACBACBBBBABBCACAABACCAAACCBCABABBBCBBBCBAAACBCBBCABACAACABAABABCBBBACA";
    let pieces = |which: char| match which {
        'A' => ("(root ", " root)"),
        'B' => ("(go go x ", ")"),
        _ => ("(let ([y (div (add x (div n x)) 2)]) (if ", " x (root n y)))"),
    };
    let opened: String = order.chars().map(|which| pieces(which).0).collect();
    let closed: String = order.chars().rev().map(|which| pieces(which).1).collect();
    let program = format!(
        "(defn main[i] (go 1 (add 700 (length i)) 0 0))
        (defn go[k n roots all] (if (gt k n) (add roots (mul 10000 all))
          (let ([r (add roots (root k k))] [c (add all (collapse (mul k k)))])
            (seq r (seq c (go (add k 1) n r c))))))
        (defn root[n x] {opened}x{closed})
        (defn collapse[n] (let ([m (digits n 0)]) (if (eq n m) n (collapse m))))
        (defn digits[n s] (if (eq n 0) s
          (let ([t (add s (rem n 10))]) (seq t (digits (div n 10) t)))))"
    );
    let accesses = work(&program, Passes::level(2));
    assert!(accesses <= 30_000_000, "{accesses} accesses");
}

#[test]
fn what_each_exit_needs_is_not_written_at_each_exit() {
    let mut wrong = Vec::new();
    for (definitions, open, middle, used) in WRAPPERS {
        for n in [25, 50, 100, 200] {
            let nest = chain(n, |at| open.replace('#', &at.to_string()), middle, ")");
            let used = used.replace('!', &nest);
            let program = format!("{definitions}(defn main[i] (go (length i)))(defn go[k] {used})");
            let [plain, first, second] =
                [0, 1, 2].map(|level| cost(&program, Passes::level(level)).1);
            if first.max(second) > 6 * plain + 2_000 {
                wrong.push(format!("{open} {n}: {plain} instructions, {first}, {second}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_chain_of_continuations_is_written_once_for_all_exits() {
    let is_one =
        |family: &Growth| ["continuations", "functions of what follows"].contains(&&*family.name);
    let families: Vec<Growth> = growth::all().filter(is_one).collect();
    assert_eq!(families.len(), 2);
    let mut wrong = Vec::new();
    for family in families {
        let program = family.program(family.repetitions(8192));
        let [plain, first, second] = [0, 1, 2].map(|level| cost(&program, Passes::level(level)).1);
        if first.max(second) > plain + plain / 4 {
            wrong.push(format!("{}: {plain} instructions, {first}, {second}", family.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

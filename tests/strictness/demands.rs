//! Demands on data: on the cells and elements of lists, on fields.

use gmachine::optimise::Report;
use gmachine::optimise::strictness::{Budget, listing, strictness, within};

use super::{analysed, lifted, read};

/// Checks lines of the listing.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let names = expected.iter().map(|line| line.split(':').next().unwrap_or_default());
    let mentioned: Vec<&str> = names.filter(|name| !name.contains('$')).collect();
    let text = format!("{text}\n(defn main[] [{}])", mentioned.join(" "));
    let (program, names) = analysed(&text);
    let listing = listing(&program, &names);
    for line in expected {
        assert!(listing.lines().any(|found| found == *line), "{line}\n{listing}");
    }
}

const LISTS: &str = "
    (defn sum[l] (case l [Nil 0] [(Cons x xs) (add x (sum xs))]))
    (defn sum-acc[l a] (case l [Nil a] [(Cons x xs) (sum-acc xs (add x a))]))
    (defn length[l] (case l [Nil 0] [(Cons x xs) (add 1 (length xs))]))
    (defn take[n l]
      (case l [Nil Nil] [(Cons x xs) (if (le n 0) Nil (Cons x (take (sub n 1) xs)))]))
    (defn before0[l]
      (case l [Nil Nil] [(Cons x xs) (if (eq x 0) Nil (Cons x (before0 xs)))]))
    (defn append[xs ys] (case xs [Nil ys] [(Cons z zs) (Cons z (append zs ys))]))
    (defn rev[l a] (case l [Nil a] [(Cons x xs) (rev xs (Cons x a))]))
    (defn map[f l] (case l [Nil Nil] [(Cons x xs) (Cons (f x) (map f xs))]))
    (defn filter[p l]
      (case l [Nil Nil] [(Cons x xs) (if (p x) (Cons x (filter p xs)) (filter p xs))]))
    (defn foldl[f z l] (case l [Nil z] [(Cons x xs) (foldl f (f z x) xs)]))
    (defn foldr[f z l] (case l [Nil z] [(Cons x xs) (f x (foldr f z xs))]))
    (defn all[l] (case l [Nil 1] [(Cons x xs) (if x (all xs) 0)]))
    (defn last[l] (case l [(Cons x Nil) x] [(Cons _ xs) (last xs)]))
    (defn nth[n l] (case l [(Cons x xs) (if (eq n 0) x (nth (sub n 1) xs))]))
    (defn pairs[l] (case l [(Cons x (Cons y r)) (Cons (add x y) (pairs r))] [_ Nil]))";

#[test]
fn the_four_demands_on_lists() {
    check(
        LISTS,
        &[
            "sum: l fully strict",
            "sum-acc: l fully strict, a strict",
            "length: l tail-strict",
            "take: n lazy, l strict",
            "before0: l head-strict",
            "append: xs strict, ys lazy",
            "rev: l tail-strict, a lazy",
            "map: f lazy, l strict",
            "filter: p lazy, l strict",
            "foldl: f lazy, z lazy, l tail-strict",
            "foldr: f lazy, z lazy, l strict",
            "all: l head-strict",
            "last: l tail-strict",
            "nth: n strict, l strict",
        ],
    );
}

#[test]
fn what_is_wanted_of_a_result_tells_what_is_wanted_of_the_arguments() {
    check(
        &format!(
            "{LISTS}
             (defn a[xs ys] (length (append xs ys))) (defn b[xs ys] (sum (append xs ys)))
             (defn c[f l] (sum (map f l))) (defn d[l] (before0 (append l l)))
             (defn e[l] (all (append l [1]))) (defn g[p l] (length (filter p l)))
             (defn h[xs] (sum (rev xs Nil))) (defn i[n l] (sum (take n l)))
             (defn j[xs] (sum (Cons 1 xs))) (defn k[x xs] (all (Cons x xs)))
             (defn k'[x y] x) (defn o[f x] (sum (k' f x 1)))
             (defn m[l] (sum (before0 l))) (defn n[x] (sum (Cons x (error \"no list\"))))"
        ),
        &[
            "a: xs tail-strict, ys tail-strict",
            "b: xs fully strict, ys fully strict",
            "c: f lazy, l tail-strict",
            "d: l head-strict",
            "e: l head-strict",
            "g: p lazy, l tail-strict",
            "h: xs fully strict",
            "i: n lazy, l strict",
            "j: xs fully strict",
            "k: x strict, xs lazy",
            "m: l head-strict",
            "o: f strict, x lazy",
            "n: x lazy; always fails",
        ],
    );
}

#[test]
fn two_uses_of_a_list_reach_different_cells() {
    check(
        &format!(
            "{LISTS}
             (defn a[l] (div (sum l) (length l))) (defn b[l] (add (all l) (length l)))
             (defn c[l] (add (all l) (all l))) (defn d[l] (Pair (sum l) (length l)))
             (defn e[l] (seq (sum l) [(nth 1 l)])) (defn f[l] (seq (all l) [(nth 1 l)]))
             (defn g[c l] (if c (sum l) (length l))) (defn h[c l] (if c (all l) 1))
             (defn i[c l] (if c (sum l) (all l)))"
        ),
        &[
            "a: l fully strict",
            "b: l tail-strict",
            "c: l head-strict",
            "d: l lazy",
            "e: l fully strict",
            "f: l strict",
            "g: c strict, l tail-strict",
            "h: c strict, l lazy",
            "i: c strict, l head-strict",
        ],
    );
}

#[test]
fn fields_of_data_with_one_constructor() {
    check(
        "(data Three (Three a b c)) (data Wrap (Wrap it)) (data Two (One x) (Other y))
         (defn a[p] (case p [(Pair x y) (add x y)])) (defn b[p] (case p [(Pair x _) x]))
         (defn c[p] (case p [(Pair x y) (Cons x y)]))
         (defn d[p] (case p [(Three x y z) (if x (add y z) (add x y))]))
         (defn e[w] (case w [(Wrap x) (add x 1)])) (defn f[w] (add (e w) (e w)))
         (defn g[p] (add (b p) (case p [(Pair _ y) y]))) (defn h[p] (seq (b p) [(a p)]))
         (defn i[p c] (if c (b p) (a p))) (defn j[t] (case t [(One x) x] [(Other y) y]))
         (defn k[n p] (if (eq n 0) (a p) (k (sub n 1) p)))
         (defn l[p] (case p [(Pair q _) (a q)]))
         (defn m[n p] (case p [(Pair x y) (if (eq n 0) x (m (sub n 1) (Pair y x)))]))",
        &[
            "a: p strict (Pair ! !)",
            "b: p strict (Pair ! _)",
            "c: p strict",
            "d: p strict (Three ! ! _)",
            "e: w strict (Wrap !)",
            "f: w strict (Wrap !)",
            "g: p strict (Pair ! !)",
            "h: p strict (Pair ! _)",
            "i: p strict (Pair ! _), c strict",
            "j: t strict",
            "k: n strict, p strict (Pair ! !)",
            "l: p strict (Pair ! _)",
            "m: n strict, p strict",
        ],
    );
}

#[test]
fn what_is_used_later_says_nothing_of_now() {
    check(
        &format!(
            "{LISTS}
             (defn a[l] (case l [Nil 0] [(Cons x _) (seq (Just (sum l)) 1)]))
             (defn b[l y] (letrec ([z (add (sum l) y)]) (Cons z Nil)))
             (defn c[l] (let ([t (sum l)]) (Pair t (length l))))
             (defn i[l] (letrec ([z (seq l (Cons 1 z))]) (Cons z Nil)))
             (defn j[c l] (if c (sum l) (case l [Nil 0] [_ 1])))
             (defn d[f l] (f (sum l))) (defn e[l] (seq l (fn [x] (add x (sum l)))))
             (defn nil[l] (case l [Nil 1]))
             (defn next[l] (case l [Nil Nil] [(Cons _ xs) xs]))
             (defn h[l] (case l [Nil Nil] [(Cons x xs) (if x [1] [(nil (next xs))])]))
             (defn g[l y] (case l [Nil y] [(Cons x xs) (if (eq x 0) y (Just (nil xs)))]))"
        ),
        &[
            "a: l strict",
            "b: l lazy, y lazy",
            "c: l lazy",
            "i: l lazy",
            "j: c strict, l strict",
            "d: f strict, l lazy",
            "e: l strict",
            "nil: l strict",
            // A second cell that is looked at is the end, or comes to nothing.
            "g: l head-strict, y lazy",
            // A second cell may be looked at without its element.
            "h: l strict",
        ],
    );
}

#[test]
fn a_budget_that_is_used_up_leaves_what_is_known_without() {
    let text = format!("{LISTS} (defn main[] [sum length])");
    let mut seen = Vec::new();
    for reserve in (0..4000).step_by(50) {
        let (program, names) = lifted(&text);
        let budget = Budget { per_expression: 0, reserve };
        let program = within(program, budget, &mut Report::new(false));
        let line =
            listing(&program, &names).lines().find(|l| l.starts_with("sum:")).map(String::from);
        seen.extend(line);
    }
    seen.dedup();
    assert_eq!(seen, ["sum: l lazy", "sum: l strict", "sum: l fully strict"]);
}

#[test]
fn large_functions_are_left_out_and_chains_are_cheap() {
    use std::fmt::Write;
    let mut text = String::from("(defn main[] (f0 Nil 1))");
    for at in 0..20_000 {
        write!(
            text,
            "(defn f{at}[l n] (case l [Nil n] [(Cons x xs) (f{} xs (add x n))]))",
            (at + 1) % 20_000
        )
        .unwrap();
    }
    let (program, names) = lifted(&text);
    let mut report = Report::new(false);
    let program = strictness(program, &mut report);
    assert!(listing(&program, &names).contains("f77: l fully strict, n strict\n"));
    assert!(report.counts().iter().all(|(_, what, _)| !what.ends_with("given up")));
    let deep = format!(
        "(defn main[] f) (defn f[x] {}x{})",
        "(Cons x (Cons 1 ".repeat(20_000),
        "))".repeat(20_000)
    );
    let (program, names) = lifted(&deep);
    let program = strictness(program, &mut report);
    assert!(listing(&program, &names).contains("f: x lazy\n"));
}

#[test]
fn what_is_forced_and_then_used_later_is_evaluated_to_its_first_cell() {
    let (program, names) = read::read(
        "(def main () (Cons f (Cons g Nil)))
         (def id (l) l)
         (def all (l) (switch l (Nil 1) ((Cons x xs) (if x (all xs) 0))))
         (def f (l) (force t (id l) (Cons (all t) Nil)))
         (def g (l) (force t (id l) (add 1 (all t))))
         (def h (l) (join (j a b) (add (all a) b) (jump j l 1)))
         (def i (l) (join (j a b) (Cons (all a) b) (jump j l Nil)))",
    );
    let program = strictness(program, &mut Report::new(false));
    let listing = listing(&program, &names);
    for line in ["f: l strict", "g: l head-strict", "h: l head-strict", "i: l lazy"] {
        assert!(listing.lines().any(|found| found == line), "{line}\n{listing}");
    }
}

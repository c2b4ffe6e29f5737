//! A list that is made of what is known is as well known as one that is written out.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;

use super::common::{Run, compile_after, run_optimised};

fn run(source: &str) -> Run {
    let config = Config { fuel: Some(100_000), ..Config::default() };
    run_optimised(source, "abc", Format::Default, config, Passes::level(2))
}

/// How a list is made, with what, and what it is written out.
const MADE: &[(&str, &str, &str, &str)] = &[
    (
        "by two functions, of which one ends",
        "(defn these[n] (if (le n 0) Nil (Cons n (those (sub n 1)))))
         (defn those[n] (Cons 7 (these (sub n 1))))",
        "(these 4)",
        "[4 7 2 7]",
    ),
    (
        "of one without an end, up to a number",
        "",
        "(takeWhile (gt 20) (map (mul 3) (iterate (mul 2) 1)))",
        "[3 6 12]",
    ),
    ("of one without an end, so many", "", "(take 4 (scanl add 0 (from 1)))", "[0 1 3 6]"),
    ("of two, of which one ends", "", "(zipWith mul [3 1 4] (from 5))", "[15 6 28]"),
    (
        "by a function that ends in another one's beginning",
        "(defn up[n m] (if (eq n m) (down n) (Cons n (up (add n 1) m))))
         (defn down[n] (if (eq n 0) Nil (Cons n (down (sub n 1)))))",
        "(up 1 3)",
        "[1 2 3 2 1]",
    ),
];

#[test]
fn a_list_that_is_made_of_what_is_known_is_known() {
    for (what, definitions, made, written) in MADE {
        let run = |list| {
            run(&format!(
                "{definitions}
                 (defn go[m xs] (case xs [Nil m]
                   [(Cons x r) (if (lt m x) (add x (go (add m 1) r)) (go (rem (mul m 2) 7) r))]))
                 (defn main[i] (go (length i) {list}))"
            ))
        };
        let (made, written) = (run(made), run(written));
        assert_eq!(made.output, written.output, "{what}");
        let (made, written) = (made.statistics.reductions, written.statistics.reductions);
        assert!(made <= written, "{what}: {made} reductions, {written} written out");
    }
}

/// Returns how many variants of a function a program has.
fn variants(text: &str, of: &str) -> usize {
    let code = compile_after(text, Passes::level(2)).expect("a program");
    let start = format!("{of}$s");
    code.globals.iter().filter(|global| global.symbol.starts_with(&start)).count()
}

/// Two texts of the same characters are one, wherever they are written.
#[test]
fn a_text_that_is_written_twice_has_one_variant() {
    let text = "(defn find[key xs] (case xs [Nil 0] [(Cons (Pair k v) r) (if (eqString k key) v (find key r))]))
        (defn main[i] (let ([t (map (fn [w] (Pair w (length w))) (words i))])
          (add (mul 100 (find \"abc\" t)) (add (mul 10 (find \"abc\" t)) (find \"abd\" t)))))";
    assert_eq!(variants(text, "find"), 2);
    assert_eq!(run(text).output.trim_end(), "330");
}

/// A message is made once, if at all: there is no code for what is known of it.
#[test]
fn what_makes_a_message_is_called_as_it_is() {
    let text = "(defn main[i] (go (length i) 0))
        (defn go[n s] (if (eq n 0) s (go (sub n 1) (add (need \"width\" (mul n 3)) (need \"height\" (add s n))))))
        (defn need[what n]
          (if (lt n 0) (error (append \"too small: \" (append what (append \" is \" (showInt n))))) n))";
    let code = compile_after(text, Passes::level(2)).expect("a program");
    assert!(code.globals.iter().any(|global| &*global.symbol == "append"));
    assert_eq!(variants(text, "append"), 0);
    assert_eq!(run(text).output.trim_end(), "24");
}

/// What is done with a number of which something is known, and what is left of it; `n` is 1, 2 and 3.
const COMPARED: &[(&str, &str, &str)] = &[
    (
        "an else",
        "(if (eq n 1) 5 (if (eq n 2) 6 (if (eq 1 n) 7 8)))",
        "(if (eq n 1) 5 (if (eq n 2) 6 8))",
    ),
    (
        "where it differs",
        "(if (neq n 1) (if (neq 1 n) 5 6) (if (neq n 1) 7 8))",
        "(if (neq n 1) 5 8)",
    ),
    (
        "the default of a case",
        "(case n [1 5] [2 6] [_ (if (eq n 2) 7 (if (neq n 1) 8 9))])",
        "(case n [1 5] [2 6] [_ 8])",
    ),
    (
        "a case in an else",
        "(if (eq n 2) 5 (case n [1 6] [2 7] [_ 8]))",
        "(if (eq n 2) 5 (case n [1 6] [_ 8]))",
    ),
    (
        "a case of which nothing is left",
        "(if (eq n 2) 5 (if (eq n 1) 6 (case n [1 7] [2 8] [_ 9])))",
        "(if (eq n 2) 5 (if (eq n 1) 6 9))",
    ),
    (
        "what is not demanded",
        "(if (eq n 1) [5] [(if (eq n 1) n (mul n n)) 6])",
        "(if (eq n 1) [5] [(mul n n) 6])",
    ),
    (
        "another number",
        "(let ([m (sub n 1)]) (if (eq n 1) 5 (if (eq m 1) 6 m)))",
        "(let ([m (sub n 1)]) (if (eq n 1) 5 (if (eq m 1) 6 m)))",
    ),
    (
        "beside where it is known",
        "(add (if (eq n 1) 10 20) (if (eq n 1) 1 (if (eq n 2) 2 3)))",
        "(add (if (eq n 1) 10 20) (if (eq n 1) 1 (if (eq n 2) 2 3)))",
    ),
];

/// What is done with a tree of which something is known, and what is left of it: `t` is `Tip`, `(One 1)` and
/// `(Two 2 3)`.
const TAKEN_APART: &[(&str, &str, &str)] = &[
    (
        "the last of three",
        "(case t [Tip 5] [(One a) a] [_ (case t [(Two a b) (add a b)] [_ 7])])",
        "(case t [Tip 5] [(One a) a] [(Two a b) (add a b)])",
    ),
    (
        "the last one, asked for in two ways",
        "(case t [(Two _ _) 5] [_ (case t [Tip 6] [_ (case t [(One a) a] [Tip 7] [_ 8])])])",
        "(case t [(Two _ _) 5] [_ (case t [(One a) a] [_ 6])])",
    ),
    (
        "one of two",
        "(case t [Tip 5] [_ (case t [(One a) a] [Tip 6] [_ 7])])",
        "(case t [Tip 5] [_ (case t [(One a) a] [_ 7])])",
    ),
    (
        "what is left is as large as any",
        "(case t [Tip 5] [(Two a b) b] [_ (case t [(Two a b) b] [Tip 6] [(One a) (mul a 3)])])",
        "(case t [Tip 5] [(Two a b) b] [(One a) (mul a 3)])",
    ),
];

/// Returns what a program prints at any level, and how large it is at the highest.
fn printed(text: &str, what: &str) -> (String, usize) {
    let code = compile_after(text, Passes::level(2)).expect("a program");
    let size = code.globals.iter().map(|global| global.code.len()).sum();
    let config = Config { fuel: Some(100_000), ..Config::default() };
    let plain = run_optimised(text, "abc", Format::Default, config, Passes::level(0));
    assert_eq!(run(text).output, plain.output, "{what}");
    (plain.output, size)
}

#[test]
fn what_a_number_was_compared_with_it_is_not_compared_with_again() {
    for (what, written, left) in COMPARED {
        let of = |body: &str| {
            let main = "(defn main[i] (map f (map (fn [c] (sub (ord c) 96)) i)))";
            printed(&format!("(defn f[n] {body}) {main}"), what)
        };
        assert_eq!(of(written), of(left), "{what}");
    }
}

#[test]
fn what_a_value_is_not_made_by_it_is_not_taken_for_again() {
    for (what, written, left) in TAKEN_APART {
        let of = |body: &str| {
            let tree = "(data T (Tip) (One a) (Two a b))
                (defn tree[c] (case c ['a' Tip] ['b' (One 1)] [_ (Two 2 3)]))";
            printed(&format!("{tree} (defn f[t] {body}) (defn main[i] (map f (map tree i)))"), what)
        };
        assert_eq!(of(written), of(left), "{what}");
    }
}

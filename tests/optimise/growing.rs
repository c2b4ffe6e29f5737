//! What grows from call to call is known as far as that has an end.

use std::fs;

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;
use gmachine_testing::project;

use super::common::{compile_after, run_optimised};

/// A search that keeps its history, and looks at all of it in each step.
const SEARCH: &str = "
(data Step (Step place cost way))
(data Way (Start) (Up) (Twice))
(defn next[s]
  (case s
    [(Step p c w)
      (append [(Step (add p 1) (add c 2) Up)]
        (append (case w [(Twice) []] [_ [(Step (mul p 2) (add c 3) Twice)]])
          (if (gt p 3) [(Step (sub p 3) (add c 1) Start)] [])))]))
(defn costOf[s] (case s [(Step _ c _) c]))
(defn same[a b]
  (case a [(Step p _ v) (case b [(Step q _ w) (andAlso (eq p q) (eq (code v) (code w)))])]))
(defn code[w] (case w [(Start) 0] [(Up) 1] [(Twice) 2]))
(defn search[limit history]
  (let ([now (head history)])
    (if (ge (costOf now) limit) [history]
      (concatMap (fn [step] (search limit (Cons step history)))
        (filter (fn [step] (not (any (same step) history))) (next now))))))
(defn main[i] (length (search (add 9 (length i)) [FIRST])))";

/// An evaluator whose environment grows.
const EVALUATOR: &str = "
(data Expr (Lit value) (Ref index) (Add left right) (Let bound body))
(defn pick[k env] (case env [(Cons x t) (if (eq k 0) x (pick (sub k 1) t))]))
(defn eval[e env n]
  (case e
    [(Lit v) v]
    [(Ref k) (pick (rem k n) env)]
    [(Add a b) (rem (add (eval a env n) (eval b env n)) 9973)]
    [(Let a b) (let ([v (eval a env n)]) (seq v (eval b (Cons v env) (add n 1))))]))";

/// A term that nothing is known of.
const SAMPLE: &str = "
(defn sample[n s]
  (if (eq n 0) (if (eq (rem s 2) 0) (Ref s) (Lit s))
    (if (eq (rem s 5) 0)
      (Let (sample (sub n 1) (mul s 3)) (sample (sub n 1) (add s 4)))
      (Add (sample (sub n 1) (add s 7)) (sample (sub n 1) (mul s 2))))))";

fn instructions(source: &str, level: u8) -> usize {
    let program = compile_after(source, Passes::level(level)).expect("a program without mistakes");
    program.globals.iter().map(|global| global.code.len()).sum()
}

fn reductions(source: &str, level: u8) -> u64 {
    let config = Config { fuel: Some(1_000_000), ..Config::default() };
    let run = run_optimised(source, "abc", Format::Default, config, Passes::level(level));
    assert_eq!(run.failure, None, "{source}");
    run.statistics.reductions
}

/// Checks that programs of `benches/unseen` have at most so many times the code of `-O0`.
fn check_code(programs: &[(&str, usize)]) {
    for (name, times) in programs {
        let path = project().join("benches/unseen").join(format!("{name}.core"));
        let source = fs::read_to_string(path).expect("the program");
        let (plain, all) = (instructions(&source, 0), instructions(&source, 2));
        assert!(all <= times * plain, "{name}: {all} instructions, -O0 {plain}");
    }
}

/// Each state that is known would be a variant of the search and of all that looks at it, down to where the
/// whistle blows.
#[test]
fn a_search_from_a_known_state_is_written_once() {
    for first in ["(Step 1 0 Start)", "(Step (length i) (length i) (if (null i) Start Up))"] {
        let source = SEARCH.replace("FIRST", first);
        let (plain, all) = (instructions(&source, 0), instructions(&source, 2));
        assert!(all <= 5 * plain, "{first}: {all} instructions, -O0 {plain}");
        let (plain, all) = (reductions(&source, 0), reductions(&source, 2));
        assert!(2 * all <= plain, "{first}: {all} reductions, -O0 {plain}");
    }
}

/// Abstract machines in `benches` whose terms nothing is known of, while their environments and stacks are, and
/// how many times the code of `-O0` they have at most: each branch would be explored with its own stack.
const EXPLORING: &[(&str, usize)] = &[("interp-krivine", 3), ("interp-ski", 4)];

#[test]
fn what_explores_the_unknown_is_written_once() {
    check_code(EXPLORING);
}

/// Programs in `benches` with producers that consume what they make themselves, as lists of trees by `append` are,
/// and how many times the code of `-O0` they have at most: there is no loop for the one more that each turn adds.
const UNCLOSED: &[(&str, usize)] = &[("class-quickcheck", 5), ("treesort", 6)];

#[test]
fn what_consumes_its_own_calls_is_not_written_for_each_depth() {
    check_code(UNCLOSED);
}

/// Maps of maps of what is made in turn are nested in themselves twice before they come back: that is a loop.
#[test]
fn what_comes_back_to_itself_nested_is_fused() {
    let path = project().join("benches/published/gen-regexps.core");
    let source = fs::read_to_string(path).expect("the program").replace("(root 2)", "(root 3)");
    let (plain, all) = (reductions(&source, 0), reductions(&source, 2));
    assert!(10 * all <= 3 * plain, "{all} reductions, -O0 {plain}");
}

/// A program in `benches` that puts many data into a map, by functions that hold them, and how many times the code of
/// `-O0` it has at most.
const HOLDING: &[(&str, usize)] = &[("embedded-logic", 9)];

#[test]
fn what_functions_hold_is_known_in_few_variants() {
    check_code(HOLDING);
}

/// How many elements an environment has is known for a few of them: each look-up goes along it.
#[test]
fn the_length_of_what_grows_is_known_for_a_few_elements() {
    let source = |env: &str| {
        format!("{EVALUATOR}{SAMPLE}(defn main[i] (eval (sample 9 (length i)) {env} 3))")
    };
    let known = reductions(&source("[1 2 3]"), 2);
    let hidden = reductions(&source("(if (null i) Nil [1 2 3])"), 2);
    assert!(10 * known <= 9 * hidden, "{known} reductions, where nothing is known {hidden}");
}

/// The environment of a known term grows no further than the term goes: its names are known to its end, in each
/// branch that the run decides.
#[test]
fn what_grows_with_a_known_term_is_known() {
    let source = "
        (data Expr (Lit value) (Var name) (Add left right) (If test yes no) (Let name bound body))
        (defn find[x env]
          (case env [(Cons p t) (case p [(Pair y v) (if (eqString x y) v (find x t))])]))
        (defn eval[e env]
          (case e
            [(Lit v) v]
            [(Var x) (find x env)]
            [(Add a b) (add (eval a env) (eval b env))]
            [(If c a b) (if (eq (eval c env) 0) (eval a env) (eval b env))]
            [(Let x a b) (eval b (Cons (Pair x (eval a env)) env))]))
        (defn term[]
          (Let \"first\" (Add (Var \"input\") (Lit 1))
            (If (Var \"first\")
              (Lit 5)
              (Let \"second\" (Add (Var \"first\") (Var \"input\"))
                (If (Add (Var \"second\") (Var \"first\"))
                  (Var \"input\")
                  (Let \"third\" (Add (Var \"second\") (Var \"first\"))
                    (Add (Var \"third\") (Add (Var \"input\") (Var \"second\")))))))))
        (defn of[k] (eval term [(Pair \"input\" k)]))
        (defn main[i] (foldl' (fn [sum k] (add sum (sub (of k) (of (mul k k))))) 0
          (range 1 (mul 10 (length i)))))";
    let all = reductions(source, 2);
    assert!(all <= 50, "{all} reductions");
}

/// What is taken apart and made again is as large as before: the lists that a loop swaps are known in each turn.
#[test]
fn what_is_taken_apart_and_made_again_does_not_grow() {
    let source = "
        (data Tape (Tape left right))
        (defn weight[xs] (case xs [(Nil) 0] [(Cons x t) (add (mul x 2) (weight t))]))
        (defn walk[n sum t]
          (if (eq n 0) sum
            (case t [(Tape l r) (walk (sub n 1) (add sum (weight l)) (Tape r l))])))
        (defn main[i] (walk (mul 100 (length i)) 0 (Tape [1 2 3] [4 5])))";
    let all = reductions(source, 2);
    assert!(all <= 310, "{all} reductions");
}

/// What is still to be done with a value of such a nest is a chain as long as it is deep; it goes piece by piece.
#[test]
fn a_nest_of_thousands_of_calls_needs_no_stack_to_be_forgotten() {
    const DEEP: usize = 3_000;
    let nest: String = (0..DEEP).map(|at| format!("(mapInsert {at} k ")).collect();
    let source = format!(
        "(import map) (defn main[i] (go (length i))) (defn go[k] (mapSize {nest} mapEmpty{}))",
        ")".repeat(DEEP)
    );
    assert!(instructions(&source, 2) > DEEP);
}

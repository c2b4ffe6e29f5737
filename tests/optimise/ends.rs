//! What several branches end in is written once.

use std::fs;

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::{Pass, Passes};
use gmachine_testing::project;

use super::common::{compile_after, run_optimised};

fn instructions(source: &str, passes: Passes) -> usize {
    let program = compile_after(source, passes).expect("a program without mistakes");
    program.globals.iter().map(|global| global.code.len()).sum()
}

fn output(source: &str, passes: Passes) -> String {
    let config = Config { fuel: Some(1_000_000), ..Config::default() };
    let run = run_optimised(source, "abc", Format::Default, config, passes);
    assert_eq!(run.failure, None, "{source}");
    run.output.trim_end().to_owned()
}

/// Programs in `benches` with ends that are alike, and how many tenths of the code stay at most.
const ALIKE: &[(&str, usize)] = &[("others/snakes.plain", 6), ("unseen/class-free", 7)];

#[test]
fn ends_that_are_alike_are_written_once() {
    for (name, tenths) in ALIKE {
        let path = project().join("benches").join(format!("{name}.core"));
        let source = fs::read_to_string(path).expect("the program");
        let [all, without] = [Passes::ALL, Passes::ALL.without(Pass::MergeEnds)]
            .map(|passes| instructions(&source, passes));
        assert!(10 * all <= tenths * without, "{name}: {all} instructions, without {without}");
    }
}

/// What fails tells of its own place, in whichever branch it stood: ends that are alike but for that are two.
#[test]
fn an_end_that_fails_tells_of_its_own_place() {
    let end = "(add (mul a b) (sub (mul a (add a 1)) (mul (div a (mul b 0)) \
               (sub (mul b b) (add (mul a 3) (sub b (mul a a)))))))";
    let source =
        format!("(defn f[a b] (if (lt a b)\n {end}\n {end}))\n(defn main[i] (f (length i) 5))");
    let failures = |level| {
        ["abc", "abcdefg"].map(|input| {
            let config = Config { fuel: Some(1_000_000), ..Config::default() };
            let passes = Passes::level(level);
            run_optimised(&source, input, Format::Default, config, passes).failure
        })
    };
    let plain = failures(0);
    assert_ne!(plain[0], plain[1]);
    for level in 1..=2 {
        assert_eq!(plain, failures(level), "-O{level}");
    }
}

/// What follows a comparison is a choice of three.
#[test]
fn what_a_comparison_comes_to_is_tested_once() {
    let tree = |search: &str| {
        format!(
            "(data Tree (Tip) (Node l k r)) (defn put[k t] (case t [Tip (Node Tip k Tip)] [(Node l x r)
               (if (lt k x) (Node (put k l) x r) (Node l x (put k r)))]))
             {search}
             (defn main[i] (let ([t (foldr put Tip [(length i) 9 1 4 7 2])])
               (map (fn [k] (find k t)) (range 1 9))))"
        )
    };
    let compared = tree(
        "(defn find[k t] (case t [Tip Nothing] [(Node l x r) (let ([c (compare k x)])
           (if (lt c 0) (find k l) (if (gt c 0) (find k r)
             (Just (add (mul x x) (sub (mul k 9) (mul x 8)))))))]))",
    );
    let written = tree(
        "(defn find[k t] (case t [Tip Nothing] [(Node l x r)
           (if (lt k x) (find k l) (if (eq k x)
             (Just (add (mul x x) (sub (mul k 9) (mul x 8)))) (find k r)))]))",
    );
    assert_eq!(output(&compared, Passes::ALL), output(&written, Passes::ALL));
    let [compared, written] = [&compared, &written].map(|source| instructions(source, Passes::ALL));
    assert!(compared <= written, "{compared} instructions, written out {written}");
}

/// A default that is a function is applied once, however many alternatives of a match come to it.
#[test]
fn a_default_that_is_applied_is_written_once() {
    let source = |cases: &str| {
        format!(
            "(data Tok (Word s) (Num n)) (defn bind[p f s] (case (p s) [(Pair x t) (f x t)]))
             (defn ret[x s] (Pair x s)) (defn item[s] (case s [(Cons x t) (Pair x t)] [Nil (Pair (Num 0) Nil)]))
             (defn other[] (bind item (fn [a] (bind item (fn [b] (bind item (fn [c] (ret [a b c]))))))))
             (defn rule[] (bind item (fn [t] (case t {cases} [_ other]))))
             (defn main[i] (case (rule (map Word (words i))) [(Pair xs t) (add (length xs) (length t))]))"
        )
    };
    let one = source("[(Word \"let\") (ret Nil)]");
    let four = source(
        "[(Word \"let\") (ret Nil)] [(Word \"lambda\") (ret Nil)] [(Word \"if\") (ret Nil)]
         [(Word \"match\") (ret Nil)]",
    );
    assert_eq!(output(&four, Passes::ALL), output(&four, Passes::NONE));
    let passes = Passes::ALL.without(Pass::MergeEnds);
    let [one, four] = [one, four].map(|source| instructions(&source, passes));
    assert!(four < one + 160, "{four} instructions, for one alternative {one}");
}

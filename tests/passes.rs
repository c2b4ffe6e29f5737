//! Single passes of the optimiser: what each makes of a program, and that the program does the
//! same with no more work.
#![allow(clippy::unwrap_used, missing_docs)]

mod dead_args;
mod exits;
mod float_in;
mod joins;
mod late;
mod perform;
mod project;
mod selection;

use gmachine::core::expr::Program;
use gmachine::core::print;
use gmachine::driver::{Built, Options, Stage, build};
use gmachine::load::Source;
use gmachine::machine::Stress;
use gmachine::machine::outcome::{Statistics, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::optimise::{self, Pass, Passes};
use gmachine_testing::common::NoFiles;
use gmachine_testing::{common, read, typed};

use crate::work::is_linear;

fn built(text: &str, passes: Passes, until: Stage) -> Built {
    let optimise = optimise::Options { passes, verbose: true };
    let options = Options { optimise, until, ..Options::RUN };
    let built = build(&Source::text("test.core", text), &NoFiles, &options);
    assert!(!built.has_errors(), "{:?}\n{text}", built.diagnostics);
    built
}

/// The program's own definitions after one pass, without line breaks; and what the pass did.
fn after(text: &str, pass: Pass) -> (String, Vec<String>) {
    let built = built(text, Passes::NONE.with(pass), Stage::Optimised);
    let counts = built.report.counts().iter();
    let counts = counts.map(|(of, what, times)| {
        assert_eq!(*of, pass);
        format!("{times} {what}")
    });
    let counts = counts.collect();
    (shown(&built), counts)
}

fn shown(built: &Built) -> String {
    let program: &Program = built.core.as_ref().unwrap();
    let mut out = String::new();
    for (id, global) in program.globals.enumerate() {
        let file = built.loaded.sources.file_at(global.span.lo);
        if file.is_some_and(|file| !file.corelib) {
            print::definition(program, &built.loaded.names, id, &mut out);
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a program prints, or that it fails, and what the run took.
fn run(text: &str, passes: Passes, fuel: u64, stress: bool) -> (Result<String, Stop>, Statistics) {
    let program = built(text, passes, Stage::Gcode).gcode.unwrap();
    let config = Config {
        fuel: Some(fuel),
        stress: if stress { Stress::Full } else { Stress::None },
        ..Config::default()
    };
    let mut machine = Machine::new(program, config);
    let mut out = String::new();
    let input = Box::new(common::Text::new("input"));
    let result = machine.start(Format::Default, Some(input)).and_then(|()| machine.run(&mut out));
    (result.map(|()| out), machine.statistics())
}

/// Checks that a program does the same after a pass, with no more work.
#[track_caller]
fn same(text: &str, pass: Pass) {
    same_after(text, &[Passes::NONE.with(pass)]);
}

/// Checks that a program does the same after some passes, with no more work.
#[track_caller]
fn same_after(text: &str, sets: &[Passes]) {
    let (before, work) = run(text, Passes::NONE, 10_000_000, false);
    for &passes in sets {
        let (found, less) = run(text, passes, 10_000_000, false);
        match (&before, &found) {
            (Ok(before), Ok(found)) => assert_eq!(before, found, "{passes:?}: {text}"),
            (Err(Stop::Error(_)), Err(Stop::Error(_))) => {}
            _ => panic!("{before:?}, then {found:?} with {passes:?}\n{text}"),
        }
        assert!(
            less.reductions <= work.reductions,
            "{} reductions, then {} with {passes:?}\n{text}",
            work.reductions,
            less.reductions
        );
    }
}

/// Checks random programs.
fn random(pass: Pass, count: u64) {
    const FUEL: u64 = 300_000;
    let mut changed = 0;
    for seed in 0..count {
        let text = typed::program(seed);
        let (before, work) = run(&text, Passes::NONE, FUEL, false);
        let (found, less) = run(&text, Passes::NONE.with(pass), FUEL, seed % 16 == 0);
        match (&before, &found) {
            (Ok(before), Ok(found)) => {
                assert_eq!(before, found, "program {seed}\n{text}");
                assert!(less.reductions <= work.reductions, "program {seed}\n{text}");
            }
            (Err(Stop::Limit(_)), _) | (Err(Stop::Error(_)), Err(_)) => {}
            _ => panic!("program {seed}: {before:?}, then {found:?}\n{text}"),
        }
        changed += u64::from(before.is_ok() && less.instructions < work.instructions);
    }
    assert!(changed > count / 20, "{changed} programs got better");
}

/// Checks that the work on a program of any size, up to this, grows with the size.
#[track_caller]
fn compiles_linearly(size: usize, text: impl Fn(usize) -> String, passes: Passes) {
    let (small, large) = (text(size / 4), text(size));
    is_linear(size, |of| {
        built(if of == size { &large } else { &small }, passes, Stage::Gcode);
    });
}

/// The nodes that a program allocates for each of its elements without passes and with all, `N`
/// being how many there are, and `K` the number 1. With `parameters` the program does not know them.
fn nodes_per_element(expression: &str, parameters: bool) -> (u64, u64) {
    let text = |n: u64| {
        let (n, go) = (n.to_string(), expression.replace('N', "n").replace('K', "k"));
        let main = match parameters {
            true => format!(
                "(defn main[input] (go (add {n} (length (drop 5 input))) (length (drop 4 input))))"
            ),
            false => format!("(defn main[] {})", expression.replace('N', &n).replace('K', "1")),
        };
        format!("(defn go[n k] {go}) (defn upto[n] (range 1 n)) {main}")
    };
    let nodes = |passes| {
        let [less, more] = [1_000, 3_000].map(|n| run(&text(n), passes, 10_000_000, false));
        (more.0.expect("a value"), (more.1.allocations - less.1.allocations) / 2_000)
    };
    let ((plain, before), (fused, after)) = (nodes(Passes::NONE), nodes(Passes::ALL));
    assert_eq!(plain, fused, "{expression}");
    (before, after)
}

/// Literals are as good as parameters, and so is a function that does nothing but call a producer.
#[test]
fn a_long_list_of_which_all_is_known_is_fused_like_one_with_parameters() {
    for expression in ["(sum (map square (range K N)))", "(sum (map square (upto N)))"] {
        let (plain, fused) = nodes_per_element(expression, false);
        assert_eq!(fused, nodes_per_element(expression, true).1, "{expression}");
        assert!(2 * fused <= plain, "{expression}: {fused} nodes, of {plain} without passes");
    }
}

/// Who consumes a list consumes the end of it too, which another producer makes.
#[test]
fn a_list_that_ends_in_what_another_producer_makes_is_never_built() {
    let rows = [
        "(sum (append (range K N) (map square (range K N))))",
        "(sum (concatMap (fn [a] (map (mul a) (range a (add a 3)))) (range K N)))",
        "(length (concatMap (fn [a] (concatMap (fn [b] (if (lt a b) [b] [])) (range a (add a 3))))
           (range K N)))",
        "(sum (concatMap (fn [a] (concatMap (fn [b] (concatMap
             (fn [c] (if (eq (mul c c) (add (mul a a) (mul b b))) [a] [])) (range b (add b 2))))
           (range a (add a 2)))) (range K N)))",
    ];
    for expression in rows {
        let expression = expression.replace('N', "n").replace('K', "k");
        let text = |n| format!("(defn main[] (go {n} 1)) (defn go[n k] {expression})");
        let built = built(&text(3_000), Passes::ALL, Stage::Optimised);
        let program: &Program = built.core.as_ref().unwrap();
        let mut out = String::new();
        for id in program.globals.indices() {
            print::definition(program, &built.loaded.names, id, &mut out);
        }
        assert!(!out.contains("Cons"), "{out}");
        let [plain, fused] =
            [Passes::NONE, Passes::ALL].map(|passes| run(&text(30), passes, 10_000_000, false).0);
        assert_eq!(fused, plain, "{expression}");
    }
}

/// What grows with each round of a recursion is no state of a loop.
#[test]
fn a_list_that_is_made_of_the_list_before_it_is_not_unrolled() {
    let text = "(defn main[input] (length (grown (length input))))
        (defn grown[n] (case n [0 [1 2 3]]
          [_ (concatMap (fn [q] (concatMap (fn [r] (if (lt q r) [q r] Nil)) (range q n)))
               (grown (sub n 1)))]))";
    let (plain, optimised) = (instructions(text, Passes::NONE), instructions(text, Passes::ALL));
    assert!(optimised < 4 * plain, "{plain} instructions, then {optimised}");
}

/// The instructions of a program after some passes.
fn instructions(text: &str, passes: Passes) -> usize {
    let code = built(text, passes, Stage::Gcode).gcode.expect("code");
    code.globals.iter().map(|global| global.code.len()).sum()
}

/// `(append Nil rest)` is `rest` in patterns too: else each round of the loop would have another one.
#[test]
fn a_call_that_comes_to_an_argument_makes_no_pattern_larger() {
    let text = "(defn bal[n s] (case s [Nil n] [(Cons '(' t) (bal (add n 1) t)]
           [(Cons _ t) (bal (sub n 1) t)]))
         (defn main[] (bal 0 (concatMap (fn [k] (if (even k) \"()\" \"))\")) (range 1 500))))";
    let found = instructions(text, Passes::ALL);
    assert!(found <= 70, "{found} instructions");
}

/// What the whistle and the limits have ended is not begun anew by the second specialiser, which finds
/// the variants of the first.
#[test]
fn what_has_been_specialised_to_its_end_is_not_specialised_again() {
    let text = "(defn main[input] (try pattern input pattern input))
         (defn pattern[] \"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB\")
         (defn try[ps ts pattern text]
           (case ps [Nil 1] [(Cons p pt) (case ts [Nil 0] [(Cons t tt)
             (if (eq p t) (try pt tt pattern text) (next pattern text))])]))
         (defn next[pattern text]
           (case text [Nil 0] [(Cons _ rest) (try pattern rest pattern rest)]))";
    let found = instructions(text, Passes::ALL);
    assert!(found <= 1_300, "{found} instructions");
}

/// What is written where its value is taken apart is counted with what would be written in it in turn: a
/// layer of small functions of which each takes the one before apart twice would have no end.
#[test]
fn layers_that_take_each_other_apart_are_not_written_out() {
    let layers: [(&str, &str, &str); 4] = [
        (
            "(defn f0[x] (Pair (add x 1) x))",
            "(defn f#[x] (case (f@ x) [(Pair a b) (case (f@ b) [(Pair c d) (Pair (add a c) d)])]))",
            "(fst (f! (length input)))",
        ),
        (
            "(defn f0[s] (Pair 1 s))",
            "(defn f#[s] (case (f@ s) [(Pair v t) (case t
               [(Cons '+' u) (case (f@ u) [(Pair w z) (Pair (add v w) z)])] [_ (Pair v t)])]))",
            "(fst (f! input))",
        ),
        (
            "(defn f0[x] (eq x 0))",
            "(defn f#[x] (if (if (f@ x) (eq x #) (f@ (add x 1))) (lt x #) (gt x 2)))",
            "(f! (length input))",
        ),
        // Of a list that a function leads to in one of two ways.
        (
            "(defn f0[x] (range 1 x))",
            "(defn f#[x] (if (gt x #) (map (add #) (f@ x)) (filter odd (f@ (add x 1)))))",
            "(sum (f! (length input)))",
        ),
    ];
    for (first, layer, main) in layers {
        for count in [6, 12, 24, 48] {
            let mut text = first.to_owned();
            for at in 1..=count {
                let (own, before) = (at.to_string(), (at - 1).to_string());
                text += &layer.replace('#', &own).replace('@', &before);
            }
            text += &format!("(defn main[input] {})", main.replace('!', &count.to_string()));
            let [plain, all] =
                [Passes::NONE, Passes::ALL].map(|passes| instructions(&text, passes));
            assert!(all < 2 * plain + 500, "{layer}, {count}: {plain} instructions, then {all}");
        }
    }
}

/// A function that is given itself in a constructor calls itself, though no definition says so: what is
/// inlined wherever it is called is not written out turn after turn.
#[test]
fn a_recursion_through_data_is_not_written_out() {
    let text = "(data Mu (MkMu unroll))
        (defn main[input] (let ([k (length input)]) (map (fn [b] (loop k 1)) [1 2 3])))
        (defn loop[n x] (self (MkMu (fn [m n] (if (le n 0) x (self m (add n -1))))) n))
        (defn self[m n] (case m [(MkMu f) (f m n)]))";
    let plain = instructions(text, Passes::NONE);
    for passes in [Passes::level(1), Passes::ALL] {
        let found = instructions(text, passes);
        assert!(found <= plain, "{plain} instructions, then {found}");
        same_after(text, &[passes]);
    }
}

/// A loop has a copy for what is done with its result in few places, and lists that are taken from each
/// other are consumed one by one.
#[test]
fn what_is_done_with_results_is_not_written_for_each_of_many() {
    let mut loops = "0".to_owned();
    let mut lists = "0".to_owned();
    for at in 0..12 {
        loops = format!("(case (go k {at} 1) [(Pair a b) (if (lt a b) (add a {loops}) b)])");
        let of = if at == 11 { "(range 1 k)".to_owned() } else { format!("t{}", at + 1) };
        lists = format!(
            "(case (filter (lt {at}) (map (add {at}) {of})) [Nil {at}] [(Cons a{at} t{at}) (add a{at} {lists})])"
        );
    }
    let go = "(defn go[n a b] (if (eq n 0) (Pair a b) (go (sub n 1) b (add a 1))))";
    for text in [
        format!("{go} (defn main[input] (let ([k (length input)]) {loops}))"),
        format!("(defn main[input] (let ([k (length input)]) {lists}))"),
    ] {
        let [plain, all] = [Passes::NONE, Passes::ALL].map(|passes| instructions(&text, passes));
        assert!(all < plain + plain / 2 + 50, "{text}: {plain} instructions, then {all}");
    }
}

/// What has been taken apart is not built again: a word ends at the cell that was found.
#[test]
fn a_constructor_that_is_there_is_not_built_again() {
    let text = "(defn main[_] (length (words (concat (map (fn [_] \"ab cd \") (range 0 200))))))";
    let (result, statistics) = run(text, Passes::ALL, 10_000_000, false);
    assert_eq!(result.as_deref(), Ok("402\n"));
    assert!(statistics.allocations < 17_000, "{}", statistics.allocations);
}

/// What a loop comes to is taken apart where the loop ends, though the `case` stands in another loop, and
/// though the loop is large.
#[test]
fn a_record_that_a_loop_comes_to_is_not_built_for_a_case() {
    let digits = "(defn digits[n s c] (if (eq n 0) (Pair s c) (digits (div n 10) (add s (rem n 10)) (add c 1))))
        (defn go[k n acc] (if (gt k n) acc
          (case (digits k 0 0) [(Pair s c) (go (add k 1) n (add acc (mul s c)))])))
        (defn main[i] (go 1 (add 300 (length i)) 0))";
    let walks = "(defn walk[s x k] (if (eq k 0) (Pair s x)
          (let ([t (rem (add (mul s 1103) 12345) 65536)])
            (case (rem (div t 16) 6) [0 (walk t (add x 1) (sub k 1))] [1 (walk t (sub x 1) (sub k 1))]
              [2 (walk t (add x 2) (sub k 1))] [3 (walk t (sub x 2) (sub k 1))]
              [4 (walk t (add x 3) (sub k 1))] [_ (walk t (sub x 3) (sub k 1))]))))
        (defn walks[n s acc] (if (eq n 0) acc
          (case (walk s 0 n) [(Pair t x) (walks (sub n 1) t (add acc (mul x x)))])))
        (defn main[i] (walks (add 60 (length i)) 42 0))";
    for text in [digits, walks] {
        let program = shown(&built(text, Passes::ALL, Stage::Optimised));
        assert!(!program.contains("Pair"), "{program}");
        same_after(text, &[Passes::ALL]);
    }
}

/// An action that is applied once goes there as a call, and not as the function that it comes to, which
/// would have another one to wait for.
#[test]
fn an_action_that_is_chosen_in_a_loop_is_done_in_it() {
    let text = "(data Stats (Stats hits best last))
        (defn ret[x s] (Pair x s)) (defn bindS[m f s] (let ([r (m s)]) (f (fst r) (snd r))))
        (defn thenS[m n] (bindS m (fn [_] n))) (defn when[c m] (if c m (ret Nil)))
        (defn forM_[xs f] (foldr (fn [x k] (thenS (f x) k)) (ret Nil) xs))
        (defn hit[s] (case s [(Stats h b l) (Pair Nil (Stats (add h 1) b l))]))
        (defn seen[x s] (case s [(Stats h b l) (Pair Nil (Stats h (max b (sub x l)) x))]))
        (defn main[i] (case (snd (forM_ (range 1 (add 500 (length i)))
            (fn [k] (let ([x (rem (mul k 17) 101)]) (thenS (when (gt x 60) hit) (seen x)))) (Stats 0 0 0)))
          [(Stats h b l) (add (mul h 1000) (add b l))]))";
    let (_, statistics) = run(text, Passes::ALL, 10_000_000, false);
    assert!(statistics.reductions < 3_000, "{}", statistics.reductions);
}

/// A list that begins with a few characters goes on with what is made of the next element: nobody asks
/// for all of it at once, so the call is the pattern, with the characters in it.
#[test]
fn what_a_lazy_list_begins_with_is_no_state_of_its_own() {
    let text = "(defn esc[n] (if (eq n 3) \"ab\" (if (eq n 5) \"cd\" [(chr (add 97 n))])))
        (defn main[input] (append (concatMap esc (map (fn [k] (rem k 7)) (range (length input) 1000))) \"end\"))";
    let (_, statistics) = run(text, Passes::ALL, 10_000_000, false);
    assert!(statistics.reductions < 5_000, "{}", statistics.reductions);
}

/// A branch of an operand uses a value that is used after the operation too: it is bound before the branch.
#[test]
fn what_a_branch_of_an_operand_and_the_rest_use_is_evaluated_once() {
    let rest = "(defn large[n] (sum (range 1 (add n 200))))";
    let ends = [
        "(seq (add 1 (if (eq (length i) 5) x 5)) x)",
        "(let ([t (add 1 (if (eq (length i) 5) x 5))]) (seq t (add t x)))",
        "(if (ge 0 (add 1 (if (eq (length i) 5) x 5))) 1 x)",
    ];
    for end in ends {
        let text = format!("(defn main[i] (let ([x (large (length i))]) {end})) {rest}");
        let count = |passes| run(&text, passes, 10_000_000, false).1.reductions;
        let plain = count(Passes::NONE);
        for passes in [Passes::NONE.with(Pass::Inline), Passes::ALL] {
            assert!(count(passes) <= plain, "{end}: {} and {plain}", count(passes));
        }
    }
}

/// The first records that `iterate` makes are known, and a record is what is taken apart at each step: both
/// would be patterns, and the loop would be written out record by record.
#[test]
fn what_a_call_that_is_consumed_begins_with_is_no_state_of_its_own() {
    let text = "(data Step (Step m d a))
        (defn of[s] (case s [(Step _ _ a) a]))
        (defn steps[r]
          (let ([next (fn [s] (case s [(Step m d a) (Step (add m d) (rem (add d m) 97) (add a 2))]))])
            (map of (iterate next (Step 0 1 r)))))
        (defn main[i] (length (takeWhile (neq (add 4000 (length i))) (steps (length i)))))";
    let (result, statistics) = run(text, Passes::ALL, 10_000_000, false);
    assert_eq!(result.unwrap(), "2000\n");
    // Numbers alone: a record would be one more of nine.
    assert!(statistics.allocations < 17_000, "{}", statistics.allocations);
}

/// Of what is consumed by two functions in turn one list is left: less than without passes, more
/// than with parameters.
#[test]
fn of_an_endless_list_of_which_all_is_known_one_consumer_is_fused() {
    let rows = [
        "(sum (take N (map square (from K))))",
        "(sum (map fst (zip (range K N) (range K N))))",
        "(sum (take N (iterate (add 1) K)))",
    ];
    for expression in rows {
        let (plain, fused) = nodes_per_element(expression, false);
        let least = nodes_per_element(expression, true).1;
        assert!((least..plain).contains(&fused), "{expression}: {least}, {fused}, {plain}");
    }
}

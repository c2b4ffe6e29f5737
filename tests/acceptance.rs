//! What partial evaluation must come to: programs under `tests/acceptance/`, the residual
//! that is expected of each, and its runs against those of the program as it was.

mod hostile;
mod inspect;
mod row;

use common::{compile_after, run_optimised};
use gmachine::core::signature::Demand;
use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::{Pass, Passes};
use gmachine_testing::common;
use gmachine_testing::subsets::length;
use row::Row;

#[test]
fn a_sum_that_is_known_in_part_is_one_function_of_one_argument() {
    let row = Row::new("sums");
    let one = row.shape("one");
    // The specialised function, or its body in place of its only call.
    assert!(one.functions <= 2 && one.constants == 0, "{}", row.text("one"));
    assert_eq!((one.count("add"), one.calls), (1, one.functions - 1), "{}", row.text("one"));
    let both = row.shape("both");
    assert!(both.functions <= 2, "{}", row.text("both"));
    assert_eq!(row.value("three"), "3");
    row.check();
}

#[test]
fn a_power_with_a_known_exponent_is_multiplications() {
    let row = Row::new("exp");
    let cube = row.shape("cube");
    assert_eq!((cube.count("mul"), cube.tests(), cube.calls), (3, 0, 0), "{}", row.text("cube"));
    assert_eq!((row.value("eight"), row.value("fac120")), ("8".to_owned(), "120".to_owned()));
    let fac = row.shape("fac");
    // As in the source: one test, one multiplication, one call of itself.
    assert_eq!((fac.count("mul"), fac.tests(), fac.calls), (1, 1, 1), "{}", row.text("fac"));
    assert_eq!((fac.functions, fac.count("add")), (1, 1), "{}", row.text("fac"));
    row.check();
}

#[test]
fn the_flow_graph_program_with_a_known_exponent_is_five_multiplications() {
    let row = Row::new("power");
    let five = row.shape("power5");
    let text = row.text("power5");
    assert_eq!((five.count("mul"), five.tests(), five.calls), (5, 0, 0), "{text}");
    assert_eq!((five.functions, five.count("sub")), (1, 0), "{text}");
    row.check();
}

#[test]
fn a_power_that_never_ends_is_compiled_and_still_never_ends() {
    let row = Row::new("power");
    assert!(row.shape("never").size < 2_000, "{}", row.text("never"));
    let source = std::fs::read_to_string("tests/acceptance/power.core").expect("the program");
    let source = source.replace("(power5 (readInt input))", "(never (readInt input))");
    let config = Config { fuel: Some(200_000), ..Config::default() };
    let run = run_optimised(&source, "1", Format::Default, config, Passes::ALL);
    assert_eq!(run.output, "");
    assert!(run.failure.is_some_and(|failure| failure.message.contains("Fuel")));
}

#[test]
fn doubling_twenty_times_stays_small_and_works_once() {
    let row = Row::new("double");
    let twenty = row.shape("twenty");
    assert!(twenty.size < 200, "{}", row.text("twenty"));
    assert!(twenty.count("add") <= 22, "{}", row.text("twenty"));
    row.check();
}

#[test]
fn no_name_is_captured() {
    let row = Row::new("capture");
    // 2 * 5 * 10 - 1; 100 + 25 + 5; 2 * 6 - 5; 8.
    let run = row.run("5", Passes::ALL);
    assert_eq!(run.output, "99 130 7 8 Nil\n");
    row.check();
}

#[test]
fn what_is_not_demanded_is_not_evaluated_and_what_fails_stays() {
    let row = Row::new("lazy");
    assert_eq!((row.value("const-loop"), row.value("static")), ("1".to_owned(), "3".to_owned()));
    let dynamic = row.shape("dynamic");
    assert_eq!((dynamic.count("div"), dynamic.tests()), (1, 1), "{}", row.text("dynamic"));
    row.check();
}

#[test]
fn an_interpreter_applied_to_a_program_is_the_program() {
    let row = Row::new("flowgraph");
    let compiled = row.shape("interpreted");
    let text = row.text("interpreted");
    assert_eq!((compiled.con_switches, compiled.built), (0, 0), "{text}");
    assert_eq!((compiled.unknown_calls, compiled.texts), (0, 0), "{text}");
    // The loop, and what enters it; the loop is called from there and from itself.
    assert!(compiled.functions <= 2 && compiled.constants == 0, "{text}");
    assert!(compiled.calls <= 2, "{text}");
    // The first round may stand before the loop.
    assert!(compiled.count("mul") <= 2 && compiled.count("sub") <= 2, "{text}");
    // What a thousand rounds more take.
    let rounds = |how: &str| {
        let reductions = |y: u32| {
            let run = row.run(&format!("{how} 1 {y}"), Passes::ALL);
            assert_eq!((run.failure, run.output.as_str()), (None, "1\n"));
            run.statistics.reductions
        };
        reductions(2_000) - reductions(1_000)
    };
    let (compiled, by_hand) = (rounds("i"), rounds("h"));
    assert!(compiled <= by_hand + by_hand / 10, "{compiled} reductions, by hand {by_hand}");
    row.check();
}

#[test]
fn a_naive_matcher_and_a_pattern_are_an_automaton() {
    let row = Row::new("matcher");
    let matcher = row.shape("has-aab");
    let text = row.text("has-aab");
    // No pattern: no text, no list that is built or passed on.
    assert_eq!((matcher.built, matcher.texts, matcher.unknown_calls), (0, 0, 0), "{text}");
    // The entry, and the states: "", "A" or "AA" has been read; each looks at one character.
    assert!(matcher.functions <= 4, "{text}");
    assert!(matcher.con_switches <= 3, "{text}");
    assert!(matcher.count("if") + matcher.count("eq") / 2 + matcher.lit_switches <= 6, "{text}");
    // Every character is read once.
    let reductions = |length: usize| {
        let run = row.run(&"A".repeat(length), Passes::ALL);
        assert_eq!((run.failure, run.output.as_str()), (None, "0\n"));
        run.statistics.reductions
    };
    assert!(reductions(2_000) - reductions(1_000) <= 3_000, "{text}");
    row.check();
}

#[test]
fn lists_between_calls_are_not_made() {
    let row = Row::new("sum");
    let total = row.shape("total");
    let text = row.text("total");
    // No list: the entry and a loop that counts.
    assert_eq!((total.functions, total.built, total.con_switches), (2, 0, 0), "{text}");
    assert_eq!((total.calls, total.count("mul"), total.count("if")), (2, 1, 1), "{text}");
    row.check();
    // One list that is looked at and one that comes of it, none in between.
    let row = Row::new("maps");
    let maps = row.shape("maps");
    let text = row.text("maps");
    assert_eq!((maps.functions, maps.built, maps.con_switches), (2, 1, 1), "{text}");
    assert_eq!(maps.unknown_calls, 2, "{text}");
    row.check();
    // The cells of the first list are copied once, and those of the second by `append` itself.
    let row = Row::new("appends");
    let three = row.shape("three");
    let text = row.text("three");
    assert_eq!((three.functions, three.built, three.con_switches), (3, 2, 2), "{text}");
    row.check();
}

#[test]
fn pipelines_of_several_functions_make_no_list() {
    let row = Row::new("pipelines");
    for entry in ["evens", "mine"] {
        let (shape, text) = (row.shape(entry), row.text(entry));
        assert_eq!((shape.built, shape.con_switches), (0, 0), "{text}");
    }
    // The list that is given is looked at, as one and as the other argument of `zipWith`.
    let (between, text) = (row.shape("between"), row.text("between"));
    assert_eq!((between.built, between.con_switches), (0, 2), "{text}");
    row.check();
}

#[test]
fn nothing_is_allocated_for_a_list_between_calls() {
    let allocations = |source: &str, passes: Passes| {
        let config = Config { heap_limit: Some(1 << 30), ..Config::default() };
        let run = run_optimised(source, "", Format::Default, config, passes);
        assert_eq!(run.failure, None, "{source}");
        run.statistics.allocations
    };
    let least = |body: &str| {
        let source = |n: u32| format!("(defn main[] (f {n})) (defn f[n] {body})");
        let each = |passes| {
            (allocations(&source(4_000), passes) - allocations(&source(2_000), passes)) / 2_000
        };
        (each(Passes::ALL.without(Pass::Specialise)), each(Passes::ALL))
    };
    // What is left is the numbers and what the loop does to them.
    for body in [
        "(sum (map square (range 1 n)))",
        "(length (filter even (map (add 1) (range 1 n))))",
        "(sum (append (append (range 1 n) (range 1 n)) (range 1 n)))",
    ] {
        let (before, after) = least(body);
        assert!(3 * after <= 2 * before, "{body}: {before} nodes an element, then {after}");
    }
}

#[test]
fn a_growing_counter_is_generalised() {
    let row = Row::new("counters");
    assert!(row.shape("ack2").functions <= 6, "{}", row.text("ack2"));
    let up = row.shape("up");
    assert!(up.functions <= 3, "{}", row.text("up"));
    row.check();
}

/// How many instructions a program has without passes, and after all.
fn lengths(source: &str) -> [usize; 2] {
    [Passes::NONE, Passes::ALL]
        .map(|passes| length(&compile_after(source, passes).expect("the program compiles")))
}

#[test]
fn a_loop_with_a_known_number_of_turns_is_not_written_out() {
    let loops = "(defn main[] (sum (turns 100 (range 1 50))))
        (defn turns[n xs] (if (eq n 0) xs (turns (sub n 1) (turn xs))))
        (defn turn[xs] (zipWith add (append (tail xs) [(head xs)]) xs))";
    let [plain, optimised] = lengths(loops);
    assert!(2 * optimised < 3 * plain, "{plain} {optimised}");
}

#[test]
fn an_argument_that_only_grows_is_unfolded_into_no_chain() {
    // Each call has one function more around what is known, until it is too large for a pattern.
    let grows = "(defn f[v] (f (fn [_] v) (case v [Nil 1]))) (defn main[] (f 1))";
    let [before, after] = lengths(grows);
    assert!(after <= 2 * before, "{before} instructions, then {after}");
}

#[test]
fn the_functions_of_an_automaton_share_what_they_may_know() {
    // Each of eight states passes on a count, in a constructor, that some of them begin anew.
    let states = (0..8).map(|at| {
        let [next, other] = [(at + 1) % 8, (at + 3) % 8];
        format!(
            "(defn s{at}[xs acc] (case xs [Nil (maybe 0 succ acc)] [(Cons c t) \
             (if (lt c 'k') (s{next} t (case acc [Nothing (Just {at})] [(Just n) (Just (add n {at}))])) \
             (if (eq c 'm') (s{other} t acc) (s0 t (Just {other}))))]))"
        )
    });
    let program = states.collect::<String>() + "(defn main[input] (s0 input Nothing))";
    let [before, after] = lengths(&program);
    assert!(after <= 4 * before, "{before} instructions, then {after}");
}

#[test]
fn mutual_recursion_on_a_known_number_is_its_result() {
    let row = Row::new("parity");
    assert_eq!(row.value("ten"), "1");
    row.check();
}

/// Peak live data of a program's run after all passes, in bytes.
fn live(source: &str, input: &str) -> u64 {
    let config = Config { heap_limit: Some(1 << 30), ..Config::default() };
    let run = run_optimised(source, input, Format::Default, config, Passes::ALL);
    assert_eq!(run.failure, None);
    run.statistics.peak_live_bytes
}

#[test]
fn a_fold_with_a_known_function_is_a_strict_loop_and_flat() {
    let row = Row::new("fold");
    let total = row.shape("total");
    let text = row.text("total");
    assert_eq!((total.unknown_calls, total.built, total.con_switches), (0, 0, 1), "{text}");
    assert_eq!(total.count("add"), 1, "{text}");
    let program = &row.residual;
    let strict = inspect::reach(program, row.entry("total")).into_iter().any(|global| {
        let demands = &program.globals[global].signature.demands;
        demands.len() == 2 && demands.iter().all(|demand| *demand != Demand::Lazy)
    });
    assert!(strict, "{text}");
    row.check();
    let source = std::fs::read_to_string("tests/acceptance/fold.core").expect("the program");
    let (one, four) = (live(&source, "50000"), live(&source, "200000"));
    assert!(four <= one + one / 2 + 100_000, "{one} bytes, then {four}");
}

#[test]
fn a_long_list_is_neither_made_at_compile_time_nor_held_on_to() {
    let row = Row::new("millions");
    let million = row.shape("million");
    let text = row.text("million");
    // The constant that the program has, and no other.
    assert!(million.constants <= 1, "{text}");
    let source = std::fs::read_to_string("tests/acceptance/millions.core").expect("the program");
    assert!(source.contains("100000"));
    let run = row.run("", Passes::ALL);
    assert_eq!((run.failure, run.output.as_str()), (None, "5000050000\n"));
    assert!(run.statistics.peak_live_bytes < 200_000, "{:?}\n{text}", run.statistics);
    row.check();
}

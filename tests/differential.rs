//! Random programs mean the same to an interpreter of the syntax tree and to the whole chain.
//!
//! `GMACHINE_CASES` is how many programs are tried (a million takes an hour or so in a release
//! build), `GMACHINE_SEED` the first one's number. A program that fails is made smaller and
//! shown with its number.

use gmachine_testing::cases;
use gmachine_testing::differential::{Plan, compiled, loaded, wrong};
use gmachine_testing::ends::End;
use gmachine_testing::{hunt, oracle, typed};

#[test]
fn programs_mean_what_their_text_says() {
    let check = |text: &str, seed: u64| wrong(text, Plan(seed));
    let (count, sums) =
        hunt::all(240, typed::program, check, |ends: &mut [u64; 3], end| ends[end as usize] += 1);
    let [values, errors, endless]: [u64; 3] =
        [0, 1, 2].map(|at| sums.iter().map(|ends| ends[at]).sum());
    assert!(values > count / 2, "{values} values, {errors} errors, {endless} without end");
    assert!(errors > count / 50, "{values} values, {errors} errors, {endless} without end");
    assert!(endless < count / 10, "{values} values, {errors} errors, {endless} without end");
    if count > 10_000 {
        #[allow(clippy::print_stderr, reason = "a long run tells what it has seen")]
        {
            eprintln!("{values} values, {errors} errors, {endless} without end");
        }
    }
}

#[test]
fn what_a_printed_function_holds_may_fail_or_have_no_end_as_an_expression() {
    for held in ["(error \"held\")", "(loop 1)"] {
        let text = format!("(defn main[] (add {held})) (defn loop[x] (loop x))");
        // Each comparison: one writes the value as an expression.
        for plan in 0..4 {
            assert_eq!(wrong(&text, Plan(plan)), Ok(End::Value), "{text}");
        }
    }
}

/// The reference machine takes it from the stack before, and may collect, or stop, in between.
#[test]
fn a_value_that_no_alternative_matches_is_kept_until_that_is_told() {
    let values =
        ["(Cons (length input) Nil)", "(mul 10000000000 (add 10000000000 (length input)))"];
    for (value, pattern) in values.into_iter().zip(["(Cons 1 b)", "1"]) {
        let text = format!("(defn main[input] (case {value} [{pattern} 2]))");
        // Those that collect at each step and stop after so many.
        for plan in (1..97 * 8).step_by(8) {
            assert_eq!(wrong(&text, Plan(plan)), Ok(End::Error), "{text}");
        }
    }
}

/// The interpreter is right where people have written down what is right.
#[test]
fn the_interpreter_agrees_with_the_cases() {
    let work = || {
        let mut agreed = 0;
        for (file, section) in cases::all() {
            for case in section.cases {
                let text = format!("{}(defn main[] {})", section.definitions, case.expression);
                if compiled(&text).is_err() {
                    continue;
                }
                // It performs no action in an expression.
                if text.contains("unsafePerform") || text.contains("(import stm)") {
                    continue;
                }
                let mut out = String::new();
                let result = oracle::run(loaded(&text), "", 3_000_000, &mut out);
                if out.contains('?') {
                    // It has its own word for the code and the message of a failure.
                    continue;
                }
                let place = format!("{file}:{} {}: {out:?} {result:?}", case.line, case.expression);
                match case.expected {
                    cases::Expected::Prints(output) => {
                        assert_eq!((result, &out), (Ok(()), &output), "{place}");
                    }
                    // A message may have no end.
                    cases::Expected::Fails { output, .. } => {
                        assert!(result.is_err(), "{place}");
                        let words = |text: &str| text.trim_end().to_owned();
                        assert!(output.is_none_or(|all| words(&all) == words(&out)), "{place}");
                    }
                }
                agreed += 1;
            }
        }
        assert!(agreed > 400, "{agreed} cases");
    };
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

//! What the analysis costs, and what happens when it may not cost so much.

use std::fmt::Write;

use gmachine::optimise::Report;
use gmachine::optimise::strictness::{Budget, strictness};

use super::{analysed, analysed_within, lifted, strict_in};
use crate::work::allocated;

/// A function of so many parameters that rotates them: a fixpoint of as many iterates.
fn rotation(count: usize) -> String {
    let params: Vec<String> = (0..count).map(|at| format!("p{at}")).collect();
    let (first, rest) = params.split_first().unwrap();
    let rotated = rest.join(" ");
    format!(
        "(defn rot[n {}] (if (eq n 0) {first} (rot (sub n 1) {rotated} {first})))",
        params.join(" ")
    )
}

/// So many functions that call each other, with `body` of the number of one.
fn component(count: usize, body: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for at in 0..count {
        writeln!(text, "(defn f{at}[n a b c] {})", body(at)).unwrap();
    }
    text + "(defn main[] (f0 1 2 3 4))"
}

const NONE: Budget = Budget { per_expression: 0, reserve: 0 };

#[test]
fn without_budget_a_whole_component_is_lazy_and_the_next_is_not() {
    let text = "(defn even?[n] (if (eq n 0) 1 (odd? (sub n 1))))
         (defn odd?[n] (if (eq n 0) 0 (even? (sub n 1))))
         (defn inc[n] (add n 1))
         (defn big[n] (if (even? (inc n)) n (let ([m (add n 1)]) (mul m m))))
         (defn main[] (big 1))";
    let (program, names, report) = analysed_within(text, NONE);
    for symbol in ["even?", "odd?", "inc", "big"] {
        assert_eq!(strict_in(&program, &names, symbol), "", "{symbol}");
    }
    assert!(report.counts().iter().any(|&(_, what, _)| what == "functions given up"));
    assert!(!report.counts().iter().any(|&(_, what, _)| what == "bindings evaluated at once"));
    // Some budgets are enough for one component and not for the other; none leaves a
    // component half done.
    let mut seen = Vec::new();
    for per_expression in 0..20 {
        let (program, names, _) = analysed_within(text, Budget { per_expression, reserve: 0 });
        let found = ["even?", "odd?", "inc"].map(|symbol| strict_in(&program, &names, symbol));
        assert_eq!(found[0], found[1]);
        if !seen.contains(&found) {
            seen.push(found);
        }
    }
    let of = |odd: &str, inc: &str| [odd, odd, inc].map(String::from);
    assert_eq!(seen, [of("", ""), of("", "n"), of("n", "n")]);
}

#[test]
fn what_an_iterate_on_the_way_claims_is_not_kept() {
    // The early iterates of a rotation are strict in parameters that the last is not strict in.
    let text = rotation(16) + "(defn main[] (rot 1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16))";
    let mut found = Vec::new();
    for reserve in (0..20_000).step_by(100) {
        let (program, names, _) = analysed_within(&text, Budget { per_expression: 0, reserve });
        found.push(strict_in(&program, &names, "rot"));
    }
    found.dedup();
    assert_eq!(found, ["", "n"]);
}

#[test]
fn what_is_given_up_is_lazy_whatever_the_other_analysis_says() {
    let args = " 1".repeat(33);
    let text = rotation(32) + &format!("(defn main[] (rot{args}))");
    let mut seen = 0;
    for reserve in (0..40_000).step_by(500) {
        let (program, names, report) =
            analysed_within(&text, Budget { per_expression: 0, reserve });
        if report.decisions().iter().any(|(_, text)| text.starts_with("rot: given up")) {
            let mut counts = report.counts().iter();
            seen += u32::from(counts.all(|&(_, what, _)| what != "demands on data given up"));
            assert_eq!(strict_in(&program, &names, "rot"), "", "{reserve}");
        }
    }
    assert!(seen > 0);
}

#[test]
fn the_reserve_is_used_up_in_order() {
    let text = rotation(8) + &rotation(8).replace("rot", "tor") + "(defn main[] [rot tor])";
    let (least, _) = (1..)
        .map(|k| k * 50)
        .map(|reserve| {
            let budget = Budget { per_expression: 0, reserve };
            (reserve, analysed_within(&text, budget))
        })
        .find(|(_, (program, names, _))| {
            ["rot", "tor"].iter().any(|name| strict_in(program, names, name) == "n")
        })
        .unwrap();
    let (program, names, _) = analysed_within(&text, Budget { per_expression: 0, reserve: least });
    let strict = ["rot", "tor"].map(|name| strict_in(&program, &names, name));
    assert_eq!(strict.iter().filter(|found| *found == "n").count(), 1, "{strict:?}");
}

/// Checks that the budget suffices, which bounds the work in proportion to the program, and
/// that what it does not count is not many times as much.
#[track_caller]
fn is_cheap(text: &str) {
    let (program, _) = lifted(text);
    let size = program.exprs.len() as u64;
    let mut report = Report::new(false);
    let (program, bytes) = allocated(|| strictness(program, &mut report));
    let up = report.counts().iter().find(|(_, what, _)| *what == "functions given up");
    assert_eq!(up, None, "of {}", program.globals.len());
    assert!(bytes < 100_000 * size, "{bytes} bytes for {size} expressions");
}

#[test]
fn a_recursive_function_of_64_parameters_is_analysed_exactly_and_fast() {
    let args = " 1".repeat(65);
    let text = rotation(64) + &format!("(defn main[] (rot{args}))");
    is_cheap(&text);
    let (program, names) = analysed(&text);
    assert_eq!(strict_in(&program, &names, "rot"), "n");

    let params: Vec<String> = (0..64).map(|at| format!("p{at}")).collect();
    let (plain, mut turned) = (params.join(" "), params.clone());
    turned.rotate_left(1);
    let sum = params.iter().fold("0".to_owned(), |sum, param| format!("(add {sum} {param})"));
    let text = format!(
        "(defn f[n {plain}] (if (eq n 0) {sum} (f (sub n 1) {})))
         (defn main[] (f{args}))",
        turned.join(" ")
    );
    is_cheap(&text);
    let (program, names) = analysed(&text);
    assert_eq!(strict_in(&program, &names, "f"), format!("n {plain}"));
}

#[test]
fn many_ways_to_fail_are_cut_and_not_multiplied() {
    // Each branch calls with other parameters: the function has exponentially many causes.
    let params: Vec<String> = (0..64).map(|at| format!("p{at}")).collect();
    let plain = params.join(" ");
    let mut body = "p0".to_owned();
    for step in 1..16 {
        let mut args = params.clone();
        args.rotate_left(step);
        args[..2 * step].reverse();
        body = format!(
            "(if (eq p{step} n) (add p{} (f (sub n 1) {})) {body})",
            step * 3,
            args.join(" ")
        );
    }
    let text = format!(
        "(defn f[n {plain}] (if (eq n 0) (add p5 p6) {body})) (defn main[] (f{}))",
        " 1".repeat(65)
    );
    is_cheap(&text);
    let (program, names) = analysed(&text);
    assert!(strict_in(&program, &names, "f").split(' ').any(|name| name == "n"));
}

#[test]
fn a_component_of_a_thousand_functions_is_analysed_fast() {
    // A ring; a ring that rotates its parameters; each calls ten others.
    let next = |at: usize, by: usize| (at + by) % 1000;
    is_cheap(&component(1000, |at| format!("(if (eq n 0) a (f{} (sub n 1) a b c))", next(at, 1))));
    is_cheap(&component(1000, |at| {
        format!("(if (eq n 0) a (f{} (sub n 1) b c a))", next(at, 999))
    }));
    let all = component(1000, |at| {
        let calls = (1..11).map(|by| format!("(f{} (sub n 1) c a b)", next(at, by * by)));
        let calls = calls.fold("a".to_owned(), |sum, call| format!("(if (eq b n) {sum} {call})"));
        format!("(if (eq n 0) a {calls})")
    });
    is_cheap(&all);
    let (program, names) = analysed(&all);
    assert_eq!(strict_in(&program, &names, "f77"), "n");
}

#[test]
fn nests_are_analysed_in_linear_time() {
    let depth = 20_000;
    let nest = |open: &str, inner: &str, close: &str| {
        format!(
            "(defn f[x y] {}{inner}{}) (defn main[] (f 1 2))",
            open.repeat(depth),
            close.repeat(depth)
        )
    };
    is_cheap(&nest("(let ([z (add x y)]) ", "(add z x)", ")"));
    is_cheap(&nest("(if x y ", "x", ")"));
    is_cheap(&nest("(letrec ([z (Cons x z)]) ", "z", ")"));
    is_cheap(&nest("(letrec ([z ", "(add x y)", "]) (add z z))"));
    is_cheap(&nest("(case x [0 y] [z ", "z", "])"));
    let mut lets = String::from("(let (");
    for at in 0..depth {
        write!(
            lets,
            "[z{at} (add x z{})]",
            if at == 0 { "99".into() } else { (at - 1).to_string() }
        )
        .unwrap();
    }
    let lets = lets.replacen("z99", "y", 1) + &format!(") z{})", depth - 1);
    let text = format!("(defn f[x y] {lets}) (defn main[] (f 1 2))");
    is_cheap(&text);
    let (program, names) = analysed(&text);
    assert_eq!(strict_in(&program, &names, "f"), "x y");
}

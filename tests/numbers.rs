//! Primitives on bits, words and floats, against a second computation, on every machine at every
//! level: at their edges and on random operands.

use gmachine::machine::print::Format;
use gmachine::optimise::Passes;
use gmachine::primitive::{Operand, Primitive};
use gmachine_testing::common::{Mode, code_in, compiled, limits, run, run_after, run_with};
use gmachine_testing::dice::{Dice, number};
use gmachine_testing::hunt::hunter;
use gmachine_testing::numbers::{self, Missing, Number, PRIMITIVES};
use num_bigint::BigInt;
use proptest::prelude::*;

mod libc;

/// A few cases of the kind that `hunt` has many of.
#[test]
fn primitives_give_what_a_second_computation_gives() {
    let (first, cases) = (number("GMACHINE_SEED", 0), number("GMACHINE_CASES", 50));
    let workers: Vec<_> = (0..2)
        .map(|worker| {
            hunter(move || {
                let seeds = (first..first + cases).filter(|seed| seed % 2 == worker);
                seeds.filter_map(|seed| numbers::wrong(seed).err()).collect::<Vec<_>>()
            })
        })
        .collect();
    for worker in workers {
        let wrong = worker.join().expect("panics are caught");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Nothing is known of a product of which one operand is.
#[test]
fn zero_times_what_only_the_run_knows_is_not_zero() {
    let program = "(defn main[i] (let ([x (fdiv 1.0 (itof (length i)))]) (seq x (fmul 0.0 x))))";
    for level in 0..=2 {
        let run = run_after(program, "", Passes::level(level));
        assert_eq!(run.output.trim(), "+nan.0", "-O{level}");
    }
}

/// Every primitive, with all pairs of operands at which something begins or ends.
#[test]
fn every_primitive_is_right_at_its_edges() {
    let integers = [
        "0",
        "1",
        "-1",
        "63",
        "64",
        "4611686018427387903",
        "-4611686018427387904",
        "4611686018427387904",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "18446744073709551615",
        "-18446744073709551616",
        "36893488147419103232",
    ];
    let floats = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        5e-324,
        9_223_372_036_854_775_808.0,
        4_503_599_627_370_496.5,
        1.0842021724855044e-19,
    ];
    let edges = |primitive: Primitive| -> Vec<Number> {
        match primitive.operand() {
            Operand::Float => floats.iter().map(|value| Number::Float(*value)).collect(),
            _ => {
                let parse = |text: &&str| Number::Int(text.parse::<BigInt>().expect("digits"));
                integers.iter().map(parse).collect()
            }
        }
    };
    for &primitive in PRIMITIVES.iter() {
        let edges = edges(primitive);
        let pairs: Vec<Vec<Number>> = match primitive.arity() {
            1 => edges.iter().map(|a| vec![a.clone()]).collect(),
            _ => edges
                .iter()
                .flat_map(|a| edges.iter().map(|b| vec![a.clone(), b.clone()]))
                .collect(),
        };
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        for operands in &pairs {
            let texts: Vec<String> = operands.iter().map(numbers::text).collect();
            if let Ok(result) = numbers::compute(primitive.name(), operands) {
                calls.push(format!("({} {})", primitive.name(), texts.join(" ")));
                results.push(numbers::text(&result));
            }
        }
        assert!(!calls.is_empty());
        let program = format!("(defn main[] [{}])", calls.join("\n"));
        for level in 0..3 {
            let run = run_after(&program, "", Passes::level(level));
            let found: Vec<&str> = run.output.trim_end().split(' ').collect();
            assert_eq!(run.failure.map(|failure| failure.message), None, "{}", primitive.name());
            for ((call, wanted), found) in calls.iter().zip(&results).zip(found) {
                assert_eq!(found, wanted, "{call} at -O{level}");
            }
        }
    }
}

/// Where a program goes by what a float or a word is, the optimiser goes where the machine goes.
#[test]
fn laws_of_other_numbers_are_not_used() {
    let zero = "(defn only[k x] (if (eq k 0) x (error \"input\")))";
    for (expression, wanted) in [
        ("(fmul (only k +nan.0) 0.0)", "+nan.0"),
        ("(fmul (only k -1.0) 0.0)", "-0.0"),
        ("(fsub (only k +inf.0) (only k +inf.0))", "+nan.0"),
        ("(let ([x (only k +nan.0)]) (feq x x))", "0"),
        ("(let ([x (only k +nan.0)]) (if (fle x 1.0) 1 (if (fgt x 1.0) 2 3)))", "3"),
        ("(fadd (only k -0.0) 0.0)", "0.0"),
        ("(fadd (only k 1e16) (fadd 1.0 1.0))", "1.0000000000000002e16"),
        ("(fadd (fadd (only k 1e16) 1.0) 1.0)", "1e16"),
        ("(subi64 (addi64 (only k 9223372036854775807) 1) 1)", "9223372036854775807"),
        ("(lt (addi64 (only k 9223372036854775807) 1) (only k 0))", "1"),
        ("(let ([x (only k 1.0)]) (if (feq x 1.0) (fdiv 1.0 x) 5.0))", "1.0"),
        ("(let ([x (only k -0.0)]) (if (feq x 0.0) (fdiv 1.0 x) 5.0))", "-inf.0"),
    ] {
        let program = format!("{zero}(defn main[input] (let ([k (length input)]) {expression}))");
        for level in 0..3 {
            let run = run_after(&program, "", Passes::level(level));
            assert_eq!(run.output.trim_end(), wanted, "{expression} at -O{level}");
        }
    }
}

/// Counting in floats ends at compile time, whatever it counts to.
#[test]
fn loops_in_floats_are_not_unrolled_without_end() {
    let program = "(defn count[x] (if (fgt x 200000.0) x (count (fadd x 1.0))))
        (defn shrink[x n] (if (feq x 0.0) n (shrink (fmul x 0.5) (add n 1))))
        (defn main[] [(count 0.0) (shrink 1.0 0)])";
    for level in 0..3 {
        let run = run_after(program, "", Passes::level(level));
        assert_eq!(run.output, "200001.0 1075 Nil\n", "at -O{level}");
    }
}

/// Floats of nodes are kept and moved like other nodes, and nothing in them is taken for a pointer.
#[test]
fn floats_survive_collections() {
    let program =
        "(defn main[] (case (build 100 1e300) [xs (Pair (length xs) (foldl' fadd 0.0 xs))]))
        (defn build[n x] (if (eq n 0) Nil (seq x (Cons x (build (sub n 1) (fadd x 1e299))))))";
    for passes in [Passes::NONE, Passes::ALL] {
        let code = compiled(program, passes).unwrap_or_else(|_| panic!("a program"));
        for mode in Mode::all() {
            let config = gmachine::machine::Config { stress: mode.stress, ..limits() };
            let run = code_in(mode.machine, &code, "", Format::Default, config);
            assert_eq!(run.output, "(Pair 100 5.95000000000001e302)\n", "{mode:?}");
        }
    }
}

/// A shift that no memory can hold is a stop at a limit, with a limit and without.
#[test]
fn a_shift_too_large_for_memory_reaches_a_limit() {
    for count in ["100000000000", "9223372036854775807", "99999999999999999999999"] {
        let program = format!("(defn main[] (shl 1 {count}))");
        for passes in [Passes::NONE, Passes::ALL] {
            let code = compiled(&program, passes).unwrap_or_else(|_| panic!("a program"));
            for mode in Mode::all() {
                let run = code_in(mode.machine, &code, "", Format::Default, limits());
                let why = run.failure.map(|failure| failure.message).unwrap_or_default();
                let is_limit = why.starts_with("Heap") || why.starts_with("System");
                assert!(is_limit, "{count} {mode:?}: {why}");
            }
        }
    }
}

/// JSON has no numbers for infinities and the NaN; an expression has.
#[test]
fn floats_have_a_form_in_every_format() {
    let program = "(defn main[] (Pair [1.0 -0.0 1e300 0.1] (Pair +inf.0 +nan.0)))";
    let json = run_with(program, "", Format::Json, limits()).output;
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let floats = &value["fields"][0];
    assert_eq!(floats[0].as_f64(), Some(1.0));
    assert_eq!(floats[2].as_f64(), Some(1e300));
    assert!(floats[0].is_f64() && floats[3].as_f64() == Some(0.1));
    let special = &value["fields"][1]["fields"];
    assert_eq!((&special[0]["float"], &special[1]["float"]), (&"+inf.0".into(), &"+nan.0".into()));
    let text = run_with(program, "", Format::Sexpr, limits()).output;
    let again = run(&format!("(defn main[] {text})"), "");
    assert_eq!(again.output, run(program, "").output);
}

/// A pattern has no floats, and a value that is one is of the wrong kind for all of them.
#[test]
fn what_is_larger_than_anybody_looks_at_is_told_apart() {
    let large = numbers::compute("shl", &[Number::Int(1.into()), Number::Int(1_000_000.into())]);
    assert_eq!(large, Err(Missing::Large));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What is printed reads back as the same bits, in a program too.
    #[test]
    fn a_float_that_is_printed_reads_back(bits: u64) {
        let value = f64::from_bits(bits);
        let text = numbers::shown(value);
        let run = run(&format!("(defn main[] [{text} (ftobits {text})])"), "");
        let wanted = if value.is_nan() { 0x7ff8_u64 << 48 } else { bits };
        prop_assert_eq!(run.output, format!("{text} {wanted} Nil\n"));
    }

    /// The module's text of a float is what the machine prints, and its reader reads it.
    #[test]
    fn the_module_shows_and_reads_what_the_machine_does(seed: u64) {
        let value = numbers::float(&mut Dice::new(seed));
        let text = numbers::shown(value);
        let program = format!(
            "(import float)(defn main[] [(floatShow {text}) (showInt (maybe 0 ftobits (floatRead \"{text}\")))])"
        );
        let bits = if value.is_nan() { 0x7ff8_u64 << 48 } else { value.to_bits() };
        let run = run_after(&program, "", Passes::NONE);
        prop_assert_eq!(run.output, format!("\"{text}\" \"{bits}\" Nil\n"));
    }
}

/// Where one operand is a constant, a report says which one is wrong, and of which primitive, as where
/// none is.
#[test]
fn the_operand_beside_a_constant_float_is_named_as_it_was_written() {
    for (call, name, which) in [
        ("(fadd x 1.0)", "fadd", "first"),
        ("(fadd 1.0 x)", "fadd", "second"),
        ("(fsub x 1.0)", "fsub", "first"),
        ("(fsub 1.0 x)", "fsub", "second"),
        ("(fmul 2.0 x)", "fmul", "second"),
        ("(fdiv x 2.0)", "fdiv", "first"),
        ("(fdiv 2.0 x)", "fdiv", "second"),
        ("(if (flt x 2.0) 1 2)", "flt", "first"),
        ("(if (flt 2.0 x) 1 2)", "flt", "second"),
        ("(if (fge 2.0 x) 1 2)", "fge", "second"),
    ] {
        let wanted =
            format!("`{name}` needs a float, and its {which} operand is the character 'c'");
        let program = format!("(defn f[x] {call}) (defn main[input] (f (last input)))");
        for level in 0..3 {
            let Ok(code) = compiled(&program, Passes::level(level)) else { panic!("{call}") };
            for mode in Mode::all() {
                let run = code_in(mode.machine, &code, "c", Format::Default, limits());
                let found = run.failure.map(|failure| failure.message);
                assert_eq!(found.as_ref(), Some(&wanted), "{call}: {mode:?} at -O{level}");
            }
        }
    }
}

/// A condition that compares with a constant, before or after the other operand.
#[test]
fn conditions_on_floats_and_constants_hold_as_the_numbers_compare() {
    type Holds = fn(f64, f64) -> bool;
    let comparisons: [(&str, Holds); 6] = [
        ("feq", |a, b| a == b),
        ("fneq", |a, b| a != b),
        ("flt", |a, b| a < b),
        ("fle", |a, b| a <= b),
        ("fgt", |a, b| a > b),
        ("fge", |a, b| a >= b),
    ];
    let floats = [0.0, -0.0, 1.0, 1.5, -2.0, 1e300, f64::INFINITY, f64::NAN];
    let (mut conditions, mut wanted) = (Vec::new(), Vec::new());
    for (name, holds) in comparisons {
        for (a, b) in floats.iter().flat_map(|a| floats.map(|b| (*a, b))) {
            let (x, y) = (numbers::shown(a), numbers::shown(b));
            conditions.push(format!("(case k [0 (if ({name} {x} (only k {y})) 1 0)])"));
            conditions.push(format!("(case k [0 (if ({name} (only k {x}) {y}) 1 0)])"));
            wanted.extend([i32::from(holds(a, b)).to_string(), i32::from(holds(a, b)).to_string()]);
        }
    }
    let program = format!(
        "(defn only[k x] (if (eq k 0) x (error \"input\")))
         (defn main[input] (let ([k (length input)]) [{}]))",
        conditions.join("\n")
    );
    let wanted = format!("{} Nil", wanted.join(" "));
    for level in 0..3 {
        let Ok(code) = compiled(&program, Passes::level(level)) else { panic!("no program") };
        for mode in Mode::all() {
            let run = code_in(mode.machine, &code, "", Format::Default, limits());
            assert_eq!(run.output.trim_end(), wanted, "{mode:?} at -O{level}");
        }
    }
}

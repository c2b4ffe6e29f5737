//! `--format sexpr` and `--format json`, from source text: what they write, that an expression
//! reads back as the same value, and that JSON is JSON.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine_testing::common;

const ITEMS: &str = "(import set)
    (data Tree (Leaf) (Node left value right))
    (data Box (Box x))
    (defn square[x] (mul x x))
    (defn both[x y z] (add x y))\n";

fn printed(expression: &str, format: Format) -> (String, Option<String>) {
    let program = format!("{ITEMS}(defn main[] {expression})");
    let config = Config { fuel: Some(1_000_000), ..Config::default() };
    let run = common::run_with(&program, "", format, config);
    (run.output, run.failure.map(|failure| failure.code))
}

/// What a value is as an expression and as JSON.
const VALUES: &[(&str, &str, &str)] = &[
    ("(add 1 2)", "3", "3"),
    ("(negate 5)", "-5", "-5"),
    ("(mul 100000000000 100000000000)", "10000000000000000000000", "10000000000000000000000"),
    ("'a'", "'a'", "\"a\""),
    ("'\\''", "'\\''", "\"'\""),
    ("'\\n'", "'\\n'", "\"\\n\""),
    ("(chr 7)", "'\\u{7}'", "\"\\u0007\""),
    ("Nil", "[]", "[]"),
    ("\"\"", "[]", "[]"),
    ("[1 2]", "[1 2]", "[1,2]"),
    ("\"ab\"", "\"ab\"", "\"ab\""),
    ("\"\\\"\\\\\\n\\0λ\"", "\"\\\"\\\\\\n\\0λ\"", "\"\\\"\\\\\\n\\u0000λ\""),
    ("[[1] \"a\" []]", "[[1] \"a\" []]", "[[1],\"a\",[]]"),
    ("['a' 1]", "['a' 1]", "[\"a\",1]"),
    ("[1 'a']", "[1 'a']", "[1,\"a\"]"),
    ("Leaf", "Leaf", "{\"con\":\"Leaf\",\"fields\":[]}"),
    ("(Box Leaf)", "(Box Leaf)", "{\"con\":\"Box\",\"fields\":[{\"con\":\"Leaf\",\"fields\":[]}]}"),
    ("(Box [1])", "(Box [1])", "{\"con\":\"Box\",\"fields\":[[1]]}"),
    ("(Pair 1 -2)", "(Pair 1 -2)", "{\"con\":\"Pair\",\"fields\":[1,-2]}"),
    ("(Cons 1 2)", "(Cons 1 2)", "{\"con\":\"Cons\",\"fields\":[1,2]}"),
    ("(Cons 'a' (Cons 'b' 2))", "(Cons 'a' (Cons 'b' 2))", ""),
    ("(Cons 'λ' 2)", "(Cons 'λ' 2)", "{\"con\":\"Cons\",\"fields\":[\"λ\",2]}"),
    ("(Cons 'λ' (Cons 1 Leaf))", "(Cons 'λ' (Cons 1 Leaf))", ""),
    ("(Box (Cons 1 (Cons 2 Leaf)))", "(Box (Cons 1 (Cons 2 Leaf)))", ""),
];

#[test]
fn values_are_written_as_told_and_read_back() {
    for &(expression, sexpr, json) in VALUES {
        let written = printed(expression, Format::Sexpr);
        assert_eq!(written, (format!("{sexpr}\n"), None), "{expression}");
        assert_eq!(printed(sexpr, Format::Sexpr), written, "{expression}");
        assert_eq!(printed(sexpr, Format::Default), printed(expression, Format::Default));
        let (output, failure) = printed(expression, Format::Json);
        assert_eq!(failure, None, "{expression}");
        let read: Result<serde_json::Value, _> = serde_json::from_str(&output);
        read.unwrap_or_else(|error| panic!("{expression}: {error}: {output}"));
        if !json.is_empty() {
            assert_eq!(output, format!("{json}\n"), "{expression}");
        }
    }
}

#[test]
fn functions_with_a_name_read_back_and_others_are_an_error() {
    for (expression, sexpr) in [
        ("square", "square"),
        ("add", "add"),
        ("(if 1)", "(if 1)"),
        ("Cons", "Cons"),
        ("(Node Leaf 1)", "(Node Leaf 1)"),
        ("(both (add 1 1))", "(both 2)"),
        ("(both 1 [2])", "(both 1 [2])"),
        ("(map (both 1) [2 3])", "[(both 1 2) (both 1 3)]"),
        ("(let ([f (both 7)]) f)", "(both 7)"),
        ("(K square 1)", "square"),
    ] {
        assert_eq!(printed(expression, Format::Sexpr), (format!("{sexpr}\n"), None));
        assert_eq!(printed(sexpr, Format::Sexpr), (format!("{sexpr}\n"), None));
    }
    for lambda in ["(fn [x] x)", "(Box (fn [x] x))", "(let ([f (fn [x] x)]) [f])"] {
        assert_eq!(printed(lambda, Format::Sexpr).1.as_deref(), Some("G0512"), "{lambda}");
    }
    for (function, json) in [
        ("square", "{\"function\":\"square\"}"),
        ("(both 1)", "{\"function\":\"both\"}"),
        ("(fn [x] x)", "{\"function\":null}"),
        ("[add]", "[{\"function\":\"add\"}]"),
    ] {
        assert_eq!(printed(function, Format::Json), (format!("{json}\n"), None), "{function}");
    }
}

#[test]
fn what_the_program_cannot_name_does_not_read_back() {
    // A set is made of a map, and the program imports sets alone.
    let (_, failure) = printed("(setFromList [1])", Format::Sexpr);
    assert_eq!(failure.as_deref(), Some("G0512"));
    let own = "(data Pair (Pair a b)) (defn main[] (zip [1] [2]))";
    let run = common::run_with(own, "", Format::Sexpr, Config::default());
    assert_eq!(run.failure.map(|failure| failure.code).as_deref(), Some("G0512"));
    let own = "(defn sum[x] x) (defn main[] [(K sum 1) (uncurry K (Pair foldr 1))])";
    let run = common::run_with(own, "", Format::Sexpr, Config::default());
    assert_eq!((run.output.as_str(), run.failure), ("[sum foldr]\n", None));
}

#[test]
fn values_without_end_stop_at_a_limit_in_every_format() {
    for expression in [
        "(letrec ([xs (Cons 1 xs)]) xs)",
        "(letrec ([xs (Cons 'a' xs)]) xs)",
        "(letrec ([t (Node t 1 t)]) t)",
        "(letrec ([b (Box b)]) b)",
        "(letrec ([b (Box [b])]) [b])",
        "(from 1)",
    ] {
        for format in [Format::Default, Format::Sexpr, Format::Json] {
            let (output, failure) = printed(expression, format);
            assert_eq!(failure.as_deref(), Some("stop"), "{expression}");
            assert!(output.is_empty() || output.ends_with('\n'), "{expression}");
        }
    }
}

#[test]
fn deep_values_are_written_in_every_format() {
    let depth = 20_000;
    let run = |format| {
        let program = format!(
            "(data Box (Box x) (End)) (defn main[] (deep {depth} End))
             (defn deep[n b] (if (eq n 0) b (deep (sub n 1) (Box b))))"
        );
        common::run_with(&program, "", format, Config::default())
    };
    let written = format!("{}End{}\n", "(Box ".repeat(depth), ")".repeat(depth));
    for format in [Format::Default, Format::Sexpr] {
        let run = run(format);
        assert_eq!(run.failure, None);
        assert!(run.output == written);
    }
    let json = run(Format::Json);
    assert_eq!((json.failure, json.output.matches("Box").count()), (None, depth));
}

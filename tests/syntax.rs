//! The front end from outside: reports of mistakes, and what must never happen.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::Path;

use gmachine::base::code::Code;
use gmachine::base::diagnostic::{Diagnostic, Severity};
use gmachine::base::name::Interner;
use gmachine::base::source::SourceMap;
use gmachine::syntax::ast::Ast;
use gmachine::syntax::parse::{parse_expression, parse_file};
use gmachine_testing::shapes;
use proptest::prelude::*;

/// The tree and the reports of a text.
fn parse(name: &str, text: &str) -> (SourceMap, Ast, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let file = sources.add(name, None, text, false).unwrap();
    let (mut names, mut ast, mut reports) = (Interner::new(), Ast::default(), Vec::new());
    parse_file(&sources, file, &mut names, &mut ast, &mut reports);
    (sources, ast, reports)
}

fn reports(text: &str) -> Vec<Diagnostic> {
    parse("t", text).2
}

/// One line for each part of a report.
fn render(sources: &SourceMap, report: &Diagnostic) -> String {
    let kind = if report.severity == Severity::Error { "error" } else { "warning" };
    let place = |span| match sources.place(span) {
        Some(place) => place.to_string(),
        None => "-".to_string(),
    };
    let text = |span| format!("`{}`", gmachine::base::quote::for_message(sources.text(span)));
    let mut out =
        format!("{kind}[{}] {}: {}\n", report.code, place(report.primary.span), report.message);
    writeln!(out, "  at {} {}", text(report.primary.span), report.primary.text).unwrap();
    for label in &report.secondary {
        writeln!(out, "  also {} {}: {}", place(label.span), text(label.span), label.text).unwrap();
    }
    for note in &report.notes {
        writeln!(out, "  note: {note}").unwrap();
    }
    if let Some(help) = &report.help {
        writeln!(out, "  help: {help}").unwrap();
    }
    out.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Each file of the directory has its reports beside it. With `UPDATE_GOLDEN` set they are
/// written anew.
#[test]
fn every_mistake_has_its_report() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/syntax");
    let mut sources: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "core"))
        .collect();
    sources.sort();
    assert!(sources.len() >= 140, "cases have got lost: {}", sources.len());
    let mut wrong = Vec::new();
    for path in sources {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let (map, _, found) = parse(&name, &text);
        assert_eq!(found.is_empty(), name.starts_with("right"), "{name}: {found:?}");
        let shown: String = found.iter().map(|report| render(&map, report)).collect();
        let expected = path.with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&expected, &shown).unwrap();
        }
        if std::fs::read_to_string(&expected).unwrap_or_default() != shown {
            wrong.push(format!("{name}:\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The example of a code's explanation.
fn example(code: Code) -> &'static str {
    let start = code.explanation().split("```coref\n").nth(1);
    start
        .and_then(|rest| rest.split("\n```").next())
        .unwrap_or_else(|| panic!("{code} has no example"))
}

#[test]
fn every_explanation_shows_its_own_mistake() {
    let own = |code: &&Code| code.id().starts_with("G01") || code.id().starts_with("G02");
    for &code in Code::ALL.iter().filter(own) {
        let text = example(code);
        // Not text, too long to show, about a text that is one expression, JSON and modules.
        let others = [
            Code::InvalidUtf8,
            Code::TooLarge,
            Code::ExpectedExpression,
            Code::BadJson,
            Code::BadModule,
        ];
        if others.contains(&code) {
            continue;
        }
        let found: Vec<_> = reports(text).iter().map(|report| report.code).collect();
        assert_eq!(found, [code], "{text}");
    }
}

#[test]
fn every_form_parses() {
    let text = r#"
        (import "other.core") (import map)
        (data Tree (Leaf) (Node left _ right))
        (defn _[] 1)
        (defn f[] (f)) (defn g[x _ x'] [x -5 'c' "s" []])
        (defn h[x] (let () x)) (defn i[x] (let ([a 1] [_ a]) (letrec ([b b]) (fn [_ y] (b y)))))
        (defn j[x] (case x [_ 1] [y 2] [-1 3] ['c' 4] ["s" 5] [(Nil) 6] [(Cons (Leaf) _) 7]))
    "#;
    assert_eq!(reports(text), []);
    assert_eq!(parse("t", text).1.items.len(), 9);
}

#[test]
fn a_text_of_one_expression_is_one() {
    let codes = |text: &str| -> Vec<_> {
        let mut sources = SourceMap::new();
        let file = sources.add("e", None, text, false).unwrap();
        let (mut names, mut ast, mut reports) = (Interner::new(), Ast::default(), Vec::new());
        parse_expression(&sources, file, &mut names, &mut ast, &mut reports);
        assert!(ast.items.is_empty());
        reports.iter().map(|report| report.code.id()).collect()
    };
    assert!(codes("(add 1 2)").is_empty());
    assert!(codes("; hm\n x").is_empty());
    assert_eq!(codes(""), ["G0205"]);
    assert_eq!(codes("f x"), ["G0205"]);
    assert_eq!(codes("(f x"), ["G0201"]);
    assert_eq!(codes("(defn main[] 1)"), ["G0205"]);
    assert_eq!(codes("(defn f)"), ["G0208"]);
    assert_eq!(codes("let"), ["G0215"]);
    assert_eq!(codes("_"), ["G0216"]);
    assert_eq!(codes("1 § 2"), ["G0101"]);
}

#[test]
fn a_hundred_reports_a_file_and_the_rest_is_counted() {
    let found = reports(&format!("(defn f[] [{}])", "_ ".repeat(1000)));
    assert_eq!(found.len(), 100);
    assert_eq!(found[99].notes, ["900 more mistakes in this file are not shown"]);
    let found = reports(&format!("(defn f[] [{}])", "_ ".repeat(101)));
    assert_eq!(found[99].notes, ["1 more mistake in this file are not shown"]);
}

#[test]
fn a_million_levels_parse() {
    let million = 1_000_000;
    for (at, (open, leaf, close)) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("(f ", "1", ")"),
        ("(f [", "1", "])"),
        ("(let ([x ", "1", "]) x)"),
        ("(letrec ([x x]) ", "1", ")"),
        ("(fn [x] ", "1", ")"),
        ("(case ", "1", " [_ 1])"),
        ("(case 1 [_ ", "1", "])"),
    ]
    .into_iter()
    .enumerate()
    {
        // Each form is many; the first two are a million.
        let n = if at < 2 { million } else { million / 8 };
        let text = format!("(defn f[] {}{leaf}{})", open.repeat(n), close.repeat(n));
        assert_eq!(reports(&text), [], "{open}");
    }
    let n = million / 8;
    let text = format!("(defn f[x] (case x [{}y{} 1]))", "(A ".repeat(n), ")".repeat(n));
    assert_eq!(reports(&text), []);
    let junk = format!("(defn f[{}{}] 1)", "[".repeat(n), "]".repeat(n));
    assert_eq!(reports(&junk).len(), 1);
    let comment = format!("{}{}(defn f[] 1)", "#|".repeat(n), "|#".repeat(n));
    assert_eq!(reports(&comment), []);
}

#[test]
fn a_million_unbalanced_brackets_are_one_mistake() {
    let n = 1_000_000;
    for text in
        ["(".repeat(n), "[".repeat(n), "([".repeat(n / 2), format!("(defn f[] {}", "(g ".repeat(n))]
    {
        let found = reports(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].code.id(), "G0201");
        assert!(found[0].notes[0].contains(" more brackets"), "{:?}", found[0].notes);
    }
    for text in [")".repeat(n), "])".repeat(n / 2), format!("(defn f[] 1{}", ")".repeat(n))] {
        let found = reports(&text);
        assert_eq!(found.iter().map(|report| report.code.id()).collect::<Vec<_>>(), ["G0202"]);
    }
    // Each bracket is wrong, and only the first is a mistake that is known to be one.
    let crossed = format!("(defn f[] {}{})", "(".repeat(n), "]".repeat(n));
    assert_eq!(reports(&crossed).len(), 1);
}

#[test]
fn a_million_mistakes_cost_no_more_than_a_hundred() {
    let n = 1_000_000;
    for part in [
        "§ ",
        "_ ",
        "() ",
        "12ab ",
        "'' ",
        "(let) ",
        "(defn ",
        "(fn [1] 2) ",
        "\"\\q\" ",
        "{ ",
        "\"\n",
    ] {
        let found = reports(&format!("(defn f[] [{}])", part.repeat(n)));
        assert!((1..=100).contains(&found.len()), "{part}: {}", found.len());
    }
}

#[test]
fn large_tokens_are_read() {
    let name = "n".repeat(1 << 20);
    assert_eq!(reports(&format!("(defn {name}[] {name})")), []);
    let found = reports(&format!("(defn f[] 1{name})"));
    assert!(found[0].message.len() < 300, "{}", found[0].message.len());
    let digits = "7".repeat(1_000_000);
    let (_, ast, found) = parse("t", &format!("(defn f[] -{digits})"));
    assert_eq!(found, []);
    assert_eq!(ast.bigs.len(), 1);
    assert_eq!(reports(&format!("(defn f[] \"{digits}\")")), []);
}

#[test]
fn generated_programs_are_right() {
    let text = shapes::program(200_000);
    assert_eq!(reports(&text), []);
    assert_eq!(text, shapes::program(200_000));
}

/// Pieces of source, right and wrong.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "(",
    ")",
    "[",
    "]",
    " ",
    "\n",
    "(defn ",
    "(data ",
    "(import ",
    "(let ",
    "(letrec ",
    "(fn ",
    "(case ",
    "defn",
    "data",
    "import",
    "let",
    "fn",
    "case",
    "_",
    "x ",
    "Cons ",
    "1 ",
    "-5 ",
    "12ab ",
    "5-3",
    "'a'",
    "'",
    "''",
    "\"s\"",
    "\"",
    "\\",
    "'\\q'",
    "\"\\u{D800}\"",
    "#|",
    "|#",
    ";",
    "{",
    "}",
    "§",
    "\0",
    "\u{1b}[31m",
    "“",
    "([x 1])",
    "[x]",
    "[(Nil) 1]",
    "(defn f[x] x)\n",
    "-",
    "\u{FEFF}",
];

/// Whether the tree of a text has an error node.
fn has_error(ast: &Ast) -> bool {
    use gmachine::syntax::ast::{Expr, Pat};
    ast.exprs.iter().any(|expr| *expr == Expr::Error)
        || ast.pats.iter().any(|pat| *pat == Pat::Error)
}

/// The first item is never closed, so it does not end in a bracket that could be too many.
#[test]
fn what_may_be_too_many_is_a_bracket() {
    let text = "(defn §(defn ))x )";
    let (_, _, found) = parse("t", text);
    for label in found.iter().flat_map(|report| &report.secondary) {
        let range = label.span.lo as usize - 1..label.span.hi as usize - 1;
        assert!(text.get(range.clone()).is_some(), "{range:?} {found:?}");
        assert!(!label.text.contains("too many") || text.get(range) == Some(")"), "{found:?}");
    }
}

/// So functions are written that are the last argument of something. What is missing then may be told by another
/// line, or by none.
#[test]
fn the_body_of_a_function_may_begin_left_of_it() {
    let cases = [
        (
            "(defn f[n]\n  (bind ask (fn [l]\n  (bind tell (fn [_]\n    (go l n)))))\n(defn g[] 1)",
            None,
        ),
        ("(defn f[xs]\n  (foldr xs (fn [d e]\n    (add d e)) 0)\n(defn g[] 1)", None),
        ("(defn f[n]\n  (bind ask (fn [l]\n  (go (add l 1\n    n)))\n(defn g[] 1)", Some("(add")),
        ("(defn f[n]\n  (bind ask (fn [l]\n (go l n)))\n(defn g[] 1)", Some("(fn")),
        ("(defn f[n]\n  (bind ask (fn [l] (go l)\n    n))\n(defn g[] 1)", Some("(fn")),
    ];
    for (text, expected) in cases {
        let (_, _, found) = parse("t", text);
        let labels = found.iter().flat_map(|report| &report.secondary);
        let told: Vec<&str> = labels
            .filter(|label| label.text.contains("may lack its end"))
            .filter_map(|label| text.get(label.span.lo as usize - 1..))
            .collect();
        let is_told = match expected {
            Some(start) => told.len() == 1 && told[0].starts_with(start),
            None => told.is_empty(),
        };
        assert!(is_told, "{text}: {told:?}");
    }
}

/// A keyword without its first bracket, a bracket that closes nothing and a text without an end explain each
/// other: not all three ways round.
#[test]
fn of_mistakes_that_explain_each_other_one_is_told() {
    for text in [
        "x[defn{\"([x 1])",
        "(defn main[] 1)\nx[defn\"])",
        "(defn f[x] x)\ndefndefn[defn{\"([x 1])",
    ] {
        let (_, _, found) = parse("t", text);
        assert!(!found.is_empty(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn token_soup_ends_and_errors_are_reported(pieces in prop::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
        let (sources, ast, found) = parse("t", &text);
        prop_assert!(!has_error(&ast) || !found.is_empty());
        for report in &found {
            prop_assert!(report.message != "this does not belong here", "{}", text);
            for label in std::iter::once(&report.primary).chain(&report.secondary) {
                prop_assert!(sources.place(label.span).is_some(), "{:?} {:?}", report, text);
                let range = label.span.lo as usize - 1..label.span.hi as usize - 1;
                prop_assert!(text.get(range).is_some(), "{:?} {:?}", report, text);
            }
        }
        if found.is_empty() {
            let printed = gmachine::syntax::listing::tokens(&sources, 0);
            prop_assert!(!printed.contains(" error "), "{}", printed);
        }
    }

    #[test]
    fn any_text_ends(text: String) {
        let (_, ast, found) = parse("t", &text);
        prop_assert!(!has_error(&ast) || !found.is_empty());
    }

    #[test]
    fn one_bracket_less_is_found(size in 100usize..3000, which in any::<prop::sample::Index>()) {
        let text = shapes::program(size);
        let brackets: Vec<_> = text.match_indices(['(', ')', '[', ']']).map(|(at, _)| at).collect();
        let at = brackets[which.index(brackets.len())];
        let broken = format!("{}{}", &text[..at], &text[at + 1..]);
        let found = reports(&broken);
        prop_assert!(!found.is_empty());
        prop_assert!(found.len() <= 3, "{} reports of one mistake: {:#?}", found.len(), found);
    }
}

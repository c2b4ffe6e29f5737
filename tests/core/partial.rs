//! The values that no alternative of a case matches, against a search through all small values.

use gmachine_testing::common::check;
use proptest::prelude::*;

/// A value or a pattern: `_` is the pattern of anything.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Term(&'static str, Vec<Term>);

impl Term {
    fn text(&self) -> String {
        match self.1.is_empty() {
            true => self.0.to_owned(),
            false => {
                let fields: String =
                    self.1.iter().map(|field| format!(" {}", field.text())).collect();
                format!("({}{fields})", self.0)
            }
        }
    }

    fn matches(&self, value: &Term) -> bool {
        self.0 == "_"
            || self.0 == value.0
                && self.1.iter().zip(&value.1).all(|(one, other)| one.matches(other))
    }
}

const DATA: &str = "(data T (A) (B t) (C one other))";

/// All values of at most so many levels; what is cut off is an `A`, so a pattern of fewer levels
/// matches one of them if it matches any value.
fn values(levels: usize) -> Vec<Term> {
    let mut all = vec![Term("A", vec![])];
    for _ in 1..levels {
        let fields = all.clone();
        all = vec![Term("A", vec![])];
        all.extend(fields.iter().map(|field| Term("B", vec![field.clone()])));
        for one in &fields {
            all.extend(fields.iter().map(|other| Term("C", vec![one.clone(), other.clone()])));
        }
    }
    all
}

fn pattern() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![Just(Term("_", vec![])), Just(Term("A", vec![]))];
    leaf.prop_recursive(2, 7, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|field| Term("B", vec![field])),
            (inner.clone(), inner).prop_map(|(one, other)| Term("C", vec![one, other])),
        ]
    })
}

/// Reads a pattern of the message.
fn read(words: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Term {
    while words.next_if(|&c| c == ' ' || c == '(').is_some() {}
    let name = match words.next() {
        Some('A') => "A",
        Some('B') => "B",
        Some('C') => "C",
        _ => "_",
    };
    let fields = match name {
        "B" => vec![read(words)],
        "C" => vec![read(words), read(words)],
        _ => vec![],
    };
    while words.next_if_eq(&')').is_some() {}
    Term(name, fields)
}

/// What the check says of the only case of a program.
fn said(program: &str) -> Option<String> {
    let found = check(program).into_iter().find(|report| report.starts_with("G0408"))?;
    found.split_once("no alternative for ").map(|(_, missing)| missing.to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    /// A case is said to be partial if there is a value that it does not match, and not else; and
    /// no alternative matches what is named.
    #[test]
    fn a_case_is_partial_if_a_value_matches_nothing(rows in prop::collection::vec(pattern(), 2..7)) {
        let rows_text: String = rows.iter().map(|row| format!(" [{} 1]", row.text())).collect();
        let program = format!("{DATA} (defn main[] (f A)) (defn f[x] (case x{rows_text}))");
        let unmatched = |value: &&Term| !rows.iter().any(|row| row.matches(value));
        let values = values(4);
        let all: Vec<&Term> = values.iter().filter(unmatched).collect();
        let said = said(&program);
        prop_assert_eq!(said.is_some(), !all.is_empty(), "{}: {:?}", program, said);
        for named in said.iter().flat_map(|said| said.split('`').skip(1).step_by(2)) {
            let named = read(&mut named.chars().peekable());
            prop_assert!(all.iter().any(|value| named.matches(value)), "{program}: {named:?}");
            let mut instances = values.iter().filter(|value| named.matches(value));
            prop_assert!(instances.all(|value| unmatched(&value)), "{program}: {named:?}");
        }
    }
}

#[test]
fn what_a_case_leaves_out_is_said_in_words() {
    let missing = |case: &str| {
        let shape = "(data Shape (Circle r) (Square a) (Dot) (Line) (Arc))";
        said(&format!("{shape} (defn main[] (f 1)) (defn f[x] (case x {case}))"))
    };
    assert_eq!(missing("[(Circle r) r] [(Square a) a] [_ 0]"), None);
    assert_eq!(
        missing("[(Circle 1) 1] [(Circle r) r]").unwrap(),
        "`(Square _)`, `Dot`, `Line` and others"
    );
    // A selection is meant so.
    assert_eq!(missing("[(Circle r) r]"), None);
    assert_eq!(missing("[(Circle r) r] [(Square a) a] [Dot 1] [Line 2]").unwrap(), "`Arc`");
    assert_eq!(missing("[0 1] [1 2]").unwrap(), "all other integers");
    assert_eq!(missing("['a' 1] ['b' 2]").unwrap(), "all other characters");
    assert_eq!(missing("[(Cons 1 _) 1] [(Cons x _) x]").unwrap(), "`Nil`");
    assert_eq!(missing("[Nil 0] [(Cons x Nil) x]").unwrap(), "`(Cons _ (Cons _ _))`");
    assert_eq!(missing("[\"a\" 1] [Nil 2]").unwrap(), "`(Cons _ _)` and `(Cons 'a' (Cons _ _))`");
}

#[test]
fn a_large_case_is_looked_through_in_little_work() {
    let rows: String = (0..20_000).map(|n| format!("[{n} {n}]")).collect();
    let program = format!("(defn main[] (f 1)) (defn f[x] (case x {rows}))");
    assert_eq!(said(&program).unwrap(), "all other integers");
    let deep = format!("{}y{}", "(Cons _ ".repeat(100_000), ")".repeat(100_000));
    let program = format!("(defn main[] (f [])) (defn f[x] (case x [{deep} y] [{deep} y]))");
    let said = said(&program).unwrap();
    assert!(said.starts_with("`Nil`, `(Cons _ Nil)`") && said.len() < 200, "{said}");
}

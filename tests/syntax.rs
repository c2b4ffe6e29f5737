//! The front end from outside: reports of mistakes, and what must never happen.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::Path;

use gmachine::base::diagnostic::{Diagnostic, Severity};
use gmachine::base::name::Interner;
use gmachine::base::source::SourceMap;
use gmachine::syntax::ast::Ast;
use gmachine::syntax::parse::{parse_expression, parse_file};
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
    let text = |span| format!("`{}`", gmachine::base::quote::shown(sources.text(span)));
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

//! Programs of several files, run.
#![allow(clippy::unwrap_used)]

use std::io;
use std::path::Path;

use gmachine::driver::{Options, build};
use gmachine::load::{Loader, Source};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};

/// Files given as text.
struct Files<'a>(&'a [(&'a str, &'a str)]);

impl Loader for Files<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let path = gmachine::load::normal(path);
        let found = self.0.iter().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or(io::ErrorKind::NotFound.into())
    }
}

/// What the first of some files prints, or the codes of what there is to report.
fn run(files: &[(&str, &str)]) -> String {
    let built = build(&Source::path(files[0].0), &Files(files), &Options::RUN);
    let reports: Vec<String> = built.diagnostics.iter().map(|r| r.code.to_string()).collect();
    let Some(program) = built.gcode else { return reports.join(" ") };
    assert_eq!(reports, Vec::<String>::new());
    let mut machine = Machine::new(program, Config::default());
    let mut out = String::new();
    machine.start(Format::Default, None).unwrap();
    machine.run(&mut out).unwrap();
    out.trim_end().to_owned()
}

#[test]
fn a_file_is_loaded_once_however_often_and_by_whatever_spelling() {
    let main = r#"(import "a.core") (import "b.core") (import "./a.core") (import "d/../a.core")
        (defn main[] (add one two))"#;
    let a = r#"(import "main.core") (import "d/c.core") (defn one[] 1)"#;
    let b = r#"(import "d/c.core") (defn two[] (add one base))"#;
    let c = r#"(import "../a.core") (import "c.core") (defn base[] 10)"#;
    let files = [("main.core", main), ("a.core", a), ("b.core", b), ("d/c.core", c)];
    assert_eq!(run(&files), "12");
}

#[test]
fn files_share_one_namespace_and_main_may_be_in_any() {
    let files =
        [("a.core", r#"(import "b.core") (data T (A x))"#), ("b.core", "(defn main[] (A 1))")];
    assert_eq!(run(&files), "(A 1)");
    let twice = [
        ("a.core", r#"(import "b.core") (defn f[] 1) (defn main[] f)"#),
        ("b.core", "(defn f[] 2)"),
    ];
    assert_eq!(run(&twice), "G0302");
}

#[test]
fn what_a_file_defines_hides_the_prelude_in_all_files_of_the_program() {
    let files = [
        ("a.core", r#"(import "b.core") (defn main[] [(add 3 4) (sum [1 2])])"#),
        ("b.core", "(defn add[x y] (mul x y))"),
    ];
    assert_eq!(run(&files), "12 3 Nil");
}

#[test]
fn a_module_is_imported_for_all_files_and_any_number_of_times() {
    let files = [
        ("a.core", r#"(import set) (import "b.core") (import set) (defn main[] (size [3 1 3]))"#),
        ("b.core", "(import map) (import set) (defn size[xs] (setSize (setFromList xs)))"),
    ];
    assert_eq!(run(&files), "2");
    let files = [
        ("a.core", r#"(import "b.core") (defn main[] (setSize (setFromList [1])))"#),
        ("b.core", "(import set)"),
    ];
    assert_eq!(run(&files), "1");
}

#[test]
fn what_cannot_be_imported_is_one_report() {
    assert_eq!(run(&[("a.core", r#"(import "b.core") (defn main[] (f unknown))"#)]), "G0701");
    assert_eq!(run(&[("a.core", "(import sets) (defn main[] (setSize 1))")]), "G0310");
    assert_eq!(run(&[("a.core", r#"(import "a.core") (defn main[] 1)"#)]), "1");
    assert_eq!(run(&[("a.core", "")]), "G0308");
}

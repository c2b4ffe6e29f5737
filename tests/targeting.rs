//! What front ends rely on: places in the original text, display names, primitives that nothing
//! hides, and the compiler on the page for them.

use std::io;
use std::path::Path;
use std::process::{Command, Output};

use gmachine::diagnostic::SourceMap;
use gmachine::render::Renderer;
use gmachine::{Engine, Eval, Loader, MachineKind, MainFile, Module, Passes, Source, Stop, Store};
use gmachine_testing::modules::to_json;

use crate::PROJECT;

/// The files beside the generated code.
struct Files(&'static [(&'static str, &'static str)]);

impl Loader for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let found = self.0.iter().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or(io::ErrorKind::NotFound.into())
    }
}

const MAIN: &str = "module Main where\nf x = 1 `div` x\nmain = print (f 0)\n";
const FILES: Files = Files(&[("gen/Main.hs", MAIN)]);

fn root(text: &str) -> Source {
    let file = MainFile::Text {
        name: "out.core".to_owned(),
        text: text.as_bytes().to_vec(),
        directory: Some("gen".into()),
    };
    Source { file: Some(file), expression: None }
}

fn module(engine: &Engine, text: &str) -> Module {
    engine.compile_source(&root(text), &FILES).unwrap_or_else(|error| panic!("{error}"))
}

/// The report of the failure of a program, of which each machine has the same.
fn failure(text: &str) -> String {
    failure_after(Passes::ALL, text)
}

fn failure_after(passes: Passes, text: &str) -> String {
    report_of(passes, text, |store| {
        let main = store.global("main").expect("main");
        match store.force(&main) {
            Err(gmachine::Error::Stop(stop)) => stop,
            other => panic!("{other:?}"),
        }
    })
}

/// The report of the failure of a program that is performed, of which each machine has the same.
fn performed_after(passes: Passes, text: &str) -> String {
    report_of(passes, text, |store| {
        let ended = store.run_main(None, &mut String::new(), gmachine::Format::Default);
        ended.expect_err("it fails")
    })
}

/// What is told of how a program stops, the same on each machine.
fn report_of(passes: Passes, text: &str, stop: impl Fn(&mut Store) -> Stop) -> String {
    let reports = MachineKind::ALL.iter().map(|&kind| {
        let mut engine = Engine::new();
        engine.set_machine(kind);
        engine.set_passes(passes);
        let module = module(&engine, text);
        let stop = stop(&mut Store::new(&module));
        Renderer::plain().stop(&stop, module.sources())
    });
    let reports: Vec<String> = reports.collect();
    assert!(reports.iter().all(|report| *report == reports[0]), "{reports:#?}");
    reports[0].clone()
}

/// The reports of the compiler.
fn reports(text: &str) -> String {
    let engine = Engine::new();
    let render = |diagnostics: &[_], sources: &SourceMap| {
        Renderer::plain().diagnostics(diagnostics, sources)
    };
    match engine.compile_source(&root(text), &FILES) {
        Ok(module) => render(module.warnings(), module.sources()),
        Err(error) => render(&error.diagnostics, &error.sources),
    }
}

#[test]
fn a_failure_points_into_the_original_text() {
    let report = failure(
        "{at \"Main.hs\" 2 1} (defn f[x] {at 2 7 2 16} (div 1 x))\n\
         {at 3 1} (defn main[] {at 3 15 3 18} (f 0))\n",
    );
    insta::assert_snapshot!(report, @r"
    error[G0502]: `div` by zero
     --> Main.hs:2:7
      |
    2 | f x = 1 `div` x
      |       ^^^^^^^^^ the divisor is 0
    ");
}

/// Library code, without places: what can only fail, by itself, by way of others, in a circle, as a
/// function that is given too much, whatever a condition says.
const FAILING: &str = "
(defn failWith[text] (error (append \"no \" text)))
(defn failBy[text] (failWith (append \"more \" text)))
(defn failAfter[n] (if (le n 0) (error \"at the end\") (failThen (sub n 1))))
(defn failThen[n] (if (eq n 77) (failWith \"77\") (failAfter n)))
(defn failEither[n] (case n [0 (failWith \"0\")] [1 (throw 1)] [_ (let ([m (add n 1)]) (failAfter m))]))
(defn failAs[x] (throwAgain x))
(defn failFirst[x] (add (failWith x) 1))
(defn loop[n] (turn (add n 1)))
(defn turn[n] (if (eq n -1) (failWith \"wrapped\") (loop n)))
";

#[test]
fn a_last_call_of_what_can_only_fail_is_told_where_it_stands() {
    let calls = [
        "(failWith \"x\")",
        "(failBy \"x\")",
        "(failAfter 100)",
        "(failEither x)",
        "((failWith \"x\") 1)",
        "(failFirst \"x\")",
        "(if (eq x 3) (failWith \"a\") (failBy \"b\"))",
        "(let ([y (add x 1)]) (failAfter y))",
        "(seq x (failBy \"x\"))",
        "(case x [0 5] [_ (failBy \"x\")])",
        "((fn [t] (failBy t)) \"x\")",
    ];
    for call in calls {
        // Nothing of the caller is left to do after the call.
        let text = format!(
            "{FAILING}{{at \"Main.hs\" 2 1}} (defn f[x] {{at 2 7 2 16}} {call})\n\
             {{at 3 1}} (defn main[] {{at 3 15 3 18}} (f 3))\n"
        );
        for level in 0..3 {
            let report = failure_after(Passes::level(level), &text);
            assert!(report.contains("--> Main.hs:2:7"), "{call} at -O{level}:\n{report}");
        }
    }
}

/// Library code that performs: its own actions have no place, and have taken the place of the one that the
/// program performs by the time that one of them fails.
const FAILING_ACTIONS: &str = "
(defn fetch[x] (bind (return x) (fn [y] (bind (store y) (fn [z] (return (add z 1)))))))
(defn store[y] (bind (writeCell y 1) (fn [_] (return 1))))
(defn raise[x] (bind (return x) (fn [y] (throw (add y 1)))))
(defn after[m n] (bind m (fn [_] n)))
(defn again[m] (handle m (fn [e t] (throwAgain e t)) (fn [c s t] (throwAgain c t))))
";

#[test]
fn a_library_s_action_that_fails_is_told_at_the_action_in_the_original_that_it_is_part_of() {
    let actions = ["(fetch 5)", "(again (fetch 5))", "(raise 1)", "(again (raise x))"];
    for action in actions {
        // What the program does with the value, that it goes on or not, is no part of it.
        for (main, place) in [
            (format!("(bind {{at 2 7 2 16}} {action} (fn [y] {{at 3 8}} (return y)))"), "2:7"),
            (
                format!(
                    "(handle {{at 2 7}} {action} (fn [e t] (throwAgain e t)) (fn [c s t] (throwAgain c t)))"
                ),
                "2:7",
            ),
            (
                format!(
                    "(bind {{at 1 1}} (after (return 1) (return x)) \
                     (fn [z] (bind {{at 2 7 2 16}} {action} (fn [y] {{at 3 8}} (return (add y z))))))"
                ),
                "2:7",
            ),
        ] {
            let text = format!(
                "{FAILING_ACTIONS}{{at \"Main.hs\" 1 8}} (defn main[] (act 1))\n\
                 {{at \"Main.hs\" 1 3}} (defn act[x] {main})\n"
            );
            for level in 0..3 {
                let report = performed_after(Passes::level(level), &text);
                assert!(
                    report.contains(&format!("--> Main.hs:{place}")),
                    "{main} at -O{level}:\n{report}"
                );
            }
        }
    }
}

#[test]
fn a_circle_of_what_never_returns_takes_no_stack() {
    let text = format!("{FAILING}(defn main[] (loop 0))");
    for level in 0..3 {
        for &kind in MachineKind::ALL {
            let mut engine = Engine::new();
            engine.set_machine(kind);
            engine.set_passes(Passes::level(level));
            let module = module(&engine, &text);
            let mut store = Store::new(&module);
            store.set_fuel(Some(300_000));
            store.set_heap_limit(Some(1 << 20));
            let main = store.global("main").expect("main");
            let stop = match store.force(&main) {
                Err(gmachine::Error::Stop(stop)) => stop.to_string(),
                other => panic!("{other:?}"),
            };
            assert!(stop.contains("steps is reached"), "{kind:?} at -O{level}: {stop}");
        }
    }
}

#[test]
fn a_failure_without_the_original_text_says_file_line_and_column() {
    let report = failure(
        "{at \"Other.hs\" 2 1} (defn f[x] {at 2 7} (div 1 x))\n\
         {at 3 1} (defn main[] {at 3 15} (add 1 (f 0)))\n",
    );
    insta::assert_snapshot!(report, @r"
    error[G0502]: `div` by zero
    --> Other.hs:2:7
    ");
}

#[test]
fn a_place_that_the_original_text_does_not_have_is_named_all_the_same() {
    let report = failure("{at \"Main.hs\" 900 1} (defn main[] (div 1 0))");
    assert!(report.contains("--> Main.hs:900:1"), "{report}");
}

#[test]
fn a_report_of_the_compiler_says_where_the_code_is_too() {
    insta::assert_snapshot!(reports("{at \"Main.hs\" 3 1}\n(defn main[] {at 3 15}(g 0))"), @r"
    error[G0301]: `g` is not bound
     --> Main.hs:3:15
      |
    3 | main = print (f 0)
      |               ^
      |
      = note: the code that was generated for this is at out.core:2:24
    ");
}

#[test]
fn a_mistake_in_the_form_of_the_code_shows_the_code() {
    insta::assert_snapshot!(reports("{at \"Main.hs\" 3 1} (defn main[] (let x 1))"), @r#"
    error[G0211]: the bindings of a let stand in a pair of ( )
     --> out.core:1:38
      |
    1 | {at "Main.hs" 3 1} (defn main[] (let x 1))
      |                                      ^^^
      |
      = help: a let is written (let ([name value] ..) body)
    "#);
}

#[test]
fn a_directive_of_the_wrong_form_is_reported() {
    let wrong = [
        "(defn main[] {at 1 1} 2)",
        "(defn main[] {at \"a\" 1} 2)",
        "(defn main[] {at \"a\" 0 1} 2)",
        "(defn main[] {at \"a\" -1 1} 2)",
        "(defn main[] {at \"a\" 99999999999 1} 2)",
        "(defn main[] {at \"a\" 2 1 1 9} 2)",
        "(defn main[] {at \"a\" 1 1 1} 2)",
        "(defn main[] {at \"a\" 1 1 1 1 1 1 1} 2)",
        "(defn main[] {at \"\" 1 1} 2)",
        "(defn main[] {at \"\\q\" 1 1} 2)",
        "(defn main[] {at \"a\" 1 1 2)",
        "(defn main[] {at \"a\" 1 1 (f)} 2)",
        "(defn main[] 2 {at \"a\" 1 1})",
        "(defn main[] 2) {at \"a\" 1 1}",
        "(defn main[] 2) {name \"a\"}",
        "{name} (defn main[] 2)",
        "{name \"\"} (defn main[] 2)",
        "{name \"a\" \"b\"} (defn main[] 2)",
        "{name \"a\"} (import list)",
        "(defn main[] {name \"a\"} 2)",
        "(defn main[] {name \"a\"} (fn [x] x))",
    ];
    for text in wrong {
        assert!(reports(text).contains("error[G0110]"), "{text}: {}", reports(text));
    }
    for text in ["{", "{at", "{at \"a\" 1 1", "{name \"a\"", "{{at \"a\" 1 1}}", "({at \"a\" 1 1}"]
    {
        assert!(reports(text).contains("error["), "{text}");
    }
}

#[test]
fn what_is_said_of_a_form_holds_for_all_in_it() {
    let text = "{at \"a\" 1 1} (defn main[] (add {at 2 2} (mul 2 [3]) 1))\n(defn f[] (add 1 [4]))";
    let module = module(&Engine::new(), text);
    let sources = module.sources();
    let base = sources.files().iter().find(|file| !file.corelib).expect("the program").base;
    let place = |of: &str| {
        let at = base + text.find(of).expect("there") as u32;
        sources.place(gmachine::diagnostic::Span::new(at, at + 1)).expect("a place").to_string()
    };
    assert_eq!(place("(defn main"), "a:1:1");
    assert_eq!(place("(add {"), "a:1:1");
    assert_eq!(place("(mul"), "a:2:2");
    assert_eq!(place("[3]"), "a:2:2");
    assert_eq!(place("1))"), "a:1:1");
    assert_eq!(place("(defn f"), "out.core:2:1");
    assert_eq!(place("[4]"), "out.core:2:18");
}

const NAMED: &str = "
{name \"T.Tree\"} (data Tree ({name \"Leaf!\"} Leaf) ({name \":+:\"} Node l r))
{name \"T.$mirror\"} (defn mirror[t] (case t [(Leaf) Leaf] [(Node l r) (Node (mirror r) (mirror l))]))
{name \"T.fail\"} (defn fail[x] (add 1 (below x)))
(defn below[x] (div x 0))
(defn tree[] (mirror (Node Leaf (Node Leaf Leaf))))
(defn values[] [tree Leaf (Node Leaf)])
(defn functions[] [mirror])
(defn wrong[] (mirror (Cons 1 Nil)))
(defn main[] (fail 1))
";

#[test]
fn display_names_are_what_people_see() {
    let printed = |name: &str, format| {
        let texts = MachineKind::ALL.iter().map(|&kind| {
            let mut engine = Engine::new();
            engine.set_machine(kind);
            let module = module(&engine, NAMED);
            let mut store = Store::new(&module);
            let value = store.global(name).expect(name);
            let mut out = String::new();
            store.print(&value, format, &mut out).expect("it prints");
            out
        });
        texts.collect::<Vec<String>>()
    };
    use gmachine::Format::{Default, Json, Sexpr};
    let same = |texts: Vec<String>, expected: &str| {
        for text in texts {
            assert_eq!(text.trim_end(), expected);
        }
    };
    same(printed("values", Default), "(:+: (:+: Leaf! Leaf!) Leaf!) Leaf! <function :+:> Nil");
    same(printed("tree", Sexpr), "(Node (Node Leaf Leaf) Leaf)");
    same(printed("functions", Default), "<function T.$mirror> Nil");
    same(printed("functions", Sexpr), "[mirror]");
    same(printed("functions", Json), "[{\"function\":\"T.$mirror\"}]");
    let report = failure_after(Passes::NONE, NAMED);
    assert!(report.contains("T.fail waits for `(below x)`"), "{report}");
    let report = failure(&NAMED.replace("(fail 1)", "(wrong 1)").replace("wrong[]", "wrong[_]"));
    assert!(report.contains("a value of type `T.Tree`"), "{report}");
}

#[test]
fn an_embedder_asks_by_the_names_of_the_code() {
    let module = module(&Engine::new(), NAMED);
    let mut store = Store::new(&module);
    assert!(store.global("mirror").is_ok() && store.global("T.$mirror").is_err());
    let leaf = store.con("Leaf", &[]).expect("a constructor");
    let node = store.con("Node", &[leaf.clone(), leaf]).expect("a constructor");
    let mirror = store.global("mirror").expect("a function");
    let value = store.call(&mirror, &[node]).expect("an application");
    store.force(&value).expect("a tree");
    store
        .define("more", "(defn twice[t] (case t [(Leaf) 0] [(Node _ r) (mirror r)]))")
        .expect("sound");
}

#[test]
fn listings_keep_display_names() {
    let module = module(&Engine::new(), NAMED);
    let program: &gmachine::gcode::program::Program = module.program();
    let listing = gmachine::gcode::print::program(program, &mut |_| None);
    let read = gmachine::gcode::parse::parse(&listing).expect("a listing");
    assert_eq!(read.labels, program.labels);
    assert_eq!(gmachine::gcode::print::program(&read, &mut |_| None), listing);
    assert!(listing.contains("label fail as T.fail"), "{listing}");
}

fn json(text: &str) -> Source {
    let file = MainFile::Json {
        name: "out.json".to_owned(),
        text: text.as_bytes().to_vec(),
        directory: Some("gen".into()),
    };
    Source { file: Some(file), expression: None }
}

/// What a program in JSON prints, or the reports about it.
fn from_json(text: &str) -> String {
    let module = match Engine::new().compile_source(&json(text), &FILES) {
        Ok(module) => module,
        Err(error) => return Renderer::plain().diagnostics(&error.diagnostics, &error.sources),
    };
    let mut store = Store::new(&module);
    let main = store.global("main").expect("main");
    let mut out = String::new();
    match store.print(&main, gmachine::Format::Default, &mut out) {
        Ok(()) => out,
        Err(gmachine::Error::Stop(stop)) => Renderer::plain().stop(&stop, module.sources()),
        Err(other) => panic!("{other}"),
    }
}

/// A program whose `main` is this expression.
fn main_of(expression: &str) -> String {
    let items = format!(r#"[{{"defn": "main", "params": [], "body": {expression}}}]"#);
    format!(
        r#"{{"schema": "gmachine-program", "version": 1, "files": ["Main.hs"], "items": {items}}}"#
    )
}

#[test]
fn the_program_in_json_of_the_page_runs() {
    let path = Path::new(PROJECT).join("docs/targeting.md");
    let page = std::fs::read_to_string(path).expect("the page");
    assert_eq!(from_json(block(&page, "json")), block(&page, "printed"));
}

#[test]
fn every_form_of_json_is_read() {
    for (expression, printed) in [
        ("12345678901234567890123", "12345678901234567890123\n"),
        ("-0.5e+3", "-500.0\n"),
        (r#"{"float": "+inf.0"}"#, "+inf.0\n"),
        (r#"{"float": 2}"#, "2.0\n"),
        (r#"{"int": -5}"#, "-5\n"),
        (r#"{"text": "a\"\n\u00e9\ud83d\ude00"}"#, "a\"\né😀\n"),
        (r#"{"apply": [{"fn": ["x", null], "body": "x"}, {"char": "\t"}, 1]}"#, "'\\t'\n"),
        (
            r#"{"letrec": [["x", {"apply": ["Cons", 1, "x"]}]], "in": {"apply": ["take", 2, "x"]}}"#,
            "1 1 Nil\n",
        ),
        (r##"{"let": [["add", 1]], "in": {"apply": ["#add", "add", {"name": "add"}]}}"##, "2\n"),
        (
            r#"{"case": {"text": "b"}, "of": [[{"text": "a"}, 1], [{"con": "Cons", "fields": [{"char": "b"}, null]}, 2], [null, 3]]}"#,
            "2\n",
        ),
        (r#"{"list": []}"#, "Nil\n"),
    ] {
        assert_eq!(from_json(&main_of(expression)), printed, "{expression}");
    }
}

/// The place of the inner form is that of the definition again, and not that of the form around it.
#[test]
fn a_program_written_in_json_has_the_places_of_its_text() {
    let text = "{at \"Main.hs\" 3 1} (defn f[x] {at 2 7 2 16} (add 1 {at 3 1} (div 1 x)))\n\
                {at 3 15} (defn main[] (add (f 0) 2))\n";
    let report = failure(text);
    assert!(report.contains("--> Main.hs:3:1\n"), "{report}");
    assert_eq!(from_json(&to_json(text).expect("a program")), report);
}

#[test]
fn floats_are_written_in_json_that_reads_back() {
    for float in ["+inf.0", "-inf.0", "+nan.0", "-0.0", "0.5", "1e300", "-1e-300"] {
        let written = to_json(&format!("(defn main[] {float})")).expect("a program");
        let again = from_json(&written);
        assert_eq!(again, from_json(&main_of(&format!("{{\"float\": \"{float}\"}}"))), "{written}");
        assert!(again.starts_with(&float[..2]), "{float}: {again}");
    }
}

#[test]
fn json_that_is_no_program_is_refused() {
    for expression in [
        "null",
        "true",
        "[]",
        "{}",
        r#"{"aply": []}"#,
        r#"{"apply": []}"#,
        r#"{"apply": 1}"#,
        r#"{"apply": [1], "x": 2}"#,
        r#"{"name": "x y"}"#,
        r#""add x""#,
        r#""(add""#,
        r#""let""#,
        r###""##add""###,
        r#""_""#,
        r#"{"char": ""}"#,
        r#"{"char": "ab"}"#,
        r#"{"int": 1.5}"#,
        r#"{"float": "x"}"#,
        "1e999",
        r#"{"fn": [], "body": 1}"#,
        r#"{"fn": ["x"]}"#,
        r#"{"fn": ["1"], "body": 1}"#,
        r#"{"let": [["x"]], "in": 1}"#,
        r#"{"case": 1, "of": []}"#,
        r#"{"case": 1, "of": [[1.5, 1]]}"#,
        r#"{"case": 1, "of": [[{"con": "Nil"}, 1]]}"#,
        r#"{"list": [], "at": [1, 1, 1]}"#,
        r#"{"list": [], "at": [0, 0, 1]}"#,
        r#"{"list": [], "at": [0, 1]}"#,
        r#"{"list": [], "at": [0, 1, 1, 2]}"#,
        r#"{"list": [], "at": [0, 2, 1, 1, 9]}"#,
        r#"{"list": [], "at": ["a", 1, 1]}"#,
        r#"{"list": [], "list": []}"#,
        r#"{"list": [], "at": [0, 1, 1], "list": []}"#,
        r#"{"text": "\ud800"}"#,
        "1 2",
        "{",
        "[1",
        "",
    ] {
        let report = from_json(&main_of(expression));
        assert!(report.contains("error[G0111]"), "{expression}: {report}");
    }
    for program in [
        r#"{"version": 1, "items": []}"#,
        r#"{"schema": "gmachine-ast", "version": 1, "items": []}"#,
        r#"{"schema": "gmachine-program", "version": 2, "items": []}"#,
        r#"{"schema": "gmachine-program", "version": 1}"#,
        r#"{"schema": "gmachine-program", "version": 1, "items": [{"defn": "x"}]}"#,
        r#"{"schema": "gmachine-program", "version": 1, "items": [{"data": "x", "cons": []}]}"#,
        r#"{"schema": "gmachine-program", "version": 1, "items": [{"import": "a b"}]}"#,
        r#"{"schema": "gmachine-program", "version": 1, "items": [{"import": "map", "import-file": "x"}]}"#,
    ] {
        assert!(from_json(program).contains("error[G0111]"), "{program}: {}", from_json(program));
    }
}

#[test]
fn reports_about_json_show_the_original_or_the_json() {
    let placed = main_of(r#"{"at": [0, 2, 7, 2, 16], "apply": ["div", 1, 0]}"#);
    insta::assert_snapshot!(from_json(&placed), @r"
    error[G0502]: `div` by zero
     --> Main.hs:2:7
      |
    2 | f x = 1 `div` x
      |       ^^^^^^^^^ the divisor is 0
    ");
    let unplaced = main_of("{\n\"apply\": [\"div\", 1, 0]}");
    insta::assert_snapshot!(from_json(&unplaced), @r#"
    error[G0502]: `div` by zero
     --> out.json:1:117
      |
    1 |   {"schema": "gmachine-program", "version": 1, "files": ["Main.hs"], "items": [{"defn": "main", "params": [], "body": {
      |  _____________________________________________________________________________________________________________________^
    2 | | "apply": ["div", 1, 0]}}]}
      | |_______________________^ the divisor is 0
    "#);
    insta::assert_snapshot!(from_json(&main_of("\n{\"apply\": [\n\"f\", 1, 0]}")), @r#"
    error[G0301]: `f` is not bound
     --> out.json:3:1
      |
    3 | "f", 1, 0]}}]}
      | ^^^
    "#);
    insta::assert_snapshot!(from_json(&main_of("\n{\"apply\": [\n\"f\" 1]}")), @r#"
    error[G0111]: a comma or the closing bracket is due here
     --> out.json:3:5
      |
    3 | "f" 1]}}]}
      |     ^
      |
      = help: docs/targeting.md has the schema `gmachine-program`
    "#);
}

#[test]
fn json_may_be_nested_as_deep_as_memory_holds() {
    let depth = 100_000;
    let nested = r##"{"apply":["#add",1,"##.repeat(depth) + "0" + &"]}".repeat(depth);
    assert_eq!(from_json(&main_of(&nested)), format!("{depth}\n"));
    let open = r#"{"apply":["#.repeat(depth);
    assert!(from_json(&main_of(&open)).contains("error[G0111]"));
}

#[test]
fn the_command_writes_json_that_it_reads() {
    let examples = Path::new(PROJECT).join("examples");
    let line = "gmachine dump --stage parsed --format json primes.core > $T/a.json \
                && gmachine check --from json $T/a.json \
                && gmachine dump --stage parsed primes.core > $T/a.core \
                && gmachine dump --from json --stage parsed $T/a.json | cmp - $T/a.core \
                && gmachine run --from json - < $T/a.json > $T/a.out \
                && gmachine run primes.core | cmp - $T/a.out";
    let directory = tempfile::tempdir().expect("a directory");
    let line = line.replace("$T", &directory.path().display().to_string());
    let output = shell(&line, &examples);
    assert!(output.status.success(), "{output:?}");
    let output = shell("gmachine run --from json nothing.json", directory.path());
    assert_eq!(output.status.code(), Some(5), "{output:?}");
}

/// The block of a page that begins with this line.
fn block<'a>(page: &'a str, kind: &str) -> &'a str {
    let start = format!("```{kind}\n");
    let (_, rest) = page.split_once(&start).expect("a block of that kind");
    rest.split_once("```").expect("its end").0
}

fn shell(line: &str, directory: &Path) -> Output {
    let own = Path::new(env!("CARGO_BIN_EXE_gmachine")).parent().expect("a directory").display();
    let path = format!("{own}:{}", std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(directory).env("PATH", path).output().expect("a shell")
}

#[test]
#[allow(clippy::print_stderr, reason = "what is not tested is said")]
fn the_compiler_of_the_page_compiles() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|run| run.status.success()) {
        eprintln!("SKIPPED: there is no python3, so the compiler of docs/targeting.md did not run");
        return;
    }
    let path = Path::new(PROJECT).join("docs/targeting.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let directory = tempfile::tempdir().expect("a directory");
    for (kind, name) in [("python", "tiny.py"), ("tiny", "mean.tiny")] {
        std::fs::write(directory.path().join(name), block(&page, kind)).expect("a file");
    }
    let old = block(&page, "console");
    let mut made = String::new();
    for command in old.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let output = shell(command, directory.path());
        let errors = String::from_utf8_lossy(&output.stderr);
        made += &format!("$ {command}\n{}{errors}", String::from_utf8_lossy(&output.stdout));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, page.replace(old, &made)).expect("the page can be written");
    } else {
        assert_eq!(made, old, "UPDATE_DOCS=1 writes the page anew");
    }
    // What does not fail prints its value.
    let program = "fac n = if n < 2 then 1 else n * fac (n - 1);\nmain = let k = 20 in fac k;\n";
    std::fs::write(directory.path().join("fac.tiny"), program).expect("a file");
    let output = shell("python3 tiny.py fac.tiny | gmachine run -", directory.path());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2432902008176640000\n");
}

#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::*;

/// Files in memory.
#[derive(Default)]
struct Files {
    texts: BTreeMap<PathBuf, Vec<u8>>,
    reads: RefCell<Vec<PathBuf>>,
}

impl Files {
    fn new(texts: &[(&str, &str)]) -> Files {
        let texts =
            texts.iter().map(|(path, text)| (path.into(), text.as_bytes().to_vec())).collect();
        Files { texts, reads: RefCell::default() }
    }
}

impl Loader for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.reads.borrow_mut().push(path.to_path_buf());
        if path.ends_with("broken") {
            return Err(io::Error::from_raw_os_error(5));
        }
        if path.ends_with("dir") {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        self.texts.get(&normal(path)).cloned().ok_or(io::ErrorKind::NotFound.into())
    }
}

fn own_items(loaded: &Loaded) -> Vec<String> {
    let own = loaded.ast.items.iter().filter(|item| !loaded.sources.files()[item.file].corelib);
    own.filter_map(|item| item.name.map(|name| loaded.names.text(name).to_string())).collect()
}

#[test]
fn a_file_is_loaded_once_however_often_it_is_imported() {
    let files = Files::new(&[
        ("p/main.core", "(import \"a.core\") (import \"sub/../b.core\") (defn main[] 1)"),
        ("p/a.core", "(import \"./b.core\") (import \"main.core\") (defn a[] 1)"),
        ("p/b.core", "(import \"a.core\") (import \"b.core\") (defn b[] 1)"),
    ]);
    let loaded = load(&Source::path("p/main.core"), &files);
    assert_eq!(loaded.diagnostics, []);
    assert_eq!(own_items(&loaded), ["main", "a", "b"]);
    assert_eq!(files.reads.borrow().len(), 3);
}

#[test]
fn a_reason_has_no_number_of_the_system() {
    let loaded = load(&Source::path("broken"), &Files::default());
    let message = &loaded.diagnostics[0].message;
    assert!(message.starts_with("cannot read `broken`: "), "{message}");
    assert!(!message.contains("os error"), "{message}");
}

#[test]
fn what_cannot_be_read_is_reported_where_it_is_imported() {
    let files = Files::new(&[("main.core", "(import \"no\\u{1b}.core\")\n(import \"dir\")")]);
    let loaded = load(&Source::path("main.core"), &files);
    let reports: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|report| {
            let place = loaded.sources.place(report.primary.span).unwrap();
            (report.code.id(), place.line, place.column, report.message.as_str())
        })
        .collect();
    assert_eq!(
        reports,
        [
            ("G0701", 1, 9, "cannot read `no\\u{1B}.core`: there is no such file"),
            ("G0701", 2, 9, "cannot read `dir`: it is a directory"),
        ]
    );
    let loaded = load(&Source::path("none.core"), &files);
    assert_eq!(loaded.diagnostics[0].primary.span, Span::NONE);
}

#[test]
fn a_text_without_a_directory_imports_no_file() {
    let loaded = load(&Source::text("<stdin>", "(import \"a.core\")"), &Files::default());
    assert_eq!(loaded.diagnostics.len(), 1);
    let root = MainFile::Text {
        name: "<stdin>".to_string(),
        text: b"(import \"a.core\") (defn main[] 1)".to_vec(),
        directory: Some("p".into()),
    };
    let files = Files::new(&[("p/a.core", "(defn a[] 1)")]);
    let loaded = load(&Source { file: Some(root), expression: None }, &files);
    assert_eq!(loaded.diagnostics, []);
    assert_eq!(own_items(&loaded), ["main", "a"]);
}

#[test]
fn an_unknown_module_gets_a_suggestion() {
    let loaded =
        load(&Source::text("t", "(import mpa) (import nothing-like-it)"), &Files::default());
    let helps: Vec<_> =
        loaded.diagnostics.iter().map(|report| report.help.as_deref().unwrap()).collect();
    assert_eq!(loaded.diagnostics[0].code, Code::UnknownModule);
    assert_eq!(helps[0], "did you mean `map`?");
    assert!(helps[1].starts_with("the modules are prelude, "), "{}", helps[1]);
}

#[test]
fn modules_are_loaded_when_imported_and_the_prelude_always() {
    let loaded = load(&Source::default(), &Files::default());
    assert_eq!(loaded.modules.iter().map(|module| module.name).collect::<Vec<_>>(), ["prelude"]);
    assert_eq!(loaded.diagnostics, []);
    let loaded = load(&Source::text("t", "(import map) (import map)"), &Files::default());
    assert_eq!(loaded.imports.len(), 1);
    assert_eq!(loaded.modules[loaded.imports[0]].name, "map");
    assert_eq!(loaded.diagnostics, []);
}

#[test]
fn invalid_utf8_is_reported_at_its_first_byte() {
    let text = b"\xEF\xBB\xBF(defn a[] 1)\n; \xCE\xBB \xFF".to_vec();
    let loaded = load(&Source::text("t", text), &Files::default());
    assert_eq!(loaded.diagnostics.len(), 1);
    let report = &loaded.diagnostics[0];
    assert_eq!(report.code, Code::InvalidUtf8);
    assert_eq!(loaded.sources.place(report.primary.span).unwrap().to_string(), "t:2:5");
    assert!(report.message.ends_with("byte 22 is 0xFF"), "{}", report.message);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let loaded = load(&Source::text("t", "\u{FEFF}(defn a[] 1)"), &Files::default());
    assert_eq!(loaded.diagnostics, []);
    assert_eq!(own_items(&loaded), ["a"]);
}

#[test]
fn an_expression_takes_the_place_of_main() {
    let root = Source::text("t", "(defn main[] 1) (defn f[x] x)").with_expression("(f 2)");
    let loaded = load(&root, &Files::default());
    assert_eq!(loaded.diagnostics, []);
    assert_eq!(own_items(&loaded), ["f", "main"]);
    let loaded = load(&Source::default().with_expression("(f 2) 3"), &Files::default());
    assert_eq!(loaded.diagnostics.len(), 1);
    assert_eq!(
        loaded.sources.place(loaded.diagnostics[0].primary.span).unwrap().to_string(),
        "<expression>:1:7"
    );
}

#[test]
fn a_long_chain_of_imports_takes_no_stack() {
    let texts: BTreeMap<PathBuf, Vec<u8>> = (0..20_000)
        .map(|n| {
            (format!("{n}").into(), format!("(import \"{}\") (defn f{n}[] 1)", n + 1).into_bytes())
        })
        .collect();
    let files = Files { texts, reads: RefCell::default() };
    let loaded = load(&Source::path("0"), &files);
    assert_eq!(loaded.diagnostics.len(), 1);
    assert_eq!(own_items(&loaded).len(), 20_000);
}

#[test]
fn an_expression_alone_has_the_names_of_all_modules() {
    let names = |loaded: &Loaded| {
        let modules = loaded.modules.iter().map(|module| module.name);
        modules.collect::<Vec<_>>()
    };
    let alone = Source::default().with_expression("(bind (putLine \"x\") (fn [_] (setToList s)))");
    let loaded = load(&alone, &Files::default());
    assert_eq!(loaded.diagnostics, []);
    assert!(names(&loaded).starts_with(&["prelude", "io"]), "{:?}", names(&loaded));
    assert!(names(&loaded).contains(&"set"));
    assert_eq!(own_items(&loaded), ["main"]);
    let in_a_file = Source::text("t", "").with_expression("(putLine \"x\")");
    assert_eq!(names(&load(&in_a_file, &Files::default())), ["prelude"]);
}

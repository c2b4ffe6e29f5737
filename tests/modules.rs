//! Compiled modules: they mean what their source means, are linked by names, and one that is no
//! module is refused.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use gmachine::driver::{Built, Options, build};
use gmachine::load::{Loader, Source, normal};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::optimise::Passes;
use gmachine::syntax::binary::{HEADER, Writer};
use gmachine_testing::common::NoFiles;
use gmachine_testing::corpus;
use gmachine_testing::dice::Dice;
use gmachine_testing::harness::{both_of, code_of};
use gmachine_testing::modules::{compiled, in_folder, listing, same, seal};
use gmachine_testing::tally::Tally;

/// Files that are held in memory.
#[derive(Default)]
struct Files {
    files: BTreeMap<PathBuf, Vec<u8>>,
    read: RefCell<Vec<PathBuf>>,
}

impl Files {
    fn new(files: &[(&str, &str)]) -> Files {
        let mut out = Files::default();
        files.iter().for_each(|(name, text)| out.add(name, text.as_bytes()));
        out
    }

    fn add(&mut self, name: &str, bytes: &[u8]) {
        self.files.insert(name.into(), bytes.to_vec());
    }

    /// Puts the module of a file in the place of another one, or beside it.
    fn compile(&mut self, name: &str, module: &str) {
        let bytes = compiled(&Source::path(name), self).unwrap_or_else(|wrong| panic!("{wrong}"));
        self.add(module, &bytes);
    }

    fn remove(&mut self, name: &str) {
        self.files.remove(Path::new(name));
    }

    fn build(&self, name: &str) -> Built {
        build(&Source::path(name), self, &Options::RUN)
    }

    /// What a program prints, or the codes of what there is to report.
    fn run(&self, name: &str) -> String {
        let built = self.build(name);
        let reports: Vec<String> = built.diagnostics.iter().map(|r| r.code.to_string()).collect();
        let Some(program) = built.gcode else { return reports.join(" ") };
        let mut machine = Machine::new(program, Config::default());
        let mut out = String::new();
        machine.start(Format::Default, None).expect("it starts");
        match machine.run(&mut out) {
            Ok(()) => out.trim_end().to_owned(),
            Err(stop) => stop.to_string(),
        }
    }
}

impl Loader for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read.borrow_mut().push(path.to_owned());
        self.files.get(&normal(path)).cloned().ok_or(io::ErrorKind::NotFound.into())
    }
}

/// The files of the system.
struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

/// The programs of the project, by their paths.
fn programs() -> Vec<PathBuf> {
    let folders = ["examples", "tests/programs", "corelib", "benches/programs"];
    let mut paths = Vec::new();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        paths.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    paths.retain(|path| path.extension().is_some_and(|own| own == "core"));
    paths.sort();
    assert!(paths.len() > 60, "{}", paths.len());
    paths
}

#[test]
fn a_module_makes_the_code_that_its_source_makes() {
    let check = |path: &Path, level: u8| {
        let (directory, name) = (path.parent().expect("a folder"), path.display());
        let directory = Some(directory.to_owned());
        let text = std::fs::read(path).expect("a program");
        let source = in_folder(&text, directory.clone());
        let passes = Passes::level(level);
        let wanted = listing(&source, &Disk, passes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let module = compiled(&source, &Disk).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = listing(&in_folder(&module, directory), &Disk, passes);
        let found = found.unwrap_or_else(|e| panic!("{name}: {e}"));
        let differ = wanted.lines().zip(found.lines()).find(|(wanted, found)| wanted != found);
        assert!(wanted == found, "{name} at {level}: {differ:?}");
    };
    for (at, path) in programs().into_iter().enumerate() {
        check(&path, 0);
        if at % 3 == 0 && std::fs::metadata(&path).is_ok_and(|file| file.len() < 4_000) {
            check(&path, 2);
        }
    }
}

#[test]
fn a_module_of_a_random_program_makes_the_code_that_its_source_makes() {
    let mut programs = 0;
    for seed in 0..60 {
        let text = if seed % 2 == 0 {
            gmachine_testing::wild::program(seed)
        } else {
            gmachine_testing::typed::program(seed)
        };
        let passes = gmachine_testing::common::subset(seed);
        programs +=
            u32::from(same(&text, passes).unwrap_or_else(|e| panic!("{seed}: {e}\n{text}")));
    }
    assert!(programs > 50, "{programs}");
}

/// A small program that has every form of core.
const FORMS: &str = "(data Tree (Leaf) (Node left value right))
(defn big[] 123456789012345678901234567890)
(defn classify[n] (case n [0 \"zero\"] [-170141183460469231731687303715884105728 \"least\"] [_ \"other\"]))
(defn both[t u] (case t
  [(Node (Node _ 1 _) x (Leaf)) (add x 1)]
  [(Node _ y (Node (Leaf) 'c' _)) y]
  [(Leaf) (case u [(Cons 'a' \"b\") 1] [(Cons x _) (ord x)] [_ 2.5])]
  [_ 0]))
(defn loop[f] (letrec ([go (fn [x] (if (eq x 0) Nil (Cons x (stop (sub x 1)))))] [stop (fn [x] (go x))]) (go f)))
(defn add[a b] (#sub (#add a b) 0))
(defn main[] (let ([s (both (Leaf) \"ab\")] [k (fn [x] (fn [y] (add x y)))])
  (append (loop 2) [s (k 1 2) (length (classify big)) (ord 'x') ((if 1 negate ord) 3)])))
";

#[test]
fn every_form_is_there_again() {
    assert_eq!(same(FORMS, Passes::ALL), Ok(true));
    assert_eq!(same(FORMS, Passes::NONE), Ok(true));
    let mut files = Files::new(&[("forms.core", FORMS)]);
    let wanted = files.run("forms.core");
    assert_eq!(wanted, "2 1 1 3 5 120 -3 Nil");
    files.compile("forms.core", "forms.gm");
    assert_eq!(files.run("forms.gm"), wanted);
}

/// What a file says that is no program, and no module either.
fn refusal(bytes: &[u8]) -> String {
    let built = build(&in_folder(bytes, None), &NoFiles, &Options::RUN);
    assert!(built.gcode.is_none() && built.has_errors());
    let codes = built.diagnostics.iter().map(|report| report.code.to_string());
    codes.collect::<Vec<_>>().join(" ")
}

fn forms() -> Vec<u8> {
    compiled(&in_folder(FORMS.as_bytes(), None), &NoFiles).expect("a module")
}

#[test]
fn a_module_that_is_cut_off_is_refused_wherever_that_is() {
    let module = forms();
    for length in 1..module.len() {
        assert_eq!(refusal(&module[..length]), "G0112", "{length} bytes");
        let mut sealed = module[..length].to_vec();
        seal(&mut sealed);
        if length > HEADER {
            assert_eq!(refusal(&sealed), "G0112", "{length} bytes");
        }
    }
    let longer = [&module[..], b"\0"].concat();
    assert_eq!(refusal(&longer), "G0112");
    let mut sealed = longer;
    seal(&mut sealed);
    assert_eq!(refusal(&sealed), "G0112");
}

#[test]
fn a_module_with_any_byte_changed_is_refused() {
    let module = forms();
    for at in 0..module.len() {
        let mut changed = module.clone();
        changed[at] ^= 1 << (at % 8);
        let found = refusal(&changed);
        // Without the first byte it is a text, but none in UTF-8.
        let wanted = if at < 8 { ["G0108", "G0112"] } else { ["G0112"; 2] };
        assert!(wanted.contains(&&*found), "byte {at}: {found}");
    }
}

#[test]
fn a_module_that_was_changed_on_purpose_is_refused_or_a_program_like_any_other() {
    let module = forms();
    let text = FORMS.len() + HEADER;
    let (mut refused, mut run) = (0, 0);
    for at in text..module.len() {
        let change = [1, 0x80, 0x55][at % 3];
        let mut changed = module.clone();
        changed[at] ^= change;
        seal(&mut changed);
        let root = in_folder(&changed, None);
        let code = |passes: Passes| code_of(&root, passes);
        match both_of(&code, &mut Dice::new(at as u64), &mut Tally::default()) {
            Ok(None) => refused += 1,
            Ok(Some(_)) => run += 1,
            Err(wrong) => panic!("byte {at}: {wrong}"),
        }
    }
    assert!(refused > 100 && run > 50, "{refused} {run}");
}

#[test]
fn numbers_that_are_too_large_for_the_file_take_no_memory() {
    let module = forms();
    let mut huge = Writer::default();
    for number in [u64::from(u32::MAX), 1 << 31, 1 << 20, u64::MAX] {
        huge.bytes.clear();
        huge.long(number);
        for at in FORMS.len() + HEADER..module.len() {
            let mut changed = module[..at].to_vec();
            changed.extend(&huge.bytes);
            changed.extend(&module[at + 1..]);
            seal(&mut changed);
            let built = build(&in_folder(&changed, None), &NoFiles, &Options::CHECK);
            let _ = built.has_errors();
        }
    }
}

#[test]
fn depth_costs_no_native_stack() {
    let (mut text, depth) = (String::from("(defn main[] "), 20_000);
    (0..depth).for_each(|_| text.push_str("(case (add 1 "));
    text.push('1');
    (0..depth).for_each(|_| text.push_str(") [2 2] [n n])"));
    text.push(')');
    let check = move || same(&text, Passes::NONE);
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(check).expect("a thread");
    assert_eq!(thread.join().expect("it ends"), Ok(true));
}

#[test]
fn a_module_is_found_by_its_name_or_in_the_place_of_its_source() {
    let mut files = Files::new(&[
        ("main.core", r#"(import "lib.core") (defn main[] (doubled 21))"#),
        ("named.core", r#"(import "build/lib.gm") (defn main[] (doubled 4))"#),
        ("lib.core", r#"(import "deep.core") (defn doubled[x] (mul x two))"#),
        ("deep.core", "(defn two[] 2)"),
    ]);
    files.compile("lib.core", "build/lib.gm");
    files.compile("deep.core", "build/deep.gm");
    files.compile("main.core", "build/main.gm");
    assert_eq!(files.run("main.core"), "42");
    // What a module imports is looked up beside it.
    assert_eq!(files.run("named.core"), "8");
    files.remove("lib.core");
    files.remove("deep.core");
    assert_eq!(files.run("build/main.gm"), "42");
    assert_eq!(files.run("main.core"), "G0701", "neither source nor module");
    // A source is read where there is one.
    files.add("build/lib.core", b"(defn doubled[x] (mul 3 x))");
    assert_eq!(files.run("build/main.gm"), "63");
    assert_eq!(files.run("named.core"), "8");
}

#[test]
fn a_module_is_loaded_once() {
    let mut files = Files::new(&[
        (
            "a.core",
            r#"(import "lib.core") (import "b.core") (import "./lib.gm") (defn main[] (f 1))"#,
        ),
        ("b.core", r#"(import "lib.core") (defn g[] 1)"#),
        ("lib.core", "(defn f[x] (add x 1))"),
    ]);
    files.compile("lib.core", "lib.gm");
    files.remove("lib.core");
    assert_eq!(files.run("a.core"), "2");
}

#[test]
fn a_changed_module_is_compiled_alone() {
    let mut files = Files::new(&[
        ("main.core", r#"(import "lib.core") (defn main[] (area (Square 3)))"#),
        ("lib.core", r#"(import "shape.core") (defn area[s] (case s [(Square a) (surface a)]))"#),
        ("shape.core", "(data Shape (Square side)) (defn surface[x] (mul x x))"),
    ]);
    for name in ["main", "lib", "shape"] {
        files.compile(&format!("{name}.core"), &format!("out/{name}.gm"));
    }
    assert_eq!(files.run("out/main.gm"), "9");
    // Another definition, another number of parameters of one that others do not call so.
    files.add(
        "shape.core",
        b"(data Shape (Square side)) (defn power[n x] x) (defn surface[x] (power 2 x))",
    );
    files.compile("shape.core", "out/shape.gm");
    assert_eq!(files.run("out/main.gm"), "3");
    // What the others rely on: their code chooses by the constructors.
    files.add("shape.core", b"(data Shape (Round r) (Square side)) (defn surface[x] x)");
    files.compile("shape.core", "out/shape.gm");
    assert_eq!(files.run("out/main.gm"), "G0312 G0312");
    files.compile("lib.core", "out/lib.gm");
    files.compile("main.core", "out/main.gm");
    assert_eq!(files.run("out/main.gm"), "3");
    files.add("shape.core", b"(data Shape (Round r) (Square side))");
    files.compile("shape.core", "out/shape.gm");
    assert_eq!(files.run("out/main.gm"), "G0301");
}

#[test]
fn names_mean_what_they_mean_in_the_program() {
    let lib = "(defn f[x] (case x [(Cons head _) (map head [1])] [_ (add 1 2)]))
        (defn g[] (#add 1 (add 2 3)))";
    let mut files = Files::new(&[("lib.core", lib)]);
    files.compile("lib.core", "lib.gm");
    let mut both = |own: &str| {
        ["lib.core", "lib.gm"].map(|import| {
            let text =
                format!("(import \"{import}\") {own} (defn main[] [g (length (f [negate]))])");
            files.add("main.core", text.as_bytes());
            files.run("main.core")
        })
    };
    assert_eq!(both(""), ["6 1 Nil"; 2]);
    // A definition of the program hides the prelude's in all its files.
    assert_eq!(both("(defn map[f xs] [7 8])"), ["6 2 Nil"; 2]);
    // Where that would need other code than there is, the module is refused.
    assert_eq!(both("(defn add[x y] 0)"), ["1 1 Nil", "G0312"]);
    for constructors in ["(head) (tails)", "(map f xs)"] {
        let [source, module] = both(&format!("(data T {constructors})"));
        assert!(!source.contains("G0312"), "{source}");
        assert_eq!(module, "G0312");
    }
}

#[test]
fn reports_show_the_source_of_a_module() {
    let lib = "; a module\n(defn f[x]\n  (div 1 x))\n(defn g[] missing)\n";
    let mut files = Files::new(&[("lib.core", lib), ("missing.core", "(defn missing[] 1)")]);
    assert!(
        compiled(&Source::path("lib.core"), &files).is_err_and(|wrong| wrong.contains("G0301"))
    );
    let lib = lib.replace("; a module", "(import \"missing.core\")");
    files.add("lib.core", lib.as_bytes());
    files.compile("lib.core", "lib.gm");
    files.remove("lib.core");
    files.add("main.core", b"(import \"lib.core\") (defn main[] (f 0))");
    let built = files.build("main.core");
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    let code = built.gcode.expect("code");
    let f = code.globals.iter().find(|global| &*global.symbol == "f").expect("f");
    let place = built.loaded.sources.place(f.span).expect("a place");
    assert_eq!(place.to_string(), "lib.core:2:7");
    // A name that has gone is reported where it is used.
    files.add("missing.core", b"");
    let built = files.build("main.core");
    let report = built.diagnostics.first().expect("a report");
    assert_eq!(
        report.line(&built.loaded.sources),
        "lib.core:4:11: error[G0301]: `missing` is not bound"
    );
}

#[test]
fn generated_code_and_display_names_go_into_a_module() {
    let text =
        r#"{name "Main.twice"} (defn t1[x] {at "Main.hs" 3 9} (add x x)) (defn main[] (t1 'a'))"#;
    assert_eq!(same(text, Passes::NONE), Ok(true));
    let module = compiled(&in_folder(text.as_bytes(), None), &NoFiles).expect("a module");
    for bytes in [text.as_bytes(), &module] {
        let built = build(&in_folder(bytes, None), &NoFiles, &Options::RUN);
        let code = built.gcode.expect("code");
        let shown: Vec<_> =
            code.globals.iter().filter_map(|global| global.display.clone()).collect();
        assert!(shown.iter().any(|name| &**name == "Main.twice"), "{shown:?}");
        let at = (text.find("(add").expect("it is there") as u32)
            + built.loaded.sources.files().iter().find(|file| !file.corelib).expect("a file").base;
        let place = built.loaded.sources.place(gmachine::base::span::Span::new(at, at + 9));
        assert_eq!(place.expect("a place").to_string(), "Main.hs:3:9");
    }
}

#[test]
fn names_that_are_none_of_the_language_are_refused() {
    let module = compiled(&in_folder(b"(defn main[] abcd) (defn abcd[] 1)", None), &NoFiles);
    let module = module.expect("a module");
    let text_end = module.windows(4).rposition(|bytes| bytes == b"abcd").expect("the name");
    for name in [*b"a.cd", *b"a cd", *b"ab$1", *b"#bcd", *b"case", *b"1bcd", *b"a\x1B[m"] {
        let mut changed = module.clone();
        changed[text_end..text_end + 4].copy_from_slice(&name);
        seal(&mut changed);
        assert_eq!(refusal(&changed), "G0112", "{name:?}");
    }
}

#[test]
fn a_module_is_not_compiled_again() {
    let mut files = Files::new(&[("lib.core", "(defn f[x] x)")]);
    files.compile("lib.core", "lib.gm");
    let again = compiled(&Source::path("lib.gm"), &files);
    assert!(again.is_err_and(|wrong| wrong.contains("is compiled already")));
}

#[test]
fn mutants_of_the_corpus_have_modules_that_are_right() {
    let mut programs = 0;
    for seed in 0..40 {
        let text = corpus::mutant(seed);
        programs += u32::from(
            same(&text, Passes::NONE).unwrap_or_else(|wrong| panic!("{seed}: {wrong}\n{text}")),
        );
    }
    assert!(programs > 25, "{programs}");
}

/// Returns a module that was written by the page that describes the format, and without what writes
/// it: of a `main` with this body, which mentions `add`, and with these large integers.
fn by_hand(bigs: &[u8], body: &[u8]) -> Vec<u8> {
    let mut module = vec![0; HEADER];
    module.extend(b"\x06x.core\x00");
    module.extend(b"\x02\x04main\x03add");
    // No texts.
    module.push(0);
    module.extend(bigs);
    // No origins, display names and layouts.
    module.extend([0, 0, 0, 0, 0]);
    // `add` is mentioned, and no pattern binds anything.
    module.extend([1, 1, 0, 0, 0]);
    // The definition of `main`, which mentions it.
    module.extend([1, 0, 0, 0, 1, 1, 0, 0]);
    module.push(body.len() as u8);
    module.extend(body);
    seal(&mut module);
    module
}

/// What a module prints, or the codes of what there is to report.
fn run_of(module: &[u8]) -> String {
    let mut files = Files::default();
    files.add("x.gm", module);
    files.run("x.gm")
}

#[test]
fn a_module_can_be_written_by_hand() {
    let sum = [8, 0, 2, 6, 0, 0, 0, 0, 80, 0, 0, 4];
    assert_eq!(run_of(&by_hand(&[0], &sum)), "42");
}

/// An integer that has two forms would not be equal to itself.
#[test]
fn an_integer_of_a_module_has_one_form() {
    let body = [1, 0, 0];
    let of = |bigs: &[(u8, &[u64])]| {
        let mut table = vec![bigs.len() as u8];
        for (sign, limbs) in bigs {
            table.extend([*sign, limbs.len() as u8]);
            table.extend(limbs.iter().flat_map(|limb| limb.to_le_bytes()));
        }
        run_of(&by_hand(&table, &body))
    };
    assert_eq!(of(&[(0, &[1 << 63])]), "9223372036854775808");
    assert_eq!(of(&[(1, &[0, 1])]), "-18446744073709551616");
    assert_eq!(of(&[(0, &[1 << 63]), (1, &[(1 << 63) + 1])]), "9223372036854775808");
    // They fit into 64 bits, have a limb too many, are there twice.
    let (large, less): (&[u64], &[u64]) = (&[1 << 63], &[(1 << 63) - 1]);
    for bigs in [
        &[(0, &[5][..])][..],
        &[(0, less)],
        &[(1, large)],
        &[(0, &[])],
        &[(0, &[1 << 63, 0])],
        &[(0, large), (0, large)],
    ] {
        assert_eq!(of(bigs), "G0112", "{bigs:?}");
    }
}

#[test]
fn a_variable_of_a_module_is_used_in_its_scope_alone() {
    // The operands of `add`, the first one `let x = 1 in x`.
    let sum = |second: [u8; 3]| {
        let of = [&[8, 0, 2, 6, 0, 0, 9, 0, 0, 0, 0, 0, 2, 5, 0, 0][..], &second].concat();
        run_of(&by_hand(&[0], &of))
    };
    assert_eq!(sum([0, 0, 4]), "3");
    assert_eq!(sum([5, 0, 0]), "G0112");
}

#[test]
fn a_choice_of_a_module_relies_on_the_evaluation_of_what_it_goes_by() {
    // `x` is 1, and `y`, which is evaluated, is 2: a choice by one of them, of which 2 gives 42.
    let choice = |local: u8, is_evaluated: u8| {
        let (x, y) = ([9, 0, 0, 0, 0, 0, 2], [12, 0, 0, 0, 0, 0, 4]);
        let by = [14, 0, local, is_evaluated, 1, 0, 4, 0, 0, 84, 0, 0, 14];
        run_of(&by_hand(&[0], &[&x[..], &y, &by].concat()))
    };
    assert_eq!(choice(1, 1), "42");
    assert_eq!(choice(1, 0), "42");
    assert_eq!(choice(0, 0), "7");
    assert_eq!(choice(0, 1), "G0112");
}

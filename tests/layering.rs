//! The house stands as ARCHITECTURE.md says: who may import whom, where `unsafe` may stand,
//! and that the library touches nothing outside itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each room of the library, in both of its crates, with the rooms that it may import, from the ground
/// up.
const ROOMS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("corelib", &[]),
    ("primitive", &["base"]),
    ("syntax", &["base"]),
    ("load", &["base", "corelib", "syntax"]),
    ("core", &["base", "corelib", "primitive", "syntax", "load"]),
    ("lift", &["base", "primitive", "core"]),
    ("optimise", &["base", "primitive", "core", "lift"]),
    ("gcode", &["base", "primitive"]),
    ("compile", &["base", "primitive", "core", "gcode"]),
    ("machine", &["base", "primitive", "gcode"]),
    ("driver", &["base", "syntax", "load", "core", "lift", "optimise", "compile", "gcode"]),
    (
        "embed",
        &[
            "base",
            "corelib",
            "primitive",
            "syntax",
            "load",
            "core",
            "optimise",
            "driver",
            "gcode",
            "machine",
        ],
    ),
    ("grants", &["machine"]),
    ("render", &["base", "machine"]),
    ("views", &["base", "gcode", "machine", "render"]),
];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// The source files of the library, both crates, with their paths below `src` or `runtime/src`.
fn code() -> Vec<(String, String)> {
    code_in("src").into_iter().chain(code_in("runtime/src")).collect()
}

/// The source files of the command with their paths below `cli/src`.
fn command() -> Vec<(String, String)> {
    code_in("cli/src")
}

/// The source files in a folder with their paths below it and their code: without comments, and
/// without what follows the unit tests' module.
fn code_in(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a source");
        let code: Vec<&str> = text
            .lines()
            .take_while(|line| !line.starts_with("#[cfg(test)]"))
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let below = path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
        (below, code.join("\n"))
    };
    let is_test = |path: &str| path.ends_with("tests.rs") || room(path).ends_with("_tests");
    paths.iter().map(read).filter(|(path, _)| !is_test(path)).collect()
}

/// The room that a file is in: its folder, or its own name.
fn room(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

#[test]
fn nothing_imports_to_its_right() {
    for (path, text) in code() {
        let from = room(&path);
        if from == "lib" {
            continue;
        }
        let allowed = ROOMS.iter().find(|(room, _)| *room == from);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{path}: a room without a place"));
        for import in text.split("crate::").skip(1) {
            let to = import.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            let known = ROOMS.iter().any(|(room, _)| *room == to);
            assert!(
                to == from || !known || allowed.contains(&to),
                "{path}: {from} may not import {to}"
            );
        }
    }
}

/// What a machine needs is in a crate that nothing of the compiler is in, and the compiler names it as
/// it names its own rooms: the table above sees each import.
#[test]
fn the_machines_are_a_crate_without_the_compiler() {
    let of = |folder: &str| {
        let rooms: BTreeSet<String> =
            code_in(folder).iter().map(|(path, _)| room(path).to_owned()).collect();
        rooms.into_iter().filter(|room| room != "lib").collect::<Vec<_>>()
    };
    assert_eq!(of("runtime/src"), ["base", "gcode", "machine", "primitive"]);
    let compiler = of("src");
    for name in of("runtime/src") {
        assert!(!compiler.contains(&name), "{name} is a room of both crates");
    }
    for (path, text) in code_in("src") {
        assert!(path == "lib.rs" || !text.contains("gmachine_runtime"), "{path}");
    }
    for (path, text) in command() {
        assert!(!text.contains("gmachine_runtime"), "{path} goes around the library");
    }
}

/// What the documentation shows of the library: the items of `lib.rs` that are public, and not
/// hidden.
#[test]
fn the_command_goes_through_the_public_face() {
    let lib = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"));
    let lib = lib.expect("the library");
    let hidden: Vec<&str> = lib
        .split("#[doc(hidden)]\npub ")
        .skip(1)
        .filter_map(|rest| rest.split(';').next())
        .flat_map(|item| item.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .filter(|word| !word.is_empty() && !["mod", "use", "gmachine_runtime"].contains(word))
        .collect();
    assert!(hidden.contains(&"machine") && !hidden.contains(&"gcode"), "{hidden:?}");
    for (path, text) in command() {
        for import in text.split("gmachine::").skip(1) {
            let to = import.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            assert!(!hidden.contains(&to), "{path} imports gmachine::{to}, which is hidden");
        }
    }
}

#[test]
fn unsafe_stands_where_it_may() {
    // The first is the command's.
    let may = ["alloc.rs", "machine/heap/", "machine/fast/"];
    for (path, text) in code().into_iter().chain(command()) {
        let has_unsafe = text.split_whitespace().any(|word| word == "unsafe");
        let allowed = may.iter().any(|place| path.starts_with(place));
        assert!(!has_unsafe || allowed, "{path} has unsafe code");
    }
}

#[test]
fn the_library_touches_no_files_streams_clocks_or_environment() {
    let outside = [
        "std::fs",
        "std::env",
        "std::process",
        "std::net",
        "Instant::now",
        "SystemTime",
        "println!",
        "print!(",
        "stdout()",
        "stderr()",
        "stdin()",
        "static mut",
    ];
    for (path, text) in code() {
        // A limit on time is the library's, so one file of it reads a clock; what a program is
        // granted is opened by one room of it, which an embedding program asks for.
        if room(&path) == "grants" || path == "embed/clock.rs" {
            continue;
        }
        for word in outside {
            assert!(!text.contains(word), "{path} uses {word}");
        }
    }
}

#[test]
fn machines_share_their_face_alone() {
    // What each machine is made of; `kind.rs` is where one is chosen.
    let rooms = [&["reference"][..], &["fast", "heap"]];
    let of = |path: &str| rooms.iter().position(|own| own.contains(&path));
    for (path, text) in code() {
        let Some(below) = path.strip_prefix("machine/").filter(|below| *below != "kind.rs") else {
            continue;
        };
        let from = of(below.split('/').next().unwrap_or(below));
        for import in text.split("crate::machine::").skip(1) {
            let to = import.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            let to = of(to);
            assert!(
                to.is_none() || to == from,
                "{path} imports from another machine: {import:.40}"
            );
        }
    }
}

/// The files that a file of a crate has as modules, and those of these.
fn modules(file: &Path, folder: &Path, out: &mut Vec<PathBuf>) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
    let declared = |line: &str| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned)
    };
    for name in text.lines().filter_map(declared) {
        modules(&folder.join(format!("{name}.rs")), &folder.join(name), out);
    }
    out.push(file.to_owned());
}

/// Rust would not say that a file of tests belongs to no binary: its tests would not run.
#[test]
fn every_file_of_tests_is_compiled_once() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut there = Vec::new();
    sources(&folder, &mut there);
    let mut compiled = Vec::new();
    for binary in ["suite.rs", "command.rs"] {
        modules(&folder.join(binary), &folder, &mut compiled);
    }
    there.sort();
    compiled.sort();
    assert_eq!(there, compiled);
}

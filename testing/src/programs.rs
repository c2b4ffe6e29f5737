//! The programs in `examples/`, `benches/` and `tests/programs/`, and what their first comments say
//! of them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use gmachine::load::{Source, load};

use crate::common::{NoFiles, Run};
use crate::project;

/// A program with what it says of itself.
pub struct Example {
    pub name: String,
    pub text: String,
    /// Its standard input.
    pub input: String,
    /// All that it prints, but the last newline.
    pub prints: Option<String>,
    /// The first line that it prints.
    pub prints_first: Option<String>,
}

impl Example {
    /// Checks that a run prints what the program says; one of which the first line is told may
    /// have no end.
    ///
    /// # Panics
    /// When it does not.
    #[track_caller]
    pub fn check(&self, how: &str, run: &Run) {
        let name = format!("{} {how}", self.name);
        match (&self.prints, &self.prints_first) {
            (Some(all), None) => {
                assert_eq!((&run.output, &run.failure), (&format!("{all}\n"), &None), "{name}");
            }
            (None, Some(first)) => {
                assert_eq!(run.output.lines().next(), Some(first.as_str()), "{name}");
                assert!(run.failure.is_none() || run.is_out_of_fuel(), "{name}: {:?}", run.failure);
            }
            other => panic!("{name} says {other:?}"),
        }
    }
}

/// Returns the text that a STRING literal stands for.
fn text(literal: &str) -> String {
    let root = Source::text("literal", format!("(defn main[] {literal})"));
    let loaded = load(&root, &NoFiles);
    assert_eq!(loaded.diagnostics, [], "{literal}");
    loaded.ast.texts.as_slice().last().expect("a literal").to_string()
}

/// Returns those files in a folder of the project that have this extension, in order.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = project().join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|own| own == extension));
    paths.sort();
    paths
}

/// Returns what a line of a program's comment says.
fn comment(program: &str, label: &str) -> Option<String> {
    let prefix = format!("; {label}: ");
    program.lines().find_map(|line| line.strip_prefix(&prefix).map(str::to_owned))
}

fn example(path: PathBuf) -> Example {
    let program = std::fs::read_to_string(&path).expect("the example");
    let comment = |label| comment(&program, label);
    Example {
        name: path.display().to_string(),
        input: comment("with input").map(|literal| text(&literal)).unwrap_or_default(),
        prints: comment("prints").or_else(|| {
            let all = text(&comment("prints text")?);
            Some(all.strip_suffix('\n').unwrap_or(&all).to_owned())
        }),
        prints_first: comment("prints (first line)"),
        text: program,
    }
}

/// Returns the programs, by name.
pub fn examples() -> Vec<Example> {
    ["benches/programs", "benches/published", "examples", "tests/programs"]
        .into_iter()
        .flat_map(|folder| files(folder, "core"))
        .map(example)
        .collect()
}

/// Returns the programs of `benches/game`, by name: those of the Computer Language Benchmarks Game.
///
/// # Panics
/// When one has no counterpart, or that does not say what its full size is.
pub fn game() -> Vec<(Peer, Example)> {
    pairs("benches/game")
}

/// Returns the programs of `benches/untuned`, by name: ordinary ones, for which nothing was tuned.
///
/// # Panics
/// As [`game`].
pub fn untuned() -> Vec<(Peer, Example)> {
    pairs("benches/untuned")
}

fn pairs(folder: &str) -> Vec<(Peer, Example)> {
    let programs = files(folder, "hs").into_iter().map(|haskell| {
        let peer = peer(haskell, folder);
        let example = example(peer.core.clone());
        (peer, example)
    });
    programs.collect()
}

/// The tables of other work that programs of `benches/published` and `benches/programs` stand in.
pub const TABLES: &[(&str, &[&str])] = &[
    (
        "mitchell",
        &[
            "append",
            "bernouilli",
            "charcount",
            "digits-of-e2",
            "exp3",
            "factorial",
            "linecount",
            "primes",
            "raytracer",
            "rfib",
            "sumsquare",
            "sumtree",
            "tak",
            "treeflip",
            "wordcount",
            "x2n1",
        ],
    ),
    (
        "bolingbroke",
        &[
            "accumulator",
            "ackermann-1",
            "ackermann-2",
            "ackermann-peano-1",
            "ackermann-peano-2",
            "append",
            "even-double",
            "even-double-generator",
            "factorial",
            "generator",
            "kmp",
            "letrec",
            "map-filter",
            "map-map",
            "map-sum",
            "raytracer",
            "reverse-reverse",
            "sumsquare",
            "sumtree",
            "treeflip",
            "zip-maps",
            "zip-tree-maps",
        ],
    ),
    (
        "imaginary",
        &[
            "bernouilli",
            "digits-of-e1",
            "digits-of-e2",
            "exp3",
            "gen-regexps",
            "integrate",
            "kahan",
            "paraffins",
            "primes",
            "queens",
            "rfib",
            "tak",
            "wheel-sieve1",
            "x2n1",
        ],
    ),
    (
        "fusion",
        &[
            "append",
            "even-double-generator",
            "generator",
            "map-filter",
            "map-map",
            "map-sum",
            "pipeline",
            "raytracer",
            "reverse-reverse",
            "sumsquare",
            "sumtree",
            "treeflip",
            "zip-maps",
            "zip-tree-maps",
        ],
    ),
    ("interpreters", &["lambda-terms", "stack-machine", "while-language"]),
];

/// Returns the programs of [`TABLES`], by name, each once; an input is that of its full size.
///
/// # Panics
/// When one has no counterpart, or that does not say what its full size is.
pub fn published() -> Vec<(Peer, Option<String>)> {
    let names: BTreeSet<&str> = TABLES.iter().flat_map(|(_, names)| *names).copied().collect();
    let read = |name: &str| {
        let mut folder = project().join("benches/published");
        let mut haskell = folder.join(name).with_extension("hs");
        if !haskell.exists() {
            folder = project().join("benches/programs");
            haskell = project().join("benches/peers").join(name).with_extension("hs");
        }
        let core = folder.join(name).with_extension("core");
        let program = std::fs::read_to_string(&core).expect(name);
        let say = |label| comment(&program, label).expect(label);
        let (full, full_prints) = (say("full size"), say("full size prints"));
        let input = full.strip_prefix("that input ").map(|times| {
            let times = times.strip_suffix(" times").and_then(|times| times.parse().ok());
            text(&say("with input")).repeat(times.expect("how many times"))
        });
        (Peer { name: name.to_owned(), core, haskell, full, full_prints }, input)
    };
    names.into_iter().map(read).collect()
}

/// A program that exists in Haskell too, line by line.
#[derive(Clone, Debug)]
pub struct Peer {
    pub name: String,
    /// The program here, and there.
    pub core: PathBuf,
    pub haskell: PathBuf,
    /// The expression that is its full size, and what it prints.
    pub full: String,
    pub full_prints: String,
}

/// Returns the program that has this counterpart in Haskell, and is in this folder.
fn peer(haskell: PathBuf, folder: &str) -> Peer {
    let name = haskell.file_stem().expect("a name").to_string_lossy().into_owned();
    let core = project().join(folder).join(&name).with_extension("core");
    let program = std::fs::read_to_string(&core).expect("the program");
    let comment = |label| comment(&program, label).expect(label);
    let (full, full_prints) = (comment("full size"), comment("full size prints"));
    Peer { name, core, haskell, full, full_prints }
}

/// Returns the programs of `benches/peers`, by name.
///
/// # Panics
/// When one has no counterpart, or that does not say what its full size is.
pub fn peers() -> Vec<Peer> {
    let haskell = files("benches/peers", "hs").into_iter();
    let mut peers: Vec<Peer> = haskell.map(|path| peer(path, "benches/programs")).collect();
    peers.sort_by(|one, other| one.name.cmp(&other.name));
    peers
}

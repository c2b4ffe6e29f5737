//! What the views of a run say agrees, over whole runs: `steps --format json` leads to the value that
//! `run` prints, `film` and the stepper have the same events, and `--stats` counts the same updates.

use std::collections::HashMap;
use std::path::Path;

use gmachine::Source;
use serde_json::Value;

use crate::{PROJECT, film, step};

/// Programs that compute with modules of the corelib.
const CORELIB: [(&str, &str); 12] = [
    ("map", "(import map)
        (defn words[] [\"to\" \"be\" \"or\" \"not\" \"to\" \"be\"])
        (defn main[] (mapToList (foldl' (fn [m w] (mapInsertWith add w 1 m)) (mapEmptyBy compareString) words)))"),
    ("set", "(import set)
        (defn main[] (setToList (setUnion (setFromList [3 1 2 3]) (setMap (mul 2) (setFromList [1 2 5])))))"),
    ("heap", "(import heap)
        (defn main[] (heapToList (heapFromList [5 3 9 1 4 1])))"),
    ("queue", "(import queue)
        (defn main[] (queueToList (queuePush 9 (queueFromList [1 2 3]))))"),
    ("array", "(import array)
        (defn main[] (arrayToList (arrayFromList (map square [1 2 3 4]))))"),
    ("text", "(defn main[] (words (append \"a lazy\" \" graph machine\")))"),
    ("zips", "(defn main[] (zipWith Pair (takeWhile (gt 40) (iterate (mul 2) 1)) \"abcdefgh\"))"),
    ("sort", "(defn main[] (sort [3 1 2 9 4 4]))"),
    ("maybe", "(defn main[] (map (maybeMap (add 1)) [(Just 1) Nothing (Just 41)]))"),
    ("shared", "(defn main[]
        (letrec ([xs (Cons 1 (map (mul 3) xs))] [total (sum (take 6 xs))]) [total (add total total)]))"),
    ("tree", "(data Tree (Leaf) (Node l x r))
        (defn insert[x t]
          (case t [(Leaf) (Node Leaf x Leaf)]
                  [(Node l y r) (if (lt x y) (Node (insert x l) y r) (Node l y (insert x r)))]))
        (defn main[] (foldr insert Leaf [4 2 6 1 3]))"),
    ("big", "(defn main[] (map (fn [n] (foldl' mul 1 (range 1 n))) [5 20 30]))"),
];

/// Those of the examples whose whole run fits a film and that print a value.
const EXAMPLES: [&str; 8] =
    ["fibs", "flowgraph", "hamming", "hello", "power", "primes", "tree", "unionfind"];

/// The nodes of a run as its events tell of them.
#[derive(Default)]
struct Replay {
    born: HashMap<u64, Value>,
    became: HashMap<u64, u64>,
    root: Option<u64>,
    printed: String,
    updates: u64,
}

impl Replay {
    fn new(lines: &str) -> Replay {
        let mut replay = Replay::default();
        for line in lines.lines().skip(1) {
            let event: Value = serde_json::from_str(line).expect("JSON");
            let node = event["node"].as_u64().expect("a node");
            match event["event"].as_str().expect("a kind") {
                "born" => _ = replay.born.insert(node, event["content"].clone()),
                "demanded" if event["by"].is_null() && replay.root.is_none() => {
                    replay.root = Some(node);
                }
                "printed" => replay.printed += event["text"].as_str().expect("a text"),
                kind @ ("updated" | "filled" | "selected") => {
                    replay.updates += u64::from(kind == "updated");
                    let with = event["with"].as_u64().expect("a node");
                    if with != node {
                        assert_eq!(replay.became.insert(node, with), None, "{line}");
                    }
                }
                _ => {}
            }
        }
        replay
    }

    fn content(&self, mut node: u64) -> &Value {
        while let Some(next) = self.became.get(&node) {
            node = *next;
        }
        &self.born[&node]
    }

    fn fields(&self, node: u64) -> Vec<u64> {
        let fields = self.content(node)["fields"].as_array();
        fields.into_iter().flatten().map(|field| field.as_u64().expect("a node")).collect()
    }

    /// The value of a node as `run --format sexpr` prints it.
    fn value(&self, node: u64) -> String {
        let content = self.content(node);
        let text = |field: &str| content[field].as_str().expect("a text").to_owned();
        match content["kind"].as_str().expect("a kind") {
            "integer" => text("value"),
            "character" => gmachine::base::quote::char_literal(
                text("value").chars().next().expect("a character"),
            ),
            "constructor" if text("name") == "Cons" || text("name") == "Nil" => self.list(node),
            "constructor" if self.fields(node).is_empty() => text("name"),
            "constructor" => {
                let fields =
                    self.fields(node).into_iter().map(|field| " ".to_owned() + &self.value(field));
                format!("({}{})", text("name"), fields.collect::<String>())
            }
            // A constructor without fields.
            "global" => text("name"),
            kind => panic!("a printed value is no {kind}"),
        }
    }

    fn list(&self, mut node: u64) -> String {
        let mut elements = Vec::new();
        while let [head, tail] = self.fields(node)[..] {
            elements.push(head);
            node = tail;
        }
        let character = |node: &u64| {
            let content = self.content(*node);
            (content["kind"] == "character").then(|| content["value"].as_str()).flatten()
        };
        match elements.iter().map(character).collect::<Option<String>>() {
            Some(text) if !text.is_empty() => gmachine::base::quote::string_literal(&text),
            _ => {
                let elements: Vec<String> = elements.iter().map(|&node| self.value(node)).collect();
                format!("[{}]", elements.join(" "))
            }
        }
    }
}

/// Compares all views of a program in a file.
fn check(path: &str) {
    let run = ["run", path, "-O0", "--engine", "reference"];
    let (lines, said) = film::output(&["steps", "--format", "json", path]);
    let replay = Replay::new(&lines);
    let (printed, statistics) = film::output(&[&run[..], &["--stats=json"]].concat());
    assert_eq!(replay.printed.trim_end(), printed.trim_end(), "{path}: {said}");
    let (value, _) = film::output(&[&run[..], &["--format", "sexpr"]].concat());
    assert_eq!(replay.value(replay.root.expect("a root")), value.trim_end(), "{path}");
    let statistics: Value = serde_json::from_str(&statistics).expect("JSON");
    assert_eq!(statistics["counts"]["thunks_updated"], replay.updates, "{path}: {statistics}");

    let events = lines.lines().count() - 1;
    assert_eq!(film::compare(&[path]), events, "{path}");
    let text = std::fs::read(Path::new(PROJECT).join(path)).expect("a program");
    assert_eq!(step::compare(&step::module(&Source::text(path, text)), &[path]), events, "{path}");
}

#[test]
fn steps_film_stepper_and_run_agree_on_whole_runs_of_the_corelib() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in CORELIB {
        let path = directory.path().join(name).with_extension("core");
        std::fs::write(&path, text).expect("a file");
        check(path.to_str().expect("a path"));
    }
}

#[test]
fn steps_film_stepper_and_run_agree_on_whole_runs_of_examples() {
    for name in EXAMPLES {
        check(&format!("examples/{name}.core"));
    }
}

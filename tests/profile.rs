//! `gmachine profile`: what it counts is what the run counts, and its first line names who is to blame
//! for memory.

use std::process::Command;

use serde_json::Value;

use crate::PROJECT;

const GMACHINE: &str = env!("CARGO_BIN_EXE_gmachine");

/// What the command prints; it has to end well.
fn output(arguments: &[&str]) -> String {
    let output = Command::new(GMACHINE)
        .args(arguments)
        .current_dir(PROJECT)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the command");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The profile of a program, without its clocks.
fn profile(program: &[&str]) -> Value {
    let text = output(&[&["profile", "--format", "json"], program].concat());
    let mut profile: Value = serde_json::from_str(&text).expect("JSON");
    profile.as_object_mut().expect("an object").remove("clocks");
    profile
}

/// What `run --stats` counts.
fn counts(program: &[&str]) -> Value {
    let run = Command::new(GMACHINE)
        .args([&["run", "--stats=json"], program].concat())
        .current_dir(PROJECT)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the command");
    let all: Value = serde_json::from_slice(&run.stderr).expect("JSON");
    all["counts"].clone()
}

fn sum(profile: &Value, key: &str) -> u64 {
    let functions = profile["functions"].as_array().expect("functions");
    functions.iter().map(|function| function[key].as_u64().expect("a number")).sum()
}

/// A source in a folder of its own.
fn source(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("leak.core");
    std::fs::write(&path, text).expect("a file");
    let path = path.to_string_lossy().into_owned();
    (folder, path)
}

fn verdict(text: &str, options: &[&str]) -> String {
    let (_folder, path) = source(text);
    let text = output(&[&["profile", &path], options].concat());
    text.lines().next().expect("a line").to_owned()
}

/// The programs whose counts are compared: recursion, streams, higher-order functions, data, big
/// integers, floats, actions, exceptions.
const PROGRAMS: &[&[&str]] = &[
    &["examples/fibs.core"],
    &["examples/primes.core"],
    &["examples/queens.core"],
    &["-e", "(sum (map (mul 2) (filter (lt 3) (range 1 4000))))"],
    &["-e", "(foldr (fn [x acc] (add x acc)) 0 (range 1 20000))"],
    &["-e", "(length (showInt (foldl mul 1 (range 1 600))))"],
    &["-e", "(foldl fadd 0.0 (map (fn [n] (fdiv 1.0 (itof n))) (range 1 500)))"],
    &["-e", "(map (fn [f] (f 2)) (map (fn [a b] (add a b)) (range 1 300)))"],
    &["-e", "(bind (newCell 1) (fn [c] (bind (writeCell c 2) (fn [_] (readCell c)))))"],
    &[
        "-e",
        "(handle (bind (return 1) (fn [n] (seq (head []) (return n)))) (fn [v t] (return v)) \
      (fn [c m t] (putText m)))",
    ],
];

#[test]
fn the_sums_over_functions_are_what_the_run_counts() {
    for program in PROGRAMS {
        for level in ["-O0", "-O2"] {
            let program = [*program, &[level]].concat();
            let profile = profile(&program);
            let counts = counts(&program);
            for (of_function, of_run) in [
                ("instructions", "instructions"),
                ("reductions", "reductions"),
                ("allocated_bytes", "allocated_bytes"),
                ("thunks_made", "thunks_made"),
                ("thunks_entered", "thunks_entered"),
                ("thunks_updated", "thunks_updated"),
            ] {
                let total = profile["totals"][of_run].as_u64().expect("a number");
                assert_eq!(sum(&profile, of_function), total, "{program:?}: {of_run}");
                // The machine itself, outside of all code, takes next to nothing of them.
                let machine = &profile["functions"][0];
                assert_eq!(machine["name"], "(machine)");
                let rest = machine[of_function].as_u64().expect("a number");
                assert!(rest <= total / 4 + 2000, "{program:?}: {rest} of {total} {of_run}");
            }
            // Nobody is disturbed by who looks: not even the collector.
            let mut totals = profile["totals"].clone();
            totals["peak_stack"] = counts["peak_stack"].clone();
            assert_eq!(totals, counts, "{program:?}");
        }
    }
}

/// Calls are exact: what is counted by hand.
#[test]
fn calls_and_thunks_are_counted_exactly() {
    let text = "(defn loop[n] (if (eq n 0) 0 (add 1 (loop (sub n 1)))))
        (defn unused[n] (let ([t (loop n)]) (if (eq n 7) t n)))
        (defn main[] (add (loop 20000) (foldl add 0 (map unused (range 100 199)))))";
    let (_folder, path) = source(text);
    let profile = profile(&[&path, "-O0"]);
    let of = |name: &str| {
        let functions = profile["functions"].as_array().expect("functions").clone();
        functions.into_iter().find(|row| row["name"] == name).expect("the function")
    };
    assert_eq!(of("loop")["calls"], 20001);
    assert_eq!(of("unused")["calls"], 100);
    assert_eq!(
        (&of("unused")["thunks_made"], &of("unused")["thunks_entered"]),
        (&100.into(), &0.into())
    );
    // All of the run waits for `main`, and `loop` for itself alone.
    let inherited = |name: &str| of(name)["inherited_instructions"].as_u64().expect("a number");
    let total = profile["totals"]["instructions"].as_u64().expect("a number");
    assert!(inherited("main") > total * 9 / 10, "{} of {total}", inherited("main"));
}

/// What is built and updated for a function is its own, and that of what it waits for.
#[test]
fn thunks_and_updates_are_inherited() {
    let text = "(defn loop[n] (if (lt n 9) n (loop (rem n 7))))
        (defn half[n] (let ([t (loop n)]) (if (eq (rem n 2) 0) t (add n 1))))
        (defn main[] (add 1 (foldl add 0 (map half (range 1 40000)))))";
    let (_folder, path) = source(text);
    let profile = profile(&[&path, "-O0"]);
    let functions = profile["functions"].as_array().expect("functions");
    let of = |name: &str, key: &str| {
        let row = functions.iter().find(|row| row["name"] == name).expect("the function");
        row[key].as_u64().expect("a number")
    };
    assert_eq!(of("half", "thunks_made"), 40000);
    assert_eq!(of("half", "thunks_entered"), 20000);
    for key in ["thunks_made", "thunks_entered", "thunks_updated"] {
        let with = format!("inherited_{key}");
        let all = profile["totals"][key].as_u64().expect("a number");
        // Who waits is sampled, so what no sample has found running is nobody's.
        assert!(of("main", &with) > all * 3 / 4, "{key}: {} of {all}", of("main", &with));
        assert!(of("main", &with) <= all);
        assert!(of("half", &with) >= of("half", key));
        assert!(of("half", &with) < of("main", &with));
    }
}

#[test]
fn a_profile_is_the_same_each_time() {
    for program in [&["examples/queens.core"][..], &["-e", "(length (range 1 90000))"]] {
        assert_eq!(profile(program), profile(program));
    }
}

#[test]
fn a_list_that_a_constant_holds_is_named() {
    let text = "(defn table[] (map square (range 1 200000)))
        (defn total[n] (if (eq n 0) 0 (add (foldl' add 0 table) (total (sub n 1)))))
        (defn main[] (total 3))";
    for level in ["-O0", "-O2"] {
        let line = verdict(text, &[level]);
        assert!(line.starts_with("`table`, a constant, keeps"), "{level}: {line}");
        assert!(line.contains("Cons"), "{level}: {line}");
    }
}

/// Only a function in a frame leads to the constant: no code on the stack names it while the list is
/// walked through.
#[test]
fn a_constant_that_a_function_value_needs_is_named() {
    let text = "(defn table[] (map square (range 1 100000)))
        (defn again[f n] (if (eq n 0) 0 (add (f n) (again f (sub n 1)))))
        (defn main[] (again (fn [k] (add k (length table))) 5))";
    let line = verdict(text, &["-O0"]);
    assert!(line.starts_with("`table`, a constant, keeps"), "{line}");
}

/// One that is used for the last time keeps nothing: what is left of it is what somebody walks
/// through.
#[test]
fn a_constant_that_nothing_needs_any_more_is_not_blamed() {
    let text = "(defn table[] (range 1 300000))
        (defn keep[xs acc] (case xs [Nil acc] [(Cons y ys) (keep ys (Cons y acc))]))
        (defn main[] (length (keep table Nil)))";
    let (_folder, path) = source(text);
    let profile = profile(&[&path, "-O0"]);
    let constants = profile["holders"].as_array().expect("holders");
    let constants = constants.iter().filter(|holder| holder["kind"] == "constant");
    assert_eq!(constants.count(), 0, "{}", profile["holders"]);
}

/// The paths at the peak lead from who holds what to what fills the memory, and have all of it.
#[test]
fn paths_lead_from_holders_to_what_they_keep() {
    let text = "(data Box (MkBox inside))
        (defn boxes[] (map (fn [n] (MkBox (map (mul n) (range 1 9)))) (range 1 20000)))
        (defn main[] (seq (deep boxes) (length boxes)))
        (defn deep[bs] (case bs [Nil 0] [(Cons (MkBox ns) more) (add (sum ns) (deep more))]))";
    let (_folder, path) = source(text);
    let profile = profile(&[&path, "-O0"]);
    let paths = profile["paths"].as_array().expect("paths");
    let bytes = |path: &Value| path[4].as_u64().expect("bytes");
    let censuses = profile["censuses"].as_array().expect("censuses");
    let peak = censuses.iter().map(|census| census["live_bytes"].as_u64()).max().expect("one");
    assert_eq!(Some(paths.iter().map(bytes).sum()), peak);
    let name = |path: &Value| match path[2].as_u64() {
        None => "holder".to_owned(),
        Some(content) => {
            profile["contents"][content as usize]["name"].as_str().expect("a name").to_owned()
        }
    };
    // The largest part: lists in boxes in a list.
    let mut at = (0..paths.len()).max_by_key(|at| bytes(&paths[*at])).expect("a path");
    let mut way = vec![name(&paths[at])];
    while let Some(parent) = paths[at][0].as_u64() {
        assert!((parent as usize) < at, "parents come first");
        at = parent as usize;
        way.push(name(&paths[at]));
    }
    // What leads to a cell of a list is a cell, whatever is between: a step is not taken twice.
    assert!(way == ["MkBox", "Cons", "holder"] || way == ["Cons", "holder"], "{way:?}");
    let text = output(&["profile", &path, "-O0"]);
    let shown = text.split_once("by path").expect("paths").1;
    assert!(shown.contains("\n  boxes (constant)"), "{shown}");
    assert!(shown.contains("\n    Cons ") && shown.contains("\n      MkBox "), "{shown}");
}

#[test]
fn a_lazy_accumulator_is_named_with_its_expression() {
    let text = "(data Pair (MkPair first second))
        (defn step[p x] (case p [(MkPair a b) (MkPair (add a x) (add b 1))]))
        (defn loop[p n] (if (eq n 0) p (loop (step p n) (sub n 1))))
        (defn main[] (case (loop (MkPair 0 0) 200000) [(MkPair a b) (add a b)]))";
    let line = verdict(text, &["-O0"]);
    assert!(line.contains("thunks unevaluated at the peak"), "{line}");
    assert!(line.starts_with("`loop`") || line.starts_with("`step`"), "{line}");
    let line = verdict("(defn main[] (foldl add 0 (range 1 200000)))", &["-O0"]);
    assert!(line.starts_with("`foldl` leaves"), "{line}");
}

#[test]
fn what_calls_nothing_is_charged_to_who_waits_for_it() {
    let text = "(defn leaf[x] (rem (mul x x) 7))
        (defn thunk[k n] (if (eq n 0) Nil (Cons k (thunk (add k 1) (sub n 1)))))
        (defn waits[acc n] (if (eq n 0) acc (waits (add (leaf n) acc) (sub n 1))))
        (defn asks[xs] (case xs [Nil 0] [(Cons a as) (asks as)]))
        (defn main[] (add (waits 0 30000) (asks (thunk 1 30000))))";
    let (_folder, path) = source(text);
    let profile = profile(&[&path, "-O0"]);
    let functions = profile["functions"].as_array().expect("functions");
    let of = |name: &str, key: &str| {
        let row = functions.iter().find(|row| row["name"] == name).expect("the function");
        row[key].as_f64().expect("a number")
    };
    for (waiting, called) in [("waits", "leaf"), ("asks", "thunk")] {
        let both = of(waiting, "instructions") + of(called, "instructions");
        let ratio = of(waiting, "inherited_instructions") / both;
        assert!(ratio > 0.9 && ratio < 1.1, "{waiting}: {ratio}");
    }
}

#[test]
fn a_list_that_is_used_twice_is_charged_to_who_waits_with_it() {
    let text = "(defn mean[xs] (div (sum xs) (length xs)))
        (defn main[] (mean (range 1 300000)))";
    let line = verdict(text, &["-O0"]);
    assert!(line.starts_with("`mean` keeps"), "{line}");
    assert!(line.contains("Cons"), "{line}");
}

#[test]
fn a_deep_recursion_is_told_from_a_list() {
    let text = "(defn count[n] (if (eq n 0) 0 (add 1 (count (sub n 1)))))
        (defn main[] (count 300000))";
    let line = verdict(text, &[]);
    assert!(line.starts_with("`count` waits") && line.ends_with("the stack"), "{line}");
}

#[test]
fn a_program_without_a_leak_is_judged_by_its_time() {
    let line = verdict("(defn main[] (sum (map square (range 1 30000))))", &["-O0"]);
    assert!(line.contains("% of the instructions"), "{line}");
}

/// What an exception or a limit stops is counted to its function all the same.
#[test]
fn a_run_that_is_stopped_has_a_profile_too() {
    let run = Command::new(GMACHINE)
        .args(["profile", "-e", "(sum (from 1))", "--fuel", "50000", "--format", "json"])
        .output()
        .expect("the command");
    assert_eq!(run.status.code(), Some(4));
    let profile: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(profile["ended"], "the run was stopped before its end");
    assert_eq!(sum(&profile, "thunks_updated"), profile["totals"]["thunks_updated"]);
    assert_eq!(sum(&profile, "reductions"), profile["totals"]["reductions"]);
}

#[test]
fn the_page_holds_the_profile_and_asks_for_nothing() {
    let program = ["-e", "(length (map square (range 1 90000)))"];
    let page = output(&[&["profile", "-o", "-"], &program[..]].concat());
    let start = "<script type=\"application/json\" id=\"profile\">";
    let data = page.split_once(start).and_then(|(_, rest)| rest.split_once("</script>"));
    let mut data: Value = serde_json::from_str(data.expect("the data").0).expect("JSON");
    data.as_object_mut().expect("an object").remove("clocks");
    assert_eq!(data, profile(&program));
    for outside in ["http://", "https://", "src=", "@import", "fetch("] {
        let page = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.len() <= 5_000_000);
}

#[test]
fn folded_stacks_have_the_weight_of_the_run() {
    let program = ["examples/queens.core"];
    let text = output(&["profile", "--format", "folded", program[0]]);
    let weight: u64 = text
        .lines()
        .map(|line| line.rsplit_once(' ').expect("a weight").1.parse::<u64>().expect("a number"))
        .sum();
    let total = profile(&program)["totals"]["instructions"].as_u64().expect("a number");
    // But for functions that no sample has found running.
    assert!(weight <= total && weight >= total * 9 / 10, "{weight} of {total}");
}

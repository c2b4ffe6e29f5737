//! The page that `gmachine film` writes: its data is the stream of events, and it asks for nothing.

use std::process::Command;

use serde_json::{Value, json};

use crate::PROJECT;

const GMACHINE: &str = env!("CARGO_BIN_EXE_gmachine");

pub fn output(arguments: &[&str]) -> (String, String) {
    let output = Command::new(GMACHINE)
        .args(arguments)
        .current_dir(PROJECT)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the command");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

/// The page of a film, its data, and what was said beside it.
fn film(program: &[&str]) -> (String, Value, String) {
    let (page, said) = output(&[&["film", "-o", "-"], program].concat());
    let start = "<script type=\"application/json\" id=\"film\">";
    let data = page.split_once(start).and_then(|(_, rest)| rest.split_once("</script>"));
    let data = serde_json::from_str(data.expect("the data").0).expect("JSON");
    (page, data, said)
}

/// The names of the kinds of events, as the page numbers them.
const KINDS: [&str; 9] =
    ["born", "filled", "demanded", "shared", "entered", "updated", "selected", "printed", "dead"];

/// An event of a film as `steps --format json` writes it, as far as a film has it.
fn event(row: &Value, data: &Value) -> Value {
    let kind = KINDS[row[0].as_u64().expect("a kind") as usize];
    let node = |value: &Value| if *value == json!(0) { Value::Null } else { value.clone() };
    let mut event = json!({"event": kind, "node": row[1], "depth": row[2], "instructions": row[3]});
    match kind {
        "born" | "demanded" | "shared" => event["by"] = node(&row[5]),
        "filled" | "selected" => event["with"] = row[5].clone(),
        "updated" => (event["with"], event["step"]) = (row[5].clone(), row[6].clone()),
        "entered" => {
            let function = row[5].as_i64().expect("a number");
            let global = usize::try_from(function).ok().map(|at| &data["globals"][at]);
            event["function"] = global.map_or(Value::Null, |global| global[4].clone());
            event["arguments"] = json!(row.as_array().expect("a row")[6..]);
        }
        "printed" => {
            event["text"] = data["strings"][row[5].as_u64().expect("a number") as usize].clone();
        }
        _ => {}
    }
    event
}

/// Compares a film with the events that `steps` writes; how many there are.
pub fn compare(program: &[&str]) -> usize {
    let (page, data, _) = film(program);
    assert!(page.len() <= 5_000_000, "{program:?}: {} bytes", page.len());
    let (lines, _) = output(&[&["steps", "--format", "json"], program].concat());
    let mut lines = lines.lines().skip(1);
    let rows = data["events"].as_array().expect("events");
    assert!(rows.len() <= 20_000);
    for row in rows {
        let wanted: Value = serde_json::from_str(lines.next().expect("an event")).expect("JSON");
        for (field, value) in event(row, &data).as_object().expect("an object") {
            assert_eq!(*value, wanted[field], "{program:?}: {field} of {wanted}");
        }
    }
    let is_whole = lines.next().is_none();
    let note = data["note"].as_str().expect("a note");
    if !program.contains(&"--to") {
        assert_eq!(is_whole, !note.contains("the run goes on"), "{program:?}: {note}");
    }
    rows.len()
}

/// Expressions whose views are compared.
pub const EXPRESSIONS: [&str; 10] = [
    "(add 1 2)",
    "(take 5 (iterate (mul 2) 1))",
    "(letrec ([fibs (Cons 0 (Cons 1 (zipWith add fibs (tail fibs))))]) (take 9 fibs))",
    "(let ([x (mul 3 4)]) (add x x))",
    "(append \"a text\" \"</script> \\u{1F600}\")",
    "(sum (map (mul 2) (filter (lt 3) (range 1 40))))",
    "(head Nil)",
    "(bind (putText \"hi\") (fn [_] (return 1)))",
    "(foldr add 0 (range 1 200))",
    "1.5",
];

/// Examples whose views are compared, up to their step 300.
pub const EXAMPLES: [&str; 10] =
    ["fibs", "primes", "church", "hamming", "power", "tree", "hello", "collatz", "queens", "pi"];

#[test]
fn a_film_has_the_events_that_steps_tells_of() {
    for expression in EXPRESSIONS {
        assert!(compare(&["-e", expression]) > 3, "{expression}");
    }
    for example in EXAMPLES {
        let path = format!("examples/{example}.core");
        assert!(compare(&[&path, "--to", "300"]) > 3, "{example}");
    }
}

#[test]
fn a_film_begins_at_the_step_that_is_asked_for_and_knows_what_was_before() {
    let program = ["examples/queens.core", "--from", "200", "--to", "260"];
    assert!(compare(&program) > 60);
    let (_, data, _) = film(&program);
    // An update is the end of its step: the kind of event, its node, what it became, the step.
    let events = data["events"].as_array().expect("events");
    let steps: Vec<u64> =
        events.iter().filter(|row| row[0] == 5).filter_map(|row| row[6].as_u64()).collect();
    assert_eq!(
        (steps.first(), steps.last(), steps.len()),
        (Some(&200), Some(&260), 61),
        "{steps:?}"
    );
    let born: std::collections::HashSet<u64> = ["prior", "events"]
        .iter()
        .flat_map(|part| data[part].as_array().expect("events"))
        .filter(|row| row[0] == 0)
        .filter_map(|row| row[1].as_u64())
        .collect();
    for row in data["events"].as_array().expect("events") {
        let node = row[1].as_u64().expect("a node");
        assert!(born.contains(&node), "#{node} is known");
    }
}

#[test]
fn a_long_run_gives_a_page_of_the_events_that_fit_and_says_so() {
    let (page, data, said) = film(&["-e", "(foldr add 0 (range 1 5000))"]);
    assert_eq!(data["events"].as_array().expect("events").len(), 20_000);
    assert!(said.starts_with("note: 20,000 events"), "{said}");
    assert!(said.contains("--from"), "{said}");
    assert!(page.len() <= 5_000_000, "{}", page.len());
}

#[test]
fn the_page_of_a_film_asks_for_nothing_and_closes_no_element_early() {
    let (page, data, _) = film(&["-e", "\"</script><b>\""]);
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("src=\""));
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(page.contains("<title>\"&lt;/script>&lt;b>\"</title>"), "{}", &page[..800]);
    assert_eq!(data["schema"], "gmachine-film");
}

//! Every program in `examples/`, `benches/programs/` and `tests/programs/` is free of warnings and does what its first comment says:
//! `; prints: LINE` or `; prints text: "TEXT"` is all that it prints, `; prints (first line): LINE` how that begins, and
//! `; with input: "TEXT"` its standard input, as a STRING literal.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine_testing::{common, programs};

/// Instructions: many times what the longest of them takes.
const FUEL: u64 = 30_000_000;

#[test]
fn the_examples_print_what_they_say() {
    let examples = programs::examples();
    assert!(examples.len() >= 60, "only {} examples were found", examples.len());
    for example in examples {
        let name = &example.name;
        assert_eq!(common::check(&example.text), Vec::<String>::new(), "{name}");
        let config = Config { fuel: Some(FUEL), ..Config::default() };
        let run = common::run_with(&example.text, &example.input, Format::Default, config);
        example.check("on both machines", &run);
    }
}

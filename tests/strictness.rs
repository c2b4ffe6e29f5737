//! Strictness analysis: what it finds, that it is true, what it costs, what comes of it.
#![allow(clippy::unwrap_used)]

mod budget;
mod choices;
mod demands;
mod rules;
mod shapes;
mod soundness;
mod table;
mod uses;
mod wanted;

use gmachine::base::name::Interner;
use gmachine::core::expr::{GlobalKind, Program};
use gmachine::driver::{Options, Stage, build};
use gmachine::load::{MainFile, Source};
use gmachine::optimise::strictness::{Budget, within};
use gmachine::optimise::{self, Pass, Passes, Report};
use gmachine_testing::common::NoFiles;
use gmachine_testing::{common, dice, read};

/// The supercombinators of a text.
fn lifted(text: &str) -> (Program, Interner) {
    let root = Source {
        file: Some(MainFile::Text {
            name: "test.core".into(),
            text: text.as_bytes().to_vec(),
            directory: None,
        }),
        expression: None,
    };
    let built = build(&root, &NoFiles, &Options { until: Stage::Lifted, ..Options::RUN });
    let core = built.core.unwrap_or_else(|| panic!("{text}: {:?}", built.diagnostics));
    (core, built.loaded.names)
}

/// The program after the pass, alone.
fn analysed(text: &str) -> (Program, Interner) {
    let (program, names) = lifted(text);
    let options = optimise::Options { passes: Passes::NONE.with(Pass::Strictness), verbose: false };
    (optimise::optimise(program, &names, options).0, names)
}

/// The program after the pass with a budget.
fn analysed_within(text: &str, budget: Budget) -> (Program, Interner, Report) {
    let (program, names) = lifted(text);
    let mut report = Report::new(true);
    let program = within(program, budget, &mut report);
    (program, names, report)
}

/// The names of the parameters that a function is strict in; `fails` if it always fails.
fn strict_in(program: &Program, names: &Interner, symbol: &str) -> String {
    let global = program.globals.iter().find(|global| &*global.symbol == symbol);
    let global = global.unwrap_or_else(|| panic!("{symbol} is not there"));
    let GlobalKind::Defn { params, .. } = global.kind else { panic!("{symbol} is no definition") };
    if global.signature.fails {
        return "fails".into();
    }
    let name = |local| program.locals[local].name.map_or("_", |name| names.text(name));
    let params = program.local_lists[params].iter().enumerate();
    let strict = params.filter(|(at, _)| global.signature.is_strict(*at));
    strict.map(|(_, &param)| name(param)).collect::<Vec<_>>().join(" ")
}

/// Checks what functions are strict in: `text` defines them, and `expected` says for each its
/// name and the parameters.
#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let names = expected.iter().map(|(name, _)| *name);
    let mentioned: Vec<&str> = names.filter(|name| !name.contains('$')).collect();
    let text = format!("{text}\n(defn main[] [{}])", mentioned.join(" "));
    let (program, names) = analysed(&text);
    for (name, params) in expected {
        assert_eq!(strict_in(&program, &names, name), *params, "{name}\n{text}");
    }
}

//! A row of the table: a program under `tests/acceptance/`, its residual, its runs.
//!
//! The program's first comments say what it is about, which definitions are its `entries`
//! (nothing is known of their arguments) and what `input` its `main` is run on.

use std::path::Path;

use gmachine::base::name::Interner;
use gmachine::core::expr::{GlobalId, GlobalKind, Program};
use gmachine::core::options::{EntryPoints, Options as Lower};
use gmachine::driver::{Built, Options, Stage, build};
use gmachine::load::Source;
use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::{self, Passes};

use super::common::{NoFiles, Run, run_optimised};
use super::inspect::{self, Shape};

pub struct Row {
    name: &'static str,
    source: String,
    entries: Vec<String>,
    inputs: Vec<String>,
    /// The program as it is lifted, with the passes.
    pub residual: Program,
    names: Interner,
}

/// The program of a source whose definitions of these names are kept, after some passes.
///
/// # Panics
/// When there is a mistake in it.
pub fn specialised(source: &str, entries: &[String], passes: Passes) -> Built {
    let options = Options {
        until: Stage::Optimised,
        lower: Lower { roots: EntryPoints::Named(entries.to_vec()), ..Lower::RUN },
        optimise: optimise::Options { passes, ..optimise::Options::default() },
        ..Options::RUN
    };
    let built = build(&Source::text("row.core", source), &NoFiles, &options);
    assert_eq!(built.diagnostics, [], "{source}");
    built
}

impl Row {
    /// The row of a file.
    ///
    /// # Panics
    /// When it is no row, or the residual is no program.
    pub fn new(name: &'static str) -> Row {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acceptance");
        let source = std::fs::read_to_string(folder.join(format!("{name}.core"))).expect(name);
        let says = |label: &str| {
            let prefix = format!("; {label}: ");
            let rows = source.lines().filter_map(|line| line.strip_prefix(&prefix));
            rows.map(str::to_owned).collect::<Vec<_>>()
        };
        let entries: Vec<String> =
            says("entries").iter().flat_map(|row| row.split(' ')).map(str::to_owned).collect();
        let inputs = says("input").iter().map(|input| input.trim_matches('"').to_owned()).collect();
        let built = specialised(&source, &entries, Passes::ALL);
        let residual = built.core.expect("a program");
        assert_eq!(gmachine::lift::lint::lint(&residual), Vec::<String>::new(), "{name}");
        assert_eq!(residual.roots.len(), entries.len(), "{name}");
        Row { name, entries, inputs, residual, names: built.loaded.names, source }
    }

    /// The definition of an entry.
    pub fn entry(&self, name: &str) -> GlobalId {
        let at = self.entries.iter().position(|entry| entry == name).expect(name);
        self.residual.roots[at]
    }

    /// What an entry is made of, with all that it reaches.
    pub fn shape(&self, entry: &str) -> Shape {
        inspect::shape(&self.residual, self.entry(entry))
    }

    /// The text of an entry and of all that it reaches.
    pub fn text(&self, entry: &str) -> String {
        inspect::text(&self.residual, &self.names, &[self.entry(entry)])
    }

    /// The expression that an entry without parameters is.
    pub fn value(&self, entry: &str) -> String {
        let global = &self.residual.globals[self.entry(entry)];
        let head = format!("(defn {entry}[] ");
        assert!(matches!(global.kind, GlobalKind::Defn { params, .. } if params.is_empty()));
        let mut text = String::new();
        gmachine::core::print::definition(
            &self.residual,
            &self.names,
            self.entry(entry),
            &mut text,
        );
        text.trim_end().strip_prefix(&head).and_then(|text| text.strip_suffix(')')).map_or_else(
            || panic!("{}: {text} does not begin with {head}", self.name),
            str::to_owned,
        )
    }

    /// Runs `main` on an input, after some passes.
    pub fn run(&self, input: &str, passes: Passes) -> Run {
        let config =
            Config { heap_limit: Some(1 << 30), fuel: Some(500_000_000), ..Config::default() };
        run_optimised(&self.source, input, Format::Default, config, passes)
    }

    /// Checks what every residual must be: the same text as the accepted one, the same
    /// results with no more work on every input.
    pub fn check(&self) {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../golden/acceptance");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let roots: Vec<GlobalId> = self.entries.iter().map(|entry| self.entry(entry)).collect();
        let text = inspect::text(&self.residual, &self.names, &roots);
        for input in &self.inputs {
            let (before, after) = (self.run(input, Passes::NONE), self.run(input, Passes::ALL));
            assert_eq!(before.failure, None, "{} on {input:?}", self.name);
            assert_eq!(after.failure, None, "{} on {input:?}", self.name);
            assert_eq!(before.output, after.output, "{} on {input:?}", self.name);
            let (before, after) = (before.statistics.reductions, after.statistics.reductions);
            assert!(after <= before, "{} on {input:?}: {before}, then {after}", self.name);
        }
        settings.bind(|| insta::assert_snapshot!(self.name, text));
    }
}

//! Running programs in tests.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::Path;
use std::sync::Arc;

use gmachine::driver::{Built, Options, build};
use gmachine::gcode::program::Program;
use gmachine::load::{Loader, Root, RootFile};
use gmachine::machine::outcome::{Input, InputError, Statistics, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::optimise::{self, Passes};

/// What became of a run.
pub struct Run {
    /// What was printed.
    pub output: String,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// What it counted.
    pub statistics: Statistics,
}

/// The report of a failure.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its code, or the kind of stop.
    pub code: String,
    /// Its sentence.
    pub message: String,
}

/// Reads no file.
pub struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

/// An input whose text is known.
pub struct Text(std::vec::IntoIter<char>);

impl Text {
    /// The input with this text.
    pub fn new(text: &str) -> Text {
        Text(text.chars().collect::<Vec<_>>().into_iter())
    }
}

impl Input for Text {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        Ok(self.0.next())
    }
}

fn built(source: &str, options: &Options<'_>) -> Built {
    let root = Root {
        file: Some(RootFile::Text {
            name: "test.core".into(),
            text: source.as_bytes().to_vec(),
            directory: None,
        }),
        expression: None,
    };
    build(&root, &NoFiles, options)
}

/// The reports of the checks, warnings included: code and message.
pub fn check(source: &str) -> Vec<String> {
    let built = built(source, &Options::CHECK);
    built.diagnostics.iter().map(|report| format!("{}: {}", report.code, report.message)).collect()
}

/// A program's code.
///
/// # Panics
/// When the program has a mistake.
pub fn compile(source: &str) -> Arc<Program> {
    let built = built(source, &Options::RUN);
    Arc::new(built.gcode.unwrap_or_else(|| panic!("{source}: {:?}", built.diagnostics)))
}

/// A program's code after some passes; `None` if the program has a mistake.
pub fn compile_after(source: &str, passes: Passes) -> Option<Arc<Program>> {
    let optimise = optimise::Options { passes, ..optimise::Options::default() };
    built(source, &Options { optimise, ..Options::RUN }).gcode.map(Arc::new)
}

/// Compiles and runs a program on the reference machine.
pub fn run(source: &str, input: &str) -> Run {
    run_after(source, input, Passes::NONE)
}

/// As [`run`], after some passes.
pub fn run_after(source: &str, input: &str, passes: Passes) -> Run {
    // A mistake must end in a failure, not in a full machine.
    let config =
        Config { heap_limit: Some(1 << 30), fuel: Some(2_000_000_000), ..Config::default() };
    run_optimised(source, input, Format::Default, config, passes)
}

/// As [`run`], in a format and with limits.
pub fn run_with(source: &str, input: &str, format: Format, config: Config) -> Run {
    run_optimised(source, input, format, config, Passes::NONE)
}

/// As [`run_with`], after some passes of the optimiser.
pub fn run_optimised(
    source: &str,
    input: &str,
    format: Format,
    config: Config,
    passes: Passes,
) -> Run {
    let optimise = optimise::Options { passes, ..optimise::Options::default() };
    let built = built(source, &Options { optimise, ..Options::RUN });
    let mut output = String::new();
    let Some(program) = built.gcode else {
        let report = built.diagnostics.iter().find(|report| report.is_error());
        let failure = report.map(|report| Failure {
            code: report.code.to_string(),
            message: report.message.clone(),
        });
        return Run { output, failure, statistics: Statistics::default() };
    };
    let mut machine = Machine::new(Arc::new(program), config);
    let stopped = machine
        .start(format, Some(Box::new(Text::new(input))))
        .and_then(|()| machine.run(&mut output));
    let failure = stopped.err().map(|stop| match stop {
        Stop::Error(error) => Failure { code: error.code.to_string(), message: error.message },
        other => Failure { code: "stop".into(), message: format!("{other:?}") },
    });
    Run { output, failure, statistics: machine.statistics() }
}

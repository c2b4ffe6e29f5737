//! Compiling and running programs.

mod engines;
mod memory;

use std::path::Path;

pub use engines::{Failure, Mode, Run, code_in, machine, native, same, stopped};
use gmachine::base::diagnostic::Diagnostic;
use gmachine::compile::{self, compile_with};
use gmachine::driver::{Built, Options, Stage, build};
use gmachine::gcode::Verified;
use gmachine::lift::lint::lint;
use gmachine::load::{Loader, MainFile, Source};
use gmachine::machine::outcome::{Input, InputError, Statistics};
use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind};
use gmachine::optimise::strictness::{self, Budget};
use gmachine::optimise::{self, Pass, Passes};
pub use memory::{Faults, Memory};

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
    /// Returns an input with this text.
    pub fn new(text: &str) -> Text {
        Text(text.chars().collect::<Vec<_>>().into_iter())
    }
}

impl Input for Text {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        Ok(self.0.next())
    }

    fn take_ready(&mut self, into: &mut [char]) -> usize {
        into.iter_mut().zip(&mut self.0).map(|(to, c)| *to = c).count()
    }
}

fn built(source: &str, options: &Options<'_>) -> Built {
    let root = Source {
        file: Some(MainFile::Text {
            name: "test.core".into(),
            text: source.as_bytes().to_vec(),
            directory: None,
        }),
        expression: None,
    };
    build(&root, &NoFiles, options)
}

/// Returns the reports of the checks, warnings included: code and message.
pub fn check(source: &str) -> Vec<String> {
    let built = built(source, &Options::CHECK);
    built.diagnostics.iter().map(|report| format!("{}: {}", report.code, report.message)).collect()
}

/// Returns the code of a program.
///
/// # Panics
/// When the program has a mistake.
pub fn compile(source: &str) -> Verified {
    let built = built(source, &Options::RUN);
    built.gcode.unwrap_or_else(|| panic!("{source}: {:?}", built.diagnostics))
}

/// Returns the code of a program after some passes; `None` if the program has a mistake.
pub fn compile_after(source: &str, passes: Passes) -> Option<Verified> {
    let optimise = optimise::Options { passes, ..optimise::Options::default() };
    built(source, &Options { optimise, ..Options::RUN }).gcode
}

/// Compiles as [`compile_after`] does; returns also what the passes did. An error is the first
/// mistake.
///
/// # Errors
/// When the program has a mistake.
pub fn compiled_after(
    source: &str,
    passes: Passes,
) -> Result<(Verified, optimise::Report), String> {
    let optimise = optimise::Options { passes, ..optimise::Options::default() };
    let built = built(source, &Options { optimise, ..Options::RUN });
    let Some(gcode) = built.gcode else { return Err(first_mistake(&built)) };
    Ok((gcode, built.report))
}

/// Compiles as [`compiled_after`] does, strictness analysis being the last pass, with a budget:
/// what it does not suffice for is given up.
///
/// # Errors
/// When the program has a mistake.
pub fn compiled_within(
    source: &str,
    passes: Passes,
    budget: Budget,
) -> Result<(Verified, optimise::Report), String> {
    let before = passes.without(Pass::Strictness);
    let optimise = optimise::Options { passes: before, ..optimise::Options::default() };
    let options = Options { optimise, until: Stage::Optimised, ..Options::RUN };
    let mut built = built(source, &options);
    let Some(core) = built.core.take() else { return Err(first_mistake(&built)) };
    let core = strictness::within(core, budget, &mut built.report);
    let violations = lint(&core);
    if !violations.is_empty() {
        return Err(format!("within {budget:?}: no supercombinators: {violations:?}"));
    }
    let names = &built.loaded.names;
    let code = compile_with(&core, names, compile::Options { eval_once: true });
    let code = Verified::new(code).map_err(|found| format!("within {budget:?}: {found:?}"))?;
    Ok((code, built.report))
}

/// Returns the first mistake of a program that has one.
#[must_use]
pub fn first_mistake(built: &Built) -> String {
    let error = built.diagnostics.iter().find(|report| report.is_error());
    let shown = |report: &Diagnostic| format!("{}: {}", report.code, report.message);
    error.map(shown).unwrap_or_default()
}

/// Returns the subset of the passes with this number, of `1 << Pass::ALL.len()`.
#[must_use]
pub fn subset(number: u64) -> Passes {
    let chosen = Pass::ALL.iter().enumerate().filter(|(at, _)| number >> at & 1 != 0);
    chosen.fold(Passes::NONE, |set, (_, &pass)| set.with(pass))
}

/// Returns the names of the passes of a set.
#[must_use]
pub fn names(passes: Passes) -> String {
    let names = Pass::ALL.iter().filter(|&&pass| passes.has(pass)).map(|pass| pass.name());
    names.collect::<Vec<_>>().join(" ")
}

/// Compiles and runs a program on every machine.
pub fn run(source: &str, input: &str) -> Run {
    run_after(source, input, Passes::NONE)
}

/// Runs a program as [`run`] does, after some passes.
pub fn run_after(source: &str, input: &str, passes: Passes) -> Run {
    run_optimised(source, input, Format::Default, limits(), passes)
}

/// Runs a program as [`run`] does, in a format and with limits.
pub fn run_with(source: &str, input: &str, format: Format, config: Config) -> Run {
    run_optimised(source, input, format, config, Passes::NONE)
}

/// Runs a program as [`run_with`] does, after some passes of the optimiser: returns what the
/// reference machine counts, and what all machines say.
///
/// # Panics
/// When they do not say the same.
pub fn run_optimised(
    source: &str,
    input: &str,
    format: Format,
    config: Config,
    passes: Passes,
) -> Run {
    let program = match compiled(source, passes) {
        Ok(program) => program,
        Err(run) => return *run,
    };
    let wanted = code_in(MachineKind::Reference, &program, input, format, config.clone());
    let mut config = config;
    if wanted.is_out_of_fuel() {
        // Which is never as far as so many reductions.
        config.fuel = Some(wanted.statistics.reductions);
    }
    let found = code_in(MachineKind::Fast, &program, input, format, config);
    if let Err(difference) = same(&wanted, &found) {
        panic!("the machines differ: {difference}\n{source}");
    }
    wanted
}

/// Runs a program as [`run_after`] does, on one machine, which collects as it is told.
pub fn run_in(mode: Mode, source: &str, input: &str, passes: Passes) -> Run {
    let config = Config { stress: mode.stress, ..limits() };
    match compiled(source, passes) {
        Ok(program) => code_in(mode.machine, &program, input, Format::Default, config),
        Err(run) => *run,
    }
}

/// Returns limits that a mistake meets, so that it ends in a failure, not in a full machine.
pub fn limits() -> Config {
    Config { heap_limit: Some(1 << 30), fuel: Some(2_000_000_000), ..Config::default() }
}

/// Returns the code of a program after some passes, or the run that its first mistake is.
///
/// # Errors
/// With that run.
pub fn compiled(source: &str, passes: Passes) -> Result<Verified, Box<Run>> {
    let optimise = optimise::Options { passes, ..optimise::Options::default() };
    let built = built(source, &Options { optimise, ..Options::RUN });
    built.gcode.ok_or_else(|| {
        let report = built.diagnostics.iter().find(|report| report.is_error());
        let failure = report.map(|report| {
            Failure::new(&report.code.to_string(), &report.message, report.primary.span)
        });
        Box::new(Run { output: String::new(), failure, statistics: Statistics::default() })
    })
}

//! What `trace` and `steps` have in common: a run of the reference machine that is watched.

use gmachine::diagnostic::nearest;
use gmachine::gcode::program::Program;
use gmachine::inspect::trace::{Config, Machine};
use gmachine::inspect::views::is_called;
use gmachine::render::grouped;
use gmachine::{Module, Output, OutputError};

use super::args::{Limits, TraceFormat};
use super::interrupt::Stopper;
use super::{Failure, report, run, usage};

/// Makes a machine that is to run a module within the limits, and is granted nothing.
pub fn machine(module: &Module, limits: &Limits, stopper: &Stopper) -> Machine {
    let options = run::store_options(limits, stopper);
    let config = Config {
        heap_limit: options.limits.heap,
        fuel: options.limits.fuel,
        interrupt: options.interrupt,
        ..Config::default()
    };
    Machine::new(module.program().clone(), config)
}

/// Refuses the name of a function that the program has no code of.
///
/// # Errors
/// When there is none: the misuse of `command`.
pub fn must_have_code_of(only: &str, command: &str, program: &Program) -> Result<(), Failure> {
    if program.globals.iter().any(|global| is_called(program, global, only)) {
        return Ok(());
    }
    let names = || program.globals.iter().map(|global| &*global.symbol);
    let message = format!("no code of the program is that of '{only}'");
    let tip = match nearest(only, names()) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => "definitions that main does not reach, or that are inlined, have none".to_owned(),
    };
    Err(usage(command, message, &tip))
}

/// Refuses the first of some options that is given, by name, and is about text alone.
///
/// # Errors
/// When the output is to be JSON and one is given: the misuse of `command`.
pub fn must_be_text(
    command: &str,
    format: TraceFormat,
    options: &[(&str, bool)],
) -> Result<(), Failure> {
    let given = options.iter().find(|(_, is_given)| *is_given);
    match given.filter(|_| format == TraceFormat::Json) {
        Some((option, _)) => {
            let message = format!("'{option}' cannot be used with '--format json'");
            Err(usage(command, message, "JSON leaves nothing away: select from its lines"))
        }
        None => Ok(()),
    }
}

/// Says that nothing was shown of so many steps.
pub fn nothing_shown(taken: u64) {
    report::write(&format!(
        "note: none of the {} steps that were taken is one that is asked for\n",
        grouped(taken)
    ));
}

/// The program's output, which the view itself tells.
pub struct Nowhere;

impl Output for Nowhere {
    fn write(&mut self, _: &str) -> Result<(), OutputError> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

//! Running a program's code with limits, and what became of it.

use std::sync::Arc;

use gmachine::gcode::program::Program;
use gmachine::machine::outcome::{Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};

use crate::common::Text;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// All was printed.
    Value,
    /// It failed.
    Error,
    /// It was given no more time.
    Fuel,
}

/// What a run printed, without blanks (of which there are more if it is interrupted), and how
/// it ended.
pub type Meaning = (String, End);

/// The meaning of a run.
pub fn meaning(output: &str, end: End) -> Meaning {
    (output.split_whitespace().collect(), end)
}

/// How a run ended; what must not happen is an error.
pub fn ended(result: Result<(), Stop>) -> Result<End, String> {
    match result {
        Ok(()) => Ok(End::Value),
        Err(Stop::Error(_)) => Ok(End::Error),
        Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Fuel(_)) => Ok(End::Fuel),
        Err(other) => Err(format!("the machine stopped: {other}")),
    }
}

/// A reference machine that is ready to run.
pub fn machine(program: &Arc<Program>, input: &str, config: Config) -> Result<Machine, String> {
    let mut machine = Machine::new(program.clone(), config);
    let input = Box::new(Text::new(input));
    machine.start(Format::Default, Some(input)).map_err(|stop| stop.to_string())?;
    Ok(machine)
}

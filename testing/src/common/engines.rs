//! A program's code on every machine, in every mode of its collector.

use std::sync::Arc;

use gmachine::base::span::Span;
use gmachine::gcode::Verified;
use gmachine::machine::outcome::{Chain, Limit, Statistics, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::{Config, Machine, MachineKind, NativeCode, Stress, fast, reference};

use super::{Memory, Text};
use crate::dice::Dice;

/// What became of a run.
pub struct Run {
    /// What was printed.
    pub output: String,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// What it counted.
    pub statistics: Statistics,
}

impl Run {
    /// Returns whether it was given too few steps.
    pub fn is_out_of_fuel(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.fuel)
    }
}

/// The report of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its code, or the kind of stop.
    pub code: String,
    /// Its sentence.
    pub message: String,
    /// Where it failed.
    pub span: Span,
    /// What waited.
    pub chain: Chain,
    /// Whether it was given too few steps.
    pub fuel: bool,
}

impl Failure {
    /// Returns a failure that nothing waited for.
    pub fn new(code: &str, message: &str, span: Span) -> Failure {
        let (code, message) = (code.to_owned(), message.to_owned());
        Failure { code, message, span, chain: Chain::default(), fuel: false }
    }
}

/// A machine, and how often it collects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// The machine.
    pub machine: MachineKind,
    /// How often it collects.
    pub stress: Stress,
}

impl Mode {
    /// Returns every machine in every mode.
    pub fn all() -> impl Iterator<Item = Mode> {
        let of = |&machine| Stress::ALL.map(|stress| Mode { machine, stress });
        MachineKind::ALL.iter().flat_map(of)
    }

    /// Returns whether a run has to have collected, if it has allocated anything.
    pub fn collects(self) -> bool {
        matches!(self.stress, Stress::Minor | Stress::Full)
    }
}

/// Makes a machine of this kind: never another one in its place.
///
/// # Panics
/// When the program is too large for it.
pub fn machine(kind: MachineKind, program: &Verified, config: Config) -> Box<dyn Machine> {
    match kind {
        MachineKind::Fast => {
            let image = fast::Image::new(program.clone()).expect("functions of a common size");
            Box::new(fast::Machine::new(Arc::new(image), config))
        }
        MachineKind::Native => {
            let config = Config { native: NativeCode::After(0), ..config };
            machine(MachineKind::Fast, program, config)
        }
        MachineKind::Reference => Box::new(reference::Machine::new(program.clone(), config)),
        other => panic!("{other} is not known here"),
    }
}

/// Returns when a run of the fast machine changes over to native code: most often at once, or somewhere.
pub fn native(dice: &mut Dice) -> NativeCode {
    match dice.roll(4) {
        0 => NativeCode::Never,
        1 => NativeCode::After(dice.roll(300) as u64),
        _ => NativeCode::After(0),
    }
}

/// Returns why a run stopped.
pub fn stopped(stop: Stop) -> Failure {
    match stop {
        Stop::Error(error) => Failure {
            chain: error.chain.clone(),
            ..Failure::new(&error.code.to_string(), &error.message, error.span)
        },
        Stop::Limit(reached) => Failure {
            chain: reached.chain.clone(),
            fuel: matches!(reached.limit, Limit::Fuel(_)),
            ..Failure::new("stop", &format!("{:?}", reached.limit), reached.span)
        },
        other => Failure::new("stop", &format!("{other:?}"), Span::NONE),
    }
}

/// Runs code on a machine.
pub fn code_in(
    kind: MachineKind,
    program: &Verified,
    input: &str,
    format: Format,
    config: Config,
) -> Run {
    let mut output = String::new();
    let mut machine = machine(kind, program, config);
    machine.set_system(Box::new(Memory::default()));
    let ended = machine
        .start(format, Some(Box::new(Text::new(input))))
        .and_then(|()| machine.run(&mut output));
    Run { output, failure: ended.err().map(stopped), statistics: machine.statistics() }
}

/// Checks that two runs of the same code do the same: they print the same and fail with the same
/// code. One that was given too few steps may have printed more or less of it.
pub fn same(wanted: &Run, found: &Run) -> Result<(), String> {
    let right = if wanted.is_out_of_fuel() || found.is_out_of_fuel() {
        // Its line was ended wherever it stood.
        let (one, other) = (wanted.output.trim_end(), found.output.trim_end());
        one.starts_with(other) || other.starts_with(one)
    } else {
        let code = |run: &Run| run.failure.as_ref().map(|failure| failure.code.clone());
        wanted.output == found.output && code(wanted) == code(found)
    };
    if right {
        return Ok(());
    }
    let shown = |run: &Run| format!("{:?} {:?}", run.output, run.failure);
    Err(format!("wanted {}, found {}", shown(wanted), shown(found)))
}

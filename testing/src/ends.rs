//! Running a program's code with limits, and what became of it.

use gmachine::gcode::Verified;
use gmachine::machine::outcome::{Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};

use crate::common::Text;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// All was printed, or it ended itself.
    Value,
    /// It failed.
    Error,
    /// It was given no more time.
    Fuel,
}

/// What a run printed, without blanks (of which there are more if it is interrupted), and how
/// it ended.
pub type Meaning = (String, End);

/// Returns the meaning of a run.
pub fn meaning(output: &str, end: End) -> Meaning {
    (output.split_whitespace().collect(), end)
}

/// Returns how a run ended; what must not happen is an error. An input that is refused, as one that
/// is read on as text from within a character, is the program's failure.
pub fn ended(result: Result<(), Stop>) -> Result<End, String> {
    match result {
        Ok(()) | Err(Stop::Exit(_)) => Ok(End::Value),
        Err(Stop::Error(_) | Stop::Input(_)) => Ok(End::Error),
        Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Fuel(_)) => Ok(End::Fuel),
        Err(other) => Err(format!("the machine stopped: {other}")),
    }
}

/// Returns a reference machine that is ready to run.
pub fn machine(program: &Verified, input: &str, config: Config) -> Result<Machine, String> {
    let mut machine = Machine::new(program.clone(), config);
    let input = Box::new(Text::new(input));
    machine.start(Format::Default, Some(input)).map_err(|stop| stop.to_string())?;
    Ok(machine)
}

/// What a run printed, how it ended, and the code of its error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Without blanks, as in a [`Meaning`].
    pub output: String,
    /// How it ended.
    pub end: End,
    /// The code of the error, or the exit status.
    pub code: Option<String>,
}

/// Returns what became of a run; what must not happen is an error.
///
/// # Errors
/// When it was stopped by what nobody asked for.
pub fn found(output: &str, result: Result<(), Stop>) -> Result<Found, String> {
    let code = match &result {
        Err(Stop::Error(error)) => Some(error.code.to_string()),
        Err(Stop::Exit(status)) => Some(status.to_string()),
        _ => None,
    };
    let (output, end) = meaning(output, ended(result)?);
    Ok(Found { output, end, code })
}

/// Returns what [`found`] does, where memory is short: using it up is taking too long.
///
/// # Errors
/// When it was stopped by what nobody asked for.
pub fn found_within(output: &str, result: Result<(), Stop>) -> Result<Found, String> {
    if let Err(Stop::Limit(reached)) = &result
        && matches!(reached.limit, Limit::Heap(_))
    {
        let (output, end) = meaning(output, End::Fuel);
        return Ok(Found { output, end, code: None });
    }
    found(output, result)
}

/// Returns what was printed, without the names of functions: one that has none gets one when it is
/// written out.
#[must_use]
pub fn without_names(output: &str) -> String {
    let mut pieces = output.split("<function");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str("<function");
        out.push_str(piece.find('>').map_or(piece, |end| &piece[end..]));
    }
    out
}

/// Checks that a text is JSON, as far as what reads it here can tell: that knows neither numbers of
/// any size nor values of any depth.
///
/// # Errors
/// When it is not.
pub fn is_json(text: &str) -> Result<(), String> {
    let mut digits = 0;
    let is_kept = |c: &char| {
        digits = if c.is_ascii_digit() { digits + 1 } else { 0 };
        digits <= 100
    };
    let short: String = text.chars().filter(is_kept).collect();
    match serde_json::from_str::<serde_json::Value>(&short) {
        Err(error) if !error.to_string().starts_with("recursion limit") => {
            Err(format!("no JSON: {error}: {text}"))
        }
        _ => Ok(()),
    }
}

//! The reports of limits: which one, and the option that raises it.

use std::time::Duration;

use gmachine::diagnostic::{Code, Diagnostic};
use gmachine::{Limit, LimitReached};

use gmachine::render::grouped;

use super::quantity::{show_duration, show_size};

/// The least memory that is suggested.
const LEAST_HEAP: u64 = 16 << 20;

/// Returns the report of a limit, with the option that raises it.
pub fn report(reached: &LimitReached) -> Diagnostic {
    let (code, message, help) = match reached.limit {
        Limit::Heap(bytes) => {
            let limit = show_size(bytes);
            let more = show_size(bytes.saturating_mul(2).max(LEAST_HEAP));
            (
                Code::HeapLimit,
                format!("the memory limit of {limit} is reached"),
                format!("raise it with --max-heap, like --max-heap {more}"),
            )
        }
        Limit::System(bytes) => (
            Code::HeapLimit,
            format!("the system has no more memory beside {} in use", show_size(bytes)),
            "end other programs, or raise the limits of this process".to_owned(),
        ),
        Limit::Fuel(fuel) => (
            Code::FuelLimit,
            format!("the fuel limit of {} steps is reached", grouped(fuel)),
            format!("raise it with --fuel, like --fuel {}", fuel.max(100).saturating_mul(10)),
        ),
        Limit::Time(limit) => {
            let more = show_duration(limit.saturating_mul(2));
            let help = format!("raise it with --timeout, like --timeout {more}");
            (Code::TimeLimit, time_message(limit), help)
        }
    };
    Diagnostic::error(code, reached.span, message).label("under evaluation").help(help)
}

fn time_message(limit: Duration) -> String {
    format!("the time limit of {} is reached", show_duration(limit))
}

/// Returns the report of a compiler that has used so many bytes.
pub fn compiler_limit(bytes: u64) -> String {
    let (code, limit, more) =
        (Code::HeapLimit, show_size(bytes), show_size(bytes.saturating_mul(2)));
    format!(
        "error[{code}]: the memory limit of {limit} is reached while the program is compiled\n  \
         = help: raise it with --max-heap, like --max-heap {more}; at -O1 programs take less\n"
    )
}

/// Returns the report of a reached time limit where nothing else can be said.
pub fn time_limit(limit: Duration) -> String {
    let code = Code::TimeLimit;
    let more = show_duration(limit.saturating_mul(2));
    let help = format!("raise it with --timeout, like --timeout {more}");
    format!("error[{code}]: {}\n  = help: {help}\n", time_message(limit))
}

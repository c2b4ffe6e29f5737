//! Views of a run of the reference machine that are made of its stream of events: reductions as
//! expressions, a page in which one can go back and forth, and a run that one steps through.

pub mod film;
mod graph;
pub mod stepper;
pub mod steps;

pub use graph::{Cell, Graph, Writer, cut};

use crate::gcode::program::{Global, Program};

/// Returns whether code called `symbol` is that of the definition `name`, or was lifted out of it.
#[must_use]
pub fn is_code_of(symbol: &str, name: &str) -> bool {
    symbol.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
}

/// Returns whether a global is the definition `name`, by its own name or the one that is shown, or
/// was lifted out of it.
#[must_use]
pub fn is_called(program: &Program, global: &Global, name: &str) -> bool {
    is_code_of(&global.symbol, name) || is_code_of(&program.display_name(global), name)
}

//! What can go wrong with values.

use std::fmt;
use std::sync::Arc;

use super::compile::CompileError;
use crate::base::integer::OutOfRange;
use crate::machine::outcome::Stop;

/// Why an operation on values gave no result. The store stays usable whatever it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The evaluation stopped: an error of the program, a limit, an interrupt.
    Stop(Stop),
    /// A value of another store was given.
    ForeignValue,
    /// The module has no global of this name.
    UnknownGlobal(Arc<str>),
    /// The module has no constructor of this name.
    UnknownConstructor(Arc<str>),
    /// A constructor was given another number of fields than it has.
    FieldCount {
        /// How many it has.
        takes: u32,
        /// How many it was given.
        given: usize,
    },
    /// The value is of another kind than was asked for.
    Kind {
        /// What was asked for.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// An integer does not fit the type of Rust that was asked for.
    OutOfRange,
    /// An expression does not compile.
    Compile(Arc<CompileError>),
}

impl From<OutOfRange> for Error {
    fn from(_: OutOfRange) -> Error {
        Error::OutOfRange
    }
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Error {
        Error::Stop(stop)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Stop(stop) => stop.fmt(f),
            Error::ForeignValue => f.write_str("the value belongs to another store"),
            Error::UnknownGlobal(name) => write!(f, "the module has no definition `{name}`"),
            Error::UnknownConstructor(name) => {
                write!(f, "the module has no constructor `{name}`")
            }
            Error::FieldCount { takes, given } => {
                write!(f, "the constructor takes {takes} fields, not {given}")
            }
            Error::Kind { expected, found } => write!(f, "expected {expected}, found {found}"),
            Error::OutOfRange => OutOfRange.fmt(f),
            Error::Compile(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Stop(stop) => Some(stop),
            Error::Compile(error) => Some(error),
            _ => None,
        }
    }
}

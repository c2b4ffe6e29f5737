//! The heap of the fast machine.

pub mod word;

//! The machines, and what they have in common: how a run ends and how a value prints.

pub mod outcome;
pub mod print;
pub mod reference;

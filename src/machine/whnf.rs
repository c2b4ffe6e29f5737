//! Evaluated values, as an embedder sees them.

use super::roots::Root;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::gcode::program::{ConId, GlobalId};

/// A value in weak head normal form.
#[derive(Clone, Debug)]
pub enum Whnf {
    /// An integer.
    Int(Integer),
    /// A float.
    Float(Float),
    /// A character.
    Char(char),
    /// A constructor and its fields, which need not be evaluated.
    Con(ConId, Vec<Root>),
    /// A function, and how many arguments it still takes.
    Function(GlobalId, u32),
}

//! Evaluated values, as an embedder sees them.

use super::opaque::Opaque;
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
    /// An array: its elements, which need not be evaluated.
    Array(Vec<Root>),
    /// A byte string.
    Bytes(Box<[u8]>),
    /// A constructor and its fields, which need not be evaluated.
    Con(ConId, Vec<Root>),
    /// A value of the embedding program.
    Opaque(Opaque),
    /// A function, and how many arguments it still takes.
    Function(GlobalId, u32),
}

//! Evaluated values, as an embedder sees them.

use super::handles::Handle;
use super::opaque::Opaque;
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
    Array(Vec<Handle>),
    /// A byte string.
    Bytes(Box<[u8]>),
    /// A constructor and its fields, which need not be evaluated.
    Con(ConId, Vec<Handle>),
    /// A value of the embedding program.
    Opaque(Opaque),
    /// A function, and how many arguments it still takes.
    Function(GlobalId, u32),
}

//! The leaves: what every stage uses and what uses no stage.

pub mod allocation;
pub mod code;
pub mod deep;
pub mod diagnostic;
pub mod index;
pub mod integer;
pub mod limbs;
pub mod name;
pub mod quote;
pub mod scc;
pub mod source;
pub mod span;
pub mod suggest;

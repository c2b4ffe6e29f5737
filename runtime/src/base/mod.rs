//! The leaves: what every stage uses and what uses no stage.

pub mod allocation;
pub mod bit_set;
pub mod code;
pub mod diagnostic;
pub mod float;
pub mod index;
pub mod integer;
pub mod label;
pub mod limbs;
pub mod limits;
pub mod name;
pub mod origin;
pub mod places;
pub mod quote;
pub mod scc;
pub mod skip_tree;
pub mod source;
pub mod span;
pub mod stack;
pub mod suggest;

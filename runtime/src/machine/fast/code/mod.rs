//! Compact code: what the fast machine runs.
//!
//! It has frames in place of a stack of items: each function works on numbered slots, its
//! arguments in the first ones. Spines are gone: a saturated call of a known function is one
//! instruction, a lazy expression one thunk that has code of its own and the captured
//! variables. Labels point forward, as in G-code.

pub mod access;
pub mod cheap;
pub mod docs;
pub mod instr;
pub mod listing;
pub mod program;
pub mod verify;

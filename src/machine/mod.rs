//! The machines, and what they have in common: how a run ends and how a value prints.

#[allow(unsafe_code, reason = "compact code runs without checks that its verifier has made")]
pub mod fast;
#[allow(unsafe_code, reason = "nodes are words in memory that the collector moves")]
pub mod heap;
pub mod outcome;
pub mod print;
pub mod reference;

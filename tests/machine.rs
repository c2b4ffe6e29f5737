//! The reference machine, driven by listings: its rules, its errors, what a stop leaves
//! behind, and what the collector keeps.
#![allow(clippy::unwrap_used, missing_docs)]

mod collect;
mod errors;
mod freeze;
mod programs;
mod rules;

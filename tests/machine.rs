//! The reference machine, driven by listings: its rules, its errors, what a stop leaves
//! behind, and what the collector keeps.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "machine/collect.rs"]
mod collect;
#[path = "machine/errors.rs"]
mod errors;
#[path = "machine/freeze.rs"]
mod freeze;
#[path = "machine/programs.rs"]
mod programs;
#[path = "machine/rules.rs"]
mod rules;

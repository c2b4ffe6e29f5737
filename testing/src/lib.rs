//! What finds the mistakes of gmachine: programs and other inputs made from numbers and bytes,
//! and what has to hold of each.
//!
//! Everything here is a function of a seed or of bytes, so that what was found once is found
//! again. Tests, fuzz targets and long runs share it; nothing of the product depends on it.

pub mod actions;
pub mod calls;
pub mod cases;
pub mod classes;
pub mod combinators;
pub mod command;
pub mod common;
pub mod continuations;
pub mod corpus;
pub mod dice;
pub mod differential;
pub mod documented;
pub mod elements;
pub mod ends;
pub mod found;
pub mod growth;
pub mod harness;
pub mod hunt;
pub mod listings;
pub mod metamorphic;
pub mod modules;
pub mod mutants;
pub mod naive;
pub mod numbers;
pub mod oracle;
pub mod ordinary;
pub mod parity;
pub mod pipelines;
pub mod programs;
pub mod read;
pub mod records;
pub mod scope;
pub mod sexpr;
pub mod shapes;
pub mod slopes;
pub mod subsets;
pub mod tally;
pub mod transactions;
pub mod typed;
pub mod wild;

use std::path::PathBuf;

/// Returns the folder of the project, in which its programs, modules and cases are.
#[must_use]
pub fn project() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

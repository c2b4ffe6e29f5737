//! Resolved and desugared expressions.

pub mod behind;
pub mod binary;
mod check;
pub mod copy;
pub(crate) mod duplicate;
pub mod expr;
pub mod free;
pub mod lint;
pub mod lower;
pub mod matching;
pub mod options;
mod pattern;
pub mod print;
pub mod residual;
pub mod scope;
pub mod signature;
pub mod traverse;

#[cfg(test)]
mod matching_tests;
#[cfg(test)]
mod tests;

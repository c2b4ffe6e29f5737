//! Resolved and desugared expressions.

pub mod expr;

//! A lazy graph-reduction machine: CoreF programs compiled to G-machine code and run.
//!
//! A program flows one way: text, tokens, syntax tree ([`syntax`]), core ([`core`]),
//! supercombinators ([`lift`], [`optimise`]), G-code ([`compile`], [`gcode`]), machine ([`machine`]).

pub mod base;
pub mod compile;
pub mod core;
pub mod corelib;
pub mod driver;
pub mod embed;
pub mod gcode;
pub mod lift;
pub mod load;
pub mod machine;
pub mod optimise;
pub mod primitive;
pub mod syntax;

#[cfg(test)]
mod growth_tests;

pub use embed::{Engine, Eval, Module, Store, Value};

/// The README's program is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! The fast machine: the same G-code, translated to compact code ([`code`]), on a heap of
//! tagged words with a generational collector ([`heap`](crate::machine::heap)).

mod actions;
mod aggregates;
mod apply;
mod arithmetic;
mod census;
mod cheap;
pub mod code;
mod data;
mod effects;
mod eval;
mod events;
mod exceptions;
mod execute;
mod executor;
mod fail;
mod frames;
mod freeze;
mod general;
mod image;
mod interface;
mod mutable;
#[cfg(gmachine_native)]
mod native;
mod numbers;
mod print;
mod probe;
mod profile;
mod profiler;
mod roots;
mod run;
mod saved;
mod short;
mod stack;
mod state;
#[cfg(test)]
mod tests;
mod threaded;
mod threads;
pub mod translate;

pub use image::Image;
pub use state::Machine;

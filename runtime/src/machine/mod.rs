//! The machines, and what they have in common: their interface ([`Machine`]), how a run ends
//! ([`outcome`]) and how a value prints ([`mod@print`]).
//!
//! [`MachineKind`] chooses one. They share this interface and G-code, and no code that evaluates.

mod asking;
mod chains;
mod config;
pub mod costs;
mod coverage;
pub mod events;
mod failure;
#[allow(unsafe_code, reason = "compact code runs without checks that its verifier has made")]
pub mod fast;
mod handles;
#[allow(unsafe_code, reason = "nodes are words in memory that the collector moves")]
#[doc(hidden)]
pub mod heap;
pub mod host;
mod interface;
mod interrupt;
mod kind;
mod opaque;
pub mod outcome;
mod pauses;
mod performing;
pub mod print;
pub mod profile;
pub mod reference;
mod system;
#[cfg(test)]
mod tests;
mod threads;
mod waiting;
mod whnf;
mod world;

pub use config::{Config, NativeCode, Refusal, Stress};
pub use coverage::Coverage;
pub use handles::Handle;
pub use interface::Machine;
pub use interrupt::{Clock, Interrupt};
pub use kind::{Loaded, MachineKind};
pub use opaque::Opaque;
pub use pauses::Pauses;
pub use system::{FileKind, Recorded, System, SystemError};
pub use whnf::Whnf;

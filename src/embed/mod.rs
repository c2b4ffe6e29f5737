//! The interface of the library: [`Engine`] (configuration and host functions), [`Module`] (a
//! compiled program, shareable between threads), [`Store`] (a heap that runs it).
//!
//! A [`Value`] is a handle on a node of a store. It is lazy: making an application evaluates
//! nothing, [`force`](Eval::force) does, as far as the first constructor. A lazy list is a
//! Rust iterator ([`items`](Eval::items)). A stop (an error, a limit, an interrupt) leaves
//! the store usable and every value evaluable: forced again it goes on, or fails again.
//!
//! ```
//! use gmachine::{Engine, Eval, Store};
//!
//! let module = Engine::new().compile("nats", "(defn from[n] (Cons n (from (add n 1))))")?;
//! let mut store = Store::new(&module);
//! let from = store.global("from")?;
//! let one = store.int(1)?;
//! let list = store.call(&from, &[one])?;
//! let third = store.items(&list).nth(2).expect("the list has no end")?;
//! assert_eq!(store.to_integer(&third)?.to_string(), "3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The operations on values are in the trait [`Eval`], which both a [`Store`] and the
//! [`Call`] that a host function gets have.

mod access;
mod advice;
mod call;
mod clock;
mod compile;
mod convert;
mod define;
mod engine;
mod error;
mod eval;
mod host_value;
mod module;
mod names;
mod store;

pub use crate::base::integer::{Integer, OutOfRange};
pub use crate::core::options::EntryPoints;
pub use crate::load::{Loader, MainFile, Source};
pub use crate::machine::Pauses;
pub use crate::machine::outcome::{
    Chain, Input, InputError, Interruption, Limit, LimitReached, Location, Output, OutputError,
    RunError, Statistics, Stop, Waiting,
};
pub use crate::machine::print::Format;
pub use crate::machine::profile::{Profile, Sampler};
pub use crate::machine::{Clock, Coverage, FileKind, Interrupt, MachineKind, System, SystemError};
pub use crate::optimise::{Pass, Passes, Report};
pub use call::{Call, HostError};
pub use compile::{Checked, CompileError};
pub use convert::{FromValue, IntoValue};
pub use engine::{Engine, Limits, RegisterError};
pub use error::Error;
pub use eval::{Eval, Items, Value, Whnf};
pub use host_value::{HostType, HostValue};
pub use module::{Module, ModuleError, StoreOptions};
pub use store::Store;

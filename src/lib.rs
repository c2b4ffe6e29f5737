//! A lazy graph-reduction machine: CoreF programs compiled to G-machine code and run.
//!
//! An [`Engine`] is the configuration: optimiser, machine, limits, and the functions of the
//! embedding program. It compiles a source text to a [`Module`], which is immutable and shared;
//! a [`Store`] is a heap in which a module is evaluated; a [`Value`] is a handle on a value in
//! it, evaluated or not. What can be done with values is in [`Eval`], for a store and inside a
//! host function. `docs/embedding.md` is the guide.
//!
//! - [`gcode`]: the instructions, programs of them, their text form and their verifier;
//! - [`diagnostic`]: reports about programs, the texts they point into, positions;
#![cfg_attr(
    feature = "grants",
    doc = "- [`grants`]: files and the like, for programs that are granted them;"
)]
#![cfg_attr(feature = "render", doc = "- [`render`]: reports with excerpts, for people;")]
//! - [`allocation`]: what a global allocator may ask;
//! - [`inspect`]: the forms that a program takes on its way, for tools that show them.
//!
//! Everything else is private, whatever the compiler would let you name.
//!
//! # Features
//!
//! - `render`: the module of that name. It depends on `annotate-snippets`.
//! - `grants`: the module of that name, on Unix. It depends on `rustix`.
//! - `views`: `inspect::views`. It implies `render`, and depends on `serde_json`.

#[doc(hidden)]
pub mod compile;
#[doc(hidden)]
pub mod core;
#[doc(hidden)]
pub mod corelib;
#[doc(hidden)]
pub mod driver;
#[doc(hidden)]
pub mod embed;
#[cfg(all(unix, feature = "grants"))]
pub mod grants;
#[doc(hidden)]
pub mod lift;
#[doc(hidden)]
pub mod load;
#[doc(hidden)]
pub mod optimise;
#[cfg(feature = "render")]
pub mod render;
#[doc(hidden)]
pub mod syntax;
#[cfg(feature = "views")]
#[doc(hidden)]
pub mod views;

#[doc(inline)]
pub use gmachine_runtime::gcode;
#[doc(hidden)]
pub use gmachine_runtime::{base, define_index, machine, primitive};

pub use embed::{
    Call, Chain, Checked, Clock, CompileError, Coverage, Engine, EntryPoints, Error, Eval,
    FileKind, Format, FromValue, HostError, HostType, HostValue, Input, InputError, Integer,
    Interrupt, Interruption, IntoValue, Items, Limit, LimitReached, Limits, Loader, Location,
    MachineKind, MainFile, Module, ModuleError, OutOfRange, Output, OutputError, Pass, Passes,
    Pauses, Profile, RegisterError, Report, RunError, Sampler, Source, Statistics, Stop, Store,
    StoreOptions, System, SystemError, Value, Waiting, Whnf,
};

/// For global allocators that end the process if the system refuses memory: which refusals are
/// handled.
pub mod allocation {
    pub use crate::base::allocation::is_fallible;
}

/// Reports about programs: what, where, what to do.
pub mod diagnostic {
    pub use crate::base::code::Code;
    pub use crate::base::diagnostic::{Diagnostic, Label, Severity};
    pub use crate::base::quote;
    pub use crate::base::source::{EXPRESSION, Place, SourceFile, SourceMap, SourceTooLarge};
    pub use crate::base::span::Span;
    pub use crate::base::suggest::nearest;
    pub use crate::load::normal as normal_path;
}

/// The forms that a program takes on its way, and the steps of the reference machine: for tools
/// that show them, as the command's `dump`, `specialise` and `trace` do.
///
/// They follow the inside of this crate: unlike the rest of the interface they may change with any
/// version.
pub mod inspect {
    pub use crate::driver::{Built, Options, Stage, build};
    pub use crate::optimise::Options as OptimiserOptions;

    /// The texts of the modules that come with the language.
    pub mod corelib {
        pub use crate::corelib::{MODULES, module as text};
    }

    /// Tokens and syntax trees.
    pub mod syntax {
        pub use crate::syntax::ast::{Item, ItemKind};
        pub use crate::syntax::balance::Balancer;
        pub use crate::syntax::json;
        pub use crate::syntax::lex::Lexer;
        pub use crate::syntax::listing;
        pub use crate::syntax::print;
    }

    /// Core and supercombinators.
    pub mod core {
        pub use crate::core::expr::{Global, GlobalId, GlobalKind, Program};
        pub use crate::core::options::Options;
        pub use crate::core::print;
        pub use crate::core::residual::residual;
        pub use crate::core::signature::Demand;
        pub use crate::optimise::strictness::{Row, listing, rows};
    }

    /// The code of the fast machine.
    pub mod compact {
        pub use crate::machine::fast::code::listing;
        pub use crate::machine::fast::translate::translate;
    }

    /// What a profiled run costs.
    pub mod costs {
        pub use crate::machine::costs::{
            Census, Content, Cost, Costs, FunctionCosts, Holder, Live, NodeKind, Path, StackNode,
        };
    }

    /// What happens to each node of a run: a [`Watch`](events::Watch) tells it of the reference machine, and
    /// [`Machine::listen`](crate::machine::Machine::listen) of the fast one.
    pub mod events {
        pub use crate::base::float::Float;
        pub use crate::machine::events::{Content, Moment, NodeEvent, NodeId, Probe};
        pub use crate::machine::reference::Watch;
    }

    /// Views of a run that are made of its events: its reductions as lines, and a page (feature
    /// `views`).
    #[cfg(feature = "views")]
    pub mod views {
        pub use crate::views::{
            Cell, Graph, Writer, cut, film, is_called, is_code_of, stepper, steps,
        };
    }

    /// The reference machine, step by step.
    pub mod trace {
        pub use crate::machine::reference::{Addr, Event, Machine, Position, Rule};
        pub use crate::machine::{Config, Recorded};
    }
}

/// The README's program is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// So are the programs of the guide.
#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
struct Guide;

// They count what is counted with debug assertions alone.
#[cfg(all(test, debug_assertions))]
mod growth_tests;

//! The reference machine: the G-machine of the textbooks, rule by rule.
//!
//! It is what `trace` shows and what every faster machine is compared with. A rule is a
//! function, and its doc comment is its equation; the rules that read the node on top of the
//! stack are in `unwind`, the others by topic in `stack`, `arithmetic`, `data`, `control`,
//! `print` and `host`. A rule first makes sure of room (a collection happens there), then
//! looks whether it can do its work, and only then changes anything: so whatever stops it
//! leaves the state before the instruction.
//!
//! ```
//! use gmachine_runtime::gcode::Verified;
//! use gmachine_runtime::gcode::instr::{Instr, IntLit};
//! use gmachine_runtime::gcode::program::{Global, GlobalKind, Program};
//! use gmachine_runtime::machine::print::Format;
//! use gmachine_runtime::machine::reference::{Config, Machine};
//!
//! let code = vec![
//!     Instr::PushInt(IntLit::Small(2)),
//!     Instr::PushInt(IntLit::Small(40)),
//!     Instr::Add,
//!     Instr::Update(0),
//!     Instr::Unwind,
//! ];
//! let mut program = Program::with_list();
//! program.main = Some(program.globals.push(Global {
//!     symbol: "main".into(),
//!     display: Some("main".into()),
//!     kind: GlobalKind::Supercombinator,
//!     arity: 0,
//!     params: Vec::new(),
//!     strict: Vec::new(),
//!     spans: vec![Default::default(); code.len()],
//!     code,
//!     span: Default::default(),
//! }));
//! let program = Verified::new(program).expect("valid code");
//! let mut machine = Machine::new(program, Config::default());
//! let mut out = String::new();
//! machine.start(Format::Default, None)?;
//! machine.run(&mut out)?;
//! assert_eq!(out, "42\n");
//! # Ok::<(), gmachine_runtime::machine::outcome::Stop>(())
//! ```

mod actions;
mod aggregates;
mod arithmetic;
mod checkpoint;
mod code;
mod control;
mod data;
mod effects;
mod events;
mod exceptions;
mod freeze;
mod heap;
mod host;
mod interface;
mod liveness;
mod mutable;
mod print;
mod report;
mod run;
mod selector;
mod stack;
mod state;
mod threads;
mod trace;
mod unwind;
mod value;

pub use super::config::Config;
pub use super::handles::Handle;
pub use super::whnf::Whnf;
pub use code::Position;
pub use events::Watch;
pub use heap::node::{Addr, Node, Site};
pub use state::Machine;
pub use trace::{Event, FrameView, NodeView, Rule};

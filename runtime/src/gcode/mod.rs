//! G-code: the instructions of the G-machine, and programs made of them.

pub mod docs;
pub mod effect;
pub mod id;
pub mod instr;
mod lex;
pub mod limits;
#[doc(hidden)]
pub mod link;
pub mod live;
pub mod parse;
pub mod print;
pub mod program;
mod verified;
pub mod verify;

pub use verified::Verified;

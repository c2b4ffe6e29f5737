//! Compiled modules as core: their bodies are read, verified and linked here, and written.
//!
//! A module is linked by names. What it mentions means what the name means in the program that
//! imports it, as if its source were there; only what its code relies on has to be as it was
//! when it was compiled, and that is how constructors are laid out and what patterns bind.

mod link;
mod read;
mod write;

pub use link::{Linked, link};
pub use read::{Builder, body, verify};
pub use write::{Mentions, write};

//! The tests that run the command, in one binary, like `tests/suite.rs`: `cargo test --test command
//! repl::` runs those of one area. It belongs to the package of the command.

mod agreement;
mod cli;
mod docs;
mod film;
mod profile;
mod repl;
mod step;
mod targeting;

/// The folder of the project, where tests run the command.
const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

//! The `gmachine` command.

mod cli;

use std::process::ExitCode;

/// Refused memory is a reached limit, not an abort.
#[global_allocator]
static ALLOCATOR: cli::alloc::Allocator = cli::alloc::Allocator;

/// The stack that the command runs on, whatever `ulimit -s` says. Recursions over a program
/// take more where they need it.
const STACK: usize = 4 << 20;

fn main() -> ExitCode {
    cli::panic::install();
    stacker::grow(STACK, || cli::main(std::env::args_os())).into()
}

//! The `gmachine` command.

use std::process::ExitCode;

/// Refused memory is a reached limit, not an abort.
#[global_allocator]
static ALLOCATOR: gmachine_cli::alloc::Allocator = gmachine_cli::alloc::Allocator;

/// The stack that the command runs on, whatever `ulimit -s` says. Recursions over a program
/// take more where they need it.
const STACK: usize = 4 << 20;

fn main() -> ExitCode {
    gmachine_cli::panic::install();
    stacker::grow(STACK, || gmachine_cli::main(std::env::args_os())).into()
}

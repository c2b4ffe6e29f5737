//! The command `gmachine-haskell`: programs of Haskell on gmachine, by way of MicroHs.

use std::process::ExitCode;

mod cli;

/// The stack that the command runs on; recursions over a program take more where they need it.
const STACK: usize = 16 << 20;

fn main() -> ExitCode {
    match stacker::grow(STACK, cli::main) {
        Ok(code) => code,
        Err(error) => {
            cli::say(&format!("error: {error:#}"));
            ExitCode::from(cli::FAILED)
        }
    }
}

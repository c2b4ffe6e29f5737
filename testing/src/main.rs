//! Long runs: see `README.md`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gmachine_testing::command::main()
}

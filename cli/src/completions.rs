//! `gmachine completions`

use clap::CommandFactory;

use super::args::{Cli, Completions};
use super::{Context, Failure};

/// Prints the completion script of a shell.
pub fn run(args: &Completions, context: &mut Context) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gmachine", &mut script);
    context.print(&String::from_utf8_lossy(&script))
}

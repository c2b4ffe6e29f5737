//! `gmachine man`

use anyhow::Context as _;
use clap::CommandFactory;
use gmachine::diagnostic::Code;
use gmachine::diagnostic::quote::for_message;

use super::args::{Cli, Man};
use super::{Context, Failure};

/// Writes the manual pages of the command and its subcommands.
pub fn run(args: &Man, context: &mut Context) -> Result<(), Failure> {
    let directory = &args.directory;
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), directory))
        .with_context(|| format!("cannot write to `{}`", for_message(&directory.to_string_lossy())))
        .map_err(|error| context.system(Code::OutputFailed, &error))
}

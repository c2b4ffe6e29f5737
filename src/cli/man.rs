//! `gmachine man`

use clap::CommandFactory;
use gmachine::base::code::Code;
use gmachine::base::diagnostic::Diagnostic;
use gmachine::base::quote::shown;
use gmachine::base::span::Span;

use super::args::{Cli, Man};
use super::{Context, Failure, files};

/// Writes the manual pages of the command and its subcommands.
pub fn run(args: &Man, context: &mut Context) -> Result<(), Failure> {
    let directory = &args.directory;
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), directory))
        .map_err(|error| {
            let path = shown(&directory.to_string_lossy());
            let message = format!("cannot write to `{path}`: {}", files::reason(&error));
            let report = Diagnostic::error(Code::OutputFailed, Span::NONE, message);
            context.fail(&report)
        })
}

//! The command: arguments, files, streams, clocks, the environment. All of them are here,
//! and nothing of the language is.

pub mod alloc;
mod args;
mod bench;
mod check;
mod compile;
mod completions;
mod costs;
mod doc;
mod dump;
mod exit;
mod explain;
mod files;
mod film;
mod input;
mod interrupt;
mod limit;
mod man;
mod manual;
mod memory;
mod output;
pub mod panic;
mod passes;
mod profile;
mod quantity;
mod repl;
mod report;
mod run;
mod specialise;
mod stats;
mod step;
mod steps;
mod trace;
mod unknown;
mod watched;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, ValueEnum};
use gmachine::diagnostic::{Code, Diagnostic, SourceMap, Span};
use gmachine::{Output, OutputError};

use args::{Cli, Color, Command, Global};
use exit::Exit;
use report::Reporter;

/// Runs the command with these arguments.
pub fn main(arguments: impl Iterator<Item = OsString>) -> Exit {
    let arguments = usual(arguments.collect());
    let cli = match parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => return refuse(error, &arguments),
    };
    let mut context = Context::new(&cli.global);
    let result = match &cli.command {
        Command::Run(args) => run::run(args, &mut context),
        Command::Step(args) => step::run(args, &mut context),
        Command::Steps(args) => steps::run(args, &mut context),
        Command::Film(args) => film::run(args, &mut context),
        Command::Profile(args) => costs::run(args, &mut context),
        Command::Trace(args) => trace::run(args, &mut context),
        Command::Bench(args) => bench::run(args, &mut context),
        Command::Check(args) => check::run(args, &mut context),
        Command::Compile(args) => compile::run(args, &mut context),
        Command::Dump(args) => dump::run(args, &mut context),
        Command::Specialise(args) => specialise::run(args, &mut context),
        Command::Repl(args) => repl::run(args, &mut context),
        Command::Doc(args) => doc::run(args, &mut context),
        Command::Explain(args) => explain::run(args, &mut context),
        Command::Completions(args) => completions::run(args, &mut context),
        Command::Man(args) => man::run(args, &mut context),
    };
    match result {
        Ok(()) => Exit::Success,
        Err(Failure(exit)) => exit,
    }
}

/// The commands that have `--format`.
const FORMATTED: [&str; 6] = ["run", "dump", "steps", "profile", "trace", "bench"];

/// Changes arguments to the spelling that the parser knows. Other tools call `COMMAND --help` and
/// `--version` `help COMMAND` and `version`. How output is printed has one spelling,
/// `--format json`, and for statistics `--stats-format json`; others are understood.
fn usual(mut arguments: Vec<OsString>) -> Vec<OsString> {
    match arguments.get(1).and_then(|word| word.to_str()) {
        Some("help") => {
            arguments.remove(1);
            arguments.push("--help".into());
        }
        Some("version") if arguments.len() == 2 => arguments[1] = "--version".into(),
        _ => {}
    }
    let is_formatted = |word: &OsString| FORMATTED.iter().any(|name| word == name);
    let Some(command) = arguments.iter().skip(1).position(is_formatted) else { return arguments };
    let mut is_value = false;
    for word in arguments.iter_mut().skip(command + 2) {
        let spelled = match word.to_str() {
            _ if std::mem::take(&mut is_value) => continue,
            // What follows are the program's own arguments.
            Some("--") => break,
            Some("-e" | "--expr") => {
                is_value = true;
                continue;
            }
            Some("--json") => "--format=json".to_owned(),
            Some("--csv") => "--format=csv".to_owned(),
            Some(text) => match text.strip_prefix("--stats=").or(text.strip_prefix("-s=")) {
                Some(format) => format!("--stats-format={format}"),
                None => continue,
            },
            None => continue,
        };
        *word = spelled.into();
    }
    arguments
}

/// A command that has failed and has said so.
#[derive(Debug)]
pub struct Failure(pub Exit);

/// What every command has at hand.
pub struct Context {
    /// Where mistakes are reported.
    pub reporter: Reporter,
}

impl Context {
    fn new(global: &Global) -> Context {
        Context { reporter: Reporter::new(global) }
    }

    /// Writes an artefact to standard output.
    pub fn print(&mut self, text: &str) -> Result<(), Failure> {
        let written = output::stdout().and_then(|mut stdout| {
            Output::write(&mut stdout, text)?;
            Output::flush(&mut stdout)
        });
        written.map_err(|error| self.output_failed(&error))
    }

    /// Reports an output that took no more; one whose reader has gone is no news.
    pub fn output_failed(&self, error: &OutputError) -> Failure {
        if error.kind == ErrorKind::BrokenPipe {
            return Failure(Exit::ClosedPipe);
        }
        self.fail(&Diagnostic::error(Code::OutputFailed, Span::NONE, &error.message))
    }

    /// Reports an error of the system with what was to be done.
    pub fn system(&self, code: Code, error: &anyhow::Error) -> Failure {
        let reason = match error.downcast_ref::<std::io::Error>() {
            Some(error) => files::reason(error),
            None => error.root_cause().to_string(),
        };
        self.fail(&Diagnostic::error(code, Span::NONE, format!("{error}: {reason}")))
    }

    /// Reports a mistake that stands in no source.
    pub fn fail(&self, report: &Diagnostic) -> Failure {
        self.reporter.one(report, &SourceMap::new());
        Failure(Exit::of(report.code))
    }
}

/// Reads the command line.
fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let command = Cli::command().color(help_color(arguments));
    let matches = command.try_get_matches_from(arguments)?;
    Cli::from_arg_matches(&matches)
}

/// Returns when help is coloured; decided before the arguments are understood.
fn help_color(arguments: &[OsString]) -> clap::ColorChoice {
    let words = arguments.iter().map(|word| word.to_string_lossy());
    let mut choice = Color::Auto;
    let mut after = false;
    for word in words {
        if let Some(value) = word.strip_prefix("--color=").or(after.then_some(&*word)) {
            choice = Color::from_str(value, false).unwrap_or(choice);
        }
        after = word == "--color";
    }
    match choice {
        Color::Auto => clap::ColorChoice::Auto,
        Color::Always => clap::ColorChoice::Always,
        Color::Never => clap::ColorChoice::Never,
    }
}

/// Shows help, the version, or what is wrong with the arguments.
fn refuse(mut error: clap::Error, arguments: &[OsString]) -> Exit {
    if error.kind() == clap::error::ErrorKind::InvalidSubcommand
        && let Some(file) = arguments.get(1).filter(|word| is_program(Path::new(word)))
    {
        let tip = format!("to run a program: gmachine run {}", file.to_string_lossy());
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    if error.kind() == clap::error::ErrorKind::UnknownArgument {
        let mut cli = Cli::command();
        cli.build();
        let name = arguments.get(1).map(|word| word.to_string_lossy());
        let command = name.and_then(|name| cli.find_subcommand(&*name));
        unknown::name_option(&mut error, command.unwrap_or(&cli));
    }
    let printed = error.print();
    match printed {
        _ if error.use_stderr() => Exit::Usage,
        Ok(()) => Exit::Success,
        Err(failed) if failed.kind() == ErrorKind::BrokenPipe => Exit::ClosedPipe,
        Err(failed) => {
            let reason = files::reason(&failed);
            report::write(&format!(
                "error[{}]: standard output cannot be written: {reason}\n",
                Code::OutputFailed
            ));
            Exit::Io
        }
    }
}

/// Returns whether a word on the command line looks like a program's file.
fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "core" || extension == "gm")
        || path.is_file()
}

/// Refuses a value that only the command itself can judge.
pub fn usage(command: &str, message: String, tip: &str) -> Failure {
    let mut cli = Cli::command();
    cli.build();
    let shown = format!("{message}\n\n  tip: {tip}");
    let error = match cli.find_subcommand_mut(command) {
        Some(sub) => sub.error(clap::error::ErrorKind::InvalidValue, shown),
        None => cli.error(clap::error::ErrorKind::InvalidValue, shown),
    };
    let _ = error.print();
    Failure(Exit::Usage)
}

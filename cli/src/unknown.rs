//! An option that a command does not have: which one is probably meant.

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};
use gmachine::diagnostic::nearest;

/// What other tools call an option, and what it is called here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("optimise", "O"),
    ("optimize", "O"),
    ("optimisation", "O"),
    ("optimization", "O"),
    ("opt", "O"),
    ("opt-level", "O"),
    ("level", "O"),
    ("release", "O"),
    ("machine", "engine"),
    ("backend", "engine"),
    ("interpreter", "engine"),
    ("memory", "max-heap"),
    ("max-memory", "max-heap"),
    ("mem", "max-heap"),
    ("heap", "max-heap"),
    ("time", "timeout"),
    ("max-time", "timeout"),
    ("time-limit", "timeout"),
    ("steps", "fuel"),
    ("max-steps", "fuel"),
    ("eval", "expr"),
    ("evaluate", "expr"),
    ("expression", "expr"),
    ("command", "expr"),
    ("statistics", "stats"),
    ("silent", "quiet"),
    ("out", "output"),
    ("name", "only"),
    ("input", "from"),
    ("language", "from"),
    ("json", "format"),
    ("json", "error-format"),
    ("format", "error-format"),
];

/// The fewest letters of an option's beginning that stand for it.
const BEGINNING: usize = 3;

/// Names the option that is probably meant, in place of one that only shares letters with it.
pub fn name_option(error: &mut clap::Error, command: &Command) {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return };
    let meant = option(given, command);
    let shown = meant.map(|arg| {
        let values = arg.get_value_names().filter(|_| arg.get_action().takes_values());
        let value = values.and_then(<[_]>::first).map(|name| format!(" {name}"));
        format!("{}{}", spelled(arg), value.unwrap_or_default())
    });
    error.remove(ContextKind::SuggestedArg);
    if let Some(shown) = shown {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(shown));
    }
}

/// Returns the option that was probably meant.
fn option<'c>(given: &str, command: &'c Command) -> Option<&'c Arg> {
    let options = || command.get_arguments().filter(|arg| !arg.is_positional());
    let Some(name) = given.strip_prefix("--") else {
        // The letter may be meant in the other case.
        let letter = given.strip_prefix('-')?.chars().next()?;
        let is_other = |c: char| c != letter && c.eq_ignore_ascii_case(&letter);
        return options().find(|arg| arg.get_short().is_some_and(is_other));
    };
    let name = name.split('=').next().unwrap_or(name).to_lowercase();
    let called = |wanted: &str| {
        options().find(|arg| match wanted.len() {
            1 => arg.get_short().is_some_and(|short| wanted.starts_with(short)),
            _ => arg.get_long() == Some(wanted),
        })
    };
    let mut elsewhere = ELSEWHERE.iter().filter(|(other, _)| *other == name);
    if let Some(found) = elsewhere.find_map(|(_, here)| called(here)) {
        return Some(found);
    }
    let longs = || options().filter_map(Arg::get_long);
    let near = nearest(&name, longs()).or_else(|| {
        let mut begun =
            longs().filter(|long| name.len() >= BEGINNING && long.starts_with(name.as_str()));
        begun.next().filter(|_| begun.next().is_none())
    });
    called(near?)
}

/// Returns how an option is written: its name, or its letter if it has no name.
fn spelled(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => arg.get_id().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_option_that_is_meant_is_named_or_none() {
        let mut cli = Cli::command();
        cli.build();
        for (command, given, meant) in [
            ("run", "--optimise", Some("-O")),
            ("run", "--Optimize=2", Some("-O")),
            ("run", "-o", Some("-O")),
            ("run", "--machine", Some("--engine")),
            ("run", "--heap", Some("--max-heap")),
            ("run", "--time", Some("--timeout")),
            ("run", "--err", Some("--error-format")),
            ("run", "--stat", Some("--stats")),
            ("run", "--colour", Some("--color")),
            ("run", "--nothing-like-it", None),
            ("check", "--optimise", None),
            ("check", "--json", Some("--error-format")),
            ("check", "--format=json", Some("--error-format")),
            ("compile", "--out", Some("--output")),
        ] {
            let command = cli.find_subcommand(command).expect("a command");
            let found = option(given, command).map(spelled);
            assert_eq!(found.as_deref(), meant, "{given}");
        }
    }

    #[test]
    fn what_is_called_otherwise_elsewhere_is_an_option_of_some_command() {
        let mut cli = Cli::command();
        cli.build();
        for (other, here) in ELSEWHERE {
            let has = |command: &Command| {
                command.get_arguments().any(|arg| spelled(arg).trim_start_matches('-') == *here)
            };
            assert!(cli.get_subcommands().any(has), "{other}: {here}");
        }
    }
}

//! `gmachine man`

use anyhow::Context as _;
use clap::{Command, CommandFactory};
use gmachine::diagnostic::Code;
use gmachine::diagnostic::quote::for_message;

use super::args::{Cli, Man};
use super::{Context, Failure};

/// Writes the manual pages of the command and its subcommands.
pub fn run(args: &Man, context: &mut Context) -> Result<(), Failure> {
    let directory = &args.directory;
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(described(Cli::command()), directory))
        .and_then(|()| {
            let command = Cli::command();
            let subcommands = command.get_subcommands();
            let names = subcommands.map(|of| format!("{}-{}.1", command.get_name(), of.get_name()));
            let pages = names.map(|name| directory.join(name)).filter(|page| page.exists());
            pages.into_iter().try_for_each(|page| {
                let text = std::fs::read_to_string(&page)?;
                std::fs::write(&page, with_lists(&text))
            })
        })
        .with_context(|| format!("cannot write to `{}`", for_message(&directory.to_string_lossy())))
        .map_err(|error| context.system(Code::OutputFailed, &error))
}

/// Returns the command with what each option is for, also of those that the short help leaves out:
/// a page has their long help alone.
fn described(command: Command) -> Command {
    let command = command.mut_args(|arg| match (arg.get_long_help(), arg.get_help().cloned()) {
        (None, Some(help)) => arg.long_help(help),
        _ => arg,
    });
    command.mut_subcommands(described)
}

/// Returns the text of a page with each line `- name  words` as an item of a list, which is not
/// filled together with the next one.
fn with_lists(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut is_list = false;
    for line in page.lines() {
        let item = line.strip_prefix("\\- ");
        if item.is_some() != is_list {
            is_list = !is_list;
            text.push_str(if is_list { ".RS\n" } else { ".RE\n" });
        }
        match item.map(|item| item.split_once("  ").unwrap_or((item, ""))) {
            Some((name, words)) => {
                text.push_str(&format!(".TP\n\\fB{}\\fR\n{}\n", name.trim(), words.trim()));
            }
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{described, with_lists};
    use crate::args::Cli;

    #[test]
    fn every_option_says_in_the_manual_what_it_is_for() {
        let command = described(Cli::command());
        for command in command.get_subcommands() {
            let silent = command.get_arguments().filter(|arg| {
                arg.get_long_help().is_none() && !arg.is_hide_set() && arg.get_id() != "help"
            });
            let silent: Vec<_> = silent.map(|arg| arg.get_id().as_str()).collect();
            assert_eq!(silent, Vec::<&str>::new(), "{}", command.get_name());
        }
    }

    #[test]
    fn lists_stay_lists() {
        let page = "Passes\n\n\\- one    First.\n\\- two  Second.\n.TP\nnext\n";
        let expected =
            "Passes\n\n.RS\n.TP\n\\fBone\\fR\nFirst.\n.TP\n\\fBtwo\\fR\nSecond.\n.RE\n.TP\nnext\n";
        assert_eq!(with_lists(page), expected);
    }
}

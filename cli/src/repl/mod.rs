//! `gmachine repl`

mod history;
mod input;
mod line;
mod perform;
mod session;
mod sprint;

use std::io::IsTerminal;

use anyhow::Context as _;
use gmachine::diagnostic::Code;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use super::args::Repl;
use super::{Context, Failure, report};
use history::History;
use input::{CtrlC, Lines};
use line::{Assistant, inputs, is_complete};
use session::{Next, Session};

/// The prompt, which asks for a line.
const PROMPT: &str = "> ";

/// Reads lines and does what they say, to the end of the input.
pub fn run(args: &Repl, context: &mut Context) -> Result<(), Failure> {
    let ctrl_c = CtrlC::default();
    let pressed = ctrl_c.clone();
    // Without a handler Ctrl-C ends the process: the session is lost, and nothing else.
    let _ = ctrlc::set_handler(move || pressed.press());
    let lines = Lines::stdin(ctrl_c.clone()).context("standard input cannot be read");
    let lines = lines.map_err(|error| context.system(Code::CannotRead, &error))?;
    let mut session = Session::new(args, ctrl_c, lines.clone(), context)?;
    if std::io::stdin().is_terminal() {
        return edited(&mut session, &lines);
    }
    piped(&mut session, &lines)
}

/// Runs a session on lines that a person types.
fn edited(session: &mut Session<'_>, lines: &Lines) -> Result<(), Failure> {
    session.print("gmachine: an expression, a definition, or :help\n")?;
    let config = Config::builder().completion_type(rustyline::CompletionType::List).build();
    let editor = Editor::<Assistant, MemHistory>::with_history(config, MemHistory::new());
    let mut editor = match editor {
        Ok(editor) => editor,
        Err(_) => return piped(session, lines),
    };
    let mut history = History::open();
    for line in std::mem::take(&mut history.lines) {
        let _ = editor.add_history_entry(line);
    }
    editor.set_helper(Some(Assistant::default()));
    loop {
        if let Some(assistant) = editor.helper_mut() {
            session.name_all(&mut assistant.names);
        }
        match editor.readline(PROMPT) {
            Ok(line) => {
                let _ = editor.add_history_entry(line.as_str());
                history.add(&line);
                for input in inputs(&line) {
                    if session.take(input)? == Next::Quit {
                        return Ok(());
                    }
                }
            }
            // At the prompt Ctrl-C gives the line up.
            Err(ReadlineError::Interrupted) => {}
            Err(_) => return Ok(()),
        }
    }
}

/// Runs a session on lines of a file or a pipe.
fn piped(session: &mut Session<'_>, lines: &Lines) -> Result<(), Failure> {
    let mut text = String::new();
    loop {
        let line = lines.line().unwrap_or_default();
        let is_end = line.is_empty();
        match String::from_utf8(line) {
            Ok(line) => text.push_str(&line),
            Err(_) => report::write("error: a line is not UTF-8, and is left out\n"),
        }
        let typed = text.strip_suffix('\n').unwrap_or(&text);
        if is_end || is_complete(typed) {
            for input in inputs(typed) {
                if session.take(input)? == Next::Quit {
                    return Ok(());
                }
            }
            if is_end {
                return Ok(());
            }
            text.clear();
        }
    }
}

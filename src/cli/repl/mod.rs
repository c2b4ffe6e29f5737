//! `gmachine repl`

mod line;
mod manual;
mod session;
mod sprint;

use std::io::{BufRead, IsTerminal};

use gmachine::Interrupt;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use super::args::Repl;
use super::{Context, Failure, report};
use line::{Assistant, is_complete};
use session::{Next, Session};

/// What asks for a line.
const PROMPT: &str = "> ";

/// Reads lines and does what they say, to the end of the input.
pub fn run(args: &Repl, context: &mut Context) -> Result<(), Failure> {
    let interrupt = Interrupt::new();
    let asked = interrupt.clone();
    // Without a handler Ctrl-C ends the process: the session is lost, and nothing else.
    let _ = ctrlc::set_handler(move || asked.interrupt());
    let mut session = Session::new(args, interrupt, context)?;
    if std::io::stdin().is_terminal() {
        return edited(&mut session);
    }
    piped(&mut session)
}

/// Lines that a person types.
fn edited(session: &mut Session<'_>) -> Result<(), Failure> {
    session.print("gmachine: an expression, a definition, or :help\n")?;
    let config = Config::builder().completion_type(rustyline::CompletionType::List).build();
    let editor = Editor::<Assistant, MemHistory>::with_history(config, MemHistory::new());
    let mut editor = match editor {
        Ok(editor) => editor,
        Err(_) => return piped(session),
    };
    editor.set_helper(Some(Assistant::default()));
    loop {
        if let Some(assistant) = editor.helper_mut() {
            session.name_all(&mut assistant.names);
        }
        match editor.readline(PROMPT) {
            Ok(line) => {
                let _ = editor.add_history_entry(line.as_str());
                if session.take(&line)? == Next::Quit {
                    return Ok(());
                }
            }
            // At the prompt Ctrl-C gives the line up.
            Err(ReadlineError::Interrupted) => {}
            Err(_) => return Ok(()),
        }
    }
}

/// Lines of a file or a pipe.
fn piped(session: &mut Session<'_>) -> Result<(), Failure> {
    let mut text = String::new();
    let mut input = std::io::stdin().lock();
    loop {
        let mut bytes = Vec::new();
        let read = input.read_until(b'\n', &mut bytes);
        let is_end = !matches!(read, Ok(count) if count > 0);
        match String::from_utf8(bytes) {
            Ok(line) => text.push_str(&line),
            Err(_) => report::write("error: a line is not UTF-8, and is left out\n"),
        }
        if is_end || is_complete(&text) {
            let line = std::mem::take(&mut text);
            if session.take(&line)? == Next::Quit || is_end {
                return Ok(());
            }
        }
    }
}

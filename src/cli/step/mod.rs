//! `gmachine step`: a run in a terminal, forward and backward.

mod app;
mod screen;
#[cfg(test)]
mod tests;

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use gmachine::diagnostic::Code;
use gmachine::inspect::views::stepper::Stepper;
use gmachine::{Format, Input, MachineKind};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::args::{Form, Limits, Optimise, Step};
use super::input::Decoder;
use super::interrupt::Stopper;
use super::{Context, Failure, run, usage, watched};
use app::App;

/// Lets a person step through a run.
pub fn run(args: &Step, context: &mut Context) -> Result<(), Failure> {
    if !std::io::stdout().is_terminal() {
        let tip = "`gmachine steps` prints the reductions of a program";
        return Err(usage("step", "standard output is no terminal".to_owned(), tip));
    }
    let optimise = Optimise { level: args.level, passes: Vec::new(), verbose: false };
    let module =
        run::compile(&args.program, Form::Coref, &optimise, MachineKind::Reference, context)?;
    // Each run reads the same again.
    let mut input = Vec::new();
    let mut stdin = std::io::stdin();
    if args.program.file.as_deref() != Some(Path::new("-")) && !stdin.is_terminal() {
        let read = stdin.read_to_end(&mut input).context("standard input cannot be read");
        read.map_err(|error| context.system(Code::InputFailed, &error))?;
    }
    let limits = Limits { max_heap: args.max_heap, fuel: args.fuel, timeout: None };
    let start = Box::new(|| {
        let mut machine = watched::machine(&module, &limits, &Stopper::default());
        let input: Box<dyn Input> = Box::new(Decoder::new(std::io::Cursor::new(input.clone())));
        machine.start(Format::Default, Some(input)).map(|()| machine)
    });
    let sources = module.sources();
    let stepper = Stepper::new(sources, start)
        .map_err(|stop| run::failed(stop, &Stopper::default(), sources, context))?;
    let mut app = App::new(stepper, args.breakpoints.clone());
    let shown = ratatui::try_init().and_then(|mut terminal| {
        let shown = show(&mut app, &mut terminal);
        ratatui::restore();
        shown
    });
    let shown = shown.context("the terminal cannot be used");
    shown.map_err(|error| context.system(Code::OutputFailed, &error))
}

/// Draws, and does what the keys say, until it is enough.
fn show(app: &mut App<'_>, terminal: &mut DefaultTerminal) -> std::io::Result<()> {
    loop {
        terminal.draw(|frame| screen::draw(app, frame))?;
        // While it looks for something, a key ends that.
        while app.is_working() && !event::poll(Duration::ZERO)? {
            if app.work() {
                terminal.draw(|frame| screen::draw(app, frame))?;
            }
        }
        if let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
            && !app.key(key)
        {
            return Ok(());
        }
    }
}

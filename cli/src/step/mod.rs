//! `gmachine step`: a run in a terminal, forward and backward.

mod app;
mod canvas;
mod screen;
#[cfg(test)]
mod tests;

use std::io::{self, Cursor, IsTerminal, Read, Stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use crossterm::event::{self, Event, KeyEventKind};
use crossterm::terminal::{self, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute};
use gmachine::diagnostic::Code;
use gmachine::inspect::trace::Recorded;
use gmachine::inspect::views::stepper::Stepper;
use gmachine::{Format, Input, InputError, MachineKind};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::args::{Form, Limits, Optimise, Step};
use super::input::Decoder;
use super::interrupt::Stopper;
use super::{Context, Failure, run, usage, watched};
use app::App;
use canvas::Canvas;

/// Whether the terminal is in use as a full screen.
static FULL_SCREEN: AtomicBool = AtomicBool::new(false);

/// Lets a person step through a run.
pub fn run(args: &Step, context: &mut Context) -> Result<(), Failure> {
    if let Some(reason) = unusable() {
        let tip = "`gmachine steps` prints the reductions of a program";
        return Err(usage("step", reason, tip));
    }
    let optimise = Optimise { level: args.level, passes: Vec::new(), verbose: false };
    let limits = Limits { max_heap: args.max_heap, fuel: args.fuel, timeout: None };
    let (program, machine) = (&args.program, MachineKind::Reference);
    let module = run::compile(program, Form::Coref, &optimise, machine, &limits, context)?;
    let mut input = Vec::new();
    let mut stdin = std::io::stdin();
    if args.program.file.as_deref() != Some(Path::new("-")) && !stdin.is_terminal() {
        let read = stdin.read_to_end(&mut input).context("standard input cannot be read");
        read.map_err(|error| context.system(Code::InputFailed, &error))?;
    }
    // Each run reads the same again.
    let input = Again(Decoder::new(Cursor::new(input.into())));
    // What the program does outside of the machine is done once, however often one goes back.
    let system = Recorded::new(run::grants(&args.grants, context)?);
    let machine = || {
        let mut machine = watched::machine(&module, &limits, &Stopper::default());
        machine.set_recorded(system.clone());
        machine
    };
    for name in &args.breakpoints {
        watched::must_have_code_of(name, "step", machine().program())?;
    }
    let start = Box::new(|| {
        let mut machine = machine();
        machine.start(Format::Default, input.try_clone()).map(|()| machine)
    });
    let sources = module.sources();
    let stepper = Stepper::new(sources, start)
        .map_err(|stop| run::failed(stop, &Stopper::default(), sources, context))?;
    let mut app = App::new(stepper, args.breakpoints.clone());
    let shown = FullScreen::enter().and_then(|mut screen| show(&mut app, &mut screen));
    let shown = shown.context("the terminal cannot be used");
    shown.map_err(|error| context.system(Code::OutputFailed, &error))
}

/// Returns why nothing can be drawn, if that is so.
fn unusable() -> Option<String> {
    if !std::io::stdout().is_terminal() {
        return Some("standard output is no terminal".to_owned());
    }
    match std::env::var("TERM").as_deref() {
        Ok("dumb") => Some("the terminal cannot move its cursor (TERM is dumb)".to_owned()),
        Ok("") | Err(_) => Some("what terminal this is is not known (TERM is not set)".to_owned()),
        Ok(_) => None,
    }
}

/// The program's input, which is read again by each run.
struct Again(Decoder<Cursor<Arc<[u8]>>>);

impl Input for Again {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        self.0.next()
    }

    fn read_bytes(&mut self, most: usize, into: &mut Vec<u8>) -> Result<(), InputError> {
        self.0.read_bytes(most, into)
    }

    fn try_clone(&self) -> Option<Box<dyn Input>> {
        Some(Box::new(Again(self.0.clone())))
    }
}

/// The terminal as a full screen. Dropped it is as before; it is also after a panic, a signal that
/// ends the process, and [`leave_screen`].
struct FullScreen {
    out: io::BufWriter<Stdout>,
    /// What is on it.
    shown: Option<Canvas>,
}

impl FullScreen {
    fn enter() -> io::Result<FullScreen> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
        std::thread::Builder::new().name("signals".into()).stack_size(128 * 1024).spawn(
            move || {
                for signal in signals.forever() {
                    leave_screen();
                    let _ = emulate_default_handler(signal);
                }
            },
        )?;
        FULL_SCREEN.store(true, Ordering::SeqCst);
        let mut screen = FullScreen { out: io::BufWriter::new(io::stdout()), shown: None };
        terminal::enable_raw_mode()?;
        execute!(screen.out, EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }

    /// Draws the stepper as it is now.
    fn draw(&mut self, app: &App<'_>) -> io::Result<()> {
        let (width, height) = terminal::size()?;
        let mut canvas = Canvas::new(width, height);
        screen::draw(app, &mut canvas);
        canvas.show(self.shown.as_ref(), &mut self.out)?;
        self.shown = Some(canvas);
        Ok(())
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        leave_screen();
    }
}

/// Makes the terminal what it was, if it is in use as a full screen: whoever ends the process calls
/// this.
pub fn leave_screen() {
    if FULL_SCREEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), cursor::Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Draws, and does what the keys say, until it is enough.
fn show(app: &mut App<'_>, screen: &mut FullScreen) -> io::Result<()> {
    loop {
        screen.draw(app)?;
        // While it looks for something, a key ends that; what is near is found before the next key,
        // however fast they come.
        while app.is_working() {
            if app.work() {
                screen.draw(app)?;
            }
            if app.is_working() && event::poll(Duration::ZERO)? {
                break;
            }
        }
        let event = event::read()?;
        if let Event::Resize(..) = event {
            // What is left on the terminal is not known.
            screen.shown = None;
        }
        if let Event::Key(key) = event
            && key.kind != KeyEventKind::Release
            && !app.key(key)
        {
            return Ok(());
        }
    }
}

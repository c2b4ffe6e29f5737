//! `gmachine steps`

mod json;
mod listen;

use gmachine::diagnostic::SourceMap;
use gmachine::gcode::program::Program;
use gmachine::grants::Grants;
use gmachine::inspect::events::{Moment, NodeEvent, Probe, Watch};
use gmachine::inspect::trace::{Config, Machine};
use gmachine::inspect::views::Graph;
use gmachine::inspect::views::steps::{Lines, Options};
use gmachine::{
    Engine, EntryPoints, Format, Interrupt, Limits, MachineKind, Output, Passes, Source, Stop,
    Store,
};

use super::args::{Form, Optimise, Steps, TraceFormat};
use super::{Context, Failure, files, output, run, watched};

/// Runs a program and prints its reductions.
pub fn run(args: &Steps, context: &mut Context) -> Result<(), Failure> {
    let text = [
        ("--only", args.only.is_some()),
        ("--event", !args.event.is_empty()),
        ("--corelib", args.corelib),
        ("--verbose", args.verbose),
        ("--width", args.width.is_some()),
    ];
    watched::must_be_text("steps", args.format, &text)?;
    let stopper = run::prepare(&args.limits)?;
    let optimise = Optimise { level: args.level, passes: Vec::new(), verbose: false };
    let engine = MachineKind::from(args.engine);
    let program = &args.program;
    let module = run::compile(program, Form::Coref, &optimise, engine, &args.limits, context)?;
    let sources = module.sources();
    let mut stdout = output::stdout().map_err(|error| context.output_failed(&error))?;
    let input = run::input(&args.program, &stdout, &stopper);
    let system = run::grants(&args.grants, context)?;
    if let Some(only) = &args.only {
        watched::must_have_code_of(only, "steps", module.program())?;
    }
    let options = options(args);
    let mut watcher = Watcher::new(args, &options, sources);
    let stopped = match engine {
        MachineKind::Fast | MachineKind::Native => {
            let mut store = Store::with(&module, run::store_options(&args.limits, &stopper));
            store.set_system(system);
            listen::run(store, module.program(), input, &mut watcher, &mut stdout)
        }
        _ => {
            let mut machine = watched::machine(&module, &args.limits, &stopper);
            machine.set_system(Box::new(system));
            machine
                .start(Format::Default, Some(input))
                .and_then(|()| watcher.steps(&mut Watch::new(machine), &mut stdout))
        }
    };
    let stopped = stopped.and_then(|()| Output::flush(&mut stdout).map_err(Stop::Output));
    stopper.stopped();
    if watcher.is_silent() {
        watched::nothing_shown(watcher.step);
    }
    stopped.map_err(|stop| run::failed(stop, &stopper, sources, context))
}

/// Returns what is asked for.
fn options(args: &Steps) -> Options {
    Options {
        corelib: args.corelib,
        only: args.only.clone(),
        kinds: args.event.iter().map(|event| (*event).into()).collect(),
        from: args.from,
        verbose: args.verbose,
        width: args.width.unwrap_or(Options::default().width),
    }
}

/// Prints the reductions of a program that is compiled for it. The inner error is why it stopped;
/// mistakes of the program are reported.
pub fn expression(
    source: &Source,
    limits: Limits,
    interrupt: &Interrupt,
    system: Grants,
    context: &Context,
) -> Result<Result<(), (Stop, SourceMap)>, Failure> {
    let mut engine = Engine::new();
    engine.set_entry_points(EntryPoints::Main);
    engine.set_passes(Passes::NONE);
    engine.set_machine(MachineKind::Reference);
    let module = match engine.compile_source(source, &files::Files) {
        Ok(module) => module,
        Err(error) => {
            context.reporter.all(&error.diagnostics, &error.sources);
            return Ok(Ok(()));
        }
    };
    let mut stdout = output::stdout().map_err(|error| context.output_failed(&error))?;
    let config = Config {
        heap_limit: limits.heap,
        fuel: limits.fuel,
        interrupt: interrupt.clone(),
        ..Config::default()
    };
    let mut machine = Machine::new(module.program().clone(), config);
    machine.set_system(Box::new(system));
    let args = Steps::default();
    let options = options(&args);
    let mut watcher = Watcher::new(&args, &options, module.sources());
    let stopped = machine
        .start(Format::Default, None)
        .and_then(|()| watcher.steps(&mut Watch::new(machine), &mut stdout))
        .and_then(|()| Output::flush(&mut stdout).map_err(Stop::Output));
    Ok(stopped.map_err(|stop| (stop, module.sources().clone())))
}

/// Makes lines of events.
struct Watcher<'a> {
    args: &'a Steps,
    sources: &'a SourceMap,
    graph: Graph,
    text: Lines<'a>,
    /// JSON lines that are ready.
    json: String,
    events: u64,
    /// Updates so far.
    step: u64,
}

impl<'a> Watcher<'a> {
    fn new(args: &'a Steps, options: &'a Options, sources: &'a SourceMap) -> Watcher<'a> {
        Watcher {
            args,
            sources,
            graph: Graph::default(),
            text: Lines::new(options, sources),
            json: String::new(),
            events: 0,
            step: 0,
        }
    }

    fn is_silent(&self) -> bool {
        self.events == 0 && self.text.lines == 0
    }

    /// Steps to the end, or to the last one that is asked for.
    fn steps(&mut self, watch: &mut Watch, stdout: &mut dyn Output) -> Result<(), Stop> {
        self.begin();
        let mut stopped = Ok(());
        while !self.is_past() {
            match watch.step(&mut watched::Nowhere, self) {
                Ok(true) => {}
                Ok(false) => break,
                Err(stop) => {
                    stopped = Err(stop);
                    break;
                }
            }
            self.write(stdout)?;
        }
        self.end(stopped, stdout)
    }

    fn begin(&mut self) {
        if self.args.format == TraceFormat::Json {
            self.json = json::header().to_string() + "\n";
        }
    }

    /// Returns whether the last step has been taken that is asked for.
    fn is_past(&self) -> bool {
        self.args.to.is_some_and(|last| self.step >= last)
    }

    /// Says how it has ended.
    fn end(&mut self, stopped: Result<(), Stop>, stdout: &mut dyn Output) -> Result<(), Stop> {
        let why = match (&stopped, self.args.format) {
            (Err(Stop::Error(_)), TraceFormat::Text) => Some("fails"),
            (Err(_), TraceFormat::Text) => Some("stops"),
            _ => None,
        };
        self.text.end(self.step, why);
        self.write(stdout)?;
        stopped
    }

    fn write(&mut self, stdout: &mut dyn Output) -> Result<(), Stop> {
        for lines in [&mut self.text.ready, &mut self.json] {
            if !lines.is_empty() {
                stdout.write(lines).map_err(Stop::Output)?;
                lines.clear();
            }
        }
        Ok(())
    }
}

impl Probe for Watcher<'_> {
    fn event(&mut self, event: NodeEvent, moment: Moment, program: &Program) {
        // An update is the end of its step.
        let is_asked = self.step >= self.args.from.saturating_sub(1);
        self.step += u64::from(matches!(event, NodeEvent::Updated { .. }));
        if self.args.format == TraceFormat::Json {
            let last = self.args.to.unwrap_or(u64::MAX);
            if is_asked && self.step <= last {
                self.events += 1;
                let line = json::event(&event, moment, self.step, program, self.sources);
                self.json.push_str(&line.to_string());
                self.json.push('\n');
            }
            return;
        }
        self.graph.take(&event);
        self.text.event(&event, moment, self.step, &self.graph, program);
    }
}

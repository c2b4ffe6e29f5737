//! Runs of a program: its output, its reductions, its film.

use std::time::Duration;

use gmachine::diagnostic::SourceMap;
use gmachine::gcode::program::Program;
use gmachine::inspect::events::{Moment, NodeEvent, Probe, Watch};
use gmachine::inspect::trace::{Config, Machine};
use gmachine::inspect::views::Graph;
use gmachine::inspect::views::film::{Recorder, note, page};
use gmachine::inspect::views::steps::{Lines, Options};
use gmachine::{
    Engine, EntryPoints, Format, Interrupt, Limits, MachineKind, Module, Output, Passes, Stop,
};
use serde_json::{Value, json};

use crate::host::{NoFiles, Nowhere, Printed, Typed, now};
use crate::{Request, reports};

/// How many lines of steps are shown at once, unless the request says.
const LINES: u64 = 1000;
/// A limit on time that stands for none: a clock that nobody looks at sends no output.
const FOREVER: Duration = Duration::from_secs(1 << 32);
/// How many steps of a machine that is watched are taken between two looks at the clock.
const STEPS: u64 = 1 << 10;

/// Runs the program and sends what it prints.
pub fn run(request: &Request) -> Value {
    let mut printed = Printed::default();
    let mut engine = engine(request, 2);
    let is_reference = request.text("machine") == "reference";
    engine.set_machine(if is_reference { MachineKind::Reference } else { MachineKind::Fast });
    engine.set_clock(printed.clock());
    let time = Some(seconds(request).unwrap_or(FOREVER));
    engine.set_limits(Limits { heap: heap(request), fuel: None, time });
    let (module, mut answer) = match compile(&engine, request) {
        Ok(compiled) => compiled,
        Err(refused) => return refused,
    };
    let start = now();
    let mut store = module.store();
    let input = Box::new(Typed::new(request.text("input")));
    let result = store
        .run_main(Some(input), &mut printed, Format::Default)
        .and_then(|()| printed.flush().map_err(Stop::Output));
    printed.send();
    let statistics = store.statistics();
    answer["milliseconds"] = json!((now() - start).as_millis() as u64);
    answer["reductions"] = json!(statistics.reductions);
    answer["collections"] = json!(statistics.collections);
    answer["peak"] = json!(statistics.peak_live_bytes);
    stopped(&mut answer, &result, module.sources());
    answer
}

/// Sends the program's reductions, a line each, as `gmachine steps` prints them.
pub fn steps(request: &Request) -> Value {
    let printed = Printed::default();
    let (module, mut answer) = match compile(&engine(request, 0), request) {
        Ok(compiled) => compiled,
        Err(refused) => return refused,
    };
    let options = Options {
        corelib: request.is("corelib"),
        verbose: request.is("verbose"),
        from: request.number("from").unwrap_or(1),
        width: request.number("width").unwrap_or(100),
        ..Options::default()
    };
    let most = request.number("lines").unwrap_or(LINES);
    let sources = module.sources();
    let lines = Lines::new(&options, sources);
    let mut watcher = Watcher { graph: Graph::default(), lines, step: 0 };
    let mut is_whole = false;
    let result = watched(request, &module, |watch, timer| {
        while watcher.lines.lines < most {
            timer.look(&printed);
            let goes_on = watch.step(&mut Nowhere, &mut watcher)?;
            printed.push(&std::mem::take(&mut watcher.lines.ready));
            if !goes_on {
                is_whole = true;
                break;
            }
        }
        Ok(())
    });
    let why = match &result {
        Ok(()) => None,
        Err(Stop::Error(_)) => Some("fails"),
        Err(_) => Some("stops"),
    };
    watcher.lines.end(watcher.step, why);
    printed.push(&watcher.lines.ready);
    printed.send();
    answer["last"] = json!(watcher.step);
    answer["more"] = json!(!is_whole && result.is_ok());
    stopped(&mut answer, &result, sources);
    answer
}

/// Makes the page of the program's film, as `gmachine film` writes it.
pub fn film(request: &Request) -> Value {
    let (module, mut answer) = match compile(&engine(request, 0), request) {
        Ok(compiled) => compiled,
        Err(refused) => return refused,
    };
    let mut recorder =
        Recorder::new(module.sources(), request.number("from").unwrap_or(1), request.number("to"));
    let printed = Printed::default();
    let result = watched(request, &module, |watch, timer| {
        while recorder.is_going_on() {
            timer.look(&printed);
            recorder.enter(watch);
            if !watch.step(&mut Nowhere, &mut recorder)? {
                recorder.ended();
                break;
            }
        }
        Ok(())
    });
    let note = note(&recorder, &result);
    answer["note"] = json!(note);
    answer["page"] = json!(page(request.text("title"), recorder.data(&note)));
    stopped(&mut answer, &result, module.sources());
    answer
}

fn engine(request: &Request, level: u8) -> Engine {
    let mut engine = Engine::new();
    engine.set_entry_points(EntryPoints::Main);
    engine.set_passes(Passes::level(request.level(level)));
    engine
}

/// The limit on memory, in bytes.
fn heap(request: &Request) -> Option<u64> {
    request.number("memory").map(|mebibytes| mebibytes << 20)
}

/// The limit on time.
fn seconds(request: &Request) -> Option<Duration> {
    request.number("seconds").map(Duration::from_secs)
}

/// Compiles the program: with what there is to say of it, or that alone if it has mistakes.
fn compile(engine: &Engine, request: &Request) -> Result<(Module, Value), Value> {
    match engine.compile_source(&request.source(), &NoFiles) {
        Ok(module) => {
            let reports = reports::all(module.warnings(), module.sources());
            Ok((module, json!({"reports": reports})))
        }
        Err(error) => {
            let reports = reports::all(&error.diagnostics, &error.sources);
            Err(json!({"reports": reports, "failed": true}))
        }
    }
}

/// Adds to an answer why the run stopped.
fn stopped(answer: &mut Value, result: &Result<(), Stop>, sources: &SourceMap) {
    match result {
        Ok(()) => {}
        Err(Stop::Exit(status)) => answer["exit"] = json!(status),
        Err(stop) => {
            answer["stop"] = reports::stop(stop, sources);
            answer["says"] = json!(stop.to_string());
        }
    }
}

/// Looks at the clock while a machine is watched.
struct Timer {
    interrupt: Interrupt,
    /// When the time is up.
    end: Option<Duration>,
    allowed: Duration,
    steps: u64,
}

impl Timer {
    fn look(&mut self, printed: &Printed) {
        self.steps += 1;
        if !self.steps.is_multiple_of(STEPS) {
            return;
        }
        printed.send();
        if self.end.is_some_and(|end| now() >= end) {
            self.interrupt.time_is_up(self.allowed);
        }
    }
}

/// Starts the reference machine and lets `view` step it.
fn watched(
    request: &Request,
    module: &Module,
    view: impl FnOnce(&mut Watch, &mut Timer) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let interrupt = Interrupt::new();
    let config =
        Config { heap_limit: heap(request), interrupt: interrupt.clone(), ..Config::default() };
    let allowed = seconds(request).unwrap_or(FOREVER);
    let end = seconds(request).map(|allowed| now() + allowed);
    let mut timer = Timer { interrupt, end, allowed, steps: 0 };
    let mut machine = Machine::new(module.program().clone(), config);
    let input = Box::new(Typed::new(request.text("input")));
    machine.start(Format::Default, Some(input))?;
    view(&mut Watch::new(machine), &mut timer)
}

/// Makes lines of events.
struct Watcher<'a> {
    graph: Graph,
    lines: Lines<'a>,
    /// Updates so far.
    step: u64,
}

impl Probe for Watcher<'_> {
    fn event(&mut self, event: NodeEvent, moment: Moment, program: &Program) {
        self.step += u64::from(matches!(event, NodeEvent::Updated { .. }));
        self.graph.take(&event);
        self.lines.event(&event, moment, self.step, &self.graph, program);
    }
}

//! `gmachine run`

use std::path::Path;
use std::time::Instant;

use gmachine::base::diagnostic::Diagnostic;
use gmachine::base::source::SourceMap;
use gmachine::base::span::Span;
use gmachine::driver::{self, Options};
use gmachine::gcode::Verified;
use gmachine::machine::outcome::{Input, Output, Stop};
use gmachine::machine::{Config, MachineKind, print};

use super::args::{self, Format, Limits, Optimise, Run};
use super::exit::Exit;
use super::input::{self, Decoder};
use super::interrupt::Stopper;
use super::output::{self, Stdout};
use super::profile::{self, Clock};
use super::stats::{self, Clocks};
use super::{Context, Failure, files, limit, memory, passes, report};

/// Compiles a program, runs it and prints the value of its `main`.
pub fn run(args: &Run, context: &mut Context) -> Result<(), Failure> {
    let start = Instant::now();
    let stopper = prepare(&args.limits)?;
    let (program, sources) = compile(&args.program, &args.optimise, context)?;
    let mut stdout = output::stdout().map_err(|error| context.output_failed(&error))?;
    let input = input(&args.program, &stdout, &stopper);
    let kind = MachineKind::from(args.engine);
    if args.profile.is_some() && kind == MachineKind::Reference {
        let message = "the reference machine takes no profile".to_owned();
        return Err(super::usage("run", message, "leave out '--engine reference'"));
    }
    let clock = args.profile.as_ref().map(|_| Clock::start());
    let config = Config {
        count: args.stats.is_some(),
        sampler: clock.as_ref().map(Clock::sampler),
        ..config(&args.limits, &stopper)
    };
    let mut machine = kind.load(program).machine(config);
    let compiled = Instant::now();
    let stopped = machine
        .start(print_format(args.format), Some(input))
        .and_then(|()| machine.run(&mut stdout))
        .and_then(|()| Output::flush(&mut stdout).map_err(Stop::Output));
    stopper.stopped();
    let clocks = Clocks { compile: compiled - start, run: compiled.elapsed() };
    let result = stopped.map_err(|stop| failed(stop, &stopper, &sources, context));
    if let Some(format) = args.stats {
        report::write(&stats::render(format, &machine.statistics(), clocks));
    }
    if let (Some(path), Some(profile)) = (&args.profile, machine.profile()) {
        result.and(profile::write(profile, path, context))
    } else {
        result
    }
}

/// Wires Ctrl-C and starts the clock.
pub fn prepare(limits: &Limits) -> Result<Stopper, Failure> {
    let stopper = Stopper::wired();
    if let Some(limit) = limits.timeout
        && stopper.after(limit).is_err()
    {
        super::alloc::out_of_memory(None);
    }
    Ok(stopper)
}

/// Compiles the program that is asked for, reporting what there is to say of it.
pub fn compile(
    args: &args::Program,
    optimise: &Optimise,
    context: &Context,
) -> Result<(Verified, SourceMap), Failure> {
    let root = files::program(args, context)?;
    let options = Options { optimise: passes::options(optimise), ..Options::RUN };
    let built = driver::build(&root, &files::Files, &options);
    context.reporter.all(&built.diagnostics, &built.loaded.sources);
    if !built.has_errors() {
        passes::tell(optimise, &built.report);
    }
    match built.gcode {
        Some(program) => Ok((program, built.loaded.sources)),
        None => Err(Failure(Exit::of_all(&built.diagnostics))),
    }
}

/// How the machine is to run.
pub fn config(limits: &Limits, stopper: &Stopper) -> Config {
    Config {
        heap_limit: Some(limits.max_heap.unwrap_or_else(memory::default_limit)),
        fuel: limits.fuel,
        interrupt: stopper.machine(),
        ..Config::default()
    }
}

/// What the program's `main` gets for its input: standard input, unless the program itself
/// came from there.
pub fn input(args: &args::Program, stdout: &Stdout, stopper: &Stopper) -> Box<dyn Input> {
    if args.file.as_deref() == Some(Path::new("-")) {
        return Box::new(Decoder::new(std::io::empty()));
    }
    match input::stdin(stdout.clone(), stopper.clone()) {
        Ok(input) => Box::new(input),
        Err(error) => Box::new(input::Broken(error)),
    }
}

fn print_format(format: Format) -> print::Format {
    match format {
        Format::Text => print::Format::Default,
        Format::Sexpr => print::Format::Sexpr,
        Format::Json => print::Format::Json,
    }
}

/// Reports why a run stopped; standard output is flushed before.
pub fn failed(stop: Stop, stopper: &Stopper, sources: &SourceMap, context: &Context) -> Failure {
    let stop = match stop {
        Stop::Input(error) => stopper.reason().unwrap_or(Stop::Input(error)),
        stop => stop,
    };
    if !matches!(stop, Stop::Output(_)) {
        let flushed = output::stdout().and_then(|mut stdout| Output::flush(&mut stdout));
        if let Err(error) = flushed {
            return context.output_failed(&error);
        }
    }
    match &stop {
        Stop::Error(error) => {
            let diagnostic = error.diagnostic();
            context.reporter.with_chain(&diagnostic, Some(&error.chain), sources);
            Failure(Exit::of(error.code))
        }
        Stop::Limit(reached) => {
            let diagnostic = limit::report(reached);
            context.reporter.with_chain(&diagnostic, Some(&reached.chain), sources);
            Failure(Exit::Limit)
        }
        Stop::Interrupted => {
            report::write("interrupted\n");
            Failure(Exit::Interrupted)
        }
        Stop::Input(error) => {
            context.fail(&Diagnostic::error(error.code, Span::NONE, &error.message))
        }
        Stop::Output(error) => context.output_failed(error),
    }
}

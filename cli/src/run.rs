//! `gmachine run`

use std::path::Path;
use std::time::Instant;

use gmachine::diagnostic::quote::for_message;
use gmachine::diagnostic::{Code, Diagnostic, EXPRESSION, SourceMap, Span};
use gmachine::grants::Grants;
use gmachine::{
    Engine, EntryPoints, Input, MachineKind, Module, Output, Stop, Store, StoreOptions,
};

use super::args::{self, Form, Format, Limits, Optimise, Run};
use super::exit::Exit;
use super::input::{self, Decoder};
use super::interrupt::Stopper;
use super::output::{self, Stdout};
use super::profile::{self, Clock};
use super::stats::{self, Clocks};
use super::{Context, Failure, alloc, files, limit, memory, passes, report};

/// Refuses a machine that this build does not have.
pub fn must_have(kind: MachineKind, command: &str) -> Result<(), Failure> {
    if MachineKind::ALL.contains(&kind) {
        return Ok(());
    }
    let message = "this build makes no native code".to_owned();
    Err(super::usage(command, message, "leave out '--engine native'"))
}

/// Compiles a program, runs it and prints the value of its `main`.
pub fn run(args: &Run, context: &mut Context) -> Result<(), Failure> {
    let start = Instant::now();
    let stopper = prepare(&args.limits)?;
    let kind = MachineKind::from(args.engine);
    must_have(kind, "run")?;
    let (program, form) = (&args.program, args.form.from);
    let module = compile(program, form, &args.optimise, kind, &args.limits, context)?;
    let mut stdout = output::stdout().map_err(|error| context.output_failed(&error))?;
    let input = input(&args.program, &stdout, &stopper);
    if args.profile.is_some() && kind == MachineKind::Reference {
        let message = "the reference machine takes no profile".to_owned();
        return Err(super::usage("run", message, "leave out '--engine reference'"));
    }
    if let Some(path) = &args.profile {
        profile::must_be_writable(path, context)?;
    }
    let clock = args.profile.as_ref().map(|_| Clock::start());
    let stats = args.stats_format.or(args.stats.then_some(args::Stats::Text));
    let counts = stats.is_some_and(|format| format != args::Stats::Clocks);
    let options = StoreOptions {
        count: counts,
        pauses: counts,
        sampler: clock.as_ref().map(Clock::sampler),
        ..store_options(&args.limits, &stopper)
    };
    let mut store = Store::with(&module, options);
    store.set_arguments(args.arguments.clone());
    store.set_system(grants(&args.grants, context)?);
    let compiled = Instant::now();
    let stopped = store
        .run_main(Some(input), &mut stdout, print_format(args.format))
        .and_then(|()| Output::flush(&mut stdout).map_err(Stop::Output));
    stopper.stopped();
    let clocks = Clocks { compile: compiled - start, run: compiled.elapsed() };
    let result =
        stopped.map_err(|stop| failed_in(stop, args.format, &stopper, module.sources(), context));
    if let Some(format) = stats {
        let pauses = store.pauses().cloned().unwrap_or_default();
        report::write(&stats::render(format, &store.statistics(), &pauses, clocks));
    }
    if let (Some(path), Some(profile)) = (&args.profile, store.profile()) {
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
        alloc::out_of_memory(None);
    }
    Ok(stopper)
}

/// Compiles the program that is asked for, in as much memory as it may use, reporting what there is to
/// say of it.
pub fn compile(
    args: &args::Program,
    form: Form,
    optimise: &Optimise,
    machine: MachineKind,
    limits: &Limits,
    context: &Context,
) -> Result<Module, Failure> {
    let root = files::program(args, form, context)?;
    let mut engine = Engine::new();
    engine.set_entry_points(EntryPoints::Main);
    engine.set_passes(passes::wanted(optimise));
    engine.set_explain(optimise.verbose);
    engine.set_machine(machine);
    match alloc::bounded(memory_limit(limits), || engine.compile_source(&root, &files::Files)) {
        Ok(module) => {
            context.reporter.all(module.warnings(), module.sources());
            passes::tell(optimise, module.report(), module.sources());
            Ok(module)
        }
        Err(error) => {
            context.reporter.all(&error.diagnostics, &error.sources);
            Err(Failure(Exit::of_all(&error.diagnostics)))
        }
    }
}

/// Returns what the program is granted.
pub fn grants(args: &args::Grants, context: &Context) -> Result<Grants, Failure> {
    let mut grants = Grants::new();
    let refused = |error: std::io::Error, what: String| {
        context.system(Code::CannotRead, &anyhow::Error::new(error).context(what))
    };
    let name =
        |path: &Path| format!("`{}` cannot be granted", for_message(&path.to_string_lossy()));
    for path in &args.allow_read {
        grants.allow_read(path).map_err(|error| refused(error, name(path)))?;
    }
    for path in &args.allow_write {
        grants.allow_write(path).map_err(|error| refused(error, name(path)))?;
    }
    args.allow_env.iter().for_each(|name| grants.allow_variable(name));
    if args.allow_time {
        grants.allow_time();
    }
    if args.allow_random {
        let what = "random bytes cannot be granted".to_owned();
        grants.allow_random().map_err(|error| refused(error, what))?;
    }
    Ok(grants)
}

/// Returns the bytes that a program may use, and whoever compiles it.
pub fn memory_limit(limits: &Limits) -> u64 {
    limits.max_heap.unwrap_or_else(memory::default_limit)
}

/// Returns how the program is to run.
pub fn store_options(limits: &Limits, stopper: &Stopper) -> StoreOptions {
    let heap = Some(memory_limit(limits));
    // Time is the stopper's matter, which began before the program was compiled.
    let limits = gmachine::Limits { heap, fuel: limits.fuel, time: None };
    StoreOptions { limits, interrupt: stopper.machine(), ..StoreOptions::default() }
}

/// Returns what the program's `main` gets for its input: standard input, unless the program itself
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

fn print_format(format: Format) -> gmachine::Format {
    match format {
        Format::Text => gmachine::Format::Default,
        Format::Sexpr => gmachine::Format::Sexpr,
        Format::Json => gmachine::Format::Json,
    }
}

/// Returns whether a place is in an expression given with `-e` that speaks of `main`.
fn is_expression_with_main(sources: &SourceMap, at: Span) -> bool {
    let file = sources.file_at(at.lo).filter(|file| *file.name == *EXPRESSION);
    file.is_some_and(|file| sources.text(file.span()).contains("main"))
}

/// Reports why a run stopped; standard output is flushed before.
pub fn failed(stop: Stop, stopper: &Stopper, sources: &SourceMap, context: &Context) -> Failure {
    failed_in(stop, Format::Text, stopper, sources, context)
}

/// Reports as [`failed`] does, of a run that printed in this format.
fn failed_in(
    stop: Stop,
    format: Format,
    stopper: &Stopper,
    sources: &SourceMap,
    context: &Context,
) -> Failure {
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
            let mut diagnostic = error.diagnostic();
            if error.code == Code::SelfDependent && is_expression_with_main(sources, error.span) {
                diagnostic = diagnostic.help(
                    "an expression given with -e takes the place of `main`, also where it says `main`",
                );
            }
            context.reporter.with_chain(&diagnostic, Some(&error.chain), sources);
            Failure(Exit::of(error.code))
        }
        Stop::Limit(reached) => {
            let mut diagnostic = limit::report(reached);
            if format != Format::Text {
                diagnostic = diagnostic.note(
                    "in this format nothing of a list is written before its end is reached; \
                     --format text writes each element as it is computed",
                );
            }
            context.reporter.with_chain(&diagnostic, Some(&reached.chain), sources);
            Failure(Exit::Limit)
        }
        Stop::Interrupted(at) => {
            context.reporter.with_chain(&at.diagnostic(), Some(&at.chain), sources);
            Failure(Exit::Interrupted)
        }
        Stop::Input(error) => {
            context.fail(&Diagnostic::error(error.code, Span::NONE, &error.message))
        }
        Stop::Output(error) => context.output_failed(error),
        Stop::Exit(0) => Failure(Exit::Success),
        Stop::Exit(status) => Failure(Exit::Status(*status)),
    }
}

//! `gmachine film`: a run as one page, in which one can go back and forth.

mod record;

use std::path::Path;

use gmachine::inspect::events::Watch;
use gmachine::render::{grouped, short_expression};
use gmachine::{Format, MachineKind, Stop};

use super::args::{self, Film, Form, Optimise};
use super::{Context, Failure, files, report, run, watched};
use record::Recorder;

/// The page, with `@NAME@` where its parts come.
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Runs a program and writes its film.
pub fn run(args: &Film, context: &mut Context) -> Result<(), Failure> {
    let stopper = run::prepare(&args.limits)?;
    let optimise = Optimise { level: args.level, passes: Vec::new(), verbose: false };
    let module =
        run::compile(&args.program, Form::Coref, &optimise, MachineKind::Reference, context)?;
    let sources = module.sources();
    let stdout = super::output::stdout().map_err(|error| context.output_failed(&error))?;
    let input = run::input(&args.program, &stdout, &stopper);
    let mut machine = watched::machine(&module, &args.limits, &stopper);
    let mut recorder = Recorder::new(sources, args.from, args.to);
    let result = machine.start(Format::Default, Some(input)).and_then(|()| {
        let mut watch = Watch::new(machine);
        while recorder.is_going_on() {
            recorder.enter(&watch);
            if !watch.step(&mut watched::Nowhere, &mut recorder)? {
                recorder.ended();
                break;
            }
        }
        Ok(())
    });
    stopper.stopped();
    let note = note(&recorder, &result);
    if recorder.is_full() {
        report::write(&format!("note: {note}\n"));
    }
    write(&args.output, &page(&title(&args.program), &note, recorder), context)?;
    result.map_err(|stop| run::failed(stop, &stopper, sources, context))
}

/// What the film shows of the run, in a sentence or two.
fn note(recorder: &Recorder<'_>, result: &Result<(), Stop>) -> String {
    let events = grouped(recorder.count() as u64);
    let (first, last) = recorder.steps();
    let shown = match last.checked_sub(first) {
        Some(more) if first > 1 => {
            format!("{events} events: the reductions {first} to {}", first + more)
        }
        _ => format!("{events} events, {} reductions", grouped(last)),
    };
    match result {
        Err(Stop::Error(error)) => format!("{shown}; then the run fails: {}", error.message),
        Err(_) => format!("{shown}; then the run is stopped"),
        Ok(()) if !recorder.has_ended() => {
            format!("{shown}; the run goes on, --from {} shows what follows", last + 1)
        }
        Ok(()) => format!("{shown}; then the run ends"),
    }
}

fn title(program: &args::Program) -> String {
    match (&program.file, &program.expr) {
        (Some(file), None) => file.to_string_lossy().into_owned(),
        (_, Some(expr)) => short_expression(expr),
        (None, None) => String::new(),
    }
}

/// The page of a film.
fn page(title: &str, note: &str, recorder: Recorder<'_>) -> String {
    let mut data = recorder.data(note);
    // Nothing in it ends the element that it stands in.
    data = data.replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let mut out = String::new();
    for (number, part) in PAGE.split('@').enumerate() {
        out.push_str(match (number % 2, part) {
            (1, "TITLE") => &title,
            (1, "STYLE") => STYLE,
            (1, "SCRIPT") => SCRIPT,
            (1, "DATA") => &data,
            (_, part) => part,
        });
    }
    out
}

fn write(path: &Path, page: &str, context: &mut Context) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return context.print(page);
    }
    files::write(path, page, context)
}

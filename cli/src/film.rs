//! `gmachine film`: a run as one page, in which one can go back and forth.

use std::io::IsTerminal;
use std::path::Path;

use gmachine::inspect::events::Watch;
use gmachine::inspect::views::film::{Recorder, note, page};
use gmachine::render::short_expression;
use gmachine::{Format, MachineKind};

use super::args::{self, Film, Form, Optimise};
use super::{Context, Failure, files, report, run, watched};

/// Runs a program and writes its film.
pub fn run(args: &Film, context: &mut Context) -> Result<(), Failure> {
    let stopper = run::prepare(&args.limits)?;
    let optimise = Optimise { level: args.level, passes: Vec::new(), verbose: false };
    let (program, machine) = (&args.program, MachineKind::Reference);
    let module = run::compile(program, Form::Coref, &optimise, machine, &args.limits, context)?;
    let sources = module.sources();
    must_be_writable(&args.output, context)?;
    let stdout = super::output::stdout().map_err(|error| context.output_failed(&error))?;
    let input = run::input(&args.program, &stdout, &stopper);
    let mut machine = watched::machine(&module, &args.limits, &stopper);
    machine.set_system(Box::new(run::grants(&args.grants, context)?));
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
    if recorder.count() == 0 && args.to != Some(0) {
        watched::nothing_shown(recorder.steps().0 - 1);
    } else if recorder.is_full() || std::io::stderr().is_terminal() {
        report::write(&format!("note: {note}\n"));
    }
    write(&args.output, &page(&title(&args.program), recorder.data(&note)), context)?;
    result.map_err(|stop| run::failed(stop, &stopper, sources, context))
}

fn title(program: &args::Program) -> String {
    match (&program.file, &program.expr) {
        (Some(file), None) => file.to_string_lossy().into_owned(),
        (_, Some(expr)) => short_expression(expr),
        (None, None) => String::new(),
    }
}

/// Refuses a page that cannot be written, before a run of minutes.
fn must_be_writable(path: &Path, context: &Context) -> Result<(), Failure> {
    if path.as_os_str() == "-" { Ok(()) } else { files::append_nothing(path, context) }
}

fn write(path: &Path, page: &str, context: &mut Context) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return context.print(page);
    }
    files::write(path, page, context)
}

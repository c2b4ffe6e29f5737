//! `gmachine bench`

mod baseline;
mod measure;
mod programs;
mod table;

use std::sync::Arc;
use std::time::{Duration, Instant};

use gmachine::diagnostic::SourceMap;
use gmachine::{
    Engine as Compiler, EntryPoints, Input, MachineKind, Statistics, Stop, StoreOptions,
};
use serde_json::json;

use self::baseline::Baseline;
use self::measure::{Column, Printed};
use self::programs::Subject;
use self::table::Table;
use super::args::{Bench, BenchFormat, Engine, Grants};
use super::exit::Exit;
use super::interrupt::Stopper;
use super::passes::{Change, changed};
use super::{Context, Failure, alloc, files, input, output, report, run};

/// Returns what the long help says of the table and the programs.
pub fn help() -> String {
    let names: Vec<&str> = programs::BUILT_IN.iter().map(|program| program.name).collect();
    let (first, second) = names.split_at(names.len() / 2);
    format!(
        "Everybody's result is checked first; then all take turns. A time is that of the machine alone,
without compilation; `spread` is the part of the median within which the middle half of the
runs lies, `ratio` compares with the program's first line. A file whose main has a parameter
gets standard input.

The programs that come with gmachine:
  {},
  {}",
        first.join(", "),
        second.join(", ")
    )
}

/// Measures programs.
pub fn run(args: &Bench, context: &mut Context) -> Result<(), Failure> {
    for &engine in &args.engine {
        run::must_have(engine.into(), "bench")?;
    }
    let subjects = programs::subjects(&args.names, args.full, context)?;
    let how = json!({
        "full": args.full,
        "passes": args.passes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    let baseline = args.baseline.as_ref().map(|path| Baseline::read(path, &how, context));
    let mut baseline = baseline.transpose()?;
    let mut changes = String::new();
    let stopper = run::prepare(&args.limits)?;
    let mut bench = Bencher {
        runs: args.runs,
        options: run::store_options(&args.limits, &stopper),
        settings: settings(args),
        passes: args.passes.clone(),
        grants: args.grants.clone(),
        stopper,
        input: None,
    };
    let mut table = Table::new(subjects.iter().map(|subject| &*subject.name));
    let mut results = Vec::new();
    for (at, subject) in subjects.iter().enumerate() {
        let columns = bench.subject(subject, context)?;
        if let Some(baseline) = &mut baseline {
            changes.push_str(&baseline.rows(&subject.name, &columns));
        }
        if args.format == BenchFormat::Csv {
            if at == 0 {
                context.print(&table::csv_head())?;
            }
            for column in &columns {
                context.print(&table::csv(&subject.name, column))?;
            }
            continue;
        }
        if args.format == BenchFormat::Json {
            results.extend(columns.iter().map(|column| table::json(&subject.name, column)));
            continue;
        }
        if at == 0 {
            context.print(&table.head())?;
        }
        context.print(&table.rows(&subject.name, &columns))?;
        if at + 1 == subjects.len() {
            context.print(&table.means(&columns))?;
        }
    }
    bench.stopper.stopped();
    if args.format == BenchFormat::Json {
        let all = json!({
            "schema": "gmachine-bench",
            "version": 1,
            "runs": args.runs,
            "full": how["full"],
            "passes": how["passes"],
            "results": results,
        });
        context.print(&format!("{all:#}\n"))?;
    }
    if let Some(baseline) = &baseline {
        let said = format!("{changes}{}", baseline.summary());
        // Where the output is for programs, people read the verdict beside it.
        match args.format {
            BenchFormat::Json | BenchFormat::Csv => report::write(&said),
            BenchFormat::Text => context.print(&format!("\n{said}"))?,
        }
    }
    Ok(())
}

/// Returns the machines and levels that are asked for, without repetitions.
fn settings(args: &Bench) -> Vec<(MachineKind, u8)> {
    let all = [Engine::Fast, Engine::Reference];
    let engines = if args.engine.is_empty() { &all[..] } else { &args.engine };
    let levels = if args.levels.is_empty() { &[0, 1, 2] } else { args.levels.as_slice() };
    let mut settings = Vec::new();
    for &engine in engines {
        for &level in levels {
            let setting = (MachineKind::from(engine), level);
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
    }
    settings
}

/// How programs are measured.
struct Bencher {
    runs: u32,
    options: StoreOptions,
    settings: Vec<(MachineKind, u8)>,
    passes: Vec<Change>,
    grants: Grants,
    stopper: Stopper,
    /// Standard input, once a program has wanted it.
    input: Option<Arc<str>>,
}

impl Bencher {
    /// Measures a program with every machine, at every level.
    fn subject(&mut self, subject: &Subject, context: &Context) -> Result<Vec<Column>, Failure> {
        let (mut columns, sources) = self.compile(subject, context)?;
        let input = self.input(subject, &columns, context)?;
        let failed = |stopper: &Stopper, stop: Stop| {
            stopper.stopped();
            run::failed(stop, stopper, &sources, context)
        };
        let mut expected = subject.prints.map(|line| (Printed::line(line), None));
        for column in &mut columns {
            let ran = column.run(&self.options, &input, run::grants(&self.grants, context)?);
            let printed = ran.map_err(|stop| failed(&self.stopper, stop))?;
            match &expected {
                None => expected = Some((printed, Some(column.name()))),
                Some((right, from)) if printed != *right => {
                    self.stopper.stopped();
                    return Err(wrong(subject, column, &printed, right, from.as_deref()));
                }
                Some(_) => {}
            }
            // That run was to see whether the result is right, and warmed everything up.
            column.runs.clear();
        }
        for round in 0..self.runs as usize {
            // They take turns, so that what else this machine does hits all of them.
            for turn in 0..columns.len() {
                let at = (round + turn) % columns.len();
                if let Some(column) = columns.get_mut(at) {
                    let system = run::grants(&self.grants, context)?;
                    let ran = column.run(&self.options, &input, system);
                    ran.map_err(|stop| failed(&self.stopper, stop))?;
                }
            }
        }
        Ok(columns)
    }

    /// Returns the program at every level that is asked for. Its warnings are reported once.
    fn compile(
        &self,
        subject: &Subject,
        context: &Context,
    ) -> Result<(Vec<Column>, SourceMap), Failure> {
        let mut columns: Vec<Column> = Vec::new();
        let mut sources = None;
        for &(machine, level) in &self.settings {
            let known = columns.iter().find(|column| column.level == level);
            let (module, compile) = match known {
                Some(column) => (column.module.for_machine(machine), column.compile),
                None => {
                    let mut engine = Compiler::new();
                    engine.set_entry_points(EntryPoints::Main);
                    engine.set_machine(machine);
                    engine.set_passes(changed(level, &self.passes));
                    let start = Instant::now();
                    let most = self.options.limits.heap.unwrap_or(u64::MAX);
                    let source = || engine.compile_source(&subject.root, &files::Files);
                    let compiled = alloc::bounded(most, source);
                    let took: Duration = start.elapsed();
                    if sources.is_none() {
                        let (reports, sources) = match &compiled {
                            Ok(module) => (module.warnings(), module.sources()),
                            Err(error) => (&*error.diagnostics, &error.sources),
                        };
                        context.reporter.all(reports, sources);
                    }
                    let module =
                        compiled.map_err(|error| Failure(Exit::of_all(&error.diagnostics)))?;
                    // The sources are the same at every level.
                    sources.get_or_insert_with(|| module.sources().clone());
                    (module, took)
                }
            };
            let (runs, statistics) = (Vec::new(), Statistics::default());
            columns.push(Column { machine, level, module, compile, runs, statistics });
        }
        Ok((columns, sources.unwrap_or_default()))
    }

    /// Returns what `main` gets, if it wants something: standard input, read once for all programs,
    /// unless a program itself came from there.
    fn input(
        &mut self,
        subject: &Subject,
        columns: &[Column],
        context: &Context,
    ) -> Result<Arc<str>, Failure> {
        let program = columns.first().map(|column| column.module.program());
        let main = program.and_then(|program| program.globals.get(program.main?));
        if main.is_none_or(|main| main.arity == 0) || subject.name == "-" {
            return Ok("".into());
        }
        if let Some(input) = &self.input {
            return Ok(input.clone());
        }
        let stdout = output::stdout().map_err(|error| context.output_failed(&error))?;
        let mut text = String::new();
        let read = input::stdin(stdout, self.stopper.clone()).and_then(|mut stdin| {
            while let Some(c) = stdin.next()? {
                text.push(c);
            }
            Ok(())
        });
        read.map_err(|error| {
            self.stopper.stopped();
            run::failed(Stop::Input(error), &self.stopper, &SourceMap::new(), context)
        })?;
        Ok(self.input.insert(text.into()).clone())
    }
}

/// Reports a result that is not right, which is a mistake of this program.
fn wrong(
    subject: &Subject,
    column: &Column,
    printed: &Printed,
    right: &Printed,
    from: Option<&str>,
) -> Failure {
    let (name, how, other) = (&subject.name, column.name(), from.unwrap_or("it should print"));
    let said = (printed.start(), right.start());
    report::write(&format!(
        "error: {name} gives another result on {how}, which is a mistake in gmachine\n  \
         {how}: {}\n  {other}: {}\n",
        said.0, said.1
    ));
    Failure(Exit::Internal)
}

//! `gmachine profile`: where a run spends its time, and what fills its memory.

mod json;
mod live;
mod text;
mod verdict;

use std::path::Path;

use gmachine::diagnostic::SourceMap;
use gmachine::diagnostic::quote::for_message;
use gmachine::inspect::costs::{Cost, Costs, NodeKind};
use gmachine::render::short_expression;
use gmachine::{Format, MachineKind, Output, OutputError, Pauses, Stop, Store, StoreOptions};

use super::args::{self, CostsFormat, Form, Profile};
use super::{Context, Failure, files, run};

/// The page, with `@NAME@` where its parts come.
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A profile with what people are told of it.
struct Report<'a> {
    title: String,
    costs: Costs,
    pauses: Pauses,
    /// For each kind of node what it is called.
    contents: Vec<String>,
    /// How the run ended, if not well.
    ended: Option<String>,
    /// What stands first.
    verdict: String,
    sources: &'a SourceMap,
}

/// Runs a program and shows what it costs.
pub fn run(args: &Profile, context: &mut Context) -> Result<(), Failure> {
    let stopper = run::prepare(&args.limits)?;
    let (program, machine) = (&args.program, MachineKind::Fast);
    let module =
        run::compile(program, Form::Coref, &args.optimise, machine, &args.limits, context)?;
    let stdout = super::output::stdout().map_err(|error| context.output_failed(&error))?;
    let input = run::input(&args.program, &stdout, &stopper);
    if let Some(path) = args.output.as_deref().filter(|path| *path != Path::new("-")) {
        files::append_nothing(path, context)?;
    }
    let options =
        StoreOptions { costs: true, pauses: true, ..run::store_options(&args.limits, &stopper) };
    let mut store = Store::with(&module, options);
    store.set_arguments(args.arguments.clone());
    store.set_system(run::grants(&args.grants, context)?);
    let result = store.run_main(Some(input), &mut Dropped, Format::Default);
    stopper.stopped();
    let (Some(costs), Some(pauses)) = (store.costs(), store.pauses()) else {
        let message = "a function of the program is too large for the fast machine".to_owned();
        return Err(super::usage("profile", message, "the reference machine makes no profile"));
    };
    let report = Report::new(args, costs, pauses.clone(), &result, module.sources());
    if let Some(path) = &args.output {
        write(path, &report.page(), context)?;
    }
    if args.output.as_deref() != Some(Path::new("-")) {
        let shown = match args.format {
            CostsFormat::Text => report.text(),
            CostsFormat::Json => json::of(&report).to_string() + "\n",
            CostsFormat::Folded => report.folded(|cost| cost.instructions),
            CostsFormat::FoldedBytes => report.folded(|cost| cost.bytes),
        };
        if shown.is_empty() {
            super::report::write("note: the run was too short for a sample of its stack\n");
        }
        context.print(&shown)?;
    }
    result.map_err(|stop| run::failed(stop, &stopper, module.sources(), context))
}

/// The output of the program, which is no part of its profile.
struct Dropped;

impl Output for Dropped {
    fn write(&mut self, _: &str) -> Result<(), OutputError> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

impl<'a> Report<'a> {
    fn new(
        args: &Profile,
        costs: Costs,
        pauses: Pauses,
        result: &Result<(), Stop>,
        sources: &'a SourceMap,
    ) -> Report<'a> {
        let ended = match result {
            Ok(()) | Err(Stop::Exit(_)) => None,
            Err(Stop::Error(error)) => Some(format!("the run failed: {}", error.message)),
            Err(_) => Some("the run was stopped before its end".to_owned()),
        };
        let contents = (0..costs.contents.len()).map(|at| name_of(&costs, at, sources)).collect();
        let mut report = Report {
            title: title(&args.program),
            costs,
            pauses,
            contents,
            ended,
            verdict: String::new(),
            sources,
        };
        report.verdict = verdict::of(&report);
        report
    }

    /// Returns the name of a function.
    fn function(&self, number: u32) -> &str {
        self.costs.functions.get(number as usize).map_or("", |function| &function.name)
    }

    /// Returns the samples as folded stacks, one a line, for the tools that draw them.
    fn folded(&self, weigh: impl Fn(Cost) -> u64) -> String {
        let mut paths: Vec<String> = Vec::new();
        let mut out = String::new();
        for node in &self.costs.stacks {
            let name = node.function.map_or("...", |function| self.function(function));
            let parent = node.parent.and_then(|parent| paths.get(parent as usize));
            let path = parent.map_or(name.to_owned(), |parent| format!("{parent};{name}"));
            let weight = weigh(node.cost);
            if weight > 0 {
                out.push_str(&format!("{path} {weight}\n"));
            }
            paths.push(path);
        }
        out
    }

    /// Returns the page.
    fn page(&self) -> String {
        // Nothing in it ends the element that it stands in.
        let data = json::of(self).to_string().replace('<', "\\u003c");
        let title = self.title.replace('&', "&amp;").replace('<', "&lt;");
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
}

/// Returns what nodes of a kind are called.
fn name_of(costs: &Costs, at: usize, sources: &SourceMap) -> String {
    let Some(content) = costs.contents.get(at) else { return String::new() };
    let function = content.function.and_then(|function| costs.functions.get(function as usize));
    let name = function.map_or("", |function| &function.name);
    match (content.kind, &content.constructor) {
        (NodeKind::Constructor, Some(constructor)) => for_message(constructor),
        (NodeKind::Thunk | NodeKind::Evaluating | NodeKind::Stopped, _) => {
            let text = short_expression(sources.text(content.span));
            let kind = content.kind.name();
            match text.is_empty() {
                false => format!("{kind} {text} of {name}"),
                true => format!("{kind} of {name}"),
            }
        }
        (NodeKind::PartialApplication, _) => format!("partial application of {name}"),
        (NodeKind::Frame, _) => format!("stack frames of {name}"),
        (kind, _) => kind.name().to_owned(),
    }
}

fn title(program: &args::Program) -> String {
    match (&program.file, &program.expr) {
        (Some(file), None) => file.to_string_lossy().into_owned(),
        (_, Some(expr)) => short_expression(expr),
        (None, None) => String::new(),
    }
}

fn write(path: &Path, page: &str, context: &mut Context) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return context.print(page);
    }
    files::write(path, page, context)
}

//! `gmachine dump`

mod dot;
mod gcode_json;
mod json;
mod syntax;

use gmachine::EntryPoints;
use gmachine::Source;
use gmachine::diagnostic::{SourceMap, Span, nearest};
use gmachine::gcode::Verified;
use gmachine::gcode::print as print_gcode;
use gmachine::gcode::program::{self, GlobalId};
use gmachine::inspect::compact::{listing as print_fast, translate};
use gmachine::inspect::core::{self, Demand, Row, listing, print as print_core, rows};
use gmachine::inspect::views::is_code_of;
use gmachine::inspect::{self, Built, Options};
use gmachine::render::short_expression;
use serde::Serialize;

use self::json::Array;
use super::args::{Dump, DumpFormat, Form, Optimise, Program, Stage, Written};
use super::exit::Exit;
use super::report::{JsonPlace, JsonReport, json_report, json_span, json_text};
use super::{Context, Failure, files, passes, report, usage};

/// The version of the JSON formats: a change that a reader can notice is a new one.
const VERSION: u32 = 1;

/// Prints a form of a program.
pub fn run(args: &Dump, context: &mut Context) -> Result<(), Failure> {
    if args.format == DumpFormat::Dot && args.stage != Stage::Gcode {
        let tip = "the call graph is that of the stage gcode: leave --stage away";
        return Err(usage("dump", "this stage has no --format dot".to_owned(), tip));
    }
    if args.only.is_some() && args.stage == Stage::Tokens {
        let tip = "the stage ast has the definitions";
        return Err(usage("dump", "the stage tokens knows no definitions".to_owned(), tip));
    }
    let root = files::program(&args.program, args.form.from, context)?;
    let mut built = build(args, &root);
    context.reporter.all(&built.diagnostics, &built.loaded.sources);
    if matches!(args.stage, Stage::Tokens | Stage::Ast | Stage::Parsed)
        && !built.loaded.compiled.is_empty()
    {
        let tip = "dump its source, or a stage from core on";
        let message = "a compiled module has no words and no syntax tree".to_owned();
        return Err(usage("dump", message, tip));
    }
    let tokens = args.stage == Stage::Tokens;
    if built.has_errors() && !tokens {
        return Err(Failure(Exit::of_all(&built.diagnostics)));
    }
    if matches!(args.stage, Stage::Specialised | Stage::Strictness | Stage::Gcode | Stage::Fast) {
        passes::tell(&args.optimise, &built.report, &built.loaded.sources);
    }
    let artefact = artefact(args, &mut built)?.map_err(|known| unknown(args, &root, known))?;
    context.print(&artefact)?;
    if built.has_errors() { Err(Failure(Exit::of_all(&built.diagnostics))) } else { Ok(()) }
}

/// Returns the text of a definition of a program at a stage, for people; `None` if the program has
/// mistakes, which are reported, or no such definition, which is said too.
pub fn definition(
    root: &Source,
    name: &str,
    stage: Stage,
    level: u8,
    context: &Context,
) -> Result<Option<String>, Failure> {
    let args = Dump {
        program: Program { file: None, expr: None },
        form: Written { from: Form::Coref },
        optimise: Optimise { level, passes: Vec::new(), verbose: false },
        stage,
        only: Some(name.to_owned()),
        format: DumpFormat::Text,
    };
    let mut built = build(&args, root);
    if built.has_errors() {
        context.reporter.all(&built.diagnostics, &built.loaded.sources);
        return Ok(None);
    }
    let listing = artefact(&args, &mut built)?;
    if let Err(known) = &listing {
        let tip = match nearest(name, known.iter().map(String::as_str)) {
            Some(meant) => format!("; did you mean '{meant}'?"),
            None => String::new(),
        };
        report::write(&format!("error: there is no definition '{name}'{tip}\n"));
    }
    Ok(listing.ok())
}

/// Returns what a stage prints; or the names that there are, if the wanted one is none of them.
fn artefact(args: &Dump, built: &mut Built) -> Result<Result<String, Vec<String>>, Failure> {
    Ok(match (&built.core, &built.gcode) {
        (_, Some(program)) if args.stage == Stage::Fast => fast(args, program, built)?,
        (_, Some(program)) => gcode(args, program, built),
        (Some(program), None) if args.stage == Stage::Strictness => {
            strictness(args, program, built)
        }
        (Some(program), None) => core(args, program, built),
        (None, None) => syntax::render(args, built),
    })
}

/// Walks the chain up to the stage. Of a program with `main` what that reaches is kept, of
/// one without all its definitions.
fn build(args: &Dump, root: &Source) -> Built {
    let until = match args.stage {
        Stage::Tokens | Stage::Ast | Stage::Parsed => inspect::Stage::Syntax,
        Stage::Core => inspect::Stage::Core,
        Stage::Lifted => inspect::Stage::Lifted,
        Stage::Specialised | Stage::Strictness => inspect::Stage::Optimised,
        Stage::Gcode | Stage::Fast => inspect::Stage::Gcode,
    };
    let roots = match &args.only {
        Some(name) => EntryPoints::Named(vec![name.clone()]),
        None => EntryPoints::Main,
    };
    let mut options = Options {
        until,
        lower: core::Options { needs_main: false, roots, ..core::Options::RUN },
        optimise: passes::options(&args.optimise),
        ..Options::RUN
    };
    // JSON has the hints.
    options.optimise.verbose |= args.format == DumpFormat::Json;
    let built = inspect::build(root, &files::Files, &options);
    let without_main = built.core.as_ref().is_some_and(|program| program.main.is_none())
        || built.gcode.as_ref().is_some_and(|program| program.main.is_none());
    if args.only.is_some() || !without_main {
        return built;
    }
    options.lower.roots = EntryPoints::All;
    inspect::build(root, &files::Files, &options)
}

/// Returns whether the thing called `symbol` is the definition `only`, or was lifted out of it.
fn is_wanted(only: Option<&str>, symbol: &str) -> bool {
    only.is_none_or(|only| is_code_of(symbol, only))
}

/// Refuses a name that is none, given those that are.
fn unknown(args: &Dump, root: &Source, mut known: Vec<String>) -> Failure {
    let name = args.only.as_deref().unwrap_or_default();
    let options = Options {
        until: inspect::Stage::Core,
        lower: core::Options { needs_main: false, roots: EntryPoints::All, ..core::Options::RUN },
        ..Options::RUN
    };
    let all = inspect::build(root, &files::Files, &options).core;
    let names = all.iter().flat_map(|program| program.globals.iter());
    known.extend(names.map(|global| global.symbol.to_string()));
    let message = format!("the program has no definition '{name}'");
    let tip = match nearest(name, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => "without --only all are printed".to_owned(),
    };
    usage("dump", message, &tip)
}

/// Returns G-code; or the names that there are, if the wanted one is none of them.
fn gcode(args: &Dump, program: &program::Program, built: &Built) -> Result<String, Vec<String>> {
    let (only, sources) = (args.only.as_deref(), &built.loaded.sources);
    let wanted: Vec<GlobalId> = program
        .globals
        .enumerate()
        .filter(|(_, global)| is_wanted(only, &global.symbol))
        .map(|(id, _)| id)
        .collect();
    if wanted.is_empty() && only.is_some() {
        return Err(program.globals.iter().map(|global| global.symbol.to_string()).collect());
    }
    let mut margin = margin(sources);
    Ok(match args.format {
        DumpFormat::Text if only.is_none() => print_gcode::program(program, &mut margin),
        DumpFormat::Text => wanted
            .iter()
            .map(|&id| print_gcode::global(program, id, &mut margin))
            .collect::<Vec<_>>()
            .join("\n"),
        DumpFormat::Json => gcode_json::render(program, &wanted, hints(built), sources),
        DumpFormat::Dot => dot::render(program, &wanted),
    })
}

/// Returns compact code; or the names that there are, if the wanted one is none of them.
fn fast(
    args: &Dump,
    program: &Verified,
    built: &Built,
) -> Result<Result<String, Vec<String>>, Failure> {
    let (only, sources) = (args.only.as_deref(), &built.loaded.sources);
    let code = translate(program.clone())
        .map_err(|reason| usage("dump", reason.to_string(), "--stage gcode has its listing"))?;
    if only.is_none() && args.format == DumpFormat::Text {
        return Ok(Ok(print_fast::program(&code, &mut margin(sources))));
    }
    let symbol = |id: GlobalId| program.globals.get(id).map_or("", |global| &global.symbol);
    let wanted: Vec<GlobalId> =
        program.globals.indices().filter(|&id| is_wanted(only, symbol(id))).collect();
    if wanted.is_empty() && only.is_some() {
        return Ok(Err(program.globals.indices().map(|id| symbol(id).to_owned()).collect()));
    }
    if args.format == DumpFormat::Text {
        let listing = |&id: &GlobalId| print_fast::global(&code, id, &mut margin(sources));
        let listings = wanted.iter().map(listing);
        return Ok(Ok(listings.collect::<Vec<_>>().join("\n")));
    }
    let definitions = Array(|| {
        wanted.iter().map(|&id| Compact {
            span: program.globals.get(id).and_then(|global| json_span(global.span, sources)),
            symbol: symbol(id),
            text: print_fast::global(&code, id, &mut margin(sources)),
        })
    });
    Ok(Ok(definitions_of("fast", definitions, hints(built))))
}

/// Returns core or supercombinators; or the names that there are.
fn core(args: &Dump, program: &core::Program, built: &Built) -> Result<String, Vec<String>> {
    let names = &built.loaded.names;
    let only = args.only.as_deref();
    if only.is_none() && args.format == DumpFormat::Text {
        return Ok(print_core::program(program, names));
    }
    let has_body =
        |global: &core::Global| matches!(global.kind, core::GlobalKind::Defn { body: Some(_), .. });
    let wanted: Vec<core::GlobalId> = program
        .globals
        .enumerate()
        .filter(|(_, global)| has_body(global) && is_wanted(only, &global.symbol))
        .map(|(id, _)| id)
        .collect();
    if wanted.is_empty() && only.is_some() {
        let known = program.globals.iter().filter(|global| has_body(global));
        return Err(known.map(|global| global.symbol.to_string()).collect());
    }
    let text = |id| {
        let mut out = String::new();
        print_core::definition(program, names, id, &mut out);
        out
    };
    if args.format == DumpFormat::Text {
        return Ok(wanted.iter().copied().map(text).collect::<Vec<_>>().join("\n"));
    }
    let definitions = Array(|| {
        wanted.iter().map(|&id| Definition {
            arity: program.arity(id),
            span: json_span(program.globals[id].span, &built.loaded.sources),
            symbol: &program.globals[id].symbol,
            text: text(id),
        })
    });
    let stage = match args.stage {
        Stage::Core => "core",
        Stage::Specialised => "specialised",
        _ => "lifted",
    };
    Ok(definitions_of(stage, definitions, hints(built)))
}

/// Returns how supercombinators use their arguments; or the names that there are.
fn strictness(args: &Dump, program: &core::Program, built: &Built) -> Result<String, Vec<String>> {
    let names = &built.loaded.names;
    let only = args.only.as_deref();
    let all = rows(program, names);
    let wanted = |row: &&Row<'_>| is_wanted(only, row.symbol);
    if only.is_some() && !all.iter().any(|row| wanted(&row)) {
        return Err(all.iter().map(|row| row.symbol.to_owned()).collect());
    }
    if args.format == DumpFormat::Text {
        // A line for each row.
        let listing = listing(program, names);
        let lines = listing.lines().zip(&all).filter(|(_, row)| wanted(row));
        return Ok(lines.map(|(line, _)| format!("{line}\n")).collect());
    }
    let param = |(name, demand): &(Option<&'_ str>, Demand)| Param {
        demand: demand.words(program),
        name: name.map(str::to_owned),
    };
    let definitions = Array(|| {
        all.iter().filter(wanted).map(|row| Strictness {
            fails: row.fails,
            params: row.params.iter().map(param).collect(),
            span: json_span(program.globals[row.global].span, &built.loaded.sources),
            symbol: row.symbol,
        })
    });
    Ok(definitions_of("strictness", definitions, hints(built)))
}

// In every object the fields are in the order of their names.

#[derive(Serialize)]
struct Definitions<'a, D> {
    definitions: D,
    hints: Vec<JsonReport<'a>>,
    schema: String,
    version: u32,
}

#[derive(Serialize)]
struct Definition<'a> {
    arity: usize,
    span: Option<JsonPlace<'a>>,
    symbol: &'a str,
    text: String,
}

#[derive(Serialize)]
struct Compact<'a> {
    span: Option<JsonPlace<'a>>,
    symbol: &'a str,
    text: String,
}

#[derive(Serialize)]
struct Strictness<'a> {
    fails: bool,
    params: Vec<Param>,
    span: Option<JsonPlace<'a>>,
    symbol: &'a str,
}

#[derive(Serialize)]
struct Param {
    demand: String,
    name: Option<String>,
}

/// Returns what stands beside an instruction: the source expression that it comes from.
fn margin(sources: &SourceMap) -> impl FnMut(Span) -> Option<String> + '_ {
    |span| {
        let text = sources.text(span);
        (!text.is_empty()).then(|| short_expression(text))
    }
}

/// Returns the JSON document of a stage with its definitions, with a line end.
fn definitions_of(stage: &str, definitions: impl Serialize, hints: Vec<JsonReport<'_>>) -> String {
    let schema = format!("gmachine-{stage}");
    json_text(&Definitions { definitions, hints, schema, version: VERSION }) + "\n"
}

/// Returns why the optimiser has left calls as they are.
fn hints(built: &Built) -> Vec<JsonReport<'_>> {
    let hints = built.report.hints().iter();
    hints.map(|hint| json_report(hint, &built.loaded.sources)).collect()
}

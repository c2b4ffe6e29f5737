//! The forms that a program takes on its way, as `gmachine dump` lists them.

use gmachine::diagnostic::{SourceMap, Span};
use gmachine::gcode::print as print_gcode;
use gmachine::gcode::program::GlobalId;
use gmachine::inspect::compact::{listing as print_fast, translate};
use gmachine::inspect::core::{self, listing as strictness, print as print_core, rows};
use gmachine::inspect::syntax::{listing, print};
use gmachine::inspect::views::is_code_of;
use gmachine::inspect::{self, Built, OptimiserOptions, Options, Stage};
use gmachine::render::short_expression;
use gmachine::{EntryPoints, Passes};
use serde_json::{Value, json};

use crate::host::NoFiles;
use crate::{Request, reports};

/// Lists the program at each of the stages that are asked for.
pub fn stages(request: &Request) -> Value {
    let mut listings = Vec::new();
    let mut reports = Value::Null;
    for stage in request.texts("stages") {
        let mut built = build(request, stage);
        reports = reports::all(&built.diagnostics, &built.loaded.sources);
        if built.has_errors() && !matches!(stage, "tokens") {
            listings.push(json!({"stage": stage, "failed": true}));
            continue;
        }
        let wanted = match request.text("definition") {
            "" => Wanted::Own,
            "*" => Wanted::All,
            name => Wanted::Named(name),
        };
        listings.push(json!({"stage": stage, "text": render(stage, &mut built, &wanted)}));
    }
    json!({"reports": reports, "stages": listings})
}

/// Which definitions are listed.
enum Wanted<'a> {
    All,
    /// Those of the editor's text.
    Own,
    /// One of them, and what was lifted out of it.
    Named(&'a str),
}

impl Wanted<'_> {
    fn has(&self, symbol: &str, span: Span, sources: &SourceMap) -> bool {
        match self {
            Wanted::All => true,
            Wanted::Own => sources.file_at(span.lo).is_some_and(|file| !file.corelib),
            Wanted::Named(name) => is_code_of(symbol, name),
        }
    }
}

fn build(request: &Request, stage: &str) -> Built {
    let until = match stage {
        "tokens" | "ast" | "parsed" => Stage::Syntax,
        "core" => Stage::Core,
        "lifted" => Stage::Lifted,
        "specialised" | "strictness" => Stage::Optimised,
        _ => Stage::Gcode,
    };
    // A definition that is named is kept whether main reaches it or not.
    let roots = match request.text("definition") {
        "" | "*" => EntryPoints::Main,
        name => EntryPoints::Named(vec![name.to_owned()]),
    };
    let is_named = matches!(roots, EntryPoints::Named(_));
    let lower = core::Options { needs_main: false, roots, ..core::Options::RUN };
    let passes = Passes::level(request.level(2));
    let optimise = OptimiserOptions { passes, verbose: false };
    let mut options = Options { until, lower, optimise, ..Options::RUN };
    let built = inspect::build(&request.source(), &NoFiles, &options);
    let has_main = built.core.as_ref().is_none_or(|program| program.main.is_some())
        && built.gcode.as_ref().is_none_or(|program| program.main.is_some());
    if has_main || is_named {
        return built;
    }
    options.lower.roots = EntryPoints::All;
    inspect::build(&request.source(), &NoFiles, &options)
}

fn render(stage: &str, built: &mut Built, wanted: &Wanted<'_>) -> String {
    if let (Wanted::Named(name), "ast" | "parsed") = (wanted, stage) {
        let names = &built.loaded.names;
        built.loaded.ast.items.retain(|item| item.name.is_some_and(|of| names.text(of) == *name));
    }
    let built = &*built;
    let loaded = &built.loaded;
    let sources = &loaded.sources;
    if let Some(program) = &built.gcode {
        let globals = program.globals.enumerate();
        let ids: Vec<GlobalId> = globals
            .filter(|(_, global)| wanted.has(&global.symbol, global.span, sources))
            .map(|(id, _)| id)
            .collect();
        let mut margin = |span| {
            let text = sources.text(span);
            (!text.is_empty()).then(|| short_expression(text))
        };
        let is_all = matches!(wanted, Wanted::All);
        if stage != "fast" && is_all {
            return print_gcode::program(program, &mut margin);
        }
        if stage != "fast" {
            let texts = ids.iter().map(|&id| print_gcode::global(program, id, &mut margin));
            return texts.collect::<Vec<_>>().join("\n");
        }
        return match translate(program.clone()) {
            Ok(code) if is_all => print_fast::program(&code, &mut margin),
            Ok(code) => {
                let texts = ids.iter().map(|&id| print_fast::global(&code, id, &mut margin));
                texts.collect::<Vec<_>>().join("\n")
            }
            Err(reason) => reason.to_string(),
        };
    }
    let names = &loaded.names;
    if let Some(program) = &built.core {
        if stage == "strictness" {
            let rows = rows(program, names);
            let listing = strictness(program, names);
            let is_wanted = |row: &core::Row<'_>| {
                wanted.has(row.symbol, program.globals[row.global].span, sources)
            };
            // A line for each row.
            let lines = listing.lines().zip(&rows).filter(|(_, row)| is_wanted(row));
            return lines.map(|(line, _)| format!("{line}\n")).collect();
        }
        if matches!(wanted, Wanted::All) {
            return print_core::program(program, names);
        }
        let mut texts = Vec::new();
        for (id, global) in program.globals.enumerate() {
            let has_body = matches!(global.kind, core::GlobalKind::Defn { body: Some(_), .. });
            if has_body && wanted.has(&global.symbol, global.span, sources) {
                let mut text = String::new();
                print_core::definition(program, names, id, &mut text);
                texts.push(text);
            }
        }
        return texts.join("\n");
    }
    let is_own = |file: usize| sources.files().get(file).is_some_and(|file| !file.corelib);
    let own = (0..sources.files().len()).filter(|&file| is_own(file));
    match stage {
        "tokens" => own.map(|file| listing::tokens(sources, file)).collect(),
        "ast" => own.map(|file| listing::tree(sources, names, &loaded.ast, file)).collect(),
        _ => print::items(&loaded.ast, names, loaded.ast.items.iter().filter(|it| is_own(it.file))),
    }
}

//! Tokens and syntax trees.

use gmachine::diagnostic::{SourceFile, SourceMap, Span};
use gmachine::inspect::Built;
use gmachine::inspect::syntax::json as program_json;
use gmachine::inspect::syntax::{Balancer, Item, ItemKind, Lexer, listing, print};
use gmachine::render::one_line;
use serde::Serialize;

use super::super::args::{Dump, DumpFormat, Stage};
use super::super::report::{JsonPlace, json_span, json_text};
use super::VERSION;
use super::json::Array;

/// Returns the tokens or the syntax trees of the program's own files; or the names that there are,
/// if the wanted one is none of them.
pub fn render(args: &Dump, built: &mut Built) -> Result<String, Vec<String>> {
    if let Some(only) = &args.only {
        keep(only, built)?;
    }
    let built = &*built;
    let own = |file: &&SourceFile| !file.corelib;
    let sources = &built.loaded.sources;
    let files: Vec<usize> = (0..sources.files().len())
        .filter(|&file| sources.files().get(file).as_ref().is_some_and(own))
        .collect();
    Ok(match (args.stage, args.format) {
        (Stage::Tokens, DumpFormat::Text) => texts(sources, &files, |file| tokens(built, file)),
        (Stage::Tokens, _) => {
            let tokens = Array(|| files.iter().flat_map(|&file| tokens_json(built, file)));
            let schema = "gmachine-tokens";
            json_text(&Tokens { schema, tokens, version: VERSION }) + "\n"
        }
        (Stage::Parsed, DumpFormat::Text) => {
            let (ast, names) = (&built.loaded.ast, &built.loaded.names);
            let is_own = |item: &&Item| {
                let is_corelib = sources.files().get(item.file).is_some_and(|file| file.corelib);
                !is_corelib && !matches!(item.kind, ItemKind::ImportFile { .. })
            };
            print::items(ast, names, ast.items.iter().filter(is_own))
        }
        (Stage::Parsed, _) => {
            let loaded = &built.loaded;
            program_json::write(sources, &loaded.names, &loaded.ast, &loaded.labels)
        }
        (_, DumpFormat::Text) => texts(sources, &files, |file| tree(built, file)),
        _ => {
            let (items, schema) = (Array(|| items_json(built)), "gmachine-ast");
            json_text(&Items { items, schema, version: VERSION }) + "\n"
        }
    })
}

/// Keeps of the program's own items those called `only`.
fn keep(only: &str, built: &mut Built) -> Result<(), Vec<String>> {
    let files = built.loaded.sources.files();
    let names = &built.loaded.names;
    let items = &mut built.loaded.ast.items;
    items.retain(|item| !files[item.file].corelib);
    let wanted = |item: &Item| item.name.is_some_and(|name| names.text(name) == only);
    if !items.iter().any(wanted) {
        return Err(items.iter().filter_map(|i| Some(names.text(i.name?).to_owned())).collect());
    }
    items.retain(wanted);
    Ok(())
}

/// Returns the parts of all files, under the file's name if they are several.
fn texts(sources: &SourceMap, files: &[usize], text: impl Fn(usize) -> String) -> String {
    let parts = files.iter().map(|&file| (file, text(file))).filter(|(_, text)| !text.is_empty());
    let parts: Vec<(usize, String)> = parts.collect();
    if let [(_, text)] = parts.as_slice() {
        return text.clone();
    }
    let titled = parts
        .iter()
        .map(|(file, text)| format!("; {}\n{text}", one_line(&sources.files()[*file].name)));
    titled.collect::<Vec<_>>().join("\n")
}

/// Returns the tokens of a file, or of the items that were kept of it.
fn tokens(built: &Built, file: usize) -> String {
    listing::tokens(&built.loaded.sources, file)
}

fn tree(built: &Built, file: usize) -> String {
    listing::tree(&built.loaded.sources, &built.loaded.names, &built.loaded.ast, file)
}

// In every object the fields are in the order of their names.

#[derive(Serialize)]
struct Tokens<T> {
    schema: &'static str,
    tokens: T,
    version: u32,
}

#[derive(Serialize)]
struct TokenObject<'a> {
    kind: &'static str,
    span: Option<JsonPlace<'a>>,
    text: &'a str,
}

#[derive(Serialize)]
struct Items<I> {
    items: I,
    schema: &'static str,
    version: u32,
}

#[derive(Serialize)]
struct ItemObject<'a> {
    body: Option<String>,
    kind: &'static str,
    name: Option<&'a str>,
    span: Option<JsonPlace<'a>>,
}

fn tokens_json(built: &Built, file: usize) -> impl Iterator<Item = TokenObject<'_>> {
    let sources = &built.loaded.sources;
    let source = &sources.files()[file];
    Balancer::new(Lexer::new(&source.text, source.base)).map(|(lo, token, hi)| {
        let span = Span::new(lo, hi);
        let (kind, text) = (token.kind(), sources.written_text(span));
        TokenObject { kind, span: json_span(span, sources), text }
    })
}

fn items_json(built: &Built) -> impl Iterator<Item = ItemObject<'_>> {
    let loaded = &built.loaded;
    let own = loaded.ast.items.iter().filter(|item| !loaded.sources.files()[item.file].corelib);
    own.map(|item| {
        let (kind, body) = match item.kind {
            ItemKind::Defn { body, .. } => {
                let expression =
                    listing::expression(&loaded.sources, &loaded.names, &loaded.ast, body);
                ("defn", Some(expression))
            }
            ItemKind::Data { .. } => ("data", None),
            ItemKind::ImportFile { .. } | ItemKind::ImportModule => ("import", None),
        };
        ItemObject {
            body,
            kind,
            name: item.name.map(|name| loaded.names.text(name)),
            span: json_span(item.span, &loaded.sources),
        }
    })
}

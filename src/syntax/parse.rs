//! Tokens to tree: the lexer, the balancer, the grammar and the builder put together.

use super::ast::{Ast, Expr, ExprId};
use super::balance::Balancer;
use super::build::{Builder, Wanted};
use super::directive::Directives;
use super::grammar::ProgramParser;
use super::lex::Lexer;
use super::report::Reports;
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::name::Interner;
use crate::base::source::SourceMap;
use crate::base::span::Span;

/// Parses file `file` of `sources` and adds its items to `ast`. Mistakes are added to
/// `diagnostics` in the order of their places; where one stands, the tree has an error node.
/// A file that the map does not have has no items. Returns what the text says about where it
/// comes from; nothing, if it has mistakes: reports about those show the text itself.
pub fn parse_file(
    sources: &SourceMap,
    file: usize,
    names: &mut Interner,
    ast: &mut Ast,
    diagnostics: &mut Vec<Diagnostic>,
) -> Directives {
    let parsed = parse(sources, file, Wanted::File, names, ast, diagnostics);
    parsed.map(|(directives, _)| directives).unwrap_or_default()
}

/// Parses file `file` of `sources`, whose text is to be one expression. After a mistake it
/// is an [`Expr::Error`], or holds one.
pub fn parse_expression(
    sources: &SourceMap,
    file: usize,
    names: &mut Interner,
    ast: &mut Ast,
    diagnostics: &mut Vec<Diagnostic>,
) -> ExprId {
    match parse(sources, file, Wanted::Expression, names, ast, diagnostics) {
        Some((_, Some(expr))) => expr,
        _ => ast.expr(Expr::Error, Span::NONE),
    }
}

/// How many texts without an end are looked at for brackets that they have swallowed.
const TEXTS: usize = 20;

/// Returns whether a text without an end, or another one before it on its line, has brackets in it: they
/// are likely to be those that are missing.
fn has_swallowed(text: &str, base: u32, open: Span) -> bool {
    let at = |position: u32| position.saturating_sub(base) as usize;
    let before = text.get(..at(open.hi)).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.find('"').is_some_and(|quote| line[quote..].contains(['(', ')', '[', ']']))
}

fn parse(
    sources: &SourceMap,
    file: usize,
    wanted: Wanted,
    names: &mut Interner,
    ast: &mut Ast,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Directives, Option<ExprId>)> {
    let source = sources.files().get(file)?;
    let mut tokens = Balancer::new(Lexer::new(&source.text, source.base));
    let mut builder = Builder::new(&source.text, source.base, file, wanted, names, ast);
    if let Err(error) = ProgramParser::new().parse(&mut builder, &mut tokens) {
        builder.unexpected(error);
    }
    let directives = tokens.take_directives();
    let (mut lexical, mut brackets, mut broken) = tokens.finish();
    lexical.drop_inside(&builder.covered());
    let swallows = |region: &&Span| {
        let texts = lexical.places(Code::UnclosedQuote).take_while(|span| span.lo < region.hi);
        texts
            .take(TEXTS)
            .any(|span| region.lo <= span.lo && has_swallowed(&source.text, source.base, span))
    };
    brackets.drop_inside(&broken.iter().filter(swallows).copied().collect::<Vec<_>>());
    let silent = lexical.total() + brackets.total() + builder.reports.total() > 0;
    let expression =
        (wanted == Wanted::Expression).then(|| builder.the_expression(source.span(), silent));
    builder.judge_extra(&mut brackets);
    builder.judge_lines();
    for region in builder.unopened() {
        // Unless the bracket has said all of the keyword.
        if builder.reports.has_inside(region) && brackets.drop_of(Code::ExtraBracket, region) {
            // What is said of the keyword says all of the brackets.
            let is_apart = |part: &Span| part.hi <= region.lo || region.hi <= part.lo;
            broken.retain(|part| is_apart(part) || brackets.has_inside(*part));
        }
    }
    builder.distrust(&broken);
    let is_sound = lexical.total() + brackets.total() + builder.reports.total() == 0;
    let before = diagnostics.len();
    Reports::merge([lexical, brackets, builder.reports], diagnostics);
    if !is_sound {
        ast.doubts.note(&source.text, source.base, &diagnostics[before..], &broken, names);
    }
    Some((if is_sound { directives } else { Directives::default() }, expression))
}

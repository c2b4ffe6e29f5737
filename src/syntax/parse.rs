//! Tokens to tree: the lexer, the balancer, the grammar and the builder put together.

use super::ast::{Ast, Expr, ExprId};
use super::balance::Balancer;
use super::build::{Builder, Wanted};
use super::directive::Directives;
use super::grammar::ProgramParser;
use super::lex::Lexer;
use super::report::Reports;
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
    let (mut lexical, brackets, broken) = tokens.finish();
    lexical.drop_inside(&builder.covered());
    let silent = lexical.total() + brackets.total() + builder.reports.total() > 0;
    let expression =
        (wanted == Wanted::Expression).then(|| builder.the_expression(source.span(), silent));
    builder.judge_lines();
    builder.distrust(&broken);
    let is_sound = lexical.total() + brackets.total() + builder.reports.total() == 0;
    Reports::merge([lexical, brackets, builder.reports], diagnostics);
    Some((if is_sound { directives } else { Directives::default() }, expression))
}

//! Tokens to tree: the lexer, the balancer, the grammar and the builder put together.

use super::ast::{Ast, Expr, ExprId};
use super::balance::Balancer;
use super::build::{Builder, Wanted};
use super::grammar::ProgramParser;
use super::lex::Lexer;
use super::report::Reports;
use crate::base::diagnostic::Diagnostic;
use crate::base::name::Interner;
use crate::base::source::SourceMap;
use crate::base::span::Span;

/// Parses file `file` of `sources` and adds its items to `ast`. Mistakes are added to
/// `diagnostics` in the order of their places; where one stands, the tree has an error node.
/// A file that the map does not have has no items.
pub fn parse_file(
    sources: &SourceMap,
    file: usize,
    names: &mut Interner,
    ast: &mut Ast,
    diagnostics: &mut Vec<Diagnostic>,
) {
    parse(sources, file, Wanted::File, names, ast, diagnostics);
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
        Some(expr) => expr,
        None => ast.expr(Expr::Error, Span::NONE),
    }
}

fn parse(
    sources: &SourceMap,
    file: usize,
    wanted: Wanted,
    names: &mut Interner,
    ast: &mut Ast,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<ExprId> {
    let source = sources.files().get(file)?;
    let mut tokens = Balancer::new(Lexer::new(&source.text, source.base));
    let mut builder = Builder::new(&source.text, source.base, file, wanted, names, ast);
    if let Err(error) = ProgramParser::new().parse(&mut builder, &mut tokens) {
        builder.unexpected(error);
    }
    let (lexical, brackets, broken) = tokens.finish();
    let silent = lexical.total() + brackets.total() + builder.reports.total() > 0;
    let expression =
        (wanted == Wanted::Expression).then(|| builder.the_expression(source.span(), silent));
    builder.distrust(&broken);
    Reports::merge([lexical, brackets, builder.reports], diagnostics);
    expression
}

//! Listings of tokens and of the tree, for people who want to see what was read.

use std::fmt::Write as _;

use super::ast::{Ast, Binder, Expr, ExprId, ItemKind, Pat, PatId};
use super::balance::Balancer;
use super::lex::Lexer;
use crate::base::index::List;
use crate::base::name::Interner;
use crate::base::quote::{char_literal, for_message, string_literal};
use crate::base::source::SourceMap;
use crate::base::span::Span;

/// Deeper nodes are indented no further and show their depth instead, so that the listing
/// stays linear in the tree.
const DEEPEST: usize = 40;

/// Returns the tokens of file `file`, one a line: `line:column kind text`. A bracket that the
/// balancer supplied has no text. Empty for a file that the map does not have.
#[must_use]
pub fn tokens(sources: &SourceMap, file: usize) -> String {
    let mut out = String::new();
    let Some(source) = sources.files().get(file) else { return out };
    // Lines are counted along the way: looking each up would cost a search.
    let (mut line, mut line_start, mut seen) = (1u32, 0usize, 0usize);
    let mut column_at = (0usize, 1u32);
    for (lo, tok, hi) in Balancer::new(Lexer::new(&source.text, source.base)) {
        let (from, to) = ((lo - source.base) as usize, (hi - source.base) as usize);
        if let Some(between) = source.text.get(seen..from.max(seen)) {
            if let Some(last) = between.rfind('\n') {
                line += between.bytes().filter(|&byte| byte == b'\n').count() as u32;
                line_start = seen + last + 1;
                column_at = (line_start, 1);
            }
            let start = column_at.0.max(line_start);
            let more = source.text.get(start..from).map_or(0, |text| text.chars().count());
            column_at = (from, column_at.1 + more as u32);
            seen = from;
        }
        let text = source.text.get(from..to).unwrap_or_default();
        let _ = writeln!(out, "{line}:{} {} {}", column_at.1, tok.kind(), for_message(text));
    }
    out
}

/// Returns the tree of all items of file `file`, one node a line, children indented under their
/// parents: `kind details line:column`.
#[must_use]
pub fn tree(sources: &SourceMap, names: &Interner, ast: &Ast, file: usize) -> String {
    let mut lister = Lister { sources, names, ast, out: String::new(), work: Vec::new() };
    for item in ast.items.iter().filter(|item| item.file == file) {
        let name = item.name.map_or("_", |name| names.text(name));
        match &item.kind {
            ItemKind::Defn { params, body } => {
                let params = lister.binders(*params);
                lister.line(0, &format!("defn {}{params}", for_message(name)), item.span);
                lister.work.push((Node::Expr(*body), 1));
                lister.run();
            }
            ItemKind::Data { cons } => {
                lister.line(0, &format!("data {}", for_message(name)), item.span);
                for con in cons {
                    let fields = lister.binders(con.fields);
                    lister.line(
                        1,
                        &format!("con {}{fields}", for_message(names.text(con.name))),
                        con.span,
                    );
                }
            }
            ItemKind::ImportFile { path } => {
                lister.line(0, &format!("import file {}", string_literal(path)), item.span);
            }
            ItemKind::ImportModule => {
                lister.line(0, &format!("import module {}", for_message(name)), item.span);
            }
        }
    }
    lister.out
}

/// Returns the tree of one expression, as [`tree`] shows it.
#[must_use]
pub fn expression(sources: &SourceMap, names: &Interner, ast: &Ast, expr: ExprId) -> String {
    let work = vec![(Node::Expr(expr), 0)];
    let mut lister = Lister { sources, names, ast, out: String::new(), work };
    lister.run();
    lister.out
}

/// Something with a line of its own.
#[derive(Clone, Copy)]
enum Node {
    Expr(ExprId),
    Pat(PatId),
    /// `[x e]`
    Bind(Binder, ExprId),
    /// `[pat e]`
    Alt(PatId, ExprId),
}

struct Lister<'a> {
    sources: &'a SourceMap,
    names: &'a Interner,
    ast: &'a Ast,
    out: String,
    /// Nodes and their depths, last first.
    work: Vec<(Node, usize)>,
}

impl Lister<'_> {
    fn line(&mut self, depth: usize, text: &str, span: Span) {
        for _ in 0..depth.min(DEEPEST) {
            self.out.push_str("  ");
        }
        if depth > DEEPEST {
            let _ = write!(self.out, "(depth {depth}) ");
        }
        self.out.push_str(text);
        if let Some(place) = self.sources.place(span) {
            let _ = write!(self.out, "  {}:{}", place.line, place.column);
        }
        self.out.push('\n');
    }

    fn binder(&self, binder: Binder) -> String {
        for_message(binder.name.map_or("_", |name| self.names.text(name)))
    }

    fn binders(&self, list: List<Binder>) -> String {
        let texts: Vec<_> =
            self.ast.binders[list].iter().map(|&binder| self.binder(binder)).collect();
        format!("[{}]", texts.join(" "))
    }

    fn run(&mut self) {
        while let Some((node, depth)) = self.work.pop() {
            let below = self.work.len();
            match node {
                Node::Expr(expr) => self.expr(expr, depth),
                Node::Pat(pat) => self.pat(pat, depth),
                Node::Bind(binder, value) => {
                    self.line(depth, &format!("bind {}", self.binder(binder)), binder.span);
                    self.work.push((Node::Expr(value), depth + 1));
                }
                Node::Alt(pat, body) => {
                    self.line(depth, "alt", self.ast.pat_spans[pat]);
                    self.work.push((Node::Pat(pat), depth + 1));
                    self.work.push((Node::Expr(body), depth + 1));
                }
            }
            // Pushed in order, popped from the end.
            if let Some(children) = self.work.get_mut(below..) {
                children.reverse();
            }
        }
    }

    fn expr(&mut self, id: ExprId, depth: usize) {
        let ast = self.ast;
        let text = match ast.exprs[id] {
            Expr::Int(value) => format!("int {value}"),
            Expr::Big(value) => format!("int {}", for_message(&ast.bigs[value].to_string())),
            Expr::Float(value) => format!("float {value}"),
            Expr::Char(c) => format!("char {}", char_literal(c)),
            Expr::Text(text) => format!("string \"{}\"", for_message(&ast.texts[text])),
            Expr::Name(name) => format!("name {}", for_message(self.names.text(name))),
            Expr::App(..) => "app".to_string(),
            Expr::List(..) => "list".to_string(),
            Expr::Let(..) => "let".to_string(),
            Expr::Letrec(..) => "letrec".to_string(),
            Expr::Fn(params, _) => format!("fn {}", self.binders(params)),
            Expr::Case(..) => "case".to_string(),
            Expr::Compiled(..) => "compiled".to_string(),
            Expr::Error => "error".to_string(),
        };
        self.line(depth, &text, ast.expr_spans[id]);
        let depth = depth + 1;
        let expr = |&expr: &ExprId| (Node::Expr(expr), depth);
        match ast.exprs[id] {
            Expr::App(f, arguments) => {
                self.work.push(expr(&f));
                self.work.extend(ast.expr_lists[arguments].iter().map(expr));
            }
            Expr::List(elements) => self.work.extend(ast.expr_lists[elements].iter().map(expr)),
            Expr::Let(list, body) | Expr::Letrec(list, body) => {
                let bindings = ast.bindings[list].iter();
                self.work.extend(bindings.map(|b| (Node::Bind(b.binder, b.value), depth)));
                self.work.push(expr(&body));
            }
            Expr::Fn(_, body) => self.work.push(expr(&body)),
            Expr::Case(scrutinee, alts) => {
                self.work.push(expr(&scrutinee));
                let alts = ast.alts[alts].iter();
                self.work.extend(alts.map(|alt| (Node::Alt(alt.pat, alt.body), depth)));
            }
            Expr::Int(_) | Expr::Big(_) | Expr::Float(_) | Expr::Char(_) | Expr::Text(_) => {}
            Expr::Name(_) | Expr::Compiled(..) | Expr::Error => {}
        }
    }

    fn pat(&mut self, id: PatId, depth: usize) {
        let ast = self.ast;
        let text = match ast.pats[id] {
            Pat::Wildcard => "wildcard".to_string(),
            Pat::Name(name) => format!("name {}", for_message(self.names.text(name))),
            Pat::Int(value) => format!("int {value}"),
            Pat::Big(value) => format!("int {}", for_message(&ast.bigs[value].to_string())),
            Pat::Char(c) => format!("char {}", char_literal(c)),
            Pat::Text(text) => format!("string \"{}\"", for_message(&ast.texts[text])),
            Pat::Con(name, _, _) => format!("con {}", for_message(self.names.text(name))),
            Pat::Error => "error".to_string(),
        };
        self.line(depth, &text, ast.pat_spans[id]);
        if let Pat::Con(_, _, fields) = ast.pats[id] {
            let fields = ast.pat_lists[fields].iter();
            self.work.extend(fields.map(|&field| (Node::Pat(field), depth + 1)));
        }
    }
}

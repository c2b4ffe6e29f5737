//! Tree to text: CoreF that parses to the same tree.
//!
//! What fits a line stands on one; else a form is broken after its head, its parts indented
//! by two. Children stand before their parents in the arena, so one pass tells how wide each
//! tree is, and printing is a walk with a work list: linear, and deep trees take no stack.

use super::ast::{Alt, Ast, Binder, Binding, Expr, ExprId, Item, ItemKind, Pat, PatId};
use crate::base::index::{IndexVec, List};
use crate::base::name::Interner;
use crate::base::quote::{char_literal, string_literal};

/// The greatest width of a line, in bytes.
const WIDTH: u32 = 90;
/// Deeper lines are indented no further, so that the text stays linear in the tree.
const DEEPEST: u32 = 40;

/// Returns all items of the tree as text, a blank line between two.
#[must_use]
pub fn program(ast: &Ast, names: &Interner) -> String {
    items(ast, names, &ast.items)
}

/// Returns some items of the tree as text, a blank line between two.
#[must_use]
pub fn items<'i>(ast: &Ast, names: &Interner, items: impl IntoIterator<Item = &'i Item>) -> String {
    let mut printer = Printer::new(ast, names);
    for (count, item) in items.into_iter().enumerate() {
        if count > 0 {
            printer.out.push('\n');
        }
        printer.item(item);
        printer.run();
        printer.out.push('\n');
    }
    printer.out
}

/// Returns an expression as text, without a line end.
#[must_use]
pub fn expression(ast: &Ast, names: &Interner, expr: ExprId) -> String {
    let mut printer = Printer::new(ast, names);
    printer.work.push(Work::Expr(expr, 0));
    printer.run();
    printer.out
}

/// A step of the printer. Numbers are indentations.
enum Work {
    Text(&'static str),
    /// A blank.
    Space,
    /// A line break, with this indentation after it.
    Line(u32),
    Expr(ExprId, u32),
    Pat(PatId),
    Binding(Binding, u32),
    Alt(Alt, u32),
}

struct Printer<'a> {
    ast: &'a Ast,
    names: &'a Interner,
    /// The width of each expression and pattern on one line, in bytes.
    widths: IndexVec<ExprId, u32>,
    pat_widths: IndexVec<PatId, u32>,
    out: String,
    /// The offset in `out` at which the present line starts.
    line: usize,
    /// Last first.
    work: Vec<Work>,
}

impl<'a> Printer<'a> {
    fn new(ast: &'a Ast, names: &'a Interner) -> Printer<'a> {
        let mut printer = Printer {
            ast,
            names,
            widths: IndexVec::new(),
            pat_widths: IndexVec::new(),
            out: String::new(),
            line: 0,
            work: Vec::new(),
        };
        for pat in ast.pats.iter() {
            let width = printer.pat_width(pat);
            printer.pat_widths.push(width);
        }
        for expr in ast.exprs.iter() {
            let width = printer.expr_width(expr);
            printer.widths.push(width);
        }
        printer
    }

    fn name_width(&self, name: crate::base::name::Name) -> u32 {
        self.names.text(name).len() as u32
    }

    fn binder_width(&self, binder: &Binder) -> u32 {
        binder.name.map_or(1, |name| self.name_width(name))
    }

    fn binders_width(&self, list: List<Binder>) -> u32 {
        sum(self.ast.binders[list].iter().map(|binder| self.binder_width(binder)))
    }

    fn pat_width(&self, pat: &Pat) -> u32 {
        match *pat {
            Pat::Wildcard => 1,
            Pat::Name(name) => self.name_width(name),
            Pat::Int(value) => int_width(value),
            Pat::Big(_) => WIDTH,
            Pat::Char(c) => char_literal(c).len() as u32,
            Pat::Text(text) => self.ast.texts[text].len() as u32 + 2,
            Pat::Con(name, _, fields) => {
                let fields = self.ast.pat_lists[fields].iter().map(|&field| self.pat_widths[field]);
                sum(fields).saturating_add(self.name_width(name) + 3)
            }
            Pat::Error => 7,
        }
    }

    fn expr_width(&self, expr: &Expr) -> u32 {
        let of = |expr: ExprId| self.widths[expr];
        match *expr {
            Expr::Int(value) => int_width(value),
            Expr::Big(_) => WIDTH,
            Expr::Float(value) => value.to_string().len() as u32,
            Expr::Char(c) => char_literal(c).len() as u32,
            Expr::Text(text) => self.ast.texts[text].len() as u32 + 2,
            Expr::Name(name) => self.name_width(name),
            Expr::App(f, arguments) => {
                let arguments = self.ast.expr_lists[arguments].iter().map(|&argument| of(argument));
                sum(arguments).saturating_add(of(f)).saturating_add(3)
            }
            Expr::List(elements) => {
                sum(self.ast.expr_lists[elements].iter().map(|&element| of(element)))
                    .saturating_add(2)
            }
            Expr::Let(bindings, body) | Expr::Letrec(bindings, body) => {
                let bindings = self.ast.bindings[bindings].iter().map(|binding| {
                    of(binding.value).saturating_add(self.binder_width(&binding.binder) + 3)
                });
                sum(bindings).saturating_add(of(body)).saturating_add(12)
            }
            Expr::Fn(params, body) => {
                self.binders_width(params).saturating_add(of(body)).saturating_add(8)
            }
            Expr::Case(scrutinee, alts) => {
                let alts = self.ast.alts[alts].iter().map(|alt| {
                    of(alt.body).saturating_add(self.pat_widths[alt.pat]).saturating_add(3)
                });
                sum(alts).saturating_add(of(scrutinee)).saturating_add(8)
            }
            Expr::Compiled(..) => 10,
            Expr::Error => 7,
        }
    }

    /// Returns the column at which the next character stands, from 0, in bytes.
    fn column(&self) -> u32 {
        (self.out.len() - self.line) as u32
    }

    /// Returns whether `width` more characters fit the line, and the brackets that close after
    /// them.
    fn fits(&self, width: u32) -> bool {
        self.column().saturating_add(width) <= WIDTH
    }

    fn run(&mut self) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Text(text) => self.out.push_str(text),
                Work::Space => self.out.push(' '),
                Work::Line(indent) => {
                    self.out.push('\n');
                    self.line = self.out.len();
                    let indent = indent.min(DEEPEST) as usize;
                    self.out.extend(std::iter::repeat_n(' ', indent));
                }
                Work::Expr(expr, indent) => self.expr(expr, indent),
                Work::Pat(pat) => self.pat(pat),
                Work::Binding(binding, indent) => {
                    self.out.push('[');
                    self.binder(&binding.binder);
                    self.out.push(' ');
                    self.work.push(Work::Text("]"));
                    self.work.push(Work::Expr(binding.value, indent + 2));
                }
                Work::Alt(alt, indent) => {
                    let width = self.widths[alt.body].saturating_add(self.pat_widths[alt.pat]);
                    let flat = self.fits(width.saturating_add(3));
                    self.out.push('[');
                    self.work.push(Work::Text("]"));
                    self.work.push(Work::Expr(alt.body, indent + 2));
                    self.work.push(if flat { Work::Space } else { Work::Line(indent + 2) });
                    self.work.push(Work::Pat(alt.pat));
                }
            }
        }
    }

    /// Pushes `parts` so that they are printed in order, each after a separator.
    fn parts(&mut self, flat: bool, indent: u32, parts: impl DoubleEndedIterator<Item = Work>) {
        for part in parts.rev() {
            self.work.push(part);
            self.work.push(if flat { Work::Space } else { Work::Line(indent) });
        }
    }

    fn binder(&mut self, binder: &Binder) {
        let text = binder.name.map_or("_", |name| self.names.text(name));
        self.out.push_str(text);
    }

    fn params(&mut self, list: List<Binder>) {
        let ast = self.ast;
        self.out.push('[');
        for (count, binder) in ast.binders[list].iter().enumerate() {
            if count > 0 {
                self.out.push(' ');
            }
            self.binder(binder);
        }
        self.out.push(']');
    }

    fn expr(&mut self, id: ExprId, indent: u32) {
        let ast = self.ast;
        let flat = self.fits(self.widths[id]);
        let inner = indent + 2;
        match ast.exprs[id] {
            Expr::Int(value) => self.out.push_str(&value.to_string()),
            Expr::Big(value) => self.out.push_str(&ast.bigs[value].to_string()),
            Expr::Float(value) => self.out.push_str(&value.to_string()),
            Expr::Char(c) => self.out.push_str(&char_literal(c)),
            Expr::Text(text) => self.out.push_str(&string_literal(&ast.texts[text])),
            Expr::Name(name) => self.out.push_str(self.names.text(name)),
            Expr::App(f, arguments) => {
                self.out.push('(');
                self.work.push(Work::Text(")"));
                let arguments = &ast.expr_lists[arguments];
                // What is decided or evaluated first stands beside its word.
                let beside = match ast.exprs[f] {
                    Expr::Name(name) if matches!(self.names.text(name), "if" | "seq") => 1,
                    _ => 0,
                };
                let (first, others) = arguments.split_at(beside.min(arguments.len()));
                let part = |&argument: &ExprId| Work::Expr(argument, inner);
                self.parts(flat, inner, others.iter().map(part));
                self.parts(true, inner, first.iter().map(part));
                self.work.push(Work::Expr(f, inner));
            }
            Expr::List(elements) => {
                self.out.push('[');
                self.work.push(Work::Text("]"));
                let elements = &ast.expr_lists[elements];
                let parts = elements.iter().map(|&element| Work::Expr(element, indent + 1));
                self.parts(flat, indent + 1, parts);
                // No separator before the first.
                if !elements.is_empty() {
                    self.work.pop();
                }
            }
            Expr::Let(bindings, body) => self.let_("(let (", bindings, body, flat, indent),
            Expr::Letrec(bindings, body) => self.let_("(letrec (", bindings, body, flat, indent),
            Expr::Fn(params, body) => {
                self.out.push_str("(fn ");
                self.params(params);
                self.work.push(Work::Text(")"));
                self.parts(flat, inner, std::iter::once(Work::Expr(body, inner)));
            }
            Expr::Case(scrutinee, alts) => {
                self.out.push_str("(case ");
                self.work.push(Work::Text(")"));
                let alts = ast.alts[alts].iter();
                self.parts(flat, inner, alts.map(|&alt| Work::Alt(alt, inner)));
                self.work.push(Work::Expr(scrutinee, indent + 6));
            }
            Expr::Compiled(..) => self.out.push_str("<compiled>"),
            Expr::Error => self.out.push_str("<error>"),
        }
    }

    fn let_(&mut self, head: &str, list: List<Binding>, body: ExprId, flat: bool, indent: u32) {
        self.out.push_str(head);
        let inner = indent + 2;
        let column = indent + head.len() as u32;
        self.work.push(Work::Text(")"));
        self.parts(flat, inner, std::iter::once(Work::Expr(body, inner)));
        self.work.push(Work::Text(")"));
        let ast = self.ast;
        let bindings = &ast.bindings[list];
        self.parts(flat, column, bindings.iter().map(|&binding| Work::Binding(binding, column)));
        if !bindings.is_empty() {
            self.work.pop();
        }
    }

    /// Prints a pattern, by the work list: patterns nest as deep as the source has them.
    fn pat(&mut self, id: PatId) {
        let ast = self.ast;
        match ast.pats[id] {
            Pat::Wildcard => self.out.push('_'),
            Pat::Name(name) => self.out.push_str(self.names.text(name)),
            Pat::Int(value) => self.out.push_str(&value.to_string()),
            Pat::Big(value) => self.out.push_str(&ast.bigs[value].to_string()),
            Pat::Char(c) => self.out.push_str(&char_literal(c)),
            Pat::Text(text) => self.out.push_str(&string_literal(&ast.texts[text])),
            Pat::Con(name, _, fields) => {
                self.out.push('(');
                self.out.push_str(self.names.text(name));
                self.work.push(Work::Text(")"));
                let fields = ast.pat_lists[fields].iter();
                self.parts(true, 0, fields.map(|&field| Work::Pat(field)));
            }
            Pat::Error => self.out.push_str("<error>"),
        }
    }

    fn item(&mut self, item: &Item) {
        self.line = self.out.len();
        let name = item.name.map_or("_", |name| self.names.text(name));
        match &item.kind {
            ItemKind::Defn { params, body } => {
                self.out.push_str("(defn ");
                self.out.push_str(name);
                self.params(*params);
                let flat = self.fits(self.widths[*body].saturating_add(2));
                self.work.push(Work::Text(")"));
                self.parts(flat, 2, std::iter::once(Work::Expr(*body, 2)));
            }
            ItemKind::Data { cons } => {
                self.out.push_str("(data ");
                self.out.push_str(name);
                for con in cons {
                    let fields = self.binders_width(con.fields);
                    if self.fits(fields.saturating_add(self.name_width(con.name) + 5)) {
                        self.out.push(' ');
                    } else {
                        self.out.push_str("\n  ");
                        self.line = self.out.len() - 2;
                    }
                    self.out.push('(');
                    self.out.push_str(self.names.text(con.name));
                    let ast = self.ast;
                    for field in &ast.binders[con.fields] {
                        self.out.push(' ');
                        self.binder(field);
                    }
                    self.out.push(')');
                }
                self.out.push(')');
            }
            ItemKind::ImportFile { path } => {
                self.out.push_str("(import ");
                self.out.push_str(&string_literal(path));
                self.out.push(')');
            }
            ItemKind::ImportModule => {
                self.out.push_str("(import ");
                self.out.push_str(name);
                self.out.push(')');
            }
        }
    }
}

/// Returns the sum of widths with a blank between two.
fn sum(widths: impl Iterator<Item = u32>) -> u32 {
    widths.fold(0, |total: u32, width| total.saturating_add(width).saturating_add(1))
}

fn int_width(value: i64) -> u32 {
    value.unsigned_abs().checked_ilog10().unwrap_or(0) + 1 + u32::from(value < 0)
}

#[cfg(test)]
#[path = "print_tests.rs"]
mod tests;

//! Core as text: CoreF and what pattern matching adds to it.
//!
//! `(force [x e] body)` evaluates `e` and calls it `x`. `(switch x [(Con y) ..] [else ..])`
//! branches on an evaluated local, `(switch (force x) ..)` evaluates it first.
//! `(join [(j x) a] b)` is `b`, which goes on with `a` where it comes to `(jump j e)`;
//! `(no-match)` is a case without a fitting alternative. Locals are named as in the source,
//! and told apart by a number: `x`, `x'1`, `x'2`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::expr::{
    Branches, ConId, Expr, ExprId, GlobalId, GlobalKind, JoinId, Lit, LocalId, Program, SwitchId,
};
use crate::base::name::Interner;
use crate::base::quote::{char_literal, for_message, string_literal};
use crate::base::stack::ensure_sufficient_stack;

/// The width of a line in characters, beyond which it is broken.
const WIDTH: usize = 90;
/// The deepest nesting that is indented. The text stays linear in the program.
const DEEPEST: usize = 60;

/// Returns all definitions of a program that have a body, in the order of its globals.
#[must_use]
pub fn program(program: &Program, names: &Interner) -> String {
    let mut out = String::new();
    for id in program.globals.indices() {
        definition(program, names, id, &mut out);
    }
    out
}

/// Appends one definition, if it has a body.
pub fn definition(program: &Program, names: &Interner, id: GlobalId, out: &mut String) {
    let global = &program.globals[id];
    let GlobalKind::Defn { params, body: Some(body) } = global.kind else { return };
    let mut printer = Printer {
        program,
        names,
        locals: FxHashMap::default(),
        joins: FxHashMap::default(),
        taken: FxHashSet::default(),
        next: FxHashMap::default(),
    };
    let params: Vec<Doc> =
        program.local_lists[params].iter().map(|&param| printer.bind(param)).collect();
    let head = Doc::atom(format!("{}{}", for_message(&global.symbol), Doc::square(params).flat()));
    let body = printer.expr(body);
    Doc::round(2, vec![Doc::atom("defn"), head, body]).write(0, 0, out);
    out.push('\n');
}

/// Text in brackets, to be laid out.
struct Doc {
    kind: DocKind,
    /// Its width on one line.
    width: usize,
}

enum DocKind {
    Atom(String),
    /// An opening bracket, how many items stay on its line (0: one does, and the others stand
    /// below it), the items.
    Group(char, usize, Vec<Doc>),
}

impl Doc {
    fn atom(text: impl Into<String>) -> Doc {
        let text = text.into();
        Doc { width: text.chars().count(), kind: DocKind::Atom(text) }
    }

    fn group(open: char, head: usize, items: Vec<Doc>) -> Doc {
        let width = items
            .iter()
            .fold(2 + items.len().saturating_sub(1), |sum, item| sum.saturating_add(item.width));
        Doc { width, kind: DocKind::Group(open, head, items) }
    }

    fn round(head: usize, items: Vec<Doc>) -> Doc {
        Doc::group('(', head, items)
    }

    fn square(items: Vec<Doc>) -> Doc {
        Doc::group('[', items.len(), items)
    }

    fn flat(&self) -> String {
        let mut out = String::new();
        self.write_flat(&mut out);
        out
    }

    /// Writes it on one line. Only what is narrower than a line is, so this does not nest deeply.
    fn write_flat(&self, out: &mut String) {
        match &self.kind {
            DocKind::Atom(text) => out.push_str(text),
            DocKind::Group(open, _, items) => ensure_sufficient_stack(|| {
                out.push(*open);
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(' ');
                    }
                    item.write_flat(out);
                }
                out.push(close(*open));
            }),
        }
    }

    /// Writes it at a column; `after` brackets are closed after it.
    fn write(&self, column: usize, after: usize, out: &mut String) {
        let fits = column.saturating_add(self.width).saturating_add(after) <= WIDTH;
        match &self.kind {
            DocKind::Group(open, head, items) if !fits => ensure_sufficient_stack(|| {
                out.push(*open);
                let indent = (column + if *open == '(' && *head > 0 { 2 } else { 1 }).min(DEEPEST);
                let mut here = column + 1;
                for (at, item) in items.iter().enumerate() {
                    if at >= *head.max(&1) {
                        out.push('\n');
                        out.extend(std::iter::repeat_n(' ', indent));
                        here = indent;
                    } else if at > 0 {
                        out.push(' ');
                        here += 1;
                    }
                    let after = if at + 1 == items.len() { after + 1 } else { 0 };
                    item.write(here, after, out);
                    here = here.saturating_add(item.width);
                }
                out.push(close(*open));
            }),
            _ => self.write_flat(out),
        }
    }
}

impl Drop for Doc {
    /// Drops the parts in a work list: a text may nest deeply.
    fn drop(&mut self) {
        let take = |doc: &mut Doc| match &mut doc.kind {
            DocKind::Group(_, _, items) => std::mem::take(items),
            DocKind::Atom(_) => Vec::new(),
        };
        let mut work = take(self);
        while let Some(mut doc) = work.pop() {
            work.append(&mut take(&mut doc));
        }
    }
}

fn close(open: char) -> char {
    if open == '[' { ']' } else { ')' }
}

struct Printer<'a> {
    program: &'a Program,
    names: &'a Interner,
    locals: FxHashMap<LocalId, String>,
    joins: FxHashMap<JoinId, String>,
    taken: FxHashSet<String>,
    /// The next number to tell locals of one name apart.
    next: FxHashMap<String, usize>,
}

impl Printer<'_> {
    fn bind(&mut self, local: LocalId) -> Doc {
        let name = self.program.locals.get(local).and_then(|local| local.name);
        let base = name.map_or_else(|| "t".to_owned(), |name| for_message(self.names.text(name)));
        let text = self.unique(&base);
        self.locals.insert(local, text.clone());
        Doc::atom(text)
    }

    /// Returns a name that nothing else has.
    fn unique(&mut self, base: &str) -> String {
        let mut text = base.to_owned();
        let next = self.next.entry(text.clone()).or_insert(0);
        while self.taken.contains(&text) {
            *next += 1;
            text = format!("{base}'{next}");
        }
        self.taken.insert(text.clone());
        text
    }

    fn local(&self, local: LocalId) -> Doc {
        Doc::atom(self.locals.get(&local).map_or("<unbound>", String::as_str))
    }

    fn lit(&self, lit: Lit) -> Doc {
        Doc::atom(match lit {
            Lit::Int(value) => value.to_string(),
            Lit::Big(big) => self.program.bigs[big].to_string(),
            Lit::Float(value) => value.to_string(),
            Lit::Char(c) => char_literal(c),
        })
    }

    fn con(&self, con: ConId) -> Doc {
        Doc::atom(for_message(&self.program.cons[con].symbol))
    }

    fn expr(&mut self, expr: ExprId) -> Doc {
        ensure_sufficient_stack(|| self.step(expr))
    }

    fn step(&mut self, expr: ExprId) -> Doc {
        let program = self.program;
        match program.exprs[expr] {
            Expr::Lit(lit) => self.lit(lit),
            Expr::Text(text) => Doc::atom(string_literal(&program.texts[text])),
            Expr::Local(local) => self.local(local),
            Expr::Global(global) => Doc::atom(for_message(&program.globals[global].symbol)),
            Expr::Con(con) => self.con(con),
            Expr::App(callee, args) => {
                let mut items = vec![self.expr(callee)];
                items.extend(program.expr_lists[args].iter().map(|&arg| self.expr(arg)));
                Doc::round(1, items)
            }
            Expr::Let(..) => self.sequence(expr),
            Expr::Letrec(binds, body) => {
                let binds = &program.binds[binds];
                let locals: Vec<Doc> = binds.iter().map(|bind| self.bind(bind.local)).collect();
                let binds = locals
                    .into_iter()
                    .zip(binds)
                    .map(|(local, bind)| Doc::group('[', 2, vec![local, self.expr(bind.value)]))
                    .collect();
                let body = self.expr(body);
                Doc::round(2, vec![Doc::atom("letrec"), Doc::round(0, binds), body])
            }
            Expr::Lam(params, body) => {
                let params =
                    program.local_lists[params].iter().map(|&param| self.bind(param)).collect();
                let body = self.expr(body);
                Doc::round(2, vec![Doc::atom("fn"), Doc::square(params), body])
            }
            Expr::Force(local, value, body) => {
                let value = self.expr(value);
                let local = self.bind(local);
                let body = self.expr(body);
                let bind = Doc::group('[', 2, vec![local, value]);
                Doc::round(2, vec![Doc::atom("force"), bind, body])
            }
            Expr::Perform(local, value, body) => {
                let value = self.expr(value);
                let local = self.bind(local);
                let body = self.expr(body);
                let bind = Doc::group('[', 2, vec![local, value]);
                Doc::round(2, vec![Doc::atom("perform"), bind, body])
            }
            Expr::Switch(switch) => self.switch(switch),
            Expr::Join(join, body) => {
                let name = self.unique("j");
                self.joins.insert(join, name.clone());
                let mut head = vec![Doc::atom(name)];
                let join = program.joins[join];
                let params = &program.local_lists[join.params];
                head.extend(params.iter().map(|&param| self.bind(param)));
                let handler = self.expr(join.handler);
                let head = Doc::round(head.len(), head);
                let bind = Doc::group('[', 1, vec![head, handler]);
                let body = self.expr(body);
                Doc::round(2, vec![Doc::atom("join"), bind, body])
            }
            Expr::Jump(join, args) => {
                let name = self.joins.get(&join).map_or("<unbound>", String::as_str);
                let mut items = vec![Doc::atom("jump"), Doc::atom(name)];
                items.extend(program.expr_lists[args].iter().map(|&arg| self.expr(arg)));
                Doc::round(2, items)
            }
            Expr::NoMatch => Doc::atom("(no-match)"),
            Expr::Error => Doc::atom("(error)"),
        }
    }

    /// Prints bindings that follow each other as one `let`, as in the source.
    fn sequence(&mut self, expr: ExprId) -> Doc {
        let mut expr = expr;
        let mut binds = Vec::new();
        while let Expr::Let(local, value, body) = self.program.exprs[expr] {
            let value = self.expr(value);
            let local = self.bind(local);
            binds.push(Doc::group('[', 2, vec![local, value]));
            expr = body;
        }
        let body = self.expr(expr);
        Doc::round(2, vec![Doc::atom("let"), Doc::round(0, binds), body])
    }

    fn switch(&mut self, switch: SwitchId) -> Doc {
        let program = self.program;
        let switch = &program.switches[switch];
        let scrutinee = self.local(switch.scrutinee);
        let scrutinee = match switch.evaluated {
            true => scrutinee,
            false => Doc::round(2, vec![Doc::atom("force"), scrutinee]),
        };
        let mut items = vec![Doc::atom("switch"), scrutinee];
        match &switch.branches {
            Branches::Cons(branches) => {
                for branch in branches {
                    let mut pat = vec![self.con(branch.con)];
                    for field in &branch.fields {
                        pat.push(match field {
                            Some(field) => self.bind(*field),
                            None => Doc::atom("_"),
                        });
                    }
                    let pat = Doc::round(pat.len(), pat);
                    let body = self.expr(branch.body);
                    items.push(Doc::group('[', 1, vec![pat, body]));
                }
            }
            Branches::Lits(branches) => {
                for &(lit, body) in branches {
                    let items_of = vec![self.lit(lit), self.expr(body)];
                    items.push(Doc::group('[', 1, items_of));
                }
            }
        }
        if let Some(default) = switch.default {
            let body = self.expr(default);
            items.push(Doc::group('[', 1, vec![Doc::atom("else"), body]));
        }
        Doc::round(2, items)
    }
}

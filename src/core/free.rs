//! Expressions with names that nothing binds.

use std::collections::HashSet;

use rustc_hash::FxHashMap;

use super::scope::{Globals, HostDecl, Input, Lookup, PROGRAM};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::name::Name;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::base::suggest;
use crate::load::Loaded;
use crate::syntax::ast::{Ast, Binder, Expr, ExprId, ItemKind, Pat, PatId};

/// The name of the definition that an expression with free names becomes. A `'` is appended while
/// the program defines the name itself.
const ENTRY: &str = "residual";

/// The fewest characters of a free name that is held for a misspelled one: a parameter is often
/// called `x` or `ys` as well.
const SHORTEST: usize = 4;

/// The fewest characters of one that is applied, or has the letters of the name in scope: few
/// parameters of three letters are functions.
const SHORTEST_APPLIED: usize = 3;

/// Makes the free names in the expression of a program its parameters, in the order in which
/// they first occur: then it is no longer `main`. Returns its name and its parameters, or `None`
/// for a program without expression. A name that is spelled nearly as one in scope is warned of in
/// `warnings`.
pub fn open(
    loaded: &mut Loaded,
    hosts: &[HostDecl],
    warnings: &mut Vec<Diagnostic>,
) -> Option<(String, Vec<String>)> {
    let body = loaded.expression?;
    let (free, entry) = {
        let globals = Globals::new(Input::from(&*loaded), hosts);
        let Walk { free, applied, .. } = Walk::new(&globals, &loaded.ast).names(body);
        let misspelled = |&(name, span): &(Name, Span)| {
            misspelled(&globals, name, span, applied.contains(&name))
        };
        warnings.extend(free.iter().filter_map(misspelled));
        let mut entry = ENTRY.to_owned();
        while loaded.names.find(&entry).is_some_and(|name| globals.own(PROGRAM, name).is_some()) {
            entry.push('\'');
        }
        (free, entry)
    };
    if free.is_empty() {
        return Some(("main".to_owned(), Vec::new()));
    }
    let name = loaded.names.intern(&entry);
    let params = free.iter().map(|&(name, span)| Binder { name: Some(name), span });
    let params = loaded.ast.binders.add(params);
    // The expression's item is the last one.
    let item = loaded.ast.items.last_mut()?;
    item.name = Some(name);
    item.kind = ItemKind::Defn { params, body };
    let names = free.iter().map(|&(name, _)| loaded.names.text(name).to_owned());
    Some((entry, names.collect()))
}

/// Returns the warning that a free name was probably meant to be one in scope.
fn misspelled(
    globals: &Globals<'_>,
    name: Name,
    span: Span,
    is_applied: bool,
) -> Option<Diagnostic> {
    let names = globals.input.names;
    let text = names.text(name);
    let length = text.chars().count();
    if length < SHORTEST_APPLIED {
        return None;
    }
    let visible =
        names.names().filter(|&other| matches!(globals.lookup(PROGRAM, other), Lookup::Found(_)));
    let hidden: Vec<_> = globals.hidden().collect();
    // Of equally near ones what the program defines is likelier.
    let rank = |other| u8::from(globals.own(PROGRAM, other).is_none());
    let candidates = visible.map(|other| (rank(other), names.text(other)));
    let hidden = hidden.iter().map(|other| (1, &**other));
    let near = suggest::nearest_ranked(text, candidates.chain(hidden))?;
    if length < SHORTEST && !is_applied && sorted(text) != sorted(near) {
        return None;
    }
    let text = for_message(text);
    let report = Diagnostic::warning(
        Code::FreeName,
        span,
        format!("`{text}` is not bound, and is taken for an argument that is not known"),
    );
    Some(report.help(format!("did you mean `{}`?", for_message(near))))
}

fn sorted(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters
}

/// A step of the walk; steps are kept on a stack of their own, so that depth costs no native
/// stack.
enum Task {
    Visit(ExprId),
    /// Brings a name into scope.
    Bind(Name),
    /// Ends the scope of this many names, the innermost ones.
    Unbind(usize),
}

struct Walk<'a> {
    globals: &'a Globals<'a>,
    ast: &'a Ast,
    /// The number of enclosing bindings of each name.
    bound: FxHashMap<Name, u32>,
    scope: Vec<Name>,
    /// The free names, with the place of the first of each.
    free: Vec<(Name, Span)>,
    /// The names that are applied where they are free.
    applied: HashSet<Name>,
    seen: HashSet<Name>,
    tasks: Vec<Task>,
}

impl<'a> Walk<'a> {
    fn new(globals: &'a Globals<'a>, ast: &'a Ast) -> Walk<'a> {
        Walk {
            globals,
            ast,
            bound: FxHashMap::default(),
            scope: Vec::new(),
            free: Vec::new(),
            applied: HashSet::new(),
            seen: HashSet::new(),
            tasks: Vec::new(),
        }
    }

    /// Finds the free names of an expression.
    fn names(mut self, body: ExprId) -> Self {
        self.tasks.push(Task::Visit(body));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Visit(expr) => {
                    // Tasks are pushed in the order of the source.
                    let mark = self.tasks.len();
                    self.visit(expr);
                    self.tasks[mark..].reverse();
                }
                Task::Bind(name) => {
                    *self.bound.entry(name).or_default() += 1;
                    self.scope.push(name);
                }
                Task::Unbind(count) => {
                    let from = self.scope.len().saturating_sub(count);
                    for name in self.scope.drain(from..) {
                        if let Some(count) = self.bound.get_mut(&name) {
                            *count -= 1;
                        }
                    }
                }
            }
        }
        self
    }

    fn visit(&mut self, expr: ExprId) {
        let ast = self.ast;
        match ast.exprs[expr] {
            Expr::Name(name) => self.name(name, ast.expr_spans[expr]),
            Expr::App(callee, args) => {
                if let Expr::Name(name) = ast.exprs[callee]
                    && !self.is_bound(name)
                {
                    self.applied.insert(name);
                }
                self.tasks.push(Task::Visit(callee));
                self.tasks.extend(ast.expr_lists[args].iter().map(|&arg| Task::Visit(arg)));
            }
            Expr::List(elements) => {
                self.tasks.extend(ast.expr_lists[elements].iter().map(|&e| Task::Visit(e)));
            }
            Expr::Let(bindings, body) => {
                let mut count = 0;
                for binding in &ast.bindings[bindings] {
                    self.tasks.push(Task::Visit(binding.value));
                    count += self.bind(binding.binder.name);
                }
                self.tasks.extend([Task::Visit(body), Task::Unbind(count)]);
            }
            Expr::Letrec(bindings, body) => {
                let bindings = &ast.bindings[bindings];
                let count = bindings.iter().map(|binding| self.bind(binding.binder.name)).sum();
                self.tasks.extend(bindings.iter().map(|binding| Task::Visit(binding.value)));
                self.tasks.extend([Task::Visit(body), Task::Unbind(count)]);
            }
            Expr::Fn(params, body) => {
                let params = &ast.binders[params];
                let count = params.iter().map(|param| self.bind(param.name)).sum();
                self.tasks.extend([Task::Visit(body), Task::Unbind(count)]);
            }
            Expr::Case(scrutinee, alts) => {
                self.tasks.push(Task::Visit(scrutinee));
                for alt in &ast.alts[alts] {
                    let count = self.pattern(alt.pat);
                    self.tasks.extend([Task::Visit(alt.body), Task::Unbind(count)]);
                }
            }
            Expr::Int(_)
            | Expr::Big(_)
            | Expr::Float(_)
            | Expr::Char(_)
            | Expr::Text(_)
            | Expr::Compiled(..)
            | Expr::Error => {}
        }
    }

    fn is_bound(&self, name: Name) -> bool {
        self.bound.get(&name).is_some_and(|&count| count > 0)
    }

    fn name(&mut self, name: Name, span: Span) {
        if !self.is_bound(name)
            && self.globals.lookup(PROGRAM, name) == Lookup::Unbound
            && self.seen.insert(name)
        {
            self.free.push((name, span));
        }
    }

    /// Binds a name, if there is one, and returns how many are bound.
    fn bind(&mut self, name: Option<Name>) -> usize {
        self.tasks.extend(name.map(Task::Bind));
        usize::from(name.is_some())
    }

    /// Binds the variables of a pattern and returns how many they are.
    fn pattern(&mut self, pat: PatId) -> usize {
        let mut count = 0;
        let mut work = vec![pat];
        while let Some(pat) = work.pop() {
            match self.ast.pats[pat] {
                Pat::Name(name) if self.globals.con(PROGRAM, name).is_none() => {
                    count += self.bind(Some(name));
                }
                Pat::Con(_, _, fields) => work.extend(&self.ast.pat_lists[fields]),
                _ => {}
            }
        }
        count
    }
}

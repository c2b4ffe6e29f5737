//! What the program's own definitions may not say: unbound and doubled names, patterns that
//! do not fit, and the mistakes that can be seen without running it.
//!
//! Nothing is built here, so checking a large source needs little more memory than its
//! syntax tree. A work list takes the place of recursion.

mod application;
mod columns;
mod demands;
mod main_value;
mod names;
mod patterns;
mod shapes;
mod useful;

use std::cell::{Cell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::index::{Idx, List};
use crate::base::limits::{MAX_ARITY, exceeds_arity, too_many};
use crate::base::name::Name;
use crate::base::span::Span;
use crate::core::expr::ConId;
use crate::core::options::Options;
use crate::core::scope::{Globals, PROGRAM, UnitId};
use crate::syntax::ast::{Alt, Ast, Binder, Expr, ExprId, Item, ItemKind};
use patterns::Suspect;

/// What a check has found.
pub(super) struct Checked {
    /// All diagnostics about names and shapes, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The cases that do not match all values.
    pub partial: Vec<Partial>,
}

/// A case that does not match all values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partial {
    /// The case.
    pub span: Span,
    /// The values without an alternative, in words.
    pub missing: String,
    /// Whether it has one alternative: then it is meant to select from what that matches.
    pub is_selection: bool,
    /// Whether an alternative looks at parts of the value.
    pub is_nested: bool,
}

impl Partial {
    /// Returns the report of it.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("this case has no alternative for {}", self.missing);
        Diagnostic::warning(Code::PartialCase, self.span, message)
            .note("the program fails if such a value comes here")
    }
}

/// Checks a program.
pub(super) fn check(globals: &Globals<'_>, options: &Options) -> Checked {
    let ast = globals.input.ast;
    let mut checker = Checker {
        globals,
        ast,
        unit: PROGRAM,
        bound: vec![0; globals.input.names.len()],
        undo: Vec::new(),
        tasks: Vec::new(),
        reported: FxHashSet::default(),
        missing: FxHashMap::default(),
        unbound: FxHashMap::default(),
        misfits: FxHashMap::default(),
        unsure: 0,
        is_form: false,
        suggestions: Cell::new(names::SUGGESTIONS),
        results: RefCell::default(),
        wanted: RefCell::default(),
        depth: Cell::new(0),
        looking_at_loop: Cell::new(false),
        watched: Vec::new(),
        told: FxHashSet::default(),
        variables: Vec::new(),
        slips: Cell::new(names::SUGGESTIONS),
        diagnostics: Vec::new(),
        partial: Vec::new(),
    };
    checker.definitions();
    if options.needs_main {
        checker.main();
    }
    checker.value_of_main();
    for item in &ast.items {
        let unit = globals.input.unit(item.file);
        if unit == PROGRAM || options.check_corelib {
            checker.unit = unit;
            checker.item(item);
        }
    }
    checker.undeclared();
    let mut diagnostics = checker.diagnostics;
    diagnostics.retain(|it| it.is_error() || !ast.doubts.has_place(it.primary.span));
    diagnostics.sort_by_key(|report| (report.primary.span.is_none(), report.primary.span));
    Checked { diagnostics, partial: checker.partial }
}

/// A step of the walk over a definition.
enum Task {
    Expr(ExprId),
    Bind(Name),
    /// Brings the name of a `let`, whose value has been visited, into scope.
    Let(Name),
    /// Ends the scope of all bindings but the first ones, of this number.
    Unbind(usize),
    /// Watches from now on whether a variable of a pattern is used.
    Watch(Suspect),
    /// Ends that for the one that is watched last.
    Watched,
    /// Begins the body of an alternative whose pattern has a mistake.
    Unsure,
    /// Ends it.
    Sure,
}

struct Checker<'a> {
    globals: &'a Globals<'a>,
    ast: &'a Ast,
    unit: UnitId,
    /// The number of bindings of each name that are in scope.
    bound: Vec<u32>,
    undo: Vec<Name>,
    tasks: Vec<Task>,
    /// The unbound names that have been reported in this definition.
    reported: FxHashSet<Name>,
    /// For each module that is not imported, and for the part that lacks it, which report says so.
    missing: FxHashMap<(UnitId, &'static str), usize>,
    /// For each name that is not bound, or is no constructor, which report says so.
    unbound: FxHashMap<(UnitId, Name), usize>,
    /// For each constructor, and number of fields that it does not have, which report says so.
    misfits: FxHashMap<(ConId, usize), usize>,
    /// How many alternatives around have a mistake in their pattern: what they bind is not known.
    unsure: u32,
    /// Whether the name that is looked at begins a form.
    is_form: bool,
    /// The number of candidates that may still be compared for suggestions.
    suggestions: Cell<usize>,
    /// What the results of definitions are, as far as that has been asked.
    results: RefCell<FxHashMap<u32, shapes::Shape>>,
    /// What the arguments of definitions must be, as far as that has been asked.
    wanted: RefCell<FxHashMap<(u32, usize), Option<demands::Wanted>>>,
    /// How many definitions are being gone through for that.
    depth: Cell<usize>,
    /// Whether one of them is gone through with the arguments that it is given: that is not done
    /// within each other.
    looking_at_loop: Cell<bool>,
    /// The variables of patterns that are watched, and whether they have been used.
    watched: Vec<(Suspect, bool)>,
    /// Those that are known to be meant for constructors.
    told: FxHashSet<Span>,
    /// The variables of patterns of which a warning says that a constructor may be meant, with the place
    /// of the warning.
    variables: Vec<(Name, Span)>,
    /// The number of constructors that variables may still be compared with.
    slips: Cell<usize>,
    diagnostics: Vec<Diagnostic>,
    partial: Vec<Partial>,
}

impl Checker<'_> {
    fn report(&mut self, report: Diagnostic) {
        self.diagnostics.push(report);
    }

    fn is_bound(&self, name: Name) -> bool {
        self.bound[name.index()] > 0
    }

    fn bind(&mut self, name: Name) {
        self.bound[name.index()] += 1;
        self.undo.push(name);
    }

    fn item(&mut self, item: &Item) {
        match &item.kind {
            &ItemKind::Defn { params, body } => {
                self.limit("function", item.name, params.len(), "parameters", item.name_span);
                self.definition(params, body);
            }
            ItemKind::Data { cons } => {
                for con in cons {
                    self.limit("constructor", Some(con.name), con.fields.len(), "fields", con.span);
                }
            }
            ItemKind::ImportFile { .. } | ItemKind::ImportModule => {}
        }
    }

    /// Reports more parameters or fields than there may be.
    fn limit(&mut self, what: &str, name: Option<Name>, count: usize, of: &str, span: Span) {
        if count > MAX_ARITY as usize {
            let what = match name {
                Some(name) => format!("{what} `{}`", self.text(name)),
                None => format!("this {what}"),
            };
            self.report(too_many(span, exceeds_arity(&what, count, of)));
        }
    }

    fn definition(&mut self, params: List<Binder>, body: ExprId) {
        self.reported.clear();
        self.parameters(params, "parameter list", Code::DuplicateParameter);
        self.tasks.push(Task::Expr(body));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Expr(expr) => self.expr(expr),
                Task::Bind(name) | Task::Let(name) => self.bind(name),
                Task::Unbind(len) => self.unbind(len),
                Task::Unsure => self.unsure += 1,
                Task::Sure => self.unsure = self.unsure.saturating_sub(1),
                Task::Watch(suspect) => self.watched.push((suspect, false)),
                Task::Watched => {
                    if let Some((suspect, false)) = self.watched.pop() {
                        self.unused(suspect);
                    }
                }
            }
        }
        self.unbind(0);
    }

    fn unbind(&mut self, len: usize) {
        for name in self.undo.drain(len..) {
            self.bound[name.index()] -= 1;
        }
    }

    /// Binds the names of a list, and reports the second one of two.
    fn parameters(&mut self, binders: List<Binder>, what: &str, code: Code) {
        let binders = &self.ast.binders[binders];
        let named = binders.iter().filter_map(|binder| Some((binder.name?, binder.span)));
        self.doubled(named.clone(), what, code);
        for (name, _) in named {
            self.bind(name);
        }
    }

    /// Visits an expression, at once if it is an atom.
    fn visit(&mut self, expr: ExprId) {
        match self.ast.exprs[expr] {
            Expr::Name(name) => self.name(expr, name),
            Expr::Int(_)
            | Expr::Big(_)
            | Expr::Float(_)
            | Expr::Char(_)
            | Expr::Text(_)
            | Expr::Compiled(..)
            | Expr::Error => {}
            _ => self.tasks.push(Task::Expr(expr)),
        }
    }

    fn expr(&mut self, expr: ExprId) {
        let ast = self.ast;
        let mark = self.tasks.len();
        let undo = self.undo.len();
        match ast.exprs[expr] {
            Expr::App(callee, args) => self.apply(ast.expr_spans[expr], callee, args),
            Expr::List(elements) => {
                for &element in &ast.expr_lists[elements] {
                    self.visit(element);
                }
            }
            Expr::Let(bindings, body) => {
                for binding in &ast.bindings[bindings] {
                    self.tasks.push(Task::Expr(binding.value));
                    self.tasks.extend(binding.binder.name.map(Task::Let));
                }
                self.tasks.push(Task::Expr(body));
                self.tasks.push(Task::Unbind(undo));
            }
            Expr::Letrec(bindings, body) => {
                let bindings = &ast.bindings[bindings];
                let named = bindings.iter().map(|binding| binding.binder);
                let named = named.filter_map(|binder| Some((binder.name?, binder.span)));
                self.doubled(named.clone(), "letrec", Code::DuplicateLetrecName);
                for (name, _) in named {
                    self.bind(name);
                }
                for binding in bindings {
                    self.visit(binding.value);
                }
                self.visit(body);
                self.tasks.push(Task::Unbind(undo));
            }
            Expr::Fn(params, body) => {
                let span = ast.expr_spans[expr];
                self.limit("function", None, params.len(), "parameters", span);
                self.parameters(params, "parameter list", Code::DuplicateParameter);
                self.visit(body);
                self.tasks.push(Task::Unbind(undo));
            }
            Expr::Case(scrutinee, alts) => self.case(ast.expr_spans[expr], scrutinee, alts),
            _ => self.visit(expr),
        }
        // Tasks were pushed in the order of the source.
        self.tasks[mark..].reverse();
    }

    /// Checks an application: `((f a) b)` as `(f a b)`.
    fn apply(&mut self, span: Span, callee: ExprId, args: List<ExprId>) {
        let ast = self.ast;
        let mut callee = callee;
        if let Expr::App(..) = ast.exprs[callee] {
            let mut groups = vec![args];
            while let Expr::App(inner, more) = ast.exprs[callee] {
                groups.push(more);
                callee = inner;
            }
            let first = groups.last().map_or(&[][..], |args| &ast.expr_lists[*args]);
            if self.is_foreign_form(callee, first) {
                // The parameters and the body, which follow its name, are nothing here.
                groups.pop();
                self.form(callee);
                let outer = groups.into_iter().rev().flat_map(|args| &ast.expr_lists[args]);
                outer.for_each(|&arg| self.visit(arg));
                return;
            }
            let args: Vec<ExprId> =
                groups.into_iter().rev().flat_map(|args| ast.expr_lists[args].to_vec()).collect();
            self.application(span, callee, &args);
            self.visit(callee);
            args.into_iter().for_each(|arg| self.visit(arg));
        } else {
            let args = &ast.expr_lists[args];
            if self.is_without_keyword(callee, args) {
                return;
            }
            if self.is_foreign_form(callee, args) {
                return self.form(callee);
            }
            self.application(span, callee, args);
            self.visit(callee);
            args.iter().for_each(|&arg| self.visit(arg));
        }
    }

    /// Visits the word that begins a form of another language, or a misspelled one.
    fn form(&mut self, word: ExprId) {
        self.is_form = true;
        self.visit(word);
        self.is_form = false;
    }

    fn case(&mut self, span: Span, scrutinee: ExprId, alts: List<Alt>) {
        let ast = self.ast;
        let alts = &ast.alts[alts];
        self.visit(scrutinee);
        let undo = self.undo.len();
        let mut size = 0;
        let mut sound = true;
        let columns = self.columns(alts);
        let variables = columns.variables.iter();
        let beside = variables.map(|&(pat, data)| (ast.pat_spans[pat], data)).collect();
        for alt in alts {
            let found = self.pattern(alt.pat);
            let suspects = self.suspects(&found.names, &beside);
            size += found.size;
            sound &= found.sound;
            let bound = !found.names.is_empty();
            self.tasks.extend(found.names.into_iter().map(|(name, _)| Task::Bind(name)));
            self.tasks.extend(suspects.iter().copied().map(Task::Watch));
            self.tasks.extend((!found.sound).then_some(Task::Unsure));
            self.tasks.push(Task::Expr(alt.body));
            self.tasks.extend((!found.sound).then_some(Task::Sure));
            self.tasks.extend(suspects.iter().map(|_| Task::Watched));
            if bound {
                self.tasks.push(Task::Unbind(undo));
            }
        }
        // A case with a mistake in its patterns has been reported.
        if sound && self.alternatives(alts, size, columns.mixed) {
            self.partial(span, alts, size);
        }
    }
}

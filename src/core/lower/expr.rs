//! Expressions of the syntax tree to expressions of core.

use std::sync::Arc;

use super::{Lowerer, Task};
use crate::base::index::{Idx, List};
use crate::base::name::Name;
use crate::base::span::Span;
use crate::core::expr::{Bind, CONS, Expr, ExprId, Lit, LocalId, NIL, TextId};
use crate::core::matching;
use crate::core::pattern::{PatRef, Patterns, View};
use crate::core::scope::{Lookup, Target};
use crate::syntax::ast::{self, Alt, Binder, Binding};

impl Lowerer<'_> {
    /// Returns the local that an expression is, if it is one.
    fn local(&self, expr: ast::ExprId) -> Option<LocalId> {
        match self.ast.exprs[expr] {
            ast::Expr::Name(name) => self.env[name.index()],
            _ => None,
        }
    }

    /// Returns a place for an expression that stands in the present scope: filled at once if it is
    /// an atom, else by a task.
    pub(super) fn place(&mut self, expr: ast::ExprId) -> ExprId {
        let to = self.program.expr(Expr::Error, self.ast.expr_spans[expr]);
        match self.atom(expr) {
            Some(atom) => self.program.exprs[to] = atom,
            None => self.tasks.push(Task::Lower(expr, to)),
        }
        to
    }

    /// Returns a place for an expression whose scope is not yet open.
    fn later(&mut self, expr: ast::ExprId) -> ExprId {
        let to = self.program.expr(Expr::Error, self.ast.expr_spans[expr]);
        self.tasks.push(Task::Lower(expr, to));
        to
    }

    fn atom(&mut self, expr: ast::ExprId) -> Option<Expr> {
        Some(match self.ast.exprs[expr] {
            ast::Expr::Int(value) => Expr::Lit(Lit::Int(value)),
            ast::Expr::Big(big) => {
                let ast = self.ast;
                Expr::Lit(Lit::Big(self.bigs.id(&mut self.program, &ast.bigs[big])))
            }
            ast::Expr::Float(value) => Expr::Lit(Lit::Float(value)),
            ast::Expr::Char(c) => Expr::Lit(Lit::Char(c)),
            ast::Expr::Text(text) => self.text(text),
            ast::Expr::Name(name) => self.name(name),
            ast::Expr::Error => Expr::Error,
            ast::Expr::List(elements) if elements.is_empty() => Expr::Con(NIL),
            _ => return None,
        })
    }

    fn text(&mut self, text: ast::TextId) -> Expr {
        let content = &self.ast.texts[text];
        if content.is_empty() {
            return Expr::Con(NIL);
        }
        Expr::Text(self.text_id(content))
    }

    /// Returns the number of a text.
    pub(super) fn text_id(&mut self, text: &str) -> TextId {
        if let Some(&id) = self.texts.get(text) {
            return id;
        }
        let text: Arc<str> = text.into();
        let id = self.program.texts.push(text.clone());
        self.texts.insert(text, id);
        id
    }

    fn name(&mut self, name: Name) -> Expr {
        if let Some(local) = self.env[name.index()] {
            self.use_local(local);
            return Expr::Local(local);
        }
        match self.globals.lookup(self.unit, name) {
            Lookup::Found(Target::Con(con)) => Expr::Con(con),
            Lookup::Found(target) => {
                let global = self.global(target, name);
                if self.mentions.is_some() && self.seen.insert((global, name)) {
                    self.mentioned.push((global, name));
                }
                Expr::Global(global)
            }
            Lookup::Ambiguous(..) | Lookup::Unbound => Expr::Error,
        }
    }

    pub(super) fn lower(&mut self, expr: ast::ExprId, to: ExprId) {
        let span = self.ast.expr_spans[expr];
        self.program.spans[to] = span;
        // Tasks are pushed in the order of the source, and turned around below.
        let mark = self.tasks.len();
        let result = match self.ast.exprs[expr] {
            ast::Expr::App(callee, args) => self.application(callee, args, span),
            ast::Expr::List(elements) => return self.list(elements, to),
            ast::Expr::Let(bindings, body) => self.sequence(bindings, body, to),
            ast::Expr::Letrec(bindings, body) => self.recursive(bindings, body, to),
            ast::Expr::Fn(params, body) => self.function(params, body),
            ast::Expr::Case(scrutinee, alts) => self.case(scrutinee, alts, to, span),
            _ => Some(self.atom(expr).unwrap_or(Expr::Error)),
        };
        if let Some(result) = result {
            self.program.exprs[to] = result;
        }
        self.tasks[mark..].reverse();
    }

    /// Lowers an application: `((f a) b)` is `f a b`.
    fn application(
        &mut self,
        callee: ast::ExprId,
        args: List<ast::ExprId>,
        span: Span,
    ) -> Option<Expr> {
        let ast = self.ast;
        let mut callee = callee;
        let mut groups = vec![args];
        while let ast::Expr::App(inner, args) = ast.exprs[callee] {
            groups.push(args);
            callee = inner;
        }
        // No application is applied: what may become one gets a name.
        let may_be_application = match ast.exprs[callee] {
            ast::Expr::List(elements) => !elements.is_empty(),
            _ => self.inside(callee).is_some(),
        };
        let named = may_be_application.then(|| {
            let span = ast.expr_spans[callee];
            let (local, value) = (self.program.local(None, span), self.later(callee));
            (local, value, self.program.expr(Expr::Local(local), span))
        });
        let callee = match named {
            Some((_, _, name)) => name,
            None => self.place(callee),
        };
        let mut places = Vec::with_capacity(groups.iter().map(|args| args.len()).sum());
        for args in groups.into_iter().rev() {
            for &arg in &ast.expr_lists[args] {
                places.push(self.place(arg));
            }
        }
        let apply = Expr::App(callee, self.program.expr_lists.add(places));
        let Some((local, value, _)) = named else { return Some(apply) };
        self.use_local(local);
        Some(Expr::Let(local, value, self.program.expr(apply, span)))
    }

    /// Lowers a list: `[a b]` is `(Cons a (Cons b Nil))`.
    fn list(&mut self, elements: List<ast::ExprId>, to: ExprId) {
        let ast = self.ast;
        let mark = self.tasks.len();
        let span = self.program.spans[to];
        let mut to = to;
        self.program.exprs[to] = Expr::Con(NIL);
        for &element in &ast.expr_lists[elements] {
            let callee = self.program.expr(Expr::Con(CONS), span);
            let head = self.place(element);
            let tail = self.program.expr(Expr::Con(NIL), span);
            let args = self.program.expr_lists.add([head, tail]);
            self.program.exprs[to] = Expr::App(callee, args);
            to = tail;
        }
        self.tasks[mark..].reverse();
    }

    fn sequence(&mut self, bindings: List<Binding>, body: ast::ExprId, to: ExprId) -> Option<Expr> {
        let ast = self.ast;
        let mut to = to;
        for binding in &ast.bindings[bindings] {
            // What `_` is bound to is never demanded.
            let Some(name) = binding.binder.name else { continue };
            let local = self.program.local(Some(name), binding.binder.span);
            let value = self.later(binding.value);
            self.tasks.push(Task::Bind(name, local));
            let rest = self.program.expr(Expr::Error, ast.expr_spans[body]);
            self.program.exprs[to] = Expr::Let(local, value, rest);
            to = rest;
        }
        self.tasks.push(Task::Lower(body, to));
        self.tasks.push(Task::Unbind(self.undo.len()));
        None
    }

    fn recursive(
        &mut self,
        bindings: List<Binding>,
        body: ast::ExprId,
        to: ExprId,
    ) -> Option<Expr> {
        let ast = self.ast;
        let mark = self.undo.len();
        let named = || ast.bindings[bindings].iter().filter(|b| b.binder.name.is_some());
        let mut locals = Vec::with_capacity(bindings.len());
        for binding in named() {
            let local = self.program.local(binding.binder.name, binding.binder.span);
            if let Some(name) = binding.binder.name {
                self.bind(name, local);
            }
            locals.push(local);
        }
        if locals.is_empty() {
            self.tasks.push(Task::Lower(body, to));
            return None;
        }
        let mut binds = Vec::with_capacity(locals.len());
        for (binding, local) in named().zip(locals) {
            binds.push(Bind { local, value: self.later(binding.value) });
        }
        let body = self.later(body);
        self.tasks.push(Task::Unbind(mark));
        Some(Expr::Letrec(self.program.binds.add(binds), body))
    }

    /// Returns the binding and body of a form that only gives a local another name, or not even that:
    /// a `let` without names, a `case` whose first pattern fits anything.
    fn inside(&self, expr: ast::ExprId) -> Option<(Option<(Name, LocalId)>, ast::ExprId)> {
        let ast = self.ast;
        match ast.exprs[expr] {
            ast::Expr::Let(bindings, body) | ast::Expr::Letrec(bindings, body) => {
                let mut bindings = ast.bindings[bindings].iter();
                bindings.all(|binding| binding.binder.name.is_none()).then_some((None, body))
            }
            ast::Expr::Case(scrutinee, alts) => {
                let first = ast.alts[alts].first()?;
                let patterns = Patterns::new(self.globals, self.unit);
                let View::Any(name) = patterns.view(PatRef::Ast(first.pat)) else { return None };
                match (name, self.local(scrutinee)) {
                    (None, _) => Some((None, first.body)),
                    (Some(name), Some(local)) => Some((Some((name, local)), first.body)),
                    (Some(_), None) => None,
                }
            }
            _ => None,
        }
    }

    /// Lowers a function: `(fn [x] (fn [y] e))` is `(fn [x y] e)`, since nothing is evaluated
    /// between the arguments.
    fn function(&mut self, params: List<Binder>, body: ast::ExprId) -> Option<Expr> {
        let mark = self.undo.len();
        let mut locals = self.binders(params);
        let mut body = body;
        loop {
            if let ast::Expr::Fn(more, inner) = self.ast.exprs[body] {
                locals.extend(self.binders(more));
                body = inner;
            } else if let Some((bound, inner)) = self.inside(body) {
                if let Some((name, local)) = bound {
                    self.bind(name, local);
                }
                body = inner;
            } else {
                break;
            }
        }
        let body = self.later(body);
        self.tasks.push(Task::Unbind(mark));
        if locals.is_empty() {
            return Some(Expr::Error);
        }
        Some(Expr::Lam(self.program.local_lists.add(locals), body))
    }

    fn case(
        &mut self,
        scrutinee: ast::ExprId,
        alts: List<Alt>,
        to: ExprId,
        span: Span,
    ) -> Option<Expr> {
        let ast = self.ast;
        let alts = &ast.alts[alts];
        let patterns = Patterns::new(self.globals, self.unit);
        let Some(first) = alts.first() else { return Some(Expr::Error) };
        let known = self.local(scrutinee);
        let undo = self.undo.len();
        if let View::Any(name) = patterns.view(PatRef::Ast(first.pat)) {
            // The first alternative always matches, and forces nothing.
            match (name, known) {
                (None, _) => self.tasks.push(Task::Lower(first.body, to)),
                (Some(name), Some(local)) => {
                    self.bind(name, local);
                    self.tasks.push(Task::Lower(first.body, to));
                    self.tasks.push(Task::Unbind(undo));
                }
                (Some(name), None) => {
                    let local = self.program.local(Some(name), ast.pat_spans[first.pat]);
                    let value = self.later(scrutinee);
                    self.tasks.push(Task::Bind(name, local));
                    let body = self.later(first.body);
                    self.tasks.push(Task::Unbind(undo));
                    return Some(Expr::Let(local, value, body));
                }
            }
            return None;
        }
        let mut to = to;
        let local = match known {
            Some(local) => local,
            None => {
                let pats = alts.iter().map(|alt| PatRef::Ast(alt.pat));
                let name = pats.clone().find_map(|pat| patterns.variable(pat));
                let local = self.program.local(name, ast.expr_spans[scrutinee]);
                let value = self.later(scrutinee);
                let rest = self.program.expr(Expr::Error, span);
                self.program.exprs[to] = Expr::Force(local, value, rest);
                to = rest;
                local
            }
        };
        let tree = matching::compile(
            &mut self.program,
            patterns,
            alts.iter().map(|alt| PatRef::Ast(alt.pat)),
            local,
            known.is_none(),
            &mut self.bigs,
        );
        for &scrutinee in &tree.scrutinees {
            self.use_local(scrutinee);
        }
        let mut bodies = Vec::with_capacity(tree.leaves.len());
        for leaf in &tree.leaves {
            for &(name, local) in &leaf.binds {
                self.tasks.push(Task::Bind(name, local));
            }
            bodies.push(self.later(alts[leaf.alt].body));
            if !leaf.binds.is_empty() {
                self.tasks.push(Task::Unbind(undo));
            }
        }
        tree.emit(&mut self.program, to, &bodies, span);
        None
    }
}

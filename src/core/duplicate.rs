//! Copies of expressions within their program, what they bind renamed.

use rustc_hash::FxHashMap;

use super::expr::{
    Bind, Branches, ConBranch, Expr, ExprId, GlobalId, Join, JoinId, LocalId, Program, Switch,
};
use crate::base::index::List;
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;

/// A copy under way of an expression that holds no function.
pub(crate) struct Duplicate<'p, F> {
    /// The program.
    pub(crate) program: &'p mut Program,
    /// The place of the copy of an expression at a place.
    place: F,
    locals: FxHashMap<LocalId, LocalId>,
    joins: FxHashMap<JoinId, JoinId>,
    /// The globals that the copy mentions.
    pub(crate) mentioned: Vec<GlobalId>,
}

impl<'p, F: FnMut(&mut Program, Span) -> Span> Duplicate<'p, F> {
    /// Begins a copy; `place` returns the place of the copy of what is at a place.
    pub(crate) fn new(program: &'p mut Program, place: F) -> Duplicate<'p, F> {
        let (locals, joins, mentioned) = Default::default();
        Duplicate { program, place, locals, joins, mentioned }
    }

    /// Returns a new local for one that the copy binds.
    pub(crate) fn bind(&mut self, local: LocalId) -> LocalId {
        let new = self.program.locals.push(self.program.locals[local]);
        self.locals.insert(local, new);
        new
    }

    /// Puts a variable in the place of one.
    pub(crate) fn rename(&mut self, local: LocalId, by: LocalId) {
        self.locals.insert(local, by);
    }

    fn bind_all(&mut self, locals: List<LocalId>) -> List<LocalId> {
        let locals = self.program.local_lists[locals].to_vec();
        let locals: Vec<LocalId> = locals.into_iter().map(|local| self.bind(local)).collect();
        self.program.local_lists.add(locals)
    }

    fn local(&self, local: LocalId) -> LocalId {
        *self.locals.get(&local).unwrap_or(&local)
    }

    /// Returns a copy of an expression.
    pub(crate) fn expr(&mut self, expr: ExprId) -> ExprId {
        ensure_sufficient_stack(|| {
            let copied = self.step(expr);
            let span = self.program.spans[expr];
            let span = (self.place)(self.program, span);
            self.program.expr(copied, span)
        })
    }

    fn exprs(&mut self, exprs: List<ExprId>) -> List<ExprId> {
        let exprs = self.program.expr_lists[exprs].to_vec();
        let exprs: Vec<ExprId> = exprs.into_iter().map(|expr| self.expr(expr)).collect();
        self.program.expr_lists.add(exprs)
    }

    fn step(&mut self, expr: ExprId) -> Expr {
        match self.program.exprs[expr] {
            Expr::Local(local) => Expr::Local(self.local(local)),
            Expr::App(callee, args) => {
                let callee = self.expr(callee);
                Expr::App(callee, self.exprs(args))
            }
            Expr::Let(local, value, body) => {
                let value = self.expr(value);
                let local = self.bind(local);
                Expr::Let(local, value, self.expr(body))
            }
            Expr::Force(local, value, body) => {
                let value = self.expr(value);
                let local = self.bind(local);
                Expr::Force(local, value, self.expr(body))
            }
            Expr::Perform(local, value, body) => {
                let value = self.expr(value);
                let local = self.bind(local);
                Expr::Perform(local, value, self.expr(body))
            }
            Expr::Letrec(binds, body) => {
                let binds = self.program.binds[binds].to_vec();
                let locals: Vec<LocalId> = binds.iter().map(|bind| self.bind(bind.local)).collect();
                let binds: Vec<Bind> = binds
                    .into_iter()
                    .zip(locals)
                    .map(|(bind, local)| Bind { local, value: self.expr(bind.value) })
                    .collect();
                let binds = self.program.binds.add(binds);
                Expr::Letrec(binds, self.expr(body))
            }
            Expr::Switch(switch) => {
                let switch = self.program.switches[switch].clone();
                let switch = self.switch(switch);
                Expr::Switch(self.program.switches.push(switch))
            }
            Expr::Join(join, body) => {
                let Join { params, handler } = self.program.joins[join];
                let params = self.bind_all(params);
                let handler = self.expr(handler);
                let new = self.program.joins.push(Join { params, handler });
                self.joins.insert(join, new);
                Expr::Join(new, self.expr(body))
            }
            Expr::Jump(join, args) => {
                let new = *self.joins.get(&join).unwrap_or(&join);
                Expr::Jump(new, self.exprs(args))
            }
            Expr::Lam(..) => unreachable!("lifting leaves none: its lint checks it"),
            Expr::Global(global) => {
                self.mentioned.push(global);
                Expr::Global(global)
            }
            same @ (Expr::Lit(_) | Expr::Text(_) | Expr::Con(_) | Expr::NoMatch | Expr::Error) => {
                same
            }
        }
    }

    fn switch(&mut self, switch: Switch) -> Switch {
        let Switch { scrutinee, evaluated, branches, default } = switch;
        let branches = match branches {
            Branches::Lits(branches) => Branches::Lits(
                branches.into_iter().map(|(lit, body)| (lit, self.expr(body))).collect(),
            ),
            Branches::Cons(branches) => Branches::Cons(
                branches
                    .into_iter()
                    .map(|ConBranch { con, fields, body }| ConBranch {
                        con,
                        fields: fields
                            .into_iter()
                            .map(|field| field.map(|field| self.bind(field)))
                            .collect(),
                        body: self.expr(body),
                    })
                    .collect(),
            ),
        };
        let default = default.map(|default| self.expr(default));
        Switch { scrutinee: self.local(scrutinee), evaluated, branches, default }
    }
}

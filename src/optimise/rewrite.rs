//! Writes a program anew from what `main` and the roots reach, with changes that a pass has
//! planned: bindings and parameters are removed, variables are replaced, bindings move.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::base::index::{Idx, List};
use crate::base::span::Span;
use crate::core::copy::{Copier, Numbers, take_tables};
use crate::core::expr::{Bind, Expr, ExprId, GlobalId, GlobalKind, Lit, LocalId, Program, Switch};
use crate::core::signature::Demand;

/// The change of a local's binding and its uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rewrite {
    /// No change.
    Keep,
    /// Removes the binding of a local that nothing uses, or the parameter and what is passed
    /// for it.
    Drop,
    /// Keeps a parameter that nothing uses; 0 is passed for it.
    PassZero,
    /// Removes the binding and puts the expression in the place of each use. It is an atom, or
    /// the local is used once.
    Replace(ExprId),
}

/// The changes. Expressions and locals are those of the old program.
pub(super) struct Plan {
    /// The change of each local.
    pub rewrites: Vec<Rewrite>,
    /// The `let` or `letrec` expressions that are not written where they stand, but around
    /// these expressions, outermost first.
    pub around: FxHashMap<ExprId, Vec<ExprId>>,
    /// Whether each expression is one of those.
    pub moved: Vec<bool>,
}

impl Plan {
    /// Returns a plan without changes.
    pub fn new(program: &Program) -> Plan {
        Plan {
            rewrites: vec![Rewrite::Keep; program.locals.len()],
            around: FxHashMap::default(),
            moved: vec![false; program.exprs.len()],
        }
    }

    fn is_dropped(&self, local: LocalId) -> bool {
        self.rewrites[local.index()] == Rewrite::Drop
    }
}

struct Rewriter<'p> {
    plan: &'p Plan,
    copier: Copier<'p>,
    /// How many bindings that nothing used have been left out.
    removed: u64,
}

/// A program with the changes made.
pub(super) struct Rewritten {
    pub program: Program,
    /// How many bindings that nothing used have been removed.
    pub removed: u64,
    pub numbers: Numbers,
}

/// Returns the program with the changes made.
pub(super) fn rewrite(program: Program, plan: &Plan) -> Rewritten {
    let mut old = program;
    let new = take_tables(&mut old);
    let is_dropped = |local| plan.is_dropped(local);
    let mut rewriter = Rewriter { plan, copier: Copier::new(&old, new, &is_dropped), removed: 0 };
    for kept in old.kept() {
        rewriter.copier.global(kept);
    }
    let mut next = 0;
    while let Some(global) = rewriter.copier.met(next) {
        next += 1;
        rewriter.definition(global);
    }
    let removed = rewriter.removed;
    let (program, numbers) = rewriter.copier.end();
    Rewritten { program, removed, numbers }
}

impl<'p> Rewriter<'p> {
    fn old(&self) -> &'p Program {
        self.copier.old
    }

    fn definition(&mut self, id: GlobalId) {
        let old = self.old();
        let GlobalKind::Defn { params, body } = old.globals[id].kind else { return };
        let new = self.copier.global(id);
        let olds = &old.local_lists[params];
        let demands = &old.globals[id].signature.demands;
        let demands = olds.iter().zip(demands).filter_map(|(param, demand)| {
            match self.plan.rewrites[param.index()] {
                Rewrite::Drop => None,
                Rewrite::PassZero => Some(Demand::Lazy),
                Rewrite::Keep | Rewrite::Replace(_) => Some(*demand),
            }
        });
        self.copier.new.globals[new].signature.demands = demands.collect();
        let params = self.copier.parameters(olds);
        let body = body.map(|body| self.copier.place(body));
        while let Some((expr, to)) = self.copier.next() {
            self.step(expr, to);
        }
        self.copier.new.globals[new].kind = GlobalKind::Defn { params, body };
    }

    /// Places what is passed for parameters and beyond them, and returns the places.
    fn arguments(&mut self, params: &[LocalId], args: &[ExprId]) -> Vec<ExprId> {
        let mut places = Vec::with_capacity(args.len());
        for (at, &arg) in args.iter().enumerate() {
            match params.get(at).map(|param| self.plan.rewrites[param.index()]) {
                Some(Rewrite::Drop) => {}
                Some(Rewrite::PassZero) => {
                    let zero = Expr::Lit(Lit::Int(0));
                    places.push(self.copier.new.expr(zero, self.old().spans[arg]));
                }
                Some(Rewrite::Keep | Rewrite::Replace(_)) | None => {
                    places.push(self.copier.place(arg));
                }
            }
        }
        places
    }

    /// Writes an expression and the bindings that have moved to it.
    fn step(&mut self, expr: ExprId, to: ExprId) {
        let (old, plan) = (self.old(), self.plan);
        let mut to = to;
        for &binding in plan.around.get(&expr).map_or(&[][..], Vec::as_slice) {
            let rest = self.copier.new.expr(Expr::Error, old.spans[expr]);
            let written = match old.exprs[binding] {
                Expr::Let(local, value, _) => {
                    let local = self.copier.bind(local);
                    Expr::Let(local, self.copier.place(value), rest)
                }
                Expr::Letrec(binds, _) => Expr::Letrec(self.bindings(&old.binds[binds]), rest),
                _ => Expr::Error,
            };
            self.copier.new.spans[to] = old.spans[binding];
            self.copier.new.exprs[to] = written;
            to = rest;
        }
        self.write(expr, to);
    }

    /// Returns the body of a `let` or `letrec` that is not written where it stands.
    fn without_bindings(&mut self, expr: ExprId) -> Option<ExprId> {
        let moved = self.plan.moved[expr.index()];
        match self.old().exprs[expr] {
            Expr::Let(local, _, body) => {
                let rewrite = self.plan.rewrites[local.index()];
                self.removed += u64::from(rewrite == Rewrite::Drop);
                (moved || rewrite != Rewrite::Keep).then_some(body)
            }
            Expr::Letrec(binds, body) => {
                let binds = &self.old().binds[binds];
                let unused = binds.iter().all(|bind| self.plan.is_dropped(bind.local));
                if unused {
                    self.removed += binds.len() as u64;
                }
                (unused || moved).then_some(body)
            }
            _ => None,
        }
    }

    fn bindings(&mut self, olds: &[Bind]) -> List<Bind> {
        let news = self.copier.bindings(olds);
        self.removed += (olds.len() - news.len()) as u64;
        news
    }

    fn write(&mut self, expr: ExprId, to: ExprId) {
        let old = self.old();
        let mark = self.copier.mark();
        if let Some(body) = self.without_bindings(expr) {
            self.copier.new.spans[to] = old.spans[expr];
            return self.copier.later(body, to);
        }
        let written = match old.exprs[expr] {
            Expr::Local(local) => match self.plan.rewrites[local.index()] {
                Rewrite::Replace(value) => {
                    self.copier.new.spans[to] = old.spans[expr];
                    return self.copier.later(value, to);
                }
                _ => self.copier.copy(expr),
            },
            Expr::App(callee, args) => self.application(callee, args),
            Expr::Letrec(binds, body) => {
                let binds = self.bindings(&old.binds[binds]);
                Expr::Letrec(binds, self.copier.place(body))
            }
            Expr::Switch(switch) => self.switch(&old.switches[switch], old.spans[expr]),
            _ => self.copier.copy(expr),
        };
        self.copier.write(expr, to, written, mark);
    }

    /// Writes an application. No application is applied: a callee that becomes one is one
    /// with this application.
    fn application(&mut self, callee: ExprId, args: List<ExprId>) -> Expr {
        let old = self.old();
        let mut callee = callee;
        // The arguments of the applications that the callee becomes, the innermost last.
        let mut inner_args = Vec::new();
        loop {
            match old.exprs[callee] {
                Expr::Local(local) => match self.plan.rewrites[local.index()] {
                    Rewrite::Replace(value) => callee = value,
                    _ => break,
                },
                Expr::App(inner, args) => {
                    inner_args.push(args);
                    callee = inner;
                }
                _ => match self.without_bindings(callee) {
                    Some(body) => callee = body,
                    None => break,
                },
            }
        }
        let own = &old.expr_lists[args];
        let args: Cow<'_, [ExprId]> = match inner_args.is_empty() {
            true => Cow::Borrowed(own),
            false => {
                let inner = inner_args.into_iter().rev().flat_map(|args| &old.expr_lists[args]);
                inner.chain(own).copied().collect()
            }
        };
        let params = match old.exprs[callee] {
            Expr::Global(global) => match old.globals[global].kind {
                GlobalKind::Defn { params, .. } => &old.local_lists[params],
                _ => &[],
            },
            _ => &[],
        };
        let callee = self.copier.place(callee);
        let args = self.arguments(params, &args);
        Expr::App(callee, self.copier.new.expr_lists.add(args))
    }

    /// Writes a switch. What its scrutinee is replaced by is another local, or an expression to
    /// be evaluated here.
    fn switch(&mut self, switch: &Switch, span: Span) -> Expr {
        let mut scrutinee = switch.scrutinee;
        let mut value = None;
        while let Rewrite::Replace(by) = self.plan.rewrites[scrutinee.index()] {
            match self.old().exprs[by] {
                Expr::Local(other) => scrutinee = other,
                _ => {
                    value = Some(self.copier.place(by));
                    break;
                }
            }
        }
        let Some(value) = value else {
            let scrutinee = self.copier.local(scrutinee);
            return self.copier.switch(switch, scrutinee, switch.evaluated);
        };
        let scrutinee = self.copier.bind(scrutinee);
        let written = self.copier.switch(switch, scrutinee, true);
        Expr::Force(scrutinee, value, self.copier.new.expr(written, span))
    }
}

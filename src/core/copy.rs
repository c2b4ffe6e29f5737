//! Copies a program from what `main` and the roots reach, with the changes of a pass.
//!
//! A `Copier` copies any form, giving new numbers to what it meets; a pass matches the forms
//! that it changes and leaves the others to it. Copies are written from the outside inwards:
//! an expression gets a place in the new program first, and is written there when its turn
//! comes, so depth costs no native stack.

use super::expr::{
    Bind, Branches, ConBranch, Expr, ExprId, GlobalId, Join, JoinId, LocalId, Program, Switch,
};
use crate::base::index::{Idx, IndexVec, List};

/// What the globals and locals of a program are in a copy of it.
pub(crate) struct Numbers {
    globals: Vec<Option<GlobalId>>,
    locals: Vec<LocalId>,
}

/// What a local is that has not been copied.
const NOWHERE: LocalId = LocalId(u32::MAX);

impl Numbers {
    /// Returns what a global is in the copy, if it is there.
    pub(crate) fn of_global(&self, old: GlobalId) -> Option<GlobalId> {
        self.globals[old.index()]
    }

    /// Returns what a local is in the copy, if it is there.
    pub(crate) fn of_local(&self, old: LocalId) -> Option<LocalId> {
        Some(self.locals[old.index()]).filter(|&new| new != NOWHERE)
    }
}

/// A copy under way.
pub(crate) struct Copier<'p> {
    /// The program that is copied.
    pub(crate) old: &'p Program,
    /// What is written of the copy.
    pub(crate) new: Program,
    /// Whether the binding of a local is left out.
    drops: &'p dyn Fn(LocalId) -> bool,
    numbers: Numbers,
    joins: Vec<JoinId>,
    /// The old globals that have been met, in that order.
    met: Vec<GlobalId>,
    /// Old expressions and their places in the new program, the next one to be written last.
    pending: Vec<(ExprId, ExprId)>,
}

/// Moves the tables that a copy shares with its original to the new program.
pub(crate) fn take_tables(old: &mut Program) -> Program {
    Program {
        datas: std::mem::take(&mut old.datas),
        cons: std::mem::take(&mut old.cons),
        bigs: std::mem::take(&mut old.bigs),
        texts: std::mem::take(&mut old.texts),
        places: std::mem::take(&mut old.places),
        // What is made of it is about as large.
        exprs: IndexVec::with_capacity(old.exprs.len()),
        spans: IndexVec::with_capacity(old.exprs.len()),
        ..Program::default()
    }
}

impl<'p> Copier<'p> {
    /// Begins a copy of `old` in `new`, which has the tables of [`take_tables`]. The bindings
    /// of locals for which `drops` returns true are left out.
    pub(crate) fn new(
        old: &'p Program,
        new: Program,
        drops: &'p dyn Fn(LocalId) -> bool,
    ) -> Copier<'p> {
        let mut copier = Copier {
            old,
            new,
            drops,
            numbers: Numbers {
                globals: vec![None; old.globals.len()],
                locals: vec![NOWHERE; old.locals.len()],
            },
            joins: vec![JoinId(u32::MAX); old.joins.len()],
            met: Vec::new(),
            pending: Vec::new(),
        };
        copier.new.main = old.main.map(|main| copier.global(main));
        copier.new.roots = old.roots.iter().map(|&root| copier.global(root)).collect();
        copier
    }

    /// Returns the copy, and what the globals and locals are in it.
    pub(crate) fn end(self) -> (Program, Numbers) {
        (self.new, self.numbers)
    }

    /// Returns the copy of a global; its definition is still to be copied.
    pub(crate) fn global(&mut self, old: GlobalId) -> GlobalId {
        if let Some(new) = self.numbers.globals[old.index()] {
            return new;
        }
        let new = self.new.globals.push(self.old.globals[old].clone());
        self.numbers.globals[old.index()] = Some(new);
        self.met.push(old);
        new
    }

    /// Returns the `nth` of the old globals that have been met.
    pub(crate) fn met(&self, nth: usize) -> Option<GlobalId> {
        self.met.get(nth).copied()
    }

    /// Returns a new local for an old one, whose uses from here on are uses of the new one.
    pub(crate) fn bind(&mut self, old: LocalId) -> LocalId {
        let new = self.new.locals.push(self.old.locals[old]);
        self.numbers.locals[old.index()] = new;
        new
    }

    /// Returns what an old local is called at present.
    pub(crate) fn local(&self, old: LocalId) -> LocalId {
        self.numbers.locals[old.index()]
    }

    /// Binds those of some parameters that are not dropped.
    pub(crate) fn parameters(&mut self, olds: &[LocalId]) -> List<LocalId> {
        let kept: Vec<LocalId> = olds.iter().filter(|&&old| !(self.drops)(old)).copied().collect();
        let news: Vec<LocalId> = kept.into_iter().map(|old| self.bind(old)).collect();
        self.new.local_lists.add(news)
    }

    /// Returns a place for an old expression, which is written there later.
    pub(crate) fn place(&mut self, expr: ExprId) -> ExprId {
        let to = self.new.expr(Expr::Error, self.old.spans[expr]);
        self.later(expr, to);
        to
    }

    /// Schedules the writing of an old expression to a place.
    pub(crate) fn later(&mut self, expr: ExprId, to: ExprId) {
        self.pending.push((expr, to));
    }

    /// Returns the next expression to be written, and its place.
    pub(crate) fn next(&mut self) -> Option<(ExprId, ExprId)> {
        self.pending.pop()
    }

    /// Returns how many expressions are still to be written.
    pub(crate) fn mark(&self) -> usize {
        self.pending.len()
    }

    /// Writes an expression to its place. What has been placed since `mark` is written in the
    /// order of the source, so that globals are met in that order.
    pub(crate) fn write(&mut self, expr: ExprId, to: ExprId, written: Expr, mark: usize) {
        self.new.spans[to] = self.old.spans[expr];
        self.new.exprs[to] = written;
        self.pending[mark..].reverse();
    }

    /// Copies an expression as it is but for what is dropped, and places its sub-expressions.
    pub(crate) fn copy(&mut self, expr: ExprId) -> Expr {
        let old = self.old;
        match old.exprs[expr] {
            // What has no form in the new program: functions have been lifted.
            Expr::Error | Expr::Lam(..) => Expr::Error,
            form @ (Expr::Lit(_) | Expr::Text(_) | Expr::Con(_) | Expr::NoMatch) => form,
            Expr::Local(local) => Expr::Local(self.local(local)),
            Expr::Global(global) => Expr::Global(self.global(global)),
            Expr::App(callee, args) => {
                let callee = self.place(callee);
                let args: Vec<ExprId> =
                    old.expr_lists[args].iter().map(|&arg| self.place(arg)).collect();
                Expr::App(callee, self.new.expr_lists.add(args))
            }
            Expr::Let(local, value, body) => {
                let local = self.bind(local);
                Expr::Let(local, self.place(value), self.place(body))
            }
            Expr::Letrec(binds, body) => {
                let binds = self.bindings(&old.binds[binds]);
                Expr::Letrec(binds, self.place(body))
            }
            Expr::Force(local, value, body) => {
                let local = self.bind(local);
                Expr::Force(local, self.place(value), self.place(body))
            }
            Expr::Perform(local, value, body) => {
                let local = self.bind(local);
                Expr::Perform(local, self.place(value), self.place(body))
            }
            Expr::Join(join, body) => {
                let Join { params, handler } = old.joins[join];
                let params = self.parameters(&old.local_lists[params]);
                let (body, handler) = (self.place(body), self.place(handler));
                let new = self.new.joins.push(Join { params, handler });
                self.joins[join.index()] = new;
                Expr::Join(new, body)
            }
            Expr::Jump(join, args) => {
                let params = &old.local_lists[old.joins[join].params];
                let passed = params.iter().zip(&old.expr_lists[args]);
                let kept = passed.filter(|(param, _)| !(self.drops)(**param));
                let kept: Vec<ExprId> = kept.map(|(_, &arg)| arg).collect();
                let args: Vec<ExprId> = kept.into_iter().map(|arg| self.place(arg)).collect();
                Expr::Jump(self.joins[join.index()], self.new.expr_lists.add(args))
            }
            Expr::Switch(switch) => {
                let switch = &old.switches[switch];
                let scrutinee = self.local(switch.scrutinee);
                self.switch(switch, scrutinee, switch.evaluated)
            }
        }
    }

    /// Copies those bindings of a letrec that are not dropped.
    pub(crate) fn bindings(&mut self, olds: &[Bind]) -> List<Bind> {
        let kept = olds.iter().filter(|bind| !(self.drops)(bind.local));
        let kept: Vec<Bind> = kept.copied().collect();
        let locals: Vec<LocalId> = kept.iter().map(|bind| self.bind(bind.local)).collect();
        let binds: Vec<Bind> = kept
            .iter()
            .zip(locals)
            .map(|(bind, local)| Bind { local, value: self.place(bind.value) })
            .collect();
        self.new.binds.add(binds)
    }

    /// Copies a switch with another scrutinee, a local of the new program.
    pub(crate) fn switch(&mut self, switch: &Switch, scrutinee: LocalId, evaluated: bool) -> Expr {
        let branches = match &switch.branches {
            Branches::Cons(branches) => {
                Branches::Cons(branches.iter().map(|branch| self.branch(branch)).collect())
            }
            Branches::Lits(branches) => Branches::Lits(
                branches.iter().map(|&(lit, body)| (lit, self.place(body))).collect(),
            ),
        };
        let default = switch.default.map(|default| self.place(default));
        Expr::Switch(self.new.switches.push(Switch { scrutinee, evaluated, branches, default }))
    }

    fn branch(&mut self, branch: &ConBranch) -> ConBranch {
        let field = |field: &Option<LocalId>| {
            let kept = field.filter(|&field| !(self.drops)(field));
            kept.map(|field| self.bind(field))
        };
        let fields = branch.fields.iter().map(field).collect();
        ConBranch { con: branch.con, fields, body: self.place(branch.body) }
    }
}

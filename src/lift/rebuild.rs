//! Writes the supercombinators: a new program from what `main` and the roots reach.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::capture::{Captures, params};
use crate::base::index::{Idx, List};
use crate::base::span::Span;
use crate::core::expr::{
    Bind, Branches, ConBranch, Expr, ExprId, Global, GlobalId, GlobalKind, Join, JoinId, LocalId,
    Program, Switch,
};
use crate::core::signature::Signature;

/// A supercombinator to be written.
struct Job {
    global: GlobalId,
    /// The definition that it stands in, after which it is named.
    home: GlobalId,
    /// Variables of the old program that become parameters.
    params: Vec<LocalId>,
    /// The old expression that becomes its body.
    body: ExprId,
}

struct Rebuild<'p> {
    old: &'p Program,
    captures: &'p Captures,
    new: Program,
    /// New globals of old ones, and of functions and lazy expressions.
    globals: Vec<Option<GlobalId>>,
    lifted: FxHashMap<ExprId, GlobalId>,
    /// How many supercombinators have been named after a new global.
    counts: FxHashMap<GlobalId, u32>,
    /// What a variable is called in the supercombinator that is being written.
    locals: Vec<LocalId>,
    /// The new joins of old ones.
    joins: Vec<JoinId>,
    jobs: Vec<Job>,
    home: GlobalId,
    /// Old expressions and where their new form goes.
    tasks: Vec<(ExprId, ExprId)>,
}

/// The new program.
pub(super) fn rebuild(old: &mut Program, captures: &Captures) -> Program {
    let new = Program {
        datas: std::mem::take(&mut old.datas),
        cons: std::mem::take(&mut old.cons),
        bigs: std::mem::take(&mut old.bigs),
        texts: std::mem::take(&mut old.texts),
        ..Program::default()
    };
    let old = &*old;
    let mut rebuild = Rebuild {
        old,
        captures,
        new,
        globals: vec![None; old.globals.len()],
        lifted: FxHashMap::default(),
        counts: FxHashMap::default(),
        locals: vec![LocalId(u32::MAX); old.locals.len()],
        joins: vec![JoinId(u32::MAX); old.joins.len()],
        jobs: Vec::new(),
        home: GlobalId(0),
        tasks: Vec::new(),
    };
    rebuild.new.main = old.main.map(|main| rebuild.global(main));
    rebuild.new.roots = old.roots.iter().map(|&root| rebuild.global(root)).collect();
    let mut next = 0;
    while next < rebuild.jobs.len() {
        rebuild.supercombinator(next);
        next += 1;
    }
    rebuild.new
}

impl Rebuild<'_> {
    fn global(&mut self, old: GlobalId) -> GlobalId {
        if let Some(new) = self.globals[old.index()] {
            return new;
        }
        let global = self.old.globals[old].clone();
        let kind = global.kind;
        let new = self.new.globals.push(global);
        self.globals[old.index()] = Some(new);
        if let GlobalKind::Defn { params, body: Some(body) } = kind {
            let params = self.old.local_lists[params].to_vec();
            self.jobs.push(Job { global: new, home: new, params, body });
        }
        new
    }

    /// The supercombinator of a function or lazy expression.
    fn lift(&mut self, expr: ExprId, captured: &[LocalId]) -> GlobalId {
        if let Some(&global) = self.lifted.get(&expr) {
            return global;
        }
        let home = self.home;
        let count = self.counts.entry(home).or_insert(0);
        *count += 1;
        let symbol: Arc<str> = format!("{}${count}", self.new.globals[home].symbol).into();
        let global = self.new.globals.push(Global {
            symbol,
            display: None,
            kind: GlobalKind::Defn { params: List::EMPTY, body: None },
            span: self.old.spans[expr],
            signature: Signature::default(),
        });
        self.lifted.insert(expr, global);
        let own = &self.old.local_lists[params(self.old, expr)];
        let params = captured.iter().chain(own).copied().collect();
        let body = match self.old.exprs[expr] {
            Expr::Lam(_, body) => body,
            _ => expr,
        };
        self.jobs.push(Job { global, home, params, body });
        global
    }

    fn bind(&mut self, old: LocalId) -> LocalId {
        let new = self.new.locals.push(self.old.locals[old]);
        self.locals[old.index()] = new;
        new
    }

    fn supercombinator(&mut self, job: usize) {
        let Job { global, home, ref mut params, body } = self.jobs[job];
        let params = std::mem::take(params);
        self.home = home;
        let params: Vec<LocalId> = params.into_iter().map(|param| self.bind(param)).collect();
        let params = self.new.local_lists.add(params);
        let to = self.new.expr(Expr::Error, self.old.spans[body]);
        // A lazy expression is the body of its own supercombinator.
        match self.lifted.get(&body) {
            Some(&own) if own == global => self.write(body, to),
            _ => self.step(body, to),
        }
        while let Some((expr, to)) = self.tasks.pop() {
            self.step(expr, to);
        }
        self.new.globals[global].kind = GlobalKind::Defn { params, body: Some(to) };
    }

    /// A place for an old expression.
    fn place(&mut self, expr: ExprId) -> ExprId {
        let to = self.new.expr(Expr::Error, self.old.spans[expr]);
        self.tasks.push((expr, to));
        to
    }

    fn step(&mut self, expr: ExprId, to: ExprId) {
        match self.reference(expr) {
            Some((global, captured)) => {
                self.new.exprs[to] = self.apply(global, captured, Vec::new(), self.old.spans[expr]);
            }
            None => self.write(expr, to),
        }
    }

    /// The supercombinator that an expression has become, and the variables that it captures.
    fn reference(&mut self, expr: ExprId) -> Option<(GlobalId, Vec<LocalId>)> {
        let function = match self.old.exprs[expr] {
            Expr::Local(local) => self.captures.function(local)?,
            _ => expr,
        };
        let captured = self.captures.captured(self.captures.point(function)?);
        let global = self.lift(function, captured);
        Some((global, captured.iter().map(|&local| self.locals[local.index()]).collect()))
    }

    fn apply(
        &mut self,
        global: GlobalId,
        captured: Vec<LocalId>,
        args: Vec<ExprId>,
        span: Span,
    ) -> Expr {
        if captured.is_empty() && args.is_empty() {
            return Expr::Global(global);
        }
        let callee = self.new.expr(Expr::Global(global), span);
        let mut all = Vec::with_capacity(captured.len() + args.len());
        for local in captured {
            all.push(self.new.expr(Expr::Local(local), span));
        }
        all.extend(args);
        Expr::App(callee, self.new.expr_lists.add(all))
    }

    /// Writes an expression that stays where it is.
    fn write(&mut self, expr: ExprId, to: ExprId) {
        let old = self.old;
        let mark = self.tasks.len();
        let span = old.spans[expr];
        self.new.spans[to] = span;
        let written = match old.exprs[expr] {
            Expr::Lit(lit) => Expr::Lit(lit),
            Expr::Text(text) => Expr::Text(text),
            Expr::Con(con) => Expr::Con(con),
            Expr::NoMatch => Expr::NoMatch,
            // A function that stays is no expression of a program that has been lifted.
            Expr::Error | Expr::Lam(..) => Expr::Error,
            Expr::Local(local) => Expr::Local(self.locals[local.index()]),
            Expr::Global(global) => Expr::Global(self.global(global)),
            Expr::App(callee, args) => self.application(callee, args, span),
            Expr::Let(local, value, body) => {
                if self.without_bindings(expr).is_some() {
                    // The occurrences of the function are applications of the supercombinator.
                    self.tasks.push((body, to));
                    return;
                }
                let local = self.bind(local);
                Expr::Let(local, self.place(value), self.place(body))
            }
            Expr::Letrec(binds, body) => {
                if self.without_bindings(expr).is_some() {
                    self.tasks.push((body, to));
                    return;
                }
                let data: Vec<Bind> = old.binds[binds]
                    .iter()
                    .filter(|bind| self.captures.function(bind.local).is_none())
                    .copied()
                    .collect();
                let locals: Vec<LocalId> = data.iter().map(|bind| self.bind(bind.local)).collect();
                let binds: Vec<Bind> = data
                    .iter()
                    .zip(locals)
                    .map(|(bind, local)| Bind { local, value: self.place(bind.value) })
                    .collect();
                Expr::Letrec(self.new.binds.add(binds), self.place(body))
            }
            Expr::Force(local, value, body) => {
                let local = self.bind(local);
                Expr::Force(local, self.place(value), self.place(body))
            }
            Expr::Join(join, body) => {
                let Join { params, handler } = old.joins[join];
                let params: Vec<LocalId> =
                    old.local_lists[params].iter().map(|&param| self.bind(param)).collect();
                let params = self.new.local_lists.add(params);
                let (body, handler) = (self.place(body), self.place(handler));
                let new = self.new.joins.push(Join { params, handler });
                self.joins[join.index()] = new;
                Expr::Join(new, body)
            }
            Expr::Jump(join, args) => {
                let args: Vec<ExprId> =
                    old.expr_lists[args].iter().map(|&arg| self.place(arg)).collect();
                Expr::Jump(self.joins[join.index()], self.new.expr_lists.add(args))
            }
            Expr::Switch(switch) => self.switch(&old.switches[switch], span),
        };
        self.new.exprs[to] = written;
        // Names are given in the order of the source.
        self.tasks[mark..].reverse();
    }

    /// The body of a let whose bindings have all become supercombinators.
    fn without_bindings(&self, expr: ExprId) -> Option<ExprId> {
        let gone = |local| self.captures.function(local).is_some();
        match self.old.exprs[expr] {
            Expr::Let(local, _, body) if gone(local) => Some(body),
            Expr::Letrec(binds, body)
                if self.old.binds[binds].iter().all(|bind| gone(bind.local)) =>
            {
                Some(body)
            }
            _ => None,
        }
    }

    fn application(&mut self, callee: ExprId, args: List<ExprId>, span: Span) -> Expr {
        let old = self.old;
        let mut callee = callee;
        let mut groups = vec![args];
        // A callee that becomes an application, or a reference to a supercombinator with
        // what it captures, is one with this application.
        let lifted = loop {
            if let Some(lifted) = self.reference(callee) {
                break Some(lifted);
            }
            match old.exprs[callee] {
                Expr::App(inner, args) => {
                    groups.push(args);
                    callee = inner;
                }
                _ => match self.without_bindings(callee) {
                    Some(body) => callee = body,
                    None => break None,
                },
            }
        };
        let callee = match lifted {
            Some(lifted) => Ok(lifted),
            None => Err(self.place(callee)),
        };
        let args = groups.into_iter().rev().flat_map(|args| &old.expr_lists[args]);
        let args = args.map(|&arg| self.place(arg)).collect();
        match callee {
            Ok((global, captured)) => self.apply(global, captured, args, span),
            Err(callee) => Expr::App(callee, self.new.expr_lists.add(args)),
        }
    }

    fn switch(&mut self, switch: &Switch, span: Span) -> Expr {
        // A local that named a function names nothing any more.
        let function = self.captures.function(switch.scrutinee).is_some();
        let scrutinee = match function {
            true => self.new.locals.push(self.old.locals[switch.scrutinee]),
            false => self.locals[switch.scrutinee.index()],
        };
        let branches = match &switch.branches {
            Branches::Cons(branches) => Branches::Cons(
                branches
                    .iter()
                    .map(|branch| ConBranch {
                        con: branch.con,
                        fields: branch
                            .fields
                            .iter()
                            .map(|field| field.map(|field| self.bind(field)))
                            .collect(),
                        body: self.place(branch.body),
                    })
                    .collect(),
            ),
            Branches::Lits(branches) => Branches::Lits(
                branches.iter().map(|&(lit, body)| (lit, self.place(body))).collect(),
            ),
        };
        let default = switch.default.map(|default| self.place(default));
        let evaluated = switch.evaluated && !function;
        let id = self.new.switches.push(Switch { scrutinee, evaluated, branches, default });
        if !function {
            return Expr::Switch(id);
        }
        let value = self.new.expr(Expr::Error, span);
        if let Some(expr) = self.captures.function(switch.scrutinee)
            && let Some((global, captured)) = self.reference(expr)
        {
            self.new.exprs[value] = self.apply(global, captured, Vec::new(), span);
        }
        let body = self.new.expr(Expr::Switch(id), span);
        Expr::Let(scrutinee, value, body)
    }
}

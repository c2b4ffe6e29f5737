//! Writes the supercombinators: a new program from what `main` and the roots reach.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::capture::{Captures, params};
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::copy::{Copier, take_tables};
use crate::core::expr::{Expr, ExprId, Global, GlobalId, GlobalKind, LocalId, Program, Switch};
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

struct Writer<'p> {
    captures: &'p Captures,
    copier: Copier<'p>,
    /// How many of the globals that the copier has met have a job.
    begun: usize,
    /// The supercombinators that functions and lazy expressions have become.
    lifted: FxHashMap<ExprId, GlobalId>,
    /// How many supercombinators have been named after a new global.
    counts: FxHashMap<GlobalId, u32>,
    jobs: Vec<Job>,
    home: GlobalId,
}

/// Returns the program of supercombinators that a core program with these captures becomes.
pub(super) fn write(old: &mut Program, captures: &Captures) -> Program {
    let new = take_tables(old);
    let is_function = |local| captures.function(local).is_some();
    let mut writer = Writer {
        captures,
        copier: Copier::new(old, new, &is_function),
        begun: 0,
        lifted: FxHashMap::default(),
        counts: FxHashMap::default(),
        jobs: Vec::new(),
        home: GlobalId(0),
    };
    writer.begin();
    let mut next = 0;
    while next < writer.jobs.len() {
        writer.supercombinator(next);
        writer.begin();
        next += 1;
    }
    writer.copier.new
}

impl<'p> Writer<'p> {
    fn old(&self) -> &'p Program {
        self.copier.old
    }

    /// Adds a job for each definition that has been met since the last call.
    fn begin(&mut self) {
        while let Some(old) = self.copier.met(self.begun) {
            self.begun += 1;
            if let GlobalKind::Defn { params, body: Some(body) } = self.old().globals[old].kind {
                let params = self.old().local_lists[params].to_vec();
                let global = self.copier.global(old);
                self.jobs.push(Job { global, home: global, params, body });
            }
        }
    }

    /// Returns the supercombinator of a function or lazy expression.
    fn lift(&mut self, expr: ExprId, captured: &[LocalId]) -> GlobalId {
        if let Some(&global) = self.lifted.get(&expr) {
            return global;
        }
        self.begin();
        let old = self.old();
        let home = self.home;
        let count = self.counts.entry(home).or_insert(0);
        *count += 1;
        let new = &mut self.copier.new;
        let symbol: Arc<str> = format!("{}${count}", new.globals[home].symbol).into();
        let global = new.globals.push(Global {
            symbol,
            display: None,
            kind: GlobalKind::Defn { params: List::EMPTY, body: None },
            span: old.spans[expr],
            signature: Signature::default(),
        });
        self.lifted.insert(expr, global);
        let own = &old.local_lists[params(old, expr)];
        let params = captured.iter().chain(own).copied().collect();
        let body = match old.exprs[expr] {
            Expr::Lam(_, body) => body,
            _ => expr,
        };
        self.jobs.push(Job { global, home, params, body });
        global
    }

    fn supercombinator(&mut self, job: usize) {
        let Job { global, home, ref mut params, body } = self.jobs[job];
        let params = std::mem::take(params);
        self.home = home;
        let params: Vec<LocalId> =
            params.into_iter().map(|param| self.copier.bind(param)).collect();
        let params = self.copier.new.local_lists.add(params);
        let to = self.copier.new.expr(Expr::Error, self.old().spans[body]);
        // A lazy expression is the body of its own supercombinator.
        match self.lifted.get(&body) {
            Some(&own) if own == global => self.in_place(body, to),
            _ => self.write(body, to),
        }
        while let Some((expr, to)) = self.copier.next() {
            self.write(expr, to);
        }
        self.copier.new.globals[global].kind = GlobalKind::Defn { params, body: Some(to) };
    }

    /// Writes an expression, or an application of the supercombinator that it has become.
    fn write(&mut self, expr: ExprId, to: ExprId) {
        match self.reference(expr) {
            Some((global, captured)) => {
                let span = self.old().spans[expr];
                self.copier.new.exprs[to] = self.apply(global, captured, Vec::new(), span);
            }
            None => self.in_place(expr, to),
        }
    }

    /// Returns the supercombinator that an expression has become, and the variables that it
    /// captures.
    fn reference(&mut self, expr: ExprId) -> Option<(GlobalId, Vec<LocalId>)> {
        let function = match self.old().exprs[expr] {
            Expr::Local(local) => self.captures.function(local)?,
            _ => expr,
        };
        let captured = self.captures.captured(self.captures.point(function)?);
        let global = self.lift(function, captured);
        Some((global, captured.iter().map(|&local| self.copier.local(local)).collect()))
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
        let new = &mut self.copier.new;
        let callee = new.expr(Expr::Global(global), span);
        let mut all = Vec::with_capacity(captured.len() + args.len());
        for local in captured {
            all.push(new.expr(Expr::Local(local), span));
        }
        all.extend(args);
        Expr::App(callee, new.expr_lists.add(all))
    }

    /// Writes an expression that stays where it is.
    fn in_place(&mut self, expr: ExprId, to: ExprId) {
        let old = self.old();
        let mark = self.copier.mark();
        if let Some(body) = self.without_bindings(expr) {
            // The occurrences of the functions are applications of the supercombinators.
            self.copier.new.spans[to] = old.spans[expr];
            return self.copier.later(body, to);
        }
        let written = match old.exprs[expr] {
            Expr::App(callee, args) => self.application(callee, args, old.spans[expr]),
            Expr::Switch(switch) => self.switch(&old.switches[switch], old.spans[expr]),
            _ => self.copier.copy(expr),
        };
        self.copier.write(expr, to, written, mark);
    }

    /// Returns the body of a let whose bindings have all become supercombinators.
    fn without_bindings(&self, expr: ExprId) -> Option<ExprId> {
        let is_gone = |local| self.captures.function(local).is_some();
        match self.old().exprs[expr] {
            Expr::Let(local, _, body) if is_gone(local) => Some(body),
            Expr::Letrec(binds, body)
                if self.old().binds[binds].iter().all(|bind| is_gone(bind.local)) =>
            {
                Some(body)
            }
            _ => None,
        }
    }

    fn application(&mut self, callee: ExprId, args: List<ExprId>, span: Span) -> Expr {
        let old = self.old();
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
            None => Err(self.copier.place(callee)),
        };
        let args = groups.into_iter().rev().flat_map(|args| &old.expr_lists[args]);
        let args = args.map(|&arg| self.copier.place(arg)).collect();
        match callee {
            Ok((global, captured)) => self.apply(global, captured, args, span),
            Err(callee) => Expr::App(callee, self.copier.new.expr_lists.add(args)),
        }
    }

    /// Writes a switch. Its scrutinee may name a function, which is then a variable no more:
    /// the reference to the supercombinator is bound to a new one.
    fn switch(&mut self, switch: &Switch, span: Span) -> Expr {
        let Some(function) = self.captures.function(switch.scrutinee) else {
            let scrutinee = self.copier.local(switch.scrutinee);
            return self.copier.switch(switch, scrutinee, switch.evaluated);
        };
        let local = self.old().locals[switch.scrutinee];
        let scrutinee = self.copier.new.locals.push(local);
        let written = self.copier.switch(switch, scrutinee, false);
        let value = self.copier.new.expr(Expr::Error, span);
        if let Some((global, captured)) = self.reference(function) {
            self.copier.new.exprs[value] = self.apply(global, captured, Vec::new(), span);
        }
        let body = self.copier.new.expr(written, span);
        Expr::Let(scrutinee, value, body)
    }
}

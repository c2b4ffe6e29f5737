//! What a program uses: the part of it that can have an effect on what it does.
//!
//! An argument counts only if the parameter that it is passed for is used, the value of a
//! binding only if its variable is, a handler only if something jumps to it, a
//! supercombinator only if a part that counts mentions it. So a variable that is only handed
//! on in a circle is not used. One walk finds the least set: what hangs on a variable waits
//! with it until the variable is found to be used, so each expression is looked at once.

use crate::base::index::Idx;
use crate::core::expr::{Branches, Expr, ExprId, GlobalId, GlobalKind, JoinId, LocalId, Program};

/// What is used.
pub(super) struct Usage {
    /// For each local.
    pub locals: Vec<bool>,
    /// For each join, whether something jumps to it.
    pub joins: Vec<bool>,
    /// For each global, whether it is mentioned.
    pub globals: Vec<bool>,
}

struct Walk<'p> {
    program: &'p Program,
    usage: Usage,
    /// Whether a global is mentioned otherwise than in a call with all its arguments.
    escaped: Vec<bool>,
    /// What counts once a local is used.
    waiting: Vec<Vec<ExprId>>,
    work: Vec<ExprId>,
}

/// Finds what a program uses. If `parameters` is false, every parameter of a supercombinator
/// counts as used.
pub(super) fn usage(program: &Program, parameters: bool) -> Usage {
    let usage = Usage {
        locals: vec![false; program.locals.len()],
        joins: vec![false; program.joins.len()],
        globals: vec![false; program.globals.len()],
    };
    let escaped = vec![false; program.globals.len()];
    let waiting = vec![Vec::new(); program.locals.len()];
    let mut walk = Walk { program, usage, escaped, waiting, work: Vec::new() };
    if !parameters {
        for global in program.globals.indices() {
            walk.escape(global);
        }
    }
    for root in program.kept() {
        walk.mention(root);
        walk.escape(root);
    }
    while let Some(expr) = walk.work.pop() {
        walk.expr(expr);
    }
    walk.usage
}

impl Walk<'_> {
    fn mention(&mut self, global: GlobalId) {
        if !std::mem::replace(&mut self.usage.globals[global.index()], true)
            && let GlobalKind::Defn { body, .. } = self.program.globals[global].kind
        {
            self.work.extend(body);
        }
    }

    /// It may be called with anything from anywhere.
    fn escape(&mut self, global: GlobalId) {
        if !std::mem::replace(&mut self.escaped[global.index()], true)
            && let GlobalKind::Defn { params, .. } = self.program.globals[global].kind
        {
            for &param in &self.program.local_lists[params] {
                self.use_local(param);
            }
        }
    }

    fn use_local(&mut self, local: LocalId) {
        if !std::mem::replace(&mut self.usage.locals[local.index()], true) {
            self.work.append(&mut self.waiting[local.index()]);
        }
    }

    /// `expr` counts if `local` is used.
    fn bound(&mut self, local: LocalId, expr: ExprId) {
        match self.usage.locals[local.index()] {
            true => self.work.push(expr),
            false => self.waiting[local.index()].push(expr),
        }
    }

    fn jump(&mut self, join: JoinId) {
        if !std::mem::replace(&mut self.usage.joins[join.index()], true) {
            self.work.push(self.program.joins[join].handler);
        }
    }

    fn expr(&mut self, expr: ExprId) {
        let program = self.program;
        match program.exprs[expr] {
            Expr::Lit(_) | Expr::Text(_) | Expr::Con(_) | Expr::NoMatch | Expr::Error => {}
            Expr::Local(local) => self.use_local(local),
            Expr::Global(global) => {
                self.mention(global);
                self.escape(global);
            }
            Expr::App(callee, args) => {
                let args = &program.expr_lists[args];
                if let Expr::Global(global) = program.exprs[callee]
                    && let GlobalKind::Defn { params, .. } = program.globals[global].kind
                    && args.len() >= params.len()
                {
                    self.mention(global);
                    let (own, more) = args.split_at(params.len());
                    for (&param, &arg) in program.local_lists[params].iter().zip(own) {
                        self.bound(param, arg);
                    }
                    self.work.extend(more);
                } else {
                    self.work.push(callee);
                    self.work.extend(args);
                }
            }
            Expr::Let(local, value, body) => {
                self.bound(local, value);
                self.work.push(body);
            }
            Expr::Letrec(binds, body) => {
                for bind in &program.binds[binds] {
                    self.bound(bind.local, bind.value);
                }
                self.work.push(body);
            }
            Expr::Lam(_, body) | Expr::Join(_, body) => self.work.push(body),
            Expr::Force(_, value, body) => self.work.extend([value, body]),
            Expr::Switch(switch) => {
                let switch = &program.switches[switch];
                self.use_local(switch.scrutinee);
                match &switch.branches {
                    Branches::Cons(branches) => {
                        self.work.extend(branches.iter().map(|branch| branch.body));
                    }
                    Branches::Lits(branches) => {
                        self.work.extend(branches.iter().map(|&(_, body)| body));
                    }
                }
                self.work.extend(switch.default);
            }
            Expr::Jump(join, args) => {
                self.jump(join);
                let params = &program.local_lists[program.joins[join].params];
                for (&param, &arg) in params.iter().zip(&program.expr_lists[args]) {
                    self.bound(param, arg);
                }
            }
        }
    }
}

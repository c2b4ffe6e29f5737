//! What a program uses: the part of it that can have an effect on what it does.
//!
//! An argument counts only if the parameter that it is passed for is used, the value of a
//! binding only if its variable is, a handler only if something jumps to it, a
//! supercombinator only if a part that counts mentions it. So a variable that is only handed
//! on in a circle is not used. One walk finds the least set: what hangs on a variable waits
//! with it until the variable is found to be used, so each expression is looked at once.

use crate::base::index::{Idx, IndexVec};
use crate::base::scc::components;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, JoinId, LocalId, Program};
use crate::core::traverse::Position;

/// What is used.
pub(super) struct Usage {
    /// For each local, whether it is used.
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
        walk.reference(root);
        walk.escape(root);
    }
    while let Some(expr) = walk.work.pop() {
        walk.expr(expr);
    }
    walk.usage
}

impl Walk<'_> {
    fn reference(&mut self, global: GlobalId) {
        if !std::mem::replace(&mut self.usage.globals[global.index()], true)
            && let GlobalKind::Defn { body, .. } = self.program.globals[global].kind
        {
            self.work.extend(body);
        }
    }

    /// Notes that a global may be called from anywhere: all its parameters are used.
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

    /// Notes that `expr` counts if `local` is used.
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
        if let Some(local) = program.used_local(expr) {
            self.use_local(local);
        }
        match program.exprs[expr] {
            Expr::Global(global) => {
                self.reference(global);
                self.escape(global);
            }
            Expr::App(callee, args) => self.application(expr, callee, &program.expr_lists[args]),
            Expr::Jump(join, args) => {
                self.jump(join);
                let params = &program.local_lists[program.joins[join].params];
                for (&param, &arg) in params.iter().zip(&program.expr_lists[args]) {
                    self.bound(param, arg);
                }
            }
            _ => {
                for child in program.children(expr) {
                    match child.position {
                        Position::Binding(local) => self.bound(local, child.expr),
                        // It counts if something jumps to it.
                        Position::Handler(_) => {}
                        _ => self.work.push(child.expr),
                    }
                }
            }
        }
    }

    fn application(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId]) {
        let program = self.program;
        if let Expr::Global(global) = program.exprs[callee]
            && let GlobalKind::Defn { params, .. } = program.globals[global].kind
            && args.len() >= params.len()
        {
            self.reference(global);
            let (own, more) = args.split_at(params.len());
            for (&param, &arg) in program.local_lists[params].iter().zip(own) {
                self.bound(param, arg);
            }
            self.work.extend(more);
        } else {
            program.push_children(expr, &mut self.work);
        }
    }
}

/// Returns the globals that the body of each mentions, by their numbers.
fn mentions(program: &Program) -> Vec<Vec<u32>> {
    let mut mentions = vec![Vec::new(); program.globals.len()];
    for (id, global) in program.globals.enumerate() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        for expr in program.walk(body) {
            if let Expr::Global(of) = program.exprs[expr] {
                mentions[id.index()].push(of.0);
            }
        }
    }
    mentions
}

/// Returns for each global the circle of those that can come to call themselves by name which it is
/// in, if it is in one.
pub(super) fn circles(program: &Program) -> IndexVec<GlobalId, Option<u32>> {
    let edges = mentions(program);
    let mut circles: IndexVec<GlobalId, _> = program.globals.iter().map(|_| None).collect();
    for (number, component) in (0..).zip(components(&edges)) {
        let cyclic = match component.as_slice() {
            [one] => edges[*one as usize].contains(one),
            _ => true,
        };
        component.into_iter().for_each(|member| {
            circles[GlobalId(member)] = cyclic.then_some(number);
        });
    }
    circles
}

/// Returns the loop breakers: globals without which none can come to call itself by name (Peyton Jones
/// and Marlow, "Secrets of the Glasgow Haskell Compiler inliner", JFP 2002, section 4). The others may
/// be inlined wherever they are called. First come those that call themselves, then whatever a walk from
/// what is kept finds a way back to.
pub(super) fn loop_breakers(program: &Program) -> IndexVec<GlobalId, bool> {
    let edges = mentions(program);
    let mut is_breaker: IndexVec<GlobalId, bool> =
        program.globals.indices().map(|id| edges[id.index()].contains(&id.0)).collect();
    let mut is_seen: IndexVec<GlobalId, bool> = program.globals.iter().map(|_| false).collect();
    // Those on the way to where the walk is, and how many of its edges each has left.
    let mut is_on_way = is_seen.clone();
    let mut way: Vec<(GlobalId, usize)> = Vec::new();
    for root in program.kept().into_iter().chain(program.globals.indices()) {
        let mut next = Some(root);
        while let Some(global) = next.take().or_else(|| way.last().map(|&(global, _)| global)) {
            if !std::mem::replace(&mut is_seen[global], true) {
                is_on_way[global] = true;
                way.push((global, edges[global.index()].len()));
            }
            let Some((global, left)) = way.last_mut() else { break };
            match left.checked_sub(1) {
                Some(rest) => {
                    *left = rest;
                    let to = GlobalId(edges[global.index()][rest]);
                    match is_on_way[to] {
                        true => is_breaker[to] = true,
                        false if !is_seen[to] && !is_breaker[to] => next = Some(to),
                        false => {}
                    }
                }
                None => {
                    is_on_way[*global] = false;
                    way.pop();
                }
            }
        }
    }
    is_breaker
}

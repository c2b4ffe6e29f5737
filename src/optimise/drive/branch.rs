//! Where only the run can decide: branches, what they share, and joins.

use std::cell::Cell;
use std::rc::Rc;

use super::eval::{Operand, State};
use super::frame::{Action, Entry, Frames, Shared, push};
use super::heap::{EnvId, Name, NodeId, What};
use super::{Abort, Attempt, Driver, Outcome};
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::expr::{
    Branches, ConBranch, Expr, ExprId, GlobalId, Join, JoinId, Lit, LocalId, Switch, SwitchId,
};

/// A source join that is being driven.
pub(super) struct Target {
    env: EnvId,
    depth: u32,
    frames: Frames,
    /// The join of the new program, once something jumps to it.
    join: Cell<Option<JoinId>>,
}

/// Continuations as branches get them.
struct Split {
    /// For the branches.
    inner: Frames,
    /// What was made to be shared, the outermost first.
    shared: Vec<Rc<Shared>>,
    /// For the branching as a whole.
    after: Frames,
}

/// Expressions of this size are copied rather than shared.
const SMALL: usize = 6;
/// Joins that one continuation may have.
const ENTRIES: usize = 8;

impl Driver<'_> {
    /// Drives something whose knowledge and statements are its own, to an expression.
    pub(super) fn scope(
        &mut self,
        span: Span,
        drive: impl FnOnce(&mut Self) -> Attempt<Outcome>,
    ) -> Attempt<ExprId> {
        let (start, before) = (self.block.len(), self.knowledge());
        let outcome = drive(self)?;
        let expr = self.finish(outcome, span);
        let expr = self.wrap(start, expr);
        self.forget_since(before);
        Ok(expr)
    }

    /// Makes ready for branches that end in `frames`.
    fn split(&mut self, frames: &Frames) -> Attempt<Split> {
        if self.straight > 0 {
            return Err(Abort::Branch);
        }
        self.settle_rests();
        Ok(self.divide(frames))
    }

    fn divide(&mut self, frames: &Frames) -> Split {
        let mut split = Split { inner: None, shared: Vec::new(), after: None };
        if frames.is_none() {
            return split;
        }
        if !self.rules.case_of_case {
            self.settle_frames(frames);
            split.after = frames.clone();
            return split;
        }
        // What a thunk comes to is needed after the branches: it gets a name there.
        let mut actions = Vec::new();
        let mut rest = frames;
        while let Some(frame) = rest {
            match frame.action {
                Action::Update(_) => {
                    self.settle_frames(rest);
                    split.after = rest.clone();
                    rest = &None;
                }
                Action::Shared(_) => break,
                ref action => {
                    actions.push(action.clone());
                    rest = &frame.next;
                }
            }
        }
        self.tally.pushed += u64::from(!actions.is_empty() || rest.is_some());
        split.inner = self.share(actions, rest, &mut split.shared);
        split
    }

    /// Frames for several branches: small ones are copied, others are written once.
    fn share(
        &mut self,
        actions: Vec<Action>,
        rest: &Frames,
        shared: &mut Vec<Rc<Shared>>,
    ) -> Frames {
        let mut out = rest.clone();
        for action in actions.into_iter().rev() {
            let is_small = self.is_small(&action);
            if !is_small {
                self.settle_action(&action);
            }
            out = push(action, &out);
            if !is_small {
                let made =
                    Rc::new(Shared { frames: out, depth: self.depth, joins: Default::default() });
                out = push(Action::Shared(made.clone()), &None);
                shared.push(made);
            }
        }
        out
    }

    fn is_small(&self, action: &Action) -> bool {
        let small = |expr| self.size_within(expr, SMALL);
        let operand = |operand: &Operand| match *operand {
            Operand::Expr(expr, _) => small(expr),
            Operand::Node(_) => true,
        };
        match action {
            Action::Update(_) => false,
            Action::Force(_, body, _) => small(*body),
            Action::Consume(switch, ..) => self.is_copied(*switch),
            Action::Switch(..) | Action::Shared(_) | Action::Apply(..) => false,
            Action::If { yes, no, .. } => operand(yes) && operand(no),
            Action::Seq(second) => operand(second),
        }
    }

    /// Whether an expression has at most so many subexpressions and no branches.
    pub(super) fn size_within(&self, expr: ExprId, most: usize) -> bool {
        let old = self.old;
        let mut work = vec![expr];
        let mut size = 0;
        while let Some(expr) = work.pop() {
            size += 1;
            if size > most {
                return false;
            }
            match old.exprs[expr] {
                Expr::App(callee, args) => {
                    work.push(callee);
                    work.extend(&old.expr_lists[args]);
                }
                Expr::Let(_, value, body) | Expr::Force(_, value, body) => {
                    work.extend([value, body]);
                }
                Expr::Letrec(..) | Expr::Switch(_) | Expr::Join(..) | Expr::Lam(..) => {
                    return false;
                }
                Expr::Jump(_, args) => work.extend(&old.expr_lists[args]),
                _ => {}
            }
        }
        true
    }

    /// A value comes to shared frames.
    pub(super) fn enter(&mut self, outcome: Outcome, shared: &Rc<Shared>) -> Attempt<State> {
        if self.depth == shared.depth {
            return Ok(State::Value(outcome, shared.frames.clone()));
        }
        let mut entry = Entry::Value;
        let mut fields = List::EMPTY;
        if let Outcome::Node(node) = outcome
            && self.knows()
            && self.goes_by_value(&shared.frames)
        {
            let known = self.heap.get(node);
            match (known.what, known.name) {
                (What::Con(con, of), None) => (entry, fields) = (Entry::Con(con), of),
                (What::Lit(lit), _) => entry = Entry::Lit(lit),
                _ => {}
            }
        }
        let found = |entry: Entry| {
            let joins = shared.joins.borrow();
            joins.iter().find(|(of, _)| *of == entry).map(|&(_, join)| join)
        };
        let join = match found(entry) {
            Some(join) => Some(join),
            None if shared.joins.borrow().len() < ENTRIES => None,
            None => {
                entry = Entry::Value;
                found(entry)
            }
        };
        let join = join.unwrap_or_else(|| {
            let join = self.placeholder();
            shared.joins.borrow_mut().push((entry, join));
            join
        });
        let args = match entry {
            Entry::Value => vec![self.settled_value(None, outcome, Span::NONE)?],
            Entry::Con(_) => self.heap.items(fields).to_vec(),
            Entry::Lit(_) => Vec::new(),
        };
        let code = self.jump_code(join, &args, Span::NONE);
        Ok(State::Value(Outcome::Ends(code), None))
    }

    fn placeholder(&mut self) -> JoinId {
        self.tally.joins += 1;
        let handler = self.expr(Expr::NoMatch, Span::NONE);
        self.new.joins.push(Join { params: List::EMPTY, handler })
    }

    fn jump_code(&mut self, join: JoinId, args: &[NodeId], span: Span) -> ExprId {
        let args: Vec<ExprId> = args.iter().map(|&arg| self.atom(arg, span)).collect();
        let args = self.new.expr_lists.add(args);
        self.expr(Expr::Jump(join, args), span)
    }

    /// Whether frames begin with a choice by value.
    fn goes_by_value(&self, frames: &Frames) -> bool {
        let mut frames = frames;
        while let Some(frame) = frames {
            match frame.action {
                Action::Update(_) => frames = &frame.next,
                Action::Switch(..) | Action::Consume(..) | Action::If { .. } => return true,
                Action::Force(local, body, _) => {
                    return matches!(self.old.exprs[body], Expr::Switch(switch)
                        if self.old.switches[switch].scrutinee == local);
                }
                _ => return false,
            }
        }
        false
    }

    /// Writes the joins of shared frames around the code that jumps to them.
    fn close(&mut self, shared: Vec<Rc<Shared>>, code: ExprId) -> Attempt<ExprId> {
        let mut code = code;
        for shared in shared.into_iter().rev() {
            let joins = shared.joins.take();
            for (entry, join) in joins {
                let span = self.new.spans[code];
                let mut params = Vec::new();
                self.depth += 1;
                let handler = self.scope(span, |driver| {
                    let node = match entry {
                        Entry::Value => driver.parameter(None, &mut params, span),
                        Entry::Lit(lit) => driver.heap.add(What::Lit(lit)),
                        Entry::Con(con) => {
                            let arity = driver.new.cons[con].arity;
                            let fields: Vec<NodeId> = (0..arity)
                                .map(|_| driver.parameter(None, &mut params, span))
                                .collect();
                            let fields = driver.heap.list(fields);
                            driver.heap.add(What::Con(con, fields))
                        }
                    };
                    driver.run(State::Value(Outcome::Node(node), shared.frames.clone()))
                })?;
                self.depth -= 1;
                let params = self.new.local_lists.add(params);
                self.new.joins[join] = Join { params, handler };
                code = self.expr(Expr::Join(join, code), span);
            }
        }
        Ok(code)
    }

    /// A parameter of which nothing is known.
    pub(super) fn parameter(
        &mut self,
        like: Option<LocalId>,
        params: &mut Vec<LocalId>,
        span: Span,
    ) -> NodeId {
        let local = self.fresh(like, span);
        params.push(local);
        self.heap.named(What::Unknown(false), Name::Local(local))
    }

    fn finish_split(&mut self, split: Split, code: ExprId) -> Attempt<State> {
        let code = self.close(split.shared, code)?;
        Ok(State::Value(Outcome::Code(code), split.after))
    }

    /// A switch on what only the run knows.
    pub(super) fn dynamic_switch(
        &mut self,
        switch: SwitchId,
        env: EnvId,
        node: NodeId,
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        let old = self.old;
        let split = self.split(&frames)?;
        let (scrutinee, evaluated) = self.scrutinee(node, span)?;
        let case = &old.switches[switch];
        self.depth += 1;
        let branches = match &case.branches {
            Branches::Lits(branches) => {
                let mut out = Vec::with_capacity(branches.len());
                for &(lit, body) in branches {
                    let body = self.scope(span, |driver| {
                        driver.learn(node, What::Lit(lit));
                        driver.run(State::Eval(body, env, split.inner.clone()))
                    })?;
                    out.push((lit, body));
                }
                Branches::Lits(out)
            }
            Branches::Cons(branches) => {
                let mut out = Vec::with_capacity(branches.len());
                for branch in branches {
                    let mut locals = Vec::with_capacity(branch.fields.len());
                    let body = self.scope(span, |driver| {
                        let mut nodes = Vec::with_capacity(branch.fields.len());
                        for &field in &branch.fields {
                            let node = driver.parameter(field, &mut locals, span);
                            nodes.push(node);
                            if let Some(field) = field {
                                driver.bind(field, env, node);
                            }
                        }
                        let nodes = driver.heap.list(nodes);
                        driver.learn(node, What::Con(branch.con, nodes));
                        driver.run(State::Eval(branch.body, env, split.inner.clone()))
                    })?;
                    let fields =
                        locals.into_iter().map(|local| self.used[local].then_some(local)).collect();
                    out.push(ConBranch { con: branch.con, fields, body });
                }
                Branches::Cons(out)
            }
        };
        let default = match case.default {
            None => None,
            Some(default) => Some(self.scope(span, |driver| {
                driver.learn(node, What::Unknown(true));
                driver.run(State::Eval(default, env, split.inner.clone()))
            })?),
        };
        self.depth -= 1;
        let switch = self.new.switches.push(Switch { scrutinee, evaluated, branches, default });
        let code = self.expr(Expr::Switch(switch), span);
        self.finish_split(split, code)
    }

    /// Says what a variable is in this branch.
    fn learn(&mut self, node: NodeId, what: What) {
        let known = self.heap.get(node);
        if self.knows() && matches!(known.what, What::Unknown(_)) {
            self.heap.set(node, what, known.name);
            self.select_from(node);
        }
    }

    /// The local to go by, and whether it is certainly evaluated.
    fn scrutinee(&mut self, node: NodeId, span: Span) -> Attempt<(LocalId, bool)> {
        let known = self.heap.get(node);
        if let (What::Unknown(evaluated), Some(Name::Local(local))) = (known.what, known.name) {
            self.used[local] = true;
            return Ok((local, evaluated));
        }
        let code = self.atom(node, span);
        let local = self.force_of(Some(node), None, code, span)?;
        self.used[local] = true;
        if let What::Unknown(_) = known.what {
            self.heap.set(node, What::Unknown(true), Some(Name::Local(local)));
        }
        Ok((local, true))
    }

    /// `if` with its condition evaluated.
    pub(super) fn choose(
        &mut self,
        outcome: Outcome,
        parts: (Operand, Operand, GlobalId),
        next: &Frames,
        span: Span,
    ) -> Attempt<State> {
        let (yes, no, global) = parts;
        if let Outcome::Node(node) = outcome
            && self.knows()
            && let Some(holds) = self.truth(node)
        {
            self.tally.decided += 1;
            return Ok(self.operand(if holds { yes } else { no }, next.clone()));
        }
        match outcome {
            Outcome::Node(node) => self.settle_for(node),
            _ => self.settle_selections(None),
        }
        let split = self.split(next)?;
        let (condition, learnt) = match outcome {
            Outcome::Node(node) => {
                let is = |value| What::Lit(Lit::Int(value));
                (self.atom(node, span), [Some((node, is(1))), Some((node, is(0)))])
            }
            Outcome::Test { code, node, literal, equal } => {
                let learnt = Some((node, self.heap.get(literal).what));
                (code, if equal { [learnt, None] } else { [None, learnt] })
            }
            Outcome::Code(code) | Outcome::Ends(code) => (code, [None, None]),
        };
        let mut parts = Vec::with_capacity(3);
        parts.push(condition);
        self.depth += 1;
        for (part, learnt) in [yes, no].into_iter().zip(learnt) {
            let code = self.scope(span, |driver| {
                if let Some((node, what)) = learnt {
                    driver.learn(node, what);
                }
                let state = driver.operand(part, split.inner.clone());
                driver.run(state)
            })?;
            parts.push(code);
        }
        self.depth -= 1;
        let callee = self.global(global);
        let callee = self.expr(Expr::Global(callee), span);
        let code = self.application(callee, parts, span);
        self.finish_split(split, code)
    }

    /// A join of the old program.
    pub(super) fn join(
        &mut self,
        join: JoinId,
        body: ExprId,
        env: EnvId,
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        let old = self.old;
        let handler = old.joins[join].handler;
        if self.straight == 0 && self.facts.jumps[join] > 1 {
            self.settle_rests();
            let params = &old.local_lists[old.joins[join].params];
            self.settle_exprs(&[handler], params, env);
        }
        let split = self.divide(&frames);
        let target = Rc::new(Target {
            env,
            depth: self.depth,
            frames: split.inner.clone(),
            join: Cell::new(None),
        });
        self.targets.insert((env, join), target.clone());
        let mut outcome = self.run(State::Eval(body, env, split.inner.clone()))?;
        self.targets.remove(&(env, join));
        if let Some(made) = target.join.get() {
            let body = self.finish(outcome, span);
            let mut params = Vec::new();
            self.depth += 1;
            let handler = self.scope(span, |driver| {
                for &param in &old.local_lists[old.joins[join].params] {
                    let node = driver.parameter(Some(param), &mut params, span);
                    driver.bind(param, env, node);
                }
                driver.run(State::Eval(handler, env, split.inner.clone()))
            })?;
            self.depth -= 1;
            let params = self.new.local_lists.add(params);
            self.new.joins[made] = Join { params, handler };
            outcome = Outcome::Code(self.expr(Expr::Join(made, body), span));
        }
        if split.shared.iter().any(|shared| !shared.joins.borrow().is_empty()) {
            let code = self.finish(outcome, span);
            outcome = Outcome::Code(self.close(split.shared, code)?);
        }
        Ok(State::Value(outcome, split.after))
    }

    /// A jump of the old program.
    pub(super) fn jump(
        &mut self,
        join: JoinId,
        args: &[ExprId],
        env: EnvId,
        span: Span,
    ) -> Attempt<State> {
        let old = self.old;
        let Some(target) = self.targets.get(&(env, join)).cloned() else {
            unreachable!("a jump is in its join's body: the lint of core checks it")
        };
        let (nodes, _) = self.arguments(args, env);
        let Join { params, handler } = old.joins[join];
        let inline = self.depth == target.depth
            || self.facts.jumps[join] == 1
            || self.size_within(handler, SMALL);
        if inline {
            for (&param, node) in old.local_lists[params].iter().zip(nodes) {
                self.bind(param, target.env, node);
            }
            return Ok(State::Eval(handler, target.env, target.frames.clone()));
        }
        let made = match target.join.get() {
            Some(made) => made,
            None => {
                let made = self.placeholder();
                target.join.set(Some(made));
                made
            }
        };
        let code = self.jump_code(made, &nodes, span);
        Ok(State::Value(Outcome::Ends(code), None))
    }
}

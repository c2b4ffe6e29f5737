//! Where only the run can decide: branches, and the joins of the old program.

use std::cell::RefCell;
use std::rc::Rc;

use super::body::Incoming;
use super::comparison::Tests;
use super::eval::{Operand, State};
use super::excluded::{Left, Tag};
use super::exits::Opened;
use super::frame::{Action, Entry, Frame, Frames, Shared};
use super::heap::{AbstractValue, EnvId, Name, NodeId};
use super::pattern::Pattern;
use super::share::{HOPS, Split};
use super::{Attempt, Driver, Outcome};
use crate::base::span::Span;
use crate::core::expr::{
    Branches, ConBranch, Expr, ExprId, GlobalId, Join, JoinId, Lit, LocalId, Switch, SwitchId,
};

/// A source join that is being driven.
pub(super) struct Target {
    env: EnvId,
    depth: u32,
    frames: Frames,
    /// The joins of the new program that something jumps to, each with what it is for.
    made: RefCell<Vec<(Vec<Pattern>, JoinId)>>,
}

/// A choice that frames share, of which the alternatives are jumped to.
#[derive(Clone, Copy)]
pub(super) enum Choice<'s> {
    /// By the truth that comes to the frames.
    Truth(&'s Rc<Shared>),
    /// By tests of the number that comes to them.
    Tests(NodeId, &'s Tests<'s>),
}

/// The most ways to enter a join by what is known of its parameters.
const WAYS_IN: usize = 4;
/// The most expressions of a handler that is written for each of them.
const HANDLER: usize = 40;
/// The most jumps that a branch follows to little code, which may end in the next jump, before it jumps itself.
const FOLLOWED: u32 = 30;
/// How deep what is known of a parameter goes.
const DEPTH: u32 = 2;

/// What an alternative of an `if` knows by its condition.
#[derive(Clone, Copy)]
enum Learnt {
    Is(NodeId, Lit),
    IsNot(NodeId, Lit),
}

impl Driver<'_> {
    /// Drives something whose knowledge and statements are its own, to an expression.
    pub(super) fn scope(
        &mut self,
        span: Span,
        drive: impl FnOnce(&mut Self) -> Attempt<Outcome>,
    ) -> Attempt<ExprId> {
        let (start, before) = (self.block.len(), self.knowledge());
        // Where what has been repeated branches, its branches repeat nothing: that would double the
        // code at each of them.
        if self.hops > 0 {
            self.hops = HOPS;
        }
        if self.followed > 0 {
            self.followed = FOLLOWED;
        }
        let outcome = drive(self)?;
        let expr = self.finish(outcome, span);
        let expr = self.wrap(start, expr);
        self.forget_since(before);
        Ok(expr)
    }

    /// Adds a parameter of which nothing is known.
    pub(super) fn parameter(
        &mut self,
        like: Option<LocalId>,
        params: &mut Vec<LocalId>,
        span: Span,
    ) -> NodeId {
        let local = self.fresh(like, span);
        params.push(local);
        self.heap.named(AbstractValue::Unknown(false), Name::Local(local))
    }

    fn finish_split(&mut self, split: Split, opened: Opened, code: ExprId) -> Attempt<State> {
        let code = self.close_exits(opened.functions, code)?;
        let code = self.close(split.shared, code)?;
        self.end = opened.outer;
        Ok(State::Value(Outcome::Code(code), split.after))
    }

    /// Drives a switch on what only the run knows. The alternatives of a choice that frames share
    /// are jumped to.
    pub(super) fn dynamic_switch(
        &mut self,
        switch: SwitchId,
        env: EnvId,
        node: NodeId,
        frames: Frames,
        span: Span,
        choice: Option<&Rc<Shared>>,
    ) -> Attempt<State> {
        let old = self.old;
        let case = &old.switches[switch];
        let ways = case.branches.len() + usize::from(case.default.is_some());
        let own = choice.is_none() || !self.knows();
        let bodies: Vec<ExprId> = case.bodies().collect();
        let split = self.split(if own { &frames } else { &None }, ways, &bodies)?;
        let (scrutinee, evaluated) = self.scrutinee(node, span)?;
        let inner = u32::from(ways > 1);
        let mut common = None;
        if inner > 0 {
            let bodies = case.bodies();
            let alternatives: Vec<(ExprId, EnvId)> = bodies.map(|body| (body, env)).collect();
            let fields: Vec<LocalId> = case.fields().collect();
            let values = self.in_common(&alternatives, &fields);
            self.bind_chains(&values);
            common = Some(values);
        }
        let opened = self.open_exits(common.as_deref(), &split);
        self.depth += inner;
        let mut default = case.default;
        let mut last = None;
        // The alternatives of a shared choice are what jumps lead to.
        if own
            && let Some(body) = default
            && old.exprs[body] != Expr::NoMatch
        {
            match self.left(case, node) {
                Left::Nothing => default = None,
                Left::Only(con) => {
                    let fields = vec![None; self.new.cons[con].arity as usize];
                    last = Some(ConBranch { con, fields, body });
                    default = None;
                }
                Left::Several => {}
            }
        }
        // Where nothing is left, this is never executed, and is a switch all the same.
        let excludes = !self.takes_default(case, node);
        let branches = match &case.branches {
            Branches::Lits(branches) => {
                let mut out = Vec::with_capacity(branches.len());
                for &(lit, body) in branches {
                    if excludes && self.is_excluded(node, Tag::Lit(lit)) {
                        continue;
                    }
                    let body = self.scope(span, |driver| {
                        driver.learn(node, AbstractValue::Lit(lit));
                        driver.alternative_of(body, env, node, &split, Entry::Lit(lit), choice)
                    })?;
                    out.push((lit, body));
                }
                Branches::Lits(out)
            }
            Branches::Cons(branches) => {
                let mut out = Vec::with_capacity(branches.len());
                for branch in branches.iter().chain(&last) {
                    if excludes && self.is_excluded(node, Tag::Con(branch.con)) {
                        continue;
                    }
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
                        driver.learn(node, AbstractValue::Con(branch.con, nodes));
                        let entry = driver.con_entry(branch.con, switch);
                        driver.alternative_of(branch.body, env, node, &split, entry, choice)
                    })?;
                    let fields =
                        locals.into_iter().map(|local| self.used[local].then_some(local)).collect();
                    out.push(ConBranch { con: branch.con, fields, body });
                }
                if last.is_some() {
                    out.sort_by_key(|branch: &ConBranch| self.new.cons[branch.con].tag);
                }
                Branches::Cons(out)
            }
        };
        let default = match default {
            None => None,
            Some(default) => Some(self.scope(span, |driver| {
                driver.learn(node, AbstractValue::Unknown(true));
                driver.exclude_all(node, &case.branches);
                driver.alternative_of(default, env, node, &split, Entry::Default, choice)
            })?),
        };
        self.depth -= inner;
        let (branches, default) = self.covering(branches, default, span);
        let switch = self.new.switches.push(Switch { scrutinee, evaluated, branches, default });
        let code = self.expr(Expr::Switch(switch), span);
        self.finish_split(split, opened, code)
    }

    /// Drives the selection of a field, which is evaluated next, from what only the run knows.
    pub(super) fn dynamic_selection(
        &mut self,
        of: SwitchId,
        at: usize,
        node: NodeId,
        frames: &Frames,
        span: Span,
    ) -> Attempt<State> {
        let old = self.old;
        let split = self.split(frames, 1, &[])?;
        let (scrutinee, evaluated) = self.scrutinee(node, span)?;
        let opened = self.open_exits(None, &split);
        let Branches::Cons(branches) = &old.switches[of].branches else {
            unreachable!("a switch that takes a field out is one on constructors")
        };
        let ConBranch { con, ref fields, .. } = branches[0];
        let mut locals = Vec::with_capacity(fields.len());
        let body = self.scope(span, |driver| {
            let nodes: Vec<NodeId> =
                fields.iter().map(|&field| driver.parameter(field, &mut locals, span)).collect();
            let field = nodes[at];
            let nodes = driver.heap.list(nodes);
            driver.learn(node, AbstractValue::Con(con, nodes));
            let state = driver.demand(field, split.inner.clone());
            driver.run_to_end(state)
        })?;
        let fields = locals.into_iter().map(|local| self.used[local].then_some(local)).collect();
        let branches = Branches::Cons(vec![ConBranch { con, fields, body }]);
        let default = None;
        let switch = self.new.switches.push(Switch { scrutinee, evaluated, branches, default });
        let code = self.expr(Expr::Switch(switch), span);
        self.finish_split(split, opened, code)
    }

    /// Drives an alternative of a choice, or jumps to where it is written.
    fn alternative_of(
        &mut self,
        body: ExprId,
        env: EnvId,
        node: NodeId,
        split: &Split,
        entry: Entry,
        choice: Option<&Rc<Shared>>,
    ) -> Attempt<Outcome> {
        let state = match choice {
            Some(shared) if self.knows() => self.enter_by(entry, node, shared)?,
            _ => State::Eval(body, env, split.inner.clone()),
        };
        self.run_to_end(state)
    }

    /// Notes what a variable is in this branch.
    fn learn(&mut self, node: NodeId, value: AbstractValue) {
        let known = self.heap.get(node);
        if self.knows() && matches!(known.value, AbstractValue::Unknown(_)) {
            self.heap.set(node, value, known.name);
            self.note_whole(node);
            self.select_from(node);
        }
    }

    /// Returns the local to switch on, and whether it is certainly evaluated.
    fn scrutinee(&mut self, node: NodeId, span: Span) -> Attempt<(LocalId, bool)> {
        let known = self.heap.get(node);
        if let (AbstractValue::Unknown(evaluated), Some(Name::Local(local))) =
            (known.value, known.name)
        {
            self.used[local] = true;
            return Ok((local, evaluated));
        }
        let code = self.atom(node, span);
        let local = self.force_of(Some(node), None, code, span)?;
        self.used[local] = true;
        if let AbstractValue::Unknown(_) = known.value {
            self.heap.set(node, AbstractValue::Unknown(true), Some(Name::Local(local)));
        }
        Ok((local, true))
    }

    /// Drives an `if` with its condition evaluated. The alternatives of a choice that frames share
    /// are jumped to.
    pub(super) fn choose(
        &mut self,
        outcome: Outcome,
        parts: (Operand, Operand, GlobalId),
        next: &Frames,
        span: Span,
        choice: Option<Choice<'_>>,
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
            Outcome::Node(node) => self.bind_selections_before(node),
            _ => self.bind_selections(None),
        }
        // The alternatives of a shared choice have their own frames.
        let own = choice.is_none() || !self.knows();
        let bodies: Vec<ExprId> =
            [yes, no].iter().filter_map(|part| Some(part.as_expr()?.0)).collect();
        let bodies = if bodies.len() == 2 { bodies } else { Vec::new() };
        let split = self.split(if own { next } else { &None }, 2, &bodies)?;
        let (condition, learnt) = match outcome {
            Outcome::Node(node) => {
                let is = |value| Some(Learnt::Is(node, Lit::Int(value)));
                (self.atom(node, span), [is(1), is(0)])
            }
            Outcome::Test { code, node, literal, equal } => {
                let mut learnt = [Learnt::Is(node, literal), Learnt::IsNot(node, literal)];
                if !equal {
                    learnt.reverse();
                }
                (code, learnt.map(Some))
            }
            Outcome::Code(code) | Outcome::Ends(code) => (code, [None, None]),
        };
        let alternatives: Vec<(ExprId, EnvId)> =
            [yes, no].into_iter().filter_map(Operand::as_expr).collect();
        let common = self.in_common(&alternatives, &[]);
        self.bind_chains(&common);
        let opened = self.open_exits(Some(&common), &split);
        let mut parts = Vec::with_capacity(3);
        parts.push(condition);
        self.depth += 1;
        for ((part, learnt), holds) in [yes, no].into_iter().zip(learnt).zip([1, 0]) {
            let code = self.scope(span, |driver| {
                match learnt {
                    Some(Learnt::Is(node, literal)) => {
                        driver.learn(node, AbstractValue::Lit(literal));
                    }
                    Some(Learnt::IsNot(node, literal)) => {
                        driver.exclude(node, Tag::Lit(literal));
                    }
                    None => {}
                }
                let state = match choice {
                    Some(Choice::Truth(shared)) if driver.knows() => {
                        let node = driver.heap.add(AbstractValue::Lit(Lit::Int(holds)));
                        driver.enter_by(Entry::Lit(Lit::Int(holds)), node, shared)?
                    }
                    Some(Choice::Tests(number, tests))
                        if driver.knows()
                            && let Operand::Expr(part, _) = part =>
                    {
                        driver.choose_by_tests(part, number, tests)?
                    }
                    _ => driver.operand(part, split.inner.clone()),
                };
                driver.run_to_end(state)
            })?;
            parts.push(code);
        }
        self.depth -= 1;
        let callee = self.global(global);
        let callee = self.expr(Expr::Global(callee), span);
        let code = self.application(callee, parts, span);
        self.finish_split(split, opened, code)
    }

    /// Drives a join of the old program.
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
        if self.unbranching == 0 && self.facts.jumps[join] > 1 {
            self.bind_later();
            let params = &old.local_lists[old.joins[join].params];
            self.bind_shared_of_exprs(&[handler], params, env);
        }
        let split = self.divide(&frames, 2, &[]);
        let target = Rc::new(Target {
            env,
            depth: self.depth,
            frames: split.inner.clone(),
            made: RefCell::default(),
        });
        self.targets.insert((env, join), target.clone());
        // Its body and its handler leave by what branchings around have opened.
        let opened = self.open_exits(None, &split);
        let mut outcome = self.followed_by(&split.after, |driver| {
            driver.run_to_end(State::Eval(body, env, split.inner.clone()))
        })?;
        self.targets.remove(&(env, join));
        let made = target.made.take();
        if !made.is_empty() {
            let mut code = self.finish(outcome, span);
            for (patterns, made) in made {
                let mut holes = Incoming::default();
                self.depth += 1;
                let handler = self.scope(span, |driver| {
                    let params = &old.local_lists[old.joins[join].params];
                    for (&param, pattern) in params.iter().zip(&patterns) {
                        let node = driver.incoming(pattern, Some(param), &mut holes);
                        driver.bind(param, env, node);
                    }
                    driver.run_to_end(State::Eval(handler, env, split.inner.clone()))
                })?;
                self.depth -= 1;
                code = self.write_join(made, holes.params, handler, code);
            }
            outcome = Outcome::Code(code);
        }
        if split.shared.iter().any(|shared| shared.entries.borrow().len() > 0) {
            let code = self.finish(outcome, span);
            outcome = Outcome::Code(self.close(split.shared, code)?);
        }
        self.end = opened.outer;
        Ok(State::Value(outcome, split.after))
    }

    /// Drives a jump of the old program.
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
            || self.followed < FOLLOWED
                && !self.is_applied(handler, &old.local_lists[params], &target.frames)
                && self.is_straight(handler, &old.local_lists[params], target.env);
        if inline {
            if self.depth != target.depth && self.facts.jumps[join] > 1 {
                self.followed += 1;
            }
            for (&param, node) in old.local_lists[params].iter().zip(nodes) {
                self.bind(param, target.env, node);
            }
            return Ok(State::Eval(handler, target.env, target.frames.clone()));
        }
        let params = &old.local_lists[params];
        let patterns = self.known_of(&nodes, params);
        let (made, patterns) = self.way_in(&target, patterns, (params, handler));
        let mut brought = Vec::new();
        for (pattern, &node) in patterns.iter().zip(&nodes) {
            self.holes(pattern, node, &mut brought);
        }
        let code = self.jump_code(made, &brought, span);
        Ok(State::Value(Outcome::Ends(code), None))
    }

    /// Returns whether a handler is a function that is applied to something, the same one at each jump: it is
    /// unfolded, however little code it is itself.
    fn is_applied(&self, handler: ExprId, params: &[LocalId], frames: &Frames) -> bool {
        let is_apply = |frames: &Frames| {
            matches!(frames.as_deref(), Some(Frame { action: Action::Apply(..), .. }))
        };
        let is_applied = match frames.as_deref() {
            Some(Frame { action: Action::Shared(shared), .. }) => is_apply(&shared.frames),
            _ => is_apply(frames),
        };
        is_applied
            && match self.old.exprs[handler] {
                Expr::Local(local) => !params.contains(&local),
                _ => true,
            }
    }

    /// Returns what a join is to know of its parameters.
    fn known_of(&self, nodes: &[NodeId], params: &[LocalId]) -> Vec<Pattern> {
        let is_asked = |param| self.knows() && self.facts.inspected[param];
        let known = |(&node, &param): (&NodeId, &LocalId)| match is_asked(param) {
            true => self.known_shape(node, DEPTH),
            false => Pattern::Hole,
        };
        nodes.iter().zip(params).map(known).collect()
    }

    /// Returns what is known of a value, as far as it has been made of functions and constructors. What
    /// functions hold are parameters, and so are numbers.
    fn known_shape(&self, node: NodeId, depth: u32) -> Pattern {
        let known = self.heap.get(node);
        let Some(inner) = depth.checked_sub(1) else { return Pattern::Hole };
        match (known.value, known.name) {
            (AbstractValue::Con(con, fields), None) => {
                let fields = self.heap.items(fields).iter();
                Pattern::Con(con, fields.map(|&field| self.known_shape(field, inner)).collect())
            }
            (AbstractValue::Partial(head, given), None) => {
                Pattern::Partial(head, vec![Pattern::Hole; given.len()])
            }
            _ => Pattern::Hole,
        }
    }

    /// Returns the join of the new program for what is known of the parameters of one, and what it knows: that if
    /// there may be as many copies of its handler.
    fn way_in(
        &mut self,
        target: &Target,
        patterns: Vec<Pattern>,
        (params, handler): (&[LocalId], ExprId),
    ) -> (JoinId, Vec<Pattern>) {
        let is_made = |patterns: &[Pattern]| {
            target.made.borrow().iter().find(|(of, _)| of == patterns).map(|(_, join)| *join)
        };
        if let Some(join) = is_made(&patterns) {
            return (join, patterns);
        }
        let general = vec![Pattern::Hole; patterns.len()];
        let mut patterns = patterns;
        if patterns != general {
            let weight = match target.made.borrow().len() < WAYS_IN {
                true => self.weight(handler, params, target.env),
                false => None,
            };
            match weight {
                Some(weight) if weight <= HANDLER && weight as i64 <= self.copies => {
                    self.copies -= weight as i64;
                }
                _ => patterns = general,
            }
        }
        if let Some(join) = is_made(&patterns) {
            return (join, patterns);
        }
        let join = self.placeholder();
        target.made.borrow_mut().push((patterns.clone(), join));
        (join, patterns)
    }
}

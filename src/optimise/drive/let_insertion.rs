//! Sharing across branches. A thunk that a branch and what follows the branches may both
//! demand is bound by a `let` before the branches: each of them is driven with the knowledge
//! of its own path, so it would otherwise be evaluated on each.
//!
//! One that refers to something that is being evaluated is not: no branch of that evaluation
//! can demand it, since values refer to each other without circles (those of a `letrec` have
//! names from the beginning). Binding it would bind what is being evaluated too, which would
//! then be evaluated twice.

use rustc_hash::FxHashSet;

use super::Driver;
use super::eval::{Later, Operand};
use super::frame::{Action, Frames};
use super::free::Locals;
use super::heap::{AbstractValue, EnvId, NodeId};
use crate::base::span::Span;
use crate::core::expr::{Branches, Expr, ExprId, LocalId};

/// The most links of a chain of values, of which each is made for the next alone, before it is
/// bound: each branch that may demand its end writes all of it.
const CHAIN: u32 = 6;
/// The most of them that may be more than straight code: each may branch in each of the branches of
/// the one before it.
const BRANCHING_CHAIN: u32 = 2;
/// The most links of either kind the second time: each may be the end of a chain that was bound the
/// first time.
const CHAIN_AGAIN: u32 = 1;
/// The most values that are looked at for that before a branching.
pub(super) const LOOKED_AT: usize = 64;

/// What is between a branching and a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Chain {
    pub links: u32,
    /// How many of them are more than straight code.
    pub branching: u32,
}

impl Chain {
    /// Returns whether it is to end.
    pub fn is_long(self, is_second: bool) -> bool {
        let (links, branching) = match is_second {
            false => (CHAIN, BRANCHING_CHAIN),
            true => (CHAIN_AGAIN, CHAIN_AGAIN),
        };
        self.links > links || self.branching > branching
    }
}

impl Driver<'_> {
    /// Binds what is shared of what will be evaluated after the expression that is driven.
    pub(super) fn bind_later(&mut self) {
        while self.later_bound < self.later.len() {
            let later = self.later[self.later_bound].clone();
            self.later_bound += 1;
            match later {
                Later::Operand(operand) => self.bind_shared_of_operand(operand),
                Later::Frames(frames) => self.bind_shared_of_frames(&frames),
            }
        }
    }

    pub(super) fn bind_shared_of_frames(&mut self, frames: &Frames) {
        let mut frames = frames.clone();
        while let Some(frame) = frames {
            if let Action::Shared(_) = frame.action {
                break;
            }
            self.bind_shared_of_action(&frame.action);
            frames = frame.next.clone();
        }
    }

    pub(super) fn bind_shared_of_action(&mut self, action: &Action) {
        match *action {
            Action::Force(local, body, env) => self.bind_shared_of_exprs(&[body], &[local], env),
            Action::Switch(switch, env, _) | Action::Consume(switch, env, _) => {
                let case = &self.old.switches[switch];
                let mut bound = Vec::new();
                if let Branches::Cons(branches) = &case.branches {
                    bound.extend(branches.iter().flat_map(|branch| &branch.fields).flatten());
                }
                let mut exprs: Vec<ExprId> = match &case.branches {
                    Branches::Cons(branches) => branches.iter().map(|branch| branch.body).collect(),
                    Branches::Lits(branches) => branches.iter().map(|&(_, body)| body).collect(),
                };
                exprs.extend(case.default);
                self.bind_shared_of_exprs(&exprs, &bound, env);
            }
            Action::If { yes, no, .. } => {
                self.bind_shared_of_operand(yes);
                self.bind_shared_of_operand(no);
            }
            Action::Seq(second) => self.bind_shared_of_operand(second),
            Action::Apply(args, _) => {
                let args = self.heap.items(args).to_vec();
                self.bind_shared_of_nodes(args);
            }
            Action::Update(_) | Action::Operand { .. } | Action::Shared(_) | Action::Select(..) => {
            }
        }
    }

    fn bind_shared_of_operand(&mut self, operand: Operand) {
        match operand {
            Operand::Expr(expr, env) => self.bind_shared_of_exprs(&[expr], &[], env),
            Operand::Node(node) => self.bind_shared_of_nodes(vec![node]),
        }
    }

    /// Binds what the free variables of expressions share with others, but for those that are bound
    /// later.
    pub(super) fn bind_shared_of_exprs(&mut self, exprs: &[ExprId], bound: &[LocalId], env: EnvId) {
        let mut work = Vec::new();
        for &expr in exprs {
            let Some(free) = self.free_locals(expr) else { return self.sweep() };
            let free = free.into_iter().filter(|local| !bound.contains(local));
            work.extend(free.map(|local| self.referred(local, env)));
        }
        self.bind_shared(work);
    }

    /// Returns the free variables of an expression, if they are not too many.
    pub(super) fn free_locals(&mut self, expr: ExprId) -> Option<Locals> {
        self.free.of(self.old, expr).map(Locals::from_slice)
    }

    /// Returns what a local is bound to, and whether that is the only place that refers to it.
    fn referred(&self, local: LocalId, env: EnvId) -> (NodeId, bool) {
        (self.heap.lookup(env, self.facts.slot[local]), !self.facts.shared[local])
    }

    /// Binds every thunk among values and in their fields.
    pub(super) fn bind_shared_of_nodes(&mut self, nodes: Vec<NodeId>) {
        self.bind_shared(nodes.into_iter().map(|node| (node, false)).collect());
    }

    /// Binds the thunks among values. One to which nothing else refers is left to be driven by
    /// what refers to it, and the thunks that it needs are bound instead. So are the parts of a function or a
    /// constructor to which nothing else refers.
    fn bind_shared(&mut self, nodes: Vec<(NodeId, bool)>) {
        let mut work = nodes;
        let mut seen = FxHashSet::default();
        let mut free = FxHashSet::default();
        while let Some((node, is_alone)) = work.pop() {
            let node = self.heap.resolve(node);
            if self.constants.is_one(node) || !seen.insert(node) {
                continue;
            }
            let known = self.heap.get(node);
            let is_alone = is_alone && !known.shared;
            match known.value {
                AbstractValue::Thunk(expr, env) if is_alone && !known.busy => {
                    // A selection would keep alive what it selects from.
                    let is_selection = self.selectors.selection(self.old, expr).is_some();
                    match self.free_locals(expr) {
                        Some(free) if !is_selection => {
                            work.extend(free.into_iter().map(|local| self.referred(local, env)));
                        }
                        _ => self.bind_thunk(node, &mut free),
                    }
                }
                AbstractValue::Call(_, parts) if is_alone && !known.busy => {
                    work.extend(self.heap.items(parts).iter().map(|&part| (part, true)));
                }
                AbstractValue::Thunk(..) | AbstractValue::Call(..) => {
                    self.bind_thunk(node, &mut free)
                }
                AbstractValue::Con(_, parts) | AbstractValue::Partial(_, parts) => {
                    work.extend(self.heap.items(parts).iter().map(|&part| (part, is_alone)));
                }
                AbstractValue::Lit(_)
                | AbstractValue::Text(..)
                | AbstractValue::Unknown(_)
                | AbstractValue::Alias(_)
                | AbstractValue::Select(_) => {}
            }
        }
    }

    fn bind_thunk(&mut self, node: NodeId, free: &mut FxHashSet<NodeId>) {
        if !self.waits(node, free) {
            self.atom(node, Span::NONE);
        }
    }

    /// Returns the values to which several alternatives of a branching refer. `bound` are locals that
    /// the alternatives bind.
    pub(super) fn in_common(
        &mut self,
        alternatives: &[(ExprId, EnvId)],
        bound: &[LocalId],
    ) -> Vec<NodeId> {
        let mut referred = FxHashSet::default();
        let mut common = Vec::new();
        for &(expr, env) in alternatives {
            for local in self.free_locals(expr).unwrap_or_default() {
                let node = self.heap.lookup(env, self.facts.slot[local]);
                if !bound.contains(&local) && !referred.insert(self.heap.resolve(node)) {
                    common.push(node);
                }
            }
        }
        common
    }

    /// Binds long chains of the values that several alternatives of a branching have in common: code
    /// would grow with the square of how many branchings follow each other, or double with each.
    pub(super) fn bind_chains(&mut self, common: &[NodeId]) {
        let mut work: Vec<(NodeId, Chain)> =
            common.iter().map(|&node| (node, Chain::default())).collect();
        let mut ends = Vec::new();
        let mut left = LOOKED_AT;
        while let Some((node, mut chain)) = work.pop() {
            let node = self.heap.resolve(node);
            let known = self.heap.get(node);
            if known.name.is_some() || known.busy || self.constants.is_one(node) || left == 0 {
                continue;
            }
            left -= 1;
            chain.links += 1;
            chain.branching += match known.value {
                AbstractValue::Thunk(expr, _) => self.branchings(expr),
                AbstractValue::Call(..) => 1,
                _ => 0,
            };
            if chain.is_long(self.history.is_second()) {
                ends.push(node);
                continue;
            }
            match known.value {
                AbstractValue::Thunk(expr, env) => {
                    for local in self.free_locals(expr).unwrap_or_default() {
                        work.push((self.heap.lookup(env, self.facts.slot[local]), chain));
                    }
                }
                value => {
                    let parts = self.heap.items(value.parts());
                    work.extend(parts.iter().map(|&part| (part, chain)));
                }
            }
        }
        let mut free = FxHashSet::default();
        for node in ends {
            if self.heap.is_thunk(node) {
                self.bind_thunk(node, &mut free);
            }
        }
    }

    /// Binds the chains of the choice that frames begin with and several branches come to: each of
    /// its alternatives is written once.
    pub(super) fn bind_chains_of_action(&mut self, action: &Action) {
        let mut bound = Vec::new();
        let (switch, env) = match *action {
            Action::Switch(switch, env, _) | Action::Consume(switch, env, _) => (switch, env),
            Action::Force(local, body, env) => {
                let Some(switch) = self.switches_on(local, body) else { return };
                bound.push(local);
                (switch, env)
            }
            Action::If { yes, no, .. } => {
                let operands = [yes, no].into_iter().filter_map(Operand::as_expr);
                let common = self.in_common(&operands.collect::<Vec<_>>(), &[]);
                return self.bind_chains(&common);
            }
            _ => return,
        };
        let case = &self.old.switches[switch];
        let alternatives: Vec<(ExprId, EnvId)> = case.bodies().map(|body| (body, env)).collect();
        bound.extend(case.fields());
        let common = self.in_common(&alternatives, &bound);
        self.bind_chains(&common);
    }

    /// Returns how many parts of an expression that may branch are within each other, at most: more
    /// than anyone wants if it is large.
    pub(super) fn branchings(&self, expr: ExprId) -> u32 {
        let mut most = 0;
        let mut left = LOOKED_AT;
        let mut work = vec![(expr, 0)];
        while let Some((expr, outer)) = work.pop() {
            if left == 0 {
                return u32::MAX / 2;
            }
            left -= 1;
            let depth = outer + u32::from(self.may_branch(expr));
            most = most.max(depth);
            work.extend(self.old.children(expr).exprs().map(|part| (part, depth)));
        }
        most
    }

    fn may_branch(&self, expr: ExprId) -> bool {
        match self.old.exprs[expr] {
            Expr::App(callee, args) => match self.old.exprs[callee] {
                Expr::Global(global) => !self.is_left(global, args.len()),
                _ => false,
            },
            Expr::Switch(_) | Expr::Join(..) => true,
            _ => false,
        }
    }

    /// Binds every thunk that there is: cheaper than to search a large expression each time.
    /// What binding makes is not swept at once: that may go on without end.
    fn sweep(&mut self) {
        let (start, end) = (self.swept, self.heap.len());
        let mut free = FxHashSet::default();
        self.swept = end;
        for count in start..end {
            let node = self.heap.nth(count);
            if !self.heap.is_thunk(node) {
                continue;
            }
            if self.waits(node, &mut free) {
                // Its turn comes when it waits for nothing more.
                self.swept = self.swept.min(count);
            } else {
                self.atom(node, Span::NONE);
            }
        }
    }

    /// Returns whether a value refers to one that is being evaluated; `free` are some that do not.
    fn waits(&mut self, node: NodeId, free: &mut FxHashSet<NodeId>) -> bool {
        if !self.heap.is_entered() {
            return false;
        }
        let mut found = Vec::new();
        let mut work = vec![node];
        while let Some(node) = work.pop() {
            let node = self.heap.resolve(node);
            let known = self.heap.get(node);
            if known.busy {
                found.iter().for_each(|node| {
                    free.remove(node);
                });
                return true;
            }
            if known.name.is_some() || self.constants.is_one(node) || !free.insert(node) {
                continue;
            }
            found.push(node);
            match known.value {
                AbstractValue::Thunk(expr, env) => {
                    // One with too many free variables counts as one that does not.
                    let locals = self.free_locals(expr).unwrap_or_default();
                    let slot = |local: LocalId| self.heap.lookup(env, self.facts.slot[local]);
                    work.extend(locals.into_iter().map(slot));
                }
                AbstractValue::Call(_, parts)
                | AbstractValue::Con(_, parts)
                | AbstractValue::Partial(_, parts) => {
                    work.extend(self.heap.items(parts));
                }
                AbstractValue::Lit(_)
                | AbstractValue::Text(..)
                | AbstractValue::Unknown(_)
                | AbstractValue::Alias(_)
                | AbstractValue::Select(_) => {}
            }
        }
        false
    }
}

//! Continuations that several branches end in (Maurer and others, "Compiling without
//! continuations", 2017; GHC's *mkDupableCont*).
//!
//! The frames that branches have in common are cut into pieces. A piece of little straight code
//! is copied into each branch. Any other becomes [`Shared`], which is written once: if it begins
//! with a choice, each alternative of the choice is a join point of its own, and a branch that
//! comes with a known value jumps to the alternative that it takes. What comes with an unknown
//! value chooses between jumps. So an alternative is driven once however many branches lead to
//! it, and code is linear in the depth of a nest of choices.

use std::rc::Rc;

use super::branch::Choice;
use super::comparison::Tests;
use super::eval::{Operand, State};
use super::frame::{Action, Brings, Entry, Frame, Frames, Shared, push};
use super::heap::{AbstractValue, EnvId, NodeId};
use super::{Abort, Attempt, Driver, Outcome};
use crate::base::index::count;
use crate::base::span::Span;
use crate::core::expr::{
    Branches, ConId, Expr, ExprId, GlobalId, GlobalKind, JoinId, Lit, LocalId, SwitchId,
};
use crate::primitive::Shape;

/// A continuation as branches get it.
pub(super) struct Split {
    /// The continuation of each branch.
    pub inner: Frames,
    /// What was made to be shared, the outermost first.
    pub shared: Vec<Rc<Shared>>,
    /// The continuation of the branching as a whole.
    pub after: Frames,
}

/// The most expressions of code that is copied rather than shared.
const SMALL: usize = 6;
/// The most expressions, together, of the frames in a row that each branch has a copy of.
const COPIED: usize = 20;
/// The least size that a frame counts for of which each copy may branch again: few of them are
/// copied in a row.
pub(super) const BRANCHING: usize = 6;
/// The most shared frames that a branch goes through, where each takes it to an atom, before it
/// jumps.
pub(super) const HOPS: u32 = 4;
/// The most ends of a branch that are compared with those of the others.
const WAYS: usize = 8;
/// The most expressions of a default that is written again for each value that is known to come to
/// it, as far as the body's budget goes.
const DEFAULT: usize = 200;

impl Driver<'_> {
    /// Prepares for so many branches that end in `frames`. `bodies` are all of them, as far as that is
    /// known.
    pub(super) fn split(
        &mut self,
        frames: &Frames,
        ways: usize,
        bodies: &[ExprId],
    ) -> Attempt<Split> {
        if self.unbranching > 0 {
            return Err(Abort::Branch);
        }
        self.bind_later();
        Ok(self.divide(frames, ways, bodies))
    }

    pub(super) fn divide(&mut self, frames: &Frames, ways: usize, bodies: &[ExprId]) -> Split {
        let mut split = Split { inner: None, shared: Vec::new(), after: None };
        let Some(first) = frames else { return split };
        if !self.rules.case_of_case {
            self.bind_shared_of_frames(frames);
            split.after = frames.clone();
            return split;
        }
        if ways == 1 && !first.updates {
            self.tally.pushed += 1;
            split.inner = frames.clone();
            return split;
        }
        // What a thunk comes to is needed after the branches: it gets a name there.
        let mut actions = Vec::new();
        let mut rest = frames;
        while let Some(frame) = rest {
            match frame.action {
                Action::Update(_) => {
                    self.bind_shared_of_frames(rest);
                    split.after = rest.clone();
                    rest = &None;
                }
                Action::Shared(_) => break,
                ref action => {
                    count::add(1);
                    actions.push(action.clone());
                    rest = &frame.next;
                }
            }
        }
        self.tally.pushed += u64::from(!actions.is_empty() || rest.is_some());
        split.inner = match ways {
            1 => actions.into_iter().rev().fold(rest.clone(), |out, action| push(action, &out)),
            _ => {
                let apart = self.apart(bodies, &actions);
                self.share(&actions, rest, apart, &mut split.shared)
            }
        };
        split
    }

    /// Returns frames for several branches: those of little code are copied, others are written
    /// once. At so many first ones the branches go `apart`: there is no more to them with a copy in each.
    fn share(
        &mut self,
        actions: &[Action],
        rest: &Frames,
        apart: usize,
        shared: &mut Vec<Rc<Shared>>,
    ) -> Frames {
        let mut out = rest.clone();
        let mut copied = 0;
        for (at, action) in actions.iter().enumerate().rev() {
            let inner = at.checked_sub(1).map(|at| &actions[at]);
            if at >= apart {
                copied += self.copied_size(action, inner).unwrap_or(COPIED + 1);
            }
            let is_copied = copied <= COPIED;
            if !is_copied || matches!(action, Action::Apply(..)) {
                self.bind_shared_of_action(action);
            }
            if !is_copied {
                self.bind_chains_of_action(action);
            }
            out = push(action.clone(), &out);
            if !is_copied {
                let made =
                    Rc::new(Shared { frames: out, depth: self.depth, entries: Default::default() });
                out = push(Action::Shared(made.clone()), &None);
                shared.push(made);
                copied = 0;
            }
        }
        out
    }

    /// Returns at how many choices that follow each other branches go apart.
    fn apart(&self, bodies: &[ExprId], actions: &[Action]) -> usize {
        let mut bodies = bodies.to_vec();
        for (at, action) in actions.iter().enumerate() {
            let switch = match *action {
                Action::Switch(switch, ..) => Some(switch),
                Action::Force(local, body, _) => self.switches_on(local, body),
                _ => None,
            };
            match switch {
                Some(switch) if self.go_apart(&bodies, switch) => {
                    bodies = self.old.switches[switch].bodies().collect();
                }
                _ => return at,
            }
        }
        actions.len()
    }

    /// Returns whether each end of some branches is a constructor, and each takes an alternative of its
    /// own of the choice that follows: so none of them is written twice.
    fn go_apart(&self, bodies: &[ExprId], switch: SwitchId) -> bool {
        let case = &self.old.switches[switch];
        let Branches::Cons(branches) = &case.branches else { return false };
        let ends = bodies.iter().map(|&body| self.old.ends_up_to(body, WAYS));
        let Some(ends) = ends.collect::<Option<Vec<_>>>() else { return false };
        let mut taken: Vec<Option<ConId>> = Vec::new();
        for end in ends.into_iter().flatten() {
            let callee = match self.old.exprs[end] {
                Expr::App(callee, _) => self.old.exprs[callee],
                other => other,
            };
            let Expr::Con(con) = callee else { return false };
            let way = branches.iter().any(|branch| branch.con == con).then_some(con);
            if taken.contains(&way) {
                return false;
            }
            taken.push(way);
        }
        self.knows() && !taken.is_empty()
    }

    /// Returns the size of a frame, if it is small enough for each branch to have a copy. `inner`
    /// is the one before it.
    fn copied_size(&self, action: &Action, inner: Option<&Action>) -> Option<usize> {
        let operand = |operand: &Operand| match *operand {
            Operand::Expr(expr, env) => self.straight_size_up_to(SMALL, expr, &[], env),
            Operand::Node(node) => self.is_known(node).then_some(1),
        };
        match action {
            Action::Update(_) | Action::Switch(..) | Action::Shared(_) => None,
            Action::Force(local, body, env) if self.is_turn(*local, *body) => {
                self.straight_size_up_to(COPIED, *body, &[*local], *env)
            }
            Action::Force(local, body, env) => {
                self.straight_size_up_to(SMALL, *body, &[*local], *env)
            }
            Action::Consume(switch, ..) => self.consumer_size(*switch, inner),
            Action::Select(..) => Some(1),
            Action::Apply(args, _) => (args.len() <= SMALL).then_some(BRANCHING + args.len()),
            Action::If { yes, no, .. } => {
                let size = operand(yes)? + operand(no)?;
                // Known truths decide the next choice; any other value may branch again.
                let is_decided = self.is_truth(yes) && self.is_truth(no);
                Some(if is_decided { size } else { BRANCHING.max(size) })
            }
            Action::Operand { others, .. } => Some(2 + others.len()),
            Action::Seq(second) => operand(second),
        }
    }

    fn is_truth(&self, operand: &Operand) -> bool {
        match *operand {
            Operand::Expr(expr, _) => matches!(self.old.exprs[expr], Expr::Lit(Lit::Int(0 | 1))),
            Operand::Node(node) => self.truth(node).is_some(),
        }
    }

    /// Returns whether nothing is left to evaluate at compile time to know what a value is.
    fn is_known(&self, node: NodeId) -> bool {
        !matches!(self.heap.get(node).value, AbstractValue::Thunk(..) | AbstractValue::Call(..))
    }

    /// Returns whether an expression is little code without branches, for which it takes no
    /// unfolding. `bound` are locals that will be bound by then.
    pub(super) fn is_straight(&self, expr: ExprId, bound: &[LocalId], env: EnvId) -> bool {
        let most = match self.old.exprs[expr] {
            Expr::Force(local, value, body)
                if matches!(self.old.exprs[value], Expr::Local(_)) && self.is_turn(local, body) =>
            {
                COPIED
            }
            _ => SMALL,
        };
        self.straight_size_up_to(most, expr, bound, env).is_some()
    }

    /// Returns how many subexpressions such an expression has, if there are no more than `most`. The turn of a
    /// loop, which alone may have `COPIED`, may pass on what is as yet to be evaluated: that is written with it.
    fn straight_size_up_to(
        &self,
        most: usize,
        expr: ExprId,
        bound: &[LocalId],
        env: EnvId,
    ) -> Option<usize> {
        let old = self.old;
        let is_turn = most == COPIED;
        let mut bound = bound.to_vec();
        let mut work = vec![(expr, env)];
        let mut passed = Vec::new();
        let mut size = 0;
        while let Some((expr, env)) = work.pop() {
            size += 1;
            if size > most {
                return None;
            }
            match old.exprs[expr] {
                Expr::Local(local) if bound.contains(&local) => {}
                Expr::Local(local) => {
                    let node = self.heap.lookup(env, self.facts.slot[local]);
                    if !self.is_known(node) && !is_turn {
                        return None;
                    }
                    passed.push(node);
                }
                Expr::App(callee, args) => {
                    if let Expr::Global(global) = old.exprs[callee]
                        && !self.is_left(global, args.len())
                    {
                        return None;
                    }
                    work.push((callee, env));
                    work.extend(old.expr_lists[args].iter().map(|&arg| (arg, env)));
                }
                Expr::Let(local, value, body) | Expr::Force(local, value, body) => {
                    bound.push(local);
                    work.extend([(value, env), (body, env)]);
                }
                Expr::Jump(join, args) if self.facts.jumps[join] > 1 => {
                    work.extend(old.expr_lists[args].iter().map(|&arg| (arg, env)));
                }
                Expr::Letrec(..)
                | Expr::Switch(_)
                | Expr::Join(..)
                | Expr::Jump(..)
                | Expr::Perform(..)
                | Expr::Lam(..) => return None,
                Expr::Lit(_)
                | Expr::Text(_)
                | Expr::Global(_)
                | Expr::Con(_)
                | Expr::NoMatch
                | Expr::Error => {}
            }
            while let Some(node) = passed.pop() {
                match self.heap.get(node).value {
                    AbstractValue::Call(_, args) => {
                        size += args.len();
                        if size > most {
                            return None;
                        }
                        passed.extend(self.heap.items(args));
                    }
                    AbstractValue::Thunk(expr, env) => work.push((expr, env)),
                    _ => {}
                }
            }
        }
        Some(size)
    }

    /// Returns whether an application of a global to so many arguments stays one, and does not
    /// branch.
    pub(super) fn is_left(&self, global: GlobalId, args: usize) -> bool {
        match self.old.globals[global].kind {
            GlobalKind::Primitive(primitive) => !matches!(primitive.shape(), Shape::If),
            GlobalKind::Defn { .. } => {
                self.facts.recursive[global] || args < self.old.arity(global)
            }
            GlobalKind::Step(_) | GlobalKind::Host { .. } => true,
        }
    }

    /// Goes on with a value that comes to shared frames. The choice that they begin with is made
    /// here if that takes it to an atom; otherwise the branch ends in a jump, or in a choice
    /// between jumps.
    pub(super) fn enter(&mut self, outcome: Outcome, shared: &Rc<Shared>) -> Attempt<State> {
        if self.depth == shared.depth {
            return Ok(State::Value(outcome, shared.frames.clone()));
        }
        if let Outcome::Node(node) = outcome
            && self.knows()
            && let Some((alternative, entry)) = self.entry(node, shared)
        {
            if self.hops < HOPS && self.is_atom(alternative, node, &shared.frames) {
                self.hops += 1;
                return Ok(State::Value(outcome, shared.frames.clone()));
            }
            return self.enter_by(entry, node, shared);
        }
        let frame = shared.frames.as_deref();
        if let Some(Frame { action: Action::If { yes, no, global, span }, next, .. }) = frame
            && self.knows()
        {
            let choice = Some(Choice::Truth(shared));
            return self.choose(outcome, (*yes, *no, *global), next, *span, choice);
        }
        let node = self.bound_value(None, outcome, Span::NONE)?;
        self.enter_by(Entry::Value, node, shared)
    }

    /// Ends the branch in a jump to shared frames.
    pub(super) fn enter_by(
        &mut self,
        entry: Entry,
        node: NodeId,
        shared: &Rc<Shared>,
    ) -> Attempt<State> {
        let entry = match entry {
            Entry::Default => self.default_entry(node, shared),
            _ => entry,
        };
        let args = self.brings(entry, node);
        let found = shared.entries.borrow().get(entry);
        let join = found.unwrap_or_else(|| {
            let join = self.placeholder();
            shared.entries.borrow_mut().add(entry, join);
            join
        });
        let code = self.jump_code(join, &args, Span::NONE);
        Ok(State::Value(Outcome::Ends(code), None))
    }

    /// Returns what a jump brings of a value.
    pub(super) fn brings(&self, entry: Entry, node: NodeId) -> Vec<NodeId> {
        let fields = match self.heap.get(node).value {
            AbstractValue::Con(_, fields) => self.heap.items(fields),
            _ => &[],
        };
        match entry {
            Entry::Value | Entry::Default => vec![node],
            Entry::Con(_) => fields.to_vec(),
            Entry::Built(_) => std::iter::once(&node).chain(fields).copied().collect(),
            Entry::Lit(_) => Vec::new(),
            Entry::Tested(_, Brings::Value) => vec![node],
            Entry::Tested(..) => Vec::new(),
        }
    }

    /// Returns the value of which a jump has brought what is now in parameters.
    pub(super) fn brought(
        &mut self,
        entry: Entry,
        params: &mut Vec<LocalId>,
        span: Span,
    ) -> NodeId {
        let (con, whole) = match entry {
            Entry::Value | Entry::Default | Entry::Tested(_, Brings::Value) => {
                return self.parameter(None, params, span);
            }
            Entry::Lit(lit) | Entry::Tested(_, Brings::Lit(lit)) => {
                return self.heap.add(AbstractValue::Lit(lit));
            }
            // Nothing looks at it.
            Entry::Tested(_, Brings::Nothing) => {
                return self.heap.add(AbstractValue::Lit(Lit::Int(0)));
            }
            Entry::Con(con) => (con, None),
            Entry::Built(con) => (con, Some(self.parameter(None, params, span))),
        };
        let arity = self.new.cons[con].arity;
        let fields: Vec<NodeId> = (0..arity).map(|_| self.parameter(None, params, span)).collect();
        let value = AbstractValue::Con(con, self.heap.list(fields));
        match whole {
            Some(whole) => {
                self.heap.set(whole, value, self.heap.get(whole).name);
                self.note_whole(whole);
                whole
            }
            None => self.heap.add(value),
        }
    }

    /// Returns how the default of shared frames is entered: what is known of the value is used
    /// there if that has been done before, or the body may still have so large a copy.
    fn default_entry(&mut self, node: NodeId, shared: &Rc<Shared>) -> Entry {
        let known = self.heap.get(node);
        let own = match (known.value, known.name) {
            (AbstractValue::Lit(lit), _) => Entry::Lit(lit),
            (AbstractValue::Con(con, _), None) => Entry::Con(con),
            _ => return Entry::Default,
        };
        if shared.entries.borrow().get(own).is_some() {
            return own;
        }
        let Some((Operand::Expr(body, env), _)) = self.entry(node, shared) else {
            return Entry::Default;
        };
        match self.weight(body, bound_by(&shared.frames).as_slice(), env) {
            Some(weight) if weight as i64 <= self.copies => {
                self.copies -= weight as i64;
                own
            }
            _ => Entry::Default,
        }
    }

    /// Returns how many expressions one more copy of an expression drives, if they are not too many
    /// and can be told. `bound` are locals that will be bound by then.
    pub(super) fn weight(&mut self, expr: ExprId, bound: &[LocalId], env: EnvId) -> Option<usize> {
        let free = self.free_locals(expr)?;
        let mut free = free.into_iter().filter(|local| !bound.contains(local));
        if !free.all(|local| self.is_known(self.heap.lookup(env, self.facts.slot[local]))) {
            return None;
        }
        let mut work = vec![expr];
        let mut weight = 0;
        while let Some(expr) = work.pop() {
            weight += 1;
            if weight > DEFAULT {
                return None;
            }
            match self.old.exprs[expr] {
                // Its handler stands in the place of the jump.
                Expr::Jump(join, _) if self.facts.jumps[join] == 1 => return None,
                _ => self.old.push_children(expr, &mut work),
            }
        }
        Some(weight)
    }

    /// Returns the alternative that a known value takes of the choice that frames begin with, and
    /// how they are entered for it.
    fn entry(&mut self, node: NodeId, shared: &Shared) -> Option<(Operand, Entry)> {
        let known = self.heap.get(node);
        let frame = shared.frames.as_ref()?;
        let (switch, env) = match frame.action {
            Action::If { yes, no, .. } => {
                let holds = self.truth(node)?;
                let operand = if holds { yes } else { no };
                return Some((operand, Entry::Lit(Lit::Int(i64::from(holds)))));
            }
            Action::Switch(switch, env, _) | Action::Consume(switch, env, _) => (switch, env),
            Action::Force(local, body, env) => match self.switches_on(local, body) {
                Some(switch) => (switch, env),
                None => {
                    let (alternative, entry) = self.tested(local, body, node, shared)?;
                    return Some((Operand::Expr(alternative, env), entry));
                }
            },
            _ => return None,
        };
        let (body, is_own) = self.alternative(switch, node)?;
        let entry = match known.value {
            _ if !is_own => Entry::Default,
            AbstractValue::Lit(lit) => Entry::Lit(lit),
            AbstractValue::Con(con, _) => self.con_entry(con, switch),
            _ => return None,
        };
        Some((Operand::Expr(body?, env), entry))
    }

    /// Returns how the alternative for a constructor is entered: with the whole if that may be
    /// used.
    pub(super) fn con_entry(&self, con: ConId, switch: SwitchId) -> Entry {
        match self.facts.mentioned[self.old.switches[switch].scrutinee] {
            true => Entry::Built(con),
            false => Entry::Con(con),
        }
    }

    /// Returns the switch that an expression is, if it is on a local.
    pub(super) fn switches_on(&self, local: LocalId, body: ExprId) -> Option<SwitchId> {
        match self.old.exprs[body] {
            Expr::Switch(switch) if self.old.switches[switch].scrutinee == local => Some(switch),
            _ => None,
        }
    }

    /// Returns whether the alternative that a value takes is known so well that choices to come are
    /// decided by it.
    fn is_atom(&self, alternative: Operand, value: NodeId, frames: &Frames) -> bool {
        let is_decided = |node| {
            let what = self.heap.get(node).value;
            matches!(what, AbstractValue::Lit(Lit::Int(-1..=1)) | AbstractValue::Con(..))
        };
        let (expr, env) = match alternative {
            Operand::Expr(expr, env) => (expr, env),
            Operand::Node(node) => return is_decided(node),
        };
        match self.old.exprs[expr] {
            Expr::Lit(Lit::Int(-1..=1)) | Expr::Con(_) | Expr::NoMatch => true,
            Expr::Local(local) if Some(local) == bound_by(frames) => is_decided(value),
            Expr::Local(local) => is_decided(match self.field_of(local, value, frames) {
                Some(field) => field,
                None => self.heap.lookup(env, self.facts.slot[local]),
            }),
            _ => false,
        }
    }

    /// Returns the field of a value that a local is bound to by the choice that frames begin with.
    fn field_of(&self, local: LocalId, value: NodeId, frames: &Frames) -> Option<NodeId> {
        let switch = match frames.as_ref()?.action {
            Action::Switch(switch, ..) | Action::Consume(switch, ..) => switch,
            Action::Force(local, body, _) => self.switches_on(local, body)?,
            _ => return None,
        };
        let Branches::Cons(branches) = &self.old.switches[switch].branches else { return None };
        let AbstractValue::Con(con, fields) = self.heap.get(value).value else { return None };
        let branch = branches.iter().find(|branch| branch.con == con)?;
        let at = branch.fields.iter().position(|&field| field == Some(local))?;
        self.heap.items(fields).get(at).copied()
    }

    /// Writes the joins of shared frames around the code that jumps to them.
    pub(super) fn close(&mut self, shared: Vec<Rc<Shared>>, code: ExprId) -> Attempt<ExprId> {
        let mut code = code;
        for shared in shared.into_iter().rev() {
            // Choosing by any value jumps to the alternatives: its join is inside theirs.
            let value = shared.entries.borrow().get(Entry::Value);
            if let Some(join) = value {
                code = self.close_entry(Entry::Value, join, &shared, code)?;
            }
            let mut count = 0;
            loop {
                let Some((entry, join)) = shared.entries.borrow().nth(count) else { break };
                count += 1;
                if entry != Entry::Value {
                    code = self.close_entry(entry, join, &shared, code)?;
                }
            }
        }
        Ok(code)
    }

    fn close_entry(
        &mut self,
        entry: Entry,
        join: JoinId,
        shared: &Rc<Shared>,
        code: ExprId,
    ) -> Attempt<ExprId> {
        let span = self.new.spans[code];
        let mut params = Vec::new();
        self.depth += 1;
        let handler = self.scope(span, |driver| {
            let node = driver.brought(entry, &mut params, span);
            let state = match entry {
                Entry::Value => driver.choice(node, shared)?,
                Entry::Default => driver.default_of(node, shared),
                Entry::Tested(alternative, _) => {
                    driver.alternative_of_tests(alternative, node, shared)
                }
                Entry::Lit(_) | Entry::Con(_) | Entry::Built(_) => {
                    State::Value(Outcome::Node(node), shared.frames.clone())
                }
            };
            driver.run_to_end(state)
        })?;
        self.depth -= 1;
        Ok(self.write_join(join, params, handler, code))
    }

    /// Makes the choice that shared frames begin with by any value, between jumps to its
    /// alternatives.
    fn choice(&mut self, node: NodeId, shared: &Rc<Shared>) -> Attempt<State> {
        let outcome = Outcome::Node(node);
        let Some(frame) = &shared.frames else { return Ok(State::Value(outcome, None)) };
        let on = State::Value(outcome, shared.frames.clone());
        let (switch, env, span) = match frame.action {
            Action::If { yes, no, global, span } => {
                let choice = Some(Choice::Truth(shared));
                return self.choose(outcome, (yes, no, global), &frame.next, span, choice);
            }
            Action::Switch(switch, env, span) => (switch, env, span),
            Action::Consume(switch, env, span) => match self.consumer_args(switch, env, node) {
                Some(_) => return Ok(on),
                None => (switch, env, span),
            },
            Action::Force(local, body, env) => {
                let span = self.span(body, env);
                match self.switches_on(local, body) {
                    Some(switch) => {
                        self.bind(local, env, node);
                        (switch, env, span)
                    }
                    None if self.knows() && self.begins_with_test(local, body) => {
                        self.bind(local, env, node);
                        self.force_node(node, span)?;
                        return self.choose_by_tests(body, node, &Tests::new(local, env, shared));
                    }
                    None => return Ok(on),
                }
            }
            _ => return Ok(on),
        };
        self.dynamic_switch(switch, env, node, frame.next.clone(), span, Some(shared))
    }

    /// Goes on with the default of the switch that shared frames begin with.
    fn default_of(&mut self, node: NodeId, shared: &Rc<Shared>) -> State {
        let on = State::Value(Outcome::Node(node), shared.frames.clone());
        let Some(frame) = &shared.frames else { return on };
        let (switch, env) = match frame.action {
            Action::Switch(switch, env, _) | Action::Consume(switch, env, _) => (switch, env),
            Action::Force(local, body, env) => {
                let Some(switch) = self.switches_on(local, body) else { return on };
                self.bind(local, env, node);
                (switch, env)
            }
            _ => return on,
        };
        match self.old.switches[switch].default {
            Some(default) => State::Eval(default, env, frame.next.clone()),
            None => on,
        }
    }
}

/// Returns the local that the first of some frames binds to the value.
fn bound_by(frames: &Frames) -> Option<LocalId> {
    match frames.as_ref()?.action {
        Action::Force(local, ..) => Some(local),
        _ => None,
    }
}

//! Driving an expression in a strict context.

use super::frame::{Action, Frames, push};
use super::heap::{AbstractValue, EnvId, Head, Name, NodeId};
use super::over_applied::application;
use super::transaction::Revert;
use super::{Abort, Attempt, Driver, Outcome, Statement};
use crate::base::index::List;
use crate::base::span::Span;
use crate::base::stack::{ensure_sufficient_stack, has_room};
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, LocalId};
use crate::primitive::Shape;

/// What the driver is about to do.
pub(super) enum State {
    /// Drive an expression, then the frames.
    Eval(ExprId, EnvId, Frames),
    /// Do the frames with a value.
    Value(Outcome, Frames),
}

/// An operand: an expression that nothing has looked at, or a value.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    Expr(ExprId, EnvId),
    Node(NodeId),
}

/// What is evaluated after what is being driven by itself: a branch there may use it too.
#[derive(Clone)]
pub(super) enum Later {
    /// Another operand of the same operation.
    Operand(Operand),
    /// What follows the operation.
    Frames(Frames),
}

impl Operand {
    /// Returns the expression, if it is one.
    pub(super) fn as_expr(self) -> Option<(ExprId, EnvId)> {
        match self {
            Operand::Expr(expr, env) => Some((expr, env)),
            Operand::Node(_) => None,
        }
    }
}

impl Driver<'_> {
    /// Drives until there is nothing left to do. The outcome is that of all frames.
    pub(super) fn run(&mut self, state: State) -> Attempt<Outcome> {
        let outer = self.new_end();
        let way = self.way.mark();
        self.way.begin();
        let outcome = self.run_to_end(state)?;
        self.way.revert(way);
        self.end = outer;
        Ok(outcome)
    }

    /// Drives, as [`run`](Self::run) does, what the code that is being written ends in.
    pub(super) fn run_to_end(&mut self, state: State) -> Attempt<Outcome> {
        ensure_sufficient_stack(|| self.run_steps(state))
    }

    fn run_steps(&mut self, state: State) -> Attempt<Outcome> {
        if self.unbranching > 0 && !has_room() {
            return Err(Abort::Fuel);
        }
        let mut state = state;
        loop {
            state = match state {
                State::Eval(expr, env, frames) => self.eval(expr, env, frames)?,
                State::Value(outcome @ Outcome::Ends(_), _) => {
                    return if self.unwriting > 0 { Err(Abort::Branch) } else { Ok(outcome) };
                }
                State::Value(outcome, None) => return Ok(outcome),
                State::Value(outcome, Some(frame)) => {
                    self.way.leave(frame.depth);
                    self.action(outcome, &frame.action, &frame.next)?
                }
            };
        }
    }

    fn eval(&mut self, expr: ExprId, env: EnvId, frames: Frames) -> Attempt<State> {
        let old = self.old;
        let span = self.span(expr, env);
        self.tick()?;
        Ok(match old.exprs[expr] {
            // It is no node of its own that could say where it is mentioned: the code does.
            Expr::Global(global) if self.only_fails(global) => {
                let global = self.global(global);
                let code = self.expr(Expr::Global(global), span);
                State::Value(Outcome::Ends(code), None)
            }
            Expr::Lit(_) | Expr::Text(_) | Expr::Con(_) | Expr::Global(_) => {
                let node = self.node(expr, env);
                State::Value(Outcome::Node(node), frames)
            }
            Expr::Local(local) => {
                let node = self.lookup(local, env);
                self.demand(node, frames)
            }
            Expr::App(callee, args) => {
                if let Some(constant) = self.constants.of(expr) {
                    return Ok(State::Value(Outcome::Node(constant), frames));
                }
                if let Some(field) = self.selected(expr, env) {
                    self.tally.decided += 1;
                    return Ok(self.demand(field, frames));
                }
                self.application_state(callee, &old.expr_lists[args], env, frames, span)?
            }
            Expr::Let(local, value, body) => {
                let node = self.bound(local, value, env);
                self.bind(local, env, node);
                State::Eval(body, env, frames)
            }
            Expr::Letrec(binds, body) => {
                self.letrec(&old.binds[binds], env);
                State::Eval(body, env, frames)
            }
            Expr::Force(local, value, body) => {
                let of_value = match self.switches_on(local, body) {
                    Some(switch) if !self.facts.mentioned[local] => {
                        let span = self.span(body, env);
                        self.selection_frames(switch, env, &frames, span)
                    }
                    _ => self.frames_of_use(local, body, env, &frames),
                };
                let frames =
                    of_value.unwrap_or_else(|| push(Action::Force(local, body, env), &frames));
                State::Eval(value, env, frames)
            }
            Expr::Switch(switch) => self.switch(switch, env, frames, span)?,
            Expr::Join(join, body) => self.join(join, body, env, frames, span)?,
            Expr::Jump(join, args) => self.jump(join, &old.expr_lists[args], env, span)?,
            Expr::NoMatch => {
                let code = self.expr(Expr::NoMatch, span);
                State::Value(Outcome::Ends(code), None)
            }
            Expr::Lam(..) | Expr::Error => {
                unreachable!("lifting leaves neither: its lint checks it")
            }
            Expr::Perform(..) => unreachable!("a pass that comes later makes them"),
        })
    }

    /// Returns whether a global is a constant that calls `error`.
    fn only_fails(&self, global: GlobalId) -> bool {
        let GlobalKind::Defn { body: Some(body), .. } = self.old.globals[global].kind else {
            return false;
        };
        let Expr::App(callee, args) = self.old.exprs[body] else { return false };
        let Expr::Global(callee) = self.old.exprs[callee] else { return false };
        let is_error = matches!(self.old.globals[callee].kind,
            GlobalKind::Primitive(primitive) if primitive.shape() == Shape::Error);
        is_error && args.len() == self.old.arity(callee) && self.old.arity(global) == 0
    }

    /// Evaluates a value.
    pub(super) fn demand(&mut self, node: NodeId, frames: Frames) -> State {
        let node = self.heap.resolve(node);
        let known = self.heap.get(node);
        let frames = match known.value {
            // Nothing will ask for its value again.
            AbstractValue::Thunk(..) | AbstractValue::Call(..) if !known.shared => frames,
            AbstractValue::Thunk(..) | AbstractValue::Call(..) => {
                self.heap.enter(node);
                push(Action::Update(node), &frames)
            }
            _ => frames,
        };
        match known.value {
            AbstractValue::Thunk(expr, env) => State::Eval(expr, env, frames),
            AbstractValue::Call(global, args) => {
                let none = self.heap.list([]);
                let function = self.heap.add(AbstractValue::Partial(Head::Global(global), none));
                let span = self.old.globals[global].span;
                State::Value(Outcome::Node(function), push(Action::Apply(args, span), &frames))
            }
            _ => State::Value(Outcome::Node(node), frames),
        }
    }

    fn application_state(
        &mut self,
        callee: ExprId,
        args: &[ExprId],
        env: EnvId,
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        let old = self.old;
        let (head, arity) = match old.exprs[callee] {
            Expr::Con(con) => (Head::Con(con), self.new.cons[con].arity as usize),
            Expr::Global(global) if self.expanded(global).1 > 0 => {
                let (global, arity) = self.expanded(global);
                (Head::Global(global), arity)
            }
            _ => {
                let (nodes, _) = self.arguments(args, env);
                let nodes = self.heap.list(nodes);
                return Ok(State::Eval(callee, env, push(Action::Apply(nodes, span), &frames)));
            }
        };
        if args.len() > arity {
            let (nodes, _) = self.arguments(&args[arity..], env);
            let nodes = self.heap.list(nodes);
            let frames = push(Action::Apply(nodes, span), &frames);
            return self.application_state(callee, &args[..arity], env, frames, span);
        }
        match head {
            Head::Global(global) if args.len() == arity => match old.globals[global].kind {
                GlobalKind::Primitive(primitive) => {
                    let operands: Vec<Operand> =
                        args.iter().map(|&arg| Operand::Expr(arg, env)).collect();
                    self.primitive(primitive, global, &operands, frames, span)
                }
                _ => {
                    let (nodes, fresh) = self.arguments(args, env);
                    self.call(global, nodes, fresh, frames, span)
                }
            },
            _ => {
                let (nodes, _) = self.arguments(args, env);
                if args.len() < arity && self.knows() && application(&frames).is_some() {
                    return self.apply_known(head, nodes, frames, span);
                }
                let value = self.applied(head, args.len() < arity, nodes);
                let node = self.heap.add(value);
                Ok(State::Value(Outcome::Node(node), frames))
            }
        }
    }

    /// Applies a value to arguments.
    pub(super) fn apply_value(
        &mut self,
        outcome: Outcome,
        args: List<NodeId>,
        frames: &Frames,
        span: Span,
    ) -> Attempt<State> {
        let args = self.heap.items(args).to_vec();
        if let Outcome::Node(node) = outcome
            && self.knows()
            && let AbstractValue::Partial(head, _) = self.heap.get(node).value
        {
            if let Some(state) = self.leave(node, &args, frames, span) {
                return Ok(state);
            }
            let mut all = self.heap.given(node);
            all.extend(args);
            return self.apply_known(head, all, frames.clone(), span);
        }
        self.may_write()?;
        let callee = match outcome {
            Outcome::Node(node) => self.atom(node, span),
            Outcome::Code(code) | Outcome::Test { code, .. } => {
                let local = self.force(None, code, span)?;
                self.local(local, span)
            }
            Outcome::Ends(_) => return Ok(State::Value(outcome, None)),
        };
        let code = self.apply(callee, &args, span);
        Ok(State::Value(Outcome::Code(code), frames.clone()))
    }

    pub(super) fn apply_known(
        &mut self,
        head: Head,
        args: Vec<NodeId>,
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        let arity = match head {
            Head::Con(con) => self.new.cons[con].arity as usize,
            Head::Global(global) => self.old.arity(global),
        };
        let mut args = args;
        let mut frames = frames;
        // What is applied at once is no value: nothing else refers to its arguments.
        while args.len() < arity
            && let Some((more, next)) = application(&frames)
        {
            args.extend_from_slice(self.heap.items(more));
            frames = next;
        }
        if args.len() > arity {
            let rest = args.split_off(arity);
            let rest = self.heap.list(rest);
            frames = push(Action::Apply(rest, span), &frames);
        }
        match head {
            Head::Global(global) if args.len() == arity => match self.old.globals[global].kind {
                GlobalKind::Primitive(primitive) => {
                    let operands: Vec<Operand> = args.into_iter().map(Operand::Node).collect();
                    self.primitive(primitive, global, &operands, frames, span)
                }
                _ => self.call(global, args, 0, frames, span),
            },
            _ => {
                let value = self.applied(head, args.len() < arity, args);
                let node = self.heap.add(value);
                Ok(State::Value(Outcome::Node(node), frames))
            }
        }
    }

    /// Returns whether known values are used as such.
    pub(super) fn knows(&self) -> bool {
        self.rules.known_case
    }

    /// Evaluates an operand.
    pub(super) fn operand(&mut self, operand: Operand, frames: Frames) -> State {
        match operand {
            Operand::Expr(expr, env) => State::Eval(expr, env, frames),
            Operand::Node(node) => self.demand(node, frames),
        }
    }

    /// Returns what an operand is where it is not demanded.
    pub(super) fn operand_node(&mut self, operand: Operand) -> NodeId {
        match operand {
            Operand::Expr(expr, env) => self.node(expr, env),
            Operand::Node(node) => node,
        }
    }

    /// Writes the evaluation of code, bound to a new local.
    pub(super) fn force(
        &mut self,
        like: Option<LocalId>,
        code: ExprId,
        span: Span,
    ) -> Attempt<LocalId> {
        self.force_of(None, like, code, span)
    }

    /// Writes the evaluation of code, bound to a new local; the code names the value of `node`, if
    /// that is given.
    pub(super) fn force_of(
        &mut self,
        node: Option<NodeId>,
        like: Option<LocalId>,
        code: ExprId,
        span: Span,
    ) -> Attempt<LocalId> {
        self.may_write()?;
        self.bind_selections(node);
        let local = self.fresh(like, span);
        self.block.push(Statement::Force(local, code));
        Ok(local)
    }

    /// Writes the evaluation of a variable that may not be evaluated yet.
    pub(super) fn force_node(&mut self, node: NodeId, span: Span) -> Attempt<()> {
        if let AbstractValue::Unknown(false) = self.heap.get(node).value {
            let code = self.atom(node, span);
            let local = self.force_of(Some(node), None, code, span)?;
            self.heap.set(node, AbstractValue::Unknown(true), Some(Name::Local(local)));
        }
        Ok(())
    }

    /// Binds a value that code computes to a variable.
    pub(super) fn bound_value(
        &mut self,
        like: Option<LocalId>,
        outcome: Outcome,
        span: Span,
    ) -> Attempt<NodeId> {
        Ok(match outcome {
            Outcome::Node(node) => node,
            Outcome::Code(code) | Outcome::Test { code, .. } | Outcome::Ends(code) => {
                let local = self.force(like, code, span)?;
                self.heap.named(AbstractValue::Unknown(true), Name::Local(local))
            }
        })
    }

    /// Drives something by itself that frames follow.
    pub(super) fn followed_by<T>(
        &mut self,
        frames: &Frames,
        drive: impl FnOnce(&mut Self) -> Attempt<T>,
    ) -> Attempt<T> {
        let is_chosen = u32::from(self.is_chosen_by(frames));
        let outer = std::mem::replace(&mut self.is_chosen, is_chosen);
        let result = drive(self)?;
        self.is_chosen = outer;
        Ok(result)
    }

    /// Returns whether the first thing that is done with a value is a choice on it.
    pub(super) fn is_chosen_by(&self, frames: &Frames) -> bool {
        let mut frames = frames;
        while let Some(frame) = frames {
            frames = match &frame.action {
                Action::If { .. } | Action::Switch(..) => return true,
                Action::Select(..) => return true,
                Action::Force(local, body, _) => return self.switches_on(*local, *body).is_some(),
                Action::Update(_) | Action::Operand { .. } => &frame.next,
                Action::Shared(shared) => &shared.frames,
                Action::Consume(..) | Action::Seq(_) | Action::Apply(..) => return false,
            };
        }
        self.is_chosen > 0
    }

    fn action(&mut self, outcome: Outcome, action: &Action, next: &Frames) -> Attempt<State> {
        match *action {
            Action::Force(local, body, env) => {
                let span = self.span(body, env);
                let node = self.bound_value(Some(local), outcome, span)?;
                self.bind(local, env, node);
                let switches = matches!(self.old.exprs[body], Expr::Switch(switch)
                    if self.old.switches[switch].scrutinee == local);
                if !switches {
                    self.force_node(node, span)?;
                }
                Ok(State::Eval(body, env, next.clone()))
            }
            Action::Switch(switch, env, span) => {
                let node = self.bound_value(None, outcome, span)?;
                self.switch_on(switch, env, node, next.clone(), span)
            }
            Action::Consume(switch, env, span) => self.consume(switch, env, outcome, next, span),
            Action::If { yes, no, global, span } => {
                self.choose(outcome, (yes, no, global), next, span, None)
            }
            Action::Seq(second) => {
                match outcome {
                    Outcome::Node(node) => self.force_node(node, Span::NONE)?,
                    _ => {
                        self.bound_value(None, outcome, Span::NONE)?;
                    }
                }
                Ok(self.operand(second, next.clone()))
            }
            Action::Operand { primitive, global, at, others, span } => {
                let outcome = self.decided(outcome, (primitive, global), at, others, span)?;
                Ok(State::Value(outcome, next.clone()))
            }
            Action::Select(switch, span) => self.select_field(switch, outcome, next, span),
            Action::Apply(args, span) => self.apply_value(outcome, args, next, span),
            Action::Update(thunk) => {
                let node = match outcome {
                    Outcome::Node(node) => node,
                    _ => self.bound_value(None, outcome, Span::NONE)?,
                };
                // Others refer to the thunk.
                self.heap.share(node);
                self.heap.set(thunk, AbstractValue::Alias(node), None);
                Ok(State::Value(Outcome::Node(node), next.clone()))
            }
            Action::Shared(ref shared) => {
                let shared = shared.clone();
                self.enter(outcome, &shared)
            }
        }
    }
}

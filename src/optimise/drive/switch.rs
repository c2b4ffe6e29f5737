//! Switches in strict contexts: decided by what is known, or handed on to what makes the value.

use super::eval::State;
use super::facts::SEARCHED;
use super::frame::{Action, Frames, push};
use super::heap::{AbstractValue, EnvId, NodeId};
use super::{Attempt, Driver, Outcome};
use crate::base::index::count;
use crate::base::span::Span;
use crate::core::expr::{Branches, CONS, Expr, ExprId, Lit, SwitchId};

impl Driver<'_> {
    /// Switches on a local.
    pub(super) fn switch(
        &mut self,
        switch: SwitchId,
        env: EnvId,
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        let node = self.lookup(self.old.switches[switch].scrutinee, env);
        self.switch_on(switch, env, node, frames, span)
    }

    /// Switches on a value: a local's that is looked up by others too, or one that only the switch
    /// has asked for.
    pub(super) fn switch_on(
        &mut self,
        switch: SwitchId,
        env: EnvId,
        node: NodeId,
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        let node = self.heap.resolve(node);
        match self.heap.get(node).value {
            AbstractValue::Call(global, args)
                if !self.heap.get(node).shared
                    && self.is_held(switch, global, self.heap.items(args))
                    && let Some(frames) = self.selection_frames(switch, env, &frames, span) =>
            {
                return Ok(self.demand(node, frames));
            }
            AbstractValue::Call(producer, args)
                if self.is_fused(switch, node, (producer, self.heap.items(args)), &frames) =>
            {
                let args = self.heap.items(args).to_vec();
                let frames = push(Action::Consume(switch, env, span), &frames);
                return Ok(self.unfold_applied(producer, &args, &frames, span));
            }
            AbstractValue::Thunk(..) | AbstractValue::Call(..) => {
                let is_consumed = self.fusible.consumers.contains_key(&switch)
                    && self.is_choice_of_producers(node)
                    && !self.is_nested(switch, &frames);
                let frames = match is_consumed {
                    true => push(Action::Consume(switch, env, span), &frames),
                    false => match self.selection_frames(switch, env, &frames, span) {
                        Some(frames) => frames,
                        None => push(Action::Switch(switch, env, span), &frames),
                    },
                };
                return Ok(self.demand(node, frames));
            }
            AbstractValue::Unknown(_) => {
                let case = &self.old.switches[switch];
                if let Some(default) = case.default
                    && self.takes_default(case, node)
                {
                    self.tally.decided += 1;
                    return Ok(State::Eval(default, env, frames));
                }
            }
            _ if self.knows() => {
                if let Some(body) = self.select(switch, env, node) {
                    self.tally.decided += 1;
                    return Ok(match body {
                        Some(body) if self.old.exprs[body] != Expr::NoMatch => {
                            State::Eval(body, env, frames)
                        }
                        _ => State::Value(Outcome::Ends(self.no_match(span, node)), None),
                    });
                }
            }
            _ => {}
        }
        self.dynamic_switch(switch, env, node, frames, span, None)
    }

    /// Returns the failure of a case that has no alternative for a value that is known.
    pub(super) fn no_match(&mut self, span: Span, node: NodeId) -> ExprId {
        let span = self.unmatched(span, node);
        self.expr(Expr::NoMatch, span)
    }

    /// Returns the branch that a known value takes, and whether it is not the default: `None` if
    /// the value is not known or of the wrong kind, an expression that is `None` if there is no
    /// branch.
    pub(super) fn alternative(
        &self,
        switch: SwitchId,
        node: NodeId,
    ) -> Option<(Option<ExprId>, bool)> {
        let case = &self.old.switches[switch];
        let branch = match (&case.branches, self.heap.get(node).value) {
            (Branches::Lits(branches), AbstractValue::Lit(lit)) => {
                let is_char = |lit| matches!(lit, Lit::Char(_));
                let (first, _) = *branches.first()?;
                if matches!(lit, Lit::Float(_)) || is_char(first) != is_char(lit) {
                    return None;
                }
                match lit {
                    // A large integer is known by its number, not by its place in the table.
                    Lit::Int(_) | Lit::Char(_) if branches.len() > SEARCHED => {
                        self.facts.of_literal.get(&(switch, lit)).copied()
                    }
                    _ => {
                        count::add(branches.len() as u64);
                        branches.iter().find(|&&(of, _)| self.equal(of, lit)).map(|&(_, body)| body)
                    }
                }
            }
            (Branches::Cons(branches), AbstractValue::Con(con, _)) => {
                let data = self.new.cons[branches.first()?.con].data;
                if self.new.cons[con].data != data {
                    return None;
                }
                branches.iter().find(|branch| branch.con == con).map(|branch| branch.body)
            }
            // It is never empty.
            (Branches::Cons(branches), AbstractValue::Text(..)) => {
                if self.new.cons[branches.first()?.con].data != self.new.cons[CONS].data {
                    return None;
                }
                branches.iter().find(|branch| branch.con == CONS).map(|branch| branch.body)
            }
            _ => return None,
        };
        Some((branch.or(case.default), branch.is_some()))
    }

    /// Returns the body of the branch that a known value takes, as
    /// [`alternative`](Self::alternative) does; binds its fields.
    pub(super) fn select(
        &mut self,
        switch: SwitchId,
        env: EnvId,
        node: NodeId,
    ) -> Option<Option<ExprId>> {
        let (body, is_own) = self.alternative(switch, node)?;
        let (con, fields) = match self.heap.get(node).value {
            AbstractValue::Con(con, fields) => (con, fields),
            AbstractValue::Text(text, at) if is_own => self.uncons(text, at),
            _ => return Some(body),
        };
        let Branches::Cons(branches) = &self.old.switches[switch].branches else {
            return Some(body);
        };
        let Some(branch) = branches.iter().find(|branch| branch.con == con) else {
            return Some(body);
        };
        let known = self.heap.get(node);
        let shared = known.shared || known.name.is_some();
        let fields = self.heap.items(fields).to_vec();
        for (&local, field) in branch.fields.iter().zip(fields) {
            if shared {
                // Another switch may have them too.
                self.heap.share(field);
            }
            if let Some(local) = local {
                self.bind(local, env, field);
            }
        }
        Some(Some(branch.body))
    }
}

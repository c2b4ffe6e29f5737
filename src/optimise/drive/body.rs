//! The bodies of variants: each is driven from what its pattern says of the arguments, within limits.

use super::agenda::Agenda;
use super::eval::State;
use super::heap::{AbstractValue, NodeId};
use super::history::STEPS_AGAIN;
use super::pattern::{Key, Pattern};
use super::select::Pending;
use super::variant::Variant;
use super::{Abort, Attempt, Driver, FUEL, FUEL_PER_EXPRESSION, Outcome};
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::expr::{ExprId, GlobalKind, LocalId};

/// The parameters of a variant while its patterns are read.
#[derive(Default)]
pub(super) struct Incoming {
    /// The holes with the same value, as in the key.
    same: Vec<u32>,
    /// The value of each hole so far.
    nodes: Vec<NodeId>,
    pub params: Vec<LocalId>,
}

/// How many steps writing an expression counts for among what is spent: a program has so many times more steps
/// than expressions.
const STEPS_PER_WRITTEN: i64 = 8;

/// The most expressions of a body that are written again because more is known there, and how many
/// more for each of its expressions.
const COPIES: i64 = 200;
const COPIES_PER_EXPRESSION: i64 = 2;
/// The most expressions that are written for a body, and how many more for each of its expressions and
/// each step: what takes few steps and writes much writes the same values in one branch after the
/// other. No body of a program that people have written has more than 3.5 for each step.
const WRITTEN: i64 = 100;
const WRITTEN_PER_EXPRESSION: i64 = 2;
pub(super) const WRITTEN_PER_STEP: i64 = 4;
/// The most expressions that are written for a body in any case, and how many more for each of its own, of its
/// patterns and of what is unfolded in it: a function that calls itself by what it is given has no variants
/// to come back to.
const BODY: i64 = 1_000;
pub(super) const BODY_PER_EXPRESSION: i64 = 8;
/// The most values of a body that are looked for in vain, and `FUEL_PER_EXPRESSION` more for each of its
/// expressions. No body of a program that people have written has more than 7,000.
const IN_VAIN: i64 = 10_000;
/// A body for which too much is written is driven again, with so many times fewer steps, and with none if
/// there would be too few.
const FEWER_STEPS: i64 = 8;
const FEWEST_STEPS: i64 = 16;
/// The body of a variant is the call that it stands for once there are as many expressions as there may be; that of
/// one that is in no loop, once there are this part of so many.
const OUTSIDE_OF_LOOPS: usize = 5;
/// That is less code if the function has more expressions than its patterns have parts, so many times as many and
/// so many more.
const CALL_PER_PART: usize = 4;
const CALL: usize = 40;

impl Driver<'_> {
    /// Drives the bodies of all variants, or until the step is to begin again.
    pub(super) fn bodies(&mut self) {
        let mut agenda = Agenda::default();
        let mut known = 0;
        while self.grown.is_empty() {
            for at in known..self.variants.len() {
                let Variant { account, loops, .. } = self.variants[at];
                agenda.add(at as u32, account, loops.count);
            }
            known = self.variants.len();
            let Some(next) = agenda.next(|at| self.variants[at as usize].account) else { break };
            let (total, written) = (self.total, self.new.exprs.len());
            self.body(next as usize);
            let steps =
                total - self.total + STEPS_PER_WRITTEN * (self.new.exprs.len() - written) as i64;
            agenda.spend(self.variants[next as usize].account, steps);
        }
    }

    /// Drives the body of a variant.
    fn body(&mut self, at: usize) {
        let of = self.variants[at].key.of;
        let GlobalKind::Defn { params, body: Some(body) } = self.old.globals[of].kind else {
            unreachable!("what is reached has a body: the lint of lifting checks it")
        };
        self.heap.clear();
        self.failed.clear();
        self.block.clear();
        self.targets.commit();
        self.exits.commit();
        self.globals.commit();
        self.memo.commit();
        self.per_function.commit();
        self.per_shape.commit();
        self.definitions.commit();
        self.part_definitions.commit();
        self.swept = self.heap.len();
        self.pending = Pending::default();
        self.wholes.clear();
        self.current = at as u32;
        let size = i64::from(self.facts.size[of]);
        let parts = self.variants[at].key.args.iter().map(Pattern::size).sum::<usize>() as i64;
        let again = if self.history.is_second() { STEPS_AGAIN } else { 1 };
        let mut fuel = ((FUEL + FUEL_PER_EXPRESSION * size) / again).min(self.total.max(0));
        self.in_vain = IN_VAIN + FUEL_PER_EXPRESSION * size;
        loop {
            let checkpoint = self.checkpoint();
            let written = self.new.exprs.len() as i64;
            (self.limit, self.most_of_body) = match fuel {
                // Nothing is unfolded that could be left: what is driven again ends here.
                0 => (i64::MAX / 2, i64::MAX / 2),
                _ => (
                    written + WRITTEN + WRITTEN_PER_EXPRESSION * size + WRITTEN_PER_STEP * fuel,
                    written + BODY + BODY_PER_EXPRESSION * (size + parts),
                ),
            };
            self.met.clear();
            self.fuel = fuel;
            let done = self.variant_body(at, params, body);
            let spent = fuel - self.fuel.max(0);
            self.total -= spent;
            if done.is_ok() {
                return;
            }
            self.roll_back(checkpoint);
            self.failed.clear();
            fuel = match spent / FEWER_STEPS {
                few if few < FEWEST_STEPS => 0,
                few => few,
            };
        }
    }

    /// Drives the body of a variant with the fuel that there is; fails if it writes too much for that.
    fn variant_body(&mut self, at: usize, params: List<LocalId>, body: ExprId) -> Attempt<()> {
        let Variant { ref key, global, .. } = self.variants[at];
        let (of, key) = (key.of, key.clone());
        self.copies = COPIES + COPIES_PER_EXPRESSION * i64::from(self.facts.size[of]);
        self.calls = key.args.iter().map(Pattern::calls).sum();
        let env = self.heap.activation(self.facts.locals[of] as usize, Span::NONE);
        let mut holes = Incoming { same: key.same.clone(), ..Incoming::default() };
        for (&param, pattern) in self.old.local_lists[params].iter().zip(&key.args) {
            let node = self.incoming(pattern, Some(param), &mut holes);
            self.bind(param, env, node);
        }
        let span = self.old.spans[body];
        let more: Vec<NodeId> = key.args[self.old.arity(of)..]
            .iter()
            .map(|pattern| self.incoming(pattern, None, &mut holes))
            .collect();
        if holes.params.is_empty() && !key.args.is_empty() {
            self.parameter(None, &mut holes.params, Span::NONE);
        }
        let body = match self.stays_a_call(at, &key) {
            true => self.scope(span, |driver| {
                let args: Vec<NodeId> = driver.old.local_lists[params]
                    .iter()
                    .map(|&param| driver.heap.lookup(env, driver.facts.slot[param]))
                    .collect();
                Ok(Outcome::Code(driver.plain_call(of, &args, 0, span)))
            }),
            false => {
                let frames = self.applied_to(&more, &None, span);
                self.scope(span, |driver| driver.run(State::Eval(body, env, frames)))
            }
        }?;
        // What nothing demands is written last.
        if !self.met.is_empty() && self.is_too_long() {
            return Err(Abort::Fuel);
        }
        let params = self.new.local_lists.add(holes.params);
        self.new.globals[global].kind = GlobalKind::Defn { params, body: Some(body) };
        Ok(())
    }

    /// Returns whether the body of a variant is the call that it stands for, of the function with nothing known:
    /// those that call the variant were promised one, and there is too much code by now.
    fn stays_a_call(&self, at: usize, key: &Key) -> bool {
        let most = match self.variants[at].loops.count {
            0 => self.most / OUTSIDE_OF_LOOPS,
            _ => self.most,
        };
        let parts = key.args.iter().map(Pattern::size).sum::<usize>();
        self.rules.specialise
            && self.new.exprs.len() > most
            && !self.is_itself(key)
            && key.args.len() == self.old.arity(key.of)
            && self.facts.size[key.of] as usize > CALL_PER_PART * parts + CALL
    }

    /// Returns a parameter as the body sees it.
    pub(super) fn incoming(
        &mut self,
        pattern: &Pattern,
        like: Option<LocalId>,
        holes: &mut Incoming,
    ) -> NodeId {
        let value = match pattern {
            Pattern::Hole => return self.hole(like, holes),
            Pattern::Lit(lit) => AbstractValue::Lit(*lit),
            Pattern::Text(text, at) => AbstractValue::Text(*text, *at),
            Pattern::Caf(global) => return self.global_node(*global),
            Pattern::Constant(node) => return *node,
            Pattern::Select(switch) => AbstractValue::Select(*switch),
            Pattern::Built(con, parts) => {
                let whole = self.hole(like, holes);
                let name = self.heap.get(whole).name;
                let parts = self.incoming_parts(parts, holes);
                self.heap.set(whole, AbstractValue::Con(*con, parts), name);
                self.note_whole(whole);
                return whole;
            }
            Pattern::Con(con, parts) => AbstractValue::Con(*con, self.incoming_parts(parts, holes)),
            // Nothing else refers to it, nor to its arguments.
            Pattern::Call(global, parts) => {
                let parts: Vec<NodeId> =
                    parts.iter().map(|part| self.incoming(part, None, holes)).collect();
                AbstractValue::Call(*global, self.heap.list(parts))
            }
            Pattern::Partial(head, parts) => {
                AbstractValue::Partial(*head, self.incoming_parts(parts, holes))
            }
        };
        self.heap.add(value)
    }

    fn hole(&mut self, like: Option<LocalId>, holes: &mut Incoming) -> NodeId {
        let at = holes.nodes.len();
        let first = holes.same.get(at).map_or(at, |&first| first as usize);
        let node = match holes.nodes.get(first) {
            Some(&node) => node,
            None => self.parameter(like, &mut holes.params, Span::NONE),
        };
        holes.nodes.push(node);
        node
    }

    fn incoming_parts(&mut self, parts: &[Pattern], holes: &mut Incoming) -> List<NodeId> {
        let nodes: Vec<NodeId> =
            parts.iter().map(|part| self.incoming(part, None, holes)).collect();
        // Whoever refers to the whole refers to its parts: but of what is consumed there is one.
        for (&node, part) in nodes.iter().zip(parts) {
            if part.calls() == 0 {
                self.heap.share(node);
            }
        }
        self.heap.list(nodes)
    }
}

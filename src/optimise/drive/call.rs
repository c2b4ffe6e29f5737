//! Calls of supercombinators: unfolded, specialised, or left.

use super::argument::PARTS;
use super::body::{BODY_PER_EXPRESSION, WRITTEN_PER_STEP};
use super::eval::State;
use super::expanded::is_small;
use super::frame::Frames;
use super::heap::{AbstractValue, NodeId};
use super::pattern::{Key, Pattern};
use super::progress::Unfolding;
use super::{Abort, Attempt, Driver, Outcome};
use crate::base::span::Span;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, Lit};

/// The most expressions, of all copies together, up to which what was called in one place of the
/// program before variants were made is inlined in each of the places that have come of it.
const COPIES_OF_ONE: u32 = 600;
/// The most unfoldings on one path.
const NESTED: u32 = 2_000;
/// The most steps of an attempt to unfold a recursive call to its end, and of a speculation.
const ATTEMPT: i64 = 4_000;
const SPECULATION: i64 = 400;
/// The most expressions that a loop is written out in whose number of turns is known.
const UNROLLED: usize = 200;
/// The fewest steps that have to be left for unfolding to go on along a constant.
const ATTEMPT_END: i64 = 1_000;
const FUEL_END: i64 = 4_000;
/// The steps that the writing takes after an attempt has ended, before the one around it ends.
const UNWINDING: i64 = 10;
/// The steps that a speculation has more for each part of a constant that it may take apart.
const STEPS_PER_PART: i64 = 8;
/// The steps along a constant, to a value that was found there, that cost as much as one that writes
/// code: a program that looks its names up takes them with the square of its length.
const FOUND: i64 = 4;
/// The most expressions of a function that is unfolded for the constructor that it comes to.
const BUILT: u32 = 40;
/// The most parts of a value that is written in place of a call of which all is known.
const VALUE: u32 = 8;
/// The most bytes of a definition that is a text whose characters are known where it is used.
const KNOWN_TEXT: usize = 200;
impl Driver<'_> {
    /// Takes a step of unfolding, if there is fuel.
    pub(super) fn tick(&mut self) -> Attempt<()> {
        if self.unfolded > 0 {
            self.fuel -= 1;
            if self.is_too_long() {
                return Err(Abort::Fuel);
            }
        }
        if self.unbranching > 0 {
            self.attempt -= 1;
            if self.attempt < 0 {
                return Err(Abort::Fuel);
            }
        }
        Ok(())
    }

    /// Returns whether more is written for this body than may be. It is thrown away then.
    pub(super) fn is_too_long(&self) -> bool {
        let most = self.most_of_body.min(self.limit - WRITTEN_PER_STEP * self.fuel);
        self.new.exprs.len() as i64 > most
    }

    pub(super) fn may_unfold(&self) -> bool {
        // What is inlined on this path is yet to be written.
        let to_come = if self.rules.inline { self.unfolded as usize } else { 0 };
        self.fuel > 0 && self.unfolded < NESTED && self.new.exprs.len() + to_come < self.most
    }

    /// Returns whether a call is worth inlining whatever its arguments are.
    pub(super) fn is_inlined(&self, global: GlobalId) -> bool {
        if self.is_forwarding_twin(global) {
            return true;
        }
        if !self.rules.inline {
            return false;
        }
        let (all, other) = self.facts.mentions[global];
        if self.facts.recursive[global] {
            return self.facts.mentioned_once[global]
                || self.facts.forwards[global] && self.is_small(global);
        }
        // A long chain or a tree of small functions would be written at each way into it. What is small
        // the second time has been left there the first time, or is inlined after strictness analysis.
        if self.is_small(global)
            && !self.facts.expanded[global].is_long()
            && !self.history.is_second()
        {
            return true;
        }
        let most = match self.history.was_called_once(global) {
            true => COPIES_OF_ONE.checked_div(self.facts.size[global]).unwrap_or(0).max(1),
            false => 1,
        };
        all <= most && other == 0 && !self.facts.kept[global]
    }

    /// Returns whether a call that nothing demands is worth inlining. A choice goes back where it was
    /// once nothing consumes it any more.
    fn is_inlined_lazily(&self, global: GlobalId) -> bool {
        let is_back = || {
            self.rules.inline
                && self.history.is_second()
                && self.facts.is_choice[global]
                && (self.facts.mentions[global] == (1, 0) || self.is_small(global))
                && !self.facts.recursive[global]
                && !self.facts.kept[global]
        };
        let is_data = || {
            self.facts.makes_data[global]
                && self.is_small(global)
                && self.knows()
                && !self.facts.recursive[global]
        };
        self.facts.lazy_form[global] && self.is_inlined(global) || is_data() || is_back()
    }

    /// Returns whether a body is not much more than a call.
    pub(super) fn is_small(&self, global: GlobalId) -> bool {
        is_small(self.facts.size[global] as usize, self.old.arity(global))
    }

    /// Drives a demanded call with all its arguments.
    pub(super) fn call(
        &mut self,
        global: GlobalId,
        args: Vec<NodeId>,
        fresh: u64,
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        let GlobalKind::Defn { .. } = self.old.globals[global].kind else {
            self.may_write()?;
            let callee = self.global(global);
            let callee = self.expr(Expr::Global(callee), span);
            let args = self.written(&args, fresh, span);
            let code = self.application(callee, args, span);
            return Ok(State::Value(Outcome::Code(code), frames));
        };
        if self.is_inlined(global) && self.may_unfold() && !self.is_wound(global, &args, &frames) {
            self.tally.inlined += 1;
            return Ok(self.unfold(global, &args, frames, span));
        }
        if let Some(arg) = self.forwarded(global, &args) {
            self.tally.unfolded += 1;
            return Ok(self.demand(arg, frames));
        }
        if let Some(state) = self.hand_back(global, &args, &frames, span)? {
            return Ok(state);
        }
        // An attempt that cannot go on has failed: what it wrote so far would be for nothing.
        if self.unbranching > 0 && !self.may_unfold() {
            return Err(Abort::Fuel);
        }
        let recursive = self.facts.recursive[global];
        let found = frames.clone();
        let (mut args, mut frames) = (args, frames);
        if recursive {
            frames = self.absorb(global, &mut args, frames);
            if args.len() > self.old.arity(global)
                && !self.has_selection(&args)
                && let Some(state) = self.hand_back(global, &args, &frames, span)?
            {
                return Ok(state);
            }
        }
        if self.consumes_choice(global, &args)
            || recursive
                && self.facts.is_part[global]
                && (self.is_way_to_producer(global, &frames)
                    || self.is_taken_apart(global, &frames))
        {
            self.tally.unfolded += 1;
            return Ok(self.unfold_applied(global, &args, &frames, span));
        }
        let mut key = self.call_key(global, &args, true);
        if self.outlined.contains(&global) {
            return self.outlined_call(global, args, key, frames, span);
        }
        // Looking for what is known may have taken the last steps.
        let is_at_end = self.attempt < 0 || !self.may_unfold();
        if self.unbranching > 0
            && (is_at_end || recursive && self.has_outgrown(global, &args, key.as_deref()))
        {
            return Err(Abort::Fuel);
        }
        if let Some(key) = &key {
            // What a body ends in is left to a variant: nothing here learns from its value. A call of
            // which all is known has no variant, but it may come to a value.
            let is_end = frames.is_none() && self.unbranching == 0 && self.unfolded == 0;
            if is_end
                && !recursive
                && is_closed(key)
                && let Some(value) = self.small_value(global, &args)
            {
                return Ok(State::Value(Outcome::Node(value), frames));
            }
            let is_left = is_end
                && !self.hold_calls_to_functions(&args)
                && !self.takes_known_apart(global, &args);
            if !recursive
                && !is_left
                && self.may_be_unfolded(global)
                && !self.comes_back(global, key, &args)
            {
                self.tally.unfolded += 1;
                self.way.enter(global, key, &frames);
                return Ok(self.unfold(global, &args, frames, span));
            }
            let is_static = |pattern| {
                !matches!(pattern, &Pattern::Hole | &Pattern::Call(..) | &Pattern::Select(_))
            };
            if recursive
                && key.iter().any(is_static)
                && self.may_unfold()
                && !self.is_made_or_branches(global, key, &args)
                && !self.is_cut(&args)
                && let Some(outcome) = self.worthwhile_attempt(global, &args, key, span)?
            {
                return Ok(State::Value(outcome, frames));
            }
        } else if self.is_way_to_producer(global, &frames)
            || !recursive
                && (self.is_for_value(global, &args)
                    || self.is_taken_apart(global, &frames)
                    || self.is_selection(global, &frames) && self.may_unfold())
            || self.unwriting > 0 && recursive && self.is_written_down(global)
        {
            self.tally.unfolded += 1;
            return Ok(self.unfold(global, &args, frames, span));
        }
        self.may_write()?;
        // A choice by the value of code is for the run: the attempt fails there, so what is written
        // until then would be for nothing, once for each call in a nest of them.
        if self.unbranching > 0 && self.is_chosen_by(&frames) {
            return Err(Abort::Branch);
        }
        if !recursive {
            frames = self.absorb(global, &mut args, frames);
            // There is nothing to learn in one call of which all is known, but of a program.
            let is_program = self.is_given_whole_constant(&args);
            key = key.filter(|key| is_program || !is_closed(key));
        }
        let key = self.more_patterns(&args, key, global, true);
        let code = match self.variant_call(global, &args, fresh, key, span) {
            Some(code) => code,
            None => {
                // There is nothing to take a selection but a variant.
                if self.has_selection(&args) {
                    args.truncate(self.old.arity(global));
                    frames = found;
                }
                self.plain_call(global, &args, fresh, span)
            }
        };
        Ok(State::Value(Outcome::Code(code), frames))
    }

    /// Returns whether a call takes apart what another call comes to that ends in constructors.
    fn takes_known_apart(&self, global: GlobalId, args: &[NodeId]) -> bool {
        let GlobalKind::Defn { params, .. } = self.old.globals[global].kind else { return false };
        let mut params = self.old.local_lists[params].iter().zip(args);
        params.any(|(&param, &arg)| {
            let known = self.heap.get(arg);
            if known.shared || known.name.is_some() || !self.fusible.taken_apart[param] {
                return false;
            }
            let of = match known.value {
                AbstractValue::Call(of, _) => Some(of),
                AbstractValue::Thunk(expr, env) => match self.old.exprs[expr] {
                    Expr::App(callee, _) => self.callee(callee, env),
                    _ => None,
                },
                _ => None,
            };
            of.is_some_and(|of| self.fusible.ends_known[of])
        })
    }

    /// Returns whether a call, within the unfolding of another one of the same function, has an
    /// argument that has become too large for a pattern, and does not go along a constant. What is
    /// written so far is one body after the other, with more and more that decides nothing.
    fn has_outgrown(&self, global: GlobalId, args: &[NodeId], key: Option<&[Pattern]>) -> bool {
        let GlobalKind::Defn { params, .. } = self.old.globals[global].kind else { return false };
        let mut params = self.old.local_lists[params].iter().zip(args).enumerate();
        self.unfolding.iter().any(|unfolding| unfolding.of == global)
            && params.any(|(at, (&param, &arg))| {
                let value = self.heap.get(arg).value;
                key.is_none_or(|key| key[at] == Pattern::Hole)
                    && self.facts.inspected[param]
                    && matches!(value, AbstractValue::Con(..) | AbstractValue::Partial(..))
            })
            && !self.walks_constant(args)
    }

    /// Returns whether a call of what is not recursive, and of whose arguments nothing is known, is
    /// unfolded because its value is looked for and code would be none.
    fn is_for_value(&self, global: GlobalId, args: &[NodeId]) -> bool {
        self.unwriting > 0
            && self.may_be_unfolded(global)
            && (self.closed > 0 || self.builds(global) || self.makes_function(global, args))
    }

    /// Returns whether the call of a small function comes to a function: where that is applied is decided by
    /// what it holds.
    fn makes_function(&self, global: GlobalId, args: &[NodeId]) -> bool {
        self.is_applied == 0 && self.facts.size[global] <= BUILT && self.result(global, args) > 0
    }

    /// Returns whether a function does nothing but write down a constructor, with its fields as yet to
    /// be evaluated.
    fn builds(&self, global: GlobalId) -> bool {
        let GlobalKind::Defn { body: Some(body), .. } = self.old.globals[global].kind else {
            return false;
        };
        let Expr::App(callee, _) = self.old.exprs[body] else { return false };
        let is_little = self.facts.size[global] <= BUILT;
        matches!(self.old.exprs[callee], Expr::Con(_)) && (is_little || self.is_data(body, true))
    }

    /// Returns whether the body of what is not recursive may stand in place of a call. Where it is
    /// to be evaluated to its end, its size does not matter.
    fn may_be_unfolded(&self, global: GlobalId) -> bool {
        let size = self.facts.size[global];
        let is_little = self.facts.expanded[global].may_be_unfolded(size);
        self.may_unfold() && (self.closed > 0 || is_little)
    }

    /// Returns whether unfolding goes no further along a constant, because few steps are left: the
    /// code so far is kept, and ends in a call of a variant for the rest.
    fn is_cut(&self, args: &[NodeId]) -> bool {
        let end = ATTEMPT_END + UNWINDING * i64::from(self.unbranching);
        let is_near_end = self.fuel < FUEL_END || self.unbranching > 0 && self.attempt < end;
        is_near_end && self.unwriting == 0 && self.walks_constant(args)
    }

    /// Gives up an attempt that must not write code: code is about to be written.
    pub(super) fn may_write(&self) -> Attempt<()> {
        if self.unwriting > 0 { Err(Abort::Branch) } else { Ok(()) }
    }

    /// Returns whether there is a variant for these patterns as they are, or an attempt with them
    /// is known to come to a branching.
    pub(super) fn is_made_or_branches(
        &self,
        of: GlobalId,
        patterns: &[Pattern],
        args: &[NodeId],
    ) -> bool {
        // Most functions have no variant yet: none has had a symbol.
        if !self.counts.contains_key(&of) && self.branching.is_empty() {
            return false;
        }
        let key = self.exact_key(of, patterns, args);
        // What is not worth a variant may be worth an attempt.
        let is_made = !key.is_general() && self.memo.get(&key).is_some();
        is_made || self.branching.contains(&key)
    }

    pub(super) fn exact_key(&self, of: GlobalId, patterns: &[Pattern], args: &[NodeId]) -> Key {
        let patterns = self.worth_knowing(of, patterns.to_vec());
        let same = self.sharing(&patterns, args);
        Key { of, args: patterns, same }
    }

    /// Goes on with the body of a supercombinator in place of the call at `span`.
    pub(super) fn unfold(
        &mut self,
        global: GlobalId,
        args: &[NodeId],
        frames: Frames,
        span: Span,
    ) -> State {
        let GlobalKind::Defn { params, body: Some(body) } = self.old.globals[global].kind else {
            unreachable!("what is reached has a body: the lint of lifting checks it")
        };
        let locals = self.facts.locals[global];
        self.fuel -= 1 + i64::from(locals / 4);
        self.unfolded += 1;
        if self.met.insert(global) {
            self.most_of_body += BODY_PER_EXPRESSION * i64::from(self.facts.size[global]);
        }
        let env = self.heap.activation(locals as usize, self.users_call(span));
        for (&param, &arg) in self.old.local_lists[params].iter().zip(args) {
            self.bind(param, env, arg);
        }
        State::Eval(body, env, frames)
    }

    /// Unfolds a recursive call to its end if that is worth an attempt. Where the function has been
    /// specialised before and all of the call is known, it is one only for a small value: a loop that
    /// fusion has made was not there to be evaluated before.
    fn worthwhile_attempt(
        &mut self,
        global: GlobalId,
        args: &[NodeId],
        key: &[Pattern],
        span: Span,
    ) -> Attempt<Option<Outcome>> {
        let is_closed = is_closed(key);
        if self.is_worth_attempting(global, key) || self.closed > 0 && is_closed {
            return self.attempt(global, args, key, span);
        }
        if !is_closed || self.unbranching > 0 {
            return Ok(None);
        }
        let checkpoint = self.checkpoint();
        self.closed += 1;
        let outcome = self.attempt(global, args, key, span)?;
        if let Some(Outcome::Node(node)) = outcome
            && self.is_small_value(node, &mut { VALUE })
        {
            self.closed -= 1;
            return Ok(outcome);
        }
        self.roll_back(checkpoint);
        Ok(None)
    }

    /// Unfolds a recursive call to its end, if that takes no branching that only the run can
    /// decide.
    pub(super) fn attempt(
        &mut self,
        global: GlobalId,
        args: &[NodeId],
        key: &[Pattern],
        span: Span,
    ) -> Attempt<Option<Outcome>> {
        let is_same = |before: &Unfolding| before.of == global && before.key == key;
        let outermost = self.unbranching == 0;
        // The same call would go on for ever.
        if self.unfolding.iter().any(is_same) || !outermost && self.is_far_from_end(global, key) {
            return Err(Abort::Fuel);
        }
        if outermost {
            // There is to be something left for what is not evaluated to its end.
            let most = if self.closed > 0 { self.fuel / 2 } else { ATTEMPT };
            self.attempt = ATTEMPT.min(most);
        }
        let checkpoint = self.checkpoint();
        let written = self.new.exprs.len();
        self.unbranching += 1;
        let (left, speculations) = (self.attempt, self.unwriting);
        self.unfolding.push(Unfolding { of: global, key: key.to_vec(), left, speculations });
        let state = self.unfold_applied(global, args, &None, span);
        let result = self.run(state);
        match result {
            Ok(Outcome::Code(_)) if outermost && self.is_unrolled(written, args) => {
                self.roll_back(checkpoint);
                Ok(None)
            }
            Ok(outcome) => {
                self.unbranching -= 1;
                self.unfolding.pop();
                self.unfolded = checkpoint.knowledge.unfolded;
                self.tally.unfolded += 1;
                if self.report.is_verbose() {
                    let key = Key { of: global, args: key.to_vec(), same: Vec::new() };
                    let text = format!("{} is unfolded", self.describe(&key));
                    self.decisions.push(text);
                }
                Ok(Some(outcome))
            }
            Err(Abort::Fuel) if !outermost => Err(Abort::Fuel),
            Err(abort) => {
                self.roll_back(checkpoint);
                // The calls for the parts of a constant fail inside of the one for the whole:
                // tried again, each by itself, they would take steps with the square of its size.
                if abort == Abort::Branch && self.unwriting == 0 && self.walks_constant(args) {
                    let key = self.exact_key(global, key, args);
                    self.branching.insert(key);
                }
                Ok(None)
            }
        }
    }

    /// Returns whether an attempt has written a loop out, turn after turn: much code since there were
    /// `written` expressions, and none of it for a part of a constant.
    fn is_unrolled(&self, written: usize, args: &[NodeId]) -> bool {
        self.new.exprs.len() - written > UNROLLED && !self.walks_constant(args)
    }

    /// Evaluates a thunk if that takes no code and few steps. Nothing is left of a failure but
    /// the note that it failed: it is not tried again in another place.
    pub(super) fn speculate(&mut self, node: NodeId) -> bool {
        let known = self.heap.get(node);
        if known.hopeless || !self.may_unfold() || self.in_message > 0 || self.in_vain <= 0 {
            return false;
        }
        let site = match known.value {
            AbstractValue::Thunk(expr, env) => Some((expr, self.heap.serial(env))),
            _ => None,
        };
        let outer = self.attempt;
        let parts = self.constant_call(node).unwrap_or(0);
        let most = (SPECULATION + STEPS_PER_PART * i64::from(parts)).min(ATTEMPT);
        // What comes to a constant is for the code to come, not for the attempt around it.
        let is_paid = self.unbranching == 0 || self.unwriting == 0 && parts > 0;
        let given = if is_paid { most } else { most.min(outer) };
        let tried = site.and_then(|site| self.failed.get(&site).copied()).unwrap_or(0);
        if given / 2 < tried {
            self.heap.give_up(node);
            return false;
        }
        let checkpoint = self.checkpoint();
        self.attempt = given;
        self.unbranching += 1;
        self.unwriting += 1;
        let fuel = self.fuel;
        let state = self.demand(node, None);
        let result = self.run(state);
        let spent = given - self.attempt.max(0);
        // What the attempt around it has too few steps for is not without a value.
        let is_end = !is_paid && given < most && matches!(result, Err(Abort::Fuel));
        self.attempt = match (is_paid, is_end) {
            (true, _) => outer,
            (false, true) => -1,
            (false, false) => outer - spent,
        };
        match result {
            Ok(Outcome::Node(value)) if self.is_static(&Outcome::Node(value)) => {
                // If one place alone refers to it, that goes for its value.
                if !known.shared {
                    self.heap.set(node, AbstractValue::Alias(value), None);
                }
                self.unbranching -= 1;
                self.unwriting -= 1;
                self.unfolded = checkpoint.knowledge.unfolded;
                if self.unwriting == 0 && parts > 0 {
                    let used = fuel - self.fuel;
                    self.fuel += used - used / FOUND;
                }
                true
            }
            result => {
                self.in_vain -= 1;
                self.roll_back(checkpoint);
                self.heap.give_up(node);
                // What ran out of steps was perhaps not given all of them: it is tried again with
                // twice as many, so that trying all values of a nest takes steps in proportion.
                let tried = if matches!(result, Err(Abort::Fuel)) { given } else { i64::MAX };
                self.failed.extend(site.map(|site| (site, tried)));
                false
            }
        }
    }

    /// Returns code for a call that is not demanded.
    pub(super) fn lazy_call(
        &mut self,
        global: GlobalId,
        args: Vec<NodeId>,
        fresh: u64,
        span: Span,
    ) -> ExprId {
        if let Some(arg) = self.forwarded(global, &args) {
            return self.atom(arg, span);
        }
        let inlined = self.is_inlined_lazily(global) && self.may_unfold();
        if inlined {
            self.tally.inlined += 1;
            let before = self.unfolded;
            let State::Eval(body, env, _) = self.unfold(global, &args, None, span) else {
                unreachable!("unfolding goes on with a body")
            };
            let code = self.lazy(body, env);
            self.unfolded = before;
            return code;
        }
        let key = self.key(global, &args, false);
        if key.as_deref().is_some_and(is_closed)
            && let Some(value) = self.small_value(global, &args)
        {
            return self.construct(value, span);
        }
        self.call_code(global, &args, fresh, key, span)
    }

    /// Returns the value of a call of which all is known, if it takes few steps and is no larger
    /// than a call is.
    fn small_value(&mut self, global: GlobalId, args: &[NodeId]) -> Option<NodeId> {
        let checkpoint = self.checkpoint();
        let all = self.heap.list(args.iter().copied());
        let node = self.heap.add(AbstractValue::Call(global, all));
        self.closed += 1;
        if self.speculate(node) && self.is_small_value(node, &mut { VALUE }) {
            self.closed -= 1;
            return Some(node);
        }
        // The patterns are those of the arguments as they were.
        self.roll_back(checkpoint);
        None
    }

    /// Returns whether a value is a tree of literals and constructors, all of it known, of at most
    /// so many parts.
    fn is_small_value(&mut self, node: NodeId, parts: &mut u32) -> bool {
        let Some(rest) = parts.checked_sub(1) else { return false };
        *parts = rest;
        let node = self.heap.resolve(node);
        let known = self.heap.get(node);
        match known.value {
            _ if known.name.is_some() || self.constants.is_atom(node) => true,
            AbstractValue::Lit(_) | AbstractValue::Text(..) => true,
            AbstractValue::Partial(_, args) => args.is_empty(),
            AbstractValue::Con(_, fields) => {
                let fields = self.heap.items(fields).to_vec();
                fields.into_iter().all(|field| self.is_small_value(field, parts))
            }
            AbstractValue::Thunk(..) | AbstractValue::Call(..) => {
                *parts += 1;
                self.speculate(node) && self.is_small_value(node, parts)
            }
            AbstractValue::Unknown(_) | AbstractValue::Alias(_) | AbstractValue::Select(_) => false,
        }
    }

    /// Returns the value of a CAF that stands there: a text, or a tree of constructors, literals and
    /// functions.
    pub(super) fn caf(&mut self, global: GlobalId) -> Option<AbstractValue> {
        if let Some(lit) = self.literal(global) {
            return Some(AbstractValue::Lit(lit));
        }
        if !self.rules.specialise {
            return None;
        }
        let GlobalKind::Defn { body: Some(body), .. } = self.old.globals[global].kind else {
            return None;
        };
        if let Expr::Text(text) = self.old.exprs[body]
            && (1..=KNOWN_TEXT).contains(&self.new.texts[text].len())
        {
            return Some(AbstractValue::Text(text, 0));
        }
        if let Some(node) = self.constants.of(body) {
            let value = self.heap.get(node).value;
            return matches!(value, AbstractValue::Con(..)).then_some(value);
        }
        if !self.is_data(body, false) {
            return None;
        }
        let env = self.heap.activation(0, Span::NONE);
        let outer = std::mem::replace(&mut self.in_caf, true);
        let node = self.node(body, env);
        self.in_caf = outer;
        match self.heap.get(node).value {
            value @ AbstractValue::Con(..) => Some(value),
            _ => None,
        }
    }

    /// Returns the literal that a CAF is, if it can be written wherever the CAF stands.
    pub(super) fn literal(&self, caf: GlobalId) -> Option<Lit> {
        let GlobalKind::Defn { params, body: Some(body) } = self.old.globals[caf].kind else {
            return None;
        };
        let Expr::Lit(lit) = self.old.exprs[body] else { return None };
        let is_known = self.rules.known_case && params.is_empty() && lit.is_immediate();
        is_known.then_some(lit)
    }

    /// Returns whether an expression is a tree of constructors and of functions with too few
    /// arguments, whose leaves are literals, globals and, if it may be `open`, variables.
    pub(super) fn is_data(&self, expr: ExprId, open: bool) -> bool {
        let old = self.old;
        let mut work = vec![expr];
        let mut parts = PARTS;
        while let Some(expr) = work.pop() {
            if parts == 0 {
                return false;
            }
            parts -= 1;
            match old.exprs[expr] {
                Expr::Lit(_) | Expr::Text(_) | Expr::Con(_) | Expr::Global(_) => {}
                Expr::Local(_) if open => {}
                Expr::App(callee, args) => match old.exprs[callee] {
                    Expr::Con(con) if args.len() <= self.new.cons[con].arity as usize => {
                        work.extend(&old.expr_lists[args]);
                    }
                    Expr::Global(global) if args.len() < self.expanded(global).1 => {
                        work.extend(&old.expr_lists[args]);
                    }
                    _ => return false,
                },
                _ => return false,
            }
        }
        true
    }
}

/// Returns whether patterns leave nothing open.
fn is_closed(patterns: &[Pattern]) -> bool {
    patterns.iter().all(|pattern| pattern.holes() == 0)
}

//! Fusion: a call whose value is only taken apart is written where that is done, so that the
//! constructor between the two is never made.
//!
//! This is deforestation (Wadler, "Deforestation: transforming programs to eliminate trees",
//! TCS 73, 1990) as positive supercompilation does it (Sørensen, Glück and Jones, 1996), and by
//! the means that are there already. `(map f (map g xs))` is a call of `map` with the pattern
//! `(map g xs)` for its list: a variant with the parameters `f`, `g` and `xs`. In its body, the
//! inner call is unfolded where the outer `map` switches on it. In a branch where it comes to a
//! constructor, the branch of the outer `map` is taken at once; the call that this one leaves,
//! `(map f (map g t))`, has the same pattern and so the same variant. Where it comes to
//! something else, the outer call is made again with that.
//!
//! A call that comes to a function is consumed in the same way where that is only applied.
//!
//! - *Work.* The pattern is made of a thunk that nothing else refers to, for a parameter that
//!   is used once. So it is evaluated once at most, as before. A constructor that only a
//!   switch refers to hands its fields on unshared: they have one place again.
//! - *Laziness.* The call is unfolded where its value is demanded. The parameters of the variant
//!   are what the thunk would hold.
//! - *End.* The patterns are subject to the whistle and the limits as all others are. A call is
//!   unfolded once for each pattern; calls that it ends in are calls of variants again.

use super::argument::{CALLS_WITH_ENDS, ENDS, Size};
use super::eval::State;
use super::frame::{Action, Frame, Frames};
use super::heap::{AbstractValue, EnvId, Head, NodeId};
use super::history::CALLS_AGAIN;
use super::pattern::Pattern;
use super::share::BRANCHING;
use super::{Abort, Attempt, Driver, Outcome};
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Branches, Expr, ExprId, GlobalId, GlobalKind, LocalId, SwitchId};
use crate::primitive::Shape;

/// The most expressions of a function whose switch is copied into branches.
const COPIED: u32 = 40;
/// The most frames among which switches are counted.
const FRAMES: usize = 200;
/// The most bytes of a text that a call in a pattern goes along.
const WALKED_TEXT: usize = 32;
/// The most calls in the pattern of what a consumer takes apart that cannot come to call itself: in a
/// `case` of a field of what another one takes apart there are those of that one too.
const HANDED_CALLS: usize = 4;
/// The size that the switch of a loop counts for among the frames that are copied.
const LOOP: usize = 2;

impl Driver<'_> {
    /// Returns whether calls of a function are written where they are consumed.
    pub(super) fn is_producer(&self, global: GlobalId) -> bool {
        self.rules.specialise
            && self.rules.case_of_case
            && self.knows()
            && self.facts.recursive[global]
            && self.fusible.produces[global]
    }

    /// Returns whether a call of a function that cannot come to call itself is one of a producer,
    /// or ends in one: such is unfolded on the way to what consumes it. What is no part of another call
    /// has to lead to one that calls itself: else the consumer would know one element more.
    fn leads_to_producer(&self, global: GlobalId, is_part: bool) -> bool {
        self.rules.specialise
            && self.rules.case_of_case
            && self.knows()
            && !self.facts.recursive[global]
            && self.fusible.produces[global]
            && (is_part || self.fusible.leads[global] && self.facts.expanded[global].may_lead())
            && self.old.arity(global) > 0
            && self.may_unfold()
    }

    /// Returns whether a call passes on what a producer makes that nothing has evaluated.
    fn passes_on(&self, global: GlobalId, args: &[NodeId]) -> bool {
        let (mut global, mut args) = (global, args);
        for _ in 0..CALLS_WITH_ENDS {
            let Some(at) = self.fusible.passes[global] else { return false };
            let Some(&arg) = args.get(at) else { return false };
            let known = self.heap.get(arg);
            if !self.can_pass(global) || known.shared || known.name.is_some() {
                return false;
            }
            match known.value {
                AbstractValue::Call(of, more) => {
                    if self.is_producer(of) || self.leads_to_producer(of, true) {
                        return true;
                    }
                    (global, args) = (of, self.heap.items(more));
                }
                AbstractValue::Thunk(expr, env) => {
                    let Expr::App(callee, _) = self.old.exprs[expr] else { return false };
                    return self.callee(callee, env).is_some_and(|of| self.is_producer(of));
                }
                _ => return false,
            }
        }
        false
    }

    /// Returns whether a call is of a consumer, or of a function that passes an argument on to one, whose
    /// argument chooses between the calls of producers: so each of them is consumed in its branch.
    pub(super) fn consumes_choice(&self, global: GlobalId, args: &[NodeId]) -> bool {
        let GlobalKind::Defn { params, body: Some(body) } = self.old.globals[global].kind else {
            return false;
        };
        let is_first = |param| match (self.old.exprs[body], self.facts.switch[param]) {
            (Expr::Switch(first), Some(switch)) => first == switch,
            _ => false,
        };
        let mut params = self.old.local_lists[params].iter().zip(args);
        self.rules.specialise
            && self.rules.case_of_case
            && self.knows()
            && self.may_unfold()
            && self.facts.size[global] <= COPIED
            && params.any(|(&param, &arg)| {
                self.fusible.is_consumed(param)
                    && (!self.facts.recursive[global] || is_first(param))
                    && self.is_choice_of_producers(arg)
            })
    }

    /// Returns whether a value that nothing has evaluated and nothing else refers to chooses between
    /// the calls of producers.
    pub(super) fn is_choice_of_producers(&self, node: NodeId) -> bool {
        let known = self.heap.get(node);
        let AbstractValue::Thunk(expr, _) = known.value else { return false };
        if known.shared || known.busy || known.name.is_some() {
            return false;
        }
        let Expr::App(callee, _) = self.old.exprs[expr] else { return false };
        let Expr::Global(of) = self.old.exprs[callee] else { return false };
        let is_if = matches!(self.old.globals[of].kind,
            GlobalKind::Primitive(primitive) if primitive.shape() == Shape::If);
        is_if
            && self.old.ends(expr).into_iter().any(|end| {
                let Expr::App(callee, _) = self.old.exprs[end] else { return false };
                matches!(self.old.exprs[callee], Expr::Global(of)
                    if self.is_producer(of) || self.fusible.leads[of])
            })
    }

    /// Returns whether a function may stand for the producer that it is given.
    fn can_pass(&self, global: GlobalId) -> bool {
        self.rules.specialise
            && self.rules.case_of_case
            && self.knows()
            && self.fusible.passes[global].is_some()
            && self.may_unfold()
    }

    /// Returns whether a call is unfolded where a switch is on its value.
    pub(super) fn is_fused(
        &self,
        switch: SwitchId,
        node: NodeId,
        (producer, args): (GlobalId, &[NodeId]),
        frames: &Frames,
    ) -> bool {
        (self.is_producer(producer)
            || self.leads_to_producer(producer, true)
            || self.passes_on(producer, args)
            || self.comes_to_constructor(producer, args))
            && !self.heap.get(node).shared
            && self.fusible.consumers.contains_key(&switch)
            && self.may_unfold()
            && !self.is_unclosed_at(switch, producer)
            && !self.is_nested(switch, frames)
            && !self.is_turn_of_itself(switch, producer)
    }

    /// Returns whether a call is a turn of the function whose variant is written, and its consumer is no loop. The
    /// consumer would be written at each end of the function, and in each of those the function again for the
    /// next of its calls of itself, and so on: for a tree that nothing is known of.
    fn is_turn_of_itself(&self, switch: SwitchId, producer: GlobalId) -> bool {
        self.facts.size[producer] > COPIED
            && !self.facts.recursive[self.fusible.consumers[&switch].global]
            && self.fusible.turns[producer] >= 2
            && self.variants[self.current as usize].key.mentions(producer)
    }

    /// Returns whether a switch consumes what it consumes, and so on, more often than the calls are
    /// that the variant was made for: unfolding has made the others, and would make more without
    /// end.
    pub(super) fn is_nested(&self, switch: SwitchId, frames: &Frames) -> bool {
        let mut count = 0;
        let mut frames = frames;
        for _ in 0..FRAMES {
            let Some(frame) = frames.as_deref() else { break };
            frames = match &frame.action {
                Action::Shared(shared) => &shared.frames,
                Action::Consume(of, ..) => {
                    count += usize::from(*of == switch);
                    &frame.next
                }
                _ => &frame.next,
            };
        }
        count > self.calls
    }

    /// Returns what a switch counts that each branch of a call that is consumed gets: it becomes
    /// one of its branches there, or a call. `None` if it is too large for that. `inner` is what
    /// the value comes from.
    pub(super) fn consumer_size(&self, switch: SwitchId, inner: Option<&Action>) -> Option<usize> {
        let consumer = self.fusible.consumers.get(&switch)?;
        // A loop is left in one value at most, and in its other branches goes on. After one that may
        // be left in several, as an insertion, each of them is another branch.
        let is_loop = consumer.first && self.facts.recursive[consumer.global];
        let is_multiplied = match inner {
            Some(Action::Consume(inner, ..)) => self.fusible.consumers[inner].values > 1,
            _ => false,
        };
        match is_loop && !is_multiplied {
            true => Some(LOOP),
            false => (self.facts.size[consumer.global] <= COPIED).then_some(BRANCHING),
        }
    }

    /// Returns the pattern of a call that nothing has evaluated; a hole if it is not one to fuse.
    pub(super) fn call_pattern(&mut self, node: NodeId, size: &mut Size) -> Option<Pattern> {
        self.call_pattern_of(node, size, false)
    }

    /// Returns that pattern; `is_part` is whether the call is what another one in a pattern
    /// consumes or ends in.
    pub(super) fn call_pattern_of(
        &mut self,
        node: NodeId,
        size: &mut Size,
        is_part: bool,
    ) -> Option<Pattern> {
        ensure_sufficient_stack(|| self.call_pattern_step(node, size, is_part))
    }

    fn call_pattern_step(
        &mut self,
        node: NodeId,
        size: &mut Size,
        is_part: bool,
    ) -> Option<Pattern> {
        size.parts = size.parts.checked_sub(1)?;
        if size.ends < ENDS && size.calls >= CALLS_WITH_ENDS {
            return Some(Pattern::Hole);
        }
        if self.history.is_second() && size.calls >= CALLS_AGAIN {
            return Some(Pattern::Hole);
        }
        let Some((producer, args)) = self.produced_by(node, is_part) else {
            return Some(Pattern::Hole);
        };
        let old = self.old;
        let GlobalKind::Defn { params, .. } = old.globals[producer].kind else {
            return Some(Pattern::Hole);
        };
        size.calls += 1;
        if !self.is_producer(producer) && !self.comes_to_constructor(producer, &args) {
            let Some(left) = size.others.checked_sub(1) else { return Some(Pattern::Hole) };
            size.others = left;
        }
        let params = &old.local_lists[params];
        let mut parts = vec![Pattern::Hole; args.len()];
        // Ends come first: it is the innermost call that is a value where there are too many, so that
        // the loops around it stay loops.
        for ((&param, &arg), part) in params.iter().zip(&args).zip(&mut parts) {
            if self.fusible.returned[param] && size.ends > 0 {
                size.ends -= 1;
                *part = self.call_pattern_of(arg, size, true)?;
                size.ends += u32::from(*part == Pattern::Hole);
            }
        }
        for ((&param, &arg), slot) in params.iter().zip(&args).zip(&mut parts) {
            if *slot != Pattern::Hole {
                continue;
            }
            let mut part = Pattern::Hole;
            let consumed = self.fusible.is_consumed(param) && !self.is_unclosed(param, arg);
            let is_call_first = size.exceeded;
            if consumed && is_call_first {
                part = self.call_pattern_of(arg, size, true)?;
            }
            if part == Pattern::Hole && self.facts.inspected[param] {
                // What is too large is a parameter.
                part = self.value_or_call(arg, consumed, size)?;
            }
            if part == Pattern::Hole && consumed && !is_call_first {
                part = self.call_pattern_of(arg, size, true)?;
            }
            // What counts is a parameter.
            let is_parameter = match part {
                Pattern::Lit(_) => true,
                Pattern::Text(text, at) => {
                    let rest = self.new.texts[text].len() - at as usize;
                    rest > WALKED_TEXT || !self.looks_at_elements(param)
                }
                _ => false,
            };
            if is_parameter {
                part = Pattern::Hole;
            }
            *slot = part;
        }
        // What passes on no call makes nothing.
        if let Some(at) = self.fusible.passes[producer]
            && !matches!(parts.get(at), Some(Pattern::Call(..)))
            && !self.comes_to_function(producer, &args)
        {
            return Some(Pattern::Hole);
        }
        Some(Pattern::Call(producer, parts))
    }

    /// Returns the producer that a call is of which nothing has evaluated.
    pub(super) fn producer_of(&self, node: NodeId) -> Option<GlobalId> {
        let of = match self.heap.get(self.heap.resolve(node)).value {
            AbstractValue::Call(of, _) => Some(of),
            AbstractValue::Thunk(expr, env) => match self.old.exprs[expr] {
                Expr::App(callee, _) => self.callee(callee, env),
                _ => None,
            },
            _ => None,
        };
        of.filter(|&of| self.is_producer(of))
    }

    /// Returns the pattern of an argument's value; a hole if it is too large. Where the value is the beginning
    /// of what a call makes that is `consumed`, and goes on with another call of the same producer, the
    /// pattern is the call: the loop is one of all elements then.
    fn value_or_call(&mut self, arg: NodeId, consumed: bool, size: &mut Size) -> Option<Pattern> {
        let producer = if consumed { self.producer_of(arg) } else { None };
        let (before, left) = (self.checkpoint(), *size);
        let value = match self.value_pattern(arg, false, size) {
            Some(value) => value,
            None => self.function_pattern(arg, size).unwrap_or(Pattern::Hole),
        };
        let goes_on = producer.is_some()
            && matches!(value, Pattern::Con(..))
            && self.rest_of_begun(arg).and_then(|rest| self.producer_of(rest)) == producer;
        if !goes_on {
            return Some(value);
        }
        self.roll_back(before);
        *size = left;
        self.call_pattern_of(arg, size, true)
    }

    /// Returns whether a function decides by the characters of a parameter, or may: it does more with
    /// them than to copy them.
    fn looks_at_elements(&self, param: LocalId) -> bool {
        let Some(switch) = self.facts.switch[param] else { return false };
        let Branches::Cons(branches) = &self.old.switches[switch].branches else { return false };
        branches.iter().flat_map(|branch| &branch.fields).flatten().any(|&field| {
            self.facts.inspected[field] || self.facts.unknown_calls.contains_key(&field)
        })
    }

    /// Returns the producer and the arguments of a call that nothing has evaluated and nothing else
    /// refers to; `None` if it is no such call. A function that does nothing but call one is looked
    /// through, and one that ends in one stands for it in the place of a `part`.
    fn produced_by(&mut self, node: NodeId, is_part: bool) -> Option<(GlobalId, Vec<NodeId>)> {
        if !matches!(self.heap.get(node).value, AbstractValue::Thunk(..)) {
            return self.looked_through(node, is_part);
        }
        let checkpoint = self.checkpoint();
        let found = self.looked_through(node, is_part);
        // What is looked through is more to build than the call.
        if found.is_none() {
            self.roll_back(checkpoint);
        }
        found
    }

    fn looked_through(&mut self, node: NodeId, is_part: bool) -> Option<(GlobalId, Vec<NodeId>)> {
        let old = self.old;
        loop {
            let node = self.heap.resolve(node);
            let known = self.heap.get(node);
            if known.shared || known.busy || known.name.is_some() {
                return None;
            }
            let (expr, env) = match known.value {
                AbstractValue::Thunk(expr, env) => (expr, env),
                AbstractValue::Call(global, args)
                    if self.is_producer(global)
                        || self.leads_to_producer(global, is_part)
                        || self.can_pass(global)
                        || self.comes_to_function(global, self.heap.items(args))
                        || self.comes_to_constructor(global, self.heap.items(args)) =>
                {
                    return Some((global, self.heap.items(args).to_vec()));
                }
                _ => return None,
            };
            let Expr::App(callee, args) = old.exprs[expr] else { return None };
            let (global, given) = match self.called(callee, env) {
                Some(called) => called,
                None => {
                    let Expr::Local(local) = old.exprs[callee] else { return None };
                    let function = self.lookup(local, env);
                    self.applied_call(function, args.len())?
                }
            };
            let leads = self.leads_to_producer(global, is_part);
            let is_producer = self.is_producer(global) || leads || self.can_pass(global);
            let is_wrapper = self.is_wrapper(global, leads && is_part);
            if given.len() + args.len() < old.arity(global) {
                return None;
            }
            let mut all = given;
            for &arg in &old.expr_lists[args] {
                all.push(self.node(arg, env));
            }
            let args = all;
            if args.len() > old.arity(global) {
                if !self.comes_to_constructor(global, &args) {
                    return None;
                }
                let list = self.heap.list(args.iter().copied());
                self.heap.set(node, AbstractValue::Call(global, list), None);
                return Some((global, args));
            }
            let is_producer = is_producer || self.comes_to_constructor(global, &args);
            if !is_wrapper && !is_producer && !self.comes_to_function(global, &args) {
                return None;
            }
            if let Some(arg) = self.forwarded(global, &args) {
                self.heap.set(node, AbstractValue::Alias(arg), None);
                continue;
            }
            if is_wrapper {
                let unfolded = self.unfolded;
                let span = self.span(expr, env);
                let State::Eval(body, env, _) = self.unfold(global, &args, None, span) else {
                    unreachable!("unfolding goes on with a body")
                };
                self.unfolded = unfolded;
                self.heap.set(node, AbstractValue::Thunk(body, env), None);
                continue;
            }
            let list = self.heap.list(args.iter().copied());
            self.heap.set(node, AbstractValue::Call(global, list), None);
            return Some((global, args));
        }
    }

    /// Returns whether a function does nothing with a parameter but to return it at its end.
    pub(super) fn is_end(&self, global: GlobalId, at: usize) -> bool {
        let GlobalKind::Defn { params, .. } = self.old.globals[global].kind else { return false };
        let param = self.old.local_lists[params].get(at);
        param.is_some_and(|&param| self.fusible.returned[param])
    }

    /// Returns whether one of some calls in patterns ends in another one: such patterns pass
    /// through several states of a loop, so a variant for each literal or for each pair of holes
    /// that have the same value at first would be a copy of all of them.
    pub(super) fn has_ends(&self, patterns: &[Pattern]) -> bool {
        patterns.iter().any(|pattern| {
            let is_end = |(at, part): (usize, &Pattern)| match pattern {
                Pattern::Call(of, _) => *part != Pattern::Hole && self.is_end(*of, at),
                _ => false,
            };
            pattern.parts().iter().enumerate().any(is_end) || self.has_ends(pattern.parts())
        })
    }

    /// Returns the function that a callee is, and the arguments that it has already.
    pub(super) fn called(&mut self, callee: ExprId, env: EnvId) -> Option<(GlobalId, Vec<NodeId>)> {
        let global = self.callee(callee, env)?;
        match self.old.exprs[callee] {
            Expr::Local(local) => {
                let function = self.lookup(local, env);
                Some((global, self.heap.given(function)))
            }
            _ => Some((global, Vec::new())),
        }
    }

    /// Returns the function that a callee is, which may have arguments already.
    pub(super) fn callee(&self, callee: ExprId, env: EnvId) -> Option<GlobalId> {
        match self.old.exprs[callee] {
            Expr::Global(global) => Some(global),
            Expr::Local(local) => {
                let node = self.heap.lookup(env, self.facts.slot[local]);
                match self.heap.get(node).value {
                    AbstractValue::Partial(Head::Global(global), _) => Some(global),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns whether a function does nothing but make one call, so that what it produces is what
    /// that call does. One that stands for a producer is that as it is, unless its body is no more
    /// than another call.
    fn is_wrapper(&self, global: GlobalId, is_producer: bool) -> bool {
        let is_call = match is_producer {
            true => self.facts.lazy_form[global],
            false => self.facts.is_call[global],
        };
        self.rules.specialise
            && self.knows()
            && !self.facts.recursive[global]
            && (is_call && self.is_small(global) || self.twins.is_one(global) && !is_producer)
            && self.may_unfold()
    }

    /// Returns the arguments that a function was called with, but for the one that a switch
    /// consumes.
    pub(super) fn consumer_args(
        &self,
        switch: SwitchId,
        env: EnvId,
        value: NodeId,
    ) -> Option<Vec<NodeId>> {
        let consumer = self.fusible.consumers.get(&switch)?;
        match self.facts.recursive[consumer.global] {
            true => self.first_args(switch, env, value),
            false => None,
        }
    }

    /// Returns those arguments if the switch is what the function begins with.
    fn first_args(&self, switch: SwitchId, env: EnvId, value: NodeId) -> Option<Vec<NodeId>> {
        let consumer = self.fusible.consumers.get(&switch)?;
        if !consumer.first {
            return None;
        }
        let GlobalKind::Defn { params, .. } = self.old.globals[consumer.global].kind else {
            return None;
        };
        let params = &self.old.local_lists[params];
        let slot = |&param| self.heap.lookup(env, self.facts.slot[param]);
        let mut args: Vec<NodeId> = params.iter().map(slot).collect();
        *args.get_mut(consumer.at)? = value;
        Some(args)
    }

    /// Returns what a consumed call has come to.
    pub(super) fn consume(
        &mut self,
        switch: SwitchId,
        env: EnvId,
        outcome: Outcome,
        next: &Frames,
        span: Span,
    ) -> Attempt<State> {
        let node = self.bound_value(None, outcome, span)?;
        if let AbstractValue::Unknown(_) | AbstractValue::Thunk(..) | AbstractValue::Call(..) =
            self.heap.get(node).value
            && let Some(args) = self.consumer_args(switch, env, node)
        {
            let consumer = self.fusible.consumers[&switch];
            return self.call(consumer.global, args, 0, next.clone(), span);
        }
        self.switch_on(switch, env, node, next.clone(), span)
    }

    /// Returns whether a call of which nothing is known is unfolded, because what consumes its
    /// value learns what it ends in.
    pub(super) fn is_way_to_producer(&self, global: GlobalId, frames: &Frames) -> bool {
        let is_consumer = |frames: &Frames| {
            frames.as_ref().is_some_and(|frame| matches!(frame.action, Action::Consume(..)))
        };
        let is_consumed = match frames.as_deref() {
            Some(Frame { action: Action::Shared(shared), .. }) => is_consumer(&shared.frames),
            _ => is_consumer(frames),
        };
        is_consumed && (self.leads_to_producer(global, true) || self.is_end_of_one(global))
    }

    /// Returns whether a producer that can come to call itself is a function that another one comes to,
    /// and is mentioned nowhere else: it is part of that one's body.
    fn is_end_of_one(&self, global: GlobalId) -> bool {
        self.is_producer(global)
            && self.facts.is_part[global]
            && self.facts.expanded[global].is_little()
            && self.may_unfold()
    }

    /// Calls the consumer with a call that the consumed call ends in.
    pub(super) fn hand_back(
        &mut self,
        global: GlobalId,
        args: &[NodeId],
        frames: &Frames,
        span: Span,
    ) -> Attempt<Option<State>> {
        // The call of the consumer is code: frames that are written once can be gone past.
        let frames = match frames.as_deref() {
            Some(Frame { action: Action::Shared(shared), .. }) => &shared.frames,
            _ => frames,
        };
        let Some(frame) = frames else { return Ok(None) };
        let Action::Consume(switch, env, _) = frame.action else { return Ok(None) };
        let is_producer = self.is_producer(global) || self.comes_to_constructor(global, args);
        if !is_producer && !self.passes_on(global, args) {
            return Ok(None);
        }
        let list = self.heap.list(args.iter().copied());
        let node = self.heap.add(AbstractValue::Call(global, list));
        let Some(all) = self.first_args(switch, env, node) else { return Ok(None) };
        let (consumer, next) = (self.fusible.consumers[&switch], frame.next.clone());
        if self.facts.recursive[consumer.global] {
            return self.call(consumer.global, all, 0, next, span).map(Some);
        }
        let goes_along = |driver: &Self| match &driver.old.switches[switch].branches {
            Branches::Cons(branches) => driver.fusible.goes_along(&driver.facts, branches),
            Branches::Lits(_) => false,
        };
        let is_worth_it = self.outlined.contains(&consumer.global)
            || self.fusible.one_by_one[global] && goes_along(self)
            || self.applies_field(switch);
        if !is_worth_it {
            return Ok(None);
        }
        // It has a variant for this call, or is not called again.
        let key = self.call_key(consumer.global, &all, true);
        match key.filter(|key| is_for_call(key, consumer.at)) {
            Some(key) => self.fused_call(consumer.global, &all, Some(key), next, span).map(Some),
            None => Ok(None),
        }
    }

    /// Returns whether a switch applies a field of the constructor that it takes apart: what is in it is
    /// a function by another name.
    fn applies_field(&self, switch: SwitchId) -> bool {
        self.old.switches[switch].fields().any(|field| self.fusible.applied[field])
    }

    /// Writes the call of a consumer that cannot come to call itself, of which a variant is made.
    pub(super) fn fused_call(
        &mut self,
        global: GlobalId,
        args: &[NodeId],
        key: Option<Vec<Pattern>>,
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        self.may_write()?;
        if self.unbranching > 0 && self.is_chosen_by(&frames) {
            return Err(Abort::Branch);
        }
        let code = self.call_code(global, args, 0, key, span);
        Ok(State::Value(Outcome::Code(code), frames))
    }
}

/// Returns whether the patterns of a consumer's arguments know nothing but the call that it takes apart,
/// which is no long one, and functions.
pub(super) fn is_for_call(key: &[Pattern], consumed: usize) -> bool {
    key.iter().enumerate().all(|(at, pattern)| match pattern {
        Pattern::Call(..) => at != consumed || pattern.calls() <= HANDED_CALLS,
        _ if at == consumed => false,
        Pattern::Hole | Pattern::Lit(_) => true,
        Pattern::Partial(_, parts) => parts.iter().all(|part| *part == Pattern::Hole),
        _ => false,
    })
}

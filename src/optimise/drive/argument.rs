//! What is known of the arguments of a call: the patterns of values, and of calls that are consumed.
//!
//! Of a list that begins with what is known and goes on with what a producer makes, the pattern of the
//! value says the beginning and that of the call the whole, but not what is known of it. A loop that
//! consumes the list takes the call: it has one variant for all elements. Where the call goes along what
//! is known to its end and the value is asked for at once, the beginning is unfolded instead.

use super::Driver;
use super::heap::{AbstractValue, Head, Name, NodeId};
use super::pattern::Pattern;
use crate::base::index::List;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Branches, GlobalId, GlobalKind, LocalId, SwitchId};
use crate::optimise::selection::is_only;

/// The most parts of a pattern, and the most once there are as many expressions as there may be: no variant is
/// made any more then, but what is driven still may come back to one.
pub(super) const PARTS: usize = 200;
const PARTS_AT_END: usize = 25;
/// The most thunks that are speculated on for one argument.
const SPECULATIONS: u32 = 24;
/// How many parts of patterns cost as much as a step.
const PARTS_PER_STEP: i64 = 8;
/// The most parameters of a variant.
const HOLES: usize = 24;
/// The most calls of one argument's pattern that are the end of what another one produces.
pub(super) const ENDS: u32 = 3;
/// The most calls of one argument's pattern that are of no producer, but lead to one or pass on what one
/// makes.
const OTHERS: u32 = 6;
/// The most calls of a pattern in which calls end in others.
pub(super) const CALLS_WITH_ENDS: u32 = 10;

/// Through how many functions a value is followed to the one that takes it apart.
const HOPS: usize = 8;

/// How large a pattern may still get.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// How many more parts it may have, and how many there were to be had.
    pub(super) parts: usize,
    most: usize,
    speculations: u32,
    /// Whether a value was too large already: then it is not looked for in the parts of a call.
    pub(super) exceeded: bool,
    /// How many more calls may be in it as the ends of what others produce.
    pub(super) ends: u32,
    /// How many calls are in it.
    pub(super) calls: u32,
    /// How many more calls may be in it of functions that make nothing by themselves.
    pub(super) others: u32,
}

impl Driver<'_> {
    /// Returns how large the pattern of an argument may get.
    fn size(&self) -> Size {
        let most = if self.new.exprs.len() > self.most { PARTS_AT_END } else { PARTS };
        Size {
            parts: most,
            most,
            speculations: SPECULATIONS,
            exceeded: false,
            ends: ENDS,
            calls: 0,
            others: OTHERS,
        }
    }

    /// Returns what is known of the arguments that the callee looks at; `None` if nothing is, or
    /// variants are not made.
    pub(super) fn key(
        &mut self,
        global: GlobalId,
        args: &[NodeId],
        strict: bool,
    ) -> Option<Vec<Pattern>> {
        if !self.rules.specialise || self.in_message > 0 {
            return None;
        }
        let GlobalKind::Defn { params, .. } = self.old.globals[global].kind else { return None };
        let old = self.old;
        let params = &old.local_lists[params];
        let mut key = Vec::with_capacity(args.len());
        let mut holes = 0;
        for (&param, &arg) in params.iter().zip(args) {
            let mut pattern = Pattern::Hole;
            if self.facts.inspected[param] {
                let consumer = self.fusible.is_consumed(param).then_some(param);
                pattern = self.argument_pattern(arg, strict, consumer);
            }
            holes += pattern.holes();
            if holes > HOLES {
                pattern = Pattern::Hole;
            }
            key.push(pattern);
        }
        self.passed_on(global, args, strict, &mut key);
        if self.has_ends(&key) {
            for (&param, pattern) in params.iter().zip(&mut key) {
                if matches!(pattern, Pattern::Lit(_)) && self.fusible.counts[param] {
                    *pattern = Pattern::Hole;
                }
            }
        }
        let known = key.iter().any(|pattern| *pattern != Pattern::Hole);
        known.then_some(key)
    }

    /// Adds the constructors and the calls among the arguments that the function passes to one of its
    /// parameters, which is known to be a function that looks at them or consumes them. What is in a
    /// constructor is a parameter unless it is a function: the first of them has literals where the
    /// others have what was computed.
    fn passed_on(&mut self, global: GlobalId, args: &[NodeId], strict: bool, key: &mut [Pattern]) {
        if !key.iter().any(|pattern| matches!(pattern, Pattern::Partial(..))) {
            return;
        }
        let old = self.old;
        let GlobalKind::Defn { params, .. } = old.globals[global].kind else { return };
        let params = &old.local_lists[params];
        for (at, (param, &arg)) in params.iter().zip(args).enumerate() {
            if key[at] != Pattern::Hole || self.facts.inspected[*param] {
                continue;
            }
            let Some(calls) = self.facts.unknown_calls.get(param) else { continue };
            let takers = calls.iter().filter_map(|&(function, place)| {
                let function = params.iter().position(|param| *param == function);
                let pattern = function.and_then(|at| key.get(at));
                let Some(Pattern::Partial(Head::Global(of), given)) = pattern else { return None };
                let GlobalKind::Defn { params, .. } = self.old.globals[*of].kind else {
                    return None;
                };
                self.old.local_lists[params].get(given.len() + place).copied()
            });
            let takers: Vec<LocalId> = takers.collect();
            // A loop that gives one away has another one in each step.
            if !self.facts.recursive[global]
                && self.facts.uses[*param] == 1
                && takers.iter().any(|&taker| self.fusible.is_consumed(taker))
                && let Some(call) = self.consumed_call(arg, self.size())
            {
                key[at] = call;
                continue;
            }
            let is_inspected = takers.iter().any(|&taker| self.facts.inspected[taker]);
            if is_inspected && let AbstractValue::Con(..) = self.heap.get(arg).value {
                let mut pattern = self.argument_pattern(arg, strict, None);
                pattern.forget_literals();
                let holes: usize = key.iter().map(Pattern::holes).sum();
                if holes + pattern.holes() <= HOLES {
                    key[at] = pattern;
                }
            }
        }
    }

    /// Returns the pattern of an argument. If it is too large, nothing of it is used, and what was
    /// evaluated for it is taken back. `consumer` is the parameter that it is for, if that is consumed.
    pub(super) fn argument_pattern(
        &mut self,
        arg: NodeId,
        strict: bool,
        consumer: Option<LocalId>,
    ) -> Pattern {
        if let AbstractValue::Unknown(_) = self.heap.get(arg).value {
            return Pattern::Hole;
        }
        let before = self.checkpoint();
        let mut size = self.size();
        let is_applied = consumer.is_some_and(|param| self.fusible.applied[param]);
        let around = std::mem::replace(&mut self.is_applied, u32::from(is_applied));
        let value = self.value_pattern(arg, strict, &mut size).unwrap_or(Pattern::Hole);
        self.is_applied = around;
        match (value, consumer) {
            (Pattern::Hole, Some(param)) if self.is_unclosed(param, arg) => Pattern::Hole,
            (Pattern::Hole, Some(_)) => self.consumed_call(arg, size).unwrap_or(Pattern::Hole),
            (value @ Pattern::Partial(..), Some(param)) => {
                self.charge(size.most - size.parts);
                self.with_calls_in_fields(value, arg, param, &mut size)
            }
            (value @ Pattern::Con(..), Some(param)) => {
                self.charge(size.most - size.parts);
                if self.rest_of_begun(arg).is_none() {
                    return self.with_calls_in_fields(value, arg, param, &mut size);
                }
                self.roll_back(before);
                let checkpoint = self.checkpoint();
                match self.consumed_call(arg, self.size()).filter(|call| call.is_steady(strict)) {
                    Some(call) => call,
                    None => {
                        self.roll_back(checkpoint);
                        let mut size = self.size();
                        let again = self.value_pattern(arg, strict, &mut size);
                        let again = again.unwrap_or(Pattern::Hole);
                        self.with_calls_in_fields(again, arg, param, &mut size)
                    }
                }
            }
            (value, _) => {
                self.charge(size.most - size.parts);
                value
            }
        }
    }

    /// Returns the pattern of a call that is consumed; `None` if it is none, or too large, and then
    /// everything is as before.
    fn consumed_call(&mut self, arg: NodeId, size: Size) -> Option<Pattern> {
        let checkpoint = self.checkpoint();
        let mut size = size;
        let pattern = self.call_pattern(arg, &mut size);
        self.charge(size.most - size.parts);
        if pattern.is_none() {
            self.roll_back(checkpoint);
        }
        pattern.filter(|pattern| *pattern != Pattern::Hole)
    }

    /// Returns what a value goes on with, if it is the beginning of what a producer makes: a pattern of it
    /// would say nothing of the rest.
    pub(super) fn rest_of_begun(&self, node: NodeId) -> Option<NodeId> {
        let mut node = self.heap.resolve(node);
        for _ in 0..PARTS {
            let known = self.heap.get(node);
            if known.shared || known.name.is_some() {
                return None;
            }
            let AbstractValue::Con(_, fields) = known.value else {
                return self.producer_of(node).map(|_| node);
            };
            node = self.heap.resolve(*self.heap.items(fields).last()?);
        }
        None
    }

    /// Returns the pattern of a constructor or function with those of the calls in it that what takes it
    /// apart or applies it consumes too.
    fn with_calls_in_fields(
        &mut self,
        pattern: Pattern,
        node: NodeId,
        param: LocalId,
        size: &mut Size,
    ) -> Pattern {
        let mut pattern = pattern;
        self.add_calls_in_fields(&mut pattern, node, param, size);
        pattern
    }

    fn add_calls_in_fields(
        &mut self,
        pattern: &mut Pattern,
        node: NodeId,
        param: LocalId,
        size: &mut Size,
    ) {
        let node = self.heap.resolve(node);
        let known = self.heap.get(node);
        if known.shared || known.name.is_some() {
            return;
        }
        let fields = self.heap.items(known.value.parts()).to_vec();
        let (parts, locals) = match (pattern, known.value) {
            (Pattern::Con(con, parts), AbstractValue::Con(..)) => {
                let Some(switch) = self.taken_apart_by(param) else { return };
                let Branches::Cons(branches) = &self.old.switches[switch].branches else { return };
                let Some(branch) = branches.iter().find(|branch| branch.con == *con) else {
                    return;
                };
                (parts, branch.fields.clone())
            }
            (Pattern::Partial(Head::Global(of), parts), AbstractValue::Partial(..)) => {
                let GlobalKind::Defn { params, .. } = self.old.globals[*of].kind else { return };
                let params = self.old.local_lists[params].iter();
                (parts, params.map(|&param| Some(param)).collect())
            }
            _ => return,
        };
        for ((part, node), local) in parts.iter_mut().zip(fields).zip(&locals) {
            let Some(local) = *local else { continue };
            if !self.fusible.is_consumed(local) {
                continue;
            }
            if *part != Pattern::Hole {
                ensure_sufficient_stack(|| self.add_calls_in_fields(part, node, local, size));
                continue;
            }
            let checkpoint = self.checkpoint();
            // What goes along a large constant would have a variant for each part of it.
            match self.call_pattern_of(node, size, true) {
                Some(call) if !call.has_constant() => *part = call,
                _ => self.roll_back(checkpoint),
            }
        }
    }

    /// Returns the switch that takes apart what is consumed.
    fn taken_apart_by(&self, local: LocalId) -> Option<SwitchId> {
        let mut local = local;
        for _ in 0..HOPS {
            if let Some(switch) = self.facts.switch[local] {
                return Some(switch);
            }
            local = self.fusible.passed_to[local]?;
        }
        None
    }

    /// Returns the pattern of a value. If it is too large, that is paid for, and everything is as
    /// before: a list that is long, or endless, may be consumed as it is produced.
    pub(super) fn value_pattern(
        &mut self,
        node: NodeId,
        strict: bool,
        size: &mut Size,
    ) -> Option<Pattern> {
        let known = self.heap.get(node);
        let is_plain = matches!(known.value, AbstractValue::Unknown(_) | AbstractValue::Lit(_));
        if is_plain {
            return self.pattern(node, strict, size);
        }
        self.whole_pattern(node, strict, size).or_else(|| self.record_pattern(node, strict, size))
    }

    /// Returns the pattern of a value with all its parts. If it is too large, that is paid for, and everything
    /// is as before.
    fn whole_pattern(&mut self, node: NodeId, strict: bool, size: &mut Size) -> Option<Pattern> {
        let before = *size;
        let checkpoint = self.checkpoint();
        let pattern = self.pattern(node, strict, size);
        if pattern.is_none() {
            self.charge(before.parts - size.parts);
            *size = Size { exceeded: true, ..before };
            self.roll_back(checkpoint);
        }
        pattern
    }

    /// Returns the pattern of a record that is too large as a whole: what is known of one field is no reason
    /// to forget the others. (What a list begins with is no record: one element would be known, and not the
    /// rest.)
    fn record_pattern(&mut self, node: NodeId, strict: bool, size: &mut Size) -> Option<Pattern> {
        let known = self.heap.get(node);
        let AbstractValue::Con(con, fields) = known.value else { return None };
        if known.name.is_some() || !is_only(&self.new, con) {
            return None;
        }
        let fields = self.heap.items(fields).to_vec();
        let mut parts = Vec::with_capacity(fields.len());
        for field in fields {
            size.parts = size.parts.checked_sub(1)?;
            let part = ensure_sufficient_stack(|| self.value_pattern(field, strict, size));
            parts.push(part.unwrap_or(Pattern::Hole));
        }
        Some(Pattern::Con(con, parts))
    }

    /// Returns the pattern of a function that is too large with all that it holds: of what that is too large,
    /// or as yet to be evaluated to something too large, nothing is known.
    pub(super) fn function_pattern(&mut self, node: NodeId, size: &mut Size) -> Option<Pattern> {
        let known = self.heap.get(node);
        let AbstractValue::Partial(head, given) = known.value else { return None };
        if known.name.is_some() {
            return None;
        }
        let given = self.heap.items(given).to_vec();
        let mut parts = Vec::with_capacity(given.len());
        for held in given {
            parts.push(self.whole_pattern(held, false, size).unwrap_or(Pattern::Hole));
        }
        Some(Pattern::Partial(head, parts))
    }

    /// Pays for the parts of a pattern but for one: that is paid for with the step of the call. What is less than
    /// a step is owed, so that many small patterns cost what a large one does.
    fn charge(&mut self, parts: usize) {
        self.owed += parts.saturating_sub(1) as i64;
        let cost = self.owed / PARTS_PER_STEP;
        self.owed %= PARTS_PER_STEP;
        self.fuel -= cost;
        self.attempt -= cost;
    }

    /// Returns the pattern of a value; `None` if it is too large.
    pub(super) fn pattern(
        &mut self,
        node: NodeId,
        strict: bool,
        size: &mut Size,
    ) -> Option<Pattern> {
        ensure_sufficient_stack(|| self.pattern_step(node, strict, size))
    }

    fn pattern_step(&mut self, node: NodeId, strict: bool, size: &mut Size) -> Option<Pattern> {
        size.parts = size.parts.checked_sub(1)?;
        let node = self.heap.resolve(node);
        if self.constants.is_atom(node) {
            return Some(Pattern::Constant(node));
        }
        let known = self.heap.get(node);
        Some(match known.value {
            AbstractValue::Thunk(..) | AbstractValue::Call(..) if known.hopeless => Pattern::Hole,
            AbstractValue::Thunk(expr, env) if self.is_long(expr, env, size.speculations) => {
                return None;
            }
            AbstractValue::Thunk(..) | AbstractValue::Call(..) => {
                size.speculations = size.speculations.checked_sub(1)?;
                match self.speculate(node) {
                    true => return self.pattern_step(node, strict, size),
                    false => Pattern::Hole,
                }
            }
            AbstractValue::Lit(lit) => Pattern::Lit(lit),
            AbstractValue::Text(text, at) => match known.name {
                Some(Name::Caf(caf)) => Pattern::Caf(caf),
                _ => Pattern::Text(text, at),
            },
            AbstractValue::Unknown(_) | AbstractValue::Alias(_) => Pattern::Hole,
            AbstractValue::Select(switch) => Pattern::Select(switch),
            AbstractValue::Con(con, fields) => match known.name {
                Some(Name::Caf(caf)) => Pattern::Caf(caf),
                // What is built already would be kept by a thunk beside its fields.
                Some(Name::Local(_)) if !strict => Pattern::Hole,
                Some(Name::Local(_)) => Pattern::Built(con, self.patterns(fields, strict, size)?),
                None if self.is_endless(fields) => return None,
                None => Pattern::Con(con, self.patterns(fields, strict, size)?),
            },
            AbstractValue::Partial(head, args) => match known.name {
                Some(Name::Caf(caf)) => Pattern::Caf(caf),
                _ => Pattern::Partial(head, self.patterns(args, strict, size)?),
            },
        })
    }

    fn patterns(
        &mut self,
        nodes: List<NodeId>,
        strict: bool,
        size: &mut Size,
    ) -> Option<Vec<Pattern>> {
        let nodes = self.heap.items(nodes).to_vec();
        nodes.into_iter().map(|node| self.pattern(node, strict, size)).collect()
    }
}

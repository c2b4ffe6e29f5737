//! Calls with more arguments than the callee has parameters.
//!
//! A function in a monad is `(defn count[n] (if (eq n 0) (ret 0) (bind tick (count (sub n 1)))))`:
//! what it comes to is a function, and `((count n) s)` applies it once. So the arguments that follow
//! go into the variant: its body goes on with applying what the callee comes to, in each branch, and
//! nothing is built that is only applied.
//!
//! Invariant: no work is done twice, because the callee is evaluated for this application alone: a
//! function that something else refers to too is a thunk with an update between it and the
//! application ([`Action::Update`]).

use rustc_hash::FxHashMap;

use super::Driver;
use super::eta::Twins;
use super::eval::State;
use super::facts::Facts;
use super::frame::{Action, Frame, Frames, push};
use super::fusible::PRODUCER;
use super::heap::{AbstractValue, Head, NodeId};
use super::pattern::Pattern;
use crate::base::index::{Idx, IndexVec, List};
use crate::base::span::Span;
use crate::core::expr::{
    Branches, Con, ConId, Expr, ExprId, GlobalId, GlobalKind, LocalId, Program, Switch,
};
use crate::optimise::selection::returned;

/// The most arguments beyond its parameters that a variant takes.
const MORE: usize = 8;
/// Through how many functions that hold another one it is looked for who makes a constructor.
const HOPS: usize = 4;

/// What definitions come to, as far as that are functions.
#[derive(Default)]
pub(super) struct Results {
    /// How many arguments those functions take that a definition may come to; 0 of one that comes to
    /// no function as far as that is known.
    pub takes: IndexVec<GlobalId, usize>,
    /// The parameters that a definition may come to, or to applications of. A fold comes to what it is
    /// given.
    params: FxHashMap<GlobalId, Vec<Given>>,
    /// Whether such a function, applied to all that it takes, may come to a constructor with fields,
    /// and the definition is not large.
    makes: IndexVec<GlobalId, bool>,
}

/// A parameter that is applied at an end, or a function that it holds, as a dictionary does.
struct Given {
    /// Which one.
    at: usize,
    /// The field that holds the function.
    field: Option<usize>,
    /// To how many arguments.
    count: usize,
    /// Which of those call the definition again.
    again: Vec<usize>,
}

/// Finds out what definitions come to. The ones that come to constructors are known.
pub(super) fn results(
    program: &Program,
    cons: &IndexVec<ConId, Con>,
    facts: &Facts,
    twins: &Twins,
    produces: &IndexVec<GlobalId, bool>,
) -> Results {
    let mut makes: IndexVec<GlobalId, bool> = program.globals.iter().map(|_| false).collect();
    let mut takes: IndexVec<GlobalId, usize> = program.globals.iter().map(|_| 0).collect();
    let mut given: FxHashMap<GlobalId, Vec<Given>> = FxHashMap::default();
    // For a definition, those that end in a call of it, with how many arguments more.
    let mut enders: IndexVec<GlobalId, Vec<(GlobalId, usize)>> =
        program.globals.iter().map(|_| Vec::new()).collect();
    for (id, global) in program.globals.enumerate() {
        let GlobalKind::Defn { params, body: Some(body) } = global.kind else { continue };
        let params = &program.local_lists[params];
        let position = |local: LocalId| params.iter().position(|&param| param == local);
        let again = |args: &[ExprId]| {
            let is_again = |&at: &usize| {
                let of = function(program, args[at]);
                of.is_some_and(|of| facts.circle[of] == facts.circle[id])
            };
            (0..args.len()).filter(is_again).collect()
        };
        let mut fields = None;
        for end in program.ends(body) {
            let (callee, count) = match program.exprs[end] {
                Expr::App(callee, args) => (callee, args.len()),
                _ => (end, 0),
            };
            let callee = match program.exprs[callee] {
                Expr::Global(callee) => callee,
                Expr::Local(local) => {
                    let args = match program.exprs[end] {
                        Expr::App(_, args) => &program.expr_lists[args],
                        _ => &[],
                    };
                    let fields = fields.get_or_insert_with(|| held_by_parameters(program, body));
                    let place = match fields.get(&local) {
                        Some(&(holder, field)) => Some((holder, Some(field))),
                        None => Some((local, None)),
                    };
                    let place = place.and_then(|(local, field)| Some((position(local)?, field)));
                    if let Some((at, field)) = place {
                        let again = again(args);
                        given.entry(id).or_default().push(Given { at, field, count, again });
                    }
                    // What chooses between functions that come to functions comes to what they do.
                    for &arg in args {
                        if let Some(of) = function(program, arg) {
                            enders[of].push((id, 0));
                        }
                    }
                    continue;
                }
                _ => continue,
            };
            if let Expr::App(_, args) = program.exprs[end]
                && let [holder, args @ ..] = &program.expr_lists[args]
                && !args.is_empty()
                && let Expr::Local(holder) = program.exprs[*holder]
                && let Some(at) = position(holder)
                && let Some(field) = selected_field(program, callee)
            {
                let (field, count, again) = (Some(field), args.len(), again(args));
                given.entry(id).or_default().push(Given { at, field, count, again });
            }
            let arity = program.arity(twins.expanded(callee));
            match arity.checked_sub(count) {
                Some(0) | None => enders[callee].push((id, count - arity)),
                Some(lacks) => {
                    takes[id] = takes[id].max(lacks.min(MORE));
                    makes[id] |= may_make(program, cons, end, produces);
                }
            }
        }
    }
    let mut work: Vec<GlobalId> = program.globals.indices().collect();
    while let Some(id) = work.pop() {
        for &(ender, more) in &enders[id] {
            let through = takes[id].saturating_sub(more);
            let is_made = through > 0 && makes[id] && !makes[ender];
            if through > takes[ender] || is_made {
                takes[ender] = takes[ender].max(through);
                makes[ender] |= is_made;
                work.push(ender);
            }
        }
    }
    for (id, makes) in makes.iter_mut().enumerate() {
        *makes &= facts.size[GlobalId::new(id)] <= PRODUCER;
    }
    Results { takes, params: given, makes }
}

/// Returns the locals that fields of others are bound to, with those and the numbers of the fields.
fn held_by_parameters(program: &Program, body: ExprId) -> FxHashMap<LocalId, (LocalId, usize)> {
    let mut held = FxHashMap::default();
    for expr in program.walk(body) {
        let Expr::Switch(switch) = program.exprs[expr] else { continue };
        let Switch { scrutinee, ref branches, .. } = program.switches[switch];
        let Branches::Cons(branches) = branches else { continue };
        for branch in branches {
            let fields = branch.fields.iter().enumerate();
            held.extend(fields.filter_map(|(at, &field)| Some((field?, (scrutinee, at)))));
        }
    }
    held
}

/// Returns the number of the field that a function takes out of a value and returns.
fn selected_field(program: &Program, global: GlobalId) -> Option<usize> {
    let GlobalKind::Defn { body: Some(body), .. } = program.globals[global].kind else {
        return None;
    };
    let Expr::Switch(switch) = program.exprs[body] else { return None };
    let Branches::Cons(branches) = &program.switches[switch].branches else { return None };
    match branches.as_slice() {
        [branch] if program.arity(global) == 1 => returned(program, branch),
        _ => None,
    }
}

/// Returns the function that an expression names, with some of its arguments.
fn function(program: &Program, expr: ExprId) -> Option<GlobalId> {
    let callee = match program.exprs[expr] {
        Expr::App(callee, _) => callee,
        _ => expr,
    };
    match program.exprs[callee] {
        Expr::Global(global) => Some(global),
        _ => None,
    }
}

/// Returns whether an application that lacks arguments may come to a constructor with fields once it has
/// them: by itself, or by a function that it holds.
fn may_make(
    program: &Program,
    cons: &IndexVec<ConId, Con>,
    end: ExprId,
    produces: &IndexVec<GlobalId, bool>,
) -> bool {
    let mut work = vec![end];
    while let Some(expr) = work.pop() {
        match program.exprs[expr] {
            Expr::Con(con) if cons[con].arity > 0 => return true,
            Expr::Global(global) if produces[global] => return true,
            Expr::App(callee, args) => {
                work.push(callee);
                work.extend(&program.expr_lists[args]);
            }
            _ => {}
        }
    }
    false
}

/// Returns the arguments that what frames begin with applies a value to, and the other frames. Frames
/// that are written once are gone past if nothing of them is left.
pub(super) fn application(frames: &Frames) -> Option<(List<NodeId>, Frames)> {
    let frame = match frames.as_deref() {
        Some(Frame { action: Action::Shared(shared), .. }) => match &shared.frames {
            Some(frame) if frame.next.is_none() => frame,
            _ => return None,
        },
        _ => frames.as_ref()?,
    };
    match frame.action {
        Action::Apply(list, _) => Some((list, frame.next.clone())),
        _ => None,
    }
}

impl Driver<'_> {
    /// Returns how many arguments the functions take that a call may come to.
    pub(super) fn result(&self, global: GlobalId, args: &[NodeId]) -> usize {
        let lacks = |of: &Given| {
            let AbstractValue::Partial(head, given) = self.heap.get(self.given(of, args)?).value
            else {
                return None;
            };
            let (arity, takes) = match head {
                Head::Global(global) => (self.old.arity(global), self.results.takes[global]),
                Head::Con(con) => (self.new.cons[con].arity as usize, 0),
            };
            let given = given.len() + of.count;
            match arity.checked_sub(given) {
                Some(0) | None => takes.checked_sub(given - arity),
                lacks => lacks,
            }
        };
        let params = self.results.params.get(&global).into_iter().flatten();
        params
            .filter_map(lacks)
            .map(|lacks| lacks.min(MORE))
            .fold(self.results.takes[global], usize::max)
    }

    /// Returns the function among arguments that is applied at an end.
    fn given(&self, applied: &Given, args: &[NodeId]) -> Option<NodeId> {
        let arg = *args.get(applied.at)?;
        let Some(field) = applied.field else { return Some(arg) };
        match self.heap.get(arg).value {
            AbstractValue::Con(_, fields) => self.heap.items(fields).get(field).copied(),
            _ => None,
        }
    }

    /// Returns the functions, among those that a call is given, that it may come to a call of.
    pub(super) fn ended_by(&self, global: GlobalId, args: &[NodeId]) -> Vec<GlobalId> {
        let params = self.results.params.get(&global).into_iter().flatten();
        let exactly = |applied: &Given| {
            let AbstractValue::Partial(Head::Global(of), given) =
                self.heap.get(self.given(applied, args)?).value
            else {
                return None;
            };
            (given.len() + applied.count == self.old.arity(of)).then_some(of)
        };
        params.filter_map(exactly).collect()
    }

    /// Returns whether a call of a function that can come to call itself comes to a function: where
    /// that is only applied it need not be made.
    pub(super) fn comes_to_function(&self, global: GlobalId, args: &[NodeId]) -> bool {
        self.rules.specialise
            && self.knows()
            && self.facts.recursive[global]
            && self.result(global, args) > 0
    }

    /// Returns whether a call may come to a constructor with fields by what it is given: a function that
    /// it ends in a call of, as that of a right fold, or arguments for the function that it comes to. (A
    /// function that takes apart what the call for the rest comes to makes nothing before that.)
    pub(super) fn comes_to_constructor(&self, global: GlobalId, args: &[NodeId]) -> bool {
        let Some(more) = args.len().checked_sub(self.old.arity(global)) else { return false };
        let is_made = |applied: &Given| {
            let Some(arg) = self.given(applied, args) else { return false };
            match more {
                0 => self.makes_of(arg, applied.count, &applied.again, HOPS),
                _ => self.makes_applied(arg),
            }
        };
        let mut params = self.results.params.get(&global).into_iter().flatten();
        self.rules.specialise
            && self.rules.case_of_case
            && self.knows()
            && self.facts.recursive[global]
            && self.facts.size[global] <= PRODUCER
            && match more {
                0 => params.any(is_made),
                _ => {
                    let result = self.result(global, args);
                    (1..=result).contains(&more)
                        && (self.results.makes[global] || params.any(is_made))
                }
            }
    }

    /// Returns whether a function, applied to more arguments than a call has, may make a constructor.
    fn makes_applied(&self, function: NodeId) -> bool {
        match self.heap.get(function).value {
            AbstractValue::Partial(Head::Con(_), _) => true,
            AbstractValue::Partial(Head::Global(of), _) => {
                self.fusible.produces[of] || self.results.makes[of]
            }
            _ => false,
        }
    }

    /// Returns whether a function, applied to so many arguments, makes a constructor of them before it looks
    /// at those of the arguments that are given by `again`: by itself, or by a function that it holds and
    /// applies, as a composition does.
    fn makes_of(&self, function: NodeId, count: usize, again: &[usize], hops: usize) -> bool {
        let AbstractValue::Partial(head, given) = self.heap.get(function).value else {
            return false;
        };
        let all = given.len() + count;
        let of = match head {
            Head::Con(con) => return all == self.new.cons[con].arity as usize,
            Head::Global(of) => of,
        };
        let own = self.old.arity(of);
        if all <= own {
            let is_lazy =
                |&at: &usize| !self.has(of, given.len() + at, |param| self.facts.inspected[param]);
            return all == own && self.fusible.produces[of] && again.iter().all(is_lazy);
        }
        // What it is applied to beyond its parameters goes to what it applies.
        let beyond = |&at: &usize| (given.len() + at).checked_sub(own);
        let Some(beyond) = again.iter().map(beyond).collect::<Option<Vec<usize>>>() else {
            return false;
        };
        let Some(hops) = hops.checked_sub(1) else { return false };
        let given = self.heap.items(given);
        let mut applied = self.results.params.get(&of).into_iter().flatten();
        !self.facts.recursive[of]
            && applied.any(|applied| {
                let again: Vec<usize> = beyond.iter().map(|at| applied.count + at).collect();
                let count = applied.count + all - own;
                self.given(applied, given)
                    .is_some_and(|held| self.makes_of(held, count, &again, hops))
            })
    }

    /// Adds the arguments to which the value of a call is applied next to those of the call, as
    /// many as the functions take that the callee comes to. What is left are the other frames.
    pub(super) fn absorb(
        &mut self,
        global: GlobalId,
        args: &mut Vec<NodeId>,
        frames: Frames,
    ) -> Frames {
        if !self.rules.specialise || !self.knows() {
            return frames;
        }
        let mut left = self.result(global, args);
        let mut held = self.held_of(global, args);
        let mut frames = frames;
        loop {
            let mut selected = Vec::new();
            if let Some((switch, functions, next)) = self.held_selection(&held, &frames) {
                args.push(self.heap.add(AbstractValue::Select(switch)));
                left = functions.iter().map(|held| held.lacks).fold(0, usize::max);
                selected = functions;
                frames = next;
            }
            let Some((list, next)) = application(&frames) else { break };
            let list = self.heap.items(list).to_vec();
            if list.len() > left {
                break;
            }
            left -= list.len();
            held.clear();
            for function in selected.iter().filter(|function| function.lacks == list.len()) {
                left = left.max(self.results.takes[function.of]);
                held.extend(self.held_in(function.of));
            }
            let beyond = list.iter().map(|&arg| match self.heap.get(arg).value {
                AbstractValue::Partial(Head::Global(of), _) => self.results.takes[of],
                _ => 0,
            });
            left = beyond.fold(left, usize::max);
            args.extend(list);
            frames = next;
        }
        frames
    }

    /// Returns what is known of the arguments of a call, of which there may be more than
    /// parameters.
    pub(super) fn call_key(
        &mut self,
        global: GlobalId,
        args: &[NodeId],
        strict: bool,
    ) -> Option<Vec<Pattern>> {
        let (own, _) = args.split_at(self.old.arity(global));
        let key = self.key(global, own, strict);
        self.more_patterns(args, key, global, strict)
    }

    /// Adds the patterns of the arguments for which there is none yet: they are beyond the
    /// parameters.
    pub(super) fn more_patterns(
        &mut self,
        args: &[NodeId],
        key: Option<Vec<Pattern>>,
        global: GlobalId,
        strict: bool,
    ) -> Option<Vec<Pattern>> {
        let arity = self.old.arity(global);
        if args.len() == arity {
            return key;
        }
        let mut patterns = key.unwrap_or_else(|| vec![Pattern::Hole; arity]);
        for &arg in &args[patterns.len()..] {
            patterns.push(match self.heap.get(arg).value {
                AbstractValue::Con(..) | AbstractValue::Partial(..) => {
                    self.argument_pattern(arg, strict, None)
                }
                AbstractValue::Select(switch) => Pattern::Select(switch),
                _ => Pattern::Hole,
            });
        }
        Some(patterns)
    }

    /// Adds to the frames of a call that has these arguments beyond its parameters.
    pub(super) fn applied_to(&mut self, more: &[NodeId], frames: &Frames, span: Span) -> Frames {
        let is_selection = |&node: &NodeId| match self.heap.get(node).value {
            AbstractValue::Select(switch) => Some(switch),
            _ => None,
        };
        let (before, after) = match more.iter().position(|node| is_selection(node).is_some()) {
            Some(at) => (&more[..at], &more[at..]),
            None => (more, [].as_slice()),
        };
        let mut frames = frames.clone();
        if let [selection, after @ ..] = after
            && let Some(switch) = is_selection(selection)
        {
            let [taken, applied] = self.places_of_selection(switch);
            frames = self.applied_to(after, &frames, applied);
            frames = push(Action::Select(switch, taken), &frames);
        }
        if before.is_empty() {
            return frames;
        }
        let before = self.heap.list(before.iter().copied());
        push(Action::Apply(before, span), &frames)
    }

    /// Goes on with the body of a supercombinator in place of a call, which may have more arguments than
    /// parameters.
    pub(super) fn unfold_applied(
        &mut self,
        global: GlobalId,
        args: &[NodeId],
        frames: &Frames,
        span: Span,
    ) -> State {
        let (own, more) = args.split_at(self.old.arity(global));
        let frames = self.applied_to(more, frames, span);
        self.unfold(global, own, frames, span)
    }

    /// Returns whether so many arguments are more than a definition has parameters, and no more than the
    /// functions take that it comes to.
    pub(super) fn takes_more(&self, global: GlobalId, count: usize) -> bool {
        let arity = self.old.arity(global);
        self.rules.specialise
            && self.knows()
            && arity > 0
            && count > arity
            && count - arity <= self.results.takes[global]
    }

    /// Returns the call that is applied to so many arguments, if nothing else refers to its value: it is
    /// one with more arguments.
    pub(super) fn applied_call(
        &mut self,
        function: NodeId,
        more: usize,
    ) -> Option<(GlobalId, Vec<NodeId>)> {
        if !self.rules.specialise || !self.knows() {
            return None;
        }
        let (global, args) = self.sole_call(function)?;
        (more <= self.result(global, &args)).then_some((global, args))
    }

    /// Returns the call that a value is which nothing has evaluated and nothing else refers to.
    pub(super) fn sole_call(&mut self, node: NodeId) -> Option<(GlobalId, Vec<NodeId>)> {
        let known = self.heap.get(node);
        if known.shared || known.busy || known.name.is_some() {
            return None;
        }
        let (global, args) = match known.value {
            AbstractValue::Call(global, args) => (global, self.heap.items(args).to_vec()),
            AbstractValue::Thunk(expr, env) => {
                let old = self.old;
                let Expr::App(callee, args) = old.exprs[expr] else { return None };
                let (global, mut all) = self.called(callee, env)?;
                if all.len() + old.expr_lists[args].len() != old.arity(global) {
                    return None;
                }
                all.extend(self.arguments(&old.expr_lists[args], env).0);
                (global, all)
            }
            _ => return None,
        };
        (args.len() == self.old.arity(global)).then_some((global, args))
    }

    /// Returns code for a call with more arguments than parameters that is not demanded.
    pub(super) fn lazy_over_call(
        &mut self,
        global: GlobalId,
        args: &[NodeId],
        fresh: u64,
        span: Span,
    ) -> ExprId {
        let key = self.call_key(global, args, false);
        self.call_code(global, args, fresh, key, span)
    }
}

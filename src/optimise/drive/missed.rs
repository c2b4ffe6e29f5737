//! Why a call stays as it is: notes about calls that were not specialised, inlined or fused.
//!
//! A note is about a call of the program, or about code of the corelib that such a call reaches.
//! What an attempt notes is taken back with it; what becomes of the call later decides whether it is
//! told (`optimise::left`).

use super::argument::PARTS;
use super::heap::{AbstractValue, Name, NodeId};
use super::pattern::Pattern;
use super::{Driver, Statement};
use crate::base::code::Code;
use crate::base::span::Span;
use crate::core::expr::{Expr, GlobalId, GlobalKind};
use crate::optimise::left::{LARGE, Noted, display_name};

/// The most notes of one program.
const MOST: usize = 10_000;

/// The most statements before a call among which what binds its argument is looked for.
const STATEMENTS: usize = 200;

/// What to do about a value that is used twice.
const SHARED: &str = "make it once for each use, if that is cheap; or let one loop do both";

/// How the pattern of a call became a variant, or not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// There is a variant of what is known.
    Variant,
    /// Less is known in it than in the call.
    General,
    /// There is none: a budget is used up.
    Refused,
    /// There was nothing to make a variant for.
    Nothing,
}

impl Driver<'_> {
    fn note(&mut self, noted: Noted) {
        if self.noted.len() < MOST {
            self.noted.push(noted);
        }
    }

    /// Notes why a call that is written is no better than it was.
    pub(super) fn note_call(
        &mut self,
        of: GlobalId,
        args: &[NodeId],
        patterns: Option<&[Pattern]>,
        made: Made,
        span: Span,
    ) {
        if !self.report.is_verbose()
            || !matches!(self.old.globals[of].kind, GlobalKind::Defn { .. })
            || self.outlined.contains(&of)
        {
            return;
        }
        let Some(place) = self.new.places.users_call(span) else { return };
        if self.rules.specialise {
            self.note_variant(of, made, place);
            self.note_arguments(of, args, patterns, place);
        }
        if self.rules.inline {
            self.note_inlining(of, place);
        }
    }

    fn note_variant(&mut self, of: GlobalId, made: Made, place: Span) {
        let (code, why, help) = match made {
            Made::General => (
                Code::CallGrows,
                "is not specialised for all that is known here: an argument grows from call to call",
                "keep what grows apart from what is known",
            ),
            Made::Refused => (
                Code::CallBudget,
                "is not specialised: it has as many variants as a function may have",
                "make what is known smaller, or call the function with fewer different values",
            ),
            Made::Variant | Made::Nothing => return,
        };
        let callee = self.old.globals[of].span;
        self.note(Noted { code, place, callee, producer: None, why: why.to_owned(), help });
    }

    /// Notes the arguments that are made only to be taken apart.
    fn note_arguments(
        &mut self,
        of: GlobalId,
        args: &[NodeId],
        patterns: Option<&[Pattern]>,
        place: Span,
    ) {
        let GlobalKind::Defn { params, .. } = self.old.globals[of].kind else { return };
        let old = self.old;
        for (at, (&param, &arg)) in old.local_lists[params].iter().zip(args).enumerate() {
            let pattern = patterns.and_then(|patterns| patterns.get(at));
            let is_taken_apart =
                self.facts.switch[param].is_some() || self.fusible.taken_apart[param];
            if !is_taken_apart || pattern.is_some_and(|pattern| *pattern != Pattern::Hole) {
                continue;
            }
            let node = self.heap.resolve(arg);
            let known = self.heap.get(node);
            let callee = self.old.globals[of].span;
            let (producer, is_shared) = match (self.bound_call(node), known.value) {
                (Some(producer), _) => (producer, true),
                (None, AbstractValue::Call(global, _)) => (global, known.shared),
                (None, AbstractValue::Thunk(expr, _)) => {
                    let Expr::App(callee, _) = old.exprs[expr] else { continue };
                    let Expr::Global(global) = old.exprs[callee] else { continue };
                    (global, known.shared)
                }
                (None, AbstractValue::Con(..) | AbstractValue::Partial(..))
                    if pattern.is_some() && self.has_many_parts(node) =>
                {
                    self.note(Noted {
                        code: Code::CallBudget,
                        place,
                        callee,
                        producer: None,
                        why: format!(
                            "is not specialised for what is known here: that has more than {PARTS} parts"
                        ),
                        help: "keep what is large apart from what the function looks at",
                    });
                    continue;
                }
                _ => continue,
            };
            let makes = &old.globals[producer];
            // What takes a value apart makes none.
            if !matches!(makes.kind, GlobalKind::Defn { .. }) || self.selectors.has(producer) {
                continue;
            }
            let makes_name = display_name(makes);
            let (code, why, help) = if is_shared {
                (
                    Code::CallShared,
                    format!("the value of {makes_name} is used elsewhere too"),
                    SHARED,
                )
            } else if !self.fusible.taken_apart[param] {
                (
                    Code::CallShared,
                    "it uses its argument more than once".to_owned(),
                    "take the argument apart once, and go on with its parts",
                )
            } else if self.is_producer(producer) {
                (
                    Code::CallBudget,
                    "a budget is used up".to_owned(),
                    "split the function into smaller ones, or make what is known smaller",
                )
            } else if self.facts.recursive[producer] {
                (
                    Code::CallNoProducer,
                    format!("{makes_name} does not end in a constructor, or is large"),
                    "let it end in a constructor whose last field is its recursive call",
                )
            } else {
                (
                    Code::CallNoProducer,
                    format!("{makes_name} is large, or makes no list by itself"),
                    "call what makes the list in the place of its consumer",
                )
            };
            self.note(Noted { code, place, callee, producer: Some(makes.span), why, help });
        }
    }

    /// Returns whether a value has more parts than a pattern may have.
    fn has_many_parts(&self, node: NodeId) -> bool {
        let mut work = vec![node];
        let mut parts = 0;
        while let Some(node) = work.pop() {
            parts += 1;
            if parts > PARTS {
                return true;
            }
            let value = self.heap.get(node).value;
            if let AbstractValue::Con(_, parts) | AbstractValue::Partial(_, parts) = value {
                work.extend(self.heap.items(parts));
            }
        }
        false
    }

    /// Returns the function whose call a variable is bound to in the code that is being written.
    fn bound_call(&self, node: NodeId) -> Option<GlobalId> {
        let known = self.heap.get(node);
        let (AbstractValue::Unknown(_), Some(Name::Local(local))) = (known.value, known.name)
        else {
            return None;
        };
        let value =
            self.block.iter().rev().take(STATEMENTS).find_map(|statement| match statement {
                &Statement::Let(bound, value) | &Statement::Force(bound, value)
                    if bound == local =>
                {
                    Some(value)
                }
                _ => None,
            })?;
        let Expr::App(callee, _) = self.new.exprs[value] else { return None };
        let Expr::Global(global) = self.new.exprs[callee] else { return None };
        self.origin(global)
    }

    /// Returns the old definition of which a new one is a variant.
    fn origin(&self, global: GlobalId) -> Option<GlobalId> {
        let mut variants = self.variants.iter();
        variants.find(|variant| variant.global == global).map(|variant| variant.key.of)
    }

    /// Notes that a function is too large to be inlined, or that a budget is used up. What calls itself,
    /// and what may not be needed, is seen when all passes have run.
    fn note_inlining(&mut self, of: GlobalId, place: Span) {
        let (size, (calls, _)) = (self.facts.size[of], self.facts.mentions[of]);
        let (code, why, help) = match self.is_inlined(of) {
            true if self.may_unfold() => return,
            true => (
                Code::CallBudget,
                "is not inlined: a budget is used up".to_owned(),
                "split the function that the call stands in into smaller ones",
            ),
            false => {
                let parts = match self.is_small(of) {
                    true => {
                        let all = self.facts.expanded[of].all;
                        format!("it has {all} parts with those of what it calls,")
                    }
                    false => format!("it has {size} parts"),
                };
                let why = format!("is not inlined: {parts} and is mentioned {calls} times");
                (Code::CallLarge, why, LARGE)
            }
        };
        let callee = self.old.globals[of].span;
        self.note(Noted { code, place, callee, producer: None, why, help });
    }
}

/// Returns whether a pattern knows less than another one of the same value, but for literals: a
/// counter is known only where it begins.
pub(super) fn knows_less(now: &Pattern, before: &Pattern) -> bool {
    match (now, before) {
        (Pattern::Hole, Pattern::Hole | Pattern::Lit(_)) => false,
        (Pattern::Hole, _) => true,
        _ => now.parts().iter().zip(before.parts()).any(|(now, before)| knows_less(now, before)),
    }
}

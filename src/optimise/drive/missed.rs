//! Why a call stays as it is: hints about calls that were not specialised, inlined or fused.
//!
//! A hint is about a call of the program, or about code of the corelib that such a call reaches.
//! What an attempt notes is taken back with it.

use super::heap::{AbstractValue, Name, NodeId};
use super::pattern::Pattern;
use super::{Driver, Statement};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::core::expr::{Expr, GlobalId, GlobalKind};

/// The most hints of one program. Reading more of them helps nobody.
const MOST: usize = 1_000;

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
    /// Returns the call of the program that an expression stands in or is inlined for; `None` if it
    /// is code that only the corelib reaches.
    fn users_place(&self, span: Span) -> Option<Span> {
        match self.users_call(span) {
            Span::NONE => None,
            place => Some(place),
        }
    }

    fn hint(&mut self, code: Code, span: Span, message: String, help: &str) {
        if self.hints.len() < MOST {
            self.hints.push(Diagnostic::hint(code, span, message).help(help));
        }
    }

    /// Returns how a function is called in messages.
    fn display_name(&self, global: GlobalId) -> String {
        let global = &self.old.globals[global];
        match &global.display {
            Some(name) => format!("`{}`", for_message(name)),
            None => "a function without a name".to_owned(),
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
        {
            return;
        }
        let Some(place) = self.users_place(span) else { return };
        if self.rules.specialise {
            self.note_variant(of, made, place);
            self.note_arguments(of, args, patterns, place);
        }
        if self.rules.inline {
            self.note_inlining(of, place);
        }
    }

    fn note_variant(&mut self, of: GlobalId, made: Made, place: Span) {
        let name = self.display_name(of);
        match made {
            Made::General => self.hint(
                Code::CallGrows,
                place,
                format!("{name} is not specialised for all that is known here: an argument grows"),
                "count down to a small number, or keep what grows apart from what is known",
            ),
            Made::Refused => self.hint(
                Code::CallBudget,
                place,
                format!("{name} is not specialised: a budget is used up"),
                "make what is known smaller, or call the function with fewer different values",
            ),
            Made::Variant | Made::Nothing => {}
        }
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
            let is_taken_apart = self.facts.switch[param].is_some() || self.fusible.consumed[param];
            if !is_taken_apart || pattern.is_some_and(|pattern| *pattern != Pattern::Hole) {
                continue;
            }
            let node = self.heap.resolve(arg);
            let known = self.heap.get(node);
            if let Some(producer) = self.bound_call(node) {
                let message = format!(
                    "{} is not fused with {producer}: its value is used elsewhere too",
                    self.display_name(of)
                );
                self.hint(Code::CallShared, place, message, SHARED);
                continue;
            }
            let producer = match known.value {
                AbstractValue::Call(global, _) => global,
                AbstractValue::Thunk(expr, _) => {
                    let Expr::App(callee, _) = old.exprs[expr] else { continue };
                    let Expr::Global(global) = old.exprs[callee] else { continue };
                    global
                }
                _ => continue,
            };
            if !matches!(old.globals[producer].kind, GlobalKind::Defn { .. }) {
                continue;
            }
            let (name, producer_name) = (self.display_name(of), self.display_name(producer));
            let what = format!("{name} is not fused with {producer_name}");
            if known.shared {
                self.hint(
                    Code::CallShared,
                    place,
                    format!("{what}: its value is used elsewhere too"),
                    SHARED,
                );
            } else if !self.fusible.consumed[param] {
                self.hint(
                    Code::CallShared,
                    place,
                    format!("{what}: {name} uses its argument more than once"),
                    "take the argument apart once, and go on with its parts",
                );
            } else if !self.is_producer(producer) {
                self.hint(
                    Code::CallNoProducer,
                    place,
                    format!("{what}: that does not end in a constructor, or is large"),
                    "let the producer end in a constructor whose last field is its recursive call",
                );
            } else {
                self.hint(
                    Code::CallBudget,
                    place,
                    format!("{what}: a budget is used up"),
                    "split the function into smaller ones, or make what is known smaller",
                );
            }
        }
    }

    /// Returns the function whose call a variable is bound to in the code that is being written.
    fn bound_call(&self, node: NodeId) -> Option<String> {
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
        let global = &self.new.globals[global];
        let is_defn = matches!(global.kind, GlobalKind::Defn { .. });
        let name = global.display.as_ref().filter(|_| is_defn)?;
        Some(format!("`{}`", for_message(name)))
    }

    fn note_inlining(&mut self, of: GlobalId, place: Span) {
        // A loop is expected to stay one.
        if self.variants.get(self.current as usize).is_some_and(|variant| variant.key.of == of) {
            return;
        }
        let name = self.display_name(of);
        if self.is_inlined(of) && self.may_unfold() {
            self.hint(
                Code::CallLazy,
                place,
                format!("{name} is not inlined: it is not certain that its value is needed here"),
                "if it is always needed, evaluate it where it is made, with seq",
            );
        } else if self.facts.recursive[of] {
            self.hint(
                Code::CallRecursive,
                place,
                format!("{name} is not inlined: it calls itself"),
                "a loop needs no change; what never changes in it may be written out in the call",
            );
        } else if !self.is_inlined(of) {
            let (size, (calls, _)) = (self.facts.size[of], self.facts.mentions[of]);
            let all = self.facts.expanded[of].all;
            let parts = match self.is_small(of) {
                true => format!("it has {all} parts with those of what it calls,"),
                false => format!("it has {size} parts"),
            };
            self.hint(
                Code::CallLarge,
                place,
                format!("{name} is not inlined: {parts} and is mentioned {calls} times"),
                "split off the part that is common to few calls",
            );
        } else {
            self.hint(
                Code::CallBudget,
                place,
                format!("{name} is not inlined: a budget is used up"),
                "split the function that the call stands in into smaller ones",
            );
        }
    }

    /// Notes the call of a function that is not known.
    pub(super) fn note_unknown(&mut self, span: Span) {
        if !self.report.is_verbose() || !self.rules.inline {
            return;
        }
        let Some(place) = self.users_place(span) else { return };
        self.hint(
            Code::CallUnknown,
            place,
            "what is called here is not known".to_owned(),
            "pass the function by name, so that the caller is specialised for it",
        );
    }
}

//! Where code of the corelib is called that stands in the place of the call.

use std::sync::Arc;

use super::Driver;
use super::heap::{AbstractValue, EnvId, Head, NodeId};
use crate::base::quote::{SHOWN_DEPTH, char_for_message, constructed, for_message, short_text};
use crate::base::span::Span;
use crate::core::expr::{ExprId, Lit};

/// The most cases that are kept with the value that they do not match: there is one for each value.
const UNMATCHED: usize = 1_000;

impl Driver<'_> {
    /// Returns the place of an expression of the old program, as an activation reaches it.
    pub(super) fn span(&mut self, expr: ExprId, env: EnvId) -> Span {
        let call = self.heap.call(env);
        self.inlined.of(&mut self.new.places, self.old.spans[expr], call)
    }

    /// Returns the place of a case that has no alternative for a value that is known.
    pub(super) fn unmatched(&mut self, case: Span, node: NodeId) -> Span {
        if case.is_none() || self.unmatched.len() >= UNMATCHED {
            return case;
        }
        let value: Arc<str> = self.brief(node, SHOWN_DEPTH).into();
        let places = &mut self.new.places;
        let known = self.unmatched.entry((case, value));
        *known.or_insert_with_key(|(case, value)| places.add_unmatched(*case, value.clone()))
    }

    /// Returns what is known of a value, in the words of messages about values.
    fn brief(&self, node: NodeId, depth: u32) -> String {
        match self.heap.get(node).value {
            AbstractValue::Lit(Lit::Int(n)) => n.to_string(),
            AbstractValue::Lit(Lit::Big(_)) => "a large integer".to_owned(),
            AbstractValue::Lit(Lit::Float(x)) => x.to_string(),
            AbstractValue::Lit(Lit::Char(c)) => char_for_message(c),
            AbstractValue::Text(text, at) => {
                let rest = self.new.texts[text].get(at as usize..).unwrap_or_default();
                short_text(&for_message(rest))
            }
            AbstractValue::Con(con, fields) => {
                let fields = self.heap.items(fields).iter().map(|&field| match depth {
                    0 => "..".to_owned(),
                    _ => self.brief(field, depth - 1),
                });
                constructed(&self.new.cons[con].name, fields)
            }
            AbstractValue::Partial(Head::Global(global), _) => {
                let global = &self.old.globals[global];
                let name = global.display.as_ref().unwrap_or(&global.symbol);
                format!("<function {}>", for_message(name))
            }
            AbstractValue::Partial(Head::Con(_), _)
            | AbstractValue::Thunk(..)
            | AbstractValue::Call(..)
            | AbstractValue::Unknown(_)
            | AbstractValue::Alias(_)
            | AbstractValue::Select(_) => "_".to_owned(),
        }
    }

    /// Returns the innermost call outside of the corelib that a call is made through; [`Span::NONE`] if
    /// there is none.
    pub(super) fn users_call(&self, call: Span) -> Span {
        self.new.places.users_call(call).unwrap_or(Span::NONE)
    }
}

//! Code for functions that lack arguments: what lambdas have become.
//!
//! What a lambda holds is known in its body where the lambda is made: the supercombinator that it was lifted to has
//! a variant, as for a call. Of what it holds the functions and the constants of the source are known. A literal
//! would be a variant for each place, and a call would be evaluated each time that the function is entered.

use super::Driver;
use super::heap::{Head, NodeId};
use super::pattern::Pattern;
use crate::base::span::Span;
use crate::core::expr::{ExprId, GlobalId};

impl Driver<'_> {
    /// Returns code for a function of which arguments are missing.
    pub(super) fn lambda(&mut self, head: Head, args: &[NodeId], fresh: u64, span: Span) -> ExprId {
        if let Some(code) = self.written_twin(head, args, span) {
            return code;
        }
        if let Head::Global(global) = head
            && let Some(key) = self.lambda_key(global, args)
            && let Some(code) = self.variant_call(global, args, fresh, Some(key), span)
        {
            return code;
        }
        let callee = self.head(head, span);
        let args = self.written(args, fresh, span);
        self.application(callee, args, span)
    }

    /// Returns what is known of the parameters of a function that has so many arguments; `None` if
    /// nothing is.
    fn lambda_key(&mut self, global: GlobalId, args: &[NodeId]) -> Option<Vec<Pattern>> {
        let mut key = self.key(global, args, false)?;
        for pattern in &mut key {
            pattern.forget_calls_in_values();
            if !matches!(pattern, Pattern::Partial(..) | Pattern::Constant(_) | Pattern::Caf(_)) {
                *pattern = Pattern::Hole;
            }
        }
        let is_known = key.iter().any(|pattern| *pattern != Pattern::Hole);
        key.resize(self.old.arity(global), Pattern::Hole);
        is_known.then_some(key)
    }
}

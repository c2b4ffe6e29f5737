//! Where code of the corelib is called that stands in the place of the call.

use std::sync::Arc;

use super::Driver;
use super::heap::EnvId;
use crate::base::places::{Inlined, Places};
use crate::base::span::Span;
use crate::core::expr::{ExprId, GlobalKind, Program};

/// The definitions outside of the corelib: the stretch of text of the body, and the name; in the
/// order of their positions. What was lifted out of a definition lies in its body.
pub(super) fn callers(program: &Program, places: &Places) -> Vec<(Span, Arc<str>)> {
    let mut callers: Vec<(Span, Arc<str>)> = Vec::new();
    for global in program.globals.iter() {
        if let (GlobalKind::Defn { body: Some(body), .. }, Some(name)) =
            (global.kind, &global.display)
        {
            let body = program.spans[body];
            if places.is_users(body) {
                callers.push((body, name.clone()));
            }
        }
    }
    callers.sort_by_key(|(body, _)| body.lo);
    callers
}

impl Driver<'_> {
    /// The place of an expression of the old program, as an activation reaches it.
    pub(super) fn span(&mut self, expr: ExprId, env: EnvId) -> Span {
        let at = self.old.spans[expr];
        let call = self.heap.call(env);
        if call.is_none() || at.is_none() || self.new.places.is_users(at) {
            return at;
        }
        if let Some(&known) = self.inlined.get(&(at, call)) {
            return known;
        }
        let after = self.callers.partition_point(|(body, _)| body.lo <= call.lo);
        let before = after.checked_sub(1).and_then(|at| self.callers.get(at));
        let Some((_, caller)) = before else { return at };
        let span = self.new.places.add(Inlined { at, call, caller: caller.clone() });
        self.inlined.insert((at, call), span);
        span
    }

    /// The innermost call outside of the corelib that a call is made through.
    pub(super) fn users_call(&self, call: Span) -> Span {
        match self.new.places.inlined(call) {
            Some(inlined) => inlined.call,
            None if self.new.places.is_users(call) => call,
            None => Span::NONE,
        }
    }
}

//! The places of expressions of the corelib that stand in the place of a call.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::index::List;
use crate::base::places::{Inlined, Places};
use crate::base::span::Span;
use crate::core::duplicate::Duplicate;
use crate::core::expr::{ExprId, GlobalId, GlobalKind, LocalId, Program};

/// The places of what has been inlined, each made once.
pub(super) struct InlinedPlaces {
    callers: Vec<(Span, Arc<str>)>,
    known: FxHashMap<(Span, Span), Span>,
}

impl InlinedPlaces {
    /// Begins with the definitions of a program, whose places are `places`.
    pub(super) fn new(program: &Program, places: &Places) -> InlinedPlaces {
        InlinedPlaces { callers: callers(program, places), known: FxHashMap::default() }
    }

    /// Returns the place of an expression that is inlined for a call: that of the corelib says
    /// which call of the program it stands for. What an earlier step has put there says so already,
    /// and its call is further in.
    pub(super) fn of(&mut self, places: &mut Places, at: Span, call: Span) -> Span {
        let is_told = |places: &Places| {
            places.is_users(at) || places.inlined(at).is_some() || places.unmatched(at).is_some()
        };
        if call.is_none() || at.is_none() || is_told(places) {
            return at;
        }
        // Its caller may have been inlined itself.
        let told = places.inlined(call).map(|inlined| inlined.caller.clone());
        let Some(call) = places.users_call(call) else { return at };
        if let Some(&known) = self.known.get(&(at, call)) {
            return known;
        }
        let after = self.callers.partition_point(|(name, _)| name.lo <= call.lo);
        let before = after.checked_sub(1).and_then(|at| self.callers.get(at));
        let Some(caller) = told.or_else(|| before.map(|(_, caller)| caller.clone())) else {
            return at;
        };
        let span = places.add(Inlined { at, call, caller });
        self.known.insert((at, call), span);
        span
    }

    /// Returns copies of the parameters and the body of a function for a call that stands `at` a place, and the
    /// globals that the copy mentions.
    pub(super) fn copy(
        &mut self,
        program: &mut Program,
        params: List<LocalId>,
        body: ExprId,
        at: Span,
    ) -> (Vec<LocalId>, ExprId, Vec<GlobalId>) {
        let params = program.local_lists[params].to_vec();
        let mut copy =
            Duplicate::new(program, |program, span| self.of(&mut program.places, span, at));
        let params = params.into_iter().map(|param| copy.bind(param)).collect();
        let body = copy.expr(body);
        (params, body, copy.mentioned)
    }
}

/// Returns the definitions outside of the corelib: where the name stands, before the body, and the
/// name; in the order of their positions. What was lifted out of a definition lies in its body.
/// (The body itself may be inlined code by now.)
fn callers(program: &Program, places: &Places) -> Vec<(Span, Arc<str>)> {
    let mut callers: Vec<(Span, Arc<str>)> = Vec::new();
    for global in program.globals.iter() {
        if let (GlobalKind::Defn { body: Some(_), .. }, Some(name)) = (global.kind, &global.display)
            && places.is_users(global.span)
        {
            callers.push((global.span, name.clone()));
        }
    }
    callers.sort_by_key(|(name, _)| name.lo);
    callers
}

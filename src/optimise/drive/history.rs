//! What earlier steps have done to the program.

use rustc_hash::FxHashSet;

use super::Driver;
use super::pattern::{Key, Pattern};
use crate::core::copy::Numbers;
use crate::core::expr::{Expr, GlobalId, GlobalKind, LocalId};
use crate::optimise::selection::is_only;

/// The most variants of a supercombinator that has been specialised before.
pub(super) const VARIANTS_AGAIN: u32 = 3;
/// The most expressions of one of which there are any, but for those that take its place.
const SIZE_AGAIN: u32 = 80;
/// The most of those: each call looks through the function.
const REPLACED: u32 = 1_000;
/// How many times fewer steps there are the second time.
pub(super) const STEPS_AGAIN: i64 = 4;
/// The most calls of an argument's pattern the second time.
pub(super) const CALLS_AGAIN: u32 = 4;

/// What is known of the supercombinators of a program from the steps before.
#[derive(Default)]
pub struct History {
    /// Those that were called in one place of the program that was partially evaluated, with all their
    /// arguments, and the variants of such ones.
    called_once: FxHashSet<GlobalId>,
    /// Those of which variants were made, and the variants.
    specialised: FxHashSet<GlobalId>,
    /// Those of which there would have been more variants without the whistle and the limits.
    exhausted: FxHashSet<GlobalId>,
    /// The parameters of those that nothing was known of because nothing was seen to look at them: what
    /// does may have been behind functions that were not known yet.
    unseen: FxHashSet<LocalId>,
    /// How often the program was inlined in.
    inlined: u32,
}

impl History {
    /// Returns whether the steps run for the second time.
    #[must_use]
    pub fn is_second(&self) -> bool {
        self.inlined > 0
    }

    /// Follows the program through a pass that numbers it anew.
    pub(in crate::optimise) fn renumber(&mut self, numbers: &Numbers) {
        for set in [&mut self.called_once, &mut self.specialised, &mut self.exhausted] {
            *set = set.iter().filter_map(|&global| numbers.of_global(global)).collect();
        }
        self.unseen = self.unseen.iter().filter_map(|&local| numbers.of_local(local)).collect();
    }

    /// Returns whether a supercombinator was called in one place before variants were made.
    pub(super) fn was_called_once(&self, global: GlobalId) -> bool {
        self.called_once.contains(&global)
    }

    /// Returns whether a supercombinator is a variant, or has some.
    ///
    /// What is known of the arguments of such a one, step by step, has been followed as far as the
    /// whistle and the limits let it: their reasons are not in the program. So it is specialised again
    /// for the calls that it consumes, for functions and for records, which may lie beside it only now, and
    /// for nothing else. Of a record that is its shape: what its fields hold has been followed.
    pub(super) fn is_specialised(&self, global: GlobalId) -> bool {
        self.specialised.contains(&global)
    }
}

impl Driver<'_> {
    /// Returns the history of the new program.
    pub(super) fn history(&self) -> History {
        let before = self.history;
        let inlined = before.inlined + u32::from(!self.rules.specialise);
        let mut after = History { inlined, ..History::default() };
        let all = self.variants.iter().map(|variant| &variant.key);
        let has_variants: FxHashSet<GlobalId> =
            all.filter(|key| !self.is_itself(key)).map(|key| key.of).collect();
        for variant in &self.variants {
            let of = variant.key.of;
            let is_source = self.rules.specialise && !before.is_second();
            let is_once = match is_source {
                true => self.facts.mentions[of] == (1, 0) && !self.facts.kept[of],
                false => before.was_called_once(of),
            };
            if is_once {
                after.called_once.insert(variant.global);
            }
            if before.exhausted.contains(&of) || self.exhausted.contains(&of) {
                after.exhausted.insert(variant.global);
            }
            if before.is_specialised(of) || has_variants.contains(&of) {
                after.specialised.insert(variant.global);
            }
            self.add_unseen(&variant.key, variant.global, &mut after.unseen);
        }
        after
    }

    /// Adds the parameters of a variant that nothing has been known of, and that nothing looks at.
    fn add_unseen(&self, key: &Key, variant: GlobalId, unseen: &mut FxHashSet<LocalId>) {
        let GlobalKind::Defn { params, .. } = self.old.globals[key.of].kind else { return };
        let GlobalKind::Defn { params: new, .. } = self.new.globals[variant].kind else { return };
        let mut new = self.new.local_lists[new].iter();
        let mut hole = 0;
        for (&param, pattern) in self.old.local_lists[params].iter().zip(&key.args) {
            let is_unseen = match self.rules.specialise {
                true => !self.facts.inspected[param],
                false => self.history.unseen.contains(&param),
            };
            for _ in 0..pattern.holes() {
                // Holes with the same value are one parameter.
                let is_first = key.same.get(hole).is_none_or(|&first| first as usize == hole);
                hole += 1;
                if !is_first {
                    continue;
                }
                let Some(&new) = new.next() else { return };
                if is_unseen && *pattern == Pattern::Hole {
                    unseen.insert(new);
                }
            }
        }
    }

    /// Returns what of some patterns is worth a variant the second time: not what a loop begins to
    /// count with, and of what has been specialised before only the calls that it consumes, the shapes of
    /// records, and functions, if there was room for all of those.
    pub(super) fn worth_knowing_again(&self, of: GlobalId, patterns: &mut [Pattern]) {
        let begins = |at| self.has(of, at, |param| self.accumulators.is_changing(param));
        for (at, pattern) in patterns.iter_mut().enumerate() {
            if matches!(pattern, Pattern::Lit(_)) && self.facts.recursive[of] && begins(at) {
                *pattern = Pattern::Hole;
            }
        }
        if !self.history.is_specialised(of) {
            return;
        }
        let is_large = self.facts.size[of] > SIZE_AGAIN;
        let is_exhausted = self.history.exhausted.contains(&of);
        for (at, pattern) in patterns.iter_mut().enumerate() {
            let is_new = self.has(of, at, |param| self.history.unseen.contains(&param));
            match is_new {
                true => pattern.forget_literals(),
                false => self.forget_fields(pattern),
            }
            let is_worth = match pattern {
                _ if is_new => true,
                Pattern::Select(_) => true,
                Pattern::Con(..) | Pattern::Call(..) => true,
                Pattern::Partial(..) => !is_exhausted,
                _ => false,
            };
            let is_kept = |pattern: &Pattern| match pattern {
                Pattern::Select(_) => true,
                // Of a record.
                Pattern::Con(..) => self.passes_constructor(of, at),
                _ => false,
            };
            if !is_worth || is_large && !is_kept(pattern) {
                *pattern = Pattern::Hole;
            }
        }
    }

    /// Returns whether a function calls itself with nothing but constructors for a parameter: the variant
    /// that knows the constructor takes its place, and is no code beside it.
    fn passes_constructor(&self, of: GlobalId, at: usize) -> bool {
        let GlobalKind::Defn { body: Some(body), .. } = self.old.globals[of].kind else {
            return false;
        };
        if self.facts.size[of] > REPLACED {
            return false;
        }
        let old = self.old;
        let is_constructor = |expr| match old.exprs[expr] {
            Expr::App(callee, _) => matches!(old.exprs[callee], Expr::Con(_)),
            _ => false,
        };
        let mut constructors = FxHashSet::default();
        let mut calls = 0;
        // What is bound comes before what it is passed to.
        for expr in old.walk(body) {
            match old.exprs[expr] {
                Expr::Let(local, value, _) | Expr::Force(local, value, _)
                    if is_constructor(value) =>
                {
                    constructors.insert(local);
                }
                Expr::App(callee, args) if old.exprs[callee] == Expr::Global(of) => {
                    let Some(&arg) = old.expr_lists[args].get(at) else { return false };
                    let is_bound =
                        old.used_local(arg).is_some_and(|local| constructors.contains(&local));
                    if !is_bound && !is_constructor(arg) {
                        return false;
                    }
                    calls += 1;
                }
                _ => {}
            }
        }
        calls > 0
    }

    /// Forgets what is known of a constructor, but for the shape of a record: that cannot grow.
    fn forget_fields(&self, pattern: &mut Pattern) {
        if let Pattern::Con(con, fields) = pattern {
            match is_only(&self.new, *con) && !fields.is_empty() {
                true => fields.fill(Pattern::Hole),
                false => *pattern = Pattern::Hole,
            }
        }
    }

    /// Returns whether a call of what has been specialised before is worth an attempt to unfold it to
    /// its end: numbers alone have been counted already.
    pub(super) fn is_worth_attempting(&self, of: GlobalId, patterns: &[Pattern]) -> bool {
        let is_structure = |pattern: &Pattern| {
            matches!(pattern, Pattern::Con(..) | Pattern::Built(..) | Pattern::Partial(..))
        };
        !self.history.is_specialised(of) || patterns.iter().any(is_structure)
    }
}

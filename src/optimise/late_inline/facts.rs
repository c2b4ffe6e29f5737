//! What late inlining knows of each definition.

use crate::base::index::{Idx, IndexVec};
use crate::core::expr::{Expr, GlobalId, GlobalKind, Program};
use crate::optimise::drive::is_small;
use crate::optimise::usage::{circles, loop_breakers};

/// The most expressions, and how many more for each parameter, of a function that calls none, of which there are
/// copies: more than of any other, since nothing else is written where it is.
const LEAF: usize = 28;
const LEAF_PER_PARAMETER: usize = 3;
/// The most expressions of a function that is copied into loops, and the most loops that may call it.
const IN_LOOPS: usize = 80;
const CALLERS: u32 = 3;
/// The most expressions of one that a single place in a loop calls, and the most copies of it: that place may be in
/// what is copied.
const IN_ONE_LOOP: usize = 240;
const OF_ONE_LOOP: u8 = 4;

/// What is known of each definition.
pub struct Facts {
    /// How many expressions its body has.
    pub size: IndexVec<GlobalId, usize>,
    /// Whether it is not inlined, so that inlining ends.
    pub is_loop_breaker: IndexVec<GlobalId, bool>,
    /// In how many places it is mentioned; more than there are if it is `main` or a root.
    pub mentions: IndexVec<GlobalId, usize>,
    /// In how many places of definitions that can come to call themselves.
    in_loops: IndexVec<GlobalId, u32>,
    /// How many more copies there may be of what is called in one of them.
    left: IndexVec<GlobalId, u8>,
    /// In how many such definitions.
    callers: IndexVec<GlobalId, u32>,
    /// Whether it calls nothing but primitives.
    is_leaf: IndexVec<GlobalId, bool>,
}

impl Facts {
    /// Looks at a program.
    pub fn new(program: &Program) -> Facts {
        let mut size: IndexVec<GlobalId, usize> = program.globals.iter().map(|_| 0).collect();
        let mut is_leaf: IndexVec<GlobalId, bool> = program.globals.iter().map(|_| true).collect();
        let mut mentions = size.clone();
        let mut callers: IndexVec<GlobalId, u32> = program.globals.iter().map(|_| 0).collect();
        let mut in_loops = callers.clone();
        let circles = circles(program);
        let mut last: Vec<Option<GlobalId>> = vec![None; program.globals.len()];
        for (id, global) in program.globals.enumerate() {
            let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
            for expr in program.walk(body) {
                size[id] += 1;
                match program.exprs[expr] {
                    Expr::Global(of) => {
                        mentions[of] += 1;
                        in_loops[of] += u32::from(circles[id].is_some());
                        if circles[id].is_some() && last[of.index()].replace(id) != Some(id) {
                            callers[of] += 1;
                        }
                        is_leaf[id] &= matches!(program.globals[of].kind, GlobalKind::Primitive(_));
                    }
                    Expr::App(callee, _) => {
                        is_leaf[id] &= !matches!(program.exprs[callee], Expr::Local(_));
                    }
                    _ => {}
                }
            }
        }
        for kept in program.kept() {
            mentions[kept] = usize::MAX;
        }
        let is_loop_breaker = loop_breakers(program);
        let left = program.globals.iter().map(|_| OF_ONE_LOOP).collect();
        Facts { size, is_loop_breaker, mentions, in_loops, left, callers, is_leaf }
    }

    /// Returns whether there are copies of a function of so many parameters.
    pub fn is_copied(&self, global: GlobalId, arity: usize) -> bool {
        let size = self.size[global];
        is_small(size, arity) || self.is_leaf[global] && size <= LEAF + LEAF_PER_PARAMETER * arity
    }

    /// Returns whether there are copies of a function in loops.
    pub fn is_copied_in_loops(&self, global: GlobalId) -> bool {
        self.size[global] <= IN_LOOPS && self.callers[global] <= CALLERS
    }
    /// Returns whether one place in a loop calls a function, which is called from elsewhere too: what that is costs a
    /// call each time that the loop is entered, and in the loop each turn. It is said a few times: the place may
    /// be copied itself.
    pub fn takes_one_loop(&mut self, global: GlobalId) -> bool {
        let is_one = self.in_loops[global] == 1 && self.size[global] <= IN_ONE_LOOP;
        let is_taken = is_one && self.left[global] > 0;
        self.left[global] -= u8::from(is_taken);
        is_taken
    }
}

//! What the results of supercombinators are wanted for: the shape that is certain in all of their calls.
//!
//! It starts with the greatest demand of all but the roots, whose callers nobody knows, and lowers it,
//! callers first, by what their bodies want in turn, until nothing changes: the greatest fixpoint. Only
//! flat fields are wanted. A list or a tree that is wanted to its end is no reason to have all of it at
//! once.

use std::collections::BinaryHeap;

use super::{Backwards, Demands, Found, Seen};
use crate::base::index::IndexVec;
use crate::core::expr::{Expr, GlobalId, GlobalKind};
use crate::optimise::strictness::demand::Shape;

impl Backwards<'_> {
    /// Returns what is found of each supercombinator for what its results are wanted for, once all of
    /// them have been analysed for results of which only weak head normal form is. `None` if it takes
    /// too many steps.
    pub(super) fn wanted(mut self, order: &[u32]) -> Option<Demands> {
        let program = self.program;
        let mut wanted: IndexVec<GlobalId, Shape> =
            program.globals.iter().map(|_| Shape::All).collect();
        let mut places: IndexVec<GlobalId, usize> = program.globals.iter().map(|_| 0).collect();
        for (place, &global) in order.iter().enumerate() {
            places[GlobalId(global)] = place;
        }
        let mut work = BinaryHeap::new();
        for root in program.kept() {
            wanted[root] = Shape::None;
            work.push((places[root], root.0));
        }
        while let Some((place, global)) = work.pop() {
            while work.peek() == Some(&(place, global)) {
                work.pop();
            }
            let unseen;
            let calls = match self.under(GlobalId(global), wanted[GlobalId(global)])? {
                Some(at) => &self.variants[at].seen.calls,
                None => {
                    unseen = self.mentioned(GlobalId(global));
                    &unseen
                }
            };
            self.work += calls.len() as u64;
            for &(called, shape) in calls {
                let less = wanted[called].either(shape);
                if std::mem::replace(&mut wanted[called], less) != less {
                    work.push((places[called], called.0));
                }
            }
        }
        let mut demands = Demands::default();
        for global in program.globals.indices() {
            let Some(plain) = self.variant(global, Shape::None) else { continue };
            let at = self.under(global, wanted[global])?.unwrap_or(plain);
            let fails = self.variants[plain].fails;
            let variant = &mut self.variants[at];
            let params = std::mem::take(&mut variant.params);
            demands.found.insert(global, Found { fails, params });
            let Seen { strict, fields, .. } = std::mem::take(&mut variant.seen);
            demands.strict.extend(strict);
            demands.fields.extend(fields);
        }
        Some(demands)
    }

    /// Returns what a supercombinator that is not analysed mentions: nothing is certain of that.
    fn mentioned(&self, global: GlobalId) -> Vec<(GlobalId, Shape)> {
        let program = self.program;
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[global].kind else {
            return Vec::new();
        };
        let mentioned = program.walk(body).filter_map(|expr| match program.exprs[expr] {
            Expr::Global(of) => Some((of, Shape::None)),
            _ => None,
        });
        mentioned.collect()
    }

    /// Returns the variant of a supercombinator whose result is wanted so, analysed. What fails only
    /// once its fields are asked for is taken as wanted without them: it fails where it did.
    fn under(&mut self, global: GlobalId, wanted: Shape) -> Option<Option<usize>> {
        let shape = wanted.flat();
        let Some(at) = self.variant(global, shape) else { return Some(None) };
        self.settle()?;
        match self.variants[at].fails {
            true => Some(self.variant(global, Shape::None)),
            false => Some(Some(at)),
        }
    }
}

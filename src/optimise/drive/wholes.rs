//! Constructors that are there: what has been taken apart is not built again.

use super::Driver;
use super::heap::{AbstractValue, Name, NodeId};
use crate::base::index::List;
use crate::core::expr::ConId;

/// Among how many constructors with names one is looked for.
const WHOLES: usize = 64;

impl Driver<'_> {
    /// Notes that a constructor with a name has these fields, if it is one.
    pub(super) fn note_whole(&mut self, node: NodeId) {
        if let AbstractValue::Con(_, fields) = self.heap.get(node).value
            && let Some(&first) = self.heap.items(fields).first()
        {
            self.wholes.push((first, node));
        }
    }

    /// Returns a constructor with a name that is the same with the same fields: what has been taken
    /// apart is not built again.
    pub(super) fn whole(&self, con: ConId, fields: List<NodeId>) -> Option<NodeId> {
        let fields = self.heap.items(fields);
        let same = |a: NodeId, b: NodeId| self.heap.resolve(a) == self.heap.resolve(b);
        let first = *fields.first()?;
        let mut wholes = self.wholes.iter().rev().take(WHOLES).filter(|(of, _)| same(*of, first));
        wholes.find_map(|&(_, whole)| {
            let known = self.heap.get(whole);
            let AbstractValue::Con(of, parts) = known.value else { return None };
            let parts = self.heap.items(parts);
            let is_same = of == con && parts.iter().zip(fields).all(|(&a, &b)| same(a, b));
            (is_same && matches!(known.name, Some(Name::Local(_)))).then_some(whole)
        })
    }
}

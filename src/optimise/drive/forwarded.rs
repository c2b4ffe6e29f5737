//! Calls that come to one of their arguments.

use super::Driver;
use super::heap::NodeId;
use crate::core::expr::{Expr, GlobalId, GlobalKind};

impl Driver<'_> {
    /// Returns the argument that a call comes to, because the function does nothing else, or begins with a
    /// switch on another one, which is known: `(append Nil ys)` is `ys`, evaluated or not.
    pub(super) fn forwarded(&self, global: GlobalId, args: &[NodeId]) -> Option<NodeId> {
        if !self.facts.may_forward[global] {
            return None;
        }
        let GlobalKind::Defn { params, body: Some(body) } = self.old.globals[global].kind else {
            return None;
        };
        let params = &self.old.local_lists[params];
        if !self.knows() || args.len() != params.len() {
            return None;
        }
        let argument = |local| Some(args[params.iter().position(|&param| param == local)?]);
        let switch = match self.old.exprs[body] {
            Expr::Local(local) => return argument(local),
            Expr::Switch(switch) => switch,
            _ => return None,
        };
        let scrutinee = argument(self.old.switches[switch].scrutinee)?;
        let (branch, _) = self.alternative(switch, self.heap.resolve(scrutinee))?;
        match self.old.exprs[branch?] {
            Expr::Local(local) => argument(local),
            _ => None,
        }
    }
}

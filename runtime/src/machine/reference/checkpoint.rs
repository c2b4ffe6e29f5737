//! Copies of a machine between two steps, from which a run goes on again (the checkpoints of a
//! reversible debugger).

use super::liveness::Liveness;
use super::state::Machine;
use crate::machine::handles::HandleTable;
use crate::machine::system::{Outside, Recorded, System};

impl Machine {
    /// Sets the system that actions reach beyond the streams. Without one all of that is refused.
    pub fn set_system(&mut self, system: Box<dyn System>) {
        self.world.system = Outside::new(system);
    }

    /// Sets the system that actions reach beyond the streams, for a machine whose copies, and
    /// others that run the same program, are to find what it has found. It takes the place of any
    /// other system.
    pub fn set_recorded(&mut self, system: Recorded) {
        self.world.system = Outside::recorded(system);
    }

    /// Copies the machine as it stands between two steps. The copy runs on as the machine does: the
    /// same steps, collections and counts.
    ///
    /// `None` if what is outside of it would be shared by both: handles, which threads and embedders
    /// have, host functions, a system that was granted and is not
    /// [recorded](Machine::set_recorded), an input that has no [copy](crate::Input::try_clone).
    #[must_use]
    pub fn try_clone(&self) -> Option<Machine> {
        if !self.handles.is_empty() || self.hosts.is_some() {
            return None;
        }
        let input = match &self.input {
            Some(input) => Some(input.try_clone()?),
            None => None,
        };
        Some(Machine {
            code: self.code.clone(),
            at: self.at,
            unwinding: self.unwinding,
            stack: with_capacity_of(&self.stack),
            base: self.base,
            redex: self.redex,
            outside: self.outside,
            dump: with_capacity_of(&self.dump),
            heap: self.heap.clone(),
            globals: self.globals.clone(),
            handles: HandleTable::default(),
            opaques: self.opaques.copied(),
            frozen: self.frozen.copied(),
            liveness: Liveness::default(),
            input,
            world: self.world.try_clone()?,
            mode: self.mode,
            value: None,
            printer: self.printer.clone(),
            hosts: None,
            nesting: self.nesting,
            interrupt: self.interrupt.clone(),
            fuel: self.fuel,
            stress: self.stress,
            refuse: self.refuse,
            counts: self.counts,
            clock: self.clock.clone(),
            pauses: self.pauses.clone(),
            executed: self.executed.clone(),
            tested: self.tested,
        })
    }
}

/// Copies a vector with its capacity: what is reserved counts as memory in use, so it decides when a
/// collection is due.
pub(in crate::machine) fn with_capacity_of<T: Clone>(vec: &Vec<T>) -> Vec<T> {
    let mut copy = Vec::with_capacity(vec.capacity());
    copy.extend_from_slice(vec);
    copy
}

//! What a machine has been through.

/// How often each kind of thing has happened in a machine: what has never happened in a test
/// is not tested.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// How often each instruction was executed, in the order of the machine's table. One that
    /// had to wait (for an operand, for room) was executed more than once. Empty unless
    /// [`Config::count`](super::Config::count) asks for it.
    pub instructions: Vec<(&'static str, u64)>,
    /// What the collector, the stack and stops did, the same kinds of things for every machine
    /// of a kind.
    pub events: Vec<(&'static str, u64)>,
}

impl Coverage {
    /// Adds what another machine of the same kind has been through.
    pub fn add(&mut self, other: &Coverage) {
        for (sums, counts) in
            [(&mut self.instructions, &other.instructions), (&mut self.events, &other.events)]
        {
            for &(name, count) in counts {
                match sums.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, sum)) => *sum += count,
                    None => sums.push((name, count)),
                }
            }
        }
    }
}

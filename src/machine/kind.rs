//! Which machines there are.

use std::fmt;
use std::sync::Arc;

use super::config::Config;
use super::face::Machine;
use super::reference;
use crate::gcode::program::Program;

/// A machine to choose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum MachineKind {
    /// The textbook's, rule by rule: see [`mod@reference`].
    #[default]
    Reference,
}

impl MachineKind {
    /// All of them.
    pub const ALL: &[MachineKind] = &[MachineKind::Reference];

    /// Its name, as the command line has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MachineKind::Reference => "reference",
        }
    }

    /// A machine that runs a program, which must have passed the verifier.
    #[must_use]
    pub fn machine(self, program: Arc<Program>, config: Config) -> Box<dyn Machine> {
        match self {
            MachineKind::Reference => Box::new(reference::Machine::new(program, config)),
        }
    }
}

impl fmt::Display for MachineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

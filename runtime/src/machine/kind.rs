//! Which machines there are.

use std::fmt;
use std::sync::Arc;

use super::config::Config;
use super::interface::Machine;
use super::{fast, reference};
use crate::gcode::Verified;

/// A machine to choose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum MachineKind {
    /// The one for use: see [`mod@fast`].
    #[default]
    Fast,
    /// The textbook's, rule by rule: see [`mod@reference`].
    Reference,
}

impl MachineKind {
    /// All of them.
    pub const ALL: &[MachineKind] = &[MachineKind::Fast, MachineKind::Reference];

    /// Returns its name, as the command line has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MachineKind::Fast => "fast",
            MachineKind::Reference => "reference",
        }
    }

    /// Makes a program ready for machines of this kind.
    ///
    /// The fast machine takes functions of up to some ten million variables; a program with a
    /// larger one is run by the reference machine.
    #[must_use]
    pub fn load(self, program: Verified) -> Loaded {
        let fast = match self {
            MachineKind::Fast => fast::Image::new(program.clone()).ok(),
            MachineKind::Reference => None,
        };
        Loaded(fast.map_or(Ready::Reference(program), |image| Ready::Fast(Arc::new(image))))
    }
}

impl fmt::Display for MachineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A program that is ready to run. Cheap to clone; shared by the machines that run it.
#[derive(Clone, Debug)]
pub struct Loaded(Ready);

#[derive(Clone, Debug)]
enum Ready {
    Reference(Verified),
    Fast(Arc<fast::Image>),
}

impl Loaded {
    /// Makes a machine that runs it.
    #[must_use]
    pub fn machine(&self, config: Config) -> Box<dyn Machine> {
        match &self.0 {
            Ready::Reference(program) => Box::new(reference::Machine::new(program.clone(), config)),
            Ready::Fast(image) => Box::new(fast::Machine::new(image.clone(), config)),
        }
    }
}

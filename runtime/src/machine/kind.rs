//! Which machines there are.

use std::fmt;
use std::sync::Arc;

use super::config::{Config, NativeCode};
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
    /// The same, with native code from the first reductions on: in builds with the feature `native`, for
    /// processors for which there is a code generator. Elsewhere it is as `Fast`.
    Native,
    /// The textbook's, rule by rule: see [`mod@reference`].
    Reference,
}

impl MachineKind {
    /// All that this build has.
    pub const ALL: &[MachineKind] = &[
        MachineKind::Fast,
        #[cfg(gmachine_native)]
        MachineKind::Native,
        MachineKind::Reference,
    ];

    /// Returns its name, as the command line has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MachineKind::Fast => "fast",
            MachineKind::Native => "native",
            MachineKind::Reference => "reference",
        }
    }

    /// Makes a program ready for machines of this kind.
    ///
    /// The fast machine takes functions of up to some ten million variables; a program with a
    /// larger one is run by the reference machine.
    #[must_use]
    pub fn load(self, program: Verified) -> Loaded {
        let image = match self {
            MachineKind::Fast | MachineKind::Native => fast::Image::new(program.clone()).ok(),
            MachineKind::Reference => None,
        };
        Loaded(match (image.map(Arc::new), self) {
            (Some(image), MachineKind::Native) => Ready::Native(image),
            (Some(image), _) => Ready::Fast(image),
            (None, _) => Ready::Reference(program),
        })
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
    Native(Arc<fast::Image>),
}

impl Loaded {
    /// Makes a machine that runs it.
    #[must_use]
    pub fn machine(&self, config: Config) -> Box<dyn Machine> {
        match &self.0 {
            Ready::Reference(program) => Box::new(reference::Machine::new(program.clone(), config)),
            Ready::Fast(image) => Box::new(fast::Machine::new(image.clone(), config)),
            Ready::Native(image) => {
                let config = Config { native: NativeCode::After(0), ..config };
                Box::new(fast::Machine::new(image.clone(), config))
            }
        }
    }
}

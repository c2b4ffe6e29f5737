//! Host functions: the embedding program's, which a program calls like its own.

use super::handles::Handle;
use super::interface::Machine;
use super::outcome::Stop;
use crate::gcode::program::HostId;

/// How many calls of host functions may wait for each other. Each uses native stack, of which
/// a new segment is added when little is left; this bounds how much.
pub const HOST_DEPTH: u32 = 100;

/// Why a host function gives no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostFailure {
    /// It failed, and says why.
    Failed(String),
    /// An evaluation inside it stopped, and it passes that on.
    Stopped(Stop),
}

/// The functions of the embedding program.
pub trait Hosts: Send + Sync {
    /// Calls a function with its arguments, which are not evaluated. It may force values on
    /// the machine, which is the one that calls it. It may be called again with the same
    /// arguments if its evaluation is stopped and goes on later.
    ///
    /// # Errors
    /// When it has no value to give.
    fn call(
        &self,
        machine: &mut dyn Machine,
        host: HostId,
        args: &[Handle],
    ) -> Result<Handle, HostFailure>;
}

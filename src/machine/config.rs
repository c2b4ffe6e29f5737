//! How a machine is to run.

use super::interrupt::Interrupt;

/// How a machine is to run.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Bytes of heap, stack and big integers together.
    pub heap_limit: Option<u64>,
    /// Instructions that may be executed.
    pub fuel: Option<u64>,
    /// Whether to collect wherever a collection could happen: slow, for tests.
    pub stress: bool,
    /// What stops it from outside.
    pub interrupt: Interrupt,
}

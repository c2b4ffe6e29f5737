//! How a machine is to run.

use super::interrupt::{Clock, Interrupt};
use super::profile::Sampler;

/// How a machine is to run.
#[derive(Clone, Default)]
pub struct Config {
    /// Bytes of heap, stack and big integers together.
    pub heap_limit: Option<u64>,
    /// Steps that may be taken: instructions of the reference machine, reductions and
    /// printed values of the fast one.
    pub fuel: Option<u64>,
    /// Bytes of the fast machine's nursery, unless it is under stress: how much is allocated
    /// between two minor collections. `None`: about what a processor's cache holds, which few
    /// programs are faster without. A limit on memory may make it smaller.
    pub nursery: Option<usize>,
    /// How often to collect.
    pub stress: Stress,
    /// Which request for room is refused: for tests.
    pub refuse: Refusal,
    /// When the fast machine compiles the program to native code, if it can.
    pub native: NativeCode,
    /// Whether each instruction is counted, by its kind too, which takes time. (How many there
    /// were, the reference machine always counts.)
    pub count: bool,
    /// What asks for samples, if the run is to be profiled. The reference machine takes none.
    pub sampler: Option<Sampler>,
    /// The clock that pauses for the collector are timed by, if that is wanted.
    pub clock: Option<Clock>,
    /// Whether a profile of costs is made ([`Costs`](super::costs::Costs)), which takes time. The
    /// reference machine makes none.
    pub costs: bool,
    /// What stops it from outside.
    pub interrupt: Interrupt,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut config = f.debug_struct("Config");
        config.field("heap_limit", &self.heap_limit).field("fuel", &self.fuel);
        config.field("stress", &self.stress).field("costs", &self.costs).finish_non_exhaustive()
    }
}

/// When the fast machine compiles a program to native code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NativeCode {
    /// When it has done as many reductions as take about as long as that does.
    #[default]
    WhenItPays,
    /// When it has done so many reductions.
    After(u64),
    /// Never.
    Never,
}

/// Which requests for memory are refused: for tests, so that a run of any size can run out of
/// memory anywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Refusal {
    /// How many requests for room come before the one that is refused.
    others: Option<u64>,
    /// Whether the stacks of evaluations that are stopped are refused.
    stacks: bool,
}

impl Refusal {
    /// Returns the request for room after so many others, as if the system had none. One alone is
    /// refused: what goes on after it has room again. Only requests that come to the collector
    /// count; under stress that is all of them.
    #[must_use]
    pub fn after(others: u64) -> Refusal {
        Refusal { others: Some(others), ..Refusal::default() }
    }

    /// Returns a refusal of all memory that would keep the stack of an evaluation that is stopped,
    /// as if the system had none: what was under evaluation is out of memory from then on, whenever
    /// it is forced. The reference machine is not refused it.
    #[must_use]
    pub fn of_stacks() -> Refusal {
        Refusal { stacks: true, ..Refusal::default() }
    }

    /// Counts a request for room; returns whether it is the one to refuse.
    pub(in crate::machine) fn meets(&mut self) -> bool {
        let Some(left) = self.others else { return false };
        self.others = left.checked_sub(1);
        self.others.is_none()
    }

    /// Returns whether there is memory for the stack of an evaluation that is stopped.
    pub(in crate::machine) fn keeps_stacks(self) -> bool {
        !self.stacks
    }
}

/// How often a machine collects: for tests, all but the first one slow. Under stress the heap
/// of the fast machine is verified at each collection (a large one less often, so that this
/// stays linear), and what nodes have left is overwritten.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Stress {
    /// When it pays.
    #[default]
    None,
    /// After every few allocations. The reference machine does as for `Minor`.
    TinyNursery,
    /// Wherever a collection could happen: of what is new, where there are generations.
    Minor,
    /// Wherever a collection could happen, of everything.
    Full,
}

impl Stress {
    /// All modes.
    pub const ALL: [Stress; 4] = [Stress::None, Stress::TinyNursery, Stress::Minor, Stress::Full];
}

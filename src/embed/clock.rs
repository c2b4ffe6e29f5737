//! The clock of time limits: the one place where the library reads one.

use crate::machine::Clock;

/// Returns the monotonic clock of the system.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(super) fn system() -> Option<Clock> {
    let start = std::time::Instant::now();
    Some(std::sync::Arc::new(move || start.elapsed()))
}

/// Returns no clock: there is none.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(super) fn system() -> Option<Clock> {
    None
}

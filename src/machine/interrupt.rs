//! Stopping a machine from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::base::integer::{Poll, Stopped};

/// No one has asked.
const NONE: u64 = 0;
/// Someone has asked, without a reason.
const USER: u64 = 1;
/// What a duration in nanoseconds is offset by, to stay apart from the two.
const TIME: u64 = 2;

/// A handle that stops a running machine at its next safe point. Clones stop the same
/// machine, from any thread or a signal handler.
///
/// A request is used up by the evaluation that it stops. One that comes while nothing runs
/// stops the next evaluation before its first instruction.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicU64>);

impl Interrupt {
    /// A handle of no machine yet.
    #[must_use]
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Asks for a stop: [`Stop::Interrupted`](crate::machine::outcome::Stop::Interrupted).
    pub fn interrupt(&self) {
        self.0.store(USER, Ordering::Relaxed);
    }

    /// Asks for a stop because the time is up:
    /// [`Limit::Time`](crate::machine::outcome::Limit::Time), with the time that was allowed.
    pub fn time_is_up(&self, allowed: Duration) {
        let nanos = u64::try_from(allowed.as_nanos()).unwrap_or(u64::MAX);
        self.0.store(nanos.saturating_add(TIME), Ordering::Relaxed);
    }

    /// Takes a request back that has not stopped anything yet.
    pub fn clear(&self) {
        self.0.store(NONE, Ordering::Relaxed);
    }

    /// Does a long computation of integers, unless a request comes before its end, which is used
    /// up.
    pub(in crate::machine) fn or<T>(
        &self,
        compute: impl FnOnce(Poll<'_>) -> Result<T, Stopped>,
    ) -> Result<T, Request> {
        let mut request = None;
        let result = compute(&mut || match self.take() {
            None => Ok(()),
            taken => {
                request = taken;
                Err(Stopped)
            }
        });
        result.map_err(|Stopped| request.unwrap_or(Request::User))
    }

    /// The request, which is used up.
    #[inline]
    pub(in crate::machine) fn take(&self) -> Option<Request> {
        if self.0.load(Ordering::Relaxed) == NONE {
            return None;
        }
        match self.0.swap(NONE, Ordering::Relaxed) {
            NONE => None,
            USER => Some(Request::User),
            time => Some(Request::Time(Duration::from_nanos(time - TIME))),
        }
    }
}

/// Why a machine is to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Request {
    /// Someone asked.
    User,
    /// The time that was allowed is up.
    Time(Duration),
}

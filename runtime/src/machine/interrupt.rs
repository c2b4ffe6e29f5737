//! Stopping a machine: from another thread, or when its time is up.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::outcome::{Limit, Stop};
use crate::base::integer::{Poll, Stopped};

/// No one has asked.
const NONE: u64 = 0;
/// Someone has asked, without a reason.
const USER: u64 = 1;
/// What a duration in nanoseconds is offset by, to stay apart from the two.
const TIME: u64 = 2;

/// A clock: the time since some fixed moment. It never goes backwards.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A handle that stops a running machine at its next safe point. Clones stop the same
/// machine, from any thread or a signal handler.
///
/// A request is used up by the evaluation that it stops. One that comes while nothing runs
/// stops the next evaluation before its first instruction.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Shared>);

#[derive(Default)]
struct Shared {
    request: AtomicU64,
    /// Whether there is a deadline.
    timed: AtomicBool,
    deadline: Mutex<Option<Deadline>>,
}

/// A moment after which every evaluation stops.
struct Deadline {
    clock: Clock,
    /// The moment.
    at: Duration,
    /// The time that was allowed, for messages.
    allowed: Duration,
}

impl Interrupt {
    /// Returns a handle of no machine yet.
    #[must_use]
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Asks for a stop: [`Stop::Interrupted`](crate::machine::outcome::Stop::Interrupted).
    pub fn interrupt(&self) {
        self.0.request.store(USER, Ordering::Relaxed);
    }

    /// Asks for a stop because the time is up:
    /// [`Limit::Time`](crate::machine::outcome::Limit::Time), with the time that was allowed.
    pub fn time_is_up(&self, allowed: Duration) {
        let nanos = u64::try_from(allowed.as_nanos()).unwrap_or(u64::MAX);
        self.0.request.store(nanos.saturating_add(TIME), Ordering::Relaxed);
    }

    /// Returns whether there is a request that has not stopped anything yet.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.request.load(Ordering::Relaxed) != NONE
    }

    /// Takes a request back that has not stopped anything yet.
    pub fn clear(&self) {
        self.0.request.store(NONE, Ordering::Relaxed);
    }

    /// Allows so much time from now on by `clock`; `None`: as much as it takes. When it is up,
    /// every evaluation stops until this is called again.
    #[doc(hidden)]
    pub fn set_deadline(&self, allowed: Option<(Duration, Clock)>) {
        let deadline = allowed.map(|(allowed, clock)| {
            let at = clock().saturating_add(allowed);
            Deadline { clock, at, allowed }
        });
        let timed = deadline.is_some();
        *self.0.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
        self.0.timed.store(timed, Ordering::Relaxed);
    }

    /// Stops what runs if there is a request, which is used up; `stop` makes the stop for a limit on
    /// time, or without a limit because someone asked.
    pub(in crate::machine) fn poll(
        &self,
        stop: impl FnOnce(Option<Limit>) -> Stop,
    ) -> Result<(), Stop> {
        self.take().map_or(Ok(()), |request| Err(stop(request.limit())))
    }

    /// Performs a long computation of integers, unless a request comes before its end, which is
    /// used up; `stop` makes the stop, as for [`poll`](Interrupt::poll).
    pub(in crate::machine) fn or<T>(
        &self,
        compute: impl FnOnce(Poll<'_>) -> Result<T, Stopped>,
        stop: impl FnOnce(Option<Limit>) -> Stop,
    ) -> Result<T, Stop> {
        let mut request = None;
        let result = compute(&mut || match self.take() {
            None => Ok(()),
            taken => {
                request = taken;
                Err(Stopped)
            }
        });
        result.map_err(|Stopped| stop(request.and_then(Request::limit)))
    }

    /// Returns the request, which is used up.
    #[inline]
    fn take(&self) -> Option<Request> {
        if self.0.request.load(Ordering::Relaxed) == NONE {
            return self.0.late();
        }
        match self.0.request.swap(NONE, Ordering::Relaxed) {
            NONE => self.0.late(),
            USER => Some(Request::User),
            time => Some(Request::Time(Duration::from_nanos(time - TIME))),
        }
    }
}

impl Shared {
    /// Returns the request of the deadline, if it has passed.
    #[inline]
    fn late(&self) -> Option<Request> {
        if !self.timed.load(Ordering::Relaxed) {
            return None;
        }
        let deadline = self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        let deadline = deadline.as_ref()?;
        ((deadline.clock)() >= deadline.at).then_some(Request::Time(deadline.allowed))
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked = self.0.request.load(Ordering::Relaxed) != NONE;
        let timed = self.0.timed.load(Ordering::Relaxed);
        f.debug_struct("Interrupt").field("asked", &asked).field("timed", &timed).finish()
    }
}

/// Why a machine is to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Request {
    /// Someone asked.
    User,
    /// The time that was allowed is up.
    Time(Duration),
}

impl Request {
    /// Returns the limit that is reached; `None` if someone asked.
    fn limit(self) -> Option<Limit> {
        match self {
            Request::User => None,
            Request::Time(allowed) => Some(Limit::Time(allowed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a clock that goes on by a second each time somebody looks at it.
    fn counting() -> Clock {
        let seconds = AtomicU64::new(0);
        Arc::new(move || Duration::from_secs(seconds.fetch_add(1, Ordering::Relaxed)))
    }

    #[test]
    fn a_deadline_holds_until_it_is_set_again() {
        let handle = Interrupt::new();
        let allowed = Duration::from_secs(3);
        handle.set_deadline(Some((allowed, counting())));
        assert_eq!([handle.take(), handle.take()], [None; 2]);
        let late = Some(Request::Time(allowed));
        assert_eq!([handle.take(), handle.take()], [late; 2]);
        handle.set_deadline(None);
        assert_eq!(handle.take(), None);
    }

    #[test]
    fn a_request_is_used_up() {
        let handle = Interrupt::new();
        handle.clone().interrupt();
        assert_eq!([handle.take(), handle.take()], [Some(Request::User), None]);
        handle.time_is_up(Duration::ZERO);
        handle.clear();
        assert_eq!(handle.take(), None);
    }
}

//! Ctrl-C and the clock: whatever stops a run from outside.
//!
//! The machine looks for a request at its safe points. What does not (compilation, a big
//! multiplication) is given a moment, then the process ends all the same, with what the
//! program has printed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gmachine::Interrupt;
use gmachine::diagnostic::Span;
use gmachine::{Chain, Limit, LimitReached, Stop};

use super::exit::Exit;
use super::output;

/// How long the machine may take to notice.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long the machine may take after that to stop, once it has noticed.
const KEEPING: Duration = Duration::from_secs(10);

/// Requests that come this close together are one: who signals a process and its group, as
/// `timeout` does, signals the process twice. A person's second Ctrl-C comes later.
const TOGETHER: Duration = Duration::from_millis(150);

/// Hands requests to stop, from Ctrl-C or a time limit, to the machine of one run.
#[derive(Clone, Default)]
pub struct Stopper {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    machine: Interrupt,
    /// When somebody first asked.
    asked: OnceLock<Instant>,
    /// The time limit, if it was the clock.
    limit: OnceLock<Duration>,
    /// Whether there is a machine that looks for requests.
    running: AtomicBool,
    /// Whether the machine has stopped and the command is on its way out.
    stopped: AtomicBool,
}

/// Who asks.
#[derive(Clone, Copy)]
enum Cause {
    CtrlC,
    Clock(Duration),
}

impl Stopper {
    /// Makes a stopper that Ctrl-C asks to stop the run.
    pub fn wired() -> Stopper {
        let stopper = Stopper::default();
        let shared = stopper.shared.clone();
        // Without a handler Ctrl-C ends the process at once, which is right too.
        let _ = ctrlc::set_handler(move || shared.ask(Cause::CtrlC));
        stopper
    }

    /// Starts the clock: after `limit` the run is stopped.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn after(&self, limit: Duration) -> std::io::Result<()> {
        let shared = self.shared.clone();
        watch(move || {
            std::thread::sleep(limit);
            if !shared.stopped.load(Ordering::SeqCst) {
                shared.ask(Cause::Clock(limit));
            }
        })
    }

    /// Returns what stops the machine that starts now. From here on it is given time to notice.
    pub fn machine(&self) -> Interrupt {
        self.shared.running.store(true, Ordering::SeqCst);
        self.shared.machine.clone()
    }

    /// Returns whether the run has been asked to stop.
    pub fn is_asked(&self) -> bool {
        self.shared.asked.get().is_some()
    }

    /// Returns why the run was asked to stop while it waited for its input; `None` if it was not.
    pub fn reason(&self) -> Option<Stop> {
        if !self.is_asked() {
            return None;
        }
        Some(match self.shared.limit.get() {
            Some(&limit) => Stop::Limit(Box::new(LimitReached {
                limit: Limit::Time(limit),
                span: Span::NONE,
                place: None,
                chain: Chain::default(),
            })),
            None => Stop::Interrupted(Box::default()),
        })
    }

    /// Notes that the machine has stopped: the command ends by itself.
    pub fn stopped(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
    }
}

impl Shared {
    /// Asks the machine to stop, and sees to it that the process ends.
    fn ask(self: &Arc<Shared>, cause: Cause) {
        if let Cause::Clock(limit) = cause
            && self.asked.get().is_none()
        {
            let _ = self.limit.set(limit);
        }
        if self.asked.set(Instant::now()).is_err() {
            if self.asked.get().is_some_and(|first| first.elapsed() < TOGETHER) {
                return;
            }
            end(cause);
        }
        if !self.running.load(Ordering::SeqCst) {
            end(cause);
        }
        match cause {
            Cause::CtrlC => self.machine.interrupt(),
            Cause::Clock(limit) => self.machine.time_is_up(limit),
        }
        let shared = self.clone();
        if watch(move || shared.wait(cause)).is_err() {
            end(cause);
        }
    }

    /// Ends the process unless the machine has noticed by then.
    fn wait(&self, cause: Cause) {
        std::thread::sleep(PATIENCE);
        // It has noticed, and keeps what it was evaluating: the longer, the deeper that is.
        let asked = Instant::now();
        while !self.stopped.load(Ordering::SeqCst)
            && !self.machine.is_asked()
            && asked.elapsed() < KEEPING
        {
            std::thread::sleep(TOGETHER);
        }
        if !self.stopped.load(Ordering::SeqCst) {
            end(cause);
        }
    }
}

/// Ends the process from outside the program's thread.
fn end(cause: Cause) -> ! {
    output::rescue();
    match cause {
        Cause::CtrlC => {
            super::report::write("interrupted\n");
            Exit::Interrupted.now()
        }
        Cause::Clock(limit) => {
            super::report::write(&super::limit::time_limit(limit));
            Exit::Limit.now()
        }
    }
}

/// Runs `task` beside the program.
fn watch(task: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name("watch".into()).stack_size(64 * 1024).spawn(task).map(drop)
}

//! Ctrl-C and the clock: whatever stops a run from outside.
//!
//! The machine looks at a flag at its safe points. What does not look at it (compilation, a
//! big multiplication) is given a moment, then the process ends all the same, with what the
//! program has printed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use super::exit::Exit;
use super::output;

/// How long the machine may take to notice.
const PATIENCE: Duration = Duration::from_secs(1);

/// What was asked for from outside.
const NOTHING: u8 = 0;
const CTRL_C: u8 = 1;
const TIMEOUT: u8 = 2;

/// The switchboard of one run.
#[derive(Clone, Default)]
pub struct Interrupt {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// What the machine looks at.
    flag: Arc<AtomicBool>,
    /// [`NOTHING`], [`CTRL_C`] or [`TIMEOUT`], whichever came first.
    cause: AtomicU8,
    /// Whether there is a machine that looks at the flag.
    running: AtomicBool,
    /// Whether the machine has stopped and the command is on its way out.
    stopped: AtomicBool,
}

impl Interrupt {
    /// A switchboard that Ctrl-C is wired to.
    pub fn wired() -> Interrupt {
        let interrupt = Interrupt::default();
        let shared = interrupt.shared.clone();
        // Without a handler Ctrl-C ends the process at once, which is right too.
        let _ = ctrlc::set_handler(move || shared.ask(CTRL_C, Exit::Interrupted));
        interrupt
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
                shared.ask(TIMEOUT, Exit::Limit);
            }
        })
    }

    /// The flag for the machine to look at. From here on it is given time to do so.
    pub fn machine(&self) -> Arc<AtomicBool> {
        self.shared.running.store(true, Ordering::SeqCst);
        self.shared.flag.clone()
    }

    /// The machine has stopped: the command ends by itself.
    pub fn stopped(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
    }

    /// Whether it was the clock.
    pub fn by_clock(&self) -> bool {
        self.shared.cause.load(Ordering::SeqCst) == TIMEOUT
    }
}

impl Shared {
    /// Asks the machine to stop, and sees to it that the process ends with `exit`.
    fn ask(self: &Arc<Shared>, cause: u8, exit: Exit) {
        let first =
            self.cause.compare_exchange(NOTHING, cause, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        self.flag.store(true, Ordering::SeqCst);
        let shared = self.clone();
        let patient = first && self.running.load(Ordering::SeqCst);
        if !patient || watch(move || shared.wait(exit)).is_err() {
            end(exit);
        }
    }

    /// Ends the process unless the machine has noticed by then.
    fn wait(&self, exit: Exit) {
        std::thread::sleep(PATIENCE);
        if !self.stopped.load(Ordering::SeqCst) {
            end(exit);
        }
    }
}

/// Ends the process from outside the program's thread.
fn end(exit: Exit) -> ! {
    output::rescue();
    eprint(match exit {
        Exit::Limit => {
            "error[G0603]: the time limit is reached\n  = help: raise it with --timeout\n"
        }
        _ => "interrupted\n",
    });
    exit.now()
}

/// A line on standard error.
fn eprint(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
}

/// Runs `task` beside the program.
fn watch(task: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name("watch".into()).stack_size(64 * 1024).spawn(task).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_sets_the_flag_and_is_remembered() {
        let interrupt = Interrupt::default();
        let flag = interrupt.machine();
        interrupt.after(Duration::from_millis(1)).expect("a thread");
        while !flag.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        interrupt.stopped();
        assert!(interrupt.by_clock());
    }

    #[test]
    fn a_run_that_is_over_is_left_alone() {
        let interrupt = Interrupt::default();
        interrupt.stopped();
        interrupt.after(Duration::ZERO).expect("a thread");
        std::thread::sleep(Duration::from_millis(20));
        assert!(!interrupt.by_clock());
    }
}

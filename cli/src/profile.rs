//! `--profile`: what asks a run for samples, and the files that they end in.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gmachine::{Profile, Sampler};

use super::{Context, Failure, files};

/// The time between two samples.
const PERIOD: Duration = Duration::from_millis(1);

/// Samples below which a profile says that it has too few: a share of a tenth of them would be off by
/// a third.
const ENOUGH: u64 = 100;

/// A clock that asks for samples until it is dropped.
pub struct Clock {
    sampler: Sampler,
    stopped: Arc<AtomicBool>,
}

impl Clock {
    /// Starts the clock.
    pub fn start() -> Clock {
        let clock = Clock { sampler: Sampler::default(), stopped: Arc::default() };
        let (sampler, stopped) = (clock.sampler.clone(), clock.stopped.clone());
        let ticking = std::thread::Builder::new().spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                std::thread::sleep(PERIOD);
                sampler.sample();
            }
        });
        if ticking.is_err() {
            super::alloc::out_of_memory(None);
        }
        clock
    }

    /// Returns what it asks.
    pub fn sampler(&self) -> Sampler {
        self.sampler.clone()
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// Refuses a file that cannot be written, before a run of minutes.
pub fn must_be_writable(path: &Path, context: &Context) -> Result<(), Failure> {
    files::append_nothing(path, context)
}

/// Writes the samples of time to `path`, and the bytes allocated to that with `.alloc` at its
/// end. Says so if there are too few samples.
pub fn write(profile: &Profile, path: &Path, context: &Context) -> Result<(), Failure> {
    let mut alloc = path.as_os_str().to_owned();
    alloc.push(".alloc");
    let time = profile.folded(|share| share.samples);
    let bytes = profile.folded(|share| share.bytes);
    for (path, text) in [(path.to_owned(), time), (PathBuf::from(alloc), bytes)] {
        files::write(&path, &text, context)?;
    }
    let samples: u64 = profile.stacks().map(|(_, share)| share.samples).sum();
    if samples < ENOUGH {
        super::report::write(&format!(
            "note: only {samples} samples of time were taken, one each millisecond: too few to go \
             by; gmachine profile counts instructions\n"
        ));
    }
    Ok(())
}

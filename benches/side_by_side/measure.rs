//! Runs of other processes: time and memory.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use wait4::Wait4;

/// A run that came to its end.
#[derive(Clone, Debug)]
pub struct Ran {
    /// By the clock.
    pub wall: Duration,
    /// Of the processor, in the program and in the system.
    pub cpu: Duration,
    /// Largest resident set, in bytes. It is at least that of the process that started it.
    pub peak: u64,
    /// What it wrote to standard error.
    pub said: String,
    /// What it printed, or why it does not count.
    result: Result<String, String>,
}

impl Ran {
    /// This run, which does not count if it printed something else.
    pub fn checked(mut self, expected: &str) -> Ran {
        if let Ok(printed) = &self.result
            && printed.trim_end() != expected
        {
            self.result = Err(format!("it printed {printed:.60}, not {expected:.60}"));
        }
        self
    }
}

/// Runs a process on this input to its end, or until its time is up.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn run(mut command: Command, input: Stdio, timeout: Duration) -> Result<Ran, String> {
    let name = command.get_program().display().to_string();
    let failed = |error: std::io::Error| format!("{name}: {error}");
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().map_err(failed)?;
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (ended, watched) = channel::<()>();
    let clock = std::thread::spawn(move || {
        let late = watched.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout);
        if let Some(pid) = pid.filter(|_| late) {
            let _ = kill_process(pid, Signal::KILL);
        }
        late
    });
    let text = |pipe: Option<&mut dyn Read>| {
        let mut text = Vec::new();
        pipe.map_or(Ok(0), |pipe| pipe.read_to_end(&mut text)).map_err(failed)?;
        Ok::<_, String>(String::from_utf8_lossy(&text).into_owned())
    };
    let printed = text(stdout.as_mut().map(|pipe| pipe as &mut dyn Read))?;
    let said = text(stderr.as_mut().map(|pipe| pipe as &mut dyn Read))?;
    let used = child.wait4().map_err(failed)?;
    let wall = start.elapsed();
    drop(ended);
    let late = clock.join().unwrap_or(false);
    let result = match used.status.success() {
        true => Ok(printed),
        false if late => Err(format!("it was stopped after {} s", timeout.as_secs())),
        false => Err(format!("{}: {}", used.status, said.lines().next().unwrap_or(""))),
    };
    let cpu = used.rusage.utime + used.rusage.stime;
    Ok(Ran { wall, cpu, peak: used.rusage.maxrss, said, result })
}

/// Runs of the same thing.
#[derive(Clone, Default, Debug)]
pub struct Measured {
    /// Those that count, in their order.
    pub runs: Vec<Ran>,
    trouble: Option<String>,
}

impl Measured {
    /// Adds a run.
    pub fn add(&mut self, ran: Ran) {
        match &ran.result {
            Ok(_) => self.runs.push(ran),
            Err(why) => self.trouble = Some(why.clone()),
        }
    }

    /// Why there is no result.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// The median time, if all is well.
    pub fn median(&self) -> Option<Duration> {
        let mut times: Vec<Duration> = self.runs.iter().map(|run| run.wall).collect();
        times.sort();
        times.get(times.len() / 2).copied().filter(|_| self.trouble.is_none())
    }

    /// The largest of the runs' peaks.
    pub fn peak(&self) -> Option<u64> {
        self.runs.iter().map(|run| run.peak).max().filter(|_| self.trouble.is_none())
    }
}

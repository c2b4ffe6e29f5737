//! What a process has taken so far.

use std::process::Child;

/// Returns the most memory that a process has had, in megabytes, where the system tells.
pub fn peak(child: &Child) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1000.0)
}

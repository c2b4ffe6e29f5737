//! How much memory a run may use when nobody says: a quarter of what there is, so that a recursion
//! without end is reported while the machine still answers.

use std::path::Path;

use rustix::process::{Resource, getrlimit};

/// The memory limit, in bytes, if the system tells nothing.
const UNKNOWN: u64 = 4 << 30;
/// The least memory limit, in bytes.
const LEAST: u64 = 16 << 20;

/// Returns a quarter of the machine's memory, and at most four fifths of what this process can
/// still have: of the machine, of its control group, of its address space.
pub fn default_limit() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let left = [meminfo(&machine, "MemAvailable:"), control_group(), address_space()];
    let most = left.into_iter().flatten().min().unwrap_or(UNKNOWN) / 5 * 4;
    let quarter = meminfo(&machine, "MemTotal:").map_or(most, |total| total / 4);
    most.min(quarter).max(LEAST)
}

/// Returns a size of `/proc/meminfo` in bytes.
fn meminfo(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Returns what the control groups that this process is in leave it.
fn control_group() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let root = Path::new("/sys/fs/cgroup");
    let path = root.join(group.trim_start_matches('/'));
    path.ancestors().take_while(|path| path.starts_with(root)).filter_map(left_in).min()
}

/// Returns what one control group leaves, if it has a limit.
fn left_in(group: &Path) -> Option<u64> {
    let read = |name| std::fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit = read("memory.max")?;
    Some(limit.saturating_sub(read("memory.current").unwrap_or(0)))
}

/// Returns the rest of the address space that `ulimit -v` allows.
fn address_space() -> Option<u64> {
    let limit = getrlimit(Resource::As).current?;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or(0);
    Some(limit.saturating_sub(pages * rustix::param::page_size() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_some_memory() {
        assert!(default_limit() >= LEAST);
    }

    #[test]
    fn meminfo_is_read() {
        let text = "MemTotal:       24000000 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(meminfo(text, "MemTotal:"), Some(24_000_000 * 1024));
        assert_eq!(meminfo(text, "MemAvailable:"), Some(23_000_000 * 1024));
        assert_eq!(meminfo("nothing", "MemTotal:"), None);
    }
}

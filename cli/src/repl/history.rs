//! The lines that were typed in earlier sessions.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

/// How many lines are kept when a session begins.
const KEPT: usize = 1000;

/// The file of lines, one a line; what is typed over several lines has `\n` between them.
pub struct History {
    file: Option<File>,
    /// The lines of earlier sessions.
    pub lines: Vec<String>,
}

impl History {
    /// Opens the file that the environment names. A session without one has a history of its own.
    pub fn open() -> History {
        let Some(path) = path() else { return History { file: None, lines: Vec::new() } };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let all = text.lines().count();
        let lines: Vec<String> =
            text.lines().skip(all.saturating_sub(KEPT)).map(unescaped).collect();
        if let Some(folder) = path.parent() {
            let _ = fs::create_dir_all(folder);
        }
        if all > 2 * KEPT {
            let kept: String = lines.iter().map(|line| escaped(line) + "\n").collect();
            let _ = fs::write(&path, kept);
        }
        History { file: OpenOptions::new().append(true).create(true).open(path).ok(), lines }
    }

    /// Adds a line, at once. One that cannot be written is not kept.
    pub fn add(&mut self, line: &str) {
        if let Some(file) = self.file.as_mut().filter(|_| !line.trim().is_empty()) {
            let _ = file.write_all((escaped(line) + "\n").as_bytes());
        }
    }
}

/// Returns the path of the history: `GMACHINE_HISTORY` (empty: no file), else where the system
/// keeps what programs remember.
fn path() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name);
    if let Some(path) = of("GMACHINE_HISTORY") {
        return (!path.is_empty()).then(|| PathBuf::from(path));
    }
    let state = of("XDG_STATE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let state = state.or_else(|| Some(PathBuf::from(of("HOME")?).join(".local/state")))?;
    Some(state.join("gmachine/history"))
}

fn escaped(line: &str) -> String {
    line.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescaped(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(match chars.next() {
                Some('n') => '\n',
                other => other.unwrap_or('\\'),
            }),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_back_from_the_file_as_it_was_typed() {
        for line in ["(add 1 2)", "(f\n  x)", "\"\\n\"", "\\", ""] {
            assert_eq!(unescaped(&escaped(line)), line);
            assert!(!escaped(line).contains('\n'));
        }
    }
}

//! Programs that random search has found something wrong with, each with a word on what.

use crate::project;

/// Returns the names and texts of the programs.
///
/// # Panics
/// When they are not where they should be.
#[must_use]
pub fn programs() -> Vec<(String, String)> {
    let files = std::fs::read_dir(project().join("tests/found")).expect("the programs");
    let mut programs: Vec<_> = files
        .map(|file| {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            (path.display().to_string(), text)
        })
        .collect();
    programs.sort();
    assert!(programs.len() > 1, "{programs:?}");
    programs
}

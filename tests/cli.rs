//! The command as a person meets it: every command, help page, message and exit code. The
//! sessions are in `tests/cmd`; `TRYCMD=overwrite cargo test --test cli` writes them anew
//! (then put `[..]` back where clocks stand). `tests/faults/run` tries what is hostile.

use std::path::Path;
use std::process::{Command, Output};

const GMACHINE: &str = env!("CARGO_BIN_EXE_gmachine");

#[test]
fn sessions() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").case("tests/cmd/*.toml");
}

/// Runs a line of shell with the command in its path.
fn shell(line: &str, directory: &Path) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let own = Path::new(GMACHINE).parent().expect("a directory").display();
    Command::new("sh")
        .args(["-c", line])
        .current_dir(directory)
        .env("PATH", format!("{own}:{path}"))
        .output()
        .expect("a shell")
}

/// The commands under `Examples:` in a help page.
fn examples(page: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.map_while(|line| line.strip_prefix("  ")).map(str::to_owned).collect()
}

#[test]
fn help_begins_with_three_examples_that_work() {
    let directory = tempfile::tempdir().expect("a directory");
    for entry in std::fs::read_dir("examples").expect("the examples") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        std::fs::copy(&path, directory.path().join(name)).expect("a copy");
    }
    for command in ["", "run", "check", "dump", "trace", "completions"] {
        let help = shell(&format!("gmachine {command} --help"), directory.path());
        let page = String::from_utf8(help.stdout).expect("text");
        assert!(page.starts_with("Examples:\n"), "{page}");
        let examples = examples(&page);
        assert_eq!(examples.len(), 3, "{page}");
        for line in examples {
            let output = shell(&line, directory.path());
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && errors.is_empty(), "{line}: {errors}");
        }
    }
}

#[test]
fn short_help_fits_a_screen() {
    for command in ["", "run", "check", "dump", "trace", "explain", "completions", "man"] {
        let help = shell(&format!("gmachine {command} -h"), Path::new("."));
        let page = String::from_utf8(help.stdout).expect("text");
        assert!(page.lines().count() <= 24, "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    }
}

#[test]
fn manual_pages_are_written() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = shell("gmachine man deep/er && ls deep/er", directory.path());
    let listed = String::from_utf8(output.stdout).expect("text");
    for page in ["gmachine.1", "gmachine-run.1", "gmachine-trace.1"] {
        assert!(listed.lines().any(|line| line == page), "{listed}");
    }
    let refused = shell("gmachine man /dev/null/here", directory.path());
    assert_eq!(refused.status.code(), Some(5));
}

#[test]
fn artefacts_are_the_same_every_time() {
    for command in [
        "run --format json examples/tree.core",
        "dump examples/queens.core",
        "dump examples/queens.core --stage core",
        "dump examples/queens.core --format json",
        "trace examples/fibs.core --to 300 --format json",
        "check --error-format json tests/cmd/check.in/mistakes.core",
    ] {
        let once = shell(&format!("gmachine {command}"), Path::new("."));
        let again = shell(&format!("gmachine {command}"), Path::new("."));
        assert!(!once.stdout.is_empty() || !once.stderr.is_empty(), "{command}");
        assert_eq!(once, again, "{command}");
    }
}

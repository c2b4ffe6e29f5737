//! The command as a person meets it: every command, help page, message and exit code. The
//! sessions are in `tests/cmd`; `TRYCMD=overwrite cargo test --test command cli::` writes them anew
//! (then put `[..]` back where clocks stand). `tests/faults/run` tries what is hostile.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::PROJECT;

const GMACHINE: &str = env!("CARGO_BIN_EXE_gmachine");

#[test]
fn sessions() {
    // Where the sessions run; the other tests say where they do.
    std::env::set_current_dir(PROJECT).expect("the folder of the project");
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

#[test]
fn bytes_are_read_and_written_as_they_are() {
    let directory = tempfile::tempdir().expect("a directory");
    for program in [
        "(bytesFromList [255 0 10])",
        "(bind (inputBytes 1000) putBytes)",
        "(bind (inputBytes 1) (fn [a] (bind (inputBytes 9) (fn [b] (putBytes (bytesConcat [a b]))))))",
        "(bind (inputBytes 9) (fn [a] (bind (inputBytes 9) (fn [b] (putBytes (bytesConcat [a b]))))))",
    ] {
        let line = format!("printf '\\377\\000\\n' | gmachine run -e '{program}'");
        let output = shell(&line, directory.path());
        assert_eq!(output.stdout, [255, 0, 10], "{program}: {output:?}");
        assert_eq!(output.stderr, b"", "{program}");
    }
}

#[test]
fn files_are_written_where_it_is_granted_and_a_full_disk_can_be_handled() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(directory.path().join("out")).expect("a directory");
    let program = "(import io) (import system)
        (defn main[] (bind arguments (fn [paths] (forM_ paths (fn [p]
          (catch (then (writeText p \"one\\n\") (appendText p \"two\\n\"))
                 (fn [e] (putLine (exceptionText e)))))))))";
    std::fs::write(directory.path().join("p.core"), program).expect("a file");
    let line = "gmachine run --allow-write out --allow-write /dev p.core -- out/a b /dev/full";
    let output = shell(line, directory.path());
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "`fileWrite` of `b` is not granted (--allow-write DIR)\n\
         `fileWrite` of `/dev/full`: no space left on device\n",
        "{output:?}"
    );
    let written = std::fs::read(directory.path().join("out/a")).expect("it was written");
    assert_eq!(written, b"one\ntwo\n");
    assert!(!directory.path().join("b").exists());
}

/// Every command that runs a program takes the same grants, and refuses what is not granted in the same
/// words.
#[test]
fn each_command_that_runs_a_program_grants_alike() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = "(import io) (import system)
        (defn main[] (then (writeText \"out.txt\" \"done\") (bind (readText \"in.txt\") (fn [s]
          (bind wallClock (fn [t] (bind (randomBytes 2) (fn [b]
            (bind (environmentVariable (bytesFromText \"NAMED\")) (fn [v] (putText s)))))))))))";
    std::fs::write(directory.path().join("all.core"), program).expect("a file");
    let refused = "is not granted (--allow-write DIR)";
    let grants =
        ["random", "time", "env NAMED", "write .", "read ."].map(|of| format!("--allow-{of}"));
    let commands = [
        "run all.core",
        "steps all.core",
        "trace all.core",
        "film all.core -o -",
        "profile all.core",
        "bench all.core --runs 1",
    ];
    for command in commands {
        std::fs::write(directory.path().join("in.txt"), "text").expect("a file");
        let _ = std::fs::remove_file(directory.path().join("out.txt"));
        for count in 0..=grants.len() {
            let granted = grants[..count].join(" ");
            let output = shell(&format!("gmachine {command} {granted}"), directory.path());
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            let is_granted = count >= 4;
            if !is_granted {
                assert!(
                    errors.contains("error[G0520]: `fileWrite` of `out.txt`"),
                    "{command} {granted}: {errors}"
                );
                assert!(errors.contains(refused), "{command} {granted}: {errors}");
            }
            assert_eq!(
                directory.path().join("out.txt").exists(),
                is_granted,
                "{command} {granted}"
            );
            assert_eq!(
                output.status.success(),
                count == grants.len(),
                "{command} {granted}: {errors}"
            );
        }
    }
    let _ = std::fs::remove_file(directory.path().join("out.txt"));
    let line = "echo main | gmachine repl all.core";
    let output = shell(line, directory.path());
    assert!(String::from_utf8_lossy(&output.stderr).contains(refused), "{output:?}");
    let output = shell(&format!("{line} {}", grants.join(" ")), directory.path());
    assert!(String::from_utf8_lossy(&output.stdout).contains("text"), "{output:?}");
    let line = "echo ':step main' | gmachine repl all.core";
    let output = shell(&format!("{line} {}", grants.join(" ")), directory.path());
    assert!(!String::from_utf8_lossy(&output.stderr).contains("G0520"), "{output:?}");
}

/// The commands under `Examples:` in a help page.
fn examples(page: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.map_while(|line| line.strip_prefix("  ")).map(str::to_owned).collect()
}

#[test]
fn help_begins_with_three_examples_that_work() {
    let directory = tempfile::tempdir().expect("a directory");
    for entry in std::fs::read_dir(Path::new(PROJECT).join("examples")).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            continue;
        }
        let name = path.file_name().expect("a name");
        std::fs::copy(&path, directory.path().join(name)).expect("a copy");
    }
    for command in [
        "",
        "run",
        "check",
        "compile",
        "dump",
        "specialise",
        "trace",
        "film",
        "profile",
        "bench",
        "doc",
        "explain",
        "completions",
        "man",
    ] {
        let help = shell(&format!("gmachine {command} --help"), directory.path());
        let page = String::from_utf8(help.stdout).expect("text");
        assert!(page.starts_with("Examples:\n"), "{page}");
        let examples = examples(&page);
        assert_eq!(examples.len(), 3, "{page}");
        for line in examples {
            let output = shell(&line, directory.path());
            let errors = String::from_utf8_lossy(&output.stderr);
            // Hints are what an example may ask for.
            let is_quiet = errors.lines().all(|line| line.contains(": hint[G09"));
            assert!(output.status.success() && is_quiet, "{line}: {errors}");
        }
    }
}

#[test]
fn short_help_fits_a_screen() {
    for command in [
        "",
        "run",
        "check",
        "compile",
        "dump",
        "specialise",
        "steps",
        "step",
        "film",
        "profile",
        "trace",
        "bench",
        "repl",
        "doc",
        "explain",
        "completions",
        "man",
    ] {
        let help = shell(&format!("gmachine {command} -h"), Path::new(PROJECT));
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
    for page in ["gmachine.1", "gmachine-run.1", "gmachine-specialise.1", "gmachine-trace.1"] {
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
        "specialise examples/knight.core",
        "trace examples/fibs.core --to 300 --format json",
        "check --error-format json tests/cmd/check.in/mistakes.core",
    ] {
        let once = shell(&format!("gmachine {command}"), Path::new(PROJECT));
        let again = shell(&format!("gmachine {command}"), Path::new(PROJECT));
        assert!(!once.stdout.is_empty() || !once.stderr.is_empty(), "{command}");
        assert_eq!(once, again, "{command}");
    }
}

#[test]
fn what_specialise_prints_runs() {
    for (expression, entry, printed) in [
        ("(power x 5)", "-e '(residual 2)'", "32\n"),
        ("(power 2 5)", "", "32\n"),
        ("(power x y)", "-e '(residual 10 10)'", "10000000000\n"),
        ("(map (fn [n] (power n k)) ns)", "-e '(residual 3 [1 2 3])'", "1 8 27 Nil\n"),
    ] {
        for level in 0..=2 {
            let line = format!(
                "gmachine specialise -O{level} examples/power.core -e '{expression}' | \
                 gmachine run - {entry}"
            );
            assert_eq!(status(&line), (Some(0), printed.into(), String::new()), "{line}");
        }
    }
}

/// The events are those of the run that `--stats` counts, and tell all that it prints.
#[test]
fn the_events_of_steps_are_those_of_the_run() {
    let programs = [
        "-e '(take 10 (filter (lt 5) (iterate (mul 2) 1)))'",
        "-e '(sum (map (mul 2) (range 1 30)))'",
        "examples/hello.core",
        "examples/tree.core",
    ];
    for program in programs {
        let (code, out, counted) =
            status(&format!("gmachine run -O0 --engine reference --stats=json {program}"));
        assert_eq!(code, Some(0), "{program}: {counted}");
        let (_, lines, _) = status(&format!("gmachine steps --format json {program}"));
        let events: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let of = |name: &'static str| -> Vec<&serde_json::Value> {
            events.iter().filter(|event| event["event"] == name).collect()
        };
        let printed: String =
            of("printed").iter().filter_map(|event| event["text"].as_str()).collect();
        assert_eq!(printed.trim_end(), out.trim_end(), "{program}");
        let counted: serde_json::Value = serde_json::from_str(&counted).expect("JSON");
        assert_eq!(counted["counts"]["thunks_updated"], of("updated").len(), "{program}");
        assert_eq!(
            of("updated").last().expect("a step")["step"],
            counted["counts"]["thunks_updated"]
        );
    }
}

/// What a line of shell printed to both streams, and its exit code.
fn status(line: &str) -> (Option<i32>, String, String) {
    let output = shell(line, Path::new(PROJECT));
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn every_spelling_of_json_is_understood() {
    let fibs = "examples/fibs.core";
    for (old, new) in [
        (format!("run {fibs} --json"), format!("run {fibs} --format json")),
        (format!("--quiet dump --json {fibs}"), format!("--quiet dump --format json {fibs}")),
        (format!("steps --json {fibs}"), format!("steps --format json {fibs}")),
        (
            format!("trace --json --only fibs {fibs}"),
            format!("trace --format json --only fibs {fibs}"),
        ),
        (
            format!("profile --json {fibs} | cut -c1-40"),
            format!("profile --format json {fibs} | cut -c1-40"),
        ),
    ] {
        let (old, new) = (status(&format!("gmachine {old}")), status(&format!("gmachine {new}")));
        assert!(new.1.starts_with(['{', '[']), "{new:?}");
        assert_eq!(old, new);
    }
    for spelling in ["--stats=json", "-s=json", "--stats-format json", "-s --stats-format=json"] {
        let (code, _, errors) = status(&format!("gmachine run {fibs} {spelling}"));
        assert_eq!(code, Some(0), "{spelling}: {errors}");
        assert!(errors.starts_with('{') && errors.contains("gmachine-statistics"), "{errors}");
    }
    // What is no option of the command is left as it is.
    let program = "(defn main[] (bind arguments (fn [a] (putText (head a)))))";
    let line = format!("printf '%s' '{program}' | gmachine run - -- --json");
    assert_eq!(status(&line), (Some(0), "--json".to_owned(), String::new()));
    assert!(status("gmachine run -e --json").2.contains("--json"));
}

/// A run that prints and is interrupted, once it has printed something, so many times.
fn interrupted(times: usize) -> (Option<i32>, String, String) {
    let mut child = Command::new(GMACHINE)
        .args(["run", "-s", "examples/nats.core"])
        .current_dir(PROJECT)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command");
    let mut printed = vec![0; 6];
    let stream = child.stdout.as_mut().expect("its output");
    stream.read_exact(&mut printed).expect("it prints");
    let line = format!("kill -INT {};", child.id()).repeat(times);
    assert!(shell(&line, Path::new(PROJECT)).status.success());
    let output = child.wait_with_output().expect("it ends");
    printed.extend(output.stdout);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&printed), text(&output.stderr))
}

#[test]
fn ctrl_c_keeps_what_is_printed_and_gives_the_statistics() {
    let (code, printed, errors) = interrupted(1);
    assert_eq!(code, Some(130), "{errors}");
    assert!(printed.starts_with("0\n1\n2\n") && printed.ends_with('\n'));
    assert!(errors.starts_with("error[G0606]: interrupted\n"), "{errors}");
    assert!(
        errors.contains(" under evaluation\n") && errors.contains("\ninstructions "),
        "{errors}"
    );
}

#[test]
fn two_interrupts_at_once_are_one() {
    // What a signal to a process and to its group is; the second one ended the process before
    // it had said anything.
    let (code, printed, errors) = interrupted(2);
    assert_eq!(code, Some(130), "{errors}");
    assert!(printed.ends_with('\n'));
    assert!(errors.starts_with("error[G0606]: interrupted\n"), "{errors}");
    assert!(
        errors.contains(" under evaluation\n") && errors.contains("\ninstructions "),
        "{errors}"
    );
}

#[test]
fn bench_gives_every_run_standard_input() {
    let bench = "gmachine bench tests/cmd/bench.in/share.core --runs 2 --quiet";
    let (code, _, errors) = status(&format!("printf 'four' | {bench}"));
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let (code, printed, errors) = status(&format!("{bench} < /dev/null"));
    assert_eq!((code, printed.as_str()), (Some(1), ""));
    assert!(errors.contains("G0502"), "{errors}");
    let (code, _, errors) = status(&format!("printf '\\377' | {bench}"));
    assert_eq!(code, Some(5), "{errors}");
}

#[test]
fn a_reader_that_goes_is_no_news() {
    let line = "{ gmachine run examples/nats.core; echo $? >&2; } | head -n 1";
    assert_eq!(status(line), (Some(0), "0\n".to_owned(), "141\n".to_owned()));
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_does_not_block_is_waited_for() {
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    rustix::io::ioctl_fionbio(&writer, true).expect("set");
    let mut filled = writer.try_clone().expect("a clone");
    let mut before = 0;
    while let Ok(more) = filled.write(&[b'x'; 4096]) {
        before += more;
    }
    drop(filled);
    let mut child = Command::new(GMACHINE)
        .args(["run", "-e", "(range 1 100000)"])
        .stdout(writer)
        .spawn()
        .expect("it runs");
    let mut out = Vec::new();
    reader.read_to_end(&mut out).expect("read");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let expected: String = (1..=100_000).map(|n| format!("{n} ")).collect();
    assert_eq!(std::str::from_utf8(&out[before..]), Ok(&*format!("{expected}Nil\n")));
}

#[test]
fn a_full_disk_is_reported() {
    let (code, _, errors) = status("gmachine run examples/nats.core > /dev/full");
    assert_eq!(code, Some(5));
    assert_eq!(errors, "error[G0704]: standard output cannot be written: the disk is full\n\n");
}

/// A collection goes through all of the stack, and frees none of it.
#[test]
fn a_stack_that_fills_the_memory_is_not_collected_in_vain() {
    let deep = "(letrec ([deep (fn [n] (add 1 (deep (add n 1))))]) (deep 0))";
    let run = format!("gmachine run -M 192M --stats-format json -e '{deep}'");
    let (code, _, errors) = status(&run);
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("G0601") && errors.contains("main waits for `(deep"), "{errors}");
    let statistics = errors.lines().find(|line| line.starts_with('{')).expect("statistics");
    let statistics: serde_json::Value = serde_json::from_str(statistics).expect("JSON");
    assert_eq!(statistics["live_bytes_after_full_collections"], serde_json::json!([]));
}

#[test]
fn a_run_ends_when_its_time_is_up_though_it_waits_for_input() {
    let mut child = Command::new(GMACHINE)
        .args(["run", "examples/wc.core", "--timeout", "200ms"])
        .current_dir(PROJECT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command");
    // Nothing is ever written to it, and it is not closed.
    let input = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(input);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*output.stdout), (Some(4), &b""[..]), "{errors}");
    assert!(errors.contains("G0603") && errors.contains("--timeout 400ms"), "{errors}");
}

#[test]
fn the_compiler_keeps_to_the_limits_of_a_run() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("large.core");
    let defns: String =
        (0..30_000).map(|n| format!("(defn f{n}[x y] (add x (mul y {n})))")).collect();
    let all: String = (0..30_000).map(|n| format!("(f{n} 1 2)")).collect();
    std::fs::write(&path, format!("{defns}(defn main[] (length [{all}]))")).expect("written");
    let path = path.display();
    let (code, printed, errors) = status(&format!("gmachine run -M 20M {path}"));
    assert_eq!((code, &*printed), (Some(4), ""), "{errors}");
    let message =
        "error[G0601]: the memory limit of 20M is reached while the program is compiled\n";
    assert!(errors.starts_with(message) && errors.contains("--max-heap 40M"), "{errors}");
    let (code, printed, errors) = status(&format!("gmachine run --timeout 50ms {path}"));
    assert_eq!((code, &*printed), (Some(4), ""), "{errors}");
    assert!(errors.contains("G0603") && errors.contains("--timeout 100ms"), "{errors}");
    // What a program of the usual size takes is no matter of the limit.
    let (code, printed, errors) = status("gmachine run -M 100K -e '(sum (range 1 10))'");
    assert_eq!((code, &*printed), (Some(0), "55\n"), "{errors}");
}

#[test]
fn refused_memory_is_a_limit() {
    let program = "(defn f[x] (add 1 (f x)))(defn main[] (f 1))";
    let (code, _, errors) =
        status(&format!("ulimit -v 300000; echo '{program}' | gmachine run -M 4G -"));
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("G0601"), "{errors}");
    // A report like that of any limit: the run was stopped, not the process.
    assert!(errors.contains("the system has no more memory beside"), "{errors}");
    assert!(errors.contains("under evaluation"), "{errors}");
}

#[test]
fn depth_needs_no_native_stack() {
    let deep = [
        ("(foldr add 0 (range 1 1000000))", "500000500000\n"),
        ("(foldl add 0 (range 1 1000000))", "500000500000\n"),
        (
            "(letrec ([even? (fn [n] (if (eq n 0) 1 (odd? (sub n 1))))] \
          [odd? (fn [n] (if (eq n 0) 0 (even? (sub n 1))))]) (even? 1000000))",
            "1\n",
        ),
    ];
    for (expression, value) in deep {
        let (code, out, err) = status(&format!("ulimit -s 256; gmachine run -e '{expression}'"));
        assert_eq!((code, &*out, &*err), (Some(0), value, ""), "{expression}");
    }
    let nested = "awk 'BEGIN { for (i = 0; i < 100000; i++) printf \"(add 1 \"; printf \"0\"; \
                  for (i = 0; i < 100000; i++) printf \")\" }'";
    let line =
        format!("ulimit -s 256; {{ echo '(defn main[] '; {nested}; echo ')'; }} | gmachine run -");
    assert_eq!(status(&line), (Some(0), "100000\n".into(), String::new()));
}

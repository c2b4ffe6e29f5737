//! `gmachine repl` as a person meets it: through a pipe and through a terminal.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::PROJECT;

const GMACHINE: &str = env!("CARGO_BIN_EXE_gmachine");

/// What a session prints for these lines: standard output and standard error.
fn session(lines: &str) -> (String, String) {
    session_in("short", lines)
}

/// The same with reports in a format.
fn session_in(format: &str, lines: &str) -> (String, String) {
    let mut child = Command::new(GMACHINE)
        .args(["repl", "--error-format", format])
        .current_dir(PROJECT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command");
    let mut input = child.stdin.take().expect("a pipe");
    let lines = lines.to_owned();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()).expect("it reads"));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("the writer");
    assert_eq!(output.status.code(), Some(0));
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

/// Lines of a session, each with what it prints.
const DIALOGUE: [(&str, &str); 50] = [
    ("(add 1 2)", "3\n"),
    ("7", "7\n"),
    ("\"text\"", "text\n"),
    ("", ""),
    ("; a comment", ""),
    ("(defn double[x] (mul 2 x))", ""),
    ("(double 21)", "42\n"),
    ("(defn quadruple[x]", ""),
    ("  (double (double x)))", ""),
    ("(map quadruple [1 2 3])", "4 8 12 Nil\n"),
    ("(data Shape (Circle r) (Square a))", ""),
    ("(Circle 1)", "(Circle 1)\n"),
    ("(case (Square 3) [(Circle r) r] [(Square a) (mul a a)])", "9\n"),
    ("(defn xs[] (map double [1 2 3]))", ""),
    (":sprint xs", "_\n"),
    ("(head xs)", "2\n"),
    (":sprint xs", "[2 | _]\n"),
    ("(nth 2 xs)", "6\n"),
    (":sprint xs", "[2 _ 6 | _]\n"),
    (":force xs", "2 4 6 Nil\n"),
    (":sprint xs", "[2 4 6]\n"),
    ("(unknown 1)", ""),
    ("(add 1", ""),
    ("  (double 2))", "5\n"),
    ("(div 1 0)", ""),
    ("(add 2 2)", "4\n"),
    ("(defn double[x] (mul 20 x))", ""),
    ("(double 1)", "20\n"),
    ("(quadruple 1)", "4\n"),
    ("(import map)", ""),
    ("(mapLookup 1 (mapSingleton 1 'a'))", "(Just 'a')\n"),
    ("(let ([x 5]) (mul x x))", "25\n"),
    ("(fn [x] x)", "<function>\n"),
    (":sprint", "<function>\n"),
    ("double", "<function double>\n"),
    ("(take 3 (iterate (mul 2) 1))", "1 2 4 Nil\n"),
    (":limit fuel 1000", "memory 512M, time none, fuel 1,000\n"),
    ("(sum (range 1 100000))", ""),
    (":limit none", "memory 512M, time none, fuel none\n"),
    (":force", "5000050000\n"),
    (":doc I", "I[x]    ; prelude\n  (I x) is x: the identity combinator.\n    > (I 7)\n    7\n"),
    (":browse", "double quadruple xs\n"),
    (":nonsense", ""),
    (":step (double 2)", "     1  main => (double 2)\n     2  => 40\n        prints 40\n"),
    ("(error \"no\")", ""),
    ("[1 'a' \"b\"]", "1 'a' \"b\" Nil\n"),
    (":clear", ""),
    ("(quadruple 1)", ""),
    (":load tests/cmd/steps.in/fibs.core", ""),
    ("(nth 30 fibs)", "832040\n"),
];

#[test]
fn a_session_of_fifty_lines_through_a_pipe() {
    let mut lines = String::from(":limit memory 512M\n");
    let mut wanted = String::from("memory 512M, time none, fuel none\n");
    for (line, output) in DIALOGUE {
        writeln!(lines, "{line}").expect("a string");
        wanted.push_str(output);
    }
    let (output, errors) = session(&lines);
    assert_eq!(output, wanted, "{errors}");
    let codes: Vec<&str> =
        errors.lines().filter_map(|line| line.split_once("error")?.1.get(..7)).collect();
    assert_eq!(codes.len(), 6, "{errors}");
}

#[test]
fn a_blank_line_or_a_command_gives_up_what_is_not_closed() {
    let lines = "(defn f[x]

(add 1 2)
(add (mul 2
:limit memory 512M
(defn f[x]
(add x 1))
(f #| a comment

:help
|# 3)
(f
";
    let (output, errors) = session(lines);
    assert_eq!(output, "3\nmemory 512M, time none, fuel none\n4\n", "{errors}");
    let errors: Vec<&str> = errors.lines().collect();
    let unclosed = ["session:1:1", "<expression>:1:6", "<expression>:1:1"];
    assert_eq!(errors.len(), unclosed.len(), "{errors:?}");
    for (error, place) in errors.iter().zip(unclosed) {
        assert!(error.starts_with(place) && error.contains("G0201"), "{error}");
    }
}

#[test]
fn a_failure_names_the_expression_that_was_typed() {
    let lines = "(defn f[x] (add x 1))\n(f \"a\")\n[1 (f \"b\")]\n(group [\"c\" \"d\"])\n";
    let (_, errors) = session_in("human", lines);
    for typed in ["(f \"a\")", "[1 (f \"b\")]", "(group [\"c\" \"d\"])"] {
        let waiting = format!("<expression> waits for `{typed}` at <expression>:1:1");
        assert_eq!(errors.matches(&waiting).count(), 1, "{waiting}\n{errors}");
    }
    assert!(errors.contains("(groupBy eqString ..)"), "{errors}");
    // A value that is asked for by its name was typed before.
    let (_, errors) = session_in("human", "(defn c[] (head Nil))\n:force c\n");
    assert!(!errors.contains("<expression> waits"), "{errors}");
}

#[test]
fn a_command_without_its_colon_or_its_end_is_named() {
    let lines = "quit\nhelp\nexit\n:q\n:sp\n:exit\n:s\n(defn help[] 3)\nhelp\nquit\n\
                 explain G0301\nload a.core\n";
    let (output, errors) = session(lines);
    assert_eq!(output, "<function exit>\n3\n", "{errors}");
    let notes: Vec<&str> = errors.lines().filter(|line| !line.contains("G0301")).collect();
    let none = |name, tip| format!("error: there is no command :{name}; {tip}");
    assert_eq!(
        notes,
        [
            "note: the command is :quit",
            "note: the command is :help",
            "note: the command is :quit",
            &none("q", "did you mean :quit?"),
            &none("sp", "did you mean :sprint?"),
            &none("exit", "did you mean :quit?"),
            &none("s", ":help lists the commands"),
            "note: the command is :quit",
            "error: a command begins with a colon: :explain",
            "error: a command begins with a colon: :load",
        ]
    );
}

#[test]
fn what_is_printed_and_fails_has_the_place_of_what_was_typed() {
    let (output, errors) = session("(append \"n = \" 3)\n");
    assert_eq!(output, "n = \n");
    assert!(errors.starts_with("<expression>:1:1: error[G0509]"), "{errors}");
}

#[test]
fn a_call_that_lacks_arguments_says_how_many() {
    let (output, errors) = session("(if (eq 1 1) 5)\n(zipWith add)\nmap\n");
    assert_eq!(output, "<function if>\n<function zipWith>\n<function map>\n");
    let missing = ["note: `if` still takes 1 argument", "note: `zipWith` still takes 2 arguments"];
    assert_eq!(errors.lines().collect::<Vec<_>>(), missing);
}

#[test]
fn codes_are_explained_in_a_session() {
    let (output, errors) = session(":explain G0502\n:explain 502\n:explain nothing\n");
    assert_eq!(output.matches("G0502: a division by zero").count(), 2, "{output}");
    assert_eq!(errors, "error: there is no code 'nothing'; gmachine explain lists all codes\n");
}

#[test]
fn an_equation_is_answered_with_how_a_definition_is_written() {
    for (line, help) in [
        ("x = 3", "(defn x[] value)"),
        ("square n = (mul n n)", "(defn square[n] value)"),
        ("add(x, y) = x", "(defn add[x y] value)"),
        ("let x = 3", "(let ([x value]) body)"),
    ] {
        let (_, errors) = session_in("human", &format!("{line}\n"));
        assert!(errors.contains(&format!("is written {help}\n")), "{line}: {errors}");
    }
}

#[test]
fn a_session_performs_actions_which_read_the_lines_that_follow() {
    let lines = "(putText \"no end of line\")
(bind inputLine (fn [line] (putText (append (head line) \"!\\n\"))))
a line for the action
inputLine
(add 1 2)
(return (add 40 2))
(exit 3)
(defn count[n] (bind (putText (showInt n)) (fn [_] (if (eq n 500) (return n) (count (add n 1))))))
:limit memory 512M
:limit fuel 2000
(count 100)
:limit none
:force
inputLine
";
    let (output, errors) = session(lines);
    let numbers: String = (100..=500).map(|number: u32| number.to_string()).collect();
    let (before, after) = output.split_once("fuel 2,000\n").expect("the limit");
    assert_eq!(
        before,
        "no end of line\na line for the action!\n\"(add 1 2)\" Nil\n42\n\
         memory 512M, time none, fuel none\nmemory 512M, time none, "
    );
    let (begun, went_on) =
        after.split_once("\nmemory 512M, time none, fuel none\n").expect("the limits");
    assert!(!begun.is_empty(), "{output}");
    assert_eq!(format!("{begun}{went_on}"), format!("{numbers}\n500\n"));
    let errors: Vec<&str> = errors.lines().collect();
    let [exit, limit] = errors[..] else { panic!("{errors:?}") };
    assert_eq!(exit, "note: the action asks to exit with status 3");
    assert!(limit.contains("G0602"), "{limit}");
}

#[test]
fn a_session_shows_listings_of_its_definitions_and_what_thunks_stand_for() {
    let lines = "(defn f[x y] (if (eq x 0) y (f (sub x 1) (add y x))))
(defn xs[] (map (add 1) [1 2]))
:dump f core
:strictness f
:dump f nonsense
:dump g
(head xs)
:sprint -v xs
";
    let (output, errors) = session(lines);
    assert_eq!(
        output,
        "(defn f[x y] (if (eq x 0) y (f (sub x 1) (add y x))))\n\
         f: x strict, y strict\n2\n[2 | (map f t)]\n"
    );
    assert_eq!(
        errors,
        "error: a stage is one of core, lifted, specialised, strictness, gcode, fast\n\
         error: there is no definition 'g'\n"
    );
}

#[test]
fn ten_thousand_definitions_are_added_one_by_one() {
    let mut lines = String::from("(defn f0[x] x)\n");
    for number in 1..10_000 {
        let before = number - 1;
        writeln!(lines, "(defn f{number}[x] (f{before} (add x 1)))").expect("a string");
    }
    lines.push_str("(f9999 1)\n");
    let (output, errors) = session(&lines);
    assert_eq!((output.as_str(), errors.as_str()), ("10000\n", ""));
}

/// What the line editor writes when it begins to read, and when it has read.
const PASTE_ON: &str = "\x1b[?2004h";
const PASTE_OFF: &str = "\x1b[?2004l";

/// A terminal, and a session at it.
struct Terminal {
    master: std::fs::File,
    child: Child,
    seen: String,
}

impl Terminal {
    fn open(history: &Path) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("its other end");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let end = || {
            let path = name.to_str().expect("a path");
            std::fs::File::options().read(true).write(true).open(path).expect("the terminal")
        };
        let child = Command::new(GMACHINE)
            .args(["repl", "--color", "never"])
            .env("TERM", "xterm")
            .env("GMACHINE_HISTORY", history)
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("the command");
        Terminal { master: master.into(), child, seen: String::new() }
    }

    /// Types a line.
    fn type_in(&mut self, text: &str) {
        self.master.write_all(text.as_bytes()).expect("the terminal takes it");
    }

    /// What is printed before the editor reads again.
    fn printed(&mut self) -> String {
        let printed = self.expect(PASTE_ON).replace("\r\n", "\n");
        // The end of the line that was typed.
        printed.strip_prefix('\n').unwrap_or(&printed).to_owned()
    }

    /// Reads until this has been printed, after all that was waited for before. Returns what comes
    /// before it.
    fn expect(&mut self, wanted: &str) -> String {
        while !self.seen.contains(wanted) {
            let mut bytes = [0; 4096];
            let count = self.master.read(&mut bytes).unwrap_or(0);
            assert!(count > 0, "it ended before {wanted:?}: {:?}", self.seen);
            self.seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        let at = self.seen.find(wanted).expect("it was seen");
        let before = self.seen[..at].to_owned();
        self.seen.drain(..at + wanted.len());
        before
    }
}

/// The lines of [`DIALOGUE`] as a person types them, each when the terminal is ready for it: the line
/// editor switches bracketed paste on when it begins to read, and off when it has a whole input.
#[test]
fn a_session_of_fifty_lines_through_a_terminal() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut terminal = Terminal::open(&directory.path().join("history"));
    terminal.expect(PASTE_ON);
    terminal.type_in(":limit memory 512M\r");
    terminal.expect(PASTE_OFF);
    assert_eq!(terminal.printed(), "memory 512M, time none, fuel none\n");
    let (mut lines, mut reports) = (0, 0);
    for (at, (line, output)) in DIALOGUE.iter().enumerate() {
        lines += 1;
        terminal.type_in(line);
        terminal.type_in("\r");
        // The editor waits for the rest of an input that goes on.
        if DIALOGUE.get(at + 1).is_some_and(|(next, _)| next.starts_with("  ")) {
            continue;
        }
        terminal.expect(PASTE_OFF);
        let printed = terminal.printed();
        if output.is_empty() && printed.starts_with("error") {
            reports += 1;
        } else {
            assert_eq!(printed, *output, "{line}");
        }
    }
    assert_eq!((lines, reports), (50, 6));
    terminal.type_in("\x04");
    assert!(terminal.child.wait().expect("it ends").success());
}

#[test]
fn a_session_at_a_terminal_completes_names_waits_for_brackets_and_survives_interrupts() {
    let directory = tempfile::tempdir().expect("a directory");
    let history = directory.path().join("history");
    std::fs::write(&history, "(sub 50 8)\n").expect("a history");
    let mut terminal = Terminal::open(&history);
    terminal.expect(":help");
    terminal.expect("> ");
    terminal.type_in("(add 20 22)\r");
    terminal.expect("\n42\r\n");
    terminal.expect("> ");
    // The line before the last one, which an earlier session has left.
    terminal.type_in("\x1b[A\x1b[A\r");
    terminal.expect("(sub 50 8)");
    terminal.expect("\n42\r\n");
    terminal.expect("> ");
    terminal.type_in("(add 1\r");
    terminal.type_in("  (mul 2 3))\r");
    terminal.expect("\n7\r\n");
    terminal.expect("> ");
    // A Tab completes what has one way to go on.
    terminal.type_in("(zipWi\t add [1] [2])\r");
    terminal.expect("zipWith");
    terminal.expect("\n3 Nil\r\n");
    terminal.expect("> ");
    // Ctrl-C at the prompt gives the line up.
    terminal.type_in("(unfinished \x03");
    terminal.expect("> ");
    terminal.type_in("(defn nats[] (iterate (add 1) 1000000))\r");
    terminal.expect("> ");
    terminal.type_in("nats\r");
    terminal.expect("1000000 1000001");
    // As a terminal's Ctrl-C while something runs.
    let process = rustix::process::Pid::from_child(&terminal.child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("a signal");
    terminal.expect("interrupted");
    terminal.expect("> ");
    terminal.type_in("(head nats)\r");
    terminal.expect("\n1000000\r\n");
    terminal.expect("> ");
    terminal.type_in(":sprint nats\r");
    terminal.expect("[1000000 1000001 1000002");
    terminal.expect("> ");
    terminal.type_in(":quit\r");
    assert!(terminal.child.wait().expect("it ends").success());
    let kept = std::fs::read_to_string(&history).expect("the history");
    assert!(kept.starts_with("(sub 50 8)\n(add 20 22)\n(sub 50 8)\n(add 1\\n"), "{kept}");
}

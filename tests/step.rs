//! `gmachine step`: its model agrees with `gmachine steps`, forward and backward; and it is used in a
//! terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gmachine::inspect::events::NodeEvent;
use gmachine::inspect::trace::{Config, Machine, Recorded};
use gmachine::inspect::views::stepper::{Item, Progress, Stepper, Wanted};
use gmachine::{
    Engine, EntryPoints, Format, Input, InputError, Loader, MachineKind, Module, Passes, Source,
    System, SystemError,
};
use gmachine_testing::common::Memory;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use serde_json::{Value, json};

use crate::PROJECT;
use crate::film::{EXAMPLES, EXPRESSIONS};

const GMACHINE: &str = env!("CARGO_BIN_EXE_gmachine");

struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &std::path::Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

pub fn module(source: &Source) -> Module {
    let mut engine = Engine::new();
    engine.set_entry_points(EntryPoints::Main);
    engine.set_passes(Passes::NONE);
    engine.set_machine(MachineKind::Reference);
    engine.compile_source(source, &NoFiles).expect("a program without mistakes")
}

fn stepper(module: &Module) -> Stepper<'_> {
    let start = Box::new(|| {
        let mut machine = Machine::new(module.program().clone(), Config::default());
        machine.start(Format::Default, None).map(|()| machine)
    });
    Stepper::new(module.sources(), start).expect("a main")
}

fn work(stepper: &mut Stepper<'_>) -> Progress {
    loop {
        match stepper.work() {
            Progress::Working => {}
            progress => return progress,
        }
    }
}

/// An event as `steps --format json` writes it, as far as both have it.
fn event(item: &Item, step: u64) -> Value {
    let mut event = json!({
        "node": item.event.node(), "depth": item.moment.depth,
        "instructions": item.moment.instructions,
    });
    let (kind, field, value) = match &item.event {
        NodeEvent::Born { by, .. } => ("born", "by", json!(by)),
        NodeEvent::Filled { with, .. } => ("filled", "with", json!(with)),
        NodeEvent::Demanded { by, .. } => ("demanded", "by", json!(by)),
        NodeEvent::Shared { by, .. } => ("shared", "by", json!(by)),
        NodeEvent::Entered { arguments, .. } => ("entered", "arguments", json!(arguments)),
        NodeEvent::Updated { .. } => ("updated", "step", json!(step)),
        NodeEvent::Selected { with, .. } => ("selected", "with", json!(with)),
        NodeEvent::Printed { text, .. } => ("printed", "text", json!(text)),
        NodeEvent::Dead { node } => ("dead", "node", json!(node)),
    };
    (event["event"], event[field]) = (json!(kind), value);
    event
}

/// Compares the stepper with the events that `steps` writes, which `film` is compared with too; how
/// many there are.
pub fn compare(module: &Module, arguments: &[&str]) -> usize {
    let output = Command::new(GMACHINE)
        .args([&["steps", "--format", "json"], arguments].concat())
        .current_dir(PROJECT)
        .stdin(Stdio::null())
        .output()
        .expect("the command");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let mut stepper = stepper(module);
    let mut printed = String::new();
    let mut count = 0;
    for line in lines.lines().skip(1) {
        let wanted: Value = serde_json::from_str(line).expect("JSON");
        stepper.forward(Wanted::Event);
        assert_eq!(work(&mut stepper), Progress::Found, "{arguments:?}: {line}");
        let state = stepper.state();
        let item = state.last.as_ref().expect("an event");
        let got = event(item, state.step);
        for (field, value) in got.as_object().expect("an object") {
            assert_eq!(*value, wanted[field], "{arguments:?}: {field} of {line}");
        }
        // The ladder is as long as there are evaluations.
        assert!(state.ladder.len() <= item.moment.depth, "{arguments:?}: {line}");
        if let NodeEvent::Printed { text, .. } = &item.event {
            printed.push_str(text);
            assert!(stepper.output().ends_with(text.as_str()), "{arguments:?}: {line}");
        }
        count += 1;
    }
    assert!(stepper.output().starts_with(&printed), "{arguments:?}");
    count
}

#[test]
fn the_stepper_has_the_events_that_steps_tells_of() {
    for expression in EXPRESSIONS {
        let module = module(&Source::default().with_expression(expression));
        assert!(compare(&module, &["--to", "300", "-e", expression]) > 3, "{expression}");
    }
    for example in EXAMPLES {
        let path = format!("examples/{example}.core");
        let text = std::fs::read(std::path::Path::new(PROJECT).join(&path)).expect("an example");
        let module = module(&Source::text(&*path, text));
        assert!(compare(&module, &["--to", "300", &path]) > 3, "{example}");
    }
}

/// All that a stepper shows.
fn shown(stepper: &Stepper<'_>) -> String {
    let state = stepper.state();
    let cells = state.reachable();
    let cells: Vec<_> = cells.iter().map(|&node| (node, stepper.expression(node))).collect();
    let says = stepper.says();
    format!("{:?}", (state.time, state.step, &state.ladder, says, stepper.output(), cells))
}

fn go(stepper: &mut Stepper<'_>, time: usize) -> String {
    stepper.go_to(time);
    assert_eq!((work(stepper), stepper.state().time), (Progress::Found, time));
    shown(stepper)
}

#[test]
fn going_back_shows_what_was_there_also_after_what_is_kept_has_been_left() {
    let expression = "(map (mul 3) (filter (lt 7) (range 1 1000)))";
    let module = module(&Source::default().with_expression(expression));
    // So many checkpoints that most of them are given up again.
    let mut stepper = stepper(&module).with_distance(200);
    stepper.forward(Wanted::End);
    assert_eq!(work(&mut stepper), Progress::Found);
    assert!(matches!(stepper.ended(), Some(None)));
    let last = stepper.state().time;
    assert!(last > 30_000, "{last} events are more than are kept");
    let output = stepper.output().to_owned();
    let times: Vec<usize> = (1913..last).step_by(3826).collect();
    stepper.backward(Wanted::End);
    assert_eq!((work(&mut stepper), stepper.state().time), (Progress::Found, 0));
    // Without a checkpoint.
    let mut plain = self::stepper(&module).with_distance(usize::MAX);
    let before: Vec<String> = times.iter().map(|&time| go(&mut plain, time)).collect();
    for (&time, before) in times.iter().zip(&before).rev() {
        assert_eq!(go(&mut stepper, time), *before, "after {time} events");
    }
    // A search that leads to before what is kept.
    stepper.forward(Wanted::End);
    assert_eq!(work(&mut stepper), Progress::Found);
    assert_eq!(stepper.output(), output);
    stepper.backward(Wanted::Step(100));
    assert_eq!(work(&mut stepper), Progress::Found);
    assert_eq!(stepper.state().step, 100);
    let there = shown(&stepper);
    stepper.forward(Wanted::Reduction);
    work(&mut stepper);
    stepper.backward(Wanted::Reduction);
    work(&mut stepper);
    assert_eq!(shown(&stepper), there);
    // One that finds nothing leaves everything as it was.
    go(&mut stepper, last);
    stepper.backward(Wanted::Entry(vec!["nothing".to_owned()]));
    assert_eq!(work(&mut stepper), Progress::Missing);
    assert_eq!((stepper.state().time, stepper.output()), (last, &*output));
}

/// The events from one print to the one before, back to the first: each a search through what was
/// left. Without checkpoints each would begin with the start of the program.
#[test]
fn going_back_runs_a_short_part_of_the_program_again() {
    let expression = "(map (mul 3) (filter (lt 7) (range 1 1000)))";
    let module = module(&Source::default().with_expression(expression));
    let starts = std::cell::Cell::new(0);
    let start = Box::new(|| {
        starts.set(starts.get() + 1);
        let mut machine = Machine::new(module.program().clone(), Config::default());
        machine.start(Format::Default, None).map(|()| machine)
    });
    let mut stepper = Stepper::new(module.sources(), start).expect("a main").with_distance(1000);
    let mut prints = Vec::new();
    loop {
        stepper.forward(Wanted::Print);
        if work(&mut stepper) == Progress::Missing {
            break;
        }
        prints.push(stepper.state().time);
    }
    for &time in prints.iter().rev().skip(1) {
        stepper.backward(Wanted::Print);
        assert_eq!((work(&mut stepper), stepper.state().time), (Progress::Found, time));
    }
    assert!(prints.len() > 900 && starts.get() <= 3, "{} prints, {starts:?}", prints.len());
}

/// What is outside of the machine: a program that reads, and one with threads, which has no
/// checkpoints while they run.
#[test]
fn programs_that_read_and_programs_with_threads_are_gone_back_in_too() {
    let reads = "(defn main[input] (map (add 1) (map ord input)))";
    let forks = "(defn count[v n] (if (eq n 0) (putMVar v 'x') (bind (putText \".\") (fn [_] (count v (sub n 1))))))
        (defn main[] (bind newMVar (fn [v] (bind (fork (count v 90)) (fn [_] (takeMVar v))))))";
    for text in [reads, forks] {
        let module = module(&Source::text("program.core", text.as_bytes().to_vec()));
        let start = || {
            let mut machine = Machine::new(module.program().clone(), Config::default());
            let input =
                Characters("The quick brown fox jumps over it. ".repeat(20).chars().collect());
            machine.start(Format::Default, Some(Box::new(input))).map(|()| machine)
        };
        let mut stepper = Stepper::new(module.sources(), Box::new(start)).expect("a main");
        stepper.forward(Wanted::End);
        assert_eq!(work(&mut stepper), Progress::Found, "{text}");
        assert!(matches!(stepper.ended(), Some(None)), "{:?}", stepper.ended());
        let (last, output) = (stepper.state().time, stepper.output().to_owned());
        assert!(last > 5000 && output.len() > 80, "{last} events, {output}");
        let mut again = Stepper::new(module.sources(), Box::new(start)).expect("a main");
        again = again.with_distance(500);
        let times: Vec<usize> = (999..last).step_by(999).collect();
        let before: Vec<String> = times.iter().map(|&time| go(&mut stepper, time)).collect();
        again.forward(Wanted::End);
        assert_eq!(work(&mut again), Progress::Found);
        for (&time, before) in times.iter().zip(&before).rev() {
            assert_eq!(go(&mut again, time), *before, "after {time} events of {text}");
        }
    }
}

/// A program that writes files, tells what is in them, and reads clocks, going back in it: what it does
/// outside of the machine is done once, and it finds the same each time.
#[test]
fn what_is_done_outside_of_the_machine_is_done_once_however_often_one_goes_back() {
    let text = "(import io) (import system)
        (defn note[n] (bind monotonicClock (fn [t] (then (appendText \"log.txt\" (showInt n))
          (bind (readText \"log.txt\") (fn [s] (putLine (append (showInt t) (append \" \" s)))))))))
        (defn main[] (then (attempt (readText \"log.txt\")) (forM_ (range 1 9) note)))";
    let module = module(&Source::text("program.core", text.as_bytes().to_vec()));
    let requests = Arc::new(AtomicUsize::new(0));
    let files = Counted { files: Memory::default(), requests: requests.clone() };
    let system = Recorded::new(files);
    let starts = std::cell::Cell::new(0);
    let start = || {
        starts.set(starts.get() + 1);
        let mut machine = Machine::new(module.program().clone(), Config::default());
        machine.set_recorded(system.clone());
        machine.start(Format::Default, None).map(|()| machine)
    };
    let mut stepper = Stepper::new(module.sources(), Box::new(start)).expect("a main");
    stepper = stepper.with_distance(500);
    stepper.forward(Wanted::End);
    assert_eq!(work(&mut stepper), Progress::Found);
    assert!(matches!(stepper.ended(), Some(None)), "{:?}", stepper.ended());
    let (last, output) = (stepper.state().time, stepper.output().to_owned());
    assert!(output.ends_with(" 123456789\n") && output.lines().count() == 9, "{output}");
    let asked = requests.load(Ordering::Relaxed);
    assert_eq!(asked, 1 + 3 * 9);
    let times: Vec<usize> = (333..last).step_by(333).collect();
    assert!(times.len() > 12, "{last} events");
    let before: Vec<String> = times.iter().map(|&time| go(&mut stepper, time)).collect();
    for (&time, before) in times.iter().zip(&before).rev() {
        assert_eq!(go(&mut stepper, time), *before, "after {time} events");
    }
    stepper.forward(Wanted::End);
    assert_eq!(work(&mut stepper), Progress::Found);
    assert_eq!((stepper.state().time, stepper.output()), (last, &*output));
    assert_eq!(requests.load(Ordering::Relaxed), asked);
    // There are checkpoints.
    assert!(starts.get() <= 3, "{starts:?}");
}

/// Files, and how often they are asked for.
struct Counted {
    files: Memory,
    requests: Arc<AtomicUsize>,
}

impl Counted {
    fn files(&mut self) -> &mut Memory {
        self.requests.fetch_add(1, Ordering::Relaxed);
        &mut self.files
    }
}

impl System for Counted {
    fn read(
        &mut self,
        path: &[u8],
        from: u64,
        most: u64,
        fits: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, SystemError> {
        self.files().read(path, from, most, fits)
    }

    fn write(&mut self, path: &[u8], bytes: &[u8], appends: bool) -> Result<(), SystemError> {
        self.files().write(path, bytes, appends)
    }

    fn monotonic_clock(&mut self) -> Result<Duration, SystemError> {
        self.files().monotonic_clock()
    }
}

/// An input that can be copied.
#[derive(Clone)]
struct Characters(std::collections::VecDeque<char>);

impl Input for Characters {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        Ok(self.0.pop_front())
    }

    fn try_clone(&self) -> Option<Box<dyn Input>> {
        Some(Box::new(self.clone()))
    }
}

/// A terminal with the command at its other end, and what it shows.
struct Terminal {
    master: File,
    /// The other end, so that its settings can be asked for.
    slave: File,
    child: Child,
    rows: Vec<Vec<char>>,
    at: (usize, usize),
    /// An escape sequence that has begun.
    escape: Option<String>,
    /// The start of a character.
    bytes: Vec<u8>,
    /// Whether the alternate screen is shown.
    is_full: bool,
}

const ROWS: u16 = 30;
const COLUMNS: u16 = 100;

impl Terminal {
    fn new(arguments: &[&str], variable: &str) -> Terminal {
        let mut master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("its other end");
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&mut master, size).expect("its size");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let end = || {
            let path = name.to_str().expect("a path");
            File::options().read(true).write(true).open(path).expect("the terminal")
        };
        let child = Command::new(GMACHINE)
            .arg("step")
            .args(arguments)
            .env("TERM", variable)
            .current_dir(PROJECT)
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("the command");
        Terminal {
            master: File::from(master),
            slave: end(),
            child,
            rows: vec![vec![' '; COLUMNS.into()]; ROWS.into()],
            at: (0, 0),
            escape: None,
            bytes: Vec::new(),
            is_full: false,
        }
    }

    fn screen(&self) -> String {
        self.rows.iter().map(|row| String::from_iter(row) + "\n").collect()
    }

    /// Reads until the screen shows this.
    fn expect(&mut self, wanted: &str) {
        while !self.screen().contains(wanted) {
            let mut bytes = [0; 4096];
            let count = self.master.read(&mut bytes).unwrap_or(0);
            assert!(count > 0, "it ended before {wanted:?}:\n{}", self.screen());
            bytes[..count].iter().for_each(|&byte| self.take(byte));
        }
    }

    fn press(&mut self, keys: &[u8]) {
        self.master.write_all(keys).expect("keys");
    }

    fn take(&mut self, byte: u8) {
        self.bytes.push(byte);
        let Ok(text) = str::from_utf8(&self.bytes) else { return };
        let c = text.chars().next().expect("a character");
        self.bytes.clear();
        match (&mut self.escape, c) {
            // A signal may come in the middle of a sequence: terminals begin anew there.
            (escape, '\x1b') => *escape = Some(String::new()),
            (Some(sequence), _) => {
                sequence.push(c);
                if sequence.len() > 1 && c.is_ascii_alphabetic() {
                    let sequence = self.escape.take().unwrap_or_default();
                    self.obey(&sequence);
                }
            }
            (None, '\r') => self.at.1 = 0,
            (None, '\n') => self.at.0 = (self.at.0 + 1).min(usize::from(ROWS) - 1),
            (None, _) => {
                let (row, column) = self.at;
                if let Some(cell) = self.rows[row].get_mut(column) {
                    *cell = c;
                }
                self.at.1 += 1;
            }
        }
    }

    fn obey(&mut self, sequence: &str) {
        if sequence.ends_with('H') {
            let mut numbers = sequence[1..sequence.len() - 1].split(';').map(str::parse);
            let mut next = || numbers.next().and_then(Result::ok).unwrap_or(1_usize) - 1;
            self.at = (next(), next());
        } else if sequence == "[2J" {
            self.rows.iter_mut().for_each(|row| row.fill(' '));
        } else if sequence.starts_with("[?1049") {
            self.is_full = sequence.ends_with('h');
        }
    }

    /// Waits for the end of the command: how it ended, and whether the terminal is as it was.
    fn end(mut self) -> (ExitStatus, bool) {
        let master = self.master.try_clone().expect("the terminal");
        // What it writes last is read, so that it can end.
        let reader = std::thread::spawn(move || {
            let (mut master, mut bytes) = (master, [0; 4096]);
            let mut all = Vec::new();
            while let Ok(count) = master.read(&mut bytes) {
                all.extend_from_slice(&bytes[..count]);
                if all.ends_with(b"the test has ended") {
                    break;
                }
            }
            all
        });
        let status = self.child.wait().expect("it ends");
        let settings = tcgetattr(&self.slave).expect("its settings");
        self.slave.write_all(b"the test has ended").expect("the terminal");
        reader.join().expect("the reader").into_iter().for_each(|byte| self.take(byte));
        (
            status,
            !self.is_full && settings.local_modes.contains(LocalModes::ICANON | LocalModes::ECHO),
        )
    }
}

const PROGRAM: [&str; 2] = ["-e", "(take 2 (iterate (mul 2) 21))"];

#[test]
fn a_run_is_stepped_through_at_a_terminal() {
    let mut terminal = Terminal::new(&PROGRAM, "xterm");
    terminal.expect("who waits for whom");
    terminal.press(b"\x1b[C");
    terminal.expect("step 1: main => (take 2 (iterate (mul 2) 21))");
    terminal.press(b"g99\r");
    terminal.expect("the run is over");
    terminal.expect("21 42 Nil");
    terminal.press(b"\x1b[H");
    terminal.expect("the beginning");
    terminal.press(b"?");
    terminal.expect("the reduction of a number");
    terminal.press(b"xq");
    let (status, is_restored) = terminal.end();
    assert!(status.success() && is_restored, "{status}");
}

/// The second key is there while the first one still has its step to find.
#[test]
fn keys_that_come_fast_are_all_done() {
    let mut terminal = Terminal::new(&PROGRAM, "xterm");
    terminal.expect("who waits for whom");
    terminal.press(b"\x1b[C\x1b[C\x1b[C\x1b[D");
    terminal.expect(", step 2");
    terminal.press(b"q");
    let (status, is_restored) = terminal.end();
    assert!(status.success() && is_restored, "{status}");
}

#[test]
fn the_terminal_is_as_before_however_the_stepper_ends() {
    let mut terminal = Terminal::new(&PROGRAM, "xterm");
    terminal.expect("who waits for whom");
    terminal.press(b"\x03");
    let (status, is_restored) = terminal.end();
    assert!(status.success() && is_restored, "Ctrl-C: {status}");

    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let mut terminal = Terminal::new(&PROGRAM, "xterm");
        terminal.expect("who waits for whom");
        let process = Pid::from_child(&terminal.child);
        kill_process(process, signal).expect("a signal");
        let (status, is_restored) = terminal.end();
        assert!(status.signal() == Some(signal.as_raw()) && is_restored, "{signal:?}: {status}");
    }
}

#[test]
fn what_is_no_terminal_or_a_dumb_one_is_refused_in_plain_words() {
    let mut terminal = Terminal::new(&PROGRAM, "dumb");
    terminal.expect("the terminal cannot move its cursor (TERM is dumb)");
    assert_eq!(terminal.end().0.code(), Some(2));
    let output = Command::new(GMACHINE).arg("step").args(PROGRAM).output().expect("the command");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("standard output is no terminal"), "{said}");
    assert!(said.contains("`gmachine steps` prints"), "{said}");
    assert_eq!(output.status.code(), Some(2));
}

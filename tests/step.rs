//! `gmachine step`: its model agrees with `gmachine steps`, forward and backward; and it is used in a
//! terminal.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use gmachine::inspect::events::NodeEvent;
use gmachine::inspect::trace::{Config, Machine};
use gmachine::inspect::views::stepper::{Item, Progress, Stepper, Wanted};
use gmachine::{Engine, EntryPoints, Format, Loader, MachineKind, Module, Passes, Source};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::{Value, json};

use crate::film::{EXAMPLES, EXPRESSIONS};

const GMACHINE: &str = env!("CARGO_BIN_EXE_gmachine");

struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &std::path::Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn module(source: &Source) -> Module {
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
fn compare(module: &Module, arguments: &[&str]) -> usize {
    let output = Command::new(GMACHINE)
        .args([&["steps", "--format", "json", "--to", "300"], arguments].concat())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
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
        assert!(compare(&module, &["-e", expression]) > 3, "{expression}");
    }
    for example in EXAMPLES {
        let path = format!("examples/{example}.core");
        let text = std::fs::read(&path).expect("an example");
        assert!(compare(&module(&Source::text(&*path, text)), &[&path]) > 3, "{example}");
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

#[test]
fn going_back_shows_what_was_there_also_after_what_is_kept_has_been_left() {
    let expression = "(map (mul 3) (filter (lt 7) (range 1 500)))";
    let module = module(&Source::default().with_expression(expression));
    let mut stepper = stepper(&module);
    stepper.forward(Wanted::End);
    assert_eq!(work(&mut stepper), Progress::Found);
    assert!(matches!(stepper.ended(), Some(None)));
    let last = stepper.state().time;
    assert!(last > 30_000, "{last} events are more than are kept");
    let output = stepper.output().to_owned();
    let times: Vec<usize> = (1913..last).step_by(1913).collect();
    stepper.backward(Wanted::End);
    assert_eq!((work(&mut stepper), stepper.state().time), (Progress::Found, 0));
    let mut before = Vec::new();
    for &time in &times {
        stepper.go_to(time);
        assert_eq!(work(&mut stepper), Progress::Found);
        before.push(shown(&stepper));
    }
    for (&time, before) in times.iter().zip(&before).rev() {
        stepper.go_to(time);
        assert_eq!(work(&mut stepper), Progress::Found);
        assert_eq!(shown(&stepper), *before, "after {time} events");
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
    stepper.go_to(last);
    work(&mut stepper);
    stepper.backward(Wanted::Entry(vec!["nothing".to_owned()]));
    assert_eq!(work(&mut stepper), Progress::Missing);
    assert_eq!((stepper.state().time, stepper.output()), (last, &*output));
}

#[test]
fn a_run_is_stepped_through_at_a_terminal() {
    let mut master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("its other end");
    let size = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&mut master, size).expect("its size");
    let name = ptsname(&master, Vec::new()).expect("its name");
    let end = || {
        let path = name.to_str().expect("a path");
        std::fs::File::options().read(true).write(true).open(path).expect("the terminal")
    };
    let mut child = Command::new(GMACHINE)
        .args(["step", "-e", "(take 2 (iterate (mul 2) 21))"])
        .env("TERM", "xterm")
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .expect("the command");
    let mut terminal = std::fs::File::from(master);
    let mut seen = String::new();
    let mut expect = |terminal: &mut std::fs::File, wanted: &str| {
        while !seen.contains(wanted) {
            let mut bytes = [0; 4096];
            let count = terminal.read(&mut bytes).unwrap_or(0);
            assert!(count > 0, "it ended before {wanted:?}: {seen:?}");
            seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        seen.clear();
    };
    expect(&mut terminal, "who waits for whom");
    terminal.write_all(b"\x1b[C").expect("a key");
    expect(&mut terminal, "iterate");
    terminal.write_all(b"g99\r").expect("keys");
    expect(&mut terminal, "over");
    terminal.write_all(b"q").expect("a key");
    // What it writes last is read, so that it can end.
    let reader = std::thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = terminal.read_to_end(&mut rest);
    });
    assert!(child.wait().expect("it ends").success());
    drop(reader);
}

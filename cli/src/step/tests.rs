//! The stepper without a terminal.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gmachine::inspect::trace::{Config, Machine};
use gmachine::inspect::views::stepper::Stepper;
use gmachine::{Engine, EntryPoints, Format, MachineKind, Module, Passes};

use super::app::App;
use super::canvas::Canvas;
use super::screen;

fn module(text: &str) -> Module {
    let mut engine = Engine::new();
    engine.set_entry_points(EntryPoints::Main);
    engine.set_passes(Passes::NONE);
    engine.set_machine(MachineKind::Reference);
    engine.compile("program", text).expect("a program without mistakes")
}

fn app(module: &Module) -> App<'_> {
    let start = Box::new(|| {
        let mut machine = Machine::new(module.program().clone(), Config::default());
        machine.start(Format::Default, None).map(|()| machine)
    });
    App::new(Stepper::new(module.sources(), start).expect("a main"), Vec::new())
}

fn press(app: &mut App<'_>, key: KeyCode) -> bool {
    let goes_on = app.key(KeyEvent::new(key, KeyModifiers::NONE));
    while app.is_working() {
        app.work();
    }
    goes_on
}

fn press_all(app: &mut App<'_>, keys: &str) {
    for key in keys.chars() {
        assert!(press(app, if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) }));
    }
}

/// The screen, line by line.
fn shown(app: &App<'_>, width: u16, height: u16) -> String {
    let mut canvas = Canvas::new(width, height);
    screen::draw(app, &mut canvas);
    canvas.text()
}

const FIBS: &str = "(defn fibs[] (Cons 0 (Cons 1 (zipWith add fibs (tail fibs)))))
(defn main[] (take 4 fibs))
";

#[test]
fn the_screen_shows_source_expression_ladder_heap_and_output() {
    let module = module(FIBS);
    let mut app = app(&module);
    for _ in 0..4 {
        press(&mut app, KeyCode::Right);
    }
    let screen = shown(&app, 100, 30);
    for wanted in [
        "step 4: (sub 4 1) => 3",
        "1 (defn fibs[]",
        "(take 3",
        "heap:",
        "who waits for whom",
        "output",
        "\u{2502}0",
        "q quit",
    ] {
        assert!(screen.contains(wanted), "{wanted} is missing:\n{screen}");
    }
}

#[test]
fn a_small_screen_is_drawn_too() {
    let module = module(FIBS);
    let mut app = app(&module);
    press(&mut app, KeyCode::End);
    for (width, height) in [(80, 24), (40, 20), (10, 5), (1, 1)] {
        shown(&app, width, height);
        press_all(&mut app, "?");
        shown(&app, width, height);
        press_all(&mut app, "x");
    }
    assert!(shown(&app, 80, 24).contains("the run is over"));
}

#[test]
fn keys_go_to_prints_breakpoints_demands_updates_and_steps() {
    let module = module(FIBS);
    let mut app = app(&module);
    press_all(&mut app, "p");
    assert_eq!(app.stepper.output(), "0");
    press_all(&mut app, "bzipWith\nc");
    assert!(app.says.ends_with("the code of zipWith begins"), "{}", app.says);
    let here = app.stepper.state().time;
    press(&mut app, KeyCode::Down);
    let node = app.selected.expect("a node");
    press_all(&mut app, "d");
    assert!(app.says.contains(&format!("needs #{node}")), "{}", app.says);
    assert!(app.stepper.state().time < here);
    press_all(&mut app, "u");
    assert!(app.says.starts_with("step "), "{}", app.says);
    press_all(&mut app, "g9\n");
    assert_eq!(app.stepper.state().step, 9);
    press_all(&mut app, "g2\n");
    assert_eq!(app.stepper.state().step, 2);
    assert!(app.says.starts_with("step 2: "), "{}", app.says);
    press_all(&mut app, "bnothing\n");
    assert_eq!(app.note, "no function is called nothing");
    press_all(&mut app, "bzipwith\n");
    assert_eq!(app.note, "no function is called zipwith; did you mean zipWith?");
    press(&mut app, KeyCode::Home);
    assert_eq!((app.stepper.state().time, app.stepper.output()), (0, ""));
    press(&mut app, KeyCode::Left);
    assert_eq!(app.note, "there is none before");
    assert!(!press(&mut app, KeyCode::Char('q')));
}

#[test]
fn a_text_is_looked_for_in_names_and_in_the_source() {
    let module = module(FIBS);
    let mut app = app(&module);
    press_all(&mut app, "n");
    assert_eq!(app.note, "/ looks for a text first");
    press_all(&mut app, "/ZIP\n");
    assert!(app.says.ends_with("the code of zipWith begins"), "{}", app.says);
    let first = app.stepper.state().time;
    press_all(&mut app, "n");
    let second = app.stepper.state().time;
    assert!(second > first);
    press_all(&mut app, "N");
    assert_eq!(app.stepper.state().time, first);
    // Arguments of `zipWith`, where they are written.
    press(&mut app, KeyCode::Home);
    press_all(&mut app, "/add fibs\n");
    assert!(app.says.ends_with("the code of zipWith begins"), "{}", app.says);
    press(&mut app, KeyCode::Home);
    press_all(&mut app, "/nowhere\n");
    assert_eq!(app.note, "the run is over");
}

/// Each of these would run to the end of the program, or back to its beginning, for nothing.
#[test]
fn a_key_that_has_nothing_to_look_for_says_so_at_once() {
    let module = module(FIBS);
    let mut app = app(&module);
    for (keys, note) in [
        ("c", "b sets a breakpoint first"),
        ("C", "b sets a breakpoint first"),
        ("u", "select a node first"),
        ("d", "select a node first"),
    ] {
        press_all(&mut app, keys);
        assert_eq!((&*app.note, app.stepper.state().time), (note, 0), "{keys}");
    }
    press_all(&mut app, "g9\n");
    let is_value =
        |app: &App<'_>, node| app.stepper.state().graph.is_value(node, app.stepper.program());
    app.selected = app.cells.iter().copied().find(|&node| is_value(&app, node));
    assert!(app.selected.is_some());
    let time = app.stepper.state().time;
    press_all(&mut app, "u");
    assert!(app.note.contains("is evaluated"), "{}", app.note);
    assert_eq!(app.stepper.state().time, time);
}

#[test]
fn a_key_ends_a_search_that_does_not_end() {
    let module = module("(defn f[n] (f (add n 1)))\n(defn main[] (f 0))");
    let mut app = app(&module);
    app.key(KeyEvent::new(KeyCode::Char('p'), KeyModifiers::NONE));
    for _ in 0..3 {
        assert!(app.is_working());
        app.work();
    }
    assert!(app.note.contains("any key stops"), "{}", app.note);
    app.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert!(!app.is_working());
    let there = app.stepper.state().time;
    press(&mut app, KeyCode::Left);
    assert!(app.stepper.state().time < there);
}

#[test]
fn a_run_that_fails_says_so_at_its_end() {
    let module = module("(defn main[] [1 (div 1 0)])");
    let mut app = app(&module);
    press(&mut app, KeyCode::End);
    let screen = shown(&app, 100, 30);
    assert!(screen.contains("the run is over: ") && screen.contains("zero"), "{screen}");
}

/// The page shows what is really shown.
#[test]
fn the_page_on_seeing_programs_run_has_a_true_screen() {
    let module = module(FIBS);
    let mut app = app(&module);
    press_all(&mut app, "g11\n");
    let screen = shown(&app, 92, 22);
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/seeing.md"));
    let page = page.expect("the page");
    assert!(page.contains(&screen), "{screen}");
}

//! What the keys do: everything but the drawing.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gmachine::diagnostic::nearest;
use gmachine::inspect::events::NodeId;
use gmachine::inspect::views::is_called;
use gmachine::inspect::views::stepper::{Progress, Stepper, Wanted};
use gmachine::render::grouped;

/// What is typed in the lowest line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// The name of a function to stop at, or not any more.
    Breakpoint,
    /// The number of a step to go to.
    Step,
    /// A text in the name or the source of what is entered next.
    Text,
}

/// A stepper, and what is selected, typed and said.
pub struct App<'a> {
    pub stepper: Stepper<'a>,
    /// What happened last, in words.
    pub says: String,
    /// The nodes that are listed.
    pub cells: Vec<NodeId>,
    pub selected: Option<NodeId>,
    pub breakpoints: Vec<String>,
    pub typed: Option<(Question, String)>,
    /// The text that was looked for last, in lower case.
    sought: String,
    /// What came of the last key.
    pub note: String,
    pub shows_help: bool,
    /// What is said if what is looked for is missing.
    missing: &'static str,
    is_working: bool,
}

impl<'a> App<'a> {
    /// Makes a view of a run that is before the first event.
    pub fn new(stepper: Stepper<'a>, breakpoints: Vec<String>) -> App<'a> {
        let mut app = App {
            stepper,
            says: String::new(),
            cells: Vec::new(),
            selected: None,
            breakpoints,
            typed: None,
            sought: String::new(),
            note: String::new(),
            shows_help: false,
            missing: "",
            is_working: false,
        };
        app.refresh();
        app
    }

    /// Returns whether something is being looked for.
    pub fn is_working(&self) -> bool {
        self.is_working
    }

    /// Looks on for a while; returns whether there is something new to show.
    pub fn work(&mut self) -> bool {
        let progress = self.stepper.work();
        match progress {
            Progress::Working => {
                let events = grouped(self.stepper.state().time as u64);
                self.note = format!("{events} events; any key stops here");
                return true;
            }
            Progress::Found => self.note.clear(),
            Progress::Missing => self.missing.clone_into(&mut self.note),
        }
        self.is_working = false;
        self.refresh();
        true
    }

    /// Does what a key says; returns whether to go on.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'd')) && !self.is_working {
            return false;
        }
        if self.is_working {
            self.stepper.give_up();
            self.is_working = false;
            "stopped here".clone_into(&mut self.note);
            self.refresh();
            return true;
        }
        if let Some((question, text)) = self.typed.take() {
            self.edit(question, text, key.code);
            return true;
        }
        if std::mem::take(&mut self.shows_help) {
            return true;
        }
        self.note.clear();
        let selected = self.selected;
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Right | KeyCode::Char('l' | ' ') => self.forward(Wanted::Reduction),
            KeyCode::Left | KeyCode::Char('h') => self.backward(Wanted::Reduction),
            KeyCode::Char('.') => self.forward(Wanted::Event),
            KeyCode::Char(',') => self.backward(Wanted::Event),
            KeyCode::Char('o') => self.forward(Wanted::Own),
            KeyCode::Char('O') => self.backward(Wanted::Own),
            KeyCode::Char('p') => self.forward(Wanted::Print),
            KeyCode::Char('P') => self.backward(Wanted::Print),
            KeyCode::Home => self.backward(Wanted::End),
            KeyCode::End => self.forward(Wanted::End),
            KeyCode::Char('c' | 'C') if self.breakpoints.is_empty() => {
                "b sets a breakpoint first".clone_into(&mut self.note);
            }
            KeyCode::Char('c') => self.forward(Wanted::Entry(self.breakpoints.clone())),
            KeyCode::Char('C') => self.backward(Wanted::Entry(self.breakpoints.clone())),
            KeyCode::Char('u') => match selected {
                Some(node) => self.forward_to_update(node),
                None => "select a node first".clone_into(&mut self.note),
            },
            KeyCode::Char('d') => match selected {
                Some(node) => self.backward(Wanted::DemandOf(node)),
                None => "select a node first".clone_into(&mut self.note),
            },
            KeyCode::Up | KeyCode::Char('k') => self.select(-1),
            KeyCode::Down | KeyCode::Char('j') => self.select(1),
            KeyCode::Char('b') => self.typed = Some((Question::Breakpoint, String::new())),
            KeyCode::Char('g') => self.typed = Some((Question::Step, String::new())),
            KeyCode::Char('/') => self.typed = Some((Question::Text, String::new())),
            KeyCode::Char('n' | 'N') if self.sought.is_empty() => {
                "/ looks for a text first".clone_into(&mut self.note);
            }
            KeyCode::Char('n') => self.forward(Wanted::Text(self.sought.clone())),
            KeyCode::Char('N') => self.backward(Wanted::Text(self.sought.clone())),
            KeyCode::Char('?') => self.shows_help = true,
            _ => "? lists the keys".clone_into(&mut self.note),
        }
        true
    }

    fn forward(&mut self, wanted: Wanted) {
        self.missing = "the run is over";
        self.stepper.forward(wanted);
        self.is_working = true;
    }

    fn forward_to_update(&mut self, node: NodeId) {
        let graph = &self.stepper.state().graph;
        if graph.is_value(node, self.stepper.program()) {
            self.note = format!("#{node} is evaluated: nothing updates it any more");
            return;
        }
        let now = graph.value(node);
        self.forward(Wanted::UpdateOf(now));
    }

    fn backward(&mut self, wanted: Wanted) {
        self.missing = "there is none before";
        self.stepper.backward(wanted);
        self.is_working = true;
    }

    fn edit(&mut self, question: Question, mut text: String, key: KeyCode) {
        match key {
            KeyCode::Esc => return,
            KeyCode::Backspace => drop(text.pop()),
            KeyCode::Char(c) => text.push(c),
            KeyCode::Enter => {
                return match question {
                    Question::Breakpoint => self.toggle_breakpoint(text.trim().to_owned()),
                    Question::Step => self.go_to_step(&text),
                    Question::Text => self.look_for(&text),
                };
            }
            _ => {}
        }
        self.typed = Some((question, text));
    }

    fn toggle_breakpoint(&mut self, name: String) {
        let program = self.stepper.program();
        if name.is_empty() {
            return;
        }
        if let Some(at) = self.breakpoints.iter().position(|known| *known == name) {
            self.breakpoints.remove(at);
            self.note = format!("{name} is no breakpoint any more");
        } else if program.globals.iter().any(|global| is_called(program, global, &name)) {
            self.note = format!("c goes to where {name} is entered");
            self.breakpoints.push(name);
        } else {
            let names = program.globals.iter().map(|global| &*global.symbol);
            self.note = match nearest(&name, names) {
                Some(meant) => format!("no function is called {name}; did you mean {meant}?"),
                None => format!("no function is called {name}"),
            };
        }
    }

    fn go_to_step(&mut self, text: &str) {
        match text.trim().parse::<u64>() {
            Ok(0) => self.backward(Wanted::End),
            Ok(number) if number <= self.stepper.state().step => {
                self.backward(Wanted::Step(number));
            }
            Ok(number) => self.forward(Wanted::Step(number)),
            Err(_) => "that is no number".clone_into(&mut self.note),
        }
    }

    fn look_for(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.sought = text.trim().to_lowercase();
            self.forward(Wanted::Text(self.sought.clone()));
        }
    }

    /// Selects the cell `by` places further down.
    fn select(&mut self, by: isize) {
        let last = self.cells.len().saturating_sub(1);
        let at = self.selected.and_then(|node| self.cells.iter().position(|cell| *cell == node));
        let at = at.map_or(0, |at| at.saturating_add_signed(by).min(last));
        self.selected = self.cells.get(at).copied();
    }

    /// Works out what is shown of a state.
    fn refresh(&mut self) {
        self.says = self.stepper.says();
        self.cells = self.stepper.state().reachable();
    }
}

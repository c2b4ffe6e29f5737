//! A run in which one goes forward and backward, event by event.
//!
//! The state after an event is made of the events before it: those of the last few thousand are
//! kept, with the state that each stretch of them begins with. What was earlier comes from
//! checkpoints: copies of the machine, at distances that double as a run gets longer, from which it
//! runs on the same way again.

use std::collections::{BTreeSet, VecDeque};

use super::graph::{Graph, Writer};
use super::is_called;
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::gcode::program::{GlobalKind, Program};
use crate::machine::events::{Moment, NodeEvent, NodeId, Probe};
use crate::machine::outcome::{Output, OutputError, Stop};
use crate::machine::reference::{Machine, Watch};

/// The fewest events of a stretch.
const STRETCH: usize = 4096;
/// The most stretches that are kept.
const KEPT: usize = 4;
/// The most rules that are executed before [`Stepper::work`] returns.
const RULES: usize = 50_000;
/// The events between two checkpoints at first.
const DISTANCE: usize = 1 << 14;
/// The most checkpoints, and the most bytes that they take together.
const CHECKPOINTS: usize = 64;
const CHECKPOINT_BYTES: u64 = 256 << 20;
/// The bytes that a node takes in a [`Graph`], about.
const CELL_BYTES: u64 = 128;
/// The most nodes that are looked at to list those that can be reached.
const REACHED: usize = 2000;

/// An event, and where in the run it is.
#[derive(Clone, Debug)]
pub struct Item {
    /// What happened.
    pub event: NodeEvent,
    /// When.
    pub moment: Moment,
    /// The source expression whose code ran.
    pub here: Span,
    /// How many bytes had been printed then.
    printed: usize,
}

/// An evaluation that has begun: what was demanded, and what has become of that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rung {
    /// The node that was demanded; 0 if that was before anybody looked.
    pub node: NodeId,
    /// The node that stands for it.
    pub now: NodeId,
    is_done: bool,
}

/// The run after some event.
#[derive(Clone, Default, Debug)]
pub struct State {
    /// How many events there were.
    pub time: usize,
    /// How many updates.
    pub step: u64,
    /// The last node that was born: no event before is about a later one.
    pub born: NodeId,
    /// The nodes.
    pub graph: Graph,
    /// Who waits for whom, the outermost first.
    pub ladder: Vec<Rung>,
    /// What the output asked for last.
    pub printed: NodeId,
    /// The last event.
    pub last: Option<Item>,
}

impl State {
    fn apply(&mut self, item: &Item, program: &Program) {
        self.time += 1;
        self.graph.take(&item.event);
        let depth = item.moment.depth;
        self.ladder.truncate(depth);
        match &item.event {
            NodeEvent::Born { node, .. } => self.born = *node,
            NodeEvent::Demanded { node, .. } => self.demand(*node, depth),
            NodeEvent::Shared { .. } => self.ladder.truncate(depth.saturating_sub(1)),
            NodeEvent::Updated { node, with } => {
                self.step += 1;
                if let Some(top) = self.ladder.last_mut().filter(|top| top.now == *node) {
                    top.now = *with;
                    top.is_done = self.graph.is_value(*with, program);
                }
            }
            _ => {}
        }
        if let Some(outermost) = self.ladder.first() {
            self.printed = outermost.now;
        }
        self.last = Some(item.clone());
    }

    fn demand(&mut self, node: NodeId, depth: usize) {
        if self.ladder.len() == depth && self.ladder.last().is_some_and(|top| !top.is_done) {
            // What a redex has become, or the function of an application.
            return;
        }
        let rung = |node| Rung { node, now: node, is_done: false };
        self.ladder.truncate(depth.saturating_sub(1));
        while self.ladder.len() + 1 < depth {
            self.ladder.push(rung(0));
        }
        self.ladder.push(rung(node));
    }

    /// Returns the nodes that the evaluations under way, or what is printed, can reach and that are,
    /// or were, not evaluated; what the innermost evaluation reaches first.
    #[must_use]
    pub fn reachable(&self) -> Vec<NodeId> {
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        let mut todo = VecDeque::new();
        let waiting = self.ladder.iter().rev().map(|rung| [rung.node, rung.now]);
        for nodes in waiting.chain([[self.printed; 2]]) {
            todo.extend(nodes);
            while let Some(node) = todo.pop_front() {
                if seen.len() >= REACHED {
                    return out;
                }
                if !seen.insert(node) {
                    continue;
                }
                if self.graph.is_cell(node) {
                    out.push(node);
                }
                todo.extend(self.graph.mentions(node));
            }
        }
        out
    }
}

/// What to look for in the events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Any event.
    Event,
    /// An expression becomes another one.
    Reduction,
    /// A function of the program's own is entered.
    Own,
    /// Something is printed.
    Print,
    /// This node is updated.
    UpdateOf(NodeId),
    /// This node is demanded for the first time.
    DemandOf(NodeId),
    /// One of these functions is entered.
    Entry(Vec<String>),
    /// A function is entered that has this text in its name, or for an expression that has it in its
    /// source, whatever the case of letters; the text is in lower case.
    Text(String),
    /// The update of this number.
    Step(u64),
    /// Nothing: the end of the run, or its beginning.
    End,
}

impl Wanted {
    /// Returns whether it is about a node that is not born yet in a state.
    fn is_unborn(&self, state: &State) -> bool {
        match self {
            Wanted::UpdateOf(node) | Wanted::DemandOf(node) => *node > state.born,
            _ => false,
        }
    }
}

/// What [`Stepper::work`] has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// What was wanted is the last event of the state.
    Found,
    /// Nothing was found; the state is as before, or that of the end of the run.
    Missing,
    /// It has to be called again.
    Working,
}

/// A stretch of events.
struct Stretch {
    /// The state before the first of them.
    start: State,
    items: Vec<Item>,
}

/// The run after some event, to go on from.
struct Checkpoint {
    state: State,
    watch: Watch,
    /// How much was printed.
    printed: usize,
    bytes: u64,
}

/// What is being looked for.
enum Goal {
    Forward(Wanted),
    /// The last one between a checkpoint and an event; where that is none, from the checkpoint before.
    Last {
        wanted: Wanted,
        /// Where the search began.
        origin: usize,
        /// Events from this one on are not looked at.
        until: usize,
        /// After how many events this part of the run begins.
        start: usize,
        /// Whether there is nothing before it to look at.
        is_first: bool,
        found: Option<usize>,
    },
    To {
        time: usize,
        then: Progress,
    },
}

/// Makes a machine that has been started, each time the same.
pub type Start<'a> = Box<dyn Fn() -> Result<Machine, Stop> + 'a>;

/// A run, and where in it one is.
pub struct Stepper<'a> {
    sources: &'a SourceMap,
    start: Start<'a>,
    watch: Watch,
    /// Events of the last rule that were not taken yet.
    coming: VecDeque<Item>,
    stretches: VecDeque<Stretch>,
    /// In the order of their times.
    checkpoints: Vec<Checkpoint>,
    distance: usize,
    /// After how many events the next checkpoint is due.
    due: usize,
    state: State,
    output: Text,
    /// Why the run is over, if it is: without a reason it is complete.
    end: Option<Option<Stop>>,
    goal: Option<Goal>,
}

/// What has been printed: all that has ever been, and how far the machine has come in it.
#[derive(Default)]
struct Text {
    text: String,
    at: usize,
}

impl Output for Text {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        // A run that goes on from a checkpoint prints the same again.
        if self.at == self.text.len() {
            self.text.push_str(text);
        }
        self.at += text.len();
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

/// Collects the events of one rule.
struct Collected<'a> {
    items: &'a mut VecDeque<Item>,
    here: Span,
}

impl Probe for Collected<'_> {
    fn event(&mut self, event: NodeEvent, moment: Moment, _: &Program) {
        self.items.push_back(Item { event, moment, here: self.here, printed: 0 });
    }
}

impl<'a> Stepper<'a> {
    /// Makes a stepper that is before the first event.
    ///
    /// # Errors
    /// When the machine cannot be started.
    pub fn new(sources: &'a SourceMap, start: Start<'a>) -> Result<Stepper<'a>, Stop> {
        let watch = Watch::new(start()?);
        Ok(Stepper {
            sources,
            start,
            watch,
            coming: VecDeque::new(),
            stretches: VecDeque::new(),
            checkpoints: Vec::new(),
            distance: DISTANCE,
            due: DISTANCE,
            state: State::default(),
            output: Text::default(),
            end: None,
            goal: None,
        })
    }

    /// Makes the first checkpoints at distances of so many events, in place of 16,384.
    #[must_use]
    pub fn with_distance(mut self, events: usize) -> Stepper<'a> {
        (self.distance, self.due) = (events.max(1), events.max(1));
        self
    }

    /// Returns the run as it is after the last event.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the program.
    #[must_use]
    pub fn program(&self) -> &Program {
        self.watch.machine().program()
    }

    /// Returns the texts of the program.
    #[must_use]
    pub fn sources(&self) -> &'a SourceMap {
        self.sources
    }

    /// Returns what has been printed so far.
    #[must_use]
    pub fn output(&self) -> &str {
        let printed = self.state.last.as_ref().map_or(0, |item| item.printed);
        self.output.text.get(..printed).unwrap_or(&self.output.text)
    }

    /// Returns why the run is over, if the state is that of its end: `None` inside if all is
    /// printed.
    #[must_use]
    pub fn ended(&self) -> Option<Option<&Stop>> {
        let is_last = self.coming.is_empty() && self.state.time == self.known();
        self.end.as_ref().filter(|_| is_last).map(Option::as_ref)
    }

    /// Writes a node as an expression.
    #[must_use]
    pub fn expression(&self, node: NodeId) -> String {
        Writer::new(&self.state.graph, self.program(), self.sources).expression(node)
    }

    /// Returns in words what the last event was.
    #[must_use]
    pub fn says(&self) -> String {
        let Some(item) = &self.state.last else { return "the beginning".to_owned() };
        let who = |by: &Option<NodeId>| match by {
            Some(by) => format!("#{by}"),
            None => "the output".to_owned(),
        };
        match &item.event {
            NodeEvent::Born { node, .. } => format!("#{node} is made: {}", self.expression(*node)),
            NodeEvent::Filled { node, with } => {
                format!("#{node}, a name of a letrec, becomes #{with}")
            }
            NodeEvent::Demanded { node, by } => {
                format!("{} needs #{node}: {}", who(by), self.expression(*node))
            }
            NodeEvent::Shared { node, by } => {
                format!("{} needs #{node} again: {}", who(by), self.expression(*node))
            }
            NodeEvent::Entered { node, global, .. } => {
                let global = global.and_then(|global| self.program().globals.get(global));
                match global.map(|global| self.program().display_name(global)) {
                    Some(name) => format!("#{node} is entered: the code of {name} begins"),
                    None => format!("#{node} is unpacked"),
                }
            }
            NodeEvent::Updated { node, with } => {
                let before = self.before().map(|state| {
                    Writer::new(&state.graph, self.program(), self.sources).expression(*node)
                });
                let before = before.unwrap_or_else(|| format!("#{node}"));
                format!("step {}: {before} => {}", self.state.step, self.expression(*with))
            }
            NodeEvent::Selected { node, .. } => {
                format!("the collector puts a field in the place of the selection #{node}")
            }
            NodeEvent::Printed { node, text } if text.is_empty() => format!("#{node} is printed"),
            NodeEvent::Printed { text, .. } => format!("prints {text:?}"),
            NodeEvent::Dead { node } => format!("#{node} is dead: nothing reaches it"),
        }
    }

    /// Returns the state before the last event, if it is kept.
    fn before(&self) -> Option<State> {
        self.kept(self.state.time.checked_sub(1)?)
    }

    /// Returns how many events the machine has come by.
    fn known(&self) -> usize {
        let end = |stretch: &Stretch| stretch.start.time + stretch.items.len();
        self.stretches.back().map_or(self.state.time, end)
    }

    /// Returns the state after so many events, if they are kept.
    fn kept(&self, time: usize) -> Option<State> {
        let stretch = self.stretches.iter().rev().find(|stretch| stretch.start.time <= time)?;
        let mut state = stretch.start.clone();
        let items = stretch.items.get(..time - state.time)?;
        items.iter().for_each(|item| state.apply(item, self.program()));
        Some(state)
    }

    /// Begins to look for an event after the present one.
    pub fn forward(&mut self, wanted: Wanted) {
        self.goal = Some(Goal::Forward(wanted));
    }

    /// Begins to look for the last event of a kind before the present one.
    pub fn backward(&mut self, wanted: Wanted) {
        let now = self.state.time;
        if now == 0 {
            return self.goal = Some(Goal::To { time: 0, then: Progress::Missing });
        }
        if wanted == Wanted::End {
            return self.goal = Some(Goal::To { time: 0, then: Progress::Found });
        }
        // What is kept is looked at first.
        for stretch in self.stretches.iter().rev() {
            let mut step = stretch.start.step;
            let mut found = None;
            for (at, item) in stretch.items.iter().enumerate() {
                let time = stretch.start.time + at + 1;
                if time >= now {
                    break;
                }
                step += u64::from(matches!(item.event, NodeEvent::Updated { .. }));
                if self.is(item, step, &wanted) {
                    found = Some(time);
                }
            }
            if let Some(time) = found {
                return self.goal = Some(Goal::To { time, then: Progress::Found });
            }
        }
        let oldest = self.stretches.front().map_or(&self.state, |stretch| &stretch.start);
        if wanted.is_unborn(oldest) {
            return self.goal = Some(Goal::To { time: now, then: Progress::Missing });
        }
        if let Wanted::Step(number) = wanted {
            self.resume(|state| state.step < number);
            return self.goal = Some(Goal::Forward(wanted));
        }
        let until = now.min(oldest.time + 1);
        self.goal = Some(self.earlier(wanted, now, until));
    }

    /// Goes to the last checkpoint before the events up to `until`, to look for what is wanted in
    /// between.
    fn earlier(&mut self, wanted: Wanted, origin: usize, until: usize) -> Goal {
        if until <= 1 {
            return Goal::To { time: origin, then: Progress::Missing };
        }
        self.resume(|state| state.time + 1 < until);
        let start = self.state.time;
        let is_first = start == 0 || wanted.is_unborn(&self.state);
        Goal::Last { wanted, origin, until, start, is_first, found: None }
    }

    /// Begins to go to the state after so many events.
    pub fn go_to(&mut self, time: usize) {
        self.goal = Some(Goal::To { time, then: Progress::Found });
    }

    /// Stops looking, wherever that has led.
    pub fn give_up(&mut self) {
        self.goal = None;
    }

    /// Looks for what was asked for, for a while.
    pub fn work(&mut self) -> Progress {
        self.skip();
        let mut rules = 0;
        while rules < RULES {
            let (now, goal) = (self.state.time, self.goal.take());
            self.goal = match goal {
                None => return Progress::Missing,
                Some(Goal::To { time, then }) if time == now => return then,
                Some(Goal::To { time, then }) if time < now => {
                    // What an event did is told by the state before it, so that one is there too.
                    let first = self.stretches.front().map_or(now, |stretch| stretch.start.time);
                    match self.kept(time).filter(|_| time == 0 || first < time) {
                        Some(state) => self.state = state,
                        None => self.resume(|state| state.time < time),
                    }
                    Some(Goal::To { time, then })
                }
                Some(Goal::To { time, then }) => match self.advance(&mut rules) {
                    Advance::Over => return Progress::Missing,
                    _ => Some(Goal::To { time, then }),
                },
                Some(Goal::Last { wanted, origin, until, start, is_first, found })
                    if now + 1 >= until =>
                {
                    self.goal = Some(match found {
                        Some(time) => Goal::To { time, then: Progress::Found },
                        None if is_first => Goal::To { time: origin, then: Progress::Missing },
                        None => self.earlier(wanted, origin, start + 1),
                    });
                    return Progress::Working;
                }
                Some(Goal::Last { wanted, origin, until, start, is_first, found }) => {
                    match self.advance(&mut rules) {
                        Advance::Over => return Progress::Missing,
                        Advance::Nothing => {
                            Some(Goal::Last { wanted, origin, until, start, is_first, found })
                        }
                        Advance::Event => {
                            let found = if self.is_here(&wanted) { Some(now + 1) } else { found };
                            Some(Goal::Last { wanted, origin, until, start, is_first, found })
                        }
                    }
                }
                Some(Goal::Forward(wanted)) => match self.advance(&mut rules) {
                    Advance::Over if wanted == Wanted::End => return Progress::Found,
                    Advance::Over => return Progress::Missing,
                    Advance::Event if self.is_here(&wanted) => return Progress::Found,
                    _ => Some(Goal::Forward(wanted)),
                },
            };
        }
        Progress::Working
    }

    /// Goes on from a checkpoint that lies between what is kept and what is looked for, if there is
    /// one.
    fn skip(&mut self) {
        let (time, step) = match self.goal {
            Some(Goal::To { time, .. }) => (time, u64::MAX),
            Some(Goal::Forward(Wanted::Step(step))) => (usize::MAX, step),
            Some(Goal::Forward(Wanted::End)) => (usize::MAX, u64::MAX),
            _ => return,
        };
        let known = self.known();
        let is_before = |state: &State| state.time < time && state.step < step;
        if self.checkpoints.iter().any(|it| it.state.time > known && is_before(&it.state)) {
            self.resume(is_before);
        }
    }

    /// Lets the machine go on from the last checkpoint for which `is_before` holds, or from the start.
    fn resume(&mut self, is_before: impl Fn(&State) -> bool) {
        let last = self.checkpoints.iter().rev().find(|it| is_before(&it.state));
        let copy = last.and_then(|it| Some((it.watch.try_clone()?, it.state.clone(), it.printed)));
        let (watch, state, printed) = match copy {
            Some(copy) => copy,
            None => match (self.start)() {
                Ok(machine) => (Watch::new(machine), State::default(), 0),
                // It was started before, and cannot fail now.
                Err(stop) => return self.end = Some(Some(stop)),
            },
        };
        (self.watch, self.state, self.output.at) = (watch, state, printed);
        self.coming.clear();
        self.stretches.clear();
        self.end = None;
    }

    /// Keeps a copy of the run as it is.
    fn add_checkpoint(&mut self) {
        let nodes = self.state.graph.count();
        // A copy costs what there is, so of much it is made more seldom.
        self.due = self.state.time + self.distance.max(2 * nodes);
        let rungs = self.state.ladder.len() * size_of::<Rung>();
        let bytes = self.watch.footprint() + nodes as u64 * CELL_BYTES + rungs as u64;
        if bytes > CHECKPOINT_BYTES {
            return;
        }
        let Some(watch) = self.watch.try_clone() else { return };
        let (state, printed) = (self.state.clone(), self.output.at);
        self.checkpoints.push(Checkpoint { state, watch, printed, bytes });
        let bytes = |all: &[Checkpoint]| all.iter().map(|it| it.bytes).sum::<u64>();
        while self.checkpoints.len() > CHECKPOINTS || bytes(&self.checkpoints) > CHECKPOINT_BYTES {
            // Each second one, so that they stay at equal distances.
            let mut number = 0;
            self.checkpoints.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.distance *= 2;
        }
    }

    /// Goes to the next event, or executes one rule to get there.
    fn advance(&mut self, rules: &mut usize) -> Advance {
        let time = self.state.time;
        if time < self.known() {
            *rules += 1;
            let stretch = self.stretches.iter().rev().find(|it| it.start.time <= time);
            let item = stretch.and_then(|it| it.items.get(time - it.start.time)).cloned();
            return match item {
                Some(item) => self.take(&item),
                None => Advance::Over,
            };
        }
        if let Some(item) = self.coming.pop_front() {
            self.keep(&item);
            return self.take(&item);
        }
        if self.end.is_some() {
            return Advance::Over;
        }
        if time >= self.due {
            self.add_checkpoint();
        }
        *rules += 1;
        let machine = self.watch.machine();
        let here = machine.span(machine.position());
        let mut collected = Collected { items: &mut self.coming, here };
        match self.watch.step(&mut self.output, &mut collected) {
            Ok(true) => {}
            Ok(false) => self.end = Some(None),
            Err(stop) => self.end = Some(Some(stop)),
        }
        let printed = self.output.at;
        self.coming.iter_mut().for_each(|item| item.printed = printed);
        Advance::Nothing
    }

    fn take(&mut self, item: &Item) -> Advance {
        let program = self.watch.machine().program();
        self.state.apply(item, program);
        Advance::Event
    }

    fn keep(&mut self, item: &Item) {
        // A copy of the state costs what there is of it, so a large one is made more seldom.
        let length = STRETCH.max(self.state.graph.count() / 2);
        if self.stretches.back().is_none_or(|stretch| stretch.items.len() >= length) {
            let start = self.state.clone();
            self.stretches.push_back(Stretch { start, items: Vec::new() });
            let kept = if length > STRETCH { 2 } else { KEPT };
            while self.stretches.len() > kept {
                self.stretches.pop_front();
            }
        }
        if let Some(stretch) = self.stretches.back_mut() {
            stretch.items.push(item.clone());
        }
    }

    fn is_here(&self, wanted: &Wanted) -> bool {
        let last = self.state.last.as_ref();
        last.is_some_and(|item| self.is(item, self.state.step, wanted))
    }

    /// Returns whether an event is one that is looked for; `step` counts the updates up to it.
    fn is(&self, item: &Item, step: u64, wanted: &Wanted) -> bool {
        match (wanted, &item.event) {
            (Wanted::Event, _) => true,
            (Wanted::Reduction, NodeEvent::Updated { .. }) => true,
            (Wanted::Own, NodeEvent::Entered { global: Some(global), .. }) => {
                self.program().globals.get(*global).is_some_and(|global| {
                    let file = self.sources.file_at(global.span.lo);
                    global.kind == GlobalKind::Supercombinator
                        && file.is_some_and(|file| !file.corelib)
                })
            }
            (Wanted::Print, NodeEvent::Printed { text, .. }) => !text.is_empty(),
            (Wanted::UpdateOf(of), NodeEvent::Updated { node, .. }) => node == of,
            (Wanted::DemandOf(of), NodeEvent::Demanded { node, .. }) => node == of,
            (Wanted::Entry(names), NodeEvent::Entered { global: Some(global), .. }) => {
                let program = self.program();
                program
                    .globals
                    .get(*global)
                    .is_some_and(|global| names.iter().any(|name| is_called(program, global, name)))
            }
            (Wanted::Text(text), NodeEvent::Entered { node, global, .. }) => {
                let program = self.program();
                let global = global.and_then(|global| program.globals.get(global));
                let cell = self.state.graph.cell(*node);
                let has = |of: &str| of.to_lowercase().contains(text);
                global.is_some_and(|global| has(&program.display_name(global)))
                    || cell.is_some_and(|cell| has(self.sources.text(cell.span)))
            }
            (Wanted::Step(number), NodeEvent::Updated { .. }) => step == *number,
            _ => false,
        }
    }
}

/// What [`Stepper::advance`] has done.
enum Advance {
    Event,
    Nothing,
    Over,
}

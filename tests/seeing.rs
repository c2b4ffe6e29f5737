//! The stream of events is true: each node's life is in order, and what the events of the reference
//! machine say is enough to come to the value that the program prints.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gmachine::gcode::Verified;
use gmachine::gcode::program::{CONS, ConId, GlobalKind, NIL, Program};
use gmachine::inspect::events::{Content, Moment, NodeEvent, NodeId, Probe, Watch};
use gmachine::machine::print::Format;
use gmachine::machine::reference::Machine;
use gmachine::machine::{Config, MachineKind, Stress};
use gmachine::optimise::Passes;
use gmachine_testing::{cases, common, documented, programs, typed};

/// What is known of a node's life.
#[derive(Default)]
struct Life {
    content: Option<Content>,
    with: Option<NodeId>,
    demanded: bool,
    entered: bool,
    dead: bool,
}

/// Checks each event against those before, and keeps the graph that they tell of.
#[derive(Default)]
struct Auditor {
    lives: HashMap<NodeId, Life>,
    /// The nodes under evaluation that the events are about, and how deep.
    updates: u64,
    entries: u64,
    printed: String,
    /// The node that the output demands first.
    root: Option<NodeId>,
    seen: Vec<NodeEvent>,
    mistakes: Vec<String>,
}

impl Auditor {
    fn alive(&mut self, node: NodeId, event: &NodeEvent) -> &mut Life {
        let wrong = match self.lives.get(&node) {
            None => Some("is not born"),
            Some(life) if life.dead => Some("is dead"),
            Some(_) => None,
        };
        if let Some(wrong) = wrong {
            self.mistakes.push(format!("{node} {wrong}: {event:?}"));
        }
        self.lives.entry(node).or_default()
    }

    fn require(&mut self, holds: bool, rule: &str, event: &NodeEvent) {
        if !holds {
            self.mistakes.push(format!("{rule}: {event:?}"));
        }
    }
}

impl Probe for Auditor {
    fn event(&mut self, event: NodeEvent, _: Moment, _: &Program) {
        match &event {
            NodeEvent::Born { node, content, .. } => {
                let fresh = !self.lives.contains_key(node);
                self.require(fresh && *node == self.lives.len() as u64 + 1, "born once", &event);
                let content = Some(content.clone());
                self.lives.insert(*node, Life { content, ..Life::default() });
            }
            NodeEvent::Filled { node, with } | NodeEvent::Selected { node, with } => {
                self.alive(*with, &event);
                let life = self.alive(*node, &event);
                let first = life.with.replace(*with).is_none() && !life.entered;
                self.require(first, "it becomes something once", &event);
            }
            NodeEvent::Demanded { node, by } => {
                if by.is_none() && self.root.is_none() {
                    self.root = Some(*node);
                }
                let life = self.alive(*node, &event);
                let first = !std::mem::replace(&mut life.demanded, true) && !life.entered;
                self.require(first, "demanded for the first time", &event);
            }
            NodeEvent::Shared { node, .. } => _ = self.alive(*node, &event),
            NodeEvent::Entered { node, arguments, .. } => {
                for argument in arguments {
                    self.alive(*argument, &event);
                }
                self.entries += 1;
                let life = self.alive(*node, &event);
                let right = life.demanded && !std::mem::replace(&mut life.entered, true);
                self.require(right, "entered once, after it is demanded", &event);
            }
            NodeEvent::Updated { node, with } => {
                self.updates += 1;
                self.alive(*with, &event);
                let life = self.alive(*node, &event);
                let right = life.entered && life.with.replace(*with).is_none();
                self.require(right, "updated once, after it is entered", &event);
            }
            NodeEvent::Printed { node, text } => {
                self.printed.push_str(text);
                self.alive(*node, &event);
            }
            NodeEvent::Dead { node } => self.alive(*node, &event).dead = true,
        }
        self.seen.push(event);
    }
}

/// A value as the events tell of it.
impl Auditor {
    fn value(&self, mut node: NodeId) -> (NodeId, Option<&Content>) {
        loop {
            let life = self.lives.get(&node);
            match life.and_then(|life| life.with) {
                Some(with) if with != node => node = with,
                _ => return (node, life.and_then(|life| life.content.as_ref())),
            }
        }
    }

    /// What a run prints, by the page on the language; `None` for what has functions in it, or
    /// is not evaluated.
    fn print(&self, root: NodeId, program: &Program) -> Option<String> {
        if let Some(text) = self.text(root) {
            return Some(if text.ends_with('\n') { text } else { text + "\n" });
        }
        let mut tokens = Vec::new();
        self.tokens(root, program, &mut tokens)?;
        Some(tokens.join(" ") + "\n")
    }

    fn con(&self, node: NodeId) -> Option<(ConId, &[NodeId])> {
        match self.value(node).1? {
            Content::Constructor { con, fields } => Some((*con, fields)),
            _ => None,
        }
    }

    /// The elements of a list, and whether it ends in `Nil`.
    fn elements(&self, mut node: NodeId) -> (Vec<NodeId>, bool) {
        let mut elements = Vec::new();
        loop {
            match self.con(node) {
                Some((CONS, &[head, tail])) => {
                    elements.push(head);
                    node = tail;
                }
                Some((NIL, _)) => return (elements, true),
                _ => return (elements, false),
            }
        }
    }

    fn text(&self, node: NodeId) -> Option<String> {
        let (elements, true) = self.elements(node) else { return None };
        let character = |at: &NodeId| match self.value(*at).1 {
            Some(Content::Character(c)) => Some(*c),
            _ => None,
        };
        let text: Option<String> = elements.iter().map(character).collect();
        text.filter(|text| !text.is_empty())
    }

    fn tokens(&self, node: NodeId, program: &Program, tokens: &mut Vec<String>) -> Option<()> {
        let (elements, is_list) = self.elements(node);
        if is_list && self.text(node).is_none() {
            for element in elements {
                match self.text(element) {
                    Some(text) => tokens.push(literal(&text)),
                    None => self.tokens(element, program, tokens)?,
                }
            }
            tokens.push("Nil".into());
            return Some(());
        }
        tokens.push(self.nested(node, program)?);
        Some(())
    }

    fn nested(&self, node: NodeId, program: &Program) -> Option<String> {
        if let Some(text) = self.text(node) {
            return Some(literal(&text));
        }
        Some(match self.value(node).1? {
            Content::Integer(value) => value.to_string(),
            Content::Float(value) => value.to_string(),
            Content::Character(c) => gmachine::base::quote::char_literal(*c),
            Content::Constructor { con: CONS | NIL, .. } => {
                let (elements, true) = self.elements(node) else { return None };
                let items = elements.iter().map(|&element| self.nested(element, program));
                format!("[{}]", items.collect::<Option<Vec<_>>>()?.join(" "))
            }
            // An action is printed as one, whatever it is made of.
            Content::Constructor { con, .. }
                if program.cons.get(*con).map(|con| con.data) == program.action_data() =>
            {
                return None;
            }
            Content::Constructor { con, fields } => {
                let name = program.cons.get(*con)?.name.to_string();
                let mut parts = vec![name];
                for &field in fields {
                    parts.push(self.nested(field, program)?);
                }
                if parts.len() == 1 { parts.remove(0) } else { format!("({})", parts.join(" ")) }
            }
            Content::Global(global) => {
                // A constructor without fields is a value of its own.
                let global = program.globals.get(*global)?;
                let GlobalKind::Constructor(_) = global.kind else { return None };
                if global.arity > 0 {
                    return None;
                }
                global.display.as_deref()?.to_owned()
            }
            _ => return None,
        })
    }
}

fn literal(text: &str) -> String {
    gmachine::base::quote::string_literal(text)
}

/// A run that was watched, and what the unwatched machine says of the same program.
fn audited(program: &Verified, input: &str, config: &Config) -> (Auditor, bool) {
    let mut machine = Machine::new(program.clone(), config.clone());
    let mut plain = String::new();
    let started = machine.start(Format::Default, Some(Box::new(common::Text::new(input))));
    let plainly = started.and_then(|()| machine.run(&mut plain));
    let counted = machine.statistics();

    let mut machine = Machine::new(program.clone(), config.clone());
    let started = machine.start(Format::Default, Some(Box::new(common::Text::new(input))));
    let mut watch = Watch::new(machine);
    let (mut auditor, mut out) = (Auditor::default(), String::new());
    let watched = started.and_then(|()| watch.run(&mut out, &mut auditor));
    assert_eq!(auditor.mistakes, Vec::<String>::new());
    assert_eq!((&out, format!("{plainly:?}")), (&plain, format!("{watched:?}")));
    if program.action_data().is_none() {
        // What actions write is no part of a value that is printed.
        assert_eq!(auditor.printed.trim_end(), out.trim_end());
    }
    assert_eq!(watch.machine().statistics(), counted, "what is watched is the same run");
    assert_eq!(auditor.updates, counted.thunks_updated);
    assert_eq!(auditor.entries, counted.thunks_entered);
    (auditor, plainly.is_ok())
}

/// Audits a run, once with a collection wherever one can be, and replays its events; whether
/// that led to a value that could be compared.
fn check(text: &str, input: &str, stressed: bool) -> bool {
    let Ok(program) = common::compiled(text, Passes::NONE) else { return false };
    let config = Config { fuel: Some(40_000), ..common::limits() };
    let (auditor, ended) = audited(&program, input, &config);
    if stressed && auditor.seen.len() < 300 {
        let config = Config { stress: Stress::Full, ..config };
        let (first, _) = audited(&program, input, &config);
        let (second, _) = audited(&program, input, &config);
        assert_eq!(first.seen, second.seen, "the same stream on repetition");
        compare(&first, &program, ended, text);
    }
    compare(&auditor, &program, ended, text)
}

fn compare(auditor: &Auditor, program: &Verified, ended: bool, text: &str) -> bool {
    let Some(root) = auditor.root.filter(|_| ended) else { return false };
    let Some(replayed) = auditor.print(root, program) else { return false };
    assert_eq!(replayed, auditor.printed.trim_end_matches('\n').to_owned() + "\n", "{text}");
    true
}

#[test]
fn the_events_of_random_programs_are_in_order_and_lead_to_their_values() {
    let compared = (0..60).filter(|&seed| check(&typed::program(seed), "", true)).count();
    assert!(compared > 15, "only {compared} programs came to a value that can be compared");
}

#[test]
fn the_events_of_the_cases_are_in_order_and_lead_to_their_values() {
    let mut compared = 0;
    for (_, section) in cases::all() {
        for case in section.cases.iter().step_by(6) {
            compared += usize::from(check(&section.program(case), "", true));
        }
    }
    assert!(compared > 60, "only {compared} cases came to a value that can be compared");
}

#[test]
fn the_events_of_examples_are_in_order_and_lead_to_their_values() {
    let mut compared = 0;
    for example in programs::examples() {
        compared += usize::from(check(&example.text, &example.input, false));
    }
    for (module, text) in documented::modules() {
        for example in documented::examples(&module, &text).iter().step_by(11) {
            compared += usize::from(check(&example.program, "", false));
        }
    }
    assert!(compared >= 20, "only {compared} programs came to a value that can be compared");
}

#[test]
fn what_is_shared_is_evaluated_once_and_demanded_twice() {
    let program = common::compile("(defn main[] (let ([x (mul 3 4)]) (add x x)))");
    let (auditor, _) = audited(&program, "", &Config::default());
    let shared = auditor.seen.iter().filter(|event| matches!(event, NodeEvent::Shared { .. }));
    assert_eq!(shared.count(), 1);
    assert_eq!(auditor.printed, "24");
}

#[test]
fn a_selection_that_the_collector_reduces_is_told() {
    let text = "
        (defn main[] (let ([p (Pair (add 1 2) (range 1 300))]) (seq p (go 40 (fst p)))))
        (defn go[n x] (if (eq n 0) x (go (sub n 1) x)))";
    let program = common::compile(text);
    let config = Config { stress: Stress::Full, ..Config::default() };
    let (auditor, ended) = audited(&program, "", &config);
    assert!(auditor.seen.iter().any(|event| matches!(event, NodeEvent::Selected { .. })));
    assert!(compare(&auditor, &program, ended, text));
}

/// An auditor that the fast machine tells, and the test reads.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Auditor>>);

impl Probe for Listener {
    fn event(&mut self, event: NodeEvent, moment: Moment, program: &Program) {
        let mut auditor = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        auditor.event(event, moment, program);
    }
}

/// Runs a program on the fast machine with an auditor, beside a run that is only counted.
fn listened(program: &Verified, input: &str, config: &Config) -> Auditor {
    let image = MachineKind::Fast.load(program.clone());
    let run = |listener: Option<Listener>| {
        let config = Config { count: true, ..config.clone() };
        let mut machine = image.machine(config);
        if let Some(listener) = listener {
            assert!(machine.listen(Box::new(listener)));
        }
        let input = Box::new(common::Text::new(input));
        let mut out = String::new();
        let result =
            machine.start(Format::Default, Some(input)).and_then(|()| machine.run(&mut out));
        (out, format!("{result:?}"), machine.statistics())
    };
    let plain = run(None);
    let listener = Listener::default();
    assert_eq!(run(Some(listener.clone())), plain, "what is listened to is the same run");
    let auditor = std::mem::take(&mut *listener.0.lock().unwrap_or_else(PoisonError::into_inner));
    assert_eq!(auditor.mistakes, Vec::<String>::new());
    assert_eq!(auditor.updates, plain.2.thunks_updated, "updates");
    assert_eq!(auditor.entries, plain.2.thunks_entered, "entries");
    auditor
}

/// Audits a run of the fast machine, with collections as seldom and as often as there can be.
fn listen(text: &str, input: &str, passes: Passes) {
    let Ok(program) = common::compiled(text, passes) else { return };
    let config = Config { fuel: Some(4_000), ..common::limits() };
    let first = listened(&program, input, &config);
    let second = listened(&program, input, &config);
    assert_eq!(first.seen, second.seen, "the same stream on repetition");
    for stress in [Stress::TinyNursery, Stress::Minor, Stress::Full] {
        if first.seen.len() < 2_000 || stress == Stress::TinyNursery {
            listened(&program, input, &Config { stress, ..config.clone() });
        }
    }
}

#[test]
fn the_events_of_the_fast_machine_are_in_order() {
    for seed in 0..40 {
        listen(&typed::program(seed), "", if seed % 2 == 0 { Passes::NONE } else { Passes::ALL });
    }
    for (_, section) in cases::all() {
        for (number, case) in section.cases.iter().step_by(9).enumerate() {
            let passes = if number % 2 == 0 { Passes::NONE } else { Passes::ALL };
            listen(&section.program(case), "", passes);
        }
    }
    for example in programs::examples() {
        listen(&example.text, &example.input, Passes::ALL);
    }
}

#[test]
fn a_node_keeps_its_number_when_a_collection_moves_it() {
    let text = "
        (defn primes[] (sieve (from 2)))
        (defn sieve[xs] (case xs [(Cons p t) (Cons p (sieve (filter (fn [n] (lt 0 (rem n p))) t)))]))
        (defn main[] (letrec ([ones (Cons 1 ones)])
          (append (take 12 primes) (take 3 (zipWith add ones (map square (from 5)))))))";
    let Ok(program) = common::compiled(text, Passes::NONE) else { panic!("it compiles") };
    let lives = |stress| {
        let config = Config { stress, ..Config::default() };
        let auditor = listened(&program, "", &config);
        let deaths = auditor.lives.values().filter(|life| life.dead).count();
        // What a field leads to may be a thunk, or already the value in its place.
        let told = auditor.seen.iter().filter(|event| !matches!(event, NodeEvent::Dead { .. }));
        let told: Vec<_> = told.map(|it| (std::mem::discriminant(it), it.node())).collect();
        (told, deaths)
    };
    let (plain, none) = lives(Stress::None);
    assert!(plain.len() > 500, "{}", plain.len());
    assert_eq!(none, 0, "nothing was collected");
    for stress in [Stress::TinyNursery, Stress::Minor, Stress::Full] {
        let (told, deaths) = lives(stress);
        assert_eq!(told, plain, "{stress:?}");
        // What is old when it dies, only a full collection finds.
        assert!(stress != Stress::Full || deaths > 100, "{stress:?}: {deaths} deaths");
    }
}

#[test]
fn the_fast_machine_tells_what_becomes_of_a_thunk() {
    let program = common::compile("(defn main[] (let ([x (mul 3 (length [1 2]))]) (Pair x x)))");
    let auditor = listened(&program, "", &Config::default());
    let thunks = auditor.lives.values().filter_map(|life| match life.content {
        Some(Content::Thunk { .. }) => Some(auditor.value(life.with?).1?.clone()),
        _ => None,
    });
    let values: Vec<Content> = thunks.collect();
    assert!(values.contains(&Content::Integer(6.into())), "{values:?}");
}

//! The events of a run as the data of a page.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::gcode::program::{GlobalId, GlobalKind, Program};
use crate::machine::events::{Content, Moment, NodeEvent, NodeId, Probe};
use crate::machine::reference::Watch;

/// The most events of a film.
const EVENTS: usize = 20_000;
/// The most bytes of data of its page, about.
const BYTES: usize = 4_500_000;
/// The most bytes of sources.
const SOURCES: usize = 300_000;
/// The most bytes of one text or number.
const TEXT: usize = 2000;
/// The most nodes from before its first event.
const PRIOR: usize = 20_000;

/// A node that was born before the film begins.
struct Prior {
    born: String,
    /// What it mentions.
    parts: Vec<NodeId>,
    became: Option<(NodeId, bool)>,
    demanded: Option<NodeId>,
    entered: Option<i64>,
}

/// Makes a film of events.
pub struct Recorder<'a> {
    sources: &'a SourceMap,
    /// The steps to show.
    from: u64,
    to: u64,
    /// Updates so far, and when the film begins.
    step: u64,
    first: u64,
    count: usize,
    events: String,
    /// Whether the limits allow no more.
    full: bool,
    /// Whether the run has ended.
    ended: bool,
    strings: Vec<String>,
    string_of: HashMap<String, usize>,
    /// Bytes of the tables.
    tables: usize,
    globals: Vec<Value>,
    global_of: HashMap<GlobalId, usize>,
    spans: Vec<Value>,
    span_of: HashMap<(u32, u32), i64>,
    /// For each span, the event at which code of it first ran.
    executed: Vec<i64>,
    /// The span of the instruction that runs.
    here: i64,
    files: Vec<FileText<'a>>,
    prior: BTreeMap<NodeId, Prior>,
    mentioned: BTreeSet<NodeId>,
}

/// A source of the user's.
struct FileText<'a> {
    name: &'a str,
    text: &'a str,
    /// The position of its first byte.
    start: u32,
    /// For each byte, how many UTF-16 units come before; none if all of it is ASCII.
    units: Vec<u32>,
}

impl<'a> Recorder<'a> {
    /// Shows the steps from `from` to `to`, or to the end.
    #[must_use]
    pub fn new(sources: &'a SourceMap, from: u64, to: Option<u64>) -> Recorder<'a> {
        let mut room = SOURCES;
        let mut files = Vec::new();
        for file in sources.files().iter().filter(|file| !file.corelib) {
            if file.text.len() <= room {
                room -= file.text.len();
                files.push(FileText::new(&file.name, &file.text, file.base));
            }
        }
        Recorder {
            sources,
            from,
            to: to.unwrap_or(u64::MAX),
            step: 0,
            first: 0,
            count: 0,
            events: String::new(),
            full: false,
            ended: false,
            strings: Vec::new(),
            string_of: HashMap::new(),
            tables: SOURCES - room,
            globals: Vec::new(),
            global_of: HashMap::new(),
            spans: Vec::new(),
            span_of: HashMap::new(),
            executed: Vec::new(),
            here: -1,
            files,
            prior: BTreeMap::new(),
            mentioned: BTreeSet::new(),
        }
    }

    /// Returns how many events it has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the first and the last step that it shows.
    #[must_use]
    pub fn steps(&self) -> (u64, u64) {
        (self.first + 1, self.step.min(self.to))
    }

    /// Returns whether there may be more to record.
    #[must_use]
    pub fn is_going_on(&self) -> bool {
        !self.full && self.step < self.to
    }

    /// Returns whether it has as many events as a page holds, and the run goes on.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Returns whether the run has ended in it.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Notes that the run has ended.
    pub fn ended(&mut self) {
        self.ended = true;
    }

    /// Notes which expression the next instruction is of.
    pub fn enter(&mut self, watch: &Watch) {
        let machine = watch.machine();
        let span = machine.span(machine.position());
        self.here = self.span(span);
        let event = if self.is_recording() { self.count as i64 } else { -1 };
        let first = usize::try_from(self.here).ok().and_then(|at| self.executed.get_mut(at));
        if let Some(first) = first.filter(|first| **first == NEVER) {
            *first = event;
        }
    }

    fn is_recording(&self) -> bool {
        self.step >= self.from.saturating_sub(1) && self.step <= self.to
    }

    fn string(&mut self, text: &str) -> usize {
        if let Some(&at) = self.string_of.get(text) {
            return at;
        }
        self.tables += text.len() + 8;
        self.strings.push(text.to_owned());
        self.string_of.insert(text.to_owned(), self.strings.len() - 1);
        self.strings.len() - 1
    }

    /// Returns the row of a span; -1 if it is none.
    fn span(&mut self, span: Span) -> i64 {
        if span.is_none() {
            return -1;
        }
        if let Some(&at) = self.span_of.get(&(span.lo, span.hi)) {
            return at;
        }
        let own = self.files.iter().position(|file| file.has(span));
        let row = match own {
            Some(number) => {
                let file = &self.files[number];
                json!([number, file.units(span.lo), file.units(span.hi)])
            }
            None => match self.sources.place(span) {
                Some(place) => json!([-1, format!("{}:{}", place.file, place.line)]),
                None => json!([-1, "?"]),
            },
        };
        self.tables += 24;
        let at = self.spans.len() as i64;
        self.spans.push(row);
        self.executed.push(NEVER);
        self.span_of.insert((span.lo, span.hi), at);
        at
    }

    /// Returns the row of a global: name, parameters, whether it is the corelib's or a primitive,
    /// whether it is a constructor, symbol.
    fn global(&mut self, id: GlobalId, program: &Program) -> i64 {
        if let Some(&at) = self.global_of.get(&id) {
            return at as i64;
        }
        let Some(global) = program.globals.get(id) else { return -1 };
        let file = self.sources.file_at(global.span.lo);
        let is_constructor = matches!(global.kind, GlobalKind::Constructor(_));
        let is_corelib = is_constructor
            || global.kind == GlobalKind::Primitive
            || file.is_some_and(|file| file.corelib);
        let name = global.display.as_ref().unwrap_or(&global.symbol);
        let row = json!([
            &**name,
            global.arity,
            u8::from(is_corelib),
            u8::from(is_constructor),
            &*global.symbol
        ]);
        self.tables += name.len() + global.symbol.len() + 20;
        self.globals.push(row);
        self.global_of.insert(id, self.globals.len() - 1);
        self.globals.len() as i64 - 1
    }

    /// Returns what a node is, as the fields of an event, and the nodes that it mentions.
    fn content(&mut self, content: &Content, program: &Program) -> (String, Vec<NodeId>) {
        let text = |recorder: &mut Self, kind: u8, text: &str| {
            let at = recorder.string(cut(text));
            (format!("{kind},{at}"), Vec::new())
        };
        match content {
            Content::Application { function, argument } => {
                (format!("0,{function},{argument}"), vec![*function, *argument])
            }
            Content::Constructor { con, fields } => {
                let name = program.cons.get(*con).map_or("?", |con| &con.name);
                let mut row = format!("1,{}", self.string(name));
                for field in fields {
                    let _ = write!(row, ",{field}");
                }
                (row, fields.clone())
            }
            Content::Array(elements) => {
                let name = self.string("<array>");
                let fields: String = elements.iter().map(|one| format!(",{one}")).collect();
                (format!("1,{name}{fields}"), elements.clone())
            }
            Content::Integer(value) => text(self, 2, &value.to_string()),
            Content::Float(value) => text(self, 3, &value.to_string()),
            Content::Character(c) => text(self, 4, &c.to_string()),
            Content::Global(id) => (format!("5,{}", self.global(*id, program)), Vec::new()),
            Content::Text { text, at } => {
                let literal = program.texts.get(*text).map_or("", |text| &**text);
                let shown = cut(literal);
                let before = shown.get(..*at as usize).unwrap_or(shown);
                let units = before.encode_utf16().count();
                (format!("6,{},{units}", self.string(shown)), Vec::new())
            }
            Content::Input => ("7".to_owned(), Vec::new()),
            Content::Host | Content::Bytes(_) => ("8".to_owned(), Vec::new()),
            // Those with parts are of the fast machine, of which there is no film.
            Content::Hole | Content::Thunk { .. } | Content::Partial { .. } => {
                ("9".to_owned(), Vec::new())
            }
        }
    }

    /// Remembers what happens before the film begins.
    fn remember(&mut self, event: &NodeEvent, program: &Program) {
        match event {
            NodeEvent::Born { node, content, span, by } => {
                let (content, parts) = self.content(content, program);
                let born = format!("{},{},{content}", by.unwrap_or(0), self.span(*span));
                let prior = Prior { born, parts, became: None, demanded: None, entered: None };
                self.prior.insert(*node, prior);
            }
            NodeEvent::Dead { node } => drop(self.prior.remove(node)),
            NodeEvent::Entered { node, global, .. } => {
                let global = global.map_or(-1, |global| self.global(global, program));
                if let Some(prior) = self.prior.get_mut(node) {
                    prior.entered = Some(global);
                }
            }
            event => {
                let Some(prior) = self.prior.get_mut(&event.node()) else { return };
                match event {
                    NodeEvent::Demanded { by, .. } => prior.demanded = Some(by.unwrap_or(0)),
                    NodeEvent::Updated { with, .. } => prior.became = Some((*with, true)),
                    NodeEvent::Filled { with, .. } | NodeEvent::Selected { with, .. } => {
                        prior.became = Some((*with, false));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the events that make the nodes from before the film that it mentions.
    fn prior(&self) -> String {
        let mut wanted = BTreeSet::new();
        let mut todo: Vec<NodeId> = self.mentioned.iter().copied().collect();
        while let Some(node) = todo.pop() {
            let Some(prior) = self.prior.get(&node) else { continue };
            if wanted.len() < PRIOR && wanted.insert(node) {
                todo.extend(prior.parts.iter().copied());
                todo.extend(prior.became.map(|(with, _)| with));
            }
        }
        let mut rows = Vec::new();
        for node in &wanted {
            let Some(prior) = self.prior.get(node) else { continue };
            rows.push(format!("[0,{node},0,0,-1,{}]", prior.born));
            if let Some(by) = prior.demanded {
                rows.push(format!("[2,{node},0,0,-1,{by}]"));
            }
            if let Some(global) = prior.entered {
                rows.push(format!("[4,{node},0,0,-1,{global}]"));
            }
            if let Some((with, is_update)) = prior.became {
                rows.push(match is_update {
                    true => format!("[5,{node},0,0,-1,{with},0]"),
                    false => format!("[1,{node},0,0,-1,{with}]"),
                });
            }
        }
        rows.join(",")
    }

    /// Returns the data of the page, as JSON.
    #[must_use]
    pub fn data(self, note: &str) -> String {
        let files: Vec<Value> =
            self.files.iter().map(|file| json!({"name": file.name, "text": file.text})).collect();
        format!(
            "{{\"schema\":\"gmachine-film\",\"version\":1,\"note\":{},\"first\":{},\"files\":{},\
             \"strings\":{},\"globals\":{},\"spans\":{},\"executed\":{},\n\"prior\":[{}],\n\
             \"events\":[{}]}}",
            json!(note),
            self.first,
            json!(files),
            json!(self.strings),
            json!(self.globals),
            json!(self.spans),
            json!(self.executed),
            self.prior(),
            self.events,
        )
    }
}

/// No event, in [`Recorder::executed`]; one before the film is -1.
const NEVER: i64 = -2;

impl Probe for Recorder<'_> {
    fn event(&mut self, event: NodeEvent, moment: Moment, program: &Program) {
        // An update is the end of its step.
        let is_recording = self.is_recording();
        self.step += u64::from(matches!(event, NodeEvent::Updated { .. }));
        if !is_recording {
            self.first = self.step;
            return self.remember(&event, program);
        }
        if self.full || self.count >= EVENTS || self.events.len() + self.tables > BYTES {
            self.step -= u64::from(matches!(event, NodeEvent::Updated { .. }));
            self.full = true;
            return;
        }
        self.mentioned.insert(event.node());
        let mut mention = |nodes: &[NodeId]| self.mentioned.extend(nodes);
        let (kind, fields) = match &event {
            NodeEvent::Born { content, span, by, .. } => {
                let (content, parts) = self.content(content, program);
                self.mentioned.extend(parts);
                (0, format!("{},{},{content}", by.unwrap_or(0), self.span(*span)))
            }
            NodeEvent::Filled { with, .. } => {
                mention(&[*with]);
                (1, with.to_string())
            }
            NodeEvent::Demanded { by, .. } => {
                mention(by.as_slice());
                (2, by.unwrap_or(0).to_string())
            }
            NodeEvent::Shared { by, .. } => {
                mention(by.as_slice());
                (3, by.unwrap_or(0).to_string())
            }
            NodeEvent::Entered { global, arguments, .. } => {
                mention(arguments);
                let global = global.map_or(-1, |global| self.global(global, program));
                let mut row = global.to_string();
                for argument in arguments {
                    let _ = write!(row, ",{argument}");
                }
                (4, row)
            }
            NodeEvent::Updated { with, .. } => {
                mention(&[*with]);
                (5, format!("{with},{}", self.step))
            }
            NodeEvent::Selected { with, .. } => {
                mention(&[*with]);
                (6, with.to_string())
            }
            NodeEvent::Printed { text, .. } => (7, self.string(text).to_string()),
            NodeEvent::Dead { .. } => (8, String::new()),
        };
        let comma = if self.count == 0 { "" } else { "," };
        let node = event.node();
        let (depth, instructions, here) = (moment.depth, moment.instructions, self.here);
        let _ = write!(self.events, "{comma}[{kind},{node},{depth},{instructions},{here}");
        if !fields.is_empty() {
            let _ = write!(self.events, ",{fields}");
        }
        self.events.push(']');
        self.count += 1;
    }
}

impl<'a> FileText<'a> {
    fn new(name: &'a str, text: &'a str, start: u32) -> FileText<'a> {
        let mut units = Vec::new();
        if !text.is_ascii() {
            let mut before = 0;
            for c in text.chars() {
                units.extend(std::iter::repeat_n(before, c.len_utf8()));
                before += c.len_utf16() as u32;
            }
            units.push(before);
        }
        FileText { name, text, start, units }
    }

    fn has(&self, span: Span) -> bool {
        span.lo >= self.start && (span.hi - self.start) as usize <= self.text.len()
    }

    /// Returns how many UTF-16 units come before a position.
    fn units(&self, position: u32) -> u32 {
        let at = position - self.start;
        self.units.get(at as usize).copied().unwrap_or(at)
    }
}

/// Returns as much of a text as a film shows.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT)]
}

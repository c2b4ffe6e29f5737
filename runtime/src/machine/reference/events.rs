//! The stream of events ([`mod@crate::machine::events`]) of this machine.
//!
//! A [`Watch`] executes the machine's rules one at a time, looks at the state before and after
//! each, and tells a [`Probe`] what has become of the nodes. The machine's own loop knows nothing
//! of it.

use super::heap::node::{Addr, Node};
use super::state::{Machine, NO_REDEX};
use super::trace::Rule;
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::gcode::instr::{Instr, Op};
use crate::gcode::program::GlobalId;
use crate::machine::events::{Content, Moment, NodeEvent, NodeId, Probe};
use crate::machine::outcome::{Output, OutputError, Stop};

/// What the watch knows of the node at an address.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Birth number; 0 if there is no node.
    id: NodeId,
    demanded: bool,
    /// Whether it is a value that some redex came to.
    is_result: bool,
    /// The text or input that was in its place before it was unpacked, and dies with it; or 0.
    unpacked: NodeId,
}

/// A machine that is watched.
#[derive(Debug)]
pub struct Watch {
    machine: Machine,
    known: Vec<Known>,
    born: NodeId,
    /// The redex whose code runs, or was running when the present unwinding began.
    owner: Option<NodeId>,
    /// The redex of each evaluation that waits.
    owners: Vec<Option<NodeId>>,
    is_started: bool,
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.id)
    }
}

/// What the next rule is about, read before it is applied.
enum Before {
    Nothing,
    Eval,
    Update { target: Addr, value: Addr, is_redex: bool },
    Print(NodeId),
    Enter { redex: Addr, global: GlobalId, arguments: Vec<NodeId> },
    Unpack(Addr),
}

/// Collects what one `Print` writes, and hands it on.
struct Copied<'a> {
    out: &'a mut dyn Output,
    text: String,
}

impl Output for Copied<'_> {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.text.push_str(text);
        self.out.write(text)
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        self.out.flush()
    }
}

impl Watch {
    /// Watches a machine that has been [started](Machine::start).
    #[must_use]
    pub fn new(machine: Machine) -> Watch {
        Watch {
            machine,
            known: Vec::new(),
            born: 0,
            owner: None,
            owners: Vec::new(),
            is_started: false,
        }
    }

    /// Copies the watch and its machine as they are between two steps: see
    /// [`Machine::try_clone`].
    #[must_use]
    pub fn try_clone(&self) -> Option<Watch> {
        Some(Watch {
            machine: self.machine.try_clone()?,
            known: self.known.clone(),
            born: self.born,
            owner: self.owner,
            owners: self.owners.clone(),
            is_started: self.is_started,
        })
    }

    /// Returns about how many bytes a copy takes.
    #[must_use]
    pub fn footprint(&self) -> u64 {
        let known = self.known.len() * size_of::<Known>();
        self.machine.heap.footprint() + (known + self.owners.len() * 16) as u64
    }

    /// Returns the machine.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Collects now, so that nodes that nothing reaches any more are told to be dead.
    pub fn collect(&mut self, probe: &mut dyn Probe) {
        self.machine.heap.selected = Some(Vec::new());
        self.machine.collect();
        self.collected(&[], probe);
    }

    /// Executes one step and tells its events; `false` when all is printed. It ends no line:
    /// [`Machine::end_line`] does.
    ///
    /// # Errors
    /// As [`Machine::run`]. After a limit was reached, it goes on from there.
    pub fn step(&mut self, out: &mut dyn Output, probe: &mut dyn Probe) -> Result<bool, Stop> {
        if !self.is_started {
            self.is_started = true;
            let there: Vec<Addr> = self.machine.heap.addresses().collect();
            self.births(&there, Span::NONE, probe);
        }
        let code = self.machine.code.clone();
        self.machine.permitted(&code)?;
        let before = self.look();
        let span = self.machine.code.span(self.machine.at);
        let (depth, collections) = (self.machine.dump.len(), self.machine.counts.collections);
        self.machine.heap.log = Some(Vec::new());
        self.machine.heap.selected = Some(Vec::new());
        let mut copied = Copied { out, text: String::new() };
        let result = self.machine.advance(&code, &mut copied);
        let log = self.machine.heap.log.take().unwrap_or_default();
        if self.machine.counts.collections != collections {
            self.collected(&log, probe);
        }
        self.machine.heap.selected = None;
        let fresh: Vec<Addr> = log.into_iter().filter(|&addr| self.id(addr) == 0).collect();
        self.births(&fresh, span, probe);
        if !result? {
            return Ok(false);
        }
        self.effect(before, &copied.text, probe);
        // A value that is returned ends an evaluation.
        if self.machine.dump.len() < depth {
            self.owner = self.owners.pop().unwrap_or(None);
        }
        Ok(true)
    }

    /// Executes steps to the end, and ends the line.
    ///
    /// # Errors
    /// As [`Machine::run`].
    pub fn run(&mut self, out: &mut dyn Output, probe: &mut dyn Probe) -> Result<(), Stop> {
        loop {
            match self.step(out, probe) {
                Ok(true) => {}
                Ok(false) => return self.machine.end_output(out, false),
                Err(stop @ Stop::Output(_)) => return Err(stop),
                Err(stop) => {
                    return self.machine.end_line(out).map_or(Err(stop.clone()), |()| Err(stop));
                }
            }
        }
    }

    /// Ends the line that has been printed so far, as [`Machine::end_line`].
    ///
    /// # Errors
    /// When the output takes no more.
    pub fn end_line(&mut self, out: &mut dyn Output) -> Result<(), Stop> {
        self.machine.end_line(out)
    }

    fn id(&self, addr: Addr) -> NodeId {
        self.known.get(addr.0 as usize).map_or(0, |known| known.id)
    }

    fn known(&mut self, addr: Addr) -> &mut Known {
        let at = addr.0 as usize;
        if at >= self.known.len() {
            self.known.resize(at + 1, Known::default());
        }
        &mut self.known[at]
    }

    fn tell(&self, event: NodeEvent, probe: &mut dyn Probe) {
        let machine = &self.machine;
        let instructions = machine.counts.instructions;
        let moment = Moment { instructions, depth: machine.dump.len() };
        probe.event(event, moment, machine.program());
    }

    /// Reads what the next rule is about.
    fn look(&self) -> Before {
        let machine = &self.machine;
        let top = machine.stack.len().saturating_sub(1);
        let item = |n: usize| machine.stack.get(top.wrapping_sub(n)).copied().unwrap_or(Addr::NONE);
        match machine.next_rule() {
            Some(Rule::Instr(Op::Eval)) => Before::Eval,
            Some(Rule::Instr(Op::Update)) => {
                let Some(Instr::Update(n)) = machine.code.instr(machine.at) else {
                    return Before::Nothing;
                };
                let at = 1 + *n as usize;
                let is_redex = machine.redex != NO_REDEX && top - at == machine.redex as usize;
                Before::Update { target: item(at), value: machine.heap.value(item(0)), is_redex }
            }
            Some(Rule::Instr(Op::Print)) => Before::Print(self.id(machine.heap.value(item(0)))),
            Some(Rule::Enter) => {
                let Node::Global(global) = *machine.heap.get(item(0)) else {
                    return Before::Nothing;
                };
                let arity = machine.code.global(global).map_or(0, |global| global.arity as usize);
                let arguments = (1..=arity).map(|n| match machine.heap.get(item(n)) {
                    Node::App { arg, .. } => self.id(*arg),
                    _ => 0,
                });
                Before::Enter { redex: item(arity), global, arguments: arguments.collect() }
            }
            Some(Rule::UnpackText | Rule::ReadInput) => Before::Unpack(item(0)),
            _ => Before::Nothing,
        }
    }

    /// Tells what a rule has done, but for what it has made.
    fn effect(&mut self, before: Before, printed: &str, probe: &mut dyn Probe) {
        match before {
            Before::Nothing => {}
            Before::Eval => {
                // The bottom item of the new piece; a collection may have shortened it.
                let item = self.machine.stack.last().copied().unwrap_or(Addr::NONE);
                let addr = self.machine.heap.value(item);
                let by = self.owner;
                self.owners.push(by);
                if self.is_unevaluated(addr) {
                    self.demand(addr, by, probe);
                } else if self.known(addr).is_result {
                    self.tell(NodeEvent::Shared { node: self.id(addr), by }, probe);
                }
                self.owner = Some(self.id(addr));
            }
            Before::Update { target, value, is_redex } => {
                let (node, with) = (self.id(target), self.id(value));
                if !is_redex {
                    return self.tell(NodeEvent::Filled { node, with }, probe);
                }
                if !self.is_unevaluated(value) {
                    self.known(value).is_result = true;
                }
                self.tell(NodeEvent::Updated { node, with }, probe);
            }
            Before::Print(node) => {
                self.tell(NodeEvent::Printed { node, text: printed.to_owned() }, probe);
            }
            Before::Enter { redex, global, arguments } => {
                if !self.known(redex).demanded {
                    self.demand(redex, self.owner, probe);
                }
                let node = self.id(redex);
                self.owner = Some(node);
                self.tell(NodeEvent::Entered { node, global: Some(global), arguments }, probe);
            }
            Before::Unpack(addr) => {
                // What a redex has become is demanded in its place.
                if !self.known(addr).demanded {
                    self.demand(addr, self.owner, probe);
                }
                let node = self.id(addr);
                let entered = NodeEvent::Entered { node, global: None, arguments: Vec::new() };
                self.tell(entered, probe);
                // The node itself has become a cell: a new one in the place of the old.
                self.births(&[addr], Span::NONE, probe);
                let known = self.known(addr);
                (known.is_result, known.unpacked) = (true, node);
                let with = known.id;
                self.tell(NodeEvent::Updated { node, with }, probe);
            }
        }
    }

    /// Tells that a node is demanded: for the first time, or again while it is evaluated.
    fn demand(&mut self, addr: Addr, by: Option<NodeId>, probe: &mut dyn Probe) {
        let known = self.known(addr);
        let again = std::mem::replace(&mut known.demanded, true);
        let node = known.id;
        let event = match again {
            true => NodeEvent::Shared { node, by },
            false => NodeEvent::Demanded { node, by },
        };
        self.tell(event, probe);
    }

    /// Returns whether a node has to be evaluated to be a value. (An application that lacks
    /// arguments is taken for one that has not, until it is demanded.)
    fn is_unevaluated(&self, addr: Addr) -> bool {
        match self.machine.heap.get(addr) {
            Node::App { .. } => self.machine.function(addr).is_none(),
            Node::Global(global) => {
                self.machine.code.global(*global).is_none_or(|global| global.arity == 0)
            }
            Node::Text { .. }
            | Node::Input
            | Node::Hole
            | Node::BlackHole { .. }
            | Node::Suspended { .. } => true,
            _ => false,
        }
    }

    /// Tells that nodes are born.
    fn births(&mut self, fresh: &[Addr], span: Span, probe: &mut dyn Probe) {
        for &addr in fresh {
            self.born += 1;
            let id = self.born;
            *self.known(addr) = Known { id, ..Known::default() };
        }
        for &addr in fresh {
            let content = self.content(addr);
            let (node, by) = (self.id(addr), self.owner);
            self.tell(NodeEvent::Born { node, content, span, by }, probe);
        }
    }

    fn content(&self, addr: Addr) -> Content {
        let id = |addr: &Addr| self.id(*addr);
        match self.machine.heap.get(addr) {
            Node::Int(word) => Content::Integer(Integer::Small(*word)),
            Node::Big(big) => Content::Integer((**big).clone()),
            Node::Float(value) => Content::Float(*value),
            Node::Char(c) => Content::Character(*c),
            Node::App { fun, arg, .. } => {
                Content::Application { function: id(fun), argument: id(arg) }
            }
            Node::Global(global) => Content::Global(*global),
            Node::Text { text, at } => Content::Text { text: *text, at: *at },
            Node::Input => Content::Input,
            Node::Opaque(_) => Content::Host,
            Node::Array(elements) => Content::Array(elements.iter().map(id).collect()),
            Node::Bytes(bytes) => Content::Bytes(bytes.len()),
            node => match node.as_constr() {
                Some((con, fields)) => {
                    Content::Constructor { con, fields: fields.iter().map(id).collect() }
                }
                None => Content::Hole,
            },
        }
    }

    /// Tells what a collection has done. `log`: what was made after it.
    fn collected(&mut self, log: &[Addr], probe: &mut dyn Probe) {
        for (selection, field) in self.machine.heap.selected.take().unwrap_or_default() {
            let (node, with) = (self.id(selection), self.id(field));
            self.tell(NodeEvent::Selected { node, with }, probe);
        }
        let mut made: Vec<Addr> = log.to_vec();
        made.sort_unstable();
        for at in 0..self.known.len() {
            let addr = Addr(at as u32);
            let Known { id: node, unpacked, .. } = self.known[at];
            if node == 0 {
                continue;
            }
            let is_free = matches!(self.machine.heap.get(addr), Node::Free(_));
            if is_free || (made.binary_search(&addr).is_ok() && !self.was_marked(addr)) {
                self.known[at] = Known::default();
                if unpacked != 0 {
                    self.tell(NodeEvent::Dead { node: unpacked }, probe);
                }
                self.tell(NodeEvent::Dead { node }, probe);
            }
        }
    }

    /// Returns whether the last collection kept the node at an address.
    fn was_marked(&self, addr: Addr) -> bool {
        self.machine.heap.was_marked(addr)
    }
}

//! The stream of events (`machine/events.rs`) of this machine.
//!
//! The probe of instructions tells of entries and updates, and the heap knows the names of its nodes
//! (`heap/identity.rs`), so what was made, and what a collection has found dead, is asked of it
//! before each instruction. A thunk is demanded when it is entered: nothing is demanded without.
//! What this machine has no node for, such as small integers, is told as a node all the same, each
//! value once. What is written to the output, what is shared, and the unpacking of texts are not told.

use super::code::program::ThunkId;
use super::image::STRIDE;
use super::state::Machine;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::gcode::program::{ConId, GlobalId, TextId};
use crate::machine::events::{Content, Moment, NodeEvent, NodeId, Probe};
use crate::machine::heap::word::{View, Word};
use crate::machine::heap::{Header, Kind, Told};
use crate::machine::opaque::OPAQUE;

/// Ticks that are handed out at a time while somebody listens: who does may want to stop the run.
const TICKS: u32 = 64;

/// Who is told of events.
pub(super) struct Listener {
    probe: Box<dyn Probe + Send>,
    /// The thunks under evaluation, the outermost first.
    owners: Vec<NodeId>,
    /// The instruction that is executed.
    at: u32,
}

impl Machine {
    /// Tells a probe of what happens from now on.
    pub(super) fn listen_with(&mut self, probe: Box<dyn Probe + Send>) {
        self.heap.watch();
        self.count = true;
        self.most_ticks = TICKS;
        let at = self.mutator.image.halt;
        self.listener = Some(Box::new(Listener { probe, owners: Vec::new(), at }));
    }

    /// Announces to the heap which thunks a value returned now would update.
    pub(super) fn expect_updates(&mut self) {
        let mut thunks = Vec::new();
        self.for_each_update(|thunk, _| {
            thunks.push(thunk);
            true
        });
        self.heap.expect_updates(thunks);
    }
}

impl Listener {
    /// Returns how many thunks wait for their values.
    pub(super) fn waiting(&self) -> usize {
        self.owners.len()
    }

    /// Notes that an instruction is executed.
    pub(super) fn executed(&mut self, machine: &mut Machine, at: u32) {
        self.look(machine);
        self.at = at;
    }

    /// Tells what was made, and what has died.
    pub(super) fn look(&mut self, machine: &mut Machine) {
        // SAFETY: between two instructions, and before anything is done in one, all nodes are
        // written.
        unsafe { machine.heap.look() };
        self.tell(machine);
    }

    /// Notes that a thunk was entered, whose frame the machine stands at.
    pub(super) fn entered(&mut self, machine: &mut Machine) {
        self.look(machine);
        let Some(thunk) = machine.entered_thunk() else { return };
        let Some(kind) = machine.under_evaluation(thunk) else { return };
        let Some(code) = machine.mutator.image.program.thunks.get(ThunkId(kind)) else { return };
        let entry = code.entry;
        let global = machine.mutator.image.owner(entry.pc.0 * STRIDE);
        // SAFETY: thunk and frame hold words of the heap; the frame has what the thunk has captured.
        let (node, arguments) = unsafe {
            let captured: Vec<Word> = (0..entry.takes).map(|at| machine.slot(at)).collect();
            let arguments = captured.into_iter().map(|word| machine.heap.name(word)).collect();
            (machine.heap.name(thunk), arguments)
        };
        self.tell(machine);
        let by = self.owners.last().copied();
        self.owners.push(node);
        self.event(NodeEvent::Demanded { node, by }, machine);
        self.event(NodeEvent::Entered { node, global, arguments }, machine);
    }

    /// Notes that a thunk is about to be updated with a value.
    pub(super) fn updated(&mut self, machine: &mut Machine, thunk: Word, value: Word) {
        self.look(machine);
        // SAFETY: they are words of the heap.
        let (node, with) = unsafe { (machine.heap.name(thunk), machine.heap.name(value)) };
        self.tell(machine);
        self.update(node, with, machine);
    }

    /// Notes that a slow path has ended, in which so many thunks were entered.
    pub(super) fn after(&mut self, machine: &mut Machine, entered: u64) {
        // SAFETY: as for `look`.
        unsafe { machine.heap.conclude_updates() };
        self.tell(machine);
        if entered > 0 {
            self.entered(machine);
        }
    }

    /// Notes that an evaluation has ended, before which so many thunks waited.
    pub(super) fn ended(&mut self, machine: &mut Machine, waiting: usize) {
        self.look(machine);
        self.owners.truncate(waiting);
    }

    fn update(&mut self, node: NodeId, with: NodeId, machine: &Machine) {
        let at = self.owners.iter().rposition(|owner| *owner == node);
        // What was above it was given up by an exception.
        self.owners.truncate(at.map_or(self.owners.len(), |at| at + 1));
        self.event(NodeEvent::Updated { node, with }, machine);
        if at.is_some() {
            self.owners.pop();
        }
    }

    fn event(&mut self, event: NodeEvent, machine: &Machine) {
        let instructions = machine.counts.instructions;
        let moment = Moment { instructions, depth: self.owners.len() };
        self.probe.event(event, moment, &machine.mutator.image.program.gcode);
    }

    fn tell(&mut self, machine: &mut Machine) {
        for told in machine.heap.take_told() {
            match told {
                Told::Born { node, header, parts, first, integer } => {
                    let by = self.owners.last().copied();
                    let is_same = header.kind() == Kind::Ind;
                    let with = parts.first().copied().filter(|_| is_same);
                    let span = self.span(header, machine);
                    let content = content(header, parts, first, integer, machine);
                    self.event(NodeEvent::Born { node, content, span, by }, machine);
                    if let Some(with) = with {
                        self.event(NodeEvent::Filled { node, with }, machine);
                    }
                }
                Told::Value(node, word) => {
                    let Some(content) = value(word) else { continue };
                    let (span, by) = (Span::NONE, None);
                    self.event(NodeEvent::Born { node, content, span, by }, machine);
                }
                Told::Filled(node, with) => {
                    self.event(NodeEvent::Filled { node, with }, machine);
                }
                Told::Updated(node, with) => self.update(node, with, machine),
                Told::Dead(node) => self.event(NodeEvent::Dead { node }, machine),
            }
        }
    }

    /// Returns the expression that a node was made for.
    fn span(&self, header: Header, machine: &Machine) -> Span {
        let image = &machine.mutator.image;
        let thunk = ThunkId(header.info());
        match image.program.thunks.get(thunk).filter(|_| header.kind() == Kind::Thunk) {
            Some(thunk) => thunk.span,
            None => image.span(self.at),
        }
    }
}

/// Returns what a node is that was made.
fn content(
    header: Header,
    parts: Vec<NodeId>,
    first: u64,
    integer: Option<Integer>,
    machine: &Machine,
) -> Content {
    let info = header.info();
    match header.kind() {
        Kind::Con if ConId(info) == OPAQUE => Content::Host,
        Kind::Con => Content::Constructor { con: ConId(info), fields: parts },
        Kind::Thunk => {
            let thunk = machine.mutator.image.program.thunks.get(ThunkId(info));
            let (owner, takes) =
                thunk.map_or((GlobalId(0), 0), |thunk| (thunk.owner, thunk.entry.takes as usize));
            // One that has captured nothing has a payload word all the same.
            Content::Thunk { owner, captured: parts.into_iter().take(takes).collect() }
        }
        Kind::Pap => Content::Partial { function: GlobalId(info), arguments: parts },
        Kind::Big | Kind::Huge => Content::Integer(integer.unwrap_or(Integer::Small(0))),
        Kind::Float => Content::Float(Float::new(f64::from_bits(first))),
        Kind::Text => {
            Content::Text { text: TextId(info), at: Word::from_bits(first).as_int() as u32 }
        }
        Kind::Input => Content::Input,
        Kind::Array => Content::Array(parts),
        Kind::Bytes => Content::Bytes(first as usize),
        Kind::Buffer => Content::Bytes(header.words() * size_of::<Word>()),
        Kind::Hole | Kind::Suspended | Kind::Ind => Content::Hole,
    }
}

/// Returns what a word is that is no pointer.
fn value(word: Word) -> Option<Content> {
    Some(match word.view() {
        View::Int(value) => Content::Integer(Integer::Small(value)),
        View::Float(value) => Content::Float(value),
        View::Char(c) => Content::Character(c),
        View::Con(con) => Content::Constructor { con, fields: Vec::new() },
        View::Function(global) => Content::Global(global),
        View::Node(_) | View::Nothing => return None,
    })
}

//! Marking: what code still to run can reach.
//!
//! A stack item that code does not use any more is no root (see [`Liveness`]). Every pointer
//! that is followed is first shortened: past indirections, and past applications of selectors
//! to evaluated constructors. The mark stack is bounded; when it is full, marked nodes whose
//! children wait are found again by a scan of the heap.

use super::node::{Addr, Node};
use super::{CHUNK, CHUNK_BITS, Heap};
use crate::gcode::instr::{Flow, Instr};
use crate::gcode::program::GlobalId;
use crate::machine::reference::code::{Code, Position};
use crate::machine::reference::freeze::Frozen;
use crate::machine::reference::liveness::Liveness;

/// How many selectors waiting for one another are followed at once.
const SELECTOR_DEPTH: usize = 64;

/// A collection's first half.
pub(in crate::machine::reference) struct Marker<'a> {
    heap: &'a mut Heap,
    code: &'a Code,
    globals: &'a [Addr],
    frozen: &'a mut Frozen,
    /// Marked nodes whose children are to be marked.
    pending: Vec<Addr>,
    capacity: usize,
    overflowed: bool,
    /// One bit for each instruction: whether the code from it on has been looked at.
    visited: Vec<u64>,
    positions: Vec<Position>,
    liveness: &'a mut Liveness,
}

impl<'a> Marker<'a> {
    pub(in crate::machine::reference) fn new(
        heap: &'a mut Heap,
        code: &'a Code,
        globals: &'a [Addr],
        frozen: &'a mut Frozen,
        liveness: &'a mut Liveness,
    ) -> Marker<'a> {
        heap.chunks.iter_mut().for_each(|chunk| chunk.marks.fill(0));
        // A list of lists marks with a few items; a deep tree overflows into at most some
        // dozens of scans.
        let capacity = heap.mark_capacity.unwrap_or((heap.chunks.len() * CHUNK / 64).max(4096));
        let visited = vec![0; code.size.div_ceil(64)];
        Marker {
            heap,
            code,
            globals,
            frozen,
            pending: Vec::new(),
            capacity,
            overflowed: false,
            visited,
            positions: Vec::new(),
            liveness,
        }
    }

    /// Clears the items of a piece of stack, the redex first, that the code at `at` does not
    /// use any more. `waits` says whether it waits for the bottom item of the next piece.
    pub(in crate::machine::reference) fn clear(
        &mut self,
        at: Position,
        items: &mut [Addr],
        waits: bool,
    ) {
        let depth = items.len() + usize::from(waits);
        for &height in self.liveness.dead(self.code, at, depth) {
            if let Some(slot) = items.get_mut(height as usize) {
                *slot = Addr::NONE;
            }
        }
    }

    /// Marks a root that may be shortened in every way.
    pub(in crate::machine::reference) fn root(&mut self, slot: &mut Addr) {
        if *slot == Addr::NONE {
            return;
        }
        *slot = self.shorten(*slot);
        self.push(*slot);
    }

    /// Marks a root whose application an unwinding goes through: it stays what it is.
    pub(in crate::machine::reference) fn pinned(&mut self, slot: &mut Addr) {
        if *slot == Addr::NONE {
            return;
        }
        *slot = self.follow(*slot);
        self.push(*slot);
    }

    /// Marks what code can reach from a position where it will run.
    pub(in crate::machine::reference) fn position(&mut self, at: Position) {
        self.positions.push(at);
        self.scan_code();
    }

    /// Marks a global that may be pushed. Where the table has no node for it, its code is what a
    /// new node would reach.
    fn global(&mut self, global: GlobalId) {
        match self.globals.get(global.0 as usize) {
            Some(&addr) if addr != Addr::NONE => self.push(addr),
            _ => self.positions.push(Position::start(global)),
        }
    }

    /// Marks the globals that the waiting positions can still push. Labels point forward, so
    /// each instruction is looked at once a collection, however many frames wait at it.
    fn scan_code(&mut self) {
        let code = self.code;
        while let Some(mut at) = self.positions.pop() {
            while let Some(flat) = code.flat(at) {
                let (word, bit) = (flat / 64, 1u64 << (flat % 64));
                let Some(seen) = self.visited.get_mut(word).filter(|seen| **seen & bit == 0) else {
                    break;
                };
                *seen |= bit;
                let Some(instr) = code.instr(at) else { break };
                if let Instr::PushGlobal(global) = instr {
                    self.global(*global);
                }
                match instr.op().flow() {
                    Flow::Next => at = at.next(),
                    Flow::Jump => {
                        self.positions.extend(instr.labels().map(|l| at.to(l.0)));
                        break;
                    }
                    Flow::End => break,
                }
            }
        }
    }

    /// Marks all that is reachable from the roots so far.
    pub(in crate::machine::reference) fn run(&mut self) {
        loop {
            while let Some(addr) = self.pending.pop() {
                self.children(addr);
            }
            if !std::mem::take(&mut self.overflowed) {
                return;
            }
            let chunks = self.heap.chunks.len();
            for addr in (0..(chunks * CHUNK) as u32).map(Addr) {
                if self.is_marked(addr) {
                    self.children(addr);
                    while let Some(addr) = self.pending.pop() {
                        self.children(addr);
                    }
                }
            }
        }
    }

    /// Shortens and marks the children of a marked node. The last child is pushed first:
    /// long lists and right-deep trees need one place on the mark stack.
    fn children(&mut self, addr: Addr) {
        match *self.heap.get(addr) {
            Node::App { fun, arg, site } => {
                let (fun, arg) = (self.shorten(fun), self.shorten(arg));
                // Shortening an argument may have replaced this very application.
                if let cell @ Node::App { .. } = self.heap.cell(addr) {
                    *cell = Node::App { fun, arg, site };
                }
                self.push(arg);
                self.push(fun);
            }
            Node::Constr { len, con, mut fields } => {
                let fields_used = &mut fields[..usize::from(len).min(2)];
                for field in fields_used.iter_mut() {
                    *field = self.shorten(*field);
                }
                for field in fields_used.iter().rev() {
                    self.push(*field);
                }
                *self.heap.cell(addr) = Node::Constr { len, con, fields };
            }
            Node::Large(_, ref fields) => {
                for at in (0..fields.len()).rev() {
                    let Node::Large(_, fields) = self.heap.get(addr) else { return };
                    let Some(&field) = fields.get(at) else { return };
                    let short = self.shorten(field);
                    if let Node::Large(_, fields) = self.heap.cell(addr)
                        && let Some(field) = fields.get_mut(at)
                    {
                        *field = short;
                    }
                    self.push(short);
                }
            }
            Node::Array(ref elements) => {
                for at in (0..elements.len()).rev() {
                    let Node::Array(elements) = self.heap.get(addr) else { return };
                    let Some(&element) = elements.get(at) else { return };
                    let short = self.shorten(element);
                    if let Node::Array(elements) = self.heap.cell(addr)
                        && let Some(element) = elements.get_mut(at)
                    {
                        *element = short;
                    }
                    self.push(short);
                }
            }
            Node::Global(global) => self.position(Position::start(global)),
            Node::Ind(to) => self.push(to),
            Node::Suspended { record, index, .. } => self.suspended(record, index),
            Node::Int(_)
            | Node::Big(_)
            | Node::Float(_)
            | Node::Char(_)
            | Node::Bytes(_)
            | Node::Text { .. }
            | Node::Input
            | Node::Opaque(_)
            | Node::Hole
            | Node::BlackHole { .. }
            | Node::Free(_) => {}
        }
    }

    /// Marks what a suspended evaluation goes on with: its piece of stack, and its code.
    fn suspended(&mut self, record: u32, index: u32) {
        let Some(frame) = self.frozen.frame(record, index) else { return };
        let range = frame.range();
        // The redex, which is not in the range, comes first.
        for &height in self.liveness.dead(self.code, frame.at, range.len() + 1) {
            if height > 0 {
                self.frozen.set_slot(record, range.start + height - 1, Addr::NONE);
            }
        }
        for at in range {
            let Some(slot) = self.frozen.slot(record, at).filter(|slot| *slot != Addr::NONE) else {
                continue;
            };
            let short = self.shorten(slot);
            self.frozen.set_slot(record, at, short);
            self.push(short);
        }
        self.position(frame.at);
    }

    fn is_marked(&self, addr: Addr) -> bool {
        let at = addr.0 as usize & (CHUNK - 1);
        self.heap.chunks[(addr.0 >> CHUNK_BITS) as usize].marks[at / 64] & (1 << (at % 64)) != 0
    }

    fn push(&mut self, addr: Addr) {
        let at = addr.0 as usize & (CHUNK - 1);
        let word = &mut self.heap.chunks[(addr.0 >> CHUNK_BITS) as usize].marks[at / 64];
        if *word & (1 << (at % 64)) != 0 {
            return;
        }
        *word |= 1 << (at % 64);
        // Nothing follows from a leaf. So a chain of applications to numbers, or a list of
        // them, takes no more than one place on the mark stack.
        let node = self.heap.get(addr);
        if matches!(node, Node::Int(_) | Node::Char(_) | Node::Big(_) | Node::Float(_)) {
            return;
        }
        if self.pending.len() < self.capacity {
            self.pending.push(addr);
        } else {
            self.overflowed = true;
        }
    }

    /// Returns the end of a chain of indirections. All of the chain then leads there at once, so
    /// that many pointers into one chain cost no more than its length.
    fn follow(&mut self, addr: Addr) -> Addr {
        let end = self.heap.value(addr);
        let mut at = addr;
        while at != end {
            let Node::Ind(next) = self.heap.cell(at) else { break };
            at = std::mem::replace(next, end);
        }
        end
    }

    /// Returns the node that a pointer to `addr` may point to instead.
    fn shorten(&mut self, addr: Addr) -> Addr {
        let mut at = self.follow(addr);
        if !matches!(self.heap.get(at), Node::App { .. }) {
            return at;
        }
        // Selectors that wait for the argument of the next one to be reduced.
        let mut waiting: Vec<Addr> = Vec::new();
        loop {
            match self.select(at) {
                Selection::Field(field) => {
                    *self.heap.cell(at) = Node::Ind(field);
                    if let Some(selected) = &mut self.heap.selected {
                        selected.push((at, field));
                    }
                    at = self.follow(field);
                    if matches!(self.heap.get(at), Node::App { .. }) {
                        continue;
                    }
                }
                Selection::Waits(argument) if waiting.len() < SELECTOR_DEPTH => {
                    waiting.push(at);
                    at = argument;
                    continue;
                }
                Selection::Waits(_) | Selection::None => {}
            }
            // An application that could not be reduced before is tried again only if what
            // it waits for is a constructor by now.
            match waiting.pop() {
                Some(outer) if self.heap.get(at).as_constr().is_some() => at = outer,
                _ => return self.follow(addr),
            }
        }
    }

    /// Returns what an application comes to, if it applies a selector and nothing has marked it: a
    /// marked one may be on the spine of an unwinding.
    fn select(&mut self, addr: Addr) -> Selection {
        let Node::App { fun, arg, .. } = *self.heap.get(addr) else { return Selection::None };
        let Node::Global(global) = *self.heap.get(self.heap.value(fun)) else {
            return Selection::None;
        };
        if !self.code.is_selector(global) || self.is_marked(addr) {
            return Selection::None;
        }
        let arg = self.follow(arg);
        match self.heap.get(arg) {
            Node::App { .. } => Selection::Waits(arg),
            node => {
                let Some((con, fields)) = node.as_constr() else { return Selection::None };
                let field = self.code.selected(global, con).and_then(|at| fields.get(at)).copied();
                match field.map(|field| self.follow(field)) {
                    // A value that is its own field stays: it depends on itself.
                    Some(field) if field != addr => Selection::Field(field),
                    _ => Selection::None,
                }
            }
        }
    }
}

/// What [`Marker::select`] finds.
enum Selection {
    /// The application is this field.
    Field(Addr),
    /// Its argument is an application itself.
    Waits(Addr),
    /// It is to be left as it is.
    None,
}

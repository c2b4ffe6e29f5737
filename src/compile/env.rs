//! The stack model: the code of one global while it is emitted, how deep the stack is at its
//! end, and where on the stack each local is.

use crate::base::index::IndexVec;
use crate::base::span::Span;
use crate::core::expr::LocalId;
use crate::gcode::instr::{Arities, Flow, Instr, Label};

/// Where a local is.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// Its distance from the bottom: the redex is 0.
    height: u32,
    /// Whether it is known to be in weak head normal form.
    evaluated: bool,
}

/// Where every local of the program is. Locals are bound once in the whole program, so one
/// table serves all globals and a lookup costs the same however deep the bindings nest.
pub struct Env {
    slots: IndexVec<LocalId, Slot>,
    /// The locals that have been evaluated after their binding on the path to the present code, in
    /// order.
    path: Vec<LocalId>,
}

impl Env {
    /// Returns a table for this many locals.
    pub fn new(locals: usize) -> Env {
        Env { slots: (0..locals).map(|_| Slot::default()).collect(), path: Vec::new() }
    }

    /// Records that a local is `height` items above the redex.
    pub fn bind(&mut self, local: LocalId, height: u32, evaluated: bool) {
        self.slots[local] = Slot { height, evaluated };
    }

    /// Returns how far above the redex a local is.
    pub fn height(&self, local: LocalId) -> u32 {
        self.slots[local].height
    }

    /// Returns whether a local is known to be evaluated where code is emitted now.
    pub fn is_evaluated(&self, local: LocalId) -> bool {
        self.slots[local].evaluated
    }

    /// Records that a local has been evaluated.
    pub fn evaluate(&mut self, local: LocalId) {
        if !std::mem::replace(&mut self.slots[local].evaluated, true) {
            self.path.push(local);
        }
    }

    /// Returns how many locals have been evaluated on the way here.
    pub fn mark(&self) -> usize {
        self.path.len()
    }

    /// Returns the locals that have been evaluated since a mark.
    pub fn since(&self, mark: usize) -> &[LocalId] {
        self.path.get(mark..).unwrap_or_default()
    }

    /// Restores the state at a mark: the code that comes is not reached from what has been
    /// evaluated since.
    pub fn undo(&mut self, mark: usize) {
        for local in self.path.drain(mark..) {
            self.slots[local].evaluated = false;
        }
    }
}

/// A label of code under construction.
#[derive(Clone, Copy)]
struct Target {
    /// The index of the instruction that follows it, once it is placed.
    position: u32,
    /// The depth of the stack there, once a jump to it was emitted.
    depth: Option<u32>,
}

/// The code of one global under construction. What cannot be reached is not emitted: code
/// after an instruction that ends it is dropped until a label is placed that something
/// jumps to. So the schemes may end every branch in the same way.
pub struct Code {
    instrs: Vec<Instr>,
    spans: Vec<Span>,
    targets: Vec<Target>,
    /// Items on the stack, the redex included.
    depth: u32,
    live: bool,
}

impl Code {
    /// Returns empty code of a global: above the redex there are its arguments, the first topmost.
    pub fn new(arity: u32) -> Code {
        let (instrs, spans, targets) = Default::default();
        Code { instrs, spans, targets, depth: arity + 1, live: true }
    }

    /// Returns the number of items on the stack at the end of the code, the redex included.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns whether the end of the code can be reached.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// Appends an instruction, if it can be reached.
    pub fn emit(&mut self, ids: &impl Arities, instr: Instr, span: Span) {
        if !self.live {
            return;
        }
        let (takes, leaves) = instr.effect(ids);
        self.depth = self.depth - takes + leaves;
        for Label(target) in instr.labels() {
            self.targets[target as usize].depth = Some(self.depth);
        }
        self.live = instr.op().flow() == Flow::Next;
        self.instrs.push(instr);
        self.spans.push(span);
    }

    /// Returns a new label, to be placed later. Until [`finish`](Code::finish), labels are numbers
    /// of this table, not positions.
    pub fn label(&mut self) -> Label {
        self.targets.push(Target { position: 0, depth: None });
        Label(self.targets.len() as u32 - 1)
    }

    /// Returns whether something jumps to a label.
    pub fn is_used(&self, label: Label) -> bool {
        self.targets[label.0 as usize].depth.is_some()
    }

    /// Places a label before the next instruction.
    pub fn place(&mut self, label: Label) {
        let target = &mut self.targets[label.0 as usize];
        target.position = self.instrs.len() as u32;
        if let Some(depth) = target.depth {
            debug_assert!(!self.live || self.depth == depth, "paths meet at one depth");
            self.depth = depth;
            self.live = true;
        }
    }

    /// Returns the finished code, its labels positions, and the span of each instruction.
    pub fn finish(mut self) -> (Vec<Instr>, Vec<Span>) {
        for instr in &mut self.instrs {
            for label in instr.labels_mut() {
                label.0 = self.targets[label.0 as usize].position;
            }
        }
        (self.instrs, self.spans)
    }
}

//! The events of a run: what happens to each node, for whoever watches it. Both machines tell it a
//! [`Probe`]; a node is known by its birth number, which no other node of the run ever gets.
//!
//! Of each run: a node is born once and before all else; demanded before it is entered; updated
//! at most once; after it is dead nothing happens to it. `docs/seeing.md` has the events in full.

use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::gcode::program::{ConId, GlobalId, Program, TextId};

/// A node: its birth number, from 1.
pub type NodeId = u64;

/// What a node is when it is born.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// A function applied to one argument.
    Application {
        /// The function.
        function: NodeId,
        /// The argument.
        argument: NodeId,
    },
    /// A constructor with all its fields.
    Constructor {
        /// Which constructor.
        con: ConId,
        /// The fields.
        fields: Vec<NodeId>,
    },
    /// An integer.
    Integer(Integer),
    /// A float.
    Float(Float),
    /// A character.
    Character(char),
    /// A function, or a constant that is not evaluated.
    Global(GlobalId),
    /// The rest of a string literal.
    Text {
        /// The literal.
        text: TextId,
        /// Byte offset in it.
        at: u32,
    },
    /// The rest of standard input.
    Input,
    /// An expression that is not evaluated, as the fast machine has it: it stands for the one at its
    /// span.
    Thunk {
        /// The function in whose code it was built.
        owner: GlobalId,
        /// The values of the variables in it.
        captured: Vec<NodeId>,
    },
    /// A function with fewer arguments than it takes, as the fast machine has it.
    Partial {
        /// The function.
        function: GlobalId,
        /// The arguments.
        arguments: Vec<NodeId>,
    },
    /// An array.
    Array(Vec<NodeId>),
    /// A byte string of so many bytes.
    Bytes(usize),
    /// A value of the embedding program.
    Host,
    /// A name of a `letrec` before its expression is built.
    Hole,
}

/// What happens to a node.
#[derive(Clone, PartialEq, Debug)]
pub enum NodeEvent {
    /// The node is made.
    Born {
        /// The node.
        node: NodeId,
        /// What it is.
        content: Content,
        /// The expression that it was made for.
        span: Span,
        /// The redex whose code made it; `None`: the machine did.
        by: Option<NodeId>,
    },
    /// A hole becomes what its `letrec` binds it to.
    Filled {
        /// The hole.
        node: NodeId,
        /// What it is from now on.
        with: NodeId,
    },
    /// The value of a node that has never been demanded is asked for.
    Demanded {
        /// The node.
        node: NodeId,
        /// The redex that needs it, or becomes it; `None`: the output does.
        by: Option<NodeId>,
    },
    /// The value of a node is asked for that was computed, or is being computed, for another
    /// demand.
    Shared {
        /// The node.
        node: NodeId,
        /// The redex that needs it; `None`: the output does.
        by: Option<NodeId>,
    },
    /// The node's code begins.
    Entered {
        /// The node.
        node: NodeId,
        /// Whose code; `None` for texts and input.
        global: Option<GlobalId>,
        /// The arguments.
        arguments: Vec<NodeId>,
    },
    /// The node has been reduced: another one stands for it.
    Updated {
        /// The node.
        node: NodeId,
        /// What it is from now on: a value, or what is reduced next.
        with: NodeId,
    },
    /// The collector puts the field that a selection selects in the place of the selection.
    Selected {
        /// The selection.
        node: NodeId,
        /// The field.
        with: NodeId,
    },
    /// Something of an evaluated node is written to the output.
    Printed {
        /// The node.
        node: NodeId,
        /// What is written; it may be empty.
        text: String,
    },
    /// The collector has found the node unreachable.
    Dead {
        /// The node.
        node: NodeId,
    },
}

impl NodeEvent {
    /// Returns the node that it happens to.
    #[must_use]
    pub fn node(&self) -> NodeId {
        match self {
            NodeEvent::Born { node, .. }
            | NodeEvent::Filled { node, .. }
            | NodeEvent::Demanded { node, .. }
            | NodeEvent::Shared { node, .. }
            | NodeEvent::Entered { node, .. }
            | NodeEvent::Updated { node, .. }
            | NodeEvent::Selected { node, .. }
            | NodeEvent::Printed { node, .. }
            | NodeEvent::Dead { node } => *node,
        }
    }
}

/// Where in the run an event is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Instructions executed so far.
    pub instructions: u64,
    /// How many evaluations wait for the present one, the output's included.
    pub depth: usize,
}

/// Whoever is told of the events of a run.
pub trait Probe {
    /// Takes an event of a run of this program.
    fn event(&mut self, event: NodeEvent, moment: Moment, program: &Program);
}

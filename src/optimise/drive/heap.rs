//! The heap of compile time: what is known of each value while a body is driven.

use super::transaction::Revert;
use crate::base::index::{Idx, IndexVec, List, Pool};
use crate::base::span::Span;
use crate::core::expr::{ConId, ExprId, GlobalId, Lit, LocalId, SwitchId, TextId};

crate::define_index! {
    /// A value, known or not.
    pub NodeId;
    /// The first slot of an activation: a function's locals, and what they are bound to.
    pub EnvId;
}

/// A function that can be applied to fewer arguments than it takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Head {
    /// A definition, primitive or host function of the old program.
    Global(GlobalId),
    /// A constructor.
    Con(ConId),
}

/// What is known of a value.
#[derive(Clone, Copy, Debug)]
pub enum AbstractValue {
    /// An expression of the old program that nothing has evaluated yet.
    Thunk(ExprId, EnvId),
    /// A supercombinator with all its arguments that nothing has evaluated yet.
    Call(GlobalId, List<NodeId>),
    /// An integer or character.
    Lit(Lit),
    /// The rest of a text literal from a byte position on; never empty.
    Text(TextId, u32),
    /// A constructor and its fields.
    Con(ConId, List<NodeId>),
    /// A function, applied to fewer arguments than it takes.
    Partial(Head, List<NodeId>),
    /// Known at run time only; whether it is certainly evaluated there.
    Unknown(bool),
    /// Another name of this value.
    Alias(NodeId),
    /// No value, but what stands for it among the arguments beyond a call's parameters: the selection of the
    /// field that this switch applies.
    Select(SwitchId),
}

impl AbstractValue {
    /// Returns what it is made of.
    pub fn parts(self) -> List<NodeId> {
        match self {
            AbstractValue::Con(_, parts)
            | AbstractValue::Call(_, parts)
            | AbstractValue::Partial(_, parts) => parts,
            _ => List::EMPTY,
        }
    }
}

/// How the new program can name a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    /// A local of the new program.
    Local(LocalId),
    /// A CAF, by its old id.
    Caf(GlobalId),
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What is known of it.
    pub value: AbstractValue,
    /// Its name where the code that is being written runs, if it has one there.
    pub name: Option<Name>,
    /// Whether speculating on it failed.
    pub hopeless: bool,
    /// Whether more than one place may refer to it.
    pub shared: bool,
    /// Whether it is being evaluated.
    pub busy: bool,
    /// Whether it is written in the one place that refers to it.
    pub placed: bool,
}

/// A value of which there are no notes.
const NOTHING_KNOWN: Node = Node {
    value: AbstractValue::Unknown(false),
    name: None,
    hopeless: false,
    shared: false,
    busy: false,
    placed: false,
};

/// Where the heap was, to go back to.
#[derive(Clone, Copy)]
pub struct Mark {
    trail: usize,
    nodes: usize,
    lists: usize,
    slots: usize,
}

/// The values of one body, and every change to them, so that changes can be taken back:
/// what is known in one branch does not hold in another.
pub struct Heap {
    nodes: IndexVec<NodeId, Node>,
    lists: Pool<NodeId>,
    slots: Vec<NodeId>,
    /// For the first slot of each activation, its number; the same is never given twice.
    serials: Vec<u32>,
    /// For the first slot of each activation, the innermost call outside of the corelib through
    /// which it was unfolded, if there is one.
    calls: Vec<Span>,
    activations: u32,
    /// How many values and lists are kept for all bodies.
    kept: (usize, usize),
    trail: Vec<(NodeId, Node)>,
    /// How many values are being evaluated.
    entered: usize,
}

impl Heap {
    /// Returns an empty heap.
    pub fn new() -> Heap {
        Heap {
            nodes: IndexVec::new(),
            lists: Pool::default(),
            slots: Vec::new(),
            serials: Vec::new(),
            calls: Vec::new(),
            activations: 0,
            kept: (0, 0),
            trail: Vec::new(),
            entered: 0,
        }
    }

    /// Keeps what there is for all bodies.
    pub fn keep(&mut self) {
        self.kept = (self.nodes.len(), self.lists.len());
    }

    /// Forgets everything but what is kept.
    pub fn clear(&mut self) {
        self.nodes.truncate(self.kept.0);
        self.lists.truncate(self.kept.1);
        self.slots.clear();
        self.serials.clear();
        self.calls.clear();
        self.trail.clear();
        self.entered = 0;
    }

    /// Adds a value without a name.
    pub fn add(&mut self, value: AbstractValue) -> NodeId {
        self.nodes.push(Node { value, ..NOTHING_KNOWN })
    }

    /// Adds a value with a name.
    pub fn named(&mut self, value: AbstractValue, name: Name) -> NodeId {
        let name = Some(name);
        self.nodes.push(Node { value, name, shared: true, ..NOTHING_KNOWN })
    }

    /// Returns the value that a node stands for.
    #[inline]
    pub fn resolve(&self, node: NodeId) -> NodeId {
        let mut node = node;
        while let AbstractValue::Alias(other) = self.nodes[node].value {
            node = other;
        }
        node
    }

    /// Returns what is known of a value; never an alias.
    #[inline]
    pub fn get(&self, node: NodeId) -> Node {
        self.nodes[self.resolve(node)]
    }

    /// Changes what is known of a value.
    pub fn set(&mut self, node: NodeId, value: AbstractValue, name: Option<Name>) {
        let node = self.resolve(node);
        if let AbstractValue::Alias(other) = value
            && self.resolve(other) == node
        {
            return;
        }
        self.trail.push((node, self.nodes[node]));
        let Node { shared, busy, .. } = self.nodes[node];
        self.entered -= usize::from(busy);
        self.nodes[node] = Node { value, name, shared, ..NOTHING_KNOWN };
    }

    /// Notes that another place refers to a value.
    pub fn share(&mut self, node: NodeId) {
        let node = self.resolve(node);
        if !self.nodes[node].shared {
            self.trail.push((node, self.nodes[node]));
            self.nodes[node].shared = true;
        }
    }

    /// Returns the arguments that a function has which is about to be applied. It may be applied in
    /// another place too if others refer to it, so they refer to its arguments then.
    pub fn given(&mut self, function: NodeId) -> Vec<NodeId> {
        let known = self.get(function);
        let AbstractValue::Partial(_, given) = known.value else { return Vec::new() };
        let given = self.lists[given].to_vec();
        if known.shared || known.name.is_some() {
            given.iter().for_each(|&node| self.share(node));
        }
        given
    }

    /// Notes that a value is being evaluated.
    pub fn enter(&mut self, node: NodeId) {
        let node = self.resolve(node);
        self.trail.push((node, self.nodes[node]));
        self.entered += usize::from(!self.nodes[node].busy);
        self.nodes[node].busy = true;
    }

    /// Returns whether anything is being evaluated.
    pub fn is_entered(&self) -> bool {
        self.entered > 0
    }

    /// Notes that speculating on a value failed.
    pub fn give_up(&mut self, node: NodeId) {
        let node = self.resolve(node);
        self.nodes[node].hopeless = true;
    }

    /// Notes that a value is written in the one place that refers to it.
    pub fn place(&mut self, node: NodeId) {
        let node = self.resolve(node);
        self.trail.push((node, self.nodes[node]));
        self.nodes[node].placed = true;
    }

    /// Adds a list of values.
    pub fn list(&mut self, nodes: impl IntoIterator<Item = NodeId>) -> List<NodeId> {
        self.lists.add(nodes)
    }

    /// Returns the values of a list.
    pub fn items(&self, list: List<NodeId>) -> &[NodeId] {
        &self.lists[list]
    }

    /// Adds an activation of so many locals, unfolded through `call`.
    pub fn activation(&mut self, locals: usize, call: Span) -> EnvId {
        let env = EnvId::new(self.slots.len());
        let end = self.slots.len() + locals.max(1);
        self.slots.resize(end, NodeId(u32::MAX));
        self.serials.resize(end, self.activations);
        self.calls.resize(end, call);
        self.activations += 1;
        env
    }

    /// Returns the number of an activation, which no other has, not even one of which it takes the
    /// place after a [`revert`](Revert::revert).
    pub fn serial(&self, env: EnvId) -> u32 {
        self.serials[env.index()]
    }

    /// Returns the innermost call outside of the corelib through which an activation was unfolded;
    /// [`Span::NONE`] if there is none.
    pub fn call(&self, env: EnvId) -> Span {
        self.calls[env.index()]
    }

    /// Binds a local, by its number in its function.
    pub fn bind(&mut self, env: EnvId, slot: u32, node: NodeId) {
        self.slots[env.index() + slot as usize] = node;
    }

    /// Returns what a local is bound to.
    pub fn lookup(&self, env: EnvId, slot: u32) -> NodeId {
        self.slots[env.index() + slot as usize]
    }

    /// Returns how many values there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the value that was made after so many others.
    pub fn nth(&self, count: usize) -> NodeId {
        NodeId::new(count)
    }

    /// Returns whether a node is itself an expression that nothing has evaluated, and that is not written.
    pub fn is_thunk(&self, node: NodeId) -> bool {
        let node = self.nodes[node];
        matches!(node.value, AbstractValue::Thunk(..) | AbstractValue::Call(..))
            && !node.busy
            && !node.placed
    }
}

/// A note of [`Heap::give_up`] stays, unless the value has changed since the mark.
impl Revert for Heap {
    type Mark = Mark;

    fn mark(&self) -> Mark {
        Mark {
            trail: self.trail.len(),
            nodes: self.nodes.len(),
            lists: self.lists.len(),
            slots: self.slots.len(),
        }
    }

    /// Takes back every change since a mark, and every value made since then.
    fn revert(&mut self, mark: Mark) {
        while self.trail.len() > mark.trail
            && let Some((node, before)) = self.trail.pop()
        {
            self.entered -= usize::from(self.nodes[node].busy);
            self.entered += usize::from(before.busy);
            self.nodes[node] = before;
        }
        self.nodes.truncate(mark.nodes);
        self.lists.truncate(mark.lists);
        self.slots.truncate(mark.slots);
        self.serials.truncate(mark.slots);
        self.calls.truncate(mark.slots);
    }
}

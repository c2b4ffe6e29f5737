//! What a profiled run of the fast machine costs: by function, by stack, and in live memory over
//! time.
//!
//! Everything here is counted, and depends on the program and its input alone: there is no clock.

use std::sync::Arc;

use super::outcome::Statistics;
use crate::base::span::Span;

/// What is counted everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Instructions executed.
    pub instructions: u64,
    /// Bytes allocated.
    pub bytes: u64,
    /// Thunks built.
    pub thunks_made: u64,
    /// Thunks entered.
    pub thunks_entered: u64,
    /// Thunks updated with their value.
    pub thunks_updated: u64,
}

impl Cost {
    /// Adds another one.
    pub(in crate::machine) fn add(&mut self, other: Cost) {
        self.instructions += other.instructions;
        self.bytes += other.bytes;
        self.thunks_made += other.thunks_made;
        self.thunks_entered += other.thunks_entered;
        self.thunks_updated += other.thunks_updated;
    }

    /// Returns the cost whose counts `of` makes of these.
    pub(in crate::machine) fn map(self, of: impl Fn(u64) -> u64) -> Cost {
        Cost {
            instructions: of(self.instructions),
            bytes: of(self.bytes),
            thunks_made: of(self.thunks_made),
            thunks_entered: of(self.thunks_entered),
            thunks_updated: of(self.thunks_updated),
        }
    }
}

/// The costs of a function: of its code, and of the code of the thunks that it builds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionCosts {
    /// Its name. What was lifted out of a function has the function's.
    pub name: Arc<str>,
    /// How often its code was entered, by a call or for a thunk that is a call of it.
    pub calls: u64,
    /// Its share of [`Statistics::reductions`]: its calls, the entries of the code of its thunks,
    /// the partial applications that it made by applying something.
    pub reductions: u64,
    /// What its own code costs. Of thunks it counts those built in its code, whoever enters them.
    pub own: Cost,
    /// What it costs with all that it waits for: its own, and of each other function's own costs the
    /// part that falls on the samples of the stack in which it waits for that.
    pub inherited: Cost,
}

/// A node of the tree of stacks: a function that the function of the parent waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackNode {
    /// The node of who waits; `None` at the bottom of the stack.
    pub parent: Option<u32>,
    /// The function, by its place in [`Costs::functions`]; `None` for functions that were left out
    /// of a deep stack.
    pub function: Option<u32>,
    /// The part of the function's own costs that falls on the samples which found just this stack.
    pub cost: Cost,
}

/// Who keeps a node alive: what leads to it first. Constants come first, then the frames of the
/// stack, the outermost first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Holder {
    /// The value of a constant, by its place in [`Costs::functions`].
    Constant(u32),
    /// The frames of a function that waits or runs, by its place in [`Costs::functions`].
    Function(u32),
    /// Handles of the embedding program.
    Handles,
    /// What is being printed.
    Output,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NodeKind {
    /// A constructor with its fields.
    Constructor,
    /// A thunk that nobody has entered.
    Thunk,
    /// A thunk under evaluation, or a name of a `letrec` that has no value yet.
    Evaluating,
    /// A thunk whose evaluation was stopped.
    Stopped,
    /// A function with fewer arguments than it takes.
    PartialApplication,
    /// An integer that does not fit a word.
    Integer,
    /// A float that does not fit a word.
    Float,
    /// The rest of a string or of the input.
    Text,
    /// An array.
    Array,
    /// A byte string, or its bytes.
    Bytes,
    /// No node: a frame of the stack.
    Frame,
}

impl NodeKind {
    /// Returns its name, as reports have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            NodeKind::Constructor => "constructor",
            NodeKind::Thunk => "thunk",
            NodeKind::Evaluating => "under evaluation",
            NodeKind::Stopped => "stopped",
            NodeKind::PartialApplication => "partial application",
            NodeKind::Integer => "integer",
            NodeKind::Float => "float",
            NodeKind::Text => "text",
            NodeKind::Array => "array",
            NodeKind::Bytes => "bytes",
            NodeKind::Frame => "stack frame",
        }
    }
}

/// What nodes have in common that a census counts together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// What they are.
    pub kind: NodeKind,
    /// The constructor's name.
    pub constructor: Option<Arc<str>>,
    /// The function in whose code a thunk is built, that a partial application is of, or that a
    /// frame belongs to: its place in [`Costs::functions`].
    pub function: Option<u32>,
    /// The expression that a thunk stands for.
    pub span: Span,
}

/// Live nodes that have content and holder in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Live {
    /// The place in [`Costs::holders`].
    pub holder: u32,
    /// The place in [`Costs::contents`].
    pub content: u32,
    /// How many there are.
    pub nodes: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// How live nodes are reached: a node of a tree, whose root is a holder. Nodes that lead to others
/// of their content, as the cells of a list do, count as one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Path {
    /// The step before it, by its place among the paths; `None` for what a holder keeps itself.
    pub parent: Option<u32>,
    /// The place in [`Costs::holders`].
    pub holder: u32,
    /// The place in [`Costs::contents`]; `None` at the root.
    pub content: Option<u32>,
    /// How many nodes are reached on just this path.
    pub nodes: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What is alive at one moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Census {
    /// What the run had cost by then.
    pub at: Cost,
    /// Each live node once.
    pub live: Vec<Live>,
}

impl Census {
    /// Returns the bytes of all live nodes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.live.iter().map(|live| live.bytes).sum()
    }
}

/// What a profiled run costs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Costs {
    /// Functions; the first one is what belongs to none: the machine itself.
    pub functions: Vec<FunctionCosts>,
    /// How many samples of the stack were taken.
    pub samples: u64,
    /// The stacks that the samples found; parents stand before their children.
    pub stacks: Vec<StackNode>,
    /// Who keeps nodes alive.
    pub holders: Vec<Holder>,
    /// What live nodes are.
    pub contents: Vec<Content>,
    /// What was alive, in the order of time.
    pub censuses: Vec<Census>,
    /// How that was reached at the first of the censuses at which most was alive; parents stand
    /// before their children.
    pub paths: Vec<Path>,
    /// What the run counted.
    pub totals: Statistics,
}

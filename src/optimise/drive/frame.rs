//! What is to be done with a value once it is known: the continuation of a driven expression.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::eval::Operand;
use super::heap::{EnvId, NodeId};
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::expr::{ConId, ExprId, GlobalId, JoinId, Lit, LocalId, SwitchId};
use crate::primitive::Primitive;

/// A continuation: the frames from the innermost on.
pub type Frames = Option<Rc<Frame>>;

/// A frame and those after it.
pub struct Frame {
    /// What is done first.
    pub action: Action,
    /// What is done then.
    pub next: Frames,
    /// How many frames there are from here to the end.
    pub depth: u32,
    /// Whether one of them, up to those that are written once, updates a thunk.
    pub updates: bool,
}

impl Drop for Frame {
    fn drop(&mut self) {
        // One after the other: a continuation may be long, and hold others.
        let mut held = Vec::new();
        let mut next = self.let_go(&mut held);
        loop {
            while let Some(mut frame) = next.and_then(Rc::into_inner) {
                next = frame.let_go(&mut held);
            }
            match held.pop() {
                Some(frames) => next = frames,
                None => break,
            }
        }
    }
}

impl Frame {
    /// Returns the frames after a frame, and adds those that it alone holds; they are its own no more.
    fn let_go(&mut self, held: &mut Vec<Frames>) -> Frames {
        if let Action::Shared(_) = self.action {
            let nothing = Action::Apply(List::EMPTY, Span::NONE);
            if let Action::Shared(shared) = std::mem::replace(&mut self.action, nothing)
                && let Some(shared) = Rc::into_inner(shared)
            {
                held.push(shared.frames);
            }
        }
        self.next.take()
    }
}

/// What is done with a value.
#[derive(Clone)]
pub enum Action {
    /// Bind it, evaluated, and go on with the body.
    Force(LocalId, ExprId, EnvId),
    /// Switch on it; the switch's scrutinee is what has been evaluated.
    Switch(SwitchId, EnvId, Span),
    /// Switch on the value of a call that was written where the switch takes it apart.
    Consume(SwitchId, EnvId, Span),
    /// Choose.
    If { yes: Operand, no: Operand, global: GlobalId, span: Span },
    /// Forget it and go on.
    Seq(Operand),
    /// Compute a primitive of it: it is the operand at this place between the others, which are
    /// evaluated.
    Operand { primitive: Primitive, global: GlobalId, at: usize, others: List<NodeId>, span: Span },
    /// Take out the field that this switch applies; what it is applied to comes next.
    Select(SwitchId, Span),
    /// Apply it.
    Apply(List<NodeId>, Span),
    /// It is what this thunk comes to.
    Update(NodeId),
    /// Several branches end here: what follows is written once.
    Shared(Rc<Shared>),
}

/// Frames that several branches end in. They are written once for each way to enter them.
pub struct Shared {
    /// What is done.
    pub frames: Frames,
    /// How many branchings it was made in.
    pub depth: u32,
    /// The joins that branches jump to, each with what it is for.
    pub entries: RefCell<Entries>,
}

/// The ways in which shared frames are entered, in the order of their first jumps.
#[derive(Default)]
pub struct Entries {
    at: FxHashMap<Entry, JoinId>,
    order: Vec<(Entry, JoinId)>,
}

impl Entries {
    /// Returns the join of an entry.
    pub fn get(&self, entry: Entry) -> Option<JoinId> {
        self.at.get(&entry).copied()
    }

    /// Adds an entry with its join.
    pub fn add(&mut self, entry: Entry, join: JoinId) {
        self.at.insert(entry, join);
        self.order.push((entry, join));
    }

    /// Returns the entry that was added after so many others.
    pub fn nth(&self, count: usize) -> Option<(Entry, JoinId)> {
        self.order.get(count).copied()
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }
}

/// What a jump to shared frames brings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Entry {
    /// Any value, the one parameter.
    Value,
    /// A constructor, its fields the parameters.
    Con(ConId),
    /// A constructor that has been built: itself and its fields are the parameters.
    Built(ConId),
    /// A literal.
    Lit(Lit),
    /// A value, the one parameter, for which the choice that the frames begin with has no
    /// alternative of its own.
    Default,
    /// A number, by the alternative that it takes of the tests that the frames begin with.
    Tested(ExprId, Brings),
}

/// What a jump to an alternative of tests brings of the number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Brings {
    /// Nothing: the alternative does not mention it.
    Nothing,
    /// Nothing, but it is known.
    Lit(Lit),
    /// The number, the one parameter.
    Value,
}

/// Adds a frame.
pub fn push(action: Action, next: &Frames) -> Frames {
    let depth = match &action {
        Action::Shared(shared) => depth(&shared.frames),
        _ => depth(next) + 1,
    };
    let updates = match action {
        Action::Update(_) => true,
        _ => next.as_ref().is_some_and(|next| next.updates),
    };
    Some(Rc::new(Frame { action, next: next.clone(), depth, updates }))
}

/// Returns how many frames there are, to the end of those that are written once.
pub fn depth(frames: &Frames) -> u32 {
    frames.as_ref().map_or(0, |frame| frame.depth)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{Action, Frames, Shared, depth, push};
    use crate::base::index::List;
    use crate::base::span::Span;

    const LONG: u32 = 200_000;

    fn apply(next: &Frames) -> Frames {
        push(Action::Apply(List::EMPTY, Span::NONE), next)
    }

    #[test]
    fn a_long_continuation_needs_no_stack_to_be_dropped() {
        let frames = (0..LONG).fold(None, |frames, _| apply(&frames));
        assert_eq!(depth(&frames), LONG);
        drop(frames);
    }

    #[test]
    fn a_long_row_of_continuations_in_each_other_needs_none_either() {
        let frames = (0..LONG).fold(None, |frames, _| {
            let shared = Shared { frames: apply(&frames), depth: 0, entries: Default::default() };
            push(Action::Shared(Rc::new(shared)), &None)
        });
        assert_eq!(depth(&frames), LONG);
        drop(frames);
    }
}

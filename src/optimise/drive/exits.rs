//! Functions that several branches end in.
//!
//! A function that a continuation holds, as in continuation-passing style, is entered at the end of
//! each branch that refers to it; it ends in the next one, and so on to the first. Written at each
//! exit, such a chain is code with the square of how many branchings follow each other. So the end of
//! a long one is join points around the branching: a branch that comes to it ends in a jump, which
//! brings what is known of the arguments.
//!
//! Invariants:
//! - A jump leaves nothing to be done behind: what follows it is the end of the branching, or a rest
//!   of the frames that all its branches have.
//! - The function is bound before the branching, with what it holds: no branch evaluates what the
//!   handler would evaluate again, and where it is needed as a value it is not written again.
//! - Handlers are written from the youngest function to the oldest, each around those before it. One
//!   that comes to another function of the same branching jumps if that one is older.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::rc::Rc;

use super::eval::State;
use super::frame::{Action, Entry, Frames};
use super::heap::{AbstractValue, Head, NodeId};
use super::let_insertion::{Chain, LOOKED_AT};
use super::share::Split;
use super::{Attempt, Driver, Outcome};
use crate::base::index::{Idx, List};
use crate::base::span::Span;
use crate::core::expr::{ExprId, GlobalKind, JoinId};

/// The most ways into a function for what is known of arguments.
const KNOWN: usize = 4;

/// The ways into a function, by which the branches of one branching leave.
pub(super) struct Exits {
    /// The frames that each branch has.
    frames: Frames,
    /// The run that the branches are at an end of.
    end: u32,
    ways: RefCell<Vec<Way>>,
}

/// A way into a function.
#[derive(Clone)]
struct Way {
    /// What is brought of each argument.
    args: Vec<Entry>,
    /// What is done with the function's value.
    frames: Frames,
    join: JoinId,
    span: Span,
}

/// What has been prepared for a branching.
pub(super) struct Opened {
    /// The functions that its branches may leave by, each with what it was to those around.
    pub functions: Vec<(NodeId, Option<Rc<Exits>>)>,
    /// The run that the branching is at an end of, if nothing follows it.
    pub outer: u32,
}

impl Driver<'_> {
    /// Begins a run of which nothing around is an end; returns the one before.
    pub(super) fn new_end(&mut self) -> u32 {
        self.ends += 1;
        std::mem::replace(&mut self.end, self.ends)
    }

    /// Returns the ends of long chains of functions of which each holds the next. They begin with what
    /// the alternatives of a branching have in common, and what is in the frames that each has.
    fn chained_functions(&mut self, common: &[NodeId], frames: &Frames) -> Vec<NodeId> {
        if !self.knows() || !self.rules.case_of_case {
            return Vec::new();
        }
        let mut work: Vec<(NodeId, Chain)> =
            common.iter().map(|&node| (node, Chain::default())).collect();
        let mut rest = frames;
        while let Some(frame) = rest {
            if let Action::Apply(args, _) = frame.action {
                let args = self.heap.items(args).iter();
                work.extend(args.map(|&arg| (arg, Chain::default())));
            }
            rest = &frame.next;
        }
        let mut ends = Vec::new();
        let mut left = LOOKED_AT;
        while let Some((node, mut chain)) = work.pop() {
            let node = self.heap.resolve(node);
            let Some((body, held)) = self.held_by(node) else { continue };
            if left == 0 || self.is_exit(node, frames) {
                continue;
            }
            left -= 1;
            chain.links += 1;
            chain.branching += self.branchings(body);
            if chain.is_long(self.history.is_second()) {
                ends.push(node);
            } else {
                work.extend(self.heap.items(held).iter().map(|&held| (held, chain)));
            }
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Returns the body of a function that holds something and is not recursive, and what it holds.
    fn held_by(&self, node: NodeId) -> Option<(ExprId, List<NodeId>)> {
        let AbstractValue::Partial(Head::Global(global), held) = self.heap.get(node).value else {
            return None;
        };
        let GlobalKind::Defn { body, .. } = self.old.globals[global].kind else { return None };
        let is_held = !self.heap.items(held).is_empty() && !self.facts.recursive[global];
        body.filter(|_| is_held).map(|body| (body, held))
    }

    /// Returns whether code that ends in frames could leave by a function.
    fn is_exit(&self, node: NodeId, frames: &Frames) -> bool {
        self.exits.get(&node).is_some_and(|exits| exits.is_left_by(self.end, frames))
    }

    /// Prepares for the branches of a branching, which have these values in common, if it has
    /// several.
    pub(super) fn open_exits(&mut self, common: Option<&[NodeId]>, split: &Split) -> Opened {
        let outer = match split.after {
            Some(_) => self.new_end(),
            None => self.end,
        };
        let functions = match common {
            Some(common) => self.chained_functions(common, &split.inner),
            None => Vec::new(),
        };
        for &function in &functions {
            // With all that it holds. What is used by jumps alone goes later.
            self.atom(function, Span::NONE);
        }
        let opened = functions.into_iter().map(|function| {
            let ways = RefCell::default();
            let exits = Exits { frames: split.inner.clone(), end: self.end, ways };
            let before = self.exits.get(&function).cloned();
            self.exits.insert(function, Rc::new(exits));
            (function, before)
        });
        Opened { functions: opened.collect(), outer }
    }

    /// Ends the branch in a jump to a function, if it is one that branches leave by, and what
    /// follows is the same.
    pub(super) fn leave(
        &mut self,
        function: NodeId,
        args: &[NodeId],
        frames: &Frames,
        span: Span,
    ) -> Option<State> {
        let function = self.heap.resolve(function);
        let exits = self.exits.get(&function)?.clone();
        let AbstractValue::Partial(Head::Global(global), given) = self.heap.get(function).value
        else {
            return None;
        };
        let is_call = self.heap.items(given).len() + args.len() == self.old.arity(global);
        if !is_call || !exits.is_left_by(self.end, frames) {
            return None;
        }
        let mut ways = exits.ways.borrow_mut();
        let mut entries: Vec<Entry> = args.iter().map(|&arg| self.brought_as(arg)).collect();
        let is_nothing = |entries: &[Entry]| entries.iter().all(|entry| *entry == Entry::Value);
        let mut found = ways.iter().find(|way| way.is(&entries, frames));
        if found.is_none() && ways.iter().filter(|way| !is_nothing(&way.args)).count() >= KNOWN {
            entries.fill(Entry::Value);
            found = ways.iter().find(|way| way.is(&entries, frames));
        }
        let join = match found {
            Some(way) => way.join,
            None => {
                let join = self.placeholder();
                ways.push(Way { args: entries.clone(), frames: frames.clone(), join, span });
                join
            }
        };
        drop(ways);
        let args = entries.into_iter().zip(args);
        let brought: Vec<NodeId> = args.flat_map(|(entry, &arg)| self.brings(entry, arg)).collect();
        let code = self.jump_code(join, &brought, span);
        Some(State::Value(Outcome::Ends(code), None))
    }

    /// Returns what a jump brings of an argument.
    fn brought_as(&self, arg: NodeId) -> Entry {
        let known = self.heap.get(arg);
        match (known.value, known.name) {
            (AbstractValue::Lit(lit), _) => Entry::Lit(lit),
            (AbstractValue::Con(con, _), None) => Entry::Con(con),
            (AbstractValue::Con(con, _), Some(_)) => Entry::Built(con),
            _ => Entry::Value,
        }
    }

    /// Writes the functions that branches left by around the code of the branching.
    pub(super) fn close_exits(
        &mut self,
        functions: Vec<(NodeId, Option<Rc<Exits>>)>,
        code: ExprId,
    ) -> Attempt<ExprId> {
        let mut code = code;
        let mut functions = functions;
        functions.sort_unstable_by_key(|(function, _)| Reverse(function.index()));
        for (function, before) in functions {
            let Some(exits) = self.exits.get(&function).cloned() else { continue };
            match before {
                Some(before) => self.exits.insert(function, before),
                None => self.exits.remove(&function),
            }
            for way in exits.ways.take() {
                code = self.close_way(function, way, code)?;
            }
        }
        Ok(code)
    }

    fn close_way(&mut self, function: NodeId, way: Way, code: ExprId) -> Attempt<ExprId> {
        let AbstractValue::Partial(head, _) = self.heap.get(function).value else {
            unreachable!("what is known of a function stays so")
        };
        let mut params = Vec::new();
        self.depth += 1;
        let handler = self.scope(way.span, |driver| {
            let mut args = driver.heap.given(function);
            for entry in way.args {
                args.push(driver.brought(entry, &mut params, way.span));
            }
            let state = driver.apply_known(head, args, way.frames, way.span)?;
            driver.run_to_end(state)
        })?;
        self.depth -= 1;
        Ok(self.write_join(way.join, params, handler, code))
    }
}

impl Exits {
    /// Returns whether code at an end of a run, which ends in frames, could end in these.
    fn is_left_by(&self, end: u32, frames: &Frames) -> bool {
        end == self.end && is_rest(frames, &self.frames)
    }
}

impl Way {
    fn is(&self, args: &[Entry], frames: &Frames) -> bool {
        self.args == args && is_same(&self.frames, frames)
    }
}

fn is_same(one: &Frames, other: &Frames) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}

/// Returns whether some frames are others without the first of them.
fn is_rest(rest: &Frames, frames: &Frames) -> bool {
    let mut frames = frames;
    loop {
        match frames {
            _ if is_same(rest, frames) => return true,
            Some(frame) => frames = &frame.next,
            None => return false,
        }
    }
}

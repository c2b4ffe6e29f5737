//! Opaque values: values of the embedding program that programs pass around and give back.
//!
//! A node stands for each, and the table of a machine has the value itself. The table keeps no
//! node alive: a full collection drops the values whose nodes it finds dead.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::gcode::program::ConId;

/// The constructor of the nodes that stand for opaque values. It is in no program, so no code takes
/// them apart. Its field is the number of the value.
pub(in crate::machine) const OPAQUE: ConId = ConId(u32::MAX);

/// A value of the embedding program, of whatever type, and the name of the type.
#[derive(Clone)]
pub struct Opaque {
    /// What programs' messages and printed values call its type.
    pub name: &'static str,
    /// The value.
    pub value: Arc<dyn Any + Send + Sync>,
}

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<host {}>", self.name)
    }
}

/// The opaque values of a machine. `W` is the machine's own reference to a node.
#[derive(Debug)]
pub(in crate::machine) struct Opaques<W> {
    entries: Vec<Option<(W, Opaque)>>,
    /// The numbers of `entries` that are `None`.
    free: Vec<u32>,
    /// Values whose nodes were found dead.
    dead: Vec<Opaque>,
}

impl<W> Default for Opaques<W> {
    fn default() -> Opaques<W> {
        Opaques { entries: Vec::new(), free: Vec::new(), dead: Vec::new() }
    }
}

/// The values that are left are dropped one by one: of two panics the second would end the process.
impl<W> Drop for Opaques<W> {
    fn drop(&mut self) {
        let values = self.entries.drain(..).flatten().map(|(_, value)| value);
        self.dead.extend(values);
        self.drop_dead();
    }
}

impl<W> Opaques<W> {
    /// Returns the number that the next value gets.
    pub fn next(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.entries.len() as u32)
    }

    /// Keeps a value, whose number [`next`](Opaques::next) has told, and its node.
    pub fn add(&mut self, node: W, value: Opaque) {
        let entry = Some((node, value));
        match self.free.pop().and_then(|at| self.entries.get_mut(at as usize)) {
            Some(place) => *place = entry,
            None => self.entries.push(entry),
        }
    }

    /// Returns the value with a number.
    pub fn get(&self, number: u32) -> Option<&Opaque> {
        self.entries.get(number as usize)?.as_ref().map(|(_, value)| value)
    }

    /// Returns the node of the value with a number.
    pub fn node_mut(&mut self, number: u32) -> Option<&mut W> {
        self.entries.get_mut(number as usize)?.as_mut().map(|(node, _)| node)
    }

    /// Returns the nodes of all values.
    pub fn nodes(&mut self) -> impl Iterator<Item = &mut W> {
        self.entries.iter_mut().flatten().map(|(node, _)| node)
    }

    /// Forgets the values whose nodes are not alive. They are dropped by
    /// [`drop_dead`](Opaques::drop_dead).
    pub fn sweep(&mut self, mut is_live: impl FnMut(&mut W) -> bool) {
        for (at, place) in (0..).zip(&mut self.entries) {
            if place.as_mut().is_some_and(|(node, _)| !is_live(node))
                && let Some((_, value)) = place.take()
            {
                self.free.push(at);
                self.dead.push(value);
            }
        }
    }

    /// Drops the values that were forgotten. That is code of the embedding program, which may
    /// panic: a panic ends here.
    pub fn drop_dead(&mut self) {
        for value in self.dead.drain(..) {
            let _ = catch_unwind(AssertUnwindSafe(|| drop(value)));
        }
    }

    /// Copies the table; both refer to the same values.
    pub fn copied(&self) -> Opaques<W>
    where
        W: Clone,
    {
        let mut entries = Vec::with_capacity(self.entries.capacity());
        entries.extend_from_slice(&self.entries);
        Opaques { entries, free: self.free.clone(), dead: Vec::new() }
    }

    /// Returns bytes that the table takes.
    pub fn bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<Option<(W, Opaque)>>()) as u64
    }
}

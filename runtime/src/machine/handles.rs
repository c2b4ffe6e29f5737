//! Handles: references of an embedder to values, which are handles of the collector.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The indices of handles that were dropped, which are free for others.
#[derive(Debug, Default)]
struct Dropped(Mutex<Vec<u32>>);

impl Dropped {
    fn lock(&self) -> MutexGuard<'_, Vec<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Inner {
    index: u32,
    dropped: Arc<Dropped>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.dropped.lock().push(self.index);
    }
}

/// A handle of a value of a machine. The value stays alive as long as a clone of its handle. A
/// handle belongs to one machine; another one does not know it.
#[derive(Clone)]
pub struct Handle(Arc<Inner>);

impl Handle {
    /// Returns its number among the handles of its machine.
    pub(in crate::machine) fn index(&self) -> u32 {
        self.0.index
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Handle({})", self.0.index)
    }
}

/// The handle table of a machine. `W` is the machine's own reference to a value.
///
/// Dropping the last clone of a [`Handle`] only notes its index, so handles may be dropped on any
/// thread; the table frees these entries when it is next used.
#[derive(Debug)]
pub(in crate::machine) struct HandleTable<W> {
    slots: Vec<Option<W>>,
    free: Vec<u32>,
    dropped: Arc<Dropped>,
}

impl<W> Default for HandleTable<W> {
    fn default() -> HandleTable<W> {
        HandleTable { slots: Vec::new(), free: Vec::new(), dropped: Arc::default() }
    }
}

impl<W: Copy> HandleTable<W> {
    /// Makes a handle of a value.
    pub(in crate::machine) fn add(&mut self, word: W) -> Handle {
        self.reclaim();
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                self.slots.push(None);
                self.slots.len() as u32 - 1
            }
        };
        if let Some(slot) = self.slots.get_mut(index as usize) {
            *slot = Some(word);
        }
        Handle(Arc::new(Inner { index, dropped: self.dropped.clone() }))
    }

    /// Returns the value of a handle; `None` if it belongs to another machine.
    pub(in crate::machine) fn get(&self, handle: &Handle) -> Option<W> {
        if !Arc::ptr_eq(&self.dropped, &handle.0.dropped) {
            return None;
        }
        self.slots.get(handle.0.index as usize).copied().flatten()
    }

    /// Returns what the handle with this number stands for, if there is one.
    pub(in crate::machine) fn get_mut(&mut self, index: u32) -> Option<&mut W> {
        self.slots.get_mut(index as usize)?.as_mut()
    }

    /// Returns the values of all handles in use: handles, which the collector may replace.
    pub(in crate::machine) fn live(&mut self) -> impl Iterator<Item = &mut W> {
        self.reclaim();
        self.slots.iter_mut().flatten()
    }

    /// Returns whether no handle is in use.
    pub(in crate::machine) fn is_empty(&self) -> bool {
        self.slots.iter().flatten().count() == self.dropped.lock().len()
    }

    /// Frees the entries of handles that were dropped.
    pub(in crate::machine) fn reclaim(&mut self) {
        let mut dropped = self.dropped.lock();
        for index in dropped.drain(..) {
            if let Some(slot) = self.slots.get_mut(index as usize) {
                *slot = None;
            }
            self.free.push(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_when_its_last_handle_is_gone() {
        let mut handles = HandleTable::default();
        let one = handles.add('a');
        let same = one.clone();
        drop(one);
        assert_eq!(handles.live().count(), 1);
        assert_eq!(handles.get(&same), Some('a'));
        assert!(!handles.is_empty());
        drop(same);
        assert!(handles.is_empty());
        assert_eq!(handles.live().count(), 0);
        let two = handles.add('b');
        assert_eq!((two.0.index, handles.slots.len()), (0, 1));
    }

    #[test]
    fn another_machine_does_not_know_a_handle() {
        let mut handles = HandleTable::default();
        let one = handles.add('a');
        assert_eq!(HandleTable::<char>::default().get(&one), None);
    }

    #[test]
    fn what_a_handle_stands_for_can_move() {
        let mut handles = HandleTable::default();
        let one = handles.add('a');
        handles.live().for_each(|word| *word = 'b');
        assert_eq!(handles.get(&one), Some('b'));
    }
}

//! Handles: references of an embedder to values, which are roots of the collector.

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
pub struct Root(Arc<Inner>);

impl Root {
    /// Its number among the handles of its machine.
    pub(in crate::machine) fn index(&self) -> u32 {
        self.0.index
    }
}

impl std::fmt::Debug for Root {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Root({})", self.0.index)
    }
}

/// The handle table of a machine. `W` is the machine's own reference to a value.
///
/// Dropping the last clone of a [`Root`] only notes its index, so handles may be dropped on any
/// thread; the table frees these entries when it is next used.
#[derive(Debug)]
pub(in crate::machine) struct Roots<W> {
    slots: Vec<Option<W>>,
    free: Vec<u32>,
    dropped: Arc<Dropped>,
}

impl<W> Default for Roots<W> {
    fn default() -> Roots<W> {
        Roots { slots: Vec::new(), free: Vec::new(), dropped: Arc::default() }
    }
}

impl<W: Copy> Roots<W> {
    /// Makes a handle of a value.
    pub(in crate::machine) fn add(&mut self, word: W) -> Root {
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
        Root(Arc::new(Inner { index, dropped: self.dropped.clone() }))
    }

    /// The value of a handle; `None` if it belongs to another machine.
    pub(in crate::machine) fn get(&self, root: &Root) -> Option<W> {
        if !Arc::ptr_eq(&self.dropped, &root.0.dropped) {
            return None;
        }
        self.slots.get(root.0.index as usize).copied().flatten()
    }

    /// What the handle with this number stands for, if there is one.
    pub(in crate::machine) fn get_mut(&mut self, index: u32) -> Option<&mut W> {
        self.slots.get_mut(index as usize)?.as_mut()
    }

    /// The values of all handles in use: roots, which the collector may replace.
    pub(in crate::machine) fn live(&mut self) -> impl Iterator<Item = &mut W> {
        self.reclaim();
        self.slots.iter_mut().flatten()
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
        let mut roots = Roots::default();
        let one = roots.add('a');
        let same = one.clone();
        drop(one);
        assert_eq!(roots.live().count(), 1);
        assert_eq!(roots.get(&same), Some('a'));
        drop(same);
        assert_eq!(roots.live().count(), 0);
        let two = roots.add('b');
        assert_eq!((two.0.index, roots.slots.len()), (0, 1));
    }

    #[test]
    fn another_machine_does_not_know_a_handle() {
        let mut roots = Roots::default();
        let one = roots.add('a');
        assert_eq!(Roots::<char>::default().get(&one), None);
    }

    #[test]
    fn what_a_handle_stands_for_can_move() {
        let mut roots = Roots::default();
        let one = roots.add('a');
        roots.live().for_each(|word| *word = 'b');
        assert_eq!(roots.get(&one), Some('b'));
    }
}

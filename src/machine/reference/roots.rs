//! Handles: addresses that an embedder holds, and that the collector keeps.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::heap::node::Addr;

/// The places of handles that were dropped, to be used again.
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

/// A handle on a value of a machine. While a clone of it lives, the collector keeps the
/// value. It belongs to one machine; another one does not know it.
#[derive(Clone, Debug)]
pub struct Root(Arc<Inner>);

/// The handles of a machine.
#[derive(Debug, Default)]
pub(super) struct Roots {
    slots: Vec<Addr>,
    free: Vec<u32>,
    dropped: Arc<Dropped>,
}

impl Roots {
    /// A new handle.
    pub(super) fn add(&mut self, addr: Addr) -> Root {
        self.reclaim();
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                self.slots.push(Addr::NONE);
                self.slots.len() as u32 - 1
            }
        };
        if let Some(slot) = self.slots.get_mut(index as usize) {
            *slot = addr;
        }
        Root(Arc::new(Inner { index, dropped: self.dropped.clone() }))
    }

    /// What a handle of this machine stands for.
    pub(super) fn get(&self, root: &Root) -> Option<Addr> {
        if !Arc::ptr_eq(&self.dropped, &root.0.dropped) {
            return None;
        }
        self.slots.get(root.0.index as usize).copied()
    }

    /// The addresses that the collector must keep.
    pub(super) fn live(&mut self) -> impl Iterator<Item = &mut Addr> {
        self.reclaim();
        self.slots.iter_mut().filter(|slot| **slot != Addr::NONE)
    }

    fn reclaim(&mut self) {
        let mut dropped = self.dropped.lock();
        for index in dropped.drain(..) {
            if let Some(slot) = self.slots.get_mut(index as usize) {
                *slot = Addr::NONE;
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
        let one = roots.add(Addr(1));
        let same = one.clone();
        drop(one);
        assert_eq!(roots.live().count(), 1);
        assert_eq!(roots.get(&same), Some(Addr(1)));
        drop(same);
        assert_eq!(roots.live().count(), 0);
        let two = roots.add(Addr(2));
        assert_eq!((two.0.index, roots.slots.len()), (0, 1));
    }

    #[test]
    fn another_machine_does_not_know_a_handle() {
        let mut roots = Roots::default();
        let one = roots.add(Addr(1));
        assert_eq!(Roots::default().get(&one), None);
    }
}

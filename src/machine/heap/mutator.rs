//! What the collector asks of the machine.

use std::cell::Cell;

use crate::gcode::program::{ConId, GlobalId};
use crate::machine::heap::word::Word;

/// Code that a reached node or word can still run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Code {
    /// That of a thunk, by the info of its node.
    Thunk(u32),
    /// That of a function.
    Function(GlobalId),
}

/// The machine, as the collector sees it: words outside of the heap, and code.
///
/// The collector calls `visit` with each word, and the word is changed in place. It may
/// become anything that means the same: a pointer to where the node has gone or to what it is
/// an indirection to, or an immediate word. A pointer to a [`Hole`](super::Kind::Hole) stays
/// a pointer to that hole.
pub trait Mutator {
    /// For a minor collection: visits all words outside of the heap that may lead to what is
    /// young. `visit` returns whether the word still does so, and is to be visited again by the
    /// next one even if nobody changes it. (How often it was visited says nothing: each time
    /// it may become a pointer to something younger, to which there was an indirection.)
    fn young(&mut self, visit: &mut impl FnMut(&mut Word) -> bool);

    /// For a full collection: visits all words outside of the heap, but those of CAFs and of
    /// suspended evaluations. Called twice a collection, with the same words.
    fn roots(&mut self, visit: &mut impl FnMut(&mut Word));

    /// For a full collection: code was reached; visits the words of the CAFs that code can
    /// still reach from there, through other functions too. (Words of CAFs that were visited
    /// before in this collection need not be visited again.) Called once for each code, after
    /// the first call of `roots`.
    fn code(&mut self, code: Code, visit: &mut impl FnMut(&mut Word));

    /// For a full collection: a [`Suspended`](super::Kind::Suspended) node was reached; visits
    /// the words of that evaluation, and those of the CAFs that its code can reach. Called at
    /// least once before `sweep` for each that was reached, and once after it, where words of
    /// CAFs are not to be visited. They never point to young nodes: a machine that suspends
    /// an evaluation visits its words in `young` once.
    fn suspended(&mut self, id: i64, visit: &mut impl FnMut(&mut Word));

    /// For a full collection: everything that lives was reached. Forgets each CAF whose word
    /// `lives` refuses, and each suspended evaluation whose id was not asked for. `lives` may
    /// change the word, as `visit` does.
    fn sweep(&mut self, lives: &mut impl FnMut(&mut Word) -> bool);

    /// For a full collection, after `sweep`: visits the words of all CAFs that are left.
    fn cafs(&mut self, visit: &mut impl FnMut(&mut Word));
}

/// Which thunks select a field of their only captured variable, and do nothing else.
///
/// A thunk `fst p` keeps all of `p` alive. Once `p` is evaluated the collector puts the field
/// in the thunk's place (Wadler, *Fixing some space leaks with a garbage collector*, 1987).
#[derive(Clone, Default, Debug)]
pub struct Selectors {
    /// For each thunk where its row ends; it begins where that of the thunk before ends.
    ends: Box<[u32]>,
    rows: Box<[(ConId, u32)]>,
    /// How many selections were reduced.
    reduced: Cell<u64>,
}

impl Selectors {
    /// A table with a row for each thunk: constructors, and the field that is selected.
    pub fn new<'a>(of_thunks: impl IntoIterator<Item = &'a [(ConId, u32)]>) -> Selectors {
        let (mut ends, mut rows) = (Vec::new(), Vec::new());
        for row in of_thunks {
            rows.extend_from_slice(row);
            ends.push(rows.len() as u32);
        }
        // Most programs have none: then nothing is ever looked up.
        if rows.is_empty() {
            ends.clear();
        }
        Selectors { ends: ends.into(), rows: rows.into(), reduced: Cell::new(0) }
    }

    /// The rows of a thunk.
    #[inline]
    fn row(&self, thunk: u32) -> &[(ConId, u32)] {
        let at = thunk as usize;
        let Some(&end) = self.ends.get(at) else { return &[] };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.rows[start as usize..end as usize]
    }

    /// Whether a thunk selects from any constructor.
    #[inline]
    pub(super) fn is_selector(&self, thunk: u32) -> bool {
        !self.row(thunk).is_empty()
    }

    /// Notes that a selection was reduced.
    pub(super) fn note(&self) {
        self.reduced.set(self.reduced.get() + 1);
    }

    /// How many selections were reduced.
    pub(super) fn reduced(&self) -> u64 {
        self.reduced.get()
    }

    /// The field that a thunk selects from a constructor.
    #[inline]
    pub(super) fn selected(&self, thunk: u32, con: ConId) -> Option<usize> {
        let (_, field) = self.row(thunk).iter().find(|(of, _)| *of == con)?;
        Some(*field as usize)
    }
}
